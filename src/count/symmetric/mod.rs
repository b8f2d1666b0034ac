//! Symmetric tours, and tours up to symmetry.
//!
//! ```text
//! SymmetricContext -> Quotient -> Walks -> sweep | search    number of tours fixed by one symmetry
//!                                       -> lift -> list      those tours themselves
//!                  -> CyclicLift                             tours fixed by a rotation of any other order
//! SymmetricContext -> ClassCounter                           tours by stabiliser, distinct tours
//! ```
//!
//! Symmetries of a plain board have names, for every piece. On a wrapped board, the symmetries that the plain
//! board also has keep their names; symmetries of boxes and graphs have none. Distinct tours can be counted
//! on every board: by Burnside's lemma if the tours fixed by each symmetry can be counted, which only
//! quotients of more than 32 orbits prevent; otherwise by enumerating all tours ([`MAX_ENUMERATED_TOURS`]).
//! Classes of symmetry without names require the enumeration as well.
//!
//! [`Walks`](quotient::Walks) describes which walks of the quotient are the symmetric tours, and why;
//! [`ClassCounter`] derives the classes of tours.

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

pub use census::ClassCounter;
pub use fixed::SymmetricContext;
pub use named::NamedSymmetry;
pub use numbers::{ClassNumbers, ClassTable};
pub use seen::{EnumerationEstimate, MAX_ENUMERATED_TOURS};
pub use walks::Action;
