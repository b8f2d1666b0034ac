//! What a sweep is spared, and the plan that is chosen of several.
//!
//! ```text
//! Field -> known, without a sweep
//!      |-> orders -> plans, folded or not -> the cheapest -> both ends of it, if that is much cheaper
//! ```

use std::sync::Arc;

use crate::board::Graph;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::order::{self, Scope};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::problem::twin::Twin;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::ends::Pair;
use crate::frontier::run::estimate::Estimate;
use crate::frontier::run::nature::Nature;
use crate::frontier::state::words::MOST_BLOCK_SLOTS;

/// How many more vertices one colour has than the other, if neighbours always differ; the graph is in one piece.
fn colours_apart(graph: &Graph) -> Option<usize> {
    let dark = graph.two_colouring()?.into_iter().filter(|&dark| dark).count();
    Some(dark.abs_diff(graph.len() - dark))
}

/// The number on fields where a path is no cycle through the apex, which have no square, are in pieces,
/// or of whose two colours one has too many squares: cycles change colour with every move, paths end on either.
pub fn known(field: &Field, tours: Tours) -> Option<u8> {
    match (field.as_graph().len(), tours) {
        (0, _) => Some(0),
        (1, tours) => Some(u8::from(tours != Tours::Closed)),
        (_, Tours::Between(a, b)) if a == b => Some(0),
        _ if !field.as_graph().is_connected() => Some(0),
        (_, tours) => {
            let most = usize::from(tours != Tours::Closed);
            colours_apart(field.as_graph()).filter(|apart| *apart > most).map(|_| 0)
        }
    }
}

/// An order of the squares with the apex after them.
pub fn whole(order: &[usize], cycles: &Cycles) -> Result<Vec<usize>, Error> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..cycles.squares()) {
        return Err(Error::Order { squares: cycles.squares() });
    }
    Ok(order.iter().copied().chain(cycles.apex()).collect())
}

/// [`order::search`] for the cycles of a field.
///
/// # Errors
/// [`Error::Stopped`] if it was cancelled.
pub fn orders(
    field: &Field,
    cycles: &Cycles,
    scope: Scope,
    cancel: &Cancel,
) -> Result<Vec<Vec<usize>>, Error> {
    order::search(cycles, field.directions(), scope, cancel).ok_or_else(|| stopped(field))
}

/// That planning was stopped.
pub fn stopped(field: &Field) -> Error {
    Error::Stopped { step: 0, steps: field.as_graph().len() }
}

/// The cheapest plan for any of the orders, folded or not.
pub fn best_plan(cycles: &Cycles, orders: Vec<Vec<usize>>, fold: bool) -> Result<Plan, Error> {
    let width = |order: &Vec<usize>| price::width(cycles, order);
    let narrowest = orders.iter().map(width).min().unwrap_or(0);
    if narrowest > MOST_SLOTS {
        return Err(Error::Width { width: narrowest });
    }
    let fits = orders.iter().filter(|order| width(order) <= MOST_SLOTS);
    let plans = fits.flat_map(|order| {
        let folds: &[bool] = if fold { &[true, false] } else { &[false] };
        folds.iter().map(|&fold| Plan::new(cycles, order, fold)).collect::<Vec<_>>()
    });
    Ok(plans.min_by(|a, b| a.price().total_cmp(&b.price())).expect("there is an order"))
}

/// Sweeps of fewer seconds of a core begin at one end.
const LEAST_SECONDS: f64 = 1.0;

/// Places to meet that are tried at most, of either sort.
const MOST_TRIED: usize = 16;

/// Share of the time of a sweep from one end that one from two ends may be told to take: 8x9 and 8x10 would take as long as
/// they do, and more memory.
const WORTH: f64 = 0.68;

/// The pair that promises to take least, if that is much less than a sweep from one end. Narrow cuts are tried, with
/// twins and without, and of layers that are folded only those. What it takes is told in seconds of one core, so that the choice is
/// the same on all machines.
pub fn best_pair(cycles: &Cycles, plan: &Arc<Plan>, fold: bool, cancel: &Cancel) -> Option<Pair> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    alone.install(|| {
        let whole = Estimate::roughly(cycles, plan, None, None, Nature::exact(true));
        if whole.seconds < LEAST_SECONDS || plan.slots() > MOST_BLOCK_SLOTS {
            return None;
        }
        let len = plan.steps().len();
        let folds = plan.steps().iter().any(|step| step.mirror.is_some());
        let all = (len / 4..len * 3 / 4).filter(|&t| !folds || plan.steps()[t].mirror.is_some());
        // Where one end is the image of the other, half of the steps is saved.
        let (mut twins, mut steps): (Vec<usize>, Vec<usize>) =
            all.partition(|&t| Twin::find(cycles, plan, t).is_some());
        for tried in [&mut twins, &mut steps] {
            tried.sort_by_key(|&t| (whole.layers[t], t));
            tried.truncate(MOST_TRIED);
        }
        steps.append(&mut twins);
        let steps = steps.into_iter().take_while(|_| !cancel.is_cancelled());
        let pairs = steps.filter_map(|t| Pair::new(cycles, plan, t + 1, fold));
        let pairs = pairs.filter(|pair| pair.far.slots() <= plan.slots());
        let priced = pairs.map(|pair| {
            (Estimate::roughly(cycles, plan, Some(&pair), None, Nature::exact(true)).seconds, pair)
        });
        let (least, pair) = priced.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (least < WORTH * whole.seconds).then_some(pair)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_tell_what_has_no_tour() {
        let known = |board: &str, tours| known(&Field::of(&board.parse().unwrap()), tours);
        assert_eq!((known("9x9", Tours::Closed), known("11x13", Tours::Closed)), (Some(0), Some(0)));
        assert_eq!((known("9x9", Tours::Paths), known("8x8", Tours::Closed)), (None, None));
        // An odd cycle has no two colours; a star has one vertex of one of them.
        let field =
            |n: usize, edges: &[(usize, usize)]| Field::graph(Graph::from_edges(n, edges.iter().copied()));
        let (ring, star) = (field(3, &[(0, 1), (1, 2), (0, 2)]), field(4, &[(0, 1), (0, 2), (0, 3)]));
        assert_eq!((colours_apart(ring.as_graph()), colours_apart(star.as_graph())), (None, Some(2)));
        assert_eq!(super::known(&star, Tours::Paths), Some(0));
    }
}
