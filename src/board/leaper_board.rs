//! [`LeaperBoard`]: a rectangle and a leaper that moves on it, the most frequent kind of board.
//!
//! ```text
//! board=6x8 piece=1,2 remove=a1,h6
//! ```
//!
//! This file also adds functions to [`Rectangle`] and [`SymmetryGroup`] that other kinds of board
//! share: the names of the squares of a rectangle, and the symmetries of a rectangle.

use super::board_kind::BoardKind;
use super::error::NameError;
use super::layout::Layout;
use super::symmetry_group::{Element, SymmetryGroup};
use super::{Graph, Leaper, Piece, Rectangle, Square, Symmetry, square};

/// A rectangle of squares, some of them removed, and a leaper that moves on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaperBoard {
    rectangle: Rectangle,
    leaper: Leaper,
}

impl LeaperBoard {
    /// Creates the board of all moves of `leaper` on `rectangle`.
    #[must_use]
    pub const fn new(rectangle: Rectangle, leaper: Leaper) -> Self {
        Self { rectangle, leaper }
    }

    /// Returns the rectangle of squares.
    #[must_use]
    pub const fn rectangle(&self) -> &Rectangle {
        &self.rectangle
    }

    /// Returns the leaper that moves on the board.
    #[must_use]
    pub const fn leaper(&self) -> Leaper {
        self.leaper
    }

    /// Returns true if the leaper is the knight.
    #[must_use]
    pub fn is_knight_board(&self) -> bool {
        self.leaper == Leaper::KNIGHT
    }

    /// Returns the numbers of rows and columns if no square is removed and the leaper is the
    /// knight; otherwise `None`.
    #[must_use]
    pub fn full_knight_size(&self) -> Option<(u16, u16)> {
        let is_full = self.is_knight_board() && self.rectangle.removed().is_empty();
        is_full.then(|| (self.rectangle.rows(), self.rectangle.cols()))
    }

    /// Returns true if a move leads from square number `v` to square number `w`. Does not compute
    /// the graph.
    #[must_use]
    pub fn is_move(&self, v: u32, w: u32) -> bool {
        self.leaper.can_move(self.rectangle.square(v), self.rectangle.square(w))
    }

    /// Returns the board with rows and columns exchanged: square `(rank, file)` moves to `(file, rank)`.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let flip = |square: &Square| Square::new(square.rank(), square.file());
        let board = Rectangle::new(self.rectangle.cols(), self.rectangle.rows())
            .and_then(|board| board.without(self.rectangle.removed().iter().map(flip)))
            .expect("the transpose of a board is a board");
        Self { rectangle: board, leaper: self.leaper }
    }
}

impl BoardKind for LeaperBoard {
    fn text_form(&self) -> String {
        let removed = square::format_squares(self.rectangle.removed());
        format!("board={} piece={} remove={removed}", self.rectangle, self.leaper)
    }

    fn title(&self) -> String {
        self.rectangle.to_string()
    }

    fn vertex_count(&self) -> usize {
        self.rectangle.len()
    }

    fn graph(&self) -> Graph {
        Graph::from_leaper(&self.rectangle, self.leaper)
    }

    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        Some(SymmetryGroup::from_rectangle(&self.rectangle))
    }

    fn piece(&self) -> Option<Piece> {
        Some(self.leaper.into())
    }

    fn removed_names(&self) -> Vec<String> {
        self.rectangle.removed().iter().map(ToString::to_string).collect()
    }

    fn name(&self, v: u32) -> String {
        self.rectangle.square(v).to_string()
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        self.rectangle.vertex_named(name)
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::new(self.rectangle.rows(), self.rectangle.cols(), self.rectangle.squares().collect()))
    }
}

impl SymmetryGroup {
    /// Returns the group of the symmetries of a rectangle that map its removed squares to removed
    /// squares: up to 8 elements, all with names. Cost O(8 x squares x log removed squares).
    #[must_use]
    pub fn from_rectangle(rectangle: &Rectangle) -> Self {
        let (rows, cols) = (rectangle.rows(), rectangle.cols());
        let image = |symmetry: Symmetry| -> Option<Vec<u32>> {
            let image = |square| rectangle.index(symmetry.apply(square, rows, cols));
            rectangle.squares().map(image).collect()
        };
        let possible = |symmetry: &Symmetry| rows == cols || !symmetry.needs_square();
        let element = |symmetry: Symmetry| Some(Element { names: vec![symmetry], image: image(symmetry)? });
        Self::new(Symmetry::ALL.into_iter().filter(possible).filter_map(element))
    }
}

impl Rectangle {
    /// Returns the number of the square with the given name, counted among the squares that are not
    /// removed.
    ///
    /// # Errors
    /// The name is not a square, or the square is outside the rectangle or removed.
    pub(super) fn vertex_named(&self, name: &str) -> Result<u32, NameError> {
        let square = name.parse()?;
        self.index(square).ok_or(NameError::NotOnBoard(square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str, removed: &[&str]) -> Rectangle {
        let removed = removed.iter().map(|s| s.parse().unwrap());
        text.parse::<Rectangle>().unwrap().without(removed).unwrap()
    }

    #[test]
    fn from_rectangle_has_expected_orders() {
        for (text, removed, order) in [
            ("6x6", &[][..], 8),
            ("5x6", &[], 4),
            ("1x1", &[], 1),
            ("1x5", &[], 2),
            ("4x4", &["a1"], 2),
            ("4x4", &["b1"], 1),
            ("4x4", &["a1", "d4"], 4),
            ("3x3", &["b2"], 8),
        ] {
            assert_eq!(
                SymmetryGroup::from_rectangle(&board(text, removed)).order(),
                order,
                "{text} {removed:?}"
            );
        }
    }

    #[test]
    fn elements_are_automorphisms_and_closed_under_composition() {
        for (board, leaper) in [
            (board("6x6", &[]), Leaper::KNIGHT),
            (board("4x7", &[]), Leaper::new(1, 3).unwrap()),
            (board("5x5", &["c3"]), Leaper::new(2, 3).unwrap()),
        ] {
            let graph = Graph::from_leaper(&board, leaper);
            let group = SymmetryGroup::from_rectangle(&board);
            for a in group.elements() {
                assert!(graph.has_automorphism(&a.image));
                for b in group.elements() {
                    let product: Vec<u32> = (0..graph.len()).map(|v| a.image[b.image[v] as usize]).collect();
                    assert!(group.elements().iter().any(|c| c.image == product));
                }
            }
        }
    }

    #[test]
    fn orbits_of_6x6_partition_the_squares() {
        let group = SymmetryGroup::from_rectangle(&board("6x6", &[]));
        let orbits = group.orbits();
        let mut sizes: Vec<usize> = orbits.iter().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 36);
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 4, 4, 8, 8, 8]);
    }

    #[test]
    fn half_turn_of_one_row_is_also_a_reflection() {
        let group = SymmetryGroup::from_rectangle(&board("1x5", &[]));
        assert_eq!(group.elements()[1].names, [Symmetry::Rotate180, Symmetry::FlipHorizontal]);
    }
}
