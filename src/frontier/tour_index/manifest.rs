//! The manifest of an index folder, which describes the numbered tours and the existing layers; the
//! lock and other files of the folder.
//!
//! The manifest is a JSON file, replaced atomically after every layer. It gives the vertex order of
//! the sweep, so that opening a folder needs no search, and the digest of the plan, which verifies
//! that the numbers of tours still have the same meaning.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::error::IndexLayersError;

/// File name of the manifest.
const MANIFEST_FILE: &str = "index.json";

/// Name of the file that a process locks while it builds an index.
const LOCK_FILE: &str = "lock";

/// Prefix of the names of incomplete files.
const PARTIAL_PREFIX: &str = ".unfinished-";

/// Prefixes of the names of other files that an index folder may contain before the first manifest:
/// layers, evicted chunks, and hidden files.
const OWN_PREFIXES: [&str; 3] = ["layer-", "ktour-", "."];

/// Name of a folder that a file system itself creates at its root.
const FILE_SYSTEM_FOLDER: &str = "lost+found";

/// Version of the format of layers, numbers and manifest.
const FORMAT_VERSION: u32 = 2;

/// The contents of an index folder, as stored in its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format.
    #[serde(rename = "ktour-index")]
    pub version: u32,
    /// Description of the numbered tours.
    pub tours: String,
    /// Vertices in the order in which the sweep processes them.
    pub order: Vec<usize>,
    /// True if the sweep folds mirror images.
    pub fold: bool,
    /// Digest of the plan, in hexadecimal: the name of the numbering.
    pub plan: String,
    /// Number of steps.
    pub steps: usize,
    /// Number of bits of the greatest weight in the layers so far.
    pub bits: u32,
    /// Number of tours in decimal; `None` until all layers exist.
    pub number: Option<String>,
    /// Files of the layers that exist, in the order of their steps.
    pub layers: Vec<LayerFile>,
}

/// Size and digest of the file of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerFile {
    /// Number of bytes of the file.
    pub bytes: u64,
    /// Number of bytes of the table at the end of the file.
    pub table: u64,
    /// Digest of the table at the end of the file.
    pub digest: u64,
}

impl Manifest {
    /// Returns the manifest of an index without layers.
    #[must_use]
    pub fn new(tours: &str, order: Vec<usize>, fold: bool, plan: String, steps: usize) -> Self {
        let (version, tours) = (FORMAT_VERSION, tours.to_owned());
        Self { version, tours, order, fold, plan, steps, bits: 0, number: None, layers: Vec::new() }
    }

    /// Returns true if all layers exist and the number of tours is stored.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.number.is_some() && self.layers.len() >= self.steps
    }

    /// Reads the manifest of a folder; returns `None` if the folder has no manifest.
    ///
    /// # Errors
    /// If the manifest cannot be read, is damaged, or has another version.
    pub fn read(folder: &Path) -> Result<Option<Self>, IndexLayersError> {
        let other = |what: String| IndexLayersError::ForeignFolder { path: folder.to_owned(), what };
        let path = folder.join(MANIFEST_FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if folder.exists() && !folder.is_dir() => {
                return Err(other("a file, and an index is a folder".into()));
            }
            Err(error) => return Err(IndexLayersError::file_error(&path)(error)),
        };
        let version = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|value| value.get("ktour-index").and_then(serde_json::Value::as_u64));
        match version {
            None => {
                return Err(other("not an index: its index.json is damaged or has another format".into()));
            }
            Some(version) if version != u64::from(FORMAT_VERSION) => {
                return Err(other(format!(
                    "an index of version {version}, and this ktour reads version {FORMAT_VERSION}"
                )));
            }
            Some(_) => {}
        }
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| other(format!("an index with a damaged index.json: {error}")))?;
        Ok(Some(manifest))
    }

    /// Writes the manifest to a temporary file in `folder` and renames it into place.
    ///
    /// # Errors
    /// If a file operation fails.
    pub fn write(&self, folder: &Path) -> Result<(), IndexLayersError> {
        let path = folder.join(MANIFEST_FILE);
        let failed = IndexLayersError::file_error(&path);
        let mut file = create_partial_file(folder).map_err(&failed)?;
        let text = serde_json::to_string(self).expect("numbers and text are serialisable");
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_data()).map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// Creates a temporary file in `folder` for an incomplete part of an index. The file has the
/// permissions of an ordinary file.
///
/// # Errors
/// If a file operation fails.
pub fn create_partial_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL_PREFIX);
    // A temporary file is private by default; the files of an index follow the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// The lock of an index folder. If the folder has no manifest when the lock is dropped, the lock
/// file and the folder are removed; a folder with other files stays.
pub struct FolderLock {
    lock: Option<File>,
    folder: PathBuf,
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if self.folder.join(MANIFEST_FILE).exists() {
            return;
        }
        let _ = fs::remove_file(self.folder.join(LOCK_FILE));
        self.lock = None;
        // A folder that contains other files stays.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Rejects a folder that contains foreign files, so that layers are not written among them. For
/// folders without a manifest.
///
/// # Errors
/// If the folder contains a foreign file.
pub fn check_no_foreign_files(folder: &Path) -> Result<(), IndexLayersError> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    let is_own = |name: &String| {
        name == LOCK_FILE
            || name == FILE_SYSTEM_FOLDER
            || OWN_PREFIXES.iter().any(|own| name.starts_with(own))
    };
    match names.find(|name| !is_own(name)) {
        None => Ok(()),
        Some(name) => Err(IndexLayersError::ForeignFolder {
            path: folder.to_owned(),
            what: format!("not an index, and not empty: it contains {name}"),
        }),
    }
}

/// Locks a folder for building an index, and creates the folder if necessary. Removes incomplete
/// files that a killed process left.
///
/// # Errors
/// If another process holds the lock, or a file operation fails.
pub fn lock_folder(folder: &Path) -> Result<FolderLock, IndexLayersError> {
    fs::create_dir_all(folder).map_err(IndexLayersError::file_error(folder))?;
    let path = folder.join(LOCK_FILE);
    let lock = File::create(&path).map_err(IndexLayersError::file_error(&path))?;
    if lock.try_lock().is_err() {
        return Err(IndexLayersError::Locked(folder.to_owned()));
    }
    for entry in fs::read_dir(folder).map_err(IndexLayersError::file_error(folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PARTIAL_PREFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(FolderLock { lock: Some(lock), folder: folder.to_owned() })
}

/// Returns true if a folder contains a complete index.
#[must_use]
pub fn is_complete_index(folder: &Path) -> bool {
    matches!(Manifest::read(folder), Ok(Some(manifest)) if manifest.is_complete())
}
