//! What is wrong with a JSON text, as data.

use serde_json::error::Category;

use crate::text_format::escape_unprintable;

/// Maximum number of characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// A fault of a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonFault {
    /// A description, without the place.
    pub what: String,
    /// Line of the text, counted from 1; 0 if the place is not known.
    pub line: usize,
    /// Column of the line, counted from 1; 0 if the place is not known.
    pub column: usize,
    /// True if the text ends too early.
    pub is_truncated: bool,
    /// True if the text is JSON, but has other keys or values than expected.
    pub is_data: bool,
}

impl From<serde_json::Error> for JsonFault {
    fn from(error: serde_json::Error) -> Self {
        let (text, line, column) = (error.to_string(), error.line(), error.column());
        // The message of serde_json ends with the place.
        let place = format!(" at line {line} column {column}");
        let what = text.strip_suffix(&place).unwrap_or(&text);
        Self {
            what: escape_unprintable(&what.chars().take(MAX_DESCRIPTION_CHARS).collect::<String>()),
            line,
            column,
            is_truncated: error.is_eof(),
            is_data: error.classify() == Category::Data,
        }
    }
}
