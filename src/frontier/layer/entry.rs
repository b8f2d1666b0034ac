//! A word of signatures that are present, and where their blocks lie.
//!
//! A word and the place of its first block share 128 bits, and the place of any
//! other block follows by counting bits:
//!
//! ```text
//! entry     | place (47 bits) | signatures present (81 bits) |
//! ```

use crate::frontier::state::matching::{SIZE, size};
use crate::frontier::state::signature::{BITS_WITH_ENDS, WORD_BITS, WORD_MASK};
use crate::frontier::state::words::Words;

/// A word of present signatures with the place of its first block in its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u128);

impl Entry {
    /// Packs a set of signatures and a place.
    #[inline(always)]
    #[must_use]
    pub fn new(present: u128, place: usize) -> Self {
        debug_assert!(place < 1 << 47);
        Self(present | (place as u128) << WORD_BITS)
    }

    /// As plain bits.
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// From [`Entry::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The signatures that are present.
    #[inline(always)]
    #[must_use]
    pub fn present(self) -> u128 {
        self.0 & WORD_MASK
    }

    /// Place of the block of the signature `bit`, for a word with `outer` ends in the outer slots.
    #[inline(always)]
    #[must_use]
    pub fn place(self, bit: u32, outer: usize) -> usize {
        let below = self.0 & ((1 << bit) - 1);
        (self.0 >> WORD_BITS) as usize + weights_of(below, outer) as usize
    }
}

/// Number of weights in the blocks of a set of signatures of a word with `outer` outer ends.
#[inline(always)]
#[must_use]
pub fn weights_of(present: u128, outer: usize) -> u64 {
    #[inline(always)]
    fn of(present: u128, outer: usize, inner: usize) -> u64 {
        u64::from((present & BITS_WITH_ENDS[inner]).count_ones()) * SIZE[outer + inner]
    }

    // The ends are an even number.
    if outer.is_multiple_of(2) {
        of(present, outer, 0) + of(present, outer, 2) + of(present, outer, 4)
    } else {
        of(present, outer, 1) + of(present, outer, 3)
    }
}

/// Weights of the longest block of a chunk with these entries.
#[must_use]
pub fn longest_of(words: &Words, high: usize, entries: &[Entry]) -> usize {
    let ends = |(low, entry): (usize, &Entry)| {
        let inner = (0..BITS_WITH_ENDS.len()).rev().find(|&n| entry.present() & BITS_WITH_ENDS[n] != 0)?;
        Some(inner + words.outer_ends(high, low).count_ones() as usize)
    };
    entries.iter().enumerate().filter_map(ends).max().map_or(0, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::state::signature::ENDS_IN;

    #[test]
    fn a_block_lies_behind_all_those_before_it() {
        let present = 1 << 0 | 1 << 4 | 1 << 13 | 1 << 40 | 1 << 80;
        let entry = Entry::new(present, 1000);
        let mut place = 1000;
        for bit in [0, 4, 13, 40, 80] {
            assert_eq!(entry.place(bit, 2), place, "bit {bit}");
            place += SIZE[2 + ENDS_IN[bit as usize].count_ones() as usize] as usize;
        }
        assert_eq!(weights_of(present, 2), place as u64 - 1000);
    }

    #[test]
    fn bits_and_back() {
        let entry = Entry::new(WORD_MASK, (1 << 47) - 1);
        assert_eq!(entry.present(), WORD_MASK);
        assert_eq!(Entry::from_bits(entry.to_bits()), entry);
    }
}
