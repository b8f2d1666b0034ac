//! The kind of a line in a file of tours, decided by its start.
//!
//! A line with letters that holds neither squares nor numbers for the most part may be a title: it is skipped
//! if a tour follows. A title is short and has no brackets or quotes, so that no damaged tour is taken for
//! one.

use crate::board::{Board, BoardError};

use super::array_literal::{assigned_array, call_argument, is_tuple};
use super::csv_row::CsvColumns;
use super::grid_table;
use super::lexer::{is_grid_row, parse_square, parse_vertex, split_words};
use super::square_notation::{
    is_mostly_joined_squares, is_mostly_squares, is_sentence_of_squares, name_parts, strip_move_number,
};
use super::step_table::TableHeader;
use crate::tour::file_format::FileHeader;

/// Largest title, in bytes and in words.
const MAX_TITLE_BYTES_AND_WORDS: (usize, usize) = (120, 16);
/// Number of words of a line that are examined.
const MAX_EXAMINED_WORDS: usize = 16;

/// Kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::tour) enum LineKind {
    Blank,
    Comment,
    /// A header with the board and kind of the tours that follow.
    Header(Result<FileHeader, BoardError>),
    /// A CSV header.
    CsvHeader(CsvColumns),
    CsvRow,
    /// The header of a table with a row for each square.
    TableHeader(TableHeader),
    Json,
    /// The first line of an array.
    Array,
    /// A row of a grid.
    GridRow,
    /// A rule of a table.
    Rule,
    /// File letters above or below a grid; `corner` is true if an empty cell precedes them.
    FileLetters {
        has_corner_cell: bool,
        count: usize,
    },
    /// Squares, or names of vertices.
    Names,
    Title,
    Unknown,
}

/// Returns the kind of a line. `graph` is the board if it is known and not a rectangle; `csv` is true below a
/// CSV header.
pub(in crate::tour) fn classify_line(line: &[u8], graph: Option<&Board>, csv: bool) -> LineKind {
    let text = line.trim_ascii();
    // A line of only commas or semicolons may end or separate arrays.
    let first = match text.first() {
        Some(&first) if !text.iter().all(|b| matches!(b, b',' | b';')) => first,
        _ => return LineKind::Blank,
    };
    if let Some(columns) = CsvColumns::parse_header(text) {
        return LineKind::CsvHeader(columns);
    }
    match (first, graph) {
        (b'#', _) => FileHeader::parse_line(text).map_or(LineKind::Comment, LineKind::Header),
        (b'{', _) if text.starts_with(b"{|") => LineKind::Unknown,
        (b'{', _) if is_object(text) => LineKind::Json,
        _ if csv => LineKind::CsvRow,
        (_, Some(board)) => classify_graph_line(board, text, line),
        (b'[' | b'{', None) => LineKind::Array,
        (_, None) => classify_rectangle_line(text, line, first),
    }
}

/// Returns the kind of a line of a known board that is not a rectangle. Its names may be any words, so they
/// are tried first.
fn classify_graph_line(board: &Board, text: &[u8], line: &[u8]) -> LineKind {
    if is_grid_row(board, text) {
        return LineKind::GridRow;
    }
    let is_name = |word: &[u8]| parse_vertex(board, word).is_ok();
    let (mut names, mut all) = (0, 0);
    for word in split_words(text).take(MAX_EXAMINED_WORDS) {
        (names, all) = (names + usize::from(is_name(word)), all + 1);
    }
    if names == all {
        return LineKind::Names;
    }
    if matches!(text.first(), Some(b'[' | b'{')) {
        return LineKind::Array;
    }
    if grid_table::is_rule(text) {
        return LineKind::Rule;
    }
    if let Some((corner, count)) = grid_table::parse_file_letters(text) {
        return LineKind::FileLetters { has_corner_cell: corner, count };
    }
    if grid_table::has_bar(text) {
        return LineKind::GridRow;
    }
    if is_mostly_names(board, text) {
        return LineKind::Names;
    }
    if is_array(text) {
        return LineKind::Array;
    }
    if let Some(head) = TableHeader::parse(line) {
        return LineKind::TableHeader(head);
    }
    // In a tour with a wrong name at least some names are right.
    let is_title = names == 0 && all > 1 && may_be_title(text) && !has_squares(text);
    if is_title || is_layer_title(text) { LineKind::Title } else { LineKind::Names }
}

/// Returns true if more than half of the first words are vertex names, possibly with move numbers or
/// separators.
fn is_mostly_names(board: &Board, text: &[u8]) -> bool {
    let is_name = |part: &[u8]| parse_vertex(board, part).is_ok();
    let some = || split_words(strip_move_number(text)).take(MAX_EXAMINED_WORDS);
    let any = some().any(|word| name_parts(word).any(is_name));
    any && 2 * some().filter(|word| name_parts(word).all(is_name)).count() > some().count()
}

/// Returns true if a line names a layer of a box: `Layer 2:`.
fn is_layer_title(text: &[u8]) -> bool {
    let mut words = split_words(text);
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
    assigned_array(text).or_else(|| call_argument(text)).is_some() || is_tuple(text)
}

fn classify_rectangle_line(text: &[u8], line: &[u8], first: u8) -> LineKind {
    if is_array(text) {
        return LineKind::Array;
    }
    let word = split_words(text).next().unwrap_or_default();
    if first.is_ascii_lowercase() && parse_square(word).is_ok() {
        return LineKind::Names;
    }
    if let Some(head) = TableHeader::parse(line) {
        return LineKind::TableHeader(head);
    }
    if grid_table::is_rule(text) {
        return LineKind::Rule;
    }
    if let Some((corner, count)) = grid_table::parse_file_letters(text) {
        return LineKind::FileLetters { has_corner_cell: corner, count };
    }
    if grid_table::has_bar(text) || is_row(text) {
        return LineKind::GridRow;
    }
    if parse_square(word).is_ok()
        || is_mostly_squares(strip_move_number(text))
        || is_sentence_of_squares(text)
    {
        return LineKind::Names;
    }
    match may_be_title(text) {
        true if has_squares(text) => LineKind::Names,
        true => LineKind::Title,
        false => LineKind::Unknown,
    }
}

/// Returns true if a line is a row of numbers, possibly with an error: it begins with two numbers, or most of
/// its words are numbers.
fn is_row(text: &[u8]) -> bool {
    let is_cell = |word: &[u8]| matches!(word, b"." | b"-") || word.iter().all(u8::is_ascii_digit);
    let mut some = split_words(text).take(MAX_EXAMINED_WORDS).map(is_cell);
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
    found > 2 || words().any(is_mostly_joined_squares) || found > 1 && 2 * found > words().count()
}

/// Returns true if a possible title may close a file: it has a word of letters, a number and no possible
/// square, or it is a closing tag of HTML.
pub(in crate::tour) fn may_close_file(text: &[u8]) -> bool {
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
    text.len() <= MAX_TITLE_BYTES_AND_WORDS.0
        && text.split_whitespace().count() <= MAX_TITLE_BYTES_AND_WORDS.1
        && text.contains(char::is_alphabetic)
        && !begins_as_rule(text)
        && !text.contains(|c: char| c.is_control() && c != '\t')
        && !text.contains(['{', '}', '[', ']', '"', '\\', ';'])
        && text.split(',').count() <= 3
}

/// Returns true if the start of a long line can be that of a tour of a rectangle.
pub(in crate::tour) fn may_begin_tour(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let word = text.split(|b| b.is_ascii_whitespace() || *b == b',').next().unwrap_or_default();
    match text.first() {
        None | Some(b'{' | b'#' | b'.' | b'-' | b'[' | b'|' | b'+') => true,
        Some(b) if b.is_ascii_digit() && word.iter().all(u8::is_ascii_digit) => word.len() <= 20,
        _ => {
            let begin = &text[..text.len().min(256)];
            parse_square(word).is_ok() || is_mostly_squares(begin) || is_sentence_of_squares(begin)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classify_line_recognises_lines_of_rectangles() {
        let kind_of = |text: &str| classify_line(text.as_bytes(), None, false);
        for (text, expected) in [
            ("", LineKind::Blank),
            (";", LineKind::Blank),
            ("int tour[3][4] = {{1,4,", LineKind::Array),
            ("12 a1", LineKind::Names),
            ("from a1 to b3 to c5", LineKind::Names),
            ("From a1 to b3", LineKind::Title),
            ("# a remark", LineKind::Comment),
            ("kind,squares", LineKind::CsvHeader(CsvColumns::default())),
            ("{\"squares\":[]}", LineKind::Json),
            ("[[1,2],", LineKind::Array),
            ("{{1,2},", LineKind::Array),
            ("{ 1,2},", LineKind::Array),
            ("1 2 3", LineKind::GridRow),
            ("12", LineKind::GridRow),
            (". 4 -", LineKind::GridRow),
            ("12 9 2 x", LineKind::GridRow),
            ("x 9 2 5", LineKind::GridRow),
            ("| 1 | 2 |", LineKind::GridRow),
            ("+---+---+", LineKind::Rule),
            ("a b c d", LineKind::FileLetters { has_corner_cell: false, count: 4 }),
            ("|  | a | b |", LineKind::FileLetters { has_corner_cell: true, count: 2 }),
            ("a1 b3", LineKind::Names),
            ("Na1 Nb3", LineKind::Names),
            ("A1 B3", LineKind::Names),
            ("1. a1 2. b3", LineKind::Names),
            ("a9x b3 c5", LineKind::Names),
            ("Tour 1:", LineKind::Title),
            ("8x8 closed tour", LineKind::Title),
            ("5 by 5, by Euler (1759)", LineKind::Title),
            ("n,row,col,comment", LineKind::TableHeader(TableHeader::Coordinates)),
            ("t = np.array([[1, 4],", LineKind::Array),
            ("array([[1, 4],", LineKind::Array),
            ("\"a1\",", LineKind::Names),
            ("The first square, by Euler", LineKind::Title),
            ("A tour from a1 to h8", LineKind::Title),
            ("d2-b1-a3-cc-a1-b3-c1", LineKind::Names),
            ("(d2)(b1)(a3)(cc)(a1)", LineKind::Names),
            ("d2_b1_a3", LineKind::Names),
            ("d2b1a3c2", LineKind::Names),
            ("d2b1a3cc", LineKind::Names),
            ("plan e3b0c44298fc1c14", LineKind::Title),
            ("?!", LineKind::Unknown),
            ("+----+--g--+", LineKind::Unknown),
            ("┌─g─┐", LineKind::GridRow),
            ("-- A tour --", LineKind::Title),
            ("{\"a1\", \"b3\"};", LineKind::Array),
            ("{ \"tour\": [\"a1\"]}", LineKind::Json),
            ("t1 = [[1, 4],", LineKind::Array),
            ("((1, 4), (3, 2))", LineKind::Array),
            ("Move 1: a1", LineKind::Names),
            ("Move 1", LineKind::Title),
            ("\"kind\":\"open\",\"squares\":[\"a1\"", LineKind::Unknown),
        ] {
            assert_eq!(kind_of(text), expected, "{text}");
        }
        for text in ["step,square,note", "\"Square\"\t\"n\""] {
            assert!(matches!(kind_of(text), LineKind::TableHeader(TableHeader::Squares(_))), "{text}");
        }
        assert_eq!(classify_line(b"closed,a1 b3", None, true), LineKind::CsvRow);
        assert!(matches!(kind_of("# ktour board=5x5 kind=open"), LineKind::Header(Ok(_))));
        assert!(matches!(kind_of("# ktour board=5x"), LineKind::Header(_)));
    }

    #[test]
    fn may_close_file_rejects_squares() {
        for text in ["Found in 0.3 seconds", "Total: 1", "</pre>", "</code></pre>", "-- 3 tours --"] {
            assert!(is_title(text) && may_close_file(text.as_bytes()), "{text}");
        }
        for text in ["a1 b3 and so on", "Nb3", "x b3", "a1c2a3bl", "4 x", "b 3", "the end"] {
            assert!(!is_title(text) || !may_close_file(text.as_bytes()), "{text}");
        }
    }

    fn is_title(text: &str) -> bool {
        classify_line(text.as_bytes(), None, false) == LineKind::Title
    }

    #[test]
    fn may_begin_tour_checks_first_word() {
        for good in
            ["", "  a1 b3", "zz65000,", "12 3", "{", "# x", ". 1", "a1-b3-c5", "1. Na1 2. Nb3", "[[1", "| 1"]
        {
            assert!(may_begin_tour(good.as_bytes()), "{good}");
        }
        for bad in ["aaaaa", "1a", "?", "123456789012345678901"] {
            assert!(!may_begin_tour(bad.as_bytes()), "{bad}");
        }
    }
}
