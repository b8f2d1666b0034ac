//! Numbers of tours, in the narrowest sufficient type, and the arithmetic of blocks of completions.

use num_bigint::BigUint;

use crate::frontier::trail::flows::CompletionNumber;

/// The type of weights and numbers of tours.
pub trait TourNumber: CompletionNumber<Self> + Ord {
    /// Returns true if the number is zero.
    fn is_zero(&self) -> bool;

    /// Returns the number of these bytes, least significant first; bytes beyond its width are zero.
    fn from_le_slice(bytes: &[u8]) -> Self;

    /// Converts a number that fits the type.
    ///
    /// # Panics
    /// If a machine number is too narrow.
    fn from_big_uint(number: &BigUint) -> Self;

    /// Returns the number as an integer of arbitrary size.
    fn to_big_uint(&self) -> BigUint;

    /// Adds another number; the sum is at most the number of all tours.
    fn add(&mut self, other: &Self);

    /// Subtracts a number that is not greater.
    fn subtract(&mut self, other: &Self);

    /// Returns the number of the first `len` bytes, least significant first; more bytes may follow.
    fn from_le_prefix(bytes: &[u8], len: usize) -> Self;

    /// The narrow type that most numbers of completions fit.
    type Narrow: CompletionNumber<Self>;

    /// Returns the number in the narrow type, if it fits.
    fn to_narrow(&self) -> Option<Self::Narrow>;
}

macro_rules! number {
    ($type:ty) => {
        impl TourNumber for $type {
            #[inline(always)]
            fn is_zero(&self) -> bool {
                *self == 0
            }

            #[inline(always)]
            fn from_le_slice(bytes: &[u8]) -> Self {
                let mut all = [0; size_of::<Self>()];
                let len = bytes.len().min(all.len());
                all[..len].copy_from_slice(&bytes[..len]);
                Self::from_le_bytes(all)
            }

            fn from_big_uint(number: &BigUint) -> Self {
                Self::try_from(number).expect("a number from_big_uint tours fits its type")
            }

            fn to_big_uint(&self) -> BigUint {
                BigUint::from(*self)
            }

            #[inline(always)]
            fn add(&mut self, other: &Self) {
                *self = self.checked_add(*other).expect("no sum exceeds the number from_big_uint tours");
            }

            #[inline(always)]
            fn subtract(&mut self, other: &Self) {
                *self = self.checked_sub(*other).expect("the difference is not negative");
            }

            #[inline(always)]
            fn from_le_prefix(bytes: &[u8], len: usize) -> Self {
                match bytes.first_chunk() {
                    Some(_) if len == 0 => 0,
                    Some(all) => {
                        let surplus = (size_of::<Self>() - len.min(size_of::<Self>())) as u32 * 8;
                        Self::from_le_bytes(*all) << surplus >> surplus
                    }
                    None => Self::from_le_slice(&bytes[..len]),
                }
            }

            type Narrow = u32;

            #[inline(always)]
            fn to_narrow(&self) -> Option<u32> {
                u32::try_from(*self).ok()
            }
        }
    };
}

number!(u64);
number!(u128);

impl TourNumber for BigUint {
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    fn from_le_slice(bytes: &[u8]) -> Self {
        Self::from_bytes_le(bytes)
    }

    fn from_big_uint(number: &BigUint) -> Self {
        number.clone()
    }

    fn to_big_uint(&self) -> BigUint {
        self.clone()
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn subtract(&mut self, other: &Self) {
        *self -= other;
    }

    fn from_le_prefix(bytes: &[u8], len: usize) -> Self {
        Self::from_bytes_le(&bytes[..len])
    }

    type Narrow = u32;

    fn to_narrow(&self) -> Option<u32> {
        u32::try_from(self).ok()
    }
}
