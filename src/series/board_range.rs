//! Ranges of boards, their text form, and the wrap and piece that the boards of a series share.
//!
//! The text form of a range is `5x2..60`, `2..60x5`, `5..7x5..7`, or `1..8` for squares. A [`BoardRange`]
//! consists of [`BoardLine`]s. All boards of a `BoardLine` have the same width, and only the other side,
//! their length, varies. [`SeriesRules`] are the wrap and the piece that all boards of a series share.

use std::fmt;
use std::str::FromStr;

use crate::board::{
    Board, BoardSides, LatticeBoard, Piece, Rectangle, RectangleError, SIDE_SEPARATORS, Wrap,
};
use crate::tour::Kind;

/// A range of boards, sorted as in the printed table: by rows, then by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardRange {
    /// Boards with one side in common; the other side varies.
    Line(BoardLine),
    /// Boards whose two sides both vary.
    Rectangles {
        /// The least and the greatest number of rows.
        rows: (u16, u16),
        /// The least and the greatest number of columns.
        cols: (u16, u16),
    },
    /// Square boards.
    Squares {
        /// Number of squares on a side of the smallest board.
        first: u16,
        /// Number of squares on a side of the largest board.
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
    /// A hyphen stands between the numbers of a range.
    #[error("`{text}` is not a range of boards; write {range}")]
    Hyphen {
        /// The text.
        text: String,
        /// The text with dots.
        range: String,
    },
    /// The text has three sides.
    #[error(
        "`{0}` is a range of boxes, and a range must be of flat boards; count the boxes one by one, as in 3x3x2"
    )]
    Box(String),
    /// The first number of the range is greater than its last number.
    #[error("range `{range}` descends; write {last}..{first}")]
    Descending {
        /// The range as it was written.
        range: String,
        /// The first number of the range.
        first: u16,
        /// The last number of the range.
        last: u16,
    },
    /// One of the boards is invalid.
    #[error(transparent)]
    Board(#[from] RectangleError),
}

/// One side of a range in text form: a number, or two numbers with `..` between them.
struct Side<'a> {
    text: &'a str,
    first: &'a str,
    last: &'a str,
}

fn is_number(side: &str) -> bool {
    !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Side<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        (is_number(first) && is_number(last)).then_some(Self { text, first, last })
    }

    /// Parses the parts of a range that is written as its smallest and its largest board, such as the parts
    /// of `1x1..6x8`, and returns the sides.
    fn parse_corners(text: &'a str, [first_rows, middle, last_cols]: [&'a str; 3]) -> Option<Vec<Self>> {
        let (first_cols, last_rows) = middle.split_once("..")?;
        let side = |first, last| {
            [first, last].into_iter().all(is_number).then(|| {
                let text = if first == last { first } else { text };
                Self { text, first, last }
            })
        };
        Some(vec![side(first_rows, last_rows)?, side(first_cols, last_cols)?])
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
        if text.contains('-') {
            let range = text.replace('-', "..");
            return Err(match range.parse::<Self>() {
                Ok(_) => BoardRangeError::Hyphen { text: text.to_owned(), range },
                Err(_) => BoardRangeError::Parse(text.to_owned()),
            });
        }
        let bad = || BoardRangeError::Parse(text.to_owned());
        let parts: Vec<&str> = text.split(SIDE_SEPARATORS).collect();
        let sides = match parts.as_slice() {
            [side] => vec![Side::parse(side).filter(Side::is_range).ok_or_else(bad)?],
            [rows, cols] => vec![Side::parse(rows).ok_or_else(bad)?, Side::parse(cols).ok_or_else(bad)?],
            [rows, middle, cols] => match Side::parse_corners(text, [rows, middle, cols]) {
                Some(sides) => sides,
                None if !text.contains(',') => return Err(BoardRangeError::Box(text.to_owned())),
                None => return Err(bad()),
            },
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
    /// Splits the range into sets of boards with the same width. One sweep may count all boards of such a
    /// set. A range of squares gives sets of one board each.
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

    /// Splits the range into parts, in the order of the boards: lines of boards that one sweep counts, if `can_sweep`, and
    /// boards that are counted one by one.
    #[must_use]
    pub fn parts(&self, rules: &SeriesRules, can_sweep: bool) -> Vec<SeriesPart> {
        let parts = |line: BoardLine| match can_sweep && line.is_single_sweep(rules) {
            true => vec![SeriesPart::Sweep(line)],
            false => line.boards().map(SeriesPart::Board).collect(),
        };
        self.lines().into_iter().flat_map(parts).collect()
    }

    /// Returns all boards in the order of their rows in the printed table.
    pub fn boards(&self) -> impl Iterator<Item = Rectangle> + use<> {
        self.lines().into_iter().flat_map(|line| line.boards())
    }

    /// Returns the board whose tours take longest to count: the largest board that can have a tour of the kind.
    /// `to_board` adds what all boards of the range have in common, such as the piece.
    ///
    /// # Errors
    /// The error of `to_board`.
    ///
    /// # Panics
    /// Never: a range has at least one board.
    pub fn most_expensive_board<E>(
        &self,
        kind: Kind,
        to_board: impl Fn(Rectangle) -> Result<Board, E>,
    ) -> Result<Rectangle, E> {
        let mut boards: Vec<Rectangle> = self.boards().collect();
        boards.sort_by_key(|board| (board.rows().min(board.cols()), board.len()));
        let largest = boards.pop().expect("a range has boards");
        let has_none = !may_have_tours(&to_board(largest.clone())?, kind);
        Ok(boards.pop().filter(|_| has_none).unwrap_or(largest))
    }

    /// Returns the function that maps a board to the index of its count in the series. Returns
    /// `None` if both sides vary, because one number does not identify a board then.
    #[must_use]
    pub fn index_function(&self) -> Option<fn(&Rectangle) -> u16> {
        match self {
            Self::Line(line) if line.varies_rows() => Some(Rectangle::rows),
            Self::Line(_) | Self::Squares { .. } => Some(Rectangle::cols),
            Self::Rectangles { .. } => None,
        }
    }

    /// Returns the part of the range that begins with the board `from`, as text. If both sides vary, the text
    /// may consist of two ranges, joined by ` and `.
    #[must_use]
    pub fn remaining_text(&self, from: &Rectangle) -> String {
        match *self {
            _ if self.boards().last().as_ref() == Some(from) => from.to_string(),
            Self::Line(line) => line.starting_at(from).to_string(),
            Self::Squares { last, .. } => Self::Squares { first: from.rows(), last }.to_string(),
            Self::Rectangles { rows, cols } => {
                let begun = BoardLine::with_varying_cols(from.rows(), from.cols(), cols.1);
                let begun = if from.cols() == cols.1 { from.to_string() } else { begun.to_string() };
                let next = from.rows() + u16::from(from.cols() > cols.0);
                let whole = if next == rows.1 {
                    Self::Line(BoardLine::with_varying_cols(next, cols.0, cols.1))
                } else {
                    Self::Rectangles { rows: (next, rows.1), cols }
                };
                match (from.cols() > cols.0, next <= rows.1) {
                    (false, _) => whole.to_string(),
                    (true, true) => format!("{begun} and {whole}"),
                    (true, false) => begun,
                }
            }
        }
    }
}

/// Boards that have `width` squares on one side, and from `first` to `last` squares on the other side, the
/// length.
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
    /// Creates the boards with `rows` rows and `first` to `last` columns.
    #[must_use]
    pub const fn with_varying_cols(rows: u16, first: u16, last: u16) -> Self {
        Self { width: rows, first, last, varies_rows: false }
    }

    /// Creates the boards with `first` to `last` rows and `cols` columns.
    #[must_use]
    pub const fn with_varying_rows(first: u16, last: u16, cols: u16) -> Self {
        Self { width: cols, first, last, varies_rows: true }
    }

    /// Returns the number of squares on the side that is the same for all boards.
    #[must_use]
    pub const fn width(&self) -> u16 {
        self.width
    }

    /// Returns the length of the shortest board, in squares.
    #[must_use]
    pub const fn first(&self) -> u16 {
        self.first
    }

    /// Returns the length of the longest board, in squares.
    #[must_use]
    pub const fn last(&self) -> u16 {
        self.last
    }

    /// Returns true if the number of rows varies, false if the number of columns does.
    #[must_use]
    pub const fn varies_rows(&self) -> bool {
        self.varies_rows
    }

    /// Returns the board of the given length.
    ///
    /// # Panics
    /// Panics if none of the boards has this length.
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

    /// Returns the boards from `board` to the last, or all boards if `board` is not one of them.
    #[must_use]
    pub fn starting_at(self, board: &Rectangle) -> Self {
        let first = (self.first..=self.last).find(|&length| self.board(length) == *board);
        Self { first: first.unwrap_or(self.first), ..self }
    }

    /// Returns the wrap and the piece for the boards in upright position: each row is `width`
    /// squares long, and the number of rows varies. In this position a shorter board is the
    /// beginning of a longer one. Returns `None` if an edge along the varying side is joined, or if
    /// the wrap is twisted.
    #[must_use]
    pub fn upright_rules(&self, rules: &SeriesRules) -> Option<SeriesRules> {
        let rules = if self.varies_rows { rules.clone() } else { rules.to_turned()? };
        matches!(rules.wrap, Wrap::None | Wrap::Cols).then_some(rules)
    }

    /// Returns true if one sweep along the length should count all boards. Each board must be the
    /// beginning of the longer ones, and the width must not exceed the length of the longest board.
    /// Otherwise a sweep along the other side of that board would be narrower.
    #[must_use]
    pub fn is_single_sweep(&self, rules: &SeriesRules) -> bool {
        self.first < self.last && self.width <= self.last && self.upright_rules(rules).is_some()
    }
}

/// Returns false if colours exclude every tour of the kind: every move changes the colour of the square, so an odd number of
/// squares has no closed tour.
#[must_use]
pub fn may_have_tours(board: &Board, kind: Kind) -> bool {
    kind != Kind::Closed || board.len().is_multiple_of(2) || board.colours().is_none()
}

/// A part of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeriesPart {
    /// The boards of a line, all of which one sweep counts.
    Sweep(BoardLine),
    /// A board that is counted alone.
    Board(Rectangle),
}

impl SeriesPart {
    /// Returns the number of boards.
    #[must_use]
    pub fn board_count(&self) -> usize {
        match self {
            Self::Sweep(line) => line.boards().count(),
            Self::Board(_) => 1,
        }
    }
}

/// The wrap and the piece that all boards of a series share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesRules {
    /// The edges of the boards that are joined.
    pub wrap: Wrap,
    /// The piece whose moves are counted.
    pub piece: Piece,
}

impl SeriesRules {
    /// Returns the board with this wrap and piece on the rectangle `board`.
    #[must_use]
    pub fn to_board(&self, board: Rectangle) -> Board {
        LatticeBoard::new(BoardSides::Rectangle(board), self.wrap, self.piece.clone()).into()
    }

    /// Returns the rules for boards turned by a quarter: rows and columns of the wrap are exchanged, and the
    /// piece stays as it is because its set of moves is symmetric.
    ///
    /// `None` for the Moebius strip and the Klein bottle: their turned forms are not among the wraps.
    #[must_use]
    pub fn to_turned(&self) -> Option<Self> {
        let wrap = match self.wrap {
            Wrap::Cols => Wrap::Rows,
            Wrap::Rows => Wrap::Cols,
            Wrap::None | Wrap::Torus | Wrap::Projective => self.wrap,
            Wrap::Mobius | Wrap::Klein => return None,
        };
        Some(Self { wrap, piece: self.piece.clone() })
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
        let remaining = |text: &str, from: &str| boards(text).remaining_text(&from.parse().unwrap());
        assert_eq!(remaining("5x2..60", "5x17"), "5x17..60");
        assert_eq!(remaining("1..8", "5x5"), "5..8");
        // A single board has no range.
        assert_eq!(remaining("1..8", "8x8"), "8x8");
        assert_eq!(remaining("5x2..60", "5x60"), "5x60");
        assert_eq!(remaining("5..7x5..7", "5x7"), "5x7 and 6..7x5..7");
        assert_eq!(remaining("5..7x5..7", "5x6"), "5x6..7 and 6..7x5..7");
        assert_eq!(remaining("5..7x5..7", "6x5"), "6..7x5..7");
        assert_eq!(remaining("5..7x5..7", "7x6"), "7x6..7");
    }

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

    #[test]
    fn most_expensive_board_can_have_a_tour() {
        for (range, board) in [
            ("5x2..60", "5x60"),
            ("2..60x5", "60x5"),
            ("5x2..61", "5x60"),
            ("1..8", "8x8"),
            ("5..7x5..6", "7x6"),
        ] {
            let range: BoardRange = range.parse().unwrap();
            let to_board = |board| Ok::<_, RectangleError>(SeriesRules::default().to_board(board));
            assert_eq!(range.most_expensive_board(Kind::Closed, to_board), board.parse());
        }
    }
}
