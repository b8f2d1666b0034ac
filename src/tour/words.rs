//! The words of a line of tours.

use crate::board::{Arena, ParseSquareError, Square};

use super::fault::{Fault, shown};
use super::layers::Layers;
use super::places::Places;

/// Names or numbers, with blanks or commas between.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|word| !word.is_empty())
}

/// The square of a name.
pub(super) fn parse_square(word: &[u8]) -> Result<Square, ParseSquareError> {
    let text = if word.len() <= 16 { std::str::from_utf8(word).ok() } else { None };
    match text {
        Some(text) => text.parse(),
        // Not even characters, or far too many: let the parser name a readable stand-in.
        None => shown(word).parse::<Square>(),
    }
}

/// The vertex of a name.
pub(super) fn vertex(arena: &Arena, word: &[u8]) -> Result<u32, Fault> {
    let name = std::str::from_utf8(word).map_err(|_| Fault::Unknown(shown(word)))?;
    Ok(arena.vertex(name)?)
}

/// Whether a line is the row of a grid, and not a tour by names. Names may be numbers as well: what has a layout
/// has rows of as many numbers as columns, or as those of a layer, or of all layers without what stands between.
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

/// Whether a line is of as many numbers as a board has squares, row by row, none of which is a name.
fn is_list(arena: &Arena, found: usize, places: &Places<'_>, text: &[u8]) -> bool {
    let is_name = |word: &[u8]| vertex(arena, word).is_ok();
    found == usize::from(places.rows()) * usize::from(places.cols()) && !words(text).any(is_name)
}

/// What pictures begin with: SVG, PNG, JPEG, GIF.
const PICTURES: [&[u8]; 4] = [b"<svg", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"];

/// What cannot be told of a line.
pub(super) fn unknown(text: &[u8]) -> Fault {
    // `(0,0),(1,2)`: nothing else begins like this.
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

/// Whether a word names a square of a box: `a1.2`.
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
