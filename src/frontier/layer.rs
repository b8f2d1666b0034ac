//! A layer: the weights of all states after a step.
//!
//! States with the same signature are one block, a vector of weights indexed by
//! the rank of the matching (see [`matching`](super::matching)); no key is
//! stored. Blocks lie in the order of their signatures, in one vector for every
//! [`Chunk`] of words. A word and the place of its first block share 128 bits,
//! and the place of any other block follows by counting bits:
//!
//! ```text
//! entry     | place (47 bits) | signatures present (81 bits) |
//! weights   block block block block ...        SIZE[ends] weights each
//! ```
//!
//! So a state costs the 4 to 64 bytes of its weight, and matchings that no
//! configuration has cost as much: half-way through a sweep one in two to one in
//! three blocks' entries is used, towards its end nearly all are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::matching::SIZE;
use super::signature::{BITS_WITH_ENDS, INNER, WORD_BITS, WORD_MASK, Words};
use super::weight::Weight;
use super::work::EndBits;

/// A word of present signatures with the place of its first block in its chunk.
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
        (self.0 >> WORD_BITS) as usize + weights_of(below, outer) as usize
    }
}

/// Number of weights in the blocks of a set of signatures of a word with `outer` outer ends.
#[inline(always)]
#[must_use]
pub fn weights_of(present: u128, outer: usize) -> u64 {
    let mut weights = 0;
    for inner in (outer % 2..=INNER).step_by(2) {
        weights += u64::from((present & BITS_WITH_ENDS[inner]).count_ones()) * SIZE[outer + inner];
    }
    weights
}

/// The blocks of one chunk of words.
#[derive(Debug, Default)]
pub struct Chunk<W> {
    /// One entry a word; empty if no signature is present.
    pub entries: Vec<Entry>,
    /// The blocks.
    pub weights: Vec<W>,
}

impl<W> Chunk<W> {
    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry>() + self.weights.capacity() * size_of::<W>()) as u64
    }
}

/// All weights after a step: the chunks that are not empty.
#[derive(Debug)]
pub struct Layer<W> {
    /// By number of the chunk.
    pub chunks: Vec<Option<Arc<Chunk<W>>>>,
    /// Bits of the greatest weights at most.
    pub bits: EndBits,
}

impl Layer<()> {
    /// The signatures of the layer before the first step, without weights.
    #[must_use]
    pub fn outline(words: &Words) -> Self {
        let mut chunks = vec![None; words.chunks()];
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        chunks[0] = Some(Arc::new(Chunk { entries, weights: Vec::new() }));
        Self { chunks, bits: EndBits::default() }
    }
}

impl<W: Weight> Layer<W> {
    /// The layer before the first step: nothing processed, one configuration.
    #[must_use]
    pub fn initial(words: &Words, account: &Account) -> Self {
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        let mut chunks: Vec<Option<Arc<Chunk<W>>>> = vec![None; words.chunks()];
        let mut weights = account.take(1, u64::MAX).expect("there is no limit");
        weights.push(W::ONE);
        chunks[0] = Some(Arc::new(Chunk { entries, weights }));
        let mut bits = EndBits::default();
        bits[0] = 1;
        Self { chunks, bits }
    }

    /// Takes the weight of a finished tour out of the layer.
    pub fn take_finished(&mut self, words: &Words, (word, bit): (usize, u32)) -> W {
        let (high, low) = (word / words.chunk_len(), word % words.chunk_len());
        let Some(chunk) = self.chunks[high].as_mut().and_then(Arc::get_mut) else {
            return W::default();
        };
        let entry = chunk.entries[low];
        if entry.present() >> bit & 1 == 0 {
            return W::default();
        }
        // The block stays, at zero; a block of zeros has no successors.
        std::mem::take(&mut chunk.weights[entry.place(bit, 0)])
    }

    /// Frees what is left of it.
    pub fn free(self, account: &Account) {
        self.chunks
            .into_iter()
            .flatten()
            .filter_map(Arc::into_inner)
            .for_each(|chunk| account.give(chunk.weights));
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().flatten().map(|chunk| chunk.bytes()).sum()
    }
}

/// An account of the bytes that vectors of weights hold.
#[derive(Debug, Default)]
pub struct Account {
    held: AtomicU64,
    peak: AtomicU64,
}

impl Account {
    /// An empty vector with room for `len` weights, or `None` if more than `limit` bytes would be held.
    pub fn take<W>(&self, len: usize, limit: u64) -> Option<Vec<W>> {
        let bytes = (len * size_of::<W>()) as u64;
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if held > limit {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        self.peak.fetch_max(held, Ordering::Relaxed);
        Some(Vec::with_capacity(len))
    }

    /// Frees a vector.
    pub fn give<W>(&self, vector: Vec<W>) {
        self.held.fetch_sub((vector.capacity() * size_of::<W>()) as u64, Ordering::Relaxed);
    }

    /// Greatest number of bytes that were held at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
