//! The bitboard width of a search is the narrowest with a bit for every square and planes for its degrees.

use crate::board::{Bitboard, Graph};

use super::degrees::max_degree;

/// Most squares or vertices of a search.
pub const MAX_SQUARES: usize = 128;

/// A bitboard width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitboardWidth {
    /// 64 squares with up to 15 neighbours.
    Bits64,
    /// 128 squares.
    Bits128,
}

impl BitboardWidth {
    /// Returns the narrowest width for a graph of at most [`MAX_SQUARES`] vertices. Cost O(vertices).
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

/// Runs generic code with bitboards of the given width.
pub fn run_with_bitboard<F: BitboardJob>(width: BitboardWidth, job: F) -> F::Output {
    match width {
        BitboardWidth::Bits64 => job.run::<u64>(),
        BitboardWidth::Bits128 => job.run::<u128>(),
    }
}

/// Code that is generic over the bitboard width.
pub trait BitboardJob {
    /// Result type.
    type Output;
    /// Runs the code.
    fn run<B: Bitboard>(self) -> Self::Output;
}
