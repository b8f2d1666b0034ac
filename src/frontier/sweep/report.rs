//! Reports of a sweep: the observer that receives them, the outcome, and the statistics of all
//! sessions.
//!
//! A sweep reports every step to its observer, which can suspend or stop the sweep. The outcome
//! contains the count and the totals of memory and time.
//!
//! A sweep that resumes from a snapshot starts a new session. In the statistics of all sessions,
//! seconds and bytes written are sums, and peaks are maxima.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::clock::Instant;
use crate::frontier::layer::memory_pool::MemoryPool;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::sweep_totals::{ResourceUsage, StepTally, SweepTotals};
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::ranks::command::Command;
use crate::frontier::weights::modulus::ResidueRing;

/// Report of a step: its result, and the resources in use after it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of finished steps of the sweep, this step included.
    pub step: usize,
    /// Number of steps of the sweep.
    pub steps: usize,
    /// The vertex that the step processed; for the apex, the number of squares.
    pub vertex: usize,
    /// Number of vertices on the frontier after the step.
    pub frontier: u32,
    /// Counters of the step and of the layer after it.
    pub tally: StepTally,
    /// Resources in use after the step, summed over all ranks.
    pub usage: ResourceUsage,
    /// Seconds that the step took.
    pub seconds: f64,
    /// Seconds since the sweep started.
    pub elapsed: f64,
}

/// Receives the events of a sweep and decides whether it continues.
pub trait Observer: Send {
    /// Called for every step, after its group of steps; `Break` stops the sweep with
    /// [`Error::Stopped`](crate::frontier::Error::Stopped).
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()>;

    /// Called when a shorter board of a series is complete, with the index of the board (ascending from 0)
    /// and its count. If the sweep has to restart, the calls begin with index 0 again.
    fn on_shorter_board(&mut self, _number: usize, _count: &BigUint) {}

    /// Called after every chunk, hundreds to thousands of times in each step. Returns the command
    /// that the sweep executes next.
    fn poll(&mut self) -> Command {
        Command::Continue
    }

    /// Called after a chunk with the number of finished steps and the finished fraction, 0 to 1, of the next
    /// step. In a group of steps, these are computed from the finished part of the group.
    fn on_step_fraction(&mut self, _steps: usize, _part: f64) {}

    /// Called when the sweep starts to write its current layers to the store.
    fn on_saving(&mut self) {}

    /// Called with every snapshot. The chunks that the snapshot names stay in the store until the
    /// sweep ends.
    fn on_snapshot(&mut self, _snapshot: &Snapshot) {}

    /// Called with the error message when a snapshot could not be written; the sweep continues.
    fn on_save_error(&mut self, _why: &str) {}
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An observer that stops a sweep when its flag is cancelled.
pub struct CancelObserver<'a>(pub &'a Cancel);

impl Observer for CancelObserver<'_> {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn poll(&mut self) -> Command {
        if self.0.is_cancelled() { Command::Stop } else { Command::Continue }
    }
}

/// Outcome of a sweep: its counts and totals.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Number of tours; with factors, the absolute value of the sum over all tours of the products of their
    /// factors.
    pub count: BigUint,
    /// True if the sum whose absolute value is `count` is negative.
    pub is_negative: bool,
    /// For a series, the counts of the shorter boards, in order of length.
    pub shorter_counts: Vec<BigUint>,
    /// Totals of memory, disk space and time over all sessions.
    pub totals: SweepTotals,
}

impl Outcome {
    /// Returns the outcome of a count that did not require a sweep.
    #[must_use]
    pub fn from_count(count: impl Into<BigUint>) -> Self {
        Self { count: count.into(), ..Self::default() }
    }

    /// Returns the outcome with every count replaced by its residue in `ring`.
    #[must_use]
    pub fn to_residues(mut self, ring: ResidueRing) -> Self {
        self.count =
            if self.is_negative { ring.negated_residue(&self.count) } else { ring.residue_of(&self.count) };
        self.is_negative = false;
        self.shorter_counts.iter_mut().for_each(|number| *number = ring.residue_of(number));
        self
    }

    /// Returns the outcome with a signed count. The count must be a residue modulo `2^bits`; it is
    /// replaced by the representative nearest to zero.
    #[must_use]
    pub fn to_signed(mut self, bits: u32) -> Self {
        if self.count.bits() == u64::from(bits) {
            (self.count, self.is_negative) = ((BigUint::from(1u8) << bits) - self.count, true);
        }
        self
    }
}

/// Statistics of a sweep: measurements of the current session, and totals of all sessions.
#[derive(Clone, Copy, Debug)]
pub struct SweepStats {
    started: Instant,
    earlier: SweepTotals,
    totals: SweepTotals,
    /// Number of bytes of memory that the sweep needs in addition to its layers.
    fixed_bytes: u64,
}

impl SweepStats {
    /// Returns the statistics of a sweep that started at `began`. `fixed` is the number of bytes of
    /// memory that the sweep needs in addition to its layers.
    #[must_use]
    pub fn new(began: Instant, fixed: u64) -> Self {
        Self {
            started: began,
            earlier: SweepTotals::default(),
            totals: SweepTotals::default(),
            fixed_bytes: fixed,
        }
    }

    /// Adds `before`, the totals of the earlier sessions.
    pub fn resume_from(&mut self, before: SweepTotals) {
        (self.earlier, self.totals) = (before, before);
    }

    /// Adds the counters and the resource usage of a step to the totals.
    pub fn add_step(&mut self, tally: &StepTally, usage: &ResourceUsage, pool: &MemoryPool) {
        self.totals.add_step(tally, usage);
        self.totals = self.totals(pool);
    }

    /// Returns the current usage of memory and store. `sent` is the number of bytes sent to other
    /// ranks in the current step.
    #[must_use]
    pub fn usage(&self, pool: &MemoryPool, sent: u64) -> ResourceUsage {
        ResourceUsage {
            bytes: pool.budget().reserved_bytes() + self.fixed_bytes,
            peak_bytes: self.totals(pool).peak_bytes,
            stored: pool.stored_bytes().0,
            written: self.totals(pool).written,
            sent,
        }
    }

    /// Returns the totals of all sessions, the current session included.
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
    fn no_observer_lets_the_sweep_continue() {
        assert_eq!(NoObserver.on_step(&StepReport::default()), ControlFlow::Continue(()));
        assert_eq!(NoObserver.poll(), Command::Continue);
    }
}

#[cfg(test)]
mod outcome_tests {
    use super::*;

    #[test]
    fn to_signed_gives_the_number_nearest_to_zero() {
        let signed = |residue: u32| {
            let outcome = Outcome::from_count(residue).to_signed(32);
            (outcome.count, outcome.is_negative)
        };
        assert_eq!(signed(7), (7u32.into(), false));
        assert_eq!(signed(u32::MAX), (1u32.into(), true));
        assert_eq!(signed(1 << 31), ((1u32 << 31).into(), true));
    }

    #[test]
    fn to_residues_of_negative_counts_are_not_negative() {
        let ring = ResidueRing::new(100).unwrap();
        let outcome =
            Outcome { is_negative: true, shorter_counts: vec![250u32.into()], ..Outcome::from_count(903u32) };
        let known = Outcome { shorter_counts: vec![50u32.into()], ..Outcome::from_count(97u32) };
        assert_eq!(outcome.to_residues(ring), known);
    }
}

#[cfg(test)]
mod meter_tests {
    use super::*;

    #[test]
    fn totals_of_sessions_add_up() {
        let pool = MemoryPool::new(1000, None);
        let mut meter = SweepStats::new(Instant::now(), 50);
        let before =
            SweepTotals { seconds: 100.0, written: 7, states: 3, peak_states: 3, ..SweepTotals::default() };
        meter.resume_from(before);
        let reservation = pool.reserve(30, &[]).unwrap();
        let usage = ResourceUsage { bytes: 80, peak_bytes: 80, stored: 0, written: 7, sent: 4 };
        assert_eq!(meter.usage(&pool, 4), usage);
        drop(reservation);
        let tally = StepTally { states: 5, transitions: 9, ..StepTally::default() };
        meter.add_step(&tally, &meter.usage(&pool, 4), &pool);
        let totals = meter.totals(&pool);
        assert_eq!((totals.states, totals.peak_states, totals.transitions), (8, 5, 9));
        assert_eq!((totals.written, totals.sent, totals.peak_bytes), (7, 4, 80));
        assert!(totals.seconds >= 100.0);
    }
}
