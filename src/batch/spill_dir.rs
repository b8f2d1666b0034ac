//! A folder on disk for layers of sweeps: layers that do not fit into memory, and layers of
//! suspended sweeps.
//!
//! ```text
//! FILE.sweep/0000002a.part      next to the checkpoint FILE: also holds layers of suspended sweeps
//! DIR/ktour-spill-a8Xk2p/...    for one process, which holds a lock in the folder
//! ```
//!
//! Each file of the folder is an *item*. An item is written once and never changed. Items that a
//! saved checkpoint names are *pinned*: they are removed only when two newer checkpoints no longer
//! name them, so that both generations of the checkpoint file stay usable.
//!
//! The system releases the lock of a killed process. The next run that spills into the same `DIR`
//! recognises the abandoned folder by its free lock, and removes it. A folder without a lock file is one that is
//! being created, or that a process left when it was killed in that moment. Processes lock `DIR` itself while they
//! create a folder, so that a later one knows which.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::filesystem::with_suffix;
use crate::frontier::{Snapshot, Store, check_stored};
use crate::lock::lock;
use crate::memory::format_bytes;
use crate::text_format::describe_io_error;

/// Maximum number of bytes that ktour leaves free on a disk. On a small disk, a sixteenth of its
/// size is left free instead.
const RESERVED_DISK_BYTES: u64 = 512 << 20;
const RESERVED_DISK_DIVISOR: u64 = 16;

/// Number of items that are written between two checks of the free disk space.
const FREE_SPACE_CHECK_ITEMS: u64 = 16;

const SPILL_DIR_PREFIX: &str = "ktour-spill-";

/// Age after which a spill folder without a lock file is considered abandoned if its parent cannot be locked.
const MAX_UNLOCKED_AGE: Duration = Duration::from_secs(3600);

/// A [`Store`] of items as files in a folder of its own. The folder for a checkpoint is created
/// with the first item.
#[derive(Debug)]
pub struct SpillDir {
    path: PathBuf,
    next_item: AtomicU64,
    /// Number of items created so far.
    created_items: AtomicU64,
    /// Numbers of removed items whose empty files can be used again. Creating and removing files takes
    /// longer than writing small ones.
    empty_items: Mutex<Vec<u64>>,
    pins: Mutex<Pins>,
    /// The locked file in a folder of this process, which is removed when the process ends; `None` for the folder of a
    /// checkpoint.
    lock: Option<File>,
    /// The parent folder, if it was created together with the spill folder. It is removed when it
    /// is empty.
    created_parent: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Pins {
    /// The numbers of the items that the newest generation of the checkpoint names.
    newest: HashSet<u64>,
    previous: HashSet<u64>,
    /// Numbers of items that are no longer needed, but stay because they are pinned.
    unneeded: HashSet<u64>,
    /// Numbers of the items that were written since the last call of `sync`.
    unsynced: Vec<u64>,
}

impl SpillDir {
    /// Opens the spill folder of a checkpoint file. `snapshots` are the suspended sweeps of the two
    /// generations of the checkpoint, newest first.
    #[must_use]
    pub(super) fn for_checkpoint(checkpoint: &Path, snapshots: &[&Snapshot]) -> Self {
        let path = with_suffix(checkpoint, ".sweep");
        let mut generations =
            snapshots.iter().map(|snapshot| snapshot.store_numbers().collect::<HashSet<u64>>());
        let (newest, before) =
            (generations.next().unwrap_or_default(), generations.next().unwrap_or_default());
        let next = list_items(&path).iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let idle = before.difference(&newest).copied().collect();
        let pins = Pins { newest, previous: before, unneeded: idle, unsynced: Vec::new() };
        Self::new(path, next, pins, None, None)
    }

    fn new(
        path: PathBuf,
        next_item: u64,
        pins: Pins,
        lock: Option<File>,
        created_parent: Option<PathBuf>,
    ) -> Self {
        let (created_items, empty_items) = (AtomicU64::new(0), Mutex::default());
        let (next_item, pins) = (next_item.into(), pins.into());
        Self { path, next_item, created_items, empty_items, pins, lock, created_parent }
    }

    /// Creates a spill folder in `dir` for this process, and removes the folders of killed
    /// processes from `dir`. If `dir` does not exist, it is created, and later removed together
    /// with the folder.
    ///
    /// # Errors
    /// `dir` cannot be written to, or its parent folder does not exist.
    pub fn create_temporary(dir: &Path) -> io::Result<Self> {
        let is_made = !dir.is_dir();
        if is_made {
            fs::create_dir(dir)?;
        }
        // Not all file systems lock folders.
        let creating = File::open(dir).ok().filter(|dir| dir.lock().is_ok());
        for entry in fs::read_dir(dir)?.flatten() {
            if is_abandoned(&entry, creating.is_some()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        // The folder gets its final name, without a dot, once the lock is held.
        let hidden = tempfile::Builder::new().prefix(&format!(".{SPILL_DIR_PREFIX}")).tempdir_in(dir)?.keep();
        let lock = File::create_new(hidden.join("lock"))?;
        lock.try_lock().map_err(io::Error::from)?;
        let name =
            hidden.file_name().and_then(|name| name.to_str()).expect("the name consists of ASCII letters");
        let path = dir.join(name.trim_start_matches('.'));
        fs::rename(&hidden, &path)?;
        drop(creating);
        Ok(Self::new(path, 0, Pins::default(), Some(lock), is_made.then(|| dir.to_owned())))
    }

    /// Removes all items that neither generation of the checkpoint names. No other process may
    /// write to the folder at this time.
    pub(super) fn remove_unnamed(&self) {
        let pins = self.lock_pins();
        let is_pinned = |number: &u64| pins.newest.contains(number) || pins.previous.contains(number);
        for (_, file) in list_items(&self.path).iter().filter(|(number, _)| !is_pinned(number)) {
            let _ = fs::remove_file(file);
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes that may still be written to the folder: the free space of the
    /// disk minus the part that stays free.
    ///
    /// # Errors
    /// The system does not report the free space.
    pub fn free_bytes(&self) -> io::Result<u64> {
        Self::free_bytes_at(&self.path)
    }

    /// Returns the number of bytes that may be written to the folder `path`, which need not exist
    /// yet: the free space of its disk minus the part that stays free.
    ///
    /// # Errors
    /// The system does not report the free space.
    pub fn free_bytes_at(path: &Path) -> io::Result<u64> {
        let existing = existing_ancestor(path);
        Ok(fs4::available_space(existing)?.saturating_sub(reserved_bytes(existing)?))
    }

    /// Checks that all items that `snapshot` names exist and are intact.
    ///
    /// # Errors
    /// The first item that is missing or damaged, as an error of the file system.
    pub fn check(&self, snapshot: &Snapshot) -> io::Result<()> {
        check_stored(self, snapshot)
    }

    /// Writes all new items through to the disk, so that they survive a power cut. Must be called
    /// before a checkpoint that names them is saved.
    ///
    /// # Errors
    /// The disk reports a failure.
    pub fn sync(&self) -> io::Result<()> {
        loop {
            let Some(number) = self.lock_pins().unsynced.pop() else { break };
            let synced = match File::open(self.item_path(number)) {
                Ok(file) => file.sync_data(),
                // The item was removed in the meantime.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = synced {
                self.lock_pins().unsynced.push(number);
                return Err(error);
            }
        }
        match File::open(&self.path) {
            Ok(folder) => folder.sync_all(),
            Err(_) => Ok(()),
        }
    }

    /// Removes all items of the folder. Called when the run is finished.
    pub fn remove_all(&self) {
        *self.lock_pins() = Pins::default();
        lock(&self.empty_items).clear();
        for (_, file) in list_items(&self.path) {
            let _ = fs::remove_file(file);
        }
    }

    /// Pins `items`, which the checkpoint that was just saved names. Unpins the items that only the
    /// last generation but one names, and removes them if they are no longer needed.
    pub fn pin(&self, items: impl IntoIterator<Item = u64>) {
        let mut pins = self.lock_pins();
        let newest: HashSet<u64> = items.into_iter().collect();
        if newest != pins.newest {
            pins.previous = std::mem::replace(&mut pins.newest, newest);
        }
        let Pins { newest, previous: before, unneeded: idle, .. } = &mut *pins;
        idle.retain(|number| {
            let is_pinned = newest.contains(number) || before.contains(number);
            if !is_pinned {
                let _ = fs::remove_file(self.item_path(*number));
            }
            is_pinned
        });
    }

    fn lock_pins(&self) -> MutexGuard<'_, Pins> {
        lock(&self.pins)
    }

    fn item_path(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:08x}.part"))
    }
}

/// Returns true if the process that used a spill folder has ended. `is_parent_locked` is true if this process
/// has locked the parent, so that no other one is creating a folder.
fn is_abandoned(entry: &fs::DirEntry, is_parent_locked: bool) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    match name.strip_prefix('.') {
        None if name.starts_with(SPILL_DIR_PREFIX) => {
            let lock = File::options().write(true).open(entry.path().join("lock"));
            lock.is_ok_and(|lock| lock.try_lock().is_ok())
        }
        Some(rest) if rest.starts_with(SPILL_DIR_PREFIX) => {
            is_parent_locked || age_of_dir(entry) > MAX_UNLOCKED_AGE
        }
        _ => false,
    }
}

/// Returns the time since the folder was last modified. Zero if the system does not report it.
fn age_of_dir(entry: &fs::DirEntry) -> Duration {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    modified.ok().and_then(|time| time.elapsed().ok()).unwrap_or_default()
}

/// Returns the nearest ancestor of a path that is an existing folder.
fn existing_ancestor(path: &Path) -> &Path {
    let exists = |path: &&Path| path.is_dir();
    path.ancestors().find(exists).unwrap_or(Path::new("."))
}

/// Returns the number of bytes to leave free on the disk of the folder `path`.
fn reserved_bytes(path: &Path) -> io::Result<u64> {
    Ok(RESERVED_DISK_BYTES.min(fs4::total_space(path)? / RESERVED_DISK_DIVISOR))
}

/// Returns the numbers and paths of the items in the folder `path`.
fn list_items(path: &Path) -> Vec<(u64, PathBuf)> {
    let number = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".part")?;
        u64::from_str_radix(name, 16).ok()
    };
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter_map(|path| Some((number(&path)?, path))).collect()
}

impl Store for SpillDir {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let created = self.created_items.fetch_add(1, Ordering::Relaxed);
        if created.is_multiple_of(FREE_SPACE_CHECK_ITEMS) && self.free_bytes()? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "the disk of {} has less than {} left",
                    self.path.display(),
                    format_bytes(reserved_bytes(existing_ancestor(&self.path))?)
                ),
            ));
        }
        if let Some(number) = lock(&self.empty_items).pop() {
            return Ok((
                number,
                Box::new(
                    File::options().write(true).create(true).truncate(true).open(self.item_path(number))?,
                ),
            ));
        }
        let number = self.next_item.fetch_add(1, Ordering::Relaxed);
        let file = match File::create_new(self.item_path(number)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&self.path)?;
                File::create_new(self.item_path(number))?
            }
            file => file?,
        };
        if self.lock.is_none() {
            self.lock_pins().unsynced.push(number);
        }
        Ok((number, Box::new(file)))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        let path = self.item_path(number);
        let file = File::open(&path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {}", path.display(), describe_io_error(&error)))
        })?;
        Ok(Box::new(file))
    }

    fn remove(&self, number: u64) {
        let mut pins = self.lock_pins();
        if pins.newest.contains(&number) || pins.previous.contains(&number) {
            pins.unneeded.insert(number);
            return;
        }
        drop(pins);
        let path = self.item_path(number);
        // A checkpoint folder has only items that a checkpoint may name.
        if self.lock.is_some() && File::options().write(true).truncate(true).open(&path).is_ok() {
            lock(&self.empty_items).push(number);
        } else {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for SpillDir {
    fn drop(&mut self) {
        if self.lock.take().is_some() {
            let _ = fs::remove_dir_all(&self.path);
        } else {
            // This succeeds only if the folder is empty.
            let _ = fs::remove_dir(&self.path);
        }
        if let Some(around) = &self.created_parent {
            let _ = fs::remove_dir(around);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn write_item(folder: &SpillDir) -> u64 {
        let (number, mut writer) = folder.create().unwrap();
        writer.write_all(b"something").unwrap();
        number
    }

    #[test]
    fn pinned_items_survive_two_generations() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillDir::for_checkpoint(&dir.path().join("run"), &[]);
        let (a, b, c) = (write_item(&folder), write_item(&folder), write_item(&folder));
        folder.pin([a, b]);
        folder.remove(a);
        assert!(folder.open(a).is_ok());
        folder.pin([b]);
        assert!(folder.open(a).is_ok(), "the previous generation names it");
        folder.remove(c);
        assert!(folder.open(c).is_err(), "no generation names it");
        folder.pin([b]);
        assert!(folder.open(a).is_ok(), "the same generation again");
        folder.pin([]);
        assert!(folder.open(a).is_err());
        folder.remove(b);
        folder.pin([99]);
        assert!(folder.open(b).is_err());
        drop(folder);
        assert!(!dir.path().join("run.sweep").exists());
    }

    #[test]
    fn empty_files_of_temporary_folder_are_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillDir::create_temporary(dir.path()).unwrap();
        let (a, b) = (write_item(&folder), write_item(&folder));
        folder.remove(a);
        assert_eq!(fs::metadata(folder.item_path(a)).unwrap().len(), 0, "its disk space is free");
        let (number, mut writer) = folder.create().unwrap();
        writer.write_all(b"new").unwrap();
        assert_eq!((number, fs::read(folder.item_path(a)).unwrap()), (a, b"new".to_vec()));
        assert!(write_item(&folder) > b && fs::read(folder.item_path(b)).unwrap() == b"something");
        // A file that something else has removed is created again.
        folder.remove(b);
        fs::remove_file(folder.item_path(b)).unwrap();
        assert_eq!((write_item(&folder), fs::read(folder.item_path(b)).unwrap()), (b, b"something".to_vec()));
        let checkpoint_folder = SpillDir::for_checkpoint(&dir.path().join("run"), &[]);
        let item = write_item(&checkpoint_folder);
        checkpoint_folder.remove(item);
        assert!(write_item(&checkpoint_folder) > item && !checkpoint_folder.item_path(item).exists());
    }

    #[test]
    fn create_temporary_removes_abandoned_folders() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("ktour-spill-1");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("lock"), "").unwrap();
        let folder = SpillDir::create_temporary(dir.path()).unwrap();
        assert!(!left.exists());
        write_item(&folder);
        assert!(folder.path().is_dir() && folder.free_bytes().unwrap() > 0);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn hidden_folders_are_abandoned_if_old_or_parent_is_locked() {
        let dir = tempfile::tempdir().unwrap();
        let hidden = |name: &str| dir.path().join(format!(".{SPILL_DIR_PREFIX}{name}"));
        for name in ["new", "old"] {
            fs::create_dir(hidden(name)).unwrap();
        }
        File::open(hidden("old")).unwrap().set_modified(SystemTime::now() - 2 * MAX_UNLOCKED_AGE).unwrap();
        fs::create_dir(dir.path().join(".other")).unwrap();
        let abandoned = |is_parent_locked| {
            let entries = fs::read_dir(dir.path()).unwrap().map(Result::unwrap);
            let found = entries.filter(|entry| is_abandoned(entry, is_parent_locked));
            found.map(|entry| entry.path()).collect::<HashSet<_>>()
        };
        assert_eq!(abandoned(false), HashSet::from([hidden("old")]));
        assert_eq!(abandoned(true), HashSet::from(["new", "old"].map(hidden)));
        SpillDir::create_temporary(dir.path()).unwrap();
        // Its parent can be locked again.
        SpillDir::create_temporary(dir.path()).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn created_parent_is_removed_with_folder() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("made");
        let folder = SpillDir::create_temporary(&made).unwrap();
        write_item(&folder);
        assert!(made.is_dir());
        drop(folder);
        assert!(!made.exists() && dir.path().is_dir());
        assert!(SpillDir::create_temporary(&dir.path().join("no/such")).is_err());
        drop(SpillDir::create_temporary(dir.path()).unwrap());
        assert!(dir.path().is_dir(), "it existed before");
    }
}
