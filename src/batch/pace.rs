//! A [`CheckpointSchedule`] decides when a sweep is saved, such that saving takes only a small part of its
//! time.

use std::time::{Duration, Instant};

/// Least ratio of the time of work to the time of saving.
const MIN_WORK_TO_SAVING_RATIO: u32 = 50;

/// The times of the last and of the next saving of a sweep.
#[derive(Debug)]
pub struct CheckpointSchedule {
    interval: Duration,
    work_to_saving_ratio: u32,
    /// When the sweep was last saved.
    last_saved: Instant,
    /// When the next saving became due, or began.
    due_since: Option<Instant>,
    /// Least time of work until the next saving.
    min_work: Duration,
}

impl CheckpointSchedule {
    /// Creates a schedule that saves every `interval`. If `limits_overhead`, a sweep is saved less often where saving
    /// takes long: it works at least fifty times as long as its last saving took.
    #[must_use]
    pub fn new(interval: Duration, limits_overhead: bool) -> Self {
        let work_to_saving = if limits_overhead { MIN_WORK_TO_SAVING_RATIO } else { 0 };
        Self {
            interval,
            work_to_saving_ratio: work_to_saving,
            last_saved: Instant::now(),
            due_since: None,
            min_work: interval,
        }
    }

    /// Returns true if the sweep is due to be saved.
    pub fn is_due(&mut self) -> bool {
        if self.due_since.is_none() && self.last_saved.elapsed() >= self.min_work {
            self.due_since = Some(Instant::now());
        }
        self.due_since.is_some()
    }

    /// Starts to measure the time of saving. The time before this call was work, because the sweep had to
    /// finish its step.
    pub fn begin_save(&mut self) {
        self.due_since = self.due_since.map(|_| Instant::now());
    }

    /// Ends the measurement of the time of saving, and computes the time of work until the next one.
    pub fn end_save(&mut self) {
        let took = self.due_since.take().map_or(Duration::ZERO, |due| due.elapsed());
        self.last_saved = Instant::now();
        self.min_work = self.interval.max(took * self.work_to_saving_ratio);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_saves_delay_next_save() {
        for (spares, wait) in [(true, Duration::from_millis(100)), (false, Duration::from_millis(1))] {
            let mut pace = CheckpointSchedule::new(Duration::from_millis(1), spares);
            std::thread::sleep(Duration::from_millis(2));
            assert!(pace.is_due());
            pace.begin_save();
            std::thread::sleep(Duration::from_millis(2));
            pace.end_save();
            assert!(pace.min_work >= wait && pace.due_since.is_none());
        }
    }

    #[test]
    fn save_that_was_not_due_delays_nothing() {
        let mut pace = CheckpointSchedule::new(Duration::from_secs(60), true);
        assert!(!pace.is_due());
        pace.begin_save();
        pace.end_save();
        assert_eq!(pace.min_work, Duration::from_secs(60));
    }
}
