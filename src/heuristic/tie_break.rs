//! The tie-breaker: it chooses the next step of a walk by the criteria of a rule.

use crate::random::Random;

use super::degree_grid::{DegreeGrid, Randomness, STRAY_INTERVAL, WalkRequest};
use super::rule::{Criterion, Rule};
use super::step_orders;
use super::step_orders::OrderStage;

/// A chooser among the possible steps, for one walk by one rule.
pub(super) struct TieBreaker {
    rule: Rule,
    randomness: Randomness,
    /// Remaining stages of the step orders of Squirrel and Cull, with the current stage last; empty
    /// for other rules.
    stages: Vec<OrderStage>,
}

impl TieBreaker {
    /// Creates the tie-breaker for one walk by `rule`.
    pub(super) fn new(rule: Rule, route: &WalkRequest, grid: &DegreeGrid, rng: &mut Random) -> Self {
        let (rows, cols) = grid.size();
        let mut stages = Vec::new();
        if rule.has_step_orders() {
            let corner = grid.row_and_col(grid.cell(route.start)) == (0, 0);
            stages = match route.attempt {
                0 if rows == cols && corner => step_orders::square_board_stages(rows),
                _ if route.randomness != Randomness::None => step_orders::random_step_order(rng),
                turn => step_orders::single_step_order(turn.saturating_sub(1)),
            };
            stages.reverse();
        }
        let chance = if rule.is_random() { Randomness::Ties } else { route.randomness };
        Self { rule, randomness: chance, stages }
    }

    /// Chooses one of the steps in the bit set `steps`, from the cell `at`. Returns the index of the
    /// step; `None` if there is no step.
    #[inline]
    pub(super) fn choose(
        &mut self,
        grid: &DegreeGrid,
        at: usize,
        steps: u8,
        rng: &mut Random,
    ) -> Option<usize> {
        let mut tied = best_steps(grid, at, steps, self.rule.criteria[0]);
        // The stages of the step orders change on certain squares, even without a tie.
        if tied.count_ones() < 2 && (tied == 0 || self.stages.len() < 2) {
            return (tied != 0).then(|| tied.trailing_zeros() as usize);
        }
        let strays = self.randomness == Randomness::StrayingTies && rng.below(STRAY_INTERVAL) == 0;
        if !strays {
            if self.rule.has_step_orders() {
                return Some(self.choose_by_order(grid, at, tied, rng));
            }
            for &criterion in &self.rule.criteria[1..] {
                tied = best_steps(grid, at, tied, criterion);
            }
        }
        let skip =
            if self.randomness != Randomness::None { rng.below(tied.count_ones() as usize) } else { 0 };
        Some((0..skip).fold(tied, |tied, _| tied & (tied - 1)).trailing_zeros() as usize)
    }

    fn choose_by_order(&mut self, grid: &DegreeGrid, at: usize, tied: u8, rng: &mut Random) -> usize {
        if let Some(stage) = self.stages.last()
            && stage.switching_square == Some(grid.row_and_col(at))
        {
            self.stages.pop();
        }
        let all = (0..8).filter(|i| tied >> i & 1 == 1);
        let order = self.stages.last().map(|stage| stage.order);
        let rank = |i: &usize| {
            order.and_then(|order| order.iter().position(|step| *step == grid.ordered_steps()[*i]))
        };
        all.min_by_key(rank).unwrap_or_else(|| rng.below(8))
    }
}

/// Returns the subset of the bit set `steps` that is best by a criterion.
#[inline]
fn best_steps(grid: &DegreeGrid, at: usize, steps: u8, criterion: Criterion) -> u8 {
    let to = |i: usize| grid.target(at, i);
    match criterion {
        _ if steps.count_ones() < 2 => steps,
        Criterion::Degree => steps_with_min_key(steps, |i| i64::from(grid.degree(to(i)))),
        Criterion::DegreeSum(level) => {
            steps_with_min_key(steps, |i| i64::from(degree_sum(grid, to(i), level)))
        }
        Criterion::OnwardPairs => steps_with_min_key(steps, |i| i64::from(count_onward_pairs(grid, to(i)))),
        Criterion::CentreDistance => steps_with_min_key(steps, |i| -centre_distance(grid, to(i))),
        Criterion::StepOrder | Criterion::Random => steps,
    }
}

/// Returns the subset of the bit set `steps` with the smallest key.
#[inline(always)]
fn steps_with_min_key(steps: u8, key: impl Fn(usize) -> i64) -> u8 {
    let (mut least, mut selected, mut remaining) = (i64::MAX, 0, steps);
    while remaining != 0 {
        let step = remaining & remaining.wrapping_neg();
        remaining ^= step;
        let value = key(step.trailing_zeros() as usize);
        if value < least {
            (least, selected) = (value, 0);
        }
        if value == least {
            selected |= step;
        }
    }
    selected
}

/// Returns the number of pairs of moves that lead on from a free cell as if it were visited: a
/// first move to a free neighbour and a second move to a free neighbour of this neighbour.
fn count_onward_pairs(grid: &DegreeGrid, cell: usize) -> u32 {
    // The sum counts the square itself once for each neighbour.
    degree_sum(grid, cell, 2) - u32::from(grid.degree(cell))
}

/// Returns the square of twice the distance between a cell and the centre of the board.
fn centre_distance(grid: &DegreeGrid, cell: usize) -> i64 {
    let ((row, col), (rows, cols)) = (grid.row_and_col(cell), grid.size());
    let from_middle = |at: usize, len: usize| 2 * at as i64 - (len as i64 - 1);
    from_middle(row, rows).pow(2) + from_middle(col, cols).pow(2)
}

/// Returns the degree of a cell for level 1. For a higher level, returns the sum of the values of
/// the next lower level over the free neighbours of the cell.
fn degree_sum(grid: &DegreeGrid, cell: usize, level: u8) -> u32 {
    if level == 1 {
        return u32::from(grid.degree(cell));
    }
    (0..grid.step_count())
        .map(|i| grid.target(cell, i))
        .filter(|&to| grid.is_free(to))
        .map(|to| degree_sum(grid, to, level - 1))
        .sum()
}
