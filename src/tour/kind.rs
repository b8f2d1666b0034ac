//! Which tours are meant: closed ones, open ones, or all paths.
//!
//! A *re-entrant* path has ends that are a move apart; `open` leaves those out, `paths` has them.
//! On n squares there are n re-entrant paths for every closed tour.

/// Which tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Hamiltonian cycles.
    Closed,
    /// Hamiltonian paths whose ends are not a move apart.
    Open,
    /// All Hamiltonian paths.
    Paths,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::Paths];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::Paths => "paths",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
