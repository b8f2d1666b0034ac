//! A [`TourSource`] gives the tours of numbered units; a [`TourSink`] takes them one by one.

use std::ops::ControlFlow;

use crate::tour::TourKind;

use super::stop::StopFlags;

/// Function that takes a tour: its kind and its vertices in order of visit. Returns `Break` if no more tours
/// are needed.
pub type TourSink<'a> = dyn FnMut(TourKind, &[u32]) -> ControlFlow<()> + 'a;

/// Tours to be listed, by unit. The list is the units' tours in order of the units, for any assignment of
/// units to threads.
pub trait TourSource: Sync {
    /// Returns the number of units.
    fn unit_count(&self) -> usize;

    /// Passes the tours of a unit to `sink`, until `sink` breaks or `stop` is set.
    fn search_unit(&self, unit: usize, stop: StopFlags<'_>, sink: &mut TourSink<'_>) -> UnitEffort;
}

/// Work done for a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitEffort {
    /// Nodes visited.
    pub nodes: u64,
    /// Tours passed to the sink.
    pub tours: u128,
}
