//! Running a counting job to its report: shared by `count` and `resume`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::signals::Signals;
use super::symmetry::{UpToSymmetry, up_to_symmetry};
use crate::batch::{self, Checkpoint, CheckpointFile, Job, Record, Run, Shard, State, now};
use crate::count::{CountError, Request, Work};
use crate::report::{
    Output, Progress, ProgressMode, classes_tables, per_start_table, table, tell, write_csv,
};

/// How the user wants the result. Kept in checkpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Directed numbers.
    pub directed: bool,
    /// A row for each start square.
    pub per_start: bool,
    /// A CSV file, `-` for standard output.
    pub csv: Option<PathBuf>,
    /// A JSON file, `-` for standard output.
    pub json: Option<PathBuf>,
    /// A file to which the record is added as a line.
    pub record: Option<PathBuf>,
    /// Numbers up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<UpToSymmetry>,
}

/// Files opened before the run, so that hours of work do not end with a name that cannot be written.
#[derive(Debug)]
pub struct Opened {
    csv: Option<Output>,
    json: Option<Output>,
    quiet: bool,
}

impl Opened {
    /// Whether a file takes the place of the text on standard output.
    pub const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The files for CSV and JSON.
    pub fn into_files(self) -> (Option<Output>, Option<Output>) {
        (self.csv, self.json)
    }
}

impl Wanted {
    /// Opens the files.
    pub fn open(&self) -> Result<Opened, Failure> {
        let to_stdout = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        if to_stdout(&self.csv) && to_stdout(&self.json) {
            return Err(Failure::usage(
                "--csv - and --json - both want standard output: give one of them a file",
            ));
        }
        if self.csv.is_some() && self.csv == self.json && !to_stdout(&self.csv) {
            return Err(Failure::usage("--csv and --json name the same file: give each its own"));
        }
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        if let Some(path) = &self.record {
            appendable(path).map_err(|error| Failure::write(&path.display().to_string(), &error))?;
        }
        let quiet = to_stdout(&self.csv) || to_stdout(&self.json);
        Ok(Opened { csv: open(&self.csv)?, json: open(&self.json)?, quiet })
    }

    /// Writes a record everywhere it is wanted.
    pub fn report(&self, opened: Opened, record: &Record) -> Result<(), Failure> {
        if let Some(mut out) = opened.csv {
            write_csv(record, &mut out).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        if let Some(mut out) = opened.json {
            let text = record.pretty();
            out.write_all(text.as_bytes()).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        if let Some(path) = &self.record {
            append(path, &record.line())?;
        }
        if !opened.quiet {
            let mut out = Output::stdout();
            out.write_all(self.text(record).as_bytes())
                .map_err(|error| Failure::write("standard output", &error))?;
            out.finish()?;
        }
        Ok(())
    }

    fn text(&self, record: &Record) -> String {
        if self.per_start && !record.per_start.is_empty() {
            return per_start_table(record);
        }
        if !record.classes.is_empty() {
            return classes_tables(record);
        }
        let mut numbers = record.counts.values();
        match (numbers.next(), numbers.next()) {
            // A single number stands alone, ready for a script.
            (Some(number), None) => {
                if let Some(distinct) = record.distinct.values().next() {
                    return format!("{distinct}\n");
                }
                let undirected = number.undirected.as_ref().filter(|_| !self.directed);
                format!("{}\n", undirected.unwrap_or(&number.directed))
            }
            _ => table(record, self.directed),
        }
    }
}

/// Adds a line to a file, in one write, so that runs that end together do not mix their lines.
pub fn append(path: &Path, line: &str) -> Result<(), Failure> {
    let line = format!("{line}\n");
    appendable(path)
        .and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(|error| Failure::write(&path.display().to_string(), &error))
}

fn appendable(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::options().append(true).create(true).open(path)
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
    /// How to show progress.
    pub progress: ProgressMode,
    /// Where to save progress, and how often.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// What a checkpoint says is done already.
    pub resumed: Option<Checkpoint>,
    /// Ceiling for the memory of a sweep, in bytes.
    pub memory: Option<u64>,
    /// Tell every step of a sweep.
    pub verbose: bool,
}

impl Start {
    /// Runs the job and reports; or saves and says how to go on.
    pub fn run(self) -> Result<(), Failure> {
        let work = Work::new(&self.request)?.with_memory(self.memory);
        let job = Job::new(&work, self.shard);
        let opened = self.wanted.open()?;
        let file = match &self.checkpoint {
            Some((path, _)) => Some(CheckpointFile::lock(path)?),
            None => None,
        };
        let resumed = match (self.resumed, &file) {
            (None, Some(file)) => load_same(file.path(), &job)?,
            (resumed, _) => resumed,
        };
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
                let Checkpoint { done, sums, seconds, started, .. } = checkpoint;
                (State { done, sums, seconds }, started)
            }
            None => (State::new(&work), now()),
        };
        let what = self.request.kind.map_or("tours", |kind| kind.name());
        let progress = Progress::start(
            self.progress,
            format!("{} {what}", self.request.board),
            self.verbose.then_some(log as fn(&str)),
        );
        // A checkpoint is to be saved, or files that are not complete must not stay behind.
        let tidy = file.is_some() || self.wanted.csv.is_some() || self.wanted.json.is_some();
        let signals = if tidy { Some(Signals::catch(progress.meter().stop_flag())?) } else { None };
        let output = serde_json::to_value(&self.wanted).expect("options can be written");
        let unsaved: Mutex<Option<String>> = Mutex::new(None);
        let unsaved = || unsaved.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut save = |state: &State| {
            let Some(file) = &file else { return Ok(()) };
            let saved = file.save(&Checkpoint {
                job: job.clone(),
                done: state.done.clone(),
                sums: state.sums.clone(),
                seconds: state.seconds,
                started: started.clone(),
                output: output.clone(),
            });
            *unsaved() = saved.as_ref().err().map(ToString::to_string);
            saved
        };
        let failed = |error: &std::io::Error| {
            tell(format_args!(
                "warning: cannot save the checkpoint: {error}; the last one stands, the run goes on"
            ));
        };
        let interval = match &self.checkpoint {
            Some((_, interval)) => *interval,
            None => Duration::MAX,
        };
        let ended = batch::run(&work, &job, state, progress.meter(), interval, &mut save, &failed);
        let ended = ended?;
        if !ended.finished {
            drop(progress);
            if let (None, Some(signals)) = (&file, &signals) {
                drop(opened);
                return Err(signals.die());
            }
            let path = file.as_ref().map_or_else(PathBuf::new, |file| file.path().to_owned());
            if let Some(error) = unsaved().take() {
                return Err(Failure::failed(format!(
                    "stopped, and {} could not be saved: {error}",
                    path.display()
                )));
            }
            let done = ended.state.done.iter().filter(|&&done| done).count();
            let units = (0..job.units).filter(|&unit| job.shard.contains(unit)).count();
            return Err(Failure::stopped(format!(
                "stopped after {done} of {units} units; go on with: ktour resume {}",
                path.display()
            )));
        }
        let run = Run {
            seconds: ended.state.seconds,
            threads: rayon::current_num_threads(),
            started,
            finished: now(),
        };
        let question = work.question();
        let sums = &ended.state.sums;
        let record = if job.shard.is_whole() {
            let answer = question.answer(sums)?;
            let record = Record::new(&job, &[job.shard], sums, Ok(&answer), self.wanted.per_start, &run);
            match self.wanted.symmetry {
                None => record,
                Some(what) => {
                    let meter = progress.meter();
                    match up_to_symmetry(what, &self.request, &answer, self.memory, meter) {
                        Err(CountError::Stopped(_)) if file.is_some() => {
                            let path = file.as_ref().map_or_else(PathBuf::new, |file| file.path().to_owned());
                            return Err(Failure::stopped(format!(
                                "stopped after all units; go on with: ktour resume {}",
                                path.display()
                            )));
                        }
                        found => {
                            let found = found?;
                            record.with_symmetry(found.distinct, found.classes)
                        }
                    }
                }
            }
        } else {
            Record::new(&job, &[job.shard], sums, Err(&question.part(sums)), false, &run)
        };
        drop(progress);
        note_conventions(&record);
        self.wanted.report(opened, &record)?;
        tell(format_args!("done {}", proof(&record)));
        Ok(())
    }
}

/// Says a line of a verbose run.
pub fn log(line: &str) {
    tell(line);
}

/// Counts and time on one line.
pub fn proof(record: &Record) -> String {
    let counts: Vec<String> = record
        .counts
        .iter()
        .map(|(kind, number)| match &number.undirected {
            Some(undirected) => format!("{kind}={undirected}"),
            None => format!("directed-{kind}={}", number.directed),
        })
        .collect();
    format!("shards={} {} seconds={:.3}", record.shards.join(","), counts.join(" "), record.seconds)
}

/// An existing checkpoint of the same job is gone on with; one of another job is not overwritten.
fn load_same(path: &Path, job: &Job) -> Result<Option<Checkpoint>, Failure> {
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
        tell(format_args!("warning: {error}; going on from the generation before"));
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
