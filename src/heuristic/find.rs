//! The door: a tour of any arena.
//!
//! ```text
//! FindRequest -> a rectangle of one leaper   `plain`: theorems, rules, constructions, search
//!             -> anything else               `anywhere`: what is known of large boards, search
//! ```
//!
//! Every tour is checked again before it is handed out.

use crate::control::Control;

use super::anywhere::find_anywhere;
use super::plain::find_on_board;
use super::request::{FindRequest, OnBoard, Outcome};
use super::rule::Rule;

/// Looks for a tour. The same request has the same outcome, always.
///
/// ```
/// use ktour::board::{Arena, Graph};
/// use ktour::heuristic::{FindRequest, Outcome, Want, find};
///
/// let cube = (0..8).flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit))).filter(|(v, w)| v < w);
/// let closed = Want { closed: true, ..Want::default() };
/// for arena in ["8x8".parse()?, Arena::from_graph(Graph::from_edges(8, cube))] {
///     let request = FindRequest { want: closed, ..FindRequest::new(arena) };
///     assert!(matches!(find(&request), Outcome::Found { .. }));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If a wanted end is not a vertex, the board has more than [`MAX_SQUARES`](super::MAX_SQUARES), or a rule or an
/// order of moves is asked for elsewhere than on a rectangle of one leaper.
#[must_use]
pub fn find(request: &FindRequest) -> Outcome {
    find_under(request, &Control::new())
}

/// The same as [`find()`], until the control is cancelled: between the attempts of a rule and the constructions, and
/// in the complete search at once.
///
/// # Panics
/// As there.
#[must_use]
pub fn find_under(request: &FindRequest, control: &Control) -> Outcome {
    let FindRequest { arena, want, .. } = request;
    let ends = [want.start, want.end].into_iter().flatten();
    ends.for_each(|end| assert!(end < arena.len(), "{end} is no vertex of {}", arena.title()));
    match OnBoard::of(request) {
        Some(on_board) => find_on_board(&on_board, control),
        None => {
            let is_plain = request.rule == Rule::Auto && request.moves.is_none();
            assert!(is_plain, "rules walk on rectangles of one leaper, {} is none", arena.title());
            find_anywhere(request, control)
        }
    }
}
