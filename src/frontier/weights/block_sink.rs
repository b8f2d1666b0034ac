//! Sinks, which store finished blocks in slabs, in sparse vectors, or as residues; and the types of
//! stored weights.
//!
//! A target block is summed in a buffer of its sink. The sink then stores the block in its own
//! form, or discards the block if it is zero.

#[cfg(target_arch = "x86_64")]
use super::avx512;
#[cfg(target_arch = "x86_64")]
use super::lane_map::{GROUP_WEIGHTS, LaneBlock};
use super::modulus::{Reducible, ResidueRing};
use super::slab_vec::{BlockCapacity, SlabVec};
use super::sparse_vec::SparseVecBuilder;
use super::vector::Weights;
use super::weight::Weight;
#[cfg(target_arch = "x86_64")]
use super::weight::Widen;
use crate::cpu_features::vectorised;

/// A vector of blocks under construction. Each block is summed in numbers of type `T`.
pub trait BlockSink<T> {
    /// Returns a buffer of `len` zeros in which the next block is summed.
    fn begin_block(&mut self, len: usize) -> &mut [T];

    /// Stores the current block. Returns the number of its nonzero weights.
    fn commit_block(&mut self) -> u64;

    /// Discards the current block.
    fn discard_block(&mut self);

    /// Stores a block of `len` weights that was summed in registers. Returns the number of its
    /// nonzero weights.
    #[cfg(target_arch = "x86_64")]
    fn append_groups(&mut self, block: &LaneBlock, len: usize) -> u64
    where
        T: Widen<u32>,
    {
        self.begin_block(len).iter_mut().zip(block.weights(len)).for_each(|(to, w)| *to = T::widen(w));
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
pub fn zeroed<T: Weight>(vector: &mut Vec<T>, len: usize) -> &mut [T] {
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

impl<T: StoredWeight> BlockSink<T> for DenseSink<T> {
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
    fn append_groups(&mut self, block: &LaneBlock, len: usize) -> u64
    where
        T: Widen<u32>,
    {
        let Some(slab) = self.weights.reserve_contiguous(len) else {
            let all: Vec<T> = block.weights(len).map(T::widen).collect();
            self.weights.extend_from_slice(&all);
            return T::count_nonzero(&all);
        };
        if let Some(nonzero) = T::pack_groups(slab, block, len) {
            return nonzero;
        }
        slab.extend(block.weights(len).map(T::widen));
        block.groups(len).flatten().map(|&w| u64::from(w != 0)).sum()
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn finish(mut self) -> Weights {
        self.weights.shrink_to_fit();
        T::wrap_slabs(self.weights)
    }
}

/// Sink of 32-bit blocks, which stores no zeros.
#[derive(Default)]
pub struct SparseSink {
    builder: SparseVecBuilder,
    /// Buffer for the current block; zeros between two blocks.
    block: Vec<u32>,
    /// Number of weights of the current block.
    block_len: usize,
}

impl SparseSink {
    /// Returns an empty sink with the given capacity.
    #[must_use]
    pub fn with_capacity(capacity: BlockCapacity) -> Self {
        Self { builder: SparseVecBuilder::with_capacity(capacity), block: Vec::new(), block_len: 0 }
    }
}

impl BlockSink<u32> for SparseSink {
    fn begin_block(&mut self, len: usize) -> &mut [u32] {
        if self.block.len() < len {
            self.block.resize(len, 0);
        }
        self.block_len = len;
        &mut self.block[..len]
    }

    fn commit_block(&mut self) -> u64 {
        self.builder.append_and_clear(&mut self.block[..self.block_len])
    }

    fn discard_block(&mut self) {
        // A block is discarded if all its sums are zero.
        debug_assert!(self.block.iter().all(|&w| w == 0));
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

/// Sink of blocks that are summed in numbers of type `T` and stored as residues of type `N`.
pub struct ResidueSink<T, N> {
    ring: ResidueRing,
    /// Buffer for the sums of the current block.
    sums: Vec<T>,
    /// Buffer for the residues of the current block.
    residues: Vec<N>,
    stored: SlabVec<N>,
}

impl<T, N> ResidueSink<T, N> {
    /// Returns an empty sink for residues of `ring`, with the given capacity.
    #[must_use]
    pub fn with_capacity(ring: ResidueRing, capacity: BlockCapacity) -> Self {
        let stored = SlabVec::with_capacity(capacity.max_weights, capacity.longest_block);
        Self { ring, sums: Vec::new(), residues: Vec::new(), stored }
    }
}

impl<T: Reducible, N: StoredWeight> BlockSink<T> for ResidueSink<T, N> {
    fn begin_block(&mut self, len: usize) -> &mut [T] {
        zeroed(&mut self.sums, len)
    }

    fn commit_block(&mut self) -> u64 {
        self.residues.clear();
        self.ring.append_residues(&self.sums, &mut self.residues);
        self.stored.extend_from_slice(&self.residues);
        N::count_nonzero(&self.residues)
    }

    fn discard_block(&mut self) {}

    fn len(&self) -> usize {
        self.stored.len()
    }

    fn finish(mut self) -> Weights {
        self.stored.shrink_to_fit();
        N::wrap_slabs(self.stored)
    }

    fn ring(&self) -> Option<ResidueRing> {
        Some(self.ring)
    }
}

/// Sink of blocks that are summed in numbers of type `T` and stored as 32-bit residues without
/// zeros.
pub struct SparseResidueSink<T> {
    ring: ResidueRing,
    /// Buffer for the sums of the current block.
    sums: Vec<T>,
    /// Buffer for the residues of the current block.
    residues: Vec<u32>,
    builder: SparseVecBuilder,
}

impl<T> SparseResidueSink<T> {
    /// Returns an empty sink for residues of `ring`, with the given capacity.
    #[must_use]
    pub fn with_capacity(ring: ResidueRing, capacity: BlockCapacity) -> Self {
        Self {
            ring,
            sums: Vec::new(),
            residues: Vec::new(),
            builder: SparseVecBuilder::with_capacity(capacity),
        }
    }
}

impl<T: Reducible> BlockSink<T> for SparseResidueSink<T> {
    fn begin_block(&mut self, len: usize) -> &mut [T] {
        zeroed(&mut self.sums, len)
    }

    fn commit_block(&mut self) -> u64 {
        self.residues.clear();
        self.ring.append_residues(&self.sums, &mut self.residues);
        self.builder.append(&self.residues)
    }

    fn discard_block(&mut self) {}

    fn len(&self) -> usize {
        self.builder.len()
    }

    fn finish(self) -> Weights {
        Weights::Sparse(self.builder.finish())
    }

    fn ring(&self) -> Option<ResidueRing> {
        Some(self.ring)
    }
}

/// A number type of the weights that layers store.
pub trait StoredWeight: Weight {
    /// Returns the slabs in the variant of [`Weights`] for this type.
    fn wrap_slabs(weights: SlabVec<Self>) -> Weights;

    /// Returns the number of nonzero weights in a slice.
    fn count_nonzero(weights: &[Self]) -> u64;

    /// Appends the `len` weights of a block of groups to a vector that has capacity for them. Returns
    /// the number of nonzero weights, or `None` if the processor has no kernel for this type.
    #[cfg(target_arch = "x86_64")]
    fn pack_groups(_weights: &mut Vec<Self>, _block: &LaneBlock, _len: usize) -> Option<u64> {
        None
    }
}

/// Returns the number of nonzero weights in a slice. It counts in pieces of 65,536 weights, so that
/// a counter is no wider than a weight.
#[inline(always)]
fn count_nonzero_in<T: Weight>(weights: &[T]) -> u64 {
    let of = |part: &[T]| part.iter().map(|&w| u32::from(w != T::default())).sum::<u32>();
    weights.chunks(1 << 16).map(|part| u64::from(of(part))).sum()
}

/// Implements [`StoredWeight`] for a number type, with the variant of [`Weights`] for this type.
macro_rules! stored_weight {
    ($type:ty, $own:ident $(, $pack_groups:item)?) => {
        impl StoredWeight for $type {
            $(
                #[cfg(target_arch = "x86_64")]
                $pack_groups
            )?

            fn wrap_slabs(weights: SlabVec<Self>) -> Weights {
                Weights::$own(weights)
            }

            vectorised! {
                fn count_nonzero(weights: &[$type]) -> u64 {
                    count_nonzero_in(weights)
                }
            }
        }
    };
}

stored_weight!(u8, W8);
stored_weight!(u16, W16);
stored_weight!(
    u32,
    W32,
    fn pack_groups(weights: &mut Vec<Self>, block: &LaneBlock, len: usize) -> Option<u64> {
        if !crate::cpu_features::has_avx512() {
            return None;
        }
        let start = weights.len();
        let groups = &block.groups[..len.div_ceil(GROUP_WEIGHTS)];
        assert!(weights.capacity() - start >= len);
        // SAFETY: AVX-512 was just detected, and the vector has capacity for the weights, all of which are written.
        unsafe {
            let nonzero = avx512::pack_groups(groups, len, weights.as_mut_ptr().add(start));
            weights.set_len(start + len);
            Some(nonzero)
        }
    }
);
stored_weight!(u64, W64);
stored_weight!(u128, W128);
