//! The observer of a run: it learns which units are done and how far the others are.
//!
//! A unit can take longer than the time until the run is stopped. So the path-extension search, which can
//! resume inside a unit, reports its position from time to time, and receives it back when the unit starts
//! again.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::sums::{Sums, UnitSums};
use super::watch::SweepProgress;
use crate::frontier::{Observer, Storage};
use crate::lock::lock;

/// Progress of a unit of the path-extension search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitProgress {
    /// Resume position: the search has visited every path before this one in search order.
    pub path: Vec<u8>,
    /// Tours found so far, by last square.
    pub tours: Vec<u64>,
    /// Nodes visited so far.
    pub nodes: u64,
}

/// Receives the progress and the results of work units; called from any worker thread.
pub trait RunObserver: Sync {
    /// Returns the saved progress of a unit that starts now.
    fn load_progress(&self, _unit: usize) -> Option<UnitProgress> {
        None
    }

    /// Receives the progress of a running unit.
    fn save_progress(&self, _unit: usize, _part: UnitProgress) {}

    /// Receives the sums of a finished unit.
    fn on_unit_done(&self, unit: usize, sums: &UnitSums);

    /// Returns the resources of a unit that is a sweep. Its observer is `watch`, or another observer that
    /// forwards every call to `watch`.
    fn open_sweep_session<'a>(&'a self, _unit: usize, watch: SweepProgress<'a>) -> SweepSession<'a> {
        SweepSession { storage: Storage::default(), free_disk_bytes: None, observer: Box::new(watch) }
    }
}

/// The resources of a sweep while it runs.
pub struct SweepSession<'a> {
    /// Spill store, snapshot to resume from, and peer ranks.
    pub storage: Storage<'a>,
    /// Free bytes in the spill store, if known.
    pub free_disk_bytes: Option<u64>,
    /// Receives the steps of the sweep and stores its snapshots.
    pub observer: Box<dyn Observer + 'a>,
}

/// Adds the sums of every finished unit and ignores the rest.
impl RunObserver for Mutex<Sums> {
    fn on_unit_done(&self, _: usize, sums: &UnitSums) {
        lock(self).add_unit(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutex_of_sums_ignores_progress() {
        let sums = Mutex::new(Sums::new(0));
        sums.save_progress(0, UnitProgress::default());
        assert_eq!(sums.load_progress(0), None);
        sums.on_unit_done(0, &UnitSums { closed: 5u32.into(), ..UnitSums::default() });
        sums.on_unit_done(1, &UnitSums { closed: 4u32.into(), ..UnitSums::default() });
        assert_eq!(sums.into_inner().unwrap().closed, 9u32.into());
    }
}
