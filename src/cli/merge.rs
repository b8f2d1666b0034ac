//! `ktour merge`: add up shards.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::joined;
use super::wanted::Wanted;
use crate::report::tell;
use ktour::batch::{MergeError, merge, now, read_parts, torn_lines};
use ktour::words::counted;

const EXAMPLES: &str = "\
Examples:
  for r in 0 1 2; do ktour count 6x7 --shard $r/3 --json part$r.json; done
  ktour merge part*.json
  ktour merge --partial part0.json part1.json    what there is
  ktour count 6x7 --kind closed --modulus 65521,65519 --record residues
  ktour merge residues                           1067638

Parts must be of one job, finished, and cover it exactly once; what is missing, repeated, unfinished or mixed is \
named. The result of --json is a part again.";

/// Add up shards, or join residues.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Records (from --json or --record) or finished checkpoints
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Add up what there is, though some of the job is missing; of residues, the shards of one
    #[arg(long)]
    partial: bool,

    #[command(flatten)]
    wanted: Wanted,
}

impl MergeArgs {
    /// Adds up and reports.
    pub fn run(mut self) -> Result<(), Failure> {
        let started = now();
        self.wanted.reads = self.files.iter().map(|file| ("FILE", Some(file.clone()))).collect();
        let mut parts = Vec::new();
        let mut unfinished = Vec::new();
        for file in &self.files {
            match read_parts(file) {
                Ok(read) => {
                    for line in torn_lines(file) {
                        let file = file.display();
                        tell(format_args!(
                            "{file}: line {line} ends in the middle of a record: it is left out"
                        ));
                    }
                    parts.extend(read);
                }
                Err(error @ MergeError::Unfinished { .. }) => unfinished.push(error.to_string()),
                Err(error) => return Err(Failure::failed(error.to_string())),
            }
        }
        if !unfinished.is_empty() {
            return Err(Failure::failed(unfinished.join("; ")));
        }
        let files = self.wanted.open(None)?;
        if !self.partial && parts.iter().any(|part| part.job.request.modulus.is_some()) {
            let joined = joined::join(&parts, None)?;
            let result = joined::result_of(&joined.sum, false, started)?;
            let shown = self.wanted.report(files, &result);
            tell(format_args!("{}: {}", joined.told(), result.proof()));
            return shown;
        }
        let sum = merge(&parts, self.partial).map_err(|error| Failure::failed(error.to_string()))?;
        let result = joined::result_of(&sum, self.wanted.per_start, started)?;
        let shown = self.wanted.report(files, &result);
        tell(format_args!("merged {}: {}", counted(parts.len(), "part"), result.proof()));
        shown
    }
}
