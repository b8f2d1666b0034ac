//! In which order to process the squares: the one decision that costs or saves most.
//!
//! Work grows with the number of states that a frontier of `f` vertices can
//! carry, `T(f) = 2 T(f-1) + (f-1) T(f-2)` (a vertex is bare, inner, or the mate
//! of one of the others), halved where a mirror folds the layer. An order is
//! judged by the sum of that over its steps.
//!
//! Boards are swept line by line along either side. Within a line the columns
//! come in mirror pairs, each sequence of pairs is tried:
//!
//! ```text
//! 6 columns: 0 5 2 3 1 4       7: 0 6 2 4 3 1 5       8: 0 7 2 5 3 4 1 6
//! ```
//!
//! These touch new squares no faster than they finish old ones, so that the
//! frontier never exceeds two lines. From the best of them, or from greedy orders,
//! simulated annealing then moves single squares, or mirror pairs, to other
//! places; on 6x6 that brings the frontier from 12 squares down to 9, on 7x7 the
//! states down to a sixth. Its random numbers have a fixed seed, so that a
//! problem always gets the same order.

use crate::frontier::problem::cycles::Problem;
use crate::frontier::problem::field::Lines;

/// Pair sequences are tried exhaustively up to this many pairs.
const MOST_PAIRS: usize = 7;

/// Greedy orders to start from, at most.
const MOST_GREEDY: usize = 24;

/// Good orders for a problem, each with the apex last; which is best also depends on how its
/// frontier fits into slots. `directions` are the ways to sweep the board, if it is one.
/// With `by_lines` only orders that finish line after line are considered.
#[must_use]
pub fn search(problem: &Problem, directions: &[Lines], by_lines: bool) -> Vec<Vec<usize>> {
    let mut best: Option<(f64, Vec<usize>)> = None;
    let mut offer = |order: Vec<usize>| {
        let price = price(problem, &order);
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, order));
        }
    };
    for lines in directions {
        for columns in column_orders(lines.first().map_or(0, Vec::len)) {
            offer(lines.iter().flat_map(|line| columns.iter().filter_map(|&c| line[c])).collect());
        }
    }
    let squares = problem.squares();
    if !by_lines && (directions.is_empty() || squares <= 128) {
        let starts = squares.min(if directions.is_empty() { MOST_GREEDY } else { 4 });
        (0..starts).for_each(|start| offer(greedy(problem, start * squares / starts)));
    }
    let (least, seed) = best.unwrap_or_default();
    let mut orders = vec![seed.clone()];
    if !by_lines && (2..=128).contains(&squares) {
        let rounds = ((least / ROUND_PRICE) as usize).clamp(LEAST_ROUNDS, MOST_ROUNDS);
        orders.push(Annealing::new(problem, None).run(&seed, rounds));
        // A short run tells which mirror is worth a long one.
        let short = |mirror: &Vec<usize>| {
            let order = Annealing::new(problem, Some(mirror)).run(&seed, rounds / 8);
            price(problem, &order)
        };
        let mirrors = problem.mirrors().iter().map(|mirror| (short(mirror), mirror));
        if let Some((_, mirror)) = mirrors.min_by(|a, b| a.0.total_cmp(&b.0)) {
            orders.push(Annealing::new(problem, Some(mirror)).run(&seed, rounds));
        }
    }
    orders.dedup();
    orders.iter_mut().for_each(|order| order.extend(problem.apex()));
    orders
}

/// Orders of the columns of a line: all sequences of mirror pairs, and left to right.
fn column_orders(columns: usize) -> Vec<Vec<usize>> {
    let mut pairs: Vec<Vec<usize>> = (0..columns / 2).map(|c| vec![c, columns - 1 - c]).collect();
    if columns % 2 == 1 {
        pairs.push(vec![columns / 2]);
    }
    let mut orders = vec![(0..columns).collect()];
    if pairs.len() <= MOST_PAIRS {
        permutations(&mut pairs, 0, &mut |pairs| orders.push(pairs.concat()));
    } else {
        // Every second pair from outside in, then the others.
        let (even, odd): (Vec<_>, Vec<_>) = pairs.iter().enumerate().partition(|(i, _)| i % 2 == 0);
        orders.push(even.into_iter().chain(odd).flat_map(|(_, pair)| pair.clone()).collect());
        orders.push(pairs.concat());
    }
    orders
}

fn permutations<T>(items: &mut [T], from: usize, visit: &mut impl FnMut(&[T])) {
    if from + 1 >= items.len() {
        visit(items);
        return;
    }
    for i in from..items.len() {
        items[from..=i].rotate_right(1);
        permutations(items, from + 1, visit);
        items[from..=i].rotate_left(1);
    }
}

/// From `start` on, always the vertex that leaves the smallest frontier.
fn greedy(problem: &Problem, start: usize) -> Vec<usize> {
    let squares = problem.squares();
    let near: Vec<Vec<usize>> =
        (0..squares).map(|v| problem.near(v).iter().copied().filter(|&w| w < squares).collect()).collect();
    let (mut done, mut touched) = (vec![false; squares], vec![false; squares]);
    let mut order = Vec::with_capacity(squares);
    let mut next = Some(start);
    while let Some(v) = next {
        done[v] = true;
        order.push(v);
        near[v].iter().for_each(|&w| touched[w] = true);
        let fresh = |v: &usize| near[*v].iter().filter(|&&w| !touched[w] && !done[w]).count();
        let open = (0..squares).filter(|&v| !done[v]);
        // Among equals the one whose neighbours are most nearly done.
        next = open.min_by_key(|v| {
            (fresh(v) + usize::from(!touched[*v]), near[*v].iter().filter(|&&w| !done[w]).count(), *v)
        });
    }
    order
}

/// The judgement of an order of the squares (without the apex).
fn price(problem: &Problem, order: &[usize]) -> f64 {
    let squares = order.len();
    let mut place = vec![usize::MAX; squares];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut halved = vec![false; squares];
    for mirror in problem.mirrors() {
        let mut reach = 0;
        for (t, &v) in order.iter().enumerate() {
            reach = reach.max(place[mirror[v]]);
            halved[t] |= reach == t;
        }
    }
    let mut touched = vec![false; squares];
    let (mut frontier, mut sum) = (0usize, 0.0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in problem.near(v).iter().filter(|&&w| w < squares && place[w] > t) {
            frontier += usize::from(!touched[w]);
            touched[w] = true;
        }
        let share = share(halved[t], t > 0 && halved[t - 1]);
        sum += states_of(frontier) * phase(t + 1, squares) * share;
    }
    sum
}

/// Most vertices on the frontier at once, the apex included, if `order` (with the apex) is followed.
#[must_use]
pub fn width(problem: &Problem, order: &[usize]) -> usize {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut touched = vec![false; order.len()];
    let (mut frontier, mut width) = (0usize, 0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in problem.near(v).iter().filter(|&&w| place[w] > t) {
            frontier += usize::from(!touched[w]);
            touched[w] = true;
        }
        width = width.max(frontier);
    }
    width
}

/// Share of a layer's states that folding leaves: half of them after a folding step; one step
/// later little more, since the half was chosen to have few successors.
#[must_use]
pub fn share(folded: bool, folded_before: bool) -> f64 {
    match (folded, folded_before) {
        (true, _) => 0.5,
        (false, true) => 0.6,
        (false, false) => 1.0,
    }
}

/// Share of the states a frontier can carry that are there after `t` of `squares` steps: few can
/// be reached early on, and few can still be completed towards the end. Measured on 8x8.
#[must_use]
pub fn phase(t: usize, squares: usize) -> f64 {
    const CURVE: [(f64, f64); 8] = [
        (0.0, 0.02),
        (0.15, 0.06),
        (0.25, 0.6),
        (0.45, 1.0),
        (0.55, 0.5),
        (0.65, 0.3),
        (0.8, 0.1),
        (1.01, 0.05),
    ];
    let x = t as f64 / squares.max(1) as f64;
    let part = CURVE.windows(2).find(|part| x < part[1].0).expect("t is at most squares");
    let [(x0, y0), (x1, y1)] = [part[0], part[1]];
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// States that a frontier of `f` vertices can carry.
pub fn states_of(f: usize) -> f64 {
    let (mut last, mut now) = (0.0, 1.0);
    for k in 1..=f {
        (last, now) = (now, 2.0 * now + (k as f64 - 1.0) * last);
    }
    now
}

/// Price of an order for each round of annealing that is spent on improving it.
const ROUND_PRICE: f64 = 1000.0;

/// Rounds of annealing at least and at most: some 1 ms and 150 ms.
const LEAST_ROUNDS: usize = 4_000;
const MOST_ROUNDS: usize = 400_000;

/// Greatest distance a unit is moved at once.
const REACH: usize = 10;

/// Simulated annealing of an order: units of one vertex, or of two mirror images, change places.
struct Annealing {
    near: Vec<u128>,
    units: Vec<Vec<usize>>,
    states: Vec<f64>,
    phase: Vec<f64>,
    random: u64,
}

/// The squares processed and touched before every unit, and the price of each.
#[derive(Clone)]
struct Trace {
    done: Vec<u128>,
    touched: Vec<u128>,
    price: Vec<f64>,
}

impl Annealing {
    fn new(problem: &Problem, mirror: Option<&Vec<usize>>) -> Self {
        let squares = problem.squares();
        let near =
            |v: usize| problem.near(v).iter().filter(|&&w| w < squares).fold(0, |set, &w| set | 1u128 << w);
        let image = |v: usize| mirror.map_or(v, |mirror| mirror[v]);
        let unit = |v: usize| if image(v) == v { vec![v] } else { vec![v, image(v)] };
        Self {
            near: (0..squares).map(near).collect(),
            units: (0..squares).filter(|&v| v <= image(v)).map(unit).collect(),
            states: (0..=squares).map(states_of).collect(),
            phase: (0..=squares).map(|t| phase(t, squares)).collect(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Processes a unit; returns its price.
    #[inline(always)]
    fn step(&self, unit: usize, done: &mut u128, touched: &mut u128) -> f64 {
        let mut price = 0.0;
        for &v in &self.units[unit] {
            *done |= 1 << v;
            *touched |= self.near[v];
            let frontier = (*touched & !*done).count_ones() as usize;
            price += self.states[frontier] * self.phase[done.count_ones() as usize];
        }
        price
    }

    /// A random number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 11) % n as u64) as usize
    }

    /// The best order found in so many rounds from a given one.
    fn run(mut self, seed: &[usize], rounds: usize) -> Vec<usize> {
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

/// Relative rise in price that is accepted with probability 1/e at first.
const WARMTH: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, Leaper};
    use crate::frontier::problem::cycles::Tours;

    #[test]
    fn a_frontier_of_two_vertices_has_five_states() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!((0..4).map(states_of).collect::<Vec<_>>(), [1.0, 2.0, 5.0, 14.0]);
    }

    #[test]
    fn orders_are_permutations_with_the_apex_last() {
        let graph = Graph::new(&Board::new(5, 6).unwrap(), Leaper::KNIGHT);
        let problem = Problem::new(&graph, Tours::Paths, &[]);
        for mut order in search(&problem, &[], false) {
            assert_eq!(order.last(), Some(&30));
            order.sort_unstable();
            assert_eq!(order, (0..31).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_sequence_of_pairs_is_tried() {
        let orders = column_orders(7);
        assert_eq!(orders.len(), 25);
        assert!(orders.contains(&vec![0, 6, 2, 4, 3, 1, 5]));
    }
}
