//! Counting: requests, units and their sums, theorems, answers.

pub mod cost;
pub mod double;
mod error;
mod ledger;
pub mod published;
mod question;
mod request;
mod run;
mod series;
mod sums;
mod sweep;
pub mod symmetric;
pub mod theorems;
mod watch;
mod work;

pub use error::CountError;
pub use ledger::{Ledger, Part, Sitting};
pub use question::Question;
pub use request::{Answer, Counts, Engine, Request, StartCount, directed};
pub use run::{count, count_within, run_units};
pub use series::Series;
pub use sums::{EndSum, Sums, UnitSums};
pub use watch::Watch;
pub use work::Work;
