//! Errors of counting.
//!
//! A result that cannot be right.

use num_bigint::BigUint;

use super::ResidueError;
use crate::board::Board;
use crate::frontier;
use crate::memory::format_bytes;
use crate::search::bitboard_graph::MAX_SQUARES;
use crate::search::parallel_units::Stopped;
use crate::search::problem::ProblemError;

/// The reason why a request has no count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The search problem is invalid.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The sweep failed.
    #[error(transparent)]
    Frontier(frontier::Error),
    /// The sweep is estimated to exceed the memory limit.
    #[error(
        "the sweep needs about {} of memory, and the limit is {}", format_bytes(*.needed), format_bytes(*.ceiling)
    )]
    TooMuchMemory {
        /// Estimated bytes of memory.
        needed: u64,
        /// Memory limit in bytes.
        ceiling: u64,
    },
    /// The part of the sweep that exceeds the memory limit is estimated to exceed the free disk space.
    #[error(
        "the sweep needs about {} on disk in addition to its memory, and {} are free",
        format_bytes(*.needed),
        format_bytes(*.available)
    )]
    TooMuchDisk {
        /// Estimated bytes on disk.
        needed: u64,
        /// Free bytes on disk.
        available: u64,
    },
    /// Searches, and numbers of symmetric tours or by start square, have no counts modulo a number.
    #[error(
        "only sweeps count modulo a number, and only totals; use the engine frontier, without counts by start"
    )]
    ModulusNeedsSweep,
    /// The frontier is too wide to compute an upper bound.
    #[error(
        "the frontier is too wide for an upper bound, so the necessary number of residues is unknown; use a \
         smaller board"
    )]
    NoUpperBound,
    /// Residues that do not belong to one number.
    #[error("{board}: {cause}")]
    InconsistentResidues {
        /// The board of the residues.
        board: String,
        /// The wrong residue, if it can be identified.
        cause: ResidueError,
    },
    /// A sweep was to be divided into zero shards.
    #[error("a sweep cannot be divided into 0 shards; use 1 or more")]
    ZeroShards,
    /// A saved state belongs to another job.
    #[error(
        "the saved state belongs to another job: it has {saved_units} units, and this job has {job_units}"
    )]
    ForeignState {
        /// Units of the saved state.
        saved_units: usize,
        /// Units of the job.
        job_units: usize,
    },
    /// The system cannot start another thread.
    #[error("cannot start a thread: {0}")]
    ThreadStart(String),
    /// Finding the tours with several symmetries requires the enumeration of too many symmetric tours.
    #[error(
        "finding the tours with several symmetries requires an enumeration of {0} symmetric tours, which are \
         too many"
    )]
    TooManySymmetric(BigUint),
    /// The symmetries of the board have no names.
    #[error("the symmetries of {0} have no names")]
    UnnamedSymmetries(String),
    /// Finding distinct tours requires the enumeration of too many tours.
    #[error("finding distinct tours requires an enumeration of {0} tours, which are too many")]
    TooManyTours(BigUint),
    /// Finding distinct tours requires a search, and the board has too many squares for one.
    #[error(
        "{0}, and finding distinct tours requires an enumeration of all tours, possible on at most \
         {MAX_SQUARES} squares"
    )]
    TooLargeToEnumerate(String),
    /// Finding distinct tours requires the enumeration of too many tours, by estimate.
    #[error(
        "finding distinct tours requires an enumeration of about {:.0e} tours, which are too many", .tours
    )]
    TooManyByEstimate {
        /// Estimated number of tours.
        tours: f64,
    },
    /// Finding an order for a sweep of the quotient would take too long.
    #[error("the symmetry has {orbits} orbits of squares, and a sweep takes at most {max_orbits}")]
    TooManyOrbits {
        /// Orbits of squares under the symmetry.
        orbits: usize,
        /// Maximum number of orbits.
        max_orbits: usize,
    },
    /// Only one engine can count the symmetric tours in a reasonable time.
    #[error("the other engine would take too long to count the symmetric tours")]
    NoSecondMethod,
    /// The tours were enumerated, and no other method finds distinct tours.
    #[error("the distinct tours were found by an enumeration, and no other method is available")]
    OnlyByEnumeration,
    /// The run was stopped before its end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The result violates a theorem.
    #[error(transparent)]
    TheoremViolation(#[from] TheoremViolation),
}

impl CountError {
    /// Returns the error for a board whose symmetries have no names.
    pub(super) fn unnamed_symmetries(board: &Board) -> Self {
        let prefix = if board.box_board().is_some() { "a box like " } else { "" };
        Self::UnnamedSymmetries(format!("{prefix}{}", board.title()))
    }

    /// Returns the error for a lost connection to the other ranks.
    #[must_use]
    pub const fn connection_lost(what: String) -> Self {
        Self::Frontier(frontier::Error::NotConnected { message: what })
    }

    /// Returns true if another method or a larger machine might succeed.
    #[must_use]
    pub const fn is_resource_limit(&self) -> bool {
        use frontier::Error::{Memory, TooWide};
        matches!(
            self,
            Self::TooMuchMemory { .. }
                | Self::TooMuchDisk { .. }
                | Self::Frontier(Memory { .. } | TooWide { .. })
                | Self::Problem(_)
        )
    }
}

impl From<frontier::Error> for CountError {
    fn from(error: frontier::Error) -> Self {
        match error {
            frontier::Error::Stopped { .. } => Self::Stopped(Stopped),
            error => Self::Frontier(error),
        }
    }
}

/// A violated theorem: the program or the machine made an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result violates a theorem and is not printed: {0}")]
pub struct TheoremViolation(String);

impl TheoremViolation {
    /// Creates a violation from a description of the theorem and the numbers that violate it.
    #[must_use]
    pub const fn new(description: String) -> Self {
        Self(description)
    }
}
