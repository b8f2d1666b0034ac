//! Errors of counting: the reasons why a request has no count, and violated theorems.

use num_bigint::BigUint;

use super::ResidueError;
use super::job_spec::JobConflict;
use crate::board::{Board, LatticeBoard, RestrictionError};
use crate::budget::Refusal;
use crate::frontier;
use crate::search::bitboard_graph::MAX_SQUARES;
use crate::search::problem::ProblemError;
use crate::search::unit_runner::Stopped;
use crate::tour::TourSpecError;

/// The reason why a request has no count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The search problem is invalid.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Ends that no tour of the requested kind can have.
    #[error(transparent)]
    Tours(#[from] TourSpecError),
    /// The sweep failed.
    #[error(transparent)]
    Frontier(frontier::Error),
    /// A beginning that no tour can have.
    #[error(transparent)]
    Beginning(#[from] BeginningError),
    /// The job needs more time, memory or disk space than it may use.
    #[error("the job {}; use a smaller board", .0.shortage)]
    Refused(Box<Refusal>),
    /// Two choices that exclude each other.
    #[error(transparent)]
    Conflict(#[from] JobConflict),
    /// The request combines a modulus with open tours and forbidden moves.
    #[error("open tours with forbidden moves are not counted modulo a number; count paths or closed tours")]
    OpenResiduesWithForbiddenMoves,
    /// The frontier is too wide to compute an upper bound.
    #[error(
        "the frontier is too wide for an upper bound, so the necessary number of residues is unknown; use a \
         smaller board"
    )]
    NoUpperBound,
    /// There are not enough primes of this number of bits to determine the count.
    #[error("the bound of the count exceeds the product of all primes of {0} bits; use primes of more bits")]
    TooFewPrimes(u32),
    /// The residues contradict each other: no number has all of them.
    #[error("{board}: {cause}")]
    InconsistentResidues {
        /// Title of the board whose tours were counted.
        board: String,
        /// The contradiction, with the wrong residue if it can be identified.
        cause: ResidueError,
    },
    /// The request divides a sweep into zero shards.
    #[error("a sweep cannot be divided into 0 shards; use 1 or more")]
    ZeroShards,
    /// A saved state belongs to another job.
    #[error(
        "the saved state belongs to another job: it has {saved_units} units, and this job has {job_units}"
    )]
    ForeignState {
        /// Number of units in the saved state.
        saved_units: usize,
        /// Number of units in this job.
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
    /// Finding distinct tours requires the enumeration of too many tours; their number is an
    /// estimate.
    #[error(
        "finding distinct tours requires an enumeration of about {:.0e} tours, which are too many", .tours
    )]
    TooManyByEstimate {
        /// Estimated number of tours.
        tours: f64,
    },
    /// The symmetry has so many orbits that finding an order for a sweep of the quotient would take
    /// too long.
    #[error("the symmetry has {orbits} orbits of squares, and a sweep takes at most {max_orbits}")]
    TooManyOrbits {
        /// Number of orbits of squares under the symmetry.
        orbits: usize,
        /// Maximum number of orbits of squares for a sweep.
        max_orbits: usize,
    },
    /// A second count with the other engine is not possible: only one engine can count the
    /// symmetric tours in a reasonable time.
    #[error(
        "cannot check the number of symmetric tours: a second count with the other engine would take too long"
    )]
    NoSecondMethod,
    /// A second count is not possible: the tours were enumerated, and no other method finds
    /// distinct tours.
    #[error(
        "cannot check the number of distinct tours: it comes from an enumeration, and no other method is available"
    )]
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
        let is_box = board.lattice_board().is_some_and(LatticeBoard::is_box);
        let prefix = if is_box { "a box like " } else { "" };
        Self::UnnamedSymmetries(format!("{prefix}{}", board.title()))
    }

    /// Returns the error for a lost connection to the other ranks; `what` describes the loss.
    #[must_use]
    pub const fn connection_lost(what: String) -> Self {
        Self::Frontier(frontier::Error::NotConnected { message: what })
    }

    /// Returns true if the error is a limit of this method or machine, so that another method or a
    /// larger machine might succeed.
    #[must_use]
    pub const fn is_resource_limit(&self) -> bool {
        use frontier::Error::{Memory, TooWide};
        matches!(self, Self::Refused(_) | Self::Frontier(Memory { .. } | TooWide { .. }) | Self::Problem(_))
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

/// The error for a result that violates a theorem, so that the program or the machine must have
/// made an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: the result violates a theorem and is not printed: {0}; please report this")]
pub struct TheoremViolation(String);

impl TheoremViolation {
    /// Creates the error. `description` names the theorem and the numbers that violate it.
    #[must_use]
    pub const fn new(description: String) -> Self {
        Self(description)
    }
}

/// The reason why a sequence of squares is not the beginning of a tour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BeginningError {
    /// A beginning without squares.
    #[error("the beginning has no squares; give at least the first square of the tours")]
    Empty,
    /// A square that occurs twice. The field holds its name.
    #[error("the beginning visits {0} twice; give each square once")]
    Repeated(String),
    /// A beginning that visits all squares.
    #[error("the beginning visits all squares, so there is no next one; omit its last square")]
    Complete,
    /// A tree with too many paths.
    #[error("more than {max_paths} paths have up to {depth} more squares; use a smaller depth")]
    TooManyPaths {
        /// Number of squares after the beginning.
        depth: usize,
        /// Maximum number of paths of a tree.
        max_paths: usize,
    },
    /// A tree without paths, or with too long ones.
    #[error("depth {depth} is out of range; use 1 to {max_depth}")]
    Depth {
        /// Number of squares after the beginning.
        depth: usize,
        /// Maximum depth of a tree.
        max_depth: usize,
    },
    /// Moves that no tour can have.
    #[error("{0}; give moves that the tours may contain")]
    Restriction(#[from] RestrictionError),
}
