//! The outcome contains the count and the totals of memory and time.

use num_bigint::BigUint;

use crate::frontier::block::modulus::Lane;
use crate::frontier::layer::totals::Totals;

/// The result of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of tours; with factors, the absolute value of the sum of their products.
    pub count: BigUint,
    /// True if that sum is below zero.
    pub negative: bool,
    /// For a series, the counts of the shorter boards, in order of length.
    pub shorter: Vec<BigUint>,
    /// Totals over all sessions.
    pub totals: Totals,
}

impl Outcome {
    /// Returns the outcome of a count that required no sweep.
    #[must_use]
    pub fn known(count: impl Into<BigUint>) -> Self {
        Self { count: count.into(), ..Self::default() }
    }

    /// Returns the outcome with every count reduced modulo `lane`.
    #[must_use]
    pub fn modulo(mut self, lane: Lane) -> Self {
        self.count = if self.negative { lane.negative(&self.count) } else { lane.of(&self.count) };
        self.negative = false;
        self.shorter.iter_mut().for_each(|number| *number = lane.of(number));
        self
    }

    /// Returns the outcome with a count modulo `2^bits` replaced by its representative nearest to zero.
    #[must_use]
    pub fn signed(mut self, bits: u32) -> Self {
        if self.count.bits() == u64::from(bits) {
            (self.count, self.negative) = ((BigUint::from(1u8) << bits) - self.count, true);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_stand_for_the_number_nearest_to_zero() {
        let signed = |residue: u32| {
            let outcome = Outcome::known(residue).signed(32);
            (outcome.count, outcome.negative)
        };
        assert_eq!(signed(7), (7u32.into(), false));
        assert_eq!(signed(u32::MAX), (1u32.into(), true));
        assert_eq!(signed(1 << 31), ((1u32 << 31).into(), true));
    }

    #[test]
    fn below_zero_residues_are_not() {
        let lane = Lane::new(100).unwrap();
        let outcome = Outcome { negative: true, shorter: vec![250u32.into()], ..Outcome::known(903u32) };
        let known = Outcome { shorter: vec![50u32.into()], ..Outcome::known(97u32) };
        assert_eq!(outcome.modulo(lane), known);
    }
}
