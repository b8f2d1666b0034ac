//! The layers of a box on the page: side by side with a column between them, or one below the other.
//!
//! ```text
//! 3 6 - 4 5      3 6    layer 1
//! 2 7 - 1 8      2 7
//!
//!                4 5    layer 2
//!                1 8
//! ```
//!
//! Grids store layers side by side; stacked layers in the input are rearranged.

use crate::board::{Board, BoardSides, BoxSides, BoxSquare, LatticeBoard, Leaper, Piece, Square, Wrap};

use crate::tour::read_error::ReadErrorKind;
use crate::tour::vertex_positions::VertexPositions;

/// Number of layers of a box on a page, and rows and columns of each layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tour) struct BoxLayers {
    pub(in crate::tour) count: usize,
    pub(in crate::tour) rows: usize,
    pub(in crate::tour) cols: usize,
}

impl BoxLayers {
    /// Returns the layers of a board, or `None` if it has only one.
    pub(in crate::tour) fn from_positions(positions: &VertexPositions<'_>) -> Option<Self> {
        let (starts, cols) = positions.panels();
        let number = starts.count();
        (number > 1).then_some(Self { count: number, rows: positions.rows().into(), cols: cols.into() })
    }

    /// Returns the layers of a grid whose gap columns are those for which `is_between` is true, or `None` if
    /// the layers differ in width.
    pub(in crate::tour) fn from_gap_columns(
        rows: usize,
        cols: usize,
        is_between: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let width = (0..cols).find(|&col| is_between(col))?;
        let period = width + 1;
        let fits = width > 0
            && (cols + 1).is_multiple_of(period)
            && (0..cols).all(|col| is_between(col) == (col % period == width));
        fits.then_some(Self { count: (cols + 1) / period, rows, cols: width })
    }

    /// Returns the number of columns of all layers side by side.
    pub(in crate::tour) const fn width(self) -> usize {
        self.count * (self.cols + 1) - 1
    }

    /// Rearranges the cells of stacked layers side by side, with `between` in the gap columns.
    pub(in crate::tour) fn side_by_side(self, cells: &[u32], between: u32) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.rows * self.width());
        for row in 0..self.rows {
            for layer in 0..self.count {
                if layer > 0 {
                    all.push(between);
                }
                let at = (layer * self.rows + row) * self.cols;
                all.extend_from_slice(&cells[at..at + self.cols]);
            }
        }
        all
    }

    /// Returns the layer, from 0, at a position on the page.
    pub(in crate::tour) fn layer_of(self, square: Square) -> usize {
        usize::from(square.file()) / (self.cols + 1)
    }

    /// Returns the square of the box at a position on the page, or `None` between two layers.
    pub(in crate::tour) fn box_square(self, to_square: Square) -> Option<BoxSquare> {
        let file = usize::from(to_square.file()) % (self.cols + 1);
        let square = Square::new(file as u16, to_square.rank());
        (file < self.cols).then(|| BoxSquare::new(square, self.layer_of(to_square) as u16))
    }

    /// Returns the box without the squares at the positions `holes` on the page.
    ///
    /// # Errors
    /// If the box is impossible, such as one with too many squares.
    pub(in crate::tour) fn to_board(
        self,
        holes: impl Iterator<Item = Square>,
        leaper: Leaper,
    ) -> Result<Board, ReadErrorKind> {
        // Sides that exceed 16 bits are rejected as too large.
        let side = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let sides = BoxSides::new(side(self.count), side(self.rows), side(self.cols))?;
        let holes = holes.filter_map(|square| self.box_square(square));
        Ok(LatticeBoard::new(BoardSides::Box(sides), Wrap::None, Piece::from(leaper))
            .without_box_squares(holes)?
            .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_by_side_rearranges_stacked_layers() {
        let layers = BoxLayers { count: 3, rows: 2, cols: 2 };
        let cells: Vec<u32> = (1..=12).collect();
        assert_eq!(layers.side_by_side(&cells, 0), [1, 2, 0, 5, 6, 0, 9, 10, 3, 4, 0, 7, 8, 0, 11, 12]);
        assert_eq!(layers.width(), 8);
        let cube = |name: &str| layers.box_square(name.parse().unwrap()).map(|cube| cube.to_string());
        assert_eq!(
            [cube("a1"), cube("b2"), cube("c1"), cube("g2")].map(Option::unwrap_or_default),
            ["a1.1", "b2.1", "", "a2.3"]
        );
        let board =
            layers.to_board(["h1", "f2"].map(|name| name.parse().unwrap()).into_iter(), Leaper::default());
        assert_eq!(board.unwrap().to_string(), "board=3x2x2 piece=1,2 remove=b1.3");
        let box_of: Board = "board=3x2x2 piece=1,2 remove=-".parse().unwrap();
        assert_eq!(BoxLayers::from_positions(&VertexPositions::of_board(&box_of).unwrap()), Some(layers));
        assert_eq!(
            BoxLayers::from_positions(&VertexPositions::of_board(&"5x5".parse().unwrap()).unwrap()),
            None
        );
    }

    #[test]
    fn from_gap_columns_requires_even_spacing() {
        let beside =
            |cols, between: &[usize]| BoxLayers::from_gap_columns(2, cols, |col| between.contains(&col));
        assert_eq!(beside(8, &[2, 5]), Some(BoxLayers { count: 3, rows: 2, cols: 2 }));
        assert_eq!(beside(3, &[1]), Some(BoxLayers { count: 2, rows: 2, cols: 1 }));
        for (cols, between) in
            [(8, &[2][..]), (8, &[]), (8, &[2, 6]), (3, &[0, 2]), (8, &[2, 4, 5]), (7, &[3, 6])]
        {
            assert_eq!(beside(cols, between), None, "{between:?}");
        }
    }
}
