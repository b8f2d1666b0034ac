//! Parsing of the text form of any board.

use std::str::FromStr;

use super::custom_graph::CustomGraph;
use super::error::BoardError;
use super::restricted_board::RestrictedBoard;
use super::text_form::KeyValues;
use super::{Board, BoardSides, LatticeBoard, Piece, Wrap};

impl FromStr for Board {
    type Err = BoardError;

    /// Parses a text form such as `board=6x8 piece=1,2 remove=-`, or the size of a rectangle
    /// (`6x8`) or box (`3x4x4`) alone; then the piece is the knight.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.contains('=') {
            return Ok(LatticeBoard::new(text.parse::<BoardSides>()?, Wrap::None, Piece::default()).into());
        }
        let mut words = KeyValues::new(text)?;
        let restrictions = RestrictedBoard::take_words(&mut words)?;
        let board: Self = match words.first_key().unwrap_or_default() {
            "board" => LatticeBoard::parse(words)?.into(),
            CustomGraph::KEY => CustomGraph::parse(words)?.into(),
            first => {
                return Err(BoardError::TextForm(format!(
                    "`{first}` is not a kind of board; begin with `board=` or `graph=`"
                )));
            }
        };
        match restrictions {
            None => Ok(board),
            Some(moves) => RestrictedBoard::parse(&board, moves).map(Self::new),
        }
    }
}
