//! What is counted: Hamiltonian cycles of a graph, some edges of which are compulsory.
//!
//! *Closed tours* are the Hamiltonian cycles of the leaper's graph. *Paths* are
//! those of the same graph with one more vertex, the *apex*, joined to every
//! square: cutting a cycle at the apex leaves a path, and every path closes
//! through the apex in one way.
//!
//! ```text
//!            apex
//!           /    \           path a-b-c-d  <->  cycle apex-a-b-c-d-apex
//!     a -- b -- c -- d
//! ```
//!
//! So paths need no rules of their own, and two partial paths that already have
//! ended become one partial path through the apex: which of the frontier's
//! pairs of mates that is does not matter for the future and is forgotten.
//! A fixed start is a compulsory edge to the apex; with both ends fixed the apex
//! has only those two neighbours.

use std::cmp::Reverse;

use crate::board::Graph;
use crate::encoder::Encoder;
use crate::frontier::problem::field::{Factors, Field, Lines};

/// Which tours are counted, all undirected unless an end is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tours {
    /// Hamiltonian cycles, each counted once.
    Closed,
    /// Hamiltonian paths, each counted once.
    Paths,
    /// Hamiltonian paths that start at this vertex.
    From(usize),
    /// Hamiltonian paths from the first vertex to the second.
    Between(usize, usize),
}

impl Tours {
    /// Writes a tag and the vertices: 0 for cycles, 1 for paths, 2 and the start, 3 and both ends.
    pub(crate) fn encode(self, to: &mut Encoder) {
        let (tag, vertices) = match self {
            Self::Closed => (0, &[][..]),
            Self::Paths => (1, &[][..]),
            Self::From(start) => (2, &[start][..]),
            Self::Between(start, end) => (3, &[start, end][..]),
        };
        to.tag(tag);
        vertices.iter().for_each(|&v| to.number(v as u64));
    }
}

/// The Hamiltonian cycles of a graph, to be counted.
#[derive(Clone, Debug)]
pub struct Cycles {
    near: Vec<Vec<usize>>,
    apex: Option<usize>,
    /// The square whose edge to the apex is compulsory.
    start: Option<usize>,
    /// Automorphisms of order two as images of the vertices.
    mirrors: Vec<Vec<usize>>,
    /// Factors other than 1; edges to the apex have none.
    factors: Factors,
}

impl Cycles {
    /// The same for a field with its factors. Mirrors that change factors are left out.
    ///
    /// # Panics
    /// As for [`Cycles::new`].
    #[must_use]
    pub fn of(field: &Field, tours: Tours) -> Self {
        let mut cycles = Self::new(field.as_graph(), tours, field.automorphisms());
        cycles.factors = field.factors().clone();
        if cycles.has_factors() {
            let mut mirrors = std::mem::take(&mut cycles.mirrors);
            mirrors.retain(|image| {
                cycles
                    .factors
                    .iter()
                    .all(|(&(v, w), &factor)| cycles.factor(image[v as usize], image[w as usize]) == factor)
            });
            cycles.mirrors = mirrors;
        }
        cycles.leave_best_mirrors(field.directions());
        cycles
    }

    /// The cycles that stand for `tours` of `graph`. `automorphisms` are vertex permutations
    /// of `graph`; those of order two that keep the fixed ends may be used for folding.
    ///
    /// # Panics
    /// If a fixed end is not a vertex, or an image list has the wrong length.
    #[must_use]
    pub fn new(graph: &Graph, tours: Tours, automorphisms: &[Vec<u32>]) -> Self {
        let len = graph.len();
        let mut near: Vec<Vec<usize>> =
            (0..len).map(|v| graph.neighbours(v).iter().map(|&w| w as usize).collect()).collect();
        let ends: Vec<usize> = match tours {
            Tours::Closed => vec![],
            Tours::Paths | Tours::From(_) => (0..len).collect(),
            Tours::Between(a, b) => vec![a, b],
        };
        let apex = (tours != Tours::Closed).then_some(len);
        if apex.is_some() {
            for &v in &ends {
                near[v].push(len);
            }
            near.push(ends);
        }
        let start = if let Tours::From(start) = tours { Some(start) } else { None };
        assert!(start.is_none_or(|s| s < len), "the start is a vertex");
        let is_kept = |image: &[u32]| match tours {
            Tours::Between(a, b) => {
                [a, b].contains(&(image[a] as usize)) && [a, b].contains(&(image[b] as usize))
            }
            _ => true,
        };
        let mirrors = automorphisms
            .iter()
            .inspect(|image| assert_eq!(image.len(), len, "an automorphism moves every vertex"))
            .filter(|image| is_mirror(image) && is_kept(image))
            .map(|image| image.iter().map(|&v| v as usize).chain(apex).collect())
            .collect();
        Self { near, apex, start, mirrors, factors: Factors::new() }
    }

    /// Of very many mirrors leaves those that fold most of a sweep line by line.
    fn leave_best_mirrors(&mut self, directions: &[Lines]) {
        if self.mirrors.len() <= MOST_MIRRORS {
            return;
        }
        let mut orders: Vec<Vec<usize>> = directions
            .iter()
            .map(|lines| lines.iter().flat_map(|line| line.iter().flatten().copied()).collect())
            .collect();
        if orders.is_empty() {
            orders.push((0..self.squares()).collect());
        }
        let folds = |image: &Vec<usize>| orders.iter().map(|order| folds(image, order).count()).max();
        self.mirrors.sort_by_cached_key(|image| Reverse(folds(image)));
        self.mirrors.truncate(MOST_MIRRORS);
    }

    /// Which squares are of one of two colours, if neighbours always differ. Cost O(edges).
    #[must_use]
    pub fn colours(&self) -> Option<Vec<bool>> {
        let squares = self.squares();
        let mut light: Vec<Option<bool>> = vec![None; squares];
        for first in 0..squares {
            if light[first].is_some() {
                continue;
            }
            light[first] = Some(false);
            let mut next = vec![first];
            while let Some(v) = next.pop() {
                let other = light[v].map(|is_light| !is_light);
                for &w in self.near[v].iter().filter(|&&w| w < squares) {
                    match light[w] {
                        None => {
                            light[w] = other;
                            next.push(w);
                        }
                        found if found != other => return None,
                        _ => {}
                    }
                }
            }
        }
        light.into_iter().collect()
    }

    /// Number of vertices, the apex included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.near.len()
    }

    /// Number of vertices without the apex.
    #[must_use]
    pub fn squares(&self) -> usize {
        self.near.len() - usize::from(self.apex.is_some())
    }

    /// The neighbours of a vertex.
    #[must_use]
    pub fn near(&self, v: usize) -> &[usize] {
        &self.near[v]
    }

    /// The apex, if paths are counted.
    #[must_use]
    pub fn apex(&self) -> Option<usize> {
        self.apex
    }

    /// Whether tours count for anything but 1.
    #[must_use]
    pub fn has_factors(&self) -> bool {
        !self.factors.is_empty()
    }

    /// Whether an edge has a factor below zero.
    #[must_use]
    pub fn has_negatives(&self) -> bool {
        self.factors.values().any(|&factor| factor < 0)
    }

    /// The factor of the edge between two neighbours.
    #[must_use]
    pub fn factor(&self, v: usize, w: usize) -> i32 {
        self.factors.get(&(v.min(w) as u32, v.max(w) as u32)).copied().unwrap_or(1)
    }

    /// The neighbour that `v` must be joined to, if any.
    #[must_use]
    pub fn compulsory(&self, v: usize) -> Option<usize> {
        self.apex.filter(|_| self.start == Some(v))
    }

    /// Automorphisms of order two, as images; a compulsory edge may break them while it is ahead.
    #[must_use]
    pub fn mirrors(&self) -> &[Vec<usize>] {
        &self.mirrors
    }
}

/// Most mirrors that are looked at: each takes time to find an order for.
const MOST_MIRRORS: usize = 8;

/// Whether an automorphism is of order two.
fn is_mirror(image: &[u32]) -> bool {
    let mut moved = false;
    image.iter().enumerate().all(|(v, &w)| {
        moved |= v as u32 != w;
        image[w as usize] as usize == v
    }) && moved
}

/// The steps of an order after which the vertices processed are their own mirror image.
pub fn folds<'a>(mirror: &'a [usize], order: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let mut place = vec![usize::MAX; mirror.len()];
    order.iter().enumerate().for_each(|(t, &v)| place[v] = t);
    // They are when the greatest place of an image so far is that of the step.
    let mut reach = 0;
    order.iter().enumerate().filter_map(move |(t, &v)| {
        reach = reach.max(place[mirror[v]]);
        (reach == t).then_some(t)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Leaper};

    #[test]
    fn paths_are_cycles_through_the_apex() {
        let graph = Graph::new(&Board::new(3, 4).unwrap(), Leaper::KNIGHT);
        let closed = Cycles::new(&graph, Tours::Closed, &[]);
        assert_eq!((closed.len(), closed.apex()), (12, None));
        let paths = Cycles::new(&graph, Tours::Paths, &[]);
        assert_eq!((paths.len(), paths.squares(), paths.apex()), (13, 12, Some(12)));
        assert_eq!(paths.near(12).len(), 12);
        assert_eq!(Cycles::new(&graph, Tours::From(5), &[]).compulsory(5), Some(12));
        let between = Cycles::new(&graph, Tours::Between(3, 8), &[]);
        assert_eq!(between.near(12), [3, 8]);
        assert!((0..12).all(|v| between.near(v).contains(&12) == (v == 3 || v == 8)));
    }

    #[test]
    fn mirrors_are_of_order_two_and_keep_both_ends() {
        let field = Field::of(&Board::new(4, 4).unwrap().into());
        assert_eq!(field.automorphisms().len(), 8);
        let mirrors = |tours| Cycles::of(&field, tours).mirrors().len();
        assert_eq!(mirrors(Tours::Closed), 5, "not the identity, nor the quarter turns");
        assert_eq!(mirrors(Tours::Between(0, 15)), 3, "the half turn and the diagonals");
        let reversed: Vec<usize> = (0..6).rev().collect();
        assert_eq!(folds(&reversed, &[0, 5, 1, 2, 3, 4]).collect::<Vec<_>>(), [1, 5]);
    }

    #[test]
    fn of_very_many_mirrors_those_that_keep_lines_are_left() {
        // A torus of 8 x 8: translations, reflections and rotations, 512 in all.
        let (side, at) = (8, |r: usize, c: usize| (r % 8 * 8 + c % 8) as u32);
        let mut images: Vec<Vec<u32>> = Vec::new();
        for turn in 0..8 {
            for (down, right) in (0..side).flat_map(|d| (0..side).map(move |r| (d, r))) {
                let image = |v: usize| {
                    let (mut r, mut c) = (v / side, v % side);
                    (r, c) = if turn & 1 == 1 { (c, r) } else { (r, c) };
                    (r, c) = if turn & 2 == 2 { (side - r, c) } else { (r, c) };
                    (r, c) = if turn & 4 == 4 { (r, side - c) } else { (r, c) };
                    at(r + down, c + right)
                };
                images.push((0..64).map(image).collect());
            }
        }
        assert_eq!(images.len(), 512);
        let knight = [(1, 2), (2, 1), (2, 7), (1, 6)];
        let edges = (0..64).flat_map(|v| knight.map(|(r, c)| (v, at(v / 8 + r, v % 8 + c) as usize)));
        let field = Field::weighted(Graph::from_edges(64, edges), Factors::new(), images);
        let cycles = Cycles::of(&field, Tours::Closed);
        assert_eq!(cycles.mirrors().len(), MOST_MIRRORS);
        let order: Vec<usize> = (0..64).collect();
        assert!(cycles.mirrors().iter().all(|mirror| folds(mirror, &order).count() >= 8));
    }
}
