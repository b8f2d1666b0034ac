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
//! however it ends. The holder removes the lock file before it releases the lock. A process that has opened
//! the removed file sees after locking that the path leads to another file, and tries again. Only a killed
//! process leaves a lock file; it locks nothing, and the next run removes it.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::format::{Checkpoint, CheckpointError, Envelope, JobState};
use super::generations::{Loaded, load_generation, open_spill_dir, read_file};
use crate::batch::filesystem::{resolve_links, sync_parent_folder, with_suffix};
use crate::batch::spill_dir::SpillDir;

/// Time between two attempts to get a lock that another process holds.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A checkpoint file with its lock: only this process writes the file.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    lock: File,
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
                Ok(()) => return Ok(Self { path, lock }),
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

    /// Loads the checkpoint of `job`, or returns `None` if the file does not exist. A damaged newest
    /// generation is renamed to `FILE.damaged`.
    ///
    /// # Errors
    /// No generation can be used, or the checkpoint belongs to another job. No file is changed then.
    pub fn load<S: JobState>(&self, job: &S::Job) -> Result<Option<Loaded<S>>, CheckpointError> {
        if !Self::exists(&self.path) {
            return Ok(None);
        }
        let loaded = Checkpoint::<S>::load(&self.path)?;
        if loaded.checkpoint.job != *job {
            let job = loaded.checkpoint.job.to_string();
            return Err(CheckpointError::OtherJob { path: self.path.clone(), job });
        }
        if loaded.fallback.is_some() {
            self.rename_damaged()?;
        }
        Ok(Some(loaded))
    }

    /// Opens the folder for layers of sweeps that belongs to the checkpoint file, whose states have the type
    /// `S`. Removes all files of the folder that neither generation of the checkpoint names.
    #[must_use]
    pub fn spill_dir<S: JobState>(&self) -> SpillDir {
        let before = load_generation::<S>(&with_suffix(&self.path, ".previous"));
        let folder = open_spill_dir(&self.path, &load_generation::<S>(&self.path), &before);
        folder.remove_unnamed();
        folder
    }

    /// Removes the checkpoint file and the files and layers that belong to it, except the lock.
    pub fn remove(&self) {
        SpillDir::for_checkpoint(&self.path, &[]).remove_all();
        for suffix in ["", ".previous", ".new", ".damaged"] {
            let _ = fs::remove_file(with_suffix(&self.path, suffix));
        }
    }

    /// Saves a checkpoint as the newest generation. The newest generation so far becomes `FILE.previous`.
    ///
    /// # Errors
    /// Writing failed. Both older generations are unchanged then.
    pub fn save<S: JobState>(&self, checkpoint: &Checkpoint<S>) -> io::Result<()> {
        self.write_new(checkpoint)?;
        self.commit_new()
    }

    /// Writes a checkpoint to `FILE.new`. The newest generation is unchanged.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_new<S: JobState>(&self, checkpoint: &Checkpoint<S>) -> io::Result<()> {
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
    pub fn commit_new(&self) -> io::Result<()> {
        let new_path = with_suffix(&self.path, ".new");
        // A damaged file must not replace the generation from which the run has resumed.
        if read_file(&self.path).and_then(|bytes| Envelope::parse(&bytes, &self.path)).is_ok() {
            // If the process is killed between the two renames, the previous generation is the newest one.
            fs::rename(&self.path, with_suffix(&self.path, ".previous"))?;
        }
        fs::rename(&new_path, &self.path)?;
        sync_parent_folder(&self.path)
    }
}

impl Drop for CheckpointFile {
    /// Removes the lock file and releases the lock, in this order: see the description of the module.
    /// On systems other than Unix, where an open file cannot be identified, the lock file stays.
    fn drop(&mut self) {
        let lock_path = with_suffix(&self.path, ".lock");
        // Somebody may have removed the lock file, and another run may hold a new one.
        if cfg!(unix) && is_path_of(&self.lock, &lock_path) {
            let _ = fs::remove_file(lock_path);
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

#[cfg(test)]
mod tests {
    use super::super::format::samples::checkpoint;
    use super::super::generations::load_command;
    use super::*;
    use crate::batch::RunState;

    #[test]
    fn load_falls_back_to_previous_generation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        let loaded = Checkpoint::<RunState>::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.state.units_done(), 5);
        assert!(loaded.fallback.is_none());
        fs::remove_file(&path).unwrap();
        let loaded = Checkpoint::<RunState>::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.state.units_done(), 3);
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
        assert_eq!(Checkpoint::<RunState>::load(&path).unwrap().checkpoint.state.units_done(), 6);
        fs::remove_file(&path).unwrap();
        assert!(CheckpointFile::exists(&path));
        assert_eq!(Checkpoint::<RunState>::load(&path).unwrap().checkpoint.state.units_done(), 3);
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
            assert_eq!(Checkpoint::<RunState>::load(path).unwrap().checkpoint, checkpoint(5));
            assert_eq!(Checkpoint::<RunState>::load_previous(path).unwrap(), checkpoint(3));
        }
    }

    #[cfg(unix)]
    #[test]
    fn drop_removes_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let lock = with_suffix(&path, ".lock");
        for is_saved in [false, true] {
            let file = CheckpointFile::lock(&path).unwrap();
            assert!(CheckpointFile::is_lock_present(&path));
            assert!(matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
            if is_saved {
                file.save(&checkpoint(3)).unwrap();
            }
            drop(file);
            assert!(!CheckpointFile::is_lock_present(&path) && path.exists() == is_saved);
        }
        // The lock file of a killed process locks nothing.
        File::create(&lock).unwrap();
        drop(CheckpointFile::lock(&path).unwrap());
        // A lock file that was removed while it was waited for locks nothing.
        let lock_file = File::create(&lock).unwrap();
        fs::remove_file(&lock).unwrap();
        assert!(!is_path_of(&lock_file, &lock));
        File::create(&lock).unwrap();
        assert!(!is_path_of(&lock_file, &lock));
    }

    /// At most one of many threads holds the lock at any time, although each removes the lock file.
    #[cfg(unix)]
    #[test]
    fn removed_lock_files_exclude_each_other() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let (holders, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while turns.load(Ordering::SeqCst) < 2000 {
                        let Ok(file) = CheckpointFile::lock(&path) else { continue };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two threads hold the lock");
                        turns.fetch_add(1, Ordering::SeqCst);
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(file);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn load_rejects_other_jobs_and_files_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let (own, mut other) = (checkpoint(3), checkpoint(3));
        assert!(file.load::<RunState>(&own.job).unwrap().is_none(), "no checkpoint exists yet");
        file.save(&own).unwrap();
        assert_eq!(file.load::<RunState>(&own.job).unwrap().unwrap().checkpoint, own);
        other.job.request = other.job.request.with_kind(crate::tour::Kind::Closed).unwrap();
        let error = file.load::<RunState>(&other.job).unwrap_err().to_string();
        assert!(error.contains("(board=5x5 "), "{error}");
        let error = file.load::<crate::batch::SeriesState>(&"boards=1..5".to_owned()).unwrap_err();
        assert!(matches!(error, CheckpointError::OtherJob { .. }), "{error}");
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint, own);
        for text in ["a,b\n1,2\n", "\u{89}PNG\r\n\u{1a}\n", ""] {
            fs::write(&path, text).unwrap();
            let error = file.load::<RunState>(&own.job).unwrap_err();
            assert!(matches!(error, CheckpointError::NotACheckpoint { .. }), "{error}");
            assert!(load_command(&path).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn load_renames_damaged_generation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint(2)).unwrap();
        file.save(&checkpoint(3)).unwrap();
        fs::write(&path, "damaged").unwrap();
        let (command, job) = load_command(&path).unwrap();
        assert_eq!((command, job), (checkpoint(2).command, checkpoint(2).job.to_string()));
        let loaded = file.load::<RunState>(&checkpoint(0).job).unwrap().unwrap();
        assert!(loaded.fallback.is_some() && loaded.checkpoint.state.units_done() == 2);
        assert_eq!(fs::read(with_suffix(&path, ".damaged")).unwrap(), b"damaged");
    }

    #[test]
    fn lock_rejects_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(CheckpointFile::lock(folder.path()), Err(CheckpointError::NotAFile { .. })));
        assert!(!with_suffix(folder.path(), ".lock").exists());
    }
}
