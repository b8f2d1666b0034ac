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
use crate::frontier::block::wide::Wide;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, processor};

/// A type of weights that those of another type can be added to.
pub trait Sum<S: Weight>: Widen<S> {
    /// `dst[x] += src[from[x]]`; returns the OR of the sums.
    ///
    /// # Safety
    /// Every entry of `from` must be below `src.len()`.
    #[inline(always)]
    unsafe fn gather(dst: &mut [Self], src: &[S], from: &[u16]) -> Self {
        // SAFETY: the same promise.
        unsafe { gather_portable(dst, src, from) }
    }
}

/// A [`Sum::gather`] for x86-64 with AVX2, which falls back to the portable one.
macro_rules! with_avx2 {
    ($source:ty => $target:ty, $fast:ident) => {
        impl Sum<$source> for $target {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn gather(dst: &mut [Self], src: &[$source], from: &[u16]) -> Self {
                if processor::has_avx2() {
                    // SAFETY: AVX2 was just found; the caller keeps the other promise.
                    return unsafe { avx2::$fast(dst, src, from) };
                }
                // SAFETY: the same promise.
                unsafe { gather_portable(dst, src, from) }
            }
        }
    };
}

with_avx2!(u32 => u32, gather_u32);
with_avx2!(u32 => u64, gather_u32_to_u64);
with_avx2!(u64 => u64, gather_u64);
impl Sum<u32> for u128 {}
impl Sum<u64> for u128 {}
impl Sum<Self> for u128 {}
impl<const LIMBS: usize> Sum<u32> for Wide<LIMBS> {}
impl<const LIMBS: usize> Sum<u64> for Wide<LIMBS> {}
impl<const LIMBS: usize> Sum<u128> for Wide<LIMBS> {}
impl Sum<Self> for Wide<4> {}
impl Sum<Wide<4>> for Wide<8> {}
impl Sum<Self> for Wide<8> {}

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
pub unsafe fn gather<S: Weight, T: Sum<S>>(dst: &mut [T], src: &[S], from: &[u16]) -> T {
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
