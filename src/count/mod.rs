//! Counting: requests, runs of the engines, the reducer and the theorems.

mod request;
mod run;
mod tally;
pub mod theorems;

pub use request::{Answer, Counts, Engine, Request, StartCount, directed};
pub use run::{CountError, count};
pub use tally::Tally;
