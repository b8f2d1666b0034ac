//! Proofs that a graph has no tour, slower than a look at degrees and faster than a search.
//!
//! ```text
//! graph, with an apex for paths -> cut vertices (Tarjan 1972)         -> no tour
//!                               -> edges in some perfect matching     -> no tour, or disconnected
//! ```
//!
//! A path is a closed tour through the *apex*, an extra vertex joined to all possible ends of the path.
//! Example: on the cylinder of 4 x n, n even, the outer squares have only inner neighbours, and both are
//! equally many. So no tour moves from an inner square to an inner square, and the remaining moves do not
//! connect the board. Cost O(edges x sqrt(vertices)).

use crate::board::Board;

use super::cover::{CrowdedSet, matched_edges};
use super::solve::{TourGoal, possible_end_flags};
use super::theorem::{Obstacle, vertex_noun};

/// Largest graph that is checked, in vertices.
const MAX_CHECKED_VERTICES: usize = 1 << 15;
/// Rounds of removing edges. One round nearly always removes all.
const MAX_PRUNING_ROUNDS: usize = 4;

/// Returns the reason why a connected graph has no such tour, if one of these tests finds it.
pub(super) fn matching_obstacle(board: &Board, want: TourGoal) -> Option<Obstacle> {
    let graph = board.graph();
    let len = graph.len();
    if !(3..=MAX_CHECKED_VERTICES).contains(&len) {
        return None;
    }
    let name = |v: usize| board.name(v as u32);
    let mut near: Vec<Vec<u32>> = (0..len).map(|v| graph.neighbours(v).to_vec()).collect();
    // A path passes a vertex once and has two ends.
    let max_parts = if want.closed { 1 } else { 2 };
    let joint = |near: &[Vec<u32>]| {
        let (v, parts) = cut_vertex(&near[..len], max_parts + 1)?;
        Some(Obstacle::CutVertex { name: name(v), parts })
    };
    if let Some(obstacle) = joint(&near) {
        return Some(obstacle);
    }
    let is_open = |v: u32| (v as usize) < len;
    if !want.closed {
        let ends = possible_end_flags(graph, false, want.start.or(want.end))?;
        let named = [want.start, want.end];
        let apex: Vec<u32> =
            (0..len).filter(|&v| ends[v] || named.contains(&Some(v))).map(|v| v as u32).collect();
        apex.iter().for_each(|&v| near[v as usize].push(len as u32));
        near.push(apex);
    }
    for _ in 0..MAX_PRUNING_ROUNDS {
        let moves = |near: &[Vec<u32>]| near.iter().map(Vec::len).sum::<usize>();
        near = match matched_edges(&near) {
            Ok(left) if moves(&left) == moves(&near) => return None,
            Ok(left) => left,
            Err(CrowdedSet { members: apart, neighbours: near }) => {
                let [apart, near] = [apart, near].map(|set| set.iter().filter(|&&v| v < len).count());
                return Some(Obstacle::CrowdedSet {
                    members: apart,
                    neighbours: near,
                    noun: vertex_noun(board),
                });
            }
        };
        let (mut reached, mut stack) = (vec![false; len], vec![0]);
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut reached[v as usize], true) {
                stack.extend(near[v as usize].iter().copied().filter(|&w| is_open(w)));
            }
        }
        if let Some(v) = reached.iter().position(|&reached| !reached) {
            let what = if board.has_squares() { "square" } else { "vertex" };
            return Some(Obstacle::Disconnected { from: name(0), to: name(v), noun: what });
        }
        if let Some(obstacle) = joint(&near) {
            return Some(obstacle);
        }
    }
    None
}

/// Returns a vertex whose removal splits a connected graph into at least `least` parts, and the number of
/// parts. Neighbours numbered beyond the vertices are ignored.
fn cut_vertex(near: &[Vec<u32>], least: usize) -> Option<(usize, usize)> {
    let len = near.len();
    let (mut depth, mut low, mut parts) = (vec![usize::MAX; len], vec![0; len], vec![0; len]);
    let (mut path, mut begun) = (vec![(0, 0)], 0);
    while let Some((v, at)) = path.pop() {
        if at == 0 {
            (depth[v], low[v]) = (begun, begun);
            // The part above the vertex; the first vertex has none.
            parts[v] = usize::from(begun > 0);
            begun += 1;
        }
        if let Some(&w) = near[v].get(at) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Graph;
    use crate::heuristic::{SearchOutcome, solve};

    fn obstacle_of_board(text: &str, closed: bool) -> Option<Obstacle> {
        let board: Board = text.parse().unwrap();
        matching_obstacle(&board, TourGoal { closed, ..TourGoal::default() })
    }

    #[test]
    fn cylinder_4xn_has_obstacle_for_even_n() {
        let cylinder =
            |cols: u32| obstacle_of_board(&format!("board=4x{cols} wrap=cols piece=1,2 remove=-"), true);
        for cols in [6, 10, 30] {
            let (from, to) = ("a1".to_owned(), "b1".to_owned());
            assert_eq!(cylinder(cols), Some(Obstacle::Disconnected { from, to, noun: "square" }), "{cols}");
            assert_eq!(cylinder(cols + 1), None);
        }
        // Without joined columns there are fewer moves: Schwenk's theorem for four rows.
        assert!(obstacle_of_board("board=4x30 piece=1,2 remove=-", true).is_some());
        assert!(obstacle_of_board("board=5x30 piece=1,2 remove=-", true).is_none());
    }

    #[test]
    fn cut_vertices_and_crowded_sets_are_reported() {
        let bowtie =
            Board::from_graph(Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]));
        let of = |board: &Board, closed| {
            matching_obstacle(board, TourGoal { closed, ..TourGoal::default() })
                .map(|obstacle| obstacle.to_string())
        };
        let joint = "without 3 the rest falls into 2 parts, more than a tour can join through it";
        assert_eq!((of(&bowtie, true).as_deref(), of(&bowtie, false)), (Some(joint), None));
        let star = Board::from_graph(Graph::from_edges(4, (1..4).map(|v| (0, v))));
        assert!(of(&star, false).unwrap().starts_with("without 1 the rest falls into 3 parts"));
        // Five vertices, each joined to the same three only.
        let thin = Board::from_graph(Graph::from_edges(8, (0..3).flat_map(|v| (3..8).map(move |w| (v, w)))));
        let crowded = "5 vertices, no two of them a move apart, have only 3 neighbours";
        assert_eq!(of(&thin, true).as_deref(), Some(crowded));
    }

    proptest! {
        #[test]
        fn obstacles_agree_with_complete_search(
            (len, edges) in (3usize..=9).prop_flat_map(|len| {
                (Just(len), proptest::collection::vec((0..len, 0..len), len..=3 * len))
            }),
            (start, end, kind) in (0usize..9, 0usize..9, 0..4u8),
        ) {
            let graph = Graph::from_edges(len, edges.into_iter().filter(|(v, w)| v != w));
            prop_assume!(graph.is_connected());
            let named = |v: usize, given: bool| given.then_some(v % len);
            let want = TourGoal {
                closed: kind == 0,
                open: false,
                start: named(start, kind >= 2),
                end: named(end, kind >= 3),
            };
            prop_assume!(want.start.is_none() || want.start != want.end);
            if matching_obstacle(&Board::from_graph(graph.clone()), want).is_some() {
                prop_assert_eq!(solve(&graph, want, 1, 1_000_000), SearchOutcome::Impossible);
            }
        }
    }
}
