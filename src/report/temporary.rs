//! An [`AtomicFile`] gets its name when it is complete. Where the system allows it, the file has no name
//! before, so that nothing is left however the program ends.

#[cfg(any(unix, test))]
use std::fs;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use ktour::batch::parent_folder;

/// A file in preparation.
#[derive(Debug)]
pub enum AtomicFile {
    /// A file without a name, and the folder in which it will be.
    #[cfg(target_os = "linux")]
    Unnamed(File, PathBuf),
    /// A file with a temporary name, on systems or filesystems without unnamed files.
    Named(NamedTempFile),
}

impl AtomicFile {
    /// Creates a file that will replace `path`. It gets the mode of the present file and, if permitted, its
    /// owner.
    ///
    /// # Errors
    /// No file can be created in the folder.
    pub fn create_for(path: &Path) -> io::Result<Self> {
        let temporary = Self::new(parent_folder(path))?;
        #[cfg(unix)]
        if let Ok(present) = fs::metadata(path) {
            temporary.copy_owner_and_mode(&present)?;
        }
        Ok(temporary)
    }

    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::OpenOptionsExt;
            let mut options = File::options();
            options.read(true).write(true).mode(0o666).custom_flags(libc::O_TMPFILE);
            // The file will be linked through its descriptor in this folder.
            if Path::new(OPEN_FILES_DIR).is_dir()
                && let Ok(file) = options.open(folder)
            {
                return Ok(Self::Unnamed(file, folder.to_owned()));
            }
        }
        // The temporary name in the original error means nothing to the user.
        temp_file_builder().tempfile_in(folder).map(Self::Named).map_err(|error| match error.kind() {
            kind @ io::ErrorKind::NotFound if folder.exists() => {
                io::Error::new(kind, "no file can be created there")
            }
            kind @ io::ErrorKind::NotFound => {
                io::Error::new(kind, format!("there is no folder {}; create it first", folder.display()))
            }
            kind => io::Error::from(kind),
        })
    }

    /// Copies owner and mode of a file, as far as permitted. The new file is never readable for users who
    /// cannot read the present one.
    #[cfg(unix)]
    fn copy_owner_and_mode(&self, present: &fs::Metadata) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let (file, new) = (self.file(), self.file().metadata()?);
        let mut mode = present.mode() & 0o777;
        if (new.uid(), new.gid()) != (present.uid(), present.gid())
            && fchown(file, Some(present.uid()), Some(present.gid())).is_err()
            && new.gid() != present.gid()
            && fchown(file, None, Some(present.gid())).is_err()
        {
            // The group differs from the permitted one.
            mode &= 0o707;
        }
        let now = file.metadata()?.mode() & 0o777;
        match file.set_permissions(fs::Permissions::from_mode(mode)) {
            Err(error) if now & !mode != 0 => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file, _) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Syncs the file and renames it to `path`.
    ///
    /// # Errors
    /// Writing or renaming failed. The file is removed then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        self.file().sync_all()?;
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file, folder) => {
                use rustix::fs::{AtFlags, CWD, linkat};
                use std::os::fd::AsRawFd;
                let number = format!("{OPEN_FILES_DIR}/{}", file.as_raw_fd());
                // A link cannot replace an existing name, so the file gets a temporary name and is renamed.
                let named = temp_file_builder()
                    .make_in(&folder, |path| Ok(linkat(CWD, &number, CWD, path, AtFlags::SYMLINK_FOLLOW)?));
                match named {
                    Ok(named) => named.persist(path).map(drop).map_err(|error| error.error),
                    // Some filesystems cannot link unnamed files.
                    Err(_) => copy_and_persist(file, &folder, path),
                }
            }
            Self::Named(file) => file.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

/// Errors of these writes do not include the temporary name.
impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// The folder in which the system lists open files by descriptor.
#[cfg(target_os = "linux")]
const OPEN_FILES_DIR: &str = "/proc/self/fd";

fn temp_file_builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".ktour-");
    // Temporary files are private by default. The mode of a result must follow the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Copies a file into one with a temporary name, and renames that to `path`.
#[cfg(target_os = "linux")]
fn copy_and_persist(mut file: File, folder: &Path, path: &Path) -> io::Result<()> {
    use std::io::Seek;
    let mut named = AtomicFile::Named(temp_file_builder().tempfile_in(folder)?);
    named.copy_owner_and_mode(&file.metadata()?)?;
    file.rewind()?;
    io::copy(&mut file, &mut named)?;
    named.persist(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persist_replaces_file_from_unnamed_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let files = || fs::read_dir(dir.path()).unwrap().count();
        for text in ["one", "two"] {
            let mut first = AtomicFile::create_for(&path).unwrap();
            let mut named = AtomicFile::Named(temp_file_builder().tempfile_in(dir.path()).unwrap());
            for file in [&mut first, &mut named] {
                file.write_all(text.as_bytes()).unwrap();
            }
            #[cfg(target_os = "linux")]
            if let AtomicFile::Unnamed(file, folder) = &first {
                copy_and_persist(file.try_clone().unwrap(), folder, &path).unwrap();
                assert_eq!((fs::read_to_string(&path).unwrap().as_str(), files()), (text, 2));
            }
            first.persist(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            named.persist(&path).unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), files()), (text, 1));
        }
        drop(AtomicFile::create_for(&path).unwrap());
        assert_eq!(files(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn persist_preserves_private_mode() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        AtomicFile::create_for(&path).unwrap().persist(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
