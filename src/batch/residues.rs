//! Counts modulo several numbers are merged to the exact count by the Chinese remainder theorem, if there are
//! enough of them.
//!
//! ```text
//! residues of one job modulo several numbers + the exact count    -> the exact count, if it agrees
//! residues of one job modulo several numbers + bounds of its sums -> the exact sums
//! ```
//!
//! [`Bounds::join`] identifies a wrong residue, if there are enough others.

use num_bigint::BigUint;
use num_integer::Integer;

use super::Shard;
use super::merge::{MergeError, ShardSums};
use crate::count::{ResidueError, ResidueSums, Sums, UpperBounds};
use crate::frontier::ResidueRing;

/// Returns the modulus of the sums.
fn modulus_of(part: &ShardSums) -> ResidueRing {
    part.job.request.modulus.expect("exact counts were handled before")
}

/// Returns the exact count `exact`, if all other sums are its residues or equal to it.
fn check_exact(exact: &ShardSums, parts: &[ShardSums]) -> Result<ShardSums, MergeError> {
    let of = |part: &ShardSums| {
        let residue =
            |sum: &BigUint| part.job.request.modulus.map_or_else(|| sum.clone(), |lane| lane.residue_of(sum));
        (residue(&exact.sums.closed), residue(&exact.sums.unplaced))
    };
    match parts.iter().find(|part| of(part) != (part.sums.closed.clone(), part.sums.unplaced.clone())) {
        None => Ok(exact.clone()),
        Some(other) => {
            let modulus = other.job.request.modulus.map(|lane| lane.modulus().into());
            Err(MergeError::Disagreement { exact: exact.path.clone(), other: other.path.clone(), modulus })
        }
    }
}

/// Returns the exact count among whole counts modulo several numbers, if there is one and all residues agree
/// with it. No upper bound is needed for this.
///
/// # Errors
/// There is no input, the inputs are of several jobs, or a residue disagrees with the exact count.
pub fn find_exact(parts: &[ShardSums]) -> Result<Option<ShardSums>, MergeError> {
    let [first, rest @ ..] = parts else { return Err(MergeError::NoInput) };
    for part in rest {
        if part.job.to_exact() != first.job.to_exact() {
            let (expected, found) = (first.job.to_exact().to_string(), part.job.to_exact().to_string());
            return Err(MergeError::mixed_jobs(&first.path, &expected, &part.path, &found));
        }
    }
    let exact = parts.iter().find(|part| part.job.request.modulus.is_none());
    exact.map(|exact| check_exact(exact, parts)).transpose()
}

/// Merges whole counts modulo several numbers to the exact count. If an exact count is among them, it is the
/// result, provided that all residues agree with it.
///
/// # Errors
/// The inputs are of several jobs, moduli have a common factor, there are too few residues, or a residue
/// contradicts the others.
pub fn join_residues(parts: &[ShardSums], bounds: &UpperBounds) -> Result<ShardSums, MergeError> {
    if let Some(exact) = find_exact(parts)? {
        return Ok(exact);
    }
    let lanes: Vec<ResidueRing> = parts.iter().map(modulus_of).collect();
    let moduli: Vec<BigUint> = lanes.iter().map(|lane| lane.modulus().into()).collect();
    for (i, one) in moduli.iter().enumerate() {
        if let Some(other) = moduli[..i].iter().find(|other| one.gcd(other) != BigUint::from(1u8)) {
            return Err(MergeError::CommonFactor(other.clone(), one.clone()));
        }
    }
    let (known, bound): (BigUint, _) = (moduli.iter().product(), bounds.max_bound());
    if known <= *bound {
        return Err(MergeError::TooFewResidues { needed_bits: bound.bits(), known_bits: known.bits() - 1 });
    }
    let residues: Vec<ResidueSums> = lanes
        .iter()
        .zip(parts)
        .map(|(&lane, part)| ResidueSums {
            ring: lane,
            closed: &part.sums.closed,
            paths: &part.sums.unplaced,
        })
        .collect();
    let (closed, paths) = bounds.combine_residues(&residues).map_err(|misfit| match misfit {
        ResidueError::WrongResidue(wrong) => {
            let part = lanes.iter().position(|&lane| lane == wrong).expect("the modulus is one of these");
            MergeError::WrongResidue { path: parts[part].path.clone(), modulus: moduli[part].clone() }
        }
        ResidueError::Ambiguous => MergeError::InconsistentResidues,
    })?;
    let mut sum = ShardSums {
        job: parts[0].job.to_exact(),
        shards: vec![Shard::WHOLE],
        sums: Sums::default(),
        ..parts[0].clone()
    };
    (sum.sums.closed, sum.sums.unplaced) = (closed, paths);
    sum.seconds = parts.iter().map(|part| part.seconds).sum();
    parts.iter().for_each(|part| sum.sums.effort.add(part.sums.effort));
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::batch::Job;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};
    use crate::frontier::prime_moduli;

    /// Returns the residues of these sums.
    fn part(closed: &BigUint, paths: &BigUint, modulus: u32) -> ShardSums {
        let modulus = ResidueRing::new(modulus);
        let request = Request { modulus, ..Request::new("5x6".parse::<Board>().unwrap()) };
        let job = Job::new(&WorkPlan::new(&request).unwrap(), Shard::WHOLE);
        let lane = modulus.unwrap();
        let sums =
            Sums { closed: lane.residue_of(closed), unplaced: lane.residue_of(paths), ..Sums::default() };
        let path = format!("{}.json", lane.modulus()).into();
        ShardSums { path, job, shards: vec![Shard::WHOLE], sums, seconds: 1.5 }
    }

    proptest! {
        #[test]
        fn join_residues_recovers_sums_and_finds_wrong_residue(
            closed in any::<u64>(), paths in any::<u128>(),
            wrong in 0usize..20, by in 1u32..60_000, bits in prop_oneof![Just(16), Just(32)],
        ) {
            let (closed, paths) = (BigUint::from(closed), BigUint::from(paths >> 1));
            let bounds = UpperBounds { closed: u64::MAX.into(), paths: BigUint::from(u128::MAX >> 1) };
            let moduli = prime_moduli(bounds.max_bound(), bits);
            let mut parts: Vec<ShardSums> = moduli.iter().map(|lane| part(&closed, &paths, lane.modulus())).collect();
            let sum = join_residues(&parts, &bounds).unwrap();
            prop_assert_eq!((&sum.sums.closed, &sum.sums.unplaced), (&closed, &paths));
            prop_assert_eq!((sum.job.request.modulus, sum.seconds), (None, 1.5 * parts.len() as f64));
            let wrong = wrong % parts.len();
            let lane = moduli[wrong];
            parts[wrong].sums.closed = lane.residue_of(&(&parts[wrong].sums.closed + by));
            match join_residues(&parts, &bounds) {
                Err(MergeError::WrongResidue { path, modulus }) => {
                    prop_assert_eq!(modulus, lane.modulus().into());
                    prop_assert_eq!(&path, &parts[wrong].path);
                }
                Err(MergeError::InconsistentResidues) => {}
                other => panic!("{other:?}"),
            }
            let most = moduli.len() - 2;
            let few = join_residues(&parts[..most], &bounds);
            prop_assert!(matches!(few, Err(MergeError::TooFewResidues { needed_bits: 127, .. })), "{:?}", few);
        }
    }

    #[test]
    fn join_residues_rejects_mixed_inputs() {
        let (one, bounds) = (BigUint::from(1u8), UpperBounds { closed: 9u8.into(), paths: 9u8.into() });
        let parts = |moduli: &[u32]| moduli.iter().map(|&m| part(&one, &one, m)).collect::<Vec<_>>();
        assert_eq!(
            join_residues(&parts(&[6, 10]), &bounds),
            Err(MergeError::CommonFactor(6u8.into(), 10u8.into()))
        );
        assert_eq!(
            join_residues(&parts(&[3, 3]), &bounds),
            Err(MergeError::CommonFactor(3u8.into(), 3u8.into()))
        );
        assert_eq!(join_residues(&[], &bounds), Err(MergeError::NoInput));
        assert_eq!(
            join_residues(&parts(&[9]), &bounds),
            Err(MergeError::TooFewResidues { needed_bits: 4, known_bits: 3 })
        );
        let mut mixed = parts(&[7, 11]);
        mixed[1].job.request.start = Some(3);
        assert!(matches!(join_residues(&mixed, &bounds), Err(MergeError::MixedJobs { .. })));
    }

    #[test]
    fn exact_count_checks_residues() {
        let bounds = UpperBounds { closed: 9u8.into(), paths: 9u8.into() };
        let (eight, five) = (BigUint::from(8u8), BigUint::from(5u8));
        let mut parts = vec![part(&eight, &five, 7), part(&eight, &five, 11), part(&eight, &five, 13)];
        parts[1].job = parts[1].job.to_exact();
        assert_eq!(join_residues(&parts, &bounds), Ok(parts[1].clone()));
        parts[2].sums.unplaced = 4u8.into();
        let modulus = Some(13u8.into());
        let apart = |other: &str, modulus| {
            Err(MergeError::Disagreement { exact: "11.json".into(), other: other.into(), modulus })
        };
        assert_eq!(join_residues(&parts, &bounds), apart("13.json", modulus));
        parts[2].job = parts[1].job.clone();
        assert_eq!(join_residues(&parts, &bounds), apart("13.json", None));
    }
}
