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
//! Each returns the OR of the sums it stored (see [`weight`](super::weight)).
//! On x86-64 with AVX2, found at run time, `u32` and `u64` vectors go eight and
//! four at a time; the portable loops give the same bytes.

use super::weight::{Weight, Widen};

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
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
