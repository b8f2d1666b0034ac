//! This module also holds the residues of one count and the error for residues that contradict each other.

use num_bigint::BigUint;

use crate::frontier::ResidueRing;

/// A contradiction between residues of one count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResidueError {
    /// All other residues agree without this one, and they are enough to prove it wrong.
    #[error("the residue modulo {} contradicts the others; count it again", .0.modulus())]
    WrongResidue(ResidueRing),
    /// The residues are too few to identify the wrong one.
    #[error(
        "the residues contradict each other, and they are too few to find the wrong one; count modulo \
         another number"
    )]
    Ambiguous,
}

/// Residues of the sums of one count.
#[derive(Clone, Copy, Debug)]
pub struct ResidueSums<'a> {
    /// Ring of the residues, with their modulus.
    pub ring: ResidueRing,
    /// Residue of the closed tours.
    pub closed: &'a BigUint,
    /// Residue of the paths.
    pub paths: &'a BigUint,
}
