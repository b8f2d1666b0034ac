//! The observer of a run: it learns which units are done and how far the others are.
//!
//! A unit can take longer than the time until the run is stopped. So the path-extension search, which can
//! resume inside a unit, reports its position from time to time, and receives it back when the unit starts
//! again.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::sums::{Sums, UnitSums};
use super::watch::Watch;
use crate::frontier::{Observer, Storage};
use crate::lock::lock;

/// Progress of a unit of the path-extension search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Resume position: the search has visited every path before this one in search order.
    pub path: Vec<u8>,
    /// Tours found so far, by last square.
    pub tours: Vec<u64>,
    /// Nodes visited so far.
    pub nodes: u64,
}

/// Receives the progress and the results of work units; called from any worker thread.
pub trait Ledger: Sync {
    /// Returns the saved progress of a unit that starts now.
    fn begin(&self, _unit: usize) -> Option<Part> {
        None
    }

    /// Receives the progress of a running unit.
    fn part(&self, _unit: usize, _part: Part) {}

    /// Receives the sums of a finished unit.
    fn done(&self, unit: usize, sums: &UnitSums);

    /// Returns the resources of a unit that is a sweep. Its observer is `watch`, or another observer that
    /// forwards every call to `watch`.
    fn sitting<'a>(&'a self, _unit: usize, watch: Watch<'a>) -> Sitting<'a> {
        Sitting { storage: Storage::default(), room: None, observer: Box::new(watch) }
    }
}

/// The resources of a sweep while it runs.
pub struct Sitting<'a> {
    /// Spill store, snapshot to resume from, and peer ranks.
    pub storage: Storage<'a>,
    /// Free bytes in the spill store, if known.
    pub room: Option<u64>,
    /// Receives the steps of the sweep and stores its snapshots.
    pub observer: Box<dyn Observer + 'a>,
}

/// Adds the sums of every finished unit and ignores the rest.
impl Ledger for Mutex<Sums> {
    fn done(&self, _: usize, sums: &UnitSums) {
        lock(self).add_unit(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_of_sums_keeps_nothing_else() {
        let sums = Mutex::new(Sums::new(0));
        sums.part(0, Part::default());
        assert_eq!(sums.begin(0), None);
        sums.done(0, &UnitSums { closed: 5u32.into(), ..UnitSums::default() });
        sums.done(1, &UnitSums { closed: 4u32.into(), ..UnitSums::default() });
        assert_eq!(sums.into_inner().unwrap().closed, 9u32.into());
    }
}
