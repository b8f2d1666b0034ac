//! Numbers of tours, and of their classes under the board's symmetries.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::count::CountError;
use crate::count::theorems::TheoremViolation;
use crate::tour::SymmetryClass;

/// A number of tours and the number of their classes under the board's symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassNumbers {
    /// Tours, each counted once regardless of direction.
    pub tours: BigUint,
    /// Classes of tours.
    pub classes: BigUint,
}

/// All tours of a kind by class of symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTable {
    /// Classes that the board's symmetries permit, the least symmetric first.
    pub rows: Vec<(SymmetryClass, ClassNumbers)>,
    /// Totals over all classes.
    pub total: ClassNumbers,
}

/// Divides a sum of tours in which each class is counted `by` times. `what` names the sum in the error.
///
/// # Errors
/// [`CountError::TheoremViolation`] if the sum is not divisible.
pub fn divide_exactly(sum: &BigUint, by: usize, what: &str) -> Result<BigUint, CountError> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    if remainder.is_zero() {
        Ok(quotient)
    } else {
        Err(TheoremViolation::new(format!("{what}: {sum} is not divisible by {by}")).into())
    }
}
