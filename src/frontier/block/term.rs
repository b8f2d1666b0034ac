//! What leads to a target block, and what comes of it.

use crate::frontier::block::effects::Change;
use crate::frontier::block::tables::Tables;
use crate::frontier::block::weights::Weights;

/// What one source block brings to a target block.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// A vector with the source block.
    pub source: &'a Weights,
    /// Where the block begins.
    pub place: usize,
    /// Its weights.
    pub len: usize,
    /// What happens to its matchings.
    pub change: Change,
    /// How often it counts; below zero, it is taken away.
    pub factor: i32,
}

/// The sum of a list of terms, or nothing of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Bits of the greatest sum that was stored on the way; 0 if the block would be zero, and is left out. If the
    /// width is too narrow, all the bits of the width.
    pub bits: u32,
    /// Weights that are not zero.
    pub states: u64,
    /// Whether the mirror image brought something.
    pub is_folded: bool,
}

/// What is added up mirrored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mirrored<'a> {
    /// The terms of the mirror image.
    pub terms: &'a [Term<'a>],
    /// For each place of an end, the place of its image.
    pub places: &'a [u8],
}

/// A growing vector of blocks of one width.
pub trait Blocks {
    /// Appends the block of `len` weights that the terms sum up to, unless it is zero. Terms that are taken away
    /// come before the others.
    fn push(&mut self, tables: &Tables, len: usize, terms: &[Term], mirrored: Mirrored) -> Sum;

    /// Weights so far.
    fn len(&self) -> usize;

    /// The vector.
    fn finish(self: Box<Self>) -> Weights;
}
