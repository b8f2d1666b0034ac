//! Where results go: standard output, or a file that appears only when complete.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// A mistake in the options: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(String);

impl Usage {
    /// A usage error with this text.
    pub fn of(text: impl Display) -> Self {
        Self(text.to_string())
    }
}

/// An output.
pub enum Sink {
    /// Standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A temporary file beside the wanted one.
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Sink {
    /// Standard output without a path.
    ///
    /// # Errors
    /// If no file can be made beside the wanted one.
    pub fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(BufWriter::new(io::stdout()))) };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = NamedTempFile::new_in(folder)
            .with_context(|| format!("cannot write --output {}", path.display()))?;
        Ok(Self::File(BufWriter::new(file), path.to_owned()))
    }

    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If the output fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Stdout(out) => out.write_all(bytes).context("cannot write to standard output"),
            Self::File(out, path) => {
                out.write_all(bytes).with_context(|| format!("cannot write --output {}", path.display()))
            }
        }
    }

    /// Completes the output.
    ///
    /// # Errors
    /// If it cannot be written, or the file not renamed.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Self::File(out, path) => {
                let failed = || format!("cannot write --output {}", path.display());
                let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(failed)?;
                file.persist(&path).map_err(|error| error.error).with_context(failed)?;
                Ok(())
            }
        }
    }
}
