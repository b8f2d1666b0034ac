//! Canonical forms of tours under a symmetry group.
//!
//! An undirected path can be read from either end, a closed tour from every square in both directions. The
//! *lowest reading* begins at the lowest possible square: a path at its lower end, a closed tour at vertex 0
//! towards the lower of its two neighbours. The *canonical form* of a tour under a group is the
//! lexicographically least among the lowest readings of all its images; two tours belong to the same class
//! exactly if their canonical forms agree. Cost O(n) for each image. The group may have any order; memory for
//! two sequences.

use crate::board::SymmetryGroup;

/// Equivalence of vertex sequences: which sequences are readings of one tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourShape {
    /// A cycle: neither start nor direction matters.
    Closed,
    /// A path: direction does not matter.
    Path,
    /// A path from its first square to its last.
    Directed,
}

/// Reverses an undirected path if its last vertex is lower than its first.
pub fn normalise_path(sequence: &mut [u32]) {
    if sequence.first() > sequence.last() {
        sequence.reverse();
    }
}

/// Rotates and reverses a cycle so that it begins at its lowest vertex and continues with the lower
/// neighbour.
pub fn normalise_closed(sequence: &mut [u32]) {
    let Some(at) = (0..sequence.len()).min_by_key(|&i| sequence[i]) else { return };
    sequence.rotate_left(at);
    if sequence.len() > 2 && sequence[1] > sequence[sequence.len() - 1] {
        sequence[1..].reverse();
    }
}

/// Replaces a tour by its lowest reading. A directed path has only one reading.
pub fn normalise(sequence: &mut [u32], shape: TourShape) {
    match shape {
        TourShape::Closed => normalise_closed(sequence),
        TourShape::Path => normalise_path(sequence),
        TourShape::Directed => {}
    }
}

/// Returns the canonical form: the least among the lowest readings of all images under `group`.
#[must_use]
pub fn canonical_form(sequence: &[u32], shape: TourShape, group: &SymmetryGroup) -> Vec<u32> {
    // Two buffers: the least reading so far, and the current image.
    let mut least = Vec::new();
    let mut image = Vec::with_capacity(sequence.len());
    for element in group.elements() {
        image.clear();
        image.extend(sequence.iter().map(|&v| element.image[v as usize]));
        normalise(&mut image, shape);
        if least.is_empty() || image < least {
            std::mem::swap(&mut image, &mut least);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, Rectangle, find_automorphism_group};

    #[test]
    fn normalise_closed_agrees_on_all_readings_of_a_cycle() {
        let cycle = [0, 5, 1, 6, 3, 2, 4];
        for turn in 0..cycle.len() {
            for reversed in [false, true] {
                let mut reading = cycle.to_vec();
                reading.rotate_left(turn);
                if reversed {
                    reading.reverse();
                }
                normalise_closed(&mut reading);
                assert_eq!(reading, [0, 4, 2, 3, 6, 1, 5]);
            }
        }
    }

    #[test]
    fn canonical_form_accepts_unnamed_group_of_any_order() {
        // The complete graph of six vertices: all 360 paths are equivalent.
        let complete = Graph::from_edges(6, (0..6).flat_map(|w| (0..w).map(move |v| (v, w))));
        let group = find_automorphism_group(&complete).unwrap();
        assert_eq!(group.order(), 720);
        for path in [[3, 1, 5, 0, 2, 4], [5, 4, 3, 2, 1, 0]] {
            for shape in [TourShape::Closed, TourShape::Path, TourShape::Directed] {
                assert_eq!(canonical_form(&path, shape, &group), [0, 1, 2, 3, 4, 5]);
            }
        }
    }

    #[test]
    fn canonical_form_agrees_on_all_images() {
        let group = SymmetryGroup::from_rectangle(&Rectangle::new(3, 4).unwrap());
        let path: Vec<u32> = vec![0, 9, 7, 1, 8, 6, 4, 10, 3, 5, 11, 2];
        let form = canonical_form(&path, TourShape::Path, &group);
        for element in group.elements() {
            let mut image: Vec<u32> = path.iter().map(|&v| element.image[v as usize]).collect();
            assert_eq!(canonical_form(&image, TourShape::Path, &group), form);
            image.reverse();
            assert_eq!(canonical_form(&image, TourShape::Path, &group), form);
        }
    }
}
