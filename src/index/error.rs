//! Errors of indexes and statistics.

use num_bigint::BigUint;

use crate::frontier::IndexLayersError;
use crate::search::parallel_units::Stopped;
use crate::tour::Kind;

/// The reason why an index or a statistic is unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The layers of the index failed.
    #[error(transparent)]
    Layers(IndexLayersError),
    /// The control was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// No tour has this number.
    #[error("there is no tour {number}; {}", range_text(total))]
    OutOfRange {
        /// Requested number.
        number: BigUint,
        /// Number of tours.
        total: BigUint,
    },
    /// There are no tours to sample.
    #[error("there are no {} to sample; use another board or kind", kind_plural(*kind))]
    NoTours {
        /// Kind of the tours.
        kind: Kind,
    },
    /// Open tours can be sampled but have no numbers.
    #[error("open tours have no numbers, but the paths that include them have")]
    OpenTours,
    /// Statistics of open tours with a fixed start or end are not available.
    #[error("exact statistics of open tours are not available with a fixed start or end")]
    OpenWithFixedEnds,
    /// Closed tours have no end.
    #[error("closed tours have no end")]
    ClosedEnd,
    /// The start or end is not a vertex of the board.
    #[error("the start or end is not on the board")]
    InvalidEnds,
    /// The start and the end are one vertex.
    #[error("a path cannot start and end on the same square, {vertex}")]
    SameEnds {
        /// Name of the vertex.
        vertex: String,
    },
    /// The index does not contain the tour.
    #[error("the tour is {actual}, not {expected}")]
    DifferentTour {
        /// Description of the tour.
        actual: String,
        /// Description of the tours in the index.
        expected: String,
    },
}

fn range_text(total: &BigUint) -> String {
    match total.to_string().as_str() {
        "0" => "the board has no tour".to_owned(),
        "1" => "the only number is 0".to_owned(),
        _ => format!("use a number from 0 to {}", total - 1u32),
    }
}

const fn kind_plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Closed => "closed tours",
        Kind::Open => "open tours",
        Kind::Paths => "paths",
    }
}

impl From<IndexLayersError> for IndexError {
    fn from(error: IndexLayersError) -> Self {
        match error {
            IndexLayersError::Sweep(crate::frontier::Error::Stopped { .. }) => Self::Stopped(Stopped),
            error => Self::Layers(error),
        }
    }
}
