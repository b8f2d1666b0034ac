//! Ranges of boards and their text form: `5x2..60`, `2..60x5`, `5..7x5..7`, or `1..8` for squares.
//!
//! A [`BoardRange`] consists of [`BoardLine`]s, in which only one side varies. [`SeriesRules`] are the wrap
//! and the piece that all boards of a series have in common.

use std::fmt;
use std::str::FromStr;

use super::line::BoardLine;
use crate::board::{Rectangle, RectangleError};

/// A range of boards. Its order is that of the printed table: by rows, then by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardRange {
    /// One side varies.
    Line(BoardLine),
    /// Both sides vary.
    Rectangles {
        /// The least and the greatest number of rows.
        rows: (u16, u16),
        /// The least and the greatest number of columns.
        cols: (u16, u16),
    },
    /// Square boards.
    Squares {
        /// The shortest side.
        first: u16,
        /// The longest side.
        last: u16,
    },
}

/// A text that does not describe a range of boards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardRangeError {
    /// The text has no two numbers with `..` between them.
    #[error(
        "`{0}` is not a range of boards; write FIRST..LAST for a side, as in 5x2..60, 5..7x5..7 or 1..8 (squares)"
    )]
    Parse(String),
    /// The text has three sides.
    #[error(
        "`{0}` is a range of boxes, and a range must be of flat boards; count the boxes one by one, as in 3x3x2"
    )]
    Box(String),
    /// The range descends.
    #[error("range `{range}` descends; write {last}..{first}")]
    Descending {
        /// The range as it was written.
        range: String,
        /// The first number, which is the greater one.
        first: u16,
        /// The last number, which is the lesser one.
        last: u16,
    },
    /// One of the boards is invalid.
    #[error(transparent)]
    Board(#[from] RectangleError),
}

/// One side of a range: a number, or two numbers with `..` between them.
struct Side<'a> {
    text: &'a str,
    first: &'a str,
    last: &'a str,
}

impl<'a> Side<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let is_number = |side: &str| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(first) && is_number(last)).then_some(Self { text, first, last })
    }

    fn is_range(&self) -> bool {
        self.text.contains("..")
    }

    fn check_order(&self, (first, last): (u16, u16)) -> Result<(u16, u16), BoardRangeError> {
        if first > last {
            return Err(BoardRangeError::Descending { range: self.text.to_owned(), first, last });
        }
        Ok((first, last))
    }
}

impl FromStr for BoardRange {
    type Err = BoardRangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BoardRangeError::Parse(text.to_owned());
        let sides: Vec<&str> = text.split(['x', 'X']).collect();
        let sides = match sides.as_slice() {
            [side] => vec![Side::parse(side).filter(Side::is_range).ok_or_else(bad)?],
            [rows, cols] => vec![Side::parse(rows).ok_or_else(bad)?, Side::parse(cols).ok_or_else(bad)?],
            [_, _, _] if !text.contains(',') => return Err(BoardRangeError::Box(text.to_owned())),
            _ => return Err(bad()),
        };
        let (rows, cols) = (&sides[0], &sides[sides.len() - 1]);
        // Both corners are parsed as boards, which checks every number.
        let corner = |row: &str, col: &str| format!("{row}x{col}").parse::<Rectangle>();
        let (short, long) = (corner(rows.first, cols.first)?, corner(rows.last, cols.last)?);
        let of_rows = rows.check_order((short.rows(), long.rows()))?;
        let of_cols = cols.check_order((short.cols(), long.cols()))?;
        Ok(match (rows.is_range(), cols.is_range()) {
            _ if sides.len() == 1 => Self::Squares { first: of_rows.0, last: of_rows.1 },
            (true, true) => Self::Rectangles { rows: of_rows, cols: of_cols },
            (true, false) => Self::Line(BoardLine::with_varying_rows(of_rows.0, of_rows.1, of_cols.0)),
            (false, true) => Self::Line(BoardLine::with_varying_cols(of_rows.0, of_cols.0, of_cols.1)),
            (false, false) => return Err(bad()),
        })
    }
}

impl fmt::Display for BoardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => line.fmt(f),
            Self::Rectangles { rows, cols } => write!(f, "{}..{}x{}..{}", rows.0, rows.1, cols.0, cols.1),
            Self::Squares { first, last } => write!(f, "{first}..{last}"),
        }
    }
}

impl BoardRange {
    /// Splits the range into lines of boards. One sweep may count a whole line. A range of squares gives
    /// lines of one board each.
    #[must_use]
    pub fn lines(&self) -> Vec<BoardLine> {
        match *self {
            Self::Line(line) => vec![line],
            Self::Rectangles { rows, cols } => {
                (rows.0..=rows.1).map(|rows| BoardLine::with_varying_cols(rows, cols.0, cols.1)).collect()
            }
            Self::Squares { first, last } => {
                (first..=last).map(|side| BoardLine::with_varying_cols(side, side, side)).collect()
            }
        }
    }

    /// Returns all boards in the order of their rows in the printed table.
    pub fn boards(&self) -> impl Iterator<Item = Rectangle> + use<> {
        self.lines().into_iter().flat_map(|line| line.boards())
    }

    /// Returns the function from a board to its index in the sequence of the series' counts. `None` if both
    /// sides vary, because one number does not identify a board then.
    #[must_use]
    pub fn index_function(&self) -> Option<fn(&Rectangle) -> u16> {
        match self {
            Self::Line(line) if line.varies_rows() => Some(Rectangle::rows),
            Self::Line(_) | Self::Squares { .. } => Some(Rectangle::cols),
            Self::Rectangles { .. } => None,
        }
    }

    /// Returns the remaining range from the board `from` on, as text. For ranges in which both sides vary the
    /// text may be two ranges, joined by ` and `.
    #[must_use]
    pub fn remaining_text(&self, from: &Rectangle) -> String {
        match *self {
            Self::Line(line) => line.starting_at(from).to_string(),
            Self::Squares { last, .. } => Self::Squares { first: from.rows(), last }.to_string(),
            Self::Rectangles { rows, cols } => {
                let begun = BoardLine::with_varying_cols(from.rows(), from.cols(), cols.1);
                let next = from.rows() + u16::from(from.cols() > cols.0);
                let whole = if next == rows.1 {
                    Self::Line(BoardLine::with_varying_cols(next, cols.0, cols.1))
                } else {
                    Self::Rectangles { rows: (next, rows.1), cols }
                };
                match (from.cols() > cols.0, next <= rows.1) {
                    (false, _) => whole.to_string(),
                    (true, true) => format!("{begun} and {whole}"),
                    (true, false) => begun.to_string(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boards(text: &str) -> BoardRange {
        text.parse().unwrap()
    }

    #[test]
    fn board_range_parses_and_rejects() {
        for (text, number) in [("5x2..60", 59), ("3..10x4", 8), ("1x1..1", 1), ("5..7x5..6", 6), ("1..8", 8)]
        {
            assert_eq!((boards(text).to_string().as_str(), boards(text).boards().count()), (text, number));
        }
        for bad in ["5x6..2", "5..", "5x..3", "5x2..", "x2..3", "5x0..3", "5x2...3", "6x8", "8", "4x5..3x9"] {
            assert!(bad.parse::<BoardRange>().is_err(), "{bad}");
        }
        let down = "5x9..3".parse::<BoardRange>().unwrap_err();
        assert!(matches!(&down, BoardRangeError::Descending { range, first: 9, last: 3 } if range == "9..3"));
        let down = down.to_string();
        assert!(down.contains("`9..3`") && down.contains("3..9"), "{down}");
        let of_boxes = "3x3x2..5".parse::<BoardRange>();
        assert!(matches!(&of_boxes, Err(BoardRangeError::Box(text)) if text == "3x3x2..5"));
        assert!(of_boxes.unwrap_err().to_string().contains("`3x3x2..5`"));
        assert!(matches!("5x6,5x7".parse::<BoardRange>(), Err(BoardRangeError::Parse(_))));
    }

    #[test]
    fn remaining_text_starts_at_board() {
        let rest = |text: &str, from: &str| boards(text).remaining_text(&from.parse().unwrap());
        assert_eq!(rest("5x2..60", "5x17"), "5x17..60");
        assert_eq!(rest("1..8", "5x5"), "5..8");
        assert_eq!(rest("5..7x5..7", "5x6"), "5x6..7 and 6..7x5..7");
        assert_eq!(rest("5..7x5..7", "6x5"), "6..7x5..7");
        assert_eq!(rest("5..7x5..7", "7x6"), "7x6..7");
    }
}
