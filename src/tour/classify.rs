//! Which symmetries leave a tour unchanged, and which of its images stands for all.
//!
//! Works on squares, without tables, so that a tour of millions of squares costs
//! no more memory than itself. For each symmetry of the board the image's *lowest
//! reading* (see [`super::lowest_path`]) is found, and readings are compared
//! square by square: most differ after a few, so the cost is O(squares) for each
//! symmetry to find where a cycle's lowest square lies, and little more.
//!
//! Names of symmetric closed tours, after Jelliss:
//!
//! ```text
//! axial         a reflection in an axis of the board
//! eulerian      a half turn that keeps the direction of travel
//! bergholtian   a half turn that reverses it
//! rot90         a quarter turn
//! ```

use std::cmp::Ordering;

use crate::board::{Board, Square, Symmetry};

use super::{Tour, TourKind};

/// A symmetry that maps a tour to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invariance {
    /// The symmetry.
    pub symmetry: Symmetry,
    /// Whether it turns the direction of travel round.
    pub reverses: bool,
}

/// How symmetric a tour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymmetryClass {
    /// Nothing but the identity leaves it unchanged.
    Asymmetric,
    /// A reflection in an axis.
    Axial,
    /// A reflection in a diagonal (never for the knight).
    Diagonal,
    /// A half turn of a closed tour that keeps the direction.
    Eulerian,
    /// A half turn of a closed tour that reverses the direction.
    Bergholtian,
    /// A half turn of a path.
    Rot180,
    /// A quarter turn.
    Rot90,
    /// More than one of these, independent of each other.
    Several,
}

impl SymmetryClass {
    /// All classes, the least symmetric first.
    pub const ALL: [Self; 8] = [
        Self::Asymmetric,
        Self::Axial,
        Self::Diagonal,
        Self::Eulerian,
        Self::Bergholtian,
        Self::Rot180,
        Self::Rot90,
        Self::Several,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asymmetric => "asymmetric",
            Self::Axial => "axial",
            Self::Diagonal => "diagonal",
            Self::Eulerian => "rot180 eulerian",
            Self::Bergholtian => "rot180 bergholtian",
            Self::Rot180 => "rot180",
            Self::Rot90 => "rot90",
            Self::Several => "several",
        }
    }
}

/// A tour read from some square in some direction, as its image under a symmetry.
#[derive(Clone, Copy)]
struct Reading<'a> {
    squares: &'a [Square],
    size: (u16, u16),
    symmetry: Symmetry,
    from: usize,
    backward: bool,
}

impl<'a> Reading<'a> {
    fn at(&self, i: usize) -> Square {
        let n = self.squares.len();
        let place = if self.backward { self.from + n - i } else { self.from + i };
        self.symmetry.apply(self.squares[place % n], self.size.0, self.size.1)
    }

    fn iter(self) -> impl Iterator<Item = Square> + 'a {
        (0..self.squares.len()).map(move |i| self.at(i))
    }

    fn cmp(self, other: Self) -> Ordering {
        self.iter().cmp(other.iter())
    }

    /// The lowest reading of the image under a symmetry.
    fn lowest(tour: &'a Tour, symmetry: Symmetry) -> Self {
        let squares = tour.squares();
        let size = (tour.board().rows(), tour.board().cols());
        let mut reading = Reading { squares, size, symmetry, from: 0, backward: false };
        let last = squares.len().saturating_sub(1);
        if tour.kind() == TourKind::Closed {
            reading.from = (0..=last).min_by_key(|&i| reading.at(i)).unwrap_or(0);
            let (next, before) = (reading.at(1), reading.at(last));
            reading.backward = before < next;
        } else if reading.at(last) < reading.at(0) {
            reading.from = last;
            reading.backward = true;
        }
        reading
    }
}

/// The symmetries of the board, holes and all.
fn symmetries(board: &Board) -> impl Iterator<Item = Symmetry> + '_ {
    let (rows, cols) = (board.rows(), board.cols());
    Symmetry::ALL.into_iter().filter(move |symmetry| {
        (rows == cols || !symmetry.needs_square())
            && board
                .removed()
                .iter()
                .all(|&square| board.removed().binary_search(&symmetry.apply(square, rows, cols)).is_ok())
    })
}

impl Tour {
    /// The canonical form: the least lowest reading of all images under the board's symmetries. Two tours are the
    /// same up to symmetry (and direction, and where a closed tour begins) exactly if their canonical forms agree.
    #[must_use]
    pub fn canonical(&self) -> Vec<Square> {
        let readings = symmetries(self.board()).map(|symmetry| Reading::lowest(self, symmetry));
        readings.min_by(|a, b| a.cmp(*b)).map_or_else(Vec::new, |reading| reading.iter().collect())
    }

    /// The symmetries, besides the identity, that leave the tour unchanged.
    #[must_use]
    pub fn invariances(&self) -> Vec<Invariance> {
        let own = Reading::lowest(self, Symmetry::Identity);
        symmetries(self.board())
            .skip(1)
            .map(|symmetry| Reading::lowest(self, symmetry))
            .filter(|image| self.squares().len() > 1 && image.cmp(own).is_eq())
            .map(|image| Invariance { symmetry: image.symmetry, reverses: image.backward != own.backward })
            .collect()
    }

    /// How symmetric the tour is.
    #[must_use]
    pub fn symmetry_class(&self) -> SymmetryClass {
        let found = self.invariances();
        let turns = |symmetry| found.iter().any(|fixed| fixed.symmetry == symmetry);
        match found.as_slice() {
            [] => SymmetryClass::Asymmetric,
            [only] => match only.symmetry {
                Symmetry::Rotate180 if self.kind() != TourKind::Closed => SymmetryClass::Rot180,
                Symmetry::Rotate180 if only.reverses => SymmetryClass::Bergholtian,
                Symmetry::Rotate180 => SymmetryClass::Eulerian,
                Symmetry::FlipDiagonal | Symmetry::FlipAntiDiagonal => SymmetryClass::Diagonal,
                _ => SymmetryClass::Axial,
            },
            [_, _, _] if turns(Symmetry::Rotate90) => SymmetryClass::Rot90,
            _ => SymmetryClass::Several,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, Leaper, SymmetryGroup};
    use crate::tour::{Shape, canonical};

    fn tours(board: &str, closed: bool) -> Vec<Tour> {
        let board: Board = board.parse().unwrap();
        let graph = Graph::new(&board, Leaper::KNIGHT);
        let squares: Vec<Square> = board.squares().collect();
        let mut found = Vec::new();
        let mut path = vec![0u32];
        extend(&graph, &mut path, 1, closed, &mut |path| {
            let squares = path.iter().map(|&v| squares[v as usize]).collect();
            let make = if closed { Tour::new_closed } else { Tour::new };
            found.extend(make(board.clone(), Leaper::KNIGHT, squares));
        });
        found
    }

    /// All paths from the first square; a closed tour comes twice, once in each direction.
    fn extend(graph: &Graph, path: &mut Vec<u32>, seen: u64, closed: bool, found: &mut impl FnMut(&[u32])) {
        let at = path[path.len() - 1];
        if path.len() == graph.len() {
            found(path);
            return;
        }
        // A closed tour returns to the first square: one of its neighbours must be left.
        let left = |&w: &u32| seen >> w & 1 == 0 || w == at;
        if closed && !graph.neighbours(0).iter().any(left) {
            return;
        }
        for &w in graph.neighbours(at as usize) {
            if seen >> w & 1 == 0 {
                path.push(w);
                extend(graph, path, seen | 1 << w, closed, found);
                path.pop();
            }
        }
    }

    #[test]
    fn canonical_forms_agree_with_the_group() {
        for (board, closed) in [("5x5", false), ("3x7", false), ("3x10", true)] {
            let group = SymmetryGroup::of(&board.parse().unwrap());
            let squares: Vec<Square> = board.parse::<Board>().unwrap().squares().collect();
            for tour in tours(board, closed) {
                let vertices: Vec<u32> = tour
                    .squares()
                    .iter()
                    .map(|square| squares.binary_search(square).unwrap() as u32)
                    .collect();
                let shape = if closed { Shape::Closed } else { Shape::Path };
                let form = canonical(&vertices, shape, &group);
                let form: Vec<Square> = form.into_iter().map(|v| squares[v as usize]).collect();
                assert_eq!(tour.canonical(), form);
            }
        }
    }

    #[test]
    fn small_closed_tours_fall_into_the_published_classes() {
        // 3x10 has 16 closed tours: 4 axial and 4 Bergholtian; 5x6 has 8: 4 axial.
        for (board, all, axial, bergholtian) in [("3x10", 16, 4, 4), ("5x6", 8, 4, 0)] {
            let mut classes: Vec<SymmetryClass> =
                tours(board, true).iter().map(Tour::symmetry_class).collect();
            assert_eq!(classes.len(), 2 * all, "{board}");
            classes.retain(|&class| class != SymmetryClass::Asymmetric);
            let count = |wanted| classes.iter().filter(|&&class| class == wanted).count();
            assert_eq!(count(SymmetryClass::Axial), 2 * axial, "{board}");
            assert_eq!(count(SymmetryClass::Bergholtian), 2 * bergholtian, "{board}");
        }
    }

    #[test]
    fn a_ring_has_every_symmetry() {
        let ring = Board::new(3, 3).unwrap().without(["b2".parse().unwrap()]).unwrap();
        let squares = "a1 b3 c1 a2 c3 b1 a3 c2".split(' ').map(|s| s.parse().unwrap()).collect();
        let tour = Tour::new_closed(ring, Leaper::KNIGHT, squares).unwrap();
        assert_eq!(tour.invariances().len(), 7);
        assert_eq!(tour.symmetry_class(), SymmetryClass::Several);
    }
}
