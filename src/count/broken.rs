//! A result that cannot be right.

/// A theorem that a result breaks: there is a fault in the program or the machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result breaks a theorem and is withheld: {0}")]
pub struct Broken(String);

impl Broken {
    /// A broken theorem, in words.
    #[must_use]
    pub const fn new(what: String) -> Self {
        Self(what)
    }
}
