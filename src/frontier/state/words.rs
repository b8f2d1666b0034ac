//! [`WordNumbering`] numbers the words and groups them into *chunks*. A word's number has a digit for every
//! outer slot; its low digits are the word's position in a chunk, its high digits are the chunk's number. A
//! sum over the digits is looked up in two short tables, one for each part:
//!
//! ```text
//! slot      11 10 | 9 8 7 6 5 4 | 3 2 1 0
//!           chunk   word          bit in the word
//! ```

use crate::frontier::problem::slot::SLOTS_PER_WORD;

/// Maximum number of slots for which bit tables of signatures are practical.
pub const MAX_BLOCK_SLOTS: usize = SLOTS_PER_WORD + 16;

/// The numbering of words for one number of slots: the outer slots are split into the digits of the chunk and
/// the digits of the word in it.
#[derive(Clone, Debug)]
pub struct WordNumbering {
    slot_count: usize,
    position_digits: usize,
    words_per_chunk: usize,
    chunk_count: usize,
    /// Sets of outer slots that are ends.
    outer_end_slots: OuterDigitSums,
}

impl WordNumbering {
    /// Creates the numbering for `slots` slots, at least [`SLOTS_PER_WORD`].
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let outer = slots - SLOTS_PER_WORD;
        // Even, so that both slots of a track are in the chunk's or both in the word's digits.
        let high = if outer < 10 { 4 } else { 6 };
        let low_digits = (outer.saturating_sub(high) & !1).clamp(outer.min(2) & !1, 8);
        Self::with_position_digits(slots, low_digits)
    }

    /// Creates the numbering for `slots` slots, or for those of `other` if there are more, with chunks as
    /// long as those of `other`. Signatures whose digits are 0 beyond the slots of both have equal numbers in
    /// both.
    #[must_use]
    pub fn with_chunks_like(other: &Self, slots: usize) -> Self {
        Self::with_position_digits(slots.max(other.slot_count), other.position_digits)
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

    /// Returns the number of slots whose digits form the chunk number: the highest ones.
    #[must_use]
    pub fn chunk_slots(&self) -> usize {
        self.slot_count - SLOTS_PER_WORD - self.position_digits
    }

    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words_per_chunk * self.chunk_count
    }

    /// Returns the number of words of a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.words_per_chunk
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        self.chunk_count
    }

    /// Returns the set of outer slots that are ends, for word `word` of chunk `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn outer_ends(&self, chunk: usize, word: usize) -> u32 {
        self.outer_end_slots.by_chunk[chunk] | self.outer_end_slots.by_word[word]
    }

    /// Yields the positions in a chunk of the words without outer ends.
    pub fn words_without_outer_ends(&self, chunk: usize) -> impl Iterator<Item = usize> + '_ {
        let lows = if self.outer_end_slots.by_chunk[chunk] == 0 { self.words_per_chunk } else { 0 };
        (0..lows).filter(|&low| self.outer_end_slots.by_word[low] == 0)
    }

    /// Tabulates the sum of `value(slot, digit)` over the outer slots, for every word.
    #[must_use]
    pub fn outer_sums(&self, value: impl Fn(usize, u32) -> u32) -> OuterDigitSums {
        let high_digits = self.chunk_slots();
        let low = digit_sums(self.position_digits, |place, digit| value(SLOTS_PER_WORD + place, digit));
        let high = digit_sums(high_digits, |place, digit| {
            value(SLOTS_PER_WORD + self.position_digits + place, digit)
        });
        OuterDigitSums { by_chunk: high, by_word: low }
    }

    /// Returns the distance from a word to the word in which the digit of an outer slot is greater by one.
    #[must_use]
    pub fn digit_distance(&self, slot: usize) -> WordDistance {
        let place = slot - SLOTS_PER_WORD;
        if place < self.position_digits {
            WordDistance { chunks: 0, words: 3i32.pow(place as u32) }
        } else {
            WordDistance { chunks: 3i32.pow((place - self.position_digits) as u32), words: 0 }
        }
    }

    /// Returns the address of the word with this number.
    #[must_use]
    pub fn word_at(&self, word_number: usize) -> WordAddress {
        WordAddress { chunk: word_number / self.words_per_chunk, word: word_number % self.words_per_chunk }
    }

    /// Returns the number of the word with this address.
    #[inline(always)]
    #[must_use]
    pub fn number_of(&self, at: WordAddress) -> usize {
        at.chunk * self.words_per_chunk + at.word
    }

    /// Returns the address of the signature with these digits.
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

/// The address of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordAddress {
    /// Number of its chunk.
    pub chunk: usize,
    /// Position in the chunk.
    pub word: usize,
}

/// The distance from one word to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordDistance {
    /// Number of chunks.
    pub chunks: i32,
    /// Number of positions in a chunk.
    pub words: i32,
}

/// The address of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureAddress {
    /// Number of its word, over all chunks.
    pub word_number: usize,
    /// Number of its bit in the word.
    pub bit: u32,
}

/// A sum over the outer digits of a word, in two parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OuterDigitSums {
    /// Sum over the digits of the chunk, by chunk.
    pub by_chunk: Vec<u32>,
    /// Sum over the digits of the position, by position in a chunk.
    pub by_word: Vec<u32>,
}

impl OuterDigitSums {
    /// Returns the sum for a word.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self, at: WordAddress) -> u32 {
        self.by_chunk[at.chunk] + self.by_word[at.word]
    }
}

/// Returns the sum of `value(place, digit)` for every number of `digits` ternary digits.
fn digit_sums(digits: usize, value: impl Fn(usize, u32) -> u32) -> Vec<u32> {
    let mut sums = vec![0];
    for place in 0..digits {
        sums = (0..3)
            .flat_map(|digit| {
                let more = value(place, digit);
                sums.iter().map(move |&sum| sum + more).collect::<Vec<_>>()
            })
            .collect();
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

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
