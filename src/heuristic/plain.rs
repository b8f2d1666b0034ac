//! Finds tours of rectangles with one leaper: returns a tour, a proof that no tour exists, or gives up after
//! the requested attempts.
//!
//! ```text
//! any board    1. theorems and colours                              proof
//! rule auto    2. knight on 1 to 4 rows: exact sweep                tour or proof
//!              3. knight on larger rectangles: merged blocks        tour
//!              4. 5 rows with both ends fixed: exact sweep          tour or proof
//!              5. knight on large boards with holes: search around
//!                 them, merged blocks elsewhere                     tour
//!              6. wazirs: a comb                                    tour
//!              7. everything else: complete search with restarts    tour, proof, gave up
//! other rules  2. walks by the rule, varied from attempt to attempt tour, gave up
//! ```
//!
//! Every tour is checked before it is returned.

use crate::board::{Board, Leaper, Square, Wrap};
use crate::control::Control;
use crate::random::Random;
use crate::tour::{Tour, TourError};

use super::blocks::build;
use super::region::build_around;
use super::request::{MAX_SQUARES, Means, OnBoard, Outcome};
use super::route::{Chance, Route};
use super::rule::Rule;
use super::searched::searched;
use super::solve::{Solved, Want};
use super::squirrel::SINGLES;
use super::strip::solve_strip;
use super::theorem::{Goal, Obstacle, obstacle};
use super::walk::Walker;
use super::winding::combed;

/// First attempt of a rule that makes random choices; earlier attempts are the same for every seed.
pub const FIRST_CHANCE: u64 = SINGLES + 1;
/// First attempt that strays from the rule now and then.
const FAITHFUL: u64 = 100;
/// Largest board for the complete search, in squares, if no other method fits.
const SEARCHABLE: usize = 1 << 18;
/// Largest board with holes, or with another leaper than the knight, that is searched as a whole, in squares.
const AT_ONCE: usize = 1 << 11;

/// Looks for a tour of a rectangle, until the control is cancelled.
pub(super) fn find_on_board(request: &OnBoard<'_>, control: &Control) -> Outcome {
    let OnBoard { board, leaper, goal, .. } = request;
    assert!(board.len() <= MAX_SQUARES, "{board} is too large");
    if let Some(obstacle) = obstacle(board, *leaper, goal) {
        return Outcome::Impossible(obstacle);
    }
    if request.request.rule != Rule::Auto {
        return by_rule(request, control);
    }
    let knight = *leaper == Leaper::KNIGHT;
    let built = match board.removed() {
        [] if board.len() > AT_ONCE && !knight => by_comb(request),
        [] if knight && board.len() >= 12 => by_construction(request, control),
        [_, ..] if knight && board.len() > AT_ONCE => around_holes(request),
        _ => None,
    };
    built.unwrap_or_else(|| by_search(request, control))
}

/// Checks a sequence of squares and wraps it as a result.
fn found(request: &OnBoard<'_>, squares: Vec<Square>, by: Means) -> Result<Outcome, TourError> {
    let tour = Tour::from_squares(&request.request.arena, squares)?;
    let tour = if request.goal.closed { tour.into_closed()? } else { tour };
    Ok(Outcome::Found { tour, by })
}

fn by_rule(request: &OnBoard<'_>, control: &Control) -> Outcome {
    let OnBoard { request: wish, board, leaper, goal } = request;
    let mut walker = Walker::new(board, *leaper, wish.moves.as_deref());
    // A closed tour visits every square, so the walk starts anywhere and the tour is rotated. A path with
    // only its end fixed is walked from that end.
    let turned = goal.closed && (goal.start.is_none() || goal.end.is_none());
    let reversed = !turned && goal.start.is_none() && goal.end.is_some();
    let (start, end) = match (turned, reversed) {
        (true, _) => (None, None),
        (_, true) => (goal.end, None),
        _ => (goal.start, goal.end),
    };
    let squares: Vec<Square> = if start.is_some() { Vec::new() } else { starts(board, *leaper) };
    for attempt in (wish.skip..).take(usize::try_from(wish.attempts).unwrap_or(usize::MAX)) {
        if control.is_cancelled() {
            return Outcome::Stopped;
        }
        let mut rng = Random::of_trial(wish.seed, attempt);
        let start = start.unwrap_or_else(|| {
            if attempt == 0 { first_start(board, &squares) } else { squares[rng.below(squares.len())] }
        });
        let route = Route {
            start,
            end,
            closed: goal.closed,
            apart: goal.open,
            backtracks: wish.backtracks,
            chance: match attempt {
                0..FIRST_CHANCE => Chance::Nothing,
                _ if attempt < FAITHFUL => Chance::Ties,
                _ => Chance::Stray,
            },
            turn: attempt,
        };
        if walker.walk(wish.rule, &route, &mut rng) {
            let mut squares = walker.squares();
            if reversed {
                squares.reverse();
            }
            if turned {
                turn(&mut squares, goal);
            }
            let by = Means::Rule { rule: wish.rule, attempt: attempt + 1 };
            if let Ok(outcome) = found(request, squares, by) {
                return outcome;
            }
        }
    }
    Outcome::GaveUp { attempts: wish.attempts }
}

/// Returns the squares on which a tour can begin, by colour.
fn starts(board: &Board, leaper: Leaper) -> Vec<Square> {
    let fits = |square: &Square| {
        let goal = Goal { start: Some(*square), ..Goal::default() };
        obstacle(board, leaper, &goal).is_none()
    };
    // One square of each colour stands for all squares of this colour.
    let dark = board.squares().find(|square| square.is_dark()).is_some_and(|square| fits(&square));
    let light = board.squares().find(|square| !square.is_dark()).is_some_and(|square| fits(&square));
    board.squares().filter(|square| if square.is_dark() { dark } else { light }).collect()
}

/// Returns the corner at the top left if a tour can begin there, otherwise the first square that can.
fn first_start(board: &Board, squares: &[Square]) -> Square {
    let corner = Square::new(0, board.rows() - 1);
    if squares.contains(&corner) { corner } else { squares[0] }
}

fn by_construction(request: &OnBoard<'_>, control: &Control) -> Option<Outcome> {
    let (rows, cols) = (usize::from(request.board.rows()), usize::from(request.board.cols()));
    let narrow = rows.min(cols) <= 4;
    if narrow {
        return by_strip(request);
    }
    let by_blocks = |want: Want, seed: u64| {
        if control.is_cancelled() {
            return Some(Outcome::Stopped);
        }
        let vertices = build(rows, cols, want, seed)?;
        found(request, arranged(request, vertices), Means::Blocks).ok()
    };
    let outcome = wants(request)
        .enumerate()
        .find_map(|(i, want)| by_blocks(want, request.request.seed ^ (i as u64) << 32));
    if outcome.is_none() && rows.min(cols) == 5 { by_strip(request) } else { outcome }
}

/// Returns the goals to try in turn. An open tour is tried as a path with explicit ends that are not a move
/// apart.
fn wants<'a>(request: &'a OnBoard<'_>) -> Box<dyn Iterator<Item = Want> + 'a> {
    let OnBoard { board, goal, .. } = request;
    let (n, cols) = (board.len(), usize::from(board.cols()));
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let (start, end) = (goal.start.map(index), goal.end.map(index));
    // A closed tour with both ends fixed is a path between neighbours.
    let closed = goal.closed && (start.is_none() || end.is_none());
    let plain = if closed {
        Want { closed, ..Want::default() }
    } else if n % 2 == 0 && !goal.open && start.is_some() != end.is_some() {
        // Any closed tour will do, rotated to the fixed end.
        Want { closed: true, ..Want::default() }
    } else {
        Want { start, end, ..Want::default() }
    };
    if !goal.open || n % 2 == 1 || (start.is_some() && end.is_some()) {
        return Box::new(std::iter::once(plain));
    }
    // On an even board, fix the missing ends: squares of the right colours that are not a move apart.
    let mut rng = Random::new(request.request.seed);
    let square = move |v: usize| Square::new((v % cols) as u16, (v / cols) as u16);
    Box::new((0..64).filter_map(move |i| {
        let (from, to) = match (start, end) {
            (Some(from), _) => (from, rng.below(n)),
            (_, Some(to)) => (rng.below(n), to),
            _ if i == 0 => (0, n - cols + (n / cols) % 2 * (cols - 1)),
            _ => (rng.below(n), rng.below(n)),
        };
        let (a, b) = (square(from), square(to));
        let fits = a.is_dark() != b.is_dark() && !Leaper::KNIGHT.joins(a, b);
        fits.then_some(Want { start: Some(from), end: Some(to), ..Want::default() })
    }))
}

/// Converts vertices numbered by row to squares. A closed tour is rotated to its requested end.
fn arranged(request: &OnBoard<'_>, vertices: Vec<u32>) -> Vec<Square> {
    let cols = u32::from(request.board.cols());
    let mut squares: Vec<Square> =
        vertices.into_iter().map(|v| Square::new((v % cols) as u16, (v / cols) as u16)).collect();
    turn(&mut squares, &request.goal);
    squares
}

/// Rotates a closed tour to its requested start, or else to its requested end.
fn turn(squares: &mut [Square], goal: &Goal) {
    let at = |end: Square, squares: &[Square]| squares.iter().position(|&square| square == end).unwrap_or(0);
    match (goal.start, goal.end) {
        (Some(start), _) => squares.rotate_left(at(start, squares)),
        (None, Some(end)) if squares.last() != Some(&end) => squares.rotate_left(at(end, squares) + 1),
        _ => {}
    }
}

/// Builds a comb or a winding path of a piece that moves by single squares.
fn by_comb(request: &OnBoard<'_>) -> Option<Outcome> {
    let OnBoard { board, leaper, goal, .. } = request;
    let cols = usize::from(board.cols());
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let (start, end) = (goal.start.map(index), goal.end.map(index));
    let want = Want { closed: goal.closed, apart: goal.open, start, end };
    let sides = (usize::from(board.rows()), cols);
    let tour = combed(&request.request.arena, sides, Wrap::None, &(*leaper).into(), want)?;
    Some(Outcome::Found { tour, by: Means::Comb })
}

/// Searches around the holes of a large board and merges blocks elsewhere.
fn around_holes(request: &OnBoard<'_>) -> Option<Outcome> {
    let OnBoard { board, goal, .. } = request;
    let cols = usize::from(board.cols());
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let closed = goal.closed && (goal.start.is_none() || goal.end.is_none());
    let named = |end: Option<Square>| if closed { None } else { end.map(index) };
    let want = Want { closed, apart: goal.open, start: named(goal.start), end: named(goal.end) };
    let vertices = build_around(board, want, request.request.seed)?;
    found(request, arranged(request, vertices), Means::Blocks).ok()
}

/// Sweeps the board exactly, along the longer side.
fn by_strip(request: &OnBoard<'_>) -> Option<Outcome> {
    let (rows, cols) = (usize::from(request.board.rows()), usize::from(request.board.cols()));
    let (short, long) = (rows.min(cols), rows.max(cols));
    let upright = cols == short;
    let to_strip = |v: usize| if upright { v } else { v % cols * rows + v / cols };
    let to_board = |v: u32| {
        let v = v as usize;
        (if upright { v } else { v % rows * cols + v / rows }) as u32
    };
    let mut proved = true;
    for want in strip_wants(request) {
        let turned = Want { start: want.start.map(to_strip), end: want.end.map(to_strip), ..want };
        match solve_strip(short, long, turned) {
            Solved::Tour(vertices) => {
                let vertices = vertices.into_iter().map(to_board).collect();
                let squares = arranged(request, vertices);
                let joined = Leaper::KNIGHT.joins(squares[0], squares[squares.len() - 1]);
                if !request.goal.open || !joined {
                    return found(request, squares, Means::Strip).ok();
                }
                proved = false;
            }
            Solved::Impossible => {
                if !request.goal.open || proved {
                    return Some(Outcome::Impossible(Obstacle::Searched));
                }
            }
            Solved::GaveUp => return None,
        }
    }
    None
}

/// Returns the goals to try in turn: the goal itself, and for an open tour that came out re-entrant, the
/// goals with explicit ends.
fn strip_wants<'a>(request: &'a OnBoard<'_>) -> impl Iterator<Item = Want> + 'a {
    let Goal { closed, start, end, open } = request.goal;
    let cols = usize::from(request.board.cols());
    let index = move |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let closed = closed && (start.is_none() || end.is_none());
    let (start, end) = if closed { (None, None) } else { (start.map(index), end.map(index)) };
    let plain = Want { closed, start, end, apart: false };
    std::iter::once(plain).chain(wants(request).filter(move |_| open))
}

fn by_search(request: &OnBoard<'_>, control: &Control) -> Outcome {
    if request.board.len() > SEARCHABLE {
        return Outcome::GaveUp { attempts: 0 };
    }
    searched(request.request, control)
}
