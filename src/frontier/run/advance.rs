//! Execution of a step: all threads compute target chunks until all are done or the step is paused.
//!
//! Target chunks are computed in an order in which neighbours read the same source chunks. A source chunk is
//! freed after its last reader, so the two layers are never both complete in memory. The step can be left
//! between any two target chunks: its state is the chunks that are done and the sources that are still
//! needed.
//!
//! Under the ceiling of a [`MemoryPool`] finished target chunks are evicted first, since they are not needed
//! before the next step; then the sources that are needed last. A thread that still finds no memory waits
//! until it is the only one and tries again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;

use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::run::maker::Maker;
use crate::frontier::run::queue::{AtHand, Queue};
use crate::frontier::state::tally::Tally;
use crate::frontier::state::words::Words;

/// A step in execution.
pub struct Advance<'a> {
    stride: &'a Stride<'a>,
    keeper: &'a Keeper<'a>,
    /// The modulus of the weights; `None` for exact weights.
    modulo: Option<Modulus>,
    source: Shelf,
    /// True if the source layer stays in the store after the step, since the other half starts from it too.
    keeps: bool,
    target: Shelf,
    /// A layer that is not needed before the end of the phase, and so is evicted first.
    waiting: Option<&'a Shelf>,
    /// The target chunks.
    queue: Queue,
    /// By source chunk, the number of pending target chunks that read it.
    readers: Vec<AtomicU32>,
    tally: Mutex<Tally>,
    /// Finished target chunks that may be evicted, oldest first.
    finished: Mutex<VecDeque<usize>>,
}

/// The progress of a step.
pub struct Progress {
    /// The layer before the step.
    pub source: Shelf,
    /// True if the source layer is kept after the step, since the other half starts from it too.
    pub keeps: bool,
    /// The layer after the step, as far as it is complete.
    pub target: Shelf,
    /// Numbers of the target chunks that are done.
    pub done: Vec<usize>,
    /// The counters of the chunks that are done.
    pub tally: Tally,
    /// The partial sum of the step that joins the two halves.
    pub sum: BigUint,
}

impl Progress {
    /// Returns the progress of a step on `source` before its first chunk.
    #[must_use]
    pub fn new(source: Shelf, words: &Words) -> Self {
        let target = Shelf::new(words.chunks(), words.chunk_len());
        let (done, tally) = (Vec::new(), Tally::default());
        Self { source, keeps: false, target, done, tally, sum: BigUint::ZERO }
    }
}

/// A borrowed view of the progress of a step while it is executed.
#[derive(Clone)]
pub struct View<'a> {
    /// The layer before the step.
    pub source: &'a Shelf,
    /// The layer after the step.
    pub target: &'a Shelf,
    /// Numbers of the target chunks that are done.
    pub done: Vec<usize>,
    /// The counters of the chunks that are done.
    pub tally: Tally,
}

impl<'a> Advance<'a> {
    /// Prepares the execution of a step from its progress. Frees the source chunks that no pending target
    /// chunk reads.
    #[must_use]
    pub fn new(
        stride: &'a Stride<'a>,
        keeper: &'a Keeper<'a>,
        modulo: Option<Modulus>,
        waiting: Option<&'a Shelf>,
        progress: Progress,
    ) -> Self {
        let chunks = progress.source.len();
        let queue = Queue::new(stride.order(), chunks, &progress.done);
        let readers: Vec<AtomicU32> = (0..chunks).map(|_| AtomicU32::new(progress.keeps.into())).collect();
        let mut sources = Vec::new();
        for high in queue.left() {
            stride.read_sources(high, &mut sources);
            sources.iter().for_each(|&s| _ = readers[s].fetch_add(1, Ordering::Relaxed));
        }
        let Progress { source, keeps, target, tally, .. } = progress;
        // Sources without a pending reader are freed.
        let idle = |n: &usize| readers[*n].load(Ordering::Relaxed) == 0;
        source.numbers().into_iter().filter(idle).for_each(|n| source.remove(n, keeper));
        Self {
            stride,
            keeper,
            modulo,
            finished: Mutex::new(target.numbers().into()),
            source,
            keeps,
            target,
            waiting,
            queue,
            readers,
            tally: Mutex::new(tally),
        }
    }

    /// Computes target chunks on the current rayon pool until all are done or `pause`, called after every
    /// chunk, returns true. Returns true if all are done.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        self.queue.run(self.source.len(), |high, at_hand| self.make(high, at_hand), pause)
    }

    /// Returns the fraction of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.queue.part()
    }

    /// Returns a view of the progress, between two chunks.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { source: &self.source, target: &self.target, done: self.queue.done(), tally: self.tally() }
    }

    /// Returns the next layer and its counters, once all chunks are done.
    #[must_use]
    pub fn into_target(self) -> (Shelf, Tally) {
        let (_, target, tally) = self.into_layers();
        (target, tally)
    }

    /// Returns the source layer (empty unless `keeps_source` is set), the next layer and its counters.
    #[must_use]
    pub fn into_layers(self) -> (Shelf, Shelf, Tally) {
        let tally = self.tally();
        (self.source, self.target, tally)
    }

    fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes a target chunk, and frees the sources whose last reader it was.
    fn make(&self, high: usize, at_hand: &mut AtHand) -> Result<(), Halt> {
        let sources = self.stride.sources_of(high);
        let compute = |at_hand: &mut AtHand| self.compute(high, &sources, at_hand);
        let tally = self.queue.with_room(self.keeper, &sources, at_hand, compute)?;
        self.finish(high, &sources, tally);
        Ok(())
    }

    /// Records that a target chunk is in its layer store, and frees the sources whose last reader it was.
    fn finish(&self, high: usize, sources: &[usize], tally: Tally) {
        if tally.signatures > 0 {
            self.finished.lock().unwrap_or_else(PoisonError::into_inner).push_back(high);
        }
        let mut sum = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.plus(tally);
        drop(sum);
        self.queue.finish(high);
        for &s in sources {
            if self.readers[s].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.source.remove(s, self.keeper);
            }
        }
    }

    /// Computes a target chunk and stores it in the target layer.
    fn compute(&self, high: usize, sources: &[usize], at_hand: &mut AtHand) -> Result<Tally, Halt> {
        let put_aside = || self.put_aside();
        for &s in sources {
            at_hand[s] = self.source.get(s, self.keeper, &put_aside)?;
        }
        let maker = Maker { stride: self.stride, keeper: self.keeper, modulo: self.modulo };
        let (chunk, tally) = maker.make(at_hand, sources, high, &put_aside)?;
        if let Some(chunk) = chunk {
            self.target.put(high, chunk);
        }
        Ok(tally)
    }

    /// Evicts a chunk that is not needed soon; returns false if there is none.
    fn put_aside(&self) -> Result<bool, Halt> {
        if let Some(waiting) = self.waiting
            && waiting.put_any_aside(self.keeper)?
        {
            return Ok(true);
        }
        loop {
            let next = self.finished.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(high) = next else { break };
            if self.target.put_aside(high, self.keeper)? {
                return Ok(true);
            }
        }
        // Sources that are kept for the other half are evicted once no pending chunk of this step reads them.
        if self.keeps {
            let is_read = |n: usize| self.readers[n].load(Ordering::Acquire) > 1;
            for s in (0..self.source.len()).filter(|&s| !is_read(s)) {
                if self.source.put_aside(s, self.keeper)? {
                    return Ok(true);
                }
            }
        }
        for high in self.queue.left().rev() {
            for s in self.stride.sources_of(high) {
                if self.source.put_aside(s, self.keeper)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::frontier::block::tables::Tables;
    use crate::frontier::block::weights::Weights;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::plan::Plan;
    use crate::frontier::state::course::Course;

    /// Returns the counters of every step and the number of pauses. After each step the pool holds exactly
    /// the layer.
    fn swept(pauses: bool) -> (Vec<Tally>, usize) {
        let cycles = Cycles::of(&Field::of(&Board::new(6, 4).unwrap().into()), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let course = Course::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (words, tables) = (course.words(), Tables::new(course.plan().slots()));
        let keeper = Keeper::new(1 << 30, None);
        let mut progress = Progress::new(Shelf::new(words.chunks(), words.chunk_len()), words);
        let first = Chunk::first(words, Weights::W32(vec![1].into()));
        keeper.room(first.bytes(), &|| Ok(false)).unwrap();
        progress.source.put(0, first);
        let (mut tallies, mut rests) = (Vec::new(), 0);
        for t in 0..course.len() {
            let stride = Stride::new(&course, &tables, None, t);
            let advance = Advance::new(&stride, &keeper, None, None, progress);
            while !advance.run(&|| pauses).unwrap() {
                rests += 1;
                assert!(!advance.view().done.is_empty());
            }
            let (layer, tally) = advance.into_target();
            assert_eq!(keeper.account().held(), layer.sizes().iter().map(|size| size.1).sum::<u64>());
            tallies.push(tally);
            progress = Progress::new(layer, words);
        }
        (tallies, rests)
    }

    #[test]
    fn a_step_that_is_left_after_every_chunk_is_the_same_and_frees_its_sources() {
        let (whole, rests) = swept(false);
        assert_eq!(rests, 0);
        let (in_pieces, rests) = swept(true);
        assert!(rests > 0);
        assert_eq!(in_pieces, whole);
    }
}
