//! Which bitboard a search runs on: the narrowest that has a bit for every square.

use crate::board::Bitboard;

/// Most squares that a search takes.
pub const MAX_SQUARES: usize = 128;

/// Runs generic code with the narrowest bitboard that fits `len` squares.
///
/// # Panics
/// In [`ForBitboard::run`]'s own cases only; `len` is at most [`MAX_SQUARES`] in a [`Problem`](super::problem::Problem).
pub fn with_bitboard<F: ForBitboard>(len: usize, job: F) -> F::Output {
    if len <= u64::BITS as usize { job.run::<u64>() } else { job.run::<u128>() }
}

/// Code that is generic over the bitboard's width.
pub trait ForBitboard {
    /// What it returns.
    type Output;
    /// Runs it.
    fn run<B: Bitboard>(self) -> Self::Output;
}
