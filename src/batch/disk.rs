//! Files as they really are: behind links, endless, torn, and on a disk that loses power.
//!
//! ```text
//! a name -> the file behind its links -> its beginning -> if that is as it should be, all of it, up to a limit
//! ```

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a file that is read whole: devices and pipes may have no end.
const LIMIT: u64 = 1 << 30;

/// Bytes by which it is told whether a file is what it should be.
const BEGINNING: u64 = 4096;

/// Links that are followed, one after the other.
const LINKS: usize = 40;

/// The file behind a name that may be a link, whether the file is there or not: what goes with a file lies beside
/// the file and not beside the link, and a file that is replaced leaves the link what it is.
#[must_use]
pub fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// The folder that a file is in, or will be.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a file whole if its first bytes are as they should be, or else these bytes alone.
///
/// # Errors
/// It cannot be read, or has more than 1 GiB.
pub fn read_bounded(path: &Path, begins_well: impl FnOnce(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes)?;
    if begins_well(&bytes) {
        file.take(LIMIT + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LIMIT {
            let why = format!("it has more than {} MiB", LIMIT >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
    }
    Ok(bytes)
}

/// Adds a line to a file, in one write, so that runs that end together do not mix their lines. Tells whether the
/// file ended in the middle of a line, as one does that was torn by a full disk: that line is ended then, so that
/// the new one is whole.
///
/// # Errors
/// It cannot be written to; the line may be torn.
pub fn append_line(path: &Path, line: &str) -> io::Result<bool> {
    let mut file = File::options().append(true).create(true).open(path)?;
    let is_torn = ends_torn(path);
    let text = format!("{}{line}\n", if is_torn { "\n" } else { "" });
    file.write_all(text.as_bytes())?;
    // A pipe or a terminal has nothing to sync.
    if file.metadata()?.is_file() {
        file.sync_all()?;
    }
    Ok(is_torn)
}

/// Whether a file has a last line without an end. One that may not be read has not.
fn ends_torn(path: &Path) -> bool {
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

/// Makes what was renamed survive a power cut: names are in the folder, not in the file. Where a folder cannot be
/// opened as a file, the system sees to it itself.
///
/// # Errors
/// The medium fails.
pub fn sync_names(path: &Path) -> io::Result<()> {
    match File::open(folder_of(path)) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_ended_and_the_next_is_whole() {
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
    fn what_begins_otherwise_is_not_read_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large");
        fs::write(&path, vec![b'a'; 100_000]).unwrap();
        assert_eq!(read_bounded(&path, |bytes| bytes.starts_with(b"b")).unwrap().len(), BEGINNING as usize);
        assert_eq!(read_bounded(&path, |bytes| bytes.starts_with(b"a")).unwrap().len(), 100_000);
        // A file with a hole of nothing but zeros takes no room on the disk.
        File::options().write(true).open(&path).unwrap().set_len(LIMIT + 1).unwrap();
        assert!(read_bounded(&path, |_| false).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_files_that_are_there_and_to_others() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        assert_eq!(behind_links(&at("none")), at("none"));
        symlink("b", at("a")).unwrap();
        symlink(at("c"), at("b")).unwrap();
        assert_eq!(behind_links(&at("a")), at("c"));
        fs::write(at("c"), "").unwrap();
        assert_eq!(behind_links(&at("a")), at("c"));
        symlink("round", at("round")).unwrap();
        assert_eq!(behind_links(&at("round")), at("round"));
    }
}
