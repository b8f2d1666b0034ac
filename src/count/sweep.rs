//! The sweeps of a job, each a unit of work.
//!
//! Sweeps use all threads and much memory, so they come one after the other.

use std::sync::OnceLock;

use super::ledger::{Ledger, Sitting};
use super::sums::{EndSum, UnitSums};
use super::tally::Tally;
use super::watch::Watch;
use super::{CountError, Question, cost};
use crate::control::Control;
use crate::frontier::{self, Cut, Field, Options, Outcome, Peers, Prepared, Tours};

/// The sweeps that answer a question.
#[derive(Clone, Debug)]
pub struct Sweeps {
    field: Field,
    tours: Vec<Tours>,
    /// The plan of each, once it is made.
    prepared: Vec<OnceLock<Prepared>>,
    /// Into how many parts each is cut.
    parts: u32,
}

impl Sweeps {
    /// The sweeps of a question.
    #[must_use]
    pub fn new(question: &Question) -> Self {
        let request = question.request();
        let tours = cost::sweeps(request);
        Self {
            field: Field::of(&request.arena),
            prepared: tours.iter().map(|_| OnceLock::new()).collect(),
            tours,
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
            _ => (0..self.tours.len()).map(|i| self.prepared(i).map(Prepared::plan_digest)).collect(),
        };
        format!("{:?} in {} parts by {plans:?}", self.tours, self.parts)
    }

    /// The plan of a sweep, made when it is first asked for.
    fn prepared(&self, index: usize) -> Result<&Prepared, frontier::Error> {
        if let Some(prepared) = self.prepared[index].get() {
            return Ok(prepared);
        }
        let prepared = Prepared::new(&self.field, self.tours[index], &Options::default())?;
        Ok(self.prepared[index].get_or_init(|| prepared))
    }

    /// Makes a sweep with at most `memory` bytes; without a ceiling, nine tenths of what is available.
    /// What does not fit goes where the ledger lends room.
    ///
    /// # Errors
    /// The sweep does not fit, or the control was cancelled.
    pub fn run(
        &self,
        number: usize,
        question: &Question,
        memory: Option<u64>,
        control: &Control,
        ledger: &dyn Ledger,
    ) -> Result<UnitSums, CountError> {
        let parts = self.parts as usize;
        let tours = self.tours[number / parts];
        let memory = memory.or_else(crate::memory::ceiling);
        let cut = (parts > 1).then(|| Cut { index: (number % parts) as u32, count: self.parts });
        let options = Options { memory, cut, allocator: control.allocator(), ..Options::default() };
        let mut sitting = ledger.sitting(number, Watch::new(control, name(tours)));
        let prepared = match &sitting.storage.from {
            Some(from) => Prepared::resume(&self.field, tours, &options, from)?,
            None => {
                let mut prepared = self.prepared(number / parts)?.clone().with(&options);
                check_memory(&mut prepared, tours, question, &options, control, &sitting)?;
                prepared
            }
        };
        let Sitting { storage, ref mut observer, .. } = sitting;
        let outcome = prepared.sweep(storage, observer.as_mut())?;
        Ok(found(question, tours, outcome))
    }
}

/// Refuses a long sweep that will not fit before it begins. Short ones, and those too wide for an estimate,
/// are stopped by the ceiling when they reach it.
fn check_memory(
    prepared: &mut Prepared,
    tours: Tours,
    question: &Question,
    options: &Options,
    control: &Control,
    sitting: &Sitting,
) -> Result<(), CountError> {
    let seconds = cost::sweep_seconds(question.request());
    // How much less a part needs is not known before it is tried.
    let whole = options.cut.is_none();
    let (Some(ceiling), Some(1.0..1000.0), true) = (options.memory, seconds, whole) else {
        return Ok(());
    };
    let Some(estimate) = prepared.estimate() else { return Ok(()) };
    let peers = sitting.storage.peers;
    // A rank has its part of the layers, and all of the tables.
    let ranks = peers.map_or(1, |peers| peers.size() as u64);
    let peak = estimate.fixed_bytes + (estimate.peak_bytes - estimate.fixed_bytes) / ranks;
    let (peak, ceiling, room) = hardest(peers, (peak, ceiling, sitting.room))?;
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
        _ if sitting.storage.store.is_none() => Err(CountError::TooMuchMemory { needed: peak, ceiling }),
        Some(room) if outside / 2 > room => Err(CountError::TooMuchDisk { needed: outside, room }),
        _ => Ok(()),
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

/// What a sweep found, where the sums have a place for it.
pub(super) fn found(question: &Question, tours: Tours, outcome: Outcome) -> UnitSums {
    let tally = Tally {
        nodes: outcome.totals.states,
        visited: outcome.totals.transitions,
        peak_states: outcome.totals.peak_states,
    };
    let unit = UnitSums { tally, ..UnitSums::default() };
    let request = question.request();
    let (count, is_fixed) = (outcome.count, request.start.is_some() || request.end.is_some());
    match tours {
        Tours::Closed => UnitSums { closed: count, ..unit },
        Tours::From(v) if !is_fixed => {
            let orbit = question.orbit_of(v as u32);
            let count = count * question.orbits()[orbit].len();
            let ends = EndSum { orbits: (orbit, orbit), re_entrant: false, count, directed: true };
            UnitSums { paths: vec![ends], ..unit }
        }
        Tours::Paths | Tours::From(_) | Tours::Between(..) => UnitSums { unplaced: count, ..unit },
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
