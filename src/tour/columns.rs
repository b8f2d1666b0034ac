//! CSV rows: `kind,squares`, or `kind,squares,arena`.
//!
//! Squares are separated by blanks, so only the board may contain commas; then it is quoted.

use super::TourKind;
use super::fault::{Fault, shown};

/// Columns of a CSV file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// True if each row ends with its board.
    arena: bool,
}

/// A CSV row.
#[derive(Debug)]
pub(super) struct CsvRow<'a> {
    pub(super) kind: TourKind,
    pub(super) squares: &'a [u8],
    pub(super) arena: Option<&'a str>,
}

impl Columns {
    /// Parses a CSV header; returns `None` if the line is not the header of a file of tours.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let arena = match line {
            b"kind,squares" => false,
            b"kind,squares,arena" => true,
            _ => return None,
        };
        Some(Self { arena })
    }

    /// Splits a row into its kind and the rest.
    pub(super) fn kind(row: &[u8]) -> Result<(TourKind, &[u8]), Fault> {
        let mut columns = row.splitn(2, |&b| b == b',');
        let (Some(kind), Some(rest)) = (columns.next(), columns.next()) else { return Err(Fault::Csv) };
        let is_it = |said: &TourKind| said.name().as_bytes() == kind;
        let kind = TourKind::ALL.into_iter().find(is_it).ok_or_else(|| Fault::Kind(shown(kind)))?;
        Ok((kind, rest))
    }

    /// Parses a row.
    pub(super) fn row(self, row: &[u8]) -> Result<CsvRow<'_>, Fault> {
        let (kind, rest) = Self::kind(row)?;
        if !self.arena {
            return Ok(CsvRow { kind, squares: rest, arena: None });
        }
        let at = match rest.strip_suffix(b"\"") {
            Some(quoted) => quoted.windows(2).rposition(|pair| pair == b",\""),
            None => rest.iter().rposition(|&b| b == b','),
        };
        let at = at.ok_or(Fault::CsvArena)?;
        let arena = std::str::from_utf8(&rest[at + 1..]).map_err(|_| Fault::CsvArena)?;
        Ok(CsvRow { kind, squares: &rest[..at], arena: Some(arena.trim_matches('"')) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_of_their_head() {
        let (old, new) =
            (Columns::read(b"kind,squares").unwrap(), Columns::read(b"kind,squares,arena").unwrap());
        assert_eq!(Columns::read(b"kind"), None);
        let row = old.row(b"open,a1 b3").unwrap();
        assert_eq!((row.kind, row.squares, row.arena), (TourKind::Open, &b"a1 b3"[..], None));
        for arena in ["\"board=3x3 piece=1,2 remove=a1,b2\"", "graph=DqK", "\"graph=DqK\""] {
            let text = format!("closed,a1 b3,{arena}");
            let row = new.row(text.as_bytes()).unwrap();
            assert_eq!((row.kind, row.squares), (TourKind::Closed, &b"a1 b3"[..]));
            assert_eq!(row.arena, Some(arena.trim_matches('"')));
        }
        assert!(matches!(new.row(b"open,a1 b3"), Err(Fault::CsvArena)));
        assert!(
            matches!(old.row(b"round,a1"), Err(Fault::Kind(_)))
                && matches!(old.row(b"open"), Err(Fault::Csv))
        );
    }
}
