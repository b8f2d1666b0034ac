//! The checkpointer of a run, and the schedule of saving.
//!
//! A [`Checkpointer`] holds the state of a run, and saves it in the checkpoint file of the run. The run adds to
//! the state whatever it finishes: a count its units of work ([`RunObserver`]), a series its rows and the
//! numbers of its sweeps ([`SweepSaver`](crate::series::SweepSaver)). A running sweep passes its own state
//! now and then ([`SnapshotSaver`]). If MPI ranks share the sweeps, a checkpoint is saved on all ranks or on
//! none.
//!
//! A [`CheckpointSchedule`] decides when a sweep is saved, such that saving takes only a small part
//! of the running time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use num_traits::ToPrimitive;

use super::checkpoint::{Checkpoint, CheckpointFile, JobState, SavedCommand};
use super::job::RunState;
use super::spill_dir::SpillDir;
use crate::control::EarlierWork;
use crate::count::{
    RunObserver, SavingObserver, SnapshotSaver, SweepProgress, SweepSession, UnitProgress, UnitSums,
};
use crate::frontier::{Communicator, Snapshot, Storage, Store, allgather_results, check_all_ok};
use crate::lock::lock;
use crate::text_format::describe_io_error;

/// Options for saving the state of a run.
#[derive(Clone)]
pub struct SaveOptions<'a> {
    /// The checkpoint file, if checkpoints are to be saved.
    pub file: Option<&'a CheckpointFile>,
    /// The command line that the checkpoints store.
    pub command: SavedCommand,
    /// The folder for layers of sweeps: the layers that do not fit into memory, and the layers of
    /// suspended sweeps if these are to be saved.
    pub spill_dir: Option<&'a SpillDir>,
    /// Time between two checkpoints.
    pub interval: Duration,
    /// True if sweeps may be saved less often than every `interval`, so that saving takes only a
    /// small part of the time.
    pub limits_overhead: bool,
    /// The other MPI ranks, if they share the sweeps.
    pub peers: Option<&'a dyn Communicator>,
    /// Function that is called with the reason if a checkpoint cannot be saved.
    pub on_failure: &'a (dyn Fn(&str) + Sync),
}

/// Time between two checkpoints, unless the user sets another.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

impl<'a> SaveOptions<'a> {
    /// Creates the options of a run that saves nothing. With a `file`, the run saves every minute, and sweeps
    /// less often.
    #[must_use]
    pub fn new(on_failure: &'a (dyn Fn(&str) + Sync)) -> Self {
        Self {
            file: None,
            command: SavedCommand::default(),
            spill_dir: None,
            interval: DEFAULT_INTERVAL,
            limits_overhead: true,
            peers: None,
            on_failure,
        }
    }
}

/// The error of a state that cannot be saved on this rank or another one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", describe_io_error(.0))]
pub struct SaveError(Arc<io::Error>);

/// The state of a job, which is saved in a checkpoint file now and then.
pub struct Checkpointer<'a, S: JobState> {
    options: SaveOptions<'a>,
    job: S::Job,
    state: Mutex<S>,
    earlier_seconds: f64,
    start_time: Instant,
    schedule: Mutex<CheckpointSchedule>,
    /// The number of the running sweep.
    sweep: AtomicUsize,
    /// True if the newest checkpoint contains the present state. The elapsed time may differ.
    is_up_to_date: AtomicBool,
    /// The reason why the last state could not be saved; `None` if it was saved. Locked while a state is
    /// saved.
    failure: Mutex<Option<SaveError>>,
}

impl<'a, S: JobState> Checkpointer<'a, S> {
    /// Creates a checkpointer for a run of `job` that continues from `state`.
    #[must_use]
    pub fn new(job: S::Job, state: S, options: SaveOptions<'a>) -> Self {
        let schedule = CheckpointSchedule::new(options.interval, options.limits_overhead);
        Self {
            options,
            job,
            earlier_seconds: state.seconds(),
            state: Mutex::new(state),
            start_time: Instant::now(),
            schedule: Mutex::new(schedule),
            sweep: AtomicUsize::new(0),
            is_up_to_date: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// Returns true if checkpoints are saved to a file.
    #[must_use]
    pub const fn has_file(&self) -> bool {
        self.options.file.is_some()
    }

    /// Returns true if the states of unfinished sweeps are saved.
    #[must_use]
    pub const fn saves_sweeps(&self) -> bool {
        self.options.file.is_some() && self.options.spill_dir.is_some()
    }

    /// Returns the folder for layers of sweeps.
    #[must_use]
    pub const fn spill_dir(&self) -> Option<&'a SpillDir> {
        self.options.spill_dir
    }

    /// Returns the time between two checkpoints.
    #[must_use]
    pub(super) const fn interval(&self) -> Duration {
        self.options.interval
    }

    /// Returns a copy of the present state, with the seconds of all sessions.
    #[must_use]
    pub fn current_state(&self) -> S {
        let state = self.lock_state().clone();
        state.with_seconds(self.earlier_seconds + self.start_time.elapsed().as_secs_f64())
    }

    /// Returns the state at the end of the run, and the reason if it could not be saved.
    #[must_use]
    pub fn finish(self) -> (S, Option<SaveError>) {
        let state = self.current_state();
        (state, lock(&self.failure).take())
    }

    /// Saves the present state. Then pins the stored layers that the state names in the spill folder, and
    /// unpins the layers that only older checkpoints name.
    ///
    /// # Errors
    /// The state was not saved. The older checkpoints of all ranks are unchanged then.
    pub fn save(&self) -> Result<(), SaveError> {
        // The lock is held until the end, so that an older state never overwrites a newer one.
        let mut failure = lock(&self.failure);
        let state = self.current_state();
        self.is_up_to_date.store(true, Ordering::Relaxed);
        let Some(file) = self.options.file else { return Ok(()) };
        let checkpoint = Checkpoint { command: self.options.command.clone(), job: self.job.clone(), state };
        let saved = self.write(file, &checkpoint).map_err(|error| SaveError(Arc::new(error)));
        self.is_up_to_date.store(saved.is_ok(), Ordering::Relaxed);
        *failure = saved.as_ref().err().cloned();
        if let (Ok(()), Some(folder)) = (&saved, self.options.spill_dir) {
            folder.pin(checkpoint.state.snapshot().into_iter().flat_map(Snapshot::store_numbers));
        }
        saved
    }

    /// Writes a checkpoint, such that all ranks proceed to the new generation, or none does.
    fn write(&self, file: &CheckpointFile, checkpoint: &Checkpoint<S>) -> io::Result<()> {
        // The layers must be on the disk before the checkpoint names them.
        let stored = self.options.spill_dir.map_or(Ok(()), SpillDir::sync);
        let written = stored.and_then(|()| file.write_new(checkpoint));
        let agreed = match self.options.peers {
            Some(peers) => check_all_ok(peers, written.map_err(|error| describe_io_error(&error))),
            None => written,
        };
        agreed.inspect_err(|_| file.discard_new())?;
        file.commit_new()
    }

    /// Saves the state of a run that has no checkpoint yet, so that it can be resumed however early it ends. Reports a
    /// failure.
    pub fn save_first(&self) {
        if self.options.file.is_some_and(|file| !CheckpointFile::exists(file.path())) {
            self.save_or_report();
        }
    }

    /// Saves the present state, and returns true if this succeeded. Reports a failure.
    pub fn save_or_report(&self) -> bool {
        self.save().inspect_err(|error| (self.options.on_failure)(&error.to_string())).is_ok()
    }

    /// Returns, for each rank, true if its newest checkpoint contains the present state. Empty if
    /// the connection to the other ranks is lost.
    #[must_use]
    pub fn ranks_up_to_date(&self) -> Vec<bool> {
        let is_saved = self.is_up_to_date.load(Ordering::Relaxed);
        match self.options.peers {
            None => vec![is_saved],
            Some(peers) => allgather_results(peers, &Ok(is_saved))
                .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|one| one == Ok(true)).collect()),
        }
    }

    /// Returns a session for a sweep that is saved now and then, and resumes from the snapshot if there is one.
    pub(super) fn sweep_session<'s>(
        &'s self,
        resume_from: Option<Snapshot>,
        progress: SweepProgress<'s>,
    ) -> SweepSession<'s> {
        let SaveOptions { spill_dir, peers, .. } = self.options;
        SweepSession {
            storage: Storage {
                store: spill_dir.map(|folder| folder as &dyn Store),
                wants_snapshots: self.saves_sweeps(),
                resume_from,
                peers,
            },
            free_disk_bytes: spill_dir.and_then(|folder| folder.free_bytes().ok()),
            observer: Box::new(SavingObserver {
                progress: progress.with_shared(peers.is_some()),
                saver: self,
            }),
        }
    }

    pub(super) fn lock_state(&self) -> MutexGuard<'_, S> {
        lock(&self.state)
    }
}

impl<S: JobState> SnapshotSaver for Checkpointer<'_, S> {
    fn is_due(&self) -> bool {
        self.saves_sweeps() && lock(&self.schedule).is_due()
    }

    fn begin_save(&self) {
        lock(&self.schedule).begin_save();
    }

    fn save_snapshot(&self, snapshot: &Snapshot) {
        if !self.saves_sweeps() {
            return;
        }
        let sweep = self.sweep.load(Ordering::Relaxed);
        let before = self.lock_state().replace_snapshot(sweep, Some(snapshot.clone()));
        if !self.save_or_report() {
            // The items of the new snapshot are not pinned and will be removed.
            self.lock_state().replace_snapshot(sweep, before);
        }
        lock(&self.schedule).end_save();
    }

    fn report_failure(&self, why: &str) {
        (self.options.on_failure)(why);
        lock(&self.schedule).end_save();
    }
}

impl RunObserver for Checkpointer<'_, RunState> {
    fn load_progress(&self, unit: usize) -> Option<UnitProgress> {
        self.lock_state().parts.get(&unit).cloned()
    }

    fn save_progress(&self, unit: usize, part: UnitProgress) {
        self.lock_state().parts.insert(unit, part);
    }

    fn earlier_work(&self) -> EarlierWork {
        let state = self.lock_state();
        let units = (0..).zip(&state.done).filter_map(|(unit, &done)| done.then_some(unit)).collect();
        let tours = state.sums.tours().to_u128().unwrap_or(u128::MAX);
        EarlierWork { units, nodes: state.sums.effort.nodes, tours }
    }

    fn on_unit_done(&self, unit: usize, sums: &UnitSums) {
        let mut state = self.lock_state();
        state.parts.remove(&unit);
        state.suspended = None;
        state.done[unit] = true;
        state.sums.add_unit(sums);
        drop(state);
        if self.saves_sweeps() {
            self.save_or_report();
        }
    }

    fn open_sweep_session<'s>(&'s self, unit: usize, progress: SweepProgress<'s>) -> SweepSession<'s> {
        let suspended = self.lock_state().suspended.clone();
        self.sweep.store(unit, Ordering::Relaxed);
        let resumed = suspended.filter(|suspended| suspended.unit == unit);
        self.sweep_session(resumed.map(|suspended| suspended.snapshot), progress)
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
    use super::super::checkpoint::samples::snapshot;
    use super::super::{Job, Shard};
    use super::*;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};

    fn job_and_state() -> (Job, RunState) {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        (Job::new(&work_plan, Shard::WHOLE), RunState::new(&work_plan))
    }

    #[test]
    fn finished_unit_adds_sums_and_removes_part() {
        let (job, state) = job_and_state();
        let saving = SaveOptions::new(&|why| panic!("{why}"));
        let checkpointer = Checkpointer::new(job, state.with_seconds(100.0), saving);
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
    fn first_state_is_saved_once() {
        let (job, state) = job_and_state();
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let saving = SaveOptions { file: Some(&file), ..SaveOptions::new(&|why| panic!("{why}")) };
        let checkpointer = Checkpointer::new(job, state, saving);
        let units_saved = || Checkpoint::<RunState>::load(file.path()).unwrap().checkpoint.state.units_done();
        checkpointer.save_first();
        assert_eq!(units_saved(), 0);
        checkpointer.on_unit_done(5, &UnitSums::default());
        // A run that resumes has a checkpoint, whose previous generation stays.
        checkpointer.save_first();
        assert_eq!(units_saved(), 0);
        assert!(checkpointer.save_or_report());
        assert_eq!(units_saved(), 1);
    }

    #[test]
    fn failed_save_restores_previous_snapshot() {
        let (job, state) = job_and_state();
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let folder = file.spill_dir::<RunState>();
        let complaints = Mutex::new(Vec::new());
        let failed = &|why: &str| lock(&complaints).push(why.to_owned());
        let command = SavedCommand { arguments: vec!["count".to_owned()], part: String::new() };
        let saving = SaveOptions {
            file: Some(&file),
            command: command.clone(),
            spill_dir: Some(&folder),
            ..SaveOptions::new(failed)
        };
        let checkpointer = Checkpointer::new(job, state, saving);
        let step = || checkpointer.current_state().snapshot().map(|snapshot| snapshot.step);
        checkpointer.save_snapshot(&snapshot(1));
        assert_eq!((step(), checkpointer.ranks_up_to_date()), (Some(1), vec![true]));
        // Nothing can be written to this path now.
        let blocking_path = dir.path().join("run.new");
        std::fs::create_dir(&blocking_path).unwrap();
        checkpointer.save_snapshot(&snapshot(2));
        assert_eq!((step(), checkpointer.ranks_up_to_date()), (Some(1), vec![false]));
        assert_eq!(lock(&complaints).len(), 1);
        assert!(lock(&checkpointer.failure).is_some());
        std::fs::remove_dir(&blocking_path).unwrap();
        checkpointer.save_snapshot(&snapshot(3));
        let bytes = std::fs::read(file.path()).unwrap();
        let saved = Checkpoint::<RunState>::parse(&bytes, file.path()).unwrap();
        assert_eq!(saved.state.snapshot().map(|snapshot| snapshot.step), Some(3));
        assert_eq!(saved.command, command);
        assert!(checkpointer.finish().1.is_none());
    }

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
