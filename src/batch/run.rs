//! The run of one shard of a job, with checkpoints.
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

use std::sync::mpsc::{RecvTimeoutError, channel};

use super::checkpointer::{Checkpointer, SaveOptions};
use super::job::Job;
use super::run_state::RunState;
use crate::control::Control;
use crate::count::{CountError, WorkPlan, run_units};

/// The result of a run: its final state, and whether it is finished and saved.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunResult {
    /// The state at the end of the run.
    pub state: RunState,
    /// True if all units of the shard are finished.
    pub is_finished: bool,
    /// The reason why the last checkpoint could not be saved. `None` if it was saved.
    pub save_error: Option<String>,
}

/// Runs the units of the job's shard that are not finished in `state`, on all cores, until all are
/// finished or the control is cancelled. Saves the state every interval, and once at the end.
/// Continues if saving fails.
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
    if let Some(&found) = [state.done.len(), job.units].iter().find(|&&found| found != work_plan.unit_count())
    {
        return Err(CountError::ForeignState { saved_units: found, job_units: work_plan.unit_count() });
    }
    let mut schedule = work_plan.schedule();
    schedule.retain(|&unit| job.shard.contains(unit as usize) && !state.done[unit as usize]);
    // The unfinished sweep comes first.
    if let Some(suspended) = &state.suspended {
        schedule.sort_by_key(|&unit| unit as usize != suspended.unit);
    }
    let (folder, interval) = (saving.spill_dir, saving.interval);
    let checkpointer = Checkpointer::new(job.clone(), state, saving);
    let finished = std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        let checkpointer = &checkpointer;
        if checkpointer.has_file() {
            // The thread has a name, so that its share of the time can be measured.
            let saver = std::thread::Builder::new().name("saver".to_owned());
            let saving = saver.spawn_scoped(scope, move || {
                while is_over.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile, Shard};
    use crate::board::Board;
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
}
