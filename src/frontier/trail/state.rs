//! Single states are a signature and a matching of its ends.

use crate::frontier::state::fold::MirrorFold;
use crate::frontier::state::matching::{matching_from_index, matching_index};
use crate::frontier::state::signature::ENDS_OF_BIT;
use crate::frontier::state::words::{WordAddress, WordNumbering};

/// A single state of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleState {
    /// The word of its signature.
    pub word: WordAddress,
    /// The bit of its signature in the word.
    pub bit: u32,
    /// The index of its matching.
    pub matching: usize,
}

impl SingleState {
    /// The only state before the first step, and after the last.
    pub const EMPTY: Self = Self { word: WordAddress { chunk: 0, word: 0 }, bit: 0, matching: 0 };

    /// Returns the set of the slots of its ends.
    #[inline(always)]
    #[must_use]
    pub fn end_slots(&self, words: &WordNumbering) -> u32 {
        words.outer_ends(self.word.chunk, self.word.word) | u32::from(ENDS_OF_BIT[self.bit as usize])
    }

    /// Returns its mirror image, if that belongs to another word.
    #[must_use]
    pub fn mirror_image(&self, words: &WordNumbering, fold: &MirrorFold) -> Option<Self> {
        let at = fold.word_image(self.word)?;
        let ends = self.end_slots(words);
        let n = ends.count_ones() as usize;
        let mut places = [0; 32];
        fold.image_positions(ends, fold.mirror_slots(ends), &mut places[..n]);
        let mut mates = [0; 32];
        for (p, &mate) in matching_from_index(n, self.matching).iter().enumerate() {
            mates[usize::from(places[p])] = places[usize::from(mate)];
        }
        Some(Self { word: at, bit: fold.bit_image(self.bit), matching: matching_index(&mates[..n]) })
    }
}
