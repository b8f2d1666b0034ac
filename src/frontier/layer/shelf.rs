//! The chunks of a layer: in memory, in the store, or both.
//!
//! A [`MemoryPool`] enforces the memory limit. When memory is short, chunks are *evicted*: written to the
//! store, unless they are there already, and freed. They are read back when they are needed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::encode;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::step::Halt;

/// Where a chunk is: nowhere if it is empty, in memory and perhaps in the store, or in the store only.
#[derive(Debug, Default)]
enum Place {
    #[default]
    Nowhere,
    Here(Arc<Chunk>, Option<Kept>),
    Away(Kept),
}

/// The chunks of a layer, by index.
#[derive(Debug)]
pub struct Shelf {
    places: Vec<Mutex<Place>>,
    /// Number of words of a chunk.
    words: usize,
}

impl Shelf {
    /// Returns an empty layer of `chunks` chunks of `words` words.
    #[must_use]
    pub fn new(chunks: usize, words: usize) -> Self {
        Self { places: (0..chunks).map(|_| Mutex::default()).collect(), words }
    }

    fn lock(&self, number: usize) -> MutexGuard<'_, Place> {
        self.places[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of words of a chunk.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of chunks, empty ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Inserts a chunk whose bytes are reserved.
    pub fn put(&self, number: usize, chunk: Chunk) {
        *self.lock(number) = Place::Here(Arc::new(chunk), None);
    }

    /// Inserts a chunk that is in the store.
    pub fn put_kept(&self, number: usize, kept: Kept) {
        *self.lock(number) = Place::Away(kept);
    }

    /// Returns a chunk, read from the store if it is not in memory, or `None` if it is empty.
    ///
    /// # Errors
    /// If there is not enough memory, or the store fails.
    pub fn get(
        &self,
        number: usize,
        keeper: &Keeper,
        put_aside: &impl Fn() -> Result<bool, Halt>,
    ) -> Result<Option<Arc<Chunk>>, Halt> {
        let mut place = self.lock(number);
        let kept = match &*place {
            Place::Nowhere => return Ok(None),
            Place::Here(chunk, _) => return Ok(Some(Arc::clone(chunk))),
            Place::Away(kept) => *kept,
        };
        keeper.room(kept.bytes, put_aside)?;
        match keeper.read(kept, self.words) {
            Ok(chunk) => {
                // A chunk written with unused capacity is read back without it.
                let (accounted, bytes) = (kept.bytes, chunk.bytes());
                keeper.account().give(accounted.saturating_sub(bytes));
                let chunk = Arc::new(chunk);
                *place = Place::Here(Arc::clone(&chunk), Some(kept));
                Ok(Some(chunk))
            }
            Err(halt) => {
                keeper.account().give(kept.bytes);
                Err(halt)
            }
        }
    }

    /// Removes a chunk from the layer and the store, and returns it. Its bytes stay reserved.
    ///
    /// # Errors
    /// If there is not enough memory, or the store fails.
    ///
    /// # Panics
    /// If the chunk is in use.
    pub fn take(
        &self,
        number: usize,
        keeper: &Keeper,
        put_aside: &impl Fn() -> Result<bool, Halt>,
    ) -> Result<Option<Chunk>, Halt> {
        drop(self.get(number, keeper, put_aside)?);
        let Place::Here(chunk, kept) = std::mem::take(&mut *self.lock(number)) else { return Ok(None) };
        if let Some(kept) = kept {
            keeper.remove(kept);
        }
        Ok(Some(Arc::into_inner(chunk).expect("no other thread uses a chunk between steps")))
    }

    /// Evicts a chunk; returns false if it is in use, locked or not in memory.
    ///
    /// # Errors
    /// If the store fails.
    pub fn put_aside(&self, number: usize, keeper: &Keeper) -> Result<bool, Halt> {
        let Ok(mut place) = self.places[number].try_lock() else { return Ok(false) };
        let Place::Here(chunk, kept) = &*place else { return Ok(false) };
        if Arc::strong_count(chunk) > 1 {
            return Ok(false);
        }
        let (bytes, kept) = (chunk.bytes(), *kept);
        let kept = match kept {
            Some(kept) => kept,
            None => keeper.write(chunk)?,
        };
        *place = Place::Away(kept);
        keeper.account().give(bytes);
        Ok(true)
    }

    /// Evicts the first chunk that can be evicted; returns false if there is none.
    ///
    /// # Errors
    /// As for [`LayerStore::evict`].
    pub fn put_any_aside(&self, keeper: &Keeper) -> Result<bool, Halt> {
        // Evicting never waits for a lock: the calling thread may hold one.
        for number in 0..self.len() {
            if self.put_aside(number, keeper)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes a chunk to the store unless it is there; it stays in memory if it is there.
    ///
    /// # Errors
    /// If the store fails.
    pub fn keep(&self, number: usize, keeper: &Keeper) -> Result<Option<Kept>, Halt> {
        let mut place = self.lock(number);
        match &mut *place {
            Place::Nowhere => Ok(None),
            Place::Away(kept) => Ok(Some(*kept)),
            Place::Here(chunk, kept) => {
                if kept.is_none() {
                    *kept = Some(keeper.write(chunk)?);
                }
                Ok(*kept)
            }
        }
    }

    /// Appends the encoded chunk, as [`read_chunk`](crate::frontier::layer::chunk_decoder::read_chunk) reads
    /// it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn pack(&self, number: usize, keeper: &Keeper, bytes: &mut Vec<u8>) -> Result<(), Halt> {
        match &*self.lock(number) {
            Place::Nowhere => {}
            Place::Here(chunk, _) => {
                encode::write(chunk, bytes).expect("writing to memory does not fail");
            }
            // The decoder verifies stored bytes.
            Place::Away(kept) => keeper.copy(*kept, bytes)?,
        }
        Ok(())
    }

    /// Removes a chunk from memory and store.
    pub fn remove(&self, number: usize, keeper: &Keeper) {
        match std::mem::take(&mut *self.lock(number)) {
            Place::Nowhere => {}
            Place::Away(kept) => keeper.remove(kept),
            Place::Here(chunk, kept) => {
                keeper.account().give(chunk.bytes());
                if let Some(kept) = kept {
                    keeper.remove(kept);
                }
            }
        }
    }

    /// Returns the indices of the chunks that are not empty, with their bytes in memory.
    #[must_use]
    pub fn sizes(&self) -> Vec<(usize, u64)> {
        let size = |n: usize| match &*self.lock(n) {
            Place::Nowhere => None,
            Place::Here(chunk, _) => Some((n, chunk.bytes())),
            Place::Away(kept) => Some((n, kept.bytes)),
        };
        (0..self.places.len()).filter_map(size).collect()
    }

    /// Returns the indices of the chunks that are not empty.
    #[must_use]
    pub fn numbers(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|&n| !matches!(*self.lock(n), Place::Nowhere)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::block::weights::Weights;
    use crate::frontier::layer::entry::Entry;
    use crate::frontier::layer::store::memory::Memory;

    const NOTHING: fn() -> Result<bool, Halt> = || Ok(false);

    fn chunk(weight: u32) -> Chunk {
        Chunk { entries: vec![Entry::new(1, 0); 3], weights: Weights::W32(vec![weight; 3].into()), bits: 5 }
    }

    /// Returns a layer with chunk 1, whose bytes are reserved.
    fn shelf(keeper: &Keeper) -> Shelf {
        let shelf = Shelf::new(4, 3);
        keeper.room(chunk(17).bytes(), &NOTHING).unwrap();
        shelf.put(1, chunk(17));
        shelf
    }

    #[test]
    fn what_is_put_aside_comes_back_and_frees_memory_meanwhile() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let shelf = shelf(&keeper);
        assert_eq!(shelf.put_aside(1, &keeper), Ok(true));
        assert_eq!((shelf.put_aside(1, &keeper), shelf.put_aside(2, &keeper)), (Ok(false), Ok(false)));
        assert_eq!((keeper.account().held(), shelf.numbers()), (0, vec![1]));
        assert_eq!(shelf.sizes(), [(1, chunk(17).bytes())]);
        assert_eq!(shelf.get(1, &keeper, &NOTHING).unwrap().unwrap().weights, chunk(17).weights);
        assert_eq!(keeper.account().held(), chunk(17).bytes());
        assert!(shelf.get(0, &keeper, &NOTHING).unwrap().is_none());
    }

    #[test]
    fn what_is_in_use_is_not_put_aside() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let shelf = shelf(&keeper);
        let used = shelf.get(1, &keeper, &NOTHING).unwrap();
        assert_eq!(shelf.put_aside(1, &keeper), Ok(false));
        drop(used);
        assert_eq!(shelf.put_aside(1, &keeper), Ok(true));
    }

    #[test]
    fn a_chunk_is_kept_once_and_stays_at_hand() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let shelf = shelf(&keeper);
        let kept = shelf.keep(1, &keeper).unwrap();
        assert!(kept.is_some() && shelf.keep(1, &keeper).unwrap() == kept);
        assert_eq!((store.items.lock().unwrap().len(), keeper.account().held()), (1, chunk(17).bytes()));
        assert_eq!(shelf.keep(0, &keeper), Ok(None));
    }

    #[test]
    fn taken_or_removed_it_is_gone_from_the_store_too() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let shelf = shelf(&keeper);
        shelf.put_aside(1, &keeper).unwrap();
        let taken = shelf.take(1, &keeper, &NOTHING).unwrap().unwrap();
        assert_eq!((taken.weights, shelf.numbers().len()), (chunk(17).weights, 0));
        assert!(store.items.lock().unwrap().is_empty());
        shelf.put(2, chunk(17));
        shelf.remove(2, &keeper);
        assert_eq!((keeper.account().held(), shelf.numbers().len()), (0, 0));
    }

    #[test]
    fn packed_from_memory_or_store_it_is_the_same() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let shelf = shelf(&keeper);
        let (mut here, mut away) = (Vec::new(), Vec::new());
        shelf.pack(1, &keeper, &mut here).unwrap();
        shelf.put_aside(1, &keeper).unwrap();
        shelf.pack(1, &keeper, &mut away).unwrap();
        assert!(!here.is_empty() && here == away);
    }
}
