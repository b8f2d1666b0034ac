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
        // Rather an error than a machine that swaps or kills.
        let memory = memory.or_else(|| cpu::available_memory().map(|bytes| bytes / 10 * 9));
        let options = Options { memory, ..Options::default() };
        let mut watch = Watch { meter, name: name(tours) };
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
struct Watch<'a> {
    meter: &'a Meter,
    name: &'static str,
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
