//! A folder that keeps the parts of layers that are not in memory.
//!
//! ```text
//! FILE.sweep/0000002a.part      beside the checkpoint FILE: also holds sweeps at rest
//! DIR/ktour-spill-a8Xk2p/...    for one process, which holds a lock in it
//! ```
//!
//! An item is written once and never changed. Items that a saved checkpoint names are
//! *pinned*: they are removed only when two newer checkpoints do without them, so that
//! both generations of the checkpoint file stay whole. Folders of killed processes are
//! known by their locks, which went with the process, and swept away by the next run
//! in the same place.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::suffix::with_suffix;
use crate::frontier::{Snapshot, Store, check_stored};
use crate::lock::lock;
use crate::memory::in_words;

/// Bytes of the disk that are left alone, or a part of a small disk.
const LEAVE: u64 = 512 << 20;
const LEAVE_PART: u64 = 16;

/// Items written between two looks at the free space.
const LOOK_EVERY: u64 = 16;

const NAME: &str = "ktour-spill-";

/// A folder that has not been locked after so long belongs to nobody any more.
const BEGINNING: Duration = Duration::from_secs(3600);

/// A [`Store`] in a folder of its own, made when the first item is written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    next: AtomicU64,
    pins: Mutex<Pins>,
    /// Held by a folder that goes with the process.
    lock: Mutex<Option<File>>,
    is_beside: bool,
    /// The folder around it, if that was made for it: it goes when it is empty.
    around: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Pins {
    /// Items of the newest generation of the checkpoint, and of the one before.
    newest: HashSet<u64>,
    before: HashSet<u64>,
    /// Items that are not needed but pinned.
    idle: HashSet<u64>,
    /// Items written since the newest generation.
    unsynced: Vec<u64>,
}

impl Folder {
    /// The folder beside a checkpoint file, with the snapshots that its generations name, newest first.
    #[must_use]
    pub(super) fn beside(checkpoint: &Path, snapshots: &[&Snapshot]) -> Self {
        let path = with_suffix(checkpoint, ".sweep");
        let mut generations = snapshots.iter().map(|snapshot| snapshot.numbers().collect::<HashSet<u64>>());
        let (newest, before) =
            (generations.next().unwrap_or_default(), generations.next().unwrap_or_default());
        let next = items(&path).iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        let idle = before.difference(&newest).copied().collect();
        let pins = Pins { newest, before, idle, unsynced: Vec::new() };
        Self {
            path,
            next: next.into(),
            pins: pins.into(),
            lock: Mutex::default(),
            is_beside: true,
            around: None,
        }
    }

    /// A folder in `dir` for this process; those that killed processes left there are removed. If `dir` is not
    /// there it is made, and goes with the folder.
    ///
    /// # Errors
    /// `dir` cannot be written to, or the folder that it is to be in is not there.
    pub fn spill(dir: &Path) -> io::Result<Self> {
        let is_made = !dir.is_dir();
        if is_made {
            fs::create_dir(dir)?;
        }
        for entry in fs::read_dir(dir)?.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_abandoned = match name.strip_prefix('.') {
                None if name.starts_with(NAME) => {
                    let lock = File::options().write(true).open(entry.path().join("lock"));
                    lock.is_ok_and(|lock| lock.try_lock().is_ok())
                }
                Some(rest) => rest.starts_with(NAME) && age(&entry) > BEGINNING,
                None => false,
            };
            if is_abandoned {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        // The name begins with a dot, which nobody sweeps away for a while, until the lock is held.
        let hidden = tempfile::Builder::new().prefix(&format!(".{NAME}")).tempdir_in(dir)?.keep();
        let lock = File::create_new(hidden.join("lock"))?;
        lock.try_lock().map_err(io::Error::from)?;
        let name = hidden.file_name().and_then(|name| name.to_str()).expect("a name of ASCII letters");
        let path = dir.join(name.trim_start_matches('.'));
        fs::rename(&hidden, &path)?;
        let lock = Mutex::new(Some(lock));
        Ok(Self {
            path,
            next: 0.into(),
            pins: Mutex::default(),
            lock,
            is_beside: false,
            around: is_made.then(|| dir.to_owned()),
        })
    }

    /// Removes what no snapshot names. Nobody else may be writing.
    pub(super) fn clean(&self) {
        let pins = self.pins();
        let is_pinned = |number: &u64| pins.newest.contains(number) || pins.before.contains(number);
        for (_, file) in items(&self.path).iter().filter(|(number, _)| !is_pinned(number)) {
            let _ = fs::remove_file(file);
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that may be written.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn free(&self) -> io::Result<u64> {
        Self::spare(&self.path)
    }

    /// Bytes that may be written to a folder, or to one that is still to be made there.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn spare(path: &Path) -> io::Result<u64> {
        let existing = existing(path);
        Ok(fs4::available_space(existing)?.saturating_sub(left_alone(existing)?))
    }

    /// Whether all that a snapshot names is there and whole.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, snapshot: &Snapshot) -> io::Result<()> {
        check_stored(self, snapshot)
    }

    /// Makes what was written survive the machine, before a checkpoint names it.
    ///
    /// # Errors
    /// The medium fails.
    pub fn sync(&self) -> io::Result<()> {
        loop {
            let Some(number) = self.pins().unsynced.pop() else { break };
            let synced = match File::open(self.item(number)) {
                Ok(file) => file.sync_data(),
                // Not needed any more.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = synced {
                self.pins().unsynced.push(number);
                return Err(error);
            }
        }
        match File::open(&self.path) {
            Ok(folder) => folder.sync_all(),
            Err(_) => Ok(()),
        }
    }

    /// Removes everything: the run is finished.
    pub fn clear(&self) {
        *self.pins() = Pins::default();
        for (_, file) in items(&self.path) {
            let _ = fs::remove_file(file);
        }
    }

    /// A checkpoint that names these items has been saved.
    pub fn pin(&self, items: impl IntoIterator<Item = u64>) {
        let mut pins = self.pins();
        let newest: HashSet<u64> = items.into_iter().collect();
        if newest != pins.newest {
            pins.before = std::mem::replace(&mut pins.newest, newest);
        }
        let Pins { newest, before, idle, .. } = &mut *pins;
        idle.retain(|number| {
            let is_pinned = newest.contains(number) || before.contains(number);
            if !is_pinned {
                let _ = fs::remove_file(self.item(*number));
            }
            is_pinned
        });
    }

    fn pins(&self) -> MutexGuard<'_, Pins> {
        lock(&self.pins)
    }

    fn item(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:08x}.part"))
    }
}

/// Since when there has been a folder; nothing, if the system does not tell.
fn age(entry: &fs::DirEntry) -> Duration {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    modified.ok().and_then(|time| time.elapsed().ok()).unwrap_or_default()
}

/// A folder, or what there is of its path.
fn existing(path: &Path) -> &Path {
    let exists = |path: &&Path| path.is_dir();
    path.ancestors().find(exists).unwrap_or(Path::new("."))
}

/// Bytes of a disk that are left alone.
fn left_alone(path: &Path) -> io::Result<u64> {
    Ok(LEAVE.min(fs4::total_space(path)? / LEAVE_PART))
}

/// The items of a folder.
fn items(path: &Path) -> Vec<(u64, PathBuf)> {
    let number = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".part")?;
        u64::from_str_radix(name, 16).ok()
    };
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter_map(|path| Some((number(&path)?, path))).collect()
}

impl Store for Folder {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number.is_multiple_of(LOOK_EVERY) && self.free()? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "the disk of {} has less than {} left",
                    self.path.display(),
                    in_words(left_alone(existing(&self.path))?)
                ),
            ));
        }
        let file = match File::create_new(self.item(number)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&self.path)?;
                File::create_new(self.item(number))?
            }
            file => file?,
        };
        if self.is_beside {
            self.pins().unsynced.push(number);
        }
        Ok((number, Box::new(file)))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        let path = self.item(number);
        let file = File::open(&path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        Ok(Box::new(file))
    }

    fn remove(&self, number: u64) {
        let mut pins = self.pins();
        if pins.newest.contains(&number) || pins.before.contains(&number) {
            pins.idle.insert(number);
        } else {
            let _ = fs::remove_file(self.item(number));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.lock.get_mut().is_ok_and(|lock| lock.take().is_some()) {
            let _ = fs::remove_dir_all(&self.path);
        } else if self.is_beside {
            // Only if nothing is left in it.
            let _ = fs::remove_dir(&self.path);
        }
        if let Some(around) = &self.around {
            let _ = fs::remove_dir(around);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn written(folder: &Folder) -> u64 {
        let (number, mut writer) = folder.create().unwrap();
        writer.write_all(b"something").unwrap();
        number
    }

    #[test]
    fn pinned_items_outlive_two_generations() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::beside(&dir.path().join("run"), &[]);
        let (a, b, c) = (written(&folder), written(&folder), written(&folder));
        folder.pin([a, b]);
        folder.remove(a);
        assert!(folder.open(a).is_ok());
        folder.pin([b]);
        assert!(folder.open(a).is_ok(), "the generation before names it");
        folder.remove(c);
        assert!(folder.open(c).is_err(), "nobody names it");
        folder.pin([b]);
        assert!(folder.open(a).is_ok(), "the same generation once more");
        folder.pin([]);
        assert!(folder.open(a).is_err());
        folder.remove(b);
        folder.pin([99]);
        assert!(folder.open(b).is_err());
        drop(folder);
        assert!(!dir.path().join("run.sweep").exists());
    }

    #[test]
    fn folders_of_the_dead_are_swept_away() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("ktour-spill-1");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("lock"), "").unwrap();
        let folder = Folder::spill(dir.path()).unwrap();
        assert!(!left.exists());
        written(&folder);
        assert!(folder.path().is_dir() && folder.free().unwrap() > 0);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_was_killed_before_it_was_locked_goes_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let hidden = |name: &str| dir.path().join(format!(".{NAME}{name}"));
        for name in ["new", "old"] {
            fs::create_dir(hidden(name)).unwrap();
        }
        File::open(hidden("old")).unwrap().set_modified(SystemTime::now() - 2 * BEGINNING).unwrap();
        Folder::spill(dir.path()).unwrap();
        assert!(hidden("new").exists());
        assert!(!hidden("old").exists());
    }

    #[test]
    fn a_folder_that_was_made_for_a_spill_goes_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("made");
        let folder = Folder::spill(&made).unwrap();
        written(&folder);
        assert!(made.is_dir());
        drop(folder);
        assert!(!made.exists() && dir.path().is_dir());
        assert!(Folder::spill(&dir.path().join("no/such")).is_err());
        drop(Folder::spill(dir.path()).unwrap());
        assert!(dir.path().is_dir(), "it was there before");
    }
}
