//! Statistics of a sweep over all its sessions.
//!
//! A sweep that resumes from a snapshot starts a new session: seconds and bytes written are added up, peaks
//! are maxima over all sessions.

use std::time::Instant;

use crate::frontier::layer::keeper::MemoryPool;
use crate::frontier::layer::totals::{ResourceUsage, SweepTotals};
use crate::frontier::state::tally::StepTally;

/// Measures the current session and adds the totals of earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct SweepStats {
    started: Instant,
    earlier: SweepTotals,
    totals: SweepTotals,
    /// Bytes of memory for everything but layers.
    fixed_bytes: u64,
}

impl SweepStats {
    /// Starts the statistics of a sweep that holds `fixed` bytes of memory in addition to its layers.
    #[must_use]
    pub fn new(began: Instant, fixed: u64) -> Self {
        Self {
            started: began,
            earlier: SweepTotals::default(),
            totals: SweepTotals::default(),
            fixed_bytes: fixed,
        }
    }

    /// Takes over the totals of the earlier sessions.
    pub fn resume_from(&mut self, before: SweepTotals) {
        (self.earlier, self.totals) = (before, before);
    }

    /// Adds the counters and the resource usage of a step.
    pub fn add_step(&mut self, tally: &StepTally, usage: &ResourceUsage, pool: &MemoryPool) {
        self.totals.add_step(tally, usage);
        self.totals = self.totals(pool);
    }

    /// Returns the current usage of memory and store; `sent` is the number of bytes sent to other ranks in
    /// the step.
    #[must_use]
    pub fn usage(&self, pool: &MemoryPool, sent: u64) -> ResourceUsage {
        ResourceUsage {
            bytes: pool.budget().reserved_bytes() + self.fixed_bytes,
            peak_bytes: self.totals(pool).peak_bytes,
            stored: pool.stored_bytes().0,
            sent,
        }
    }

    /// Returns the totals of all sessions so far.
    #[must_use]
    pub fn totals(&self, pool: &MemoryPool) -> SweepTotals {
        let (_, peak_stored, written) = pool.stored_bytes();
        SweepTotals {
            peak_bytes: self.totals.peak_bytes.max(pool.budget().peak_bytes() + self.fixed_bytes),
            peak_stored: self.totals.peak_stored.max(peak_stored),
            written: self.earlier.written + written,
            seconds: self.earlier.seconds + self.started.elapsed().as_secs_f64(),
            ..self.totals
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_sessions_add_up() {
        let pool = MemoryPool::new(1000, None);
        let mut meter = SweepStats::new(Instant::now(), 50);
        let before =
            SweepTotals { seconds: 100.0, written: 7, states: 3, peak_states: 3, ..SweepTotals::default() };
        meter.resume_from(before);
        pool.reserve(30, &|| Ok(false)).unwrap();
        assert_eq!(meter.usage(&pool, 4), ResourceUsage { bytes: 80, peak_bytes: 80, stored: 0, sent: 4 });
        pool.budget().release(30);
        let tally = StepTally { states: 5, transitions: 9, ..StepTally::default() };
        meter.add_step(&tally, &meter.usage(&pool, 4), &pool);
        let totals = meter.totals(&pool);
        assert_eq!((totals.states, totals.peak_states, totals.transitions), (8, 5, 9));
        assert_eq!((totals.written, totals.sent, totals.peak_bytes), (7, 4, 80));
        assert!(totals.seconds >= 100.0);
    }
}
