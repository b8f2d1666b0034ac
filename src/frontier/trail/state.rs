//! Single states are a signature and a matching of its ends.

use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::{index_of, matching_at};
use crate::frontier::state::signature::ENDS_IN;
use crate::frontier::state::words::{At, Words};

/// A single state of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The word of its signature.
    pub at: At,
    /// The bit of its signature in the word.
    pub bit: u32,
    /// The index of its matching.
    pub index: usize,
}

impl State {
    /// The only state before the first step, and after the last.
    pub const EMPTY: Self = Self { at: At { high: 0, low: 0 }, bit: 0, index: 0 };

    /// Returns the set of the slots of its ends.
    #[inline(always)]
    #[must_use]
    pub fn ends(&self, words: &Words) -> u32 {
        words.outer_ends(self.at.high, self.at.low) | u32::from(ENDS_IN[self.bit as usize])
    }

    /// Returns its mirror image, if that belongs to another word.
    #[must_use]
    pub fn image(&self, words: &Words, fold: &Fold) -> Option<Self> {
        let at = fold.other(self.at)?;
        let ends = self.ends(words);
        let n = ends.count_ones() as usize;
        let mut places = [0; 32];
        fold.places(ends, fold.ends(ends), &mut places[..n]);
        let mut mates = [0; 32];
        for (p, &mate) in matching_at(n, self.index).iter().enumerate() {
            mates[usize::from(places[p])] = places[usize::from(mate)];
        }
        Some(Self { at, bit: fold.bit(self.bit), index: index_of(&mates[..n]) })
    }
}
