//! Slots: the seats of the frontier.

/// A slot of the frontier.
pub type Slot = u8;

/// Most vertices that can be on the frontier at once.
pub const MOST_SLOTS: usize = 60;

/// Slots inside a word of signatures: a frontier has no fewer.
pub const INNER: usize = 4;
