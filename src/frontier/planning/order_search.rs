//! The search for a vertex order of a sweep: line by line, greedily, and by simulated annealing. No
//! other decision has more influence on the cost of a sweep.
//!
//! The cost of an order is the expected number of states on its frontiers, see
//! [`order_cost`](crate::frontier::planning::order_cost).
//!
//! # Line orders
//!
//! Boards are first swept line by line (row by row, or column by column) along either side. Within
//! a line the columns come in mirror pairs, and every sequence of pairs is tried:
//!
//! ```text
//! 6 columns: 0 5 2 3 1 4       7: 0 6 2 4 3 1 5       8: 0 7 2 5 3 4 1 6
//! ```
//!
//! These orders touch new squares no faster than they finish old ones, so the frontier never
//! exceeds two lines. Simulated annealing then starts from the best of these orders, or from greedy
//! orders, and moves single squares or mirror pairs to other positions. On 6x6 it reduces the
//! frontier from 12 squares to 9, on 7x7 the number of states to a sixth.
//!
//! A wrapped board has no edge to start at: line orders are poor there, and the result of the
//! annealing depends on its start. For such boards the search makes short runs from lines in either
//! direction and from greedy orders, and one long run from the best start.
//!
//! # Simulated annealing
//!
//! The units of an order are single vertices, or pairs of mirror images. A round moves one unit by
//! a few positions; an increase in cost is accepted ever more rarely. Only the steps between the
//! old and the new position change their cost, so a round takes a microsecond at most. The random
//! numbers have a fixed seed: a graph always gets the same order.

use rayon::prelude::*;

use super::cancel::Cancel;
use super::order_cost::{FrontierCapacity, fill_curve, frontier_width, order_cost};
use super::problem::{Cycles, SweepGraph, SweepLines, Tours};
use super::slots::MAX_SLOTS;

/// Maximum number of column pairs of which all sequences are tried.
const MAX_COLUMN_PAIRS: usize = 7;

/// Maximum number of greedy orders from which annealing starts.
const MAX_GREEDY_ORDERS: usize = 24;

/// Maximum frontier width, in vertices, of a greedy order on a graph too large for annealing. A
/// wider order is abandoned.
const MAX_GREEDY_WIDTH: usize = 2 * MAX_SLOTS;

/// Cost of the start order divided by the number of annealing rounds.
const COST_PER_ROUND: f64 = 3000.0;

/// Minimum number of annealing rounds: about 1 ms.
const MIN_ROUNDS: usize = 4_000;
/// Maximum number of annealing rounds: about 150 ms.
const MAX_ROUNDS: usize = 400_000;

/// The extent of a search for orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchScope {
    /// Line-by-line orders only.
    LinesOnly,
    /// Simulated annealing that starts from the cheapest of the line-by-line orders and greedy orders.
    SingleStart,
    /// Simulated annealing that starts from the best of several line-by-line orders and greedy
    /// orders. Short runs determine which order is best.
    MultiStart,
}

impl SearchScope {
    /// Returns the scope that pays off for `graph`: one start for rectangles, several starts for other
    /// boards.
    #[must_use]
    pub fn for_graph(graph: &SweepGraph) -> Self {
        if graph.is_rectangle_like() { Self::SingleStart } else { Self::MultiStart }
    }
}

/// Returns good orders for `cycles`, each with the apex last. The best of them also depends on the
/// number of slots that each order needs. `directions` are the lines of a board in each direction
/// of sweeping, empty for a graph. Returns `None` if the search was cancelled.
#[must_use]
pub fn find_orders(
    cycles: &Cycles,
    directions: &[SweepLines],
    scope: SearchScope,
    cancel: &Cancel,
) -> Option<Vec<Vec<usize>>> {
    let is_running = || !cancel.is_cancelled();
    let mut seeds: Vec<CostedOrder> = Vec::new();
    for lines in directions {
        let columns = column_orders(lines.first().map_or(0, Vec::len)).into_iter();
        let orders = columns
            .take_while(|_| is_running())
            .map(|columns| lines.iter().flat_map(|line| columns.iter().filter_map(|&c| line[c])).collect());
        seeds.extend(best_and_worst(cycles, orders));
    }
    let squares = cycles.square_count();
    if scope != SearchScope::LinesOnly && (directions.is_empty() || squares <= MAX_ANNEALED_SQUARES) {
        let number = if directions.is_empty() { MAX_GREEDY_ORDERS } else { 4 };
        let orders = greedy_starts(squares, number).take_while(|_| is_running()).filter_map(|start| {
            if squares <= MAX_ANNEALED_SQUARES {
                Some(greedy_order(cycles, start))
            } else {
                greedy_frontier_order(cycles, start).ok()
            }
        });
        seeds.extend(best_and_worst(cycles, orders));
    }
    if cancel.is_cancelled() {
        return None;
    }
    let best = seeds.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let (least, seed) = best.cloned().unwrap_or_default();
    let mut orders = vec![seed.clone()];
    if scope != SearchScope::LinesOnly && (2..=MAX_ANNEALED_SQUARES).contains(&squares) {
        let rounds = ((least / COST_PER_ROUND) as usize).clamp(MIN_ROUNDS, MAX_ROUNDS);
        let mut start_orders = vec![&seed];
        if scope == SearchScope::MultiStart {
            start_orders.extend(seeds.iter().map(|(_, order)| order));
            start_orders.dedup();
        }
        // Short runs decide which start and which mirror get a long run.
        let starts_with =
            |mirror| start_orders.iter().map(move |&begin| AnnealingStart { order: begin, mirror });
        let free = cheapest_start(cycles, starts_with(None).collect(), rounds / 8, cancel);
        let folded = cycles.mirrors().iter().flat_map(|mirror| starts_with(Some(mirror))).collect();
        let folded = cheapest_start(cycles, folded, rounds / 8, cancel);
        let best: Vec<AnnealingStart> = free.into_iter().chain(folded).collect();
        orders.par_extend(best.into_par_iter().map(|attempt| attempt.run(cycles, rounds, cancel)));
    }
    orders.dedup();
    orders.iter_mut().for_each(|order| order.extend(cycles.apex()));
    is_running().then_some(orders)
}

/// Returns orders of the squares from long annealings that start with lines, with the cost by
/// colours and random numbers that depend on `seed`: one order without a mirror and one for each
/// mirror. The orders are not certain to be good; they are start orders for a search that compares
/// dry runs. Returns nothing for graphs without lines and for boards of more than
/// `MAX_ANNEALED_SQUARES` squares.
#[must_use]
pub fn candidate_orders(graph: &SweepGraph, tours: Tours, seed: u64) -> Vec<Vec<usize>> {
    let cycles = Cycles::from_sweep_graph(graph, tours);
    let directions = graph.directions();
    if directions.is_empty() || !(2..=MAX_ANNEALED_SQUARES).contains(&cycles.square_count()) {
        return Vec::new();
    }
    let lines = &directions[seed as usize % directions.len()];
    let begin: Vec<usize> = lines.iter().flatten().copied().flatten().collect();
    let capacity = FrontierCapacity::from_cycles(&cycles);
    let mirrors = std::iter::once(None).chain(cycles.mirrors().iter().map(Some));
    let long = |mirror| {
        Annealing::new(&cycles, &capacity, mirror).with_seed(seed).run(&begin, MAX_ROUNDS, &Cancel::default())
    };
    mirrors.map(long).collect()
}

/// The cost of an order, and the order.
type CostedOrder = (f64, Vec<usize>);

/// Returns the first of the cheapest orders and the most expensive order, each with its cost;
/// annealing from the most expensive order leads to other orders. Returns fewer orders if `orders`
/// has fewer than two.
fn best_and_worst(cycles: &Cycles, orders: impl Iterator<Item = Vec<usize>>) -> Vec<CostedOrder> {
    let mut best_and_worst: Vec<CostedOrder> = Vec::new();
    for order in orders {
        let price = order_cost(cycles, &order);
        match best_and_worst.as_slice() {
            [] => best_and_worst.push((price, order)),
            [best, ..] if price < best.0 => {
                let before = std::mem::replace(&mut best_and_worst[0], (price, order));
                if best_and_worst.len() < 2 {
                    best_and_worst.push(before);
                }
            }
            [_] => best_and_worst.push((price, order)),
            [_, worst, ..] if price > worst.0 => best_and_worst[1] = (price, order),
            _ => {}
        }
    }
    best_and_worst
}

/// A start order of an annealing, and the mirror whose pairs it moves together.
#[derive(Clone, Copy)]
struct AnnealingStart<'a> {
    order: &'a Vec<usize>,
    mirror: Option<&'a Vec<usize>>,
}

impl AnnealingStart<'_> {
    fn run(self, cycles: &Cycles, rounds: usize, cancel: &Cancel) -> Vec<usize> {
        let capacity = FrontierCapacity::new(cycles.square_count(), None, false);
        Annealing::new(cycles, &capacity, self.mirror).run(self.order, rounds, cancel)
    }
}

/// Returns the first start whose annealing of `rounds` rounds gives the lowest cost. Returns a
/// single start without annealing.
fn cheapest_start<'a>(
    cycles: &Cycles,
    tries: Vec<AnnealingStart<'a>>,
    rounds: usize,
    cancel: &Cancel,
) -> Option<AnnealingStart<'a>> {
    if tries.len() < 2 {
        return tries.into_iter().next();
    }
    let price = |&attempt: &AnnealingStart| order_cost(cycles, &attempt.run(cycles, rounds, cancel));
    let prices: Vec<f64> = tries.par_iter().map(price).collect();
    let priced = prices.into_iter().zip(tries);
    priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, attempt)| attempt)
}

/// Returns the least frontier width of some simple orders if the graph is too large for annealing,
/// else 0. For a board, these are the line-by-line orders with columns from left to right, at a
/// cost of O(edges). For another graph, they are greedy orders: returns 0 if one of them stays
/// within [`MAX_GREEDY_WIDTH`], else the least width at which one was abandoned.
#[must_use]
pub fn min_known_width(cycles: &Cycles, directions: &[SweepLines]) -> usize {
    if cycles.square_count() <= MAX_ANNEALED_SQUARES {
        return 0;
    }
    let plain = |lines: &SweepLines| {
        let squares = lines.iter().flat_map(|line| line.iter().copied().flatten());
        frontier_width(cycles, &squares.chain(cycles.apex()).collect::<Vec<_>>())
    };
    if !directions.is_empty() {
        return directions.iter().map(plain).min().unwrap_or(0);
    }
    let mut least = usize::MAX;
    for start in greedy_starts(cycles.square_count(), MAX_GREEDY_ORDERS) {
        match greedy_frontier_order(cycles, start) {
            Ok(_) => return 0,
            Err(width) => least = least.min(width),
        }
    }
    least
}

/// Yields at most `number` evenly spaced squares at which greedy orders start.
fn greedy_starts(squares: usize, number: usize) -> impl Iterator<Item = usize> {
    let number = squares.min(number);
    (0..number).map(move |start| start * squares / number)
}

/// Returns orders of the columns of a line: the order from left to right, and all sequences of
/// mirror pairs of columns. With more than [`MAX_COLUMN_PAIRS`] pairs, only two sequences.
fn column_orders(columns: usize) -> Vec<Vec<usize>> {
    let mut pairs: Vec<Vec<usize>> = (0..columns / 2).map(|c| vec![c, columns - 1 - c]).collect();
    if columns % 2 == 1 {
        pairs.push(vec![columns / 2]);
    }
    let mut orders = vec![(0..columns).collect()];
    if pairs.len() <= MAX_COLUMN_PAIRS {
        for_each_permutation(&mut pairs, 0, &mut |pairs| orders.push(pairs.concat()));
    } else {
        // Every second pair from outside in, then the others.
        let (even, odd): (Vec<_>, Vec<_>) = pairs.iter().enumerate().partition(|(i, _)| i % 2 == 0);
        orders.push(even.into_iter().chain(odd).flat_map(|(_, pair)| pair.clone()).collect());
        orders.push(pairs.concat());
    }
    orders
}

fn for_each_permutation<T>(items: &mut [T], from: usize, visit: &mut impl FnMut(&[T])) {
    if from + 1 >= items.len() {
        visit(items);
        return;
    }
    for i in from..items.len() {
        items[from..=i].rotate_right(1);
        for_each_permutation(items, from + 1, visit);
        items[from..=i].rotate_left(1);
    }
}

/// Returns the order that starts at `start` and always takes the vertex that leaves the smallest
/// frontier. Cost: O(vertices² x degree).
fn greedy_order(cycles: &Cycles, start: usize) -> Vec<usize> {
    let squares = cycles.square_count();
    let neighbours: Vec<Vec<usize>> = (0..squares)
        .map(|v| cycles.neighbours(v).iter().copied().filter(|&w| w < squares).collect())
        .collect();
    let (mut done, mut touched) = (vec![false; squares], vec![false; squares]);
    let mut order = Vec::with_capacity(squares);
    let mut next = Some(start);
    while let Some(v) = next {
        done[v] = true;
        order.push(v);
        neighbours[v].iter().for_each(|&w| touched[w] = true);
        let fresh = |v: &usize| neighbours[*v].iter().filter(|&&w| !touched[w] && !done[w]).count();
        let open = (0..squares).filter(|&v| !done[v]);
        // Ties go to the vertex with the fewest unprocessed neighbours.
        next = open.min_by_key(|v| {
            (fresh(v) + usize::from(!touched[*v]), neighbours[*v].iter().filter(|&&w| !done[w]).count(), *v)
        });
    }
    order
}

/// Returns the greedy order of a graph with many vertices, which starts at `start` and takes the
/// next vertex from the frontier. Cost: O(vertices x frontier x degree). If the frontier becomes
/// wider than [`MAX_GREEDY_WIDTH`], too wide for any sweep, returns its width as the error.
fn greedy_frontier_order(cycles: &Cycles, start: usize) -> Result<Vec<usize>, usize> {
    let squares = cycles.square_count();
    let neighbours = |v: usize| cycles.neighbours(v).iter().copied().filter(move |&w| w < squares);
    let (mut done, mut touched) = (vec![false; squares], vec![false; squares]);
    let (mut frontier, mut order, mut first) = (vec![start], Vec::with_capacity(squares), 0);
    touched[start] = true;
    loop {
        let ahead = |v: usize| neighbours(v).filter(|&w| !done[w]).count();
        let fresh = |v: usize| neighbours(v).filter(|&w| !touched[w]).count();
        let next = (0..frontier.len()).min_by_key(|&i| (fresh(frontier[i]), ahead(frontier[i]), frontier[i]));
        let v = match next {
            Some(i) => frontier.swap_remove(i),
            // A component of the graph is finished: start the next one.
            None => match (first..squares).find(|&v| !touched[v]) {
                Some(v) => v,
                None => return Ok(order),
            },
        };
        first += usize::from(v == first);
        (done[v], touched[v]) = (true, true);
        order.push(v);
        for w in neighbours(v) {
            if !touched[w] {
                touched[w] = true;
                frontier.push(w);
            }
        }
        if frontier.len() > MAX_GREEDY_WIDTH {
            return Err(frontier.len());
        }
    }
}

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

    /// Anneals the order `seed` for `rounds` rounds, or until `cancel` is cancelled. Returns the
    /// cheapest order found.
    #[must_use]
    pub fn run(mut self, seed: &[usize], rounds: usize, cancel: &Cancel) -> Vec<usize> {
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
            if round % CANCEL_CHECK_ROUNDS == 0 && cancel.is_cancelled() {
                break;
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
        best.iter().flat_map(|&unit| self.units[unit].clone()).collect()
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
    use super::*;
    use crate::board::{Board, Graph, Leaper, Rectangle};

    #[test]
    fn orders_are_permutations_with_the_apex_last() {
        let graph = Graph::from_leaper(&Rectangle::new(5, 6).unwrap(), Leaper::KNIGHT);
        let cycles = Cycles::new(&graph, Tours::Paths, &[]);
        for mut order in find_orders(&cycles, &[], SearchScope::SingleStart, &Cancel::default()).unwrap() {
            assert_eq!(order.last(), Some(&30));
            order.sort_unstable();
            assert_eq!(order, (0..31).collect::<Vec<_>>());
        }
    }

    #[test]
    fn greedy_frontier_order_accepts_ladders_and_rejects_complete_graphs() {
        // A ladder of 2 x 5000 has at most three vertices on its frontier.
        let (len, rung) = (5000, |i: usize| (2 * i, 2 * i + 1));
        let sides = (0..len - 1).flat_map(|i| [(2 * i, 2 * i + 2), (2 * i + 1, 2 * i + 3)]);
        let ladder = Graph::from_edges(2 * len, (0..len).map(rung).chain(sides));
        let cycles = Cycles::new(&ladder, Tours::Closed, &[]);
        let order = greedy_frontier_order(&cycles, 0).unwrap();
        assert!(frontier_width(&cycles, &order) <= 3);
        assert_eq!(min_known_width(&cycles, &[]), 0);
        let mut sorted =
            find_orders(&cycles, &[], SearchScope::SingleStart, &Cancel::default()).unwrap().concat();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..2 * len));
        // A complete graph is soon rejected.
        let tangle = Graph::from_edges(300, (0..300).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(min_known_width(&Cycles::new(&tangle, Tours::Closed, &[]), &[]), 299);
    }

    #[test]
    fn column_orders_has_every_sequence_of_pairs() {
        let orders = column_orders(7);
        assert_eq!(orders.len(), 25);
        assert!(orders.contains(&vec![0, 6, 2, 4, 3, 1, 5]));
    }

    #[test]
    fn multi_start_finds_cheaper_orders_of_wrapped_boards() {
        let cheapest = |text: &str, scope: Option<SearchScope>| {
            let sweep_graph = SweepGraph::from_board(&text.parse::<Board>().unwrap());
            let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
            let scope = scope.unwrap_or(SearchScope::for_graph(&sweep_graph));
            let orders = find_orders(&cycles, sweep_graph.directions(), scope, &Cancel::default()).unwrap();
            orders.iter().map(|order| order_cost(&cycles, order)).fold(f64::INFINITY, f64::min)
        };
        for (text, times) in [
            ("board=4x7 wrap=torus piece=1,2 remove=-", 4.0),
            ("board=5x6 wrap=mobius piece=1,2 remove=-", 2.5),
            ("board=3x9 wrap=projective piece=1,2 remove=-", 1.5),
        ] {
            let (before, now) = (cheapest(text, Some(SearchScope::SingleStart)), cheapest(text, None));
            assert!(now * times < before, "{text}: {now:e}, from one start {before:e}");
        }
        // Rectangles have one start.
        assert_eq!(
            SearchScope::for_graph(&SweepGraph::from_board(&Rectangle::new(5, 6).unwrap().into())),
            SearchScope::SingleStart
        );
        let king: Board = "board=5x6 piece=0,1+1,1 remove=-".parse().unwrap();
        assert_eq!(SearchScope::for_graph(&SweepGraph::from_board(&king)), SearchScope::MultiStart);
    }

    #[test]
    fn best_and_worst_returns_cheapest_and_most_expensive() {
        let cycles = Cycles::new(
            &Graph::from_leaper(&Rectangle::new(3, 4).unwrap(), Leaper::KNIGHT),
            Tours::Closed,
            &[],
        );
        let orders: Vec<Vec<usize>> = (0..12).map(|start| greedy_order(&cycles, start)).collect();
        let prices: Vec<f64> = orders.iter().map(|order| order_cost(&cycles, order)).collect();
        let kept = best_and_worst(&cycles, orders.into_iter());
        let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
        let most = prices.iter().copied().fold(0.0, f64::max);
        assert_eq!(kept.iter().map(|(price, _)| *price).collect::<Vec<_>>(), [least, most]);
        assert!(best_and_worst(&cycles, std::iter::empty()).is_empty());
    }
}

#[cfg(test)]
mod annealing_tests {
    use super::super::order_cost::order_cost;
    use super::super::problem::SweepGraph;
    use super::super::problem::Tours;
    use super::*;
    use crate::board::Rectangle;

    #[test]
    fn annealing_keeps_mirror_pairs_and_does_not_increase_cost() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(5, 6).unwrap().into());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let (rows, capacity): (Vec<usize>, _) = ((0..30).collect(), &FrontierCapacity::from_cycles(&cycles));
        let free = Annealing::new(&cycles, capacity, None).run(&rows, 4000, &Cancel::default());
        assert!(order_cost(&cycles, &free) <= order_cost(&cycles, &rows));
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
