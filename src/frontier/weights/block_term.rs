//! The interface of block builders for all widths: the terms of a block, the builder, and the summary of a
//! finished block.

use super::matching_map::MatchingMap;
use super::matching_tables::MapTables;
use super::vector::Weights;

/// A source block, its map to the target block, and its factor.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The vector that contains the source block.
    pub source: &'a Weights,
    /// Index of the block's first weight in `source`.
    pub offset: usize,
    /// Number of weights of the block.
    pub len: usize,
    /// Map from the matchings of the source block to the matchings of the target block.
    pub map: MatchingMap,
    /// Factor of the block; negative if the block is subtracted.
    pub factor: i32,
}

/// Summary of a block that a builder has summed; the default value if the block is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSum {
    /// Bit length of the greatest sum or partial sum that was stored. All bits of the width if the width was
    /// too narrow; 0 if the block is zero and was omitted.
    pub bits: u32,
    /// Number of nonzero weights.
    pub nonzero: u64,
    /// True if the terms of the mirror image contributed.
    pub is_folded: bool,
}

/// The terms of a signature's mirror image. Their sum is mirrored before it is added to the block.
#[derive(Clone, Copy, Debug, Default)]
pub struct MirroredTerms<'a> {
    /// The terms of the mirror image.
    pub terms: &'a [Term<'a>],
    /// By position of an end, the position of its mirror image.
    pub image_positions: &'a [u8],
}

/// A builder of a vector of blocks of one width.
pub trait BlockBuilder {
    /// Appends a block of `len` weights: the sum of the terms and of the mirrored terms. A block that is zero
    /// is not appended. Terms with negative factors must come before the others.
    fn push_sum(
        &mut self,
        tables: &MapTables,
        len: usize,
        terms: &[Term],
        mirrored: MirroredTerms,
    ) -> BlockSum;

    /// Returns the number of weights appended so far.
    fn len(&self) -> usize;

    /// Returns the vector.
    fn finish(self: Box<Self>) -> Weights;
}
