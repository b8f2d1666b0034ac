//! Parsing of the text form of any board.

use std::str::FromStr;

use super::custom_graph::CustomGraph;
use super::error::BoardError;
use super::restricted_board::RestrictedBoard;
use super::text_form::KeyValues;
use super::{Board, BoardSides, LatticeBoard, Piece, Wrap};

/// A function that parses the text form of one kind of board.
type TextFormParser = fn(KeyValues<'_>) -> Result<Board, BoardError>;

/// Parsers of text forms, by the first key of the text form.
const TEXT_FORM_PARSERS: [(&str, TextFormParser); 2] = [
    ("board", |words| LatticeBoard::parse(words).map(Board::from)),
    (CustomGraph::KEY, |words| CustomGraph::parse(words).map(Board::from)),
];

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
        let first = words.first_key().unwrap_or_default();
        let board = match TEXT_FORM_PARSERS.iter().find(|(word, _)| *word == first) {
            Some((_, parse)) => parse(words),
            None => Err(BoardError::TextForm(format!(
                "`{first}` is not a kind of board; begin with `board=` or `graph=`"
            ))),
        }?;
        match restrictions {
            None => Ok(board),
            Some(moves) => RestrictedBoard::parse(&board, moves).map(Self::new),
        }
    }
}
