//! A graph in the form that the kernels use: adjacency masks, bit-sliced degrees and the bitboard
//! width. A plan computes this form once for all units.
//!
//! [`BitSlicedDegrees`] hold the degrees of all vertices in binary, with a bitboard for each binary
//! digit:
//!
//! ```text
//! vertex      3 2 1 0        degrees 2, 8, 3, 1
//! plane 0     0 0 1 1        the ones
//! plane 1     1 0 1 0        the twos
//! plane 2     0 0 0 0        the fours
//! plane 3     0 1 0 0        the eights
//! ```
//!
//! A subtraction with borrow subtracts 1 from the degree of every vertex of a set, in a few word
//! operations. Tests such as *which vertices of this set have degree one?* take a few more
//! operations, without a loop over vertices.
//!
//! The bitboard width of a search is the narrowest width that has a bit for every square and enough
//! planes for the degrees.

use crate::board::{Bitboard, Graph, Move};

/// Number of entries of an array with one entry for each square: the number of bits of the largest bitboard.
pub(super) const SQUARE_SLOTS: usize = 128;
/// Mask for the index of an array with [`SQUARE_SLOTS`] entries, which makes a bounds check unnecessary.
pub(super) const SLOT_MASK: usize = SQUARE_SLOTS - 1;

/// The set of neighbours of every square, by number of the square.
pub(super) type AdjacencyMasks<B> = [B; SQUARE_SLOTS];

/// The adjacency masks and degrees of a graph, in a form that converts to bitboards of every width.
#[derive(Clone, Debug)]
pub(super) struct BitboardGraph {
    masks: Vec<u128>,
    degrees: BitSlicedDegrees<u128>,
    /// For each vertex, the neighbours to which required moves lead; empty without required moves.
    required_masks: Vec<u128>,
}

impl BitboardGraph {
    /// Converts a graph into its bitboard form.
    ///
    /// # Panics
    /// If the graph has more vertices than the largest bitboard has bits.
    pub(super) fn new(graph: &Graph) -> Self {
        Self {
            masks: graph.neighbour_masks(),
            degrees: BitSlicedDegrees::from_graph(graph),
            required_masks: Vec::new(),
        }
    }

    /// Sets the moves that every tour must contain.
    pub(super) fn with_required(self, required: &[Move]) -> Self {
        if required.is_empty() {
            return self;
        }
        let mut required_masks = vec![0; self.len()];
        for &(v, w) in required {
            required_masks[v as usize] |= 1 << w;
            required_masks[w as usize] |= 1 << v;
        }
        Self { required_masks, ..self }
    }

    /// Returns the number of vertices of the graph.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// Returns the adjacency masks as bitboards of type `B`.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    pub(super) fn adjacency_masks<B: Bitboard>(&self) -> AdjacencyMasks<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit {} bits", self.len(), B::BITS);
        narrow_masks(&self.masks)
    }

    /// Returns, for each vertex, the set of the neighbours to which required moves lead; `None` without
    /// required moves.
    pub(super) fn required_masks<B: Bitboard>(&self) -> Option<Box<AdjacencyMasks<B>>> {
        (!self.required_masks.is_empty()).then(|| Box::new(narrow_masks(&self.required_masks)))
    }

    /// Returns the degrees as bitboards of type `B`.
    ///
    /// # Panics
    /// If a vertex has more neighbours than the planes of `B` can hold.
    pub(super) fn degrees<B: Bitboard>(&self) -> BitSlicedDegrees<B> {
        let mut planes = B::zero_planes();
        let wide = self.degrees.0.as_ref();
        let lost = wide[planes.as_ref().len()..].iter().fold(0, |lost, plane| lost | *plane);
        assert!(lost == 0, "vertex {} has more than {} neighbours", lost.trailing_zeros(), max_degree::<B>());
        planes.as_mut().iter_mut().zip(wide).for_each(|(plane, wide)| *plane = B::from_wide(*wide));
        BitSlicedDegrees(planes)
    }
}

fn narrow_masks<B: Bitboard>(wide: &[u128]) -> AdjacencyMasks<B> {
    let mut masks = [B::EMPTY; SQUARE_SLOTS];
    for (set, wide) in masks.iter_mut().zip(wide) {
        *set = B::from_wide(*wide);
    }
    masks
}

/// A number for every vertex, stored in binary: bit `v` of plane `k` is bit `k` of the number of
/// vertex `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitSlicedDegrees<B: Bitboard>(pub(super) B::Planes);

/// Returns the largest degree that bitboards of type `B` can represent: 15 for `u64`, and 127 for
/// `u128`, which is enough for every graph of at most 128 vertices.
#[must_use]
pub(crate) fn max_degree<B: Bitboard>() -> usize {
    (1 << B::zero_planes().as_ref().len()) - 1
}

impl<B: Bitboard> BitSlicedDegrees<B> {
    /// Returns four planes: those of the ones, the twos and the fours, and the union of all higher
    /// planes.
    #[inline(always)]
    pub(super) fn low_planes(&self) -> (B, B, B, B) {
        let [d0, d1, d2, high @ ..] = self.0.as_ref() else { unreachable!("there are more planes") };
        (*d0, *d1, *d2, high.iter().fold(B::EMPTY, |all, plane| all | *plane))
    }

    /// Returns the degrees of a graph, one bitboard for each binary digit.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits, or a vertex has more than [`max_degree`]
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

    /// Subtracts 1 from the number of every vertex of `set`. No vertex of `set` may have the number
    /// 0.
    #[inline(always)]
    pub fn decrease(&mut self, set: B) {
        let mut borrow = set;
        for plane in self.0.as_mut() {
            *plane ^= borrow;
            borrow &= *plane;
        }
    }

    /// Subtracts 1 from the number of every vertex of `a`, then of `b`, then of `c`. A full adder
    /// first adds the three sets to a two-bit number for each vertex, so that one subtraction is
    /// enough.
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

    /// Returns the vertices of `set` that have the least degree in `set`. Goes through the planes
    /// from the highest to the lowest, and keeps the vertices with bit 0 if there are any.
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

    /// Returns the sum of the degrees of the vertices of a set.
    #[must_use]
    pub fn sum_over(&self, set: B) -> u32 {
        self.0.as_ref().iter().enumerate().map(|(k, plane)| (*plane & set).count() << k).sum()
    }
}

/// Greatest number of squares or vertices of a board that can be searched.
pub const MAX_SQUARES: usize = 128;

/// The number of bits of the bitboards of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitboardWidth {
    /// Bitboards for up to 64 squares with up to 15 neighbours each.
    Bits64,
    /// Bitboards for up to 128 squares.
    Bits128,
}

impl BitboardWidth {
    /// Returns the narrowest bitboard width that fits a graph of at most [`MAX_SQUARES`] vertices.
    /// Cost O(vertices).
    #[must_use]
    pub fn for_graph(graph: &Graph) -> Self {
        let fits = |v| graph.degree(v) <= max_degree::<u64>();
        if graph.len() <= u64::BITS as usize && (0..graph.len()).all(fits) {
            Self::Bits64
        } else {
            Self::Bits128
        }
    }
}

/// Evaluates an expression in which `$bitboard` is the type of bitboards of the width.
macro_rules! with_bitboard {
    ($width:expr, $bitboard:ident => $compute:expr) => {
        match $width {
            $crate::search::bitboard_graph::BitboardWidth::Bits64 => {
                type $bitboard = u64;
                $compute
            }
            $crate::search::bitboard_graph::BitboardWidth::Bits128 => {
                type $bitboard = u128;
                $compute
            }
        }
    };
}
pub(crate) use with_bitboard;

#[cfg(test)]
mod tests {
    use super::super::backtrack::Backtrack;
    use super::super::multipath::Multipath;
    use super::super::test_graphs;
    use super::*;

    #[test]
    fn bitboard_graph_holds_graph_in_any_width() {
        let graph = test_graphs::king_graph(3, 4);
        let tables = BitboardGraph::new(&graph);
        let (narrow, wide) = (tables.adjacency_masks::<u64>(), tables.adjacency_masks::<u128>());
        for v in 0..tables.len() {
            let neighbours: Vec<usize> = graph.neighbours(v).iter().map(|&w| w as usize).collect();
            assert!(narrow[v].iter().eq(neighbours.iter().copied()) && wide[v].iter().eq(neighbours));
        }
        assert_eq!(tables.degrees::<u64>(), BitSlicedDegrees::from_graph(&graph));
        assert!(narrow[12..].iter().all(|set| *set == 0));
    }

    /// Returns the star graph: a hub joined to `leaves` vertices.
    fn star_graph(leaves: usize) -> Graph {
        Graph::from_edges(leaves + 1, (1..=leaves).map(|v| (0, v)))
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn new_closed_rejects_too_many_neighbours() {
        let _ = Multipath::<u64>::new_closed(&star_graph(16));
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn new_paths_rejects_too_many_neighbours() {
        let _ = Multipath::<u64>::new_paths(&star_graph(16), 1, 2);
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn backtrack_rejects_too_many_neighbours() {
        let _ = Backtrack::<u64>::new(&star_graph(16), 0, 0);
    }

    #[test]
    #[should_panic(expected = "65 vertices do not fit 64 bits")]
    fn new_closed_rejects_more_vertices_than_bits() {
        let _ = Multipath::<u64>::new_closed(&test_graphs::king_graph(5, 13));
    }

    #[test]
    #[should_panic(expected = "65 vertices do not fit 64 bits")]
    fn backtrack_rejects_more_vertices_than_bits() {
        let _ = Backtrack::<u64>::new(&test_graphs::king_graph(5, 13), 0, 0);
    }

    #[test]
    fn largest_fitting_graphs_are_accepted() {
        let _ = Multipath::<u64>::new_closed(&star_graph(15));
        let _ = Backtrack::<u64>::new(&test_graphs::king_graph(8, 8), 0, 0);
        let _ = Multipath::<u128>::new_closed(&star_graph(127));
    }
}

#[cfg(test)]
mod degrees_tests {
    use super::*;

    fn degree_of<B: Bitboard>(degrees: &BitSlicedDegrees<B>, v: usize) -> u32 {
        degrees.sum_over(B::from_square(v))
    }

    /// Returns the wheel graph: a ring of `rim` vertices, and a hub joined to all of them.
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
