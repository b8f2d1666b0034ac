//! Why there is no count.

use num_bigint::BigUint;

use crate::board::Arena;
use crate::memory::in_words;
use crate::search::problem::ProblemError;
use crate::search::width::MAX_SQUARES;
use crate::search::workers::Stopped;

use super::Misfit;
use super::theorems::Broken;
use crate::frontier;

/// Why there is no count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The problem cannot be searched.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The sweep cannot be made.
    #[error(transparent)]
    Frontier(frontier::Error),
    /// The sweep is expected not to fit.
    #[error("the sweep needs about {}, and the ceiling is {}", in_words(*.needed), in_words(*.ceiling))]
    TooMuchMemory {
        /// Bytes, by estimate.
        needed: u64,
        /// Bytes allowed.
        ceiling: u64,
    },
    /// What does not fit into memory is expected not to fit on the disk either.
    #[error(
        "the sweep needs about {} beside the memory, and the disk has {}", in_words(*.needed), in_words(*.room)
    )]
    TooMuchDisk {
        /// Bytes, by estimate.
        needed: u64,
        /// Bytes free.
        room: u64,
    },
    /// Searches, and numbers of symmetric tours or by start, are not counted modulo a number.
    #[error("residues come from sweeps for totals alone: engine frontier, no counts by start")]
    NoResidues,
    /// The frontier is too wide for a bound.
    #[error("there is no bound that tells how many residues are enough: the frontier is too wide")]
    NoBound,
    /// Residues that are not of one number.
    #[error("{board}: {misfit}")]
    Misfit {
        /// The board that they are of.
        board: String,
        /// Which, if that is known.
        misfit: Misfit,
    },
    /// A sweep cut into no parts counts nothing.
    #[error("a sweep is cut into at least one part, not 0")]
    NoParts,
    /// A state that was saved by another job.
    #[error("the state to go on with is that of another job: {found} units, and this one has {units}")]
    OtherState {
        /// Units of the state.
        found: usize,
        /// Units of the job.
        units: usize,
    },
    /// The system starts no more threads.
    #[error("no thread can be started: {0}")]
    NoThread(String),
    /// Several symmetries at once can only be told by looking at each tour.
    #[error(
        "{0} symmetric tours would have to be looked at one by one to tell which have several symmetries"
    )]
    TooManySymmetric(BigUint),
    /// No symmetry of the arena has a name.
    #[error("the symmetries of {0} have no names")]
    NoNames(String),
    /// Tours would have to be looked at one by one.
    #[error("{0} tours would have to be looked at one by one to tell which are alike")]
    TooManyToSee(BigUint),
    /// Tours would have to be looked at one by one on more squares than a search takes.
    #[error(
        "{0}, and tours that are alike would have to be told by a look at each, on at most {MAX_SQUARES}"
    )]
    TooLargeToSee(String),
    /// Tours would have to be looked at one by one, and are expected to be too many.
    #[error("about {:.0e} tours would have to be looked at one by one to tell which are alike", .tours)]
    TooManyByEstimate {
        /// Their number, by estimate.
        tours: f64,
    },
    /// Finding an order for a sweep of the quotient would take too long.
    #[error("the symmetry leaves {orbits} orbits of squares, a sweep takes at most {most}")]
    TooManyOrbits {
        /// Orbits of squares under the symmetry.
        orbits: usize,
        /// Orbits allowed.
        most: usize,
    },
    /// Only one of the engines can count the symmetric tours in a reasonable time.
    #[error("the other engine would take too long to count the symmetric tours")]
    NoSecondWay,
    /// Tours are looked at one by one, and nothing else tells which are alike.
    #[error("tours are looked at one by one, and there is no other way to tell which are alike")]
    OnlyByLook,
    /// The run was stopped before its end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The result cannot be right.
    #[error(transparent)]
    Broken(#[from] Broken),
}

impl CountError {
    /// No symmetry of an arena has a name.
    pub(super) fn no_names(arena: &Arena) -> Self {
        let like = if arena.cuboid().is_some() { "a box such as " } else { "" };
        Self::NoNames(format!("{like}{}", arena.title()))
    }

    /// The connection to the other ranks is lost.
    #[must_use]
    pub const fn lost(what: String) -> Self {
        Self::Frontier(frontier::Error::Unconnected { what })
    }

    /// Whether another way, or a larger machine, may do what this one could not.
    #[must_use]
    pub const fn is_out_of_reach(&self) -> bool {
        use frontier::Error::{Memory, Width};
        matches!(
            self,
            Self::TooMuchMemory { .. }
                | Self::TooMuchDisk { .. }
                | Self::Frontier(Memory { .. } | Width { .. })
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
