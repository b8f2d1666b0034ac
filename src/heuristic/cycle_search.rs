//! A complete search for one tour, with restarts: returns a tour or a proof that none exists.
//!
//! At most one vertex is added to the graph, so that every tour becomes a Hamiltonian cycle:
//!
//! ```text
//! closed             the graph itself
//! path s ... t       the edge s-t, chosen from the start
//! path s ...         a new vertex joined to s (chosen) and to all others
//! path               a new vertex joined to all
//! ```
//!
//! Each decision chooses an edge from the path end with the fewest open edges to its neighbour with
//! the fewest open edges (Warnsdorff's rule at every end at once). [`PartialCycle`] applies the
//! consequences of the decision. A trial stops after a number of decisions that grows like the Luby
//! sequence, and random ties make trials differ. A trial that ends without a tour before this limit
//! has proved that no tour exists.

use crate::board::{Graph, PossibleEnds};
use crate::control::Control;
use crate::random::Random;
use crate::tour::{Kind, TourSpec};

use super::edge_state::PartialCycle;

/// Number of decisions of the search that count as one attempt of a request.
pub(super) const DECISIONS_PER_ATTEMPT: u64 = 2_000;

/// Result of a search for one tour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// A tour: its vertices in order of visit.
    Tour(Vec<u32>),
    /// Proof that no tour exists: the whole search tree was visited.
    Impossible,
    /// The limit of decisions was reached, or the control was cancelled.
    GaveUp,
}

/// Searches for one of the tours, with at most `decisions` decisions in all. Gives up at the next decision when
/// the control is cancelled; otherwise the result is determined by the other arguments. Cost: at worst O(vertices)
/// a decision.
#[must_use]
pub fn solve(tours: &TourSpec, seed: u64, decisions: u64, control: &Control) -> SearchOutcome {
    let graph = tours.board().graph();
    if graph.len() < 3 {
        return solve_tiny(tours);
    }
    let Some(problem) = CycleProblem::new(tours) else { return SearchOutcome::Impossible };
    let unit = first_trial_decisions(graph);
    let mut spent = 0;
    for trial in 1.. {
        let limit = (luby_number(trial) * unit).min(decisions - spent);
        let mut rng = Random::for_trial(seed, trial);
        let (outcome, used) = problem.run_trial(&mut rng, limit, control);
        spent += used;
        match outcome {
            SearchOutcome::GaveUp if spent < decisions && !control.is_cancelled() => {}
            outcome => return outcome,
        }
    }
    unreachable!("trials repeat until the decisions are spent")
}

/// Returns the greatest number of decisions of the first trial.
pub(super) fn first_trial_decisions(graph: &Graph) -> u64 {
    64 + 4 * graph.len() as u64
}

/// Solves graphs of at most two vertices.
fn solve_tiny(tours: &TourSpec) -> SearchOutcome {
    let fits = |tour: &[u32]| {
        let is_fixed = |end: Option<u32>, v: Option<&u32>| end.is_none() || end.as_ref() == v;
        is_fixed(tours.start(), tour.first()) && is_fixed(tours.end(), tour.last())
    };
    let graph = tours.board().graph();
    let orders: &[&[u32]] = match graph.len() {
        1 => &[&[0]],
        // The ends are adjacent, yet the path counts as open: a closed tour has more than two vertices.
        2 if graph.is_edge(0, 1) => &[&[0, 1], &[1, 0]],
        _ => &[],
    };
    match orders.iter().find(|order| tours.kind() != Kind::Closed && fits(order)) {
        Some(order) => SearchOutcome::Tour(order.to_vec()),
        None => SearchOutcome::Impossible,
    }
}

/// A search for a Hamiltonian cycle, to which the first consequences of the ends and of small
/// degrees have been applied.
struct CycleProblem {
    edges: PartialCycle,
    is_closed: bool,
    start: Option<usize>,
    end: Option<usize>,
    /// Number of vertices of the graph, and the number of the apex, which follows them.
    len: usize,
    /// True if an apex (an extra vertex that turns paths into cycles) was added to the graph.
    has_apex: bool,
    /// The graph, for open tours, whose ends must not be adjacent; otherwise `None`.
    graph: Option<Graph>,
}

impl CycleProblem {
    /// Prepares a search. Returns `None` if the first consequences exclude every tour.
    fn new(tours: &TourSpec) -> Option<Self> {
        let graph = tours.board().graph();
        let n = graph.len();
        let (is_closed, is_open) = (tours.kind() == Kind::Closed, tours.kind() == Kind::Open);
        let vertex = |end: Option<u32>| end.map(|v| v as usize);
        let fixed = (vertex(tours.start()), vertex(tours.end()));
        let (start, end) = match fixed {
            (None, Some(end)) => (Some(end), None),
            other => other,
        };
        let closing_graph = tours.board().unrestricted().graph();
        if is_open && matches!((start, end), (Some(s), Some(t)) if closing_graph.is_edge(s, t)) {
            return None;
        }
        let apex = !is_closed && end.is_none();
        let mut pairs: Vec<(usize, usize)> =
            (0..n).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v, w as usize))).collect();
        pairs.retain(|(v, w)| v < w);
        let ends = possible_end_flags(graph, is_closed, start)?;
        if apex {
            pairs.extend((0..n).filter(|&v| Some(v) == start || ends[v]).map(|v| (v, n)));
        } else if let (false, Some(s), Some(t)) = (is_closed, start, end) {
            if !ends[t] {
                return None;
            }
            // The extra edge between the ends is not a move of the path.
            if n > 2 && tours.board().required_moves().contains(&(s.min(t) as u32, s.max(t) as u32)) {
                return None;
            }
            pairs.push((s, t));
        }
        let whole = Graph::from_edges(n + usize::from(apex), pairs);
        let mut edges = PartialCycle::new(&whole);
        edges.propagate_all().ok()?;
        let pinned = match (is_closed, start, end) {
            (false, Some(s), Some(t)) => edges.edge_between(s, t),
            (false, Some(s), None) => Some(edges.edge_between(s, n)?),
            _ => None,
        };
        if let Some(e) = pinned {
            edges.choose(e).ok()?;
        }
        for &(v, w) in tours.board().required_moves() {
            edges.choose(edges.edge_between(v as usize, w as usize)?).ok()?;
        }
        let graph = is_open.then(|| closing_graph.clone());
        Some(Self { edges, is_closed, start: fixed.0, end: fixed.1, len: n, has_apex: apex, graph })
    }

    /// Runs one trial of at most `limit` decisions. Returns the result and the number of decisions
    /// made.
    fn run_trial(&self, rng: &mut Random, limit: u64, control: &Control) -> (SearchOutcome, u64) {
        let mut edges = self.edges.clone();
        // Each entry: the length of the trail before a decision, and the edge chosen by it.
        let mut stack: Vec<(usize, u32)> = Vec::new();
        let mut used = 0;
        loop {
            if edges.is_complete() {
                let tour = self.read_tour(&edges);
                if self.is_of_kind(&tour) {
                    return (SearchOutcome::Tour(tour), used);
                }
            } else if let Some(v) = edges.branching_vertex(rng.below(vertex_count(self))) {
                if used == limit || control.is_cancelled() {
                    return (SearchOutcome::GaveUp, used);
                }
                used += 1;
                let e = best_edge(&edges, v, rng);
                stack.push((edges.trail_len(), e));
                if edges.choose(e).is_ok() {
                    continue;
                }
            }
            // Backtrack to the last decision that can be reversed.
            loop {
                let Some((mark, e)) = stack.pop() else { return (SearchOutcome::Impossible, used) };
                edges.undo(mark);
                if edges.drop(e).is_ok() {
                    break;
                }
            }
        }
    }

    fn is_of_kind(&self, tour: &[u32]) -> bool {
        match (&self.graph, tour) {
            (Some(graph), [first, .., last]) => !graph.is_edge(*first as usize, *last as usize),
            _ => true,
        }
    }

    /// Returns the vertices of the completed cycle in order of visit, without the apex, from the
    /// requested start if one is fixed.
    fn read_tour(&self, edges: &PartialCycle) -> Vec<u32> {
        let n = self.len;
        let closing = (self.start.or(self.end).unwrap_or(0), self.end);
        let (mut before, mut at) = match (self.has_apex, self.is_closed) {
            (true, _) => {
                let begin = match (self.start, self.end) {
                    (None, Some(_)) => edges.chosen_neighbours(n).find(|&v| Some(v) != self.end),
                    (start, _) => start.or_else(|| edges.chosen_neighbours(n).min()),
                };
                (n, begin.expect("the apex has two neighbours"))
            }
            (false, false) => (closing.1.expect("both ends are named"), closing.0),
            (false, true) => (edges.chosen_neighbours(closing.0).max().expect("a cycle"), closing.0),
        };
        let mut tour = Vec::with_capacity(n);
        while tour.len() < n {
            tour.push(at as u32);
            let next = edges.chosen_neighbours(at).find(|&w| w != before).unwrap_or(before);
            (before, at) = (at, next);
        }
        tour
    }
}

fn vertex_count(problem: &CycleProblem) -> usize {
    problem.len + usize::from(problem.has_apex)
}

/// Returns the open edge from `v` to the neighbour with the fewest open edges (Warnsdorff's rule).
/// Chooses at random among equal neighbours.
fn best_edge(edges: &PartialCycle, v: usize, rng: &mut Random) -> u32 {
    let mut best = (u32::MAX, 0);
    let mut ties = 0;
    for (e, w) in edges.open_edges_at(v) {
        let key = edges.open_count(w);
        if key < best.0 {
            best = (key, e);
            ties = 1;
        } else if key == best.0 {
            ties += 1;
            if rng.below(ties) == 0 {
                best.1 = e;
            }
        }
    }
    best.1
}

/// Returns, for every vertex, true if its colour allows it to be the other end of a path from
/// `start` or, if `start` is `None`, an end of a path. Returns `None` if no tour is possible.
pub(super) fn possible_end_flags(graph: &Graph, closed: bool, start: Option<usize>) -> Option<Vec<bool>> {
    let ends = PossibleEnds::from_graph(graph, closed)?;
    let allow = |v: usize| match start {
        Some(start) if !closed => ends.allows_pair(start, v),
        _ => ends.allows_end(v),
    };
    let possible: Vec<bool> = (0..graph.len()).map(allow).collect();
    possible.contains(&true).then_some(possible)
}

/// Returns the `i`-th number of the Luby sequence 1 1 2 1 1 2 4 ..; `i` begins with 1.
fn luby_number(i: u64) -> u64 {
    let bits = 64 - i.leading_zeros();
    if i == (1 << bits) - 1 { 1 << (bits - 1) } else { luby_number(i - (1 << (bits - 1)) + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn all_tours(board: impl Into<Board>, kind: Kind) -> TourSpec {
        TourSpec::all(board.into(), kind)
    }

    fn knight_board(text: &str) -> Board {
        text.parse().unwrap()
    }

    fn search(tours: &TourSpec, decisions: u64) -> SearchOutcome {
        solve(tours, 1, decisions, &Control::new())
    }

    fn ring_of_eight() -> Board {
        Board::from_graph(Graph::from_edges(8, (0..8).map(|v| (v, (v + 1) % 8))))
    }

    #[test]
    fn luby_number_agrees_with_published_terms() {
        let first: Vec<u64> = (1..=15).map(luby_number).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn solve_respects_fixed_ends() {
        let board = knight_board("6x6");
        for (start, end, kind) in [
            (Some(0), None, Kind::Paths),
            (None, Some(7), Kind::Paths),
            (Some(0), Some(35), Kind::Paths),
            (Some(3), None, Kind::Closed),
        ] {
            let tours = TourSpec::new(board.clone(), kind, start, end).unwrap();
            let SearchOutcome::Tour(tour) = search(&tours, 100_000) else {
                assert_eq!((start, end), (Some(0), Some(35)), "only opposite corners have equal colours");
                continue;
            };
            assert!(start.is_none_or(|start| tour[0] == start));
            assert!(end.is_none_or(|end| tour[35] == end));
            assert!(tour.windows(2).all(|pair| board.is_move(pair[0], pair[1])));
        }
    }

    #[test]
    fn solve_open_tours_proves_or_finds() {
        // Every path round a ring of eight ends next to its start.
        assert_eq!(search(&all_tours(ring_of_eight(), Kind::Open), 1000), SearchOutcome::Impossible);
        let board = knight_board("3x10");
        let SearchOutcome::Tour(tour) = search(&all_tours(board.clone(), Kind::Open), 10_000) else {
            panic!("3x10 has open tours");
        };
        assert!(!board.is_move(tour[0], tour[29]));
    }

    #[test]
    fn solve_two_vertices_is_open_path() {
        let pair = Board::from_graph(Graph::from_edges(2, [(0, 1)]));
        let solve_pair = |kind| search(&all_tours(pair.clone(), kind), 10);
        for kind in [Kind::Paths, Kind::Open] {
            assert_eq!(solve_pair(kind), SearchOutcome::Tour(vec![0, 1]));
        }
        assert_eq!(solve_pair(Kind::Closed), SearchOutcome::Impossible);
    }

    #[test]
    fn solve_gives_up_without_decisions() {
        assert_eq!(search(&all_tours(knight_board("8x8"), Kind::Paths), 0), SearchOutcome::GaveUp);
    }

    #[test]
    fn solve_gives_up_when_cancelled() {
        let control = Control::new();
        control.cancel();
        let solve_cancelled = |tours: &TourSpec| solve(tours, 1, u64::MAX, &control);
        assert_eq!(solve_cancelled(&all_tours(knight_board("8x8"), Kind::Paths)), SearchOutcome::GaveUp);
        // A ring needs no decision, so a cancelled search still finds its tour.
        let closed = all_tours(ring_of_eight(), Kind::Closed);
        assert!(matches!(solve_cancelled(&closed), SearchOutcome::Tour(_)));
    }
}
