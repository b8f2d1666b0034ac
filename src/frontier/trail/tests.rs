//! All numbers give all tours, each once, and ranking inverts unranking.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::board::{Arena, Graph};
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::run::count::count;
use crate::frontier::run::observer::Silent;
use crate::frontier::run::options::Options;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::make::Making;
use crate::frontier::trail::trails::{Place, Trails};

fn making(name: &str) -> Making<'_> {
    Making::new(name)
}

fn made(field: &Field, tours: Tours, place: &Place) -> Result<Trails, TrailError> {
    Trails::make(field, tours, place, &making("tours"), &mut |_, _, _, _| ())
}

fn board(name: &str) -> Field {
    Field::of(&name.parse().unwrap())
}

/// Returns the edges, each with its lower end first, in ascending order.
fn sorted(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut edges: Vec<_> = edges.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    edges.sort_unstable();
    edges
}

/// Returns true if the edges form one cycle through `len` vertices.
fn is_cycle(edges: &[(u32, u32)], len: usize) -> bool {
    let (mut at, mut before, mut steps) = (0, u32::MAX, 0);
    loop {
        let mut near =
            edges.iter().filter(|e| e.0 == at || e.1 == at).map(|e| if e.0 == at { e.1 } else { e.0 });
        let (Some(a), Some(b), None) = (near.next(), near.next(), near.next()) else { return false };
        (before, at) = (at, if a == before { b } else { a });
        steps += 1;
        if at == 0 {
            return steps == len;
        }
    }
}

fn check(field: &Field, tours: Tours) {
    let trails = made(field, tours, &Place::Memory).unwrap();
    let expected = count(field, tours, &Options::default(), &mut Silent).unwrap().count;
    assert_eq!(*trails.total(), expected, "{tours:?}");
    let total = u64::try_from(&expected).unwrap();
    let numbers: Vec<BigUint> = (0..total).map(BigUint::from).collect();
    let all = trails.tours(&numbers, &Cancel::default(), &mut |_, _| ()).unwrap();
    let len = field.as_graph().len() + usize::from(tours != Tours::Closed);
    let distinct: BTreeSet<Vec<(u32, u32)>> = all.iter().map(|edges| sorted(edges)).collect();
    assert_eq!(distinct.len() as u64, total, "{tours:?}");
    let back = trails.numbers(&all, &Cancel::default()).unwrap();
    assert!(back.iter().map(|number| number.as_ref().ok()).eq(numbers.iter().map(Some)));
    for (number, edges) in numbers.iter().zip(&all) {
        assert!(is_cycle(edges, len));
        if total < 1000 || number.trailing_zeros() > Some(6) {
            assert_eq!(sorted(&trails.tour(number).unwrap()), sorted(edges));
        }
    }
}

#[test]
fn numbers_and_tours_correspond_one_to_one() {
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
fn other_arenas_are_numbered_as_well() {
    // Complete graphs of five and six vertices; the Petersen graph has no closed tour, but paths.
    let complete = |n: usize| Graph::from_edges(n, (0..n).flat_map(|v| (0..v).map(move |w| (w, v))));
    check(&Field::graph(complete(6)), Tours::Closed);
    check(&Field::graph(complete(5)), Tours::Paths);
    let petersen = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    let petersen = Graph::from_edges(10, petersen);
    check(&Field::graph(petersen.clone()), Tours::Closed);
    check(&Field::graph(petersen), Tours::Paths);
    let torus: Arena = "board=3x4 piece=1,2 wrap=torus remove=-".parse().unwrap();
    check(&Field::of(&torus), Tours::Closed);
}

#[test]
fn what_is_known_without_a_sweep_is_numbered() {
    let one = made(&board("1x1"), Tours::Paths, &Place::Memory).unwrap();
    assert_eq!((one.total(), one.tour(&BigUint::ZERO).unwrap().len()), (&BigUint::from(1u8), 0));
    assert_eq!(*made(&board("3x3"), Tours::Closed, &Place::Memory).unwrap().total(), BigUint::ZERO);
}

#[test]
fn six_by_six_has_all_its_closed_tours() {
    check(&board("6x6"), Tours::Closed);
}

#[test]
fn from_a_folder_they_are_the_same_and_a_broken_sweep_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::Folder(folder.path().join("index"));
    let field = board("5x6");
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let cancelled = Making { cancel: Cancel::from(&flag), ..making("tours") };
    let stopped = Trails::make(&field, Tours::Closed, &place, &cancelled, &mut |step, _, _, _| {
        flag.store(step == 12, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(stopped.is_err());
    let mut steps = Vec::new();
    let made_on =
        Trails::make(&field, Tours::Closed, &place, &making("tours"), &mut |step, _, _, _| steps.push(step));
    assert_eq!((steps.first(), steps.last()), (Some(&13), Some(&30)));
    let again = made(&field, Tours::Closed, &place).unwrap();
    let memory = made(&field, Tours::Closed, &Place::Memory).unwrap();
    for trails in [&made_on.unwrap(), &again] {
        assert_eq!((trails.total(), trails.plan()), (memory.total(), memory.plan()));
        for number in 0..8u32 {
            assert_eq!(trails.tour(&number.into()).unwrap(), memory.tour(&number.into()).unwrap());
        }
    }
    // An index of other tours, a damaged layer, another version.
    let other = Trails::make(&field, Tours::Closed, &place, &making("others"), &mut |_, _, _, _| ());
    assert!(matches!(other, Err(TrailError::Other { .. })));
    let layer = folder.path().join("index/layer-0015");
    let mut bytes = std::fs::read(&layer).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 1);
    std::fs::remove_file(&layer).unwrap();
    std::fs::write(&layer, &bytes).unwrap();
    assert!(matches!(made(&field, Tours::Closed, &place), Err(TrailError::Damaged { step: 15, .. })));
    let manifest = folder.path().join("index/index.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"ktour-index\":1", "\"ktour-index\":9")).unwrap();
    assert!(made(&field, Tours::Closed, &place).unwrap_err().to_string().contains("version 9"));
}
