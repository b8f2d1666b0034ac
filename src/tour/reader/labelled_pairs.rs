//! Coordinates with their names, without brackets.
//!
//! ```text
//! x=0 y=5      row: 0, col: 0      1. x=0, y=5 -> x=1, y=3      Step 1: (row 0, column 0)      file=a rank=3
//! ```
//!
//! Such a pair is a map in another notation. [`enclose_pairs`] returns the tokens of the map, which `tree` and
//! `tree_tours` read. A line with any other word, or with half a pair, is no such line. Cost O(tokens).

use super::field_names::{COORDINATE_NAMES, FILE_NAMES, STEP_KEYS};
use super::names::is_link_word;
use super::token::{Token, TokenKind};

/// A pair of coordinates with its names.
#[derive(Debug, Default)]
struct LabelledPair<'a> {
    /// Number before the pair, which counts it.
    counter: Option<Token<'a>>,
    /// Coordinates and, at most once, a step number.
    values: Vec<(&'static str, Token<'a>)>,
    /// True if a link such as `->` or `to` precedes the pair.
    is_linked: bool,
    /// True if the pair has an opening bracket and no closing one.
    is_open: bool,
}

impl LabelledPair<'_> {
    fn has(&self, key: &str) -> bool {
        self.values.iter().any(|(other, _)| *other == key)
    }

    /// Returns true if a coordinate is known.
    fn is_begun(&self) -> bool {
        self.values.iter().any(|(key, _)| !STEP_KEYS.contains(key))
    }

    /// Returns true if the values are two coordinates and at most one step number.
    fn is_complete(&self) -> bool {
        let steps = self.values.iter().filter(|(key, _)| STEP_KEYS.contains(key)).count();
        let is_pair = COORDINATE_NAMES.iter().any(|([a, b], _)| self.has(a) && self.has(b));
        !self.is_open && is_pair && steps < 2 && self.values.len() == 2 + steps
    }
}

/// Returns the number of pairs on a line that consists of labelled pairs, otherwise 0.
pub(super) fn count_pairs(tokens: &[Token<'_>]) -> usize {
    parse(tokens).map_or(0, |pairs| pairs.len())
}

/// Returns the tokens of a line with brackets around its pairs: labelled pairs, if `may_be_labelled`, or pairs that a sign
/// joins.
pub(super) fn enclose_all_pairs(tokens: Vec<Token<'_>>, may_be_labelled: bool) -> Vec<Token<'_>> {
    let labelled = if may_be_labelled { enclose_pairs(&tokens) } else { None };
    labelled.or_else(|| enclose_joined_pairs(&tokens)).unwrap_or(tokens)
}

/// Returns the tokens of a list with brackets around its pairs, if one sign joins all its numbers two by two:
/// `[1/3, 3/2]`, `[1-3, 3-2]` as in Prolog, `((1 . 3) (3 . 2))` as in Lisp.
fn enclose_joined_pairs<'a>(tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
    let first = tokens.iter().position(Token::is_number)?;
    let sign = tokens.get(first + 1).map(|token| token.text).filter(|sign| ["/", "-", "."].contains(sign))?;
    let is_dotted = sign == ".";
    let (mut enclosed, mut at, mut count) = (tokens[..first].to_vec(), first, 0);
    let has_bracket =
        |token: &Token<'_>| matches!(token.kind, TokenKind::Open('[' | '(' | '{') | TokenKind::Close(_));
    if !tokens.iter().any(has_bracket) {
        return None;
    }
    while let Some(token) = tokens.get(at) {
        if !token.is_number() {
            enclosed.push(*token);
            at += 1;
            continue;
        }
        let [a, joint, b, behind @ ..] = &tokens[at..] else { return None };
        let is_pair =
            joint.text == sign && joint.is_apart == is_dotted && b.is_number() && b.is_apart == is_dotted;
        let is_alone = behind.first().is_none_or(|next| next.text != sign);
        let is_enclosed = enclosed.last().is_some_and(|open| matches!(open.kind, TokenKind::Open(_)))
            && behind.first().is_some_and(|close| matches!(close.kind, TokenKind::Close(_)));
        if !is_pair || !is_alone || is_dotted && !is_enclosed {
            return None;
        }
        let pair = [(TokenKind::Open('('), "("), (a.kind, a.text), (TokenKind::Comma, ","), (b.kind, b.text)];
        let pair = pair.into_iter().chain([(TokenKind::Close(')'), ")")]);
        let inside = if is_enclosed { 1..4 } else { 0..5 };
        let tokens_of_pair: Vec<_> = pair.collect();
        enclosed.extend(tokens_of_pair[inside].iter().map(|&(kind, text)| Token { kind, text, ..*a }));
        (at, count) = (at + 3, count + 1);
    }
    (count > 1).then_some(enclosed)
}

/// Returns the tokens of a map for each pair, if a line consists of labelled pairs: `(x = 0, y = 5)`.
pub(super) fn enclose_pairs<'a>(tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
    let mut enclosed = Vec::new();
    let mut pairs = parse(tokens)?;
    // A step before a move counts the move: `Step 1: row 0, col 0 -> row 2, col 1`.
    for at in 1..pairs.len() {
        let step = pairs[at - 1].values.iter().position(|(key, _)| STEP_KEYS.contains(key));
        if let Some(step) = step.filter(|_| pairs[at].is_linked && pairs[at - 1].counter.is_none()) {
            pairs[at - 1].counter = Some(pairs[at - 1].values.remove(step).1);
        }
    }
    for pair in pairs {
        let first = pair.values.first()?.1;
        let mut push = |kind, text| enclosed.push(Token { kind, text, is_apart: true, ..first });
        if pair.is_linked {
            push(TokenKind::Sign, "->");
        }
        if let Some(counter) = pair.counter {
            push(counter.kind, counter.text);
            push(TokenKind::Points, ".");
        }
        push(TokenKind::Open('('), "(");
        for (key, value) in pair.values {
            push(TokenKind::Word, key);
            push(TokenKind::Equals, "=");
            push(value.kind, value.text);
        }
        push(TokenKind::Close(')'), ")");
    }
    Some(enclosed)
}

/// Returns the pairs of a line, or `None` if the line has anything else.
fn parse<'a>(tokens: &[Token<'a>]) -> Option<Vec<LabelledPair<'a>>> {
    let (mut pairs, mut pair) = (Vec::new(), LabelledPair::default());
    let mut is_linked = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let entry = key_of(token).and_then(|key| Some((key, find_value(key, &tokens[at..])?)));
        let begins = match (token.kind, &entry) {
            (_, Some((key, _))) => pair.has(key),
            (TokenKind::Number(_) | TokenKind::Open('(' | '['), None) => pair.is_begun(),
            _ => false,
        };
        if begins {
            if !pair.is_complete() {
                return None;
            }
            pairs.push(std::mem::take(&mut pair));
            pair.is_linked = std::mem::take(&mut is_linked);
        }
        match (token.kind, entry) {
            (_, Some((key, (value, length)))) => {
                pair.values.push((key, value));
                at += length;
            }
            (TokenKind::Number(_), None) if pair.counter.is_none() && pair.values.is_empty() => {
                pair.counter = Some(*token);
                let is_sign = |next: &Token<'_>| {
                    matches!(next.kind, TokenKind::Points | TokenKind::Colon | TokenKind::Close(')'))
                };
                at += usize::from(tokens.get(at).is_some_and(is_sign));
            }
            // `(1) x=0 y=0`
            (TokenKind::Open('(' | '['), None)
                if pair.counter.is_none() && pair.values.is_empty() && is_enclosed_number(&tokens[at..]) =>
            {
                pair.counter = tokens.get(at).copied();
                at += 2;
            }
            (TokenKind::Open('('), None) if !pair.is_open => pair.is_open = true,
            (TokenKind::Close(')'), None) if pair.is_open => {
                pair.is_open = false;
                if !pair.is_complete() {
                    return None;
                }
            }
            // `Step 1: row 0, column 0`, `Start: row 0, column 0`
            (TokenKind::Colon, None)
                if !pair.is_begun() && !pair.values.is_empty()
                    || at > 1
                        && tokens[at - 2].kind == TokenKind::Word
                        && is_link_word(tokens[at - 2].text) => {}
            (TokenKind::Comma | TokenKind::Semicolon | TokenKind::Bar | TokenKind::Points, None) => {}
            (kind, None)
                if kind == TokenKind::Sign
                    || kind == TokenKind::Hole && matches!(token.text, "-" | "--")
                    || kind == TokenKind::Word && is_link_word(token.text) =>
            {
                is_linked |= pair.is_complete();
            }
            _ => return None,
        }
    }
    let is_empty = pair.values.is_empty() && pair.counter.is_none() && !pair.is_open;
    if pair.is_complete() {
        pairs.push(pair);
    } else if !is_empty {
        return None;
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// Returns true if tokens begin with a number and a closing bracket.
fn is_enclosed_number(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [number, close, ..] if number.is_number() && matches!(close.kind, TokenKind::Close(_)))
}

/// Returns the key of a coordinate or of a step, in lower case.
fn key_of(token: &Token<'_>) -> Option<&'static str> {
    let coordinates = COORDINATE_NAMES.into_iter().flat_map(|(keys, _)| keys);
    (token.kind == TokenKind::Word).then(|| coordinates.chain(STEP_KEYS).find(|key| token.is_word(key)))?
}

/// Returns the value of a key, and the number of its tokens with the sign before it.
fn find_value<'a>(key: &str, tokens: &[Token<'a>]) -> Option<(Token<'a>, usize)> {
    let is_sign = |token: &Token<'_>| matches!(token.kind, TokenKind::Equals | TokenKind::Colon);
    let signs = usize::from(tokens.first().is_some_and(is_sign));
    let value = tokens.get(signs)?;
    let is_file = FILE_NAMES.contains(&key)
        && value.kind == TokenKind::Word
        && value.text.len() <= 2
        && value.text.bytes().all(|b| b.is_ascii_alphabetic());
    (value.is_number() || is_file).then_some((*value, signs + 1))
}

#[cfg(test)]
mod tests {
    use super::super::token::{decode_line, lex};
    use super::*;

    fn enclose(line: &str) -> Option<String> {
        let decoded = decode_line(line.as_bytes());
        let tokens = enclose_pairs(&lex(&decoded))?;
        Some(tokens.iter().map(|token| token.text).collect())
    }

    #[test]
    fn enclose_pairs_accepts_common_notations() {
        for (line, expected) in [
            ("x=0 y=5", "(x=0y=5)"),
            ("X: 0, Y: 5,", "(x=0y=5)"),
            ("row = 0; col = 0 | row = 1; col = 2.", "(row=0col=0)(row=1col=2)"),
            ("Row 0, Column 0", "(row=0column=0)"),
            ("1. x=0 y=5", "1.(x=0y=5)"),
            ("1) r:0 c:5 2) r:1 c:3", "1.(r=0c=5)2.(r=1c=3)"),
            ("Step 1: row 0, col 0", "(step=1row=0col=0)"),
            ("Step 1: Knight at (row 0, col 0)", "(step=1row=0col=0)"),
            ("x=0 y=5 n=1, x=1 y=3 n=2", "(x=0y=5n=1)(x=1y=3n=2)"),
            ("1. x=0 y=5 -> x=1 y=3", "1.(x=0y=5)->(x=1y=3)"),
            ("Step 1: row 0, col 0 -> row 2, col 1", "1.(row=0col=0)->(row=2col=1)"),
            ("(x=0, y=5) (x=1, y=3)", "(x=0y=5)(x=1y=3)"),
            ("from i=0 j=5 to i=1 j=3", "(i=0j=5)->(i=1j=3)"),
            ("file=c rank=3", "(file=crank=3)"),
            ("(1) x=0 y=5 [2] x=1 y=3", "1.(x=0y=5)2.(x=1y=3)"),
            ("Start: row 0, column 0", "(row=0column=0)"),
            ("From: x=0 y=5 to: x=1 y=3", "(x=0y=5)->(x=1y=3)"),
        ] {
            assert_eq!(enclose(line).as_deref(), Some(expected), "{line}");
        }
        for line in [
            "x=0",
            "x=0 y=",
            "x=0 x=1 y=2",
            "x=0 col=5",
            "x=0 y=-1",
            "x=0 y=5 z=1",
            "x=0 y=5 7",
            "1 2 x=0 y=5",
            "x=0 y=5 closed",
            "x=0 \"\" y=5",
            "step=1",
            "i=1 x=0 y=5",
            "(x=0 y=5",
            "(1 x=0 y=5",
            "(1) (2) x=0 y=5",
            "x: 0: y: 5",
            "[{x: 0, y: 5}]",
            "(0, 5)",
            "a3 c2",
            "1 4 7",
            "",
        ] {
            assert_eq!(enclose(line), None, "{line}");
        }
    }
}
