//! [`Wrap`], the way in which opposite edges of a rectangle are joined.
//!
//! A wrapped board is the plane of squares, rolled up: a step across one edge continues at the
//! joined edge. Infinitely many squares of the plane are the same square of the board; the one
//! inside the rectangle represents them, and each of them is *reduced* to it. The same holds in
//! space, where the edges along the third axis are never joined.
//!
//! ```text
//! cols         6 0 1 2 3 4 5 6 0      column C+1 is column 1: a cylinder
//! mobius       like cols, with a twist: row r continues as row R+1-r
//! rows, torus  rows joined, or both; klein: columns as mobius, rows straight; projective: both twisted
//! ```

use std::fmt;
use std::str::FromStr;

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

/// A square of the unrolled lattice as its file, rank and layer from 0, which may be negative.
pub(super) type LatticePoint = [i64; 3];

/// The way in which one pair of opposite edges is joined: not at all, straight, or with a twist. A
/// twist across one of the first two axes reverses the other one.
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

    /// Returns how the two edges across each axis are joined: the left and the right edge, the lower
    /// and the upper edge, the lowest and the highest layer.
    pub(super) const fn seams(self) -> [Seam; 3] {
        let (across, along) = match self {
            Self::None => (Seam::Open, Seam::Open),
            Self::Cols => (Seam::Straight, Seam::Open),
            Self::Rows => (Seam::Open, Seam::Straight),
            Self::Torus => (Seam::Straight, Seam::Straight),
            Self::Mobius => (Seam::Twisted, Seam::Open),
            Self::Klein => (Seam::Twisted, Seam::Straight),
            Self::Projective => (Seam::Twisted, Seam::Twisted),
        };
        [across, along, Seam::Open]
    }

    /// Returns the square of the board that a square of the lattice is equivalent to; `None` if the
    /// square lies beyond an open edge. The board has the given lengths along the three axes.
    pub(super) fn reduce(self, mut point: LatticePoint, lengths: LatticePoint) -> Option<LatticePoint> {
        for (axis, seam) in self.seams().into_iter().enumerate() {
            let crossings = point[axis].div_euclid(lengths[axis]);
            point[axis] = point[axis].rem_euclid(lengths[axis]);
            match seam {
                Seam::Open if crossings != 0 => return None,
                Seam::Twisted if crossings % 2 != 0 => {
                    let flipped = 1 - axis;
                    point[flipped] = lengths[flipped] - 1 - point[flipped];
                }
                _ => {}
            }
        }
        Some(point)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reduce(wrap: Wrap, (col, row): (i64, i64), (cols, rows): (i64, i64)) -> Option<(i64, i64)> {
        wrap.reduce([col, row, 0], [cols, rows, 1]).map(|[col, row, _]| (col, row))
    }

    #[test]
    fn wrap_names_round_trip() {
        assert!(Wrap::ALL.into_iter().all(|wrap| wrap.to_string().parse() == Ok(wrap)));
        assert_eq!("moebius".parse(), Ok(Wrap::Mobius));
        assert!("sphere".parse::<Wrap>().is_err());
    }

    #[test]
    fn reduce_crosses_joined_edges() {
        let sides = (5, 3);
        assert_eq!(reduce(Wrap::None, (5, 1), sides), None);
        assert_eq!(reduce(Wrap::Cols, (6, 1), sides), Some((1, 1)));
        assert_eq!(reduce(Wrap::Cols, (6, 3), sides), None);
        assert_eq!(reduce(Wrap::Rows, (4, -1), sides), Some((4, 2)));
        assert_eq!(reduce(Wrap::Torus, (-1, 4), sides), Some((4, 1)));
        assert_eq!(reduce(Wrap::Mobius, (5, 0), sides), Some((0, 2)));
        assert_eq!(reduce(Wrap::Mobius, (-2, 2), sides), Some((3, 0)));
        assert_eq!(reduce(Wrap::Mobius, (10, 2), sides), Some((0, 2)));
        assert_eq!(reduce(Wrap::Klein, (5, 3), sides), Some((0, 2)));
        assert_eq!(reduce(Wrap::Projective, (1, 3), sides), Some((3, 0)));
        assert_eq!(Wrap::None.reduce([0, 0, 1], [5, 3, 2]), Some([0, 0, 1]));
        assert_eq!(Wrap::Torus.reduce([5, 3, 2], [5, 3, 2]), None);
        // Across both edges at a corner, both orders of crossing lead to one square.
        assert_eq!(reduce(Wrap::Projective, (6, 3), sides), Some((3, 2)));
    }

    /// Equivalent squares of the plane are reduced to the same square of the board.
    #[test]
    fn reduce_is_idempotent_and_respects_gluings() {
        for wrap in Wrap::ALL {
            for (cols, rows) in [(1, 1), (1, 3), (2, 3), (4, 3), (5, 5)] {
                let sides = (cols, rows);
                for col in -2 * cols..3 * cols {
                    for row in -2 * rows..3 * rows {
                        let Some(home) = reduce(wrap, (col, row), sides) else { continue };
                        assert!((0..cols).contains(&home.0) && (0..rows).contains(&home.1));
                        assert_eq!(reduce(wrap, home, sides), Some(home));
                        // Shifting a square by the map that joins two edges does not change its reduction.
                        let [across, along, _] = wrap.seams();
                        if across != Seam::Open {
                            let row = if across == Seam::Twisted { rows - 1 - row } else { row };
                            assert_eq!(
                                reduce(wrap, (col + cols, row), sides),
                                Some(home),
                                "{wrap} {sides:?}"
                            );
                        }
                        if along != Seam::Open {
                            let col = if along == Seam::Twisted { cols - 1 - col } else { col };
                            assert_eq!(
                                reduce(wrap, (col, row + rows), sides),
                                Some(home),
                                "{wrap} {sides:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
