//! Which of some weights are not zero.

use crate::frontier::block::part::GROUP;
use crate::frontier::block::weight::Weight;
#[cfg(target_arch = "x86_64")]
use crate::frontier::block::{avx2, avx512};

/// A weight that is found among zeros.
pub trait Nonzero: Weight {
    /// Which of up to 64 weights are not zero, a bit for each.
    #[must_use]
    fn nonzero(group: &[Self]) -> u64 {
        portable(group)
    }
}

fn portable<T: Weight>(group: &[T]) -> u64 {
    (0..).zip(group).fold(0, |map, (x, &w)| map | u64::from(w != T::default()) << x)
}

impl Nonzero for u16 {}
impl Nonzero for u128 {}

macro_rules! nonzero {
    ($type:ty, $fast:path, $fastest:path) => {
        impl Nonzero for $type {
            #[cfg(target_arch = "x86_64")]
            fn nonzero(group: &[Self]) -> u64 {
                assert!(group.len() <= GROUP);
                if crate::cpu::has_avx512() {
                    // SAFETY: AVX-512 was just found.
                    return unsafe { $fastest(group) };
                }
                match <&[Self; GROUP]>::try_from(group) {
                    // SAFETY: AVX2 was just found.
                    Ok(group) if crate::cpu::has_avx2() => unsafe { $fast(group) },
                    _ => portable(group),
                }
            }
        }
    };
}

nonzero!(u32, avx2::nonzero, avx512::nonzero);
nonzero!(u64, avx2::nonzero_u64, avx512::nonzero_u64);
