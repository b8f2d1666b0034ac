//! Lines of a file of tours that are text: sentences, titles, named values and footnotes.
//!
//! A sentence has words, no more numbers than words, and at most two squares among at least four words. So no
//! damaged tour is taken for text.

use super::field_names::{SQUARE_COLUMN_NAMES, split_coordinate_name};
use super::names::is_link_word;
use super::table::split_fields;
use super::token::{Token, TokenKind, decode_line, is_mostly_joined_squares, lex};

/// Longest text that may be prose, in bytes.
const MAX_PROSE_BYTES: usize = 1000;

/// Smallest number of words of prose that has squares.
const MIN_PROSE_WORDS: usize = 4;

/// Longest shape of a line, in bytes.
const MAX_SHAPE_BYTES: usize = 200;

/// Numbers of tokens of each kind on a line.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) squares: usize,
    pub(super) numbers: usize,
    pub(super) holes: usize,
    /// Words of letters only, and words with digits that are not sizes such as `3x4`.
    pub(super) words: usize,
    pub(super) odd_words: usize,
    pub(super) letters: usize,
    pub(super) bars: usize,
}

impl Counts {
    pub(super) fn new(tokens: &[Token<'_>]) -> Self {
        let mut counts = Self::default();
        for token in tokens {
            match token.kind {
                TokenKind::Square => counts.squares += 1,
                TokenKind::Number(_) => counts.numbers += 1,
                TokenKind::Hole => counts.holes += 1,
                TokenKind::Bar => counts.bars += 1,
                TokenKind::Word if is_size(token.text) => {}
                TokenKind::Word if token.is_plain_word() || token.is_quoted => counts.words += 1,
                TokenKind::Word if token.text.chars().nth(1).is_none() => counts.letters += 1,
                TokenKind::Word => counts.odd_words += 1,
                _ => {}
            }
        }
        counts
    }
}

/// Returns true for sizes such as `3x4` and for decimal numbers such as `0.3` and `0.02s`.
fn is_size(word: &str) -> bool {
    let is_decimal = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let word = if is_decimal { word.trim_end_matches(|c: char| c.is_ascii_alphabetic()) } else { word };
    let is_ordinal = word.len() > 2
        && word.is_ascii()
        && word.bytes().take_while(u8::is_ascii_digit).count() + 2 == word.len();
    is_ordinal || word.split(['x', 'X', '.']).all(|part| part.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns true if a line is text and not a tour, not even a damaged one.
pub(super) fn is_prose(text: &str, tokens: &[Token<'_>]) -> bool {
    let counts = Counts::new(tokens);
    let joined =
        tokens.iter().any(|token| token.kind == TokenKind::Word && is_mostly_joined_squares(token.text));
    let has_text = counts.words > 0;
    let is_tag = is_game_tag(tokens) || text.starts_with("</") && text.ends_with('>');
    let is_link = |token: &Token<'_>| is_link_word(token.text);
    let has_other_word = tokens.iter().any(|token| token.is_plain_word() && !is_link(token));
    let is_structured = tokens
        .iter()
        .any(|token| matches!(token.kind, TokenKind::Open('[' | '{') | TokenKind::Close('}' | ']')));
    has_text
        && !joined
        && tokens.iter().all(is_quoted_text)
        && text.len() <= MAX_PROSE_BYTES
        && !text.contains('\u{fffd}')
        && !text.contains(|c: char| c.is_control() && c != '\t')
        && (!is_structured && !begins_as_rule(text) || is_tag)
        && counts.squares <= 2
        && (counts.squares == 0 || has_other_word && counts.words >= MIN_PROSE_WORDS)
        && counts.words >= counts.numbers - count_joined_numbers(tokens) + counts.odd_words
        && counts.bars < 2
        && !has_separated_values(text)
}

/// Returns false for a quoted text that may be a tour: one with a square or several numbers that is no sentence.
fn is_quoted_text(token: &Token<'_>) -> bool {
    if token.kind != TokenKind::Word || !token.is_quoted {
        return true;
    }
    let inside = lex(token.text);
    let counts = Counts::new(&inside);
    counts.squares == 0 && counts.numbers < 2 || is_prose(token.text, &inside)
}

/// Returns true if a line may be a row of a table: a square is next to a comma, semicolon, tab or bar, or a number is
/// alone between them. A comma may precede the only number, as in `Euler, 1759`.
fn has_separated_values(text: &str) -> bool {
    [',', ';', '\t', '|'].into_iter().any(|separator| {
        let fields: Vec<&str> = text.split(separator).filter(|field| !field.trim().is_empty()).collect();
        if fields.len() < 2 {
            return false;
        }
        let ends_with_square = |field: &str| {
            let decoded = decode_line(field.as_bytes());
            let tokens = lex(&decoded);
            [tokens.first(), tokens.last()].into_iter().flatten().any(|token| token.kind == TokenKind::Square)
        };
        let is_number = |field: &&&str| field.trim().trim_matches('"').bytes().all(|b| b.is_ascii_digit());
        let numbers = fields.iter().filter(is_number).count();
        fields.iter().any(|field| ends_with_square(field))
            || is_number(&&fields[0])
            || numbers > usize::from(separator == ',')
    })
}

/// Returns how many numbers follow another one in a date, a time and the like: `2021-05-04`, `12:30`.
fn count_joined_numbers(tokens: &[Token<'_>]) -> usize {
    let joins = |token: &Token<'_>| {
        token.kind == TokenKind::Colon
            || token.kind == TokenKind::Points
            || token.kind == TokenKind::Sign && matches!(token.text, "-" | "/")
    };
    let joined = tokens.windows(3).filter(|three| {
        three[0].is_number()
            && joins(&three[1])
            && three[2].is_number()
            && !three[1].is_apart
            && !three[2].is_apart
    });
    joined.count()
}

/// Returns true for a tag of PGN: `[Event "A tour"]`.
pub(super) fn is_game_tag(tokens: &[Token<'_>]) -> bool {
    // A position has at most one square, that of a pawn; more squares may be a tour.
    let is_text = |value: &Token<'_>| Counts::new(&lex(value.text)).squares < 2;
    matches!(tokens, [open, name, value, close] if open.kind == TokenKind::Open('[')
        && name.kind == TokenKind::Word && !name.is_quoted && value.is_quoted && close.kind == TokenKind::Close(']')
        && is_text(value))
}

/// Returns true if a line begins like a rule of a table; if it contains letters, it is damaged.
fn begins_as_rule(text: &str) -> bool {
    let mut first = text.chars();
    let is_corner = |c: char| matches!(c, '+' | '|');
    first.next().is_some_and(is_corner) && first.next().is_some_and(|c| matches!(c, '-' | '=' | '+'))
}

/// Returns true for a footnote: a number or sign in brackets, and words: `[1] Euler, Berlin 1759`.
pub(super) fn is_footnote(text: &str, tokens: &[Token<'_>]) -> bool {
    let [open, _, close, rest @ ..] = tokens else { return false };
    let is_marked =
        matches!((open.kind, close.kind), (TokenKind::Open('(' | '['), TokenKind::Close(')' | ']')));
    let begins = || text.char_indices().nth(rest.first()?.columns.0).map(|(at, _)| at);
    is_marked && begins().is_some_and(|at| is_prose(&text[at..], rest))
}

/// Returns true for a value with its name: `N = 64`, `seed=42`, `Time: 0.02s`, `Moves: 63`.
pub(super) fn is_named_value(tokens: &[Token<'_>]) -> bool {
    let Some(sign) =
        tokens.iter().position(|token| matches!(token.kind, TokenKind::Equals | TokenKind::Colon))
    else {
        return false;
    };
    let is_name = |token: &Token<'_>| token.kind == TokenKind::Word && !token.is_quoted;
    let is_value = match &tokens[sign + 1..] {
        [value] => value.is_number() || is_name(value) && is_size(value.text),
        _ => false,
    };
    let letters = tokens[..sign].iter().map(|token| token.text.len()).sum::<usize>();
    is_value
        && (1..=4).contains(&sign)
        && tokens[..sign].iter().all(|token| is_name(token) && token.text.chars().all(char::is_alphabetic))
        && (letters > 1 || tokens[sign].kind == TokenKind::Equals)
        && !(sign == 1 && is_link_word(tokens[0].text) && tokens[sign].kind == TokenKind::Colon)
}

/// Returns true for the title of a printed array of Julia: `3x4 Matrix{Int64}:`,
/// `12-element Vector{Tuple{Int64, Int64}}:`.
pub(super) fn is_array_title(text: &str) -> bool {
    let Some((size, kind)) = text.split_once(' ') else { return false };
    let is_size = parse_size(size).is_some() || size.ends_with("-element");
    is_size
        && size.starts_with(|c: char| c.is_ascii_digit())
        && kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.contains('{')
        && kind.ends_with("}:")
}

/// Parses a size such as `3x4`.
fn parse_size(word: &str) -> Option<(u64, u64)> {
    let (rows, cols) = word.split_once(['x', 'X'])?;
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((number(rows)?, number(cols)?))
}

/// Returns the size of the board that a line of text gives, if the line says nothing else: `8x8`, `Board: 8 x 8`,
/// `size = 8x8`, `8 rows, 8 columns`.
pub(super) fn stated_size(line: &str) -> Option<(u64, u64)> {
    let text = line.trim().trim_start_matches(['#', ' ']).trim_end_matches([':', '.']);
    if is_array_title(line.trim()) {
        return parse_size(text.split(' ').next()?);
    }
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, 'x' | 'X' | ' '));
    let behind = &text[name.len()..];
    let begins = name.is_empty() || name.ends_with([':', '=', ' ']) || behind.starts_with(' ');
    let words = name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let are_names = words.iter().all(|word| {
        ["board", "boardsize", "size", "grid", "chessboard", "dimensions", "the", "of"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name))
    });
    let size: String = behind.chars().filter(|c| *c != ' ').collect();
    (begins && are_names).then(|| parse_size(&size)).flatten().or_else(|| named_size(text))
}

/// Words of a line that gives only the size of a board; one of the first ones must be there.
const SIZE_WORDS: [&str; 7] = ["rows", "cols", "columns", "width", "height", "by", "x"];
const OTHER_SIZE_WORDS: [&str; 12] =
    ["w", "h", "m", "n", "and", "board", "boardsize", "size", "grid", "chessboard", "dimensions", "the"];

/// Returns the size of the board on a line of two numbers with words and signs for sizes, such as `rows=3 cols=4`,
/// `3 rows, 4 columns`, `5x5 board`, `3 by 4`. A single letter is a name only before a sign: `m 1 4` may be a row.
fn named_size(text: &str) -> Option<(u64, u64)> {
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | ';' | '*');
    if text.len() > MAX_SHAPE_BYTES || !text.chars().all(|c| c.is_ascii_alphanumeric() || is_sign(c)) {
        return None;
    }
    let digit = |c: &u8| c.is_ascii_digit();
    let words = text.split(is_sign);
    let parts = words.flat_map(|word| word.as_bytes().chunk_by(move |a, b| digit(a) == digit(b)));
    let (numbers, names): (Vec<&[u8]>, Vec<&[u8]>) =
        parts.filter(|part| !part.is_empty()).partition(|part| digit(&part[0]));
    let [rows, cols] = numbers.as_slice() else { return None };
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
    let is_in =
        |name: &[u8], words: &[&str]| words.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()));
    let are_known = names.iter().all(|name| is_in(name, &SIZE_WORDS) || is_in(name, &OTHER_SIZE_WORDS));
    let has_word = names.iter().any(|name| is_in(name, &SIZE_WORDS));
    let has_signs = names.len() == 2 && text.bytes().filter(|b| matches!(b, b'=' | b':')).count() == 2;
    (are_known && (has_word || has_signs)).then(|| Some((number(rows)?, number(cols)?))).flatten()
}

/// Returns true for text with one or two squares that begins with a word, and that is not only links before squares:
/// `Start position: a1`, `Tour from a1, a corner`. A line that may be a row of a table is no such text.
pub(super) fn is_title_with_square(text: &str, tokens: &[Token<'_>]) -> bool {
    let squares = tokens.iter().filter(|token| token.kind == TokenKind::Square).count();
    let is_label = |token: &Token<'_>| matches!(token.kind, TokenKind::Colon | TokenKind::Equals);
    tokens.first().is_some_and(|token| token.kind == TokenKind::Word && !token.is_quoted)
        && (1..=2).contains(&squares)
        && !text.replace(", ", " ").contains([',', ';', '|', '\t'])
        && (words_of(tokens).any(|word| !is_link_word(word)) || tokens.iter().any(is_label))
}

/// Returns true for a title with one pair of numbers, the coordinates of the start: `Start: (0, 0)`, `Knight starts at
/// 0,0`, `Tour from [1, 1]:`.
pub(super) fn is_title_with_pair(tokens: &[Token<'_>]) -> bool {
    use TokenKind::{Close, Colon, Comma, Equals, Hole, Number, Open, Points, Semicolon, Word};
    let places: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at].is_number()).collect();
    let [first, second] = places[..] else { return false };
    let is_pair = second == first + 1 || second == first + 2 && tokens[first + 1].kind == Comma;
    let is_text = |token: &Token<'_>| match token.kind {
        Word => !token.is_quoted && token.text.chars().all(char::is_alphabetic),
        Open(_) | Close(_) | Colon | Equals | Points | Number(_) | Comma | Semicolon => true,
        Hole => token.text == ".",
        _ => false,
    };
    is_pair
        && tokens[0].is_plain_word()
        && tokens.iter().any(|token| matches!(token.kind, Open(_) | Comma | Colon | Equals))
        && tokens.iter().filter(|token| matches!(token.kind, Comma | Semicolon)).count() < 2
        && tokens.iter().filter(|token| matches!(token.kind, Open(_))).count() < 2
        && tokens.iter().all(is_text)
}

/// Returns the text in the quotes around a whole line.
pub(super) fn quoted_text<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    match tokens {
        [token] if token.is_quoted => Some(token.text),
        _ => None,
    }
}

/// Returns the shape of a line that has a square, a pair of coordinates, or a number beside the name of a coordinate or
/// of a square, in which all squares are alike and all numbers are alike: `Current position: (0, 0)`, `- row: 0`. One
/// such line may be text, a list of them is a tour.
pub(super) fn shape_with_squares(tokens: &[Token<'_>]) -> Option<String> {
    let is_pair = |three: &[Token<'_>]| {
        three[0].is_number() && three[1].kind == TokenKind::Comma && three[2].is_number()
    };
    let is_name = |token: &Token<'_>| {
        let is_square = |name: &&str| token.text.eq_ignore_ascii_case(name);
        token.kind == TokenKind::Word
            && (split_coordinate_name(token.text).is_some() || SQUARE_COLUMN_NAMES.iter().any(is_square))
    };
    let has_value = || tokens.iter().any(Token::is_number) && tokens.iter().any(is_name);
    let has_square = tokens.iter().any(|token| token.kind == TokenKind::Square);
    if !has_square && !tokens.windows(3).any(is_pair) && !has_value() {
        return None;
    }
    let mut shape = String::new();
    for token in tokens {
        if shape.len() > MAX_SHAPE_BYTES {
            break;
        }
        match token.kind {
            TokenKind::Square => shape.push_str(" a1"),
            TokenKind::Number(_) => shape.push_str(" 0"),
            _ => shape.extend([" ", token.text]),
        }
    }
    Some(shape)
}

/// Returns true if a line names the columns of the numbers on the line below: words between the same separators. A kind
/// of tour, as in `My tour, open`, names no column.
pub(super) fn is_header_of_numbers(line: &str, below: &str) -> bool {
    let Some(separator) = line.chars().find(|c| matches!(c, ',' | ';' | '\t' | '|')) else { return false };
    let (names, numbers) = (split_fields(line, separator), split_fields(below, separator));
    let is_name = |name: &String| {
        name.split([' ', '_', '-']).all(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
    };
    let is_kind = |name: &String| {
        name.split(' ').any(|word| ["open", "closed"].iter().any(|kind| word.eq_ignore_ascii_case(kind)))
    };
    let is_number = |field: &String| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
    names.len() > 1
        && names.len() == numbers.len()
        && names.iter().all(|name| is_name(name) && !is_kind(name))
        && numbers.iter().all(is_number)
}

/// Returns the words of a line.
pub(super) fn words_of<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a str> {
    tokens.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text)
}

/// Returns the number of tokens of a title before several brackets, with its colon: `Tour 1: (0, 0) (1, 2)`.
pub(super) fn count_title_tokens(tokens: &[Token<'_>]) -> usize {
    let Some(colon) = tokens.iter().position(|token| token.kind == TokenKind::Colon) else { return 0 };
    let (title, behind) = tokens.split_at(colon);
    let is_text = |token: &Token<'_>| {
        let is_sign = matches!(token.kind, TokenKind::Hash | TokenKind::Sign);
        is_sign || token.is_number() || token.kind == TokenKind::Word && !token.is_quoted
    };
    let has_name = title.iter().any(|token| token.is_plain_word() && !is_link_word(token.text));
    if !has_name || !title.iter().all(is_text) {
        return 0;
    }
    let (mut depth, mut brackets) = (0_usize, 0);
    for token in behind {
        match token.kind {
            TokenKind::Open(_) => {
                brackets += usize::from(depth == 0);
                depth += 1;
            }
            TokenKind::Close(_) => depth = depth.saturating_sub(1),
            // The colon of a declaration: `let tour: [[u32; 4]; 3] = ..`
            TokenKind::Equals if depth == 0 => return 0,
            _ => {}
        }
    }
    if brackets > 1 { colon + 1 } else { 0 }
}

/// Returns true for the number of a tour between signs: `== 2 ==`.
pub(super) fn is_numbered_rule(tokens: &[Token<'_>]) -> bool {
    let is_sign = |token: &Token<'_>| token.text.starts_with("==");
    matches!(tokens, [open, number, close] if is_sign(open) && number.is_number() && is_sign(close))
}

/// Returns true for a number or letter that counts what is below it: `1.`, `2)`, `(3)`, `(a)`, `A`, `- 13 -`.
pub(super) fn is_enumerator(tokens: &[Token<'_>]) -> bool {
    let counts = |token: &Token<'_>| {
        token.is_number()
            || token.kind == TokenKind::Word
                && token.text.chars().all(char::is_alphabetic)
                && token.text.len() <= 4
    };
    let is_dash = |token: &Token<'_>| token.kind == TokenKind::Hole && token.text == "-";
    match tokens {
        [value] => value.kind == TokenKind::Word && counts(value),
        [value, sign] if sign.text == "." && value.kind == TokenKind::Word => counts(value),
        [value, sign] => {
            counts(value) && matches!(sign.kind, TokenKind::Points | TokenKind::Colon | TokenKind::Close(_))
        }
        [open, value, close] => {
            counts(value)
                && (matches!((open.kind, close.kind), (TokenKind::Open('(' | '['), TokenKind::Close(_)))
                    || is_dash(open) && is_dash(close) && value.is_number())
        }
        _ => false,
    }
}

/// Returns true for a row of a printed list of R, `[7] "c3" "d1"`.
pub(super) fn is_list_row(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [open, number, close, first, ..] if open.kind == TokenKind::Open('[')
        && number.is_number() && close.kind == TokenKind::Close(']')
        && first.kind == TokenKind::Square)
}

/// Returns true for a line of a log, whose level is in brackets: `[INFO] Knight at a3`.
pub(super) fn is_log_row(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [open, level, close, next, ..] if open.kind == TokenKind::Open('[') && level.is_plain_word()
        && close.kind == TokenKind::Close(']') && matches!(next.kind, TokenKind::Word | TokenKind::Square)
        && !next.is_quoted)
}

/// Returns true for the size of a table below it, as databases and pandas print it: `(12 rows)`, `[3 rows x 4 columns]`.
pub(super) fn is_table_size(tokens: &[Token<'_>]) -> bool {
    let [open, inside @ .., close] = tokens else { return false };
    let is_name = |token: &Token<'_>| ["row", "rows", "columns", "x"].iter().any(|word| token.is_word(word));
    let is_size = match inside {
        [rows, name] => rows.is_number() && is_name(name),
        [rows, name, times, cols, other] => {
            rows.is_number() && is_name(name) && is_name(times) && cols.is_number() && is_name(other)
        }
        _ => false,
    };
    is_size && matches!((open.kind, close.kind), (TokenKind::Open(_), TokenKind::Close(_)))
}

/// Prompts of shells and interpreters.
const PROMPTS: [&str; 4] = [">>> ", ">> ", "$ ", "% "];

/// Returns true for a command behind a prompt, or the label of a notebook, with at most two numbers, as sizes or the start
/// of a tour: `>>> tour(3, 4)`, `$ ./knight 8`, `In [1]: board`, `Out[1]:`.
pub(super) fn is_prompt(text: &str, tokens: &[Token<'_>]) -> bool {
    let counts = Counts::new(tokens);
    let label = text.strip_prefix("In").or_else(|| text.strip_prefix("Out")).map(str::trim_start);
    let label = label.and_then(|text| text.strip_prefix('[')).and_then(|text| text.split_once("]:"));
    let label = label.filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit() || b == b' '));
    let command = label.map(|(_, command)| command).filter(|text| text.is_empty() || tokens[0].is_word("in"));
    let is_command = command.is_some() || PROMPTS.iter().any(|prompt| text.starts_with(prompt));
    // An array may begin behind the prompt.
    let count = |is_in: fn(TokenKind) -> bool| tokens.iter().filter(|token| is_in(token.kind)).count();
    let is_balanced =
        count(|kind| matches!(kind, TokenKind::Open(_))) == count(|kind| matches!(kind, TokenKind::Close(_)));
    let numbers = counts.numbers - usize::from(label.is_some() && counts.numbers > 0);
    is_command
        && is_balanced
        && counts.squares == 0
        && numbers < 3
        && (counts.words + counts.odd_words > 0 || command == Some(""))
        && text.len() <= MAX_PROSE_BYTES
}
