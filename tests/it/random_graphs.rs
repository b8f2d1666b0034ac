//! Compares every engine with the oracle on random graphs, with and without symmetries: every kind, start and
//! end, and the symmetry classes under the whole group.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ktour::board::{Board, CustomGraph, Graph};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::search::list::{ListOptions, for_each};
use ktour::search::problem::Problem;
use ktour::tour::{Kind, TourSpec};
use proptest::prelude::*;

use super::custom_graphs::{ENGINES, build_oracle, count_classes_by_images, count_distinct};
use super::searches_against_oracle::{
    KINDS, assert_board_counts_match_oracle, assert_board_fixed_ends_match_oracle,
};

/// Returns the graph of some edges and of all their images under `generators`, so that the generators are
/// symmetries of the graph. Loops are left out.
fn symmetric_graph(len: usize, generators: &[Vec<usize>], seeds: &[(usize, usize)]) -> Graph {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut pending: Vec<(usize, usize)> = seeds.iter().copied().filter(|(v, w)| v != w).collect();
    while let Some((v, w)) = pending.pop() {
        let edge = (v.min(w), v.max(w));
        if !edges.contains(&edge) {
            edges.push(edge);
            pending.extend(generators.iter().map(|image| (image[v], image[w])));
        }
    }
    Graph::from_edges(len, edges)
}

/// Returns a permutation with cycles of one length. It fixes the last vertices, which do not fill a cycle.
fn rotation(len: usize, length: usize) -> Vec<usize> {
    let moved = len - len % length;
    (0..len).map(|v| if v < moved { v / length * length + (v + 1) % length } else { v }).collect()
}

/// Returns the permutation that reverses the order of the vertices.
fn reversal(len: usize) -> Vec<usize> {
    (0..len).rev().collect()
}

/// Generates up to `max_edges` pairs of vertices.
fn edge_seeds(len: usize, max_edges: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..len, 0..len), 0..=max_edges)
}

/// Generates graphs of 1 to 9 vertices: some of any density, some with a rotation as a symmetry. One in eight
/// is a board whose declared symmetry group is trivial.
fn any_small_graph() -> impl Strategy<Value = Board> {
    let plain = (1usize..=9)
        .prop_flat_map(|len| (Just(len), edge_seeds(len, len * (len - 1) / 2 + 3)))
        .prop_map(|(len, seeds)| symmetric_graph(len, &[], &seeds));
    let rotated = (3usize..=9, 2usize..=9, any::<bool>())
        .prop_flat_map(|(len, length, flips)| (Just((len, length.min(len), flips)), edge_seeds(len, 5)))
        .prop_map(|((len, length, flips), seeds)| {
            let mut generators = vec![rotation(len, length)];
            generators.extend(flips.then(|| reversal(len)));
            symmetric_graph(len, &generators, &seeds)
        });
    (prop_oneof![plain, rotated], 0..8u8).prop_map(|(graph, choice)| match choice {
        0 => CustomGraph::new(graph).with_symmetry_generators(Vec::new()).unwrap().into(),
        _ => Board::from_graph(graph),
    })
}

/// Generates graphs of 9 to 12 vertices with a rotation as a symmetry, larger than those of `any_small_graph`
/// and with few enough edges for the oracle.
fn any_larger_symmetric_graph() -> impl Strategy<Value = Board> {
    (9usize..=12, 2usize..=12, any::<bool>())
        .prop_flat_map(|(len, length, flips)| (Just((len, length.min(len), flips)), edge_seeds(len, 3)))
        .prop_map(|((len, length, flips), seeds)| {
            let mut generators = vec![rotation(len, length)];
            generators.extend(flips.then(|| reversal(len)));
            Board::from_graph(symmetric_graph(len, &generators, &seeds))
        })
        .prop_filter("few enough edges for the oracle", |board| {
            board.graph().edge_count() <= 2 * board.len() + 4
        })
}

/// Compares all counts of each engine with the oracle, and parses the text of the board again.
fn assert_counts_match_oracle(board: &Board, depth: Option<u32>, (v, w): (usize, usize)) {
    let table = build_oracle(board).count_by_ends();
    for engine in ENGINES {
        assert_board_counts_match_oracle(board, engine, depth, &table);
        assert_board_fixed_ends_match_oracle(board, engine, v % board.len(), w % board.len(), &table);
    }
    assert_eq!(&board.to_string().parse::<Board>().unwrap(), board);
}

/// Lists the tours, asserts that each appears once, and returns their number.
fn count_listed(board: &Board, kind: Kind, distinct: bool) -> u64 {
    let problem = Problem::new(&TourSpec::all(board.clone(), kind)).unwrap();
    let mut tours = BTreeSet::new();
    for_each(problem, ListOptions { distinct, ..ListOptions::default() }, &Control::new(), &mut |_, tour| {
        assert!(tours.insert(tour.to_vec()), "{board} {kind:?}: {tour:?} twice");
        ControlFlow::Continue(())
    })
    .unwrap();
    tours.len() as u64
}

/// Compares the counts of symmetry classes with lists and with the images of every tour.
fn assert_classes_match_lists(board: &Board) {
    if !board.has_known_symmetries() {
        return;
    }
    let table = build_oracle(board).count_by_ends();
    for (kind, all) in KINDS.into_iter().zip([table.closed(), table.open(), table.paths()]) {
        let expected = count_classes_by_images(board, kind) as u64;
        assert_eq!(count_listed(board, kind, false), all, "{board} {kind:?}");
        assert_eq!(count_listed(board, kind, true), expected, "{board} {kind:?} distinct");
        for engine in [Engine::Multipath, Engine::Frontier] {
            assert_eq!(count_distinct(board, kind, engine).unwrap(), expected, "{board} {kind:?} {engine:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_matches_oracle_on_random_graphs(
        board in any_small_graph(), depth in proptest::option::of(0..12u32), ends in any::<(u8, u8)>(),
    ) {
        assert_counts_match_oracle(&board, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    fn class_counts_match_lists_on_random_graphs(board in any_larger_symmetric_graph()) {
        assert_classes_match_lists(&board);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn every_engine_matches_oracle_on_many_random_graphs(
        board in any_small_graph(), depth in proptest::option::of(0..12u32), ends in any::<(u8, u8)>(),
    ) {
        assert_counts_match_oracle(&board, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn class_counts_match_lists_on_many_random_graphs(board in any_larger_symmetric_graph()) {
        assert_classes_match_lists(&board);
    }
}
