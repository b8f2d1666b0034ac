//! Where the chunks of a layer are: in memory, in the store, or both.
//!
//! A [`Keeper`] watches the ceiling. When room is wanted that is not there,
//! chunks are *put aside*: written to the store, unless they are there already,
//! and freed. They come back when they are asked for.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::control::{Allocator, Wish};
use crate::frontier::layer::chunk::{Account, Chunk};
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::store::{self, Store};

/// A chunk in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its number there.
    pub number: u64,
    /// Bytes there.
    pub stored: u64,
    /// Bytes in memory.
    pub bytes: u64,
    /// Digest of what was written: another item, whole as it may be, is not taken for it.
    pub digest: u64,
}

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
}

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

    /// Gives what was freed back to the system, if memory is scarce.
    pub fn give_back(&self) {
        if self.is_tight.load(Ordering::Relaxed) {
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
        Ok(())
    }

    fn write(&self, chunk: &Chunk) -> Result<Kept, Halt> {
        let write = |store: &dyn Store| -> io::Result<Kept> {
            let (number, mut writer) = store.create()?;
            match store::write(chunk, writer.as_mut()) {
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

    fn read(&self, kept: Kept, words: usize) -> Result<Chunk, Halt> {
        let store = self.store.expect("only a store has put chunks aside");
        store
            .open(kept.number)
            .and_then(|mut reader| store::read(reader.as_mut(), words, kept.digest))
            .map_err(|error| unreadable(kept, error))
    }

    fn copy(&self, kept: Kept, to: &mut Vec<u8>) -> Result<(), Halt> {
        let store = self.store.expect("only a store has put chunks aside");
        let copied = store.open(kept.number).and_then(|mut reader| reader.read_to_end(to));
        let is_same = copied.map(|_| store::digest_of(to) == Some(kept.digest));
        match is_same {
            Ok(true) => Ok(()),
            Ok(false) => Err(unreadable(kept, "it is damaged, or another")),
            Err(error) => Err(unreadable(kept, error)),
        }
    }

    fn remove(&self, kept: Kept) {
        if let Some(store) = self.store {
            store.remove(kept.number);
            self.stored.fetch_sub(kept.stored, Ordering::Relaxed);
        }
    }
}

fn unreadable(kept: Kept, why: impl Display) -> Halt {
    Halt::Store(format!("cannot read stored part {} of the layer: {why}", kept.number))
}

/// Where a chunk is.
#[derive(Debug, Default)]
enum Place {
    #[default]
    Nowhere,
    Here(Arc<Chunk>, Option<Kept>),
    Away(Kept),
}

/// The chunks of a layer, by number.
#[derive(Debug)]
pub struct Shelf {
    places: Vec<Mutex<Place>>,
    /// Words in a chunk.
    words: usize,
}

impl Shelf {
    /// An empty shelf for `chunks` chunks of `words` words.
    #[must_use]
    pub fn new(chunks: usize, words: usize) -> Self {
        Self { places: (0..chunks).map(|_| Mutex::default()).collect(), words }
    }

    fn lock(&self, number: usize) -> MutexGuard<'_, Place> {
        self.places[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words in a chunk.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.words
    }

    /// Takes in a chunk whose bytes are accounted for.
    pub fn put(&self, number: usize, chunk: Chunk) {
        *self.lock(number) = Place::Here(Arc::new(chunk), None);
    }

    /// Takes in a chunk that is in the store.
    pub fn put_kept(&self, number: usize, kept: Kept) {
        *self.lock(number) = Place::Away(kept);
    }

    /// The chunk, fetched from the store if need be.
    ///
    /// # Errors
    /// No room, or the store fails.
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
                // What was written with room to spare comes back without.
                let (accounted, bytes) = (kept.bytes, chunk.bytes());
                keeper.account.give(accounted.saturating_sub(bytes));
                let chunk = Arc::new(chunk);
                *place = Place::Here(Arc::clone(&chunk), Some(kept));
                Ok(Some(chunk))
            }
            Err(halt) => {
                keeper.account.give(kept.bytes);
                Err(halt)
            }
        }
    }

    /// The chunk itself, off the shelf; its bytes stay accounted for, its copy in the store is removed.
    ///
    /// # Errors
    /// No room, or the store fails.
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
        Ok(Some(Arc::into_inner(chunk).expect("nobody else holds a chunk between steps")))
    }

    /// Frees the memory of a chunk that nobody uses; `false` if there is none to be freed.
    ///
    /// # Errors
    /// The store fails.
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
        keeper.account.give(bytes);
        Ok(true)
    }

    /// Writes the chunk to the store, if it is not there, and keeps it in memory if it is there.
    ///
    /// # Errors
    /// The store fails.
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

    /// Appends the chunk as the bytes that [`store::read`] reads.
    ///
    /// # Errors
    /// The store fails.
    pub fn pack(&self, number: usize, keeper: &Keeper, bytes: &mut Vec<u8>) -> Result<(), Halt> {
        match &*self.lock(number) {
            Place::Nowhere => {}
            Place::Here(chunk, _) => {
                store::write(chunk, bytes).expect("memory takes what is written");
            }
            // What was stored is checked by whoever reads it.
            Place::Away(kept) => keeper.copy(*kept, bytes)?,
        }
        Ok(())
    }

    /// Frees a chunk for good.
    pub fn remove(&self, number: usize, keeper: &Keeper) {
        match std::mem::take(&mut *self.lock(number)) {
            Place::Nowhere => {}
            Place::Away(kept) => keeper.remove(kept),
            Place::Here(chunk, kept) => {
                keeper.account.give(chunk.bytes());
                if let Some(kept) = kept {
                    keeper.remove(kept);
                }
            }
        }
    }

    /// Numbers of the chunks that are there, with their bytes in memory.
    #[must_use]
    pub fn sizes(&self) -> Vec<(usize, u64)> {
        let size = |n: usize| match &*self.lock(n) {
            Place::Nowhere => None,
            Place::Here(chunk, _) => Some((n, chunk.bytes())),
            Place::Away(kept) => Some((n, kept.bytes)),
        };
        (0..self.places.len()).filter_map(size).collect()
    }

    /// Numbers of the chunks that are there.
    #[must_use]
    pub fn numbers(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|&n| !matches!(*self.lock(n), Place::Nowhere)).collect()
    }
}
