//! `ktour merge`: adds up shards and joins residues.

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
  ktour merge --partial part0.json part1.json    some of the parts
  ktour count 6x7 --kind closed --modulus 65521,65519 --record residues
  ktour merge residues                           1067638

Parts must belong to one job, be finished, and cover it exactly once; otherwise an error names what is missing, \
repeated, unfinished or mixed. The output of --json can be merged again.";

/// Add up shards, or join residues
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MergeArgs {
    /// Records (from --json or --record) or finished checkpoints
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Add up the given parts even if some are missing; for residues, the shards of one modulus
    #[arg(long)]
    partial: bool,

    #[command(flatten)]
    wanted: Wanted,
}

impl MergeArgs {
    /// Reads all parts, combines them and reports the result.
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
                        tell(format_args!("{file}: line {line} is an incomplete record; it is skipped"));
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
