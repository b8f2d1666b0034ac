//! Checkpoint files: how they are locked, saved in two generations, and loaded.
//!
//! # Saving
//!
//! A checkpoint is written to `FILE.new`, synced, and renamed to `FILE`. Before the renaming, the last
//! checkpoint is renamed to `FILE.previous`, if it is intact. So at every moment at least one of the two
//! generations is intact. Ranks that share a sweep all write `FILE.new` first, and rename it when all have
//! written it.
//!
//! # Lock
//!
//! A lock on `FILE.lock` excludes a second writer. The system releases the lock when the process ends,
//! however it ends. The lock file is removed if nothing was saved.
//!
//! # Loading
//!
//! The newest of the two generations that is intact is loaded. A generation with a suspended sweep is intact
//! only if the layers of the sweep are intact, too.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::format::{Checkpoint, CheckpointError, CheckpointFormat, Envelope};
use crate::batch::filesystem::{read_bounded, resolve_links, sync_parent_folder, with_suffix};
use crate::batch::spill_dir::SpillDir;
use crate::frontier::Snapshot;

/// Time between two attempts to get a lock that another process holds.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A checkpoint file with its lock: only this process writes the file.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    _lock: File,
}

impl CheckpointFile {
    /// Locks the checkpoint file at `path` for this process. The file need not exist yet. If `path` is a
    /// link, the file behind it is locked.
    ///
    /// # Errors
    /// Another run holds the lock, the folder cannot be written to, or the path is not a file.
    pub fn lock(path: &Path) -> Result<Self, CheckpointError> {
        let path = resolve_links(path);
        // Only one metadata call: the file is missing for a moment while a generation is replaced.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(CheckpointError::NotAFile { path });
        }
        if let Some(folder) =
            path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            return Err(CheckpointError::MissingFolder { folder: folder.to_owned(), path });
        }
        let lock_path = with_suffix(&path, ".lock");
        let failed = |source| CheckpointError::Lock { path: lock_path.clone(), source };
        loop {
            let lock =
                File::options().create(true).truncate(false).write(true).open(&lock_path).map_err(failed)?;
            match lock.try_lock() {
                // The previous holder may have removed the lock file in between. This lock would exclude no
                // one then.
                Ok(()) if !is_path_of(&lock, &lock_path) => {}
                Ok(()) => return Ok(Self { path, _lock: lock }),
                Err(TryLockError::WouldBlock) => return Err(CheckpointError::InUse { path }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Locks the checkpoint file like [`CheckpointFile::lock`]. If another run holds the lock, calls
    /// `on_wait` once and retries for up to `timeout`. A run that is being killed holds its lock until the
    /// system has freed all of its memory.
    ///
    /// # Errors
    /// The errors of [`CheckpointFile::lock`].
    pub fn lock_within(
        path: &Path,
        timeout: Duration,
        on_wait: impl FnOnce(),
    ) -> Result<Self, CheckpointError> {
        let began = Instant::now();
        let mut waiting = Some(on_wait);
        loop {
            match Self::lock(path) {
                Err(CheckpointError::InUse { .. }) if began.elapsed() < timeout => {
                    if let Some(waiting) = waiting.take() {
                        waiting();
                    }
                    sleep(LOCK_RETRY_INTERVAL);
                }
                locked => return locked,
            }
        }
    }

    /// Returns true if a checkpoint of either generation exists at `path`. The checkpoint may be damaged.
    #[must_use]
    pub fn exists(path: &Path) -> bool {
        let path = resolve_links(path);
        path.exists() || with_suffix(&path, ".previous").exists()
    }

    /// Returns true if the lock file of the checkpoint file at `path` exists. Then a run may be
    /// using the checkpoint file, even if it has not saved a checkpoint yet.
    #[must_use]
    pub fn is_lock_present(path: &Path) -> bool {
        with_suffix(&resolve_links(path), ".lock").exists()
    }

    /// Returns the path of the checkpoint file, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the previous generation of the checkpoint exists.
    #[must_use]
    pub fn has_previous(&self) -> bool {
        with_suffix(&self.path, ".previous").exists()
    }

    /// Renames the damaged newest generation to `FILE.damaged`. Otherwise the next save would move
    /// it over the previous generation, from which the run resumes.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn rename_damaged(&self) -> Result<(), CheckpointError> {
        if !self.path.exists() {
            return Ok(());
        }
        let damaged_path = with_suffix(&self.path, ".damaged");
        fs::rename(&self.path, damaged_path)
            .and_then(|()| sync_parent_folder(&self.path))
            .map_err(|source| CheckpointError::Read { path: self.path.clone(), source })
    }

    /// Opens the folder for layers of sweeps that belongs to the checkpoint file. Removes all files
    /// of the folder that neither generation of the checkpoint names.
    #[must_use]
    pub fn spill_dir(&self) -> SpillDir {
        self.spill_dir_of::<Checkpoint>()
    }

    /// Opens the folder for layers of sweeps like [`CheckpointFile::spill_dir`], for a checkpoint
    /// file of format `F`.
    #[must_use]
    pub fn spill_dir_of<F: CheckpointFormat>(&self) -> SpillDir {
        let before = load_generation::<F>(&with_suffix(&self.path, ".previous"));
        let folder = open_spill_dir(&self.path, &load_generation::<F>(&self.path), &before);
        folder.remove_unnamed();
        folder
    }

    /// Removes the checkpoint file and all its sidecar files, and releases the lock.
    pub fn remove(self) {
        self.spill_dir().remove_all();
        for suffix in ["", ".previous", ".new", ".damaged", ".lock"] {
            let _ = fs::remove_file(with_suffix(&self.path, suffix));
        }
    }

    /// Saves a checkpoint as the newest generation. The newest generation so far becomes `FILE.previous`.
    ///
    /// # Errors
    /// Writing failed. Both older generations are unchanged then.
    pub fn save<F: CheckpointFormat>(&self, checkpoint: &F) -> io::Result<()> {
        self.write_new(checkpoint)?;
        self.commit_new::<F>()
    }

    /// Writes a checkpoint to `FILE.new`. The newest generation is unchanged.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_new<F: CheckpointFormat>(&self, checkpoint: &F) -> io::Result<()> {
        // Only the holder of the lock writes this file. A file that a killed run has left is overwritten.
        let new_path = with_suffix(&self.path, ".new");
        let write = || -> io::Result<()> {
            let mut file = File::create(&new_path)?;
            file.write_all(checkpoint.to_text().as_bytes())?;
            file.sync_all()
        };
        write().inspect_err(|_| self.discard_new())
    }

    /// Removes `FILE.new`.
    pub fn discard_new(&self) {
        let _ = fs::remove_file(with_suffix(&self.path, ".new"));
    }

    /// Makes `FILE.new` the newest generation.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn commit_new<F: CheckpointFormat>(&self) -> io::Result<()> {
        let new_path = with_suffix(&self.path, ".new");
        // A damaged file must not replace the generation from which the run has resumed.
        if load_generation::<F>(&self.path).is_ok() {
            // If the process is killed between the two renames, the previous generation is the newest one.
            fs::rename(&self.path, with_suffix(&self.path, ".previous"))?;
        }
        fs::rename(&new_path, &self.path)?;
        sync_parent_folder(&self.path)
    }
}

impl Drop for CheckpointFile {
    /// Removes the lock file if the run has saved nothing.
    fn drop(&mut self) {
        let suffixes = ["", ".previous", ".new", ".damaged", ".sweep"];
        if !suffixes.iter().any(|suffix| with_suffix(&self.path, suffix).exists()) {
            let _ = fs::remove_file(with_suffix(&self.path, ".lock"));
        }
    }
}

/// Returns true if `path` is the path of the open file `file`.
#[cfg(unix)]
fn is_path_of(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let number =
        |found: io::Result<fs::Metadata>| found.map(|metadata| (metadata.dev(), metadata.ino())).ok();
    number(file.metadata()).is_some_and(|own| number(fs::metadata(path)) == Some(own))
}

/// Returns true: on systems other than Unix an open file cannot be renamed, so it is still at its
/// path.
#[cfg(not(unix))]
const fn is_path_of(_: &File, _: &Path) -> bool {
    true
}

/// A checkpoint that was loaded, and the reason if it is the previous generation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded<F = Checkpoint> {
    /// The content of the checkpoint.
    pub checkpoint: F,
    /// The reason why the newest generation could not be used, if the previous generation was
    /// loaded.
    pub fallback: Option<CheckpointError>,
}

impl Checkpoint {
    /// Loads the newest intact generation at `path`, and checks the layers of its suspended sweep, if there
    /// is one.
    ///
    /// # Errors
    /// The reason why the newest generation cannot be used, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded, CheckpointError> {
        load(path)
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

/// Loads the newest intact generation of the checkpoint at `path`, and checks the layers of its
/// suspended sweep, if there is one.
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

/// Opens the folder for layers of sweeps next to a checkpoint file. Pins the layers that the two
/// generations `newest` and `before` of the checkpoint name.
pub(in crate::batch) fn open_spill_dir<F: CheckpointFormat>(
    path: &Path,
    newest: &Result<F, CheckpointError>,
    before: &Result<F, CheckpointError>,
) -> SpillDir {
    let generations = [newest, before].into_iter().flatten();
    let snapshots: Vec<&Snapshot> = generations.filter_map(CheckpointFormat::snapshot).collect();
    SpillDir::for_checkpoint(path, &snapshots)
}

/// Reads the checkpoint file at `path`, without checking its layers.
pub(in crate::batch) fn load_generation<F: CheckpointFormat>(path: &Path) -> Result<F, CheckpointError> {
    let bytes = read_bounded(path, |bytes| Envelope::is_type_of(bytes, F::HEADER))
        .map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
    F::parse(&bytes, path)
}

#[cfg(test)]
mod tests {
    use super::super::format::samples::checkpoint;
    use super::*;

    #[test]
    fn load_falls_back_to_previous_generation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.units_done(), 5);
        assert!(loaded.fallback.is_none());
        fs::remove_file(&path).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.units_done(), 3);
        assert!(matches!(loaded.fallback, Some(CheckpointError::Read { .. })));
    }

    #[test]
    fn save_does_not_keep_damaged_file_as_previous() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        fs::write(&path, "damaged").unwrap();
        file.save(&checkpoint(6)).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint.units_done(), 6);
        fs::remove_file(&path).unwrap();
        assert!(CheckpointFile::exists(&path));
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint.units_done(), 3);
    }

    #[test]
    fn lock_excludes_second_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        assert!(matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        drop(file);
        assert!(CheckpointFile::lock(&path).is_ok());
    }

    #[test]
    fn lock_names_missing_folder() {
        let folder = tempfile::tempdir().unwrap();
        let error = CheckpointFile::lock(&folder.path().join("not/run")).unwrap_err();
        let missing = folder.path().join("not");
        assert!(
            matches!(&error, CheckpointError::MissingFolder { folder, .. } if *folder == missing),
            "{error}"
        );
        assert!(error.to_string().contains(&missing.display().to_string()), "{error}");
    }

    #[test]
    fn lock_within_waits_for_release() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut held = Some(CheckpointFile::lock(&path).unwrap());
        let refused = CheckpointFile::lock_within(&path, Duration::ZERO, || panic!("there is no time"));
        assert!(matches!(refused, Err(CheckpointError::InUse { .. })));
        let taken = CheckpointFile::lock_within(&path, Duration::MAX, || drop(held.take()));
        assert!(taken.is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn lock_follows_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("run"), folder.path().join("link"));
        std::os::unix::fs::symlink("run", &link).unwrap();
        let file = CheckpointFile::lock(&link).unwrap();
        assert!(matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        assert!(link.is_symlink() && CheckpointFile::exists(&link));
        for path in [&link, &path] {
            assert_eq!(Checkpoint::load(path).unwrap().checkpoint, checkpoint(5));
            assert_eq!(Checkpoint::load_previous(path).unwrap(), checkpoint(3));
        }
    }

    #[test]
    fn drop_removes_lock_if_nothing_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let lock = with_suffix(&path, ".lock");
        let file = CheckpointFile::lock(&path).unwrap();
        assert!(lock.exists() && matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        assert!(CheckpointFile::is_lock_present(&path));
        drop(file);
        assert!(!lock.exists() && !CheckpointFile::is_lock_present(&path));
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint(3)).unwrap();
        drop(file);
        assert!(lock.exists() && path.exists());
        // A lock file that was removed while it was waited for locks nothing.
        let lock_file = File::create(&lock).unwrap();
        fs::remove_file(&lock).unwrap();
        assert!(!is_path_of(&lock_file, &lock));
        File::create(&lock).unwrap();
        assert!(!is_path_of(&lock_file, &lock));
    }

    #[test]
    fn lock_rejects_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(CheckpointFile::lock(folder.path()), Err(CheckpointError::NotAFile { .. })));
        assert!(!with_suffix(folder.path(), ".lock").exists());
    }
}

#[cfg(test)]
mod load_tests {
    use std::fs;

    use super::*;
    use crate::batch::{CheckpointFile, Job, RunState, Shard, SuspendedUnit};
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};
    use crate::frontier::{StepTally, SweepTotals};

    fn checkpoint(rest: Option<Snapshot>) -> Checkpoint {
        let work_plan = WorkPlan::new(&Request::new("5x5".parse::<Board>().unwrap())).unwrap();
        let suspended = rest.map(|snapshot| SuspendedUnit { unit: 0, snapshot });
        let state = RunState { suspended, ..RunState::new(&work_plan) };
        Checkpoint { job: Job::new(&work_plan, Shard::WHOLE), state, output: serde_json::Value::Null }
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
