//! The action of a symmetry on the vertices of a board.
//!
//! Actions come from the symmetry group of the board. On a large rectangle they are computed square by square
//! instead, so that a tour of millions of squares takes no more memory than itself.

use crate::board::{Arena, Board, Element, Symmetry};

/// Largest rectangle, in squares, whose symmetry group is computed and shared by all tours.
const SMALL: usize = 1 << 12;

/// One symmetry as a map of vertices. On a rectangle of one row or column two named symmetries may act alike;
/// the list of all actions has both.
#[derive(Clone, Copy)]
pub(super) enum Image<'a> {
    Board(&'a Board, Symmetry),
    Element(&'a Element),
}

impl<'a> Image<'a> {
    /// Returns the actions of all symmetries of a board, the identity first.
    pub(super) fn all(arena: &'a Arena) -> Vec<Self> {
        let elements = || arena.symmetries().elements().iter();
        match arena.rectangle() {
            None => elements().map(Self::Element).collect(),
            // If two names act alike, the list must have both.
            Some(_) if arena.len() <= SMALL && elements().all(|element| element.names.len() == 1) => {
                elements().map(Self::Element).collect()
            }
            Some(rectangle) => {
                let board = rectangle.board();
                let kept = Symmetry::ALL.into_iter().filter(|&symmetry| keeps(board, symmetry));
                kept.map(|symmetry| Self::Board(board, symmetry)).collect()
            }
        }
    }

    /// Returns the names of the symmetry.
    pub(super) fn names(&self) -> &[Symmetry] {
        match self {
            Self::Board(_, symmetry) => std::slice::from_ref(symmetry),
            Self::Element(element) => &element.names,
        }
    }

    /// Returns the image of a vertex.
    pub(super) fn of(&self, v: u32) -> u32 {
        match self {
            Self::Element(element) => element.image[v as usize],
            Self::Board(_, Symmetry::Identity) => v,
            Self::Board(board, symmetry) => onto(board, *symmetry, v),
        }
    }

    /// Returns the vertex whose image is vertex 0.
    pub(super) fn onto_first(&self) -> Option<u32> {
        match self {
            Self::Element(element) => element.image.iter().position(|&w| w == 0).map(|v| v as u32),
            Self::Board(board, _) if board.is_empty() => None,
            Self::Board(board, symmetry) => Some(onto(board, inverse(*symmetry), 0)),
        }
    }
}

/// Returns true if a symmetry of the rectangle maps holes to holes.
fn keeps(board: &Board, symmetry: Symmetry) -> bool {
    let (rows, cols) = (board.rows(), board.cols());
    let is_hole = |&square| board.removed().binary_search(&symmetry.apply(square, rows, cols)).is_ok();
    (rows == cols || !symmetry.needs_square()) && board.removed().iter().all(is_hole)
}

fn onto(board: &Board, symmetry: Symmetry, v: u32) -> u32 {
    let image = symmetry.apply(board.square(v), board.rows(), board.cols());
    board.index(image).expect("a symmetry of the board maps squares to squares")
}

const fn inverse(symmetry: Symmetry) -> Symmetry {
    match symmetry {
        Symmetry::Rotate90 => Symmetry::Rotate270,
        Symmetry::Rotate270 => Symmetry::Rotate90,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_those_of_the_group() {
        for text in
            ["5x5", "3x4", "board=5x5 piece=1,2 remove=a1,e5", "board=4x4 piece=1,2 remove=b1,d2,c4,a3"]
        {
            let arena: Arena = text.parse().unwrap();
            let board = arena.rectangle().unwrap().board();
            let worked_out = Symmetry::ALL.into_iter().filter(|&symmetry| keeps(board, symmetry));
            let images: Vec<Image> = worked_out.map(|symmetry| Image::Board(board, symmetry)).collect();
            assert_eq!(images.len(), arena.symmetries().order(), "{text}");
            assert!(Image::all(&arena).iter().all(|image| matches!(image, Image::Element(_))));
            for (image, element) in images.iter().zip(arena.symmetries().elements()) {
                assert_eq!(image.names(), element.names);
                assert!((0..arena.len() as u32).all(|v| image.of(v) == element.image[v as usize]));
                assert_eq!(image.onto_first(), Image::Element(element).onto_first());
                assert_eq!(image.onto_first().map(|v| image.of(v)), Some(0));
            }
        }
        let thin: Arena = "board=1x4 piece=0,1 remove=-".parse().unwrap();
        assert_eq!((thin.symmetries().order(), Image::all(&thin).len()), (2, 4));
    }
}
