//! Tours of boards and graphs other than rectangles with one leaper. Large boards with joined edges, boxes
//! and boards with several leapers have direct constructions; the rest is searched.
//!
//! ```text
//! wazir among the moves      a comb or a winding path, in boxes too
//! knight among the moves     a tour of the plain board is one of the wrapped board
//! any other                  the complete search with restarts
//! ```

use crate::board::{Arena, Leaper};
use crate::control::Control;
use crate::tour::Tour;

use super::plain::find_on_board;
use super::request::{FindRequest, Means, OnBoard, Outcome};
use super::searched::searched;
use super::solve::Want;
use super::theorem::Obstacle;
use super::winding::{arranged, boxed, combed};

/// Boards of at most this many squares are searched, which finds tours of more kinds than the constructions.
const SMALL: usize = 256;

/// Looks for a tour of any board or graph: by a construction on large boards, otherwise by the complete
/// search. For rectangles with one leaper, `find_on_rectangle` has more constructions.
pub(super) fn find_anywhere(request: &FindRequest, control: &Control) -> Outcome {
    if request.arena.is_empty() {
        return Outcome::Impossible(Obstacle::Empty);
    }
    match known(&request.arena, request.want, request.seed, control) {
        Some((tour, by)) => Outcome::Found { tour, by },
        None => searched(request, control),
    }
}

/// Constructs a tour of a large board without holes; `None` if no construction fits.
fn known(arena: &Arena, want: Want, seed: u64, control: &Control) -> Option<(Tour, Means)> {
    if let Some(cuboid) = arena.cuboid().filter(|cuboid| cuboid.is_full() && arena.len() > SMALL) {
        let tour = boxed(arena, cuboid.sides().lengths(), &arena.piece()?, want)?;
        return Some((tour, Means::Comb));
    }
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
    let request = FindRequest { want, seed, ..FindRequest::new(board.clone()) };
    let Outcome::Found { tour, by } = find_on_board(&OnBoard::of(&request)?, control) else { return None };
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
            "board=17x19 wrap=mobius piece=0,1 remove=-",
            "board=19x17 wrap=projective piece=0,1 remove=-",
            "board=7x7x6 piece=0,1 remove=-",
            "board=7x8x9 piece=0,1 remove=-",
            "board=7x7x7 piece=0,1+1,1 remove=-",
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
