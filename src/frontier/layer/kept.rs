//! A [`StoredChunk`] names a chunk in the store.

use serde::{Deserialize, Serialize};

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
