//! Outputs for results: standard output, devices, and files that appear under their names only when
//! they are complete.
//!
//! # Closed standard output
//!
//! If standard output was closed when the program started, as by `>&-`, writing to it must fail.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed standard output. Afterwards
//! the two cannot be distinguished: a result written there is lost, and the program would end
//! successfully. So an initialisation function checks the file descriptor before the runtime
//! starts.
//!
//! # Files
//!
//! An [`AtomicFile`] gets its name when it is complete. Where the system allows it, the file has no
//! name before, so that nothing is left however the program ends.

use std::fs::File;
use std::io;
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ktour::batch::{parent_folder, resolve_links, sync_parent_folder};
use ktour::text_format::describe_io_error;
use tempfile::{Builder, NamedTempFile};

use super::terminal_sharing::with_bars_hidden;

/// The destination of a result.
#[derive(Debug)]
pub enum Output {
    /// Standard output (`-`).
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A file that appears under its name when it is complete.
    File(BufWriter<AtomicFile>, PathBuf),
    /// A device or pipe, which is written to directly.
    Device(BufWriter<File>, PathBuf),
}

/// The error of an output that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {}", describe_io_error(source))]
pub struct OutputError {
    /// The path of the output, or `standard output`.
    pub path: String,
    /// The error of the system.
    pub source: io::Error,
}

/// Returns true if writing failed because the reader has closed the pipe, as in `| head`.
#[must_use]
pub fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Returns the width of the terminal in columns. `None` if standard output is not a terminal.
#[must_use]
pub fn terminal_columns() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0)
}

/// Returns true if text on a terminal may be coloured; see <https://no-color.org>.
#[must_use]
pub fn terminal_has_colours() -> bool {
    let is_set = |name: &str, is_plain: fn(&std::ffi::OsStr) -> bool| {
        std::env::var_os(name).is_some_and(|value| is_plain(&value))
    };
    !is_set("NO_COLOR", |value| !value.is_empty()) && !is_set("TERM", |value| value == "dumb")
}

impl Output {
    /// Opens standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    /// Returns true if the output is standard output.
    #[must_use]
    pub const fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Returns an error if standard output cannot be written to.
    ///
    /// # Errors
    /// Standard output was closed when the program started.
    pub fn check_stdout() -> Result<(), OutputError> {
        check_stdout().map_err(|source| OutputError { path: "standard output".into(), source })
    }

    /// Opens `path` for writing; `-` is standard output. An existing file is replaced only by
    /// [`Output::finish`].
    ///
    /// # Errors
    /// The folder or device cannot be written to, or standard output is closed.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let failed = |source| OutputError { path: path.display().to_string(), source };
        if path == Path::new("-") {
            Self::check_stdout()?;
            return Ok(Self::stdout());
        }
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(failed(io::Error::from(io::ErrorKind::IsADirectory))),
            Ok(found) if !found.is_file() => {
                let device = File::options().write(true).open(path).map_err(failed)?;
                Ok(Self::Device(BufWriter::with_capacity(1 << 16, device), path.to_owned()))
            }
            _ => {
                // A link stays a link: the file behind it is replaced or created.
                let path = resolve_links(path);
                let file = AtomicFile::create_for(&path).map_err(failed)?;
                Ok(Self::File(BufWriter::with_capacity(1 << 16, file), path))
            }
        }
    }

    /// Completes the output: flushes it, and gives a file its name.
    ///
    /// # Errors
    /// Writing or renaming failed. The file is removed then.
    pub fn finish(self) -> Result<(), OutputError> {
        match self {
            Self::Stdout(mut out) => {
                Self::check_stdout()?;
                out.flush().map_err(|source| OutputError { path: "standard output".into(), source })
            }
            Self::Device(mut out, path) => {
                out.flush().map_err(|source| OutputError { path: path.display().to_string(), source })
            }
            Self::File(out, path) => {
                let failed = |source| OutputError { path: path.display().to_string(), source };
                let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
                file.persist(&path).map_err(failed)?;
                sync_parent_folder(&path).map_err(failed)
            }
        }
    }

    /// Writes `bytes` to the output. On a terminal, hides the progress bars meanwhile, and flushes
    /// the output. If standard output is a pipe, the bars stay, so that a slow reader does not
    /// delay messages to the terminal.
    ///
    /// # Errors
    /// The output cannot be written to.
    pub fn write_hiding_bars(&mut self, bytes: &[u8]) -> io::Result<()> {
        static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());
        if self.is_stdout() && *IS_TERMINAL {
            return with_bars_hidden(|| self.write_all(bytes).and_then(|()| self.flush()));
        }
        self.write_all(bytes)
    }

    /// Returns the name of the output for messages: its path, or `standard output`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdout(_) => "standard output".into(),
            Self::File(_, path) | Self::Device(_, path) => path.display().to_string(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(out, _) => out.write(bytes),
            Self::Device(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(out, _) => out.flush(),
            Self::Device(out, _) => out.flush(),
        }
    }
}

#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn check_stdout_before_main() {
    // SAFETY: reads the flags of a file descriptor, which is allowed for every number.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
        STDOUT_WAS_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Entry in the section of functions that the system calls before `main`.
// SAFETY: the function ignores its arguments, allocates nothing and uses nothing of Rust's runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_STDOUT_BEFORE_MAIN: extern "C" fn() = check_stdout_before_main;

/// Returns an error if standard output was closed when the program started. On systems other than
/// Linux it is assumed to be open.
pub fn check_stdout() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if STDOUT_WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(())
}

#[cfg(any(unix, test))]
use std::fs;

/// A file that gets its name when it is complete.
#[derive(Debug)]
pub enum AtomicFile {
    /// A file without a name, and the folder in which it will get its name.
    #[cfg(target_os = "linux")]
    Unnamed(File, PathBuf),
    /// A file with a temporary name, on systems or filesystems without unnamed files.
    Named(NamedTempFile),
}

impl AtomicFile {
    /// Creates a file that will replace the file at `path`. It gets the mode of the existing file
    /// and, if permitted, its owner.
    ///
    /// # Errors
    /// No file can be created in the folder, or the existing file is write-protected.
    pub fn create_for(path: &Path) -> io::Result<Self> {
        // Renaming needs only a writable folder, and would replace a protected file.
        match File::options().write(true).open(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
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
        Self::new_named(folder)
    }

    fn new_named(folder: &Path) -> io::Result<Self> {
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

    /// Copies the owner and the mode of the existing file to the new one, as far as permitted. The
    /// new file is never readable for users who cannot read the existing one.
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

    /// Syncs the file to the disk and gives it the name `path`. Creates the folder if it has been removed.
    ///
    /// # Errors
    /// Writing or renaming failed. The file is removed then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        self.file().sync_all()?;
        // Somebody may have removed the folder during a long run, whose result must not be lost.
        let _ = std::fs::create_dir_all(parent_folder(path));
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

/// Writes to the open file directly, so that errors do not contain its temporary name.
impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// The folder in which Linux lists the open files of this process by descriptor.
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

/// Copies `file` into a file with a temporary name in `folder`, and renames the copy to `path`.
#[cfg(target_os = "linux")]
fn copy_and_persist(mut file: File, folder: &Path, path: &Path) -> io::Result<()> {
    use std::io::Seek;
    let mut named = AtomicFile::new_named(folder)?;
    named.copy_owner_and_mode(&file.metadata()?)?;
    file.rewind()?;
    io::copy(&mut file, &mut named)?;
    named.persist(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.csv");
        std::fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        drop(Output::create(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "an abandoned file is removed");
    }

    /// Creates a file with this mode in `folder`.
    #[cfg(unix)]
    fn create_with_mode(folder: &tempfile::TempDir, mode: u32) -> PathBuf {
        let path = folder.path().join("counts.csv");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn create_rejects_write_protected_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = create_with_mode(&folder, 0o444);
        // A privileged user may write to every file.
        if File::options().write(true).open(&path).is_err() {
            let error = Output::create(&path).unwrap_err();
            assert_eq!(error.source.kind(), io::ErrorKind::PermissionDenied);
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        }
    }

    /// No user may write to a running program, though its folder is writable.
    #[cfg(target_os = "linux")]
    #[test]
    fn create_rejects_running_program() {
        let program = std::env::current_exe().unwrap();
        let error = Output::create(&program).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::ExecutableFileBusy);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn finish_restores_a_removed_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/counts.csv");
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        std::fs::remove_dir_all(folder.path().join("sub")).unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn create_rejects_missing_folder() {
        let error = Output::create(Path::new("no/such/folder/x.csv")).unwrap_err();
        let line = error.to_string();
        assert!(line.contains("no/such/folder/x.csv") && line.contains("folder no/such/folder;"), "{line}");
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
        assert!(Output::create(&std::env::temp_dir()).is_err());
    }

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
        let folder = tempfile::tempdir().unwrap();
        let path = create_with_mode(&folder, 0o600);
        AtomicFile::create_for(&path).unwrap().persist(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
