//! Nonzero weights of a group of up to 64 are found with vector instructions where there are any.

use crate::frontier::block::part::BITMAP_WORD_BITS;
use crate::frontier::block::weight::Weight;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// A weight type whose nonzero values are found in groups.
pub trait Nonzero: Weight {
    /// Returns a bitmap of the nonzero weights among up to 64.
    #[must_use]
    fn nonzero(group: &[Self]) -> u64 {
        bitmap_of(group.iter().map(|&w| w != Self::default()))
    }
}

/// Returns up to 64 booleans as a bitmap, the first one as the lowest bit.
#[inline]
pub fn bitmap_of(answers: impl IntoIterator<Item = bool>) -> u64 {
    (0..).zip(answers).fold(0, |map, (x, is_there)| map | u64::from(is_there) << x)
}

impl Nonzero for u16 {}
impl Nonzero for u128 {}

macro_rules! nonzero {
    ($type:ty, $fast:path, $fastest:path) => {
        impl Nonzero for $type {
            #[cfg(target_arch = "x86_64")]
            fn nonzero(group: &[Self]) -> u64 {
                assert!(group.len() <= BITMAP_WORD_BITS);
                if crate::cpu::has_avx512() {
                    // SAFETY: AVX-512 was just detected.
                    return unsafe { $fastest(group) };
                }
                match <&[Self; BITMAP_WORD_BITS]>::try_from(group) {
                    // SAFETY: AVX2 was just detected.
                    Ok(group) if crate::cpu::has_avx2() => unsafe { $fast(group) },
                    _ => bitmap_of(group.iter().map(|&w| w != 0)),
                }
            }
        }
    };
}

nonzero!(u32, avx2::nonzero, avx512::nonzero);
nonzero!(u64, avx2::nonzero_u64, avx512::nonzero_u64);
