//! A request divided into numbered units of work, and the functions that run the units and add
//! their sums.
//!
//! A request for all kinds has two stages, paths and closed tours, counted by two independent
//! searches; the re-entrant paths of the first must be exactly squares x the closed tours of the
//! second. The units of all stages are numbered in one sequence. They can run in any order, on any
//! number of threads, processes or machines: [`Sums`](super::Sums) adds up their results.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use sha2::{Digest, Sha256};

use super::CountError;
use super::engine::Engine;
use super::partial_sums::{Effort, EndOrbitCount, Sums, UnitSums};
use super::request::{Answer, Request};
use super::run_observer::{RunObserver, UnitProgress};
use super::sweep_units::SweepUnits;
use super::validated_request::ValidatedRequest;
use crate::board::Bitboard;
use crate::control::Control;
use crate::digest;
use crate::search::backtrack::{Backtrack, Warnsdorff};
use crate::search::backtrack_plan::BacktrackPlan;
use crate::search::bitboard_graph::with_bitboard;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::Problem;
use crate::search::unit_runner::Stopped;
use crate::search::visitor::LastVertexCounter;
use crate::search::{tree_size_estimate, unit_runner};
use crate::threads::StopSignal;
use crate::tour::Kind;

/// Number of nodes that a unit of the path-extension search visits between two reports of its
/// progress; this takes a few hundredths of a second.
const NODES_PER_REPORT: u64 = 1 << 21;

/// One search of a job, with its plan.
#[derive(Clone, Debug)]
enum SearchStage {
    Multipath(MultipathPlan),
    Backtrack(BacktrackPlan),
}

/// A job divided into units, with the limits under which they run.
#[derive(Clone, Debug)]
pub struct WorkPlan {
    validated_request: ValidatedRequest,
    /// The searches of the job; empty if sweeps do the job.
    stages: Vec<SearchStage>,
    sweep_units: Option<SweepUnits>,
    memory_limit: Option<u64>,
    /// True if sweeps start even if their estimates exceed memory and disk.
    is_forced: bool,
}

impl SearchStage {
    fn problem(&self) -> &Problem {
        match self {
            Self::Multipath(plan) => plan.problem(),
            Self::Backtrack(plan) => plan.problem(),
        }
    }

    fn unit_count(&self) -> usize {
        match self {
            Self::Multipath(plan) => plan.units().len(),
            Self::Backtrack(plan) => plan.units().len(),
        }
    }

    const fn split_depth(&self) -> u32 {
        match self {
            Self::Multipath(plan) => plan.split_depth(),
            Self::Backtrack(plan) => plan.split_depth(),
        }
    }

    fn schedule(&self) -> Vec<u32> {
        match self {
            Self::Multipath(plan) => plan.schedule(),
            Self::Backtrack(plan) => (0..plan.units().len() as u32).collect(),
        }
    }
}

impl WorkPlan {
    /// Divides a request into units. Cost: milliseconds to tenths of a second, and about 100 bytes
    /// of memory per unit.
    ///
    /// # Errors
    /// The request is invalid: see [`CountError`].
    pub fn new(request: &Request) -> Result<Self, CountError> {
        Self::new_under(request, &Control::new())
    }

    /// Divides a request into units. Returns early if the control is cancelled.
    ///
    /// # Errors
    /// As for [`WorkPlan::new`], and [`CountError::Stopped`].
    pub fn new_under(request: &Request, control: &Control) -> Result<Self, CountError> {
        let validated = ValidatedRequest::new(request, control)?;
        if validated.request().engine == Engine::Frontier {
            let sweeps = Some(SweepUnits::new(&validated));
            return Ok(Self {
                validated_request: validated,
                stages: Vec::new(),
                sweep_units: sweeps,
                memory_limit: None,
                is_forced: false,
            });
        }
        let request = validated.request();
        let stage = |kind: Kind| {
            let problem = validated.search_problem(kind)?;
            let width = problem.bitboard_width();
            Ok(match request.engine {
                Engine::Backtrack => {
                    let depth = request.split_depth;
                    let plan = with_bitboard!(
                        width,
                        B => BacktrackPlan::new_under::<B>(problem, &Warnsdorff, depth, control)
                    )?;
                    SearchStage::Backtrack(plan.ok_or(Stopped)?)
                }
                _ => SearchStage::Multipath(
                    MultipathPlan::new_under(problem, request.split_depth, control)?.ok_or(Stopped)?,
                ),
            })
        };
        let stages =
            validated.search_kinds().into_iter().map(stage).collect::<Result<Vec<_>, CountError>>()?;
        Ok(Self {
            validated_request: validated,
            stages,
            sweep_units: None,
            memory_limit: None,
            is_forced: false,
        })
    }

    /// Sets the memory limit of a sweep in bytes.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Self { memory_limit: memory, ..self }
    }

    /// Sets whether sweeps start even if their estimates exceed memory and disk.
    #[must_use]
    pub fn with_force(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Sets the least limit, in seconds, for the dry run of each sweep. A long sweep has a greater limit.
    #[must_use]
    pub fn with_dry_run_seconds(self, seconds: f64) -> Self {
        Self { sweep_units: self.sweep_units.map(|sweeps| sweeps.with_dry_run_seconds(seconds)), ..self }
    }

    /// Makes all sweeps run from one end of the vertex order only. Sweeps that are shared by ranks require this.
    #[must_use]
    pub fn one_sided(self) -> Self {
        Self { sweep_units: self.sweep_units.map(SweepUnits::one_sided), ..self }
    }

    /// Returns the sweeps of the job, or `None` if searches do the job.
    #[must_use]
    pub(super) const fn sweep_units(&self) -> Option<&SweepUnits> {
        self.sweep_units.as_ref()
    }

    /// Returns the memory limit of a sweep in bytes, if one was set.
    #[must_use]
    pub const fn memory_limit(&self) -> Option<u64> {
        self.memory_limit
    }

    /// Returns true if the units must run one after the other, because each unit uses all threads.
    #[must_use]
    pub const fn is_sequential(&self) -> bool {
        self.sweep_units.is_some()
    }

    /// Returns the validated request, which converts the sums of the units to counts.
    #[must_use]
    pub const fn validated_request(&self) -> &ValidatedRequest {
        &self.validated_request
    }

    /// Returns the number of units.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.sweep_units.as_ref().map_or(0, SweepUnits::unit_count)
            + self.stages.iter().map(SearchStage::unit_count).sum::<usize>()
    }

    /// Returns the split depth of each search: the number of branchings above its units.
    #[must_use]
    pub fn split_depths(&self) -> Vec<u32> {
        self.stages.iter().map(SearchStage::split_depth).collect()
    }

    /// Returns the numbers of all units in the best order to start them: groups of neighbouring
    /// units, the largest group first.
    #[must_use]
    pub fn schedule(&self) -> Vec<u32> {
        if let Some(sweeps) = &self.sweep_units {
            return (0..sweeps.unit_count() as u32).collect();
        }
        let mut schedule = Vec::with_capacity(self.unit_count());
        for stage in &self.stages {
            let before = schedule.len() as u32;
            schedule.extend(stage.schedule().into_iter().map(|unit| before + unit));
        }
        schedule
    }

    /// Returns a digest of all units: two plans with equal digests have equal units with equal
    /// numbers. The digest is `-` if the units depend on the request alone.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match self.sweep_units.as_ref().map(SweepUnits::units_identity) {
            Some(None) => return "-".to_owned(),
            Some(Some(name)) => hash.update(name),
            None => {}
        }
        for stage in &self.stages {
            match stage {
                SearchStage::Multipath(plan) => {
                    for unit in plan.units() {
                        hash.update([0xfe, unit.edges.len() as u8, unit.residual.len() as u8]);
                        hash.update(unit.class.to_le_bytes());
                        for &(v, w) in &unit.edges {
                            hash.update([v, w]);
                        }
                    }
                }
                SearchStage::Backtrack(plan) => {
                    for unit in plan.units() {
                        hash.update([0xff, unit.prefix.len() as u8]);
                        hash.update(unit.root.to_le_bytes());
                        hash.update(&unit.prefix);
                    }
                }
            }
        }
        let mut digest = digest::to_hex(hash);
        // 64 bits distinguish plans and keep the job line readable.
        digest.truncate(16);
        digest
    }

    /// Returns the estimated number of search nodes of each unit, for the progress display. The
    /// list is empty if the job is not a multipath search, or if the control is cancelled.
    #[must_use]
    pub fn unit_node_estimates(&self, control: &Control) -> Vec<f64> {
        let estimate_stage = |stage: &SearchStage| match stage {
            SearchStage::Multipath(plan) => {
                tree_size_estimate::estimate_tree(plan, 8, 0, control).map(|estimate| estimate.unit_nodes)
            }
            SearchStage::Backtrack(_) => None,
        };
        self.stages.iter().map(estimate_stage).collect::<Option<Vec<_>>>().unwrap_or_default().concat()
    }

    /// Runs the unit with number `unit`, or resumes it from its saved progress. A path-extension
    /// search reports its progress to the observer from time to time, and when the control is
    /// cancelled.
    ///
    /// # Errors
    /// [`CountError::Stopped`] if the control was cancelled; the error of a sweep that failed.
    ///
    /// # Panics
    /// Panics if there is no such unit.
    pub fn run_unit(
        &self,
        unit: usize,
        control: &Control,
        observer: &impl RunObserver,
    ) -> Result<UnitSums, CountError> {
        if let Some(sweeps) = &self.sweep_units {
            return sweeps.run_unit(
                unit,
                &self.validated_request,
                (self.memory_limit, self.is_forced),
                control,
                observer,
            );
        }
        let mut number = unit;
        for stage in &self.stages {
            if number < stage.unit_count() {
                let width = stage.problem().bitboard_width();
                let part = observer.load_progress(unit);
                let report = &|part| observer.save_progress(unit, part);
                let unit = RunUnit {
                    stage,
                    validated_request: &self.validated_request,
                    number,
                    control,
                    progress: part,
                    report,
                };
                return with_bitboard!(width, B => unit.run::<B>()).ok_or(CountError::Stopped(Stopped));
            }
            number -= stage.unit_count();
        }
        panic!("unit {unit} does not exist; the job has units 0 to {}", (unit - number).saturating_sub(1));
    }
}

/// Arguments for running a unit of a search.
struct RunUnit<'a> {
    stage: &'a SearchStage,
    validated_request: &'a ValidatedRequest,
    number: usize,
    control: &'a Control,
    progress: Option<UnitProgress>,
    report: &'a dyn Fn(UnitProgress),
}

impl RunUnit<'_> {
    /// Returns `None` if the unit was stopped before its end.
    fn run<B: Bitboard>(&self) -> Option<UnitSums> {
        match self.stage {
            SearchStage::Multipath(plan) => {
                let sums = self.run_multipath::<B>(plan);
                (!self.control.is_cancelled()).then_some(sums)
            }
            SearchStage::Backtrack(plan) => self.run_backtrack::<B>(plan),
        }
    }

    fn run_multipath<B: Bitboard>(&self, plan: &MultipathPlan) -> UnitSums {
        let unit = &plan.units()[self.number];
        let counted = plan.count::<B>(unit, self.control.cancel_flag());
        let count = BigUint::from(counted.tours) * plan.weight(unit);
        let visited = u64::try_from(counted.tours).unwrap_or(u64::MAX);
        let effort = Effort { nodes: counted.nodes, visited, peak_states: 0 };
        let mut sums = UnitSums { effort, ..UnitSums::default() };
        match plan.classes()[unit.class as usize].ends {
            None => sums.closed = count,
            Some((v, w)) => sums.paths.push(self.end_orbit_count(plan.problem(), (v, w), count, false)),
        }
        sums
    }

    /// Runs a unit of the path-extension search. Returns `None` if the unit was stopped before its
    /// end.
    fn run_backtrack<B: Bitboard>(&self, plan: &BacktrackPlan) -> Option<UnitSums> {
        let problem = plan.problem();
        let unit = &plan.units()[self.number];
        let root = &plan.roots()[unit.root as usize];
        let kernel: Backtrack<B> = plan.unit_kernel(unit);
        let len = problem.graph().len();
        let mut counter = LastVertexCounter::new(len, self.control.cancel_flag());
        let (mut resume_path, mut nodes) = (None, 0);
        if let Some(part) = &self.progress {
            counter.tours.clone_from(&part.tours);
            (resume_path, nodes) = (Some(part.path.clone().into_boxed_slice()), part.nodes);
        }
        loop {
            counter = counter.with_node_limit(NODES_PER_REPORT);
            let visited = kernel.visit_from(&Warnsdorff, resume_path.as_deref(), &mut counter);
            nodes += visited.nodes;
            resume_path = visited.resume_path;
            let Some(path) = &resume_path else { break };
            (self.report)(UnitProgress { path: path.to_vec(), tours: counter.tours.clone(), nodes });
            if self.control.is_cancelled() {
                return None;
            }
        }
        let mut sums = UnitSums { effort: Effort { nodes, ..Effort::default() }, ..UnitSums::default() };
        let start = root.path[0];
        for (last, &tours) in (0..).zip(&counter.tours) {
            if tours == 0 {
                continue;
            }
            sums.effort.visited += tours;
            // A u64 times at most the order of a group always fits.
            let count = u128::from(tours) * u128::from(unit.weight) * u128::from(root.size);
            if problem.kind() == Kind::Closed {
                sums.closed += count;
                continue;
            }
            // Within an orbit the search visits both directions of a path, between two orbits only one.
            let same = self.validated_request.orbit_of(start) == self.validated_request.orbit_of(last);
            let directed = same && !problem.has_fixed_end();
            sums.paths.push(self.end_orbit_count(problem, (start, last), count.into(), directed));
        }
        Some(sums)
    }

    fn end_orbit_count(
        &self,
        problem: &Problem,
        (v, w): (u32, u32),
        count: BigUint,
        directed: bool,
    ) -> EndOrbitCount {
        let orbits = (self.validated_request.orbit_of(v), self.validated_request.orbit_of(w));
        EndOrbitCount { orbits, is_re_entrant: problem.is_re_entrant(v, w), count, is_directed: directed }
    }
}

/// Running time of a run after which the sizes of its units are estimated.
const ESTIMATE_DELAY: Duration = Duration::from_millis(500);

/// Additional running time before the estimates if most units are done after [`ESTIMATE_DELAY`],
/// because the run may end before the estimates do.
const EXTRA_ESTIMATE_DELAY: Duration = Duration::from_millis(1500);

fn new_estimate_pool() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    // The name lets profiles show the thread's share of the time.
    rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "estimates".to_owned()).build()
}

/// Counts the tours of a request. `control` receives the progress of the count, and can stop it.
///
/// Cost: a search takes a few MB of memory for its units, independent of the number of tours; for its time see
/// `search::tree_size_estimate`. For a sweep, [`WorkPlan::estimate`] returns time and memory.
///
/// # Errors
/// See [`CountError`].
pub fn count(request: &Request, control: &Control) -> Result<Answer, CountError> {
    count_with_memory(request, None, control)
}

/// Counts the tours of a request. Sweeps use at most `memory` bytes; default: nine tenths of the
/// available memory.
///
/// # Errors
/// See [`CountError`].
pub fn count_with_memory(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Result<Answer, CountError> {
    let work_plan = WorkPlan::new_under(request, control)?.with_memory(memory);
    work_plan.validated_request().answer(&count_sums(&work_plan, control)?)
}

/// Runs all units of a plan, and returns their sums.
///
/// # Errors
/// As for [`run_units`].
pub fn count_sums(work_plan: &WorkPlan, control: &Control) -> Result<Sums, CountError> {
    let sums = Mutex::new(work_plan.validated_request().zero_sums());
    run_units(work_plan, &work_plan.schedule(), control, &sums)?;
    Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Runs the units of `work_plan` that `schedule` lists. Reports each result to the observer, from
/// the thread that ran the unit. Sweeps use the resources that the observer provides.
///
/// # Errors
/// [`CountError::Stopped`] if the control was cancelled before every unit was done, or the error of
/// the first sweep that failed. The observer has received the results of the finished units.
pub fn run_units(
    work_plan: &WorkPlan,
    schedule: &[u32],
    control: &Control,
    observer: &impl RunObserver,
) -> Result<(), CountError> {
    control.begin_resumed_run(work_plan.unit_count(), schedule, &observer.earlier_work());
    let unit = |number: usize| -> Result<(), CountError> {
        let unit = work_plan.run_unit(number, control, observer)?;
        let tours =
            unit.paths.iter().map(|ends| &ends.count).sum::<BigUint>() + &unit.closed + &unit.unplaced;
        control.finish_unit(number, unit.effort.nodes, tours.to_u128().unwrap_or(u128::MAX));
        observer.on_unit_done(number, &unit);
        Ok(())
    };
    if work_plan.is_sequential() {
        if let Some(seconds) = work_plan.sweep_units().and_then(|sweeps| sweeps.step_seconds(schedule)) {
            control.set_estimates(seconds);
        }
        return schedule.iter().try_for_each(|&number| unit(number as usize));
    }
    let run = || {
        unit_runner::run_units(schedule, control, |number| {
            // A search fails only if it is stopped, and then the whole run stops.
            let _ = unit(number);
        })
    };
    if !control.has_progress_reader() {
        return Ok(run()?);
    }
    // If a progress display watches a long run, the units' sizes are estimated while they run.
    std::thread::scope(|scope| {
        let (end, signal) = StopSignal::new();
        // If no thread can be started, there are no estimates.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
            let is_mostly_undone = || control.progress().fraction < 0.5;
            if signal.wait(ESTIMATE_DELAY) && (is_mostly_undone() || signal.wait(EXTRA_ESTIMATE_DELAY)) {
                // All threads of the pool are busy until the run ends, so the estimates use a thread of their
                // own.
                if let Ok(own) = new_estimate_pool() {
                    control.set_estimates(own.install(|| work_plan.unit_node_estimates(control)));
                }
            }
        });
        let result = run();
        drop(end);
        Ok(result?)
    })
}
