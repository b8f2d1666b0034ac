//! [`TourSpec`], the tours that a job is about: a board or graph, the kind of tours, and the fixed ends.
//!
//! A search, a sweep, an index, a list and a count all take a `TourSpec`. Its constructors are the only
//! place that checks the ends, so every `TourSpec` is valid.

use super::{Kind, Tour, TourError, TourKind, TourShape};
use std::collections::BTreeSet;

use crate::board::{Board, Move, SymmetryGroup, Vertex};

/// All tours of one kind on one board or graph, with or without a fixed start and end. If the start or the
/// end is fixed, the tours are directed.
///
/// A closed tour may have a fixed start, which excludes no tour, because every closed tour visits every
/// vertex. It has no end.
///
/// ```
/// use ktour::board::Board;
/// use ktour::tour::{Kind, TourSpec, TourSpecError};
///
/// let board: Board = "5x6".parse()?;
/// let corner = board.vertex("a1")?;
/// let paths = TourSpec::new(board.clone(), Kind::Paths, Some(corner), None)?;
/// assert_eq!(paths.title(), "paths from a1 of board=5x6 piece=1,2 remove=-");
/// let closed = TourSpec::new(board, Kind::Closed, None, Some(corner));
/// assert_eq!(closed, Err(TourSpecError::ClosedEnd));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourSpec {
    board: Board,
    kind: Kind,
    start: Option<Vertex>,
    end: Option<Vertex>,
}

/// A move because of which a tour does not keep to the restrictions of its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRestriction {
    /// A required move that the tour does not contain.
    Missing(Move),
    /// A forbidden move that the tour contains.
    Forbidden(Move),
}

/// The reason why the ends of tours are impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TourSpecError {
    /// A fixed start or end that is not a vertex.
    #[error("the graph has no vertex {vertex}; {}", vertex_range(*.len))]
    NoVertex {
        /// The start or end that is not a vertex.
        vertex: Vertex,
        /// Number of vertices of the graph.
        len: usize,
    },
    /// A fixed start and a fixed end of a path on the same square.
    #[error("a tour cannot start and end on the same square, {0}")]
    SameEnds(String),
    /// A fixed end of a closed tour.
    #[error("a closed tour has no end to fix")]
    ClosedEnd,
}

fn vertex_range(len: usize) -> String {
    match len {
        0 => "it has no vertices at all".to_owned(),
        1 => "the only vertex is 0".to_owned(),
        _ => format!("use a vertex from 0 to {}", len - 1),
    }
}

impl TourSpec {
    /// Returns all tours of a kind, without fixed ends.
    #[must_use]
    pub fn all(board: Board, kind: Kind) -> Self {
        Self { board, kind, start: None, end: None }
    }

    /// Returns all tours of a kind from `start` to `end`, where these are given.
    ///
    /// # Errors
    /// An end is not a vertex of the board, both ends are the same vertex of a board of several vertices, or
    /// a closed tour has an end.
    pub fn new(
        board: Board,
        kind: Kind,
        start: Option<Vertex>,
        end: Option<Vertex>,
    ) -> Result<Self, TourSpecError> {
        Self::all(board, kind).with_ends(start, end)
    }

    /// Returns the tours of the same kind and board with these ends instead.
    ///
    /// # Errors
    /// As for [`TourSpec::new`].
    pub fn with_ends(self, start: Option<Vertex>, end: Option<Vertex>) -> Result<Self, TourSpecError> {
        let len = self.board.len();
        if let Some(vertex) = start.into_iter().chain(end).find(|&v| v as usize >= len) {
            return Err(TourSpecError::NoVertex { vertex, len });
        }
        match (start, end) {
            (Some(v), Some(w)) if v == w && len > 1 => Err(TourSpecError::SameEnds(self.board.name(v))),
            (_, Some(_)) if self.kind == Kind::Closed => Err(TourSpecError::ClosedEnd),
            _ => Ok(Self { start, end, ..self }),
        }
    }

    /// Returns the tours of another kind on the same board with the same ends.
    ///
    /// # Errors
    /// [`TourSpecError::ClosedEnd`] for closed tours if the end is fixed.
    pub fn with_kind(&self, kind: Kind) -> Result<Self, TourSpecError> {
        Self::new(self.board.clone(), kind, self.start, self.end)
    }

    /// Returns the board or graph of the tours.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the kind of the tours.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the first vertex of every tour, if it is fixed.
    #[must_use]
    pub const fn start(&self) -> Option<Vertex> {
        self.start
    }

    /// Returns the last vertex of every tour, if it is fixed.
    #[must_use]
    pub const fn end(&self) -> Option<Vertex> {
        self.end
    }

    /// Returns true if a tour and its reverse count as two tours, because the start or the end is fixed.
    #[must_use]
    pub const fn is_directed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Returns the rule by which vertex sequences are readings of the same tour. A path with a fixed start or
    /// end has one reading; a closed tour from a fixed start can be read in both directions.
    #[must_use]
    pub const fn shape(&self) -> TourShape {
        match self.kind.shape() {
            TourShape::Path if self.is_directed() => TourShape::Directed,
            shape => shape,
        }
    }

    /// Returns the known symmetries of the board that fix the start and the end. They define the tours that
    /// count as equivalent.
    #[must_use]
    pub fn symmetries(&self) -> SymmetryGroup {
        let fixes = |image: &[Vertex], v: Option<Vertex>| v.is_none_or(|v| image[v as usize] == v);
        self.board.symmetries().stabiliser(|image| fixes(image, self.start) && fixes(image, self.end))
    }

    /// Returns the kind of the tour that visits the vertices of `sequence` in order.
    #[must_use]
    pub fn kind_of(&self, sequence: &[Vertex]) -> TourKind {
        match *sequence {
            _ if self.kind == Kind::Closed => TourKind::Closed,
            [first, _, .., last] if self.board.joins_ends(first, last) => TourKind::ReEntrant,
            _ => TourKind::Open,
        }
    }

    /// Returns the first required move that `tour` lacks, or the first forbidden move that it has; `None` if it
    /// keeps to the restrictions of the board.
    #[must_use]
    pub fn broken_restriction(&self, tour: &Tour) -> Option<BrokenRestriction> {
        if !self.board.is_restricted() {
            return None;
        }
        let vertices = tour.vertices();
        let closing = match vertices {
            &[first, _, .., last] if tour.kind() == TourKind::Closed => Some((last, first)),
            _ => None,
        };
        let own: BTreeSet<Move> = vertices
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .chain(closing)
            .map(|(v, w)| (v.min(w), v.max(w)))
            .collect();
        let missing = self.board.required_moves().iter().find(|one| !own.contains(one));
        let forbidden = self.board.forbidden_moves().iter().find(|one| own.contains(one));
        missing
            .map(|&one| BrokenRestriction::Missing(one))
            .or_else(|| forbidden.map(|&one| BrokenRestriction::Forbidden(one)))
    }

    /// Checks a vertex sequence, and creates the tour that visits the vertices in order: a closed tour if these
    /// tours are closed, otherwise a path. Does not compare the ends.
    ///
    /// # Errors
    /// As for [`Tour::new`] or [`Tour::new_closed`].
    pub fn checked_tour(&self, sequence: Vec<Vertex>) -> Result<Tour, TourError> {
        match self.kind {
            Kind::Closed => Tour::new_closed(&self.board, sequence),
            Kind::Open | Kind::Paths => Tour::new(&self.board, sequence),
        }
    }

    /// Returns a title of the tours, such as `paths from a1 of` and the text form of the board. Open tours
    /// have the title of the paths that contain them.
    #[must_use]
    pub fn title(&self) -> String {
        let end = |word: &str, v: Option<Vertex>| {
            v.map_or(String::new(), |v| format!(" {word} {}", self.board.name(v)))
        };
        let tours = match (self.kind, self.start) {
            (Kind::Closed, None) => "closed tours",
            (Kind::Closed, Some(_)) => "directed closed tours",
            _ => "paths",
        };
        format!("{tours}{}{} of {}", end("from", self.start), end("to", self.end), self.board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small_board() -> Board {
        "3x4".parse().unwrap()
    }

    #[test]
    fn new_rejects_impossible_ends() {
        let new = |kind, start, end| TourSpec::new(small_board(), kind, start, end).map(|_| ());
        assert_eq!(new(Kind::Paths, Some(12), None), Err(TourSpecError::NoVertex { vertex: 12, len: 12 }));
        assert_eq!(new(Kind::Open, None, Some(99)), Err(TourSpecError::NoVertex { vertex: 99, len: 12 }));
        assert_eq!(new(Kind::Paths, Some(0), Some(0)), Err(TourSpecError::SameEnds("a1".to_owned())));
        assert_eq!(new(Kind::Closed, Some(0), Some(0)), Err(TourSpecError::SameEnds("a1".to_owned())));
        assert_eq!(new(Kind::Closed, Some(0), Some(9)), Err(TourSpecError::ClosedEnd));
        assert_eq!(new(Kind::Closed, Some(0), None), Ok(()));
        assert_eq!(new(Kind::Open, Some(0), Some(9)), Ok(()));
    }

    #[test]
    fn single_square_is_start_and_end() {
        let board: Board = "1x1".parse().unwrap();
        assert!(TourSpec::new(board, Kind::Paths, Some(0), Some(0)).is_ok());
    }

    #[test]
    fn with_kind_checks_ends_again() {
        let to = TourSpec::new(small_board(), Kind::Paths, None, Some(3)).unwrap();
        assert_eq!(to.with_kind(Kind::Closed), Err(TourSpecError::ClosedEnd));
        assert_eq!(to.with_kind(Kind::Open).unwrap().end(), Some(3));
    }

    #[test]
    fn symmetries_fix_the_ends() {
        let orders = [(None, 4), (Some(0), 1)].map(|(start, order)| {
            (TourSpec::new(small_board(), Kind::Paths, start, None).unwrap().symmetries().order(), order)
        });
        assert!(orders.iter().all(|(found, expected)| found == expected), "{orders:?}");
    }
}
