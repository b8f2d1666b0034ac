//! Reading tours: every format that is written, and what people paste.
//!
//! One tour at a time, so a file may be of any length. The format is seen from
//! the first sign of a line (see `sign.rs`), and may change from tour to tour:
//!
//! ```text
//! # ktour board=... kind=...     what the tours that follow are of (see `header.rs`)
//! a1 b3 d2 ...                   squares, one tour a line; also a1-b3-d2, Na1 Nb3, 1. a1 2. b3
//!                                or over several lines (see `reader/names.rs`)
//! kind,squares,arena             a CSV header; what follows is CSV
//! step,square,note               the head of a table, a row for each square (see `steps.rs`)
//! {"squares":["a1",...           JSON, one tour a line
//! 3 8 5 10                       a number grid down to the next blank line; numbers
//! . 7 2 11                       begin at 0 or 1; `.` or `-` is a removed square
//! | 3 | 8 | 5 |                  the same as a table (see `table.rs`)
//! [[3, 8, 5], ...                the same as an array, in braces as well (see `brackets.rs`)
//!                                layers of a box side by side or one below the other (see `layers.rs`)
//! A tour:                        a title, if a tour follows
//! # ...                          a remark
//! ```
//!
//! Headers and fields say the arena and the kind. Without them, and without options, the
//! first tour tells: a grid by its shape, squares by the smallest rectangle that holds them;
//! the tours after it must be of the same board, unless mixed boards are allowed; and a tour
//! whose ends are a move apart is closed. Tours of an arena that is no board are read by
//! the names of its vertices, as grids only if it has a layout. Memory: the longest line or
//! array, at most [`super::MAX_LINE`] bytes, and the vertices of one tour; anything that is no tour
//! is refused as soon as it shows.

use std::collections::VecDeque;
use std::io::BufRead;

use super::brackets::Row;
use super::columns::Columns;
use super::fault::{Fault, ReadError};
use super::grid::Grid;
use super::json::{JsonHead, JsonNames, JsonSquares};
use super::known::{Known, ReadOptions};
use super::lines::Lines;
use super::sign::{Sign, begins_a_tour, sign};
use super::steps::Head;
use super::table;
use super::words::{unknown, words};
use super::{Tour, TourFormat};

/// The most lines of a title.
const TITLE: u64 = 4;

/// A tour and where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The tour.
    pub tour: Tour,
    /// The line it begins on, from 1.
    pub line: u64,
    /// How it was written.
    pub format: TourFormat,
}

/// Reads tours one by one.
#[derive(Debug)]
pub struct TourReader<R> {
    lines: Lines<R>,
    known: Known,
    /// The head of CSV, if one was seen.
    csv: Option<Columns>,
    /// Tours of an array that was read.
    array: VecDeque<Vec<Row>>,
    /// Line and text of the first of the lines that may be a title.
    title: Option<(u64, Fault)>,
    /// Lines of titles above tours that were read.
    titles: u64,
    /// Whether each row of the grid begins with its rank.
    labelled: bool,
    /// How many files were named above the grid, 0 if none were.
    files: usize,
    /// Whether the line before only draws.
    is_below_rule: bool,
    finished: bool,
    /// The last remark that says which numbers the tours were found by.
    numbers: Option<String>,
}

/// What a remark begins with that says which numbers the tours that follow were found by.
const NUMBERS: &[u8] = b"# numbers of ";

impl<R: BufRead> TourReader<R> {
    /// A reader of tours.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self {
            lines: Lines::new(input),
            known: Known::new(options),
            csv: None,
            array: VecDeque::new(),
            title: None,
            titles: 0,
            labelled: false,
            files: 0,
            is_below_rule: false,
            finished: false,
            numbers: None,
        }
    }

    /// The last remark so far that says which numbers tours were found by, as `ktour unrank` writes it.
    #[must_use]
    pub fn numbers(&self) -> Option<&str> {
        self.numbers.as_deref()
    }

    /// Lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines.number()
    }

    /// Lines taken for titles so far.
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
                    Some((line, fault)) => Err(ReadError { line, fault }),
                    None => Ok(None),
                };
            }
            let text = self.lines.text();
            let line = self.lines.number();
            let sign = sign(text, self.known.graph(), self.csv.is_some());
            self.is_below_rule &= matches!(sign, Sign::Row);
            let found = match sign {
                Sign::Remark => {
                    if text.trim_ascii_start().starts_with(NUMBERS) {
                        self.numbers = Some(String::from_utf8_lossy(text.trim_ascii()).into_owned());
                    }
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
                    self.lines.only(steps);
                    continue;
                }
                Sign::Steps(Head::Coordinates) => Err(Fault::Coordinates),
                Sign::Files { corner, count } => {
                    (self.labelled, self.files) = (corner, count);
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
                Sign::Json => self.json().map(|tour| (tour, TourFormat::Ndjson)),
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
            self.title = None;
            self.known.remember(&tour);
            return Ok(Some(Located { tour, line, format }));
        }
    }

    fn here(&self, fault: Fault) -> ReadError {
        ReadError { line: self.lines.number(), fault }
    }

    /// Takes the line in the buffer for a title, which a tour must follow.
    fn note_title(&mut self) -> Result<(), ReadError> {
        let (line, fault) =
            self.title.take().unwrap_or_else(|| (self.lines.number(), unknown(self.lines.text())));
        if self.lines.number() - line >= TITLE {
            return Err(ReadError { line, fault });
        }
        self.titles += 1;
        self.title = Some((line, fault));
        Ok(())
    }

    /// Reads on to the next line; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        let (csv, graph) = (self.csv.is_some(), self.known.graph().is_some());
        let begins = |text: &[u8]| match (csv, graph) {
            (true, _) => Columns::kind(text).map(|_| ()),
            (false, false) if !begins_a_tour(text) => Err(unknown(text.trim_ascii())),
            _ => Ok(()),
        };
        let more = self.lines.next(begins).map_err(|fault| self.here(fault))?;
        if more && self.lines.is_fresh() {
            self.lines.narrow().map_err(|fault| self.here(fault))?;
            if !csv && !graph {
                self.lines.part_by_commas();
            }
        }
        Ok(more)
    }

    fn csv_row(&mut self) -> Result<Tour, Fault> {
        let row = self.csv.unwrap_or_default().row(self.lines.text())?;
        if let Some(arena) = row.arena {
            self.known.enter(arena)?;
        }
        self.known.line(row.squares, Some(row.kind))
    }

    fn json(&mut self) -> Result<Tour, Fault> {
        let text = self.lines.text();
        let head = JsonHead::read(text)?;
        if let Some(arena) = &head.arena {
            self.known.enter(arena)?;
        }
        match self.known.graph() {
            Some(arena) => {
                let names = JsonNames::<Vec<String>>::read(text)?.squares;
                let vertices = names.iter().map(|name| Ok(arena.vertex(name)?));
                self.known.named(arena, vertices, head.kind)
            }
            None => self.known.tour(JsonNames::<JsonSquares>::read(text)?.squares.0, head.kind),
        }
    }

    /// A grid from the line in the buffer on; of a box, with the layers that come below.
    fn grid(&mut self) -> Result<Tour, ReadError> {
        let mut grid = Grid::new(self.known.arena().cloned()).map_err(|fault| self.here(fault))?;
        loop {
            let text = self.lines.text();
            let added = if table::has_bar(text) {
                grid.row(&table::row(text, self.labelled), self.lines.number())
            } else {
                grid.row(unlabelled(text, self.files), self.lines.number())
            };
            if added.is_err() && grid.is_first_alone() {
                break;
            }
            added.map_err(|fault| self.here(fault))?;
            if !self.next_row(&mut grid)? {
                break;
            }
        }
        (self.labelled, self.files, self.is_below_rule) = (false, 0, false);
        let (tour, line) = grid.finish(&self.known)?;
        self.known.of_kind(tour, None).map_err(|fault| ReadError { line, fault })
    }

    /// Reads on to the next row of a grid; false if there is none.
    fn next_row(&mut self, grid: &mut Grid) -> Result<bool, ReadError> {
        // Whether anything stands between this row and the one before.
        let mut is_apart = false;
        while self.read_line()? {
            let sign = sign(self.lines.text(), self.known.graph(), false);
            let is_end = matches!(
                sign,
                Sign::Blank
                    | Sign::Remark
                    | Sign::Files { .. }
                    | Sign::Header(_)
                    | Sign::Title
                    | Sign::Columns(_)
                    | Sign::Steps(_)
            );
            if is_end && !is_apart && !grid.lacks_layers() {
                if matches!(sign, Sign::Header(_) | Sign::Title | Sign::Columns(_) | Sign::Steps(_)) {
                    self.lines.again();
                }
                return Ok(false);
            }
            is_apart |= is_end;
            match sign {
                // Lines of a table that only draw are passed over.
                Sign::Rule => {
                    // Markdown has a head above its rule, even if it names nothing; boxes have a rule above all.
                    if !self.is_below_rule {
                        grid.leave_out_empty_head();
                        self.is_below_rule = true;
                    }
                }
                Sign::Files { corner, count } => (self.labelled, self.files) = (corner, count),
                Sign::Title => self.titles += 1,
                Sign::Header(_) | Sign::Columns(_) | Sign::Steps(_) => {
                    self.lines.again();
                    return Ok(false);
                }
                _ if is_end => {}
                // What is no row is told by the grid.
                _ => return Ok(true),
            }
        }
        Ok(false)
    }
}

/// A row without the rank before it: a number more than there are files named above.
fn unlabelled(text: &[u8], files: usize) -> &[u8] {
    let row = text.trim_ascii_start();
    if files == 0 || words(row).count() != files + 1 {
        return text;
    }
    let rank = row.iter().position(|b| b.is_ascii_whitespace() || *b == b',').unwrap_or(row.len());
    &row[rank..]
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
mod names;
#[cfg(test)]
mod tests;
