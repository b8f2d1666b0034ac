//! Families of boards: one range, one sweep where that can be, and a row for each board as soon as it is known.
//!
//! ```text
//! text -> Boards (a side running, both, squares) -> Line by Line, with its Play -> Planned -> Row by Row
//!                                                                                 |   ^
//!                                                                                 v   |
//!                                                                             Swept, kept by a Rest
//! ```
//!
//! A line is also what [`Family`](crate::frontier::Family) sweeps.

mod boards;
mod kept;
mod line;
mod play;
mod row;
mod sweep;

pub use boards::{Boards, BoardsError};
pub use kept::{Rest, Swept};
pub use line::Line;
pub use play::Play;
pub use row::Row;
pub use sweep::Planned;
