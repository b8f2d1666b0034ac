//! Series: counts of all boards of a range, with one sweep for many boards where possible. The row of a board
//! is printed as soon as its counts are known.
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
//! [`SeriesSweep`](crate::frontier::SeriesSweep) sweeps one [`BoardLine`], the boards of one width.

mod board_range;
mod line_sweeps;
mod planned_series;
mod residue_sweeps;
mod row;
mod series_estimate;

pub use board_range::{BoardLine, BoardRange, BoardRangeError, SeriesPart, SeriesRules, may_have_tours};
pub use line_sweeps::{SavedSweeps, SweepSaver};
pub use planned_series::PlannedSeries;
pub use residue_sweeps::ResidueSweeps;
pub use row::SeriesRow;
pub use series_estimate::{SeriesEstimate, SeriesRefusal};
