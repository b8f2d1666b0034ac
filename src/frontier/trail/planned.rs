//! The plan is that of a one-sided count without precomputed orders; it defines the numbers of the tours.

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::order::{self, Scope};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::choice::{best_plan, known};
use crate::frontier::trail::error::TrailError;

/// Returns a good order of the squares of a graph, for sweeps of the same graph with other factors; `None` if
/// the count is known without one.
///
/// # Errors
/// The frontier is too wide, or it was cancelled.
pub fn order_of(field: &Field, tours: Tours, cancel: &Cancel) -> Result<Option<Vec<usize>>, TrailError> {
    if known(field, tours).is_some() {
        return Ok(None);
    }
    let cycles = Cycles::of(field, tours);
    let plan = planned(field, &cycles, cancel)?;
    let squares = plan.steps().iter().map(|step| step.vertex).filter(|&v| v < cycles.squares());
    Ok(Some(squares.collect()))
}

/// Returns the plan of an index: that of a one-sided count by a searched order.
///
/// # Errors
/// The frontier is too wide, or it was cancelled.
pub fn planned(field: &Field, cycles: &Cycles, cancel: &Cancel) -> Result<Plan, TrailError> {
    let least = order::least_width(cycles, field.directions());
    if least > 2 * MOST_SLOTS {
        return Err(TrailError::Width { width: least });
    }
    let orders = order::search(cycles, field.directions(), Scope::of(field), cancel)
        .ok_or(Error::Stopped { step: 0, steps: cycles.len() })?;
    best_plan(cycles, orders, may_fold(cycles)).map_err(|error| match error {
        Error::Width { width } => TrailError::Width { width },
        error => error.into(),
    })
}

/// Returns true if the layers may be folded. Behind a fold a tour is known only up to the mirror. That is
/// sufficient if the mirror image of every tour is counted too; a fixed end would distinguish the two.
#[must_use]
pub fn may_fold(cycles: &Cycles) -> bool {
    (0..cycles.len()).all(|v| cycles.compulsory(v).is_none())
}
