//! [`VertexPositions`]: the position of each vertex of a board in grids and pictures.
//!
//! The positions on a rectangle are computed from the vertex numbers, so a rectangle of millions of
//! squares needs no table. Other boards need a [`Layout`]; a board without layout has no positions.

use std::collections::HashMap;

use crate::board::{Board, Layout, Rectangle, Square};

/// Error for a board whose vertices have no positions. The field is the title of the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} has no layout for grids or terminal pictures; write its tours as names, or draw them as SVG or PNG"
)]
pub struct NoLayout(String);

/// Positions of the vertices of a board on a grid of rows and columns, with at most one vertex at
/// each position.
#[derive(Clone, Copy, Debug)]
pub(super) enum VertexPositions<'a> {
    Rectangle(&'a Rectangle),
    Layout(&'a Layout),
}

impl<'a> VertexPositions<'a> {
    /// Returns the positions of the vertices of `board`, or [`NoLayout`] if it has none.
    pub(super) fn of_board(board: &'a Board) -> Result<Self, NoLayout> {
        match board.leaper_board() {
            Some(rectangle) => Ok(Self::Rectangle(rectangle.rectangle())),
            None => board.layout().map(Self::Layout).ok_or_else(|| NoLayout(board.title())),
        }
    }

    pub(super) const fn rows(&self) -> u16 {
        match self {
            Self::Rectangle(board) => board.rows(),
            Self::Layout(layout) => layout.rows(),
        }
    }

    pub(super) const fn cols(&self) -> u16 {
        match self {
            Self::Rectangle(board) => board.cols(),
            Self::Layout(layout) => layout.cols(),
        }
    }

    /// Returns the first column of each panel, and the number of columns of one panel. A panel is a
    /// layer of a box, or the whole board.
    pub(super) fn panels(&self) -> (impl Iterator<Item = u16> + use<>, u16) {
        let width = match self {
            Self::Rectangle(board) => board.cols(),
            Self::Layout(layout) => layout.panel_cols(),
        };
        ((0..self.cols()).step_by(usize::from(width) + 1), width)
    }

    /// Returns the file that a column has within its panel; `None` for a column between two panels.
    pub(super) fn file_of_column(&self, column: u16) -> Option<u16> {
        let width = self.panels().1;
        let file = column % width.saturating_add(1);
        (file < width).then_some(file)
    }

    /// Returns the number of the box layer, from 1, that contains the position `square`; `None` if
    /// the board has only one layer.
    pub(super) fn layer_of(&self, square: Square) -> Option<u16> {
        let width = self.panels().1;
        (width < self.cols()).then(|| square.file() / width.saturating_add(1) + 1)
    }

    /// Returns true if edges of the board are joined, so that stubs of moves reach beyond the
    /// board.
    pub(super) fn has_joined_edges(&self) -> bool {
        match self {
            Self::Rectangle(_) => false,
            Self::Layout(layout) => layout.panel_cols() == layout.cols() && layout.seams().next().is_some(),
        }
    }

    /// Returns the position of vertex `v`.
    pub(super) fn position(&self, v: u32) -> Square {
        match self {
            Self::Rectangle(board) => board.square(v),
            Self::Layout(layout) => layout.positions()[v as usize],
        }
    }

    /// Returns the positions of all vertices, in order of the vertices.
    pub(super) fn positions(&self) -> Box<dyn Iterator<Item = Square> + 'a> {
        match self {
            Self::Rectangle(board) => Box::new(board.squares()),
            Self::Layout(layout) => Box::new(layout.positions().iter().copied()),
        }
    }

    /// Returns a function that maps a position to the vertex at that position, or to `None`.
    pub(super) fn vertex_lookup(self) -> Box<dyn Fn(Square) -> Option<u32> + 'a> {
        match self {
            Self::Rectangle(board) => Box::new(|square| board.index(square)),
            Self::Layout(layout) => {
                let vertices: HashMap<Square, u32> = layout.positions().iter().copied().zip(0..).collect();
                Box::new(move |square| vertices.get(&square).copied())
            }
        }
    }

    /// Returns the letters of the file of each column; `None` for a column between two panels.
    pub(super) fn file_names(&self) -> Vec<Option<String>> {
        let letters = |file| Square::new(file, 0).to_string().trim_end_matches('1').to_owned();
        (0..self.cols()).map(|column| self.file_of_column(column).map(letters)).collect()
    }

    /// Returns the positions of the panels that have no vertex, ascending.
    pub(super) fn holes(&self) -> Vec<Square> {
        match self {
            Self::Rectangle(board) => board.removed().to_vec(),
            Self::Layout(layout) => {
                let rows = (0..).zip(layout.by_rows());
                rows.flat_map(|(rank, row)| {
                    let empty = (0..).zip(row).filter(|(_, vertex)| vertex.is_none());
                    let squares = empty.map(|(column, _)| Square::new(column, rank));
                    squares.filter(|square| self.file_of_column(square.file()).is_some()).collect::<Vec<_>>()
                })
                .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph};

    #[test]
    fn rectangles_and_layouts_give_equal_positions() {
        let rectangle: Board = "board=2x2 piece=0,1 remove=b1".parse().unwrap();
        let squares: Vec<Square> = ["a1", "a2", "b2"].map(|name| name.parse().unwrap()).to_vec();
        let custom_graph = CustomGraph::new(Graph::from_edges(3, [(0, 1), (1, 2)]));
        let graph = Board::new(custom_graph.clone().with_layout(Layout::new(2, 2, squares.clone())).unwrap());
        for board in [rectangle, graph] {
            let found = VertexPositions::of_board(&board).unwrap();
            assert_eq!((found.rows(), found.cols(), found.holes()), (2, 2, vec!["b1".parse().unwrap()]));
            assert_eq!(found.positions().collect::<Vec<_>>(), squares);
            assert!((0..3).all(|v| found.position(v) == squares[v as usize]));
            assert!((0..3).all(|v| found.vertex_lookup()(squares[v as usize]) == Some(v)));
            assert_eq!(found.vertex_lookup()("b1".parse().unwrap()), None);
        }
        let nowhere = VertexPositions::of_board(&Board::new(custom_graph)).unwrap_err().to_string();
        assert!(nowhere.contains("graph of 3 vertices"), "{nowhere}");
    }
}
