//! Words of a line of tours.

use crate::board::{Board, ParseSquareError, Square};

use super::fault::{ReadErrorKind, printable_excerpt};
use super::layers::BoxLayers;
use super::places::VertexPositions;

/// Splits a line into words at blanks and commas.
pub(super) fn split_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty())
}

/// Parses the name of a square.
pub(super) fn parse_square(word: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if word.len() <= 16 { std::str::from_utf8(word).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not text, or far too long: the parser reports a readable substitute.
        None => printable_excerpt(word).parse::<Square>(),
    }
}

/// Returns the vertex with a name.
pub(super) fn parse_vertex(board: &Board, word: &[u8]) -> Result<u32, ReadErrorKind> {
    let name =
        std::str::from_utf8(word).map_err(|_| ReadErrorKind::UnrecognisedLine(printable_excerpt(word)))?;
    Ok(board.vertex(name)?)
}

/// Returns true if a line is the row of a grid and not a tour by names. Names may be numbers as well. If the
/// board has a layout, its rows have as many numbers as columns, or as the columns of one layer, or as those
/// of all layers without the gaps.
pub(super) fn is_grid_row(board: &Board, text: &[u8]) -> bool {
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
pub(super) fn unrecognised_line(text: &[u8]) -> ReadErrorKind {
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
pub(super) fn is_box_square(word: &[u8]) -> bool {
    let point = word.iter().position(|&b| b == b'.').unwrap_or(0);
    let (square, layer) = word.split_at(point);
    parse_square(square).is_ok() && layer.len() > 1 && layer[1..].iter().all(u8::is_ascii_digit)
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
