//! Counts of tours in one call: from the graph to the count, by one exact sweep or by residues.
//!
//! One sweep counts exactly. Alternatively, several sweeps modulo primes give the count by the
//! Chinese remainder theorem: as many primes as an upper bound requires, and one more as a check.
//!
//! ```text
//! upper bound -> prime moduli -> residues, one sweep each -> the one number that has them all
//! ```

use num_bigint::BigUint;

use super::options::{Options, Storage};
use super::prepared_sweep::PreparedSweep;
use super::report::{Observer, Outcome};
use crate::frontier::planning::problem::{SweepGraph, Tours};
use crate::frontier::ranks::error::Error;
use crate::frontier::weights::modulus::ResidueRing;

/// Counts the tours of a graph: plans a sweep and runs it.
///
/// # Errors
/// As for [`PreparedSweep::new`] and [`PreparedSweep::sweep`].
///
/// # Panics
/// As for [`PreparedSweep::new`].
pub fn count(
    sweep_graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    count_with_storage(sweep_graph, tours, options, Storage::default(), observer)
}

/// Counts like [`count`], with storage: layers may exceed the memory, the observer may receive snapshots, and
/// the sweep may resume from a snapshot or be shared by several ranks.
///
/// # Errors
/// As for [`PreparedSweep::new`] and [`PreparedSweep::sweep`].
///
/// # Panics
/// As for [`PreparedSweep::new`].
pub fn count_with_storage(
    sweep_graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = match &storage.resume_from {
        None => PreparedSweep::new(sweep_graph, tours, options)?,
        Some(from) => PreparedSweep::resume(sweep_graph, tours, options, from)?,
    };
    prepared.sweep(storage, observer)
}

/// Returns the rings modulo the greatest primes below `2^bits`, descending: as many primes as are
/// needed for a product above `bound`, and one more as a check. `None` if there are not as many odd primes, which
/// with 8 bits happens from about 2^320.
///
/// # Panics
/// If `bits` is none of 8, 16 and 32.
#[must_use]
pub fn prime_moduli(bound: &BigUint, bits: u32) -> Option<Vec<ResidueRing>> {
    assert!(matches!(bits, 8 | 16 | 32), "residues have 8, 16 or 32 bits");
    let mut product = BigUint::from(1u8);
    let mut number = u32::MAX >> (32 - bits);
    let mut all = Vec::new();
    loop {
        let is_last = product > *bound;
        while !is_prime(number) {
            number -= 1;
        }
        // The residue of an even sum does not determine the residue of its half if the modulus is even.
        if number == 2 {
            return None;
        }
        product *= number;
        all.extend(ResidueRing::new(number));
        if is_last {
            return Some(all);
        }
        number -= 1;
    }
}

fn is_prime(number: u32) -> bool {
    number > 1
        && (2..).take_while(|d| d * d <= u64::from(number)).all(|d| !u64::from(number).is_multiple_of(d))
}

/// Returns the number that has the given residues and is below the product of their moduli.
///
/// # Panics
/// If two moduli have a common factor.
#[must_use]
pub fn chinese_remainder<'a>(residues: impl IntoIterator<Item = (ResidueRing, &'a BigUint)>) -> BigUint {
    let (mut number, mut product) = (BigUint::ZERO, BigUint::from(1u8));
    for (ring, residue) in residues {
        let modulus = BigUint::from(ring.modulus());
        // number + product x has this residue.
        let difference = &modulus + ring.residue_of(residue) - ring.residue_of(&number);
        let inverse = product.modinv(&modulus).expect("the moduli are coprime");
        number += &product * (difference * inverse % &modulus);
        product *= modulus;
    }
    number
}

/// Counts the tours of a graph by the residues of the count modulo primes of `bits` bits. For
/// graphs with negative factors the outcome has the sign of the sum.
///
/// # Errors
/// As for [`count`]; [`Error::InconsistentResidues`] if there is no upper bound, there are too few primes of this
/// size, or the residues are inconsistent.
///
/// # Panics
/// As for [`PreparedSweep::new`] and [`prime_moduli`].
pub fn count_by_residues(
    sweep_graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    bits: u32,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = PreparedSweep::new(sweep_graph, tours, options)?;
    let stopped = Error::Stopped { step: 0, steps: sweep_graph.as_graph().len() };
    let no_bound_error = || if options.cancel.is_cancelled() { stopped } else { Error::InconsistentResidues };
    let (bound, _) = prepared.upper_bound().ok_or_else(no_bound_error)?;
    // Sums of either sign take twice the range.
    let moduli = prime_moduli(&(&bound * 2u32), bits).ok_or(Error::InconsistentResidues)?;
    let product: BigUint = moduli.iter().map(|ring| BigUint::from(ring.modulus())).product();
    let (mut residues, mut total) = (Vec::new(), Outcome::default());
    for &ring in &moduli {
        let options = Options { modulo: Some(ring.into()), ..options.clone() };
        let outcome = prepared.clone().with_options(&options).sweep(Storage::default(), observer)?;
        residues.push(outcome.count);
        total.totals.add_sweep(&outcome.totals);
    }
    let number = chinese_remainder(moduli.into_iter().zip(&residues));
    total.is_negative = number > bound;
    total.count = if total.is_negative { product - number } else { number };
    if total.count <= bound { Ok(total) } else { Err(Error::InconsistentResidues) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::report::NoObserver;
    use super::count;
    use super::*;
    use crate::board::{Graph, Leaper};
    use crate::frontier::planning::problem::Factors;

    #[test]
    fn moduli_are_the_greatest_primes_below_the_power() {
        let of = |bound: u64, bits| {
            let moduli = prime_moduli(&bound.into(), bits).unwrap();
            moduli.iter().map(|l| l.modulus()).collect::<Vec<_>>()
        };
        assert_eq!(of(250, 8), [251, 241]);
        let most: BigUint = (3u32..256).filter(|&number| is_prime(number)).map(BigUint::from).product();
        let below_all = &most / 3u32 - 1u32;
        assert_eq!(prime_moduli(&below_all, 8).map(|all| all.len()), Some(53));
        assert_eq!((prime_moduli(&(below_all + 1u32), 8), most.bits()), (None, 334));
        assert_eq!(of(0, 16), [65_521]);
        assert_eq!(of(65_520, 16), [65_521, 65_519]);
        assert_eq!(of(65_521, 16), [65_521, 65_519, 65_497]);
        assert_eq!(of(u64::MAX, 32), [4_294_967_291, 4_294_967_279, 4_294_967_231, 4_294_967_197]);
    }

    proptest! {
        #[test]
        fn chinese_remainder_restores_the_number(number in any::<u128>()) {
            let number = BigUint::from(number);
            let moduli = prime_moduli(&number, 16).unwrap();
            let residues: Vec<BigUint> = moduli.iter().map(|ring| ring.residue_of(&number)).collect();
            prop_assert_eq!(chinese_remainder(moduli.iter().copied().zip(&residues)), number);
        }
    }

    #[test]
    fn count_by_residues_restores_the_sign() {
        let graph = Graph::from_leaper(&"5x6".parse().unwrap(), Leaper::KNIGHT);
        let w = graph.neighbours(0)[0];
        for factor in [1, 300, -1, -32_000] {
            // A corner with two neighbours: every closed tour has this move.
            let sweep_graph =
                SweepGraph::with_factors(graph.clone(), Factors::from([((0, w), factor)]), Vec::new());
            for tours in [Tours::Closed, Tours::Paths] {
                let exact = count(&sweep_graph, tours, &Options::default(), &mut NoObserver).unwrap();
                for bits in [8, 16, 32] {
                    let outcome =
                        count_by_residues(&sweep_graph, tours, &Options::default(), bits, &mut NoObserver)
                            .unwrap();
                    assert_eq!(
                        (outcome.count, outcome.is_negative),
                        (exact.count.clone(), exact.is_negative)
                    );
                }
            }
        }
    }
}
