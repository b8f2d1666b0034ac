//! Errors of indexes and statistics.

use num_bigint::BigUint;

use crate::frontier::TrailError;
use crate::search::workers::Stopped;
use crate::tour::Kind;

/// The reason why an index or a statistic is unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The layers of the index failed.
    #[error(transparent)]
    Trail(TrailError),
    /// The control was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// No tour has this number.
    #[error("there is no tour {number}; {}", range(total))]
    Range {
        /// Requested number.
        number: BigUint,
        /// Number of tours.
        total: BigUint,
    },
    /// There are no tours to sample.
    #[error("there are no {} to sample; use another board or kind", what(*kind))]
    Nothing {
        /// Kind of the tours.
        kind: Kind,
    },
    /// Open tours can be sampled but have no numbers.
    #[error("open tours have no numbers, but the paths that include them have")]
    Open,
    /// Statistics of open tours with a fixed start or end are not available.
    #[error("exact statistics of open tours are not available with a fixed start or end")]
    OpenEnds,
    /// Closed tours have no end.
    #[error("closed tours have no end")]
    ClosedEnd,
    /// The start or end is not a vertex of the board.
    #[error("the start or end is not on the board")]
    Ends,
    /// The start and the end are one vertex.
    #[error("a path cannot start and end on the same square, {vertex}")]
    SameEnds {
        /// Name of the vertex.
        vertex: String,
    },
    /// The index does not contain the tour.
    #[error("the tour is {found}, not {wanted}")]
    Other {
        /// Description of the tour.
        found: String,
        /// Description of the tours in the index.
        wanted: String,
    },
}

fn range(total: &BigUint) -> String {
    match total.to_string().as_str() {
        "0" => "the board has no tour".to_owned(),
        "1" => "the only number is 0".to_owned(),
        _ => format!("use a number from 0 to {}", total - 1u32),
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
