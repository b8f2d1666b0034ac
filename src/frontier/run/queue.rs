//! Chunks to be made, in order, by all threads.
//!
//! Between any two chunks the work can be left, and gone on with.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::step::Halt;

/// The numbers of chunks in the order in which they are made, and which are done.
pub struct Queue {
    order: Vec<usize>,
    /// By number.
    done: Vec<AtomicBool>,
    /// How many of them are.
    made: AtomicUsize,
    /// Held for writing by a thread that needs all the room there is.
    scarce: RwLock<()>,
}

/// Chunks that a thread reads, at their numbers.
pub type AtHand = [Option<Arc<Chunk>>];

impl Queue {
    /// For chunks of `len` numbers, some of which are `done`.
    #[must_use]
    pub fn new(order: Vec<usize>, len: usize, done: &[usize]) -> Self {
        let is_done: Vec<AtomicBool> = (0..len).map(|_| AtomicBool::new(false)).collect();
        done.iter().for_each(|&high| is_done[high].store(true, Ordering::Relaxed));
        let made = order.iter().filter(|&&high| is_done[high].load(Ordering::Relaxed)).count();
        Self { order, done: is_done, made: AtomicUsize::new(made), scarce: RwLock::new(()) }
    }

    /// Whether a chunk is done.
    #[must_use]
    pub fn is_done(&self, high: usize) -> bool {
        self.done[high].load(Ordering::Relaxed)
    }

    /// Those that are not, in order.
    pub fn left(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.order.iter().copied().filter(|&high| !self.is_done(high))
    }

    /// Those that are.
    #[must_use]
    pub fn done(&self) -> Vec<usize> {
        (0..self.done.len()).filter(|&high| self.is_done(high)).collect()
    }

    /// Part of the chunks that are done, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        self.made.load(Ordering::Relaxed) as f64 / self.order.len().max(1) as f64
    }

    /// Notes that a chunk is done.
    pub fn finish(&self, high: usize) {
        self.done[high].store(true, Ordering::Relaxed);
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    /// Has every chunk that is not done made on the current rayon pool, each thread with room for `sources` chunks at
    /// hand, until all are done or `pause`, asked after every chunk, says so. Whether all are done.
    ///
    /// # Errors
    /// The first that `make` has.
    pub fn run(
        &self,
        sources: usize,
        make: impl Fn(usize, &mut AtHand) -> Result<(), Halt> + Sync,
        pause: &(impl Fn() -> bool + Sync),
    ) -> Result<bool, Halt> {
        let (next, paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        let halted: Mutex<Option<Halt>> = Mutex::new(None);
        rayon::broadcast(|_| {
            let mut at_hand: Vec<Option<Arc<Chunk>>> = vec![None; sources];
            while !paused.load(Ordering::Relaxed) {
                let Some(&high) = self.order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                if self.is_done(high) {
                    continue;
                }
                if let Err(halt) = make(high, &mut at_hand) {
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
        Ok(self.left().next().is_none())
    }

    /// Computes with these `sources` at hand. Where there is no room, it waits until it is alone and tries again.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn with_room<T>(
        &self,
        keeper: &Keeper,
        sources: &[usize],
        at_hand: &mut AtHand,
        compute: impl Fn(&mut AtHand) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        let let_go = |at_hand: &mut AtHand| sources.iter().for_each(|&s| at_hand[s] = None);
        // Held until everything is let go of, so that whoever is alone finds all there is to put aside.
        let others_too = self.scarce.read().unwrap_or_else(PoisonError::into_inner);
        let made = compute(at_hand);
        let_go(at_hand);
        if !matches!(made, Err(Halt::Memory)) || !keeper.has_store() {
            return made;
        }
        drop(others_too);
        let _alone = self.scarce.write().unwrap_or_else(PoisonError::into_inner);
        let made = compute(at_hand);
        let_go(at_hand);
        made
    }
}
