//! The plan of an index of tours, and estimates of the size and time of the index before it is
//! built.
//!
//! The plan is the plan of a one-sided count without precomputed orders. It defines the numbers of
//! the tours.
//!
//! ```text
//! plan -> Estimate of the one-sided sweep, by its order or a dry run
//!      -> layers:     a bit per weight, the bytes of a typical weight per state, and an entry per word
//!      -> memory:     layers so far + memory of the sweep; only the sweep for layers in a folder
//!      -> statistics: 8 bytes per weight of two layers
//! ```
//!
//! The bytes of states and the times were measured on 8x8: `results/steps-8x8-closed.csv` has the
//! layers.

use std::sync::Arc;

use super::edge_usage::{MAX_U64_WEIGHT_BITS, MAX_U128_WEIGHT_BITS};
use super::error::IndexLayersError;
use super::index_layers::MAX_QUEUED_BYTES;
use crate::budget::{
    Budget, DiskBudget, MAX_DRY_RUN_SECONDS, Refusal, RefusedPart, Remedy, Requirements, Shortage,
};
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::{SignatureSpace, WORD_BITS};
use crate::frontier::sweep::cost_model::BoardProfile;
use crate::frontier::sweep::cost_model::dry_run_seconds;
use crate::frontier::sweep::plan_choice::searched_plan;
use crate::frontier::sweep::prepared_sweep::known_count;
use crate::frontier::sweep::sweep_estimate::{Estimate, ceiling_for};
use crate::frontier::sweep::sweep_tables::SweepTables;
use crate::frontier::sweep::{cost_model, rough_estimate};
use crate::frontier::weights::weight::Width;
use crate::memory;

/// Returns a good order of the squares of a graph, for sweeps of the same graph with other edge
/// factors; `None` if the number of tours is known without an order.
///
/// # Errors
/// If the frontier is too wide, or the search was cancelled.
pub fn search_order(
    sweep_graph: &SweepGraph,
    tours: Tours,
    cancel: &Cancel,
) -> Result<Option<Vec<usize>>, IndexLayersError> {
    if known_count(sweep_graph, tours).is_some() {
        return Ok(None);
    }
    let cycles = Cycles::from_sweep_graph(sweep_graph, tours);
    let plan = plan_index(sweep_graph, &cycles, cancel)?;
    let squares = plan.steps().iter().map(|step| step.vertex).filter(|&v| v < cycles.square_count());
    Ok(Some(squares.collect()))
}

/// Returns the plan of an index: the plan of a one-sided count, with a searched vertex order.
///
/// # Errors
/// If the frontier is too wide, or the search was cancelled.
pub fn plan_index(
    sweep_graph: &SweepGraph,
    cycles: &Cycles,
    cancel: &Cancel,
) -> Result<Plan, IndexLayersError> {
    searched_plan(sweep_graph, cycles, can_fold(cycles), cancel).map_err(|error| match error {
        Error::TooWide { width } => IndexLayersError::Width { width },
        error => error.into(),
    })
}

/// Returns true if the layers may be folded. After folding, a tour is known only up to its mirror
/// image. That is sufficient if the mirror image of every tour is counted too; a fixed end would
/// distinguish the two tours.
#[must_use]
pub fn can_fold(cycles: &Cycles) -> bool {
    cycles.start().is_none()
}

/// Share of nonzero weights in a stored layer, for boards that are not rectangles. With this share,
/// the estimate is 0.75 to 1.5 times the measured size for tori, a cylinder and 3x3x4.
const UNUSUAL_BOARD_DENSITY: f64 = 0.8;

/// Safety factor on the layers of boards that are not rectangles, whose density varies. Measured on tori of 5x6 and
/// 6x6, whose indexes take up to 1.3 times the estimate.
const UNUSUAL_BOARD_MARGIN_FACTOR: f64 = 1.35;

/// Number of bits by which the greatest weight of a typical group of 64 weights is below the
/// greatest weight of the layer. With this number, the estimated size of an index is 1.1 to 1.5 times the
/// measured size for 5x12, 6x12, 7x8 and 8x8 closed and for 5x10 and 7x7 paths.
const GROUP_BITS_DEFICIT: f64 = 8.0;

/// Least number of bits of a nonzero weight in a typical group.
const MIN_GROUP_BITS: f64 = 2.0;

/// Time in nanoseconds of one core to pack a weight.
const PACK_NANOSECONDS: f64 = 2.0;
/// Time in nanoseconds of one core per weight for the backward pass of the statistics.
const BACKWARD_NANOSECONDS: f64 = 9.0;

/// Largest number of bits of the greatest number of completions for which chunks are likely to
/// store 32-bit numbers.
const MAX_NARROW_COMPLETION_BITS: f64 = 30.0;

/// Share of the smaller of two layers of completions that is in memory while the larger layer is
/// complete.
const IN_FLIGHT_SHARE: f64 = 0.35;

/// Number of bytes per word in the directory of a chunk.
const WORD_LINE_BYTES: f64 = 20.0;
/// Share of the words of a frontier that are not empty. Measured on 6x7 to 7x8.
const PRESENT_WORD_SHARE: f64 = 0.5;

/// Safety factor on the estimated memory. Measured on 6x8, 7x7 and 7x8: with this factor the
/// estimate is sufficient, and 10% to 25% too high.
const MEMORY_MARGIN_FACTOR: f64 = 1.05;

/// Factor between the memory limit and the rough estimate from which on a dry run is unnecessary.
const DECISIVE_FACTOR: u64 = 2;

/// The estimated size of an index of tours, and the estimated time to build it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct IndexEstimate {
    /// Estimate of the one-sided sweep that makes the layers.
    pub sweep: Estimate,
    /// Number of bytes of the stored layers.
    pub layer_bytes: u64,
    /// Peak memory of the process in bytes, if the layers are stored in memory.
    pub memory_bytes: u64,
    /// Peak memory of the process in bytes, if the layers are stored in a folder: the memory of the
    /// sweep and of the chunks queued for writing.
    pub memory_bytes_with_folder: u64,
    /// Peak memory in bytes for exact statistics from layers in a folder.
    pub statistics_bytes: u64,
    /// Peak memory in bytes for exact statistics from layers in memory.
    pub statistics_bytes_in_memory: u64,
    /// Time in seconds to build the index on the threads of the current rayon pool, including
    /// evictions under the memory limit.
    pub seconds: f64,
    /// Time in seconds for exact statistics of all moves.
    pub statistics_seconds: f64,
    /// Bytes of an index in memory without the tables of feasible signatures, whose number depends on the
    /// memory limit.
    bytes_without_tables: u64,
}

impl IndexEstimate {
    /// Estimates an index of a graph's tours under the memory limit `memory`; returns `None` if
    /// the count is known without a sweep. Makes a dry run if it is estimated to take at most
    /// `max_seconds` seconds.
    ///
    /// # Errors
    /// If the frontier is too wide, or the estimate was cancelled.
    pub fn for_graph(
        sweep_graph: &SweepGraph,
        tours: Tours,
        memory: Option<u64>,
        max_seconds: f64,
        cancel: &Cancel,
    ) -> Result<Option<Self>, IndexLayersError> {
        if known_count(sweep_graph, tours).is_some() {
            return Ok(None);
        }
        let cycles = Cycles::from_sweep_graph(sweep_graph, tours);
        let plan = Arc::new(plan_index(sweep_graph, &cycles, cancel)?);
        let space = SignatureSpace::new(&plan).ok_or(IndexLayersError::Width { width: plan.slot_count() })?;
        let profile = BoardProfile::exact(sweep_graph);
        let rough = Self::from_order(&cycles, &plan, memory, profile);
        Ok(Some(if dry_run_seconds(&space, None) <= max_seconds {
            Self::from_dry_run(&rough, &cycles, &Arc::new(space), memory, profile, cancel).unwrap_or(rough)
        } else {
            rough
        }))
    }

    /// Estimates the index with the signature space `space`, as accurately as the admission check
    /// requires.
    pub(super) fn for_admission(
        cycles: &Cycles,
        space: &Arc<SignatureSpace>,
        memory: Option<u64>,
        in_memory: bool,
        profile: BoardProfile,
        cancel: &Cancel,
    ) -> Self {
        let rough = Self::from_order(cycles, space.plan(), memory, profile);
        let needed = if in_memory { rough.memory_bytes } else { rough.sweep.fixed_bytes };
        let is_ample = memory.is_none_or(|memory| needed.saturating_mul(DECISIVE_FACTOR) <= memory);
        let is_hopeless = memory.is_some_and(|memory| needed / DECISIVE_FACTOR > memory);
        if is_ample || is_hopeless || dry_run_seconds(space, None) > MAX_DRY_RUN_SECONDS {
            return rough;
        }
        Self::from_dry_run(&rough, cycles, space, memory, profile, cancel).unwrap_or(rough)
    }

    fn from_order(cycles: &Cycles, plan: &Plan, memory: Option<u64>, profile: BoardProfile) -> Self {
        Self::from_sweep(
            Estimate::from_order(cycles, &Arc::new(plan.clone()), None, memory, profile),
            cycles,
            plan,
            profile.is_rectangle,
            memory,
        )
    }

    /// Estimates the index by a dry run. `rough` is the estimate without one.
    fn from_dry_run(
        rough: &Self,
        cycles: &Cycles,
        space: &Arc<SignatureSpace>,
        memory: Option<u64>,
        profile: BoardProfile,
        cancel: &Cancel,
    ) -> Option<Self> {
        // Without memory for the tables no dry run is possible.
        if memory.is_some_and(|memory| rough.sweep.fixed_bytes > memory) {
            return None;
        }
        let tables = SweepTables::new(space, None, None, memory, 0, cancel).ok()?;
        let sweep = Estimate::from_dry_run(cycles, space, None, tables, memory, profile, cancel)?;
        Some(Self::from_sweep(sweep, cycles, space.plan(), profile.is_rectangle, memory))
    }

    fn from_sweep(
        sweep: Estimate,
        cycles: &Cycles,
        plan: &Plan,
        is_rectangle: bool,
        ceiling: Option<u64>,
    ) -> Self {
        // An index needs the layer after every step.
        let sweep = sweep.for_single_steps();
        let threads = rayon::current_num_threads().max(1) as f64;
        let (bits, density) =
            (cost_model::weight_bits(cycles, plan), rough_estimate::layer_densities(plan, is_rectangle));
        let greatest = bits.iter().copied().fold(0.0, f64::max);
        let wide = match greatest {
            bits if bits <= f64::from(MAX_U64_WEIGHT_BITS) => 8.0,
            bits if bits <= f64::from(MAX_U128_WEIGHT_BITS) => 16.0,
            bits => 32.0 + bits / 8.0,
        };
        let (mut bytes, mut memory, mut statistics) = (0.0, 0.0f64, 0.0f64);
        let (mut before, mut largest, mut chunk_before) = (0.0, 0.0f64, 0.0);
        // While a thread computes a chunk, it holds the sums and the narrow numbers.
        let bytes_in_work = 2.0 * wide + wide / 2.0;
        // A layer has about as many completions as the layer at the same distance from the end has weights.
        let onwards =
            bits.iter().rev().map(|&bits| if bits <= MAX_NARROW_COMPLETION_BITS { 4.0 } else { wide });
        let frontiers = plan.steps().iter().map(|step| step.occupied_slots.count_ones());
        let layers = sweep
            .layer_weights
            .iter()
            .zip(bits.iter().zip(&density))
            .zip(sweep.layer_bytes.iter().zip(sweep.work_bytes.iter().zip(&sweep.chunk_weights)));
        for (((&positions, (&bits, &density)), (&(held, _), (&work_bytes, &chunk))), (number, frontier)) in
            layers.zip(onwards.zip(frontiers))
        {
            let (positions, chunk) = (positions as f64, chunk as f64);
            memory = memory.max(bytes + held as f64 + work_bytes as f64);
            let stored =
                stored_bytes(positions, bits, if is_rectangle { density } else { UNUSUAL_BOARD_DENSITY })
                    + directory_bytes(positions, frontier);
            bytes += stored;
            largest = largest.max(stored);
            let held = number * (positions.max(before) + positions.min(before) * IN_FLIGHT_SHARE);
            statistics = statistics.max(held + threads * bytes_in_work * chunk.max(chunk_before));
            (before, chunk_before) = (positions, chunk);
        }
        let positions: f64 = sweep.layer_weights.iter().map(|&positions| positions as f64).sum();
        let tables = sweep.feasibility_tables.1;
        let own = sweep.fixed_bytes.saturating_sub(tables) as f64;
        let margin = if is_rectangle { 1.0 } else { UNUSUAL_BOARD_MARGIN_FACTOR };
        let bytes_without_tables = (own + margin * memory.max(bytes)) as u64;
        let outside = ceiling.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default();
        Self {
            layer_bytes: bytes as u64,
            memory_bytes: with_margin(bytes_without_tables.saturating_add(tables)),
            memory_bytes_with_folder: sweep.peak_bytes.saturating_add(MAX_QUEUED_BYTES.min(bytes as u64 / 2)),
            statistics_bytes: ceiling_for((own + margin * (largest + statistics)) as u64),
            statistics_bytes_in_memory: ceiling_for((own + margin * (bytes + statistics)) as u64),
            seconds: sweep.seconds + outside.seconds + positions * PACK_NANOSECONDS / threads / 1e9,
            statistics_seconds: positions * BACKWARD_NANOSECONDS / threads / 1e9,
            bytes_without_tables,
            sweep,
        }
    }

    /// Returns the peak memory in bytes of an index in memory under a memory limit. A higher limit allows more
    /// tables.
    fn memory_bytes_under(&self, limit: Option<u64>) -> u64 {
        with_margin(
            self.bytes_without_tables.saturating_add(self.sweep.feasibility_tables.0.max_bytes(limit)),
        )
    }

    /// Returns the least memory limit in bytes under which the index can be built: in memory, or in a folder.
    fn min_limit(&self, in_memory: bool) -> u64 {
        if !in_memory {
            return self.sweep.min_memory();
        }
        let needed = |tables: u64| with_margin(self.bytes_without_tables.saturating_add(tables));
        self.sweep.feasibility_tables.0.min_ceiling(needed)
    }

    /// Returns the least memory limit in bytes for exact statistics from the index: in memory, or in a folder.
    const fn min_statistics_limit(&self, in_memory: bool) -> u64 {
        if in_memory { self.statistics_bytes_in_memory } else { self.statistics_bytes }
    }

    /// Checks that the index fits into a budget. Without disk the index is in memory; otherwise its layers are
    /// in the folder, and so is what the sweep evicts.
    ///
    /// # Errors
    /// The resource that is too small.
    pub fn check(&self, budget: &Budget) -> Result<(), Shortage> {
        let evicted = |memory| self.sweep.spill(memory).bytes;
        let needs = Requirements {
            seconds: Some(self.seconds),
            memory: self.memory_bytes_under(budget.memory),
            min_memory: budget.memory.map_or(0, |memory| self.sweep.min_memory_under(memory)),
            disk: self.layer_bytes.saturating_add(budget.memory.map_or(0, evicted)),
            // A dry run gives the memory accurately.
            memory_overestimate: if self.sweep.is_exact { 1.0 } else { Requirements::overestimate(false) },
            disk_overestimate: Requirements::overestimate(self.sweep.is_exact),
        };
        budget.check(&needs).map_err(|shortage| match (shortage, budget.disk) {
            (Shortage::MinMemory { needed, available }, DiskBudget::Absent) => {
                Shortage::Memory { needed: needed.max(self.min_limit(true)), available }
            }
            (Shortage::Memory { available, .. }, _) => {
                Shortage::Memory { needed: self.min_limit(true), available }
            }
            (shortage, _) => shortage,
        })?;
        budget.check_disk(&needs)
    }

    /// Checks that exact statistics from the index fit into the memory of a budget.
    ///
    /// # Errors
    /// `Shortage::Memory`.
    pub fn check_statistics(&self, budget: &Budget) -> Result<(), Shortage> {
        let needs = Requirements {
            memory: self.min_statistics_limit(budget.disk == DiskBudget::Absent),
            // Statistics that do not fit would fail after the index is built.
            memory_overestimate: if self.sweep.is_exact { 1.0 } else { Requirements::overestimate(false) },
            ..Requirements::default()
        };
        Budget { disk: DiskBudget::Absent, ..*budget }.check(&needs)
    }

    /// Admits the index if it fits into a budget, and with it the statistics, if they are needed.
    /// `free_disk` is the number of free bytes of a folder that the index could use, if known.
    ///
    /// # Errors
    /// The refusal with its remedies.
    pub fn admit(
        &self,
        budget: &Budget,
        free_disk: Option<u64>,
        needs_statistics: bool,
    ) -> Result<(), Refusal> {
        let fits = self.check(budget).map_err(|shortage| (RefusedPart::Index, shortage));
        let fits = fits.and_then(|()| match needs_statistics {
            true => self.check_statistics(budget).map_err(|shortage| (RefusedPart::Statistics, shortage)),
            false => Ok(()),
        });
        fits.map_err(|(part, shortage)| {
            let in_memory = budget.disk == DiskBudget::Absent;
            let mut remedies = Vec::new();
            let (mut part, mut shortage) = (part, shortage);
            if let Some((needed, available)) = shortage.memory() {
                let statistics = if needs_statistics { self.min_statistics_limit(in_memory) } else { 0 };
                let limit = needed.max(statistics).max(self.min_limit(in_memory));
                let is_statistics = statistics == limit;
                shortage = match shortage {
                    Shortage::MinMemory { .. } if !is_statistics => {
                        Shortage::MinMemory { needed: limit, available }
                    }
                    _ => Shortage::Memory { needed: limit, available },
                };
                part = if is_statistics { RefusedPart::Statistics } else { part };
                remedies.extend(Remedy::more_memory(limit, memory::default_limit_bytes()));
            }
            if let Shortage::Disk { needed, available } = shortage {
                remedies.push(Remedy::FreeDisk(needed - available));
            }
            let in_folder = Budget { disk: DiskBudget::from_free(free_disk), ..*budget };
            if in_memory
                && matches!(shortage, Shortage::Memory { .. })
                && self.check(&in_folder).is_ok()
                && (!needs_statistics || self.check_statistics(&in_folder).is_ok())
            {
                remedies.push(Remedy::UseDisk(self.layer_bytes));
            }
            // Counts without an index exclude a folder.
            if needs_statistics && in_memory && !matches!(shortage, Shortage::Time { .. }) {
                remedies.push(Remedy::WithoutIndex { memory: None });
            }
            remedies.push(Remedy::SmallerBoard);
            Refusal { part, ..Refusal::new(shortage, remedies) }
        })
    }
}

/// Returns the memory limit in bytes for an index in memory that takes `bytes` bytes by its estimate.
fn with_margin(bytes: u64) -> u64 {
    ceiling_for((bytes as f64 * MEMORY_MARGIN_FACTOR) as u64)
}

/// Returns the number of bytes of a stored layer of `positions` weights. The greatest weight has
/// `bits` bits, and the share `density` of the weights is not zero.
fn stored_bytes(positions: f64, bits: f64, density: f64) -> f64 {
    let states = positions * density;
    let typical_bits = (bits - GROUP_BITS_DEFICIT).max(MIN_GROUP_BITS);
    let (numbers_per_weight, weight_bytes) = match Width::fitting_bits(bits.ceil() as u32) {
        Width::Limbs(each) => (f64::from(each), 4.0 * (typical_bits / 32.0).ceil()),
        _ => (1.0, typical_bits / 8.0),
    };
    // Group tags, bitmaps of nonempty groups, and weights.
    let numbers = positions * numbers_per_weight;
    numbers / 64.0 + (numbers / 8.0).min(8.0 * states) + states * weight_bytes
}

/// Returns the number of bytes of the directories of a layer with `positions` weights on a frontier of
/// `frontier` vertices. A directory has an entry for each word that is not empty.
fn directory_bytes(positions: f64, frontier: u32) -> f64 {
    let words = 3f64.powi(frontier as i32) / WORD_BITS as f64;
    WORD_LINE_BYTES * (words * PRESENT_WORD_SHARE).min(positions)
}

#[cfg(test)]
mod tests {
    use super::super::build::BuildOptions;
    use super::super::index_layers::{IndexLayers, IndexLocation};
    use super::*;

    fn field(board: &str) -> SweepGraph {
        SweepGraph::from_board(&board.parse().unwrap())
    }

    fn estimate_index(board: &str, tours: Tours, patience: f64) -> IndexEstimate {
        IndexEstimate::for_graph(&field(board), tours, None, patience, &Cancel::default()).unwrap().unwrap()
    }

    #[test]
    fn estimated_layer_bytes_are_close_to_built_ones() {
        // On small boards directories take as much as weights, or more.
        for (board, tours) in [("6x8", Tours::Closed), ("6x7", Tours::Paths), ("5x30", Tours::Closed)] {
            let build_options = BuildOptions::new("tours");
            let made = IndexLayers::build(
                &field(board),
                tours,
                &IndexLocation::Memory,
                &build_options,
                &mut |_, _, _, _| (),
            )
            .unwrap();
            let estimated = estimate_index(board, tours, 10.0);
            assert!(estimated.sweep.is_exact && estimated.seconds > estimated.sweep.seconds);
            let ratio = estimated.layer_bytes as f64 / made.bytes() as f64;
            assert!(
                (0.3..3.0).contains(&ratio),
                "{board} {tours:?}: {} estimated, {} built",
                estimated.layer_bytes,
                made.bytes()
            );
        }
    }

    #[test]
    fn index_seconds_exceed_sweep_and_spill_seconds() {
        let under = |memory| {
            IndexEstimate::for_graph(&field("10x10"), Tours::Closed, memory, 0.0, &Cancel::default())
        };
        let [free, tight] = [None, Some(16 << 30)].map(|memory| under(memory).unwrap().unwrap());
        let outside = tight.sweep.spill(16 << 30);
        assert!(outside.seconds > free.sweep.seconds, "most of the time is disk access");
        assert!(free.seconds > free.sweep.seconds && tight.seconds > tight.sweep.seconds + outside.seconds);
    }

    #[test]
    fn estimate_of_8x8_agrees_with_the_built_index() {
        // By the order alone; the index built has 1.20 GB.
        let estimated = estimate_index("8x8", Tours::Closed, 0.0);
        assert!((0.8e9..2.4e9).contains(&(estimated.layer_bytes as f64)), "{}", estimated.layer_bytes);
        assert!(estimated.memory_bytes > estimated.layer_bytes);
        let check = |memory: u64, disk| estimated.check(&Budget { disk, ..Budget::new(Some(memory)) });
        assert_eq!(check(8 << 30, DiskBudget::Absent), Ok(()));
        assert!(matches!(check(500 << 20, DiskBudget::Absent), Err(Shortage::Memory { .. })));
        assert!(matches!(check(8 << 20, DiskBudget::Unknown), Err(Shortage::MinMemory { .. })));
        assert!(matches!(check(500 << 20, DiskBudget::Free(1 << 20)), Err(Shortage::Disk { .. })));
        assert_eq!(check(500 << 20, DiskBudget::Free(9 << 30)), Ok(()));
        assert!(estimated.check_statistics(&Budget::new(Some(100 << 20))).is_err());
        assert_eq!(estimated.check_statistics(&Budget::new(None)), Ok(()));
        let refusal = estimated.admit(&Budget::new(Some(1 << 30)), Some(9 << 30), true).unwrap_err();
        let remedies = refusal.remedies;
        assert!(remedies.contains(&Remedy::UseDisk(estimated.layer_bytes)), "{remedies:?}");
        assert!(remedies.contains(&Remedy::WithoutIndex { memory: None }), "{remedies:?}");
        let full = estimated.admit(&Budget::new(Some(500 << 20)), Some(1 << 20), false).unwrap_err();
        assert!(!full.remedies.iter().any(|remedy| matches!(remedy, Remedy::UseDisk(_))), "{full:?}");
    }
}
