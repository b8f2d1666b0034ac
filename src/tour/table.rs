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

use std::borrow::Cow;

use super::words::split_words;

/// Returns true if a line has a bar.
pub(super) fn has_bar(text: &[u8]) -> bool {
    text.contains(&b'|') || has_box_character(text)
}

/// Returns true if a line may have box characters, which are three bytes from 0xE2 0x94 0x80 on.
fn has_box_character(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0] == 0xE2 && matches!(pair[1], 0x94 | 0x95))
}

/// Returns true if a line is only a rule: `+---+---+`, `|---|---|`, `├────┼────┤`. A single dash is a removed
/// square.
pub(super) fn is_rule(text: &[u8]) -> bool {
    let text = to_ascii(text);
    let draws = |b: &u8| matches!(b, b'-' | b'+' | b'|' | b':' | b'=' | b'_' | b' ' | b'\t');
    text.iter().all(draws)
        && (text.contains(&b'+')
            || text.windows(3).any(|three| matches!(three, b"---" | b"===" | b"___"))
            || (text.contains(&b'|') && text.windows(2).any(|two| matches!(two, b"--" | b":-" | b"-:"))))
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
pub(super) fn split_cells(text: &[u8]) -> (Vec<Vec<u8>>, bool, bool) {
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
pub(super) fn parse_file_letters(text: &[u8]) -> Option<(bool, usize)> {
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
            let bar = |is_there| if is_there { "|" } else { "" };
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
