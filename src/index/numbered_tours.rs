//! [`TourSet`], a set of tours that an index numbers, and the conversion between edges and vertex
//! sequences of its tours.
//!
//! The layers of an index represent a tour as a set of edges; [`vertex_sequence`] and
//! [`sequence_edges`] convert between edges and vertex sequences. A path is represented as a cycle
//! through an additional vertex, the apex, whose number is the number of squares.

use super::error::IndexError;
use crate::board::{Board, SymmetryGroup};
use crate::frontier::Tours;
use crate::tour::{Kind, TourKind, TourShape, normalise_closed, normalise_path};

/// A set of all tours of one kind on one board, with or without a fixed start and end. If the start
/// or the end is fixed, the tours are directed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourSet {
    /// Board of the tours.
    pub board: Board,
    /// Kind of the tours.
    pub kind: Kind,
    /// First vertex of every tour, if fixed.
    pub start: Option<u32>,
    /// Last vertex of every tour, if fixed.
    pub end: Option<u32>,
}

impl TourSet {
    /// Creates the set of all tours of a kind.
    #[must_use]
    pub const fn new(board: Board, kind: Kind) -> Self {
        Self { board, kind, start: None, end: None }
    }

    /// Returns the tours that the sweep for this set must count. For open tours these are all
    /// paths; for closed tours with a fixed start, all closed tours.
    pub(super) fn sweep_tours(&self) -> Result<Tours, IndexError> {
        let vertex = |v: u32| {
            if (v as usize) < self.board.len() { Ok(v as usize) } else { Err(IndexError::InvalidEnds) }
        };
        let (start, end) = (self.start.map(vertex).transpose()?, self.end.map(vertex).transpose()?);
        match (self.kind, start, end) {
            (Kind::Closed, _, Some(_)) => Err(IndexError::ClosedEnd),
            (Kind::Closed, _, None) => Ok(Tours::Closed),
            (_, Some(start), Some(end)) if start == end => {
                Err(IndexError::SameEnds { vertex: self.board.name(start as u32) })
            }
            (_, Some(start), Some(end)) => Ok(Tours::Between(start, end)),
            (_, Some(start), None) => Ok(Tours::From(start)),
            (_, None, Some(end)) => Ok(Tours::From(end)),
            (_, None, None) => Ok(Tours::Paths),
        }
    }

    /// Returns a description of the tours that the sweep counts. It is equal for all sets that
    /// share the layers of an index.
    pub(super) fn layers_name(&self) -> Result<String, IndexError> {
        let name = |v: usize| self.board.name(v as u32);
        let tours = match self.sweep_tours()? {
            Tours::Closed => "closed tours".to_owned(),
            Tours::Paths => "paths".to_owned(),
            Tours::From(v) => format!("paths from {}", name(v)),
            Tours::Between(v, w) => format!("paths from {} to {}", name(v), name(w)),
        };
        Ok(format!("{tours} of {}", self.board))
    }

    /// Returns a title for the tours of the set, such as `paths from a1 of` and the board. Tours
    /// from a vertex and tours to that vertex have different titles, but share the layers, and a
    /// tour and its reverse have the same number.
    ///
    /// # Errors
    /// No such tours exist; see [`IndexError`].
    pub fn title(&self) -> Result<String, IndexError> {
        let end = |word: &str, v: Option<u32>| {
            v.map_or(String::new(), |v| format!(" {word} {}", self.board.name(v)))
        };
        let tours = match (self.sweep_tours()?, self.start) {
            (Tours::Closed, None) => "closed tours",
            (Tours::Closed, Some(_)) => "directed closed tours",
            _ => "paths",
        };
        Ok(format!("{tours}{}{} of {}", end("from", self.start), end("to", self.end), self.board))
    }

    /// Returns true if a tour and its reverse count as two tours, because the start or the end is
    /// fixed.
    #[must_use]
    pub const fn is_directed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Returns the rule by which vertex sequences are the same tour of this set.
    #[must_use]
    pub const fn shape(&self) -> TourShape {
        match (self.is_directed(), self.kind) {
            (true, _) => TourShape::Directed,
            (false, Kind::Closed) => TourShape::Closed,
            (false, _) => TourShape::Path,
        }
    }

    /// Returns the symmetries of the board that leave the fixed start and end of the tours in
    /// place.
    #[must_use]
    pub fn symmetries(&self) -> SymmetryGroup {
        let keeps = |image: &[u32], v: Option<u32>| v.is_none_or(|v| image[v as usize] == v);
        self.board.symmetries().stabiliser(|image| keeps(image, self.start) && keeps(image, self.end))
    }
}

/// Returns the vertices of the tour with these edges, in order of visit, as `ktour list` prints
/// them. A closed tour begins at the fixed start or at its lowest vertex, and continues with the
/// lower of the two neighbours there. A path begins at the fixed start, ends at the fixed end, or
/// begins at its lower end.
#[must_use]
pub fn vertex_sequence(numbered: &TourSet, edges: &[(u32, u32)]) -> Vec<u32> {
    let squares = numbered.board.len();
    if edges.is_empty() {
        return (0..squares as u32).collect();
    }
    let mut adjacent = vec![[u32::MAX; 2]; squares + 1];
    for &(v, w) in edges {
        for (v, w) in [(v, w), (w, v)] {
            let [first, second] = &mut adjacent[v as usize];
            *(if *first == u32::MAX { first } else { second }) = w;
        }
    }
    let is_closed = numbered.kind == Kind::Closed;
    let apex = squares as u32;
    let (mut previous, mut current) =
        if is_closed { (adjacent[0][1], 0) } else { (apex, adjacent[squares][0]) };
    let mut sequence = Vec::with_capacity(squares);
    while sequence.len() < squares {
        sequence.push(current);
        let [a, b] = adjacent[current as usize];
        (previous, current) = (current, if a == previous { b } else { a });
    }
    match (is_closed, numbered.start, numbered.end) {
        (true, None, _) => normalise_closed(&mut sequence),
        (true, Some(start), _) => {
            let position = sequence.iter().position(|&v| v == start).expect("a tour has every vertex");
            sequence.rotate_left(position);
            if sequence[1] > sequence[squares - 1] {
                sequence[1..].reverse();
            }
        }
        (false, None, None) => normalise_path(&mut sequence),
        (false, Some(start), _) if sequence[0] != start => sequence.reverse(),
        (false, None, Some(end)) if sequence[squares - 1] != end => sequence.reverse(),
        _ => {}
    }
    sequence
}

/// Returns the edges of the tour that visits the vertices of `sequence` in order. A path also gets
/// the two edges from its ends to the apex.
#[must_use]
pub fn sequence_edges(sequence: &[u32], is_closed: bool) -> Vec<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = sequence.windows(2).map(|pair| (pair[0], pair[1])).collect();
    if let (Some(&first), Some(&last)) = (sequence.first(), sequence.last()) {
        let apex = sequence.len() as u32;
        if is_closed {
            edges.push((last, first));
        } else {
            edges.extend([(last, apex), (apex, first)]);
        }
    }
    edges
}

/// Returns the kind of the tour that visits the vertices of `sequence` in order.
#[must_use]
pub fn sequence_kind(numbered: &TourSet, sequence: &[u32]) -> TourKind {
    match *sequence {
        _ if numbered.kind == Kind::Closed => TourKind::Closed,
        [first, _, .., last] if sequence.len() > 2 && numbered.board.is_move(first, last) => {
            TourKind::ReEntrant
        }
        _ => TourKind::Open,
    }
}
