//! Random graphs, with symmetries and without, against the oracle: every engine, kind, start and end, and the
//! classes under the whole group.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ktour::board::{Arena, Given, Graph};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::search::list::{ListOptions, for_each};
use ktour::search::problem::Problem;
use ktour::tour::Kind;
use proptest::prelude::*;

use crate::arenas::{ENGINES, classes, distinct, oracle};
use crate::kernels::{KINDS, assert_arena, assert_fixed_arena};

/// Edges with their images under the powers of some permutations, so that the graph has those for symmetries; each
/// seed counts if its bits say so.
fn symmetric_graph(len: usize, generators: &[Vec<usize>], seeds: &[(usize, usize)]) -> Graph {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut fresh: Vec<(usize, usize)> = seeds.iter().copied().filter(|(v, w)| v != w).collect();
    while let Some((v, w)) = fresh.pop() {
        let edge = (v.min(w), v.max(w));
        if !edges.contains(&edge) {
            edges.push(edge);
            fresh.extend(generators.iter().map(|image| (image[v], image[w])));
        }
    }
    Graph::from_edges(len, edges)
}

/// A permutation whose cycles are of one length, but for the last vertices, which stay.
fn turn(len: usize, length: usize) -> Vec<usize> {
    let turned = len - len % length;
    (0..len).map(|v| if v < turned { v / length * length + (v + 1) % length } else { v }).collect()
}

fn flip(len: usize) -> Vec<usize> {
    (0..len).rev().collect()
}

fn seeds(len: usize, most: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..len, 0..len), 0..=most)
}

/// Graphs of 1 to 9 vertices of all densities, or with some symmetry; and now and then all symmetries left out.
fn arenas() -> impl Strategy<Value = Arena> {
    let plain = (1usize..=9)
        .prop_flat_map(|len| (Just(len), seeds(len, len * (len - 1) / 2 + 3)))
        .prop_map(|(len, seeds)| symmetric_graph(len, &[], &seeds));
    let turned = (3usize..=9, 2usize..=9, any::<bool>())
        .prop_flat_map(|(len, length, flips)| (Just((len, length.min(len), flips)), seeds(len, 5)))
        .prop_map(|((len, length, flips), seeds)| {
            let mut generators = vec![turn(len, length)];
            generators.extend(flips.then(|| flip(len)));
            symmetric_graph(len, &generators, &seeds)
        });
    (prop_oneof![plain, turned], 0..8u8).prop_map(|(graph, which)| match which {
        0 => Given::new(graph).symmetric(Vec::new()).unwrap().into(),
        _ => Arena::from_graph(graph),
    })
}

/// Graphs of 9 to 12 vertices that a turn of some order keeps: beyond those whose tours are looked at one by one.
fn larger() -> impl Strategy<Value = Arena> {
    (9usize..=12, 2usize..=12, any::<bool>())
        .prop_flat_map(|(len, length, flips)| (Just((len, length.min(len), flips)), seeds(len, 3)))
        .prop_map(|((len, length, flips), seeds)| {
            let mut generators = vec![turn(len, length)];
            generators.extend(flips.then(|| flip(len)));
            Arena::from_graph(symmetric_graph(len, &generators, &seeds))
        })
        .prop_filter("few enough edges for the oracle", |arena| arena.graph().edges() <= 2 * arena.len() + 4)
}

fn counts_agree(arena: &Arena, depth: Option<u32>, (v, w): (usize, usize)) {
    let table = oracle(arena).table();
    for engine in ENGINES {
        assert_arena(arena, engine, depth, &table);
        assert_fixed_arena(arena, engine, v % arena.len(), w % arena.len(), &table);
    }
    assert_eq!(&arena.to_string().parse::<Arena>().unwrap(), arena);
}

/// Tours in a list, each of them once.
fn listed(arena: &Arena, kind: Kind, distinct: bool) -> u64 {
    let problem = Problem::new(arena, kind, None, None).unwrap();
    let mut tours = BTreeSet::new();
    for_each(problem, ListOptions { distinct, ..ListOptions::default() }, &Control::new(), &mut |_, tour| {
        assert!(tours.insert(tour.to_vec()), "{arena} {kind:?}: {tour:?} twice");
        ControlFlow::Continue(())
    })
    .unwrap();
    tours.len() as u64
}

fn classes_agree(arena: &Arena) {
    if !arena.knows_symmetries() {
        return;
    }
    let table = oracle(arena).table();
    for (kind, all) in KINDS.into_iter().zip([table.closed(), table.open(), table.paths()]) {
        let expected = classes(arena, kind) as u64;
        assert_eq!(listed(arena, kind, false), all, "{arena} {kind:?}");
        assert_eq!(listed(arena, kind, true), expected, "{arena} {kind:?} distinct");
        for engine in [Engine::Multipath, Engine::Frontier] {
            assert_eq!(distinct(arena, kind, engine).unwrap(), expected, "{arena} {kind:?} {engine:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_are_counted_by_every_engine(
        arena in arenas(), depth in proptest::option::of(0..12u32), ends in any::<(u8, u8)>(),
    ) {
        counts_agree(&arena, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    fn classes_of_random_graphs(arena in larger()) {
        classes_agree(&arena);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn many_random_graphs_are_counted_by_every_engine(
        arena in arenas(), depth in proptest::option::of(0..12u32), ends in any::<(u8, u8)>(),
    ) {
        counts_agree(&arena, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn classes_of_many_random_graphs(arena in larger()) {
        classes_agree(&arena);
    }
}
