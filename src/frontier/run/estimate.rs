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

use std::sync::Arc;

use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::joining;
use crate::frontier::layer::totals::Totals;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::INNER;
use crate::frontier::run::ends::{Meeting, Pair};
use crate::frontier::run::nature::Nature;
use crate::frontier::run::trace::{Extent, Trace};
use crate::frontier::run::{outlook, tariff};
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::matching::size;
use crate::frontier::state::table_room::TableRoom;

/// Bytes of the process, measured: the program, and each thread.
const OWN: (u64, u64) = (11 << 20, 128 << 10);

/// Seconds of the process, and additional seconds per step, independent of the number of threads.
const OWN_SECONDS: (f64, f64) = (0.005, 0.000_15);

/// Share of the smaller of two layers that is in memory while the greater is complete.
const IN_FLIGHT: f64 = 0.35;

/// Work memory of a thread that computes a chunk: in units of the largest chunk of the next layer (blocks,
/// and for a moment their converted form), and its maximum in bytes. Measured by the disk space of sweeps of
/// 7x8 to 8x10: two threads take 45 to 75 MiB in addition to the layers.
const MAKING: (f64, f64) = (2.0, 30e6);

/// Share of a layer's weights in its largest chunk, where no dry run gives it. Measured on 7x8 to 8x10: 0.08
/// to 0.15.
const GREATEST: f64 = 0.1;

/// A phase of a sweep: steps of one half.
#[derive(Clone, Copy)]
struct Leg<'a> {
    plan: &'a Plan,
    /// Number of the first step in the plan.
    first: usize,
    layers: &'a [Extent],
    /// Bytes of layers that are held for the other half.
    waiting: f64,
    /// True if the sweep is two-sided.
    meets: bool,
}

/// The last layer of a phase: its bytes, the bits of its greatest weight, and the bytes per weight in its
/// widest chunk.
#[derive(Clone, Copy, Default)]
struct Last {
    bytes: f64,
    bits: f64,
    widest: f64,
}

/// Bits by which the widest chunk may exceed the estimate, plus one for its construction. Measured on 8x12:
/// one and a half.
const WIDER: f64 = 2.0;

/// Bytes of join planes per weight of the largest chunk, where that is smaller than the largest possible
/// block.
const BESIDE: f64 = 40.0;

/// Least share of a layer's weights in a chunk and in its sources, each, where no dry run gives it, and the
/// greatest number of slots for which it holds: chunks of wider frontiers are smaller. Measured on 7x8 to
/// 8x9: more than twice as much.
const AT_ONCE: (f64, usize) = (0.05, 18);

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
    pub planning: f64,
    /// Upper bound of the weights after every step.
    pub layers: Vec<u64>,
    /// Seconds of every step.
    pub step_seconds: Vec<f64>,
    /// True if a dry run counted the weights; otherwise they are computed from the order, within a factor of
    /// two for boards.
    pub is_exact: bool,
    /// True if the estimate is by the order alone and the board is not a rectangle: layers may then be ten
    /// times smaller.
    pub is_vague: bool,
    /// By step, the bytes of the layers held during the step, and their stored size relative to that.
    pub(in crate::frontier) held: Vec<(u64, f64)>,
    /// By step, the bytes of work memory in addition to the layers.
    pub(in crate::frontier) making: Vec<u64>,
    /// True if the frontier is too wide for blocks, so that layers cannot be evicted to disk.
    pub is_all_inside: bool,
    /// Greatest known bytes of a chunk and all its source chunks; for a hash table, all bytes.
    pub(in crate::frontier) chunk: u64,
    /// The feasibility tables, and the bytes of them that are included in `fixed_bytes`.
    pub(in crate::frontier) tables: (TableRoom, u64),
}

impl Estimate {
    /// Estimates the sweep of a signature space by a dry run on the current rayon pool, with the feasibility
    /// tables that the sweep would use. Returns `None` if it was cancelled.
    pub(in crate::frontier) fn of(
        cycles: &Cycles,
        course: &Course,
        pair: Option<&Pair>,
        feasibility: Option<Feasibility>,
        memory: Option<u64>,
        nature: Nature,
        cancel: &Cancel,
    ) -> Option<Self> {
        let prunes = feasibility.is_some();
        let far_course = pair.and_then(|pair| pair.course(course));
        let fixed = fixed_of_ends(course, far_course.as_deref(), prunes, memory);
        let room = feasibility.as_ref().map_or_else(TableRoom::default, |_| TableRoom::of(course));
        let tables = room.bytes(memory);
        let (mut near, mut far) = (Vec::new(), Vec::new());
        let mut note = |extent| near.push(extent);
        match (pair.zip(far_course), feasibility) {
            (Some((pair, far_course)), Some(tables)) => {
                let mut trace = Trace::new(far_course.words());
                let branches = |branch: &Trace| trace = branch.clone();
                let meeting = Meeting::new(pair, course, far_course, tables, cancel, note, branches)?;
                let mut tables = meeting.far_tables(course, memory, cancel);
                let steps = pair.shared..meeting.far.len();
                trace.go(&meeting.far, Some(&mut tables), steps, cancel, |extent| far.push(extent))?;
            }
            (_, mut tables) => {
                let steps = 0..course.len();
                Trace::new(course.words()).go(course, tables.as_mut(), steps, cancel, &mut note)?;
            }
        }
        let ends = pair.filter(|_| !far.is_empty()).map(|pair| (pair, &*far));
        let result = Self::from_layers(cycles, course.plan(), &near, ends, fixed, nature);
        (!cancel.is_cancelled()).then_some(Self { is_exact: true, tables: (room, tables), ..result })
    }

    /// Estimates the sweep from its plan alone, in negligible time.
    pub(in crate::frontier) fn roughly(
        cycles: &Cycles,
        plan: &Arc<Plan>,
        pair: Option<&Pair>,
        memory: Option<u64>,
        nature: Nature,
    ) -> Self {
        let is_closed = cycles.apex().is_none();
        // In a two-sided sweep the greatest layers are those with the widest chunks.
        let part = if plan.slots() > AT_ONCE.1 { 0.0 } else { AT_ONCE.0 * pair.map_or(1.0, |_| 2.0) };
        let extent = |((&weights, reads), vertices): ((&f64, f64), u32)| Extent {
            weights,
            greatest: weights * GREATEST,
            reads,
            blocks: tariff::blocks(reads, vertices),
            at_once: (weights * part, weights * part),
        };
        let before = |end: &Plan| -> Vec<u32> {
            let after = end.steps().iter().map(|step| step.occupied.count_ones());
            std::iter::once(0).chain(after).collect()
        };
        let layers = |end: &Plan| -> Vec<Extent> {
            let weights = outlook::layers(end, plan.steps().len(), is_closed, nature.familiar);
            weights.iter().zip(outlook::reads(end, &weights)).zip(before(end)).map(extent).collect()
        };
        let far = pair.map(|pair| layers(&pair.far).split_off(pair.shared));
        let mut near = layers(plan);
        near.truncate(pair.map_or(near.len(), |pair| pair.step + 1));
        let course = Course::new(pair.map_or(plan, |pair| &pair.near));
        let far_course = pair.zip(course.as_ref()).and_then(|(pair, course)| pair.course(course));
        let fixed = course
            .as_ref()
            .map_or(own_bytes(), |course| fixed_of_ends(course, far_course.as_deref(), true, memory));
        let room = course.as_ref().map(TableRoom::of).unwrap_or_default();
        let told = Self::from_layers(cycles, plan, &near, pair.zip(far.as_deref()), fixed, nature);
        // A hash table stays in memory.
        let chunk = if course.is_some() { told.chunk } else { told.peak_bytes - fixed };
        let tables = room.bytes(memory);
        let is_all_inside = course.is_none();
        Self { is_vague: !nature.familiar, is_all_inside, chunk, tables: (room, tables), ..told }
    }

    /// Returns the estimate of a sweep whose hashed trial has completed, as its states are few.
    pub(super) fn few(outlook: &Self, totals: &Totals, seconds: f64) -> Self {
        Self {
            slots: outlook.slots,
            steps: outlook.steps,
            peak_weights: totals.peak_states,
            weights: totals.states,
            peak_bytes: own_bytes() + totals.peak_bytes,
            fixed_bytes: own_bytes(),
            seconds,
            step_seconds: vec![seconds / outlook.steps as f64; outlook.steps],
            is_exact: true,
            is_all_inside: outlook.is_all_inside,
            ..Self::default()
        }
    }

    /// Computes the estimate from the layers of the left half, which is the whole sweep if it is one-sided,
    /// and the layers of the right half that are not common.
    fn from_layers(
        cycles: &Cycles,
        plan: &Plan,
        near: &[Extent],
        far: Option<(&Pair, &[Extent])>,
        fixed_bytes: u64,
        nature: Nature,
    ) -> Self {
        let threads = rayon::current_num_threads().max(1) as f64;
        let mut result = Self { slots: plan.slots(), fixed_bytes, ..Self::default() };
        let (shared, meets) = (far.map_or(0, |(pair, _)| pair.shared), far.is_some());
        let add = |result: &mut Self, leg: Leg, last| result.add_leg(cycles, &leg, last, nature);
        let branch = add(
            &mut result,
            Leg { plan, first: 0, layers: &near[..shared], waiting: 0.0, meets },
            Last::default(),
        );
        let mut end = Last::default();
        if let Some((pair, layers)) = far {
            let leg = Leg { plan: &pair.far, first: shared, layers, waiting: branch.bytes, meets };
            // The common layer that it starts from is already included in `waiting`.
            end = add(&mut result, leg, Last { bytes: 0.0, ..branch });
        }
        let leg = Leg { plan, first: shared, layers: &near[shared..], waiting: end.bytes, meets };
        let (near_bits, far_bits) = (add(&mut result, leg, branch).bits, end.bits);
        if let Some((pair, _)) = far {
            let weights = near.last().map_or(0.0, |layer| layer.weights);
            let vertices = plan.steps()[pair.step].occupied.count_ones();
            let seconds = tariff::joining_seconds(weights, vertices, near_bits, far_bits) / threads;
            result.step_seconds.push(seconds);
            result.layers.push(0);
            let most = near.last().map_or(0.0, |layer| layer.greatest);
            let planes = joining::beside(size(vertices as usize / 2 * 2), near_bits.max(far_bits) as u32);
            // Both layers are held unchanged.
            result.held.extend_from_within(result.held.len().saturating_sub(1)..);
            result.making.push((threads * (planes as f64).min(BESIDE * most)) as u64);
        }
        result.steps = result.layers.len();
        result.weights = result.layers.iter().fold(0, |sum, &weights| sum.saturating_add(weights));
        result.peak_weights = result.layers.iter().copied().max().unwrap_or(0);
        result.peak_bytes = fixed_bytes.saturating_add(result.most());
        result.seconds = OWN_SECONDS.0 + result.step_seconds.iter().sum::<f64>();
        result
    }

    /// Adds the steps of a phase that starts from the layer `last`; returns its last layer.
    fn add_leg(&mut self, cycles: &Cycles, leg: &Leg, mut last: Last, nature: Nature) -> Last {
        let Leg { plan, first, layers, waiting, meets } = *leg;
        let threads = rayon::current_num_threads().max(1) as f64;
        let words = 3f64.powi(plan.slots() as i32 - INNER as i32);
        let word_seconds = tariff::WORD.0 * words / 1e9;
        let told = tariff::bits(cycles, plan).into_iter().zip(outlook::density(plan, nature.familiar));
        // A chunk is built slightly wider than its sources. This matters at the cut of a two-sided sweep,
        // where weights are still narrow, and for paths, whose weights vary more.
        let is_wide = meets || cycles.apex().is_some() || !nature.familiar;
        let steps = layers.iter().zip(plan.steps().iter().zip(told).skip(first));
        for (&Extent { weights, greatest, reads, blocks, at_once }, (step, (bits, density))) in steps {
            let weighing = nature.weighing(bits);
            // Where zeros are only guessed, they are assumed to save no time.
            let filled = if nature.familiar { density } else { 1.0 };
            let folds = step.mirror.is_some();
            let beside = tariff::block_seconds(blocks) + word_seconds;
            let seconds = weighing.seconds(weights, reads, filled, folds) + beside;
            self.step_seconds.push(tariff::on_threads(seconds, threads) + OWN_SECONDS.1);
            let each = weighing.bytes_a_place(density);
            let bytes = weights * each;
            let making = threads * (MAKING.0 * greatest * each).min(MAKING.1);
            let held = waiting + bytes.max(last.bytes) + bytes.min(last.bytes) * IN_FLIGHT;
            self.making.push(making as u64);
            self.held.push((held as u64, weighing.packed(density)));
            self.layers.push(weights as u64);
            // On unusual boards a layer may be full at any step.
            let full = if nature.familiar { density } else { 1.0 };
            let widest = if is_wide { weighing.widest(full, WIDER) } else { each };
            self.chunk = self.chunk.max((at_once.0 * widest + at_once.1 * last.widest) as u64);
            last = Last { bytes, bits: weighing.bits(), widest };
        }
        last
    }

    /// Returns the estimate with the seconds of planning added.
    #[must_use]
    pub(super) fn planned_in(self, seconds: f64) -> Self {
        Self { seconds: self.seconds + seconds, planning: seconds, ..self }
    }

    /// Returns the peak bytes of layers and work memory.
    fn most(&self) -> u64 {
        let all = self.held.iter().zip(&self.making).map(|(held, making)| held.0.saturating_add(*making));
        all.max().unwrap_or(0)
    }

    /// Returns the estimate for one shard, which holds at most the share `share` of each layer. The disk
    /// space and the number of machines are then those of the shard; everything else stays that of the whole
    /// sweep.
    #[must_use]
    pub fn part(mut self, share: f64) -> Self {
        self.held.iter_mut().for_each(|held| held.0 = (held.0 as f64 * share) as u64);
        self
    }

    /// Returns the estimate for one of several ranks: each holds all tables and its own work memory, and its
    /// part of the layers.
    #[must_use]
    pub fn shared(mut self, ranks: u64) -> Self {
        self.held.iter_mut().for_each(|held| held.0 /= ranks.max(1));
        self.peak_bytes = self.fixed_bytes.saturating_add(self.most());
        self
    }
}

/// Returns the bytes of the feasibility tables (if `prunes`), the entries of two layers and the program.
#[must_use]
pub fn fixed_bytes(course: &Course, prunes: bool, memory: Option<u64>) -> u64 {
    let entries = 2 * (course.words().len() * size_of::<Entry>()) as u64;
    own_bytes() + entries + if prunes { Feasibility::bytes(course, memory) } else { 0 }
}

/// Returns the fixed bytes of a sweep, two-sided if `far` is given: the tables of one phase are dropped
/// before those of the other are built.
#[must_use]
pub fn fixed_of_ends(near: &Course, far: Option<&Course>, prunes: bool, memory: Option<u64>) -> u64 {
    let of = |course: &Course| fixed_bytes(course, prunes, memory);
    of(near).max(far.map_or(0, of)) + far.map_or(0, |_| Meeting::bytes(near))
}

/// The divisor of a memory ceiling for the part that stays free, as heaps have gaps. Measured on 7x8 to 8x9:
/// the ceiling is exceeded by at most a hundredth.
const RESERVE: u64 = 20;

/// Returns the bytes of a memory ceiling that stay free.
#[must_use]
pub fn reserve(memory: Option<u64>) -> u64 {
    memory.unwrap_or(0) / RESERVE
}

/// Returns the memory ceiling that leaves `bytes` bytes for use.
#[must_use]
pub const fn ceiling_for(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / (RESERVE - 1))
}

/// Returns the seconds of a dry run on the threads of the current rayon pool, with the tables, which it
/// builds twice.
#[must_use]
pub fn dry_run_seconds(course: &Course) -> f64 {
    let word_steps = (course.words().len() * course.len()) as f64;
    word_steps * 2.0 * tariff::WORD.1 / 1e9 / rayon::current_num_threads().max(1) as f64
}

fn own_bytes() -> u64 {
    OWN.0 + OWN.1 * rayon::current_num_threads() as u64
}

#[cfg(test)]
pub mod tests;
