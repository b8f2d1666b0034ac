//! Orders of groups, from one to beyond all that is counted with.

use std::fmt;

/// The order of a group, which may be far beyond any number that is counted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupOrder {
    exact: Option<u128>,
    /// Its decimal logarithm.
    log: f64,
}

impl GroupOrder {
    /// That of the trivial group.
    pub(super) const ONE: Self = Self { exact: Some(1), log: 0.0 };

    /// So many times that.
    pub(super) fn times(self, factor: usize) -> Self {
        let exact = self.exact.and_then(|order| order.checked_mul(factor as u128));
        Self { exact, log: self.log + (factor as f64).log10() }
    }

    /// The order, if it is below 2^128.
    #[must_use]
    pub const fn exact(self) -> Option<u128> {
        self.exact
    }
}

impl From<usize> for GroupOrder {
    fn from(order: usize) -> Self {
        Self::ONE.times(order)
    }
}

impl fmt::Display for GroupOrder {
    /// The number, or about 10 to which power it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact {
            Some(order) => write!(f, "{order}"),
            None => write!(f, "about 10^{:.0}", self.log),
        }
    }
}
