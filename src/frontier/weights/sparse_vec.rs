//! Sparse vectors (a bitmap and the nonzero weights), and their builder.
//!
//! In the first half of a sweep a layer has more positions than states, since many matchings do not
//! occur: they would need longer paths than the processed vertices allow, or another number of
//! paths. Adding zeros costs as much as adding other numbers, so chunks of mostly zeros omit them:
//!
//! ```text
//! bitmap    a word of 64 bits for 64 positions, a bit set for each weight that is stored
//! ranks     the number of weights stored before each word
//! values    the stored weights
//! ```
//!
//! Memory: 12 bytes for 64 positions, and 4 bytes for each stored weight. A
//! [`SparseSlice`](crate::frontier::weights::sparse_slice::SparseSlice) is a range of positions.
//!
//! A sparse vector is built block by block: positions are appended to the bitmap, and nonzero
//! weights to the values. Vector instructions, where available, find the nonzero weights of a group
//! of up to 64.

use std::borrow::Cow;
use std::ops::Range;

use super::slab_vec::{BlockCapacity, SlabVec};
use super::sparse_slice::{ScatterMap, SparseRange, rank};
use super::weight::{BITMAP_WORD_BITS, Weight, Width, bitmap_of};

/// A vector of 32-bit weights, stored without zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVec {
    pub(in crate::frontier::weights) len: usize,
    pub(in crate::frontier::weights) bitmap: Vec<u64>,
    pub(in crate::frontier::weights) ranks: Vec<u32>,
    pub(in crate::frontier::weights) values: SlabVec<u32>,
}

/// Returns true if a vector of `len` weights, of which `states` are not zero, should be stored
/// without zeros: if less than a share of its weights is nonzero. This share is one third for weights
/// of 16 bits and one sixth for weights of 8 bits. For wider weights it is one half, above which
/// visiting or expanding the weights takes longer. It is four fifths, above which little memory would
/// be saved, with AVX-512, which expands them quickly, and with AVX2 if memory must be saved.
#[must_use]
pub fn is_sparse_cheaper(width: Width, len: usize, states: u64, saves_memory: bool) -> bool {
    #[cfg(target_arch = "x86_64")]
    let expands = crate::cpu_features::has_avx512() || saves_memory && crate::cpu_features::has_avx2();
    #[cfg(not(target_arch = "x86_64"))]
    let expands = {
        let _ = saves_memory;
        false
    };
    let (numerator, denominator) = match width {
        // A stored weight of a sparse vector takes as much memory as two weights of 16 bits, or four of 8.
        Width::W8 => (1, 6),
        Width::W16 => (1, 3),
        _ if expands => (4, 5),
        _ => (1, 2),
    };
    // The ranks of a sparse vector have 32 bits.
    denominator * states < numerator * len as u64
        && states < u64::from(u32::MAX)
        && SparseVec::required_bytes(len, states as usize) <= len as u64 * width.bytes()
}

impl SparseVec {
    /// Returns an empty vector with capacity for `len` positions and `states` stored weights.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn try_with_capacity(len: usize, states: usize) -> Result<Self, std::collections::TryReserveError> {
        let mut new = Self::default();
        new.bitmap.try_reserve_exact(len.div_ceil(BITMAP_WORD_BITS))?;
        new.ranks.try_reserve_exact(len.div_ceil(BITMAP_WORD_BITS))?;
        new.values = SlabVec::try_with_len(states)?;
        Ok(new)
    }

    /// Returns the number of bytes that a vector with `len` positions and `states` stored weights
    /// requires.
    #[must_use]
    pub const fn required_bytes(len: usize, states: usize) -> u64 {
        (len.div_ceil(BITMAP_WORD_BITS) * (size_of::<u64>() + size_of::<u32>()) + states * size_of::<u32>())
            as u64
    }

    /// Appends a group of `len` positions, at most 64. Bit `p` of `map` is set if the weight at
    /// position `p` of the group is stored; `weight_at(p)` returns this weight. All earlier groups
    /// must have 64 positions.
    ///
    /// # Panics
    /// If the vector has more than 2^32 - 1 stored weights.
    #[inline(always)]
    pub fn push_group(&mut self, map: u64, len: usize, weight_at: impl Fn(usize) -> u32) {
        debug_assert!(
            self.len.is_multiple_of(BITMAP_WORD_BITS)
                && len <= BITMAP_WORD_BITS
                && map & !(u64::MAX >> (BITMAP_WORD_BITS - len)) == 0
        );
        self.ranks
            .push(u32::try_from(self.values.len()).expect("a chunk has fewer than 2^32 nonzero weights"));
        self.bitmap.push(map);
        self.len += len;
        let mut remaining_bits = map;
        while remaining_bits != 0 {
            self.values.push(weight_at(remaining_bits.trailing_zeros() as usize));
            remaining_bits &= remaining_bits - 1;
        }
    }

    /// Returns the number of positions: one for each weight, zeros included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of stored weights.
    #[must_use]
    pub fn stored_len(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of groups of 64 positions; the last group may be shorter.
    #[must_use]
    pub const fn group_count(&self) -> usize {
        self.bitmap.len()
    }

    /// Returns the number of allocated bytes, including unused capacity.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (size_of::<u64>() * self.bitmap.capacity() + size_of::<u32>() * self.ranks.capacity()) as u64
            + self.values.bytes()
    }

    /// Returns the weight at a position.
    ///
    /// # Panics
    /// If the position is beyond the last.
    #[must_use]
    pub fn get(&self, position: usize) -> u32 {
        assert!(position < self.len);
        let is_present = self.bitmap[position / BITMAP_WORD_BITS] >> (position % BITMAP_WORD_BITS) & 1 == 1;
        if is_present { self.values[self.rank(position)] } else { 0 }
    }

    /// Returns the weight at a position and replaces it by zero.
    ///
    /// # Panics
    /// If the position is beyond the last.
    pub fn take_weight(&mut self, position: usize) -> u32 {
        assert!(position < self.len);
        let is_present = self.bitmap[position / BITMAP_WORD_BITS] >> (position % BITMAP_WORD_BITS) & 1 == 1;
        let rank = self.rank(position);
        if is_present { std::mem::take(&mut self.values[rank]) } else { 0 }
    }

    /// Returns the number of weights that are stored for positions before `position`.
    #[inline(always)]
    fn rank(&self, position: usize) -> usize {
        rank(&self.bitmap, &self.ranks, position).unwrap_or_else(|| self.values.len())
    }

    /// Returns a range of positions and its stored weights. The weights are copied if they are in
    /// several slabs.
    ///
    /// # Panics
    /// If the range ends beyond the last position.
    #[inline(always)]
    #[must_use]
    pub fn range(&self, positions: Range<usize>) -> SparseRange<'_> {
        assert!(positions.start <= positions.end && positions.end <= self.len);
        let first = self.rank(positions.start);
        // If one slab holds as many weights as there are positions, the end of the range need not be
        // computed.
        let values = match self.values.contiguous(first, positions.len()) {
            Some(values) => Cow::Borrowed(values),
            None => self.values.slice(first..self.rank(positions.end)),
        };
        SparseRange {
            bitmap: &self.bitmap,
            ranks: &self.ranks,
            values,
            start: positions.start,
            len: positions.len(),
        }
    }

    /// Returns all weights of a group, zeros included, and the number of positions of the group.
    #[must_use]
    pub fn dense_group(&self, group: usize) -> ([u32; BITMAP_WORD_BITS], usize) {
        let mut all = [0; BITMAP_WORD_BITS];
        let len = BITMAP_WORD_BITS.min(self.len - group * BITMAP_WORD_BITS);
        self.range(group * BITMAP_WORD_BITS..group * BITMAP_WORD_BITS + len)
            .as_slice()
            .add_to(&mut all[..len], ScatterMap::Identity);
        (all, len)
    }

    /// Returns the bitmap word and the stored weights of a group. A weight that `take_weight`
    /// removed is zero.
    #[must_use]
    pub fn stored_group(&self, group: usize) -> (u64, Cow<'_, [u32]>) {
        let end = self.ranks.get(group + 1).map_or(self.values.len(), |&rank| rank as usize);
        (self.bitmap[group], self.values.slice(self.ranks[group] as usize..end))
    }

    /// Iterates over all weights, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bitmap.len()).flat_map(|group| {
            let (all, len) = self.dense_group(group);
            all.into_iter().take(len)
        })
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::sparse_from_slabs;
    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};

    /// Generates vectors in which one weight in four is not zero.
    pub fn sparse_weights() -> impl Strategy<Value = Vec<u32>> {
        let weight = prop_oneof![3 => Just(0), 1 => 1..u32::MAX / 2];
        prop::collection::vec(weight, 1..300)
    }

    proptest! {
        #[test]
        fn sparse_vec_keeps_weights_and_positions(weights in sparse_weights()) {
            let mut all = sparse_from_slabs(&weights.clone().into());
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), weights.clone());
            prop_assert_eq!(all.bytes(), SparseVec::required_bytes(weights.len(), weights.iter().filter(|&&w| w > 0).count()));
            for (position, &weight) in weights.iter().enumerate() {
                prop_assert_eq!((all.get(position), all.take_weight(position), all.get(position)), (weight, weight, 0));
            }
        }
    }

    #[test]
    fn sparse_vectors_are_chosen_by_density_memory_and_kernels() {
        let densest = |cpu, width, saves_memory| {
            let is_sparse = |states: &u64| is_sparse_cheaper(width, 1000, *states, saves_memory);
            with_kernels(cpu, || (0..=1000).filter(is_sparse).max())
        };
        assert_eq!(densest(KernelSet::Portable, Width::W32, true), Some(499));
        for cpu in KernelSet::ALL {
            assert_eq!(densest(cpu, Width::W8, true), Some(166));
            assert_eq!(densest(cpu, Width::W16, false), Some(333));
            assert!(densest(cpu, Width::W32, false) <= densest(cpu, Width::W32, true));
            assert!(densest(cpu, Width::W32, true) <= Some(799));
        }
        // The ranks of a sparse vector have 32 bits.
        let states = u64::from(u32::MAX);
        assert!(!is_sparse_cheaper(Width::W8, 100 * states as usize, states, true));
        assert!(is_sparse_cheaper(Width::W8, 100 * states as usize, states - 1, true));
    }

    #[test]
    fn zeros_take_only_bitmap_and_rank_bytes() {
        let mut weights = vec![0u32; 6400];
        weights[6000] = 7;
        assert_eq!(sparse_from_slabs(&weights.clone().into()).bytes(), 100 * 12 + 4);
    }
}

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
use super::avx2::{COMPRESS_BUFFER_LEN, CompressBuffer};
#[cfg(target_arch = "x86_64")]
use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, LaneBlock, MAX_GROUPS};
#[cfg(target_arch = "x86_64")]
use super::lanes::{compress_groups, with_widest_lanes};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Returns a sparse vector of the same weights, which must fit 32 bits.
#[must_use]
pub fn sparse_from_slabs<T: Weight>(weights: &SlabVec<T>) -> SparseVec {
    let states = weights.iter().filter(|&&w| w != T::default()).count();
    let mut packing = SparseVecBuilder::with_capacity(BlockCapacity {
        max_weights: weights.len(),
        longest_block: 0,
        expected_nonzero: Some(states),
    });
    const PART_WEIGHTS: usize = 16 * BITMAP_WORD_BITS;
    let mut narrow = [0; PART_WEIGHTS];
    for part in weights.as_slices().flat_map(|slab| slab.chunks(PART_WEIGHTS)) {
        for (narrow, weight) in narrow.iter_mut().zip(part) {
            *narrow = weight.as_u128() as u32;
        }
        packing.append(&narrow[..part.len()]);
    }
    packing.finish()
}

/// Greatest number of weights for which space is reserved at once.
const MAX_APPENDED_WEIGHTS: usize = 2 * BITMAP_WORD_BITS;

/// Number of weights of a block that are appended before they are cleared: a multiple of a bitmap
/// word.
pub const CLEARED_PART_WEIGHTS: usize = 4 * BITMAP_WORD_BITS;

/// Builder of a sparse vector from consecutive blocks of weights.
#[derive(Debug, Default)]
pub struct SparseVecBuilder {
    len: usize,
    bitmap: Vec<u64>,
    values: SlabVec<u32>,
}

impl SparseVecBuilder {
    /// Returns an empty builder with the given capacity.
    #[must_use]
    pub fn with_capacity(capacity: BlockCapacity) -> Self {
        let map = Vec::with_capacity(capacity.max_weights.div_ceil(BITMAP_WORD_BITS) + 1);
        Self {
            len: 0,
            bitmap: map,
            values: SlabVec::with_capacity(
                capacity.stored_weights() + MAX_APPENDED_WEIGHTS,
                capacity.stored_weights_of_longest_block(),
            ),
        }
    }

    /// Returns the number of positions appended so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Appends `weights`, zeros included. Returns the number of nonzero weights among them.
    #[inline]
    pub fn append(&mut self, weights: &[u32]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu_features::has_avx512() {
            // SAFETY: AVX-512 was just detected, and with it the instructions that count bits.
            return unsafe { self.append_avx512(weights) };
        } else if crate::cpu_features::has_avx2() {
            // SAFETY: AVX2 was just detected, and with it the instructions that count bits.
            return unsafe { self.append_avx2(weights) };
        }
        self.append_portable(weights)
    }

    /// Appends `weights`, zeros included, and replaces them by zeros. Returns the number of nonzero
    /// weights among them.
    #[inline]
    pub fn append_and_clear(&mut self, weights: &mut [u32]) -> u64 {
        let mut states = 0;
        // A part is cleared while it is in the first-level cache.
        for part in weights.chunks_mut(CLEARED_PART_WEIGHTS) {
            let nonzero = self.append(part);
            if nonzero > 0 {
                part.fill(0);
            }
            states += nonzero;
        }
        states
    }

    /// Appends `len` zeros.
    #[inline]
    pub fn append_zeros(&mut self, len: usize) {
        self.len += len;
        self.bitmap.resize(self.len.div_ceil(BITMAP_WORD_BITS), 0);
    }

    /// Appends a block of `len` weights that was summed in registers. Returns the number of nonzero
    /// weights among them.
    #[cfg(target_arch = "x86_64")]
    pub fn append_groups_of_lanes(&mut self, block: &LaneBlock, len: usize) -> u64 {
        let (mut left, mut count) = (len, 0);
        for groups in block.groups[..len.div_ceil(GROUP_WEIGHTS)].chunks(MAX_GROUPS) {
            let compressed = self.values.reserve_contiguous(groups.len() * GROUP_LANES).and_then(|slab| {
                let start = slab.len();
                // SAFETY: the instructions were just detected, the slab has capacity for at most seven whole groups,
                // and as many weights are written as bits are set. The last lane of a group is zero.
                with_widest_lanes!(L, unsafe {
                    let nonzero = compress_groups::<L>(groups, slab.as_mut_ptr().add(start));
                    slab.set_len(start + nonzero.count_ones() as usize);
                    nonzero
                })
            });
            let nonzero = compressed.unwrap_or_else(|| {
                let mut nonzero = 0;
                for (number, group) in groups.iter().enumerate() {
                    nonzero |=
                        u128::from(bitmap_of(group.iter().map(|&w| w != 0))) << (GROUP_WEIGHTS * number);
                    group.iter().filter(|&&w| w != 0).for_each(|&w| self.values.push(w));
                }
                nonzero
            });
            let part = left.min(groups.len() * GROUP_WEIGHTS);
            let first = part.min(BITMAP_WORD_BITS);
            self.append_bits(first, nonzero as u64);
            if part > first {
                self.append_bits(part - first, (nonzero >> BITMAP_WORD_BITS) as u64);
            }
            left -= part;
            count += u64::from(nonzero.count_ones());
        }
        count
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn append_avx2(&mut self, weights: &[u32]) -> u64 {
        self.append_groups(weights, |group, to| avx2::compress(group, to))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,bmi1,bmi2,lzcnt,popcnt")]
    fn append_avx512(&mut self, weights: &[u32]) -> u64 {
        self.append_groups(weights, |group, to| avx512::compress(group, to))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn append_groups(
        &mut self,
        weights: &[u32],
        compress: impl Fn(&[u32; BITMAP_WORD_BITS], &mut CompressBuffer) -> u64,
    ) -> u64 {
        let (groups, rest) = weights.as_chunks::<BITMAP_WORD_BITS>();
        let mut states = 0;
        for group in groups {
            states += self.append_compressed(group, BITMAP_WORD_BITS, &compress);
        }
        if !rest.is_empty() {
            let mut group = [0; BITMAP_WORD_BITS];
            group[..rest.len()].copy_from_slice(rest);
            states += self.append_compressed(&group, rest.len(), &compress);
        }
        states
    }

    /// Appends the first `len` weights of a group of 64; the remaining weights of the group must be
    /// zero. `compress` finds the nonzero weights. Returns the number of nonzero weights.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn append_compressed(
        &mut self,
        group: &[u32; BITMAP_WORD_BITS],
        len: usize,
        compress: &impl Fn(&[u32; BITMAP_WORD_BITS], &mut CompressBuffer) -> u64,
    ) -> u64 {
        let nonzero = match self.values.reserve_contiguous(COMPRESS_BUFFER_LEN) {
            Some(slab) => {
                let start = slab.len();
                let buffer =
                    slab.spare_capacity_mut().first_chunk_mut().expect("the slab has capacity for a group");
                let nonzero = compress(group, buffer);
                // SAFETY: `compress` wrote one weight for each bit set in `nonzero`.
                unsafe { slab.set_len(start + nonzero.count_ones() as usize) };
                nonzero
            }
            None => {
                let mut buffer = [MaybeUninit::uninit(); COMPRESS_BUFFER_LEN];
                let nonzero = compress(group, &mut buffer);
                // SAFETY: `compress` wrote one weight for each bit set in `nonzero`.
                buffer[..nonzero.count_ones() as usize]
                    .iter()
                    .for_each(|w| self.values.push(unsafe { w.assume_init() }));
                nonzero
            }
        };
        self.append_bits(len, nonzero);
        nonzero.count_ones().into()
    }

    fn append_portable(&mut self, weights: &[u32]) -> u64 {
        let before = self.values.len();
        for group in weights.chunks(BITMAP_WORD_BITS) {
            self.append_group(group, bitmap_of(group.iter().map(|&w| w != 0)));
        }
        (self.values.len() - before) as u64
    }

    /// Appends a group of up to 64 weights. Bit `p` of `nonzero` is set if weight `p` of the group
    /// is not zero.
    #[inline(always)]
    fn append_group(&mut self, group: &[u32], nonzero: u64) {
        self.append_bits(group.len(), nonzero);
        let mut remaining_bits = nonzero;
        while remaining_bits != 0 {
            self.values.push(group[remaining_bits.trailing_zeros() as usize]);
            remaining_bits &= remaining_bits - 1;
        }
    }

    /// Appends `len` positions, at most 64, to the bitmap only. Bit `p` of `nonzero` is set if the
    /// weight at the `p`th of these positions is not zero.
    #[inline(always)]
    fn append_bits(&mut self, len: usize, nonzero: u64) {
        let bit = self.len % BITMAP_WORD_BITS;
        if bit == 0 {
            self.bitmap.push(nonzero);
        } else {
            *self.bitmap.last_mut().expect("the last bitmap word is partly filled") |= nonzero << bit;
            if bit + len > BITMAP_WORD_BITS {
                self.bitmap.push(nonzero >> (BITMAP_WORD_BITS - bit));
            }
        }
        self.len += len;
    }

    /// Returns a builder that appends to a vector.
    #[must_use]
    pub fn from_vec(vector: SparseVec) -> Self {
        Self { len: vector.len, bitmap: vector.bitmap, values: vector.values }
    }

    /// Appends all weights of another vector.
    pub fn append_vec(&mut self, other: SparseVec) {
        let mut left = other.len;
        for map in other.bitmap {
            let len = left.min(BITMAP_WORD_BITS);
            self.append_bits(len, map);
            left -= len;
        }
        self.values.append(other.values);
    }

    /// Returns the finished vector, without unused capacity.
    ///
    /// # Panics
    /// If there are 2^32 stored weights or more.
    #[must_use]
    pub fn finish(mut self) -> SparseVec {
        assert!(u32::try_from(self.values.len()).is_ok(), "a chunk has fewer than 2^32 nonzero weights");
        let mut rank = 0;
        let ranks = self.bitmap.iter().map(|map| {
            rank += map.count_ones();
            rank - map.count_ones()
        });
        let ranks = ranks.collect();
        self.bitmap.shrink_to_fit();
        self.values.shrink_to_fit();
        SparseVec { len: self.len, bitmap: self.bitmap, ranks, values: self.values }
    }
}

#[cfg(test)]
mod builder_tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn append_concatenates_blocks(blocks in prop::collection::vec(prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..u32::MAX], 1..300), 1..6)) {
            let (mut fast, mut portable) = (SparseVecBuilder::with_capacity(BlockCapacity { max_weights: 7, longest_block: 3, expected_nonzero: Some(3) }), SparseVecBuilder::default());
            for block in &blocks {
                let states = block.iter().filter(|&&w| w > 0).count() as u64;
                if states == 0 {
                    fast.append_zeros(block.len());
                    portable.append_portable(block);
                    continue;
                }
                prop_assert_eq!((fast.append(block), portable.append_portable(block)), (states, states));
            }
            let portable = portable.finish();
            prop_assert_eq!(&fast.finish(), &sparse_from_slabs(&blocks.concat().into()));
            prop_assert_eq!(portable, sparse_from_slabs(&blocks.concat().into()));
        }
    }
}
