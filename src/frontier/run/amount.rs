//! Signed weights of the hashed sweep: sums of products of edge factors, with overflow detection.

use num_bigint::BigInt;
use num_traits::One;

/// A sum of products of edge factors over configurations.
pub trait SignedWeight: Clone + Default {
    /// Returns the weight of the empty configuration, 1.
    fn one() -> Self;

    /// Adds `factor` times `other`; returns `None` if the result does not fit the type.
    #[must_use]
    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()>;

    /// Returns the number of bits of the absolute value.
    fn bits(&self) -> u32;

    /// Returns the value as an integer of arbitrary size.
    fn to_big_int(&self) -> BigInt;
}

impl SignedWeight for i128 {
    fn one() -> Self {
        1
    }

    #[inline(always)]
    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()> {
        let product = if factor == 1 { *other } else { other.checked_mul(factor.into())? };
        *self = self.checked_add(product)?;
        Some(())
    }

    fn bits(&self) -> u32 {
        Self::BITS - self.unsigned_abs().leading_zeros()
    }

    fn to_big_int(&self) -> BigInt {
        (*self).into()
    }
}

impl SignedWeight for BigInt {
    fn one() -> Self {
        One::one()
    }

    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()> {
        if factor == 1 {
            *self += other;
        } else {
            *self += other * factor;
        }
        Some(())
    }

    fn bits(&self) -> u32 {
        u32::try_from(Self::bits(self)).unwrap_or(u32::MAX)
    }

    fn to_big_int(&self) -> BigInt {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_add_multiple_detects_overflow() {
        let mut sum = i128::MAX - 5;
        assert_eq!(sum.checked_add_multiple(&-3, -1), Some(()));
        assert_eq!(sum.checked_add_multiple(&3, 1), None);
        assert_eq!(1i128.checked_add_multiple(&i128::MIN, -1), None);
        let mut big = 1i128.to_big_int();
        assert_eq!(SignedWeight::checked_add_multiple(&mut big, &i128::MAX.to_big_int(), -3), Some(()));
        assert_eq!((SignedWeight::bits(&big), SignedWeight::bits(&-8i128)), (129, 4));
    }
}
