//! `count --modulus` and `count --residues`: sweeps that count modulo a number, one after the other.
//!
//! ```text
//! --modulus M..          a job for each modulus, its checkpoint FILE.M -> residues
//! --residues     bound -> moduli -> the same jobs -> one number, checked -> report
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

/// Counting modulo numbers, or foretelling it; each command adds what else it does not go with.
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
        conflicts_with_all = ["residues", "distinct", "classes", "symmetry", "per_start"],
        hide_short_help = true
    )]
    modulus: Vec<Lane>,

    /// The number from residues, one sweep after the other
    ///
    /// Modulo primes of 16 or 32 bits, as many as a proved bound asks for and one more, which checks the others. With
    /// --checkpoint, what was done of them is gone on with. Each sweep is one of a whole range where shorter boards
    /// begin longer ones.
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

/// A modulus as it is written.
pub fn modulus(text: &str) -> Result<Lane, String> {
    let number = text.parse().map_err(|_| "a modulus is a number from 2 to 4294967295".to_owned())?;
    Lane::new(number).ok_or_else(|| "a modulus is 2 or more".to_owned())
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

    /// What a range of boards is to be told of.
    pub fn numbers(&self) -> Numbers {
        match (self.bits(), self.modulus()) {
            (Some(bits), _) => Numbers::FromResidues(bits),
            (None, Some(lane)) => Numbers::Modulo(lane),
            (None, None) => Numbers::Exact,
        }
    }

    /// Refuses what a range of boards does not take.
    pub fn check_range(&self) -> Result<(), Failure> {
        refuse_for_range(&[(self.modulus.len() > 1, "several moduli")])
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

    /// The moduli that are asked for, or that are enough, which is reported; none if it is not about residues.
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

    /// A board of a range, one of many: its number from residues if that is asked for, and nothing is said or written.
    pub fn count(&self, start: Start) -> Result<CountResult, Failure> {
        match self.bits() {
            Some(bits) => {
                joined(&Start { wanted: start.wanted.clone().without_files(), ..start }, bits, |_| {})
            }
            None => start.count(),
        }
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
            let (result, _) = residue(&start, lane)?;
            let shown = start.wanted.clone().without_files();
            shown.report(shown.open(None)?, &result)?;
        }
        Ok(())
    }
}

/// The job of a modulus among others.
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

/// That job run to its end and recorded.
fn residue(start: &Start, lane: Lane) -> Result<(CountResult, Job), Failure> {
    let (result, job) = one_of(start, lane).count_job()?;
    if let Some(path) = &start.wanted.record {
        append(path, &result.record.line())?;
    }
    Ok((result, job))
}

/// The number itself.
fn number(start: Start, bits: u32) -> Result<(), Failure> {
    let files = start.wanted.open(start.checkpoint.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    let signals = Signals::catch(&stop)?;
    let result = match joined(&start, bits, |line| tell(format_args!("{line}"))) {
        // What has a checkpoint says itself how to go on, once there is something in it.
        Err(failure) if stop.load(Ordering::SeqCst) && failure.status() != Failure::saved().status() => {
            if start.checkpoint.is_some() {
                return Err(Failure::stopped(
                    "stopped before the first residue; the same command again goes on",
                ));
            }
            drop(files);
            tell(
                "stopped before all residues were known; nothing is saved: --checkpoint FILE keeps what is done",
            );
            return Err(signals.die());
        }
        result => result?,
    };
    let shown = start.wanted.report(files, &result);
    tell(format_args!("done {}", result.proof()));
    shown
}

/// Refuses residues for which there is no room, before the bound, which takes a while where they are large. What has
/// begun before may go on.
fn refuse_one(start: &Start, bits: u32, control: &Control) -> Result<(), Failure> {
    let Some(&lane) = moduli(&BigUint::ZERO, bits).first() else { return Ok(()) };
    let one = one_of(start, lane);
    let has_begun = one.checkpoint.as_deref().is_some_and(CheckpointFile::exists);
    if start.how.force || has_begun {
        return Ok(());
    }
    one.obstacle(control)?.and_then(|obstacle| obstacle.why(control)).map_or(Ok(()), Err)
}

/// The number from residues of so many bits, told what is done by lines.
fn joined(start: &Start, bits: u32, said: impl Fn(&str)) -> Result<CountResult, Failure> {
    let started = now();
    let control = Control::new();
    let signals = Signals::catch(control.flag())?;
    refuse_one(start, bits, &control)?;
    let bound = || Bounds::of(&start.request, start.how.memory, &control);
    let what = "what no count exceeds, by a sweep over signatures alone";
    let bounds = start.how.looking_at(what, name_of(&start.request), bound)?;
    drop(signals);
    let moduli = moduli(bounds.most(), bits);
    said(&format!(
        "no more than {}: {} residues of {bits} bits, one of them to check the others",
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
