//! How long a job will take, and so which engine is to do it.

use super::request::{Engine, Request};
use crate::board::{Arena, Graph};
use crate::frontier::Tours;
use crate::search::probe;
use crate::search::problem::Problem;
use crate::search::split::Plan;
use crate::search::width::MAX_SQUARES;
use crate::tour::Kind;

/// Seconds that a core takes for a node of the multi-path search; measured, see `results/speed.md`.
pub(super) const SECONDS_PER_NODE: f64 = 45e-9;

/// How much longer the path-extension search takes: its nodes cost less, but there are many more.
pub(super) const BACKTRACK_COST: f64 = 6.0;

/// A search of this many core seconds is not worth a comparison.
const AT_ONCE: f64 = 0.02;

/// Squares on the frontier beyond which blocks of states do not fit any machine.
const WIDEST: f64 = 20.0;

/// A frontier of more squares is too wide for any sweep, in any order.
const HOPELESS: usize = 120;

/// Boards of more squares are told to be too wide, whatever their colours say.
const MOST_COLOURED: usize = 1 << 16;

/// Graphs of more vertices are not looked at one vertex after the other.
const MOST_TRIED: usize = 1000;

/// Estimated core seconds of a search by the multi-path kernel, within a factor of a few; `None` if the arena
/// is too large for it. Cost: some milliseconds.
#[must_use]
pub fn search_seconds(request: &Request) -> Option<f64> {
    let Request { arena, kind, start, end, .. } = request;
    if arena.len() > MAX_SQUARES {
        return None;
    }
    let kinds: &[Kind] = match kind {
        None => &[Kind::Paths, Kind::Closed],
        Some(Kind::Closed) => &[Kind::Closed],
        Some(_) => &[Kind::Paths],
    };
    let mut seconds = 0.0;
    for &kind in kinds {
        let end = end.filter(|_| kind != Kind::Closed);
        let problem = Problem::new(arena, kind, *start, end).ok()?;
        seconds += probe::rough_nodes(&Plan::new(problem, Some(0)).ok()?, 2000, 0) * SECONDS_PER_NODE;
    }
    Some(seconds)
}

/// The sweeps that a request takes.
#[must_use]
pub fn sweeps(request: &Request) -> Vec<Tours> {
    let Request { arena, kind, start, end, per_start, .. } = request;
    if arena.len() < 2 {
        return Vec::new();
    }
    let (start, end) = (start.map(|v| v as usize), end.map(|v| v as usize));
    let mut sweeps = Vec::new();
    if *kind != Some(Kind::Closed) {
        match (start, end) {
            (Some(start), Some(end)) => sweeps.push(Tours::Between(start, end)),
            (Some(end), None) | (None, Some(end)) => sweeps.push(Tours::From(end)),
            (None, None) => {
                sweeps.push(Tours::Paths);
                if *per_start {
                    let orbits = arena.symmetries().orbits();
                    sweeps.extend(orbits.iter().map(|orbit| Tours::From(orbit[0] as usize)));
                }
            }
        }
    }
    // Open tours are the paths less the re-entrant ones.
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
    sweeps
}

/// Roughly estimated core seconds of the sweeps, at once and within a factor of a few: from the width of the
/// frontier, `2 w` squares for a knight on a board `w` wide, each two of which cost a factor of about 12.
/// `None` if the frontier is too wide for anything to be said. [`Prepared::estimate`](crate::frontier::Prepared::estimate)
/// tells much better, but takes its time on wide boards.
#[must_use]
pub fn sweep_seconds(request: &Request) -> Option<f64> {
    let slots = width(&request.arena)?;
    if slots > WIDEST {
        return None;
    }
    // Measured: 8x8 closed takes 6 s, 7x8 0.45 s, 8x8 paths 110 s, 7x8 paths 2 s.
    let closed = 0.003 + 6.0 * request.arena.len() as f64 / 64.0 * 12f64.powf((slots - 16.0) / 2.0);
    let paths = closed * 2f64.powf((slots / 2.0 - 4.0).max(0.0));
    let cost = |tours: &Tours| match tours {
        Tours::Closed => closed,
        Tours::Paths => paths,
        // A fixed end leaves the apex one edge to choose.
        Tours::From(_) | Tours::Between(..) => closed * 2.0,
    };
    Some(sweeps(request).iter().map(cost).sum())
}

/// Squares on the frontier of a whole board of the knight, if it is far too wide for any sweep and has too many
/// squares for a search: told from its sides, before anything is made of its squares.
#[must_use]
pub fn too_wide(request: &Request) -> Option<usize> {
    let Request { arena, kind, .. } = request;
    let (rows, cols) = arena.rectangle()?.knights_sides()?;
    let width = 2 * usize::from(rows.min(cols));
    // An odd number of squares has one more of one colour: nothing closes, and nothing is swept.
    let is_none = *kind == Some(Kind::Closed) && arena.len() % 2 == 1 && arena.len() <= MOST_COLOURED;
    (width > HOPELESS && arena.len() > MAX_SQUARES && !is_none).then_some(width)
}

/// Vertices on the frontier of a plain sweep, roughly: a board has the leaper's long step times its short side.
fn width(arena: &Arena) -> Option<f64> {
    match arena.rectangle() {
        Some(rectangle) => {
            let board = rectangle.board();
            Some(f64::from(rectangle.leaper().long()) * f64::from(board.rows().min(board.cols())))
        }
        None if arena.len() <= MOST_TRIED => Some(greedy_width(arena.graph()) as f64),
        None => None,
    }
}

/// The widest frontier if the vertex that leaves the narrowest one always comes next.
fn greedy_width(graph: &Graph) -> usize {
    let (mut done, mut touched) = (vec![false; graph.len()], vec![false; graph.len()]);
    let (mut now, mut widest) = (0, 0);
    for _ in 0..graph.len() {
        let fresh = |v: usize| graph.neighbours(v).iter().filter(|&&w| !touched[w as usize]).count();
        let open = (0..graph.len()).filter(|&v| !done[v]);
        let Some(v) = open.min_by_key(|&v| (fresh(v) + usize::from(!touched[v]), v)) else { break };
        now += fresh(v) + usize::from(!touched[v]);
        (done[v], touched[v]) = (true, true);
        graph.neighbours(v).iter().for_each(|&w| touched[w as usize] = true);
        now -= 1;
        widest = widest.max(now);
    }
    widest
}

/// The engine that is likely to be the fastest. Cost: some milliseconds.
#[must_use]
pub fn choose(request: &Request) -> Engine {
    let Some(search) = search_seconds(request) else { return Engine::Frontier };
    match sweep_seconds(request) {
        Some(sweep) if search > AT_ONCE && sweep < search => Engine::Frontier,
        _ => Engine::Multipath,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_two_vertices_on_its_frontier() {
        let ring = Graph::from_edges(9, (0..9).map(|v| (v, (v + 1) % 9)));
        assert_eq!(greedy_width(&ring), 2);
        let complete = Graph::from_edges(6, (0..6).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(greedy_width(&complete), 5);
    }

    #[test]
    fn hopeless_boards_are_told_by_their_sides() {
        let request = |board: &str| Request::new(board.parse::<Arena>().unwrap());
        let width = |board: &str| too_wide(&request(board));
        assert_eq!((width("200x300"), width("61x1000")), (Some(400), Some(122)));
        assert_eq!((width("60x60"), width("8x60000")), (None, None));
        let closed = |board: &str| too_wide(&Request { kind: Some(Kind::Closed), ..request(board) });
        assert_eq!((closed("61x61"), closed("61x62"), closed("5001x5001")), (None, Some(122), Some(10002)));
    }

    #[test]
    fn sweeps_by_start_are_one_for_each_orbit() {
        let request = Request { per_start: true, ..Request::new("6x6".parse::<Arena>().unwrap()) };
        assert_eq!(sweeps(&request).len(), 1 + 6 + 1);
        let ring = Graph::from_edges(9, (0..9).map(|v| (v, (v + 1) % 9)));
        let request = Request { per_start: true, ..Request::new(Arena::from_graph(ring)) };
        assert_eq!(sweeps(&request), [Tours::Paths, Tours::From(0), Tours::Closed]);
    }
}
