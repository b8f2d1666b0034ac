//! Squares in the notations of people: `a1-b3-c5`, `Na1 Nc2`, `1. a1 2. b3`, `"a1",`, `a1b3c5`, `from a1 to
//! b3, then c5`.
//!
//! The plain notation of ktour is parsed square by square and does not need this module. A capital before a
//! small letter is a piece; numbers with a point count moves; dashes, arrows, quotes and the like separate.
//! Vertices of a graph may use these notations if a word is not itself a vertex name.
//!
//! Numbers before squares, which must count squares, moves or lines.
//!
//! ```text
//! 1. a1 2. b3 3. c5        one more for each square, or for each move, or for each line;
//! 1. a1 b3 2. c5 d7        `1... b3` is the second half of a move
//! 1. a1 b3 c5 d7           or one more for each square between the numbers
//! 5. f8
//! ```

use super::lexer::{parse_square, split_words};
use crate::board::{ParseSquareError, Square};
use crate::tour::read_error::ReadErrorKind;

/// Parses the squares of a word; a word that only counts or separates has none.
pub(in crate::tour) fn parse_squares(
    word: &[u8],
) -> impl Iterator<Item = Result<Square, ParseSquareError>> + '_ {
    name_parts(word).map(parse_square)
}

/// Returns the names in a word; a word that only counts or separates has none.
pub(in crate::tour) fn name_parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = split_at_separators(word)
        .filter(|part| parse_move_number(part, word).is_none_or(|(_, rest)| !rest.is_empty()));
    let parts = parts
        .filter(|part| !is_counter_word(part) && !is_link_word(part))
        .map(strip_notation)
        .filter(|part| !part.is_empty());
    parts.flat_map(split_joined_squares)
}

/// Parses the number, its points and the rest of a part of a word that counts: `2.`, `2)`, `12.Na1`. A word
/// `2` does not count.
pub(in crate::tour) fn parse_move_number<'a>(
    part: &'a [u8],
    word: &[u8],
) -> Option<((u64, usize), &'a [u8])> {
    let digits = part.iter().take_while(|b| b.is_ascii_digit()).count();
    let points = part[digits..].iter().take_while(|&&b| b == b'.').count();
    let rest = &part[digits + points..];
    let counts = digits > 0 && (points > 0 || rest.is_empty() && part.len() < word.len());
    let number = if counts { std::str::from_utf8(&part[..digits]).ok()?.parse().ok() } else { None };
    number.map(|number| ((number, points), rest))
}

/// Splits a move or tour written without separators: `a1b3`, `a1b3c5`. Any other word is a single part.
fn split_joined_squares(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_upper = part[0].is_ascii_uppercase();
    let is_file = |b: u8| if is_upper { b.is_ascii_uppercase() } else { b.is_ascii_lowercase() };
    let are_apart = is_file(part[0])
        && part[part.len() - 1].is_ascii_digit()
        && part
            .windows(2)
            .all(|pair| pair[1].is_ascii_digit() || is_file(pair[1]) && pair[0].is_ascii_digit());
    let mut rest = part;
    std::iter::from_fn(move || {
        let rank = rest.iter().skip(1).take_while(|b| b.is_ascii_digit()).count();
        let (square, more) = rest.split_at(if are_apart { (1 + rank).min(rest.len()) } else { rest.len() });
        rest = more;
        (!square.is_empty()).then_some(square)
    })
}

/// Returns true if most of a word is squares without separators: such a word with an error is still a tour.
pub(in crate::tour) fn is_mostly_joined_squares(word: &[u8]) -> bool {
    let (mut squares, mut bytes, mut rest) = (0, 0, word);
    while let Some((file, behind)) = rest.split_first() {
        let rank = behind.iter().take_while(|b| b.is_ascii_digit()).count();
        if file.is_ascii_alphabetic() && (1..=2).contains(&rank) {
            (squares, bytes) = (squares + 1, bytes + 1 + rank);
        }
        rest = &behind[rank..];
    }
    squares > 2 && 4 * bytes >= 3 * word.len()
}

/// Returns true if a word names the unit of a number: `Move 1: a1`.
fn is_counter_word(word: &[u8]) -> bool {
    let counters: [&[u8]; 8] = [b"move", b"step", b"square", b"visit", b"jump", b"hop", b"ply", b"turn"];
    counters.iter().any(|counter| word.eq_ignore_ascii_case(counter))
}

/// Returns true if a word links squares in a sentence: `from a1 to b3, then c5`.
fn is_link_word(word: &[u8]) -> bool {
    let links: [&[u8]; 6] = [b"from", b"to", b"then", b"and", b"via", b"on"];
    links.iter().any(|link| word.eq_ignore_ascii_case(link))
}

/// Splits a word at its separators.
pub(in crate::tour) fn split_at_separators(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Letters of other alphabets are part of a name.
    let is_plain = word.is_ascii()
        || String::from_utf8_lossy(word).chars().all(|c| c.is_ascii() || !c.is_alphanumeric());
    let separates = move |b: &u8| {
        is_plain
            && (matches!(b, b'-' | b'>' | b';' | b':' | b'(' | b')' | b'=' | b'"' | b'\'') || !b.is_ascii())
    };
    word.split(separates).filter(|part| !part.is_empty())
}

/// Returns a square without its number, piece letter and comment signs.
fn strip_notation(part: &[u8]) -> &[u8] {
    let part = parse_move_number(part, part).map_or(part, |(_, rest)| rest);
    let end =
        part.iter().rposition(|b| !matches!(b, b'.' | b'!' | b'?' | b'+' | b'#')).map_or(0, |at| at + 1);
    match &part[..end] {
        // `Nxa1` captures on a1; no board is wide enough for a file `xa`.
        [piece, b'x', rest @ ..] if begins_with_piece_letter(*piece, rest) => rest,
        [piece, rest @ ..] if begins_with_piece_letter(*piece, rest) => rest,
        part => part,
    }
}

fn begins_with_piece_letter(first: u8, rest: &[u8]) -> bool {
    first.is_ascii_uppercase() && rest.first().is_some_and(u8::is_ascii_lowercase)
}

/// Returns true if a word must be parsed by [`parse_squares`] although it may be a square's name: `Na1` could
/// also be on file `na`.
pub(in crate::tour) fn has_piece_letter(word: &[u8]) -> bool {
    word.split_first().is_some_and(|(&first, rest)| begins_with_piece_letter(first, rest))
}

/// Returns a line without the number that counts it: `12 a1`, `Move 12: a1`.
pub(in crate::tour) fn strip_move_number(text: &[u8]) -> &[u8] {
    let counted = strip_counter_word(text);
    let digits = counted.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = &counted[digits..];
    let is_apart = rest.first().is_some_and(|b| b.is_ascii_whitespace() || *b == b',');
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    if digits > 0 && is_apart && rest.first().is_some_and(u8::is_ascii_alphabetic) { rest } else { counted }
}

/// Returns a line without the word before its number.
pub(in crate::tour) fn strip_counter_word(text: &[u8]) -> &[u8] {
    let word = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rest = text[word..].trim_ascii_start();
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_square = |b: &&u8| b.is_ascii_alphabetic() || **b == b'"';
    let behind = rest[digits..].iter().find(|b| !b.is_ascii_whitespace() && !b".:)=-,>#".contains(b));
    let counts = digits > 0 && behind.filter(is_square).is_some();
    if word > 0 && counts && is_counter_word(&text[..word]) { rest } else { text }
}

/// Number of words of a line that are examined.
const MAX_EXAMINED_WORDS: usize = 32;

/// Returns true if a line is a sentence of at least three squares and words that link them. A line of two
/// squares may be a title.
pub(in crate::tour) fn is_sentence_of_squares(text: &[u8]) -> bool {
    let some = || split_words(text).take(MAX_EXAMINED_WORDS);
    let squares = some().flat_map(parse_squares).filter(Result::is_ok).count();
    let is_part = |word: &[u8]| is_link_word(word) || parse_squares(word).all(|square| square.is_ok());
    squares > 2 && some().any(is_link_word) && some().all(is_part)
}

/// Returns true if more than half of the first words of a line are squares or count squares.
pub(in crate::tour) fn is_mostly_squares(text: &[u8]) -> bool {
    let fits = |word: &&[u8]| {
        parse_squares(word).all(|square| square.is_ok()) && !is_counter_word(word) && !is_link_word(word)
    };
    let some = || split_words(text).take(MAX_EXAMINED_WORDS);
    let any = some().any(|word| parse_squares(word).any(|square| square.is_ok()));
    any && 2 * some().filter(fits).count() > some().count()
}

/// A number, the count of squares before it, and whether it may equal the previous number, because several
/// points follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoveNumber {
    number: u64,
    squares_before: usize,
    may_repeat: bool,
}

/// The numbers of a tour.
#[derive(Clone, Debug, Default)]
pub(in crate::tour) struct MoveNumbers {
    numbers: Vec<MoveNumber>,
}

impl MoveNumbers {
    /// Returns the numbers of a line.
    pub(in crate::tour) fn from_line(text: &[u8]) -> Self {
        let mut counts = Self::default();
        counts.add_line(text, 0);
        counts
    }

    /// Adds the numbers of a line that `before` squares precede.
    pub(in crate::tour) fn add_line(&mut self, text: &[u8], before: usize) {
        let is_blank = |b: u8| b.is_ascii_whitespace() || b == b',' || b == b'(';
        let begins = |pair: &[u8]| is_blank(pair[0]) && pair[1].is_ascii_digit();
        let counted = strip_counter_word(text);
        if !counted.first().is_some_and(u8::is_ascii_digit) && !text.windows(2).any(begins) {
            return;
        }
        let (mut squares, rest) = (before, strip_move_number(text));
        if rest.len() < counted.len() {
            let digits = counted.iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&counted[..digits]).ok().and_then(|digits| digits.parse().ok());
            self.numbers.extend(number.map(|number| MoveNumber {
                number,
                squares_before: squares,
                may_repeat: false,
            }));
        }
        for word in split_words(rest) {
            for part in split_at_separators(word) {
                if let Some(((number, points), _)) = parse_move_number(part, word) {
                    self.numbers.push(MoveNumber { number, squares_before: squares, may_repeat: points > 1 });
                }
                squares += name_parts(part).count();
            }
        }
    }

    /// Returns an error if the numbers do not count.
    pub(in crate::tour) fn check(&self) -> Result<(), ReadErrorKind> {
        let Some(first) = self.numbers.first() else { return Ok(()) };
        let by_one = |pair: &&[MoveNumber]| {
            pair[1].number.checked_sub(pair[0].number) == Some(1)
                || pair[1].may_repeat && pair[1].number == pair[0].number
        };
        let by_squares = |pair: &&[MoveNumber]| {
            pair[1].number.checked_sub(pair[0].number)
                == Some((pair[1].squares_before - pair[0].squares_before) as u64)
        };
        let wrong = |counts: &dyn Fn(&&[MoveNumber]) -> bool| {
            let begins = first.squares_before == 0
                || first.number < 2
                || first.number.abs_diff(first.squares_before as u64) < 2;
            let place = self.numbers.windows(2).position(|pair| !counts(&pair)).map(|at| at + 1);
            if begins { place } else { Some(0) }
        };
        match (wrong(&by_one), wrong(&by_squares)) {
            (Some(a), Some(b)) => {
                let MoveNumber { number, squares_before: squares, .. } = self.numbers[a.max(b)];
                Err(ReadErrorKind::MoveNumber { number, square: squares + 1 })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_squares_accepts_common_notations() {
        let expected: Vec<Square> = ["a1", "b3", "c5"].iter().map(|name| name.parse().unwrap()).collect();
        for text in [
            "a1 b3 c5",
            "a1-b3-c5",
            "a1,b3, c5",
            "a1 - b3 - c5",
            "a1 -> b3 → c5",
            "Na1 Nb3 Nc5",
            "Na1-b3-c5",
            "1. a1 2. b3 3. c5",
            "1.Na1 Nb3 2.Nc5",
            "1) a1 2) b3 3) c5",
            "1: a1; 2: b3; 3: c5",
            "a1–b3–c5.",
            "Na1 Nxb3 Nxc5",
            "Move 1: a1, Move 2: b3, Move 3: c5",
            "a1b3 c5",
            "a1b3c5",
            "A1B3C5",
            "\"a1\", \"b3\", 'c5',",
        ] {
            assert!(is_mostly_squares(strip_move_number(text.as_bytes())), "{text}");
            let found: Result<Vec<Square>, _> =
                split_words(strip_move_number(text.as_bytes())).flat_map(parse_squares).collect();
            assert_eq!(found.as_ref(), Ok(&expected), "{text}");
        }
        for text in ["from a1 to b3 to c5", "From a1 to b3, then to c5.", "a1 and b3 and c5"] {
            let found: Result<Vec<Square>, _> =
                split_words(text.as_bytes()).flat_map(parse_squares).collect();
            assert_eq!(found.as_ref(), Ok(&expected), "{text}");
            assert!(is_sentence_of_squares(text.as_bytes()), "{text}");
        }
        for title in ["From a1 to b3", "Tour from a1 to b3 to c5", "to and from", "a1 b3 c5"] {
            assert!(!is_sentence_of_squares(title.as_bytes()), "{title}");
        }
        for (text, rest) in [
            ("12 a1", "a1"),
            ("1\ta1 b3", "a1 b3"),
            ("3, c5", "c5"),
            ("1. a1", "1. a1"),
            ("1 4", "1 4"),
            ("Move 7 a1", "a1"),
            ("step 2: b3", "2: b3"),
            ("Move 7", "Move 7"),
        ] {
            assert_eq!(strip_move_number(text.as_bytes()), rest.as_bytes());
        }
        assert!(is_mostly_joined_squares(b"a1b3c5d7el") && is_mostly_joined_squares(b"alc2a3b1"));
        assert!(!is_mostly_joined_squares(b"a1b3") && !is_mostly_joined_squares(b"e3b0c44298fc1c14"));
        for wrong in ["\u{430}3", "b3-\u{3b4}", "\u{3b4}"] {
            assert!(parse_squares(wrong.as_bytes()).any(|square| square.is_err()), "{wrong}");
        }
        assert!(
            has_piece_letter(b"Na1")
                && !has_piece_letter(b"na1")
                && !has_piece_letter(b"NA1")
                && !has_piece_letter(b"a1")
        );
        for other in ["A tour from a1 to b3", "Tour 1", "kind,squares", "12 3 4"] {
            assert!(!is_mostly_squares(other.as_bytes()), "{other}");
        }
    }
}

#[cfg(test)]
mod counted_tests {
    use super::*;

    fn check(lines: &[&str]) -> Result<(), ReadErrorKind> {
        let (mut counts, mut squares) = (MoveNumbers::default(), 0);
        for line in lines {
            counts.add_line(line.as_bytes(), squares);
            squares += split_words(strip_move_number(line.as_bytes())).flat_map(name_parts).count();
        }
        counts.check()
    }

    #[test]
    fn check_accepts_counts_of_squares_moves_or_lines() {
        for lines in [
            &["1. a1 2. b3 3. c5"][..],
            &["0: a1", "1: b3", "2: c5"],
            &["1) Na1 Nb3 2) Nc5 Nd7", "3) e5"],
            &["1. a1 b3 c5 d7", "5. f8 g6 h4", "8. a2"],
            &["1.Na1 1...Nb3 2.Nc5"],
            &["1. a1-b3 2. b3-c5"],
            &["7 a1", "8 b3"],
            &["a1 1. b3 2. c5"],
            &["a1 b3 (2) c5"],
            &["Move 1: a1", "Move 2: b3"],
            &["17. a1 b3 c5"],
            &["a1 b3"],
            &["a1-b3 a1b3"],
        ] {
            assert!(check(lines).is_ok(), "{lines:?}");
        }
        for (lines, number, square) in [
            (&["1. a1 7. b3 3. c5"][..], 7, 2),
            (&["1. a1", "7. b3"], 7, 2),
            (&["1 a1", "3 b3", "4 c5"], 3, 2),
            (&["1. a1 b3", "2. c5 d7", "4. e5"], 4, 5),
            (&["2. a1 1. b3"], 1, 2),
            (&["a1 b3 c5 7. d7"], 7, 4),
            (&["Step 1: a1", "Step 1: b3"], 1, 2),
        ] {
            let error = check(lines).unwrap_err();
            let is_match = matches!(error, ReadErrorKind::MoveNumber { number: n, square: s } if (n, s) == (number, square));
            assert!(is_match, "{lines:?}: {error}");
        }
    }
}
