//! Reading a checkpoint: the newest of two generations that is whole, layers of a sweep included.

use std::fs;
use std::path::Path;

use super::error::CheckpointError;
use super::form::Checkpoint;
use crate::batch::folder::Folder;
use crate::batch::suffix::with_suffix;
use crate::frontier::Snapshot;

/// A checkpoint read from a file, and why it is not the newest generation, if so.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// What had been done.
    pub checkpoint: Checkpoint,
    /// What is wrong with the newest generation.
    pub fallback: Option<CheckpointError>,
}

impl Checkpoint {
    /// Reads the newest whole generation at `path`, layers of a sweep at rest included.
    ///
    /// # Errors
    /// What is wrong with the newest generation, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded, CheckpointError> {
        let previous = with_suffix(path, ".previous");
        let (newest, before) = (Self::load_one(path), Self::load_one(&previous));
        let folder = Self::folder(path, &newest, &before);
        let error = match Self::whole(&folder, newest, path) {
            Ok(checkpoint) => return Ok(Loaded { checkpoint, fallback: None }),
            Err(error) => error,
        };
        match Self::whole(&folder, before, &previous) {
            Ok(checkpoint) => Ok(Loaded { checkpoint, fallback: Some(error) }),
            Err(_) => Err(error),
        }
    }

    fn whole(
        folder: &Folder,
        loaded: Result<Self, CheckpointError>,
        path: &Path,
    ) -> Result<Self, CheckpointError> {
        let checkpoint = loaded?;
        match checkpoint.state.snapshot().map_or(Ok(()), |snapshot| folder.check(snapshot)) {
            Ok(()) => Ok(checkpoint),
            Err(error) => Err(CheckpointError::Damaged {
                path: path.to_owned(),
                what: format!("its layers in {}: {error}", folder.path().display()),
            }),
        }
    }

    pub(in crate::batch) fn folder(
        path: &Path,
        newest: &Result<Self, CheckpointError>,
        before: &Result<Self, CheckpointError>,
    ) -> Folder {
        let snapshots: Vec<&Snapshot> = [newest, before]
            .into_iter()
            .flatten()
            .filter_map(|checkpoint| checkpoint.state.snapshot())
            .collect();
        Folder::beside(path, &snapshots)
    }

    /// Reads the generation before the newest, layers included.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load_before(path: &Path) -> Result<Self, CheckpointError> {
        let previous = with_suffix(path, ".previous");
        let (newest, before) = (Self::load_one(path), Self::load_one(&previous));
        Self::whole(&Self::folder(path, &newest, &before), before, &previous)
    }

    pub(in crate::batch) fn load_one(path: &Path) -> Result<Self, CheckpointError> {
        let bytes =
            fs::read(path).map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
        Self::parse(&bytes, path)
    }
}
