//! Why there can be no tour of a graph, where that takes more than a look and less than a search.
//!
//! ```text
//! graph, and an apex for paths -> vertices that hold parts together (Tarjan 1972) -> none
//!                              -> moves that leave enough for all (`cover`)       -> none, or not joined
//! ```
//!
//! A path is a closed tour through the *apex*, one more vertex that is joined to all where it may end. On the
//! cylinder of 4 x n, n even, the outer squares have no neighbours but the inner ones, which are as many: so
//! no tour moves from inner to inner, and what is left falls into two. Cost O(edges x sqrt(vertices)).

use crate::board::Arena;

use super::cover::{Crowd, usable};
use super::solve::{Want, possible_ends};
use super::theorem::{Obstacle, vertices};

/// The largest graph that is looked at.
const MOST: usize = 1 << 15;
/// How often moves are left out; once nearly always says all.
const ROUNDS: usize = 4;

/// Why there is no such tour, if one of these reasons is there; the graph is connected.
pub(super) fn refuted(arena: &Arena, want: Want) -> Option<Obstacle> {
    let graph = arena.graph();
    let len = graph.len();
    if !(3..=MOST).contains(&len) {
        return None;
    }
    let name = |v: usize| arena.name(v as u32);
    let mut near: Vec<Vec<u32>> = (0..len).map(|v| graph.neighbours(v).to_vec()).collect();
    // A path goes through a vertex once, and has two ends.
    let most = if want.closed { 1 } else { 2 };
    let joint = |near: &[Vec<u32>]| {
        let (v, parts) = joint(&near[..len], most + 1)?;
        Some(Obstacle::Joint { name: name(v), parts })
    };
    if let Some(obstacle) = joint(&near) {
        return Some(obstacle);
    }
    let is_open = |v: u32| (v as usize) < len;
    if !want.closed {
        let ends = possible_ends(graph, false, want.start.or(want.end))?;
        let named = [want.start, want.end];
        let apex: Vec<u32> =
            (0..len).filter(|&v| ends[v] || named.contains(&Some(v))).map(|v| v as u32).collect();
        apex.iter().for_each(|&v| near[v as usize].push(len as u32));
        near.push(apex);
    }
    for _ in 0..ROUNDS {
        let moves = |near: &[Vec<u32>]| near.iter().map(Vec::len).sum::<usize>();
        near = match usable(&near) {
            Ok(left) if moves(&left) == moves(&near) => return None,
            Ok(left) => left,
            Err(Crowd { apart, near }) => {
                let [apart, near] = [apart, near].map(|set| set.iter().filter(|&&v| v < len).count());
                return Some(Obstacle::Crowded { apart, near, what: vertices(arena) });
            }
        };
        let (mut reached, mut stack) = (vec![false; len], vec![0]);
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut reached[v as usize], true) {
                stack.extend(near[v as usize].iter().copied().filter(|&w| is_open(w)));
            }
        }
        if let Some(v) = reached.iter().position(|&reached| !reached) {
            let what = if arena.is_board() { "square" } else { "vertex" };
            return Some(Obstacle::Disjoint { from: name(0), to: name(v), what });
        }
        if let Some(obstacle) = joint(&near) {
            return Some(obstacle);
        }
    }
    None
}

/// A vertex without which a connected graph falls into so many parts or more, and how many; neighbours beyond its
/// vertices are left out.
fn joint(near: &[Vec<u32>], least: usize) -> Option<(usize, usize)> {
    let len = near.len();
    let (mut depth, mut low, mut parts) = (vec![usize::MAX; len], vec![0; len], vec![0; len]);
    let (mut path, mut begun) = (vec![(0, 0)], 0);
    while let Some((v, at)) = path.pop() {
        if at == 0 {
            (depth[v], low[v]) = (begun, begun);
            // What lies above; the first vertex has nothing there.
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
    use crate::heuristic::{Solved, solve};

    fn told(text: &str, closed: bool) -> Option<String> {
        let arena: Arena = text.parse().unwrap();
        refuted(&arena, Want { closed, ..Want::default() }).map(|obstacle| obstacle.to_string())
    }

    #[test]
    fn cylinders_of_four_rows_have_closed_tours_where_the_way_around_is_odd() {
        let cylinder = |cols: u32| told(&format!("board=4x{cols} wrap=cols piece=1,2 remove=-"), true);
        for cols in [6, 10, 30] {
            let apart = "some moves would leave less than two to another square, and are in no tour; without them \
                         there is no way from a1 to b1";
            assert_eq!(cylinder(cols).as_deref(), Some(apart), "{cols}");
            assert_eq!(cylinder(cols + 1), None);
        }
        // Without any seam, so that there are fewer moves: Schwenk's theorem for four rows.
        assert!(told("board=4x30 piece=1,2 remove=-", true).is_some());
        assert!(told("board=5x30 piece=1,2 remove=-", true).is_none());
    }

    #[test]
    fn joints_are_seen_and_crowds_are_counted() {
        let bowtie =
            Arena::from_graph(Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]));
        let of = |arena: &Arena, closed| {
            refuted(arena, Want { closed, ..Want::default() }).map(|obstacle| obstacle.to_string())
        };
        let joint = "without 3 the rest falls into 2 parts, more than a tour can join through it";
        assert_eq!((of(&bowtie, true).as_deref(), of(&bowtie, false)), (Some(joint), None));
        let star = Arena::from_graph(Graph::from_edges(4, (1..4).map(|v| (0, v))));
        assert!(of(&star, false).unwrap().starts_with("without 1 the rest falls into 3 parts"));
        // Five vertices, each joined to the same three alone.
        let thin = Arena::from_graph(Graph::from_edges(8, (0..3).flat_map(|v| (3..8).map(move |w| (v, w)))));
        let crowded = "5 vertices, no two of them a move apart, have only 3 neighbours";
        assert_eq!(of(&thin, true).as_deref(), Some(crowded));
    }

    proptest! {
        #[test]
        fn what_is_refuted_has_no_tour(
            (len, edges) in (3usize..=9).prop_flat_map(|len| {
                (Just(len), proptest::collection::vec((0..len, 0..len), len..=3 * len))
            }),
            (start, end, kind) in (0usize..9, 0usize..9, 0..4u8),
        ) {
            let graph = Graph::from_edges(len, edges.into_iter().filter(|(v, w)| v != w));
            prop_assume!(graph.is_connected());
            let named = |v: usize, given: bool| given.then_some(v % len);
            let want = Want {
                closed: kind == 0,
                apart: false,
                start: named(start, kind >= 2),
                end: named(end, kind >= 3),
            };
            prop_assume!(want.start.is_none() || want.start != want.end);
            if refuted(&Arena::from_graph(graph.clone()), want).is_some() {
                prop_assert_eq!(solve(&graph, want, 1, 1_000_000), Solved::Impossible);
            }
        }
    }
}
