//! Time estimates of searches and sweeps, and the choice of an engine.

use super::engine::Engine;
use super::request::Request;
use crate::board::{Board, Graph, Move, image_of_move};
use crate::control::Control;
use crate::frontier::Tours;
use crate::search::bitboard_graph::MAX_SQUARES;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::{Problem, ProblemError};
use crate::search::unit_runner::Stopped;
use crate::search::{transposition_table, tree_size_estimate};
use crate::tour::{Kind, TourSpec};

/// Core nanoseconds for one node of the multipath search: the value for six or more neighbours per
/// vertex; the increment for each neighbour fewer than six; the maximum. On boards with many
/// neighbours more nodes are tours, which are the cheapest nodes. Measured: 24 to 32 for kings and
/// for knights on a torus, 28 to 42 on random graphs of eight to four neighbours, 40 to 47 for
/// knights.
const NODE_NANOSECONDS: (f64, f64, f64) = (26.0, 9.0, 45.0);

/// Slowdown of the path-extension search against the multipath search: one entry for paths, one
/// for closed tours. A path-extension node is cheaper, but there are many more nodes; for closed
/// tours the search also extends paths that never close. Each entry holds the ratio of times, the
/// number of squares up to which the ratio holds, and the growth of its logarithm per further
/// square. Measured: 4 to 6 for paths on 5x7, 4x8, 4x10, 6x6, 5x8, about a hundred on 7x7; 24 to 50
/// for closed tours on 7x7 without one square, 6x7, 5x10.
const EXTENSION_SLOWDOWN: [(f64, f64, f64); 2] = [(5.0, 42.0, 0.4), (35.0, 50.0, 0.4)];

/// Ratio of search time to sweep time beyond which the sweep is certainly faster. The rough search estimate
/// can be too high by the order of the board's symmetry group, and too low by chance.
const DECISIVE_TIME_RATIO: f64 = 300.0;

/// Core seconds below which a search has no transposition tables, and a coarse plan of it is too inaccurate to
/// reject it.
const NEGLIGIBLE_SECONDS: f64 = 0.02;

/// Core seconds below which a sweep of [`MIN_SHORT_SWEEP_VERTICES`] vertices or more is chosen without a look at
/// the search. The symmetry breaking of the search alone takes 10 ms on 6x6.
const SHORT_SWEEP_SECONDS: f64 = 0.03;

/// See [`SHORT_SWEEP_SECONDS`]. On smaller boards, such as 5x6, a search is often the faster engine, and is planned
/// in less than 1 ms.
const MIN_SHORT_SWEEP_VERTICES: usize = 36;

/// Core seconds to plan one unit of a search. A search has fewer units than nodes.
const UNIT_PLAN_SECONDS: f64 = 2e-6;

/// Greatest number of units for which [`UNIT_PLAN_SECONDS`] counts, on boards of fewer than
/// [`MIN_SHORT_SWEEP_VERTICES`] vertices.
const MAX_PLANNED_UNITS: f64 = 1024.0;

/// Core seconds to plan a sweep: of any board, and for each vertex.
const SWEEP_PLAN_SECONDS: (f64, f64) = (0.004, 0.0001);

/// Core seconds for one row of a sweep for closed tours, if the frontier is 16 squares wide; and the factor for
/// every two squares more.
const ROW_SECONDS: (f64, f64) = (2.4, 13.5);

/// Rows of a sweep that cost little, because the frontier is still narrow or narrow again; and the least number
/// of rows that count.
const NARROW_ROWS: (f64, f64) = (6.2, 0.3);

/// Maximum frontier width, in squares, for a time estimate. The blocks of states of a wider
/// frontier do not fit any machine.
const MAX_ESTIMATED_FRONTIER: f64 = 20.0;

/// Maximum frontier width, in squares, of any sweep, whatever the order of the squares.
const MAX_SWEEP_FRONTIER: usize = 120;

/// Maximum number of squares of a board that is tested for an odd number of squares. Larger boards
/// are always reported as too wide.
const MAX_PARITY_TEST_SQUARES: usize = 1 << 16;

/// Maximum number of vertices of a graph for the greedy estimate of its frontier width.
const MAX_GREEDY_VERTICES: usize = 1000;

/// Returns the estimated core seconds to visit `nodes` nodes of the multipath search on `graph`.
pub(super) fn visit_seconds(graph: &Graph, nodes: f64) -> f64 {
    let neighbours = 2.0 * graph.edge_count() as f64 / graph.len().max(1) as f64;
    nodes * (NODE_NANOSECONDS.0 + NODE_NANOSECONDS.1 * (6.0 - neighbours).max(0.0)).min(NODE_NANOSECONDS.2)
        / 1e9
}

/// Returns the estimated core seconds of a multipath count whose search tree has `nodes` nodes.
/// The transposition table saves visits to a part of the nodes.
pub(super) fn count_seconds(graph: &Graph, nodes: f64) -> f64 {
    visit_seconds(graph, nodes) * transposition_table::share_of_time(nodes)
}

/// Returns the estimated core seconds of a multipath count like [`count_seconds`], with its planning.
fn planned_count_seconds(graph: &Graph, nodes: f64) -> f64 {
    count_seconds(graph, nodes) + UNIT_PLAN_SECONDS * nodes.min(MAX_PLANNED_UNITS)
}

/// Number of bytes of memory of a process that searches, without its units; and number of bytes of
/// each unit. Measured on 5x5 to 6x8.
const PROCESS_AND_UNIT_BYTES: (u64, u64) = (11 << 20, 250);

/// Returns the estimated bytes of memory of a process that searches `units` units on the current
/// rayon pool; 0 without units. A multipath count that takes longer than [`NEGLIGIBLE_SECONDS`] has a
/// transposition table for each thread.
pub(super) fn search_bytes(request: &Request, units: usize, seconds: f64) -> u64 {
    if units == 0 {
        // Colours or dead ends exclude all tours, so the result is known.
        return 0;
    }
    let has_table = request.engine != Engine::Backtrack && seconds > NEGLIGIBLE_SECONDS;
    let threads = if has_table { rayon::current_num_threads() as u64 } else { 0 };
    PROCESS_AND_UNIT_BYTES.0
        + PROCESS_AND_UNIT_BYTES.1 * units as u64
        + threads * transposition_table::bytes_per_thread(request.board().len())
}

/// Returns the estimated core seconds of a count by the multipath search, correct within a factor
/// of a few, or `None` if the board is too large for this search. Cost: some milliseconds.
///
/// # Errors
/// [`Stopped`] if the control was cancelled.
pub fn search_seconds(request: &Request, control: &Control) -> Result<Option<f64>, Stopped> {
    all_searches_seconds(request, count_seconds, new_unsplit_plan, control)
}

/// Returns the estimated core seconds of a count by the path-extension search, which has no
/// transposition table, or `None` if the board is too large for this search.
///
/// # Errors
/// [`Stopped`] if the control was cancelled.
pub fn backtrack_seconds(request: &Request, control: &Control) -> Result<Option<f64>, Stopped> {
    let (factor, squares, growth) = EXTENSION_SLOWDOWN[usize::from(request.kind() == Some(Kind::Closed))];
    let slowdown = (growth * (request.board().len() as f64 - squares).max(0.0)).exp();
    let seconds = all_searches_seconds(request, visit_seconds, new_unsplit_plan, control)?;
    Ok(seconds.map(|seconds| seconds * factor * slowdown))
}

/// Returns the plan of a search that uses the symmetries of the board but is not divided into
/// units. Returns `Ok(None)` if the control is cancelled.
fn new_unsplit_plan(problem: Problem, control: &Control) -> Result<Option<MultipathPlan>, ProblemError> {
    MultipathPlan::new_under(problem, Some(0), control)
}

/// Returns the estimated core seconds of all searches of a request, or `None` if the board is too
/// large. `plan` plans a search, and `seconds` converts its number of nodes to seconds.
fn all_searches_seconds(
    request: &Request,
    seconds: fn(&Graph, f64) -> f64,
    plan: fn(Problem, &Control) -> Result<Option<MultipathPlan>, ProblemError>,
    control: &Control,
) -> Result<Option<f64>, Stopped> {
    let Some(problems) = search_problems(request) else { return Ok(None) };
    let mut sum = 0.0;
    for problem in problems {
        let Ok(plan) = plan(problem, control) else { return Ok(None) };
        let nodes = tree_size_estimate::estimate_nodes_roughly(&plan.ok_or(Stopped)?, 2000, 0);
        sum += seconds(request.board().graph(), nodes);
    }
    Ok(Some(sum))
}

/// Returns the problem of each search for a request; `None` if the board is too large for a search.
fn search_problems(request: &Request) -> Option<Vec<Problem>> {
    if request.board().len() > MAX_SQUARES {
        return None;
    }
    let kinds: &[Kind] = match request.kind() {
        None => &[Kind::Paths, Kind::Closed],
        Some(Kind::Closed) => &[Kind::Closed],
        Some(_) => &[Kind::Paths],
    };
    let problem = |&kind: &Kind| {
        let end = request.end().filter(|_| kind != Kind::Closed);
        Problem::new(&TourSpec::new(request.board().clone(), kind, request.start(), end).ok()?).ok()
    };
    kinds.iter().map(problem).collect()
}

/// A sweep for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredSweep {
    /// Tours that the sweep counts.
    pub tours: Tours,
    /// For a sweep that counts re-entrant paths whose ends a forbidden move joins: this move, and the number of
    /// moves that the symmetries of the tours map to it, itself included.
    pub closing_move: Option<(Move, usize)>,
    /// Board of the sweep. It differs from the board of the request if there is a closing move: the closed
    /// tours with this move, and no other forbidden move, are counted.
    pub board: Board,
}

impl RequiredSweep {
    /// Returns the sweeps that count the re-entrant paths of a request whose ends a forbidden move joins: each
    /// such path is a closed tour without this move. Moves that symmetries exchange need one sweep together.
    fn closed_by_forbidden_moves(request: &Request) -> Vec<Self> {
        let (board, fixed_end) = (request.board(), request.start().or(request.end()));
        let (required, forbidden) = (board.required_moves(), board.forbidden_moves());
        let is_at_end = |&(v, w): &Move| fixed_end.is_none_or(|end| [v, w].contains(&end));
        if forbidden.is_empty() {
            return Vec::new();
        }
        let symmetries = request.tours(Kind::Paths).map(|tours| tours.symmetries());
        let orbit_of = |one: Move| match &symmetries {
            Err(_) => vec![one],
            Ok(group) => group.orbit_of(|image| image_of_move(one, image)),
        };
        let sweep = |closing: Move| {
            let orbit = orbit_of(closing);
            if orbit[0] != closing {
                return None;
            }
            let others = forbidden.iter().copied().filter(|&other| other != closing);
            // If the moves cannot be required together, there is no such tour.
            let board = board.with_restrictions(required.iter().copied().chain([closing]), others).ok()?;
            Some(Self { tours: Tours::Closed, closing_move: Some((closing, orbit.len())), board })
        };
        forbidden.iter().copied().filter(is_at_end).filter_map(sweep).collect()
    }
}

/// Returns the sweeps for a request.
#[must_use]
pub fn required_sweeps(request: &Request) -> Vec<RequiredSweep> {
    let (board, kind, start, end) = (request.board(), request.kind(), request.start(), request.end());
    if board.len() < 2 {
        return Vec::new();
    }
    let mut sweeps = Vec::new();
    if kind != Some(Kind::Closed) {
        match (start, end) {
            (Some(start), Some(end)) => sweeps.push(Tours::Between(start, end)),
            (Some(end), None) | (None, Some(end)) => sweeps.push(Tours::From(end)),
            (None, None) => {
                sweeps.push(Tours::Paths);
                if request.per_start {
                    let orbits = board.symmetries().orbits();
                    sweeps.extend(orbits.iter().map(|orbit| Tours::From(orbit[0])));
                }
            }
        }
    }
    // Open tours are the paths that are not re-entrant.
    let by_ends = start.is_some() && end.is_some();
    let closed = match kind {
        Some(Kind::Closed) => true,
        Some(Kind::Paths) => false,
        Some(Kind::Open) => !by_ends,
        None => !by_ends,
    };
    if closed {
        sweeps.push(Tours::Closed);
    }
    let sweep = |tours| RequiredSweep { tours, closing_move: None, board: board.clone() };
    let mut sweeps: Vec<RequiredSweep> = sweeps.into_iter().map(sweep).collect();
    if matches!(kind, None | Some(Kind::Open)) && !by_ends {
        sweeps.extend(RequiredSweep::closed_by_forbidden_moves(request));
    }
    sweeps
}

/// Returns the roughly estimated core seconds of the sweeps of a request, correct within a factor
/// of a few. Returns `None` if the frontier is too wide for an estimate. The estimate needs no
/// plan: it uses only the width of the frontier and the number of rows. A knight on a board `w` wide has
/// a frontier of `2 w` squares, and every two squares cost a factor of about 13.
/// [`PreparedSweep::estimate`](crate::frontier::PreparedSweep::estimate) is much more accurate, but
/// slow on wide boards.
#[must_use]
pub fn sweep_seconds(request: &Request) -> Option<f64> {
    let slots = rough_frontier_width(request.board())?;
    if slots > MAX_ESTIMATED_FRONTIER {
        return None;
    }
    // Measured closed: 6x6 0.006 s, 5x8 0.012, 6x8 0.024, 6x12 0.08, 7x8 0.16, 7x10 0.5, 8x8 3.8; paths: 6x6 0.012 s,
    // 5x8 0.02, 6x8 0.12, 7x8 1.8, 8x8 62.
    let squares = request.board().len() as f64;
    let rows = (2.0 * squares / slots.max(1.0) - NARROW_ROWS.0).max(NARROW_ROWS.1);
    let planning = SWEEP_PLAN_SECONDS.0 + SWEEP_PLAN_SECONDS.1 * squares;
    let all_rows = rows * ROW_SECONDS.0 * ROW_SECONDS.1.powf((slots - 16.0) / 2.0);
    let closed = planning + all_rows;
    let paths = planning + all_rows * 2f64.powf((slots / 2.0 - 4.0).max(0.0));
    let cost = |sweep: &RequiredSweep| match sweep.tours {
        Tours::Closed => closed,
        Tours::Paths => paths,
        // A fixed end leaves one edge to choose at the apex.
        Tours::From(_) | Tours::Between(..) => closed * 2.0,
    };
    Some(required_sweeps(request).iter().map(cost).sum())
}

/// Returns the frontier width, in squares, of a full knight's board that is too wide for any sweep
/// and too large for a search; `None` for every other board. The width follows from the sides
/// alone, before any graph is built.
#[must_use]
pub(crate) fn excessive_frontier_width(request: &Request) -> Option<usize> {
    let board = request.board();
    let (rows, cols) = board.leaper_board()?.full_knight_size()?;
    let width = 2 * usize::from(rows.min(cols));
    // A board with an odd number of squares has one more square of one colour: it has no closed tour and
    // needs no sweep.
    let has_no_tour = request.kind() == Some(Kind::Closed)
        && board.len() % 2 == 1
        && board.len() <= MAX_PARITY_TEST_SQUARES;
    (width > MAX_SWEEP_FRONTIER && board.len() > MAX_SQUARES && !has_no_tour).then_some(width)
}

/// Returns the approximate frontier width of a plain sweep, in vertices. On a rectangle it is the
/// longer component of the leaper's move times the shorter side.
fn rough_frontier_width(board: &Board) -> Option<f64> {
    match board.unrestricted().leaper_board() {
        Some(leaper_board) => {
            let rectangle = leaper_board.rectangle();
            Some(f64::from(leaper_board.leaper().long()) * f64::from(rectangle.rows().min(rectangle.cols())))
        }
        None if board.len() <= MAX_GREEDY_VERTICES => Some(greedy_frontier_width(board.graph()) as f64),
        None => None,
    }
}

/// Returns the greatest frontier width of a sweep whose next vertex is always the vertex that
/// leaves the frontier narrowest.
fn greedy_frontier_width(graph: &Graph) -> usize {
    let (mut done, mut touched) = (vec![false; graph.len()], vec![false; graph.len()]);
    let (mut current, mut widest) = (0, 0);
    for _ in 0..graph.len() {
        let fresh = |v: usize| graph.neighbours(v).iter().filter(|&&w| !touched[w as usize]).count();
        let open = (0..graph.len()).filter(|&v| !done[v]);
        let Some(v) = open.min_by_key(|&v| (fresh(v) + usize::from(!touched[v]), v)) else { break };
        current += fresh(v) + usize::from(!touched[v]);
        (done[v], touched[v]) = (true, true);
        graph.neighbours(v).iter().for_each(|&w| touched[w as usize] = true);
        current -= 1;
        widest = widest.max(current);
    }
    widest
}

/// Returns the engine with the smallest estimated time for a request. Cost: some milliseconds.
///
/// # Errors
/// [`Stopped`] if the control was cancelled.
pub fn choose_engine(request: &Request, control: &Control) -> Result<Engine, Stopped> {
    let Some(sweep) = sweep_seconds(request) else {
        // A search is the only engine, however long it takes.
        return Ok(search_problems(request).map_or(Engine::Frontier, |_| Engine::Multipath));
    };
    // A split depth is for searches: only a search that takes long gives way to a sweep.
    let is_split = request.split_depth.is_some();
    if !is_split && sweep < SHORT_SWEEP_SECONDS && request.board().len() >= MIN_SHORT_SWEEP_VERTICES {
        return Ok(Engine::Frontier);
    }
    // Breaking the symmetries of a search takes longer than finding out that the search is hopeless.
    let coarse = all_searches_seconds(request, count_seconds, MultipathPlan::new_coarse, control)?;
    if coarse.is_some_and(|search| search > DECISIVE_TIME_RATIO * sweep.max(NEGLIGIBLE_SECONDS)) {
        return Ok(Engine::Frontier);
    }
    let Some(search) = all_searches_seconds(request, planned_count_seconds, new_unsplit_plan, control)?
    else {
        return Ok(Engine::Frontier);
    };
    let is_short = is_split && search < NEGLIGIBLE_SECONDS;
    Ok(if sweep < search && !is_short { Engine::Frontier } else { Engine::Multipath })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_frontier_width_of_ring_is_two() {
        let ring = Graph::from_edges(9, (0..9).map(|v| (v, (v + 1) % 9)));
        assert_eq!(greedy_frontier_width(&ring), 2);
        let complete = Graph::from_edges(6, (0..6).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(greedy_frontier_width(&complete), 5);
    }

    #[test]
    fn count_seconds_agree_with_measurements() {
        let graph = |board: &str| board.parse::<Board>().unwrap().graph().clone();
        // Columns: board, all nodes, nanoseconds per node of a count, and of a search that visits every node.
        for (board, nodes, counted, visited) in [
            ("6x6", 9.7e5, 29.3, 49.5),
            ("5x10", 8.07e6, 26.4, 43.6),
            ("4x11", 1.08e7, 34.3, 46.4),
            ("6x8", 3.13e7, 33.9, 40.8),
            ("5x9", 1.52e8, 18.5, 41.7),
            ("board=7x7 piece=1,2 remove=d4", 2.32e7, 10.0, 35.5),
            ("board=5x5 piece=0,1+1,1 remove=-", 8.25e5, 14.4, 24.1),
            ("board=4x6 wrap=torus piece=1,2 remove=-", 2.85e8, 6.4, 26.6),
        ] {
            let (graph, nanoseconds_per_node) = (graph(board), |seconds: f64| seconds / nodes * 1e9);
            let ratio = nanoseconds_per_node(count_seconds(&graph, nodes)) / counted;
            assert!((0.5..2.2).contains(&ratio), "{board}: {ratio}");
            let ratio = nanoseconds_per_node(visit_seconds(&graph, nodes)) / visited;
            assert!((0.8..1.3).contains(&ratio), "{board}: {ratio}");
        }
        let (graph, seconds) = (graph("6x6"), [1e3, 1e5, 1e7, 1e9, 1e11, 1e13]);
        assert!(seconds.is_sorted_by(|&a, &b| count_seconds(&graph, a) < count_seconds(&graph, b)));
        assert_eq!(count_seconds(&graph, 1e4), visit_seconds(&graph, 1e4), "no node is saved yet");
    }

    #[test]
    fn excessive_frontier_width_depends_on_sides_and_parity() {
        let request = |board: &str| Request::new(board.parse::<Board>().unwrap());
        let width = |board: &str| excessive_frontier_width(&request(board));
        assert_eq!((width("200x300"), width("61x1000")), (Some(400), Some(122)));
        assert_eq!((width("60x60"), width("8x60000")), (None, None));
        let closed = |board: &str| excessive_frontier_width(&request(board).with_kind(Kind::Closed).unwrap());
        assert_eq!((closed("61x61"), closed("61x62"), closed("5001x5001")), (None, Some(122), Some(10002)));
    }

    #[test]
    fn required_sweeps_by_start_have_one_per_orbit() {
        let request = Request { per_start: true, ..Request::new("6x6".parse::<Board>().unwrap()) };
        assert_eq!(required_sweeps(&request).len(), 1 + 6 + 1);
        let ring = Graph::from_edges(9, (0..9).map(|v| (v, (v + 1) % 9)));
        let request = Request { per_start: true, ..Request::new(Board::from_graph(ring)) };
        let tours: Vec<Tours> = required_sweeps(&request).iter().map(|sweep| sweep.tours).collect();
        assert_eq!(tours, [Tours::Paths, Tours::From(0), Tours::Closed]);
    }
}
