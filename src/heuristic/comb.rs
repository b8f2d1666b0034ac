//! Tours of pieces that have the moves of a wazir, one square along a row or a column, on boards without holes.
//!
//! ```text
//! even rows: a comb          odd rows and columns, columns joined:     king, odd: the last row
//!   +--o--o--o               a ring, and a comb on top of it           is hung on, with one move
//!   o  +--o--o               of the others                             along a diagonal
//!   o  +--o--+
//!   +--o--o--+
//! ```
//!
//! Where there is no cycle a path winds over the rows, or over the columns. Cost O(squares).

use crate::board::{Leaper, Piece, Wrap};

/// Row and column, from the lower left.
type Cell = (usize, usize);

/// Whether a piece has all moves of such a leaper.
fn has(piece: &Piece, short: u16, long: u16) -> bool {
    piece.leapers().iter().any(|leaper: &Leaper| (leaper.short(), leaper.long()) == (short, long))
}

/// A cycle through all squares of a board, numbered row by row; `None` if the piece has not the moves, or no cycle is
/// known here.
pub(super) fn cycle(rows: usize, cols: usize, wrap: Wrap, piece: &Piece) -> Option<Vec<u32>> {
    if !has(piece, 0, 1) {
        return None;
    }
    let (across, along) = match wrap {
        Wrap::Cols => (true, false),
        Wrap::Rows => (false, true),
        Wrap::Torus => (true, true),
        _ => (false, false),
    };
    let twisted = matches!(wrap, Wrap::Mobius | Wrap::Klein | Wrap::Projective);
    let upright = |cells: Vec<Cell>| numbers(cells.into_iter(), cols);
    let turned = |cells: Vec<Cell>| numbers(cells.into_iter().map(|(row, col)| (col, row)), cols);
    let king = || has(piece, 1, 1) && rows >= 3 && cols >= 3;
    match (rows.is_multiple_of(2), cols.is_multiple_of(2)) {
        (true, _) if cols >= 2 => Some(upright(comb(rows, cols))),
        (_, true) if rows >= 2 => Some(turned(comb(cols, rows))),
        (false, false) if across && cols >= 3 => Some(upright(ring(rows, cols))),
        (false, false) if along && rows >= 3 => Some(turned(ring(cols, rows))),
        (false, false) if twisted && cols >= 3 && rows >= 3 => Some(upright(twist(rows, cols))),
        (false, false) if king() => Some(upright(hung(rows, cols))),
        _ => None,
    }
}

/// Paths through all squares that wind over the rows and over the columns.
pub(super) fn snakes(rows: usize, cols: usize, piece: &Piece) -> Vec<Vec<u32>> {
    if !has(piece, 0, 1) {
        return Vec::new();
    }
    let wind = |rows: usize, cols: usize| {
        let to =
            move |row: usize, col: usize| (row, if row.is_multiple_of(2) { col } else { cols - 1 - col });
        (0..rows).flat_map(move |row| (0..cols).map(move |col| to(row, col)))
    };
    vec![numbers(wind(rows, cols), cols), numbers(wind(cols, rows).map(|(row, col)| (col, row)), cols)]
}

fn numbers(cells: impl Iterator<Item = Cell>, cols: usize) -> Vec<u32> {
    cells.map(|(row, col)| (row * cols + col) as u32).collect()
}

/// A comb of an even number of rows: up the first column, and back row by row. It ends beside its first square.
fn comb(rows: usize, cols: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..rows).map(|row| (row, 0)).collect();
    for row in (0..rows).rev() {
        let right = (rows - 1 - row).is_multiple_of(2);
        cells.extend((1..cols).map(|col| (row, if right { col } else { cols - col })));
    }
    cells
}

/// The lowest row once round, and a comb of the others that is entered beside where it is left.
fn ring(rows: usize, cols: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (1..=cols).map(|col| (0, col % cols)).collect();
    cells.extend(comb(rows - 1, cols).into_iter().map(|(row, col)| (row + 1, col)));
    cells
}

/// A comb of the rings around the middle row, and between its first two squares, on the innermost ring, the middle
/// row the long way round.
fn twist(rows: usize, cols: usize) -> Vec<Cell> {
    let middle = rows / 2;
    // A place on a ring, from the innermost: beyond the seam what was above is below.
    let at = |(place, ring): Cell| match place < cols {
        true => (middle + 1 + ring, place),
        false => (middle - 1 - ring, place - cols),
    };
    let mut cells: Vec<Cell> = comb(2 * cols, middle).into_iter().map(at).collect();
    cells.rotate_left(1);
    cells.push((middle, 0));
    cells.extend((1..cols).rev().map(|col| (middle, col)));
    cells
}

/// A comb of all rows but the highest; each pair of its squares in the row below takes the two above in, the last
/// one three.
fn hung(rows: usize, cols: usize) -> Vec<Cell> {
    let below = rows - 2;
    let mut cells = Vec::with_capacity(rows * cols);
    for (row, col) in comb(rows - 1, cols) {
        cells.push((row, col));
        // The comb goes along this row from left to right.
        if row == below && col.is_multiple_of(2) && col + 1 < cols {
            cells.extend([(rows - 1, col), (rows - 1, col + 1)]);
            if col + 3 == cols {
                cells.push((rows - 1, col + 2));
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Arena, Surface};
    use crate::tour::Tour;

    #[test]
    fn combs_rings_and_snakes_are_tours() {
        let mut cycles = 0;
        for wrap in Wrap::ALL {
            for piece in ["wazir", "king"] {
                let piece: Piece = piece.parse().unwrap();
                for (rows, cols) in (1..=7).flat_map(|rows| (1..=7).map(move |cols| (rows, cols))) {
                    let board = format!("{rows}x{cols}").parse().unwrap();
                    let arena: Arena = Surface::new(board, wrap, piece.clone()).into();
                    if let Some(cycle) = cycle(rows, cols, wrap, &piece) {
                        let tour = Tour::new(&arena, cycle).and_then(Tour::into_closed);
                        assert!(tour.is_ok(), "{arena}");
                        cycles += 1;
                    }
                    for snake in snakes(rows, cols, &piece) {
                        assert!(Tour::new(&arena, snake).is_ok(), "{arena}");
                    }
                }
            }
        }
        // All boards of the king of two rows and columns or more, to begin with.
        assert!(cycles > 7 * 36, "{cycles}");
        assert!(cycle(4, 4, Wrap::None, &Piece::default()).is_none());
        assert!(cycle(5, 5, Wrap::None, &"wazir".parse().unwrap()).is_none());
    }
}
