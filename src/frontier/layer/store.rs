//! Whoever keeps chunks outside memory.

use std::io::{self, Read, Write};

/// Keeps chunks outside memory, by number.
pub trait Store: Send + Sync {
    /// A new item to be written; it is complete once the writer was flushed without an error.
    ///
    /// # Errors
    /// What the medium says; no room, for example.
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)>;

    /// An item to be read.
    ///
    /// # Errors
    /// What the medium says.
    fn open(&self, number: u64) -> io::Result<Box<dyn Read>>;

    /// An item is not needed any more.
    fn remove(&self, number: u64);
}

/// A store for tests: items in memory, until it is full.
#[cfg(test)]
pub mod memory {
    use std::collections::HashMap;
    use std::io::Cursor;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;

    type Items = Arc<Mutex<HashMap<u64, Vec<u8>>>>;

    /// Keeps items by number.
    #[derive(Default)]
    pub struct Memory {
        /// What was written.
        pub items: Items,
        /// Whether nothing more can be written.
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

    impl Store for Memory {
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
