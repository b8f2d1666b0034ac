//! Run options: checkpoints, memory, MPI and progress. None of them changes the result of a job.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::heading;
use super::tours::ProgressArgs;
use crate::cli::error::CliError;
use crate::cli::mpi::{MpiRanks, is_first_rank, mpi_ranks};
use crate::cli::process::EndAtSignal;
use crate::cli::{malloc_tuning, quantities};
use crate::report::{Progress, ProgressMode, Spinner, print_notice};
use ktour::batch::{CountJob, SaveOptions, SavedCommand};
use ktour::control::Control;
use ktour::text_format::describe_io_error;

/// Options that do not change the result of a job.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    /// Print the job, every step of a sweep, and the result on standard error
    #[arg(long, short, help_heading = heading::OUTPUT, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,

    /// Save every TIME: seconds, or with s, m, h, d. Default: 60s; sweeps save less often, so that saving
    /// takes at most 2 % of the time
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "TIME", value_parser = quantities::parse_checkpoint_interval, hide_short_help = true)]
    pub checkpoint_every: Option<Duration>,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "SIZE", value_parser = quantities::parse_memory_size, hide_short_help = true)]
    pub memory: Option<u64>,

    /// The folder of [`SpillArgs`], which `resume` does not have.
    #[arg(skip)]
    pub spill: Option<PathBuf>,

    /// Distribute the sweep over the ranks that mpirun has started (needs a build with --features mpi)
    ///
    /// All ranks take the same command. Each rank holds a part of the layers: --memory, --spill and --threads
    /// are per rank.
    #[arg(long, help_heading = heading::LONG_RUNS, hide_short_help = true)]
    pub mpi: bool,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, help_heading = heading::LONG_RUNS, hide_short_help = true)]
    pub force: bool,
}

/// The folder for data that exceeds the memory.
#[derive(Clone, Debug, Default, Args)]
pub struct SpillArgs {
    /// Spill what exceeds --memory to DIR. Default: the system's folder for temporary files
    ///
    /// With --checkpoint FILE the spill folder is FILE.sweep, and DIR cannot be given.
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "DIR", hide_short_help = true)]
    spill: Option<PathBuf>,
}

impl RunOptions {
    /// Returns the options with the folder of `spill`, if it is given.
    pub fn with_spill(self, spill: SpillArgs) -> Self {
        Self { spill: spill.spill.or(self.spill), ..self }
    }

    pub fn progress(&self, name: String) -> Progress {
        Progress::start(self.progress_mode(), name, self.new_control())
    }

    /// Returns the result of `compute`, which runs before the progress display of the run begins.
    /// If it takes long, shows the activity `what`. The mode `Auto` shows it on a terminal only. A signal removes
    /// the display and ends the process, since there is nothing to save yet.
    pub fn with_waiting_display<R>(
        &self,
        what: &'static str,
        name: String,
        compute: impl FnOnce() -> R,
    ) -> Result<R, CliError> {
        let mode = match self.progress_mode() {
            ProgressMode::Auto if !std::io::stderr().is_terminal() => ProgressMode::None,
            mode => mode,
        };
        let waiting = Spinner::start(mode, name, 1);
        waiting.set_activity(what);
        let _ending = if mode == ProgressMode::None { None } else { EndAtSignal::start_unless_caught()? };
        Ok(compute())
    }

    /// Returns the mode of the progress display. With MPI, only the first rank shows progress.
    fn progress_mode(&self) -> ProgressMode {
        if is_first_rank() { self.progress.mode() } else { ProgressMode::None }
    }

    /// Returns the options for saving a run, which apply `--checkpoint-every`, without file and folder.
    /// `on_failure` is called with the reason if a checkpoint cannot be saved.
    pub fn save_options<'a>(
        &self,
        command: SavedCommand,
        on_failure: &'a (dyn Fn(&str) + Sync),
    ) -> SaveOptions<'a> {
        let peers = mpi_ranks().map(MpiRanks::peers);
        let options = SaveOptions { command, peers, ..SaveOptions::new(on_failure) };
        match self.checkpoint_every {
            Some(interval) => SaveOptions { interval, limits_overhead: false, ..options },
            None => options,
        }
    }

    fn new_control(&self) -> Control {
        let control = Control::new().with_allocator_hook(malloc_tuning::run_allocator_command);
        if self.verbose { control.with_log(|line| print_notice(line)) } else { control }
    }

    /// Returns the memory limit of a sweep in bytes, if there is one.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory.or_else(|| mpi_ranks().and_then(MpiRanks::memory_share))
    }

    /// Returns an error for options that exclude each other, or that do not apply to a sweep or a search.
    /// `is_saved` is true if the run has a checkpoint.
    pub fn check_options(&self, is_sweep: bool, is_saved: bool) -> Result<(), CliError> {
        let message = match (&self.spill, is_sweep, is_saved) {
            _ if self.mpi && mpi_ranks().is_none() => {
                "--mpi: this program was built without MPI; build it with cargo build --release --features mpi"
            }
            (_, false, _) if self.mpi => "--mpi is for sweeps; add --engine frontier, or omit --mpi",
            (_, _, false) if self.checkpoint_every.is_some() => return self.check_interval(is_saved),
            (None, ..) | (_, true, false) => return Ok(()),
            (_, false, _) => "--spill is for sweeps; add --engine frontier, or omit --spill",
            (_, _, true) => {
                "--spill excludes --checkpoint FILE, which spills to the folder FILE.sweep; omit --spill"
            }
        };
        Err(CliError::usage(message))
    }

    /// Returns an error if an interval between checkpoints is given for a run without a checkpoint.
    pub fn check_interval(&self, is_saved: bool) -> Result<(), CliError> {
        if is_saved || self.checkpoint_every.is_none() {
            return Ok(());
        }
        Err(CliError::usage(
            "--checkpoint-every needs a checkpoint; add --checkpoint FILE, or omit --checkpoint-every",
        ))
    }

    /// Creates or opens the spill folder of a sweep. A search, and a sweep that is held in memory, have none.
    pub fn open_spill_folder(&self, count: &mut CountJob) -> Result<(), CliError> {
        count
            .open_spill_dir(self.spill.as_deref(), self.memory)
            .map_err(|(dir, error)| self.spill_folder_error(&dir, &error))
    }

    /// Returns the error for a folder into which a sweep cannot spill, with a remedy.
    fn spill_folder_error(&self, dir: &Path, error: &io::Error) -> CliError {
        let missing = dir.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists());
        let (why, remedy) = match missing {
            Some(parent) => (format!("there is no folder {}", parent.display()), "create it first"),
            None if dir.exists() && !dir.is_dir() => ("it is not a folder".to_owned(), "give a folder"),
            // The full system error may contain a temporary file name, which would not help the user.
            None if error.get_ref().is_some() => {
                (format!("no file can be created there, {}", error.kind()), "give another folder")
            }
            None => {
                (format!("no file can be created there, {}", describe_io_error(error)), "give another folder")
            }
        };
        CliError::failed(match (&self.spill, dir.as_os_str().is_empty()) {
            (Some(_), _) => format!("--spill {}: {why}; {remedy}", dir.display()),
            (None, true) => {
                "TMPDIR is empty, and --memory needs a folder to spill to; add --spill DIR".to_owned()
            }
            (None, false) => {
                format!(
                    "cannot use {}, the folder for temporary files: {why}; add --spill DIR",
                    dir.display()
                )
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::test_support::parse_run_options;
    use ktour::batch::Shard;
    use ktour::board::Board;
    use ktour::count::{Engine, Request, WorkPlan};

    #[test]
    fn check_rejects_spill_for_searches_and_checkpoints() {
        let spill = parse_run_options(&["--spill", "/somewhere"]);
        let refused = |failure: Result<(), CliError>| failure.unwrap_err().to_string();
        assert!(refused(spill.check_options(false, false)).contains("--engine frontier"));
        assert!(refused(spill.check_options(true, true)).contains("--checkpoint FILE"));
        assert!(spill.check_options(true, false).is_ok());
        let every = parse_run_options(&["--checkpoint-every", "5s"]);
        assert!(refused(every.check_options(false, false)).contains("add --checkpoint FILE"));
        assert!(every.check_options(false, true).is_ok() && every.check_options(true, true).is_ok());
        assert!(
            parse_run_options(&["--memory", "8G"]).check_options(false, true).is_ok(),
            "--memory is accepted for searches"
        );
    }

    #[test]
    fn spill_folder_is_made_in_the_given_folder() {
        let dir = tempfile::tempdir().unwrap();
        let spill = parse_run_options(&["--spill", dir.path().to_str().unwrap()]);
        let request = Request { engine: Engine::Frontier, ..Request::new("5x5".parse::<Board>().unwrap()) };
        let mut count = CountJob::new(request.clone(), WorkPlan::new(&request).unwrap(), Shard::WHOLE);
        spill.open_spill_folder(&mut count).unwrap();
        assert!(count.spill_dir.unwrap().path().starts_with(dir.path()));
    }
}
