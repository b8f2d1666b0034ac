//! The board by which a range is estimated.

use crate::cli::arena::{BoardArg, GroundArgs};
use crate::cli::failure::Failure;
use ktour::series::Boards;
use ktour::tour::Kind;

/// The board of a range that takes the most: the largest of those that can have a tour.
pub fn dearest(boards: &Boards, ground: &GroundArgs, kind: Kind) -> Result<BoardArg, Failure> {
    let mut all: Vec<BoardArg> = Vec::new();
    let mut by_size: Vec<_> = boards.boards().collect();
    by_size.sort_by_key(|board| (board.rows().min(board.cols()), board.len()));
    all.extend(by_size.into_iter().rev().take(2).map(BoardArg::Flat));
    let largest = ground.on(all.first())?;
    // A closed tour changes colours with every move.
    let has_none = kind == Kind::Closed && largest.len() % 2 == 1 && largest.colours().is_some();
    Ok(all.swap_remove(usize::from(has_none && all.len() > 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_range_the_dearest_board_is_estimated() {
        for (range, board) in [
            ("5x2..60", "5x60"),
            ("2..60x5", "60x5"),
            ("5x2..61", "5x60"),
            ("1..8", "8x8"),
            ("5..7x5..6", "7x6"),
        ] {
            let dearest = dearest(&range.parse().unwrap(), &GroundArgs::default(), Kind::Closed).unwrap();
            assert_eq!(Ok(dearest), board.parse());
        }
    }
}
