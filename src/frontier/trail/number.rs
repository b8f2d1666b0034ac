//! Numbers of tours, as narrow as they can be.

use num_bigint::BigUint;

/// A number that weights and numbers of tours are reckoned with.
pub trait Number: Clone + Ord + Default + Send + Sync + 'static {
    /// Whether it is zero.
    fn is_zero(&self) -> bool;

    /// From bytes, lowest first; those beyond its width are zero.
    fn of_bytes(bytes: &[u8]) -> Self;

    /// From a number that fits.
    fn of(number: &BigUint) -> Self;

    /// As a number of any size.
    fn widest(&self) -> BigUint;

    /// Adds another; the sum is no greater than the number of all tours.
    fn add(&mut self, other: &Self);

    /// Takes a smaller one away.
    fn take(&mut self, other: &Self);

    /// Adds the product of two, which is no greater than the number of all tours either.
    fn add_product(sum: &mut Self, one: &Self, other: &Self);
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            #[inline(always)]
            fn is_zero(&self) -> bool {
                *self == 0
            }

            #[inline(always)]
            fn of_bytes(bytes: &[u8]) -> Self {
                let mut all = [0; size_of::<Self>()];
                let len = bytes.len().min(all.len());
                all[..len].copy_from_slice(&bytes[..len]);
                Self::from_le_bytes(all)
            }

            fn of(number: &BigUint) -> Self {
                Self::try_from(number).expect("a number of tours fits its type")
            }

            fn widest(&self) -> BigUint {
                BigUint::from(*self)
            }

            #[inline(always)]
            fn add(&mut self, other: &Self) {
                *self = self.checked_add(*other).expect("no sum is greater than the number of tours");
            }

            #[inline(always)]
            fn take(&mut self, other: &Self) {
                *self = self.checked_sub(*other).expect("no number goes below zero");
            }

            #[inline(always)]
            fn add_product(sum: &mut Self, one: &Self, other: &Self) {
                let product = one.checked_mul(*other).and_then(|product| sum.checked_add(product));
                *sum = product.expect("no sum is greater than the number of tours");
            }
        }
    };
}

number!(u64);
number!(u128);

impl Number for BigUint {
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        Self::from_bytes_le(bytes)
    }

    fn of(number: &BigUint) -> Self {
        number.clone()
    }

    fn widest(&self) -> BigUint {
        self.clone()
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn take(&mut self, other: &Self) {
        *self -= other;
    }

    fn add_product(sum: &mut Self, one: &Self, other: &Self) {
        *sum += one * other;
    }
}
