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

use crate::frontier::block::kernel;

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

    /// `dst[x] += src[from[x]]`; returns the OR of the sums.
    ///
    /// # Safety
    /// Every entry of `from` must be below `src.len()`.
    #[inline(always)]
    unsafe fn gather(dst: &mut [Self], src: &[S], from: &[u16]) -> Self {
        // SAFETY: the same promise.
        unsafe { kernel::gather_portable(dst, src, from) }
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

/// A [`Widen::gather`] for x86-64 with AVX2, which falls back to the portable one.
macro_rules! with_avx2 {
    ($fast:path, $source:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn gather(dst: &mut [Self], src: &[$source], from: &[u16]) -> Self {
            if kernel::has_avx2() {
                // SAFETY: AVX2 was just found; the caller keeps the other promise.
                return unsafe { $fast(dst, src, from) };
            }
            // SAFETY: the same promise.
            unsafe { kernel::gather_portable(dst, src, from) }
        }
    };
}

impl Widen<Self> for u32 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }

    with_avx2!(kernel::gather_u32_avx2, Self);
}

impl Widen<Self> for u64 {
    #[inline(always)]
    fn widen(narrow: Self) -> Self {
        narrow
    }

    with_avx2!(kernel::gather_u64_avx2, Self);
}

impl Widen<u32> for u64 {
    #[inline(always)]
    fn widen(narrow: u32) -> Self {
        Self::from(narrow)
    }

    with_avx2!(kernel::gather_u32_to_u64_avx2, u32);
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

impl<const LIMBS: usize> Widen<u32> for Wide<LIMBS> {}
impl<const LIMBS: usize> Widen<u64> for Wide<LIMBS> {}
impl<const LIMBS: usize> Widen<u128> for Wide<LIMBS> {}
impl Widen<Self> for Wide<4> {}
impl Widen<Wide<4>> for Wide<8> {}
impl Widen<Self> for Wide<8> {}

/// A number of `LIMBS` x 64 bits, lowest limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide<const LIMBS: usize>([u64; LIMBS]);

impl<const LIMBS: usize> Default for Wide<LIMBS> {
    fn default() -> Self {
        Self([0; LIMBS])
    }
}

impl<const LIMBS: usize> Weight for Wide<LIMBS> {
    const BITS: u32 = 64 * LIMBS as u32;
    const ONE: Self = {
        let mut limbs = [0; LIMBS];
        limbs[0] = 1;
        Self(limbs)
    };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let mut limbs = [0; LIMBS];
        let mut carry = false;
        for ((sum, a), b) in limbs.iter_mut().zip(self.0).zip(other.0) {
            let (partial, first) = a.overflowing_add(b);
            let (total, second) = partial.overflowing_add(u64::from(carry));
            *sum = total;
            carry = first | second;
        }
        Self(limbs)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let mut limbs = self.0;
        for (a, b) in limbs.iter_mut().zip(other.0) {
            *a |= b;
        }
        Self(limbs)
    }

    fn bits(self) -> u32 {
        let top = self.0.iter().rposition(|&limb| limb != 0);
        top.map_or(0, |i| 64 * i as u32 + (64 - self.0[i].leading_zeros()))
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self(self.0.map(|limb| !limb)).plus(Self::ONE)
    }

    #[inline(always)]
    fn limbs(self) -> [u64; 8] {
        let mut limbs = [0; 8];
        limbs[..LIMBS].copy_from_slice(&self.0);
        limbs
    }

    #[inline(always)]
    fn from_limbs(limbs: [u64; 8]) -> Self {
        let mut low = [0; LIMBS];
        low.copy_from_slice(&limbs[..LIMBS]);
        Self(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_run_through_all_limbs() {
        let low = Wide::<4>::widen(u128::MAX);
        let sum = low.plus(Wide::ONE);
        assert_eq!(sum.to_big(), BigUint::from(1u8) << 128);
        assert_eq!((low.bits(), sum.bits(), Wide::<4>::default().bits()), (128, 129, 0));
        assert_eq!(Wide::<8>::widen(sum).plus(Wide::<8>::widen(sum)).to_big(), BigUint::from(1u8) << 129);
    }

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
        let number = Wide::<4>::widen(u128::MAX);
        assert_eq!(number.plus(number.negated()), Wide::default());
        assert_eq!(7u64.plus(Weight::negated(7u64)), 0);
        assert_eq!(Wide::<4>::from_limbs(number.limbs()), number);
    }
}
