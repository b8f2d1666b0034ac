//! The innermost loops: vectors of weights added through tables of indices.
//!
//! Every step of a sweep comes down to three loops over short vectors, which
//! fit the first or second cache:
//!
//! ```text
//! add      dst[x]      += src[x]
//! gather   dst[x]      += src[from[x]]
//! scatter  dst[to[y]]  += src[y]
//! ```
//!
//! Each returns the OR of the sums it stored (see `weight`).
//! On x86-64 with AVX2, found at run time, `u32` and `u64` vectors go eight and
//! four at a time; the portable loops give the same bytes.

use crate::frontier::block::weight::{Weight, Widen};

/// `dst[x] += src[x]`; returns the OR of the sums.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub fn add<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S]) -> T {
    assert_eq!(dst.len(), src.len());
    let mut seen = T::default();
    for (d, &s) in dst.iter_mut().zip(src) {
        *d = d.plus(T::widen(s));
        seen = seen.or(*d);
    }
    seen
}

/// `dst[x] += src[from[x]]`; returns the OR of the sums.
///
/// # Safety
/// Every entry of `from` must be below `src.len()`.
///
/// # Panics
/// If `from` and `dst` differ in length.
#[inline(always)]
pub unsafe fn gather<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S], from: &[u16]) -> T {
    // SAFETY: the same promise.
    unsafe { T::gather(dst, src, from) }
}

/// [`gather`], one at a time.
///
/// # Safety
/// Every entry of `from` must be below `src.len()`.
///
/// # Panics
/// If `from` and `dst` differ in length.
#[inline(always)]
pub unsafe fn gather_portable<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S], from: &[u16]) -> T {
    assert_eq!(dst.len(), from.len());
    let mut seen = T::default();
    for (d, &x) in dst.iter_mut().zip(from) {
        debug_assert!(usize::from(x) < src.len());
        // SAFETY: the caller promises entries below `src.len()`.
        let s = unsafe { *src.get_unchecked(usize::from(x)) };
        *d = d.plus(T::widen(s));
        seen = seen.or(*d);
    }
    seen
}

/// `dst[to[y]] += src[y]`; returns the OR of the sums.
///
/// # Safety
/// Every entry of `to` must be below `dst.len()`.
///
/// # Panics
/// If `to` and `src` differ in length.
#[inline(always)]
pub unsafe fn scatter<S: Weight, T: Widen<S>>(dst: &mut [T], src: &[S], to: &[u16]) -> T {
    assert_eq!(src.len(), to.len());
    let mut seen = T::default();
    for (&s, &x) in src.iter().zip(to) {
        debug_assert!(usize::from(x) < dst.len());
        // SAFETY: the caller promises entries below `dst.len()`.
        let d = unsafe { dst.get_unchecked_mut(usize::from(x)) };
        *d = d.plus(T::widen(s));
        seen = seen.or(*d);
    }
    seen
}

/// Whether the fast paths for x86-64 can be used. Cheap: the answer is cached.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx2() -> bool {
    use std::sync::atomic::{AtomicU8, Ordering};
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Ordering::Relaxed) {
        0 => {
            let found = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            ANSWER.store(1 + u8::from(found), Ordering::Relaxed);
            found
        }
        answer => answer == 2,
    }
}

/// [`gather`] for `u32`, eight at a time.
///
/// # Safety
/// AVX2 must be present, and every entry of `from` below `src.len()`.
///
/// # Panics
/// If `from` and `dst` differ in length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub unsafe fn gather_u32_avx2(dst: &mut [u32], src: &[u32], from: &[u16]) -> u32 {
    use std::arch::x86_64::*;
    assert_eq!(dst.len(), from.len());
    let whole = dst.len() & !7;
    let mut lanes = [0u32; 8];
    // SAFETY: all places x..x+8 are below `whole <= dst.len() == from.len()`, and the
    // caller promises that the gathered indices are below `src.len()`.
    unsafe {
        let mut seen = _mm256_setzero_si256();
        let mut x = 0;
        while x < whole {
            let at = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.as_ptr().add(x).cast()));
            let s = _mm256_i32gather_epi32::<4>(src.as_ptr().cast(), at);
            let place = dst.as_mut_ptr().add(x).cast();
            let sum = _mm256_add_epi32(_mm256_loadu_si256(place), s);
            _mm256_storeu_si256(place, sum);
            seen = _mm256_or_si256(seen, sum);
            x += 8;
        }
        _mm256_storeu_si256(lanes.as_mut_ptr().cast(), seen);
    }
    let seen = lanes.iter().fold(0, |a, b| a | b);
    // SAFETY: as above.
    seen | unsafe { gather_portable(&mut dst[whole..], src, &from[whole..]) }
}

/// [`gather`] from `u32` to `u64`, four at a time.
///
/// # Safety
/// AVX2 must be present, and every entry of `from` below `src.len()`.
///
/// # Panics
/// If `from` and `dst` differ in length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub unsafe fn gather_u32_to_u64_avx2(dst: &mut [u64], src: &[u32], from: &[u16]) -> u64 {
    use std::arch::x86_64::*;
    assert_eq!(dst.len(), from.len());
    let whole = dst.len() & !3;
    let mut lanes = [0u64; 4];
    // SAFETY: all places x..x+4 are below `whole <= dst.len() == from.len()`, and the
    // caller promises that the gathered indices are below `src.len()`.
    unsafe {
        let mut seen = _mm256_setzero_si256();
        let mut x = 0;
        while x < whole {
            let at = _mm_cvtepu16_epi32(_mm_loadl_epi64(from.as_ptr().add(x).cast()));
            let s = _mm256_cvtepu32_epi64(_mm_i32gather_epi32::<4>(src.as_ptr().cast(), at));
            let place = dst.as_mut_ptr().add(x).cast();
            let sum = _mm256_add_epi64(_mm256_loadu_si256(place), s);
            _mm256_storeu_si256(place, sum);
            seen = _mm256_or_si256(seen, sum);
            x += 4;
        }
        _mm256_storeu_si256(lanes.as_mut_ptr().cast(), seen);
    }
    let seen = lanes.iter().fold(0, |a, b| a | b);
    // SAFETY: as above.
    seen | unsafe { gather_portable(&mut dst[whole..], src, &from[whole..]) }
}

/// [`gather`] for `u64`, four at a time.
///
/// # Safety
/// AVX2 must be present, and every entry of `from` below `src.len()`.
///
/// # Panics
/// If `from` and `dst` differ in length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub unsafe fn gather_u64_avx2(dst: &mut [u64], src: &[u64], from: &[u16]) -> u64 {
    use std::arch::x86_64::*;
    assert_eq!(dst.len(), from.len());
    let whole = dst.len() & !3;
    let mut lanes = [0u64; 4];
    // SAFETY: all places x..x+4 are below `whole <= dst.len() == from.len()`, and the
    // caller promises that the gathered indices are below `src.len()`.
    unsafe {
        let mut seen = _mm256_setzero_si256();
        let mut x = 0;
        while x < whole {
            let at = _mm_cvtepu16_epi32(_mm_loadl_epi64(from.as_ptr().add(x).cast()));
            let s = _mm256_i32gather_epi64::<8>(src.as_ptr().cast(), at);
            let place = dst.as_mut_ptr().add(x).cast();
            let sum = _mm256_add_epi64(_mm256_loadu_si256(place), s);
            _mm256_storeu_si256(place, sum);
            seen = _mm256_or_si256(seen, sum);
            x += 4;
        }
        _mm256_storeu_si256(lanes.as_mut_ptr().cast(), seen);
    }
    let seen = lanes.iter().fold(0, |a, b| a | b);
    // SAFETY: as above.
    seen | unsafe { gather_portable(&mut dst[whole..], src, &from[whole..]) }
}
