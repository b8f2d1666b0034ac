//! A board as a grid of degrees, and the request for one walk on it.
//!
//! [`WalkRequest`] holds the goal and the random choices of one walk.
//!
//! [`DegreeGrid`] stores the board as a byte array with a margin as wide as the longest step, so
//! that no move needs a bounds test. A byte below 128 is the *degree* of a free square: its number
//! of free neighbours. Bytes from 128 on stand for squares that are visited, removed or outside the
//! board.
//!
//! ```text
//! 3x3, the knight:   # # # # # # #        entering a square subtracts one from each
//!                    # # # # # # #        neighbour, leaving it (backtracking) adds one:
//!                    # # 2 2 2 # #        16 bytes touched a move
//!                    # # 2 0 2 # #
//!                    # # 2 2 2 # #
//! ```

use crate::board::{Rectangle, Square};

/// A request for one walk on a board.
#[derive(Clone, Copy, Debug)]
pub struct WalkRequest {
    /// First square of the walk.
    pub start: Square,
    /// Last square of the walk, if it is fixed. It stays free until all other squares are visited.
    pub end: Option<Square>,
    /// True if the last square must be a move away from the first.
    pub closed: bool,
    /// True if the last square must not be a move away from the first.
    pub open: bool,
    /// Number of moves that may be taken back.
    pub max_backtracks: u64,
    /// The choices that are made at random.
    pub randomness: Randomness,
    /// Number of the attempt, used by the Squirrel-Cull rule: 0 selects the published table, other
    /// numbers select single orders.
    pub attempt: u64,
}

/// The random choices of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Randomness {
    /// No random choices: ties that the rule leaves are broken by the order of steps.
    #[default]
    None,
    /// Ties that the rule leaves are broken at random.
    Ties,
    /// As `Ties`; in addition, one in `STRAY_INTERVAL` of the rule's own decisions among tied
    /// squares is random. This is for boards on which the rule always runs into the same dead end.
    StrayingTies,
}

/// Average number of tie-breaks from one random tie-break to the next, in a walk with
/// [`Randomness::StrayingTies`].
pub const STRAY_INTERVAL: usize = 8;

/// A step as (down, right).
pub type Step = (i32, i32);

/// Offset added to the degree of a square that is not free.
const TAKEN_OFFSET: u8 = 128;
/// Value of the cells outside the board. No number of visited neighbours brings the value below
/// 128.
const OUTSIDE_VALUE: u8 = TAKEN_OFFSET + 64;

/// The squares of a board in a byte array with a margin, and the number of free neighbours of each
/// square.
#[derive(Clone, Debug)]
pub(super) struct DegreeGrid {
    degree: Vec<u8>,
    stride: usize,
    /// Size of the margin: the number of rows above and below the board, and of columns left and
    /// right of it.
    margin: (usize, usize),
    rows: usize,
    cols: usize,
    /// Offset in cells of each step, in the order of preference.
    offsets: Vec<isize>,
    /// The steps as (down, right), in the order of preference.
    ordered_steps: Vec<Step>,
    free: usize,
}

impl DegreeGrid {
    /// Creates the grid of a board with all squares free. `moves` is the order of steps; steps
    /// longer than the board are left out.
    pub(super) fn new(board: &Rectangle, moves: &[Step]) -> Self {
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
        let mut grid = Self {
            degree: vec![OUTSIDE_VALUE; stride * (rows + 2 * margin.0)],
            stride,
            margin,
            rows,
            cols,
            offsets: steps,
            ordered_steps: moves,
            free: board.len(),
        };
        for square in board.squares() {
            let at = grid.cell(square);
            grid.degree[at] = 0;
        }
        for square in board.squares() {
            let at = grid.cell(square);
            grid.degree[at] =
                (0..grid.offsets.len()).filter(|&i| grid.is_free(grid.target(at, i))).count() as u8;
        }
        grid
    }

    /// Returns the cell of a square: its index in the byte array. Row 0 is the top rank, so that
    /// steps point down and right.
    pub(super) fn cell(&self, square: Square) -> usize {
        let row = self.rows - 1 - usize::from(square.rank());
        (row + self.margin.0) * self.stride + usize::from(square.file()) + self.margin.1
    }

    /// Returns the square of a cell, which must be on the board.
    pub(super) fn square(&self, cell: usize) -> Square {
        let (row, col) = self.row_and_col(cell);
        Square::new(col as u16, (self.rows - 1 - row) as u16)
    }

    /// Returns row and column of a cell, counted from the top left square of the board.
    pub(super) fn row_and_col(&self, cell: usize) -> (usize, usize) {
        (cell / self.stride - self.margin.0, cell % self.stride - self.margin.1)
    }

    /// Returns the numbers of rows and columns of the board.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Returns the number of free squares.
    pub(super) fn free_squares(&self) -> usize {
        self.free
    }

    /// Returns the number of steps, without those longer than the board.
    pub(super) fn step_count(&self) -> usize {
        self.offsets.len()
    }

    /// Returns the steps as (down, right), in the order of preference.
    pub(super) fn ordered_steps(&self) -> &[Step] {
        &self.ordered_steps
    }

    /// Returns the cell to which the `i`-th step leads from `cell`.
    #[inline(always)]
    pub(super) fn target(&self, cell: usize, i: usize) -> usize {
        cell.wrapping_add_signed(self.offsets[i])
    }

    /// Returns true if a cell is a free square.
    #[inline(always)]
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.degree[cell] < TAKEN_OFFSET
    }

    /// Returns the number of free neighbours of a free cell. For other cells the number is 128 or
    /// more.
    #[inline(always)]
    pub(super) fn degree(&self, cell: usize) -> u8 {
        self.degree[cell]
    }

    /// Marks a free cell as visited, and subtracts 1 from the degree of its neighbours.
    #[inline(always)]
    pub(super) fn visit(&mut self, cell: usize) {
        self.degree[cell] += TAKEN_OFFSET;
        self.free -= 1;
        for i in 0..self.offsets.len() {
            let to = self.target(cell, i);
            self.degree[to] -= 1;
        }
    }

    /// Marks a visited cell as free, and adds 1 to the degree of its neighbours.
    pub(super) fn unvisit(&mut self, cell: usize) {
        self.degree[cell] -= TAKEN_OFFSET;
        self.free += 1;
        for i in 0..self.offsets.len() {
            let to = self.target(cell, i);
            self.degree[to] += 1;
        }
    }
}
