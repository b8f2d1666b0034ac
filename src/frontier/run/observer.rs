//! Watching a sweep: a report after every step, and the chance to stop it.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::totals::Usage;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::state::tally::Tally;

/// What a step did and what the sweep holds after it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Steps done, from 1.
    pub step: usize,
    /// Steps in all.
    pub steps: usize,
    /// The vertex just processed (the number of squares stands for the apex).
    pub vertex: usize,
    /// Vertices on the frontier.
    pub frontier: u32,
    /// What was counted in the step and after it.
    pub tally: Tally,
    /// What the sweep uses, all ranks together.
    pub usage: Usage,
    /// Seconds the step took.
    pub seconds: f64,
    /// Seconds since the sweep began.
    pub elapsed: f64,
}

/// Somebody who watches a sweep.
pub trait Observer: Send {
    /// Called after every step; `Break` stops the sweep with [`Error::Stopped`](crate::frontier::Error::Stopped).
    fn step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// Called when the shorter board of a family that has this number is done, in their order from 0; again from the
    /// first, if the sweep has to begin again.
    fn shorter(&mut self, _number: usize, _count: &BigUint) {}

    /// Called after every chunk, some hundred or thousand times a step.
    fn pulse(&mut self) -> Pulse {
        Pulse::Go
    }

    /// Called after a chunk: after `steps` steps this part of the next is done, 0 to 1.
    fn part(&mut self, _steps: usize, _part: f64) {}

    /// Called when the sweep begins to bring its layer to the store.
    fn saving(&mut self) {}

    /// Called with every snapshot; what it names stays in the store until the sweep is done with it.
    fn save(&mut self, _snapshot: &Snapshot) {}

    /// Called when a snapshot could not be made; the sweep goes on.
    fn not_saved(&mut self, _why: &str) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Watches a trial until nobody wants it any more.
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
