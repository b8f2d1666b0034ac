//! Weights: how many configurations a state stands for, exactly.
//!
//! A weight of up to 128 bits is kept *below half of its type's range*. Then the sum of two
//! weights never wraps, and a sum that reaches the upper half is seen in its
//! top bit. Kernels therefore collect the bitwise OR of every sum they store;
//! a set top bit in it means "this type was too narrow", and the chunk at hand
//! is computed again with the next one:
//!
//! ```text
//! u32 -> u64 -> u128 -> limbs, as many as it takes (see `limbs`)
//! ```
//!
//! So a wrapped number is impossible, and the narrow types cost one OR an
//! addition. The same OR tells how many bits a chunk's greatest weight has.
//!
//! Counting modulo two to the power of a width uses the same types and lets them wrap.

/// Entries of [`Room`].
#[cfg(target_arch = "x86_64")]
pub const ROOM: usize = 64;

/// Room for 64 narrow weights.
#[cfg(target_arch = "x86_64")]
pub type Room = [std::mem::MaybeUninit<u32>; ROOM];

/// What vectors that kernels add up are made of.
pub trait Cell: Copy + Default + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// Bitwise OR, to collect the top bits of many sums.
    #[must_use]
    fn or(self, other: Self) -> Self;
}

/// A non-negative integer of fixed width that counts configurations; exact ones leave the top bit clear.
pub trait Weight: Cell {
    /// Sum of two weights, modulo two to the power of their bits.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The negative modulo two to the power of its bits.
    #[must_use]
    fn negated(self) -> Self;

    /// Position of the highest set bit plus one, 0 for zero.
    fn bits(self) -> u32;

    /// The same number in the widest type.
    fn widest(self) -> u128;

    /// The number modulo two to the power of the type's bits.
    fn of(number: u128) -> Self;
}

/// A weight that can be made of a narrower (or equal) one without loss.
pub trait Widen<S: Weight>: Weight {
    /// The same number in this type.
    #[inline(always)]
    fn widen(narrow: S) -> Self {
        Self::of(narrow.widest())
    }
}

macro_rules! primitive_weight {
    ($type:ty) => {
        impl Cell for $type {
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
        }

        impl Weight for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn negated(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                <$type>::BITS - self.leading_zeros()
            }

            #[inline(always)]
            fn widest(self) -> u128 {
                self.into()
            }

            #[inline(always)]
            fn of(number: u128) -> Self {
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
    fn the_widest_is_the_number() {
        let number = u128::MAX - 12;
        assert_eq!(u128::of(number.widest()), number);
        assert_eq!(u64::of(number), u64::MAX - 12);
        assert_eq!(<u64 as Widen<u32>>::widen(u32::MAX), 0xffff_ffff);
    }
}
