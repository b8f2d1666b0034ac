//! Moduli of counts. Weights that are residues of a modulus have a fixed width.
//!
//! ```text
//! weights of a layer         residues: 1 byte up to a modulus of 2^8, 2 up to 2^16, 4 beyond
//! sums of a target block     exact, of 4 or 8 bytes: some thousands of residues fit
//! finished block             sums -> residues, once a weight
//! ```
//!
//! By the Chinese remainder theorem a number is determined by its residues modulo coprime numbers
//! whose product is greater than the number.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::sum_weight::SumWeight;
use super::weight::{Weight, Width};
use crate::cpu_features::with_avx2;
use crate::encoder::Encoder;

/// A modulus. Counts are computed modulo this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulus {
    /// The modulus 2^w for a width of w bits: weights are integers of w bits, and their arithmetic
    /// wraps.
    PowerOfTwo(Width),
    /// A modulus of up to 32 bits: weights are residues of this modulus.
    Residues(ResidueRing),
}

impl Modulus {
    /// Returns the width of the integers in which layers store residues of this modulus.
    #[must_use]
    pub const fn stored_width(self) -> Width {
        match self {
            Self::PowerOfTwo(width) => width,
            Self::Residues(lane) => lane.stored_width(),
        }
    }

    /// Returns the number of bits of the greatest residue of this modulus.
    #[must_use]
    pub const fn residue_bits(self) -> u32 {
        match self {
            Self::PowerOfTwo(width) => width.bits(),
            Self::Residues(lane) => u32::BITS - (lane.modulus - 1).leading_zeros(),
        }
    }

    /// Returns a number that is different for every modulus. It is never 0, which stands for exact
    /// counts.
    #[must_use]
    pub const fn distinct_number(self) -> u64 {
        match self {
            Self::PowerOfTwo(width) => width.bits() as u64,
            Self::Residues(lane) => (lane.modulus as u64) << 32,
        }
    }

    /// Writes the modulus to `to` as a tag and a number: 0 and the number of bits for a power of
    /// two, 1 and the modulus for residues.
    pub(crate) fn encode(self, to: &mut Encoder) {
        let (tag, number) = match self {
            Self::PowerOfTwo(width) => (0, width.bits() as u64),
            Self::Residues(lane) => (1, lane.modulus.into()),
        };
        to.tag(tag);
        to.number(number);
    }

    /// Returns true if the modulus is odd. Then the residue of an even sum determines the residue
    /// of its half.
    #[must_use]
    pub const fn is_odd(self) -> bool {
        matches!(self, Self::Residues(lane) if lane.modulus % 2 == 1)
    }
}

impl From<Width> for Modulus {
    fn from(width: Width) -> Self {
        Self::PowerOfTwo(width)
    }
}

impl From<ResidueRing> for Modulus {
    fn from(ring: ResidueRing) -> Self {
        Self::Residues(ring)
    }
}

/// The ring of residues modulo a number of up to 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidueRing {
    modulus: u32,
}

impl ResidueRing {
    /// Greatest modulus whose residues take one byte.
    pub const MAX_ONE_BYTE_MODULUS: u32 = 1 << 8;

    /// Greatest modulus whose residues take two bytes.
    pub const MAX_TWO_BYTE_MODULUS: u32 = 1 << 16;

    /// Returns the ring of residues modulo `modulus`, or `None` if `modulus` is less than 2.
    #[must_use]
    pub const fn new(modulus: u32) -> Option<Self> {
        if modulus < 2 { None } else { Some(Self { modulus }) }
    }

    /// Returns the modulus.
    #[must_use]
    pub const fn modulus(self) -> u32 {
        self.modulus
    }

    /// Returns the width in which layers store residues.
    #[must_use]
    pub const fn stored_width(self) -> Width {
        if self.modulus <= Self::MAX_ONE_BYTE_MODULUS {
            Width::W8
        } else if self.modulus <= Self::MAX_TWO_BYTE_MODULUS {
            Width::W16
        } else {
            Width::W32
        }
    }

    /// Returns the width in which residues are summed, before the sums are reduced to residues.
    #[must_use]
    pub const fn sum_width(self) -> Width {
        if self.modulus <= Self::MAX_TWO_BYTE_MODULUS { Width::W32 } else { Width::W64 }
    }

    /// Returns the residue of `number`.
    #[must_use]
    pub fn residue_of(self, number: &BigUint) -> BigUint {
        number % self.modulus
    }

    /// Returns the residue of the quotient `number / divisor`. Instead of the number, its residue
    /// may be given.
    ///
    /// # Panics
    /// If `divisor` and the modulus have a common factor.
    #[must_use]
    pub fn quotient_residue(self, number: &BigUint, divisor: u32) -> BigUint {
        let inverse = BigUint::from(divisor)
            .modinv(&self.modulus.into())
            .expect("divisor and modulus must have no common factor");
        self.residue_of(&(self.residue_of(number) * inverse))
    }

    /// Returns the residue of `-number`. Instead of the number, its residue may be given.
    #[must_use]
    pub fn negated_residue(self, number: &BigUint) -> BigUint {
        let residue = self.residue_of(number).to_u32().expect("a residue is below the modulus");
        BigUint::from(if residue == 0 { 0 } else { self.modulus - residue })
    }

    /// Appends the residue of every sum in `sums` to `to`.
    pub fn append_residues<T: SumWeight, N: Weight>(self, sums: &[T], to: &mut Vec<N>) {
        with_avx2(
            #[inline(always)]
            || self.append_residues_portable(sums, to),
        );
    }

    #[inline(always)]
    fn append_residues_portable<T: SumWeight, N: Weight>(self, sums: &[T], to: &mut Vec<N>) {
        let inverse = T::scaled_inverse(self.modulus);
        to.extend(sums.iter().map(|&sum| N::from_u128_truncating(sum.residue(self.modulus, inverse).into())));
    }

    /// Replaces every sum by the residue of its negative.
    pub fn negate_sums<T: SumWeight>(self, sums: &mut [T]) {
        let inverse = T::scaled_inverse(self.modulus);
        for sum in sums {
            let residue = sum.residue(self.modulus, inverse);
            *sum = T::from_u128_truncating(if residue == 0 { 0 } else { u128::from(self.modulus - residue) });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_residues<T: SumWeight>(modulus: u32, sums: &[u128]) {
        let ring = ResidueRing::new(modulus).unwrap();
        let sums: Vec<T> = sums.iter().map(|&sum| T::from_u128_truncating(sum)).collect();
        let plain: Vec<u128> = sums.iter().map(|sum| sum.as_u128() % u128::from(modulus)).collect();
        let mut residues: Vec<u32> = vec![7];
        ring.append_residues(&sums, &mut residues);
        assert_eq!(residues[1..].iter().map(|&w| u128::from(w)).collect::<Vec<_>>(), plain);
        let mut portable: Vec<u32> = Vec::new();
        ring.append_residues_portable(&sums, &mut portable);
        assert_eq!(portable, residues[1..]);
        let mut negative = sums;
        ring.negate_sums(&mut negative);
        assert!(plain.iter().zip(&negative).all(|(w, n)| (w + n.as_u128()) % u128::from(modulus) == 0));
        assert!(negative.iter().all(|n| n.as_u128() < u128::from(modulus)));
    }

    proptest! {
        #[test]
        fn residues_equal_remainders(
            modulus in prop_oneof![2u32..200, 65_000u32..70_000, 2u32..=u32::MAX, Just(u32::MAX)],
            mut sums in prop::collection::vec(any::<u128>(), 0..40),
        ) {
            let m = u128::from(modulus);
            sums.extend([0, 1, m - 1, m, m + 1, 2 * m, u128::from(u32::MAX) / m * m, u128::from(u32::MAX)]);
            sums.extend([u128::from(u64::MAX) / m * m, u128::from(u64::MAX) / m * m - 1, u128::MAX]);
            check_residues::<u32>(modulus, &sums);
            check_residues::<u64>(modulus, &sums);
            check_residues::<u128>(modulus, &sums);
        }
    }

    #[test]
    fn distinct_number_differs_between_moduli() {
        let residues_modulo = |modulus| Modulus::Residues(ResidueRing::new(modulus).unwrap());
        let all = [
            residues_modulo(2),
            residues_modulo(256),
            residues_modulo(257),
            residues_modulo(65521),
            residues_modulo(65536),
            residues_modulo(u32::MAX),
            Modulus::PowerOfTwo(Width::W32),
        ];
        let marks: std::collections::BTreeSet<u64> = all.map(Modulus::distinct_number).into();
        assert_eq!((marks.len(), marks.contains(&0)), (all.len(), false));
        assert_eq!(all.map(Modulus::is_odd), [false, false, true, true, false, true, false]);
        assert_eq!(all.map(|modulus| modulus.stored_width().bytes()), [1, 1, 2, 2, 2, 4, 4]);
        assert_eq!((ResidueRing::new(0), ResidueRing::new(1)), (None, None));
    }

    #[test]
    fn quotient_residue_and_negated_residue_match_numbers() {
        let ring = ResidueRing::new(65521).unwrap();
        let number = BigUint::from(9_795_914_085_489_952u64);
        assert_eq!(ring.quotient_residue(&ring.residue_of(&(2u32 * &number)), 2), ring.residue_of(&number));
        assert_eq!(ring.residue_of(&(ring.negated_residue(&number) + &number)), BigUint::ZERO);
        assert_eq!(ring.negated_residue(&BigUint::ZERO), BigUint::ZERO);
    }
}
