//! Storage of chunks outside memory: the trait of stores, and the name of a chunk in a store.

use std::io;
use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

/// Storage of chunks outside memory, as numbered items.
pub trait Store: Send + Sync {
    /// Creates an item, and returns its number and a writer for its bytes. The item is complete
    /// once the writer was flushed without an error.
    ///
    /// # Errors
    /// If the medium fails, for example if the disk is full.
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)>;

    /// Opens the item `number` for reading.
    ///
    /// # Errors
    /// If the medium fails.
    fn open(&self, number: u64) -> io::Result<Box<dyn Read>>;

    /// Removes the item `number`.
    fn remove(&self, number: u64);
}

/// An in-memory store for tests, whose writes can be made to fail.
#[cfg(test)]
pub mod memory {
    use std::collections::HashMap;
    use std::io::Cursor;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    type Items = Arc<Mutex<HashMap<u64, Vec<u8>>>>;

    /// A store of items in memory.
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

/// The name, sizes and digest of a chunk in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChunk {
    /// Number of the chunk's item in the store.
    pub number: u64,
    /// Number of bytes that the chunk takes in the store.
    pub stored: u64,
    /// Number of bytes that the chunk takes in memory.
    pub bytes: u64,
    /// XXH3-64 digest of the bytes written; an intact item with another digest is rejected.
    pub digest: u64,
}
