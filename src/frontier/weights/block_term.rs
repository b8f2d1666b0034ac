//! Terms of a block, builders of vectors of blocks, and the summary of a finished block.
//!
//! This interface is the same for all widths of weights.

use super::matching_map::MatchingMap;
use super::matching_tables::MapTables;
use super::vector::Weights;

/// Term of a target block: a source block, its map to the target block, and its factor.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The vector that contains the source block.
    pub source: &'a Weights,
    /// Index of the block's first weight in `source`.
    pub offset: usize,
    /// Number of weights of the source block.
    pub len: usize,
    /// Map from the matchings of the source block to the matchings of the target block.
    pub map: MatchingMap,
    /// Factor of the source block; negative if the block is subtracted.
    pub factor: i32,
}

/// Summary of a block that a builder summed. The default value stands for a block of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSum {
    /// Bit length of the greatest sum or partial sum that was stored. It is the number of bits of
    /// the width if the width was too narrow, and 0 if the block is zero and was omitted.
    pub bits: u32,
    /// Number of nonzero weights of the block.
    pub nonzero: u64,
    /// True if the terms of the mirror image contributed to the block.
    pub is_folded: bool,
}

/// Terms of the mirror image of a signature. Their sum is mirrored before it is added to the block.
#[derive(Clone, Copy, Debug, Default)]
pub struct MirroredTerms<'a> {
    /// Terms of the mirror image.
    pub terms: &'a [Term<'a>],
    /// For each position of an end, the position of its mirror image.
    pub image_positions: &'a [u8],
}

/// A target block as a sum: a block of `len` weights, the sum of `terms` and `mirrored`. Terms with negative
/// factors come before the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockTerms<'a> {
    /// Number of weights of the block.
    pub len: usize,
    /// Terms of the block.
    pub terms: &'a [Term<'a>],
    /// Terms of the mirror image.
    pub mirrored: MirroredTerms<'a>,
}

/// Builder of a vector of blocks. All weights of the vector have the same width.
pub trait BlockBuilder {
    /// Appends the sum of `block`. A block that is zero is not appended.
    fn push_sum(&mut self, tables: &MapTables, block: BlockTerms) -> BlockSum;

    /// Returns the number of weights appended so far.
    fn len(&self) -> usize;

    /// Returns the vector of all appended blocks.
    fn finish(self: Box<Self>) -> Weights;
}
