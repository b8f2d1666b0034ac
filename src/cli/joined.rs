//! Combination of partial results: shards are added, residues are joined by the Chinese remainder theorem,
//! and the sum becomes a result to report.
//!
//! ```text
//! parts of one modulus -> merged shards \
//! parts of another     -> merged shards  +-> an exact count checks the residues, or a bound -> JoinedCount -> result
//! ```

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::failure::Failure;
use super::signals::Signals;
use crate::report::{CountResult, UpTo};
use ktour::batch::{self, MergeError, Part, Reckoning, Record, Run, now};
use ktour::control::Control;
use ktour::count::{Bounds, Question, Request};
use ktour::frontier::Lane;

/// A count recovered from residues, or an exact count checked against its residues.
pub struct Joined {
    /// Sums of the count.
    pub sum: Part,
    moduli: BTreeSet<u32>,
    /// Upper bounds of the count, if it was recovered from residues alone.
    bounds: Option<Bounds>,
}

/// Joins the parts of one job into one count. The parts of each modulus must cover the job. Bounds are
/// computed only if no part has the exact count.
///
/// # Errors
/// Parts are missing or repeated, disagree, or have too few moduli for the bound.
pub fn join(parts: &[Part], memory: Option<u64>) -> Result<Joined, Failure> {
    let failed = |error: MergeError| Failure::failed(error.to_string());
    let mut by_modulus: Vec<(Option<Lane>, Vec<Part>)> = Vec::new();
    for part in parts {
        let modulus = part.job.request.modulus;
        match by_modulus.iter_mut().find(|(there, _)| *there == modulus) {
            Some((_, parts)) => parts.push(part.clone()),
            None => by_modulus.push((modulus, vec![part.clone()])),
        }
    }
    let whole: Vec<Part> = by_modulus
        .iter()
        .map(|(_, parts)| batch::merge(parts, false))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let moduli = by_modulus.iter().filter_map(|(lane, _)| lane.map(Lane::modulus)).collect();
    if let Some(sum) = batch::agreed(&whole).map_err(failed)? {
        return Ok(Joined { sum, moduli, bounds: None });
    }
    let request = Request { modulus: None, ..parts[0].job.request.clone() };
    let control = Control::new();
    let _signals = Signals::catch(control.flag())?;
    let bounds = Bounds::of(&request, memory, &control)?;
    let sum = batch::join(&whole, &bounds).map_err(failed)?;
    Ok(Joined { sum, moduli, bounds: Some(bounds) })
}

impl Joined {
    /// Describes what was joined, and how many bits the residues have beyond the bound.
    pub fn told(&self) -> String {
        let count = self.moduli.len();
        let Some(bounds) = &self.bounds else {
            return format!("merged a count and {count} residues, which agree");
        };
        let there: BigUint = self.moduli.iter().map(|&modulus| BigUint::from(modulus)).product();
        let (bits, most) = (there.bits() - 1, bounds.most());
        let needed = most.bits();
        let check = match bits.saturating_sub(needed) {
            0 => "; no bits are left as a check, add one more residue for that",
            1..8 => "; few bits are left as a check, add one more residue for that",
            _ => "",
        };
        format!("merged {count} residues of {bits} bits; a number up to {most} needs {needed} bits{check}")
    }
}

/// Builds the result of a job, or of some of its shards, from its sums. Complete counts are checked by the
/// theorems.
///
/// # Errors
/// The request is invalid, or a theorem is violated.
pub fn result_of(sum: &Part, per_start: bool, started: String) -> Result<CountResult, Failure> {
    let Part { job, shards, sums, seconds, .. } = sum;
    let question = Question::new(&job.request)?;
    let threads = rayon::current_num_threads();
    let run = Run { seconds: *seconds, threads, started, finished: now() };
    let numbers = Reckoning::of(&question, shards, sums)?;
    let record = Record::new(job, shards, sums, &numbers, per_start, &run);
    Ok(CountResult { arena: job.request.arena.clone(), numbers, per_start, up_to: UpTo::default(), record })
}
