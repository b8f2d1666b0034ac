//! What is swept: the field, the cycles through the apex, the order, and the plan of slots.

pub mod cycles;
pub mod field;
pub mod order;
pub mod plan;
pub mod slot;
