//! The size of a sweep, estimated before it runs.
//!
//! A dry run over the signatures alone, forwards and backwards, finds exactly the blocks of every layer, and
//! so upper bounds of the weights of the layer and of the weights read for it. Where the dry run itself would
//! take long, curves over the order give rough numbers instead. The cost model converts them to bytes and
//! seconds:
//!
//! ```text
//! memory = the process + tables + max over steps (layer before + part of the layer after + work memory)
//! spill  = the part of that above a memory ceiling, packed
//! time   = planning + (weights, transitions, words) / threads + bytes that are evicted
//! ```
//!
//! Cost of a dry run: O(steps x choices x 3^slots / 81), a few milliseconds a step for 16 slots.

#[cfg(test)]
pub mod tests;
use std::sync::Arc;

use super::cost_model::BoardProfile;
use super::dry_run::{DryRun, LayerSize};
use super::two_sided::{TwoSidedPlan, TwoSidedState};
use super::{cost_model, rough_estimate};
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::layer_join;
use crate::frontier::layer::sweep_totals::SweepTotals;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::Cycles;
use crate::frontier::planning::slots::SLOTS_PER_WORD;
use crate::frontier::signature::feasibility::{Feasibility, TableBudget};
use crate::frontier::signature::matching_rank::matching_count;
use crate::frontier::signature::moves;
use crate::frontier::signature::space::SignatureSpace;

/// Bytes of the process, measured: the program, and each thread.
const PROCESS_BYTES: (u64, u64) = (11 << 20, 128 << 10);

/// Seconds of the process, and additional seconds per step, independent of the number of threads.
const PROCESS_SECONDS: (f64, f64) = (0.005, 0.000_15);

/// Share of the smaller of two layers that is in memory while the greater is complete.
const IN_FLIGHT_SHARE: f64 = 0.35;

/// Work memory of a thread that computes a chunk: in units of the largest chunk of the next layer (blocks,
/// and for a moment their converted form), and its maximum in bytes. Measured by the disk space of sweeps of
/// 7x8 to 8x10: two threads take 45 to 75 MiB in addition to the layers.
const THREAD_WORK_MEMORY: (f64, f64) = (2.0, 30e6);

/// Share of a layer's weights in its largest chunk, where no dry run gives it. Measured on 7x8 to 8x10: 0.08
/// to 0.15.
const ROUGH_MAX_CHUNK_SHARE: f64 = 0.1;

/// A phase of a sweep: steps of one half.
#[derive(Clone, Copy)]
struct PhaseLayers<'a> {
    plan: &'a Plan,
    /// Number of the first step in the plan.
    first_step: usize,
    layers: &'a [LayerSize],
    /// Bytes of layers that are held for the other half.
    waiting_bytes: f64,
    /// True if the sweep is two-sided.
    is_two_sided: bool,
}

/// The last layer of a phase: its bytes, the bits of its greatest weight, and the bytes per weight in its
/// widest chunk.
#[derive(Clone, Copy, Default)]
struct LastLayer {
    bytes: f64,
    bits: f64,
    max_bytes_per_weight: f64,
}

/// Bits by which the widest chunk may exceed the estimate, plus one for its construction. Measured on 8x12:
/// one and a half.
const EXTRA_CHUNK_BITS: f64 = 2.0;

/// Bytes of join planes per weight of the largest chunk, where that is smaller than the largest possible
/// block.
const MAX_PLANE_BYTES_PER_WEIGHT: f64 = 40.0;

/// Least share of a layer's weights in a chunk and in its sources, each, where no dry run gives it, and the
/// greatest number of slots for which it holds: chunks of wider frontiers are smaller. Measured on 7x8 to
/// 8x9: more than twice as much.
const ROUGH_WORKING_SET: (f64, usize) = (0.05, 18);

/// The estimated size of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Slots of the frontier.
    pub slots: usize,
    /// Number of steps: vertices, the apex included.
    pub steps: usize,
    /// Upper bound of the weights of the greatest layer; its states are never more.
    pub peak_weights: u64,
    /// Upper bound of the weights of all layers together.
    pub weights: u64,
    /// Peak bytes of memory of the process, if all layers are in memory.
    pub peak_bytes: u64,
    /// Part of `peak_bytes` for tables and the program itself.
    pub fixed_bytes: u64,
    /// Seconds on the threads of the current rayon pool, if all layers are in memory.
    pub seconds: f64,
    /// Part of `seconds` for planning, as measured.
    pub planning_seconds: f64,
    /// Upper bound of the weights after every step.
    pub layer_weights: Vec<u64>,
    /// Seconds of every step.
    pub step_seconds: Vec<f64>,
    /// True if a dry run counted the weights; otherwise they are computed from the order, within a factor of
    /// two for boards.
    pub is_exact: bool,
    /// True if the estimate is by the order alone and the board is not a rectangle: layers may then be ten
    /// times smaller.
    pub is_unusual_board: bool,
    /// By step, the bytes of the layers held during the step, and their stored size relative to that.
    pub(in crate::frontier) layer_bytes: Vec<(u64, f64)>,
    /// By step, the bytes of work memory in addition to the layers.
    pub(in crate::frontier) work_bytes: Vec<u64>,
    /// True if the frontier is too wide for blocks, so that layers cannot be evicted to disk.
    pub cannot_spill: bool,
    /// Greatest known bytes of a chunk and all its source chunks; for a hash table, all bytes.
    pub(in crate::frontier) working_set_bytes: u64,
    /// The feasibility tables, and the bytes of them that are included in `fixed_bytes`.
    pub(in crate::frontier) feasibility_tables: (TableBudget, u64),
}

impl Estimate {
    /// Estimates the sweep of a signature space by a dry run on the current rayon pool, with the feasibility
    /// tables that the sweep would use. Returns `None` if it was cancelled.
    pub(in crate::frontier) fn from_dry_run(
        cycles: &Cycles,
        space: &SignatureSpace,
        pair: Option<&TwoSidedPlan>,
        feasibility: Option<Feasibility>,
        memory: Option<u64>,
        profile: BoardProfile,
        cancel: &Cancel,
    ) -> Option<Self> {
        let prunes = feasibility.is_some();
        let far_course = pair.and_then(|pair| pair.right_space(space));
        let fixed = fixed_bytes_of_sides(space, far_course.as_deref(), prunes, memory);
        let room = feasibility.as_ref().map_or_else(TableBudget::default, |_| TableBudget::for_space(space));
        let tables = room.max_bytes(memory);
        let (mut near, mut far) = (Vec::new(), Vec::new());
        let mut note = |extent| near.push(extent);
        match (pair.zip(far_course), feasibility) {
            (Some((pair, far_course)), Some(tables)) => {
                let mut trace = DryRun::new(far_course.words());
                let branches = |branch: &DryRun| trace = branch.clone();
                let meeting = TwoSidedState::new(pair, space, far_course, tables, cancel, note, branches)?;
                let mut tables = meeting.right_tables(space, memory, cancel).ok()?;
                let steps = pair.common_steps..meeting.right_space.step_count();
                trace
                    .run(&meeting.right_space, Some(&mut tables), steps, cancel, |extent| far.push(extent))?;
            }
            (_, mut tables) => {
                let steps = 0..space.step_count();
                DryRun::new(space.words()).run(space, tables.as_mut(), steps, cancel, &mut note)?;
            }
        }
        let ends = pair.filter(|_| !far.is_empty()).map(|pair| (pair, &*far));
        let result = Self::from_layer_sizes(cycles, space.plan(), &near, ends, fixed, profile);
        (!cancel.is_cancelled()).then_some(Self {
            is_exact: true,
            feasibility_tables: (room, tables),
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
        // In a two-sided sweep the greatest layers are those with the widest chunks.
        let part = if plan.slot_count() > ROUGH_WORKING_SET.1 {
            0.0
        } else {
            ROUGH_WORKING_SET.0 * pair.map_or(1.0, |_| 2.0)
        };
        let extent = |((&weights, reads), vertices): ((&f64, f64), u32)| LayerSize {
            weights,
            max_chunk_weights: weights * ROUGH_MAX_CHUNK_SHARE,
            reads,
            blocks: cost_model::block_reads(reads, vertices),
            max_working_set: (weights * part, weights * part),
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
                .map(extent)
                .collect()
        };
        let far = pair.map(|pair| layers(&pair.right).split_off(pair.common_steps));
        let mut near = layers(plan);
        near.truncate(pair.map_or(near.len(), |pair| pair.cut_step + 1));
        let course = SignatureSpace::new(pair.map_or(plan, |pair| &pair.left));
        let far_course = pair.zip(course.as_ref()).and_then(|(pair, course)| pair.right_space(course));
        let fixed = course.as_ref().map_or(process_bytes(), |course| {
            fixed_bytes_of_sides(course, far_course.as_deref(), true, memory)
        });
        let room = course.as_ref().map(TableBudget::for_space).unwrap_or_default();
        let base = Self::from_layer_sizes(cycles, plan, &near, pair.zip(far.as_deref()), fixed, profile);
        // A hash table stays in memory.
        let chunk = if course.is_some() { base.working_set_bytes } else { base.peak_bytes - fixed };
        let tables = room.max_bytes(memory);
        let is_all_inside = course.is_none();
        Self {
            is_unusual_board: !profile.is_rectangle,
            cannot_spill: is_all_inside,
            working_set_bytes: chunk,
            feasibility_tables: (room, tables),
            ..base
        }
    }

    /// Returns the estimate of a sweep whose hashed trial has completed, as its states are few.
    pub(super) fn from_hashed_trial(outlook: &Self, totals: &SweepTotals, seconds: f64) -> Self {
        Self {
            slots: outlook.slots,
            steps: outlook.steps,
            peak_weights: totals.peak_states,
            weights: totals.states,
            peak_bytes: process_bytes() + totals.peak_bytes,
            fixed_bytes: process_bytes(),
            seconds,
            step_seconds: vec![seconds / outlook.steps as f64; outlook.steps],
            is_exact: true,
            cannot_spill: outlook.cannot_spill,
            ..Self::default()
        }
    }

    /// Computes the estimate from the layers of the left half, which is the whole sweep if it is one-sided,
    /// and the layers of the right half that are not common.
    fn from_layer_sizes(
        cycles: &Cycles,
        plan: &Plan,
        near: &[LayerSize],
        far: Option<(&TwoSidedPlan, &[LayerSize])>,
        fixed_bytes: u64,
        profile: BoardProfile,
    ) -> Self {
        let threads = rayon::current_num_threads().max(1) as f64;
        let mut result = Self { slots: plan.slot_count(), fixed_bytes, ..Self::default() };
        let (shared, meets) = (far.map_or(0, |(pair, _)| pair.common_steps), far.is_some());
        let add = |result: &mut Self, leg: PhaseLayers, last| result.add_phase(cycles, &leg, last, profile);
        let branch = add(
            &mut result,
            PhaseLayers {
                plan,
                first_step: 0,
                layers: &near[..shared],
                waiting_bytes: 0.0,
                is_two_sided: meets,
            },
            LastLayer::default(),
        );
        let mut end = LastLayer::default();
        if let Some((pair, layers)) = far {
            let leg = PhaseLayers {
                plan: &pair.right,
                first_step: shared,
                layers,
                waiting_bytes: branch.bytes,
                is_two_sided: meets,
            };
            // The common layer that it starts from is already included in `waiting`.
            end = add(&mut result, leg, LastLayer { bytes: 0.0, ..branch });
        }
        let leg = PhaseLayers {
            plan,
            first_step: shared,
            layers: &near[shared..],
            waiting_bytes: end.bytes,
            is_two_sided: meets,
        };
        let (near_bits, far_bits) = (add(&mut result, leg, branch).bits, end.bits);
        if let Some((pair, _)) = far {
            let weights = near.last().map_or(0.0, |layer| layer.weights);
            let vertices = plan.steps()[pair.cut_step].occupied_slots.count_ones();
            let seconds = cost_model::join_seconds(weights, vertices, near_bits, far_bits) / threads;
            result.step_seconds.push(seconds);
            result.layer_weights.push(0);
            let most = near.last().map_or(0.0, |layer| layer.max_chunk_weights);
            let planes = layer_join::join_scratch_bytes(
                matching_count(vertices as usize / 2 * 2),
                near_bits.max(far_bits) as u32,
            );
            // Both layers are held unchanged.
            result.layer_bytes.extend_from_within(result.layer_bytes.len().saturating_sub(1)..);
            result.work_bytes.push((threads * (planes as f64).min(MAX_PLANE_BYTES_PER_WEIGHT * most)) as u64);
        }
        result.steps = result.layer_weights.len();
        result.weights = result.layer_weights.iter().fold(0, |sum, &weights| sum.saturating_add(weights));
        result.peak_weights = result.layer_weights.iter().copied().max().unwrap_or(0);
        result.peak_bytes = fixed_bytes.saturating_add(result.max_layer_and_work_bytes());
        result.seconds = PROCESS_SECONDS.0 + result.step_seconds.iter().sum::<f64>();
        result
    }

    /// Adds the steps of a phase that starts from the layer `last`; returns its last layer.
    fn add_phase(
        &mut self,
        cycles: &Cycles,
        leg: &PhaseLayers,
        mut last: LastLayer,
        profile: BoardProfile,
    ) -> LastLayer {
        let PhaseLayers { plan, first_step: first, layers, waiting_bytes: waiting, is_two_sided: meets } =
            *leg;
        let threads = rayon::current_num_threads().max(1) as f64;
        let words = 3f64.powi(plan.slot_count() as i32 - SLOTS_PER_WORD as i32);
        let word_seconds = cost_model::WORD_NANOSECONDS.0 * words / 1e9;
        let bits_and_densities = cost_model::weight_bits(cycles, plan)
            .into_iter()
            .zip(rough_estimate::layer_densities(plan, profile.is_rectangle));
        // A chunk is built slightly wider than its sources. This matters at the cut of a two-sided sweep,
        // where weights are still narrow, and for paths, whose weights vary more.
        let is_wide = meets || cycles.apex().is_some() || !profile.is_rectangle;
        let steps = layers.iter().zip(plan.steps().iter().zip(bits_and_densities).skip(first));
        for (
            &LayerSize { weights, max_chunk_weights: greatest, reads, blocks, max_working_set: at_once },
            (step, (bits, density)),
        ) in steps
        {
            let weighing = profile.weight_format(bits);
            // Where zeros are only guessed, they are assumed to save no time.
            let filled = if profile.is_rectangle { density } else { 1.0 };
            let folds = step.mirror_image.is_some();
            let beside = cost_model::block_read_seconds(blocks) + word_seconds;
            let seconds = weighing.core_seconds(weights, reads, filled, folds) + beside;
            self.step_seconds.push(cost_model::seconds_on_threads(seconds, threads) + PROCESS_SECONDS.1);
            let each = weighing.bytes_per_weight(density);
            let bytes = weights * each;
            let making = threads * (THREAD_WORK_MEMORY.0 * greatest * each).min(THREAD_WORK_MEMORY.1);
            let held = waiting + bytes.max(last.bytes) + bytes.min(last.bytes) * IN_FLIGHT_SHARE;
            self.work_bytes.push(making as u64);
            self.layer_bytes.push((held as u64, weighing.stored_share(density)));
            self.layer_weights.push(weights as u64);
            // On unusual boards a layer may be full at any step.
            let full = if profile.is_rectangle { density } else { 1.0 };
            let widest = if is_wide { weighing.max_bytes_per_weight(full, EXTRA_CHUNK_BITS) } else { each };
            self.working_set_bytes = self
                .working_set_bytes
                .max((at_once.0 * widest + at_once.1 * last.max_bytes_per_weight) as u64);
            last = LastLayer { bytes, bits: weighing.max_bits(), max_bytes_per_weight: widest };
        }
        last
    }

    /// Returns the estimate with the seconds of planning added.
    #[must_use]
    pub(super) fn with_planning_seconds(self, seconds: f64) -> Self {
        Self { seconds: self.seconds + seconds, planning_seconds: seconds, ..self }
    }

    /// Returns the peak bytes of layers and work memory.
    fn max_layer_and_work_bytes(&self) -> u64 {
        let all = self
            .layer_bytes
            .iter()
            .zip(&self.work_bytes)
            .map(|(held, making)| held.0.saturating_add(*making));
        all.max().unwrap_or(0)
    }

    /// Returns the estimate for one shard, which holds at most the share `share` of each layer. The disk
    /// space and the number of machines are then those of the shard; everything else stays that of the whole
    /// sweep.
    #[must_use]
    pub fn for_shard(mut self, share: f64) -> Self {
        self.layer_bytes.iter_mut().for_each(|held| held.0 = (held.0 as f64 * share) as u64);
        self
    }

    /// Returns the estimate for one of several ranks: each holds all tables and its own work memory, and its
    /// part of the layers.
    #[must_use]
    pub fn for_rank(mut self, ranks: u64) -> Self {
        self.layer_bytes.iter_mut().for_each(|held| held.0 /= ranks.max(1));
        self.peak_bytes = self.fixed_bytes.saturating_add(self.max_layer_and_work_bytes());
        self
    }
}

/// Returns the bytes of the feasibility tables (if `prunes`), the entries of two layers, the moves of a step
/// and the program.
#[must_use]
pub fn fixed_bytes(space: &SignatureSpace, prunes: bool, memory: Option<u64>) -> u64 {
    let entries = 2 * (space.words().len() * size_of::<WordEntry>()) as u64;
    let moves = moves::move_list_bytes(space.plan().steps());
    process_bytes() + entries + moves + if prunes { Feasibility::max_bytes(space, memory) } else { 0 }
}

/// Returns the fixed bytes of a sweep, two-sided if `far` is given: the tables of one phase are dropped
/// before those of the other are built.
#[must_use]
pub fn fixed_bytes_of_sides(
    near: &SignatureSpace,
    far: Option<&SignatureSpace>,
    prunes: bool,
    memory: Option<u64>,
) -> u64 {
    let of = |space: &SignatureSpace| fixed_bytes(space, prunes, memory);
    of(near).max(far.map_or(0, of)) + far.map_or(0, |_| TwoSidedState::bytes(near))
}

/// The divisor of a memory ceiling for the part that stays free, as heaps have gaps. Measured on 7x8 to 8x9:
/// the ceiling is exceeded by at most a hundredth.
const RESERVE_DIVISOR: u64 = 20;

/// Returns the bytes of a memory ceiling that stay free.
#[must_use]
pub fn reserve_bytes(memory: Option<u64>) -> u64 {
    memory.unwrap_or(0) / RESERVE_DIVISOR
}

/// Returns the memory ceiling that leaves `bytes` bytes for use.
#[must_use]
pub const fn ceiling_for(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / (RESERVE_DIVISOR - 1))
}

/// Nanoseconds of one core per list of moves and per member of a list, to build the lists and to apply them.
const MOVE_LIST_NANOSECONDS: (f64, f64) = (10.0, 10.0);

/// Returns the seconds of a dry run on the threads of the current rayon pool, with the tables, which it
/// builds twice. Where steps have many moves, they are included; for a two-sided sweep, those of its right
/// half `far` too.
#[must_use]
pub fn dry_run_seconds(space: &SignatureSpace, far: Option<&SignatureSpace>) -> f64 {
    let word_steps = (space.words().len() * space.step_count()) as f64;
    let steps = space.plan().steps().iter().chain(far.map_or(&[][..], |far| far.plan().steps()));
    let lists = steps.map(moves::large_move_lists);
    let lists = lists
        .map(|(lists, members)| lists * MOVE_LIST_NANOSECONDS.0 + members * MOVE_LIST_NANOSECONDS.1)
        .sum::<f64>();
    // One thread builds the lists, for the tables and for the dry run.
    let words = word_steps * cost_model::WORD_NANOSECONDS.1 / rayon::current_num_threads().max(1) as f64;
    2.0 * (words + lists) / 1e9
}

fn process_bytes() -> u64 {
    PROCESS_BYTES.0 + PROCESS_BYTES.1 * rayon::current_num_threads() as u64
}
