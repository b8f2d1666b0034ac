//! Simulated annealing of the vertex order of a sweep.
//!
//! The units of an order are single vertices, or pairs of mirror images. A round moves one unit by
//! a few positions; an increase in cost is accepted ever more rarely. Only the steps between the
//! old and the new position change their cost, so a round takes a microsecond at most. The random
//! numbers have a fixed seed: a graph always gets the same order.

use super::cancel::{Cancel, Cancelled};
use super::order_cost::{FrontierCapacity, fill_curve};
use super::problem::Cycles;

/// Maximum number of squares of a graph that annealing supports: the number of bits of its sets of
/// vertices.
pub const MAX_ANNEALED_SQUARES: usize = 128;

/// Number of rounds between two checks for cancellation.
const CANCEL_CHECK_ROUNDS: usize = 4096;

/// Maximum distance, in units of the order, by which a round of annealing moves a unit.
const MAX_MOVE_UNITS: usize = 10;

/// Simulated annealing of the vertex order of a graph: its units, and the data for the cost of
/// their steps.
pub struct Annealing<'a> {
    neighbours: Vec<u128>,
    units: Vec<Vec<usize>>,
    capacity: &'a FrontierCapacity,
    light_squares: u128,
    fill_by_step: Vec<f64>,
    random_state: u64,
}

/// The state of an order's cost: the sets of processed and of touched squares before every unit,
/// and the cost of every unit.
#[derive(Clone)]
struct CostTrace {
    processed: Vec<u128>,
    touched: Vec<u128>,
    cost: Vec<f64>,
}

impl<'a> Annealing<'a> {
    /// Creates an annealing whose units are single vertices or, with a mirror, pairs of mirror
    /// images.
    #[must_use]
    pub fn new(cycles: &Cycles, capacity: &'a FrontierCapacity, mirror: Option<&Vec<usize>>) -> Self {
        let squares = cycles.square_count();
        let neighbours = |v: usize| {
            cycles.neighbours(v).iter().filter(|&&w| w < squares).fold(0, |set, &w| set | 1u128 << w)
        };
        let image = |v: usize| mirror.map_or(v, |mirror| mirror[v]);
        let unit = |v: usize| if image(v) == v { vec![v] } else { vec![v, image(v)] };
        Self {
            neighbours: (0..squares).map(neighbours).collect(),
            units: (0..squares).filter(|&v| v <= image(v)).map(unit).collect(),
            capacity,
            light_squares: (0..squares).fold(0, |set, v| set | (capacity.colour_index(v) as u128) << v),
            fill_by_step: (0..=squares).map(|t| fill_curve(t, squares)).collect(),
            random_state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Processes the vertices of `unit`: updates the sets of processed and touched squares, and
    /// returns the cost of the steps.
    #[inline(always)]
    fn process_unit(&self, unit: usize, done: &mut u128, touched: &mut u128) -> f64 {
        let mut price = 0.0;
        for &v in &self.units[unit] {
            *done |= 1 << v;
            *touched |= self.neighbours[v];
            let (frontier, number) = (*touched & !*done, done.count_ones());
            let light = (frontier & self.light_squares).count_ones() as usize;
            let dark = (frontier & !self.light_squares).count_ones() as usize;
            let ahead = 2 * (*done & self.light_squares).count_ones() as isize - number as isize;
            price += self.capacity.possible_states([dark, light], ahead) * self.fill_by_step[number as usize];
        }
        price
    }

    /// Returns the annealing with random numbers that depend on `seed`; seed 0 changes nothing.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.random_state = self.random_state.wrapping_mul(2 * seed + 1);
        self
    }

    /// Returns a random number below `n`.
    fn random_below(&mut self, n: usize) -> usize {
        self.random_state ^= self.random_state << 13;
        self.random_state ^= self.random_state >> 7;
        self.random_state ^= self.random_state << 17;
        ((self.random_state >> 11) % n as u64) as usize
    }

    /// Anneals the order `seed` for `rounds` rounds. Returns the cheapest order found.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn run(mut self, seed: &[usize], rounds: usize, cancel: &Cancel) -> Result<Vec<usize>, Cancelled> {
        let mut place = vec![0; seed.len()];
        seed.iter().enumerate().for_each(|(t, &v)| place[v] = t);
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        order.sort_by_key(|&u| self.units[u].iter().map(|&v| place[v]).min());
        let len = order.len();
        let mut trace =
            CostTrace { processed: vec![0; len + 1], touched: vec![0; len + 1], cost: vec![0.0; len] };
        self.update_trace(&order, &mut trace, 0, len - 1);
        let mut current: f64 = trace.cost.iter().sum();
        let (mut least, mut best) = (current, order.clone());
        for round in 0..rounds {
            if round % CANCEL_CHECK_ROUNDS == 0 {
                cancel.check()?;
            }
            let from = self.random_below(len);
            let to = (from + self.random_below(2 * MAX_MOVE_UNITS + 1))
                .saturating_sub(MAX_MOVE_UNITS)
                .min(len - 1);
            if from == to {
                continue;
            }
            let (low, high) = (from.min(to), from.max(to));
            let (mut done, mut touched) = (trace.processed[low], trace.touched[low]);
            let mut price = current - trace.cost[low..=high].iter().sum::<f64>();
            for t in low..=high {
                let unit = order[if t == to {
                    from
                } else if from < to {
                    t + 1
                } else {
                    t - 1
                }];
                price += self.process_unit(unit, &mut done, &mut touched);
            }
            let left = 1.0 - round as f64 / rounds as f64;
            let relative_increase = (price / current).ln();
            let chance = self.random_below(1 << 20) as f64 / f64::from(1 << 20);
            if relative_increase <= 0.0
                || chance < (-relative_increase / (INITIAL_TEMPERATURE * left * left + 0.0005)).exp()
            {
                let unit = order.remove(from);
                order.insert(to, unit);
                self.update_trace(&order, &mut trace, low, high);
                current = trace.cost.iter().sum();
                if current < least * 0.999_999 {
                    (least, best) = (current, order.clone());
                }
            }
        }
        Ok(best.iter().flat_map(|&unit| self.units[unit].clone()).collect())
    }

    fn update_trace(&self, order: &[usize], trace: &mut CostTrace, low: usize, high: usize) {
        for (t, &unit) in order.iter().enumerate().take(high + 1).skip(low) {
            let (mut done, mut touched) = (trace.processed[t], trace.touched[t]);
            trace.cost[t] = self.process_unit(unit, &mut done, &mut touched);
            (trace.processed[t + 1], trace.touched[t + 1]) = (done, touched);
        }
    }
}

/// Relative increase in cost that is accepted with probability 1/e in the first round.
const INITIAL_TEMPERATURE: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::super::order_cost::order_cost;
    use super::super::problem::{SweepGraph, Tours};
    use super::*;
    use crate::board::Rectangle;

    #[test]
    fn annealing_keeps_mirror_pairs_and_does_not_increase_cost() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(5, 6).unwrap().into());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let (rows, capacity): (Vec<usize>, _) = ((0..30).collect(), &FrontierCapacity::from_cycles(&cycles));
        let free = Annealing::new(&cycles, capacity, None).run(&rows, 4000, &Cancel::default()).unwrap();
        assert!(order_cost(&cycles, &free) <= order_cost(&cycles, &rows));
        let mirror = &cycles.mirrors()[0];
        let paired =
            Annealing::new(&cycles, capacity, Some(mirror)).run(&rows, 4000, &Cancel::default()).unwrap();
        for pair in paired.chunks(2).filter(|pair| mirror[pair[0]] != pair[0]) {
            assert_eq!(mirror[pair[0]], pair[1]);
        }
        for mut order in [free, paired] {
            order.sort_unstable();
            assert_eq!(order, rows);
        }
    }
}
