//! Rows of a series as a b-file of the On-Line Encyclopedia of Integer Sequences.
//!
//! Each line has an index and a number. Indices are consecutive, and remarks begin with `#`. See
//! <https://oeis.org/wiki/B-files>. If every second board of a series has no tours, the encyclopedia lists
//! only the other boards: 5 x 2n is printed with a stride of 2.
//!
//! An ordinal number is written with its ending.

use ktour::board::Rectangle;

use super::BoardRow;
use super::series_report::SeriesReport;

/// Greatest number of digits that the encyclopedia accepts.
const MAX_NUMBER_DIGITS: usize = 1000;

/// Returns the lines of the rows whose length is a multiple of `stride`. If `remark` is given, a remark above
/// them describes the sequence and ends with these words. The result is checked against the format.
///
/// # Errors
/// A number has too many digits, or the indices of the rows are not consecutive.
pub fn format_bfile(
    report: &SeriesReport,
    rows: &[BoardRow],
    stride: u16,
    remark: Option<&str>,
    both_directions: bool,
) -> Result<String, String> {
    let index = report.index.expect("the index was checked before");
    let mut text = String::new();
    if let Some(words) = remark {
        let kind = rows.first().and_then(|row| row.numbers.first()).map_or("", |numbers| numbers.kind.name());
        let direction = if both_directions { ", directed" } else { "" };
        let every =
            if stride > 1 { format!(", every {} length", ordinal(stride.into())) } else { String::new() };
        let (title, version) = (report.title(), env!("CARGO_PKG_VERSION"));
        text += &format!("# {kind} of {title}{direction}{every}, by ktour {version}{words}\n");
    }
    for row in rows {
        let board: Rectangle =
            row.board.parse().map_err(|_| format!("--bfile: board {} has no index", row.board))?;
        if !index(&board).is_multiple_of(stride) {
            continue;
        }
        let [number] = &row.printed_counts(both_directions)[..] else {
            return Err(format!(
                "--bfile takes one number for each board, and {} has several; choose one kind",
                row.board
            ));
        };
        text += &format!("{} {number}\n", index(&board) / stride);
    }
    check_bfile(&text).map(|()| text)
}

/// Checks that a text is a valid b-file.
///
/// # Errors
/// The reason, with the index of the line.
pub fn check_bfile(text: &str) -> Result<(), String> {
    let mut last: Option<i64> = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (index, number) =
            line.split_once(' ').ok_or_else(|| format!("--bfile: line `{line}` has no index and number"))?;
        let index: i64 = index.parse().map_err(|_| format!("--bfile: {index} is not an index"))?;
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(format!("--bfile: {number} of index {index} is not a number"));
        }
        if digits.len() > MAX_NUMBER_DIGITS {
            return Err(format!(
                "--bfile: the number of index {index} has {} digits, and the OEIS accepts {MAX_NUMBER_DIGITS}; end the \
                 range before it",
                digits.len()
            ));
        }
        if last.is_some_and(|last| last + 1 != index) {
            return Err(format!("--bfile: index {index} does not follow its predecessor"));
        }
        last = Some(index);
    }
    Ok(())
}

/// Returns `1st`, `2nd`, `3rd`, `4th`, ..
#[must_use]
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_bfile_accepts_valid_and_rejects_invalid() {
        for good in ["", "# of\n1 0\n2 16\n", "0 1\n", "-1 -5\n0 7\n"] {
            assert_eq!(check_bfile(good), Ok(()), "{good}");
        }
        let long = format!("7 {}\n", "9".repeat(1001));
        for bad in ["1 0\n3 16\n", "1  0\n", "1 016\n", "1\n", "1 1e5\n", "x 1\n", long.as_str()] {
            assert!(check_bfile(bad).is_err(), "{bad}");
        }
        let error = check_bfile(&long).unwrap_err();
        assert!(error.contains("index 7 ") && error.contains("1001 digits"), "{error}");
    }
}

#[cfg(test)]
mod ordinal_tests {
    use super::*;

    #[test]
    fn ordinal_has_english_ending() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 22, 101].map(ordinal).into();
        assert_eq!(all.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 22nd 101st");
    }
}
