//! A queue of chunks that all threads compute in order.
//!
//! Between any two chunks the work can be left and resumed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::MemoryPool;
use crate::frontier::layer::step::StepError;

/// The numbers of the chunks in the order of computation, and which of them are done.
pub struct ChunkQueue {
    order: Vec<usize>,
    /// By chunk number.
    done: Vec<AtomicBool>,
    /// Number of chunks that are done.
    done_count: AtomicUsize,
    /// Held for writing by a thread that needs all available memory.
    memory_lock: RwLock<()>,
}

/// The chunks that a thread reads, indexed by chunk number.
pub type InputChunks = [Option<Arc<Chunk>>];

impl ChunkQueue {
    /// Returns the queue of the chunks in `order`, with numbers below `len`, of which `done` are done.
    #[must_use]
    pub fn new(order: Vec<usize>, len: usize, done: &[usize]) -> Self {
        let is_done: Vec<AtomicBool> = (0..len).map(|_| AtomicBool::new(false)).collect();
        done.iter().for_each(|&high| is_done[high].store(true, Ordering::Relaxed));
        let made = order.iter().filter(|&&high| is_done[high].load(Ordering::Relaxed)).count();
        Self { order, done: is_done, done_count: AtomicUsize::new(made), memory_lock: RwLock::new(()) }
    }

    /// Returns true if a chunk is done.
    #[must_use]
    pub fn is_done(&self, high: usize) -> bool {
        self.done[high].load(Ordering::Relaxed)
    }

    /// Returns the chunks that are not done, in order of computation.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.order.iter().copied().filter(|&high| !self.is_done(high))
    }

    /// Returns the chunks that are done, ascending.
    #[must_use]
    pub fn done(&self) -> Vec<usize> {
        (0..self.done.len()).filter(|&high| self.is_done(high)).collect()
    }

    /// Returns the fraction of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn fraction_done(&self) -> f64 {
        self.done_count.load(Ordering::Relaxed) as f64 / self.order.len().max(1) as f64
    }

    /// Records that a chunk is done.
    pub fn mark_done(&self, high: usize) {
        self.done[high].store(true, Ordering::Relaxed);
        self.done_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls `make` for every pending chunk on the current rayon pool, until all are done or `pause`, called
    /// after every chunk, returns true. Each thread has its own slice of `sources` inputs for `make`. Returns
    /// true if all chunks are done.
    ///
    /// # Errors
    /// The last error of `make`; the other threads stop after their current chunk.
    pub fn run(
        &self,
        sources: usize,
        make: impl Fn(usize, &mut InputChunks) -> Result<(), StepError> + Sync,
        pause: &(impl Fn() -> bool + Sync),
    ) -> Result<bool, StepError> {
        let (next, paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let halted: Mutex<Option<StepError>> = Mutex::new(None);
        rayon::broadcast(|_| {
            let mut inputs: Vec<Option<Arc<Chunk>>> = vec![None; sources];
            while !paused.load(Ordering::Relaxed) {
                let Some(&high) = self.order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                if self.is_done(high) {
                    continue;
                }
                if let Err(halt) = make(high, &mut inputs) {
                    *halted.lock().unwrap_or_else(PoisonError::into_inner) = Some(halt);
                    paused.store(true, Ordering::Relaxed);
                }
                if pause() {
                    paused.store(true, Ordering::Relaxed);
                }
            }
        });
        if let Some(halt) = halted.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(halt);
        }
        Ok(self.pending().next().is_none())
    }

    /// Calls `compute`, which loads the chunks `sources` into `at_hand`, and clears these inputs afterwards.
    /// If memory is short and there is a store, it waits until no other thread computes and tries again.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn retry_alone<T>(
        &self,
        pool: &MemoryPool,
        sources: &[usize],
        at_hand: &mut InputChunks,
        compute: impl Fn(&mut InputChunks) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        let clear_inputs = |at_hand: &mut InputChunks| sources.iter().for_each(|&s| at_hand[s] = None);
        // Held until the inputs are cleared, so that the thread that runs alone can evict everything.
        let _shared = self.memory_lock.read().unwrap_or_else(PoisonError::into_inner);
        let made = compute(at_hand);
        clear_inputs(at_hand);
        if !matches!(made, Err(StepError::Memory)) || !pool.has_store() {
            return made;
        }
        drop(_shared);
        let _alone = self.memory_lock.write().unwrap_or_else(PoisonError::into_inner);
        let made = compute(at_hand);
        clear_inputs(at_hand);
        made
    }
}
