//! The choice of the plan of a sweep: the cheapest plan among several vertex orders, and the choice
//! between a one-sided and a two-sided sweep.
//!
//! Cost: the search for orders, and some milliseconds for each order and for each cut.

use std::sync::Arc;

use super::cost_model::BoardProfile;
use super::sweep_estimate::Estimate;
use super::two_sided::TwoSidedPlan;
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::order_search::SearchScope;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::{Cycles, SweepGraph};
use crate::frontier::planning::slots::MAX_SLOTS;
use crate::frontier::planning::symmetric_half::SymmetricHalf;
use crate::frontier::planning::{order_cost, order_search};
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::MAX_BLOCK_SLOTS;

/// Returns `order`, an order of the squares, followed by the apex if there is one.
///
/// # Errors
/// [`Error::InvalidOrder`] if `order` is not a permutation of the squares.
pub fn order_with_apex(order: &[usize], cycles: &Cycles) -> Result<Vec<usize>, Error> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..cycles.square_count()) {
        return Err(Error::InvalidOrder { squares: cycles.square_count() });
    }
    Ok(order.iter().copied().chain(cycles.apex()).collect())
}

/// Searches vertex orders for a sweep over `cycles`: orders along the lines of the board, greedy
/// orders, and orders found by simulated annealing, as far as `scope` includes them.
///
/// # Errors
/// [`Error::Stopped`] if the search was cancelled.
pub fn search_orders(
    sweep_graph: &SweepGraph,
    cycles: &Cycles,
    scope: SearchScope,
    cancel: &Cancel,
) -> Result<Vec<Vec<usize>>, Error> {
    order_search::find_orders(cycles, sweep_graph.directions(), scope, cancel)
        .map_err(|Cancelled| stopped_error(sweep_graph))
}

/// Returns the error for planning that was cancelled.
pub fn stopped_error(sweep_graph: &SweepGraph) -> Error {
    Error::Stopped { step: 0, steps: sweep_graph.as_graph().len() }
}

/// Returns the plan with the lowest expected cost among the plans for the vertex orders that
/// [`search_orders`] finds. Gives up without a search if simple orders are much too wide. If `fold`
/// is true, plans that merge mirror images are included.
///
/// # Errors
/// As for [`search_orders`] and [`best_plan`].
pub fn searched_plan(
    sweep_graph: &SweepGraph,
    cycles: &Cycles,
    fold: bool,
    cancel: &Cancel,
) -> Result<Plan, Error> {
    let least = order_search::min_known_width(cycles, sweep_graph.directions(), cancel)
        .map_err(|Cancelled| stopped_error(sweep_graph))?;
    if least > 2 * MAX_SLOTS {
        return Err(Error::TooWide { width: least });
    }
    let orders = search_orders(sweep_graph, cycles, SearchScope::for_graph(sweep_graph), cancel)?;
    best_plan(cycles, orders, fold, cancel)
}

/// Returns the plan with the lowest expected cost among the plans for `orders`. If `fold` is true,
/// plans that merge mirror images are included.
///
/// # Errors
/// [`Error::TooWide`] if all orders need too many slots; [`Error::Stopped`] if planning was
/// cancelled.
pub fn best_plan(
    cycles: &Cycles,
    orders: Vec<Vec<usize>>,
    fold: bool,
    cancel: &Cancel,
) -> Result<Plan, Error> {
    let width = |order: &Vec<usize>| order_cost::frontier_width(cycles, order);
    let narrowest = orders.iter().map(width).min().unwrap_or(0);
    if narrowest > MAX_SLOTS {
        return Err(Error::TooWide { width: narrowest });
    }
    let fits = orders.iter().filter(|order| width(order) <= MAX_SLOTS);
    let mut plans = Vec::new();
    for order in fits {
        for &fold in if fold { &[true, false][..] } else { &[false] } {
            let plan = Plan::new_under(cycles, order, fold, cancel);
            plans.push(plan.map_err(|Cancelled| Error::Stopped { step: 0, steps: cycles.square_count() })?);
        }
    }
    Ok(plans
        .into_iter()
        .min_by(|a, b| a.expected_cost().total_cmp(&b.expected_cost()))
        .expect("at least one order is narrow enough"))
}

/// Minimum estimated time of a sweep that may be two-sided, in seconds of one core.
const MIN_TWO_SIDED_SECONDS: f64 = 1.0;

/// Maximum number of cuts to try with symmetric halves, and of cuts to try without them.
const MAX_CUTS_TRIED: usize = 16;

/// Number of steps, over all cuts, for which symmetric halves are sought: some ten milliseconds.
const MAX_CUT_STEPS: usize = 1 << 22;

/// Maximum estimated time of a two-sided sweep, as a fraction of the time of the one-sided sweep.
/// For 8x9 and 8x10 a two-sided sweep would take equally long and need more memory.
const MAX_TWO_SIDED_TIME_SHARE: f64 = 0.68;

/// Returns the two-sided plan with the lowest estimated time, if that is much lower than the time
/// of the one-sided sweep, else `None`. It tries cuts at small layers, with symmetric halves and
/// without them. If the plan merges mirror images at some steps, it cuts only after such a step.
/// Estimates are for one core, so that the choice is the same on all machines.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
pub fn best_two_sided_plan(
    cycles: &Cycles,
    plan: &Arc<Plan>,
    fold: bool,
    cancel: &Cancel,
) -> Result<Option<TwoSidedPlan>, Cancelled> {
    let choose = || {
        let whole = Estimate::from_order(cycles, plan, None, None, BoardProfile::RECTANGLE);
        if whole.seconds < MIN_TWO_SIDED_SECONDS || plan.slot_count() > MAX_BLOCK_SLOTS {
            return Ok(None);
        }
        let len = plan.steps().len();
        let folds = plan.steps().iter().any(|step| step.mirror_image.is_some());
        let all = (len / 4..len * 3 / 4).filter(|&t| !folds || plan.steps()[t].mirror_image.is_some());
        let mut all: Vec<usize> = all.collect();
        all.sort_by_key(|&t| (whole.layer_weights[t], t));
        // Symmetric halves save half of the steps.
        let (mut symmetric_cuts, mut steps) = (Vec::new(), Vec::new());
        let examined = (MAX_CUT_STEPS / len.max(1)).max(2 * MAX_CUTS_TRIED);
        for t in all.into_iter().take(examined) {
            cancel.check()?;
            if symmetric_cuts.len() >= MAX_CUTS_TRIED && steps.len() >= MAX_CUTS_TRIED {
                break;
            }
            let is_symmetric = SymmetricHalf::find(cycles, plan, t).is_some();
            if is_symmetric { &mut symmetric_cuts } else { &mut steps }.push(t);
        }
        symmetric_cuts.truncate(MAX_CUTS_TRIED);
        steps.truncate(MAX_CUTS_TRIED);
        steps.append(&mut symmetric_cuts);
        let mut best: Option<(f64, TwoSidedPlan)> = None;
        for t in steps {
            cancel.check()?;
            let pair = TwoSidedPlan::new(cycles, plan, t + 1, fold, cancel)?;
            let Some(pair) = pair.filter(|pair| pair.right.slot_count() <= plan.slot_count()) else {
                continue;
            };
            let estimate = Estimate::from_order(cycles, plan, Some(&pair), None, BoardProfile::RECTANGLE);
            if best.as_ref().is_none_or(|(least, _)| estimate.seconds < *least) {
                best = Some((estimate.seconds, pair));
            }
        }
        let is_much_cheaper = |(seconds, _): &_| *seconds < MAX_TWO_SIDED_TIME_SHARE * whole.seconds;
        Ok(best.filter(is_much_cheaper).map(|(_, pair)| pair))
    };
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(alone) => alone.install(choose),
        // There are no threads at all.
        Err(_) if cfg!(target_family = "wasm") => choose(),
        Err(_) => Ok(None),
    }
}
