//! Batches of tours on their way from the workers of a listing to its sink, which takes them in the
//! order of the units.
//!
//! Workers take groups of successive units. A group has the number of its first unit. A worker may search a
//! group long before the turn of this group. Its batches wait meanwhile, and [`MAX_WAITING_BATCHES`] bounds
//! their number for all groups together. The group whose turn it is has its own bound, so that its worker
//! never waits for the others.
//!
//! To wake the sink for every batch takes a tenth of the time of a fast listing. So the sink sleeps until it
//! can take several batches, or a short time has passed.
//!
//! Used batches go back to the workers, which fill them again. New memory for every batch would take a
//! tenth of the time, because the system clears each page.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Greatest number of batches that wait for the turn of their groups.
const MAX_WAITING_BATCHES: usize = 512;

/// Greatest number of batches of the group whose turn it is that wait for the sink.
const MAX_CURRENT_BATCHES: usize = 32;

/// Greatest number of batches for which the sink sleeps. The first sleeps are for fewer.
const MAX_BATCHES_TO_WAKE: usize = MAX_CURRENT_BATCHES / 2;

/// Time after which the sink takes the batches that have come, however few.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// The batches of one group that the sink has not yet received.
struct GroupBatches<T> {
    batches: VecDeque<T>,
    /// The first unit after the group, once the group is finished.
    end: Option<usize>,
}

impl<T> Default for GroupBatches<T> {
    fn default() -> Self {
        Self { batches: VecDeque::new(), end: None }
    }
}

struct State<T> {
    /// The group whose turn it is.
    current: usize,
    groups: BTreeMap<usize, GroupBatches<T>>,
    /// Number of batches of other groups than the current one.
    waiting_batches: usize,
    /// Empty batches, which have memory.
    used: Vec<T>,
    /// Number of workers that may still send batches.
    workers: usize,
    /// True if the sink takes no more batches.
    is_closed: bool,
    /// Number of batches for which the sink will sleep next.
    batches_to_wake: usize,
    /// Number of batches for which the sink sleeps; `None` if it is awake.
    sink_sleeps_for: Option<usize>,
}

impl<T> State<T> {
    /// Returns true if the sink must wake: it can take enough batches, or no more will come.
    fn wakes_sink(&self) -> bool {
        let takeable = || {
            let current = self.groups.get(&self.current);
            // The group after a finished one may be unfinished, but has most of the batches.
            current.map_or(0, |group| {
                group.batches.len() + if group.end.is_some() { self.waiting_batches } else { 0 }
            })
        };
        self.sink_sleeps_for.is_some_and(|batches| self.workers == 0 || takeable() >= batches)
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

impl<T: Default> OrderedBatches<T> {
    /// Creates the batches of a run of `workers` workers, from the unit `first` on.
    pub(super) fn new(workers: usize, first: usize) -> Self {
        let state = State {
            current: first,
            groups: BTreeMap::new(),
            waiting_batches: 0,
            used: Vec::new(),
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
    fn change<R>(&self, mut state: MutexGuard<'_, State<T>>, change: impl FnOnce(&mut State<T>) -> R) -> R {
        let result = change(&mut state);
        let wakes_sink = state.wakes_sink();
        if wakes_sink {
            state.sink_sleeps_for = None;
        }
        drop(state);
        if wakes_sink {
            self.has_batch.notify_one();
        }
        result
    }

    /// Sends a batch of a group, and returns an empty batch for the next tours. Waits while too many batches
    /// wait. Returns `Break` if the sink takes no more batches.
    pub(super) fn send(&self, group: usize, batch: T) -> ControlFlow<(), T> {
        let has_no_space = |state: &mut State<T>| {
            let current_batches = || state.groups.get(&group).map_or(0, |group| group.batches.len());
            !state.is_closed
                && if group == state.current {
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
        ControlFlow::Continue(self.change(state, |state| {
            state.waiting_batches += usize::from(group != state.current);
            state.groups.entry(group).or_default().batches.push_back(batch);
            state.used.pop().unwrap_or_default()
        }))
    }

    /// Marks a group as finished: it sends no more batches, and the unit `end` comes after it.
    pub(super) fn finish_group(&self, group: usize, end: usize) {
        self.change(self.lock(), |state| state.groups.entry(group).or_default().end = Some(end));
    }

    /// Reports that a worker sends no more batches.
    pub(super) fn end_worker(&self) {
        self.change(self.lock(), |state| state.workers -= 1);
    }

    /// Waits for the next batch of the current group. Returns `Continue(None)` if the group has no more, and
    /// `Break` if all workers have ended before the group was finished.
    pub(super) fn receive(&self) -> ControlFlow<(), Option<T>> {
        let mut state = self.lock();
        loop {
            let (current, workers) = (state.current, state.workers);
            if let Some(group) = state.groups.get_mut(&current) {
                if let Some(batch) = group.batches.pop_front() {
                    let was_full = group.batches.len() + 1 >= MAX_CURRENT_BATCHES;
                    drop(state);
                    if was_full {
                        self.has_space.notify_all();
                    }
                    return ControlFlow::Continue(Some(batch));
                }
                if group.end.is_some() {
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

    /// Gives an empty batch back to the workers.
    pub(super) fn give_back(&self, batch: T) {
        self.lock().used.push(batch);
    }

    /// Begins the turn of the next group, and returns it.
    ///
    /// # Panics
    /// If the current group is not finished.
    pub(super) fn advance(&self) -> usize {
        let mut state = self.lock();
        let finished = state.current;
        let group = state.groups.remove(&finished);
        state.current = group.and_then(|group| group.end).expect("the group is finished");
        let next = state.groups.get(&state.current).map_or(0, |group| group.batches.len());
        let had_waiting = state.waiting_batches;
        state.waiting_batches -= next;
        let current = state.current;
        drop(state);
        // The worker of the new group may wait too.
        if had_waiting >= MAX_WAITING_BATCHES {
            self.has_space.notify_all();
        }
        current
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
    fn batches_arrive_in_order_of_groups() {
        let batches = OrderedBatches::new(1, 2);
        for (group, batch) in [(5, 'c'), (2, 'a'), (5, 'd'), (2, 'b')] {
            assert_eq!(batches.send(group, batch), ControlFlow::Continue('\0'));
        }
        [(5, 6), (2, 5)].into_iter().for_each(|(group, end)| batches.finish_group(group, end));
        let received = [(); 3].map(|()| batches.receive());
        assert_eq!(received, [Some('a'), Some('b'), None].map(ControlFlow::Continue));
        assert_eq!(batches.advance(), 5);
        batches.give_back('z');
        let received = [(); 3].map(|()| batches.receive());
        assert_eq!(received, [Some('c'), Some('d'), None].map(ControlFlow::Continue));
        assert_eq!(batches.advance(), 6);
        assert_eq!(batches.send(8, 'e'), ControlFlow::Continue('z'), "a used batch");
        batches.end_worker();
        assert_eq!(batches.receive(), ControlFlow::Break(()), "group 6 was never begun");
        batches.close();
        assert_eq!(batches.send(8, 'e'), ControlFlow::Break(()));
    }

    #[test]
    fn sink_sleeps_until_it_can_take_enough_batches() {
        let batches = OrderedBatches::new(2, 0);
        let sleeps = || batches.lock().sink_sleeps_for.is_some();
        let sleep_for = |count| batches.lock().sink_sleeps_for = Some(count);
        sleep_for(2);
        assert!(batches.send(0, 'a').is_continue() && batches.send(1, 'b').is_continue() && sleeps());
        assert!(batches.send(0, 'c').is_continue() && !sleeps());
        sleep_for(4);
        assert!(batches.send(1, 'd').is_continue());
        assert!(sleeps(), "it is the turn of group 0");
        batches.finish_group(0, 1);
        assert!(!sleeps(), "two batches of each group");
        sleep_for(5);
        batches.finish_group(1, 2);
        assert!(sleeps(), "there are too few batches");
        batches.lock().groups.clear();
        batches.end_worker();
        assert!(sleeps(), "another worker may send");
        batches.end_worker();
        assert!(!sleeps());
    }

    #[test]
    fn waiting_batches_are_bounded_and_current_group_proceeds() {
        let batches = OrderedBatches::new(2, 0);
        for batch in 0..MAX_WAITING_BATCHES {
            assert!(batches.send(1, batch).is_continue());
        }
        std::thread::scope(|scope| {
            // Waits until the turn of group 1.
            let blocked = scope.spawn(|| batches.send(1, MAX_WAITING_BATCHES));
            for batch in 0..MAX_CURRENT_BATCHES {
                assert!(batches.send(0, batch).is_continue());
            }
            batches.finish_group(0, 1);
            while matches!(batches.receive(), ControlFlow::Continue(Some(_))) {}
            assert!(!blocked.is_finished());
            batches.advance();
            for batch in 0..=MAX_WAITING_BATCHES {
                assert_eq!(batches.receive(), ControlFlow::Continue(Some(batch)));
            }
            assert!(blocked.join().unwrap().is_continue());
        });
    }
}
