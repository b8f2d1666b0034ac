//! How words of signatures are numbered, and gathered into chunks.
//!
//! A word's number has a digit for every outer slot. The low digits are its place in a *chunk*,
//! the high digits are the chunk's number. What is a sum over the digits is looked up in two short
//! tables, one for each part.
//!
//! ```text
//! slot      11 10 | 9 8 7 6 5 4 | 3 2 1 0
//!           high    low           bit in the word
//! ```

use crate::frontier::problem::slot::INNER;

/// Most slots for which bit tables of signatures are reasonable.
pub const MOST_BLOCK_SLOTS: usize = INNER + 16;

/// How words are numbered: outer slots, split into a high part (the *chunk*) and a low part.
#[derive(Clone, Debug)]
pub struct Words {
    slots: usize,
    low_digits: usize,
    low_len: usize,
    high_len: usize,
    /// Ends in the outer slots.
    ends: OuterSums,
}

impl Words {
    /// The numbering for `slots >= INNER` slots.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let outer = slots - INNER;
        // Even, so that a track (two slots) is not cut by the edge of a chunk.
        let high = if outer < 10 { 4 } else { 6 };
        let low_digits = (outer.saturating_sub(high) & !1).clamp(outer.min(2) & !1, 8);
        Self::split(slots, low_digits)
    }

    /// The numbering for `slots` slots, or for as many as `other` is for if those are more, with chunks like those
    /// of `other`: signatures without digits beyond the slots of both have the same numbers.
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

    /// Slots whose digits are the number of a chunk: the highest ones.
    #[must_use]
    pub fn high_slots(&self) -> usize {
        self.slots - INNER - self.low_digits
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low_len * self.high_len
    }

    /// Words in a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.low_len
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.high_len
    }

    /// Outer slots that are ends, for the word of the given chunk and place in it.
    #[inline(always)]
    #[must_use]
    pub fn outer_ends(&self, high: usize, low: usize) -> u32 {
        self.ends.high[high] | self.ends.low[low]
    }

    /// Places in a chunk of the words without outer ends.
    pub fn without_ends(&self, high: usize) -> impl Iterator<Item = usize> + '_ {
        let lows = if self.ends.high[high] == 0 { self.low_len } else { 0 };
        (0..lows).filter(|&low| self.ends.low[low] == 0)
    }

    /// The sum over the outer slots of `value(slot, digit)`, for every word.
    #[must_use]
    pub fn sums(&self, value: impl Fn(usize, u32) -> u32) -> OuterSums {
        let high_digits = self.high_slots();
        let low = by_digits(self.low_digits, |place, digit| value(INNER + place, digit));
        let high = by_digits(high_digits, |place, digit| value(INNER + self.low_digits + place, digit));
        OuterSums { high, low }
    }

    /// The way from a word to that with the digit of an outer slot greater by one.
    #[must_use]
    pub fn stride(&self, slot: usize) -> Distance {
        let place = slot - INNER;
        if place < self.low_digits {
            Distance { high: 0, low: 3i32.pow(place as u32) }
        } else {
            Distance { high: 3i32.pow((place - self.low_digits) as u32), low: 0 }
        }
    }

    /// Where the word of this number is.
    #[must_use]
    pub fn at(&self, number: usize) -> At {
        At { high: number / self.low_len, low: number % self.low_len }
    }

    /// Number of the word that is there.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, at: At) -> usize {
        at.high * self.low_len + at.low
    }

    /// Where the signature with these digits is.
    #[must_use]
    pub fn locate(&self, digits: impl Fn(usize) -> u32) -> Address {
        let word = (INNER..self.slots).rev().fold(0, |word, slot| word * 3 + digits(slot) as usize);
        Address { word, bit: (0..INNER).rev().fold(0, |bit, slot| bit * 3 + digits(slot)) }
    }
}

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Its chunk.
    pub high: usize,
    /// Its place there.
    pub low: usize,
}

/// The way from one word to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distance {
    /// In chunks.
    pub high: i32,
    /// In places of a chunk.
    pub low: i32,
}

/// Where a signature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Number of its word.
    pub word: usize,
    /// Its bit there.
    pub bit: u32,
}

/// A sum over the outer digits of a word, in two parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OuterSums {
    /// By chunk.
    pub high: Vec<u32>,
    /// By place in a chunk.
    pub low: Vec<u32>,
}

impl OuterSums {
    /// The sum for a word.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, at: At) -> u32 {
        self.high[at.high] + self.low[at.low]
    }
}

/// For every number of `digits` ternary digits the sum of `value(place, digit)`.
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
