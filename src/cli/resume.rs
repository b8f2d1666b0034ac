//! `ktour resume`: resumes an interrupted run, by the command line that its checkpoint stores.

use std::path::PathBuf;

use clap::Args;

use super::args::checkpoint_options::CheckpointOptions;
use super::args::run_options::RunOptions;
use super::error::CliError;
use super::mpi::require_all;

const EXAMPLES: &str = "\
Examples:
  ktour count 7x7 --kind paths --engine multipath --checkpoint run.ckpt
  ktour resume run.ckpt                 after an interrupt, a crash, a power cut
  ktour resume run.ckpt --threads 64    on another machine
  ktour series 5x2..400 --kind closed --checkpoint long.ckpt
  ktour resume long.ckpt                all rows, saved rows first

The checkpoint stores the command line of the run. Options of `resume` replace its run options.";

/// Resume an interrupted run
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub run_options: RunOptions,
}

impl ResumeArgs {
    /// Returns the options of the checkpoint to resume, and the command line that it stores.
    pub fn load(&self) -> Result<(CheckpointOptions, Vec<String>), CliError> {
        if self.file.as_os_str() == "-" {
            return Err(CliError::usage(
                "-: resume also saves its progress in the checkpoint, so it cannot read standard input; name the \
                 checkpoint",
            ));
        }
        require_all(CheckpointOptions::from_saved(&self.file))
    }
}
