//! Counting: requests, units of work and their sums, theorems, answers.
//!
//! ```text
//! Request -> ValidatedRequest -> WorkPlan: units -> Sums -> EngineResult -> theorems -> Answer
//! ```
//!
//! A [`Request`] names the tours to count and their [`Board`](crate::board::Board). A [`ValidatedRequest`]
//! has been checked and has an engine. A [`WorkPlan`] divides it into units for that engine. The [`Sums`] of
//! the units can be added in any order and on any machine. An [`EngineResult`] interprets the sums; the
//! validated request turns it into an [`Answer`] that obeys the [`theorems`].

mod bounds;
mod broken;
pub mod cost;
pub mod double;
mod error;
mod forecast;
mod found;
mod ledger;
pub mod published;
mod question;
mod request;
mod residues;
mod room;
mod run;
mod sums;
mod sweep;
pub mod symmetric;
mod tally;
pub mod theorems;
mod watch;
mod work;

pub use bounds::UpperBounds;
pub use error::CountError;
pub use forecast::JobEstimate;
pub use found::{EngineResult, PathCounts};
pub use ledger::{RunObserver, SweepSession, UnitProgress};
pub use question::ValidatedRequest;
pub use request::{Answer, Counts, Engine, ModularCounts, Request, StartCount, directed_count};
pub use residues::{ResidueError, ResidueSums};
pub use run::{count, count_with_memory, run_units};
pub use sums::{EndOrbitCount, Sums, UnitSums};
pub use tally::Effort;
pub use watch::SweepProgress;
pub use work::WorkPlan;
