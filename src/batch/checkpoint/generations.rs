//! The two generations of a checkpoint: `FILE` and `FILE.previous`.
//!
//! The newest of the two generations that is intact is loaded. A generation with a suspended sweep is intact
//! only if the layers of the sweep are intact, too.

use std::path::Path;

use super::format::{
    Checkpoint, CheckpointError, JobState, SavedCommand, has_checkpoint_header, parse_command,
};
use crate::batch::filesystem::{read_bounded, resolve_links, with_suffix};
use crate::batch::spill_dir::SpillDir;
use crate::frontier::Snapshot;

/// A checkpoint that was loaded, and the reason if it is the previous generation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded<S: JobState> {
    /// The content of the checkpoint.
    pub checkpoint: Checkpoint<S>,
    /// The reason why the newest generation could not be used, if the previous generation was
    /// loaded.
    pub fallback: Option<CheckpointError>,
}

impl<S: JobState> Checkpoint<S> {
    /// Loads the newest intact generation at `path`, and checks the layers of its suspended sweep, if there
    /// is one.
    ///
    /// # Errors
    /// The reason why the newest generation cannot be used, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded<S>, CheckpointError> {
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
            Err(other) => Err(more_telling(error, other)),
        }
    }

    /// Loads the previous generation at `path`, and checks the layers of its suspended sweep, if there is
    /// one.
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

/// Loads the command line and the job line of the checkpoint at `path`, of any kind, from the newest intact
/// generation. The layers of its sweep are not checked.
///
/// # Errors
/// The reason why the newest generation cannot be used, if the previous one cannot be used either.
pub fn load_command(path: &Path) -> Result<(SavedCommand, String), CheckpointError> {
    let path = &resolve_links(path);
    let load = |path: &Path| parse_command(&read_file(path)?, path);
    load(path)
        .or_else(|error| load(&with_suffix(path, ".previous")).map_err(|other| more_telling(error, other)))
}

/// Returns the error about the newest generation, or that about the previous one if only this names another
/// version of ktour.
fn more_telling(newest: CheckpointError, previous: CheckpointError) -> CheckpointError {
    let names_version = |error: &CheckpointError| matches!(error, CheckpointError::OtherVersion { .. });
    if names_version(&previous) && !names_version(&newest) { previous } else { newest }
}

fn check_layers<S: JobState>(
    folder: &SpillDir,
    loaded: Result<Checkpoint<S>, CheckpointError>,
    path: &Path,
) -> Result<Checkpoint<S>, CheckpointError> {
    let checkpoint = loaded?;
    match checkpoint.state.snapshot().map_or(Ok(()), |snapshot| folder.check(snapshot)) {
        Ok(()) => Ok(checkpoint),
        Err(error) => Err(CheckpointError::Damaged {
            path: path.to_owned(),
            reason: format!("its layers in {}: {error}", folder.path().display()),
        }),
    }
}

/// Opens the folder for layers of sweeps next to a checkpoint file. Pins the layers that the two
/// generations `newest` and `before` of the checkpoint name.
pub fn open_spill_dir<S: JobState>(
    path: &Path,
    newest: &Result<Checkpoint<S>, CheckpointError>,
    before: &Result<Checkpoint<S>, CheckpointError>,
) -> SpillDir {
    let generations = [newest, before].into_iter().flatten();
    let snapshots: Vec<&Snapshot> =
        generations.filter_map(|checkpoint| checkpoint.state.snapshot()).collect();
    SpillDir::for_checkpoint(path, &snapshots)
}

/// Reads the checkpoint file at `path`, without checking its layers.
pub fn load_generation<S: JobState>(path: &Path) -> Result<Checkpoint<S>, CheckpointError> {
    Checkpoint::parse(&read_file(path)?, path)
}

/// Reads a checkpoint file, or the beginning of a file of another type.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    read_bounded(path, has_checkpoint_header)
        .map_err(|source| CheckpointError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::format::samples::snapshot;
    use super::*;
    use crate::batch::{CheckpointFile, Job, RunState, Shard, SuspendedUnit};
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};

    fn checkpoint(rest: Option<Snapshot>) -> Checkpoint<RunState> {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let suspended = rest.map(|snapshot| SuspendedUnit { unit: 0, snapshot });
        let state = RunState { suspended, ..RunState::new(&work_plan) };
        Checkpoint { command: SavedCommand::default(), job: Job::new(&work_plan, Shard::WHOLE), state }
    }

    #[test]
    fn load_skips_generation_without_layers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint(None)).unwrap();
        file.save(&checkpoint(Some(snapshot(1)))).unwrap();
        let loaded = Checkpoint::<RunState>::load(&path).unwrap();
        assert!(loaded.checkpoint.state.snapshot().is_none());
        let why = loaded.fallback.unwrap().to_string();
        assert!(why.contains("its layers in") && why.contains("run.sweep"), "{why}");
        assert_eq!(Checkpoint::<RunState>::load_previous(&path).unwrap(), loaded.checkpoint);

        file.save(&checkpoint(Some(snapshot(2)))).unwrap();
        assert!(
            matches!(Checkpoint::<RunState>::load(&path), Err(CheckpointError::Damaged { path: named, .. }) if named == path)
        );
        assert!(Checkpoint::<RunState>::load_previous(&path).is_err());
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
            let error = Checkpoint::<RunState>::load(&path).unwrap_err();
            assert!(matches!(error, CheckpointError::OtherVersion { .. }), "{error}");
        }
    }
}
