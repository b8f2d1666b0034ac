//! Which words are names of vertices.
//!
//! Words that another format uses as punctuation, numbers in other spellings than `12`, and words with
//! invisible characters are not names. Brackets are fine inside a name if they are balanced: `v(1)`.

use std::collections::HashSet;

use super::error::excerpt;
use crate::text_format::is_zero_width;

/// Characters that no name contains.
const RESERVED: &[char] = &[';', '|', '=', '<', '>', '"', '`', ',', '\\', '\u{ff0c}', '\u{ff1b}', '\u{3001}'];

/// Characters that no name begins with.
const RESERVED_FIRST: &[char] =
    &['-', ':', '*', '/', '!', '(', '[', '{', ')', ']', '}', '\'', '#', '%', '&', '+', '.'];

/// Characters that no name ends with.
const RESERVED_LAST: &[char] = &[':', '-', '/', '(', '[', '{'];

/// Signs that other programs write between the names of an edge.
const SEPARATOR_SIGNS: &[char] = &[
    ';', '|', '=', '>', '<', ':', '/', '-', '~', '+', '&', '_', '\\', '*', '.', '!', '@', '^', '$', '\'', '#',
];

/// Returns true if the word consists of ASCII digits.
pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks that a word is a name. Cost O(length).
///
/// # Errors
/// What is wrong with the word, and a remedy.
pub(super) fn check_name(word: &str) -> Result<(), String> {
    // Almost all names.
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !word.as_bytes()[0].is_ascii_digit()
        || is_number(word)
    {
        return Ok(());
    }
    let shown = excerpt(word);
    if word.contains(is_invisible) {
        return Err(format!("`{shown}` has an invisible character; delete it"));
    }
    if ["->", "=>", "~>", "<-"].iter().any(|arrow| word.contains(arrow)) || word.contains(is_arrow) {
        return Err(format!(
            "`{shown}` has an arrow, so that the graph is directed or in another format; write two names a \
            line for an undirected edge"
        ));
    }
    if word.contains("--") || word.contains(is_foreign_sign) {
        return Err(format!("`{shown}` is not a name, as it has dashes or quotes; write two names a line"));
    }
    if let Some(kind) = other_number_spelling(word) {
        return Err(format!("`{shown}` is {kind}; write names, or numbers such as 12"));
    }
    if !word.contains(char::is_alphanumeric) {
        return Err(format!("`{shown}` is not a name, as it has no letter or digit; write two names a line"));
    }
    let has_empty_brackets = ["()", "[]", "{}"].iter().any(|pair| word.contains(pair));
    if has_empty_brackets || !has_balanced_brackets(word) || word.starts_with(['(', '[', '{']) {
        return Err(format!(
            "`{shown}` has brackets as in tuples, JSON or program text; write two names a line without them"
        ));
    }
    let sign = word
        .chars()
        .find(|c| RESERVED.contains(c))
        .or_else(|| word.chars().next().filter(|c| RESERVED_FIRST.contains(c)))
        .or_else(|| word.chars().last().filter(|c| RESERVED_LAST.contains(c)))
        .or_else(|| sign_after_number(word));
    match sign {
        Some(sign) => Err(format!(
            "`{shown}` is not a name because of its `{sign}`; write two names a line, separated by a blank"
        )),
        None => Ok(()),
    }
}

/// Checks that numbers with leading zeros have as many digits as all other numbers, so that no number has two
/// spellings. Cost O(length of the names).
///
/// # Errors
/// Two numbers of different spellings, and a remedy.
pub(super) fn check_spellings(names: &[&str]) -> Result<(), String> {
    let mut numbers = names.iter().filter(|name| is_number(name));
    let Some(padded) = numbers.clone().find(|name| name.len() > 1 && name.starts_with('0')) else {
        return Ok(());
    };
    match numbers.find(|name| name.len() != padded.len()) {
        Some(other) => Err(format!(
            "`{padded}` and `{other}` are numbers with and without leading zeros; write all with as many digits"
        )),
        None => Ok(()),
    }
}

/// Checks that not some accents are separate characters and others parts of their letters, so that no name has
/// two spellings. Cost O(length of the names).
///
/// # Errors
/// A name with a separate accent, and a remedy.
pub(super) fn check_accents(names: &[&str]) -> Result<(), String> {
    let is_separate = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}');
    let is_joined =
        |c: char| matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{ac00}'..='\u{d7a3}');
    // Signs that look like letters: ohm, kelvin, angstrom.
    let is_sign = |c: char| matches!(c, '\u{2126}' | '\u{212a}' | '\u{212b}');
    let error = |name: &str| {
        Err(format!(
            "`{}` may have the same letters as other names in another Unicode form; save the file in one normal form (NFC)",
            excerpt(name)
        ))
    };
    let others = || names.iter().filter(|name| !name.is_ascii());
    if let Some(name) = others().find(|name| name.contains(is_sign)) {
        return error(name);
    }
    let Some(name) = others().find(|name| name.contains(is_separate)) else { return Ok(()) };
    let mut letters = HashSet::new();
    // The same accents in another order.
    let repeated = others().find(|name| {
        let mut characters: Vec<char> = name.chars().collect();
        characters.sort_unstable();
        !letters.insert(characters)
    });
    match repeated {
        Some(name) => error(name),
        None if others().any(|name| name.contains(is_joined)) => error(name),
        None => Ok(()),
    }
}

/// Checks that no name is another name with the sign of a sentence's end. Cost O(length of the names).
///
/// # Errors
/// A name with such a sign, and a remedy.
pub(super) fn check_final_signs(names: &[&str]) -> Result<(), String> {
    let ended = || names.iter().filter(|name| name.ends_with(['.', '!', '?']));
    if ended().next().is_none() {
        return Ok(());
    }
    let all: HashSet<&str> = names.iter().copied().collect();
    match ended().find(|name| all.contains(name.trim_end_matches(['.', '!', '?']))) {
        Some(name) => Err(format!(
            "`{}` and the same name without its last sign may be one vertex; delete the sign, or rename one of the vertices",
            excerpt(name)
        )),
        None => Ok(()),
    }
}

/// Returns what the word is, if it is a number in another spelling than digits alone.
fn other_number_spelling(word: &str) -> Option<&'static str> {
    if !word.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unsigned = word.strip_prefix(['-', '+']);
    if unsigned.is_some_and(is_number) && word.starts_with('-') {
        return Some("a negative number");
    }
    let is_decimal = word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'))
        && word.parse::<f64>().is_ok();
    is_decimal.then_some("a decimal or signed number")
}

/// Returns the sign at the end of a word without letters, if it is not a prime or a star as in `1'`.
fn sign_after_number(word: &str) -> Option<char> {
    let last = word.chars().last()?;
    let is_sign =
        !last.is_alphanumeric() && !matches!(last, '\'' | '*') && !word.contains(char::is_alphabetic);
    is_sign.then_some(last)
}

fn is_invisible(c: char) -> bool {
    c.is_control() || is_zero_width(c) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{fffd}')
}

fn is_arrow(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{27f0}'..='\u{27ff}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2b11}')
}

/// Dashes, quotation marks, bullets and the minus sign of typography.
fn is_foreign_sign(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201f}' | '\u{2022}' | '\u{2026}' | '\u{2212}' | '\u{2500}'..='\u{257f}' | '\u{ab}' | '\u{bb}')
}

fn has_balanced_brackets(word: &str) -> bool {
    let mut open = Vec::new();
    word.chars().all(|c| match c {
        '(' => (open.push(')'), true).1,
        '[' => (open.push(']'), true).1,
        '{' => (open.push('}'), true).1,
        ')' | ']' | '}' => open.pop() == Some(c),
        _ => true,
    }) && open.is_empty()
}

/// Splits a word at a sign that may separate two names, if it contains the sign once, or doubled as in `--`.
pub(super) fn split_at_sign(word: &str) -> Option<(&str, char, &str)> {
    SEPARATOR_SIGNS.iter().find_map(|&sign| {
        let (before, after) = word.split_once(sign)?;
        let (before, after) =
            (before.trim_end_matches(['-', '=', '~', sign]), after.trim_start_matches(['>', sign]));
        let are_names =
            [before, after].iter().all(|part| part.contains(char::is_alphanumeric) && !part.contains(sign));
        are_names.then_some((before, sign, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_most_signs_inside() {
        for name in [
            "a", "12", "01", "C#", "a-b", "v(1)", "f[2]{3}", "o'1", "v'", "é", "x_1", "_", "a.b", "1.2.3",
            "3a", "a:b", "A+", "a/b", "@x", "$x", "a~", "x*", "p&q", "10th", "κ", "東京",
        ] {
            let is_bare_sign = !name.contains(char::is_alphanumeric);
            assert_eq!(check_name(name).is_ok(), !is_bare_sign, "{name}: {:?}", check_name(name));
        }
    }

    #[test]
    fn punctuation_and_other_numbers_are_not_names() {
        for word in [
            "-1",
            "+1",
            "1.0",
            "-0.5",
            "1e3",
            ".5",
            "1.",
            "--",
            "->",
            "...",
            "=",
            "a:",
            ":a",
            "a;",
            "a|b",
            "a=1",
            "(0",
            "1)",
            "(1)",
            "[1]",
            "{a",
            "v(1",
            "v[]",
            ".v",
            "v)1(",
            "\"a",
            "a\"b",
            "-a",
            "a-",
            "a->b",
            "a--b",
            "a<b",
            "*x",
            "/x",
            "//",
            "!x",
            "'a'",
            "&B",
            "a→b",
            "–1",
            "“a”",
            "a\u{200b}",
            "\u{feff}a",
            "a\\b",
            "<a>",
            "a`",
        ] {
            assert!(check_name(word).is_err(), "{word}");
        }
    }

    #[test]
    fn split_at_sign_finds_separators() {
        for word in ["a-b", "1;2", "1|2", "1->2", "1--2", "a=b", "1:2", "1/2", "1_2"] {
            assert!(split_at_sign(word).is_some(), "{word}");
        }
        for word in ["ab", "a-", "-a", "a-b-c", "12", "="] {
            assert_eq!(split_at_sign(word), None, "{word}");
        }
    }
}
