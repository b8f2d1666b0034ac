//! Combs and winding paths with the ends that are wanted.
//!
//! A cycle is begun where it should, a path turned round. Where the ends of a path are a move apart and may not be,
//! its last vertex e is joined to a vertex p of its middle, and what lies between is turned round:
//!
//! ```text
//! v .. p q .. e    ->    v .. p e .. q
//! ```

use crate::board::{Arena, Piece, Wrap};
use crate::tour::Tour;

use super::comb;
use super::solve::Want;

/// A comb or a path that winds, as wanted.
pub(super) fn combed(
    arena: &Arena,
    (rows, cols): (usize, usize),
    wrap: Wrap,
    piece: &Piece,
    want: Want,
) -> Option<Tour> {
    if let Some(mut cycle) = comb::cycle(rows, cols, wrap, piece) {
        let at = |v: usize| cycle.iter().position(|&w| w as usize == v);
        match (want.start, want.end) {
            (Some(start), _) => {
                let at = at(start)?;
                cycle.rotate_left(at);
            }
            (None, Some(end)) => {
                let at = at(end)?;
                cycle.rotate_left((at + 1) % (rows * cols));
            }
            (None, None) => {}
        }
        if let Some(tour) = arranged(arena, cycle, want) {
            return Some(tour);
        }
    }
    let snakes = if want.closed { Vec::new() } else { comb::snakes(rows, cols, piece) };
    snakes.into_iter().find_map(|snake| arranged(arena, snake, want))
}

/// Vertices as a tour, if that is what is wanted, or can be made so by another end.
pub(super) fn arranged(arena: &Arena, mut vertices: Vec<u32>, want: Want) -> Option<Tour> {
    let joined = |v: u32, w: u32| arena.is_move(v, w);
    if want.apart && joined(*vertices.first()?, *vertices.last()?) {
        if want.start.is_none() && want.end.is_some() {
            vertices.reverse();
        }
        let (first, last) = (*vertices.first()?, *vertices.last()?);
        let mut turns = (0..vertices.len() - 2).filter(|&i| joined(vertices[i], last));
        let at = turns.find(|&i| !joined(first, vertices[i + 1]))?;
        vertices[at + 1..].reverse();
        if want.start.is_none() && want.end.is_some() {
            vertices.reverse();
        }
    }
    let is = |v: Option<&u32>, wanted: Option<usize>| wanted.is_none() || v.map(|&v| v as usize) == wanted;
    if !is(vertices.first(), want.start) || !is(vertices.last(), want.end) {
        return None;
    }
    if want.apart && joined(*vertices.first()?, *vertices.last()?) {
        return None;
    }
    let tour = Tour::new(arena, vertices).ok()?;
    if want.closed { tour.into_closed().ok() } else { Some(tour) }
}
