//! One step of a sweep: the processing of one vertex.

use crate::frontier::problem::slot::Slot;

/// A neighbour that is processed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// Where it sits.
    pub slot: Slot,
    /// Whether this step touches it first.
    pub fresh: bool,
    /// The factor of the edge to it.
    pub factor: i32,
}

/// The processing of one vertex: all its edges ahead are decided, and it leaves the frontier, unless it *stays*.
#[derive(Clone, Debug)]
pub struct Step {
    /// The vertex.
    pub vertex: usize,
    /// Its slot, unless nothing has touched it yet.
    pub slot: Option<Slot>,
    /// Its neighbours that are still ahead.
    pub later: Vec<Later>,
    /// Whether it stays on the frontier: only the edges to `later` are decided, and more may follow.
    pub stays: bool,
    /// Slot of the neighbour that it must be joined to.
    pub compulsory: Option<Slot>,
    /// Slots in use after the step.
    pub occupied: u64,
    /// Image of each slot under a mirror that may fold the layer after this step.
    pub mirror: Option<Vec<Slot>>,
}
