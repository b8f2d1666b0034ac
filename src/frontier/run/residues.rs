//! A count by residues, with the check by one more prime:
//!
//! ```text
//! upper bound -> prime moduli -> residues, one sweep each -> the one number that has them all
//! ```

use num_bigint::BigUint;

use crate::frontier::block::modulus::Lane;
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::run::prepare::Prepared;

/// Returns prime moduli whose product exceeds `bound`, and one more as a check: the greatest primes below
/// `2^bits`, descending.
///
/// # Panics
/// If `bits` is neither 16 nor 32.
#[must_use]
pub fn moduli(bound: &BigUint, bits: u32) -> Vec<Lane> {
    assert!(bits == 16 || bits == 32, "residues have 16 or 32 bits");
    let mut product = BigUint::from(1u8);
    let mut number = u32::MAX >> (32 - bits);
    let mut all = Vec::new();
    loop {
        let is_last = product > *bound;
        while !is_prime(number) {
            number -= 1;
        }
        product *= number;
        all.extend(Lane::new(number));
        if is_last {
            return all;
        }
        number -= 1;
    }
}

fn is_prime(number: u32) -> bool {
    number > 1
        && (2..).take_while(|d| d * d <= u64::from(number)).all(|d| !u64::from(number).is_multiple_of(d))
}

/// Returns the number below the product of the moduli that has these residues.
///
/// # Panics
/// If two moduli have a common factor.
#[must_use]
pub fn joined<'a>(residues: impl IntoIterator<Item = (Lane, &'a BigUint)>) -> BigUint {
    let (mut number, mut product) = (BigUint::ZERO, BigUint::from(1u8));
    for (lane, residue) in residues {
        let modulus = BigUint::from(lane.modulus());
        // number + product x has this residue.
        let lacks = &modulus + lane.of(residue) - lane.of(&number);
        let inverse = product.modinv(&modulus).expect("the moduli are coprime");
        number += &product * (lacks * inverse % &modulus);
        product *= modulus;
    }
    number
}

/// Counts by residues modulo primes of `bits` bits, 16 or 32. With negative factors the sum has its sign.
///
/// # Errors
/// As for [`count`](crate::frontier::count); [`Error::Residues`] if there is no upper bound, or the residues
/// are inconsistent.
///
/// # Panics
/// As for [`PreparedSweep::new`] and [`prime_moduli`].
pub fn count_by_residues(
    field: &Field,
    tours: Tours,
    options: &Options,
    bits: u32,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = Prepared::new(field, tours, options)?;
    let stopped = Error::Stopped { step: 0, steps: field.as_graph().len() };
    let unbound = || if options.cancel.is_cancelled() { stopped } else { Error::Residues };
    let bound = prepared.bound().ok_or_else(unbound)?;
    // Sums of either sign take twice the range.
    let moduli = moduli(&(&bound * 2u32), bits);
    let product: BigUint = moduli.iter().map(|lane| BigUint::from(lane.modulus())).product();
    let (mut residues, mut whole) = (Vec::new(), Outcome::default());
    for &lane in &moduli {
        let options = Options { modulo: Some(lane.into()), ..options.clone() };
        let outcome = prepared.clone().with(&options).sweep(Storage::default(), observer)?;
        residues.push(outcome.count);
        whole.totals.follow(&outcome.totals);
    }
    let number = joined(moduli.into_iter().zip(&residues));
    whole.negative = number > bound;
    whole.count = if whole.negative { product - number } else { number };
    if whole.count <= bound { Ok(whole) } else { Err(Error::Residues) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::{Graph, Leaper};
    use crate::frontier::problem::field::Factors;
    use crate::frontier::run::count::count;
    use crate::frontier::run::observer::Silent;

    #[test]
    fn moduli_are_the_greatest_primes() {
        let of =
            |bound: u64, bits| moduli(&bound.into(), bits).iter().map(|l| l.modulus()).collect::<Vec<_>>();
        assert_eq!(of(0, 16), [65_521]);
        assert_eq!(of(65_520, 16), [65_521, 65_519]);
        assert_eq!(of(65_521, 16), [65_521, 65_519, 65_497]);
        assert_eq!(of(u64::MAX, 32), [4_294_967_291, 4_294_967_279, 4_294_967_231, 4_294_967_197]);
    }

    proptest! {
        #[test]
        fn residues_are_those_of_the_number(number in any::<u128>()) {
            let number = BigUint::from(number);
            let moduli = moduli(&number, 16);
            let residues: Vec<BigUint> = moduli.iter().map(|lane| lane.of(&number)).collect();
            prop_assert_eq!(joined(moduli.iter().copied().zip(&residues)), number);
        }
    }

    #[test]
    fn sums_come_out_with_their_sign() {
        let graph = Graph::new(&"5x6".parse().unwrap(), Leaper::KNIGHT);
        let w = graph.neighbours(0)[0];
        for factor in [1, 300, -1, -32_000] {
            // A corner with two neighbours: every closed tour has this move.
            let field = Field::weighted(graph.clone(), Factors::from([((0, w), factor)]), Vec::new());
            for tours in [Tours::Closed, Tours::Paths] {
                let exact = count(&field, tours, &Options::default(), &mut Silent).unwrap();
                for bits in [16, 32] {
                    let found =
                        count_by_residues(&field, tours, &Options::default(), bits, &mut Silent).unwrap();
                    assert_eq!((found.count, found.negative), (exact.count.clone(), exact.negative));
                }
            }
        }
    }
}
