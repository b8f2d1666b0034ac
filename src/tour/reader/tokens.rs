//! Words of a line of tours.
//!
//! Cells of a row of a number grid: numbers, removed squares and empty cells.

use super::box_layers::BoxLayers;
use crate::board::{Board, ParseSquareError, Square};
use crate::tour::read_error::{ReadErrorKind, printable_excerpt};
use crate::tour::vertex_positions::VertexPositions;

/// Splits a line into words at blanks and commas.
pub(in crate::tour) fn split_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty())
}

/// Parses the name of a square.
pub(in crate::tour) fn parse_square(word: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if word.len() <= 16 { std::str::from_utf8(word).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not text, or far too long: the parser reports a readable substitute.
        None => printable_excerpt(word).parse::<Square>(),
    }
}

/// Returns the vertex with a name.
pub(in crate::tour) fn parse_vertex(board: &Board, word: &[u8]) -> Result<u32, ReadErrorKind> {
    let name =
        std::str::from_utf8(word).map_err(|_| ReadErrorKind::UnrecognisedLine(printable_excerpt(word)))?;
    Ok(board.vertex(name)?)
}

/// Returns true if a line is the row of a grid and not a tour by names. Names may be numbers as well. If the
/// board has a layout, its rows have as many numbers as columns, or as the columns of one layer, or as those
/// of all layers without the gaps.
pub(in crate::tour) fn is_grid_row(board: &Board, text: &[u8]) -> bool {
    let is_cell = |word: &[u8]| matches!(word, b"." | b"-") || word.iter().all(u8::is_ascii_digit);
    VertexPositions::of_board(board).is_ok_and(|places| {
        let found = split_words(text).count();
        let is_layered = |layers: BoxLayers| found == layers.cols || found == layers.count * layers.cols;
        let fits =
            found == usize::from(places.cols()) || BoxLayers::from_positions(&places).is_some_and(is_layered);
        let may_be = || fits && found != board.len() || is_list_of_all_squares(board, found, &places, text);
        split_words(text).all(is_cell) && may_be()
    })
}

/// Returns true if a line has one number for each square of a rectangle, row by row, and none of them is a
/// vertex name.
fn is_list_of_all_squares(board: &Board, found: usize, places: &VertexPositions<'_>, text: &[u8]) -> bool {
    let is_name = |word: &[u8]| parse_vertex(board, word).is_ok();
    found == usize::from(places.rows()) * usize::from(places.cols()) && !split_words(text).any(is_name)
}

/// First bytes of image files: SVG, PNG, JPEG, GIF.
const IMAGE_SIGNATURES: [&[u8]; 4] = [b"<svg", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"];

/// Returns the error for a line that fits no format.
pub(in crate::tour) fn unrecognised_line(text: &[u8]) -> ReadErrorKind {
    // `(0,0),(1,2)`: no other format begins like this.
    let digits =
        text.strip_prefix(b"(").map(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit));
    if digits == Some(true) && text.contains(&b',') {
        ReadErrorKind::Coordinates
    } else if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        ReadErrorKind::Utf16
    } else if IMAGE_SIGNATURES.iter().any(|begins| text.starts_with(begins)) {
        ReadErrorKind::ImageFile
    } else if let Some(word) = split_words(text).next().filter(|word| is_box_square(word)) {
        ReadErrorKind::BoxSquare(printable_excerpt(word))
    } else if text.first() == Some(&b'<')
        && text.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'!')
    {
        ReadErrorKind::Html(printable_excerpt(text))
    } else {
        ReadErrorKind::UnrecognisedLine(printable_excerpt(text))
    }
}

/// Returns true if a word names a square of a box: `a1.2`.
pub(in crate::tour) fn is_box_square(word: &[u8]) -> bool {
    let point = word.iter().position(|&b| b == b'.').unwrap_or(0);
    let (square, layer) = word.split_at(point);
    parse_square(square).is_ok() && layer.len() > 1 && layer[1..].iter().all(u8::is_ascii_digit)
}

/// A removed square.
pub(in crate::tour) const HOLE: u32 = u32::MAX;
/// A removed square, or the gap between two layers of a box: `-`.
pub(in crate::tour) const LAYER_GAP: u32 = u32::MAX - 1;
/// An empty cell of a table: a removed square, or no square if its whole column is empty.
pub(in crate::tour) const EMPTY_CELL: u32 = u32::MAX - 2;

/// Returns true if a cell has a number.
pub(in crate::tour) const fn is_number(cell: u32) -> bool {
    cell < EMPTY_CELL
}

/// Parses the cells of a row, separated by blanks or commas; two consecutive commas enclose an empty cell.
pub(in crate::tour) fn parse_cells(text: &[u8]) -> impl Iterator<Item = Result<u32, ReadErrorKind>> {
    let fields = text.split(|&b| b == b',');
    let tokens = fields.flat_map(|field| {
        let is_empty = field.trim_ascii().is_empty();
        let words = field.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        is_empty.then_some(&b""[..]).into_iter().chain(words)
    });
    tokens.map(|token| match token {
        b"." => Ok(HOLE),
        b"-" => Ok(LAYER_GAP),
        b"" => Ok(EMPTY_CELL),
        _ => parse_number(token).ok_or_else(|| ReadErrorKind::NotANumber(printable_excerpt(token))),
    })
}

/// Parses the cells of a row; an invalid cell counts as a removed square.
pub(in crate::tour) fn parse_cells_or_holes(text: &[u8]) -> Vec<u32> {
    parse_cells(text).map(|cell| cell.unwrap_or(HOLE)).collect()
}

fn parse_number(token: &[u8]) -> Option<u32> {
    if token.len() > 10 || !token.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = token.iter().fold(0u64, |value, &b| value * 10 + u64::from(b - b'0'));
    u32::try_from(value).ok().filter(|&value| is_number(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph, Layout};

    #[test]
    fn is_grid_row_rejects_names() {
        let path = CustomGraph::new(Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)]));
        let places = ["a1", "b1", "b2", "a2"].map(|name| name.parse().unwrap()).to_vec();
        let placed = Board::new(path.clone().with_layout(Layout::new(2, 2, places)).unwrap());
        assert!(is_grid_row(&placed, b"4 3") && is_grid_row(&placed, b".,3"));
        assert!(!is_grid_row(&placed, b"1 2 3 4") && !is_grid_row(&placed, b"a b"));
        assert!(!is_grid_row(&Board::new(path), b"4 3"));
    }
}

#[cfg(test)]
mod cells_tests {
    use super::*;

    #[test]
    fn parse_cells_splits_at_blanks_and_commas() {
        let read = |text: &str| parse_cells(text.as_bytes()).collect::<Result<Vec<u32>, _>>().ok();
        assert_eq!(read("12 . -  3"), Some(vec![12, HOLE, LAYER_GAP, 3]));
        assert_eq!(read("1, 4,,7,"), Some(vec![1, 4, EMPTY_CELL, 7, EMPTY_CELL]));
        for wrong in ["1 x", "4294967293", "-1", "12345678901"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
