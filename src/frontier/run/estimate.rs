//! What a sweep will take, before it runs.
//!
//! A dry run over the signatures alone, forwards and backwards, tells exactly
//! which blocks every layer will have, and so how many weights, and how many are read for them: the sweep has at
//! most these. Where that takes long itself, an [`outlook`](crate::frontier::run::outlook) says the same roughly.
//! How wide weights are and what they cost is at a [`tariff`](crate::frontier::run::tariff):
//!
//! ```text
//! memory  = the process itself + tables + greatest (layer before + layer after, the part in flight only, + in the making)
//! outside = what of that is above a ceiling, packed
//! time    = planning + (weights, transitions, words) / threads + bytes that go outside
//! ```
//!
//! Cost: O(steps x choices x 3^slots / 81), a few milliseconds a step for 16 slots.

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

/// Bytes of the process itself, measured: the program, and what each thread takes.
const OWN: (u64, u64) = (11 << 20, 128 << 10);

/// Seconds of the process itself, and of each step beside its weights, whatever the number of threads.
const OWN_SECONDS: (f64, f64) = (0.005, 0.000_15);

/// What is there of the smaller of two layers while the greater is complete.
const IN_FLIGHT: f64 = 0.35;

/// Chunks as large as the greatest of the next layer that a thread takes while it makes one, its blocks and for a moment
/// what they are brought to; and the most bytes of it at a time. Measured by what sweeps of 7x8 to 8x10 stored: 45 to 75
/// MiB on two threads more than what their layers leave.
const MAKING: (f64, f64) = (2.0, 30e6);

/// Part of the weights of a layer that its greatest chunk has, where no dry run tells. Measured on 7x8 to 8x10: 0.08 to
/// 0.15.
const GREATEST: f64 = 0.1;

/// Steps of one end.
#[derive(Clone, Copy)]
struct Leg<'a> {
    plan: &'a Plan,
    /// Steps of the plan before them.
    first: usize,
    layers: &'a [Extent],
    /// Bytes that lie beside them.
    waiting: f64,
    /// Whether there is another end.
    meets: bool,
}

/// The last layer of some steps: its bytes, bits of the greatest weight, and bytes of each in its widest chunk.
#[derive(Clone, Copy, Default)]
struct Last {
    bytes: f64,
    bits: f64,
    widest: f64,
}

/// Bits that the widest chunk may have more than is told, and one to be made in. Measured on 8x12: one and a half.
const WIDER: f64 = 2.0;

/// Bytes of planes for a weight of the greatest chunk, where that is smaller than any block might be.
const BESIDE: f64 = 40.0;

/// Part of the weights of a layer that is read at once, or made, at least, where no dry run tells. Measured on 7x8 to 8x9:
/// more than twice as much. Beyond so many slots chunks are smaller.
const AT_ONCE: (f64, usize) = (0.05, 18);

/// The expected size of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Slots of the frontier.
    pub slots: usize,
    /// Steps: vertices, the apex included.
    pub steps: usize,
    /// Weights of the greatest layer at most; states are never more.
    pub peak_weights: u64,
    /// Weights of all layers at most.
    pub weights: u64,
    /// Bytes of memory of the process, if all layers are in memory.
    pub peak_bytes: u64,
    /// Those of them for tables and the program itself.
    pub fixed_bytes: u64,
    /// Seconds needed on the threads of the current rayon pool, if all layers are in memory.
    pub seconds: f64,
    /// Those of them for planning, which was measured.
    pub planning: f64,
    /// Weights after every step at most.
    pub layers: Vec<u64>,
    /// Seconds that every step takes.
    pub step_seconds: Vec<f64>,
    /// Whether a dry run told the weights exactly; otherwise the order tells them, within a factor of two for boards.
    pub is_exact: bool,
    /// Whether it is no rectangle that the order tells them of: there may be ten times fewer.
    pub is_vague: bool,
    /// Bytes of the layers while each step is made, and what is left of a byte that is stored then.
    pub(in crate::frontier) held: Vec<(u64, f64)>,
    /// Bytes of blocks in the making beside them.
    pub(in crate::frontier) making: Vec<u64>,
    /// Whether the frontier is too wide for layers, which could go outside memory.
    pub is_all_inside: bool,
    /// Bytes of a chunk and all its sources at most, as far as they are known: all, where there are no chunks.
    pub(in crate::frontier) chunk: u64,
    /// Tables of feasible signatures, and the bytes of them that are told.
    pub(in crate::frontier) tables: (TableRoom, u64),
}

impl Estimate {
    /// Predicts the sweep of a course by a dry run on the current rayon pool, with the tables that it would use;
    /// `None` if it was cancelled.
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

    /// Predicts the same from the plan alone, at once.
    pub(in crate::frontier) fn roughly(
        cycles: &Cycles,
        plan: &Arc<Plan>,
        pair: Option<&Pair>,
        memory: Option<u64>,
        nature: Nature,
    ) -> Self {
        let is_closed = cycles.apex().is_none();
        // From two ends the greatest layers are those of the widest chunks.
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

    /// A sweep with a hash table that was made already, as its states are few.
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

    /// The layers of the near end, which is all there is without another, and those of the far end that it does not share.
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
            // What it goes on from is what waits.
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
            // Both layers are there as they were.
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

    /// Adds steps of one end, which go on from `last`; what their last layer is.
    fn add_leg(&mut self, cycles: &Cycles, leg: &Leg, mut last: Last, nature: Nature) -> Last {
        let Leg { plan, first, layers, waiting, meets } = *leg;
        let threads = rayon::current_num_threads().max(1) as f64;
        let words = 3f64.powi(plan.slots() as i32 - INNER as i32);
        let word_seconds = tariff::WORD.0 * words / 1e9;
        let told = tariff::bits(cycles, plan).into_iter().zip(outlook::density(plan, nature.familiar));
        // A chunk is made a bit wider than its sources are: where ends meet before weights are wide, that tells, and for
        // paths, whose weights differ more.
        let is_wide = meets || cycles.apex().is_some() || !nature.familiar;
        let steps = layers.iter().zip(plan.steps().iter().zip(told).skip(first));
        for (&Extent { weights, greatest, reads, blocks, at_once }, (step, (bits, density))) in steps {
            let weighing = nature.weighing(bits);
            // Where zeros are guessed, no time is taken to be saved by them.
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
            // Those of boards that nobody knows may be full anywhere.
            let full = if nature.familiar { density } else { 1.0 };
            let widest = if is_wide { weighing.widest(full, WIDER) } else { each };
            self.chunk = self.chunk.max((at_once.0 * widest + at_once.1 * last.widest) as u64);
            last = Last { bytes, bits: weighing.bits(), widest };
        }
        last
    }

    /// The same with the seconds that planning took.
    #[must_use]
    pub(super) fn planned_in(self, seconds: f64) -> Self {
        Self { seconds: self.seconds + seconds, planning: seconds, ..self }
    }

    /// Bytes of the greatest layers, and of blocks in the making beside them.
    fn most(&self) -> u64 {
        let all = self.held.iter().zip(&self.making).map(|(held, making)| held.0.saturating_add(*making));
        all.max().unwrap_or(0)
    }

    /// The same for a part of a cut sweep that holds so much of each layer at most: what goes outside, and how many
    /// machines hold it, is told of the part, and all else of the whole.
    #[must_use]
    pub fn part(mut self, share: f64) -> Self {
        self.held.iter_mut().for_each(|held| held.0 = (held.0 as f64 * share) as u64);
        self
    }

    /// The same for one of several ranks: all have the tables and make blocks, and each has its part of the layers.
    #[must_use]
    pub fn shared(mut self, ranks: u64) -> Self {
        self.held.iter_mut().for_each(|held| held.0 /= ranks.max(1));
        self.peak_bytes = self.fixed_bytes.saturating_add(self.most());
        self
    }
}

/// Bytes for the tables of a sweep, the entries of its words and the program itself.
#[must_use]
pub fn fixed_bytes(course: &Course, prunes: bool, memory: Option<u64>) -> u64 {
    let entries = 2 * (course.words().len() * size_of::<Entry>()) as u64;
    own_bytes() + entries + if prunes { Feasibility::bytes(course, memory) } else { 0 }
}

/// The same for a sweep from two ends, if there is a far one: the tables of one leg are gone before those of the other
/// are made.
#[must_use]
pub fn fixed_of_ends(near: &Course, far: Option<&Course>, prunes: bool, memory: Option<u64>) -> u64 {
    let of = |course: &Course| fixed_bytes(course, prunes, memory);
    of(near).max(far.map_or(0, of)) + far.map_or(0, |_| Meeting::bytes(near))
}

/// One in so many bytes of a ceiling is left free, as heaps have gaps. Measured on 7x8 to 8x9: a hundredth is passed at most.
const RESERVE: u64 = 20;

/// Bytes of a ceiling that are left free.
#[must_use]
pub fn reserve(memory: Option<u64>) -> u64 {
    memory.unwrap_or(0) / RESERVE
}

/// The ceiling that leaves so many bytes for use.
#[must_use]
pub const fn ceiling_for(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / (RESERVE - 1))
}

/// Seconds of a dry run on the threads of the current rayon pool, and of the tables that it makes twice.
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
