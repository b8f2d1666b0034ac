//! The plan of a sweep whose layers are kept: that of a count from one end, which is what numbers go by.

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::order::{self, Scope};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::choice::{best_plan, known};
use crate::frontier::trail::error::TrailError;

/// A good order of the squares of a field, for sweeps of the same graph with other factors; nothing if the number is
/// known without one.
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

/// The plan of a sweep that keeps its layers: that of a count from one end.
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

/// Whether layers may be folded. What is found of a tour behind a fold is known up to the mirror alone, which is enough
/// for tours that come with their image; a fixed end tells one from the other.
#[must_use]
pub fn may_fold(cycles: &Cycles) -> bool {
    (0..cycles.len()).all(|v| cycles.compulsory(v).is_none())
}
