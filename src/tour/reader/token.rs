//! Lexer of the reader of tours: splits a line into squares, numbers, signs of removed squares, words and
//! punctuation.
//!
//! The lexer knows no format. A *square* is one or more file letters and a rank (`a1`, `c12`, of a box
//! `a1.2`), possibly with a piece letter (`Na1`, `Nxa1`) or joined with other squares (`a1b3c5`). A
//! whole number may be written as a float (`4.0`). Everything else with letters or digits is a word.

use std::borrow::Cow;

use crate::board::Square;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The name of a square, without its piece letter.
    Square,
    /// A whole number.
    Number(u64),
    /// A sign for a removed square: `.`, `-`, `--`, `-1`, `*`, `_`, `null`, ...
    Hole,
    /// Any other word, such as `tour`, `3x4` or `a9x`.
    Word,
    /// An opening bracket: `(`, `[` or `{`, or `<` of a pair of numbers.
    Open(char),
    /// A closing bracket.
    Close(char),
    Comma,
    Semicolon,
    /// A bar between cells: `|`, `&`, or a vertical line of a drawn box.
    Bar,
    Colon,
    /// `=`, `=>` or `:=`.
    Equals,
    /// Points directly behind a number: `1.`, or `1...`.
    Points,
    /// Three or more points that stand alone, for omitted text.
    Ellipsis,
    Hash,
    /// A run of characters that only draw lines: `---`, `+--+`.
    Rule,
    /// Any other sign, such as an arrow or a dash between squares.
    Sign,
}

/// A token of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// Text of the token; of a square the name without piece letter, of a quoted text its contents.
    pub(super) text: &'a str,
    /// Column of the first character and of the character behind the last one, in characters from 0.
    pub(super) columns: (usize, usize),
    /// True if a blank, or the start of the line, precedes the token.
    pub(super) is_apart: bool,
    /// True if the text was quoted.
    pub(super) is_quoted: bool,
}

impl Token<'_> {
    /// Returns true if this is a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, TokenKind::Number(_))
    }

    /// Returns true if this is a word with at least two letters and nothing else, or the word `a`.
    pub(super) fn is_plain_word(&self) -> bool {
        self.kind == TokenKind::Word
            && self.text.chars().all(|c| c.is_alphabetic() || c == '\'')
            && (self.text.chars().nth(1).is_some() || self.text.eq_ignore_ascii_case("a"))
    }

    /// Returns true if this token is the given word, in upper or lower case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// Words that stand for a removed square.
const HOLE_WORDS: [&str; 9] = ["null", "None", "nil", "NaN", "nan", "NA", "undefined", "NULL", "Null"];

/// Name of the index in the header of a table that JavaScript prints with `console.table`.
pub(super) const TABLE_CORNER: &str = "(index)";

/// Longest pair of numbers in angle brackets, in bytes.
const MAX_ANGLE_PAIR_BYTES: usize = 32;

/// Longest word that may be a few joined squares with other letters, in bytes.
const MAX_JOINED_BYTES: usize = 10;

/// Decodes a line. Invalid bytes become replacement characters, box-drawing characters, unusual blanks and
/// the marks of the ends of a drawn tour become ASCII.
pub(super) fn decode_line(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if text.is_ascii() {
        return text;
    }
    let replace = |c: char| match c {
        '│' | '┃' | '║' => '|',
        '─' | '━' | '═' => '-',
        '\u{2500}'..='\u{257F}' => '+',
        '●' | '◆' | '\u{200b}' | '\u{2060}' | '\u{feff}' => ' ',
        '░' => '.',
        // The minus sign and dashes.
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '“' | '”' | '„' | '″' => '"',
        '‘' | '’' => '\'',
        '×' => 'x',
        // Full-width letters, digits and signs.
        '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(c) - 0xff01) as u8 + b'!'),
        _ if c.is_whitespace() => ' ',
        _ => c,
    };
    Cow::Owned(text.chars().map(replace).collect())
}

/// Returns the words of a line between blanks and commas.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// Splits a decoded line into tokens. Cost O(length).
pub(super) fn lex(line: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { line, at: 0, column: 0, is_apart: true, tokens: Vec::new() };
    while lexer.at < line.len() {
        lexer.next_token();
    }
    lexer.tokens
}

struct Lexer<'a> {
    line: &'a str,
    /// Byte and character position.
    at: usize,
    column: usize,
    is_apart: bool,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// Returns the character before the current one.
    fn previous_char(&self) -> Option<char> {
        self.line[..self.at].chars().next_back()
    }

    /// Adds the token of the next `bytes` bytes.
    fn push(&mut self, kind: TokenKind, bytes: usize) {
        let text = &self.rest()[..bytes];
        self.push_text(kind, text, bytes, false);
    }

    /// Adds a token with a text of its own for the next `bytes` bytes.
    fn push_text(&mut self, kind: TokenKind, text: &'a str, bytes: usize, is_quoted: bool) {
        let width = self.rest()[..bytes].chars().count();
        let columns = (self.column, self.column + width);
        self.tokens.push(Token { kind, text, columns, is_apart: self.is_apart, is_quoted });
        (self.at, self.column, self.is_apart) = (self.at + bytes, self.column + width, false);
    }

    fn next_token(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().expect("the rest is not empty");
        let run = |is_in: &dyn Fn(char) -> bool| rest.find(|c: char| !is_in(c)).unwrap_or(rest.len());
        let previous = self.previous_char();
        let stands_alone = |length: usize| {
            previous.is_none_or(|c| !c.is_alphanumeric())
                && rest[length..].chars().next().is_none_or(|c| !c.is_alphanumeric())
        };
        match first {
            _ if first.is_whitespace() => {
                (self.at, self.column, self.is_apart) = (self.at + first.len_utf8(), self.column + 1, true);
            }
            '"' | '\'' if self.push_quoted(first) => {}
            '0'..='9' => self.push_number(),
            _ if first.is_alphabetic() => self.push_word(run(&|c| c.is_alphanumeric())),
            // The corner of a table of JavaScript is empty.
            '(' if rest.starts_with(TABLE_CORNER)
                && self.tokens.last().is_some_and(|token| token.kind == TokenKind::Bar) =>
            {
                (self.at, self.column) = (self.at + TABLE_CORNER.len(), self.column + TABLE_CORNER.len());
            }
            '(' | '[' | '{' => self.push(TokenKind::Open(first), 1),
            ')' | ']' | '}' => self.push(TokenKind::Close(first), 1),
            '<' if begins_with_angle_pair(rest) => self.push(TokenKind::Open(first), 1),
            '>' if matches!(self.tokens.as_slice(), [.., open, _, _, _] if open.kind == TokenKind::Open('<')) =>
            {
                self.push(TokenKind::Close(first), 1);
            }
            ',' => self.push(TokenKind::Comma, 1),
            ';' => self.push(TokenKind::Semicolon, 1),
            '|' | '&' => self.push(TokenKind::Bar, 1),
            ':' if rest.starts_with(":=") => self.push(TokenKind::Equals, 2),
            // `std::vector`
            ':' if rest.starts_with("::") && rest[2..].starts_with(char::is_alphabetic) => {
                self.push(TokenKind::Sign, 2);
            }
            // The assignment of R.
            '<' if rest.starts_with("<- ") && self.is_apart => self.push(TokenKind::Equals, 2),
            ':' => self.push(TokenKind::Colon, 1),
            '=' if rest.starts_with("=>") => self.push(TokenKind::Equals, 2),
            '=' if !rest.starts_with("==") => self.push(TokenKind::Equals, 1),
            '#' => self.push(TokenKind::Hash, 1),
            '.' => {
                let length = run(&|c| c == '.');
                let follows_number = !self.is_apart && self.tokens.last().is_some_and(Token::is_number);
                let kind = match length {
                    _ if follows_number => TokenKind::Points,
                    3 if !stands_alone(length) => TokenKind::Sign,
                    _ if length == 3
                        && self.tokens.last().is_none_or(|token| token.kind != TokenKind::Bar) =>
                    {
                        TokenKind::Ellipsis
                    }
                    _ if stands_alone(length) => TokenKind::Hole,
                    _ => TokenKind::Sign,
                };
                self.push(kind, length);
            }
            '-' | '+' | '_' | '=' | '*' => {
                let length = run(&|c| matches!(c, '-' | '+' | '_' | '=' | '*'));
                let behind = &rest[length..];
                let ends =
                    behind.starts_with(|c: char| !c.is_alphanumeric() && c != '>') || behind.is_empty();
                let is_minus_one = length == 1
                    && first == '-'
                    && previous.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']'))
                    && behind.starts_with('1')
                    && !behind[1..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
                // A sign before a number is part of it; no number of a tour is negative.
                let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
                let begins = previous.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']' | '-'));
                match length {
                    1 if is_minus_one => self.push(TokenKind::Hole, 2),
                    1 if first == '-' && digits > 0 && begins => self.push(TokenKind::Word, 1 + digits),
                    1 | 2 if ends && stands_alone(length) && first != '+' && first != '=' => {
                        self.push(TokenKind::Hole, length);
                    }
                    1 | 2 => self.push(TokenKind::Sign, length),
                    _ => self.push(TokenKind::Rule, length),
                }
            }
            '\\' => self.skip_command(),
            _ => self.push(TokenKind::Sign, first.len_utf8()),
        }
    }

    /// Adds the contents of a quoted text; returns false if the sign does not open one.
    fn push_quoted(&mut self, quote: char) -> bool {
        if self.previous_char().is_some_and(char::is_alphanumeric) {
            return false;
        }
        let inside = &self.rest()[1..];
        let Some(length) = inside.find(quote) else { return false };
        let text = inside[..length].trim();
        let kind = match () {
            () if text.is_empty() => TokenKind::Hole,
            () if is_square(text) || is_box_square(text) => TokenKind::Square,
            () => match text.parse() {
                Ok(number) if text.bytes().all(|b| b.is_ascii_digit()) => TokenKind::Number(number),
                _ => TokenKind::Word,
            },
        };
        self.push_text(kind, text, length + 2, true);
        true
    }

    fn push_number(&mut self) {
        let rest = self.rest();
        let run = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits < run {
            // `3x4`, `2nd`.
            return self.push(TokenKind::Word, run);
        }
        let behind = &rest[digits..];
        let fraction =
            behind.strip_prefix('.').map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
        let is_word_behind =
            behind.get(1 + fraction..).is_some_and(|text| text.starts_with(char::is_alphanumeric));
        let Ok(number) = rest[..digits].parse() else { return self.push(TokenKind::Word, run) };
        if fraction > 0 && is_word_behind {
            return self.push_measure(1 + digits + fraction);
        }
        if fraction == 0 || is_word_behind {
            // A point behind a whole number of numpy: `4.`, before another number or a bracket.
            return self.push_text(TokenKind::Number(number), &rest[..digits], digits, false);
        }
        let length = digits + 1 + fraction;
        let is_whole = behind[1..=fraction].bytes().all(|b| b == b'0');
        let kind = if is_whole { TokenKind::Number(number) } else { TokenKind::Word };
        self.push_text(kind, if is_whole { &rest[..digits] } else { &rest[..length] }, length, false);
    }

    /// Adds a decimal number of `length` bytes with the letters behind it: a number with an exponent such as
    /// `1.00e+01`, which may be whole, or a word such as `0.02s`.
    fn push_measure(&mut self, length: usize) {
        let rest = self.rest();
        let end_of = |from: usize| {
            rest[from..].find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |length| from + length)
        };
        let letters = end_of(length);
        let has_signed_exponent =
            matches!(&rest[length..letters], "e" | "E") && rest[letters..].starts_with(['+', '-']);
        let end = if has_signed_exponent { end_of(letters + 1) } else { letters };
        let whole = rest[..end].parse::<f64>().ok().filter(|value| {
            value.fract() == 0.0 && *value < 9e15 && rest[length..end].starts_with(['e', 'E'])
        });
        let kind = whole.map_or(TokenKind::Word, |value| TokenKind::Number(value as u64));
        self.push(kind, end);
    }

    /// Adds a word of letters and digits: squares, a sign for a removed square, or a word.
    fn push_word(&mut self, length: usize) {
        let word = &self.rest()[..length];
        if HOLE_WORDS.contains(&word) {
            return self.push(TokenKind::Hole, length);
        }
        let name = strip_piece_letter(word);
        if is_square(name) {
            // The layer of a square of a box.
            let behind = &self.rest()[length..];
            let digits = behind
                .strip_prefix('.')
                .map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
            let is_layer = digits > 0 && !behind[1 + digits..].starts_with(|c: char| c.is_alphanumeric());
            let bytes = if is_layer { length + 1 + digits } else { length };
            let text = &self.rest()[length - name.len()..bytes];
            return self.push_text(TokenKind::Square, text, bytes, false);
        }
        let parts: Vec<&str> = split_joined_squares(name).collect();
        if parts.len() < 2 || !parts.iter().all(|part| is_square(part)) {
            return self.push(TokenKind::Word, length);
        }
        let skipped = length - name.len();
        for (i, part) in parts.into_iter().enumerate() {
            let bytes = part.len() + if i == 0 { skipped } else { 0 };
            self.push_text(TokenKind::Square, part, bytes, false);
        }
    }

    /// Skips a command of TeX such as `\hline` or `\begin{tabular}{cc}`; `\\` ends a row.
    fn skip_command(&mut self) {
        let rest = self.rest();
        if let Some(behind) = rest.strip_prefix("\\\\") {
            // Also with a distance between rows, `\\[2pt]`.
            let distance = behind.strip_prefix('[').and_then(|behind| behind.split_once(']'));
            let distance = distance.filter(|(length, _)| length.bytes().any(|b| b.is_ascii_alphabetic()));
            return self.push(TokenKind::Semicolon, 2 + distance.map_or(0, |(length, _)| length.len() + 2));
        }
        let letters = rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        if letters == 0 {
            return self.push(TokenKind::Sign, 1);
        }
        let mut length = 1 + letters;
        while let Some(inside) = rest[length..].strip_prefix('{') {
            let Some(end) =
                inside.find('}').filter(|&end| !inside[..end].contains(|c: char| c.is_ascii_digit()))
            else {
                break;
            };
            length += end + 2;
        }
        (self.at, self.column) = (self.at + length, self.column + length);
    }
}

/// Returns true if a text begins with a pair of numbers in angle brackets: `<1,2>`.
fn begins_with_angle_pair(text: &str) -> bool {
    let end = text.bytes().take(MAX_ANGLE_PAIR_BYTES).position(|b| b == b'>');
    let is_number = |part: &str| !part.trim().is_empty() && part.trim().bytes().all(|b| b.is_ascii_digit());
    let numbers = end.and_then(|end| text[1..end].split_once([',', ';']));
    numbers.is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// Returns true if a text is the name of a square.
pub(super) fn is_square(text: &str) -> bool {
    text.len() <= 9 && text.is_ascii() && text.parse::<Square>().is_ok()
}

/// Returns true if a text is the name of a square of a box: `a1.2`.
pub(super) fn is_box_square(text: &str) -> bool {
    text.split_once('.').is_some_and(|(square, layer)| {
        is_square(square) && !layer.is_empty() && layer.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns a word without a piece letter: `Na1`, `Nxa1`. No board is wide enough for a file `xa`.
fn strip_piece_letter(word: &str) -> &str {
    match word.as_bytes() {
        [piece, b'x', next, ..] if piece.is_ascii_uppercase() && next.is_ascii_lowercase() => &word[2..],
        [piece, next, ..] if piece.is_ascii_uppercase() && next.is_ascii_lowercase() => &word[1..],
        _ => word,
    }
}

/// Splits squares that are written without separators: `a1b3`, `a1b3c5`. Any other word is a single part.
fn split_joined_squares(word: &str) -> impl Iterator<Item = &str> {
    let bytes = word.as_bytes();
    let is_upper = bytes.first().is_some_and(u8::is_ascii_uppercase);
    let is_file = |b: u8| if is_upper { b.is_ascii_uppercase() } else { b.is_ascii_lowercase() };
    let are_joined = bytes.first().is_some_and(|&b| is_file(b))
        && bytes.last().is_some_and(u8::is_ascii_digit)
        && bytes
            .windows(2)
            .all(|pair| pair[1].is_ascii_digit() || is_file(pair[1]) && pair[0].is_ascii_digit());
    let mut rest = word;
    std::iter::from_fn(move || {
        let rank = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let (square, more) = rest.split_at(if are_joined { (1 + rank).min(rest.len()) } else { rest.len() });
        rest = more;
        (!square.is_empty()).then_some(square)
    })
}

/// Returns true if most of a word is squares without separators: such a word with an error is still a tour.
pub(super) fn is_mostly_joined_squares(word: &str) -> bool {
    let (mut squares, mut bytes, mut rest) = (0, 0, word.as_bytes());
    while let Some((file, behind)) = rest.split_first() {
        let rank = behind.iter().take_while(|b| b.is_ascii_digit()).count();
        if file.is_ascii_alphabetic() && (1..=2).contains(&rank) {
            (squares, bytes) = (squares + 1, bytes + 1 + rank);
        }
        rest = &behind[rank..];
    }
    squares > 2 && 4 * bytes >= 3 * word.len()
}

/// Returns true for a word before a tour that may hold squares: joined squares, also with other letters, as in `ur1a1`.
/// Longer words are hashes.
pub(super) fn may_hold_squares(word: &str) -> bool {
    let mut parts = word.as_bytes().chunk_by(|a, b| !a.is_ascii_digit() || b.is_ascii_digit());
    let is_square = |part: &[u8]| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        (1..=2).contains(&letters) && (1..=2).contains(&(part.len() - letters))
    };
    let may_be_joined = word.len() <= MAX_JOINED_BYTES
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.ends_with(|c: char| c.is_ascii_digit())
        && parts.clone().count() > 1;
    may_be_joined && parts.any(is_square) || is_mostly_joined_squares(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tokens of a line, each as its first letter and its text.
    fn kinds(line: &str) -> String {
        let decoded = decode_line(line.as_bytes());
        let show = |token: &Token<'_>| match token.kind {
            TokenKind::Square => format!("s:{}", token.text),
            TokenKind::Number(number) => format!("n:{number}"),
            TokenKind::Hole => "hole".to_owned(),
            TokenKind::Word => format!("w:{}", token.text),
            _ => token.text.to_owned(),
        };
        lex(&decoded).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lex_splits_tours() {
        for (line, expected) in [
            ("a1 b3", "s:a1 s:b3"),
            ("a1-b3–c5", "s:a1 - s:b3 - s:c5"),
            ("1.Na1 2. Nxb3", "n:1 . s:a1 n:2 . s:b3"),
            ("a1b3c5 A1B3", "s:a1 s:b3 s:c5 s:A1 s:B3"),
            ("a1.2 b3.", "s:a1.2 s:b3 ."),
            ("1 . - -- -1 * null", "n:1 hole hole hole hole hole hole"),
            ("[[1., 4.0],", "[ [ n:1 . , n:4 ] ,"),
            ("3x4 a9x cc 0.3", "w:3x4 w:a9x w:cc w:0.3"),
            ("('a', \"3\")", "( w:a , n:3 )"),
            ("1\u{a0}4", "n:1 n:4"),
            ("+---+ | 1 ", "+---+ | n:1"),
            ("1 & 4 \\\\ \\hline", "n:1 & n:4 \\\\"),
            ("\\begin{tabular}{cc}", ""),
            ("#1 a3", "# n:1 s:a3"),
            ("a1 -> b3 → c5", "s:a1 - > s:b3 → s:c5"),
            ("12 ..", "n:12 hole"),
            ("3 │  1●│ 4 │ ◆ │░░│", "n:3 | n:1 | n:4 | | hole |"),
            ("123456789012345678901234567890", "w:123456789012345678901234567890"),
            ("Knight's", "w:Knight ' w:s"),
            ("Move nr.1: Knight A3", "w:Move w:nr . n:1 : w:Knight s:A3"),
            ("12 -9 (-2,0) 3-4 a1-2", "n:12 w:-9 ( w:-2 , n:0 ) n:3 - n:4 s:a1 - n:2"),
            ("0.02s 1.000e+00 2.5E1 1.5e0 1.2e-1", "w:0.02s n:1 n:25 w:1.5e0 w:1.2e-1"),
            ("１２ ａ３ 8×8", "n:12 s:a3 w:8x8"),
            ("1 & 4 \\\\[2pt]", "n:1 & n:4 \\\\[2pt]"),
            ("<1, 2> < 3 -> <4>", "< n:1 , n:2 > < n:3 - > < n:4 >"),
        ] {
            assert_eq!(kinds(line), expected, "{line}");
        }
    }

    #[test]
    fn is_mostly_joined_squares_detects_damaged_tours() {
        assert!(is_mostly_joined_squares("a1b3c5d7el") && is_mostly_joined_squares("alc2a3b1"));
        assert!(may_hold_squares("ur1a1") && may_hold_squares("a1b3c5d7el"));
        assert!(
            !["Solution1", "35sec", "8x8x8", "i18n", "e3b0c44298fc1c14", "Tour"]
                .iter()
                .any(|word| may_hold_squares(word))
        );
        assert!(!is_mostly_joined_squares("a1b3") && !is_mostly_joined_squares("e3b0c44298fc1c14"));
    }
}
