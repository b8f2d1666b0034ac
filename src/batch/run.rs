//! The run of one shard of a job, with checkpoints, and its outcome: the numbers of tours that follow from the sums of
//! all or some shards.
//!
//! ```text
//! units -> Checkpointer (RunState) -> Checkpoint -> file
//! sweep -> its Observer --^
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

use num_bigint::BigUint;

use super::checkpointer::{Checkpointer, SaveError};
use super::job::{Job, RunState};
use super::shard::Shard;
use crate::control::Control;
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

/// Runs the units of the job's shard that are not finished in the state of `checkpointer`, on all cores, until all are
/// finished or the control is cancelled. Saves the state every interval and at the end. Continues if saving fails.
///
/// The caller must check that the state belongs to this job: the job of its checkpoint must be equal to `job`.
///
/// # Errors
/// A unit failed, or the state has another number of units than the job. If a unit failed, the
/// results of the units before it have been saved.
pub(super) fn run_shard(
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
    use crate::batch::{Checkpoint, CheckpointFile, SaveOptions};
    use crate::board::Board;
    use crate::count::{Engine, Request};

    const PANIC_ON_FAILURE: &(dyn Fn(&str) + Sync) = &|why| panic!("{why}");

    fn work(engine: Engine) -> (WorkPlan, Job) {
        let work_plan =
            WorkPlan::new(&Request { engine, ..Request::new("5x6".parse::<Board>().unwrap()) }).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        (work_plan, job)
    }

    fn run(
        work_plan: &WorkPlan,
        job: &Job,
        state: RunState,
        control: &Control,
        saving: SaveOptions<'_>,
    ) -> Result<RunResult, CountError> {
        run_shard(work_plan, job, control, Checkpointer::new(job.clone(), state, saving))
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
            let ended = run(&work_plan, &job, state, &Control::new(), saving).unwrap();
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
        let ended = run(&work_plan, &job, RunState::new(&work_plan), &control, saving).unwrap();
        assert!(!ended.is_finished);
        assert_eq!(ended.state.units_done(), 0);
    }

    #[test]
    fn state_of_other_units_is_rejected() {
        let (work_plan, job) = work(Engine::Multipath);
        let mut state = RunState::new(&work_plan);
        state.done.push(true);
        let saving = SaveOptions::new(PANIC_ON_FAILURE);
        let ended = run(&work_plan, &job, state, &Control::new(), saving);
        let units = work_plan.unit_count();
        assert_eq!(ended.unwrap_err(), CountError::ForeignState { saved_units: units + 1, job_units: units });
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
