//! `ktour merge`: adds up shards and joins residues.

use std::path::PathBuf;

use clap::Args;

use super::failure::CliError;
use super::joined;
use super::wanted::OutputOptions;
use crate::report::print_notice;
use ktour::batch::{MergeError, merge, now_utc, read_shard_sums, torn_lines};
use ktour::words::format_count;

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
    output: OutputOptions,
}

impl MergeArgs {
    /// Reads all parts, combines them and reports the result.
    pub fn run(mut self) -> Result<(), CliError> {
        let started = now_utc();
        self.output.input_files = self.files.iter().map(|file| ("FILE", Some(file.clone()))).collect();
        let mut parts = Vec::new();
        let mut unfinished = Vec::new();
        for file in &self.files {
            match read_shard_sums(file) {
                Ok(read) => {
                    for line in torn_lines(file) {
                        let file = file.display();
                        print_notice(format_args!(
                            "{file}: line {line} is an incomplete record; it is skipped"
                        ));
                    }
                    parts.extend(read);
                }
                Err(error @ MergeError::Unfinished { .. }) => unfinished.push(error.to_string()),
                Err(error) => return Err(CliError::failed(error.to_string())),
            }
        }
        if !unfinished.is_empty() {
            return Err(CliError::failed(unfinished.join("; ")));
        }
        let files = self.output.open(None)?;
        if !self.partial && parts.iter().any(|part| part.job.request.modulus.is_some()) {
            let joined = joined::join_parts(&parts, None)?;
            let result = joined::count_result(&joined.sum, false, started)?;
            let reported = self.output.report(files, &result);
            print_notice(format_args!("{}: {}", joined.summary(), result.summary_line()));
            return reported;
        }
        let sum = merge(&parts, self.partial).map_err(|error| CliError::failed(error.to_string()))?;
        let result = joined::count_result(&sum, self.output.per_start, started)?;
        let shown = self.output.report(files, &result);
        print_notice(format_args!("merged {}: {}", format_count(parts.len(), "part"), result.summary_line()));
        shown
    }
}
