//! Rough layer sizes, computed from the vertex order alone.
//!
//! A frontier of `f` vertices has at most `T(f)` weights (see
//! [`order_cost`](crate::frontier::planning::order_cost)). How many of them are present depends on
//! the distance from the first and from the last step, in units of the frontier width: few states
//! can be reached early on, and few can still be completed towards the end. In between, a fifth of
//! the weights is present for closed tours, and two fifths for paths. The curves are drawn from dry
//! runs on boards from 6x6 to 9x10 and fit these within a factor of 1.5:
//!
//! ```text
//! weights = T(f) x share that folding leaves x plateau x rise after the first step x fall before the last
//! ```
//!
//! The number of edges that were chosen bounds the states of any graph. In dense graphs, whose frontiers are widest at
//! the first step, this bound is far below the curves.

use super::dry_run::WorkingSet;
use crate::frontier::planning::order_cost::{
    fold_factor, frontier_states, reachable_states, share_of_states_with_ends,
};
use crate::frontier::planning::plan::{Plan, Step};
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::space::WordNumbering;
use crate::frontier::weights::part_sum::weights_in_progress;

/// Number of weights in the middle of a sweep, as a share of the possible weights: for closed tours
/// and for paths.
const PLATEAU_SHARES: (f64, f64) = (0.2, 0.4);

/// Number of weights of a layer as a share of the plateau, the number in the middle of the sweep.
/// Points of a curve: distance from the first step in frontier widths, and share.
const RISE_CURVE: [(f64, f64); 9] = [
    (0.0, 1.0),
    (0.3, 0.06),
    (0.6, 0.03),
    (0.75, 0.14),
    (1.0, 0.3),
    (1.25, 0.45),
    (1.5, 0.56),
    (1.75, 0.93),
    (1.9, 1.0),
];

/// Number of weights of a layer as a share of the plateau, the number in the middle of the sweep.
/// Points of a curve: distance to the last step in frontier widths, and share.
const FALL_CURVE: [(f64, f64); 8] =
    [(0.0, 1.0), (0.6, 0.3), (1.3, 0.12), (1.5, 0.13), (1.65, 0.28), (2.0, 0.52), (2.3, 0.85), (2.6, 1.0)];

/// Number of weights read, per weight of the source layer, for each additional choice of the step.
/// A vertex without an edge is joined to two of its later neighbours, an end to one. Measured on
/// 7x8, 8x8 and 8x9.
const READS_PER_EXTRA_CHOICE: f64 = 0.8;

/// Returns, for each step, a rough number of weights that are read to compute the layer after it.
/// `layers` has the number of weights after each step.
#[must_use]
pub fn layer_reads(plan: &Plan, layers: &[f64]) -> Vec<f64> {
    let before = std::iter::once(&1.0).chain(layers);
    let of = |later: usize| 1.0 + READS_PER_EXTRA_CHOICE * later.saturating_sub(1) as f64;
    plan.steps().iter().zip(before).map(|(step, weights)| weights * of(step.later_neighbours.len())).collect()
}

/// Returns the share of all weights of a frontier, if every state occurs, that belong to the chunk
/// in which all chunk slots with a vertex are ends. It is the largest chunk. `words` is the
/// numbering of the signatures after the step.
#[must_use]
fn share_of_chunk_of_ends(step: &Step, words: &WordNumbering) -> f64 {
    let (vertices, ends) = (
        step.occupied_slots.count_ones() as usize,
        (step.occupied_slots >> words.first_chunk_slot()).count_ones() as usize,
    );
    share_of_states_with_ends(vertices, ends)
}

/// Maximum number of slots of a frontier with large chunks. Chunks of wider frontiers have more chunk
/// slots, and are smaller.
const MAX_SLOTS_OF_LARGE_CHUNKS: usize = 17;

/// Minimum working set of a large chunk: the share of a layer's weights in the chunk, which is also the
/// share in its source chunks. Measured on 7x8 to 8x9: more than three times as much.
const MIN_WORKING_SET_SHARE: f64 = 0.035;

/// Minimum working set on wider frontiers: the shares of a layer's weights in the chunk and in its source
/// chunks, in units of the share that the chunk of ends has if every state occurs. Measured on 9x10, 9x18
/// and 10x10: 4.4 to 10.8 for both together.
const MIN_WORKING_SET_OF_WIDE_FRONTIER: (f64, f64) = (1.5, 2.5);

/// Likely working set of a large chunk as a share of a layer. Measured 0.2 to 0.25 on 6x8 to 8x9, sums not
/// included.
const LIKELY_WORKING_SET_SHARE: f64 = 0.28;

/// Likely working set on wider frontiers as a multiple of the minimum. Measured 1.9 on 9x10.
const LIKELY_WORKING_SET_MULTIPLE: f64 = 2.0;

/// Returns the minimum working set of the largest chunk of the layer after `step`, which has `weights` weights.
/// `words` is the numbering of the signatures after the step.
#[must_use]
pub fn min_working_set(step: &Step, words: &WordNumbering, weights: f64, is_two_sided: bool) -> WorkingSet {
    let (own, read) = if words.slot_count() <= MAX_SLOTS_OF_LARGE_CHUNKS {
        // In a two-sided sweep the greatest layers are those with the widest chunks.
        let share = if is_two_sided { 2.0 * MIN_WORKING_SET_SHARE } else { MIN_WORKING_SET_SHARE };
        (share, share)
    } else {
        let share = share_of_chunk_of_ends(step, words);
        (MIN_WORKING_SET_OF_WIDE_FRONTIER.0 * share, MIN_WORKING_SET_OF_WIDE_FRONTIER.1 * share)
    };
    let longest_block = matching_count(step.occupied_slots.count_ones() as usize / 2 * 2);
    let summed = weights_in_progress(longest_block, step.mirror_image.is_some()) as f64;
    WorkingSet { own: weights * own, read: weights * read, summed }
}

/// Returns the likely number of bytes of the greatest working set of a sweep with `slots` slots, whose
/// minimum is `min_bytes` bytes. `layer_bytes` is the number of bytes of its greatest layers.
#[must_use]
pub fn likely_working_set_bytes(slots: usize, min_bytes: u64, layer_bytes: u64) -> u64 {
    if slots <= MAX_SLOTS_OF_LARGE_CHUNKS {
        min_bytes.max((layer_bytes as f64 * LIKELY_WORKING_SET_SHARE) as u64)
    } else {
        (min_bytes as f64 * LIKELY_WORKING_SET_MULTIPLE) as u64
    }
}

/// Share of nonzero weights in a layer. Points of a curve: distance from the first step in frontier
/// widths, and share. Early in a sweep the paths are shorter than most matchings require.
const DENSITY_CURVE: [(f64, f64); 10] = [
    (0.0, 1.0),
    (0.4, 0.002),
    (0.75, 0.005),
    (1.0, 0.012),
    (1.25, 0.055),
    (1.5, 0.14),
    (1.75, 0.4),
    (2.0, 0.74),
    (2.25, 0.9),
    (2.5, 1.0),
];

/// Returns a rough number of weights after every step of `plan`, which may be one half of a sweep;
/// the whole sweep has `len` steps. For boards the numbers are correct within a factor of two. If
/// `is_rectangle` is false, the layers may reach the plateau as soon as enough states are reachable, as on wrapped
/// boards, or stay far below it.
#[must_use]
pub fn layer_weights(plan: &Plan, len: usize, is_closed: bool, is_rectangle: bool) -> Vec<f64> {
    let steps = plan.steps();
    let widest = max_frontier(plan);
    let folds = |t: usize| steps[t].mirror_image.is_some();
    let plateau = if is_closed { PLATEAU_SHARES.0 } else { PLATEAU_SHARES.1 };
    let layer = |(t, since): (usize, f64)| {
        let curve = if is_rectangle {
            interpolate(&RISE_CURVE, since) * interpolate(&FALL_CURVE, len as f64 / widest - since)
        } else {
            1.0
        };
        let vertices = steps[t].occupied_slots.count_ones() as usize;
        let usual = frontier_states(vertices) * plateau * curve;
        usual.min(reachable_states(vertices, t + 1)) * fold_factor(folds(t), t > 0 && folds(t - 1))
    };
    distances_from_start(plan).into_iter().enumerate().map(layer).collect()
}

/// Share of nonzero weights in the middle of a sweep, for boards that are not rectangles. Measured on tori
/// and cylinders of 4x7 to 6x8, 3x3x4 and 7x8 less two squares: 0.23 to 0.72.
const UNUSUAL_BOARD_DENSITY: f64 = 0.45;

/// Returns a rough share of nonzero weights in the layer after every step.
#[must_use]
pub fn layer_densities(plan: &Plan, is_rectangle: bool) -> Vec<f64> {
    distances_from_start(plan)
        .into_iter()
        .map(|since| if is_rectangle { interpolate(&DENSITY_CURVE, since) } else { UNUSUAL_BOARD_DENSITY })
        .collect()
}

/// Returns, for every step, the distance of the layer after it from the start of the sweep, in
/// frontier widths. The final steps that decide cut edges, whose vertices stay on the frontier,
/// together count as one frontier width.
fn distances_from_start(plan: &Plan) -> Vec<f64> {
    let (steps, widest) = (plan.steps(), max_frontier(plan));
    let processed = steps.iter().filter(|step| !step.stays_on_frontier).count();
    let done = |t: usize| match (t + 1).checked_sub(processed) {
        None | Some(0) => (t + 1) as f64,
        Some(star) => {
            let vertices = f64::from(steps[t].occupied_slots.count_ones());
            processed as f64 + star as f64 / (steps.len() - processed) as f64 * vertices
        }
    };
    (0..steps.len()).map(|t| done(t) / widest).collect()
}

fn max_frontier(plan: &Plan) -> f64 {
    plan.steps().iter().map(|step| f64::from(step.occupied_slots.count_ones())).fold(1.0, f64::max)
}

/// Returns the value of a curve at `x`: linear between the points of the curve, constant beyond the last
/// point.
fn interpolate(curve: &[(f64, f64)], x: f64) -> f64 {
    let part = curve.windows(2).find(|part| x < part[1].0);
    part.map_or(curve[curve.len() - 1].1, |part| {
        let [(x0, y0), (x1, y1)] = [part[0], part[1]];
        y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
    use crate::frontier::signature::space::SignatureSpace;

    #[test]
    fn share_of_chunk_of_ends_agrees_with_enumeration() {
        let cycles =
            Cycles::from_sweep_graph(&SweepGraph::from_board(&"4x6".parse().unwrap()), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let space = SignatureSpace::new(&Arc::new(Plan::new(&cycles, &order, false))).unwrap();
        let (slots, words) = (space.plan().slot_count(), space.words());
        for step in space.plan().steps() {
            let occupied: Vec<usize> =
                (0..slots).filter(|slot| step.occupied_slots >> slot & 1 == 1).collect();
            let (mut all, mut in_chunk) = (0, 0);
            // The digits of a number in base 3 are the states of the occupied slots.
            for signature in 0..3usize.pow(occupied.len() as u32) {
                let (mut rest, mut ends, mut is_in_chunk) = (signature, 0, true);
                for &slot in &occupied {
                    let is_end = rest % 3 == 1;
                    rest /= 3;
                    ends += usize::from(is_end);
                    is_in_chunk &= is_end || slot < words.first_chunk_slot();
                }
                if ends % 2 == 1 {
                    continue;
                }
                all += matching_count(ends);
                if is_in_chunk {
                    in_chunk += matching_count(ends);
                }
            }
            let share = share_of_chunk_of_ends(step, words);
            assert!((share - in_chunk as f64 / all as f64).abs() < 1e-12, "{share}");
        }
    }
}
