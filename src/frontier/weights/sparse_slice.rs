//! Slices of a sparse vector, and the loops that add a slice to a block with zeros.
//!
//! The loops visit only the stored weights; a zero costs only its share of reading a bitmap word.
//! If the processor has AVX2 and the slice stores enough weights, the slice is first expanded to a
//! block with zeros.

use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::weight::{BITMAP_WORD_BITS, Weight};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::cpu_features::with_avx2;

/// Entry of a [`ScatterMap::Partial`] for a source weight that has no target.
pub const NO_TARGET: u16 = u16::MAX;

/// A range of positions of a [`SparseVec`](crate::frontier::weights::sparse_vec::SparseVec), and
/// its stored weights.
#[derive(Clone, Copy, Debug)]
pub struct SparseSlice<'a> {
    /// Bitmap of the whole vector: the bit of a position is set if its weight is stored.
    pub(in crate::frontier::weights) bitmap: &'a [u64],
    /// For every word of the whole bitmap, the number of bits set in the words before it.
    pub(in crate::frontier::weights) ranks: &'a [u32],
    /// The stored weights of the range. Weights of later positions may follow.
    pub(in crate::frontier::weights) values: &'a [u32],
    /// First position of the range.
    pub(in crate::frontier::weights) start: usize,
    /// Number of positions of the range.
    pub(in crate::frontier::weights) len: usize,
}

/// A range of positions of a sparse vector, and its stored weights in one slice: borrowed, or
/// copied.
#[derive(Debug)]
pub struct SparseRange<'a> {
    pub(in crate::frontier::weights) bitmap: &'a [u64],
    pub(in crate::frontier::weights) ranks: &'a [u32],
    pub(in crate::frontier::weights) values: Cow<'a, [u32]>,
    pub(in crate::frontier::weights) start: usize,
    pub(in crate::frontier::weights) len: usize,
}

impl SparseRange<'_> {
    /// Returns the range as a slice of a sparse vector.
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> SparseSlice<'_> {
        let &Self { bitmap: map, ranks, ref values, start, len } = self;
        SparseSlice { bitmap: map, ranks, values, start, len }
    }
}

/// Returns the number of bits of the bitmap `map` that are set before `position`, or `None` if the
/// position is beyond the last word. `ranks` has the number of bits set before each word.
#[inline(always)]
pub fn rank(map: &[u64], ranks: &[u32], position: usize) -> Option<usize> {
    let (word, bit) = (position / BITMAP_WORD_BITS, position % BITMAP_WORD_BITS);
    let before = map.get(word)? & ((1 << bit) - 1);
    Some((ranks[word] + before.count_ones()) as usize)
}

/// Target positions of the weights of a slice.
#[derive(Clone, Copy, Debug)]
pub enum ScatterMap<'a> {
    /// The target position of every weight is its source position.
    Identity,
    /// The target position for each source position.
    Total(&'a [u16]),
    /// The target position for each source position. A weight is skipped if its entry is
    /// [`NO_TARGET`] or any number beyond the last target.
    Partial(&'a [u16]),
}

/// Greatest number of positions per stored weight for which a slice is expanded before it is added:
/// with AVX2, and with AVX-512. Measured on whole sweeps.
#[cfg(target_arch = "x86_64")]
const MAX_POSITIONS_PER_EXPANDED_WEIGHT: (usize, usize) = (3, 4);

impl SparseSlice<'_> {
    /// Returns the number of positions of the slice.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the part of this slice at `positions`, counted from the start of the
    /// slice.
    ///
    /// # Panics
    /// If `positions` ends beyond the last position.
    #[inline(always)]
    #[must_use]
    pub fn subslice(self, positions: Range<usize>) -> Self {
        assert!(positions.start <= positions.end && positions.end <= self.len);
        let rank = |position: usize| rank(self.bitmap, self.ranks, self.start + position);
        let first = rank(0).unwrap_or(0);
        // No weights are stored beyond the last bitmap word.
        let before = rank(positions.start).map_or(self.values.len(), |rank| rank - first);
        Self {
            values: &self.values[before..],
            start: self.start + positions.start,
            len: positions.len(),
            ..self
        }
    }

    /// Returns the number of stored weights of the slice.
    #[inline(always)]
    #[must_use]
    pub fn stored_len(self) -> usize {
        let rank = |position: usize| rank(self.bitmap, self.ranks, position);
        let first = rank(self.start).unwrap_or(0);
        // No weights are stored beyond the last bitmap word.
        rank(self.start + self.len).map_or(self.values.len(), |rank| rank - first)
    }

    /// Writes all weights of the slice, zeros included, to `buffer` and returns the written part of
    /// the buffer. Returns `None` if visiting the stored weights one by one is faster on this
    /// processor.
    ///
    /// # Panics
    /// If the buffer is shorter than the slice.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[must_use]
    pub fn expand_if_faster(self, buffer: &mut [MaybeUninit<u32>]) -> Option<&[u32]> {
        if !crate::cpu_features::has_avx2() {
            return None;
        }
        let is_wide = crate::cpu_features::has_avx512();
        if (if is_wide { MAX_POSITIONS_PER_EXPANDED_WEIGHT.1 } else { MAX_POSITIONS_PER_EXPANDED_WEIGHT.0 })
            * self.stored_len()
            < self.len
        {
            return None;
        }
        let buffer = &mut buffer[..self.len];
        let (values, to) = (self.values, buffer.as_mut_ptr().cast());
        // SAFETY: the instructions were just detected; the slice is within the bitmap and has at least as
        // many values as bits set there, and every position of `buffer` is written.
        unsafe {
            if is_wide {
                avx512::expand(self.bitmap, self.start, self.len, values.as_ptr(), to);
            } else {
                avx2::expand(self.bitmap, self.start, self.len, values, to);
            }
            Some(&*(std::ptr::from_ref::<[MaybeUninit<u32>]>(buffer) as *const [u32]))
        }
    }

    /// Returns `None`: this processor has no instruction that makes expansion faster.
    #[cfg(not(target_arch = "x86_64"))]
    #[must_use]
    pub const fn expand_if_faster(self, _: &mut [MaybeUninit<u32>]) -> Option<&[u32]> {
        None
    }

    /// Adds every weight to the weight of `dst` at the same position, for some types faster than
    /// [`Self::add_to`]. Returns the OR of the sums; it may include weights of `dst` that do not change.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub fn add_to_same_positions<T: Weight + From<u32>>(self, dst: &mut [T]) -> T {
        assert_eq!(self.len, dst.len());
        // SAFETY: the slice is within the bitmap and has as many values as bits set there.
        match unsafe { T::add_expanded(dst, self.bitmap, self.start, self.values) } {
            Some(seen) => seen,
            None => self.add_to(dst, ScatterMap::Identity),
        }
    }

    /// Adds every weight to the weight of `dst` at its target position. Returns the bitwise OR of
    /// the sums. Cost: about a nanosecond for each stored weight.
    ///
    /// # Panics
    /// If a target position of [`ScatterMap::Total`] is beyond the last weight of `dst`, or the
    /// number of target positions is not the number of source positions.
    #[inline]
    pub fn add_to<T: Weight + From<u32>>(self, dst: &mut [T], to: ScatterMap) -> T {
        match to {
            ScatterMap::Identity => assert_eq!(self.len, dst.len()),
            ScatterMap::Total(to) | ScatterMap::Partial(to) => assert_eq!(self.len, to.len()),
        }
        with_avx2(
            #[inline(always)]
            || add_portable(self, dst, to),
        )
    }
}

#[inline(always)]
fn add_portable<T: Weight + From<u32>>(part: SparseSlice, dst: &mut [T], to: ScatterMap) -> T {
    match to {
        ScatterMap::Identity => fold_stored(part, T::default(), |seen, x, w| {
            dst[x] = dst[x].wrapping_sum(T::from(w));
            seen.bit_or(dst[x])
        }),
        ScatterMap::Total(to) => fold_stored(part, T::default(), |seen, x, w| {
            let d = &mut dst[usize::from(to[x])];
            *d = d.wrapping_sum(T::from(w));
            seen.bit_or(*d)
        }),
        ScatterMap::Partial(to) => fold_stored(part, T::default(), |seen, x, w| {
            // Weights without a target have an index beyond the last.
            let Some(d) = dst.get_mut(usize::from(to[x])) else { return seen };
            *d = d.wrapping_sum(T::from(w));
            seen.bit_or(*d)
        }),
    }
}

/// Calls `add` for every stored weight, in order, with three arguments: the result of the previous
/// call, the position of the weight, and the weight. The first call receives `first` as the
/// previous result. Returns the result of the last call.
#[inline(always)]
fn fold_stored<T>(part: SparseSlice, first: T, mut add: impl FnMut(T, usize, u32) -> T) -> T {
    let SparseSlice { bitmap: map, values, start, len, .. } = part;
    let mut seen = first;
    if len == 0 {
        return seen;
    }
    let end = start + len;
    let (first, last) = (start / BITMAP_WORD_BITS, (end - 1) / BITMAP_WORD_BITS);
    let mut values = values.iter();
    for (word, &map) in (first..).zip(&map[first..=last]) {
        let base = word * BITMAP_WORD_BITS;
        let mut map = map;
        if word == first {
            map &= u64::MAX << (start - base);
        }
        if word == last {
            map &= u64::MAX >> (BITMAP_WORD_BITS - (end - base));
        }
        while map != 0 {
            let x = base + map.trailing_zeros() as usize - start;
            map &= map - 1;
            let Some(&value) = values.next() else { break };
            seen = add(seen, x, value);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sparse_vec::sparse_from_slabs;
    use super::super::sparse_vec::tests::sparse_weights;
    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};

    proptest! {
        #[test]
        fn add_to_follows_scatter_map(weights in sparse_weights(), from in 0usize..300, len in 0usize..300, shift in 0usize..7) {
            let start = from.min(weights.len());
            let len = len.min(weights.len() - start);
            let all = sparse_from_slabs(&weights.clone().into());
            let held = all.range(start / 2..weights.len());
            let part = held.as_slice().subslice(start - start / 2..start - start / 2 + len);
            let plain = &weights[start..start + len];
            let to: Vec<u16> = (0..len).map(|x| ((x * 7 + shift) % 11) as u16).collect();
            let some: Vec<u16> = to.iter().map(|&x| if x < 4 { NO_TARGET } else { x }).collect();
            for index in [ScatterMap::Identity, ScatterMap::Total(&to), ScatterMap::Partial(&some)] {
                let scratch_len = if matches!(index, ScatterMap::Identity) { len } else { 11 };
                let (mut sums, mut fast, mut portable) = (vec![5u64; scratch_len], vec![5u64; scratch_len], vec![5u64; scratch_len]);
                let mut seen = 0;
                for (x, &w) in plain.iter().enumerate().filter(|(_, w)| **w > 0) {
                    let position = match index {
                        ScatterMap::Identity => x,
                        ScatterMap::Total(to) | ScatterMap::Partial(to) => to[x].into(),
                    };
                    if position != usize::from(NO_TARGET) {
                        sums[position] += u64::from(w);
                        seen |= sums[position];
                    }
                }
                prop_assert_eq!((part.add_to(&mut fast, index), &fast), (seen, &sums));
                prop_assert_eq!((add_portable(part, &mut portable, index), &portable), (seen, &sums));
            }
            let mut buffer = [MaybeUninit::uninit(); 300];
            prop_assert!(part.expand_if_faster(&mut buffer).is_none_or(|all| all == plain));
            prop_assert_eq!(part.stored_len(), plain.iter().filter(|&&w| w > 0).count());
            let mut same = vec![9; len];
            let seen = plain.iter().fold(0, |seen, w| seen | (w + 9));
            prop_assert_eq!(part.add_to_same_positions(&mut same) | 9, seen | 9);
            prop_assert!(same.iter().zip(plain).all(|(sum, w)| *sum == w + 9));
        }
    }

    /// Words with few stored weights are added one by one, others in registers.
    #[test]
    fn add_to_same_positions_agrees_for_any_number_of_weights_of_a_word() {
        for stored in 0..=BITMAP_WORD_BITS {
            // 37 is odd, so that the multiples are different positions of a word.
            let weight = |x: usize| if x * 37 % BITMAP_WORD_BITS < stored { x as u32 + 1 } else { 0 };
            let weights: Vec<u32> = (0..4 * BITMAP_WORD_BITS).map(weight).collect();
            let all = sparse_from_slabs(&weights.clone().into());
            for range in [0..256, 0..64, 1..65, 3..200, 70..75, 190..256] {
                let plain = &weights[range.clone()];
                let sums: Vec<u32> = plain.iter().map(|w| w + 9).collect();
                for cpu in KernelSet::ALL {
                    with_kernels(cpu, || {
                        let (mut same, mut buffer) = (vec![9; plain.len()], [MaybeUninit::uninit(); 256]);
                        let held = all.range(range.clone());
                        let seen = held.as_slice().add_to_same_positions(&mut same);
                        assert_eq!((seen | 9, &same), (sums.iter().fold(9, |seen, w| seen | w), &sums));
                        assert!(held.as_slice().expand_if_faster(&mut buffer).is_none_or(|all| all == plain));
                    });
                }
            }
        }
    }
}
