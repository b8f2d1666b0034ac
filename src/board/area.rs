//! Lists of squares: `a1,c3-d5`. A range `c3-d5` is the rectangle with these two corners; in a box it is the
//! smaller box with these two corners.

use std::fmt;
use std::str::FromStr;

use super::square::Square;

/// An error in a list of squares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SquareListError {
    /// An item that is not a square; contains the message.
    #[error("{0}")]
    Square(String),
    /// A list of more than 2^24 squares; contains the range that exceeds the limit.
    #[error("`{0}` makes a list of more than 16777216 squares; list fewer squares")]
    TooMany(String),
    /// An empty item, as after a superfluous comma, or a range without one of its corners.
    #[error("`{0}` has an empty item; write squares as a1,c3 and ranges as a1-c3")]
    EmptyItem(String),
}

/// A type of square that ranges are made of.
pub(super) trait RangeSquare: Copy + FromStr<Err: fmt::Display> {
    /// Returns the number of squares in the range from `self` to `other`, both included.
    fn count_to(self, other: Self) -> usize;

    /// Returns all squares in the range from `self` to `other`, both included.
    fn range_to(self, other: Self) -> Vec<Self>;
}

impl RangeSquare for Square {
    fn count_to(self, other: Self) -> usize {
        let side = |a: u16, b: u16| usize::from(a.abs_diff(b)) + 1;
        side(self.file(), other.file()) * side(self.rank(), other.rank())
    }

    fn range_to(self, other: Self) -> Vec<Self> {
        let files = self.file().min(other.file())..=self.file().max(other.file());
        let ranks = self.rank().min(other.rank())..=self.rank().max(other.rank());
        ranks.flat_map(|rank| files.clone().map(move |file| Self::new(file, rank))).collect()
    }
}

/// Parses a list of squares of a rectangle; `-` is the empty list.
///
/// ```
/// let squares = ktour::board::parse_squares("a1,c3-d4")?;
/// assert_eq!(squares.len(), 5);
/// # Ok::<(), ktour::board::SquareListError>(())
/// ```
///
/// # Errors
/// An item is neither a square nor a range, or the list has more than 2^24 squares.
pub fn parse_squares(text: &str) -> Result<Vec<Square>, SquareListError> {
    parse_square_list(text)
}

/// Returns the squares as a comma-separated list that [`parse_square_list`] can parse; `-` for no squares.
pub(super) fn format_squares<T: fmt::Display>(squares: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

/// Maximum number of squares in a list.
const MAX_LISTED_SQUARES: usize = 1 << 24;

/// Parses a list of squares and ranges; `-` is the empty list.
///
/// # Errors
/// An item is neither a square nor a range, or the list has more than [`MAX_LISTED_SQUARES`] squares.
pub(super) fn parse_square_list<S: RangeSquare>(text: &str) -> Result<Vec<S>, SquareListError> {
    let square =
        |name: &str| name.trim().parse::<S>().map_err(|error| SquareListError::Square(error.to_string()));
    let mut squares = Vec::new();
    if text == "-" {
        return Ok(squares);
    }
    for word in text.split(',') {
        if word.split('-').any(|name| name.trim().is_empty()) {
            return Err(SquareListError::EmptyItem(
                if word.trim().is_empty() { text } else { word }.to_owned(),
            ));
        }
        match word.split_once('-') {
            None => squares.push(square(word)?),
            Some((from, to)) => {
                let (from, to) = (square(from)?, square(to)?);
                if from.count_to(to).saturating_add(squares.len()) > MAX_LISTED_SQUARES {
                    return Err(SquareListError::TooMany(word.to_owned()));
                }
                squares.extend(from.range_to(to));
            }
        }
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_names(text: &str) -> Result<Vec<String>, String> {
        let squares: Vec<Square> = parse_square_list(text).map_err(|error| error.to_string())?;
        Ok(squares.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn ranges_are_rectangles_and_bad_items_are_named() {
        assert_eq!(parsed_names("-").unwrap(), [""; 0]);
        assert_eq!(parsed_names("a1, c3").unwrap(), ["a1", "c3"]);
        assert_eq!(parsed_names("b2-c3,a1").unwrap(), ["b2", "c2", "b3", "c3", "a1"]);
        assert_eq!(parsed_names("c2-b3").unwrap(), parsed_names("b2-c3").unwrap());
        assert_eq!(parsed_names("aa9-aa9").unwrap(), ["aa9"]);
        for bad in ["", "a1,", "a1-", "1-a", "a1-b2-c3", "a1-zzz60000"] {
            assert!(parsed_names(bad).is_err(), "{bad}");
        }
        for (bad, told) in [("b2,a1-", "`a1-`"), ("a1,,b2", "`a1,,b2`"), ("-a1", "`-a1`")] {
            assert!(parsed_names(bad).unwrap_err().starts_with(told), "{bad}");
        }
    }
}
