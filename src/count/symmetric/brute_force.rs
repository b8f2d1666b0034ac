//! All tours of boards of a few squares, found by brute force, and the effect of a symmetry on a
//! tour.
//!
//! Quotients of one or two orbits have no cycles in the usual sense. On boards of up to
//! [`MAX_BRUTE_FORCE_SQUARES`] squares the program therefore enumerates all tours instead.

use crate::board::Graph;
use crate::tour::{normalise_closed, normalise_path};

use super::quotient::Action;

/// Maximum number of squares of a board whose tours are found by brute force.
pub const MAX_BRUTE_FORCE_SQUARES: usize = 8;

/// Returns all closed tours of a graph if `closed` is true, otherwise all paths. Each occurs once,
/// in its lowest reading, and the tours are in ascending order.
#[must_use]
pub fn all_tours(graph: &Graph, closed: bool) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    for start in 0..graph.len() as u32 {
        extend_path(graph, &mut vec![start], &mut |path| {
            let returns = path.len() > 2 && graph.is_edge(path[0] as usize, path[path.len() - 1] as usize);
            let mut tour = path.to_vec();
            if closed {
                normalise_closed(&mut tour);
            } else {
                normalise_path(&mut tour);
            }
            if tour == path && (returns || !closed) {
                found.push(tour);
            }
        });
    }
    found
}

fn extend_path(graph: &Graph, path: &mut Vec<u32>, each: &mut impl FnMut(&[u32])) {
    if path.len() == graph.len() {
        return each(path);
    }
    for &w in graph.neighbours(path[path.len() - 1] as usize) {
        if !path.contains(&w) {
            path.push(w);
            extend_path(graph, path, each);
            path.pop();
        }
    }
}

/// Returns whether a symmetry preserves or reverses the direction of a tour, or `None` if it does
/// not map the tour to itself. `image[v]` is the image of the vertex `v`.
#[must_use]
pub fn tour_action(tour: &[u32], closed: bool, image: &[u32]) -> Option<Action> {
    let len = tour.len();
    let mapped = |i: usize| image[tour[i % len] as usize];
    let reversed = || (0..len).all(|i| mapped(i) == tour[len - 1 - i]);
    if !closed {
        return (len > 1 && reversed()).then_some(Action::Reverses);
    }
    let offset = tour.iter().position(|&v| v == mapped(0))?;
    let is_mapped = |back: bool| {
        (0..len).all(|i| mapped(i) == tour[if back { offset + len - i } else { offset + i } % len])
    };
    if is_mapped(false) { Some(Action::Preserves) } else { is_mapped(true).then_some(Action::Reverses) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tours_of_four_cycle() {
        let ring = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(all_tours(&ring, true), [[0, 1, 2, 3]]);
        assert_eq!(all_tours(&ring, false).len(), 4);
    }

    #[test]
    fn tour_action_distinguishes_rotation_and_reflection() {
        let tour = [0, 1, 2, 3];
        assert_eq!(tour_action(&tour, true, &[1, 2, 3, 0]), Some(Action::Preserves));
        assert_eq!(tour_action(&tour, true, &[3, 2, 1, 0]), Some(Action::Reverses));
        assert_eq!(tour_action(&tour, true, &[0, 3, 2, 1]), Some(Action::Reverses));
        assert_eq!(tour_action(&tour, true, &[1, 0, 2, 3]), None);
        assert_eq!(tour_action(&tour, false, &[3, 2, 1, 0]), Some(Action::Reverses));
        assert_eq!(tour_action(&tour, false, &[1, 2, 3, 0]), None);
    }
}
