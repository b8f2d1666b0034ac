//! Finding the automorphisms of a graph.
//!
//! *Refinement* gives vertices the same colour only if no number of looks at the colours
//! of neighbours tells them apart. Where vertices are still alike, one of them is made
//! different by force, and refinement goes on; a few of those, the *base*, tell all
//! vertices apart. An automorphism is known by where it takes the base: the search tries
//! the images of one base vertex after the other, refines both sides alike, and gives up
//! as soon as the sides differ.
//!
//! From the last base vertex to the first, the images that it has while the earlier ones
//! stay make up its orbit; one automorphism for each of them is kept, and every element of
//! the group is a product of these in one way. So the order is known before any element
//! is written down.
//!
//! ```text
//! graph -> base, traces -> orbits of the base with a representative for each image -> elements
//! ```
//!
//! Deterministic. Cost: about squares x edges for each base vertex, for a board of a few
//! hundred vertices some milliseconds; a search of more than [`MOST_EFFORT`] is given up.

use xxhash_rust::xxh3::Xxh3;

use super::{Element, Graph, SymmetryGroup};

/// The largest group that is written down.
pub const MOST_ELEMENTS: usize = 10_000;

/// Ends of edges looked at before a search is given up: about a second.
pub const MOST_EFFORT: u64 = 20_000_000;

/// All automorphisms of a graph in ascending order of their images; `None` if there are more than
/// [`MOST_ELEMENTS`], or they take more than [`MOST_EFFORT`] to find.
#[must_use]
pub fn automorphisms(graph: &Graph) -> Option<SymmetryGroup> {
    let mut search = Search { graph, effort: 0 };
    let levels = search.levels()?;
    let order = levels.iter().try_fold(1usize, |order, level| {
        order.checked_mul(level.len()).filter(|&order| order <= MOST_ELEMENTS)
    })?;
    let identity: Vec<u32> = (0..graph.len() as u32).collect();
    let mut images = vec![identity];
    for level in &levels {
        // What keeps the base up to this level, after what moves it.
        let product = |outer: &Vec<u32>, inner: &Vec<u32>| inner.iter().map(|&v| outer[v as usize]).collect();
        images =
            images.iter().flat_map(|inner| level.iter().map(move |outer| product(outer, inner))).collect();
    }
    debug_assert_eq!(images.len(), order);
    images.sort_unstable();
    let elements = images.into_iter().map(|image| Element { names: Vec::new(), image });
    Some(SymmetryGroup::new(elements))
}

/// Colours of the vertices, and a digest of how they came about that does not depend on the vertices' numbers.
#[derive(Clone)]
struct Colouring {
    colours: Vec<u32>,
    count: usize,
    trace: u64,
}

struct Search<'a> {
    graph: &'a Graph,
    effort: u64,
}

impl Search<'_> {
    /// For each base vertex from the last to the first one automorphism for every image that it has while the
    /// earlier ones stay.
    fn levels(&mut self) -> Option<Vec<Vec<Vec<u32>>>> {
        let len = self.graph.len();
        let mut way = vec![self.refined(Colouring { colours: vec![0; len], count: len.min(1), trace: 0 })?];
        let mut base = Vec::new();
        while let Some(v) = first_alike(way.last()?) {
            base.push(v);
            way.push(self.apart(way.last()?, v)?);
        }
        let mut levels = Vec::new();
        let mut generators: Vec<Vec<u32>> = Vec::new();
        for (depth, &v) in base.iter().enumerate().rev() {
            let mut level = orbit(v, len, &generators);
            let colours = &way[depth].colours;
            for w in (0..len as u32).filter(|&w| colours[w as usize] == colours[v as usize]) {
                if level.iter().any(|image| image[v as usize] == w) {
                    continue;
                }
                let mine = self.apart(&way[depth], w)?;
                if let Some(found) = self.extend(&way, depth + 1, &mine, &base)? {
                    generators.push(found);
                    level = orbit(v, len, &generators);
                }
            }
            levels.push(level);
        }
        Some(levels)
    }

    /// An automorphism that takes the colouring at `depth` of the way to this one; `Some(None)` if there is none.
    fn extend(
        &mut self,
        way: &[Colouring],
        depth: usize,
        mine: &Colouring,
        base: &[u32],
    ) -> Option<Option<Vec<u32>>> {
        let theirs = &way[depth];
        if mine.trace != theirs.trace || mine.count != theirs.count {
            return Some(None);
        }
        let Some(&v) = base.get(depth) else { return Some(self.between(theirs, mine)) };
        let colour = theirs.colours[v as usize];
        for w in (0..mine.colours.len() as u32).filter(|&w| mine.colours[w as usize] == colour) {
            let next = self.apart(mine, w)?;
            if let Some(found) = self.extend(way, depth + 1, &next, base)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// The map between two colourings that tell all vertices apart, if it is an automorphism.
    fn between(&mut self, theirs: &Colouring, mine: &Colouring) -> Option<Vec<u32>> {
        let mut with = vec![0; mine.colours.len()];
        (0..).zip(&mine.colours).for_each(|(w, &colour)| with[colour as usize] = w);
        let image: Vec<u32> = theirs.colours.iter().map(|&colour| with[colour as usize]).collect();
        self.effort += 2 * self.graph.edges() as u64;
        self.graph.is_kept_by(&image).then_some(image)
    }

    /// The colouring with a vertex of its own colour, refined.
    fn apart(&mut self, colouring: &Colouring, v: u32) -> Option<Colouring> {
        let mut next = colouring.clone();
        next.colours[v as usize] = next.count as u32;
        next.count += 1;
        self.refined(next)
    }

    /// Colours split by those of neighbours, until nothing splits; `None` if that is too much effort.
    fn refined(&mut self, mut colouring: Colouring) -> Option<Colouring> {
        let len = self.graph.len();
        let mut trace = Xxh3::new();
        trace.update(&colouring.trace.to_le_bytes());
        loop {
            self.effort += (len + 2 * self.graph.edges()) as u64;
            if self.effort > MOST_EFFORT {
                return None;
            }
            let look = |v: usize| {
                let mut near: Vec<u32> =
                    self.graph.neighbours(v).iter().map(|&w| colouring.colours[w as usize]).collect();
                near.sort_unstable();
                (colouring.colours[v], near)
            };
            let looks: Vec<(u32, Vec<u32>)> = (0..len).map(look).collect();
            let mut by_look: Vec<usize> = (0..len).collect();
            by_look.sort_by(|&v, &w| looks[v].cmp(&looks[w]));
            let mut colours = vec![0; len];
            let mut count = 0;
            for (place, &v) in by_look.iter().enumerate() {
                if place == 0 || looks[by_look[place - 1]] != looks[v] {
                    count += 1;
                }
                colours[v] = count as u32 - 1;
                let (own, near) = &looks[v];
                trace.update(&own.to_le_bytes());
                near.iter().for_each(|colour| trace.update(&colour.to_le_bytes()));
                trace.update(&[0xff; 4]);
            }
            let settled = count == colouring.count;
            colouring = Colouring { colours, count, trace: trace.digest() };
            if settled {
                return Some(colouring);
            }
        }
    }
}

/// The first vertex of the first colour that several vertices have.
fn first_alike(colouring: &Colouring) -> Option<u32> {
    let mut many = vec![0; colouring.count];
    colouring.colours.iter().for_each(|&colour| many[colour as usize] += 1);
    let colour = many.iter().position(|&many| many > 1)?;
    (0..).zip(&colouring.colours).find(|(_, own)| **own as usize == colour).map(|(v, _)| v)
}

/// For each image of a vertex under the group that some automorphisms generate one of its elements, the identity
/// first.
fn orbit(v: u32, len: usize, generators: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut reached = vec![false; len];
    reached[v as usize] = true;
    let mut found: Vec<Vec<u32>> = vec![(0..len as u32).collect()];
    let mut next = 0;
    while next < found.len() {
        for generator in generators {
            let to = generator[found[next][v as usize] as usize];
            if !std::mem::replace(&mut reached[to as usize], true) {
                found.push(found[next].iter().map(|&w| generator[w as usize]).collect());
            }
        }
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Leaper};

    fn order(len: usize, edges: &[(usize, usize)]) -> usize {
        automorphisms(&Graph::from_edges(len, edges.iter().copied())).map_or(0, |group| group.order())
    }

    fn complete(len: usize) -> Vec<(usize, usize)> {
        (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).collect()
    }

    /// The knight on a torus.
    fn torus(rows: usize, cols: usize) -> Graph {
        let steps = [(1, 2), (2, 1), (1, cols - 2), (2, cols - 1)];
        let to = |r: usize, c: usize| (r % rows) * cols + c % cols;
        let edges = (0..rows * cols)
            .flat_map(|v| steps.into_iter().map(move |(up, right)| (v, to(v / cols + up, v % cols + right))));
        Graph::from_edges(rows * cols, edges.filter(|(v, w)| v != w))
    }

    fn permutations(len: u32) -> Vec<Vec<u32>> {
        if len == 0 {
            return vec![Vec::new()];
        }
        let longer = |shorter: &Vec<u32>| -> Vec<Vec<u32>> {
            (0..len as usize)
                .map(|at| {
                    let mut longer = shorter.clone();
                    longer.insert(at, len - 1);
                    longer
                })
                .collect()
        };
        permutations(len - 1).iter().flat_map(longer).collect()
    }

    #[test]
    fn known_graphs_have_their_groups() {
        let petersen: Vec<(usize, usize)> =
            (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect();
        assert_eq!(order(10, &petersen), 120);
        assert_eq!(order(5, &complete(5)), 120);
        assert_eq!(order(7, &complete(7)), 5040);
        assert_eq!(order(8, &complete(8)), 0, "40320 are too many to write down");
        assert_eq!(order(4, &[(0, 1), (1, 2), (2, 3)]), 2);
        assert_eq!(order(0, &[]), 1);
        assert_eq!(order(1, &[]), 1);
        assert_eq!(order(6, &[(0, 1), (2, 3), (4, 5)]), 48);
    }

    #[test]
    fn tori_of_knights_have_more_than_meets_the_eye() {
        // Orders as pynauty finds them; 8 for each square are translations, turns and reflections.
        for (rows, cols, order) in [(4, 4, 384), (4, 5, 80), (4, 6, 288), (7, 7, 784), (10, 10, 1600)] {
            let group = automorphisms(&torus(rows, cols)).unwrap();
            assert_eq!((group.order(), group.orbits().len()), (order, 1), "{rows}x{cols}");
        }
        assert!(automorphisms(&torus(8, 8)).is_none(), "32768 are too many to write down");
    }

    #[test]
    fn the_group_of_a_board_is_among_them() {
        for text in ["3x4", "5x6", "6x6", "1x3"] {
            let board: Board = text.parse().unwrap();
            let graph = Graph::new(&board, Leaper::KNIGHT);
            let all = automorphisms(&graph).unwrap();
            for element in SymmetryGroup::of(&board).elements() {
                assert!(all.elements().iter().any(|other| other.image == element.image), "{text}");
            }
        }
        let board = Graph::new(&"6x6".parse().unwrap(), Leaper::KNIGHT);
        assert_eq!(automorphisms(&board).unwrap().order(), 8);
    }

    #[test]
    fn all_are_found_by_trying_every_permutation() {
        let mut random = 1u64;
        for round in 0..200 {
            let len = 1 + round % 7;
            let mut edges = complete(len);
            edges.retain(|_| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                random >> 33 & 3 < 1 + (round as u64 / 7) % 3
            });
            let graph = Graph::from_edges(len, edges);
            let found = automorphisms(&graph).unwrap();
            let mut all: Vec<Element> = permutations(len as u32)
                .into_iter()
                .filter(|image| graph.is_kept_by(image))
                .map(|image| Element { names: Vec::new(), image })
                .collect();
            all.sort_by(|a, b| a.image.cmp(&b.image));
            assert_eq!(found.elements(), all, "{graph:?}");
        }
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let wide = Graph::from_edges(30_000, (0..29_999).map(|v| (v, v + 1)));
        assert!(automorphisms(&wide).is_none());
    }
}
