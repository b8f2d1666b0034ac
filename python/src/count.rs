//! `ktour.count` and `ktour.classes`: exact numbers.

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

/// Time between checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// Why some numbers have no residues.
pub const NO_RESIDUES: &str = "modulus= is for the numbers of all undirected tours: drop it, or distinct=, directed=, symmetry=, per_start=";

/// A job, and what it has of the world outside.
struct Run<'a> {
    /// What it is called where it is refused.
    name: &'a str,
    request: &'a Request,
    memory: Option<u64>,
    checkpoint: Option<&'a Path>,
    distinct: bool,
    directed: bool,
    /// Whether it begins even if it takes years, or does not fit.
    force: bool,
}

impl Run<'_> {
    /// What is counted, and the numbers of classes if these are asked for.
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
        // What goes on has been through this.
        if !self.force && state.snapshot().is_none() {
            let mut units = work.schedule();
            units.retain(|&unit| !state.done[unit as usize]);
            fits::count(self.name, self.request, (&work, self.memory), &units, folder.as_ref(), control)?;
            if self.distinct {
                fits::up_to_symmetry(self.name, self.request, &setting, false, control)?;
            }
        }
        // The symmetric part comes first, so that what it cannot do does not cost the whole count.
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
            return Err(Why::Failed(format!("checkpoint: it could not be saved: {error}")));
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

    /// How the program is to show the result, if it goes on with the checkpoint.
    fn output(&self) -> serde_json::Value {
        let symmetry = self.distinct.then_some("distinct");
        json!({ "directed": self.directed, "per_start": self.request.per_start, "symmetry": symmetry })
    }

    /// Room for what does not fit into a ceiling that was named.
    fn spill(&self) -> Result<Option<Folder>, Why> {
        if self.memory.is_none() {
            return Ok(None);
        }
        let dir = std::env::temp_dir();
        let spill = Folder::spill(&dir);
        spill.map(Some).map_err(|error| Why::Failed(format!("cannot write {}: {error}", dir.display())))
    }
}

/// The answer that a count is which is not one of residues.
fn answer(found: &Reckoning) -> &Answer {
    found.answer().expect("a whole count has an answer")
}

/// Numbers of one of several boards, or their residues; under a ceiling for sweeps.
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

/// What a file says is done of the same job.
fn begun(file: &CheckpointFile, job: &Job) -> Result<Option<State>, Why> {
    let path = file.path();
    if !CheckpointFile::exists(path) {
        return Ok(None);
    }
    let failed = |line: String| Why::Failed(format!("checkpoint: {line}"));
    let loaded = Checkpoint::load(path)
        .map_err(|error| failed(format!("{error}; delete the file or name another")))?;
    if loaded.checkpoint.job != *job {
        let other = loaded.checkpoint.job;
        return Err(failed(format!(
            "{} belongs to another job ({other}); name another file",
            path.display()
        )));
    }
    if loaded.fallback.is_some() {
        file.set_aside().map_err(|error| failed(error.to_string()))?;
    }
    Ok(Some(loaded.checkpoint.state))
}

/// Exact numbers of tours, as ints of any size.
///
/// count("6x6", "closed") is 9862; without a kind it is Counts(closed, open, paths). Tours are undirected: once for
/// both directions, unless directed=True, or start or end are fixed, which makes them directed.
///
/// kind: "closed"; "paths", which need not return; "open", the paths whose ends are not a move apart.
/// distinct=True: up to the board's symmetries. symmetry: tours that "rot180", "rot90", "axial", ... leaves unchanged.
/// start, end: only tours from or to there. per_start=True: a dict, square -> the number of directed tours from it.
/// engine: "auto", "backtrack", "multipath", "frontier". memory: a ceiling for sweeps, such as "8G"; what does not fit
/// goes to the folder for temporary files. modulus: the numbers modulo 2 to 2**32 - 1, from sweeps in half of the memory or
/// less; other tours than these have none. threads: all cores without it. checkpoint: a file that keeps what is done;
/// the same call goes on with it, and `ktour resume` too. progress: True for a bar of tqdm, or a function that is given
/// a Reading now and then. force=True begins what would take years or will not fit.
///
/// The interpreter is free meanwhile, and Ctrl-C ends the count; with a checkpoint what is done is saved first, and that is
/// waited for, as long as the disk takes.
///
/// Raises UsageError (a ValueError) for what cannot be asked, OutOfMemory (a MemoryError) for what does not fit, TooLong
/// for what would take years, Error for anything else. A number that breaks a theorem is never returned.
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
    refuse(per_start && are_fixed, "per_start= does not go with start= or end=: drop one")?;
    refuse(
        distinct && (directed || per_start),
        "distinct= does not go with directed= or per_start=: drop one",
    )?;
    refuse(
        distinct && are_fixed && !matches!(kind, Some(Kind::Paths | Kind::Open)),
        "distinct tours from start= or to end= are paths: ask for kind=\"paths\" or \"open\"",
    )?;
    let is_of_some = distinct || directed || per_start || asked::given(symmetry).is_some();
    refuse(modulus.is_some() && is_of_some, NO_RESIDUES)?;
    refuse(
        modulus.is_some() && !matches!(request.engine, Engine::Auto | Engine::Frontier),
        "modulus= is for sweeps: leave out engine=, or ask for \"frontier\"",
    )?;
    own.find_symmetries(py)?;
    if distinct {
        check_known(&own.arena, "distinct=")?;
    }
    let name = format!("{} {}", own.arena.title(), kind.map_or("tours", Kind::name));
    let how = How::new(threads, progress, &name)?;
    if let Some(symmetry) = asked::given(symmetry) {
        refuse(are_fixed || per_start, "symmetry= does not go with start=, end= or per_start=: drop one")?;
        refuse(
            checkpoint.is_some(),
            "symmetry= does not go with checkpoint=, as such counts are short: drop it",
        )?;
        refuse(request.engine == Engine::Backtrack, "symmetry= does not go with engine=\"backtrack\"")?;
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

/// Tours that a symmetry leaves unchanged, of the kinds that are asked for; distinct ones, or all.
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

/// Both directions of every tour, on so many squares.
pub fn both_directions(counts: &mut Counts, squares: usize) {
    for kind in Kind::ALL {
        let place = counts.get_mut(kind);
        *place = place.take().map(|number| both(&number, squares));
    }
}

/// The number of a kind, or all that there are.
pub fn told<'py>(py: Python<'py>, kind: Option<Kind>, counts: &Counts) -> PyResult<Bound<'py, PyAny>> {
    let number = |kind: Kind| counts.get(kind).map(|number| int(py, number)).transpose();
    match kind {
        Some(kind) => Ok(number(kind)?.unwrap_or_else(|| py.None().into_bound(py))),
        None => {
            let class = py.import("ktour._counts")?.getattr("Counts")?;
            class.call1((number(Kind::Closed)?, number(Kind::Open)?, number(Kind::Paths)?))
        }
    }
}

/// Tours by class of symmetry: a dict from the class to (tours, distinct tours), undirected; "total" is the last.
///
/// kind: "closed" or "paths" or "open". memory, threads, progress, force: as for count.
///
/// Raises what count raises.
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
    check_known(arena, "the table")?;
    let request = Request { kind: Some(kind), ..Request::new(arena.clone()) };
    let name = format!("{} {}", arena.title(), kind.name());
    let how = How::new(threads, progress, &name)?;
    let table = how.attend(py, |control| -> Result<_, Why> {
        let setting = Setting::new(arena, Engine::Auto, memory);
        let (checkpoint, distinct, directed) = (None, false, false);
        // It is looked whether it fits before the symmetric part, and not once more.
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
        let (_, census) = parts.first_mut().expect("one kind was asked for");
        Ok(census.table(&total)?)
    })??;
    let rows = PyDict::new(py);
    for (class, numbers) in &table.rows {
        rows.set_item(class.name(), (int(py, &numbers.tours)?, int(py, &numbers.classes)?))?;
    }
    rows.set_item("total", (int(py, &table.total.tours)?, int(py, &table.total.classes)?))?;
    Ok(rows)
}
