//! Symmetry classes of tours: the symmetries that leave a tour unchanged, and the names of the classes.
//!
//! # Names of classes
//!
//! The classes of symmetric closed tours have names after Jelliss:
//!
//! ```text
//! axial         a reflection in an axis of the board
//! eulerian      a half turn that keeps the direction of travel
//! bergholtian   a half turn that reverses it
//! rot90         a quarter turn
//! ```
//!
//! If not all symmetries of the board have names, as on a torus, the class is the group of
//! symmetries that leaves the tour unchanged. C3 means three symmetries that keep the direction of
//! travel (a cyclic group). D3 means three symmetries that keep the direction and three that
//! reverse it (a dihedral group). So D1 means a single symmetry besides the identity, which
//! reverses the direction; a symmetric path is always D1.

use std::borrow::Cow;

use super::symmetry_form::{Action, ActionCounts, SymmetryAction, SymmetryForm, TourShape};
use super::{Tour, TourKind};
use crate::board::Symmetry;

/// A symmetry that leaves a tour unchanged, and its effect on the direction of travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TourSymmetry {
    /// The symmetry of the board.
    pub symmetry: Symmetry,
    /// True if the symmetry reverses the direction of travel.
    pub reverses_direction: bool,
}

/// Symmetry class of a tour: the kind of symmetries that leave it unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymmetryClass {
    /// No symmetry; only the identity leaves the tour unchanged.
    Asymmetric,
    /// A reflection in an axis of the board.
    Axial,
    /// A reflection in a diagonal (never for the knight).
    Diagonal,
    /// A half turn of a closed tour that keeps the direction of travel.
    Eulerian,
    /// A half turn of a closed tour that reverses the direction of travel.
    Bergholtian,
    /// A half turn of a path.
    Rot180,
    /// A quarter turn.
    Rot90,
    /// Several of these symmetries, independent of each other.
    Several,
    /// Only symmetries that keep the direction of travel. The field is their number, including the
    /// identity. Used if not all symmetries of the board have names.
    Cyclic(u32),
    /// Symmetries that keep the direction of travel, and equally many that reverse it. The field is
    /// the number of those that keep it, including the identity. Used if not all symmetries of the
    /// board have names.
    Dihedral(u32),
}

impl SymmetryClass {
    /// Returns the class of tours with a stabiliser of this size, on a board whose symmetries do not all
    /// have names.
    #[must_use]
    pub const fn from_counts(counts: ActionCounts) -> Self {
        match (counts.fixing, counts.preserving) {
            (1, 1) => Self::Asymmetric,
            (fixing, preserving) if fixing == preserving => Self::Cyclic(preserving),
            (_, preserving) => Self::Dihedral(preserving),
        }
    }

    /// Returns the class of the tours whose stabiliser consists of the identity and the elements
    /// `fixing`. Each element is given by its symmetry, if it has a name, and its effect on the
    /// direction.
    #[must_use]
    pub fn from_actions(fixing: &[(Option<Symmetry>, Action)], is_closed: bool) -> Self {
        use Symmetry::{FlipAntiDiagonal, FlipDiagonal, FlipHorizontal, FlipVertical, Rotate90, Rotate180};
        match fixing {
            [] => Self::Asymmetric,
            [(Some(Rotate180), _)] if !is_closed => Self::Rot180,
            [(Some(Rotate180), Action::Reverses)] => Self::Bergholtian,
            [(Some(Rotate180), Action::Preserves)] => Self::Eulerian,
            [(Some(FlipDiagonal | FlipAntiDiagonal), _)] => Self::Diagonal,
            [(Some(FlipVertical | FlipHorizontal), _)] => Self::Axial,
            [_, _, _] if fixing.iter().any(|(symmetry, _)| *symmetry == Some(Rotate90)) => Self::Rot90,
            _ => Self::Several,
        }
    }

    /// Returns the name of the class, such as `axial` or `C3`.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::Cyclic(keeping) => return format!("C{keeping}").into(),
            Self::Dihedral(keeping) => return format!("D{keeping}").into(),
            Self::Asymmetric => "asymmetric",
            Self::Axial => "axial",
            Self::Diagonal => "diagonal",
            Self::Eulerian => "rot180 eulerian",
            Self::Bergholtian => "rot180 bergholtian",
            Self::Rot180 => "rot180",
            Self::Rot90 => "rot90",
            Self::Several => "several",
        };
        name.into()
    }
}

impl Tour {
    /// Returns the form of the tour under symmetries.
    pub(super) fn symmetry_form(&self) -> SymmetryForm<'_> {
        let is_closed = self.kind() == TourKind::Closed;
        SymmetryForm::new(self.vertices(), if is_closed { TourShape::Closed } else { TourShape::Path })
    }

    /// Returns the canonical form of the tour: the least of the lowest readings of its images under
    /// the symmetries of the board. Two tours have equal canonical forms exactly if they differ
    /// only by a symmetry, the direction and (for closed tours) the start.
    #[must_use]
    pub fn canonical_form(&self) -> Vec<u32> {
        self.symmetry_form().canonical(SymmetryAction::for_board(self.board()))
    }

    /// Returns all symmetries with a name, except the identity, that leave the tour unchanged.
    #[must_use]
    pub fn named_symmetries(&self) -> Vec<TourSymmetry> {
        let mut found = Vec::new();
        if self.vertices().len() < 2 {
            return found;
        }
        for image in SymmetryAction::for_board(self.board()).into_iter().skip(1) {
            if image.names().is_empty() {
                continue;
            }
            let Some(action) = self.symmetry_form().action(image) else { continue };
            let reverses_direction = action == Action::Reverses;
            found.extend(image.names().iter().map(|&symmetry| TourSymmetry { symmetry, reverses_direction }));
        }
        found
    }

    /// Returns the symmetry class of the tour; `None` if the symmetries of the board are not known.
    #[must_use]
    pub fn symmetry_class(&self) -> Option<SymmetryClass> {
        if self.board().leaper_board().is_none() {
            if !self.board().has_known_symmetries() {
                return None;
            }
            let group = self.board().symmetries();
            if !group.is_fully_named() {
                return Some(SymmetryClass::from_counts(
                    self.symmetry_form().count_actions(group.elements()),
                ));
            }
        }
        let action = |reverses| if reverses { Action::Reverses } else { Action::Preserves };
        let named = self.named_symmetries();
        let named = named.iter().map(|fixed| (Some(fixed.symmetry), action(fixed.reverses_direction)));
        Some(SymmetryClass::from_actions(&named.collect::<Vec<_>>(), self.kind() == TourKind::Closed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Element, Graph};
    use crate::control::Control;
    use crate::search::list::ListOptions;
    use crate::search::tours;
    use crate::tour::{Kind, TourSpec};

    /// Returns the lowest readings of the images of a tour under all symmetries, the identity first.
    fn image_readings(board: &Board, tour: &[u32], shape: TourShape) -> Vec<Vec<u32>> {
        let reading = |element: &Element| {
            let mut image: Vec<u32> = tour.iter().map(|&v| element.image[v as usize]).collect();
            shape.normalise(&mut image);
            image
        };
        board.symmetries().elements().iter().map(reading).collect()
    }

    fn all_tours(board: &Board, closed: bool) -> Vec<Tour> {
        let kind = if closed { Kind::Closed } else { Kind::Paths };
        let spec = TourSpec::all(board.clone(), kind);
        let tours = tours(&spec, ListOptions::default(), &Control::new()).unwrap();
        tours.map(Result::unwrap).collect()
    }

    #[test]
    fn canonical_forms_agree_with_the_group() {
        // The last board is a wheel of 7 vertices, whose symmetries have no names.
        let wheel = Graph::from_edges(7, (1..7).flat_map(|v| [(0, v), (v, v % 6 + 1)]));
        let parse = |text: &str| text.parse::<Board>().unwrap();
        for (board, closed) in [
            (parse("5x5"), false),
            (parse("3x7"), false),
            (parse("3x10"), true),
            (Board::from_graph(wheel.clone()), false),
            (Board::from_graph(wheel), true),
        ] {
            let tours = all_tours(&board, closed);
            assert!(!tours.is_empty());
            for tour in tours {
                let shape = if closed { TourShape::Closed } else { TourShape::Path };
                let images = image_readings(&board, tour.vertices(), shape);
                let least = images.iter().min().unwrap();
                assert_eq!(tour.canonical_form(), *least);
                let is_canonical = tour.symmetry_form().is_canonical(board.symmetries().elements());
                assert_eq!(is_canonical, tour.vertices() == least);
                if board.leaper_board().is_none() {
                    let stabiliser_order = images.iter().filter(|image| **image == images[0]).count();
                    let order = match tour.symmetry_class().unwrap() {
                        SymmetryClass::Asymmetric => 1,
                        SymmetryClass::Cyclic(preserving) => preserving,
                        SymmetryClass::Dihedral(preserving) => 2 * preserving,
                        named => panic!("{named:?} is for boards whose symmetries have names"),
                    };
                    assert_eq!(order, stabiliser_order as u32);
                }
            }
        }
    }

    #[test]
    fn small_closed_tours_fall_into_the_published_classes() {
        // 3x10 has 16 closed tours: 4 axial and 4 Bergholtian; 5x6 has 8: 4 axial.
        for (board, all, axial, bergholtian) in [("3x10", 16, 4, 4), ("5x6", 8, 4, 0)] {
            let tours = all_tours(&board.parse().unwrap(), true);
            let mut classes: Vec<_> = tours.iter().filter_map(Tour::symmetry_class).collect();
            assert_eq!(classes.len(), all, "{board}");
            classes.retain(|&class| class != SymmetryClass::Asymmetric);
            let count = |symmetry_class| classes.iter().filter(|&&class| class == symmetry_class).count();
            assert_eq!(count(SymmetryClass::Axial), axial, "{board}");
            assert_eq!(count(SymmetryClass::Bergholtian), bergholtian, "{board}");
        }
    }

    #[test]
    fn a_ring_has_every_symmetry() {
        let ring: Board = "board=3x3 piece=1,2 remove=b2".parse().unwrap();
        let tour = Tour::from_names(&ring, "a1 b3 c1 a2 c3 b1 a3 c2".split(' ')).unwrap();
        let tour = tour.into_closed().unwrap();
        assert_eq!(tour.named_symmetries().len(), 7);
        assert_eq!(tour.symmetry_class(), Some(SymmetryClass::Several));
    }
}
