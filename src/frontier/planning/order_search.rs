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

use rayon::prelude::*;

use super::annealing::{MAX_ANNEALED_SQUARES, anneal};
use super::cancel::{Cancel, Cancelled};
use super::order_cost::{FrontierCapacity, frontier_width, order_cost};
use super::problem::{Cycles, SweepGraph, SweepLines, Tours};
use super::slots::MAX_SLOTS;

/// Maximum number of column pairs of which all sequences are tried.
const MAX_COLUMN_PAIRS: usize = 7;

/// Maximum number of greedy orders from which annealing starts.
const MAX_GREEDY_ORDERS: usize = 24;

/// Maximum frontier width, in vertices, of a greedy order on a graph too large for annealing. A
/// wider order is abandoned.
const MAX_GREEDY_WIDTH: usize = 2 * MAX_SLOTS;

/// Maximum number of squares of a board whose orders are annealed. The line orders of longer boards
/// repeat from line to line; annealing does not make their sweeps cheaper.
const MAX_ANNEALED_BOARD: usize = 128;

/// Cost of the start order divided by the number of annealing rounds.
const COST_PER_ROUND: f64 = 3000.0;

/// Minimum number of annealing rounds of a board with many states: about 1 ms.
const MIN_ROUNDS: usize = 4_000;
/// Maximum number of annealing rounds: about 150 ms.
const MAX_ROUNDS: usize = 400_000;

/// Number of annealing rounds for each expected state of a board with few states. More rounds would take longer than
/// the sweep.
const ROUNDS_PER_STATE: f64 = 4.0;

/// Returns the number of annealing rounds that pay off for a start order of the cost `cost`, in states.
fn annealing_rounds(cost: f64) -> usize {
    let least = ((cost * ROUNDS_PER_STATE) as usize).min(MIN_ROUNDS);
    ((cost / COST_PER_ROUND) as usize).clamp(least, MAX_ROUNDS)
}

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

/// Returns whether the orders of `cycles` are annealed; `directions` are the lines of a board, empty
/// for another graph.
fn is_annealed(cycles: &Cycles, directions: &[SweepLines]) -> bool {
    let most = if directions.is_empty() { MAX_ANNEALED_SQUARES } else { MAX_ANNEALED_BOARD };
    cycles.square_count() <= most
}

/// Returns good orders for `cycles`, each with the apex last. The best of them also depends on the
/// number of slots that each order needs. `directions` are the lines of a board in each direction
/// of sweeping, empty for a graph.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
pub fn find_orders(
    cycles: &Cycles,
    directions: &[SweepLines],
    scope: SearchScope,
    cancel: &Cancel,
) -> Result<Vec<Vec<usize>>, Cancelled> {
    let mut seeds: Vec<CostedOrder> = Vec::new();
    for lines in directions {
        let columns = column_orders(lines.first().map_or(0, Vec::len)).into_iter();
        let orders = columns
            .map(|columns| lines.iter().flat_map(|line| columns.iter().filter_map(|&c| line[c])).collect());
        seeds.extend(best_and_worst(cycles, orders, cancel)?);
    }
    let squares = cycles.square_count();
    if scope != SearchScope::LinesOnly && (directions.is_empty() || is_annealed(cycles, directions)) {
        let number = if directions.is_empty() { MAX_GREEDY_ORDERS } else { 4 };
        let starts = greedy_starts(squares, number);
        if is_annealed(cycles, directions) {
            let orders = starts.map(|start| greedy_order(cycles, start));
            seeds.extend(best_and_worst(cycles, orders, cancel)?);
        } else {
            let mut orders = Vec::new();
            for start in starts {
                orders.extend(greedy_frontier_order(cycles, start, cancel)?.ok());
            }
            seeds.extend(best_and_worst(cycles, orders.into_iter(), cancel)?);
        }
    }
    let best = seeds.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let (least, seed) = best.cloned().unwrap_or_default();
    let mut orders = vec![seed.clone()];
    if scope != SearchScope::LinesOnly && squares >= 2 && is_annealed(cycles, directions) {
        let rounds = annealing_rounds(least);
        let mut start_orders = vec![&seed];
        if scope == SearchScope::MultiStart {
            start_orders.extend(seeds.iter().map(|(_, order)| order));
            start_orders.dedup();
        }
        // Short runs decide which start and which mirror get a long run.
        let starts_with =
            |mirror| start_orders.iter().map(move |&begin| AnnealingStart { order: begin, mirror });
        let free = cheapest_start(cycles, starts_with(None).collect(), rounds / 8, cancel)?;
        let folded = cycles.mirrors().iter().flat_map(|mirror| starts_with(Some(mirror))).collect();
        let folded = cheapest_start(cycles, folded, rounds / 8, cancel)?;
        let best: Vec<AnnealingStart> = free.into_iter().chain(folded).collect();
        let annealed = best.into_par_iter().map(|attempt| attempt.run(cycles, rounds, cancel));
        orders.extend(annealed.collect::<Result<Vec<_>, _>>()?);
    }
    orders.dedup();
    orders.iter_mut().for_each(|order| order.extend(cycles.apex()));
    Ok(orders)
}

/// Returns orders of the squares from long annealings that start with lines, with the cost by
/// colours and random numbers that depend on `seed`: one order without a mirror and one for each
/// mirror. The orders are not certain to be good; they are start orders for a search that compares
/// dry runs. Returns nothing for graphs without lines and for boards of more than
/// `MAX_ANNEALED_BOARD` squares.
#[must_use]
pub fn candidate_orders(graph: &SweepGraph, tours: Tours, seed: u64) -> Vec<Vec<usize>> {
    let cycles = Cycles::from_sweep_graph(graph, tours);
    let directions = graph.directions();
    if directions.is_empty() || !(2..=MAX_ANNEALED_BOARD).contains(&cycles.square_count()) {
        return Vec::new();
    }
    let lines = &directions[seed as usize % directions.len()];
    let begin: Vec<usize> = lines.iter().flatten().copied().flatten().collect();
    let capacity = FrontierCapacity::from_cycles(&cycles);
    let mirrors = std::iter::once(None).chain(cycles.mirrors().iter().map(Some));
    let long = |mirror| {
        anneal((&cycles, &capacity), mirror, seed, &begin, MAX_ROUNDS, &Cancel::default())
            .expect("the default is never cancelled")
    };
    mirrors.map(long).collect()
}

/// The cost of an order, and the order.
type CostedOrder = (f64, Vec<usize>);

/// Returns the first of the cheapest orders and the most expensive order, each with its cost;
/// annealing from the most expensive order leads to other orders. Returns fewer orders if `orders`
/// has fewer than two.
fn best_and_worst(
    cycles: &Cycles,
    orders: impl Iterator<Item = Vec<usize>>,
    cancel: &Cancel,
) -> Result<Vec<CostedOrder>, Cancelled> {
    let mut best_and_worst: Vec<CostedOrder> = Vec::new();
    for order in orders {
        cancel.check()?;
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
    Ok(best_and_worst)
}

/// A start order of an annealing, and the mirror whose pairs it moves together.
#[derive(Clone, Copy)]
struct AnnealingStart<'a> {
    order: &'a Vec<usize>,
    mirror: Option<&'a Vec<usize>>,
}

impl AnnealingStart<'_> {
    fn run(self, cycles: &Cycles, rounds: usize, cancel: &Cancel) -> Result<Vec<usize>, Cancelled> {
        let capacity = FrontierCapacity::new(cycles.square_count(), None, false);
        anneal((cycles, &capacity), self.mirror, 0, self.order, rounds, cancel)
    }
}

/// Returns the first start whose annealing of `rounds` rounds gives the lowest cost. Returns a
/// single start without annealing.
fn cheapest_start<'a>(
    cycles: &Cycles,
    tries: Vec<AnnealingStart<'a>>,
    rounds: usize,
    cancel: &Cancel,
) -> Result<Option<AnnealingStart<'a>>, Cancelled> {
    if tries.len() < 2 {
        return Ok(tries.into_iter().next());
    }
    let price = |&attempt: &AnnealingStart| Ok(order_cost(cycles, &attempt.run(cycles, rounds, cancel)?));
    let prices: Vec<f64> = tries.par_iter().map(price).collect::<Result<_, _>>()?;
    let priced = prices.into_iter().zip(tries);
    Ok(priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, attempt)| attempt))
}

/// Returns the least frontier width of some simple orders if the graph is too large for annealing,
/// else 0. For a board, these are the line-by-line orders with columns from left to right, at a
/// cost of O(edges). For another graph, they are greedy orders: returns 0 if one of them stays
/// within [`MAX_GREEDY_WIDTH`], else the least width at which one was abandoned.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
pub fn min_known_width(
    cycles: &Cycles,
    directions: &[SweepLines],
    cancel: &Cancel,
) -> Result<usize, Cancelled> {
    if is_annealed(cycles, directions) {
        return Ok(0);
    }
    let plain = |lines: &SweepLines| {
        let squares = lines.iter().flat_map(|line| line.iter().copied().flatten());
        frontier_width(cycles, &squares.chain(cycles.apex()).collect::<Vec<_>>())
    };
    if !directions.is_empty() {
        return Ok(directions.iter().map(plain).min().unwrap_or(0));
    }
    let mut least = usize::MAX;
    for start in greedy_starts(cycles.square_count(), MAX_GREEDY_ORDERS) {
        match greedy_frontier_order(cycles, start, cancel)? {
            Ok(_) => return Ok(0),
            Err(width) => least = least.min(width),
        }
    }
    Ok(least)
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
/// wider than [`MAX_GREEDY_WIDTH`], too wide for any sweep, returns its width as the inner error.
fn greedy_frontier_order(
    cycles: &Cycles,
    start: usize,
    cancel: &Cancel,
) -> Result<Result<Vec<usize>, usize>, Cancelled> {
    let squares = cycles.square_count();
    let neighbours = |v: usize| cycles.neighbours(v).iter().copied().filter(move |&w| w < squares);
    let (mut done, mut touched) = (vec![false; squares], vec![false; squares]);
    let (mut frontier, mut order, mut first) = (vec![start], Vec::with_capacity(squares), 0);
    touched[start] = true;
    loop {
        if order.len() % CANCEL_CHECK_STEPS == 0 {
            cancel.check()?;
        }
        let ahead = |v: usize| neighbours(v).filter(|&w| !done[w]).count();
        let fresh = |v: usize| neighbours(v).filter(|&w| !touched[w]).count();
        let next = (0..frontier.len()).min_by_key(|&i| (fresh(frontier[i]), ahead(frontier[i]), frontier[i]));
        let v = match next {
            Some(i) => frontier.swap_remove(i),
            // A component of the graph is finished: start the next one.
            None => match (first..squares).find(|&v| !touched[v]) {
                Some(v) => v,
                None => return Ok(Ok(order)),
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
            return Ok(Err(frontier.len()));
        }
    }
}

/// Number of steps of a greedy order between two checks for cancellation.
const CANCEL_CHECK_STEPS: usize = 256;

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
    fn few_states_get_few_annealing_rounds() {
        let rounds = [0.0, 10.0, 1e3, 1e6, 1.2e7, 3e8, 1e12].map(annealing_rounds);
        assert_eq!(rounds, [0, 40, 4_000, 4_000, 4_000, 100_000, 400_000]);
    }

    #[test]
    fn greedy_frontier_order_accepts_ladders_and_rejects_complete_graphs() {
        // A ladder of 2 x 5000 has at most three vertices on its frontier.
        let (len, rung) = (5000, |i: usize| (2 * i, 2 * i + 1));
        let sides = (0..len - 1).flat_map(|i| [(2 * i, 2 * i + 2), (2 * i + 1, 2 * i + 3)]);
        let ladder = Graph::from_edges(2 * len, (0..len).map(rung).chain(sides));
        let cycles = Cycles::new(&ladder, Tours::Closed, &[]);
        let order = greedy_frontier_order(&cycles, 0, &Cancel::default()).unwrap().unwrap();
        assert!(frontier_width(&cycles, &order) <= 3);
        assert_eq!(min_known_width(&cycles, &[], &Cancel::default()), Ok(0));
        let mut sorted =
            find_orders(&cycles, &[], SearchScope::SingleStart, &Cancel::default()).unwrap().concat();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..2 * len));
        // A complete graph is soon rejected.
        let tangle = Graph::from_edges(300, (0..300).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(
            min_known_width(&Cycles::new(&tangle, Tours::Closed, &[]), &[], &Cancel::default()),
            Ok(299)
        );
    }

    #[test]
    fn find_orders_returns_cancelled_after_any_poll() {
        let sweep_graph = SweepGraph::from_board(&"board=4x7 wrap=torus piece=1,2 remove=-".parse().unwrap());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let find =
            |cancel: &Cancel| find_orders(&cycles, sweep_graph.directions(), SearchScope::MultiStart, cancel);
        let (never, polls) = Cancel::after_polls(usize::MAX);
        assert!(find(&never).is_ok());
        let all = polls.count();
        for limit in [0, 1, all / 4, all / 2, all - 1] {
            let (cancel, polls) = Cancel::after_polls(limit);
            assert_eq!(find(&cancel), Err(Cancelled), "poll {limit} of {all}");
            // Annealings that run at the same time poll once more each.
            assert!(polls.count() <= limit + 1 + 64, "{} polls, {limit}", polls.count());
        }
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
        let kept = best_and_worst(&cycles, orders.into_iter(), &Cancel::default()).unwrap();
        let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
        let most = prices.iter().copied().fold(0.0, f64::max);
        assert_eq!(kept.iter().map(|(price, _)| *price).collect::<Vec<_>>(), [least, most]);
        assert!(best_and_worst(&cycles, std::iter::empty(), &Cancel::default()).unwrap().is_empty());
    }
}
