//! Both ends met: all threads join chunks of the near layer with those of the far one that fit.
//!
//! A chunk is freed when it has been joined with all that it fits. Between any two near chunks the work can be left:
//! the sum so far and the chunks that are not yet joined are all there is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;

use crate::frontier::layer::joining::{Joined, Joining};
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::run::queue::{AtHand, Queue};
use crate::frontier::state::tally::Tally;

/// Joins two layers.
pub struct Junction<'a> {
    joining: &'a Joining<'a>,
    keeper: &'a Keeper<'a>,
    near: &'a Shelf,
    far: &'a Shelf,
    /// Near chunks.
    queue: Queue,
    /// Near chunks that a far chunk is yet to be joined with.
    readers: Vec<AtomicU32>,
    sum: Mutex<Joined>,
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
        let queue = Queue::new(near.numbers(), near.len(), done);
        let readers: Vec<AtomicU32> = (0..far.len()).map(|_| AtomicU32::new(0)).collect();
        queue.left().flat_map(|high| joining.chunks(high)).for_each(|chunk| {
            readers[chunk].fetch_add(1, Ordering::Relaxed);
        });
        let idle = |n: &usize| readers[*n].load(Ordering::Relaxed) == 0;
        far.numbers().into_iter().filter(idle).for_each(|n| far.remove(n, keeper));
        Self { joining, keeper, near, far, queue, readers, sum: Mutex::new(Joined { sum, reads: 0 }) }
    }

    /// Joins on the current rayon pool until all is done or `pause`, asked after every chunk, says so. Whether all
    /// is done.
    ///
    /// # Errors
    /// See [`Halt`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        self.queue.run(self.far.len(), |high, at_hand| self.make(high, at_hand), pause)
    }

    /// Part of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.queue.part()
    }

    /// The near chunks that are done, and their sum, between two chunks.
    #[must_use]
    pub fn view(&self) -> (Vec<usize>, BigUint) {
        let sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        (self.queue.done(), sum.sum.clone())
    }

    /// The sum, and what was counted on the way.
    #[must_use]
    pub fn into_sum(self) -> (BigUint, Tally) {
        let Joined { sum, reads } = self.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bits = sum.bits() as u32;
        (sum, Tally { transitions: reads, bits, ..Tally::default() })
    }

    fn make(&self, high: usize, at_hand: &mut AtHand) -> Result<(), Halt> {
        let chunks = self.joining.chunks(high);
        let by = |most: usize, at_hand: &mut AtHand| {
            let compute = |at_hand: &mut AtHand| self.compute(high, &chunks, most, at_hand);
            self.queue.with_room(self.keeper, &chunks, at_hand, compute)
        };
        let joined = match by(usize::MAX, at_hand) {
            Err(Halt::Memory) if self.keeper.has_store() => by(1, at_hand)?,
            joined => joined?,
        };
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.sum += joined.sum;
        sum.reads += joined.reads;
        // With the sum still locked, so that a view has both or neither.
        self.queue.finish(high);
        drop(sum);
        self.near.remove(high, self.keeper);
        for chunk in chunks {
            if self.readers[chunk].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.far.remove(chunk, self.keeper);
            }
        }
        Ok(())
    }

    /// Joins a near chunk with far ones, `most` of them at a time: near blocks are contracted each time.
    fn compute(
        &self,
        high: usize,
        chunks: &[usize],
        most: usize,
        at_hand: &mut AtHand,
    ) -> Result<Joined, Halt> {
        let put_aside = || self.put_aside();
        let Some(near) = self.near.get(high, self.keeper, &put_aside)? else { return Ok(Joined::default()) };
        let mut all = Joined::default();
        for some in chunks.chunks(most) {
            chunks.iter().for_each(|&other| at_hand[other] = None);
            for &chunk in some {
                at_hand[chunk] = self.far.get(chunk, self.keeper, &put_aside)?;
            }
            let beside = self.joining.beside(high, &near, at_hand);
            let has_room = match self.keeper.room(beside, &put_aside) {
                Ok(()) => true,
                // After all other steps a little too much is taken rather than nothing said.
                Err(Halt::Memory) if most == 1 => false,
                Err(halt) => return Err(halt),
            };
            let joined = self.joining.join(high, &near, at_hand);
            if has_room {
                self.keeper.account().give(beside);
            }
            all.sum += joined.sum;
            all.reads += joined.reads;
        }
        Ok(all)
    }

    /// Frees the memory of a chunk that is not needed soon; `false` if there is none.
    fn put_aside(&self) -> Result<bool, Halt> {
        for high in self.queue.left().rev() {
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
