//! Counting: requests, units and their sums, theorems, answers.

pub mod cost;
mod error;
pub mod published;
mod question;
mod request;
mod rest;
mod run;
mod series;
mod sums;
mod sweep;
pub mod symmetric;
pub mod theorems;
mod work;

pub use error::CountError;
pub use question::Question;
pub use request::{Answer, Counts, Engine, Request, StartCount, directed};
pub use rest::{Rest, Restless};
pub use run::{count, run_units};
pub use series::Series;
pub use sums::{EndSum, Sums, UnitSums};
pub use work::Work;
