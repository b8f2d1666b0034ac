//! Why a sequence of vertices is no tour, told by the names of the vertices.

use std::fmt;

use crate::board::{Arena, Piece};

/// Why a sequence is no tour of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourError {
    arena: Arena,
    wrong: Wrong,
}

/// What is wrong with a sequence. Places and moves are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// A vertex that the arena does not have.
    NotThere {
        /// Place in the sequence.
        number: usize,
        /// The name of what is not there.
        name: String,
    },
    /// A vertex visited twice.
    Repeated {
        /// Place of the repeat.
        number: usize,
        /// Place of the first visit.
        before: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A step that is no move.
    IllegalMove {
        /// Which move.
        number: usize,
        /// Where it starts.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// Vertices left out.
    Incomplete {
        /// Vertices in the sequence.
        found: usize,
        /// The lowest vertex not visited.
        missing: u32,
    },
    /// A closed tour was wanted, but the ends are not a move apart.
    NotClosed {
        /// First vertex.
        start: u32,
        /// Last vertex.
        end: u32,
    },
    /// A closed tour was wanted where there is nothing to visit.
    Nowhere,
}

impl TourError {
    pub(super) const fn new(arena: Arena, wrong: Wrong) -> Self {
        Self { arena, wrong }
    }

    /// What is wrong.
    #[must_use]
    pub const fn wrong(&self) -> &Wrong {
        &self.wrong
    }
}

impl std::error::Error for TourError {}

impl fmt::Display for TourError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |v: u32| self.arena.name(v);
        let (vertex, vertices, arena) = match self.arena.is_board() {
            true => ("square", "squares", "board"),
            false => ("vertex", "vertices", "graph"),
        };
        match &self.wrong {
            Wrong::NotThere { number, name } => {
                let place = if self.arena.is_board() { "on" } else { "in" };
                write!(f, "{vertex} {number}, {name}, is not {place} the {arena}")
            }
            Wrong::Repeated { number, before, vertex: v } => {
                write!(f, "{vertex} {number}, {}, was visited before, as {vertex} {before}", name(*v))
            }
            Wrong::IllegalMove { number, from, to } => {
                write!(f, "move {number}, {} to {}, is not a move of the ", name(*from), name(*to))?;
                match (self.arena.rectangle(), self.arena.piece()) {
                    (Some(rectangle), _) => match Piece::from(rectangle.leaper()).name() {
                        Some(name) => f.write_str(name),
                        None => write!(f, "{} leaper", rectangle.leaper()),
                    },
                    (_, Some(piece)) => {
                        let piece = piece.name().map_or_else(|| piece.to_string(), str::to_owned);
                        write!(f, "{piece} on {}", self.arena.title())
                    }
                    _ => f.write_str(arena),
                }
            }
            Wrong::Incomplete { found, missing } => {
                let (all, missing) = (self.arena.len(), name(*missing));
                write!(
                    f,
                    "the tour has {found} of the {arena}'s {all} {vertices}; {missing} is the first one missing"
                )
            }
            Wrong::NotClosed { start, end } => {
                let (start, end) = (name(*start), name(*end));
                write!(f, "the tour is not closed: its ends {start} and {end} are not a move apart")
            }
            Wrong::Nowhere => write!(f, "the tour is not closed: the {arena} has nothing to visit"),
        }
    }
}
