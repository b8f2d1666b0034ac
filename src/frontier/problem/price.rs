//! The expected cost of an order: the sum of the states on its frontiers.
//!
//! A frontier of `f` vertices has at most `T(f) = 2 T(f-1) + (f-1) T(f-2)` states: a vertex is bare, inner,
//! or the mate of one of the others. Where a mirror folds the layer, half of them remain. Not all of these
//! states occur: early in a sweep few can be reached, and towards its end few can be completed.

use crate::frontier::problem::cycles::{Cycles, symmetric_steps};

/// Returns the cost of an order of the squares (without the apex): the expected number of states, summed over
/// all steps.
#[must_use]
pub fn order_cost(cycles: &Cycles, order: &[usize]) -> f64 {
    let squares = order.len();
    let mut place = vec![usize::MAX; squares];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut halved = vec![false; squares];
    for mirror in cycles.mirrors() {
        symmetric_steps(mirror, order).for_each(|t| halved[t] = true);
    }
    let mut touched = vec![false; squares];
    let (mut frontier, mut sum) = (0usize, 0.0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in cycles.neighbours(v).iter().filter(|&&w| w < squares && place[w] > t) {
            frontier += usize::from(!touched[w]);
            touched[w] = true;
        }
        let share = fold_factor(halved[t], t > 0 && halved[t - 1]);
        sum += frontier_states(frontier) * fill_curve(t + 1, squares) * share;
    }
    sum
}

/// Returns the maximum number of vertices on the frontier, the apex included, for `order` (with the apex).
#[must_use]
pub fn frontier_width(cycles: &Cycles, order: &[usize]) -> usize {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut touched = vec![false; order.len()];
    let (mut frontier, mut width) = (0usize, 0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in cycles.neighbours(v).iter().filter(|&&w| place[w] > t) {
            frontier += usize::from(!touched[w]);
            touched[w] = true;
        }
        width = width.max(frontier);
    }
    width
}

/// Returns the share of a layer's states that folding leaves: a half after a step that folds, and little more
/// one step later, because the representatives were chosen to have few successors.
#[must_use]
pub fn fold_factor(is_folded: bool, was_folded_before: bool) -> f64 {
    match (is_folded, was_folded_before) {
        (true, _) => 0.5,
        (false, true) => 0.6,
        (false, false) => 1.0,
    }
}

/// Returns the share of the possible states of a frontier that occur after `t` of `squares` steps. Few can be
/// reached early in a sweep, and few can be completed towards its end. Measured on 8x8.
#[must_use]
pub fn fill_curve(t: usize, squares: usize) -> f64 {
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

/// Returns the number of possible states of a frontier of `f` vertices.
#[must_use]
pub fn frontier_states(f: usize) -> f64 {
    let (mut previous, mut current) = (0.0, 1.0);
    for k in 1..=f {
        (previous, current) = (current, 2.0 * current + (k as f64 - 1.0) * previous);
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontier_states_follows_the_recurrence() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!((0..4).map(frontier_states).collect::<Vec<_>>(), [1.0, 2.0, 5.0, 14.0]);
    }
}
