//! Which of the many ways to write a tour stands for it.
//!
//! An undirected path can be read from either end, a closed tour from every
//! square in both directions. The *lowest* reading begins at the lowest possible
//! square: a path at its lower end, a closed tour at vertex 0 towards the lower
//! of its two neighbours. The *canonical form* of a tour under a group is the
//! lexicographically least lowest reading of all its images; two tours belong to
//! the same class exactly when their canonical forms agree. Cost O(n) an image.

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
    let mut image = vec![0; sequence.len()];
    let mut least: Option<Vec<u32>> = None;
    for element in group.elements() {
        for (to, &from) in image.iter_mut().zip(sequence) {
            *to = element.image[from as usize];
        }
        lowest(&mut image, shape);
        if least.as_ref().is_none_or(|best| image < *best) {
            least = Some(image.clone());
        }
    }
    least.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

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
