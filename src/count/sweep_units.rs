//! The units of a job that is done by sweeps: each sweep, or each shard of a sweep, is one unit.
//!
//! Sweeps run one after the other, because each uses all threads and much memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex};

use super::engine_cost::{self, RequiredSweep};
use super::partial_sums::{Effort, EndOrbitCount, UnitSums};
use super::run_observer::{RunObserver, SweepProgress, SweepSession};
use super::{CountError, ValidatedRequest};
use crate::budget::{Budget, DiskBudget, Refusal, Remedy, Requirements, Shortage};
use crate::control::Control;
use crate::encoder::Encoder;
use crate::frontier;
use crate::frontier::{
    Cancel, Communicator, Estimate, Modulus, Options, Outcome, PreparedSweep, ResidueRing, SweepGraph,
    SweepShard, SweepSides, Tours, allgather_results,
};
use crate::lock::lock;
use crate::memory;
use crate::search::unit_runner::Stopped;

/// Version of the byte format of [`SweepUnits::units_identity`].
const NAME_VERSION: u8 = 2;

/// The sweeps that answer a request.
#[derive(Clone, Debug)]
pub struct SweepUnits {
    sweeps: Vec<RequiredSweep>,
    /// Plans of the sweeps, made when first needed.
    plans: Vec<Arc<Mutex<SweepPlan>>>,
    /// Least limit for each dry run in seconds, if one was set.
    dry_run_seconds: Option<f64>,
    /// Number of shards of each sweep.
    shards: u32,
    /// Whether the sweeps run from one end of the vertex order or from both ends.
    sides: SweepSides,
    /// Modulus of the counts, if residues are counted.
    modulus: Option<Modulus>,
}

/// A memory limit in bytes and a shard.
type EstimateKey = (Option<u64>, Option<SweepShard>);

/// Results of planning one sweep.
#[derive(Debug, Default)]
struct SweepPlan {
    prepared: Option<PreparedSweep>,
    /// The memory limit and the shard for which the estimate was made, and the estimate.
    estimate: Option<(EstimateKey, Estimate)>,
    /// The plan with the tables that the estimate has built; held until the sweep starts.
    with_tables: Option<PreparedSweep>,
}

impl SweepUnits {
    /// Creates the units for the sweeps of a request.
    #[must_use]
    pub fn new(validated: &ValidatedRequest) -> Self {
        let request = validated.request();
        let sweeps = engine_cost::required_sweeps(request);
        Self {
            plans: sweeps.iter().map(|_| Arc::default()).collect(),
            dry_run_seconds: None,
            sweeps,
            shards: request.shards,
            sides: SweepSides::Auto,
            modulus: request.modulus.map(Into::into),
        }
    }

    /// Sets the least limit for each dry run, in seconds. A long sweep has a greater limit. Discards the
    /// estimates that are not those of a complete dry run; the plans stay.
    #[must_use]
    pub fn with_dry_run_seconds(self, seconds: f64) -> Self {
        for plan in &self.plans {
            lock(plan).estimate.take_if(|(_, estimate)| !estimate.is_exact);
        }
        Self { dry_run_seconds: Some(seconds), ..self }
    }

    /// Frees the tables that estimates have built; the plans stay.
    pub fn drop_tables(&self) {
        self.plans.iter().for_each(|plan| lock(plan).with_tables = None);
    }

    /// Returns the units of the same sweeps in `shards` shards each, and modulo `modulus` if it is given. They begin with
    /// copies of the plans that have been made, and without estimates.
    #[must_use]
    pub(super) fn divided(&self, shards: u32, modulus: Option<ResidueRing>) -> Self {
        let copy = |plan: &Arc<Mutex<SweepPlan>>| {
            let prepared = lock(plan).prepared.clone();
            Arc::new(Mutex::new(SweepPlan { prepared, ..SweepPlan::default() }))
        };
        let modulus = modulus.map(Into::into).or(self.modulus);
        Self { plans: self.plans.iter().map(copy).collect(), shards, modulus, ..self.clone() }
    }

    /// Returns a rough number of bits of the greatest count of the sweeps.
    ///
    /// # Errors
    /// A frontier is too wide for any sweep, or the control was cancelled.
    pub(super) fn rough_count_bits(&self, control: &Control) -> Result<u32, CountError> {
        let options = Options { cancel: Cancel::from(control.cancel_flag()), ..self.options(None) };
        let bits = (0..self.sweeps.len()).map(|index| Ok(self.prepare(index, &options)?.rough_count_bits()));
        bits.collect::<Result<Vec<u32>, CountError>>().map(|bits| bits.into_iter().max().unwrap_or(0))
    }

    /// Makes all sweeps run from one end of the vertex order only. Sweeps shared by ranks require
    /// this.
    #[must_use]
    pub fn one_sided(self) -> Self {
        let planned = self.sweeps.iter().map(|_| Arc::default()).collect();
        Self { plans: planned, sides: SweepSides::One, ..self }
    }

    /// Returns the number of units. Each shard of each sweep is a unit, and the shard's index is
    /// the number of the unit modulo the number of shards.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.sweeps.len() * self.shards as usize
    }

    /// Returns the index of the sweep to which a unit belongs.
    #[must_use]
    pub fn sweep_index(&self, unit: usize) -> usize {
        unit / self.shards as usize
    }

    /// Returns the shard of a sweep that is counted by a unit; `None` if the unit is a whole sweep.
    fn shard_of(&self, unit: usize) -> Option<SweepShard> {
        let index = (unit % self.shards as usize) as u32;
        (self.shards > 1).then_some(SweepShard { index, count: self.shards })
    }

    /// Returns bytes that identify the units, for the digest of the job, or `None` if the units
    /// depend on the request alone. Shards also depend on the order of the squares found by the
    /// planner: shards of different orders do not add up. Whole sweeps give equal counts for any
    /// order.
    ///
    /// The bytes are made by [`Encoder`]: [`NAME_VERSION`], the list of tours, the number of
    /// shards, and the digest of the plan for each entry of the list, or nothing if there is no
    /// plan.
    #[must_use]
    pub fn units_identity(&self) -> Option<Vec<u8>> {
        if self.shards == 1 {
            return None;
        }
        let shard = Some(SweepShard { index: 0, count: self.shards });
        let options = Options { shard, ..self.options(None) };
        let digest = |i| self.prepare(i, &options).ok().map(|prepared| prepared.plan_digest());
        let mut name = Encoder::new(NAME_VERSION);
        name.list(&self.sweeps, |to, sweep| sweep.tours.encode(to));
        name.number(self.shards.into());
        (0..self.sweeps.len()).for_each(|i| name.option(digest(i), Encoder::number));
        Some(name.into_bytes())
    }

    /// Returns the plan of the sweep at `index` with the given options. The first call for a sweep
    /// makes its plan.
    fn prepare(&self, index: usize, options: &Options) -> Result<PreparedSweep, frontier::Error> {
        let mut planned = lock(&self.plans[index]);
        let prepared = match planned.prepared.take() {
            Some(prepared) => prepared,
            None => {
                let (cancel, ends) = (options.cancel.clone(), options.sides);
                let whole = Options { cancel, sides: ends, ..Options::default() };
                let RequiredSweep { board, tours, .. } = &self.sweeps[index];
                PreparedSweep::new(&SweepGraph::from_board(board), *tours, &whole)?
            }
        };
        Ok(planned.prepared.insert(prepared).clone().with_options(options))
    }

    /// Returns the plan and the estimate of the sweep at `index`, or of its shard, under the memory limit of the
    /// options. The estimate is kept until it is made for another shard, or without a dry run for another limit. The first
    /// call after it returns the plan with the tables that the dry run has built. Returns `None` if the control was
    /// cancelled.
    fn prepare_and_estimate(
        &self,
        index: usize,
        options: &Options,
    ) -> Result<Option<(PreparedSweep, Estimate)>, frontier::Error> {
        let mut prepared = self.prepare(index, options)?;
        let mut planned = lock(&self.plans[index]);
        let wanted = (options.memory, options.shard);
        let is_valid = |(key, estimate): &&(EstimateKey, Estimate)| {
            *key == wanted || estimate.is_exact && key.1 == wanted.1
        };
        if let Some((_, estimate)) = planned.estimate.as_ref().filter(is_valid) {
            let estimate = estimate.clone().with_ceiling(options.memory);
            let with_tables = planned.with_tables.take().map(|tables| tables.with_options(options));
            return Ok(Some((with_tables.unwrap_or(prepared), estimate)));
        }
        planned.with_tables = None;
        let Some(estimate) = prepared.estimate_before_run(self.dry_run_seconds) else { return Ok(None) };
        planned.estimate = Some((wanted, estimate.clone()));
        Ok(Some((prepared, estimate)))
    }

    /// Returns the estimates of the sweeps to which `units` belong, by index of the sweep, with at most `memory` bytes
    /// of layers in memory. Of several shards of a sweep, the first is estimated.
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
        self.estimate_each(units, memory, control, |index, options| {
            let (prepared, estimate) = self.prepare_and_estimate(index, options)?.ok_or(Stopped)?;
            // The tables of the next sweep stay in memory; those of all sweeps would take too much.
            if std::mem::take(&mut is_first) {
                lock(&self.plans[index]).with_tables = Some(prepared);
            }
            Ok(estimate)
        })
    }

    /// Returns rough estimates of the sweeps to which `units` belong, by index of the sweep, from
    /// the order of the squares alone. Cost: the planning of the sweeps.
    ///
    /// # Errors
    /// As for [`SweepUnits::estimates`].
    pub fn rough_estimates(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        self.estimate_each(units, memory, control, |index, options| {
            Ok(self.prepare(index, options)?.rough_estimate())
        })
    }

    /// Calls `estimate` once for each sweep to which `units` belong, and returns the estimates by
    /// index of the sweep.
    fn estimate_each(
        &self,
        units: &[u32],
        memory: Option<u64>,
        control: &Control,
        mut estimate: impl FnMut(usize, &Options) -> Result<Estimate, CountError>,
    ) -> Result<BTreeMap<usize, Estimate>, CountError> {
        control.begin_planning();
        let options = Options { cancel: Cancel::from(control.cancel_flag()), ..self.options(memory) };
        let mut all = BTreeMap::new();
        for unit in units.iter().map(|&unit| unit as usize) {
            let index = self.sweep_index(unit);
            if let Entry::Vacant(entry) = all.entry(index) {
                entry.insert(estimate(index, &Options { shard: self.shard_of(unit), ..options.clone() })?);
            }
        }
        Ok(all)
    }

    /// Returns the expected seconds of each unit's steps; zero for units that are not in `units`.
    /// Returns `None` before the units are estimated.
    #[must_use]
    pub fn step_seconds(&self, units: &[u32]) -> Option<Vec<f64>> {
        let mut seconds = vec![0.0; self.unit_count()];
        for &unit in units {
            let planned = lock(&self.plans[self.sweep_index(unit as usize)]);
            seconds[unit as usize] = planned.estimate.as_ref()?.1.step_seconds.iter().sum();
        }
        Some(seconds)
    }

    /// Runs the unit `number` with at most `memory` bytes; default: nine tenths of the available
    /// memory. Layers that do not fit are spilled to the store that the observer provides. If
    /// `is_forced` is true, the sweep starts even if its estimate exceeds memory and disk.
    ///
    /// # Errors
    /// The sweep does not fit, or the control was cancelled.
    pub fn run_unit(
        &self,
        number: usize,
        validated: &ValidatedRequest,
        (memory, is_forced): (Option<u64>, bool),
        control: &Control,
        observer: &dyn RunObserver,
    ) -> Result<UnitSums, CountError> {
        let index = self.sweep_index(number);
        let sweep = &self.sweeps[index];
        let tours = sweep.tours;
        // The available memory changes from moment to moment; the limit of the estimate applies.
        let estimate_memory =
            || lock(&self.plans[index]).estimate.as_ref().and_then(|((memory, _), _)| *memory);
        let memory = memory.or_else(estimate_memory).or_else(crate::memory::default_limit_bytes);
        let shard = self.shard_of(number);
        let mut session = observer.open_sweep_session(number, SweepProgress::new(control, sweep_name(tours)));
        // Ranks stop together: a cancellation of one rank during its planning reaches all ranks when the
        // sweep starts.
        let cancel = match session.storage.peers {
            Some(_) => Cancel::default(),
            None => Cancel::from(control.cancel_flag()),
        };
        let mut options =
            Options { shard, cancel, allocator: control.allocator_hook(), ..self.options(memory) };
        if session.storage.peers.is_some() {
            options.sides = SweepSides::One;
        }
        control.begin_planning();
        let (prepared, estimate) = match &session.storage.resume_from {
            Some(from) => {
                let prepared =
                    PreparedSweep::resume(&SweepGraph::from_board(&sweep.board), tours, &options, from)?;
                let estimate = prepared.rough_estimate();
                (prepared, estimate)
            }
            None => {
                let sized = self.prepare_and_estimate(index, &options)?.ok_or(Stopped)?;
                if !is_forced && (shard.is_none() || sized.1.is_exact) {
                    check_admission(&sized.1, tours, &options, control, &session)?;
                }
                sized
            }
        };
        control.begin_sweep(
            &estimate.step_seconds,
            session.storage.resume_from.as_ref().map_or(0, |from| from.step),
        );
        let SweepSession { storage, ref mut observer, .. } = session;
        let outcome = prepared.sweep(storage, observer.as_mut())?;
        Ok(unit_sums(validated, sweep, outcome))
    }

    /// Returns the options of a sweep with the memory limit `memory`, in bytes.
    fn options(&self, memory: Option<u64>) -> Options {
        Options { memory, modulo: self.modulus, sides: self.sides, ..Options::default() }
    }
}

/// Returns an error if a sweep does not fit into memory and disk; called before the sweep starts.
/// Shards without a dry run are not checked: they can be much smaller than their estimate, and stop when they reach the
/// memory limit.
fn check_admission(
    estimate: &Estimate,
    tours: Tours,
    options: &Options,
    control: &Control,
    session: &SweepSession,
) -> Result<(), CountError> {
    let peers = session.storage.peers;
    let estimate = match peers {
        Some(peers) => estimate.clone().for_rank(peers.size() as u64),
        None => estimate.clone(),
    };
    let ceiling = options.memory.unwrap_or(u64::MAX);
    let needs = Requirements {
        memory: estimate.peak_bytes,
        disk: estimate.spill(ceiling).bytes,
        memory_overestimate: Requirements::overestimate(estimate.is_exact),
        ..Requirements::default()
    };
    let disk = match session.storage.store {
        Some(_) => DiskBudget::from_free(session.free_disk_bytes),
        None => DiskBudget::Absent,
    };
    let (needs, budget) = worst_of_ranks((needs, Budget { disk, ..Budget::new(Some(ceiling)) }), peers)?;
    control.log_line(|| {
        format!(
            "{}: estimate: {:.0} MB of memory (limit {:.0} MB), {:.0} s",
            sweep_name(tours),
            needs.memory as f64 / 1e6,
            budget.memory.unwrap_or(u64::MAX) as f64 / 1e6,
            estimate.seconds
        )
    });
    budget.check(&needs).map_err(|shortage| {
        let mut remedies = Vec::from_iter(Remedy::more_memory(needs.memory, memory::default_limit_bytes()));
        match shortage {
            Shortage::Memory { .. } => remedies.push(Remedy::UseDisk(needs.disk)),
            Shortage::Disk { needed, available } => remedies.push(Remedy::FreeDisk(needed - available)),
            _ => {}
        }
        remedies.push(Remedy::SmallerBoard);
        CountError::Refused(Box::new(Refusal::new(shortage, remedies)))
    })
}

/// Returns the greatest needs and the smallest budget of all ranks that share a sweep. The result is equal on
/// every rank, so that they come to one decision.
///
/// # Errors
/// The connection to another rank is lost.
fn worst_of_ranks(
    own: (Requirements, Budget),
    peers: Option<&dyn Communicator>,
) -> Result<(Requirements, Budget), CountError> {
    let Some(peers) = peers else { return Ok(own) };
    let all =
        allgather_results(peers, &Ok(own)).map_err(|error| CountError::connection_lost(error.to_string()))?;
    all.into_iter().try_fold(own, |(needs, budget), other| {
        let (other_needs, other_budget) = other.map_err(CountError::connection_lost)?;
        Ok((needs.max(other_needs), budget.min(other_budget)))
    })
}

/// Returns the sums of a unit that follow from the outcome of its sweep.
pub(super) fn unit_sums(validated: &ValidatedRequest, sweep: &RequiredSweep, outcome: Outcome) -> UnitSums {
    let effort = Effort {
        nodes: outcome.totals.states,
        visited: outcome.totals.transitions,
        peak_states: outcome.totals.peak_states,
    };
    let unit = UnitSums { effort, ..UnitSums::default() };
    let request = validated.request();
    let (count, is_fixed) = (outcome.count, request.spec.is_directed());
    match sweep.tours {
        Tours::Closed => match sweep.closing_move {
            None => UnitSums { closed: count, ..unit },
            Some(((v, w), moves)) => {
                let (orbits, count) = ((validated.orbit_of(v), validated.orbit_of(w)), count * moves);
                let ends = EndOrbitCount { orbits, is_re_entrant: true, count, is_directed: false };
                UnitSums { paths: vec![ends], ..unit }
            }
        },
        Tours::From(v) if !is_fixed => {
            let orbit = validated.orbit_of(v);
            let count = count * validated.orbits()[orbit].len();
            let ends =
                EndOrbitCount { orbits: (orbit, orbit), is_re_entrant: false, count, is_directed: true };
            UnitSums { paths: vec![ends], ..unit }
        }
        Tours::Paths | Tours::From(_) | Tours::Between(..) => UnitSums { unplaced: count, ..unit },
    }
}

const fn sweep_name(tours: Tours) -> &'static str {
    match tours {
        Tours::Closed => "closed",
        Tours::Paths => "paths",
        Tours::From(_) => "from a square",
        Tours::Between(..) => "between two squares",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::ThreadCommunicator;

    #[test]
    fn worst_of_ranks_is_equal_on_all_ranks() {
        let needs = Requirements { memory: 100, memory_overestimate: 1.25, ..Requirements::default() };
        let budget = |memory, disk| Budget { disk, ..Budget::new(Some(memory)) };
        // Every rank but one would start if it decided alone.
        let all = [
            (needs, budget(90, DiskBudget::Free(80))),
            (Requirements { disk: 30, ..needs }, budget(70, DiskBudget::Free(80))),
            (Requirements { disk: 400, ..needs }, budget(90, DiskBudget::Unknown)),
            (Requirements { memory_overestimate: 2.0, ..needs }, budget(90, DiskBudget::Free(150))),
        ];
        let worst = |all: &[(Requirements, Budget)]| -> Vec<(Requirements, Budget)> {
            std::thread::scope(|scope| {
                let ranks = ThreadCommunicator::connect(all.len()).into_iter().zip(all.to_vec());
                let ranks: Vec<_> = ranks
                    .map(|(peers, own)| scope.spawn(move || worst_of_ranks(own, Some(&peers)).unwrap()))
                    .collect();
                ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
            })
        };
        let hardest = Requirements { disk: 400, ..needs };
        let smallest = budget(70, DiskBudget::Free(80));
        let rough = Requirements { memory_overestimate: 2.0, ..hardest };
        assert!(worst(&all).iter().all(|one| *one == (rough, smallest)) && smallest.check(&rough).is_ok());
        // Without the rough estimate the decision is reversed.
        assert!(worst(&all[..3]).iter().all(|one| *one == (hardest, smallest)));
        assert!(matches!(smallest.check(&hardest), Err(Shortage::Disk { .. })));
        assert_eq!(worst_of_ranks(all[0], None).unwrap(), all[0]);
    }
}
