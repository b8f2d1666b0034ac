//! `ktour.count` and `ktour.classes`: exact numbers of tours.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ktour::batch::{
    self, Checkpoint, CheckpointFile, CheckpointWriter, CountOutcome, Job, RunState, SaveOptions, Shard,
    SpillDir,
};
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, NamedSymmetry, SymmetricContext};
use ktour::count::{
    Answer, CountError, Counts, Engine, Request, WorkPlan, directed_count as both, run_units,
};
use ktour::frontier::ResidueRing;
use ktour::search::unit_runner::Stopped;
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use super::bigint::to_int;
use super::job_runner::JobRunner;
use super::{admission, arguments};
use crate::board::Board;
use crate::errors::{self, JobError, usage_error};
use crate::symmetry::{self, check_symmetries_known, requested_kinds};

/// Time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Error message if `modulus=` is given together with an argument that it excludes.
pub const MODULUS_CONFLICT: &str =
    "modulus= excludes distinct=, directed=, symmetry= and per_start=; omit one";

/// A count with its limits and its checkpoint file.
struct CountRun<'a> {
    /// Title of the count in error messages, such as `6x6 closed`.
    name: &'a str,
    request: &'a Request,
    memory: Option<u64>,
    checkpoint: Option<&'a Path>,
    distinct: bool,
    directed: bool,
    /// True if the count starts even if the estimate exceeds memory, disk or a year.
    force: bool,
}

impl CountRun<'_> {
    /// Counts the tours. Returns the outcome, and the numbers of tours up to symmetry if `distinct`
    /// is set.
    fn count(&self, control: &Control) -> Result<(CountOutcome, Counts), JobError> {
        let setting = SymmetricContext::new(&self.request.board, self.request.engine, self.memory);
        let work_plan = WorkPlan::new_with_control(self.request, control)?
            .with_memory(self.memory)
            .with_force(self.force);
        let job = Job::new(&work_plan, Shard::WHOLE);
        let file = self.checkpoint.map(CheckpointFile::lock).transpose();
        let file = file.map_err(|error| JobError::Failed(format!("checkpoint: {error}")))?;
        let state = match &file {
            Some(file) => load_state(file, &job)?,
            None => None,
        };
        let state = state.unwrap_or_else(|| RunState::new(&work_plan));
        let folder = match (&file, work_plan.is_sequential()) {
            (_, false) => None,
            (Some(file), true) => Some(file.spill_dir()),
            (None, true) => self.spill_folder()?,
        };
        // A resumed sweep passed this check when it started.
        if !self.force && state.snapshot().is_none() {
            let mut units = work_plan.schedule();
            units.retain(|&unit| !state.done[unit as usize]);
            admission::check_count(self.name, self.request, &work_plan, &units, folder.as_ref(), control)?;
            if self.distinct {
                admission::check_enumeration(self.name, self.request, &setting, false, control)?;
            }
        }
        // The symmetric part comes first: if it fails, the whole count is not wasted.
        let mut parts = match self.distinct {
            true => symmetry::count_symmetric_tours(self.request, &setting, false, control)?,
            false => Vec::new(),
        };
        let saver =
            file.as_ref().map(|file| CheckpointWriter::new(file, job.clone(), self.output_options(), None));
        let saving = SaveOptions {
            interval: if saver.is_some() { CHECKPOINT_INTERVAL } else { Duration::MAX },
            limits_overhead: true,
            spill_dir: folder.as_ref(),
            writer: saver,
            peers: None,
            on_failure: &|_| (),
        };
        let ended = batch::run_shard(&work_plan, &job, state, control, saving)?;
        if let Some(error) = ended.save_error {
            return Err(JobError::Failed(format!("checkpoint: cannot save: {error}")));
        }
        if !ended.is_finished {
            return Err(CountError::Stopped(Stopped).into());
        }
        let outcome =
            CountOutcome::from_sums(work_plan.validated_request(), &[Shard::WHOLE], &ended.state.sums)?;
        let classes = match self.distinct {
            true => symmetry::count_classes(self.request, complete_answer(&outcome), &mut parts)?,
            false => Counts::default(),
        };
        Ok((outcome, classes))
    }

    /// Returns the output options that the checkpoint stores. `ktour resume` uses them if it
    /// resumes the count.
    fn output_options(&self) -> serde_json::Value {
        let symmetry = self.distinct.then_some("distinct");
        json!({ "directed": self.directed, "per_start": self.request.per_start, "symmetry": symmetry })
    }

    /// Creates a temporary folder for layers of a sweep that exceed the memory limit. Returns
    /// `None` if `memory=` is not given.
    fn spill_folder(&self) -> Result<Option<SpillDir>, JobError> {
        if self.memory.is_none() {
            return Ok(None);
        }
        let dir = std::env::temp_dir();
        let spill = SpillDir::create_temporary(&dir);
        spill.map(Some).map_err(|error| JobError::Failed(format!("cannot write {}: {error}", dir.display())))
    }
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
pub fn count_board(request: &Request, memory: Option<u64>, control: &Control) -> Result<Counts, CountError> {
    let work_plan = WorkPlan::new_with_control(request, control)?.with_memory(memory);
    let sums = Mutex::new(work_plan.validated_request().zero_sums());
    run_units(&work_plan, &work_plan.schedule(), control, &sums)?;
    let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = CountOutcome::from_sums(work_plan.validated_request(), &[Shard::WHOLE], &sums)?;
    let mut counts = Counts::default();
    outcome.counts_by_kind().for_each(|(kind, number)| *counts.get_mut(kind) = Some(number.clone()));
    Ok(counts)
}

/// Loads the state of `job` from its checkpoint file. Returns `None` if there is no checkpoint.
///
/// # Errors
/// If the file is damaged or belongs to another job.
fn load_state(file: &CheckpointFile, job: &Job) -> Result<Option<RunState>, JobError> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let failed = |line: String| JobError::Failed(format!("checkpoint: {line}"));
    let loaded = Checkpoint::load(path)
        .map_err(|error| failed(format!("{error}; delete the file or give another")))?;
    if loaded.checkpoint.job != *job {
        let other = loaded.checkpoint.job;
        return Err(failed(format!(
            "{} belongs to another job ({other}); give another file",
            path.display()
        )));
    }
    if loaded.fallback.is_some() {
        file.rename_damaged().map_err(|error| failed(error.to_string()))?;
    }
    Ok(Some(loaded.checkpoint.state))
}

/// Counts tours exactly, as ints of any size.
///
/// count("6x6", "closed") returns 9862. Without a kind, count returns Counts(closed, open, paths). A tour and
/// its reversal count once, unless directed=True. With start or end, tours are directed.
///
/// - kind: "closed" (return to the start), "paths" (need not return), "open" (paths whose ends are not a move
///   apart). Default: all three.
/// - distinct: count classes of tours under the symmetries of the board.
/// - directed: count both directions of every tour.
/// - symmetry: count only tours with this symmetry: "rot180", "rot90", "axial", "diagonal", "eulerian" or
///   "bergholtian".
/// - start, end: first and last square of the tours.
/// - per_start: return a dict from each square to the number of directed tours that start there.
/// - engine: "auto", "backtrack", "multipath" or "frontier". Default: "auto", the engine with the smallest
///   estimated time.
/// - modulus: count modulo a number from 2 to 2**32 - 1, by a sweep in half of the memory or less. Not for
///   distinct, directed, symmetry and per_start.
/// - memory: memory limit of sweeps, in bytes or as text such as "8G". Layers beyond it go to the folder for
///   temporary files.
/// - threads: number of threads, 1 to 1024. Default: all cores.
/// - checkpoint: path of a file in which progress is saved every minute and at an interrupt. A later call
///   with the same arguments, or `ktour resume`, resumes from it.
/// - progress: True for a progress bar (needs tqdm), or a function that is called with a Reading about 10
///   times a second.
/// - force: start even if the estimate exceeds memory, disk or a year.
///
/// Other Python threads run during the count, and Ctrl-C stops it. With a checkpoint, Ctrl-C first waits for
/// the last save, however long the disk takes.
///
/// Raises UsageError (a ValueError) for invalid arguments, OutOfMemory (a MemoryError) if memory or disk do
/// not suffice, TooLong if the estimate exceeds a year, and Error for other failures. A number that violates
/// a theorem is never returned.
#[pyfunction]
#[pyo3(signature = (board, kind = None, *, distinct = false, directed = false, symmetry = None, start = None, end = None, per_start = false, engine = "auto", modulus = None, memory = None, threads = None, checkpoint = None, progress = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn count<'py>(
    board: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::parse_optional_kind_word)] kind: Option<&'static str>,
    #[pyo3(from_py_with = arguments::parse_distinct)] distinct: bool,
    #[pyo3(from_py_with = arguments::parse_directed)] directed: bool,
    symmetry: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    end: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_per_start)] per_start: bool,
    #[pyo3(from_py_with = arguments::parse_engine_word)] engine: &'static str,
    #[pyo3(from_py_with = arguments::parse_modulus)] modulus: Option<ResidueRing>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::parse_checkpoint)] checkpoint: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_force)] force: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let inner = board.get();
    let kind = kind.map(arguments::kind_of_word);
    let request = Request {
        kind,
        start: inner.parse_end(start, "start=")?,
        end: inner.parse_end(end, "end=")?,
        per_start,
        engine: arguments::engine_of_word(engine),
        modulus,
        ..Request::new(inner.inner.clone())
    };
    let are_fixed = request.start.is_some() || request.end.is_some();
    let memory = arguments::parse_memory(memory)?;
    let refuse = |is_asked: bool, why: &str| if is_asked { Err(usage_error(why)) } else { Ok(()) };
    refuse(per_start && are_fixed, "per_start= excludes start= and end=; omit one")?;
    refuse(distinct && (directed || per_start), "distinct= excludes directed= and per_start=; omit one")?;
    refuse(
        distinct && are_fixed && !matches!(kind, Some(Kind::Paths | Kind::Open)),
        "distinct= with start= or end= counts paths only; use kind=\"paths\" or \"open\"",
    )?;
    let is_of_some = distinct || directed || per_start || arguments::not_none(symmetry).is_some();
    refuse(modulus.is_some() && is_of_some, MODULUS_CONFLICT)?;
    refuse(
        modulus.is_some() && !matches!(request.engine, Engine::Auto | Engine::Frontier),
        "modulus= requires a sweep; omit engine=, or use engine=\"frontier\"",
    )?;
    inner.find_symmetries(py)?;
    if distinct {
        check_symmetries_known(&inner.inner, "distinct=")?;
    }
    let name = format!("{} {}", inner.inner.title(), kind.map_or("tours", Kind::name));
    let runner = JobRunner::new(threads, progress, &name)?;
    if let Some(symmetry) = arguments::not_none(symmetry) {
        refuse(are_fixed || per_start, "symmetry= excludes start=, end= and per_start=; omit one")?;
        refuse(
            checkpoint.is_some(),
            "symmetry= excludes checkpoint=, because such counts are short; omit checkpoint=",
        )?;
        refuse(request.engine == Engine::Backtrack, "symmetry= excludes engine=\"backtrack\"; omit one")?;
        let named = arguments::parse_symmetry(symmetry, kind)?;
        let setting = SymmetricContext::new(&inner.inner, request.engine, memory);
        setting.require_names().map_err(errors::from_count_error)?;
        let mut counts = runner
            .run(py, |control| count_symmetric(&setting, named, (kind, distinct), force, control))??;
        if directed && !distinct {
            make_directed(&mut counts, inner.inner.len());
        }
        return counts_to_python(py, kind, &counts);
    }
    let checkpoint = checkpoint.as_deref();
    let run = CountRun { name: &name, request: &request, memory, checkpoint, distinct, directed, force };
    let (outcome, classes) = runner.run(py, |control| run.count(control))??;
    if let CountOutcome::Modular(residues) = &outcome {
        return counts_to_python(py, kind, &residues.counts);
    }
    let answer = complete_answer(&outcome);
    if per_start {
        let starts = PyDict::new(py);
        for start in &answer.per_start {
            starts.set_item(inner.node(py, start.vertex)?, counts_to_python(py, kind, &start.counts)?)?;
        }
        return Ok(starts.into_any());
    }
    if distinct {
        return counts_to_python(py, kind, &classes);
    }
    let mut counts = answer.counts.clone();
    if directed && !answer.is_directed {
        make_directed(&mut counts, inner.inner.len());
    }
    counts_to_python(py, kind, &counts)
}

/// Counts the tours with the symmetry `named`, of one kind or of all kinds. If `distinct`, counts
/// tours up to symmetry.
pub fn count_symmetric(
    setting: &SymmetricContext,
    named: NamedSymmetry,
    (kind, distinct): (Option<Kind>, bool),
    force: bool,
    control: &Control,
) -> Result<Counts, JobError> {
    let mut counts = Counts::default();
    for kind in requested_kinds(kind).filter(|&kind| named.applies_to(kind)) {
        let mut census = ClassCounter::new(setting, kind, control);
        if !force {
            let name = format!("{} {} {}", setting.board().title(), named.name(), kind.name());
            admission::check_sweep_in_memory(&name, &census.rough_estimate(Some(named))?)?;
        }
        let numbers = census.count_with_symmetry(named, distinct)?;
        *counts.get_mut(kind) = Some(if distinct { numbers.classes } else { numbers.tours });
    }
    Ok(counts)
}

/// Converts undirected numbers to directed ones: each tour and its reversal then count as two.
/// `squares` is the number of squares of the board.
pub fn make_directed(counts: &mut Counts, squares: usize) {
    for kind in Kind::ALL {
        let number = counts.get_mut(kind);
        *number = number.take().map(|number| both(&number, squares));
    }
}

/// Converts counts to Python: to the number of tours of `kind`, or to a `Counts` of all kinds if
/// `kind` is `None`.
pub fn counts_to_python<'py>(
    py: Python<'py>,
    kind: Option<Kind>,
    counts: &Counts,
) -> PyResult<Bound<'py, PyAny>> {
    let number = |kind: Kind| counts.get(kind).map(|number| to_int(py, number)).transpose();
    match kind {
        Some(kind) => Ok(number(kind)?.unwrap_or_else(|| py.None().into_bound(py))),
        None => {
            let class = py.import("ktour._results")?.getattr("Counts")?;
            class.call1((number(Kind::Closed)?, number(Kind::Open)?, number(Kind::Paths)?))
        }
    }
}

/// Counts tours by symmetry class. Returns a dict from the name of each class to a tuple (tours, distinct
/// tours); the last key is "total". Tours are undirected.
///
/// - kind: "closed", "paths" or "open". Default: "closed".
/// - memory, threads, progress, force: as for count.
///
/// Raises the exceptions of count.
#[pyfunction]
#[pyo3(signature = (board, kind = "closed", *, memory = None, threads = None, progress = None, force = false))]
pub fn classes<'py>(
    board: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::parse_kind_word)] kind: &'static str,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_force)] force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let library_board = &board.get().inner;
    let (kind, memory) = (arguments::kind_of_word(kind), arguments::parse_memory(memory)?);
    board.get().find_symmetries(py)?;
    check_symmetries_known(library_board, "the table of classes")?;
    let request = Request { kind: Some(kind), ..Request::new(library_board.clone()) };
    let name = format!("{} {}", library_board.title(), kind.name());
    let runner = JobRunner::new(threads, progress, &name)?;
    let table = runner.run(py, |control| -> Result<_, JobError> {
        let setting = SymmetricContext::new(library_board, Engine::Auto, memory);
        let (checkpoint, distinct, directed) = (None, false, false);
        // The admission check runs below, before the symmetric part, so the count itself skips it.
        let run =
            CountRun { name: &name, request: &request, memory, checkpoint, distinct, directed, force: true };
        if !force {
            let work_plan = WorkPlan::new_with_control(&request, control)?.with_memory(memory);
            let folder = if work_plan.is_sequential() { run.spill_folder()? } else { None };
            admission::check_count(
                &name,
                &request,
                &work_plan,
                &work_plan.schedule(),
                folder.as_ref(),
                control,
            )?;
            admission::check_enumeration(&name, &request, &setting, true, control)?;
        }
        let mut parts = symmetry::count_symmetric_tours(&request, &setting, true, control)?;
        let (outcome, _) = run.count(control)?;
        let total = complete_answer(&outcome).counts.get(kind).cloned().unwrap_or_default();
        let (_, census) = parts.first_mut().expect("one kind was requested");
        Ok(census.class_table(&total)?)
    })??;
    let rows = PyDict::new(py);
    for (class, numbers) in &table.rows {
        rows.set_item(class.name(), (to_int(py, &numbers.tours)?, to_int(py, &numbers.classes)?))?;
    }
    rows.set_item("total", (to_int(py, &table.total.tours)?, to_int(py, &table.total.classes)?))?;
    Ok(rows)
}
