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
