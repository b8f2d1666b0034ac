//! Published counts of tours that are part of the program, for comparison with its own counts.
//!
//! `published.csv` has one number of knight's tours per row, with the columns board, kind, direction, start
//! square and source. A `prefix` of K stands for a ragged board: the first K squares in column-major order of
//! a board `rows` high. `published_boards.csv` has the numbers for other pieces and for wrapped boards; its
//! first column is the text form of the board. Published values that are known to be wrong are left out, and
//! so is the convention that one square has no path. Rows for single start squares count directed tours.

use num_bigint::BigUint;
use serde::Deserialize;

use super::{Answer, Request, directed};
use crate::board::{Arena, ArenaError, Board, Leaper, Piece, Square};
use crate::tour::Kind;

/// Contents of the two CSV files.
const TABLES: [&str; 2] = [include_str!("published.csv"), include_str!("published_boards.csv")];

/// A published number of tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Board of the tours.
    pub arena: Arena,
    /// Kind of the tours.
    pub kind: Kind,
    /// True if the number counts both directions of a tour.
    pub directed: bool,
    /// Start vertex, if the number counts tours from one square.
    pub start: Option<u32>,
    /// Published number.
    pub count: BigUint,
    /// Source of the publication.
    pub source: String,
}

#[derive(Deserialize)]
struct Row {
    rows: Option<u16>,
    cols: Option<u16>,
    prefix: Option<u32>,
    arena: Option<String>,
    kind: String,
    direction: String,
    start: Option<String>,
    count: String,
    source: String,
}

/// Column names of a table of rectangles.
const COLUMNS: [&str; 8] = ["rows", "cols", "prefix", "kind", "direction", "start", "count", "source"];

/// Column names of a table of boards in text form.
const ARENA_COLUMNS: [&str; 5] = ["arena", "kind", "direction", "count", "source"];

/// A counting job and the published numbers that it recomputes.
#[derive(Clone, Debug)]
pub struct Group {
    /// Request that recomputes the numbers.
    pub request: Request,
    /// Published numbers.
    pub numbers: Vec<Published>,
}

/// An error in a table of published numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TableError {
    /// Line number, from 1.
    pub line: u64,
    /// Description of the error.
    pub what: String,
}

/// Returns all published numbers that are part of the program.
///
/// # Panics
/// Panics if a table in the program is malformed; a test excludes that.
#[must_use]
pub fn published() -> Vec<Published> {
    let table = |table| parse(table).expect("the table is well formed");
    TABLES.into_iter().flat_map(table).collect()
}

/// Parses a table with the columns of either built-in table.
///
/// # Errors
/// The first malformed row.
pub fn parse(table: &str) -> Result<Vec<Published>, TableError> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let known = [COLUMNS.as_slice(), ARENA_COLUMNS.as_slice()];
    let found = reader.headers().ok().cloned().unwrap_or_default();
    let Some(columns) = known.into_iter().find(|columns| found == **columns) else {
        let (boards, arenas) = (COLUMNS.join(","), ARENA_COLUMNS.join(","));
        let what = format!("wrong column names; use {boards}, or {arenas}");
        return Err(TableError { line: 1, what });
    };
    // Line 1 is the header; no field contains a line break.
    let rows = (2..).zip(reader.deserialize());
    rows.map(|(line, row): (u64, Result<Row, csv::Error>)| {
        let wrong = |what: String| TableError { line, what };
        row.map_err(|error| wrong(fault(&error, columns)))?.number().map_err(wrong)
    })
    .collect()
}

/// Describes the error of a CSV row with the table's own column names.
fn fault(error: &csv::Error, columns: &[&str]) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("wrong number of fields: {len}; use {expected_len}")
        }
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|field| columns.get(usize::try_from(field).ok()?));
            format!("column {}: {}", column.unwrap_or(&"?"), err.kind())
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8; save it as UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

impl Row {
    fn number(self) -> Result<Published, String> {
        let arena = match (&self.arena, self.rows, self.cols) {
            (Some(text), None, None) => text.parse().map_err(|error: ArenaError| error.to_string())?,
            (None, Some(rows), Some(cols)) => Arena::board(self.board(rows, cols)?, Leaper::KNIGHT),
            _ => return Err("missing board; fill in rows and cols, or arena".to_owned()),
        };
        if arena.is_empty() {
            return Err("the board has no square; keep at least one".to_owned());
        }
        let start =
            self.start.map(|name| arena.vertex(&name)).transpose().map_err(|error| error.to_string())?;
        let directed = match self.direction.as_str() {
            "directed" => true,
            "undirected" if start.is_none() => false,
            other => return Err(format!("wrong direction `{other}`; use directed or undirected")),
        };
        Ok(Published {
            arena,
            kind: Kind::from_name(&self.kind)
                .ok_or_else(|| format!("unknown kind `{}`; use closed, open or paths", self.kind))?,
            directed,
            start,
            count: self
                .count
                .parse()
                .map_err(|_| format!("`{}` is not a whole number; use decimal digits", self.count))?,
            source: self.source,
        })
    }

    /// Returns the rectangle of the first `prefix` squares in column-major order, or of all squares.
    fn board(&self, rows: u16, cols: u16) -> Result<Board, String> {
        let squares = self.prefix.unwrap_or(u32::MAX);
        let full = Board::new(rows, cols).map_err(|error| error.to_string())?;
        let place = |s: &Square| u32::from(s.file()) * u32::from(rows) + u32::from(s.rank());
        let removed: Vec<Square> = full.squares().filter(|s| place(s) >= squares).collect();
        full.without(removed).map_err(|error| error.to_string())
    }
}

/// Groups numbers by the job that recomputes them: closed tours in one job, paths and open tours together in
/// another.
#[must_use]
pub fn grouped(numbers: Vec<Published>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for number in numbers {
        let closed = number.kind == Kind::Closed;
        let same = |group: &&mut Group| {
            group.request.arena == number.arena && (group.request.kind == Some(Kind::Closed)) == closed
        };
        if let Some(group) = groups.iter_mut().find(same) {
            group.numbers.push(number);
            continue;
        }
        let kind = Some(if closed { Kind::Closed } else { Kind::Paths });
        let request = Request { kind, ..Request::new(number.arena.clone()) };
        groups.push(Group { request, numbers: vec![number] });
    }
    for group in &mut groups {
        // Open tours are paths minus re-entrant paths, and those require the closed tours.
        if group.numbers.iter().any(|number| number.kind == Kind::Open) {
            group.request.kind = None;
        }
        // A sweep counts by start square only on request.
        group.request.per_start = group.numbers.iter().any(|number| number.start.is_some());
    }
    groups
}

/// Returns all published numbers that are part of the program, grouped by job.
#[must_use]
pub fn groups() -> Vec<Group> {
    grouped(published())
}

impl Published {
    /// Returns the corresponding number of an answer, or `None` if the answer does not contain it.
    #[must_use]
    pub fn computed(&self, answer: &Answer) -> Option<BigUint> {
        match self.start {
            Some(vertex) => {
                let start = answer.per_start.get(vertex as usize)?;
                start.counts.get(self.kind).cloned()
            }
            None => {
                let count = answer.counts.get(self.kind)?;
                Some(if self.directed { directed(count, self.arena.len()) } else { count.clone() })
            }
        }
    }

    /// Returns a title for the number, for example `6x6 closed`, `5x5 paths directed from a1` or `4x8 torus
    /// wazir closed`.
    #[must_use]
    pub fn name(&self) -> String {
        let rectangle = self.arena.rectangle();
        let prefix = match rectangle.is_some_and(|rectangle| !rectangle.board().removed().is_empty()) {
            true => format!(" (first {} squares)", self.arena.len()),
            false => String::new(),
        };
        let other = self.arena.piece().filter(|piece| *piece != Piece::default());
        let piece = other.map_or_else(String::new, |piece| {
            format!(" {}", piece.name().map_or_else(|| piece.to_string(), str::to_owned))
        });
        let directed = if self.directed { " directed" } else { "" };
        let start = self.start.map_or_else(String::new, |v| format!(" from {}", self.arena.name(v)));
        format!("{}{prefix}{piece} {}{directed}{start}", self.arena.title(), self.kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let numbers = published();
        assert!(numbers.len() > 750);
        assert!(numbers.iter().all(|number| number.start.is_none() || number.directed));
        let in_groups: usize = groups().iter().map(|group| group.numbers.len()).sum();
        assert_eq!(in_groups, numbers.len());
    }

    #[test]
    fn prefixes_run_up_the_columns() {
        let boards = published().into_iter().filter_map(|n| n.arena.rectangle().map(|r| r.board().clone()));
        let board = boards.into_iter().find(|board| !board.removed().is_empty()).unwrap();
        let (rows, len) = (usize::from(board.rows()), board.len());
        let squares: Vec<Square> = board.squares().collect();
        let place = |s: &Square| usize::from(s.file()) * rows + usize::from(s.rank());
        assert!(squares.iter().all(|square| place(square) < len));
    }

    #[test]
    fn numbers_tell_what_they_are_of() {
        let table = "arena,kind,direction,count,source\n\
                     board=4x8 wrap=torus piece=wazir remove=-,closed,undirected,538744,somebody\n\
                     \"board=3x3 piece=1,2+1,5 remove=-\",paths,directed,0,somebody\n";
        let names: Vec<String> = parse(table).unwrap().iter().map(Published::name).collect();
        assert_eq!(names, ["4x8 torus wazir closed", "3x3 1,2+1,5 paths directed"]);
        assert!(parse("rows,kind,direction,count,source\n3,closed,undirected,1,x\n").is_err());
    }
}
