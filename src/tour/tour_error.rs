//! Errors of vertex sequences that are not tours, with the names of the vertices.

use std::fmt;

use crate::board::{Board, Piece};

/// Error for a vertex sequence that is not a tour of its board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourError {
    board: Board,
    kind: TourErrorKind,
}

/// The fault of a vertex sequence. Positions and moves are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TourErrorKind {
    /// A vertex that the board does not have.
    UnknownVertex {
        /// Position in the sequence.
        position: usize,
        /// Name that the board does not have.
        name: String,
    },
    /// A vertex visited twice.
    Repeated {
        /// Position of the second visit.
        position: usize,
        /// Position of the first visit.
        first_position: usize,
        /// The vertex.
        vertex: u32,
    },
    /// Two consecutive vertices that are not a move apart.
    IllegalMove {
        /// Number of the move.
        move_number: usize,
        /// Start of the move.
        from: u32,
        /// End of the move.
        to: u32,
    },
    /// A sequence that does not visit all vertices.
    Incomplete {
        /// Number of vertices in the sequence.
        visited: usize,
        /// Lowest vertex that is not visited.
        missing: u32,
    },
    /// A sequence checked as a closed tour whose ends are not a move apart.
    NotClosed {
        /// First vertex.
        start: u32,
        /// Last vertex.
        end: u32,
    },
    /// A closed tour of a board without vertices.
    EmptyBoard,
}

impl TourError {
    pub(super) const fn new(board: Board, wrong: TourErrorKind) -> Self {
        Self { board, kind: wrong }
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
