//! Counting: requests, units of work and their sums, theorems, answers.
//!
//! ```text
//! Request -> ValidatedRequest -> WorkPlan: units -> Sums -> theorems -> Answer
//! ```
//!
//! A [`Request`] names the tours to count and their [`Board`](crate::board::Board). A [`ValidatedRequest`]
//! has been checked and has an engine. A [`WorkPlan`] divides it into units for that engine. The [`Sums`] of
//! the units can be added in any order and on any machine. The validated request turns them into an [`Answer`]
//! that obeys the [`theorems`].

// Hidden modules serve the program and the Python module.
#[doc(hidden)]
pub mod admission;
mod division;
mod end_pairs;
mod engine;
#[doc(hidden)]
pub mod engine_cost;
mod error;
mod job_estimate;
pub mod job_spec;
mod next_moves;
#[doc(hidden)]
pub mod oeis_terms;
mod partial_sums;
#[doc(hidden)]
pub mod published_counts;
mod request;
mod run_observer;
mod search_estimate;
#[doc(hidden)]
pub mod second_count;
mod several_counts;
mod sweep_units;
pub mod symmetric;
pub mod theorems;
mod tour_tree;
mod upper_bounds;
mod validated_request;
mod work_plan;

pub use end_pairs::{EndPairCount, EndPairCounts};
pub use engine::Engine;
pub use error::{BeginningError, CountError};
pub use job_estimate::JobEstimate;
pub use next_moves::NextMoves;
pub use partial_sums::{Effort, EndOrbitCount, ResidueError, ResidueSums, Sums, UnitSums};
pub use request::{Answer, Counts, ModularCounts, Request, StartCount, directed_count};
pub use run_observer::{
    RunObserver, SavingObserver, SnapshotSaver, SweepProgress, SweepSession, UnitProgress,
};
pub use search_estimate::SearchEstimate;
pub use tour_tree::TourTree;
pub use upper_bounds::UpperBounds;
pub use validated_request::ValidatedRequest;
pub use work_plan::{WorkPlan, count, count_sums, count_with_memory, run_units};
