//! Small graphs for tests, their symmetry groups, and counts of their tours by brute force.

use crate::board::{Graph, SymmetryGroup, find_automorphism_group};
use crate::tour::Kind;

use super::problem::Problem;

/// Returns the graph of king's moves on a rectangle.
pub fn king_graph(rows: usize, cols: usize) -> Graph {
    let is_adjacent =
        |v: usize, w: usize| (v / cols).abs_diff(w / cols) <= 1 && (v % cols).abs_diff(w % cols) <= 1;
    graph_from_relation(rows * cols, is_adjacent)
}

/// Returns the graph of knight's moves on a rectangle.
pub fn knight_graph(rows: usize, cols: usize) -> Graph {
    graph_from_relation(rows * cols, |v, w| {
        (v / cols).abs_diff(w / cols) * (v % cols).abs_diff(w % cols) == 2
    })
}

/// Returns the hypercube graph of a dimension d, with 2^d vertices.
pub fn hypercube_graph(dimension: u32) -> Graph {
    graph_from_relation(1 << dimension, |v, w| (v ^ w).count_ones() == 1)
}

/// Returns the complete graph with `len` vertices.
pub fn complete_graph(len: usize) -> Graph {
    graph_from_relation(len, |_, _| true)
}

/// Returns Petersen's graph: it has paths, but no closed tour.
pub fn petersen_graph() -> Graph {
    let edges = (0..5).flat_map(|v| [(v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5)]);
    Graph::from_edges(10, edges)
}

/// Returns graphs of up to 16 vertices, each with a name, whose symmetry groups have an order of 2
/// to 384.
pub fn sample_graphs() -> Vec<(&'static str, Graph)> {
    vec![
        ("king 3x3", king_graph(3, 3)),
        ("king 3x4", king_graph(3, 4)),
        ("king 4x4", king_graph(4, 4)),
        ("knight 3x4", knight_graph(3, 4)),
        ("knight 4x4", knight_graph(4, 4)),
        ("cube", hypercube_graph(3)),
        ("cube of four dimensions", hypercube_graph(4)),
        ("complete 5", complete_graph(5)),
        ("petersen", petersen_graph()),
        ("path", Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)])),
        ("two pieces", Graph::from_edges(4, [(0, 1), (2, 3)])),
    ]
}

fn graph_from_relation(len: usize, is_adjacent: impl Fn(usize, usize) -> bool) -> Graph {
    let pairs = (0..len).flat_map(|v| (v + 1..len).map(move |w| (v, w)));
    Graph::from_edges(len, pairs.filter(|&(v, w)| is_adjacent(v, w)))
}

/// Returns the group of all automorphisms of a graph.
pub fn automorphism_group(graph: &Graph) -> SymmetryGroup {
    find_automorphism_group(graph).expect("small graphs have small groups")
}

/// Returns the problem of visiting all tours of a kind on a graph.
pub fn unrestricted_problem(graph: &Graph, kind: Kind) -> Problem {
    Problem::from_graph(graph.clone(), automorphism_group(graph), kind, (None, None)).unwrap()
}

/// Counts the Hamiltonian paths from `start` to each vertex.
pub fn count_paths_from(graph: &Graph, start: usize) -> Vec<u64> {
    fn extend(graph: &Graph, seen: &mut Vec<bool>, at: usize, free: usize, ends: &mut [u64]) {
        if free == 0 {
            ends[at] += 1;
        }
        for &w in graph.neighbours(at) {
            if !std::mem::replace(&mut seen[w as usize], true) {
                extend(graph, seen, w as usize, free - 1, ends);
                seen[w as usize] = false;
            }
        }
    }
    let mut ends = vec![0; graph.len()];
    let mut seen = vec![false; graph.len()];
    seen[start] = true;
    extend(graph, &mut seen, start, graph.len() - 1, &mut ends);
    ends
}

/// Counts the undirected Hamiltonian paths.
pub fn count_paths(graph: &Graph) -> u64 {
    (0..graph.len()).flat_map(|start| count_paths_from(graph, start)).sum::<u64>() / 2
}

/// Counts the closed tours. The search from vertex 0 finds each tour in two directions.
pub fn count_closed_tours(graph: &Graph) -> u64 {
    let ends = count_paths_from(graph, 0);
    graph.neighbours(0).iter().map(|&w| ends[w as usize]).sum::<u64>() / 2
}
