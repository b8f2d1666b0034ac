//! A run of a job's shard with checkpoints.
//!
//! Units report to one state under a lock: the unit's mark and its sums change
//! together, so every snapshot is consistent. A unit that was cut short leaves what it
//! had last handed in, or no trace. A thread of its own takes a snapshot every interval and saves it; the
//! workers wait for the copying only, never for the disk.
//!
//! A sweep is one long unit. It rests every interval: its layer is brought to the
//! [`Folder`], and a checkpoint that names it is saved. Unless the interval was asked
//! for, what that cost is made up for before the next time, so that resting never takes
//! more than a small part of a run.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{AtRest, Folder, Job};
use crate::control::Control;
use crate::count::{CountError, Ledger, Part, Rest, Sums, UnitSums, Work, run_units};
use crate::frontier::{Peers, Snapshot, Store, consult};

/// Units done and their sums.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// By unit number.
    pub done: Vec<bool>,
    /// Sums of the units done.
    pub sums: Sums,
    /// The sweep that has begun.
    pub at_rest: Option<AtRest>,
    /// Units that have been begun.
    pub parts: BTreeMap<usize, Part>,
    /// Seconds worked.
    pub seconds: f64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Progressed {
    /// What is done.
    pub state: State,
    /// Whether it is all of the shard.
    pub finished: bool,
}

impl State {
    /// Nothing done yet.
    #[must_use]
    pub fn new(work: &Work) -> Self {
        let sums = work.question().no_sums();
        Self { done: vec![false; work.units()], sums, at_rest: None, parts: BTreeMap::new(), seconds: 0.0 }
    }
}

/// A sweep works at least so many times as long as it took to save it.
const WORK_TO_SAVING: u32 = 50;

/// Saves a snapshot of the state, if what it names is in the folder; or passes on why it is not.
pub type Save<'a> = dyn FnMut(&State, io::Result<()>) -> io::Result<()> + Send + 'a;

/// How the state is saved.
pub struct Saving<'a> {
    /// Between two savings.
    pub interval: Duration,
    /// Whether sweeps may rest more seldom, so that saving takes a small part of the time only.
    pub spares: bool,
    /// Where sweeps find room, and rest if they are to be saved.
    pub folder: Option<&'a Folder>,
    /// Whether sweeps are to be saved.
    pub rests: bool,
    /// The other ranks, if sweeps are shared with them.
    pub peers: Option<&'a dyn Peers>,
    /// Saves a snapshot of the state.
    pub save: &'a mut Save<'a>,
    /// Told of a saving that failed.
    pub failed: &'a (dyn Fn(&str) + Sync),
}

/// Does the units of the job's shard that `state` has not, on all cores, until they are done or the control
/// is stopped. The state is saved every interval and a last time at the end; the run goes on if that fails.
///
/// # Errors
/// A unit that cannot be done; what was done before has been saved.
pub fn run(
    work: &Work,
    job: &Job,
    state: State,
    control: &Control,
    saving: Saving,
) -> Result<Progressed, CountError> {
    let mut schedule = work.schedule();
    schedule.retain(|&unit| job.shard.contains(unit as usize) && !state.done[unit as usize]);
    // A sweep that has begun comes first.
    if let Some(rest) = &state.at_rest {
        schedule.sort_by_key(|&unit| unit as usize != rest.unit);
    }
    let Saving { interval, spares, folder, rests, peers, save, failed } = saving;
    let keeper = Keeper {
        before: state.seconds,
        began: Instant::now(),
        state: Mutex::new(state),
        interval,
        work_to_saving: if spares { WORK_TO_SAVING } else { 0 },
        folder,
        rests: rests && folder.is_some() && interval < Duration::MAX,
        peers,
        save: Mutex::new(save),
        failed,
        rested: Mutex::new(Rested { at: Instant::now(), due: None, wait: interval }),
        is_saved: AtomicBool::new(false),
    };
    let finished = std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        let keeper = &keeper;
        // Named, so that its share of the time can be told.
        let saver = std::thread::Builder::new().name("saver".to_owned());
        let saving = saver.spawn_scoped(scope, move || {
            while is_over.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                // Sweeps are saved when they rest: the same once more would push out the generation before.
                if !keeper.rests {
                    keeper.save_now();
                }
            }
        });
        saving.expect("a thread can be started");
        let result = run_units(work, &schedule, control, keeper);
        drop(over);
        result
    });
    // The same sweep once more would push out the generation before: of any rank, if one has saved it.
    if !keeper.rests || !keeper.saved_by_ranks().contains(&true) {
        keeper.save_now();
    }
    let state = keeper.snapshot();
    match finished {
        Ok(()) | Err(CountError::Stopped(_)) => {}
        Err(error) => return Err(error),
    }
    // A run that was stopped after its last unit is finished all the same.
    let finished = schedule.iter().all(|&unit| state.done[unit as usize]);
    if let Some(folder) = folder.filter(|_| finished) {
        // Layers that a checkpoint names stay until all ranks have saved that they are done.
        let saved = if keeper.rests { keeper.saved_by_ranks() } else { vec![true] };
        if !saved.is_empty() && !saved.contains(&false) {
            folder.clear();
        }
    }
    Ok(Progressed { state, finished })
}

/// The state of a run and how it is kept.
struct Keeper<'a> {
    state: Mutex<State>,
    before: f64,
    began: Instant,
    interval: Duration,
    work_to_saving: u32,
    folder: Option<&'a Folder>,
    rests: bool,
    peers: Option<&'a dyn Peers>,
    save: Mutex<&'a mut Save<'a>>,
    failed: &'a (dyn Fn(&str) + Sync),
    rested: Mutex<Rested>,
    /// Whether the newest generation is what there is to save, but for the time.
    is_saved: AtomicBool,
}

/// When a sweep rested.
struct Rested {
    at: Instant,
    /// When it was told to rest.
    due: Option<Instant>,
    /// Until it shall rest again.
    wait: Duration,
}

impl Keeper<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rested(&self) -> MutexGuard<'_, Rested> {
        self.rested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn snapshot(&self) -> State {
        let mut state = self.state().clone();
        state.seconds = self.before + self.began.elapsed().as_secs_f64();
        state
    }

    /// Saves the state; what it names stays in the folder, what it does not may go.
    fn save_now(&self) -> bool {
        // Held throughout, so that an older state never follows a newer one.
        let mut save = self.save.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.snapshot();
        self.is_saved.store(true, Ordering::Relaxed);
        let synced = self.folder.filter(|_| self.rests).map_or(Ok(()), Folder::sync);
        match save(&state, synced) {
            Ok(()) if self.rests => {
                if let Some(folder) = self.folder {
                    folder.pin(state.at_rest.iter().flat_map(|rest| rest.snapshot.numbers()));
                }
            }
            Ok(()) => {}
            Err(error) => {
                self.is_saved.store(false, Ordering::Relaxed);
                (self.failed)(&error.to_string());
                return false;
            }
        }
        true
    }

    /// Whether the newest generation is up to date, by rank; nothing if the connection is lost.
    fn saved_by_ranks(&self) -> Vec<bool> {
        let is_saved = self.is_saved.load(Ordering::Relaxed);
        match self.peers {
            None => vec![is_saved],
            Some(peers) => consult(peers, &Ok(is_saved))
                .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|one| one == Ok(true)).collect()),
        }
    }

    /// The sweep has rested; the longer it took, the longer it shall work.
    fn has_rested(&self) {
        let mut rested = self.rested();
        let took = rested.due.take().map_or(Duration::ZERO, |due| due.elapsed());
        rested.at = Instant::now();
        rested.wait = self.interval.max(took * self.work_to_saving);
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
}

impl Rest for Keeper<'_> {
    fn store(&self) -> Option<&dyn Store> {
        self.folder.map(|folder| folder as &dyn Store)
    }

    fn room(&self) -> Option<u64> {
        self.folder?.free().ok()
    }

    fn peers(&self) -> Option<&dyn Peers> {
        self.peers
    }

    fn rests(&self) -> bool {
        self.rests
    }

    fn from(&self, unit: usize) -> Option<Snapshot> {
        self.state().at_rest.as_ref().filter(|rest| rest.unit == unit).map(|rest| rest.snapshot.clone())
    }

    fn is_due(&self) -> bool {
        if !self.rests {
            return false;
        }
        let mut rested = self.rested();
        if rested.due.is_none() && rested.at.elapsed() >= rested.wait {
            rested.due = Some(Instant::now());
        }
        rested.due.is_some()
    }

    fn save(&self, unit: usize, snapshot: &Snapshot) {
        if self.rests {
            let new = Some(AtRest { unit, snapshot: snapshot.clone() });
            let before = std::mem::replace(&mut self.state().at_rest, new);
            if !self.save_now() {
                // What it names is not pinned, and will be gone.
                self.state().at_rest = before;
            }
            self.has_rested();
        }
    }

    fn resting(&self) {
        // From now on it costs time: until here the step was made.
        let mut rested = self.rested();
        rested.due = rested.due.map(|_| Instant::now());
    }

    fn not_saved(&self, why: &str) {
        (self.failed)(why);
        self.has_rested();
    }
}
