//! A pool of memory for chunks, with a limit, and a store for evicted chunks.
//!
//! Freed memory between chunks is fragmented: the process takes more bytes than its chunks. At intervals the
//! pool makes the allocator return free memory to the system. While the process exceeds its ceiling, a soft
//! limit below the pool's limit makes sweeps evict earlier.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::control::{Allocator, Wish};
use crate::frontier::layer::account::Account;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::store::Store;
use crate::frontier::layer::{codec, decode, encode};

/// Reserves memory for chunks up to a limit, and reads and writes stored chunks.
pub struct Keeper<'a> {
    account: Account,
    /// Bytes that chunks may take.
    limit: u64,
    store: Option<&'a dyn Store>,
    allocator: Option<Allocator>,
    stored: AtomicU64,
    stored_peak: AtomicU64,
    written: AtomicU64,
    /// Bytes that the process may take, if there is a ceiling.
    ceiling: Option<u64>,
    /// Greatest number of bytes that the process takes in addition to chunks, if known.
    beside: Option<u64>,
    /// Bytes reserved since the allocator last returned free memory.
    taken: AtomicU64,
    /// Bytes that chunks may take before chunks are evicted; less than `limit` while fragmentation takes the
    /// rest.
    soft: AtomicU64,
}

/// Interval at which the allocator returns free memory: whenever 1/64 of the peak was reserved since the
/// last time, and at least 1 MiB. Memory freed between chunks in use does not fit larger chunks, so without
/// it the process would grow.
const TOLD: (u64, u64) = (64, 1 << 20);

/// The soft limit is at least 1/2 of the limit, however great the fragmentation.
const SOFT: u64 = 2;

/// Fragmentation that is tolerated: 1/10 of the peak, and at least 64 MiB.
const GAPS: (u64, u64) = (10, 64 << 20);

impl<'a> Keeper<'a> {
    /// Returns a pool of at most `limit` bytes; if there is a store, chunks can be evicted to it.
    #[must_use]
    pub fn new(limit: u64, store: Option<&'a dyn Store>) -> Self {
        Self {
            account: Account::default(),
            limit,
            store,
            allocator: None,
            stored: AtomicU64::new(0),
            stored_peak: AtomicU64::new(0),
            written: AtomicU64::new(0),
            ceiling: None,
            beside: None,
            taken: AtomicU64::new(0),
            soft: AtomicU64::new(limit),
        }
    }

    /// Sets the bytes that the process may take, and the allocator that returns free memory.
    #[must_use]
    pub fn below(self, ceiling: Option<u64>, allocator: Option<Allocator>) -> Self {
        Self { ceiling, allocator, ..self }
    }

    /// Sets the bytes that the process takes in addition to chunks. The allocator then returns memory beyond
    /// these, the chunks and tolerated fragmentation.
    #[must_use]
    pub fn beside(self, bytes: u64) -> Self {
        Self { beside: Some(bytes), ..self }
    }

    /// Returns the counter of bytes in memory.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// Returns the bytes that chunks may take.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns true if there is a store.
    #[must_use]
    pub const fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// Makes the allocator return free memory to the system if the process takes too much for `bytes` more,
    /// and adjusts the soft limit.
    pub fn give_back(&self, bytes: u64) {
        let Some(grant) = self.allocator else { return };
        let peak = self.account.peak();
        let needed = self.beside.map(|beside| beside + peak + (peak / GAPS.0).max(GAPS.1));
        // Returning memory costs time: near the ceiling only the ceiling counts.
        let is_far = |&needed: &u64| self.ceiling.is_none_or(|ceiling| needed < ceiling / 4 * 3);
        let ceiling = self.ceiling.map(|ceiling| ceiling.saturating_sub(bytes));
        let Some(most) = needed.filter(is_far).or(ceiling) else { return };
        let (taken, held) = (grant(Wish::Below(most)), self.account.held());
        if let Some((taken, ceiling)) = taken.zip(self.ceiling) {
            // The memory of the process that chunks do not use is fragmentation or other data.
            let others = taken.saturating_sub(held.saturating_sub(bytes));
            let soft = if taken > ceiling { ceiling.saturating_sub(others) } else { self.limit };
            self.soft.store(soft.clamp(self.limit / SOFT, self.limit), Ordering::Relaxed);
        }
    }

    /// Returns the bytes in the store now, the greatest number of bytes in it, and the bytes written to it in
    /// total.
    #[must_use]
    pub fn stored(&self) -> (u64, u64, u64) {
        let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
        (load(&self.stored), load(&self.stored_peak), load(&self.written))
    }

    /// Counts a chunk that was in the store before.
    pub fn count_stored(&self, kept: Kept) {
        let stored = self.stored.fetch_add(kept.stored, Ordering::Relaxed) + kept.stored;
        self.stored_peak.fetch_max(stored, Ordering::Relaxed);
    }

    /// Reserves `bytes` bytes. While they do not fit, it calls `evict`, which evicts something and
    /// returns true, or returns false if nothing can be evicted.
    ///
    /// # Errors
    /// [`StepError::Memory`] if the bytes do not fit, [`StepError::Store`] if the store fails.
    pub fn room(&self, bytes: u64, put_aside: &impl Fn() -> Result<bool, Halt>) -> Result<(), Halt> {
        let soft = || if self.store.is_some() { self.soft.load(Ordering::Relaxed) } else { self.limit };
        while !self.account.take(bytes, soft()) {
            if self.store.is_none() || !put_aside()? {
                // If nothing can be evicted, the memory up to the hard limit is used.
                if self.account.take(bytes, self.limit) {
                    break;
                }
                return Err(Halt::Memory);
            }
        }
        // The bytes just reserved are not allocated yet.
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if taken > (self.account.peak() / TOLD.0).max(TOLD.1) {
            self.taken.store(0, Ordering::Relaxed);
            self.give_back(taken);
        }
        Ok(())
    }

    pub fn write(&self, chunk: &Chunk) -> Result<Kept, Halt> {
        let write = |store: &dyn Store| -> io::Result<Kept> {
            let (number, mut writer) = store.create()?;
            match encode::write(chunk, writer.as_mut()) {
                Ok((stored, digest)) => Ok(Kept { number, stored, bytes: chunk.bytes(), digest }),
                Err(error) => {
                    drop(writer);
                    store.remove(number);
                    Err(error)
                }
            }
        };
        let kept =
            write(self.store.expect("chunks are evicted only if there is a store")).map_err(|error| {
                Halt::Store(format!("cannot store a chunk of the layer: {error}; free disk space"))
            })?;
        self.count_stored(kept);
        self.written.fetch_add(kept.stored, Ordering::Relaxed);
        Ok(kept)
    }

    pub fn read(&self, kept: Kept, words: usize) -> Result<Chunk, Halt> {
        let store = self.store.expect("stored chunks are in a store");
        store
            .open(kept.number)
            .and_then(|mut reader| decode::read(reader.as_mut(), words, kept.bytes, kept.digest))
            .map_err(|error| unreadable(kept, error))
    }

    pub fn copy(&self, kept: Kept, to: &mut Vec<u8>) -> Result<(), Halt> {
        let store = self.store.expect("stored chunks are in a store");
        let copied = store.open(kept.number).and_then(|mut reader| reader.read_to_end(to));
        let is_same = copied.map(|_| codec::digest_of(to) == Some(kept.digest));
        match is_same {
            Ok(true) => Ok(()),
            Ok(false) => Err(unreadable(kept, "it is damaged, or another chunk")),
            Err(error) => Err(unreadable(kept, error)),
        }
    }

    pub fn remove(&self, kept: Kept) {
        if let Some(store) = self.store {
            store.remove(kept.number);
            self.stored.fetch_sub(kept.stored, Ordering::Relaxed);
        }
    }
}

fn unreadable(kept: Kept, why: impl Display) -> Halt {
    Halt::Store(format!("cannot read stored chunk {} of the layer: {why}", kept.number))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::frontier::block::weights::Weights;
    use crate::frontier::layer::entry::Entry;
    use crate::frontier::layer::store::memory::Memory;

    fn chunk() -> Chunk {
        Chunk { entries: vec![Entry::new(1, 0); 3], weights: Weights::W32(vec![7; 3].into()), bits: 3 }
    }

    #[test]
    fn room_is_made_as_long_as_something_can_be_put_aside() {
        let store = Memory::default();
        let keeper = Keeper::new(100, Some(&store));
        let (give, never) = (|| Ok(true).inspect(|_| keeper.account().give(30)), || Ok(false));
        assert_eq!(keeper.room(90, &never), Ok(()));
        assert_eq!(keeper.room(60, &never), Err(Halt::Memory));
        assert_eq!(keeper.room(60, &give), Ok(()));
        assert_eq!(keeper.account().held(), 90);
    }

    #[test]
    fn without_a_store_nothing_is_put_aside() {
        let keeper = Keeper::new(100, None);
        assert_eq!(
            keeper.room(101, &|| unreachable!("without a store nothing is evicted")),
            Err(Halt::Memory)
        );
    }

    static TOLD_OF: Mutex<Vec<Wish>> = Mutex::new(Vec::new());

    #[test]
    fn the_allocator_is_told_what_the_process_may_take() {
        let mib = 1 << 20;
        let told = |keeper: Keeper, takes: &[u64]| {
            for &bytes in takes {
                assert_eq!(keeper.room(bytes, &|| Ok(false)), Ok(()));
                keeper.account().give(bytes);
            }
            std::mem::take(&mut *TOLD_OF.lock().unwrap())
        };
        let keeper = |ceiling| {
            let grant = |wish| {
                TOLD_OF.lock().unwrap().push(wish);
                None
            };
            Keeper::new(90 * mib, None).below(ceiling, Some(grant)).beside(10 * mib)
        };
        let needed = |peak: u64| Wish::Below(10 * mib + peak + (peak / GAPS.0).max(GAPS.1));
        // Small reservations do not trigger the allocator until they sum to a mebibyte; bytes just reserved
        // are not allocated yet.
        assert_eq!(told(keeper(None), &[1000, 40 * mib, 1000]), [needed(40 * mib)]);
        assert_eq!(told(keeper(Some(200 * mib)), &[40 * mib]), [needed(40 * mib)]);
        assert_eq!(told(keeper(Some(100 * mib)), &[70 * mib, 1000]), [Wish::Below(30 * mib)]);
        let small = told(keeper(None), &[mib / 2, mib / 2, mib / 2, mib / 2]);
        assert_eq!(small, [needed(mib / 2)]);
    }

    #[test]
    fn chunks_are_put_aside_where_gaps_between_them_take_their_room() {
        let mib = 1 << 20;
        // Fragmentation takes 30 MiB when chunks take 60 MiB.
        let store = Memory::default();
        let grant = |_| Some(110 << 20);
        let keeper = Keeper::new(90 * mib, Some(&store)).below(Some(100 * mib), Some(grant)).beside(10 * mib);
        assert_eq!(keeper.room(60 * mib, &|| Ok(false)), Ok(()));
        keeper.give_back(0);
        let is_asked = std::cell::Cell::new(false);
        let put_aside = || {
            is_asked.set(true);
            keeper.account().give(20 * mib);
            Ok(true)
        };
        assert_eq!(keeper.room(5 * mib, &put_aside), Ok(()));
        assert!(is_asked.get() && keeper.account().held() == 45 * mib);
        // If nothing can be evicted, the hard limit counts.
        assert_eq!(keeper.room(40 * mib, &|| Ok(false)), Ok(()));
        assert_eq!(keeper.room(10 * mib, &|| Ok(false)), Err(Halt::Memory));
    }

    #[test]
    fn what_is_written_comes_back_and_is_counted() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let kept = keeper.write(&chunk()).unwrap();
        assert_eq!(keeper.read(kept, 3).unwrap().weights, chunk().weights);
        assert_eq!(keeper.stored(), (kept.stored, kept.stored, kept.stored));
        keeper.remove(kept);
        assert_eq!(keeper.stored(), (0, kept.stored, kept.stored));
        assert!(store.items.lock().unwrap().is_empty());
    }

    #[test]
    fn a_failing_store_says_so_and_keeps_nothing() {
        let store = Memory::default();
        store.is_full.store(true, Ordering::Relaxed);
        let keeper = Keeper::new(1000, Some(&store));
        assert!(matches!(keeper.write(&chunk()), Err(Halt::Store(what)) if what.contains("full")));
        assert_eq!(keeper.stored(), (0, 0, 0));
    }

    #[test]
    fn another_item_is_not_taken_for_it() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store));
        let kept = keeper.write(&chunk()).unwrap();
        let other = keeper.write(&Chunk { bits: 4, ..chunk() }).unwrap();
        let mistaken = Kept { number: other.number, ..kept };
        assert!(keeper.read(mistaken, 3).is_err() && keeper.copy(mistaken, &mut Vec::new()).is_err());
    }
}
