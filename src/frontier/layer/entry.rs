//! A [`WordEntry`] has the present signatures of a word, and locates their blocks. The set of signatures and
//! the offset of the first block share 128 bits; the offset of any other block follows by counting bits:
//!
//! ```text
//! entry     | offset (47 bits) | signatures present (81 bits) |
//! ```

use crate::frontier::state::matching::{MATCHING_COUNTS, matching_count};
use crate::frontier::state::signature::{BITS_WITH_ENDS, WORD_BITS, WORD_MASK};
use crate::frontier::state::words::WordNumbering;

/// The present signatures of a word, and the offset of their first block in the chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordEntry(u128);

impl WordEntry {
    /// Packs a set of signatures and an offset below 2^47.
    #[inline(always)]
    #[must_use]
    pub fn new(present: u128, place: usize) -> Self {
        debug_assert!(place < 1 << 47);
        Self(present | (place as u128) << WORD_BITS)
    }

    /// Returns the packed bits.
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// Returns the entry with these packed bits, as from [`WordEntry::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns the set of present signatures, a bit for each.
    #[inline(always)]
    #[must_use]
    pub fn present_signatures(self) -> u128 {
        self.0 & WORD_MASK
    }

    /// Returns the offset of the block of signature `bit`, for a word with `outer` ends in the outer slots.
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
    let ends = |(low, entry): (usize, &WordEntry)| {
        let inner =
            (0..BITS_WITH_ENDS.len()).rev().find(|&n| entry.present_signatures() & BITS_WITH_ENDS[n] != 0)?;
        Some(inner + words.outer_ends(chunk, low).count_ones() as usize)
    };
    entries.iter().enumerate().filter_map(ends).max().map_or(0, matching_count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::state::signature::ENDS_OF_BIT;

    #[test]
    fn block_offset_follows_all_blocks_before() {
        let present = 1 << 0 | 1 << 4 | 1 << 13 | 1 << 40 | 1 << 80;
        let entry = WordEntry::new(present, 1000);
        let mut place = 1000;
        for bit in [0, 4, 13, 40, 80] {
            assert_eq!(entry.block_offset(bit, 2), place, "bit {bit}");
            place += MATCHING_COUNTS[2 + ENDS_OF_BIT[bit as usize].count_ones() as usize] as usize;
        }
        assert_eq!(count_weights(present, 2), place as u64 - 1000);
    }

    #[test]
    fn entry_round_trips_through_bits() {
        let entry = WordEntry::new(WORD_MASK, (1 << 47) - 1);
        assert_eq!(entry.present_signatures(), WORD_MASK);
        assert_eq!(WordEntry::from_bits(entry.to_bits()), entry);
    }
}
