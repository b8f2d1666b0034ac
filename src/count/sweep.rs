//! The sweeps of a job, each a unit of work.
//!
//! Sweeps use all threads and much memory, so they come one after the other.

use std::ops::ControlFlow;

use super::sums::{EndSum, UnitSums};
use super::{CountError, Question, cost};
use crate::cpu;
use crate::frontier::{self, Field, Observer, Options, StepReport, Tours};
use crate::search::meter::Meter;

/// The sweeps that answer a question.
#[derive(Clone, Debug)]
pub struct Sweeps {
    field: Field,
    tours: Vec<Tours>,
}

impl Sweeps {
    /// The sweeps of a question.
    #[must_use]
    pub fn new(question: &Question) -> Self {
        let request = question.request();
        Self { field: Field::board(&request.board, request.leaper), tours: cost::sweeps(request) }
    }

    /// How many sweeps.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tours.len()
    }

    /// What each sweep counts.
    #[must_use]
    pub fn tours(&self) -> &[Tours] {
        &self.tours
    }

    /// Makes a sweep with at most `memory` bytes; without a ceiling, nine tenths of what is available.
    ///
    /// # Errors
    /// The sweep does not fit, or the meter was stopped.
    pub fn run(
        &self,
        number: usize,
        question: &Question,
        memory: Option<u64>,
        meter: &Meter,
    ) -> Result<UnitSums, CountError> {
        let tours = self.tours[number];
        let memory = memory.or_else(cpu::memory_ceiling);
        let options = Options { memory, ..Options::default() };
        self.check_memory(tours, question, &options, meter)?;
        let mut watch = Watch::new(meter, name(tours));
        let outcome = frontier::count(&self.field, tours, &options, &mut watch)?;
        let mut sums = UnitSums {
            nodes: outcome.states,
            visited: outcome.transitions,
            peak_states: outcome.peak_states,
            ..UnitSums::default()
        };
        let request = question.request();
        match tours {
            Tours::Closed => sums.closed = outcome.count,
            Tours::From(v) if request.start.is_none() && request.end.is_none() => {
                let orbit = question.orbit_of(v as u32);
                let count = outcome.count * question.orbits()[orbit].len();
                sums.paths.push(EndSum { orbits: (orbit, orbit), re_entrant: false, count, directed: true });
            }
            Tours::Paths | Tours::From(_) | Tours::Between(..) => sums.unplaced = outcome.count,
        }
        Ok(sums)
    }

    /// Refuses a long sweep that will not fit before it begins. Short ones, and those too wide for an estimate,
    /// are stopped by the ceiling when they reach it.
    fn check_memory(
        &self,
        tours: Tours,
        question: &Question,
        options: &Options,
        meter: &Meter,
    ) -> Result<(), CountError> {
        let seconds = cost::sweep_seconds(question.request());
        let (Some(ceiling), Some(1.0..1000.0)) = (options.memory, seconds) else { return Ok(()) };
        let Some(estimate) = frontier::estimate(&self.field, tours, options)? else { return Ok(()) };
        let peak = estimate.peak_bytes;
        meter.log(|| {
            format!(
                "{}: about {:.0} MB of at most {:.0} MB, {:.0} s by estimate",
                name(tours),
                peak as f64 / 1e6,
                ceiling as f64 / 1e6,
                estimate.seconds
            )
        });
        // Estimates are a little high; what is in doubt may try.
        if peak / 5 * 4 > ceiling {
            return Err(CountError::TooMuchMemory { needed: peak, ceiling });
        }
        Ok(())
    }
}

const fn name(tours: Tours) -> &'static str {
    match tours {
        Tours::Closed => "closed",
        Tours::Paths => "paths",
        Tours::From(_) => "from a square",
        Tours::Between(..) => "between two squares",
    }
}

/// Passes a sweep's steps on to the meter.
pub(super) struct Watch<'a> {
    meter: &'a Meter,
    name: &'static str,
}

impl<'a> Watch<'a> {
    /// Reports on a sweep of that name.
    pub(super) const fn new(meter: &'a Meter, name: &'static str) -> Self {
        Self { meter, name }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        let StepReport { step, steps, states, weights, transitions, .. } = report;
        self.meter.sweep_step(*step, *steps, *states, report.bytes);
        self.meter.log(|| {
            format!(
                "{} step {step} of {steps}: frontier {}, {states} states in {weights} weights of up to {} bits, {transitions} transitions, {} signatures ({} pruned, {} folded), {:.1} MB, {:.3} s",
                self.name,
                report.frontier,
                report.weight_bits,
                report.signatures,
                report.pruned,
                report.folded,
                report.bytes as f64 / 1e6,
                report.seconds
            )
        });
        if self.meter.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
