//! The context of a prepared run: its work plan, options, open files, spill folder and saved state.

use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::files::Files;
use crate::cli::how::RunArgs;
use crate::cli::ranks::{leave, ranks};
use crate::cli::signals::Signals;
use crate::cli::wanted::Wanted;
use crate::report::tell;
use ktour::batch::{CheckpointFile, Folder, Job, State};
use ktour::control::Control;
use ktour::count::symmetric::Setting;
use ktour::count::{CountError, Forecast, Request, Work};
use ktour::search::workers::Stopped;

/// A job that is ready to run.
pub struct Ready {
    pub request: Request,
    pub work: Work,
    pub job: Job,
    pub wanted: Wanted,
    pub how: RunArgs,
    /// Context in which symmetric tours are counted.
    pub setting: Setting,
    /// Output files, on the rank that reports.
    pub files: Option<Files>,
    /// Locked checkpoint file.
    pub file: Option<CheckpointFile>,
    /// Folder into which sweeps spill.
    pub folder: Option<Folder>,
    /// Work done so far.
    pub state: State,
    /// True if the job line has been printed.
    pub is_told: bool,
    /// True for one job of a series, whose earlier results the caller saves.
    pub is_one_of_many: bool,
}

/// Returns the title of a request for the progress display, such as `6x6 closed`.
pub fn name_of(request: &Request) -> String {
    let what = request.kind.map_or("tours", |kind| kind.name());
    format!("{} {what}", request.arena.title())
}

impl Ready {
    /// Returns the title of the run for the progress display.
    pub fn name(&self) -> String {
        name_of(&self.request)
    }

    /// Returns the rough estimate of `units`, from the vertex order alone.
    pub fn outlook(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        Ok(self.with_saves(self.work.outlook(units, control)?))
    }

    /// Returns the estimate of `units` by a dry run, if a dry run is short compared to the units.
    pub fn forecast(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        Ok(self.with_saves(self.work.forecast(units, control)?))
    }

    /// Raises the disk estimate to the size of the saved layers if the run has a checkpoint: a sweep that
    /// spills saves its layers on the same disk.
    fn with_saves(&self, mut forecast: Forecast) -> Forecast {
        if self.file.is_some() && forecast.disk > 0 {
            forecast.disk = forecast.disk.max(forecast.saved);
        }
        forecast
    }

    /// Catches signals for the run, so that it can save its checkpoint, remove incomplete output files, and
    /// print that nothing is saved if it has no checkpoint.
    pub fn signals(&self, control: &Control) -> Result<Option<Signals>, Failure> {
        Signals::catch(control.flag()).map(Some)
    }

    /// Returns true if this run or an earlier one has saved a checkpoint.
    pub fn is_saved(&self) -> bool {
        self.file.as_ref().is_some_and(|file| CheckpointFile::exists(file.path()))
    }

    /// Returns the error of a failed run, with the resume command if a checkpoint exists.
    pub fn failed(&self, error: CountError) -> Failure {
        let failure = Failure::from(error);
        match &self.file {
            Some(file) if self.is_saved() => {
                let said = format!("{failure}; the checkpoint is intact, {}", self.go_on(file.path()));
                Failure::with_status(said, failure.status())
            }
            _ => failure,
        }
    }

    /// Returns the hint how to resume; for one job of a series this is the command of the series.
    fn go_on(&self, path: &Path) -> String {
        if self.is_one_of_many {
            "repeat the command to resume".to_owned()
        } else {
            format!("resume with: {}", resume(path))
        }
    }

    /// Returns the error of a stopped run with a checkpoint. Without a checkpoint, removes incomplete output
    /// files and ends the process by the signal that stopped it.
    pub fn interrupted(&mut self, signals: Option<&Signals>, when: &str) -> Failure {
        match (&self.file, signals) {
            (Some(file), _) => Failure::stopped(format!("stopped {when}; {}", self.go_on(file.path()))),
            (None, Some(_)) if self.is_one_of_many => CountError::Stopped(Stopped).into(),
            (None, Some(signals)) => {
                drop(self.files.take());
                leave();
                tell(format_args!(
                    "stopped {when}; nothing is saved; add --checkpoint FILE to save progress"
                ));
                signals.die()
            }
            (None, None) => CountError::Stopped(Stopped).into(),
        }
    }
}

/// Returns the command that resumes from a checkpoint.
fn resume(path: &Path) -> String {
    let path = path.display();
    match ranks().map(|ranks| ranks.peers().size()) {
        None => format!("ktour resume {path}"),
        Some(size) => format!("mpirun -n {size} ktour resume {path} --mpi"),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::closed;

    #[test]
    fn a_stopped_run_says_how_to_go_on_if_it_was_saved() {
        let dir = tempfile::tempdir().unwrap();
        let mut start = closed("5x6");
        start.checkpoint = Some(dir.path().join("run"));
        let mut saved = prepare(start).unwrap();
        assert_eq!(saved.name(), "5x6 closed");
        let failure = saved.interrupted(None, "after 3 of 9 units");
        assert_eq!(failure.status(), 75);
        let path = dir.path().join("run");
        let line = failure.to_string();
        assert!(line.contains("after 3 of 9 units"), "{line}");
        assert!(line.ends_with(&format!("ktour resume {}", path.display())), "{line}");
        saved.is_one_of_many = true;
        let failure = saved.interrupted(None, "early");
        let line = failure.to_string();
        assert!(line.contains("early") && !line.contains("ktour resume"), "{line}");
        assert_eq!(failure.status(), 75);
        let failure = prepare(closed("5x6")).unwrap().interrupted(None, "early");
        assert_eq!(failure.status(), 1);
    }
}
