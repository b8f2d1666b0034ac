//! Slots: the seats of the frontier.

/// A slot of the frontier.
pub type Slot = u8;

/// Most vertices that can be on the frontier at once.
pub const MOST_SLOTS: usize = 60;

/// The bit of a slot, or all of them for one that no sweep has.
#[must_use]
pub const fn seat(slot: Slot) -> u64 {
    if slot < 64 { 1 << slot } else { u64::MAX }
}

/// Slots inside a word of signatures: a frontier has no fewer.
pub const INNER: usize = 4;
