//! What an order is expected to cost: the states that its frontiers can carry.
//!
//! A frontier of `f` vertices can carry `T(f) = 2 T(f-1) + (f-1) T(f-2)` states (a vertex is bare,
//! inner, or the mate of one of the others), halved where a mirror folds the layer. Not all of
//! them are there: few can be reached early on, and few can still be completed towards the end.

use crate::frontier::problem::cycles::{Cycles, folds};

/// The judgement of an order of the squares (without the apex): the sum over its steps.
#[must_use]
pub fn price(cycles: &Cycles, order: &[usize]) -> f64 {
    let squares = order.len();
    let mut place = vec![usize::MAX; squares];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut halved = vec![false; squares];
    for mirror in cycles.mirrors() {
        folds(mirror, order).for_each(|t| halved[t] = true);
    }
    let mut touched = vec![false; squares];
    let (mut frontier, mut sum) = (0usize, 0.0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in cycles.near(v).iter().filter(|&&w| w < squares && place[w] > t) {
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
pub fn width(cycles: &Cycles, order: &[usize]) -> usize {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    let mut touched = vec![false; order.len()];
    let (mut frontier, mut width) = (0usize, 0);
    for (t, &v) in order.iter().enumerate() {
        frontier -= usize::from(touched[v]);
        for &w in cycles.near(v).iter().filter(|&&w| place[w] > t) {
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
#[must_use]
pub fn states_of(f: usize) -> f64 {
    let (mut last, mut now) = (0.0, 1.0);
    for k in 1..=f {
        (last, now) = (now, 2.0 * now + (k as f64 - 1.0) * last);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frontier_of_two_vertices_has_five_states() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!((0..4).map(states_of).collect::<Vec<_>>(), [1.0, 2.0, 5.0, 14.0]);
    }
}
