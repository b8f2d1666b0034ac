//! The run of a whole count: its symmetric part, its units, and the numbers that follow from both.
//!
//! ```text
//! run_count -> SymmetricPart                    first, so that its failure does not waste the long count
//!           -> run_shard -> RunState   -> CountRun::numbers -> CountOutcome, DistinctCounts
//! ```

use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::CheckpointFile;
use super::checkpointer::SaveOptions;
use super::run::{RunResult, run_shard};
use super::run_state::RunState;
use super::spill_dir::SpillDir;
use super::{CountOutcome, Job};
use crate::control::Control;
use crate::count::symmetric::{DistinctCounts, DistinctPlan, SymmetricPart};
use crate::count::{CountError, WorkPlan};

/// The reason why a count failed, by the part that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CountRunError {
    /// The counts of symmetric tours failed. No unit was counted.
    #[error(transparent)]
    SymmetricPart(CountError),
    /// A unit failed. The units before it are saved.
    #[error(transparent)]
    Units(CountError),
}

/// A count whose units have been run.
#[derive(Debug)]
pub struct CountRun {
    /// The run of the units.
    pub units: RunResult,
    /// The counts of symmetric tours; `None` if none are needed.
    part: Option<Result<SymmetricPart, CountError>>,
}

/// The numbers of a count, or the part in which it was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum CountNumbers {
    /// All numbers.
    Complete {
        /// The numbers of all tours.
        outcome: CountOutcome,
        /// The numbers up to symmetry, if they were requested.
        distinct: Option<DistinctCounts>,
    },
    /// Stopped before all units were counted.
    StoppedInUnits,
    /// Stopped among the symmetric tours. All units are counted.
    StoppedInSymmetricPart,
    /// Stopped while all tours were enumerated. All units are counted.
    StoppedInEnumeration,
}

/// Opens the folder into which the sweeps of a count spill: next to the checkpoint `file` if there is one,
/// otherwise a temporary folder in `dir`, or in the folder for temporary files if `memory` is limited. Returns
/// `None` for a search, and for a sweep that is held in memory.
///
/// # Errors
/// The folder in which no temporary folder can be created, and the error of the system.
pub fn open_spill_dir(
    work_plan: &WorkPlan,
    file: Option<&CheckpointFile>,
    dir: Option<&Path>,
    memory: Option<u64>,
) -> Result<Option<SpillDir>, (PathBuf, io::Error)> {
    if !work_plan.is_sequential() {
        return Ok(None);
    }
    if let Some(file) = file {
        return Ok(Some(file.spill_dir::<RunState>()));
    }
    let dir = match dir {
        Some(dir) => dir.to_owned(),
        None if memory.is_some() => std::env::temp_dir(),
        None => return Ok(None),
    };
    SpillDir::create_temporary(&dir).map(Some).map_err(|error| (dir, error))
}

/// Counts the symmetric tours that the plan of numbers up to symmetry needs, then the units of the job as
/// [`run_shard`] does. If the control is cancelled among the symmetric tours, the units stop at once and the
/// state is saved.
///
/// # Errors
/// A part failed.
pub fn run_count(
    work_plan: &WorkPlan,
    job: &Job,
    distinct_plan: Option<&DistinctPlan>,
    state: RunState,
    control: &Control,
    saving: SaveOptions,
) -> Result<CountRun, CountRunError> {
    let part = match distinct_plan.map(|plan| plan.count_symmetric_part(control)) {
        Some(Err(error)) if !matches!(error, CountError::Stopped(_)) => {
            return Err(CountRunError::SymmetricPart(error));
        }
        part => part,
    };
    let units = run_shard(work_plan, job, state, control, saving).map_err(CountRunError::Units)?;
    Ok(CountRun { units, part })
}

impl CountRun {
    /// Returns the numbers that follow from the units of the job and the symmetric tours. May enumerate all
    /// tours.
    ///
    /// # Errors
    /// The numbers violate a theorem, or an enumeration failed.
    pub fn numbers(&mut self, work_plan: &WorkPlan, job: &Job) -> Result<CountNumbers, CountError> {
        if !self.units.is_finished {
            return Ok(CountNumbers::StoppedInUnits);
        }
        let validated = work_plan.validated_request();
        let outcome = CountOutcome::from_sums(validated, &[job.shard], &self.units.state.sums)?;
        let part = match &mut self.part {
            None => return Ok(CountNumbers::Complete { outcome, distinct: None }),
            Some(Err(_)) => return Ok(CountNumbers::StoppedInSymmetricPart),
            Some(Ok(part)) => part,
        };
        let answer = outcome.answer().expect("only a complete count has numbers up to symmetry");
        match part.distinct_counts(&answer.counts) {
            Err(CountError::Stopped(_)) => Ok(CountNumbers::StoppedInEnumeration),
            counts => Ok(CountNumbers::Complete { distinct: Some(counts?), outcome }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Shard;
    use crate::board::Board;
    use crate::count::Request;
    use crate::count::symmetric::UpToSymmetry;
    use crate::tour::Kind;

    fn numbers(control: &Control) -> CountNumbers {
        let board: Board = "6x6".parse().unwrap();
        let request = Request { kind: Some(Kind::Closed), ..Request::new(board) };
        let work_plan = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, None, false).unwrap();
        let (state, saving) = (RunState::new(&work_plan), SaveOptions::new(&|_| ()));
        let mut run = run_count(&work_plan, &job, Some(&plan), state, control, saving).unwrap();
        run.numbers(&work_plan, &job).unwrap()
    }

    #[test]
    fn numbers_have_all_tours_and_distinct_tours() {
        let CountNumbers::Complete { outcome, distinct: Some(distinct) } = numbers(&Control::new()) else {
            panic!("nothing stops the count")
        };
        assert_eq!(outcome.answer().unwrap().counts.closed, Some(9862u32.into()));
        assert_eq!(distinct.distinct(Kind::Closed), Some(&1245u32.into()));
    }

    #[test]
    fn cancelled_count_has_no_numbers() {
        let control = Control::new();
        control.cancel();
        assert_eq!(numbers(&control), CountNumbers::StoppedInUnits);
    }
}
