//! Lines of squares, or of names of vertices, in order of visits.
//!
//! ```text
//! a1 b3 c5      a1-b3-c5      Na1 Nb3      a1b3c5      1. a1 2. b3      (a1) (b3)      "a1", "b3",
//! from a1 to b3, then c5      Move 1: a1      Solution found: a1 b3 c5      a1-b3 b3-c5
//! ```
//!
//! Words that link squares are skipped; text before a colon, and other words, are skipped with a report if
//! the rest is a tour of all squares. A word that may be a damaged square is an error.

use super::steps::MoveNumber;
use super::token::{Token, TokenKind, is_mostly_joined_squares, lex, may_hold_squares, words};
use crate::board::Board;

/// The names on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NameLine {
    pub(super) names: Vec<String>,
    pub(super) numbers: Vec<MoveNumber>,
    /// Words that are skipped and must be reported.
    pub(super) skipped: Vec<String>,
    /// The first word that may be a damaged name, and the number of names before it.
    pub(super) damaged: Option<(usize, String)>,
}

/// Words that may precede or follow a square or a number of a move.
const LINK_WORDS: [&str; 38] = [
    "move", "moves", "step", "steps", "square", "visit", "jump", "jumps", "hop", "hops", "ply", "turn", "nr",
    "no", "number", "num", "from", "to", "then", "and", "via", "on", "at", "in", "is", "knight", "n", "kn",
    "s", "x", "next", "go", "goes", "lands", "start", "starts", "ends", "the",
];

/// Results at the end of a game in PGN.
const GAME_RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Returns true if a word may stand between squares.
pub(super) fn is_link_word(word: &str) -> bool {
    LINK_WORDS.iter().any(|link| word.eq_ignore_ascii_case(link))
}

/// Returns a line of names without the result of a game at its end.
fn without_game_result(text: &str) -> &str {
    let text = text.trim();
    let shorter = GAME_RESULTS.iter().find_map(|result| text.strip_suffix(result));
    shorter.filter(|rest| rest.ends_with(char::is_whitespace)).map_or(text, str::trim_end)
}

impl NameLine {
    /// Returns the names on a decoded line: those of squares, or of vertices if `board` is a graph.
    pub(super) fn parse(line: &str, board: Option<&Board>) -> Self {
        match board.filter(|board| !board.has_squares()) {
            Some(board) => Self::of_graph(board, line),
            None => Self::from_tokens(&lex(without_game_result(line))),
        }
    }

    /// Returns the squares of a line and its numbers.
    pub(super) fn from_tokens(tokens: &[Token<'_>]) -> Self {
        let mut line = Self::default();
        let first = tokens.iter().position(|token| token.kind == TokenKind::Square).unwrap_or(tokens.len());
        // Text before a colon that is more than a number.
        let is_sign = |token: &Token<'_>| matches!(token.kind, TokenKind::Colon | TokenKind::Equals);
        let label = tokens[..first].iter().rposition(is_sign).map_or(0, |at| at + 1);
        let is_count = |token: &Token<'_>| token.kind != TokenKind::Word || is_link_word(token.text);
        let numbers = tokens[..label].iter().filter(|token| token.is_number()).count();
        let body = if label > 0 && (numbers != 1 || !tokens[..label].iter().all(is_count)) {
            let words = || tokens[..label].iter().filter(|token| !is_sign(token));
            line.skipped.push(words().map(|token| token.text).collect::<Vec<_>>().join(" "));
            let is_damaged =
                |token: &&Token<'_>| token.kind == TokenKind::Word && may_hold_squares(token.text);
            if let Some(word) = words().find(is_damaged) {
                line.set_damaged(word.text);
            }
            &tokens[label..]
        } else {
            tokens
        };
        for (at, token) in body.iter().enumerate() {
            match token.kind {
                TokenKind::Square => line.names.push(token.text.to_owned()),
                TokenKind::Number(number) => {
                    let points = body.get(at + 1).filter(|next| next.kind == TokenKind::Points);
                    line.numbers.push(MoveNumber {
                        number,
                        squares_before: line.names.len(),
                        may_repeat: points.is_some_and(|points| points.text.len() > 1),
                    });
                }
                TokenKind::Word if is_link_word(token.text) => {}
                TokenKind::Word => line.add_word(token),
                // `-1` is a number.
                TokenKind::Hole if token.text.ends_with('1') => line.set_damaged(token.text),
                _ => {}
            }
        }
        line
    }

    fn add_word(&mut self, token: &Token<'_>) {
        let text = token.text;
        // Between squares, only links are skipped: any other word may have been a square.
        let is_long = text.chars().nth(2).is_some() || token.is_word("it");
        let is_text = token.is_plain_word() && is_long && text.is_ascii();
        if is_text && !is_mostly_joined_squares(text) {
            self.skipped.push(text.to_owned());
        } else {
            self.set_damaged(text);
        }
    }

    fn set_damaged(&mut self, text: &str) {
        if self.damaged.is_none() {
            self.damaged = Some((self.names.len(), text.to_owned()));
        }
    }

    /// Returns the vertices on a line of a graph whose names may be any words, even numbers: each word is a
    /// name, or names joined by dashes, arrows and the like.
    fn of_graph(board: &Board, text: &str) -> Self {
        let is_name = |word: &str| board.vertex(word).is_ok();
        let mut line = Self::default();
        for (at, word) in words(text).enumerate() {
            let parts = || word.split(is_separator).filter(|part| !part.is_empty());
            let count = word.trim_end_matches(['.', ':', ')']);
            let counts = at == 0 && count.bytes().all(|b| b.is_ascii_digit()) && words(text).nth(1).is_some();
            match () {
                () if is_name(word) => line.names.push(word.to_owned()),
                () if parts().all(is_name) => line.names.extend(parts().map(str::to_owned)),
                // A number that no vertex has counts the line.
                () if counts => {}
                () => {
                    line.set_damaged(word);
                    line.names.push(word.to_owned());
                }
            }
        }
        line
    }

    /// Drops the squares that a chain of moves repeats: `a1-b3 b3-c5`. Each move begins where the one before it
    /// ended.
    pub(super) fn join_moves(&mut self) {
        if is_chain_of_moves(&self.names) {
            let mut at = 0;
            self.names.retain(|_| {
                at += 1;
                at == 1 || at % 2 == 0
            });
            // Numbers before each move count the moves.
            for number in &mut self.numbers {
                number.squares_before = number.squares_before.div_ceil(2);
            }
        }
    }
}

/// Returns true if squares are moves, two squares each, of which each begins where the one before it ended.
pub(super) fn is_chain_of_moves<T: PartialEq>(squares: &[T]) -> bool {
    let is_even = squares.len() > 3 && squares.len().is_multiple_of(2);
    is_even && squares[1..].chunks_exact(2).all(|pair| pair[0] == pair[1])
}

/// Returns true for a sign between two names of a graph.
fn is_separator(c: char) -> bool {
    matches!(c, '-' | '>' | ';' | ':' | '(' | ')' | '=' | '"' | '\'') || !c.is_ascii() && !c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::super::steps::check_move_numbers;
    use super::super::token::decode_line;
    use super::*;
    use crate::tour::read_error::ReadErrorKind;

    fn parse(text: &str) -> NameLine {
        let decoded = decode_line(text.as_bytes());
        let mut line = NameLine::parse(&decoded, None);
        line.join_moves();
        line
    }

    #[test]
    fn from_tokens_accepts_common_notations() {
        for text in [
            "a1 b3 c5",
            "a1-b3-c5",
            "a1,b3, c5",
            "a1 -> b3 → c5",
            "Na1 Nb3 Nc5",
            "1.Na1 Nb3 2.Nc5",
            "1) a1 2) b3 3) c5",
            "1: a1; 2: b3; 3: c5",
            "a1–b3–c5.",
            "Na1 Nxb3 Nxc5",
            "Move 1: a1, Move 2: b3, Move 3: c5",
            "a1b3 c5",
            "a1b3c5",
            "\"a1\", \"b3\", 'c5',",
            "(a1)(b3)(c5)",
            "From a1 to b3, then to c5.",
            "1. a1 2. b3 3. c5 1-0",
            "a1-b3 b3-c5",
        ] {
            let line = parse(text);
            assert_eq!(line.names, ["a1", "b3", "c5"], "{text}");
            assert!(line.damaged.is_none() && line.skipped.is_empty(), "{text}: {line:?}");
            assert!(check_move_numbers(&line.numbers).is_ok(), "{text}");
        }
        for (text, skipped) in [
            ("Solution found: a1 b3", "Solution found"),
            ("Tour #12: a1 b3", "Tour # 12"),
            ("Euler a1 b3", "Euler"),
            ("Solution1 found in 35sec, 8x8x8: a1 b3", "Solution1 found in 35sec , 8x8x8"),
            ("plan e3b0c44298fc1c14, i18n: a1 b3", "plan e3b0c44298fc1c14 , i18n"),
        ] {
            let line = parse(text);
            assert_eq!((line.names.len(), line.skipped), (2, vec![skipped.to_owned()]), "{text}");
        }
        for (text, damaged) in [
            ("a1 cc b3", (1, "cc")),
            ("a9x b3", (0, "a9x")),
            ("\u{430}3 b3", (0, "\u{430}3")),
            ("a1 -1 b3", (1, "-1")),
            ("To ur1a1 2 3found: a1 b3", (0, "ur1a1")),
        ] {
            let found = parse(text).damaged;
            assert_eq!(found, Some((damaged.0, damaged.1.to_owned())), "{text}");
        }
    }

    fn check(lines: &[&str]) -> Result<(), ReadErrorKind> {
        let (mut numbers, mut squares) = (Vec::new(), 0);
        for line in lines {
            let line = parse(line);
            numbers.extend(
                line.numbers
                    .iter()
                    .map(|number| MoveNumber { squares_before: number.squares_before + squares, ..*number }),
            );
            squares += line.names.len();
        }
        check_move_numbers(&numbers)
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
            &["#1 a1", "#2 b3"],
            &["Move nr.1: Knight A1", "Move nr.2: Knight B3"],
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
