//! `ktour merge`: adds shards, and joins residues by the Chinese remainder theorem.
//!
//! ```text
//! parts of one modulus -> merged shards \
//! parts of another     -> merged shards  +-> an exact count checks the residues, or a bound -> JoinedCount -> result
//! ```

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use ktour::batch;
use ktour::batch::{CountOutcome, ReadShardsError, RunInfo, ShardSums, merge, read_shard_sums};
use ktour::control::Control;
use ktour::count::symmetric::DistinctCounts;
use ktour::count::{Request, UpperBounds, ValidatedRequest};
use ktour::frontier::ResidueRing;
use ktour::text_format::format_count;
use ktour::text_format::now_utc;
use num_bigint::BigUint;

use super::args::heading;
use super::args::output_options::OutputOptions;
use super::error::CliError;
use super::process::Signals;
use crate::report::{CountResult, print_notice};

const EXAMPLES: &str = "\
Examples:
  for r in 0 1 2; do ktour count 6x7 --shard $r/3 --json part$r.json; done
  ktour merge part*.json
  ktour merge --partial part0.json part1.json    some of the shards
  ktour count 6x7 --kind closed --modulus 65521,65519 --record residues
  ktour merge residues                           1067638

Shards must belong to one job, be finished, and cover it exactly once; otherwise an error names what is missing, \
overlapping, unfinished or mixed. The output of --json can be merged again.";

/// Add up shards, or join residues
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Records (from --json or --record) or finished checkpoints
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputOptions,

    /// Add up the given shards even if some are missing; for residues, the shards of one modulus
    #[arg(long, help_heading = heading::LONG_RUNS)]
    partial: bool,
}

impl MergeArgs {
    /// Reads all parts, combines them, and reports the result.
    pub fn run(self) -> Result<(), CliError> {
        let started = now_utc();
        if self.files.iter().any(|file| file.as_os_str() == "-") {
            return Err(CliError::usage(
                "-: merge reads its files twice, so it cannot read standard input; write the records to a file, and name it",
            ));
        }
        let mut parts = Vec::new();
        let mut unfinished = Vec::new();
        for file in &self.files {
            match read_shard_sums(file) {
                Ok(read) => {
                    for line in read.torn_lines {
                        let file = file.display();
                        print_notice(format_args!(
                            "{file}: line {line} is an incomplete record; it is skipped"
                        ));
                    }
                    parts.extend(read.shards);
                }
                Err(error @ ReadShardsError::Unfinished { .. }) => {
                    unfinished.push(CliError::from(error).to_string());
                }
                Err(error) => return Err(error.into()),
            }
        }
        if !unfinished.is_empty() {
            return Err(CliError::failed(unfinished.join("; ")));
        }
        let files = self.output.open(None)?;
        if !self.partial && parts.iter().any(|part| part.job.request.modulus.is_some()) {
            let joined = join_parts(&parts, None)?;
            let result = count_result(&joined.sum, false, started)?;
            let reported = self.output.report(files, &result);
            print_notice(format_args!("{}: {}", joined.summary(), result.summary_line()));
            return reported;
        }
        let sum = merge(&parts, self.partial)?;
        let result = count_result(&sum, self.output.per_start, started)?;
        if self.output.per_start && result.outcome.per_start().is_empty() {
            return Err(CliError::failed(
                "--per-start: the parts have no counts for each start square; omit it",
            ));
        }
        let shown = self.output.report(files, &result);
        print_notice(format_args!(
            "merged {}: {}",
            format_count(parts.len(), "shard"),
            result.summary_line()
        ));
        shown
    }
}

/// A count that was recovered from residues, or an exact count that was checked against residues.
pub struct JoinedCount {
    /// The sums of the whole job, from which the count follows.
    pub sum: ShardSums,
    moduli: BTreeSet<u32>,
    /// Upper bounds of the count, if it was recovered from residues. `None` if one part had the
    /// exact count.
    bounds: Option<UpperBounds>,
}

/// Joins parts of one job, counted modulo several numbers, to one exact count. The parts of each
/// modulus must cover the whole job. If one part has the exact count, compares the residues with
/// it; otherwise computes bounds of the count.
///
/// # Errors
/// Parts are missing or overlap, disagree, or have too few moduli for the bound.
pub fn join_parts(parts: &[ShardSums], memory: Option<u64>) -> Result<JoinedCount, CliError> {
    let merged = batch::merge_each_modulus(parts)?;
    let moduli =
        merged.iter().filter_map(|part| part.job.request.modulus.map(ResidueRing::modulus)).collect();
    if let Some(sum) = batch::find_exact(&merged)? {
        return Ok(JoinedCount { sum, moduli, bounds: None });
    }
    let request = Request { modulus: None, ..parts[0].job.request.clone() };
    let control = Control::new();
    let _signals = Signals::catch(control.cancel_flag())?;
    let bounds = UpperBounds::for_request(&request, memory, &control)?;
    let sum = batch::join_residues(&merged, &bounds)?;
    Ok(JoinedCount { sum, moduli, bounds: Some(bounds) })
}

impl JoinedCount {
    /// Returns a line that describes the joined residues: their number, and the number of bits that
    /// they have beyond the bound of the count.
    pub fn summary(&self) -> String {
        let count = self.moduli.len();
        let Some(bounds) = &self.bounds else {
            return format!("merged a count and {count} residues, which agree");
        };
        let product: BigUint = self.moduli.iter().map(|&modulus| BigUint::from(modulus)).product();
        let (bits, bound) = (product.bits() - 1, bounds.max_bound());
        let needed = bound.bits();
        let check = match bits.saturating_sub(needed) {
            0 => "; no bits are left as a check, add one more residue for that",
            1..8 => "; few bits are left as a check, add one more residue for that",
            _ => "",
        };
        format!("merged {count} residues of {bits} bits; a number up to {bound} needs {needed} bits{check}")
    }
}

/// Creates the result of a job, or of some of its shards, from their sums. The counts of a whole
/// job are checked by theorems.
///
/// # Errors
/// The request is invalid, or a theorem is violated.
pub fn count_result(sum: &ShardSums, per_start: bool, started: String) -> Result<CountResult, CliError> {
    let ShardSums { job, shards, sums, seconds, .. } = sum.clone();
    let validated = ValidatedRequest::new(&job.request, &Control::new())?;
    let threads = rayon::current_num_threads();
    let run = RunInfo { seconds, threads, started, finished: now_utc() };
    let numbers = CountOutcome::from_sums(&validated, &shards, &sums)?;
    let distinct_counts = DistinctCounts::default();
    Ok(CountResult {
        job,
        shards,
        sums,
        outcome: numbers,
        per_start,
        distinct_counts,
        run,
        double_check: None,
    })
}
