//! Pieces: a [`Piece`] combines the moves of one or several leapers.
//!
//! ```text
//! knight = 1,2      king = wazir+ferz = 0,1+1,1      squirrel = 0,2+1,2+2,2
//! ```

use std::fmt;
use std::str::FromStr;

use super::leaper::{Leaper, LeaperError};
use super::square::Square;

/// A piece with the moves of one or several leapers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// At least one leaper; ascending, without duplicates.
    leapers: Vec<Leaper>,
}

/// An error in the name or the leapers of a piece.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PieceError {
    /// A name that no piece has.
    #[error(
        "`{0}` is not a piece; write a name such as knight or king, the two numbers of a leaper such as 1,2, or several with `+`"
    )]
    UnknownName(String),
    /// A leaper that is not valid.
    #[error(transparent)]
    Leaper(#[from] LeaperError),
}

/// Names of pieces, each with the numbers of its leapers.
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

    /// Returns the leaper if the piece is a single leaper.
    #[must_use]
    pub fn leaper(&self) -> Option<Leaper> {
        match self.leapers.as_slice() {
            [leaper] => Some(*leaper),
            _ => None,
        }
    }

    /// Returns all different steps as (right, up), leaper by leaper.
    #[must_use]
    pub fn steps(&self) -> Vec<(i32, i32)> {
        self.leapers.iter().flat_map(|leaper| leaper.steps()).collect()
    }

    /// Returns true if a step leads from `from` to `to` on a board without joined edges.
    #[must_use]
    pub fn can_move(&self, from: Square, to: Square) -> bool {
        self.leapers.iter().any(|leaper| leaper.can_move(from, to))
    }

    /// Returns all known names of pieces.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PIECES.iter().map(|(name, _)| *name)
    }

    /// Returns the name of the piece, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let is_it = |steps: &[(u16, u16)]| {
            steps.iter().copied().eq(self.leapers.iter().map(|leaper| (leaper.short(), leaper.long())))
        };
        PIECES.iter().find(|(_, steps)| is_it(steps)).map(|(name, _)| *name)
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
    /// Writes the numbers of the leapers: `0,1+1,1`.
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
}
