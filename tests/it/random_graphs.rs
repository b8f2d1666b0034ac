//! Random graphs, with symmetries and without, against the oracle: every engine, kind, start and end, and the
//! classes under the whole group.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ktour::board::{Board, CustomGraph, Graph};
use ktour::control::Control;
use ktour::count::Engine;
use ktour::search::list::{ListOptions, for_each};
use ktour::search::problem::Problem;
use ktour::tour::Kind;
use proptest::prelude::*;

use super::custom_graphs::{ENGINES, count_classes_by_images, count_distinct, oracle_of};
use super::searches_against_oracle::{
    KINDS, assert_board_counts_match_oracle, assert_board_fixed_ends_match_oracle,
};

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
fn rotation(len: usize, length: usize) -> Vec<usize> {
    let turned = len - len % length;
    (0..len).map(|v| if v < turned { v / length * length + (v + 1) % length } else { v }).collect()
}

fn reversal(len: usize) -> Vec<usize> {
    (0..len).rev().collect()
}

fn edge_seeds(len: usize, most: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..len, 0..len), 0..=most)
}

/// Graphs of 1 to 9 vertices of all densities, or with some symmetry; and now and then all symmetries left out.
fn any_small_graph() -> impl Strategy<Value = Board> {
    let plain = (1usize..=9)
        .prop_flat_map(|len| (Just(len), edge_seeds(len, len * (len - 1) / 2 + 3)))
        .prop_map(|(len, seeds)| symmetric_graph(len, &[], &seeds));
    let turned = (3usize..=9, 2usize..=9, any::<bool>())
        .prop_flat_map(|(len, length, flips)| (Just((len, length.min(len), flips)), edge_seeds(len, 5)))
        .prop_map(|((len, length, flips), seeds)| {
            let mut generators = vec![rotation(len, length)];
            generators.extend(flips.then(|| reversal(len)));
            symmetric_graph(len, &generators, &seeds)
        });
    (prop_oneof![plain, turned], 0..8u8).prop_map(|(graph, which)| match which {
        0 => CustomGraph::new(graph).with_symmetry_generators(Vec::new()).unwrap().into(),
        _ => Board::from_graph(graph),
    })
}

/// Graphs of 9 to 12 vertices that a turn of some order keeps: beyond those whose tours are looked at one by one.
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

fn check_counts(board: &Board, depth: Option<u32>, (v, w): (usize, usize)) {
    let table = oracle_of(board).table();
    for engine in ENGINES {
        assert_board_counts_match_oracle(board, engine, depth, &table);
        assert_board_fixed_ends_match_oracle(board, engine, v % board.len(), w % board.len(), &table);
    }
    assert_eq!(&board.to_string().parse::<Board>().unwrap(), board);
}

/// Tours in a list, each of them once.
fn count_listed(board: &Board, kind: Kind, distinct: bool) -> u64 {
    let problem = Problem::new(board, kind, None, None).unwrap();
    let mut tours = BTreeSet::new();
    for_each(problem, ListOptions { distinct, ..ListOptions::default() }, &Control::new(), &mut |_, tour| {
        assert!(tours.insert(tour.to_vec()), "{board} {kind:?}: {tour:?} twice");
        ControlFlow::Continue(())
    })
    .unwrap();
    tours.len() as u64
}

fn check_classes(board: &Board) {
    if !board.has_known_symmetries() {
        return;
    }
    let table = oracle_of(board).table();
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
        check_counts(&board, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    fn class_counts_match_lists_on_random_graphs(board in any_larger_symmetric_graph()) {
        check_classes(&board);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn every_engine_matches_oracle_on_many_random_graphs(
        board in any_small_graph(), depth in proptest::option::of(0..12u32), ends in any::<(u8, u8)>(),
    ) {
        check_counts(&board, depth, (ends.0.into(), ends.1.into()));
    }

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn class_counts_match_lists_on_many_random_graphs(board in any_larger_symmetric_graph()) {
        check_classes(&board);
    }
}
