//! The symmetries of a board and the orbits of its squares.
//!
//! A rectangle has 4 symmetries, a square 8; removed squares leave only those
//! that map the holes to holes. Every one of them maps leaper moves to leaper
//! moves, so it permutes the tours. Counting from one square of each orbit (a
//! *fundamental region*) and multiplying by the orbit's size gives the total.
//!
//! ```text
//! 6x6: 6 orbits, one representative each    A B C . . .
//!                                           . D E . . .
//!                                           . . F . . .
//! ```

use super::{Board, Square};

/// One of the eight symmetries of a square, acting on squares of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// Everything stays.
    Identity,
    /// A quarter turn, counter-clockwise (square boards).
    Rotate90,
    /// A half turn.
    Rotate180,
    /// A quarter turn, clockwise (square boards).
    Rotate270,
    /// Ranks reversed: top and bottom change places.
    FlipVertical,
    /// Files reversed: left and right change places.
    FlipHorizontal,
    /// Reflection in the diagonal through `a1` (square boards).
    FlipDiagonal,
    /// Reflection in the other diagonal (square boards).
    FlipAntiDiagonal,
}

impl Symmetry {
    /// All eight, identity first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Rotate90,
        Self::Rotate180,
        Self::Rotate270,
        Self::FlipVertical,
        Self::FlipHorizontal,
        Self::FlipDiagonal,
        Self::FlipAntiDiagonal,
    ];

    /// Whether it exchanges rows and columns, so that only square boards have it.
    #[must_use]
    pub const fn needs_square(self) -> bool {
        matches!(self, Self::Rotate90 | Self::Rotate270 | Self::FlipDiagonal | Self::FlipAntiDiagonal)
    }

    /// The image of a square of a `rows` x `cols` board.
    ///
    /// # Panics
    /// If the square is outside the board, or the board is not square where [`Self::needs_square`].
    #[must_use]
    pub fn apply(self, square: Square, rows: u16, cols: u16) -> Square {
        assert!(square.file() < cols && square.rank() < rows, "{square} is not on {rows}x{cols}");
        assert!(rows == cols || !self.needs_square(), "{self:?} needs a square board");
        let (file, rank) = (square.file(), square.rank());
        let (far_file, far_rank) = (cols - 1 - file, rows - 1 - rank);
        match self {
            Self::Identity => square,
            Self::Rotate90 => Square::new(far_rank, file),
            Self::Rotate180 => Square::new(far_file, far_rank),
            Self::Rotate270 => Square::new(rank, far_file),
            Self::FlipVertical => Square::new(file, far_rank),
            Self::FlipHorizontal => Square::new(far_file, rank),
            Self::FlipDiagonal => Square::new(rank, file),
            Self::FlipAntiDiagonal => Square::new(far_rank, far_file),
        }
    }
}

/// A symmetry together with its permutation of a graph's vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Which symmetry.
    pub symmetry: Symmetry,
    /// Image of vertex `v` at place `v`.
    pub image: Vec<u32>,
}

/// The symmetries that map a board to itself, identity first; always a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetryGroup {
    elements: Vec<Element>,
}

impl SymmetryGroup {
    /// The group of a board: up to 8 elements. Cost O(8 x squares x log holes).
    #[must_use]
    pub fn of(board: &Board) -> Self {
        Self { elements: Self::all_of(board) }.deduplicated()
    }

    /// The symmetries that map a board to itself, those that act alike on its squares included.
    fn all_of(board: &Board) -> Vec<Element> {
        let (rows, cols) = (board.rows(), board.cols());
        let squares: Vec<Square> = board.squares().collect();
        Symmetry::ALL
            .into_iter()
            .filter(|symmetry| rows == cols || !symmetry.needs_square())
            .filter_map(|symmetry| {
                let image = squares
                    .iter()
                    .map(|&square| {
                        let to = squares.binary_search(&symmetry.apply(square, rows, cols)).ok()?;
                        Some(u32::try_from(to).expect("a board has fewer than 2^32 squares"))
                    })
                    .collect::<Option<Vec<u32>>>()?;
                Some(Element { symmetry, image })
            })
            .collect()
    }

    /// For each element of a board's group all the symmetries that act as it does: on 1 x n, for one, a half
    /// turn is a reflection as well.
    #[must_use]
    pub fn alike(&self, board: &Board) -> Vec<Vec<Symmetry>> {
        let all = Self::all_of(board);
        let alike = |element: &Element| {
            all.iter().filter(|other| other.image == element.image).map(|other| other.symmetry).collect()
        };
        self.elements.iter().map(alike).collect()
    }

    /// The group of one element, on `len` vertices.
    #[must_use]
    pub fn trivial(len: usize) -> Self {
        let image = (0..len as u32).collect();
        Self { elements: vec![Element { symmetry: Symmetry::Identity, image }] }
    }

    /// On thin boards (1 x n) two symmetries can act alike; one of them is enough.
    fn deduplicated(mut self) -> Self {
        let mut kept: Vec<Element> = Vec::with_capacity(self.elements.len());
        for element in self.elements.drain(..) {
            if kept.iter().all(|other| other.image != element.image) {
                kept.push(element);
            }
        }
        Self { elements: kept }
    }

    /// The elements, identity first.
    #[must_use]
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// How many elements.
    #[must_use]
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// The elements for which `keep` holds; the caller must ask for a subgroup (a stabiliser).
    #[must_use]
    pub fn stabiliser(&self, keep: impl Fn(&[u32]) -> bool) -> Self {
        let elements: Vec<Element> =
            self.elements.iter().filter(|element| keep(&element.image)).cloned().collect();
        debug_assert!(!elements.is_empty(), "the identity stabilises everything");
        Self { elements }
    }

    /// The orbits of the vertices, each ascending, ordered by their lowest vertex.
    /// The lowest vertices together are the fundamental region.
    #[must_use]
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        let len = self.elements.first().map_or(0, |identity| identity.image.len());
        let mut seen = vec![false; len];
        let mut orbits = Vec::new();
        for v in 0..len {
            if seen[v] {
                continue;
            }
            let mut orbit: Vec<u32> = self.elements.iter().map(|e| e.image[v]).collect();
            orbit.sort_unstable();
            orbit.dedup();
            for &w in &orbit {
                seen[w as usize] = true;
            }
            orbits.push(orbit);
        }
        orbits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, Leaper};

    fn board(text: &str, removed: &[&str]) -> Board {
        let removed = removed.iter().map(|s| s.parse().unwrap());
        text.parse::<Board>().unwrap().without(removed).unwrap()
    }

    #[test]
    fn group_orders() {
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
            assert_eq!(SymmetryGroup::of(&board(text, removed)).order(), order, "{text} {removed:?}");
        }
    }

    #[test]
    fn elements_are_automorphisms_and_closed_under_composition() {
        for (board, leaper) in [
            (board("6x6", &[]), Leaper::KNIGHT),
            (board("4x7", &[]), Leaper::new(1, 3).unwrap()),
            (board("5x5", &["c3"]), Leaper::new(2, 3).unwrap()),
        ] {
            let graph = Graph::new(&board, leaper);
            let group = SymmetryGroup::of(&board);
            for a in group.elements() {
                for v in 0..graph.len() {
                    for &w in graph.neighbours(v) {
                        assert!(graph.is_edge(a.image[v] as usize, a.image[w as usize] as usize));
                    }
                }
                for b in group.elements() {
                    let product: Vec<u32> = (0..graph.len()).map(|v| a.image[b.image[v] as usize]).collect();
                    assert!(group.elements().iter().any(|c| c.image == product));
                }
            }
        }
    }

    #[test]
    fn orbits_partition_the_board() {
        let group = SymmetryGroup::of(&board("6x6", &[]));
        let orbits = group.orbits();
        let mut sizes: Vec<usize> = orbits.iter().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 36);
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 4, 4, 8, 8, 8]);
    }
}
