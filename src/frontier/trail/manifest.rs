//! The manifest of an index folder: the tours that are numbered, and the layers that exist.
//!
//! It is a JSON file, replaced atomically after every layer. It gives the order of the sweep, so that opening
//! a folder needs no search, and the digest of the plan, which verifies that the numbers still have the same
//! meaning.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::frontier::trail::error::TrailError;

/// Name of the manifest.
const NAME: &str = "index.json";

/// Name of the file that a process locks while it builds an index.
const LOCK: &str = "lock";

/// Prefix of incomplete files.
const UNFINISHED: &str = ".unfinished-";

/// Prefixes of other files that may exist before the first manifest: layers, evicted chunks, and hidden
/// files.
const OWN: [&str; 3] = ["layer-", "ktour-", "."];

/// The folder that a file system itself creates at its root.
const TOP: &str = "lost+found";

/// Version of the format of layers, numbers and manifest.
const VERSION: u32 = 1;

/// The contents of an index folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version.
    #[serde(rename = "ktour-index")]
    pub version: u32,
    /// A description of the numbered tours.
    pub tours: String,
    /// The vertices in the order of processing.
    pub order: Vec<usize>,
    /// True if mirror images are folded.
    pub fold: bool,
    /// Digest of the plan, in hexadecimal: the name of the numbering.
    pub plan: String,
    /// Number of steps.
    pub steps: usize,
    /// Bits of the greatest weight so far.
    pub bits: u32,
    /// The number of tours in decimal, once all layers exist.
    pub number: Option<String>,
    /// The layers that exist, from the first.
    pub layers: Vec<Stored>,
}

/// The file of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of its table.
    pub table: u64,
    /// Digest of its table.
    pub digest: u64,
}

impl Manifest {
    /// Returns the manifest of an index without layers.
    #[must_use]
    pub fn new(tours: &str, order: Vec<usize>, fold: bool, plan: String, steps: usize) -> Self {
        let (version, tours) = (VERSION, tours.to_owned());
        Self { version, tours, order, fold, plan, steps, bits: 0, number: None, layers: Vec::new() }
    }

    /// Returns true if all layers exist.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.number.is_some() && self.layers.len() >= self.steps
    }

    /// Reads the manifest of a folder; `None` if it does not exist.
    ///
    /// # Errors
    /// The manifest is damaged or of another version, or cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, TrailError> {
        let other = |what: String| TrailError::Other { path: folder.to_owned(), what };
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if folder.exists() && !folder.is_dir() => {
                return Err(other("a file, and an index is a folder".into()));
            }
            Err(error) => return Err(TrailError::file(&path)(error)),
        };
        let version = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|value| value.get("ktour-index").and_then(serde_json::Value::as_u64));
        match version {
            None => {
                return Err(other("not an index: its index.json is damaged or has another format".into()));
            }
            Some(version) if version != u64::from(VERSION) => {
                return Err(other(format!(
                    "an index of version {version}, and this ktour reads version {VERSION}"
                )));
            }
            Some(_) => {}
        }
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| other(format!("an index with a damaged index.json: {error}")))?;
        Ok(Some(manifest))
    }

    /// Writes the manifest to a temporary file and renames it into place.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn write(&self, folder: &Path) -> Result<(), TrailError> {
        let path = folder.join(NAME);
        let failed = TrailError::file(&path);
        let mut file = unfinished(folder).map_err(&failed)?;
        let text = serde_json::to_string(self).expect("numbers and text are serialisable");
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_data()).map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// Creates a temporary file for an incomplete part of an index. Its permissions are those of ordinary files.
///
/// # Errors
/// An error of the file system.
pub fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // A temporary file is private by default; the files of an index follow the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// The lock of an index folder. If nothing was built in the folder, dropping the lock removes the folder.
pub struct Taken {
    lock: Option<File>,
    folder: PathBuf,
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.folder.join(NAME).exists() {
            return;
        }
        let _ = fs::remove_file(self.folder.join(LOCK));
        self.lock = None;
        // A folder that contains other files stays.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Rejects a folder without a manifest that contains foreign files, among which layers would be written.
///
/// # Errors
/// The folder contains a foreign file.
pub fn check_own(folder: &Path) -> Result<(), TrailError> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    let is_own = |name: &String| name == LOCK || name == TOP || OWN.iter().any(|own| name.starts_with(own));
    match names.find(|name| !is_own(name)) {
        None => Ok(()),
        Some(name) => Err(TrailError::Other {
            path: folder.to_owned(),
            what: format!("not an index, and not empty: it contains {name}"),
        }),
    }
}

/// Locks a folder for building an index, creates it if necessary, and removes incomplete files of a killed
/// process.
///
/// # Errors
/// Another process holds the lock, or an error of the file system.
pub fn taken(folder: &Path) -> Result<Taken, TrailError> {
    fs::create_dir_all(folder).map_err(TrailError::file(folder))?;
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(TrailError::file(&path))?;
    if lock.try_lock().is_err() {
        return Err(TrailError::Busy(folder.to_owned()));
    }
    for entry in fs::read_dir(folder).map_err(TrailError::file(folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(Taken { lock: Some(lock), folder: folder.to_owned() })
}

/// Returns true if a folder contains a complete index.
#[must_use]
pub fn is_whole(folder: &Path) -> bool {
    matches!(Manifest::read(folder), Ok(Some(manifest)) if manifest.is_whole())
}
