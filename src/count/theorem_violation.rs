//! A result that cannot be right.

/// A violated theorem: the program or the machine made an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result violates a theorem and is not printed: {0}")]
pub struct TheoremViolation(String);

impl TheoremViolation {
    /// Creates a violation from a description of the theorem and the numbers that violate it.
    #[must_use]
    pub const fn new(description: String) -> Self {
        Self(description)
    }
}
