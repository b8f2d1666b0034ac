//! Selection of the plan: counts that are known without a sweep, the cheapest of several orders, and whether
//! the sweep is two-sided.
//!
//! ```text
//! SweepGraph -> count known without a sweep
//!           |-> orders -> plans, folded or not -> the cheapest -> two-sided, if that is much cheaper
//! ```

use std::sync::Arc;

use super::cost_model::BoardProfile;
use super::sweep_estimate::Estimate;
use super::two_sided::TwoSidedPlan;
use crate::board::Graph;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::cycles::{Cycles, Tours};
use crate::frontier::planning::order_cost;
use crate::frontier::planning::order_search;
use crate::frontier::planning::order_search::SearchScope;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::slots::MAX_SLOTS;
use crate::frontier::planning::sweep_graph::SweepGraph;
use crate::frontier::planning::symmetric_half::SymmetricHalf;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::MAX_BLOCK_SLOTS;

/// Returns the difference in size of the two colour classes of a connected bipartite graph; `None` if the
/// graph is not bipartite.
fn colour_class_difference(graph: &Graph) -> Option<usize> {
    let dark = graph.two_colouring()?.into_iter().filter(|&dark| dark).count();
    Some(dark.abs_diff(graph.len() - dark))
}

/// Returns the count if it is known without a sweep: on graphs with at most one square, with equal ends, that
/// are disconnected, or whose colour classes differ too much in size. Every move of a knight's tour changes
/// the colour, so the classes differ by at most 0 for cycles and 1 for paths.
pub fn known_count(field: &SweepGraph, tours: Tours) -> Option<u8> {
    match (field.as_graph().len(), tours) {
        (0, _) => Some(0),
        (1, tours) => Some(u8::from(tours != Tours::Closed)),
        (_, Tours::Between(a, b)) if a == b => Some(0),
        _ if !field.as_graph().is_connected() => Some(0),
        (_, tours) => {
            let most = usize::from(tours != Tours::Closed);
            colour_class_difference(field.as_graph()).filter(|apart| *apart > most).map(|_| 0)
        }
    }
}

/// Returns an order of the squares with the apex appended.
///
/// # Errors
/// [`Error::Order`] if `order` is not a permutation of the squares.
pub fn order_with_apex(order: &[usize], cycles: &Cycles) -> Result<Vec<usize>, Error> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..cycles.square_count()) {
        return Err(Error::InvalidOrder { squares: cycles.square_count() });
    }
    Ok(order.iter().copied().chain(cycles.apex()).collect())
}

/// Searches orders for the cycles of a graph, with [`order::search`].
///
/// # Errors
/// [`Error::Stopped`] if it was cancelled.
pub fn search_orders(
    field: &SweepGraph,
    cycles: &Cycles,
    scope: SearchScope,
    cancel: &Cancel,
) -> Result<Vec<Vec<usize>>, Error> {
    order_search::find_orders(cycles, field.directions(), scope, cancel).ok_or_else(|| stopped_error(field))
}

/// Returns the error of cancelled planning.
pub fn stopped_error(field: &SweepGraph) -> Error {
    Error::Stopped { step: 0, steps: field.as_graph().len() }
}

/// Returns the cheapest plan for any of the orders, folded or not.
///
/// # Errors
/// [`Error::Width`] if all orders need too many slots.
pub fn best_plan(cycles: &Cycles, orders: Vec<Vec<usize>>, fold: bool) -> Result<Plan, Error> {
    let width = |order: &Vec<usize>| order_cost::frontier_width(cycles, order);
    let narrowest = orders.iter().map(width).min().unwrap_or(0);
    if narrowest > MAX_SLOTS {
        return Err(Error::TooWide { width: narrowest });
    }
    let fits = orders.iter().filter(|order| width(order) <= MAX_SLOTS);
    let plans = fits.flat_map(|order| {
        let folds: &[bool] = if fold { &[true, false] } else { &[false] };
        folds.iter().map(|&fold| Plan::new(cycles, order, fold)).collect::<Vec<_>>()
    });
    Ok(plans
        .min_by(|a, b| a.expected_cost().total_cmp(&b.expected_cost()))
        .expect("at least one order is narrow enough"))
}

/// Seconds of one core below which a sweep is always one-sided.
const MIN_TWO_SIDED_SECONDS: f64 = 1.0;

/// Largest number of cuts to try, with symmetric halves and without each.
const MAX_CUTS_TRIED: usize = 16;

/// Largest estimated time of a two-sided sweep relative to the one-sided one: 8x9 and 8x10 would take equally
/// long and more memory.
const MAX_TWO_SIDED_TIME_SHARE: f64 = 0.68;

/// Returns the two-sided plan with the least estimated time, if that is much less than that of the one-sided
/// sweep. Cuts with small layers are tried, with symmetric halves and without; for folded plans only cuts
/// after folding steps. Estimates are for one core, so that the choice is the same on all machines.
pub fn best_two_sided_plan(
    cycles: &Cycles,
    plan: &Arc<Plan>,
    fold: bool,
    cancel: &Cancel,
) -> Option<TwoSidedPlan> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    alone.install(|| {
        let whole = Estimate::from_order(cycles, plan, None, None, BoardProfile::exact(true));
        if whole.seconds < MIN_TWO_SIDED_SECONDS || plan.slot_count() > MAX_BLOCK_SLOTS {
            return None;
        }
        let len = plan.steps().len();
        let folds = plan.steps().iter().any(|step| step.mirror_image.is_some());
        let all = (len / 4..len * 3 / 4).filter(|&t| !folds || plan.steps()[t].mirror_image.is_some());
        // Symmetric halves save half of the steps.
        let (mut twins, mut steps): (Vec<usize>, Vec<usize>) =
            all.partition(|&t| SymmetricHalf::find(cycles, plan, t).is_some());
        for tried in [&mut twins, &mut steps] {
            tried.sort_by_key(|&t| (whole.layer_weights[t], t));
            tried.truncate(MAX_CUTS_TRIED);
        }
        steps.append(&mut twins);
        let steps = steps.into_iter().take_while(|_| !cancel.is_cancelled());
        let pairs = steps.filter_map(|t| TwoSidedPlan::new(cycles, plan, t + 1, fold));
        let pairs = pairs.filter(|pair| pair.right.slot_count() <= plan.slot_count());
        let priced = pairs.map(|pair| {
            (Estimate::from_order(cycles, plan, Some(&pair), None, BoardProfile::exact(true)).seconds, pair)
        });
        let (least, pair) = priced.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (least < MAX_TWO_SIDED_TIME_SHARE * whole.seconds).then_some(pair)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_count_is_zero_for_unequal_colour_classes() {
        let known = |board: &str, tours| known_count(&SweepGraph::from_board(&board.parse().unwrap()), tours);
        assert_eq!((known("9x9", Tours::Closed), known("11x13", Tours::Closed)), (Some(0), Some(0)));
        assert_eq!((known("9x9", Tours::Paths), known("8x8", Tours::Closed)), (None, None));
        // An odd cycle is not bipartite; a star has one vertex in one of its classes.
        let field = |n: usize, edges: &[(usize, usize)]| {
            SweepGraph::from_graph(Graph::from_edges(n, edges.iter().copied()))
        };
        let (ring, star) = (field(3, &[(0, 1), (1, 2), (0, 2)]), field(4, &[(0, 1), (0, 2), (0, 3)]));
        assert_eq!(
            (colour_class_difference(ring.as_graph()), colour_class_difference(star.as_graph())),
            (None, Some(2))
        );
        assert_eq!(super::known_count(&star, Tours::Paths), Some(0));
    }
}
