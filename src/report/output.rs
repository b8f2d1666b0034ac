//! Files for results: written beside and renamed, so that nothing half-written is left.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

use ktour::batch::{behind_links, sync_names};

use super::closed::check_stdout;
use super::screen::aside;
use super::temporary::Temporary;

/// Where a result goes.
#[derive(Debug)]
pub enum Output {
    /// Standard output (`-`).
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A file that appears under its name once it is complete.
    File(BufWriter<Temporary>, PathBuf),
    /// A device or pipe, written to directly.
    Device(BufWriter<File>, PathBuf),
}

/// A result could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
pub struct OutputError {
    /// Where to.
    pub path: String,
    /// What went wrong.
    pub source: io::Error,
}

/// Whether writing failed because the reader has gone, as in `| head`.
#[must_use]
pub fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Columns of the terminal that standard output is, if it is one.
#[must_use]
pub fn columns() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0)
}

impl Output {
    /// Standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    /// Whether anything can be written to standard output.
    ///
    /// # Errors
    /// It was closed when the program began.
    pub fn check_stdout() -> Result<(), OutputError> {
        check_stdout().map_err(|source| OutputError { path: "standard output".into(), source })
    }

    /// Opens `path` for writing, `-` being standard output. An existing file is replaced only by
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
                // A link stays a link: the file behind it is replaced, or made.
                let path = behind_links(path);
                let file = Temporary::beside(&path).map_err(failed)?;
                Ok(Self::File(BufWriter::with_capacity(1 << 16, file), path))
            }
        }
    }

    /// Completes the output: everything is written and a file has its name.
    ///
    /// # Errors
    /// Writing or renaming failed; the file is gone then.
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
                sync_names(&path).map_err(failed)
            }
        }
    }

    /// Writes where no bar is, and at once, if standard output is a terminal. Who reads a pipe slowly does not hold up
    /// what is said there.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if matches!(self, Self::Stdout(_)) && io::stdout().is_terminal() {
            return aside(|| self.write_all(bytes).and_then(|()| self.flush()));
        }
        self.write_all(bytes)
    }

    /// What to call it in a message.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_it_is_complete() {
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

    #[test]
    fn a_missing_folder_is_an_error_at_once() {
        let error = Output::create(Path::new("no/such/folder/x.csv")).unwrap_err();
        assert!(error.to_string().ends_with("there is no folder no/such/folder, make it first"), "{error}");
        assert!(Output::create(&std::env::temp_dir()).is_err());
    }
}
