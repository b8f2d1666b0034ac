//! A [`CheckpointWriter`] writes the checkpoints of a run: on all ranks or on none.

use std::io;

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::job::Job;
use super::state::RunState;
use crate::frontier::{Communicator, check_all_ok};

/// Writes the states of a run to its checkpoint file.
pub struct CheckpointWriter<'a> {
    file: &'a CheckpointFile,
    job: Job,
    output: serde_json::Value,
    peers: Option<&'a dyn Communicator>,
    failure: Option<String>,
}

impl<'a> CheckpointWriter<'a> {
    /// Creates a writer for a job and a file. `output` are the caller's output options, `peers` the other
    /// ranks.
    #[must_use]
    pub fn new(
        file: &'a CheckpointFile,
        job: Job,
        output: serde_json::Value,
        peers: Option<&'a dyn Communicator>,
    ) -> Self {
        Self { file, job, output, peers, failure: None }
    }

    /// Saves a state, if `stored` says that the items that it names are on disk. Otherwise returns the error
    /// of `stored`.
    ///
    /// # Errors
    /// The reason why the state is not saved. The older generations of all ranks are unchanged then.
    pub fn save(&mut self, state: RunState, stored: io::Result<()>) -> io::Result<()> {
        let checkpoint = Checkpoint { job: self.job.clone(), state, output: self.output.clone() };
        let written = stored.and_then(|()| self.file.write_new(&checkpoint));
        // All ranks proceed to the new generation, or none does.
        let agreed = match self.peers {
            Some(peers) => check_all_ok(peers, written.map_err(|error| error.to_string())),
            None => written,
        };
        let saved = match agreed {
            Ok(()) => self.file.commit_new::<Checkpoint>(),
            Err(error) => {
                self.file.discard_new();
                Err(error)
            }
        };
        self.failure = saved.as_ref().err().map(ToString::to_string);
        saved
    }

    /// Returns the reason if the last state could not be saved.
    #[must_use]
    pub fn into_failure(self) -> Option<String> {
        self.failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Shard;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};

    #[test]
    fn save_fails_if_layers_are_not_stored() {
        let work = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let mut saver = CheckpointWriter::new(&file, job, serde_json::json!({"a": 1}), None);
        let mut state = RunState::new(&work);
        saver.save(state.clone(), Ok(())).unwrap();
        state.done[0] = true;
        assert!(saver.save(state, Err(io::Error::other("no room"))).is_err());
        let saved = Checkpoint::load(file.path()).unwrap().checkpoint;
        assert_eq!((saved.units_done(), saved.output), (0, serde_json::json!({"a": 1})));
        assert_eq!(saver.into_failure().as_deref(), Some("no room"));
        assert!(!dir.path().join("run.new").exists());
    }
}
