//! Tours, and classes of tours that are alike.

use num_bigint::BigUint;

use crate::tour::SymmetryClass;

/// A number of tours, and of classes under the board's symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Tours, each counted once whatever its direction.
    pub tours: BigUint,
    /// Classes of tours.
    pub classes: BigUint,
}

/// All tours of a kind by class of symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The classes that the board's symmetries make possible, the least symmetric first.
    pub rows: Vec<(SymmetryClass, Numbers)>,
    /// All together.
    pub total: Numbers,
}
