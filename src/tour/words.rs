//! Words of a line of tours.

use crate::board::{Arena, ParseSquareError, Square};

use super::fault::{Fault, shown};
use super::layers::Layers;
use super::places::Places;

/// Splits a line into words at blanks and commas.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty())
}

/// Parses the name of a square.
pub(super) fn parse_square(word: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if word.len() <= 16 { std::str::from_utf8(word).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not text, or far too long: the parser reports a readable substitute.
        None => shown(word).parse::<Square>(),
    }
}

/// Returns the vertex with a name.
pub(super) fn vertex(arena: &Arena, word: &[u8]) -> Result<u32, Fault> {
    let name = std::str::from_utf8(word).map_err(|_| Fault::Unknown(shown(word)))?;
    Ok(arena.vertex(name)?)
}

/// Returns true if a line is the row of a grid and not a tour by names. Names may be numbers as well. If the
/// board has a layout, its rows have as many numbers as columns, or as the columns of one layer, or as those
/// of all layers without the gaps.
pub(super) fn is_row_of(arena: &Arena, text: &[u8]) -> bool {
    let is_cell = |word: &[u8]| matches!(word, b"." | b"-") || word.iter().all(u8::is_ascii_digit);
    Places::of(arena).is_ok_and(|places| {
        let found = words(text).count();
        let is_layered = |layers: Layers| found == layers.cols || found == layers.number * layers.cols;
        let fits = found == usize::from(places.cols()) || Layers::of(&places).is_some_and(is_layered);
        let may_be = || fits && found != arena.len() || is_list(arena, found, &places, text);
        words(text).all(is_cell) && may_be()
    })
}

/// Returns true if a line has one number for each square of a rectangle, row by row, and none of them is a
/// vertex name.
fn is_list(arena: &Arena, found: usize, places: &Places<'_>, text: &[u8]) -> bool {
    let is_name = |word: &[u8]| vertex(arena, word).is_ok();
    found == usize::from(places.rows()) * usize::from(places.cols()) && !words(text).any(is_name)
}

/// First bytes of image files: SVG, PNG, JPEG, GIF.
const PICTURES: [&[u8]; 4] = [b"<svg", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"];

/// Returns the error for a line that fits no format.
pub(super) fn unknown(text: &[u8]) -> Fault {
    // `(0,0),(1,2)`: no other format begins like this.
    let digits =
        text.strip_prefix(b"(").map(|rest| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit));
    if digits == Some(true) && text.contains(&b',') {
        Fault::Coordinates
    } else if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        Fault::Utf16
    } else if PICTURES.iter().any(|begins| text.starts_with(begins)) {
        Fault::Picture
    } else if let Some(word) = words(text).next().filter(|word| is_cube(word)) {
        Fault::Cube(shown(word))
    } else if text.first() == Some(&b'<')
        && text.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'!')
    {
        Fault::Html(shown(text))
    } else {
        Fault::Unknown(shown(text))
    }
}

/// Returns true if a word names a square of a box: `a1.2`.
pub(super) fn is_cube(word: &[u8]) -> bool {
    let point = word.iter().position(|&b| b == b'.').unwrap_or(0);
    let (square, layer) = word.split_at(point);
    parse_square(square).is_ok() && layer.len() > 1 && layer[1..].iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Given, Graph, Layout};

    #[test]
    fn rows_and_names_are_told_apart() {
        let path = Given::new(Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)]));
        let places = ["a1", "b1", "b2", "a2"].map(|name| name.parse().unwrap()).to_vec();
        let placed = Arena::new(path.clone().placed(Layout::new(2, 2, places)).unwrap());
        assert!(is_row_of(&placed, b"4 3") && is_row_of(&placed, b".,3"));
        assert!(!is_row_of(&placed, b"1 2 3 4") && !is_row_of(&placed, b"a b"));
        assert!(!is_row_of(&Arena::new(path), b"4 3"));
    }
}
