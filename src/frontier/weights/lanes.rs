//! Sixteen weights of 32 bits in vector registers: one register of AVX-512, or two of AVX2.
//!
//! The kernels for short blocks (see [`lane_sum`](crate::frontier::weights::lane_sum)) are written once, for any
//! [`Lanes`]. Their functions are inlined into a call of [`Lanes::with_instructions`].

use std::arch::x86_64::*;

use super::avx2::{compress_lanes, expand_lanes, first_lanes_mask};
use super::lane_map::{GROUP_LANES, GROUP_WEIGHTS, LaneSources};
use crate::cpu_features::call_with_features;

/// Sixteen weights of 32 bits.
///
/// The instructions of the type must be present wherever one of its functions is called.
pub trait Lanes: Copy {
    /// Calls `body`, which is compiled for the instructions of this type. The closure and the functions with
    /// its loops must be `#[inline(always)]`.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn with_instructions<R>(body: impl FnOnce() -> R) -> R;

    /// Returns sixteen zeros.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn zeros() -> Self;

    /// Loads sixteen weights.
    ///
    /// # Safety
    /// `from` must have them, and the instructions be present.
    unsafe fn load(from: *const u32) -> Self;

    /// Loads a full group of 15 weights. The last lane is zero.
    ///
    /// # Safety
    /// `from` must have them, and the instructions be present.
    unsafe fn load_group(from: *const u32) -> Self;

    /// Loads `count` weights, at most 15. All other lanes are zero.
    ///
    /// # Safety
    /// `from` must have them, and the instructions be present.
    unsafe fn load_first(from: *const u32, count: usize) -> Self;

    /// Loads as many weights as bits of `present` are set to the lanes of these bits. All other lanes are zero.
    ///
    /// # Safety
    /// `from` must have them, and the instructions be present.
    unsafe fn load_expanded(from: *const u32, present: u16) -> Self;

    /// Stores all lanes.
    ///
    /// # Safety
    /// `to` must have capacity for sixteen weights, and the instructions be present.
    unsafe fn store(self, to: *mut u32);

    /// Stores the nonzero weights without gaps, and perhaps zeros or any other numbers after them. Returns the bitmap
    /// of their lanes.
    ///
    /// # Safety
    /// `to` must have capacity for sixteen weights, and the instructions be present.
    unsafe fn store_nonzero(self, to: *mut u32) -> u16;

    /// Returns the bitmap of the lanes that are not zero.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn nonzero(self) -> u16;

    /// Returns the sums of two weights in each lane, modulo 2^32.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn sum(self, other: Self) -> Self;

    /// Returns the bitwise OR of two weights in each lane.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn bit_or(self, other: Self) -> Self;

    /// Returns the bitwise OR of all lanes.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn or_of_all(self) -> u32;

    /// Returns the weights at the lanes that `from` has for each lane.
    ///
    /// # Safety
    /// The instructions must be present.
    unsafe fn permuted(self, from: &LaneSources) -> Self;
}

/// A register of AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Avx512Lanes(__m512i);

impl Lanes for Avx512Lanes {
    #[inline(always)]
    unsafe fn with_instructions<R>(body: impl FnOnce() -> R) -> R {
        // SAFETY: the caller promises the instructions.
        unsafe { call_with_features!("avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt", body) }
    }

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: the caller promises the instructions.
        Self(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller promises sixteen weights.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_group(from: *const u32) -> Self {
        // SAFETY: the caller promises the weights of a full group.
        unsafe { Self::load_first(from, GROUP_WEIGHTS) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u32, count: usize) -> Self {
        // SAFETY: the mask excludes weights beyond those that the caller promises.
        Self(unsafe { _mm512_maskz_loadu_epi32(((1u32 << count) - 1) as __mmask16, from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_expanded(from: *const u32, present: u16) -> Self {
        // SAFETY: as many weights are loaded as the caller promises.
        unsafe {
            let stored = Self::load_first(from, present.count_ones() as usize);
            Self(_mm512_maskz_expand_epi32(present, stored.0))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller promises the capacity.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_nonzero(self, to: *mut u32) -> u16 {
        // SAFETY: the caller promises the capacity. A whole register is written, which is faster than a part of it.
        unsafe {
            let nonzero = self.nonzero();
            Self(_mm512_maskz_compress_epi32(nonzero, self.0)).store(to);
            nonzero
        }
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> u16 {
        // SAFETY: the caller promises the instructions.
        unsafe { _mm512_test_epi32_mask(self.0, self.0) }
    }

    #[inline(always)]
    unsafe fn sum(self, other: Self) -> Self {
        // SAFETY: the caller promises the instructions.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn bit_or(self, other: Self) -> Self {
        // SAFETY: the caller promises the instructions.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn or_of_all(self) -> u32 {
        // SAFETY: the caller promises the instructions.
        unsafe { _mm512_reduce_or_epi32(self.0) as u32 }
    }

    #[inline(always)]
    unsafe fn permuted(self, from: &LaneSources) -> Self {
        // SAFETY: the caller promises the instructions; there are sixteen aligned bytes.
        unsafe {
            let from = _mm512_cvtepu8_epi32(_mm_load_si128(from.0.as_ptr().cast()));
            Self(_mm512_permutexvar_epi32(from, self.0))
        }
    }
}

/// Two registers of AVX2.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Avx2Lanes(__m256i, __m256i);

/// Number of lanes of a register of AVX2.
const HALF: usize = GROUP_LANES / 2;

impl Lanes for Avx2Lanes {
    #[inline(always)]
    unsafe fn with_instructions<R>(body: impl FnOnce() -> R) -> R {
        // SAFETY: the caller promises the instructions.
        unsafe { call_with_features!("avx2,bmi1,bmi2,lzcnt,popcnt", body) }
    }

    #[inline(always)]
    unsafe fn zeros() -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe { Self(_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller promises sixteen weights.
        unsafe { Self(_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(HALF).cast())) }
    }

    #[inline(always)]
    unsafe fn load_group(from: *const u32) -> Self {
        // SAFETY: the caller promises the weights of a full group; the mask excludes the sixteenth.
        unsafe {
            let mask = first_lanes_mask(GROUP_WEIGHTS - HALF);
            Self(_mm256_loadu_si256(from.cast()), _mm256_maskload_epi32(from.add(HALF).cast(), mask))
        }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u32, count: usize) -> Self {
        // SAFETY: the masks exclude weights beyond those that the caller promises.
        unsafe {
            let low = _mm256_maskload_epi32(from.cast(), first_lanes_mask(count));
            if count <= HALF {
                return Self(low, _mm256_setzero_si256());
            }
            Self(low, _mm256_maskload_epi32(from.add(HALF).cast(), first_lanes_mask(count - HALF)))
        }
    }

    #[inline(always)]
    unsafe fn load_expanded(from: *const u32, present: u16) -> Self {
        let [low, high] = present.to_le_bytes();
        let (low_count, high_count) = (low.count_ones() as usize, high.count_ones() as usize);
        // SAFETY: as many weights are loaded as the caller promises.
        unsafe {
            let first = _mm256_maskload_epi32(from.cast(), first_lanes_mask(low_count));
            let next = _mm256_maskload_epi32(from.add(low_count).cast(), first_lanes_mask(high_count));
            Self(expand_lanes(first, low), expand_lanes(next, high))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller promises the capacity.
        unsafe {
            _mm256_storeu_si256(to.cast(), self.0);
            _mm256_storeu_si256(to.add(HALF).cast(), self.1);
        }
    }

    #[inline(always)]
    unsafe fn store_nonzero(self, to: *mut u32) -> u16 {
        // SAFETY: the caller promises the capacity. Whole registers are written, the second of which begins at index 8
        // at most.
        unsafe {
            let nonzero = self.nonzero();
            let [low, high] = nonzero.to_le_bytes();
            _mm256_storeu_si256(to.cast(), compress_lanes(self.0, low));
            let next = to.add(low.count_ones() as usize);
            _mm256_storeu_si256(next.cast(), compress_lanes(self.1, high));
            nonzero
        }
    }

    #[inline(always)]
    unsafe fn nonzero(self) -> u16 {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let zero = _mm256_setzero_si256();
            let low = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(self.0, zero)));
            let high = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(self.1, zero)));
            !(low | high << HALF) as u16
        }
    }

    #[inline(always)]
    unsafe fn sum(self, other: Self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe { Self(_mm256_add_epi32(self.0, other.0), _mm256_add_epi32(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn bit_or(self, other: Self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe { Self(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn or_of_all(self) -> u32 {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let both = _mm256_or_si256(self.0, self.1);
            let four = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
            let two = _mm_or_si128(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
            let pair = _mm_cvtsi128_si64(two) as u64;
            (pair | pair >> 32) as u32
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, from: &LaneSources) -> Self {
        // SAFETY: the caller promises the instructions; there are twice eight bytes.
        unsafe {
            let (low, high) = from.0.split_at_unchecked(HALF);
            Self(self.eight_at(low.as_ptr()), self.eight_at(high.as_ptr()))
        }
    }
}

impl Avx2Lanes {
    /// Returns the weights at eight lanes, whose numbers are at `from`.
    ///
    /// # Safety
    /// AVX2 must be present.
    #[inline(always)]
    unsafe fn eight_at(self, from: *const u8) -> __m256i {
        // SAFETY: the caller promises AVX2 and eight bytes.
        unsafe {
            let from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast()));
            let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(self.0, from));
            let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(self.1, from));
            // Bit 3 of a lane's number tells its half; the blend selects by the sign bit.
            let is_high = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(from));
            _mm256_castps_si256(_mm256_blendv_ps(low, high, is_high))
        }
    }
}

/// Evaluates `$body` with `$lanes` as the widest [`Lanes`] of this processor, whose instructions were then just detected.
/// Evaluates to `None` if there are none.
macro_rules! with_widest_lanes {
    ($lanes:ident, $body:expr) => {
        if crate::cpu_features::has_avx512() {
            type $lanes = $crate::frontier::weights::lanes::Avx512Lanes;
            Some($body)
        } else if crate::cpu_features::has_avx2() {
            type $lanes = $crate::frontier::weights::lanes::Avx2Lanes;
            Some($body)
        } else {
            None
        }
    };
}
pub(in crate::frontier::weights) use with_widest_lanes;

/// Writes the nonzero weights of groups of lanes to `to`, without gaps. Returns the bitmap of their
/// positions; a group has 15 positions.
///
/// # Safety
/// The instructions must be present, there be at most eight groups, `to` have capacity for all their lanes,
/// and the last lane of every group be zero.
#[inline]
pub unsafe fn compress_groups<L: Lanes>(groups: &[[u32; GROUP_LANES]], to: *mut u32) -> u128 {
    debug_assert!(groups.len() <= 8);
    // SAFETY: the caller promises the instructions and the capacity; a group has sixteen weights.
    unsafe {
        L::with_instructions(
            #[inline(always)]
            || {
                let (mut map, mut end) = (0, to);
                for (number, group) in groups.iter().enumerate() {
                    let nonzero = L::load(group.as_ptr()).store_nonzero(end);
                    end = end.add(nonzero.count_ones() as usize);
                    map |= u128::from(nonzero) << (GROUP_WEIGHTS * number);
                }
                map
            },
        )
    }
}

/// Writes the `len` weights of groups of lanes to `to`, 15 of each group. Returns the number of
/// nonzero weights.
///
/// # Safety
/// The instructions must be present, `to` have capacity for `len` weights, all groups have weights, and
/// the lanes beyond the weights be zero.
#[inline]
pub unsafe fn pack_groups<L: Lanes>(groups: &[[u32; GROUP_LANES]], len: usize, to: *mut u32) -> u64 {
    // SAFETY: the caller promises the instructions and the capacity; a group has sixteen lanes.
    unsafe {
        L::with_instructions(
            #[inline(always)]
            || {
                let mut count = 0;
                for (number, group) in groups.iter().enumerate() {
                    let start = number * GROUP_WEIGHTS;
                    let (weights, left) = (L::load(group.as_ptr()), len - start);
                    count += u64::from(weights.nonzero().count_ones());
                    if left > GROUP_WEIGHTS {
                        // The sixteenth lane is zero, and overwritten by the next group.
                        weights.store(to.add(start));
                    } else {
                        std::ptr::copy_nonoverlapping(group.as_ptr(), to.add(start), left);
                    }
                }
                count
            },
        )
    }
}
