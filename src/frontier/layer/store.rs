//! Storage of chunks outside memory.
//!
//! A [`StoredChunk`] names a chunk in the store.

use std::io;
use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

/// Storage of chunks outside memory, by number.
pub trait Store: Send + Sync {
    /// Creates an item to be written. It is complete once the writer was flushed without an error.
    ///
    /// # Errors
    /// If the medium fails, for example if the disk is full.
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)>;

    /// Opens an item for reading.
    ///
    /// # Errors
    /// If the medium fails.
    fn open(&self, number: u64) -> io::Result<Box<dyn Read>>;

    /// Removes an item.
    fn remove(&self, number: u64);
}

/// An in-memory store for tests that can be full.
#[cfg(test)]
pub mod memory {
    use std::collections::HashMap;
    use std::io::Cursor;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    type Items = Arc<Mutex<HashMap<u64, Vec<u8>>>>;

    /// Store of items in memory.
    #[derive(Default)]
    pub struct MemoryStore {
        /// Bytes of the items, by number.
        pub items: Items,
        /// True if writes must fail.
        pub is_full: AtomicBool,
        next: AtomicU64,
    }

    struct Item {
        number: u64,
        items: Items,
        is_full: bool,
    }

    impl Write for Item {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.is_full {
                return Err(io::Error::other("full"));
            }
            self.items.lock().unwrap().entry(self.number).or_default().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Store for MemoryStore {
        fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let is_full = self.is_full.load(Ordering::Relaxed);
            Ok((number, Box::new(Item { number, items: Arc::clone(&self.items), is_full })))
        }

        fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
            let items = self.items.lock().unwrap();
            let bytes = items.get(&number).ok_or(io::ErrorKind::NotFound)?;
            Ok(Box::new(Cursor::new(bytes.clone())))
        }

        fn remove(&self, number: u64) {
            self.items.lock().unwrap().remove(&number);
        }
    }
}

/// A chunk in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChunk {
    /// Number of the item in the store.
    pub number: u64,
    /// Bytes in the store.
    pub stored: u64,
    /// Bytes in memory.
    pub bytes: u64,
    /// XXH3-64 digest of the bytes written; an intact item with another digest is rejected.
    pub digest: u64,
}
