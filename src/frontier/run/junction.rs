//! The join is executed by all threads, each joining a chunk of the left layer with all chunks of the right
//! layer that match it. A chunk is freed after its last join. The work can be left between any two left
//! chunks: its state is the sum so far and the chunks that are not joined yet.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;

use crate::frontier::layer::joining::{JoinResult, LayerJoiner};
use crate::frontier::layer::keeper::MemoryPool;
use crate::frontier::layer::shelf::LayerStore;
use crate::frontier::layer::step::StepError;
use crate::frontier::run::queue::{ChunkQueue, InputChunks};
use crate::frontier::state::tally::StepTally;

/// The join of two layers in execution.
pub struct JoinExecution<'a> {
    joining: &'a LayerJoiner<'a>,
    pool: &'a MemoryPool<'a>,
    left: &'a LayerStore,
    right: &'a LayerStore,
    /// The left chunks.
    queue: ChunkQueue,
    /// By right chunk, the number of pending left chunks that it is joined with.
    reader_counts: Vec<AtomicU32>,
    sum: Mutex<JoinResult>,
}

impl<'a> JoinExecution<'a> {
    /// Prepares the join; `done` are the left chunks that are joined already and `sum` is their sum. Frees
    /// the right chunks that no pending left chunk matches.
    #[must_use]
    pub fn new(
        joining: &'a LayerJoiner<'a>,
        pool: &'a MemoryPool<'a>,
        near: &'a LayerStore,
        far: &'a LayerStore,
        done: &[usize],
        sum: BigUint,
    ) -> Self {
        let queue = ChunkQueue::new(near.present_chunks(), near.chunk_count(), done);
        let readers: Vec<AtomicU32> = (0..far.chunk_count()).map(|_| AtomicU32::new(0)).collect();
        queue.pending().flat_map(|high| joining.right_chunks(high)).for_each(|chunk| {
            readers[chunk].fetch_add(1, Ordering::Relaxed);
        });
        let idle = |n: &usize| readers[*n].load(Ordering::Relaxed) == 0;
        far.present_chunks().into_iter().filter(idle).for_each(|n| far.remove(n, pool));
        Self {
            joining,
            pool,
            left: near,
            right: far,
            queue,
            reader_counts: readers,
            sum: Mutex::new(JoinResult { sum, reads: 0 }),
        }
    }

    /// Joins chunks on the current rayon pool until all are done or `pause`, called after every chunk,
    /// returns true. Returns true if all are done.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, StepError> {
        self.queue.run(self.right.chunk_count(), |high, inputs| self.join_chunk(high, inputs), pause)
    }

    /// Returns the fraction of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn fraction_done(&self) -> f64 {
        self.queue.fraction_done()
    }

    /// Returns the left chunks that are done and their sum, between two chunks.
    #[must_use]
    pub fn view(&self) -> (Vec<usize>, BigUint) {
        let sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        (self.queue.done(), sum.sum.clone())
    }

    /// Returns the sum and the counters, once all chunks are done.
    #[must_use]
    pub fn into_sum(self) -> (BigUint, StepTally) {
        let JoinResult { sum, reads } = self.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bits = sum.bits() as u32;
        (sum, StepTally { transitions: reads, bits, ..StepTally::default() })
    }

    fn join_chunk(&self, high: usize, at_hand: &mut InputChunks) -> Result<(), StepError> {
        let chunks = self.joining.right_chunks(high);
        let by = |most: usize, at_hand: &mut InputChunks| {
            let compute = |at_hand: &mut InputChunks| self.join_with_inputs(high, &chunks, most, at_hand);
            self.queue.retry_alone(self.pool, &chunks, at_hand, compute)
        };
        let joined = match by(usize::MAX, at_hand) {
            Err(StepError::Memory) if self.pool.has_store() => by(1, at_hand)?,
            joined => joined?,
        };
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.sum += joined.sum;
        sum.reads += joined.reads;
        // The sum is still locked, so that a view contains both or neither.
        self.queue.mark_done(high);
        drop(sum);
        self.left.remove(high, self.pool);
        for chunk in chunks {
            if self.reader_counts[chunk].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.right.remove(chunk, self.pool);
            }
        }
        Ok(())
    }

    /// Joins a left chunk with right ones, at most `max_right_chunks` at a time; the left blocks are
    /// contracted anew for each group.
    fn join_with_inputs(
        &self,
        high: usize,
        chunks: &[usize],
        max_right_chunks: usize,
        inputs: &mut InputChunks,
    ) -> Result<JoinResult, StepError> {
        let evict = || self.evict();
        let Some(near) = self.left.load(high, self.pool, &evict)? else { return Ok(JoinResult::default()) };
        let mut all = JoinResult::default();
        for group in chunks.chunks(max_right_chunks) {
            chunks.iter().for_each(|&other| inputs[other] = None);
            for &chunk in group {
                inputs[chunk] = self.right.load(chunk, self.pool, &evict)?;
            }
            let plane_bytes = self.joining.scratch_bytes(high, &near, inputs);
            let has_room = match self.pool.reserve(plane_bytes, &evict) {
                Ok(()) => true,
                // At this point a slight excess of memory is better than to discard all earlier steps.
                Err(StepError::Memory) if max_right_chunks == 1 => false,
                Err(halt) => return Err(halt),
            };
            let joined = self.joining.join_chunk(high, &near, inputs);
            if has_room {
                self.pool.budget().release(plane_bytes);
            }
            all.sum += joined.sum;
            all.reads += joined.reads;
        }
        Ok(all)
    }

    /// Evicts a chunk that is not needed soon; returns false if there is none.
    fn evict(&self) -> Result<bool, StepError> {
        for high in self.queue.pending().rev() {
            if self.left.evict(high, self.pool)? {
                return Ok(true);
            }
            for chunk in self.joining.right_chunks(high) {
                if self.right.evict(chunk, self.pool)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
