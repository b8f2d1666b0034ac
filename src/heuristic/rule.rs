//! The rules by name: Warnsdorff's, and ways to break its ties.
//!
//! Warnsdorff (1823): go where fewest free squares can be reached next. Often two
//! or more squares tie, and the tours fail or succeed by what is done then:
//!
//! | name | among tied squares |
//! |---|---|
//! | `warnsdorff` | one at random |
//! | `warnsdorff-first` | the first in the order of moves |
//! | `pohl` | the one whose free neighbours have the smallest sum of degrees (Pohl 1967) |
//! | `pohl-3` ... `pohl-6` | still tied: the same a level deeper, up to so many levels |
//! | `roth` | the one farthest from the centre of the board (Roth) |
//! | `w+` | as `pohl`; still tied: as `roth` |
//! | `squirrel-cull` | by a fixed order of moves that changes on certain squares ([`super::squirrel`]) |
//! | `auto` | no rule: proofs, constructions and a complete search, see [`super::find()`] |
//!
//! `w2` has another key: not the moves onward from a square but the pairs of moves, the square itself being
//! taken. It goes where fewest are left, whatever the degree.
//!
//! What is still tied goes to the first in the order of moves, and in further
//! attempts to one at random.
//!
//! The names W+ and W2 are found in the literature without a definition: `w+` and `w2` are our reading of
//! them. Of two squares as near to being cut off, `w+` takes the outer one: the rim is what a walk
//! leaves behind at its peril, so Roth's order comes last there as in his own rule. On 5x5 `w2` visits 24 squares at
//! most, from whatever square and however ties are broken; on 6x6 it does find tours.

use std::fmt;
use std::str::FromStr;

/// How to look for a tour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Whatever is sure to work.
    #[default]
    Auto,
    /// Warnsdorff, ties at random.
    Warnsdorff,
    /// Warnsdorff, ties by the order of moves.
    First,
    /// Warnsdorff, ties by degrees further on; plain Warnsdorff would be 1 level.
    Pohl {
        /// Levels looked at, 2 to 6.
        levels: u8,
    },
    /// Warnsdorff, ties by distance from the centre.
    Roth,
    /// Warnsdorff, ties by the orders of Squirrel and Cull.
    SquirrelCull,
    /// Fewest pairs of moves onward.
    W2,
    /// Warnsdorff, ties by pairs of moves onward, then by distance from the centre, the outer one first.
    WPlus,
}

/// A rule that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a rule: write auto, warnsdorff, warnsdorff-first, pohl, pohl-3 to pohl-6, roth, squirrel-cull, w2 or w+"
)]
pub struct UnknownRule(String);

impl Rule {
    /// The rules by their usual names, `auto` first.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Warnsdorff,
        Self::First,
        Self::Pohl { levels: 2 },
        Self::Pohl { levels: 3 },
        Self::Roth,
        Self::SquirrelCull,
        Self::W2,
        Self::WPlus,
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Warnsdorff => "warnsdorff",
            Self::First => "warnsdorff-first",
            Self::Pohl { levels: 2 } => "pohl",
            Self::Pohl { levels } => return write!(f, "pohl-{levels}"),
            Self::Roth => "roth",
            Self::SquirrelCull => "squirrel-cull",
            Self::W2 => "w2",
            Self::WPlus => "w+",
        })
    }
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "warnsdorff" | "warnsdorff-random" => Self::Warnsdorff,
            "warnsdorff-first" | "first" => Self::First,
            "pohl" | "pohl-2" => Self::Pohl { levels: 2 },
            "pohl-3" => Self::Pohl { levels: 3 },
            "pohl-4" => Self::Pohl { levels: 4 },
            "pohl-5" => Self::Pohl { levels: 5 },
            "pohl-6" => Self::Pohl { levels: 6 },
            "roth" => Self::Roth,
            "squirrel-cull" => Self::SquirrelCull,
            "w2" => Self::W2,
            "w+" => Self::WPlus,
            _ => return Err(UnknownRule(text.to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        for bad in ["", "Auto", "pohl-7", "W+", "w3"] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }
}
