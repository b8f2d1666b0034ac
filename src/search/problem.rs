//! The input of a search: a graph, the kind of tours, their ends and the usable symmetries.
//!
//! Every Hamiltonian path has an unordered pair of ends, and every symmetry g of the problem maps
//! paths with ends {s, e} to paths with ends {gs, ge}. So it is enough to search the paths of one
//! pair of each *class* (orbit of pairs) and to multiply their number by the size of the class.
//! Pairs that cannot be the ends of a path are left out: on a bipartite graph the ends differ in
//! colour if both colours are equally frequent, and both have the majority colour otherwise. A
//! closed tour has no ends, so closed tours form one class.

use crate::board::{Graph, Move, MovePaths, PossibleEnds, SymmetryGroup, Vertex};
use crate::tour::{Kind, TourSpec};

use super::bitboard_graph::{BitboardWidth, MAX_SQUARES};

/// Greatest number of units into which a search may be split.
pub(crate) const MAX_UNITS: usize = 1 << 20;

/// Greatest number of vertices in an orbit for a joint choice of edges, which chooses the edges of
/// all vertices of the orbit together.
const MAX_JOINT_VERTICES: usize = 8;
/// Greatest number of joint choices of edges at one orbit of vertices, choices that exclude each
/// other included. Knight's boards stay far below this limit: they have at most 3^8 joint choices.
const MAX_JOINT_CHOICES: u64 = 1 << 16;

/// The reason why a search cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A board with more squares than the largest bitboard has bits.
    #[error("{0}; a search takes at most {MAX_SQUARES} squares")]
    TooLarge(String),
    /// A request for distinct tours of a board whose symmetries are not all known.
    #[error("the symmetries are too many or take too long to find; list all tours instead of distinct ones")]
    UnknownSymmetries,
    /// A split depth that makes too many units.
    #[error("split depth {0} makes more than {MAX_UNITS} units")]
    TooManyUnits(u32),
}

/// A graph, the kind of tours to visit, their fixed ends, and the symmetries that preserve graph
/// and ends.
///
/// The form of a [`TourSpec`] that a search uses. [`Problem::new`] makes it, so the ends are checked already.
/// [`Problem::from_graph`] makes the problems of quotient graphs, which are no boards.
#[derive(Clone, Debug)]
pub struct Problem {
    graph: Graph,
    /// Moves that every tour contains.
    required: Vec<Move>,
    /// Graph in which the ends of a re-entrant path are adjacent. It differs from `graph` if moves are
    /// required or forbidden.
    closing_graph: Graph,
    symmetries: SymmetryGroup,
    search_group: SymmetryGroup,
    has_all_symmetries: bool,
    kind: Kind,
    start: Option<u32>,
    end: Option<u32>,
}

/// A class of pairs of ends: an orbit of such pairs under symmetry. Closed tours form one class
/// without ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndClass {
    /// The two ends of the pair that represents the class. A fixed start is the first of the two, a
    /// fixed end the second. `None` for closed tours.
    pub ends: Option<(u32, u32)>,
    /// Number of pairs of ends in the class.
    pub size: u32,
    /// Indices of the group elements that preserve the pair `ends`.
    pub stabiliser: Vec<u32>,
}

impl Problem {
    /// Creates the problem of visiting all tours that `tours` describes.
    ///
    /// # Errors
    /// The board has more than [`MAX_SQUARES`] vertices.
    pub fn new(tours: &TourSpec) -> Result<Self, ProblemError> {
        let board = tours.board();
        if board.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(board.size_clause()));
        }
        let (graph, group) = (board.graph().clone(), board.symmetries().clone());
        let problem = Self::from_graph(graph, group, tours.kind(), (tours.start(), tours.end()))?;
        Ok(Self {
            has_all_symmetries: board.has_known_symmetries(),
            required: board.required_moves().to_vec(),
            closing_graph: board.unrestricted().graph().clone(),
            ..problem
        })
    }

    /// Creates the problem of visiting all tours of a kind on any graph; `group` is a group of
    /// automorphisms of the graph.
    ///
    /// # Errors
    /// The graph has more than [`MAX_SQUARES`] vertices.
    pub fn from_graph(
        graph: Graph,
        group: SymmetryGroup,
        kind: Kind,
        (start, end): (Option<Vertex>, Option<Vertex>),
    ) -> Result<Self, ProblemError> {
        if graph.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(format!("the graph has {} vertices", graph.len())));
        }
        let symmetries = match (kind, start, end) {
            (Kind::Closed, ..) | (_, None, None) => group,
            (_, Some(v), None) | (_, None, Some(v)) => group.stabiliser(|image| image[v as usize] == v),
            (_, Some(v), Some(w)) => {
                group.stabiliser(|image| image[v as usize] == v && image[w as usize] == w)
            }
        };
        let group =
            if kind == Kind::Closed { choose_search_group(&graph, &symmetries) } else { symmetries.clone() };
        Ok(Self {
            closing_graph: graph.clone(),
            required: Vec::new(),
            graph,
            symmetries,
            search_group: group,
            has_all_symmetries: true,
            kind,
            start,
            end,
        })
    }

    /// Returns the graph whose tours are searched.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the moves that every tour must contain, in ascending order.
    #[must_use]
    pub fn required(&self) -> &[Move] {
        &self.required
    }

    /// Returns the neighbours of `v` to which a required move leads.
    pub(super) fn required_neighbours(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        self.required.iter().filter_map(move |&(a, b)| match v {
            _ if v == a => Some(b),
            _ if v == b => Some(a),
            _ => None,
        })
    }

    /// Returns the narrowest bitboard width that fits the graph.
    #[must_use]
    pub fn bitboard_width(&self) -> BitboardWidth {
        BitboardWidth::for_graph(&self.graph)
    }

    /// Returns the known symmetries of the problem, which define the tours that count as
    /// equivalent.
    #[must_use]
    pub const fn symmetries(&self) -> &SymmetryGroup {
        &self.symmetries
    }

    /// Returns true if all symmetries of the problem are known. A board may have too many
    /// symmetries to compute them all.
    #[must_use]
    pub const fn has_all_symmetries(&self) -> bool {
        self.has_all_symmetries
    }

    /// Returns the symmetries that a search uses. For paths, and for most boards with closed tours,
    /// these are all known symmetries. Exception: if no vertex has a forced edge and every orbit of
    /// vertices is too large for a joint choice of edges, a search for closed tours uses only the
    /// symmetries that fix one vertex.
    #[must_use]
    pub const fn search_group(&self) -> &SymmetryGroup {
        &self.search_group
    }

    /// Returns the kind of tours to visit.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the vertex at which all paths start, if it is fixed.
    #[must_use]
    pub const fn start(&self) -> Option<u32> {
        self.start
    }

    /// Returns the vertex at which all paths end, if it is fixed.
    #[must_use]
    pub const fn end(&self) -> Option<u32> {
        self.end
    }

    /// Returns true if the start or the end of the tours is fixed, so that paths have a direction.
    #[must_use]
    pub const fn has_fixed_end(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Returns true if a path with the ends `v` and `w` is re-entrant.
    #[must_use]
    pub fn is_re_entrant(&self, v: u32, w: u32) -> bool {
        self.graph.len() > 2 && self.closing_graph.is_edge(v as usize, w as usize)
    }

    /// Returns the unordered pairs of ends that a tour can have. The pairs agree with connectivity,
    /// the colours of a bipartite graph, the kind of tours and the fixed ends. Each pair has its
    /// lower vertex first, and the list is sorted. Empty for closed tours.
    #[must_use]
    pub fn end_pairs(&self) -> Vec<(u32, u32)> {
        let len = self.graph.len() as u32;
        let ends = match self.possible_ends() {
            Some(ends) if self.kind != Kind::Closed => ends,
            _ => return Vec::new(),
        };
        // A path has one move at each end. The required moves join its ends only if they are the whole path.
        let MovePaths { far_ends, degrees, .. } = MovePaths::new(self.graph.len(), &self.required);
        let is_spanning_path = self.required.len() + 1 == self.graph.len();
        let required_moves_allow = |v: u32, w: u32| {
            let are_ends = [v, w].iter().all(|&end| degrees[end as usize] < 2);
            are_ends && (far_ends[v as usize] != w || is_spanning_path)
        };
        let mut pairs = Vec::new();
        for v in 0..len {
            for w in v + 1..len {
                if !required_moves_allow(v, w) {
                    continue;
                }
                let re_entrant = self.kind == Kind::Open && self.is_re_entrant(v, w);
                if ends.allows_pair(v as usize, w as usize) && self.contains_fixed_ends(v, w) && !re_entrant {
                    pairs.push((v, w));
                }
            }
        }
        pairs
    }

    /// Returns the classes of pairs of ends that a tour can have, in ascending order of the
    /// representative pairs. The list is empty if connectivity or colours exclude every tour. It is
    /// also empty for a graph of one square; the caller must count the only path of this graph.
    #[must_use]
    pub fn end_classes(&self) -> Vec<EndClass> {
        let all: Vec<u32> = (0..self.search_group.order() as u32).collect();
        if self.kind == Kind::Closed {
            let possible = self.graph.len() > 2 && self.possible_ends().is_some();
            return possible
                .then_some(EndClass { ends: None, size: 1, stabiliser: all })
                .into_iter()
                .collect();
        }
        let elements = self.search_group.elements();
        let mut classes = Vec::new();
        for (v, w) in self.end_pairs() {
            let image = |g: usize| {
                let image = &elements[g].image;
                let (gv, gw) = (image[v as usize], image[w as usize]);
                (gv.min(gw), gv.max(gw))
            };
            let mut images: Vec<(u32, u32)> = (0..elements.len()).map(image).collect();
            if images.iter().any(|&pair| pair < (v, w)) {
                continue;
            }
            let stabiliser = all.iter().copied().filter(|&g| images[g as usize] == (v, w)).collect();
            images.sort_unstable();
            images.dedup();
            let turned = self.start == Some(w) || self.end == Some(v);
            let ends = Some(if turned { (w, v) } else { (v, w) });
            classes.push(EndClass { ends, size: images.len() as u32, stabiliser });
        }
        classes
    }

    fn contains_fixed_ends(&self, v: u32, w: u32) -> bool {
        match (self.start, self.end) {
            (None, None) => true,
            (Some(s), None) | (None, Some(s)) => s == v || s == w,
            (Some(s), Some(e)) => (s, e) == (v, w) || (s, e) == (w, v),
        }
    }

    /// Returns the pairs of ends that connectivity and colours allow, or `None` if no tour is
    /// possible.
    fn possible_ends(&self) -> Option<PossibleEnds> {
        if self.graph.len() < 2 {
            None
        } else {
            PossibleEnds::from_graph(&self.graph, self.kind == Kind::Closed)
        }
    }
}

/// Returns true if the edges of all vertices of an orbit can be chosen together. `alike` is the
/// number of vertices in the orbit, `ways` the number of ways to choose the edges of one vertex.
pub(super) fn can_choose_jointly(alike: usize, ways: u32) -> bool {
    let joint = || u64::from(ways).checked_pow(alike as u32).is_some_and(|joint| joint <= MAX_JOINT_CHOICES);
    alike == 1 || (alike <= MAX_JOINT_VERTICES && joint())
}

/// Returns the symmetries that a search uses: all of them if at some orbit the edges of all
/// vertices can be chosen together, otherwise the stabiliser of a vertex of least degree. Example:
/// on a torus all vertices form one orbit, and a joint choice at all of them would be a whole tour.
fn choose_search_group(graph: &Graph, symmetries: &SymmetryGroup) -> SymmetryGroup {
    let degree = |v: usize| graph.degree(v);
    let Some(vertex) = (0..graph.len()).min_by_key(|&v| degree(v)) else { return symmetries.clone() };
    let ways = |v: u32| (degree(v as usize) * (degree(v as usize) - 1) / 2) as u32;
    if degree(vertex) < 3
        || symmetries.orbits().iter().any(|orbit| can_choose_jointly(orbit.len(), ways(orbit[0])))
    {
        return symmetries.clone();
    }
    symmetries.stabiliser(|image| image[vertex] as usize == vertex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn problem(rectangle: &str, kind: Kind, start: Option<&str>) -> Problem {
        let board: Board = rectangle.parse().unwrap();
        let start = start.map(|name| board.vertex(name).unwrap());
        Problem::new(&TourSpec::new(board, kind, start, None).unwrap()).unwrap()
    }

    #[test]
    fn end_classes_cover_every_possible_pair_once() {
        for (board, pairs) in [("6x6", 18 * 18), ("5x6", 15 * 15), ("5x5", 13 * 12 / 2), ("3x4", 36)] {
            let classes = problem(board, Kind::Paths, None).end_classes();
            assert_eq!(classes.iter().map(|c| c.size).sum::<u32>(), pairs, "{board}");
        }
        assert_eq!(problem("6x6", Kind::Paths, None).end_classes().len(), 45);
    }

    #[test]
    fn end_classes_are_empty_for_impossible_boards() {
        assert!(problem("3x3", Kind::Paths, None).end_classes().is_empty(), "the centre is alone");
        assert!(problem("5x5", Kind::Closed, None).end_classes().is_empty(), "an odd number of squares");
        let two_light_gone = "board=4x4 piece=1,2 remove=a1,d4".parse().unwrap();
        let problem = Problem::new(&TourSpec::all(two_light_gone, Kind::Paths)).unwrap();
        assert!(problem.end_classes().is_empty(), "6 squares of one colour, 8 of the other");
    }

    #[test]
    fn end_classes_put_fixed_start_first() {
        let classes = problem("6x6", Kind::Paths, Some("f6")).end_classes();
        assert_eq!(classes.iter().map(|c| c.size).sum::<u32>(), 18);
        assert!(classes.iter().all(|c| c.ends.unwrap().0 == 35));
    }

    #[test]
    fn new_rejects_large_boards() {
        let large = Problem::new(&TourSpec::all("12x12".parse().unwrap(), Kind::Paths));
        assert_eq!(large.err(), Some(ProblemError::TooLarge("the board has 144 squares".to_owned())));
    }
}
