//! `ktour count 5x2..60`: all boards of one width, from one sweep.
//!
//! A sweep along the length passes the end of every shorter board on its way, so
//! the whole series costs little more than its longest board.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use num_bigint::BigUint;
use serde::Serialize;

use super::failure::Failure;
use super::run::Wanted;
use crate::board::{Board, BoardError, Leaper};
use crate::count::{CountError, Counts, directed, theorems};
use crate::cpu;
use crate::frontier::{self, Options, Silent, Tours};
use crate::report::Output;
use crate::tour::Kind;

/// One board, or a range of columns or rows.
#[derive(Clone, Debug)]
pub enum Boards {
    /// A board.
    One(Board),
    /// Boards of one width.
    Series(Series),
}

/// Boards `width` squares one way and `first` to `last` the other.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    width: u16,
    first: u16,
    last: u16,
    /// Whether the rows vary, not the columns.
    rows: bool,
}

impl FromStr for Boards {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.contains("..") {
            return text.parse().map(Self::One);
        }
        let bad = || BoardError::Parse(text.to_owned());
        let (rows, cols) = text.split_once(['x', 'X']).ok_or_else(bad)?;
        let (range, width, by_rows) =
            if rows.contains("..") { (rows, cols, true) } else { (cols, rows, false) };
        let (first, last) = range.split_once("..").ok_or_else(bad)?;
        // Both corners are boards, which checks every number.
        let corner = |length: &str| format!("{width}x{length}").parse::<Board>().map_err(|_| bad());
        let (short, long) = (corner(first)?, corner(last)?);
        if short.cols() > long.cols() {
            return Err(bad());
        }
        Ok(Self::Series(Series { width: long.rows(), first: short.cols(), last: long.cols(), rows: by_rows }))
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, first, last, rows } = self;
        if *rows { write!(f, "{first}..{last}x{width}") } else { write!(f, "{width}x{first}..{last}") }
    }
}

#[derive(Serialize)]
struct Row {
    board: String,
    leaper: String,
    kind: &'static str,
    start: &'static str,
    undirected: String,
    directed: String,
    engine: &'static str,
    seconds: f64,
}

impl Series {
    fn board(&self, length: u16) -> Result<Board, Failure> {
        let (rows, cols) = if self.rows { (length, self.width) } else { (self.width, length) };
        Board::new(rows, cols).map_err(|error| Failure::usage(error.to_string()))
    }

    /// Counts all boards and reports a row for each.
    pub fn run(
        &self,
        leaper: Leaper,
        kind: Kind,
        memory: Option<u64>,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        eprintln!("ktour: job boards={self} leaper={leaper} kind={} engine=frontier", kind.name());
        let to_stdout = |path: &Option<std::path::PathBuf>| path.as_deref() == Some(Path::new("-"));
        let open = |path: &Option<std::path::PathBuf>| path.as_deref().map(Output::create).transpose();
        let (csv, json) = (open(&wanted.csv)?, open(&wanted.json)?);
        let quiet = to_stdout(&wanted.csv) || to_stdout(&wanted.json);

        let began = Instant::now();
        let memory = memory.or_else(|| cpu::available_memory().map(|bytes| bytes / 10 * 9));
        let options = Options { memory, ..Options::default() };
        let sweep = |tours| {
            frontier::series((self.width, self.last), leaper, tours, &options, &mut Silent)
                .map_err(|error| Failure::from(CountError::from(error)))
        };
        let none = || vec![BigUint::ZERO; usize::from(self.last)];
        let closed = if kind == Kind::Paths { none() } else { sweep(Tours::Closed)? };
        let paths = if kind == Kind::Closed { none() } else { sweep(Tours::Paths)? };
        let seconds = began.elapsed().as_secs_f64();
        let mut rows = Vec::new();
        for length in self.first..=self.last {
            let board = self.board(length)?;
            let at = usize::from(length) - 1;
            let re_entrant = &closed[at] * board.len();
            let mut counts = Counts::default();
            let count = match kind {
                Kind::Closed => counts.closed.insert(closed[at].clone()),
                Kind::Paths => counts.paths.insert(paths[at].clone()),
                Kind::Open if re_entrant > paths[at] => {
                    return Err(Failure::failed(format!("{board}: more re-entrant paths than paths")));
                }
                Kind::Open => counts.open.insert(&paths[at] - re_entrant),
            }
            .clone();
            theorems::check(&board, leaper, &counts, &[]).map_err(CountError::from)?;
            rows.push(Row {
                board: board.to_string(),
                leaper: leaper.to_string(),
                kind: kind.name(),
                start: "",
                directed: directed(&count, &board).to_string(),
                undirected: count.to_string(),
                engine: "frontier",
                seconds: (seconds * 1000.0).round() / 1000.0,
            });
        }
        if let Some(mut out) = csv {
            let name = out.name();
            let mut writer = csv::Writer::from_writer(&mut out);
            let written = rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::from);
            written.and_then(|()| writer.flush()).map_err(|error| Failure::write(&name, &error))?;
            drop(writer);
            out.finish()?;
        }
        if let Some(mut out) = json {
            let document = serde_json::json!({ "schema": 1, "complete": true, "boards": self.to_string(), "series": rows });
            let text = format!("{document:#}\n");
            out.write_all(text.as_bytes()).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        if !quiet {
            let number =
                |row: &Row| if wanted.directed { row.directed.clone() } else { row.undirected.clone() };
            let text: String = rows.iter().map(|row| format!("{} {}\n", row.board, number(row))).collect();
            let mut out = Output::stdout();
            out.write_all(text.as_bytes()).map_err(|error| Failure::write("standard output", &error))?;
            out.finish()?;
        }
        eprintln!("ktour: done boards={self} kind={} seconds={seconds:.3}", kind.name());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_of_columns_or_rows() {
        for (text, back) in [("5x2..60", "5x2..60"), ("3..10x4", "3..10x4"), ("1x1..1", "1x1..1")] {
            let Ok(Boards::Series(series)) = text.parse() else { panic!("{text}") };
            assert_eq!(series.to_string(), back);
        }
        assert!(matches!("6x8".parse(), Ok(Boards::One(_))));
        for bad in ["5x6..2", "5..", "2..3x4..5", "5x..3", "5x2..", "x2..3", "5x0..3", "5x2...3"] {
            assert!(bad.parse::<Boards>().is_err(), "{bad}");
        }
    }
}
