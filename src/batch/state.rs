//! The state of a run: finished units, their sums, and partial work on unfinished units.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::machine::now;
use super::units;
use crate::count::{Part, Sums, Work};
use crate::frontier::Snapshot;

/// Finished units and their sums, with the state of unfinished units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// For each unit, by number: true if it is finished.
    #[serde(with = "units")]
    pub done: Vec<bool>,
    /// Sums of the finished units.
    pub sums: Sums,
    /// The unfinished sweep.
    pub at_rest: Option<AtRest>,
    /// Resume positions of unfinished search units, by unit number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<usize, Part>,
    /// Seconds of work, in all sessions.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

/// An unfinished unit that is a sweep. Its layers are in the [`SpillDir`](super::SpillDir) next to the
/// checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    /// The number of the unit.
    pub unit: usize,
    /// The state in which the sweep was suspended.
    pub snapshot: Snapshot,
}

impl State {
    /// Creates the state of a run that starts now.
    #[must_use]
    pub fn new(work: &Work) -> Self {
        Self {
            done: vec![false; work.units()],
            sums: work.question().no_sums(),
            at_rest: None,
            parts: BTreeMap::new(),
            seconds: 0.0,
            started: now(),
        }
    }

    /// Returns the number of finished units.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }

    /// Returns the state in which the unfinished sweep was suspended.
    #[must_use]
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.at_rest.as_ref().map(|rest| &rest.snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::count::Request;

    #[test]
    fn a_state_is_read_back() {
        let work = Work::new(&Request::new("5x5".parse::<Arena>().unwrap())).unwrap();
        let mut state = State::new(&work);
        assert_eq!((state.units_done(), state.snapshot()), (0, None));
        state.done[1] = true;
        state.parts.insert(2, Part { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        state.seconds = 1.5;
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
        assert_eq!(state.units_done(), 1);
    }
}
