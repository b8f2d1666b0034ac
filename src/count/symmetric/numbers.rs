//! Tours, and classes of tours that are alike.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::count::CountError;
use crate::count::theorems::Broken;
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

/// A sum of tours divided by how often it counts each class.
///
/// # Errors
/// [`CountError::Broken`], which says `what` does not come out even.
pub fn divided(sum: &BigUint, by: usize, what: &str) -> Result<BigUint, CountError> {
    let (quotient, rest) = sum.div_rem(&BigUint::from(by));
    if rest.is_zero() {
        Ok(quotient)
    } else {
        Err(Broken::new(format!("{what}: {sum} is not divisible by {by}")).into())
    }
}
