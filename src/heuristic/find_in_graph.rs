//! Tours of boards and graphs other than rectangles with one leaper. Large boards with joined edges, boxes
//! and boards with several leapers have direct constructions; the rest is searched.
//!
//! ```text
//! wazir among the moves      a comb or a winding path, in boxes too
//! knight among the moves     a tour of the plain board is one of the wrapped board
//! any other                  the complete search with restarts
//! ```

use crate::board::{Board, Leaper};
use crate::control::Control;
use crate::tour::Tour;

use super::complete_search::find_by_complete_search;
use super::cycle_search::TourGoal;
use super::find_on_rectangle::find_on_rectangle;
use super::find_request::{FindMethod, FindOutcome, FindRequest, RectangleRequest};
use super::obstacles::Obstacle;
use super::wazir_tour::{to_tour_for_goal, wazir_tour_in_box, wazir_tour_on_board};

/// Boards of at most this many squares are searched, which finds tours of more kinds than the constructions.
const MAX_SEARCH_ONLY_SQUARES: usize = 256;

/// Looks for a tour of any board or graph: by a construction on large boards, otherwise by the complete
/// search. For rectangles with one leaper, `find_on_rectangle` has more constructions.
pub(super) fn find_in_graph(request: &FindRequest, control: &Control) -> FindOutcome {
    if request.board.is_empty() {
        return FindOutcome::Impossible(Obstacle::Empty);
    }
    match construct_tour(&request.board, request.goal, request.seed, control) {
        Some((tour, by)) => FindOutcome::Found { tour, method: by },
        None => find_by_complete_search(request, control),
    }
}

/// Constructs a tour of a large board without holes; `None` if no construction fits.
fn construct_tour(board: &Board, want: TourGoal, seed: u64, control: &Control) -> Option<(Tour, FindMethod)> {
    if let Some(cuboid) =
        board.box_board().filter(|cuboid| cuboid.is_full() && board.len() > MAX_SEARCH_ONLY_SQUARES)
    {
        let tour = wazir_tour_in_box(board, cuboid.sides().lengths(), &board.piece()?, want)?;
        return Some((tour, FindMethod::Comb));
    }
    let surface = board.wrapped_board()?;
    let (rectangle, wrap) = (surface.rectangle(), surface.wrap());
    if rectangle.len() <= MAX_SEARCH_ONLY_SQUARES || !rectangle.removed().is_empty() {
        return None;
    }
    let sides = (usize::from(rectangle.rows()), usize::from(rectangle.cols()));
    if let Some(tour) = wazir_tour_on_board(board, sides, wrap, surface.piece(), want) {
        return Some((tour, FindMethod::Comb));
    }
    if !surface.piece().leapers().contains(&Leaper::KNIGHT) {
        return None;
    }
    let request = FindRequest { goal: want, seed, ..FindRequest::new(rectangle.clone()) };
    let FindOutcome::Found { tour, method: by } =
        find_on_rectangle(&RectangleRequest::new(&request)?, control)
    else {
        return None;
    };
    Some((to_tour_for_goal(board, tour.vertices().to_vec(), want)?, by))
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
            let found = |want| construct_tour(&board, want, 1, &Control::new()).map(|(tour, _)| tour);
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
