//! [`lift_walk`] converts a walk of the quotient into the tours that it represents. A step from orbit `a` to
//! orbit `b` along an edge of label `l` takes `s^g r_a` to `s^(g+l) r_b`. So a walk and a choice of labels
//! determine a sequence of squares. A cycle of sum `L` is traversed `k` times, from `r`, `s^L r`, `s^2L r`,
//! ...; a path is continued by its mirror image:
//!
//! ```text
//! cycle    F, s^L F, s^2L F, ...            all labels with an odd sum
//! closed   F_1 ... F_n, sF_n ... sF_1       fixed squares appear once
//! path     sF_n ... sF_1, F_1 ... F_n
//! ```

use std::ops::ControlFlow;

use super::quotient::Quotient;

/// The type of tour that a walk represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiftKind {
    /// A closed tour that the symmetry rotates: the walk is a cycle.
    Cycle,
    /// A closed tour that the symmetry reverses: the walk is a path.
    Closed,
    /// A path that the symmetry reverses.
    Path,
}

/// Calls `each` with every tour that a walk (orbits in order of visit) represents.
pub fn lift_walk(
    quotient: &Quotient,
    fold: LiftKind,
    walk: &[u32],
    each: &mut impl FnMut(&mut Vec<u32>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut powers = vec![0];
    let mut tour = Vec::with_capacity(quotient.square_count());
    choose_labels(quotient, fold, walk, &mut powers, &mut |powers| {
        tour.clear();
        let square = |i: usize, more: usize| {
            let orbit = quotient.orbit(walk[i]);
            orbit[(powers[i] + more) % orbit.len()]
        };
        let len = walk.len();
        let is_moved = |i: usize| quotient.orbit(walk[i]).len() > 1;
        match fold {
            LiftKind::Cycle => {
                let sum = powers[len];
                tour.extend(
                    (0..quotient.order())
                        .flat_map(|round| (0..len).map(move |i| (i, round * sum)))
                        .map(|(i, more)| square(i, more)),
                );
            }
            LiftKind::Closed => {
                tour.extend((0..len).map(|i| square(i, 0)));
                tour.extend((0..len).rev().filter(|&i| is_moved(i)).map(|i| square(i, 1)));
            }
            LiftKind::Path => {
                tour.extend((0..len).rev().filter(|&i| is_moved(i)).map(|i| square(i, 1)));
                tour.extend((0..len).map(|i| square(i, 0)));
            }
        }
        each(&mut tour)
    })
}

/// Chooses labels edge by edge. `powers[i]` is the power of `s` at the `i`-th orbit; for a cycle the last
/// entry is the sum of its labels.
fn choose_labels(
    quotient: &Quotient,
    fold: LiftKind,
    walk: &[u32],
    powers: &mut Vec<usize>,
    each: &mut impl FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (len, chosen) = (walk.len(), powers.len());
    let edges = if fold == LiftKind::Cycle { len } else { len - 1 };
    if chosen > edges {
        let is_complete = fold != LiftKind::Cycle || powers[chosen - 1] % 2 == 1;
        return if is_complete { each(powers) } else { ControlFlow::Continue(()) };
    }
    let power = powers[chosen - 1];
    for label in quotient.labels(walk[chosen - 1], walk[chosen % len]) {
        powers.push(power + label);
        let flow = choose_labels(quotient, fold, walk, powers, each);
        powers.pop();
        flow?;
    }
    ControlFlow::Continue(())
}
