//! How a move is drawn: a line between two squares, or a stub at each where it goes over a seam.
//!
//! ```text
//! +---+---+---+---+
//! |   |   |   | o~     a stub leads from the middle of a square a little over the edge,
//! +---+---+---+---+    the way that the step goes; the other one comes in over
//!~ o  |   |   |   |    the edge that is joined to it
//! +---+---+---+---+
//! ```
//!
//! Between layers of a box there is no edge to go over: a short stub tells the direction.

use crate::board::{Layout, Square};

use super::places::Places;

/// How a move is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leg {
    /// From middle to middle.
    Straight,
    /// From the middle of each square by so many sides of a square, right and up.
    Stubs((f64, f64), (f64, f64)),
}

/// How far a stub goes beyond the edge.
const BEYOND: f64 = 0.2;

/// Length of a stub that leads to no edge.
const SHORT: f64 = 0.45;

impl Leg {
    /// The way to draw a move.
    pub(super) fn of(places: &Places, v: u32, w: u32) -> Self {
        match places {
            Places::Layout(layout) if layout.is_over_seam(v, w) => {
                Self::Stubs(stub(layout, v, w), stub(layout, w, v))
            }
            _ => Self::Straight,
        }
    }
}

/// The stub at `v` of a move to `w`.
fn stub(layout: &Layout, v: u32, w: u32) -> (f64, f64) {
    let place = layout.places()[v as usize];
    let (right, up) = layout.leaving(v, w).unwrap_or_else(|| outwards(layout, place));
    let (right, up) = (f64::from(right), f64::from(up));
    // The part of the step after which a side of the board is reached.
    let part = |at: u16, side: u16, step: f64| {
        let room = if step > 0.0 { f64::from(side - at) - 0.5 } else { f64::from(at) + 0.5 };
        if step == 0.0 { f64::INFINITY } else { room / step.abs() }
    };
    let part = part(place.file(), layout.cols(), right).min(part(place.rank(), layout.rows(), up));
    let length = right.hypot(up);
    if length == 0.0 {
        // Straight up or down in a box.
        return (0.0, 0.0);
    }
    let part = if part < 1.0 { part + BEYOND / length } else { SHORT / length };
    (right * part, up * part)
}

/// A step towards the nearest edge.
fn outwards(layout: &Layout, place: Square) -> (i32, i32) {
    let (file, rank) = (place.file(), place.rank());
    let ways = [
        (file, (-1, 0)),
        (layout.cols() - 1 - file, (1, 0)),
        (rank, (0, -1)),
        (layout.rows() - 1 - rank, (0, 1)),
    ];
    ways.into_iter().min_by_key(|(distance, _)| *distance).map_or((0, 0), |(_, step)| step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;

    fn leg(arena: &str, from: &str, to: &str) -> Leg {
        let arena: Arena = arena.parse().unwrap();
        let places = Places::of(&arena).unwrap();
        Leg::of(&places, arena.vertex(from).unwrap(), arena.vertex(to).unwrap())
    }

    #[test]
    fn moves_over_an_edge_are_two_stubs() {
        assert_eq!(leg("board=3x4 piece=1,2 remove=-", "a1", "b3"), Leg::Straight);
        let cylinder = "board=3x4 wrap=cols piece=0,1 remove=-";
        assert_eq!(leg(cylinder, "a1", "b1"), Leg::Straight);
        assert_eq!(leg(cylinder, "d2", "a2"), Leg::Stubs((0.7, 0.0), (-0.7, 0.0)));
        // From d1 a step of two to the right and one up: the edge is three quarters of it away.
        let Leg::Stubs((right, up), (left, down)) = leg("board=3x5 wrap=cols piece=1,2 remove=-", "d1", "a2")
        else {
            panic!("a knight's move over the edge");
        };
        assert!(right > 1.5 && right < 1.7 && (up - right / 2.0).abs() < 1e-9);
        assert!(left < -0.5 && left > -0.7 && (down - left / 2.0).abs() < 1e-9);
    }

    #[test]
    fn moves_between_layers_are_short_stubs() {
        let Leg::Stubs(from, to) = leg("board=2x3x3 piece=1,2 remove=-", "a1.1", "c1.2") else {
            panic!("two layers")
        };
        assert_eq!((from, to), ((SHORT, 0.0), (-SHORT, 0.0)));
        assert_eq!(leg("board=2x1x1 piece=0,1 remove=-", "a1.1", "a1.2"), Leg::Stubs((0.0, 0.0), (0.0, 0.0)));
    }
}
