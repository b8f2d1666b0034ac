//! The lines of a file, with push-back and a bound on their length.
//!
//! Words of a line of tours.
//!
//! Cells of a row of a number grid: numbers, removed squares and empty cells.

use std::collections::VecDeque;
use std::io;
use std::io::BufRead;

use super::box_layers::BoxLayers;
use crate::board::{Board, ParseSquareError, Square};
use crate::tour::read_error::{MAX_LINE_BYTES, ReadErrorKind, printable_excerpt};
use crate::tour::vertex_positions::VertexPositions;

/// Byte order mark with which some editors and spreadsheets begin a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First byte of an escape sequence of a terminal.
const ESCAPE_BYTE: u8 = 0x1b;

/// Length in bytes from which a line must have begun like a tour.
const PEEK_BYTES: usize = 1 << 12;

/// Reads lines one at a time.
#[derive(Debug)]
pub(in crate::tour) struct LineSource<R> {
    input: R,
    number: u64,
    /// Number of lines taken from the input.
    lines_taken: u64,
    buffer: Vec<u8>,
    /// True if the current line is to be returned again.
    is_pushed_back: bool,
    /// True if the current line comes from the input for the first time.
    is_fresh: bool,
    /// Pending lines before the rest of the input: number, text, and whether each counts as fresh from the
    /// input.
    pending: VecDeque<(u64, Vec<u8>, bool)>,
}

impl<R: BufRead> LineSource<R> {
    pub(in crate::tour) fn new(input: R) -> Self {
        let (buffer, ahead) = (Vec::new(), VecDeque::new());
        Self {
            input,
            number: 0,
            lines_taken: 0,
            buffer,
            is_pushed_back: false,
            is_fresh: false,
            pending: ahead,
        }
    }

    /// Returns the number of the current line, from 1.
    pub(in crate::tour) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of lines taken from the input.
    pub(in crate::tour) const fn lines_taken(&self) -> u64 {
        self.lines_taken
    }

    /// Returns the current line unchanged, without its line end.
    pub(in crate::tour) fn raw(&self) -> &[u8] {
        self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer)
    }

    /// Returns the current line without surrounding blanks.
    pub(in crate::tour) fn text(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    /// Pushes the current line back.
    pub(in crate::tour) const fn push_back(&mut self) {
        self.is_pushed_back = true;
    }

    /// Pushes the current line back; it will count as fresh from the input.
    pub(in crate::tour) fn push_back_fresh(&mut self) {
        self.pending.push_front((self.number, std::mem::take(&mut self.buffer), true));
    }

    /// Pushes back the current line, and before it the previous one (`number` and `text`), which becomes the
    /// current line.
    pub(in crate::tour) fn push_back_two(&mut self, number: u64, text: Vec<u8>) {
        let number = std::mem::replace(&mut self.number, number);
        self.pending.push_front((number, std::mem::replace(&mut self.buffer, text), false));
        self.is_pushed_back = true;
    }

    /// Inserts lines before the rest of the input.
    pub(in crate::tour) fn insert_lines(&mut self, lines: Vec<(u64, Vec<u8>)>) {
        for (number, text) in lines.into_iter().rev() {
            self.pending.push_front((number, text, false));
        }
    }

    /// Advances to the next pending line; returns false if there is none.
    pub(in crate::tour) fn next_pending(&mut self) -> bool {
        let Some((number, text, is_fresh)) = self.pending.pop_front() else { return false };
        (self.number, self.buffer, self.is_fresh) = (number, text, is_fresh);
        true
    }

    /// Returns true for a line fresh from the input, false for a pushed-back or inserted one.
    pub(in crate::tour) const fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Removes escape sequences such as `ESC [ 1 ; 31 m`, which set colours of a terminal.
    fn remove_colours(&mut self) {
        if !self.buffer.contains(&ESCAPE_BYTE) {
            return;
        }
        let mut rest = std::mem::take(&mut self.buffer);
        while let Some(at) = rest.windows(2).position(|pair| pair == [ESCAPE_BYTE, b'[']) {
            let more = &rest[at + 2..];
            let length = more.iter().take_while(|b| (0x20..0x40).contains(*b)).count();
            // An unfinished sequence stays.
            let is_whole = more.get(length).is_some_and(|b| (0x40..0x7f).contains(b));
            self.buffer.extend_from_slice(&rest[..if is_whole { at } else { at + 2 }]);
            rest.drain(..at + 2 + if is_whole { length + 1 } else { 0 });
        }
        self.buffer.append(&mut rest);
    }

    /// Advances to the next line; returns false at the end of the file. `begins` checks the start of a long
    /// line before the rest is read.
    pub(in crate::tour) fn next(
        &mut self,
        begins: impl Fn(&[u8]) -> Result<(), ReadErrorKind>,
    ) -> Result<bool, ReadErrorKind> {
        self.is_fresh = false;
        if std::mem::take(&mut self.is_pushed_back) {
            return Ok(true);
        }
        if self.next_pending() {
            return Ok(true);
        }
        self.is_fresh = true;
        self.buffer.clear();
        self.lines_taken += 1;
        self.number = self.lines_taken;
        let mut looked = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                self.remove_colours();
                return Ok(!self.buffer.is_empty());
            }
            let (taken, ended) = match bytes.iter().position(|&b| b == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            self.buffer.extend_from_slice(&bytes[..taken]);
            self.input.consume(taken);
            if self.lines_taken == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
            if ended {
                self.buffer.pop();
                self.remove_colours();
                return Ok(true);
            }
            if self.buffer.len() > MAX_LINE_BYTES {
                return Err(ReadErrorKind::LineTooLong);
            }
            if !looked && self.buffer.len() >= PEEK_BYTES {
                looked = true;
                begins(&self.buffer)?;
            }
        }
    }
}

/// Splits a line into words at blanks and commas.
pub(in crate::tour) fn split_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty())
}

/// Parses the name of a square.
pub(in crate::tour) fn parse_square(word: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if word.len() <= 16 { std::str::from_utf8(word).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not text, or far too long: the parser reports a readable substitute.
        None => printable_excerpt(word).parse::<Square>(),
    }
}

/// Returns the vertex with a name.
pub(in crate::tour) fn parse_vertex(board: &Board, word: &[u8]) -> Result<u32, ReadErrorKind> {
    let name =
        std::str::from_utf8(word).map_err(|_| ReadErrorKind::UnrecognisedLine(printable_excerpt(word)))?;
    Ok(board.vertex(name)?)
}

/// Returns true if a line is the row of a grid and not a tour by names. Names may be numbers as well. If the
/// board has a layout, its rows have as many numbers as columns, or as the columns of one layer, or as those
/// of all layers without the gaps.
pub(in crate::tour) fn is_grid_row(board: &Board, text: &[u8]) -> bool {
    let is_cell = |word: &[u8]| matches!(word, b"." | b"-") || word.iter().all(u8::is_ascii_digit);
    VertexPositions::of_board(board).is_ok_and(|positions| {
        let found = split_words(text).count();
        let is_layered = |layers: BoxLayers| found == layers.cols || found == layers.count * layers.cols;
        let fits = found == usize::from(positions.cols())
            || BoxLayers::from_positions(&positions).is_some_and(is_layered);
        let may_be =
            || fits && found != board.len() || is_list_of_all_squares(board, found, &positions, text);
        split_words(text).all(is_cell) && may_be()
    })
}

/// Returns true if a line has one number for each square of a rectangle, row by row, and none of them is a
/// vertex name.
fn is_list_of_all_squares(board: &Board, found: usize, positions: &VertexPositions<'_>, text: &[u8]) -> bool {
    let is_name = |word: &[u8]| parse_vertex(board, word).is_ok();
    found == usize::from(positions.rows()) * usize::from(positions.cols()) && !split_words(text).any(is_name)
}

/// First bytes of image files: SVG, PNG, JPEG, GIF.
const IMAGE_SIGNATURES: [&[u8]; 4] = [b"<svg", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"];

/// Returns the error for a line that fits no format.
pub(in crate::tour) fn unrecognised_line(text: &[u8]) -> ReadErrorKind {
    // `(0,0),(1,2)`: no other format begins like this.
    let digits =
        text.strip_prefix(b"(").map(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit));
    if digits == Some(true) && text.contains(&b',') {
        ReadErrorKind::Coordinates
    } else if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        ReadErrorKind::Utf16
    } else if IMAGE_SIGNATURES.iter().any(|begins| text.starts_with(begins)) {
        ReadErrorKind::ImageFile
    } else if let Some(word) = split_words(text).next().filter(|word| is_box_square(word)) {
        ReadErrorKind::BoxSquare(printable_excerpt(word))
    } else if text.first() == Some(&b'<')
        && text.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'!')
    {
        ReadErrorKind::Html(printable_excerpt(text))
    } else {
        ReadErrorKind::UnrecognisedLine(printable_excerpt(text))
    }
}

/// Returns true if a word names a square of a box: `a1.2`.
pub(in crate::tour) fn is_box_square(word: &[u8]) -> bool {
    let point = word.iter().position(|&b| b == b'.').unwrap_or(0);
    let (square, layer) = word.split_at(point);
    parse_square(square).is_ok() && layer.len() > 1 && layer[1..].iter().all(u8::is_ascii_digit)
}

/// A removed square.
pub(in crate::tour) const HOLE: u32 = u32::MAX;
/// A removed square, or the gap between two layers of a box: `-`.
pub(in crate::tour) const LAYER_GAP: u32 = u32::MAX - 1;
/// An empty cell of a table: a removed square, or no square if its whole column is empty.
pub(in crate::tour) const EMPTY_CELL: u32 = u32::MAX - 2;

/// Returns true if a cell has a number.
pub(in crate::tour) const fn is_number(cell: u32) -> bool {
    cell < EMPTY_CELL
}

/// Parses the cells of a row, separated by blanks or commas; two consecutive commas enclose an empty cell.
pub(in crate::tour) fn parse_cells(text: &[u8]) -> impl Iterator<Item = Result<u32, ReadErrorKind>> {
    let fields = text.split(|&b| b == b',');
    let tokens = fields.flat_map(|field| {
        let is_empty = field.trim_ascii().is_empty();
        let words = field.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        is_empty.then_some(&b""[..]).into_iter().chain(words)
    });
    tokens.map(|token| match token {
        b"." => Ok(HOLE),
        b"-" => Ok(LAYER_GAP),
        b"" => Ok(EMPTY_CELL),
        _ => parse_number(token).ok_or_else(|| ReadErrorKind::NotANumber(printable_excerpt(token))),
    })
}

/// Parses the cells of a row; an invalid cell counts as a removed square.
pub(in crate::tour) fn parse_cells_or_holes(text: &[u8]) -> Vec<u32> {
    parse_cells(text).map(|cell| cell.unwrap_or(HOLE)).collect()
}

fn parse_number(token: &[u8]) -> Option<u32> {
    if token.len() > 10 || !token.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = token.iter().fold(0u64, |value, &b| value * 10 + u64::from(b - b'0'));
    u32::try_from(value).ok().filter(|&value| is_number(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_skips_byte_order_mark() {
        for (text, first) in [("\u{feff}a1 b3\nb", "a1 b3"), ("\u{feff}", ""), ("a\u{feff}", "a\u{feff}")] {
            // The mark is recognised even if the input arrives byte by byte.
            let input = std::io::BufReader::with_capacity(1, text.as_bytes());
            let mut lines = LineSource::new(input);
            assert_eq!(lines.next(|_| Ok(())).unwrap(), !first.is_empty(), "{text:?}");
            assert_eq!(lines.text(), first.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn next_removes_terminal_colours() {
        for (text, line) in [
            ("\x1b[31m1\x1b[0m 4 \x1b[1;38;5;12m7\x1b[m\x1b[K\n", "1 4 7"),
            ("\x1b[2J\x1b[Ha1 b3", "a1 b3"),
            ("a1\x1b[31", "a1\x1b[31"),
            ("a1\x1bb3", "a1\x1bb3"),
        ] {
            let mut lines = LineSource::new(text.as_bytes());
            assert!(lines.next(|_| Ok(())).unwrap());
            assert_eq!(lines.text(), line.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn next_returns_pushed_back_lines() {
        let mut lines = LineSource::new(&b" a \n\nb"[..]);
        let next = |lines: &mut LineSource<&[u8]>| lines.next(|_| Ok(())).unwrap();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        lines.push_back();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        assert!(next(&mut lines) && lines.text().is_empty());
        lines.push_back_two(1, b"a".to_vec());
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (1, b"a"));
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (2, b""));
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (3, &b"b"[..]));
        assert!(!next(&mut lines));
        let long = vec![b'x'; 2 * PEEK_BYTES];
        assert!(LineSource::new(&long[..]).next(|_| Err(ReadErrorKind::CsvColumns)).is_err());
    }
}

#[cfg(test)]
mod tokens_tests {
    use super::*;
    use crate::board::{CustomGraph, Graph, Layout};

    #[test]
    fn is_grid_row_rejects_names() {
        let path = CustomGraph::new(Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)]));
        let places = ["a1", "b1", "b2", "a2"].map(|name| name.parse().unwrap()).to_vec();
        let placed = Board::new(path.clone().with_layout(Layout::new(2, 2, places)).unwrap());
        assert!(is_grid_row(&placed, b"4 3") && is_grid_row(&placed, b".,3"));
        assert!(!is_grid_row(&placed, b"1 2 3 4") && !is_grid_row(&placed, b"a b"));
        assert!(!is_grid_row(&Board::new(path), b"4 3"));
    }
}

#[cfg(test)]
mod cells_tests {
    use super::*;

    #[test]
    fn parse_cells_splits_at_blanks_and_commas() {
        let read = |text: &str| parse_cells(text.as_bytes()).collect::<Result<Vec<u32>, _>>().ok();
        assert_eq!(read("12 . -  3"), Some(vec![12, HOLE, LAYER_GAP, 3]));
        assert_eq!(read("1, 4,,7,"), Some(vec![1, 4, EMPTY_CELL, 7, EMPTY_CELL]));
        for wrong in ["1 x", "4294967293", "-1", "12345678901"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
