//! Finds one tour of any board or graph, by the method that fits the request.
//!
//! ```text
//! FindRequest -> rectangle with one leaper  -> theorems, rules, constructions, search
//!             -> any other board or graph   -> constructions for large boards, search
//! ```
//!
//! Every tour is checked before it is returned.
//!
//! # Rectangles with one leaper
//!
//! The result is a tour, a proof that no tour exists, or *gave up* after the requested attempts.
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
//! # Other boards and graphs
//!
//! Large boards with joined edges, boxes and boards with several leapers have direct constructions;
//! all other boards and graphs are searched.
//!
//! ```text
//! wazir among the moves      a comb or a winding path, in boxes too
//! knight among the moves     a tour of the plain board is one of the wrapped board
//! any other                  the complete search with restarts
//! ```
//!
//! # The complete search
//!
//! The complete search gives a tour or a reason why none exists.
//!
//! ```text
//! ends, colours, degrees -> one trial -> cut vertices, matchings -> all trials
//! ```
//!
//! One trial finds most tours before any slower test runs. A reason is worth more than an exhausted
//! search, so the tests run before the remaining trials.

use super::block_tour::{build_block_tour, build_tour_around_holes};
use super::cycle_search::{
    DECISIONS_PER_ATTEMPT, SearchOutcome, TourGoal, first_trial_decisions, solve_under,
};
use super::degree_grid::{Randomness, WalkRequest};
use super::find_request::{FindMethod, FindOutcome, FindRequest, MAX_FIND_SQUARES, RectangleRequest};
use super::matching_obstacles::matching_obstacle;
use super::narrow_board::solve_narrow_board;
use super::obstacles::{Obstacle, SquareGoal, graph_obstacle, rectangle_obstacle};
use super::rule_walk::RuleWalker;
use super::step_orders::SINGLE_ORDER_COUNT;
use super::wazir_tour::{to_tour_for_goal, wazir_tour_in_box, wazir_tour_on_board};
use crate::board::{Board, BoardSides, Leaper, LeaperBoard, Rectangle, Square, Vertex, Wrap};
use crate::control::Control;
use crate::random::Random;
use crate::tour::{Tour, TourError};

/// Looks for a tour that meets the request. Equal requests have equal results.
///
/// ```
/// use ktour::board::{Board, Graph};
/// use ktour::heuristic::{FindOutcome, FindRequest, find};
/// use ktour::tour::{Kind, TourSpec};
///
/// let cube = (0..8).flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit))).filter(|(v, w)| v < w);
/// for board in ["8x8".parse()?, Board::from_graph(Graph::from_edges(8, cube))] {
///     let request = FindRequest::new(TourSpec::all(board, Kind::Closed));
///     assert!(matches!(find(&request), FindOutcome::Found { .. }));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If [`FindRequest::closed_end`] is not a vertex, if the board has more than [`MAX_FIND_SQUARES`]
/// squares, or if a rule or an order of steps is requested for anything but a rectangle with one leaper.
#[must_use]
pub fn find(request: &FindRequest) -> FindOutcome {
    find_under(request, &Control::new())
}

/// Looks for a tour as [`find()`] does, until the control is cancelled. Cancellation takes effect
/// immediately in the complete search, elsewhere between attempts and constructions.
///
/// # Panics
/// See [`find()`].
#[must_use]
pub fn find_under(request: &FindRequest, control: &Control) -> FindOutcome {
    let board = request.tours.board();
    let is_vertex = |v: Vertex| (v as usize) < board.len();
    assert!(request.closed_end.is_none_or(is_vertex), "the end is not a vertex of {}", board.title());
    match RectangleRequest::new(request) {
        Some(on_board) => find_on_rectangle(&on_board, control),
        None => {
            let is_plain = request.rule.is_auto() && request.step_order.is_none();
            assert!(is_plain, "rules need a rectangle with one leaper, not {}", board.title());
            find_in_graph(request, control)
        }
    }
}

/// Returns a proof without a search that the board has no tour that meets the goal, as [`find()`]
/// reports it; `None` if there may be one. Cost O(edges x sqrt(vertices)).
///
/// # Panics
/// If an end is not a vertex.
#[must_use]
pub fn find_obstacle(board: &Board, goal: TourGoal) -> Option<Obstacle> {
    if board.is_empty() {
        return Some(Obstacle::Empty);
    }
    let of_rectangle = |board: &LeaperBoard| {
        let rectangle = board.rectangle();
        let square = |v: Option<usize>| v.map(|v| rectangle.square(v as u32));
        let TourGoal { closed, open, start, end } = goal;
        let goal = SquareGoal { closed, open, start: square(start), end: square(end) };
        rectangle_obstacle(rectangle, board.leaper(), &goal)
    };
    board
        .leaper_board()
        .and_then(of_rectangle)
        .or_else(|| graph_obstacle(board, goal))
        .or_else(|| matching_obstacle(board, goal))
}

/// Number of the first attempt in which a rule makes random choices. Earlier attempts are the same
/// for every seed.
pub const FIRST_RANDOM_ATTEMPT: u64 = SINGLE_ORDER_COUNT + 1;
/// Number of the first attempt in which a walk departs from the rule now and then.
const FIRST_STRAYING_ATTEMPT: u64 = 100;
/// Greatest number of squares of a board for which the complete search is the only method.
const MAX_SEARCH_SQUARES: usize = 1 << 18;
/// Greatest number of squares up to which a board with holes, or with another leaper than the
/// knight, is searched as a whole.
const MAX_WHOLE_SEARCH_SQUARES: usize = 1 << 11;

/// Looks for a tour of a rectangle with one leaper, until the control is cancelled.
pub(super) fn find_on_rectangle(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    let RectangleRequest { board, leaper, goal, .. } = request;
    assert!(board.len() <= MAX_FIND_SQUARES, "{board} is too large");
    if let Some(obstacle) = rectangle_obstacle(board, *leaper, goal) {
        return FindOutcome::Impossible(obstacle);
    }
    if !request.request.rule.is_auto() {
        return find_by_rule(request, control);
    }
    let knight = *leaper == Leaper::KNIGHT;
    let built = match board.removed() {
        [] if board.len() > MAX_WHOLE_SEARCH_SQUARES && !knight => find_by_comb(request),
        [] if knight && board.len() >= 12 => find_by_construction(request, control),
        [_, ..] if knight && board.len() > MAX_WHOLE_SEARCH_SQUARES => find_around_holes(request),
        _ => None,
    };
    built.unwrap_or_else(|| find_by_search(request, control))
}

/// Checks that a sequence of squares is a tour as requested, and returns it as the result of the
/// method `by`.
fn checked_outcome(
    request: &RectangleRequest<'_>,
    squares: Vec<Square>,
    by: FindMethod,
) -> Result<FindOutcome, TourError> {
    let tour = Tour::from_squares(request.request.tours.board(), squares)?;
    let tour = if request.goal.closed { tour.into_closed()? } else { tour };
    Ok(FindOutcome::Found { tour, method: by })
}

fn find_by_rule(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    let RectangleRequest { request: settings, board, leaper, goal } = request;
    let mut walker = RuleWalker::new(board, *leaper, settings.step_order.as_deref());
    // A closed tour visits every square, so the walk starts anywhere and the tour is rotated. A path with
    // only its end fixed is walked from that end.
    let rotates = goal.closed && (goal.start.is_none() || goal.end.is_none());
    let reverses = !rotates && goal.start.is_none() && goal.end.is_some();
    let (start, end) = match (rotates, reverses) {
        (true, _) => (None, None),
        (_, true) => (goal.end, None),
        _ => (goal.start, goal.end),
    };
    let squares: Vec<Square> = if start.is_some() { Vec::new() } else { possible_starts(board, *leaper) };
    for attempt in (settings.skip_attempts..).take(usize::try_from(settings.attempts).unwrap_or(usize::MAX)) {
        if control.is_cancelled() {
            return FindOutcome::Stopped;
        }
        let mut rng = Random::for_trial(settings.seed, attempt);
        let start = start.unwrap_or_else(|| {
            if attempt == 0 { preferred_start(board, &squares) } else { squares[rng.below(squares.len())] }
        });
        let route = WalkRequest {
            start,
            end,
            closed: goal.closed,
            open: goal.open,
            max_backtracks: settings.max_backtracks,
            randomness: match attempt {
                0..FIRST_RANDOM_ATTEMPT => Randomness::None,
                _ if attempt < FIRST_STRAYING_ATTEMPT => Randomness::Ties,
                _ => Randomness::StrayingTies,
            },
            attempt,
        };
        if walker.walk(settings.rule, &route, &mut rng) {
            let mut squares = walker.squares();
            if reverses {
                squares.reverse();
            }
            if rotates {
                rotate_to_ends(&mut squares, goal);
            }
            let by = FindMethod::Rule { rule: settings.rule, attempt: attempt + 1 };
            if let Ok(outcome) = checked_outcome(request, squares, by) {
                return outcome;
            }
        }
    }
    FindOutcome::GaveUp { attempts: settings.attempts }
}

/// Returns the squares on which a tour can begin, judged by their colour.
fn possible_starts(board: &Rectangle, leaper: Leaper) -> Vec<Square> {
    let fits = |square: &Square| {
        let goal = SquareGoal { start: Some(*square), ..SquareGoal::default() };
        rectangle_obstacle(board, leaper, &goal).is_none()
    };
    // One square of each colour stands for all squares of this colour.
    let dark = board.squares().find(|square| square.is_dark()).is_some_and(|square| fits(&square));
    let light = board.squares().find(|square| !square.is_dark()).is_some_and(|square| fits(&square));
    board.squares().filter(|square| if square.is_dark() { dark } else { light }).collect()
}

/// Returns the corner at the top left if it is in `squares`, otherwise the first square of
/// `squares`.
fn preferred_start(board: &Rectangle, squares: &[Square]) -> Square {
    let corner = Square::new(0, board.rows() - 1);
    if squares.contains(&corner) { corner } else { squares[0] }
}

fn find_by_construction(request: &RectangleRequest<'_>, control: &Control) -> Option<FindOutcome> {
    let (rows, cols) = (usize::from(request.board.rows()), usize::from(request.board.cols()));
    let narrow = rows.min(cols) <= 4;
    if narrow {
        return find_on_narrow_board(request);
    }
    let by_blocks = |goal: TourGoal, seed: u64| {
        if control.is_cancelled() {
            return Some(FindOutcome::Stopped);
        }
        let vertices = build_block_tour(rows, cols, goal, seed)?;
        checked_outcome(request, to_rotated_squares(request, vertices), FindMethod::Blocks).ok()
    };
    let outcome = path_goals(request)
        .enumerate()
        .find_map(|(i, goal)| by_blocks(goal, request.request.seed ^ (i as u64) << 32));
    if outcome.is_none() && rows.min(cols) == 5 { find_on_narrow_board(request) } else { outcome }
}

/// Returns the goals to try one after another. An open tour is sought as a path whose explicit ends
/// are not a move apart.
fn path_goals<'a>(request: &'a RectangleRequest<'_>) -> Box<dyn Iterator<Item = TourGoal> + 'a> {
    let RectangleRequest { board, goal, .. } = request;
    let (n, cols) = (board.len(), usize::from(board.cols()));
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let (start, end) = (goal.start.map(index), goal.end.map(index));
    // A closed tour with both ends fixed is a path between neighbours.
    let closed = goal.closed && (start.is_none() || end.is_none());
    let plain = if closed {
        TourGoal { closed, ..TourGoal::default() }
    } else if n % 2 == 0 && !goal.open && start.is_some() != end.is_some() {
        // Any closed tour will do, rotated to the fixed end.
        TourGoal { closed: true, ..TourGoal::default() }
    } else {
        TourGoal { start, end, ..TourGoal::default() }
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
        let fits = a.is_dark() != b.is_dark() && !Leaper::KNIGHT.can_move(a, b);
        fits.then_some(TourGoal { start: Some(from), end: Some(to), ..TourGoal::default() })
    }))
}

/// Converts vertices, numbered row by row, to squares. A closed tour is rotated to its requested
/// start or end.
fn to_rotated_squares(request: &RectangleRequest<'_>, vertices: Vec<u32>) -> Vec<Square> {
    let cols = u32::from(request.board.cols());
    let mut squares: Vec<Square> =
        vertices.into_iter().map(|v| Square::new((v % cols) as u16, (v / cols) as u16)).collect();
    rotate_to_ends(&mut squares, &request.goal);
    squares
}

/// Rotates a closed tour so that it begins at its requested start or, without a requested start,
/// ends at its requested end.
fn rotate_to_ends(squares: &mut [Square], goal: &SquareGoal) {
    let at = |end: Square, squares: &[Square]| squares.iter().position(|&square| square == end).unwrap_or(0);
    match (goal.start, goal.end) {
        (Some(start), _) => squares.rotate_left(at(start, squares)),
        (None, Some(end)) if squares.last() != Some(&end) => squares.rotate_left(at(end, squares) + 1),
        _ => {}
    }
}

/// Builds a tour of a piece that moves by single squares: a comb or a winding path. Returns `None`
/// if neither meets the request.
fn find_by_comb(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let RectangleRequest { board, leaper, goal, .. } = request;
    let cols = usize::from(board.cols());
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let (start, end) = (goal.start.map(index), goal.end.map(index));
    let tour_goal = TourGoal { closed: goal.closed, open: goal.open, start, end };
    let sides = (usize::from(board.rows()), cols);
    let tour =
        wazir_tour_on_board(request.request.tours.board(), sides, Wrap::None, &(*leaper).into(), tour_goal)?;
    Some(FindOutcome::Found { tour, method: FindMethod::Comb })
}

/// Builds a tour of a large board with holes: searches around the holes and merges blocks
/// elsewhere. Returns `None` if all attempts failed.
fn find_around_holes(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let RectangleRequest { board, goal, .. } = request;
    let cols = usize::from(board.cols());
    let index = |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let closed = goal.closed && (goal.start.is_none() || goal.end.is_none());
    let named = |end: Option<Square>| if closed { None } else { end.map(index) };
    let tour_goal = TourGoal { closed, open: goal.open, start: named(goal.start), end: named(goal.end) };
    let vertices = build_tour_around_holes(board, tour_goal, request.request.seed)?;
    checked_outcome(request, to_rotated_squares(request, vertices), FindMethod::Blocks).ok()
}

/// Decides exactly whether a narrow board has the requested tour, by a sweep along its longer side.
/// Returns `None` if the goals tried leave this open.
fn find_on_narrow_board(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let (rows, cols) = (usize::from(request.board.rows()), usize::from(request.board.cols()));
    let (short, long) = (rows.min(cols), rows.max(cols));
    let upright = cols == short;
    let to_strip = |v: usize| if upright { v } else { v % cols * rows + v / cols };
    let to_board = |v: u32| {
        let v = v as usize;
        (if upright { v } else { v % rows * cols + v / rows }) as u32
    };
    let mut proved = true;
    for goal in narrow_board_goals(request) {
        let turned = TourGoal { start: goal.start.map(to_strip), end: goal.end.map(to_strip), ..goal };
        match solve_narrow_board(short, long, turned) {
            SearchOutcome::Tour(vertices) => {
                let vertices = vertices.into_iter().map(to_board).collect();
                let squares = to_rotated_squares(request, vertices);
                let joined = Leaper::KNIGHT.can_move(squares[0], squares[squares.len() - 1]);
                if !request.goal.open || !joined {
                    return checked_outcome(request, squares, FindMethod::NarrowBoard).ok();
                }
                proved = false;
            }
            SearchOutcome::Impossible => {
                if !request.goal.open || proved {
                    return Some(FindOutcome::Impossible(Obstacle::SearchExhausted));
                }
            }
            SearchOutcome::GaveUp => return None,
        }
    }
    None
}

/// Returns the goals to try one after another. The first is the requested goal. For an open tour,
/// goals with explicit ends follow, because the first tour may be re-entrant.
fn narrow_board_goals<'a>(request: &'a RectangleRequest<'_>) -> impl Iterator<Item = TourGoal> + 'a {
    let SquareGoal { closed, start, end, open } = request.goal;
    let cols = usize::from(request.board.cols());
    let index = move |square: Square| usize::from(square.rank()) * cols + usize::from(square.file());
    let closed = closed && (start.is_none() || end.is_none());
    let (start, end) = if closed { (None, None) } else { (start.map(index), end.map(index)) };
    let plain = TourGoal { closed, start, end, open: false };
    std::iter::once(plain).chain(path_goals(request).filter(move |_| open))
}

fn find_by_search(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    if request.board.len() > MAX_SEARCH_SQUARES {
        return FindOutcome::GaveUp { attempts: 0 };
    }
    find_by_complete_search(request.request, control)
}

/// Greatest number of squares up to which boards are only searched: the search finds tours of more
/// kinds than the constructions.
const MAX_SEARCH_ONLY_SQUARES: usize = 256;

/// Looks for a tour of any board or graph: by a construction on large boards, otherwise by the complete
/// search. For rectangles with one leaper, `find_on_rectangle` has more constructions.
pub(super) fn find_in_graph(request: &FindRequest, control: &Control) -> FindOutcome {
    let board = request.tours.board();
    if board.is_empty() {
        return FindOutcome::Impossible(Obstacle::Empty);
    }
    match construct_tour(board, request.goal(), request.seed, control) {
        Some((tour, by)) => FindOutcome::Found { tour, method: by },
        None => find_by_complete_search(request, control),
    }
}

/// Constructs a tour of a large board without holes. Returns `None` if no construction fits.
fn construct_tour(board: &Board, goal: TourGoal, seed: u64, control: &Control) -> Option<(Tour, FindMethod)> {
    let lattice = board.lattice_board().filter(|lattice| lattice.is_full())?;
    if board.len() <= MAX_SEARCH_ONLY_SQUARES {
        return None;
    }
    let (wrap, piece) = (lattice.wrap(), lattice.piece());
    let rectangle = match lattice.sides() {
        BoardSides::Rectangle(rectangle) => rectangle,
        BoardSides::Box(sides) => {
            let tour = wazir_tour_in_box(board, sides.lengths(), piece, goal)?;
            return Some((tour, FindMethod::Comb));
        }
    };
    let sides = (usize::from(rectangle.rows()), usize::from(rectangle.cols()));
    if let Some(tour) = wazir_tour_on_board(board, sides, wrap, piece, goal) {
        return Some((tour, FindMethod::Comb));
    }
    if !piece.leapers().contains(&Leaper::KNIGHT) {
        return None;
    }
    let request = FindRequest { seed, ..FindRequest::for_goal(rectangle.clone().into(), goal).ok()? };
    let FindOutcome::Found { tour, method: by } =
        find_on_rectangle(&RectangleRequest::new(&request)?, control)
    else {
        return None;
    };
    Some((to_tour_for_goal(board, tour.vertices().to_vec(), goal)?, by))
}

/// Looks for a tour of a board or graph by the complete search, with proofs that no tour exists
/// before and after the first trial. The graph must have a vertex.
pub(super) fn find_by_complete_search(request: &FindRequest, control: &Control) -> FindOutcome {
    let (board, goal) = (request.tours.board(), request.goal());
    let FindRequest { seed, attempts, .. } = request;
    if let Some(obstacle) = graph_obstacle(board, goal) {
        return FindOutcome::Impossible(obstacle);
    }
    let graph = board.graph();
    let decisions = attempts.saturating_mul(DECISIONS_PER_ATTEMPT);
    let mut found = solve_under(graph, goal, *seed, decisions.min(first_trial_decisions(graph)), control);
    if !matches!(found, SearchOutcome::Tour(_)) {
        if let Some(obstacle) = matching_obstacle(board, goal) {
            return FindOutcome::Impossible(obstacle);
        }
        if found == SearchOutcome::GaveUp {
            found = solve_under(graph, goal, *seed, decisions, control);
        }
    }
    let made = |vertices| {
        let tour = Tour::new(board, vertices)?;
        if goal.closed { tour.into_closed() } else { Ok(tour) }
    };
    match found {
        SearchOutcome::Tour(vertices) => {
            made(vertices).map_or(FindOutcome::GaveUp { attempts: *attempts }, |tour| FindOutcome::Found {
                tour,
                method: FindMethod::Search,
            })
        }
        SearchOutcome::Impossible => FindOutcome::Impossible(Obstacle::SearchExhausted),
        SearchOutcome::GaveUp if control.is_cancelled() => FindOutcome::Stopped,
        SearchOutcome::GaveUp => FindOutcome::GaveUp { attempts: *attempts },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tour::TourKind;

    #[test]
    fn construct_tour_gives_every_kind_on_large_boards() {
        for text in [
            "board=20x20 wrap=torus piece=1,2 remove=-",
            "board=21x31 wrap=cols piece=1,2 remove=-",
            "board=18x17 wrap=projective piece=1,2+1,3 remove=-",
            "board=17x17 piece=0,1+1,1 remove=-",
            "board=17x17 wrap=torus piece=0,1 remove=-",
            "board=16x18 wrap=klein piece=0,1 remove=-",
            "board=17x19 wrap=mobius piece=0,1 remove=-",
            "board=19x17 wrap=projective piece=0,1 remove=-",
            "board=7x7x6 piece=0,1 remove=-",
            "board=7x8x9 piece=0,1 remove=-",
            "board=7x7x7 piece=0,1+1,1 remove=-",
        ] {
            let board: Board = text.parse().unwrap();
            let found = |goal| construct_tour(&board, goal, 1, &Control::new()).map(|(tour, _)| tour);
            let odd = text.contains("21x31");
            let closed = found(TourGoal { closed: true, start: Some(40), ..TourGoal::default() });
            assert_eq!(closed.is_some(), !odd, "{text}");
            assert!(closed.is_none_or(|tour| tour.vertices()[0] == 40));
            let open = found(TourGoal { open: true, ..TourGoal::default() }).unwrap();
            assert_eq!(open.kind(), TourKind::Open, "{text}");
            let from = found(TourGoal { open: !odd, start: Some(40), ..TourGoal::default() });
            assert!(from.is_some_and(|tour| tour.vertices()[0] == 40), "{text}");
            let to = found(TourGoal { end: Some(40), ..TourGoal::default() }).unwrap();
            assert_eq!(to.vertices().last(), Some(&40), "{text}");
        }
    }
}
