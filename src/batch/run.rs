//! A run of a job's shard with checkpoints.
//!
//! Units report to one state under a lock: the unit's mark and its sums change
//! together, so every snapshot is consistent. A unit that was cut short leaves what it
//! had last handed in, or no trace. A thread of its own takes a snapshot every interval and saves it; the
//! workers wait for the copying only, never for the disk.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Job;
use crate::count::{CountError, Ledger, Part, Sums, UnitSums, Work, run_units};
use crate::search::meter::Meter;

/// Units done and their sums.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// By unit number.
    pub done: Vec<bool>,
    /// Sums of the units done.
    pub sums: Sums,
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
        Self { done: vec![false; work.units()], sums, parts: BTreeMap::new(), seconds: 0.0 }
    }
}

impl Ledger for Mutex<State> {
    fn begin(&self, unit: usize) -> Option<Part> {
        locked(self).parts.get(&unit).cloned()
    }

    fn part(&self, unit: usize, part: Part) {
        locked(self).parts.insert(unit, part);
    }

    fn done(&self, unit: usize, sums: &UnitSums) {
        let mut state = locked(self);
        state.parts.remove(&unit);
        state.done[unit] = true;
        state.sums.add_unit(sums);
    }
}

/// No panic leaves a state half changed.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the units of the job's shard that `state` has not, on all cores, until they are done or the meter
/// is stopped. `save` is called every `interval` with a snapshot, and a last time at the end; what it
/// returns is given to `failed` if it is an error, and the run goes on.
///
/// # Errors
/// A unit that cannot be done; what was done before has been saved.
pub fn run(
    work: &Work,
    job: &Job,
    state: State,
    meter: &Meter,
    interval: Duration,
    save: &mut (dyn FnMut(&State) -> io::Result<()> + Send),
    failed: &(dyn Fn(&io::Error) + Sync),
) -> Result<Progressed, CountError> {
    let mut schedule = work.schedule();
    schedule.retain(|&unit| job.shard.contains(unit as usize) && !state.done[unit as usize]);
    let before = state.seconds;
    let began = Instant::now();
    let state = Mutex::new(state);
    let snapshot = || {
        let mut state = locked(&state).clone();
        state.seconds = before + began.elapsed().as_secs_f64();
        state
    };
    let finished = std::thread::scope(|scope| {
        let (over, is_over) = channel::<()>();
        let snapshot = &snapshot;
        // Named, so that its share of the time can be told.
        let saver = std::thread::Builder::new().name("saver".to_owned());
        let saving = saver.spawn_scoped(scope, move || {
            loop {
                let wait = is_over.recv_timeout(interval);
                if let Err(error) = save(&snapshot()) {
                    failed(&error);
                }
                if wait != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
        });
        saving.expect("a thread can be started");
        let result = run_units(work, &schedule, meter, &state);
        drop(over);
        result
    });
    let state = snapshot();
    match finished {
        Ok(()) | Err(CountError::Stopped(_)) => {}
        Err(error) => return Err(error),
    }
    // A run that was stopped after its last unit is finished all the same.
    let finished = schedule.iter().all(|&unit| state.done[unit as usize]);
    Ok(Progressed { state, finished })
}
