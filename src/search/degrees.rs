//! [`BitSlicedDegrees`] hold the degrees of all vertices in binary, with a bitboard for each binary digit:
//!
//! ```text
//! vertex      3 2 1 0        degrees 2, 8, 3, 1
//! plane 0     0 0 1 1        the ones
//! plane 1     1 0 1 0        the twos
//! plane 2     0 0 0 0        the fours
//! plane 3     0 1 0 0        the eights
//! ```
//!
//! Subtracting one from every vertex of a set is a subtraction with borrow of a few word operations. Tests
//! such as *which of these have exactly one left?* take a few more, with no loop over vertices.

use crate::board::{Bitboard, Graph};

/// A number for every vertex; bit `v` of plane `k` is bit `k` of the number of `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitSlicedDegrees<B: Bitboard>(pub(super) B::Planes);

/// Returns the largest degree that fits a bitboard: 15 for `u64`, any for `u128`.
#[must_use]
pub fn max_degree<B: Bitboard>() -> usize {
    (1 << B::zero_planes().as_ref().len()) - 1
}

impl<B: Bitboard> BitSlicedDegrees<B> {
    /// Returns the planes of the ones, twos and fours, and the union of all higher planes.
    #[inline(always)]
    pub(super) fn low_planes(&self) -> (B, B, B, B) {
        let [d0, d1, d2, high @ ..] = self.0.as_ref() else { unreachable!("there are more planes") };
        (*d0, *d1, *d2, high.iter().fold(B::EMPTY, |all, plane| all | *plane))
    }

    /// Returns the degrees of a graph.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits, or a vertex with more than [`max_degree`]
    /// neighbours.
    #[must_use]
    pub fn from_graph(graph: &Graph) -> Self {
        let (mut planes, most) = (B::zero_planes(), max_degree::<B>());
        for v in 0..graph.len() {
            let degree = graph.degree(v);
            assert!(degree <= most, "vertex {v} has {degree} neighbours, more than {most}");
            for (k, plane) in planes.as_mut().iter_mut().enumerate() {
                *plane |= B::select(degree >> k & 1 == 1, B::from_square(v));
            }
        }
        Self(planes)
    }

    /// Subtracts one from every vertex of a set; none of them may have 0.
    #[inline(always)]
    pub fn decrease(&mut self, set: B) {
        let mut borrow = set;
        for plane in self.0.as_mut() {
            *plane ^= borrow;
            borrow &= *plane;
        }
    }

    /// Subtracts one for each of three sets: a full adder, then one subtraction of a two-bit number.
    #[inline(always)]
    pub(super) fn decrease3(&mut self, a: B, b: B, c: B) {
        let ab = a ^ b;
        let (ones, twos) = (ab ^ c, (a & b) | (ab & c));
        let [d0, d1, high @ ..] = self.0.as_mut() else { unreachable!("there are more planes") };
        let borrow = ones & !*d0;
        *d0 ^= ones;
        let change = twos ^ borrow;
        let mut borrow = (twos & borrow) | (change & !*d1);
        *d1 ^= change;
        for plane in high {
            *plane ^= borrow;
            borrow &= *plane;
        }
    }

    /// Returns the vertices of a set with the least degree: bit by bit from the top, those with bit 0 if
    /// there are any.
    #[inline(always)]
    #[must_use]
    pub fn with_min_degree(&self, set: B) -> B {
        let mut least = set;
        for plane in self.0.as_ref().iter().rev() {
            let low = least & !*plane;
            if !low.is_empty() {
                least = low;
            }
        }
        least
    }

    /// Returns the sum of the degrees over a set.
    #[must_use]
    pub fn sum_over(&self, set: B) -> u32 {
        self.0.as_ref().iter().enumerate().map(|(k, plane)| (*plane & set).count() << k).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degree_of<B: Bitboard>(degrees: &BitSlicedDegrees<B>, v: usize) -> u32 {
        degrees.sum_over(B::from_square(v))
    }

    /// Returns a wheel: a hub joined to all vertices of a ring.
    fn wheel_graph(rim: usize) -> Graph {
        let ring = (0..rim).map(|v| (v, (v + 1) % rim));
        Graph::from_edges(rim + 1, ring.chain((0..rim).map(|v| (v, rim))))
    }

    #[test]
    fn from_graph_holds_degrees() {
        let degrees = BitSlicedDegrees::<u64>::from_graph(&wheel_graph(15));
        assert!((0..15).all(|v| degree_of(&degrees, v) == 3));
        assert_eq!(degree_of(&degrees, 15), 15);
        assert_eq!(degrees.sum_over(u64::MAX), 60);
        assert_eq!(degrees.with_min_degree(0xffff), 0x7fff);
        assert_eq!(degrees.with_min_degree(1 << 15), 1 << 15);
    }

    #[test]
    #[should_panic(expected = "vertex 16 has 16 neighbours")]
    fn from_graph_rejects_too_many_neighbours() {
        let _ = BitSlicedDegrees::<u64>::from_graph(&wheel_graph(16));
    }

    #[test]
    fn from_graph_accepts_any_degree_for_u128() {
        let degrees = BitSlicedDegrees::<u128>::from_graph(&wheel_graph(127));
        assert_eq!((degree_of(&degrees, 127), degree_of(&degrees, 0), max_degree::<u128>()), (127, 3, 127));
        assert_eq!(degrees.with_min_degree(u128::MAX).count_ones(), 127);
    }

    #[test]
    fn decrease3_agrees_with_three_decreases() {
        // Vertex v has degree v; each set, and each pair and triple of sets, contains some vertices of 3 and
        // more.
        let planes = [0xaaaa, 0xcccc, 0xf0f0, 0xff00u128, 0, 0, 0];
        let from_three = 0xfff8;
        for seed in 0..200u128 {
            let [a, b, c] = [1, 3, 7].map(|factor| (seed * factor * 0x9e37 + (seed << factor)) & from_three);
            let mut one_by_one = BitSlicedDegrees::<u128>(planes);
            [a, b, c].into_iter().for_each(|set| one_by_one.decrease(set));
            let mut at_once = BitSlicedDegrees::<u128>(planes);
            at_once.decrease3(a, b, c);
            assert_eq!(at_once, one_by_one);
            for v in 0..16 {
                let hits = [a, b, c].iter().filter(|set| set.contains(v)).count();
                assert_eq!(degree_of(&at_once, v) as usize, v - hits, "vertex {v}");
            }
        }
    }
}
