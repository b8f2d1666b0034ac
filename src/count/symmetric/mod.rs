//! Counts and lists of symmetric tours, and counts of tours up to symmetry.
//!
//! ```text
//! SymmetricContext -> Quotient -> Walks -> sweep | search    number of tours fixed by one symmetry
//!                                       -> lift -> list      those tours themselves
//!                  -> CyclicLift                             tours fixed by a rotation of any other order
//! DistinctPlan     -> ClassCounter                             distinct tours of every requested kind
//! SymmetryPlan     -> ClassCounter                             tours with a named symmetry, of every kind
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

mod brute_force;
pub mod class_counts;
mod cyclic_lift;
mod distinct_counts;
mod exhaustive_classes;
mod fixed_points;
mod named_symmetry;
pub mod quotient;
mod quotient_walks;
mod saved_parts;
mod subgroups;
pub mod symmetric_tours;
mod symmetry_plan;
pub use class_counts::ClassCounter;
pub use distinct_counts::{DistinctCounts, DistinctEstimate, DistinctPlan, SymmetricPart, UpToSymmetry};
pub use exhaustive_classes::{ClassNumbers, ClassTable, EnumerationEstimate, MAX_ENUMERATED_TOURS};
pub use fixed_points::SymmetricContext;
pub use named_symmetry::NamedSymmetry;
pub use saved_parts::PartSaver;
pub use symmetry_plan::SymmetryPlan;
