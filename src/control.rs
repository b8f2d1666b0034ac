//! Following a run, and ending it: the one value that whoever starts a run shares with it.
//!
//! A [`Control`] is a handle: a copy given to another thread, to a signal handler (its [flag](Control::flag)) or to
//! a display speaks of the same run. Workers report each finished unit; whoever shows progress takes a [`Reading`]
//! now and then. Units differ in size by orders of magnitude, so their number says little: once estimates of
//! their nodes are known, progress is weighted by them. One short lock a unit; nothing is touched in between.
//!
//! ```
//! use ktour::board::Arena;
//! use ktour::control::Control;
//! use ktour::count::{CountError, Request, count};
//!
//! let control = Control::new();
//! let other = control.clone();
//! std::thread::spawn(move || other.cancel()).join().unwrap();
//! let request = Request::new("6x6".parse::<Arena>()?);
//! assert!(matches!(count(&request, &control), Err(CountError::Stopped(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;
use crate::progress::Tracker;
pub use crate::progress::{Reading, SweepReading};

/// Ends a run and tells how far it is. Copies speak of the same run.
#[derive(Clone, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    watched: bool,
    log: Option<Log>,
    allocator: Option<Allocator>,
    tracker: Arc<Mutex<Tracker>>,
}

/// Told every step of a sweep, in a line of text.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Does what a sweep wishes of the process's allocator, and says how many bytes of memory the process takes then, if it
/// knows. Where these are more than it may take, sweeps hold less.
pub type Allocator = fn(Wish) -> Option<u64>;

/// What a sweep wishes of the allocator. The library sets no options of the process; a program that does gains
/// speed and keeps closer to a ceiling of memory. With glibc these are calls of `mallopt` and `malloc_trim`:
/// on 8x8 a fifth of the time goes into pages that are given back and asked for again a moment later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wish {
    /// A sweep begins: keep what is freed, a layer as large is asked for a moment later.
    Keep,
    /// Give back what is free now, if the process takes more than so many bytes.
    Below(u64),
    /// Give back what is free now.
    Trim,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Control");
        debug.field("cancelled", &self.is_cancelled()).field("watched", &self.watched);
        debug.field("reading", &self.reading()).finish_non_exhaustive()
    }
}

impl Control {
    /// The control of a run that goes on to its end unless it is cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, for whoever reads progress: units are estimated then, on a thread of its own, if there is much to do.
    #[must_use]
    pub fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// The same with a function that is told every step of a sweep, on the thread that sweeps.
    #[must_use]
    pub fn with_log(self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(log)), ..self }
    }

    /// The same with a function that does what sweeps wish of the allocator, on whichever thread.
    #[must_use]
    pub fn with_allocator(self, allocator: Allocator) -> Self {
        Self { allocator: Some(allocator), ..self }
    }

    /// One for work beside the run: it ends with it, and nobody is told how far it is.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { cancelled: Arc::clone(&self.cancelled), allocator: self.allocator, ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Tracker> {
        lock(&self.tracker)
    }

    /// Asks the run to end soon, unfinished.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag behind [`Control::cancel`].
    #[must_use]
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// Whether somebody reads progress, so that estimates are worth their while.
    #[must_use]
    pub const fn is_watched(&self) -> bool {
        self.watched
    }

    /// Does what sweeps wish of the allocator, if somebody does.
    #[must_use]
    pub const fn allocator(&self) -> Option<Allocator> {
        self.allocator
    }

    /// How far the run is.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.lock().reading()
    }

    /// A new run begins: the scheduled units, out of `units` in all, are to be done.
    pub(crate) fn begin(&self, units: usize, scheduled: &[u32]) {
        self.lock().begin(units, scheduled);
    }

    /// Estimated nodes of each unit, or seconds, if units are sweeps.
    pub(crate) fn set_estimates(&self, estimates: Vec<f64>) {
        self.lock().set_estimates(estimates);
    }

    /// A sweep is being planned.
    pub(crate) fn planning(&self) {
        self.lock().planning();
    }

    /// A sweep begins after so many steps; its steps are expected to take so many seconds each.
    pub(crate) fn sweep_begins(&self, step_seconds: &[f64], first: usize) {
        self.lock().sweep_begins(step_seconds, first);
    }

    /// A step of a sweep is done.
    pub(crate) fn sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        self.lock().sweep_step(SweepReading { step, steps, states, bytes });
    }

    /// After so many steps of a sweep, this part of the next is done.
    pub(crate) fn sweep_part(&self, step: usize, part: f64) {
        self.lock().sweep_part(step, part);
    }

    /// Tells a line to whoever wants every step.
    pub(crate) fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log(&line());
        }
    }

    /// A new run of several rounds that take about as long as each other, such as sweeps, or terms of a sequence.
    pub fn begin_rounds(&self, rounds: usize) {
        let all: Vec<u32> = (0..u32::try_from(rounds).unwrap_or(u32::MAX).max(1)).collect();
        self.begin(all.len(), &all);
    }

    /// The round at hand is finished; more than there were to be are the last one.
    pub fn round_done(&self) {
        let mut tracker = self.lock();
        let unit = tracker.reading().units_done;
        if unit < tracker.reading().units {
            tracker.unit_done(unit, 0, 0);
        }
    }

    /// A unit is finished; `tours` counts images by symmetry.
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
        // Most of this one was remembered.
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
        // Gone on with at a half, after two seconds of planning.
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
