//! Run options: checkpoints, memory, MPI, progress. None of them changes the result of a job.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::common::ProgressArgs;
use super::failure::Failure;
use super::heap;
use super::ranks::{Ranks, is_first, ranks};
use super::{size, time};
use crate::report::{Progress, ProgressMode, Waiting, tell};
use ktour::batch::{CheckpointFile, Folder};
use ktour::control::Control;
use ktour::count::Work;

/// Options that do not change the result of a job.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Save every TIME: seconds, or with s, m, h, d. Default: 60s; sweeps save less often, so that saving
    /// takes at most 2 % of the time
    #[arg(long, value_name = "TIME", value_parser = time::interval, hide_short_help = true)]
    pub checkpoint_every: Option<Duration>,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Spill what exceeds --memory to DIR. Default: the system's folder for temporary files
    ///
    /// With --checkpoint FILE the spill folder is FILE.sweep, and DIR cannot be given.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub spill: Option<PathBuf>,

    /// Distribute the sweep over the ranks that mpirun has started (needs a build with --features mpi)
    ///
    /// All ranks take the same command. Each rank holds a part of the layers: --memory, --spill and --threads
    /// are per rank.
    #[arg(long, hide_short_help = true)]
    pub mpi: bool,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, hide_short_help = true)]
    pub force: bool,

    /// Print every step of a sweep on standard error
    #[arg(long, short, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl RunArgs {
    pub fn progress(&self, name: String) -> Progress {
        Progress::start(self.mode(), name, self.control())
    }

    /// Runs `look` before the run has its progress display, with a display of its own if it takes long.
    /// `Auto` displays on a terminal only.
    pub fn looking_at<R>(&self, what: &'static str, name: String, look: impl FnOnce() -> R) -> R {
        let mode = match self.mode() {
            ProgressMode::Auto if !std::io::stderr().is_terminal() => ProgressMode::None,
            mode => mode,
        };
        let waiting = Waiting::start(mode, name, 1);
        waiting.looks_at(what);
        look()
    }

    /// Returns the progress mode: with MPI, only the first rank shows progress.
    fn mode(&self) -> ProgressMode {
        if is_first() { self.progress.mode() } else { ProgressMode::None }
    }

    fn control(&self) -> Control {
        let control = Control::new().with_allocator(heap::grant);
        if self.verbose { control.with_log(|line| tell(line)) } else { control }
    }

    /// Returns the memory limit of a sweep in bytes, if there is one.
    pub fn ceiling(&self) -> Option<u64> {
        self.memory.or_else(|| ranks().and_then(Ranks::memory))
    }

    /// Rejects options that exclude each other or do not apply to the work plan.
    pub fn check(&self, work: &Work, is_saved: bool) -> Result<(), Failure> {
        let why = match (&self.spill, work.is_sequential(), is_saved) {
            _ if self.mpi && ranks().is_none() => {
                "--mpi: this program was built without MPI; build it with cargo build --release --features mpi"
            }
            (_, false, _) if self.mpi => "--mpi is for sweeps; add --engine frontier, or omit --mpi",
            (_, _, false) if self.checkpoint_every.is_some() => {
                "--checkpoint-every needs a checkpoint; add --checkpoint FILE, or omit --checkpoint-every"
            }
            (None, ..) | (_, true, false) => return Ok(()),
            (_, false, _) => "--spill is for sweeps; add --engine frontier, or omit --spill",
            (_, _, true) => {
                "--spill excludes --checkpoint FILE, which spills to the folder FILE.sweep; omit --spill"
            }
        };
        Err(Failure::usage(why))
    }

    /// Returns the spill folder of a sweep. Returns `None` for a search, and for a sweep that is held in
    /// memory.
    pub fn folder(&self, work: &Work, file: Option<&CheckpointFile>) -> Result<Option<Folder>, Failure> {
        if !work.is_sequential() {
            return Ok(None);
        }
        if let Some(file) = file {
            return Ok(Some(file.folder()));
        }
        let dir = match (&self.spill, self.memory) {
            (Some(dir), _) => dir.clone(),
            (None, Some(_)) => std::env::temp_dir(),
            (None, None) => return Ok(None),
        };
        Folder::spill(&dir).map(Some).map_err(|error| self.no_room(&dir, &error))
    }

    /// Returns the error of an unusable spill folder, with a remedy.
    fn no_room(&self, dir: &Path, error: &io::Error) -> Failure {
        let missing = dir.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists());
        let (why, remedy) = match missing {
            Some(parent) => (format!("there is no folder {}", parent.display()), "create it first"),
            None if dir.exists() && !dir.is_dir() => ("it is not a folder".to_owned(), "give a folder"),
            // The full system error may contain a temporary file name, which would not help the user.
            None if error.get_ref().is_some() => {
                (format!("no file can be created there, {}", error.kind()), "give another folder")
            }
            None => (format!("no file can be created there, {error}"), "give another folder"),
        };
        Failure::failed(match (&self.spill, dir.as_os_str().is_empty()) {
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
    use crate::cli::run::samples::how;
    use ktour::board::Arena;
    use ktour::count::{Engine, Request};

    fn work(engine: Engine) -> Work {
        Work::new(&Request { engine, ..Request::new("5x5".parse::<Arena>().unwrap()) }).unwrap()
    }

    #[test]
    fn room_for_a_sweep_is_for_sweeps() {
        let (search, sweep) = (work(Engine::Multipath), work(Engine::Frontier));
        let spill = how(&["--spill", "/somewhere"]);
        let refused = |failure: Result<(), Failure>| failure.unwrap_err().to_string();
        assert!(refused(spill.check(&search, false)).contains("--engine frontier"));
        assert!(refused(spill.check(&sweep, true)).contains("--checkpoint FILE"));
        assert!(spill.check(&sweep, false).is_ok());
        let every = how(&["--checkpoint-every", "5s"]);
        assert!(refused(every.check(&search, false)).contains("add --checkpoint FILE"));
        assert!(every.check(&search, true).is_ok() && every.check(&sweep, true).is_ok());
        assert!(how(&["--memory", "8G"]).check(&search, true).is_ok(), "--memory is accepted for searches");
    }

    #[test]
    fn a_folder_is_made_where_there_is_use_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let sweep = work(Engine::Frontier);
        let spill = how(&["--spill", dir.path().to_str().unwrap()]);
        let folder = spill.folder(&sweep, None).unwrap().unwrap();
        assert!(folder.path().starts_with(dir.path()));
        assert!(spill.folder(&work(Engine::Multipath), None).unwrap().is_none());
        assert!(how(&[]).folder(&sweep, None).unwrap().is_none(), "no limit is given, so nothing is spilled");
        assert!(how(&["--memory", "1G"]).folder(&sweep, None).unwrap().is_some());
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let beside = how(&["--memory", "1G"]).folder(&sweep, Some(&file)).unwrap().unwrap();
        assert_eq!(beside.path(), dir.path().join("run.sweep"));
    }
}
