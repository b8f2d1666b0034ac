//! [`MoveClass`]: classes of moves, such as steep moves, for statistics of how often tours use
//! them.
//!
//! ```text
//! steep       more ranks than files           rising, falling   up or down to the right
//! flat        more files than ranks           slope A/B         A ranks for B files, in either direction
//! files       over the middle line of files   ranks             over the middle line of ranks
//! border      between two squares of the border
//! ```

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::board::{Board, LeaperBoard, Square};

/// A class of moves of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveClass {
    /// Moves over more ranks than files.
    Steep,
    /// Moves over more files than ranks.
    Flat,
    /// Moves that lead up to the right, or down to the left.
    Rising,
    /// Moves that lead down to the right, or up to the left.
    Falling,
    /// Moves with this ratio of ranks to files, in both directions. If both numbers have the same
    /// sign, the moves lead up to the right.
    Slope(i32, i32),
    /// Moves that cross the vertical line between the left and right halves of the board.
    MiddleOfFiles,
    /// Moves that cross the horizontal line between the lower and upper halves of the board.
    MiddleOfRanks,
    /// Moves between two squares on the border of the board.
    Border,
}

/// An error in a class of moves: an unknown name, or a class that the board does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveClassError {
    /// A text that is not the name of a class.
    #[error(
        "unknown class of moves `{0}`; use steep, flat, rising, falling, files, ranks, border, or a \
         slope like 2/1"
    )]
    UnknownName(String),
    /// A class by direction on a board whose moves have no direction. The field holds the title of
    /// the board.
    #[error("moves of {0} have no direction")]
    NoDirections(String),
}

/// Positions of the vertices of a board on which every move is one straight line.
pub(super) struct BoardPlane {
    /// Position of each vertex.
    pub(super) squares: Vec<Square>,
    pub(super) rows: u16,
    pub(super) cols: u16,
}

impl BoardPlane {
    /// Returns the positions of the vertices of `board`; `None` if the board has no layout, joined
    /// edges that moves cross, or several layers.
    pub(super) fn for_board(board: &Board) -> Option<Self> {
        if let Some(rectangle) = board.leaper_board().map(LeaperBoard::rectangle) {
            return Some(Self {
                squares: rectangle.squares().collect(),
                rows: rectangle.rows(),
                cols: rectangle.cols(),
            });
        }
        let layout = board.layout().filter(|layout| layout.panel_cols() == layout.cols());
        let layout = layout.filter(|layout| layout.seams().next().is_none())?;
        Some(Self { squares: layout.positions().to_vec(), rows: layout.rows(), cols: layout.cols() })
    }
}

impl FromStr for MoveClass {
    type Err = MoveClassError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "steep" => Self::Steep,
            "flat" => Self::Flat,
            "rising" => Self::Rising,
            "falling" => Self::Falling,
            "files" => Self::MiddleOfFiles,
            "ranks" => Self::MiddleOfRanks,
            "border" => Self::Border,
            _ => {
                let slope = text
                    .split_once('/')
                    .and_then(|(up, right)| Some((up.parse().ok()?, right.parse().ok()?)));
                let slope = slope.filter(|&(up, right): &(i32, i32)| {
                    (up, right) != (0, 0) && up.abs().max(right.abs()) < 1 << 15
                });
                let (up, right) = slope.ok_or_else(|| MoveClassError::UnknownName(text.to_owned()))?;
                Self::Slope(up, right)
            }
        })
    }
}

impl MoveClass {
    /// Names of the classes, apart from slopes such as `2/1`.
    pub const NAMES: [&'static str; 7] = ["steep", "flat", "rising", "falling", "files", "ranks", "border"];

    /// Returns the name of the class, which can be parsed.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Steep => "steep".to_owned(),
            Self::Flat => "flat".to_owned(),
            Self::Rising => "rising".to_owned(),
            Self::Falling => "falling".to_owned(),
            Self::Slope(up, right) => format!("{up}/{right}"),
            Self::MiddleOfFiles => "files".to_owned(),
            Self::MiddleOfRanks => "ranks".to_owned(),
            Self::Border => "border".to_owned(),
        }
    }

    /// Returns the moves of `board` that belong to the class, each as its lower and its higher
    /// vertex.
    ///
    /// # Errors
    /// [`MoveClassError::NoDirections`] if the class depends on directions and the moves of the
    /// board have none.
    pub fn moves(&self, board: &Board) -> Result<BTreeSet<(u32, u32)>, MoveClassError> {
        let BoardPlane { squares, rows, cols } =
            BoardPlane::for_board(board).ok_or_else(|| MoveClassError::NoDirections(board.title()))?;
        let (rows, cols) = (i32::from(rows), i32::from(cols));
        let is_border = |square: Square| {
            let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
            file == 0 || rank == 0 || file == cols - 1 || rank == rows - 1
        };
        let is_member = |a: Square, b: Square| {
            let (right, up) =
                (i32::from(b.file()) - i32::from(a.file()), i32::from(b.rank()) - i32::from(a.rank()));
            // Twice the distance from the middle, which has different signs on the two sides of the line.
            let crosses_middle =
                |a: u16, b: u16, side: i32| (2 * i32::from(a) + 1 - side) * (2 * i32::from(b) + 1 - side) < 0;
            match self {
                Self::Steep => up.abs() > right.abs(),
                Self::Flat => right.abs() > up.abs(),
                Self::Rising => up * right > 0,
                Self::Falling => up * right < 0,
                Self::Slope(rise, run) => up * run == right * rise,
                Self::MiddleOfFiles => crosses_middle(a.file(), b.file(), cols),
                Self::MiddleOfRanks => crosses_middle(a.rank(), b.rank(), rows),
                Self::Border => is_border(a) && is_border(b),
            }
        };
        Ok(board
            .graph()
            .edges()
            .filter(|&(v, w)| is_member(squares[v as usize], squares[w as usize]))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_classes_partition_moves_of_chessboard() {
        let board: Board = "8x8".parse().unwrap();
        let count = |name: &str| name.parse::<MoveClass>().unwrap().moves(&board).unwrap().len();
        assert_eq!((count("steep"), count("flat"), count("rising"), count("falling")), (84, 84, 84, 84));
        assert_eq!((count("2/1"), count("-2/1"), count("1/-2")), (42, 42, 42));
        // Steep moves over the middle line of the files go one file: 12 of either slope at e, and so on.
        assert_eq!(count("files"), count("ranks"));
        assert!(count("border") > 0 && count("border") < 84);
        for name in ["steep", "flat", "rising", "falling", "files", "ranks", "border", "2/1", "-1/2"] {
            assert_eq!(name.parse::<MoveClass>().unwrap().name(), name);
        }
        assert!("steeper".parse::<MoveClass>().is_err() && "0/0".parse::<MoveClass>().is_err());
        let torus: Board = "board=4x4 wrap=torus piece=1,2 remove=-".parse().unwrap();
        assert!(MoveClass::Steep.moves(&torus).is_err());
    }
}
