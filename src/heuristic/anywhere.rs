//! Tours of any arena: large boards with joined edges, or of several leapers, on which more than a search is known,
//! and the search.
//!
//! ```text
//! wazir among the moves      a comb, or a path that winds (`comb`)
//! knight among the moves     a tour of the plain board is one of the wrapped board
//! anything else              the complete search with restarts
//! ```

use crate::board::{Arena, Leaper};
use crate::control::Control;
use crate::tour::Tour;

use super::find::{DECISIONS, find_under};
use super::request::{FindRequest, Means, Outcome};
use super::solve::{Solved, Want, solve_under};
use super::theorem::{Goal, Obstacle};
use super::winding::{arranged, combed};

/// Smaller boards are searched, which finds tours of more kinds.
const SMALL: usize = 256;

/// Looks for a tour of any arena, on large boards by what is known of them, elsewhere by the complete search: `want`
/// names vertices, `attempts` are portions of the search. A board is better looked at by
/// [`find`](crate::heuristic::find()), which knows more of it.
///
/// ```
/// use ktour::board::{Arena, Graph};
/// use ktour::control::Control;
/// use ktour::heuristic::{Outcome, Want, find_in};
///
/// let cube = (0..8).flat_map(|v| [1, 2, 4].map(|bit| (v, v ^ bit))).filter(|(v, w)| v < w);
/// let cube = Arena::from_graph(Graph::from_edges(8, cube));
/// let want = Want { closed: true, ..Want::default() };
/// assert!(matches!(find_in(&cube, want, 0, 1, &Control::new()), Outcome::Found { .. }));
/// ```
///
/// # Panics
/// If a wanted end is not a vertex.
#[must_use]
pub fn find_in(arena: &Arena, want: Want, seed: u64, attempts: u64, control: &Control) -> Outcome {
    let ends = [want.start, want.end].into_iter().flatten();
    ends.for_each(|end| assert!(end < arena.len(), "{end} is no vertex of {}", arena.title()));
    let made = |vertices| {
        let tour = Tour::new(arena, vertices)?;
        if want.closed { tour.into_closed() } else { Ok(tour) }
    };
    if let Some((tour, by)) = known(arena, want, seed, control) {
        return Outcome::Found { tour, by };
    }
    match solve_under(arena.graph(), want, seed, attempts.saturating_mul(DECISIONS), control) {
        Solved::Tour(vertices) => made(vertices)
            .map_or(Outcome::GaveUp { attempts }, |tour| Outcome::Found { tour, by: Means::Search }),
        Solved::Impossible => Outcome::Impossible(Obstacle::Searched),
        Solved::GaveUp if control.is_cancelled() => Outcome::Stopped,
        Solved::GaveUp => Outcome::GaveUp { attempts },
    }
}

/// A tour of an arena as wanted, if it is a large board without holes and one is known.
fn known(arena: &Arena, want: Want, seed: u64, control: &Control) -> Option<(Tour, Means)> {
    let surface = arena.surface()?;
    let (board, wrap) = (surface.board(), surface.wrap());
    if board.len() <= SMALL || !board.removed().is_empty() {
        return None;
    }
    let sides = (usize::from(board.rows()), usize::from(board.cols()));
    if let Some(tour) = combed(arena, sides, wrap, surface.piece(), want) {
        return Some((tour, Means::Comb));
    }
    if !surface.piece().leapers().contains(&Leaper::KNIGHT) {
        return None;
    }
    let square = |v: usize| board.square(v as u32);
    let (start, end) = (want.start.map(square), want.end.map(square));
    let goal = Goal { closed: want.closed, open: want.apart, start, end };
    let request = FindRequest { goal, seed, ..FindRequest::new(board.clone()) };
    let Outcome::Found { tour, by } = find_under(&request, control) else { return None };
    Some((arranged(arena, tour.vertices().to_vec(), want)?, by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tour::TourKind;

    #[test]
    fn large_boards_have_tours_of_every_kind_at_once() {
        for text in [
            "board=20x20 wrap=torus piece=1,2 remove=-",
            "board=21x31 wrap=cols piece=1,2 remove=-",
            "board=18x17 wrap=projective piece=1,2+1,3 remove=-",
            "board=17x17 piece=0,1+1,1 remove=-",
            "board=17x17 wrap=torus piece=0,1 remove=-",
            "board=16x18 wrap=klein piece=0,1 remove=-",
        ] {
            let arena: Arena = text.parse().unwrap();
            let found = |want| known(&arena, want, 1, &Control::new()).map(|(tour, _)| tour);
            let odd = text.contains("21x31");
            let closed = found(Want { closed: true, start: Some(40), ..Want::default() });
            assert_eq!(closed.is_some(), !odd, "{text}");
            assert!(closed.is_none_or(|tour| tour.vertices()[0] == 40));
            let open = found(Want { apart: true, ..Want::default() }).unwrap();
            assert_eq!(open.kind(), TourKind::Open, "{text}");
            let from = found(Want { apart: !odd, start: Some(40), ..Want::default() });
            assert!(from.is_some_and(|tour| tour.vertices()[0] == 40), "{text}");
            let to = found(Want { end: Some(40), ..Want::default() }).unwrap();
            assert_eq!(to.vertices().last(), Some(&40), "{text}");
        }
    }
}
