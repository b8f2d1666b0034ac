//! Reports of a sweep: after every step, at the end, and the statistics of all its sessions.
//!
//! An observer receives the reports, and can suspend or stop the sweep.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::totals::ResourceUsage;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::pulse::Command;
use crate::frontier::state::tally::StepTally;

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
    pub tally: StepTally,
    /// Resources in use, summed over all ranks.
    pub usage: ResourceUsage,
    /// Seconds that the step took.
    pub seconds: f64,
    /// Seconds since the sweep started.
    pub elapsed: f64,
}

/// Receives the events of a sweep and decides whether it continues.
pub trait Observer: Send {
    /// Called after every step; `Break` stops the sweep with
    /// [`Error::Stopped`](crate::frontier::Error::Stopped).
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// Called when a shorter board of a series is complete, with its index (ascending from 0) and its count.
    /// Called again from index 0 if the sweep has to restart.
    fn on_shorter_board(&mut self, _number: usize, _count: &BigUint) {}

    /// Called after every chunk, hundreds to thousands of times per step; returns the command for the sweep.
    fn poll(&mut self) -> Command {
        Command::Continue
    }

    /// Called after a chunk: `steps` steps are done, and this fraction of the next, 0 to 1.
    fn on_step_fraction(&mut self, _steps: usize, _part: f64) {}

    /// Called when the sweep starts to write its layer to the store.
    fn on_saving(&mut self) {}

    /// Called with every snapshot; the chunks that it names stay in the store until the sweep ends.
    fn on_snapshot(&mut self, _snapshot: &Snapshot) {}

    /// Called with the reason when a snapshot could not be written; the sweep continues.
    fn on_save_error(&mut self, _why: &str) {}
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An observer that stops a sweep when it is cancelled.
pub struct CancelObserver<'a>(pub &'a Cancel);

impl Observer for CancelObserver<'_> {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn poll(&mut self) -> Command {
        if self.0.is_cancelled() { Command::Stop } else { Command::Continue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_observer_lets_the_sweep_continue() {
        assert_eq!(NoObserver.on_step(&StepReport::default()), ControlFlow::Continue(()));
        assert_eq!(NoObserver.poll(), Command::Continue);
    }
}
