//! Cells of a row of numbers, however they are separated.
//!
//! ```text
//! 3 8 5 10      3,8,,10      | 3 | 8 |      3 | 8 5 |      3) 8 5      3 & 8 \\
//! ```
//!
//! Bars separate cells if no two numbers stand between two bars; otherwise bars only frame the row.
//! Two consecutive commas or bars enclose an empty cell.

use super::names::is_link_word;
use super::token::{Token, TokenKind};

/// A removed square, in rows of cells.
pub(in crate::tour) const HOLE: u32 = u32::MAX;
/// A removed square, or the gap between two layers of a box: `-`.
pub(in crate::tour) const LAYER_GAP: u32 = u32::MAX - 1;
/// An empty cell of a table: a removed square, or no square if its whole column is empty.
pub(in crate::tour) const EMPTY_CELL: u32 = u32::MAX - 2;

/// Returns true if a cell has a number.
pub(in crate::tour) const fn is_number(cell: u32) -> bool {
    cell < EMPTY_CELL
}

/// Returns true if the numbers of cells are 0 to n-1 or 1 to n, each once.
pub(super) fn is_permutation(cells: impl Iterator<Item = u32>) -> bool {
    let mut numbers: Vec<u32> = cells.filter(|&cell| is_number(cell)).collect();
    numbers.sort_unstable();
    numbers.first().is_some_and(|&first| first < 2) && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

/// A cell as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A number, or [`HOLE`], [`LAYER_GAP`] or [`EMPTY_CELL`].
    Known(u32),
    /// A sign that stands for a removed square if the board is known: `X`, `-1`, `--`.
    Sign(String),
    /// Any other text.
    Text(String),
}

/// A row of numbers as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawRow {
    pub(super) line: u64,
    pub(super) cells: Vec<Cell>,
    /// Column behind the last character of each cell, for rows whose removed squares are blank.
    pub(super) ends: Vec<usize>,
    /// Number of digits of the shortest and the longest number.
    pub(super) digits: (usize, usize),
    /// Label that a sign separates from the numbers: `3)`, `3:`, `3 |`.
    pub(super) label: Option<u32>,
    /// True if no commas or bars separate the cells, so that blanks may be removed squares.
    pub(super) is_aligned: bool,
    /// Groups of numbers that glued commas or semicolons form, if there are any: `0,0 1,2`.
    pub(super) has_pairs: bool,
}

impl RawRow {
    /// Parses a line of digits, blanks, commas, single points and single dashes.
    pub(super) fn parse_plain(text: &[u8], line: u64) -> Option<Self> {
        if !text.iter().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'\t' | b'.' | b'-')) {
            return None;
        }
        let mut row = Self { line, digits: (usize::MAX, 0), is_aligned: true, ..Self::default() };
        let mut at = 0;
        while at < text.len() {
            let length = text[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
            if length == 0 {
                at += 1;
                continue;
            }
            let word = &text[at..at + length];
            let cell = match word {
                b"." => HOLE,
                b"-" => LAYER_GAP,
                _ => parse_digits(word)?,
            };
            if is_number(cell) {
                row.digits = (row.digits.0.min(length), row.digits.1.max(length));
            }
            row.cells.push(Cell::Known(cell));
            row.ends.push(at + length);
            at += length;
        }
        Some(row)
    }

    /// Parses the tokens of a line.
    pub(super) fn parse(tokens: &[Token<'_>], line: u64) -> Self {
        let tokens = split_at_words(split_at_sign(tokens));
        let mut row = Self { line, digits: (usize::MAX, 0), ..Self::default() };
        let (tokens, label) = take_label(tokens);
        row.label = label;
        if tokens.iter().any(|token| token.kind == TokenKind::Bar) {
            row.add_segments(tokens, label.is_some());
            return row;
        }
        let is_comma = |token: &Token<'_>| matches!(token.kind, TokenKind::Comma | TokenKind::Semicolon);
        if !tokens.iter().any(is_comma) {
            row.is_aligned = true;
            row.add_tokens(tokens);
            return row;
        }
        row.has_pairs = has_pairs(tokens);
        for field in tokens.split(is_comma) {
            row.add_field(field);
        }
        row
    }

    /// Adds cells between bars.
    fn add_segments(&mut self, tokens: &[Token<'_>], has_label: bool) {
        let is_bar = |token: &Token<'_>| token.kind == TokenKind::Bar;
        let opens = tokens.first().is_some_and(is_bar);
        let closes = tokens.len() > 1 && tokens.last().is_some_and(is_bar);
        let inside = &tokens[usize::from(opens)..tokens.len() - usize::from(closes)];
        let segments: Vec<&[Token<'_>]> = inside.split(is_bar).collect();
        let is_frame =
            segments.iter().any(|segment| segment.iter().filter(|token| is_value(token)).count() > 1);
        if !is_frame {
            for (at, segment) in segments.iter().enumerate() {
                // `3 | 1 | 4 |`: a bar closes each cell, and the first text is the label.
                let is_label = at == 0 && !opens && closes && !has_label;
                match (is_label, segment.iter().find_map(number_of)) {
                    (true, Some(number)) => self.label = Some(number),
                    _ => self.add_field(segment),
                }
            }
            return;
        }
        let segments: Vec<&[Token<'_>]> =
            segments.into_iter().filter(|segment| segment.iter().any(is_value)).collect();
        let single = |segment: Option<&&[Token<'_>]>| {
            let values: Vec<&Token<'_>> = segment?.iter().filter(|token| is_value(token)).collect();
            if let [value] = values[..] { number_of(value) } else { None }
        };
        let (first, last) = (single(segments.first()), single(segments.last()));
        let is_label = segments.len() > 1;
        for (at, segment) in segments.iter().enumerate() {
            let is_first = at == 0 && first.is_some() && is_label;
            let is_last = at > 0 && at + 1 == segments.len() && last.is_some();
            if is_first || is_last {
                // Labels on both sides must agree; a difference stays a cell, so that the row is rejected.
                let label = if is_first { first } else { last };
                if self.label.is_none() || self.label == label {
                    self.label = label;
                    continue;
                }
            }
            self.add_tokens(segment);
        }
        self.is_aligned = true;
    }

    /// Adds the cells of a field; an empty field is an empty cell.
    fn add_field(&mut self, field: &[Token<'_>]) {
        if field.iter().any(is_value) {
            field.iter().for_each(|token| self.add_token(token));
        } else {
            self.cells.push(Cell::Known(EMPTY_CELL));
            self.ends.push(field.last().map_or(0, |token| token.columns.1));
        }
    }

    /// Adds the cells of tokens that blanks separate. Signs between blanks are a cell, unless they decorate the row.
    fn add_tokens(&mut self, tokens: &[Token<'_>]) {
        for group in tokens.chunk_by(|_, next| !next.is_apart) {
            let is_sign = |token: &Token<'_>| {
                matches!(
                    token.kind,
                    TokenKind::Sign | TokenKind::Ellipsis | TokenKind::Open(_) | TokenKind::Close(_)
                )
            };
            if group.iter().all(is_sign) && group.iter().any(|token| !is_decoration(token)) {
                self.cells.push(Cell::Sign(group.iter().map(|token| token.text).collect()));
                self.ends.push(group.last().map_or(0, |token| token.columns.1));
            } else {
                group.iter().for_each(|token| self.add_token(token));
            }
        }
    }

    fn add_token(&mut self, token: &Token<'_>) {
        if !is_value(token) {
            return;
        }
        let cell = match token.kind {
            TokenKind::Number(number) => match u32::try_from(number).ok().filter(|&number| is_number(number))
            {
                Some(number) => {
                    let digits = token.text.len();
                    self.digits = (self.digits.0.min(digits), self.digits.1.max(digits));
                    Cell::Known(number)
                }
                None => Cell::Text(token.text.to_owned()),
            },
            TokenKind::Hole if token.text.is_empty() => Cell::Known(EMPTY_CELL),
            TokenKind::Hole if token.text.bytes().all(|b| b == b'.') => Cell::Known(HOLE),
            TokenKind::Hole if token.text == "-" => Cell::Known(LAYER_GAP),
            TokenKind::Hole | TokenKind::Hash => Cell::Sign(token.text.to_owned()),
            _ if token.is_word("x") => Cell::Sign(token.text.to_owned()),
            _ => Cell::Text(token.text.to_owned()),
        };
        self.cells.push(cell);
        self.ends.push(token.columns.1);
    }
}

/// Returns true for a sign that frames or links the cells of a row: an arrow, a corner, a quote, a broken bar, a part of a
/// drawn bracket.
fn is_decoration(token: &Token<'_>) -> bool {
    let is_quiet = |c: char| {
        matches!(c, '+' | '-' | '=' | '<' | '>' | '/' | '\\' | '$' | '`' | '\'' | '"' | '\u{fe0f}')
            || matches!(c, '\u{a6}' | '\u{2190}'..='\u{21ff}' | '\u{2223}' | '\u{239b}'..='\u{23ad}')
            || matches!(c, '\u{27f0}'..='\u{27ff}')
    };
    token.kind == TokenKind::Sign && token.text.chars().all(is_quiet)
}

/// Returns true if a token is the contents of a cell.
pub(super) fn is_value(token: &Token<'_>) -> bool {
    matches!(
        token.kind,
        TokenKind::Number(_) | TokenKind::Hole | TokenKind::Hash | TokenKind::Word | TokenKind::Square
    )
}

/// Returns the number of a token, if it fits a label.
fn number_of(token: &Token<'_>) -> Option<u32> {
    if let TokenKind::Number(number) = token.kind {
        u32::try_from(number).ok().filter(|&n| n < 100_000)
    } else {
        None
    }
}

/// Drops the sign of a quotation, `>`, at the start of a line.
fn split_at_sign<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let signs = tokens.iter().take_while(|token| token.kind == TokenKind::Sign && token.text == ">").count();
    &tokens[signs..]
}

/// Drops the words before a label, `Step 1: 0, 0`.
fn split_at_words<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let is_link = |token: &&Token<'_>| token.kind == TokenKind::Word && is_link_word(token.text);
    let behind = &tokens[tokens.iter().take_while(is_link).count()..];
    if take_label(behind).1.is_some() { behind } else { tokens }
}

/// Returns the tokens behind a label at the start of a row, and the label: `3) 1 4`, `3: 1 4`, `[3,] 1 4`.
/// A point makes a label if no number behind it, except the last one, has a point too.
fn take_label<'a, 'b>(tokens: &'a [Token<'b>]) -> (&'a [Token<'b>], Option<u32>) {
    use TokenKind::{Close, Colon, Comma, Open, Points};
    let kinds: Vec<TokenKind> = tokens.iter().take(4).map(|token| token.kind).collect();
    let label = |at: usize| tokens.get(at).and_then(number_of);
    match kinds[..] {
        [Open('['), _, Comma, Close(']')] if label(1).is_some() => (&tokens[4..], label(1)),
        [Open(_), _, Close(_), ..]
            if label(1).is_some() && !tokens[3..].iter().any(|token| matches!(token.kind, Open(_))) =>
        {
            (&tokens[3..], label(1))
        }
        [_, Close(')') | Colon, ..] if label(0).is_some() => (&tokens[2..], label(0)),
        [_, Points, ..] if label(0).is_some() => {
            let others = tokens[2..].iter().filter(|token| token.kind == Points).count();
            let ends = tokens.last().is_some_and(|token| token.kind == Points);
            let end = match (others, ends) {
                (0, _) => tokens.len(),
                // `2. 1 4 7 2.` has the label on both sides.
                (1, true) if tokens.len() > 4 && label(tokens.len() - 2) == label(0) => tokens.len() - 2,
                _ => return (tokens, None),
            };
            (&tokens[2..end], label(0))
        }
        _ => (tokens, None),
    }
}

/// Returns true if each group of numbers between blanks, or between semicolons, is two numbers.
pub(super) fn has_pairs(tokens: &[Token<'_>]) -> bool {
    let numbers = |group: &[Token<'_>]| group.iter().filter(|token| token.is_number()).count();
    let is_semicolon = |token: &Token<'_>| token.kind == TokenKind::Semicolon;
    if tokens.iter().any(is_semicolon) {
        let mut groups = tokens.split(is_semicolon).filter(|group| !group.is_empty());
        if groups.all(|group| numbers(group) == 2 && group.len() <= 3) {
            return true;
        }
    }
    let is_separator = |token: &Token<'_>| token.kind == TokenKind::Comma || is_semicolon(token);
    let groups = tokens.chunk_by(|_, next| !next.is_apart);
    let mut count = 0;
    let are_pairs = groups.into_iter().all(|group| {
        count += 1;
        let group = if group.last().is_some_and(is_separator) { &group[..group.len() - 1] } else { group };
        group.len() == 3 && numbers(group) == 2 && is_separator(&group[1])
    });
    are_pairs && count > 1
}

/// Parses the digits of a cell.
pub(super) fn parse_digits(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0u64, |value, &b| value * 10 + u64::from(b - b'0'));
    u32::try_from(value).ok().filter(|&value| is_number(value))
}

#[cfg(test)]
mod tests {
    use super::super::token::{decode_line, lex};
    use super::*;

    fn parse(text: &str) -> RawRow {
        RawRow::parse(&lex(&decode_line(text.as_bytes())), 1)
    }

    fn show(row: &RawRow) -> String {
        let cells = row.cells.iter().map(|cell| match cell {
            Cell::Known(HOLE) => ".".to_owned(),
            Cell::Known(LAYER_GAP) => "-".to_owned(),
            Cell::Known(EMPTY_CELL) => "empty".to_owned(),
            Cell::Known(number) => number.to_string(),
            Cell::Sign(sign) => format!("sign{sign}"),
            Cell::Text(text) => format!("text:{text}"),
        });
        let label = row.label.map_or(String::new(), |label| format!("{label}: "));
        format!("{label}{}", cells.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parse_splits_rows_of_all_styles() {
        for (text, expected) in [
            ("12 . -  3", "12 . - 3"),
            ("1, 4,,7,", "1 4 empty 7 empty"),
            ("1;4;7", "1 4 7"),
            ("| 1 | 4 |7|", "1 4 7"),
            ("|1|4|  |", "1 4 empty"),
            ("1 | 4 | 7", "1 4 7"),
            ("3 │  1●│  4 │  ◆ │░░░░│", "3: 1 4 empty ."),
            ("2 | 1 4 7 | 2", "2: 1 4 7"),
            ("1 4 7 | 2", "2: 1 4 7"),
            ("3| 1 4 7 |", "3: 1 4 7"),
            (" 3) 01 04", "3: 1 4"),
            (" 3: 01 04", "3: 1 4"),
            ("[3,] 1 4", "3: 1 4"),
            ("2. 1 4 7 2.", "2: 1 4 7"),
            ("1. 4. 7.", "1 4 7"),
            ("4 -1 8 -- X", "4 sign-1 8 sign-- signX"),
            ("> 1 4", "1 4"),
            ("\"1\",\"\",\"7\"", "1 empty 7"),
            ("1 & 4 & 7 \\\\", "1 4 7"),
            ("A | 1 | 4", "text:A 1 4"),
            ("1.0,4.0", "1 4"),
        ] {
            assert_eq!(show(&parse(text)), expected, "{text}");
        }
        assert_eq!(show(&RawRow::parse_plain(b" 1 . - 12", 1).unwrap()), "1 . - 12");
        assert_eq!(RawRow::parse_plain(b"1 -1", 1), None);
        for (text, expected) in [
            ("0,0 1,2", true),
            ("0 0; 1 2", true),
            ("0,0, 1,2", true),
            ("0;0 1;2;", true),
            ("1,4,7", false),
            ("1, 4", false),
        ] {
            assert_eq!(parse(text).has_pairs, expected, "{text}");
        }
    }
}
