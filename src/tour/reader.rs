//! Reading tours: every format that is written, and what people paste.
//!
//! One tour at a time, so a file may be of any length. The format is seen from
//! the first sign of a line (see `sign.rs`), and may change from tour to tour:
//!
//! ```text
//! # ktour board=... kind=...     what the tours that follow are of (see `header.rs`)
//! a1 b3 d2 ...                   squares, one tour a line; also a1-b3-d2, Na1 Nb3, 1. a1 2. b3
//! kind,squares,arena             a CSV header; what follows is CSV
//! {"squares":["a1",...           JSON, one tour a line
//! 3 8 5 10                       a number grid down to the next blank line; numbers
//! . 7 2 11                       begin at 0 or 1; `.` or `-` is a removed square
//! | 3 | 8 | 5 |                  the same as a table (see `table.rs`)
//! [[3, 8, 5], ...                the same as an array (see `brackets.rs`)
//! A tour:                        a title, if a tour follows
//! # ...                          a remark
//! ```
//!
//! Headers and fields say the arena and the kind. Without them, and without options, the
//! first tour tells: a grid by its shape, squares by the smallest rectangle that holds them;
//! the tours after it must be of the same board, unless mixed boards are allowed; and a tour
//! whose ends are a move apart is closed. Tours of an arena that is no board are read by
//! the names of its vertices, as grids only if it has a layout. Memory: the longest line or
//! array, at most [`MAX_LINE`] bytes, and the vertices of one tour; anything that is no tour
//! is refused as soon as it shows.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::board::{Arena, Rectangle, Square};

use super::brackets::{Brackets, Row};
use super::fault::{Fault, MAX_LINE, ReadError, shown};
use super::grid::Grid;
use super::json::{JsonHead, JsonNames, JsonSquares};
use super::known::{Known, ReadOptions};
use super::loose::{is_loose, squares_of};
use super::sign::{Sign, sign};
use super::table;
use super::words::{begins_a_tour, parse_square, unknown, words};
use super::{Tour, TourFormat, TourKind, Wrong};

/// A line this long must have begun like a tour.
const PEEK: usize = 1 << 12;
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
    input: R,
    known: Known,
    line: u64,
    buffer: Vec<u8>,
    /// Whether the line in the buffer is still to be looked at.
    again: bool,
    /// Whether a CSV header was seen, and whether it has arenas.
    csv: Option<bool>,
    /// Tours of an array that was read.
    array: VecDeque<Vec<Row>>,
    /// Line and text of the first of the lines that may be a title.
    title: Option<(u64, Fault)>,
    /// Lines of titles above tours that were read.
    titles: u64,
    /// Whether each row of the grid begins with its rank.
    labelled: bool,
    finished: bool,
}

impl<R: BufRead> TourReader<R> {
    /// A reader of tours.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self {
            input,
            known: Known::new(options),
            line: 0,
            buffer: Vec::new(),
            again: false,
            csv: None,
            array: VecDeque::new(),
            title: None,
            titles: 0,
            labelled: false,
            finished: false,
        }
    }

    /// Lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.line
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
            if !self.read_line().map_err(|fault| self.here(fault))? {
                return match self.title.take() {
                    Some((line, fault)) => Err(ReadError { line, fault }),
                    None => Ok(None),
                };
            }
            let text = self.buffer.trim_ascii();
            let line = self.line;
            let found = match sign(text, self.known.graph(), self.csv.is_some()) {
                Sign::Blank | Sign::Rule | Sign::Remark => continue,
                Sign::Header(header) => {
                    let header = header.map_err(|error| self.here(error.into()))?;
                    self.csv = None;
                    self.known.header(&header).map_err(|fault| self.here(fault))?;
                    continue;
                }
                Sign::Columns { arena } => {
                    self.csv = Some(arena);
                    continue;
                }
                Sign::Files { corner } => {
                    self.labelled = corner;
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
                Sign::Names => self.line(text, None).map(|tour| (tour, TourFormat::Squares)),
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
        ReadError { line: self.line, fault }
    }

    /// Takes the line in the buffer for a title, which a tour must follow.
    fn note_title(&mut self) -> Result<(), ReadError> {
        let (line, fault) =
            self.title.take().unwrap_or_else(|| (self.line, unknown(self.buffer.trim_ascii())));
        if self.line - line >= TITLE {
            return Err(ReadError { line, fault });
        }
        self.titles += 1;
        self.title = Some((line, fault));
        Ok(())
    }

    /// Reads a line into the buffer, without its end; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, Fault> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        self.buffer.clear();
        self.line += 1;
        let mut looked = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                return Ok(!self.buffer.is_empty());
            }
            let (taken, ended) = match bytes.iter().position(|&b| b == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            self.buffer.extend_from_slice(&bytes[..taken]);
            self.input.consume(taken);
            if ended {
                self.buffer.pop();
                return Ok(true);
            }
            if self.buffer.len() > MAX_LINE {
                return Err(Fault::TooLong);
            }
            if !looked && self.buffer.len() >= PEEK {
                looked = true;
                if self.csv.is_some() {
                    kind_of_row(&self.buffer)?;
                } else if self.known.graph().is_none() && !begins_a_tour(&self.buffer) {
                    return Err(unknown(self.buffer.trim_ascii()));
                }
            }
        }
    }

    /// A tour by names on a line.
    fn line(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        match self.known.graph() {
            Some(arena) => {
                let names = words(text).map(|word| std::str::from_utf8(word).map_err(|_| shown(word)));
                self.named(arena, names, kind)
            }
            None => self.squares(text, kind),
        }
    }

    /// A tour of an arena that is no board.
    fn named<'a>(
        &self,
        arena: &Arena,
        names: impl Iterator<Item = Result<&'a str, String>>,
        kind: Option<TourKind>,
    ) -> Result<Tour, Fault> {
        let mut vertices: Vec<u32> = Vec::new();
        for name in names {
            let v = arena.vertex(name.map_err(Fault::Unknown)?)?;
            let strange = vertices.last().is_some_and(|&before| !arena.is_move(before, v));
            vertices.push(v);
            if strange || vertices.len() > arena.len() {
                break;
            }
        }
        self.known.of_kind(Tour::new(arena, vertices)?, kind)
    }

    fn squares(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        let mut squares: Vec<Square> = Vec::new();
        let board = self.known.arena().and_then(Arena::rectangle).map(Rectangle::board);
        let leaper = self.known.leaper();
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        // Whether something is wrong by now, so that what follows need not be read.
        let mut over = |square: Square| {
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let strange = squares.last().is_some_and(|&before| !leaper.joins(before, square));
            squares.push(square);
            strange
                || squares.len() as u64 > board.map_or(u64::from(rows) * u64::from(cols), |b| b.len() as u64)
        };
        'all: for word in words(text) {
            match parse_square(word) {
                Ok(square) if !is_loose(word) => {
                    if over(square) {
                        break;
                    }
                }
                _ => {
                    for square in squares_of(word) {
                        if over(square?) {
                            break 'all;
                        }
                    }
                }
            }
        }
        self.tour(squares, kind)
    }

    /// Checks squares on the known board, or on the smallest rectangle.
    fn tour(&self, squares: Vec<Square>, kind: Option<TourKind>) -> Result<Tour, Fault> {
        let (arena, told) = match self.known.arena() {
            Some(arena) => (arena.clone(), false),
            None => (self.known.board_of(&squares)?, true),
        };
        match Tour::from_squares(&arena, squares) {
            Ok(tour) => self.known.of_kind(tour, kind),
            Err(error) if told && matches!(error.wrong(), Wrong::Incomplete { .. }) => {
                Err(Fault::Holes(error))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn csv_row(&mut self) -> Result<Tour, Fault> {
        let text = self.buffer.trim_ascii();
        let (kind, mut squares) = kind_of_row(text)?;
        if self.csv == Some(true) {
            let (names, arena) = arena_of_row(squares)?;
            self.known.enter(arena)?;
            squares = names;
        }
        self.line(squares, Some(kind))
    }

    fn json(&mut self) -> Result<Tour, Fault> {
        let text = self.buffer.trim_ascii();
        let head = JsonHead::read(text)?;
        if let Some(arena) = &head.arena {
            self.known.enter(arena)?;
        }
        match self.known.graph() {
            Some(arena) => {
                let names = JsonNames::<Vec<String>>::read(text)?.squares;
                self.named(arena, names.iter().map(|name| Ok(name.as_str())), head.kind)
            }
            None => self.tour(JsonNames::<JsonSquares>::read(text)?.squares.0, head.kind),
        }
    }

    /// A grid from the line in the buffer on.
    fn grid(&mut self) -> Result<Tour, ReadError> {
        let mut grid = Grid::new(self.known.arena().cloned()).map_err(|fault| self.here(fault))?;
        loop {
            let text = self.buffer.trim_ascii();
            let added = if table::has_bar(text) {
                grid.row(&table::row(text, self.labelled), self.line)
            } else {
                grid.row(text, self.line)
            };
            added.map_err(|fault| self.here(fault))?;
            // Lines of a table that only draw are passed over.
            let more = loop {
                if !self.read_line().map_err(|fault| self.here(fault))? {
                    break false;
                }
                match sign(self.buffer.trim_ascii(), self.known.graph(), false) {
                    Sign::Rule => {}
                    Sign::Blank | Sign::Remark | Sign::Files { .. } => break false,
                    Sign::Header(_) | Sign::Title | Sign::Columns { .. } => {
                        self.again = true;
                        break false;
                    }
                    // What is no row is told by the grid.
                    _ => break true,
                }
            };
            if !more {
                break;
            }
        }
        self.labelled = false;
        let (tour, line) = grid.finish(&self.known)?;
        self.known.of_kind(tour, None).map_err(|fault| ReadError { line, fault })
    }

    /// Reads an array from the line in the buffer on.
    fn array(&mut self) -> Result<(), ReadError> {
        let first = self.line;
        let mut brackets = Brackets::default();
        while !brackets.line(self.buffer.trim_ascii(), self.line).map_err(|fault| self.here(fault))? {
            if !self.read_line().map_err(|fault| self.here(fault))? {
                return Err(ReadError { line: first, fault: Fault::Array("its brackets are not closed") });
            }
        }
        self.array.extend(brackets.tours());
        Ok(())
    }

    /// A tour of an array: rows of numbers, or one line of squares.
    fn of_array(&mut self, rows: &[Row]) -> Result<Located, ReadError> {
        let line = rows[0].0;
        let located = match rows {
            [(_, text)] if text.iter().any(u8::is_ascii_alphabetic) => {
                let tour = self.line(text, None).map_err(|fault| ReadError { line, fault })?;
                Located { tour, line, format: TourFormat::Squares }
            }
            _ => {
                let mut grid =
                    Grid::new(self.known.arena().cloned()).map_err(|fault| ReadError { line, fault })?;
                for (line, text) in rows {
                    grid.row(text, *line).map_err(|fault| ReadError { line: *line, fault })?;
                }
                let (tour, line) = grid.finish(&self.known)?;
                let tour = self.known.of_kind(tour, None).map_err(|fault| ReadError { line, fault })?;
                Located { tour, line, format: TourFormat::Grid }
            }
        };
        self.known.remember(&located.tour);
        Ok(located)
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

/// The kind that a row of CSV says, and what follows it.
fn kind_of_row(text: &[u8]) -> Result<(TourKind, &[u8]), Fault> {
    let mut columns = text.splitn(2, |&b| b == b',');
    let (Some(kind), Some(rest)) = (columns.next(), columns.next()) else { return Err(Fault::Csv) };
    let is_it = |said: &TourKind| said.name().as_bytes() == kind;
    let kind = TourKind::ALL.into_iter().find(is_it).ok_or_else(|| Fault::Kind(shown(kind)))?;
    Ok((kind, rest))
}

/// Squares and arena of a row of CSV. The arena is quoted, or has no comma.
fn arena_of_row(text: &[u8]) -> Result<(&[u8], &str), Fault> {
    let at = match text.strip_suffix(b"\"") {
        Some(quoted) => quoted.windows(2).rposition(|pair| pair == b",\""),
        None => text.iter().rposition(|&b| b == b','),
    };
    let at = at.ok_or(Fault::CsvArena)?;
    let arena = std::str::from_utf8(&text[at + 1..]).map_err(|_| Fault::CsvArena)?;
    Ok((&text[..at], arena.trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Given, Graph, Layout};
    use crate::tour::{Kind, TourWriter};

    /// A ring of six, in two rows.
    fn ring(names: Option<[&str; 6]>) -> Arena {
        let ring = Given::new(Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6))));
        let places = ["a1", "b1", "c1", "c2", "b2", "a2"].map(|name| name.parse().unwrap()).to_vec();
        match names {
            None => Arena::new(ring),
            Some(names) => Arena::new(ring.named(names).unwrap().placed(Layout::new(2, 3, places)).unwrap()),
        }
    }

    fn read(arena: &Arena, text: &[u8]) -> Result<Vec<Tour>, String> {
        let options = ReadOptions { arena: Some(arena.clone()), ..ReadOptions::default() };
        let tours = TourReader::new(text, options);
        tours.map(|found| found.map(|found| found.tour).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn graphs_are_read_as_they_are_written() {
        use TourFormat::{Csv, Grid, Ndjson, Squares};
        for names in [None, Some(["u", "v", "w", "x", "y", "z"]), Some(["2", "3", "5", "7", "11", "13"])] {
            let arena = ring(names);
            let tour = Tour::new(&arena, vec![2, 3, 4, 5, 0, 1]).unwrap();
            for format in [Squares, Csv, Ndjson, Grid] {
                let Ok(writer) = TourWriter::new(&arena, format, 1) else {
                    assert!(format == Grid && names.is_none());
                    continue;
                };
                let mut text = writer.header(Kind::Paths).into_bytes();
                for i in 0..2 {
                    text.extend_from_slice(if i > 0 { writer.separator().as_bytes() } else { b"" });
                    writer.write(&mut text, tour.kind(), tour.vertices());
                }
                assert_eq!(read(&arena, &text), Ok(vec![tour.clone(), tour.clone()]), "{format:?}");
            }
        }
    }

    #[test]
    fn faults_on_a_graph_are_told_by_its_names() {
        let arena = ring(Some(["u", "v", "w", "x", "y", "z"]));
        for (text, says) in [
            ("u v q", "line 1: `q` is not a vertex of the graph"),
            ("u w", "line 1: move 1, u to w, is not a move of the graph"),
            ("u v w x y", "line 1: the tour has 5 of the graph's 6 vertices; z is the first one missing"),
            ("kind,squares\nopen,u v w x y z", "line 2: the tour says it is open, but it is re-entrant"),
            ("6 5 4\n1 3 2\n", "line 2: move 1, u to w, is not a move of the graph"),
            (
                "3 4 5\n2 1 .\n",
                "line 2: the tour has 5 of the graph's 6 vertices; w is the first one missing",
            ),
        ] {
            let error = read(&arena, text.as_bytes()).unwrap_err();
            assert_eq!(error, says, "{text}");
        }
    }
}
