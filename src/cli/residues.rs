//! `count --modulus` and `count --residues`: sweeps that count modulo a number, one after the other.
//!
//! ```text
//! --modulus M..          a job for each modulus, its checkpoint FILE.M -> residues
//! --residues     bound -> moduli -> the same jobs -> one exact count, checked -> report
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use num_bigint::BigUint;
use serde_json::json;

use super::estimated::Report;
use super::failure::Failure;
use super::joined::result_of;
use super::range::{Numbers, refuse_for_range};
use super::run::{Start, name_of};
use super::signals::Signals;
use super::wanted::append;
use crate::report::{CountResult, tell};
use ktour::batch::{self, CheckpointFile, Job, Part, Shard, now, with_suffix};
use ktour::control::Control;
use ktour::count::{Bounds, Request};
use ktour::frontier::{Lane, moduli};

/// Options of counts modulo a number. Each command adds its own conflicting options.
#[derive(Clone, Debug, Default, Args)]
pub struct ResidueArgs {
    /// Count modulo M only, in half of the memory or less
    ///
    /// M is 2 to 4294967295; up to 65536 a weight takes two bytes. With several moduli, each is counted
    /// separately, with checkpoint FILE.M; `ktour merge` recovers the exact count from enough of them. A
    /// series accepts one modulus.
    #[arg(
        long,
        value_name = "M",
        value_delimiter = ',',
        value_parser = modulus,
        conflicts_with_all = ["residues", "distinct", "classes", "symmetry", "per_start"],
        hide_short_help = true
    )]
    modulus: Vec<Lane>,

    /// Recover the exact count from residues, one sweep after the other
    ///
    /// Uses primes of 16 or 32 bits: as many as a proved bound requires, and one more that checks the others.
    /// With --checkpoint, a later run resumes where this one stopped. If shorter boards of a series begin
    /// longer ones, one sweep counts the whole series.
    #[arg(
        long,
        value_name = "BITS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "16",
        value_parser = ["16", "32"],
        conflicts_with_all = ["distinct", "classes", "per_start"],
        hide_short_help = true
    )]
    residues: Option<String>,
}

/// Parses a modulus.
///
/// # Errors
/// The text is not a number from 2 to 4294967295.
pub fn modulus(text: &str) -> Result<Lane, String> {
    let number = text.parse().map_err(|_| "write a number from 2 to 4294967295".to_owned())?;
    Lane::new(number).ok_or_else(|| "a modulus is at least 2".to_owned())
}

impl ResidueArgs {
    /// Returns the options for counts modulo one number, or for exact counts.
    pub fn of(modulus: Option<Lane>) -> Self {
        Self { modulus: modulus.into_iter().collect(), residues: None }
    }

    /// Returns the first modulus of `--modulus`, if given.
    pub fn modulus(&self) -> Option<Lane> {
        self.modulus.first().copied()
    }

    /// Returns how the boards of a series are counted.
    pub fn numbers(&self) -> Numbers {
        match (self.bits(), self.modulus()) {
            (Some(bits), _) => Numbers::FromResidues(bits),
            (None, Some(lane)) => Numbers::Modulo(lane),
            (None, None) => Numbers::Exact,
        }
    }

    /// Rejects options that a series does not support.
    pub fn check_range(&self) -> Result<(), Failure> {
        refuse_for_range(&[(self.modulus.len() > 1, "several moduli")])
    }

    /// Returns the name of the option in use, if any.
    pub fn option(&self) -> Option<&'static str> {
        match self.residues {
            Some(_) => Some("--residues"),
            None => (!self.modulus.is_empty()).then_some("--modulus"),
        }
    }

    /// Returns the bits of the primes, if `--residues` is given.
    pub fn bits(&self) -> Option<u32> {
        self.residues.as_ref().map(|bits| bits.parse().expect("16 or 32"))
    }

    /// Returns the moduli of `--modulus`, or those that `--residues` needs, and adds the bound of the latter
    /// to the report. Empty without either option.
    ///
    /// # Errors
    /// No bound can be computed.
    pub fn foretold(
        &self,
        request: &Request,
        memory: Option<u64>,
        report: &mut Report,
    ) -> Result<Vec<Lane>, Failure> {
        let Some(bits) = self.bits() else { return Ok(self.modulus.clone()) };
        let bounds = report_bound(request, memory, report)?;
        Ok(moduli(bounds.most(), bits))
    }

    /// Counts one board of a series, by residues if the options say so. Prints and writes nothing.
    pub fn count(&self, start: Start) -> Result<CountResult, Failure> {
        match self.bits() {
            Some(bits) => {
                joined(&Start { wanted: start.wanted.clone().without_files(), ..start }, bits, |_| {})
            }
            None => start.count(),
        }
    }

    /// Runs one job for each modulus, or counts by residues.
    pub fn run(&self, start: Start) -> Result<(), Failure> {
        if let Some(bits) = self.bits() {
            return number(start, bits);
        }
        if let [one] = self.modulus[..] {
            let request = Request { modulus: Some(one), ..start.request };
            return Start { request, ..start }.run();
        }
        if start.wanted.files.named().iter().any(|(_, file)| file.is_some()) {
            return Err(Failure::usage("--json and --csv accept one modulus; use --record FILE for several"));
        }
        for &lane in &self.modulus {
            let (result, _) = residue(&start, lane)?;
            let shown = start.wanted.clone().without_files();
            shown.report(shown.open(None)?, &result)?;
        }
        Ok(())
    }
}

/// Returns the job of one modulus among several.
fn one_of(start: &Start, lane: Lane) -> Start {
    let suffix = format!(".{}", lane.modulus());
    Start {
        request: Request { modulus: Some(lane), ..start.request.clone() },
        checkpoint: start.checkpoint.as_ref().map(|file| with_suffix(file, &suffix)),
        wanted: start.wanted.clone(),
        how: start.how.clone(),
        resumed: None,
        ..*start
    }
}

/// Runs the job of one modulus to its end and appends its record.
fn residue(start: &Start, lane: Lane) -> Result<(CountResult, Job), Failure> {
    let (result, job) = one_of(start, lane).count_job()?;
    if let Some(path) = &start.wanted.record {
        append(path, &result.record.line())?;
    }
    Ok((result, job))
}

/// Counts by residues and reports the exact count.
fn number(start: Start, bits: u32) -> Result<(), Failure> {
    let files = start.wanted.open(start.checkpoint.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    let signals = Signals::catch(&stop)?;
    let result = match joined(&start, bits, |line| tell(format_args!("{line}"))) {
        // A run with a checkpoint prints how to resume once something is saved.
        Err(failure) if stop.load(Ordering::SeqCst) && failure.status() != Failure::saved().status() => {
            if start.checkpoint.is_some() {
                return Err(Failure::stopped(
                    "stopped before the first residue; run the command again to resume",
                ));
            }
            drop(files);
            tell(
                "stopped before all residues were counted, nothing is saved; add --checkpoint FILE to save \
                progress",
            );
            return Err(signals.die());
        }
        result => result?,
    };
    let shown = start.wanted.report(files, &result);
    tell(format_args!("done {}", result.proof()));
    shown
}

/// Rejects residues whose sweep does not fit, before computing the bound, which takes long on large boards. A
/// run that has begun may continue.
fn refuse_one(start: &Start, bits: u32, control: &Control) -> Result<(), Failure> {
    let Some(&lane) = moduli(&BigUint::ZERO, bits).first() else { return Ok(()) };
    let one = one_of(start, lane);
    let has_begun = one.checkpoint.as_deref().is_some_and(CheckpointFile::exists);
    if start.how.force || has_begun {
        return Ok(());
    }
    one.obstacle(control)?.and_then(|obstacle| obstacle.why(control)).map_or(Ok(()), Err)
}

/// Counts by residues of `bits` bits and joins them. Passes a line about each step to `report_line`.
fn joined(start: &Start, bits: u32, said: impl Fn(&str)) -> Result<CountResult, Failure> {
    let started = now();
    let control = Control::new();
    let signals = Signals::catch(control.flag())?;
    refuse_one(start, bits, &control)?;
    let bound = || Bounds::of(&start.request, start.how.memory, &control);
    let what = "an upper bound of the count, by a sweep over signatures alone";
    let bounds = start.how.looking_at(what, name_of(&start.request), bound)?;
    drop(signals);
    let moduli = moduli(bounds.most(), bits);
    said(&format!(
        "upper bound {}: {} residues of {bits} bits, one of which checks the others",
        in_bits(&bounds.of_counts(&start.request)),
        moduli.len()
    ));
    let path = start.checkpoint.clone().unwrap_or_else(|| "a residue".into());
    let mut parts = Vec::new();
    for lane in moduli {
        let (result, job) = residue(start, lane)?;
        said(&format!("done {}", result.proof()));
        let (path, shards, record) = (path.clone(), vec![Shard::WHOLE], result.record);
        parts.push(Part { path, job, shards, sums: record.sums, seconds: record.seconds });
    }
    let sum = batch::join(&parts, &bounds).map_err(|error| Failure::failed(error.to_string()))?;
    result_of(&sum, false, started)
}

/// Formats a number with its length in bits.
fn in_bits(number: &BigUint) -> String {
    format!("{number} ({} bits)", number.bits())
}

/// Computes an upper bound of the counts, and adds the bound and the primes that it requires to the report.
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
