//! The kind of a line in a file of tours.

use crate::board::{Board, BoardError, Square};

use super::labelled_pairs::count_pairs;
use super::names::is_link_word;
use super::own_rows::CsvColumns;
use super::table::TableHeader;
use super::text_lines::{
    Counts, is_array_title, is_footnote, is_game_tag, is_list_row, is_log_row, is_named_value,
    is_numbered_rule, is_prompt, is_prose, is_table_size, stated_size,
};
use super::token::{Token, TokenKind, decode_line, is_mostly_joined_squares, lex, words};
use crate::text_format::printable_excerpt;
use crate::tour::file_format::FileHeader;
use crate::tour::read_error::ReadErrorKind;
use crate::tour::vertex_positions::VertexPositions;

/// Kind of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Comment,
    /// A header with the board and kind of the tours that follow.
    Header(Result<FileHeader, BoardError>),
    /// A CSV header of ktour.
    CsvHeader(CsvColumns),
    /// A row below a CSV header of ktour.
    CsvRow,
    /// The header of a table with a row for each square.
    TableHeader(TableHeader),
    /// An object with a list `squares` on one line, as ktour writes it.
    Object,
    /// Brackets that hold numbers, squares or names; or labelled pairs, which are read like brackets.
    Brackets,
    /// A row of a grid.
    Numbers,
    /// A rule of a table.
    Rule,
    /// A number of file letters above or below a grid.
    FileLetters(usize),
    /// Column numbers of R above a grid: `[,1] [,2]`.
    ColumnNumbers(usize),
    /// Squares, or names of vertices.
    Names,
    /// Prose, which is skipped.
    Prose,
    /// Signs without letters and digits.
    Signs,
    Unknown,
}

/// Returns the kind of a line. `board` is the board, if known; `is_csv` is true below a CSV header of ktour.
pub(super) fn classify_line(line: &[u8], board: Option<&Board>, is_csv: bool) -> LineKind {
    let text = line.trim_ascii();
    // A line of only commas or semicolons may end or separate arrays, or, with empty quotes, the tours of a table.
    let first = match text.first() {
        Some(&first) if !text.iter().all(|b| matches!(b, b',' | b';' | b'"' | b' ' | b'\t')) => first,
        _ => return LineKind::Blank,
    };
    if let Some(columns) = CsvColumns::parse_header(text) {
        return LineKind::CsvHeader(columns);
    }
    if first == b'#' {
        // A column `#` of numbers.
        let is_column = matches!(text[1..].trim_ascii_start(), [b',' | b';' | b'\t' | b'|', ..])
            || text[1..].first() == Some(&b'\t');
        if let Some(header) = TableHeader::parse(&decode_line(text)).filter(|_| is_column) {
            return LineKind::TableHeader(header);
        }
        if is_lisp_array(text) && board.is_none_or(Board::has_squares) {
            return LineKind::Brackets;
        }
        return classify_comment(text, board);
    }
    if first == b'{' && text.last() == Some(&b'}') && contains(&text[..text.len().min(4096)], b"\"squares\"")
    {
        return LineKind::Object;
    }
    if is_csv {
        return LineKind::CsvRow;
    }
    if text.contains(&0) {
        return LineKind::Unknown;
    }
    // Rows of plain numbers, and squares, need no lexer.
    let graph = board.filter(|board| !board.has_squares());
    if graph.is_none() && text.iter().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'\t')) {
        return LineKind::Numbers;
    }
    let decoded = decode_line(line);
    let tokens = lex(&decoded);
    match graph {
        Some(board) => classify_graph_line(board, decoded.trim(), &tokens),
        None => classify_tokens(&decoded, &tokens),
    }
}

/// Returns true for a line of an array of Lisp or Scheme that begins with `#`: `#2A((1 4 7 10)`, `#(1 4 7 10)`.
fn is_lisp_array(text: &[u8]) -> bool {
    let digits = text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = &text[1 + digits..];
    let is_array = if digits > 0 { behind.starts_with(b"A(") } else { behind.starts_with(b"(") };
    let is_sign = |b: &u8| b.is_ascii_digit() || matches!(b, b'#' | b'(' | b')' | b' ' | b'\t');
    is_array && behind[1..].iter().all(is_sign)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Returns the kind of a line that begins with `#`: `#1 a3` is not a comment, and `#1 4 7` may be a row.
fn classify_comment(text: &[u8], board: Option<&Board>) -> LineKind {
    let counts = text.get(1).is_some_and(u8::is_ascii_digit) && board.is_none_or(Board::has_squares);
    if counts {
        let decoded = decode_line(text);
        let tokens = lex(&decoded);
        if tokens.iter().any(|token| token.kind == TokenKind::Square) {
            return LineKind::Names;
        }
        if tokens.len() > 2 && !tokens.iter().any(|token| token.kind == TokenKind::Word) {
            return LineKind::Prose;
        }
    }
    FileHeader::parse_line(text).map_or(LineKind::Comment, LineKind::Header)
}

fn classify_tokens(line: &str, tokens: &[Token<'_>]) -> LineKind {
    let text = line.trim();
    let counts = Counts::new(tokens);
    let has_content = counts.squares + counts.numbers + counts.words + counts.odd_words + counts.letters > 0;
    if is_rule(text) {
        return LineKind::Rule;
    }
    if let Some(letters) = count_file_letters(text) {
        return LineKind::FileLetters(letters);
    }
    if let Some(columns) = count_column_numbers(tokens) {
        return LineKind::ColumnNumbers(columns);
    }
    if let Some(header) = TableHeader::parse(line) {
        return LineKind::TableHeader(header);
    }
    if !has_content && counts.holes == 0 && counts.bars == 0 {
        let is_bracket =
            tokens.iter().any(|token| matches!(token.kind, TokenKind::Open(_) | TokenKind::Close(_)));
        return if is_bracket && !text.starts_with('<') { LineKind::Brackets } else { LineKind::Signs };
    }
    if text.starts_with("{|") || is_markup(text.as_bytes()) {
        return LineKind::Unknown;
    }
    // `1.` is a number of a tour by names, whose squares are on the lines below.
    if let [number, sign] = tokens
        && number.is_number()
        && matches!(sign.kind, TokenKind::Points | TokenKind::Colon | TokenKind::Close(')'))
    {
        return LineKind::Names;
    }
    if counts.squares == 0 && count_pairs(tokens) > 0 {
        return LineKind::Brackets;
    }
    if is_game_tag(tokens)
        || is_footnote(line, tokens)
        || is_array_title(text)
        || is_numbered_rule(tokens)
        || is_table_size(tokens)
        || counts.numbers < 2 && is_prompt(text, tokens)
    {
        return LineKind::Prose;
    }
    let opens = opens_brackets(tokens) || is_linked_pair(tokens);
    if counts.squares > 0 {
        return match () {
            () if is_list_row(tokens) || is_log_row(tokens) => LineKind::Names,
            () if opens => LineKind::Brackets,
            () if is_prose(text, tokens) => LineKind::Prose,
            () => LineKind::Names,
        };
    }
    let is_size = || {
        counts.words + counts.odd_words > 0 && tokens.len() < 8
            || tokens.iter().any(|token| matches!(token.kind, TokenKind::Equals | TokenKind::Colon))
    };
    let is_size = || is_size() && stated_size(text).is_some();
    if (is_prose(text, tokens) || is_named_value(tokens) || is_size()) && !opens {
        return LineKind::Prose;
    }
    let has_open = tokens.iter().any(|token| matches!(token.kind, TokenKind::Open(_)));
    if opens || has_open && !is_labelled_row(tokens) {
        return LineKind::Brackets;
    }
    if counts.bars > 0 || is_row(tokens) {
        return LineKind::Numbers;
    }
    // A tour with a wrong name in each place, or joined squares with an error.
    let is_damaged = counts.odd_words > 0
        && tokens.iter().any(|token| token.kind == TokenKind::Word && is_mostly_joined_squares(token.text));
    if is_damaged { LineKind::Names } else { LineKind::Unknown }
}

/// Returns true if a line begins with a tag of HTML or XML that is not a closing one.
fn is_markup(text: &[u8]) -> bool {
    matches!(text, [b'<', b'!' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns true if the line is, or continues, an array or a map: the first token that is not a word or a sign is
/// an opening bracket, or a bracket follows an equals sign or a word directly.
fn opens_brackets(tokens: &[Token<'_>]) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    // `[1,] 1 4` is a row of R.
    if is_labelled_row(tokens) {
        return false;
    }
    let is_quiet = |token: &&Token<'_>| {
        matches!(token.kind, TokenKind::Word | TokenKind::Sign | TokenKind::Equals | TokenKind::Rule)
            && !token.is_quoted
    };
    let before = tokens.iter().take_while(is_quiet).count();
    let is_assigned = |at: usize| at > 0 && matches!(kind(at - 1), Some(TokenKind::Equals));
    let is_called = |at: usize| {
        at > 0 && !tokens[at].is_apart && matches!(kind(at - 1), Some(TokenKind::Word | TokenKind::Sign))
    };
    let first = matches!(kind(before), Some(TokenKind::Open(bracket)) if bracket != '(' || before == 0 || is_assigned(before) || is_called(before));
    // `(a1) (b3)` is a line of squares.
    let is_round = matches!(kind(before), Some(TokenKind::Open('(')));
    let squares = tokens.iter().filter(|token| token.kind == TokenKind::Square && !token.is_quoted).count();
    let assigned =
        (0..tokens.len()).any(|at| matches!(kind(at), Some(TokenKind::Open(_))) && is_assigned(at));
    let has_name = tokens.iter().take(before).any(|token| token.kind == TokenKind::Equals);
    assigned || first && !(is_round && squares > 0 && !has_name && before == 0)
}

/// Returns true for a pair of numbers in brackets behind words that link squares: `Knight at (0, 0)`.
fn is_linked_pair(tokens: &[Token<'_>]) -> bool {
    use TokenKind::{Close, Comma, Number, Open, Word};
    let is_pair = |five: &[Token<'_>]| {
        matches!(
            [five[0].kind, five[1].kind, five[2].kind, five[3].kind, five[4].kind],
            [Open(_), Number(_), Comma, Number(_), Close(_)]
        )
    };
    tokens.windows(5).any(is_pair)
        && tokens.iter().all(|token| token.kind != Word || is_link_word(token.text))
}

/// Returns true for a row with a label in brackets of its own: `[1,] 1 4`, `(1) 1 4`.
fn is_labelled_row(tokens: &[Token<'_>]) -> bool {
    use TokenKind::{Close, Comma, Number, Open};
    let kinds: Vec<TokenKind> = tokens.iter().take(5).map(|token| token.kind).collect();
    let is_plain = |from: usize| !tokens[from..].iter().any(|token| matches!(token.kind, Open(_) | Close(_)));
    match kinds[..] {
        [Open('['), Number(_), Comma, Close(']'), ..] => is_plain(4),
        [Open(_), Number(_), Close(_), Number(_), ..] => is_plain(3),
        _ => false,
    }
}

/// Returns the number of columns of a header of R, `[,1] [,2] [,3]`.
fn count_column_numbers(tokens: &[Token<'_>]) -> Option<usize> {
    use TokenKind::{Close, Comma, Number, Open};
    let is_column = |group: &[Token<'_>]| matches!(group, [a, b, c, d] if a.kind == Open('[') && b.kind == Comma && matches!(c.kind, Number(_)) && d.kind == Close(']'));
    let groups = tokens.chunks(4);
    (!tokens.is_empty() && groups.clone().all(is_column)).then(|| groups.count())
}

/// Returns true if a line is only a rule: `+---+---+`, `|---|---|`. A single dash is a removed square.
fn is_rule(text: &str) -> bool {
    let text = text.as_bytes();
    let draws = |b: &u8| matches!(b, b'-' | b'+' | b'|' | b':' | b'=' | b'_' | b' ' | b'\t');
    text.iter().all(draws)
        && (text.contains(&b'+')
            || text.windows(3).any(|three| matches!(three, b"---" | b"===" | b"___"))
            || (text.contains(&b'|') && text.windows(2).any(|pair| matches!(pair, b"--" | b":-" | b"-:"))))
}

/// Returns the number of file letters on a line; they run from `a` on, with `aa` behind `z`, and begin again for
/// each layer of a box.
fn count_file_letters(text: &str) -> Option<usize> {
    let (mut found, mut next) = (0usize, 0u16);
    for word in
        text.split(|c: char| c.is_whitespace() || c == '|' || c == ',').filter(|word| !word.is_empty())
    {
        // Most lines are no such line: their first word shows it.
        if word.len() > 4 || !word.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        if word.eq_ignore_ascii_case("a") {
            next = 0;
        }
        let name = Square::new(next, 0).to_string();
        if !name.strip_suffix('1').is_some_and(|letters| letters.eq_ignore_ascii_case(word)) {
            return None;
        }
        (found, next) = (found + 1, next.checked_add(1)?);
    }
    (found > 0).then_some(found)
}

/// Returns true if a line is a row of numbers, possibly with an error: it begins with two cells, or most of
/// its words are cells.
fn is_row(tokens: &[Token<'_>]) -> bool {
    let is_cell = |token: &Token<'_>| matches!(token.kind, TokenKind::Number(_) | TokenKind::Hole);
    let is_content = |token: &&Token<'_>| is_cell(token) || token.kind == TokenKind::Word;
    let cells: Vec<bool> = tokens.iter().filter(is_content).take(16).map(is_cell).collect();
    match cells[..] {
        [] => false,
        [true] | [true, true, ..] => true,
        _ => 2 * cells.iter().filter(|&&cell| cell).count() > cells.len(),
    }
}

/// Returns the kind of a line of a graph whose names may be any words, so they are tried first.
fn classify_graph_line(board: &Board, text: &str, tokens: &[Token<'_>]) -> LineKind {
    if is_graph_grid_row(board, text) {
        return LineKind::Numbers;
    }
    let is_name = |word: &str| board.vertex(word).is_ok();
    let is_separator = |c: char| {
        c.is_whitespace()
            || matches!(c, ',' | ';' | ':' | '-' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'')
    };
    let (mut names, mut all) = (0, 0);
    for word in words(text).take(16) {
        let is_named = is_name(word) || word.split(is_separator).filter(|part| !part.is_empty()).any(is_name);
        (names, all) = (names + usize::from(is_named), all + 1);
    }
    if text.starts_with(['[', '{']) && !text.split_whitespace().all(is_name) {
        return LineKind::Brackets;
    }
    if names == all && all > 0 {
        return LineKind::Names;
    }
    if is_rule(text) {
        return LineKind::Rule;
    }
    if let Some(header) = TableHeader::parse(text) {
        return LineKind::TableHeader(header);
    }
    if VertexPositions::of_board(board).is_ok() && (text.contains('|') || count_file_letters(text).is_some())
    {
        return count_file_letters(text).map_or(LineKind::Numbers, LineKind::FileLetters);
    }
    if opens_brackets(tokens) && names == 0 {
        return LineKind::Brackets;
    }
    // In a tour with a wrong name at least some names are right.
    if names == 0 && all > 1 && is_prose(text, tokens) { LineKind::Prose } else { LineKind::Names }
}

/// Returns true if a line is the row of a grid and not a tour by names, which may be numbers as well. If the
/// board has a layout, its rows have as many numbers as columns, or one number for each square if no number is
/// a name.
fn is_graph_grid_row(board: &Board, text: &str) -> bool {
    let is_cell = |word: &str| matches!(word, "." | "-") || word.bytes().all(|b| b.is_ascii_digit());
    VertexPositions::of_board(board).is_ok_and(|positions| {
        let found = words(text).count();
        let is_row = found == usize::from(positions.cols()) && found != board.len();
        let is_list = found == usize::from(positions.rows()) * usize::from(positions.cols())
            && !words(text).any(|word| board.vertex(word).is_ok());
        found > 0 && words(text).all(is_cell) && (is_row || is_list)
    })
}

/// First bytes of image files: SVG, PNG, JPEG, GIF.
const IMAGE_SIGNATURES: [&[u8]; 4] = [b"<svg", b"\x89PNG", b"\xff\xd8\xff", b"GIF8"];

/// Returns the error for a line that fits no format.
pub(super) fn unrecognised_line(text: &[u8]) -> ReadErrorKind {
    let text = text.trim_ascii();
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        ReadErrorKind::Utf16
    } else if text.len() > 3 && text.iter().filter(|b| **b == 0).count().abs_diff(text.len() / 2) < 2 {
        // Without a byte order mark.
        ReadErrorKind::Utf16
    } else if text.contains(&0) {
        ReadErrorKind::BinaryFile
    } else if IMAGE_SIGNATURES.iter().any(|begins| text.starts_with(begins)) {
        ReadErrorKind::ImageFile
    } else if is_markup(text) {
        ReadErrorKind::Html(printable_excerpt(text))
    } else {
        ReadErrorKind::UnrecognisedLine(printable_excerpt(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str) -> LineKind {
        classify_line(text.as_bytes(), None, false)
    }

    #[test]
    fn classify_line_recognises_lines_of_rectangles() {
        for (text, expected) in [
            ("", LineKind::Blank),
            (";", LineKind::Blank),
            ("\"\",\"\"", LineKind::Blank),
            ("(1) row 0, column 0", LineKind::Brackets),
            ("int tour[3][4] = {{1,4,", LineKind::Brackets),
            ("12 a1", LineKind::Names),
            ("from a1 to b3 to c5", LineKind::Names),
            ("# a remark", LineKind::Comment),
            ("# 12 remarks", LineKind::Comment),
            ("# x, y", LineKind::Comment),
            ("1,d2,the knight stands here now", LineKind::Names),
            ("knight at d2,the knight stands here now", LineKind::Names),
            ("1,0,2,the knight stands here now", LineKind::Numbers),
            ("Euler, 1759", LineKind::Prose),
            ("== 2 ==", LineKind::Prose),
            ("#1 a3", LineKind::Names),
            ("kind,squares", LineKind::CsvHeader(CsvColumns::parse_header(b"kind,squares").unwrap())),
            ("{\"squares\":[]}", LineKind::Object),
            ("{\"tour\":[", LineKind::Brackets),
            ("[[1,2],", LineKind::Brackets),
            ("{{1,2},", LineKind::Brackets),
            ("vec![", LineKind::Brackets),
            ("]", LineKind::Brackets),
            ("1: (0,0)", LineKind::Brackets),
            ("[1][4][7]", LineKind::Brackets),
            ("(0,0),(1,2)", LineKind::Brackets),
            ("[('a', 3), ('c', 2)]", LineKind::Brackets),
            ("(0,0) (1,2)(2,0)", LineKind::Brackets),
            ("<0,0> <1,2>", LineKind::Brackets),
            ("x=0 y=5", LineKind::Brackets),
            ("Step 1: row 0, col 0", LineKind::Brackets),
            ("Knight moves to (0, 0)", LineKind::Brackets),
            ("12-element Vector{Tuple{Int64, Int64}}:", LineKind::Prose),
            ("   row col", LineKind::TableHeader(TableHeader::parse("   row col").unwrap())),
            ("A knight on row 0, col 0", LineKind::Prose),
            ("1 2 3", LineKind::Numbers),
            ("12", LineKind::Numbers),
            (". 4 -", LineKind::Numbers),
            ("12 9 2 x", LineKind::Numbers),
            ("x 9 2 5", LineKind::Numbers),
            ("| 1 | 2 |", LineKind::Numbers),
            ("3) 01 04", LineKind::Numbers),
            ("[1,] 1 4", LineKind::Numbers),
            ("1\u{a0}4", LineKind::Numbers),
            ("+---+---+", LineKind::Rule),
            ("a b c d", LineKind::FileLetters(4)),
            ("|  | a | b |", LineKind::FileLetters(2)),
            ("[,1] [,2]", LineKind::ColumnNumbers(2)),
            ("Na1 Nb3", LineKind::Names),
            ("1. a1 2. b3", LineKind::Names),
            ("a9x b3 c5", LineKind::Names),
            ("Solution found: a3 c2 a1", LineKind::Names),
            ("Tour 1:", LineKind::Prose),
            ("8x8 closed tour", LineKind::Prose),
            ("5 by 5, by Euler (1759)", LineKind::Prose),
            ("Found in 0.3 seconds", LineKind::Prose),
            ("<<<... and 300 others>>>", LineKind::Prose),
            ("[Event \"A tour\"]", LineKind::Prose),
            ("</code></pre>", LineKind::Prose),
            ("A tour from a1 to h8", LineKind::Prose),
            ("plan e3b0c44298fc1c14", LineKind::Prose),
            ("\"a1\",", LineKind::Names),
            ("d2-b1-a3-cc-a1-b3-c1", LineKind::Names),
            ("(d2)(b1)(a3)(cc)(a1)", LineKind::Names),
            ("d2b1a3c2", LineKind::Names),
            ("d2b1a3cc", LineKind::Names),
            ("?!", LineKind::Signs),
            ("```", LineKind::Signs),
            ("+----+--g--+", LineKind::Unknown),
            ("{\"a1\", \"b3\"};", LineKind::Brackets),
            ("t1 = [[1, 4],", LineKind::Brackets),
            ("((1, 4), (3, 2))", LineKind::Brackets),
            ("Move 1: a1", LineKind::Names),
            ("x b3", LineKind::Names),
            ("seen b3", LineKind::Names),
            ("4 x", LineKind::Unknown),
            ("<table><tr><td>1</td>", LineKind::Unknown),
        ] {
            assert_eq!(kind_of(text), expected, "{text}");
        }
        for text in [
            "#,x,y",
            "#\tsquare",
            "# ; row ; col",
            "step,square,note",
            "\"Square\"\t\"n\"",
            "n,row,col,comment",
        ] {
            assert!(matches!(kind_of(text), LineKind::TableHeader(_)), "{text}");
        }
        assert_eq!(classify_line(b"closed,a1 b3", None, true), LineKind::CsvRow);
        assert!(matches!(kind_of("# ktour board=5x5 kind=open"), LineKind::Header(Ok(_))));
        assert!(matches!(kind_of("# ktour board=5x"), LineKind::Header(_)));
    }
}
