//! Numbers of tours, and numbers of their classes under the board's symmetries.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::count::CountError;
use crate::count::theorems::TheoremViolation;
use crate::tour::SymmetryClass;

/// A number of tours and the number of their classes under the board's symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassNumbers {
    /// Number of tours, each counted once regardless of direction.
    pub tours: BigUint,
    /// Number of classes of these tours.
    pub classes: BigUint,
}

/// Numbers of all tours of a kind, by class of symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTable {
    /// One row for each class of symmetry that the board permits, the least symmetric class first.
    pub rows: Vec<(SymmetryClass, ClassNumbers)>,
    /// Totals over all classes.
    pub total: ClassNumbers,
}

/// Returns `sum` divided by `by`, for a sum that counts every class `by` times. `what` names the
/// sum in the error.
///
/// # Errors
/// [`CountError::TheoremViolation`] if the sum is not divisible by `by`.
pub fn divide_exactly(sum: &BigUint, by: usize, what: &str) -> Result<BigUint, CountError> {
    let (quotient, remainder) = sum.div_rem(&BigUint::from(by));
    if remainder.is_zero() {
        Ok(quotient)
    } else {
        Err(TheoremViolation::new(format!("{what}: {sum} must be divisible by {by}")).into())
    }
}
