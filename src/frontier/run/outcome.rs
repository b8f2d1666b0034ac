//! The outcome contains the count and the totals of memory and time.

use num_bigint::BigUint;

use crate::frontier::block::modulus::ResidueRing;
use crate::frontier::layer::totals::SweepTotals;

/// The result of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of tours; with factors, the absolute value of the sum of their products.
    pub count: BigUint,
    /// True if that sum is below zero.
    pub is_negative: bool,
    /// For a series, the counts of the shorter boards, in order of length.
    pub shorter_counts: Vec<BigUint>,
    /// Totals over all sessions.
    pub totals: SweepTotals,
}

impl Outcome {
    /// Returns the outcome of a count that required no sweep.
    #[must_use]
    pub fn from_count(count: impl Into<BigUint>) -> Self {
        Self { count: count.into(), ..Self::default() }
    }

    /// Returns the outcome with every count reduced modulo `lane`.
    #[must_use]
    pub fn to_residues(mut self, lane: ResidueRing) -> Self {
        self.count =
            if self.is_negative { lane.negated_residue(&self.count) } else { lane.residue_of(&self.count) };
        self.is_negative = false;
        self.shorter_counts.iter_mut().for_each(|number| *number = lane.residue_of(number));
        self
    }

    /// Returns the outcome with a count modulo `2^bits` replaced by its representative nearest to zero.
    #[must_use]
    pub fn to_signed(mut self, bits: u32) -> Self {
        if self.count.bits() == u64::from(bits) {
            (self.count, self.is_negative) = ((BigUint::from(1u8) << bits) - self.count, true);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_signed_gives_the_number_nearest_to_zero() {
        let signed = |residue: u32| {
            let outcome = Outcome::from_count(residue).to_signed(32);
            (outcome.count, outcome.is_negative)
        };
        assert_eq!(signed(7), (7u32.into(), false));
        assert_eq!(signed(u32::MAX), (1u32.into(), true));
        assert_eq!(signed(1 << 31), ((1u32 << 31).into(), true));
    }

    #[test]
    fn to_residues_of_negative_counts_are_not_negative() {
        let lane = ResidueRing::new(100).unwrap();
        let outcome =
            Outcome { is_negative: true, shorter_counts: vec![250u32.into()], ..Outcome::from_count(903u32) };
        let known = Outcome { shorter_counts: vec![50u32.into()], ..Outcome::from_count(97u32) };
        assert_eq!(outcome.to_residues(lane), known);
    }
}
