//! Residues that are to be joined, and those that are not of one number.

use num_bigint::BigUint;

use crate::frontier::Lane;

/// Residues that are not of one number: those modulo one of the numbers, or nobody knows which.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Without it the others fit, and whichever is left out they are enough.
    #[error("the residue modulo {} does not fit to the others: count it again", .0.modulus())]
    Wrong(Lane),
    /// Too few others.
    #[error("the residues do not fit together, and it takes one more to tell which is wrong")]
    Unknown,
}

/// Residues of the sums of one count: of closed tours, and of paths.
#[derive(Clone, Copy, Debug)]
pub struct ResidueSums<'a> {
    /// What they are modulo.
    pub lane: Lane,
    /// Of closed tours.
    pub closed: &'a BigUint,
    /// Of paths.
    pub paths: &'a BigUint,
}
