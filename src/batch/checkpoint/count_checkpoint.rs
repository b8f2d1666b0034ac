//! The checkpoint of a count:
//!
//! ```text
//! ktour checkpoint 3
//! job board=6x8 piece=1,2 remove=- kind=closed ... shard=0/1
//! saved 2026-01-31T23:59:59Z, 1234 of 40052 units, 12.3 s
//! sha256 5f3c...                       digest of the lines above and below
//! {"state":{"done":"40052:ff03...","sums":{...},...},"output":{...}}
//! ```
//!
//! Two generations of the file exist ([`CheckpointFile`](crate::batch::CheckpointFile)). Loading falls back
//! to the previous one if the newest is not intact.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::envelope::{COUNT_HEADER, CheckpointError};
use super::envelope::{CheckpointFormat, Envelope};
use crate::batch::job::{Job, ParseJobError};
use crate::batch::record::now_utc;
use crate::batch::run_state::RunState;
use crate::frontier::Snapshot;

/// The saved progress of a count.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The job.
    pub job: Job,
    /// The progress of the job.
    pub state: RunState,
    /// The caller's output options.
    pub output: serde_json::Value,
}

/// The last line of the file.
#[derive(Serialize, Deserialize)]
struct CheckpointBody<S, V> {
    state: S,
    output: V,
}

impl Checkpoint {
    /// Returns the number of finished units.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.state.units_done()
    }

    /// Returns the number of units of the job's shard.
    #[must_use]
    pub fn units(&self) -> usize {
        (0..self.job.units).filter(|&unit| self.job.shard.contains(unit)).count()
    }

    /// Returns true if all units of the shard are finished.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.units_done() == self.units()
    }

    /// Parses the text that [`Self::to_text`] has written. `path` is used in errors.
    ///
    /// # Errors
    /// The text is damaged, or has another version of the format.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged =
            |what: &str| CheckpointError::Damaged { path: path.to_owned(), reason: what.to_owned() };
        let Envelope { job, body, .. } = Envelope::parse(bytes, COUNT_HEADER, path)?;
        let job: Job = job.parse().map_err(|error: ParseJobError| damaged(&error.to_string()))?;
        let body: CheckpointBody<RunState, serde_json::Value> =
            serde_json::from_str(&body).map_err(|error| damaged(&error.to_string()))?;
        let CheckpointBody { state, output } = body;
        let RunState { done, suspended: at_rest, parts, .. } = &state;
        if done.len() != job.units {
            return Err(damaged("its list of units does not fit its job"));
        }
        if (0..job.units).any(|unit| done[unit] && !job.shard.contains(unit)) {
            return Err(damaged("it has finished units of another shard"));
        }
        if at_rest.as_ref().is_some_and(|rest| done.get(rest.unit) != Some(&false)) {
            return Err(damaged("its unfinished sweep is finished or does not exist"));
        }
        if parts.keys().any(|&unit| unit >= job.units || done[unit] || !job.shard.contains(unit)) {
            return Err(damaged("it has partial work on units that are finished or of another shard"));
        }
        Ok(Self { job, state, output })
    }

    /// Returns true if `bytes` begin like a checkpoint of a count, in any version.
    #[must_use]
    pub fn has_header(bytes: &[u8]) -> bool {
        Envelope::is_type_of(bytes, COUNT_HEADER)
    }

    /// Returns the text of the checkpoint file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (done, units) = (self.units_done(), self.units());
        let saved = format!("{}, {done} of {units} units, {:.1} s", now_utc(), self.state.seconds);
        let body = CheckpointBody { state: &self.state, output: &self.output };
        let body = serde_json::to_string(&body).expect("a checkpoint can be serialised");
        Envelope { job: self.job.to_string(), saved, body }.to_text(COUNT_HEADER)
    }
}

impl CheckpointFormat for Checkpoint {
    const HEADER: &'static str = COUNT_HEADER;

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        Self::parse(bytes, path)
    }

    fn to_text(&self) -> String {
        self.to_text()
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.state.snapshot()
    }
}

#[cfg(test)]
pub mod samples {
    //! Checkpoints for unit tests.

    use super::*;
    use crate::batch::Shard;
    use crate::board::Board;
    use crate::count::{Request, UnitProgress, WorkPlan};

    /// Returns a checkpoint of the 5x5 board whose first `done` units are finished.
    pub fn checkpoint(done: usize) -> Checkpoint {
        let request = Request::new("5x5".parse::<Board>().unwrap());
        let work = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        let mut state = RunState { started: "2026-01-31T23:59:59Z".to_owned(), ..RunState::new(&work) };
        state.done[..done].fill(true);
        state.parts.insert(job.units - 1, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        Checkpoint { job, state, output: serde_json::json!({"a": 1}) }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::checkpoint;
    use super::*;

    #[test]
    fn parse_rejects_every_changed_byte() {
        let path = Path::new("run");
        let text = checkpoint(7).to_text().into_bytes();
        for at in 0..text.len() {
            let mut bytes = text.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(Checkpoint::parse(&bytes, path).is_err(), "byte {at}");
        }
        for len in 0..text.len() {
            assert!(Checkpoint::parse(&text[..len], path).is_err(), "truncated to {len}");
        }
        let back = Checkpoint::parse(&text, path).unwrap();
        assert_eq!((back.units_done(), back), (7, checkpoint(7)));
    }

    #[test]
    fn parse_names_other_version() {
        for (version, head) in
            [("checkpoint 2\n", "ktour checkpoint 2"), ("checkpoint 4\n", "ktour checkpoint 4")]
        {
            let text = checkpoint(1).to_text().replace("checkpoint 3\n", version);
            let error = Checkpoint::parse(text.as_bytes(), Path::new("run")).unwrap_err();
            assert!(
                matches!(&error, CheckpointError::Format { path, header: found }
                    if path == Path::new("run") && found == head),
                "{error}"
            );
            let line = error.to_string();
            assert!(
                line.contains(&format!("`{head}`")) && line.contains(&format!("`{COUNT_HEADER}`")),
                "{line}"
            );
        }
    }
}
