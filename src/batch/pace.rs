//! A [`CheckpointSchedule`] decides when a sweep is saved, such that saving takes only a small part of its
//! time.

use std::time::{Duration, Instant};

/// Least ratio of the time of work to the time of saving.
const WORK_TO_SAVING: u32 = 50;

/// The times of the last and of the next saving of a sweep.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    work_to_saving: u32,
    /// When the sweep was last saved.
    at: Instant,
    /// When the next saving became due, or began.
    due: Option<Instant>,
    /// Least time of work until the next saving.
    wait: Duration,
}

impl Pace {
    /// Creates a schedule that saves every `interval`. If `limits_overhead`, a sweep is saved less often where saving
    /// takes long: it works at least fifty times as long as its last saving took.
    #[must_use]
    pub fn new(interval: Duration, spares: bool) -> Self {
        let work_to_saving = if spares { WORK_TO_SAVING } else { 0 };
        Self { interval, work_to_saving, at: Instant::now(), due: None, wait: interval }
    }

    /// Returns true if the sweep is due to be saved.
    pub fn is_due(&mut self) -> bool {
        if self.due.is_none() && self.at.elapsed() >= self.wait {
            self.due = Some(Instant::now());
        }
        self.due.is_some()
    }

    /// Starts to measure the time of saving. The time before this call was work, because the sweep had to
    /// finish its step.
    pub fn resting(&mut self) {
        self.due = self.due.map(|_| Instant::now());
    }

    /// Ends the measurement of the time of saving, and computes the time of work until the next one.
    pub fn rested(&mut self) {
        let took = self.due.take().map_or(Duration::ZERO, |due| due.elapsed());
        self.at = Instant::now();
        self.wait = self.interval.max(took * self.work_to_saving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rests_are_made_up_for() {
        for (spares, wait) in [(true, Duration::from_millis(100)), (false, Duration::from_millis(1))] {
            let mut pace = Pace::new(Duration::from_millis(1), spares);
            std::thread::sleep(Duration::from_millis(2));
            assert!(pace.is_due());
            pace.resting();
            std::thread::sleep(Duration::from_millis(2));
            pace.rested();
            assert!(pace.wait >= wait && pace.due.is_none());
        }
    }

    #[test]
    fn a_rest_that_nobody_was_told_of_costs_nothing() {
        let mut pace = Pace::new(Duration::from_secs(60), true);
        assert!(!pace.is_due());
        pace.resting();
        pace.rested();
        assert_eq!(pace.wait, Duration::from_secs(60));
    }
}
