//! Estimates the size of a search tree by random walks.
//!
//! Knuth's estimator: walk from the root to a random child at each node. If d1, d2, ... are the numbers of
//! choices on the way, 1 + d1 + d1 d2 + ... is an unbiased estimate of the number of nodes. The product of
//! all d if the walk ends in a tour, 0 otherwise, is one of the number of tours. The estimates have heavy
//! tails, so the standard error is itself a guess; walks in every unit keep it small. Cost: about a
//! microsecond a walk.
//!
//! Source: D. E. Knuth, Estimating the efficiency of backtrack programs, 1975.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::board::Bitboard;
use crate::control::Control;
use crate::random::Random;

use super::endgames::{self, Endgames};
use super::split::Plan;
use super::visitor::{Complete, Visitor};
use super::width::{ForBitboard, with_bitboard};

/// Estimated size of a whole search.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Nodes of the whole search, and their standard error. A count visits fewer, because of its
    /// transposition table.
    pub nodes: (f64, f64),
    /// Undirected tours in all, images by symmetry included, and their standard error.
    pub tours: (f64, f64),
    /// Nodes of each unit.
    pub unit_nodes: Vec<f64>,
    /// Walks made.
    pub probes: u64,
}

/// Walks between two checks of the control.
const TOGETHER: u32 = 1024;

/// Estimates a plan by `probes` walks (at least two) in every unit.
#[must_use]
pub fn estimate(plan: &Plan, probes: u32, seed: u64) -> Estimate {
    estimate_under(plan, probes, seed, &Control::new()).expect("the control is never cancelled")
}

/// Estimates as [`estimate_tree`] does; returns `None` if the control is cancelled meanwhile.
#[must_use]
pub fn estimate_under(plan: &Plan, probes: u32, seed: u64, control: &Control) -> Option<Estimate> {
    with_bitboard(plan.problem().width(), Probe { plan, probes: probes.max(2), seed, control })
}

/// Returns a rough estimate of the nodes of a whole search from about `probes` walks, spread over the units.
#[must_use]
pub fn rough_nodes(plan: &Plan, probes: usize, seed: u64) -> f64 {
    with_bitboard(plan.problem().width(), Rough { plan, probes: probes.max(1), seed })
}

struct Rough<'a> {
    plan: &'a Plan,
    probes: usize,
    seed: u64,
}

impl ForBitboard for Rough<'_> {
    type Output = f64;

    fn run<B: Bitboard>(self) -> f64 {
        let units = self.plan.units();
        if units.is_empty() {
            return 0.0;
        }
        let mut random = Random::new(self.seed);
        // With fewer walks than units, units at equal distances represent all.
        let sampled = units.len().min(self.probes);
        let each = self.probes / sampled;
        let mut nodes = 0.0;
        for i in 0..sampled {
            let root = self.plan.root::<B>(&units[i * units.len() / sampled]);
            nodes += (0..each).map(|_| root.probe(&mut random).0).sum::<f64>();
        }
        nodes / (each * sampled) as f64 * units.len() as f64
    }
}

/// Fraction of a search's nodes below which a sample is too small to show the effect of the transposition
/// table.
const LITTLE: f64 = 0.01;

/// Places of the schedule where the speed is measured.
const PLACES: usize = 4;

/// Measures the nodes a second of one core in a count on this machine; nodes below stored ones are included.
/// Counts neighbouring units from some places of the plan, for about the given time. Returns `None` if there
/// is nothing to search.
#[must_use]
pub fn speed(plan: &Plan, estimate: &Estimate, time: Duration) -> Option<f64> {
    speed_under(plan, estimate, time, &Control::new())
}

/// Measures as [`measure_speed`] does, for a shorter time if the control is cancelled meanwhile.
#[must_use]
pub fn speed_under(plan: &Plan, estimate: &Estimate, time: Duration, control: &Control) -> Option<f64> {
    with_bitboard(plan.problem().width(), Speed { plan, estimate, time, control })
}

struct Speed<'a> {
    plan: &'a Plan,
    estimate: &'a Estimate,
    time: Duration,
    control: &'a Control,
}

impl ForBitboard for Speed<'_> {
    type Output = Option<f64>;

    fn run<B: Bitboard>(self) -> Option<f64> {
        /// Stops at a deadline.
        struct Until<'a>(Instant, &'a Control);
        impl Until<'_> {
            fn is_over(&self) -> bool {
                self.1.is_cancelled() || Instant::now() >= self.0
            }
        }
        impl Visitor for Until<'_> {
            const RECORD: bool = false;
            fn tour<F: Complete>(&mut self, _: &F) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
            fn poll(&mut self) -> ControlFlow<()> {
                if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
        }
        let Self { plan, estimate, time, control } = self;
        let (schedule, mut endgames) = (plan.schedule(), Endgames::<B>::new());
        let (mut nodes, mut seconds, mut visited, began) = (0.0, 0.0, 0, Instant::now());
        for place in 0..PLACES {
            let from = Instant::now();
            let mut until = Until(from + time / PLACES as u32, control);
            let mut took = Duration::ZERO;
            let part = place * schedule.len() / PLACES..(place + 1) * schedule.len() / PLACES;
            for &unit in &schedule[part] {
                let root = plan.root::<B>(&plan.units()[unit as usize]);
                endgames.begin();
                visited += root.searched(&mut until, &mut endgames).nodes;
                if until.is_over() {
                    break;
                }
                took = from.elapsed();
                nodes += estimate.unit_nodes[unit as usize];
            }
            seconds += took.as_secs_f64();
        }
        // A short sample of a long search does not yet profit from the transposition table.
        let all = visited as f64 / endgames::share_of_time(estimate.nodes.0) / began.elapsed().as_secs_f64();
        if nodes > 0.0 && seconds > 0.0 {
            let counted = nodes / seconds;
            return Some(if nodes < estimate.nodes.0 * LITTLE { counted.max(all) } else { counted });
        }
        (visited > 0).then_some(all)
    }
}

struct Probe<'a> {
    plan: &'a Plan,
    probes: u32,
    seed: u64,
    control: &'a Control,
}

impl ForBitboard for Probe<'_> {
    type Output = Option<Estimate>;

    fn run<B: Bitboard>(self) -> Option<Estimate> {
        let Self { plan, probes, seed, control } = self;
        let count = f64::from(probes);
        let samples: Option<Vec<[(f64, f64); 2]>> = plan
            .units()
            .par_iter()
            .enumerate()
            .map(|(i, unit)| {
                // Every unit has its own random sequence, so results do not depend on threads.
                let mut random = Random::new(seed ^ Random::new(i as u64).bits());
                let root = plan.root::<B>(unit);
                let images = plan.weight(unit) as f64;
                let mut nodes = Moments::default();
                let mut tours = Moments::default();
                for walk in 0..probes {
                    if walk % TOGETHER == 0 && control.is_cancelled() {
                        return None;
                    }
                    let (n, t) = root.probe(&mut random);
                    nodes.add(n);
                    tours.add(t * images);
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
        Some(Estimate {
            nodes: total(0),
            tours: total(1),
            unit_nodes: samples.iter().map(|s| s[0].0).collect(),
            probes: u64::from(probes) * samples.len() as u64,
        })
    }
}

#[derive(Default)]
struct Moments {
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.sum += x;
        self.squares += x * x;
    }

    /// Returns the mean, and the variance of the mean.
    fn mean_and_variance(&self, count: f64) -> (f64, f64) {
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0) / (count - 1.0);
        (mean, variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::problem::Problem;
    use crate::tour::Kind;

    #[test]
    fn the_speed_is_that_of_all_nodes() {
        let board = "5x7".parse().unwrap();
        let plan = Plan::new(Problem::new(&board, Kind::Paths, None, None).unwrap(), None).unwrap();
        let estimate = super::estimate(&plan, 32, 1);
        // The result is a measurement for any time, short or long.
        for milliseconds in [1, 3_600_000] {
            let began = Instant::now();
            let speed = speed(&plan, &estimate, Duration::from_millis(milliseconds)).unwrap();
            let told = estimate.nodes.0 / speed;
            assert!(told.is_finite() && told > 0.0, "{told}");
            // The whole search was counted.
            assert!(milliseconds == 1 || told < began.elapsed().as_secs_f64() * 1.01, "{told}");
        }
        let empty = Plan::new(Problem::new(&"4x4".parse().unwrap(), Kind::Closed, None, None).unwrap(), None);
        let empty = empty.unwrap();
        let nothing = super::estimate(&empty, 2, 0);
        assert_eq!(speed(&empty, &nothing, Duration::from_millis(1)).is_some(), !empty.units().is_empty());
    }

    #[test]
    fn probes_come_near_the_truth_and_repeat() {
        let board = "6x6".parse().unwrap();
        let problem = Problem::new(&board, Kind::Closed, None, None).unwrap();
        let plan = Plan::new(problem, Some(0)).unwrap();
        let estimate = super::estimate(&plan, 2000, 1);
        let (tours, error) = estimate.tours;
        assert!((tours - 9862.0).abs() < 5.0 * error + 1.0, "{tours} +- {error}");
        assert!(error < 2000.0);
        assert_eq!(estimate, super::estimate(&plan, 2000, 1));
        assert_ne!(estimate.nodes, super::estimate(&plan, 2000, 2).nodes);
        let control = Control::new();
        assert_eq!(estimate_under(&plan, 2000, 1, &control), Some(estimate));
        control.cancel();
        assert_eq!(estimate_under(&plan, 2000, 1, &control), None);
    }
}
