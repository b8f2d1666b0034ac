//! [`Conjugates`] finds conjugate elements, for groups of any order.
//!
//! Conjugate elements fix equally many tours: if `s` fixes a tour, `h s h'` fixes its image under `h`.
//! Conjugation by a few generators of the group is enough. Cost O(order x generators x squares), with at most
//! log2 of the order generators.

use std::collections::HashMap;

use crate::board::SymmetryGroup;

/// The first conjugate of each element of a group, by index.
#[derive(Clone, Debug)]
pub struct Conjugates(Vec<usize>);

impl Conjugates {
    /// Finds the conjugates in a group.
    pub fn of(group: &SymmetryGroup) -> Self {
        let elements = group.elements();
        let numbers: HashMap<&[u32], usize> =
            elements.iter().enumerate().map(|(g, element)| (element.image.as_slice(), g)).collect();
        let product = |a: &[u32], b: &[u32]| -> Vec<u32> { b.iter().map(|&v| a[v as usize]).collect() };
        let number = |image: &[u32]| numbers[image];
        let generators =
            generators(elements.len(), |g, h| number(&product(&elements[g].image, &elements[h].image)));
        // Classes are merged step by step; each is represented by its first element.
        let mut first: Vec<usize> = (0..elements.len()).collect();
        for &h in &generators {
            let image = &elements[h].image;
            let mut inverse = vec![0; image.len()];
            (0..).zip(image).for_each(|(v, &w)| inverse[w as usize] = v);
            for (g, element) in elements.iter().enumerate() {
                let conjugate = number(&product(&product(image, &element.image), &inverse));
                let (a, b) = (root(&first, g), root(&first, conjugate));
                first[a.max(b)] = a.min(b);
            }
        }
        Self((0..elements.len()).map(|g| root(&first, g)).collect())
    }

    /// Returns the first conjugate of an element.
    pub fn first(&self, g: usize) -> usize {
        self.0[g]
    }
}

/// Returns the smallest element known to be conjugate to `g`.
fn root(first: &[usize], mut g: usize) -> usize {
    while first[g] != g {
        g = first[g];
    }
    g
}

/// Returns generators of a group: each is the first element that the previous ones do not generate.
fn generators(order: usize, product: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let mut generators = Vec::new();
    let mut inside = vec![false; order];
    inside[0] = true;
    for g in 0..order {
        if inside[g] {
            continue;
        }
        generators.push(g);
        let mut fresh: Vec<usize> = (0..order).filter(|&h| inside[h]).collect();
        while let Some(h) = fresh.pop() {
            for &generator in &generators {
                let next = product(generator, h);
                if !std::mem::replace(&mut inside[next], true) {
                    fresh.push(next);
                }
            }
        }
    }
    generators
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Arena, Graph, Symmetry};

    fn classes(group: &SymmetryGroup) -> usize {
        let conjugates = Conjugates::of(group);
        (0..group.order()).filter(|&g| conjugates.first(g) == g).count()
    }

    #[test]
    fn reflections_in_both_axes_are_conjugate_on_a_square() {
        let square: Arena = "6x6".parse().unwrap();
        let conjugates = Conjugates::of(square.symmetries());
        let number = |symmetry| square.symmetries().elements().iter().position(|e| e.is(symmetry)).unwrap();
        let [across, up] = [Symmetry::FlipHorizontal, Symmetry::FlipVertical].map(number);
        assert_eq!(conjugates.first(across), conjugates.first(up));
        assert_ne!(conjugates.first(across), conjugates.first(number(Symmetry::FlipDiagonal)));
    }

    #[test]
    fn classes_of_known_groups() {
        let square: Arena = "6x6".parse().unwrap();
        assert_eq!(classes(square.symmetries()), 5);
        let oblong: Arena = "5x6".parse().unwrap();
        assert_eq!(classes(oblong.symmetries()), 4);
        // The symmetric group on five points has as many classes as there are partitions of five.
        let complete = Graph::from_edges(5, (0..5).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(classes(Arena::from_graph(complete).symmetries()), 7);
    }
}
