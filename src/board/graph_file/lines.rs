//! Lines of a graph file without comments, and their fields.
//!
//! Lines end with LF, CRLF or CR. Every Unicode blank is a blank. `#` begins a comment at the start of a line
//! or after a blank, so that a name may contain it; a line that begins with `%` is a comment.

use std::fmt::Display;

use super::error::{GraphFileError, excerpt};

/// A line with contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub number: usize,
    /// The text without comment and surrounding blanks; not empty.
    pub text: &'a str,
    /// The comment at the end of the line with its `#`, or an empty text.
    pub comment: &'a str,
}

/// All lines of a file, split into lines with contents and comments.
#[derive(Debug, Default)]
pub(super) struct Lines<'a> {
    /// The lines with contents.
    pub contents: Vec<Line<'a>>,
    /// The first line that is a comment: its number and text.
    pub first_comment: Option<(usize, &'a str)>,
    /// The first line after one with contents that consists of `#` alone: its number.
    pub lone_hash: Option<usize>,
}

/// What separates the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Blanks,
    Tabs,
    Comma,
}

impl Separator {
    /// Returns the separator's name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Blanks => "blanks",
            Self::Tabs => "tabs",
            Self::Comma => "a comma",
        }
    }
}

/// A check that all lines have one separator.
#[derive(Debug, Default)]
pub(super) struct SeparatorCheck {
    /// The first separator, and its line number.
    first: Option<(Separator, usize)>,
}

impl SeparatorCheck {
    /// Checks the separator of a line.
    ///
    /// # Errors
    /// Another line has another separator.
    pub fn add(&mut self, line: &Line<'_>, found: Separator) -> Result<(), GraphFileError> {
        let (first, number) = *self.first.get_or_insert((found, line.number));
        if first == found {
            return Ok(());
        }
        let (found, first) = (found.name(), first.name());
        Err(line.quoted_error(format!(
            "is separated by {found}, but line {number} by {first}; use one separator in the file"
        )))
    }
}

/// Splits a text into its lines. Cost O(length).
pub(super) fn split_lines(text: &str) -> Lines<'_> {
    let mut lines = Lines::default();
    let mut number = 0;
    for line in text.split('\n') {
        for line in line.strip_suffix('\r').unwrap_or(line).split('\r') {
            number += 1;
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let (text, comment) = split_comment(line);
            if text.is_empty() {
                lines.first_comment = lines.first_comment.or(Some((number, line)));
                if line == "#" && !lines.contents.is_empty() {
                    lines.lone_hash = lines.lone_hash.or(Some(number));
                }
            } else {
                lines.contents.push(Line { number, text, comment });
            }
        }
    }
    lines
}

/// Splits a trimmed line into its contents and its comment.
fn split_comment(line: &str) -> (&str, &str) {
    if line.starts_with('%') {
        return ("", line);
    }
    let is_comment = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with(char::is_whitespace);
    match line.match_indices('#').find(is_comment) {
        Some((at, _)) => (line[..at].trim_end(), &line[at..]),
        None => (line, ""),
    }
}

impl<'a> Line<'a> {
    /// Returns the separator of the line: a comma if there is one, then tabs.
    pub fn separator(&self) -> Separator {
        if self.text.contains(',') {
            Separator::Comma
        } else if self.text.contains('\t') {
            Separator::Tabs
        } else {
            Separator::Blanks
        }
    }

    /// Returns true if the line is a single word.
    pub fn is_one_word(&self) -> bool {
        !self.text.contains(|c: char| c == ',' || c.is_whitespace())
    }

    /// Returns the first word.
    pub fn first_word(&self) -> &'a str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    /// Returns an error in this line.
    pub fn error(&self, what: impl Into<String>) -> GraphFileError {
        GraphFileError::new(self.number, what)
    }

    /// Returns an error in this line, which begins with an excerpt of the line.
    pub fn quoted_error(&self, what: impl Display) -> GraphFileError {
        self.error(format!("`{}` {what}", excerpt(self.text)))
    }
}

/// Splits a text into its fields and pushes them to `fields`. Quotes around a field are removed.
///
/// # Errors
/// A field is empty, or has blanks inside; contains the message.
pub(super) fn split_fields<'a>(text: &'a str, fields: &mut Vec<&'a str>) -> Result<(), String> {
    if !text.contains(',') {
        fields.extend(text.split_whitespace().map(unquote));
        return Ok(());
    }
    for field in text.split(',').map(str::trim) {
        if field.is_empty() {
            return Err(format!(
                "`{}` has an empty field next to a comma; write two names and one comma",
                excerpt(text)
            ));
        }
        if field.contains(char::is_whitespace) {
            return Err(format!(
                "`{}` has commas and blanks between names; separate all names by one comma, or all by blanks",
                excerpt(text)
            ));
        }
        fields.push(unquote(field));
    }
    Ok(())
}

/// Returns a field without the double quotes around it.
fn unquote(field: &str) -> &str {
    field
        .strip_prefix('"')
        .and_then(|field| field.strip_suffix('"'))
        .filter(|field| !field.is_empty())
        .unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, &str)> {
        split_lines(text).contents.iter().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn split_lines_accepts_all_line_ends() {
        for text in ["a b\n\nc d", "a b\r\n\r\nc d\r\n", "a b\r\rc d\r", "a b\n\n\u{a0}c d\u{a0}\n\n"] {
            assert_eq!(texts(text), [(1, "a b"), (3, "c d")], "{text:?}");
        }
        assert_eq!(texts(""), []);
    }

    #[test]
    fn comments_begin_at_line_start_or_after_a_blank() {
        assert_eq!(texts("# x\n%y\nC# D\nD E # a\nE\t#b\n #\n"), [(3, "C# D"), (4, "D E"), (5, "E")]);
        let lines = split_lines("%y\na b # c\n#\n# d\n");
        assert_eq!((lines.first_comment, lines.lone_hash), (Some((1, "%y")), Some(3)));
        assert_eq!(lines.contents[0].comment, "# c");
    }

    #[test]
    fn split_fields_removes_quotes_and_rejects_empty_fields() {
        let fields = |text| {
            let mut fields = Vec::new();
            split_fields(text, &mut fields).map(|()| fields)
        };
        assert_eq!(fields("\"a\",\"b\""), Ok(vec!["a", "b"]));
        assert_eq!(fields("a , b"), Ok(vec!["a", "b"]));
        assert_eq!(fields("a \t b"), Ok(vec!["a", "b"]));
        for text in ["a,,b", "a,b,", ",a", "a,b c"] {
            assert!(fields(text).is_err(), "{text}");
        }
    }
}
