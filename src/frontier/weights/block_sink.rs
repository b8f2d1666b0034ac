//! Sinks, which store finished blocks in slabs, in sparse vectors, or as residues.
//!
//! A target block is summed in a buffer of its sink. The sink then stores the block in its own
//! form, or discards the block if it is zero.

use rayon::prelude::*;

use super::block_map::MIN_DIVIDED_WEIGHTS;
#[cfg(target_arch = "x86_64")]
use super::lane_map::LaneBlock;
use super::modulus::ResidueRing;
use super::slab_vec::{BlockCapacity, SlabVec};
use super::sparse_vec::{CLEARED_PART_WEIGHTS, SparseVecBuilder};
use super::sum_weight::SumWeight;
use super::vector::Weights;
use super::weight::{Weight, is_zero};

/// A vector of blocks under construction. Each block is summed in numbers of type `T`.
pub trait BlockSink<T: SumWeight> {
    /// Returns a buffer of `len` zeros in which the next block is summed.
    fn begin_block(&mut self, len: usize) -> &mut [T];

    /// Stores the current block. Returns the number of its nonzero weights.
    fn commit_block(&mut self) -> u64;

    /// Discards the current block.
    fn discard_block(&mut self);

    /// Stores a block of `len` weights that was summed in registers. Returns the number of its
    /// nonzero weights.
    #[cfg(target_arch = "x86_64")]
    fn append_groups(&mut self, block: &LaneBlock, len: usize) -> u64 {
        self.begin_block(len).iter_mut().zip(block.weights(len)).for_each(|(to, w)| *to = T::from(w));
        self.commit_block()
    }

    /// Returns the number of weights stored so far.
    fn len(&self) -> usize;

    /// Returns the vector of all stored blocks.
    fn finish(self) -> Weights;

    /// Returns the ring of the stored residues; `None` if the stored weights are no residues.
    fn ring(&self) -> Option<ResidueRing> {
        None
    }
}

/// Replaces the contents of `vector` by `len` zeros and returns them as a slice.
pub fn zeroed<T: Clone + Default>(vector: &mut Vec<T>, len: usize) -> &mut [T] {
    vector.clear();
    vector.resize(len, T::default());
    vector
}

/// Sink of dense blocks, which stores every block in the width of its sums. A block is summed where
/// it is stored.
pub struct DenseSink<T> {
    weights: SlabVec<T>,
    /// Number of weights of the current block.
    block_len: usize,
    /// Buffer for the current block, used if the block does not fit the last slab.
    overflow_block: Vec<T>,
    is_in_overflow_block: bool,
}

impl<T> DenseSink<T> {
    /// Returns an empty sink with the given capacity.
    #[must_use]
    pub fn with_capacity(capacity: BlockCapacity) -> Self {
        Self {
            weights: SlabVec::with_capacity(capacity.max_weights, capacity.longest_block),
            block_len: 0,
            overflow_block: Vec::new(),
            is_in_overflow_block: false,
        }
    }
}

impl<T: SumWeight> BlockSink<T> for DenseSink<T>
where
    Weights: From<SlabVec<T>>,
{
    fn begin_block(&mut self, len: usize) -> &mut [T] {
        self.block_len = len;
        self.is_in_overflow_block = true;
        let Some(slab) = self.weights.reserve_contiguous(len) else {
            return zeroed(&mut self.overflow_block, len);
        };
        self.is_in_overflow_block = false;
        let start = slab.len();
        slab.resize(start + len, T::default());
        &mut slab[start..]
    }

    fn commit_block(&mut self) -> u64 {
        if self.is_in_overflow_block {
            self.weights.extend_from_slice(&self.overflow_block);
            return T::count_nonzero(&self.overflow_block);
        }
        T::count_nonzero(
            self.weights
                .last_contiguous(self.block_len)
                .expect("a block outside the overflow buffer is in one slab"),
        )
    }

    fn discard_block(&mut self) {
        if !self.is_in_overflow_block {
            self.weights.remove_last(self.block_len);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn append_groups(&mut self, block: &LaneBlock, len: usize) -> u64 {
        let Some(slab) = self.weights.reserve_contiguous(len) else {
            let all: Vec<T> = block.weights(len).map(T::from).collect();
            self.weights.extend_from_slice(&all);
            return T::count_nonzero(&all);
        };
        if let Some(nonzero) = T::pack_groups(slab, block, len) {
            return nonzero;
        }
        slab.extend(block.weights(len).map(T::from));
        block.groups(len).flatten().map(|&w| u64::from(w != 0)).sum()
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn finish(mut self) -> Weights {
        self.weights.shrink_to_fit();
        self.weights.into()
    }
}

/// Number of entries that [`clear`] tests and sets at a time.
const ENTRIES_PER_CLEARING: usize = 1 << 16;

/// Sets all entries of a block to zero. Parts of a large block that are zero already are only read, and the
/// largest blocks are divided among idle threads.
pub fn clear<T: Weight>(block: &mut [T]) {
    let clear_part = |part: &mut [T]| {
        if !is_zero(part) {
            part.fill(T::default());
        }
    };
    if block.len() < MIN_DIVIDED_WEIGHTS {
        block.chunks_mut(ENTRIES_PER_CLEARING).for_each(clear_part);
    } else {
        block.par_chunks_mut(ENTRIES_PER_CLEARING).for_each(clear_part);
    }
}

/// Buffer in which sums are formed that are then stored, or added, elsewhere. It has only zeros between two
/// blocks.
#[derive(Default)]
pub struct SumBuffer<T> {
    sums: Vec<T>,
    /// Number of weights of the current block.
    block_len: usize,
}

impl<T: Weight> SumBuffer<T> {
    /// Returns `len` zeros in which a block is summed. The caller clears them before the next block.
    pub fn begin_block(&mut self, len: usize) -> &mut [T] {
        debug_assert!(is_zero(self.block()), "sums of the last block were not cleared");
        if self.sums.len() < len {
            self.sums.resize(len, T::default());
        }
        self.block_len = len;
        &mut self.sums[..len]
    }

    fn block(&mut self) -> &mut [T] {
        &mut self.sums[..self.block_len]
    }

    /// Discards a block, all of whose sums are zero.
    fn discard_block(&self) {
        debug_assert!(is_zero(&self.sums[..self.block_len]));
    }
}

/// Sink of 32-bit blocks, which stores no zeros.
#[derive(Default)]
pub struct SparseSink {
    builder: SparseVecBuilder,
    buffer: SumBuffer<u32>,
}

impl SparseSink {
    /// Returns an empty sink with the given capacity.
    #[must_use]
    pub fn with_capacity(capacity: BlockCapacity) -> Self {
        Self { builder: SparseVecBuilder::with_capacity(capacity), buffer: SumBuffer::default() }
    }
}

impl BlockSink<u32> for SparseSink {
    fn begin_block(&mut self, len: usize) -> &mut [u32] {
        self.buffer.begin_block(len)
    }

    fn commit_block(&mut self) -> u64 {
        self.builder.append_and_clear(self.buffer.block())
    }

    fn discard_block(&mut self) {
        self.buffer.discard_block();
    }

    #[cfg(target_arch = "x86_64")]
    fn append_groups(&mut self, block: &LaneBlock, len: usize) -> u64 {
        self.builder.append_groups_of_lanes(block, len)
    }

    fn len(&self) -> usize {
        self.builder.len()
    }

    fn finish(self) -> Weights {
        Weights::Sparse(self.builder.finish())
    }
}

/// Sink of blocks that are summed in numbers of type `T` and stored as residues of type `N` in a
/// vector of type `V`.
pub struct ResidueSink<T, N, V> {
    ring: ResidueRing,
    buffer: SumBuffer<T>,
    /// Buffer for the residues of a part of a block.
    residues: Vec<N>,
    stored: V,
}

impl<T: Weight, N, V: ResidueVec<N>> ResidueSink<T, N, V> {
    /// Returns an empty sink for residues of `ring`, with the given capacity.
    #[must_use]
    pub fn with_capacity(ring: ResidueRing, capacity: BlockCapacity) -> Self {
        let stored = V::with_capacity_for(capacity);
        Self { ring, buffer: SumBuffer { sums: Vec::new(), block_len: 0 }, residues: Vec::new(), stored }
    }
}

impl<T: SumWeight, N: Weight, V: ResidueVec<N>> BlockSink<T> for ResidueSink<T, N, V> {
    fn begin_block(&mut self, len: usize) -> &mut [T] {
        self.buffer.begin_block(len)
    }

    fn commit_block(&mut self) -> u64 {
        let mut nonzero = 0;
        // A part is cleared while it is in the first-level cache.
        for part in self.buffer.block().chunks_mut(CLEARED_PART_WEIGHTS) {
            if is_zero(part) {
                self.stored.append_zeros(part.len());
                continue;
            }
            self.residues.clear();
            self.ring.append_residues(part, &mut self.residues);
            nonzero += self.stored.append_residues(&self.residues);
            part.fill(T::default());
        }
        nonzero
    }

    fn discard_block(&mut self) {
        self.buffer.discard_block();
    }

    fn len(&self) -> usize {
        self.stored.residue_count()
    }

    fn finish(self) -> Weights {
        self.stored.into_weights()
    }

    fn ring(&self) -> Option<ResidueRing> {
        Some(self.ring)
    }
}

/// A vector of residues of type `N`, to which blocks are appended.
pub trait ResidueVec<N> {
    /// Returns an empty vector with the given capacity.
    fn with_capacity_for(capacity: BlockCapacity) -> Self;

    /// Appends residues, zeros included. Returns the number of nonzero residues among them.
    fn append_residues(&mut self, residues: &[N]) -> u64;

    /// Appends `len` zeros.
    fn append_zeros(&mut self, len: usize);

    /// Returns the number of residues, zeros included.
    fn residue_count(&self) -> usize;

    /// Returns the finished vector, without unused capacity.
    fn into_weights(self) -> Weights;
}

impl<N: Weight> ResidueVec<N> for SlabVec<N>
where
    Weights: From<Self>,
{
    fn with_capacity_for(capacity: BlockCapacity) -> Self {
        Self::with_capacity(capacity.max_weights, capacity.longest_block)
    }

    fn append_residues(&mut self, residues: &[N]) -> u64 {
        self.extend_from_slice(residues);
        N::count_nonzero(residues)
    }

    fn append_zeros(&mut self, len: usize) {
        self.extend_from_slice(&[N::default(); CLEARED_PART_WEIGHTS][..len]);
    }

    fn residue_count(&self) -> usize {
        self.len()
    }

    fn into_weights(mut self) -> Weights {
        self.shrink_to_fit();
        self.into()
    }
}

impl ResidueVec<u32> for SparseVecBuilder {
    fn with_capacity_for(capacity: BlockCapacity) -> Self {
        Self::with_capacity(capacity)
    }

    fn append_residues(&mut self, residues: &[u32]) -> u64 {
        self.append(residues)
    }

    fn append_zeros(&mut self, len: usize) {
        self.append_zeros(len);
    }

    fn residue_count(&self) -> usize {
        self.len()
    }

    fn into_weights(self) -> Weights {
        Weights::Sparse(self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_leaves_only_zeros() {
        for len in [0, 1, 257, ENTRIES_PER_CLEARING, MIN_DIVIDED_WEIGHTS + 7, 3 * ENTRIES_PER_CLEARING + 7] {
            let mut block = vec![0u32; len];
            assert!(is_zero(&block));
            if let Some(last) = block.last_mut() {
                *last = 1;
                assert!(!is_zero(&block));
            }
            clear(&mut block);
            assert!(is_zero(&block), "{len}");
        }
    }
}
