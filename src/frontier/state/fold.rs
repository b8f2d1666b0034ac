//! Folding: a state and its mirror image have equally many completions.
//!
//! After a step that leaves the processed set symmetric, a word of signatures
//! and its mirror image are merged into one of the two. The one kept is that
//! whose next square has the greater degree: it has fewer successors. Words that
//! are their own image stay as they are (one in `3^(outer slots / 2)`).
//!
//! ```text
//! slots      5 4   3 2   1 0        tracks of mirror images: {0,1} {2,3} {4,5}
//! digits     2 0 | 0 1   2 2   ->   0 2 | 1 0   2 2
//! ```

use crate::frontier::problem::slot::{INNER, Slot};
use crate::frontier::state::signature::{WORD_BITS, Words};

/// A mirror as it acts on words.
#[derive(Debug)]
pub struct Fold {
    /// Image of each slot.
    image: Vec<Slot>,
    /// Image of a word: sum of both tables.
    high: Vec<u32>,
    low: Vec<u32>,
    /// Digit of the slot that is processed next, if it is outside the word, by both parts.
    next: Option<(Vec<u32>, Vec<u32>)>,
    /// Image of each bit of a word.
    bit: [u8; WORD_BITS],
    chunk_len: usize,
}

/// Place of a word: its chunk, its place there, its number.
pub type Place = (usize, usize, usize);

impl Fold {
    /// The mirror with the given images of slots; `next` is the slot that is processed next.
    #[must_use]
    pub fn new(words: &Words, image: &[Slot], next: Option<Slot>) -> Self {
        let place = |slot: usize| 3u32.pow((usize::from(image[slot]) - INNER) as u32);
        let (high, low) = words.tables(|slot, digit| place(slot) * digit);
        let next = next.map(usize::from).filter(|&slot| slot >= INNER);
        let next = next.map(|next| words.tables(|slot, digit| if slot == next { digit } else { 0 }));
        let chunk_len = words.chunk_len();
        let mut fold = Self { image: image.to_vec(), high, low, next, bit: [0; WORD_BITS], chunk_len };
        for bit in 0..WORD_BITS {
            fold.bit[bit] = fold.bits(1 << bit).trailing_zeros() as u8;
        }
        fold
    }

    /// The image of the word at `(high, low)`.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, high: usize, low: usize) -> Place {
        let image = (self.high[high] + self.low[low]) as usize;
        (image / self.chunk_len, image % self.chunk_len, image)
    }

    /// The image of a chunk: mirrors keep chunks together.
    #[must_use]
    pub fn chunk(&self, high: usize) -> usize {
        self.high[high] as usize / self.chunk_len
    }

    /// The image of a bit of a word.
    #[inline(always)]
    #[must_use]
    pub fn bit(&self, bit: u32) -> u32 {
        u32::from(self.bit[bit as usize])
    }

    /// The mirror image of a word's set.
    #[inline(always)]
    #[must_use]
    pub fn bits(&self, mut set: u128) -> u128 {
        if self.image[0] == 1 {
            // Digits of slots 0 and 1: bits 1 and 3, 2 and 6, 5 and 7 of every nine.
            set = exchanged(set, 1, NINTHS, 2);
            set = exchanged(set, 2, NINTHS, 4);
            set = exchanged(set, 5, NINTHS, 2);
        }
        if self.image[2] == 3 {
            // Slots 2 and 3: the same for groups of nine bits.
            set = exchanged(set, 9, FIRST_NINE, 18);
            set = exchanged(set, 18, FIRST_NINE, 36);
            set = exchanged(set, 45, FIRST_NINE, 18);
        }
        set
    }

    /// The image of a set of slots.
    #[inline(always)]
    #[must_use]
    pub fn ends(&self, ends: u32) -> u32 {
        let mut mirrored = 0;
        let mut left = ends;
        while left != 0 {
            mirrored |= 1 << self.image[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        mirrored
    }

    /// For the ends in ascending order the place of each one's image among the image's ends.
    #[inline(always)]
    pub fn places(&self, ends: u32, image_ends: u32, places: &mut [u8]) {
        let mut left = ends;
        for place in places {
            let twin = 1u32 << self.image[left.trailing_zeros() as usize];
            *place = (image_ends & (twin - 1)).count_ones() as u8;
            left &= left - 1;
        }
    }

    /// Whether the first of two mirror words is the one to keep: the one whose next square
    /// has the greater degree, then the lower.
    #[inline(always)]
    #[must_use]
    pub fn prefers(&self, (high, low, word): Place, (image_high, image_low, image): Place) -> bool {
        if let Some((next_high, next_low)) = &self.next {
            let (mine, other) =
                (next_high[high] + next_low[low], next_high[image_high] + next_low[image_low]);
            if mine != other {
                return mine > other;
            }
        }
        word < image
    }
}

/// Bit 0 of each nine.
const NINTHS: u128 = {
    let (mut mask, mut i) = (0, 0);
    while i < 9 {
        mask |= 1 << (9 * i);
        i += 1;
    }
    mask
};

const FIRST_NINE: u128 = 0x1ff;

/// Exchanges the bits `mask << at` with those `by` above them.
#[inline(always)]
fn exchanged(set: u128, at: u32, mask: u128, by: u32) -> u128 {
    let differ = (set >> by ^ set) & (mask << at);
    set ^ differ ^ differ << by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_bits_and_words_are_mirrored_alike() {
        let words = Words::new(9);
        let fold = Fold::new(&words, &[1, 0, 3, 2, 5, 4, 6, 7, 8], None);
        let digit = |word: usize, bit: usize, slot: usize| {
            let (number, place) = if slot < INNER { (bit, slot) } else { (word, slot - INNER) };
            number / 3usize.pow(place as u32) % 3
        };
        for word in 0..words.len() {
            let (high, low) = (word / words.chunk_len(), word % words.chunk_len());
            let (image_high, image_low, image) = fold.word(high, low);
            assert_eq!(image_high * words.chunk_len() + image_low, image);
            assert_eq!(image_high, fold.chunk(high));
            for bit in 0..WORD_BITS {
                let image_bit = fold.bit(bit as u32) as usize;
                assert_eq!(fold.bits(1 << bit), 1 << image_bit);
                for slot in 0..9 {
                    let twin = usize::from(fold.image[slot]);
                    assert_eq!(digit(word, bit, slot), digit(image, image_bit, twin));
                }
            }
        }
        assert_eq!(fold.ends(0b1_0010_0100), 0b1_0001_1000);
    }
}
