//! Progress of a run: collects reports about units and sweep steps, and computes a [`ProgressSnapshot`].
//!
//! ```text
//! finished units, estimates, sweep steps -> ProgressTracker -> ProgressSnapshot -> seconds left
//! ```

use std::time::Instant;

/// Progress data of a run.
#[derive(Debug)]
pub struct Tracker {
    began: Instant,
    /// True for every finished unit, by unit number. Units that are not scheduled count as finished.
    done: Vec<bool>,
    /// Numbers of the scheduled units. `units` is their count.
    scheduled: Vec<u32>,
    units: usize,
    units_done: usize,
    nodes: u64,
    tours: u128,
    /// Nodes of each finished unit, by unit number.
    visited: Vec<u64>,
    estimates: Option<Vec<f64>>,
    /// Sum of the weights of unfinished units. `total_weight` is the sum over all units.
    left: f64,
    whole: f64,
    /// Reliability of the estimates, measured on finished units.
    trust: Trust,
    sweep: Option<SweepReading>,
    stretch: Option<Stretch>,
    is_planning: bool,
    /// Largest fraction reported for sweeps. Rounded sums of seconds must not make a displayed fraction
    /// decrease.
    told: f64,
}

/// Reliability of node estimates.
///
/// Random walks rarely find the deep parts of a unit's tree, so most estimates are too low and a few are much
/// too high. The actual nodes are modelled as proportional to a power of the estimate. The power is fitted to
/// the finished units: 1 where estimates are exact, near 0 where they carry no information.
#[derive(Debug)]
struct Trust {
    power: f64,
    /// Sums over finished units: count, log estimate, log nodes, (log estimate)², and log estimate times log
    /// nodes.
    sums: [f64; 5],
}

impl Default for Trust {
    fn default() -> Self {
        Self { power: 1.0, sums: [0.0; 5] }
    }
}

impl Trust {
    /// Finished units needed for a fit.
    const LEAST: f64 = 16.0;
    /// Smallest change of the power that updates the weights.
    const CHANGE: f64 = 0.05;

    fn add(&mut self, estimate: f64, nodes: u64) {
        let (x, y) = ((estimate + 1.0).ln(), (nodes as f64 + 1.0).ln());
        for (sum, value) in self.sums.iter_mut().zip([1.0, x, y, x * x, x * y]) {
            *sum += value;
        }
    }

    /// Fits the power to the finished units. Returns true if it has changed.
    fn changed(&mut self) -> bool {
        let [n, x, y, xx, xy] = self.sums;
        if n < Self::LEAST {
            return false;
        }
        // Slope of the regression, pulled towards 1 where the estimates hardly differ.
        let slope = (xy - x * y / n + 1.0) / (xx - x * x / n + 1.0);
        let power = slope.clamp(0.0, 1.0);
        let is_other = (power - self.power).abs() > Self::CHANGE;
        if is_other {
            self.power = power;
        }
        is_other
    }

    fn weight(&self, estimate: f64) -> f64 {
        if self.power == 1.0 { estimate } else { estimate.max(0.0).powf(self.power) }
    }
}

/// Expected times of the steps of a sweep, and the steps done.
#[derive(Debug)]
struct Stretch {
    /// Expected seconds from the start of the sweep to the start of each step; the last entry is the end of
    /// the sweep.
    until: Vec<f64>,
    /// Steps done, plus the finished fraction of the next one.
    done: f64,
    /// Seconds of the run and its finished fraction when the sweep was started or resumed.
    since: (f64, f64),
}

impl Stretch {
    /// Returns the expected seconds of the finished part.
    fn seconds(&self) -> f64 {
        let last = self.until.len() - 1;
        let step = (self.done as usize).min(last);
        let next = self.until[(step + 1).min(last)];
        self.until[step] + (next - self.until[step]) * (self.done - step as f64).clamp(0.0, 1.0)
    }

    fn whole(&self) -> f64 {
        self.until[self.until.len() - 1]
    }
}

impl Tracker {
    /// Returns the expected seconds of all scheduled sweeps, and those of their finished part.
    fn expected(&self, stretch: &Stretch) -> (f64, f64) {
        let (whole, units) = (stretch.whole(), self.units as f64);
        // Without estimates every sweep is assumed to take as long as this one.
        if self.estimates.is_none() {
            return (whole * units, whole * self.units_done as f64 + stretch.seconds());
        }
        let all = self.whole.max(whole);
        let left = self.left.max(whole);
        (all, (all - left).max(0.0) + stretch.seconds())
    }

    fn fraction(&self) -> f64 {
        let fraction = match (&self.stretch, &self.estimates, self.units) {
            (_, _, 0) => 0.0,
            (_, _, units) if self.units_done == units => 1.0,
            (Some(stretch), ..) => {
                let (all, done) = self.expected(stretch);
                if all > 0.0 { done / all } else { self.units_done as f64 / self.units as f64 }
            }
            // Nodes are no measure here: a count skips the nodes that its transposition table saves.
            (None, Some(_), _) if self.whole > 0.0 => (self.whole - self.left) / self.whole,
            (None, _, units) => self.units_done as f64 / units as f64,
        };
        fraction.clamp(0.0, 1.0)
    }

    /// Computes the weights of all units from their estimates.
    fn weigh(&mut self) {
        let Some(estimates) = &self.estimates else { return };
        let weights = self.scheduled.iter().map(|&unit| {
            let weight = self.trust.weight(estimates[unit as usize]);
            (weight, if self.done[unit as usize] { 0.0 } else { weight })
        });
        (self.whole, self.left) = weights.fold((0.0, 0.0), |(whole, left), (w, l)| (whole + w, left + l));
    }

    pub fn reading(&mut self) -> Reading {
        if self.stretch.is_none() && self.trust.changed() {
            // The fraction may decrease here: the new weights are better.
            self.weigh();
        }
        let mut fraction = self.fraction();
        if self.stretch.is_some() {
            self.told = self.told.max(fraction);
            fraction = self.told;
        }
        Reading {
            units_done: self.units_done,
            units: self.units,
            nodes: self.nodes,
            tours: self.tours,
            fraction,
            seconds: self.began.elapsed().as_secs_f64(),
            sweep: self.sweep,
            is_planning: self.is_planning,
            since: self.stretch.as_ref().map_or((0.0, 0.0), |stretch| stretch.since),
            expected: self.stretch.as_ref().map(|stretch| self.expected(stretch).0),
        }
    }

    pub fn begin(&mut self, units: usize, scheduled: &[u32]) {
        let mut done = vec![true; units];
        for &unit in scheduled {
            done[unit as usize] = false;
        }
        let scheduled = scheduled.to_vec();
        let visited = vec![0; units];
        *self = Tracker { done, visited, units: scheduled.len(), scheduled, ..Tracker::default() };
    }

    pub fn set_estimates(&mut self, estimates: Vec<f64>) {
        if estimates.len() == self.done.len() {
            self.trust = Trust::default();
            let done = self.scheduled.iter().map(|&unit| unit as usize).filter(|&unit| self.done[unit]);
            done.for_each(|unit| self.trust.add(estimates[unit], self.visited[unit]));
            self.estimates = Some(estimates);
            self.weigh();
        }
    }

    pub fn planning(&mut self) {
        self.is_planning = true;
    }

    pub fn sweep_begins(&mut self, step_seconds: &[f64], first: usize) {
        let mut until = vec![0.0];
        step_seconds.iter().for_each(|seconds| until.push(until[until.len() - 1] + seconds));
        self.is_planning = false;
        self.sweep = None;
        // When sweeps run one after another, the rate of the earlier ones counts too.
        let before = self.stretch.take().map(|stretch| stretch.since);
        self.stretch = Some(Stretch { until, done: first as f64, since: (0.0, 0.0) });
        let now = (self.began.elapsed().as_secs_f64(), self.fraction());
        if let Some(stretch) = &mut self.stretch {
            stretch.since = before.unwrap_or(now);
        }
    }

    pub fn sweep_step(&mut self, sweep: SweepReading) {
        self.sweep = Some(sweep);
        self.is_planning = false;
        if let Some(stretch) = &mut self.stretch {
            stretch.done = stretch.done.max(sweep.step as f64);
        }
    }

    pub fn sweep_part(&mut self, step: usize, part: f64) {
        if let Some(stretch) = &mut self.stretch {
            stretch.done = stretch.done.max(step as f64 + part.clamp(0.0, 1.0));
        }
    }

    pub fn unit_done(&mut self, unit: usize, nodes: u64, tours: u128) {
        if std::mem::replace(&mut self.done[unit], true) {
            return;
        }
        self.units_done += 1;
        self.nodes += nodes;
        self.tours += tours;
        self.visited[unit] = nodes;
        if let Some(estimates) = &self.estimates {
            // Estimates of sweeps are seconds, which need no fit.
            if self.stretch.is_none() {
                self.trust.add(estimates[unit], nodes);
            }
            self.left -= self.trust.weight(estimates[unit]);
        }
        if let Some(stretch) = &mut self.stretch {
            // From here on, the finished units include this sweep.
            stretch.until = vec![0.0, 0.0];
            stretch.done = 0.0;
        }
    }
}

impl Default for Tracker {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            done: Vec::new(),
            units: 0,
            units_done: 0,
            nodes: 0,
            tours: 0,
            visited: Vec::new(),
            estimates: None,
            left: 0.0,
            whole: 0.0,
            trust: Trust::default(),
            sweep: None,
            stretch: None,
            is_planning: false,
            told: 0.0,
            scheduled: Vec::new(),
        }
    }
}

/// State of a run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// Units finished.
    pub units_done: usize,
    /// Units scheduled; 0 before the run has been split.
    pub units: usize,
    /// Nodes visited in finished units.
    pub nodes: u64,
    /// Tours found in finished units, images by symmetry included.
    pub tours: u128,
    /// Finished fraction of the work, 0 to 1. For a sweep by the estimated seconds of its steps, otherwise by
    /// the estimated nodes, or by units if there are no estimates.
    pub fraction: f64,
    /// Seconds since the run was split into units.
    pub seconds: f64,
    /// Sweep in progress, if the run sweeps.
    pub sweep: Option<SweepReading>,
    /// True while a sweep is being planned or sized.
    pub is_planning: bool,
    /// Seconds and finished fraction when the present work was started or resumed.
    pub since: (f64, f64),
    /// Expected seconds of the whole run, if estimated.
    pub expected: Option<f64>,
}

/// Finished fraction from which on the measured rate predicts the time left better than the estimate.
const RATED: f64 = 0.02;

/// State of a sweep at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepReading {
    /// Steps done.
    pub step: usize,
    /// Steps in all.
    pub steps: usize,
    /// States of the present layer.
    pub states: u64,
    /// Bytes held.
    pub bytes: u64,
}

impl Reading {
    /// Returns the seconds left: by the estimate at first, then at the measured rate; `None` while neither
    /// exists.
    #[must_use]
    pub fn seconds_left(&self) -> Option<f64> {
        let (seconds, fraction) = self.since;
        let (taken, done, left) = (self.seconds - seconds, self.fraction - fraction, 1.0 - self.fraction);
        match self.expected {
            Some(expected) if done < RATED => Some(expected * left),
            _ => (done > 0.0).then(|| taken * left / done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_that_say_nothing_are_not_trusted() {
        // All units are equal; every tenth estimate is a hundred times the others, as random walks give them.
        let mut tracker = Tracker::default();
        let units: Vec<u32> = (0..400).collect();
        tracker.begin(units.len(), &units);
        let estimate = |unit: u32| if unit % 10 == 9 { 1e6 } else { 1e4 };
        tracker.set_estimates(units.iter().map(|&unit| estimate(unit)).collect());
        for unit in 0..100 {
            tracker.unit_done(unit, 50_000 + unit as u64, 0);
        }
        let told = tracker.reading().fraction;
        assert!((0.2..0.3).contains(&told), "{told}");
        for unit in 100..400 {
            tracker.unit_done(unit, 50_000, 0);
        }
        assert_eq!(tracker.reading().fraction, 1.0);
    }

    #[test]
    fn estimates_that_are_right_are_trusted() {
        let mut tracker = Tracker::default();
        let units: Vec<u32> = (0..400).collect();
        tracker.begin(units.len(), &units);
        let size = |unit: usize| 1000 * (1 + unit as u64 % 100).pow(2);
        // A quarter of the units is finished before there are estimates.
        for unit in (0..100).rev() {
            tracker.unit_done(unit, size(unit), 0);
        }
        tracker.set_estimates((0..400).map(|unit| 3.0 * size(unit) as f64).collect());
        assert!((tracker.reading().fraction - 0.25).abs() < 0.01);
        for unit in 100..150 {
            tracker.unit_done(unit, size(unit), 0);
        }
        let done: u64 = (0..150).map(size).sum();
        let told = tracker.reading().fraction;
        assert!((told - done as f64 / (0..400).map(size).sum::<u64>() as f64).abs() < 0.01, "{told}");
    }
}
