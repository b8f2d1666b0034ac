//! A [`LatticeSymmetry`] is a map of the plane that a wrapped board unrolls to. Such maps serve two purposes:
//! they are candidates for symmetries of the board, and they describe how edges are joined.
//!
//! ```text
//! wrap, sides -> edge gluings: one map for each seam, from a square of the plane to an equivalent one
//! ```
//!
//! A map of the plane induces a map of the board if it maps equivalent squares to equivalent squares.

use super::wrap::Seam;
use super::{Symmetry, Wrap};

/// A square of the plane: column and row.
pub(super) type PlanePoint = (i64, i64);

/// A map of the plane that preserves the set of a leaper's steps. In this order: exchanges columns and rows
/// (`swaps_axes`), negates columns and rows (`flips`), and translates (`shift`).
#[derive(Clone, Copy, Debug)]
pub(super) struct LatticeSymmetry {
    pub(super) swaps_axes: bool,
    pub(super) flips: (bool, bool),
    pub(super) shift: PlanePoint,
}

impl LatticeSymmetry {
    /// Returns one map for each joined pair of edges of a rectangle of `cols` columns and `rows` rows. The
    /// map sends each square of the plane to an equivalent square.
    pub(super) fn edge_gluings(wrap: Wrap, (cols, rows): PlanePoint) -> Vec<Self> {
        let (across, along) = wrap.seams();
        let joint = |flips, by| Self { swaps_axes: false, flips, shift: by };
        let mut joints = Vec::new();
        if across != Seam::Open {
            let flip = across == Seam::Twisted;
            joints.push(joint((false, flip), (cols, if flip { rows - 1 } else { 0 })));
        }
        if along != Seam::Open {
            let flip = along == Seam::Twisted;
            joints.push(joint((flip, false), (if flip { cols - 1 } else { 0 }, rows)));
        }
        joints
    }

    /// Returns the image of a square.
    pub(super) const fn apply(self, (col, row): PlanePoint) -> PlanePoint {
        let (col, row) = if self.swaps_axes { (row, col) } else { (col, row) };
        let (col, row) = (if self.flips.0 { -col } else { col }, if self.flips.1 { -row } else { row });
        (col + self.shift.0, row + self.shift.1)
    }

    /// Returns the rectangle's symmetry that equals this map up to a translation.
    pub(super) const fn symmetry(self) -> Symmetry {
        match (self.swaps_axes, self.flips) {
            (false, (false, false)) => Symmetry::Identity,
            (false, (false, true)) => Symmetry::FlipVertical,
            (false, (true, false)) => Symmetry::FlipHorizontal,
            (false, (true, true)) => Symmetry::Rotate180,
            (true, (false, false)) => Symmetry::FlipDiagonal,
            (true, (false, true)) => Symmetry::Rotate270,
            (true, (true, false)) => Symmetry::Rotate90,
            (true, (true, true)) => Symmetry::FlipAntiDiagonal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_gluings_map_squares_to_equivalent_squares() {
        for wrap in Wrap::ALL {
            let joints = LatticeSymmetry::edge_gluings(wrap, (4, 3));
            let (across, along) = wrap.seams();
            let seams = [across, along].into_iter().filter(|&seam| seam != Seam::Open).count();
            assert_eq!(joints.len(), seams, "{wrap}");
            for square in (0..4).flat_map(|col| (0..3).map(move |row| (col, row))) {
                for joint in &joints {
                    assert_eq!(wrap.reduce(joint.apply(square), (4, 3)), Some(square), "{wrap}");
                }
            }
        }
    }

    #[test]
    fn quarter_and_half_turns_have_their_symmetry() {
        let turn = |swap, flips| LatticeSymmetry { swaps_axes: swap, flips, shift: (0, 0) };
        let quarter = turn(true, (true, false));
        assert_eq!((quarter.apply((1, 0)), quarter.symmetry()), ((0, 1), Symmetry::Rotate90));
        let half = turn(false, (true, true));
        assert_eq!((half.apply((1, 2)), half.symmetry()), ((-1, -2), Symmetry::Rotate180));
    }
}
