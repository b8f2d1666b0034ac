//! A [`CheckpointWriter`] writes the checkpoints of a run: on all ranks or on none.

use std::io;

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::job::Job;
use super::state::State;
use crate::frontier::{Peers, all_well};

/// Writes the states of a run to its checkpoint file.
pub struct Saver<'a> {
    file: &'a CheckpointFile,
    job: Job,
    output: serde_json::Value,
    peers: Option<&'a dyn Peers>,
    unsaved: Option<String>,
}

impl<'a> Saver<'a> {
    /// Creates a writer for a job and a file. `output` are the caller's output options, `peers` the other
    /// ranks.
    #[must_use]
    pub fn new(
        file: &'a CheckpointFile,
        job: Job,
        output: serde_json::Value,
        peers: Option<&'a dyn Peers>,
    ) -> Self {
        Self { file, job, output, peers, unsaved: None }
    }

    /// Saves a state, if `stored` says that the items that it names are on disk. Otherwise returns the error
    /// of `stored`.
    ///
    /// # Errors
    /// The reason why the state is not saved. The older generations of all ranks are unchanged then.
    pub fn save(&mut self, state: State, stored: io::Result<()>) -> io::Result<()> {
        let checkpoint = Checkpoint { job: self.job.clone(), state, output: self.output.clone() };
        let written = stored.and_then(|()| self.file.write(&checkpoint));
        // All ranks proceed to the new generation, or none does.
        let agreed = match self.peers {
            Some(peers) => all_well(peers, written.map_err(|error| error.to_string())),
            None => written,
        };
        let saved = match agreed {
            Ok(()) => self.file.commit::<Checkpoint>(),
            Err(error) => {
                self.file.discard();
                Err(error)
            }
        };
        self.unsaved = saved.as_ref().err().map(ToString::to_string);
        saved
    }

    /// Returns the reason if the last state could not be saved.
    #[must_use]
    pub fn into_unsaved(self) -> Option<String> {
        self.unsaved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Shard;
    use crate::board::Arena;
    use crate::count::{Request, Work};

    #[test]
    fn what_is_not_stored_is_not_saved() {
        let work = Work::new(&Request::new("5x5".parse::<Arena>().unwrap())).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        let dir = tempfile::tempdir().unwrap();
        let file = CheckpointFile::lock(&dir.path().join("run")).unwrap();
        let mut saver = Saver::new(&file, job, serde_json::json!({"a": 1}), None);
        let mut state = State::new(&work);
        saver.save(state.clone(), Ok(())).unwrap();
        state.done[0] = true;
        assert!(saver.save(state, Err(io::Error::other("no room"))).is_err());
        let saved = Checkpoint::load(file.path()).unwrap().checkpoint;
        assert_eq!((saved.units_done(), saved.output), (0, serde_json::json!({"a": 1})));
        assert_eq!(saver.into_unsaved().as_deref(), Some("no room"));
        assert!(!dir.path().join("run.new").exists());
    }
}
