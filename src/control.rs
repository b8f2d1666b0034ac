//! Progress and cancellation of a run: the handle [`Control`], and requests to the memory
//! allocator.
//!
//! The clones of a [`Control`] share one run: give a clone to another thread or to a display, or
//! give its [flag](Control::cancel_flag) to a signal handler. Workers report each finished unit; a
//! display reads a [`ProgressSnapshot`] now and then.
//!
//! Units differ in size by orders of magnitude, so their number is a poor measure of progress. As
//! soon as estimates of the nodes of the units exist, the fraction is weighted by them. Cost: one
//! short lock a unit, nothing in between.
//!
//! ```
//! use ktour::board::Board;
//! use ktour::control::Control;
//! use ktour::count::{CountError, Request, count};
//!
//! let control = Control::new();
//! let other = control.clone();
//! std::thread::spawn(move || other.cancel()).join().unwrap();
//! let request = Request::new("6x6".parse::<Board>()?);
//! assert!(matches!(count(&request, &control), Err(CountError::Stopped(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::progress_tracker::ProgressTracker;
pub use super::progress_tracker::{EarlierWork, ProgressSnapshot, SweepSnapshot};
use crate::lock::lock;

/// A handle that cancels a run and reads its progress. Clones share the run.
#[derive(Clone, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    has_progress_reader: bool,
    log: Option<LogFunction>,
    allocator_hook: Option<AllocatorHook>,
    tracker: Arc<Mutex<ProgressTracker>>,
}

/// Function that receives a line of text for every step of a sweep.
type LogFunction = Arc<dyn Fn(&str) + Send + Sync>;

/// Function that carries out an [`AllocatorRequest`]. Returns the resident memory of the process
/// afterwards, in bytes, or `None` if it is unknown. If this number exceeds the memory limit of the
/// sweep, the sweep holds less in memory.
pub type AllocatorHook = fn(AllocatorRequest) -> Option<u64>;

/// A request of a sweep to the memory allocator of the process.
///
/// The library changes no options of the process. A program that carries out these requests gains
/// speed and stays closer to a memory limit. With glibc, the requests correspond to calls of
/// `mallopt` and `malloc_trim`. Without them, on 8x8, a fifth of the time is spent on pages that
/// are returned to the system and requested again a moment later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocatorRequest {
    /// Keep freed memory in the process. A sweep makes this request when it begins, because the
    /// next layer needs as much memory a moment later.
    KeepFreed,
    /// Return free memory to the system if the process holds more than this number of bytes.
    TrimAbove(u64),
    /// Return all free memory to the system.
    Trim,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Control");
        debug
            .field("cancelled", &self.is_cancelled())
            .field("has_progress_reader", &self.has_progress_reader);
        debug.field("reading", &self.progress()).finish_non_exhaustive()
    }
}

impl Control {
    /// Creates the control of a new run, without a progress display, log function or allocator
    /// hook.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns this control with the mark that a display reads its progress. Large runs then
    /// estimate their units, on an extra thread.
    #[must_use]
    pub fn with_progress_reader(self) -> Self {
        Self { has_progress_reader: true, ..self }
    }

    /// Sets the function that receives a line of text for every step of a sweep. The function runs
    /// on the sweeping thread.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }

    /// Sets the function that carries out the allocator requests of sweeps. The function may run on
    /// any thread.
    #[must_use]
    pub fn with_allocator_hook(self, allocator: AllocatorHook) -> Self {
        Self { allocator_hook: Some(allocator), ..self }
    }

    /// Returns a control for work that accompanies the run. It is cancelled together with the run,
    /// but has its own progress.
    #[must_use]
    pub fn for_side_task(&self) -> Self {
        Self {
            cancelled: Arc::clone(&self.cancelled),
            allocator_hook: self.allocator_hook,
            ..Self::default()
        }
    }

    fn lock_tracker(&self) -> MutexGuard<'_, ProgressTracker> {
        lock(&self.tracker)
    }

    /// Requests that the run stops soon, before it is finished.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if the run has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the flag that [`Control::cancel`] sets.
    #[must_use]
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// Returns true if a display reads the progress, so that estimates are worth their cost.
    #[must_use]
    pub const fn has_progress_reader(&self) -> bool {
        self.has_progress_reader
    }

    /// Returns the function that carries out allocator requests, if one is set.
    #[must_use]
    pub const fn allocator_hook(&self) -> Option<AllocatorHook> {
        self.allocator_hook
    }

    /// Returns the current progress of the run.
    #[must_use]
    pub fn progress(&self) -> ProgressSnapshot {
        self.lock_tracker().snapshot()
    }

    /// Starts a new run of `units` units. Only the units with the numbers in `scheduled` remain to
    /// be done.
    pub(crate) fn begin_run(&self, units: usize, scheduled: &[u32]) {
        self.begin_resumed_run(units, scheduled, &EarlierWork::default());
    }

    /// Starts a run like [`begin_run`](Self::begin_run). Its progress includes `earlier`, the work of earlier
    /// sessions.
    pub(crate) fn begin_resumed_run(&self, units: usize, scheduled: &[u32], earlier: &EarlierWork) {
        self.lock_tracker().begin_run(units, scheduled, earlier);
    }

    /// Sets the estimate for each unit: its number of nodes, or its seconds if units are sweeps.
    pub(crate) fn set_estimates(&self, estimates: Vec<f64>) {
        self.lock_tracker().set_estimates(estimates);
    }

    /// Marks the run as planning a sweep.
    pub(crate) fn begin_planning(&self) {
        self.lock_tracker().begin_planning();
    }

    /// Starts a sweep of which the first `first` steps are already done. `step_seconds` holds the
    /// expected seconds of each step.
    pub(crate) fn begin_sweep(&self, step_seconds: &[f64], first: usize) {
        self.lock_tracker().begin_sweep(step_seconds, first);
    }

    /// Records that `step` of the `steps` steps of the sweep are done. `states` is the number of
    /// states in the current layer, `bytes` the number of bytes held.
    pub(crate) fn finish_sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        self.lock_tracker().finish_sweep_step(SweepSnapshot { steps_done: step, steps, states, bytes });
    }

    /// Records that the fraction `fraction` of the current step is done, after `step` finished
    /// steps.
    pub(crate) fn set_step_fraction(&self, step: usize, fraction: f64) {
        self.lock_tracker().set_step_fraction(step, fraction);
    }

    /// Passes a line to the log function, if one is set.
    pub(crate) fn log_line(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log(&line());
        }
    }

    /// Starts a new run of `rounds` rounds that take about equally long, such as sweeps or terms of
    /// a sequence.
    pub fn begin_rounds(&self, rounds: usize) {
        let unit_numbers: Vec<u32> = (0..u32::try_from(rounds).unwrap_or(u32::MAX).max(1)).collect();
        self.begin_run(unit_numbers.len(), &unit_numbers);
    }

    /// Records the current round as finished. Calls after the last round have no effect.
    pub fn finish_round(&self) {
        let mut tracker = self.lock_tracker();
        let unit = tracker.snapshot().units_done;
        if unit < tracker.snapshot().units {
            tracker.finish_unit(unit, 0, 0);
        }
    }

    /// Records a unit as finished, with the numbers of its nodes and tours; `tours` includes the
    /// images by symmetry.
    pub(crate) fn finish_unit(&self, unit: usize, nodes: u64, tours: u128) {
        self.lock_tracker().finish_unit(unit, nodes, tours);
    }

    /// Marks several units as finished, each given with its nodes and tours. Short units are reported together,
    /// so that threads do not wait for each other.
    pub(crate) fn finish_units(&self, units: impl IntoIterator<Item = (usize, u64, u128)>) {
        let mut tracker = self.lock_tracker();
        units.into_iter().for_each(|(unit, nodes, tours)| tracker.finish_unit(unit, nodes, tours));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_weighted_by_estimates() {
        let control = Control::new().with_progress_reader();
        assert_eq!(control.progress().fraction, 0.0);
        control.begin_run(5, &[0, 1, 2, 3]);
        control.finish_unit(0, 10, 3);
        control.finish_unit(0, 10, 3);
        assert_eq!(control.progress().fraction, 0.25);
        control.set_estimates(vec![10.0, 30.0, 30.0, 30.0, 99.0]);
        let reading = control.progress();
        assert!((reading.fraction - 0.1).abs() < 1e-12);
        assert_eq!((reading.nodes, reading.tours, reading.units_done), (10, 3, 1));
        // The transposition table saved most nodes of this unit.
        control.finish_unit(1, 1, 0);
        assert!((control.progress().fraction - 0.4).abs() < 1e-12);
        for unit in 2..4 {
            control.finish_unit(unit, 20, 0);
        }
        assert_eq!(control.progress().fraction, 1.0);
        assert_eq!(control.progress().seconds_left(), Some(0.0));
    }

    #[test]
    fn sweep_progress_follows_step_seconds() {
        let control = Control::new();
        control.begin_run(3, &[0, 2]);
        control.set_estimates(vec![10.0, 99.0, 30.0]);
        control.begin_planning();
        assert!(control.progress().is_planning);
        control.begin_sweep(&[1.0, 6.0, 3.0], 0);
        let mut fractions = vec![control.progress().fraction];
        let mut note = || {
            let reading = control.progress();
            fractions.push(reading.fraction);
            assert!(!reading.is_planning && reading.expected_seconds == Some(40.0));
        };
        control.finish_sweep_step(1, 3, 5, 100);
        note();
        for part in [0.1, 0.5, 0.4, 1.0] {
            control.set_step_fraction(1, part);
            note();
        }
        control.finish_sweep_step(2, 3, 5, 100);
        note();
        control.finish_sweep_step(3, 3, 1, 100);
        note();
        control.finish_unit(0, 7, 7);
        note();
        control.begin_sweep(&[10.0, 20.0], 0);
        control.finish_sweep_step(1, 2, 1, 100);
        note();
        control.finish_sweep_step(2, 2, 1, 100);
        note();
        control.finish_unit(2, 7, 7);
        note();
        assert!(fractions.is_sorted(), "{fractions:?}");
        for (position, expected) in
            [(1, 0.025), (3, 0.1), (5, 0.175), (7, 0.25), (8, 0.25), (9, 0.5), (11, 1.0)]
        {
            assert!((fractions[position] - expected).abs() < 1e-9, "{position}: {fractions:?}");
        }
    }

    #[test]
    fn seconds_left_uses_estimate_first_then_rate() {
        let reading = |fraction, seconds, since| ProgressSnapshot {
            fraction,
            seconds,
            started_at: since,
            expected_seconds: Some(100.0),
            ..ProgressSnapshot::default()
        };
        assert_eq!(reading(0.01, 5.0, (0.0, 0.0)).seconds_left(), Some(99.0));
        assert_eq!(reading(0.25, 50.0, (0.0, 0.0)).seconds_left(), Some(150.0));
        // Resumed at one half, after two seconds of planning.
        assert_eq!(reading(0.75, 12.0, (2.0, 0.5)).seconds_left(), Some(10.0));
        assert_eq!(
            ProgressSnapshot { expected_seconds: None, ..reading(0.0, 5.0, (0.0, 0.0)) }.seconds_left(),
            None
        );
    }

    #[test]
    fn clones_share_one_run() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let control = Control::new().with_log(move |line| sink.lock().unwrap().push(line.to_owned()));
        let copy = control.clone();
        assert!(!control.is_cancelled());
        control.log_line(|| "one".to_owned());
        copy.log_line(|| "two".to_owned());
        copy.finish_sweep_step(1, 9, 5, 100);
        copy.cancel();
        assert!(control.is_cancelled() && control.cancel_flag().load(Ordering::Relaxed));
        assert_eq!(*lines.lock().unwrap(), ["one", "two"]);
        assert_eq!(
            control.progress().sweep,
            Some(SweepSnapshot { steps_done: 1, steps: 9, states: 5, bytes: 100 })
        );
        assert!(format!("{copy:?}").contains("cancelled: true"));
    }
}
