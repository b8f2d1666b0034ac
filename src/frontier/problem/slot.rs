//! A [`Slot`] is a position in the signatures of a sweep: the digit of slot `s` is the degree of the vertex
//! that has it.

/// Number of a slot of the frontier.
pub type Slot = u8;

/// Maximum number of vertices on the frontier of any sweep.
pub const MAX_SLOTS: usize = 60;

/// Returns the bit of a slot in a set; all bits for slots from 64 on, which no sweep has.
#[must_use]
pub const fn slot_bit(slot: Slot) -> u64 {
    if slot < 64 { 1 << slot } else { u64::MAX }
}

/// Number of slots whose digits are inside a word of signatures; also the minimum number of slots.
pub const SLOTS_PER_WORD: usize = 4;
