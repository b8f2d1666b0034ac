//! The blocks of one chunk of words, one after the other.
//!
//! States with the same signature are one block, a vector of weights indexed by
//! the index of the matching (see [`matching`](crate::frontier::state::matching)); no key is
//! stored. Blocks lie in the order of their signatures:
//!
//! ```text
//! weights   block block block block ...        SIZE[ends] weights each
//! ```
//!
//! So a state costs the 4 bytes of its weight, more only where weights are great. Matchings that no configuration
//! has are places as well: in the first third of a sweep one in ten or fewer is used, half-way through one in two to
//! three, towards its end nearly all are. Chunks of mostly zeros are
//! [`packed`](crate::frontier::block::packed).

use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::Width;
use crate::frontier::layer::entry::Entry;
use crate::frontier::state::words::Words;

/// The blocks of one chunk of words.
#[derive(Debug, Default)]
pub struct Chunk {
    /// One entry a word; empty if no signature is present.
    pub entries: Vec<Entry>,
    /// The blocks.
    pub weights: Weights,
    /// Bits of the greatest weight at most.
    pub bits: u32,
}

impl Chunk {
    /// The only chunk of the layer before the first step: nothing processed, one configuration.
    #[must_use]
    pub fn first(words: &Words, weights: Weights) -> Self {
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        // Residues may be as great as their width.
        let bits = if weights.width() == Width::W32 { 1 } else { weights.width().bits() };
        Self { entries, weights, bits }
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry>()) as u64 + self.weights.bytes()
    }

    /// Place of the first weight of a signature, if it is present.
    #[must_use]
    pub fn find(&self, low: usize, bit: u32, outer: usize) -> Option<usize> {
        let entry = self.entries.get(low)?;
        (entry.present() >> bit & 1 == 1).then(|| entry.place(bit, outer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_chunk_has_one_state() {
        let words = Words::new(8);
        let first = Chunk::first(&words, Weights::W32(vec![1].into()));
        assert_eq!((first.find(0, 0, 0), first.find(0, 1, 0), first.find(1, 0, 0)), (Some(0), None, None));
        assert_eq!(first.bytes(), 16 * words.chunk_len() as u64 + 4);
    }

    #[test]
    fn an_empty_chunk_has_nothing_to_find() {
        assert_eq!((Chunk::default().find(3, 5, 1), Chunk::default().bytes()), (None, 0));
    }
}
