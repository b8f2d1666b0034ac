//! All tours of boards of a few squares, found by brute force.
//!
//! Quotients of one or two orbits have no cycles in the usual sense. On boards of up to
//! [`MAX_BRUTE_FORCE_SQUARES`] squares the program therefore enumerates all tours instead.

use crate::board::Graph;
use crate::tour::Kind;

/// Maximum number of squares of a board whose tours are found by brute force.
pub const MAX_BRUTE_FORCE_SQUARES: usize = 8;

/// Returns all tours of a kind. Each occurs once, in its lowest reading, and the tours are in ascending
/// order.
#[must_use]
pub fn all_tours(graph: &Graph, kind: Kind) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    for start in 0..graph.len() as u32 {
        extend_path(graph, &mut vec![start], &mut |path| {
            let returns = path.len() > 2 && graph.is_edge(path[0] as usize, path[path.len() - 1] as usize);
            let is_of_kind = match kind {
                Kind::Closed => returns,
                Kind::Open => !returns,
                Kind::Paths => true,
            };
            let mut tour = path.to_vec();
            kind.shape().normalise(&mut tour);
            if is_of_kind && tour == path {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tours_of_four_cycle() {
        let ring = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(all_tours(&ring, Kind::Closed), [[0, 1, 2, 3]]);
        assert_eq!(all_tours(&ring, Kind::Paths).len(), 4);
    }
}
