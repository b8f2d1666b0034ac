//! [`MoveSegment`], the drawing of one move: a line between two squares, or, if the move crosses
//! joined edges of the board, a short line (stub) at each of the two squares.
//!
//! ```text
//! +---+---+---+---+
//! |   |   |   | o~     a stub leads from the centre of a square a little over the edge,
//! +---+---+---+---+    in the direction of the step; the other stub enters over
//! ~ o  |   |   |   |    the edge that is glued to it
//! +---+---+---+---+
//! ```
//!
//! A move between layers of a box crosses no edge. It is drawn as a short stub that shows the
//! direction of the move and the number of the other layer.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::board::{Layout, Square};

use super::vertex_positions::VertexPositions;

/// The drawing of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MoveSegment {
    /// A line between the centres of the two squares.
    Straight,
    /// Two stubs: one at the square where the move starts, and one at the square where it ends.
    Stubs(MoveStub, MoveStub),
}

/// The stub of a move at one of its two squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MoveStub {
    /// End of the stub relative to the centre of the square: right and up, as multiples of the side
    /// of a square.
    pub(super) offset: (f64, f64),
    /// Number of the box layer at the other end of the move, from 1; `None` if the board is not a
    /// box.
    pub(super) layer: Option<u16>,
}

/// Length of the part of a stub beyond the edge of the board, as a multiple of the side of a
/// square.
pub(super) const STUB_OVERHANG_SIDES: f64 = 0.2;

/// Length of a stub that crosses no edge of the board, as a multiple of the side of a square.
const INNER_STUB_SIDES: f64 = 0.4;

/// Angle in radians by which a stub is turned away from another stub that it would overlap.
const HALF_STUB_ANGLE_RADIANS: f64 = 0.26;

/// Largest angle, in radians, between two stubs that counts as zero.
const ANGLE_TOLERANCE_RADIANS: f64 = 1e-9;

impl MoveSegment {
    /// Returns the drawing of a move from `v` to `w`.
    pub(super) fn new(positions: &VertexPositions, v: u32, w: u32) -> Self {
        match positions {
            VertexPositions::Layout(layout) if layout.is_over_seam(v, w) => {
                let stub = |v, w| MoveStub {
                    offset: stub_offset(layout, v, w),
                    layer: positions.layer_of(positions.position(w)),
                };
                Self::Stubs(stub(v, w), stub(w, v))
            }
            _ => Self::Straight,
        }
    }
}

impl MoveStub {
    /// Returns the stub at `v` of the move to `w`; `None` if the move is drawn as a line. If the
    /// stub would overlap the stub of the move from `v` to `other`, it is turned aside.
    pub(super) fn new_avoiding(
        positions: &VertexPositions,
        v: u32,
        w: u32,
        other: Option<u32>,
    ) -> Option<Self> {
        let stub_to = |w: u32| match MoveSegment::new(positions, v, w) {
            MoveSegment::Straight => None,
            MoveSegment::Stubs(stub, _) => Some(stub),
        };
        let stub = stub_to(w)?;
        let other = other.filter(|&u| u != w).and_then(|u| stub_to(u).map(|other| (u, other)));
        let Some((u, other)) = other else { return Some(stub) };
        // True if the other stub is to the left of this one.
        let is_right = match (stub.layer, angle_between(stub.offset, other.offset)) {
            (Some(_), _) if other.offset == stub.offset => stub.layer < other.layer,
            (None, angle) if angle.abs() < ANGLE_TOLERANCE_RADIANS => w < u,
            (None, angle) if angle.abs() < HALF_STUB_ANGLE_RADIANS => angle > 0.0,
            _ => return Some(stub),
        };
        let turn = if is_right { -HALF_STUB_ANGLE_RADIANS } else { HALF_STUB_ANGLE_RADIANS };
        let ((right, up), (sin, cos)) = (stub.offset, turn.sin_cos());
        Some(Self { offset: (right * cos - up * sin, right * sin + up * cos), ..stub })
    }
}

/// Returns the angle in radians from the first vector to the second, positive if the second is to
/// the left.
fn angle_between((a, b): (f64, f64), (c, d): (f64, f64)) -> f64 {
    (a * d - b * c).atan2(a * c + b * d)
}

/// Returns the end of the stub at `v` of the move to `w`, relative to the centre of the square:
/// right and up, as multiples of the side of a square.
fn stub_offset(layout: &Layout, v: u32, w: u32) -> (f64, f64) {
    let square = layout.positions()[v as usize];
    let (right, up) = layout.seam_step(v, w).unwrap_or_else(|| step_to_nearest_edge(layout, square));
    let (right, up) = (f64::from(right), f64::from(up));
    // Fraction of the step after which it reaches a side of the board.
    let part = |at: u16, side: u16, step: f64| {
        let extent = if step > 0.0 { f64::from(side - at) - 0.5 } else { f64::from(at) + 0.5 };
        if step == 0.0 { f64::INFINITY } else { extent / step.abs() }
    };
    let part = part(square.file(), layout.cols(), right).min(part(square.rank(), layout.rows(), up));
    let length = right.hypot(up);
    if length == 0.0 {
        // A step straight up or down in a box has no direction within a layer.
        let part = INNER_STUB_SIDES * if w > v { FRAC_1_SQRT_2 } else { -FRAC_1_SQRT_2 };
        return (part, part);
    }
    let part = if part < 1.0 { part + STUB_OVERHANG_SIDES / length } else { INNER_STUB_SIDES / length };
    (right * part, up * part)
}

/// Returns the step (right, up) of length 1 from `square` towards the nearest edge of the layout.
fn step_to_nearest_edge(layout: &Layout, square: Square) -> (i32, i32) {
    let (file, rank) = (square.file(), square.rank());
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
    use crate::board::Board;

    fn segment(board: &str, from: &str, to: &str) -> MoveSegment {
        let board: Board = board.parse().unwrap();
        let positions = VertexPositions::of_board(&board).unwrap();
        MoveSegment::new(&positions, board.vertex(from).unwrap(), board.vertex(to).unwrap())
    }

    #[test]
    fn moves_over_glued_edge_are_two_stubs() {
        assert_eq!(segment("board=3x4 piece=1,2 remove=-", "a1", "b3"), MoveSegment::Straight);
        let cylinder = "board=3x4 wrap=cols piece=0,1 remove=-";
        assert_eq!(segment(cylinder, "a1", "b1"), MoveSegment::Straight);
        let stub = |right| MoveStub { offset: (right, 0.0), layer: None };
        assert_eq!(segment(cylinder, "d2", "a2"), MoveSegment::Stubs(stub(0.7), stub(-0.7)));
        // From d1 a step of two to the right and one up: the edge is three quarters of the step away.
        let MoveSegment::Stubs(leaving, coming) =
            segment("board=3x5 wrap=cols piece=1,2 remove=-", "d1", "a2")
        else {
            panic!("a knight's move over the edge");
        };
        let ((right, up), (left, down)) = (leaving.offset, coming.offset);
        assert!(right > 1.5 && right < 1.7 && (up - right / 2.0).abs() < 1e-9);
        assert!(left < -0.5 && left > -0.7 && (down - left / 2.0).abs() < 1e-9);
    }

    #[test]
    fn moves_between_layers_are_short_stubs_with_layer() {
        let stub = |right, up, layer| MoveStub { offset: (right, up), layer: Some(layer) };
        let between = segment("board=2x3x3 piece=1,2 remove=-", "a1.1", "c1.2");
        assert_eq!(
            between,
            MoveSegment::Stubs(stub(INNER_STUB_SIDES, 0.0, 2), stub(-INNER_STUB_SIDES, 0.0, 1))
        );
        let part = INNER_STUB_SIDES * FRAC_1_SQRT_2;
        let upright = segment("board=2x1x1 piece=0,1 remove=-", "a1.1", "a1.2");
        assert_eq!(upright, MoveSegment::Stubs(stub(part, part, 2), stub(-part, -part, 1)));
    }

    #[test]
    fn stubs_of_equal_offset_are_spread() {
        let board: Board = "board=3x3x3 piece=1,2 remove=-".parse().unwrap();
        let (positions, vertex) =
            (VertexPositions::of_board(&board).unwrap(), |name| board.vertex(name).unwrap());
        let (from, near, far) = (vertex("a1.1"), vertex("c1.2"), vertex("b1.3"));
        let stub = |to, other| MoveStub::new_avoiding(&positions, from, to, other).unwrap();
        assert_eq!(stub(near, Some(far)).layer, Some(2));
        assert!(stub(near, Some(far)).offset.1 < 0.0 && stub(far, Some(near)).offset.1 > 0.0);
        assert_eq!(stub(near, None).offset, (INNER_STUB_SIDES, 0.0));
        assert_eq!(MoveStub::new_avoiding(&positions, from, vertex("b3.1"), None), None);
    }

    #[test]
    fn overlapping_stubs_over_one_edge_are_spread() {
        let stub = |board: &str, from: &str, to: &str, other: &str| {
            let board: Board = board.parse().unwrap();
            let (positions, vertex) =
                (VertexPositions::of_board(&board).unwrap(), |name| board.vertex(name).unwrap());
            MoveStub::new_avoiding(&positions, vertex(from), vertex(to), Some(vertex(other))).unwrap().offset
        };
        // Steps of one and of two to the right, both over the edge of a ring.
        let ring = "board=1x5 wrap=torus piece=0,1+0,2 remove=-";
        let (near, far) = (stub(ring, "e1", "a1", "b1"), stub(ring, "e1", "b1", "a1"));
        assert!((angle_between(near, far) - 2.0 * HALF_STUB_ANGLE_RADIANS).abs() < 1e-9, "{near:?} {far:?}");
        // The stubs of a knight do not overlap.
        let knight = "board=6x6 wrap=torus piece=1,2 remove=-";
        let (one, two) = (stub(knight, "f3", "b4", "a5"), stub(knight, "f3", "a5", "b4"));
        assert!((one.1 / one.0 - 0.5).abs() < 1e-9 && (two.1 / two.0 - 2.0).abs() < 1e-9, "{one:?} {two:?}");
    }
}
