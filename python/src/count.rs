//! `ktour.count` and `ktour.classes`: exact numbers of tours.

use std::io;
use std::path::Path;

use ktour::BigUint;
use ktour::batch::{
    CheckpointError, CheckpointFile, CountJob, CountNumbers, CountOutcome, JobState, RunState, SaveError,
    SaveOptions, SavedCommand, Shard, SymmetricJob, SymmetricState,
};
use ktour::control::Control;
use ktour::count::job_spec::Choice;
use ktour::count::symmetric::{DistinctCounts, DistinctPlan, NamedSymmetry, SymmetryPlan, UpToSymmetry};
use ktour::count::{Answer, CountError, Counts, Engine, Request, WorkPlan, count_sums};
use ktour::frontier::ResidueRing;
use ktour::search::unit_runner::Stopped;
use ktour::tour::Kind;
use pyo3::prelude::*;

use super::admission::{self, COUNT_DISK_KEYWORDS, NO_DISK_KEYWORD};
use super::arguments::{Checkpoint, Directed, Distinct, Force, Memory, Modulus, Named, PerStart, Threads};
use super::job_runner::JobRunner;
use crate::board::{BoardBase, job_name, summary};
use crate::errors::JobError;
use crate::symmetry::check_symmetries_known;

/// A count with its limits and its checkpoint file.
struct CountRun<'a> {
    /// Title of the count in error messages, such as `6x6 closed`.
    name: &'a str,
    request: &'a Request,
    memory: Option<u64>,
    checkpoint: Option<&'a Path>,
    /// The numbers up to symmetry, if they are requested.
    up_to: Option<UpToSymmetry>,
    directed: bool,
    /// True if the count starts even if the estimate exceeds memory, disk or a year.
    force: bool,
}

impl CountRun<'_> {
    /// Counts the tours. Returns the outcome, and the numbers up to symmetry if they are requested.
    fn count(&self, control: &Control) -> Result<(CountOutcome, DistinctCounts), JobError> {
        let work_plan =
            WorkPlan::new_under(self.request, control)?.with_memory(self.memory).with_force(self.force);
        let mut job = CountJob::new(self.request.clone(), work_plan, Shard::WHOLE);
        let plan = |what| DistinctPlan::new(what, self.request, self.memory, self.force);
        job.distinct_plan = self.up_to.map(plan).transpose()?;
        let (file, state) = open_checkpoint::<RunState>(self.checkpoint, &job.identity)?;
        job.file = file;
        job.state = state.unwrap_or(job.state);
        job.open_spill_dir(None, self.memory).map_err(|(dir, error)| {
            JobError::file(&dir, Some(error.kind()), format!("cannot write {}: {error}", dir.display()))
        })?;
        // A resumed sweep passed this check when it started.
        if !self.force && !job.is_suspended() {
            admission::check_count(self.name, &job, COUNT_DISK_KEYWORDS, control)?;
        }
        let saving = SaveOptions { command: self.command_line(), ..SaveOptions::new(&|_| ()) };
        let ended = job.run(control, saving);
        let mut ended = ended.map_err(|error| admission::job_error(self.name, error, COUNT_DISK_KEYWORDS))?;
        if let Some(error) = &ended.units.save_error {
            return Err(save_error(self.checkpoint, error));
        }
        match ended.numbers(&job)? {
            CountNumbers::Complete { outcome, distinct } => Ok((outcome, distinct.unwrap_or_default())),
            _ => Err(CountError::Stopped(Stopped).into()),
        }
    }

    /// Returns the command line by which `ktour resume` resumes the count. The board is not read
    /// from the file of `--graph`, but from the job line of the checkpoint.
    fn command_line(&self) -> SavedCommand {
        let Request { per_start, engine, modulus, .. } = self.request;
        let (board, kind) = (self.request.board(), self.request.kind());
        let flag = |is_set: bool, option: &str| is_set.then(|| option.to_owned());
        let arguments = [
            Some("count".to_owned()),
            Some("--graph=-".to_owned()),
            Some(format!("--engine={}", engine.name())),
            kind.map(|kind| format!("--kind={}", kind.name())),
            self.request.start().map(|vertex| format!("--start={}", board.name(vertex))),
            self.request.end().map(|vertex| format!("--end={}", board.name(vertex))),
            modulus.map(|ring| format!("--modulus={}", ring.modulus())),
            flag(*per_start, "--per-start"),
            flag(self.up_to.is_some(), "--distinct"),
            flag(self.directed, "--directed"),
        ];
        SavedCommand { arguments: arguments.into_iter().flatten().collect(), part: String::new() }
    }
}

/// Locks a checkpoint file, and returns it with the state that it holds if it exists.
fn open_checkpoint<S: JobState>(
    path: Option<&Path>,
    job: &S::Job,
) -> Result<(Option<CheckpointFile>, Option<S>), JobError> {
    let file = path.map(CheckpointFile::lock).transpose().map_err(|error| open_error(path, &error))?;
    let loaded = file.as_ref().map(|file| file.load::<S>(job)).transpose();
    let loaded = loaded.map_err(|error| open_error(path, &error))?.flatten();
    Ok((file, loaded.map(|loaded| loaded.checkpoint.state)))
}

/// Returns the exact answer of a complete count.
///
/// # Panics
/// If the outcome is a residue, or covers only some shards.
fn complete_answer(outcome: &CountOutcome) -> &Answer {
    outcome.answer().expect("a complete count without a modulus has an answer")
}

/// Counts the tours of one board of a series. Returns the numbers of tours, or their residues if
/// the request has a modulus. `memory` is the memory limit of sweeps in bytes.
/// `is_forced` is true if sweeps start even if their estimates exceed memory.
pub fn count_board(
    request: &Request,
    memory: Option<u64>,
    is_forced: bool,
    control: &Control,
) -> Result<Counts, CountError> {
    let work_plan = WorkPlan::new_under(request, control)?.with_memory(memory).with_force(is_forced);
    let sums = count_sums(&work_plan, control)?;
    let outcome = CountOutcome::from_sums(work_plan.validated_request(), &[Shard::WHOLE], &sums)?;
    Ok(outcome.counts_by_kind().map(|(kind, number)| (kind, number.clone())).collect())
}

/// Returns the error of a checkpoint file that cannot be opened.
fn open_error(path: Option<&Path>, error: &CheckpointError) -> JobError {
    let kind = match error {
        CheckpointError::Read { source, .. } | CheckpointError::Lock { source, .. } => Some(source.kind()),
        CheckpointError::MissingFolder { .. } => Some(io::ErrorKind::NotFound),
        _ => None,
    };
    JobError::file(path.unwrap_or(Path::new("")), kind, format!("checkpoint: {}", error.with_remedy()))
}

/// Returns the error of a checkpoint file that cannot be saved.
fn save_error(path: Option<&Path>, error: &SaveError) -> JobError {
    JobError::file(path.unwrap_or(Path::new("")), None, format!("checkpoint: cannot save: {error}"))
}

/// Numbers of closed tours, open tours and paths.
pub type CountTriple = (Option<BigUint>, Option<BigUint>, Option<BigUint>);

/// Converts counts for Python.
pub fn to_triple(counts: &Counts) -> CountTriple {
    (counts.get(Kind::Closed).cloned(), counts.get(Kind::Open).cloned(), counts.get(Kind::Paths).cloned())
}

/// Counts tours. Returns one row without a start, or, if `per_start`, the start and the numbers of each row.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn count(
    board: &Bound<'_, BoardBase>,
    kind: Option<Named<Kind>>,
    distinct: Distinct,
    directed: Directed,
    symmetry: Option<Named<NamedSymmetry>>,
    start: Option<u32>,
    end: Option<u32>,
    per_start: PerStart,
    engine: Named<Engine>,
    modulus: Option<Modulus>,
    memory: Option<Memory>,
    threads: Option<Threads>,
    checkpoint: Option<Checkpoint>,
    progress: Option<Py<PyAny>>,
    force: Force,
) -> PyResult<Vec<(Option<u32>, CountTriple)>> {
    let (py, inner) = (board.py(), board.get());
    let (Distinct(distinct), Directed(directed), PerStart(per_start), Force(force)) =
        (distinct, directed, per_start, force);
    let checkpoint = checkpoint.map(|file| file.0);
    let (kind, memory) = (kind.map(|kind| kind.0), memory.map(|memory| memory.0));
    let modulus = modulus.and_then(|modulus| ResidueRing::new(modulus.0));
    let named = symmetry.map(|symmetry| symmetry.0);
    let tours = Request::of_kind(inner.inner.clone(), kind).with_ends(start, end).map_err(JobError::from)?;
    let request = Request { per_start, engine: engine.0, modulus, ..tours };
    let job = request.job_spec().with_symmetry(named);
    let job = job.with(Choice::Distinct, distinct).with(Choice::Directed, directed);
    job.validate().map_err(JobError::from)?;
    inner.find_symmetries(py)?;
    if distinct {
        check_symmetries_known(&inner.inner, "distinct=")?;
    }
    let runner = JobRunner::new(threads, progress)?;
    if let Some(named) = named {
        let plan = SymmetryPlan::new(&request, named, memory).map_err(JobError::from)?;
        let plan = plan.with_classes(distinct);
        let checkpoint = checkpoint.as_deref();
        let mut counts = runner.run(py, |control| count_symmetric(plan, force, checkpoint, control))??;
        if directed && !distinct {
            counts = counts.to_directed(inner.inner.len());
        }
        return Ok(vec![(None, to_triple(&counts))]);
    }
    let name = job_name(request.board(), kind);
    let checkpoint = checkpoint.as_deref();
    let up_to = distinct.then_some(UpToSymmetry::Distinct);
    let run = CountRun { name: &name, request: &request, memory, checkpoint, up_to, directed, force };
    let (outcome, up_to_symmetry) = runner.run(py, |control| run.count(control))??;
    if let CountOutcome::Modular(residues) = &outcome {
        return Ok(vec![(None, to_triple(&residues.counts))]);
    }
    let answer = complete_answer(&outcome);
    if per_start {
        return Ok(answer.per_start.iter().map(|row| (Some(row.vertex), to_triple(&row.counts))).collect());
    }
    let mut counts = match distinct {
        true => up_to_symmetry.distinct.into_iter().collect(),
        false => answer.counts.clone(),
    };
    if directed && !answer.is_directed {
        counts = counts.to_directed(inner.inner.len());
    }
    Ok(vec![(None, to_triple(&counts))])
}

/// Counts the tours with a symmetry, with a checkpoint if a file is given. Unless `force`, checks the estimates
/// first.
pub fn count_symmetric(
    plan: SymmetryPlan,
    force: bool,
    checkpoint: Option<&Path>,
    control: &Control,
) -> Result<Counts, JobError> {
    let (file, state) = open_checkpoint::<SymmetricState>(checkpoint, &plan.job_line())?;
    let mut job = SymmetricJob { file, ..SymmetricJob::new(plan) };
    job.state = state.unwrap_or(job.state);
    if !force {
        check_symmetric(&job, control)?;
    }
    let plan = &job.plan;
    let saving = SaveOptions { command: symmetric_command(plan), ..SaveOptions::new(&|_| ()) };
    let ended = job.run(control, saving);
    let ended = ended.map_err(|error| admission::job_error(&symmetric_name(plan), error, NO_DISK_KEYWORD))?;
    if let Some(error) = ended.save_error {
        return Err(save_error(checkpoint, &error));
    }
    let rows = ended.counts.ok_or(CountError::Stopped(Stopped))?.into_iter();
    Ok(rows.map(|(kind, numbers)| (kind, numbers.number(plan.has_classes()).clone())).collect())
}

/// Returns an error if the counts of the tours with a symmetry do not fit, or would take more than a year.
pub fn check_symmetric(job: &SymmetricJob, control: &Control) -> Result<(), JobError> {
    let name = symmetric_name(&job.plan);
    job.estimates(control)?.into_iter().try_for_each(|(kind, estimate)| {
        admission::check_sweep_in_memory(&format!("{name} {}", kind.name()), &estimate)
    })
}

/// Returns the name of a count of the tours with a symmetry in messages, such as `8x8 rot180`.
fn symmetric_name(plan: &SymmetryPlan) -> String {
    format!("{} {}", summary(plan.board()), plan.symmetry().name())
}

/// Returns the command line by which `ktour resume` resumes the count of the tours with a symmetry. The board is
/// not read from the file of `--graph`, but from the job line of the checkpoint.
fn symmetric_command(plan: &SymmetryPlan) -> SavedCommand {
    let fixed =
        ["count".to_owned(), "--graph=-".to_owned(), format!("--symmetry={}", plan.symmetry().name())];
    let others = [
        plan.kind().map(|kind| format!("--kind={}", kind.name())),
        Some(format!("--engine={}", plan.engine().name())),
        plan.has_classes().then(|| "--distinct".to_owned()),
    ];
    SavedCommand {
        arguments: fixed.into_iter().chain(others.into_iter().flatten()).collect(),
        part: String::new(),
    }
}

/// Counts tours by symmetry class. Returns the name of each class with its tours and distinct tours, and then the
/// total.
#[pyfunction]
pub fn classes(
    board: &Bound<'_, BoardBase>,
    kind: Named<Kind>,
    memory: Option<Memory>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
    force: Force,
) -> PyResult<Vec<(String, (BigUint, BigUint))>> {
    let (py, kind, memory, force) = (board.py(), kind.0, memory.map(|memory| memory.0), force.0);
    let library_board = &board.get().inner;
    board.get().find_symmetries(py)?;
    check_symmetries_known(library_board, "the table of classes")?;
    let request = Request::of_kind(library_board.clone(), kind);
    let name = job_name(library_board, Some(kind));
    let runner = JobRunner::new(threads, progress)?;
    let (checkpoint, up_to) = (None, Some(UpToSymmetry::Classes));
    let run = CountRun { name: &name, request: &request, memory, checkpoint, up_to, directed: false, force };
    let (_, counts) = runner.run(py, |control| run.count(control))??;
    let (_, table) = counts.classes.into_iter().next().expect("one kind was requested");
    let rows = table.rows.iter().map(|(class, numbers)| (class.name().into_owned(), numbers));
    let rows = rows.chain([("total".to_owned(), &table.total)]);
    Ok(rows.map(|(name, numbers)| (name, (numbers.tours.clone(), numbers.classes.clone()))).collect())
}
