//! Compares the frontier engine with a naive depth-first count on small boards and graphs.

use ktour::board::{Board, Graph, Leaper, Rectangle, Square};
use ktour::frontier::{Method, NoObserver, Options, SweepGraph, Tours, Width, count, count_series};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use proptest::prelude::*;

use super::oracle::Oracle;
use super::sweep_shards_and_snapshots::run_on_threads;

/// Counts the tours of any kind by depth-first search.
fn count_naively(graph: &Graph, tours: Tours) -> u64 {
    let n = graph.len();
    let neighbours = |v| graph.neighbours(v).iter().map(|&w| w as usize).collect();
    let oracle = Oracle { neighbours: (0..n).map(neighbours).collect() };
    let paths_from = |start: usize| oracle.count_from(start).iter().sum::<u64>();
    match tours {
        _ if n == 0 => 0,
        Tours::Closed if n < 3 => 0,
        Tours::Closed => {
            let paths = oracle.count_from(0);
            oracle.neighbours[0].iter().map(|&end| paths[end]).sum::<u64>() / 2
        }
        Tours::Paths if n == 1 => 1,
        Tours::Paths => (0..n).map(paths_from).sum::<u64>() / 2,
        Tours::From(start) => paths_from(start as usize),
        Tours::Between(start, end) => oracle.count_from(start as usize)[end as usize],
    }
}

fn count_by_sweep(graph: &SweepGraph, tours: Tours, options: &Options) -> u64 {
    count(graph, tours, options, &mut NoObserver).unwrap().count.to_u64().unwrap()
}

/// Counts the directed paths from each vertex.
pub fn sweep_counts_by_start(graph: &SweepGraph) -> Vec<BigUint> {
    let from = |v| count(graph, Tours::From(v), &Options::default(), &mut NoObserver).unwrap().count;
    (0..graph.as_graph().len() as u32).map(from).collect()
}

/// Returns options that must not change a count.
fn all_options(len: usize) -> Vec<Options> {
    let base = Options::default();
    vec![
        base.clone(),
        Options { fold: false, ..base.clone() },
        Options { modulo: Some(Width::W128.into()), method: Method::Blocks, ..base.clone() },
        Options { method: Method::Hashed, ..base.clone() },
        Options { method: Method::Hashed, fold: false, ..base.clone() },
        Options { order: Some((0..len).collect()), ..base.clone() },
        Options { order: Some((0..len).rev().collect()), fold: false, ..base.clone() },
        Options { order: Some((0..len).rev().collect()), method: Method::Hashed, ..base },
    ]
}

fn assert_all_options_agree(graph: &SweepGraph, tours: Tours) {
    let expected = count_naively(graph.as_graph(), tours);
    for options in all_options(graph.as_graph().len()) {
        assert_eq!(
            count_by_sweep(graph, tours, &options),
            expected,
            "{tours:?} with {options:?} on {graph:?}"
        );
    }
}

#[test]
fn sweeps_match_naive_count_on_small_boards() {
    let leapers = [Leaper::KNIGHT, Leaper::new(0, 1).unwrap(), Leaper::new(1, 1).unwrap()];
    let sizes = (1..=5u16).flat_map(|rows| (rows..=20 / rows).map(move |cols| (rows, cols)));
    run_on_threads(1, || {
        for ((rows, cols), leaper) in sizes.flat_map(|size| leapers.map(|leaper| (size, leaper))) {
            for board in [Rectangle::new(rows, cols).unwrap(), Rectangle::new(cols, rows).unwrap()] {
                let graph = SweepGraph::from_board(&Board::from_leaper(board, leaper));
                assert_all_options_agree(&graph, Tours::Closed);
                assert_all_options_agree(&graph, Tours::Paths);
            }
        }
    });
}

/// Compares sweeps with fixed ends with the naive count. `check_reverse` checks the ends in reverse order,
/// which have the same count as the ends in order.
fn assert_fixed_ends_match_naive_count(check_reverse: fn(&SweepGraph, Tours)) {
    let sizes = [(1, 1), (1, 2), (2, 2), (3, 3), (3, 4), (2, 6), (4, 4)];
    let leapers = [Leaper::KNIGHT, Leaper::new(0, 1).unwrap()];
    run_on_threads(1, || {
        for ((rows, cols), leaper) in sizes.into_iter().flat_map(|size| leapers.map(|leaper| (size, leaper)))
        {
            let graph =
                SweepGraph::from_board(&Board::from_leaper(Rectangle::new(rows, cols).unwrap(), leaper));
            let n = graph.as_graph().len() as u32;
            let counts = sweep_counts_by_start(&graph);
            for (start, from) in (0..).zip(&counts) {
                assert_eq!(*from, BigUint::from(count_naively(graph.as_graph(), Tours::From(start))));
                assert_all_options_agree(&graph, Tours::From(start));
                (start..n).for_each(|end| assert_all_options_agree(&graph, Tours::Between(start, end)));
                (0..start).for_each(|end| check_reverse(&graph, Tours::Between(start, end)));
            }
        }
    });
}

#[test]
fn sweeps_match_naive_count_for_starts_and_ends() {
    assert_fixed_ends_match_naive_count(|graph, tours| {
        let expected = count_naively(graph.as_graph(), tours);
        assert_eq!(count_by_sweep(graph, tours, &Options::default()), expected, "{tours:?} on {graph:?}");
    });
}

#[test]
#[ignore = "checks every pair of ends in both directions with all options"]
fn sweeps_match_naive_count_for_starts_and_ends_with_all_options() {
    assert_fixed_ends_match_naive_count(assert_all_options_agree);
}

#[test]
fn series_equals_counts_of_single_boards() {
    for (width, longest) in [(1, 4), (2, 7), (3, 8), (4, 6), (5, 6)] {
        for leaper in [Leaper::KNIGHT, Leaper::new(0, 1).unwrap()] {
            for tours in [Tours::Closed, Tours::Paths] {
                let single_counts: Vec<BigUint> = (1..=longest)
                    .map(|length| {
                        SweepGraph::from_board(&Board::from_leaper(
                            Rectangle::new(length, width).unwrap(),
                            leaper,
                        ))
                    })
                    .map(|graph| BigUint::from(count_by_sweep(&graph, tours, &Options::default())))
                    .collect();
                for method in [Method::Blocks, Method::Hashed] {
                    let options = Options { method, ..Options::default() };
                    let counts = count_series(
                        &Board::from_leaper(Rectangle::new(longest, width).unwrap(), leaper),
                        tours,
                        &options,
                        &mut NoObserver,
                    )
                    .unwrap();
                    assert_eq!(counts, single_counts, "{width} wide, {leaper} {tours:?} {method:?}");
                }
            }
        }
    }
}

#[test]
fn starts_sum_to_total_with_any_number_of_threads() {
    let graph = SweepGraph::from_board(&Rectangle::new(5, 5).unwrap().into());
    let starts = sweep_counts_by_start(&graph);
    assert_eq!(starts.iter().sum::<BigUint>(), BigUint::from(1728u32));
    assert_eq!((starts[0].clone(), starts[12].clone()), (BigUint::from(304u32), BigUint::from(64u32)));
    for threads in [1, 2, 5] {
        let count_paths = || count_by_sweep(&graph, Tours::Paths, &Options::default());
        assert_eq!(run_on_threads(threads, count_paths), 864);
    }
}

/// Generates graphs of 3 to 10 vertices that contain the path 0, 1, 2, ..
fn any_graph() -> impl Strategy<Value = Graph> {
    (3usize..11, any::<u64>(), 2u64..5).prop_map(|(n, seed, sparsity)| {
        let mut state = seed | 1;
        let mut edges = Vec::new();
        for v in 0..n {
            for w in 0..v {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if (state >> 33) % sparsity != 0 || w + 1 == v {
                    edges.push((v, w));
                }
            }
        }
        Graph::from_edges(n, edges)
    })
}

/// Generates small boards with up to 4 holes, each with a leaper.
fn any_board() -> impl Strategy<Value = (Rectangle, Leaper)> {
    let leaper = prop::sample::select(vec![(1, 2), (0, 1), (1, 1), (1, 3), (2, 3), (0, 2), (1, 4)]);
    (2u16..6, 3u16..6, prop::collection::vec((0u16..6, 0u16..6), 0..5), leaper).prop_map(
        |(rows, cols, holes, (a, b))| {
            let holes =
                holes.into_iter().filter(|&(f, r)| f < cols && r < rows).map(|(f, r)| Square::new(f, r));
            let board =
                Rectangle::new(rows, cols).unwrap().without(holes.take((rows * cols - 1).into())).unwrap();
            (board, Leaper::new(a, b).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn sweeps_match_naive_count_on_random_graphs(graph in any_graph(), start: prop::sample::Index, end: prop::sample::Index) {
        let (start, end) = (start.index(graph.len()) as u32, end.index(graph.len()) as u32);
        let graph = SweepGraph::from_graph(graph);
        let all = [Tours::Closed, Tours::Paths, Tours::From(start), Tours::Between(start, end)];
        run_on_threads(1, || all.into_iter().for_each(|tours| assert_all_options_agree(&graph, tours)));
    }

    #[test]
    fn sweeps_match_naive_count_on_random_boards_with_holes((board, leaper) in any_board(), start: prop::sample::Index, end: prop::sample::Index) {
        prop_assume!(board.len() <= 17);
        let (start, end) = (start.index(board.len()) as u32, end.index(board.len()) as u32);
        let graph = SweepGraph::from_board(&Board::from_leaper(board.clone(), leaper));
        for tours in [Tours::Closed, Tours::Paths, Tours::From(start), Tours::Between(start, end)] {
            assert_all_options_agree(&graph, tours);
        }
    }

    #[test]
    fn sweep_count_is_independent_of_order(seed: u64, rows in 3u16..6) {
        let graph = SweepGraph::from_board(&Rectangle::new(rows, 4).unwrap().into());
        let mut order: Vec<usize> = (0..graph.as_graph().len()).collect();
        let mut state = seed | 1;
        for i in (1..order.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(i, (state >> 33) as usize % (i + 1));
        }
        for tours in [Tours::Closed, Tours::Paths] {
            let expected = count_by_sweep(&graph, tours, &Options::default());
            for method in [Method::Blocks, Method::Hashed] {
                let options = Options { order: Some(order.clone()), method, ..Options::default() };
                prop_assert_eq!(count_by_sweep(&graph, tours, &options), expected);
            }
        }
    }
}
