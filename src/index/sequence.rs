//! Layers represent a tour as a set of edges; [`vertex_sequence`] and [`sequence_edges`] convert between
//! edges and sequences. A path is a cycle through an additional vertex, the apex, whose number is the number
//! of squares.

use crate::tour::{Kind, TourKind, normalise_closed, normalise_path};

use super::numbered::TourSet;

/// Returns the vertices of a tour in order of visit, as `ktour list` prints them: a closed tour from its
/// start or its lowest vertex towards the lower of its two neighbours, a path from its start or its lower
/// end.
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

/// Returns the edges of a sequence of vertices, for a path with the two edges to the apex.
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

/// Returns the kind of the tour given by a sequence of vertices.
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
