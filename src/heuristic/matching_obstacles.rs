//! Proofs that a graph has no tour, by cut vertices and by perfect matchings. They are slower than
//! tests of degrees and faster than a search.
//!
//! ```text
//! graph, with an apex for paths -> cut vertices (Tarjan 1972)         -> no tour
//!                               -> edges in some perfect matching     -> no tour, or disconnected
//! ```
//!
//! A path is a closed tour through the *apex*, an extra vertex joined to all possible ends of the
//! path. Example: on the cylinder of 4 x n, n even, the outer squares have only inner neighbours,
//! and there are as many outer squares as inner squares. So no tour moves from an inner square to
//! an inner square, and the remaining moves do not connect the board. Cost O(edges x
//! sqrt(vertices)).
//!
//! # Perfect matchings of the double cover
//!
//! A closed tour, walked in one direction, gives every vertex a successor, and all successors
//! differ: a perfect matching of vertices with vertices along edges. So a graph without such a
//! matching has no closed tour, and an edge outside all such matchings is in no closed tour.
//!
//! ```text
//! neighbours -> matching (Hopcroft and Karp 1973) -> perfect:     usable edges are those within the
//!                                                                 strong components (Tarjan 1972)
//!                                                 -> not perfect: an independent set with too few
//!                                                                 neighbours (Koenig 1931)
//! ```
//!
//! Memory O(edges), cost O(edges x sqrt(vertices)).

use std::collections::VecDeque;

use super::cycle_search::possible_end_flags;
use super::obstacles::{Obstacle, vertex_noun};
use crate::tour::{Kind, TourSpec};

/// Greatest number of vertices of a graph that is tested.
const MAX_CHECKED_VERTICES: usize = 1 << 15;
/// Greatest number of rounds in which edges are removed. One round nearly always removes all edges
/// that can be removed.
const MAX_PRUNING_ROUNDS: usize = 4;

/// Returns a reason why a connected graph has none of the tours, if cut vertices or matchings prove it. `None`
/// proves nothing.
pub(super) fn matching_obstacle(tours: &TourSpec) -> Option<Obstacle> {
    let board = tours.board();
    let graph = board.graph();
    let is_closed = tours.kind() == Kind::Closed;
    let len = graph.len();
    if !(3..=MAX_CHECKED_VERTICES).contains(&len) {
        return None;
    }
    let name = |v: usize| board.name(v as u32);
    let mut neighbours: Vec<Vec<u32>> = (0..len).map(|v| graph.neighbours(v).to_vec()).collect();
    // A path passes a vertex once and has two ends.
    let max_parts = if is_closed { 1 } else { 2 };
    let joint = |neighbours: &[Vec<u32>]| {
        let (v, parts) = cut_vertex(&neighbours[..len], max_parts + 1)?;
        Some(Obstacle::CutVertex { name: name(v), parts })
    };
    if let Some(obstacle) = joint(&neighbours) {
        return Some(obstacle);
    }
    let is_open = |v: u32| (v as usize) < len;
    if !is_closed {
        let ends = possible_end_flags(graph, false, tours.start().or(tours.end()).map(|v| v as usize))?;
        let named = [tours.start(), tours.end()];
        let apex: Vec<u32> =
            (0..len as u32).filter(|&v| ends[v as usize] || named.contains(&Some(v))).collect();
        apex.iter().for_each(|&v| neighbours[v as usize].push(len as u32));
        neighbours.push(apex);
    }
    for _ in 0..MAX_PRUNING_ROUNDS {
        let moves = |neighbours: &[Vec<u32>]| neighbours.iter().map(Vec::len).sum::<usize>();
        neighbours = match matched_edges(&neighbours) {
            Ok(left) if moves(&left) == moves(&neighbours) => return None,
            Ok(left) => left,
            Err(CrowdedSet { members: apart, neighbours: around }) => {
                let [apart, around] = [apart, around].map(|set| set.iter().filter(|&&v| v < len).count());
                return Some(Obstacle::CrowdedSet {
                    members: apart,
                    neighbours: around,
                    noun: vertex_noun(board),
                });
            }
        };
        let (mut reached, mut stack) = (vec![false; len], vec![0]);
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut reached[v as usize], true) {
                stack.extend(neighbours[v as usize].iter().copied().filter(|&w| is_open(w)));
            }
        }
        if let Some(v) = reached.iter().position(|&reached| !reached) {
            let what = if board.has_squares() { "square" } else { "vertex" };
            return Some(Obstacle::Disconnected { from: name(0), to: name(v), noun: what });
        }
        if let Some(obstacle) = joint(&neighbours) {
            return Some(obstacle);
        }
    }
    None
}

/// Returns a vertex whose removal splits a connected graph into at least `least` parts, and the
/// number of parts. Ignores neighbours whose number is not below the number of vertices.
fn cut_vertex(neighbours: &[Vec<u32>], least: usize) -> Option<(usize, usize)> {
    let len = neighbours.len();
    let (mut depth, mut low, mut parts) = (vec![usize::MAX; len], vec![0; len], vec![0; len]);
    let (mut path, mut begun) = (vec![(0, 0)], 0);
    while let Some((v, at)) = path.pop() {
        if at == 0 {
            (depth[v], low[v]) = (begun, begun);
            // The part above the vertex; the first vertex has none.
            parts[v] = usize::from(begun > 0);
            begun += 1;
        }
        if let Some(&w) = neighbours[v].get(at) {
            path.push((v, at + 1));
            match w as usize {
                w if w >= len => {}
                w if depth[w] == usize::MAX => path.push((w, 0)),
                w => low[v] = low[v].min(depth[w]),
            }
            continue;
        }
        if let Some(&(above, _)) = path.last() {
            low[above] = low[above].min(low[v]);
            parts[above] += usize::from(low[v] >= depth[above]);
        }
    }
    let v = (0..len).find(|&v| parts[v] >= least)?;
    Some((v, parts[v]))
}

/// The value of a missing vertex.
const NO_VERTEX: u32 = u32::MAX;

/// An independent set of vertices (no two of them adjacent) that has fewer neighbours than members.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CrowdedSet {
    /// The vertices of the set.
    pub(super) members: Vec<usize>,
    /// All neighbours of the vertices of the set.
    pub(super) neighbours: Vec<usize>,
}

/// Returns the edges that are in some perfect matching of the double cover, as adjacency lists.
///
/// # Errors
/// An independent set of vertices that proves that no perfect matching exists.
pub(super) fn matched_edges(neighbours: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, CrowdedSet> {
    let next = perfect_matching(neighbours)?;
    let mut before = vec![NO_VERTEX; neighbours.len()];
    next.iter().enumerate().for_each(|(v, &w)| before[w as usize] = v as u32);
    // Edges from a vertex to the one that needs another successor if the former takes its successor.
    let moved: Vec<Vec<u32>> = neighbours
        .iter()
        .map(|neighbours| neighbours.iter().map(|&w| before[w as usize]).collect())
        .collect();
    let component = strong_components(&moved);
    let is_matched = |v: usize, w: u32| component[v] == component[before[w as usize] as usize];
    let keep = |v: usize| {
        let both = |w: &u32| is_matched(v, *w) && is_matched(*w as usize, v as u32);
        neighbours[v].iter().copied().filter(both).collect()
    };
    Ok((0..neighbours.len()).map(keep).collect())
}

/// Returns a successor for every vertex, such that all successors differ.
///
/// # Errors
/// An independent set of vertices that proves that no such successors exist.
fn perfect_matching(neighbours: &[Vec<u32>]) -> Result<Vec<u32>, CrowdedSet> {
    let len = neighbours.len();
    let (mut next, mut before) = (vec![NO_VERTEX; len], vec![NO_VERTEX; len]);
    for v in 0..len {
        if let Some(&w) = neighbours[v].iter().find(|&&w| before[w as usize] == NO_VERTEX) {
            (next[v], before[w as usize]) = (w, v as u32);
        }
    }
    loop {
        let depth = alternating_depths(neighbours, &next, &before);
        let mut has_grown = false;
        let mut tried = vec![0; len];
        for v in (0..len).filter(|&v| next[v] == NO_VERTEX).collect::<Vec<_>>() {
            has_grown |= augment_matching(neighbours, &mut next, &mut before, &depth, &mut tried, v);
        }
        if !has_grown {
            break;
        }
    }
    if !next.contains(&NO_VERTEX) {
        return Ok(next);
    }
    // The vertices that could free a successor for the unmatched ones outnumber their neighbours by as many
    // as are unmatched.
    let mut is_seen = vec![false; len];
    let mut queue: VecDeque<usize> = (0..len).filter(|&v| next[v] == NO_VERTEX).collect();
    while let Some(v) = queue.pop_front() {
        if !std::mem::replace(&mut is_seen[v], true) {
            queue.extend(neighbours[v].iter().map(|&w| before[w as usize] as usize));
        }
    }
    let is_near = |v: usize| neighbours[v].iter().any(|&w| is_seen[w as usize]);
    let separated: Vec<usize> = (0..len).filter(|&v| is_seen[v] && !is_near(v)).collect();
    let mut around: Vec<usize> =
        separated.iter().flat_map(|&v| neighbours[v].iter().map(|&w| w as usize)).collect();
    around.sort_unstable();
    around.dedup();
    Err(CrowdedSet { members: separated, neighbours: around })
}

/// Returns the length of the shortest alternating path from an unmatched vertex to each vertex, or
/// `usize::MAX` if there is no such path.
fn alternating_depths(neighbours: &[Vec<u32>], next: &[u32], before: &[u32]) -> Vec<usize> {
    let mut depth = vec![usize::MAX; neighbours.len()];
    let mut queue: VecDeque<usize> = (0..neighbours.len()).filter(|&v| next[v] == NO_VERTEX).collect();
    queue.iter().for_each(|&v| depth[v] = 0);
    while let Some(v) = queue.pop_front() {
        for &w in &neighbours[v] {
            let other = before[w as usize];
            if other != NO_VERTEX && depth[other as usize] == usize::MAX {
                depth[other as usize] = depth[v] + 1;
                queue.push_back(other as usize);
            }
        }
    }
    depth
}

/// Extends the matching along an augmenting path from `root`. Returns true if there is such a path.
fn augment_matching(
    neighbours: &[Vec<u32>],
    next: &mut [u32],
    before: &mut [u32],
    depth: &[usize],
    tried: &mut [usize],
    root: usize,
) -> bool {
    let mut path = vec![root];
    while let Some(&v) = path.last() {
        let Some(&w) = neighbours[v].get(tried[v]) else {
            path.pop();
            continue;
        };
        tried[v] += 1;
        let other = before[w as usize];
        if other != NO_VERTEX {
            if depth[other as usize] == depth[v] + 1 {
                path.push(other as usize);
            }
            continue;
        }
        let mut free = w;
        for &v in path.iter().rev() {
            before[free as usize] = v as u32;
            free = std::mem::replace(&mut next[v], free);
        }
        return true;
    }
    false
}

/// Returns, for every vertex of a directed graph, the number of its strong component. `to` holds
/// the successors of each vertex.
fn strong_components(to: &[Vec<u32>]) -> Vec<u32> {
    let len = to.len();
    let (mut index, mut low, mut component) = (vec![NO_VERTEX; len], vec![0; len], vec![NO_VERTEX; len]);
    let (mut open, mut path, mut begun, mut closed) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..len {
        if index[root] != NO_VERTEX {
            continue;
        }
        path.push((root, 0));
        while let Some((v, at)) = path.pop() {
            if at == 0 {
                (index[v], low[v]) = (begun, begun);
                begun += 1;
                open.push(v);
            }
            if let Some(&w) = to[v].get(at) {
                let w = w as usize;
                path.push((v, at + 1));
                if index[w] == NO_VERTEX {
                    path.push((w, 0));
                } else if component[w] == NO_VERTEX {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            if low[v] == index[v] {
                while let Some(w) = open.pop() {
                    component[w] = closed;
                    if w == v {
                        break;
                    }
                }
                closed += 1;
            }
            if let Some(&(above, _)) = path.last() {
                low[above] = low[above].min(low[v]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::cycle_search::{SearchOutcome, solve};
    use super::*;
    use crate::board::{Board, Graph};
    use crate::control::Control;

    fn obstacle_of_board(text: &str, kind: Kind) -> Option<Obstacle> {
        let board: Board = text.parse().unwrap();
        matching_obstacle(&TourSpec::all(board, kind))
    }

    #[test]
    fn cylinder_4xn_has_obstacle_for_even_n() {
        let cylinder = |cols: u32| {
            obstacle_of_board(&format!("board=4x{cols} wrap=cols piece=1,2 remove=-"), Kind::Closed)
        };
        for cols in [6, 10, 30] {
            let (from, to) = ("a1".to_owned(), "b1".to_owned());
            assert_eq!(cylinder(cols), Some(Obstacle::Disconnected { from, to, noun: "square" }), "{cols}");
            assert_eq!(cylinder(cols + 1), None);
        }
        // Without joined columns there are fewer moves: Schwenk's theorem for four rows.
        assert!(obstacle_of_board("board=4x30 piece=1,2 remove=-", Kind::Closed).is_some());
        assert!(obstacle_of_board("board=5x30 piece=1,2 remove=-", Kind::Closed).is_none());
    }

    #[test]
    fn cut_vertices_and_crowded_sets_are_reported() {
        let bowtie =
            Board::from_graph(Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]));
        let of = |board: &Board, kind| {
            matching_obstacle(&TourSpec::all(board.clone(), kind)).map(|obstacle| obstacle.to_string())
        };
        let joint = "without 3 the other squares fall into 2 parts, more than a tour can join through it";
        assert_eq!((of(&bowtie, Kind::Closed).as_deref(), of(&bowtie, Kind::Paths)), (Some(joint), None));
        let star = Board::from_graph(Graph::from_edges(4, (1..4).map(|v| (0, v))));
        assert!(of(&star, Kind::Paths).unwrap().starts_with("without 1 the other squares fall into 3 parts"));
        // Five vertices, each joined to the same three only.
        let thin = Board::from_graph(Graph::from_edges(8, (0..3).flat_map(|v| (3..8).map(move |w| (v, w)))));
        let crowded = "5 vertices, no two joined by a move, have only 3 neighbours in all";
        assert_eq!(of(&thin, Kind::Closed).as_deref(), Some(crowded));
    }

    proptest! {
        #[test]
        fn obstacles_agree_with_complete_search(
            (len, edges) in (3usize..=9).prop_flat_map(|len| {
                (Just(len), proptest::collection::vec((0..len, 0..len), len..=3 * len))
            }),
            (start, end, kind) in (0u32..9, 0u32..9, 0..4u8),
        ) {
            let graph = Graph::from_edges(len, edges.into_iter().filter(|(v, w)| v != w));
            prop_assume!(graph.is_connected());
            let named = |v: u32, given: bool| given.then_some(v % len as u32);
            let (start, end) = (named(start, kind >= 2), named(end, kind >= 3));
            let kind = if kind == 0 { Kind::Closed } else { Kind::Paths };
            prop_assume!(start.is_none() || start != end);
            let tours = TourSpec::new(Board::from_graph(graph), kind, start, end).unwrap();
            if matching_obstacle(&tours).is_some() {
                prop_assert_eq!(solve(&tours, 1, 1_000_000, &Control::new()), SearchOutcome::Impossible);
            }
        }
    }

    fn adjacency(len: usize, edges: &[(usize, usize)]) -> Vec<Vec<u32>> {
        let graph = crate::board::Graph::from_edges(len, edges.iter().copied().filter(|(v, w)| v != w));
        (0..len).map(|v| graph.neighbours(v).to_vec()).collect()
    }

    /// Computes [`matched_edges`] by trying every assignment of successors.
    fn brute_force_edges(neighbours: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
        fn go(neighbours: &[Vec<u32>], next: &mut Vec<u32>, used: &mut [[bool; 8]; 8], has: &mut bool) {
            let v = next.len();
            if v == neighbours.len() {
                *has = true;
                next.iter().enumerate().for_each(|(v, &w)| used[v][w as usize] = true);
                return;
            }
            for &w in &neighbours[v] {
                if !next.contains(&w) {
                    next.push(w);
                    go(neighbours, next, used, has);
                    next.pop();
                }
            }
        }
        let (mut used, mut has) = ([[false; 8]; 8], false);
        go(neighbours, &mut Vec::new(), &mut used, &mut has);
        let keep = |(v, neighbours): (usize, &Vec<u32>)| {
            neighbours.iter().copied().filter(|&w| used[v][w as usize]).collect()
        };
        has.then(|| neighbours.iter().enumerate().map(keep).collect())
    }

    #[test]
    fn matched_edges_of_star_and_of_ring_with_chord() {
        let crowd = matched_edges(&adjacency(4, &[(0, 1), (0, 2), (0, 3)])).unwrap_err();
        assert_eq!(crowd, CrowdedSet { members: vec![1, 2, 3], neighbours: vec![0] });
        let ring = adjacency(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]);
        // 1 and 3 have only the neighbours 0 and 2, so these have no move to each other left.
        assert_eq!(matched_edges(&ring).unwrap()[0], [1, 3]);
    }

    proptest! {
        #[test]
        fn matched_edges_agree_with_brute_force(
            (len, edges) in (1usize..=7).prop_flat_map(|len| {
                (Just(len), proptest::collection::vec((0..len, 0..len), 0..=2 * len))
            }),
        ) {
            let neighbours = adjacency(len, &edges);
            match matched_edges(&neighbours) {
                Ok(found) => prop_assert_eq!(Some(found), brute_force_edges(&neighbours)),
                Err(crowd) => {
                    prop_assert!(brute_force_edges(&neighbours).is_none());
                    prop_assert!(crowd.neighbours.len() < crowd.members.len());
                    for &v in &crowd.members {
                        prop_assert!(neighbours[v].iter().all(|&w| !crowd.members.contains(&(w as usize))));
                    }
                }
            }
        }
    }
}
