//! Families of boards: one range, one sweep where that can be, and a row for each board as soon as it is known.
//!
//! ```text
//! text -> Boards (a side running, both, squares) -> Line by Line, with its Play -> Planned -> Row by Row
//!                                                                                 |   ^
//!                                                                                 v   |
//!                                                                             Swept, kept by a Rest
//! Planned -> FromResidues: the same sweeps for each modulus -> Row by Row
//! ```
//!
//! A line is also what [`Family`](crate::frontier::Family) sweeps.

mod boards;
mod kept;
mod line;
mod play;
mod residues;
mod row;
mod sweep;
mod watched;

pub use boards::{Boards, BoardsError};
pub use kept::{Rest, Swept};
pub use line::Line;
pub use play::Play;
pub use residues::FromResidues;
pub use row::Row;
pub use sweep::Planned;
