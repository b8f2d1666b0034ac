//! The plan is that of a one-sided count without precomputed orders; it defines the numbers of the tours.

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::SweepGraph;
use crate::frontier::problem::order::{self, SearchScope};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::MAX_SLOTS;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::choice::{best_plan, known_count};
use crate::frontier::trail::error::IndexLayersError;

/// Returns a good order of the squares of a graph, for sweeps of the same graph with other factors; `None` if
/// the count is known without one.
///
/// # Errors
/// The frontier is too wide, or it was cancelled.
pub fn search_order(
    field: &SweepGraph,
    tours: Tours,
    cancel: &Cancel,
) -> Result<Option<Vec<usize>>, IndexLayersError> {
    if known_count(field, tours).is_some() {
        return Ok(None);
    }
    let cycles = Cycles::from_sweep_graph(field, tours);
    let plan = plan_index(field, &cycles, cancel)?;
    let squares = plan.steps().iter().map(|step| step.vertex).filter(|&v| v < cycles.square_count());
    Ok(Some(squares.collect()))
}

/// Returns the plan of an index: that of a one-sided count by a searched order.
///
/// # Errors
/// The frontier is too wide, or it was cancelled.
pub fn plan_index(field: &SweepGraph, cycles: &Cycles, cancel: &Cancel) -> Result<Plan, IndexLayersError> {
    let least = order::min_known_width(cycles, field.directions());
    if least > 2 * MAX_SLOTS {
        return Err(IndexLayersError::Width { width: least });
    }
    let orders = order::find_orders(cycles, field.directions(), SearchScope::for_graph(field), cancel)
        .ok_or(Error::Stopped { step: 0, steps: cycles.len() })?;
    best_plan(cycles, orders, can_fold(cycles)).map_err(|error| match error {
        Error::TooWide { width } => IndexLayersError::Width { width },
        error => error.into(),
    })
}

/// Returns true if the layers may be folded. Behind a fold a tour is known only up to the mirror. That is
/// sufficient if the mirror image of every tour is counted too; a fixed end would distinguish the two.
#[must_use]
pub fn can_fold(cycles: &Cycles) -> bool {
    (0..cycles.len()).all(|v| cycles.compulsory_neighbour(v).is_none())
}
