//! Estimates of the size of a search tree by random walks, and measurements of the search speed.
//!
//! Knuth's estimator: walk from the root to a random child at each node. If d1, d2, ... are the
//! numbers of choices on the way, 1 + d1 + d1 d2 + ... is an unbiased estimate of the number of
//! nodes. An unbiased estimate of the number of tours is the product of d1, d2, ... if the walk
//! ends in a tour, and 0 otherwise. The estimates have heavy tails, so the standard error is too small
//! for large trees: [`TreeSizeEstimate::tour_interval`] is wider. Walks in every unit keep both small.
//! Cost: about a microsecond a walk.
//!
//! Source: D. E. Knuth, Estimating the efficiency of backtrack programs, 1975.

use std::ops::ControlFlow;
use std::time::Duration;

use rayon::prelude::*;

use crate::board::Bitboard;
use crate::clock::Instant;
use crate::control::Control;
use crate::random::Random;

use super::bitboard_graph::with_bitboard;
use super::multipath_plan::MultipathPlan;
use super::transposition_table;
use super::transposition_table::TranspositionTable;
use super::visitor::{FoundTour, Visitor};

/// The estimated size of a whole search.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeSizeEstimate {
    /// Number of nodes of the whole search, and the standard error of this number. A count visits
    /// fewer nodes, because of its transposition table.
    pub nodes: (f64, f64),
    /// Number of undirected tours of the whole problem, images by symmetry included, and the
    /// standard error of this number.
    pub tours: (f64, f64),
    /// Estimated number of nodes of each unit.
    pub unit_nodes: Vec<f64>,
    /// Number of random walks on which the estimate is based.
    pub walks: u64,
}

/// Shape of the interval of an estimate: the number of decimal digits up to which the standard error alone counts;
/// the digits by which the value may be above the estimate for each digit more, and below it; and the number of
/// standard errors on each side. The tails grow with the size: most walks miss the few large subtrees.
///
/// Fitted to 120 estimates of published counts of knight's tours: on 8x8 (16 digits) the count was 0.7 to 1.3 of the
/// estimate, on 9x9 (22 digits) 1.6 to 4.7, on 8x11 (25 digits) 0.2 to 3, on 7x18 (33 digits) 1.4 to 12.
const INTERVAL_SHAPE: (f64, f64, f64, f64) = (9.0, 0.055, 0.03, 2.5);

/// Returns the interval of an estimate with a standard error, which contains the value in about 9 of 10 cases.
fn interval_of((value, error): (f64, f64)) -> (f64, f64) {
    if value <= 0.0 || error <= 0.0 {
        return (value, value);
    }
    let (free_digits, above, below, errors) = INTERVAL_SHAPE;
    let digits = (value.log10() - free_digits).max(0.0);
    let by_error = 1.0 + errors * error / value;
    (value / by_error.max(10f64.powf(below * digits)), value * by_error.max(10f64.powf(above * digits)))
}

impl TreeSizeEstimate {
    /// Returns an interval that contains the number of tours in about 9 of 10 cases.
    #[must_use]
    pub fn tour_interval(&self) -> (f64, f64) {
        interval_of(self.tours)
    }

    /// Returns an interval that contains the number of nodes in about 9 of 10 cases.
    #[must_use]
    pub fn node_interval(&self) -> (f64, f64) {
        interval_of(self.nodes)
    }
}

/// Number of walks between two checks of the control.
const WALKS_PER_POLL: u32 = 1024;

/// Estimates the size of a plan's search by `probes` random walks (at least two) in every unit.
/// `seed` determines the walks. Returns `None` if the control is cancelled before the estimate is
/// complete.
#[must_use]
pub fn estimate_tree(
    plan: &MultipathPlan,
    probes: u32,
    seed: u64,
    control: &Control,
) -> Option<TreeSizeEstimate> {
    with_bitboard!(plan.problem().bitboard_width(), B => walk_tree::<B>(plan, probes.max(2), seed, control))
}

/// Returns a rough estimate of the number of nodes of a whole search, from about `probes` random
/// walks that are spread over the units.
#[must_use]
pub(crate) fn estimate_nodes_roughly(plan: &MultipathPlan, probes: usize, seed: u64) -> f64 {
    with_bitboard!(plan.problem().bitboard_width(), B => sample_nodes::<B>(plan, probes.max(1), seed))
}

fn sample_nodes<B: Bitboard>(plan: &MultipathPlan, probes: usize, seed: u64) -> f64 {
    let units = plan.units();
    if units.is_empty() {
        return 0.0;
    }
    let mut random = Random::new(seed);
    // With fewer walks than units, units at equal distances represent all.
    let sampled = units.len().min(probes);
    let each = probes / sampled;
    let mut nodes = 0.0;
    for i in 0..sampled {
        let root = plan.unit_root::<B>(&units[i * units.len() / sampled]);
        nodes += (0..each).map(|_| root.sample_walk(&mut random).0).sum::<f64>();
    }
    nodes / (each * sampled) as f64 * units.len() as f64
}

/// Fraction of the nodes of a search: a sample with fewer nodes is too small to show the effect of
/// the transposition table.
const MIN_SAMPLE_FRACTION: f64 = 0.01;

/// Number of positions in the schedule of units at which the speed is measured.
const SPEED_SAMPLE_PLACES: usize = 4;

/// Measures the speed of a count on this machine, in nodes per second of one core. The nodes
/// include those that the count skips because a transposition table holds their number of tours.
/// Counts neighbouring units at some positions of the schedule, for about the given time; ends earlier
/// if the control is cancelled. Returns `None` if there is nothing to search.
#[must_use]
pub(crate) fn measure_speed(
    plan: &MultipathPlan,
    estimate: &TreeSizeEstimate,
    time: Duration,
    control: &Control,
) -> Option<f64> {
    with_bitboard!(plan.problem().bitboard_width(), B => time_nodes::<B>(plan, estimate, time, control))
}

fn time_nodes<B: Bitboard>(
    plan: &MultipathPlan,
    estimate: &TreeSizeEstimate,
    time: Duration,
    control: &Control,
) -> Option<f64> {
    /// A visitor that stops the search at a deadline.
    struct Deadline<'a>(Instant, &'a Control);
    impl Deadline<'_> {
        fn is_over(&self) -> bool {
            self.1.is_cancelled() || Instant::now() >= self.0
        }
    }
    impl Visitor for Deadline<'_> {
        const NEEDS_SEQUENCE: bool = false;
        fn visit_tour<F: FoundTour>(&mut self, _: &F) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn poll(&mut self) -> ControlFlow<()> {
            if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let (schedule, mut endgames) = (plan.schedule(), TranspositionTable::<B>::new());
    let (mut nodes, mut seconds, mut visited, began) = (0.0, 0.0, 0, Instant::now());
    for position in 0..SPEED_SAMPLE_PLACES {
        let from = Instant::now();
        let mut until = Deadline(from + time / SPEED_SAMPLE_PLACES as u32, control);
        let mut took = Duration::ZERO;
        let part = position * schedule.len() / SPEED_SAMPLE_PLACES
            ..(position + 1) * schedule.len() / SPEED_SAMPLE_PLACES;
        for &unit in &schedule[part] {
            let root = plan.unit_root::<B>(&plan.units()[unit as usize]);
            endgames.begin_search();
            visited += root.search_with_memo(&mut until, &mut endgames).nodes;
            if until.is_over() {
                break;
            }
            took = from.elapsed();
            nodes += estimate.unit_nodes[unit as usize];
        }
        seconds += took.as_secs_f64();
    }
    // A short sample of a long search does not yet profit from the transposition table.
    let all =
        visited as f64 / transposition_table::share_of_time(estimate.nodes.0) / began.elapsed().as_secs_f64();
    if nodes > 0.0 && seconds > 0.0 {
        let counted = nodes / seconds;
        return Some(if nodes < estimate.nodes.0 * MIN_SAMPLE_FRACTION { counted.max(all) } else { counted });
    }
    (visited > 0).then_some(all)
}

fn walk_tree<B: Bitboard>(
    plan: &MultipathPlan,
    probes: u32,
    seed: u64,
    control: &Control,
) -> Option<TreeSizeEstimate> {
    let count = f64::from(probes);
    let samples: Option<Vec<[(f64, f64); 2]>> = plan
        .units()
        .par_iter()
        .enumerate()
        .map(|(i, unit)| {
            // Every unit has its own random sequence, so results do not depend on threads.
            let mut random = Random::new(seed ^ Random::new(i as u64).next_u64());
            let root = plan.unit_root::<B>(unit);
            let images = plan.weight(unit) as f64;
            let mut nodes = Moments::default();
            let mut tours = Moments::default();
            for walk in 0..probes {
                if walk % WALKS_PER_POLL == 0 && control.is_cancelled() {
                    return None;
                }
                let (n, t) = root.sample_walk(&mut random);
                nodes.add_sample(n);
                tours.add_sample(t * images);
            }
            Some([nodes.mean_and_variance(count), tours.mean_and_variance(count)])
        })
        .collect();
    let samples = samples?;
    let total = |which: usize| {
        let (mean, variance) =
            samples.iter().fold((0.0, 0.0), |sum, s| (sum.0 + s[which].0, sum.1 + s[which].1));
        (mean, variance.sqrt())
    };
    Some(TreeSizeEstimate {
        nodes: total(0),
        tours: total(1),
        unit_nodes: samples.iter().map(|s| s[0].0).collect(),
        walks: u64::from(probes) * samples.len() as u64,
    })
}

#[derive(Default)]
struct Moments {
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add_sample(&mut self, x: f64) {
        self.sum += x;
        self.squares += x * x;
    }

    /// Returns the mean of `count` samples, and the variance of this mean.
    fn mean_and_variance(&self, count: f64) -> (f64, f64) {
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0) / (count - 1.0);
        (mean, variance)
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::Problem;
    use super::*;
    use crate::tour::{Kind, TourSpec};

    #[test]
    fn measure_speed_covers_all_nodes() {
        let board = "5x7".parse().unwrap();
        let plan =
            MultipathPlan::new(Problem::new(&TourSpec::all(board, Kind::Paths)).unwrap(), None).unwrap();
        let estimate = estimate_tree(&plan, 32, 1, &Control::new()).unwrap();
        // The result is a measurement for any time, short or long.
        for milliseconds in [1, 3_600_000] {
            let began = Instant::now();
            let time = Duration::from_millis(milliseconds);
            let speed = measure_speed(&plan, &estimate, time, &Control::new()).unwrap();
            let count_seconds = estimate.nodes.0 / speed;
            assert!(count_seconds.is_finite() && count_seconds > 0.0, "{count_seconds}");
            // The whole search was counted.
            assert!(
                milliseconds == 1 || count_seconds < began.elapsed().as_secs_f64() * 1.01,
                "{count_seconds}"
            );
        }
        let empty = MultipathPlan::new(
            Problem::new(&TourSpec::all("4x4".parse().unwrap(), Kind::Closed)).unwrap(),
            None,
        );
        let empty = empty.unwrap();
        let nothing = estimate_tree(&empty, 2, 0, &Control::new()).unwrap();
        assert_eq!(
            measure_speed(&empty, &nothing, Duration::from_millis(1), &Control::new()).is_some(),
            !empty.units().is_empty()
        );
    }

    #[test]
    fn estimate_tree_is_accurate_and_reproducible() {
        let board = "6x6".parse().unwrap();
        let problem = Problem::new(&TourSpec::all(board, Kind::Closed)).unwrap();
        let plan = MultipathPlan::new(problem, Some(0)).unwrap();
        let control = Control::new();
        let estimate = |seed| estimate_tree(&plan, 2000, seed, &control);
        let first = estimate(1).unwrap();
        let (tours, error) = first.tours;
        assert!((tours - 9862.0).abs() < 5.0 * error + 1.0, "{tours} +- {error}");
        assert!(error < 2000.0);
        assert_eq!(estimate(1).as_ref(), Some(&first));
        assert_ne!(estimate(2).unwrap().nodes, first.nodes);
        control.cancel();
        assert_eq!(estimate(1), None);
    }
}
