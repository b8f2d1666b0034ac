//! Signatures: the degrees on the frontier, and their numbering by words, bits and chunks.
//!
//! A signature gives every slot a digit: 0 *bare* (or empty slot), 1 *end*, 2 *inner*. Signatures
//! are numbered in base 3. Sets of signatures are bit tables, with 81 signatures (which differ in
//! slots 0 to 3, the *inner slots*) per *word*; words are numbered by the *outer slots*:
//!
//! ```text
//! slot      5 4 | 3 2 1 0
//! digit     2 1 | 0 0 1 2        word 2*3 + 1 = 7, bit 1*3 + 2 = 5
//! ```
//!
//! Constant tables list the digits of the bits of a word.
//!
//! [`WordNumbering`] numbers the words and groups them into *chunks*. The number of a word has a
//! digit for every outer slot. Its low digits are the position of the word in its chunk, its high
//! digits are the number of the chunk. A sum over the digits is looked up in two short tables, one
//! for each part:
//!
//! ```text
//! slot      11 10 | 9 8 7 6 5 4 | 3 2 1 0
//!           chunk   word          bit in the word
//! ```
//!
//! A [`SignatureSpace`] combines the numbering with the plan of a block sweep.

use std::sync::Arc;

#[cfg(test)]
use crate::board::Rectangle;
use crate::frontier::planning::plan::Plan;
#[cfg(test)]
use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
use crate::frontier::planning::slots::SLOTS_PER_WORD;

/// Number of signatures in a word, one bit each: `3^SLOTS_PER_WORD`.
pub const WORD_BITS: usize = 81;

/// Mask of the bits of a word that are in use.
pub const WORD_MASK: u128 = (1 << WORD_BITS) - 1;

/// `ENDS_OF_BIT[bit]` is the set of the slots 0 to 3 with digit 1 in signature `bit` of a word.
pub const ENDS_OF_BIT: [u8; WORD_BITS] = {
    let mut ends = [0; WORD_BITS];
    let mut bit = 0;
    while bit < WORD_BITS {
        let mut rest = bit;
        let mut slot = 0;
        while slot < SLOTS_PER_WORD {
            if rest % 3 == 1 {
                ends[bit] |= 1 << slot;
            }
            rest /= 3;
            slot += 1;
        }
        bit += 1;
    }
    ends
};

/// `BITS_WITH_ENDS[e]` is the set of the bits of a word whose signature has `e` ends in slots 0 to
/// 3.
pub const BITS_WITH_ENDS: [u128; SLOTS_PER_WORD + 1] = {
    let mut masks = [0; SLOTS_PER_WORD + 1];
    let mut bit = 0;
    while bit < WORD_BITS {
        masks[ENDS_OF_BIT[bit].count_ones() as usize] |= 1 << bit;
        bit += 1;
    }
    masks
};

/// `BITS_WITH_DIGIT[s][d]` is the set of the bits of a word whose signature has digit `d` in slot
/// `s`, for slots 0 to 3.
pub const BITS_WITH_DIGIT: [[u128; 3]; SLOTS_PER_WORD] = {
    let mut masks = [[0; 3]; SLOTS_PER_WORD];
    let mut bit = 0;
    while bit < WORD_BITS {
        let mut rest = bit;
        let mut slot = 0;
        while slot < SLOTS_PER_WORD {
            masks[slot][rest % 3] |= 1 << bit;
            rest /= 3;
            slot += 1;
        }
        bit += 1;
    }
    masks
};

/// Yields the numbers of the bits of `set`, the lowest first.
#[inline(always)]
pub fn bits_of(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros();
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

/// Maximum number of slots for which bit tables of signatures are practical.
pub const MAX_BLOCK_SLOTS: usize = SLOTS_PER_WORD + 16;

/// Number of digits of the position of a word in a row of a signature table.
const ROW_DIGITS: usize = 4;

/// Number of words in a row of a [signature table](super::signature_table::SignatureTable).
pub const ROW_WORDS: usize = 3usize.pow(ROW_DIGITS as u32);

/// The numbering of words of signatures for a fixed number of slots. The outer slots are split into
/// the digits of the chunk and the digits of the word in its chunk.
#[derive(Clone, Debug)]
pub struct WordNumbering {
    slot_count: usize,
    position_digits: usize,
    words_per_chunk: usize,
    chunk_count: usize,
    /// For each word, the set of outer slots that are ends.
    outer_end_slots: OuterDigitSums,
}

impl WordNumbering {
    /// Creates the numbering for `slots` slots, at least [`SLOTS_PER_WORD`].
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let outer = slots - SLOTS_PER_WORD;
        // Even, so that both slots of a track are in the chunk's or both in the word's digits. With more digits a
        // chunk and its sources are smaller and a step takes a little longer: 9x10 with ten digits needs half the
        // memory that it needs with eight, 8x8 closed with eight takes a seventh more time than with six.
        let chunk_digits = match outer {
            ..10 => 4,
            10..14 => 6,
            14..16 => 10,
            _ => 12,
        };
        let low_digits = (outer.saturating_sub(chunk_digits) & !1).clamp(outer.min(2) & !1, 8);
        Self::with_position_digits(slots, low_digits)
    }

    /// Creates the numbering for `slots` slots, or for the slots of `other` if these are more, with chunks as
    /// long as those of `other`. A signature whose digits are 0 in all slots beyond the fewer slots has the
    /// same number in both numberings.
    #[must_use]
    pub fn with_chunks_like(other: &Self, slots: usize) -> Self {
        Self::with_position_digits(slots.max(other.slot_count), other.position_digits)
    }

    /// Creates the numbering for `slots` slots whose chunks are the rows of signature tables: [`ROW_WORDS`] words,
    /// or all words if they are fewer.
    #[must_use]
    pub fn with_rows(slots: usize) -> Self {
        Self::with_position_digits(slots, ROW_DIGITS.min(slots - SLOTS_PER_WORD))
    }

    fn with_position_digits(slots: usize, low_digits: usize) -> Self {
        let outer = slots - SLOTS_PER_WORD;
        let chunk_digits = outer - low_digits;
        let mut words = Self {
            slot_count: slots,
            position_digits: low_digits,
            words_per_chunk: 3usize.pow(low_digits as u32),
            chunk_count: 3usize.pow(chunk_digits as u32),
            outer_end_slots: OuterDigitSums::default(),
        };
        words.outer_end_slots = words.outer_sums(|slot, digit| if digit == 1 { 1 << slot } else { 0 });
        words
    }

    /// Returns the number of slots whose digits form the chunk number. These are the highest slots.
    #[must_use]
    pub fn chunk_slots(&self) -> usize {
        self.slot_count - SLOTS_PER_WORD - self.position_digits
    }

    /// Returns the lowest slot whose digit is part of the chunk number.
    #[must_use]
    pub fn first_chunk_slot(&self) -> usize {
        self.slot_count - self.chunk_slots()
    }

    /// Returns the number of slots.
    #[must_use]
    pub const fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words_per_chunk * self.chunk_count
    }

    /// Returns the number of words in a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.words_per_chunk
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        self.chunk_count
    }

    /// Returns the set of outer slots that are ends, for the word at the position `word` in chunk
    /// `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn outer_ends(&self, chunk: usize, word: usize) -> u32 {
        self.outer_end_slots.by_chunk[chunk] | self.outer_end_slots.by_word[word]
    }

    /// Yields the positions in `chunk` of the words without ends in outer slots.
    pub fn words_without_outer_ends(&self, chunk: usize) -> impl Iterator<Item = usize> + '_ {
        let lows = if self.outer_end_slots.by_chunk[chunk] == 0 { self.words_per_chunk } else { 0 };
        (0..lows).filter(|&low| self.outer_end_slots.by_word[low] == 0)
    }

    /// Tabulates the sum of `value(slot, digit)` over the outer slots, for every word.
    #[must_use]
    pub fn outer_sums(&self, value: impl Fn(usize, u32) -> u32) -> OuterDigitSums {
        let high_digits = self.chunk_slots();
        let low = digit_sums(self.position_digits, |position, digit| value(SLOTS_PER_WORD + position, digit));
        let high = digit_sums(high_digits, |position, digit| {
            value(SLOTS_PER_WORD + self.position_digits + position, digit)
        });
        OuterDigitSums { by_chunk: high, by_word: low }
    }

    /// Returns the distance from a word to the word in which the digit of an outer slot is greater by one.
    #[must_use]
    pub fn digit_distance(&self, slot: usize) -> WordDistance {
        let position = slot - SLOTS_PER_WORD;
        if position < self.position_digits {
            WordDistance { chunks: 0, words: 3i32.pow(position as u32) }
        } else {
            WordDistance { chunks: 3i32.pow((position - self.position_digits) as u32), words: 0 }
        }
    }

    /// Returns the address of the word with the number `word_number`.
    #[must_use]
    pub fn word_at(&self, word_number: usize) -> WordAddress {
        WordAddress { chunk: word_number / self.words_per_chunk, word: word_number % self.words_per_chunk }
    }

    /// Returns the number of the word at the address `at`.
    #[inline(always)]
    #[must_use]
    pub fn number_of(&self, at: WordAddress) -> usize {
        at.chunk * self.words_per_chunk + at.word
    }

    /// Returns the address of the signature whose digit in each slot is `digits(slot)`.
    #[must_use]
    pub fn locate_signature(&self, digits: impl Fn(usize) -> u32) -> SignatureAddress {
        let word =
            (SLOTS_PER_WORD..self.slot_count).rev().fold(0, |word, slot| word * 3 + digits(slot) as usize);
        SignatureAddress {
            word_number: word,
            bit: (0..SLOTS_PER_WORD).rev().fold(0, |bit, slot| bit * 3 + digits(slot)),
        }
    }
}

/// The address of a word: its chunk, and its position in the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordAddress {
    /// Number of the chunk of the word.
    pub chunk: usize,
    /// Position of the word in its chunk.
    pub word: usize,
}

/// The distance from one word to another, in chunks and in positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordDistance {
    /// Number of chunks.
    pub chunks: i32,
    /// Number of positions in the chunk.
    pub words: i32,
}

/// The address of a signature: its word, and its bit in the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureAddress {
    /// Number of the signature's word, over all chunks.
    pub word_number: usize,
    /// Number of the signature's bit in the word.
    pub bit: u32,
}

/// A sum over the outer digits, for every word: one part for the chunk, one for the position in the
/// chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OuterDigitSums {
    /// For each chunk, the sum over the digits of the chunk number.
    pub by_chunk: Vec<u32>,
    /// For each position in a chunk, the sum over the digits of the position.
    pub by_word: Vec<u32>,
}

impl OuterDigitSums {
    /// Returns the sum for the word at the address `at`.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self, at: WordAddress) -> u32 {
        self.by_chunk[at.chunk] + self.by_word[at.word]
    }
}

/// Returns, for every number of `digits` ternary digits, the sum of `value(position, digit)` over
/// its digits.
fn digit_sums(digits: usize, value: impl Fn(usize, u32) -> u32) -> Vec<u32> {
    let mut sums = vec![0];
    for position in 0..digits {
        sums = (0..3)
            .flat_map(|digit| {
                let more = value(position, digit);
                sums.iter().map(move |&sum| sum + more).collect::<Vec<_>>()
            })
            .collect();
    }
    sums
}

/// The plan of a sweep with the numbering of its signatures.
#[derive(Clone, Debug)]
pub struct SignatureSpace {
    plan: Arc<Plan>,
    words: WordNumbering,
    rows: WordNumbering,
}

impl SignatureSpace {
    /// Creates the signature space of a plan; returns `None` if the frontier is too wide for tables
    /// of signatures.
    #[must_use]
    pub fn new(plan: &Arc<Plan>) -> Option<Self> {
        let fits = plan.slot_count() <= MAX_BLOCK_SLOTS;
        fits.then(|| Self::with_words(plan, WordNumbering::new(plan.slot_count())))
    }

    /// Creates the signature space of a right half, with words numbered like those of the left half
    /// `left`. Returns `None` if the frontier of the right half is too wide.
    #[must_use]
    pub fn for_right_half(plan: &Arc<Plan>, left: &Self) -> Option<Self> {
        let fits = plan.slot_count() <= MAX_BLOCK_SLOTS;
        fits.then(|| Self::with_words(plan, WordNumbering::with_chunks_like(&left.words, plan.slot_count())))
    }

    fn with_words(plan: &Arc<Plan>, words: WordNumbering) -> Self {
        let rows = WordNumbering::with_rows(words.slot_count());
        Self { plan: Arc::clone(plan), words, rows }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the numbering of signatures.
    #[must_use]
    pub const fn words(&self) -> &WordNumbering {
        &self.words
    }

    /// Returns the numbering of the same words whose chunks are the rows of signature tables.
    #[must_use]
    pub const fn rows(&self) -> &WordNumbering {
        &self.rows
    }

    /// Returns the number of steps of the plan.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.plan.steps().len()
    }

    /// Returns the addresses of the signatures without ends that are finished tours after step `t`.
    #[must_use]
    pub fn finished_signatures(&self, t: usize) -> Vec<SignatureAddress> {
        self.plan.finished_inner_slots(t).into_iter().map(|inner| self.locate_inner_slots(inner)).collect()
    }

    /// Returns the address of the signature in which the slots of `inner` have digit 2 and all
    /// others digit 0.
    #[must_use]
    pub fn locate_inner_slots(&self, inner: u64) -> SignatureAddress {
        self.words.locate_signature(|slot| 2 * (inner >> slot & 1) as u32)
    }
}

#[cfg(test)]
impl SignatureSpace {
    /// Returns the signature space of a board whose squares are processed line by line. With `fold`, mirror images
    /// are merged.
    pub fn for_lines(rows: u16, cols: u16, tours: Tours, fold: bool) -> Self {
        let board = Rectangle::new(rows, cols).unwrap().into();
        let cycles = Cycles::from_sweep_graph(&SweepGraph::from_board(&board), tours);
        let order: Vec<usize> = (0..cycles.len()).collect();
        Self::new(&Arc::new(Plan::new(&cycles, &order, fold))).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_digits_of_bits() {
        assert_eq!(BITS_WITH_ENDS.iter().fold(0, |all, bits| all | bits), WORD_MASK);
        // A set of ends; every other slot is bare or inner.
        assert_eq!(BITS_WITH_ENDS.map(u128::count_ones), [16, 32, 24, 8, 1]);
        assert_eq!((ENDS_OF_BIT[40], ENDS_OF_BIT[5], ENDS_OF_BIT[0]), (0b1111, 0b0010, 0));
        assert_eq!(BITS_WITH_DIGIT[0][1], (0..27).fold(0, |bits, n| bits | 1 << (3 * n + 1)));
        assert_eq!(BITS_WITH_DIGIT[3], [0, 27, 54].map(|low| ((1 << 27) - 1) << low));
        assert!(bits_of(1 << 80 | 5).eq([0, 2, 80]) && bits_of(0).next().is_none());
    }

    #[test]
    fn numbers_addresses_and_digits_agree() {
        for slots in [4, 5, 6, 9, 12, 14] {
            let words = WordNumbering::new(slots);
            assert_eq!(words.len(), 3usize.pow((slots - SLOTS_PER_WORD) as u32));
            assert_eq!(words.chunk_len() * words.chunk_count(), words.len());
            let number = words.outer_sums(|slot, digit| 3u32.pow((slot - SLOTS_PER_WORD) as u32) * digit);
            for word in 0..words.len() {
                let at = words.word_at(word);
                let digit = |slot: usize| {
                    if slot < SLOTS_PER_WORD {
                        1
                    } else {
                        (word / 3usize.pow((slot - SLOTS_PER_WORD) as u32) % 3) as u32
                    }
                };
                assert_eq!((words.number_of(at), number.sum(at) as usize), (word, word));
                assert_eq!(words.locate_signature(digit), SignatureAddress { word_number: word, bit: 40 });
                let ends = (SLOTS_PER_WORD..slots)
                    .filter(|&slot| digit(slot) == 1)
                    .fold(0, |ends, slot| ends | 1 << slot);
                assert_eq!(words.outer_ends(at.chunk, at.word), ends);
            }
        }
    }

    #[test]
    fn digit_distance_increments_one_digit() {
        let words = WordNumbering::new(13);
        for slot in SLOTS_PER_WORD..13 {
            let WordDistance { chunks: high, words: low } = words.digit_distance(slot);
            let next = WordAddress { chunk: high as usize, word: low as usize };
            assert_eq!(words.number_of(next), 3usize.pow((slot - SLOTS_PER_WORD) as u32));
        }
    }
}
