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

use crate::board::Graph;

use crate::frontier::problem::field::{Factors, Field};

/// Mirrors that are tried, at most.
const MOST_MIRRORS: usize = 16;

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

/// A graph in which Hamiltonian cycles are to be counted.
#[derive(Clone, Debug)]
pub struct Problem {
    near: Vec<Vec<usize>>,
    apex: Option<usize>,
    /// The square whose edge to the apex is compulsory.
    start: Option<usize>,
    /// Automorphisms of order two as images of the vertices.
    mirrors: Vec<Vec<usize>>,
    /// Factors other than 1; edges to the apex have none.
    factors: Factors,
}

impl Problem {
    /// The same for a field with its factors. Mirrors that change factors are left out.
    ///
    /// # Panics
    /// As for [`Problem::new`].
    #[must_use]
    pub fn of(field: &Field, tours: Tours) -> Self {
        let mut problem = Self::new(field.as_graph(), tours, field.automorphisms());
        problem.factors = field.factors().clone();
        if problem.has_factors() {
            let mut mirrors = std::mem::take(&mut problem.mirrors);
            mirrors.retain(|image| {
                problem
                    .factors
                    .iter()
                    .all(|(&(v, w), &factor)| problem.factor(image[v as usize], image[w as usize]) == factor)
            });
            problem.mirrors = mirrors;
        }
        problem
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
        let mut mirrors: Vec<Vec<usize>> = automorphisms
            .iter()
            .map(|image| {
                assert_eq!(image.len(), len, "an automorphism moves every vertex");
                image.iter().map(|&v| v as usize).chain(apex).collect::<Vec<_>>()
            })
            .filter(|image| image.iter().enumerate().any(|(v, &w)| v != w))
            .filter(|image| image.iter().enumerate().all(|(v, &w)| image[w] == v))
            .collect();
        mirrors.retain(|image| match tours {
            Tours::Between(a, b) => [a, b].contains(&image[a]) && [a, b].contains(&image[b]),
            _ => true,
        });
        // A torus has hundreds; each is tried by the search for an order.
        mirrors.truncate(MOST_MIRRORS);
        Self { near, apex, start, mirrors, factors: Factors::new() }
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
