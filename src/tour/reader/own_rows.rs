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

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::table::split_fields;
use crate::board::Square;
use crate::json_fault::JsonFault;
use crate::text_format::printable_excerpt;
use crate::tour::TourKind;
use crate::tour::read_error::ReadErrorKind;

/// Columns of a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CsvColumns {
    /// The columns of a list: the kind, the squares, and the board if the flag is true.
    List(bool),
    /// The columns of other results, such as those of `find` and `sample`.
    Result {
        /// Number of columns.
        count: usize,
        /// Position of the column `kind`.
        kind: usize,
        /// Position of the column `squares`.
        squares: usize,
        /// Position of the column with the text form of the board: `board_text`, otherwise `board`.
        board: usize,
        /// Position of the column `plan`, if there is one.
        plan: Option<usize>,
    },
}

impl Default for CsvColumns {
    fn default() -> Self {
        Self::List(false)
    }
}

/// A CSV row.
#[derive(Debug)]
pub(super) struct CsvRow<'a> {
    /// Kind of the tour; `None` for a path that may be re-entrant.
    pub(super) kind: Option<TourKind>,
    pub(super) squares: Cow<'a, [u8]>,
    pub(super) board: Option<Cow<'a, str>>,
    /// Plan by which the tours of the file are numbered.
    pub(super) plan: Option<String>,
}

impl CsvColumns {
    /// Parses a CSV header; returns `None` if the line is not the header of a file of tours.
    pub(super) fn parse_header(line: &[u8]) -> Option<Self> {
        match line {
            b"kind,squares" => return Some(Self::List(false)),
            b"kind,squares,board" => return Some(Self::List(true)),
            _ => {}
        }
        let names: Vec<&[u8]> = line.split(|&b| b == b',').collect();
        let position = |name: &[u8]| {
            let mut found = (0..).zip(&names).filter(|(_, own)| **own == name);
            found.next().filter(|_| found.next().is_none()).map(|(column, _)| column)
        };
        let board = position(b"board_text").or_else(|| position(b"board"))?;
        let (kind, squares) = (position(b"kind")?, position(b"squares")?);
        Some(Self::Result { count: names.len(), kind, squares, board, plan: position(b"plan") })
    }

    /// Splits a row into its kind and the rest.
    pub(super) fn split_kind(row: &[u8]) -> Result<(TourKind, &[u8]), ReadErrorKind> {
        let mut columns = row.splitn(2, |&b| b == b',');
        let (Some(kind), Some(rest)) = (columns.next(), columns.next()) else {
            return Err(ReadErrorKind::CsvColumns);
        };
        Ok((Self::parse_kind(kind)?, rest))
    }

    fn parse_kind(name: &[u8]) -> Result<TourKind, ReadErrorKind> {
        TourKind::ALL
            .into_iter()
            .find(|kind| kind.name().as_bytes() == name)
            .ok_or_else(|| ReadErrorKind::UnknownKind(printable_excerpt(name)))
    }

    /// Parses a row.
    pub(super) fn parse_row(self, row: &[u8]) -> Result<CsvRow<'_>, ReadErrorKind> {
        let has_board = match self {
            Self::List(has_board) => has_board,
            Self::Result { count, kind, squares, board, plan } => {
                let line = String::from_utf8_lossy(row);
                let mut fields = split_fields(&line, ',');
                if fields.len() != count {
                    return Err(ReadErrorKind::CsvColumns);
                }
                let kind = match fields[kind].as_str() {
                    // A sample of paths contains re-entrant ones.
                    "paths" => None,
                    name => Some(Self::parse_kind(name.as_bytes())?),
                };
                let squares = std::mem::take(&mut fields[squares]).into_bytes().into();
                let board = std::mem::take(&mut fields[board]);
                return Ok(CsvRow {
                    kind,
                    squares,
                    board: Some(board.into()).filter(|board: &Cow<str>| !board.is_empty()),
                    plan: plan.map(|plan| std::mem::take(&mut fields[plan])),
                });
            }
        };
        let (kind, rest) = Self::split_kind(row)?;
        let kind = Some(kind);
        if !has_board {
            return Ok(CsvRow { kind, squares: rest.into(), board: None, plan: None });
        }
        let at = match rest.strip_suffix(b"\"") {
            Some(quoted) => quoted.windows(2).rposition(|pair| pair == b",\""),
            None => rest.iter().rposition(|&b| b == b','),
        };
        let at = at.ok_or(ReadErrorKind::CsvBoard)?;
        let board = std::str::from_utf8(&rest[at + 1..]).map_err(|_| ReadErrorKind::CsvBoard)?;
        let board = Some(board.trim_matches('"').into());
        Ok(CsvRow { kind, squares: rest[..at].into(), board, plan: None })
    }
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

/// A key that only other results than lists have.
#[derive(serde::Deserialize)]
struct JsonResultKey {
    #[serde(rename = "board_text")]
    _board_text: IgnoredAny,
}

/// Returns true if an object is a result such as that of `find` or `sample`.
pub(super) fn is_result(text: &[u8]) -> bool {
    serde_json::from_slice::<JsonResultKey>(text).is_ok()
}

/// An object with no other keys than those of ktour.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonOwnKeys {
    #[serde(rename = "kind")]
    _kind: Option<IgnoredAny>,
    #[serde(rename = "board")]
    _board: Option<IgnoredAny>,
    #[serde(rename = "squares")]
    _squares: Option<IgnoredAny>,
}

/// Returns true if an object has keys that ktour does not write.
pub(super) fn has_other_keys(text: &[u8]) -> bool {
    serde_json::from_slice::<JsonOwnKeys>(text).is_err()
}

/// Names in an object: squares of a rectangle, or vertices of a graph.
#[derive(serde::Deserialize)]
pub(super) struct JsonNames<N> {
    pub(super) squares: N,
}

impl JsonHead {
    /// Parses an object without its squares.
    pub(super) fn parse(text: &[u8]) -> Result<Self, ReadErrorKind> {
        parse_json(text)
    }
}

impl<N: DeserializeOwned> JsonNames<N> {
    /// Parses the squares of an object.
    pub(super) fn parse(text: &[u8]) -> Result<Self, ReadErrorKind> {
        parse_json(text)
    }
}

fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, ReadErrorKind> {
    // The object is one line of a file, and the reader adds the number of this line.
    serde_json::from_slice(text).map_err(|error| {
        let JsonFault { what, column, .. } = error.into();
        ReadErrorKind::Json { what, column }
    })
}

/// Squares by name; parsing stops at the first invalid name.
pub(super) struct JsonSquares(pub(super) Vec<Square>);

impl<'de> Deserialize<'de> for JsonSquares {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = JsonSquares;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of square names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
                let mut squares = Vec::new();
                while let Some(name) = names.next_element::<Cow<'de, str>>()? {
                    squares.push(name.parse().map_err(serde::de::Error::custom)?);
                }
                Ok(JsonSquares(squares))
            }
        }
        deserializer.deserialize_seq(Names)
    }
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
        assert_eq!((row.kind, &*row.squares, row.board), (Some(TourKind::Open), &b"a1 b3"[..], None));
        for board in ["\"board=3x3 piece=1,2 remove=a1,b2\"", "graph=DqK", "\"graph=DqK\""] {
            let text = format!("closed,a1 b3,{board}");
            let row = new.parse_row(text.as_bytes()).unwrap();
            assert_eq!((row.kind, &*row.squares), (Some(TourKind::Closed), &b"a1 b3"[..]));
            assert_eq!(row.board.as_deref(), Some(board.trim_matches('"')));
        }
        assert!(matches!(new.parse_row(b"open,a1 b3"), Err(ReadErrorKind::CsvBoard)));
        assert!(
            matches!(old.parse_row(b"round,a1"), Err(ReadErrorKind::UnknownKind(_)))
                && matches!(old.parse_row(b"open"), Err(ReadErrorKind::CsvColumns))
        );
    }
}
