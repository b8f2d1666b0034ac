//! The action of a symmetry on the vertices of a board.
//!
//! Actions come from the symmetry group of the board. On a large rectangle they are computed square by square
//! instead, so that a tour of millions of squares takes no more memory than itself.

use crate::board::{Board, Element, Rectangle, Symmetry};

/// Largest rectangle, in squares, whose symmetry group is computed and shared by all tours.
const MAX_GROUP_SQUARES: usize = 1 << 12;

/// One symmetry as a map of vertices. On a rectangle of one row or column two named symmetries may act alike;
/// the list of all actions has both.
#[derive(Clone, Copy)]
pub(super) enum SymmetryAction<'a> {
    Rectangle(&'a Rectangle, Symmetry),
    GroupElement(&'a Element),
}

impl<'a> SymmetryAction<'a> {
    /// Returns the actions of all symmetries of a board, the identity first.
    pub(super) fn for_board(board: &'a Board) -> Vec<Self> {
        let elements = || board.symmetries().elements().iter();
        match board.leaper_board() {
            None => elements().map(Self::GroupElement).collect(),
            // If two names act alike, the list must have both.
            Some(_)
                if board.len() <= MAX_GROUP_SQUARES && elements().all(|element| element.names.len() == 1) =>
            {
                elements().map(Self::GroupElement).collect()
            }
            Some(rectangle) => {
                let rectangle = rectangle.rectangle();
                let kept =
                    Symmetry::ALL.into_iter().filter(|&symmetry| maps_holes_to_holes(rectangle, symmetry));
                kept.map(|symmetry| Self::Rectangle(rectangle, symmetry)).collect()
            }
        }
    }

    /// Returns the names of the symmetry.
    pub(super) fn names(&self) -> &[Symmetry] {
        match self {
            Self::Rectangle(_, symmetry) => std::slice::from_ref(symmetry),
            Self::GroupElement(element) => &element.names,
        }
    }

    /// Returns the image of a vertex.
    pub(super) fn apply(&self, v: u32) -> u32 {
        match self {
            Self::GroupElement(element) => element.image[v as usize],
            Self::Rectangle(_, Symmetry::Identity) => v,
            Self::Rectangle(board, symmetry) => image_vertex(board, *symmetry, v),
        }
    }

    /// Returns the vertex whose image is vertex 0.
    pub(super) fn preimage_of_first(&self) -> Option<u32> {
        match self {
            Self::GroupElement(element) => element.image.iter().position(|&w| w == 0).map(|v| v as u32),
            Self::Rectangle(board, _) if board.is_empty() => None,
            Self::Rectangle(board, symmetry) => Some(image_vertex(board, inverse_symmetry(*symmetry), 0)),
        }
    }
}

/// Returns true if a symmetry of the rectangle maps holes to holes.
fn maps_holes_to_holes(board: &Rectangle, symmetry: Symmetry) -> bool {
    let (rows, cols) = (board.rows(), board.cols());
    let is_hole = |&square| board.removed().binary_search(&symmetry.apply(square, rows, cols)).is_ok();
    (rows == cols || !symmetry.needs_square()) && board.removed().iter().all(is_hole)
}

fn image_vertex(board: &Rectangle, symmetry: Symmetry, v: u32) -> u32 {
    let image = symmetry.apply(board.square(v), board.rows(), board.cols());
    board.index(image).expect("a symmetry of the board maps squares to squares")
}

const fn inverse_symmetry(symmetry: Symmetry) -> Symmetry {
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
    fn computed_actions_match_group() {
        for text in
            ["5x5", "3x4", "board=5x5 piece=1,2 remove=a1,e5", "board=4x4 piece=1,2 remove=b1,d2,c4,a3"]
        {
            let board: Board = text.parse().unwrap();
            let rectangle = board.leaper_board().unwrap().rectangle();
            let worked_out =
                Symmetry::ALL.into_iter().filter(|&symmetry| maps_holes_to_holes(rectangle, symmetry));
            let images: Vec<SymmetryAction> =
                worked_out.map(|symmetry| SymmetryAction::Rectangle(rectangle, symmetry)).collect();
            assert_eq!(images.len(), board.symmetries().order(), "{text}");
            assert!(
                SymmetryAction::for_board(&board)
                    .iter()
                    .all(|image| matches!(image, SymmetryAction::GroupElement(_)))
            );
            for (image, element) in images.iter().zip(board.symmetries().elements()) {
                assert_eq!(image.names(), element.names);
                assert!((0..board.len() as u32).all(|v| image.apply(v) == element.image[v as usize]));
                assert_eq!(
                    image.preimage_of_first(),
                    SymmetryAction::GroupElement(element).preimage_of_first()
                );
                assert_eq!(image.preimage_of_first().map(|v| image.apply(v)), Some(0));
            }
        }
        let thin: Board = "board=1x4 piece=0,1 remove=-".parse().unwrap();
        assert_eq!((thin.symmetries().order(), SymmetryAction::for_board(&thin).len()), (2, 4));
    }
}
