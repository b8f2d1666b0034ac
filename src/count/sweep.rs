//! The sweeps of a job, each a unit of work.
//!
//! Sweeps run one after the other, because each uses all threads and much memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex};

use super::ledger::{Ledger, Sitting};
use super::room::Room;
use super::sums::{EndSum, UnitSums};
use super::tally::Tally;
use super::watch::Watch;
use super::{CountError, Question, cost};
use crate::control::Control;
use crate::encoder::Encoder;
use crate::frontier::{self, Cancel, Cut, Ends, Estimate, Field, Modulus, Options, Outcome, Prepared, Tours};
use crate::lock::lock;
use crate::search::workers::Stopped;

/// Version of the bytes of [`Sweeps::name`].
const NAME_VERSION: u8 = 1;

/// Default limit, in seconds, for the dry run of a sweep.
const PATIENCE: f64 = 2.0;

/// Limit for the dry run as a fraction of the sweep's estimated time, which applies if it exceeds the
/// default; and the maximum in seconds.
const PATIENT: (f64, f64) = (0.1, 30.0);

/// Minimum limit, in seconds, for the dry run of a sweep whose rough estimate is unreliable: the board is not
/// a rectangle, or memory is short.
const VAGUE: f64 = 10.0;

/// Seconds of a sweep that needs no dry run if it fits into memory several times, and that number of times.
const AT_ONCE: (f64, u64) = (45.0, 3);

/// The sweeps that answer a request.
#[derive(Clone, Debug)]
pub struct Sweeps {
    field: Field,
    tours: Vec<Tours>,
    /// Plans of the sweeps, made when first needed.
    planned: Vec<Arc<Mutex<Planned>>>,
    /// Limit for dry runs in seconds, if one was set.
    patience: Option<f64>,
    /// Number of shards of each sweep.
    parts: u32,
    /// One-sided or two-sided sweeps.
    ends: Ends,
    /// Modulus of the counts.
    modulo: Option<Modulus>,
}

/// Results of planning one sweep.
#[derive(Debug, Default)]
struct Planned {
    prepared: Option<Prepared>,
    /// Memory limit of the estimate, and the estimate.
    estimate: Option<(Option<u64>, Estimate)>,
    /// Plan with the tables that the estimate has built, until the sweep starts.
    ready: Option<Prepared>,
}

impl Sweeps {
    /// Creates the sweeps of a request.
    #[must_use]
    pub fn new(question: &Question) -> Self {
        let request = question.request();
        let tours = cost::sweeps(request);
        Self {
            field: Field::of(&request.arena),
            planned: tours.iter().map(|_| Arc::default()).collect(),
            patience: None,
            tours,
            parts: request.parts,
            ends: if request.parts > 1 { Ends::One } else { Ends::Auto },
            modulo: request.modulus.map(Into::into),
        }
    }

    /// Sets the limit for dry runs in seconds.
    #[must_use]
    pub fn with_patience(self, seconds: f64) -> Self {
        Self { patience: Some(seconds), ..self }
    }

    /// Makes all sweeps one-sided. Sweeps shared by ranks must be.
    #[must_use]
    pub fn one_ended(self) -> Self {
        let planned = self.tours.iter().map(|_| Arc::default()).collect();
        Self { planned, ends: Ends::One, ..self }
    }

    /// Returns the number of units: each shard of each sweep is one. The number of shard r of any sweep is r
    /// modulo the number of shards.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tours.len() * self.parts as usize
    }

    /// Returns the index of the sweep that a unit belongs to.
    #[must_use]
    pub fn sweep_of(&self, unit: usize) -> usize {
        unit / self.parts as usize
    }

    /// Returns bytes that identify the units if they depend on more than the request, for the digest of the job.
    /// Shards depend on the order of the squares found by the planner: shards of different orders do not add up.
    /// Whole sweeps give equal counts for any order.
    ///
    /// The bytes are made by [`Encoder`]: [`NAME_VERSION`], the list of tours, the number of shards, and the digest
    /// of the plan for each entry of the list, or nothing if there is no plan.
    #[must_use]
    pub fn name(&self) -> Option<Vec<u8>> {
        if self.parts == 1 {
            return None;
        }
        // Shards belong to one-sided sweeps.
        let options = Options { ends: Ends::One, ..self.options(None) };
        let digest = |i| self.prepared(i, &options).ok().map(|prepared| prepared.plan_digest());
        let mut name = Encoder::new(NAME_VERSION);
        name.list(&self.tours, |to, tours| tours.encode(to));
        name.number(self.parts.into());
        (0..self.tours.len()).for_each(|i| name.option(digest(i), Encoder::number));
        Some(name.into_bytes())
    }

    /// Returns the plan of a sweep with the given options, and makes it at the first call.
    fn prepared(&self, index: usize, options: &Options) -> Result<Prepared, frontier::Error> {
        let mut planned = lock(&self.planned[index]);
        let prepared = match planned.prepared.take() {
            Some(prepared) => prepared,
            None => {
                let (cancel, ends) = (options.cancel.clone(), options.ends);
                let whole = Options { cancel, ends, ..Options::default() };
                Prepared::new(&self.field, self.tours[index], &whole)?
            }
        };
        Ok(planned.prepared.insert(prepared).clone().with(options))
    }

    /// Returns the plan and the estimate of a whole sweep under the memory limit of the options. The estimate
    /// is made once; the first call returns the plan with the tables built by the dry run. Returns `None` if
    /// the control was cancelled.
    fn sized(
        &self,
        index: usize,
        options: &Options,
    ) -> Result<Option<(Prepared, Estimate)>, frontier::Error> {
        let mut prepared = self.prepared(index, options)?;
        let mut planned = lock(&self.planned[index]);
        if let Some((_, estimate)) = planned.estimate.as_ref().filter(|(memory, _)| *memory == options.memory)
        {
            let estimate = estimate.clone();
            let ready = planned.ready.take().map(|ready| ready.with(options));
            return Ok(Some((ready.unwrap_or(prepared), estimate)));
        }
        planned.ready = None;
        let outlook = prepared.outlook();
        let is_small = outlook.seconds - outlook.planning < AT_ONCE.0
            && options.memory.is_none_or(|memory| outlook.peak_bytes < memory / AT_ONCE.1);
        let estimate = match options.cut {
            None if !is_small || self.patience.is_some() => {
                // If memory is short, the size of a working set decides whether the sweep is possible at all.
                let is_tight = options.memory.is_some_and(|memory| outlook.peak_bytes > memory);
                let least = if outlook.is_vague || is_tight { VAGUE } else { PATIENCE };
                let patience = (outlook.seconds * PATIENT.0).clamp(least, PATIENT.1);
                prepared.forecast(self.patience.unwrap_or(patience))
            }
            _ => Some(outlook),
        };
        let Some(estimate) = estimate else { return Ok(None) };
        planned.estimate = Some((options.memory, estimate.clone()));
        Ok(Some((prepared, estimate)))
    }

    /// Returns the estimates of the sweeps of these units, by index of the sweep. Each sweep is estimated as
    /// a whole, with at most `memory` bytes of layers in memory.
    ///
    /// # Errors
    /// A frontier is too wide for any sweep, or the control was cancelled.
    pub fn estimates(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        let mut is_first = true;
        self.of_each(units, memory, control, |index, options| {
            let (prepared, estimate) = self.sized(index, options)?.ok_or(Stopped)?;
            // The tables of the next sweep stay in memory; those of all sweeps would take too much.
            if std::mem::take(&mut is_first) {
                lock(&self.planned[index]).ready = Some(prepared);
            }
            Ok(estimate)
        })
    }

    /// Returns rough estimates of the sweeps of these units, from the order of the squares alone. Cost: the
    /// planning.
    ///
    /// # Errors
    /// As for [`SweepUnits::estimates`].
    pub fn outlooks(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        self.of_each(units, memory, control, |index, options| Ok(self.prepared(index, options)?.outlook()))
    }

    /// Returns an estimate for each sweep of these units, each made once.
    fn of_each(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
        mut of: impl FnMut(usize, &Options) -> Result<Estimate, CountError>,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        control.planning();
        let options = Options { cancel: Cancel::from(control.flag()), ..self.options(memory) };
        let mut all = BTreeMap::new();
        for index in units.iter().map(|&unit| self.sweep_of(unit as usize)) {
            if let Entry::Vacant(place) = all.entry(index) {
                place.insert(of(index, &options)?);
            }
        }
        Ok(all)
    }

    /// Returns the expected seconds of the steps of each unit, or `None` before the units are estimated.
    /// Units not listed in `units` have zero seconds.
    #[must_use]
    pub fn seconds(&self, units: &[u32]) -> Option<Vec<f64>> {
        let mut seconds = vec![0.0; self.count()];
        for &unit in units {
            let planned = lock(&self.planned[self.sweep_of(unit as usize)]);
            seconds[unit as usize] = planned.estimate.as_ref()?.1.step_seconds.iter().sum();
        }
        Some(seconds)
    }

    /// Runs a unit with at most `memory` bytes; default: nine tenths of the available memory. Layers that do
    /// not fit are spilled to the store that the observer provides. If `is_forced` is true, the sweep starts
    /// even if its estimate exceeds memory and disk.
    ///
    /// # Errors
    /// The sweep does not fit, or the control was cancelled.
    pub fn run(
        &self,
        number: usize,
        question: &Question,
        (memory, is_forced): (Option<u64>, bool),
        control: &Control,
        ledger: &dyn Ledger,
    ) -> Result<UnitSums, CountError> {
        let index = self.sweep_of(number);
        let tours = self.tours[index];
        // The available memory changes from moment to moment; the limit of the estimate applies.
        let told = || lock(&self.planned[index]).estimate.as_ref().and_then(|(memory, _)| *memory);
        let memory = memory.or_else(told).or_else(crate::memory::ceiling);
        let part = number % self.parts as usize;
        let cut = (self.parts > 1).then_some(Cut { index: part as u32, count: self.parts });
        let mut sitting = ledger.sitting(number, Watch::new(control, name(tours)));
        // Ranks stop together: a cancellation of one rank during its planning reaches all ranks when the
        // sweep starts.
        let cancel = match sitting.storage.peers {
            Some(_) => Cancel::default(),
            None => Cancel::from(control.flag()),
        };
        let mut options = Options { cut, cancel, allocator: control.allocator(), ..self.options(memory) };
        if sitting.storage.peers.is_some() {
            options.ends = Ends::One;
        }
        control.planning();
        let (prepared, estimate) = match &sitting.storage.from {
            Some(from) => {
                let prepared = Prepared::resume(&self.field, tours, &options, from)?;
                let estimate = prepared.outlook();
                (prepared, estimate)
            }
            None => {
                let sized = self.sized(index, &options)?.ok_or(Stopped)?;
                if !is_forced && cut.is_none() {
                    check_room(&sized.1, tours, &options, control, &sitting)?;
                }
                sized
            }
        };
        control
            .sweep_begins(&estimate.step_seconds, sitting.storage.from.as_ref().map_or(0, |from| from.step));
        let Sitting { storage, ref mut observer, .. } = sitting;
        let outcome = prepared.sweep(storage, observer.as_mut())?;
        Ok(found(question, tours, outcome))
    }

    /// Returns the options of a sweep under a memory limit.
    fn options(&self, memory: Option<u64>) -> Options {
        Options { memory, modulo: self.modulo, ends: self.ends, ..Options::default() }
    }
}

/// Rejects a sweep that does not fit, before it starts. Shards are not checked here; they stop when they
/// reach the memory limit.
fn check_room(
    estimate: &Estimate,
    tours: Tours,
    options: &Options,
    control: &Control,
    sitting: &Sitting,
) -> Result<(), CountError> {
    let peers = sitting.storage.peers;
    let estimate = estimate.clone().shared(peers.map_or(1, |peers| peers.size() as u64));
    let ceiling = options.memory.unwrap_or(u64::MAX);
    let room = Room {
        peak: estimate.peak_bytes,
        is_exact: estimate.is_exact,
        ceiling,
        outside: estimate.outside(ceiling).bytes,
        has_store: sitting.storage.store.is_some(),
        free: sitting.room,
    };
    let room = room.hardest(peers)?;
    control.log(|| {
        format!(
            "{}: about {:.0} MB of at most {:.0} MB, {:.0} s by estimate",
            name(tours),
            room.peak as f64 / 1e6,
            room.ceiling as f64 / 1e6,
            estimate.seconds
        )
    });
    room.check()
}

/// Returns the sums of a unit from the outcome of its sweep.
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
