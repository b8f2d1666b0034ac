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
//! Without a board the first tour tells: a grid by its shape, squares by the
//! smallest rectangle that holds them. The tours after it must be of the same
//! board, unless mixed boards are allowed. Memory: the longest line, at most
//! [`MAX_LINE`] bytes, and the squares of one tour; anything that is no tour is
//! refused as soon as it shows.

use std::io::{self, BufRead};

use crate::board::{Board, BoardError, Leaper, ParseSquareError, Square};

use super::fault::{Fault, MAX_LINE, ReadError, shown};
use super::grid::Grid;
use super::{Tour, TourFormat, TourKind};

/// A line this long must have begun like a tour.
const PEEK: usize = 1 << 12;
/// The first line of a CSV file of tours.
const CSV_HEADER: &[u8] = b"kind,squares";

/// What is known of the tours beforehand.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The board; told by the first tour if missing.
    pub board: Option<Board>,
    /// The piece.
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
                Some(b) if b.is_ascii_alphabetic() => (self.squares(text, None), TourFormat::Squares),
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
        if self.options.board.is_none() && !self.options.mixed {
            self.options.board = Some(tour.board().clone());
        }
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
                if !begins_a_tour(&self.buffer) {
                    return Err(unknown(self.buffer.trim_ascii()));
                }
            }
        }
    }

    fn squares(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        let mut squares: Vec<Square> = Vec::new();
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        for token in text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|token| !token.is_empty()) {
            let square = parse_square(token)?;
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let strange = squares.last().is_some_and(|&before| !is_move(self.options.leaper, before, square));
            squares.push(square);
            let room = match &self.options.board {
                Some(board) => board.len() as u64,
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
        let board = match &self.options.board {
            Some(board) => board.clone(),
            None => {
                let rows = squares.iter().map(|square| square.rank()).max().unwrap_or(0);
                let cols = squares.iter().map(|square| square.file()).max().unwrap_or(0);
                let side =
                    |last: u16| last.checked_add(1).ok_or_else(|| BoardError::TooLarge("65536".to_owned()));
                Board::new(side(rows)?, side(cols)?)?
            }
        };
        if kind == Some(TourKind::Closed) {
            return Ok(Tour::new_closed(board, self.options.leaper, squares)?);
        }
        let tour = Tour::new(board, self.options.leaper, squares)?;
        match kind {
            Some(kind) if kind != tour.kind() => {
                Err(Fault::OtherKind { said: kind.name(), is: tour.kind().name() })
            }
            _ => Ok(tour),
        }
    }

    fn csv_row(&self) -> Result<Tour, Fault> {
        let text = self.buffer.trim_ascii();
        let mut columns = text.splitn(2, |&b| b == b',');
        let (Some(kind), Some(squares)) = (columns.next(), columns.next()) else { return Err(Fault::Csv) };
        let kind = match kind {
            b"closed" => TourKind::Closed,
            b"open" => TourKind::Open,
            b"re-entrant" => TourKind::ReEntrant,
            other => return Err(Fault::Kind(shown(other))),
        };
        self.squares(squares, Some(kind))
    }

    fn json(&self) -> Result<Tour, Fault> {
        let line: JsonTour = serde_json::from_slice(self.buffer.trim_ascii()).map_err(|error| {
            let text = error.to_string().replace(" at line 1 column ", " in column ");
            Fault::Json(text.chars().take(200).collect::<String>().escape_debug().to_string())
        })?;
        self.tour(line.squares.0, line.kind)
    }

    /// A grid from the line in the buffer on.
    fn grid(&mut self) -> Result<Tour, ReadError> {
        let mut grid = Grid::new(self.options.board.clone());
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

#[derive(serde::Deserialize)]
struct JsonTour {
    #[serde(default)]
    kind: Option<TourKind>,
    squares: JsonSquares,
}

struct JsonSquares(Vec<Square>);

impl<'de> serde::Deserialize<'de> for JsonSquares {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> serde::de::Visitor<'de> for Names {
            type Value = JsonSquares;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of square names")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
                let mut squares = Vec::new();
                while let Some(name) = names.next_element::<std::borrow::Cow<'de, str>>()? {
                    squares.push(parse_square(name.as_bytes()).map_err(serde::de::Error::custom)?);
                }
                Ok(JsonSquares(squares))
            }
        }
        deserializer.deserialize_seq(Names)
    }
}

/// Whether the leaper gets from one square to the other in one move.
fn is_move(leaper: Leaper, from: Square, to: Square) -> bool {
    let (right, up) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
    (right.min(up), right.max(up)) == (leaper.short(), leaper.long())
}

fn parse_square(token: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if token.len() <= 16 { std::str::from_utf8(token).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not even characters, or far too many: let the parser name a readable stand-in.
        None => shown(token).parse::<Square>(),
    }
}

/// Whether a long line's beginning can be that of a tour.
fn begins_a_tour(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let token = text.split(|b| b.is_ascii_whitespace() || *b == b',').next().unwrap_or_default();
    match text.first() {
        None | Some(b'{' | b'#' | b'.' | b'-') => true,
        Some(b) if b.is_ascii_digit() => token.len() <= 20 && token.iter().all(u8::is_ascii_digit),
        _ => parse_square(token).is_ok(),
    }
}

fn unknown(text: &[u8]) -> Fault {
    Fault::Unknown(shown(text))
}
