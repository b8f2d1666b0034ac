//! The boards of one width, one side running.

use std::fmt;

use super::play::Play;
use crate::board::{Board, Wrap};

/// Boards `width` squares one way and `first` to `last` the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    width: u16,
    first: u16,
    last: u16,
    /// Whether the rows vary, not the columns.
    rows: bool,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, first, last, rows } = self;
        if *rows { write!(f, "{first}..{last}x{width}") } else { write!(f, "{width}x{first}..{last}") }
    }
}

impl Line {
    /// Boards of so many rows, and of `first` to `last` columns.
    #[must_use]
    pub const fn of_cols(rows: u16, first: u16, last: u16) -> Self {
        Self { width: rows, first, last, rows: false }
    }

    /// Boards of `first` to `last` rows, and of so many columns.
    #[must_use]
    pub const fn of_rows(first: u16, last: u16, cols: u16) -> Self {
        Self { width: cols, first, last, rows: true }
    }

    /// The side that does not run.
    #[must_use]
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// The shortest length.
    #[must_use]
    pub const fn first(&self) -> u16 {
        self.first
    }

    /// The greatest length.
    #[must_use]
    pub const fn last(&self) -> u16 {
        self.last
    }

    /// Whether the rows run, not the columns.
    #[must_use]
    pub const fn runs_along_rows(&self) -> bool {
        self.rows
    }

    /// The same line to another length.
    #[must_use]
    pub const fn up_to(self, last: u16) -> Self {
        Self { last, ..self }
    }

    /// The board of a length.
    ///
    /// # Panics
    /// If there is no such board.
    #[must_use]
    pub fn board(&self, length: u16) -> Board {
        let (rows, cols) = if self.rows { (length, self.width) } else { (self.width, length) };
        Board::new(rows, cols).expect("shorter than a board is a board")
    }

    /// The boards, shortest first.
    pub fn boards(&self) -> impl Iterator<Item = Board> + use<> {
        let line = *self;
        (self.first..=self.last).map(move |length| line.board(length))
    }

    /// The same from a board on; itself, if the board is not one of them.
    #[must_use]
    pub fn from_board(self, board: &Board) -> Self {
        let first = (self.first..=self.last).find(|&length| self.board(length) == *board);
        Self { first: first.unwrap_or(self.first), ..self }
    }

    /// What the boards have in common when their lines are rows of `width` squares, one after the other: only then
    /// is a shorter board the beginning of a longer one. `None` where an edge that runs is joined, or is
    /// twisted.
    #[must_use]
    pub fn standing(&self, play: &Play) -> Option<Play> {
        let play = if self.rows { play.clone() } else { play.turned()? };
        matches!(play.wrap, Wrap::None | Wrap::Cols).then_some(play)
    }

    /// Whether one sweep along the length does for all boards: there is one, and it is no wider than theirs would be
    /// along their short side.
    #[must_use]
    pub fn is_one_sweep(&self, play: &Play) -> bool {
        self.first < self.last && self.width <= self.last && self.standing(play).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_line_is_one() {
        let line = Line::of_cols(5, 2, 60);
        assert_eq!((line.to_string().as_str(), line.boards().count()), ("5x2..60", 59));
        assert_eq!(line.from_board(&"5x17".parse().unwrap()).to_string(), "5x17..60");
        assert_eq!(line.from_board(&"17x5".parse().unwrap()), line);
        assert_eq!(Line::of_rows(2, 60, 5).to_string(), "2..60x5");
    }

    #[test]
    fn a_sweep_does_for_boards_that_begin_each_other() {
        let is_one = |line: Line, wrap| line.is_one_sweep(&Play { wrap, ..Play::default() });
        assert!(is_one(Line::of_cols(5, 2, 60), Wrap::None) && !is_one(Line::of_cols(8, 2, 7), Wrap::None));
        assert!(is_one(Line::of_cols(5, 2, 60), Wrap::Rows) && !is_one(Line::of_cols(5, 2, 60), Wrap::Cols));
        assert!(
            is_one(Line::of_rows(2, 60, 5), Wrap::Cols) && !is_one(Line::of_rows(2, 60, 5), Wrap::Mobius)
        );
    }
}
