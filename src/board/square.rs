//! Squares of a board, by file and rank, and lists of them.
//!
//! Names are those of chess: a letter for the file (column, from the left) and a number for the rank (row,
//! from the bottom). Files after `z` continue as `aa`, `ab`, ..., as in a spreadsheet, so every square of
//! every board has a name.
//!
//! ```text
//! 3 | a3 b3 c3
//! 2 | a2 b2 c2
//! 1 | a1 b1 c1
//!     a  b  c
//! ```

use std::fmt;
use std::str::FromStr;

/// A square: file and rank, both from 0. Ordered by rank, then by file, so `a1` is the lowest square of every
/// board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    file: u16,
    rank: u16,
}

/// Text that is not the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a square; write a file letter and a rank number, such as a1 or c12")]
pub struct ParseSquareError(String);

impl Square {
    /// Creates the square on `file` (column from the left) and `rank` (row from the bottom), both from 0.
    #[must_use]
    pub const fn new(file: u16, rank: u16) -> Self {
        Self { file, rank }
    }

    /// Returns the column from the left, from 0.
    #[must_use]
    pub const fn file(self) -> u16 {
        self.file
    }

    /// Returns the row from the bottom, from 0.
    #[must_use]
    pub const fn rank(self) -> u16 {
        self.rank
    }

    /// Returns the square `right` files to the right and `up` ranks up, if both coordinates stay in the range
    /// of a `u16`.
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
        // A `u16` file takes at most four letters.
        let mut letters = [0u8; 4];
        let mut at = letters.len();
        let mut rest = u32::from(self.file) + 1;
        while rest > 0 {
            at -= 1;
            letters[at] = b'a' + ((rest - 1) % 26) as u8;
            rest = (rest - 1) / 26;
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
}
