//! The run of a count: of one shard of a job, with checkpoints, and of the whole count; and its outcome, the numbers of
//! tours that follow from the sums of all or some shards.
//!
//! ```text
//! units -> Checkpointer (RunState) -> Checkpoint -> file
//! sweep -> its Observer --^
//!
//! run_count -> SymmetricPart             first, so that its failure does not waste the long count
//!           -> run_shard -> RunState     -> CountRun::numbers -> CountOutcome, DistinctCounts
//! ```
//!
//! All units of work report to one state, which a lock protects. The finished mark of a unit and
//! its sums change together, so every copy of the state is consistent. For an interrupted unit, the
//! state contains the last reported resume position, or nothing. A dedicated thread copies the
//! state every interval and saves it. The workers wait only for the copying, never for the disk.
//!
//! A sweep is one long unit. Every interval its layer is written to the
//! [`SpillDir`](super::SpillDir), and a checkpoint that names it is saved. Unless the user has set
//! the interval, the next save is delayed in proportion to the time that the last save took, so
//! that saving takes only a small part of a run.

use std::io;
use std::path::{Path, PathBuf};

use num_bigint::BigUint;

use super::checkpoint::CheckpointFile;
use super::checkpointer::{Checkpointer, SaveError, SaveOptions};
use super::job::{Job, RunState};
use super::shard::Shard;
use super::spill_dir::SpillDir;
use crate::control::Control;
use crate::count::symmetric::{DistinctCounts, DistinctPlan, SymmetricPart};
use crate::count::{
    Answer, CountError, Counts, ModularCounts, StartCount, Sums, ValidatedRequest, WorkPlan, directed_count,
    run_units,
};
use crate::frontier::ResidueRing;
use crate::threads::StopSignal;
use crate::tour::Kind;

/// The result of a run: its final state, and whether it is finished and saved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// The state at the end of the run.
    pub state: RunState,
    /// True if all units of the shard are finished.
    pub is_finished: bool,
    /// The reason why the last checkpoint could not be saved. `None` if it was saved.
    pub save_error: Option<SaveError>,
}

/// Runs the units of the job's shard that are not finished in `state`, on all cores, until all are
/// finished or the control is cancelled. Saves the state at the start if there is no checkpoint yet, every
/// interval, and at the end. Continues if saving fails.
///
/// The caller must check that `state` belongs to this job: the job of its checkpoint must be equal
/// to `job`.
///
/// # Errors
/// A unit failed, or `state` has another number of units than the job. If a unit failed, the
/// results of the units before it have been saved.
pub fn run_shard(
    work_plan: &WorkPlan,
    job: &Job,
    state: RunState,
    control: &Control,
    saving: SaveOptions,
) -> Result<RunResult, CountError> {
    let checkpointer = Checkpointer::new(job.clone(), state, saving);
    checkpointer.save_first();
    run_saved_shard(work_plan, job, control, checkpointer)
}

/// Runs the units like [`run_shard`], with the state and the options of `checkpointer`.
fn run_saved_shard(
    work_plan: &WorkPlan,
    job: &Job,
    control: &Control,
    checkpointer: Checkpointer<'_, RunState>,
) -> Result<RunResult, CountError> {
    let state = checkpointer.current_state();
    if let Some(&found) = [state.done.len(), job.units].iter().find(|&&found| found != work_plan.unit_count())
    {
        return Err(CountError::ForeignState { saved_units: found, job_units: work_plan.unit_count() });
    }
    let schedule = state.remaining_units(work_plan, job);
    let (folder, interval) = (checkpointer.spill_dir(), checkpointer.interval());
    let finished = std::thread::scope(|scope| {
        let (over, signal) = StopSignal::new();
        let checkpointer = &checkpointer;
        if checkpointer.has_file() {
            // The thread has a name, so that its share of the time can be measured.
            let saver = std::thread::Builder::new().name("saver".to_owned());
            let saving = saver.spawn_scoped(scope, move || {
                while signal.wait(interval) {
                    // Sweeps are saved by their observer. A second checkpoint of the same state would replace
                    // the previous generation.
                    if !checkpointer.saves_sweeps() {
                        checkpointer.save_or_report();
                    }
                }
            });
            saving.map_err(|error| CountError::ThreadStart(error.to_string()))?;
        }
        let result = run_units(work_plan, &schedule, control, checkpointer);
        drop(over);
        result
    });
    // A second checkpoint of the same state would replace the previous generation. That applies if any rank
    // has saved it.
    if !checkpointer.saves_sweeps() || !checkpointer.ranks_up_to_date().contains(&true) {
        checkpointer.save_or_report();
    }
    match finished {
        Ok(()) | Err(CountError::Stopped(_)) => {}
        Err(error) => return Err(error),
    }
    // The layers that a checkpoint names stay until all ranks have saved that they are finished.
    let is_done = |state: &RunState| schedule.iter().all(|&unit| state.done[unit as usize]);
    let finished = is_done(&checkpointer.current_state());
    if let Some(folder) = folder.filter(|_| finished) {
        let saved = if checkpointer.saves_sweeps() { checkpointer.ranks_up_to_date() } else { vec![true] };
        if !saved.is_empty() && !saved.contains(&false) {
            folder.remove_all();
        }
    }
    let (state, unsaved) = checkpointer.finish();
    Ok(RunResult { state, is_finished: finished, save_error: unsaved })
}

/// The reason why a count failed, by the part that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CountRunError {
    /// The counts of symmetric tours failed. No unit was counted.
    #[error(transparent)]
    SymmetricPart(CountError),
    /// A unit failed. The units before it are saved.
    #[error(transparent)]
    Units(CountError),
}

/// A count whose units have been run.
#[derive(Debug)]
pub struct CountRun {
    /// The run of the units.
    pub units: RunResult,
    /// The counts of symmetric tours; `None` if none are needed.
    part: Option<Result<SymmetricPart, CountError>>,
}

/// The numbers of a count, or the part in which it was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum CountNumbers {
    /// All numbers.
    Complete {
        /// The numbers of all tours.
        outcome: CountOutcome,
        /// The numbers up to symmetry, if they were requested.
        distinct: Option<DistinctCounts>,
    },
    /// Stopped before all units were counted.
    StoppedInUnits,
    /// Stopped among the symmetric tours. All units are counted.
    StoppedInSymmetricPart,
    /// Stopped while all tours were enumerated. All units are counted.
    StoppedInEnumeration,
}

/// Opens the folder into which the sweeps of a count spill: next to the checkpoint `file` if there is one,
/// otherwise a temporary folder in `dir`, or in the folder for temporary files if `memory` is limited. Returns
/// `None` for a search, and for a sweep that is held in memory.
///
/// # Errors
/// The folder in which no temporary folder can be created, and the error of the system.
pub fn open_spill_dir(
    work_plan: &WorkPlan,
    file: Option<&CheckpointFile>,
    dir: Option<&Path>,
    memory: Option<u64>,
) -> Result<Option<SpillDir>, (PathBuf, io::Error)> {
    if !work_plan.is_sequential() {
        return Ok(None);
    }
    if let Some(file) = file {
        return Ok(Some(file.spill_dir::<RunState>()));
    }
    let dir = match dir {
        Some(dir) => dir.to_owned(),
        None if memory.is_some() => std::env::temp_dir(),
        None => return Ok(None),
    };
    SpillDir::create_temporary(&dir).map(Some).map_err(|error| (dir, error))
}

/// Counts the symmetric tours that the plan of numbers up to symmetry needs, then the units of the job as
/// [`run_shard`] does. If the control is cancelled among the symmetric tours, the units stop at once and the
/// state is saved.
///
/// # Errors
/// A part failed.
pub fn run_count(
    work_plan: &WorkPlan,
    job: &Job,
    distinct_plan: Option<&DistinctPlan>,
    state: RunState,
    control: &Control,
    saving: SaveOptions,
) -> Result<CountRun, CountRunError> {
    let checkpointer = Checkpointer::new(job.clone(), state, saving);
    // The symmetric tours may take long.
    checkpointer.save_first();
    let part = match distinct_plan.map(|plan| plan.count_symmetric_part(control)) {
        Some(Err(error)) if !matches!(error, CountError::Stopped(_)) => {
            return Err(CountRunError::SymmetricPart(error));
        }
        part => part,
    };
    let units = run_saved_shard(work_plan, job, control, checkpointer).map_err(CountRunError::Units)?;
    Ok(CountRun { units, part })
}

impl CountRun {
    /// Returns the numbers that follow from the units of the job and the symmetric tours. May enumerate all
    /// tours.
    ///
    /// # Errors
    /// The numbers violate a theorem, or an enumeration failed.
    pub fn numbers(&mut self, work_plan: &WorkPlan, job: &Job) -> Result<CountNumbers, CountError> {
        if !self.units.is_finished {
            return Ok(CountNumbers::StoppedInUnits);
        }
        let validated = work_plan.validated_request();
        let outcome = CountOutcome::from_sums(validated, &[job.shard], &self.units.state.sums)?;
        let part = match &mut self.part {
            None => return Ok(CountNumbers::Complete { outcome, distinct: None }),
            Some(Err(_)) => return Ok(CountNumbers::StoppedInSymmetricPart),
            Some(Ok(part)) => part,
        };
        let answer = outcome.answer().expect("only a complete count has numbers up to symmetry");
        match part.distinct_counts(&answer.counts) {
            Err(CountError::Stopped(_)) => Ok(CountNumbers::StoppedInEnumeration),
            counts => Ok(CountNumbers::Complete { distinct: Some(counts?), outcome }),
        }
    }
}

/// The numbers of tours that follow from the sums of a whole job or of some of its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountOutcome {
    /// The exact counts of the whole job, checked against theorems.
    Complete(Answer),
    /// Numbers of directed tours that some of the shards have counted.
    Partial(Counts),
    /// Residues of the numbers of tours, of the whole job or of some shards.
    Modular(ModularCounts),
}

impl CountOutcome {
    /// Computes the outcome from the sums of the given shards of a job.
    ///
    /// # Errors
    /// The sums of a whole job contradict a theorem.
    pub fn from_sums(
        validated: &ValidatedRequest,
        shards: &[Shard],
        sums: &Sums,
    ) -> Result<Self, CountError> {
        if let Some(residues) = validated.residues(sums) {
            return Ok(Self::Modular(residues));
        }
        if shards == [Shard::WHOLE] {
            return Ok(Self::Complete(validated.answer(sums)?));
        }
        Ok(Self::Partial(validated.partial_counts(sums)?))
    }

    /// Returns the exact counts of the whole job, if the outcome is complete.
    #[must_use]
    pub const fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Complete(answer) => Some(answer),
            Self::Partial(_) | Self::Modular(_) => None,
        }
    }

    /// Returns every kind that was counted, with its number of tours.
    pub fn counts_by_kind(&self) -> impl Iterator<Item = (Kind, &BigUint)> {
        let counts = match self {
            Self::Complete(answer) => &answer.counts,
            Self::Partial(counts) => counts,
            Self::Modular(residues) => &residues.counts,
        };
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, counts.get(kind)?)))
    }

    /// Returns true if the outcome counts undirected tours. It counts directed tours if the start
    /// or the end is fixed, or if it is partial.
    #[must_use]
    pub fn is_undirected(&self) -> bool {
        match self {
            Self::Complete(answer) => !answer.is_directed,
            Self::Partial(_) => false,
            Self::Modular(residues) => !residues.is_directed,
        }
    }

    /// Returns the modulus if the outcome consists of residues.
    #[must_use]
    pub fn modulus(&self) -> Option<ResidueRing> {
        match self {
            Self::Modular(residues) => Some(residues.modulus),
            Self::Complete(_) | Self::Partial(_) => None,
        }
    }

    /// Converts `count`, a number of this outcome, to a number of directed tours on a board of
    /// `vertices` vertices.
    #[must_use]
    pub fn directed_count(&self, count: &BigUint, vertices: usize) -> BigUint {
        let directed = if self.is_undirected() { directed_count(count, vertices) } else { count.clone() };
        self.modulus().map_or_else(|| directed.clone(), |modulus| modulus.residue_of(&directed))
    }

    /// Returns the counts by start square. Empty if the outcome does not contain them.
    #[must_use]
    pub fn per_start(&self) -> &[StartCount] {
        self.answer().map_or(&[], |answer| &answer.per_start)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile};
    use crate::board::Board;
    use crate::count::symmetric::UpToSymmetry;
    use crate::count::{Engine, Request};

    const PANIC_ON_FAILURE: &(dyn Fn(&str) + Sync) = &|why| panic!("{why}");

    fn work(engine: Engine) -> (WorkPlan, Job) {
        let work_plan =
            WorkPlan::new(&Request { engine, ..Request::new("5x6".parse::<Board>().unwrap()) }).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        (work_plan, job)
    }

    #[test]
    fn finished_run_is_saved_without_layers() {
        for engine in [Engine::Multipath, Engine::Frontier] {
            let (work_plan, job) = work(engine);
            let dir = tempfile::tempdir().unwrap();
            let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
            let folder = file.spill_dir::<RunState>();
            let saving = SaveOptions {
                file: Some(&file),
                spill_dir: Some(&folder),
                interval: Duration::from_millis(1),
                ..SaveOptions::new(PANIC_ON_FAILURE)
            };
            let state = RunState::new(&work_plan);
            let ended = run_shard(&work_plan, &job, state, &Control::new(), saving).unwrap();
            assert!(ended.is_finished && ended.save_error.is_none());
            let closed =
                work_plan.validated_request().answer(&ended.state.sums).unwrap().counts.closed.unwrap();
            assert_eq!(closed, 8u32.into());
            let saved = Checkpoint::<RunState>::load(file.path()).unwrap().checkpoint;
            assert_eq!(saved.state.units_done(), job.units);
            assert_eq!(saved.state.sums, ended.state.sums);
            drop(folder);
            assert!(!dir.path().join("run.sweep").exists());
        }
    }

    #[test]
    fn cancelled_run_is_unfinished() {
        let (work_plan, job) = work(Engine::Multipath);
        let control = Control::new();
        control.cancel();
        let saving = SaveOptions::new(PANIC_ON_FAILURE);
        let ended = run_shard(&work_plan, &job, RunState::new(&work_plan), &control, saving).unwrap();
        assert!(!ended.is_finished);
        assert_eq!(ended.state.units_done(), 0);
    }

    #[test]
    fn run_shard_rejects_state_of_other_units() {
        let (work_plan, job) = work(Engine::Multipath);
        let mut state = RunState::new(&work_plan);
        state.done.push(true);
        let saving = SaveOptions::new(PANIC_ON_FAILURE);
        let ended = run_shard(&work_plan, &job, state, &Control::new(), saving);
        let units = work_plan.unit_count();
        assert_eq!(ended.unwrap_err(), CountError::ForeignState { saved_units: units + 1, job_units: units });
    }

    fn numbers(control: &Control) -> CountNumbers {
        let board: Board = "6x6".parse().unwrap();
        let request = Request::of_kind(board, Kind::Closed);
        let work_plan = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, None, false).unwrap();
        let (state, saving) = (RunState::new(&work_plan), SaveOptions::new(&|_| ()));
        let mut run = run_count(&work_plan, &job, Some(&plan), state, control, saving).unwrap();
        run.numbers(&work_plan, &job).unwrap()
    }

    #[test]
    fn numbers_have_all_tours_and_distinct_tours() {
        let CountNumbers::Complete { outcome, distinct: Some(distinct) } = numbers(&Control::new()) else {
            panic!("nothing stops the count")
        };
        assert_eq!(outcome.answer().unwrap().counts.closed, Some(9862u32.into()));
        assert_eq!(distinct.distinct(Kind::Closed), Some(&1245u32.into()));
    }

    #[test]
    fn cancelled_count_has_no_numbers() {
        let control = Control::new();
        control.cancel();
        assert_eq!(numbers(&control), CountNumbers::StoppedInUnits);
    }

    #[test]
    fn partial_outcome_is_directed() {
        let request = Request::of_kind("3x3".parse::<Board>().unwrap(), Kind::Closed);
        let work_plan = WorkPlan::new(&request).unwrap();
        let validated = work_plan.validated_request();
        let sums = validated.zero_sums();
        let whole = CountOutcome::from_sums(validated, &[Shard::WHOLE], &sums).unwrap();
        assert!(whole.is_undirected() && whole.answer().is_some());
        assert_eq!(whole.directed_count(&5u32.into(), 9), 10u32.into());
        let part = CountOutcome::from_sums(validated, &["1/2".parse().unwrap()], &sums).unwrap();
        assert!(!part.is_undirected() && part.per_start().is_empty());
        assert_eq!(part.directed_count(&5u32.into(), 9), 5u32.into());
        assert_eq!(part.counts_by_kind().collect::<Vec<_>>(), [(Kind::Closed, &BigUint::ZERO)]);
    }
}
