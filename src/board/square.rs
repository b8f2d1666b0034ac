//! Squares of a rectangle and of a box, their names, and lists of squares.
//!
//! Names are as in chess: a letter for the file (column, from the left) and a number for the rank
//! (row, from the bottom). Files after `z` continue as `aa`, `ab`, ..., as in a spreadsheet, so
//! every square of every board has a name.
//!
//! ```text
//! 3 | a3 b3 c3
//! 2 | a2 b2 c2
//! 1 | a1 b1 c1
//!     a  b  c
//! ```
//!
//! A list of squares is written as `a1,c3-d5`. The range `c3-d5` is the rectangle with these two
//! corners; in a box it is the smaller box with these two corners.
//!
//! A square of a box is named by file, rank and layer: `a1.1`.

use std::fmt;
use std::str::FromStr;

use crate::text_format::printable_excerpt;

/// A square, given by file and rank, both counted from 0. Squares are ordered by rank, then by
/// file, so `a1` is the lowest square of every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    file: u16,
    rank: u16,
}

/// Text that is not the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a square; write a file letter and a rank number, such as a1 or c12", printable_excerpt(.0.as_bytes()))]
pub struct ParseSquareError(String);

impl Square {
    /// Creates the square on `file` (column from the left) and `rank` (row from the bottom), both from 0.
    #[must_use]
    pub const fn new(file: u16, rank: u16) -> Self {
        Self { file, rank }
    }

    /// Returns the file of the square: its column from the left, counted from 0.
    #[must_use]
    pub const fn file(self) -> u16 {
        self.file
    }

    /// Returns the rank of the square: its row from the bottom, counted from 0.
    #[must_use]
    pub const fn rank(self) -> u16 {
        self.rank
    }

    /// Returns the square `right` files to the right and `up` ranks up; `None` if its file or rank
    /// would be below 0 or above 65535.
    #[must_use]
    pub fn offset(self, right: i32, up: i32) -> Option<Self> {
        let file = u16::try_from(i32::from(self.file) + right).ok()?;
        let rank = u16::try_from(i32::from(self.rank) + up).ok()?;
        Some(Self { file, rank })
    }

    /// Returns true if the square has the colour of `a1`.
    #[must_use]
    pub const fn is_dark(self) -> bool {
        (self.file ^ self.rank) & 1 == 0
    }
}

impl Ord for Square {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank, self.file).cmp(&(other.rank, other.file))
    }
}

impl PartialOrd for Square {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name of a file that fits a `u16` has at most four letters.
        let mut letters = [0u8; 4];
        let mut at = letters.len();
        let mut number = u32::from(self.file) + 1;
        while number > 0 {
            at -= 1;
            letters[at] = b'a' + ((number - 1) % 26) as u8;
            number = (number - 1) / 26;
        }
        for &letter in &letters[at..] {
            fmt::Write::write_char(f, char::from(letter))?;
        }
        write!(f, "{}", u32::from(self.rank) + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseSquareError(text.to_owned());
        let digits = text.find(|c: char| !c.is_ascii_alphabetic()).ok_or_else(bad)?;
        let (letters, number) = text.split_at(digits);
        if letters.is_empty() || letters.len() > 4 || number.starts_with(['+', '0']) {
            return Err(bad());
        }
        let file =
            letters.bytes().fold(0u32, |file, b| file * 26 + u32::from(b.to_ascii_lowercase() - b'a') + 1);
        let rank: u32 = number.parse().map_err(|_| bad())?;
        let file = u16::try_from(file - 1).map_err(|_| bad())?;
        let rank = rank.checked_sub(1).and_then(|r| u16::try_from(r).ok()).ok_or_else(bad)?;
        Ok(Self { file, rank })
    }
}

/// An error in a list of squares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SquareListError {
    /// An item that is not the name of a square. The field holds the whole message.
    #[error("{0}")]
    Square(String),
    /// A list of more than 2^24 squares. The field holds the range that exceeds the limit.
    #[error("`{0}` makes a list of more than 16777216 squares; list fewer squares")]
    TooMany(String),
    /// An empty item, as after a superfluous comma, or a range without one of its corners. The
    /// field holds the item, or the whole text if the item is blank.
    #[error("`{0}` has an empty item; write squares as a1,c3 and ranges as a1-c3")]
    EmptyItem(String),
}

/// Parses a comma-separated list of squares of a rectangle and ranges such as `c3-d4`; `-` is the
/// empty list.
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
    Ok(parse_square_list::<Square>(text)?.into_iter().map(BoxSquare::square).collect())
}

/// Formats squares as a comma-separated list that can be parsed; `-` for no squares.
pub(super) fn format_squares<T: fmt::Display>(squares: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

/// Maximum number of squares in a list.
const MAX_LISTED_SQUARES: usize = 1 << 24;

/// Parses a comma-separated list of squares `S` and ranges, of a rectangle or of a box; `-` is the
/// empty list. A rectangle is the layer 0 of a box.
///
/// # Errors
/// An item is neither a square nor a range, or the list has more than [`MAX_LISTED_SQUARES`] squares.
fn parse_square_list<S>(text: &str) -> Result<Vec<BoxSquare>, SquareListError>
where
    S: FromStr<Err: fmt::Display> + Into<BoxSquare>,
{
    let square = |name: &str| -> Result<BoxSquare, SquareListError> {
        let square: Result<S, _> = name.trim().parse();
        square.map(Into::into).map_err(|error| SquareListError::Square(error.to_string()))
    };
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

/// A square of a box: a square of one of its layers. Squares are ordered by layer, then by rank,
/// then by file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoxSquare {
    /// Number of the layer from the bottom, counted from 0.
    layer: u16,
    square: Square,
}

/// Text that is not the name of a square of a box.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a square of a box; write file, rank and layer, such as a1.1", printable_excerpt(.0.as_bytes()))]
pub struct ParseBoxSquareError(String);

impl BoxSquare {
    /// Creates the square of a box that has the position `square` within layer number `layer`,
    /// counted from 0.
    #[must_use]
    pub const fn new(square: Square, layer: u16) -> Self {
        Self { layer, square }
    }

    /// Returns the position of the square within its layer.
    #[must_use]
    pub const fn square(self) -> Square {
        self.square
    }

    /// Returns the number of the layer from the bottom, counted from 0.
    #[must_use]
    pub const fn layer(self) -> u16 {
        self.layer
    }

    /// Returns file, rank and layer.
    const fn coordinates(self) -> [u16; 3] {
        [self.square.file, self.square.rank, self.layer]
    }

    /// Returns the number of squares in the box whose opposite corners are `self` and `other`.
    fn count_to(self, other: Self) -> usize {
        let sides = self.coordinates().into_iter().zip(other.coordinates());
        sides.fold(1, |count: usize, (a, b)| count.saturating_mul(usize::from(a.abs_diff(b)) + 1))
    }

    /// Returns all squares in the box whose opposite corners are `self` and `other`, ascending.
    fn range_to(self, other: Self) -> impl Iterator<Item = Self> {
        let (from, to) = (self.coordinates(), other.coordinates());
        let [files, ranks, layers] =
            [0, 1, 2].map(|axis| from[axis].min(to[axis])..=from[axis].max(to[axis]));
        layers.flat_map(move |layer| {
            let files = files.clone();
            let squares =
                ranks.clone().flat_map(move |rank| files.clone().map(move |file| Square::new(file, rank)));
            squares.map(move |square| Self { layer, square })
        })
    }
}

impl From<Square> for BoxSquare {
    fn from(square: Square) -> Self {
        Self { layer: 0, square }
    }
}

/// Parses a comma-separated list of squares of a box and ranges, such as `a1.1,b2.1-c3.2`; `-` is
/// the empty list.
///
/// # Errors
/// An item is neither a square nor a range, or the list has more than 2^24 squares.
pub fn parse_box_squares(text: &str) -> Result<Vec<BoxSquare>, SquareListError> {
    parse_square_list::<BoxSquare>(text)
}

impl fmt::Display for BoxSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.square, u32::from(self.layer) + 1)
    }
}

impl FromStr for BoxSquare {
    type Err = ParseBoxSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (square, layer) = text.split_once('.')?;
            let square = square.parse().ok()?;
            let number = layer.parse::<u32>().ok().filter(|_| !layer.starts_with(['+', '0']))?;
            Some(Self { layer: u16::try_from(number - 1).ok()?, square })
        };
        parse().ok_or_else(|| ParseBoxSquareError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_names_round_trip_beyond_file_z() {
        for file in (0..800).chain([18_277, 18_278, u16::MAX]) {
            for rank in [0, 1, 9, 99, u16::MAX] {
                let square = Square::new(file, rank);
                assert_eq!(square.to_string().parse(), Ok(square));
            }
        }
        assert_eq!(Square::new(26, 0).to_string(), "aa1");
        assert_eq!("AB12".parse(), Ok(Square::new(27, 11)));
    }

    #[test]
    fn from_str_rejects_invalid_names() {
        for bad in
            ["", "a", "1", "a0", "a-1", "a+1", "a01", "1a", "a1b", "é1", "abcde1", "zzzz1", "a65537", "a 1"]
        {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn squares_sort_by_rank_then_file() {
        let mut squares: Vec<Square> = ["b2", "a2", "c1", "a1"].iter().map(|s| s.parse().unwrap()).collect();
        squares.sort();
        assert_eq!(squares.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a1", "c1", "a2", "b2"]);
    }

    fn parsed_names(text: &str) -> Result<Vec<String>, String> {
        let squares = parse_squares(text).map_err(|error| error.to_string())?;
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
        for (bad, named) in [("b2,a1-", "`a1-`"), ("a1,,b2", "`a1,,b2`"), ("-a1", "`-a1`")] {
            assert!(parsed_names(bad).unwrap_err().starts_with(named), "{bad}");
        }
    }

    #[test]
    fn box_square_names_round_trip() {
        for (layer, square) in
            [(0, Square::new(0, 0)), (8, Square::new(26, 11)), (u16::MAX, Square::new(3, 1))]
        {
            let box_square = BoxSquare::new(square, layer);
            assert_eq!(box_square.to_string().parse(), Ok(box_square));
            assert_eq!((box_square.layer(), box_square.square()), (layer, square));
        }
        assert_eq!("b3.2".parse(), Ok(BoxSquare::new(Square::new(1, 2), 1)));
        for bad in ["a1", "a1.", "a1.0", ".1", "a1.+1", "a1.65537", "a1.1.1"] {
            assert!(bad.parse::<BoxSquare>().is_err(), "{bad}");
        }
    }

    #[test]
    fn range_covers_box_between_corners() {
        let cubes = parse_box_squares("a1.1-b2.2,c3.3").unwrap();
        assert_eq!(cubes.len(), 9);
        assert_eq!(cubes[7].to_string(), "b2.2");
    }
}
