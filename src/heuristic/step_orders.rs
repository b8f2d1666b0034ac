//! The step orders of Squirrel and Cull.
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

use super::degree_grid::Step;
use crate::random::Random;

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
