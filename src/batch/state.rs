//! What a run has done so far: units, their sums, and what has been begun.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::machine::now;
use super::units;
use crate::count::{Part, Sums, Work};
use crate::frontier::Snapshot;

/// Units done and their sums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// By unit number.
    #[serde(with = "units")]
    pub done: Vec<bool>,
    /// Sums of the units done.
    pub sums: Sums,
    /// The sweep that has begun.
    pub at_rest: Option<AtRest>,
    /// Units that have been begun, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<usize, Part>,
    /// Seconds worked.
    pub seconds: f64,
    /// When the run first began, UTC.
    pub started: String,
}

/// A unit that had begun, if it is a sweep: its layers are in the [`Folder`](super::Folder) beside the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    /// The unit.
    pub unit: usize,
    /// Where it was left.
    pub snapshot: Snapshot,
}

impl State {
    /// Nothing done yet: the run begins now.
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

    /// How many units are done.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }

    /// Where the sweep that has begun was left.
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
