//! Both ends met: all threads join chunks of the near layer with those of the far one that fit.
//!
//! A chunk is freed when it has been joined with all that it fits. Between any two near chunks the work can be left:
//! the sum so far and the chunks that are not yet joined are all there is.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use num_bigint::BigUint;

use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::joining::{Joined, Joining};
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::state::tally::Tally;

/// Joins two layers.
pub struct Junction<'a> {
    joining: &'a Joining<'a>,
    keeper: &'a Keeper<'a>,
    near: &'a Shelf,
    far: &'a Shelf,
    /// Near chunks in order.
    order: Vec<usize>,
    done: Vec<AtomicBool>,
    made: AtomicUsize,
    /// Near chunks that a far chunk is yet to be joined with.
    readers: Vec<AtomicU32>,
    sum: Mutex<Joined>,
    /// Held for writing by a thread that needs all the room there is.
    scarce: RwLock<()>,
}

impl<'a> Junction<'a> {
    /// With the near chunks that are `done`, and what their sum was.
    #[must_use]
    pub fn new(
        joining: &'a Joining<'a>,
        keeper: &'a Keeper<'a>,
        near: &'a Shelf,
        far: &'a Shelf,
        done: &[usize],
        sum: BigUint,
    ) -> Self {
        let order = near.numbers();
        let is_done: Vec<AtomicBool> = (0..near.len()).map(|_| AtomicBool::new(false)).collect();
        done.iter().for_each(|&high| is_done[high].store(true, Ordering::Relaxed));
        let readers: Vec<AtomicU32> = (0..far.len()).map(|_| AtomicU32::new(0)).collect();
        let to_do = order.iter().filter(|&&high| !is_done[high].load(Ordering::Relaxed));
        to_do.flat_map(|&high| joining.chunks(high)).for_each(|chunk| {
            readers[chunk].fetch_add(1, Ordering::Relaxed);
        });
        let idle = |n: &usize| readers[*n].load(Ordering::Relaxed) == 0;
        far.numbers().into_iter().filter(idle).for_each(|n| far.remove(n, keeper));
        Self {
            joining,
            keeper,
            near,
            far,
            order,
            done: is_done,
            made: AtomicUsize::new(0),
            readers,
            sum: Mutex::new(Joined { sum, reads: 0 }),
            scarce: RwLock::new(()),
        }
    }

    /// Joins on the current rayon pool until all is done or `pause`, asked after every chunk, says so. Whether all
    /// is done.
    ///
    /// # Errors
    /// See [`Halt`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        let (next, paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let halted: Mutex<Option<Halt>> = Mutex::new(None);
        rayon::broadcast(|_| {
            let mut at_hand: Vec<Option<Arc<Chunk>>> = vec![None; self.far.len()];
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

    /// Part of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.made.load(Ordering::Relaxed) as f64 / self.order.len().max(1) as f64
    }

    /// The near chunks that are done, and their sum, between two chunks.
    #[must_use]
    pub fn view(&self) -> (Vec<usize>, BigUint) {
        let done = (0..self.done.len()).filter(|&high| self.done[high].load(Ordering::Relaxed)).collect();
        (done, self.sum.lock().unwrap_or_else(PoisonError::into_inner).sum.clone())
    }

    /// The sum, and what was counted on the way.
    #[must_use]
    pub fn into_sum(self) -> (BigUint, Tally) {
        let Joined { sum, reads } = self.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bits = sum.bits() as u32;
        (sum, Tally { transitions: reads, bits, ..Tally::default() })
    }

    fn make(&self, high: usize, at_hand: &mut [Option<Arc<Chunk>>]) -> Result<(), Halt> {
        let chunks = self.joining.chunks(high);
        let others_too = self.scarce.read().unwrap_or_else(PoisonError::into_inner);
        let mut made = self.compute(high, &chunks, at_hand);
        chunks.iter().for_each(|&chunk| at_hand[chunk] = None);
        if made == Err(Halt::Memory) && self.keeper.has_store() {
            drop(others_too);
            let _alone = self.scarce.write().unwrap_or_else(PoisonError::into_inner);
            made = self.compute(high, &chunks, at_hand);
            chunks.iter().for_each(|&chunk| at_hand[chunk] = None);
        }
        let joined = made?;
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.sum += joined.sum;
        sum.reads += joined.reads;
        // With the sum still locked, so that a view has both or neither.
        self.done[high].store(true, Ordering::Relaxed);
        drop(sum);
        self.made.fetch_add(1, Ordering::Relaxed);
        self.near.remove(high, self.keeper);
        for chunk in chunks {
            if self.readers[chunk].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.far.remove(chunk, self.keeper);
            }
        }
        Ok(())
    }

    fn compute(
        &self,
        high: usize,
        chunks: &[usize],
        at_hand: &mut [Option<Arc<Chunk>>],
    ) -> Result<Joined, Halt> {
        let put_aside = || self.put_aside();
        let near = self.near.get(high, self.keeper, &put_aside)?;
        for &chunk in chunks {
            at_hand[chunk] = self.far.get(chunk, self.keeper, &put_aside)?;
        }
        Ok(near.map(|near| self.joining.join(high, &near, at_hand)).unwrap_or_default())
    }

    /// Frees the memory of a chunk that is not needed soon; `false` if there is none.
    fn put_aside(&self) -> Result<bool, Halt> {
        for &high in self.order.iter().rev().filter(|&&high| !self.done[high].load(Ordering::Relaxed)) {
            if self.near.put_aside(high, self.keeper)? {
                return Ok(true);
            }
            for chunk in self.joining.chunks(high) {
                if self.far.put_aside(chunk, self.keeper)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
