//! The checkpointer of a run, the writer of its checkpoints, and the schedule of saving.
//!
//! A [`Checkpointer`] holds the state of a run, receives the results of units of work from all
//! threads, observes the sweeps, and saves the state.
//!
//! A [`CheckpointWriter`] writes the checkpoints of a run. If MPI ranks share the sweeps, a
//! checkpoint is saved on all ranks or on none.
//!
//! A [`CheckpointSchedule`] decides when a sweep is saved, such that saving takes only a small part
//! of the running time.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::job::Job;
use super::run_state::{RunState, SuspendedUnit};
use super::spill_dir::SpillDir;
use crate::count::{
    RunObserver, SavingObserver, SnapshotSaver, SweepProgress, SweepSession, UnitProgress, UnitSums,
};
use crate::frontier::{Communicator, Snapshot, Storage, Store, allgather_results, check_all_ok};
use crate::lock::lock;

/// Options for saving the state of a run.
pub struct SaveOptions<'a> {
    /// Time between two checkpoints.
    pub interval: Duration,
    /// True if sweeps may be saved less often than every `interval`, so that saving takes only a
    /// small part of the time.
    pub limits_overhead: bool,
    /// The folder for layers of sweeps: the layers that do not fit into memory, and the layers of
    /// suspended sweeps if these are to be saved.
    pub spill_dir: Option<&'a SpillDir>,
    /// The writer of checkpoints, if checkpoints are to be saved.
    pub writer: Option<CheckpointWriter<'a>>,
    /// The other MPI ranks, if they share the sweeps.
    pub peers: Option<&'a dyn Communicator>,
    /// Function that is called with the reason if a checkpoint cannot be saved.
    pub on_failure: &'a (dyn Fn(&str) + Sync),
}

/// The state of a run, together with the writer and the schedule that save it.
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
    /// True if the newest checkpoint contains the present state. The elapsed time may differ.
    is_up_to_date: AtomicBool,
}

impl<'a> Checkpointer<'a> {
    /// Creates a checkpointer for a run that continues from `state`.
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

    /// Returns true if the states of unfinished sweeps are saved.
    #[must_use]
    pub const fn saves_sweeps(&self) -> bool {
        self.saves_sweeps
    }

    /// Returns true if checkpoints are saved to a file.
    #[must_use]
    pub fn has_writer(&self) -> bool {
        lock(&self.writer).is_some()
    }

    /// Returns a copy of the present state, with the seconds of all sessions.
    #[must_use]
    pub fn current_state(&self) -> RunState {
        let mut state = self.lock_state().clone();
        state.seconds = self.earlier_seconds + self.start_time.elapsed().as_secs_f64();
        state
    }

    /// Returns the state at the end of the run, and the reason if it could not be saved.
    #[must_use]
    pub fn finish(self) -> (RunState, Option<String>) {
        let state = self.current_state();
        let unsaved = lock(&self.writer).take().and_then(CheckpointWriter::into_failure);
        (state, unsaved)
    }

    /// Saves the present state, and returns true if this succeeded. Then pins the stored layers
    /// that the state names in the spill folder, and unpins the layers that only older checkpoints
    /// name.
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

    /// Returns, for each rank, true if its newest checkpoint contains the present state. Empty if
    /// the connection to the other ranks is lost.
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

    fn open_sweep_session<'s>(&'s self, unit: usize, progress: SweepProgress<'s>) -> SweepSession<'s> {
        let state = self.lock_state();
        let from = state
            .suspended
            .as_ref()
            .filter(|suspended| suspended.unit == unit)
            .map(|suspended| suspended.snapshot.clone());
        let storage = Storage {
            store: self.spill_dir.map(|folder| folder as &dyn Store),
            wants_snapshots: self.saves_sweeps,
            resume_from: from,
            peers: self.peers,
        };
        let available = self.spill_dir.and_then(|folder| folder.free_bytes().ok());
        SweepSession {
            storage,
            free_disk_bytes: available,
            observer: Box::new(SavingObserver {
                progress: progress.with_shared(self.peers.is_some()),
                saver: SweepCheckpointer { checkpointer: self, unit },
            }),
        }
    }
}

/// Saves the states of the sweep of one unit.
struct SweepCheckpointer<'a, 'k> {
    checkpointer: &'a Checkpointer<'k>,
    unit: usize,
}

impl SnapshotSaver for SweepCheckpointer<'_, '_> {
    fn is_due(&self) -> bool {
        self.checkpointer.saves_sweeps && lock(&self.checkpointer.schedule).is_due()
    }

    fn begin_save(&self) {
        lock(&self.checkpointer.schedule).begin_save();
    }

    fn save_snapshot(&self, snapshot: &Snapshot) {
        if self.checkpointer.saves_sweeps {
            self.checkpointer.save_sweep(self.unit, snapshot);
        }
    }

    fn report_failure(&self, why: &str) {
        (self.checkpointer.on_failure)(why);
        lock(&self.checkpointer.schedule).end_save();
    }
}

/// Writes the states of a run to its checkpoint file.
pub struct CheckpointWriter<'a> {
    file: &'a CheckpointFile,
    job: Job,
    output: serde_json::Value,
    peers: Option<&'a dyn Communicator>,
    failure: Option<String>,
}

impl<'a> CheckpointWriter<'a> {
    /// Creates a writer that saves checkpoints of `job` to `file`. `output` holds the caller's output
    /// options, `peers` the other ranks.
    #[must_use]
    pub fn new(
        file: &'a CheckpointFile,
        job: Job,
        output: serde_json::Value,
        peers: Option<&'a dyn Communicator>,
    ) -> Self {
        Self { file, job, output, peers, failure: None }
    }

    /// Saves a state. `stored` is the result of writing the layers that the state names to the
    /// disk: if it is an error, saves nothing and returns this error.
    ///
    /// # Errors
    /// The reason why the state was not saved. The older checkpoints of all ranks are unchanged
    /// then.
    pub fn save(&mut self, state: RunState, stored: io::Result<()>) -> io::Result<()> {
        let checkpoint = Checkpoint { job: self.job.clone(), state, output: self.output.clone() };
        let written = stored.and_then(|()| self.file.write_new(&checkpoint));
        // All ranks proceed to the new generation, or none does.
        let agreed = match self.peers {
            Some(peers) => check_all_ok(peers, written.map_err(|error| error.to_string())),
            None => written,
        };
        let saved = match agreed {
            Ok(()) => self.file.commit_new::<Checkpoint>(),
            Err(error) => {
                self.file.discard_new();
                Err(error)
            }
        };
        self.failure = saved.as_ref().err().map(ToString::to_string);
        saved
    }

    /// Returns the reason why the last state could not be saved, or `None` if it was saved.
    #[must_use]
    pub fn into_failure(self) -> Option<String> {
        self.failure
    }
}

/// Minimum ratio of the working time between two saves to the time of one save.
const MIN_WORK_TO_SAVING_RATIO: u32 = 50;

/// The schedule by which a sweep is saved: when it was last saved, and when it must be saved next.
#[derive(Debug)]
pub struct CheckpointSchedule {
    interval: Duration,
    work_to_saving_ratio: u32,
    /// Time when the sweep was last saved.
    last_saved: Instant,
    /// Time when the next save became due. After [`CheckpointSchedule::begin_save`], time when the
    /// save began.
    due_since: Option<Instant>,
    /// Minimum working time between the last save and the next one.
    min_work: Duration,
}

impl CheckpointSchedule {
    /// Creates a schedule that saves every `interval`. If `limits_overhead`, saves less often where
    /// a save takes long: the sweep then works at least fifty times as long as the last save took.
    #[must_use]
    pub fn new(interval: Duration, limits_overhead: bool) -> Self {
        let work_to_saving = if limits_overhead { MIN_WORK_TO_SAVING_RATIO } else { 0 };
        Self {
            interval,
            work_to_saving_ratio: work_to_saving,
            last_saved: Instant::now(),
            due_since: None,
            min_work: interval,
        }
    }

    /// Returns true if the sweep is due to be saved.
    pub fn is_due(&mut self) -> bool {
        if self.due_since.is_none() && self.last_saved.elapsed() >= self.min_work {
            self.due_since = Some(Instant::now());
        }
        self.due_since.is_some()
    }

    /// Restarts the measurement of the save's duration. The time since the save became due was
    /// still work, because the sweep had to finish its step.
    pub fn begin_save(&mut self) {
        self.due_since = self.due_since.map(|_| Instant::now());
    }

    /// Ends the measurement of the save's duration, and computes how long the sweep works before
    /// the next save.
    pub fn end_save(&mut self) {
        let took = self.due_since.take().map_or(Duration::ZERO, |due| due.elapsed());
        self.last_saved = Instant::now();
        self.min_work = self.interval.max(took * self.work_to_saving_ratio);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Checkpoint, CheckpointFile, Job, Shard};
    use super::*;
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
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        (work_plan, job)
    }

    #[test]
    fn finished_unit_adds_sums_and_removes_part() {
        let (work_plan, _) = work();
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
        let checkpointer =
            Checkpointer::new(RunState { seconds: 100.0, ..RunState::new(&work_plan) }, saving);
        let part = UnitProgress { path: vec![3], tours: vec![1], nodes: 2 };
        checkpointer.save_progress(5, part.clone());
        assert_eq!(checkpointer.load_progress(5), Some(part));
        checkpointer.on_unit_done(5, &UnitSums { closed: 3u32.into(), ..UnitSums::default() });
        assert_eq!(checkpointer.load_progress(5), None);
        let (state, unsaved) = checkpointer.finish();
        assert!(state.done[5] && state.units_done() == 1 && state.parts.is_empty() && unsaved.is_none());
        assert_eq!(state.sums.closed, 3u32.into());
        assert!(state.seconds > 100.0, "earlier seconds count");
    }

    #[test]
    fn failed_save_restores_previous_snapshot() {
        let (work_plan, job) = work();
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
        let checkpointer = Checkpointer::new(RunState::new(&work_plan), saving);
        let step = || checkpointer.current_state().snapshot().map(|snapshot| snapshot.step);
        checkpointer.save_sweep(4, &snapshot(1));
        assert_eq!((step(), checkpointer.ranks_up_to_date()), (Some(1), vec![true]));
        // Nothing can be written to this path now.
        let blocking_path = dir.path().join("run.new");
        std::fs::create_dir(&blocking_path).unwrap();
        checkpointer.save_sweep(4, &snapshot(2));
        assert_eq!((step(), checkpointer.ranks_up_to_date()), (Some(1), vec![false]));
        assert_eq!(lock(&complaints).len(), 1);
        std::fs::remove_dir(&blocking_path).unwrap();
        checkpointer.save_sweep(4, &snapshot(3));
        let bytes = std::fs::read(file.path()).unwrap();
        let saved = Checkpoint::parse(&bytes, file.path()).unwrap();
        assert_eq!(saved.state.snapshot().map(|snapshot| snapshot.step), Some(3));
        assert!(checkpointer.finish().1.is_none());
    }
}

#[cfg(test)]
mod saver_tests {
    use super::super::Shard;
    use super::*;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};

    #[test]
    fn save_fails_if_layers_are_not_stored() {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let mut saver = CheckpointWriter::new(&file, job, serde_json::json!({"a": 1}), None);
        let mut state = RunState::new(&work_plan);
        saver.save(state.clone(), Ok(())).unwrap();
        state.done[0] = true;
        assert!(saver.save(state, Err(io::Error::other("no room"))).is_err());
        let saved = Checkpoint::load(file.path()).unwrap().checkpoint;
        assert_eq!((saved.units_done(), saved.output), (0, serde_json::json!({"a": 1})));
        assert_eq!(saver.into_failure().as_deref(), Some("no room"));
        assert!(!dir.path().join("run.new").exists());
    }
}

#[cfg(test)]
mod pace_tests {
    use super::*;

    #[test]
    fn long_saves_delay_next_save() {
        for (spares, wait) in [(true, Duration::from_millis(100)), (false, Duration::from_millis(1))] {
            let mut pace = CheckpointSchedule::new(Duration::from_millis(1), spares);
            std::thread::sleep(Duration::from_millis(2));
            assert!(pace.is_due());
            pace.begin_save();
            std::thread::sleep(Duration::from_millis(2));
            pace.end_save();
            assert!(pace.min_work >= wait && pace.due_since.is_none());
        }
    }

    #[test]
    fn save_that_was_not_due_delays_nothing() {
        let mut pace = CheckpointSchedule::new(Duration::from_secs(60), true);
        assert!(!pace.is_due());
        pace.begin_save();
        pace.end_save();
        assert_eq!(pace.min_work, Duration::from_secs(60));
    }
}
