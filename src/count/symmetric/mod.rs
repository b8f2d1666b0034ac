//! Symmetric tours, and tours up to symmetry.
//!
//! ```text
//! Setting -> Quotient -> Walks -> sweep | visit -> tours kept by one symmetry
//!                                               -> Classes: tours by what keeps them, distinct tours
//!                          list: the tours themselves
//! ```
//!
//! [`walks`] says which walks of the quotient are the symmetric tours, and why;
//! [`classes`] what follows for classes of tours.

pub mod fixed;
pub mod quotient;
mod sweep;
mod tiny;
pub mod visit;
pub mod walks;

pub use fixed::Setting;
pub use walks::Action;
