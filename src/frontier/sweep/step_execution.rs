//! Execution of a step: the queue of target chunks, which all threads compute, and the progress of the step.
//!
//! Target chunks are computed in an order in which neighbours read the same source chunks. A source chunk is
//! freed after its last reader, so the two layers are never both complete in memory. The step can be paused
//! between any two target chunks: its progress is the set of finished chunks and the sources that are still
//! needed.
//!
//! Under the memory limit of a [`MemoryPool`] finished target chunks of a whole step are evicted first, since they
//! are not needed before the next step. Source chunks follow, those that are needed last first. A thread for which
//! there is still no memory waits until no other thread computes and tries again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::chunk_builder::ChunkBuilder;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::chunk_readers::ChunkReaders;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::weights::modulus::Modulus;

/// Execution of a step.
pub struct StepExecution<'a> {
    step: &'a CompiledStep<'a>,
    pool: &'a MemoryPool<'a>,
    /// The modulus of the weights; `None` for exact weights.
    modulo: Option<Modulus>,
    source: &'a LayerStore,
    /// Estimated number of weights of the source chunks.
    source_weights: u64,
    /// True if the source layer is kept after the step, because in a two-sided sweep the other half
    /// also starts from it.
    keeps_source: bool,
    target: &'a LayerStore,
    /// The layers whose chunks may be evicted, in this order.
    evicted_layers: Vec<&'a LayerStore>,
    /// The queue of target chunks.
    queue: ChunkQueue,
    /// The pending target chunks that read each source chunk.
    readers: ChunkReaders,
    tally: Mutex<StepTally>,
}

/// The chunks of a step, or of a part of it that does not depend on the rest.
pub struct ChunksOfStep<'c> {
    /// Numbers of the target chunks, in the order of computation.
    pub targets: Vec<usize>,
    /// Numbers of the source chunks. Those that no pending target chunk reads are freed.
    pub sources: &'c [usize],
    /// Numbers of the target chunks that are finished.
    pub done: &'c [usize],
}

impl<'a> StepExecution<'a> {
    /// Prepares the execution of a whole step, whose target layer is empty.
    #[must_use]
    pub fn new(
        step: &'a CompiledStep<'a>,
        pool: &'a MemoryPool<'a>,
        modulo: Option<Modulus>,
        source: &'a LayerStore,
        target: &'a LayerStore,
    ) -> Self {
        let sources = source.present_chunks();
        let chunks = ChunksOfStep { targets: step.target_order(), sources: &sources, done: &[] };
        let execution = Self::of_chunks(step, pool, modulo, (source, false), target, chunks, &|_| true);
        execution.rank_sources();
        execution.rank_targets();
        execution.with_evicted_layers(vec![target, source])
    }

    /// Prepares the execution of some target chunks of a step. Frees the source chunks among `chunks` that no
    /// pending target chunk reads, unless the second item of `source` is true. No layer is evicted.
    ///
    /// # Panics
    /// If a target chunk reads a source chunk for which `is_own` returns false.
    #[must_use]
    pub fn of_chunks(
        step: &'a CompiledStep<'a>,
        pool: &'a MemoryPool<'a>,
        modulo: Option<Modulus>,
        (source, keeps_source): (&'a LayerStore, bool),
        target: &'a LayerStore,
        chunks: ChunksOfStep,
        is_own: &dyn Fn(usize) -> bool,
    ) -> Self {
        let count = source.chunk_count();
        let queue = ChunkQueue::new(chunks.targets, count, chunks.done);
        let (mut readers, mut sources) = (ChunkReaders::new(count), Vec::new());
        for chunk_number in queue.pending() {
            step.source_chunks_into(chunk_number, &mut sources);
            assert!(sources.iter().all(|&source| is_own(source)), "a class of chunks depends on another");
            readers.add_reader(&sources);
        }
        if !keeps_source {
            let unread = chunks.sources.iter().filter(|&&n| !readers.is_read(n));
            unread.for_each(|&n| source.remove(n, pool));
        }
        Self {
            step,
            pool,
            modulo,
            source_weights: source.estimate_weights(chunks.sources),
            source,
            keeps_source,
            target,
            evicted_layers: Vec::new(),
            queue,
            readers,
            tally: Mutex::default(),
        }
    }

    /// Sets the layers whose chunks may be evicted to free memory, those of the first layer first.
    #[must_use]
    pub fn with_evicted_layers(self, layers: Vec<&'a LayerStore>) -> Self {
        Self { evicted_layers: layers, ..self }
    }

    /// Sets the order of eviction of the source chunks: those that are needed last come first.
    pub fn rank_sources(&self) {
        self.source.set_eviction_ranks(self.readers.eviction_ranks());
    }

    /// Sets the order of eviction of the target chunks: those that are computed first come first.
    pub fn rank_targets(&self) {
        self.target.set_eviction_ranks(self.queue.positions());
    }

    /// Computes target chunks on the current rayon pool until all are finished or `pause` returns
    /// true. `pause` is called after every chunk. Returns true if all chunks are finished.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, StepError> {
        let new_inputs = || vec![None; self.source.chunk_count()];
        let make = |chunk_number, inputs: &mut Vec<_>| self.make_chunk(chunk_number, inputs);
        self.queue.run(new_inputs, make, pause).map(|(is_finished, _)| is_finished)
    }

    /// Returns the fraction of the target chunks that are finished, 0 to 1.
    #[must_use]
    pub fn fraction_done(&self) -> f64 {
        self.queue.fraction_done()
    }

    /// Returns the numbers of the finished target chunks, in ascending order.
    #[must_use]
    pub fn done(&self) -> Vec<usize> {
        self.queue.done()
    }

    /// Returns the counters of the target chunks that this execution finished. It must be called between two
    /// chunks.
    #[must_use]
    pub fn tally(&self) -> StepTally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes a target chunk, stores it, and frees the source chunks that no pending target chunk
    /// reads.
    fn make_chunk(&self, chunk_number: usize, inputs: &mut InputChunks) -> Result<(), StepError> {
        let sources = self.step.source_chunks(chunk_number);
        let compute = |inputs: &mut InputChunks| self.compute_chunk(chunk_number, &sources, inputs);
        let tally = self.queue.retry_alone(self.pool, &sources, inputs, compute)?;
        self.finish_chunk(chunk_number, &sources, tally);
        Ok(())
    }

    /// Records that a target chunk is in the target layer, and frees the source chunks that no
    /// pending target chunk reads.
    fn finish_chunk(&self, chunk_number: usize, sources: &[usize], tally: StepTally) {
        let mut sum = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.plus(tally);
        drop(sum);
        self.queue.mark_done(chunk_number);
        for &s in sources {
            if self.readers.finish_reader(s) {
                if self.keeps_source {
                    self.source.evict_early(s);
                } else {
                    self.source.remove(s, self.pool);
                }
            }
        }
    }

    /// Computes a target chunk and stores it in the target layer. Returns the counters of the
    /// chunk.
    fn compute_chunk(
        &self,
        chunk_number: usize,
        sources: &[usize],
        inputs: &mut InputChunks,
    ) -> Result<StepTally, StepError> {
        for &s in sources {
            inputs[s] = self.source.load(s, self.pool, &self.evicted_layers)?;
        }
        let builder = ChunkBuilder {
            step: self.step,
            pool: self.pool,
            modulo: self.modulo,
            source_weights: self.source_weights,
            evicted_layers: &self.evicted_layers,
        };
        let (chunk, tally) = builder.build(inputs, sources, chunk_number)?;
        if let Some(chunk) = chunk {
            self.target.insert(chunk_number, chunk);
        }
        Ok(tally)
    }
}

/// Queue of the chunks of a step in order of computation, with a mark for each finished chunk.
pub struct ChunkQueue {
    order: Vec<usize>,
    /// For each chunk number, true if the chunk is finished.
    done: Vec<AtomicBool>,
    /// Number of finished chunks.
    done_count: AtomicUsize,
    /// Lock that a thread holds for writing while it needs all available memory, and for reading otherwise.
    memory_lock: RwLock<()>,
}

/// Chunks that a thread has loaded, indexed by chunk number.
pub type InputChunks = [Option<Arc<Chunk>>];

impl ChunkQueue {
    /// Returns the queue of the chunks in `order`, whose numbers are below `len`. The chunks in
    /// `done` are already finished.
    #[must_use]
    pub fn new(order: Vec<usize>, len: usize, done: &[usize]) -> Self {
        let is_done: Vec<AtomicBool> = (0..len).map(|_| AtomicBool::new(false)).collect();
        done.iter().for_each(|&chunk_number| is_done[chunk_number].store(true, Ordering::Relaxed));
        let made =
            order.iter().filter(|&&chunk_number| is_done[chunk_number].load(Ordering::Relaxed)).count();
        Self { order, done: is_done, done_count: AtomicUsize::new(made), memory_lock: RwLock::new(()) }
    }

    /// Returns the position of each chunk in the order of computation.
    fn positions(&self) -> Vec<u32> {
        let mut positions = vec![0; self.done.len()];
        (0..).zip(&self.order).for_each(|(position, &chunk_number)| positions[chunk_number] = position);
        positions
    }

    /// Returns true if the chunk is finished.
    #[must_use]
    pub fn is_done(&self, chunk_number: usize) -> bool {
        self.done[chunk_number].load(Ordering::Relaxed)
    }

    /// Returns the numbers of the chunks that are not finished, in order of computation.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.order.iter().copied().filter(|&chunk_number| !self.is_done(chunk_number))
    }

    /// Returns the numbers of the finished chunks, in ascending order.
    #[must_use]
    pub fn done(&self) -> Vec<usize> {
        (0..self.done.len()).filter(|&chunk_number| self.is_done(chunk_number)).collect()
    }

    /// Returns the fraction of the chunks that are finished, 0 to 1.
    #[must_use]
    pub fn fraction_done(&self) -> f64 {
        self.done_count.load(Ordering::Relaxed) as f64 / self.order.len().max(1) as f64
    }

    /// Records that a chunk is finished.
    pub fn mark_done(&self, chunk_number: usize) {
        self.done[chunk_number].store(true, Ordering::Relaxed);
        self.done_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls `make` for every pending chunk on the current rayon pool, until all chunks are
    /// finished or `pause` returns true. `pause` is called after every chunk. Each thread has a
    /// state from `new_state`, which it passes to `make`. All states live until the last thread ends, so a state must
    /// not hold what other threads wait for. Returns true if all chunks are finished, and the states of all threads.
    ///
    /// # Errors
    /// An error of `make`; the other threads stop after their current chunk.
    pub fn run<S: Send, E: Send>(
        &self,
        new_state: impl Fn() -> S + Sync,
        make: impl Fn(usize, &mut S) -> Result<(), E> + Sync,
        pause: &(impl Fn() -> bool + Sync),
    ) -> Result<(bool, Vec<S>), E> {
        let (next, paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let states = rayon::broadcast(|_| {
            let mut state = new_state();
            while !paused.load(Ordering::Relaxed) {
                let Some(&chunk_number) = self.order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                if self.is_done(chunk_number) {
                    continue;
                }
                let made = make(chunk_number, &mut state);
                if pause() || made.is_err() {
                    paused.store(true, Ordering::Relaxed);
                }
                made?;
            }
            Ok(state)
        });
        let states = states.into_iter().collect::<Result<Vec<S>, E>>()?;
        Ok((self.pending().next().is_none(), states))
    }

    /// Calls `compute` and returns its result. `compute` loads the chunks `sources` into the slice
    /// `inputs` of this thread; afterwards these inputs are cleared. If memory is short and there
    /// is a store, the function waits until no other thread computes, and calls `compute` again.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn retry_alone<T>(
        &self,
        pool: &MemoryPool,
        sources: &[usize],
        inputs: &mut InputChunks,
        compute: impl Fn(&mut InputChunks) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        let clear_inputs = |inputs: &mut InputChunks| sources.iter().for_each(|&s| inputs[s] = None);
        // Held until the inputs are cleared, so that the thread that runs alone can evict everything.
        let _shared = self.memory_lock.read().unwrap_or_else(PoisonError::into_inner);
        let made = compute(inputs);
        clear_inputs(inputs);
        if !matches!(made, Err(StepError::Memory)) || !pool.has_store() {
            return made;
        }
        drop(_shared);
        let _alone = self.memory_lock.write().unwrap_or_else(PoisonError::into_inner);
        let made = compute(inputs);
        clear_inputs(inputs);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::planning::problem::Tours;
    use crate::frontier::signature::space::SignatureSpace;
    use crate::frontier::weights::matching_tables::MapTables;
    use crate::frontier::weights::vector::Weights;

    /// Runs a sweep. Returns the counters of every step and the number of pauses. Checks after each
    /// step that the pool holds exactly the bytes of the layer.
    fn tallies_and_pauses(pauses: bool) -> (Vec<StepTally>, usize) {
        let space = SignatureSpace::for_lines(6, 4, Tours::Closed, true);
        let (words, tables) = (space.words(), MapTables::new(space.plan().slot_count()));
        let pool = MemoryPool::new(1 << 30, None);
        let new_layer = || LayerStore::new(words.chunk_count(), words.chunk_len());
        let mut source = new_layer();
        let first = Chunk::initial(words, Weights::W32(vec![1].into()));
        pool.reserve(first.bytes(), &[]).unwrap().keep();
        source.insert(0, first);
        let (mut tallies, mut rests) = (Vec::new(), 0);
        for t in 0..space.step_count() {
            let compiled = CompiledStep::new(&space, &tables, None, t);
            let target = new_layer();
            let advance = StepExecution::new(&compiled, &pool, None, &source, &target);
            while !advance.run(&|| pauses).unwrap() {
                rests += 1;
                assert!(!advance.done().is_empty());
            }
            let tally = advance.tally();
            assert_eq!(
                pool.budget().reserved_bytes(),
                target.chunk_bytes().iter().map(|size| size.1).sum::<u64>()
            );
            tallies.push(tally);
            source = target;
        }
        (tallies, rests)
    }

    #[test]
    fn paused_steps_give_equal_tallies_and_free_their_sources() {
        let (whole, rests) = tallies_and_pauses(false);
        assert_eq!(rests, 0);
        let (in_pieces, rests) = tallies_and_pauses(true);
        assert!(rests > 0);
        assert_eq!(in_pieces, whole);
    }
}
