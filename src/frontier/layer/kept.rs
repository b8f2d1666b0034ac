//! The name of a chunk in the store.

use serde::{Deserialize, Serialize};

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
