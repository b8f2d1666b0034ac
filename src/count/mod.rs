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

pub use bounds::Bounds;
pub use error::CountError;
pub use forecast::Forecast;
pub use found::{Found, Paths};
pub use ledger::{Ledger, Part, Sitting};
pub use question::Question;
pub use request::{Answer, Counts, Engine, Request, Residues, StartCount, directed};
pub use residues::{Misfit, ResidueSums};
pub use run::{count, count_within, run_units};
pub use sums::{EndSum, Sums, UnitSums};
pub use tally::Tally;
pub use watch::Watch;
pub use work::Work;
