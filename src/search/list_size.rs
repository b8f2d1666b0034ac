//! The size of a list of tours, by random walks: [`ListSize`], and its admission to a disk.

use crate::budget::{Budget, DiskBudget, Refusal, Remedy, Requirements};
use crate::control::Control;

use super::list::ListOptions;
use super::multipath_plan::MultipathPlan;
use super::problem::Problem;
use super::tree_size_estimate::{TreeSizeEstimate, estimate_tree};

/// Number of vertices of the smallest board whose lists are estimated. A list of a smaller board takes seconds.
const MIN_ESTIMATED_VERTICES: usize = 40;

/// Approximate number of random walks of an estimate.
const WALKS: usize = 20_000;

/// Core seconds to visit one node of a list, and to write one byte of it.
const NODE_AND_BYTE_SECONDS: (f64, f64) = (60e-9, 1.2e-9);

/// The size that a list of tours has at least, by estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListSize {
    /// Bytes of the text of the list.
    pub least_bytes: u64,
    /// Seconds with all threads of the rayon pool; `None` for a list by plain backtracking, which has no estimate.
    pub least_seconds: Option<f64>,
}

impl ListSize {
    /// Estimates the size of a list of at most `limit` tours, each of `tour_bytes` bytes. `None` for a small board,
    /// for a board that cannot be searched, or if the control is cancelled. Cost: some tens of milliseconds.
    #[must_use]
    pub fn estimate(
        problem: &Problem,
        options: &ListOptions,
        limit: Option<u64>,
        tour_bytes: usize,
        control: &Control,
    ) -> Option<Self> {
        if problem.graph().len() < MIN_ESTIMATED_VERTICES {
            return None;
        }
        let plan = MultipathPlan::new_coarse(problem.clone(), control).ok()??;
        let probes = (WALKS / plan.units().len().max(1)).clamp(2, WALKS);
        let estimate = estimate_tree(&plan, probes as u32, 0, control)?;
        let size = Self::new(&estimate, listed_share(problem, options), limit, tour_bytes);
        // Plain backtracking visits many more nodes.
        Some(Self { least_seconds: size.least_seconds.filter(|_| options.step_order.is_none()), ..size })
    }

    /// Returns the size of a list of a `share` of the tours.
    fn new(estimate: &TreeSizeEstimate, share: f64, limit: Option<u64>, tour_bytes: usize) -> Self {
        let limit = limit.map_or(f64::INFINITY, |limit| limit as f64);
        let all = estimate.tours.0 * share;
        let bytes = all.min(limit) * tour_bytes as f64;
        let (least, _) = estimate.tour_interval();
        let searched = if all > 0.0 { (limit / all).min(1.0) } else { 1.0 };
        let nodes = estimate.nodes.0 * searched * share.min(1.0);
        let (node, byte) = NODE_AND_BYTE_SECONDS;
        let seconds = (nodes * node + bytes * byte) / rayon::current_num_threads() as f64;
        let least_share = if estimate.tours.0 > 0.0 { least / estimate.tours.0 } else { 0.0 };
        Self {
            least_bytes: ((least * share).min(limit) * tour_bytes as f64) as u64,
            least_seconds: Some(seconds * least_share),
        }
    }

    /// Returns what the list needs at least.
    #[must_use]
    pub fn requirements(&self) -> Requirements {
        Requirements {
            seconds: self.least_seconds,
            disk: self.least_bytes,
            disk_overestimate: 1.0,
            ..Requirements::default()
        }
    }

    /// Checks that the list fits the disk and takes at most a year.
    ///
    /// # Errors
    /// The refusal with its remedies.
    pub fn admit(&self, disk: DiskBudget) -> Result<(), Refusal> {
        let (budget, needs) = (Budget { disk, ..Budget::new(None) }, self.requirements());
        let checked = budget.check_disk(&needs).and_then(|()| budget.check(&needs));
        let remedies = vec![Remedy::FewerTours, Remedy::Pipe, Remedy::Sample];
        checked.map_err(|shortage| Refusal::new(shortage, remedies))
    }
}

/// Returns the number of listed tours as a fraction of the undirected tours of a problem.
#[must_use]
pub fn listed_share(problem: &Problem, options: &ListOptions) -> f64 {
    let images = problem.search_group().elements().len() as f64;
    let readings = if options.directed && !problem.has_fixed_end() { 2.0 } else { 1.0 };
    let parts = options.shard.map_or(1.0, |(_, parts)| f64::from(parts));
    readings / parts / if options.distinct { images } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Shortage;
    use crate::tour::{Kind, TourSpec};

    fn estimate(board: &str, limit: Option<u64>) -> Option<ListSize> {
        let problem = Problem::new(&TourSpec::all(board.parse().unwrap(), Kind::Closed)).unwrap();
        ListSize::estimate(&problem, &ListOptions::default(), limit, 192, &Control::new())
    }

    #[test]
    fn lists_of_small_boards_have_no_estimate() {
        assert_eq!(estimate("6x6", None), None);
    }

    #[test]
    fn admit_compares_bytes_with_disk_and_seconds_with_a_year() {
        let all = estimate("8x8", None).unwrap();
        // There are 1.3e13 closed tours.
        assert!((1e13..1e16).contains(&(all.least_bytes as f64)), "{all:?}");
        let full = all.admit(DiskBudget::Free(1 << 40)).unwrap_err();
        assert!(matches!(full.shortage, Shortage::Disk { available: 0x100_0000_0000, .. }));
        assert_eq!(full.remedies, [Remedy::FewerTours, Remedy::Pipe, Remedy::Sample]);
        let some = estimate("8x8", Some(1000)).unwrap();
        assert!(some.least_bytes <= 192_000 && some.admit(DiskBudget::Free(1 << 40)).is_ok(), "{some:?}");
        let long = estimate("10x10", None).unwrap().admit(DiskBudget::Unknown).unwrap_err();
        assert!(matches!(long.shortage, Shortage::Time { .. }), "{long:?}");
    }

    #[test]
    fn share_counts_directions_shards_and_classes() {
        let problem = Problem::new(&TourSpec::all("5x6".parse().unwrap(), Kind::Paths)).unwrap();
        let share = |options: ListOptions| listed_share(&problem, &options);
        assert!((share(ListOptions { directed: true, ..ListOptions::default() }) - 2.0).abs() < 1e-9);
        assert!((share(ListOptions { distinct: true, ..ListOptions::default() }) - 0.25).abs() < 1e-9);
        assert!((share(ListOptions { shard: Some((3, 5)), ..ListOptions::default() }) - 0.2).abs() < 1e-9);
    }
}
