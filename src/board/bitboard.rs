//! [`Bitboard`]: sets of squares as the bits of an integer.
//!
//! A search kernel is written once for any [`Bitboard`] and compiled for `u64` (boards of up to 64
//! squares) and `u128` (up to 128). Bit `v` stands for vertex `v` of the [`Graph`](super::Graph).

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of up to [`Bitboard::BITS`] squares.
pub trait Bitboard:
    Copy
    + Debug
    + Default
    + Eq
    + Ord
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
{
    /// Maximum number of squares in a set.
    const BITS: usize;
    /// The empty set.
    const EMPTY: Self;
    /// An array of one byte for each square.
    type Bytes: Copy + Debug + Send + Sync + AsRef<[u8]> + AsMut<[u8]>;
    /// One small number for each square, stored by binary digits: for each digit, lowest first, the
    /// set of the squares whose number has this digit.
    type Planes: Copy + Debug + Eq + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;

    /// Returns the [`Bitboard::Planes`] in which the number of every square is 0.
    fn zero_planes() -> Self::Planes;

    /// Returns the array in which the byte of each square is the number of the square.
    fn identity_bytes() -> Self::Bytes;

    /// Returns the byte of `square` in the array. The square is taken modulo `BITS`, which avoids a
    /// bounds check.
    fn byte(bytes: &Self::Bytes, square: usize) -> usize;

    /// Sets the byte of `square` in the array to `value`. The square is taken modulo `BITS`.
    fn set_byte(bytes: &mut Self::Bytes, square: usize, value: usize);

    /// Returns the set that contains only `square`.
    ///
    /// # Panics
    /// In debug builds, if `square >= BITS`.
    fn from_square(square: usize) -> Self;

    /// Returns the set of the squares `0..len`.
    ///
    /// # Panics
    /// If `len > BITS`.
    fn first_n(len: usize) -> Self;

    /// Converts a set of up to 128 squares, and drops the squares from `BITS` on.
    fn from_wide(set: u128) -> Self;

    /// Converts the set to a set of up to 128 squares.
    fn to_wide(self) -> u128;

    /// Returns true if the set is empty.
    fn is_empty(self) -> bool;

    /// Returns the number of squares in the set.
    fn count(self) -> u32;

    /// Returns the lowest square of the set, which must not be empty.
    fn first(self) -> usize;

    /// Returns the highest square of the set, which must not be empty.
    fn last(self) -> usize;

    /// Returns `set` if `keep` is true, otherwise the empty set; does so without a branch.
    #[must_use]
    fn select(keep: bool, set: Self) -> Self;

    /// Returns the set without its lowest square; the empty set stays empty.
    #[must_use]
    fn without_first(self) -> Self;

    /// Returns true if the square is in the set.
    #[inline(always)]
    fn contains(self, square: usize) -> bool {
        !(self & Self::from_square(square)).is_empty()
    }

    /// Returns the set with the square added.
    #[inline(always)]
    #[must_use]
    fn with(self, square: usize) -> Self {
        self | Self::from_square(square)
    }

    /// Returns the set with the square removed.
    #[inline(always)]
    #[must_use]
    fn without(self, square: usize) -> Self {
        self & !Self::from_square(square)
    }

    /// Returns true if the set has at most one square.
    #[inline(always)]
    fn at_most_one(self) -> bool {
        self.without_first().is_empty()
    }

    /// Returns an iterator over the squares of the set in ascending order.
    #[inline(always)]
    fn iter(self) -> SquareIter<Self> {
        SquareIter(self)
    }
}

/// Iterator over the squares of a set, lowest first.
#[derive(Clone, Debug)]
pub struct SquareIter<B>(B);

impl<B: Bitboard> Iterator for SquareIter<B> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.first();
        self.0 = self.0.without_first();
        Some(square)
    }
}

macro_rules! impl_bitboard {
    ($word:ty, $planes:literal) => {
        impl Bitboard for $word {
            const BITS: usize = <$word>::BITS as usize;
            const EMPTY: Self = 0;
            type Bytes = [u8; <$word>::BITS as usize];
            type Planes = [Self; $planes];

            #[inline(always)]
            fn zero_planes() -> Self::Planes {
                [0; $planes]
            }

            fn identity_bytes() -> Self::Bytes {
                std::array::from_fn(|v| v as u8)
            }

            #[inline(always)]
            fn byte(bytes: &Self::Bytes, square: usize) -> usize {
                usize::from(bytes[square & (<Self as Bitboard>::BITS - 1)])
            }

            #[inline(always)]
            fn set_byte(bytes: &mut Self::Bytes, square: usize, value: usize) {
                bytes[square & (<Self as Bitboard>::BITS - 1)] = value as u8;
            }

            #[inline(always)]
            fn from_square(square: usize) -> Self {
                debug_assert!(square < <Self as Bitboard>::BITS);
                1 << (square & (<Self as Bitboard>::BITS - 1))
            }

            fn first_n(len: usize) -> Self {
                assert!(len <= <Self as Bitboard>::BITS, "{len} squares do not fit");
                if len == 0 { 0 } else { Self::MAX >> (<Self as Bitboard>::BITS - len) }
            }

            fn from_wide(set: u128) -> Self {
                set as Self
            }

            #[inline(always)]
            fn to_wide(self) -> u128 {
                self as u128
            }

            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }

            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn last(self) -> usize {
                (<$word>::BITS - 1 - self.leading_zeros()) as usize
            }

            #[inline(always)]
            fn select(keep: bool, set: Self) -> Self {
                set & (0 as Self).wrapping_sub(keep as Self)
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }
        }
    };
}

// Most searches are on boards of at most 64 squares. Leapers and the king have at most 8 moves, so numbers up
// to 15, four planes, are enough. The 128-bit type has seven planes, enough for any graph.
impl_bitboard!(u64, 4);
impl_bitboard!(u128, 7);

#[cfg(test)]
mod tests {
    use super::*;

    fn check_set_operations<B: Bitboard>() {
        let set = B::EMPTY.with(3).with(0).with(B::BITS - 1);
        assert_eq!(set.count(), 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, B::BITS - 1]);
        assert!(set.contains(3) && !set.without(3).contains(3));
        assert!(!set.at_most_one() && B::from_square(5).at_most_one() && B::EMPTY.at_most_one());
        assert_eq!(B::first_n(0), B::EMPTY);
        assert_eq!(B::first_n(B::BITS), !B::EMPTY);
        assert_eq!(B::first_n(7).count(), 7);
    }

    #[test]
    fn integers_implement_set_operations() {
        check_set_operations::<u64>();
        check_set_operations::<u128>();
    }
}
