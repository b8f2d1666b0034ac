//! The sweep for the tours that an index numbers, and the conversion between edges and vertex sequences
//! of these tours.
//!
//! The layers of an index represent a tour as a set of edges; [`vertex_sequence`] and
//! [`sequence_edges`] convert between edges and vertex sequences. A path is represented as a cycle
//! through an additional vertex, the apex, whose number is the number of squares.

use crate::board::Vertex;
use crate::frontier::Tours;
use crate::tour::{Kind, TourSpec};

/// Returns the tours that the sweep for these tours must count. For open tours these are all paths; for
/// closed tours with a fixed start, all closed tours.
pub(super) fn sweep_tours(tours: &TourSpec) -> Tours {
    match (tours.kind(), tours.start(), tours.end()) {
        (Kind::Closed, ..) => Tours::Closed,
        (_, Some(start), Some(end)) => Tours::Between(start, end),
        (_, Some(v), None) | (_, None, Some(v)) => Tours::From(v),
        (_, None, None) => Tours::Paths,
    }
}

/// Returns a description of the tours that the sweep counts. It is equal for all tours that share the layers
/// of an index.
pub(super) fn layers_name(tours: &TourSpec) -> String {
    let name = |v: Vertex| tours.board().name(v);
    let counted = match sweep_tours(tours) {
        Tours::Closed => "closed tours".to_owned(),
        Tours::Paths => "paths".to_owned(),
        Tours::From(v) => format!("paths from {}", name(v)),
        Tours::Between(v, w) => format!("paths from {} to {}", name(v), name(w)),
    };
    format!("{counted} of {}", tours.board())
}

/// Returns the vertices of the tour with these edges, in order of visit, as `ktour list` prints
/// them. A closed tour begins at the fixed start or at its lowest vertex, and continues with the
/// lower of the two neighbours there. A path begins at the fixed start, ends at the fixed end, or
/// begins at its lower end.
#[must_use]
pub fn vertex_sequence(numbered: &TourSpec, edges: &[(u32, u32)]) -> Vec<u32> {
    let squares = numbered.board().len();
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
    let is_closed = numbered.kind() == Kind::Closed;
    let apex = squares as u32;
    let (mut previous, mut current) =
        if is_closed { (adjacent[0][1], 0) } else { (apex, adjacent[squares][0]) };
    let mut sequence = Vec::with_capacity(squares);
    while sequence.len() < squares {
        sequence.push(current);
        let [a, b] = adjacent[current as usize];
        (previous, current) = (current, if a == previous { b } else { a });
    }
    match (is_closed, numbered.start(), numbered.end()) {
        (true, Some(start), _) => {
            let position = sequence.iter().position(|&v| v == start).expect("a tour has every vertex");
            sequence.rotate_left(position);
            if sequence[1] > sequence[squares - 1] {
                sequence[1..].reverse();
            }
        }
        (_, None, None) => numbered.shape().normalise(&mut sequence),
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
