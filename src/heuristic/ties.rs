//! `TieBreaker` chooses among squares of equal degree by each rule.

use crate::random::Random;

use super::field::Field;
use super::route::{Chance, Route, STRAY};
use super::rule::Rule;
use super::squirrel::{self, Stage};

/// Chooses among tied steps.
pub(super) struct Breaker {
    rule: Rule,
    chance: Chance,
    /// Remaining stages of step orders, the current one last; only for Squirrel and Cull.
    stages: Vec<Stage>,
}

impl Breaker {
    /// Creates the tie-breaker of a rule for one walk.
    pub(super) fn new(rule: Rule, route: &Route, field: &Field, rng: &mut Random) -> Self {
        let (rows, cols) = field.size();
        let mut stages = Vec::new();
        if rule == Rule::SquirrelCull {
            let corner = field.place(field.cell(route.start)) == (0, 0);
            stages = match route.turn {
                0 if rows == cols && corner => squirrel::stages(rows),
                _ if route.chance != Chance::Nothing => squirrel::drawn(rng),
                turn => squirrel::single(turn.saturating_sub(1)),
            };
            stages.reverse();
        }
        let chance = if rule == Rule::Warnsdorff { Chance::Ties } else { route.chance };
        Self { rule, chance, stages }
    }

    /// Returns true if the rule's key is [`count_onward_pairs`] rather than the degree.
    pub(super) fn counts_pairs(&self) -> bool {
        self.rule == Rule::W2
    }

    /// Returns true if the rule must see every square, even without a tie.
    pub(super) fn watches(&self) -> bool {
        self.stages.len() > 1
    }

    /// Chooses one of the tied steps, given as a bit set.
    pub(super) fn choose(&mut self, field: &Field, at: usize, tied: u8, rng: &mut Random) -> usize {
        let strays = self.chance == Chance::Stray && rng.below(STRAY) == 0;
        let tied = match self.rule {
            _ if strays => tied,
            Rule::Auto | Rule::Warnsdorff | Rule::First | Rule::W2 => tied,
            Rule::Roth => outermost(field, at, tied),
            Rule::Pohl { levels } => (2..=levels.clamp(2, 6)).fold(tied, |tied, level| {
                if tied.count_ones() > 1 { best(tied, |i| sum(field, field.to(at, i), level)) } else { tied }
            }),
            Rule::WPlus => outermost(field, at, best(tied, |i| sum(field, field.to(at, i), 2))),
            Rule::SquirrelCull => return self.by_order(field, at, tied, rng),
        };
        let skip = if self.chance != Chance::Nothing { rng.below(tied.count_ones() as usize) } else { 0 };
        (0..skip).fold(tied, |tied, _| tied & (tied - 1)).trailing_zeros() as usize
    }

    fn by_order(&mut self, field: &Field, at: usize, tied: u8, rng: &mut Random) -> usize {
        if let Some(stage) = self.stages.last()
            && stage.until == Some(field.place(at))
        {
            self.stages.pop();
        }
        let all = (0..8).filter(|i| tied >> i & 1 == 1);
        let order = self.stages.last().map(|stage| stage.order);
        let rank =
            |i: &usize| order.and_then(|order| order.iter().position(|step| *step == field.moves()[*i]));
        all.min_by_key(rank).unwrap_or_else(|| rng.below(8))
    }
}

/// Returns the tied steps with the least key.
fn best<K: Ord>(tied: u8, key: impl Fn(usize) -> K) -> u8 {
    let mut least = None;
    let mut kept = 0;
    for i in (0..8).filter(|i| tied >> i & 1 == 1) {
        let value = key(i);
        match least.as_ref().map(|least| value.cmp(least)) {
            Some(std::cmp::Ordering::Greater) => {}
            Some(std::cmp::Ordering::Equal) => kept |= 1 << i,
            _ => {
                least = Some(value);
                kept = 1 << i;
            }
        }
    }
    kept
}

/// Returns the tied steps that lead farthest from the centre.
fn outermost(field: &Field, at: usize, tied: u8) -> u8 {
    best(tied, |i| std::cmp::Reverse(distance(field, field.to(at, i))))
}

/// Returns the number of pairs of moves onward from a free square, once it is visited: to a free neighbour,
/// and on from there.
pub(super) fn pairs(field: &Field, cell: usize) -> u32 {
    // The sum counts the square itself once for each neighbour.
    sum(field, cell, 2) - u32::from(field.degree(cell))
}

/// Returns the square of twice the distance from the centre.
fn distance(field: &Field, cell: usize) -> i64 {
    let ((row, col), (rows, cols)) = (field.place(cell), field.size());
    let from_middle = |at: usize, len: usize| 2 * at as i64 - (len as i64 - 1);
    from_middle(row, rows).pow(2) + from_middle(col, cols).pow(2)
}

/// Returns the degree (level 1), or the sum over the free neighbours one level below.
fn sum(field: &Field, cell: usize, level: u8) -> u32 {
    if level == 1 {
        return u32::from(field.degree(cell));
    }
    (0..field.steps())
        .map(|i| field.to(cell, i))
        .filter(|&to| field.is_free(to))
        .map(|to| sum(field, to, level - 1))
        .sum()
}
