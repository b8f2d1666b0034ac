//! A complete search for one tour, with restarts: returns a tour or a proof that none exists.
//!
//! At most one vertex is added to the graph, so that every goal becomes a Hamiltonian cycle:
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

use super::edge_state::PartialCycle;

/// Number of decisions of the search that count as one attempt of a request.
pub(super) const DECISIONS_PER_ATTEMPT: u64 = 2_000;

/// Kind of the requested tour, and its fixed ends as vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TourGoal {
    /// True for a closed tour, false for a path.
    pub closed: bool,
    /// True for an open tour: a path whose ends are not adjacent.
    pub open: bool,
    /// First vertex of the tour, if it is fixed.
    pub start: Option<usize>,
    /// Last vertex of the tour, if it is fixed.
    pub end: Option<usize>,
}

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

/// Searches for a tour that meets the goal, with at most `decisions` decisions in all. The result
/// is determined by the arguments. Cost: at worst O(vertices) a decision.
#[must_use]
pub fn solve(graph: &Graph, goal: TourGoal, seed: u64, decisions: u64) -> SearchOutcome {
    solve_under(graph, goal, seed, decisions, &Control::new())
}

/// Searches for a tour as [`solve()`] does, and gives up at the next decision when the control is
/// cancelled.
#[must_use]
pub fn solve_under(
    graph: &Graph,
    goal: TourGoal,
    seed: u64,
    decisions: u64,
    control: &Control,
) -> SearchOutcome {
    let n = graph.len();
    if n < 3 || (goal.start.is_some() && goal.start == goal.end) {
        return solve_tiny(graph, goal);
    }
    if is_pinned_cycle(graph, goal) {
        return solve_pinned_cycle(graph, goal, seed, decisions, control);
    }
    let Some(problem) = CycleProblem::new(graph, goal) else { return SearchOutcome::Impossible };
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

/// Returns true if the goal is a closed tour with a fixed end.
fn is_pinned_cycle(_graph: &Graph, goal: TourGoal) -> bool {
    goal.closed && goal.end.is_some()
}

/// Searches for a closed tour with a fixed end. If the start is fixed too, the tour is a path
/// between two neighbours.
fn solve_pinned_cycle(
    graph: &Graph,
    goal: TourGoal,
    seed: u64,
    decisions: u64,
    control: &Control,
) -> SearchOutcome {
    let end = goal.end.expect("the caller checked");
    match goal.start {
        Some(start) if !graph.is_edge(start, end) => SearchOutcome::Impossible,
        Some(_) => solve_under(graph, TourGoal { closed: false, ..goal }, seed, decisions, control),
        None => {
            // Any cycle will do, rotated so that it ends there.
            match solve_under(
                graph,
                TourGoal { end: None, start: Some(end), ..goal },
                seed,
                decisions,
                control,
            ) {
                SearchOutcome::Tour(mut tour) => {
                    tour.rotate_left(1);
                    SearchOutcome::Tour(tour)
                }
                other => other,
            }
        }
    }
}

/// Solves graphs of at most two vertices, and paths whose fixed start and end are equal.
fn solve_tiny(graph: &Graph, goal: TourGoal) -> SearchOutcome {
    let fits = |tour: &[u32]| {
        let ends = (tour.first().map(|&v| v as usize), tour.last().map(|&v| v as usize));
        let named = |wish: Option<usize>, is: Option<usize>| wish.is_none() || wish == is;
        named(goal.start, ends.0) && named(goal.end, ends.1)
    };
    let orders: &[&[u32]] = match graph.len() {
        1 => &[&[0]],
        // The ends are adjacent, yet the path counts as open: a closed tour has more than two vertices.
        2 if graph.is_edge(0, 1) => &[&[0, 1], &[1, 0]],
        _ => &[],
    };
    match orders.iter().find(|order| !goal.closed && fits(order)) {
        Some(order) => SearchOutcome::Tour(order.to_vec()),
        None => SearchOutcome::Impossible,
    }
}

/// A search for a Hamiltonian cycle, to which the first consequences of the goal and of small
/// degrees have been applied.
struct CycleProblem {
    edges: PartialCycle,
    goal: TourGoal,
    /// Number of vertices of the graph, and the number of the apex, which follows them.
    len: usize,
    /// True if an apex (an extra vertex that turns paths into cycles) was added to the graph.
    has_apex: bool,
    /// The graph, for a goal that requires ends without an edge between them; otherwise `None`.
    graph: Option<Graph>,
}

impl CycleProblem {
    /// Prepares a search. Returns `None` if the first consequences exclude every tour.
    fn new(graph: &Graph, goal: TourGoal) -> Option<Self> {
        let n = graph.len();
        let (start, end) = match (goal.start, goal.end) {
            (None, Some(end)) => (Some(end), None),
            other => other,
        };
        if goal.open && matches!((start, end), (Some(s), Some(t)) if graph.is_edge(s, t)) {
            return None;
        }
        let apex = !goal.closed && end.is_none();
        let mut pairs: Vec<(usize, usize)> =
            (0..n).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v, w as usize))).collect();
        pairs.retain(|(v, w)| v < w);
        let ends = possible_end_flags(graph, goal.closed, start)?;
        if apex {
            pairs.extend((0..n).filter(|&v| Some(v) == start || ends[v]).map(|v| (v, n)));
        } else if let (false, Some(s), Some(t)) = (goal.closed, start, end) {
            if !ends[t] {
                return None;
            }
            pairs.push((s, t));
        }
        let whole = Graph::from_edges(n + usize::from(apex), pairs);
        let mut edges = PartialCycle::new(&whole);
        edges.propagate_all().ok()?;
        let pinned = match (goal.closed, start, end) {
            (false, Some(s), Some(t)) => edges.edge_between(s, t),
            (false, Some(s), None) => Some(edges.edge_between(s, n)?),
            _ => None,
        };
        if let Some(e) = pinned {
            edges.choose(e).ok()?;
        }
        let graph = goal.open.then(|| graph.clone());
        Some(Self { edges, goal, len: n, has_apex: apex, graph })
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
                if self.fits_goal(&tour) {
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

    fn fits_goal(&self, tour: &[u32]) -> bool {
        match (&self.graph, tour) {
            (Some(graph), [first, .., last]) => !graph.is_edge(*first as usize, *last as usize),
            _ => true,
        }
    }

    /// Returns the vertices of the completed cycle in order of visit, without the apex, from the
    /// requested start if one is fixed.
    fn read_tour(&self, edges: &PartialCycle) -> Vec<u32> {
        let n = self.len;
        let closing = (self.goal.start.or(self.goal.end).unwrap_or(0), self.goal.end);
        let (mut before, mut at) = match (self.has_apex, self.goal.closed) {
            (true, _) => {
                let begin = match (self.goal.start, self.goal.end) {
                    (None, Some(_)) => edges.chosen_neighbours(n).find(|&v| Some(v) != self.goal.end),
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
    use crate::board::{Leaper, Rectangle};

    fn knight_graph(rows: u16, cols: u16) -> Graph {
        Graph::from_leaper(&Rectangle::new(rows, cols).unwrap(), Leaper::KNIGHT)
    }

    #[test]
    fn luby_number_agrees_with_published_terms() {
        let first: Vec<u64> = (1..=15).map(luby_number).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn solve_respects_fixed_ends() {
        let graph = knight_graph(6, 6);
        for (start, end, closed) in [
            (Some(0), None, false),
            (None, Some(7), false),
            (Some(0), Some(35), false),
            (Some(3), None, true),
        ] {
            let goal = TourGoal { start, end, closed, open: false };
            let SearchOutcome::Tour(tour) = solve(&graph, goal, 1, 100_000) else {
                assert_eq!((start, end), (Some(0), Some(35)), "only opposite corners have equal colours");
                continue;
            };
            assert!(start.is_none_or(|start| tour[0] as usize == start));
            assert!(end.is_none_or(|end| tour[35] as usize == end));
            assert!(tour.windows(2).all(|pair| graph.is_edge(pair[0] as usize, pair[1] as usize)));
        }
    }

    #[test]
    fn solve_open_goal_proves_or_finds() {
        // Every path round a ring of eight ends next to its start.
        let ring = Graph::from_edges(8, (0..8).map(|v| (v, (v + 1) % 8)));
        assert_eq!(
            solve(&ring, TourGoal { open: true, ..TourGoal::default() }, 1, 1000),
            SearchOutcome::Impossible
        );
        let SearchOutcome::Tour(tour) =
            solve(&knight_graph(3, 10), TourGoal { open: true, ..TourGoal::default() }, 1, 10_000)
        else {
            panic!("3x10 has open tours");
        };
        assert!(!knight_graph(3, 10).is_edge(tour[0] as usize, tour[29] as usize));
    }

    #[test]
    fn solve_two_vertices_is_open_path() {
        let pair = Graph::from_edges(2, [(0, 1)]);
        for are_apart in [false, true] {
            assert_eq!(
                solve(&pair, TourGoal { open: are_apart, ..TourGoal::default() }, 1, 10),
                SearchOutcome::Tour(vec![0, 1])
            );
        }
        assert_eq!(
            solve(&pair, TourGoal { closed: true, ..TourGoal::default() }, 1, 10),
            SearchOutcome::Impossible
        );
    }

    #[test]
    fn solve_gives_up_without_decisions() {
        assert_eq!(solve(&knight_graph(8, 8), TourGoal::default(), 1, 0), SearchOutcome::GaveUp);
    }

    #[test]
    fn solve_under_gives_up_when_cancelled() {
        let control = Control::new();
        control.cancel();
        assert_eq!(
            solve_under(&knight_graph(8, 8), TourGoal::default(), 1, u64::MAX, &control),
            SearchOutcome::GaveUp
        );
        // A ring needs no decision, so a cancelled search still finds its tour.
        let ring = Graph::from_edges(8, (0..8).map(|v| (v, (v + 1) % 8)));
        let closed = TourGoal { closed: true, ..TourGoal::default() };
        assert!(matches!(solve_under(&ring, closed, 1, u64::MAX, &control), SearchOutcome::Tour(_)));
    }
}
