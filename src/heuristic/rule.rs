//! Walking rules: Warnsdorff's rule and ways to break its ties.
//!
//! Warnsdorff (1823): go to the square from which the fewest free squares can be reached. Often two or more
//! squares tie, and the choice among them decides whether the walk becomes a tour:
//!
//! | name | choice among tied squares |
//! |---|---|
//! | `warnsdorff` | one at random |
//! | `warnsdorff-first` | the first in the order of steps |
//! | `pohl` | the one whose free neighbours have the smallest sum of degrees (Pohl 1967) |
//! | `pohl-3` ... `pohl-6` | as `pohl`, with remaining ties broken one level deeper, up to that number of levels |
//! | `roth` | the one farthest from the centre of the board (Roth) |
//! | `w+` | as `pohl`, with remaining ties broken as by `roth` |
//! | `squirrel-cull` | by a fixed order of steps that changes on certain squares (`squirrel_cull`) |
//! | `auto` | no rule: proofs, constructions and a complete search, see [`super::find()`] |
//!
//! `w2` has another key: the number of pairs of moves onward from a square, the square itself being visited.
//! It goes where this number is least, regardless of the degree.
//!
//! Remaining ties are broken by the order of steps, and in further attempts at random.
//!
//! The names W+ and W2 appear in the literature without a definition: `w+` and `w2` are our reading of them.
//! Of two squares that are equally close to being cut off, `w+` takes the outer one, because squares at the
//! rim are easily cut off later; Roth's order comes last there as in his own rule. On 5x5 `w2` visits at most
//! 24 squares, from every start and with every choice among ties; on 6x6 it does find tours.

use std::fmt;
use std::str::FromStr;

/// Method of looking for a tour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Proofs, constructions and a complete search.
    #[default]
    Auto,
    /// Warnsdorff, ties at random.
    Warnsdorff,
    /// Warnsdorff, ties by the order of steps.
    FirstInOrder,
    /// Warnsdorff, ties by degrees further on; plain Warnsdorff would be 1 level.
    Pohl {
        /// Levels examined, 2 to 6.
        levels: u8,
    },
    /// Warnsdorff, ties by distance from the centre.
    Roth,
    /// Warnsdorff, ties by the orders of Squirrel and Cull.
    SquirrelCull,
    /// Fewest pairs of moves onward.
    W2,
    /// Warnsdorff, ties by pairs of moves onward, then by distance from the centre, the outer square first.
    WPlus,
}

/// Error: a text that is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a rule; write auto, warnsdorff, warnsdorff-first, pohl, pohl-3 to pohl-6, roth, squirrel-cull, w2 or w+"
)]
pub struct UnknownRuleError(String);

impl Rule {
    /// The rules by their usual names, `auto` first.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Warnsdorff,
        Self::FirstInOrder,
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
            Self::FirstInOrder => "warnsdorff-first",
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
    type Err = UnknownRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "warnsdorff" | "warnsdorff-random" => Self::Warnsdorff,
            "warnsdorff-first" | "first" => Self::FirstInOrder,
            "pohl" | "pohl-2" => Self::Pohl { levels: 2 },
            "pohl-3" => Self::Pohl { levels: 3 },
            "pohl-4" => Self::Pohl { levels: 4 },
            "pohl-5" => Self::Pohl { levels: 5 },
            "pohl-6" => Self::Pohl { levels: 6 },
            "roth" => Self::Roth,
            "squirrel-cull" => Self::SquirrelCull,
            "w2" => Self::W2,
            "w+" => Self::WPlus,
            _ => return Err(UnknownRuleError(text.to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_round_trip() {
        for rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        for bad in ["", "Auto", "pohl-7", "W+", "w3"] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }
}
