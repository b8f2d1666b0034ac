//! The set of visited vertices, with the time of each visit.

use std::collections::HashMap;

/// Number of each vertex's visit, from 1. A short sequence on a huge board takes memory in proportion to the
/// sequence.
pub(super) enum VisitedSet {
    Dense(Vec<u32>),
    Sparse(HashMap<u32, usize>),
}

impl VisitedSet {
    /// Returns an empty set for about `expected` visits of `vertices` vertices.
    pub(super) fn new(vertices: usize, expected: usize) -> Self {
        if vertices > expected.saturating_mul(8).max(1 << 16) {
            return Self::Sparse(HashMap::new());
        }
        Self::Dense(vec![0; vertices])
    }

    /// Records visit `number` of a vertex. Returns the number of its previous visit, if any.
    pub(super) fn insert(&mut self, vertex: u32, number: usize) -> Option<usize> {
        match self {
            Self::Dense(numbers) => {
                // A sequence without repeats has fewer than 2^32 visits.
                let before = std::mem::replace(&mut numbers[vertex as usize], number as u32);
                (before != 0).then_some(before as usize)
            }
            Self::Sparse(numbers) => numbers.insert(vertex, number),
        }
    }

    /// Returns the lowest of the vertices `0..vertices` that has not been visited.
    pub(super) fn first_unvisited(&self, vertices: usize) -> Option<u32> {
        match self {
            Self::Dense(numbers) => numbers.iter().position(|&number| number == 0).map(|v| v as u32),
            // Fewer vertices are visited than exist, so the search ends soon.
            Self::Sparse(numbers) => (0..vertices as u32).find(|v| !numbers.contains_key(v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_sets_agree() {
        for (vertices, expected) in [(5, 5), (1 << 20, 3)] {
            let mut visits = VisitedSet::new(vertices, expected);
            assert_eq!(matches!(visits, VisitedSet::Sparse(_)), vertices > 5);
            assert_eq!(
                (visits.insert(0, 1), visits.insert(2, 2), visits.insert(0, 3)),
                (None, None, Some(1))
            );
            assert_eq!(visits.first_unvisited(vertices), Some(1));
        }
        let mut one = VisitedSet::new(1, 1);
        one.insert(0, 1);
        assert_eq!(one.first_unvisited(1), None);
    }
}
