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
use super::merge::{MergeError, Part};
use crate::count::{Bounds, Misfit, ResidueSums, Sums};
use crate::frontier::Lane;

/// Returns the modulus of the sums.
fn lane(part: &Part) -> Lane {
    part.job.request.modulus.expect("exact counts were handled before")
}

/// Returns the exact count `exact`, if all other sums are its residues or equal to it.
fn checked(exact: &Part, parts: &[Part]) -> Result<Part, MergeError> {
    let of = |part: &Part| {
        let residue =
            |sum: &BigUint| part.job.request.modulus.map_or_else(|| sum.clone(), |lane| lane.of(sum));
        (residue(&exact.sums.closed), residue(&exact.sums.unplaced))
    };
    match parts.iter().find(|part| of(part) != (part.sums.closed.clone(), part.sums.unplaced.clone())) {
        None => Ok(exact.clone()),
        Some(other) => {
            let modulus = other.job.request.modulus.map(|lane| lane.modulus().into());
            Err(MergeError::Apart { exact: exact.path.clone(), other: other.path.clone(), modulus })
        }
    }
}

/// Returns the exact count among whole counts modulo several numbers, if there is one and all residues agree
/// with it. No upper bound is needed for this.
///
/// # Errors
/// There is no input, the inputs are of several jobs, or a residue disagrees with the exact count.
pub fn agreed(parts: &[Part]) -> Result<Option<Part>, MergeError> {
    let [first, rest @ ..] = parts else { return Err(MergeError::Nothing) };
    for part in rest {
        if part.job.exact() != first.job.exact() {
            let (expected, found) = (first.job.exact().to_string(), part.job.exact().to_string());
            return Err(MergeError::mixed(&first.path, &expected, &part.path, &found));
        }
    }
    let exact = parts.iter().find(|part| part.job.request.modulus.is_none());
    exact.map(|exact| checked(exact, parts)).transpose()
}

/// Merges whole counts modulo several numbers to the exact count. If an exact count is among them, it is the
/// result, provided that all residues agree with it.
///
/// # Errors
/// The inputs are of several jobs, moduli have a common factor, there are too few residues, or a residue
/// contradicts the others.
pub fn join(parts: &[Part], bounds: &Bounds) -> Result<Part, MergeError> {
    if let Some(exact) = agreed(parts)? {
        return Ok(exact);
    }
    let lanes: Vec<Lane> = parts.iter().map(lane).collect();
    let moduli: Vec<BigUint> = lanes.iter().map(|lane| lane.modulus().into()).collect();
    for (i, one) in moduli.iter().enumerate() {
        if let Some(other) = moduli[..i].iter().find(|other| one.gcd(other) != BigUint::from(1u8)) {
            return Err(MergeError::CommonFactor(other.clone(), one.clone()));
        }
    }
    let (there, most): (BigUint, _) = (moduli.iter().product(), bounds.most());
    if there <= *most {
        return Err(MergeError::NotEnough { needed: most.bits(), there: there.bits() - 1 });
    }
    let residues: Vec<ResidueSums> = lanes
        .iter()
        .zip(parts)
        .map(|(&lane, part)| ResidueSums { lane, closed: &part.sums.closed, paths: &part.sums.unplaced })
        .collect();
    let (closed, paths) = bounds.join(&residues).map_err(|misfit| match misfit {
        Misfit::Wrong(wrong) => {
            let part = lanes.iter().position(|&lane| lane == wrong).expect("the modulus is one of these");
            MergeError::Wrong { path: parts[part].path.clone(), modulus: moduli[part].clone() }
        }
        Misfit::Unknown => MergeError::Unfit,
    })?;
    let mut sum = Part {
        job: parts[0].job.exact(),
        shards: vec![Shard::WHOLE],
        sums: Sums::default(),
        ..parts[0].clone()
    };
    (sum.sums.closed, sum.sums.unplaced) = (closed, paths);
    sum.seconds = parts.iter().map(|part| part.seconds).sum();
    parts.iter().for_each(|part| sum.sums.tally.add(part.sums.tally));
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::batch::Job;
    use crate::board::Arena;
    use crate::count::{Request, Work};
    use crate::frontier::moduli;

    /// Returns the residues of these sums.
    fn part(closed: &BigUint, paths: &BigUint, modulus: u32) -> Part {
        let modulus = Lane::new(modulus);
        let request = Request { modulus, ..Request::new("5x6".parse::<Arena>().unwrap()) };
        let job = Job::new(&Work::new(&request).unwrap(), Shard::WHOLE);
        let lane = modulus.unwrap();
        let sums = Sums { closed: lane.of(closed), unplaced: lane.of(paths), ..Sums::default() };
        let path = format!("{}.json", lane.modulus()).into();
        Part { path, job, shards: vec![Shard::WHOLE], sums, seconds: 1.5 }
    }

    proptest! {
        #[test]
        fn enough_residues_give_the_number_and_tell_the_wrong_one(
            closed in any::<u64>(), paths in any::<u128>(),
            wrong in 0usize..20, by in 1u32..60_000, bits in prop_oneof![Just(16), Just(32)],
        ) {
            let (closed, paths) = (BigUint::from(closed), BigUint::from(paths >> 1));
            let bounds = Bounds { closed: u64::MAX.into(), paths: BigUint::from(u128::MAX >> 1) };
            let moduli = moduli(bounds.most(), bits);
            let mut parts: Vec<Part> = moduli.iter().map(|lane| part(&closed, &paths, lane.modulus())).collect();
            let sum = join(&parts, &bounds).unwrap();
            prop_assert_eq!((&sum.sums.closed, &sum.sums.unplaced), (&closed, &paths));
            prop_assert_eq!((sum.job.request.modulus, sum.seconds), (None, 1.5 * parts.len() as f64));
            let wrong = wrong % parts.len();
            let lane = moduli[wrong];
            parts[wrong].sums.closed = lane.of(&(&parts[wrong].sums.closed + by));
            match join(&parts, &bounds) {
                Err(MergeError::Wrong { path, modulus }) => {
                    prop_assert_eq!(modulus, lane.modulus().into());
                    prop_assert_eq!(&path, &parts[wrong].path);
                }
                Err(MergeError::Unfit) => {}
                other => panic!("{other:?}"),
            }
            let most = moduli.len() - 2;
            let few = join(&parts[..most], &bounds);
            prop_assert!(matches!(few, Err(MergeError::NotEnough { needed: 127, .. })), "{:?}", few);
        }
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let (one, bounds) = (BigUint::from(1u8), Bounds { closed: 9u8.into(), paths: 9u8.into() });
        let parts = |moduli: &[u32]| moduli.iter().map(|&m| part(&one, &one, m)).collect::<Vec<_>>();
        assert_eq!(join(&parts(&[6, 10]), &bounds), Err(MergeError::CommonFactor(6u8.into(), 10u8.into())));
        assert_eq!(join(&parts(&[3, 3]), &bounds), Err(MergeError::CommonFactor(3u8.into(), 3u8.into())));
        assert_eq!(join(&[], &bounds), Err(MergeError::Nothing));
        assert_eq!(join(&parts(&[9]), &bounds), Err(MergeError::NotEnough { needed: 4, there: 3 }));
        let mut mixed = parts(&[7, 11]);
        mixed[1].job.request.start = Some(3);
        assert!(matches!(join(&mixed, &bounds), Err(MergeError::Mixed { .. })));
    }

    #[test]
    fn an_exact_count_checks_its_residues() {
        let bounds = Bounds { closed: 9u8.into(), paths: 9u8.into() };
        let (eight, five) = (BigUint::from(8u8), BigUint::from(5u8));
        let mut parts = vec![part(&eight, &five, 7), part(&eight, &five, 11), part(&eight, &five, 13)];
        parts[1].job = parts[1].job.exact();
        assert_eq!(join(&parts, &bounds), Ok(parts[1].clone()));
        parts[2].sums.unplaced = 4u8.into();
        let modulus = Some(13u8.into());
        let apart = |other: &str, modulus| {
            Err(MergeError::Apart { exact: "11.json".into(), other: other.into(), modulus })
        };
        assert_eq!(join(&parts, &bounds), apart("13.json", modulus));
        parts[2].job = parts[1].job.clone();
        assert_eq!(join(&parts, &bounds), apart("13.json", None));
    }
}
