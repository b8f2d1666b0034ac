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
use std::time::Instant;

use crate::lock::lock;

/// Ends a run and tells how far it is. Copies speak of the same run.
#[derive(Clone, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    watched: bool,
    log: Option<Log>,
    allocator: Option<Allocator>,
    inner: Arc<Mutex<Inner>>,
}

/// Told every step of a sweep, in a line of text.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Does what a sweep wishes of the process's allocator.
pub type Allocator = fn(Wish);

/// What a sweep wishes of the allocator. The library sets no options of the process; a program that does gains
/// speed and keeps closer to a ceiling of memory. With glibc these are calls of `mallopt` and `malloc_trim`:
/// on 8x8 a fifth of the time goes into pages that are given back and asked for again a moment later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wish {
    /// A sweep begins: keep what is freed, a layer as large is asked for a moment later.
    Keep,
    /// Memory has become scarce: give what is freed back to the system from now on.
    GiveBack,
    /// Give back what is free now.
    Trim,
}

#[derive(Debug)]
struct Inner {
    began: Instant,
    /// By unit; those that are not scheduled count as done.
    done: Vec<bool>,
    /// Units scheduled, and how many.
    scheduled: Vec<u32>,
    units: usize,
    units_done: usize,
    nodes: u64,
    tours: u128,
    estimates: Option<Vec<f64>>,
    /// Sum of the estimates of units not done.
    left: f64,
    sweep: Option<SweepReading>,
    course: Option<Course>,
    is_planning: bool,
    /// The greatest part of sweeps that was told: sums of seconds are rounded, and nobody shall see it.
    told: f64,
}

/// How a sweep in progress is spread over its steps.
#[derive(Debug)]
struct Course {
    /// Seconds expected until each step begins, and until the end.
    until: Vec<f64>,
    /// Steps done, and part of the next.
    done: f64,
    /// Seconds of the run and its part done when the sweep began or went on.
    since: (f64, f64),
}

impl Course {
    /// Seconds expected for what is done.
    fn seconds(&self) -> f64 {
        let last = self.until.len() - 1;
        let step = (self.done as usize).min(last);
        let next = self.until[(step + 1).min(last)];
        self.until[step] + (next - self.until[step]) * (self.done - step as f64).clamp(0.0, 1.0)
    }

    fn whole(&self) -> f64 {
        self.until[self.until.len() - 1]
    }
}

impl Inner {
    /// Seconds expected of all scheduled sweeps, and of what is done of them.
    fn expected(&self, course: &Course) -> (f64, f64) {
        let (whole, units) = (course.whole(), self.units as f64);
        // Without estimates all sweeps are as long as this one.
        let Some(of_units) = &self.estimates else {
            return (whole * units, whole * self.units_done as f64 + course.seconds());
        };
        let all = self.scheduled.iter().map(|&unit| of_units[unit as usize]).sum::<f64>().max(whole);
        let left = self.left.max(whole);
        (all, (all - left).max(0.0) + course.seconds())
    }

    fn fraction(&self) -> f64 {
        let nodes = self.nodes as f64;
        let fraction = match (&self.course, &self.estimates, self.units) {
            (_, _, 0) => 0.0,
            (_, _, units) if self.units_done == units => 1.0,
            (Some(course), ..) => {
                let (all, done) = self.expected(course);
                if all > 0.0 { done / all } else { self.units_done as f64 / self.units as f64 }
            }
            (None, Some(_), _) if nodes + self.left > 0.0 => nodes / (nodes + self.left.max(0.0)),
            (None, _, units) => self.units_done as f64 / units as f64,
        };
        fraction.clamp(0.0, 1.0)
    }
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            done: Vec::new(),
            units: 0,
            units_done: 0,
            nodes: 0,
            tours: 0,
            estimates: None,
            left: 0.0,
            sweep: None,
            course: None,
            is_planning: false,
            told: 0.0,
            scheduled: Vec::new(),
        }
    }
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// Units finished.
    pub units_done: usize,
    /// Units scheduled; 0 before the run has been split.
    pub units: usize,
    /// Nodes visited in finished units.
    pub nodes: u64,
    /// Tours found in finished units, images by symmetry included.
    pub tours: u128,
    /// Part of the work done, 0 to 1: of a sweep by the seconds that its steps were estimated to take, otherwise by
    /// estimated nodes if there are estimates, or by units.
    pub fraction: f64,
    /// Since the units were set out.
    pub seconds: f64,
    /// The sweep in progress, if the run sweeps.
    pub sweep: Option<SweepReading>,
    /// Whether a sweep is being planned or sized at the moment.
    pub is_planning: bool,
    /// Seconds, and the part that was done, when the work at hand was begun or gone on with.
    pub since: (f64, f64),
    /// Seconds that all was expected to take, if that was estimated.
    pub expected: Option<f64>,
}

/// Part of a run from which on its own rate says better how long it will take than the estimate.
const RATED: f64 = 0.02;

/// A moment of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepReading {
    /// Steps done.
    pub step: usize,
    /// Steps in all.
    pub steps: usize,
    /// States of the present layer.
    pub states: u64,
    /// Bytes held.
    pub bytes: u64,
}

impl Reading {
    /// Seconds left at the present rate, once there is a rate.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        let (seconds, fraction) = self.since;
        let (taken, done, left) = (self.seconds - seconds, self.fraction - fraction, 1.0 - self.fraction);
        match self.expected {
            Some(expected) if done < RATED => Some(expected * left),
            _ => (done > 0.0).then(|| taken * left / done),
        }
    }
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

    /// The same, for whoever reads progress: units are estimated then, on a thread of its own.
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

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
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
        let mut inner = self.lock();
        let mut fraction = inner.fraction();
        if inner.course.is_some() {
            inner.told = inner.told.max(fraction);
            fraction = inner.told;
        }
        Reading {
            units_done: inner.units_done,
            units: inner.units,
            nodes: inner.nodes,
            tours: inner.tours,
            fraction,
            seconds: inner.began.elapsed().as_secs_f64(),
            sweep: inner.sweep,
            is_planning: inner.is_planning,
            since: inner.course.as_ref().map_or((0.0, 0.0), |course| course.since),
            expected: inner.course.as_ref().map(|course| inner.expected(course).0),
        }
    }

    /// A new run begins: the scheduled units, out of `units` in all, are to be done.
    pub(crate) fn begin(&self, units: usize, scheduled: &[u32]) {
        let mut done = vec![true; units];
        for &unit in scheduled {
            done[unit as usize] = false;
        }
        let scheduled = scheduled.to_vec();
        *self.lock() = Inner { done, units: scheduled.len(), scheduled, ..Inner::default() };
    }

    /// Estimated nodes of each unit, or seconds, if units are sweeps.
    pub(crate) fn set_estimates(&self, estimates: Vec<f64>) {
        let mut inner = self.lock();
        if estimates.len() == inner.done.len() {
            inner.left = estimates.iter().zip(&inner.done).filter(|(_, done)| !**done).map(|(e, _)| e).sum();
            inner.estimates = Some(estimates);
        }
    }

    /// A sweep is being planned.
    pub(crate) fn planning(&self) {
        self.lock().is_planning = true;
    }

    /// A sweep begins after so many steps; its steps are expected to take so many seconds each.
    pub(crate) fn sweep_begins(&self, step_seconds: &[f64], first: usize) {
        let mut until = vec![0.0];
        step_seconds.iter().for_each(|seconds| until.push(until[until.len() - 1] + seconds));
        let mut inner = self.lock();
        inner.is_planning = false;
        inner.sweep = None;
        // Once sweeps run one after the other, the rate of those before counts as well.
        let before = inner.course.take().map(|course| course.since);
        inner.course = Some(Course { until, done: first as f64, since: (0.0, 0.0) });
        let now = (inner.began.elapsed().as_secs_f64(), inner.fraction());
        if let Some(course) = &mut inner.course {
            course.since = before.unwrap_or(now);
        }
    }

    /// A step of a sweep is done.
    pub(crate) fn sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        let mut inner = self.lock();
        inner.sweep = Some(SweepReading { step, steps, states, bytes });
        inner.is_planning = false;
        if let Some(course) = &mut inner.course {
            course.done = course.done.max(step as f64);
        }
    }

    /// After so many steps of a sweep, this part of the next is done.
    pub(crate) fn sweep_part(&self, step: usize, part: f64) {
        if let Some(course) = &mut self.lock().course {
            course.done = course.done.max(step as f64 + part.clamp(0.0, 1.0));
        }
    }

    /// Tells a line to whoever wants every step.
    pub(crate) fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log(&line());
        }
    }

    /// A unit is finished; `tours` counts images by symmetry.
    pub(crate) fn unit_done(&self, unit: usize, nodes: u64, tours: u128) {
        let mut inner = self.lock();
        if std::mem::replace(&mut inner.done[unit], true) {
            return;
        }
        inner.units_done += 1;
        inner.nodes += nodes;
        inner.tours += tours;
        let estimate = inner.estimates.as_ref().map_or(0.0, |e| e[unit]);
        inner.left -= estimate;
        if let Some(course) = &mut inner.course {
            // What is done is among the units now.
            course.until = vec![0.0, 0.0];
            course.done = 0.0;
        }
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
        for unit in 1..4 {
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
