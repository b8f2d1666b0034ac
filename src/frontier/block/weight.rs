//! Weights: how many configurations a state stands for, exactly.
//!
//! A weight is kept *below half of its type's range*. Then the sum of two
//! weights never wraps, and a sum that reaches the upper half is seen in its
//! top bit. Kernels therefore collect the bitwise OR of every sum they store;
//! a set top bit in it means "this type was too narrow", and the chunk at hand
//! is computed again with the next one:
//!
//! ```text
//! u32 -> u64 -> u128 -> Wide<4> (256 bits) -> Wide<8> (512 bits) -> an error
//! ```
//!
//! So a wrapped number is impossible, and the narrow types cost one OR an
//! addition. The same OR tells how many bits a chunk's greatest weight has.
//!
//! Counting modulo `2^BITS` uses the same types and lets them wrap.

use num_bigint::BigUint;

/// A non-negative integer of fixed width that counts configurations.
pub trait Weight: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// Bits of the type; exact values stay below `2^(BITS - 1)`.
    const BITS: u32;
    /// One configuration.
    const ONE: Self;

    /// Sum of two weights, modulo `2^BITS`.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The negative modulo `2^BITS`.
    #[must_use]
    fn negated(self) -> Self;

    /// Bitwise OR, to collect the top bits of many sums.
    #[must_use]
    fn or(self, other: Self) -> Self;

    /// Position of the highest set bit plus one, 0 for zero.
    fn bits(self) -> u32;

    /// The limbs of 64 bits, lowest first.
    fn limbs(self) -> [u64; 8];

    /// The number with these limbs; those beyond the type are not looked at.
    fn from_limbs(limbs: [u64; 8]) -> Self;

    /// The same number without a width.
    fn to_big(self) -> BigUint {
        let bytes: Vec<u8> = self.limbs().iter().flat_map(|limb| limb.to_le_bytes()).collect();
        BigUint::from_bytes_le(&bytes)
    }
}

/// A weight that can be made of a narrower (or equal) one without loss.
pub trait Widen<S: Weight>: Weight {
    /// The same number in this type.
    #[inline(always)]
    fn widen(narrow: S) -> Self {
        Self::from_limbs(narrow.limbs())
    }
}

macro_rules! primitive_weight {
    ($type:ty) => {
        impl Weight for $type {
            const BITS: u32 = <$type>::BITS;
            const ONE: Self = 1;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn negated(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                <$type>::BITS - self.leading_zeros()
            }

            #[inline(always)]
            fn limbs(self) -> [u64; 8] {
                let mut limbs = [0; 8];
                limbs[0] = self as u64;
                limbs[1] = (u128::from(self) >> 64) as u64;
                limbs
            }

            #[inline(always)]
            fn from_limbs(limbs: [u64; 8]) -> Self {
                (u128::from(limbs[1]) << 64 | u128::from(limbs[0])) as Self
            }
        }
    };
}

primitive_weight!(u32);
primitive_weight!(u64);
primitive_weight!(u128);

impl Widen<Self> for u32 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
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
    fn two_legal_weights_never_wrap_and_show_their_top_bit() {
        let most = u32::MAX >> 1;
        let sum = most.plus(most);
        assert_eq!(sum.bits(), u32::BITS);
        assert_eq!(u64::from(sum), 2 * u64::from(most));
        assert_eq!(1u32.or(4).bits(), 3);
    }

    #[test]
    fn negatives_cancel() {
        assert_eq!(7u64.plus(Weight::negated(7u64)), 0);
        assert_eq!(0u32.negated(), 0);
    }

    #[test]
    fn limbs_are_the_number() {
        let number = u128::MAX - 12;
        assert_eq!(u128::from_limbs(number.limbs()), number);
        assert_eq!(number.to_big(), BigUint::from(number));
        assert_eq!(<u64 as Widen<u32>>::widen(u32::MAX), 0xffff_ffff);
    }
}
