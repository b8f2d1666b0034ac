//! Why an index has no answer.

use num_bigint::BigUint;

use crate::frontier::TrailError;
use crate::search::workers::Stopped;
use crate::tour::Kind;

/// Why an index has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The layers.
    #[error(transparent)]
    Trail(TrailError),
    /// The control was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number that no tour has.
    #[error("there is no tour {number}: {}", range(total))]
    Range {
        /// The number.
        number: BigUint,
        /// How many tours there are.
        total: BigUint,
    },
    /// There is nothing to draw from.
    #[error("there are no {} to draw from", what(*kind))]
    Nothing {
        /// Of which kind.
        kind: Kind,
    },
    /// Open tours are drawn, not numbered.
    #[error("open tours have no numbers: they are the paths that are not re-entrant, and paths have numbers")]
    Open,
    /// Nor are there statistics of some of them.
    #[error("there are exact statistics of all open tours, not of those with a fixed start or end")]
    OpenEnds,
    /// A closed tour ends nowhere.
    #[error("closed tours have no end")]
    ClosedEnd,
    /// A vertex that is none of the arena's.
    #[error("start and end are to be two vertices of the board")]
    Ends,
    /// A vertex that is both ends.
    #[error("a path cannot start and end on the same square, {vertex}")]
    SameEnds {
        /// Which.
        vertex: String,
    },
    /// The tour is of something else.
    #[error("the tour is {found}, not {wanted}")]
    Other {
        /// What it is.
        found: String,
        /// What has numbers.
        wanted: String,
    },
}

fn range(total: &BigUint) -> String {
    match total.to_string().as_str() {
        "0" => "there is none at all".to_owned(),
        "1" => "there is one, number 0".to_owned(),
        _ => format!("numbers go from 0 to {}", total - 1u32),
    }
}

const fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Closed => "closed tours",
        Kind::Open => "open tours",
        Kind::Paths => "paths",
    }
}

impl From<TrailError> for IndexError {
    fn from(error: TrailError) -> Self {
        match error {
            TrailError::Sweep(crate::frontier::Error::Stopped { .. }) => Self::Stopped(Stopped),
            error => Self::Trail(error),
        }
    }
}
