//! Outputs for results: standard output, devices, and files that appear under their names only when they are
//! complete.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

use ktour::batch::{resolve_links, sync_parent_folder};

use super::closed::check_stdout;
use super::screen::with_bars_hidden;
use super::temporary::AtomicFile;

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
#[error("cannot write {path}: {source}")]
pub struct OutputError {
    /// The path of the output, or `standard output`.
    pub path: String,
    /// The cause.
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

impl Output {
    /// Opens standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    /// Checks that standard output can be written to.
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

    /// Writes `bytes`. On a terminal the progress bars are hidden meanwhile, and the output is flushed at
    /// once. If standard output is a pipe, a slow reader does not delay messages to the terminal.
    ///
    /// # Errors
    /// The output cannot be written to.
    pub fn write_hiding_bars(&mut self, bytes: &[u8]) -> io::Result<()> {
        if matches!(self, Self::Stdout(_)) && io::stdout().is_terminal() {
            return with_bars_hidden(|| self.write_all(bytes).and_then(|()| self.flush()));
        }
        self.write_all(bytes)
    }

    /// Returns the name of the output for messages.
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

    #[test]
    fn create_rejects_missing_folder() {
        let error = Output::create(Path::new("no/such/folder/x.csv")).unwrap_err();
        let line = error.to_string();
        assert!(line.contains("no/such/folder/x.csv") && line.contains("folder no/such/folder "), "{line}");
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
        assert!(Output::create(&std::env::temp_dir()).is_err());
    }
}
