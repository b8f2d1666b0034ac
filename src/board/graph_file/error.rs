//! [`GraphFileError`]: the error of a graph file, with its line.

use crate::text_format::escape_unprintable;

/// Maximum number of vertices in a file.
pub(super) const MAX_VERTICES: usize = 1 << 20;

/// Maximum number of characters of a line that a message repeats.
const MAX_EXCERPT_CHARS: usize = 60;

/// An error in a graph file, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct GraphFileError {
    /// Line number, from 1.
    pub line: usize,
    message: String,
}

impl GraphFileError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, message: what.into() }
    }

    /// Returns the error of a file with too many vertices.
    pub(super) fn too_many_vertices(line: usize, vertices: usize) -> Self {
        Self::new(
            line,
            format!("{vertices} vertices are more than the maximum of {MAX_VERTICES}; use a smaller graph"),
        )
    }
}

/// Returns the first characters of a text with control characters escaped, for error messages.
pub(super) fn excerpt(text: &str) -> String {
    escape_unprintable(&text.trim().chars().take(MAX_EXCERPT_CHARS).collect::<String>())
}
