//! Walking rules: Warnsdorff's rule and ways to break its ties, and the step orders of Squirrel and
//! Cull.
//!
//! Warnsdorff (1823): go to the square from which the fewest free squares can be reached. Often two
//! or more squares tie, and the choice among them decides whether the walk becomes a tour:
//!
//! | name | choice among tied squares |
//! |---|---|
//! | `warnsdorff` | one at random |
//! | `warnsdorff-first` | the first in the order of steps |
//! | `pohl` | the one whose free neighbours have the smallest sum of degrees (Pohl 1967) |
//! | `pohl-3` ... `pohl-6` | as `pohl`, with remaining ties broken one level deeper, up to that number of levels |
//! | `roth` | the one farthest from the centre of the board (Roth) |
//! | `w+` | as `pohl`, with remaining ties broken as by `roth` |
//! | `squirrel-cull` | by a fixed order of steps that changes on certain squares (see below) |
//! | `auto` | no rule: proofs, constructions and a complete search, see [`super::find()`] |
//!
//! `w2` compares squares by another number instead of the degree: the number of pairs of moves that
//! lead on from a square, counted as if this square were visited. The walk goes to the square with
//! the smallest number.
//!
//! Remaining ties are broken by the order of steps, and in further attempts at random.
//!
//! The names W+ and W2 appear in the literature without a definition: `w+` and `w2` are our reading
//! of them. Of two squares that are equally close to being cut off, `w+` takes the outer one,
//! because squares at the rim are easily cut off later; in `w+`, Roth's order comes last, as it
//! does in Roth's own rule. On 5x5 `w2` visits at most 24 squares, from every start and with every
//! choice among ties; on 6x6 it does find tours.
//!
//! # The step orders of Squirrel and Cull
//!
//! Squirrel and Cull (1996) break Warnsdorff's ties on a square board of side m by a fixed order of
//! the eight steps, and change to another order when the knight reaches a certain *switching
//! square*. The knight begins in the top left corner. Orders and squares depend on m modulo 8 (for
//! 5 modulo 8 on m modulo 16). The orders below, read from their published table, succeed on every
//! board from about m = 112 on that anyone has tried; Ganzfried proved the case 7 modulo 8. For
//! smaller boards the paper lists single orders, one of which succeeds. The single orders are tried
//! one after another, then random orders.
//!
//! ```text
//! rows and columns from 1, top left        moves     . 8 . 1 .
//!                                                    7 . . . 2
//!                                                    . . N . .
//!                                                    6 . . . 3
//!                                                    . 5 . 4 .
//! ```

use std::fmt;
use std::str::FromStr;

use super::degree_grid::Step;
use crate::random::Random;

/// A method of looking for a tour: a walking rule, or `Auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// No rule: proofs, constructions and a complete search.
    #[default]
    Auto,
    /// Warnsdorff's rule, with ties broken at random.
    Warnsdorff,
    /// Warnsdorff's rule, with ties broken by the order of steps.
    FirstInOrder,
    /// Warnsdorff's rule, with ties broken by the degrees of squares further on. One level would be
    /// plain Warnsdorff.
    Pohl {
        /// Number of levels examined, 2 to 6.
        levels: u8,
    },
    /// Warnsdorff's rule, with ties broken by distance from the centre: the outer square comes
    /// first.
    Roth,
    /// Warnsdorff's rule, with ties broken by the step orders of Squirrel and Cull.
    SquirrelCull,
    /// The rule to go to the square from which the fewest pairs of moves lead on.
    W2,
    /// Warnsdorff's rule, with ties broken by the number of pairs of moves that lead on, then by
    /// distance from the centre: the outer square comes first.
    WPlus,
}

/// Error: the text is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown rule `{0}`; use one of auto, warnsdorff, warnsdorff-first, pohl, pohl-3 to pohl-6, roth, squirrel-cull, w2 or w+"
)]
pub struct UnknownRuleError(String);

impl Rule {
    /// The rules with names in common use, `auto` first. Pohl's rule is included with 2 and 3
    /// levels.
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

/// The knight's steps with the numbers 1 to 8, as (down, right).
const NUMBERED_STEPS: [Step; 8] = [(-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1)];

/// Step orders for boards smaller than those of the published table, to be tried one after another.
/// Each digit is the number of a step.
const SINGLE_ORDERS: [&str; 19] = [
    "12345678", "21345678", "31245678", "13245678", "23145678", "32145678", "42135678", "24135678",
    "14235678", "41235678", "21435678", "12435678", "13425678", "31425678", "41325678", "14325678",
    "34125678", "43125678", "43215678",
];

/// A stage of the method of Squirrel and Cull: an order of steps, and the square on which the next
/// stage begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrderStage {
    /// The steps as (down, right), the preferred one first.
    pub order: [Step; 8],
    /// The switching square (row, column, from 0), on which the next stage begins; `None` if the
    /// stage lasts to the end of the walk.
    pub switching_square: Option<(usize, usize)>,
}

/// Returns the stages of Squirrel and Cull for a square board of side `m`.
pub(super) fn square_board_stages(m: usize) -> Vec<OrderStage> {
    let half = m / 2;
    let middle = m.saturating_sub(1) / 2;
    let from_end = |k: usize| m.saturating_sub(k);
    let fifth = if m % 16 == 5 { 2 } else { 6 };
    let end = (0, 0);
    let table: &[(&str, (usize, usize))] = &match m % 8 {
        0 => vec![
            ("34261578", (from_end(1), from_end(2))),
            ("87642135", (2, 2)),
            ("51867342", (from_end(8), 1)),
            ("51342678", (7, from_end(3))),
            ("21435678", end),
        ],
        1 => vec![
            ("34261578", (from_end(1), from_end(2))),
            ("87642135", (2, 2)),
            ("51324678", (from_end(6), middle + 5)),
            ("32481765", end),
        ],
        2 => vec![
            ("34261578", (6, 1)),
            ("87642135", (3, 1)),
            ("54132678", (from_end(15), 4)),
            ("52431678", (10, from_end(2))),
            ("85647123", (5, half.saturating_sub(3))),
            ("15746823", end),
        ],
        3 => vec![
            ("34625718", (from_end(1), from_end(2))),
            ("42681357", (from_end(6), m)),
            ("86512347", (2, 5)),
            ("51867342", (from_end(10), 3)),
            ("61825437", (middle + 1, from_end(2))),
            ("71642538", end),
        ],
        4 => vec![
            ("34261578", (from_end(1), from_end(2))),
            ("87642135", (2, 2)),
            ("51867342", (from_end(8), 1)),
            ("51342678", (10, from_end(5))),
            ("86753421", (13, half + 1)),
            ("78563421", end),
        ],
        5 => vec![
            ("34261578", (from_end(1), from_end(2))),
            ("87642135", (2, 2)),
            ("51324678", (from_end(2), middle.saturating_sub(fifth))),
            ("15234678", end),
        ],
        6 => vec![
            ("34261578", (6, 1)),
            ("87642135", (3, 1)),
            ("54132678", (from_end(10), 1)),
            ("52431678", (10, from_end(2))),
            ("85647123", (3, half + 4)),
            ("12453678", end),
        ],
        _ => vec![
            ("34625718", (from_end(1), from_end(2))),
            ("42681357", (from_end(6), m)),
            ("86512347", (2, 5)),
            ("51867342", (from_end(6), 3)),
            ("61825437", (middle + 1, from_end(2))),
            ("61357284", end),
        ],
    };
    let last = table.len() - 1;
    table
        .iter()
        .enumerate()
        .map(|(i, &(text, (row, col)))| OrderStage {
            order: parse_step_order(text),
            switching_square: (i < last && row > 0 && col > 0).then(|| (row - 1, col - 1)),
        })
        .collect()
}

/// Number of single step orders for small boards.
pub(super) const SINGLE_ORDER_COUNT: u64 = SINGLE_ORDERS.len() as u64;

/// Returns the only stage of a walk with the single step order number `turn`, modulo
/// [`SINGLE_ORDER_COUNT`].
pub(super) fn single_step_order(turn: u64) -> Vec<OrderStage> {
    vec![OrderStage {
        order: parse_step_order(SINGLE_ORDERS[(turn % SINGLE_ORDER_COUNT) as usize]),
        switching_square: None,
    }]
}

/// Returns the only stage of a walk with a random step order, for attempts after all single orders.
pub(super) fn random_step_order(rng: &mut Random) -> Vec<OrderStage> {
    let mut order = NUMBERED_STEPS;
    rng.shuffle(&mut order);
    vec![OrderStage { order, switching_square: None }]
}

fn parse_step_order(text: &str) -> [Step; 8] {
    let mut moves = text.bytes().map(|b| NUMBERED_STEPS[usize::from(b - b'1')]);
    std::array::from_fn(|_| moves.next().expect("an order names eight moves"))
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

#[cfg(test)]
mod squirrel_cull_tests {
    use super::*;

    #[test]
    fn orders_contain_each_step_once() {
        let singles = (0..SINGLE_ORDER_COUNT).flat_map(single_step_order);
        for stage in (5..200).flat_map(square_board_stages).chain(singles) {
            let mut moves = stage.order;
            moves.sort_unstable();
            let mut all = NUMBERED_STEPS;
            all.sort_unstable();
            assert_eq!(moves, all);
        }
    }
}
