//! Batches of tours on their way from the workers of a listing to its sink, which takes them in the
//! order of the units.
//!
//! A worker may search a unit long before the turn of this unit. Its batches wait meanwhile, and
//! [`MAX_WAITING_BATCHES`] bounds their number for all units together. The unit whose turn it is has
//! its own bound, so that its worker never waits for the others.
//!
//! To wake the sink for every batch takes a tenth of the time of a fast listing, and more if units are
//! short. So the sink sleeps until several batches or units have come, or a short time has passed.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Greatest number of batches that wait for the turn of their units.
const MAX_WAITING_BATCHES: usize = 512;

/// Greatest number of batches of the unit whose turn it is that wait for the sink.
const MAX_CURRENT_BATCHES: usize = 32;

/// Greatest number of batches of the current unit for which the sink sleeps. The first sleeps are for fewer.
const MAX_BATCHES_TO_WAKE: usize = MAX_CURRENT_BATCHES / 2;

/// Number of units, for each batch that the sink sleeps for, that wake it once the current unit is finished.
const UNITS_PER_BATCH_TO_WAKE: usize = 8;

/// Time after which the sink takes the batches that have come, however few.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// The batches of one unit that the sink has not yet received.
struct UnitBatches<T> {
    batches: VecDeque<T>,
    is_finished: bool,
}

impl<T> Default for UnitBatches<T> {
    fn default() -> Self {
        Self { batches: VecDeque::new(), is_finished: false }
    }
}

struct State<T> {
    /// The unit whose turn it is.
    current: usize,
    units: BTreeMap<usize, UnitBatches<T>>,
    /// Number of batches of other units than the current one.
    waiting_batches: usize,
    /// Number of workers that may still send batches.
    workers: usize,
    /// True if the sink takes no more batches.
    is_closed: bool,
    /// Number of batches for which the sink will sleep next.
    batches_to_wake: usize,
    /// Number of batches of the current unit for which the sink sleeps; `None` if it is awake.
    sink_sleeps_for: Option<usize>,
}

impl<T> State<T> {
    /// Returns true if the sink must wake: enough batches or units have come, or no more will.
    fn wakes_sink(&self) -> bool {
        let current = self.units.get(&self.current);
        let has_come = |batches| {
            let enough_units = self.units.len() >= batches * UNITS_PER_BATCH_TO_WAKE;
            current.is_some_and(|unit| unit.batches.len() >= batches || unit.is_finished && enough_units)
        };
        self.sink_sleeps_for.is_some_and(|batches| self.workers == 0 || has_come(batches))
    }
}

/// The batches that workers have sent and the sink has not yet received.
pub(super) struct OrderedBatches<T> {
    state: Mutex<State<T>>,
    /// Wakes workers that wait for space.
    has_space: Condvar,
    /// Wakes the sink that waits for a batch.
    has_batch: Condvar,
}

impl<T> OrderedBatches<T> {
    /// Creates the batches of a run of `workers` workers.
    pub(super) fn new(workers: usize) -> Self {
        let state = State {
            current: 0,
            units: BTreeMap::new(),
            waiting_batches: 0,
            workers,
            is_closed: false,
            batches_to_wake: 1,
            sink_sleeps_for: None,
        };
        Self { state: Mutex::new(state), has_space: Condvar::new(), has_batch: Condvar::new() }
    }

    /// A panic of another thread leaves the state valid: every change is complete when the lock is released.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state as a worker does, and wakes the sink if there is work for it.
    fn change(&self, mut state: MutexGuard<'_, State<T>>, change: impl FnOnce(&mut State<T>)) {
        change(&mut state);
        let wakes_sink = state.wakes_sink();
        if wakes_sink {
            state.sink_sleeps_for = None;
        }
        drop(state);
        if wakes_sink {
            self.has_batch.notify_one();
        }
    }

    /// Sends a batch of a unit. Waits while too many batches wait. Returns `Break` if the sink takes no more
    /// batches.
    pub(super) fn send(&self, unit: usize, batch: T) -> ControlFlow<()> {
        let has_no_space = |state: &mut State<T>| {
            let current_batches = || state.units.get(&unit).map_or(0, |unit| unit.batches.len());
            !state.is_closed
                && if unit == state.current {
                    current_batches() >= MAX_CURRENT_BATCHES
                } else {
                    state.waiting_batches >= MAX_WAITING_BATCHES
                }
        };
        let state =
            self.has_space.wait_while(self.lock(), has_no_space).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return ControlFlow::Break(());
        }
        self.change(state, |state| {
            state.waiting_batches += usize::from(unit != state.current);
            state.units.entry(unit).or_default().batches.push_back(batch);
        });
        ControlFlow::Continue(())
    }

    /// Marks a unit as finished: it sends no more batches.
    pub(super) fn finish_unit(&self, unit: usize) {
        self.change(self.lock(), |state| state.units.entry(unit).or_default().is_finished = true);
    }

    /// Reports that a worker sends no more batches.
    pub(super) fn end_worker(&self) {
        self.change(self.lock(), |state| state.workers -= 1);
    }

    /// Waits for the next batch of the current unit. Returns `Continue(None)` if the unit has no more, and
    /// `Break` if all workers have ended before the unit was finished.
    pub(super) fn receive(&self) -> ControlFlow<(), Option<T>> {
        let mut state = self.lock();
        loop {
            let (current, workers) = (state.current, state.workers);
            if let Some(unit) = state.units.get_mut(&current) {
                if let Some(batch) = unit.batches.pop_front() {
                    let was_full = unit.batches.len() + 1 >= MAX_CURRENT_BATCHES;
                    drop(state);
                    if was_full {
                        self.has_space.notify_all();
                    }
                    return ControlFlow::Continue(Some(batch));
                }
                if unit.is_finished {
                    return ControlFlow::Continue(None);
                }
            }
            if workers == 0 {
                return ControlFlow::Break(());
            }
            state.sink_sleeps_for = Some(state.batches_to_wake);
            state.batches_to_wake = (2 * state.batches_to_wake).min(MAX_BATCHES_TO_WAKE);
            let slept = self.has_batch.wait_timeout(state, LONGEST_SLEEP);
            state = slept.unwrap_or_else(PoisonError::into_inner).0;
            state.sink_sleeps_for = None;
        }
    }

    /// Begins the turn of the next unit.
    pub(super) fn advance(&self) {
        let mut state = self.lock();
        let finished = state.current;
        state.units.remove(&finished);
        state.current += 1;
        let next = state.units.get(&state.current).map_or(0, |unit| unit.batches.len());
        let had_waiting = state.waiting_batches;
        state.waiting_batches -= next;
        drop(state);
        // The worker of the new unit may wait too.
        if had_waiting >= MAX_WAITING_BATCHES {
            self.has_space.notify_all();
        }
    }

    /// Ends the run: no worker waits for space any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.has_space.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_arrive_in_order_of_units() {
        let batches = OrderedBatches::new(1);
        for (unit, batch) in [(1, 'c'), (0, 'a'), (1, 'd'), (0, 'b')] {
            assert!(batches.send(unit, batch).is_continue());
        }
        [1, 0].into_iter().for_each(|unit| batches.finish_unit(unit));
        let received = [(); 3].map(|()| batches.receive());
        assert_eq!(received, [Some('a'), Some('b'), None].map(ControlFlow::Continue));
        batches.advance();
        let received = [(); 3].map(|()| batches.receive());
        assert_eq!(received, [Some('c'), Some('d'), None].map(ControlFlow::Continue));
        batches.advance();
        batches.end_worker();
        assert_eq!(batches.receive(), ControlFlow::Break(()), "unit 2 was never begun");
        batches.close();
        assert_eq!(batches.send(2, 'e'), ControlFlow::Break(()));
    }

    #[test]
    fn sink_sleeps_until_enough_batches_or_units() {
        let batches = OrderedBatches::new(2);
        let sleeps = || batches.lock().sink_sleeps_for.is_some();
        batches.lock().sink_sleeps_for = Some(2);
        assert!(batches.send(0, 'a').is_continue() && batches.send(1, 'b').is_continue() && sleeps());
        assert!(batches.send(0, 'c').is_continue() && !sleeps());
        batches.lock().sink_sleeps_for = Some(3);
        batches.finish_unit(1);
        for unit in 2..3 * UNITS_PER_BATCH_TO_WAKE {
            assert!(batches.send(unit, 'd').is_continue());
        }
        assert!(sleeps(), "it is the turn of unit 0");
        batches.finish_unit(0);
        assert!(!sleeps(), "there are many units, and the first is finished");
        batches.lock().sink_sleeps_for = Some(4);
        batches.finish_unit(2);
        assert!(sleeps(), "there are too few units");
        batches.lock().units.clear();
        batches.end_worker();
        assert!(sleeps(), "another worker may send");
        batches.end_worker();
        assert!(!sleeps());
    }

    #[test]
    fn waiting_batches_are_bounded_and_current_unit_proceeds() {
        let batches = OrderedBatches::new(2);
        for batch in 0..MAX_WAITING_BATCHES {
            assert!(batches.send(1, batch).is_continue());
        }
        std::thread::scope(|scope| {
            // Waits until the turn of unit 1.
            let blocked = scope.spawn(|| batches.send(1, MAX_WAITING_BATCHES));
            for batch in 0..MAX_CURRENT_BATCHES {
                assert!(batches.send(0, batch).is_continue());
            }
            batches.finish_unit(0);
            while matches!(batches.receive(), ControlFlow::Continue(Some(_))) {}
            assert!(!blocked.is_finished());
            batches.advance();
            for batch in 0..=MAX_WAITING_BATCHES {
                assert_eq!(batches.receive(), ControlFlow::Continue(Some(batch)));
            }
            assert_eq!(blocked.join().unwrap(), ControlFlow::Continue(()));
        });
    }
}
