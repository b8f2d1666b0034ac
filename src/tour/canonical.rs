//! Which of the many ways to write a tour stands for it.
//!
//! An undirected path can be read from either end, a closed tour from every
//! square in both directions. The *lowest* reading begins at the lowest possible
//! square: a path at its lower end, a closed tour at vertex 0 towards the lower
//! of its two neighbours. The *canonical form* of a tour under a group is the
//! lexicographically least lowest reading of all its images; two tours belong to
//! the same class exactly when their canonical forms agree. Cost O(n) an image; the
//! group may be of any order, two sequences are held.

use crate::board::SymmetryGroup;

/// What kind of object a vertex sequence stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A cycle: no beginning, no direction.
    Closed,
    /// A path without direction.
    Path,
    /// A path from its first square to its last.
    Directed,
}

/// Turns an undirected path so that it begins at its lower end.
pub fn lowest_path(sequence: &mut [u32]) {
    if sequence.first() > sequence.last() {
        sequence.reverse();
    }
}

/// Turns a cycle so that it begins at its lowest vertex and goes on to the lower neighbour.
pub fn lowest_closed(sequence: &mut [u32]) {
    let Some(at) = (0..sequence.len()).min_by_key(|&i| sequence[i]) else { return };
    sequence.rotate_left(at);
    if sequence.len() > 2 && sequence[1] > sequence[sequence.len() - 1] {
        sequence[1..].reverse();
    }
}

/// The lowest reading of a tour. A directed path has one reading only.
pub fn lowest(sequence: &mut [u32], shape: Shape) {
    match shape {
        Shape::Closed => lowest_closed(sequence),
        Shape::Path => lowest_path(sequence),
        Shape::Directed => {}
    }
}

/// The canonical form: the least lowest reading of all images under `group`.
#[must_use]
pub fn canonical(sequence: &[u32], shape: Shape, group: &SymmetryGroup) -> Vec<u32> {
    // Two sequences in turn: the least so far, and the image that is looked at.
    let mut least = Vec::new();
    let mut image = Vec::with_capacity(sequence.len());
    for element in group.elements() {
        image.clear();
        image.extend(sequence.iter().map(|&v| element.image[v as usize]));
        lowest(&mut image, shape);
        if least.is_empty() || image < least {
            std::mem::swap(&mut image, &mut least);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, automorphisms};

    #[test]
    fn every_reading_of_a_cycle_has_one_lowest() {
        let cycle = [0, 5, 1, 6, 3, 2, 4];
        for turn in 0..cycle.len() {
            for reversed in [false, true] {
                let mut reading = cycle.to_vec();
                reading.rotate_left(turn);
                if reversed {
                    reading.reverse();
                }
                lowest_closed(&mut reading);
                assert_eq!(reading, [0, 4, 2, 3, 6, 1, 5]);
            }
        }
    }

    #[test]
    fn groups_of_any_order_and_no_names_will_do() {
        // The complete graph of six vertices: all 360 paths are alike.
        let complete = Graph::from_edges(6, (0..6).flat_map(|w| (0..w).map(move |v| (v, w))));
        let group = automorphisms(&complete).unwrap();
        assert_eq!(group.order(), 720);
        for path in [[3, 1, 5, 0, 2, 4], [5, 4, 3, 2, 1, 0]] {
            for shape in [Shape::Closed, Shape::Path, Shape::Directed] {
                assert_eq!(canonical(&path, shape, &group), [0, 1, 2, 3, 4, 5]);
            }
        }
    }

    #[test]
    fn images_share_their_canonical_form() {
        let group = SymmetryGroup::of(&Board::new(3, 4).unwrap());
        let path: Vec<u32> = vec![0, 9, 7, 1, 8, 6, 4, 10, 3, 5, 11, 2];
        let form = canonical(&path, Shape::Path, &group);
        for element in group.elements() {
            let mut image: Vec<u32> = path.iter().map(|&v| element.image[v as usize]).collect();
            assert_eq!(canonical(&image, Shape::Path, &group), form);
            image.reverse();
            assert_eq!(canonical(&image, Shape::Path, &group), form);
        }
    }
}
