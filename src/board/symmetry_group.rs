//! Groups of symmetries of a graph, the named symmetries of a rectangle, and orders of groups.
//!
//! A symmetry is a permutation of the vertices that maps edges to edges. To count all tours, count
//! the tours from one vertex of each orbit (these vertices form a *fundamental region*), multiply
//! by the size of the orbit, and add up.
//!
//! ```text
//! 6x6: 6 orbits, one representative each    A B C . . .
//!                                           . D E . . .
//!                                           . . F . . .
//! ```
//!
//! A [`SymmetryGroup`] may have any order: on a torus of 8x8 squares the knight has 512
//! automorphisms. The identity is the first element. The other elements are in ascending order of
//! their images, or in the order in which the group was built. Elements on custom graphs have no
//! names. Elements on a rectangle have names from [`Symmetry`], sometimes several: on a board of
//! one row, a half turn is also a reflection.
//!
//! A [`Symmetry`] is one of the eight named symmetries of a square. A rectangle has four of them, a
//! square board all eight. If squares are removed, the board has only the symmetries that map
//! removed squares to removed squares. Each symmetry maps leaper moves to leaper moves, so it
//! permutes the tours.
//!
//! A [`GroupOrder`] is the order of a group, which may exceed every integer type.

use std::collections::HashMap;
use std::fmt;

use super::Square;

/// An element of a symmetry group: a permutation of the vertices of a graph that maps edges to
/// edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Named symmetries of a rectangle that permute the vertices in this way; empty on other
    /// boards.
    pub names: Vec<Symmetry>,
    /// Images of the vertices: `image[v]` is the image of vertex `v`.
    pub image: Vec<u32>,
}

impl Element {
    /// Returns true if `symmetry` is one of the names of the element.
    #[must_use]
    pub fn has_name(&self, symmetry: Symmetry) -> bool {
        self.names.contains(&symmetry)
    }
}

/// A group of automorphisms of a graph, as a list of its elements; the identity is the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetryGroup {
    elements: Vec<Element>,
}

/// Returns the image of a move, lower vertex first, under an element with these images of the vertices.
#[must_use]
pub fn image_of_move((v, w): (u32, u32), image: &[u32]) -> (u32, u32) {
    let (v, w) = (image[v as usize], image[w as usize]);
    (v.min(w), v.max(w))
}

impl SymmetryGroup {
    /// Creates a group from a list of its elements. Elements with equal images are merged into one
    /// element that has all their names.
    ///
    /// # Panics
    /// If the first element is not the identity. The caller must ensure that the elements form a
    /// group; this is not checked.
    #[must_use]
    pub fn new(elements: impl IntoIterator<Item = Element>) -> Self {
        let mut distinct: Vec<Element> = Vec::new();
        let mut index_of_image: HashMap<Vec<u32>, usize> = HashMap::new();
        for element in elements {
            match index_of_image.get(&element.image) {
                Some(&place) => distinct[place].names.extend(element.names),
                None => {
                    index_of_image.insert(element.image.clone(), distinct.len());
                    distinct.push(element);
                }
            }
        }
        let identity = distinct.first().expect("a group must have an element");
        assert!((0..).zip(&identity.image).all(|(v, &w)| v == w), "the first element must be the identity");
        Self { elements: distinct }
    }

    /// Creates the trivial group on `len` vertices.
    #[must_use]
    pub fn trivial(len: usize) -> Self {
        let image = (0..len as u32).collect();
        Self { elements: vec![Element { names: vec![Symmetry::Identity], image }] }
    }

    /// Generates the group that permutations of `len` vertices generate, in ascending order of
    /// images; `None` if the group has more than `max_order` elements. Cost O(order x generators x
    /// len).
    #[must_use]
    pub fn generate(len: usize, generators: &[Vec<u32>], max_order: usize) -> Option<Self> {
        let identity: Vec<u32> = (0..len as u32).collect();
        let mut seen = std::collections::BTreeSet::from([identity.clone()]);
        let mut pending = vec![identity];
        while let Some(image) = pending.pop() {
            for generator in generators {
                let product: Vec<u32> = image.iter().map(|&v| generator[v as usize]).collect();
                if !seen.contains(&product) {
                    seen.insert(product.clone());
                    pending.push(product);
                    if seen.len() > max_order {
                        return None;
                    }
                }
            }
        }
        Some(Self::new(seen.into_iter().map(|image| Element { names: Vec::new(), image })))
    }

    /// Returns the elements of the group, the identity first.
    #[must_use]
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// Returns the order of the group: the number of its elements.
    #[must_use]
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// Returns true if every element has a name. This holds for rectangles without wrap.
    #[must_use]
    pub fn is_fully_named(&self) -> bool {
        self.elements.iter().all(|element| !element.names.is_empty())
    }

    /// Returns the element with the given name; `None` if the group has no such element.
    #[must_use]
    pub fn element_named(&self, symmetry: Symmetry) -> Option<&Element> {
        self.elements.iter().find(|element| element.has_name(symmetry))
    }

    /// Returns the subgroup of the elements whose image satisfies `keep`. The caller must choose
    /// `keep` such that these elements form a subgroup (a stabiliser).
    #[must_use]
    pub fn stabiliser(&self, keep: impl Fn(&[u32]) -> bool) -> Self {
        let elements: Vec<Element> =
            self.elements.iter().filter(|element| keep(&element.image)).cloned().collect();
        debug_assert!(!elements.is_empty(), "the identity stabilises everything");
        Self { elements }
    }

    /// Returns the orbit of a vertex, a move or another item, in ascending order. `image_of` returns the
    /// image of the item under an element with these images of the vertices.
    pub fn orbit_of<T: Ord>(&self, image_of: impl Fn(&[u32]) -> T) -> Vec<T> {
        let mut orbit: Vec<T> = self.elements.iter().map(|element| image_of(&element.image)).collect();
        orbit.sort_unstable();
        orbit.dedup();
        orbit
    }

    /// Returns the orbits of the vertices under the group, ordered by their lowest vertex; each
    /// orbit lists its vertices in ascending order. The lowest vertices of the orbits form the
    /// fundamental region. Cost O(order x orbits).
    #[must_use]
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        let len = self.elements.first().map_or(0, |identity| identity.image.len());
        let mut seen = vec![false; len];
        let mut orbits = Vec::new();
        for v in 0..len {
            if seen[v] {
                continue;
            }
            let orbit = self.orbit_of(|image| image[v]);
            for &w in &orbit {
                seen[w as usize] = true;
            }
            orbits.push(orbit);
        }
        orbits
    }
}

/// The cycles of a permutation of vertices: the orbits of the group that it generates.
#[derive(Clone, Debug)]
pub struct PermutationCycles {
    /// The cycles `r, sr, ssr, ...` of the permutation `s`, by their lowest vertices `r`.
    pub cycles: Vec<Vec<u32>>,
    /// For each vertex, the index of its cycle, and its position in the cycle.
    pub positions: Vec<(u32, usize)>,
}

impl PermutationCycles {
    /// Finds the cycles of the permutation that maps vertex `v` to `image[v]`.
    #[must_use]
    pub fn new(image: &[u32]) -> Self {
        let mut cycles: Vec<Vec<u32>> = Vec::new();
        let mut positions = vec![(u32::MAX, 0); image.len()];
        for v in 0..image.len() as u32 {
            let (mut cycle, mut w) = (Vec::new(), v);
            while positions[w as usize].0 == u32::MAX {
                positions[w as usize] = (cycles.len() as u32, cycle.len());
                cycle.push(w);
                w = image[w as usize];
            }
            if !cycle.is_empty() {
                cycles.push(cycle);
            }
        }
        Self { cycles, positions }
    }

    /// Returns the lengths of the cycles.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.cycles.iter().map(Vec::len)
    }
}

/// One of the eight symmetries of a square. Four of them are also symmetries of every rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// The identity.
    Identity,
    /// Quarter turn, counter-clockwise (square boards).
    Rotate90,
    /// Half turn.
    Rotate180,
    /// Quarter turn, clockwise (square boards).
    Rotate270,
    /// Ranks reversed: top and bottom exchanged.
    FlipVertical,
    /// Files reversed: left and right exchanged.
    FlipHorizontal,
    /// Reflection in the diagonal through `a1` (square boards).
    FlipDiagonal,
    /// Reflection in the other diagonal (square boards).
    FlipAntiDiagonal,
}

impl Symmetry {
    /// All eight symmetries, identity first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Rotate90,
        Self::Rotate180,
        Self::Rotate270,
        Self::FlipVertical,
        Self::FlipHorizontal,
        Self::FlipDiagonal,
        Self::FlipAntiDiagonal,
    ];

    /// Returns true if the symmetry exchanges rows and columns. Only square boards can have such a
    /// symmetry.
    #[must_use]
    pub const fn needs_square(self) -> bool {
        matches!(self, Self::Rotate90 | Self::Rotate270 | Self::FlipDiagonal | Self::FlipAntiDiagonal)
    }

    /// Returns the image of a square of a `rows` x `cols` rectangle under the symmetry.
    ///
    /// # Panics
    /// If the square is outside the rectangle, or if the rectangle is not square and
    /// [`Self::needs_square`] is true.
    #[must_use]
    pub fn apply(self, square: Square, rows: u16, cols: u16) -> Square {
        assert!(square.file() < cols && square.rank() < rows, "{square} is not on {rows}x{cols}");
        assert!(rows == cols || !self.needs_square(), "{self:?} needs a square board");
        let (file, rank) = (square.file(), square.rank());
        let (far_file, far_rank) = (cols - 1 - file, rows - 1 - rank);
        match self {
            Self::Identity => square,
            Self::Rotate90 => Square::new(far_rank, file),
            Self::Rotate180 => Square::new(far_file, far_rank),
            Self::Rotate270 => Square::new(rank, far_file),
            Self::FlipVertical => Square::new(file, far_rank),
            Self::FlipHorizontal => Square::new(far_file, rank),
            Self::FlipDiagonal => Square::new(rank, file),
            Self::FlipAntiDiagonal => Square::new(far_rank, far_file),
        }
    }
}

/// The order of a group: exact if below 2^128, otherwise only its magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupOrder {
    exact: Option<u128>,
    /// Decimal logarithm of the order of the group.
    log10: f64,
}

impl GroupOrder {
    /// Order of the trivial group, 1.
    pub(super) const ONE: Self = Self { exact: Some(1), log10: 0.0 };

    /// Returns the order multiplied by `factor`.
    pub(super) fn multiplied_by(self, factor: usize) -> Self {
        let exact = self.exact.and_then(|order| order.checked_mul(factor as u128));
        Self { exact, log10: self.log10 + (factor as f64).log10() }
    }

    /// Returns the exact order if it is below 2^128; otherwise `None`.
    #[must_use]
    pub const fn exact(self) -> Option<u128> {
        self.exact
    }
}

impl From<usize> for GroupOrder {
    fn from(order: usize) -> Self {
        Self::ONE.multiplied_by(order)
    }
}

impl fmt::Display for GroupOrder {
    /// Writes the exact order, or the nearest power of ten if the order is too large: `about
    /// 10^30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact {
            Some(order) => write!(f, "{order}"),
            None => write!(f, "about 10^{:.0}", self.log10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(len: u32) -> SymmetryGroup {
        let turn = (0..len).map(|v| (v + 1) % len).collect();
        let flip = (0..len).map(|v| len - 1 - v).collect();
        SymmetryGroup::generate(len as usize, &[turn, flip], 100).unwrap()
    }

    #[test]
    fn generate_stops_above_max_order() {
        let group = cycle(7);
        assert_eq!(group.order(), 14);
        assert!(group.elements().windows(2).all(|pair| pair[0].image < pair[1].image));
        assert_eq!(group.orbits(), [(0..7).collect::<Vec<u32>>()]);
        assert_eq!(group.stabiliser(|image| image[3] == 3).order(), 2);
        let turn: Vec<u32> = (0..7).map(|v| (v + 1) % 7).collect();
        assert!(SymmetryGroup::generate(7, std::slice::from_ref(&turn), 6).is_none());
        assert_eq!(SymmetryGroup::generate(7, &[turn], 7).unwrap().order(), 7);
    }

    #[test]
    fn new_merges_elements_with_equal_images() {
        let element = |symmetry, image: &[u32]| Element { names: vec![symmetry], image: image.to_vec() };
        let group = SymmetryGroup::new([
            element(Symmetry::Identity, &[0, 1]),
            element(Symmetry::Rotate180, &[1, 0]),
            element(Symmetry::FlipVertical, &[0, 1]),
            element(Symmetry::FlipHorizontal, &[1, 0]),
        ]);
        assert_eq!(group.order(), 2);
        assert_eq!(group.elements()[0].names, [Symmetry::Identity, Symmetry::FlipVertical]);
        assert!(group.element_named(Symmetry::FlipHorizontal).unwrap().has_name(Symmetry::Rotate180));
        assert!(group.element_named(Symmetry::Rotate90).is_none());
    }

    #[test]
    fn apply_permutes_corners() {
        let corners = [(0, 0), (3, 0), (0, 3), (3, 3)].map(|(file, rank)| Square::new(file, rank));
        for symmetry in Symmetry::ALL {
            let mut images = corners.map(|corner| symmetry.apply(corner, 4, 4));
            images.sort_unstable();
            assert_eq!(images, corners);
        }
        assert_eq!(Symmetry::Rotate90.apply(corners[0], 4, 4), corners[1]);
        assert_eq!(Symmetry::FlipVertical.apply(Square::new(4, 0), 2, 5), Square::new(4, 1));
    }
}
