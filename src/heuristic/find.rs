//! Finds one tour of any board or graph.
//!
//! ```text
//! FindRequest -> rectangle with one leaper  -> theorems, rules, constructions, search
//!             -> any other board or graph   -> constructions for large boards, search
//! ```
//!
//! Every tour is checked before it is returned.

use crate::control::Control;

use super::find_in_graph::find_in_graph;
use super::find_on_rectangle::find_on_rectangle;
use super::find_request::{FindOutcome, FindRequest, RectangleRequest};
use super::rule::Rule;

/// Looks for a tour. Equal requests have equal results.
///
/// ```
/// use ktour::board::{Board, Graph};
/// use ktour::heuristic::{FindOutcome, FindRequest, TourGoal, find};
///
/// let cube = (0..8).flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit))).filter(|(v, w)| v < w);
/// let closed = TourGoal { closed: true, ..TourGoal::default() };
/// for board in ["8x8".parse()?, Board::from_graph(Graph::from_edges(8, cube))] {
///     let request = FindRequest { goal: closed, ..FindRequest::new(board) };
///     assert!(matches!(find(&request), FindOutcome::Found { .. }));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If a requested end is not a vertex, if the board has more than
/// [`MAX_FIND_SQUARES`](super::MAX_FIND_SQUARES) squares, or if a rule or an order of steps is requested for
/// anything but a rectangle with one leaper.
#[must_use]
pub fn find(request: &FindRequest) -> FindOutcome {
    find_under(request, &Control::new())
}

/// Looks for a tour as [`find()`] does, until the control is cancelled. Cancellation takes effect at once in
/// the complete search, elsewhere between attempts and constructions.
///
/// # Panics
/// See [`find()`].
#[must_use]
pub fn find_under(request: &FindRequest, control: &Control) -> FindOutcome {
    let FindRequest { board, goal: want, .. } = request;
    let ends = [want.start, want.end].into_iter().flatten();
    ends.for_each(|end| assert!(end < board.len(), "{end} is not a vertex of {}", board.title()));
    match RectangleRequest::new(request) {
        Some(on_board) => find_on_rectangle(&on_board, control),
        None => {
            let is_plain = request.rule == Rule::Auto && request.step_order.is_none();
            assert!(is_plain, "rules need a rectangle with one leaper, not {}", board.title());
            find_in_graph(request, control)
        }
    }
}
