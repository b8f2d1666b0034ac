//! A sparse vector is built block by block: positions are appended to the bitmap, and nonzero weights to the
//! values.

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

use crate::frontier::block::nonzero;
use crate::frontier::block::packed::Packed;
use crate::frontier::block::part::GROUP;
use crate::frontier::block::slabs::{Sizes, Slabs};
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::weight::{ROOM, Room};
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// Returns the weights as a sparse vector.
#[must_use]
pub fn packed(weights: &Slabs<u32>) -> Packed {
    let states = weights.iter().filter(|&&w| w != 0).count();
    let mut packing =
        Packing::with_capacity(Sizes { places: weights.len(), longest: 0, states: Some(states) });
    weights.pieces().for_each(|piece| {
        packing.append(piece);
    });
    packing.finish()
}

/// Builder of a sparse vector.
#[derive(Debug, Default)]
pub struct Packing {
    len: usize,
    map: Vec<u64>,
    values: Slabs<u32>,
}

impl Packing {
    /// Returns an empty builder with this capacity.
    #[must_use]
    pub fn with_capacity(room: Sizes) -> Self {
        let map = Vec::with_capacity(room.places.div_ceil(GROUP) + 1);
        Self { len: 0, map, values: Slabs::with_capacity(room.expected() + GROUP, room.longest_expected()) }
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
            return unsafe { self.append_fastest(weights) };
        } else if crate::cpu::has_avx2() {
            // SAFETY: AVX2 was just detected, and with it the instructions that count bits.
            return unsafe { self.append_fast(weights) };
        }
        self.append_portable(weights)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn append_fast(&mut self, weights: &[u32]) -> u64 {
        self.groups(weights, |group, to| avx2::compress(group, to))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,bmi1,bmi2,lzcnt,popcnt")]
    fn append_fastest(&mut self, weights: &[u32]) -> u64 {
        self.groups(weights, |group, to| avx512::compress(group, to))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn groups(&mut self, weights: &[u32], compress: impl Fn(&[u32; GROUP], &mut Room) -> u64) -> u64 {
        let (groups, rest) = weights.as_chunks::<GROUP>();
        let mut states = 0;
        for group in groups {
            states += self.compressed(group, GROUP, &compress);
        }
        if !rest.is_empty() {
            let mut group = [0; GROUP];
            group[..rest.len()].copy_from_slice(rest);
            states += self.compressed(&group, rest.len(), &compress);
        }
        states
    }

    /// Appends the first `len` positions of a group, whose other positions are zero; returns how many weights
    /// are not zero.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compressed(
        &mut self,
        group: &[u32; GROUP],
        len: usize,
        compress: &impl Fn(&[u32; GROUP], &mut Room) -> u64,
    ) -> u64 {
        let there = match self.values.room(ROOM) {
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
                let mut room = [MaybeUninit::uninit(); ROOM];
                let there = compress(group, &mut room);
                // SAFETY: as many weights were written.
                room[..there.count_ones() as usize]
                    .iter()
                    .for_each(|w| self.values.push(unsafe { w.assume_init() }));
                there
            }
        };
        self.mark(len, there);
        there.count_ones().into()
    }

    fn append_portable(&mut self, weights: &[u32]) -> u64 {
        let before = self.values.len();
        for group in weights.chunks(GROUP) {
            self.group(group, nonzero::map(group.iter().map(|&w| w != 0)));
        }
        (self.values.len() - before) as u64
    }

    /// Appends up to 64 weights; `there` has a bit for each one that is not zero.
    #[inline(always)]
    fn group(&mut self, group: &[u32], there: u64) {
        self.mark(group.len(), there);
        let mut rest = there;
        while rest != 0 {
            self.values.push(group[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
    }

    /// Appends `len` positions, at most 64, to the bitmap; `there` has a bit for each weight that is not
    /// zero.
    #[inline(always)]
    fn mark(&mut self, len: usize, there: u64) {
        let bit = self.len % GROUP;
        if bit == 0 {
            self.map.push(there);
        } else {
            *self.map.last_mut().expect("the last bitmap word is partly filled") |= there << bit;
            if bit + len > GROUP {
                self.map.push(there >> (GROUP - bit));
            }
        }
        self.len += len;
    }

    /// Returns the vector, without unused capacity.
    ///
    /// # Panics
    /// If there are 2^32 stored weights or more.
    #[must_use]
    pub fn finish(mut self) -> Packed {
        assert!(u32::try_from(self.values.len()).is_ok(), "a chunk has fewer than 2^32 nonzero weights");
        let mut rank = 0;
        let ranks = self.map.iter().map(|map| {
            rank += map.count_ones();
            rank - map.count_ones()
        });
        let ranks = ranks.collect();
        self.map.shrink_to_fit();
        self.values.shrink_to_fit();
        Packed { len: self.len, map: self.map, ranks, values: self.values }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn blocks_follow_one_another(blocks in prop::collection::vec(prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..u32::MAX], 1..300), 1..6)) {
            let (mut fast, mut portable) = (Packing::with_capacity(Sizes { places: 7, longest: 3, states: Some(3) }), Packing::default());
            for block in &blocks {
                let states = block.iter().filter(|&&w| w > 0).count() as u64;
                prop_assert_eq!((fast.append(block), portable.append_portable(block)), (states, states));
            }
            let portable = portable.finish();
            prop_assert_eq!(&fast.finish(), &packed(&blocks.concat().into()));
            prop_assert_eq!(portable, packed(&blocks.concat().into()));
        }
    }
}
