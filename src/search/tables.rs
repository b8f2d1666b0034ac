//! A graph in the form that the kernels use: adjacency masks, bit-sliced degrees and the bitboard width. A
//! plan computes it once for all units.

use crate::board::{Bitboard, Graph};

use super::degrees::{BitSlicedDegrees, max_degree};

/// Entries of a table of squares: the bits of the largest bitboard.
pub(super) const SQUARE_SLOTS: usize = 128;
/// Mask for an index of such a table, which makes a bounds check unnecessary.
pub(super) const SLOT_MASK: usize = SQUARE_SLOTS - 1;

/// The neighbours of every square.
pub(super) type AdjacencyMasks<B> = [B; SQUARE_SLOTS];

/// Adjacency masks and degrees of a graph, for bitboards of any width.
#[derive(Clone, Debug)]
pub(super) struct BitboardGraph {
    masks: Vec<u128>,
    degrees: BitSlicedDegrees<u128>,
}

impl BitboardGraph {
    /// Converts a graph.
    ///
    /// # Panics
    /// If the graph has more vertices than the largest bitboard has bits.
    pub(super) fn new(graph: &Graph) -> Self {
        Self { masks: graph.neighbour_masks(), degrees: BitSlicedDegrees::from_graph(graph) }
    }

    /// Returns the number of vertices.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// Returns the adjacency masks as bitboards of type `B`.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    pub(super) fn adjacency_masks<B: Bitboard>(&self) -> AdjacencyMasks<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit {} bits", self.len(), B::BITS);
        let mut near = [B::EMPTY; SQUARE_SLOTS];
        for (set, wide) in near.iter_mut().zip(&self.masks) {
            *set = B::from_wide(*wide);
        }
        near
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{backtrack::Backtrack, multipath::Multipath, samples};

    #[test]
    fn bitboard_graph_holds_graph_in_any_width() {
        let graph = samples::king_graph(3, 4);
        let tables = BitboardGraph::new(&graph);
        let (narrow, wide) = (tables.adjacency_masks::<u64>(), tables.adjacency_masks::<u128>());
        for v in 0..tables.len() {
            let near: Vec<usize> = graph.neighbours(v).iter().map(|&w| w as usize).collect();
            assert!(narrow[v].iter().eq(near.iter().copied()) && wide[v].iter().eq(near));
        }
        assert_eq!(tables.degrees::<u64>(), BitSlicedDegrees::from_graph(&graph));
        assert!(narrow[12..].iter().all(|set| *set == 0));
    }

    /// Returns a star: a hub joined to all leaves.
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
        let _ = Multipath::<u64>::new_closed(&samples::king_graph(5, 13));
    }

    #[test]
    #[should_panic(expected = "65 vertices do not fit 64 bits")]
    fn backtrack_rejects_more_vertices_than_bits() {
        let _ = Backtrack::<u64>::new(&samples::king_graph(5, 13), 0, 0);
    }

    #[test]
    fn largest_fitting_graphs_are_accepted() {
        let _ = Multipath::<u64>::new_closed(&star_graph(15));
        let _ = Backtrack::<u64>::new(&samples::king_graph(8, 8), 0, 0);
        let _ = Multipath::<u128>::new_closed(&star_graph(127));
    }
}
