//! Which tours are meant, and what a tour is.
//!
//! A *re-entrant* path is a closed tour without its last move; `open` leaves those out, `paths` has
//! them. On n squares there are n re-entrant paths for every closed tour, so open = paths - n x closed.
//!
//! ```text
//! Kind, what is asked for       closed     open       paths
//! TourKind, what a tour is      closed     open       open, re-entrant
//! ```
//!
//! A closed tour has at least three squares. A path on two squares has ends that are a move apart, but
//! there is no closed tour that it comes from: it is open. One square is an open tour, too.

use serde::{Deserialize, Serialize};

/// Which tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Hamiltonian cycles.
    Closed,
    /// Hamiltonian paths that are not re-entrant: their ends are not a move apart, or there are only two squares.
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

    /// What there are several of: `closed tours`.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Closed => "closed tours",
            Self::Open => "open tours",
            Self::Paths => "paths",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a tour is one of those that are meant.
    #[must_use]
    pub const fn has(self, tour: TourKind) -> bool {
        match self {
            Self::Closed => matches!(tour, TourKind::Closed),
            Self::Open => matches!(tour, TourKind::Open),
            Self::Paths => !matches!(tour, TourKind::Closed),
        }
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
    /// A path that is not re-entrant.
    Open,
    /// A path whose ends are a move apart, on three vertices or more.
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
        let had = |kind: Kind| TourKind::ALL.map(|tour| kind.has(tour));
        assert_eq!(Kind::ALL.map(had), [[true, false, false], [false, true, false], [false, true, true]]);
    }
}
