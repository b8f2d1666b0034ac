//! [`Kind`], the kinds of tours that a user can request, and [`TourKind`], the kind of one tour.
//!
//! A *re-entrant* path is a closed tour without its last move. The kind `open` excludes re-entrant
//! paths, the kind `paths` includes them. On n squares every closed tour gives n re-entrant paths,
//! so the number of open tours is that of paths minus n times that of closed tours.
//!
//! ```text
//! Kind, a request               closed     open       paths
//! TourKind, a property          closed     open       open, re-entrant
//! ```
//!
//! A closed tour has at least three squares. The ends of a path on two squares are a move apart, but no
//! closed tour contains that path, so the path is open. A single square is an open tour, too.

use serde::{Deserialize, Serialize};

use super::symmetry_form::TourShape;

/// Kind of tours that a user requests, for example to count, list or find them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum Kind {
    /// Tours that return to their first square
    ///
    /// These are Hamiltonian cycles.
    Closed,
    /// Tours whose ends are not a move apart
    ///
    /// These are Hamiltonian paths that are not re-entrant, or have at most two squares.
    Open,
    /// All tours that need not return, re-entrant ones included
    ///
    /// These are all Hamiltonian paths.
    Paths,
}

impl Kind {
    /// All three values.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::Paths];

    /// Returns the name of the kind as it is written in options and files, such as `closed`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::Paths => "paths",
        }
    }

    /// Returns the requested kinds: `kind`, or all kinds if it is `None`.
    pub fn requested(kind: Option<Self>) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |&one| kind.is_none_or(|kind| kind == one))
    }

    /// Returns the plural noun for messages, such as `closed tours`.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Closed => "closed tours",
            Self::Open => "open tours",
            Self::Paths => "paths",
        }
    }

    /// Returns the kind with this name, or `None` if there is no such kind.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns true if a tour of kind `tour` belongs to this kind.
    #[must_use]
    pub const fn includes(self, tour: TourKind) -> bool {
        match self {
            Self::Closed => matches!(tour, TourKind::Closed),
            Self::Open => matches!(tour, TourKind::Open),
            Self::Paths => !matches!(tour, TourKind::Closed),
        }
    }

    /// Returns the rule by which vertex sequences are readings of the same tour of this kind.
    #[must_use]
    pub const fn shape(self) -> TourShape {
        match self {
            Self::Closed => TourShape::Closed,
            Self::Open | Self::Paths => TourShape::Path,
        }
    }

    /// Returns the kind of one tour that belongs to this requested kind and has more than two
    /// vertices. `ends_joined` is true if the ends of the tour are a move apart.
    #[must_use]
    pub const fn tour_kind(self, ends_joined: bool) -> TourKind {
        match (self, ends_joined) {
            (Self::Closed, _) => TourKind::Closed,
            (_, true) => TourKind::ReEntrant,
            (_, false) => TourKind::Open,
        }
    }
}

/// Kind of one tour, found by inspection of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TourKind {
    /// A closed tour: a Hamiltonian cycle.
    Closed,
    /// An open tour: a path that is not re-entrant.
    Open,
    /// A re-entrant path: a path on at least three vertices whose ends are a move apart.
    ReEntrant,
}

impl TourKind {
    /// All three values.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::ReEntrant];

    /// Returns the name of the kind as it is written in files, such as `re-entrant`.
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
    fn kind_names_round_trip() {
        assert!(Kind::ALL.iter().all(|&kind| Kind::from_name(kind.name()) == Some(kind)));
        assert_eq!(Kind::from_name("re-entrant"), None);
        assert_eq!(Kind::Paths.tour_kind(true).name(), "re-entrant");
        let had = |kind: Kind| TourKind::ALL.map(|tour| kind.includes(tour));
        assert_eq!(Kind::ALL.map(had), [[true, false, false], [false, true, false], [false, true, true]]);
    }
}
