//! Which tours are meant, and what a tour is.
//!
//! A *re-entrant* path has ends that are a move apart; `open` leaves those out, `paths` has them.
//! On n squares there are n re-entrant paths for every closed tour.
//!
//! ```text
//! Kind, what is asked for       closed     open       paths
//! TourKind, what a tour is      closed     open       open, re-entrant
//! ```

use serde::{Deserialize, Serialize};

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
    /// All three.
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

    /// What a tour of this kind is, if its ends are a move apart or not (on more than two vertices).
    #[must_use]
    pub const fn of_tour(self, ends_joined: bool) -> TourKind {
        match (self, ends_joined) {
            (Self::Closed, _) => TourKind::Closed,
            (_, true) => TourKind::ReEntrant,
            (_, false) => TourKind::Open,
        }
    }
}

/// What a tour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TourKind {
    /// A cycle.
    Closed,
    /// A path whose ends are not a move apart.
    Open,
    /// A path whose ends are a move apart.
    ReEntrant,
}

impl TourKind {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::ReEntrant];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::ReEntrant => "re-entrant",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_name() {
        assert!(Kind::ALL.iter().all(|&kind| Kind::from_name(kind.name()) == Some(kind)));
        assert_eq!(Kind::from_name("re-entrant"), None);
        assert_eq!(Kind::Paths.of_tour(true).name(), "re-entrant");
    }
}
