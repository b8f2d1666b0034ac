//! Tours, and classes of tours that are alike.

use num_bigint::BigUint;

/// A number of tours, and of classes under the board's symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Tours, each counted once whatever its direction.
    pub tours: BigUint,
    /// Classes of tours.
    pub classes: BigUint,
}
