//! [`DegreeGrid`] stores the board as a byte array with a margin as wide as the longest step, so that no move
//! needs a bounds test. A byte below 128 is the *degree* of a free square: its number of free neighbours.
//! Bytes from 128 on are visited, removed or outside.
//!
//! ```text
//! 3x3, the knight:   # # # # # # #        entering a square subtracts one from each
//!                    # # # # # # #        neighbour, leaving it (backtracking) adds one:
//!                    # # 2 2 2 # #        16 bytes touched a move
//!                    # # 2 0 2 # #
//!                    # # 2 2 2 # #
//! ```

use crate::board::{Board, Square};

/// A step as (down, right).
pub type Step = (i32, i32);

/// Offset added to the degree of a square that is not free.
const TAKEN: u8 = 128;
/// Value of squares outside the board; no number of neighbours brings it below 128.
const OUTSIDE: u8 = TAKEN + 64;

/// The squares of a board and the number of free neighbours of each.
#[derive(Clone, Debug)]
pub(super) struct Field {
    degree: Vec<u8>,
    stride: usize,
    /// Rows above and below the board, columns left and right of it.
    margin: (usize, usize),
    rows: usize,
    cols: usize,
    /// The steps in their order, as cell offsets.
    steps: Vec<isize>,
    /// The steps in their order, as (down, right).
    moves: Vec<Step>,
    free: usize,
}

impl Field {
    /// Creates the grid of a board with all squares free. `moves` is the order of steps; steps longer than
    /// the board are left out.
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

    /// Returns the cell of a square. Row 0 is the top rank, so that steps point down and right.
    pub(super) fn cell(&self, square: Square) -> usize {
        let row = self.rows - 1 - usize::from(square.rank());
        (row + self.margin.0) * self.stride + usize::from(square.file()) + self.margin.1
    }

    /// Returns the square of a cell.
    pub(super) fn square(&self, cell: usize) -> Square {
        let (row, col) = self.place(cell);
        Square::new(col as u16, (self.rows - 1 - row) as u16)
    }

    /// Returns row and column of a cell, from the top left.
    pub(super) fn place(&self, cell: usize) -> (usize, usize) {
        (cell / self.stride - self.margin.0, cell % self.stride - self.margin.1)
    }

    /// Returns the number of rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Returns the number of free squares.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// Returns the number of steps in the order.
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns the steps as (down, right), in their order.
    pub(super) fn moves(&self) -> &[Step] {
        &self.moves
    }

    /// Returns the cell that the `i`-th step leads to.
    #[inline(always)]
    pub(super) fn to(&self, cell: usize, i: usize) -> usize {
        cell.wrapping_add_signed(self.steps[i])
    }

    /// Returns true if a cell is free.
    #[inline(always)]
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.degree[cell] < TAKEN
    }

    /// Returns the number of free neighbours of a free cell; 128 or more for other cells.
    #[inline(always)]
    pub(super) fn degree(&self, cell: usize) -> u8 {
        self.degree[cell]
    }

    /// Marks a free cell as visited.
    #[inline(always)]
    pub(super) fn enter(&mut self, cell: usize) {
        self.degree[cell] += TAKEN;
        self.free -= 1;
        for i in 0..self.steps.len() {
            let to = self.to(cell, i);
            self.degree[to] -= 1;
        }
    }

    /// Marks a visited cell as free.
    pub(super) fn leave(&mut self, cell: usize) {
        self.degree[cell] -= TAKEN;
        self.free += 1;
        for i in 0..self.steps.len() {
            let to = self.to(cell, i);
            self.degree[to] += 1;
        }
    }
}
