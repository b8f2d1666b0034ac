//! The memory pool for the chunks of layers, its counter of reserved bytes, and the error of a step
//! without memory.
//!
//! A [`MemoryPool`] has a limit, and may have a store for evicted chunks. A [`MemoryBudget`] counts
//! the bytes that are reserved. A [`Reservation`] is a number of these bytes: it releases them when it
//! is dropped, unless a chunk of a layer takes them over. A [`StepError`] is the reason why memory for
//! a chunk, or the chunk itself, was not available.
//!
//! Freed memory between chunks is fragmented: the process takes more bytes than its chunks. At
//! intervals the pool makes the allocator return free memory to the system. While the process
//! exceeds its limit, a soft limit below the pool's limit makes sweeps evict earlier.

use std::fmt::{Display, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, io};

use super::chunk::Chunk;
use super::store::{Store, StoredChunk};
use super::{chunk_decoder, chunk_format};
use crate::control::{AllocatorHook, AllocatorRequest};

/// A pool that reserves memory for chunks up to a limit, and writes and reads stored chunks.
pub struct MemoryPool<'a> {
    budget: MemoryBudget,
    /// Counter of the bytes that are reserved beyond the limit.
    excess: MemoryBudget,
    /// Largest number of bytes that chunks may take.
    limit: u64,
    store: Option<&'a dyn Store>,
    allocator: Option<AllocatorHook>,
    stored_bytes: AtomicU64,
    stored_peak: AtomicU64,
    written: AtomicU64,
    /// Largest number of bytes that the process may take; `None` for no limit.
    process_ceiling: Option<u64>,
    /// Largest number of bytes that the process takes in addition to chunks, if known.
    process_overhead: Option<u64>,
    /// Number of bytes reserved since the allocator last returned free memory.
    reserved_since_trim: AtomicU64,
    /// Number of bytes of chunks above which chunks are evicted. It is less than `limit` while
    /// fragmentation takes memory.
    soft_limit: AtomicU64,
}

/// Number of reserved bytes after which the allocator returns free memory: the peak divided by 64,
/// and at least 1 MiB. Memory freed between chunks in use does not fit larger chunks, so the
/// process would grow otherwise.
const TRIM_INTERVAL: (u64, u64) = (64, 1 << 20);

/// Largest quotient of the limit and the soft limit, however great the fragmentation.
const MIN_SOFT_LIMIT_DIVISOR: u64 = 2;

/// Number of bytes of fragmentation that is tolerated: the peak divided by 10, and at least 64 MiB.
const FRAGMENTATION_ALLOWANCE: (u64, u64) = (10, 64 << 20);

impl<'a> MemoryPool<'a> {
    /// Returns a pool of at most `limit` bytes. With a store, chunks can be evicted to it.
    #[must_use]
    pub fn new(limit: u64, store: Option<&'a dyn Store>) -> Self {
        Self {
            budget: MemoryBudget::default(),
            excess: MemoryBudget::default(),
            limit,
            store,
            allocator: None,
            stored_bytes: AtomicU64::new(0),
            stored_peak: AtomicU64::new(0),
            written: AtomicU64::new(0),
            process_ceiling: None,
            process_overhead: None,
            reserved_since_trim: AtomicU64::new(0),
            soft_limit: AtomicU64::new(limit),
        }
    }

    /// Sets the number of bytes that the process may take, and the function that makes the
    /// allocator return free memory.
    #[must_use]
    pub fn with_process_ceiling(self, ceiling: Option<u64>, allocator: Option<AllocatorHook>) -> Self {
        Self { process_ceiling: ceiling, allocator, ..self }
    }

    /// Sets the number of bytes that the process takes in addition to chunks. If the process takes
    /// more than these bytes, the chunks and the tolerated fragmentation together, the allocator
    /// returns free memory.
    #[must_use]
    pub fn process_overhead(self, bytes: u64) -> Self {
        Self { process_overhead: Some(bytes), ..self }
    }

    /// Returns the counter of the bytes reserved for chunks.
    #[must_use]
    pub const fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    /// Returns the counter of the bytes that are reserved beyond the limit.
    #[must_use]
    pub const fn excess(&self) -> &MemoryBudget {
        &self.excess
    }

    /// Returns the largest number of bytes that may be reserved beyond the limit.
    #[must_use]
    pub const fn max_excess(&self) -> u64 {
        self.limit / EXCESS_DIVISOR
    }

    /// Returns the largest number of bytes that chunks may take.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns true if chunks have never taken more than a quarter of the bytes that they may take, so that
    /// memory need not be saved.
    #[must_use]
    pub fn has_ample_memory(&self) -> bool {
        self.budget.peak_bytes() < self.limit / 4
    }

    /// Returns true if the pool has a store for evicted chunks.
    #[must_use]
    pub const fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// Makes the allocator return free memory to the system if the process is too large to reserve `bytes`
    /// more bytes, and adjusts the soft limit.
    pub fn trim_allocator(&self, bytes: u64) {
        let Some(grant) = self.allocator else { return };
        let peak = self.budget.peak_bytes();
        let needed = self.process_overhead.map(|overhead| {
            overhead + peak + (peak / FRAGMENTATION_ALLOWANCE.0).max(FRAGMENTATION_ALLOWANCE.1)
        });
        // Returning memory costs time: near the limit only the limit counts.
        let is_far = |&needed: &u64| self.process_ceiling.is_none_or(|ceiling| needed < ceiling / 4 * 3);
        let ceiling = self.process_ceiling.map(|ceiling| ceiling.saturating_sub(bytes));
        let Some(most) = needed.filter(is_far).or(ceiling) else { return };
        let (taken, held) = (grant(AllocatorRequest::TrimAbove(most)), self.budget.reserved_bytes());
        if let Some((taken, ceiling)) = taken.zip(self.process_ceiling) {
            // The memory of the process that chunks do not use is fragmentation or other data.
            let others = taken.saturating_sub(held.saturating_sub(bytes));
            let soft = if taken + bytes > ceiling { ceiling.saturating_sub(others) } else { self.limit };
            self.soft_limit
                .store(soft.clamp(self.limit / MIN_SOFT_LIMIT_DIVISOR, self.limit), Ordering::Relaxed);
        }
    }

    /// Returns three numbers of bytes: in the store now, the greatest number so far, and written to
    /// the store in total.
    #[must_use]
    pub fn stored_bytes(&self) -> (u64, u64, u64) {
        let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
        (load(&self.stored_bytes), load(&self.stored_peak), load(&self.written))
    }

    /// Adds a chunk that was already in the store to the number of stored bytes.
    pub fn count_existing(&self, stored_chunk: StoredChunk) {
        let stored =
            self.stored_bytes.fetch_add(stored_chunk.stored, Ordering::Relaxed) + stored_chunk.stored;
        self.stored_peak.fetch_max(stored, Ordering::Relaxed);
    }

    /// Reserves `bytes` bytes until the reservation is dropped. While they do not fit, calls `free`, which frees
    /// bytes and returns true, or returns false if nothing can be freed.
    ///
    /// # Errors
    /// [`StepError::Memory`] if the bytes do not fit, [`StepError::Store`] if the store fails.
    pub fn reserve_with(
        &self,
        bytes: u64,
        free: impl Fn() -> Result<bool, StepError>,
    ) -> Result<Reservation<'_>, StepError> {
        let soft = || if self.store.is_some() { self.soft_limit.load(Ordering::Relaxed) } else { self.limit };
        let reservation = loop {
            if let Some(reservation) = self.budget.reserve(bytes, soft()) {
                break reservation;
            }
            if self.store.is_none() || !free()? {
                // If nothing can be freed, the memory up to the hard limit is used.
                break self.budget.reserve(bytes, self.limit).ok_or(StepError::Memory)?;
            }
        };
        // The bytes just reserved are not allocated yet.
        let taken = self.reserved_since_trim.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if taken > (self.budget.peak_bytes() / TRIM_INTERVAL.0).max(TRIM_INTERVAL.1) {
            self.reserved_since_trim.store(0, Ordering::Relaxed);
            self.trim_allocator(taken);
            // A large reservation must not make the process exceed its limit before the next trim.
            while self.store.is_some() && self.budget.reserved_bytes() > soft() && free()? {}
        }
        Ok(reservation)
    }

    pub fn write_chunk(&self, chunk: &Chunk) -> Result<StoredChunk, StepError> {
        let write = |store: &dyn Store| -> io::Result<StoredChunk> {
            let (number, mut writer) = store.create()?;
            match chunk_format::write_chunk(chunk, writer.as_mut()) {
                Ok((stored, digest)) => Ok(StoredChunk { number, stored, bytes: chunk.bytes(), digest }),
                Err(error) => {
                    drop(writer);
                    store.remove(number);
                    Err(error)
                }
            }
        };
        let stored_chunk =
            write(self.store.expect("chunks are evicted only if there is a store")).map_err(|error| {
                StepError::Store(format!("cannot store a chunk of the layer: {error}; free disk space"))
            })?;
        self.count_existing(stored_chunk);
        self.written.fetch_add(stored_chunk.stored, Ordering::Relaxed);
        Ok(stored_chunk)
    }

    pub fn read_chunk(&self, stored: StoredChunk, words: usize) -> Result<Chunk, StepError> {
        let store = self.store.expect("stored chunks are in a store");
        store
            .open(stored.number)
            .and_then(|mut reader| {
                chunk_decoder::read_chunk(reader.as_mut(), words, stored.bytes, stored.digest)
            })
            .and_then(|chunk| {
                if chunk.bytes() > stored.bytes { Err(chunk_format::damaged_error()) } else { Ok(chunk) }
            })
            .map_err(|error| unreadable_error(stored, error))
    }

    pub fn copy_encoded(&self, stored: StoredChunk, to: &mut Vec<u8>) -> Result<(), StepError> {
        let store = self.store.expect("stored chunks are in a store");
        let copied = store.open(stored.number).and_then(|mut reader| reader.read_to_end(to));
        let is_same = copied.map(|_| chunk_format::trailing_digest(to) == Some(stored.digest));
        match is_same {
            Ok(true) => Ok(()),
            Ok(false) => Err(unreadable_error(stored, chunk_format::damaged_error())),
            Err(error) => Err(unreadable_error(stored, error)),
        }
    }

    pub fn remove_stored(&self, stored: StoredChunk) {
        if let Some(store) = self.store {
            store.remove(stored.number);
            self.stored_bytes.fetch_sub(stored.stored, Ordering::Relaxed);
        }
    }
}

fn unreadable_error(stored: StoredChunk, why: impl Display) -> StepError {
    StepError::Store(format!(
        "cannot read chunk {} of the layer: {why}; resume from a checkpoint, or start again",
        stored.number
    ))
}

/// Divisor of the memory limit that gives the number of bytes of sums that may exceed it. So few bytes
/// are no reason to end a sweep: more than that is left free for the gaps of the heap.
pub const EXCESS_DIVISOR: u64 = 20;

/// Counter of the bytes reserved for chunks.
#[derive(Debug, Default)]
pub struct MemoryBudget {
    reserved_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

impl MemoryBudget {
    /// Reserves `bytes` bytes; returns `None` if the reserved bytes would exceed `limit`.
    #[must_use = "a reservation that is dropped is released"]
    pub fn reserve(&self, bytes: u64, limit: u64) -> Option<Reservation<'_>> {
        let more = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= limit);
        let before = self.reserved_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
        Some(Reservation { budget: self, bytes })
    }

    /// Releases `bytes` bytes that [`Reservation::keep`] left reserved.
    pub fn release(&self, bytes: u64) {
        let held = self.reserved_bytes.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(held >= bytes, "more bytes are released than were reserved");
    }

    /// Returns the number of bytes reserved now.
    #[must_use]
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes.load(Ordering::Relaxed)
    }

    /// Returns the greatest number of bytes that were reserved at the same time.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }
}

/// Bytes that are reserved in a budget. They are released when this value is dropped.
#[derive(Debug)]
#[must_use = "a reservation that is dropped is released"]
pub struct Reservation<'a> {
    budget: &'a MemoryBudget,
    bytes: u64,
}

impl Reservation<'_> {
    /// Returns the number of bytes reserved.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes over the bytes of another reservation in the same budget.
    pub fn merge(&mut self, other: Self) {
        debug_assert!(std::ptr::eq(self.budget, other.budget), "reservations in two budgets");
        self.bytes += other.keep();
    }

    /// Releases all but `bytes` bytes.
    ///
    /// # Panics
    /// If fewer bytes are reserved.
    pub fn shrink_to(&mut self, bytes: u64) {
        let released = self.bytes.checked_sub(bytes).expect("a chunk does not exceed its reservation");
        self.budget.release(released);
        self.bytes = bytes;
    }

    /// Leaves the bytes reserved and returns their number. The owner of the data for which they are
    /// reserved releases them.
    pub fn keep(mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// The reason why a step could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The memory limit was reached, and no chunk could be evicted.
    Memory,
    /// The store failed. Contains the error message.
    Store(String),
}

impl Display for StepError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("not enough memory"),
            Self::Store(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::chunk::WordEntry;
    use super::super::store::memory::MemoryStore;
    use super::*;
    use crate::frontier::weights::vector::Weights;

    fn chunk() -> Chunk {
        Chunk { entries: vec![WordEntry::new(1, 0); 3], weights: Weights::W32(vec![7; 3].into()), bits: 3 }
    }

    #[test]
    fn reserve_evicts_until_bytes_fit() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(100, Some(&store));
        let free = || Ok(true).inspect(|_| pool.budget().release(30));
        pool.reserve(90, &[]).unwrap().keep();
        assert_eq!(pool.reserve(60, &[]).unwrap_err(), StepError::Memory);
        let reservation = pool.reserve_with(60, free).unwrap();
        assert_eq!((pool.budget().reserved_bytes(), reservation.bytes()), (90, 60));
    }

    #[test]
    fn reserve_without_store_evicts_nothing() {
        let pool = MemoryPool::new(100, None);
        let reserved = pool.reserve_with(101, || unreachable!("without a store nothing is evicted"));
        assert_eq!(reserved.unwrap_err(), StepError::Memory);
    }

    #[test]
    fn reservation_is_released_unless_it_is_kept() {
        let pool = MemoryPool::new(100, None);
        let reserve = |bytes| pool.reserve(bytes, &[]).unwrap();
        let mut reservation = reserve(50);
        reservation.merge(reserve(20));
        assert_eq!((reservation.bytes(), pool.budget().reserved_bytes()), (70, 70));
        reservation.shrink_to(40);
        assert_eq!((reservation.bytes(), pool.budget().reserved_bytes()), (40, 40));
        drop(reserve(30));
        assert_eq!((reservation.keep(), pool.budget().reserved_bytes()), (40, 40));
        pool.budget().release(40);
        assert_eq!((pool.budget().reserved_bytes(), pool.budget().peak_bytes()), (0, 70));
    }

    #[test]
    #[should_panic(expected = "does not exceed its reservation")]
    fn reservation_does_not_grow() {
        MemoryBudget::default().reserve(10, 100).unwrap().shrink_to(11);
    }

    static RECORDED_REQUESTS: Mutex<Vec<AllocatorRequest>> = Mutex::new(Vec::new());

    #[test]
    fn reserve_trims_allocator_at_intervals() {
        let mib = 1 << 20;
        let recorded_requests = |pool: MemoryPool, takes: &[u64]| {
            for &bytes in takes {
                drop(pool.reserve(bytes, &[]).unwrap());
            }
            std::mem::take(&mut *RECORDED_REQUESTS.lock().unwrap())
        };
        let pool_with_ceiling = |ceiling| {
            let grant = |request| {
                RECORDED_REQUESTS.lock().unwrap().push(request);
                None
            };
            MemoryPool::new(90 * mib, None)
                .with_process_ceiling(ceiling, Some(grant))
                .process_overhead(10 * mib)
        };
        let needed = |peak: u64| {
            AllocatorRequest::TrimAbove(
                10 * mib + peak + (peak / FRAGMENTATION_ALLOWANCE.0).max(FRAGMENTATION_ALLOWANCE.1),
            )
        };
        // Small reservations do not trigger the allocator until they sum to a mebibyte; bytes just reserved
        // are not allocated yet.
        assert_eq!(recorded_requests(pool_with_ceiling(None), &[1000, 40 * mib, 1000]), [needed(40 * mib)]);
        assert_eq!(recorded_requests(pool_with_ceiling(Some(200 * mib)), &[40 * mib]), [needed(40 * mib)]);
        assert_eq!(
            recorded_requests(pool_with_ceiling(Some(100 * mib)), &[70 * mib, 1000]),
            [AllocatorRequest::TrimAbove(30 * mib)]
        );
        let small = recorded_requests(pool_with_ceiling(None), &[mib / 2, mib / 2, mib / 2, mib / 2]);
        assert_eq!(small, [needed(mib / 2)]);
    }

    #[test]
    fn reserve_evicts_while_fragmentation_exceeds_ceiling() {
        let mib = 1 << 20;
        // Fragmentation takes 30 MiB when chunks take 60 MiB.
        let store = MemoryStore::default();
        let grant = |_| Some(110 << 20);
        let pool = MemoryPool::new(90 * mib, Some(&store))
            .with_process_ceiling(Some(100 * mib), Some(grant))
            .process_overhead(10 * mib);
        pool.reserve(60 * mib, &[]).unwrap().keep();
        pool.trim_allocator(0);
        let is_asked = std::cell::Cell::new(false);
        let free = || {
            is_asked.set(true);
            pool.budget().release(20 * mib);
            Ok(true)
        };
        pool.reserve_with(5 * mib, free).unwrap().keep();
        assert!(is_asked.get() && pool.budget().reserved_bytes() == 45 * mib);
        // If nothing can be freed, the hard limit counts.
        pool.reserve(40 * mib, &[]).unwrap().keep();
        assert_eq!(pool.reserve(10 * mib, &[]).unwrap_err(), StepError::Memory);
    }

    #[test]
    fn large_reservation_evicts_before_it_is_allocated() {
        let mib = 1 << 20;
        // Fragmentation takes 20 MiB when chunks take 30 MiB.
        let store = MemoryStore::default();
        let pool = MemoryPool::new(90 * mib, Some(&store))
            .with_process_ceiling(Some(100 * mib), Some(|_| Some(60 << 20)))
            .process_overhead(10 * mib);
        pool.reserve(30 * mib, &[]).unwrap().keep();
        let free = || Ok(true).inspect(|_| pool.budget().release(20 * mib));
        pool.reserve_with(50 * mib, free).unwrap().keep();
        assert_eq!(pool.budget().reserved_bytes(), 60 * mib);
    }

    #[test]
    fn write_chunk_and_read_chunk_round_trip_and_count_bytes() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let stored = pool.write_chunk(&chunk()).unwrap();
        assert_eq!(pool.read_chunk(stored, 3).unwrap().weights, chunk().weights);
        assert_eq!(pool.stored_bytes(), (stored.stored, stored.stored, stored.stored));
        pool.remove_stored(stored);
        assert_eq!(pool.stored_bytes(), (0, stored.stored, stored.stored));
        assert!(store.items.lock().unwrap().is_empty());
    }

    #[test]
    fn write_chunk_to_full_store_fails_and_counts_nothing() {
        let store = MemoryStore::default();
        store.is_full.store(true, Ordering::Relaxed);
        let pool = MemoryPool::new(1000, Some(&store));
        assert!(matches!(pool.write_chunk(&chunk()), Err(StepError::Store(what)) if what.contains("full")));
        assert_eq!(pool.stored_bytes(), (0, 0, 0));
    }

    #[test]
    fn read_chunk_rejects_other_item() {
        let store = MemoryStore::default();
        let pool = MemoryPool::new(1000, Some(&store));
        let stored = pool.write_chunk(&chunk()).unwrap();
        let other = pool.write_chunk(&Chunk { bits: 4, ..chunk() }).unwrap();
        let mistaken = StoredChunk { number: other.number, ..stored };
        assert!(
            pool.read_chunk(mistaken, 3).is_err() && pool.copy_encoded(mistaken, &mut Vec::new()).is_err()
        );
    }

    #[test]
    fn memory_is_ample_until_a_quarter_was_taken() {
        let pool = MemoryPool::new(100, None);
        let reserve = |bytes| pool.reserve(bytes, &[]).unwrap();
        drop(reserve(24));
        assert!(pool.has_ample_memory());
        drop(reserve(25));
        assert!(!pool.has_ample_memory(), "the peak counts");
    }

    #[test]
    fn budget_rejects_bytes_beyond_limit() {
        let budget = MemoryBudget::default();
        let (first, none, second) =
            (budget.reserve(60, 100), budget.reserve(41, 100), budget.reserve(40, 100));
        assert!(first.is_some() && none.is_none() && second.is_some());
        drop(first);
        assert_eq!((budget.reserved_bytes(), budget.peak_bytes()), (40, 100));
        assert!(budget.reserve(u64::MAX, u64::MAX).is_none(), "the sum overflows");
    }
}
