//! Estimates of the time, memory and disk space of a whole job, made before it starts.
//!
//! ```text
//! WorkPlan -> searches: nodes by random walks x seconds per node
//!          -> sweeps:   an Estimate for each, with the part that exceeds memory -> JobEstimate
//! ```

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::sweep_units::SweepUnits;
use super::{CountError, Engine, WorkPlan, engine_cost};
use crate::board::{Board, Piece, Wrap};
use crate::budget::{
    Budget, DiskBudget, MAX_DRY_RUN_SECONDS, MachineSize, Refusal, Remedy, Requirements, Shortage,
};
use crate::control::Control;
use crate::frontier::{Estimate, PreparedSweep};
use crate::memory;
use crate::search::unit_runner::Stopped;

/// Divisor of the safety margin of rough estimates: a margin of one byte in this many is added.
const ROUGH_MARGIN_DIVISOR: u64 = 8;

/// Largest factor by which the rough estimate of a sweep exceeds its actual need, for a board that
/// is not a rectangle.
const MAX_OVERESTIMATE_UNUSUAL_BOARD: u64 = 16;

/// The same factor for knights on a wrapped board. Measured on boards of 25 to 64 squares: up to 4.2.
const MAX_OVERESTIMATE_WRAPPED_BOARD: u64 = 6;

/// A sweep that is held in memory needs no dry run if this number times its rough need is below the memory limit.
const SMALL_SWEEP_MEMORY_FACTOR: u64 = 3;

/// Range of the estimated core seconds of a search in which each unit is probed, that is, estimated
/// separately. Shorter searches need no accurate estimate, and longer ones are hopeless.
const PROBED_SEARCH_SECONDS: RangeInclusive<f64> = 10.0..=1e9;

/// A method of [`SweepUnits`] that estimates the sweeps of some units under a memory limit in
/// bytes, and returns the estimates by index of the sweep.
type SweepEstimator =
    fn(&SweepUnits, &[u32], Option<u64>, &Control) -> Result<BTreeMap<usize, Estimate>, CountError>;

/// The estimated time, memory and disk space that a job needs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobEstimate {
    /// Wall-clock seconds of the job on this machine; `None` if there is no estimate.
    pub seconds: Option<f64>,
    /// Bytes of memory of the process; at most the memory limit if layers can be spilled.
    pub memory_bytes: u64,
    /// Bytes of memory of the process if nothing is spilled.
    pub unspilled_bytes: u64,
    /// Bytes on disk of the layers that are spilled.
    pub disk_bytes: u64,
    /// Bytes of the largest checkpoint, which holds all layers of a suspended sweep.
    pub checkpoint_bytes: u64,
    /// Memory limit in bytes, if known.
    pub memory_limit: Option<u64>,
    /// Bytes of memory that the process needs even if it spills as much as possible.
    pub min_memory_bytes: u64,
    /// True if some sweep was estimated without a dry run, or if `is_of_first_shard` is true.
    pub is_rough: bool,
    /// True if several shards of a sweep have the estimate of the first of them.
    pub is_of_first_shard: bool,
    /// True if the estimate, made without a dry run, is that of the largest shard of each sweep. The shard of this job
    /// can be much smaller.
    pub is_largest_shard: bool,
    /// Estimates of the job's sweeps, or of a shard of each sweep if the job is a shard, if nothing is spilled. Empty
    /// for a search.
    pub sweeps: Vec<Estimate>,
}

impl JobEstimate {
    /// Returns the estimate of a job whose sweeps run one after the other. `ceiling` is the memory limit in bytes.
    #[must_use]
    pub(crate) fn from_sweeps(sweeps: Vec<Estimate>, ceiling: Option<u64>) -> Self {
        let spills: Vec<_> = sweeps
            .iter()
            .map(|sweep| ceiling.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default())
            .collect();
        let max_of = |of: &dyn Fn(&Estimate) -> u64| sweeps.iter().map(of).max().unwrap_or(0);
        let memory = max_of(&|sweep| sweep.peak_bytes);
        Self {
            seconds: Some(
                sweeps.iter().zip(&spills).map(|(sweep, spill)| sweep.seconds + spill.seconds).sum(),
            ),
            memory_bytes: memory.min(ceiling.unwrap_or(u64::MAX)),
            unspilled_bytes: memory,
            disk_bytes: spills.iter().map(|spill| spill.bytes).max().unwrap_or(0),
            checkpoint_bytes: max_of(&Estimate::checkpoint_bytes),
            memory_limit: ceiling,
            min_memory_bytes: max_of(&|sweep| min_sweep_memory(sweep, ceiling)),
            is_rough: sweeps.iter().any(is_rough_sweep),
            is_of_first_shard: false,
            is_largest_shard: false,
            sweeps,
        }
    }

    /// Returns the estimate of the same sweeps under the memory limit `limit`, in bytes.
    pub(crate) fn under_limit(self, limit: Option<u64>) -> Self {
        let Self { is_rough, is_of_first_shard, is_largest_shard, .. } = self;
        let sweeps = self.sweeps.into_iter().map(|sweep| sweep.with_ceiling(limit)).collect();
        Self { is_rough, is_of_first_shard, is_largest_shard, ..Self::from_sweeps(sweeps, limit) }
    }

    /// Returns true if the estimate is rough, and of sweeps of a board that is not a rectangle. It may be many times too
    /// high or too low.
    pub(super) fn is_unreliable(&self) -> bool {
        self.is_rough && self.sweeps.iter().any(|sweep| sweep.is_unusual_board)
    }

    /// Returns true if twice the memory of this rough estimate exceeds the limit: a dry run must then decide whether the
    /// memory suffices.
    #[must_use]
    pub fn is_memory_tight(&self) -> bool {
        self.memory_limit.is_some_and(|limit| self.unspilled_bytes > limit / 2)
    }

    /// Returns a lower bound for the needs of the job on `board`: a rough estimate divided by its possible
    /// error, an exact estimate unchanged.
    #[must_use]
    pub fn lower_bound(&self, board: &Board) -> Self {
        let is_wrapped = board.wrap() != Wrap::None && board.piece() == Some(Piece::default());
        let divisor = match self.is_unreliable() {
            _ if !self.is_rough => 1,
            true if is_wrapped => MAX_OVERESTIMATE_WRAPPED_BOARD,
            true => MAX_OVERESTIMATE_UNUSUAL_BOARD,
            false => 2,
        };
        let divided = |bytes: u64| bytes / divisor;
        Self {
            seconds: self.seconds.map(|seconds| seconds / divisor as f64),
            memory_bytes: divided(self.memory_bytes),
            unspilled_bytes: divided(self.unspilled_bytes),
            disk_bytes: divided(self.disk_bytes),
            checkpoint_bytes: divided(self.checkpoint_bytes),
            min_memory_bytes: self
                .sweeps
                .iter()
                .map(|sweep| sweep.min_memory_if_smaller(divisor))
                .max()
                .unwrap_or(self.min_memory_bytes),
            ..self.clone()
        }
    }

    /// Returns what the job needs.
    #[must_use]
    pub fn requirements(&self) -> Requirements {
        Requirements {
            seconds: self.seconds,
            memory: self.unspilled_bytes,
            min_memory: self.min_memory_bytes,
            disk: self.disk_bytes,
            memory_overestimate: self.memory_overestimate(),
            disk_overestimate: Requirements::overestimate(false),
        }
    }

    /// Returns the factor by which the memory may be overestimated. Each sweep has its own factor: an estimate by a
    /// dry run must fit, because a sweep without a disk stops if its memory is too small by a few percent.
    fn memory_overestimate(&self) -> f64 {
        let rough = Requirements::overestimate(false);
        let factor = |sweep: &Estimate| if self.is_rough_sweep(sweep) { rough } else { 1.0 };
        let most = self.sweeps.iter().map(|sweep| sweep.peak_bytes as f64).fold(0.0, f64::max);
        let least =
            self.sweeps.iter().map(|sweep| sweep.peak_bytes as f64 / factor(sweep)).fold(0.0, f64::max);
        if least > 0.0 { most / least } else { rough }
    }

    /// Returns true if the estimate of a sweep of this job is rough.
    fn is_rough_sweep(&self, sweep: &Estimate) -> bool {
        self.is_of_first_shard || is_rough_sweep(sweep)
    }

    /// Returns the maximum of a number of bytes over the sweeps, with a margin for each rough one. `None` for a search.
    fn max_with_margin(&self, bytes: impl Fn(&Estimate) -> u64) -> Option<u64> {
        let with_own_margin = |sweep: &Estimate| match self.is_rough_sweep(sweep) {
            true => with_margin(bytes(sweep)),
            false => bytes(sweep),
        };
        self.sweeps.iter().map(with_own_margin).max()
    }

    /// Returns true if the job fits even if nothing is overestimated.
    #[must_use]
    pub(crate) fn fits_as_estimated(&self, disk: DiskBudget) -> bool {
        let needs = Requirements { memory_overestimate: 1.0, disk_overestimate: 1.0, ..self.requirements() };
        Budget { disk, ..Budget::new(self.memory_limit) }.check(&needs).is_ok()
    }

    /// Returns the least memory limit in bytes under which the job stores nothing on disk, with a margin if the
    /// estimate is rough.
    #[must_use]
    pub fn memory_without_disk(&self) -> u64 {
        self.max_with_margin(Estimate::min_memory_without_store).unwrap_or(self.unspilled_bytes)
    }

    /// Returns the least memory limit in bytes under which the job fits if it may use `disk`, with a margin if the
    /// estimate is rough.
    pub(super) fn least_memory(&self, disk: DiskBudget) -> u64 {
        let free = match disk {
            _ if self.cannot_spill() => return self.memory_without_disk(),
            DiskBudget::Absent => return self.memory_without_disk(),
            DiskBudget::Unknown => u64::MAX,
            DiskBudget::Free(free) => free,
        };
        self.enough_memory_with_disk(free)
    }

    /// Returns a number of bytes of memory that suffices for every sweep if `free` bytes of disk space are available:
    /// the minimum, with a margin for each rough sweep.
    pub(super) fn enough_memory_with_disk(&self, free: u64) -> u64 {
        self.max_with_margin(|sweep| sweep.min_memory_with_disk(free)).unwrap_or(0)
    }

    /// Returns the core seconds of the job on the current rayon pool; 0 if there is no estimate.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.seconds.unwrap_or(0.0) * rayon::current_num_threads() as f64
    }

    /// Returns the size of a machine on which the job fits. `needed` is the number of bytes of memory that `shortage`
    /// names, or more.
    pub(super) fn machine(&self, shortage: Shortage, needed: u64) -> MachineSize {
        let disk = self.sweeps.iter().map(|sweep| sweep.spill(needed).bytes).max().unwrap_or(0);
        let needs_disk = matches!(shortage, Shortage::MinMemory { .. }) && disk > 0;
        MachineSize {
            memory: if needs_disk { needed.max(self.unspilled_bytes) } else { needed },
            with_disk: needs_disk.then_some((needed, disk)),
        }
    }

    /// Returns true if the job takes more than a year, or does not fit into the memory of this machine.
    pub(super) fn is_beyond_machine(&self) -> bool {
        let machine = Self { memory_limit: memory::default_limit_bytes(), ..self.clone() };
        machine.admit(DiskBudget::Absent, false).is_err()
    }

    /// Checks that the job takes at most a year, and fits into its memory limit and `disk`.
    ///
    /// # Errors
    /// The resource that is too small.
    pub fn check(&self, disk: DiskBudget) -> Result<(), Shortage> {
        let budget = Budget { disk, ..Budget::new(self.memory_limit) };
        budget.check(&self.requirements()).map_err(|shortage| match shortage {
            Shortage::MinMemory { needed, available } if self.cannot_spill() => {
                Shortage::TooWide { needed, available }
            }
            // A search stores nothing on disk.
            Shortage::MinMemory { needed, available } if self.sweeps.is_empty() => {
                Shortage::Memory { needed, available }
            }
            shortage => shortage,
        })
    }

    /// Admits a job of sweeps that are held in memory, or with a folder on disk. `can_use_disk` is true if the
    /// job could have a folder.
    ///
    /// # Errors
    /// The refusal with its remedies.
    pub fn admit(&self, disk: DiskBudget, can_use_disk: bool) -> Result<(), Refusal> {
        self.check(disk).map_err(|shortage| {
            let shortage = match (shortage, disk) {
                (
                    Shortage::MinMemory { available, .. } | Shortage::Memory { available, .. },
                    DiskBudget::Absent,
                ) => Shortage::Memory {
                    needed: self.memory_without_disk().max(self.min_memory_bytes),
                    available,
                },
                (shortage, _) => shortage,
            };
            let Some((needed, available)) = shortage.memory() else {
                return Refusal::new(shortage, Vec::new());
            };
            let more =
                Remedy::more_memory(needed, memory::default_limit_bytes()).map(|remedy| match remedy {
                    Remedy::LargerMachine(_) => Remedy::LargerMachine(self.machine(shortage, needed)),
                    remedy => remedy,
                });
            let mut remedies = Vec::from_iter(more);
            if can_use_disk && self.min_memory_bytes < available && !self.cannot_spill() {
                remedies.push(Remedy::UseDisk(needed));
            }
            remedies.push(Remedy::SmallerBoard);
            Refusal::new(shortage, remedies)
        })
    }

    /// Returns true if some sweep has a frontier so wide that its layers cannot be spilled to disk.
    #[must_use]
    pub fn cannot_spill(&self) -> bool {
        self.sweeps.iter().any(|sweep| sweep.cannot_spill)
    }

    /// Returns the minimum bytes of memory that suffice for every sweep if `free` bytes of disk
    /// space are available.
    #[must_use]
    pub fn min_memory_with_disk(&self, free: u64) -> u64 {
        self.sweeps.iter().map(|sweep| sweep.min_memory_with_disk(free)).max().unwrap_or(0)
    }
}

/// Returns the estimate by which a sweep that is held in memory is admitted: the rough estimate if it is far below the
/// memory limit `limit`, in bytes, otherwise that of a dry run, if the dry run takes at most half a minute.
///
/// # Errors
/// The estimate was cancelled.
pub(super) fn estimate_in_memory(
    prepared: &PreparedSweep,
    limit: Option<u64>,
) -> Result<Estimate, CountError> {
    let rough = prepared.rough_estimate();
    match limit.is_none_or(|limit| rough.peak_bytes < limit / SMALL_SWEEP_MEMORY_FACTOR) {
        true => Ok(rough),
        false => Ok(prepared.measure(MAX_DRY_RUN_SECONDS).ok_or(Stopped)?),
    }
}

/// Returns true if a sweep was estimated without a dry run.
const fn is_rough_sweep(sweep: &Estimate) -> bool {
    !sweep.is_exact && sweep.steps > 0
}

/// Returns the minimum bytes of memory for a sweep that was estimated under the memory limit
/// `ceiling`.
fn min_sweep_memory(sweep: &Estimate, ceiling: Option<u64>) -> u64 {
    ceiling.map_or_else(|| sweep.min_memory(), |ceiling| sweep.min_memory_under(ceiling))
}

/// Returns a number of bytes with a margin, because an estimate from the order alone may be too low.
pub(super) const fn with_margin(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / ROUGH_MARGIN_DIVISOR)
}

impl WorkPlan {
    /// Returns the estimate for the given units, made on the current rayon pool. Each sweep is
    /// planned, and measured by a dry run if the dry run takes a small part of the sweep's time.
    /// The sweeps themselves use these plans later.
    ///
    /// # Errors
    /// The frontier of a sweep is too wide, or the control was cancelled.
    pub fn estimate(&self, units: &[u32], control: &Control) -> Result<JobEstimate, CountError> {
        self.estimate_with(units, control, SweepUnits::estimates)
    }

    /// Returns a rough estimate of the given units, without a dry run. Cost: the planning of the sweeps.
    ///
    /// # Errors
    /// As for [`WorkPlan::estimate`].
    pub fn rough_estimate(&self, units: &[u32], control: &Control) -> Result<JobEstimate, CountError> {
        self.estimate_with(units, control, SweepUnits::rough_estimates)
    }

    /// Returns the estimated core seconds of the given units of a multipath search, or `None` if
    /// the job has no such search. Each unit is estimated separately, because a few walks from the
    /// root seldom reach the large units. Cost: some microseconds per unit.
    pub(super) fn probed_seconds(&self, units: &[u32], control: &Control) -> Option<f64> {
        let nodes = self.unit_node_estimates(control);
        let total_nodes: f64 = nodes.iter().sum();
        let unit_nodes = units.iter().map(|&unit| nodes.get(unit as usize).copied()).sum::<Option<f64>>()?;
        // The share of time that the transposition table saves depends on the size of the whole job.
        let seconds =
            engine_cost::count_seconds(self.validated_request().request().board().graph(), total_nodes);
        Some(if total_nodes > 0.0 { seconds * unit_nodes / total_nodes } else { 0.0 })
    }

    fn estimate_with(
        &self,
        units: &[u32],
        control: &Control,
        estimates: SweepEstimator,
    ) -> Result<JobEstimate, CountError> {
        let threads = rayon::current_num_threads().max(1) as f64;
        let request = self.validated_request().request();
        let Some(sweeps) = self.sweep_units() else {
            let share = units.len() as f64 / self.unit_count().max(1) as f64;
            let whole = match request.engine {
                Engine::Backtrack => engine_cost::backtrack_seconds(request, control)?,
                _ => engine_cost::search_seconds(request, control)?,
            };
            let is_long = whole.is_some_and(|whole| PROBED_SEARCH_SECONDS.contains(&whole));
            let probed = if is_long && request.engine != Engine::Backtrack {
                self.probed_seconds(units, control)
            } else {
                None
            };
            let all = probed.or(whole.map(|whole| whole * share));
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped));
            }
            let seconds = all.map(|all| all / threads);
            let memory =
                engine_cost::search_bytes(request, self.unit_count(), whole.unwrap_or(f64::INFINITY));
            return Ok(JobEstimate {
                seconds,
                memory_bytes: memory,
                unspilled_bytes: memory,
                disk_bytes: 0,
                checkpoint_bytes: 0,
                memory_limit: self.memory_limit(),
                min_memory_bytes: memory,
                is_rough: true,
                is_of_first_shard: false,
                is_largest_shard: false,
                sweeps: Vec::new(),
            });
        };
        let ceiling = self.memory_limit().or_else(memory::default_limit_bytes);
        let all = estimates(sweeps, units, ceiling, control)?;
        let of_units = units.iter().map(|&unit| all[&sweeps.sweep_index(unit as usize)].clone());
        let estimate = JobEstimate::from_sweeps(of_units.collect(), ceiling);
        let is_largest_shard = request.shards > 1 && estimate.is_rough;
        let is_of_first_shard = units.len() > all.len();
        let is_rough = estimate.is_rough || is_of_first_shard;
        Ok(JobEstimate { is_rough, is_of_first_shard, is_largest_shard, ..estimate })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Request;
    use super::*;
    use crate::tour::Kind;

    fn estimate_of(board: &str, engine: Engine, memory: Option<u64>) -> JobEstimate {
        let kind = Some(Kind::Closed);
        let request = Request { engine, ..Request::of_kind(board.parse::<Board>().unwrap(), kind) };
        let work_plan = WorkPlan::new(&request).unwrap().with_memory(memory);
        work_plan.estimate(&work_plan.schedule(), &Control::new()).unwrap()
    }

    #[test]
    fn estimate_of_small_sweep_is_small() {
        let small = estimate_of("6x6", Engine::Frontier, Some(1 << 30));
        // Planning is timed, and takes as long as the machine is busy; the steps are predicted.
        let steps: f64 = small.sweeps.iter().flat_map(|sweep| &sweep.step_seconds).sum();
        assert!(small.memory_bytes < 20 << 20 && small.disk_bytes == 0 && steps < 5.0, "{small:?}");
        assert!(small.check(DiskBudget::Absent).is_ok());
    }

    #[test]
    fn search_without_units_needs_nothing() {
        for engine in [Engine::Multipath, Engine::Backtrack] {
            let odd = estimate_of("5x5", engine, Some(1 << 20));
            assert_eq!((odd.memory_bytes, odd.min_memory_bytes), (0, 0), "{odd:?}");
            assert_eq!(odd.check(DiskBudget::Absent), Ok(()));
        }
    }

    #[test]
    fn lower_bound_of_rough_estimate_rejects_hopeless_job() {
        let closed = Some(Kind::Closed);
        let board: Board = "9x10".parse().unwrap();
        let request = Request { engine: Engine::Frontier, ..Request::of_kind(board.clone(), closed) };
        let work_plan = WorkPlan::new(&request).unwrap().with_memory(Some(1 << 28));
        let estimate = work_plan.rough_estimate(&work_plan.schedule(), &Control::new()).unwrap();
        let least = estimate.lower_bound(&board);
        assert!(estimate.is_rough && least.unspilled_bytes == estimate.unspilled_bytes / 2);
        assert!(matches!(least.check(DiskBudget::Absent), Err(Shortage::MinMemory { .. })), "{least:?}");
        assert!(least.seconds.unwrap() < estimate.seconds.unwrap());
    }

    #[test]
    fn check_rejects_excessive_memory_and_disk() {
        let large = estimate_of("12x12", Engine::Frontier, Some(8 << 30));
        let years = large.seconds.unwrap() / 3e7;
        assert!(large.is_rough && years > 1.0, "{years}");
        assert!(matches!(large.check(DiskBudget::Absent), Err(Shortage::Time { .. })));
        let large = JobEstimate { seconds: None, ..large };
        assert!(matches!(large.check(DiskBudget::Absent), Err(Shortage::TooWide { .. })));
        // Its frontier is too wide for layers: no disk helps.
        let with_a_disk = large.check(DiskBudget::Free(1 << 60));
        assert!(large.cannot_spill() && matches!(with_a_disk, Err(Shortage::TooWide { .. })));
        let planned = estimate_of("9x18", Engine::Frontier, Some(20 << 30));
        assert!(planned.disk_bytes > 20 << 30 && planned.memory_bytes == 20 << 30, "{planned:?}");
        assert!(matches!(planned.check(DiskBudget::Free(1 << 30)), Err(Shortage::Disk { .. })));
        assert!(!planned.cannot_spill() && planned.min_memory_with_disk(planned.disk_bytes) < 21 << 30);
        assert!(
            planned.check(DiskBudget::Absent).is_err() && planned.check(DiskBudget::Free(2 << 40)).is_ok()
        );
        // If the free disk space is unknown, the job may start.
        assert!(planned.check(DiskBudget::Unknown).is_ok());
        // The estimate of a shard is that of the largest shard: half of it must fit.
        let part = JobEstimate {
            is_largest_shard: true,
            is_rough: true,
            unspilled_bytes: 39 << 30,
            disk_bytes: 19 << 30,
            ..planned
        };
        assert!(part.check(DiskBudget::Absent).is_ok());
        assert!(
            JobEstimate { min_memory_bytes: 21 << 30, ..part.clone() }.check(DiskBudget::Absent).is_err()
        );
        let large_shard = JobEstimate { unspilled_bytes: 41 << 30, disk_bytes: 21 << 30, ..part };
        assert!(matches!(large_shard.check(DiskBudget::Absent), Err(Shortage::Memory { .. })));
        assert!(matches!(large_shard.check(DiskBudget::Free(10 << 30)), Err(Shortage::Disk { .. })));
        assert!(large_shard.check(DiskBudget::Free(11 << 30)).is_ok());
    }

    #[test]
    fn each_sweep_has_the_tolerance_of_its_own_estimate() {
        let sweep = |mib: u64, is_exact| {
            let mut sweep = Estimate::default();
            (sweep.steps, sweep.peak_bytes, sweep.is_exact) = (9, mib << 20, is_exact);
            sweep
        };
        let fits = |sweeps: &[(u64, bool)], limit: u64| {
            let sweeps = sweeps.iter().map(|&(mib, is_exact)| sweep(mib, is_exact)).collect();
            JobEstimate::from_sweeps(sweeps, Some(limit << 20)).check(DiskBudget::Absent).is_ok()
        };
        assert!(fits(&[(259, true)], 259) && !fits(&[(259, true)], 258));
        assert!(fits(&[(259, false)], 130) && !fits(&[(259, false)], 129));
        // A rough estimate of one sweep makes that of the other no less exact.
        assert!(!fits(&[(100, false), (259, true)], 150) && fits(&[(100, false), (259, true)], 260));
        assert!(!fits(&[(400, false), (259, true)], 250) && fits(&[(400, false), (259, true)], 260));
    }

    /// Returns the work plan of a sweep for closed tours in shards.
    fn shards_of(board: &str, shards: u32, memory: Option<u64>) -> WorkPlan {
        let closed = Request::of_kind(board.parse::<Board>().unwrap(), Kind::Closed);
        let request = Request { engine: Engine::Frontier, shards, ..closed };
        WorkPlan::new(&request).unwrap().with_memory(memory)
    }

    #[test]
    fn rough_shard_estimate_decreases_with_number_of_shards() {
        let layers = [1, 2, 8, 64].map(|shards| {
            let work_plan = shards_of("8x9", shards, None).one_sided();
            let estimate = work_plan.rough_estimate(&[0], &Control::new()).unwrap();
            assert!(estimate.is_rough && estimate.is_largest_shard == (shards > 1));
            (estimate.unspilled_bytes - estimate.sweeps[0].fixed_bytes) as f64
        });
        assert!(layers[0] == layers[1] && layers[1] == layers[2], "{layers:?}");
        assert!((layers[3] / layers[0] - 0.5).abs() < 0.05, "{layers:?}");
    }

    #[test]
    fn dry_run_estimates_the_shard_itself() {
        // Memory is short, so there is a dry run.
        let estimates = [(1, 0), (6, 0), (6, 5)].map(|(shards, unit)| {
            let work_plan = shards_of("7x8", shards, Some(30 << 20));
            work_plan.estimate(&[unit], &Control::new()).unwrap()
        });
        for shard in &estimates[1..] {
            assert!(!shard.is_rough && !shard.is_largest_shard);
            assert!(shard.unspilled_bytes < estimates[0].unspilled_bytes);
        }
        assert_ne!(estimates[1].unspilled_bytes, estimates[2].unspilled_bytes);
        // Two shards of a sweep have the estimate of the first, which need not be the largest.
        let both = shards_of("7x8", 6, Some(30 << 20)).estimate(&[0, 5], &Control::new()).unwrap();
        assert!(both.is_rough && !both.is_largest_shard);
        assert_eq!(both.unspilled_bytes, estimates[1].unspilled_bytes);
    }

    #[test]
    fn search_estimate_has_little_memory() {
        let search = estimate_of("5x6", Engine::Multipath, None);
        assert!(search.seconds.unwrap() < 1.0 && search.check(DiskBudget::Absent).is_ok());
        assert!(
            (5 << 20..40 << 20).contains(&search.memory_bytes)
                && search.memory_bytes == search.unspilled_bytes
        );
        assert!(estimate_of("10x10", Engine::Multipath, None).seconds.unwrap() > 1e9);
    }

    #[test]
    fn search_shard_estimates_add_up() {
        let request = Request { engine: Engine::Multipath, ..Request::new("7x7".parse::<Board>().unwrap()) };
        let work_plan = WorkPlan::new(&request.with_kind(Kind::Paths).unwrap()).unwrap();
        let schedule = work_plan.schedule();
        let seconds = |units: &[u32]| work_plan.estimate(units, &Control::new()).unwrap().seconds.unwrap();
        let whole = seconds(&schedule);
        let parts: f64 = schedule.chunks(schedule.len() / 8 + 1).map(seconds).sum();
        assert!((parts / whole - 1.0).abs() < 1e-6, "{parts} {whole}");
    }
}
