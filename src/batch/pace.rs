//! When a sweep is to rest, so that saving takes a small part of its time only.

use std::time::{Duration, Instant};

/// A sweep works at least so many times as long as it took to save it.
const WORK_TO_SAVING: u32 = 50;

/// Since when a sweep has worked, and how long it shall.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    work_to_saving: u32,
    /// When it rested last.
    at: Instant,
    /// When it was told to rest.
    due: Option<Instant>,
    /// Until it shall rest again.
    wait: Duration,
}

impl Pace {
    /// A rest every interval; more seldom where resting takes long, if it `spares`.
    #[must_use]
    pub fn new(interval: Duration, spares: bool) -> Self {
        let work_to_saving = if spares { WORK_TO_SAVING } else { 0 };
        Self { interval, work_to_saving, at: Instant::now(), due: None, wait: interval }
    }

    /// Whether it is time.
    pub fn is_due(&mut self) -> bool {
        if self.due.is_none() && self.at.elapsed() >= self.wait {
            self.due = Some(Instant::now());
        }
        self.due.is_some()
    }

    /// The sweep begins to rest: from now on it costs time, until here the step was made.
    pub fn resting(&mut self) {
        self.due = self.due.map(|_| Instant::now());
    }

    /// The sweep has rested; the longer it took, the longer it shall work.
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
