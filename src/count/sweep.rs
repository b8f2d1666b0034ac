//! The sweeps of a job, each a unit of work.
//!
//! Sweeps use all threads and much memory, so they come one after the other.

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

/// Seconds that finding out how long a sweep will take may take, unless told otherwise.
const PATIENCE: f64 = 2.0;

/// The same as a part of the sweep's own time, if that is more, and at most.
const PATIENT: (f64, f64) = (0.1, 30.0);

/// The same for a sweep whose order tells little of it: no rectangle, or not room for all.
const VAGUE: f64 = 10.0;

/// A sweep of so many seconds is not worth a dry run, if it fits so many times.
const AT_ONCE: (f64, u64) = (45.0, 3);

/// The sweeps that answer a question.
#[derive(Clone, Debug)]
pub struct Sweeps {
    field: Field,
    tours: Vec<Tours>,
    /// The plan of each, once it is made.
    planned: Vec<Arc<Mutex<Planned>>>,
    /// Seconds that a dry run may take, if that was said.
    patience: Option<f64>,
    /// Into how many parts each is cut.
    parts: u32,
    /// Where they begin.
    ends: Ends,
    /// What is counted modulo.
    modulo: Option<Modulus>,
}

/// What is known of a sweep before it begins.
#[derive(Debug, Default)]
struct Planned {
    prepared: Option<Prepared>,
    /// For this ceiling.
    estimate: Option<(Option<u64>, Estimate)>,
    /// The plan with the tables that the estimate has made, until the sweep begins.
    ready: Option<Prepared>,
}

impl Sweeps {
    /// The sweeps of a question.
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

    /// The same sweeps, whose dry runs may take so many seconds.
    #[must_use]
    pub fn with_patience(self, seconds: f64) -> Self {
        Self { patience: Some(seconds), ..self }
    }

    /// The same sweeps from one end, as those that ranks share are.
    #[must_use]
    pub fn one_ended(self) -> Self {
        let planned = self.tours.iter().map(|_| Arc::default()).collect();
        Self { planned, ends: Ends::One, ..self }
    }

    /// How many sweeps, each part for itself. Part r of any sweep has a number that is r modulo the parts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tours.len() * self.parts as usize
    }

    /// Which sweep a unit is, or is a part of.
    #[must_use]
    pub fn sweep_of(&self, unit: usize) -> usize {
        unit / self.parts as usize
    }

    /// Bytes that say what the units are, if they depend on anything but the request. Parts are made by a plan that was
    /// searched for: where it came out otherwise, they do not add up. A whole sweep is the same by any plan.
    ///
    /// The bytes are written by hand, see [`Encoder`]: [`NAME_VERSION`], the list of tours, the number of parts, and
    /// the digest of the plan for each of the tours, or nothing if there is no plan.
    #[must_use]
    pub fn name(&self) -> Option<Vec<u8>> {
        if self.parts == 1 {
            return None;
        }
        // Parts begin at one end.
        let options = Options { ends: Ends::One, ..self.options(None) };
        let digest = |i| self.prepared(i, &options).ok().map(|prepared| prepared.plan_digest());
        let mut name = Encoder::new(NAME_VERSION);
        name.list(&self.tours, |to, tours| tours.encode(to));
        name.number(self.parts.into());
        (0..self.tours.len()).for_each(|i| name.option(digest(i), Encoder::number));
        Some(name.into_bytes())
    }

    /// The plan of a sweep, made when it is first asked for, under the options.
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

    /// What a whole sweep will take under a ceiling, and its plan, with the tables that telling so has made; told
    /// once. `None` if the control was cancelled.
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
                // Where not all has room, what a chunk takes decides whether it can be done at all.
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

    /// What the sweeps of these units will take whole, each told once, with layers in memory as far as `memory`
    /// bytes allow: by number of the sweep.
    ///
    /// # Errors
    /// A frontier that is too wide for any sweep; the control was cancelled.
    pub fn estimates(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        let mut is_first = true;
        self.of_each(units, memory, control, |index, options| {
            let (prepared, estimate) = self.sized(index, options)?.ok_or(Stopped)?;
            // The tables of the sweep that is next may wait; those of all would take too much memory.
            if std::mem::take(&mut is_first) {
                lock(&self.planned[index]).ready = Some(prepared);
            }
            Ok(estimate)
        })
    }

    /// The same from the order of the squares alone, at once but for planning.
    ///
    /// # Errors
    /// As for [`Sweeps::estimates`].
    pub fn outlooks(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        self.of_each(units, memory, control, |index, options| Ok(self.prepared(index, options)?.outlook()))
    }

    /// An estimate for each of the sweeps of these units, each made once.
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

    /// Seconds that the steps of each unit are expected to take, once estimates of these units are known; nothing
    /// for others.
    #[must_use]
    pub fn seconds(&self, units: &[u32]) -> Option<Vec<f64>> {
        let mut seconds = vec![0.0; self.count()];
        for &unit in units {
            let planned = lock(&self.planned[self.sweep_of(unit as usize)]);
            seconds[unit as usize] = planned.estimate.as_ref()?.1.step_seconds.iter().sum();
        }
        Some(seconds)
    }

    /// Makes a sweep with at most `memory` bytes; without a ceiling, nine tenths of what is available.
    /// What does not fit goes where the ledger lends room. `is_forced` says that it may begin even if it will not
    /// fit by estimate.
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
        // What is available changes from one moment to the next; the estimate was for what there was.
        let told = || lock(&self.planned[index]).estimate.as_ref().and_then(|(memory, _)| *memory);
        let memory = memory.or_else(told).or_else(crate::memory::ceiling);
        let part = number % self.parts as usize;
        let cut = (self.parts > 1).then_some(Cut { index: part as u32, count: self.parts });
        let mut sitting = ledger.sitting(number, Watch::new(control, name(tours)));
        // Ranks stop together: what one of them is told while it plans, all are told of when the sweep begins.
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

    /// Options of a sweep under a ceiling.
    fn options(&self, memory: Option<u64>) -> Options {
        Options { memory, modulo: self.modulo, ends: self.ends, ..Options::default() }
    }
}

/// Refuses a sweep that will not fit before it begins. Parts are stopped by the ceiling when they reach it.
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
