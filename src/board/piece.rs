//! [`Piece`] and [`Leaper`]: the pieces that move on a board. A piece combines the moves of one or
//! several leapers.
//!
//! ```text
//! knight = 1,2      king = wazir+ferz = 0,1+1,1      squirrel = 0,2+1,2+2,2
//! ```
//!
//! An (a,b)-[`Leaper`] jumps `a` squares along one axis and `b` squares along the other. The knight
//! is the (1,2)-leaper; others are the wazir (0,1), camel (1,3), giraffe (1,4) and zebra (2,3).
//! Every symmetry of the square maps steps of a leaper to steps of the leaper, so every symmetry of
//! a rectangle is an automorphism of its graph.

use std::fmt;
use std::num::IntErrorKind;
use std::str::FromStr;

use super::square::Square;

/// A piece with the moves of one or several leapers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The leapers whose moves the piece has: at least one, ascending, without duplicates.
    leapers: Vec<Leaper>,
}

/// An error in the name or the leapers of a piece.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PieceError {
    /// A text that is neither the name of a piece nor the two numbers of a leaper.
    #[error(
        "`{0}` is not a piece; write the two numbers of a leaper such as 1,2, several with `+`, or one of {names}",
        names = Piece::names().collect::<Vec<_>>().join(", ")
    )]
    UnknownName(String),
    /// A leaper whose numbers are not valid.
    #[error(transparent)]
    Leaper(#[from] LeaperError),
}

/// Names of pieces, each with the two numbers of every leaper that the piece combines.
const PIECES: [(&str, &[(u16, u16)]); 23] = [
    ("knight", &[(1, 2)]),
    ("king", &[(0, 1), (1, 1)]),
    ("wazir", &[(0, 1)]),
    ("ferz", &[(1, 1)]),
    ("dabbaba", &[(0, 2)]),
    ("alfil", &[(2, 2)]),
    ("threeleaper", &[(0, 3)]),
    ("camel", &[(1, 3)]),
    ("zebra", &[(2, 3)]),
    ("tripper", &[(3, 3)]),
    ("fourleaper", &[(0, 4)]),
    ("giraffe", &[(1, 4)]),
    ("stag", &[(2, 4)]),
    ("antelope", &[(3, 4)]),
    ("commuter", &[(4, 4)]),
    ("alibaba", &[(0, 2), (2, 2)]),
    ("squirrel", &[(0, 2), (1, 2), (2, 2)]),
    ("centaur", &[(0, 1), (1, 1), (1, 2)]),
    ("gnu", &[(1, 2), (1, 3)]),
    ("okapi", &[(1, 2), (2, 3)]),
    ("bison", &[(1, 3), (2, 3)]),
    ("wizard", &[(1, 1), (1, 3)]),
    ("champion", &[(0, 1), (0, 2), (2, 2)]),
];

impl Piece {
    /// Creates the piece with the moves of all given leapers.
    ///
    /// # Panics
    /// If `leapers` is empty.
    #[must_use]
    pub fn new(leapers: impl IntoIterator<Item = Leaper>) -> Self {
        let mut leapers: Vec<Leaper> = leapers.into_iter().collect();
        assert!(!leapers.is_empty(), "a piece must have a leaper");
        leapers.sort_unstable();
        leapers.dedup();
        Self { leapers }
    }

    /// Returns the leapers of the piece, ascending.
    #[must_use]
    pub fn leapers(&self) -> &[Leaper] {
        &self.leapers
    }

    /// Returns the only leaper of the piece; `None` if the piece combines several leapers.
    #[must_use]
    pub fn leaper(&self) -> Option<Leaper> {
        match self.leapers.as_slice() {
            [leaper] => Some(*leaper),
            _ => None,
        }
    }

    /// Returns all different steps of the piece as (right, up), leaper by leaper.
    #[must_use]
    pub fn steps(&self) -> Vec<(i32, i32)> {
        self.leapers.iter().flat_map(|leaper| leaper.steps()).collect()
    }

    /// Returns the names of all pieces that have a name.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PIECES.iter().map(|(name, _)| *name)
    }

    /// Returns the name of the piece; `None` if it has no name.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let matches = |steps: &[(u16, u16)]| {
            steps.iter().copied().eq(self.leapers.iter().map(|leaper| (leaper.short(), leaper.long())))
        };
        PIECES.iter().find(|(_, steps)| matches(steps)).map(|(name, _)| *name)
    }
}

impl Default for Piece {
    fn default() -> Self {
        Self::from(Leaper::KNIGHT)
    }
}

impl From<Leaper> for Piece {
    fn from(leaper: Leaper) -> Self {
        Self { leapers: vec![leaper] }
    }
}

impl fmt::Display for Piece {
    /// Writes the two numbers of each leaper of the piece, such as `0,1+1,1` for the king.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.leapers.iter().map(ToString::to_string).collect();
        f.pad(&steps.join("+"))
    }
}

impl FromStr for Piece {
    type Err = PieceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut leapers = Vec::new();
        for part in text.split('+').map(str::trim) {
            match PIECES.iter().find(|(name, _)| name.eq_ignore_ascii_case(part)) {
                Some((_, steps)) => {
                    for &(short, long) in *steps {
                        leapers.push(Leaper::new(short, long)?);
                    }
                }
                None if part.starts_with(|c: char| c.is_ascii_digit()) => leapers.push(part.parse()?),
                None => return Err(PieceError::UnknownName(part.to_owned())),
            }
        }
        Ok(Self::new(leapers))
    }
}

/// An (a,b)-leaper with `a <= b` and `b >= 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaper {
    short: u16,
    long: u16,
}

/// An error in the two numbers of a leaper.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaperError {
    /// Two numbers that are both 0.
    #[error("leaper 0,0 cannot move; write two numbers that are not both 0, such as 1,2")]
    ZeroSteps,
    /// Text that is not two numbers separated by a comma.
    #[error("`{0}` is not a leaper; write two numbers, such as 1,2 for the knight")]
    Parse(String),
    /// A number above 65535, the maximum.
    #[error("leaper `{0}` steps too far; write numbers of at most {max}", max = u16::MAX)]
    TooFar(String),
}

impl Leaper {
    /// The knight of chess.
    pub const KNIGHT: Self = Self { short: 1, long: 2 };

    /// Creates the (a,b)-leaper. The order of `a` and `b` does not matter.
    ///
    /// # Errors
    /// [`LeaperError::ZeroSteps`] if both numbers are 0.
    pub fn new(a: u16, b: u16) -> Result<Self, LeaperError> {
        if a == 0 && b == 0 {
            return Err(LeaperError::ZeroSteps);
        }
        Ok(Self { short: a.min(b), long: a.max(b) })
    }

    /// Returns the smaller of the two numbers of the leaper.
    #[must_use]
    pub const fn short(self) -> u16 {
        self.short
    }

    /// Returns the larger of the two numbers of the leaper.
    #[must_use]
    pub const fn long(self) -> u16 {
        self.long
    }

    /// Returns all different steps of the leaper as (right, up), 4 or 8 steps in ascending order.
    #[must_use]
    pub fn steps(self) -> Vec<(i32, i32)> {
        let (a, b) = (i32::from(self.short), i32::from(self.long));
        let mut steps: Vec<(i32, i32)> =
            [(a, b), (b, a)].into_iter().flat_map(|(x, y)| [(x, y), (x, -y), (-x, y), (-x, -y)]).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Returns true if one move of the leaper leads from `from` to `to`.
    #[must_use]
    pub const fn can_move(self, from: Square, to: Square) -> bool {
        let right = from.file().abs_diff(to.file());
        let up = from.rank().abs_diff(to.rank());
        let (short, long) = if right < up { (right, up) } else { (up, right) };
        short == self.short && long == self.long
    }

    /// Returns true if every move changes the colour of the square (a + b odd).
    #[must_use]
    pub const fn changes_colour(self) -> bool {
        (self.short ^ self.long) & 1 == 1
    }
}

impl Default for Leaper {
    fn default() -> Self {
        Self::KNIGHT
    }
}

impl fmt::Display for Leaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.short, self.long)
    }
}

impl FromStr for Leaper {
    type Err = LeaperError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || LeaperError::Parse(text.to_owned());
        let (a, b) = text.split_once(',').ok_or_else(bad)?;
        let step = |s: &str| {
            s.trim().parse::<u16>().map_err(|error| match error.kind() {
                IntErrorKind::PosOverflow => LeaperError::TooFar(text.to_owned()),
                _ => bad(),
            })
        };
        Self::new(step(a)?, step(b)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_steps_round_trip() {
        for name in Piece::names() {
            let piece: Piece = name.parse().unwrap();
            assert_eq!(piece.name(), Some(name));
            assert_eq!(piece.to_string().parse(), Ok(piece));
        }
        let king: Piece = "ferz + wazir".parse().unwrap();
        assert_eq!(
            (king.to_string().as_str(), king.name(), king.steps().len()),
            ("0,1+1,1", Some("king"), 8)
        );
        assert_eq!("King+1,1+0,1".parse(), Ok(king.clone()));
        assert_eq!((king.leaper(), Piece::default().leaper()), (None, Some(Leaper::KNIGHT)));
        assert_eq!("2,1+knight".parse(), Ok(Piece::default()));
        assert_eq!("1,2+1,5".parse::<Piece>().unwrap().name(), None);
    }

    #[test]
    fn from_str_rejects_unknown_pieces() {
        for bad in ["", "night", "knight+", "1,2,3", "0,0", "+", "1"] {
            assert!(bad.parse::<Piece>().is_err(), "{bad}");
        }
    }

    #[test]
    fn leaper_steps_are_distinct() {
        assert_eq!(Leaper::KNIGHT.steps().len(), 8);
        assert_eq!(Leaper::new(1, 0).unwrap().steps(), [(-1, 0), (0, -1), (0, 1), (1, 0)]);
        assert_eq!(Leaper::new(2, 2).unwrap().steps().len(), 4);
    }

    #[test]
    fn from_str_rejects_zero_and_invalid_steps() {
        assert_eq!("0,0".parse::<Leaper>(), Err(LeaperError::ZeroSteps));
        assert_eq!("2,1".parse(), Ok(Leaper::KNIGHT));
        for bad in ["", "1", "1,2,3", "a,b", "-1,2", "1,99999"] {
            assert!(bad.parse::<Leaper>().is_err(), "{bad}");
        }
        assert_eq!("1,65535".parse(), Leaper::new(1, 65535));
        assert_eq!("65536,1".parse::<Leaper>(), Err(LeaperError::TooFar("65536,1".to_owned())));
    }
}
