//! Reader of tours, in every format that ktour writes and in formats that people paste.
//!
//! The reader returns one tour at a time, so a file may be of any length. The start of a line decides its
//! format (see `LineKind`), and the format may change from tour to tour:
//!
//! ```text
//! # ktour board=... kind=...     header for the tours that follow (see `FileHeader`)
//! a1 b3 d2 ...                   squares, one tour a line; also a1-b3-d2, Na1 Nb3, 1. a1 2. b3,
//!                                from a1 to b3, then c5, or over several lines (see `JoinedLines`); numbers before squares
//!                                must count them (see `MoveNumbers`)
//! kind,squares,arena             a CSV header; CSV rows follow
//! step,square,note               the header of a table with a row for each square (see `StepTable`)
//! {"squares":["a1",...           JSON, one tour a line; objects of other programs (see `ForeignObject`)
//! 3 8 5 10                       a number grid down to the next blank line; numbers
//! . 7 2 11                       begin at 0 or 1; `.` or `-` is a removed square
//! | 3 | 8 | 5 |                  a number grid as a table
//! [[3, 8, 5], ...                a number grid as an array, also in braces (see `ArrayParser`)
//!                                layers of a box side by side or one below the other (see `BoxLayers`);
//!                                ranks and files in the margins must fit (see `MarginLabels`)
//! 3 & 8 & 5 \\                   LaTeX, R and the like are converted first (see `convert_line`)
//! A tour:                        a title, if a tour follows
//! Found in 0.3 seconds           closing text below a tour: with a number and without squares
//! # ...                          a comment
//! ```
//!
//! Headers, fields and options give the board and the kind. Without them, the first tour decides: a grid by
//! its shape, squares by the smallest rectangle that holds them. Later tours must be of the same board,
//! unless mixed boards are allowed; a tour whose ends are a move apart is closed. Tours of a custom graph are
//! read by the names of its vertices, and as grids only if it has a layout. Memory: the longest line or
//! array, at most [`super::MAX_LINE_BYTES`] bytes, and the vertices of one tour. Input that cannot be a tour
//! is rejected as early as possible.

use std::collections::VecDeque;
use std::io::BufRead;

use super::brackets::Row;
use super::columns::Columns;
use super::fault::{Fault, ReadError};
use super::json::Said;
use super::known::{Known, ReadOptions};
use super::labels::Labels;
use super::lines::Lines;
use super::printed::plain;
use super::sign::{Sign, begins_a_tour, may_end, sign};
use super::steps::{Head, Rows};
use super::words::unknown;
use super::{Tour, TourFormat};
use crate::board::Arena;

/// Largest number of lines of a title.
const TITLE: u64 = 4;

/// A tour and its location in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The tour.
    pub tour: Tour,
    /// Line on which the tour begins, from 1.
    pub line: u64,
    /// Format in which the tour was written.
    pub format: TourFormat,
}

/// Reads tours one by one.
#[derive(Debug)]
pub struct TourReader<R> {
    lines: Lines<R>,
    known: Known,
    /// Columns of the CSV header, if the file has one.
    csv: Option<Columns>,
    /// Unfinished table with a row for each square.
    table: Option<Rows>,
    /// Tours of an array that are not yet returned.
    array: VecDeque<Vec<Row>>,
    /// Metadata of these tours.
    said: Said,
    /// Line and error of the first pending line that may be a title.
    title: Option<(u64, Fault)>,
    /// Number of title lines so far, above tours and below the last one.
    titles: u64,
    /// True if all pending lines may be closing text.
    may_end: bool,
    /// True if a tour has been read.
    has_read: bool,
    /// Labels in the margins of the current grid.
    labels: Labels,
    /// True if the previous line is a rule.
    is_below_rule: bool,
    finished: bool,
    /// The last comment with the index numbers of tours.
    numbers: Option<String>,
}

/// Start of a comment with the index numbers of the tours that follow.
const NUMBERS: &[u8] = b"# numbers of ";

impl<R: BufRead> TourReader<R> {
    /// Returns a reader of the tours in `input`.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self {
            lines: Lines::new(input),
            known: Known::new(options),
            csv: None,
            table: None,
            array: VecDeque::new(),
            said: Said::default(),
            title: None,
            titles: 0,
            may_end: false,
            has_read: false,
            labels: Labels::default(),
            is_below_rule: false,
            finished: false,
            numbers: None,
        }
    }

    /// Returns the last comment so far with the index numbers of tours, as `ktour unrank` writes it.
    #[must_use]
    pub fn numbers(&self) -> Option<&str> {
        self.numbers.as_deref()
    }

    /// Returns the number of lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines.taken()
    }

    /// Returns the number of lines taken for titles so far.
    #[must_use]
    pub const fn titles(&self) -> u64 {
        self.titles
    }

    fn read(&mut self) -> Result<Option<Located>, ReadError> {
        loop {
            if let Some(rows) = self.array.pop_front() {
                return self.of_array(&rows).map(Some);
            }
            if !self.read_line()? {
                return match self.title.take() {
                    // Closing text that programs print below the tours they find.
                    Some(_) if self.may_end => Ok(None),
                    Some((line, fault)) => Err(ReadError { line, fault }),
                    None => Ok(None),
                };
            }
            let text = self.lines.text();
            let line = self.lines.number();
            let sign = sign(self.lines.raw(), self.known.graph(), self.csv.is_some());
            self.is_below_rule &= matches!(sign, Sign::Row);
            let found = match sign {
                Sign::Remark => {
                    self.note_remark();
                    continue;
                }
                Sign::Rule => {
                    self.is_below_rule = true;
                    continue;
                }
                Sign::Blank => continue,
                Sign::Header(header) => {
                    let header = header.map_err(|error| self.here(error.into()))?;
                    self.csv = None;
                    self.known.header(&header).map_err(|fault| self.here(fault))?;
                    continue;
                }
                Sign::Columns(columns) => {
                    self.csv = Some(columns);
                    continue;
                }
                Sign::Steps(Head::Squares(steps)) => {
                    self.table = Some(Rows::new(steps));
                    continue;
                }
                Sign::Steps(Head::Coordinates) => Err(Fault::Coordinates),
                Sign::Files { corner, count } => {
                    self.labels.files(corner, count);
                    continue;
                }
                Sign::Title => {
                    self.note_title()?;
                    continue;
                }
                Sign::Array => {
                    self.title = None;
                    self.array()?;
                    continue;
                }
                Sign::Unknown => Err(unknown(text)),
                Sign::Json => match self.json()? {
                    Some(tour) => Ok((tour, TourFormat::Ndjson)),
                    None => continue,
                },
                Sign::CsvRow => self.csv_row().map(|tour| (tour, TourFormat::Csv)),
                Sign::Names => {
                    let tour = self.names()?;
                    Ok((tour, TourFormat::Squares))
                }
                Sign::Row => {
                    let tour = self.grid()?;
                    Ok((tour, TourFormat::Grid))
                }
            };
            let (tour, format) = found.map_err(|fault| match self.title.take() {
                // The line above was not a title.
                Some((line, title)) if matches!(fault, Fault::Unknown(_)) => ReadError { line, fault: title },
                _ => self.here(fault),
            })?;
            (self.title, self.has_read) = (None, true);
            self.known.remember(&tour);
            return Ok(Some(Located { tour, line, format }));
        }
    }

    fn here(&self, fault: Fault) -> ReadError {
        ReadError { line: self.lines.number(), fault }
    }

    /// Stores a comment with index numbers.
    fn note_remark(&mut self) {
        let text = self.lines.text();
        if text.starts_with(NUMBERS) {
            self.numbers = Some(String::from_utf8_lossy(text).into_owned());
        }
    }

    /// Takes the current line for a title, which a tour must follow.
    fn note_title(&mut self) -> Result<(), ReadError> {
        let text = self.lines.text();
        // Names of a graph may be words of any language.
        let may_end = self.has_read && self.known.graph().is_none() && may_end(text);
        self.may_end = may_end && (self.title.is_none() || self.may_end);
        let (line, fault) = self.title.take().unwrap_or_else(|| (self.lines.number(), unknown(text)));
        if self.lines.number() - line >= TITLE {
            return Err(ReadError { line, fault });
        }
        self.titles += 1;
        self.title = Some((line, fault));
        Ok(())
    }

    /// Advances to the next line, or to the squares of a table; returns false at the end of the file.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        while self.next_line()? {
            if !self.lines.is_fresh() {
                return Ok(true);
            }
            if self.table.is_none() {
                self.make_plain();
                return Ok(true);
            }
            // The squares of the table are the next lines.
            self.rows_of_table()?;
        }
        Ok(false)
    }

    /// Advances to the next line without conversion.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        let (csv, graph) = (self.csv.is_some(), self.known.graph().is_some());
        let begins = |text: &[u8]| match (csv, graph) {
            (true, _) => Columns::kind(text).map(|_| ()),
            (false, false) if !begins_a_tour(text) => Err(unknown(text.trim_ascii())),
            _ => Ok(()),
        };
        self.lines.next(begins).map_err(|fault| self.here(fault))
    }

    /// Converts the current line if it has the format of another program.
    fn make_plain(&mut self) {
        let has_squares = |arena: &Arena| arena.surface().is_some() || arena.cuboid().is_some();
        if self.csv.is_some() || !self.known.graph().is_none_or(has_squares) {
            return;
        }
        if let Some(lines) = plain(self.lines.text()) {
            let number = self.lines.number();
            self.lines.come(lines.into_iter().map(|line| (number, line)).collect());
            self.lines.pop();
        }
    }

    fn csv_row(&mut self) -> Result<Tour, Fault> {
        let row = self.csv.unwrap_or_default().row(self.lines.text())?;
        if let Some(arena) = row.arena {
            self.known.enter(arena)?;
        }
        self.known.line(row.squares, Some(row.kind))
    }
}

impl<R: BufRead> Iterator for TourReader<R> {
    type Item = Result<Located, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let found = self.read().transpose();
        self.finished = !matches!(found, Some(Ok(_)));
        found
    }
}

mod arrays;
mod grids;
mod names;
mod objects;
mod tables;
#[cfg(test)]
mod tests;
