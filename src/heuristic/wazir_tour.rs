//! Tours of pieces that have the moves of a wazir (one square along a row or column), on boards and
//! boxes without holes.
//!
//! ```text
//! even rows: a comb          odd rows and columns, columns joined:     king, odd: the last row
//!   +--o--o--o               a ring, and a comb on top of it           is attached, with one move
//!   o  +--o--o               of the others                             along a diagonal
//!   o  +--o--+
//!   +--o--o--+
//! ```
//!
//! Where no cycle exists, a path winds over the rows or over the columns. Cost O(squares).
//!
//! The requested ends decide how a comb or winding path is used: a cycle is rotated, a path
//! reversed. If the ends of a path must not be a move apart but are, its last vertex e is joined to
//! a vertex p in the middle, and the part of the path after p is reversed:
//!
//! ```text
//! v .. p q .. e    ->    v .. p e .. q
//! ```

use crate::board::{Leaper, Piece, Wrap};
use crate::tour::{Kind, Tour, TourSpec};

/// Row and column of a square, counted from the lower left.
type Cell = (usize, usize);

/// Returns true if the piece has all moves of the given leaper.
fn has_leaper(piece: &Piece, short: u16, long: u16) -> bool {
    piece.leapers().iter().any(|leaper: &Leaper| (leaper.short(), leaper.long()) == (short, long))
}

/// Returns a cycle through all squares of a board without holes. Squares are numbered row by row.
/// Returns `None` if the piece lacks the moves of a wazir or no construction fits.
pub(super) fn wazir_cycle(rows: usize, cols: usize, wrap: Wrap, piece: &Piece) -> Option<Vec<u32>> {
    if !has_leaper(piece, 0, 1) {
        return None;
    }
    let (has_joined_cols, has_joined_rows) = match wrap {
        Wrap::Cols => (true, false),
        Wrap::Rows => (false, true),
        Wrap::Torus => (true, true),
        _ => (false, false),
    };
    let twisted = matches!(wrap, Wrap::Mobius | Wrap::Klein | Wrap::Projective);
    let upright = |cells: Vec<Cell>| vertex_numbers(cells.into_iter(), cols);
    let turned = |cells: Vec<Cell>| vertex_numbers(cells.into_iter().map(|(row, col)| (col, row)), cols);
    let king = || has_leaper(piece, 1, 1) && rows >= 3 && cols >= 3;
    match (rows.is_multiple_of(2), cols.is_multiple_of(2)) {
        (true, _) if cols >= 2 => Some(upright(comb_cycle(rows, cols))),
        (_, true) if rows >= 2 => Some(turned(comb_cycle(cols, rows))),
        (false, false) if has_joined_cols && cols >= 3 => Some(upright(ring_cycle(rows, cols))),
        (false, false) if has_joined_rows && rows >= 3 => Some(turned(ring_cycle(cols, rows))),
        (false, false) if twisted && cols >= 3 && rows >= 3 => Some(upright(twisted_cycle(rows, cols))),
        (false, false) if king() => Some(upright(king_cycle(rows, cols))),
        _ => None,
    }
}

/// Returns two paths through all squares of a board without holes: one winds over the rows, the
/// other over the columns. The list is empty if the piece lacks the moves of a wazir.
pub(super) fn wazir_paths(rows: usize, cols: usize, piece: &Piece) -> Vec<Vec<u32>> {
    if !has_leaper(piece, 0, 1) {
        return Vec::new();
    }
    let wind = |rows: usize, cols: usize| {
        let to =
            move |row: usize, col: usize| (row, if row.is_multiple_of(2) { col } else { cols - 1 - col });
        (0..rows).flat_map(move |row| (0..cols).map(move |col| to(row, col)))
    };
    vec![
        vertex_numbers(wind(rows, cols), cols),
        vertex_numbers(wind(cols, rows).map(|(row, col)| (col, row)), cols),
    ]
}

fn vertex_numbers(cells: impl Iterator<Item = Cell>, cols: usize) -> Vec<u32> {
    cells.map(|(row, col)| (row * cols + col) as u32).collect()
}

/// Returns the comb on an even number of rows: a cycle that goes up the first column and comes back
/// row by row. The last square is next to the first.
fn comb_cycle(rows: usize, cols: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..rows).map(|row| (row, 0)).collect();
    for row in (0..rows).rev() {
        let right = (rows - 1 - row).is_multiple_of(2);
        cells.extend((1..cols).map(|col| (row, if right { col } else { cols - col })));
    }
    cells
}

/// Returns a cycle on a board with joined columns: once around the lowest row, then a comb of the
/// other rows. The comb begins next to the square at which the cycle leaves the lowest row.
fn ring_cycle(rows: usize, cols: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (1..=cols).map(|col| (0, col % cols)).collect();
    cells.extend(comb_cycle(rows - 1, cols).into_iter().map(|(row, col)| (row + 1, col)));
    cells
}

/// Returns a cycle on a board whose sides are joined with a twist. It is a comb of the rings around
/// the middle row. The middle row, the long way round, is inserted between the first two squares of
/// the comb on the innermost ring.
fn twisted_cycle(rows: usize, cols: usize) -> Vec<Cell> {
    let middle = rows / 2;
    // Maps a position on a ring (0 is innermost) to a square: beyond the seam, above and below are exchanged.
    let at = |(position, ring): Cell| match position < cols {
        true => (middle + 1 + ring, position),
        false => (middle - 1 - ring, position - cols),
    };
    let mut cells: Vec<Cell> = comb_cycle(2 * cols, middle).into_iter().map(at).collect();
    cells.rotate_left(1);
    cells.push((middle, 0));
    cells.extend((1..cols).rev().map(|col| (middle, col)));
    cells
}

/// Returns a cycle of a king: a comb of all rows but the highest. After each pair of squares in the
/// row below the highest, the cycle visits the two squares above them, after the last pair three
/// squares.
fn king_cycle(rows: usize, cols: usize) -> Vec<Cell> {
    let below = rows - 2;
    let mut cells = Vec::with_capacity(rows * cols);
    for (row, col) in comb_cycle(rows - 1, cols) {
        cells.push((row, col));
        // The comb runs along this row from left to right.
        if row == below && col.is_multiple_of(2) && col + 1 < cols {
            cells.extend([(rows - 1, col), (rows - 1, col + 1)]);
            if col + 3 == cols {
                cells.push((rows - 1, col + 2));
            }
        }
    }
    cells
}

/// Returns one of the tours of a rectangle, from a comb or a winding path. Returns `None` if neither is one of
/// the tours.
pub(super) fn wazir_tour_on_board(
    tours: &TourSpec,
    (rows, cols): (usize, usize),
    wrap: Wrap,
    piece: &Piece,
) -> Option<Tour> {
    cycle_or_path_tour(tours, wazir_cycle(rows, cols, wrap, piece), wazir_paths(rows, cols, piece))
}

/// Returns one of the tours of a box, from a comb or a winding path; `sides` are the
/// numbers of layers, rows and columns. The box is treated as a board: one side are the layers, the
/// other a path that winds over the rows and columns of a layer.
pub(super) fn wazir_tour_in_box(tours: &TourSpec, sides: [usize; 3], piece: &Piece) -> Option<Tour> {
    let [layers, rows, cols] = sides;
    let wind = |position: usize, width: usize| match (position / width, position % width) {
        (line, at) if line.is_multiple_of(2) => (line, at),
        (line, at) => (line, width - 1 - at),
    };
    // One layer is a plain board.
    let (high, wide) = if layers > 1 { (layers, rows * cols) } else { (rows, cols) };
    let number = |v: u32| {
        let (line, position) = (v as usize / wide, v as usize % wide);
        if layers == 1 {
            return v;
        }
        let (row, col) = wind(position, cols);
        ((line * rows + row) * cols + col) as u32
    };
    let numbered = |tour: Vec<u32>| tour.into_iter().map(number).collect::<Vec<u32>>();
    let cycle = wazir_cycle(high, wide, Wrap::None, piece).map(numbered);
    let snakes = wazir_paths(high, wide, piece).into_iter().map(numbered).collect();
    cycle_or_path_tour(tours, cycle, snakes)
}

/// Returns one of the tours: the cycle, rotated to the fixed end, or one of the paths `snakes`.
fn cycle_or_path_tour(tours: &TourSpec, cycle: Option<Vec<u32>>, snakes: Vec<Vec<u32>>) -> Option<Tour> {
    if let Some(mut cycle) = cycle {
        let at = |v: u32| cycle.iter().position(|&w| w == v);
        match (tours.start(), tours.end()) {
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
        if let Some(tour) = to_requested_tour(tours, cycle) {
            return Some(tour);
        }
    }
    let snakes = if tours.kind() == Kind::Closed { Vec::new() } else { snakes };
    snakes.into_iter().find_map(|snake| to_requested_tour(tours, snake))
}

/// Converts vertices to a tour if it is one of the requested tours. If open tours are requested and the ends
/// are a move apart, first reverses a part of the path, which gives it another end.
pub(super) fn to_requested_tour(tours: &TourSpec, mut vertices: Vec<u32>) -> Option<Tour> {
    let joined = |v: u32, w: u32| tours.board().is_move(v, w);
    let (is_open, ends_at) = (tours.kind() == Kind::Open, tours.start().is_none() && tours.end().is_some());
    if is_open && joined(*vertices.first()?, *vertices.last()?) {
        if ends_at {
            vertices.reverse();
        }
        let (first, last) = (*vertices.first()?, *vertices.last()?);
        let mut turns = (0..vertices.len() - 2).filter(|&i| joined(vertices[i], last));
        let at = turns.find(|&i| !joined(first, vertices[i + 1]))?;
        vertices[at + 1..].reverse();
        if ends_at {
            vertices.reverse();
        }
    }
    let is = |v: Option<&u32>, fixed: Option<u32>| fixed.is_none() || v == fixed.as_ref();
    if !is(vertices.first(), tours.start()) || !is(vertices.last(), tours.end()) {
        return None;
    }
    if is_open && joined(*vertices.first()?, *vertices.last()?) {
        return None;
    }
    tours.checked_tour(vertices).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, BoardSides, LatticeBoard};

    #[test]
    fn wazir_cycles_and_paths_are_tours() {
        let mut cycles = 0;
        for wrap in Wrap::ALL {
            for piece in ["wazir", "king"] {
                let piece: Piece = piece.parse().unwrap();
                for (rows, cols) in (1..=7).flat_map(|rows| (1..=7).map(move |cols| (rows, cols))) {
                    let sides: BoardSides = format!("{rows}x{cols}").parse().unwrap();
                    let board: Board = LatticeBoard::new(sides, wrap, piece.clone()).into();
                    if let Some(cycle) = wazir_cycle(rows, cols, wrap, &piece) {
                        let tour = Tour::new(&board, cycle).and_then(Tour::into_closed);
                        assert!(tour.is_ok(), "{board}");
                        cycles += 1;
                    }
                    for snake in wazir_paths(rows, cols, &piece) {
                        assert!(Tour::new(&board, snake).is_ok(), "{board}");
                    }
                }
            }
        }
        // At least all boards of the king with two or more rows and columns.
        assert!(cycles > 7 * 36, "{cycles}");
        assert!(wazir_cycle(4, 4, Wrap::None, &Piece::default()).is_none());
        assert!(wazir_cycle(5, 5, Wrap::None, &"wazir".parse().unwrap()).is_none());
    }
}
