//! The board as a walking knight sees it: how many free squares each square reaches.
//!
//! One byte a square, with a margin as wide as the longest step so that no move
//! needs a bounds test. A byte below 128 is a free square's *degree*: its free
//! neighbours. Bytes from 128 on are visited, removed or outside.
//!
//! ```text
//! 3x3, the knight:   # # # # # # #        entering a square takes one from each
//!                    # # # # # # #        neighbour, leaving it (going back) adds it
//!                    # # 2 2 2 # #        again: 16 bytes touched a move
//!                    # # 2 0 2 # #
//!                    # # 2 2 2 # #
//! ```

use crate::board::{Board, Square};

/// A step as (down, right).
pub type Step = (i32, i32);

/// Added to a square that is not free.
const TAKEN: u8 = 128;
/// What no number of neighbours brings below 128.
const OUTSIDE: u8 = TAKEN + 64;

/// A board's squares and how many free neighbours each has.
#[derive(Clone, Debug)]
pub(super) struct Field {
    degree: Vec<u8>,
    stride: usize,
    /// Rows above and below the board, columns left and right of it.
    margin: (usize, usize),
    rows: usize,
    cols: usize,
    /// Steps in their order, as distances.
    steps: Vec<isize>,
    /// The same as (down, right).
    moves: Vec<Step>,
    free: usize,
}

impl Field {
    /// The free board. `moves` is the order of moves; those that fit no board of this size are left out.
    pub(super) fn new(board: &Board, moves: &[Step]) -> Self {
        let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
        let fits = |step: i32, side: usize| (step.unsigned_abs() as usize) < side;
        let moves: Vec<Step> =
            moves.iter().copied().filter(|&(down, right)| fits(down, rows) && fits(right, cols)).collect();
        let widest =
            |sizes: &mut dyn Iterator<Item = i32>| sizes.map(i32::unsigned_abs).max().unwrap_or(0) as usize;
        let margin =
            (widest(&mut moves.iter().map(|step| step.0)), widest(&mut moves.iter().map(|step| step.1)));
        let stride = cols + 2 * margin.1;
        let steps =
            moves.iter().map(|&(down, right)| down as isize * stride as isize + right as isize).collect();
        let mut field = Self {
            degree: vec![OUTSIDE; stride * (rows + 2 * margin.0)],
            stride,
            margin,
            rows,
            cols,
            steps,
            moves,
            free: board.len(),
        };
        for square in board.squares() {
            let at = field.cell(square);
            field.degree[at] = 0;
        }
        for square in board.squares() {
            let at = field.cell(square);
            field.degree[at] =
                (0..field.steps.len()).filter(|&i| field.is_free(field.to(at, i))).count() as u8;
        }
        field
    }

    /// Where a square is. Row 0 is the top rank, so that steps point down and right.
    pub(super) fn cell(&self, square: Square) -> usize {
        let row = self.rows - 1 - usize::from(square.rank());
        (row + self.margin.0) * self.stride + usize::from(square.file()) + self.margin.1
    }

    /// The square at a place.
    pub(super) fn square(&self, cell: usize) -> Square {
        let (row, col) = self.place(cell);
        Square::new(col as u16, (self.rows - 1 - row) as u16)
    }

    /// Row and column of a place, from the top left.
    pub(super) fn place(&self, cell: usize) -> (usize, usize) {
        (cell / self.stride - self.margin.0, cell % self.stride - self.margin.1)
    }

    /// Rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Free squares left.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// How many moves there are in the order.
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The moves as (down, right), in their order.
    pub(super) fn moves(&self) -> &[Step] {
        &self.moves
    }

    /// Where the `i`-th move leads.
    #[inline(always)]
    pub(super) fn to(&self, cell: usize, i: usize) -> usize {
        cell.wrapping_add_signed(self.steps[i])
    }

    /// Whether a square is free.
    #[inline(always)]
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.degree[cell] < TAKEN
    }

    /// The free neighbours of a free square; 128 or more for others.
    #[inline(always)]
    pub(super) fn degree(&self, cell: usize) -> u8 {
        self.degree[cell]
    }

    /// Takes a free square.
    #[inline(always)]
    pub(super) fn enter(&mut self, cell: usize) {
        self.degree[cell] += TAKEN;
        self.free -= 1;
        for i in 0..self.steps.len() {
            let to = self.to(cell, i);
            self.degree[to] -= 1;
        }
    }

    /// Frees a taken square.
    pub(super) fn leave(&mut self, cell: usize) {
        self.degree[cell] -= TAKEN;
        self.free += 1;
        for i in 0..self.steps.len() {
            let to = self.to(cell, i);
            self.degree[to] += 1;
        }
    }
}
