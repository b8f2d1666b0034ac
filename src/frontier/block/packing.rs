//! A sparse vector is built block by block: positions are appended to the bitmap, and nonzero weights to the
//! values.

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

use crate::frontier::block::nonzero;
use crate::frontier::block::packed::SparseVec;
use crate::frontier::block::part::BITMAP_WORD_BITS;
use crate::frontier::block::slabs::{BlockCapacity, SlabVec};
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::weight::{COMPRESS_BUFFER_LEN, CompressBuffer};
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// Returns the weights as a sparse vector.
#[must_use]
pub fn sparse_from_slabs(weights: &SlabVec<u32>) -> SparseVec {
    let states = weights.iter().filter(|&&w| w != 0).count();
    let mut packing = SparseVecBuilder::with_capacity(BlockCapacity {
        max_weights: weights.len(),
        longest_block: 0,
        expected_nonzero: Some(states),
    });
    weights.as_slices().for_each(|piece| {
        packing.append(piece);
    });
    packing.finish()
}

/// Builder of a sparse vector.
#[derive(Debug, Default)]
pub struct SparseVecBuilder {
    len: usize,
    bitmap: Vec<u64>,
    values: SlabVec<u32>,
}

impl SparseVecBuilder {
    /// Returns an empty builder with this capacity.
    #[must_use]
    pub fn with_capacity(room: BlockCapacity) -> Self {
        let map = Vec::with_capacity(room.max_weights.div_ceil(BITMAP_WORD_BITS) + 1);
        Self {
            len: 0,
            bitmap: map,
            values: SlabVec::with_capacity(
                room.stored_weights() + BITMAP_WORD_BITS,
                room.stored_weights_of_longest_block(),
            ),
        }
    }

    /// Returns the number of positions so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Appends weights; returns how many of them are not zero.
    #[inline]
    pub fn append(&mut self, weights: &[u32]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if crate::cpu::has_avx512() {
            // SAFETY: AVX-512 was just detected, and with it the instructions that count bits.
            return unsafe { self.append_avx512(weights) };
        } else if crate::cpu::has_avx2() {
            // SAFETY: AVX2 was just detected, and with it the instructions that count bits.
            return unsafe { self.append_avx2(weights) };
        }
        self.append_portable(weights)
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

    /// Appends the first `len` positions of a group, whose other positions are zero; returns how many weights
    /// are not zero.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn append_compressed(
        &mut self,
        group: &[u32; BITMAP_WORD_BITS],
        len: usize,
        compress: &impl Fn(&[u32; BITMAP_WORD_BITS], &mut CompressBuffer) -> u64,
    ) -> u64 {
        let there = match self.values.reserve_contiguous(COMPRESS_BUFFER_LEN) {
            Some(slab) => {
                let start = slab.len();
                let room =
                    slab.spare_capacity_mut().first_chunk_mut().expect("the slab has capacity for a group");
                let there = compress(group, room);
                // SAFETY: as many weights were written.
                unsafe { slab.set_len(start + there.count_ones() as usize) };
                there
            }
            None => {
                let mut room = [MaybeUninit::uninit(); COMPRESS_BUFFER_LEN];
                let there = compress(group, &mut room);
                // SAFETY: as many weights were written.
                room[..there.count_ones() as usize]
                    .iter()
                    .for_each(|w| self.values.push(unsafe { w.assume_init() }));
                there
            }
        };
        self.append_bits(len, there);
        there.count_ones().into()
    }

    fn append_portable(&mut self, weights: &[u32]) -> u64 {
        let before = self.values.len();
        for group in weights.chunks(BITMAP_WORD_BITS) {
            self.append_group(group, nonzero::bitmap_of(group.iter().map(|&w| w != 0)));
        }
        (self.values.len() - before) as u64
    }

    /// Appends up to 64 weights; `there` has a bit for each one that is not zero.
    #[inline(always)]
    fn append_group(&mut self, group: &[u32], there: u64) {
        self.append_bits(group.len(), there);
        let mut rest = there;
        while rest != 0 {
            self.values.push(group[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
    }

    /// Appends `len` positions, at most 64, to the bitmap; `there` has a bit for each weight that is not
    /// zero.
    #[inline(always)]
    fn append_bits(&mut self, len: usize, there: u64) {
        let bit = self.len % BITMAP_WORD_BITS;
        if bit == 0 {
            self.bitmap.push(there);
        } else {
            *self.bitmap.last_mut().expect("the last bitmap word is partly filled") |= there << bit;
            if bit + len > BITMAP_WORD_BITS {
                self.bitmap.push(there >> (BITMAP_WORD_BITS - bit));
            }
        }
        self.len += len;
    }

    /// Returns the vector, without unused capacity.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn append_concatenates_blocks(blocks in prop::collection::vec(prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..u32::MAX], 1..300), 1..6)) {
            let (mut fast, mut portable) = (SparseVecBuilder::with_capacity(BlockCapacity { max_weights: 7, longest_block: 3, expected_nonzero: Some(3) }), SparseVecBuilder::default());
            for block in &blocks {
                let states = block.iter().filter(|&&w| w > 0).count() as u64;
                prop_assert_eq!((fast.append(block), portable.append_portable(block)), (states, states));
            }
            let portable = portable.finish();
            prop_assert_eq!(&fast.finish(), &sparse_from_slabs(&blocks.concat().into()));
            prop_assert_eq!(portable, sparse_from_slabs(&blocks.concat().into()));
        }
    }
}
