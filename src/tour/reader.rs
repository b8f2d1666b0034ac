//! Reading tours: every format that is written, and plain number grids.
//!
//! One tour at a time, so a file may be of any length. The format is seen from
//! the first sign of a line, and may change from tour to tour:
//!
//! ```text
//! a1 b3 d2 ...            squares, one tour a line
//! kind,squares            a CSV header; what follows is CSV
//! {"squares":["a1",...    JSON, one tour a line
//! 3 8 5 10                a number grid down to the next blank line; numbers
//! . 7 2 11                begin at 0 or 1; `.` or `-` is a removed square
//! # ...                   a remark
//! ```
//!
//! Without an arena the first tour tells: a grid by its shape, squares by the
//! smallest rectangle that holds them. The tours after it must be of the same
//! board, unless mixed boards are allowed. Tours of an arena that is no board are read by
//! the names of its vertices, as grids only if it has a layout. Memory: the longest line,
//! at most [`MAX_LINE`] bytes, and the vertices of one tour; anything that is no tour is
//! refused as soon as it shows.

use std::io::{self, BufRead};

use crate::board::{Arena, Board, BoardError, Leaper, Square};

use super::fault::{Fault, MAX_LINE, ReadError, shown};
use super::grid::Grid;
use super::json::{JsonSquares, JsonTour};
use super::words::{begins_a_tour, is_row_of, parse_square, unknown, words};
use super::{Tour, TourError, TourFormat, TourKind};

/// A line this long must have begun like a tour.
const PEEK: usize = 1 << 12;
/// The first line of a CSV file of tours.
const CSV_HEADER: &[u8] = b"kind,squares";

/// What is known of the tours beforehand.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// What they are tours of; told by the first tour if missing.
    pub arena: Option<Arena>,
    /// The piece on boards that tours tell.
    pub leaper: Leaper,
    /// Whether each tour may have its own board.
    pub mixed: bool,
}

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
    options: ReadOptions,
    line: u64,
    buffer: Vec<u8>,
    /// Whether a CSV header was seen.
    csv: bool,
    finished: bool,
}

impl<R: BufRead> TourReader<R> {
    /// A reader of tours.
    pub fn new(input: R, options: ReadOptions) -> Self {
        Self { input, options, line: 0, buffer: Vec::new(), csv: false, finished: false }
    }

    /// Lines read so far.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.line
    }

    fn read(&mut self) -> Result<Option<Located>, ReadError> {
        loop {
            if !self.read_line().map_err(|fault| self.here(fault))? {
                return Ok(None);
            }
            let text = self.buffer.trim_ascii();
            let line = self.line;
            let (found, format) = match text.first() {
                None | Some(b'#') => continue,
                _ if text == CSV_HEADER => {
                    self.csv = true;
                    continue;
                }
                Some(b'{') => (self.json(), TourFormat::Ndjson),
                _ if self.csv => (self.csv_row(), TourFormat::Csv),
                Some(_) if self.graph().is_some_and(|arena| !is_row_of(arena, text)) => {
                    (self.line(text, None), TourFormat::Squares)
                }
                Some(b) if b.is_ascii_alphabetic() => (self.line(text, None), TourFormat::Squares),
                Some(b) if b.is_ascii_digit() || matches!(b, b'.' | b'-') => {
                    return self.grid().map(|tour| Some(Located { tour, line, format: TourFormat::Grid }));
                }
                Some(_) => (Err(unknown(text)), TourFormat::Squares),
            };
            let tour = found.map_err(|fault| self.here(fault))?;
            self.remember(&tour);
            return Ok(Some(Located { tour, line, format }));
        }
    }

    fn here(&self, fault: Fault) -> ReadError {
        ReadError { line: self.line, fault }
    }

    fn remember(&mut self, tour: &Tour) {
        if self.options.arena.is_none() && !self.options.mixed {
            self.options.arena = Some(tour.arena().clone());
        }
    }

    /// The arena, if it is known and no board.
    fn graph(&self) -> Option<&Arena> {
        self.options.arena.as_ref().filter(|arena| arena.rectangle().is_none())
    }

    /// Reads a line into the buffer, without its end; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, Fault> {
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
                if self.csv {
                    kind_of_row(&self.buffer)?;
                } else if self.graph().is_none() && !begins_a_tour(&self.buffer) {
                    return Err(unknown(self.buffer.trim_ascii()));
                }
            }
        }
    }

    /// A tour by names on a line.
    fn line(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        match self.graph() {
            Some(arena) => {
                let names = words(text).map(|word| std::str::from_utf8(word).map_err(|_| shown(word)));
                Self::named(arena, names, kind)
            }
            None => self.squares(text, kind),
        }
    }

    /// A tour of an arena that is no board.
    fn named<'a>(
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
        of_kind(Tour::new(arena, vertices), kind)
    }

    fn squares(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        let mut squares: Vec<Square> = Vec::new();
        let board = self.options.arena.as_ref().and_then(Arena::rectangle);
        let leaper = board.map_or(self.options.leaper, |rectangle| rectangle.leaper());
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        for word in words(text) {
            let square = parse_square(word)?;
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let strange = squares.last().is_some_and(|&before| !leaper.joins(before, square));
            squares.push(square);
            let room = match board {
                Some(rectangle) => rectangle.board().len() as u64,
                None => u64::from(rows) * u64::from(cols),
            };
            if strange || squares.len() as u64 > room {
                // Something is wrong by now; no need to read what follows.
                break;
            }
        }
        self.tour(squares, kind)
    }

    /// Checks squares on the known board, or on the smallest rectangle.
    fn tour(&self, squares: Vec<Square>, kind: Option<TourKind>) -> Result<Tour, Fault> {
        let arena = match &self.options.arena {
            Some(arena) => arena.clone(),
            None => {
                let rows = squares.iter().map(|square| square.rank()).max().unwrap_or(0);
                let cols = squares.iter().map(|square| square.file()).max().unwrap_or(0);
                let side =
                    |last: u16| last.checked_add(1).ok_or_else(|| BoardError::TooLarge("65536".to_owned()));
                Arena::board(Board::new(side(rows)?, side(cols)?)?, self.options.leaper)
            }
        };
        of_kind(Tour::from_squares(&arena, squares), kind)
    }

    fn csv_row(&self) -> Result<Tour, Fault> {
        let text = self.buffer.trim_ascii();
        let (kind, squares) = kind_of_row(text)?;
        self.line(squares, Some(kind))
    }

    fn json(&self) -> Result<Tour, Fault> {
        let text = self.buffer.trim_ascii();
        match self.graph() {
            Some(arena) => {
                let found: JsonTour<Vec<String>> = JsonTour::read(text)?;
                Self::named(arena, found.squares.iter().map(|name| Ok(name.as_str())), found.kind)
            }
            None => {
                let found: JsonTour<JsonSquares> = JsonTour::read(text)?;
                self.tour(found.squares.0, found.kind)
            }
        }
    }

    /// A grid from the line in the buffer on.
    fn grid(&mut self) -> Result<Tour, ReadError> {
        let mut grid = Grid::new(self.options.arena.clone()).map_err(|fault| self.here(fault))?;
        loop {
            grid.row(self.buffer.trim_ascii(), self.line).map_err(|fault| self.here(fault))?;
            if !self.read_line().map_err(|fault| self.here(fault))? {
                break;
            }
            let text = self.buffer.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                break;
            }
        }
        let tour = grid.finish(self.options.leaper)?;
        self.remember(&tour);
        Ok(tour)
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

/// The kind that a row of CSV says, and its squares.
fn kind_of_row(text: &[u8]) -> Result<(TourKind, &[u8]), Fault> {
    let mut columns = text.splitn(2, |&b| b == b',');
    let (Some(kind), Some(squares)) = (columns.next(), columns.next()) else { return Err(Fault::Csv) };
    let is_it = |said: &TourKind| said.name().as_bytes() == kind;
    let kind = TourKind::ALL.into_iter().find(is_it).ok_or_else(|| Fault::Kind(shown(kind)))?;
    Ok((kind, squares))
}

/// A tour of the kind that it says it is; lines of squares say nothing.
fn of_kind(found: Result<Tour, TourError>, kind: Option<TourKind>) -> Result<Tour, Fault> {
    let tour = found?;
    match kind {
        Some(TourKind::Closed) => Ok(tour.into_closed()?),
        Some(kind) if kind != tour.kind() => {
            Err(Fault::OtherKind { said: kind.name(), is: tour.kind().name() })
        }
        _ => Ok(tour),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Given, Graph, Layout};
    use crate::tour::TourWriter;

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
                let mut text = writer.header().as_bytes().to_vec();
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
