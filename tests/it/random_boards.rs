//! Compares searches, sweeps and lists with the oracle on random boards with holes, random leapers and random
//! graphs.

use std::collections::BTreeSet;

use ktour::board::{Board, Graph, Leaper, Rectangle, Square, SymmetryGroup};
use ktour::count::{Engine, Request};
use ktour::search::problem::Problem;
use ktour::tour::{Kind, TourSpec};
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::lists_against_oracle::ListQuery;
use super::oracle::Oracle;
use super::searches_against_oracle::{
    ENGINES, KINDS, assert_counts_match_oracle, assert_end_pairs_match_oracle,
    assert_fixed_ends_match_oracle, count_all, request,
};
use super::sweep_shards_and_snapshots::run_on_threads;

/// Generates boards of 1 to 20 squares after up to 6 squares are removed. At least one square remains.
fn any_board() -> impl Strategy<Value = Rectangle> {
    (1u16..=6, 1u16..=6).prop_filter("at most 20 squares", |(rows, cols)| rows * cols <= 20).prop_flat_map(
        |(rows, cols)| {
            let board = Rectangle::new(rows, cols).unwrap();
            let squares: Vec<Square> = board.squares().collect();
            let max_holes = 6.min(squares.len() - 1);
            subsequence(squares, 0..=max_holes).prop_map(move |holes| board.clone().without(holes).unwrap())
        },
    )
}

/// Generates leapers; most of them can reach many squares of a small board.
fn any_leaper() -> impl Strategy<Value = Leaper> {
    prop_oneof![
        5 => Just(Leaper::KNIGHT),
        3 => Just(Leaper::new(0, 1).unwrap()),
        3 => (0u16..=4, 1u16..=4).prop_map(|(a, b)| Leaper::new(a, b).unwrap()),
    ]
}

fn any_kind() -> impl Strategy<Value = Kind> {
    (0..KINDS.len()).prop_map(|i| KINDS[i])
}

fn any_split_depth() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![1 => Just(None), 3 => (0u32..=12).prop_map(Some)]
}

/// Generates queries of lists; more than half have at least one tour.
fn any_list_query() -> impl Strategy<Value = ListQuery> {
    let ends = (any::<proptest::sample::Index>(), any::<proptest::sample::Index>());
    (any_board(), any_leaper(), any_kind(), ends, 0..6u8, any::<bool>()).prop_map(
        |(board, leaper, kind, (v, w), ends_choice, directed)| {
            let len = board.len();
            let (v, w) = (v.index(len), w.index(len));
            let may_fix_end = kind != Kind::Closed;
            let (start, end) = match ends_choice {
                0 => (Some(v), None),
                1 if may_fix_end => (None, Some(v)),
                2 if may_fix_end && v != w => (Some(v), Some(w)),
                _ => (None, None),
            };
            let distinct = !directed && (may_fix_end || start.is_none());
            ListQuery {
                board,
                leaper,
                kind,
                start,
                end,
                directed,
                distinct: distinct && ends_choice % 2 == 1,
            }
        },
    )
}

fn assert_sweeps_match_oracle(board: &Rectangle, leaper: Leaper, v: usize, w: usize) {
    let oracle = Oracle::from_board(board, leaper).count_by_ends();
    assert_counts_match_oracle(board, leaper, Engine::Frontier, None, &oracle);
    assert_fixed_ends_match_oracle(board, leaper, Engine::Frontier, v, w, &oracle);
}

// A sweep takes milliseconds however small the board is, and each case runs several.
proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_match_oracle_on_random_boards(
        (board, leaper) in (any_board(), any_leaper()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        assert_sweeps_match_oracle(&board, leaper, v.index(board.len()), w.index(board.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes ten seconds or more"]
    fn sweeps_match_oracle_on_many_random_boards(
        (board, leaper) in (any_board(), any_leaper()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        assert_sweeps_match_oracle(&board, leaper, v.index(board.len()), w.index(board.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searches_match_oracle_on_random_boards(
        (board, leaper, depth) in (any_board(), any_leaper(), any_split_depth()),
        (v, w) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let oracle = Oracle::from_board(&board, leaper).count_by_ends();
        for engine in ENGINES {
            assert_counts_match_oracle(&board, leaper, engine, depth, &oracle);
            assert_fixed_ends_match_oracle(&board, leaper, engine, v.index(board.len()), w.index(board.len()), &oracle);
        }
    }

    #[test]
    fn end_pairs_match_oracle_on_random_boards(
        (board, leaper, kind, depth) in (any_board(), any_leaper(), any_kind(), any_split_depth()),
    ) {
        prop_assume!(board.len() > 1);
        let problem = Problem::new(&TourSpec::all(Board::from_leaper(board.clone(), leaper), kind)).unwrap();
        assert_end_pairs_match_oracle(&problem, depth, &Oracle::from_board(&board, leaper).count_by_ends());
    }

    #[test]
    fn searches_match_oracle_on_random_graphs(
        (len, edges) in (2usize..=9).prop_flat_map(|len| {
            let pairs: Vec<(usize, usize)> = (0..len).flat_map(|v| (0..v).map(move |w| (w, v))).collect();
            let all = pairs.len();
            (Just(len), subsequence(pairs, 0..=all))
        }),
        depth in any_split_depth(),
    ) {
        let oracle = Oracle::from_edges(len, &edges).count_by_ends();
        let graph = Graph::from_edges(len, edges);
        for kind in KINDS {
            let group = SymmetryGroup::trivial(len);
            let problem = Problem::from_graph(graph.clone(), group, kind, (None, None)).unwrap();
            assert_end_pairs_match_oracle(&problem, depth, &oracle);
        }
    }

    #[test]
    fn lists_match_oracle_on_random_boards((query, depth) in (any_list_query(), any_split_depth())) {
        query.assert_listed(&Oracle::from_board(&query.board, query.leaper), depth);
    }

    #[test]
    fn lists_follow_random_move_orders(
        (query, steps) in any_list_query().prop_flat_map(|query| {
            let steps: Vec<(i32, i32)> = steps_down_right(query.leaper);
            (Just(query), Just(steps).prop_shuffle())
        }),
        depth in any_split_depth(),
    ) {
        query.assert_in_order(&steps, depth);
    }

    #[test]
    fn counts_and_lists_are_independent_of_threads((query, depth) in (any_list_query(), any_split_depth())) {
        let text = query.list_as_text(None, depth);
        for threads in [1, 2, 3] {
            prop_assert_eq!(run_on_threads(threads, || query.list_as_text(None, depth)), &*text);
        }
        for engine in ENGINES {
            let all = Request { split_depth: depth, ..request(&query.board, query.leaper, engine) };
            let answers = [1, 2, 3].map(|threads| run_on_threads(threads, || count_all(&all)));
            prop_assert!(answers.iter().all(|answer| *answer == answers[0]), "answers, nodes and units are equal");
        }
    }
}

/// Returns the different steps of a leaper, as (down, right).
fn steps_down_right(leaper: Leaper) -> Vec<(i32, i32)> {
    let (a, b) = (i32::from(leaper.short()), i32::from(leaper.long()));
    let mut steps = BTreeSet::new();
    for (x, y) in [(a, b), (b, a)] {
        for (right, down) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            steps.insert((down * y, right * x));
        }
    }
    steps.into_iter().collect()
}
