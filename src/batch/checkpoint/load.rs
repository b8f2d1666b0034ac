//! Loading of checkpoints: the newest of two generations that is intact, including the layers of a sweep.

use std::path::Path;

use super::count_checkpoint::Checkpoint;
use super::envelope::CheckpointError;
use super::envelope::{CheckpointFormat, Envelope};
use crate::batch::filesystem::with_suffix;
use crate::batch::filesystem::{read_bounded, resolve_links};
use crate::batch::spill_dir::SpillDir;
use crate::frontier::Snapshot;

/// A checkpoint that was read from a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded<F = Checkpoint> {
    /// The content of the checkpoint.
    pub checkpoint: F,
    /// The reason why the newest generation was not used, if the previous one was.
    pub fallback: Option<CheckpointError>,
}

impl Checkpoint {
    /// Loads the newest intact generation at `path`, and checks the layers of a suspended sweep.
    ///
    /// # Errors
    /// The reason why the newest generation cannot be used, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded, CheckpointError> {
        load(path)
    }

    /// Loads the previous generation at `path`, and checks the layers of a suspended sweep.
    ///
    /// # Errors
    /// The reason why the previous generation cannot be used.
    pub fn load_previous(path: &Path) -> Result<Self, CheckpointError> {
        let path = &resolve_links(path);
        let previous = with_suffix(path, ".previous");
        let (newest, before) = (load_generation(path), load_generation(&previous));
        check_layers(&open_spill_dir(path, &newest, &before), before, &previous)
    }
}

/// Loads the newest intact generation at `path`, and checks the layers of a suspended sweep.
///
/// # Errors
/// The reason why the newest generation cannot be used, if the previous one cannot be used either.
pub fn load<F: CheckpointFormat>(path: &Path) -> Result<Loaded<F>, CheckpointError> {
    let path = &resolve_links(path);
    let previous = with_suffix(path, ".previous");
    let (newest, before) = (load_generation(path), load_generation(&previous));
    let folder = open_spill_dir(path, &newest, &before);
    let error = match check_layers(&folder, newest, path) {
        Ok(checkpoint) => return Ok(Loaded { checkpoint, fallback: None }),
        Err(error) => error,
    };
    match check_layers(&folder, before, &previous) {
        Ok(checkpoint) => Ok(Loaded { checkpoint, fallback: Some(error) }),
        // An error about another format names the other program or version, even if only one generation
        // exists.
        Err(format @ CheckpointError::Format { .. }) => Err(format),
        Err(_) => Err(error),
    }
}

fn check_layers<F: CheckpointFormat>(
    folder: &SpillDir,
    loaded: Result<F, CheckpointError>,
    path: &Path,
) -> Result<F, CheckpointError> {
    let checkpoint = loaded?;
    match checkpoint.snapshot().map_or(Ok(()), |snapshot| folder.check(snapshot)) {
        Ok(()) => Ok(checkpoint),
        Err(error) => Err(CheckpointError::Damaged {
            path: path.to_owned(),
            reason: format!("its layers in {}: {error}", folder.path().display()),
        }),
    }
}

/// Opens the folder for layers next to a checkpoint file, with the items that both generations name pinned.
pub(in crate::batch) fn open_spill_dir<F: CheckpointFormat>(
    path: &Path,
    newest: &Result<F, CheckpointError>,
    before: &Result<F, CheckpointError>,
) -> SpillDir {
    let generations = [newest, before].into_iter().flatten();
    let snapshots: Vec<&Snapshot> = generations.filter_map(CheckpointFormat::snapshot).collect();
    SpillDir::for_checkpoint(path, &snapshots)
}

/// Reads one generation, without checking its layers.
pub(in crate::batch) fn load_generation<F: CheckpointFormat>(path: &Path) -> Result<F, CheckpointError> {
    let bytes = read_bounded(path, |bytes| Envelope::is_type_of(bytes, F::HEADER))
        .map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
    F::parse(&bytes, path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::batch::{CheckpointFile, Job, RunState, Shard, SuspendedUnit};
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};
    use crate::frontier::{StepTally, SweepTotals};

    fn checkpoint(rest: Option<Snapshot>) -> Checkpoint {
        let work = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let at_rest = rest.map(|snapshot| SuspendedUnit { unit: 0, snapshot });
        let state = RunState { suspended: at_rest, ..RunState::new(&work) };
        Checkpoint { job: Job::new(&work, Shard::WHOLE), state, output: serde_json::Value::Null }
    }

    /// Returns a suspended sweep whose layer does not exist.
    fn snapshot_without_layer(step: usize) -> Snapshot {
        serde_json::from_value(serde_json::json!({
            "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, 1], "spread": 0, "step": step,
            "layer": [[0, { "number": 7, "stored": 9, "bytes": 9, "digest": 1 }]], "done": [], "next": [],
            "tally": StepTally::default(), "totals": SweepTotals::default(),
        }))
        .unwrap()
    }

    #[test]
    fn load_skips_generation_without_layers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint(None)).unwrap();
        file.save(&checkpoint(Some(snapshot_without_layer(1)))).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert!(loaded.checkpoint.state.snapshot().is_none());
        let why = loaded.fallback.unwrap().to_string();
        assert!(why.contains("its layers in") && why.contains("run.sweep"), "{why}");
        assert_eq!(Checkpoint::load_previous(&path).unwrap(), loaded.checkpoint);

        file.save(&checkpoint(Some(snapshot_without_layer(2)))).unwrap();
        assert!(
            matches!(Checkpoint::load(&path), Err(CheckpointError::Damaged { path: named, .. }) if named == path)
        );
        assert!(Checkpoint::load_previous(&path).is_err());
    }

    #[test]
    fn load_names_other_version_with_one_generation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        fs::write(with_suffix(&path, ".previous"), "ktour checkpoint 2\nwhatever\n").unwrap();
        for newest in [None, Some("")] {
            if let Some(text) = newest {
                fs::write(&path, text).unwrap();
            }
            let error = Checkpoint::load(&path).unwrap_err();
            assert!(matches!(error, CheckpointError::Format { .. }), "{error}");
        }
    }
}
