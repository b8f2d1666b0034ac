//! A planned sweep that has not started, and the selection of its plan.
//!
//! Searching an order takes up to a second, and building the tables of feasible signatures a
//! fraction of that. Both are done once, for the estimate, the digest and the sweep:
//!
//! ```text
//! SweepGraph, Tours, Options -> Cycles -> orders -> the cheapest Plan -> estimate, plan_digest, sweep
//! ```
//!
//! # Selection of the plan
//!
//! Some counts are known without a sweep. Otherwise the cheapest of several orders is selected, and then
//! whether the sweep is two-sided:
//!
//! ```text
//! SweepGraph -> count known without a sweep
//!           |-> orders -> plans, folded or not -> the cheapest -> two-sided, if that is much cheaper
//! ```

use std::sync::Arc;

use num_bigint::BigUint;

use super::cost_model::{BoardProfile, dry_run_seconds, weight_bits};
use super::engine::{Engine, MAX_TRIAL_STATES};
use super::options::{Method, Options, Storage, SweepSides};
use super::plan_choice::{
    best_plan, best_two_sided_plan, order_with_apex, search_orders, searched_plan, stopped_error,
};
use super::report::{CancelObserver, Observer, Outcome};
use super::sweep_estimate::Estimate;
use super::sweep_tables::SweepTables;
use super::two_sided::{TwoSidedPlan, can_be_two_sided, plan_digest};
use super::upper_bound::{BoundMethod, TourBounds, upper_bounds};
use super::{engine, hashed_sweep};
use crate::board::Graph;
use crate::clock::Instant;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::planning::cancel::Cancelled;
use crate::frontier::planning::known_orders;
use crate::frontier::planning::order_search::SearchScope;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
use crate::frontier::ranks::communicator::Collective;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::weights::modulus::ResidueRing;
use crate::memory;

/// Default limit for the dry run of a sweep, in seconds.
const DRY_RUN_SECONDS: f64 = 2.0;

/// Limit for the dry run of a long sweep, which applies if it exceeds the default limit: a fraction
/// of the sweep's estimated time, and a maximum in seconds.
const DRY_RUN_SHARE_AND_MAX_SECONDS: (f64, f64) = (0.1, 30.0);

/// Minimum limit for the dry run of a sweep whose rough estimate is unreliable, in seconds. The
/// estimate is unreliable if the board is not a rectangle or if memory is short.
const UNCERTAIN_DRY_RUN_SECONDS: f64 = 10.0;

/// Bounds of a small sweep, which needs no dry run: its time must be below this number of seconds,
/// and its memory times the second number must be below the memory limit.
const SMALL_SWEEP_SECONDS_AND_MEMORY_FACTOR: (f64, u64) = (45.0, 3);

/// A planned sweep. Clones share the plan and the tables.
#[derive(Clone, Debug)]
pub struct PreparedSweep {
    task: Task,
    options: Options,
    /// The tables of feasible signatures, if an estimate has built them.
    tables: Option<SweepTables>,
    /// Seconds that planning took.
    planning_seconds: f64,
    /// Properties of the board that determine the size of its layers, for exact weights.
    profile: BoardProfile,
}

/// Task of a prepared sweep.
#[derive(Clone, Debug)]
enum Task {
    /// No sweep is needed: the count is this number.
    Known(u8),
    /// A sweep over these cycles by this plan. `pair` is the two-sided plan, if there is one.
    Sweep { cycles: Arc<Cycles>, plan: Arc<Plan>, pair: Option<TwoSidedPlan> },
}

impl Task {
    fn set_min_grouped_slots(&mut self, min_grouped_slots: usize) {
        let Self::Sweep { plan, pair, .. } = self else { return };
        let sides = pair.iter_mut().flat_map(|pair| [&mut pair.left, &mut pair.right]);
        for plan in std::iter::once(plan).chain(sides) {
            Arc::make_mut(plan).set_min_grouped_slots(min_grouped_slots);
        }
    }
}

impl PreparedSweep {
    /// Plans the sweep that counts the tours of a graph. The vertex order is `options.order`, or a
    /// precomputed order, or the best order that a deterministic search finds. Cost: up to a
    /// second.
    ///
    /// # Errors
    /// [`Error::InvalidOrder`] if `options.order` is not a permutation of the squares,
    /// [`Error::TooWide`] if the frontier is too wide for any sweep, [`Error::Stopped`] if
    /// `options.cancel` is set.
    ///
    /// # Panics
    /// If a fixed end is not a vertex of the graph.
    pub fn new(sweep_graph: &SweepGraph, tours: Tours, options: &Options) -> Result<Self, Error> {
        let began = Instant::now();
        let task = match known_count(sweep_graph, tours) {
            Some(count) => Task::Known(count),
            None => {
                let cycles = Cycles::from_sweep_graph(sweep_graph, tours);
                let (fold, cancel) = (options.fold, &options.cancel);
                let order = options.order.clone().or_else(|| known_orders::known_order(sweep_graph, tours));
                let plan = Arc::new(match order {
                    Some(order) => best_plan(&cycles, vec![order_with_apex(&order, &cycles)?], fold, cancel)?,
                    None => searched_plan(sweep_graph, &cycles, fold, cancel)?,
                });
                let may = can_be_two_sided(&cycles, options);
                let pair = match options.sides {
                    SweepSides::Two(steps) if may => TwoSidedPlan::new(&cycles, &plan, steps, fold, cancel),
                    SweepSides::Auto if may => best_two_sided_plan(&cycles, &plan, fold, cancel),
                    _ => Ok(None),
                }
                .map_err(|Cancelled| stopped_error(sweep_graph))?;
                Task::Sweep { cycles: Arc::new(cycles), plan, pair }
            }
        };
        Self::from_task(sweep_graph, task, options, began)
    }

    /// Returns the prepared sweep for a task whose planning started at `began`.
    ///
    /// # Errors
    /// [`Error::Stopped`] if planning was cancelled.
    fn from_task(
        sweep_graph: &SweepGraph,
        mut task: Task,
        options: &Options,
        began: Instant,
    ) -> Result<Self, Error> {
        if options.cancel.is_cancelled() {
            return Err(stopped_error(sweep_graph));
        }
        task.set_min_grouped_slots(options.min_grouped_slots);
        Ok(Self {
            task,
            options: options.clone(),
            tables: None,
            planning_seconds: began.elapsed().as_secs_f64(),
            profile: BoardProfile::exact(sweep_graph),
        })
    }

    /// Plans the remaining steps of the sweep to which a snapshot belongs. The snapshot fixes the
    /// vertex order, the merging of mirror images (folding) and the shard.
    ///
    /// # Errors
    /// As for [`PreparedSweep::new`].
    ///
    /// # Panics
    /// As for [`PreparedSweep::new`].
    pub fn resume(
        sweep_graph: &SweepGraph,
        tours: Tours,
        options: &Options,
        from: &Snapshot,
    ) -> Result<Self, Error> {
        let squares = sweep_graph.as_graph().len();
        let order = from.order.iter().copied().filter(|&v| v < squares).collect();
        let (fold, shard, method) = (from.fold, from.cut, Method::Blocks);
        let ends = from.meets.map_or(SweepSides::One, |step| SweepSides::Two(step + 1));
        Self::new(
            sweep_graph,
            tours,
            &Options { order: Some(order), fold, shard, method, sides: ends, ..options.clone() },
        )
    }

    /// Plans a sweep row by row that also counts the shorter boards of a series. `ends` has, for
    /// each shorter board, the number of the step after which the board is complete.
    pub(in crate::frontier) fn for_series(
        sweep_graph: &SweepGraph,
        tours: Tours,
        options: &Options,
        ends: Vec<usize>,
    ) -> Result<Self, Error> {
        let cycles = Cycles::from_sweep_graph(sweep_graph, tours);
        let began = Instant::now();
        let orders = search_orders(sweep_graph, &cycles, SearchScope::LinesOnly, &options.cancel)?;
        let plan = best_plan(&cycles, orders, options.fold, &options.cancel)?;
        let task = Task::Sweep {
            cycles: Arc::new(cycles),
            plan: Arc::new(plan.with_shorter_ends(ends)),
            pair: None,
        };
        Self::from_task(sweep_graph, task, options, began)
    }

    /// Returns this prepared sweep with other options and the same plan. The vertex order, the
    /// merging of mirror images (folding) and the cut of a two-sided plan do not change. The sweep
    /// becomes one-sided if the new options require it.
    #[must_use]
    pub fn with_options(mut self, options: &Options) -> Self {
        // Tables built under a lower limit are valid under a higher one.
        let (ceiling, new_ceiling) = (self.options.memory, options.memory);
        let is_lower =
            ceiling != new_ceiling && new_ceiling.is_none_or(|new| ceiling.is_none_or(|old| new < old));
        if is_lower {
            self.tables = None;
        }
        if options.min_grouped_slots != self.options.min_grouped_slots {
            self.task.set_min_grouped_slots(options.min_grouped_slots);
            self.tables = None;
        }
        let order = self.options.order.take();
        self.options = Options { order, fold: self.options.fold, ..options.clone() };
        self
    }

    /// Returns this prepared sweep with weights that are residues of a ring. The plan and the
    /// tables of feasible signatures do not change.
    #[must_use]
    pub(in crate::frontier) fn with_residues(mut self, ring: ResidueRing) -> Self {
        self.options.modulo = Some(ring.into());
        self
    }

    /// Returns the order in which the sweep processes the squares, without the apex; `None` if the
    /// count is known without a sweep.
    #[must_use]
    pub fn order(&self) -> Option<Vec<usize>> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return None };
        Some(plan.steps().iter().map(|step| step.vertex).filter(|&v| v < cycles.square_count()).collect())
    }

    /// Returns a digest of the plan. The counts of two shards can be added only if their digests are equal.
    /// The digest of a shard includes the cut of a two-sided sweep, which separates the shards.
    #[must_use]
    pub fn plan_digest(&self) -> u64 {
        match &self.task {
            Task::Known(_) => 0,
            Task::Sweep { plan, .. } => {
                let pair = self.two_sided_plan().filter(|_| self.options.shard.is_some());
                plan_digest(plan, pair)
            }
        }
    }

    /// Returns the two-sided plan, unless the current options require a one-sided sweep.
    pub(super) fn two_sided_plan(&self) -> Option<&TwoSidedPlan> {
        let Task::Sweep { cycles, pair, .. } = &self.task else { return None };
        let is_possible = |pair: &&TwoSidedPlan| {
            can_be_two_sided(cycles, &self.options)
                && (self.options.shard.is_none() || pair.has_classes_at_cut())
        };
        pair.as_ref().filter(is_possible)
    }

    const fn profile(&self) -> BoardProfile {
        BoardProfile { modulo: self.options.modulo, ..self.profile }
    }

    /// Estimates the size of the sweep, or of its shard, by a dry run. It retains the tables of feasible signatures
    /// for the sweep. Returns `None` if the dry run was cancelled, or if the frontier is so wide that only a hashed
    /// sweep is possible, for which there is no dry run.
    pub fn estimate(&mut self) -> Option<Estimate> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Some(Estimate::default()) };
        let pair = self.two_sided_plan();
        let space = Arc::new(SignatureSpace::new(pair.map_or(plan, |pair| &pair.left))?);
        let right_space = pair.and_then(|pair| pair.right_space(&space));
        let right_side = pair.zip(right_space.as_ref());
        let &Options { memory, shard, ref cancel, .. } = &self.options;
        let all = SweepTables::new(&space, right_side, shard, memory, 0, cancel).ok()?;
        let (mut tables, profile) = (all.clone(), self.profile());
        tables.left_dry_run = None;
        let estimate = Estimate::from_dry_run(cycles, &space, right_side, all, memory, profile, cancel)?;
        self.tables = Some(tables);
        Some(estimate.with_planning_seconds(self.planning_seconds))
    }

    /// Estimates the size of the sweep from its vertex order, in negligible time. For boards the estimate is correct
    /// within a factor of two. For a shard it is an estimate of the largest shard, which may be several times larger
    /// than the others.
    #[must_use]
    pub fn rough_estimate(&self) -> Estimate {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Estimate::default() };
        let Options { memory, shard, .. } = self.options;
        let whole = Estimate::from_order(cycles, plan, self.two_sided_plan(), memory, self.profile());
        let estimate = match shard {
            Some(shard) => whole.for_shard(shard, memory),
            None => whole,
        };
        estimate.with_planning_seconds(self.planning_seconds)
    }

    /// Estimates the sweep, or its shard, before a run: by a dry run if the sweep is not small and the dry run is short
    /// compared to it, otherwise roughly. A dry run of at most `dry_run_seconds` seconds, if given, is made in any
    /// case. Returns `None` if the estimate was cancelled.
    pub fn estimate_before_run(&mut self, dry_run_seconds: Option<f64>) -> Option<Estimate> {
        let (rough, memory) = (self.rough_estimate(), self.options.memory);
        let (small_seconds, memory_factor) = SMALL_SWEEP_SECONDS_AND_MEMORY_FACTOR;
        let is_small = rough.seconds - rough.planning_seconds < small_seconds
            && memory.is_none_or(|memory| rough.peak_bytes < memory / memory_factor);
        if is_small && dry_run_seconds.is_none() {
            return Some(rough);
        }
        // If memory is short, the size of a working set decides whether the sweep is possible at all.
        let is_tight = memory.is_some_and(|memory| rough.peak_bytes > memory);
        let min_seconds =
            if rough.is_unusual_board || is_tight { UNCERTAIN_DRY_RUN_SECONDS } else { DRY_RUN_SECONDS };
        let (share, max_seconds) = DRY_RUN_SHARE_AND_MAX_SECONDS;
        let patience = (rough.seconds * share).clamp(min_seconds, max_seconds);
        self.estimate_within(dry_run_seconds.map_or(patience, |least| least.max(patience)))
    }

    /// Estimates the size of the sweep, or of its shard, as accurately as possible within about `max_seconds`
    /// seconds: by a trial of the hashed sweep, by a dry run, or from the vertex order alone.
    /// Returns `None` if the estimate was cancelled.
    pub fn estimate_within(&mut self, max_seconds: f64) -> Option<Estimate> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Some(Estimate::default()) };
        let estimate = self.rough_estimate();
        if engine::may_use_hash_table(plan, &self.options) {
            let began = Instant::now();
            match hashed_sweep::sweep_hashed(
                cycles,
                plan,
                &self.options,
                Some(MAX_TRIAL_STATES),
                &mut CancelObserver(&self.options.cancel),
            ) {
                Ok(Some(outcome)) => {
                    let few = Estimate::from_hashed_trial(
                        &estimate,
                        &outcome.totals,
                        began.elapsed().as_secs_f64(),
                    );
                    return Some(few.with_planning_seconds(self.planning_seconds));
                }
                Err(Error::Stopped { .. }) => return None,
                _ => {}
            }
        }
        let Some(space) = SignatureSpace::new(plan) else { return Some(estimate) };
        let right_space = self.two_sided_plan().and_then(|pair| pair.right_space(&space));
        // The tables are mostly smaller than estimated.
        let entries = estimate.fixed_bytes.saturating_sub(estimate.feasibility_tables.1);
        let fits = self.options.memory.is_none_or(|memory| entries < memory);
        // Those of a shard are computed in addition to those of the whole sweep.
        let times = if self.options.shard.is_some() { 2.0 } else { 1.0 };
        if fits && times * dry_run_seconds(&space, right_space.as_deref()) <= max_seconds {
            return self.estimate();
        }
        (!self.options.cancel.is_cancelled()).then_some(estimate)
    }

    /// Estimates the sweep as [`Self::estimate_within`], but with a dry run under the memory limit of the machine:
    /// under a limit that is less than the tables need, no dry run is possible. Retains no tables.
    #[must_use]
    pub fn measure(&self, max_seconds: f64) -> Option<Estimate> {
        let options = Options { memory: memory::default_limit_bytes(), ..self.options.clone() };
        let measured = self.clone().with_options(&options).estimate_within(max_seconds)?;
        Some(measured.with_ceiling(self.options.memory))
    }

    /// Returns a rough number of bits of the count.
    #[must_use]
    pub fn rough_count_bits(&self) -> u32 {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return 1 };
        weight_bits(cycles, plan).last().map_or(1, |bits| bits.ceil() as u32)
    }

    /// Drops the tables of feasible signatures that an estimate has built.
    pub fn drop_tables(&mut self) {
        self.tables = None;
    }

    /// Returns an upper bound of the count and its method: a sweep that has one number for each signature instead of one
    /// for each matching, or a formula if memory is too small for this sweep. Returns `None` if that sweep was cancelled
    /// or the frontier is too wide. Cost: a few percent of the time of the whole sweep.
    #[must_use]
    pub fn upper_bound(&self) -> Option<(BigUint, BoundMethod)> {
        let TourBounds { mut numbers, method } = self.upper_bounds()?;
        numbers.pop().map(|number| (number, method))
    }

    /// Returns upper bounds of the counts of all boards of a series: of the shorter boards in order
    /// of length, and of the longest board last. Returns `None` as [`Self::upper_bound`] does.
    pub(in crate::frontier) fn upper_bounds(&self) -> Option<TourBounds> {
        let (cycles, plan) = match &self.task {
            Task::Known(count) => {
                return Some(TourBounds { numbers: vec![(*count).into()], method: BoundMethod::default() });
            }
            Task::Sweep { cycles, plan, .. } => (cycles, plan),
        };
        let order: Vec<usize> = plan.steps().iter().map(|step| step.vertex).collect();
        let plan = Plan::new(cycles, &order, false).with_shorter_ends(plan.shorter_ends().to_vec());
        let space = Arc::new(SignatureSpace::new(&Arc::new(plan))?);
        upper_bounds(cycles, &space, self.options.memory, &self.options.cancel)
    }

    /// Runs the sweep and returns its outcome. With `storage` the sweep may use a store, resume
    /// from a snapshot and be shared by several ranks.
    ///
    /// # Errors
    /// See [`Error`]: the memory limit, a stop by the observer, failures of the store or of other
    /// ranks; [`Error::OtherSnapshot`] if the snapshot belongs to another sweep.
    pub fn sweep(mut self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        // The sweep takes over the tables, so that no second owner keeps them in memory.
        let tables = self.tables.take();
        let options = &self.options;
        let (cycles, plan) = match &self.task {
            // The count is at most 1, and so equals its residue.
            Task::Known(count) => {
                let is_here = options.shard.is_none_or(|shard| shard.index == 0);
                return Ok(Outcome::from_count(if is_here { *count } else { 0 }));
            }
            Task::Sweep { cycles, plan, .. } => (cycles, plan),
        };
        let agreement = Collective::new(storage.peers);
        let pair = self.two_sided_plan().filter(|_| agreement.communicator().is_none());
        let meaning = Snapshot::semantics_digest(plan_digest(plan, pair), options.modulo);
        let is_same = |snapshot: &Snapshot| {
            (snapshot.plan, snapshot.rank, snapshot.cut)
                == (meaning, agreement.rank_and_size(), options.shard)
        };
        let start = if storage.resume_from.as_ref().is_none_or(is_same) {
            Ok((plan.digest(), storage.resume_from.as_ref().map(|snapshot| snapshot.step)))
        } else {
            Err(Error::OtherSnapshot)
        };
        let starts = agreement.allgather(start, |what| Error::NotConnected { message: what })?;
        if starts.iter().any(|&other| other != starts[0]) {
            return Err(Error::RanksDiffer);
        }
        Engine { cycles, plan, two_sided: pair.cloned().as_ref(), options, tables }.run(storage, observer)
    }
}

/// Returns the difference between the sizes of the two colour classes of a connected bipartite graph; `None`
/// if the graph is not bipartite.
fn colour_class_difference(graph: &Graph) -> Option<usize> {
    let dark = graph.two_colouring()?.into_iter().filter(|&dark| dark).count();
    Some(dark.abs_diff(graph.len() - dark))
}

/// Returns the count if it is known without a sweep, else `None`. The count is known in these
/// cases: at most one square; paths whose two fixed ends are equal; disconnected graphs; graphs with too many
/// dead ends; and bipartite graphs whose colour classes differ too much in size, since the colours of a tour
/// alternate. The sizes may differ by 0 for cycles, and by at most 1 for paths.
pub fn known_count(sweep_graph: &SweepGraph, tours: Tours) -> Option<u8> {
    match (sweep_graph.as_graph().len(), tours) {
        (0, _) => Some(0),
        (1, tours) => Some(u8::from(tours != Tours::Closed)),
        (_, Tours::Between(a, b)) if a == b => Some(0),
        _ if !sweep_graph.as_graph().is_connected() => Some(0),
        (_, tours) if sweep_graph.as_graph().has_too_many_dead_ends(tours == Tours::Closed) => Some(0),
        (_, tours) => {
            let most = usize::from(tours != Tours::Closed);
            colour_class_difference(sweep_graph.as_graph()).filter(|difference| *difference > most).map(|_| 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::count::count_with_storage;
    use super::super::report::{NoObserver, StepReport};
    use super::*;
    use crate::frontier::layer::store::memory::MemoryStore;
    use crate::frontier::signature::shard::SweepShard;
    use crate::frontier::weights::modulus::Modulus;
    use crate::frontier::weights::weight::Width;

    fn field(board: &str) -> SweepGraph {
        SweepGraph::from_board(&board.parse().unwrap())
    }

    #[test]
    fn planning_is_deterministic_and_keeps_tables() {
        let (sweep_graph, options) = (field("6x6"), Options::default());
        let mut prepared = PreparedSweep::new(&sweep_graph, Tours::Closed, &options).unwrap();
        let digest = prepared.plan_digest();
        assert_eq!(PreparedSweep::new(&sweep_graph, Tours::Closed, &options).unwrap().plan_digest(), digest);
        let estimate = prepared.estimate().unwrap();
        assert!(prepared.tables.is_some(), "the tables are stored");
        let with_tables = prepared.clone().sweep(Storage::default(), &mut NoObserver).unwrap();
        assert_eq!(with_tables.count, 9862u32.into());
        assert!(with_tables.totals.weights <= estimate.weights);
        // Another limit requires other tables; the sweep stays the same.
        let without = prepared.with_options(&Options { memory: Some(1 << 30), ..options });
        assert!(without.tables.is_none());
        let without = without.sweep(Storage::default(), &mut NoObserver).unwrap();
        assert_eq!((without.count, without.totals.states), (with_tables.count, with_tables.totals.states));
    }

    #[test]
    fn shards_of_one_plan_add_up() {
        let prepared = PreparedSweep::new(&field("5x6"), Tours::Paths, &Options::default()).unwrap();
        let part = |index| {
            let shard = Some(SweepShard { index, count: 3 });
            let options = Options { shard, min_grouped_slots: 0, ..Options::default() };
            let part = prepared.clone().with_options(&options);
            part.sweep(Storage::default(), &mut NoObserver).unwrap().count
        };
        let whole = prepared.clone().sweep(Storage::default(), &mut NoObserver).unwrap();
        assert_eq!(whole.count, (0..3).map(part).sum());
    }

    #[test]
    fn known_counts_need_no_plan() {
        let count = |board, tours| {
            let mut prepared = PreparedSweep::new(&field(board), tours, &Options::default()).unwrap();
            assert_eq!((prepared.plan_digest(), prepared.estimate()), (0, Some(Estimate::default())));
            prepared.sweep(Storage::default(), &mut NoObserver).unwrap().count
        };
        assert_eq!(count("1x1", Tours::Paths), 1u32.into());
        assert_eq!(count("1x1", Tours::Closed), 0u32.into());
        assert_eq!(count("3x4", Tours::Between(5, 5)), 0u32.into());
    }

    #[test]
    fn snapshot_of_residues_is_rejected_for_exact_weights() {
        #[derive(Default)]
        struct Saves(Option<Snapshot>);
        impl Observer for Saves {
            fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
                if report.step == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }

            fn on_snapshot(&mut self, snapshot: &Snapshot) {
                self.0 = Some(snapshot.clone());
            }
        }

        let (store, mut saves) = (MemoryStore::default(), Saves::default());
        let options = Options {
            modulo: Some(Modulus::PowerOfTwo(Width::W32)),
            method: Method::Blocks,
            ..Options::default()
        };
        let sweep_graph = field("5x6");
        let storage = || Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
        let stopped = count_with_storage(&sweep_graph, Tours::Closed, &options, storage(), &mut saves);
        assert!(matches!(stopped, Err(Error::Stopped { step: 9, .. })));
        let go_on = |options: &Options| {
            let storage = Storage { resume_from: saves.0.clone(), ..storage() };
            count_with_storage(&sweep_graph, Tours::Closed, options, storage, &mut NoObserver)
        };
        let exact = Options { modulo: None, ..options.clone() };
        assert_eq!(go_on(&exact).unwrap_err(), Error::OtherSnapshot);
        assert_eq!(go_on(&options).unwrap().count, 8u32.into());
    }

    #[test]
    fn new_rejects_orders_that_are_no_permutation() {
        for order in [vec![0, 1, 2], vec![0; 12], (1..13).collect()] {
            let options = Options { order: Some(order), ..Options::default() };
            let error = PreparedSweep::new(&field("3x4"), Tours::Paths, &options).unwrap_err();
            assert_eq!(error, Error::InvalidOrder { squares: 12 });
        }
    }
}

#[cfg(test)]
mod plan_selection_tests {
    use super::*;

    #[test]
    fn known_count_is_zero_for_unequal_colour_classes() {
        let known = |board: &str, tours| known_count(&SweepGraph::from_board(&board.parse().unwrap()), tours);
        assert_eq!((known("9x9", Tours::Closed), known("11x13", Tours::Closed)), (Some(0), Some(0)));
        assert_eq!((known("9x9", Tours::Paths), known("8x8", Tours::Closed)), (None, None));
        // An odd cycle is not bipartite; a star has one vertex in one of its classes.
        let sweep_graph = |n: usize, edges: &[(usize, usize)]| {
            SweepGraph::from_graph(Graph::from_edges(n, edges.iter().copied()))
        };
        let (ring, star) =
            (sweep_graph(3, &[(0, 1), (1, 2), (0, 2)]), sweep_graph(4, &[(0, 1), (0, 2), (0, 3)]));
        assert_eq!(
            (colour_class_difference(ring.as_graph()), colour_class_difference(star.as_graph())),
            (None, Some(2))
        );
        assert_eq!(super::known_count(&star, Tours::Paths), Some(0));
        // The colours of 14x14 without two squares next to each other fit, but a1 is a dead end.
        assert_eq!(known("board=14x14 piece=1,2 remove=b3,c3", Tours::Closed), Some(0));
        assert_eq!(known("board=14x14 piece=1,2 remove=b3,c3", Tours::Paths), None);
    }
}
