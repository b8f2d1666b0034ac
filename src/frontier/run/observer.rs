//! Watching a sweep: a report after every step, and the chance to stop it.

use std::ops::ControlFlow;

use crate::frontier::layer::snapshot::Snapshot;

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
    /// Degree signatures present.
    pub signatures: u64,
    /// States present: signatures with a matching that some configuration has.
    pub states: u64,
    /// Weights held, zeros included.
    pub weights: u64,
    /// Weights read and added in the step.
    pub transitions: u64,
    /// Signatures reached but dropped because no completion has such degrees.
    pub pruned: u64,
    /// Signatures merged with their mirror image.
    pub folded: u64,
    /// Bits of the greatest weight, at most.
    pub weight_bits: u32,
    /// Bytes held by layer and tables, by all ranks.
    pub bytes: u64,
    /// Bytes of the layer in the store.
    pub stored: u64,
    /// Bytes sent to other ranks in the step.
    pub sent: u64,
    /// Seconds the step took.
    pub seconds: f64,
    /// Seconds since the sweep began.
    pub elapsed: f64,
}

/// What an observer wants between two chunks of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Pulse {
    /// Nothing.
    Go,
    /// A snapshot, if the sweep has a store.
    Save,
    /// A snapshot, if the sweep has a store, and then the end, with [`Error::Stopped`](crate::frontier::Error::Stopped).
    Stop,
}

/// Somebody who watches a sweep.
pub trait Observer: Send {
    /// Called after every step; `Break` stops the sweep with [`Error::Stopped`](crate::frontier::Error::Stopped).
    fn step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// Called after every chunk, some hundred or thousand times a step.
    fn pulse(&mut self) -> Pulse {
        Pulse::Go
    }

    /// Called when the sweep begins to bring its layer to the store.
    fn resting(&mut self) {}

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

/// Keeps all reports.
#[derive(Clone, Debug, Default)]
pub struct Journal(pub Vec<StepReport>);

impl Observer for Journal {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.0.push(report.clone());
        ControlFlow::Continue(())
    }
}
