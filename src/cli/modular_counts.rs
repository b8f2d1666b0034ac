//! `count --modulus` and `count --residues`: sweeps that count modulo a number, one after the
//! other.
//!
//! ```text
//! --modulus M..          a job for each modulus, its checkpoint FILE.M -> residues
//! --residues     bound -> moduli -> one job for each modulus -> one exact count, checked -> report
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use num_bigint::BigUint;

use super::args::board::refuse_for_series;
use super::args::heading;
use super::args::output_options::{append_record, print_end};
use super::error::CliError;
use super::estimate_report::EstimateReport;
use super::merge::count_result;
use super::process::Signals;
use super::run::RunRequest;
use crate::report::{CountResult, NamedCells, print_job_line, print_notice};
use ktour::batch;
use ktour::batch::{CheckpointFile, ShardSums};
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::{Request, UpperBounds};
use ktour::frontier::{BoundMethod, ResidueRing, prime_moduli};
use ktour::text_format::now_utc;

/// The arithmetic of a count: exact, modulo a number, or exact by way of residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMode {
    /// Exact counts.
    Exact,
    /// Counts modulo a number.
    Modulo(ResidueRing),
    /// Exact counts, recovered from residues modulo several primes. Holds the number of bits of the
    /// primes.
    FromResidues(u32),
}

impl CountMode {
    /// Returns the modulus of the reported numbers, if they are residues.
    pub const fn modulus(self) -> Option<ResidueRing> {
        if let Self::Modulo(lane) = self { Some(lane) } else { None }
    }

    /// Returns the modulus of the first sweep. `None` if sweeps count exactly.
    pub fn sweep_modulus(self) -> Option<ResidueRing> {
        match self {
            Self::Exact => None,
            Self::Modulo(lane) => Some(lane),
            Self::FromResidues(bits) => prime_moduli(&BigUint::ZERO, bits)?.first().copied(),
        }
    }
}

/// Options of counts modulo a number. Each command adds its own conflicting options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::METHOD)]
pub struct ModularArgs {
    /// Count modulo M only, often in half of the memory or less
    ///
    /// M is 2 to 4294967295; up to 256 a weight takes one byte, up to 65536 two, and on disk as many bits as M - 1
    /// has. Several moduli are counted one after the other, each with checkpoint FILE.M; `ktour resume FILE` continues
    /// all. `ktour merge` recovers the exact count from enough of them. A series accepts one modulus.
    #[arg(
        long,
        value_name = "M",
        value_delimiter = ',',
        value_parser = parse_modulus,
        conflicts_with = "residues",
        hide_short_help = true
    )]
    modulus: Vec<ResidueRing>,

    /// Recover the exact count from residues, one sweep after the other
    ///
    /// Uses primes of 8, 16 or 32 bits: as many as a proved bound requires, and one more that checks the others.
    /// With --checkpoint, a later run resumes where this one stopped. If shorter boards of a series begin
    /// longer ones, one sweep counts the whole series.
    #[arg(
        long,
        value_name = "BITS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "16",
        value_parser = ["8", "16", "32"],
        conflicts_with_all = ["distinct", "classes", "per_start"],
        hide_short_help = true
    )]
    residues: Option<String>,
}

/// Parses the modulus of a count.
///
/// # Errors
/// The text is not a number from 2 to 4294967295.
pub fn parse_modulus(text: &str) -> Result<ResidueRing, String> {
    let number = text.parse().map_err(|_| "write a number from 2 to 4294967295".to_owned())?;
    ResidueRing::new(number).ok_or_else(|| "a modulus is at least 2".to_owned())
}

impl ModularArgs {
    /// Returns the options for counts modulo one number, or for exact counts if there is no
    /// modulus.
    pub fn from_modulus(modulus: Option<ResidueRing>) -> Self {
        Self { modulus: modulus.into_iter().collect(), residues: None }
    }

    /// Returns the first modulus of `--modulus`, if given.
    pub fn modulus(&self) -> Option<ResidueRing> {
        self.modulus.first().copied()
    }

    /// Returns the moduli of `--modulus`, in the order given. A repeated modulus is counted once.
    fn moduli(&self) -> Vec<ResidueRing> {
        let mut known = BTreeSet::new();
        self.modulus.iter().copied().filter(|ring| known.insert(ring.modulus())).collect()
    }

    /// Returns the arithmetic by which the boards of a series are counted.
    pub fn count_mode(&self) -> CountMode {
        match (self.residue_bits(), self.modulus()) {
            (Some(bits), _) => CountMode::FromResidues(bits),
            (None, Some(lane)) => CountMode::Modulo(lane),
            (None, None) => CountMode::Exact,
        }
    }

    /// Returns an error if the options contain several moduli, which a series does not support.
    pub fn check_series(&self) -> Result<(), CliError> {
        refuse_for_series(&[(self.moduli().len() > 1, "several moduli")])
    }

    /// Returns the name of the option that is given: `--modulus`, `--residues` or none.
    pub fn option_name(&self) -> Option<&'static str> {
        match self.residues {
            Some(_) => Some("--residues"),
            None => (!self.modulus.is_empty()).then_some("--modulus"),
        }
    }

    /// Returns the number of bits of the primes, if `--residues` is given.
    pub fn residue_bits(&self) -> Option<u32> {
        self.residues.as_ref().map(|bits| bits.parse().expect("8, 16 or 32"))
    }

    /// Returns the other ways to count that these options do not exclude. `is_divisible` is false if other options
    /// exclude that the count is divided into residues or shards.
    pub fn alternatives(&self, is_divisible: bool) -> Alternatives {
        Alternatives {
            sweep: true,
            residues: is_divisible && self.option_name().is_none(),
            shards: is_divisible && self.residue_bits().is_none(),
        }
    }

    /// Returns the moduli of `--modulus`, or the moduli that `--residues` needs. For `--residues`,
    /// also adds the bound of the count to the report. Empty without either option.
    ///
    /// # Errors
    /// No bound can be computed.
    pub fn required_moduli(
        &self,
        request: &Request,
        memory: Option<u64>,
        report: &mut EstimateReport,
    ) -> Result<Vec<ResidueRing>, CliError> {
        let Some(bits) = self.residue_bits() else { return Ok(self.moduli()) };
        let bounds = report_bound(request, memory, report)?;
        Ok(bounds.prime_moduli(bits)?)
    }

    /// Counts one board of a series, by residues if `--residues` is given. Does not write files,
    /// and does not print the result.
    pub fn count_board(&self, start: RunRequest) -> Result<CountResult, CliError> {
        match self.residue_bits() {
            Some(bits) => count_joined(
                &RunRequest { output: start.output.clone().without_files(), ..start },
                bits,
                |_| {},
            ),
            None => start.count_in_series(),
        }
    }

    /// Runs one job for each modulus of `--modulus`, or counts by the residues of `--residues`.
    pub fn run(&self, start: RunRequest) -> Result<(), CliError> {
        if let Some(bits) = self.residue_bits() {
            return count_by_residues(start, bits);
        }
        let moduli = self.moduli();
        if let [one] = moduli[..] {
            let request = Request { modulus: Some(one), ..start.request };
            return RunRequest { request, ..start }.run();
        }
        if start.output.files.options().iter().any(|(_, file)| file.is_some()) {
            return Err(CliError::usage(
                "--json and --csv accept one modulus; use --record FILE for several",
            ));
        }
        for ring in moduli {
            let result = count_residue(&start, ring)?;
            let shown = start.output.clone().without_files();
            shown.report(shown.open(None)?, &result)?;
        }
        Ok(())
    }
}

/// Returns the job for one modulus of a count with several. Its checkpoint has the modulus in its
/// name.
fn modulus_job(start: &RunRequest, ring: ResidueRing) -> RunRequest {
    RunRequest {
        request: Request { modulus: Some(ring), ..start.request.clone() },
        checkpoint: start.checkpoint.for_part(ring.modulus()),
        output: start.output.clone(),
        run_options: start.run_options.clone(),
        ..*start
    }
}

/// Runs the job for one modulus to its end, and appends its record to the file of `--record`.
fn count_residue(start: &RunRequest, ring: ResidueRing) -> Result<CountResult, CliError> {
    let result = modulus_job(start, ring).count()?;
    if let Some(path) = &start.output.record {
        append_record(path, &result.to_record().to_line())?;
    }
    Ok(result)
}

/// Counts by residues modulo primes of `bits` bits, and reports the exact count.
fn count_by_residues(start: RunRequest, bits: u32) -> Result<(), CliError> {
    let files = start.output.open(start.checkpoint.file().as_deref())?;
    let stop_flag = Arc::new(AtomicBool::new(false));
    let signals = Signals::catch(&stop_flag)?;
    let result = match count_joined(&start, bits, |line| print_notice(format_args!("{line}"))) {
        // A run with a checkpoint prints how to resume once something is saved.
        Err(failure) if stop_flag.load(Ordering::SeqCst) && !failure.is_stopped() => {
            if start.checkpoint.file().is_some() {
                return Err(CliError::stopped(
                    "stopped before the first residue; run the command again to resume",
                ));
            }
            drop(files);
            return Err(signals.stop(
                "stopped before all residues were counted, nothing is saved; add --checkpoint FILE to save \
                progress",
            ));
        }
        result => result?,
    };
    let shown = start.output.report(files, &result);
    print_end(&shown, result.summary_line());
    shown
}

/// Returns an error if the sweep for a residue does not fit. This check precedes the computation of
/// the bound, which takes long on large boards. A run that resumes a checkpoint is not checked.
fn check_residue_fits(start: &RunRequest, bits: u32, control: &Control) -> Result<(), CliError> {
    let Some(ring) = CountMode::FromResidues(bits).sweep_modulus() else { return Ok(()) };
    let one = modulus_job(start, ring);
    let has_begun = one.checkpoint.file().is_some_and(|file| CheckpointFile::exists(&file));
    if start.run_options.force || has_begun {
        return Ok(());
    }
    one.find_refusal(control)?.map_or(Ok(()), |refused| refused.admit_or_refuse(control))
}

/// Counts modulo primes of `bits` bits, and joins the residues to the exact count. Passes a line
/// about each step to `report_line`.
fn count_joined(start: &RunRequest, bits: u32, report_line: impl Fn(&str)) -> Result<CountResult, CliError> {
    let started = now_utc();
    let control = Control::new();
    let signals = Signals::catch(control.cancel_flag())?;
    check_residue_fits(start, bits, &control)?;
    let bound = || UpperBounds::for_request(&start.request, start.run_options.memory, &control);
    let what = "computing an upper bound of the count, by a sweep over signatures alone";
    let bounds = start.run_options.with_waiting_display(what, start.request.title(), bound)??;
    drop(signals);
    let moduli = bounds.prime_moduli(bits)?;
    report_line(&format!(
        "upper bound {}: {} residues of {bits} bits, one of which checks the others",
        format_with_bits(&bounds.count_bound(&start.request)),
        moduli.len()
    ));
    let path = start.checkpoint.file().unwrap_or_else(|| "a residue".into());
    let mut parts = Vec::new();
    for ring in moduli {
        let result = count_residue(start, ring)?;
        print_job_line(format_args!("done {}", result.summary_line()));
        let CountResult { job, shards, sums, run, .. } = result;
        parts.push(ShardSums { path: path.clone(), job, shards, sums, seconds: run.seconds });
    }
    let sum = batch::join_residues(&parts, &bounds)?;
    count_result(&sum, false, started)
}

/// Formats a number together with its length in bits.
fn format_with_bits(number: &BigUint) -> String {
    format!("{number} ({} bits)", number.bits())
}

/// Computes an upper bound of the counts. Adds the bound, and the primes that it requires, to the
/// report.
pub fn report_bound(
    request: &Request,
    memory: Option<u64>,
    report: &mut EstimateReport,
) -> Result<UpperBounds, CliError> {
    let bounds = UpperBounds::for_request(request, memory, &Control::new())?;
    let moduli = |bits| {
        let moduli = bounds.prime_moduli(bits).unwrap_or_default();
        moduli.into_iter().map(|ring| ring.modulus()).collect::<Vec<u32>>()
    };
    let [narrow, words, wide] = [8, 16, 32].map(moduli);
    let counts = bounds.count_bound(request);
    let method = match bounds.method {
        BoundMethod::TwoFactors => "by a sweep over degrees",
        BoundMethod::Degrees => {
            "by a formula with degrees, because a sweep over them exceeds half of the memory"
        }
    };
    report.add_line("bound", &format!("{}, {method}", format_with_bits(&counts)));
    let text = |moduli: &[u32]| moduli.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    report.add_line("  moduli", &text(&words));
    report.add_line("  or", &text(&wide));
    if !narrow.is_empty() {
        report.add_line("  or", &text(&narrow));
    }
    report.fields.bound = Some(NamedCells(vec![
        ("most", (&counts).into()),
        ("bits", counts.bits().into()),
        ("method", bounds.method.name().into()),
        ("narrow_moduli", narrow.into_iter().collect()),
        ("moduli", words.into_iter().collect()),
        ("wide_moduli", wide.into_iter().collect()),
    ]));
    Ok(bounds)
}
