//! [`IndexError`], the error of an index of tours and of statistics.

use num_bigint::BigUint;

use crate::frontier::IndexLayersError;
use crate::search::unit_runner::Stopped;
use crate::tour::Kind;

/// The reason why an index or a statistic is unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// An error while layers of the index were built, read or written.
    #[error(transparent)]
    Layers(IndexLayersError),
    /// The caller cancelled the computation through its [`Control`](crate::Control).
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number that no tour has.
    #[error("there is no tour {number}; {}", range_text(total))]
    OutOfRange {
        /// The number that the caller requested.
        number: BigUint,
        /// Number of tours in the index.
        total: BigUint,
    },
    /// A sample of tours of which none exists.
    #[error("there are no {} to sample; use another board or kind", kind_plural(*kind))]
    NoTours {
        /// Kind of the tours that the sample needs.
        kind: Kind,
    },
    /// A request for numbers of open tours, which can be sampled but have no numbers.
    #[error("open tours have no numbers")]
    OpenTours,
    /// A request for statistics of open tours with a fixed start or end, which are not available.
    #[error("exact statistics of open tours are not available with a fixed start or end")]
    OpenWithFixedEnds,
    /// A request for statistics of open tours with required or forbidden moves, which are not available.
    #[error("exact statistics of open tours are not available with required or forbidden moves")]
    OpenWithRestrictions,
    /// A tour that the index does not contain.
    #[error("the tour is {actual}, not {expected}")]
    DifferentTour {
        /// Property of the tour that excludes it from the index.
        actual: String,
        /// The same property of the tours in the index.
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
