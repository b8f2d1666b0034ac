//! The book that a run keeps of its units: done, or begun and how far.
//!
//! A unit may take longer than a run has until it is stopped. So the kernel that
//! can go on in the middle of a unit hands in what it has every so often, and is
//! given it back when the unit is begun again.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::sums::{Sums, UnitSums};
use super::watch::Watch;
use crate::frontier::{Observer, Storage};
use crate::lock::lock;

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
pub trait Ledger: Sync {
    /// How far a unit that is begun now had come.
    fn begin(&self, _unit: usize) -> Option<Part> {
        None
    }

    /// How far a unit has come.
    fn part(&self, _unit: usize, _part: Part) {}

    /// A unit is done.
    fn done(&self, unit: usize, sums: &UnitSums);

    /// What a unit that is a sweep is lent, who follows it included: `watch` itself, or another that passes
    /// everything on to it.
    fn sitting<'a>(&'a self, _unit: usize, watch: Watch<'a>) -> Sitting<'a> {
        Sitting { storage: Storage::default(), room: None, observer: Box::new(watch) }
    }
}

/// What a sweep is lent for as long as it works.
pub struct Sitting<'a> {
    /// Where it finds room, from where it goes on, and with whom it is shared.
    pub storage: Storage<'a>,
    /// Bytes that may be put there, if it is known.
    pub room: Option<u64>,
    /// Who is told of its steps and keeps its snapshots.
    pub observer: Box<dyn Observer + 'a>,
}

/// Nothing but the sums.
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
