//! Symmetric tours, and tours up to symmetry.
//!
//! ```text
//! Setting -> Quotient -> Walks -> sweep | visit    tours that one symmetry keeps
//!                              -> unfold -> list   those tours themselves
//! Setting -> Census                                tours by all that keeps them, distinct tours
//! ```
//!
//! [`walks`] says which walks of the quotient are the symmetric tours, and why;
//! [`census`] what follows for classes of tours.

pub mod census;
mod fixed;
pub mod list;
mod named;
pub mod published;
pub mod quotient;
mod stabiliser;
mod sweep;
mod tiny;
mod unfold;
mod visit;
pub mod walks;

pub use census::{Census, Numbers, Table};
pub use fixed::Setting;
pub use named::Named;
pub use walks::Action;
