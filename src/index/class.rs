//! Classes of moves, of which tours have more or fewer.
//!
//! ```text
//! steep       more ranks than files           rising, falling   up or down to the right
//! flat        more files than ranks           slope A/B         that go A ranks for B files, either way
//! files       over the line in the middle of the files          ranks             of the ranks
//! border      between two squares of the border
//! ```

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::board::{Arena, Rectangle, Square};

/// A class of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveClass {
    /// More ranks than files.
    Steep,
    /// More files than ranks.
    Flat,
    /// Up to the right.
    Rising,
    /// Down to the right.
    Falling,
    /// So many ranks for so many files, upwards to the right if both are positive.
    Slope(i32, i32),
    /// Over the line in the middle of the files.
    MiddleOfFiles,
    /// Over the line in the middle of the ranks.
    MiddleOfRanks,
    /// Between two squares of the border.
    Border,
    /// These, as pairs of vertices.
    Moves(BTreeSet<(u32, u32)>),
}

/// Why moves are in no class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassError {
    /// A word that names none.
    #[error(
        "`{0}` is no class of moves: steep, flat, rising, falling, files, ranks, border, or a slope such as 2/1"
    )]
    Name(String),
    /// Nobody knows where the vertices lie.
    #[error("moves of {0} have no direction: name them in a file")]
    NoBoard(String),
}

/// Where the vertices of a board lie whose moves are all straight lines.
pub(super) struct Plane {
    /// By vertex.
    pub(super) squares: Vec<Square>,
    pub(super) rows: u16,
    pub(super) cols: u16,
}

impl Plane {
    /// Nothing if vertices lie nowhere, moves go over seams, or there are layers.
    pub(super) fn of(arena: &Arena) -> Option<Self> {
        if let Some(board) = arena.rectangle().map(Rectangle::board) {
            return Some(Self { squares: board.squares().collect(), rows: board.rows(), cols: board.cols() });
        }
        let layout = arena.layout().filter(|layout| layout.panel() == layout.cols());
        let layout = layout.filter(|layout| layout.seams().next().is_none())?;
        Some(Self { squares: layout.places().to_vec(), rows: layout.rows(), cols: layout.cols() })
    }
}

impl FromStr for MoveClass {
    type Err = ClassError;

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
                let (up, right) = slope.ok_or_else(|| ClassError::Name(text.to_owned()))?;
                Self::Slope(up, right)
            }
        })
    }
}

impl MoveClass {
    /// As it is written, and in words if it is a list of moves.
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
            Self::Moves(moves) => format!("{} moves", moves.len()),
        }
    }

    /// The moves of an arena that are in it, the lower vertex first.
    ///
    /// # Errors
    /// [`ClassError::NoBoard`] if moves have no direction: the arena is no plain board.
    pub fn moves(&self, arena: &Arena) -> Result<BTreeSet<(u32, u32)>, ClassError> {
        if let Self::Moves(moves) = self {
            return Ok(moves.clone());
        }
        let Plane { squares, rows, cols } =
            Plane::of(arena).ok_or_else(|| ClassError::NoBoard(arena.title()))?;
        let (rows, cols) = (i32::from(rows), i32::from(cols));
        let is_border = |square: Square| {
            let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
            file == 0 || rank == 0 || file == cols - 1 || rank == rows - 1
        };
        let is_in = |a: Square, b: Square| {
            let (right, up) =
                (i32::from(b.file()) - i32::from(a.file()), i32::from(b.rank()) - i32::from(a.rank()));
            // Twice the distance from the middle, which changes its sign over the line.
            let over =
                |a: u16, b: u16, side: i32| (2 * i32::from(a) + 1 - side) * (2 * i32::from(b) + 1 - side) < 0;
            match self {
                Self::Steep => up.abs() > right.abs(),
                Self::Flat => right.abs() > up.abs(),
                Self::Rising => up * right > 0,
                Self::Falling => up * right < 0,
                Self::Slope(rise, run) => up * run == right * rise,
                Self::MiddleOfFiles => over(a.file(), b.file(), cols),
                Self::MiddleOfRanks => over(a.rank(), b.rank(), rows),
                Self::Border => is_border(a) && is_border(b),
                Self::Moves(_) => unreachable!("these were named"),
            }
        };
        let graph = arena.graph();
        let edges = (0..graph.len() as u32)
            .flat_map(|v| graph.neighbours(v as usize).iter().filter(move |&&w| v < w).map(move |&w| (v, w)));
        Ok(edges.filter(|&(v, w)| is_in(squares[v as usize], squares[w as usize])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_divide_the_moves_of_a_board() {
        let arena: Arena = "8x8".parse().unwrap();
        let count = |name: &str| name.parse::<MoveClass>().unwrap().moves(&arena).unwrap().len();
        assert_eq!((count("steep"), count("flat"), count("rising"), count("falling")), (84, 84, 84, 84));
        assert_eq!((count("2/1"), count("-2/1"), count("1/-2")), (42, 42, 42));
        // Steep moves over the middle of the files go one file: 12 of either slope at e, and so on.
        assert_eq!(count("files"), count("ranks"));
        assert!(count("border") > 0 && count("border") < 84);
        for name in ["steep", "flat", "rising", "falling", "files", "ranks", "border", "2/1", "-1/2"] {
            assert_eq!(name.parse::<MoveClass>().unwrap().name(), name);
        }
        assert!("steeper".parse::<MoveClass>().is_err() && "0/0".parse::<MoveClass>().is_err());
        let torus: Arena = "board=4x4 wrap=torus piece=1,2 remove=-".parse().unwrap();
        assert!(MoveClass::Steep.moves(&torus).is_err());
        let named = MoveClass::Moves(BTreeSet::from([(0, 6)]));
        assert_eq!(named.moves(&torus).unwrap().len(), 1);
    }
}
