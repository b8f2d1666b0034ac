//! The context of a prepared run: its work plan, options, open files, spill folder and saved state.
//!
//! [`RunRequest`] is a counting job as the command line or a checkpoint gives it, before its files are
//! opened.

use std::path::{Path, PathBuf};

use ktour::batch::{Checkpoint, CheckpointFile, Job, RunState, Shard, SpillDir};
use ktour::control::Control;
use ktour::count::symmetric::SymmetricContext;
use ktour::count::{CountError, JobEstimate, Request, WorkPlan};
use ktour::search::parallel_units::Stopped;

use crate::cli::args::output_options::OutputOptions;
use crate::cli::args::run_options::RunOptions;
use crate::cli::error::CliError;
use crate::cli::mpi::{disconnect, mpi_ranks};
use crate::cli::output_files::OutputFiles;
use crate::cli::signals::Signals;
use crate::report::print_notice;

/// A job that is ready to run.
pub struct RunContext {
    pub request: Request,
    pub work: WorkPlan,
    pub job: Job,
    pub output: OutputOptions,
    pub run_options: RunOptions,
    /// Context in which symmetric tours are counted.
    pub symmetric_setting: SymmetricContext,
    /// Output files, on the rank that reports.
    pub output_files: Option<OutputFiles>,
    /// Locked checkpoint file.
    pub checkpoint_file: Option<CheckpointFile>,
    /// Folder into which sweeps spill.
    pub spill_folder: Option<SpillDir>,
    /// Work done so far.
    pub state: RunState,
    /// True if the job line has been printed.
    pub is_job_printed: bool,
    /// True for one job of a series, whose earlier results the caller saves.
    pub is_in_series: bool,
}

/// Returns the title of a request for the progress display, such as `6x6 closed`.
pub fn request_title(request: &Request) -> String {
    let what = request.kind.map_or("tours", |kind| kind.name());
    format!("{} {what}", request.board.title())
}

impl RunContext {
    /// Returns the title of the run for the progress display.
    pub fn title(&self) -> String {
        request_title(&self.request)
    }

    /// Returns the rough estimate of `units`, from the vertex order alone.
    pub fn rough_estimate(&self, units: &[u32], control: &Control) -> Result<JobEstimate, CountError> {
        Ok(self.with_saved_layers(self.work.rough_estimate(units, control)?))
    }

    /// Returns the estimate of `units` by a dry run, if a dry run is short compared to the units.
    pub fn estimate(&self, units: &[u32], control: &Control) -> Result<JobEstimate, CountError> {
        Ok(self.with_saved_layers(self.work.estimate(units, control)?))
    }

    /// Raises the disk estimate to the size of the saved layers if the run has a checkpoint: a sweep that
    /// spills saves its layers on the same disk.
    fn with_saved_layers(&self, mut forecast: JobEstimate) -> JobEstimate {
        if self.checkpoint_file.is_some() && forecast.disk_bytes > 0 {
            forecast.disk_bytes = forecast.disk_bytes.max(forecast.checkpoint_bytes);
        }
        forecast
    }

    /// Catches signals for the run, so that it can save its checkpoint, remove incomplete output files, and
    /// print that nothing is saved if it has no checkpoint.
    pub fn catch_signals(&self, control: &Control) -> Result<Option<Signals>, CliError> {
        Signals::catch(control.cancel_flag()).map(Some)
    }

    /// Returns true if this run or an earlier one has saved a checkpoint.
    pub fn is_saved(&self) -> bool {
        self.checkpoint_file.as_ref().is_some_and(|file| CheckpointFile::exists(file.path()))
    }

    /// Returns the error of a failed run, with the resume command if a checkpoint exists.
    pub fn run_error(&self, error: CountError) -> CliError {
        let failure = CliError::from(error);
        match &self.checkpoint_file {
            Some(file) if self.is_saved() => {
                let said = format!("{failure}; the checkpoint is intact, {}", self.resume_hint(file.path()));
                CliError::with_status(said, failure.status())
            }
            _ => failure,
        }
    }

    /// Returns the hint how to resume; for one job of a series this is the command of the series.
    fn resume_hint(&self, path: &Path) -> String {
        if self.is_in_series {
            "repeat the command to resume".to_owned()
        } else {
            format!("resume with: {}", resume_command(path))
        }
    }

    /// Returns the error of a stopped run with a checkpoint. Without a checkpoint, removes incomplete output
    /// files and ends the process by the signal that stopped it.
    pub fn stopped_error(&mut self, signals: Option<&Signals>, when: &str) -> CliError {
        match (&self.checkpoint_file, signals) {
            (Some(file), _) => {
                CliError::stopped(format!("stopped {when}; {}", self.resume_hint(file.path())))
            }
            (None, Some(_)) if self.is_in_series => CountError::Stopped(Stopped).into(),
            (None, Some(signals)) => {
                drop(self.output_files.take());
                disconnect();
                print_notice(format_args!(
                    "stopped {when}; nothing is saved; add --checkpoint FILE to save progress"
                ));
                signals.die()
            }
            (None, None) => CountError::Stopped(Stopped).into(),
        }
    }
}

/// Returns the command that resumes from a checkpoint.
fn resume_command(path: &Path) -> String {
    let path = path.display();
    match mpi_ranks().map(|ranks| ranks.peers().size()) {
        None => format!("ktour resume {path}"),
        Some(size) => format!("mpirun -n {size} ktour resume {path} --mpi"),
    }
}

/// A request to run a counting job.
#[derive(Debug)]
pub struct RunRequest {
    /// Tours to count.
    pub request: Request,
    /// Shard of the job to run.
    pub shard: Shard,
    /// Output options.
    pub output: OutputOptions,
    /// Options that do not change the result.
    pub run_options: RunOptions,
    /// Checkpoint file of a new run.
    pub checkpoint: Option<PathBuf>,
    /// Loaded checkpoint of a resumed run, and its file, which is locked since it was read.
    pub resumed_checkpoint: Option<(Checkpoint, CheckpointFile)>,
}

#[cfg(test)]
mod tests {
    use super::super::prepare::prepare_run;
    use super::super::test_support::closed_request;

    #[test]
    fn stopped_run_names_the_resume_command() {
        let dir = tempfile::tempdir().unwrap();
        let mut start = closed_request("5x6");
        start.checkpoint = Some(dir.path().join("run"));
        let mut saved = prepare_run(start).unwrap();
        assert_eq!(saved.title(), "5x6 closed");
        let failure = saved.stopped_error(None, "after 3 of 9 units");
        assert_eq!(failure.status(), 75);
        let path = dir.path().join("run");
        let line = failure.to_string();
        assert!(line.contains("after 3 of 9 units"), "{line}");
        assert!(line.ends_with(&format!("ktour resume {}", path.display())), "{line}");
        saved.is_in_series = true;
        let failure = saved.stopped_error(None, "early");
        let line = failure.to_string();
        assert!(line.contains("early") && !line.contains("ktour resume"), "{line}");
        assert_eq!(failure.status(), 75);
        let failure = prepare_run(closed_request("5x6")).unwrap().stopped_error(None, "early");
        assert_eq!(failure.status(), 1);
    }
}
