//! The counting algorithms.

/// A counting algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Engine {
    /// The engine with the smallest estimated time
    #[default]
    Auto,
    /// Backtracking: extends one path move by move
    Backtrack,
    /// Multipath search: chooses edges, extending all partial paths at once
    Multipath,
    /// Dynamic programming over a frontier: counts all tours at once
    Frontier,
}

impl Engine {
    /// Returns the name used in options and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Backtrack => "backtrack",
            Self::Multipath => "multipath",
            Self::Frontier => "frontier",
        }
    }

    /// Returns the engine with the given name, or `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Auto, Self::Backtrack, Self::Multipath, Self::Frontier].into_iter().find(|e| e.name() == name)
    }
}
