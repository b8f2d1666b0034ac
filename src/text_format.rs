//! Text formatting for people: long times, counts with a noun, wrapped lines, escapes. Sizes are
//! formatted by [`format_bytes`](crate::memory::format_bytes).

use std::fmt::Display;
use std::io;

/// Number of seconds in a year.
pub const YEAR_SECONDS: f64 = 365.25 * 86400.0;

/// Number of seconds in a week. Times below two years are given in weeks.
const WEEK_SECONDS: f64 = 7.0 * 86400.0;

/// Units for large numbers of years: the number of years in one unit, and the name of the unit.
const YEAR_UNITS: [(f64, &str); 5] =
    [(1e3, "thousand"), (1e6, "million"), (1e9, "billion"), (1e12, "trillion"), (1e15, "quadrillion")];

/// Returns true for a character without width that is not a control character, such as a soft hyphen or a byte
/// order mark.
#[must_use]
pub(crate) const fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Returns the present time in UTC, to the second, as `2026-01-31T23:59:59Z`.
#[must_use]
pub fn now_utc() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// Returns the words of an error of the system without its number, which only repeats them.
#[must_use]
pub fn describe_io_error(error: &io::Error) -> String {
    let words = error.to_string();
    // The words of the system begin with a capital letter, those of Rust for the same kind do not.
    if error.raw_os_error().is_none() && error.get_ref().is_none() {
        let (first, rest) = words.split_at(words.len().min(1));
        return first.to_uppercase() + rest;
    }
    let number = error.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| words.strip_suffix(&number)).unwrap_or(&words).to_owned()
}

/// Formats a time of a year or more, given in seconds. Writes weeks below two years, and two
/// significant figures from ten thousand years on. An infinite time is `no end of time`.
#[must_use]
pub fn format_years(seconds: f64) -> String {
    match seconds / YEAR_SECONDS {
        years if !years.is_finite() => "no end of time".to_owned(),
        years if years < 2.0 => format!("{:.0} weeks", seconds / WEEK_SECONDS),
        years if years < 1e4 => format!("{years:.0} years"),
        years => format_large_years(years),
    }
}

/// Returns true if [`format_years`] gives no number, but a finite lower bound.
#[must_use]
pub fn is_lower_bound(seconds: f64) -> bool {
    seconds.is_finite() && seconds / YEAR_SECONDS / YEAR_UNITS[YEAR_UNITS.len() - 1].0 >= MAX_FIGURES
}

/// Number of the greatest unit of years from which on only a lower bound is given: it rounds up to 1000.
const MAX_FIGURES: f64 = 999.5;

fn format_large_years(years: f64) -> String {
    // A number that rounds up to 1000 of one unit is given in the next unit.
    let (unit, name) =
        YEAR_UNITS.into_iter().rev().find(|(unit, _)| years >= 0.9995 * unit).unwrap_or(YEAR_UNITS[0]);
    let figures = years / unit;
    match figures {
        _ if figures >= MAX_FIGURES => "a quintillion years or more".to_owned(),
        _ if figures < 9.95 => format!("{figures:.1} {name} years"),
        _ if figures < 99.5 => format!("{figures:.0} {name} years"),
        _ => format!("{:.0} {name} years", (figures / 10.0).round() * 10.0),
    }
}

/// Formats a number of threads: `1 thread`, `2 threads`.
#[must_use]
pub fn format_threads(number: usize) -> String {
    format_count(number, "thread")
}

/// Formats a number with a noun that forms its plural with s, or with `vertex`: `1 tour`, `2 tours`, `2 vertices`.
#[must_use]
pub fn format_count(number: impl Display, noun: &str) -> String {
    match number.to_string().as_str() {
        "1" => format!("1 {noun}"),
        number if noun == "vertex" => format!("{number} vertices"),
        number => format!("{number} {noun}s"),
    }
}

/// Splits text into lines of at most `columns` characters, between words. A longer word gets a line of its
/// own.
#[must_use]
pub fn wrap_lines(text: &str, columns: usize) -> Vec<String> {
    let mut words = text.split(' ');
    let mut lines = vec![words.next().unwrap_or_default().to_owned()];
    for word in words {
        let line = lines.last_mut().expect("lines is never empty");
        if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Escapes unprintable characters and backslashes with a backslash. Leaves quotes unchanged.
#[must_use]
pub(crate) fn escape_unprintable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\'') { shown.push(c) } else { shown.extend(c.escape_debug()) }
    }
    shown
}

/// Escapes the control characters of a message, such as those in file names, so that it is one line.
#[must_use]
pub fn escape_control(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for c in message.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Returns the first 24 characters of a text for a message, with control characters escaped.
pub(crate) fn printable_excerpt(text: &[u8]) -> String {
    let short: String = String::from_utf8_lossy(&text[..text.len().min(96)]).chars().take(24).collect();
    let dots = if short.len() < text.len().min(96) || text.len() > 96 { "..." } else { "" };
    format!("{}{dots}", escape_unprintable(&short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describe_io_error_omits_number() {
        let missing = std::fs::metadata("no-such-file").unwrap_err();
        assert!(missing.raw_os_error().is_some());
        assert!(!describe_io_error(&missing).contains("os error") && !describe_io_error(&missing).is_empty());
        assert_eq!(describe_io_error(&io::Error::other("closed (os error 9)")), "closed (os error 9)");
        assert_eq!(describe_io_error(&io::ErrorKind::PermissionDenied.into()), "Permission denied");
    }

    #[test]
    fn now_utc_has_seconds() {
        let time = now_utc();
        assert_eq!(time.len(), 20, "{time}");
        assert!(humantime::parse_rfc3339(&time).is_ok());
    }

    #[test]
    fn wrap_lines_breaks_between_words() {
        assert_eq!(wrap_lines("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_lines("one two three", 1), ["one", "two", "three"]);
        assert_eq!(wrap_lines("  one, two", usize::MAX), ["  one, two"]);
        assert_eq!(wrap_lines("", 5), [""]);
        assert_eq!(wrap_lines("a1 b3 c5", 5), ["a1 b3", "c5"]);
        assert_eq!(wrap_lines("a1 b3 c5", usize::MAX), ["a1 b3 c5"]);
        assert_eq!(wrap_lines("a1 b3", 1), ["a1", "b3"]);
    }

    #[test]
    fn format_years_chooses_fitting_unit() {
        let texts = [
            1.0,
            1.9,
            2.0,
            100.0,
            9999.4,
            1e4,
            12_345.6,
            999_960.0,
            1.04e7,
            3e9,
            8.04e17,
            8e19,
            f64::INFINITY,
        ]
        .map(|years| super::format_years(years * YEAR_SECONDS));
        let short = ["52 weeks", "99 weeks", "2 years", "100 years", "9999 years"];
        let long =
            ["10 thousand", "12 thousand", "1.0 million", "10 million", "3.0 billion", "800 quadrillion"];
        assert_eq!(texts[..5], short);
        assert_eq!(texts[5..11], long.map(|name| format!("{name} years")));
        assert_eq!(texts[11..], ["a quintillion years or more", "no end of time"]);
        assert_eq!(
            [9.99e17, 1e18, f64::INFINITY].map(|years| is_lower_bound(years * YEAR_SECONDS)),
            [false, true, false]
        );
    }

    #[test]
    fn escape_unprintable_keeps_quotes() {
        assert_eq!(escape_unprintable("\"1\" and '2'\t\\"), "\"1\" and '2'\\t\\\\");
    }

    #[test]
    fn escape_control_keeps_backslashes_and_letters() {
        assert_eq!(escape_control("é\\\n\u{85}\u{7f}"), "é\\\\n\\u{85}\\u{7f}");
    }

    #[test]
    fn printable_excerpt_cuts_long_words() {
        assert_eq!(printable_excerpt(b"a\t1"), "a\\t1");
        assert_eq!(printable_excerpt(&[b'7'; 100_000]), format!("{}...", "7".repeat(24)));
        let square = "a".to_owned() + &"1".repeat(100_000);
        let error = square.parse::<crate::board::Square>().unwrap_err().to_string();
        assert!(error.len() < 120, "{error}");
    }

    #[test]
    fn format_count_uses_singular_for_one() {
        assert_eq!([1, 2].map(format_threads), ["1 thread", "2 threads"]);
        assert_eq!([0, 1].map(|number| format_count(number, "tour")), ["0 tours", "1 tour"]);
    }
}
