//! How long a job will take, and so which engine is to do it.

use super::request::{Engine, Request};
use crate::board::SymmetryGroup;
use crate::frontier::Tours;
use crate::search::probe;
use crate::search::problem::Problem;
use crate::search::split::Plan;
use crate::search::width::MAX_SQUARES;
use crate::tour::Kind;

/// Seconds that a core takes for a node of the multi-path search; measured, see `results/speed.md`.
const SECONDS_PER_NODE: f64 = 45e-9;

/// A search of this many core seconds is not worth a comparison.
const AT_ONCE: f64 = 0.02;

/// Squares on the frontier beyond which blocks of states do not fit any machine.
const WIDEST: f64 = 20.0;

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
        seconds += probe::rough_nodes(&Plan::new(problem, Some(0)).ok()?, 2000, 0) * SECONDS_PER_NODE;
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

/// Roughly estimated core seconds of the sweeps, at once and within a factor of a few: from the width of the
/// frontier, `2 w` squares for a knight on a board `w` wide, each two of which cost a factor of about 12.
/// `None` if the frontier is too wide for anything to be said. [`frontier::estimate`](crate::frontier::estimate)
/// tells much better, but takes its time on wide boards.
#[must_use]
pub fn sweep_seconds(request: &Request) -> Option<f64> {
    let Request { board, leaper, .. } = request;
    let slots = f64::from(leaper.long()) * f64::from(board.rows().min(board.cols()));
    if slots > WIDEST {
        return None;
    }
    // Measured: 8x8 closed takes 6 s, 7x8 0.45 s, 8x8 paths 110 s, 7x8 paths 2 s.
    let closed = 0.003 + 6.0 * board.len() as f64 / 64.0 * 12f64.powf((slots - 16.0) / 2.0);
    let paths = closed * 2f64.powf((slots / 2.0 - 4.0).max(0.0));
    let cost = |tours: &Tours| match tours {
        Tours::Closed => closed,
        Tours::Paths => paths,
        // A fixed end leaves the apex one edge to choose.
        Tours::From(_) | Tours::Between(..) => closed * 2.0,
    };
    Some(sweeps(request).iter().map(cost).sum())
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
