//! [`TourScene`], what every picture of a tour shows: its moves in order, and the marks of its ends.
//!
//! ```text
//! Tour -> TourScene (moves, marks) + VertexPositions (squares, holes, names)
//!           -> SVG | graph as SVG | braille dots | table of numbers
//! ```

use super::{Tour, TourKind};

/// The moves and the ends of a tour. Vertices are given by their index in the order of visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct TourScene {
    /// Number of vertices.
    len: usize,
    pub(super) is_closed: bool,
}

/// The mark of an end of a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndMark {
    /// A disc at the first vertex.
    Start,
    /// A diamond at the last vertex of a path.
    End,
}

impl TourScene {
    pub(super) fn new(tour: &Tour) -> Self {
        Self { len: tour.vertices().len(), is_closed: tour.kind() == TourKind::Closed }
    }

    /// Returns the index of the last vertex; 0 if there is none.
    pub(super) const fn last(self) -> usize {
        self.len.saturating_sub(1)
    }

    /// Returns the moves, as pairs of indices. The move that closes a tour comes last.
    pub(super) fn moves(self) -> impl Iterator<Item = (usize, usize)> {
        let closing = (self.is_closed && self.len > 0).then(|| (self.last(), 0));
        (0..self.last()).map(|i| (i, i + 1)).chain(closing)
    }

    /// Returns how far the vertex at an index is along the path, from 0 to 1; `None` if the tour is
    /// closed.
    pub(super) fn fraction(self, index: usize) -> Option<f64> {
        (!self.is_closed).then(|| index as f64 / self.last().max(1) as f64)
    }

    /// Returns the mark of the vertex at an index; `None` if it is not marked. The only vertex of a path
    /// is its start.
    pub(super) fn mark(self, index: usize) -> Option<EndMark> {
        match index {
            0 => Some(EndMark::Start),
            _ if index == self.last() && !self.is_closed => Some(EndMark::End),
            _ => None,
        }
    }
}
