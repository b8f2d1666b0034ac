//! The file of a checkpoint, and its previous generation.
//!
//! A checkpoint is written to `FILE.new`, synced, and renamed to `FILE`. Before that the last checkpoint is
//! renamed to `FILE.previous`, if it is intact. So at every moment at least one of the two files is intact.
//! Ranks that share a sweep all write `FILE.new` first, and rename it when all have written it.
//!
//! A lock on `FILE.lock` excludes a second writer. The system releases it when the process ends, however that
//! happens. The lock file is removed if nothing was saved.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::CheckpointError;
use super::form::Checkpoint;
use super::frame::Saved;
use super::generations::{folder, load_one};
use crate::batch::disk::{behind_links, sync_names};
use crate::batch::folder::Folder;
use crate::batch::suffix::with_suffix;

/// Time between two attempts to get a lock that another run holds.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A checkpoint file that only this process writes.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    _lock: File,
}

impl CheckpointFile {
    /// Locks the file for this process. The file need not exist yet. If `path` is a link, the file behind it
    /// is locked.
    ///
    /// # Errors
    /// Another run holds the lock, the folder cannot be written to, or the path is not a file.
    pub fn lock(path: &Path) -> Result<Self, CheckpointError> {
        let path = behind_links(path);
        // Only one metadata call: the file is missing for a moment while a generation is replaced.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(CheckpointError::NoFile { path });
        }
        if let Some(folder) =
            path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            return Err(CheckpointError::NoFolder { folder: folder.to_owned(), path });
        }
        let lock_path = with_suffix(&path, ".lock");
        let failed = |source| CheckpointError::Lock { path: lock_path.clone(), source };
        loop {
            let lock =
                File::options().create(true).truncate(false).write(true).open(&lock_path).map_err(failed)?;
            match lock.try_lock() {
                // The previous holder may have removed the lock file in between. This lock would exclude no
                // one then.
                Ok(()) if !is_at(&lock, &lock_path) => {}
                Ok(()) => return Ok(Self { path, _lock: lock }),
                Err(TryLockError::WouldBlock) => return Err(CheckpointError::InUse { path }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Locks the file like [`CheckpointFile::lock`]. If another run holds the lock, calls `on_wait` once and
    /// retries for up to `patience`. A run that is being killed holds its lock until the system has freed all
    /// of its memory.
    ///
    /// # Errors
    /// The errors of [`CheckpointFile::lock`].
    pub fn lock_within(
        path: &Path,
        patience: Duration,
        waiting: impl FnOnce(),
    ) -> Result<Self, CheckpointError> {
        let began = Instant::now();
        let mut waiting = Some(waiting);
        loop {
            match Self::lock(path) {
                Err(CheckpointError::InUse { .. }) if began.elapsed() < patience => {
                    if let Some(waiting) = waiting.take() {
                        waiting();
                    }
                    sleep(LOOK_EVERY);
                }
                locked => return locked,
            }
        }
    }

    /// Returns true if a checkpoint of either generation exists. It may be damaged.
    #[must_use]
    pub fn exists(path: &Path) -> bool {
        let path = behind_links(path);
        path.exists() || with_suffix(&path, ".previous").exists()
    }

    /// Returns true if a lock file exists: a run may use the file although it has saved nothing yet.
    #[must_use]
    pub fn may_be_taken(path: &Path) -> bool {
        with_suffix(&behind_links(path), ".lock").exists()
    }

    /// Returns the path of the file, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if a previous generation exists.
    #[must_use]
    pub fn has_before(&self) -> bool {
        with_suffix(&self.path, ".previous").exists()
    }

    /// Renames the newest generation to `FILE.damaged`, so that it does not replace the previous one, from
    /// which the run resumes.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn set_aside(&self) -> Result<(), CheckpointError> {
        if !self.path.exists() {
            return Ok(());
        }
        let aside = with_suffix(&self.path, ".damaged");
        fs::rename(&self.path, aside)
            .and_then(|()| sync_names(&self.path))
            .map_err(|source| CheckpointError::Read { path: self.path.clone(), source })
    }

    /// Opens the folder for layers of sweeps next to the file, and removes all items that neither generation
    /// names.
    #[must_use]
    pub fn folder(&self) -> Folder {
        self.folder_of::<Checkpoint>()
    }

    /// Opens the folder like [`CheckpointFile::spill_dir`], for a checkpoint of type `F`.
    #[must_use]
    pub fn folder_of<F: Saved>(&self) -> Folder {
        let before = load_one::<F>(&with_suffix(&self.path, ".previous"));
        let folder = folder(&self.path, &load_one::<F>(&self.path), &before);
        folder.clean();
        folder
    }

    /// Removes the file and all its sidecar files, and releases the lock.
    pub fn remove(self) {
        self.folder().clear();
        for suffix in ["", ".previous", ".new", ".damaged", ".lock"] {
            let _ = fs::remove_file(with_suffix(&self.path, suffix));
        }
    }

    /// Saves a generation. The last one becomes `FILE.previous`.
    ///
    /// # Errors
    /// Writing failed. The older generations are unchanged then.
    pub fn save<F: Saved>(&self, checkpoint: &F) -> io::Result<()> {
        self.write(checkpoint)?;
        self.commit::<F>()
    }

    /// Writes a generation to `FILE.new`. The newest generation is unchanged.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write<F: Saved>(&self, checkpoint: &F) -> io::Result<()> {
        // Only the holder of the lock writes this file. A file that a killed run has left is overwritten.
        let beside = with_suffix(&self.path, ".new");
        let write = || -> io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(checkpoint.to_text().as_bytes())?;
            file.sync_all()
        };
        write().inspect_err(|_| self.discard())
    }

    /// Removes `FILE.new`.
    pub fn discard(&self) {
        let _ = fs::remove_file(with_suffix(&self.path, ".new"));
    }

    /// Makes `FILE.new` the newest generation.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn commit<F: Saved>(&self) -> io::Result<()> {
        let beside = with_suffix(&self.path, ".new");
        // A damaged file must not replace the generation from which the run has resumed.
        if load_one::<F>(&self.path).is_ok() {
            // If the process is killed between the two renames, the previous generation is the newest one.
            fs::rename(&self.path, with_suffix(&self.path, ".previous"))?;
        }
        fs::rename(&beside, &self.path)?;
        sync_names(&self.path)
    }
}

impl Drop for CheckpointFile {
    /// Removes the lock file if nothing was saved.
    fn drop(&mut self) {
        let beside = ["", ".previous", ".new", ".damaged", ".sweep"];
        if !beside.iter().any(|suffix| with_suffix(&self.path, suffix).exists()) {
            let _ = fs::remove_file(with_suffix(&self.path, ".lock"));
        }
    }
}

/// Returns true if `path` is the path of the open file `file`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let number = |found: io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
    number(file.metadata()).is_some_and(|own| number(fs::metadata(path)) == Some(own))
}

/// On other systems an open file keeps its name.
#[cfg(not(unix))]
const fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::checkpoint::form::samples::checkpoint;

    #[test]
    fn generations_are_kept_and_read_back() {
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
    fn a_damaged_file_takes_no_generations_place() {
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
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        assert!(matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        drop(file);
        assert!(CheckpointFile::lock(&path).is_ok());
    }

    #[test]
    fn a_missing_folder_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = CheckpointFile::lock(&folder.path().join("not/run")).unwrap_err();
        let missing = folder.path().join("not");
        assert!(matches!(&error, CheckpointError::NoFolder { folder, .. } if *folder == missing), "{error}");
        assert!(error.to_string().contains(&missing.display().to_string()), "{error}");
    }

    #[test]
    fn a_lock_that_is_given_up_is_waited_for() {
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
    fn a_link_stays_a_link_and_its_file_has_one_writer() {
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
            assert_eq!(Checkpoint::load_before(path).unwrap(), checkpoint(3));
        }
    }

    #[test]
    fn a_lock_goes_where_nothing_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let lock = with_suffix(&path, ".lock");
        let file = CheckpointFile::lock(&path).unwrap();
        assert!(lock.exists() && matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        assert!(CheckpointFile::may_be_taken(&path));
        drop(file);
        assert!(!lock.exists() && !CheckpointFile::may_be_taken(&path));
        let file = CheckpointFile::lock(&path).unwrap();
        file.save(&checkpoint(3)).unwrap();
        drop(file);
        assert!(lock.exists() && path.exists());
        // A lock file that was removed while it was waited for locks nothing.
        let gone = File::create(&lock).unwrap();
        fs::remove_file(&lock).unwrap();
        assert!(!is_at(&gone, &lock));
        File::create(&lock).unwrap();
        assert!(!is_at(&gone, &lock));
    }

    #[test]
    fn what_is_no_file_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(CheckpointFile::lock(folder.path()), Err(CheckpointError::NoFile { .. })));
        assert!(!with_suffix(folder.path(), ".lock").exists());
    }
}
