//! The state of a run: which units of work are finished, the sums of their counts, and the progress
//! of unfinished units.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::checkpoint::JobState;
use super::job::Job;
use super::record::now_utc;
use super::unit_bitset;
use crate::count::{Sums, UnitProgress, WorkPlan};
use crate::frontier::Snapshot;

/// The finished units of a run, the sums of their counts, and the progress of unfinished units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// For each unit of the job, in order: true if it is finished.
    #[serde(with = "unit_bitset")]
    pub done: Vec<bool>,
    /// Sums of the counts of the finished units.
    pub sums: Sums,
    /// The sweep that was interrupted, if there is one.
    #[serde(rename = "at_rest")]
    pub suspended: Option<SuspendedUnit>,
    /// Progress of unfinished search units. The key is the number of the unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<usize, UnitProgress>,
    /// Running time in seconds, in all sessions together.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

/// A unit whose sweep is unfinished. The layers of the sweep are in the
/// [`SpillDir`](super::SpillDir) next to the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspendedUnit {
    /// The number of the unit.
    pub unit: usize,
    /// The saved state from which the sweep can be resumed.
    pub snapshot: Snapshot,
}

impl RunState {
    /// Creates the state of a run that starts now, without finished units.
    #[must_use]
    pub fn new(work_plan: &WorkPlan) -> Self {
        Self {
            done: vec![false; work_plan.unit_count()],
            sums: work_plan.validated_request().zero_sums(),
            suspended: None,
            parts: BTreeMap::new(),
            seconds: 0.0,
            started: now_utc(),
        }
    }

    /// Returns the units of the job's shard that are not finished, in the order in which they are counted: the
    /// suspended unit first, then by the schedule of the plan.
    #[must_use]
    pub fn remaining_units(&self, work_plan: &WorkPlan, job: &Job) -> Vec<u32> {
        let mut units = work_plan.schedule();
        units.retain(|&unit| job.shard.contains(unit as usize) && !self.done[unit as usize]);
        if let Some(suspended) = &self.suspended {
            units.sort_by_key(|&unit| unit as usize != suspended.unit);
        }
        units
    }

    /// Returns the number of finished units.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }
}

impl JobState for RunState {
    type Job = Job;

    const KIND: &'static str = "count";

    fn describe_progress(&self, job: &Job) -> String {
        format!("{} of {} units", self.units_done(), job.shard_units())
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn with_seconds(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.suspended.as_ref().map(|suspended| &suspended.snapshot)
    }

    fn replace_snapshot(&mut self, sweep: usize, snapshot: Option<Snapshot>) -> Option<Snapshot> {
        let suspended = snapshot.map(|snapshot| SuspendedUnit { unit: sweep, snapshot });
        std::mem::replace(&mut self.suspended, suspended).map(|before| before.snapshot)
    }

    fn check(&self, job: &Job) -> Result<(), &'static str> {
        let Self { done, suspended, parts, .. } = self;
        if done.len() != job.units {
            return Err("its list of units does not fit its job");
        }
        if (0..job.units).any(|unit| done[unit] && !job.shard.contains(unit)) {
            return Err("it has finished units of another shard");
        }
        if suspended.as_ref().is_some_and(|suspended| done.get(suspended.unit) != Some(&false)) {
            return Err("the suspended unit is already finished or not in the job");
        }
        if parts.keys().any(|&unit| unit >= job.units || done[unit] || !job.shard.contains(unit)) {
            return Err("it has partial work on units that are finished or of another shard");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::Request;

    #[test]
    fn state_round_trips_as_json() {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let mut state = RunState::new(&work_plan);
        assert_eq!((state.units_done(), state.snapshot()), (0, None));
        state.done[1] = true;
        state.parts.insert(2, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        state.seconds = 1.5;
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<RunState>(&text).unwrap(), state);
        assert_eq!(state.units_done(), 1);
    }
}
