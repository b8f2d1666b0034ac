//! [`Wrap`], the way in which opposite edges of a rectangle are joined, and [`LatticeSymmetry`],
//! the symmetries of the plane that a wrapped board unrolls to.
//!
//! A wrapped board is the plane of squares, rolled up: a step across one edge continues at the
//! joined edge. Infinitely many squares of the plane are the same square of the board; the one
//! inside the rectangle represents them, and each of them is *reduced* to it.
//!
//! ```text
//! cols         6 0 1 2 3 4 5 6 0      column C+1 is column 1: a cylinder
//! mobius       like cols, with a twist: row r continues as row R+1-r
//! rows, torus  rows joined, or both; klein: columns as mobius, rows straight; projective: both twisted
//! ```
//!
//! A [`LatticeSymmetry`] is a map of the unrolled plane to itself. Such maps serve two purposes:
//! they are candidates for symmetries of the board, and they describe the joined edges.
//!
//! ```text
//! wrap, sides -> edge gluings: one map for each seam, from a square of the plane to an equivalent one
//! ```
//!
//! Two squares of the plane are equivalent if they are the same square of the board. A map of the
//! plane is also a map of the board if it maps equivalent squares to equivalent squares.

use std::fmt;
use std::str::FromStr;

use super::Symmetry;

/// The way in which the opposite edges of a rectangle are joined, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// No edges joined.
    #[default]
    None,
    /// Left edge joined to the right edge: a cylinder.
    Cols,
    /// Lower edge joined to the upper edge: a cylinder.
    Rows,
    /// Both pairs of edges joined: a torus.
    Torus,
    /// Left edge joined to the right edge with a twist: a Moebius strip.
    Mobius,
    /// Left edge joined to the right edge with a twist, lower edge to the upper edge without: a Klein bottle.
    Klein,
    /// Both pairs of edges joined with a twist: a projective plane.
    Projective,
}

/// The way in which one pair of opposite edges is joined: not at all, straight, or with a twist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    Open,
    Straight,
    Twisted,
}

/// Error for a text that is not the name of a [`Wrap`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a way to join edges; write cols, rows, torus, mobius, klein, projective or none")]
pub struct WrapError(String);

impl Wrap {
    /// All ways to join the edges of a rectangle, [`Wrap::None`] first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Cols, Self::Rows, Self::Torus, Self::Mobius, Self::Klein, Self::Projective];

    /// Returns the name as it is written in a text form, such as `torus` in `wrap=torus`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Cols => "cols",
            Self::Rows => "rows",
            Self::Torus => "torus",
            Self::Mobius => "mobius",
            Self::Klein => "klein",
            Self::Projective => "projective",
        }
    }

    /// Returns other names that are read as this way.
    #[must_use]
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Cols => &["cylinder"],
            Self::Mobius => &["moebius", "möbius"],
            _ => &[],
        }
    }

    /// Returns how the left edge is joined to the right edge, and how the lower edge is joined to
    /// the upper edge.
    pub(super) const fn seams(self) -> (Seam, Seam) {
        match self {
            Self::None => (Seam::Open, Seam::Open),
            Self::Cols => (Seam::Straight, Seam::Open),
            Self::Rows => (Seam::Open, Seam::Straight),
            Self::Torus => (Seam::Straight, Seam::Straight),
            Self::Mobius => (Seam::Twisted, Seam::Open),
            Self::Klein => (Seam::Twisted, Seam::Straight),
            Self::Projective => (Seam::Twisted, Seam::Twisted),
        }
    }

    /// Returns the square of the board that a square of the plane is equivalent to; `None` if the
    /// square lies beyond an open edge. Squares are given by column and row from 0; the board has
    /// `cols` columns and `rows` rows.
    #[must_use]
    pub fn reduce(self, (col, row): (i64, i64), (cols, rows): (i64, i64)) -> Option<(i64, i64)> {
        let (across, along) = self.seams();
        let (times, mut col) = (col.div_euclid(cols), col.rem_euclid(cols));
        let row = match across {
            Seam::Open if times != 0 => return None,
            Seam::Twisted if times % 2 != 0 => rows - 1 - row,
            _ => row,
        };
        let (times, row) = (row.div_euclid(rows), row.rem_euclid(rows));
        match along {
            Seam::Open if times != 0 => return None,
            Seam::Twisted if times % 2 != 0 => col = cols - 1 - col,
            _ => {}
        }
        Some((col, row))
    }
}

impl fmt::Display for Wrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Wrap {
    type Err = WrapError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_named = |wrap: &Self| wrap.name() == text || wrap.aliases().contains(&text);
        Self::ALL.into_iter().find(is_named).ok_or_else(|| WrapError(text.to_owned()))
    }
}

/// A square of the plane, as its column and row, which may be negative.
pub(super) type PlanePoint = (i64, i64);

/// A symmetry of the plane: it maps steps of a leaper to steps of the leaper. It exchanges columns
/// and rows (`swaps_axes`), then negates columns and rows (`flips`), then translates by `shift`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatticeSymmetry {
    pub(super) swaps_axes: bool,
    pub(super) flips: (bool, bool),
    pub(super) shift: PlanePoint,
}

impl LatticeSymmetry {
    /// Returns one map for each joined pair of edges of a rectangle of `cols` columns and `rows`
    /// rows. The map moves each square of the plane across this pair of edges, to the equivalent
    /// square.
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

    /// Returns the image of a square of the plane.
    pub(super) const fn apply(self, (col, row): PlanePoint) -> PlanePoint {
        let (col, row) = if self.swaps_axes { (row, col) } else { (col, row) };
        let (col, row) = (if self.flips.0 { -col } else { col }, if self.flips.1 { -row } else { row });
        (col + self.shift.0, row + self.shift.1)
    }

    /// Returns the symmetry of a rectangle that this map is, up to a translation.
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
    fn wrap_names_round_trip() {
        assert!(Wrap::ALL.into_iter().all(|wrap| wrap.to_string().parse() == Ok(wrap)));
        assert_eq!("moebius".parse(), Ok(Wrap::Mobius));
        assert!("sphere".parse::<Wrap>().is_err());
    }

    #[test]
    fn reduce_crosses_joined_edges() {
        let sides = (5, 3);
        assert_eq!(Wrap::None.reduce((5, 1), sides), None);
        assert_eq!(Wrap::Cols.reduce((6, 1), sides), Some((1, 1)));
        assert_eq!(Wrap::Cols.reduce((6, 3), sides), None);
        assert_eq!(Wrap::Rows.reduce((4, -1), sides), Some((4, 2)));
        assert_eq!(Wrap::Torus.reduce((-1, 4), sides), Some((4, 1)));
        assert_eq!(Wrap::Mobius.reduce((5, 0), sides), Some((0, 2)));
        assert_eq!(Wrap::Mobius.reduce((-2, 2), sides), Some((3, 0)));
        assert_eq!(Wrap::Mobius.reduce((10, 2), sides), Some((0, 2)));
        assert_eq!(Wrap::Klein.reduce((5, 3), sides), Some((0, 2)));
        assert_eq!(Wrap::Projective.reduce((1, 3), sides), Some((3, 0)));
        // Across both edges at a corner, both orders of crossing lead to one square.
        assert_eq!(Wrap::Projective.reduce((6, 3), sides), Some((3, 2)));
    }

    /// Equivalent squares of the plane are reduced to the same square of the board.
    #[test]
    fn reduce_is_idempotent_and_respects_gluings() {
        for wrap in Wrap::ALL {
            for (cols, rows) in [(1, 1), (1, 3), (2, 3), (4, 3), (5, 5)] {
                let sides = (cols, rows);
                for col in -2 * cols..3 * cols {
                    for row in -2 * rows..3 * rows {
                        let Some(home) = wrap.reduce((col, row), sides) else { continue };
                        assert!((0..cols).contains(&home.0) && (0..rows).contains(&home.1));
                        assert_eq!(wrap.reduce(home, sides), Some(home));
                        // Shifting a square by the map that joins two edges does not change its reduction.
                        let (across, along) = wrap.seams();
                        if across != Seam::Open {
                            let row = if across == Seam::Twisted { rows - 1 - row } else { row };
                            assert_eq!(wrap.reduce((col + cols, row), sides), Some(home), "{wrap} {sides:?}");
                        }
                        if along != Seam::Open {
                            let col = if along == Seam::Twisted { cols - 1 - col } else { col };
                            assert_eq!(wrap.reduce((col, row + rows), sides), Some(home), "{wrap} {sides:?}");
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod turn_tests {
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
