//! A planned sweep that has not started.
//!
//! Searching an order takes up to a second, building the tables of feasible signatures another. Both are done
//! once, for the estimate, the digest and the sweep:
//!
//! ```text
//! SweepGraph, Tours, Options -> Cycles -> orders -> the cheapest Plan -> estimate, plan_digest, sweep
//! ```

use std::sync::Arc;
use std::time::Instant;

use num_bigint::BigUint;

use crate::frontier::block::modulus::Lane;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::found;
use crate::frontier::problem::order::{self, Scope};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::ranks::agreement::Agreement;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::bound::bounds;
use crate::frontier::run::choice::{best_pair, best_plan, known, orders, stopped, whole};
use crate::frontier::run::ends::{Pair, digest, may_meet};
use crate::frontier::run::engine::{self, Engine, FEW_STATES};
use crate::frontier::run::estimate::{Estimate, dry_run_seconds, fixed_of_ends};
use crate::frontier::run::hashed;
use crate::frontier::run::nature::Nature;
use crate::frontier::run::observer::{Observer, Patient};
use crate::frontier::run::options::{Ends, Method, Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;

/// A planned sweep. Clones share the plan and the tables.
#[derive(Clone, Debug)]
pub struct Prepared {
    task: Task,
    options: Options,
    /// The tables of feasible signatures of the whole sweep, if an estimate has built them.
    feasibility: Option<Feasibility>,
    /// Seconds that planning took.
    planning: f64,
    /// True if the board is a rectangle, or has layers like those of one; estimates are then accurate.
    familiar: bool,
}

/// The work that a prepared sweep has to do.
#[derive(Clone, Debug)]
enum Task {
    /// No sweep: the count is known.
    Known(u8),
    /// A sweep.
    Sweep { cycles: Arc<Cycles>, plan: Arc<Plan>, pair: Option<Pair> },
}

impl Prepared {
    /// Plans the sweep that counts the tours of a graph. The order is `options.order`, or a precomputed one,
    /// or the best that a deterministic search finds. Cost: up to a second.
    ///
    /// # Errors
    /// [`Error::Order`] if `options.order` is not a permutation of the squares, [`Error::Width`] if the
    /// frontier is too wide for any sweep, [`Error::Stopped`] if `options.cancel` is set.
    ///
    /// # Panics
    /// If a fixed end is not a vertex of the graph.
    pub fn new(field: &Field, tours: Tours, options: &Options) -> Result<Self, Error> {
        let began = Instant::now();
        let task = match known(field, tours) {
            Some(count) => Task::Known(count),
            None => {
                let cycles = Cycles::of(field, tours);
                let least = order::least_width(&cycles, field.directions());
                let orders = match options.order.clone().or_else(|| found::order(field, tours)) {
                    Some(order) => vec![whole(&order, &cycles)?],
                    None if least > 2 * MOST_SLOTS => return Err(Error::Width { width: least }),
                    None => orders(field, &cycles, Scope::of(field), &options.cancel)?,
                };
                let plan = Arc::new(best_plan(&cycles, orders, options.fold)?);
                let may = may_meet(&cycles, options);
                let pair = match options.ends {
                    Ends::Meet(steps) if may => Pair::new(&cycles, &plan, steps, options.fold),
                    Ends::Auto if may => best_pair(&cycles, &plan, options.fold, &options.cancel),
                    _ => None,
                };
                Task::Sweep { cycles: Arc::new(cycles), plan, pair }
            }
        };
        Self::planned(field, task, options, began)
    }

    /// Returns the prepared sweep of a task whose planning started at `began`.
    ///
    /// # Errors
    /// [`Error::Stopped`] if it was cancelled meanwhile: the plan may then be incomplete.
    fn planned(field: &Field, task: Task, options: &Options, began: Instant) -> Result<Self, Error> {
        if options.cancel.is_cancelled() {
            return Err(stopped(field));
        }
        Ok(Self {
            task,
            options: options.clone(),
            feasibility: None,
            planning: began.elapsed().as_secs_f64(),
            familiar: field.is_familiar(),
        })
    }

    /// Plans the remainder of a sweep that has left a snapshot: the order, the folding and the shard are
    /// those of the snapshot.
    ///
    /// # Errors
    /// As for [`PreparedSweep::new`].
    ///
    /// # Panics
    /// As for [`PreparedSweep::new`].
    pub fn resume(field: &Field, tours: Tours, options: &Options, from: &Snapshot) -> Result<Self, Error> {
        let squares = field.as_graph().len();
        let order = from.order.iter().copied().filter(|&v| v < squares).collect();
        let (fold, cut, method) = (from.fold, from.cut, Method::Blocks);
        let ends = from.meets.map_or(Ends::One, |step| Ends::Meet(step + 1));
        Self::new(field, tours, &Options { order: Some(order), fold, cut, method, ends, ..options.clone() })
    }

    /// Plans a sweep row by row that counts the shorter boards too: `ends` are the step numbers after which a
    /// shorter board is complete.
    pub(in crate::frontier) fn family(
        field: &Field,
        tours: Tours,
        options: &Options,
        ends: Vec<usize>,
    ) -> Result<Self, Error> {
        let cycles = Cycles::of(field, tours);
        let began = Instant::now();
        let orders = orders(field, &cycles, Scope::Lines, &options.cancel)?;
        let plan = best_plan(&cycles, orders, options.fold)?;
        let task =
            Task::Sweep { cycles: Arc::new(cycles), plan: Arc::new(plan.with_shorter(ends)), pair: None };
        Self::planned(field, task, options, began)
    }

    /// Returns the same plan with other options. The order, the folding and the cut of a two-sided plan stay;
    /// the sweep becomes one-sided if the new options require it.
    #[must_use]
    pub fn with(mut self, options: &Options) -> Self {
        // Tables built under a lower ceiling are valid under a higher one.
        let is_lower = options.memory.unwrap_or(u64::MAX) < self.options.memory.unwrap_or(u64::MAX);
        if is_lower || options.feasibility != self.options.feasibility {
            self.feasibility = None;
        }
        let order = self.options.order.take();
        self.options = Options { order, fold: self.options.fold, ..options.clone() };
        self
    }

    /// Returns the same plan with weights modulo `lane`; the tables stay.
    #[must_use]
    pub(in crate::frontier) fn modulo(mut self, lane: Lane) -> Self {
        self.options.modulo = Some(lane.into());
        self
    }

    /// Returns the order of the squares, without the apex; `None` if the count is known without a sweep.
    #[must_use]
    pub fn order(&self) -> Option<Vec<usize>> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return None };
        Some(plan.steps().iter().map(|step| step.vertex).filter(|&v| v < cycles.squares()).collect())
    }

    /// Returns a digest of the plan: the counts of shards can be added, and a snapshot can be resumed, only
    /// if the digests are equal.
    #[must_use]
    pub fn plan_digest(&self) -> u64 {
        match &self.task {
            Task::Known(_) => 0,
            Task::Sweep { plan, .. } => plan.digest(),
        }
    }

    /// Returns the two-sided plan, unless the current options require a one-sided sweep.
    pub(super) fn pair(&self) -> Option<&Pair> {
        let Task::Sweep { cycles, pair, .. } = &self.task else { return None };
        pair.as_ref().filter(|_| may_meet(cycles, &self.options))
    }

    const fn nature(&self) -> Nature {
        Nature { familiar: self.familiar, modulo: self.options.modulo }
    }

    /// Estimates the size of the whole sweep by a dry run. Keeps the tables for the sweep, if memory allows.
    /// Returns `None` if it was cancelled, or if the frontier is so wide that only the hashed sweep remains,
    /// whose size no dry run can give.
    pub fn estimate(&mut self) -> Option<Estimate> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Some(Estimate::default()) };
        let course = Arc::new(Course::new(self.pair().map_or(plan, |pair| &pair.near))?);
        let Options { memory, cancel, .. } = &self.options;
        let tables = self.options.feasibility.then(|| Feasibility::new(&course, None, *memory, cancel));
        // During the dry run two sets of tables are held.
        let fits = memory.is_none_or(|memory| 2 * Feasibility::bytes(&course, Some(memory)) < memory);
        let kept = if fits { tables.clone() } else { None };
        let estimate = Estimate::of(cycles, &course, self.pair(), tables, *memory, self.nature(), cancel)?;
        self.feasibility = kept;
        Some(estimate.planned_in(self.planning))
    }

    /// Estimates the size of the whole sweep from its order, in negligible time; for boards within a factor
    /// of two.
    #[must_use]
    pub fn outlook(&self) -> Estimate {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Estimate::default() };
        Estimate::roughly(cycles, plan, self.pair(), self.options.memory, self.nature())
            .planned_in(self.planning)
    }

    /// Estimates the size of the whole sweep as accurately as possible within about `max_seconds` seconds: by a
    /// trial of the hashed sweep, by a dry run, or from the order alone. Returns `None` if it was cancelled.
    pub fn forecast(&mut self, patience: f64) -> Option<Estimate> {
        let Task::Sweep { cycles, plan, .. } = &self.task else { return Some(Estimate::default()) };
        let outlook = self.outlook();
        if engine::may_be_few(plan, &self.options) {
            let began = Instant::now();
            match hashed::sweep(
                cycles,
                plan,
                &self.options,
                Some(FEW_STATES),
                &mut Patient(&self.options.cancel),
            ) {
                Ok(Some(outcome)) => {
                    let few = Estimate::few(&outlook, &outcome.totals, began.elapsed().as_secs_f64());
                    return Some(few.planned_in(self.planning));
                }
                Err(Error::Stopped { .. }) => return None,
                _ => {}
            }
        }
        let Some(course) = Course::new(plan) else { return Some(outlook) };
        let far = self.pair().and_then(|pair| pair.course(&course));
        let fixed = |memory| fixed_of_ends(&course, far.as_deref(), true, Some(memory));
        let fits = self.options.memory.is_none_or(|memory| fixed(memory) < memory);
        if fits && dry_run_seconds(&course) <= patience {
            return self.estimate();
        }
        (!self.options.cancel.is_cancelled()).then_some(outlook)
    }

    /// Returns an upper bound of the count, by a sweep over signatures alone. Returns `None` if it was
    /// cancelled or if the frontier is too wide. Cost: a few percent of the sweep's time.
    #[must_use]
    pub fn bound(&self) -> Option<BigUint> {
        self.bounds()?.pop()
    }

    /// Returns upper bounds of the counts of the shorter boards of a series, in order of length, and of the
    /// longest board last.
    pub(in crate::frontier) fn bounds(&self) -> Option<Vec<BigUint>> {
        let (cycles, plan) = match &self.task {
            Task::Known(count) => return Some(vec![(*count).into()]),
            Task::Sweep { cycles, plan, .. } => (cycles, plan),
        };
        let order: Vec<usize> = plan.steps().iter().map(|step| step.vertex).collect();
        let plan = Plan::new(cycles, &order, false).with_shorter(plan.shorter().to_vec());
        let course = Arc::new(Course::new(&Arc::new(plan))?);
        bounds(&course, self.options.memory, &self.options.cancel)
    }

    /// Runs the sweep. With `storage` it may use a store, resume from a snapshot and be shared by several
    /// ranks.
    ///
    /// # Errors
    /// See [`Error`]: the memory ceiling, a stop by the observer, failures of the store or of other ranks;
    /// [`Error::Snapshot`] if the snapshot belongs to another sweep.
    pub fn sweep(mut self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        // The sweep takes over the tables, so that no second owner keeps them in memory.
        let feasibility = self.feasibility.take();
        let options = &self.options;
        let (cycles, plan) = match &self.task {
            // The count is at most 1, and so equals its residue.
            Task::Known(count) => {
                let is_here = options.cut.is_none_or(|cut| cut.index == 0);
                return Ok(Outcome::known(if is_here { *count } else { 0 }));
            }
            Task::Sweep { cycles, plan, .. } => (cycles, plan),
        };
        let agreement = Agreement::new(storage.peers);
        let pair = self.pair().filter(|_| agreement.peers().is_none());
        let meaning = Snapshot::meaning(digest(plan, pair), options.modulo);
        let is_same = |snapshot: &Snapshot| {
            (snapshot.plan, snapshot.rank, snapshot.cut) == (meaning, agreement.place(), options.cut)
        };
        let begins = if storage.from.as_ref().is_none_or(is_same) {
            Ok((plan.digest(), storage.from.as_ref().map(|snapshot| snapshot.step)))
        } else {
            Err(Error::Snapshot)
        };
        let begin = agreement.agree(begins, |what| Error::Unconnected { what })?;
        if begin.iter().any(|&other| other != begin[0]) {
            return Err(Error::Apart);
        }
        Engine { cycles, plan, pair: pair.cloned().as_ref(), options, feasibility }.run(storage, observer)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::frontier::block::modulus::Modulus;
    use crate::frontier::block::width::Width;
    use crate::frontier::layer::store::memory::Memory;
    use crate::frontier::run::count::count_stored;
    use crate::frontier::run::observer::{Silent, StepReport};
    use crate::frontier::state::cut::Cut;

    fn field(board: &str) -> Field {
        Field::of(&board.parse().unwrap())
    }

    #[test]
    fn a_plan_is_found_once_and_always_the_same() {
        let (field, options) = (field("6x6"), Options::default());
        let mut prepared = Prepared::new(&field, Tours::Closed, &options).unwrap();
        let digest = prepared.plan_digest();
        assert_eq!(Prepared::new(&field, Tours::Closed, &options).unwrap().plan_digest(), digest);
        let estimate = prepared.estimate().unwrap();
        assert!(prepared.feasibility.is_some(), "the tables are stored");
        let with_tables = prepared.clone().sweep(Storage::default(), &mut Silent).unwrap();
        assert_eq!(with_tables.count, 9862u32.into());
        assert!(with_tables.totals.weights <= estimate.weights);
        // Another ceiling requires other tables; the sweep stays the same.
        let without = prepared.with(&Options { memory: Some(1 << 30), ..options });
        assert!(without.feasibility.is_none());
        let without = without.sweep(Storage::default(), &mut Silent).unwrap();
        assert_eq!((without.count, without.totals.states), (with_tables.count, with_tables.totals.states));
    }

    #[test]
    fn parts_of_one_plan_add_up() {
        let prepared = Prepared::new(&field("5x6"), Tours::Paths, &Options::default()).unwrap();
        let part = |index| {
            let cut = Some(Cut { index, count: 3 });
            let part = prepared.clone().with(&Options { cut, ..Options::default() });
            part.sweep(Storage::default(), &mut Silent).unwrap().count
        };
        let whole = prepared.clone().sweep(Storage::default(), &mut Silent).unwrap();
        assert_eq!(whole.count, (0..3).map(part).sum());
    }

    #[test]
    fn what_is_known_needs_no_plan() {
        let count = |board, tours| {
            let mut prepared = Prepared::new(&field(board), tours, &Options::default()).unwrap();
            assert_eq!((prepared.plan_digest(), prepared.estimate()), (0, Some(Estimate::default())));
            prepared.sweep(Storage::default(), &mut Silent).unwrap().count
        };
        assert_eq!(count("1x1", Tours::Paths), 1u32.into());
        assert_eq!(count("1x1", Tours::Closed), 0u32.into());
        assert_eq!(count("3x4", Tours::Between(5, 5)), 0u32.into());
    }

    #[test]
    fn a_snapshot_of_residues_is_none_of_exact_weights() {
        #[derive(Default)]
        struct Saves(Option<Snapshot>);
        impl Observer for Saves {
            fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
                if report.step == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }

            fn save(&mut self, snapshot: &Snapshot) {
                self.0 = Some(snapshot.clone());
            }
        }

        let (store, mut saves) = (Memory::default(), Saves::default());
        let options = Options {
            modulo: Some(Modulus::Power(Width::W32)),
            method: Method::Blocks,
            ..Options::default()
        };
        let field = field("5x6");
        let storage = || Storage { store: Some(&store), snapshots: true, ..Storage::default() };
        let stopped = count_stored(&field, Tours::Closed, &options, storage(), &mut saves);
        assert!(matches!(stopped, Err(Error::Stopped { step: 9, .. })));
        let go_on = |options: &Options| {
            let storage = Storage { from: saves.0.clone(), ..storage() };
            count_stored(&field, Tours::Closed, options, storage, &mut Silent)
        };
        let exact = Options { modulo: None, ..options.clone() };
        assert_eq!(go_on(&exact).unwrap_err(), Error::Snapshot);
        assert_eq!(go_on(&options).unwrap().count, 8u32.into());
    }

    #[test]
    fn an_order_has_every_square_once() {
        for order in [vec![0, 1, 2], vec![0; 12], (1..13).collect()] {
            let options = Options { order: Some(order), ..Options::default() };
            let error = Prepared::new(&field("3x4"), Tours::Paths, &options).unwrap_err();
            assert_eq!(error, Error::Order { squares: 12 });
        }
    }
}
