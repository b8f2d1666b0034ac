//! The progress of a run: collects reports about units and sweep steps, and computes a
//! [`ProgressSnapshot`].
//!
//! ```text
//! finished units, estimates, sweep steps -> ProgressTracker -> ProgressSnapshot -> seconds left
//! ```

use crate::clock::Instant;

/// The work that earlier sessions of a run have done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierWork {
    /// Numbers of the finished units.
    pub units: Vec<u32>,
    /// Number of nodes visited in these units.
    pub nodes: u64,
    /// Number of tours found in these units.
    pub tours: u128,
}

/// The data from which the progress of a run is computed.
#[derive(Debug)]
pub struct ProgressTracker {
    started: Instant,
    /// For each unit, by unit number: true if the unit is finished or not scheduled.
    is_done: Vec<bool>,
    /// Numbers of the units of the run: first those that earlier sessions have finished, then the scheduled
    /// ones. `units` is the length of this list.
    scheduled: Vec<u32>,
    /// Number of units that earlier sessions have finished, and the sum of their weights.
    earlier_units: usize,
    earlier_weight: f64,
    units: usize,
    units_done: usize,
    nodes: u64,
    tours: u128,
    /// Number of nodes visited in each finished unit, by unit number.
    visited: Vec<u64>,
    estimates: Option<Vec<f64>>,
    /// Sum of the weights of the unfinished units. `total_weight` is the sum of the weights of all
    /// units.
    left_weight: f64,
    total_weight: f64,
    /// Reliability of the estimates, measured on finished units.
    estimate_fit: EstimateFit,
    sweep: Option<SweepSnapshot>,
    sweep_schedule: Option<SweepSchedule>,
    is_planning: bool,
    /// Largest fraction reported for sweeps so far. Rounded sums of seconds must not make a
    /// displayed fraction decrease.
    max_fraction: f64,
}

/// The fit that measures how reliable node estimates are.
///
/// Random walks rarely find the deep parts of a unit's tree, so most estimates are too low and a
/// few are much too high. The actual number of nodes is modelled as proportional to a power of the
/// estimate. The power is fitted to the finished units: 1 where estimates are exact, near 0 where
/// they carry no information.
#[derive(Debug)]
struct EstimateFit {
    power: f64,
    /// Five sums over finished units: of 1, of the log estimate, of the log nodes, of the squared
    /// log estimate, and of the product of log estimate and log nodes.
    sums: [f64; 5],
}

impl Default for EstimateFit {
    fn default() -> Self {
        Self { power: 1.0, sums: [0.0; 5] }
    }
}

impl EstimateFit {
    /// Number of finished units needed for a fit.
    const MIN_UNITS: f64 = 16.0;
    /// Smallest change of the fitted power that leads to new weights of the units.
    const MIN_POWER_CHANGE: f64 = 0.05;

    fn add_unit(&mut self, estimate: f64, nodes: u64) {
        let (x, y) = ((estimate + 1.0).ln(), (nodes as f64 + 1.0).ln());
        for (sum, value) in self.sums.iter_mut().zip([1.0, x, y, x * x, x * y]) {
            *sum += value;
        }
    }

    /// Fits the power to the finished units. Returns true if the power has changed.
    fn update_power(&mut self) -> bool {
        let [n, x, y, xx, xy] = self.sums;
        if n < Self::MIN_UNITS {
            return false;
        }
        // Slope of the regression, pulled towards 1 where the estimates hardly differ.
        let slope = (xy - x * y / n + 1.0) / (xx - x * x / n + 1.0);
        let power = slope.clamp(0.0, 1.0);
        let is_other = (power - self.power).abs() > Self::MIN_POWER_CHANGE;
        if is_other {
            self.power = power;
        }
        is_other
    }

    fn weight(&self, estimate: f64) -> f64 {
        if self.power == 1.0 { estimate } else { estimate.max(0.0).powf(self.power) }
    }
}

/// The expected times of the steps of a sweep, and the number of steps done.
#[derive(Debug)]
struct SweepSchedule {
    /// Expected seconds from the start of the sweep to the start of each step; the last entry is the end of
    /// the sweep.
    step_start_seconds: Vec<f64>,
    /// Number of steps done, plus the finished fraction of the next step.
    steps_done: f64,
    /// Seconds since the start of the run, and finished fraction of the run, when the sweep was
    /// started or resumed.
    started_at: (f64, f64),
}

impl SweepSchedule {
    /// Returns the expected seconds of the finished part of the sweep.
    fn finished_seconds(&self) -> f64 {
        let last = self.step_start_seconds.len() - 1;
        let step = (self.steps_done as usize).min(last);
        let next = self.step_start_seconds[(step + 1).min(last)];
        self.step_start_seconds[step]
            + (next - self.step_start_seconds[step]) * (self.steps_done - step as f64).clamp(0.0, 1.0)
    }

    fn total_seconds(&self) -> f64 {
        self.step_start_seconds[self.step_start_seconds.len() - 1]
    }
}

impl ProgressTracker {
    /// Returns two numbers of seconds: those expected for all scheduled sweeps, and those expected
    /// for the finished part of them. `stretch` is the schedule of the current sweep.
    fn expected_seconds(&self, stretch: &SweepSchedule) -> (f64, f64) {
        let (whole, units) = (stretch.total_seconds(), self.units as f64);
        // Without estimates every sweep is assumed to take as long as this one.
        if self.estimates.is_none() {
            return (whole * units, whole * self.units_done as f64 + stretch.finished_seconds());
        }
        let all = self.total_weight.max(whole);
        let left = self.left_weight.max(whole);
        (all, (all - left).max(0.0) + stretch.finished_seconds())
    }

    fn fraction(&self) -> f64 {
        let fraction = match (&self.sweep_schedule, &self.estimates, self.units) {
            (_, _, 0) => 0.0,
            (_, _, units) if self.units_done == units => 1.0,
            (Some(stretch), ..) => {
                let (all, done) = self.expected_seconds(stretch);
                if all > 0.0 { done / all } else { self.units_done as f64 / self.units as f64 }
            }
            // Nodes are no measure here: a count skips the nodes that its transposition table saves.
            (None, Some(_), _) if self.total_weight > 0.0 => {
                (self.total_weight - self.left_weight) / self.total_weight
            }
            (None, _, units) => self.units_done as f64 / units as f64,
        };
        fraction.clamp(0.0, 1.0)
    }

    /// Returns the fraction of the run that earlier sessions have finished.
    fn earlier_fraction(&self) -> f64 {
        match (&self.estimates, self.units) {
            (_, 0) => 0.0,
            (Some(_), _) if self.total_weight > 0.0 => self.earlier_weight / self.total_weight,
            (_, units) => self.earlier_units as f64 / units as f64,
        }
    }

    /// Computes the weights of all units from their estimates.
    fn update_weights(&mut self) {
        let Some(estimates) = &self.estimates else { return };
        let earlier = self.scheduled[..self.earlier_units].iter();
        self.earlier_weight = earlier.map(|&unit| self.estimate_fit.weight(estimates[unit as usize])).sum();
        let weights = self.scheduled.iter().map(|&unit| {
            let weight = self.estimate_fit.weight(estimates[unit as usize]);
            (weight, if self.is_done[unit as usize] { 0.0 } else { weight })
        });
        (self.total_weight, self.left_weight) =
            weights.fold((0.0, 0.0), |(whole, left), (w, l)| (whole + w, left + l));
    }

    pub fn snapshot(&mut self) -> ProgressSnapshot {
        if self.sweep_schedule.is_none() && self.estimate_fit.update_power() {
            // The fraction may decrease here: the new weights are better.
            self.update_weights();
        }
        let mut fraction = self.fraction();
        if self.sweep_schedule.is_some() {
            self.max_fraction = self.max_fraction.max(fraction);
            fraction = self.max_fraction;
        }
        ProgressSnapshot {
            units_done: self.units_done,
            units: self.units,
            nodes: self.nodes,
            tours: self.tours,
            fraction,
            seconds: self.started.elapsed().as_secs_f64(),
            sweep: self.sweep,
            is_planning: self.is_planning,
            started_at: match &self.sweep_schedule {
                Some(stretch) => stretch.started_at,
                None => (0.0, self.earlier_fraction()),
            },
            expected_seconds: self.sweep_schedule.as_ref().map(|stretch| self.expected_seconds(stretch).0),
        }
    }

    /// Starts a run of `units` units, of which those in `scheduled` remain to be done.
    pub fn begin_run(&mut self, units: usize, scheduled: &[u32], earlier: &EarlierWork) {
        let mut done = vec![true; units];
        for &unit in scheduled {
            done[unit as usize] = false;
        }
        let visited = vec![0; units];
        let scheduled = [earlier.units.as_slice(), scheduled].concat();
        *self = ProgressTracker {
            is_done: done,
            visited,
            units: scheduled.len(),
            units_done: earlier.units.len(),
            earlier_units: earlier.units.len(),
            nodes: earlier.nodes,
            tours: earlier.tours,
            scheduled,
            ..ProgressTracker::default()
        };
    }

    pub fn set_estimates(&mut self, estimates: Vec<f64>) {
        if estimates.len() == self.is_done.len() {
            self.estimate_fit = EstimateFit::default();
            // The nodes of units that earlier sessions have finished are unknown.
            let done = self.scheduled[self.earlier_units..]
                .iter()
                .map(|&unit| unit as usize)
                .filter(|&unit| self.is_done[unit]);
            done.for_each(|unit| self.estimate_fit.add_unit(estimates[unit], self.visited[unit]));
            self.estimates = Some(estimates);
            self.update_weights();
        }
    }

    pub fn begin_planning(&mut self) {
        self.is_planning = true;
    }

    pub fn begin_sweep(&mut self, step_seconds: &[f64], first: usize) {
        let mut until = vec![0.0];
        step_seconds.iter().for_each(|seconds| until.push(until[until.len() - 1] + seconds));
        self.is_planning = false;
        self.sweep = None;
        // When sweeps run one after another, the rate of the earlier ones counts too.
        let before = self.sweep_schedule.take().map(|stretch| stretch.started_at);
        self.sweep_schedule = Some(SweepSchedule {
            step_start_seconds: until,
            steps_done: first as f64,
            started_at: (0.0, 0.0),
        });
        let now = (self.started.elapsed().as_secs_f64(), self.fraction());
        if let Some(stretch) = &mut self.sweep_schedule {
            stretch.started_at = before.unwrap_or(now);
        }
    }

    pub fn finish_sweep_step(&mut self, sweep: SweepSnapshot) {
        self.sweep = Some(sweep);
        self.is_planning = false;
        if let Some(stretch) = &mut self.sweep_schedule {
            stretch.steps_done = stretch.steps_done.max(sweep.steps_done as f64);
        }
    }

    pub fn set_step_fraction(&mut self, step: usize, part: f64) {
        if let Some(stretch) = &mut self.sweep_schedule {
            stretch.steps_done = stretch.steps_done.max(step as f64 + part.clamp(0.0, 1.0));
        }
    }

    pub fn finish_unit(&mut self, unit: usize, nodes: u64, tours: u128) {
        if std::mem::replace(&mut self.is_done[unit], true) {
            return;
        }
        self.units_done += 1;
        self.nodes += nodes;
        // A sum beyond the range of the display stays at its end.
        self.tours = self.tours.saturating_add(tours);
        self.visited[unit] = nodes;
        if let Some(estimates) = &self.estimates {
            // Estimates of sweeps are seconds, which need no fit.
            if self.sweep_schedule.is_none() {
                self.estimate_fit.add_unit(estimates[unit], nodes);
            }
            self.left_weight -= self.estimate_fit.weight(estimates[unit]);
        }
        if let Some(stretch) = &mut self.sweep_schedule {
            // From here on, the finished units include this sweep.
            stretch.step_start_seconds = vec![0.0, 0.0];
            stretch.steps_done = 0.0;
        }
    }
}

impl Default for ProgressTracker {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            is_done: Vec::new(),
            units: 0,
            units_done: 0,
            nodes: 0,
            tours: 0,
            visited: Vec::new(),
            estimates: None,
            left_weight: 0.0,
            total_weight: 0.0,
            estimate_fit: EstimateFit::default(),
            sweep: None,
            sweep_schedule: None,
            is_planning: false,
            max_fraction: 0.0,
            scheduled: Vec::new(),
            earlier_units: 0,
            earlier_weight: 0.0,
        }
    }
}

/// The progress of a run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProgressSnapshot {
    /// Number of units finished.
    pub units_done: usize,
    /// Number of units scheduled; 0 before the run has been split.
    pub units: usize,
    /// Number of nodes visited in finished units.
    pub nodes: u64,
    /// Number of tours found in finished units, images by symmetry included.
    pub tours: u128,
    /// Finished fraction of the work, 0 to 1. A sweep is measured by the estimated seconds of its
    /// steps, other work by the estimated nodes of its units, or by the number of units if there
    /// are no estimates.
    pub fraction: f64,
    /// Seconds since the run was split into units.
    pub seconds: f64,
    /// State of the current sweep, if the run sweeps.
    pub sweep: Option<SweepSnapshot>,
    /// True while a sweep is being planned or its size is being estimated.
    pub is_planning: bool,
    /// Seconds since the start of the run, and finished fraction of the run, when the current work
    /// was started or resumed.
    pub started_at: (f64, f64),
    /// Expected seconds of the whole run, if there is an estimate.
    pub expected_seconds: Option<f64>,
}

/// Finished fraction of the current work. From this fraction on, the measured rate predicts the
/// time left better than the estimate.
const MIN_RATED_FRACTION: f64 = 0.02;

/// The state of a sweep at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepSnapshot {
    /// Number of steps done.
    pub steps_done: usize,
    /// Number of steps in all.
    pub steps: usize,
    /// Number of states in the current layer.
    pub states: u64,
    /// Number of bytes that the sweep holds.
    pub bytes: u64,
}

impl ProgressSnapshot {
    /// Returns the seconds left: computed from the estimate at first, then from the measured rate.
    /// Returns `None` while there is neither.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        let (seconds, fraction) = self.started_at;
        let (taken, done, left) = (self.seconds - seconds, self.fraction - fraction, 1.0 - self.fraction);
        match self.expected_seconds {
            Some(expected) if done < MIN_RATED_FRACTION => Some(expected * left),
            _ => (done > 0.0).then(|| taken * left / done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uninformative_estimates_get_no_weight() {
        // All units are equal; every tenth estimate is a hundred times the others, as random walks give them.
        let mut tracker = ProgressTracker::default();
        let units: Vec<u32> = (0..400).collect();
        tracker.begin_run(units.len(), &units, &EarlierWork::default());
        let estimate = |unit: u32| if unit % 10 == 9 { 1e6 } else { 1e4 };
        tracker.set_estimates(units.iter().map(|&unit| estimate(unit)).collect());
        for unit in 0..100 {
            tracker.finish_unit(unit, 50_000 + unit as u64, 0);
        }
        let fraction = tracker.snapshot().fraction;
        assert!((0.2..0.3).contains(&fraction), "{fraction}");
        for unit in 100..400 {
            tracker.finish_unit(unit, 50_000, 0);
        }
        assert_eq!(tracker.snapshot().fraction, 1.0);
    }

    #[test]
    fn sums_of_tours_stay_at_the_greatest_number() {
        let mut tracker = ProgressTracker::default();
        tracker.begin_run(2, &[0, 1], &EarlierWork::default());
        tracker.finish_unit(0, 1, u128::MAX);
        tracker.finish_unit(1, 1, u128::MAX);
        assert_eq!(tracker.snapshot().tours, u128::MAX);
    }

    #[test]
    fn resumed_run_shows_progress_of_whole_run() {
        let mut tracker = ProgressTracker::default();
        let earlier = EarlierWork { units: (0..30).collect(), nodes: 3000, tours: 60 };
        tracker.begin_run(100, &(30..100).collect::<Vec<_>>(), &earlier);
        let reading = tracker.snapshot();
        assert_eq!((reading.units_done, reading.units, reading.tours), (30, 100, 60));
        assert_eq!((reading.fraction, reading.started_at.1), (0.3, 0.3));
        for unit in 30..65 {
            tracker.finish_unit(unit, 100, 2);
        }
        let reading = ProgressSnapshot { seconds: 7.0, ..tracker.snapshot() };
        assert_eq!((reading.fraction, reading.tours), (0.65, 130));
        // Half of the units of this session took 7 seconds.
        assert!((reading.seconds_left().unwrap() - 7.0).abs() < 1e-9, "{reading:?}");
        tracker.set_estimates(vec![1.0; 100]);
        assert!((tracker.snapshot().fraction - 0.65).abs() < 1e-9);
        assert!((tracker.snapshot().started_at.1 - 0.3).abs() < 1e-9);
    }

    #[test]
    fn good_estimates_weight_progress() {
        let mut tracker = ProgressTracker::default();
        let units: Vec<u32> = (0..400).collect();
        tracker.begin_run(units.len(), &units, &EarlierWork::default());
        let size = |unit: usize| 1000 * (1 + unit as u64 % 100).pow(2);
        // A quarter of the units is finished before there are estimates.
        for unit in (0..100).rev() {
            tracker.finish_unit(unit, size(unit), 0);
        }
        tracker.set_estimates((0..400).map(|unit| 3.0 * size(unit) as f64).collect());
        assert!((tracker.snapshot().fraction - 0.25).abs() < 0.01);
        for unit in 100..150 {
            tracker.finish_unit(unit, size(unit), 0);
        }
        let done: u64 = (0..150).map(size).sum();
        let fraction = tracker.snapshot().fraction;
        assert!((fraction - done as f64 / (0..400).map(size).sum::<u64>() as f64).abs() < 0.01, "{fraction}");
    }
}
