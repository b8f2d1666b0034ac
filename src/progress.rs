//! How far a run is: what its [`Control`](crate::control::Control) is told of units and steps, and the [`Reading`]
//! that is made of it.
//!
//! ```text
//! units done, estimates, steps of a sweep -> Tracker -> Reading -> seconds left
//! ```

use std::time::Instant;

/// The books of a run.
#[derive(Debug)]
pub struct Tracker {
    began: Instant,
    /// By unit; those that are not scheduled count as done.
    done: Vec<bool>,
    /// Units scheduled, and how many.
    scheduled: Vec<u32>,
    units: usize,
    units_done: usize,
    nodes: u64,
    tours: u128,
    /// Nodes by unit, of those that are done.
    visited: Vec<u64>,
    estimates: Option<Vec<f64>>,
    /// Sum of the weights of units not done, and of all.
    left: f64,
    whole: f64,
    /// What is known of estimates.
    trust: Trust,
    sweep: Option<SweepReading>,
    stretch: Option<Stretch>,
    is_planning: bool,
    /// The greatest part of sweeps that was told: sums of seconds are rounded, and nobody shall see it.
    told: f64,
}

/// How far estimates of nodes can be trusted: random walks see the mean of a unit's tree seldom, so that most estimates
/// are too low and a few much too high. What units turn out to have is proportional to a power of their estimates, told
/// by the units done: 1 where these are exact, near 0 where they say nothing.
#[derive(Debug)]
struct Trust {
    power: f64,
    /// Of logarithms: number, sums of estimates and of nodes, sums of squares and products.
    sums: [f64; 5],
}

impl Default for Trust {
    fn default() -> Self {
        Self { power: 1.0, sums: [0.0; 5] }
    }
}

impl Trust {
    /// So many units must be done to tell.
    const LEAST: f64 = 16.0;
    /// Weights are made anew when the power has changed by so much.
    const CHANGE: f64 = 0.05;

    fn add(&mut self, estimate: f64, nodes: u64) {
        let (x, y) = ((estimate + 1.0).ln(), (nodes as f64 + 1.0).ln());
        for (sum, value) in self.sums.iter_mut().zip([1.0, x, y, x * x, x * y]) {
            *sum += value;
        }
    }

    /// The power by the units done, if it has changed.
    fn changed(&mut self) -> bool {
        let [n, x, y, xx, xy] = self.sums;
        if n < Self::LEAST {
            return false;
        }
        // The slope of the regression, drawn a bit to 1 where estimates hardly differ.
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

/// How a sweep in progress is spread over its steps.
#[derive(Debug)]
struct Stretch {
    /// Seconds expected until each step begins, and until the end.
    until: Vec<f64>,
    /// Steps done, and part of the next.
    done: f64,
    /// Seconds of the run and its part done when the sweep began or went on.
    since: (f64, f64),
}

impl Stretch {
    /// Seconds expected for what is done.
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
    /// Seconds expected of all scheduled sweeps, and of what is done of them.
    fn expected(&self, stretch: &Stretch) -> (f64, f64) {
        let (whole, units) = (stretch.whole(), self.units as f64);
        // Without estimates all sweeps are as long as this one.
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
            // Not by nodes: a count leaves out those that it remembers.
            (None, Some(_), _) if self.whole > 0.0 => (self.whole - self.left) / self.whole,
            (None, _, units) => self.units_done as f64 / units as f64,
        };
        fraction.clamp(0.0, 1.0)
    }

    /// Weighs all units by their estimates.
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
            // It may tell less than before: what is known now is better.
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
        // Once sweeps run one after the other, the rate of those before counts as well.
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
            // Those of sweeps are seconds.
            if self.stretch.is_none() {
                self.trust.add(estimates[unit], nodes);
            }
            self.left -= self.trust.weight(estimates[unit]);
        }
        if let Some(stretch) = &mut self.stretch {
            // What is done is among the units now.
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

/// A moment of a run.
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
    /// Part of the work done, 0 to 1: of a sweep by the seconds that its steps were estimated to take, otherwise by
    /// estimated nodes if there are estimates, or by units.
    pub fraction: f64,
    /// Since the units were set out.
    pub seconds: f64,
    /// The sweep in progress, if the run sweeps.
    pub sweep: Option<SweepReading>,
    /// Whether a sweep is being planned or sized at the moment.
    pub is_planning: bool,
    /// Seconds, and the part that was done, when the work at hand was begun or gone on with.
    pub since: (f64, f64),
    /// Seconds that all was expected to take, if that was estimated.
    pub expected: Option<f64>,
}

/// Part of a run from which on its own rate says better how long it will take than the estimate.
const RATED: f64 = 0.02;

/// A moment of a sweep.
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
    /// Seconds left at the present rate, once there is a rate.
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
        // All units are alike; every tenth estimate is a hundred times the others, as by random walks.
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
        // Half of them are known before there are estimates.
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
