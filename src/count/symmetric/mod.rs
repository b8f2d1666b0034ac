//! Symmetric tours, and tours up to symmetry.
//!
//! ```text
//! Setting -> Quotient -> Walks -> sweep | visit    tours that one symmetry keeps
//!                              -> unfold -> list   those tours themselves
//!         -> Rotation                              tours that a turn of any other order keeps
//! Setting -> Census                                tours by all that keeps them, distinct tours
//! ```
//!
//! Symmetries of a plain board have names, whatever the piece; those that a wrapped board has of it as well, and
//! those of boxes and graphs have none. There are distinct tours everywhere: by Burnside's lemma where the tours that
//! each symmetry keeps can be counted, which only quotients of more than 32 orbits prevent, and
//! by a look at every tour elsewhere ([`MOST_SEEN`]), as for classes of symmetry without names.
//!
//! [`walks`] says which walks of the quotient are the symmetric tours, and why;
//! [`census`] what follows for classes of tours.

pub mod census;
mod conjugates;
mod fixed;
pub mod list;
mod named;
mod numbers;
pub mod published;
pub mod quotient;
mod rotation;
mod seen;
mod stabiliser;
mod sweep;
mod tiny;
mod unfold;
mod visit;
pub mod walks;

pub use census::Census;
pub use fixed::Setting;
pub use named::Named;
pub use numbers::{Numbers, Table};
pub use seen::{Look, MOST_SEEN};
pub use walks::Action;
