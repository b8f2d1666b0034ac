//! Weights: the exact number of configurations that a state stands for, as a machine integer.
//!
//! An exact weight of up to 128 bits stays *below half of its type's range*. Then the sum of two weights
//! never wraps, and a sum that reaches the upper half has its top bit set. Kernels therefore collect the
//! bitwise OR of every sum that they store. A set top bit in the OR means that the type was too narrow; the
//! chunk is then computed again with the next wider type:
//!
//! ```text
//! u32 -> u64 -> u128 -> limbs, as many as needed (see `limbs`)
//! ```
//!
//! So a wrong number cannot occur, and the check costs one OR an addition. The OR also gives the bit length
//! of a chunk's greatest weight.
//!
//! Counting modulo two to the power of a width uses the same types and lets them wrap.

/// Entries of a [`CompressBuffer`].
#[cfg(target_arch = "x86_64")]
pub const COMPRESS_BUFFER_LEN: usize = 64;

/// Buffer for 64 weights of 32 bits.
#[cfg(target_arch = "x86_64")]
pub type CompressBuffer = [std::mem::MaybeUninit<u32>; COMPRESS_BUFFER_LEN];

/// An entry of the vectors that kernels add.
pub trait Element: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// Returns the bitwise OR; the OR of many sums shows whether one of them has its top bit set.
    #[must_use]
    fn bit_or(self, other: Self) -> Self;
}

/// A non-negative integer of fixed width that counts configurations; exact weights leave the top bit clear.
pub trait Weight: Element {
    /// Returns the sum of two weights, modulo two to the power of the type's bits.
    #[must_use]
    fn wrapping_sum(self, other: Self) -> Self;

    /// Returns the negative, modulo two to the power of the type's bits.
    #[must_use]
    fn wrapping_negated(self) -> Self;

    /// Returns the position of the highest set bit plus one, 0 for zero.
    fn bit_length(self) -> u32;

    /// Returns the number in the widest type.
    fn as_u128(self) -> u128;

    /// Returns the number modulo two to the power of the type's bits.
    fn from_u128_truncating(number: u128) -> Self;
}

/// A weight type that represents every number of a type at most as wide.
pub trait Widen<S: Weight>: Weight {
    /// Returns the number in this type.
    #[inline(always)]
    fn widen(narrow: S) -> Self {
        Self::from_u128_truncating(narrow.as_u128())
    }
}

macro_rules! primitive_weight {
    ($type:ty) => {
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
        }
    };
}

primitive_weight!(u16);
primitive_weight!(u32);
primitive_weight!(u64);
primitive_weight!(u128);

impl Widen<Self> for u32 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }
}

impl Widen<u16> for u32 {
    #[inline(always)]
    fn widen(narrow: u16) -> Self {
        Self::from(narrow)
    }
}

impl Widen<u16> for u64 {
    #[inline(always)]
    fn widen(narrow: u16) -> Self {
        Self::from(narrow)
    }
}

impl Widen<Self> for u64 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }
}

impl Widen<u32> for u64 {
    #[inline(always)]
    fn widen(narrow: u32) -> Self {
        Self::from(narrow)
    }
}

impl Widen<Self> for u128 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }
}

impl Widen<u64> for u128 {
    #[inline(always)]
    fn widen(narrow: u64) -> Self {
        Self::from(narrow)
    }
}

impl Widen<u32> for u128 {
    #[inline(always)]
    fn widen(narrow: u32) -> Self {
        Self::from(narrow)
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
        assert_eq!(<u64 as Widen<u32>>::widen(u32::MAX), 0xffff_ffff);
    }
}
