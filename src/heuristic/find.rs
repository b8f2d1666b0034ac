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
use super::cycle_search::{DECISIONS_PER_ATTEMPT, SearchOutcome, first_trial_decisions, solve};
use super::degree_grid::{Randomness, WalkRequest};
use super::find_request::{
    FindMethod, FindOutcome, FindRequest, MAX_FIND_SQUARES, MAX_SEARCH_VERTICES, RectangleRequest,
};
use super::matching_obstacles::matching_obstacle;
use super::narrow_board::solve_narrow_board;
use super::obstacles::{Obstacle, graph_obstacle, rectangle_obstacle};
use super::rule_walk::RuleWalker;
use super::step_orders::SINGLE_ORDER_COUNT;
use super::wazir_tour::{to_requested_tour, wazir_tour_in_box, wazir_tour_on_board};
use crate::board::{Board, BoardSides, Leaper, Rectangle, Square, Vertex, Wrap};
use crate::control::Control;
use crate::random::Random;
use crate::tour::{Kind, Tour, TourError, TourSpec};

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
/// If the board has more than [`MAX_FIND_SQUARES`] squares, or if a rule or an order of steps is requested for anything but a rectangle with one leaper.
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
    match RectangleRequest::new(request) {
        Some(on_board) => find_on_rectangle(&on_board, control),
        None => {
            let is_plain = request.rule.is_auto() && request.step_order.is_none();
            let title = request.tours.board().title();
            assert!(is_plain, "rules need a rectangle with one leaper, not {title}");
            find_in_graph(request, control)
        }
    }
}

/// Returns a proof without a search that none of the tours exists, as [`find()`] reports it; `None` if there
/// may be one. Cost O(edges x sqrt(vertices)).
#[must_use]
pub fn find_obstacle(tours: &TourSpec) -> Option<Obstacle> {
    if tours.board().is_empty() {
        return Some(Obstacle::Empty);
    }
    rectangle_obstacle(tours).or_else(|| graph_obstacle(tours)).or_else(|| matching_obstacle(tours))
}

/// Number of the first attempt in which a rule makes random choices. Earlier attempts are the same
/// for every seed.
pub const FIRST_RANDOM_ATTEMPT: u64 = SINGLE_ORDER_COUNT + 1;
/// Number of the first attempt in which a walk departs from the rule now and then.
const FIRST_STRAYING_ATTEMPT: u64 = 100;
/// Greatest number of squares up to which a board with holes, or with another leaper than the
/// knight, is searched as a whole.
const MAX_WHOLE_SEARCH_SQUARES: usize = 1 << 11;

/// Looks for a tour of a rectangle with one leaper, until the control is cancelled.
pub(super) fn find_on_rectangle(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    let RectangleRequest { board, leaper, .. } = request;
    assert!(board.len() <= MAX_FIND_SQUARES, "{board} is too large");
    if let Some(obstacle) = rectangle_obstacle(&request.request.tours) {
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
    let tour = if request.request.tours.kind() == Kind::Closed { tour.into_closed()? } else { tour };
    Ok(FindOutcome::Found { tour, method: by })
}

fn find_by_rule(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    let RectangleRequest { request: settings, board, leaper } = request;
    let tours = &settings.tours;
    let square = |v: Vertex| board.square(v);
    let mut walker = RuleWalker::new(board, *leaper, settings.step_order.as_deref());
    // A closed tour visits every square, so the walk starts anywhere and the tour is rotated. A path with
    // only its end fixed is walked from that end.
    let rotates = tours.kind() == Kind::Closed;
    let (start, end, reverses) = match (tours.start(), tours.end()) {
        _ if rotates => (None, None, false),
        (None, Some(end)) => (Some(square(end)), None, true),
        (start, end) => (start.map(square), end.map(square), false),
    };
    let squares: Vec<Square> = if start.is_some() { Vec::new() } else { possible_starts(request) };
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
            closed: rotates,
            open: tours.kind() == Kind::Open,
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
                rotate_to_ends(&mut squares, request);
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
fn possible_starts(request: &RectangleRequest<'_>) -> Vec<Square> {
    let RectangleRequest { request: settings, board, .. } = request;
    let fits = |square: &Square| {
        let paths = TourSpec::all(settings.tours.board().clone(), Kind::Paths);
        paths.with_ends(board.index(*square), None).is_ok_and(|paths| rectangle_obstacle(&paths).is_none())
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
    let by_blocks = |tours: TourSpec, seed: u64| {
        if control.is_cancelled() {
            return Some(FindOutcome::Stopped);
        }
        let vertices = build_block_tour(request.board, &tours, seed)?;
        checked_outcome(request, to_rotated_squares(request, vertices), FindMethod::Blocks).ok()
    };
    let outcome = block_tour_specs(request)
        .enumerate()
        .find_map(|(i, tours)| by_blocks(tours, request.request.seed ^ (i as u64) << 32));
    if outcome.is_none() && rows.min(cols) == 5 { find_on_narrow_board(request) } else { outcome }
}

/// Returns the tours to seek one after another, on a full rectangle. An open tour is sought as a path whose
/// explicit ends are not a move apart.
fn block_tour_specs<'a>(request: &'a RectangleRequest<'_>) -> Box<dyn Iterator<Item = TourSpec> + 'a> {
    let (board, tours) = (request.board, &request.request.tours);
    let (n, cols) = (board.len(), usize::from(board.cols()));
    let (kind, start, end) = (tours.kind(), tours.start(), tours.end());
    let (is_open, is_even) = (kind == Kind::Open, n % 2 == 0);
    let spec = |kind, start, end| TourSpec::new(tours.board().clone(), kind, start, end).ok();
    if !is_open || !is_even || (start.is_some() && end.is_some()) {
        // Any closed tour is a path too, and can be rotated to a fixed end.
        let is_rotated = kind == Kind::Closed || (!is_open && is_even && start.is_some() != end.is_some());
        let plain = if is_rotated { spec(Kind::Closed, None, None) } else { spec(Kind::Paths, start, end) };
        return Box::new(plain.into_iter());
    }
    // On an even board, fix the missing ends: squares of the right colours that are not a move apart.
    let mut rng = Random::new(request.request.seed);
    Box::new((0..64).filter_map(move |i| {
        let mut random = || rng.below(n) as Vertex;
        let (from, to) = match (start, end) {
            (Some(from), _) => (from, random()),
            (_, Some(to)) => (random(), to),
            _ if i == 0 => (0, (n - cols + (n / cols) % 2 * (cols - 1)) as Vertex),
            _ => (random(), random()),
        };
        let (a, b) = (board.square(from), board.square(to));
        let fits = a.is_dark() != b.is_dark() && !Leaper::KNIGHT.can_move(a, b);
        if fits { spec(Kind::Paths, Some(from), Some(to)) } else { None }
    }))
}

/// Converts vertices, numbered row by row, to squares. A closed tour is rotated to its requested
/// start or end.
fn to_rotated_squares(request: &RectangleRequest<'_>, vertices: Vec<u32>) -> Vec<Square> {
    let cols = u32::from(request.board.cols());
    let mut squares: Vec<Square> =
        vertices.into_iter().map(|v| Square::new((v % cols) as u16, (v / cols) as u16)).collect();
    rotate_to_ends(&mut squares, request);
    squares
}

/// Rotates a closed tour so that it begins at its requested start or, without a requested start,
/// ends at its requested end.
fn rotate_to_ends(squares: &mut [Square], request: &RectangleRequest<'_>) {
    let at = |end: Square, squares: &[Square]| squares.iter().position(|&square| square == end).unwrap_or(0);
    let tours = &request.request.tours;
    match [tours.start(), tours.end()].map(|end| end.map(|v| request.board.square(v))) {
        [Some(start), _] => squares.rotate_left(at(start, squares)),
        [None, Some(end)] if squares.last() != Some(&end) => squares.rotate_left(at(end, squares) + 1),
        _ => {}
    }
}

/// Builds a tour of a piece that moves by single squares: a comb or a winding path. Returns `None`
/// if neither meets the request.
fn find_by_comb(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let RectangleRequest { board, leaper, .. } = request;
    let sides = (usize::from(board.rows()), usize::from(board.cols()));
    let tour = wazir_tour_on_board(&request.request.tours, sides, Wrap::None, &(*leaper).into())?;
    Some(FindOutcome::Found { tour, method: FindMethod::Comb })
}

/// Builds a tour of a large board with holes: searches around the holes and merges blocks
/// elsewhere. Returns `None` if all attempts failed.
fn find_around_holes(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let FindRequest { tours, seed, .. } = request.request;
    let vertices = build_tour_around_holes(request.board, tours, *seed)?;
    checked_outcome(request, to_rotated_squares(request, vertices), FindMethod::Blocks).ok()
}

/// Decides exactly whether a narrow board has the requested tour, by a sweep along its longer side.
/// Returns `None` if the tours sought leave this open.
fn find_on_narrow_board(request: &RectangleRequest<'_>) -> Option<FindOutcome> {
    let (rows, cols) = (usize::from(request.board.rows()), usize::from(request.board.cols()));
    let (short, long) = (rows.min(cols), rows.max(cols));
    let upright = cols == short;
    let to_strip = |v: Vertex| {
        let v = v as usize;
        (if upright { v } else { v % cols * rows + v / cols }) as Vertex
    };
    let to_board = |v: u32| {
        let v = v as usize;
        (if upright { v } else { v % rows * cols + v / rows }) as u32
    };
    let upright_board = Rectangle::new(long as u16, short as u16).ok()?;
    let strip = Board::from_leaper(upright_board.clone(), Leaper::KNIGHT);
    let is_open = request.request.tours.kind() == Kind::Open;
    let mut proved = true;
    for tours in narrow_board_specs(request) {
        let [start, end] = [tours.start(), tours.end()].map(|end| end.map(to_strip));
        let turned = TourSpec::new(strip.clone(), tours.kind(), start, end).ok()?;
        match solve_narrow_board(&upright_board, &turned) {
            SearchOutcome::Tour(vertices) => {
                let vertices = vertices.into_iter().map(to_board).collect();
                let squares = to_rotated_squares(request, vertices);
                let joined = Leaper::KNIGHT.can_move(squares[0], squares[squares.len() - 1]);
                if !is_open || !joined {
                    return checked_outcome(request, squares, FindMethod::NarrowBoard).ok();
                }
                proved = false;
            }
            SearchOutcome::Impossible => {
                if !is_open || proved {
                    return Some(FindOutcome::Impossible(Obstacle::SearchExhausted));
                }
            }
            SearchOutcome::GaveUp => return None,
        }
    }
    None
}

/// Returns the tours to seek one after another: first the requested ones. For an open tour, paths with explicit
/// ends follow, because the first tour may be re-entrant.
fn narrow_board_specs<'a>(request: &'a RectangleRequest<'_>) -> impl Iterator<Item = TourSpec> + 'a {
    let tours = &request.request.tours;
    let is_open = tours.kind() == Kind::Open;
    std::iter::once(tours.clone()).chain(block_tour_specs(request).filter(move |_| is_open))
}

fn find_by_search(request: &RectangleRequest<'_>, control: &Control) -> FindOutcome {
    if request.board.len() > MAX_SEARCH_VERTICES {
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
    match construct_tour(&request.tours, request.seed, control) {
        Some((tour, by)) => FindOutcome::Found { tour, method: by },
        None => find_by_complete_search(request, control),
    }
}

/// Constructs a tour of a large board without holes. Returns `None` if no construction fits.
fn construct_tour(tours: &TourSpec, seed: u64, control: &Control) -> Option<(Tour, FindMethod)> {
    let board = tours.board();
    let lattice = board.lattice_board().filter(|lattice| lattice.is_full())?;
    if board.len() <= MAX_SEARCH_ONLY_SQUARES {
        return None;
    }
    let (wrap, piece) = (lattice.wrap(), lattice.piece());
    let rectangle = match lattice.sides() {
        BoardSides::Rectangle(rectangle) => rectangle,
        BoardSides::Box(sides) => {
            let tour = wazir_tour_in_box(tours, sides.lengths(), piece)?;
            return Some((tour, FindMethod::Comb));
        }
    };
    let sides = (usize::from(rectangle.rows()), usize::from(rectangle.cols()));
    if let Some(tour) = wazir_tour_on_board(tours, sides, wrap, piece) {
        return Some((tour, FindMethod::Comb));
    }
    if !piece.leapers().contains(&Leaper::KNIGHT) {
        return None;
    }
    let (kind, start, end) = (tours.kind(), tours.start(), tours.end());
    let on_rectangle = TourSpec::new(rectangle.clone().into(), kind, start, end).ok()?;
    let request = FindRequest { seed, ..FindRequest::new(on_rectangle) };
    let FindOutcome::Found { tour, method: by } =
        find_on_rectangle(&RectangleRequest::new(&request)?, control)
    else {
        return None;
    };
    Some((to_requested_tour(tours, tour.into_vertices())?, by))
}

/// Looks for a tour of a board or graph by the complete search, with proofs that no tour exists
/// before and after the first trial. The graph must have a vertex.
pub(super) fn find_by_complete_search(request: &FindRequest, control: &Control) -> FindOutcome {
    let FindRequest { tours, seed, attempts, .. } = request;
    if let Some(obstacle) = graph_obstacle(tours) {
        return FindOutcome::Impossible(obstacle);
    }
    let graph = tours.board().graph();
    let decisions = attempts.saturating_mul(DECISIONS_PER_ATTEMPT);
    let mut found = solve(tours, *seed, decisions.min(first_trial_decisions(graph)), control);
    if !matches!(found, SearchOutcome::Tour(_)) {
        if let Some(obstacle) = matching_obstacle(tours) {
            return FindOutcome::Impossible(obstacle);
        }
        if found == SearchOutcome::GaveUp {
            found = solve(tours, *seed, decisions, control);
        }
    }
    match found {
        SearchOutcome::Tour(vertices) => {
            tours.checked_tour(vertices).map_or(FindOutcome::GaveUp { attempts: *attempts }, |tour| {
                FindOutcome::Found { tour, method: FindMethod::Search }
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
            let found = |kind, start, end| {
                let tours = TourSpec::new(board.clone(), kind, start, end).unwrap();
                construct_tour(&tours, 1, &Control::new()).map(|(tour, _)| tour)
            };
            let odd = text.contains("21x31");
            let closed = found(Kind::Closed, Some(40), None);
            assert_eq!(closed.is_some(), !odd, "{text}");
            assert!(closed.is_none_or(|tour| tour.vertices()[0] == 40));
            let open = found(Kind::Open, None, None).unwrap();
            assert_eq!(open.kind(), TourKind::Open, "{text}");
            let from = found(if odd { Kind::Paths } else { Kind::Open }, Some(40), None);
            assert!(from.is_some_and(|tour| tour.vertices()[0] == 40), "{text}");
            let to = found(Kind::Paths, None, Some(40)).unwrap();
            assert_eq!(to.vertices().last(), Some(&40), "{text}");
        }
    }
}
