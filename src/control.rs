//! Progress and cancellation of a run.
//!
//! A [`Control`] is a handle. Its clones share one run: give one to another thread, to a display, or give its
//! [flag](Control::cancel_flag) to a signal handler. Workers report each finished unit; a display reads a
//! [`ProgressSnapshot`] now and then.
//!
//! Units differ in size by orders of magnitude, so their number is a poor measure of progress. As soon as
//! estimates of the nodes of the units exist, the fraction is weighted by them. Cost: one short lock a unit,
//! nothing in between.
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

use crate::lock::lock;
use crate::progress::Tracker;
pub use crate::progress::{Reading, SweepReading};

/// Handle that cancels a run and reads its progress. Clones share the run.
#[derive(Clone, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    watched: bool,
    log: Option<Log>,
    allocator: Option<Allocator>,
    tracker: Arc<Mutex<Tracker>>,
}

/// Receives a line of text for every step of a sweep.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Function that carries out an [`AllocatorRequest`]. Returns the resident memory of the process afterwards,
/// in bytes, or `None` if unknown. A sweep holds less in memory if that number exceeds its limit.
pub type Allocator = fn(Wish) -> Option<u64>;

/// Request of a sweep to the memory allocator of the process.
///
/// The library changes no options of the process. A program that carries out these requests gains speed and
/// stays closer to a memory limit. With glibc they are calls of `mallopt` and `malloc_trim`: on 8x8, a fifth
/// of the time is spent on pages that are returned to the system and requested again a moment later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wish {
    /// A sweep begins: keep freed memory in the process, because the next layer needs as much a moment later.
    Keep,
    /// Return free memory to the system if the process holds more than this number of bytes.
    Below(u64),
    /// Return all free memory to the system.
    Trim,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Control");
        debug.field("cancelled", &self.is_cancelled()).field("has_progress_reader", &self.watched);
        debug.field("reading", &self.reading()).finish_non_exhaustive()
    }
}

impl Control {
    /// Creates the control of a run that ends by itself unless it is cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks the run as watched by a progress display. Large runs then estimate their units, on an extra
    /// thread.
    #[must_use]
    pub fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// Sets a function that receives a line for every step of a sweep. The function runs on the sweeping
    /// thread.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }

    /// Sets the function that carries out allocator requests of sweeps. It runs on any thread.
    #[must_use]
    pub fn with_allocator(self, allocator: Allocator) -> Self {
        Self { allocator: Some(allocator), ..self }
    }

    /// Returns a control for work that accompanies the run: it is cancelled together with the run, but its
    /// progress is not part of the run's.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { cancelled: Arc::clone(&self.cancelled), allocator: self.allocator, ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Tracker> {
        lock(&self.tracker)
    }

    /// Requests that the run stops soon, unfinished.
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
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// Returns true if a display reads the progress, so that estimates are worth their cost.
    #[must_use]
    pub const fn is_watched(&self) -> bool {
        self.watched
    }

    /// Returns the function that carries out allocator requests, if one is set.
    #[must_use]
    pub const fn allocator(&self) -> Option<Allocator> {
        self.allocator
    }

    /// Returns the present progress of the run.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.lock().reading()
    }

    /// Starts a new run of `units` units, of which the `scheduled` ones remain to be done.
    pub(crate) fn begin(&self, units: usize, scheduled: &[u32]) {
        self.lock().begin(units, scheduled);
    }

    /// Sets the estimate of each unit: its nodes, or its seconds if units are sweeps.
    pub(crate) fn set_estimates(&self, estimates: Vec<f64>) {
        self.lock().set_estimates(estimates);
    }

    /// Marks that a sweep is being planned.
    pub(crate) fn planning(&self) {
        self.lock().planning();
    }

    /// Starts a sweep that has `first` steps done. `step_seconds` holds the expected seconds of each step.
    pub(crate) fn sweep_begins(&self, step_seconds: &[f64], first: usize) {
        self.lock().sweep_begins(step_seconds, first);
    }

    /// Records that `step` of `steps` steps of the sweep are done, the states of the present layer and the
    /// bytes held.
    pub(crate) fn sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        self.lock().sweep_step(SweepReading { step, steps, states, bytes });
    }

    /// Records that the given fraction of the step after the first `step` ones is done.
    pub(crate) fn sweep_part(&self, step: usize, part: f64) {
        self.lock().sweep_part(step, part);
    }

    /// Passes a line to the log function, if one is set.
    pub(crate) fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log(&line());
        }
    }

    /// Starts a new run of `rounds` rounds that take about equally long, such as sweeps or terms of a
    /// sequence.
    pub fn begin_rounds(&self, rounds: usize) {
        let all: Vec<u32> = (0..u32::try_from(rounds).unwrap_or(u32::MAX).max(1)).collect();
        self.begin(all.len(), &all);
    }

    /// Finishes the present round. Calls beyond the last round have no effect.
    pub fn round_done(&self) {
        let mut tracker = self.lock();
        let unit = tracker.reading().units_done;
        if unit < tracker.reading().units {
            tracker.unit_done(unit, 0, 0);
        }
    }

    /// Finishes a unit; `tours` includes the images by symmetry.
    pub(crate) fn unit_done(&self, unit: usize, nodes: u64, tours: u128) {
        self.lock().unit_done(unit, nodes, tours);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_weighted_once_estimates_are_known() {
        let control = Control::new().watched();
        assert_eq!(control.reading().fraction, 0.0);
        control.begin(5, &[0, 1, 2, 3]);
        control.unit_done(0, 10, 3);
        control.unit_done(0, 10, 3);
        assert_eq!(control.reading().fraction, 0.25);
        control.set_estimates(vec![10.0, 30.0, 30.0, 30.0, 99.0]);
        let reading = control.reading();
        assert!((reading.fraction - 0.1).abs() < 1e-12);
        assert_eq!((reading.nodes, reading.tours, reading.units_done), (10, 3, 1));
        // The transposition table saved most nodes of this unit.
        control.unit_done(1, 1, 0);
        assert!((control.reading().fraction - 0.4).abs() < 1e-12);
        for unit in 2..4 {
            control.unit_done(unit, 20, 0);
        }
        assert_eq!(control.reading().fraction, 1.0);
        assert_eq!(control.reading().seconds_left(), Some(0.0));
    }

    #[test]
    fn a_sweep_is_as_far_as_the_seconds_of_its_steps() {
        let control = Control::new();
        control.begin(3, &[0, 2]);
        control.set_estimates(vec![10.0, 99.0, 30.0]);
        control.planning();
        assert!(control.reading().is_planning);
        control.sweep_begins(&[1.0, 6.0, 3.0], 0);
        let mut fractions = vec![control.reading().fraction];
        let mut note = || {
            let reading = control.reading();
            fractions.push(reading.fraction);
            assert!(!reading.is_planning && reading.expected == Some(40.0));
        };
        control.sweep_step(1, 3, 5, 100);
        note();
        for part in [0.1, 0.5, 0.4, 1.0] {
            control.sweep_part(1, part);
            note();
        }
        control.sweep_step(2, 3, 5, 100);
        note();
        control.sweep_step(3, 3, 1, 100);
        note();
        control.unit_done(0, 7, 7);
        note();
        control.sweep_begins(&[10.0, 20.0], 0);
        control.sweep_step(1, 2, 1, 100);
        note();
        control.sweep_step(2, 2, 1, 100);
        note();
        control.unit_done(2, 7, 7);
        note();
        assert!(fractions.is_sorted(), "{fractions:?}");
        for (place, expected) in [(1, 0.025), (3, 0.1), (5, 0.175), (7, 0.25), (8, 0.25), (9, 0.5), (11, 1.0)]
        {
            assert!((fractions[place] - expected).abs() < 1e-9, "{place}: {fractions:?}");
        }
    }

    #[test]
    fn time_left_is_by_the_estimate_at_first_and_by_the_rate_then() {
        let reading = |fraction, seconds, since| Reading {
            fraction,
            seconds,
            since,
            expected: Some(100.0),
            ..Reading::default()
        };
        assert_eq!(reading(0.01, 5.0, (0.0, 0.0)).seconds_left(), Some(99.0));
        assert_eq!(reading(0.25, 50.0, (0.0, 0.0)).seconds_left(), Some(150.0));
        // Resumed at one half, after two seconds of planning.
        assert_eq!(reading(0.75, 12.0, (2.0, 0.5)).seconds_left(), Some(10.0));
        assert_eq!(Reading { expected: None, ..reading(0.0, 5.0, (0.0, 0.0)) }.seconds_left(), None);
    }

    #[test]
    fn copies_speak_of_the_same_run() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&told);
        let control = Control::new().with_log(move |line| sink.lock().unwrap().push(line.to_owned()));
        let copy = control.clone();
        assert!(!control.is_cancelled());
        control.log(|| "one".to_owned());
        copy.log(|| "two".to_owned());
        copy.sweep_step(1, 9, 5, 100);
        copy.cancel();
        assert!(control.is_cancelled() && control.flag().load(Ordering::Relaxed));
        assert_eq!(*told.lock().unwrap(), ["one", "two"]);
        assert_eq!(control.reading().sweep, Some(SweepReading { step: 1, steps: 9, states: 5, bytes: 100 }));
        assert!(format!("{copy:?}").contains("cancelled: true"));
    }
}
