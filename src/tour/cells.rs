//! Cells of a row of a number grid: numbers, removed squares and empty cells.

use super::fault::{ReadErrorKind, printable_excerpt};

/// A removed square.
pub(super) const HOLE: u32 = u32::MAX;
/// A removed square, or the gap between two layers of a box: `-`.
pub(super) const LAYER_GAP: u32 = u32::MAX - 1;
/// An empty cell of a table: a removed square, or no square if its whole column is empty.
pub(super) const EMPTY_CELL: u32 = u32::MAX - 2;

/// Returns true if a cell has a number.
pub(super) const fn is_number(cell: u32) -> bool {
    cell < EMPTY_CELL
}

/// Parses the cells of a row, separated by blanks or commas; two consecutive commas enclose an empty cell.
pub(super) fn parse_cells(text: &[u8]) -> impl Iterator<Item = Result<u32, ReadErrorKind>> {
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
pub(super) fn parse_cells_or_holes(text: &[u8]) -> Vec<u32> {
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
