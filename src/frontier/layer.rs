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

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::matching::SIZE;
use super::signature::{BITS_WITH_ENDS, INNER, WORD_BITS, WORD_MASK, Words};
use super::weight::Weight;

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
    /// Bits of the greatest weight at most.
    pub bits: u32,
}

impl<W: Weight> Layer<W> {
    /// The layer before the first step: nothing processed, one configuration.
    #[must_use]
    pub fn initial(words: &Words, store: &Store<W>) -> Self {
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        let mut chunks: Vec<Option<Arc<Chunk<W>>>> = vec![None; words.chunks()];
        chunks[0] = Some(Arc::new(Chunk { entries, weights: store.first() }));
        Self { chunks, bits: 1 }
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

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().flatten().map(|chunk| chunk.bytes()).sum()
    }
}

/// Vectors of weights for reuse, and an account of the bytes in use.
///
/// Memory that comes fresh from the system costs a page fault every 4 kB, more
/// than the weights written to it; vectors of consumed chunks are used again.
#[derive(Debug, Default)]
pub struct Store<W> {
    spare: Mutex<BTreeMap<usize, Vec<Vec<W>>>>,
    /// Bytes of vectors that are in use or spare.
    held: AtomicU64,
    /// Greatest value of `held` so far.
    peak: AtomicU64,
}

impl<W: Weight> Store<W> {
    /// The one weight of the initial layer.
    fn first(&self) -> Vec<W> {
        let mut vector = self.take(1, u64::MAX).expect("there is no limit");
        vector.push(W::ONE);
        vector
    }

    /// An empty vector with room for `len` weights, or `None` if `limit` bytes would be exceeded.
    pub fn take(&self, len: usize, limit: u64) -> Option<Vec<W>> {
        {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = spare.range(len..=len + len / 8 + 64).next().map(|(&capacity, _)| capacity);
            if let Some(capacity) = fits {
                let list = spare.get_mut(&capacity).expect("found just now");
                let vector = list.pop();
                if list.is_empty() {
                    spare.remove(&capacity);
                }
                if vector.is_some() {
                    return vector;
                }
            }
        }
        let bytes = (len * size_of::<W>()) as u64;
        while self.held.load(Ordering::Relaxed) + bytes > limit {
            // Spare vectors that do not fit are only in the way.
            if !self.drop_one() {
                return None;
            }
        }
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(held, Ordering::Relaxed);
        Some(Vec::with_capacity(len))
    }

    /// Gives a vector back.
    pub fn give(&self, mut vector: Vec<W>) {
        vector.clear();
        if vector.capacity() > 0 {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            spare.entry(vector.capacity()).or_default().push(vector);
        }
    }

    /// Gives a vector back for good.
    pub fn discard(&self, vector: Vec<W>) {
        self.held.fetch_sub((vector.capacity() * size_of::<W>()) as u64, Ordering::Relaxed);
    }

    /// Bytes in use or spare.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Drops spare vectors until at most `bytes` of them are left.
    pub fn trim(&self, bytes: u64) {
        let mut left: u64 = {
            let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            spare.iter().map(|(capacity, list)| (capacity * size_of::<W>() * list.len()) as u64).sum()
        };
        while left > bytes {
            let before = self.held.load(Ordering::Relaxed);
            if !self.drop_one() {
                break;
            }
            left = left.saturating_sub(before - self.held.load(Ordering::Relaxed));
        }
    }

    /// Greatest number of bytes that were in use or spare at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    fn drop_one(&self) -> bool {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((capacity, mut list)) = spare.pop_last() else {
            return false;
        };
        list.pop();
        self.held.fetch_sub((capacity * size_of::<W>()) as u64, Ordering::Relaxed);
        if !list.is_empty() {
            spare.insert(capacity, list);
        }
        true
    }
}
