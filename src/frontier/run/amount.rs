//! What the hashed sweep adds up: sums of products of factors, signed, with every overflow seen.

use num_bigint::BigInt;
use num_traits::One;

/// A sum of products of factors over configurations.
pub trait Amount: Clone + Default {
    /// One configuration.
    fn one() -> Self;

    /// Adds a multiple of another; `None` if that does not fit.
    #[must_use]
    fn add(&mut self, other: &Self, factor: i32) -> Option<()>;

    /// Bits of the absolute value.
    fn bits(&self) -> u32;

    /// The same number, of any size.
    fn to_big(&self) -> BigInt;
}

impl Amount for i128 {
    fn one() -> Self {
        1
    }

    #[inline(always)]
    fn add(&mut self, other: &Self, factor: i32) -> Option<()> {
        let product = if factor == 1 { *other } else { other.checked_mul(factor.into())? };
        *self = self.checked_add(product)?;
        Some(())
    }

    fn bits(&self) -> u32 {
        Self::BITS - self.unsigned_abs().leading_zeros()
    }

    fn to_big(&self) -> BigInt {
        (*self).into()
    }
}

impl Amount for BigInt {
    fn one() -> Self {
        One::one()
    }

    fn add(&mut self, other: &Self, factor: i32) -> Option<()> {
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

    fn to_big(&self) -> BigInt {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_seen() {
        let mut sum = i128::MAX - 5;
        assert_eq!(sum.add(&-3, -1), Some(()));
        assert_eq!(sum.add(&3, 1), None);
        assert_eq!(1i128.add(&i128::MIN, -1), None);
        let mut big = 1i128.to_big();
        assert_eq!(Amount::add(&mut big, &i128::MAX.to_big(), -3), Some(()));
        assert_eq!((Amount::bits(&big), Amount::bits(&-8i128)), (129, 4));
    }
}
