//! Folding: a state and its mirror image have equally many completions.
//!
//! After a step that leaves the processed set symmetric, each word of signatures is merged with its mirror
//! image. The representative is the word in which the vertex processed next has the greater degree, because
//! it has fewer successors. Words that are their own image stay as they are (one in `3^(outer slots / 2)`).
//!
//! ```text
//! slots      5 4   3 2   1 0        tracks of mirror images: {0,1} {2,3} {4,5}
//! digits     2 0 | 0 1   2 2   ->   0 2 | 1 0   2 2
//! ```

use crate::frontier::problem::slot::{INNER, Slot};
use crate::frontier::state::signature::WORD_BITS;
use crate::frontier::state::words::{At, OuterSums, Words};

/// A mirror as it acts on words.
#[derive(Debug)]
pub struct Fold {
    /// Image of each slot.
    image: Vec<Slot>,
    /// Number of the image of each word.
    word: OuterSums,
    /// By word, the digit of the slot that is processed next; `None` if that slot is inside the word.
    next: Option<OuterSums>,
    /// Image of each bit of a word.
    bit: [u8; WORD_BITS],
    chunk_len: usize,
}

impl Fold {
    /// Creates the mirror with the images `image` of the slots; `next` is the slot that is processed next.
    #[must_use]
    pub fn new(words: &Words, image: &[Slot], next: Option<Slot>) -> Self {
        let place = |slot: usize| 3u32.pow((usize::from(image[slot]) - INNER) as u32);
        let word = words.sums(|slot, digit| place(slot) * digit);
        let next = next.map(usize::from).filter(|&slot| slot >= INNER);
        let next = next.map(|next| words.sums(|slot, digit| if slot == next { digit } else { 0 }));
        let chunk_len = words.chunk_len();
        let mut fold = Self { image: image.to_vec(), word, next, bit: [0; WORD_BITS], chunk_len };
        for bit in 0..WORD_BITS {
            fold.bit[bit] = fold.bits(1 << bit).trailing_zeros() as u8;
        }
        fold
    }

    /// Returns the image of a word; `None` if the word is its own image.
    #[inline(always)]
    #[must_use]
    pub fn other(&self, at: At) -> Option<At> {
        let (image, len) = (self.word.of(at), self.chunk_len as u32);
        let is_other = image as usize != at.high * self.chunk_len + at.low;
        is_other.then(|| At { high: (image / len) as usize, low: (image % len) as usize })
    }

    /// Returns the image of a chunk: mirrors map chunks to whole chunks.
    #[must_use]
    pub fn chunk(&self, high: usize) -> usize {
        self.word.high[high] as usize / self.chunk_len
    }

    /// Returns the chunks and their images, in ascending order.
    #[must_use]
    pub fn with_images(&self, mut chunks: Vec<usize>) -> Vec<usize> {
        chunks.extend(chunks.clone().into_iter().map(|chunk| self.chunk(chunk)));
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    }

    /// Returns the image of a bit of a word.
    #[inline(always)]
    #[must_use]
    pub fn bit(&self, bit: u32) -> u32 {
        u32::from(self.bit[bit as usize])
    }

    /// Returns the mirror image of the set of bits of a word.
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
            // Digits of slots 2 and 3: these exchanges with groups of nine bits.
            set = exchanged(set, 9, FIRST_NINE, 18);
            set = exchanged(set, 18, FIRST_NINE, 36);
            set = exchanged(set, 45, FIRST_NINE, 18);
        }
        set
    }

    /// Returns the image of a slot.
    #[inline(always)]
    #[must_use]
    pub fn slot(&self, slot: Slot) -> Slot {
        self.image[usize::from(slot)]
    }

    /// Returns the image of a set of slots.
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

    /// Writes, for each of the ends in ascending order, the position of its image among the image's ends.
    #[inline(always)]
    pub fn places(&self, ends: u32, image_ends: u32, places: &mut [u8]) {
        let mut left = ends;
        for place in places {
            let twin = 1u32 << self.image[left.trailing_zeros() as usize];
            *place = (image_ends & (twin - 1)).count_ones() as u8;
            left &= left - 1;
        }
    }

    /// Returns true if word `address` is the representative of itself and its image: the word in which the
    /// vertex processed next has the greater degree, else the lower word.
    #[inline(always)]
    #[must_use]
    pub fn prefers(&self, at: At, image: At) -> bool {
        if let Some(next) = &self.next {
            let (mine, other) = (next.of(at), next.of(image));
            if mine != other {
                return mine > other;
            }
        }
        at < image
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

/// Exchanges the bits `mask << offset` with the bits `by` positions above them.
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
            let at = words.at(word);
            let image_at = fold.other(at).unwrap_or(at);
            let image = words.number(image_at);
            assert_eq!(image_at.high, fold.chunk(at.high));
            assert_eq!(fold.other(image_at).unwrap_or(image_at), at);
            assert!(at == image_at || fold.prefers(at, image_at) != fold.prefers(image_at, at));
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
