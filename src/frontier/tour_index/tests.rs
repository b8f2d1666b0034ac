//! Tests of the index of tours: the numbers give all tours, each once, and ranking inverts
//! unranking.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::build::BuildOptions;
use super::error::IndexLayersError;
use super::index_layers::{IndexLayers, IndexLocation};
use crate::board::{Board, Graph};
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::problem::{SweepGraph, Tours};
use crate::frontier::sweep::count::count;
use crate::frontier::sweep::options::Options;
use crate::frontier::sweep::report::NoObserver;

fn build_options(name: &str) -> BuildOptions<'_> {
    BuildOptions::new(name)
}

fn build(
    sweep_graph: &SweepGraph,
    tours: Tours,
    location: &IndexLocation,
) -> Result<IndexLayers, IndexLayersError> {
    IndexLayers::build(sweep_graph, tours, location, &build_options("tours"), &mut |_, _, _, _| ())
}

fn board(name: &str) -> SweepGraph {
    SweepGraph::from_board(&name.parse().unwrap())
}

/// Returns the edges in ascending order, each with its lower end first.
fn sorted(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut edges: Vec<_> = edges.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    edges.sort_unstable();
    edges
}

/// Returns true if the edges form one cycle through `len` vertices.
fn is_cycle(edges: &[(u32, u32)], len: usize) -> bool {
    let (mut at, mut before, mut steps) = (0, u32::MAX, 0);
    loop {
        let mut tour_neighbours =
            edges.iter().filter(|e| e.0 == at || e.1 == at).map(|e| if e.0 == at { e.1 } else { e.0 });
        let (Some(a), Some(b), None) =
            (tour_neighbours.next(), tour_neighbours.next(), tour_neighbours.next())
        else {
            return false;
        };
        (before, at) = (at, if a == before { b } else { a });
        steps += 1;
        if at == 0 {
            return steps == len;
        }
    }
}

fn check(sweep_graph: &SweepGraph, tours: Tours) {
    let index_layers = build(sweep_graph, tours, &IndexLocation::Memory).unwrap();
    let expected = count(sweep_graph, tours, &Options::default(), &mut NoObserver).unwrap().count;
    assert_eq!(*index_layers.total(), expected, "{tours:?}");
    let total = u64::try_from(&expected).unwrap();
    let numbers: Vec<BigUint> = (0..total).map(BigUint::from).collect();
    let all = index_layers.unrank_all(&numbers, &Cancel::default(), &mut |_, _| ()).unwrap();
    let len = sweep_graph.as_graph().len() + usize::from(tours != Tours::Closed);
    let distinct: BTreeSet<Vec<(u32, u32)>> = all.iter().map(|edges| sorted(edges)).collect();
    assert_eq!(distinct.len() as u64, total, "{tours:?}");
    let back = index_layers.rank_all(&all, &Cancel::default()).unwrap();
    assert!(back.iter().map(|number| number.as_ref().ok()).eq(numbers.iter().map(Some)));
    for (number, edges) in numbers.iter().zip(&all) {
        assert!(is_cycle(edges, len));
        if total < 1000 || number.trailing_zeros() > Some(6) {
            assert_eq!(sorted(&index_layers.unrank(number).unwrap()), sorted(edges));
        }
    }
}

#[test]
fn rank_inverts_unrank_on_boards() {
    for (name, tours) in [
        ("5x6", Tours::Closed),
        ("3x10", Tours::Closed),
        ("4x5", Tours::Paths),
        ("5x5", Tours::Paths),
        ("3x7", Tours::From(0)),
        ("5x5", Tours::From(12)),
        ("5x5", Tours::Between(0, 24)),
        ("3x3", Tours::Paths),
    ] {
        check(&board(name), tours);
    }
}

#[test]
fn rank_inverts_unrank_on_other_graphs() {
    // Complete graphs of five and six vertices; the Petersen graph has no closed tour, but paths.
    let complete = |n: usize| Graph::from_edges(n, (0..n).flat_map(|v| (0..v).map(move |w| (w, v))));
    check(&SweepGraph::from_graph(complete(6)), Tours::Closed);
    check(&SweepGraph::from_graph(complete(5)), Tours::Paths);
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let petersen = Graph::from_edges(10, petersen);
    check(&SweepGraph::from_graph(petersen.clone()), Tours::Closed);
    check(&SweepGraph::from_graph(petersen), Tours::Paths);
    let torus: Board = "board=3x4 piece=1,2 wrap=torus remove=-".parse().unwrap();
    check(&SweepGraph::from_board(&torus), Tours::Closed);
}

#[test]
fn known_counts_are_numbered() {
    let one = build(&board("1x1"), Tours::Paths, &IndexLocation::Memory).unwrap();
    assert_eq!((one.total(), one.unrank(&BigUint::ZERO).unwrap().len()), (&BigUint::from(1u8), 0));
    assert_eq!(*build(&board("3x3"), Tours::Closed, &IndexLocation::Memory).unwrap().total(), BigUint::ZERO);
}

#[test]
fn rank_inverts_unrank_on_6x6() {
    check(&board("6x6"), Tours::Closed);
}

#[test]
fn index_in_a_folder_resumes_and_agrees_with_memory() {
    let folder = tempfile::tempdir().unwrap();
    let location = IndexLocation::Folder(folder.path().join("index"));
    let sweep_graph = board("5x6");
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let cancelled = BuildOptions { cancel: Cancel::from(&flag), ..build_options("tours") };
    let stopped =
        IndexLayers::build(&sweep_graph, Tours::Closed, &location, &cancelled, &mut |step, _, _, _| {
            flag.store(step == 12, std::sync::atomic::Ordering::Relaxed);
        });
    assert!(stopped.is_err());
    let mut steps = Vec::new();
    let made_on = IndexLayers::build(
        &sweep_graph,
        Tours::Closed,
        &location,
        &build_options("tours"),
        &mut |step, _, _, _| steps.push(step),
    );
    assert_eq!((steps.first(), steps.last()), (Some(&13), Some(&30)));
    let rebuilt = build(&sweep_graph, Tours::Closed, &location).unwrap();
    let memory = build(&sweep_graph, Tours::Closed, &IndexLocation::Memory).unwrap();
    for index_layers in [&made_on.unwrap(), &rebuilt] {
        assert_eq!((index_layers.total(), index_layers.numbering()), (memory.total(), memory.numbering()));
        for number in 0..8u32 {
            assert_eq!(index_layers.unrank(&number.into()).unwrap(), memory.unrank(&number.into()).unwrap());
        }
    }
    // An index of other tours, a damaged layer, another version.
    let other = IndexLayers::build(
        &sweep_graph,
        Tours::Closed,
        &location,
        &build_options("others"),
        &mut |_, _, _, _| (),
    );
    assert!(matches!(other, Err(IndexLayersError::OtherTours { .. })));
    let layer = folder.path().join("index/layer-0015");
    let mut bytes = std::fs::read(&layer).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 1);
    std::fs::remove_file(&layer).unwrap();
    std::fs::write(&layer, &bytes).unwrap();
    assert!(matches!(
        build(&sweep_graph, Tours::Closed, &location),
        Err(IndexLayersError::Damaged { step: 15, .. })
    ));
    let manifest = folder.path().join("index/index.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"ktour-index\":2", "\"ktour-index\":9")).unwrap();
    assert!(build(&sweep_graph, Tours::Closed, &location).unwrap_err().to_string().contains("version 9"));
}
