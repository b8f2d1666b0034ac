//! The bitboard width of a search is the narrowest with a bit for every square and planes for its degrees.

use crate::board::{Bitboard, Graph};

use super::degrees::max_degree;

/// Most squares or vertices of a search.
pub const MAX_SQUARES: usize = 128;

/// A bitboard width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitboardWidth {
    /// 64 squares with up to 15 neighbours.
    Narrow,
    /// 128 squares.
    Wide,
}

impl BitboardWidth {
    /// Returns the narrowest width for a graph of at most [`MAX_SQUARES`] vertices. Cost O(vertices).
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        let fits = |v| graph.degree(v) <= max_degree::<u64>();
        if graph.len() <= u64::BITS as usize && (0..graph.len()).all(fits) {
            Self::Narrow
        } else {
            Self::Wide
        }
    }
}

/// Runs generic code with bitboards of the given width.
pub fn with_bitboard<F: ForBitboard>(width: BitboardWidth, job: F) -> F::Output {
    match width {
        BitboardWidth::Narrow => job.run::<u64>(),
        BitboardWidth::Wide => job.run::<u128>(),
    }
}

/// Code that is generic over the bitboard width.
pub trait ForBitboard {
    /// Result type.
    type Output;
    /// Runs the code.
    fn run<B: Bitboard>(self) -> Self::Output;
}
