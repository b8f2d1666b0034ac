//! What the kernels need to know of a graph, made once for all units of a plan.

use crate::board::{Bitboard, Graph};

use super::degrees::Degrees;

/// Room for the squares of the largest bitboard.
pub(super) const SLOTS: usize = 128;
/// A square taken modulo the slots needs no check of its bounds.
pub(super) const SLOT: usize = SLOTS - 1;

/// The neighbours of every square.
pub(super) type Near<B> = [B; SLOTS];

/// Neighbours and degrees, for bitboards of any width.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    near: Vec<u128>,
    degrees: Degrees<u128>,
}

impl Tables {
    /// The tables of a graph.
    ///
    /// # Panics
    /// If the graph has more vertices than the largest bitboard has bits.
    pub(super) fn new(graph: &Graph) -> Self {
        Self { near: graph.masks(), degrees: Degrees::of(graph) }
    }

    /// How many vertices.
    pub(super) fn len(&self) -> usize {
        self.near.len()
    }

    /// Neighbours as bitboards; a look at the tables costs no look at the graph.
    pub(super) fn near<B: Bitboard>(&self) -> Near<B> {
        let mut near = [B::EMPTY; SLOTS];
        for (set, wide) in near.iter_mut().zip(&self.near) {
            *set = B::from_wide(*wide);
        }
        near
    }

    /// Degrees as bitboards that they fit.
    pub(super) fn degrees<B: Bitboard>(&self) -> Degrees<B> {
        let mut planes = B::zeros();
        let wide = self.degrees.0.as_ref();
        debug_assert!(wide[planes.as_ref().len()..].iter().all(|plane| plane.is_empty()));
        planes.as_mut().iter_mut().zip(wide).for_each(|(plane, wide)| *plane = B::from_wide(*wide));
        Degrees(planes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples;

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
}
