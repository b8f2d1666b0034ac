//! Grids printed as tables: Markdown, ASCII boxes, and the box characters of `draw`.
//!
//! ```text
//! |   | a | b |      +---+---+        ┌────┬────┐
//! |---|---|---|      | 1 | 4 |      2 │  1●│  4 │
//! | 2 | 1 | 4 |      +---+---+        └────┴────┘
//! ```
//!
//! A bar separates cells, an empty column on a side does not count, and lines of rules are skipped.
//! `MarginLabels` interprets ranks and files in the margins.
//!
//! Labels in the margins of a grid: ranks, file letters, and numbers of rows and columns.
//!
//! ```text
//! 2 | 1 4 |      ranks before the first bar, or on both sides         0  1     columns and rows
//! 1 | 3 2 |                                                      0    1  4     as pandas and R
//!     a b        file letters above or below                     1    3  2     print them
//! ```
//!
//! Ranks go down to 1 from row to row. If they go up and file letters are above or below, the first row is
//! the lowest rank. Row numbers below column numbers go up. Any other labels contradict the order of the rows
//! and are rejected.

use std::borrow::Cow;

use super::lexer::{parse_cells, split_words};
use crate::tour::read_error::{ReadErrorKind, printable_excerpt};

/// Returns true if a line has a bar.
pub(in crate::tour) fn has_bar(text: &[u8]) -> bool {
    text.contains(&b'|') || has_box_character(text)
}

/// Returns true if a line may have box characters, which are three bytes from 0xE2 0x94 0x80 on.
fn has_box_character(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0] == 0xE2 && matches!(pair[1], 0x94 | 0x95))
}

/// Returns true if a line is only a rule: `+---+---+`, `|---|---|`, `├────┼────┤`. A single dash is a removed
/// square.
pub(in crate::tour) fn is_rule(text: &[u8]) -> bool {
    let text = to_ascii(text);
    let draws = |b: &u8| matches!(b, b'-' | b'+' | b'|' | b':' | b'=' | b'_' | b' ' | b'\t');
    text.iter().all(draws)
        && (text.contains(&b'+')
            || text.windows(3).any(|three| matches!(three, b"---" | b"===" | b"___"))
            || (text.contains(&b'|') && text.windows(2).any(|pair| matches!(pair, b"--" | b":-" | b"-:"))))
}

/// Replaces box characters by `|`, `-` and `+`, and the marks of start and end by blanks.
fn to_ascii(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let sign = |c: char| match c {
        '│' | '┃' | '║' => '|',
        '─' | '━' | '═' => '-',
        '\u{2500}'..='\u{257F}' => '+',
        '●' | '◆' | '\u{a0}' => ' ',
        // Shading stands for a removed square.
        '░' => '.',
        other => other,
    };
    Cow::Owned(String::from_utf8_lossy(text).chars().map(sign).collect::<String>().into_bytes())
}

/// Splits a row of a table into its cells; the flags are true if a bar precedes the first cell and follows
/// the last one.
pub(in crate::tour) fn split_cells(text: &[u8]) -> (Vec<Vec<u8>>, bool, bool) {
    let text = to_ascii(text);
    let text = text.trim_ascii();
    let inside = text.strip_prefix(b"|");
    let cells = inside.unwrap_or(text);
    let ended = cells.strip_suffix(b"|");
    let mut found = Vec::new();
    for cell in ended.unwrap_or(cells).split(|&b| b == b'|') {
        let cell = cell.trim_ascii();
        let is_hole = cell.iter().all(|&b| b == b'.');
        found.push(if is_hole { &cell[..cell.len().min(1)] } else { cell }.to_vec());
    }
    (found, inside.is_some(), ended.is_some())
}

/// Parses a line of file letters from `a` on, which begin again for each layer of a box. Returns whether an
/// empty cell precedes them, and the number of letters.
pub(in crate::tour) fn parse_file_letters(text: &[u8]) -> Option<(bool, usize)> {
    let text = to_ascii(text);
    let text = text.trim_ascii();
    let corner = text.strip_prefix(b"|").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"|"));
    let letters: Vec<u8> = text.iter().map(|&b| if b == b'|' { b' ' } else { b }).collect();
    let (mut found, mut next) = (0usize, 0);
    for word in split_words(&letters) {
        let [letter] = word else { return None };
        let letter = letter.to_ascii_lowercase();
        if letter == b'a' {
            next = 0;
        }
        if letter != b'a' + next {
            return None;
        }
        (found, next) = (found + 1, (next + 1).min(25));
    }
    (found > 0).then_some((corner, found))
}

/// Labels found so far.
#[derive(Debug, Default)]
pub(in crate::tour) struct MarginLabels {
    /// Number of file letters or column numbers above the grid; 0 if there are none.
    column_count: usize,
    /// True if a cell precedes the first of them.
    has_corner_cell: bool,
    /// True if letters name the files, above or below.
    has_file_letters: bool,
    /// True if numbers count the columns.
    has_column_numbers: bool,
    /// Label of each row.
    row_labels: Vec<Option<u32>>,
}

impl MarginLabels {
    /// Records `count` file letters above the rows that follow.
    pub(in crate::tour) fn set_files_above(&mut self, corner: bool, count: usize) {
        (self.has_corner_cell, self.column_count, self.has_file_letters, self.has_column_numbers) =
            (corner, count, true, false);
    }

    /// Records file letters below the grid.
    pub(in crate::tour) const fn set_files_below(&mut self) {
        self.has_file_letters = true;
    }

    /// Records that the row above numbered `count` columns.
    pub(in crate::tour) fn set_column_numbers(&mut self, count: usize) {
        (self.has_corner_cell, self.column_count, self.has_column_numbers) = (false, count, true);
        self.row_labels.clear();
    }

    /// Returns true if no row so far has a label.
    pub(in crate::tour) fn is_empty(&self) -> bool {
        self.row_labels.iter().all(Option::is_none)
    }

    /// Returns the number of rows so far.
    pub(in crate::tour) const fn len(&self) -> usize {
        self.row_labels.len()
    }

    /// Splits a row into its cells, as a row of a plain grid, and its label.
    pub(in crate::tour) fn split_row<'a>(
        &self,
        text: &'a [u8],
    ) -> Result<(Cow<'a, [u8]>, Option<u32>), ReadErrorKind> {
        if has_bar(text) {
            return self.split_table_row(text).map(|(row, label)| (row.into(), label));
        }
        if self.column_count == 0 {
            return Ok((text.into(), None));
        }
        let row = text.trim_ascii();
        let found = if self.has_column_numbers { parse_cells(row).count() } else { split_words(row).count() };
        let first = split_words(row).next().and_then(parse_label);
        let (last, is_label) = (split_words(row).last().and_then(parse_label), first.is_some());
        let is_end = |b: &u8| b.is_ascii_whitespace() || *b == b',';
        let behind = |row: &[u8]| {
            let rest = row[row.iter().position(is_end).unwrap_or(row.len())..].trim_ascii_start();
            rest.strip_prefix(b",").unwrap_or(rest).to_vec()
        };
        if is_label && found == self.column_count + 1 {
            Ok((behind(row).into(), first))
        } else if is_label && found == self.column_count + 2 {
            let before = row[..row.iter().rposition(is_end).unwrap_or(0)].trim_ascii_end();
            let before = before.strip_suffix(b",").unwrap_or(before);
            let last =
                last.ok_or_else(|| ReadErrorKind::RankLabels("one row has no label at its end".to_owned()))?;
            Ok((behind(before).into(), agreed_label(first, Some(last))?))
        } else {
            Ok((text.into(), None))
        }
    }

    fn split_table_row(&self, text: &[u8]) -> Result<(Vec<u8>, Option<u32>), ReadErrorKind> {
        let (cells, opens, closes) = split_cells(text);
        let of = |cell: &Vec<u8>| parse_label(cell);
        let is_row = |cell: &Vec<u8>| split_words(cell).count() > 1;
        // Bars only between the numbers and their labels.
        match cells.as_slice() {
            [label, row] if of(label).is_some() && is_row(row) => return Ok((row.clone(), of(label))),
            [row, label] if of(label).is_some() && is_row(row) => return Ok((row.clone(), of(label))),
            [first, row, last] if of(first).is_some() && of(last).is_some() && is_row(row) => {
                return Ok((row.clone(), agreed_label(of(first), of(last))?));
            }
            _ => {}
        }
        let found = cells.len();
        let more = if self.column_count > 0 { found.saturating_sub(self.column_count) } else { 0 };
        // If only one side has a bar, the label is on the other side.
        let last = (opens == closes && more == 2) || (opens && !closes && more == 1);
        let first = self.has_corner_cell
            || (!opens && closes)
            || (more == 1 && !last)
            || (opens == closes && more == 2);
        let label = match (first, last) {
            (true, true) => agreed_label(cells.first().and_then(of), cells.last().and_then(of))?,
            (true, false) => cells.first().and_then(of),
            (false, true) => cells.last().and_then(of),
            (false, false) => None,
        };
        let row =
            cells.into_iter().skip(usize::from(first)).take(found - usize::from(first) - usize::from(last));
        Ok((row.collect::<Vec<_>>().join(&b','), label))
    }

    /// Replaces the labels of all rows.
    pub(in crate::tour) fn set_row_labels(&mut self, rows: Vec<Option<u32>>) {
        self.row_labels = rows;
    }

    /// Records the label of a row.
    pub(in crate::tour) fn push_row_label(&mut self, label: Option<u32>) {
        self.row_labels.push(label);
    }

    /// Returns `Some(height)` if ranks ascend, so that each layer of `height` rows (or the whole grid) must
    /// be reversed.
    pub(in crate::tour) fn ascending_height(&self) -> Result<Option<usize>, ReadErrorKind> {
        if self.is_empty() {
            return Ok(None);
        }
        let Some(rows) = self.row_labels.iter().copied().collect::<Option<Vec<u32>>>() else {
            return Err(ReadErrorKind::RankLabels("some rows have no label".to_owned()));
        };
        let height = rows[1..].iter().position(|label| *label == rows[0]).map_or(rows.len(), |at| at + 1);
        let layer = &rows[..height];
        let layer_error = || match layer {
            [label] => ReadErrorKind::RankLabels(format!("the only label is {label}")),
            [first, .., last] => ReadErrorKind::RankLabels(format!("the labels run from {first} to {last}")),
            [] => ReadErrorKind::RankLabels("no row has a label".to_owned()),
        };
        if !rows.chunks(height).all(|other| other == layer) {
            return Err(layer_error());
        }
        let (first, last) = (layer[0], layer[height - 1]);
        let falls = layer.windows(2).all(|pair| pair[0].checked_sub(1) == Some(pair[1]));
        let grows = layer.windows(2).all(|pair| pair[1].checked_sub(1) == Some(pair[0]));
        match (self.has_file_letters, self.has_column_numbers) {
            _ if falls && last < 2 => Ok(None),
            (_, true) if grows && first < 2 => Ok(None),
            (true, false) if grows && first == 1 => Ok(Some(height)),
            (false, false) if grows && first < 2 => Err(ReadErrorKind::AmbiguousRankLabels { first, last }),
            (true, false) if grows && first == 0 => Err(ReadErrorKind::AmbiguousRankLabels { first, last }),
            _ => Err(layer_error()),
        }
    }
}

/// Returns the label on either side of a row, or an error if the two differ.
fn agreed_label(first: Option<u32>, last: Option<u32>) -> Result<Option<u32>, ReadErrorKind> {
    match (first, last) {
        (Some(a), Some(b)) if a != b => {
            Err(ReadErrorKind::RankLabels(format!("one row has the labels {a} and {b}")))
        }
        (first, last) => Ok(first.or(last)),
    }
}

/// Parses a row label: `8`, `8.`, `**8**`.
fn parse_label(label: &[u8]) -> Option<u32> {
    let digits: Vec<u8> = label.iter().copied().filter(|b| !b"*_.): ".contains(b)).collect();
    let is_number = !digits.is_empty() && digits.len() < 6 && digits.iter().all(u8::is_ascii_digit);
    if is_number { printable_excerpt(&digits).parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_cells_reads_rows_of_tables() {
        for (text, cells) in [
            ("| 1 | 4 |7|", "|1,4,7|"),
            ("|1|4|  |", "|1,4,|"),
            ("1 | 4 | 7", "1,4,7"),
            ("3 │  1●│  4 │  ◆ │░░░░│", "3,1,4,,.|"),
            ("┃ 12 ┃ 5 ┃", "|12,5|"),
        ] {
            assert!(has_bar(text.as_bytes()));
            let (found, opens, closes) = super::split_cells(text.as_bytes());
            let bar = |is_present| if is_present { "|" } else { "" };
            let found =
                format!("{}{}{}", bar(opens), String::from_utf8(found.join(&b',')).unwrap(), bar(closes));
            assert_eq!(found, cells, "{text}");
        }
    }

    #[test]
    fn is_rule_rejects_removed_squares() {
        for rule in ["+---+---+", "|---|:-:|", "├────┼────┤", "┌──┐", "-----", "+--+", "|--|--|"]
        {
            assert!(is_rule(rule.as_bytes()), "{rule}");
        }
        for row in ["- - -", "-", "| 1 | - |", ". - .", "| - | - |", ""] {
            assert!(!is_rule(row.as_bytes()), "{row}");
        }
    }

    #[test]
    fn parse_file_letters_accepts_lines_of_letters() {
        assert_eq!(parse_file_letters("| a | b | c |".as_bytes()), Some((false, 3)));
        assert_eq!(parse_file_letters("|   | A | B |".as_bytes()), Some((true, 2)));
        assert_eq!(parse_file_letters("    a    b    c".as_bytes()), Some((false, 3)));
        assert_eq!(parse_file_letters("  a  b   a  b".as_bytes()), Some((false, 4)));
        assert_eq!(parse_file_letters("    a".as_bytes()), Some((false, 1)));
        for other in ["a1 b1", "b c", "b", "aa", "tour", "| 1 | 2 |"] {
            assert_eq!(parse_file_letters(other.as_bytes()), None, "{other}");
        }
    }
}

#[cfg(test)]
mod labels_tests {
    use super::*;

    fn split_row_text(labels: &MarginLabels, text: &str) -> (String, Option<u32>) {
        let (row, label) = labels.split_row(text.as_bytes()).unwrap();
        let row = String::from_utf8(row.into_owned()).unwrap();
        (row.split([' ', ',']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "), label)
    }

    #[test]
    fn split_row_separates_labels_from_numbers() {
        let named = |corner, count| {
            let mut labels = MarginLabels::default();
            labels.set_files_above(corner, count);
            labels
        };
        for (labels, text, label) in [
            (MarginLabels::default(), "1 4 7", None),
            (MarginLabels::default(), "| 1 | 4 | 7 |", None),
            (MarginLabels::default(), "2 | 1 | 4 | 7 |", Some(2)),
            (MarginLabels::default(), "2 | 1 4 7", Some(2)),
            (MarginLabels::default(), "2 | 1 4 7 | 2", Some(2)),
            (MarginLabels::default(), "1 4 7 | 2", Some(2)),
            (named(false, 3), "2 1 4 7", Some(2)),
            (named(false, 3), "2, 1, 4, 7", Some(2)),
            (named(false, 3), "2. 1 4 7 2.", Some(2)),
            (named(false, 3), "1 4 7", None),
            (named(true, 3), "| **2** | 1 | 4 | 7 |", Some(2)),
            (named(true, 3), "| 2 | 1 | 4 | 7 | 2 |", Some(2)),
            (named(false, 3), "| 2 | 1 | 4 | 7 |", Some(2)),
            (named(false, 3), "| 1 | 4 | 7 | 2", Some(2)),
        ] {
            assert_eq!(split_row_text(&labels, text), ("1 4 7".to_owned(), label), "{text}");
        }
        let mut numbered = MarginLabels::default();
        numbered.set_column_numbers(3);
        assert_eq!(split_row_text(&numbered, "0,1,4,7"), ("1 4 7".to_owned(), Some(0)));
        assert!(named(false, 3).split_row(b"2 1 4 7 3").is_err());
    }

    #[test]
    fn ascending_height_detects_lowest_row() {
        let layer_error = |letters: bool, numbers: bool, rows: &[u32]| {
            let rows = rows.iter().copied().map(Some).collect();
            MarginLabels {
                has_file_letters: letters,
                has_column_numbers: numbers,
                row_labels: rows,
                ..MarginLabels::default()
            }
            .ascending_height()
            .map_err(|error_kind| error_kind.to_string())
        };
        for (letters, numbers) in [(false, false), (true, false), (false, true)] {
            assert_eq!(layer_error(letters, numbers, &[3, 2, 1]), Ok(None));
            assert_eq!(layer_error(letters, numbers, &[2, 1, 2, 1]), Ok(None));
            for wrong in [&[3, 1, 2][..], &[4, 3, 2], &[5], &[2, 1, 2], &[2, 3, 4], &[3, 2, 1, 3, 1, 2]] {
                assert!(layer_error(letters, numbers, wrong).is_err(), "{wrong:?}");
            }
        }
        assert_eq!(layer_error(true, false, &[1, 2, 3]), Ok(Some(3)));
        assert_eq!(layer_error(true, false, &[1, 2, 1, 2]), Ok(Some(2)));
        assert_eq!(layer_error(false, true, &[0, 1, 2]), Ok(None));
        let error = layer_error(false, false, &[1, 2, 3]).unwrap_err();
        assert!(error.contains("1 to 3"), "{error}");
        assert!(layer_error(true, false, &[0, 1, 2]).is_err());
        let some = MarginLabels { row_labels: vec![Some(2), None], ..MarginLabels::default() };
        assert!(some.ascending_height().is_err());
    }
}
