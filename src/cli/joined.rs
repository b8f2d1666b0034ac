//! What parts of a count come to: shards added up, or residues joined, as a result that can be reported.
//!
//! ```text
//! parts of one modulus -> merged shards \
//! parts of another     -> merged shards  +-> an exact one checks the others, or bound -> Joined -> result
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

/// A number that residues have told, or that has told that they are its own.
pub struct Joined {
    /// The number's sums.
    pub sum: Part,
    moduli: BTreeSet<u32>,
    /// What the number could not exceed, if nothing but residues was there.
    bounds: Option<Bounds>,
}

/// Residues of a job that parts are, each whole, joined to its number. A bound is looked for only where no part has the
/// number itself.
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
    /// What was joined, and how far it goes beyond what is needed.
    pub fn told(&self) -> String {
        let count = self.moduli.len();
        let Some(bounds) = &self.bounds else {
            return format!("merged a count and {count} of its residues, which agree");
        };
        let there: BigUint = self.moduli.iter().map(|&modulus| BigUint::from(modulus)).product();
        let (bits, most) = (there.bits() - 1, bounds.most());
        let needed = most.bits();
        let check = match bits.saturating_sub(needed) {
            0 => "; nothing is left for a check: one residue more would be one",
            1..8 => "; little is left for a check: one residue more would be one",
            _ => "",
        };
        format!(
            "merged {count} residues of {bits} bits, {needed} needed for a number of no more than {most}{check}"
        )
    }
}

/// What the sums of a job, or of some of its shards, come to; those of everything obey the theorems.
pub fn result_of(sum: &Part, per_start: bool, started: String) -> Result<CountResult, Failure> {
    let Part { job, shards, sums, seconds, .. } = sum;
    let question = Question::new(&job.request)?;
    let threads = rayon::current_num_threads();
    let run = Run { seconds: *seconds, threads, started, finished: now() };
    let numbers = Reckoning::of(&question, shards, sums)?;
    let record = Record::new(job, shards, sums, &numbers, per_start, &run);
    Ok(CountResult { arena: job.request.arena.clone(), numbers, per_start, up_to: UpTo::default(), record })
}
