//! Numbers of tours, in the narrowest sufficient type, and the arithmetic of blocks of completions.

use num_bigint::BigUint;

use crate::frontier::trail::flows::Flows;

/// The type of weights and numbers of tours.
pub trait Number: Flows<Self> + Ord {
    /// Returns true if the number is zero.
    fn is_zero(&self) -> bool;

    /// Returns the number of these bytes, least significant first; bytes beyond its width are zero.
    fn of_bytes(bytes: &[u8]) -> Self;

    /// Converts a number that fits the type.
    ///
    /// # Panics
    /// If a machine number is too narrow.
    fn of(number: &BigUint) -> Self;

    /// Returns the number as an integer of arbitrary size.
    fn widest(&self) -> BigUint;

    /// Adds another number; the sum is at most the number of all tours.
    fn add(&mut self, other: &Self);

    /// Subtracts a number that is not greater.
    fn take(&mut self, other: &Self);

    /// Returns the number of the first `len` bytes, least significant first; more bytes may follow.
    fn of_first(bytes: &[u8], len: usize) -> Self;

    /// The narrow type that most numbers of completions fit.
    type Narrow: Flows<Self>;

    /// Returns the number in the narrow type, if it fits.
    fn narrow(&self) -> Option<Self::Narrow>;
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
                *self = self.checked_add(*other).expect("no sum exceeds the number of tours");
            }

            #[inline(always)]
            fn take(&mut self, other: &Self) {
                *self = self.checked_sub(*other).expect("the difference is not negative");
            }

            #[inline(always)]
            fn of_first(bytes: &[u8], len: usize) -> Self {
                match bytes.first_chunk() {
                    Some(_) if len == 0 => 0,
                    Some(all) => {
                        let surplus = (size_of::<Self>() - len.min(size_of::<Self>())) as u32 * 8;
                        Self::from_le_bytes(*all) << surplus >> surplus
                    }
                    None => Self::of_bytes(&bytes[..len]),
                }
            }

            type Narrow = u32;

            #[inline(always)]
            fn narrow(&self) -> Option<u32> {
                u32::try_from(*self).ok()
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

    fn of_first(bytes: &[u8], len: usize) -> Self {
        Self::from_bytes_le(&bytes[..len])
    }

    type Narrow = u32;

    fn narrow(&self) -> Option<u32> {
        u32::try_from(self).ok()
    }
}
