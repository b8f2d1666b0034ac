//! A line of boards has one width; the other side varies.

use std::fmt;

use super::play::SeriesRules;
use crate::board::{Rectangle, Wrap};

/// Boards that have `width` squares on one side and `first` to `last` squares on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardLine {
    width: u16,
    first: u16,
    last: u16,
    /// True if the number of rows varies, false if the number of columns does.
    varies_rows: bool,
}

impl fmt::Display for BoardLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, first, last, varies_rows: rows } = self;
        if *rows { write!(f, "{first}..{last}x{width}") } else { write!(f, "{width}x{first}..{last}") }
    }
}

impl BoardLine {
    /// Creates a line of boards with `rows` rows and `first` to `last` columns.
    #[must_use]
    pub const fn with_varying_cols(rows: u16, first: u16, last: u16) -> Self {
        Self { width: rows, first, last, varies_rows: false }
    }

    /// Creates a line of boards with `first` to `last` rows and `cols` columns.
    #[must_use]
    pub const fn with_varying_rows(first: u16, last: u16, cols: u16) -> Self {
        Self { width: cols, first, last, varies_rows: true }
    }

    /// Returns the side that does not vary, in squares.
    #[must_use]
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// Returns the shortest length, in squares.
    #[must_use]
    pub const fn first(&self) -> u16 {
        self.first
    }

    /// Returns the greatest length, in squares.
    #[must_use]
    pub const fn last(&self) -> u16 {
        self.last
    }

    /// Returns true if the number of rows varies, false if the number of columns does.
    #[must_use]
    pub const fn varies_rows(&self) -> bool {
        self.varies_rows
    }

    /// Returns this line with another greatest length.
    #[must_use]
    pub const fn with_last(self, last: u16) -> Self {
        Self { last, ..self }
    }

    /// Returns the board of length `length`.
    ///
    /// # Panics
    /// If no board has this length.
    #[must_use]
    pub fn board(&self, length: u16) -> Rectangle {
        let (rows, cols) = if self.varies_rows { (length, self.width) } else { (self.width, length) };
        Rectangle::new(rows, cols).expect("a board shorter than a valid one is valid")
    }

    /// Returns the boards, shortest first.
    pub fn boards(&self) -> impl Iterator<Item = Rectangle> + use<> {
        let line = *self;
        (self.first..=self.last).map(move |length| line.board(length))
    }

    /// Returns the part of this line from `board` on, or the whole line if `board` is not in it.
    #[must_use]
    pub fn starting_at(self, board: &Rectangle) -> Self {
        let first = (self.first..=self.last).find(|&length| self.board(length) == *board);
        Self { first: first.unwrap_or(self.first), ..self }
    }

    /// Returns the rules of the boards turned such that `width` squares form a row and the rows vary. Only
    /// then is a shorter board the beginning of a longer one. `None` if an edge along the varying side is
    /// joined, or if the wrap is twisted.
    #[must_use]
    pub fn upright_rules(&self, play: &SeriesRules) -> Option<SeriesRules> {
        let play = if self.varies_rows { play.clone() } else { play.to_turned()? };
        matches!(play.wrap, Wrap::None | Wrap::Cols).then_some(play)
    }

    /// Returns true if one sweep along the length counts all boards: the boards begin each other, and the
    /// sweep is no wider than the sweep along the short side of the longest board.
    #[must_use]
    pub fn is_single_sweep(&self, play: &SeriesRules) -> bool {
        self.first < self.last && self.width <= self.last && self.upright_rules(play).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_at_shortens_line() {
        let line = BoardLine::with_varying_cols(5, 2, 60);
        assert_eq!((line.to_string().as_str(), line.boards().count()), ("5x2..60", 59));
        assert_eq!(line.starting_at(&"5x17".parse().unwrap()).to_string(), "5x17..60");
        assert_eq!(line.starting_at(&"17x5".parse().unwrap()), line);
        assert_eq!(BoardLine::with_varying_rows(2, 60, 5).to_string(), "2..60x5");
    }

    #[test]
    fn is_single_sweep_needs_boards_that_begin_each_other() {
        let is_one =
            |line: BoardLine, wrap| line.is_single_sweep(&SeriesRules { wrap, ..SeriesRules::default() });
        assert!(
            is_one(BoardLine::with_varying_cols(5, 2, 60), Wrap::None)
                && !is_one(BoardLine::with_varying_cols(8, 2, 7), Wrap::None)
        );
        assert!(
            is_one(BoardLine::with_varying_cols(5, 2, 60), Wrap::Rows)
                && !is_one(BoardLine::with_varying_cols(5, 2, 60), Wrap::Cols)
        );
        assert!(
            is_one(BoardLine::with_varying_rows(2, 60, 5), Wrap::Cols)
                && !is_one(BoardLine::with_varying_rows(2, 60, 5), Wrap::Mobius)
        );
    }
}
