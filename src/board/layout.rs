//! [`Layout`]: the positions of the vertices of a board in the plane.
//!
//! Pictures, grids of numbers and line-by-line sweep orders need positions; counts do not. A *seam*
//! is a place where edges of the board are joined, or the gap between two layers of a box. A move
//! across a seam is not drawn as one straight line.

use std::collections::{BTreeMap, BTreeSet};

use super::Square;

/// Steps (right, up) of a move across a seam: the step from its lower vertex, and the step from its
/// higher vertex. `None` if a step is not known.
type SeamSteps = [Option<(i32, i32)>; 2];

/// Positions of the vertices on a grid of rows and columns, with at most one vertex at each
/// position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    rows: u16,
    cols: u16,
    positions: Vec<Square>,
    /// Number of columns of one panel, which is the whole grid or a layer of a box. One empty
    /// column separates neighbouring panels.
    panel_cols: u16,
    /// Steps of the moves across a seam, by the lower and the higher vertex of the move.
    seams: BTreeMap<(u32, u32), SeamSteps>,
}

impl Layout {
    /// Creates a layout of `rows` rows and `cols` columns with vertex `v` at `positions[v]`.
    ///
    /// # Panics
    /// If a position is outside the grid, or two positions are equal.
    #[must_use]
    pub fn new(rows: u16, cols: u16, positions: Vec<Square>) -> Self {
        assert!(
            positions.iter().all(|square| square.rank() < rows && square.file() < cols),
            "every position must be on the grid"
        );
        let different: BTreeSet<Square> = positions.iter().copied().collect();
        assert_eq!(different.len(), positions.len(), "positions must be different");
        Self { rows, cols, positions, panel_cols: cols, seams: BTreeMap::new() }
    }

    /// Divides the layout into panels of `panel_cols` columns, separated by one empty column. Each
    /// panel is a layer of a box.
    ///
    /// # Panics
    /// If `panel_cols` is 0.
    #[must_use]
    pub fn with_panels(self, panel_cols: u16) -> Self {
        assert!(panel_cols > 0, "a panel must have at least one column");
        Self { panel_cols, ..self }
    }

    /// Marks moves as moves across a seam, without the steps by which they leave their vertices.
    #[must_use]
    pub fn with_seams(mut self, moves: impl IntoIterator<Item = (u32, u32)>) -> Self {
        for (v, w) in moves {
            self.seams.entry((v.min(w), v.max(w))).or_default();
        }
        self
    }

    /// Marks each move `(v, w, step)` as a move across a seam that leaves `v` by `step` (right,
    /// up). If `moves` contains several steps from `v` to `w`, only the first is stored.
    #[must_use]
    pub fn with_seam_steps(mut self, moves: impl IntoIterator<Item = (u32, u32, (i32, i32))>) -> Self {
        for (v, w, step) in moves {
            let steps = self.seams.entry((v.min(w), v.max(w))).or_default();
            steps[usize::from(v > w)].get_or_insert(step);
        }
        self
    }

    /// Returns the number of rows of the grid.
    #[must_use]
    pub const fn rows(&self) -> u16 {
        self.rows
    }

    /// Returns the number of columns of the grid.
    #[must_use]
    pub const fn cols(&self) -> u16 {
        self.cols
    }

    /// Returns the number of columns of one panel (a layer of a box); all columns if the layout is
    /// not divided into panels.
    #[must_use]
    pub const fn panel_cols(&self) -> u16 {
        self.panel_cols
    }

    /// Returns the position of each vertex as a square: the column is its file, the row from the
    /// bottom its rank.
    #[must_use]
    pub fn positions(&self) -> &[Square] {
        &self.positions
    }

    /// Returns the moves across a seam in ascending order, each with the lower vertex first.
    pub fn seams(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.seams.keys().copied()
    }

    /// Returns true if the move between `v` and `w` crosses a seam.
    #[must_use]
    pub fn is_over_seam(&self, v: u32, w: u32) -> bool {
        self.seams.contains_key(&(v.min(w), v.max(w)))
    }

    /// Returns the step (right, up) by which the move from `v` to `w` leaves `v` to cross a seam;
    /// `None` if the move does not cross a seam or its step is unknown.
    #[must_use]
    pub fn seam_step(&self, v: u32, w: u32) -> Option<(i32, i32)> {
        self.seams.get(&(v.min(w), v.max(w)))?[usize::from(v > w)]
    }

    /// Returns the vertices row by row from the bottom, with `None` for empty positions.
    #[must_use]
    pub fn by_rows(&self) -> Vec<Vec<Option<usize>>> {
        self.lines(self.rows, self.cols, |square| (square.rank(), square.file()))
    }

    /// Returns the vertices column by column from the left, with `None` for empty positions.
    #[must_use]
    pub fn by_cols(&self) -> Vec<Vec<Option<usize>>> {
        self.lines(self.cols, self.rows, |square| (square.file(), square.rank()))
    }

    /// Returns the vertices in `count` lines of `len` positions. `place` returns the line and the index of a square.
    fn lines(&self, count: u16, len: u16, place: fn(&Square) -> (u16, u16)) -> Vec<Vec<Option<usize>>> {
        let mut lines = vec![vec![None; usize::from(len)]; usize::from(count)];
        for (v, (line, at)) in self.positions.iter().map(place).enumerate() {
            lines[usize::from(line)][usize::from(at)] = Some(v);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_cols_and_seam_steps_of_a_small_layout() {
        let positions = ["a1", "c1", "b2"].map(|name| name.parse().unwrap());
        let layout = Layout::new(2, 3, positions.to_vec()).with_seams([(2, 0)]);
        assert_eq!(layout.by_rows(), [[Some(0), None, Some(1)], [None, Some(2), None]]);
        assert_eq!(layout.by_cols(), [[Some(0), None], [None, Some(2)], [Some(1), None]]);
        assert!(layout.is_over_seam(0, 2) && layout.is_over_seam(2, 0) && !layout.is_over_seam(0, 1));
        assert_eq!((layout.seam_step(0, 2), layout.seam_step(0, 1)), (None, None));
        let layout = layout.with_seam_steps([(2, 0, (-1, 0)), (2, 0, (1, 0)), (0, 2, (0, 1))]);
        assert_eq!((layout.seam_step(2, 0), layout.seam_step(0, 2)), (Some((-1, 0)), Some((0, 1))));
        assert_eq!(layout.seams().collect::<Vec<_>>(), [(0, 2)]);
    }

    #[test]
    #[should_panic(expected = "different")]
    fn new_rejects_equal_positions() {
        let _ = Layout::new(2, 2, vec![Square::new(0, 0); 2]);
    }
}
