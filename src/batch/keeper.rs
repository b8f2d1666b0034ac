//! The checkpointer holds the state of a run, receives the results of units from all threads, observes the
//! sweeps, and saves the state.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::pace::Pace;
use super::saver::Saver;
use super::state::{AtRest, State};
use crate::count::{Ledger, Part, Sitting, UnitSums, Watch};
use crate::frontier::{Observer, Peers, Pulse, Snapshot, StepReport, Storage, Store, consult};
use crate::lock::lock;

/// Options for saving the state.
pub struct Saving<'a> {
    /// Time between two checkpoints.
    pub interval: Duration,
    /// True if sweeps may be saved less often, so that saving takes only a small part of the time.
    pub spares: bool,
    /// The folder for layers that do not fit into memory, and for layers of suspended sweeps if they are to
    /// be saved.
    pub folder: Option<&'a Folder>,
    /// The writer of checkpoints, if checkpoints are to be saved.
    pub saver: Option<Saver<'a>>,
    /// The other ranks, if they share the sweeps.
    pub peers: Option<&'a dyn Peers>,
    /// Called with the reason if a checkpoint cannot be saved.
    pub failed: &'a (dyn Fn(&str) + Sync),
}

/// The state of a run, and the means to save it.
pub struct Keeper<'a> {
    state: Mutex<State>,
    before: f64,
    began: Instant,
    folder: Option<&'a Folder>,
    rests: bool,
    peers: Option<&'a dyn Peers>,
    saver: Mutex<Option<Saver<'a>>>,
    failed: &'a (dyn Fn(&str) + Sync),
    pace: Mutex<Pace>,
    /// True if the newest checkpoint contains the present state, apart from the time.
    is_saved: AtomicBool,
}

impl<'a> Keeper<'a> {
    /// Creates a checkpointer that continues from `state`.
    #[must_use]
    pub fn new(state: State, saving: Saving<'a>) -> Self {
        let Saving { interval, spares, folder, saver, peers, failed } = saving;
        Self {
            before: state.seconds,
            began: Instant::now(),
            state: Mutex::new(state),
            folder,
            rests: saver.is_some() && folder.is_some() && interval < Duration::MAX,
            peers,
            saver: Mutex::new(saver),
            failed,
            pace: Mutex::new(Pace::new(interval, spares)),
            is_saved: AtomicBool::new(false),
        }
    }

    /// Returns true if unfinished sweeps are saved.
    #[must_use]
    pub const fn rests(&self) -> bool {
        self.rests
    }

    /// Returns true if checkpoints are saved.
    #[must_use]
    pub fn saves(&self) -> bool {
        lock(&self.saver).is_some()
    }

    /// Returns a copy of the present state.
    #[must_use]
    pub fn snapshot(&self) -> State {
        let mut state = self.state().clone();
        state.seconds = self.before + self.began.elapsed().as_secs_f64();
        state
    }

    /// Returns the last state, and the reason if it could not be saved.
    #[must_use]
    pub fn end(self) -> (State, Option<String>) {
        let state = self.snapshot();
        let unsaved = lock(&self.saver).take().and_then(Saver::into_unsaved);
        (state, unsaved)
    }

    /// Saves the present state, and returns true if this succeeded. The folder then keeps the items that the
    /// state names, and may remove items that older checkpoints named.
    pub fn save_now(&self) -> bool {
        // The lock is held until the end, so that an older state never overwrites a newer one.
        let mut saver = lock(&self.saver);
        let state = self.snapshot();
        self.is_saved.store(true, Ordering::Relaxed);
        let Some(saver) = saver.as_mut() else { return true };
        let folder = self.folder.filter(|_| self.rests);
        let named: Vec<u64> = state.snapshot().map_or_else(Vec::new, |snapshot| snapshot.numbers().collect());
        match saver.save(state, folder.map_or(Ok(()), Folder::sync)) {
            Ok(()) => {
                if let Some(folder) = folder {
                    folder.pin(named);
                }
                true
            }
            Err(error) => {
                self.is_saved.store(false, Ordering::Relaxed);
                (self.failed)(&error.to_string());
                false
            }
        }
    }

    /// Returns for each rank whether its newest checkpoint contains the present state. Empty if the
    /// connection is lost.
    #[must_use]
    pub fn saved_by_ranks(&self) -> Vec<bool> {
        let is_saved = self.is_saved.load(Ordering::Relaxed);
        match self.peers {
            None => vec![is_saved],
            Some(peers) => consult(peers, &Ok(is_saved))
                .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|one| one == Ok(true)).collect()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn keep(&self, unit: usize, snapshot: &Snapshot) {
        let new = Some(AtRest { unit, snapshot: snapshot.clone() });
        let before = std::mem::replace(&mut self.state().at_rest, new);
        if !self.save_now() {
            // The items of the new snapshot are not pinned and will be removed.
            self.state().at_rest = before;
        }
        lock(&self.pace).rested();
    }
}

impl Ledger for Keeper<'_> {
    fn begin(&self, unit: usize) -> Option<Part> {
        self.state().parts.get(&unit).cloned()
    }

    fn part(&self, unit: usize, part: Part) {
        self.state().parts.insert(unit, part);
    }

    fn done(&self, unit: usize, sums: &UnitSums) {
        let mut state = self.state();
        state.parts.remove(&unit);
        state.at_rest = None;
        state.done[unit] = true;
        state.sums.add_unit(sums);
        drop(state);
        if self.rests {
            self.save_now();
        }
    }

    fn sitting<'s>(&'s self, unit: usize, watch: Watch<'s>) -> Sitting<'s> {
        let state = self.state();
        let from = state.at_rest.as_ref().filter(|rest| rest.unit == unit).map(|rest| rest.snapshot.clone());
        let storage = Storage {
            store: self.folder.map(|folder| folder as &dyn Store),
            snapshots: self.rests,
            from,
            peers: self.peers,
        };
        let room = self.folder.and_then(|folder| folder.free().ok());
        Sitting {
            storage,
            room,
            observer: Box::new(Kept { watch: watch.shared(self.peers.is_some()), keeper: self, unit }),
        }
    }
}

/// The observer of a sweep that is saved.
struct Kept<'a, 'k> {
    watch: Watch<'a>,
    keeper: &'a Keeper<'k>,
    unit: usize,
}

impl Observer for Kept<'_, '_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.watch.step(report)
    }

    fn pulse(&mut self) -> Pulse {
        match self.watch.pulse() {
            Pulse::Go if self.keeper.rests && lock(&self.keeper.pace).is_due() => Pulse::Save,
            pulse => pulse,
        }
    }

    fn part(&mut self, steps: usize, part: f64) {
        self.watch.part(steps, part);
    }

    fn saving(&mut self) {
        lock(&self.keeper.pace).resting();
    }

    fn save(&mut self, snapshot: &Snapshot) {
        if self.keeper.rests {
            self.keeper.keep(self.unit, snapshot);
        }
    }

    fn not_saved(&mut self, why: &str) {
        (self.keeper.failed)(why);
        lock(&self.keeper.pace).rested();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile, Job, Shard};
    use crate::board::Arena;
    use crate::count::{Request, Work};
    use crate::frontier::{Tally, Totals};

    fn snapshot(step: usize) -> Snapshot {
        serde_json::from_value(serde_json::json!({
            "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, 1], "spread": 0, "step": step,
            "layer": [[0, { "number": 7, "stored": 9, "bytes": 9, "digest": 1 }]], "done": [], "next": [],
            "tally": Tally::default(), "totals": Totals::default(),
        }))
        .unwrap()
    }

    fn work() -> (Work, Job) {
        let work = Work::new(&Request::new("5x5".parse::<Arena>().unwrap())).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        (work, job)
    }

    #[test]
    fn a_unit_leaves_its_sums_and_no_part() {
        let (work, _) = work();
        let failed = &|why: &str| panic!("{why}");
        let interval = Duration::MAX;
        let saving = Saving { interval, spares: true, folder: None, saver: None, peers: None, failed };
        let keeper = Keeper::new(State { seconds: 100.0, ..State::new(&work) }, saving);
        let part = Part { path: vec![3], tours: vec![1], nodes: 2 };
        keeper.part(5, part.clone());
        assert_eq!(keeper.begin(5), Some(part));
        keeper.done(5, &UnitSums { closed: 3u32.into(), ..UnitSums::default() });
        assert_eq!(keeper.begin(5), None);
        let (state, unsaved) = keeper.end();
        assert!(state.done[5] && state.units_done() == 1 && state.parts.is_empty() && unsaved.is_none());
        assert_eq!(state.sums.closed, 3u32.into());
        assert!(state.seconds > 100.0, "earlier seconds count");
    }

    #[test]
    fn a_sweep_that_could_not_be_saved_is_left_where_it_was() {
        let (work, job) = work();
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let folder = file.folder();
        let complaints = Mutex::new(Vec::new());
        let failed = &|why: &str| lock(&complaints).push(why.to_owned());
        let saver = Some(Saver::new(&file, job, serde_json::Value::Null, None));
        let interval = Duration::from_millis(1);
        let saving = Saving { interval, spares: false, folder: Some(&folder), saver, peers: None, failed };
        let keeper = Keeper::new(State::new(&work), saving);
        let step = || keeper.snapshot().snapshot().map(|snapshot| snapshot.step);
        keeper.keep(4, &snapshot(1));
        assert_eq!((step(), keeper.saved_by_ranks()), (Some(1), vec![true]));
        // Nothing can be written to this path now.
        let in_the_way = dir.path().join("run.new");
        std::fs::create_dir(&in_the_way).unwrap();
        keeper.keep(4, &snapshot(2));
        assert_eq!((step(), keeper.saved_by_ranks()), (Some(1), vec![false]));
        assert_eq!(lock(&complaints).len(), 1);
        std::fs::remove_dir(&in_the_way).unwrap();
        keeper.keep(4, &snapshot(3));
        let bytes = std::fs::read(file.path()).unwrap();
        let saved = Checkpoint::parse(&bytes, file.path()).unwrap();
        assert_eq!(saved.state.snapshot().map(|snapshot| snapshot.step), Some(3));
        assert!(keeper.end().1.is_none());
    }
}
