//! A rectangle can also be parsed from a drawing in text. Each line is a rank, the highest first; `.` or a
//! letter is a square, `#` or a space is not:
//!
//! ```text
//! ###.###
//! ..XXX..        7 files; letters may be used as marks, they have no meaning
//! ###.###
//! ```
//!
//! Lines may end early. Empty lines above and below the drawing are ignored.

use super::{Board, BoardError, Square};

/// An error in a drawing of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawnError {
    /// A character that stands neither for a square nor for a gap.
    #[error(
        "line {line}, column {column}: {found:?} is not part of a drawing; write `.` or a letter for a square, `#` or a space for a gap"
    )]
    Sign {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A drawing without squares.
    #[error("the drawing has no squares; write `.` or a letter for each square")]
    Empty,
    /// A drawing whose size is not valid.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// Parses a drawing of a board.
///
/// # Errors
/// A character without a meaning, a drawing without squares, or a side of more than 65535.
pub fn drawn(text: &str) -> Result<Board, DrawnError> {
    let mut ranks: Vec<Vec<bool>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let square = |(column, found): (usize, char)| match found {
            '.' => Ok(true),
            '#' | ' ' => Ok(false),
            _ if found.is_alphabetic() => Ok(true),
            _ => Err(DrawnError::Sign { line: number, column: column + 1, found }),
        };
        ranks.push(line.trim_end().chars().enumerate().map(square).collect::<Result<_, _>>()?);
    }
    let is_rank = |rank: &Vec<bool>| !rank.is_empty();
    let first = ranks.iter().position(is_rank).ok_or(DrawnError::Empty)?;
    let last = ranks.iter().rposition(is_rank).ok_or(DrawnError::Empty)?;
    let ranks = &ranks[first..=last];
    let cols = ranks.iter().map(Vec::len).max().unwrap_or(0);
    let side = |side: usize| u16::try_from(side).map_err(|_| BoardError::TooLarge(side.to_string()));
    let board = Board::new(side(ranks.len())?, side(cols)?)?;
    let holes = (0..).zip(ranks.iter().rev()).flat_map(|(rank, line)| {
        let is_square = |file: u16| line.get(usize::from(file)).copied().unwrap_or(false);
        (0..board.cols()).filter(move |&file| !is_square(file)).map(move |file| Square::new(file, rank))
    });
    let holes: Vec<Square> = holes.collect();
    let board = board.without(holes)?;
    if board.is_empty() { Err(DrawnError::Empty) } else { Ok(board) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_a_board_with_holes() {
        let cross = drawn("\n #.#\n .Xy\n  .\n\n").unwrap();
        let names: Vec<String> = cross.squares().map(|square| square.to_string()).collect();
        assert_eq!((cross.to_string().as_str(), names.join(" ").as_str()), ("3x4", "c1 b2 c2 d2 c3"));
        let full = drawn("....\r\n....\r\n....").unwrap();
        assert_eq!(full, Board::new(3, 4).unwrap());
        assert_eq!(
            drawn("..\n\n..").unwrap().removed().len(),
            2,
            "an empty line in the middle is a rank without squares"
        );
    }

    #[test]
    fn what_draws_nothing_is_refused() {
        assert_eq!(drawn(""), Err(DrawnError::Empty));
        assert_eq!(drawn("##\n  #\n"), Err(DrawnError::Empty));
        assert_eq!(drawn("..\n.1"), Err(DrawnError::Sign { line: 2, column: 2, found: '1' }));
    }
}
