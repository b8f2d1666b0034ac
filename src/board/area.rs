//! Lists of squares: `a1,c3-d5`.
//!
//! A range `c3-d5` is the rectangle between two squares, of a box the smaller box between them.

use std::fmt;
use std::str::FromStr;

use super::square::Square;

/// Text that is no list of squares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AreaError {
    /// A word that is no square.
    #[error("{0}")]
    Square(String),
    /// More squares than a board has that can be counted.
    #[error("`{0}` is too large a range of squares")]
    TooMany(String),
    /// A list with a comma too many, or a range that lacks a corner.
    #[error("`{0}` has an empty place: squares are listed as a1,c3, and ranges of them as a1-c3")]
    Empty(String),
}

/// A square that ranges can be made of.
pub(super) trait Corner: Copy + FromStr<Err: fmt::Display> {
    /// How many squares there are between two, both included.
    fn many(self, other: Self) -> usize;

    /// These squares.
    fn between(self, other: Self) -> Vec<Self>;
}

impl Corner for Square {
    fn many(self, other: Self) -> usize {
        let side = |a: u16, b: u16| usize::from(a.abs_diff(b)) + 1;
        side(self.file(), other.file()) * side(self.rank(), other.rank())
    }

    fn between(self, other: Self) -> Vec<Self> {
        let files = self.file().min(other.file())..=self.file().max(other.file());
        let ranks = self.rank().min(other.rank())..=self.rank().max(other.rank());
        ranks.flat_map(|rank| files.clone().map(move |file| Self::new(file, rank))).collect()
    }
}

/// Reads a list of squares of a board; `-` is none.
///
/// ```
/// let squares = ktour::board::squares("a1,c3-d4")?;
/// assert_eq!(squares.len(), 5);
/// # Ok::<(), ktour::board::AreaError>(())
/// ```
///
/// # Errors
/// A word that is neither a square nor a range, or too large a range.
pub fn squares(text: &str) -> Result<Vec<Square>, AreaError> {
    read(text)
}

/// Squares that are removed, as a list that reads back; `-` if there are none.
pub(super) fn written<T: fmt::Display>(squares: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

/// Squares that a list may have.
const MOST: usize = 1 << 24;

/// Reads a list of squares and ranges; `-` is none.
///
/// # Errors
/// A word that is neither a square nor a range.
pub(super) fn read<S: Corner>(text: &str) -> Result<Vec<S>, AreaError> {
    let square = |name: &str| name.trim().parse::<S>().map_err(|error| AreaError::Square(error.to_string()));
    let mut squares = Vec::new();
    if text == "-" {
        return Ok(squares);
    }
    for word in text.split(',') {
        if word.split('-').any(|name| name.trim().is_empty()) {
            return Err(AreaError::Empty(if word.trim().is_empty() { text } else { word }.to_owned()));
        }
        match word.split_once('-') {
            None => squares.push(square(word)?),
            Some((from, to)) => {
                let (from, to) = (square(from)?, square(to)?);
                if from.many(to).saturating_add(squares.len()) > MOST {
                    return Err(AreaError::TooMany(word.to_owned()));
                }
                squares.extend(from.between(to));
            }
        }
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let squares: Vec<Square> = read(text).map_err(|error| error.to_string())?;
        Ok(squares.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn ranges_are_rectangles_between_any_two_corners() {
        assert_eq!(names("-").unwrap(), [""; 0]);
        assert_eq!(names("a1, c3").unwrap(), ["a1", "c3"]);
        assert_eq!(names("b2-c3,a1").unwrap(), ["b2", "c2", "b3", "c3", "a1"]);
        assert_eq!(names("c2-b3").unwrap(), names("b2-c3").unwrap());
        assert_eq!(names("aa9-aa9").unwrap(), ["aa9"]);
        for bad in ["", "a1,", "a1-", "1-a", "a1-b2-c3", "a1-zzz60000"] {
            assert!(names(bad).is_err(), "{bad}");
        }
        for (bad, told) in [("b2,a1-", "`a1-` has"), ("a1,,b2", "`a1,,b2` has"), ("-a1", "`-a1` has")] {
            assert!(names(bad).unwrap_err().starts_with(told), "{bad}");
        }
    }
}
