//! Published counts that come with the program, to be recomputed by anybody.
//!
//! `published.csv` has a number a row: board, kind, direction, start square and
//! source. A `prefix` of K means the first K squares in column-major order of a
//! board `rows` high: a ragged board. Known wrong published values are left out, as
//! is the convention that one square has no path. Rows for single start squares are
//! of directed tours.

use num_bigint::BigUint;
use serde::Deserialize;

use super::{Answer, Request, directed};
use crate::board::{Board, Leaper, ParseSquareError, Square};
use crate::tour::Kind;

/// The table as it is kept.
const TABLE: &str = include_str!("published.csv");

/// A published number of knight's tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The board.
    pub board: Board,
    /// Which tours.
    pub kind: Kind,
    /// Whether both directions were counted.
    pub directed: bool,
    /// The start, if the number is of tours from one square.
    pub start: Option<Square>,
    /// The number.
    pub count: BigUint,
    /// Where it was published.
    pub source: String,
}

#[derive(Deserialize)]
struct Row {
    rows: u16,
    cols: u16,
    prefix: Option<u32>,
    kind: String,
    direction: String,
    start: Option<String>,
    count: String,
    source: String,
}

/// The columns of a table.
const COLUMNS: [&str; 8] = ["rows", "cols", "prefix", "kind", "direction", "start", "count", "source"];

/// A board with the numbers published for it that one job recomputes.
#[derive(Clone, Debug)]
pub struct Group {
    /// The job.
    pub request: Request,
    /// The numbers.
    pub numbers: Vec<Published>,
}

/// A table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TableError {
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// All numbers published that come with the program.
///
/// # Panics
/// If the table in the program is malformed, which a test rules out.
#[must_use]
pub fn published() -> Vec<Published> {
    parse(TABLE).expect("the table is well formed")
}

/// Reads a table of the same form.
///
/// # Errors
/// The first row that is not well formed.
pub fn parse(table: &str) -> Result<Vec<Published>, TableError> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    if reader.headers().is_ok_and(|found| found != COLUMNS.as_slice()) {
        let what = format!("it has to name the columns: {}", COLUMNS.join(","));
        return Err(TableError { line: 1, what });
    }
    // Line 1 is the header; no field has a line break in it.
    let rows = (2..).zip(reader.deserialize());
    rows.map(|(line, row): (u64, Result<Row, csv::Error>)| {
        let wrong = |what: String| TableError { line, what };
        row.map_err(|error| wrong(fault(&error)))?.number().map_err(wrong)
    })
    .collect()
}

/// What is wrong with a row, in the table's own words.
fn fault(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} fields, not {expected_len}")
        }
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|field| COLUMNS.get(usize::try_from(field).ok()?));
            format!("column {}: {}", column.unwrap_or(&"?"), err.kind())
        }
        csv::ErrorKind::Utf8 { .. } => "it is not text in UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

impl Row {
    fn number(self) -> Result<Published, String> {
        let squares = self.prefix.unwrap_or(u32::MAX);
        let full = Board::new(self.rows, self.cols).map_err(|error| error.to_string())?;
        let place = |s: &Square| u32::from(s.file()) * u32::from(self.rows) + u32::from(s.rank());
        let removed: Vec<Square> = full.squares().filter(|s| place(s) >= squares).collect();
        let board = full.without(removed).map_err(|error| error.to_string())?;
        let start: Option<Square> = match self.start {
            Some(name) => Some(name.parse().map_err(|error: ParseSquareError| error.to_string())?),
            None => None,
        };
        if start.is_some_and(|start| !board.contains(start)) || board.is_empty() {
            return Err("the board lacks the square".to_owned());
        }
        let directed = match self.direction.as_str() {
            "directed" => true,
            "undirected" if start.is_none() => false,
            other => return Err(format!("direction `{other}`, not directed or undirected")),
        };
        Ok(Published {
            board,
            kind: Kind::from_name(&self.kind).ok_or_else(|| format!("`{}` is no kind", self.kind))?,
            directed,
            start,
            count: self.count.parse().map_err(|_| format!("`{}` is no number", self.count))?,
            source: self.source,
        })
    }
}

fn is_of(request: &Request, board: &Board) -> bool {
    request.arena.rectangle().is_some_and(|rectangle| rectangle.board() == board)
}

/// Numbers by the job that recomputes them: closed tours by themselves, paths and open tours together.
#[must_use]
pub fn grouped(numbers: Vec<Published>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for number in numbers {
        let closed = number.kind == Kind::Closed;
        let same = |group: &&mut Group| {
            is_of(&group.request, &number.board) && (group.request.kind == Some(Kind::Closed)) == closed
        };
        if let Some(group) = groups.iter_mut().find(same) {
            group.numbers.push(number);
            continue;
        }
        let kind = Some(if closed { Kind::Closed } else { Kind::Paths });
        let request = Request { kind, ..Request::new((number.board.clone(), Leaper::KNIGHT)) };
        groups.push(Group { request, numbers: vec![number] });
    }
    for group in &mut groups {
        // Open tours are paths less re-entrant ones, and those need the closed tours.
        if group.numbers.iter().any(|number| number.kind == Kind::Open) {
            group.request.kind = None;
        }
        // A sweep tells numbers by start square only if it is asked to.
        group.request.per_start = group.numbers.iter().any(|number| number.start.is_some());
    }
    groups
}

/// All numbers that come with the program, by job.
#[must_use]
pub fn groups() -> Vec<Group> {
    grouped(published())
}

impl Published {
    /// The same number from an answer; `None` if the answer does not have it.
    #[must_use]
    pub fn computed(&self, answer: &Answer) -> Option<BigUint> {
        match self.start {
            Some(square) => {
                let start = answer.per_start.get(self.board.index(square)? as usize)?;
                start.counts.get(self.kind).cloned()
            }
            None => {
                let count = answer.counts.get(self.kind)?;
                Some(if self.directed { directed(count, self.board.len()) } else { count.clone() })
            }
        }
    }

    /// What the number is of, such as `6x6 closed` or `5x5 paths directed from a1`.
    #[must_use]
    pub fn name(&self) -> String {
        let prefix = if self.board.removed().is_empty() {
            String::new()
        } else {
            format!(" (first {} squares)", self.board.len())
        };
        let directed = if self.directed { " directed" } else { "" };
        let start = self.start.map_or_else(String::new, |square| format!(" from {square}"));
        format!("{}{prefix} {}{directed}{start}", self.board, self.kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let numbers = published();
        assert!(numbers.len() > 600);
        assert!(numbers.iter().all(|number| number.start.is_none() || number.directed));
        let in_groups: usize = groups().iter().map(|group| group.numbers.len()).sum();
        assert_eq!(in_groups, numbers.len());
    }

    #[test]
    fn prefixes_run_up_the_columns() {
        let number = published().into_iter().find(|n| !n.board.removed().is_empty()).unwrap();
        let (rows, len) = (usize::from(number.board.rows()), number.board.len());
        let squares: Vec<Square> = number.board.squares().collect();
        let place = |s: &Square| usize::from(s.file()) * rows + usize::from(s.rank());
        assert!(squares.iter().all(|square| place(square) < len));
    }
}
