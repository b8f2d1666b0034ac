//! Simulated annealing of a vertex order.
//!
//! The units of an order are single vertices, or pairs of mirror images. A round moves one unit by a few
//! positions; an increase in cost is accepted ever more rarely. Only the steps between the old and the new
//! position change their cost, so a round takes a microsecond at most. The random numbers have a fixed seed:
//! a graph always gets the same order.

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::capacity::Capacity;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::price::phase;

/// Maximum number of squares that annealing supports: the bits of its vertex sets.
pub const MOST_SQUARES: usize = 128;

/// Number of rounds between two checks for cancellation.
const ASK_EVERY: usize = 4096;

/// Maximum distance, in units, of one move.
const REACH: usize = 10;

/// An annealing of one graph: its units, and the data for the cost of their steps.
pub struct Annealing<'a> {
    near: Vec<u128>,
    units: Vec<Vec<usize>>,
    capacity: &'a Capacity,
    light: u128,
    phase: Vec<f64>,
    random: u64,
}

/// Processed squares and touched squares before every unit of an order, and the cost of every unit.
#[derive(Clone)]
struct Trace {
    done: Vec<u128>,
    touched: Vec<u128>,
    price: Vec<f64>,
}

impl<'a> Annealing<'a> {
    /// Creates an annealing whose units are single vertices, or pairs of images under `mirror`.
    #[must_use]
    pub fn new(cycles: &Cycles, capacity: &'a Capacity, mirror: Option<&Vec<usize>>) -> Self {
        let squares = cycles.squares();
        let near =
            |v: usize| cycles.near(v).iter().filter(|&&w| w < squares).fold(0, |set, &w| set | 1u128 << w);
        let image = |v: usize| mirror.map_or(v, |mirror| mirror[v]);
        let unit = |v: usize| if image(v) == v { vec![v] } else { vec![v, image(v)] };
        Self {
            near: (0..squares).map(near).collect(),
            units: (0..squares).filter(|&v| v <= image(v)).map(unit).collect(),
            capacity,
            light: (0..squares).fold(0, |set, v| set | (capacity.colour(v) as u128) << v),
            phase: (0..=squares).map(|t| phase(t, squares)).collect(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Processes `unit`: updates the processed and touched sets and returns the cost of its steps.
    #[inline(always)]
    fn step(&self, unit: usize, done: &mut u128, touched: &mut u128) -> f64 {
        let mut price = 0.0;
        for &v in &self.units[unit] {
            *done |= 1 << v;
            *touched |= self.near[v];
            let (frontier, number) = (*touched & !*done, done.count_ones());
            let light = (frontier & self.light).count_ones() as usize;
            let dark = (frontier & !self.light).count_ones() as usize;
            let ahead = 2 * (*done & self.light).count_ones() as isize - number as isize;
            price += self.capacity.states([dark, light], ahead) * self.phase[number as usize];
        }
        price
    }

    /// Returns the annealing with random numbers that depend on `seed`; seed 0 changes nothing.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.random = self.random.wrapping_mul(2 * seed + 1);
        self
    }

    /// Returns a random number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 11) % n as u64) as usize
    }

    /// Returns the cheapest order found in `rounds` rounds from the order `seed`, or until it is cancelled.
    #[must_use]
    pub fn run(mut self, seed: &[usize], rounds: usize, cancel: &Cancel) -> Vec<usize> {
        let mut place = vec![0; seed.len()];
        seed.iter().enumerate().for_each(|(t, &v)| place[v] = t);
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        order.sort_by_key(|&u| self.units[u].iter().map(|&v| place[v]).min());
        let len = order.len();
        let mut trace = Trace { done: vec![0; len + 1], touched: vec![0; len + 1], price: vec![0.0; len] };
        self.retrace(&order, &mut trace, 0, len - 1);
        let mut now: f64 = trace.price.iter().sum();
        let (mut least, mut best) = (now, order.clone());
        for round in 0..rounds {
            if round % ASK_EVERY == 0 && cancel.is_cancelled() {
                break;
            }
            let from = self.below(len);
            let to = (from + self.below(2 * REACH + 1)).saturating_sub(REACH).min(len - 1);
            if from == to {
                continue;
            }
            let (low, high) = (from.min(to), from.max(to));
            let (mut done, mut touched) = (trace.done[low], trace.touched[low]);
            let mut price = now - trace.price[low..=high].iter().sum::<f64>();
            for t in low..=high {
                let unit = order[if t == to {
                    from
                } else if from < to {
                    t + 1
                } else {
                    t - 1
                }];
                price += self.step(unit, &mut done, &mut touched);
            }
            let left = 1.0 - round as f64 / rounds as f64;
            let worse = (price / now).ln();
            let chance = self.below(1 << 20) as f64 / f64::from(1 << 20);
            if worse <= 0.0 || chance < (-worse / (WARMTH * left * left + 0.0005)).exp() {
                let unit = order.remove(from);
                order.insert(to, unit);
                self.retrace(&order, &mut trace, low, high);
                now = trace.price.iter().sum();
                if now < least * 0.999_999 {
                    (least, best) = (now, order.clone());
                }
            }
        }
        best.iter().flat_map(|&unit| self.units[unit].clone()).collect()
    }

    fn retrace(&self, order: &[usize], trace: &mut Trace, low: usize, high: usize) {
        for (t, &unit) in order.iter().enumerate().take(high + 1).skip(low) {
            let (mut done, mut touched) = (trace.done[t], trace.touched[t]);
            trace.price[t] = self.step(unit, &mut done, &mut touched);
            (trace.done[t + 1], trace.touched[t + 1]) = (done, touched);
        }
    }
}

/// Relative increase in cost that is accepted with probability 1/e at the start.
const WARMTH: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::price::price;

    #[test]
    fn annealing_keeps_mirror_images_together_and_never_makes_an_order_dearer() {
        let field = Field::of(&Board::new(5, 6).unwrap().into());
        let cycles = Cycles::of(&field, Tours::Closed);
        let (rows, capacity): (Vec<usize>, _) = ((0..30).collect(), &Capacity::of(&cycles));
        let free = Annealing::new(&cycles, capacity, None).run(&rows, 4000, &Cancel::default());
        assert!(price(&cycles, &free) <= price(&cycles, &rows));
        let mirror = &cycles.mirrors()[0];
        let paired = Annealing::new(&cycles, capacity, Some(mirror)).run(&rows, 4000, &Cancel::default());
        for pair in paired.chunks(2).filter(|pair| mirror[pair[0]] != pair[0]) {
            assert_eq!(mirror[pair[0]], pair[1]);
        }
        for mut order in [free, paired] {
            order.sort_unstable();
            assert_eq!(order, rows);
        }
    }
}
