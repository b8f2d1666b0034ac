//! Tours as ktour writes them with their board: CSV rows and JSON objects.
//!
//! ```text
//! kind,squares,board                                        the last column may be absent
//! open,a1 b3 d2 ...,"board=5x5 piece=1,2 remove=-"
//! {"kind":"open","squares":["a1","b3",...],"board":"board=5x5 piece=1,2 remove=-"}
//! ```
//!
//! Rows of other results with the columns `kind`, `squares` and `board_text`, such as those of `find`, are read too.
//! In CSV, squares are separated by blanks, so only the board may contain commas; then it is quoted. An object
//! is parsed twice, because the board comes after the squares.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny};

use super::table::split_fields;
use super::tree_values::kind_of;
use crate::board::Square;
use crate::json_fault::JsonFault;
use crate::text_format::printable_excerpt;
use crate::tour::TourKind;
use crate::tour::read_error::ReadErrorKind;

/// Columns of a CSV file: those of a list, or of another result such as that of `find` and `sample`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CsvColumns {
    /// Number of columns.
    count: usize,
    /// Position of the column `kind`.
    kind: usize,
    /// Position of the column `squares`.
    squares: usize,
    /// Position of the column with the text form of the board: `board_text`, otherwise `board`.
    board: Option<usize>,
    /// Position of the column `plan`, if there is one.
    plan: Option<usize>,
}

/// A CSV row.
#[derive(Debug)]
pub(super) struct CsvRow {
    /// Kind of the tour; `None` for a path that may be re-entrant.
    pub(super) kind: Option<TourKind>,
    /// Squares between blanks or commas.
    pub(super) squares: String,
    pub(super) board: Option<String>,
    /// Plan by which the tours of the file are numbered.
    pub(super) plan: Option<String>,
}

impl CsvColumns {
    /// Parses a CSV header; returns `None` if the line is not the header of a file of tours.
    pub(super) fn parse_header(line: &[u8]) -> Option<Self> {
        let names: Vec<&[u8]> = line.split(|&b| b == b',').collect();
        let position = |name: &[u8]| {
            let mut found = (0..).zip(&names).filter(|(_, own)| **own == name);
            found.next().filter(|_| found.next().is_none()).map(|(column, _)| column)
        };
        let board = position(b"board_text").or_else(|| position(b"board"));
        let (kind, squares) = (position(b"kind")?, position(b"squares")?);
        // Only a list may lack the board.
        let is_own = board.is_some() || line == b"kind,squares";
        is_own.then(|| Self { count: names.len(), kind, squares, board, plan: position(b"plan") })
    }

    /// Parses a row.
    pub(super) fn parse_row(self, row: &[u8]) -> Result<CsvRow, ReadErrorKind> {
        let mut fields = split_fields(&String::from_utf8_lossy(row), ',');
        let is_list = self.count < 4;
        if fields.len() < 2 || !is_list && fields.len() != self.count {
            return Err(ReadErrorKind::CsvColumns);
        }
        // Commas may also separate the squares of a list.
        if let Some(surplus) = fields.len().checked_sub(self.count) {
            let squares: Vec<String> = fields.drain(self.squares..=self.squares + surplus).collect();
            fields.insert(self.squares, squares.join(" "));
        }
        let mut field = |column: usize| fields.get_mut(column).map(std::mem::take).unwrap_or_default();
        let kind = match field(self.kind).as_str() {
            // A sample of paths contains re-entrant ones.
            "paths" if !is_list => None,
            name => Some(parse_kind(name)?),
        };
        let board = self.board.map(&mut field);
        // The board of a list is a column of its own.
        if is_list && board.as_ref().is_some_and(String::is_empty) {
            return Err(ReadErrorKind::CsvBoard);
        }
        Ok(CsvRow {
            kind,
            squares: field(self.squares),
            board: board.filter(|board| !board.is_empty()),
            plan: self.plan.map(field),
        })
    }
}

fn parse_kind(name: &str) -> Result<TourKind, ReadErrorKind> {
    kind_of(name).ok_or_else(|| ReadErrorKind::UnknownKind(printable_excerpt(name.as_bytes())))
}

/// Kind and board in an object.
#[derive(serde::Deserialize)]
pub(super) struct JsonHead {
    #[serde(default)]
    pub(super) kind: Option<TourKind>,
    #[serde(default)]
    pub(super) board: Option<String>,
    /// Whether the object has squares.
    #[serde(default)]
    pub(super) squares: Option<IgnoredAny>,
}

/// Names in an object: squares of a rectangle, or vertices of a graph.
#[derive(serde::Deserialize)]
pub(super) struct JsonNames<N> {
    pub(super) squares: Vec<N>,
}

/// A square by name; parsing stops at the first invalid name.
pub(super) struct JsonSquare(pub(super) Square);

impl<'de> Deserialize<'de> for JsonSquare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map(Self).map_err(Error::custom)
    }
}

/// Parses a part of an object.
pub(super) fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, ReadErrorKind> {
    // The object is one line of a file, and the reader adds the number of this line.
    serde_json::from_slice(text).map_err(|error| {
        let JsonFault { what, column, .. } = error.into();
        ReadErrorKind::Json { what, column }
    })
}

/// Returns true if an object is a result such as that of `find` or `sample`.
pub(super) fn is_result(text: &[u8]) -> bool {
    json_keys(text).iter().any(|key| key == "board_text")
}

/// Returns true if an object has keys that ktour does not write.
pub(super) fn has_other_keys(text: &[u8]) -> bool {
    json_keys(text).iter().any(|key| !["kind", "board", "squares"].contains(&key.as_str()))
}

/// Returns the keys of an object; empty if the text is not an object.
fn json_keys(text: &[u8]) -> Vec<String> {
    let object: HashMap<String, IgnoredAny> = serde_json::from_slice(text).unwrap_or_default();
    object.into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_row_follows_header() {
        let (old, new) = (
            CsvColumns::parse_header(b"kind,squares").unwrap(),
            CsvColumns::parse_header(b"kind,squares,board").unwrap(),
        );
        assert_eq!(CsvColumns::parse_header(b"kind"), None);
        let row = old.parse_row(b"open,a1 b3").unwrap();
        assert_eq!((row.kind, row.squares.as_str(), row.board), (Some(TourKind::Open), "a1 b3", None));
        for board in ["\"board=3x3 piece=1,2 remove=a1,b2\"", "graph=DqK", "\"graph=DqK\""] {
            let text = format!("closed,a1 b3,{board}");
            let row = new.parse_row(text.as_bytes()).unwrap();
            assert_eq!((row.kind, row.squares.as_str()), (Some(TourKind::Closed), "a1 b3"));
            assert_eq!(row.board.as_deref(), Some(board.trim_matches('"')));
        }
        assert!(matches!(new.parse_row(b"open,a1 b3"), Err(ReadErrorKind::CsvBoard)));
        assert_eq!(new.parse_row(b"open,a1,b3,graph=DqK").unwrap().squares, "a1 b3");
        let result = CsvColumns::parse_header(b"kind,squares,board_text,plan").unwrap();
        assert!(matches!(result.parse_row(b"open,a1 b3,graph=DqK"), Err(ReadErrorKind::CsvColumns)));
        assert!(
            matches!(old.parse_row(b"round,a1"), Err(ReadErrorKind::UnknownKind(_)))
                && matches!(old.parse_row(b"open"), Err(ReadErrorKind::CsvColumns))
        );
    }
}
