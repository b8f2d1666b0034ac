//! A graph in the form that the kernels use: adjacency masks, bit-sliced degrees and the bitboard width. A
//! plan computes it once for all units.

use crate::board::{Bitboard, Graph};

use super::degrees::{Degrees, max_degree};

/// Entries of a table of squares: the bits of the largest bitboard.
pub(super) const SLOTS: usize = 128;
/// Mask for an index of such a table, which makes a bounds check unnecessary.
pub(super) const SLOT: usize = SLOTS - 1;

/// The neighbours of every square.
pub(super) type Near<B> = [B; SLOTS];

/// Adjacency masks and degrees of a graph, for bitboards of any width.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    near: Vec<u128>,
    degrees: Degrees<u128>,
}

impl Tables {
    /// Converts a graph.
    ///
    /// # Panics
    /// If the graph has more vertices than the largest bitboard has bits.
    pub(super) fn new(graph: &Graph) -> Self {
        Self { near: graph.masks(), degrees: Degrees::of(graph) }
    }

    /// Returns the number of vertices.
    pub(super) fn len(&self) -> usize {
        self.near.len()
    }

    /// Returns the adjacency masks as bitboards of type `B`.
    ///
    /// # Panics
    /// If the graph has more vertices than `B` has bits.
    pub(super) fn near<B: Bitboard>(&self) -> Near<B> {
        assert!(self.len() <= B::BITS, "{} vertices do not fit {} bits", self.len(), B::BITS);
        let mut near = [B::EMPTY; SLOTS];
        for (set, wide) in near.iter_mut().zip(&self.near) {
            *set = B::from_wide(*wide);
        }
        near
    }

    /// Returns the degrees as bitboards of type `B`.
    ///
    /// # Panics
    /// If a vertex has more neighbours than the planes of `B` can hold.
    pub(super) fn degrees<B: Bitboard>(&self) -> Degrees<B> {
        let mut planes = B::zeros();
        let wide = self.degrees.0.as_ref();
        let lost = wide[planes.as_ref().len()..].iter().fold(0, |lost, plane| lost | *plane);
        assert!(lost == 0, "vertex {} has more than {} neighbours", lost.trailing_zeros(), max_degree::<B>());
        planes.as_mut().iter_mut().zip(wide).for_each(|(plane, wide)| *plane = B::from_wide(*wide));
        Degrees(planes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{backtrack::Backtrack, multipath::Multipath, samples};

    #[test]
    fn tables_are_the_graph_in_any_width() {
        let graph = samples::king(3, 4);
        let tables = Tables::new(&graph);
        let (narrow, wide) = (tables.near::<u64>(), tables.near::<u128>());
        for v in 0..tables.len() {
            let near: Vec<usize> = graph.neighbours(v).iter().map(|&w| w as usize).collect();
            assert!(narrow[v].iter().eq(near.iter().copied()) && wide[v].iter().eq(near));
        }
        assert_eq!(tables.degrees::<u64>(), Degrees::of(&graph));
        assert!(narrow[12..].iter().all(|set| *set == 0));
    }

    /// Returns a star: a hub joined to all leaves.
    fn star(leaves: usize) -> Graph {
        Graph::from_edges(leaves + 1, (1..=leaves).map(|v| (0, v)))
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn a_search_for_closed_tours_refuses_too_many_neighbours() {
        let _ = Multipath::<u64>::closed(&star(16));
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn a_search_for_paths_refuses_too_many_neighbours() {
        let _ = Multipath::<u64>::paths(&star(16), 1, 2);
    }

    #[test]
    #[should_panic(expected = "vertex 0 has more than 15 neighbours")]
    fn a_walk_refuses_too_many_neighbours() {
        let _ = Backtrack::<u64>::new(&star(16), 0, 0);
    }

    #[test]
    #[should_panic(expected = "65 vertices do not fit 64 bits")]
    fn a_search_refuses_more_vertices_than_bits() {
        let _ = Multipath::<u64>::closed(&samples::king(5, 13));
    }

    #[test]
    #[should_panic(expected = "65 vertices do not fit 64 bits")]
    fn a_walk_refuses_more_vertices_than_bits() {
        let _ = Backtrack::<u64>::new(&samples::king(5, 13), 0, 0);
    }

    #[test]
    fn what_just_fits_is_taken() {
        let _ = Multipath::<u64>::closed(&star(15));
        let _ = Backtrack::<u64>::new(&samples::king(8, 8), 0, 0);
        let _ = Multipath::<u128>::closed(&star(127));
    }
}
