//! Complete graphs, complete bipartite and multipartite graphs, stars, wheels and random graphs with many
//! edges, against formulas, the oracle, and a count by subsets.
//!
//! Their frontiers hold nearly all vertices, and a step has hundreds of choices.

use ktour::board::{Board, Graph};
use ktour::control::Control;
use ktour::count::{CountError, Engine, Request, WorkPlan};
use ktour::frontier::{
    Cancel, Error, NoObserver, Options, PreparedSweep, SweepGraph, SweepSides, Tours, count as sweep,
};
use ktour::random::Random;
use ktour::tour::Kind;
use num_traits::ToPrimitive;

use super::custom_graphs::{ENGINES, build_oracle};
use super::searches_against_oracle::{assert_board_counts_match_oracle, count_all, numbers_by_kind};
use super::sweep_shards_and_snapshots::run_on_threads;

/// Closed tours, open tours and paths, all undirected.
type KindCounts = [u64; 3];

fn graph(len: usize, is_edge: impl Fn(usize, usize) -> bool) -> Graph {
    Graph::from_edges(len, (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).filter(|&(v, w)| is_edge(v, w)))
}

fn complete_graph(len: usize) -> Graph {
    graph(len, |_, _| true)
}

fn complete_bipartite_graph(left: usize, right: usize) -> Graph {
    graph(left + right, |v, w| (v < left) != (w < left))
}

/// Returns the complete graph without the edges between vertices `2i` and `2i + 1`.
fn cocktail_party_graph(pairs: usize) -> Graph {
    graph(2 * pairs, |v, w| v / 2 != w / 2)
}

fn star(leaves: usize) -> Graph {
    graph(leaves + 1, |v, _| v == 0)
}

/// Returns a cycle of at least three vertices and a hub, which is joined to all of them.
fn wheel(rim: usize) -> Graph {
    graph(rim + 1, |v, w| v == 0 || w - v == 1 || w - v == rim - 1)
}

/// Returns a random graph: each edge is present with probability `tenths / 10`.
fn random_graph(len: usize, tenths: u64, seed: u64) -> Graph {
    let mut random = Random::new(seed);
    let mut is_present = vec![false; len * len];
    is_present.iter_mut().for_each(|edge| *edge = (random.below(10) as u64) < tenths);
    graph(len, |v, w| is_present[v * len + w])
}

fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

/// Returns the counts of a graph of `len` vertices from its closed tours and paths. Every closed tour is as
/// many re-entrant paths as it has edges.
fn counts_from(len: usize, closed: u64, paths: u64) -> KindCounts {
    [closed, paths - len as u64 * closed, paths]
}

fn complete_graph_counts(len: usize) -> KindCounts {
    counts_from(len, if len < 3 { 0 } else { factorial(len - 1) / 2 }, factorial(len) / 2)
}

fn complete_bipartite_counts(left: usize, right: usize) -> KindCounts {
    let (small, large) = (left.min(right), left.max(right));
    match large - small {
        0 if small == 1 => [0, 1, 1],
        0 => counts_from(2 * small, factorial(small) * factorial(small - 1) / 2, factorial(small).pow(2)),
        1 => counts_from(small + large, 0, factorial(small) * factorial(large) / 2),
        _ => [0; 3],
    }
}

/// Counts by inclusion and exclusion of the missing edges.
fn cocktail_party_counts(pairs: usize) -> KindCounts {
    let binomial = |k: usize| (0..k).fold(1, |product, i| product * (pairs - i) as i64 / (i + 1) as i64);
    // Arrangements in which certain `k` pairs are adjacent, for a number of arrangements of single items.
    let sum = |arrangements: &dyn Fn(usize) -> u64| {
        let term = |k: usize| (-2i64).pow(k as u32) * binomial(k) * arrangements(k) as i64;
        (0..=pairs).map(term).sum::<i64>() as u64 / 2
    };
    let closed = sum(&|k| factorial(2 * pairs - k - 1));
    counts_from(2 * pairs, closed, sum(&|k| factorial(2 * pairs - k)))
}

fn star_counts(leaves: usize) -> KindCounts {
    if leaves < 3 { [0, 1, 1] } else { [0; 3] }
}

/// A path visits the hub at an end, or between two arcs of the rim.
fn wheel_counts(rim: usize) -> KindCounts {
    let rim_count = rim as u64;
    counts_from(rim + 1, rim_count, 2 * rim_count * (rim_count - 1))
}

/// Counts by the sets of visited vertices, from one start after the other. Cost: O(4^len), for paths times
/// `len`.
fn counts_by_subsets(graph: &Graph) -> KindCounts {
    let len = graph.len();
    let neighbours: Vec<usize> =
        (0..len).map(|v| graph.neighbours(v).iter().fold(0, |set, &w| set | 1 << w)).collect();
    // By the set and the last vertex: the paths from any vertex, and those from vertex 0.
    let mut paths = vec![[0u64; 2]; len << len];
    for v in 0..len {
        paths[(1 << v) * len + v] = [1, u64::from(v == 0)];
    }
    for set in 1usize..1 << len {
        for last in (0..len).filter(|last| set >> last & 1 == 1) {
            let [any, from_first] = paths[set * len + last];
            for next in (0..len).filter(|next| (neighbours[last] & !set) >> next & 1 == 1) {
                let sum = &mut paths[(set | 1 << next) * len + next];
                *sum = [sum[0] + any, sum[1] + from_first];
            }
        }
    }
    let whole = &paths[((1 << len) - 1) * len..];
    let directed: u64 = whole.iter().map(|[any, _]| any).sum();
    let closed: u64 = (0..len).filter(|v| neighbours[0] >> v & 1 == 1).map(|v| whole[v][1]).sum();
    counts_from(len, if len < 3 { 0 } else { closed / 2 }, directed / 2)
}

/// Asserts the counts of all kinds by one engine.
fn assert_counts(name: &str, graph: &Graph, engine: Engine, expected: KindCounts) {
    let request = Request { engine, ..Request::new(Board::from_graph(graph.clone())) };
    assert_eq!(numbers_by_kind(&count_all(&request)), expected.map(Some), "{name}, {engine:?}");
}

/// Asserts the counts of all kinds, by every engine for small graphs and by the sweep for all.
fn assert_all_counts(name: &str, graph: &Graph, expected: KindCounts) {
    for engine in [Engine::Auto, Engine::Frontier] {
        assert_counts(name, graph, engine, expected);
    }
    if graph.len() <= 9 {
        for engine in ENGINES {
            assert_counts(name, graph, engine, expected);
        }
    }
}

#[test]
fn formulas_and_counts_by_subsets_match_the_oracle() {
    let oracle_counts = |graph: &Graph| {
        let table = build_oracle(&Board::from_graph(graph.clone())).count_by_ends();
        [table.closed(), table.open(), table.paths()]
    };
    let mut cases: Vec<(Graph, KindCounts)> = Vec::new();
    cases.extend((2..=8).map(|len| (complete_graph(len), complete_graph_counts(len))));
    cases.extend((1..=8).map(|leaves| (star(leaves), star_counts(leaves))));
    cases.extend((3..=9).map(|rim| (wheel(rim), wheel_counts(rim))));
    cases.extend((2..=4).map(|pairs| (cocktail_party_graph(pairs), cocktail_party_counts(pairs))));
    for (left, right) in [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (4, 3), (4, 4), (3, 5), (5, 5)] {
        cases.push((complete_bipartite_graph(left, right), complete_bipartite_counts(left, right)));
    }
    for (graph, expected) in cases {
        assert_eq!(oracle_counts(&graph), expected, "{graph:?}");
        assert_eq!(counts_by_subsets(&graph), expected, "{graph:?}");
    }
}

#[test]
fn complete_graphs_match_formulas() {
    for len in 2..=14 {
        assert_all_counts(&format!("K{len}"), &complete_graph(len), complete_graph_counts(len));
    }
    for pairs in 2..=7 {
        let expected = cocktail_party_counts(pairs);
        assert_all_counts(&format!("{pairs} pairs"), &cocktail_party_graph(pairs), expected);
    }
}

#[test]
fn complete_bipartite_graphs_match_formulas() {
    for left in 1..=10 {
        for right in [left, left + 1, left + 2] {
            let graph = complete_bipartite_graph(left, right);
            let expected = complete_bipartite_counts(left, right);
            assert_all_counts(&format!("K{left},{right}"), &graph, expected);
        }
    }
}

#[test]
fn stars_and_wheels_match_formulas() {
    for leaves in (1..=20).chain([40, 59, 70, 200]) {
        assert_all_counts(&format!("{leaves} leaves"), &star(leaves), star_counts(leaves));
    }
    for rim in (3..=20).chain([40, 59, 70, 200]) {
        assert_all_counts(&format!("rim of {rim}"), &wheel(rim), wheel_counts(rim));
    }
}

#[test]
fn every_engine_matches_oracle_on_dense_random_graphs() {
    run_on_threads(1, || {
        for (len, seed) in (2..=8).flat_map(|len| (0..3).map(move |seed| (len, seed))) {
            let board = Board::from_graph(random_graph(len, 9, seed));
            let table = build_oracle(&board).count_by_ends();
            for engine in ENGINES {
                assert_board_counts_match_oracle(&board, engine, None, &table);
            }
        }
    });
}

#[test]
fn sweeps_match_counts_by_subsets_on_dense_random_graphs() {
    for (len, tenths) in [(9, 9), (10, 8), (11, 9), (12, 9), (12, 7), (13, 9), (14, 9), (14, 8)] {
        let graph = random_graph(len, tenths, 7);
        let expected = counts_by_subsets(&graph);
        assert!(expected[0] > 0, "{len} vertices");
        assert_all_counts(&format!("{len} vertices, {tenths}/10"), &graph, expected);
    }
}

/// The right half of a dense graph has more steps than vertices.
#[test]
fn two_sided_sweeps_match_formulas_at_every_cut() {
    let cases = [
        (complete_graph(9), complete_graph_counts(9)),
        (complete_graph(10), complete_graph_counts(10)),
        (complete_bipartite_graph(5, 5), complete_bipartite_counts(5, 5)),
        (cocktail_party_graph(5), cocktail_party_counts(5)),
        (wheel(9), wheel_counts(9)),
    ];
    for (graph, [closed, _, paths]) in cases {
        let sweep_graph = SweepGraph::from_board(&Board::from_graph(graph));
        for (tours, expected) in [(Tours::Closed, closed), (Tours::Paths, paths)] {
            for (steps, fold) in (1..10).flat_map(|steps| [(steps, false), (steps, true)]) {
                let options = Options { sides: SweepSides::Two(steps), fold, ..Options::default() };
                let outcome = sweep(&sweep_graph, tours, &options, &mut NoObserver).unwrap();
                assert_eq!(outcome.count.to_u64(), Some(expected), "{tours:?}, cut after {steps}, {fold}");
            }
        }
    }
}

#[test]
fn large_dense_graphs_are_planned_or_refused() {
    let graphs = [19, 20, 21, 60, 130]
        .map(complete_graph)
        .into_iter()
        .chain([18, 30].map(|side| complete_bipartite_graph(side, side)))
        .chain([cocktail_party_graph(10), random_graph(19, 9, 1), random_graph(40, 9, 1)]);
    for graph in graphs {
        let request = Request::of_kind(Board::from_graph(graph.clone()), Kind::Closed);
        let control = Control::new();
        // Without a dry run, which takes longer than the planning.
        let estimate = WorkPlan::new_under(&request, &control).and_then(|plan| {
            let plan = plan.with_dry_run_seconds(0.0);
            plan.estimate(&plan.schedule(), &control)
        });
        match estimate {
            Ok(estimate) => assert!(estimate.seconds.is_none_or(|seconds| seconds > 0.0)),
            Err(error) => assert!(error.is_resource_limit(), "{} vertices: {error}", graph.len()),
        }
    }
}

#[test]
fn cancelled_planning_of_dense_graphs_returns_an_error() {
    for len in [12, 20, 40] {
        let board = Board::from_graph(complete_graph(len));
        let control = Control::new();
        control.cancel();
        let options = Options { cancel: Cancel::from(control.cancel_flag()), ..Options::default() };
        let prepared = PreparedSweep::new(&SweepGraph::from_board(&board), Tours::Closed, &options);
        assert!(matches!(prepared, Err(Error::Stopped { .. })), "{len} vertices");
        let planned = WorkPlan::new_under(&Request::new(board), &control)
            .and_then(|plan| plan.estimate(&plan.schedule(), &control));
        assert!(matches!(planned, Err(CountError::Stopped(_))), "{len} vertices: {planned:?}");
    }
}
