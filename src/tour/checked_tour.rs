//! [`Tour`], a vertex sequence that has been checked; [`TourError`], the error of a sequence that
//! is not a tour, with the names of the vertices; and the set of visited vertices that the check
//! uses.
//!
//! ```
//! use ktour::board::{Board, Graph};
//! use ktour::tour::{Tour, TourKind};
//!
//! let board: Board = "3x4".parse()?;
//! let tour = Tour::from_names(&board, "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2".split(' '))?;
//! assert_eq!((tour.kind(), tour.vertices()[0], tour.names().nth(1).unwrap()), (TourKind::Open, 8, "c2".into()));
//!
//! let ring = Board::from_graph(Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]));
//! assert_eq!(Tour::new_closed(&ring, vec![1, 2, 3, 0])?.kind(), TourKind::Closed);
//! assert_eq!(Tour::new(&ring, vec![0, 2]).unwrap_err().to_string(), "move 1, 1 to 3, is not a move of the graph");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::fmt;

use super::TourKind;
use super::vertex_positions::{NoLayout, VertexPositions};
use crate::board::{Board, LeaperBoard, Piece, Square};

/// A tour of a board: a sequence that visits every vertex once and in which consecutive vertices
/// are a move apart. In a closed tour the last vertex is also a move apart from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tour {
    board: Board,
    vertices: Vec<u32>,
    kind: TourKind,
}

impl Tour {
    /// Checks that a vertex sequence is a path through all vertices, and creates the tour. Its kind
    /// is [`TourKind::ReEntrant`] if it has more than two vertices and its ends are a move apart,
    /// otherwise [`TourKind::Open`]. The board of the tour has no restrictions, even if `board` has some.
    /// Cost O(vertices).
    ///
    /// # Errors
    /// Describes the first fault in the order of the sequence.
    pub fn new(board: &Board, vertices: Vec<u32>) -> Result<Self, TourError> {
        let board = board.unrestricted();
        let mut checker = SequenceChecker::new(board, vertices.len());
        let checked = vertices.iter().try_for_each(|&v| checker.push(v, None));
        checked.map_err(|wrong| TourError::new(board.clone(), wrong))?;
        Self::from_checked_sequence(board, vertices, &checker)
    }

    /// Returns the tour that visits `vertices`, which `checker` has checked, or an error if the
    /// sequence misses a vertex.
    fn from_checked_sequence(
        board: &Board,
        vertices: Vec<u32>,
        checker: &SequenceChecker<'_>,
    ) -> Result<Self, TourError> {
        if let Some(missing) = checker.visited.first_unvisited(board.len()) {
            return Err(TourError::new(
                board.clone(),
                TourErrorKind::Incomplete { visited: vertices.len(), missing },
            ));
        }
        let kind = match vertices[..] {
            [first, _, .., last] if board.is_move(first, last) => TourKind::ReEntrant,
            _ => TourKind::Open,
        };
        Ok(Self { board: board.clone(), vertices, kind })
    }

    /// Checks that a vertex sequence is a closed tour, and creates the tour.
    ///
    /// # Errors
    /// The errors of [`Tour::new`], and [`TourErrorKind::NotClosed`].
    pub fn new_closed(board: &Board, vertices: Vec<u32>) -> Result<Self, TourError> {
        Self::new(board, vertices)?.into_closed()
    }

    /// Returns the closed tour that this path becomes if a move leads from its last vertex to its
    /// first.
    ///
    /// # Errors
    /// [`TourErrorKind::NotClosed`] if the ends are not a move apart.
    pub fn into_closed(self) -> Result<Self, TourError> {
        let wrong = match (self.kind, self.vertices.first(), self.vertices.last()) {
            (TourKind::Closed | TourKind::ReEntrant, ..) => {
                return Ok(Self { kind: TourKind::Closed, ..self });
            }
            (TourKind::Open, Some(&start), Some(&end)) => TourErrorKind::NotClosed { start, end },
            (TourKind::Open, ..) => TourErrorKind::EmptyBoard,
        };
        Err(TourError::new(self.board, wrong))
    }

    /// Checks a sequence of squares of a rectangle, and creates the path that visits them.
    ///
    /// # Errors
    /// The errors of [`Tour::new`], and [`TourErrorKind::UnknownVertex`].
    ///
    /// # Panics
    /// If the board is not a rectangle.
    pub fn from_squares(board: &Board, squares: impl IntoIterator<Item = Square>) -> Result<Self, TourError> {
        let board = board.unrestricted();
        let rectangle =
            board.leaper_board().map(LeaperBoard::rectangle).expect("from_squares requires a rectangle");
        let vertex = |square| match rectangle.index(square) {
            Some(v) => Ok((v, Some(square))),
            None => Err(square.to_string()),
        };
        Self::from_visits(board, squares.into_iter().map(vertex))
    }

    /// Checks a sequence of vertex names, and creates the path that visits these vertices.
    ///
    /// # Errors
    /// The errors of [`Tour::new`], and [`TourErrorKind::UnknownVertex`].
    pub fn from_names<'a>(
        board: &Board,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, TourError> {
        Self::from_lookups(
            board,
            names.into_iter().map(|name| board.vertex(name).map_err(|_| name.to_owned())),
        )
    }

    /// Checks a sequence of vertices that were looked up by name or square, and creates the path
    /// that visits them. An item is the vertex, or the name that was not found; the check stops at
    /// the first such name.
    pub(super) fn from_lookups(
        board: &Board,
        lookups: impl Iterator<Item = Result<u32, String>>,
    ) -> Result<Self, TourError> {
        Self::from_visits(board.unrestricted(), lookups.map(|v| Ok((v?, None))))
    }

    /// Checks a sequence of vertices, each with its square if it is known, or of names that were not found.
    fn from_visits(
        board: &Board,
        visits: impl Iterator<Item = Result<(u32, Option<Square>), String>>,
    ) -> Result<Self, TourError> {
        let expected = visits.size_hint().0;
        let (mut vertices, mut checker) =
            (Vec::with_capacity(expected), SequenceChecker::new(board, expected));
        for visit in visits {
            let checked = match visit {
                Ok((v, square)) => checker.push(v, square).map(|()| vertices.push(v)),
                Err(name) => Err(TourErrorKind::UnknownVertex { position: vertices.len() + 1, name }),
            };
            checked.map_err(|wrong| TourError::new(board.clone(), wrong))?;
        }
        Self::from_checked_sequence(board, vertices, &checker)
    }

    /// Creates the tour that visits a sequence of vertices which a search has found. Only debug
    /// builds check the sequence.
    pub(crate) fn from_search(board: &Board, vertices: Vec<u32>, kind: TourKind) -> Self {
        let tour = Self { board: board.unrestricted().clone(), vertices, kind };
        if cfg!(debug_assertions) {
            let closed = kind == TourKind::Closed;
            let make = if closed { Self::new_closed } else { Self::new };
            assert_eq!(make(board, tour.vertices.clone()).as_ref(), Ok(&tour), "a search returns only tours");
        }
        tour
    }

    /// Returns the board of the tour.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the vertices of the tour in order of visit.
    #[must_use]
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Consumes the tour and returns its vertices in order of visit.
    #[must_use]
    pub fn into_vertices(self) -> Vec<u32> {
        self.vertices
    }

    /// Returns the names of the vertices in order of visit.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.vertices.iter().map(|&v| self.board.name(v))
    }

    /// Returns the positions of the vertices in the layout of the board, in order of visit.
    ///
    /// # Errors
    /// [`NoLayout`] if the vertices of the board have no positions.
    pub fn squares(&self) -> Result<Vec<Square>, NoLayout> {
        let positions = VertexPositions::of_board(&self.board)?;
        Ok(self.vertices.iter().map(|&v| positions.position(v)).collect())
    }

    /// Returns the kind of the tour: closed, re-entrant (a path that could be closed) or open.
    #[must_use]
    pub const fn kind(&self) -> TourKind {
        self.kind
    }
}

/// Check of a vertex sequence, one vertex at a time.
struct SequenceChecker<'a> {
    board: &'a Board,
    rectangle: Option<&'a LeaperBoard>,
    visited: VisitedSet,
    /// Number of vertices checked so far.
    len: usize,
    /// Last vertex of the sequence so far and, on a rectangle, its square, so that each square is
    /// computed only once.
    last: Option<(u32, Square)>,
}

impl<'a> SequenceChecker<'a> {
    /// Creates the check of a sequence of about `expected` vertices.
    fn new(board: &'a Board, expected: usize) -> Self {
        let visits = VisitedSet::new(board.len(), expected);
        Self { board, rectangle: board.leaper_board(), visited: visits, len: 0, last: None }
    }

    /// Checks that the vertex `v` may follow the sequence, and appends it. On a rectangle, `square` is the square of
    /// `v` if it is known.
    fn push(&mut self, v: u32, square: Option<Square>) -> Result<(), TourErrorKind> {
        let vertices = self.board.len();
        if v as usize >= vertices {
            return Err(TourErrorKind::UnknownVertex {
                position: self.len + 1,
                name: format!("number {v} of {vertices}"),
            });
        }
        let compute_square = || self.rectangle.map(|rectangle| rectangle.rectangle().square(v));
        let at = square.or_else(compute_square).unwrap_or(Square::new(0, 0));
        self.len += 1;
        if let Some(before) = self.visited.insert(v, self.len) {
            return Err(TourErrorKind::Repeated { position: self.len, first_position: before, vertex: v });
        }
        if let Some((from, square)) = self.last {
            let is_move = match self.rectangle {
                Some(rectangle) => rectangle.leaper().can_move(square, at),
                None => self.board.is_move(from, v),
            };
            if !is_move {
                return Err(TourErrorKind::IllegalMove { move_number: self.len - 1, from, to: v });
            }
        }
        self.last = Some((v, at));
        Ok(())
    }
}

/// The visited vertices, each with the number of its visit, from 1. A short sequence on a huge
/// board takes only memory in proportion to the sequence.
pub(super) enum VisitedSet {
    Dense(Vec<u32>),
    Sparse(HashMap<u32, usize>),
}

impl VisitedSet {
    /// Creates an empty set for about `expected` visits on a board of `vertices` vertices.
    pub(super) fn new(vertices: usize, expected: usize) -> Self {
        if vertices > expected.saturating_mul(8).max(1 << 16) {
            return Self::Sparse(HashMap::new());
        }
        Self::Dense(vec![0; vertices])
    }

    /// Records that visit number `number` is to `vertex`. Returns the number of the previous visit
    /// to this vertex, if there was one.
    pub(super) fn insert(&mut self, vertex: u32, number: usize) -> Option<usize> {
        match self {
            Self::Dense(numbers) => {
                // A sequence without repeats has fewer than 2^32 visits.
                let before = std::mem::replace(&mut numbers[vertex as usize], number as u32);
                (before != 0).then_some(before as usize)
            }
            Self::Sparse(numbers) => numbers.insert(vertex, number),
        }
    }

    /// Returns the lowest of the vertices `0..vertices` that has not been visited; `None` if all
    /// have been visited.
    pub(super) fn first_unvisited(&self, vertices: usize) -> Option<u32> {
        match self {
            Self::Dense(numbers) => numbers.iter().position(|&number| number == 0).map(|v| v as u32),
            // Fewer vertices are visited than exist, so the search ends soon.
            Self::Sparse(numbers) => (0..vertices as u32).find(|v| !numbers.contains_key(v)),
        }
    }
}

/// Error for a vertex sequence that is not a tour of its board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourError {
    board: Board,
    kind: TourErrorKind,
}

/// The fault of a vertex sequence that is not a tour. Positions and moves are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TourErrorKind {
    /// A vertex that the board does not have.
    UnknownVertex {
        /// Position of the name in the sequence.
        position: usize,
        /// Name that no vertex of the board has.
        name: String,
    },
    /// A vertex visited twice.
    Repeated {
        /// Position of the second visit.
        position: usize,
        /// Position of the first visit.
        first_position: usize,
        /// The vertex that is visited twice.
        vertex: u32,
    },
    /// Two consecutive vertices that are not a move apart.
    IllegalMove {
        /// Number of the move.
        move_number: usize,
        /// Vertex at which the move starts.
        from: u32,
        /// Vertex at which the move ends.
        to: u32,
    },
    /// A sequence that does not visit all vertices.
    Incomplete {
        /// Number of vertices that the sequence visits.
        visited: usize,
        /// Lowest vertex that the sequence does not visit.
        missing: u32,
    },
    /// A sequence that should be a closed tour, but whose ends are not a move apart.
    NotClosed {
        /// First vertex of the sequence.
        start: u32,
        /// Last vertex of the sequence.
        end: u32,
    },
    /// A sequence that should be a closed tour, on a board without vertices.
    EmptyBoard,
}

impl TourErrorKind {
    /// Returns the index, from 0, of the vertex in the sequence to which the fault refers.
    pub(super) const fn index(&self) -> Option<usize> {
        match *self {
            Self::UnknownVertex { position, .. } | Self::Repeated { position, .. } => Some(position - 1),
            Self::IllegalMove { move_number, .. } => Some(move_number),
            _ => None,
        }
    }
}

impl TourError {
    pub(super) const fn new(board: Board, wrong: TourErrorKind) -> Self {
        Self { board, kind: wrong }
    }

    /// Returns the board on which the sequence was checked.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the fault of the sequence.
    #[must_use]
    pub const fn kind(&self) -> &TourErrorKind {
        &self.kind
    }
}

impl std::error::Error for TourError {}

impl fmt::Display for TourError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |v: u32| self.board.name(v);
        let (vertex, vertices, board) = match self.board.has_squares() {
            true => ("square", "squares", "board"),
            false => ("vertex", "vertices", "graph"),
        };
        match &self.kind {
            TourErrorKind::UnknownVertex { position: number, name } => {
                let place = if self.board.has_squares() { "on" } else { "in" };
                write!(f, "{vertex} {number}, {name}, is not {place} the {board}")
            }
            TourErrorKind::Repeated { position: number, first_position: before, vertex: v } => {
                write!(f, "{vertex} {number}, {}, was visited before, as {vertex} {before}", name(*v))
            }
            TourErrorKind::IllegalMove { move_number: number, from, to } => {
                write!(f, "move {number}, {} to {}, is not a move of the ", name(*from), name(*to))?;
                match (self.board.leaper_board(), self.board.piece()) {
                    (Some(rectangle), _) => match Piece::from(rectangle.leaper()).name() {
                        Some(name) => f.write_str(name),
                        None => write!(f, "{} leaper", rectangle.leaper()),
                    },
                    (_, Some(piece)) => {
                        let piece = piece.name().map_or_else(|| piece.to_string(), str::to_owned);
                        write!(f, "{piece} on {}", self.board.title())
                    }
                    _ => f.write_str(board),
                }
            }
            TourErrorKind::Incomplete { visited: found, missing } => {
                let (all, missing) = (self.board.len(), name(*missing));
                write!(
                    f,
                    "the tour has {found} of the {board}'s {all} {vertices}; {missing} is the first one missing"
                )
            }
            TourErrorKind::NotClosed { start, end } => {
                let (start, end) = (name(*start), name(*end));
                write!(f, "the tour is not closed: its ends {start} and {end} are not a move apart")
            }
            TourErrorKind::EmptyBoard => write!(f, "the tour is not closed: the {board} has no {vertices}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph, Leaper, Rectangle};

    fn tour(text: &str) -> Result<Tour, TourError> {
        Tour::from_names(&"3x4".parse().unwrap(), text.split_whitespace())
    }

    #[test]
    fn from_names_and_from_squares_agree_on_3x4() {
        let tour = tour("a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").unwrap();
        assert_eq!(tour.kind(), TourKind::Open);
        assert_eq!(Tour::from_squares(tour.board(), tour.squares().unwrap()), Ok(tour));
    }

    #[test]
    fn error_names_first_fault() {
        let error = |text| tour(text).unwrap_err().to_string();
        assert_eq!(error("a1 b3 a1"), "square 3, a1, was visited before, as square 1");
        assert_eq!(error("a1 b3 a1 d4"), "square 3, a1, was visited before, as square 1");
        assert_eq!(error("a1 b2"), "move 1, a1 to b2, is not a move of the knight");
        assert_eq!(error("a1 b3 d4"), "square 3, d4, is not on the board");
        assert_eq!(error("a1 b3"), "the tour has 2 of the board's 12 squares; b1 is the first one missing");
        let beyond = Tour::new(&"3x4".parse().unwrap(), vec![12]).unwrap_err();
        assert_eq!(
            *beyond.kind(),
            TourErrorKind::UnknownVertex { position: 1, name: "number 12 of 12".to_owned() }
        );
    }

    #[test]
    fn into_closed_accepts_ring_and_rejects_two_squares() {
        let board = Rectangle::new(3, 3).unwrap().without(["b2".parse().unwrap()]).unwrap();
        let ring = Board::from_leaper(board, Leaper::KNIGHT);
        let round = || "a1 b3 c1 a2 c3 b1 a3 c2".split(' ');
        let tour = Tour::from_names(&ring, round()).unwrap();
        assert_eq!(tour.kind(), TourKind::ReEntrant);
        assert_eq!(tour.into_closed().unwrap().kind(), TourKind::Closed);
        let two: Board = "board=1x2 piece=0,1 remove=-".parse().unwrap();
        assert_eq!(Tour::new(&two, vec![0, 1]).unwrap().kind(), TourKind::Open);
        let error = Tour::new_closed(&two, vec![0, 1]).unwrap_err().to_string();
        assert_eq!(error, "the tour is not closed: its ends a1 and b1 are not a move apart");
    }

    #[test]
    fn graph_moves_are_edges() {
        let bowtie = Graph::from_edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]);
        let custom_graph =
            CustomGraph::new(bowtie).with_names(["one", "two", "hub", "four", "five"]).unwrap();
        let board = Board::new(custom_graph);
        let tour = |text: &str| Tour::from_names(&board, text.split(' '));
        let found = tour("one two hub five four").unwrap();
        assert_eq!((found.kind(), found.vertices()), (TourKind::Open, &[0, 1, 2, 4, 3][..]));
        let error = |text| tour(text).unwrap_err().to_string();
        assert_eq!(error("one two four"), "move 2, two to four, is not a move of the graph");
        assert_eq!(error("one six"), "vertex 2, six, is not in the graph");
        assert_eq!(error("one two one"), "vertex 3, one, was visited before, as vertex 1");
        assert_eq!(
            error("one two hub"),
            "the tour has 3 of the graph's 5 vertices; four is the first one missing"
        );
        assert!(found.squares().is_err());
    }

    #[test]
    fn errors_name_squares_on_every_board_kind() {
        for (text, squares, says) in [
            (
                "board=3x4 wrap=cols piece=1,2 remove=-",
                "a1 b2",
                "move 1, a1 to b2, is not a move of the knight on 3x4 cols",
            ),
            (
                "board=2x2x2 piece=0,1 remove=-",
                "a1.1 b1.1",
                "the tour has 2 of the board's 8 squares; a2.1 is the first one missing",
            ),
            (
                "board=4x4 piece=0,1+1,1 remove=-",
                "a1 c1",
                "move 1, a1 to c1, is not a move of the king on 4x4",
            ),
            ("board=4x4 piece=0,1+1,1 remove=-", "a1 b1 a1", "square 3, a1, was visited before, as square 1"),
        ] {
            let error = Tour::from_names(&text.parse().unwrap(), squares.split(' ')).unwrap_err();
            assert_eq!(error.to_string(), says, "{text}");
        }
    }

    #[test]
    fn sparse_and_dense_sets_agree() {
        for (vertices, expected) in [(5, 5), (1 << 20, 3)] {
            let mut visits = VisitedSet::new(vertices, expected);
            assert_eq!(matches!(visits, VisitedSet::Sparse(_)), vertices > 5);
            assert_eq!(
                (visits.insert(0, 1), visits.insert(2, 2), visits.insert(0, 3)),
                (None, None, Some(1))
            );
            assert_eq!(visits.first_unvisited(vertices), Some(1));
        }
        let mut one = VisitedSet::new(1, 1);
        one.insert(0, 1);
        assert_eq!(one.first_unvisited(1), None);
    }
}
