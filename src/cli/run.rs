//! Running a counting job to its report: shared by `count` and `resume`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;

use super::common::ProgressArgs;
use super::double::{DoubleCheckFailure, double_check};
use super::failure::Failure;
use super::files::Files;
use super::heap;
use super::ranks::{Ranks, align, is_first, leave, ranks, together};
use super::signals::Signals;
use super::symmetry::{check_symmetric_part, failure, setting, symmetric_part, with_symmetry};
use super::wanted::{Wanted, proof};
use super::{size, time};
use crate::report::{Progress, ProgressMode, tell, warn};
use ktour::batch::{self, Checkpoint, CheckpointFile, Folder, Job, Record, Run, Shard, State, now};
use ktour::control::Control;
use ktour::count::{CountError, Request, Work};
use ktour::frontier::{Snapshot, all_well};
use ktour::search::workers::Stopped;

/// Time between checkpoints unless told otherwise.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// How a job is run: nothing of this changes its result.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Time between checkpoints: seconds, or with s, m, h, d [default: 60s; a sweep's as far apart that
    /// saving takes 2 % at most]
    #[arg(long, value_name = "TIME", value_parser = time::interval, hide_short_help = true)]
    pub checkpoint_every: Option<Duration>,

    /// Ceiling for the memory of a sweep, such as 8G [default: 9/10 of what is available]
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Folder for what does not fit into --memory [default: beside the checkpoint, or the system's for
    /// temporary files]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub spill: Option<PathBuf>,

    /// Share the sweep with the other ranks that mpirun has started (for a build with --features mpi)
    ///
    /// All ranks are given the same command. Each holds its part of the layers: --memory, --spill and --threads
    /// are those of one rank.
    #[arg(long, hide_short_help = true)]
    pub mpi: bool,

    /// Tell every step of a sweep on standard error
    #[arg(long, short, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl RunArgs {
    pub fn progress(&self, name: String) -> Progress {
        let mode = if is_first() { self.progress.mode() } else { ProgressMode::None };
        let control = Control::new().with_allocator(heap::grant);
        let control = if self.verbose { control.with_log(|line| tell(line)) } else { control };
        Progress::start(mode, name, control)
    }

    /// The ceiling for the memory of a sweep, if there is one.
    fn ceiling(&self) -> Option<u64> {
        self.memory.or_else(|| ranks().and_then(Ranks::memory))
    }
}

/// A job to be run.
#[derive(Debug)]
pub struct Start {
    /// What to count.
    pub request: Request,
    /// Which part of it.
    pub shard: Shard,
    /// How to report.
    pub wanted: Wanted,
    /// How to run it.
    pub how: RunArgs,
    /// Where to save progress.
    pub checkpoint: Option<PathBuf>,
    /// What a checkpoint says is done already, and the lock on it, held since it was read.
    pub resumed: Option<(Checkpoint, CheckpointFile)>,
}

/// All that a run needs of the world outside.
struct Prepared {
    files: Option<Files>,
    file: Option<CheckpointFile>,
    resumed: Option<Checkpoint>,
}

impl Start {
    /// Opens what is to be written, and reads what there is to go on with.
    fn prepare(&mut self, work: &Work, job: &Job) -> Result<Prepared, Failure> {
        self.how.check(work, self.checkpoint.is_some() || self.resumed.is_some())?;
        if self.how.mpi {
            self.wanted.refuse_ranks()?;
        }
        let files = if is_first() { Some(self.wanted.open()?) } else { None };
        let own = self.checkpoint.as_ref().map(|path| ranks().map_or(path.clone(), |ranks| ranks.own(path)));
        let (file, resumed) = match (self.resumed.take(), own) {
            (Some((checkpoint, file)), _) => (Some(file), Some(checkpoint)),
            (None, Some(path)) => {
                let file = CheckpointFile::lock(&path)?;
                let resumed = load_same(&file, job)?;
                (Some(file), resumed)
            }
            (None, None) => (None, None),
        };
        if let Some(rest) = resumed.as_ref().and_then(|checkpoint| checkpoint.at_rest.as_ref()) {
            check_ranks(&rest.snapshot)?;
        }
        Ok(Prepared { files, file, resumed })
    }

    /// Runs the job and reports; or saves and says how to go on.
    pub fn run(mut self) -> Result<(), Failure> {
        let work = Work::new(&self.request)?.with_memory(self.how.ceiling());
        let job = Job::new(&work, self.shard);
        let prepared = together(self.prepare(&work, &job))?;
        let Prepared { files, file, resumed } = prepared;
        let resumed = align(file.as_ref(), resumed)?;
        let mut folder = together(self.how.folder(&work, file.as_ref()))?;
        tell(format_args!("job {job}"));
        let (state, started) = match resumed {
            Some(checkpoint) => {
                if checkpoint.job != job {
                    return Err(Failure::failed(format!(
                        "the checkpoint was made by a version of ktour that splits this job otherwise: {}",
                        checkpoint.job
                    )));
                }
                let (done, units) = (checkpoint.units_done(), checkpoint.units());
                tell(format_args!("going on after {done} of {units} units, {:.1} s", checkpoint.seconds));
                if let Some(rest) = &checkpoint.at_rest {
                    let (step, steps) = (rest.snapshot.step, rest.snapshot.order.len());
                    tell(format_args!("the sweep that had begun goes on after {step} of {steps} steps"));
                }
                let Checkpoint { done, sums, at_rest, parts, seconds, started, .. } = checkpoint;
                (State { done, sums, at_rest, parts, seconds }, started)
            }
            None => (State::new(&work), now()),
        };
        let what = self.request.kind.map_or("tours", |kind| kind.name());
        let name = format!("{} {what}", self.request.board);
        let progress = self.how.progress(name.clone());
        // A checkpoint is to be saved, or files that are not complete must not stay behind.
        let tidy = file.is_some() || folder.is_some() || self.wanted.files.are_wanted();
        let signals = tidy.then(|| Signals::catch(progress.control().flag())).transpose();
        let signals = together(signals)?;
        let output = serde_json::to_value(&self.wanted).expect("options can be written");
        let unsaved: Mutex<Option<String>> = Mutex::new(None);
        let unsaved = || unsaved.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut save = |state: &State, stored: io::Result<()>| {
            let Some(file) = &file else { return Ok(()) };
            let checkpoint = Checkpoint {
                job: job.clone(),
                done: state.done.clone(),
                sums: state.sums.clone(),
                at_rest: state.at_rest.clone(),
                parts: state.parts.clone(),
                seconds: state.seconds,
                started: started.clone(),
                output: output.clone(),
            };
            let written = stored.and_then(|()| file.write(&checkpoint));
            // All ranks take the step to a new generation, or none.
            let agreed = match ranks() {
                Some(ranks) => all_well(ranks.peers(), written.map_err(|error| error.to_string())),
                None => written,
            };
            let saved = match agreed {
                Ok(()) => file.commit(),
                Err(error) => {
                    file.discard();
                    Err(error)
                }
            };
            *unsaved() = saved.as_ref().err().map(ToString::to_string);
            saved
        };
        let failed = |error: &str| {
            warn(format_args!("cannot save the checkpoint: {error}; the last one stands, the run goes on"));
        };
        let interval = match file {
            Some(_) => self.how.checkpoint_every.unwrap_or(CHECKPOINT_EVERY),
            None => Duration::MAX,
        };
        // The symmetric part comes first, so that what it cannot do does not cost the whole count.
        let setting = setting(&self.request, self.how.memory);
        let part = |what| symmetric_part(what, &self.request, &setting, progress.control());
        let part = match self.wanted.symmetry.map(|what| (what, part(what))) {
            Some((what, Ok(parts))) => Some((what, parts)),
            // The count stops at once, and its checkpoint is saved.
            Some((_, Err(CountError::Stopped(_)))) | None => None,
            Some((_, Err(error))) => return Err(failure(error)),
        };
        let saving = batch::Saving {
            interval,
            spares: self.how.checkpoint_every.is_none(),
            folder: folder.as_ref(),
            rests: file.is_some(),
            peers: ranks().map(Ranks::peers),
            save: &mut save,
            failed: &failed,
        };
        let ended = batch::run(&work, &job, state, progress.control(), saving);
        let ended = ended?;
        // What was spilled goes with the run, whatever comes now.
        drop(folder.take());
        if !ended.finished {
            drop(progress);
            if let (None, Some(signals)) = (&file, &signals) {
                drop(files);
                leave();
                return Err(signals.die());
            }
            let path = file.as_ref().map_or_else(PathBuf::new, |file| file.path().to_owned());
            if let Some(error) = unsaved().take() {
                let what = format!("stopped, and {} could not be saved: {error}", path.display());
                return Err(Failure::failed(what));
            }
            let done = ended.state.done.iter().filter(|&&done| done).count();
            let units = (0..job.units).filter(|&unit| job.shard.contains(unit)).count();
            let within = ended.state.at_rest.as_ref().map_or_else(String::new, |rest| {
                format!(" and {} of {} steps of a sweep", rest.snapshot.step, rest.snapshot.order.len())
            });
            return Err(stopped(&format!("after {done} of {units} units{within}"), &path));
        }
        let threads = rayon::current_num_threads();
        let threads = match ranks() {
            Some(ranks) => ranks.agree(Ok(threads))?.into_iter().sum(),
            None => threads,
        };
        let Some(files) = files else { return Ok(()) };
        let run = Run { seconds: ended.state.seconds, threads, started, finished: now() };
        let shards = [job.shard];
        let sums = &ended.state.sums;
        let mut record = Record::of_sums(work.question(), &job, &shards, sums, self.wanted.per_start, &run)?;
        let found = match (part, &file, &signals) {
            (Some((what, mut parts)), ..) => {
                let answer = work.question().answer(sums)?;
                let found = with_symmetry(what, &self.request, &answer, &mut parts)?;
                record = found.add_to(record);
                Some((what, answer, found))
            }
            (None, ..) if self.wanted.symmetry.is_none() => None,
            // All units were done, the symmetric part was not.
            (None, Some(file), _) => return Err(stopped("after the last unit", file.path())),
            (None, None, Some(signals)) => {
                drop(files);
                return Err(signals.die());
            }
            (None, None, None) => return Err(CountError::Stopped(Stopped).into()),
        };
        drop(progress);
        if self.wanted.double_check {
            let progress = self.how.progress(format!("{name}, double check"));
            let signals = if tidy { Some(Signals::catch(progress.control().flag())?) } else { None };
            let seconds = run.seconds * run.threads as f64;
            let check = double_check(&work, sums, seconds, self.how.memory, progress.control());
            let check = match check {
                // The first count was dear: it is told, as what it is.
                Err(DoubleCheckFailure::NoWay) => {
                    drop(progress);
                    note_conventions(&record);
                    self.wanted.report(files, &record)?;
                    return Err(Failure::failed(
                        "the number is not double-checked, no second way fits: raise --memory",
                    ));
                }
                Err(DoubleCheckFailure::Failed(failure)) => return Err(failure),
                Ok(check) => check,
            };
            let check = match (check, &found) {
                (Some(check), Some((what, answer, found))) if !answer.fixed => {
                    let first = (&setting, found);
                    check_symmetric_part(*what, &self.request, answer, first, progress.control())?
                        .map(|symmetric| check.with_symmetric(symmetric))
                }
                (check, _) => check,
            };
            drop(progress);
            record = match (check, &file, signals) {
                (Some(check), _, _) => record.with_double_check(check),
                (None, None, Some(signals)) => {
                    drop(files);
                    return Err(signals.die());
                }
                // The first count is saved and need not be made again.
                (None, file, _) => {
                    let path = file.as_ref().map_or_else(PathBuf::new, |file| file.path().to_owned());
                    return Err(stopped("in the double check", &path));
                }
            };
        }
        note_conventions(&record);
        self.wanted.report(files, &record)?;
        tell(format_args!("done {}", proof(&record)));
        Ok(())
    }
}

impl RunArgs {
    /// Refuses what does not go together.
    fn check(&self, work: &Work, is_saved: bool) -> Result<(), Failure> {
        let why = match (&self.spill, work.is_sequential(), is_saved) {
            _ if self.mpi && ranks().is_none() => {
                "--mpi: this program was built without MPI: build it with cargo build --release --features mpi"
            }
            (_, false, _) if self.mpi => "--mpi is for sweeps: add --engine frontier, or leave it out",
            (None, ..) | (_, true, false) => return Ok(()),
            (_, false, _) => "--spill is for sweeps: add --engine frontier, or leave it out",
            (_, _, true) => {
                "--spill and --checkpoint FILE: sweeps use the folder FILE.sweep then; leave out --spill"
            }
        };
        Err(Failure::usage(why))
    }

    /// The folder for sweeps, if there is to be one.
    fn folder(&self, work: &Work, file: Option<&CheckpointFile>) -> Result<Option<Folder>, Failure> {
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
        let folder =
            Folder::spill(&dir).map_err(|error| Failure::write(&dir.display().to_string(), &error))?;
        Ok(Some(folder))
    }
}

/// A sweep that several ranks share goes on with as many.
fn check_ranks(snapshot: &Snapshot) -> Result<(), Failure> {
    let (_, size) = snapshot.rank;
    if size == ranks().map_or(1, |ranks| ranks.peers().size()) {
        return Ok(());
    }
    let how = match size {
        1 => "one process: go on with ktour resume FILE, without --mpi".to_owned(),
        size => format!("{size} ranks: go on with mpirun -n {size} ktour resume FILE --mpi"),
    };
    Err(Failure::failed(format!("the sweep that had begun is that of {how}")))
}

fn stopped(when: &str, path: &Path) -> Failure {
    let path = path.display();
    Failure::stopped(match ranks().map(|ranks| ranks.peers().size()) {
        None => format!("stopped {when}; go on with: ktour resume {path}"),
        Some(size) => format!("stopped {when}; go on with: mpirun -n {size} ktour resume {path} --mpi"),
    })
}

/// An existing checkpoint of the same job is gone on with; one of another job is not overwritten.
fn load_same(file: &CheckpointFile, job: &Job) -> Result<Option<Checkpoint>, Failure> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let loaded = Checkpoint::load(path).map_err(|error| {
        Failure::failed(format!("--checkpoint: {error}; delete the file or name another"))
    })?;
    if loaded.checkpoint.job != *job {
        return Err(Failure::failed(format!(
            "--checkpoint: {} belongs to another job ({}); name another file",
            path.display(),
            loaded.checkpoint.job
        )));
    }
    if let Some(error) = loaded.fallback {
        file.set_aside()?;
        warn(format_args!("{error}; going on from the generation before"));
    }
    Ok(Some(loaded.checkpoint))
}

/// Which convention was used, where there are two.
fn note_conventions(record: &Record) {
    let squares = usize::from(record.rows) * usize::from(record.cols) - record.removed.len();
    if squares == 1 && record.counts.keys().any(|kind| kind != "closed") {
        tell(format_args!(
            "note: one square has one path, of no moves, with one direction (as in OEIS A165134; A308131 says 0)"
        ));
    }
}
