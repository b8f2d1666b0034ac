//! How a sweep finds room outside memory, and rests.

use crate::frontier::{Peers, Snapshot, Store};

/// Lends room to sweeps and keeps what they need to go on.
pub trait Rest: Sync {
    /// Where chunks go that do not fit into memory.
    fn store(&self) -> Option<&dyn Store> {
        None
    }

    /// Bytes that may be put there, if it is known.
    fn room(&self) -> Option<u64> {
        None
    }

    /// The other ranks, if sweeps are shared with them.
    fn peers(&self) -> Option<&dyn Peers> {
        None
    }

    /// Whether snapshots are wanted.
    fn rests(&self) -> bool {
        false
    }

    /// Where a unit was left.
    fn from(&self, _unit: usize) -> Option<Snapshot> {
        None
    }

    /// Whether it is time for a snapshot.
    fn is_due(&self) -> bool {
        false
    }

    /// A snapshot is being made.
    fn resting(&self) {}

    /// Keeps a snapshot of a unit.
    fn save(&self, _unit: usize, _snapshot: &Snapshot) {}

    /// A snapshot could not be made.
    fn not_saved(&self, _why: &str) {}
}
