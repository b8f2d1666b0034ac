//! The requested ends decide how a comb or winding path is used: a cycle is rotated, a path reversed. If the
//! ends of a path must not be a move apart but are, its last vertex e is joined to a vertex p in the middle,
//! and the part between is reversed:
//!
//! ```text
//! v .. p q .. e    ->    v .. p e .. q
//! ```

use crate::board::{Board, Piece, Wrap};
use crate::tour::Tour;

use super::comb;
use super::solve::TourGoal;

/// Returns a comb or a winding path of a board that meets the goal.
pub(super) fn wazir_tour_on_board(
    board: &Board,
    (rows, cols): (usize, usize),
    wrap: Wrap,
    piece: &Piece,
    want: TourGoal,
) -> Option<Tour> {
    cycle_or_path_tour(
        board,
        comb::wazir_cycle(rows, cols, wrap, piece),
        comb::wazir_paths(rows, cols, piece),
        want,
    )
}

/// Returns a comb or a winding path of a box that meets the goal; `sides` are layers, rows and columns. A
/// path that winds over rows and columns serves as one side of a board, and the layers are its other side.
pub(super) fn wazir_tour_in_box(
    board: &Board,
    sides: [usize; 3],
    piece: &Piece,
    want: TourGoal,
) -> Option<Tour> {
    let [layers, rows, cols] = sides;
    let wind = |place: usize, width: usize| match (place / width, place % width) {
        (line, at) if line.is_multiple_of(2) => (line, at),
        (line, at) => (line, width - 1 - at),
    };
    // One layer is a plain board.
    let (high, wide) = if layers > 1 { (layers, rows * cols) } else { (rows, cols) };
    let number = |v: u32| {
        let (line, place) = (v as usize / wide, v as usize % wide);
        if layers == 1 {
            return v;
        }
        let (row, col) = wind(place, cols);
        ((line * rows + row) * cols + col) as u32
    };
    let numbered = |tour: Vec<u32>| tour.into_iter().map(number).collect::<Vec<u32>>();
    let cycle = comb::wazir_cycle(high, wide, Wrap::None, piece).map(numbered);
    let snakes = comb::wazir_paths(high, wide, piece).into_iter().map(numbered).collect();
    cycle_or_path_tour(board, cycle, snakes, want)
}

/// Returns the cycle, rotated to the requested end, or one of the paths.
fn cycle_or_path_tour(
    board: &Board,
    cycle: Option<Vec<u32>>,
    snakes: Vec<Vec<u32>>,
    want: TourGoal,
) -> Option<Tour> {
    if let Some(mut cycle) = cycle {
        let at = |v: usize| cycle.iter().position(|&w| w as usize == v);
        match (want.start, want.end) {
            (Some(start), _) => {
                let at = at(start)?;
                cycle.rotate_left(at);
            }
            (None, Some(end)) => {
                let (at, len) = (at(end)?, cycle.len());
                cycle.rotate_left((at + 1) % len);
            }
            (None, None) => {}
        }
        if let Some(tour) = to_tour_for_goal(board, cycle, want) {
            return Some(tour);
        }
    }
    let snakes = if want.closed { Vec::new() } else { snakes };
    snakes.into_iter().find_map(|snake| to_tour_for_goal(board, snake, want))
}

/// Converts vertices to a tour if they meet the goal, or can be made to by another end.
pub(super) fn to_tour_for_goal(board: &Board, mut vertices: Vec<u32>, want: TourGoal) -> Option<Tour> {
    let joined = |v: u32, w: u32| board.is_move(v, w);
    if want.open && joined(*vertices.first()?, *vertices.last()?) {
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
    if want.open && joined(*vertices.first()?, *vertices.last()?) {
        return None;
    }
    let tour = Tour::new(board, vertices).ok()?;
    if want.closed { tour.into_closed().ok() } else { Some(tour) }
}
