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
//! frontier never exceeds two lines. Irregular boards and other graphs start from
//! the best such order, or from greedy ones, and are improved by moving single
//! squares (or mirror pairs) to other places as long as that pays.

use super::problem::Problem;

/// The squares of a board by line and column, for one direction of sweeping.
pub type Lines = Vec<Vec<Option<usize>>>;

/// Pair sequences are tried exhaustively up to this many pairs.
const MOST_PAIRS: usize = 7;

/// Vertices up to which an order is improved square by square.
const MOST_IMPROVED: usize = 160;

/// A good order for a problem; `directions` are the ways to sweep the board, if it is one.
/// The apex comes last. With `by_lines` only orders that finish line after line are considered.
#[must_use]
pub fn search(problem: &Problem, directions: &[Lines], by_lines: bool) -> Vec<usize> {
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
    if !by_lines {
        let squares = problem.squares();
        let starts = if directions.is_empty() { squares } else { squares.min(4) };
        (0..starts.min(24)).for_each(|start| offer(greedy(problem, start * squares / starts)));
    }
    let (price, mut order) = best.unwrap_or_default();
    if !by_lines && order.len() <= MOST_IMPROVED {
        order = improved(problem, order, price);
    }
    order.extend(problem.apex());
    order
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
        sum += states_of(frontier) * if halved[t] { 0.5 } else { 1.0 };
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

/// States that a frontier of `f` vertices can carry.
fn states_of(f: usize) -> f64 {
    let (mut last, mut now) = (0.0, 1.0);
    for k in 1..=f {
        (last, now) = (now, 2.0 * now + (k as f64 - 1.0) * last);
    }
    now
}

/// Moves units (mirror pairs that stand side by side, or single squares) as long as the price falls.
fn improved(problem: &Problem, order: Vec<usize>, price_before: f64) -> Vec<usize> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mirrors = problem.mirrors();
    for v in order {
        match units.last_mut() {
            Some(unit) if unit.len() == 1 && mirrors.iter().any(|m| m[unit[0]] == v) => unit.push(v),
            _ => units.push(vec![v]),
        }
    }
    let mut least = price_before;
    let mut budget = 4000;
    let mut progress = true;
    while progress && budget > 0 {
        progress = false;
        for from in 0..units.len() {
            for to in from.saturating_sub(8)..(from + 9).min(units.len()) {
                if from == to || budget == 0 {
                    continue;
                }
                budget -= 1;
                let mut tried = units.clone();
                let unit = tried.remove(from);
                tried.insert(to, unit);
                let price = price(problem, &tried.concat());
                if price < least * 0.9999 {
                    (least, units, progress) = (price, tried, true);
                }
            }
        }
    }
    units.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, Leaper};
    use crate::frontier::problem::Tours;

    #[test]
    fn a_frontier_of_two_vertices_has_five_states() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!((0..4).map(states_of).collect::<Vec<_>>(), [1.0, 2.0, 5.0, 14.0]);
    }

    #[test]
    fn orders_are_permutations_with_the_apex_last() {
        let graph = Graph::new(&Board::new(5, 6).unwrap(), Leaper::KNIGHT);
        let problem = Problem::new(&graph, Tours::Paths, &[]);
        let mut order = search(&problem, &[], false);
        assert_eq!(order.last(), Some(&30));
        order.sort_unstable();
        assert_eq!(order, (0..31).collect::<Vec<_>>());
    }

    #[test]
    fn every_sequence_of_pairs_is_tried() {
        let orders = column_orders(7);
        assert_eq!(orders.len(), 25);
        assert!(orders.contains(&vec![0, 6, 2, 4, 3, 1, 5]));
    }
}
