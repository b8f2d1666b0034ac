//! Counting: requests, units and their sums, theorems, answers.
//!
//! ```text
//! Request -> Question -> Work: units -> Sums -> Found -> theorems -> Answer
//! ```
//!
//! A [`Request`] says what is to be counted on which [`Arena`](crate::board::Arena); a [`Question`] is one that can
//! be answered. [`Work`] cuts it into units for an engine. Their [`Sums`] can be added up in any order and on any
//! machine; [`Found`] says what they mean, and the question makes an [`Answer`] of it that obeys the
//! [`theorems`].

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
