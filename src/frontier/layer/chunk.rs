//! The blocks of one chunk, one after the other.
//!
//! States with the same signature are one block: a vector of weights indexed by the rank of the matching (see
//! [`rank`](crate::frontier::matching::rank)); no keys are stored. Blocks are in the order of their
//! signatures:
//!
//! ```text
//! weights   block block block block ...        SIZE[ends] weights each
//! ```
//!
//! So a state costs the 4 bytes of its weight, more only where weights are great. Matchings without
//! configurations have weights too, namely zero. In the first third of a sweep one weight in ten or fewer is
//! not zero, half-way through one in two or three, towards the end nearly all. Chunks of mostly zeros are
//! stored as a [`SparseVec`](crate::frontier::weights::sparse_vec::SparseVec).

use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::Width;
use crate::frontier::layer::entry::WordEntry;
use crate::frontier::state::words::WordNumbering;

/// The blocks of one chunk.
#[derive(Debug, Default)]
pub struct Chunk {
    /// One entry for each word; empty if no signature is present.
    pub entries: Vec<WordEntry>,
    /// The weights of all blocks.
    pub weights: Weights,
    /// Upper bound of the bit length of the greatest weight.
    pub bits: u32,
}

impl Chunk {
    /// Returns the only chunk of the layer before the first step: no vertex processed, one configuration.
    #[must_use]
    pub fn initial(words: &WordNumbering, weights: Weights) -> Self {
        let mut entries = vec![WordEntry::default(); words.chunk_len()];
        entries[0] = WordEntry::new(1, 0);
        // Residues may use all bits of their width.
        let bits = if weights.width() == Width::W32 { 1 } else { weights.width().bits() };
        Self { entries, weights, bits }
    }

    /// Returns the bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<WordEntry>()) as u64 + self.weights.bytes()
    }

    /// Returns the index of the first weight of a signature's block, if the signature is present.
    #[must_use]
    pub fn find_block(&self, low: usize, bit: u32, outer: usize) -> Option<usize> {
        let entry = self.entries.get(low)?;
        (entry.present_signatures() >> bit & 1 == 1).then(|| entry.block_offset(bit, outer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_chunk_has_one_state() {
        let words = WordNumbering::new(8);
        let first = Chunk::initial(&words, Weights::W32(vec![1].into()));
        assert_eq!(
            (first.find_block(0, 0, 0), first.find_block(0, 1, 0), first.find_block(1, 0, 0)),
            (Some(0), None, None)
        );
        assert_eq!(first.bytes(), 16 * words.chunk_len() as u64 + 4);
    }

    #[test]
    fn find_block_in_empty_chunk_is_none() {
        assert_eq!((Chunk::default().find_block(3, 5, 1), Chunk::default().bytes()), (None, 0));
    }
}
