//! Reading, appending and syncing of files, safe against links, endless devices, incomplete lines
//! and power cuts; and the paths of files that accompany a file.
//!
//! A file is read in three steps: its links are followed, its first bytes are read, and the whole
//! file is read only if these bytes are as expected, up to a size limit:
//!
//! ```text
//! path -> file behind its links -> first bytes -> whole file
//! ```
//!
//! Sidecar files are named after a file: `FILE.previous`, `FILE.lock`, `FILE.sweep`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Maximum size, in bytes, of a file that is read whole. Devices and pipes may be endless.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Number of bytes at the beginning of a file that show whether it is of the expected type.
const TYPE_CHECK_BYTES: u64 = 4096;

/// Maximum number of links that are followed one after the other.
const MAX_LINKS: usize = 40;

/// Returns the path of the file to which the link `path` leads, through any further links; or
/// `path`, if it is no link. The file need not exist. Callers put sidecar files next to this file
/// and not next to the link. When they replace the file, the link remains a link.
#[must_use]
pub fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Returns the folder that contains a file, or will contain it.
#[must_use]
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a whole file if `is_expected` accepts its first 4096 bytes, otherwise these bytes only.
///
/// # Errors
/// The file cannot be read, or is larger than 1 GiB.
pub fn read_bounded(path: &Path, is_expected: impl FnOnce(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(TYPE_CHECK_BYTES).read_to_end(&mut bytes)?;
    if is_expected(&bytes) {
        file.take(MAX_FILE_BYTES + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let why = format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
    }
    Ok(bytes)
}

/// Appends `line` to a file in one write, so that runs that end at the same time do not mix their
/// lines. Returns true if the last line of the file had no newline, as after a full disk. Such a
/// line first gets its newline, so that the new line is intact.
///
/// # Errors
/// The file cannot be written to. The new line may be incomplete then.
pub fn append_line(path: &Path, line: &str) -> io::Result<bool> {
    let mut file = File::options().append(true).create(true).open(path)?;
    let is_torn = has_torn_end(path);
    let text = format!("{}{line}\n", if is_torn { "\n" } else { "" });
    file.write_all(text.as_bytes())?;
    // Pipes and terminals cannot be synced.
    if file.metadata()?.is_file() {
        file.sync_all()?;
    }
    Ok(is_torn)
}

/// Returns true if the last line of a file has no newline. Returns false if the file cannot be read.
fn has_torn_end(path: &Path) -> bool {
    let last = || -> io::Result<Option<u8>> {
        use std::io::{Seek, SeekFrom};
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(Some(byte[0]))
    };
    last().is_ok_and(|byte| byte.is_some_and(|byte| byte != b'\n'))
}

/// Writes the folder entry of a file through to the disk, so that a rename survives a power cut. Does nothing
/// on systems where a folder cannot be opened as a file: these systems write the entry by themselves.
///
/// # Errors
/// The disk reports a failure.
pub fn sync_parent_folder(path: &Path) -> io::Result<()> {
    match File::open(parent_folder(path)) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}

/// Returns the path of a sidecar file: the file name of `path` with `suffix` appended.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn append_line_ends_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records");
        assert!(!append_line(&path, "one").unwrap(), "there was no file");
        assert!(!append_line(&path, "two").unwrap());
        fs::write(&path, "one\ntw").unwrap();
        assert!(append_line(&path, "three").unwrap());
        assert!(!append_line(&path, "four").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw\nthree\nfour\n");
    }

    #[test]
    fn read_bounded_stops_at_unexpected_type() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large");
        fs::write(&path, vec![b'a'; 100_000]).unwrap();
        assert_eq!(
            read_bounded(&path, |bytes| bytes.starts_with(b"b")).unwrap().len(),
            TYPE_CHECK_BYTES as usize
        );
        assert_eq!(read_bounded(&path, |bytes| bytes.starts_with(b"a")).unwrap().len(), 100_000);
        // A sparse file of zeros takes no space on the disk.
        File::options().write(true).open(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        assert!(read_bounded(&path, |_| false).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn resolve_links_follows_chains_and_loops() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        assert_eq!(resolve_links(&at("none")), at("none"));
        symlink("b", at("a")).unwrap();
        symlink(at("c"), at("b")).unwrap();
        assert_eq!(resolve_links(&at("a")), at("c"));
        fs::write(at("c"), "").unwrap();
        assert_eq!(resolve_links(&at("a")), at("c"));
        symlink("round", at("round")).unwrap();
        assert_eq!(resolve_links(&at("round")), at("round"));
    }

    #[test]
    fn with_suffix_appends_to_whole_name() {
        assert_eq!(with_suffix(Path::new("a/run.8x8"), ".lock"), Path::new("a/run.8x8.lock"));
    }
}
