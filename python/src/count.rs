//! `ktour.count` and `ktour.classes`: exact numbers of tours.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ktour::batch::{self, Checkpoint, CheckpointFile, Folder, Job, Reckoning, Saver, Saving, Shard, State};
use ktour::control::Control;
use ktour::count::symmetric::{Census, Named, Setting};
use ktour::count::{Answer, CountError, Counts, Engine, Request, Work, directed as both, run_units};
use ktour::frontier::Lane;
use ktour::search::workers::Stopped;
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::asked;
use crate::attend::How;
use crate::board::Board;
use crate::errors::{self, Why, usage};
use crate::fits;
use crate::numbers::int;
use crate::symmetry::{self, check_known, kinds};

/// Time between two checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// Message for arguments that exclude `modulus=`.
pub const NO_RESIDUES: &str = "modulus= excludes distinct=, directed=, symmetry= and per_start=; omit one";

/// A count with its limits and its checkpoint file.
struct Run<'a> {
    /// Title of the count in refusals, such as `6x6 closed`.
    name: &'a str,
    request: &'a Request,
    memory: Option<u64>,
    checkpoint: Option<&'a Path>,
    distinct: bool,
    directed: bool,
    /// True if the count starts even if the estimate exceeds memory, disk or a year.
    force: bool,
}

impl Run<'_> {
    /// Counts the tours. Returns the result, and the numbers of symmetry classes if `distinct` is set.
    fn count(&self, control: &Control) -> Result<(Reckoning, Counts), Why> {
        let setting = Setting::new(&self.request.arena, self.request.engine, self.memory);
        let work = Work::under(self.request, control)?.with_memory(self.memory).forced(self.force);
        let job = Job::new(&work, Shard::WHOLE);
        let file = self.checkpoint.map(CheckpointFile::lock).transpose();
        let file = file.map_err(|error| Why::Failed(format!("checkpoint: {error}")))?;
        let state = match &file {
            Some(file) => begun(file, &job)?,
            None => None,
        };
        let state = state.unwrap_or_else(|| State::new(&work));
        let folder = match (&file, work.is_sequential()) {
            (_, false) => None,
            (Some(file), true) => Some(file.folder()),
            (None, true) => self.spill()?,
        };
        // A resumed sweep passed this check when it started.
        if !self.force && state.snapshot().is_none() {
            let mut units = work.schedule();
            units.retain(|&unit| !state.done[unit as usize]);
            fits::count(self.name, self.request, (&work, self.memory), &units, folder.as_ref(), control)?;
            if self.distinct {
                fits::up_to_symmetry(self.name, self.request, &setting, false, control)?;
            }
        }
        // The symmetric part comes first: if it fails, the whole count is not wasted.
        let mut parts = match self.distinct {
            true => symmetry::symmetric(self.request, &setting, false, control)?,
            false => Vec::new(),
        };
        let saver = file.as_ref().map(|file| Saver::new(file, job.clone(), self.output(), None));
        let saving = Saving {
            interval: if saver.is_some() { CHECKPOINT_EVERY } else { Duration::MAX },
            spares: true,
            folder: folder.as_ref(),
            saver,
            peers: None,
            failed: &|_| (),
        };
        let ended = batch::run(&work, &job, state, control, saving)?;
        if let Some(error) = ended.unsaved {
            return Err(Why::Failed(format!("checkpoint: cannot save: {error}")));
        }
        if !ended.finished {
            return Err(CountError::Stopped(Stopped).into());
        }
        let found = Reckoning::of(work.question(), &[Shard::WHOLE], &ended.state.sums)?;
        let classes = match self.distinct {
            true => symmetry::distinct(self.request, answer(&found), &mut parts)?,
            false => Counts::default(),
        };
        Ok((found, classes))
    }

    /// Returns the output options stored in the checkpoint: the program uses them if it resumes the count.
    fn output(&self) -> serde_json::Value {
        let symmetry = self.distinct.then_some("distinct");
        json!({ "directed": self.directed, "per_start": self.request.per_start, "symmetry": symmetry })
    }

    /// Returns a temporary folder for layers that exceed the memory limit, or `None` if `memory=` is not
    /// given.
    fn spill(&self) -> Result<Option<Folder>, Why> {
        if self.memory.is_none() {
            return Ok(None);
        }
        let dir = std::env::temp_dir();
        let spill = Folder::spill(&dir);
        spill.map(Some).map_err(|error| Why::Failed(format!("cannot write {}: {error}", dir.display())))
    }
}

/// Returns the answer of a complete count without a modulus.
///
/// # Panics
/// If the outcome is a residue or covers only some shards.
fn answer(found: &Reckoning) -> &Answer {
    found.answer().expect("a complete count without a modulus has an answer")
}

/// Counts the tours of one board of a series. Returns the numbers, or their residues. `memory` limits the
/// bytes of sweeps.
pub fn numbers(request: &Request, memory: Option<u64>, control: &Control) -> Result<Counts, CountError> {
    let work = Work::under(request, control)?.with_memory(memory);
    let sums = Mutex::new(work.question().no_sums());
    run_units(&work, &work.schedule(), control, &sums)?;
    let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
    let found = Reckoning::of(work.question(), &[Shard::WHOLE], &sums)?;
    let mut counts = Counts::default();
    found.kinds().for_each(|(kind, number)| *counts.get_mut(kind) = Some(number.clone()));
    Ok(counts)
}

/// Loads the state of `job` from a checkpoint file. Returns `None` if there is no file.
///
/// # Errors
/// If the file is damaged or belongs to another job.
fn begun(file: &CheckpointFile, job: &Job) -> Result<Option<State>, Why> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let failed = |line: String| Why::Failed(format!("checkpoint: {line}"));
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
        file.set_aside().map_err(|error| failed(error.to_string()))?;
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
    #[pyo3(from_py_with = asked::some_kind)] kind: Option<&'static str>,
    #[pyo3(from_py_with = asked::distinct)] distinct: bool,
    #[pyo3(from_py_with = asked::directed)] directed: bool,
    symmetry: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    end: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::per_start)] per_start: bool,
    #[pyo3(from_py_with = asked::engine_word)] engine: &'static str,
    #[pyo3(from_py_with = asked::modulus)] modulus: Option<Lane>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    #[pyo3(from_py_with = asked::checkpoint)] checkpoint: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::force)] force: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let own = board.get();
    let kind = kind.map(asked::kind);
    let request = Request {
        kind,
        start: own.end(start, "start=")?,
        end: own.end(end, "end=")?,
        per_start,
        engine: asked::engine(engine),
        modulus,
        ..Request::new(own.arena.clone())
    };
    let are_fixed = request.start.is_some() || request.end.is_some();
    let memory = asked::memory(memory)?;
    let refuse = |is_asked: bool, why: &str| if is_asked { Err(usage(why)) } else { Ok(()) };
    refuse(per_start && are_fixed, "per_start= excludes start= and end=; omit one")?;
    refuse(distinct && (directed || per_start), "distinct= excludes directed= and per_start=; omit one")?;
    refuse(
        distinct && are_fixed && !matches!(kind, Some(Kind::Paths | Kind::Open)),
        "distinct= with start= or end= counts paths only; use kind=\"paths\" or \"open\"",
    )?;
    let is_of_some = distinct || directed || per_start || asked::given(symmetry).is_some();
    refuse(modulus.is_some() && is_of_some, NO_RESIDUES)?;
    refuse(
        modulus.is_some() && !matches!(request.engine, Engine::Auto | Engine::Frontier),
        "modulus= requires a sweep; omit engine=, or use engine=\"frontier\"",
    )?;
    own.find_symmetries(py)?;
    if distinct {
        check_known(&own.arena, "distinct=")?;
    }
    let name = format!("{} {}", own.arena.title(), kind.map_or("tours", Kind::name));
    let how = How::new(threads, progress, &name)?;
    if let Some(symmetry) = asked::given(symmetry) {
        refuse(are_fixed || per_start, "symmetry= excludes start=, end= and per_start=; omit one")?;
        refuse(
            checkpoint.is_some(),
            "symmetry= excludes checkpoint=, because such counts are short; omit checkpoint=",
        )?;
        refuse(request.engine == Engine::Backtrack, "symmetry= excludes engine=\"backtrack\"; omit one")?;
        let named = asked::symmetry(symmetry, kind)?;
        let setting = Setting::new(&own.arena, request.engine, memory);
        setting.check_names().map_err(errors::count)?;
        let mut counts =
            how.attend(py, |control| symmetric(&setting, named, (kind, distinct), force, control))??;
        if directed && !distinct {
            both_directions(&mut counts, own.arena.len());
        }
        return told(py, kind, &counts);
    }
    let checkpoint = checkpoint.as_deref();
    let run = Run { name: &name, request: &request, memory, checkpoint, distinct, directed, force };
    let (found, classes) = how.attend(py, |control| run.count(control))??;
    if let Reckoning::Residue(residues) = &found {
        return told(py, kind, &residues.counts);
    }
    let answer = answer(&found);
    if per_start {
        let starts = PyDict::new(py);
        for start in &answer.per_start {
            starts.set_item(own.node(py, start.vertex)?, told(py, kind, &start.counts)?)?;
        }
        return Ok(starts.into_any());
    }
    if distinct {
        return told(py, kind, &classes);
    }
    let mut counts = answer.counts.clone();
    if directed && !answer.fixed {
        both_directions(&mut counts, own.arena.len());
    }
    told(py, kind, &counts)
}

/// Counts the tours with a symmetry, of one kind or of all kinds: classes if `distinct` is true, else tours.
pub fn symmetric(
    setting: &Setting,
    named: Named,
    (kind, distinct): (Option<Kind>, bool),
    force: bool,
    control: &Control,
) -> Result<Counts, Why> {
    let mut counts = Counts::default();
    for kind in kinds(kind).filter(|&kind| named.is_of(kind)) {
        let mut census = Census::new(setting, kind, control);
        if !force {
            let name = format!("{} {} {}", setting.arena().title(), named.name(), kind.name());
            fits::in_memory(&name, &census.outlook(Some(named))?)?;
        }
        let numbers = census.symmetric(named, distinct)?;
        *counts.get_mut(kind) = Some(if distinct { numbers.classes } else { numbers.tours });
    }
    Ok(counts)
}

/// Replaces undirected numbers by directed ones: each tour and its reversal count as two. `squares` is the
/// number of squares of the board.
pub fn both_directions(counts: &mut Counts, squares: usize) {
    for kind in Kind::ALL {
        let place = counts.get_mut(kind);
        *place = place.take().map(|number| both(&number, squares));
    }
}

/// Converts counts to Python: the number of `kind`, or a `Counts` of all kinds if `kind` is `None`.
pub fn told<'py>(py: Python<'py>, kind: Option<Kind>, counts: &Counts) -> PyResult<Bound<'py, PyAny>> {
    let number = |kind: Kind| counts.get(kind).map(|number| int(py, number)).transpose();
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
    #[pyo3(from_py_with = asked::kind_word)] kind: &'static str,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::force)] force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let arena = &board.get().arena;
    let (kind, memory) = (asked::kind(kind), asked::memory(memory)?);
    board.get().find_symmetries(py)?;
    check_known(arena, "the table of classes")?;
    let request = Request { kind: Some(kind), ..Request::new(arena.clone()) };
    let name = format!("{} {}", arena.title(), kind.name());
    let how = How::new(threads, progress, &name)?;
    let table = how.attend(py, |control| -> Result<_, Why> {
        let setting = Setting::new(arena, Engine::Auto, memory);
        let (checkpoint, distinct, directed) = (None, false, false);
        // The admission check runs below, before the symmetric part, so the count itself skips it.
        let run = Run { name: &name, request: &request, memory, checkpoint, distinct, directed, force: true };
        if !force {
            let work = Work::under(&request, control)?.with_memory(memory);
            let folder = if work.is_sequential() { run.spill()? } else { None };
            fits::count(&name, &request, (&work, memory), &work.schedule(), folder.as_ref(), control)?;
            fits::up_to_symmetry(&name, &request, &setting, true, control)?;
        }
        let mut parts = symmetry::symmetric(&request, &setting, true, control)?;
        let (found, _) = run.count(control)?;
        let total = answer(&found).counts.get(kind).cloned().unwrap_or_default();
        let (_, census) = parts.first_mut().expect("one kind was requested");
        Ok(census.table(&total)?)
    })??;
    let rows = PyDict::new(py);
    for (class, numbers) in &table.rows {
        rows.set_item(class.name(), (int(py, &numbers.tours)?, int(py, &numbers.classes)?))?;
    }
    rows.set_item("total", (int(py, &table.total.tours)?, int(py, &table.total.classes)?))?;
    Ok(rows)
}
