//! [`GroupOrder`] holds orders of groups that may exceed every integer type.

use std::fmt;

/// The order of a group: exact below 2^128, otherwise its magnitude only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupOrder {
    exact: Option<u128>,
    /// Decimal logarithm of the order.
    log10: f64,
}

impl GroupOrder {
    /// The order of the trivial group.
    pub(super) const ONE: Self = Self { exact: Some(1), log10: 0.0 };

    /// Returns the order multiplied by `factor`.
    pub(super) fn multiplied_by(self, factor: usize) -> Self {
        let exact = self.exact.and_then(|order| order.checked_mul(factor as u128));
        Self { exact, log10: self.log10 + (factor as f64).log10() }
    }

    /// Returns the exact order, if it is below 2^128.
    #[must_use]
    pub const fn exact(self) -> Option<u128> {
        self.exact
    }
}

impl From<usize> for GroupOrder {
    fn from(order: usize) -> Self {
        Self::ONE.multiplied_by(order)
    }
}

impl fmt::Display for GroupOrder {
    /// Writes the exact number, or the nearest power of ten: `about 10^30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact {
            Some(order) => write!(f, "{order}"),
            None => write!(f, "about 10^{:.0}", self.log10),
        }
    }
}
