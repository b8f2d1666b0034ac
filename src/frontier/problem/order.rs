//! In which order to process the squares: the one decision that costs or saves most.
//!
//! An order is judged by the states that its frontiers can carry (`price`).
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
//! simulated annealing (`annealing`) then moves single squares, or mirror pairs, to other
//! places; on 6x6 that brings the frontier from 12 squares down to 9, on 7x7 the
//! states down to a sixth.

use crate::frontier::problem::annealing::{Annealing, MOST_SQUARES};
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::field::Lines;
use crate::frontier::problem::price::{price, width};

/// Pair sequences are tried exhaustively up to this many pairs.
const MOST_PAIRS: usize = 7;

/// Greedy orders to start from, at most.
const MOST_GREEDY: usize = 24;

/// Price of an order for each round of annealing that is spent on improving it.
const ROUND_PRICE: f64 = 1000.0;

/// Rounds of annealing at least and at most: some 1 ms and 150 ms.
const LEAST_ROUNDS: usize = 4_000;
const MOST_ROUNDS: usize = 400_000;

/// Good orders for the cycles, each with the apex last; which is best also depends on how its
/// frontier fits into slots. `directions` are the ways to sweep the board, if it is one.
/// With `by_lines` only orders that finish line after line are considered. What comes of a search that was
/// cancelled is of no use.
#[must_use]
pub fn search(cycles: &Cycles, directions: &[Lines], by_lines: bool, cancel: &Cancel) -> Vec<Vec<usize>> {
    let mut best: Option<(f64, Vec<usize>)> = None;
    let mut offer = |order: Vec<usize>| {
        let price = price(cycles, &order);
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, order));
        }
    };
    for lines in directions {
        for columns in column_orders(lines.first().map_or(0, Vec::len)) {
            if cancel.is_cancelled() {
                break;
            }
            offer(lines.iter().flat_map(|line| columns.iter().filter_map(|&c| line[c])).collect());
        }
    }
    let squares = cycles.squares();
    if !by_lines && (directions.is_empty() || squares <= MOST_SQUARES) {
        let starts = squares.min(if directions.is_empty() { MOST_GREEDY } else { 4 });
        (0..starts).take_while(|_| !cancel.is_cancelled()).for_each(|start| {
            offer(greedy(cycles, start * squares / starts));
        });
    }
    if cancel.is_cancelled() {
        return vec![(0..cycles.len()).collect()];
    }
    let (least, seed) = best.unwrap_or_default();
    let mut orders = vec![seed.clone()];
    if !by_lines && (2..=MOST_SQUARES).contains(&squares) {
        let rounds = ((least / ROUND_PRICE) as usize).clamp(LEAST_ROUNDS, MOST_ROUNDS);
        orders.push(Annealing::new(cycles, None).run(&seed, rounds, cancel));
        // A short run tells which mirror is worth a long one.
        let short = |mirror: &Vec<usize>| {
            let order = Annealing::new(cycles, Some(mirror)).run(&seed, rounds / 8, cancel);
            price(cycles, &order)
        };
        let mirrors = cycles.mirrors().iter().map(|mirror| (short(mirror), mirror));
        if let Some((_, mirror)) = mirrors.min_by(|a, b| a.0.total_cmp(&b.0)) {
            orders.push(Annealing::new(cycles, Some(mirror)).run(&seed, rounds, cancel));
        }
    }
    orders.dedup();
    orders.iter_mut().for_each(|order| order.extend(cycles.apex()));
    orders
}

/// The narrowest frontier of a board that is swept line by line, left to right, if it is too large for anything
/// better to be found; else 0. Cost O(vertices).
#[must_use]
pub fn least_width(cycles: &Cycles, directions: &[Lines]) -> usize {
    if cycles.squares() <= MOST_SQUARES {
        return 0;
    }
    let plain = |lines: &Lines| {
        let squares = lines.iter().flat_map(|line| line.iter().copied().flatten());
        width(cycles, &squares.chain(cycles.apex()).collect::<Vec<_>>())
    };
    directions.iter().map(plain).min().unwrap_or(0)
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
fn greedy(cycles: &Cycles, start: usize) -> Vec<usize> {
    let squares = cycles.squares();
    let near: Vec<Vec<usize>> =
        (0..squares).map(|v| cycles.near(v).iter().copied().filter(|&w| w < squares).collect()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, Leaper};
    use crate::frontier::problem::cycles::Tours;

    #[test]
    fn orders_are_permutations_with_the_apex_last() {
        let graph = Graph::new(&Board::new(5, 6).unwrap(), Leaper::KNIGHT);
        let cycles = Cycles::new(&graph, Tours::Paths, &[]);
        for mut order in search(&cycles, &[], false, &Cancel::default()) {
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
