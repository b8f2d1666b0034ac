//! The estimated size of a sweep: its memory, disk space and time.
//!
//! A dry run over the signatures alone, forwards and backwards, finds exactly the blocks of every layer.
//! These give upper bounds of the number of weights of the layer and of the number of weights read for it. If
//! a dry run would take too long, curves over the order give rough numbers instead. The cost model converts
//! the numbers to bytes and seconds:
//!
//! ```text
//! memory = the process + tables + max over groups (layer before + part of the layer after + classes +
//!          work memory)
//! spill  = the part of that above a memory limit, packed
//! time   = planning + (weights, transitions, words) / threads + bytes that are evicted
//! ```
//!
//! Cost of a dry run: O(steps x choices x 3^slots / 81), a few milliseconds a step for 16 slots.

#[cfg(test)]
pub mod tests;
use std::sync::Arc;

use super::cost_model::BoardProfile;
use super::dry_run::{DryRun, LayerSize, WorkingSet};
use super::group_execution::GroupExecution;
use super::sweep_tables::{LeftDryRun, RightSide, SweepTables};
use super::two_sided::{TwoSidedPlan, sweep_phases};
use super::{cost_model, rough_estimate};
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::layer_join;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::EXCESS_DIVISOR;
use crate::frontier::layer::sweep_totals::SweepTotals;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::phase::{Phase, PhaseKind};
use crate::frontier::planning::plan::{Plan, Step};
use crate::frontier::planning::problem::Cycles;
use crate::frontier::planning::slots::SLOTS_PER_WORD;
use crate::frontier::planning::step_group::{StepGroup, step_groups};
use crate::frontier::signature::feasibility::TableSizes;
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::move_list_size::move_list_bytes;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::signature::space::{MAX_BLOCK_SLOTS, SignatureSpace, WordNumbering};

/// Bytes of memory: of the program, and of each thread. Both were measured.
const PROCESS_BYTES: (u64, u64) = (11 << 20, 128 << 10);

/// Seconds of the process, and seconds of each step, that do not depend on the number of threads.
const PROCESS_SECONDS: (f64, f64) = (0.005, 0.000_15);

/// Share of the smaller of two consecutive layers that is in memory while the greater layer is
/// complete.
const IN_FLIGHT_SHARE: f64 = 0.35;

/// Work memory of a thread that computes a chunk: a multiple of the largest chunk of the next layer
/// (for blocks, and temporarily for their converted form), and a maximum in bytes. Measured by the
/// disk space of sweeps of 7x8 to 8x10: two threads take 45 to 75 MiB in addition to the layers.
const THREAD_WORK_MEMORY: (f64, f64) = (2.0, 30e6);

/// Share of a layer's weights in its largest chunk, if there is no dry run. Measured on 7x8 to 8x10: 0.08 to
/// 0.15.
const ROUGH_MAX_CHUNK_SHARE: f64 = 0.1;

/// A phase, and the sizes of the layers after its steps; no sizes for the join.
type PhaseSizes = (Phase, Vec<LayerSize>);

/// The layers of a phase, with its plan.
#[derive(Clone, Copy)]
struct PhaseLayers<'a> {
    phase: &'a Phase,
    layers: &'a [LayerSize],
    plan: &'a Plan,
    /// The numbering of the signatures; `None` if the frontier is too wide for blocks.
    words: Option<&'a WordNumbering>,
    /// Number of bytes of the layers that are held for the other half during the phase.
    waiting_bytes: f64,
}

/// Last layer of a phase: its size, its number of bytes, the number of bits of its greatest weight, and the
/// number of bytes per weight in its widest chunk.
#[derive(Clone, Copy, Default)]
struct LastLayer {
    size: LayerSize,
    bytes: f64,
    bits: f64,
    max_bytes_per_weight: f64,
}

/// Number of bits by which the weights of the widest chunk may exceed the estimated number of bits,
/// plus one bit for the construction of the chunk. Measured on 8x12: one and a half.
const EXTRA_CHUNK_BITS: f64 = 2.0;

/// Number of bytes of the buffers for a join, per weight of the largest chunk, if that chunk is
/// smaller than the largest possible block.
const MAX_PLANE_BYTES_PER_WEIGHT: f64 = 40.0;

/// Bound on the size of the largest shard, as a fraction of its sweep's layers and time: the fraction is at most this
/// number divided by the cube root of the number of shards, within the error of a rough estimate. For example, one of 64
/// shards takes at most a half. Measured for 4 shards, peaks of weights: 0.39 on 7x8 closed, 0.87 on 8x8, 0.27 on 10x10;
/// for 64 shards 0.06 on 7x8 and 0.52 on 8x8, but 0.74 on 9x10 and 0.95 on 9x12, whose common steps stay the same.
const SHARD_SHARE_FACTOR: f64 = 2.0;

/// A sweep with a hash table: bytes of a state, about, and nanoseconds of a transition on one core.
const HASHED_STATE_BYTES_AND_TRANSITION_NANOSECONDS: (f64, f64) = (100.0, 200.0);

/// Bytes of a sweep whose steps are executed one by one, as ranks do and as an index is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::frontier) struct SingleStepBytes {
    /// As [`Estimate::layer_bytes`].
    pub layers: Vec<(u64, f64)>,
    /// As [`Estimate::work_bytes`].
    work: Vec<u64>,
}

/// Estimated size of a sweep: weights, memory and time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Number of slots of the frontier.
    pub slots: usize,
    /// Number of steps: one for each vertex, the apex included.
    pub steps: usize,
    /// Upper bound of the number of weights of the greatest layer, and therefore of its number of
    /// states.
    pub peak_weights: u64,
    /// Upper bound of the number of weights of all layers together.
    pub weights: u64,
    /// Maximum number of bytes of memory that the process takes if no layer is on disk.
    pub peak_bytes: u64,
    /// Part of `peak_bytes` for tables and the program itself, in bytes.
    pub fixed_bytes: u64,
    /// Estimated seconds on the threads of the current rayon pool, if no layer is on disk.
    pub seconds: f64,
    /// Part of `seconds` for planning, in seconds. It was measured.
    pub planning_seconds: f64,
    /// Upper bound of the number of weights after every step.
    pub layer_weights: Vec<u64>,
    /// Number of weights of the largest chunk after every step.
    pub(in crate::frontier) chunk_weights: Vec<u64>,
    /// Estimated seconds of every step.
    pub step_seconds: Vec<f64>,
    /// True if a dry run counted the weights; false if they are computed from the vertex order,
    /// which for boards is correct within a factor of two.
    pub is_exact: bool,
    /// True if the estimate is from the vertex order alone and the board is not a rectangle. The
    /// layers may then be ten times smaller.
    pub is_unusual_board: bool,
    /// For each step, the number of bytes of the layers in memory during the step, and the size of
    /// the same layers in the store as a fraction of this number. A group of steps has its bytes at its last
    /// step, and none at the others.
    pub(in crate::frontier) layer_bytes: Vec<(u64, f64)>,
    /// Bytes of layers and of work memory of a sweep whose steps are executed one by one.
    pub(in crate::frontier) single_steps: SingleStepBytes,
    /// For each step, the number of bytes of work memory in addition to the layers.
    pub(in crate::frontier) work_bytes: Vec<u64>,
    /// True if the frontier is too wide for blocks, so that layers cannot be evicted to disk.
    pub cannot_spill: bool,
    /// Maximum number of bytes of a chunk, all its source chunks and the sums of its longest block,
    /// as far as it is known. For a hash table it is the number of bytes of the whole table.
    pub(in crate::frontier) working_set_bytes: u64,
    /// Maximum number of bytes of the lists of a group of steps, in addition to those of a single step.
    pub(in crate::frontier) group_bytes: u64,
    /// Sizes of the feasibility tables, and the number of bytes of these tables that `fixed_bytes`
    /// includes.
    pub(in crate::frontier) feasibility_tables: (TableSizes, u64),
}

impl Estimate {
    /// Estimates a sweep by a dry run on the current rayon pool with `tables`, the feasibility tables that the sweep
    /// would use: those of a shard for an estimate of the shard. The sweep is two-sided if `right_side` is given.
    /// Returns `None` if the dry run was cancelled.
    pub(in crate::frontier) fn from_dry_run(
        cycles: &Cycles,
        space: &Arc<SignatureSpace>,
        right_side: Option<RightSide>,
        mut tables: SweepTables,
        memory: Option<u64>,
        profile: BoardProfile,
        cancel: &Cancel,
    ) -> Option<Self> {
        let right_space = right_side.map(|(_, space)| &**space);
        let sizes = tables.sizes();
        let fixed = fixed_bytes_of_sides(space, right_space).saturating_add(sizes.max_bytes(memory));
        let pair = right_side.map(|(pair, _)| pair);
        let phases = sweep_phases(space.step_count(), pair);
        let left = match tables.left_dry_run.take() {
            Some(left) => left,
            None => {
                let mut left = LeftDryRun::new(space);
                for phase in phases.iter().filter(|phase| phase.kind.is_of_left_plan()) {
                    left.run(space, tables.get_mut(phase.kind), phase, cancel).ok()?;
                }
                left
            }
        };
        let (mut after_common, left_layers) = left.into_right_start();
        let mut sizes_of = |phase: Phase| -> Option<PhaseSizes> {
            let steps = phase.plan_steps.clone();
            let mut layers = Vec::new();
            if phase.kind.is_of_left_plan() {
                layers.extend_from_slice(&left_layers[steps]);
            } else if let Some(right_space) = right_space.filter(|_| phase.kind == PhaseKind::Right) {
                let mut right = after_common.take().unwrap_or_else(|| DryRun::new(right_space.words()));
                let tables = tables.get_mut(phase.kind);
                right.run(right_space, tables, steps, cancel, |size| layers.push(size)).ok()?;
            }
            Some((phase, layers))
        };
        let phases = phases.into_iter().map(&mut sizes_of).collect::<Option<Vec<_>>>()?;
        let result = Self::from_layer_sizes(cycles, space.plan(), pair, &phases, fixed, profile);
        (!cancel.is_cancelled()).then_some(Self {
            is_exact: true,
            feasibility_tables: (sizes, sizes.max_bytes(memory)),
            ..result
        })
    }

    /// Estimates the sweep from its plan alone, in negligible time.
    pub(in crate::frontier) fn from_order(
        cycles: &Cycles,
        plan: &Arc<Plan>,
        pair: Option<&TwoSidedPlan>,
        memory: Option<u64>,
        profile: BoardProfile,
    ) -> Self {
        let is_closed = cycles.apex().is_none();
        let space = SignatureSpace::new(pair.map_or(plan, |pair| &pair.left));
        let working_set = |step: &Step, weights: f64| {
            space.as_ref().map_or_else(WorkingSet::default, |space| {
                rough_estimate::min_working_set(step, space.words(), weights, pair.is_some())
            })
        };
        let extent = |(((&weights, reads), vertices), step): (((&f64, f64), u32), &Step)| LayerSize {
            weights,
            max_chunk_weights: weights * ROUGH_MAX_CHUNK_SHARE,
            reads,
            blocks: cost_model::block_reads(reads, vertices),
            max_working_set: working_set(step, weights),
        };
        let before = |end: &Plan| -> Vec<u32> {
            let after = end.steps().iter().map(|step| step.occupied_slots.count_ones());
            std::iter::once(0).chain(after).collect()
        };
        let layers = |end: &Plan| -> Vec<LayerSize> {
            let weights =
                rough_estimate::layer_weights(end, plan.steps().len(), is_closed, profile.is_rectangle);
            weights
                .iter()
                .zip(rough_estimate::layer_reads(end, &weights))
                .zip(before(end))
                .zip(end.steps())
                .map(extent)
                .collect()
        };
        let left_layers = layers(plan);
        let right_layers = pair.map_or_else(Vec::new, |pair| layers(&pair.right));
        let sizes_of = |phase: Phase| {
            let layers = match phase.kind {
                PhaseKind::Join => Vec::new(),
                PhaseKind::Right => right_layers[phase.plan_steps.clone()].to_vec(),
                _ => left_layers[phase.plan_steps.clone()].to_vec(),
            };
            (phase, layers)
        };
        let phases: Vec<PhaseSizes> =
            sweep_phases(plan.steps().len(), pair).into_iter().map(sizes_of).collect();
        let right_space = pair.zip(space.as_ref()).and_then(|(pair, space)| pair.right_space(space));
        let sizes =
            space.as_ref().map(|space| estimated_table_sizes(space, pair.zip(right_space.as_deref())));
        let sizes = sizes.unwrap_or_default();
        let fixed = space
            .as_ref()
            .map_or(process_bytes(), |space| fixed_bytes_of_sides(space, right_space.as_deref()))
            .saturating_add(sizes.max_bytes(memory));
        let base = Self::from_layer_sizes(cycles, plan, pair, &phases, fixed, profile);
        let base = if space.is_some() { base } else { base.with_hash_table(&left_layers) };
        let feasibility_tables = (sizes, sizes.max_bytes(memory));
        Self { is_unusual_board: !profile.is_rectangle, feasibility_tables, ..base }
    }

    /// Returns the estimate of the same sweep with a hash table, which stays in memory. `layers` has the layers of the
    /// whole sweep.
    fn with_hash_table(self, layers: &[LayerSize]) -> Self {
        let (state_bytes, nanoseconds) = HASHED_STATE_BYTES_AND_TRANSITION_NANOSECONDS;
        let before = std::iter::once(0.0).chain(layers.iter().map(|layer| layer.weights));
        let held = layers.iter().zip(before).map(|(layer, before)| (layer.weights + before) * state_bytes);
        let layer_bytes: Vec<_> = held.map(|bytes| (bytes as u64, 1.0)).collect();
        let table_bytes = layer_bytes.iter().map(|held| held.0).max().unwrap_or(0);
        let step_seconds: Vec<_> = layers.iter().map(|layer| layer.reads * nanoseconds / 1e9).collect();
        Self {
            steps: layers.len(),
            peak_bytes: process_bytes().saturating_add(table_bytes),
            fixed_bytes: process_bytes(),
            seconds: PROCESS_SECONDS.0 + step_seconds.iter().sum::<f64>(),
            step_seconds,
            layer_weights: layers.iter().map(|layer| layer.weights as u64).collect(),
            chunk_weights: vec![0; layers.len()],
            work_bytes: vec![0; layers.len()],
            single_steps: SingleStepBytes { layers: layer_bytes.clone(), work: vec![0; layers.len()] },
            layer_bytes,
            cannot_spill: true,
            working_set_bytes: table_bytes,
            ..self
        }
    }

    /// Returns the estimate of a sweep that was completed as a trial with a hash table. The trial
    /// completes only if all layers have few states.
    pub(super) fn from_hashed_trial(estimate: &Self, totals: &SweepTotals, seconds: f64) -> Self {
        Self {
            slots: estimate.slots,
            steps: estimate.steps,
            peak_weights: totals.peak_states,
            weights: totals.states,
            peak_bytes: process_bytes() + totals.peak_bytes,
            fixed_bytes: process_bytes(),
            seconds,
            step_seconds: vec![seconds / estimate.steps as f64; estimate.steps],
            is_exact: true,
            cannot_spill: estimate.cannot_spill,
            ..Self::default()
        }
    }

    /// Computes the estimate from the phases of the sweep with the sizes of their layers.
    fn from_layer_sizes(
        cycles: &Cycles,
        plan: &Plan,
        pair: Option<&TwoSidedPlan>,
        phases: &[PhaseSizes],
        fixed_bytes: u64,
        profile: BoardProfile,
    ) -> Self {
        let mut result = Self { slots: plan.slot_count(), fixed_bytes, ..Self::default() };
        // In a two-sided sweep the slots of the left half may have other names.
        let left_plan = pair.map_or(plan, |pair| &pair.left);
        let right_plan = pair.map_or(left_plan, |pair| &pair.right);
        let slots = left_plan.slot_count();
        let left_words = (slots <= MAX_BLOCK_SLOTS).then(|| WordNumbering::new(slots));
        let right_words = left_words
            .as_ref()
            .zip(pair)
            .map(|(words, pair)| WordNumbering::with_chunks_like(words, pair.right.slot_count()));
        let (mut left, mut right) = (LastLayer::default(), LastLayer::default());
        for (phase, layers) in phases {
            if let (PhaseKind::Join, Some(pair)) = (phase.kind, pair) {
                let cut = &left_plan.steps()[pair.cut_step];
                result.add_join(cut.occupied_slots.count_ones(), left, right);
            } else if phase.kind.is_of_left_plan() {
                let (plan, words, waiting_bytes) = (left_plan, left_words.as_ref(), right.bytes);
                let phase = PhaseLayers { phase, layers, plan, words, waiting_bytes };
                left = result.add_phase(cycles, &phase, left, profile);
            } else {
                let (plan, words, waiting_bytes) = (right_plan, right_words.as_ref(), left.bytes);
                let phase = PhaseLayers { phase, layers, plan, words, waiting_bytes };
                // The common layer that it starts from is already included in `waiting_bytes`.
                right = result.add_phase(cycles, &phase, LastLayer { bytes: 0.0, ..left }, profile);
            }
        }
        result.steps = result.layer_weights.len();
        result.weights = result.layer_weights.iter().fold(0, |sum, &weights| sum.saturating_add(weights));
        result.peak_weights = result.layer_weights.iter().copied().max().unwrap_or(0);
        result.peak_bytes = fixed_bytes.saturating_add(result.max_layer_and_work_bytes());
        result.seconds = PROCESS_SECONDS.0 + result.step_seconds.iter().sum::<f64>();
        result
    }

    /// Adds the steps of a phase to the estimate. The phase starts from the layer `last`. Returns
    /// the last layer of the phase.
    fn add_phase(
        &mut self,
        cycles: &Cycles,
        phase: &PhaseLayers,
        mut last: LastLayer,
        profile: BoardProfile,
    ) -> LastLayer {
        let PhaseLayers { phase, layers, plan, words, waiting_bytes: waiting } = *phase;
        let steps = phase.plan_steps.clone();
        let groups = match words {
            Some(words) => step_groups(plan, steps, words.first_chunk_slot()),
            None => steps.map(|t| StepGroup::new(plan, t..t + 1, 0)).collect(),
        };
        let bytes_of = |group| words.map_or(0, |words| GroupExecution::fixed_bytes(group, words));
        let threads = rayon::current_num_threads().max(1) as f64;
        let word_count = 3f64.powi(plan.slot_count() as i32 - SLOTS_PER_WORD as i32);
        let word_seconds = cost_model::WORD_NANOSECONDS.0 * word_count / 1e9;
        let bits_and_densities = cost_model::weight_bits(cycles, plan)
            .into_iter()
            .zip(rough_estimate::layer_densities(plan, profile.is_rectangle));
        // A chunk is built slightly wider than its sources. This matters at the cut of a two-sided sweep,
        // where weights are still narrow, and for paths, whose weights vary more.
        let is_wide = phase.kind != PhaseKind::Whole || cycles.apex().is_some() || profile.may_be_dense;
        let mut layouts = plan.steps().iter().zip(bits_and_densities).skip(phase.plan_steps.start);
        let steps = groups.iter().flat_map(|group| group.steps.clone().map(move |t| (t, group)));
        let (mut before_group, mut class_bytes, mut group_work) = (last.bytes, 0.0, 0);
        for (size, (t, group)) in layers.iter().zip(steps) {
            let LayerSize { weights, max_chunk_weights: greatest, reads, blocks, max_working_set: set } =
                *size;
            let (step, (bits, density)) = layouts.next().expect("every layer has a step");
            let weighing = profile.weight_format(bits);
            // Where zeros are only guessed, they are assumed to save no time.
            let filled = if profile.is_rectangle { density } else { 1.0 };
            let folds = step.mirror_image.is_some();
            let read_seconds = cost_model::block_read_seconds(blocks) + word_seconds;
            let seconds = weighing.core_seconds(weights, reads, filled, folds) + read_seconds;
            // One thread builds the lists of moves, once for the tables and once for the sweep.
            let list_seconds = 2.0 * cost_model::move_list_seconds(step);
            self.step_seconds
                .push(cost_model::seconds_on_threads(seconds, threads) + list_seconds + PROCESS_SECONDS.1);
            let each = weighing.bytes_per_weight(density);
            let bytes = weights * each;
            let sum_bytes = set.summed * weighing.sum_bytes();
            let work_bytes =
                threads * (THREAD_WORK_MEMORY.0 * greatest * each).min(THREAD_WORK_MEMORY.1).max(sum_bytes);
            let held = |before: f64| waiting + bytes.max(before) + bytes.min(before) * IN_FLIGHT_SHARE;
            let stored_share = weighing.stored_share(density);
            self.single_steps.layers.push((held(last.bytes) as u64, stored_share));
            self.single_steps.work.push(work_bytes as u64);
            group_work = group_work.max(work_bytes as u64);
            if t + 1 == group.steps.end {
                // A class has a source and a target layer.
                self.layer_bytes.push(((held(before_group) + 2.0 * class_bytes) as u64, stored_share));
                self.work_bytes.push(group_work + bytes_of(group));
                (before_group, class_bytes, group_work) = (bytes, 0.0, 0);
            } else {
                self.layer_bytes.push((0, stored_share));
                self.work_bytes.push(0);
                class_bytes = class_bytes.max(bytes * group.largest_class_share(plan, t));
            }
            self.layer_weights.push(weights as u64);
            self.chunk_weights.push(greatest as u64);
            let full = if profile.may_be_dense { 1.0 } else { density };
            let widest = if is_wide { weighing.max_bytes_per_weight(full, EXTRA_CHUNK_BITS) } else { each };
            let chunk_bytes = set.own * widest + set.read * last.max_bytes_per_weight;
            // A part of the limit may be exceeded by sums.
            let all_bytes = chunk_bytes.max(EXCESS_DIVISOR as f64 * sum_bytes).min(chunk_bytes + sum_bytes);
            self.working_set_bytes = self.working_set_bytes.max(all_bytes as u64);
            self.group_bytes = self.group_bytes.max(bytes_of(group));
            last = LastLayer { size: *size, bytes, bits: weighing.max_bits(), max_bytes_per_weight: widest };
        }
        last
    }

    /// Adds the join of the left layer and the right layer, after a step whose frontier has `vertices` vertices.
    fn add_join(&mut self, vertices: u32, left: LastLayer, right: LastLayer) {
        let threads = rayon::current_num_threads().max(1) as f64;
        let LayerSize { weights, max_chunk_weights, .. } = left.size;
        let seconds = cost_model::join_seconds(weights, vertices, left.bits, right.bits) / threads;
        self.step_seconds.push(seconds);
        self.layer_weights.push(0);
        self.chunk_weights.push(0);
        let planes = layer_join::join_scratch_bytes(
            matching_count(vertices as usize / 2 * 2),
            left.bits.max(right.bits) as u32,
        );
        // Both layers are held unchanged.
        for held in [&mut self.layer_bytes, &mut self.single_steps.layers] {
            held.extend_from_within(held.len().saturating_sub(1)..);
        }
        let work_bytes =
            (threads * (planes as f64).min(MAX_PLANE_BYTES_PER_WEIGHT * max_chunk_weights)) as u64;
        self.work_bytes.push(work_bytes);
        self.single_steps.work.push(work_bytes);
    }

    /// Returns the estimate with the seconds of planning added.
    #[must_use]
    pub(super) fn with_planning_seconds(self, seconds: f64) -> Self {
        Self { seconds: self.seconds + seconds, planning_seconds: seconds, ..self }
    }

    /// Returns the maximum, over all steps, of the number of bytes of layers and work memory
    /// together.
    fn max_layer_and_work_bytes(&self) -> u64 {
        let all = self
            .layer_bytes
            .iter()
            .zip(&self.work_bytes)
            .map(|(held, work_bytes)| held.0.saturating_add(*work_bytes));
        all.max().unwrap_or(0)
    }

    /// Returns the estimate of the largest shard, given the estimate of the whole sweep without a dry run. `memory` is
    /// the memory limit in bytes.
    #[must_use]
    pub(super) fn for_shard(mut self, shard: SweepShard, memory: Option<u64>) -> Self {
        let share = (SHARD_SHARE_FACTOR / f64::from(shard.count).cbrt()).min(1.0);
        let scale = |number: &mut u64| *number = (*number as f64 * share) as u64;
        let layers = self.layer_bytes.iter_mut().chain(&mut self.single_steps.layers).map(|held| &mut held.0);
        let weights = self.layer_weights.iter_mut().chain([&mut self.peak_weights, &mut self.weights]);
        layers.chain(weights).for_each(scale);
        self.step_seconds.iter_mut().chain([&mut self.seconds]).for_each(|seconds| *seconds *= share);
        self.feasibility_tables.0 = self.feasibility_tables.0.for_shard();
        self.peak_bytes = self.fixed_bytes.saturating_add(self.max_layer_and_work_bytes());
        self.with_ceiling(memory)
    }

    /// Returns the estimate of the same sweep under another memory limit, in bytes: it determines how many
    /// feasibility tables are stored.
    #[must_use]
    pub(crate) fn with_ceiling(mut self, memory: Option<u64>) -> Self {
        let (sizes, old_bytes) = self.feasibility_tables;
        let new_bytes = sizes.max_bytes(memory);
        for bytes in [&mut self.fixed_bytes, &mut self.peak_bytes] {
            *bytes = bytes.saturating_sub(old_bytes).saturating_add(new_bytes);
        }
        self.feasibility_tables = (sizes, new_bytes);
        self
    }

    /// Returns the estimate of the same sweep whose steps are executed one by one.
    #[must_use]
    pub(in crate::frontier) fn for_single_steps(mut self) -> Self {
        (self.layer_bytes, self.work_bytes) =
            (self.single_steps.layers.clone(), self.single_steps.work.clone());
        self.group_bytes = 0;
        self.peak_bytes = self.fixed_bytes.saturating_add(self.max_layer_and_work_bytes());
        self
    }

    /// Returns the estimate for one of `ranks` ranks. Each rank holds all tables, its own work
    /// memory, and an equal part of the layers. Ranks execute single steps.
    #[must_use]
    pub fn for_rank(self, ranks: u64) -> Self {
        let mut shared = self.for_single_steps();
        shared.layer_bytes.iter_mut().for_each(|held| held.0 /= ranks.max(1));
        shared.peak_bytes = shared.fixed_bytes.saturating_add(shared.max_layer_and_work_bytes());
        shared
    }
}

/// Returns the number of bytes of everything but weights and feasibility tables: of the entries and the lists of
/// chunks of two layers, of the moves of a step, and of the program.
#[must_use]
pub fn fixed_bytes(space: &SignatureSpace) -> u64 {
    let entries = 2 * (space.words().len() * size_of::<WordEntry>()) as u64;
    let chunks = space.words().chunk_count();
    let inputs = (rayon::current_num_threads() * chunks * size_of::<usize>()) as u64;
    let lists = 2 * LayerStore::list_bytes(chunks) + inputs;
    process_bytes() + entries + lists + move_list_bytes(space.plan().steps())
}

/// Returns the number of bytes of everything but weights and feasibility tables, in a sweep with the given signature
/// spaces. The sweep is two-sided if `right_space`, the space of the right half, is given.
#[must_use]
pub fn fixed_bytes_of_sides(left_space: &SignatureSpace, right_space: Option<&SignatureSpace>) -> u64 {
    fixed_bytes(left_space).max(right_space.map_or(0, fixed_bytes))
}

/// Estimates the sizes of the feasibility tables of a sweep. `pair` is its two-sided plan with the signature space of
/// the right half, if there is one.
#[must_use]
fn estimated_table_sizes(
    left_space: &SignatureSpace,
    pair: Option<(&TwoSidedPlan, &SignatureSpace)>,
) -> TableSizes {
    let Some((pair, right_space)) = pair else {
        return TableSizes::estimate(left_space, 0..left_space.step_count());
    };
    let right_steps = pair.common_steps..right_space.step_count();
    let sizes = TableSizes::estimate(left_space, 0..pair.cut_step + 1)
        .with(TableSizes::estimate(right_space, right_steps));
    if pair.common_steps > 0 { sizes.with_shared_set() } else { sizes }
}

/// Divisor of the memory limit that gives the number of bytes to leave free, because heaps have
/// gaps. Measured on 7x8 to 8x9: the limit is exceeded by at most a hundredth.
const RESERVE_DIVISOR: u64 = 20;

/// Returns the number of bytes that must stay free under a memory limit of `memory` bytes.
#[must_use]
pub fn reserve_bytes(memory: Option<u64>) -> u64 {
    memory.unwrap_or(0) / RESERVE_DIVISOR
}

/// Returns the memory limit, in bytes, under which `bytes` bytes can be used.
#[must_use]
pub const fn ceiling_for(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / (RESERVE_DIVISOR - 1))
}

fn process_bytes() -> u64 {
    PROCESS_BYTES.0 + PROCESS_BYTES.1 * rayon::current_num_threads() as u64
}
