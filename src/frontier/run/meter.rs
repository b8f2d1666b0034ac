//! Statistics of a sweep over all its sessions.
//!
//! A sweep that resumes from a snapshot starts a new session: seconds and bytes written are added up, peaks
//! are maxima over all sessions.

use std::time::Instant;

use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::totals::{Totals, Usage};
use crate::frontier::state::tally::Tally;

/// Measures the current session and adds the totals of earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    began: Instant,
    before: Totals,
    totals: Totals,
    /// Bytes of memory for everything but layers.
    fixed: u64,
}

impl Meter {
    /// Starts the statistics of a sweep that holds `fixed` bytes of memory in addition to its layers.
    #[must_use]
    pub fn new(began: Instant, fixed: u64) -> Self {
        Self { began, before: Totals::default(), totals: Totals::default(), fixed }
    }

    /// Takes over the totals of the earlier sessions.
    pub fn go_on_from(&mut self, before: Totals) {
        (self.before, self.totals) = (before, before);
    }

    /// Adds the counters and the resource usage of a step.
    pub fn add(&mut self, tally: &Tally, usage: &Usage, keeper: &Keeper) {
        self.totals.add(tally, usage);
        self.totals = self.totals(keeper);
    }

    /// Returns the current usage of memory and store; `sent` is the number of bytes sent to other ranks in
    /// the step.
    #[must_use]
    pub fn usage(&self, keeper: &Keeper, sent: u64) -> Usage {
        Usage {
            bytes: keeper.account().held() + self.fixed,
            peak_bytes: self.totals(keeper).peak_bytes,
            stored: keeper.stored().0,
            sent,
        }
    }

    /// Returns the totals of all sessions so far.
    #[must_use]
    pub fn totals(&self, keeper: &Keeper) -> Totals {
        let (_, peak_stored, written) = keeper.stored();
        Totals {
            peak_bytes: self.totals.peak_bytes.max(keeper.account().peak() + self.fixed),
            peak_stored: self.totals.peak_stored.max(peak_stored),
            written: self.before.written + written,
            seconds: self.before.seconds + self.began.elapsed().as_secs_f64(),
            ..self.totals
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sittings_add_up() {
        let keeper = Keeper::new(1000, None);
        let mut meter = Meter::new(Instant::now(), 50);
        let before = Totals { seconds: 100.0, written: 7, states: 3, peak_states: 3, ..Totals::default() };
        meter.go_on_from(before);
        keeper.room(30, &|| Ok(false)).unwrap();
        assert_eq!(meter.usage(&keeper, 4), Usage { bytes: 80, peak_bytes: 80, stored: 0, sent: 4 });
        keeper.account().give(30);
        let tally = Tally { states: 5, transitions: 9, ..Tally::default() };
        meter.add(&tally, &meter.usage(&keeper, 4), &keeper);
        let totals = meter.totals(&keeper);
        assert_eq!((totals.states, totals.peak_states, totals.transitions), (8, 5, 9));
        assert_eq!((totals.written, totals.sent, totals.peak_bytes), (7, 4, 80));
        assert!(totals.seconds >= 100.0);
    }
}
