//! Where listed tours come from: units of work, each with its tours in their order.

use std::ops::ControlFlow;

use crate::tour::TourKind;

use super::stop::Stop;

/// Takes one tour after the other: what it is, and its vertices in order of visit. `Break` if no more are wanted.
pub type Taker<'a> = dyn FnMut(TourKind, &[u32]) -> ControlFlow<()> + 'a;

/// Tours to be listed. The list is that of the units, one after the other, whoever works on them.
pub trait Source: Sync {
    /// Number of units.
    fn units(&self) -> usize;

    /// Hands on the tours of a unit, until `take` breaks off or `stop` is raised.
    fn give(&self, unit: usize, stop: Stop<'_>, take: &mut Taker<'_>) -> Effort;
}

/// What a unit took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes visited.
    pub nodes: u64,
    /// Tours handed on.
    pub tours: u128,
}
