//! Counting: requests, units and their sums, theorems, answers.

mod error;
mod request;
mod run;
mod sums;
pub mod theorems;
mod work;

pub use error::CountError;
pub use request::{Answer, Counts, Engine, Request, StartCount, directed};
pub use run::{count, run_units};
pub use sums::{EndSum, Sums, UnitSums};
pub use work::Work;
