//! The tie-breaker: it chooses among the tied steps of a walk, by each rule.

use crate::random::Random;

use super::degree_grid::{DegreeGrid, Randomness, STRAY_INTERVAL, WalkRequest};
use super::rule;
use super::rule::{OrderStage, Rule};

/// A chooser among tied steps, for one walk by one rule.
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
        if rule == Rule::SquirrelCull {
            let corner = grid.row_and_col(grid.cell(route.start)) == (0, 0);
            stages = match route.attempt {
                0 if rows == cols && corner => rule::square_board_stages(rows),
                _ if route.randomness != Randomness::None => rule::random_step_order(rng),
                turn => rule::single_step_order(turn.saturating_sub(1)),
            };
            stages.reverse();
        }
        let chance = if rule == Rule::Warnsdorff { Randomness::Ties } else { route.randomness };
        Self { rule, randomness: chance, stages }
    }

    /// Returns true if the rule compares squares by [`count_onward_pairs`] instead of the degree.
    pub(super) fn has_pair_key(&self) -> bool {
        self.rule == Rule::W2
    }

    /// Returns true if [`TieBreaker::choose`] must be called at every square, even without a tie.
    pub(super) fn needs_every_square(&self) -> bool {
        self.stages.len() > 1
    }

    /// Chooses one of the steps in the bit set `tied`, from the cell `at`. Returns the index of the
    /// step.
    pub(super) fn choose(&mut self, grid: &DegreeGrid, at: usize, tied: u8, rng: &mut Random) -> usize {
        let strays = self.randomness == Randomness::StrayingTies && rng.below(STRAY_INTERVAL) == 0;
        let tied = match self.rule {
            _ if strays => tied,
            Rule::Auto | Rule::Warnsdorff | Rule::FirstInOrder | Rule::W2 => tied,
            Rule::Roth => outermost_steps(grid, at, tied),
            Rule::Pohl { levels } => (2..=levels.clamp(2, 6)).fold(tied, |tied, level| {
                if tied.count_ones() > 1 {
                    steps_with_min_key(tied, |i| degree_sum(grid, grid.target(at, i), level))
                } else {
                    tied
                }
            }),
            Rule::WPlus => outermost_steps(
                grid,
                at,
                steps_with_min_key(tied, |i| degree_sum(grid, grid.target(at, i), 2)),
            ),
            Rule::SquirrelCull => return self.choose_by_order(grid, at, tied, rng),
        };
        let skip =
            if self.randomness != Randomness::None { rng.below(tied.count_ones() as usize) } else { 0 };
        (0..skip).fold(tied, |tied, _| tied & (tied - 1)).trailing_zeros() as usize
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

/// Returns the subset of the bit set `tied` whose steps have the smallest key.
fn steps_with_min_key<K: Ord>(tied: u8, key: impl Fn(usize) -> K) -> u8 {
    let mut least = None;
    let mut selected = 0;
    for i in (0..8).filter(|i| tied >> i & 1 == 1) {
        let value = key(i);
        match least.as_ref().map(|least| value.cmp(least)) {
            Some(std::cmp::Ordering::Greater) => {}
            Some(std::cmp::Ordering::Equal) => selected |= 1 << i,
            _ => {
                least = Some(value);
                selected = 1 << i;
            }
        }
    }
    selected
}

/// Returns the subset of the bit set `tied` whose steps lead farthest from the centre of the board.
fn outermost_steps(grid: &DegreeGrid, at: usize, tied: u8) -> u8 {
    steps_with_min_key(tied, |i| std::cmp::Reverse(centre_distance(grid, grid.target(at, i))))
}

/// Returns the number of pairs of moves that lead on from a free cell as if it were visited: a
/// first move to a free neighbour and a second move to a free neighbour of this neighbour.
pub(super) fn count_onward_pairs(grid: &DegreeGrid, cell: usize) -> u32 {
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
