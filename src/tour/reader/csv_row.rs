//! CSV rows: `kind,squares`, or `kind,squares,arena`.
//!
//! Squares are separated by blanks, so only the board may contain commas; then it is quoted.

use crate::tour::TourKind;
use crate::tour::read_error::{ReadErrorKind, printable_excerpt};

/// Columns of a CSV file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tour) struct CsvColumns {
    /// True if each row ends with its board.
    has_board: bool,
}

/// A CSV row.
#[derive(Debug)]
pub(in crate::tour) struct CsvRow<'a> {
    pub(in crate::tour) kind: TourKind,
    pub(in crate::tour) squares: &'a [u8],
    pub(in crate::tour) board: Option<&'a str>,
}

impl CsvColumns {
    /// Parses a CSV header; returns `None` if the line is not the header of a file of tours.
    pub(in crate::tour) fn parse_header(line: &[u8]) -> Option<Self> {
        let board = match line {
            b"kind,squares" => false,
            b"kind,squares,arena" => true,
            _ => return None,
        };
        Some(Self { has_board: board })
    }

    /// Splits a row into its kind and the rest.
    pub(in crate::tour) fn split_kind(row: &[u8]) -> Result<(TourKind, &[u8]), ReadErrorKind> {
        let mut columns = row.splitn(2, |&b| b == b',');
        let (Some(kind), Some(rest)) = (columns.next(), columns.next()) else {
            return Err(ReadErrorKind::CsvColumns);
        };
        let matches = |stated_kind: &TourKind| stated_kind.name().as_bytes() == kind;
        let kind = TourKind::ALL
            .into_iter()
            .find(matches)
            .ok_or_else(|| ReadErrorKind::UnknownKind(printable_excerpt(kind)))?;
        Ok((kind, rest))
    }

    /// Parses a row.
    pub(in crate::tour) fn parse_row(self, row: &[u8]) -> Result<CsvRow<'_>, ReadErrorKind> {
        let (kind, rest) = Self::split_kind(row)?;
        if !self.has_board {
            return Ok(CsvRow { kind, squares: rest, board: None });
        }
        let at = match rest.strip_suffix(b"\"") {
            Some(quoted) => quoted.windows(2).rposition(|pair| pair == b",\""),
            None => rest.iter().rposition(|&b| b == b','),
        };
        let at = at.ok_or(ReadErrorKind::CsvBoard)?;
        let board = std::str::from_utf8(&rest[at + 1..]).map_err(|_| ReadErrorKind::CsvBoard)?;
        Ok(CsvRow { kind, squares: &rest[..at], board: Some(board.trim_matches('"')) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_row_follows_header() {
        let (old, new) = (
            CsvColumns::parse_header(b"kind,squares").unwrap(),
            CsvColumns::parse_header(b"kind,squares,arena").unwrap(),
        );
        assert_eq!(CsvColumns::parse_header(b"kind"), None);
        let row = old.parse_row(b"open,a1 b3").unwrap();
        assert_eq!((row.kind, row.squares, row.board), (TourKind::Open, &b"a1 b3"[..], None));
        for board in ["\"board=3x3 piece=1,2 remove=a1,b2\"", "graph=DqK", "\"graph=DqK\""] {
            let text = format!("closed,a1 b3,{board}");
            let row = new.parse_row(text.as_bytes()).unwrap();
            assert_eq!((row.kind, row.squares), (TourKind::Closed, &b"a1 b3"[..]));
            assert_eq!(row.board, Some(board.trim_matches('"')));
        }
        assert!(matches!(new.parse_row(b"open,a1 b3"), Err(ReadErrorKind::CsvBoard)));
        assert!(
            matches!(old.parse_row(b"round,a1"), Err(ReadErrorKind::UnknownKind(_)))
                && matches!(old.parse_row(b"open"), Err(ReadErrorKind::CsvColumns))
        );
    }
}
