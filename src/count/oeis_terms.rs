//! Terms of a sequence in the b-file format of the OEIS, for comparison with the program's own counts.
//!
//! ```text
//! # A001230 (comments begin with #)
//! 1 0                      index and term, for a family of boards such as 2nx2n
//! 2 0
//! 3 9862
//! ```

use num_bigint::BigUint;

use super::published_counts::{PublishedCount, TableError};
use crate::board::{Board, Leaper, Rectangle};
use crate::tour::Kind;

/// A family of rectangles with a parameter n: `nxn`, `2nx2n`, `3x2n`, `5xn+1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardFamily {
    /// Factor of n and constant of each side.
    sides: [(i64, i64); 2],
}

/// Error of a text that is not a family of boards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a family of boards; write ROWSxCOLS with n, such as nxn, 2nx2n or 3xn+1")]
pub struct FamilyError(String);

impl std::str::FromStr for BoardFamily {
    type Err = FamilyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || FamilyError(text.to_owned());
        let side = |side: &str| {
            let (factor, constant) = match side.split_once('n') {
                None if side.is_empty() => return None,
                None => ("0", side),
                Some(("", constant)) => ("1", constant),
                Some((factor, constant)) => (factor, constant),
            };
            let constant = if constant.is_empty() { "0" } else { constant };
            let factor: u16 = factor.parse().ok()?;
            let constant: i32 = constant.parse().ok()?;
            Some((i64::from(factor), i64::from(constant)))
        };
        let (rows, cols) = text.split_once(['x', 'X', '×']).ok_or_else(error)?;
        let sides = [side(rows.trim()).ok_or_else(error)?, side(cols.trim()).ok_or_else(error)?];
        if sides.iter().all(|(factor, _)| *factor == 0) { Err(error()) } else { Ok(Self { sides }) }
    }
}

impl BoardFamily {
    /// Returns the board for an index, `None` if a side is below 1 or too large.
    #[must_use]
    pub fn board(&self, index: i64) -> Option<Rectangle> {
        let side = |(factor, constant): (i64, i64)| {
            let side = factor.checked_mul(index)?.checked_add(constant)?;
            u16::try_from(side).ok().filter(|&side| side > 0)
        };
        Rectangle::new(side(self.sides[0])?, side(self.sides[1])?).ok()
    }
}

/// Returns true if a text is a b-file: every line is a comment, or an index and a term.
#[must_use]
pub fn is_b_file(text: &str) -> bool {
    terms_of(text).next().is_some() && find_line_without_term(text).is_none()
}

/// Returns the first line that is neither a comment nor an index and a term, with its number.
#[must_use]
pub fn find_line_without_term(text: &str) -> Option<(u64, &str)> {
    let is_term = |line: &str| {
        let mut words = line.split_whitespace();
        let index = words.next().is_some_and(|word| word.parse::<i64>().is_ok());
        index
            && words.next().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
            && words.next().is_none()
    };
    terms_of(text).find(|(_, line)| !is_term(line))
}

/// Returns the lines with terms and their numbers.
fn terms_of(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses a b-file: the terms with a board, and the number of terms without one (such as a board of side 0).
///
/// # Errors
/// The first line that is not an index and a term.
pub fn parse_b_file(
    text: &str,
    family: &BoardFamily,
    kind: Kind,
    is_directed: bool,
) -> Result<(Vec<PublishedCount>, usize), TableError> {
    let (mut counts, mut skipped) = (Vec::new(), 0);
    for (line, text) in terms_of(text) {
        let error = || TableError {
            line,
            reason: "the line is not an index and a term; write two whole numbers".to_owned(),
        };
        let (index, term) = text.split_once(char::is_whitespace).ok_or_else(error)?;
        let (index, count): (i64, BigUint) =
            (index.parse().map_err(|_| error())?, term.trim().parse().map_err(|_| error())?);
        let Some(board) = family.board(index) else {
            skipped += 1;
            continue;
        };
        let source = format!("line {line}, n = {index}");
        let board = Board::from_leaper(board, Leaper::KNIGHT);
        counts.push(PublishedCount { board, kind, is_directed, start: None, end: None, count, source });
    }
    Ok((counts, skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_b_file_gives_boards_their_terms() {
        let text = "# A001230\n0 1\n1 0\n2 0\n3 9862\n";
        assert_eq!(find_line_without_term("# A1\n1 0\n2,0\n"), Some((3, "2,0")));
        assert!(is_b_file(text) && !is_b_file("") && !is_b_file("rows,cols\n3,4\n") && !is_b_file("1 2 3\n"));
        let (counts, skipped) = parse_b_file(text, &"2nx2n".parse().unwrap(), Kind::Closed, false).unwrap();
        assert_eq!((counts.len(), skipped), (3, 1));
        assert_eq!(
            (counts[2].title().as_str(), counts[2].count.to_string().as_str()),
            ("6x6 closed", "9862")
        );
        assert_eq!(parse_b_file("1 x\n", &"nxn".parse().unwrap(), Kind::Paths, true).unwrap_err().line, 1);
    }

    #[test]
    fn families_give_rectangles() {
        for (family, index, board) in [
            ("nxn", 5, Some("5x5")),
            ("3x2n", 5, Some("3x10")),
            ("n+1xn", 3, Some("4x3")),
            ("5xn-2", 2, None),
        ] {
            let family: BoardFamily = family.parse().unwrap();
            assert_eq!(family.board(index).map(|board| board.to_string()).as_deref(), board);
        }
        for wrong in ["5x5", "n", "nx", "xn", "n*n", "axb"] {
            assert!(wrong.parse::<BoardFamily>().is_err(), "{wrong}");
        }
    }
}
