//! `ktour merge`: add up shards.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::wanted::{Wanted, proof};
use crate::report::tell;
use ktour::batch::{MergeError, Record, Run, merge, now, read_parts};
use ktour::count::Question;

const EXAMPLES: &str = "\
Example:
  for r in 0 1 2 3; do ktour count 6x7 --shard $r/4 --json part$r.json; done
  ktour merge part*.json

Parts must be of one job, finished, and cover it exactly once; what is missing, repeated, unfinished or
mixed is named. The result of --json is a part again.";

/// Add up shards.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Records (from --json or --record) or finished checkpoints
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Add up what there is, though some of the job is missing
    #[arg(long)]
    partial: bool,

    #[command(flatten)]
    wanted: Wanted,
}

impl MergeArgs {
    /// Adds up and reports.
    pub fn run(self) -> Result<(), Failure> {
        let started = now();
        let mut parts = Vec::new();
        let mut unfinished = Vec::new();
        for file in &self.files {
            match read_parts(file) {
                Ok(read) => parts.extend(read),
                Err(error @ MergeError::Unfinished { .. }) => unfinished.push(error.to_string()),
                Err(error) => return Err(Failure::failed(error.to_string())),
            }
        }
        if !unfinished.is_empty() {
            return Err(Failure::failed(unfinished.join("; ")));
        }
        let sum = merge(&parts, self.partial).map_err(|error| Failure::failed(error.to_string()))?;
        let files = self.wanted.open()?;
        let question = Question::new(&sum.job.request)?;
        let run =
            Run { seconds: sum.seconds, threads: rayon::current_num_threads(), started, finished: now() };
        let record =
            Record::of_sums(&question, &sum.job, &sum.shards, &sum.sums, self.wanted.per_start, &run)?;
        self.wanted.report(files, &record)?;
        tell(format_args!("merged {} parts: {}", parts.len(), proof(&record)));
        Ok(())
    }
}
