//! Symmetry groups: permutations of the vertices of a graph that map edges to edges.
//!
//! Counting from one vertex of each orbit (a *fundamental region*) and multiplying by the size of the orbit
//! gives the total.
//!
//! ```text
//! 6x6: 6 orbits, one representative each    A B C . . .
//!                                           . D E . . .
//!                                           . . F . . .
//! ```
//!
//! A group may have any order: on a torus of 8x8 squares the knight has 512 automorphisms. The identity is
//! the first element. The others are in ascending order of their images or in the order in which the group
//! was built. Elements on custom graphs have no names. Elements on a rectangle have names from [`Symmetry`],
//! sometimes several: on 1 x n a half turn is also a reflection.

use std::collections::HashMap;

use super::Symmetry;

/// A permutation of the vertices of a graph that maps edges to edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The symmetries of a rectangle that act as this permutation; empty on other boards.
    pub names: Vec<Symmetry>,
    /// Image of vertex `v` at index `v`.
    pub image: Vec<u32>,
}

impl Element {
    /// Returns true if `symmetry` is one of the names of the element.
    #[must_use]
    pub fn has_name(&self, symmetry: Symmetry) -> bool {
        self.names.contains(&symmetry)
    }
}

/// A group of automorphisms, identity first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetryGroup {
    elements: Vec<Element>,
}

impl SymmetryGroup {
    /// Creates a group from its elements. Elements with equal images are merged into one element with all
    /// their names.
    ///
    /// # Panics
    /// If the first element is not the identity. Closure under composition is the caller's responsibility and
    /// not checked.
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

    /// Generates the group of some permutations of `len` vertices, in ascending order of images; `None` if it
    /// has more than `max_order` elements. Cost O(order x generators x len).
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

    /// Returns the elements, identity first.
    #[must_use]
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// Returns true if every element has a name, as on a rectangle.
    #[must_use]
    pub fn is_fully_named(&self) -> bool {
        self.elements.iter().all(|element| !element.names.is_empty())
    }

    /// Returns the element with the given name.
    #[must_use]
    pub fn element_named(&self, symmetry: Symmetry) -> Option<&Element> {
        self.elements.iter().find(|element| element.has_name(symmetry))
    }

    /// Returns the subgroup of the elements whose image satisfies `keep`. The caller must choose `keep` such
    /// that they form a subgroup (a stabiliser).
    #[must_use]
    pub fn stabiliser(&self, keep: impl Fn(&[u32]) -> bool) -> Self {
        let elements: Vec<Element> =
            self.elements.iter().filter(|element| keep(&element.image)).cloned().collect();
        debug_assert!(!elements.is_empty(), "the identity stabilises everything");
        Self { elements }
    }

    /// Returns the orbits of the vertices, each ascending, ordered by their lowest vertex. The lowest
    /// vertices form the fundamental region. Cost O(order x orbits).
    #[must_use]
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        let len = self.elements.first().map_or(0, |identity| identity.image.len());
        let mut seen = vec![false; len];
        let mut orbits = Vec::new();
        for v in 0..len {
            if seen[v] {
                continue;
            }
            let mut orbit: Vec<u32> = self.elements.iter().map(|e| e.image[v]).collect();
            orbit.sort_unstable();
            orbit.dedup();
            for &w in &orbit {
                seen[w as usize] = true;
            }
            orbits.push(orbit);
        }
        orbits
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
}
