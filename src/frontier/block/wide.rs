//! Weights beyond 128 bits, for boards of which most have never been counted.

use crate::frontier::block::weight::{Weight, Widen};

/// A number of `LIMBS` x 64 bits, lowest limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide<const LIMBS: usize>([u64; LIMBS]);

impl<const LIMBS: usize> Widen<u32> for Wide<LIMBS> {}
impl<const LIMBS: usize> Widen<u64> for Wide<LIMBS> {}
impl<const LIMBS: usize> Widen<u128> for Wide<LIMBS> {}
impl Widen<Self> for Wide<4> {}
impl Widen<Wide<4>> for Wide<8> {}
impl Widen<Self> for Wide<8> {}

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
    use num_bigint::BigUint;

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
    fn negatives_cancel() {
        let number = Wide::<4>::widen(u128::MAX);
        assert_eq!(number.plus(number.negated()), Wide::default());
        assert_eq!(Wide::<4>::from_limbs(number.limbs()), number);
    }
}
