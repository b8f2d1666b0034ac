//! An (a,b)-[`Leaper`] jumps `a` squares along one axis and `b` squares along the other. The knight is the
//! (1,2)-leaper; wazir (0,1), camel (1,3), giraffe (1,4) and zebra (2,3) are others. The set of steps is
//! closed under all eight symmetries of the square, so every symmetry of a rectangle is an automorphism of
//! its graph.

use std::fmt;
use std::num::IntErrorKind;
use std::str::FromStr;

use super::Square;

/// An (a,b)-leaper with `a <= b` and `b >= 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leaper {
    short: u16,
    long: u16,
}

/// An error in the text or the steps of a leaper.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaperError {
    /// Both numbers are zero.
    #[error("leaper 0,0 cannot move; write two numbers that are not both 0, such as 1,2")]
    ZeroSteps,
    /// Text that is not two numbers.
    #[error("`{0}` is not a leaper; write two numbers, such as 1,2 for the knight")]
    Parse(String),
    /// A number above 65535, the maximum.
    #[error("leaper `{0}` steps too far; write numbers of at most {max}", max = u16::MAX)]
    TooFar(String),
}

impl Leaper {
    /// The knight of chess.
    pub const KNIGHT: Self = Self { short: 1, long: 2 };

    /// Creates the (a,b)-leaper; the order of `a` and `b` does not matter.
    ///
    /// # Errors
    /// [`LeaperError::ZeroSteps`] if both are zero.
    pub fn new(a: u16, b: u16) -> Result<Self, LeaperError> {
        if a == 0 && b == 0 {
            return Err(LeaperError::ZeroSteps);
        }
        Ok(Self { short: a.min(b), long: a.max(b) })
    }

    /// Returns the smaller number.
    #[must_use]
    pub const fn short(self) -> u16 {
        self.short
    }

    /// Returns the larger number.
    #[must_use]
    pub const fn long(self) -> u16 {
        self.long
    }

    /// Returns all different steps as (right, up), 4 or 8 of them, in ascending order.
    #[must_use]
    pub fn steps(self) -> Vec<(i32, i32)> {
        let (a, b) = (i32::from(self.short), i32::from(self.long));
        let mut steps: Vec<(i32, i32)> =
            [(a, b), (b, a)].into_iter().flat_map(|(x, y)| [(x, y), (x, -y), (-x, y), (-x, -y)]).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Returns true if one move leads from `from` to `to`.
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
