//! Tours as terminal pictures: lines of braille dots, or move numbers in a table.
//!
//! ```text
//! Tour -> braille_picture, number_table -> TerminalPicture (characters with colours) -> text, with or without colour
//!                                            |  ^
//!                                            +--+ joined side by side, up to the terminal width
//! ```
//!
//! The start of a tour is marked `●` and its end `◆`; a closed tour has no end. Holes are shaded,
//! and the layers of a box are separated.

mod braille;
mod heat_map;
mod number_table;

use std::fmt::{self, Write};

use super::Palette;
use super::palette::Colours;
use super::scene::EndMark;
use super::vertex_positions::NoLayout;
pub use braille::braille_picture;
pub use heat_map::terminal_heat_map;
pub use number_table::number_table;

const START_MARK: char = '●';
const END_MARK: char = '◆';
/// Character that fills a position without a square.
const HOLE_FILL: char = '░';
/// Number of blank columns between two pictures side by side.
const PICTURE_GAP_COLUMNS: usize = 2;

/// Options of a terminal picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Number of columns of the terminal; no picture is wider.
    pub width: usize,
    /// Number of the first square; the squares are numbered in order of visit.
    pub first_number: u64,
    /// Colours of the picture.
    pub palette: Palette,
}

impl Default for TerminalStyle {
    /// Returns the options for a terminal of 80 columns.
    fn default() -> Self {
        Self { width: 80, first_number: 1, palette: Palette::default() }
    }
}

/// Error when a terminal picture is drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The picture is wider than the terminal.
    #[error("{title} needs {needed} terminal columns, {width} are available")]
    TooWide {
        /// Title of the board.
        title: String,
        /// Minimum number of columns for this picture.
        needed: usize,
        /// Number of columns of the terminal.
        width: usize,
    },
    /// The vertices of the board have no positions.
    #[error(transparent)]
    NoLayout(#[from] NoLayout),
}

/// A character of a picture and its colour, one of the 256 colours of a terminal; `None` for the
/// default colour. The start and end marks are bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbol {
    char: char,
    colour: Option<u8>,
}

impl Symbol {
    const BLANK: Self = Self { char: ' ', colour: None };
}

/// A picture for a terminal: lines of characters with colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalPicture {
    lines: Vec<Vec<Symbol>>,
}

impl TerminalPicture {
    /// Returns the number of columns of the widest line.
    #[must_use]
    pub fn width(&self) -> usize {
        self.lines.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Appends the picture `other` to the right of this one if both fit into `width` columns.
    ///
    /// # Errors
    /// `other`, unchanged, if the two pictures do not fit.
    pub fn append_right(&mut self, other: Self, width: usize) -> Result<(), Self> {
        let left = self.width() + PICTURE_GAP_COLUMNS;
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

    /// Adds a line of text without colour.
    fn add_line(&mut self, text: &str) {
        self.lines.push(Vec::new());
        self.append(text, None);
    }

    /// Appends text to the last line.
    fn append(&mut self, text: &str, colour: Option<u8>) {
        let line = self.lines.last_mut().expect("the picture has a line");
        line.extend(text.chars().map(|char| Symbol { char, colour }));
    }

    /// Returns the picture as text. If `colour` is true, the text has escape sequences for a terminal of 256
    /// colours.
    #[must_use]
    pub fn to_text(&self, colour: bool) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let end = line.iter().rposition(|symbol| symbol.char != ' ').map_or(0, |at| at + 1);
            let mut current = None;
            for symbol in &line[..end] {
                // A blank does not change the current colour.
                let symbol_colour =
                    if symbol.char == ' ' { current } else { symbol.colour.filter(|_| colour) };
                if symbol_colour != current {
                    write_colour_escape(
                        &mut out,
                        symbol_colour,
                        matches!(symbol.char, START_MARK | END_MARK),
                    )
                    .expect("writing to memory cannot fail");
                    current = symbol_colour;
                }
                out.push(symbol.char);
            }
            if current.is_some() {
                out.push_str("\x1b[0m");
            }
            out.push('\n');
        }
        out
    }
}

/// Appends the escape sequence that sets a terminal colour, or that resets the colour for `None`.
fn write_colour_escape(out: &mut String, colour: Option<u8>, bold: bool) -> fmt::Result {
    match colour {
        Some(colour) if bold => write!(out, "\x1b[0;1;38;5;{colour}m"),
        Some(colour) => write!(out, "\x1b[0;38;5;{colour}m"),
        None => out.write_str("\x1b[0m"),
    }
}

/// Returns the character and the colour of the mark of an end.
const fn mark_symbol(mark: EndMark, colours: &Colours) -> (char, u8) {
    match mark {
        EndMark::Start => (START_MARK, colours.terminal_ends[0]),
        EndMark::End => (END_MARK, colours.terminal_ends[1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(text: &str, colour: Option<u8>) -> TerminalPicture {
        let mut picture = TerminalPicture::default();
        for text in text.lines() {
            picture.add_line("");
            picture.append(text, colour);
        }
        picture
    }

    #[test]
    fn append_right_joins_pictures_that_fit() {
        let mut left = picture("ab\nc", None);
        assert_eq!(left.append_right(picture("x\ny\nz", None), 4), Err(picture("x\ny\nz", None)));
        left.append_right(picture("x\ny\nz", None), 5).unwrap();
        assert_eq!(left.to_text(false), "ab  x\nc   y\n    z\n");
    }

    #[test]
    fn to_text_writes_colour_only_on_request() {
        let red = picture("a b ", Some(1));
        assert_eq!(red.to_text(false), "a b\n");
        assert_eq!(red.to_text(true), "\x1b[0;38;5;1ma b\x1b[0m\n");
        assert_eq!(picture("●", Some(2)).to_text(true), "\x1b[0;1;38;5;2m●\x1b[0m\n");
    }
}
