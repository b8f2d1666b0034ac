//! What a sweep is spared, and the plan that is chosen of several.
//!
//! ```text
//! Field -> known, without a sweep
//!      |-> orders -> plans, folded or not -> the cheapest
//! ```

use crate::board::Graph;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::ranks::error::Error;

/// Whether every vertex can be reached from the first.
fn is_connected(graph: &Graph) -> bool {
    let (mut seen, mut next) = (vec![false; graph.len()], vec![0]);
    seen[0] = true;
    while let Some(v) = next.pop() {
        for &w in graph.neighbours(v) {
            if !std::mem::replace(&mut seen[w as usize], true) {
                next.push(w as usize);
            }
        }
    }
    !seen.contains(&false)
}

/// The number on fields where a path is no cycle through the apex, which have no square, or are in pieces.
pub fn known(field: &Field, tours: Tours) -> Option<u8> {
    match (field.as_graph().len(), tours) {
        (0, _) => Some(0),
        (1, tours) => Some(u8::from(tours != Tours::Closed)),
        (_, Tours::Between(a, b)) if a == b => Some(0),
        _ if !is_connected(field.as_graph()) => Some(0),
        _ => None,
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
