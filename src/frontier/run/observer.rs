//! Reports of a sweep: after every step, at the end, and the statistics of all its sessions.
//!
//! An observer receives the reports, and can suspend or stop the sweep.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::totals::Usage;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::state::tally::Tally;

/// The result of a step and the resources in use after it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of steps done.
    pub step: usize,
    /// Number of steps in all.
    pub steps: usize,
    /// The vertex that the step processed; the number of squares stands for the apex.
    pub vertex: usize,
    /// Vertices on the frontier after the step.
    pub frontier: u32,
    /// The counters of the step and of the layer after it.
    pub tally: Tally,
    /// Resources in use, summed over all ranks.
    pub usage: Usage,
    /// Seconds that the step took.
    pub seconds: f64,
    /// Seconds since the sweep started.
    pub elapsed: f64,
}

/// Receives the events of a sweep and decides whether it continues.
pub trait Observer: Send {
    /// Called after every step; `Break` stops the sweep with
    /// [`Error::Stopped`](crate::frontier::Error::Stopped).
    fn step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// Called when a shorter board of a series is complete, with its index (ascending from 0) and its count.
    /// Called again from index 0 if the sweep has to restart.
    fn shorter(&mut self, _number: usize, _count: &BigUint) {}

    /// Called after every chunk, hundreds to thousands of times per step; returns the command for the sweep.
    fn pulse(&mut self) -> Pulse {
        Pulse::Go
    }

    /// Called after a chunk: `steps` steps are done, and this fraction of the next, 0 to 1.
    fn part(&mut self, _steps: usize, _part: f64) {}

    /// Called when the sweep starts to write its layer to the store.
    fn saving(&mut self) {}

    /// Called with every snapshot; the chunks that it names stay in the store until the sweep ends.
    fn save(&mut self, _snapshot: &Snapshot) {}

    /// Called with the reason when a snapshot could not be written; the sweep continues.
    fn not_saved(&mut self, _why: &str) {}
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An observer that stops a sweep when it is cancelled.
pub struct Patient<'a>(pub &'a Cancel);

impl Observer for Patient<'_> {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pulse(&mut self) -> Pulse {
        if self.0.is_cancelled() { Pulse::Stop } else { Pulse::Go }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_watches_nothing_wants_nothing() {
        assert_eq!(Silent.step(&StepReport::default()), ControlFlow::Continue(()));
        assert_eq!(Silent.pulse(), Pulse::Go);
    }
}
