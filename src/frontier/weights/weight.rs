//! Number types and widths of weights.
//!
//! An exact weight of up to 128 bits stays *below half of its type's range*. Then the sum of two
//! weights never wraps, and a sum that reaches the upper half has its top bit set. Kernels
//! therefore collect the bitwise OR of every sum that they store. A set top bit in the OR means
//! that the type was too narrow; the chunk is then computed again with the next wider type:
//!
//! ```text
//! u32 -> u64 -> u128 -> limbs, as many as needed (see `limbs`)
//! ```
//!
//! So a wrong number cannot occur, and the check costs one OR for each addition. The OR also gives
//! the bit length of a chunk's greatest weight.
//!
//! Counts modulo two to the power of a width use the same types and let them wrap.
//!
//! A [`Width`] is the number of bits of the weights of a vector. [`is_zero`] tests vectors of any number type.

use serde::{Deserialize, Serialize};

#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::cpu_features::with_avx2;

/// Number of weights whose presence one word of a bitmap gives.
pub const BITMAP_WORD_BITS: usize = u64::BITS as usize;

/// A number type of the entries of vectors: a weight, or a sum of limbs.
pub trait Element: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// Returns the bitwise OR of this number and `other`. The OR of many sums has its top bit set
    /// if and only if one of the sums has its top bit set.
    #[must_use]
    fn bit_or(self, other: Self) -> Self;
}

/// Number of entries between two tests of [`is_zero`].
const ENTRIES_PER_TEST: usize = 256;

/// Returns true if all entries of a vector are zero. Cost: that of reading the entries up to the first one
/// that is not zero.
#[must_use]
pub fn is_zero<W: Element>(entries: &[W]) -> bool {
    let is_zero = |part: &[W]| part.iter().fold(W::default(), |seen, &w| seen.bit_or(w)) == W::default();
    entries.chunks(ENTRIES_PER_TEST).all(is_zero)
}

/// An unsigned integer type of the weights that layers store. Exact weights leave the top bit clear.
pub trait Weight: Element {
    /// Returns the sum of two weights, modulo two to the power of the type's bits.
    #[must_use]
    fn wrapping_sum(self, other: Self) -> Self;

    /// Returns the negative of this weight, modulo two to the power of the type's bits.
    #[must_use]
    fn wrapping_negated(self) -> Self;

    /// Returns the position of the highest set bit plus one; 0 for zero.
    fn bit_length(self) -> u32;

    /// Returns the number as a `u128`.
    fn as_u128(self) -> u128;

    /// Returns `number` modulo two to the power of the type's bits.
    fn from_u128_truncating(number: u128) -> Self;

    /// Returns the number of nonzero weights in a slice.
    fn count_nonzero(weights: &[Self]) -> u64;

    /// Returns the bitmap of the nonzero weights of a group of up to 64: bit `p` is set if weight
    /// `p` is not zero.
    #[must_use]
    fn nonzero_bitmap(group: &[Self]) -> u64 {
        bitmap_of(group.iter().map(|&w| w != Self::default()))
    }

    /// Adds the weights at `dst.len()` positions of the bitmap `map`, from bit `start` on, to the weights of
    /// `dst`: the next entry of `values` for each bit set, zero for each bit clear. Returns the bitwise OR of
    /// all sums with such an entry; it may include unchanged weights. Returns `None`, and changes nothing, if
    /// the processor has no kernel for this type.
    ///
    /// # Safety
    /// The bits must be within the bitmap, and there must be as many values as bits set.
    #[inline(always)]
    unsafe fn add_expanded(_dst: &mut [Self], _map: &[u64], _start: usize, _values: &[u32]) -> Option<Self> {
        None
    }
}

/// Returns the bitmap of up to 64 booleans; the first boolean is the lowest bit.
#[inline]
pub fn bitmap_of(answers: impl IntoIterator<Item = bool>) -> u64 {
    (0..).zip(answers).fold(0, |map, (x, is_present)| map | u64::from(is_present) << x)
}

/// Returns the number of nonzero weights in a slice. It counts in pieces of 65,536 weights, so that
/// a counter is no wider than a weight.
#[inline(always)]
fn count_nonzero_in<T: Weight>(weights: &[T]) -> u64 {
    let of = |part: &[T]| part.iter().map(|&w| u32::from(w != T::default())).sum::<u32>();
    weights.chunks(1 << 16).map(|part| u64::from(of(part))).sum()
}

/// Returns the same as [`Weight::nonzero_bitmap`]. `avx2` and `avx512` compute it on processors with
/// these instructions.
#[cfg(target_arch = "x86_64")]
fn fast_nonzero_bitmap<T: Weight>(
    group: &[T],
    avx2: impl Fn(&[T; BITMAP_WORD_BITS]) -> u64,
    avx512: impl Fn(&[T]) -> u64,
) -> u64 {
    assert!(group.len() <= BITMAP_WORD_BITS);
    if crate::cpu_features::has_avx512() {
        return avx512(group);
    }
    match <&[T; BITMAP_WORD_BITS]>::try_from(group) {
        Ok(group) if crate::cpu_features::has_avx2() => avx2(group),
        _ => bitmap_of(group.iter().map(|&w| w != T::default())),
    }
}

/// Implements [`Weight`] for an integer type, with functions that use the kernels of x86-64.
macro_rules! weight {
    ($type:ty $(, $kernel:item)*) => {
        impl Element for $type {
            #[inline(always)]
            fn bit_or(self, other: Self) -> Self {
                self | other
            }
        }

        impl Weight for $type {
            #[inline(always)]
            fn wrapping_sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn wrapping_negated(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn bit_length(self) -> u32 {
                <$type>::BITS - self.leading_zeros()
            }

            #[inline(always)]
            fn as_u128(self) -> u128 {
                self.into()
            }

            #[inline(always)]
            fn from_u128_truncating(number: u128) -> Self {
                number as Self
            }

            fn count_nonzero(weights: &[$type]) -> u64 {
                with_avx2(#[inline(always)] || count_nonzero_in(weights))
            }

            $(
                #[cfg(target_arch = "x86_64")]
                $kernel
            )*
        }
    };
}

weight!(u8);
weight!(u16);
weight!(
    u32,
    fn nonzero_bitmap(group: &[Self]) -> u64 {
        // SAFETY: the instructions are detected before a function is called.
        fast_nonzero_bitmap(group, |g| unsafe { avx2::nonzero(g) }, |g| unsafe { avx512::nonzero(g) })
    },
    #[inline(always)]
    unsafe fn add_expanded(dst: &mut [Self], map: &[u64], start: usize, values: &[u32]) -> Option<Self> {
        if !crate::cpu_features::has_avx2() {
            return None;
        }
        // SAFETY: the instructions were just detected; the caller promises bits and values.
        Some(unsafe {
            if crate::cpu_features::has_avx512() {
                avx512::add_expanded(dst, map, start, values.as_ptr())
            } else {
                avx2::add_expanded(dst, map, start, values)
            }
        })
    }
);
weight!(
    u64,
    fn nonzero_bitmap(group: &[Self]) -> u64 {
        // SAFETY: the instructions are detected before a function is called.
        fast_nonzero_bitmap(group, |g| unsafe { avx2::nonzero_u64(g) }, |g| unsafe { avx512::nonzero_u64(g) })
    }
);
weight!(u128);

/// Number of 32-bit limbs in a group. One AVX2 instruction adds a group of sums, each of 64 bits.
/// The number of limbs of a weight is a multiple of this number.
pub const LIMBS_PER_GROUP: u32 = 4;

/// Width of weights. A wider width compares as greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// 8 bits, for residues only.
    W8,
    /// 16 bits, for residues only.
    W16,
    /// 32 bits.
    #[default]
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
    /// A number of 32-bit limbs: a multiple of four, at least eight.
    Limbs(u32),
}

impl Width {
    /// Returns the number of bits of a weight of this width.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::W8 => 8,
            Self::W16 => 16,
            Self::W32 => 32,
            Self::W64 => 64,
            Self::W128 => 128,
            Self::Limbs(limbs) => 32 * limbs,
        }
    }

    /// Returns the number of bytes of a weight of this width.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.bits() as u64 / 8
    }

    /// Returns the narrowest width for exact weights of up to `bits` bits: a weight of this width
    /// has more than `bits` bits, so the top bit stays clear.
    #[must_use]
    pub fn fitting_bits(bits: u32) -> Self {
        let narrow = [Self::W32, Self::W64, Self::W128].into_iter().find(|width| bits < width.bits());
        narrow.unwrap_or(Self::Limbs(LIMBS_PER_GROUP * (bits / (32 * LIMBS_PER_GROUP) + 1)))
    }

    /// Returns the next wider width for exact weights.
    #[must_use]
    pub fn next_wider(self) -> Self {
        Self::fitting_bits(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sum_of_two_weights_does_not_wrap_and_sets_top_bit() {
        let most = u32::MAX >> 1;
        let sum = most.wrapping_sum(most);
        assert_eq!(sum.bit_length(), u32::BITS);
        assert_eq!(u64::from(sum), 2 * u64::from(most));
        assert_eq!(1u32.bit_or(4).bit_length(), 3);
    }

    #[test]
    fn wrapping_negated_cancels() {
        assert_eq!(7u64.wrapping_sum(Weight::wrapping_negated(7u64)), 0);
        assert_eq!(0u32.wrapping_negated(), 0);
    }

    #[test]
    fn as_u128_round_trips_and_truncates() {
        let number = u128::MAX - 12;
        assert_eq!(u128::from_u128_truncating(number.as_u128()), number);
        assert_eq!(u64::from_u128_truncating(number), u64::MAX - 12);
    }

    #[test]
    fn fitting_bits_leaves_top_bit_clear() {
        assert_eq!(Width::fitting_bits(31), Width::W32);
        assert_eq!(Width::fitting_bits(32), Width::W64);
        assert_eq!(Width::fitting_bits(127), Width::W128);
        assert_eq!((Width::fitting_bits(128), Width::fitting_bits(255)), (Width::Limbs(8), Width::Limbs(8)));
        assert_eq!(
            (Width::fitting_bits(511), Width::fitting_bits(512)),
            (Width::Limbs(16), Width::Limbs(20))
        );
        for bits in 0..2000 {
            let width = Width::fitting_bits(bits);
            assert!(
                bits < width.bits()
                    && (width == Width::W32 || bits >= width.bits() / 2 || bits + 128 >= width.bits())
            );
        }
    }

    #[test]
    fn next_wider_grows_without_bound() {
        let mut width = Width::default();
        for bytes in [4, 8, 16, 32, 48, 64, 80] {
            assert_eq!(width.bytes(), bytes);
            assert!(width.next_wider() > width);
            width = width.next_wider();
        }
    }
}
