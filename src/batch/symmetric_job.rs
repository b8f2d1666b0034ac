//! A count of symmetric tours, from its plan to its numbers: checkpoint, estimates, run.
//!
//! ```text
//! SymmetryPlan -> SymmetricJob::new -> with checkpoint
//!   -> estimates                       by which the caller admits the count
//!   -> run -> parts -> Checkpointer<SymmetricState> -> Checkpoint -> file
//!             suspended sweep -> SpillDir --^
//! ```

use std::collections::BTreeMap;

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use super::checkpoint::{CheckpointFile, JobState};
use super::checkpointer::{Checkpointer, SaveError, SaveOptions};
use crate::control::Control;
use crate::count::symmetric::{ClassNumbers, PartSaver, SymmetryPlan};
use crate::count::{CountError, JobEstimate, SweepProgress, SweepSession};
use crate::frontier::Snapshot;
use crate::text_format::{format_count, now_utc};
use crate::tour::Kind;

/// The finished parts of a count of symmetric tours, and its unfinished sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SymmetricState {
    /// The number of every finished part, in decimal digits, by the name of the part.
    pub parts: BTreeMap<String, String>,
    /// The sweep that was interrupted, if there is one.
    pub suspended: Option<SuspendedPart>,
    /// The part whose sweep runs.
    #[serde(skip)]
    running: String,
    /// Running time in seconds, in all sessions together.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

/// A part whose sweep is unfinished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspendedPart {
    /// The name of the part.
    pub part: String,
    /// The saved state from which the sweep can be resumed.
    pub snapshot: Snapshot,
}

impl SymmetricState {
    /// Creates the state of a run that starts now, without finished parts.
    #[must_use]
    pub fn new() -> Self {
        Self { started: now_utc(), ..Self::default() }
    }
}

/// The job is the line of the plan: see [`SymmetryPlan::job_line`].
impl JobState for SymmetricState {
    type Job = String;

    const KIND: &'static str = "symmetry";

    fn describe_progress(&self, _job: &String) -> String {
        format_count(self.parts.len(), "part")
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

    fn replace_snapshot(&mut self, _sweep: usize, snapshot: Option<Snapshot>) -> Option<Snapshot> {
        let suspended = snapshot.map(|snapshot| SuspendedPart { part: self.running.clone(), snapshot });
        std::mem::replace(&mut self.suspended, suspended).map(|before| before.snapshot)
    }

    fn check(&self, _job: &String) -> Result<(), &'static str> {
        if self.parts.values().any(|number| number.parse::<BigInt>().is_err()) {
            return Err("the number of a part is not a number");
        }
        let is_finished = |suspended: &SuspendedPart| self.parts.contains_key(&suspended.part);
        if self.suspended.as_ref().is_some_and(is_finished) {
            return Err("the suspended part is already finished");
        }
        Ok(())
    }
}

impl PartSaver for Checkpointer<'_, SymmetricState> {
    fn finished_part(&self, part: &str) -> Option<BigInt> {
        self.lock_state().parts.get(part)?.parse().ok()
    }

    fn finish_part(&self, part: &str, number: &BigInt) {
        let mut state = self.lock_state();
        state.suspended = None;
        state.parts.insert(part.to_owned(), number.to_string());
        drop(state);
        if self.has_file() {
            self.save_or_report();
        }
    }

    fn open_part_sweep<'s>(&'s self, part: &str, progress: SweepProgress<'s>) -> SweepSession<'s> {
        let mut state = self.lock_state();
        part.clone_into(&mut state.running);
        let suspended = state.suspended.clone().filter(|suspended| suspended.part == part);
        drop(state);
        self.sweep_session(suspended.map(|suspended| suspended.snapshot), progress)
    }
}

/// The result of a run: its final state, and the numbers if it is finished.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SymmetricResult {
    /// The state at the end of the run.
    pub state: SymmetricState,
    /// The numbers of tours of each kind; `None` if the control was cancelled.
    pub counts: Option<Vec<(Kind, ClassNumbers)>>,
    /// The reason why the last checkpoint could not be saved. `None` if it was saved.
    pub save_error: Option<SaveError>,
}

/// A count of the tours with a symmetry that is ready to run.
#[derive(Debug)]
pub struct SymmetricJob {
    /// The tours to count.
    pub plan: SymmetryPlan,
    /// The checkpoint file, locked for this process.
    pub file: Option<CheckpointFile>,
    /// The finished parts and the unfinished sweep.
    pub state: SymmetricState,
}

impl SymmetricJob {
    /// Creates the count of a plan, without checkpoint and finished parts.
    #[must_use]
    pub fn new(plan: SymmetryPlan) -> Self {
        Self { plan, file: None, state: SymmetricState::new() }
    }

    /// Returns the estimates by which the count is admitted, one for each kind: see [`SymmetryPlan::estimates`]. Empty if
    /// a suspended sweep is resumed, because it was admitted when it started.
    ///
    /// # Errors
    /// As for [`SymmetryPlan::estimates`].
    pub fn estimates(&self, control: &Control) -> Result<Vec<(Kind, JobEstimate)>, CountError> {
        if self.state.suspended.is_some() { Ok(Vec::new()) } else { self.plan.estimates(control) }
    }

    /// Counts the tours, except the parts that are finished, until all are finished or the control is cancelled. Saves the
    /// state at the start, after every part, now and then during a sweep, and at the end. Continues if saving fails. The
    /// file and the folder of `saving` are replaced by those of the job.
    ///
    /// # Errors
    /// A search or sweep failed, or the numbers contradict each other. The parts before it have been saved.
    pub fn run(&self, control: &Control, saving: SaveOptions) -> Result<SymmetricResult, CountError> {
        let folder = self.file.as_ref().map(CheckpointFile::spill_dir::<SymmetricState>);
        let saving = SaveOptions { file: self.file.as_ref(), spill_dir: folder.as_ref(), ..saving };
        let checkpointer = Checkpointer::new(self.plan.job_line(), self.state.clone(), saving);
        checkpointer.save_first();
        let counted = self.plan.count_saved(control, &checkpointer);
        if checkpointer.has_file() {
            checkpointer.save_or_report();
        }
        let counts = match counted {
            Ok(counts) => Some(counts),
            Err(CountError::Stopped(_)) => None,
            Err(error) => return Err(error),
        };
        if let (Some(folder), true) = (&folder, counts.is_some()) {
            folder.remove_all();
        }
        let (state, save_error) = checkpointer.finish();
        Ok(SymmetricResult { state, counts, save_error })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::board::Board;
    use crate::count::Engine;
    use crate::count::Request;
    use crate::count::symmetric::NamedSymmetry;

    fn plan(board: &str, engine: Engine) -> SymmetryPlan {
        let board: Board = board.parse().unwrap();
        let request = Request { engine, ..Request::new(board) };
        SymmetryPlan::new(&request, NamedSymmetry::Rot180, None).unwrap().with_classes(true)
    }

    /// Counts in sessions that stop after `steps` steps of sweeps each, and returns the numbers and the number of
    /// sessions.
    fn count_in_sessions(plan: &SymmetryPlan, steps: usize) -> (Vec<(Kind, ClassNumbers)>, usize) {
        let dir = tempfile::tempdir().unwrap();
        for session in 1.. {
            let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
            let loaded = file.load::<SymmetricState>(&plan.job_line()).unwrap();
            let state = loaded.map_or_else(SymmetricState::new, |loaded| loaded.checkpoint.state);
            let job = SymmetricJob { plan: plan.clone(), file: Some(file), state };
            let (seen, control) = (Arc::new(AtomicUsize::new(0)), Control::new());
            let stop = control.clone();
            let control = control.with_log(move |_| {
                if seen.fetch_add(1, Ordering::Relaxed) + 1 == steps {
                    stop.cancel();
                }
            });
            let saving =
                SaveOptions { interval: Duration::ZERO, ..SaveOptions::new(&|error| panic!("{error}")) };
            let ended = job.run(&control, saving).unwrap();
            assert!(ended.save_error.is_none());
            if let Some(counts) = ended.counts {
                assert!(!dir.path().join("run.sweep").exists(), "the layers are removed at the end");
                return (counts, session);
            }
            assert!(session < 1000, "{:?}", ended.state);
        }
        unreachable!("the loop returns")
    }

    #[test]
    fn stopped_runs_resume_and_agree() {
        for (board, engine, steps, least) in [
            ("6x6", Engine::Frontier, 7, 4),
            ("6x7", Engine::Frontier, 40, 2),
            ("6x6", Engine::Multipath, 1, 1),
        ] {
            let plan = plan(board, engine);
            let expected = plan.count(&Control::new()).unwrap();
            let (counts, sessions) = count_in_sessions(&plan, steps);
            assert_eq!(counts, expected, "{board}");
            assert!(sessions >= least, "{board}: {sessions} sessions");
        }
    }

    #[test]
    fn check_rejects_impossible_states() {
        let state = |number: &str| SymmetricState {
            parts: BTreeMap::from([("closed".to_owned(), number.to_owned())]),
            ..SymmetricState::new()
        };
        assert_eq!(state("-12").check(&String::new()), Ok(()));
        assert!(state("12x").check(&String::new()).is_err());
    }
}
