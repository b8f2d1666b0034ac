//! Which signature of the far end fits one of the near end.
//!
//! The vertices of the cut get two edges in all, and the ends of one side are joined to those of the other:
//!
//! ```text
//! near   bare 0    end 1    inner 2
//! far    inner 2   end 1    bare 0
//! ```
//!
//! So each near signature is met by one of the far end, and each chunk of them by one chunk.

use crate::frontier::problem::slot::INNER;
use crate::frontier::state::signature::WORD_BITS;
use crate::frontier::state::words::{Address, At, OuterSums, Words};

/// Where the far signatures that fit near ones are.
#[derive(Debug)]
pub struct Fit {
    /// Number of the far word, by near word.
    word: OuterSums,
    /// The bit there, by bit.
    bit: [u8; WORD_BITS],
    chunk_len: usize,
}

impl Fit {
    /// For near words of a layer with these slots in use, and far words like them.
    #[must_use]
    pub fn new(near: &Words, occupied: u64) -> Self {
        let fitting = |slot: usize, digit: u32| if occupied >> slot & 1 == 1 { 2 - digit } else { 0 };
        let word = near.sums(|slot, digit| 3u32.pow((slot - INNER) as u32) * fitting(slot, digit));
        let mut bits = [0; WORD_BITS];
        for (bit, fit) in bits.iter_mut().enumerate() {
            let place = |slot: usize| 3u32.pow(slot as u32);
            *fit = (0..INNER)
                .map(|slot| place(slot) * fitting(slot, bit as u32 / place(slot) % 3))
                .sum::<u32>() as u8;
        }
        Self { word, bit: bits, chunk_len: near.chunk_len() }
    }

    /// The far word.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, at: At) -> At {
        let number = self.word.of(at) as usize;
        At { high: number / self.chunk_len, low: number % self.chunk_len }
    }

    /// The bit of a far word.
    #[inline(always)]
    #[must_use]
    pub fn bit(&self, bit: u32) -> u32 {
        u32::from(self.bit[bit as usize])
    }

    /// The far chunk.
    #[must_use]
    pub fn chunk(&self, high: usize) -> usize {
        self.word.high[high] as usize / self.chunk_len
    }

    /// The far signatures that fit a set of near ones of a word.
    #[must_use]
    pub fn set(&self, at: At, mut near: u128) -> (Address, u128) {
        let mut far = 0;
        while near != 0 {
            far |= 1 << self.bit(near.trailing_zeros());
            near &= near - 1;
        }
        (Address { word: self.word.of(at) as usize, bit: 0 }, far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_add_up_to_two() {
        let near = Words::new(9);
        let far = Words::like(&near, 11);
        let occupied = 0b1_1010_1101;
        let fit = Fit::new(&near, occupied);
        let digit = |word: usize, bit: usize, slot: usize| {
            let (number, place) = if slot < INNER { (bit, slot) } else { (word, slot - INNER) };
            number / 3usize.pow(place as u32) % 3
        };
        for word in 0..near.len() {
            let at = near.at(word);
            let there = fit.word(at);
            let number = far.number(there);
            for bit in 0..WORD_BITS {
                let is_free = |slot: usize| occupied >> slot & 1 == 0;
                if (0..9).any(|slot| is_free(slot) && digit(word, bit, slot) != 0) {
                    continue;
                }
                let fitting = fit.bit(bit as u32) as usize;
                for slot in 0..11 {
                    let both =
                        digit(number, fitting, slot) + if slot < 9 { digit(word, bit, slot) } else { 0 };
                    assert_eq!(both, if is_free(slot) { 0 } else { 2 });
                }
                assert_eq!(there.high, fit.chunk(at.high));
                let (address, set) = fit.set(at, 1 << bit);
                assert_eq!((address.word, set), (number, 1 << fitting));
            }
        }
    }
}
