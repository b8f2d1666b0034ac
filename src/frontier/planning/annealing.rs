//! Simulated annealing of the vertex order of a sweep.
//!
//! The units of an order are single vertices, or pairs of mirror images. A round moves one unit by
//! a few positions; an increase in cost is accepted ever more rarely. Only the steps between the
//! old and the new position change their cost, so a round takes a microsecond at most. The random
//! numbers have a fixed seed: a graph always gets the same order.

use super::cancel::{Cancel, Cancelled};
use super::order_cost::{FrontierCapacity, fill_curve};
use super::problem::Cycles;

/// Maximum number of squares of a graph that annealing supports: the number of bits of two words.
pub const MAX_ANNEALED_SQUARES: usize = 2 * WORD_BITS;

/// Number of bits of a word of a set of vertices.
const WORD_BITS: usize = 128;

/// Number of rounds between two checks for cancellation.
const CANCEL_CHECK_ROUNDS: usize = 4096;

/// Maximum distance, in units of the order, by which a round of annealing moves a unit.
const MAX_MOVE_UNITS: usize = 10;

/// Anneals the order `start` of the squares of `cycles` for `rounds` rounds, with random numbers that
/// depend on `seed`. With a mirror, pairs of mirror images move together. Returns the cheapest order
/// found. Cost: about a microsecond per round.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
///
/// # Panics
/// If there are more than [`MAX_ANNEALED_SQUARES`] squares.
pub fn anneal(
    (cycles, capacity): (&Cycles, &FrontierCapacity),
    mirror: Option<&Vec<usize>>,
    seed: u64,
    start: &[usize],
    rounds: usize,
    cancel: &Cancel,
) -> Result<Vec<usize>, Cancelled> {
    match cycles.square_count().div_ceil(WORD_BITS) {
        0 | 1 => Annealing::<1>::new(cycles, capacity, mirror, seed).run(start, rounds, cancel),
        2 => Annealing::<2>::new(cycles, capacity, mirror, seed).run(start, rounds, cancel),
        _ => panic!("a graph of {} squares is too large for annealing", cycles.square_count()),
    }
}

/// A set of vertices with one bit for each.
#[derive(Clone, Copy)]
struct VertexSet<const WORDS: usize>([u128; WORDS]);

impl<const WORDS: usize> VertexSet<WORDS> {
    const EMPTY: Self = Self([0; WORDS]);

    #[inline(always)]
    const fn insert(&mut self, v: usize) {
        self.0[v / WORD_BITS] |= 1 << (v % WORD_BITS);
    }

    #[inline(always)]
    fn unite(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Returns the number of vertices in this set, but not in `other`, and how many of them are in `class`.
    #[inline(always)]
    fn count_without(self, other: Self, class: Self) -> (usize, usize) {
        let words = self.0.iter().zip(other.0).zip(class.0);
        words.fold((0, 0), |(all, classed), ((word, other), class)| {
            let rest = word & !other;
            (all + rest.count_ones() as usize, classed + (rest & class).count_ones() as usize)
        })
    }
}

/// Simulated annealing of the vertex order of a graph: its units, and the data for the cost of
/// their steps. Sets of vertices have `WORDS` words.
struct Annealing<'a, const WORDS: usize> {
    neighbours: Vec<VertexSet<WORDS>>,
    units: Vec<Vec<usize>>,
    capacity: &'a FrontierCapacity,
    light_squares: VertexSet<WORDS>,
    fill_by_step: Vec<f64>,
    random_state: u64,
}

/// The state of an order's cost: the sets of processed and of touched squares before every unit,
/// and the cost of every unit.
struct CostTrace<const WORDS: usize> {
    processed: Vec<VertexSet<WORDS>>,
    touched: Vec<VertexSet<WORDS>>,
    cost: Vec<f64>,
}

impl<'a, const WORDS: usize> Annealing<'a, WORDS> {
    /// Creates an annealing whose units are single vertices or, with a mirror, pairs of mirror
    /// images. Its random numbers depend on `seed`.
    fn new(cycles: &Cycles, capacity: &'a FrontierCapacity, mirror: Option<&Vec<usize>>, seed: u64) -> Self {
        let squares = cycles.square_count();
        let set_of = |vertices: &mut dyn Iterator<Item = usize>| {
            let mut set = VertexSet::EMPTY;
            vertices.for_each(|v| set.insert(v));
            set
        };
        let image = |v: usize| mirror.map_or(v, |mirror| mirror[v]);
        let unit = |v: usize| if image(v) == v { vec![v] } else { vec![v, image(v)] };
        let neighbours =
            |v: usize| set_of(&mut cycles.neighbours(v).iter().copied().filter(|&w| w < squares));
        Self {
            neighbours: (0..squares).map(neighbours).collect(),
            units: (0..squares).filter(|&v| v <= image(v)).map(unit).collect(),
            capacity,
            light_squares: set_of(&mut (0..squares).filter(|&v| capacity.colour_index(v) == 1)),
            fill_by_step: (0..=squares).map(|t| fill_curve(t, squares)).collect(),
            random_state: 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2 * seed + 1),
        }
    }

    /// Processes the vertices of `unit`: updates the sets of processed and touched squares, and
    /// returns the cost of the steps.
    #[inline(always)]
    fn process_unit(&self, unit: usize, done: &mut VertexSet<WORDS>, touched: &mut VertexSet<WORDS>) -> f64 {
        let mut price = 0.0;
        for &v in &self.units[unit] {
            done.insert(v);
            touched.unite(self.neighbours[v]);
            let (frontier, light) = touched.count_without(*done, self.light_squares);
            let (number, done_light) = done.count_without(VertexSet::EMPTY, self.light_squares);
            let ahead = 2 * done_light as isize - number as isize;
            price +=
                self.capacity.possible_states([frontier - light, light], ahead) * self.fill_by_step[number];
        }
        price
    }

    /// Returns a random number below `n`.
    fn random_below(&mut self, n: usize) -> usize {
        self.random_state ^= self.random_state << 13;
        self.random_state ^= self.random_state >> 7;
        self.random_state ^= self.random_state << 17;
        ((self.random_state >> 11) % n as u64) as usize
    }

    /// Anneals the order `start` for `rounds` rounds. Returns the cheapest order found.
    fn run(mut self, start: &[usize], rounds: usize, cancel: &Cancel) -> Result<Vec<usize>, Cancelled> {
        let mut place = vec![0; start.len()];
        start.iter().enumerate().for_each(|(t, &v)| place[v] = t);
        let mut order: Vec<usize> = (0..self.units.len()).collect();
        order.sort_by_key(|&u| self.units[u].iter().map(|&v| place[v]).min());
        let len = order.len();
        let empty = vec![VertexSet::EMPTY; len + 1];
        let mut trace = CostTrace { processed: empty.clone(), touched: empty, cost: vec![0.0; len] };
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

    fn update_trace(&self, order: &[usize], trace: &mut CostTrace<WORDS>, low: usize, high: usize) {
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
        let run = |mirror| anneal((&cycles, capacity), mirror, 0, &rows, 4000, &Cancel::default()).unwrap();
        let free = run(None);
        assert!(order_cost(&cycles, &free) <= order_cost(&cycles, &rows));
        let mirror = &cycles.mirrors()[0];
        let paired = run(Some(mirror));
        for pair in paired.chunks(2).filter(|pair| mirror[pair[0]] != pair[0]) {
            assert_eq!(mirror[pair[0]], pair[1]);
        }
        for mut order in [free, paired] {
            order.sort_unstable();
            assert_eq!(order, rows);
        }
    }
    #[test]
    fn two_words_give_the_same_order_as_one() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(6, 8).unwrap().into());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let (rows, capacity): (Vec<usize>, _) = ((0..48).collect(), &FrontierCapacity::from_cycles(&cycles));
        let cancel = Cancel::default();
        let one = Annealing::<1>::new(&cycles, capacity, None, 3).run(&rows, 4000, &cancel).unwrap();
        assert_eq!(one, Annealing::<2>::new(&cycles, capacity, None, 3).run(&rows, 4000, &cancel).unwrap());
    }

    #[test]
    fn graphs_of_more_squares_than_a_word_has_bits_are_annealed() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(4, 40).unwrap().into());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let (rows, capacity): (Vec<usize>, _) = ((0..160).collect(), &FrontierCapacity::from_cycles(&cycles));
        let mut order = anneal((&cycles, capacity), None, 0, &rows, 40_000, &Cancel::default()).unwrap();
        assert!(order_cost(&cycles, &order) < order_cost(&cycles, &rows) / 2.0);
        order.sort_unstable();
        assert_eq!(order, rows);
    }
}
