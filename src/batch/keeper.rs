//! The checkpointer holds the state of a run, receives the results of units from all threads, observes the
//! sweeps, and saves the state.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::folder::SpillDir;
use super::pace::CheckpointSchedule;
use super::saver::CheckpointWriter;
use super::state::{RunState, SuspendedUnit};
use crate::count::{RunObserver, SweepProgress, SweepSession, UnitProgress, UnitSums};
use crate::frontier::{
    Command, Communicator, Observer, Snapshot, StepReport, Storage, Store, allgather_results,
};
use crate::lock::lock;

/// Options for saving the state.
pub struct SaveOptions<'a> {
    /// Time between two checkpoints.
    pub interval: Duration,
    /// True if sweeps may be saved less often, so that saving takes only a small part of the time.
    pub limits_overhead: bool,
    /// The folder for layers that do not fit into memory, and for layers of suspended sweeps if they are to
    /// be saved.
    pub spill_dir: Option<&'a SpillDir>,
    /// The writer of checkpoints, if checkpoints are to be saved.
    pub writer: Option<CheckpointWriter<'a>>,
    /// The other ranks, if they share the sweeps.
    pub peers: Option<&'a dyn Communicator>,
    /// Called with the reason if a checkpoint cannot be saved.
    pub on_failure: &'a (dyn Fn(&str) + Sync),
}

/// The state of a run, and the means to save it.
pub struct Checkpointer<'a> {
    state: Mutex<RunState>,
    earlier_seconds: f64,
    start_time: Instant,
    spill_dir: Option<&'a SpillDir>,
    saves_sweeps: bool,
    peers: Option<&'a dyn Communicator>,
    writer: Mutex<Option<CheckpointWriter<'a>>>,
    on_failure: &'a (dyn Fn(&str) + Sync),
    schedule: Mutex<CheckpointSchedule>,
    /// True if the newest checkpoint contains the present state, apart from the time.
    is_up_to_date: AtomicBool,
}

impl<'a> Checkpointer<'a> {
    /// Creates a checkpointer that continues from `state`.
    #[must_use]
    pub fn new(state: RunState, saving: SaveOptions<'a>) -> Self {
        let SaveOptions {
            interval,
            limits_overhead: spares,
            spill_dir: folder,
            writer: saver,
            peers,
            on_failure: failed,
        } = saving;
        Self {
            earlier_seconds: state.seconds,
            start_time: Instant::now(),
            state: Mutex::new(state),
            spill_dir: folder,
            saves_sweeps: saver.is_some() && folder.is_some() && interval < Duration::MAX,
            peers,
            writer: Mutex::new(saver),
            on_failure: failed,
            schedule: Mutex::new(CheckpointSchedule::new(interval, spares)),
            is_up_to_date: AtomicBool::new(false),
        }
    }

    /// Returns true if unfinished sweeps are saved.
    #[must_use]
    pub const fn saves_sweeps(&self) -> bool {
        self.saves_sweeps
    }

    /// Returns true if checkpoints are saved.
    #[must_use]
    pub fn has_writer(&self) -> bool {
        lock(&self.writer).is_some()
    }

    /// Returns a copy of the present state.
    #[must_use]
    pub fn current_state(&self) -> RunState {
        let mut state = self.lock_state().clone();
        state.seconds = self.earlier_seconds + self.start_time.elapsed().as_secs_f64();
        state
    }

    /// Returns the last state, and the reason if it could not be saved.
    #[must_use]
    pub fn finish(self) -> (RunState, Option<String>) {
        let state = self.current_state();
        let unsaved = lock(&self.writer).take().and_then(CheckpointWriter::into_failure);
        (state, unsaved)
    }

    /// Saves the present state, and returns true if this succeeded. The folder then keeps the items that the
    /// state names, and may remove items that older checkpoints named.
    pub fn save_now(&self) -> bool {
        // The lock is held until the end, so that an older state never overwrites a newer one.
        let mut saver = lock(&self.writer);
        let state = self.current_state();
        self.is_up_to_date.store(true, Ordering::Relaxed);
        let Some(saver) = saver.as_mut() else { return true };
        let folder = self.spill_dir.filter(|_| self.saves_sweeps);
        let named: Vec<u64> =
            state.snapshot().map_or_else(Vec::new, |snapshot| snapshot.store_numbers().collect());
        match saver.save(state, folder.map_or(Ok(()), SpillDir::sync)) {
            Ok(()) => {
                if let Some(folder) = folder {
                    folder.pin(named);
                }
                true
            }
            Err(error) => {
                self.is_up_to_date.store(false, Ordering::Relaxed);
                (self.on_failure)(&error.to_string());
                false
            }
        }
    }

    /// Returns for each rank whether its newest checkpoint contains the present state. Empty if the
    /// connection is lost.
    #[must_use]
    pub fn ranks_up_to_date(&self) -> Vec<bool> {
        let is_saved = self.is_up_to_date.load(Ordering::Relaxed);
        match self.peers {
            None => vec![is_saved],
            Some(peers) => allgather_results(peers, &Ok(is_saved))
                .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|one| one == Ok(true)).collect()),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, RunState> {
        lock(&self.state)
    }

    fn save_sweep(&self, unit: usize, snapshot: &Snapshot) {
        let new = Some(SuspendedUnit { unit, snapshot: snapshot.clone() });
        let before = std::mem::replace(&mut self.lock_state().suspended, new);
        if !self.save_now() {
            // The items of the new snapshot are not pinned and will be removed.
            self.lock_state().suspended = before;
        }
        lock(&self.schedule).end_save();
    }
}

impl RunObserver for Checkpointer<'_> {
    fn load_progress(&self, unit: usize) -> Option<UnitProgress> {
        self.lock_state().parts.get(&unit).cloned()
    }

    fn save_progress(&self, unit: usize, part: UnitProgress) {
        self.lock_state().parts.insert(unit, part);
    }

    fn on_unit_done(&self, unit: usize, sums: &UnitSums) {
        let mut state = self.lock_state();
        state.parts.remove(&unit);
        state.suspended = None;
        state.done[unit] = true;
        state.sums.add_unit(sums);
        drop(state);
        if self.saves_sweeps {
            self.save_now();
        }
    }

    fn open_sweep_session<'s>(&'s self, unit: usize, watch: SweepProgress<'s>) -> SweepSession<'s> {
        let state = self.lock_state();
        let from =
            state.suspended.as_ref().filter(|rest| rest.unit == unit).map(|rest| rest.snapshot.clone());
        let storage = Storage {
            store: self.spill_dir.map(|folder| folder as &dyn Store),
            wants_snapshots: self.saves_sweeps,
            resume_from: from,
            peers: self.peers,
        };
        let room = self.spill_dir.and_then(|folder| folder.free_bytes().ok());
        SweepSession {
            storage,
            free_disk_bytes: room,
            observer: Box::new(SweepCheckpointer {
                watch: watch.with_shared(self.peers.is_some()),
                checkpointer: self,
                unit,
            }),
        }
    }
}

/// The observer of a sweep that is saved.
struct SweepCheckpointer<'a, 'k> {
    watch: SweepProgress<'a>,
    checkpointer: &'a Checkpointer<'k>,
    unit: usize,
}

impl Observer for SweepCheckpointer<'_, '_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.watch.on_step(report)
    }

    fn poll(&mut self) -> Command {
        match self.watch.poll() {
            Command::Continue
                if self.checkpointer.saves_sweeps && lock(&self.checkpointer.schedule).is_due() =>
            {
                Command::Save
            }
            pulse => pulse,
        }
    }

    fn on_step_fraction(&mut self, steps: usize, part: f64) {
        self.watch.on_step_fraction(steps, part);
    }

    fn on_saving(&mut self) {
        lock(&self.checkpointer.schedule).begin_save();
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        if self.checkpointer.saves_sweeps {
            self.checkpointer.save_sweep(self.unit, snapshot);
        }
    }

    fn on_save_error(&mut self, why: &str) {
        (self.checkpointer.on_failure)(why);
        lock(&self.checkpointer.schedule).end_save();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile, Job, Shard};
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};
    use crate::frontier::{StepTally, SweepTotals};

    fn snapshot(step: usize) -> Snapshot {
        serde_json::from_value(serde_json::json!({
            "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, 1], "spread": 0, "step": step,
            "layer": [[0, { "number": 7, "stored": 9, "bytes": 9, "digest": 1 }]], "done": [], "next": [],
            "tally": StepTally::default(), "totals": SweepTotals::default(),
        }))
        .unwrap()
    }

    fn work() -> (WorkPlan, Job) {
        let work = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        (work, job)
    }

    #[test]
    fn finished_unit_adds_sums_and_removes_part() {
        let (work, _) = work();
        let failed = &|why: &str| panic!("{why}");
        let interval = Duration::MAX;
        let saving = SaveOptions {
            interval,
            limits_overhead: true,
            spill_dir: None,
            writer: None,
            peers: None,
            on_failure: failed,
        };
        let keeper = Checkpointer::new(RunState { seconds: 100.0, ..RunState::new(&work) }, saving);
        let part = UnitProgress { path: vec![3], tours: vec![1], nodes: 2 };
        keeper.save_progress(5, part.clone());
        assert_eq!(keeper.load_progress(5), Some(part));
        keeper.on_unit_done(5, &UnitSums { closed: 3u32.into(), ..UnitSums::default() });
        assert_eq!(keeper.load_progress(5), None);
        let (state, unsaved) = keeper.finish();
        assert!(state.done[5] && state.units_done() == 1 && state.parts.is_empty() && unsaved.is_none());
        assert_eq!(state.sums.closed, 3u32.into());
        assert!(state.seconds > 100.0, "earlier seconds count");
    }

    #[test]
    fn failed_save_restores_previous_snapshot() {
        let (work, job) = work();
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let folder = file.spill_dir();
        let complaints = Mutex::new(Vec::new());
        let failed = &|why: &str| lock(&complaints).push(why.to_owned());
        let saver = Some(CheckpointWriter::new(&file, job, serde_json::Value::Null, None));
        let interval = Duration::from_millis(1);
        let saving = SaveOptions {
            interval,
            limits_overhead: false,
            spill_dir: Some(&folder),
            writer: saver,
            peers: None,
            on_failure: failed,
        };
        let keeper = Checkpointer::new(RunState::new(&work), saving);
        let step = || keeper.current_state().snapshot().map(|snapshot| snapshot.step);
        keeper.save_sweep(4, &snapshot(1));
        assert_eq!((step(), keeper.ranks_up_to_date()), (Some(1), vec![true]));
        // Nothing can be written to this path now.
        let in_the_way = dir.path().join("run.new");
        std::fs::create_dir(&in_the_way).unwrap();
        keeper.save_sweep(4, &snapshot(2));
        assert_eq!((step(), keeper.ranks_up_to_date()), (Some(1), vec![false]));
        assert_eq!(lock(&complaints).len(), 1);
        std::fs::remove_dir(&in_the_way).unwrap();
        keeper.save_sweep(4, &snapshot(3));
        let bytes = std::fs::read(file.path()).unwrap();
        let saved = Checkpoint::parse(&bytes, file.path()).unwrap();
        assert_eq!(saved.state.snapshot().map(|snapshot| snapshot.step), Some(3));
        assert!(keeper.finish().1.is_none());
    }
}
