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
    /// Units scheduled.
    units: usize,
    units_done: usize,
    nodes: u64,
    tours: u128,
    estimates: Option<Vec<f64>>,
    /// Sum of the estimates of units not done.
    left: f64,
    sweep: Option<SweepReading>,
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
    /// Part of the work done, 0 to 1: by estimated nodes if there are estimates, by units otherwise.
    pub fraction: f64,
    /// Since the units were set out.
    pub seconds: f64,
    /// The sweep in progress, if the run sweeps.
    pub sweep: Option<SweepReading>,
}

/// A moment of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        (self.fraction > 0.0).then(|| self.seconds * (1.0 - self.fraction) / self.fraction)
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
        let inner = self.lock();
        let units = inner.units;
        let nodes = inner.nodes as f64;
        let fraction = match (&inner.estimates, units) {
            (_, 0) => 0.0,
            (_, units) if inner.units_done == units => 1.0,
            (Some(_), _) if nodes + inner.left > 0.0 => nodes / (nodes + inner.left.max(0.0)),
            _ => inner.units_done as f64 / units as f64,
        };
        Reading {
            units_done: inner.units_done,
            units,
            nodes: inner.nodes,
            tours: inner.tours,
            fraction: fraction.clamp(0.0, 1.0),
            seconds: inner.began.elapsed().as_secs_f64(),
            sweep: inner.sweep,
        }
    }

    /// A new run begins: the scheduled units, out of `units` in all, are to be done.
    pub(crate) fn begin(&self, units: usize, scheduled: &[u32]) {
        let mut done = vec![true; units];
        for &unit in scheduled {
            done[unit as usize] = false;
        }
        *self.lock() = Inner { done, units: scheduled.len(), ..Inner::default() };
    }

    /// Estimated nodes of each unit.
    pub(crate) fn set_estimates(&self, estimates: Vec<f64>) {
        let mut inner = self.lock();
        if estimates.len() == inner.done.len() {
            inner.left = estimates.iter().zip(&inner.done).filter(|(_, done)| !**done).map(|(e, _)| e).sum();
            inner.estimates = Some(estimates);
        }
    }

    /// A step of a sweep is done.
    pub(crate) fn sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        self.lock().sweep = Some(SweepReading { step, steps, states, bytes });
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
