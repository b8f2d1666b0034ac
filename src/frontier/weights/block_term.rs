//! Terms, the sums of their blocks and the builder of blocks are one interface for all widths.

use super::matching_map::MatchingMap;
use super::matching_tables::MapTables;
use super::vector::Weights;

/// A source block with its map to a target block and its factor.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The vector that contains the source block.
    pub source: &'a Weights,
    /// Index of the block's first weight.
    pub offset: usize,
    /// Number of weights of the block.
    pub len: usize,
    /// The map of its matchings.
    pub map: MatchingMap,
    /// The factor of the block; negative if it is subtracted.
    pub factor: i32,
}

/// Summary of a block that a builder summed; the default value if the block is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSum {
    /// Bit length of the greatest sum that was stored on the way; 0 if the block is zero and was left out. If
    /// the width is too narrow, all bits of the width.
    pub bits: u32,
    /// Number of weights that are not zero.
    pub nonzero: u64,
    /// True if the terms of the mirror image contributed.
    pub is_folded: bool,
}

/// Terms whose sum is added with permuted points.
#[derive(Clone, Copy, Debug, Default)]
pub struct MirroredTerms<'a> {
    /// The terms of the mirror image.
    pub terms: &'a [Term<'a>],
    /// For each position of an end, the position of its image.
    pub image_positions: &'a [u8],
}

/// A vector of blocks of one width under construction.
pub trait BlockBuilder {
    /// Appends the block of `len` weights that is the sum of the terms, unless it is zero. Terms with
    /// negative factors must come before the others.
    fn push_sum(
        &mut self,
        tables: &MapTables,
        len: usize,
        terms: &[Term],
        mirrored: MirroredTerms,
    ) -> BlockSum;

    /// Returns the number of weights so far.
    fn len(&self) -> usize;

    /// Returns the vector.
    fn finish(self: Box<Self>) -> Weights;
}
