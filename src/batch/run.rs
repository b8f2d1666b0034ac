//! The run of a shard of a job, with checkpoints.
//!
//! ```text
//! units -> Checkpointer (RunState) -> CheckpointWriter -> Checkpoint -> file
//! sweep -> Checkpointer (its Observer) --^
//! ```
//!
//! Units report to one state under a lock. The finished mark of a unit and its sums change together, so every
//! copy of the state is consistent. An interrupted unit leaves its last reported resume position, or no
//! trace. A dedicated thread copies the state every interval and saves it. The workers wait only for the
//! copying, never for the disk.
//!
//! A sweep is one long unit. Every interval its layer is written to the [`SpillDir`](super::SpillDir), and a
//! checkpoint that names it is saved. Unless the user has set the interval, the next saving is delayed in
//! proportion to the time that the last one took, so that saving takes only a small part of a run.

use std::sync::mpsc::{RecvTimeoutError, channel};

use super::job::Job;
use super::keeper::{Keeper, Saving};
use super::state::State;
use crate::control::Control;
use crate::count::{CountError, Work, run_units};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progressed {
    /// The state at the end.
    pub state: State,
    /// True if all units of the shard are finished.
    pub finished: bool,
    /// The reason if the last checkpoint could not be saved.
    pub unsaved: Option<String>,
}

/// Runs the units of the job's shard that are not finished in `state`, on all cores, until they are finished
/// or the control is cancelled. The state is saved every interval, and once at the end. The run continues if
/// saving fails.
///
/// # Errors
/// A unit that fails; all work before it has been saved. A state with another number of units. The caller
/// must check that `state` belongs to this job: the job of its checkpoint must be equal to `job`.
pub fn run(
    work: &Work,
    job: &Job,
    state: State,
    control: &Control,
    saving: Saving,
) -> Result<Progressed, CountError> {
    if let Some(&found) = [state.done.len(), job.units].iter().find(|&&found| found != work.units()) {
        return Err(CountError::OtherState { found, units: work.units() });
    }
    let mut schedule = work.schedule();
    schedule.retain(|&unit| job.shard.contains(unit as usize) && !state.done[unit as usize]);
    // The unfinished sweep comes first.
    if let Some(rest) = &state.at_rest {
        schedule.sort_by_key(|&unit| unit as usize != rest.unit);
    }
    let (folder, interval) = (saving.folder, saving.interval);
    let keeper = Keeper::new(state, saving);
    let finished = std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        let keeper = &keeper;
        if keeper.saves() {
            // The thread has a name, so that its share of the time can be measured.
            let saver = std::thread::Builder::new().name("saver".to_owned());
            let saving = saver.spawn_scoped(scope, move || {
                while is_over.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                    // Sweeps are saved by their observer. A second checkpoint of the same state would replace
                    // the previous generation.
                    if !keeper.rests() {
                        keeper.save_now();
                    }
                }
            });
            saving.map_err(|error| CountError::NoThread(error.to_string()))?;
        }
        let result = run_units(work, &schedule, control, keeper);
        drop(over);
        result
    });
    // A second checkpoint of the same state would replace the previous generation. That applies if any rank
    // has saved it.
    if !keeper.rests() || !keeper.saved_by_ranks().contains(&true) {
        keeper.save_now();
    }
    match finished {
        Ok(()) | Err(CountError::Stopped(_)) => {}
        Err(error) => return Err(error),
    }
    // The layers that a checkpoint names stay until all ranks have saved that they are finished.
    let is_done = |state: &State| schedule.iter().all(|&unit| state.done[unit as usize]);
    let finished = is_done(&keeper.snapshot());
    if let Some(folder) = folder.filter(|_| finished) {
        let saved = if keeper.rests() { keeper.saved_by_ranks() } else { vec![true] };
        if !saved.is_empty() && !saved.contains(&false) {
            folder.clear();
        }
    }
    let (state, unsaved) = keeper.end();
    Ok(Progressed { state, finished, unsaved })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile, Folder, Saver, Shard};
    use crate::board::Arena;
    use crate::count::{Engine, Request};

    fn saving<'a>(folder: Option<&'a Folder>, saver: Option<Saver<'a>>) -> Saving<'a> {
        let failed = &|why: &str| panic!("{why}");
        Saving { interval: Duration::from_millis(1), spares: false, folder, saver, peers: None, failed }
    }

    fn work(engine: Engine) -> (Work, Job) {
        let work = Work::new(&Request { engine, ..Request::new("5x6".parse::<Arena>().unwrap()) }).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        (work, job)
    }

    #[test]
    fn a_finished_run_is_saved_and_leaves_no_layers() {
        for engine in [Engine::Multipath, Engine::Frontier] {
            let (work, job) = work(engine);
            let dir = tempfile::tempdir().unwrap();
            let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
            let folder = file.folder();
            let saver = Saver::new(&file, job.clone(), serde_json::Value::Null, None);
            let ended =
                run(&work, &job, State::new(&work), &Control::new(), saving(Some(&folder), Some(saver)))
                    .unwrap();
            assert!(ended.finished && ended.unsaved.is_none());
            let closed = work.question().answer(&ended.state.sums).unwrap().counts.closed.unwrap();
            assert_eq!(closed, 8u32.into());
            let saved = Checkpoint::load(file.path()).unwrap().checkpoint;
            assert!(saved.is_finished());
            assert_eq!(saved.state.sums, ended.state.sums);
            drop(folder);
            assert!(!dir.path().join("run.sweep").exists());
        }
    }

    #[test]
    fn a_cancelled_run_has_not_finished() {
        let (work, job) = work(Engine::Multipath);
        let control = Control::new();
        control.cancel();
        let ended = run(&work, &job, State::new(&work), &control, saving(None, None)).unwrap();
        assert!(!ended.finished);
        assert_eq!(ended.state.units_done(), 0);
    }

    #[test]
    fn a_state_of_other_units_is_refused() {
        let (work, job) = work(Engine::Multipath);
        let mut state = State::new(&work);
        state.done.push(true);
        let ended = run(&work, &job, state, &Control::new(), saving(None, None));
        let units = work.units();
        assert_eq!(ended.unwrap_err(), CountError::OtherState { found: units + 1, units });
    }
}
