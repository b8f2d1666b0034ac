//! The manifest of a folder of layers: what they are layers of, and which there are.
//!
//! It is a file of JSON, put in place whole after every layer. Whoever opens the folder knows the order of the sweep
//! from it, so that nothing is searched for, and finds with the digest of the plan that numbers still mean the same.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::frontier::trail::error::TrailError;

/// The file.
const NAME: &str = "index.json";

/// The file that is locked by whoever makes an index.
const LOCK: &str = "lock";

/// What the name of a file that is not complete begins with.
const UNFINISHED: &str = ".unfinished-";

/// What the names of other files begin with that there may be before the first manifest: layers, numbers that did not
/// fit into memory, and what is hidden.
const OWN: [&str; 3] = ["layer-", "ktour-", "."];

/// What the file system itself keeps at its top.
const TOP: &str = "lost+found";

/// The version of layers, numbers and this file.
const VERSION: u32 = 1;

/// What a folder of layers holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version.
    #[serde(rename = "ktour-index")]
    pub version: u32,
    /// What is numbered, in words.
    pub tours: String,
    /// The vertices in the order of processing.
    pub order: Vec<usize>,
    /// Whether mirror images are folded.
    pub fold: bool,
    /// Digest of the plan, in hexadecimal digits: the name of the order of numbers.
    pub plan: String,
    /// Steps in all.
    pub steps: usize,
    /// Bits of the greatest weight so far.
    pub bits: u32,
    /// The number of tours, once all layers are there.
    pub number: Option<String>,
    /// The layers that are there, from the first.
    pub layers: Vec<Stored>,
}

/// A layer in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Bytes of the file.
    pub bytes: u64,
    /// Those of its table.
    pub table: u64,
    /// Digest of the table.
    pub digest: u64,
}

impl Manifest {
    /// That of a sweep of which nothing is done.
    #[must_use]
    pub fn new(tours: &str, order: Vec<usize>, fold: bool, plan: String, steps: usize) -> Self {
        let (version, tours) = (VERSION, tours.to_owned());
        Self { version, tours, order, fold, plan, steps, bits: 0, number: None, layers: Vec::new() }
    }

    /// Whether all layers are there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.number.is_some() && self.layers.len() >= self.steps
    }

    /// Reads that of a folder; nothing if there is none.
    ///
    /// # Errors
    /// The folder holds what is not known, or of another version.
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
            None => return Err(other("no index: its index.json is damaged, or something else".into())),
            Some(version) if version != u64::from(VERSION) => {
                return Err(other(format!(
                    "an index of version {version}; this ktour reads version {VERSION}"
                )));
            }
            Some(_) => {}
        }
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| other(format!("an index whose index.json is damaged: {error}")))?;
        Ok(Some(manifest))
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, folder: &Path) -> Result<(), TrailError> {
        let path = folder.join(NAME);
        let failed = TrailError::file(&path);
        let mut file = unfinished(folder).map_err(&failed)?;
        let text = serde_json::to_string(self).expect("numbers and text can be written");
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_data()).map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// A file of an index that is not complete; whoever may read other files that are made there may read it.
///
/// # Errors
/// What the system says.
pub fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // A temporary file is private by default; an index is as the umask says.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// A folder that is taken. If nothing was made in it, nothing stays.
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
        // A folder that holds anything else stays.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Refuses a folder without a manifest that holds files of a stranger: layers would lie among them.
///
/// # Errors
/// It does.
pub fn check_own(folder: &Path) -> Result<(), TrailError> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    let is_own = |name: &String| name == LOCK || name == TOP || OWN.iter().any(|own| name.starts_with(own));
    match names.find(|name| !is_own(name)) {
        None => Ok(()),
        Some(name) => Err(TrailError::Other {
            path: folder.to_owned(),
            what: format!("no index, and not empty: there is {name} in it"),
        }),
    }
}

/// Takes a folder for the making of an index, which nobody else may be at, and sweeps away what a killed process left.
///
/// # Errors
/// Another process is at it, or what the system says.
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

/// Whether a folder holds an index that is finished.
#[must_use]
pub fn is_whole(folder: &Path) -> bool {
    matches!(Manifest::read(folder), Ok(Some(manifest)) if manifest.is_whole())
}
