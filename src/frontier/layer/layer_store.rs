//! The chunks of a layer, each in memory, in the store on disk, or in both.
//!
//! A [`MemoryPool`] enforces the memory limit. When memory is short, chunks are *evicted*: written
//! to the store on disk, unless they are there already, and freed. They are read back when they are
//! needed. A layer lists its chunks in memory in the order in which they are to be evicted, from the
//! first eviction on.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::chunk::Chunk;
use super::chunk_format;
use super::memory_pool::{MemoryPool, Reservation, StepError};
use super::store::StoredChunk;

/// The location of a chunk: none if it is empty, memory and perhaps the store on disk, or only the
/// store on disk.
#[derive(Debug, Default)]
enum ChunkLocation {
    #[default]
    Absent,
    InMemory(Arc<Chunk>, Option<StoredChunk>),
    OnDisk(StoredChunk),
}

/// The chunks of a layer, by chunk number.
#[derive(Debug)]
pub struct LayerStore {
    locations: Vec<Mutex<ChunkLocation>>,
    /// Number of words of a chunk.
    words_per_chunk: usize,
    eviction_order: Mutex<EvictionOrder>,
    /// True if the eviction order lists the chunks in memory.
    lists_chunks: AtomicBool,
}

/// The order in which the chunks of a layer are evicted.
#[derive(Debug, Default)]
struct EvictionOrder {
    /// The rank of each chunk: chunks of lower rank are evicted first. If there are no ranks, the
    /// chunk number is the rank.
    ranks: Vec<u32>,
    /// Ranks and numbers of the chunks in memory, and perhaps of chunks that have left it.
    in_memory: BTreeSet<(u32, usize)>,
}

impl EvictionOrder {
    fn insert(&mut self, number: usize) {
        let rank = self.ranks.get(number).copied().unwrap_or(number as u32);
        self.in_memory.insert((rank, number));
    }
}

/// The result of an attempt to evict a chunk.
enum Eviction {
    Evicted,
    /// The chunk is in use or locked.
    InUse,
    NotInMemory,
}

impl LayerStore {
    /// Returns a layer of `chunks` empty chunks of `words` words each.
    #[must_use]
    pub fn new(chunks: usize, words: usize) -> Self {
        Self {
            locations: (0..chunks).map(|_| Mutex::default()).collect(),
            words_per_chunk: words,
            eviction_order: Mutex::default(),
            lists_chunks: AtomicBool::new(false),
        }
    }

    fn lock(&self, number: usize) -> MutexGuard<'_, ChunkLocation> {
        self.locations[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of words of a chunk.
    #[must_use]
    pub const fn words_per_chunk(&self) -> usize {
        self.words_per_chunk
    }

    /// Returns the number of bytes of the lists of `chunks` chunks of a layer.
    #[must_use]
    pub const fn list_bytes(chunks: usize) -> u64 {
        (chunks * (size_of::<Mutex<ChunkLocation>>() + size_of::<u32>())) as u64
    }

    /// Returns the number of chunks, including empty chunks.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        self.locations.len()
    }

    /// Inserts a chunk whose bytes are already reserved in the memory pool.
    pub fn insert(&self, number: usize, chunk: Chunk) {
        *self.lock(number) = ChunkLocation::InMemory(Arc::new(chunk), None);
        self.list_in_memory(number);
    }

    /// Inserts a chunk that is in the store on disk.
    pub fn insert_stored(&self, number: usize, stored: StoredChunk) {
        *self.lock(number) = ChunkLocation::OnDisk(stored);
    }

    /// Returns a chunk, and reads it from the store if it is not in memory; returns `None` if the
    /// chunk is empty. The chunks of the layers `evicted` may be evicted to free memory.
    ///
    /// # Errors
    /// If there is not enough memory, or the store fails.
    pub fn load(
        &self,
        number: usize,
        pool: &MemoryPool,
        evicted: &[&Self],
    ) -> Result<Option<Arc<Chunk>>, StepError> {
        let mut location = self.lock(number);
        let stored = match &*location {
            ChunkLocation::Absent => return Ok(None),
            ChunkLocation::InMemory(chunk, _) => return Ok(Some(Arc::clone(chunk))),
            ChunkLocation::OnDisk(kept) => *kept,
        };
        let mut reservation = pool.reserve(stored.bytes, evicted)?;
        let chunk = Arc::new(pool.read_chunk(stored, self.words_per_chunk)?);
        // A chunk written with unused capacity is read back without it.
        reservation.shrink_to(chunk.bytes());
        reservation.keep();
        *location = ChunkLocation::InMemory(Arc::clone(&chunk), Some(stored));
        drop(location);
        self.list_in_memory(number);
        Ok(Some(chunk))
    }

    /// Removes a chunk from the layer and the store, and returns it; `None` if the chunk is empty.
    /// Its bytes stay reserved.
    ///
    /// # Errors
    /// If there is not enough memory, or the store fails.
    ///
    /// # Panics
    /// If the chunk is in use.
    pub fn take_chunk(&self, number: usize, pool: &MemoryPool) -> Result<Option<Chunk>, StepError> {
        loop {
            drop(self.load(number, pool, &[])?);
            let mut location = self.lock(number);
            match std::mem::take(&mut *location) {
                ChunkLocation::Absent => return Ok(None),
                // The chunk was evicted after it was loaded.
                ChunkLocation::OnDisk(stored) => *location = ChunkLocation::OnDisk(stored),
                ChunkLocation::InMemory(chunk, stored) => {
                    drop(location);
                    if let Some(stored) = stored {
                        pool.remove_stored(stored);
                    }
                    return Ok(Some(
                        Arc::into_inner(chunk).expect("no other thread uses a chunk between steps"),
                    ));
                }
            }
        }
    }

    fn lock_order(&self) -> MutexGuard<'_, EvictionOrder> {
        self.eviction_order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a chunk that is now in memory in the eviction order.
    fn list_in_memory(&self, number: usize) {
        if self.lists_chunks.load(Ordering::Acquire) {
            self.lock_order().insert(number);
        }
    }

    /// Sets the order of eviction: `ranks` has the rank of each chunk, and chunks of lower rank are
    /// evicted first. Without ranks, chunks of lower number are evicted first.
    pub fn set_eviction_ranks(&self, ranks: Vec<u32>) {
        debug_assert!(ranks.is_empty() || ranks.len() == self.chunk_count());
        let mut order = self.lock_order();
        self.lists_chunks.store(false, Ordering::Release);
        *order = EvictionOrder { ranks, in_memory: BTreeSet::new() };
    }

    /// Gives a chunk the lowest rank, so that it is evicted first.
    pub fn evict_early(&self, number: usize) {
        let mut order = self.lock_order();
        if let Some(rank) = order.ranks.get_mut(number) {
            *rank = 0;
        }
        if self.lists_chunks.load(Ordering::Acquire) {
            order.insert(number);
        }
    }

    /// Evicts the first chunk, in the order of eviction, that can be evicted. Returns false if no
    /// chunk can be evicted.
    ///
    /// # Errors
    /// If the store fails.
    pub fn evict_next(&self, pool: &MemoryPool) -> Result<bool, StepError> {
        if !pool.has_store() {
            return Ok(false);
        }
        if !self.lists_chunks.load(Ordering::Acquire) {
            let mut order = self.lock_order();
            self.lists_chunks.store(true, Ordering::Release);
            (0..self.chunk_count()).for_each(|number| order.insert(number));
        }
        let mut after = Bound::Unbounded;
        loop {
            // The order is not locked while a chunk is written. A chunk that is loaded again meanwhile is entered
            // again.
            let next = {
                let mut order = self.lock_order();
                let Some(&next) = order.in_memory.range((after, Bound::Unbounded)).next() else {
                    return Ok(false);
                };
                order.in_memory.remove(&next);
                next
            };
            after = Bound::Excluded(next);
            let eviction = self.try_evict(next.1, pool);
            if !matches!(eviction, Ok(Eviction::Evicted | Eviction::NotInMemory)) {
                self.lock_order().in_memory.insert(next);
            }
            if matches!(eviction?, Eviction::Evicted) {
                return Ok(true);
            }
        }
    }

    /// Evicts a chunk, unless it is in use or locked: evicting never waits for a lock, since the
    /// calling thread may hold one.
    fn try_evict(&self, number: usize, pool: &MemoryPool) -> Result<Eviction, StepError> {
        let Ok(mut location) = self.locations[number].try_lock() else { return Ok(Eviction::InUse) };
        let ChunkLocation::InMemory(chunk, kept) = &*location else { return Ok(Eviction::NotInMemory) };
        if Arc::strong_count(chunk) > 1 {
            return Ok(Eviction::InUse);
        }
        let (bytes, stored) = (chunk.bytes(), *kept);
        let stored = match stored {
            Some(kept) => kept,
            None => pool.write_chunk(chunk)?,
        };
        *location = ChunkLocation::OnDisk(stored);
        pool.budget().release(bytes);
        Ok(Eviction::Evicted)
    }

    /// Writes a chunk to the store unless it is already there, and returns its stored form; `None`
    /// if the chunk is empty. A chunk in memory stays in memory.
    ///
    /// # Errors
    /// If the store fails.
    pub fn ensure_stored(&self, number: usize, pool: &MemoryPool) -> Result<Option<StoredChunk>, StepError> {
        let mut location = self.lock(number);
        match &mut *location {
            ChunkLocation::Absent => Ok(None),
            ChunkLocation::OnDisk(kept) => Ok(Some(*kept)),
            ChunkLocation::InMemory(chunk, kept) => {
                if kept.is_none() {
                    *kept = Some(pool.write_chunk(chunk)?);
                }
                Ok(*kept)
            }
        }
    }

    /// Appends to `bytes` a chunk in the encoding that
    /// [`read_chunk`](crate::frontier::layer::chunk_decoder::read_chunk) reads; nothing if the
    /// chunk is empty.
    ///
    /// # Errors
    /// If the store fails.
    pub fn append_encoded(
        &self,
        number: usize,
        pool: &MemoryPool,
        bytes: &mut Vec<u8>,
    ) -> Result<(), StepError> {
        match &*self.lock(number) {
            ChunkLocation::Absent => {}
            ChunkLocation::InMemory(chunk, _) => {
                chunk_format::write_chunk(chunk, bytes).expect("writing to memory does not fail");
            }
            // The decoder verifies stored bytes.
            ChunkLocation::OnDisk(kept) => pool.copy_encoded(*kept, bytes)?,
        }
        Ok(())
    }

    /// Removes a chunk from memory and from the store.
    pub fn remove(&self, number: usize, pool: &MemoryPool) {
        match std::mem::take(&mut *self.lock(number)) {
            ChunkLocation::Absent => {}
            ChunkLocation::OnDisk(kept) => pool.remove_stored(kept),
            ChunkLocation::InMemory(chunk, kept) => {
                pool.budget().release(chunk.bytes());
                if let Some(stored) = kept {
                    pool.remove_stored(stored);
                }
            }
        }
    }

    /// Returns the number of bytes that a chunk takes in memory; 0 if it is empty.
    #[must_use]
    pub fn bytes_of(&self, number: usize) -> u64 {
        match &*self.lock(number) {
            ChunkLocation::Absent => 0,
            ChunkLocation::InMemory(chunk, _) => chunk.bytes(),
            ChunkLocation::OnDisk(kept) => kept.bytes,
        }
    }

    /// Returns the number of weights of some chunks, zeros included. Chunks that are only in the store are assumed to
    /// have as many weights for each byte as the others; if there are no others, one for every four bytes.
    #[must_use]
    pub fn estimate_weights(&self, numbers: &[usize]) -> u64 {
        let (mut weights, mut bytes_in_memory, mut bytes) = (0, 0, 0);
        for &number in numbers {
            match &*self.lock(number) {
                ChunkLocation::Absent => {}
                ChunkLocation::InMemory(chunk, _) => {
                    weights += chunk.weights.len() as u64;
                    bytes_in_memory += chunk.bytes();
                    bytes += chunk.bytes();
                }
                ChunkLocation::OnDisk(stored) => bytes += stored.bytes,
            }
        }
        match bytes_in_memory {
            0 => bytes / 4,
            _ => (weights as f64 * (bytes as f64 / bytes_in_memory as f64)) as u64,
        }
    }

    /// Returns the number of each chunk that is not empty, with the number of bytes that the chunk
    /// takes in memory.
    #[must_use]
    pub fn chunk_bytes(&self) -> Vec<(usize, u64)> {
        self.present_chunks().into_iter().map(|number| (number, self.bytes_of(number))).collect()
    }

    /// Returns the numbers of the chunks that are not empty.
    #[must_use]
    pub fn present_chunks(&self) -> Vec<usize> {
        (0..self.locations.len()).filter(|&n| !matches!(*self.lock(n), ChunkLocation::Absent)).collect()
    }
}

impl MemoryPool<'_> {
    /// Reserves `bytes` bytes as [`Self::reserve_with`] does. While they do not fit, evicts a chunk of the
    /// first of the layers `evicted` that has one to evict.
    ///
    /// # Errors
    /// [`StepError::Memory`] if the bytes do not fit, [`StepError::Store`] if the store fails.
    pub fn reserve(&self, bytes: u64, evicted: &[&LayerStore]) -> Result<Reservation<'_>, StepError> {
        self.reserve_with(bytes, || {
            for layer in evicted {
                if layer.evict_next(self)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::WordEntry;
    use super::super::store::memory::MemoryStore;
    use super::*;
    use crate::frontier::weights::vector::Weights;

    fn chunk(weight: u32) -> Chunk {
        Chunk {
            entries: vec![WordEntry::new(1, 0); 3],
            weights: Weights::W32(vec![weight; 3].into()),
            bits: 5,
        }
    }

    /// Returns a layer whose only chunk is chunk 1. The bytes of the chunk are reserved.
    fn new_store(pool: &MemoryPool) -> LayerStore {
        let layer_store = LayerStore::new(4, 3);
        pool.reserve(chunk(17).bytes(), &[]).unwrap().keep();
        layer_store.insert(1, chunk(17));
        layer_store
    }

    #[test]
    fn evicted_chunk_frees_memory_and_is_loaded_again() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = new_store(&pool);
        assert_eq!([(); 2].map(|()| layer_store.evict_next(&pool)), [Ok(true), Ok(false)]);
        assert_eq!((pool.budget().reserved_bytes(), layer_store.present_chunks()), (0, vec![1]));
        assert_eq!(layer_store.chunk_bytes(), [(1, chunk(17).bytes())]);
        assert_eq!(layer_store.load(1, &pool, &[]).unwrap().unwrap().weights, chunk(17).weights);
        assert_eq!(pool.budget().reserved_bytes(), chunk(17).bytes());
        assert!(layer_store.load(0, &pool, &[]).unwrap().is_none());
    }

    #[test]
    fn estimate_weights_extends_from_chunks_in_memory() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = LayerStore::new(4, 3);
        for number in [0, 1, 2] {
            pool.reserve(chunk(17).bytes(), &[]).unwrap().keep();
            layer_store.insert(number, chunk(17));
        }
        let estimate = || layer_store.estimate_weights(&[0, 1, 2, 3]);
        assert_eq!((estimate(), layer_store.estimate_weights(&[1, 3])), (9, 3));
        assert_eq!((layer_store.evict_next(&pool), estimate()), (Ok(true), 9), "equal chunks");
        while layer_store.evict_next(&pool).unwrap() {}
        assert_eq!(estimate(), 3 * chunk(17).bytes() / 4);
    }

    #[test]
    fn evict_skips_chunk_in_use() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = new_store(&pool);
        let used = layer_store.load(1, &pool, &[]).unwrap();
        assert_eq!(layer_store.evict_next(&pool), Ok(false));
        drop(used);
        assert_eq!(layer_store.evict_next(&pool), Ok(true));
    }

    #[test]
    fn chunks_are_evicted_in_order_of_rank() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = LayerStore::new(4, 3);
        let insert = |number| {
            pool.reserve(chunk(17).bytes(), &[]).unwrap().keep();
            layer_store.insert(number, chunk(17));
        };
        [0, 1, 2].into_iter().for_each(insert);
        let in_memory = || {
            let locations = (0..4).filter(|&n| matches!(*layer_store.lock(n), ChunkLocation::InMemory(..)));
            locations.collect::<Vec<usize>>()
        };
        layer_store.set_eviction_ranks(vec![3, 1, 2, 0]);
        assert!(layer_store.evict_next(&pool) == Ok(true) && in_memory() == [0, 2]);
        // Chunks that come later are listed, too: inserted, loaded, or needed no longer.
        insert(3);
        assert!(layer_store.load(1, &pool, &[]).unwrap().is_some() && in_memory() == [0, 1, 2, 3]);
        layer_store.evict_early(2);
        let mut left = (0..4).map(|_| (layer_store.evict_next(&pool), in_memory()));
        assert_eq!(left.next().unwrap(), (Ok(true), vec![0, 1, 3]));
        assert_eq!(left.next().unwrap(), (Ok(true), vec![0, 1]));
        assert_eq!(left.next().unwrap(), (Ok(true), vec![0]));
        assert_eq!(left.next().unwrap(), (Ok(true), vec![]));
        assert_eq!((layer_store.evict_next(&pool), pool.budget().reserved_bytes()), (Ok(false), 0));
    }

    #[test]
    fn chunks_survive_loads_and_evictions_by_many_threads() {
        let store = MemoryStore::default();
        let bytes = chunk(0).bytes();
        // Memory for a third of the chunks, and for those that are in use.
        let pool = MemoryPool::new(12 * bytes, Some(&store));
        let layer_store = LayerStore::new(24, 3);
        for number in 0..24 {
            pool.reserve(bytes, &[&layer_store]).unwrap().keep();
            layer_store.insert(number, chunk(number as u32));
        }
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (layer_store, pool) = (&layer_store, &pool);
                scope.spawn(move || {
                    for round in 0..500 {
                        let number = (7 * round + 5 * thread) % 24;
                        // Another thread may hold the last chunk in memory for a moment.
                        let Ok(loaded) = layer_store.load(number, pool, &[layer_store]) else { continue };
                        assert_eq!(loaded.unwrap().weights, chunk(number as u32).weights);
                    }
                });
            }
        });
        while layer_store.evict_next(&pool).unwrap() {}
        assert_eq!((pool.budget().reserved_bytes(), layer_store.present_chunks().len()), (0, 24));
    }

    #[test]
    fn ensure_stored_writes_once_and_keeps_memory() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = new_store(&pool);
        let stored = layer_store.ensure_stored(1, &pool).unwrap();
        assert!(stored.is_some() && layer_store.ensure_stored(1, &pool).unwrap() == stored);
        assert_eq!(
            (store.items.lock().unwrap().len(), pool.budget().reserved_bytes()),
            (1, chunk(17).bytes())
        );
        assert_eq!(layer_store.ensure_stored(0, &pool), Ok(None));
    }

    #[test]
    fn removed_chunk_leaves_store() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = new_store(&pool);
        layer_store.evict_next(&pool).unwrap();
        let taken = layer_store.take_chunk(1, &pool).unwrap().unwrap();
        assert_eq!((taken.weights, layer_store.present_chunks().len()), (chunk(17).weights, 0));
        assert!(store.items.lock().unwrap().is_empty());
        layer_store.insert(2, chunk(17));
        layer_store.remove(2, &pool);
        assert_eq!((pool.budget().reserved_bytes(), layer_store.present_chunks().len()), (0, 0));
    }

    #[test]
    fn append_encoded_is_equal_from_memory_and_store() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let layer_store = new_store(&pool);
        let (mut here, mut away) = (Vec::new(), Vec::new());
        layer_store.append_encoded(1, &pool, &mut here).unwrap();
        layer_store.evict_next(&pool).unwrap();
        layer_store.append_encoded(1, &pool, &mut away).unwrap();
        assert!(!here.is_empty() && here == away);
    }
}
