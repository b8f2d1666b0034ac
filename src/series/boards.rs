//! A range of boards as it is written: `5x2..60`, `2..60x5`, `5..7x5..7`, or `1..8`, the squares.

use std::fmt;
use std::str::FromStr;

use super::line::Line;
use crate::board::{Board, BoardError};

/// Boards of a range, in rows of a table: rows first, then columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boards {
    /// One side runs.
    Line(Line),
    /// Both sides run.
    Both {
        /// The fewest and the most rows.
        rows: (u16, u16),
        /// The fewest and the most columns.
        cols: (u16, u16),
    },
    /// Squares.
    Squares {
        /// The shortest side.
        first: u16,
        /// The longest side.
        last: u16,
    },
}

/// Text that is no range of boards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardsError {
    /// No two numbers with `..` between them.
    #[error(
        "`{0}` is not a range of boards: write FIRST..LAST for a side, as in 5x2..60, 5..7x5..7 or 1..8 (squares)"
    )]
    Parse(String),
    /// Three sides.
    #[error("`{0}` is a box, and ranges are of flat boards: count its boxes one by one, as in 3x3x2")]
    Box(String),
    /// From long to short.
    #[error("`{range}` goes down: write {last}..{first}")]
    Down {
        /// As it was written.
        range: String,
        /// The greater number.
        first: u16,
        /// The lesser one.
        last: u16,
    },
    /// One of the boards cannot be.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// A side: a number, or a range of them.
struct Side<'a> {
    text: &'a str,
    first: &'a str,
    last: &'a str,
}

impl<'a> Side<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let is_number = |side: &str| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(first) && is_number(last)).then_some(Self { text, first, last })
    }

    fn runs(&self) -> bool {
        self.text.contains("..")
    }

    fn checked(&self, (first, last): (u16, u16)) -> Result<(u16, u16), BoardsError> {
        if first > last {
            return Err(BoardsError::Down { range: self.text.to_owned(), first, last });
        }
        Ok((first, last))
    }
}

impl FromStr for Boards {
    type Err = BoardsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BoardsError::Parse(text.to_owned());
        let sides: Vec<&str> = text.split(['x', 'X']).collect();
        let sides = match sides.as_slice() {
            [side] => vec![Side::of(side).filter(Side::runs).ok_or_else(bad)?],
            [rows, cols] => vec![Side::of(rows).ok_or_else(bad)?, Side::of(cols).ok_or_else(bad)?],
            [_, _, _] if !text.contains(',') => return Err(BoardsError::Box(text.to_owned())),
            _ => return Err(bad()),
        };
        let (rows, cols) = (&sides[0], &sides[sides.len() - 1]);
        // Both corners are boards, which checks every number.
        let corner = |row: &str, col: &str| format!("{row}x{col}").parse::<Board>();
        let (short, long) = (corner(rows.first, cols.first)?, corner(rows.last, cols.last)?);
        let of_rows = rows.checked((short.rows(), long.rows()))?;
        let of_cols = cols.checked((short.cols(), long.cols()))?;
        Ok(match (rows.runs(), cols.runs()) {
            _ if sides.len() == 1 => Self::Squares { first: of_rows.0, last: of_rows.1 },
            (true, true) => Self::Both { rows: of_rows, cols: of_cols },
            (true, false) => Self::Line(Line::of_rows(of_rows.0, of_rows.1, of_cols.0)),
            (false, true) => Self::Line(Line::of_cols(of_rows.0, of_cols.0, of_cols.1)),
            (false, false) => return Err(bad()),
        })
    }
}

impl fmt::Display for Boards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => line.fmt(f),
            Self::Both { rows, cols } => write!(f, "{}..{}x{}..{}", rows.0, rows.1, cols.0, cols.1),
            Self::Squares { first, last } => write!(f, "{first}..{last}"),
        }
    }
}

impl Boards {
    /// The boards line by line: each line may be swept at once. Squares are lines of one board.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        match *self {
            Self::Line(line) => vec![line],
            Self::Both { rows, cols } => {
                (rows.0..=rows.1).map(|rows| Line::of_cols(rows, cols.0, cols.1)).collect()
            }
            Self::Squares { first, last } => {
                (first..=last).map(|side| Line::of_cols(side, side, side)).collect()
            }
        }
    }

    /// All boards in the order of their rows in a table.
    pub fn boards(&self) -> impl Iterator<Item = Board> + use<> {
        self.lines().into_iter().flat_map(|line| line.boards())
    }

    /// What a sequence of the family's numbers is indexed by, if one number tells its boards apart.
    #[must_use]
    pub fn index(&self) -> Option<fn(&Board) -> u16> {
        match self {
            Self::Line(line) if line.runs_along_rows() => Some(Board::rows),
            Self::Line(_) | Self::Squares { .. } => Some(Board::cols),
            Self::Both { .. } => None,
        }
    }

    /// What is left from a board on, as text; ranges of both sides may be two then.
    #[must_use]
    pub fn rest(&self, from: &Board) -> String {
        match *self {
            Self::Line(line) => line.from_board(from).to_string(),
            Self::Squares { last, .. } => Self::Squares { first: from.rows(), last }.to_string(),
            Self::Both { rows, cols } => {
                let begun = Line::of_cols(from.rows(), from.cols(), cols.1);
                let next = from.rows() + u16::from(from.cols() > cols.0);
                let whole = if next == rows.1 {
                    Self::Line(Line::of_cols(next, cols.0, cols.1))
                } else {
                    Self::Both { rows: (next, rows.1), cols }
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

    fn boards(text: &str) -> Boards {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_are_of_either_side_or_both_or_squares() {
        for (text, number) in [("5x2..60", 59), ("3..10x4", 8), ("1x1..1", 1), ("5..7x5..6", 6), ("1..8", 8)]
        {
            assert_eq!((boards(text).to_string().as_str(), boards(text).boards().count()), (text, number));
        }
        for bad in ["5x6..2", "5..", "5x..3", "5x2..", "x2..3", "5x0..3", "5x2...3", "6x8", "8", "4x5..3x9"] {
            assert!(bad.parse::<Boards>().is_err(), "{bad}");
        }
        let down = "5x9..3".parse::<Boards>().unwrap_err().to_string();
        assert_eq!(down, "`9..3` goes down: write 3..9");
        assert!("3x3x2..5".parse::<Boards>().unwrap_err().to_string().starts_with("`3x3x2..5` is a box"));
        assert!(matches!("5x6,5x7".parse::<Boards>(), Err(BoardsError::Parse(_))));
    }

    #[test]
    fn the_rest_of_a_range_is_told() {
        let rest = |text: &str, from: &str| boards(text).rest(&from.parse().unwrap());
        assert_eq!(rest("5x2..60", "5x17"), "5x17..60");
        assert_eq!(rest("1..8", "5x5"), "5..8");
        assert_eq!(rest("5..7x5..7", "5x6"), "5x6..7 and 6..7x5..7");
        assert_eq!(rest("5..7x5..7", "6x5"), "6..7x5..7");
        assert_eq!(rest("5..7x5..7", "7x6"), "7x6..7");
    }
}
