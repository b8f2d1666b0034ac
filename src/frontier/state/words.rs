//! [`WordNumbering`] numbers the words and groups them into *chunks*. A word's number has a digit for every
//! outer slot; its low digits are the word's position in a chunk, its high digits are the chunk's number. A
//! sum over the digits is looked up in two short tables, one for each part:
//!
//! ```text
//! slot      11 10 | 9 8 7 6 5 4 | 3 2 1 0
//!           chunk   word          bit in the word
//! ```

use crate::frontier::problem::slot::INNER;

/// Maximum number of slots for which bit tables of signatures are practical.
pub const MOST_BLOCK_SLOTS: usize = INNER + 16;

/// The numbering of words for one number of slots: the outer slots are split into the digits of the chunk and
/// the digits of the word in it.
#[derive(Clone, Debug)]
pub struct Words {
    slots: usize,
    low_digits: usize,
    low_len: usize,
    high_len: usize,
    /// Sets of outer slots that are ends.
    ends: OuterSums,
}

impl Words {
    /// Creates the numbering for `slots` slots, at least [`SLOTS_PER_WORD`].
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let outer = slots - INNER;
        // Even, so that both slots of a track are in the chunk's or both in the word's digits.
        let high = if outer < 10 { 4 } else { 6 };
        let low_digits = (outer.saturating_sub(high) & !1).clamp(outer.min(2) & !1, 8);
        Self::split(slots, low_digits)
    }

    /// Creates the numbering for `slots` slots, or for those of `other` if there are more, with chunks as
    /// long as those of `other`. Signatures whose digits are 0 beyond the slots of both have equal numbers in
    /// both.
    #[must_use]
    pub fn like(other: &Self, slots: usize) -> Self {
        Self::split(slots.max(other.slots), other.low_digits)
    }

    fn split(slots: usize, low_digits: usize) -> Self {
        let outer = slots - INNER;
        let high_digits = outer - low_digits;
        let mut words = Self {
            slots,
            low_digits,
            low_len: 3usize.pow(low_digits as u32),
            high_len: 3usize.pow(high_digits as u32),
            ends: OuterSums::default(),
        };
        words.ends = words.sums(|slot, digit| if digit == 1 { 1 << slot } else { 0 });
        words
    }

    /// Returns the number of slots whose digits form the chunk number: the highest ones.
    #[must_use]
    pub fn high_slots(&self) -> usize {
        self.slots - INNER - self.low_digits
    }

    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low_len * self.high_len
    }

    /// Returns the number of words of a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.low_len
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.high_len
    }

    /// Returns the set of outer slots that are ends, for word `word` of chunk `chunk`.
    #[inline(always)]
    #[must_use]
    pub fn outer_ends(&self, high: usize, low: usize) -> u32 {
        self.ends.high[high] | self.ends.low[low]
    }

    /// Yields the positions in a chunk of the words without outer ends.
    pub fn without_ends(&self, high: usize) -> impl Iterator<Item = usize> + '_ {
        let lows = if self.ends.high[high] == 0 { self.low_len } else { 0 };
        (0..lows).filter(|&low| self.ends.low[low] == 0)
    }

    /// Tabulates the sum of `value(slot, digit)` over the outer slots, for every word.
    #[must_use]
    pub fn sums(&self, value: impl Fn(usize, u32) -> u32) -> OuterSums {
        let high_digits = self.high_slots();
        let low = by_digits(self.low_digits, |place, digit| value(INNER + place, digit));
        let high = by_digits(high_digits, |place, digit| value(INNER + self.low_digits + place, digit));
        OuterSums { high, low }
    }

    /// Returns the distance from a word to the word in which the digit of an outer slot is greater by one.
    #[must_use]
    pub fn stride(&self, slot: usize) -> Distance {
        let place = slot - INNER;
        if place < self.low_digits {
            Distance { high: 0, low: 3i32.pow(place as u32) }
        } else {
            Distance { high: 3i32.pow((place - self.low_digits) as u32), low: 0 }
        }
    }

    /// Returns the address of the word with this number.
    #[must_use]
    pub fn at(&self, number: usize) -> At {
        At { high: number / self.low_len, low: number % self.low_len }
    }

    /// Returns the number of the word with this address.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, at: At) -> usize {
        at.high * self.low_len + at.low
    }

    /// Returns the address of the signature with these digits.
    #[must_use]
    pub fn locate(&self, digits: impl Fn(usize) -> u32) -> Address {
        let word = (INNER..self.slots).rev().fold(0, |word, slot| word * 3 + digits(slot) as usize);
        Address { word, bit: (0..INNER).rev().fold(0, |bit, slot| bit * 3 + digits(slot)) }
    }
}

/// The address of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Number of its chunk.
    pub high: usize,
    /// Position in the chunk.
    pub low: usize,
}

/// The distance from one word to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distance {
    /// Number of chunks.
    pub high: i32,
    /// Number of positions in a chunk.
    pub low: i32,
}

/// The address of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Number of its word, over all chunks.
    pub word: usize,
    /// Number of its bit in the word.
    pub bit: u32,
}

/// A sum over the outer digits of a word, in two parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OuterSums {
    /// Sum over the digits of the chunk, by chunk.
    pub high: Vec<u32>,
    /// Sum over the digits of the position, by position in a chunk.
    pub low: Vec<u32>,
}

impl OuterSums {
    /// Returns the sum for a word.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, at: At) -> u32 {
        self.high[at.high] + self.low[at.low]
    }
}

/// Returns the sum of `value(place, digit)` for every number of `digits` ternary digits.
fn by_digits(digits: usize, value: impl Fn(usize, u32) -> u32) -> Vec<u32> {
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
    fn numbers_places_and_digits_go_together() {
        for slots in [4, 5, 6, 9, 12, 14] {
            let words = Words::new(slots);
            assert_eq!(words.len(), 3usize.pow((slots - INNER) as u32));
            assert_eq!(words.chunk_len() * words.chunks(), words.len());
            let number = words.sums(|slot, digit| 3u32.pow((slot - INNER) as u32) * digit);
            for word in 0..words.len() {
                let at = words.at(word);
                let digit = |slot: usize| {
                    if slot < INNER { 1 } else { (word / 3usize.pow((slot - INNER) as u32) % 3) as u32 }
                };
                assert_eq!((words.number(at), number.of(at) as usize), (word, word));
                assert_eq!(words.locate(digit), Address { word, bit: 40 });
                let ends =
                    (INNER..slots).filter(|&slot| digit(slot) == 1).fold(0, |ends, slot| ends | 1 << slot);
                assert_eq!(words.outer_ends(at.high, at.low), ends);
            }
        }
    }

    #[test]
    fn strides_lead_to_the_next_digit() {
        let words = Words::new(13);
        for slot in INNER..13 {
            let Distance { high, low } = words.stride(slot);
            let next = At { high: high as usize, low: low as usize };
            assert_eq!(words.number(next), 3usize.pow((slot - INNER) as u32));
        }
    }
}
