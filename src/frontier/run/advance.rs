//! A step in progress: target chunks are made by all threads, until all are done or somebody pauses.
//!
//! Target chunks are taken in an order that reads the same source chunks one
//! after the other; a source chunk is freed when its last reader is done, so the
//! two layers are never both whole in memory. Between any two target chunks the
//! step can be left: the chunks made and the sources still needed are all there is.
//!
//! Under the ceiling of a [`Keeper`] finished target chunks are put aside first,
//! they are not needed before the next step; then the sources that are needed last.
//! A thread that finds no room even so waits until it is alone and tries again.

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

/// A step in progress.
pub struct Advance<'a> {
    stride: &'a Stride<'a>,
    keeper: &'a Keeper<'a>,
    /// What weights are counted modulo, if they are not exact.
    modulo: Option<Modulus>,
    source: Shelf,
    /// Whether the source is kept, as another step goes on from it as well.
    keeps: bool,
    target: Shelf,
    /// A layer that is not needed before the sweep is done, if there is one: the first to be put aside.
    waiting: Option<&'a Shelf>,
    /// Target chunks.
    queue: Queue,
    /// Target chunks still to be made that read a source chunk.
    readers: Vec<AtomicU32>,
    tally: Mutex<Tally>,
    /// Target chunks that could be put aside.
    finished: Mutex<VecDeque<usize>>,
}

/// How far a step is.
pub struct Progress {
    /// The layer before.
    pub source: Shelf,
    /// Whether it is kept, as another step goes on from it as well.
    pub keeps: bool,
    /// The layer after, as far as it is done.
    pub target: Shelf,
    /// Numbers of the target chunks that are done.
    pub done: Vec<usize>,
    /// What was counted so far.
    pub tally: Tally,
    /// Of the step that joins two ends, the sum so far.
    pub sum: BigUint,
}

impl Progress {
    /// A step on a layer of which nothing is done.
    #[must_use]
    pub fn new(source: Shelf, words: &Words) -> Self {
        let target = Shelf::new(words.chunks(), words.chunk_len());
        let (done, tally) = (Vec::new(), Tally::default());
        Self { source, keeps: false, target, done, tally, sum: BigUint::ZERO }
    }
}

/// The same, of a step that others are still at.
#[derive(Clone)]
pub struct View<'a> {
    /// The layer before.
    pub source: &'a Shelf,
    /// The layer after.
    pub target: &'a Shelf,
    /// Numbers of the target chunks that are done.
    pub done: Vec<usize>,
    /// What was counted so far.
    pub tally: Tally,
}

impl<'a> Advance<'a> {
    /// A step with the sources and what is done of it.
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
        // Sources that nobody reads (any more) are of no use.
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

    /// Makes target chunks on the current rayon pool until all are done or `pause`, asked after every
    /// chunk, says so. Whether all are done.
    ///
    /// # Errors
    /// See [`Halt`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        self.queue.run(self.source.len(), |high, at_hand| self.make(high, at_hand), pause)
    }

    /// Part of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.queue.part()
    }

    /// How far the step is, between two chunks.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { source: &self.source, target: &self.target, done: self.queue.done(), tally: self.tally() }
    }

    /// The next layer and what was counted of it, once all is done.
    #[must_use]
    pub fn into_target(self) -> (Shelf, Tally) {
        let (_, target, tally) = self.into_layers();
        (target, tally)
    }

    /// The same with the layer before, if it was kept.
    #[must_use]
    pub fn into_layers(self) -> (Shelf, Shelf, Tally) {
        let tally = self.tally();
        (self.source, self.target, tally)
    }

    fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a target chunk, and frees the sources that it was the last to read.
    fn make(&self, high: usize, at_hand: &mut AtHand) -> Result<(), Halt> {
        let sources = self.stride.sources_of(high);
        let compute = |at_hand: &mut AtHand| self.compute(high, &sources, at_hand);
        let tally = self.queue.with_room(self.keeper, &sources, at_hand, compute)?;
        self.finish(high, &sources, tally);
        Ok(())
    }

    /// Notes that a target chunk is on its shelf, and frees the sources that it was the last to read.
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

    /// Computes a target chunk, and puts it on the shelf.
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

    /// Frees the memory of a chunk that will not be needed soon; `false` if there is none.
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
        // Sources that are kept for another step wait as well, once nobody reads them in this one.
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

    /// What is counted of every step, and how often steps were left; what is held is always the layer alone.
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
