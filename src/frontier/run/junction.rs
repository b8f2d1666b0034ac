//! The join is executed by all threads, each joining a chunk of the left layer with all chunks of the right
//! layer that match it. A chunk is freed after its last join. The work can be left between any two left
//! chunks: its state is the sum so far and the chunks that are not joined yet.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;

use crate::frontier::layer::joining::{Joined, Joining};
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::run::queue::{AtHand, Queue};
use crate::frontier::state::tally::Tally;

/// The join of two layers in execution.
pub struct Junction<'a> {
    joining: &'a Joining<'a>,
    keeper: &'a Keeper<'a>,
    near: &'a Shelf,
    far: &'a Shelf,
    /// The left chunks.
    queue: Queue,
    /// By right chunk, the number of pending left chunks that it is joined with.
    readers: Vec<AtomicU32>,
    sum: Mutex<Joined>,
}

impl<'a> Junction<'a> {
    /// Prepares the join; `done` are the left chunks that are joined already and `sum` is their sum. Frees
    /// the right chunks that no pending left chunk matches.
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

    /// Joins chunks on the current rayon pool until all are done or `pause`, called after every chunk,
    /// returns true. Returns true if all are done.
    ///
    /// # Errors
    /// See [`StepError`].
    pub fn run(&self, pause: &(impl Fn() -> bool + Sync)) -> Result<bool, Halt> {
        self.queue.run(self.far.len(), |high, at_hand| self.make(high, at_hand), pause)
    }

    /// Returns the fraction of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.queue.part()
    }

    /// Returns the left chunks that are done and their sum, between two chunks.
    #[must_use]
    pub fn view(&self) -> (Vec<usize>, BigUint) {
        let sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        (self.queue.done(), sum.sum.clone())
    }

    /// Returns the sum and the counters, once all chunks are done.
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
        // The sum is still locked, so that a view contains both or neither.
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

    /// Joins a left chunk with right ones, at most `max_right_chunks` at a time; the left blocks are
    /// contracted anew for each group.
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
                // At this point a slight excess of memory is better than to discard all earlier steps.
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

    /// Evicts a chunk that is not needed soon; returns false if there is none.
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
