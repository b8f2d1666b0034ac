//! Two-sided sweeps: the plan, the state of a sweep in progress, and the join of the two layers.
//!
//! ```text
//! left plan up to the cut -> reached, completable signatures -> matching signatures of the right plan
//! ```
//!
//! Where the first steps of the right half are a mirror image of those of the left half, they are
//! executed once: both halves start from the *common layer*.
//!
//! A shard has only some classes of left signatures at the cut, and the right signatures that match
//! them. Its common layer has the states that lead to either.
//!
//! The join is executed by all threads, each joining a chunk of the left layer with all chunks of
//! the right layer that match it. A chunk is freed after its last join. The join can be suspended
//! between any two left chunks: its state is the sum so far and the chunks that are not joined yet.

#[cfg(test)]
mod tests;
use std::sync::{Arc, Mutex, PoisonError};

use num_bigint::BigUint;

use super::options::{Method, Options, SweepSides};
use super::step_execution::{ChunkQueue, InputChunks};
use crate::frontier::layer::chunk_readers::ChunkReaders;
use crate::frontier::layer::layer_join::{JoinResult, LayerJoiner};
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::phase::{Phase, PhaseKind};
use crate::frontier::planning::plan::{Plan, Step};
use crate::frontier::planning::problem::Cycles;
use crate::frontier::planning::slots::Slot;
use crate::frontier::planning::symmetric_half::SymmetricHalf;
use crate::frontier::signature::cut_alignment::CutAlignment;
use crate::frontier::signature::shard::untouched_steps;
use crate::frontier::signature::signature_table::SignatureTable;
use crate::frontier::signature::space::{MAX_BLOCK_SLOTS, SignatureSpace, WordNumbering, bits_of};
use crate::frontier::weights::modulus::Modulus;

/// The plan of a two-sided sweep.
#[derive(Clone, Debug)]
pub struct TwoSidedPlan {
    /// Number of the last step of the left half, after which the sweep is cut.
    pub cut_step: usize,
    /// The plan of the left half.
    pub left: Arc<Plan>,
    /// The plan of the right half.
    pub right: Arc<Plan>,
    /// Number of common steps. These are the first steps of both halves. They are executed once,
    /// because there one half is the mirror image of the other.
    pub common_steps: usize,
}

impl TwoSidedPlan {
    /// Returns the two-sided plan that cuts `plan` after its first `steps` steps; `None` if one
    /// half would have no steps or the frontier is too wide for blocks.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    ///
    /// # Panics
    /// If the plan merges mirror images and `fold` is false.
    pub fn new(
        cycles: &Cycles,
        plan: &Arc<Plan>,
        steps: usize,
        fold: bool,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Cancelled> {
        if steps == 0 || steps >= plan.steps().len() || plan.steps()[steps - 1].occupied_slots == 0 {
            return Ok(None);
        }
        // A wider frontier has no layers of blocks, and its slot renamings cannot be enumerated.
        if plan.slot_count() > MAX_BLOCK_SLOTS {
            return Ok(None);
        }
        assert!(
            fold || plan.steps().iter().all(|step| step.mirror_image.is_none()),
            "a plan that merges mirror images requires `fold`"
        );
        let step = steps - 1;
        // Without a vertex to the right of the cut, the left half might already have finished tours.
        let is_rest = |v: usize| plan.step_of(v) > step && plan.slot_after(step, v).is_none();
        if !(0..cycles.len()).any(is_rest) {
            return Ok(None);
        }
        if let Some(half) = SymmetricHalf::find(cycles, plan, step) {
            let names = half.new_slots(plan, step, WordNumbering::new(plan.slot_count()).chunk_slots());
            let (left_plan, half) =
                (Arc::new(plan.with_renamed_slots(&names)), half.with_renamed_slots(&names));
            let right_plan = Plan::right_half(cycles, &left_plan, step, fold, Some(&half), cancel)?;
            let shared = half.common_steps();
            // Without an edge inside the cut, the left layer would be the same as the right layer.
            if let Some(right_plan) = right_plan.filter(|right_plan| right_plan.steps().len() > shared) {
                let right = Arc::new(right_plan);
                return Ok(Some(Self { cut_step: step, left: left_plan, right, common_steps: shared }));
            }
        }
        let right_plan = Plan::right_half(cycles, plan, step, fold, None, cancel)?;
        let new =
            |right| Self { cut_step: step, left: Arc::clone(plan), right: Arc::new(right), common_steps: 0 };
        Ok(right_plan.map(new))
    }

    /// Returns true if classes of left signatures at the cut can be counted separately. A mirror that merges
    /// states of the left half must map classes to classes, so it must preserve the cut.
    #[must_use]
    pub fn has_classes_at_cut(&self) -> bool {
        let is_folded = |step: &Step| step.mirror_image.is_some();
        let steps = &self.left.steps()[..=self.cut_step];
        is_folded(&steps[self.cut_step]) || !steps.iter().any(is_folded)
    }

    /// Returns the number of last steps of both halves that do not touch the cut vertex of a left slot.
    pub(super) fn untouched_steps_before_cut(&self, slot: Slot) -> usize {
        let mut cut_vertices = self.left.frontier_slots(self.cut_step);
        let vertex = cut_vertices.find(|&(_, other)| other == slot).map(|(vertex, _)| vertex);
        let last = self.right.steps().len() - 1;
        let right_slot = vertex.and_then(|vertex| self.right.slot_after(last, vertex));
        let of_right = right_slot.map_or(last, |slot| untouched_steps(&self.right, (0..=last).rev(), slot));
        untouched_steps(&self.left, (0..=self.cut_step).rev(), slot) + of_right
    }

    /// Returns the signature space of the right half; `None` if its tables would be too large.
    #[must_use]
    pub fn right_space(&self, left_space: &SignatureSpace) -> Option<Arc<SignatureSpace>> {
        SignatureSpace::for_right_half(&self.right, left_space).map(Arc::new)
    }

    /// Returns the right signatures at the cut that match the left signatures `left`.
    pub(super) fn right_signatures(
        &self,
        left_space: &SignatureSpace,
        right_space: &SignatureSpace,
        left: &SignatureTable,
    ) -> SignatureTable {
        let words = left_space.words();
        let alignment = CutAlignment::new(
            left_space.plan(),
            self.cut_step,
            words,
            right_space.plan(),
            right_space.words(),
        );
        let mut right = vec![0; right_space.words().len()];
        for (number, set) in left.occupied_words() {
            let at = words.word_at(number);
            for bit in bits_of(set) {
                let address = alignment.right_signature(at, bit);
                right[address.word_number] |= 1 << address.bit;
            }
        }
        SignatureTable::from_words(right_space.rows(), |word_number| right[word_number])
    }

    /// Returns the phases of the sweep.
    fn phases(&self) -> Vec<Phase> {
        let (common, left, right) = (self.common_steps, self.cut_step + 1, self.right.steps().len());
        Phase::consecutive(&[
            (PhaseKind::Common, 0..common),
            (PhaseKind::Right, common..right),
            (PhaseKind::Left, common..left),
            (PhaseKind::Join, 0..1),
        ])
    }
}

/// Returns the phases of a one-sided sweep of `steps` steps, or of a two-sided sweep.
#[must_use]
pub fn sweep_phases(steps: usize, pair: Option<&TwoSidedPlan>) -> Vec<Phase> {
    pair.map_or_else(|| Phase::whole(steps), TwoSidedPlan::phases)
}

/// Returns true if the sweep may run as a left and a right half that are joined. The sweep must not
/// be hashed, and must have no negative factors. A modulus must be odd, since the join counts every tour twice and
/// halves the sum.
#[must_use]
pub fn can_be_two_sided(cycles: &Cycles, options: &Options) -> bool {
    let Options { modulo, method, sides: ends, .. } = options;
    let is_plain = *method != Method::Hashed && *ends != SweepSides::One;
    is_plain && modulo.is_none_or(Modulus::is_odd) && !cycles.has_negative_factors()
}

/// Returns a digest of the plan of a one-sided sweep, or of both halves of a two-sided sweep.
/// States, blocks and chunks have the same meaning in all sweeps with the same digest.
#[must_use]
pub fn plan_digest(plan: &Plan, pair: Option<&TwoSidedPlan>) -> u64 {
    let of_pair = |pair: &TwoSidedPlan| {
        let shared = (pair.common_steps as u64).rotate_right(8);
        // Two cuts may have the same plans, and yet different progress within a step.
        let step = (pair.cut_step as u64).rotate_right(20);
        pair.left.digest() ^ pair.right.digest().rotate_left(1) ^ shared ^ step
    };
    pair.map_or_else(|| plan.digest(), of_pair)
}

/// State of a two-sided sweep in progress.
pub struct TwoSidedState {
    /// The two-sided plan.
    pub plan: TwoSidedPlan,
    /// The signature space of the right half.
    pub right_space: Arc<SignatureSpace>,
    /// The layer that is held for a later phase, in addition to the layers of the current step: in the right phase the
    /// common layer, in the left phase and for the join the right layer. See [`Phase::has_waiting_layer`].
    pub waiting_layer: Option<LayerStore>,
}

impl TwoSidedState {
    /// Returns the state before the first step.
    #[must_use]
    pub fn new(plan: &TwoSidedPlan, right_space: Arc<SignatureSpace>) -> Self {
        Self { plan: plan.clone(), right_space, waiting_layer: None }
    }
}

/// Execution of the join of the left layer and the right layer.
pub struct JoinExecution<'a> {
    joining: &'a LayerJoiner<'a>,
    pool: &'a MemoryPool<'a>,
    left: &'a LayerStore,
    right: &'a LayerStore,
    /// The queue of left chunks.
    queue: ChunkQueue,
    /// The pending left chunks that are joined with each right chunk.
    readers: ChunkReaders,
    sum: Mutex<JoinResult>,
}

impl<'a> JoinExecution<'a> {
    /// Prepares the join. `done` lists the left chunks that are already joined, and `sum` is the
    /// sum of their joins. Frees the right chunks that match no pending left chunk.
    #[must_use]
    pub fn new(
        joining: &'a LayerJoiner<'a>,
        pool: &'a MemoryPool<'a>,
        left_layer: &'a LayerStore,
        right_layer: &'a LayerStore,
        done: &[usize],
        sum: BigUint,
    ) -> Self {
        let queue = ChunkQueue::new(left_layer.present_chunks(), left_layer.chunk_count(), done);
        let mut readers = ChunkReaders::new(right_layer.chunk_count());
        queue.pending().for_each(|number| readers.add_reader(&joining.right_chunks(number)));
        let unread = right_layer.present_chunks().into_iter().filter(|&n| !readers.is_read(n));
        unread.for_each(|n| right_layer.remove(n, pool));
        right_layer.set_eviction_ranks(readers.eviction_ranks());
        // Left chunks are joined in the order of their numbers.
        left_layer.set_eviction_ranks((0..left_layer.chunk_count() as u32).rev().collect());
        Self {
            joining,
            pool,
            left: left_layer,
            right: right_layer,
            queue,
            readers,
            sum: Mutex::new(JoinResult { sum, reads: 0 }),
        }
    }

    /// Joins left chunks on the current rayon pool until all are joined or `pause` returns true.
    /// `pause` is called after every chunk. Returns true if all chunks are joined.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, StepError> {
        let new_inputs = || vec![None; self.right.chunk_count()];
        let make = |chunk_number, inputs: &mut Vec<_>| self.join_chunk(chunk_number, inputs);
        self.queue.run(new_inputs, make, pause).map(|(is_finished, _)| is_finished)
    }

    /// Returns the fraction of the left chunks that are joined, 0 to 1.
    #[must_use]
    pub fn fraction_done(&self) -> f64 {
        self.queue.fraction_done()
    }

    /// Returns the numbers of the left chunks that are joined, and the sum of their joins. It must
    /// be called between two chunks.
    #[must_use]
    pub fn view(&self) -> (Vec<usize>, BigUint) {
        let sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        (self.queue.done(), sum.sum.clone())
    }

    /// Returns the sum over all chunks, and the counters of the join. It must be called after the
    /// last chunk.
    #[must_use]
    pub fn into_sum(self) -> (BigUint, StepTally) {
        let JoinResult { sum, reads } = self.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bits = sum.bits() as u32;
        (sum, StepTally { transitions: reads, bits, ..StepTally::default() })
    }

    fn join_chunk(&self, chunk_number: usize, inputs: &mut InputChunks) -> Result<(), StepError> {
        let chunks = self.joining.right_chunks(chunk_number);
        let by = |max_inputs: usize, inputs: &mut InputChunks| {
            let compute =
                |inputs: &mut InputChunks| self.join_with_inputs(chunk_number, &chunks, max_inputs, inputs);
            self.queue.retry_alone(self.pool, &chunks, inputs, compute)
        };
        let joined = match by(usize::MAX, inputs) {
            Err(StepError::Memory) if self.pool.has_store() => by(1, inputs)?,
            joined => joined?,
        };
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.sum += joined.sum;
        sum.reads += joined.reads;
        // The sum is still locked, so that a view contains both or neither.
        self.queue.mark_done(chunk_number);
        drop(sum);
        self.left.remove(chunk_number, self.pool);
        for chunk in chunks {
            if self.readers.finish_reader(chunk) {
                self.right.remove(chunk, self.pool);
            }
        }
        Ok(())
    }

    /// Joins a left chunk with the right chunks `chunks`, of which at most `max_right_chunks` are
    /// in memory at a time. The left blocks are contracted again for every such group of right
    /// chunks.
    fn join_with_inputs(
        &self,
        chunk_number: usize,
        chunks: &[usize],
        max_right_chunks: usize,
        inputs: &mut InputChunks,
    ) -> Result<JoinResult, StepError> {
        let evicted_layers = [self.left, self.right];
        let Some(left_chunk) = self.left.load(chunk_number, self.pool, &evicted_layers)? else {
            return Ok(JoinResult::default());
        };
        let mut all = JoinResult::default();
        for group in chunks.chunks(max_right_chunks) {
            chunks.iter().for_each(|&other| inputs[other] = None);
            for &chunk in group {
                inputs[chunk] = self.right.load(chunk, self.pool, &evicted_layers)?;
            }
            let plane_bytes = self.joining.scratch_bytes(chunk_number, &left_chunk, inputs);
            let reservation = match self.pool.reserve(plane_bytes, &evicted_layers) {
                // Here a slight excess of memory is better than discarding all earlier steps.
                Err(StepError::Memory) if max_right_chunks == 1 => None,
                reserved => Some(reserved?),
            };
            let joined = self.joining.join_chunk(chunk_number, &left_chunk, inputs);
            drop(reservation);
            all.sum += joined.sum;
            all.reads += joined.reads;
        }
        Ok(all)
    }
}
