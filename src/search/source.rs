//! A [`TourSource`] gives the tours of numbered units; a [`TourSink`] takes them one by one.

use std::ops::ControlFlow;

use crate::tour::TourKind;

use super::stop::Stop;

/// Function that takes a tour: its kind and its vertices in order of visit. Returns `Break` if no more tours
/// are needed.
pub type Taker<'a> = dyn FnMut(TourKind, &[u32]) -> ControlFlow<()> + 'a;

/// Tours to be listed, by unit. The list is the units' tours in order of the units, for any assignment of
/// units to threads.
pub trait Source: Sync {
    /// Returns the number of units.
    fn units(&self) -> usize;

    /// Passes the tours of a unit to `sink`, until `sink` breaks or `stop` is set.
    fn give(&self, unit: usize, stop: Stop<'_>, take: &mut Taker<'_>) -> Effort;
}

/// Work done for a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes visited.
    pub nodes: u64,
    /// Tours passed to the sink.
    pub tours: u128,
}
