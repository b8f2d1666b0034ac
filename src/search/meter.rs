//! How far a run of units has come.
//!
//! Workers report each finished unit; whoever shows progress reads a [`Reading`]
//! now and then. Units differ in size by orders of magnitude, so their number says
//! little: once estimates of their nodes are known, progress is weighted by them.
//! One short lock a unit; nothing is touched in between.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Shared between the workers of a run, its progress display and whoever stops it.
#[derive(Debug)]
pub struct Meter {
    stop: Arc<AtomicBool>,
    wanted: bool,
    log: Option<fn(&str)>,
    inner: Mutex<Inner>,
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

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Default for Meter {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Meter {
    /// A meter; `wanted` if somebody reads it, so that estimates are worth their while.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        let inner = Inner {
            began: Instant::now(),
            done: Vec::new(),
            units: 0,
            units_done: 0,
            nodes: 0,
            tours: 0,
            estimates: None,
            left: 0.0,
            sweep: None,
        };
        Self { stop: Arc::default(), wanted, log: None, inner: Mutex::new(inner) }
    }

    /// The same with a function that is told every step of a sweep.
    #[must_use]
    pub fn with_log(self, log: Option<fn(&str)>) -> Self {
        Self { log, ..self }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether estimates are worth their while.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Asks the run to end soon, unfinished.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The flag behind [`Meter::stop`].
    #[must_use]
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A new run begins: the scheduled units, out of `units` in all, are to be done.
    pub fn begin(&self, units: usize, scheduled: &[u32]) {
        let mut inner = self.lock();
        inner.began = Instant::now();
        inner.done = vec![true; units];
        for &unit in scheduled {
            inner.done[unit as usize] = false;
        }
        inner.units = scheduled.len();
        inner.units_done = 0;
        inner.nodes = 0;
        inner.tours = 0;
        inner.estimates = None;
        inner.left = 0.0;
        inner.sweep = None;
    }

    /// Estimated nodes of each unit.
    pub fn set_estimates(&self, estimates: Vec<f64>) {
        let mut inner = self.lock();
        if estimates.len() == inner.done.len() {
            inner.left = estimates.iter().zip(&inner.done).filter(|(_, done)| !**done).map(|(e, _)| e).sum();
            inner.estimates = Some(estimates);
        }
    }

    /// A step of a sweep is done.
    pub fn sweep_step(&self, step: usize, steps: usize, states: u64, bytes: u64) {
        self.lock().sweep = Some(SweepReading { step, steps, states, bytes });
    }

    /// Tells a line to whoever wants every step.
    pub fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log(&line());
        }
    }

    /// A unit is finished; `tours` counts images by symmetry.
    pub fn unit_done(&self, unit: usize, nodes: u64, tours: u128) {
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

    /// How far the run is.
    #[must_use]
    pub fn read(&self) -> Reading {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_weighted_once_estimates_are_known() {
        let meter = Meter::new(true);
        assert_eq!(meter.read().fraction, 0.0);
        meter.begin(5, &[0, 1, 2, 3]);
        meter.unit_done(0, 10, 3);
        meter.unit_done(0, 10, 3);
        assert_eq!(meter.read().fraction, 0.25);
        meter.set_estimates(vec![10.0, 30.0, 30.0, 30.0, 99.0]);
        let reading = meter.read();
        assert!((reading.fraction - 0.1).abs() < 1e-12);
        assert_eq!((reading.nodes, reading.tours, reading.units_done), (10, 3, 1));
        for unit in 1..4 {
            meter.unit_done(unit, 20, 0);
        }
        assert_eq!(meter.read().fraction, 1.0);
        assert_eq!(meter.read().seconds_left(), Some(0.0));
    }
}
