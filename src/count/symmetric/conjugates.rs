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
    pub fn new(group: &SymmetryGroup) -> Self {
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
                let (a, b) =
                    (smallest_known_conjugate(&first, g), smallest_known_conjugate(&first, conjugate));
                first[a.max(b)] = a.min(b);
            }
        }
        Self((0..elements.len()).map(|g| smallest_known_conjugate(&first, g)).collect())
    }

    /// Returns the first conjugate of an element.
    pub fn first_conjugate(&self, g: usize) -> usize {
        self.0[g]
    }
}

/// Returns the smallest element known to be conjugate to `g`.
fn smallest_known_conjugate(first: &[usize], mut g: usize) -> usize {
    while first[g] != g {
        g = first[g];
    }
    g
}

/// Returns generators of a group: each is the first element that the previous ones do not generate.
fn generators(order: usize, product: impl Fn(usize, usize) -> usize) -> Vec<usize> {
    let mut generators = Vec::new();
    let mut is_generated = vec![false; order];
    is_generated[0] = true;
    for g in 0..order {
        if is_generated[g] {
            continue;
        }
        generators.push(g);
        let mut unprocessed: Vec<usize> = (0..order).filter(|&h| is_generated[h]).collect();
        while let Some(h) = unprocessed.pop() {
            for &generator in &generators {
                let next = product(generator, h);
                if !std::mem::replace(&mut is_generated[next], true) {
                    unprocessed.push(next);
                }
            }
        }
    }
    generators
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, Symmetry};

    fn classes(group: &SymmetryGroup) -> usize {
        let conjugates = Conjugates::new(group);
        (0..group.order()).filter(|&g| conjugates.first_conjugate(g) == g).count()
    }

    #[test]
    fn axis_reflections_of_square_are_conjugate() {
        let square: Board = "6x6".parse().unwrap();
        let conjugates = Conjugates::new(square.symmetries());
        let number =
            |symmetry| square.symmetries().elements().iter().position(|e| e.has_name(symmetry)).unwrap();
        let [across, up] = [Symmetry::FlipHorizontal, Symmetry::FlipVertical].map(number);
        assert_eq!(conjugates.first_conjugate(across), conjugates.first_conjugate(up));
        assert_ne!(
            conjugates.first_conjugate(across),
            conjugates.first_conjugate(number(Symmetry::FlipDiagonal))
        );
    }

    #[test]
    fn numbers_of_conjugacy_classes_are_known() {
        let square: Board = "6x6".parse().unwrap();
        assert_eq!(classes(square.symmetries()), 5);
        let oblong: Board = "5x6".parse().unwrap();
        assert_eq!(classes(oblong.symmetries()), 4);
        // The symmetric group on five points has as many classes as there are partitions of five.
        let complete = Graph::from_edges(5, (0..5).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(classes(Board::from_graph(complete).symmetries()), 7);
    }
}
