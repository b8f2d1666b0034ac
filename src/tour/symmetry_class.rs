//! Symmetry classes of tours: the symmetries that leave a tour unchanged, the canonical form of a
//! tour, and the action of a symmetry on the vertices of a board.
//!
//! # Comparison of readings
//!
//! A *reading* of a tour is a sequence of its vertices, from some vertex in some direction. For
//! each symmetry of the board, the *lowest reading* of the image of the tour is found (see below),
//! and the readings are compared vertex by vertex. Most of them differ after a few vertices, so
//! each symmetry costs O(vertices) to find the lowest vertex of a cycle, and little more.
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
//!
//! # Actions
//!
//! The action of a symmetry on the vertices comes from the symmetry group of the board. On a large
//! rectangle the images are computed square by square instead, so that a tour of millions of
//! squares takes no more memory than itself.
//!
//! # Canonical forms
//!
//! An undirected path can be read from either end, a closed tour from every square in both
//! directions. The *lowest reading* begins at the lowest possible vertex: for a path, at its lower
//! end; for a closed tour, at vertex 0, and it continues with the lower of the two neighbours. The
//! *canonical form* of a tour under a group is the lexicographically least of the lowest readings
//! of all its images. Two tours belong to the same class exactly if their canonical forms are
//! equal. Cost O(n) for each image; the group may have any order; memory for two sequences.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::{Tour, TourKind};
use crate::board::{Board, Element, Rectangle, Symmetry, SymmetryGroup};

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
    /// All classes except [`Self::Cyclic`] and [`Self::Dihedral`], the least symmetric first.
    pub const NAMED: [Self; 8] = [
        Self::Asymmetric,
        Self::Axial,
        Self::Diagonal,
        Self::Eulerian,
        Self::Bergholtian,
        Self::Rot180,
        Self::Rot90,
        Self::Several,
    ];

    /// Returns the class of tours that are unchanged under `keeping` symmetries that keep the
    /// direction of travel (including the identity) and `reversing` symmetries that reverse it.
    #[must_use]
    pub const fn from_counts(keeping: u32, reversing: u32) -> Self {
        match (keeping, reversing) {
            (1, 0) => Self::Asymmetric,
            (keeping, 0) => Self::Cyclic(keeping),
            (keeping, _) => Self::Dihedral(keeping),
        }
    }

    /// Returns the number of symmetries, including the identity, that leave a tour of this class
    /// unchanged, if the class is [`Self::Asymmetric`], [`Self::Cyclic`] or [`Self::Dihedral`];
    /// otherwise `None`.
    #[must_use]
    pub const fn order(self) -> Option<u32> {
        match self {
            Self::Asymmetric => Some(1),
            Self::Cyclic(keeping) => Some(keeping),
            Self::Dihedral(keeping) => Some(2 * keeping),
            _ => None,
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

/// A reading of the image of a tour under a symmetry: the sequence of its vertices from some vertex
/// in some direction.
#[derive(Clone, Copy)]
struct Reading<'a> {
    vertices: &'a [u32],
    action: SymmetryAction<'a>,
    start: usize,
    is_backward: bool,
}

impl<'a> Reading<'a> {
    fn vertex(&self, i: usize) -> u32 {
        let n = self.vertices.len();
        let position = if self.is_backward { self.start + n - i } else { self.start + i };
        self.action.apply(self.vertices[if position < n { position } else { position - n }])
    }

    fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.vertices.len()).map(move |i| self.vertex(i))
    }

    fn cmp(self, other: Self) -> Ordering {
        self.iter().cmp(other.iter())
    }

    /// Returns the lowest reading of the image of a tour under the symmetry `image`. The tour must
    /// have at least two vertices.
    fn lowest_of(tour: &'a Tour, image: SymmetryAction<'a>) -> Self {
        let vertices = tour.vertices();
        let mut reading = Reading { vertices, action: image, start: 0, is_backward: false };
        let last = vertices.len() - 1;
        if tour.kind() == TourKind::Closed {
            let lowest = image.preimage_of_first();
            reading.start = vertices.iter().position(|&v| Some(v) == lowest).unwrap_or(0);
            reading.is_backward = reading.vertex(last) < reading.vertex(1);
        } else if reading.vertex(last) < reading.vertex(0) {
            reading.start = last;
            reading.is_backward = true;
        }
        reading
    }
}

impl Tour {
    /// Returns the canonical form of the tour: the least of the lowest readings of its images under
    /// the symmetries of the board. Two tours have equal canonical forms exactly if they differ
    /// only by a symmetry, the direction and (for closed tours) the start.
    #[must_use]
    pub fn canonical_form(&self) -> Vec<u32> {
        if self.vertices().len() < 2 {
            return self.vertices().to_vec();
        }
        let readings =
            SymmetryAction::for_board(self.board()).into_iter().map(|image| Reading::lowest_of(self, image));
        readings.min_by(|a, b| a.cmp(*b)).map_or_else(Vec::new, |reading| reading.iter().collect())
    }

    /// Returns all symmetries with a name, except the identity, that leave the tour unchanged.
    #[must_use]
    pub fn named_symmetries(&self) -> Vec<TourSymmetry> {
        let images = SymmetryAction::for_board(self.board());
        let (&[identity], rest) = images.split_at(1) else { return Vec::new() };
        if self.vertices().len() < 2 {
            return Vec::new();
        }
        let own = Reading::lowest_of(self, identity);
        rest.iter()
            .filter(|image| !image.names().is_empty())
            .map(|image| Reading::lowest_of(self, *image))
            .filter(|reading| reading.cmp(own).is_eq())
            .flat_map(|reading| {
                let reverses = reading.is_backward != own.is_backward;
                let names = reading.action.names().to_vec();
                names.into_iter().map(move |symmetry| TourSymmetry { symmetry, reverses_direction: reverses })
            })
            .collect()
    }

    /// Returns the symmetry class of the tour, found from the number of symmetries that leave it
    /// unchanged and keep the direction of travel, and the number of those that reverse it.
    fn class_by_counts(&self) -> SymmetryClass {
        let images = SymmetryAction::for_board(self.board());
        let (&[identity], rest) = images.split_at(1) else { return SymmetryClass::Asymmetric };
        if self.vertices().len() < 2 {
            return SymmetryClass::Asymmetric;
        }
        let own = Reading::lowest_of(self, identity);
        let stabilising =
            rest.iter().map(|image| Reading::lowest_of(self, *image)).filter(|r| r.cmp(own).is_eq());
        let (mut keeping, mut reversing) = (1, 0);
        stabilising.for_each(|reading| match reading.is_backward == own.is_backward {
            true => keeping += 1,
            false => reversing += 1,
        });
        SymmetryClass::from_counts(keeping, reversing)
    }

    /// Returns the symmetry class of the tour; `None` if the symmetries of the board are not known.
    #[must_use]
    pub fn symmetry_class(&self) -> Option<SymmetryClass> {
        if self.board().leaper_board().is_none() {
            if !self.board().has_known_symmetries() {
                return None;
            }
            if !self.board().symmetries().is_fully_named() {
                return Some(self.class_by_counts());
            }
        }
        let found = self.named_symmetries();
        let turns = |symmetry| found.iter().any(|fixed| fixed.symmetry == symmetry);
        Some(match found.as_slice() {
            [] => SymmetryClass::Asymmetric,
            [only] => match only.symmetry {
                Symmetry::Rotate180 if self.kind() != TourKind::Closed => SymmetryClass::Rot180,
                Symmetry::Rotate180 if only.reverses_direction => SymmetryClass::Bergholtian,
                Symmetry::Rotate180 => SymmetryClass::Eulerian,
                Symmetry::FlipDiagonal | Symmetry::FlipAntiDiagonal => SymmetryClass::Diagonal,
                _ => SymmetryClass::Axial,
            },
            [_, _, _] if turns(Symmetry::Rotate90) => SymmetryClass::Rot90,
            _ => SymmetryClass::Several,
        })
    }
}

/// Maximum number of squares of a rectangle whose symmetry group is computed and shared by all
/// tours.
const MAX_GROUP_SQUARES: usize = 1 << 12;

/// The action of one symmetry on the vertices of a board. On a rectangle of one row or column two
/// named symmetries may have the same action; the list of all actions contains both.
#[derive(Clone, Copy)]
pub(super) enum SymmetryAction<'a> {
    Rectangle(&'a Rectangle, Symmetry),
    GroupElement(&'a Element),
}

impl<'a> SymmetryAction<'a> {
    /// Returns the actions of all symmetries of a board; the first is the identity.
    pub(super) fn for_board(board: &'a Board) -> Vec<Self> {
        let elements = || board.symmetries().elements().iter();
        match board.leaper_board() {
            None => elements().map(Self::GroupElement).collect(),
            // If two named symmetries have the same action, the list must contain both.
            Some(_)
                if board.len() <= MAX_GROUP_SQUARES && elements().all(|element| element.names.len() == 1) =>
            {
                elements().map(Self::GroupElement).collect()
            }
            Some(rectangle) => {
                let rectangle = rectangle.rectangle();
                let stabilising =
                    Symmetry::ALL.into_iter().filter(|&symmetry| maps_holes_to_holes(rectangle, symmetry));
                stabilising.map(|symmetry| Self::Rectangle(rectangle, symmetry)).collect()
            }
        }
    }

    /// Returns the names of the symmetry; empty if it has no name.
    pub(super) fn names(&self) -> &[Symmetry] {
        match self {
            Self::Rectangle(_, symmetry) => std::slice::from_ref(symmetry),
            Self::GroupElement(element) => &element.names,
        }
    }

    /// Returns the image of vertex `v` under the symmetry.
    pub(super) fn apply(&self, v: u32) -> u32 {
        match self {
            Self::GroupElement(element) => element.image[v as usize],
            Self::Rectangle(_, Symmetry::Identity) => v,
            Self::Rectangle(board, symmetry) => image_vertex(board, *symmetry, v),
        }
    }

    /// Returns the vertex whose image under the symmetry is vertex 0; `None` on a board without
    /// vertices.
    pub(super) fn preimage_of_first(&self) -> Option<u32> {
        match self {
            Self::GroupElement(element) => element.image.iter().position(|&w| w == 0).map(|v| v as u32),
            Self::Rectangle(board, _) if board.is_empty() => None,
            Self::Rectangle(board, symmetry) => Some(image_vertex(board, inverse_symmetry(*symmetry), 0)),
        }
    }
}

/// Returns true if `symmetry` maps the rectangle to itself and its removed squares to removed
/// squares.
fn maps_holes_to_holes(board: &Rectangle, symmetry: Symmetry) -> bool {
    let (rows, cols) = (board.rows(), board.cols());
    let is_hole = |&square| board.removed().binary_search(&symmetry.apply(square, rows, cols)).is_ok();
    (rows == cols || !symmetry.needs_square()) && board.removed().iter().all(is_hole)
}

fn image_vertex(board: &Rectangle, symmetry: Symmetry, v: u32) -> u32 {
    let image = symmetry.apply(board.square(v), board.rows(), board.cols());
    board.index(image).expect("a symmetry of the board maps squares to squares")
}

const fn inverse_symmetry(symmetry: Symmetry) -> Symmetry {
    match symmetry {
        Symmetry::Rotate90 => Symmetry::Rotate270,
        Symmetry::Rotate270 => Symmetry::Rotate90,
        other => other,
    }
}

/// Rule by which vertex sequences are readings of the same tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourShape {
    /// The sequences are cycles: neither start nor direction matters.
    Closed,
    /// The sequences are paths whose direction does not matter.
    Path,
    /// The sequences are paths whose direction matters.
    Directed,
}

/// Reverses an undirected path if its last vertex is lower than its first.
pub fn normalise_path(sequence: &mut [u32]) {
    if sequence.first() > sequence.last() {
        sequence.reverse();
    }
}

/// Rotates and reverses a cycle so that it begins at its lowest vertex and continues with the lower
/// of the two neighbours of that vertex.
pub fn normalise_closed(sequence: &mut [u32]) {
    let Some(at) = (0..sequence.len()).min_by_key(|&i| sequence[i]) else { return };
    sequence.rotate_left(at);
    if sequence.len() > 2 && sequence[1] > sequence[sequence.len() - 1] {
        sequence[1..].reverse();
    }
}

/// Replaces the vertex sequence of a tour by its lowest reading. The sequence of a directed path
/// does not change.
pub fn normalise(sequence: &mut [u32], shape: TourShape) {
    match shape {
        TourShape::Closed => normalise_closed(sequence),
        TourShape::Path => normalise_path(sequence),
        TourShape::Directed => {}
    }
}

/// Returns the canonical form of a tour: the least of the lowest readings of its images under
/// `group`. `sequence` lists the vertices of the tour in order of visit.
#[must_use]
pub fn canonical_form(sequence: &[u32], shape: TourShape, group: &SymmetryGroup) -> Vec<u32> {
    // Two buffers: the least reading so far, and the current image.
    let mut least = Vec::new();
    let mut image = Vec::with_capacity(sequence.len());
    for element in group.elements() {
        image.clear();
        image.extend(sequence.iter().map(|&v| element.image[v as usize]));
        normalise(&mut image, shape);
        if least.is_empty() || image < least {
            std::mem::swap(&mut image, &mut least);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::super::{TourShape, normalise};
    use super::*;
    use crate::board::{Board, Graph};

    fn lowest_reading(tour: &[u32], shape: TourShape) -> Vec<u32> {
        let mut tour = tour.to_vec();
        normalise(&mut tour, shape);
        tour
    }

    fn all_tours(board: &Board, closed: bool) -> Vec<Tour> {
        let mut found = Vec::new();
        visit_paths(board.graph(), &mut vec![0u32], 1, closed, &mut |path| {
            let make = if closed { Tour::new_closed } else { Tour::new };
            found.extend(make(board, path.to_vec()));
        });
        found
    }

    /// Visits all tours that begin at the first square. A closed tour is visited twice, once in
    /// each direction.
    fn visit_paths(
        graph: &Graph,
        path: &mut Vec<u32>,
        visited: u64,
        closed: bool,
        found: &mut impl FnMut(&[u32]),
    ) {
        let at = path[path.len() - 1];
        if path.len() == graph.len() {
            found(path);
            return;
        }
        // A closed tour returns to the first square: one of its neighbours must be unvisited.
        let left = |&w: &u32| visited >> w & 1 == 0 || w == at;
        if closed && !graph.neighbours(0).iter().any(left) {
            return;
        }
        for &w in graph.neighbours(at as usize) {
            if visited >> w & 1 == 0 {
                path.push(w);
                visit_paths(graph, path, visited | 1 << w, closed, found);
                path.pop();
            }
        }
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
                assert_eq!(tour.canonical_form(), canonical_form(tour.vertices(), shape, board.symmetries()));
                let order = tour.symmetry_class().unwrap().order();
                if board.leaper_board().is_none() {
                    let keeps = |image: &[u32]| {
                        let moved: Vec<u32> = tour.vertices().iter().map(|&v| image[v as usize]).collect();
                        lowest_reading(&moved, shape) == lowest_reading(tour.vertices(), shape)
                    };
                    let stabiliser_order =
                        board.symmetries().elements().iter().filter(|e| keeps(&e.image)).count();
                    assert_eq!(order, Some(stabiliser_order as u32));
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
            assert_eq!(classes.len(), 2 * all, "{board}");
            classes.retain(|&class| class != SymmetryClass::Asymmetric);
            let count = |symmetry_class| classes.iter().filter(|&&class| class == symmetry_class).count();
            assert_eq!(count(SymmetryClass::Axial), 2 * axial, "{board}");
            assert_eq!(count(SymmetryClass::Bergholtian), 2 * bergholtian, "{board}");
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

#[cfg(test)]
mod image_tests {
    use super::*;

    #[test]
    fn computed_actions_match_group() {
        for text in
            ["5x5", "3x4", "board=5x5 piece=1,2 remove=a1,e5", "board=4x4 piece=1,2 remove=b1,d2,c4,a3"]
        {
            let board: Board = text.parse().unwrap();
            let rectangle = board.leaper_board().unwrap().rectangle();
            let worked_out =
                Symmetry::ALL.into_iter().filter(|&symmetry| maps_holes_to_holes(rectangle, symmetry));
            let images: Vec<SymmetryAction> =
                worked_out.map(|symmetry| SymmetryAction::Rectangle(rectangle, symmetry)).collect();
            assert_eq!(images.len(), board.symmetries().order(), "{text}");
            assert!(
                SymmetryAction::for_board(&board)
                    .iter()
                    .all(|image| matches!(image, SymmetryAction::GroupElement(_)))
            );
            for (image, element) in images.iter().zip(board.symmetries().elements()) {
                assert_eq!(image.names(), element.names);
                assert!((0..board.len() as u32).all(|v| image.apply(v) == element.image[v as usize]));
                assert_eq!(
                    image.preimage_of_first(),
                    SymmetryAction::GroupElement(element).preimage_of_first()
                );
                assert_eq!(image.preimage_of_first().map(|v| image.apply(v)), Some(0));
            }
        }
        let thin: Board = "board=1x4 piece=0,1 remove=-".parse().unwrap();
        assert_eq!((thin.symmetries().order(), SymmetryAction::for_board(&thin).len()), (2, 4));
    }
}

#[cfg(test)]
mod canonical_form_tests {
    use super::*;
    use crate::board::{Graph, Rectangle, find_automorphism_group};

    #[test]
    fn normalise_closed_agrees_on_all_readings_of_a_cycle() {
        let cycle = [0, 5, 1, 6, 3, 2, 4];
        for turn in 0..cycle.len() {
            for reversed in [false, true] {
                let mut reading = cycle.to_vec();
                reading.rotate_left(turn);
                if reversed {
                    reading.reverse();
                }
                normalise_closed(&mut reading);
                assert_eq!(reading, [0, 4, 2, 3, 6, 1, 5]);
            }
        }
    }

    #[test]
    fn canonical_form_accepts_unnamed_group_of_any_order() {
        // The complete graph of six vertices: all 360 paths are equivalent.
        let complete = Graph::from_edges(6, (0..6).flat_map(|w| (0..w).map(move |v| (v, w))));
        let group = find_automorphism_group(&complete).unwrap();
        assert_eq!(group.order(), 720);
        for path in [[3, 1, 5, 0, 2, 4], [5, 4, 3, 2, 1, 0]] {
            for shape in [TourShape::Closed, TourShape::Path, TourShape::Directed] {
                assert_eq!(canonical_form(&path, shape, &group), [0, 1, 2, 3, 4, 5]);
            }
        }
    }

    #[test]
    fn canonical_form_agrees_on_all_images() {
        let group = SymmetryGroup::from_rectangle(&Rectangle::new(3, 4).unwrap());
        let path: Vec<u32> = vec![0, 9, 7, 1, 8, 6, 4, 10, 3, 5, 11, 2];
        let form = canonical_form(&path, TourShape::Path, &group);
        for element in group.elements() {
            let mut image: Vec<u32> = path.iter().map(|&v| element.image[v as usize]).collect();
            assert_eq!(canonical_form(&image, TourShape::Path, &group), form);
            image.reverse();
            assert_eq!(canonical_form(&image, TourShape::Path, &group), form);
        }
    }
}
