//! The estimate of a multipath search: the size of its tree, and the time of a count.

use std::time::Duration;

use super::{CountError, Request};
use crate::control::Control;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::Problem;
use crate::search::tree_size_estimate::{TreeSizeEstimate, estimate_tree, measure_speed};
use crate::search::unit_runner::Stopped;
use crate::tour::Kind;

/// Time for which a search runs to measure its speed.
const SPEED_TEST_TIME: Duration = Duration::from_millis(300);

/// The estimated size and speed of the search for the tours of one kind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchEstimate {
    /// Number of units of work.
    pub units: usize,
    /// Depth at which the search is split into units.
    pub split_depth: u32,
    /// The size of the search tree.
    pub tree: TreeSizeEstimate,
    /// Nodes per second of one core in a count, skipped nodes included. `None` if there is nothing to search.
    pub speed: Option<f64>,
}

impl SearchEstimate {
    /// Estimates the search for the tours of `kind` of a request, by `probes` random walks in every unit, which `seed`
    /// determines. Cost: the plan of the search, a microsecond for each walk, and 0.3 s for the speed.
    ///
    /// # Errors
    /// The board is too large for a search, the split depth makes too many units, or the control was cancelled before the
    /// size was known.
    pub fn new(
        request: &Request,
        kind: Kind,
        (probes, seed): (u32, u64),
        control: &Control,
    ) -> Result<Self, CountError> {
        let problem = Problem::new(&request.tours(kind)?)?;
        let plan = MultipathPlan::new_under(problem, request.split_depth, control)?.ok_or(Stopped)?;
        let tree = estimate_tree(&plan, probes, seed, control).ok_or(Stopped)?;
        let speed = measure_speed(&plan, &tree, SPEED_TEST_TIME, control);
        Ok(Self { units: plan.units().len(), split_depth: plan.split_depth(), tree, speed })
    }

    /// Returns the seconds of a count on the current rayon pool, without its planning. `None` if there is nothing to
    /// search.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        self.speed.map(|speed| self.tree.nodes.0 / speed / rayon::current_num_threads() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn estimate_has_size_and_time() {
        let request = Request::of_kind("5x5".parse::<Board>().unwrap(), Kind::Paths);
        let estimate = |control: &Control| SearchEstimate::new(&request, Kind::Paths, (32, 0), control);
        let search = estimate(&Control::new()).unwrap();
        let (low, high) = search.tree.tour_interval();
        assert!(low < 1200.0 && high > 600.0, "5x5 has 864 paths, estimated {low} to {high}");
        assert_eq!(search.tree.walks, 32 * search.units as u64);
        assert!(search.seconds().unwrap() > 0.0 && search.speed.unwrap() > 0.0);
        let control = Control::new();
        control.cancel();
        assert_eq!(estimate(&control), Err(CountError::Stopped(Stopped)));
    }
}
