//! The problem of a sweep: the graph with its symmetries, factors and lines, the kind of tours, and
//! the Hamiltonian cycles to count.
//!
//! # Graph
//!
//! Edges may have *factors*: a tour then counts as the product of the factors of its edges, so that
//! an edge of factor 2 stands for two parallel edges. Factors can be negative. Default: 1.
//!
//! # Cycles
//!
//! A sweep counts the Hamiltonian cycles of a graph that contain all compulsory edges: the required
//! moves of the board, and the edge of a fixed start. *Closed
//! tours* are the Hamiltonian cycles of the leaper's graph. *Paths* are the Hamiltonian cycles of
//! the graph with one extra vertex, the *apex*, joined to every square: removing the apex from a
//! cycle leaves a path, and every path closes through the apex in one way.
//!
//! ```text
//!            apex
//!           /    \           path a-b-c-d  <->  cycle apex-a-b-c-d-apex
//!     a -- b -- c -- d
//! ```
//!
//! So paths need no code of their own. Both ends of a path are joined to the apex and form one
//! partial path through it. The two mates on the frontier that belong to this partial path do not
//! affect the completions and are not stored. A fixed start is a compulsory edge to the apex. With
//! both ends fixed, the apex has only those two neighbours.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::board::{Board, Graph, Move, Vertex};
use crate::encoder::Encoder;

/// Factors of the edges whose factor is not 1. An edge is a pair of vertices, the lower first.
pub type Factors = BTreeMap<(u32, u32), i32>;

/// The squares of a board for one direction of sweeping: for each line (a row or a column), the
/// square at each position; `None` for removed squares.
pub type SweepLines = Vec<Vec<Option<usize>>>;

/// A graph with its symmetries, its factors, and the lines (rows or columns) of a flat board.
#[derive(Clone, Debug)]
pub struct SweepGraph {
    graph: Graph,
    factors: Factors,
    /// Edges that every tour contains.
    required: Vec<Move>,
    automorphisms: Vec<Vec<u32>>,
    directions: Vec<SweepLines>,
    /// Result of [`SweepGraph::is_rectangle_like`].
    is_rectangle_like: bool,
    /// Result of [`SweepGraph::is_incomplete_board`].
    is_incomplete_board: bool,
    /// Result of [`SweepGraph::is_quotient`].
    is_quotient: bool,
}

impl SweepGraph {
    /// Creates the sweep graph of a board, with its symmetries, and with its lines if the board
    /// lies in the plane.
    #[must_use]
    pub fn from_board(board: &Board) -> Self {
        Self {
            graph: board.graph().clone(),
            factors: Factors::new(),
            required: board.required_moves().to_vec(),
            automorphisms: board
                .symmetries()
                .elements()
                .iter()
                .map(|element| element.image.clone())
                .collect(),
            directions: board.line_scans(),
            is_rectangle_like: board.unrestricted().leaper_board().is_some(),
            is_incomplete_board: !board.removed_names().is_empty() || board.leaper_board().is_none(),
            is_quotient: false,
        }
    }

    /// Creates the sweep graph of any graph, without symmetries.
    #[must_use]
    pub fn from_graph(graph: Graph) -> Self {
        Self {
            graph,
            factors: Factors::new(),
            required: Vec::new(),
            automorphisms: Vec::new(),
            directions: Vec::new(),
            is_rectangle_like: true,
            is_incomplete_board: false,
            is_quotient: false,
        }
    }

    /// Creates the sweep graph of any graph with factors and automorphisms. Automorphisms that change factors
    /// are not used.
    ///
    /// # Panics
    /// If a factor belongs to no edge, or is 2^15 or more in absolute value: the product of two factors must
    /// fit an `i32`.
    #[must_use]
    pub fn with_factors(graph: Graph, factors: Factors, automorphisms: Vec<Vec<u32>>) -> Self {
        let is_edge = |&(v, w): &(u32, u32)| v < w && graph.is_edge(v as usize, w as usize);
        assert!(factors.keys().all(is_edge), "a factor must belong to an edge");
        let fits = |factor: &i32| factor.unsigned_abs() < 1 << 15;
        assert!(factors.values().all(fits), "a factor must be below 2^15");
        let factors = factors.into_iter().filter(|&(_, factor)| factor != 1).collect();
        Self {
            graph,
            factors,
            required: Vec::new(),
            automorphisms,
            directions: Vec::new(),
            is_rectangle_like: true,
            is_incomplete_board: false,
            is_quotient: false,
        }
    }

    /// Returns the sweep graph of a board that is divided by a symmetry.
    #[must_use]
    pub const fn of_quotient(mut self) -> Self {
        self.is_quotient = true;
        self
    }

    /// Returns the sweep graph with the lines of one direction only: row by row.
    #[must_use]
    pub(in crate::frontier) fn rows_only(mut self) -> Self {
        self.directions.truncate(1);
        self
    }

    /// Returns the graph.
    #[must_use]
    pub fn as_graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the factors of the edges whose factor is not 1.
    #[must_use]
    pub fn factors(&self) -> &Factors {
        &self.factors
    }

    /// Returns the edges that every tour must contain.
    #[must_use]
    pub fn required(&self) -> &[Move] {
        &self.required
    }

    /// Returns the sweep graph whose tours must contain the edges `required`. Automorphisms must preserve this
    /// set.
    #[must_use]
    pub fn with_required(self, required: &[Move]) -> Self {
        Self { required: required.to_vec(), ..self }
    }

    /// Returns the sweep graph without its known automorphisms, so that no layers are folded.
    #[must_use]
    pub fn without_automorphisms(self) -> Self {
        Self { automorphisms: Vec::new(), ..self }
    }

    /// Returns the known automorphisms of the graph, as images of the vertices.
    #[must_use]
    pub fn automorphisms(&self) -> &[Vec<u32>] {
        &self.automorphisms
    }

    /// Returns true for rectangles, and for graphs without a board, such as quotients. For these
    /// graphs the search for an order needs one start, and the layers, except those of quotients, are expected to grow
    /// and shrink as on rectangles. Other boards need several starts, and the sizes of their layers are
    /// less certain.
    #[must_use]
    pub fn is_rectangle_like(&self) -> bool {
        self.is_rectangle_like
    }

    /// Returns true for a board with removed squares, or with required or forbidden moves.
    #[must_use]
    pub(in crate::frontier) const fn is_incomplete_board(&self) -> bool {
        self.is_incomplete_board
    }

    /// Returns true for a board that is divided by a symmetry. Its layers fill sooner than those of a rectangle with as
    /// many squares, and longer.
    #[must_use]
    pub(in crate::frontier) const fn is_quotient(&self) -> bool {
        self.is_quotient
    }

    /// Returns the lines of the board for each direction of sweeping; empty if there are no lines.
    #[must_use]
    pub(in crate::frontier) fn directions(&self) -> &[SweepLines] {
        &self.directions
    }
}

/// The kind of tours to count. Tours are undirected unless an end is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tours {
    /// Hamiltonian cycles, each counted once.
    Closed,
    /// Hamiltonian paths, each counted once.
    Paths,
    /// Hamiltonian paths that start at the given vertex.
    From(Vertex),
    /// Hamiltonian paths from the first vertex to the second vertex.
    Between(Vertex, Vertex),
}

impl Tours {
    /// Writes a tag and the vertices to an encoder: 0 for cycles, 1 for paths, 2 and the start, 3
    /// and both ends.
    pub(crate) fn encode(self, to: &mut Encoder) {
        let (tag, vertices) = match self {
            Self::Closed => (0, &[][..]),
            Self::Paths => (1, &[][..]),
            Self::From(start) => (2, &[start][..]),
            Self::Between(start, end) => (3, &[start, end][..]),
        };
        to.tag(tag);
        vertices.iter().for_each(|&v| to.number(u64::from(v)));
    }
}

/// The Hamiltonian cycles to count, described by the neighbours of each vertex, the apex, the
/// compulsory edges, mirrors and factors.
#[derive(Clone, Debug)]
pub struct Cycles {
    neighbours: Vec<Vec<usize>>,
    apex: Option<usize>,
    /// For each vertex, the neighbours to which it must be joined.
    compulsory: Vec<Vec<usize>>,
    /// Square whose edge to the apex is compulsory; `None` without a fixed start.
    start: Option<usize>,
    /// Automorphisms of order two, each as the image of every vertex.
    mirrors: Vec<Vec<usize>>,
    /// Factors of the edges whose factor is not 1. Edges to the apex have factor 1.
    factors: Factors,
}

impl Cycles {
    /// Creates the cycles that correspond to `tours` of a sweep graph, with its factors. Leaves out
    /// mirrors that change factors; of more than [`MAX_MIRRORS`] mirrors, retains the best.
    ///
    /// # Panics
    /// See [`Cycles::new`].
    #[must_use]
    pub fn from_sweep_graph(graph: &SweepGraph, tours: Tours) -> Self {
        let mut cycles = Self::new(graph.as_graph(), tours, graph.automorphisms());
        for &(v, w) in graph.required() {
            cycles.require(v as usize, w as usize);
        }
        cycles.factors = graph.factors().clone();
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
        cycles.retain_best_mirrors(graph.directions());
        cycles
    }

    /// Creates the cycles that correspond to `tours` of `graph`, with all factors 1. `automorphisms` are
    /// vertex permutations of `graph`; those of order two that preserve the fixed ends become mirrors.
    ///
    /// # Panics
    /// If a fixed end is not a vertex, or an image list has the wrong length.
    #[must_use]
    pub fn new(graph: &Graph, tours: Tours, automorphisms: &[Vec<u32>]) -> Self {
        let len = graph.len();
        let mut neighbours: Vec<Vec<usize>> =
            (0..len).map(|v| graph.neighbours(v).iter().map(|&w| w as usize).collect()).collect();
        let ends: Vec<usize> = match tours {
            Tours::Closed => vec![],
            Tours::Paths | Tours::From(_) => (0..len).collect(),
            Tours::Between(a, b) => vec![a as usize, b as usize],
        };
        let apex = (tours != Tours::Closed).then_some(len);
        if apex.is_some() {
            for &v in &ends {
                neighbours[v].push(len);
            }
            neighbours.push(ends);
        }
        let start = if let Tours::From(start) = tours { Some(start as usize) } else { None };
        assert!(start.is_none_or(|s| s < len), "the start must be a vertex");
        let preserves_ends = |image: &[u32]| match tours {
            Tours::Between(a, b) => {
                [a, b].contains(&image[a as usize]) && [a, b].contains(&image[b as usize])
            }
            _ => true,
        };
        let mirrors = automorphisms
            .iter()
            .inspect(|image| {
                assert_eq!(image.len(), len, "an automorphism must have an image of every vertex")
            })
            .filter(|image| is_mirror(image) && preserves_ends(image))
            .map(|image| image.iter().map(|&v| v as usize).chain(apex).collect())
            .collect();
        let compulsory = vec![Vec::new(); neighbours.len()];
        let mut cycles = Self { neighbours, apex, compulsory, start, mirrors, factors: Factors::new() };
        if let (Some(start), Some(apex)) = (start, apex) {
            cycles.require(start, apex);
        }
        cycles
    }

    /// Makes the edge between `v` and `w` compulsory.
    fn require(&mut self, v: usize, w: usize) {
        self.compulsory[v].push(w);
        self.compulsory[w].push(v);
    }

    /// Retains at most [`MAX_MIRRORS`] mirrors: those that fold the most steps of a line-by-line
    /// sweep.
    fn retain_best_mirrors(&mut self, directions: &[SweepLines]) {
        if self.mirrors.len() <= MAX_MIRRORS {
            return;
        }
        let mut orders: Vec<Vec<usize>> = directions
            .iter()
            .map(|lines| lines.iter().flat_map(|line| line.iter().flatten().copied()).collect())
            .collect();
        if orders.is_empty() {
            orders.push((0..self.square_count()).collect());
        }
        let symmetric_step_count =
            |image: &Vec<usize>| orders.iter().map(|order| symmetric_steps(image, order).count()).max();
        self.mirrors.sort_by_cached_key(|image| Reverse(symmetric_step_count(image)));
        self.mirrors.truncate(MAX_MIRRORS);
    }

    /// Returns a two-colouring of the squares in which neighbours differ (true for one colour);
    /// `None` if the graph has no two-colouring. The apex is ignored. Cost: O(edges).
    #[must_use]
    pub fn two_colouring(&self) -> Option<Vec<bool>> {
        let squares = self.square_count();
        let mut light: Vec<Option<bool>> = vec![None; squares];
        for first in 0..squares {
            if light[first].is_some() {
                continue;
            }
            light[first] = Some(false);
            let mut next = vec![first];
            while let Some(v) = next.pop() {
                let other = light[v].map(|is_light| !is_light);
                for &w in self.neighbours[v].iter().filter(|&&w| w < squares) {
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

    /// Returns the number of vertices, including the apex.
    #[must_use]
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Returns the number of vertices without the apex.
    #[must_use]
    pub fn square_count(&self) -> usize {
        self.neighbours.len() - usize::from(self.apex.is_some())
    }

    /// Returns the neighbours of vertex `v`.
    #[must_use]
    pub fn neighbours(&self, v: usize) -> &[usize] {
        &self.neighbours[v]
    }

    /// Returns the apex; `None` for closed tours.
    #[must_use]
    pub fn apex(&self) -> Option<usize> {
        self.apex
    }

    /// Returns true if an edge has a factor other than 1.
    #[must_use]
    pub fn has_factors(&self) -> bool {
        !self.factors.is_empty()
    }

    /// Returns true if an edge has a negative factor.
    #[must_use]
    pub fn has_negative_factors(&self) -> bool {
        self.factors.values().any(|&factor| factor < 0)
    }

    /// Returns the factor of the edge between the neighbours `v` and `w`.
    #[must_use]
    pub fn factor(&self, v: usize, w: usize) -> i32 {
        self.factors.get(&(v.min(w) as u32, v.max(w) as u32)).copied().unwrap_or(1)
    }

    /// Returns the neighbours to which `v` must be joined: the ends of required moves, and the apex if `v` is
    /// the fixed start.
    #[must_use]
    pub fn compulsory_neighbours(&self, v: usize) -> &[usize] {
        &self.compulsory[v]
    }

    /// Returns true if an edge is compulsory.
    #[must_use]
    pub fn has_compulsory_edges(&self) -> bool {
        self.compulsory.iter().any(|neighbours| !neighbours.is_empty())
    }

    /// Returns the fixed start, which must be joined to the apex.
    #[must_use]
    pub fn start(&self) -> Option<usize> {
        self.start
    }

    /// Returns the automorphisms of order two, each as the image of every vertex. They preserve the required
    /// moves. A mirror may move the fixed start; such a mirror can fold only after the step that decides the
    /// compulsory edge of the start.
    #[must_use]
    pub fn mirrors(&self) -> &[Vec<usize>] {
        &self.mirrors
    }
}

/// Maximum number of mirrors. An order is searched for each mirror.
const MAX_MIRRORS: usize = 8;

/// Returns true if an automorphism, given as the image of every vertex, has order two.
fn is_mirror(image: &[u32]) -> bool {
    let mut moved = false;
    image.iter().enumerate().all(|(v, &w)| {
        moved |= v as u32 != w;
        image[w as usize] as usize == v
    }) && moved
}

/// Yields the steps of `order` after which the set of processed vertices is its own image under `mirror`.
pub fn symmetric_steps<'a>(mirror: &'a [usize], order: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let mut step_of = vec![usize::MAX; mirror.len()];
    order.iter().enumerate().for_each(|(t, &v)| step_of[v] = t);
    // The set is symmetric if the latest step of all images so far is the current step.
    let mut latest_image = 0;
    order.iter().enumerate().filter_map(move |(t, &v)| {
        latest_image = latest_image.max(step_of[mirror[v]]);
        (latest_image == t).then_some(t)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Leaper, Rectangle};

    #[test]
    fn from_board_has_both_directions_and_all_symmetries() {
        let sweep_graph = SweepGraph::from_board(&"3x4".parse().unwrap());
        assert_eq!(sweep_graph.as_graph().len(), 12);
        assert_eq!(sweep_graph.automorphisms().len(), 4);
        let sides: Vec<_> =
            sweep_graph.directions().iter().map(|lines| (lines.len(), lines[0].len())).collect();
        assert_eq!(sides, [(3, 4), (4, 3)]);
        assert_eq!(sweep_graph.rows_only().directions().len(), 1);
    }

    #[test]
    fn with_factors_drops_factors_of_one() {
        let graph = Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)]);
        let factors = Factors::from([((0, 1), 1), ((1, 2), -2)]);
        let sweep_graph = SweepGraph::with_factors(graph, factors, Vec::new());
        assert_eq!(sweep_graph.factors(), &Factors::from([((1, 2), -2)]));
    }

    #[test]
    #[should_panic(expected = "a factor must belong to an edge")]
    fn with_factors_rejects_factor_of_a_non_edge() {
        let _ = SweepGraph::with_factors(
            Graph::from_edges(3, [(0, 1)]),
            Factors::from([((1, 2), 2)]),
            Vec::new(),
        );
    }

    #[test]
    fn paths_are_cycles_through_the_apex() {
        let graph = Graph::from_leaper(&Rectangle::new(3, 4).unwrap(), Leaper::KNIGHT);
        let closed = Cycles::new(&graph, Tours::Closed, &[]);
        assert_eq!((closed.len(), closed.apex()), (12, None));
        let paths = Cycles::new(&graph, Tours::Paths, &[]);
        assert_eq!((paths.len(), paths.square_count(), paths.apex()), (13, 12, Some(12)));
        assert_eq!(paths.neighbours(12).len(), 12);
        assert_eq!(Cycles::new(&graph, Tours::From(5), &[]).compulsory_neighbours(5), [12]);
        let between = Cycles::new(&graph, Tours::Between(3, 8), &[]);
        assert_eq!(between.neighbours(12), [3, 8]);
        assert!((0..12).all(|v| between.neighbours(v).contains(&12) == (v == 3 || v == 8)));
    }

    #[test]
    fn mirrors_have_order_two_and_preserve_fixed_ends() {
        let sweep_graph = SweepGraph::from_board(&Rectangle::new(4, 4).unwrap().into());
        assert_eq!(sweep_graph.automorphisms().len(), 8);
        let mirrors = |tours| Cycles::from_sweep_graph(&sweep_graph, tours).mirrors().len();
        assert_eq!(mirrors(Tours::Closed), 5, "not the identity, nor the quarter turns");
        assert_eq!(mirrors(Tours::Between(0, 15)), 3, "the half turn and the diagonals");
        let reversed: Vec<usize> = (0..6).rev().collect();
        assert_eq!(symmetric_steps(&reversed, &[0, 5, 1, 2, 3, 4]).collect::<Vec<_>>(), [1, 5]);
    }

    #[test]
    fn best_mirrors_are_retained_on_a_torus() {
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
        let sweep_graph = SweepGraph::with_factors(Graph::from_edges(64, edges), Factors::new(), images);
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        assert_eq!(cycles.mirrors().len(), MAX_MIRRORS);
        let order: Vec<usize> = (0..64).collect();
        assert!(cycles.mirrors().iter().all(|mirror| symmetric_steps(mirror, &order).count() >= 8));
    }
}
