//! Values in arrays and maps: squares, pairs of coordinates, rows of numbers, and their order; and the tours that they
//! give, with their metadata.

use std::collections::VecDeque;

use super::cells::{HOLE, is_number};
use super::coordinates::Coordinates;
use super::field_names::{COORDINATE_NAMES, FILE_NAMES, RANK_NAMES, SQUARE_KEYS};
use super::margins::GridRow;
use super::names::NameLine;
use super::read_context::CoordinateOrder;
use super::token::{Token, TokenKind, lex};
use super::tree::{Element, List, Node};
use crate::board::Square;
use crate::tour::TourKind;
use crate::tour::read_error::ReadErrorKind;

/// Metadata of a tour in a map, or of a declared array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    /// Possible kinds of the tour; empty if any kind is possible.
    pub(super) kinds: Vec<TourKind>,
    /// Rows and columns of the board, if given.
    pub(super) board_size: [Option<u64>; 2],
    /// Text form of the board, as ktour writes it.
    pub(super) board: Option<String>,
    /// Plan by which the tours are numbered.
    pub(super) plan: Option<String>,
    /// Key of the list that was read, if it is none of the usual ones.
    pub(super) unusual_key: Option<String>,
    /// True if one pair of brackets encloses all values, so that they are one array.
    pub(super) is_enclosed: bool,
    /// True if `null` stands for a removed square, although the board is not known.
    pub(super) removes_nulls: bool,
    /// True if step numbers give the order of the squares.
    pub(super) has_steps: bool,
    /// True if numbers before the squares count the tours.
    pub(super) has_tour_numbers: bool,
    /// Keys whose values hold numbers or squares that are not read.
    pub(super) unread_keys: Vec<String>,
}

/// A tour, as the file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Lines of names in order of visits, of one or more tours.
    Names(VecDeque<(u64, NameLine)>),
    /// Rows of move numbers.
    Rows(Vec<GridRow>),
    /// Coordinates in order of visits.
    Coordinates(Coordinates),
}

impl Reading {
    /// Returns the reading of the names of one tour, each with its line.
    pub(super) fn from_names(names: Vec<(u64, String)>) -> Self {
        let line = names.first().map_or(0, |(line, _)| *line);
        let names = names.into_iter().map(|(_, name)| name).collect();
        Self::Names([(line, NameLine { names, ..NameLine::default() })].into())
    }

    /// Returns true for a tour of a single square.
    pub(super) fn is_one_square(&self) -> bool {
        match self {
            Self::Names(lines) => lines.len() == 1 && lines[0].1.names.len() == 1,
            Self::Rows(rows) => rows.len() == 1 && rows[0].cells.len() == 1,
            Self::Coordinates(all) => all.pairs.len() == 1,
        }
    }
}

impl Metadata {
    /// Returns true if the board is given, as text or by its sides.
    pub(super) fn has_board(&self) -> bool {
        self.board.is_some() || self.board_size != [None, None]
    }
}

/// Returns the error of an array that is no tour.
pub(super) const fn invalid(reason: &'static str) -> ReadErrorKind {
    ReadErrorKind::InvalidArray(reason)
}

/// Returns the kind with this name.
pub(super) fn kind_of(word: &str) -> Option<TourKind> {
    TourKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word))
}

/// Returns true for a list of values that is no tour: words, decimal numbers, or numbers that repeat.
pub(super) fn is_other_list(list: &List) -> bool {
    let is_word = |element: &Element| matches!(element.node, Node::Word(_));
    let numbers: Option<Vec<u64>> = list.elements.iter().map(|element| element.node.as_number()).collect();
    let repeats = |mut numbers: Vec<u64>| {
        numbers.sort_unstable();
        numbers.windows(2).any(|pair| pair[0] == pair[1])
    };
    list.elements.iter().any(is_word)
        && list.elements.iter().all(|element| is_word(element) || element.node.as_number().is_some())
        || numbers.is_some_and(repeats)
}

/// Returns the number of values in a list and the lists inside it.
pub(super) fn count_values(list: &List) -> usize {
    list.elements.iter().map(|element| element.node.as_list().map_or(1, count_values)).sum()
}

/// Returns true for a value that stands for a removed square even if the board is not known. Other signs, such as `-1`
/// and `None`, may mark squares that are not visited.
pub(super) fn is_removed(sign: &str) -> bool {
    sign == "-" || sign.eq_ignore_ascii_case("null") || !sign.is_empty() && sign.bytes().all(|b| b == b'.')
}

/// Returns the row of a list of numbers.
pub(super) fn grid_row(elements: &[&Element], knows_board: bool) -> Result<GridRow, ReadErrorKind> {
    let cell = |element: &&Element| match element.node {
        Node::Hole(ref sign) if knows_board || is_removed(sign) => Ok(HOLE),
        Node::Hole(ref sign) => {
            Err(ReadErrorKind::NotANumber(if sign.is_empty() { "\"\"".to_owned() } else { sign.clone() }))
        }
        Node::Number(number, _) => u32::try_from(number)
            .ok()
            .filter(|&number| is_number(number))
            .ok_or_else(|| ReadErrorKind::NotANumber(number.to_string())),
        _ => Err(invalid("numbers and squares are mixed")),
    };
    let cells = elements.iter().map(cell).collect::<Result<_, _>>()?;
    Ok(GridRow { line: elements.first().map_or(0, |element| element.line), cells })
}

/// Returns the coordinates of numbers of two digits each, unless they are the numbers of a tour.
pub(super) fn two_digit_pairs(elements: &[&Element]) -> Option<Coordinates> {
    let digits = |element: &&Element| match element.node {
        Node::Number(number, 2) => Some((element.line, number)),
        _ => None,
    };
    let located: Vec<(u64, u64)> = elements.iter().map(digits).collect::<Option<_>>()?;
    let mut numbers: Vec<u64> = located.iter().map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    let is_tour = numbers.first().is_some_and(|&first| first < 2)
        && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    (located.len() > 1 && !is_tour).then(|| Coordinates::from_digits(located.into_iter()))
}

/// Returns the square of a list: `("a", 3)`, `{"file": "a", "rank": 3}`, `{"square": "a3", ..}`.
pub(super) fn square_of(list: &List) -> Option<String> {
    let rank = |node: &Node| node.as_number();
    let file = |node: &Node| match node {
        Node::Word(word) if word.len() <= 2 && word.bytes().all(|b| b.is_ascii_alphabetic()) => {
            Some(word.clone())
        }
        _ => None,
    };
    match list.elements.as_slice() {
        [a, b] if a.key.is_none() && b.key.is_none() => Some(format!("{}{}", file(&a.node)?, rank(&b.node)?)),
        elements => {
            let find = |keys: &[&str]| {
                let has_key = |element: &&Element| keys.iter().any(|key| element.has_key(key));
                elements.iter().find(has_key).map(|element| &element.node)
            };
            if let Some(Node::Square(name)) = find(&SQUARE_KEYS) {
                return Some(name.clone());
            }
            let (a, b) = (find(&FILE_NAMES)?, find(&RANK_NAMES)?);
            Some(format!("{}{}", file(a)?, rank(b)?))
        }
    }
}

/// Returns the two numbers of a list.
pub(super) fn pair_of(list: &List) -> Option<(u64, u64)> {
    match list.elements.as_slice() {
        [a, b] if a.key.is_none() && b.key.is_none() => Some((a.node.as_number()?, b.node.as_number()?)),
        _ => None,
    }
}

/// Returns the keys of the coordinates that all maps have.
pub(super) fn record_order<'a>(
    lists: impl Iterator<Item = &'a List> + Clone,
) -> Option<([&'static str; 2], CoordinateOrder)> {
    let has = |[a, b]: [&str; 2], list: &List| list.value(a).is_some() && list.value(b).is_some();
    COORDINATE_NAMES.into_iter().find(|(keys, _)| lists.clone().all(|list| has(*keys, list)))
}

/// Returns true for a map with the coordinates of one square.
pub(super) fn is_record(list: &List) -> bool {
    record_order(std::iter::once(list)).is_some()
        && list.elements.iter().all(|element| element.node.as_list().is_none())
}

/// Returns true for a square and for the coordinates of one.
pub(super) fn is_position(node: &Node) -> bool {
    match node {
        Node::List(list) => pair_of(list).is_some() || is_record(list),
        node => matches!(node, Node::Square(_)),
    }
}

/// Parses a coordinate: a whole number, or the letter of a file, from 1.
pub(super) fn coordinate(text: &str) -> Option<u64> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(u64::from(letter.to_ascii_lowercase() - b'a') + 1),
        _ => whole_number(text),
    }
}

/// Parses a whole number, such as `7`, `7.` or `7.0`.
pub(super) fn whole_number(text: &str) -> Option<u64> {
    let tokens = lex(text);
    let [Token { kind: TokenKind::Number(number), .. }, signs @ ..] = tokens.as_slice() else { return None };
    let is_sign =
        |token: &Token<'_>| matches!(token.kind, TokenKind::Points | TokenKind::Colon | TokenKind::Close(_));
    signs.iter().all(is_sign).then_some(*number)
}

/// Returns the column and the rank of a square, from 0.
pub(super) fn square_position(name: &str) -> Option<(u64, u64)> {
    let square: Square = name.parse().ok()?;
    Some((square.file().into(), square.rank().into()))
}
