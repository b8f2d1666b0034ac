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

use super::{Rectangle, RectangleError, Square};

/// An error in a drawing of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// A character that stands neither for a square nor for a gap.
    #[error(
        "line {line}, column {column}: {character:?} is not part of a drawing; write `.` or a letter for a square, `#` or a space for a gap"
    )]
    UnknownCharacter {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// The character.
        character: char,
    },
    /// A drawing without squares.
    #[error("the drawing has no squares; write `.` or a letter for each square")]
    Empty,
    /// A drawing whose size is not valid.
    #[error(transparent)]
    Rectangle(#[from] RectangleError),
}

/// Parses a drawing of a board.
///
/// # Errors
/// A character without a meaning, a drawing without squares, or a side of more than 65535.
pub fn parse_drawing(text: &str) -> Result<Rectangle, DrawingError> {
    let mut ranks: Vec<Vec<bool>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let square = |(column, character): (usize, char)| match character {
            '.' => Ok(true),
            '#' | ' ' => Ok(false),
            _ if character.is_alphabetic() => Ok(true),
            _ => Err(DrawingError::UnknownCharacter { line: number, column: column + 1, character }),
        };
        ranks.push(line.trim_end().chars().enumerate().map(square).collect::<Result<_, _>>()?);
    }
    let is_rank = |rank: &Vec<bool>| !rank.is_empty();
    let first = ranks.iter().position(is_rank).ok_or(DrawingError::Empty)?;
    let last = ranks.iter().rposition(is_rank).ok_or(DrawingError::Empty)?;
    let ranks = &ranks[first..=last];
    let cols = ranks.iter().map(Vec::len).max().unwrap_or(0);
    let side = |side: usize| u16::try_from(side).map_err(|_| RectangleError::TooLarge(side.to_string()));
    let rectangle = Rectangle::new(side(ranks.len())?, side(cols)?)?;
    let holes = (0..).zip(ranks.iter().rev()).flat_map(|(rank, line)| {
        let is_square = |file: u16| line.get(usize::from(file)).copied().unwrap_or(false);
        (0..rectangle.cols()).filter(move |&file| !is_square(file)).map(move |file| Square::new(file, rank))
    });
    let holes: Vec<Square> = holes.collect();
    let board = rectangle.without(holes)?;
    if board.is_empty() { Err(DrawingError::Empty) } else { Ok(board) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_drawing_returns_rectangle_with_holes() {
        let cross = parse_drawing("\n #.#\n .Xy\n  .\n\n").unwrap();
        let names: Vec<String> = cross.squares().map(|square| square.to_string()).collect();
        assert_eq!((cross.to_string().as_str(), names.join(" ").as_str()), ("3x4", "c1 b2 c2 d2 c3"));
        let full = parse_drawing("....\r\n....\r\n....").unwrap();
        assert_eq!(full, Rectangle::new(3, 4).unwrap());
        assert_eq!(
            parse_drawing("..\n\n..").unwrap().removed().len(),
            2,
            "an empty line in the middle is a rank without squares"
        );
    }

    #[test]
    fn parse_drawing_rejects_empty_and_invalid_text() {
        assert_eq!(parse_drawing(""), Err(DrawingError::Empty));
        assert_eq!(parse_drawing("##\n  #\n"), Err(DrawingError::Empty));
        assert_eq!(
            parse_drawing("..\n.1"),
            Err(DrawingError::UnknownCharacter { line: 2, column: 2, character: '1' })
        );
    }
}
