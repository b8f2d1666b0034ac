//! How long a job will take, roughly and at once.

use super::{CountError, Question, Request};
use crate::search::probe;
use crate::search::split::Plan;

/// Seconds that a core takes for a node of the multi-path search; measured, see `results/speed.md`.
const SECONDS_PER_NODE: f64 = 45e-9;

/// Estimated core seconds of a search by the multi-path kernel, within a factor of a few. Cost: some
/// milliseconds.
///
/// # Errors
/// A request that cannot be.
pub fn search_seconds(request: &Request) -> Result<f64, CountError> {
    let question = Question::new(request)?;
    let mut seconds = 0.0;
    for kind in question.stages() {
        let plan = Plan::new(question.problem(kind)?, Some(0));
        seconds += probe::rough_nodes(&plan, 2000, 0) * SECONDS_PER_NODE;
    }
    Ok(seconds)
}
