//! A chunk of a layer: the blocks of weights, one after the other, and the entries that locate
//! them.
//!
//! States with the same signature are one block: a vector of weights indexed by the rank of the
//! matching (see [`matching_rank`](crate::frontier::signature::matching_rank)); no keys are stored.
//! Blocks are in the order of their signatures:
//!
//! ```text
//! weights   block block block block ...        SIZE[ends] weights each
//! ```
//!
//! So a state takes only the 4 bytes of its weight, or more if the weight is great. Matchings
//! without configurations also have a weight, which is zero. In the first third of a sweep, one
//! weight in ten or fewer is not zero; half-way through, one in two or three; towards the end,
//! nearly all. Chunks of mostly zeros are stored as a
//! [`SparseVec`](crate::frontier::weights::sparse_vec::SparseVec).
//!
//! A word is a set of 81 signatures, one bit each. A [`WordEntry`] lists the signatures of a word
//! that have a block, and locates their blocks. The set of signatures and the offset of the first
//! block share 128 bits; the offset of any other block follows by counting bits:
//!
//! ```text
//! entry     | offset (47 bits) | signatures present (81 bits) |
//! ```

use crate::frontier::signature::matching_rank::{MATCHING_COUNTS, matching_count};
use crate::frontier::signature::space::{BITS_WITH_ENDS, WORD_BITS, WORD_MASK, WordNumbering};
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::Width;

/// A chunk of a layer: its blocks of weights.
#[derive(Debug, Default)]
pub struct Chunk {
    /// Entry of each word; an empty entry if no signature of the word has a block. No entries if
    /// the chunk is empty.
    pub entries: Vec<WordEntry>,
    /// Weights of all blocks, in the order of the signatures.
    pub weights: Weights,
    /// Upper bound of the bit length of the greatest weight.
    pub bits: u32,
}

impl Chunk {
    /// Returns the only chunk of the layer before the first step, which has one state and the
    /// weights `weights`.
    #[must_use]
    pub fn initial(words: &WordNumbering, weights: Weights) -> Self {
        let mut entries = vec![WordEntry::default(); words.chunk_len()];
        entries[0] = WordEntry::new(1, 0);
        // Residues may use all bits of their width.
        let bits = if weights.width() == Width::W32 { 1 } else { weights.width().bits() };
        Self { entries, weights, bits }
    }

    /// Returns the number of bytes that the chunk allocates.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<WordEntry>()) as u64 + self.weights.bytes()
    }

    /// Returns the index of the first weight of the block of signature `bit` of a word; `None` if
    /// the signature has no block. `outer` is the number of ends in the outer slots of the word.
    #[must_use]
    pub fn find_block(&self, word: usize, bit: u32, outer: usize) -> Option<usize> {
        let entry = self.entries.get(word)?;
        (entry.present_signatures() >> bit & 1 == 1).then(|| entry.block_offset(bit, outer))
    }
}

/// The set of signatures of a word that have a block (one bit each), and the offset of the first of
/// these blocks in the chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordEntry(u128);

impl WordEntry {
    /// Packs a set of signatures and an offset, which must be below 2^47.
    #[inline(always)]
    #[must_use]
    pub fn new(present: u128, position: usize) -> Self {
        debug_assert!(position < 1 << 47);
        Self(present | (position as u128) << WORD_BITS)
    }

    /// Returns the entry as packed bits.
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// Returns the entry with the packed bits `bits`, as from [`WordEntry::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Moves the blocks by `weights` weights, if there are any.
    pub fn move_blocks(&mut self, weights: usize) {
        if self.present_signatures() != 0 {
            *self = Self::new(self.present_signatures(), (self.0 >> WORD_BITS) as usize + weights);
        }
    }

    /// Returns the set of signatures that have a block, one bit each.
    #[inline(always)]
    #[must_use]
    pub fn present_signatures(self) -> u128 {
        self.0 & WORD_MASK
    }

    /// Returns the offset in the chunk behind the blocks of all signatures, for a word with `outer` ends in the outer
    /// slots.
    #[must_use]
    pub fn end_of_blocks(self, outer: usize) -> u64 {
        (self.0 >> WORD_BITS) as u64 + count_weights(self.present_signatures(), outer)
    }

    /// Returns the offset in the chunk of the block of signature `bit`, for a word with `outer`
    /// ends in the outer slots.
    #[inline(always)]
    #[must_use]
    pub fn block_offset(self, bit: u32, outer: usize) -> usize {
        let below = self.0 & ((1 << bit) - 1);
        (self.0 >> WORD_BITS) as usize + count_weights(below, outer) as usize
    }
}

/// Returns the number of weights in the blocks of a set of signatures, for a word with `outer` ends in the
/// outer slots.
#[inline(always)]
#[must_use]
pub fn count_weights(present: u128, outer: usize) -> u64 {
    #[inline(always)]
    fn weights_with_ends(present: u128, outer: usize, inner: usize) -> u64 {
        u64::from((present & BITS_WITH_ENDS[inner]).count_ones()) * MATCHING_COUNTS[outer + inner]
    }

    // The number of ends of a signature is even.
    if outer.is_multiple_of(2) {
        weights_with_ends(present, outer, 0)
            + weights_with_ends(present, outer, 2)
            + weights_with_ends(present, outer, 4)
    } else {
        weights_with_ends(present, outer, 1) + weights_with_ends(present, outer, 3)
    }
}

/// Returns the number of weights of the longest block of a chunk with these entries.
#[must_use]
pub fn longest_block(words: &WordNumbering, chunk: usize, entries: &[WordEntry]) -> usize {
    let ends = |(word, entry): (usize, &WordEntry)| {
        let inner =
            (0..BITS_WITH_ENDS.len()).rev().find(|&n| entry.present_signatures() & BITS_WITH_ENDS[n] != 0)?;
        Some(inner + words.outer_ends(chunk, word).count_ones() as usize)
    };
    entries.iter().enumerate().filter_map(ends).max().map_or(0, matching_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_chunk_has_one_state() {
        let words = WordNumbering::new(8);
        let first = Chunk::initial(&words, Weights::W32(vec![1].into()));
        assert_eq!(
            (first.find_block(0, 0, 0), first.find_block(0, 1, 0), first.find_block(1, 0, 0)),
            (Some(0), None, None)
        );
        assert_eq!(first.bytes(), 16 * words.chunk_len() as u64 + 4);
    }

    #[test]
    fn find_block_in_empty_chunk_is_none() {
        assert_eq!((Chunk::default().find_block(3, 5, 1), Chunk::default().bytes()), (None, 0));
    }
}

#[cfg(test)]
mod entry_tests {
    use super::*;
    use crate::frontier::signature::space::ENDS_OF_BIT;

    #[test]
    fn block_offset_follows_all_blocks_before() {
        let present = 1 << 0 | 1 << 4 | 1 << 13 | 1 << 40 | 1 << 80;
        let entry = WordEntry::new(present, 1000);
        let mut position = 1000;
        for bit in [0, 4, 13, 40, 80] {
            assert_eq!(entry.block_offset(bit, 2), position, "bit {bit}");
            position += MATCHING_COUNTS[2 + ENDS_OF_BIT[bit as usize].count_ones() as usize] as usize;
        }
        assert_eq!(count_weights(present, 2), position as u64 - 1000);
    }

    #[test]
    fn entry_round_trips_through_bits() {
        let entry = WordEntry::new(WORD_MASK, (1 << 47) - 1);
        assert_eq!(entry.present_signatures(), WORD_MASK);
        assert_eq!(WordEntry::from_bits(entry.to_bits()), entry);
    }
}
