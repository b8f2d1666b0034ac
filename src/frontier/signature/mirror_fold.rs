//! Folding: the layer after a step is reduced by a mirror symmetry of the processed vertices.
//!
//! A state and its mirror image have equally many completions. After a step that leaves the set of
//! processed vertices symmetric, each word of signatures is therefore merged with its mirror image.
//! The representative is the word in which the vertex processed next has the greater degree,
//! because that word has fewer successors. Words that are their own image stay as they are (one in
//! `3^(outer slots / 2)`).
//!
//! ```text
//! slots      5 4   3 2   1 0        tracks of mirror images: {0,1} {2,3} {4,5}
//! digits     2 0 | 0 1   2 2   ->   0 2 | 1 0   2 2
//! ```

use super::space::{OuterDigitSums, SignatureSpace, WORD_BITS, WordAddress, WordNumbering};
use crate::frontier::planning::slots::{SLOTS_PER_WORD, Slot};

/// A mirror symmetry, as a map of the slots, words and bits of signatures.
#[derive(Debug)]
pub struct MirrorFold {
    /// Mirror image of each slot.
    slot_images: Vec<Slot>,
    /// For each word, the number of its mirror image.
    word_images: OuterDigitSums,
    /// For each word, the digit of the slot that is processed next; `None` if that slot is one of
    /// the inner slots (0 to 3), or if no slot is processed next.
    next_digit: Option<OuterDigitSums>,
    /// Mirror image of each bit of a word.
    bit_images: [u8; WORD_BITS],
    chunk_len: usize,
}

impl MirrorFold {
    /// Creates the mirror of the layer after step `t`; `None` if the step does not fold.
    #[must_use]
    pub fn after_step(space: &SignatureSpace, t: usize) -> Option<Self> {
        let steps = space.plan().steps();
        let next = steps.get(t + 1).and_then(|step| step.slot);
        steps[t].mirror_image.as_ref().map(|image| Self::new(space.words(), image, next))
    }

    /// Creates the mirror that maps each slot to its image in `image`. `next` is the slot that is
    /// processed next.
    #[must_use]
    pub fn new(words: &WordNumbering, image: &[Slot], next: Option<Slot>) -> Self {
        let place = |slot: usize| 3u32.pow((usize::from(image[slot]) - SLOTS_PER_WORD) as u32);
        let word = words.outer_sums(|slot, digit| place(slot) * digit);
        let next = next.map(usize::from).filter(|&slot| slot >= SLOTS_PER_WORD);
        let next = next.map(|next| words.outer_sums(|slot, digit| if slot == next { digit } else { 0 }));
        let chunk_len = words.chunk_len();
        let mut fold = Self {
            slot_images: image.to_vec(),
            word_images: word,
            next_digit: next,
            bit_images: [0; WORD_BITS],
            chunk_len,
        };
        for bit in 0..WORD_BITS {
            fold.bit_images[bit] = fold.mirror_bits(1 << bit).trailing_zeros() as u8;
        }
        fold
    }

    /// Returns the mirror image of a word; `None` if the word is its own image.
    #[inline(always)]
    #[must_use]
    pub fn word_image(&self, address: WordAddress) -> Option<WordAddress> {
        let (image, len) = (self.word_images.sum(address), self.chunk_len as u32);
        let is_other = image as usize != address.chunk * self.chunk_len + address.word;
        is_other.then(|| WordAddress { chunk: (image / len) as usize, word: (image % len) as usize })
    }

    /// Returns the mirror image of a chunk. A mirror maps whole chunks to whole chunks.
    #[must_use]
    pub fn chunk_image(&self, chunk: usize) -> usize {
        self.word_images.by_chunk[chunk] as usize / self.chunk_len
    }

    /// Returns the numbers of the chunks and of their mirror images, in ascending order.
    #[must_use]
    pub fn with_image_chunks(&self, mut chunks: Vec<usize>) -> Vec<usize> {
        chunks.extend(chunks.clone().into_iter().map(|chunk| self.chunk_image(chunk)));
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    }

    /// Returns the mirror image of a bit of a word.
    #[inline(always)]
    #[must_use]
    pub fn bit_image(&self, bit: u32) -> u32 {
        u32::from(self.bit_images[bit as usize])
    }

    /// Returns the mirror image of a set of bits of a word.
    #[inline(always)]
    #[must_use]
    pub fn mirror_bits(&self, mut set: u128) -> u128 {
        if self.slot_images[0] == 1 {
            // Digits of slots 0 and 1: bits 1 and 3, 2 and 6, 5 and 7 of every nine.
            set = swap_bits(set, 1, FIRST_OF_EVERY_NINE, 2);
            set = swap_bits(set, 2, FIRST_OF_EVERY_NINE, 4);
            set = swap_bits(set, 5, FIRST_OF_EVERY_NINE, 2);
        }
        if self.slot_images[2] == 3 {
            // Digits of slots 2 and 3: these exchanges with groups of nine bits.
            set = swap_bits(set, 9, LOWEST_NINE, 18);
            set = swap_bits(set, 18, LOWEST_NINE, 36);
            set = swap_bits(set, 45, LOWEST_NINE, 18);
        }
        set
    }

    /// Returns the mirror image of a slot.
    #[inline(always)]
    #[must_use]
    pub fn slot_image(&self, slot: Slot) -> Slot {
        self.slot_images[usize::from(slot)]
    }

    /// Returns the mirror image of the set of slots `ends`.
    #[inline(always)]
    #[must_use]
    pub fn mirror_slots(&self, ends: u32) -> u32 {
        let mut mirrored = 0;
        let mut left = ends;
        while left != 0 {
            mirrored |= 1 << self.slot_images[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        mirrored
    }

    /// Writes to `positions`, for each slot of `ends` in ascending order, the position of its
    /// mirror image among the slots `image_ends`.
    #[inline(always)]
    pub fn image_positions(&self, ends: u32, image_ends: u32, positions: &mut [u8]) {
        let mut left = ends;
        for place in positions {
            let image_bit = 1u32 << self.slot_images[left.trailing_zeros() as usize];
            *place = (image_ends & (image_bit - 1)).count_ones() as u8;
            left &= left - 1;
        }
    }

    /// Returns true if the word `address` represents both itself and its mirror image `image`. The
    /// representative is the word in which the vertex processed next has the greater degree; if
    /// these are equal, the lower word.
    #[inline(always)]
    #[must_use]
    pub fn is_representative(&self, address: WordAddress, image: WordAddress) -> bool {
        if let Some(next) = &self.next_digit {
            let (sum, other) = (next.sum(address), next.sum(image));
            if sum != other {
                return sum > other;
            }
        }
        address < image
    }
}

/// Mask with the lowest bit of every nine bits.
const FIRST_OF_EVERY_NINE: u128 = {
    let (mut mask, mut i) = (0, 0);
    while i < 9 {
        mask |= 1 << (9 * i);
        i += 1;
    }
    mask
};

const LOWEST_NINE: u128 = 0x1ff;

/// Exchanges the bits `mask << offset` of `set` with the bits that are `by` positions higher.
#[inline(always)]
fn swap_bits(set: u128, offset: u32, mask: u128, by: u32) -> u128 {
    let differ = (set >> by ^ set) & (mask << offset);
    set ^ differ ^ differ << by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_sets_bits_and_words_agree() {
        let words = WordNumbering::new(9);
        let fold = MirrorFold::new(&words, &[1, 0, 3, 2, 5, 4, 6, 7, 8], None);
        let digit = |word: usize, bit: usize, slot: usize| {
            let (number, position) =
                if slot < SLOTS_PER_WORD { (bit, slot) } else { (word, slot - SLOTS_PER_WORD) };
            number / 3usize.pow(position as u32) % 3
        };
        for word in 0..words.len() {
            let at = words.word_at(word);
            let image_at = fold.word_image(at).unwrap_or(at);
            let image = words.number_of(image_at);
            assert_eq!(image_at.chunk, fold.chunk_image(at.chunk));
            assert_eq!(fold.word_image(image_at).unwrap_or(image_at), at);
            assert!(
                at == image_at
                    || fold.is_representative(at, image_at) != fold.is_representative(image_at, at)
            );
            for bit in 0..WORD_BITS {
                let image_bit = fold.bit_image(bit as u32) as usize;
                assert_eq!(fold.mirror_bits(1 << bit), 1 << image_bit);
                for slot in 0..9 {
                    let image_slot = usize::from(fold.slot_images[slot]);
                    assert_eq!(digit(word, bit, slot), digit(image, image_bit, image_slot));
                }
            }
        }
        assert_eq!(fold.mirror_slots(0b1_0010_0100), 0b1_0001_1000);
    }
}
