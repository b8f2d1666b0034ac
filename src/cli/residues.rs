//! `count --modulus` and `count --residues`: sweeps that count modulo a number, one after the other.
//!
//! ```text
//! --modulus M..          a job for each modulus, its checkpoint FILE.M -> residues
//! --residues     bound -> moduli -> the same jobs -> one number, checked -> report
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use num_bigint::BigUint;
use serde_json::json;

use super::estimated::Report;
use super::failure::Failure;
use super::run::Start;
use super::signals::Signals;
use super::wanted::append;
use crate::report::{CountResult, UpTo, tell};
use ktour::batch::{self, Job, MergeError, Part, Reckoning, Record, Run, Shard, now, with_suffix};
use ktour::control::Control;
use ktour::count::{Bounds, Question, Request, Work};
use ktour::frontier::{Lane, moduli};

/// Counting modulo numbers.
#[derive(Clone, Debug, Default, Args)]
pub struct ResidueArgs {
    /// The number modulo M alone, in half of the memory or less
    ///
    /// M is 2 to 4294967295: up to 65536 a weight takes two bytes. Of several, each is a sweep by itself, whose
    /// checkpoint has its modulus at the end of its name. `ktour merge` makes the number of enough of them. A range
    /// takes one.
    #[arg(
        long,
        value_name = "M",
        value_delimiter = ',',
        value_parser = modulus,
        conflicts_with_all = ["residues", "distinct", "classes", "symmetry", "per_start", "double_check", "directed"],
        hide_short_help = true
    )]
    modulus: Vec<Lane>,

    /// The number from residues, one sweep after the other
    ///
    /// Modulo primes of 16 or 32 bits, as many as a proved bound asks for and one more, which checks the others. With
    /// --checkpoint, what was done of them is gone on with.
    #[arg(
        long,
        value_name = "BITS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "16",
        value_parser = ["16", "32"],
        conflicts_with_all = ["distinct", "classes", "per_start", "double_check", "shard"],
        hide_short_help = true
    )]
    residues: Option<String>,
}

/// Counts modulo numbers that are only foretold.
#[derive(Clone, Debug, Default, Args)]
pub struct ForetoldArgs {
    /// The number modulo M alone, in half of the memory or less
    ///
    /// M is 2 to 4294967295: up to 65536 a weight takes two bytes. Of several, each is a sweep by itself, whose
    /// checkpoint has its modulus at the end of its name. `ktour merge` makes the number of enough of them.
    #[arg(
        long,
        value_name = "M",
        value_delimiter = ',',
        value_parser = modulus,
        conflicts_with_all = ["residues", "distinct", "classes", "symmetry", "per_start"],
        hide_short_help = true
    )]
    modulus: Vec<Lane>,

    /// The number from residues, one sweep after the other
    ///
    /// Modulo primes of 16 or 32 bits, as many as a proved bound asks for and one more, which checks the others. With
    /// --checkpoint, what was done of them is gone on with.
    #[arg(
        long,
        value_name = "BITS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "16",
        value_parser = ["16", "32"],
        conflicts_with_all = ["distinct", "classes", "symmetry", "per_start"],
        hide_short_help = true
    )]
    residues: Option<String>,
}

impl ForetoldArgs {
    /// The moduli that are asked for, or that are enough, which is reported; none if it is not about residues.
    pub fn moduli(
        &self,
        request: &Request,
        memory: Option<u64>,
        report: &mut Report,
    ) -> Result<Vec<Lane>, Failure> {
        let Some(bits) = &self.residues else { return Ok(self.modulus.clone()) };
        let bounds = report_bound(request, memory, report)?;
        Ok(moduli(bounds.most(), bits.parse().expect("one of two numbers")))
    }
}

/// A modulus as it is written.
pub fn modulus(text: &str) -> Result<Lane, String> {
    let number = text.parse().map_err(|_| "a modulus is a number from 2 to 4294967295".to_owned())?;
    Lane::new(number).ok_or_else(|| "modulo 1 all numbers are alike: a modulus is 2 or more".to_owned())
}

impl ResidueArgs {
    /// Residues modulo one number, or none.
    pub fn of(modulus: Option<Lane>) -> Self {
        Self { modulus: modulus.into_iter().collect(), residues: None }
    }

    /// The modulus, if one was given.
    pub fn modulus(&self) -> Option<Lane> {
        self.modulus.first().copied()
    }

    /// Whether moduli were given.
    pub fn are_several(&self) -> bool {
        self.modulus.len() > 1
    }

    /// The option that asks for residues, if one does.
    pub fn option(&self) -> Option<&'static str> {
        match self.residues {
            Some(_) => Some("--residues"),
            None => (!self.modulus.is_empty()).then_some("--modulus"),
        }
    }

    /// Bits of the primes, if the number itself is to come from residues.
    pub fn bits(&self) -> Option<u32> {
        self.residues.as_ref().map(|bits| bits.parse().expect("one of two numbers"))
    }

    /// Runs the jobs.
    pub fn run(&self, start: Start) -> Result<(), Failure> {
        if let Some(bits) = self.bits() {
            return number(start, bits);
        }
        if let [one] = self.modulus[..] {
            let request = Request { modulus: Some(one), ..start.request };
            return Start { request, ..start }.run();
        }
        if start.wanted.files.named().iter().any(|(_, file)| file.is_some()) {
            return Err(Failure::usage(
                "--json and --csv take one residue: of several, ask for --record FILE",
            ));
        }
        for &lane in &self.modulus {
            let result = residue(&start, lane)?;
            let shown = start.wanted.clone().without_files();
            shown.report(shown.open(None)?, &result)?;
        }
        Ok(())
    }
}

/// The job of a modulus among others, run to its end and recorded.
fn residue(start: &Start, lane: Lane) -> Result<CountResult, Failure> {
    let suffix = format!(".{}", lane.modulus());
    let one = Start {
        request: Request { modulus: Some(lane), ..start.request.clone() },
        checkpoint: start.checkpoint.as_ref().map(|file| with_suffix(file, &suffix)),
        wanted: start.wanted.clone(),
        how: start.how.clone(),
        resumed: None,
        ..*start
    };
    let result = one.count()?;
    if let Some(path) = &start.wanted.record {
        append(path, &result.record.line())?;
    }
    Ok(result)
}

/// The number itself.
fn number(start: Start, bits: u32) -> Result<(), Failure> {
    let started = now();
    let files = start.wanted.open(start.checkpoint.as_deref())?;
    let control = Control::new();
    let signals = Signals::catch(control.flag())?;
    let bounds = Bounds::of(&start.request, start.how.memory, &control)?;
    drop(signals);
    let moduli = moduli(bounds.most(), bits);
    tell(format_args!(
        "no more than {}: {} residues of {bits} bits, one of them to check the others",
        in_bits(&bounds.of_counts(&start.request)),
        moduli.len()
    ));
    let mut parts = Vec::new();
    for lane in moduli {
        let result = residue(&start, lane)?;
        tell(format_args!("done {}", result.proof()));
        parts.push(part(&result.record, start.checkpoint.as_deref())?);
    }
    let sum = batch::join(&parts, &bounds).map_err(|error| Failure::failed(error.to_string()))?;
    let result = joined(&sum, started)?;
    start.wanted.report(files, &result)?;
    tell(format_args!("done {}", result.proof()));
    Ok(())
}

/// A number of so many bits in words.
fn in_bits(number: &BigUint) -> String {
    format!("{number} ({} bits)", number.bits())
}

/// What no count exceeds, and the primes that are enough to tell it.
pub fn report_bound(request: &Request, memory: Option<u64>, report: &mut Report) -> Result<Bounds, Failure> {
    let bounds = Bounds::of(request, memory, &Control::new())?;
    let most = bounds.most();
    let moduli = |bits| moduli(most, bits).into_iter().map(|lane| lane.modulus()).collect::<Vec<u32>>();
    let [narrow, wide] = [16, 32].map(moduli);
    let counts = bounds.of_counts(request);
    report.line("bound", &in_bits(&counts));
    let text = |moduli: &[u32]| moduli.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    report.line("  moduli", &text(&narrow));
    report.line("  or", &text(&wide));
    report.note(
        "bound",
        json!({ "most": counts.to_string(), "bits": counts.bits(), "moduli": narrow, "wide_moduli": wide }),
    );
    Ok(bounds)
}

/// The part that a record is.
fn part(record: &Record, checkpoint: Option<&Path>) -> Result<Part, Failure> {
    let job: Job =
        record.job.parse().map_err(|error: batch::ParseJobError| Failure::failed(error.to_string()))?;
    let path = checkpoint.unwrap_or(Path::new("a residue")).to_owned();
    Ok(Part { path, job, shards: vec![Shard::WHOLE], sums: record.sums.clone(), seconds: record.seconds })
}

/// What the sums of joined residues come to, which obeys the theorems.
pub fn joined(sum: &Part, started: String) -> Result<CountResult, Failure> {
    let request = &sum.job.request;
    let question = Question::new(request)?;
    let job = Job::new(&Work::new(request)?, Shard::WHOLE);
    let run = Run { seconds: sum.seconds, threads: rayon::current_num_threads(), started, finished: now() };
    let numbers = Reckoning::of(&question, &sum.shards, &sum.sums)?;
    let record = Record::new(&job, &sum.shards, &sum.sums, &numbers, false, &run);
    Ok(CountResult {
        arena: request.arena.clone(),
        numbers,
        per_start: false,
        up_to: UpTo::default(),
        record,
    })
}

/// What was joined, and how far it goes beyond what is needed.
pub fn told(parts: &[Part], bounds: &Bounds) -> String {
    let moduli: BTreeSet<u32> =
        parts.iter().filter_map(|part| Some(part.job.request.modulus?.modulus())).collect();
    let there: BigUint = moduli.iter().map(|&modulus| BigUint::from(modulus)).product();
    let (bits, needed, count) = (there.bits() - 1, bounds.most().bits(), moduli.len());
    if parts.iter().any(|part| part.job.request.modulus.is_none()) {
        return format!("merged a count and {count} of its residues, which agree");
    }
    let check = match bits - needed.min(bits) {
        0 => "; nothing is left for a check: one residue more would be one",
        1..8 => "; little is left for a check: one residue more would be one",
        _ => "",
    };
    let most = bounds.most();
    format!(
        "merged {count} residues of {bits} bits, {needed} needed for a number of no more than {most}{check}"
    )
}

/// Residues of a job that parts are, each whole, joined to its number.
pub fn join(parts: &[Part], memory: Option<u64>) -> Result<(Part, Bounds), Failure> {
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
    let request = Request { modulus: None, ..parts[0].job.request.clone() };
    let control = Control::new();
    let _signals = Signals::catch(control.flag())?;
    let bounds = Bounds::of(&request, memory, &control)?;
    let sum = batch::join(&whole, &bounds).map_err(failed)?;
    Ok((sum, bounds))
}
