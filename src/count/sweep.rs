//! The sweeps of a job, each a unit of work.
//!
//! Sweeps use all threads and much memory, so they come one after the other.

use std::ops::ControlFlow;

use super::rest::Rest;
use super::sums::{EndSum, UnitSums};
use super::{CountError, Question, cost};
use crate::control::Control;
use crate::cpu;
use crate::frontier::{
    self, Cut, Field, Observer, Options, Peers, Pulse, Snapshot, StepReport, Storage, Tours,
};

/// The sweeps that answer a question.
#[derive(Clone, Debug)]
pub struct Sweeps {
    field: Field,
    tours: Vec<Tours>,
    /// Into how many parts each is cut.
    parts: u32,
}

impl Sweeps {
    /// The sweeps of a question.
    #[must_use]
    pub fn new(question: &Question) -> Self {
        let request = question.request();
        Self {
            field: Field::board(&request.board, request.leaper),
            tours: cost::sweeps(request),
            parts: request.parts,
        }
    }

    /// How many sweeps, each part for itself. Part r of any sweep has a number that is r modulo the parts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tours.len() * self.parts as usize
    }

    /// A name of what the units are. Parts are made by a plan that was searched for: where it came out
    /// otherwise, they do not add up.
    #[must_use]
    pub fn name(&self) -> String {
        let plans: Vec<_> = match self.parts {
            1 => Vec::new(),
            _ => {
                let options = Options::default();
                self.tours.iter().map(|&t| frontier::plan_digest(&self.field, t, &options)).collect()
            }
        };
        format!("{:?} in {} parts by {plans:?}", self.tours, self.parts)
    }

    /// Makes a sweep with at most `memory` bytes; without a ceiling, nine tenths of what is available.
    /// What does not fit goes where `rest` lends room.
    ///
    /// # Errors
    /// The sweep does not fit, or the control was cancelled.
    pub fn run(
        &self,
        number: usize,
        question: &Question,
        memory: Option<u64>,
        control: &Control,
        rest: &dyn Rest,
    ) -> Result<UnitSums, CountError> {
        let parts = self.parts as usize;
        let tours = self.tours[number / parts];
        let memory = memory.or_else(cpu::memory_ceiling);
        let cut = (parts > 1).then(|| Cut { index: (number % parts) as u32, count: self.parts });
        let options = Options { memory, cut, allocator: control.allocator(), ..Options::default() };
        let from = rest.from(number);
        if from.is_none() {
            self.check_memory(tours, question, &options, control, rest)?;
        }
        let mut watch = Watch { control, rest, unit: number, name: name(tours) };
        let storage = Storage { store: rest.store(), rests: rest.rests(), from, peers: rest.peers() };
        let outcome = frontier::count_stored(&self.field, tours, &options, storage, &mut watch)?;
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
        control: &Control,
        rest: &dyn Rest,
    ) -> Result<(), CountError> {
        let seconds = cost::sweep_seconds(question.request());
        // How much less a part needs is not known before it is tried.
        let whole = options.cut.is_none();
        let (Some(ceiling), Some(1.0..1000.0), true) = (options.memory, seconds, whole) else {
            return Ok(());
        };
        let Some(estimate) = frontier::estimate(&self.field, tours, options)? else { return Ok(()) };
        // A rank has its part of the layers, and all of the tables.
        let ranks = rest.peers().map_or(1, |peers| peers.size() as u64);
        let peak = estimate.fixed_bytes + (estimate.peak_bytes - estimate.fixed_bytes) / ranks;
        let (peak, ceiling, room) = hardest(rest.peers(), (peak, ceiling, rest.room()))?;
        control.log(|| {
            format!(
                "{}: about {:.0} MB of at most {:.0} MB, {:.0} s by estimate",
                name(tours),
                peak as f64 / 1e6,
                ceiling as f64 / 1e6,
                estimate.seconds
            )
        });
        // Estimates are a little high; what is in doubt may try.
        if peak / 5 * 4 <= ceiling {
            return Ok(());
        }
        // What does not fit is stored; zeros and small weights take less room there.
        let outside = peak - ceiling;
        match room {
            _ if rest.store().is_none() => Err(CountError::TooMuchMemory { needed: peak, ceiling }),
            Some(room) if outside / 2 > room => Err(CountError::TooMuchDisk { needed: outside, room }),
            _ => Ok(()),
        }
    }
}

/// The greatest need, the least memory and the least room on disk of any rank: all have to come to the same
/// decision.
fn hardest(
    peers: Option<&dyn Peers>,
    (peak, ceiling, room): (u64, u64, Option<u64>),
) -> Result<(u64, u64, Option<u64>), CountError> {
    let Some(peers) = peers else { return Ok((peak, ceiling, room)) };
    let all = frontier::consult(peers, &Ok((peak, ceiling, room)))
        .map_err(|error| CountError::lost(error.to_string()))?;
    let mut hardest = (peak, ceiling, room);
    for other in all {
        let (peak, ceiling, room) = other.map_err(CountError::lost)?;
        let least = room.into_iter().chain(hardest.2).min();
        hardest = (hardest.0.max(peak), hardest.1.min(ceiling), least);
    }
    Ok(hardest)
}

const fn name(tours: Tours) -> &'static str {
    match tours {
        Tours::Closed => "closed",
        Tours::Paths => "paths",
        Tours::From(_) => "from a square",
        Tours::Between(..) => "between two squares",
    }
}

/// Passes a sweep's steps on to the control.
pub(super) struct Watch<'a> {
    control: &'a Control,
    rest: &'a dyn Rest,
    unit: usize,
    name: &'static str,
}

/// No room outside memory, and no rest: for sweeps of seconds.
struct Restless;

impl Rest for Restless {}

impl<'a> Watch<'a> {
    /// Reports on a sweep of that name, which is never saved.
    pub(super) const fn new(control: &'a Control, name: &'static str) -> Self {
        Self { control, rest: &Restless, unit: 0, name }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        let StepReport { step, steps, states, weights, transitions, .. } = report;
        self.control.sweep_step(*step, *steps, *states, report.bytes);
        self.control.log(|| {
            format!(
                "{} step {step} of {steps}: frontier {}, {states} states in {weights} weights of up to {} bits, {transitions} transitions, {} signatures ({} pruned, {} folded), {:.1} MB and {:.1} MB stored, {:.3} s{}",
                self.name,
                report.frontier,
                report.weight_bits,
                report.signatures,
                report.pruned,
                report.folded,
                report.bytes as f64 / 1e6,
                report.stored as f64 / 1e6,
                report.seconds,
                match self.rest.peers() {
                    Some(_) => format!(", {:.1} MB sent", report.sent as f64 / 1e6),
                    None => String::new(),
                }
            )
        });
        if self.control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pulse(&mut self) -> Pulse {
        match () {
            () if self.control.is_cancelled() => Pulse::Stop,
            () if self.rest.is_due() => Pulse::Save,
            () => Pulse::Go,
        }
    }

    fn resting(&mut self) {
        self.rest.resting();
    }

    fn save(&mut self, snapshot: &Snapshot) {
        self.rest.save(self.unit, snapshot);
    }

    fn not_saved(&mut self, why: &str) {
        self.rest.not_saved(why);
    }
}
