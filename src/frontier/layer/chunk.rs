//! A layer: the weights of all states after a step.
//!
//! States with the same signature are one block, a vector of weights indexed by
//! the index of the matching (see [`matching`](crate::frontier::state::matching)); no key is
//! stored. Blocks lie in the order of their signatures, in one vector for every
//! [`Chunk`] of words. A word and the place of its first block share 128 bits,
//! and the place of any other block follows by counting bits:
//!
//! ```text
//! entry     | place (47 bits) | signatures present (81 bits) |
//! weights   block block block block ...        SIZE[ends] weights each
//! ```
//!
//! So a state costs the 4 bytes of its weight, more only where weights are great, and matchings that no
//! configuration has cost as much: half-way through a sweep one in two to one in
//! three blocks' entries is used, towards its end nearly all are.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::frontier::block::weights::Weights;
use crate::frontier::problem::slot::INNER;
use crate::frontier::state::matching::SIZE;
use crate::frontier::state::signature::{BITS_WITH_ENDS, WORD_BITS, WORD_MASK, Words};

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

    /// As plain bits.
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// From [`Entry::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
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
        Self { entries, weights, bits: 1 }
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

/// An account of the bytes that chunks hold.
#[derive(Debug, Default)]
pub struct Account {
    held: AtomicU64,
    peak: AtomicU64,
}

impl Account {
    /// Whether `bytes` more stay within `limit`; if so they are held from now on.
    #[must_use]
    pub fn take(&self, bytes: u64, limit: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= limit);
        let before = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if let Ok(before) = before {
            self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        }
        before.is_ok()
    }

    /// Frees bytes.
    pub fn give(&self, bytes: u64) {
        let held = self.held.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(held >= bytes, "more is given back than was taken");
    }

    /// Bytes held now.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Greatest number of bytes that were held at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}
