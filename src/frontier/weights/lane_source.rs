//! Kernels that permute the lanes of short blocks in AVX-512 registers.
//!
//! A block of up to eight ends fits seven registers (see
//! [`lane_map`](crate::frontier::weights::lane_map)). A sparse source is expanded group by group,
//! and a source without any weight is passed over.
//!
//! The functions of the types in this file are inlined into kernels that are compiled for AVX-512.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, LaneMap, MAX_GROUPS};
use super::sparse_slice::SparseSlice;

/// Greatest number of weights of a block that is kept in registers.
pub const MAX_LANE_WEIGHTS: usize = MAX_GROUPS * GROUP_WEIGHTS;

/// Number of weights of a block of ten points.
pub const TEN_POINT_WEIGHTS: usize = 9 * MAX_LANE_WEIGHTS;

/// Mask of the lanes of a full group.
const GROUP_MASK: __mmask16 = (1 << GROUP_WEIGHTS) - 1;

/// Source weights, of which the next can be taken as groups.
pub enum Source<'a> {
    /// Weights with zeros.
    Dense(&'a [u32]),
    /// A bitmap of the positions of weights, the next position, and the next weight.
    Sparse { bitmap: &'a [u64], bit: usize, values: *const u32 },
}

/// Groups of a source in memory.
#[derive(Clone, Copy)]
pub struct Groups {
    /// The first weight.
    pub first: *const u32,
    /// Number of weights from a group to the next.
    pub stride: usize,
}

/// Groups that can be loaded by their numbers.
pub trait LoadGroup: Copy {
    /// Loads a group.
    ///
    /// # Safety
    /// The group must exist, and AVX-512 be present.
    unsafe fn load(self, group: usize) -> __m512i;
}

impl LoadGroup for Groups {
    #[inline(always)]
    unsafe fn load(self, group: usize) -> __m512i {
        // SAFETY: the caller promises that the group exists; the mask excludes weights beyond it.
        unsafe { _mm512_maskz_loadu_epi32(GROUP_MASK, self.first.add(self.stride * group).cast()) }
    }
}

/// The only group of a block.
#[derive(Clone, Copy)]
pub struct OnlyGroup(pub __m512i);

impl LoadGroup for OnlyGroup {
    #[inline(always)]
    unsafe fn load(self, _: usize) -> __m512i {
        self.0
    }
}

/// Buffer for the groups of a sparse source.
pub type GroupBuffer = [MaybeUninit<__m512i>; MAX_GROUPS];

/// Buffer before its first use.
pub const EMPTY_BUFFER: GroupBuffer = [MaybeUninit::uninit(); MAX_GROUPS];

impl<'a> Source<'a> {
    /// Passes over the next `len` weights.
    ///
    /// # Safety
    /// As for [`Source::take_group`].
    #[inline(always)]
    pub unsafe fn skip(&mut self, len: usize) {
        match self {
            Self::Dense(weights) => *weights = &weights[len..],
            Self::Sparse { bitmap, bit, values } => {
                let end = *bit + len;
                while *bit < end {
                    let bits = bits_from(bitmap, *bit) & u64::MAX >> (64 - 64.min(end - *bit));
                    // SAFETY: the caller promises a value for each bit.
                    *values = unsafe { values.add(bits.count_ones() as usize) };
                    *bit = end.min(*bit + 64);
                }
            }
        }
    }

    /// Returns the weights of a slice.
    #[inline(always)]
    #[must_use]
    pub fn of_sparse(part: SparseSlice<'a>) -> Self {
        Self::Sparse { bitmap: part.bitmap, bit: part.start, values: part.values.as_ptr() }
    }

    /// Takes the next `len` weights, at most [`GROUP_WEIGHTS`], as a group.
    ///
    /// # Safety
    /// AVX-512 must be present. A sparse source must have as many values as bits set.
    #[inline(always)]
    pub unsafe fn take_group(&mut self, len: usize) -> __m512i {
        let mask = (1u32 << len) - 1;
        // SAFETY: the mask selects weights of the source.
        unsafe {
            match self {
                Self::Dense(weights) => {
                    let (taken, rest) = weights.split_at(len);
                    *weights = rest;
                    _mm512_maskz_loadu_epi32(mask as __mmask16, taken.as_ptr().cast())
                }
                Self::Sparse { bitmap, bit, values } => {
                    let present = bits_from(bitmap, *bit) as u32 & mask;
                    *bit += len;
                    expand_group(present, values)
                }
            }
        }
    }

    /// Takes the next [`MAX_LANE_WEIGHTS`] weights as groups; `None` if all of them are known to be
    /// zero. The groups of a sparse source are written to `buffer`.
    ///
    /// # Safety
    /// As for [`Source::take_group`].
    #[inline(always)]
    pub unsafe fn take_groups(&mut self, buffer: &mut GroupBuffer) -> Option<Groups> {
        match self {
            Self::Dense(weights) => {
                let (taken, rest) = weights.split_at(MAX_LANE_WEIGHTS);
                *weights = rest;
                Some(Groups { first: taken.as_ptr(), stride: GROUP_WEIGHTS })
            }
            Self::Sparse { bitmap, bit, values } => {
                let bits = [0, 1].map(|read| {
                    bits_from(bitmap, *bit + read * READ_BITS)
                        & ((1 << READ_BITS.min(MAX_LANE_WEIGHTS - read * READ_BITS)) - 1)
                });
                *bit += MAX_LANE_WEIGHTS;
                if bits == [0; 2] {
                    return None;
                }
                for (number, group) in buffer.iter_mut().enumerate() {
                    let shift = number % GROUPS_PER_READ * GROUP_WEIGHTS;
                    let present = (bits[number / GROUPS_PER_READ] >> shift) as u32 & u32::from(GROUP_MASK);
                    // SAFETY: the caller promises a value for each bit.
                    group.write(unsafe { expand_group(present, values) });
                }
                Some(Groups { first: buffer.as_ptr().cast(), stride: GROUP_LANES })
            }
        }
    }
}

/// Number of groups whose bits are read at once.
const GROUPS_PER_READ: usize = u64::BITS as usize / GROUP_WEIGHTS;

/// Number of bits of these groups.
const READ_BITS: usize = GROUPS_PER_READ * GROUP_WEIGHTS;

/// Returns 64 bits of a bitmap from bit `bit` on; those beyond its end are zero.
#[inline(always)]
fn bits_from(bitmap: &[u64], bit: usize) -> u64 {
    let (word, shift) = (bit / 64, bit % 64);
    let next = bitmap.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
    bitmap.get(word).map_or(0, |low| low >> shift) | next
}

/// Returns the group with the next values at the lanes `present`, and zeros at all others.
///
/// # Safety
/// AVX-512 must be present, and as many values as bits set.
#[inline(always)]
unsafe fn expand_group(present: u32, values: &mut *const u32) -> __m512i {
    let count = present.count_ones();
    // SAFETY: the mask selects as many values as bits are set.
    unsafe {
        let stored = _mm512_maskz_loadu_epi32(((1u32 << count) - 1) as __mmask16, values.cast());
        *values = values.add(count as usize);
        _mm512_maskz_expand_epi32(present as __mmask16, stored)
    }
}

/// Groups of a target, to which source groups are added.
#[derive(Clone, Copy)]
pub struct Target {
    /// The first weight.
    pub first: *mut u32,
    /// Number of weights from a group to the next.
    pub stride: usize,
    /// Mask of the weights of a group.
    pub mask: __mmask16,
    /// Number of groups.
    pub groups: usize,
}

impl Target {
    /// Loads a group; zero for the number after the last.
    ///
    /// # Safety
    /// AVX-512 must be present.
    #[inline(always)]
    unsafe fn load(self, group: usize) -> __m512i {
        let mask = if group < self.groups { self.mask } else { 0 };
        // SAFETY: the mask selects only weights of the target.
        unsafe { _mm512_maskz_loadu_epi32(mask, self.first.wrapping_add(self.stride * group).cast()) }
    }

    /// Adds source groups by the steps of a map. Returns the bitwise OR of the sums and `seen`.
    ///
    /// # Safety
    /// AVX-512 must be present, and both blocks have the groups of the map.
    #[inline(always)]
    pub unsafe fn add_mapped(self, map: LaneMap, source: impl LoadGroup, mut seen: __m512i) -> __m512i {
        let (mut lanes, mut groups) = (map.lanes.as_ptr(), map.groups.as_ptr());
        // SAFETY: a map has as many steps as its counts add up to; the caller promises the groups.
        unsafe {
            let mut sum = self.load(0);
            for group in 0..self.groups {
                // Accesses of sixteen lanes overlap in memory: the next group is loaded before this one is
                // stored, so that it need not wait for the store.
                let next = self.load(group + 1);
                for _ in 0..map.step_counts[group] {
                    let from = _mm512_cvtepu8_epi32(_mm_load_si128(lanes.cast()));
                    let weights = _mm512_permutexvar_epi32(from, source.load(usize::from(*groups)));
                    sum = _mm512_add_epi32(sum, weights);
                    seen = _mm512_or_si512(seen, sum);
                    (lanes, groups) = (lanes.add(1), groups.add(1));
                }
                _mm512_mask_storeu_epi32(self.first.add(self.stride * group).cast(), self.mask, sum);
                sum = next;
            }
        }
        seen
    }
}

/// Adds the short block `src`, by the steps of `map`, to the short block `dst`. Returns the bitwise
/// OR of the sums.
///
/// # Safety
/// AVX-512 must be present, and the blocks have the numbers of weights of the map.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub unsafe fn add_dense(dst: &mut [u32], src: &[u32], map: LaneMap) -> u32 {
    // SAFETY: the caller promises the numbers of weights.
    unsafe { add_source(dst, Source::Dense(src), src.len(), map) }
}

/// Adds the short block `src`, by the steps of `map`, to the short block `dst`. Returns the bitwise
/// OR of the sums.
///
/// # Safety
/// As for [`add_dense`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub unsafe fn add_sparse(dst: &mut [u32], src: SparseSlice, map: LaneMap) -> u32 {
    // SAFETY: the caller promises the numbers of weights.
    unsafe { add_source(dst, Source::of_sparse(src), src.len(), map) }
}

/// Adds `len` weights of a source to the short block `dst`.
///
/// # Safety
/// As for [`add_dense`].
#[inline(always)]
unsafe fn add_source(dst: &mut [u32], mut source: Source, len: usize, map: LaneMap) -> u32 {
    assert!(dst.len() <= GROUP_WEIGHTS || dst.len() == MAX_LANE_WEIGHTS);
    let target = Target {
        first: dst.as_mut_ptr(),
        stride: GROUP_WEIGHTS,
        mask: if dst.len() < GROUP_WEIGHTS { (1 << dst.len()) - 1 } else { GROUP_MASK },
        groups: dst.len().div_ceil(GROUP_WEIGHTS),
    };
    // SAFETY: the caller promises the numbers of weights.
    unsafe {
        let none = _mm512_setzero_si512();
        let mut buffer = EMPTY_BUFFER;
        let seen = if len <= GROUP_WEIGHTS {
            target.add_mapped(map, OnlyGroup(source.take_group(len)), none)
        } else if let Some(groups) = source.take_groups(&mut buffer) {
            target.add_mapped(map, groups, none)
        } else {
            none
        };
        _mm512_reduce_or_epi32(seen) as u32
    }
}

/// Adds the block `src` of ten points, with points 0 and 1 exchanged, to the block `dst`. Returns
/// the bitwise OR of the sums.
///
/// # Safety
/// AVX-512 must be present.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub unsafe fn add_dense_ten_swapped(dst: &mut [u32], src: &[u32]) -> u32 {
    assert_eq!(src.len(), TEN_POINT_WEIGHTS);
    // SAFETY: the source has ten points.
    unsafe { add_ten_swapped(dst, Source::Dense(src)) }
}

/// Adds the block `src` of ten points, with points 0 and 1 exchanged, to the block `dst`. Returns
/// the bitwise OR of the sums.
///
/// # Safety
/// AVX-512 must be present.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub unsafe fn add_sparse_ten_swapped(dst: &mut [u32], src: SparseSlice) -> u32 {
    assert_eq!(src.len(), TEN_POINT_WEIGHTS);
    // SAFETY: the source has ten points.
    unsafe { add_ten_swapped(dst, Source::of_sparse(src)) }
}

/// Returns the number of the group of a block of ten points, after the exchange of points 0 and 1,
/// that was group `number` of the part in which `a` is the mate of point 0. A group has the
/// matchings with fixed mates of points 0 and 1.
#[inline(always)]
#[must_use]
pub fn swapped_group(a: usize, number: usize) -> usize {
    if a == 1 {
        return number;
    }
    let b = number + 2 + usize::from(number + 2 >= a);
    (b - 1) * MAX_GROUPS + a - 2 - usize::from(a > b)
}

/// Adds a source of ten points, with points 0 and 1 exchanged, to `dst`. A group has the matchings
/// with fixed mates of points 0 and 1, so that groups are exchanged as a whole.
///
/// # Safety
/// AVX-512 must be present, and the source have [`TEN_POINT_WEIGHTS`] weights.
#[inline(always)]
unsafe fn add_ten_swapped(dst: &mut [u32], mut source: Source) -> u32 {
    assert_eq!(dst.len(), TEN_POINT_WEIGHTS);
    let mut buffer = EMPTY_BUFFER;
    // SAFETY: there is a part with seven groups for each mate of point 0. The numbers of target groups are
    // below 9 * 7.
    unsafe {
        let mut seen = _mm512_setzero_si512();
        for a in 1..10 {
            let Some(part) = source.take_groups(&mut buffer) else { continue };
            for number in 0..MAX_GROUPS {
                let target = swapped_group(a, number);
                let place = dst.as_mut_ptr().add(target * GROUP_WEIGHTS);
                let old = _mm512_maskz_loadu_epi32(GROUP_MASK, place.cast());
                let sum = _mm512_add_epi32(old, part.load(number));
                seen = _mm512_or_si512(seen, sum);
                _mm512_mask_storeu_epi32(place.cast(), GROUP_MASK, sum);
            }
        }
        _mm512_reduce_or_epi32(seen) as u32
    }
}
