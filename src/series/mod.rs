//! Series of boards: a range of boards, one sweep for all of them where possible, and a row for each board as
//! soon as its counts are known.
//!
//! ```text
//! text -> BoardRange (one side varies, both sides, squares) -> BoardLine, with SeriesRules
//! BoardLine -> PlannedSeries -> SeriesRow
//!               |   ^
//!               v   |
//!              SavedSweeps, saved by a SweepSaver
//! PlannedSeries -> ResidueSweeps: the sweeps repeated for each modulus -> SeriesRow
//! ```
//!
//! [`Family`](crate::frontier::Family) sweeps one [`BoardLine`].

mod boards;
mod kept;
mod line;
mod play;
mod residues;
mod row;
mod sweep;
mod watched;

pub use boards::{BoardRange, BoardRangeError};
pub use kept::{SavedSweeps, SweepSaver};
pub use line::BoardLine;
pub use play::SeriesRules;
pub use residues::ResidueSweeps;
pub use row::SeriesRow;
pub use sweep::PlannedSeries;
