//! The form of a tour under symmetries: lowest readings, canonical forms, and the symmetries that
//! leave the tour unchanged.
//!
//! # Readings
//!
//! A *reading* of a tour is a sequence of its vertices, from some vertex in some direction. A directed path
//! has one reading. An undirected path has two, and a closed tour can be read from every square in both
//! directions. The *lowest reading* begins at the lowest possible vertex: for a path, at its lower end; for
//! a closed tour, at its lowest vertex, and it continues with the lower of the two neighbours.
//!
//! # Canonical forms
//!
//! The *canonical form* of a tour under a group is the lexicographically least of the lowest readings of
//! all its images. Two tours belong to the same class exactly if their canonical forms are equal. The
//! images are not stored: each comparison computes the vertices that it needs, and most images differ
//! after a few vertices. So each symmetry costs O(vertices) to find the lowest vertex of a cycle, and
//! little more. The group may have any order.
//!
//! # Actions
//!
//! The action of a symmetry on the vertices comes from the symmetry group of the board. On a large
//! rectangle the images are computed square by square instead, so that a tour of millions of
//! squares takes no more memory than itself.

use std::cmp::Ordering;

use crate::board::{Board, Element, Rectangle, Symmetry};

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

impl TourShape {
    /// Replaces the vertex sequence of a tour by its lowest reading. The sequence of a directed path
    /// does not change.
    pub fn normalise(self, sequence: &mut [u32]) {
        match self {
            Self::Closed => {
                let Some(at) = (0..sequence.len()).min_by_key(|&i| sequence[i]) else { return };
                sequence.rotate_left(at);
                if sequence.len() > 2 && sequence[1] > sequence[sequence.len() - 1] {
                    sequence[1..].reverse();
                }
            }
            Self::Path if sequence.first() > sequence.last() => sequence.reverse(),
            Self::Path | Self::Directed => {}
        }
    }

    /// Reverses the direction of a tour. A closed tour keeps its first vertex.
    pub fn reverse(self, sequence: &mut [u32]) {
        match self {
            Self::Closed if !sequence.is_empty() => sequence[1..].reverse(),
            _ => sequence.reverse(),
        }
    }
}

/// The effect of a symmetry on the direction of a tour that it maps to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Preserves the direction: it acts as a rotation of a cycle.
    Preserves,
    /// Reverses the direction: it acts as a reflection of a cycle, or reverses a path.
    Reverses,
}

impl Action {
    /// Both actions.
    pub const ALL: [Self; 2] = [Self::Preserves, Self::Reverses];

    /// Returns the name, which checkpoints contain.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preserves => "preserves",
            Self::Reverses => "reverses",
        }
    }
}

/// A tour as the symmetries of its board see it: a sequence of vertices, and the rule by which
/// sequences are the same tour. The sequence contains every vertex of the board once.
#[derive(Clone, Copy, Debug)]
pub struct SymmetryForm<'a> {
    vertices: &'a [u32],
    shape: TourShape,
}

impl<'a> SymmetryForm<'a> {
    /// Creates the form of the tour that visits `vertices` in this order.
    #[must_use]
    pub const fn new(vertices: &'a [u32], shape: TourShape) -> Self {
        Self { vertices, shape }
    }

    /// Returns the lowest reading of the image of the tour under a symmetry.
    #[must_use]
    pub fn image(self, symmetry: impl Into<SymmetryAction<'a>>) -> Reading<'a> {
        let mut reading =
            Reading { vertices: self.vertices, action: symmetry.into(), start: 0, is_backward: false };
        let Some(last) = self.vertices.len().checked_sub(1) else { return reading };
        match self.shape {
            TourShape::Closed if last > 0 => {
                reading.start = reading.action.position_of_lowest(self.vertices);
                reading.is_backward = reading.vertex(last) < reading.vertex(1);
            }
            TourShape::Path if reading.vertex(last) < reading.vertex(0) => {
                reading.start = last;
                reading.is_backward = true;
            }
            _ => {}
        }
        reading
    }

    /// Returns the canonical form of the tour under the symmetries of a group.
    #[must_use]
    pub fn canonical<S: Into<SymmetryAction<'a>>>(self, group: impl IntoIterator<Item = S>) -> Vec<u32> {
        let least = group.into_iter().map(|symmetry| self.image(symmetry)).min();
        least.map_or_else(Vec::new, Reading::to_vec)
    }

    /// Returns true if the sequence is the canonical form of its tour under the symmetries of a group.
    #[must_use]
    pub fn is_canonical<S: Into<SymmetryAction<'a>>>(self, group: impl IntoIterator<Item = S>) -> bool {
        !group.into_iter().any(|symmetry| self.image(symmetry).is_below(self.vertices))
    }

    /// Returns the effect of a symmetry on the direction of the tour; `None` if it does not map the tour
    /// to itself.
    #[must_use]
    pub fn action(self, symmetry: impl Into<SymmetryAction<'a>>) -> Option<Action> {
        let (symmetry, tour, len) = (symmetry.into(), self.vertices, self.vertices.len());
        let image = |i: usize| symmetry.apply(tour[i]);
        let offset = match self.shape {
            TourShape::Closed => {
                let first = image(0);
                tour.iter().position(|&v| v == first)?
            }
            _ => 0,
        };
        if (0..len).all(|i| image(i) == tour[wrap(offset + i, len)]) {
            return Some(Action::Preserves);
        }
        let last = match self.shape {
            TourShape::Closed => offset + len,
            TourShape::Path => len - 1,
            TourShape::Directed => return None,
        };
        (0..len).all(|i| image(i) == tour[wrap(last - i, len)]).then_some(Action::Reverses)
    }

    /// Counts the symmetries of a group that leave the tour unchanged.
    #[must_use]
    pub fn count_actions<S: Into<SymmetryAction<'a>>>(
        self,
        group: impl IntoIterator<Item = S>,
    ) -> ActionCounts {
        let mut counts = ActionCounts::default();
        for symmetry in group {
            let action = self.action(symmetry);
            counts.fixing += u32::from(action.is_some());
            counts.preserving += u32::from(action == Some(Action::Preserves));
        }
        counts
    }
}

/// Returns `position` modulo `len`; `position` must be less than twice `len`.
const fn wrap(position: usize, len: usize) -> usize {
    if position < len { position } else { position - len }
}

/// The number of symmetries that leave a tour unchanged, by their effect on its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActionCounts {
    /// Number of symmetries that leave the tour unchanged, including the identity.
    pub fixing: u32,
    /// Number of these symmetries that preserve the direction, including the identity.
    pub preserving: u32,
}

/// A reading of the image of a tour under a symmetry: the sequence of its vertices from some vertex
/// in some direction. Readings of tours of one board are ordered lexicographically.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    vertices: &'a [u32],
    action: SymmetryAction<'a>,
    start: usize,
    is_backward: bool,
}

impl<'a> Reading<'a> {
    fn vertex(&self, i: usize) -> u32 {
        let n = self.vertices.len();
        let position = if self.is_backward { self.start + n - i } else { self.start + i };
        self.action.apply(self.vertices[wrap(position, n)])
    }

    /// Returns the vertices in the order of the reading.
    #[must_use]
    pub fn to_vec(self) -> Vec<u32> {
        let mut sequence = Vec::with_capacity(self.vertices.len());
        self.write_to(&mut sequence);
        sequence
    }

    /// Replaces the contents of `sequence` by the vertices in the order of the reading.
    pub fn write_to(self, sequence: &mut Vec<u32>) {
        sequence.clear();
        if self.is_backward {
            let (first, second) = self.vertices.split_at(self.start + 1);
            sequence.extend(first.iter().rev());
            sequence.extend(second.iter().rev());
        } else {
            let (second, first) = self.vertices.split_at(self.start);
            sequence.extend_from_slice(first);
            sequence.extend_from_slice(second);
        }
        self.action.apply_to_all(sequence);
    }

    /// Returns true if the reading is lower than a sequence.
    #[must_use]
    pub fn is_below(self, sequence: &[u32]) -> bool {
        self.iter().lt(sequence.iter().copied())
    }

    fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.vertices.len()).map(move |i| self.vertex(i))
    }
}

impl Ord for Reading<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl PartialOrd for Reading<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reading<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reading<'_> {}

/// Maximum number of squares of a rectangle whose symmetry group is computed and shared by all
/// tours.
const MAX_GROUP_SQUARES: usize = 1 << 12;

/// The action of one symmetry on the vertices of a board. On a rectangle of one row or column two
/// named symmetries may have the same action; the list of all actions contains both.
#[derive(Clone, Copy, Debug)]
pub enum SymmetryAction<'a> {
    /// A named symmetry of a rectangle, whose images are computed.
    Rectangle(&'a Rectangle, Symmetry),
    /// An element of the symmetry group of the board.
    GroupElement(&'a Element),
}

impl<'a> From<&'a Element> for SymmetryAction<'a> {
    fn from(element: &'a Element) -> Self {
        Self::GroupElement(element)
    }
}

impl<'a> SymmetryAction<'a> {
    /// Returns the actions of all symmetries of a board; the first is the identity.
    #[must_use]
    pub fn for_board(board: &'a Board) -> Vec<Self> {
        let elements = || board.symmetries().elements().iter();
        // If two named symmetries have the same action, the list must contain both.
        let is_listed = || board.len() <= MAX_GROUP_SQUARES && elements().all(|e| e.names.len() == 1);
        match board.leaper_board().filter(|_| !is_listed()) {
            None => elements().map(Self::GroupElement).collect(),
            Some(rectangle) => {
                let rectangle = rectangle.rectangle();
                let stabilising =
                    Symmetry::ALL.into_iter().filter(|&symmetry| maps_holes_to_holes(rectangle, symmetry));
                stabilising.map(|symmetry| Self::Rectangle(rectangle, symmetry)).collect()
            }
        }
    }

    /// Returns the names of the symmetry; empty if it has no name.
    #[must_use]
    pub fn names(&self) -> &[Symmetry] {
        match self {
            Self::Rectangle(_, symmetry) => std::slice::from_ref(symmetry),
            Self::GroupElement(element) => &element.names,
        }
    }

    /// Returns the image of vertex `v` under the symmetry.
    #[must_use]
    #[inline]
    pub fn apply(&self, v: u32) -> u32 {
        match self {
            Self::GroupElement(element) => element.image[v as usize],
            Self::Rectangle(_, Symmetry::Identity) => v,
            Self::Rectangle(board, symmetry) => image_vertex(board, *symmetry, v),
        }
    }

    /// Replaces each vertex by its image under the symmetry. In a loop, this is faster than [`apply`](Self::apply).
    fn apply_to_all(self, vertices: &mut [u32]) {
        match self {
            Self::GroupElement(element) => {
                vertices.iter_mut().for_each(|v| *v = element.image[*v as usize]);
            }
            Self::Rectangle(..) => vertices.iter_mut().for_each(|v| *v = self.apply(*v)),
        }
    }

    /// Returns the position of the vertex whose image under the symmetry is vertex 0. The sequence must
    /// contain every vertex.
    fn position_of_lowest(self, vertices: &[u32]) -> usize {
        let position = match self {
            Self::GroupElement(element) => vertices.iter().position(|&v| element.image[v as usize] == 0),
            Self::Rectangle(board, symmetry) => {
                let lowest = image_vertex(board, inverse_symmetry(symmetry), 0);
                vertices.iter().position(|&v| v == lowest)
            }
        };
        position.unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, SymmetryGroup, find_automorphism_group};

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
                let vertices: Vec<u32> = (0..board.len() as u32).rev().collect();
                let position = image.position_of_lowest(&vertices);
                assert_eq!(position, SymmetryAction::from(element).position_of_lowest(&vertices));
                assert_eq!(image.apply(vertices[position]), 0);
            }
        }
        let thin: Board = "board=1x4 piece=0,1 remove=-".parse().unwrap();
        assert_eq!((thin.symmetries().order(), SymmetryAction::for_board(&thin).len()), (2, 4));
    }

    #[test]
    fn normalise_agrees_on_all_readings_of_a_cycle() {
        let cycle = [0, 5, 1, 6, 3, 2, 4];
        for turn in 0..cycle.len() {
            for reversed in [false, true] {
                let mut reading = cycle.to_vec();
                reading.rotate_left(turn);
                if reversed {
                    reading.reverse();
                }
                TourShape::Closed.normalise(&mut reading);
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
                assert_eq!(SymmetryForm::new(&path, shape).canonical(group.elements()), [0, 1, 2, 3, 4, 5]);
            }
        }
    }

    #[test]
    fn canonical_form_agrees_on_all_images() {
        let group = SymmetryGroup::from_rectangle(&Rectangle::new(3, 4).unwrap());
        let path: Vec<u32> = vec![0, 9, 7, 1, 8, 6, 4, 10, 3, 5, 11, 2];
        let form = SymmetryForm::new(&path, TourShape::Path).canonical(group.elements());
        for element in group.elements() {
            let mut image: Vec<u32> = path.iter().map(|&v| element.image[v as usize]).collect();
            assert_eq!(SymmetryForm::new(&image, TourShape::Path).canonical(group.elements()), form);
            image.reverse();
            assert_eq!(SymmetryForm::new(&image, TourShape::Path).canonical(group.elements()), form);
        }
    }

    #[test]
    fn action_distinguishes_rotation_and_reflection() {
        let action = |shape, image: &[u32]| {
            let element = Element { names: Vec::new(), image: image.to_vec() };
            SymmetryForm::new(&[0, 1, 2, 3], shape).action(&element)
        };
        for (image, closed, path, directed) in [
            ([0, 1, 2, 3], Some(Action::Preserves), Some(Action::Preserves), Some(Action::Preserves)),
            ([1, 2, 3, 0], Some(Action::Preserves), None, None),
            ([3, 2, 1, 0], Some(Action::Reverses), Some(Action::Reverses), None),
            ([0, 3, 2, 1], Some(Action::Reverses), None, None),
            ([1, 0, 2, 3], None, None, None),
        ] {
            assert_eq!(action(TourShape::Closed, &image), closed, "{image:?}");
            assert_eq!(action(TourShape::Path, &image), path, "{image:?}");
            assert_eq!(action(TourShape::Directed, &image), directed, "{image:?}");
        }
    }
}
