//! A layer: the weights of all states after a step.
//!
//! States with the same signature are one block, a vector of weights indexed by
//! the rank of the matching (see [`matching`](super::matching)); no key is
//! stored. Blocks lie in the order of their signatures, a [`Segment`] for every
//! chunk of words. A word and the place of its first block share 128 bits, and
//! the place of any other block follows by counting bits:
//!
//! ```text
//! entry    | place (47 bits) | signatures present (81 bits) |
//! segment    block block block block ...        weights, SIZE[ends] each
//! ```

use super::matching::SIZE;
use super::signature::{BITS_WITH_ENDS, INNER, WORD_BITS, WORD_MASK, Words};
use super::weight::Weight;

/// A word of present signatures with the place of its first block in its segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u128);

impl Entry {
    /// Packs a set of signatures and a place.
    #[inline(always)]
    #[must_use]
    pub fn new(present: u128, place: usize) -> Self {
        debug_assert!(place < 1 << 47);
        Self(present | (place as u128) << WORD_BITS)
    }

    /// The signatures that are present.
    #[inline(always)]
    #[must_use]
    pub fn present(self) -> u128 {
        self.0 & WORD_MASK
    }

    /// Place of the block of the signature `bit`, for a word with `outer` ends in the outer slots.
    #[inline(always)]
    #[must_use]
    pub fn place(self, bit: u32, outer: usize) -> usize {
        let below = self.0 & ((1 << bit) - 1);
        let mut place = (self.0 >> WORD_BITS) as usize;
        for inner in (outer % 2..=INNER).step_by(2) {
            place += (below & BITS_WITH_ENDS[inner]).count_ones() as usize * SIZE[outer + inner] as usize;
        }
        place
    }
}

/// Number of weights in the blocks of a set of signatures of a word with `outer` outer ends.
#[inline(always)]
#[must_use]
pub fn weights_of(present: u128, outer: usize) -> u64 {
    (outer % 2..=INNER)
        .step_by(2)
        .map(|inner| u64::from((present & BITS_WITH_ENDS[inner]).count_ones()) * SIZE[outer + inner])
        .sum()
}

/// All weights after a step.
#[derive(Debug)]
pub struct Layer<W> {
    /// One entry a word.
    pub entries: Vec<Entry>,
    /// The blocks, one vector a chunk.
    pub segments: Vec<Vec<W>>,
}

impl<W: Weight> Layer<W> {
    /// The layer before the first step: nothing processed, one configuration.
    #[must_use]
    pub fn initial(words: &Words) -> Self {
        let mut entries = vec![Entry::default(); words.len()];
        entries[0] = Entry::new(1, 0);
        let mut segments = vec![Vec::new(); words.chunks()];
        segments[0].push(W::ONE);
        Self { entries, segments }
    }

    /// Takes the block of the finished tours with this signature out of the layer.
    pub fn take_finished(&mut self, words: &Words, (word, bit): (usize, u32)) -> W {
        let entry = self.entries[word];
        if entry.present() >> bit & 1 == 0 {
            return W::default();
        }
        // The weight stays where it is, unreachable; later blocks of the word must not move.
        let place = entry.place(bit, 0);
        std::mem::take(&mut self.segments[word / words.chunk_len()][place])
    }

    /// Weights held, zeros included.
    #[must_use]
    pub fn weights(&self) -> u64 {
        self.segments.iter().map(|s| s.len() as u64).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let blocks: u64 = self.segments.iter().map(|s| (s.capacity() * size_of::<W>()) as u64).sum();
        blocks + (self.entries.len() * size_of::<Entry>()) as u64
    }
}
