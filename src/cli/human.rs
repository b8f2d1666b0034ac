//! Times and sizes for people.

use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration};

const YEAR: f64 = 365.25 * 86400.0;

/// Seconds in words, two figures of them at most.
pub fn time(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 2.0 * YEAR {
        HumanDuration(Duration::from_secs_f64(seconds)).to_string()
    } else if seconds < 1e4 * YEAR {
        format!("{:.0} years", seconds / YEAR)
    } else if seconds.is_finite() {
        ages(seconds / YEAR)
    } else {
        "no end of time".to_owned()
    }
}

/// So many threads, in words.
pub fn threads(number: usize) -> String {
    format!("{number} thread{}", if number == 1 { "" } else { "s" })
}

/// Years by the thousand and more, two figures of them.
fn ages(years: f64) -> String {
    let of =
        [(1e3, "thousand"), (1e6, "million"), (1e9, "billion"), (1e12, "trillion"), (1e15, "quadrillion")];
    // What rounds up to a thousand of one name is one of the next.
    let (unit, name) = of.into_iter().rev().find(|(unit, _)| years >= 0.9995 * unit).unwrap_or(of[0]);
    let figures = years / unit;
    match figures {
        _ if figures >= 999.5 => "a quintillion years or more".to_owned(),
        _ if figures < 9.95 => format!("{figures:.1} {name} years"),
        _ if figures < 99.5 => format!("{figures:.0} {name} years"),
        _ => format!("{:.0} {name} years", (figures / 10.0).round() * 10.0),
    }
}

/// Bytes with a unit.
pub fn bytes(bytes: u64) -> String {
    if bytes == u64::MAX { "more than any machine has".to_owned() } else { HumanBytes(bytes).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let told = [0.0123, 45.0, 7200.0, 100.0 * YEAR, 3e9 * YEAR].map(time);
        assert_eq!(told, ["12 ms", "45 seconds", "2 hours", "100 years", "3.0 billion years"]);
        let told = [1e4, 12_345.6, 999_960.0, 1.04e7, 8.04e17, 8e19].map(|years| time(years * YEAR));
        let names = ["10 thousand", "12 thousand", "1.0 million", "10 million", "800 quadrillion"];
        assert_eq!(told[..5], names.map(|name| format!("{name} years")));
        assert_eq!(told[5], "a quintillion years or more");
        assert_eq!([threads(1), threads(2)], ["1 thread", "2 threads"]);
        assert_eq!(
            (bytes(1536), bytes(u64::MAX)),
            ("1.50 KiB".to_owned(), "more than any machine has".to_owned())
        );
    }
}
