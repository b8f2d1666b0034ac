//! How a job is run: checkpoints, memory, ranks, progress. Nothing of this changes its result.

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

/// How a job is run: nothing of this changes its result.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Time between checkpoints: seconds, or with s, m, h, d [default: 60s; a sweep's as far apart that
    /// saving takes 2 % at most]
    #[arg(long, value_name = "TIME", value_parser = time::interval, hide_short_help = true)]
    pub checkpoint_every: Option<Duration>,

    /// Ceiling for memory, such as 8G [default: 9/10 of what is available]
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Folder for what does not fit into --memory [default: the system's for temporary files]
    ///
    /// With --checkpoint FILE it is FILE.sweep, and no other can be given.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub spill: Option<PathBuf>,

    /// Share the sweep with the other ranks that mpirun has started (for a build with --features mpi)
    ///
    /// All ranks are given the same command. Each holds its part of the layers: --memory, --spill and --threads
    /// are those of one rank.
    #[arg(long, hide_short_help = true)]
    pub mpi: bool,

    /// Begin even if it will not fit, or take years, by estimate
    #[arg(long, hide_short_help = true)]
    pub force: bool,

    /// Tell every step of a sweep on standard error
    #[arg(long, short, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl RunArgs {
    pub fn progress(&self, name: String) -> Progress {
        Progress::start(self.mode(), name, self.control())
    }

    /// Looks at something before a run has progress to show, which is shown if it takes a while: to whoever sits before
    /// it, or asked for it.
    pub fn looking_at<R>(&self, what: &'static str, name: String, look: impl FnOnce() -> R) -> R {
        let mode = match self.mode() {
            ProgressMode::Auto if !std::io::stderr().is_terminal() => ProgressMode::None,
            mode => mode,
        };
        let waiting = Waiting::start(mode, name, 1);
        waiting.looks_at(what);
        look()
    }

    /// How progress is shown: one of several ranks shows it.
    fn mode(&self) -> ProgressMode {
        if is_first() { self.progress.mode() } else { ProgressMode::None }
    }

    fn control(&self) -> Control {
        let control = Control::new().with_allocator(heap::grant);
        if self.verbose { control.with_log(|line| tell(line)) } else { control }
    }

    /// The ceiling for the memory of a sweep, if there is one.
    pub fn ceiling(&self) -> Option<u64> {
        self.memory.or_else(|| ranks().and_then(Ranks::memory))
    }

    /// Refuses what does not go together.
    pub fn check(&self, work: &Work, is_saved: bool) -> Result<(), Failure> {
        let why = match (&self.spill, work.is_sequential(), is_saved) {
            _ if self.mpi && ranks().is_none() => {
                "--mpi: this program was built without MPI: build it with cargo build --release --features mpi"
            }
            (_, false, _) if self.mpi => "--mpi is for sweeps: add --engine frontier, or leave it out",
            (_, _, false) if self.checkpoint_every.is_some() => {
                "--checkpoint-every has nothing to save to: add --checkpoint FILE, or leave it out"
            }
            (None, ..) | (_, true, false) => return Ok(()),
            (_, false, _) => "--spill is for sweeps: add --engine frontier, or leave it out",
            (_, _, true) => {
                "--spill and --checkpoint FILE: sweeps use the folder FILE.sweep then; leave out --spill"
            }
        };
        Err(Failure::usage(why))
    }

    /// The folder for sweeps, if there is to be one.
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

    /// Why a folder cannot be used, and what helps.
    fn no_room(&self, dir: &Path, error: &io::Error) -> Failure {
        let missing = dir.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists());
        let (why, remedy) = match missing {
            Some(parent) => (format!("there is no folder {}", parent.display()), "make it first"),
            None if dir.exists() && !dir.is_dir() => ("it is not a folder".to_owned(), "give one"),
            // Beside the error of the system there may be a temporary name, which means nothing to anybody.
            None if error.get_ref().is_some() => {
                (format!("no file can be made there, {}", error.kind()), "give another folder")
            }
            None => (format!("no file can be made there, {error}"), "give another folder"),
        };
        Failure::failed(match (&self.spill, dir.as_os_str().is_empty()) {
            (Some(_), _) => format!("--spill {}: {why}, {remedy}", dir.display()),
            (None, true) => {
                "TMPDIR is empty, and --memory needs room for what does not fit: add --spill DIR".to_owned()
            }
            (None, false) => {
                format!(
                    "cannot use {}, the folder for temporary files: {why}, add --spill DIR",
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
        assert!(refused(spill.check(&search, false)).starts_with("--spill is for sweeps"));
        assert!(refused(spill.check(&sweep, true)).starts_with("--spill and --checkpoint FILE"));
        assert!(spill.check(&sweep, false).is_ok());
        let every = how(&["--checkpoint-every", "5s"]);
        assert!(refused(every.check(&search, false)).contains("add --checkpoint FILE"));
        assert!(every.check(&search, true).is_ok() && every.check(&sweep, true).is_ok());
        assert!(how(&["--memory", "8G"]).check(&search, true).is_ok(), "a ceiling hurts nobody");
    }

    #[test]
    fn a_folder_is_made_where_there_is_use_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let sweep = work(Engine::Frontier);
        let spill = how(&["--spill", dir.path().to_str().unwrap()]);
        let folder = spill.folder(&sweep, None).unwrap().unwrap();
        assert!(folder.path().starts_with(dir.path()));
        assert!(spill.folder(&work(Engine::Multipath), None).unwrap().is_none());
        assert!(how(&[]).folder(&sweep, None).unwrap().is_none(), "all is held in memory");
        assert!(how(&["--memory", "1G"]).folder(&sweep, None).unwrap().is_some());
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let beside = how(&["--memory", "1G"]).folder(&sweep, Some(&file)).unwrap().unwrap();
        assert_eq!(beside.path(), dir.path().join("run.sweep"));
    }
}
