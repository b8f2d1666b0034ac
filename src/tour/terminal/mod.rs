//! Tours on a terminal: lines of braille dots, or numbers in boxes.
//!
//! ```text
//! Tour -> braille, boxes -> Picture (characters with colours) -> text, with or without colour
//!                             |  ^
//!                             +--+ beside one another, as wide as the terminal
//! ```
//!
//! Start and end are marked, `●` and `◆`; a closed tour has no end. Holes are shaded, layers of a box stand apart.

mod boxes;
mod braille;
mod heat;

use std::fmt::{self, Write};

use crate::board::Square;

use super::Palette;
use super::places::NoLayout;
pub use boxes::boxes;
pub use braille::braille;
pub use heat::heat_on_terminal;

const START: char = '●';
const END: char = '◆';
/// What is no square of the board.
const HOLE: char = '░';
/// Columns between pictures beside one another.
const BETWEEN: usize = 2;

/// What a picture on a terminal is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns of the terminal; no picture is wider.
    pub width: usize,
    /// The first move number.
    pub number_from: u64,
    /// Its colours.
    pub palette: Palette,
}

impl Default for TerminalStyle {
    /// For a terminal of 80 columns.
    fn default() -> Self {
        Self { width: 80, number_from: 1, palette: Palette::default() }
    }
}

/// Why there is no picture on a terminal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// It would not fit.
    #[error("{title} needs {needs} columns, there are {width}")]
    TooWide {
        /// The board.
        title: String,
        /// Columns that it takes at least.
        needs: usize,
        /// Columns of the terminal.
        width: usize,
    },
    /// Nobody knows where the vertices lie.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
}

/// A character and its colour, one of a terminal's 256; bold if it is a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbol {
    char: char,
    colour: Option<u8>,
}

impl Symbol {
    const BLANK: Self = Self { char: ' ', colour: None };
}

/// Lines of characters, in colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    lines: Vec<Vec<Symbol>>,
}

impl Picture {
    /// Columns of the widest line.
    #[must_use]
    pub fn width(&self) -> usize {
        self.lines.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How many lines there are.
    fn height(&self) -> usize {
        self.lines.len()
    }

    /// Puts a picture to the right of this one if both fit into so many columns; otherwise gives it back.
    ///
    /// # Errors
    /// The picture, if they do not fit.
    pub fn beside(&mut self, other: Self, width: usize) -> Result<(), Self> {
        let left = self.width() + BETWEEN;
        if left + other.width() > width {
            return Err(other);
        }
        let lines = self.lines.len().max(other.lines.len());
        self.lines.resize(lines, Vec::new());
        for (line, more) in self.lines.iter_mut().zip(other.lines) {
            line.resize(left, Symbol::BLANK);
            line.extend(more);
        }
        Ok(())
    }

    /// Adds text at the end of a line, without colour.
    fn put(&mut self, line: usize, text: &str) {
        self.put_coloured(line, text, None);
    }

    fn put_coloured(&mut self, line: usize, text: &str, colour: Option<u8>) {
        if self.lines.len() <= line {
            self.lines.resize(line + 1, Vec::new());
        }
        self.lines[line].extend(text.chars().map(|char| Symbol { char, colour }));
    }

    /// The text, with the escape sequences of a terminal of 256 colours if wanted.
    #[must_use]
    pub fn text(&self, colour: bool) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let end = line.iter().rposition(|sign| sign.char != ' ').map_or(0, |at| at + 1);
            let mut now = None;
            for sign in &line[..end] {
                // A blank has no colour of its own.
                let wanted = if sign.char == ' ' { now } else { sign.colour.filter(|_| colour) };
                if wanted != now {
                    turn(&mut out, wanted, matches!(sign.char, START | END))
                        .expect("writing to memory cannot fail");
                    now = wanted;
                }
                out.push(sign.char);
            }
            if now.is_some() {
                out.push_str("\x1b[0m");
            }
            out.push('\n');
        }
        out
    }
}

/// Turns to a colour.
fn turn(out: &mut String, colour: Option<u8>, bold: bool) -> fmt::Result {
    match colour {
        Some(colour) if bold => write!(out, "\x1b[0;1;38;5;{colour}m"),
        Some(colour) => write!(out, "\x1b[0;38;5;{colour}m"),
        None => out.write_str("\x1b[0m"),
    }
}

/// The letters of a file.
fn file_name(file: usize) -> String {
    let name = Square::new(file as u16, 0).to_string();
    name.trim_end_matches('1').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(text: &str, colour: Option<u8>) -> Picture {
        let mut picture = Picture::default();
        for (line, text) in text.lines().enumerate() {
            picture.put_coloured(line, text, colour);
        }
        picture
    }

    #[test]
    fn pictures_stand_beside_one_another_while_there_is_room() {
        let mut left = picture("ab\nc", None);
        assert_eq!(left.beside(picture("x\ny\nz", None), 4), Err(picture("x\ny\nz", None)));
        left.beside(picture("x\ny\nz", None), 5).unwrap();
        assert_eq!(left.text(false), "ab  x\nc   y\n    z\n");
    }

    #[test]
    fn colour_is_there_only_if_it_is_wanted() {
        let red = picture("a b ", Some(1));
        assert_eq!(red.text(false), "a b\n");
        assert_eq!(red.text(true), "\x1b[0;38;5;1ma b\x1b[0m\n");
        assert_eq!(picture("●", Some(2)).text(true), "\x1b[0;1;38;5;2m●\x1b[0m\n");
    }
}
