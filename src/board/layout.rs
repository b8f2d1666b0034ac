//! Where the vertices of an arena lie in the plane, if they lie anywhere.
//!
//! Pictures, grids of numbers, and the orders in which a board is swept line by line need
//! it; no count does. A move over a *seam*, where edges of a board are joined, is not
//! drawn straight.

use std::collections::{BTreeMap, BTreeSet};

use super::Square;

/// The steps (right, up) by which either end of a move is left, if they are known.
type Steps = [Option<(i32, i32)>; 2];

/// Places on a grid of rows and columns, at most one vertex at each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    rows: u16,
    cols: u16,
    places: Vec<Square>,
    /// Columns of a panel; between two of them is one that is empty.
    panel: u16,
    /// Moves over a seam, the lower vertex first.
    seams: BTreeMap<(u32, u32), Steps>,
}

impl Layout {
    /// Vertex `v` at the `v`-th of the places, all of them different and on the grid.
    ///
    /// # Panics
    /// If they are not.
    #[must_use]
    pub fn new(rows: u16, cols: u16, places: Vec<Square>) -> Self {
        assert!(
            places.iter().all(|place| place.rank() < rows && place.file() < cols),
            "places are on the grid"
        );
        let different: BTreeSet<Square> = places.iter().copied().collect();
        assert_eq!(different.len(), places.len(), "places are different");
        Self { rows, cols, places, panel: cols, seams: BTreeMap::new() }
    }

    /// The same in panels of so many columns, side by side with an empty column between them: the layers of a box.
    ///
    /// # Panics
    /// If a panel has no column.
    #[must_use]
    pub fn in_panels(self, panel: u16) -> Self {
        assert!(panel > 0, "a panel has columns");
        Self { panel, ..self }
    }

    /// The same with moves that go over a seam.
    #[must_use]
    pub fn with_seams(mut self, moves: impl IntoIterator<Item = (u32, u32)>) -> Self {
        for (v, w) in moves {
            self.seams.entry((v.min(w), v.max(w))).or_default();
        }
        self
    }

    /// The same with moves from `v` to `w` over a seam, which leave `v` by a step (right, up). Of several steps
    /// the first is kept.
    #[must_use]
    pub fn with_steps_over_seams(mut self, moves: impl IntoIterator<Item = (u32, u32, (i32, i32))>) -> Self {
        for (v, w, step) in moves {
            let steps = self.seams.entry((v.min(w), v.max(w))).or_default();
            steps[usize::from(v > w)].get_or_insert(step);
        }
        self
    }

    /// Rows of the grid.
    #[must_use]
    pub const fn rows(&self) -> u16 {
        self.rows
    }

    /// Columns of the grid.
    #[must_use]
    pub const fn cols(&self) -> u16 {
        self.cols
    }

    /// Columns of a panel: all, if there is but one.
    #[must_use]
    pub const fn panel(&self) -> u16 {
        self.panel
    }

    /// Where each vertex lies: its column as the file, its row from the bottom as the rank.
    #[must_use]
    pub fn places(&self) -> &[Square] {
        &self.places
    }

    /// Moves over a seam, the lower vertex first, ascending.
    pub fn seams(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.seams.keys().copied()
    }

    /// Whether a move goes over a seam.
    #[must_use]
    pub fn is_over_seam(&self, v: u32, w: u32) -> bool {
        self.seams.contains_key(&(v.min(w), v.max(w)))
    }

    /// The step (right, up) by which a move over a seam leaves `v` for `w`; `None` if it is no such move, or nobody
    /// knows.
    #[must_use]
    pub fn leaving(&self, v: u32, w: u32) -> Option<(i32, i32)> {
        self.seams.get(&(v.min(w), v.max(w)))?[usize::from(v > w)]
    }

    /// The vertices by row and column.
    #[must_use]
    pub fn by_rows(&self) -> Vec<Vec<Option<usize>>> {
        let mut lines = vec![vec![None; usize::from(self.cols)]; usize::from(self.rows)];
        for (v, place) in self.places.iter().enumerate() {
            lines[usize::from(place.rank())][usize::from(place.file())] = Some(v);
        }
        lines
    }

    /// The vertices by column and row.
    #[must_use]
    pub fn by_cols(&self) -> Vec<Vec<Option<usize>>> {
        let mut lines = vec![vec![None; usize::from(self.rows)]; usize::from(self.cols)];
        for (v, place) in self.places.iter().enumerate() {
            lines[usize::from(place.file())][usize::from(place.rank())] = Some(v);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_seams() {
        let places = ["a1", "c1", "b2"].map(|name| name.parse().unwrap());
        let layout = Layout::new(2, 3, places.to_vec()).with_seams([(2, 0)]);
        assert_eq!(layout.by_rows(), [[Some(0), None, Some(1)], [None, Some(2), None]]);
        assert_eq!(layout.by_cols(), [[Some(0), None], [None, Some(2)], [Some(1), None]]);
        assert!(layout.is_over_seam(0, 2) && layout.is_over_seam(2, 0) && !layout.is_over_seam(0, 1));
        assert_eq!((layout.leaving(0, 2), layout.leaving(0, 1)), (None, None));
        let layout = layout.with_steps_over_seams([(2, 0, (-1, 0)), (2, 0, (1, 0)), (0, 2, (0, 1))]);
        assert_eq!((layout.leaving(2, 0), layout.leaving(0, 2)), (Some((-1, 0)), Some((0, 1))));
        assert_eq!(layout.seams().collect::<Vec<_>>(), [(0, 2)]);
    }

    #[test]
    #[should_panic(expected = "different")]
    fn two_vertices_do_not_lie_at_one_place() {
        let _ = Layout::new(2, 2, vec![Square::new(0, 0); 2]);
    }
}
