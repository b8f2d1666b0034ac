//! A ceiling for the bytes of chunks, and a store for what does not fit under it.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::control::{Allocator, Wish};
use crate::frontier::layer::account::Account;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::store::Store;
use crate::frontier::layer::{codec, decode, encode};

/// Holds chunks to a ceiling.
pub struct Keeper<'a> {
    account: Account,
    /// Bytes that chunks may take.
    limit: u64,
    store: Option<&'a dyn Store>,
    allocator: Option<Allocator>,
    stored: AtomicU64,
    stored_peak: AtomicU64,
    written: AtomicU64,
    /// Whether memory is scarce, so that what is freed is given back at once.
    is_tight: AtomicBool,
    /// Bytes taken since what was freed was last given back, where there is hardly any room.
    taken: AtomicU64,
}

/// Share of the limit from which on there is hardly any room, and the part of it that is taken before what was freed is
/// given back once more: what lies between chunks that are held is of no use to larger ones.
const HARDLY: (f64, f64) = (0.75, 0.125);

impl<'a> Keeper<'a> {
    /// A keeper of at most `limit` bytes in memory, and of the rest in the store if there is one. When memory
    /// becomes scarce, the allocator is told.
    #[must_use]
    pub fn new(limit: u64, store: Option<&'a dyn Store>, allocator: Option<Allocator>) -> Self {
        Self {
            account: Account::default(),
            limit,
            store,
            allocator,
            stored: AtomicU64::new(0),
            stored_peak: AtomicU64::new(0),
            written: AtomicU64::new(0),
            is_tight: AtomicBool::new(false),
            taken: AtomicU64::new(0),
        }
    }

    /// The bytes in memory.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// Bytes that chunks may take.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether there is a store.
    #[must_use]
    pub const fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// Whether memory is scarce.
    fn is_tight(&self) -> bool {
        self.is_tight.load(Ordering::Relaxed)
    }

    /// Gives what was freed back to the system, if memory is scarce.
    pub fn give_back(&self) {
        if self.is_tight() {
            self.wish(Wish::Trim);
        }
    }

    fn wish(&self, wish: Wish) {
        if let Some(grant) = self.allocator {
            grant(wish);
        }
    }

    /// Bytes in the store now, at most, and written to it in all.
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

    /// Takes room for `bytes` bytes. `put_aside` frees something, or says that there is nothing left to free.
    ///
    /// # Errors
    /// [`Halt::Memory`] if there is no room to be had, [`Halt::Store`] if the store fails.
    pub fn room(&self, bytes: u64, put_aside: &impl Fn() -> Result<bool, Halt>) -> Result<(), Halt> {
        if self.account.held() + bytes > self.limit / 2 && !self.is_tight.swap(true, Ordering::Relaxed) {
            self.wish(Wish::GiveBack);
        }
        while !self.account.take(bytes, self.limit) {
            if self.store.is_none() || !put_aside()? {
                return Err(Halt::Memory);
            }
        }
        let (full, part) = (self.limit as f64 * HARDLY.0, self.limit as f64 * HARDLY.1);
        if self.account.held() as f64 > full
            && (self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes) as f64 > part
        {
            self.taken.store(0, Ordering::Relaxed);
            self.wish(Wish::Trim);
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
            write(self.store.expect("chunks are put aside only if there is a store")).map_err(|error| {
                Halt::Store(format!("cannot store a part of the layer: {error}; free room on the disk"))
            })?;
        self.count_stored(kept);
        self.written.fetch_add(kept.stored, Ordering::Relaxed);
        Ok(kept)
    }

    pub fn read(&self, kept: Kept, words: usize) -> Result<Chunk, Halt> {
        let store = self.store.expect("only a store has put chunks aside");
        store
            .open(kept.number)
            .and_then(|mut reader| decode::read(reader.as_mut(), words, kept.bytes, kept.digest))
            .map_err(|error| unreadable(kept, error))
    }

    pub fn copy(&self, kept: Kept, to: &mut Vec<u8>) -> Result<(), Halt> {
        let store = self.store.expect("only a store has put chunks aside");
        let copied = store.open(kept.number).and_then(|mut reader| reader.read_to_end(to));
        let is_same = copied.map(|_| codec::digest_of(to) == Some(kept.digest));
        match is_same {
            Ok(true) => Ok(()),
            Ok(false) => Err(unreadable(kept, "it is damaged, or another")),
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
    Halt::Store(format!("cannot read stored part {} of the layer: {why}", kept.number))
}

#[cfg(test)]
mod tests {
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
        let keeper = Keeper::new(100, Some(&store), None);
        let (give, never) = (|| Ok(true).inspect(|_| keeper.account().give(30)), || Ok(false));
        assert_eq!(keeper.room(90, &never), Ok(()));
        assert_eq!(keeper.room(60, &never), Err(Halt::Memory));
        assert_eq!(keeper.room(60, &give), Ok(()));
        assert_eq!(keeper.account().held(), 90);
    }

    #[test]
    fn without_a_store_nothing_is_put_aside() {
        let keeper = Keeper::new(100, None, None);
        assert_eq!(keeper.room(101, &|| unreachable!("nowhere to put it")), Err(Halt::Memory));
    }

    #[test]
    fn what_is_written_comes_back_and_is_counted() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store), None);
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
        let keeper = Keeper::new(1000, Some(&store), None);
        assert!(matches!(keeper.write(&chunk()), Err(Halt::Store(what)) if what.contains("full")));
        assert_eq!(keeper.stored(), (0, 0, 0));
    }

    #[test]
    fn another_item_is_not_taken_for_it() {
        let store = Memory::default();
        let keeper = Keeper::new(1000, Some(&store), None);
        let kept = keeper.write(&chunk()).unwrap();
        let other = keeper.write(&Chunk { bits: 4, ..chunk() }).unwrap();
        let mistaken = Kept { number: other.number, ..kept };
        assert!(keeper.read(mistaken, 3).is_err() && keeper.copy(mistaken, &mut Vec::new()).is_err());
    }
}
