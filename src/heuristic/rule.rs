//! The walking rules: Warnsdorff's rule and ways to break its ties.
//!
//! Warnsdorff (1823): go to the square from which the fewest free squares can be reached. Often two
//! or more squares tie, and the choice among them decides whether the walk becomes a tour. A [`Rule`]
//! is a list of criteria: each one keeps the best of the squares that tie by those before it.
//! Remaining ties are broken by the order of steps, and in further attempts at random.
//!
//! The names W+ and W2 appear in the literature without a definition: `w+` and `w2` are our reading
//! of them. `w2` counts pairs of moves instead of moves. Of two squares that are equally close to being
//! cut off, `w+` takes the outer one, because squares at the rim are easily cut off later; in `w+`,
//! Roth's order comes last, as it does in Roth's own rule. On 5x5 `w2` visits at most 24 squares, from
//! every start and with every choice among ties; on 6x6 it does find tours.

use std::fmt;
use std::str::FromStr;

/// A criterion by which a rule chooses among the squares to which a walk can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Criterion {
    /// The fewest moves lead on from the square.
    Degree,
    /// The smallest sum of degrees at this level. Level 2 adds up the degrees of the free neighbours, each
    /// further level the sums of the level below.
    DegreeSum(u8),
    /// The fewest pairs of moves lead on from the square, counted as if it were visited.
    OnwardPairs,
    /// The greatest distance from the centre of the board.
    CentreDistance,
    /// The earliest in the orders of steps of Squirrel and Cull.
    StepOrder,
    /// A random choice.
    Random,
}

use Criterion::{CentreDistance, Degree, DegreeSum, OnwardPairs, StepOrder};

/// A method of looking for a tour: a walking rule, or [`Rule::AUTO`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Name of the rule.
    pub name: &'static str,
    /// Another name of the rule, if it has one.
    pub alias: Option<&'static str>,
    /// Author and year of the rule, where they are known.
    pub source: &'static str,
    /// Description of the rule in one line.
    pub description: &'static str,
    /// The criteria by which the rule compares squares, the most important first.
    pub(super) criteria: &'static [Criterion],
}

impl Rule {
    /// No rule: proofs, constructions and a complete search.
    pub const AUTO: Self = Self {
        name: "auto",
        alias: None,
        source: "",
        description: "Proofs, constructions and a complete search instead of a rule",
        criteria: &[Degree],
    };

    /// Warnsdorff's rule, with ties broken at random.
    pub const WARNSDORFF: Self = Self {
        name: "warnsdorff",
        alias: Some("warnsdorff-random"),
        source: "Warnsdorff 1823",
        description: "Fewest moves onward, ties at random",
        criteria: &[Degree, Criterion::Random],
    };

    /// All rules, [`Rule::AUTO`] first.
    pub const ALL: [Self; 12] = [
        Self::AUTO,
        Self::WARNSDORFF,
        Self {
            name: "warnsdorff-first",
            alias: Some("first"),
            source: "Warnsdorff 1823",
            description: "Ties by the given order of moves",
            criteria: &[Degree],
        },
        Self {
            name: "pohl",
            alias: Some("pohl-2"),
            source: "Pohl 1967",
            description: "Ties by degrees two levels deep",
            criteria: &[Degree, DegreeSum(2)],
        },
        Self {
            name: "pohl-3",
            alias: None,
            source: "Pohl 1967",
            description: "Three levels deep",
            criteria: &[Degree, DegreeSum(2), DegreeSum(3)],
        },
        Self {
            name: "pohl-4",
            alias: None,
            source: "Pohl 1967",
            description: "Four levels deep",
            criteria: &[Degree, DegreeSum(2), DegreeSum(3), DegreeSum(4)],
        },
        Self {
            name: "pohl-5",
            alias: None,
            source: "Pohl 1967",
            description: "Five levels deep",
            criteria: &[Degree, DegreeSum(2), DegreeSum(3), DegreeSum(4), DegreeSum(5)],
        },
        Self {
            name: "pohl-6",
            alias: None,
            source: "Pohl 1967",
            description: "Six levels deep",
            criteria: &[Degree, DegreeSum(2), DegreeSum(3), DegreeSum(4), DegreeSum(5), DegreeSum(6)],
        },
        Self {
            name: "roth",
            alias: None,
            source: "Roth",
            description: "Ties away from the centre",
            criteria: &[Degree, CentreDistance],
        },
        Self {
            name: "squirrel-cull",
            alias: None,
            source: "Squirrel and Cull 1996",
            description: "Ties by fixed orders of moves",
            criteria: &[Degree, StepOrder],
        },
        Self {
            name: "w2",
            alias: None,
            source: "a reading of W2",
            description: "Fewest pairs of moves onward: to a free square, and from there to another",
            criteria: &[OnwardPairs],
        },
        Self {
            name: "w+",
            alias: None,
            source: "a reading of W+",
            description: "Warnsdorff, ties by pairs of moves onward, then away from the centre",
            criteria: &[Degree, DegreeSum(2), CentreDistance],
        },
    ];

    /// Returns true if this is [`Rule::AUTO`], so that no rule is used.
    #[must_use]
    pub fn is_auto(self) -> bool {
        self == Self::AUTO
    }

    /// Returns true if the rule breaks ties at random in every attempt.
    pub(super) fn is_random(self) -> bool {
        self.criteria.contains(&Criterion::Random)
    }

    /// Returns true if the rule breaks ties by the step orders of Squirrel and Cull, which no further
    /// criterion follows.
    pub(super) fn has_step_orders(self) -> bool {
        self.criteria.contains(&StepOrder)
    }
}

/// Error: the text is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown rule `{0}`; use one of auto, warnsdorff, warnsdorff-first, pohl, pohl-3 to pohl-6, roth, squirrel-cull, w2 or w+"
)]
pub struct UnknownRuleError(String);

impl Default for Rule {
    fn default() -> Self {
        Self::AUTO
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Rule {
    type Err = UnknownRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let has_name = |rule: &Self| rule.name == text || rule.alias == Some(text);
        Self::ALL.into_iter().find(has_name).ok_or_else(|| UnknownRuleError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_round_trip() {
        for rule in Rule::ALL {
            assert_eq!(rule.name.parse(), Ok(rule));
            assert!(rule.alias.is_none_or(|alias| alias.parse() == Ok(rule)), "{rule}");
        }
        for bad in ["", "Auto", "pohl-7", "W+", "w3"] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }

    #[test]
    fn criteria_begin_with_a_comparison_of_all_squares() {
        for rule in Rule::ALL {
            assert!(matches!(rule.criteria[0], Degree | OnwardPairs), "{rule}");
            assert!(!rule.has_step_orders() || rule.criteria.last() == Some(&StepOrder), "{rule}");
        }
    }
}
