//! A count, from its plan to its numbers: checkpoint, spill folder, admission, run.
//!
//! ```text
//! Request -> WorkPlan -> CountJob::new -> with checkpoint, spill folder, numbers up to symmetry
//!   -> admit -> AdmittedCount            by estimates of time, memory and disk, before anything is counted
//!   -> run   -> SymmetricPart            first, so that its failure does not waste the long count
//!            -> run_shard -> RunState
//!   -> CountRun::numbers -> CountOutcome, DistinctCounts
//! ```
//!
//! A caller chooses what happens between these steps: what it prints, and how the run is saved.

use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::CheckpointFile;
use super::checkpointer::{Checkpointer, SaveOptions};
use super::job::{Job, RunState};
use super::run::{CountOutcome, RunResult, run_shard};
use super::shard::Shard;
use super::spill_dir::SpillDir;
use crate::budget::DiskBudget;
use crate::control::Control;
use crate::count::admission::{Admission, Alternatives, RoughVerdict};
use crate::count::symmetric::{DistinctCounts, DistinctEstimate, DistinctPlan, SymmetricPart};
use crate::count::{CountError, JobEstimate, Request, WorkPlan};

/// Minimum estimated time of a long job, in seconds. Only for a long count, the sweeps of its symmetric part are estimated
/// too.
pub const LONG_JOB_SECONDS: f64 = 60.0;

/// A count that is ready to run.
#[derive(Debug)]
pub struct CountJob {
    /// The tours to count, as requested: before an engine was chosen.
    pub request: Request,
    /// The plan of the count.
    pub work: WorkPlan,
    /// Everything on which the result depends, and the shard that is counted.
    pub identity: Job,
    /// The numbers up to symmetry, if they are requested.
    pub distinct_plan: Option<DistinctPlan>,
    /// The checkpoint file, locked for this process.
    pub file: Option<CheckpointFile>,
    /// The folder for layers of sweeps that do not fit into memory.
    pub spill_dir: Option<SpillDir>,
    /// The finished units of work and their sums.
    pub state: RunState,
}

/// What the admission of a count depends on, besides the count itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountLimits {
    /// True if the count starts even if it does not fit, or takes more than a year.
    pub is_forced: bool,
    /// True if the tours are counted a second time, by another method.
    pub is_double_checked: bool,
    /// Free bytes of a folder that the count could use, if known. For remedies.
    pub free_disk: Option<u64>,
    /// Other ways to count that are possible. For remedies.
    pub alternatives: Alternatives,
}

/// The estimates of a count that is admitted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmittedCount {
    /// The estimate of the count, with the sweeps and searches of its symmetric part.
    pub estimate: JobEstimate,
    /// The estimate of the symmetric part alone.
    pub symmetric: DistinctEstimate,
    /// Seconds on one core, all parts and earlier sessions together, if the tours are counted a second time.
    /// Otherwise those of this session.
    pub core_seconds: f64,
}

impl CountJob {
    /// Creates the count of a shard of a plan, without checkpoint, spill folder and finished units.
    #[must_use]
    pub fn new(request: Request, work: WorkPlan, shard: Shard) -> Self {
        let (identity, state) = (Job::new(&work, shard), RunState::new(&work));
        Self { request, work, identity, distinct_plan: None, file: None, spill_dir: None, state }
    }

    /// Opens the folder into which the sweeps of the count spill: next to the checkpoint if there is one, otherwise a
    /// temporary folder in `dir`, or in the folder for temporary files if `memory` is limited. A search, and a sweep
    /// that is held in memory, have none.
    ///
    /// # Errors
    /// The folder in which no temporary folder can be created, and the error of the system.
    pub fn open_spill_dir(
        &mut self,
        dir: Option<&Path>,
        memory: Option<u64>,
    ) -> Result<(), (PathBuf, io::Error)> {
        self.spill_dir = match (&self.file, dir) {
            _ if !self.work.is_sequential() => None,
            (Some(file), _) => Some(file.spill_dir::<RunState>()),
            (None, None) if memory.is_none() => None,
            (None, dir) => {
                let dir = dir.map_or_else(std::env::temp_dir, Path::to_owned);
                Some(SpillDir::create_temporary(&dir).map_err(|error| (dir, error))?)
            }
        };
        Ok(())
    }

    /// Returns true if the count resumes a sweep that was suspended. It was admitted when it started.
    #[must_use]
    pub const fn is_suspended(&self) -> bool {
        self.state.suspended.is_some()
    }

    /// Returns the units that are not finished, in the order in which they are counted.
    #[must_use]
    pub fn remaining_units(&self) -> Vec<u32> {
        self.state.remaining_units(&self.work, &self.identity)
    }

    /// Returns the disk space that the layers of sweeps may take.
    #[must_use]
    pub fn disk_budget(&self) -> DiskBudget {
        let free = |folder: &SpillDir| DiskBudget::from_free(folder.free_bytes().ok());
        self.spill_dir.as_ref().map_or(DiskBudget::Absent, free)
    }

    /// Returns the admission of `units`, which are the units that are not finished.
    #[must_use]
    pub fn admission<'a>(&'a self, units: &'a [u32], limits: &CountLimits) -> Admission<'a> {
        let earlier_seconds = self.state.seconds * rayon::current_num_threads() as f64;
        Admission {
            request: &self.request,
            work: &self.work,
            units,
            disk: self.disk_budget(),
            free_disk: limits.free_disk,
            saves_layers: self.file.is_some(),
            alternatives: limits.alternatives,
            double_check: limits.is_double_checked.then_some(earlier_seconds),
        }
    }

    /// Checks that the count and its symmetric part fit, and take at most a year. Uses a rough estimate first and then a
    /// dry run. Passes the rough estimate to `on_rough`, with true if a dry run must still decide.
    ///
    /// # Errors
    /// [`CountError::Refused`] with remedies, the failure of an estimate, or the control was cancelled.
    pub fn admit(
        &self,
        limits: &CountLimits,
        control: &Control,
        on_rough: &dyn Fn(&JobEstimate, bool),
    ) -> Result<AdmittedCount, CountError> {
        let units = self.remaining_units();
        let admission = self.admission(&units, limits);
        let (mut rough, mut verdict) = admission.rough(control)?;
        if let (RoughVerdict::Refused(shortage), false) = (verdict, limits.is_forced) {
            (rough, verdict) = (admission.admit_or_refuse(&rough, shortage, control)?, RoughVerdict::Fits);
        }
        on_rough(&rough, verdict != RoughVerdict::Fits && !limits.is_forced);
        let estimate = admission.estimate(rough, control)?;
        // The symmetric part takes time too. Its sweeps are estimated only for a long count: those of a short
        // count are short.
        let is_long = estimate.seconds.is_some_and(|seconds| seconds >= LONG_JOB_SECONDS);
        let symmetric = self.distinct_plan.as_ref().map(|plan| plan.estimate(is_long, control));
        let symmetric = symmetric.transpose()?.unwrap_or_default();
        let mut whole = add_seconds(estimate, symmetric.seconds);
        if !limits.is_forced {
            symmetric.admit()?;
            if let Some(shortage) = admission.shortage(&whole, control)? {
                // A sweep would not shorten the enumeration of all tours.
                let better = if symmetric.visit_seconds > 0.0 {
                    admission.admit_or_refuse_as_planned(&whole, shortage, control)?
                } else {
                    admission.admit_or_refuse(&whole, shortage, control)?
                };
                whole = add_seconds(better, symmetric.seconds);
            }
        }
        let core_seconds = admission.double_check.unwrap_or(0.0) + whole.core_seconds();
        Ok(AdmittedCount { estimate: whole, symmetric, core_seconds })
    }

    /// Counts the symmetric tours that the numbers up to symmetry need, then the units of the job's shard that are not
    /// finished, until all are finished or the control is cancelled. Saves the state at the start if there is no
    /// checkpoint yet, every interval, and at the end; continues if saving fails. If the control is cancelled among the
    /// symmetric tours, the units stop at once and the state is saved. The file and the folder of `saving` are replaced
    /// by those of the job.
    ///
    /// # Errors
    /// A part failed.
    pub fn run(&self, control: &Control, saving: SaveOptions) -> Result<CountRun, CountRunError> {
        let saving = SaveOptions { file: self.file.as_ref(), spill_dir: self.spill_dir.as_ref(), ..saving };
        let checkpointer = Checkpointer::new(self.identity.clone(), self.state.clone(), saving);
        // The symmetric tours may take long.
        checkpointer.save_first();
        let part = match self.distinct_plan.as_ref().map(|plan| plan.count_symmetric_part(control)) {
            Some(Err(error)) if !matches!(error, CountError::Stopped(_)) => {
                return Err(CountRunError::SymmetricPart(error));
            }
            part => part,
        };
        let units =
            run_shard(&self.work, &self.identity, control, checkpointer).map_err(CountRunError::Units)?;
        Ok(CountRun { units, part })
    }
}

/// Returns the estimate with the given number of seconds added.
fn add_seconds(mut estimate: JobEstimate, more: f64) -> JobEstimate {
    estimate.seconds = estimate.seconds.map(|seconds| seconds + more);
    estimate
}

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

impl From<CountRunError> for CountError {
    fn from(error: CountRunError) -> Self {
        let (CountRunError::SymmetricPart(error) | CountRunError::Units(error)) = error;
        error
    }
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

impl CountRun {
    /// Returns the numbers that follow from the units of the job and the symmetric tours. May enumerate all
    /// tours.
    ///
    /// # Errors
    /// The numbers violate a theorem, or an enumeration failed.
    pub fn numbers(&mut self, count: &CountJob) -> Result<CountNumbers, CountError> {
        if !self.units.is_finished {
            return Ok(CountNumbers::StoppedInUnits);
        }
        let validated = count.work.validated_request();
        let outcome = CountOutcome::from_sums(validated, &[count.identity.shard], &self.units.state.sums)?;
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
    use crate::board::Board;
    use crate::budget::{RefusedPart, Remedy, Shortage};
    use crate::count::Engine;
    use crate::count::symmetric::UpToSymmetry;
    use crate::tour::Kind;

    fn closed_job(board: &str, engine: Engine) -> CountJob {
        let request = Request { engine, ..Request::of_kind(board.parse::<Board>().unwrap(), Kind::Closed) };
        let plan = DistinctPlan::new(UpToSymmetry::Distinct, &request, None, false).unwrap();
        let work = WorkPlan::new(&request).unwrap();
        CountJob { distinct_plan: Some(plan), ..CountJob::new(request, work, Shard::WHOLE) }
    }

    fn numbers(control: &Control) -> CountNumbers {
        let job = closed_job("6x6", Engine::Auto);
        let saving = SaveOptions::new(&|error| panic!("{error}"));
        job.run(control, saving).unwrap().numbers(&job).unwrap()
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

    #[test]
    fn admit_passes_the_rough_estimate_and_adds_the_symmetric_part() {
        let job = closed_job("6x6", Engine::Frontier);
        let passed = std::cell::Cell::new(None);
        let on_rough = |_: &JobEstimate, is_doubtful| passed.set(Some(is_doubtful));
        let admitted = job.admit(&CountLimits::default(), &Control::new(), &on_rough).unwrap();
        assert_eq!(passed.get(), Some(false));
        assert!(admitted.core_seconds > 0.0 && admitted.estimate.seconds.is_some());
    }

    #[test]
    fn admission_has_unfinished_units_and_earlier_seconds() {
        let dir = tempfile::tempdir().unwrap();
        let mut count = closed_job("6x6", Engine::Multipath);
        count.state.seconds = 100.0;
        let first = count.remaining_units()[0];
        count.state.done[first as usize] = true;
        count.file = Some(CheckpointFile::lock(&dir.path().join("run")).unwrap());
        let limits = CountLimits { is_double_checked: true, ..CountLimits::default() };
        let units = count.remaining_units();
        assert!(!units.contains(&first) && units.len() + 1 == count.identity.units);
        let admission = count.admission(&units, &limits);
        let earlier_seconds = 100.0 * rayon::current_num_threads() as f64;
        assert!(admission.saves_layers && admission.double_check == Some(earlier_seconds));
        let once = count.admission(&units, &CountLimits::default());
        assert_eq!((once.double_check, once.disk), (None, DiskBudget::Absent));
        let admitted = count.admit(&limits, &Control::new(), &|_, _| ()).unwrap();
        assert!(admitted.core_seconds >= earlier_seconds, "{admitted:?}");
    }

    #[test]
    fn admit_refuses_unless_forced() {
        let job = closed_job("12x12", Engine::Frontier);
        let admit = |is_forced| {
            let limits = CountLimits { is_forced, ..CountLimits::default() };
            job.admit(&limits, &Control::new(), &|_, _| ())
        };
        let Err(CountError::Refused(refusal)) = admit(false) else { panic!("12x12 takes years") };
        assert!(matches!(refusal.shortage, Shortage::Time { .. }), "{refusal:?}");
        assert!(admit(true).is_ok());
    }

    #[test]
    fn long_enumeration_is_refused_by_name() {
        let seconds = 1e10;
        let long = DistinctEstimate { seconds, visit_seconds: seconds, visited_tours: 1e16 };
        let Err(CountError::Refused(refusal)) = long.admit() else { panic!("an enumeration of centuries") };
        assert_eq!(refusal.part, RefusedPart::Enumeration);
        assert!(refusal.remedies.contains(&Remedy::WithoutSymmetry));
        assert!(DistinctEstimate::default().admit().is_ok());
    }

    #[test]
    fn spill_folder_is_temporary_or_next_to_the_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        let opened = |job: &mut CountJob, dir: Option<&Path>, memory| {
            job.open_spill_dir(dir, memory).unwrap();
            job.spill_dir.as_ref().map(|folder| folder.path().to_owned())
        };
        let mut sweep = closed_job("5x6", Engine::Frontier);
        assert_eq!(opened(&mut sweep, None, None), None);
        assert!(opened(&mut sweep, None, Some(1 << 30)).unwrap().starts_with(std::env::temp_dir()));
        assert!(opened(&mut sweep, Some(dir.path()), None).unwrap().starts_with(dir.path()));
        let mut search = closed_job("5x6", Engine::Multipath);
        assert_eq!(opened(&mut search, Some(dir.path()), Some(1 << 30)), None);
        sweep.file = Some(CheckpointFile::lock(&dir.path().join("run")).unwrap());
        assert_eq!(opened(&mut sweep, None, Some(1 << 30)), Some(dir.path().join("run.sweep")));
    }
}
