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
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::frontier::block::sum::blocks;
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::state::signature::Words;
use crate::frontier::state::tally::Tally;

/// A step in progress.
pub struct Advance<'a> {
    stride: &'a Stride<'a>,
    words: &'a Words,
    keeper: &'a Keeper<'a>,
    /// The width of the weights if they are counted modulo a power of two.
    modulo: Option<Width>,
    source: Shelf,
    target: Shelf,
    /// Target chunks in order.
    order: Vec<usize>,
    /// By number of the target chunk.
    done: Vec<AtomicBool>,
    /// Target chunks still to be made that read a source chunk.
    readers: Vec<AtomicU32>,
    work: Mutex<Tally>,
    /// Target chunks that could be put aside.
    finished: Mutex<VecDeque<usize>>,
    /// Held for writing by a thread that needs all the room there is.
    scarce: RwLock<()>,
}

/// What is left of a step: both layers, the target chunks done, the work they were.
pub struct Parts {
    /// The layer before.
    pub source: Shelf,
    /// The layer after, as far as it is done.
    pub target: Shelf,
    /// Numbers of the target chunks that are done.
    pub done: Vec<usize>,
    /// The work so far.
    pub work: Tally,
}

impl<'a> Advance<'a> {
    /// A step with the sources and what is done of it.
    #[must_use]
    pub fn new(
        stride: &'a Stride<'a>,
        words: &'a Words,
        keeper: &'a Keeper<'a>,
        modulo: Option<Width>,
        parts: Parts,
    ) -> Self {
        let chunks = words.chunks();
        let order = stride.order();
        let done: Vec<AtomicBool> = (0..chunks).map(|_| AtomicBool::new(false)).collect();
        parts.done.iter().for_each(|&high| done[high].store(true, Ordering::Relaxed));
        let readers: Vec<AtomicU32> = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        let to_do = order.iter().filter(|&&high| !done[high].load(Ordering::Relaxed));
        to_do.flat_map(|&high| stride.sources_of(high)).for_each(|s| {
            readers[s].fetch_add(1, Ordering::Relaxed);
        });
        let Parts { source, target, work, .. } = parts;
        // Sources that nobody reads (any more) are of no use.
        let idle = |n: &usize| readers[*n].load(Ordering::Relaxed) == 0;
        source.numbers().into_iter().filter(idle).for_each(|n| source.remove(n, keeper));
        Self {
            stride,
            words,
            keeper,
            modulo,
            finished: Mutex::new(target.numbers().into()),
            source,
            target,
            order,
            done,
            readers,
            work: Mutex::new(work),
            scarce: RwLock::new(()),
        }
    }

    /// Makes target chunks on the current rayon pool until all are done or `pause`, asked after every
    /// chunk, says so. Whether all are done.
    ///
    /// # Errors
    /// See [`Halt`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        let (next, paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let halted: Mutex<Option<Halt>> = Mutex::new(None);
        rayon::broadcast(|_| {
            let mut at_hand: Vec<Option<Arc<Chunk>>> = vec![None; self.words.chunks()];
            while !paused.load(Ordering::Relaxed) {
                let Some(&high) = self.order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                if self.done[high].load(Ordering::Relaxed) {
                    continue;
                }
                if let Err(halt) = self.make(high, &mut at_hand) {
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
        Ok(self.order.iter().all(|&high| self.done[high].load(Ordering::Relaxed)))
    }

    /// The layer before, the layer after, the target chunks done and the work so far.
    #[must_use]
    pub fn parts(&self) -> (&Shelf, &Shelf, Vec<usize>, Tally) {
        let done = self.order.iter().copied().filter(|&high| self.done[high].load(Ordering::Relaxed));
        (&self.source, &self.target, done.collect(), self.work())
    }

    /// The next layer and the work it was, once all is done.
    #[must_use]
    pub fn into_target(self) -> (Shelf, Tally) {
        let work = self.work();
        (self.target, work)
    }

    fn work(&self) -> Tally {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a target chunk, and frees the sources that it was the last to read.
    fn make(&self, high: usize, at_hand: &mut [Option<Arc<Chunk>>]) -> Result<(), Halt> {
        let sources = self.stride.sources_of(high);
        let let_go = |at_hand: &mut [Option<Arc<Chunk>>]| sources.iter().for_each(|&s| at_hand[s] = None);
        // Held until everything is let go of, so that whoever is alone finds all there is to put aside.
        let others_too = self.scarce.read().unwrap_or_else(PoisonError::into_inner);
        let mut made = self.compute(high, &sources, at_hand);
        let_go(at_hand);
        if made == Err(Halt::Memory) && self.keeper.has_store() {
            drop(others_too);
            let _alone = self.scarce.write().unwrap_or_else(PoisonError::into_inner);
            made = self.compute(high, &sources, at_hand);
            let_go(at_hand);
            return made.map(|work| self.finish(high, &sources, work));
        }
        made.map(|work| self.finish(high, &sources, work))
    }

    /// Notes that a target chunk is on its shelf, and frees the sources that it was the last to read.
    fn finish(&self, high: usize, sources: &[usize], work: Tally) {
        if work.signatures > 0 {
            self.finished.lock().unwrap_or_else(PoisonError::into_inner).push_back(high);
        }
        let mut sum = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.plus(work);
        drop(sum);
        self.done[high].store(true, Ordering::Relaxed);
        for &s in sources {
            if self.readers[s].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.source.remove(s, self.keeper);
            }
        }
    }

    /// Computes a target chunk in the narrowest type that holds it, and puts it on the shelf.
    fn compute(
        &self,
        high: usize,
        sources: &[usize],
        at_hand: &mut [Option<Arc<Chunk>>],
    ) -> Result<Tally, Halt> {
        let put_aside = || self.put_aside();
        let mut bits = 0;
        for &s in sources {
            at_hand[s] = self.source.get(s, self.keeper, &put_aside)?;
            bits = bits.max(at_hand[s].as_ref().map_or(0, |chunk| chunk.bits));
        }
        // One more bit than now is hope enough for a try.
        let mut width = match self.modulo {
            Some(width) => width,
            None => Width::holding(bits + 1).ok_or(Halt::TooMany)?,
        };
        loop {
            let (mut work, mut entries) = (Tally::default(), Vec::new());
            let room = self.stride.outline(at_hand, high, &mut entries, &mut work);
            if room == 0 {
                return Ok(work);
            }
            let accounted = size_of_val(entries.as_slice()) as u64 + room * width.bytes();
            self.keeper.room(accounted, &put_aside)?;
            let exact = self.modulo.is_none();
            let most_bits = if exact { width.bits() - 1 } else { width.bits() };
            let mut blocks = blocks(width, room as usize);
            let fits = self.stride.fill(at_hand, high, &mut entries, blocks.as_mut(), most_bits, &mut work);
            let weights = fits.then(|| blocks.finish());
            let Some(weights) = weights else {
                self.keeper.account().give(accounted);
                width = width.wider().ok_or(Halt::TooMany)?;
                continue;
            };
            let bits = if exact { work.bits } else { width.bits() };
            let mut chunk = Chunk { entries, weights, bits };
            if work.signatures == 0 {
                self.keeper.account().give(accounted);
                return Ok(work);
            }
            let narrowest = if exact { Width::holding(bits).unwrap_or(width) } else { width };
            let tight = chunk.weights.len() as u64 * narrowest.bytes();
            if chunk.weights.bytes() > tight + tight / 4 {
                // For a moment both are there.
                self.keeper.room(tight, &put_aside).inspect_err(|_| self.keeper.account().give(accounted))?;
                chunk.weights = chunk.weights.converted(narrowest);
                self.keeper.account().give(accounted + tight - chunk.bytes());
            } else {
                self.keeper.account().give(accounted - chunk.bytes());
            }
            self.target.put(high, chunk);
            return Ok(work);
        }
    }

    /// Frees the memory of a chunk that will not be needed soon; `false` if there is none.
    fn put_aside(&self) -> Result<bool, Halt> {
        loop {
            let next = self.finished.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(high) = next else { break };
            if self.target.put_aside(high, self.keeper)? {
                return Ok(true);
            }
        }
        for &high in self.order.iter().rev() {
            if self.done[high].load(Ordering::Relaxed) {
                continue;
            }
            for s in self.stride.sources_of(high) {
                if self.source.put_aside(s, self.keeper)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
