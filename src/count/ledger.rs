//! The book that a run keeps of its units: done, or begun and how far.
//!
//! A unit may take longer than a run has until it is stopped. So the kernel that
//! can go on in the middle of a unit hands in what it has every so often, and is
//! given it back when the unit is begun again.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::rest::Rest;
use super::sums::{Sums, UnitSums};

/// A unit of the path-extension search that has been begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Everything that plain backtracking visits before this path has been visited.
    pub path: Vec<u8>,
    /// Tours so far by last square.
    pub tours: Vec<u64>,
    /// Nodes so far.
    pub nodes: u64,
}

/// Who is told of units, from any thread.
pub trait Ledger: Rest {
    /// How far a unit that is begun now had come.
    fn begin(&self, unit: usize) -> Option<Part>;

    /// How far a unit has come.
    fn part(&self, unit: usize, part: Part);

    /// A unit is done.
    fn done(&self, unit: usize, sums: &UnitSums);
}

impl Rest for Mutex<Sums> {}

/// Nothing but the sums.
impl Ledger for Mutex<Sums> {
    fn begin(&self, _: usize) -> Option<Part> {
        None
    }

    fn part(&self, _: usize, _: Part) {}

    fn done(&self, _: usize, sums: &UnitSums) {
        self.lock().unwrap_or_else(PoisonError::into_inner).add_unit(sums);
    }
}
