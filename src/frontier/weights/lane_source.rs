//! Source weights as groups in AVX-512 registers.
//!
//! A block of up to eight ends fits seven registers (see
//! [`lane_map`](crate::frontier::weights::lane_map)). A sparse source is expanded group by group,
//! and a part without any weight is passed over.
//!
//! The functions of this file are inlined into kernels that are compiled for AVX-512.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, MAX_GROUPS, PART_WEIGHTS};
use super::sparse_slice::SparseSlice;

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
    /// Returns the weights of a slice.
    #[inline(always)]
    #[must_use]
    pub fn of_sparse(part: SparseSlice<'a>) -> Self {
        Self::Sparse { bitmap: part.bitmap, bit: part.start, values: part.values.as_ptr() }
    }

    /// Passes over the next `len` weights.
    ///
    /// # Safety
    /// A sparse source must have as many values as bits set.
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

    /// Takes the next [`PART_WEIGHTS`] weights as groups; `None` if all of them are known to be
    /// zero. The groups of a sparse source are written to `buffer`.
    ///
    /// # Safety
    /// As for [`Source::take_group`].
    #[inline(always)]
    pub unsafe fn take_groups(&mut self, buffer: &mut GroupBuffer) -> Option<Groups> {
        match self {
            Self::Dense(weights) => {
                let (taken, rest) = weights.split_at(PART_WEIGHTS);
                *weights = rest;
                Some(Groups { first: taken.as_ptr(), stride: GROUP_WEIGHTS })
            }
            Self::Sparse { bitmap, bit, values } => {
                let bits = [0, 1].map(|read| {
                    bits_from(bitmap, *bit + read * READ_BITS)
                        & ((1 << READ_BITS.min(PART_WEIGHTS - read * READ_BITS)) - 1)
                });
                *bit += PART_WEIGHTS;
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
