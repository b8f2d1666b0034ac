//! How long a job will take, and so which engine is to do it.

use super::request::{Engine, Request};
use crate::board::{Graph, SymmetryGroup};
use crate::frontier::{self, Field, Options, Tours};
use crate::search::probe;
use crate::search::problem::{MAX_SQUARES, Problem};
use crate::search::split::Plan;
use crate::tour::Kind;

/// Seconds that a core takes for a node of the multi-path search; measured, see `results/speed.md`.
const SECONDS_PER_NODE: f64 = 45e-9;

/// A search of this many core seconds is not worth a comparison.
const AT_ONCE: f64 = 0.02;

/// Estimated core seconds of a search by the multi-path kernel, within a factor of a few; `None` if the board
/// is too large for it. Cost: some milliseconds.
#[must_use]
pub fn search_seconds(request: &Request) -> Option<f64> {
    let Request { board, leaper, kind, start, end, .. } = request;
    if board.len() > MAX_SQUARES {
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
        let problem = Problem::new(board, *leaper, kind, *start, end).ok()?;
        seconds += probe::rough_nodes(&Plan::new(problem, Some(0)), 2000, 0) * SECONDS_PER_NODE;
    }
    Some(seconds)
}

/// The sweeps that a request takes.
#[must_use]
pub fn sweeps(request: &Request) -> Vec<Tours> {
    let Request { board, kind, start, end, per_start, .. } = request;
    if board.len() < 2 {
        return Vec::new();
    }
    let vertex = |square| board.squares().position(|s| s == square);
    let (start, end) = (start.and_then(vertex), end.and_then(vertex));
    let mut sweeps = Vec::new();
    if *kind != Some(Kind::Closed) {
        match (start, end) {
            (Some(start), Some(end)) => sweeps.push(Tours::Between(start, end)),
            (Some(end), None) | (None, Some(end)) => sweeps.push(Tours::From(end)),
            (None, None) => {
                sweeps.push(Tours::Paths);
                if *per_start {
                    let orbits = SymmetryGroup::of(board).orbits();
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

/// Estimated seconds and bytes of the sweeps on this machine's threads; `None` if nothing short of a sweep
/// can tell. Cost: up to some tenths of a second.
#[must_use]
pub fn sweep_estimate(request: &Request) -> Option<(f64, u64)> {
    let field = Field::board(&request.board, request.leaper);
    let (mut seconds, mut bytes) = (0.0, 0);
    let mut from = None;
    for tours in sweeps(request) {
        let estimate = match (tours, &from) {
            // Sweeps from single squares cost alike.
            (Tours::From(_), Some(estimate)) => Clone::clone(estimate),
            _ => frontier::estimate(&field, tours, &Options::default()).ok()??,
        };
        seconds += estimate.seconds;
        bytes = bytes.max(estimate.peak_bytes);
        if matches!(tours, Tours::From(_)) {
            from = Some(estimate);
        }
    }
    Some((seconds, bytes))
}

/// The engine that is likely to be the fastest.
#[must_use]
pub fn choose(request: &Request) -> Engine {
    let threads = rayon::current_num_threads() as f64;
    let Some(search) = search_seconds(request) else { return Engine::Frontier };
    if search < AT_ONCE || Graph::new(&request.board, request.leaper).edges() == 0 {
        return Engine::Multipath;
    }
    match sweep_estimate(request) {
        Some((sweep, _)) if sweep < search / threads => Engine::Frontier,
        // A frontier too wide for an estimate: few states make it cheap, but who knows.
        None if search > 1e5 => Engine::Frontier,
        _ => Engine::Multipath,
    }
}
