//! Random boards with holes, random leapers and random graphs against the oracle.

use std::collections::BTreeSet;

use ktour::board::{Arena, Board, Graph, Leaper, Square, SymmetryGroup};
use ktour::count::{Engine, Request};
use ktour::search::problem::Problem;
use ktour::tour::Kind;
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::kernels::{ENGINES, KINDS, assert_counts, assert_fixed, assert_pairs, counted, request};
use crate::listing::{Question, on_threads};
use crate::oracle::Oracle;

/// Boards of 1 to 20 squares, with up to 6 squares removed, not all of them.
fn boards() -> impl Strategy<Value = Board> {
    (1u16..=6, 1u16..=6).prop_filter("at most 20 squares", |(rows, cols)| rows * cols <= 20).prop_flat_map(
        |(rows, cols)| {
            let board = Board::new(rows, cols).unwrap();
            let squares: Vec<Square> = board.squares().collect();
            let most = 6.min(squares.len() - 1);
            subsequence(squares, 0..=most).prop_map(move |holes| board.clone().without(holes).unwrap())
        },
    )
}

/// Mostly pieces that get around on a small board.
fn leapers() -> impl Strategy<Value = Leaper> {
    prop_oneof![
        5 => Just(Leaper::KNIGHT),
        3 => Just(Leaper::new(0, 1).unwrap()),
        3 => (0u16..=4, 1u16..=4).prop_map(|(a, b)| Leaper::new(a, b).unwrap()),
    ]
}

fn kinds() -> impl Strategy<Value = Kind> {
    (0..KINDS.len()).prop_map(|i| KINDS[i])
}

fn split_depths() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![1 => Just(None), 3 => (0u32..=12).prop_map(Some)]
}

/// Questions on boards that have at least one answer more often than not.
fn questions() -> impl Strategy<Value = Question> {
    let ends = (any::<proptest::sample::Index>(), any::<proptest::sample::Index>());
    (boards(), leapers(), kinds(), ends, 0..6u8, any::<bool>()).prop_map(
        |(board, leaper, kind, (v, w), which, directed)| {
            let len = board.len();
            let (v, w) = (v.index(len), w.index(len));
            let fits = kind != Kind::Closed;
            let (start, end) = match which {
                0 => (Some(v), None),
                1 if fits => (None, Some(v)),
                2 if fits && v != w => (Some(v), Some(w)),
                _ => (None, None),
            };
            let distinct = !directed && (fits || start.is_none());
            Question { board, leaper, kind, start, end, directed, distinct: distinct && which % 2 == 1 }
        },
    )
}

fn sweeps_agree(board: &Board, leaper: Leaper, v: usize, w: usize) {
    let oracle = Oracle::of(board, leaper).table();
    assert_counts(board, leaper, Engine::Frontier, None, &oracle);
    assert_fixed(board, leaper, Engine::Frontier, v, w, &oracle);
}

// A question takes a sweep of milliseconds for each of its parts, however small the board.
proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_of_random_boards(
        (board, leaper) in (boards(), leapers()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        sweeps_agree(&board, leaper, v.index(board.len()), w.index(board.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn sweeps_of_many_random_boards(
        (board, leaper) in (boards(), leapers()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        sweeps_agree(&board, leaper, v.index(board.len()), w.index(board.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_of_random_boards(
        (board, leaper, depth) in (boards(), leapers(), split_depths()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let oracle = Oracle::of(&board, leaper).table();
        for engine in ENGINES {
            assert_counts(&board, leaper, engine, depth, &oracle);
            assert_fixed(&board, leaper, engine, v.index(board.len()), w.index(board.len()), &oracle);
        }
    }

    #[test]
    fn every_pair_of_ends_on_random_boards(
        (board, leaper, kind, depth) in (boards(), leapers(), kinds(), split_depths()),
    ) {
        prop_assume!(board.len() > 1);
        let problem = Problem::new(&Arena::board(board.clone(), leaper), kind, None, None).unwrap();
        assert_pairs(&problem, depth, &Oracle::of(&board, leaper).table());
    }

    #[test]
    fn random_graphs_of_all_densities(
        (len, edges) in (2usize..=9).prop_flat_map(|len| {
            let pairs: Vec<(usize, usize)> = (0..len).flat_map(|v| (0..v).map(move |w| (w, v))).collect();
            let all = pairs.len();
            (Just(len), subsequence(pairs, 0..=all))
        }),
        depth in split_depths(),
    ) {
        let oracle = Oracle::from_edges(len, &edges).table();
        let graph = Graph::from_edges(len, edges);
        for kind in KINDS {
            let group = SymmetryGroup::trivial(len);
            let problem = Problem::on_graph(graph.clone(), group, kind, (None, None)).unwrap();
            assert_pairs(&problem, depth, &oracle);
        }
    }

    #[test]
    fn lists_of_random_boards((question, depth) in (questions(), split_depths())) {
        question.assert_listed(&Oracle::of(&question.board, question.leaper), depth);
    }

    #[test]
    fn lists_in_random_orders_of_moves(
        (question, steps) in questions().prop_flat_map(|question| {
            let steps: Vec<(i32, i32)> = all_steps(question.leaper);
            (Just(question), Just(steps).prop_shuffle())
        }),
        depth in split_depths(),
    ) {
        question.assert_in_order(&steps, depth);
    }

    #[test]
    fn nothing_depends_on_threads((question, depth) in (questions(), split_depths())) {
        let text = question.text(None, depth);
        for threads in [1, 2, 3] {
            prop_assert_eq!(on_threads(threads, || question.text(None, depth)), &*text);
        }
        for engine in ENGINES {
            let all = Request { split_depth: depth, ..request(&question.board, question.leaper, engine) };
            let answers = [1, 2, 3].map(|threads| on_threads(threads, || counted(&all)));
            prop_assert!(answers.iter().all(|answer| *answer == answers[0]), "nodes and units as well");
        }
    }
}

/// The different steps of a leaper, as (down, right).
fn all_steps(leaper: Leaper) -> Vec<(i32, i32)> {
    let (a, b) = (i32::from(leaper.short()), i32::from(leaper.long()));
    let mut steps = BTreeSet::new();
    for (x, y) in [(a, b), (b, a)] {
        for (right, down) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            steps.insert((down * y, right * x));
        }
    }
    steps.into_iter().collect()
}
