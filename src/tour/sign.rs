//! The kind of a line in a file of tours, decided by its start.
//!
//! A line with letters that holds neither squares nor numbers for the most part may be a title: it is skipped
//! if a tour follows. A title is short and has no brackets or quotes, so that no damaged tour is taken for
//! one.

use crate::board::{Arena, ArenaError};

use super::assigned::{assigned, called, is_tuple};
use super::columns::Columns;
use super::header::Header;
use super::loose::{is_mostly_together, is_of_squares, is_sentence, parts_of, uncounted};
use super::steps::Head;
use super::table;
use super::words::{is_row_of, parse_square, vertex, words};

/// Largest title, in bytes and in words.
const TITLE: (usize, usize) = (120, 16);
/// Number of words of a line that are examined.
const LOOK: usize = 16;

/// Kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Blank,
    Remark,
    /// A header with the board and kind of the tours that follow.
    Header(Result<Header, ArenaError>),
    /// A CSV header.
    Columns(Columns),
    CsvRow,
    /// The header of a table with a row for each square.
    Steps(Head),
    Json,
    /// The first line of an array.
    Array,
    /// A row of a grid.
    Row,
    /// A rule of a table.
    Rule,
    /// File letters above or below a grid; `corner` is true if an empty cell precedes them.
    Files {
        corner: bool,
        count: usize,
    },
    /// Squares, or names of vertices.
    Names,
    Title,
    Unknown,
}

/// Returns the kind of a line. `graph` is the board if it is known and not a rectangle; `csv` is true below a
/// CSV header.
pub(super) fn sign(line: &[u8], graph: Option<&Arena>, csv: bool) -> Sign {
    let text = line.trim_ascii();
    // A line of only commas or semicolons may end or separate arrays.
    let first = match text.first() {
        Some(&first) if !text.iter().all(|b| matches!(b, b',' | b';')) => first,
        _ => return Sign::Blank,
    };
    if let Some(columns) = Columns::read(text) {
        return Sign::Columns(columns);
    }
    match (first, graph) {
        (b'#', _) => Header::read(text).map_or(Sign::Remark, Sign::Header),
        (b'{', _) if text.starts_with(b"{|") => Sign::Unknown,
        (b'{', _) if is_object(text) => Sign::Json,
        _ if csv => Sign::CsvRow,
        (_, Some(arena)) => of_graph(arena, text, line),
        (b'[' | b'{', None) => Sign::Array,
        (_, None) => of_board(text, line, first),
    }
}

/// Returns the kind of a line of a known board that is not a rectangle. Its names may be any words, so they
/// are tried first.
fn of_graph(arena: &Arena, text: &[u8], line: &[u8]) -> Sign {
    if is_row_of(arena, text) {
        return Sign::Row;
    }
    let is_name = |word: &[u8]| vertex(arena, word).is_ok();
    let (mut names, mut all) = (0, 0);
    for word in words(text).take(LOOK) {
        (names, all) = (names + usize::from(is_name(word)), all + 1);
    }
    if names == all {
        return Sign::Names;
    }
    if matches!(text.first(), Some(b'[' | b'{')) {
        return Sign::Array;
    }
    if table::is_rule(text) {
        return Sign::Rule;
    }
    if let Some((corner, count)) = table::files(text) {
        return Sign::Files { corner, count };
    }
    if table::has_bar(text) {
        return Sign::Row;
    }
    if is_of_names(arena, text) {
        return Sign::Names;
    }
    if is_array(text) {
        return Sign::Array;
    }
    if let Some(head) = Head::read(line) {
        return Sign::Steps(head);
    }
    // In a tour with a wrong name at least some names are right.
    let is_title = names == 0 && all > 1 && may_be_title(text) && !has_squares(text);
    if is_title || layer_title(text) { Sign::Title } else { Sign::Names }
}

/// Returns true if more than half of the first words are vertex names, possibly with move numbers or
/// separators.
fn is_of_names(arena: &Arena, text: &[u8]) -> bool {
    let is_name = |part: &[u8]| vertex(arena, part).is_ok();
    let some = || words(uncounted(text)).take(LOOK);
    let any = some().any(|word| parts_of(word).any(is_name));
    any && 2 * some().filter(|word| parts_of(word).all(is_name)).count() > some().count()
}

/// Returns true if a line names a layer of a box: `Layer 2:`.
fn layer_title(text: &[u8]) -> bool {
    let mut words = words(text);
    let is_layer = words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"layer"));
    is_layer && words.next().is_some() && words.next().is_none()
}

/// Returns true if a brace begins an object, which has keys, and not an array of C or Mathematica.
fn is_object(text: &[u8]) -> bool {
    let inside = text[1..].trim_ascii_start();
    match inside.first() {
        None | Some(b'{' | b'(' | b'-' | b'.' | b'0'..=b'9') => false,
        // A key is followed by a colon.
        Some(b'"') => {
            let end = inside[1..].iter().position(|&b| b == b'"').map(|at| at + 2);
            end.is_none_or(|end| matches!(inside[end..].trim_ascii_start().first(), None | Some(b':')))
        }
        Some(_) => true,
    }
}

/// Returns true if a line begins an array with a name, or in a call.
fn is_array(text: &[u8]) -> bool {
    assigned(text).or_else(|| called(text)).is_some() || is_tuple(text)
}

fn of_board(text: &[u8], line: &[u8], first: u8) -> Sign {
    if is_array(text) {
        return Sign::Array;
    }
    let word = words(text).next().unwrap_or_default();
    if first.is_ascii_lowercase() && parse_square(word).is_ok() {
        return Sign::Names;
    }
    if let Some(head) = Head::read(line) {
        return Sign::Steps(head);
    }
    if table::is_rule(text) {
        return Sign::Rule;
    }
    if let Some((corner, count)) = table::files(text) {
        return Sign::Files { corner, count };
    }
    if table::has_bar(text) || is_row(text) {
        return Sign::Row;
    }
    if parse_square(word).is_ok() || is_of_squares(uncounted(text)) || is_sentence(text) {
        return Sign::Names;
    }
    match may_be_title(text) {
        true if has_squares(text) => Sign::Names,
        true => Sign::Title,
        false => Sign::Unknown,
    }
}

/// Returns true if a line is a row of numbers, possibly with an error: it begins with two numbers, or most of
/// its words are numbers.
fn is_row(text: &[u8]) -> bool {
    let is_cell = |word: &[u8]| matches!(word, b"." | b"-") || word.iter().all(u8::is_ascii_digit);
    let mut some = words(text).take(LOOK).map(is_cell);
    match (some.next(), some.next()) {
        (Some(true), None | Some(true)) => true,
        (Some(a), Some(b)) => {
            let (cells, all) = some.fold((usize::from(a) + usize::from(b), 2), |(cells, all), c| {
                (cells + usize::from(c), all + 1)
            });
            2 * cells > all
        }
        _ => false,
    }
}

/// Returns true if a possible title has three squares, or few other words, with any separators: then it is a
/// tour with an error, which must not be skipped.
fn has_squares(text: &[u8]) -> bool {
    let words = || text.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_square = |word: &&[u8]| word.len() <= 4 && parse_square(word).is_ok();
    let found = words().filter(is_square).count();
    found > 2 || words().any(is_mostly_together) || found > 1 && 2 * found > words().count()
}

/// Returns true if a possible title may close a file: it has a word of letters, a number and no possible
/// square, or it is a closing tag of HTML.
pub(super) fn may_end(text: &[u8]) -> bool {
    let words = || text.split(|b| !b.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let has_word = words().any(|word| word.len() > 2 && word.iter().all(u8::is_ascii_alphabetic));
    let has_number = words().any(|word| word.iter().all(u8::is_ascii_digit));
    let has_square = words().any(|word| parse_square(word).is_ok());
    has_word && has_number && !has_square || text.starts_with(b"</") && text.ends_with(b">")
}

/// Returns true if a line begins like a rule of a table; if it contains letters, it is damaged.
fn begins_as_rule(text: &str) -> bool {
    let mut first = text.chars();
    let is_corner = |c: char| matches!(c, '+' | '|' | '\u{2500}'..='\u{257F}');
    let is_line = |c: char| matches!(c, '-' | '=' | '\u{2500}'..='\u{257F}');
    first.next().is_some_and(is_corner) && first.next().is_some_and(is_line)
}

fn may_be_title(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    text.len() <= TITLE.0
        && text.split_whitespace().count() <= TITLE.1
        && text.contains(char::is_alphabetic)
        && !begins_as_rule(text)
        && !text.contains(|c: char| c.is_control() && c != '\t')
        && !text.contains(['{', '}', '[', ']', '"', '\\', ';'])
        && text.split(',').count() <= 3
}

/// Returns true if the start of a long line can be that of a tour of a rectangle.
pub(super) fn begins_a_tour(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let word = text.split(|b| b.is_ascii_whitespace() || *b == b',').next().unwrap_or_default();
    match text.first() {
        None | Some(b'{' | b'#' | b'.' | b'-' | b'[' | b'|' | b'+') => true,
        Some(b) if b.is_ascii_digit() && word.iter().all(u8::is_ascii_digit) => word.len() <= 20,
        _ => {
            let begin = &text[..text.len().min(256)];
            parse_square(word).is_ok() || is_of_squares(begin) || is_sentence(begin)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_boards_are_told_by_their_beginning() {
        let told = |text: &str| sign(text.as_bytes(), None, false);
        for (text, expected) in [
            ("", Sign::Blank),
            (";", Sign::Blank),
            ("int tour[3][4] = {{1,4,", Sign::Array),
            ("12 a1", Sign::Names),
            ("from a1 to b3 to c5", Sign::Names),
            ("From a1 to b3", Sign::Title),
            ("# a remark", Sign::Remark),
            ("kind,squares", Sign::Columns(Columns::default())),
            ("{\"squares\":[]}", Sign::Json),
            ("[[1,2],", Sign::Array),
            ("{{1,2},", Sign::Array),
            ("{ 1,2},", Sign::Array),
            ("1 2 3", Sign::Row),
            ("12", Sign::Row),
            (". 4 -", Sign::Row),
            ("12 9 2 x", Sign::Row),
            ("x 9 2 5", Sign::Row),
            ("| 1 | 2 |", Sign::Row),
            ("+---+---+", Sign::Rule),
            ("a b c d", Sign::Files { corner: false, count: 4 }),
            ("|  | a | b |", Sign::Files { corner: true, count: 2 }),
            ("a1 b3", Sign::Names),
            ("Na1 Nb3", Sign::Names),
            ("A1 B3", Sign::Names),
            ("1. a1 2. b3", Sign::Names),
            ("a9x b3 c5", Sign::Names),
            ("Tour 1:", Sign::Title),
            ("8x8 closed tour", Sign::Title),
            ("5 by 5, by Euler (1759)", Sign::Title),
            ("n,row,col,comment", Sign::Steps(Head::Coordinates)),
            ("t = np.array([[1, 4],", Sign::Array),
            ("array([[1, 4],", Sign::Array),
            ("\"a1\",", Sign::Names),
            ("The first square, by Euler", Sign::Title),
            ("A tour from a1 to h8", Sign::Title),
            ("d2-b1-a3-cc-a1-b3-c1", Sign::Names),
            ("(d2)(b1)(a3)(cc)(a1)", Sign::Names),
            ("d2_b1_a3", Sign::Names),
            ("d2b1a3c2", Sign::Names),
            ("d2b1a3cc", Sign::Names),
            ("plan e3b0c44298fc1c14", Sign::Title),
            ("?!", Sign::Unknown),
            ("+----+--g--+", Sign::Unknown),
            ("┌─g─┐", Sign::Row),
            ("-- A tour --", Sign::Title),
            ("{\"a1\", \"b3\"};", Sign::Array),
            ("{ \"tour\": [\"a1\"]}", Sign::Json),
            ("t1 = [[1, 4],", Sign::Array),
            ("((1, 4), (3, 2))", Sign::Array),
            ("Move 1: a1", Sign::Names),
            ("Move 1", Sign::Title),
            ("\"kind\":\"open\",\"squares\":[\"a1\"", Sign::Unknown),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        for text in ["step,square,note", "\"Square\"\t\"n\""] {
            assert!(matches!(told(text), Sign::Steps(Head::Squares(_))), "{text}");
        }
        assert_eq!(sign(b"closed,a1 b3", None, true), Sign::CsvRow);
        assert!(matches!(told("# ktour board=5x5 kind=open"), Sign::Header(Ok(_))));
        assert!(matches!(told("# ktour board=5x"), Sign::Header(_)));
    }

    #[test]
    fn what_may_end_a_file_has_no_square() {
        for text in ["Found in 0.3 seconds", "Total: 1", "</pre>", "</code></pre>", "-- 3 tours --"] {
            assert!(told_title(text) && may_end(text.as_bytes()), "{text}");
        }
        for text in ["a1 b3 and so on", "Nb3", "x b3", "a1c2a3bl", "4 x", "b 3", "the end"] {
            assert!(!told_title(text) || !may_end(text.as_bytes()), "{text}");
        }
    }

    fn told_title(text: &str) -> bool {
        sign(text.as_bytes(), None, false) == Sign::Title
    }

    #[test]
    fn long_lines_must_begin_like_tours() {
        for good in
            ["", "  a1 b3", "zz65000,", "12 3", "{", "# x", ". 1", "a1-b3-c5", "1. Na1 2. Nb3", "[[1", "| 1"]
        {
            assert!(begins_a_tour(good.as_bytes()), "{good}");
        }
        for bad in ["aaaaa", "1a", "?", "123456789012345678901"] {
            assert!(!begins_a_tour(bad.as_bytes()), "{bad}");
        }
    }
}
