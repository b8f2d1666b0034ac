//! A job with all that its run needs of the world outside: files opened, room found, what is done read.

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

/// A job that can be run.
pub struct Ready {
    pub request: Request,
    pub work: Work,
    pub job: Job,
    pub wanted: Wanted,
    pub how: RunArgs,
    /// Where symmetric tours are counted.
    pub setting: Setting,
    /// The files to report to, of the rank that reports.
    pub files: Option<Files>,
    /// Where progress is saved.
    pub file: Option<CheckpointFile>,
    /// Where sweeps find room.
    pub folder: Option<Folder>,
    /// What is done already.
    pub state: State,
    /// Whether the job was told.
    pub is_told: bool,
    /// Whether others were counted before, whose results whoever called has to keep.
    pub is_one_of_many: bool,
}

/// What the progress display calls what is asked for.
pub fn name_of(request: &Request) -> String {
    let what = request.kind.map_or("tours", |kind| kind.name());
    format!("{} {what}", request.arena.title())
}

impl Ready {
    /// What the progress display calls it.
    pub fn name(&self) -> String {
        name_of(&self.request)
    }

    /// What these units will take, by their order.
    pub fn outlook(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        Ok(self.with_saves(self.work.outlook(units, control)?))
    }

    /// The same by a dry run, where that takes little of their time.
    pub fn forecast(&self, units: &[u32], control: &Control) -> Result<Forecast, CountError> {
        Ok(self.with_saves(self.work.forecast(units, control)?))
    }

    /// What goes outside memory anyhow is saved there as well, if there is a checkpoint.
    fn with_saves(&self, mut forecast: Forecast) -> Forecast {
        if self.file.is_some() && forecast.disk > 0 {
            forecast.disk = forecast.disk.max(forecast.saved);
        }
        forecast
    }

    /// Catches signals for a run: a checkpoint is to be saved, files that are not complete must not stay behind, and
    /// if nothing is saved, that is said.
    pub fn signals(&self, control: &Control) -> Result<Option<Signals>, Failure> {
        Signals::catch(control.flag()).map(Some)
    }

    /// Whether a checkpoint has been saved, by this run or one before.
    pub fn is_saved(&self) -> bool {
        self.file.as_ref().is_some_and(|file| CheckpointFile::exists(file.path()))
    }

    /// What to say of a run that failed: what is saved stands.
    pub fn failed(&self, error: CountError) -> Failure {
        let failure = Failure::from(error);
        match &self.file {
            Some(file) if self.is_saved() => {
                let said = format!("{failure}; what is saved stands, {}", self.go_on(file.path()));
                Failure::with_status(said, failure.status())
            }
            _ => failure,
        }
    }

    /// How to go on with what is saved: of one of many jobs, with all of them.
    fn go_on(&self, path: &Path) -> String {
        if self.is_one_of_many {
            "the same command again goes on".to_owned()
        } else {
            format!("go on with: {}", resume(path))
        }
    }

    /// What to say of a run that was stopped, when its work is saved; one that is not saved dies of the signal that
    /// stopped it, and leaves no file behind that is not complete.
    pub fn interrupted(&mut self, signals: Option<&Signals>, when: &str) -> Failure {
        match (&self.file, signals) {
            (Some(file), _) => Failure::stopped(format!("stopped {when}; {}", self.go_on(file.path()))),
            (None, Some(_)) if self.is_one_of_many => CountError::Stopped(Stopped).into(),
            (None, Some(signals)) => {
                drop(self.files.take());
                leave();
                tell(format_args!("stopped {when}; nothing is saved: --checkpoint FILE keeps what is done"));
                signals.die()
            }
            (None, None) => CountError::Stopped(Stopped).into(),
        }
    }
}

/// The command that goes on with what is saved.
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
        let line = format!("stopped after 3 of 9 units; go on with: ktour resume {}", path.display());
        assert_eq!(failure.to_string(), line);
        saved.is_one_of_many = true;
        let failure = saved.interrupted(None, "early");
        assert_eq!(failure.to_string(), "stopped early; the same command again goes on");
        let failure = prepare(closed("5x6")).unwrap().interrupted(None, "early");
        assert_eq!(failure.status(), 1);
    }
}
