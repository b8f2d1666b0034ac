//! What a search looks for, and which ends are alike.
//!
//! Every Hamiltonian path has an unordered pair of ends, and every symmetry of
//! the problem maps paths with ends {s, e} to paths with ends {gs, ge}. So it is
//! enough to search one pair of each *class* (orbit of pairs) and to multiply by
//! the class's size. Pairs that no path can have are left out: on a graph with
//! two colours the ends differ in colour if the colours are equally many, and
//! both have the majority's otherwise. A closed tour has no ends: one class.

use crate::board::{Arena, Graph, PossibleEnds, SymmetryGroup};
use crate::tour::Kind;

use super::width::{BitboardWidth, MAX_SQUARES};

/// The most units into which a search is cut.
pub const MAX_UNITS: usize = 1 << 20;

/// At how many vertices that are alike edges are chosen at once, at most.
const MOST_ALIKE: usize = 8;
/// In how many ways, before those that exclude each other are left out, at most. A knight's boards are far below:
/// 3^8.
const MOST_WAYS: u64 = 1 << 16;

/// Why a search cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// More squares than the largest bitboard has bits.
    #[error("{0}, a search takes at most {MAX_SQUARES}")]
    TooLarge(String),
    /// A fixed start or end that is not there.
    #[error("there is no vertex {0}")]
    NoVertex(u32),
    /// One square cannot be both ends.
    #[error("a path cannot start and end on the same square, {0}")]
    SameEnds(String),
    /// Tours up to symmetries that are not known.
    #[error("the symmetries are too many, or take too long to find: tours cannot be told apart up to them")]
    NoSymmetries,
    /// A closed tour has no ends to fix.
    #[error("a closed tour has no end to fix")]
    ClosedEnd,
    /// A split depth that cuts the work too finely.
    #[error("split depth {0} cuts the work into more than {MAX_UNITS} units")]
    TooManyUnits(u32),
}

/// A graph, the tours wanted on it, and the symmetries that keep the question the same.
#[derive(Clone, Debug)]
pub struct Problem {
    graph: Graph,
    symmetries: SymmetryGroup,
    group: SymmetryGroup,
    knows_symmetries: bool,
    kind: Kind,
    start: Option<u32>,
    end: Option<u32>,
}

/// Pairs of ends that are alike; for closed tours the one class of no ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The representative's ends. With a fixed start or end, that one comes in its place.
    pub ends: Option<(u32, u32)>,
    /// How many different pairs are alike.
    pub size: u32,
    /// Numbers of the group's elements that keep the representative.
    pub stabiliser: Vec<u32>,
}

impl Problem {
    /// Tours of a kind on an arena; `start` and `end` restrict the ends of paths. A closed tour may have a
    /// start, which restricts nothing: every closed tour visits every square.
    ///
    /// # Errors
    /// More than [`MAX_SQUARES`] vertices, or ends that cannot be.
    pub fn new(
        arena: &Arena,
        kind: Kind,
        start: Option<u32>,
        end: Option<u32>,
    ) -> Result<Self, ProblemError> {
        let len = arena.len();
        if len > MAX_SQUARES {
            return Err(ProblemError::TooLarge(arena.extent()));
        }
        if let Some(v) = start.into_iter().chain(end).find(|&v| v as usize >= len) {
            return Err(ProblemError::NoVertex(v));
        }
        if let (Some(v), true) = (start, start == end && len > 1) {
            return Err(ProblemError::SameEnds(arena.name(v)));
        }
        if kind == Kind::Closed && end.is_some() {
            return Err(ProblemError::ClosedEnd);
        }
        let problem = Self::on_graph(arena.graph().clone(), arena.symmetries().clone(), kind, (start, end))?;
        Ok(Self { knows_symmetries: arena.knows_symmetries(), ..problem })
    }

    /// The same on any graph with a group of its automorphisms.
    ///
    /// # Errors
    /// A graph that is too large.
    pub fn on_graph(
        graph: Graph,
        group: SymmetryGroup,
        kind: Kind,
        (start, end): (Option<u32>, Option<u32>),
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
        let group = if kind == Kind::Closed { usable(&graph, &symmetries) } else { symmetries.clone() };
        Ok(Self { graph, symmetries, group, knows_symmetries: true, kind, start, end })
    }

    /// The graph.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The bitboards that it is searched with.
    #[must_use]
    pub fn width(&self) -> BitboardWidth {
        BitboardWidth::of(&self.graph)
    }

    /// All symmetries that keep the problem: what tells which tours are alike.
    #[must_use]
    pub const fn symmetries(&self) -> &SymmetryGroup {
        &self.symmetries
    }

    /// Whether the symmetries are all that are meant: those of an arena may be too many to be found.
    #[must_use]
    pub const fn knows_symmetries(&self) -> bool {
        self.knows_symmetries
    }

    /// The symmetries that a search makes use of: all, but for closed tours on a graph where no edge is forced and
    /// too many vertices are alike, whichever one looks at. There a search keeps to those that fix a vertex.
    #[must_use]
    pub const fn group(&self) -> &SymmetryGroup {
        &self.group
    }

    /// Which tours.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The fixed start.
    #[must_use]
    pub const fn start(&self) -> Option<u32> {
        self.start
    }

    /// The fixed end.
    #[must_use]
    pub const fn end(&self) -> Option<u32> {
        self.end
    }

    /// Whether a start or an end is fixed, so that paths have a direction.
    #[must_use]
    pub const fn is_fixed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }

    /// Whether a path with these ends would be re-entrant.
    #[must_use]
    pub fn is_re_entrant(&self, v: u32, w: u32) -> bool {
        self.graph.len() > 2 && self.graph.is_edge(v as usize, w as usize)
    }

    /// The unordered pairs of ends, lower first and ascending, that connection, colours, the kind and fixed
    /// ends leave possible. Empty for closed tours.
    #[must_use]
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let len = self.graph.len() as u32;
        let ends = match self.possible_ends() {
            Some(ends) if self.kind != Kind::Closed => ends,
            _ => return Vec::new(),
        };
        let mut pairs = Vec::new();
        for v in 0..len {
            for w in v + 1..len {
                let re_entrant = self.kind == Kind::Open && self.is_re_entrant(v, w);
                if ends.allow(v as usize, w as usize) && self.has_fixed(v, w) && !re_entrant {
                    pairs.push((v, w));
                }
            }
        }
        pairs
    }

    /// The classes that can have a tour, in ascending order of their representatives' ends. None if a
    /// look at connection and colours shows that there is no tour. One square alone has no class; its
    /// single path is the caller's to count.
    #[must_use]
    pub fn classes(&self) -> Vec<Class> {
        let all: Vec<u32> = (0..self.group.order() as u32).collect();
        if self.kind == Kind::Closed {
            let possible = self.graph.len() > 2 && self.possible_ends().is_some();
            return possible.then_some(Class { ends: None, size: 1, stabiliser: all }).into_iter().collect();
        }
        let elements = self.group.elements();
        let mut classes = Vec::new();
        for (v, w) in self.pairs() {
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
            classes.push(Class { ends, size: images.len() as u32, stabiliser });
        }
        classes
    }

    fn has_fixed(&self, v: u32, w: u32) -> bool {
        match (self.start, self.end) {
            (None, None) => true,
            (Some(s), None) | (None, Some(s)) => s == v || s == w,
            (Some(s), Some(e)) => (s, e) == (v, w) || (s, e) == (w, v),
        }
    }

    /// Which pairs of ends connection and colours allow; `None` if no tour is possible.
    fn possible_ends(&self) -> Option<PossibleEnds> {
        if self.graph.len() < 2 { None } else { PossibleEnds::of(&self.graph, self.kind == Kind::Closed) }
    }
}

/// Whether edges can be chosen at once at vertices that are alike, each with so many ways to choose its own.
pub(super) fn is_choosable(alike: usize, ways: u32) -> bool {
    let joint = || u64::from(ways).checked_pow(alike as u32).is_some_and(|joint| joint <= MOST_WAYS);
    alike == 1 || (alike <= MOST_ALIKE && joint())
}

/// The whole group, or the stabiliser of a vertex with the fewest neighbours if there is no first choice that the
/// whole group permutes: on a torus all vertices are alike, and a choice at all of them at once is a whole tour.
fn usable(graph: &Graph, symmetries: &SymmetryGroup) -> SymmetryGroup {
    let degree = |v: usize| graph.degree(v);
    let Some(vertex) = (0..graph.len()).min_by_key(|&v| degree(v)) else { return symmetries.clone() };
    let ways = |v: u32| (degree(v as usize) * (degree(v as usize) - 1) / 2) as u32;
    if degree(vertex) < 3 || symmetries.orbits().iter().any(|orbit| is_choosable(orbit.len(), ways(orbit[0])))
    {
        return symmetries.clone();
    }
    symmetries.stabiliser(|image| image[vertex] as usize == vertex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(board: &str, kind: Kind, start: Option<&str>) -> Problem {
        let arena: Arena = board.parse().unwrap();
        let start = start.map(|name| arena.vertex(name).unwrap());
        Problem::new(&arena, kind, start, None).unwrap()
    }

    #[test]
    fn classes_cover_every_possible_pair_once() {
        for (board, pairs) in [("6x6", 18 * 18), ("5x6", 15 * 15), ("5x5", 13 * 12 / 2), ("3x4", 36)] {
            let classes = problem(board, Kind::Paths, None).classes();
            assert_eq!(classes.iter().map(|c| c.size).sum::<u32>(), pairs, "{board}");
        }
        assert_eq!(problem("6x6", Kind::Paths, None).classes().len(), 45);
    }

    #[test]
    fn impossible_boards_have_no_class() {
        assert!(problem("3x3", Kind::Paths, None).classes().is_empty(), "the centre is alone");
        assert!(problem("5x5", Kind::Closed, None).classes().is_empty(), "an odd number of squares");
        let two_light_gone = "board=4x4 piece=1,2 remove=a1,d4".parse().unwrap();
        let problem = Problem::new(&two_light_gone, Kind::Paths, None, None).unwrap();
        assert!(problem.classes().is_empty(), "6 squares of one colour, 8 of the other");
    }

    #[test]
    fn a_fixed_start_comes_first() {
        let classes = problem("6x6", Kind::Paths, Some("f6")).classes();
        assert_eq!(classes.iter().map(|c| c.size).sum::<u32>(), 18);
        assert!(classes.iter().all(|c| c.ends.unwrap().0 == 35));
    }

    #[test]
    fn ends_that_cannot_be_are_refused() {
        let board: Arena = "3x4".parse().unwrap();
        let make = |kind, start, end| Problem::new(&board, kind, Some(start), end).map(|_| ());
        assert!(matches!(make(Kind::Paths, 12, None), Err(ProblemError::NoVertex(12))));
        assert!(matches!(make(Kind::Paths, 0, Some(0)), Err(ProblemError::SameEnds(name)) if name == "a1"));
        assert!(matches!(make(Kind::Closed, 0, Some(9)), Err(ProblemError::ClosedEnd)));
        let large = Problem::new(&"12x12".parse().unwrap(), Kind::Paths, None, None);
        assert_eq!(large.err(), Some(ProblemError::TooLarge("the board has 144 squares".to_owned())));
    }
}
