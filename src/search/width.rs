//! Which bitboard a search runs on: the narrowest that has a bit for every square and room for its degrees.

use crate::board::{Bitboard, Graph};

use super::degrees::max_degree;

/// Most squares that a search takes.
pub const MAX_SQUARES: usize = 128;

/// A width of bitboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitboardWidth {
    /// 64 squares of up to 15 neighbours.
    Narrow,
    /// 128 squares.
    Wide,
}

impl BitboardWidth {
    /// The narrowest that fits a graph of at most [`MAX_SQUARES`] vertices. Cost O(vertices).
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

/// Runs generic code with bitboards of a width.
pub fn with_bitboard<F: ForBitboard>(width: BitboardWidth, job: F) -> F::Output {
    match width {
        BitboardWidth::Narrow => job.run::<u64>(),
        BitboardWidth::Wide => job.run::<u128>(),
    }
}

/// Code that is generic over the bitboard's width.
pub trait ForBitboard {
    /// What it returns.
    type Output;
    /// Runs it.
    fn run<B: Bitboard>(self) -> Self::Output;
}
