//! How edges of a board are joined.
//!
//! A board that is wrapped is the plane of squares, rolled up: walking over an edge is going
//! on at another. All squares of the plane that are the same square of the board are known
//! by the one that lies on it, their *home*.
//!
//! ```text
//! cols         6 0 1 2 3 4 5 6 0      column C+1 is column 1: a cylinder
//! mobius       the same, and what arrives is upside down: row r goes on as row R+1-r
//! rows, torus  rows, or both; klein: columns as in mobius, rows straight; projective: both with a twist
//! ```

use std::fmt;
use std::str::FromStr;

/// How edges are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// They are not.
    #[default]
    None,
    /// The left one to the right one: a cylinder.
    Cols,
    /// The lower one to the upper one: a cylinder.
    Rows,
    /// Both: a torus.
    Torus,
    /// The left one to the right one, with a twist: a Moebius strip.
    Mobius,
    /// The left one to the right one with a twist, the lower one to the upper one without: a Klein bottle.
    Klein,
    /// Both with a twist: a projective plane.
    Projective,
}

/// How two opposite edges are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    Open,
    Straight,
    Twisted,
}

/// Text that is no way to join edges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to join edges: write cols, rows, torus, mobius, klein, projective or none")]
pub struct WrapError(String);

impl Wrap {
    /// All of them, `none` first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Cols, Self::Rows, Self::Torus, Self::Mobius, Self::Klein, Self::Projective];

    /// What it is called.
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

    /// How columns go on, and how rows do.
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

    /// Where a square of the plane, column and row from 0, lies on a board of so many columns and rows; nowhere
    /// if it is beyond an open edge.
    #[must_use]
    pub fn home(self, (col, row): (i64, i64), (cols, rows): (i64, i64)) -> Option<(i64, i64)> {
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
        let other = match text {
            "cylinder" => "cols",
            "moebius" | "möbius" => "mobius",
            _ => text,
        };
        Self::ALL.into_iter().find(|wrap| wrap.name() == other).ok_or_else(|| WrapError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        assert!(Wrap::ALL.into_iter().all(|wrap| wrap.to_string().parse() == Ok(wrap)));
        assert_eq!("moebius".parse(), Ok(Wrap::Mobius));
        assert!("sphere".parse::<Wrap>().is_err());
    }

    #[test]
    fn over_an_edge_one_goes_on_at_another() {
        let sides = (5, 3);
        assert_eq!(Wrap::None.home((5, 1), sides), None);
        assert_eq!(Wrap::Cols.home((6, 1), sides), Some((1, 1)));
        assert_eq!(Wrap::Cols.home((6, 3), sides), None);
        assert_eq!(Wrap::Rows.home((4, -1), sides), Some((4, 2)));
        assert_eq!(Wrap::Torus.home((-1, 4), sides), Some((4, 1)));
        assert_eq!(Wrap::Mobius.home((5, 0), sides), Some((0, 2)));
        assert_eq!(Wrap::Mobius.home((-2, 2), sides), Some((3, 0)));
        assert_eq!(Wrap::Mobius.home((10, 2), sides), Some((0, 2)));
        assert_eq!(Wrap::Klein.home((5, 3), sides), Some((0, 2)));
        assert_eq!(Wrap::Projective.home((1, 3), sides), Some((3, 0)));
        // Over both edges at a corner it is the same by either way.
        assert_eq!(Wrap::Projective.home((6, 3), sides), Some((3, 2)));
    }

    /// Walking a step and back by the step reversed leads home, whatever was joined on the way.
    #[test]
    fn a_square_of_the_plane_has_one_home() {
        for wrap in Wrap::ALL {
            for (cols, rows) in [(1, 1), (1, 3), (2, 3), (4, 3), (5, 5)] {
                let sides = (cols, rows);
                for col in -2 * cols..3 * cols {
                    for row in -2 * rows..3 * rows {
                        let Some(home) = wrap.home((col, row), sides) else { continue };
                        assert!((0..cols).contains(&home.0) && (0..rows).contains(&home.1));
                        assert_eq!(wrap.home(home, sides), Some(home));
                        // The plane moved by what joins edges is the same plane.
                        let (across, along) = wrap.seams();
                        if across != Seam::Open {
                            let row = if across == Seam::Twisted { rows - 1 - row } else { row };
                            assert_eq!(wrap.home((col + cols, row), sides), Some(home), "{wrap} {sides:?}");
                        }
                        if along != Seam::Open {
                            let col = if along == Seam::Twisted { cols - 1 - col } else { col };
                            assert_eq!(wrap.home((col, row + rows), sides), Some(home), "{wrap} {sides:?}");
                        }
                    }
                }
            }
        }
    }
}
