//! Conversion of lines that other programs print to the notation of ktour.
//!
//! ```text
//! ```            fences of Markdown become blank lines, `> ` before a line is removed
//! 1;4;7;         semicolons between the numbers of a row become commas
//! "1","4","7"    quotes around the numbers of a row are removed
//! 1 & 4 & 7 \\   rows of LaTeX, also several on a line
//!     [,1] [,2]  the numbers that R prints above columns and before rows
//! [1,]   1    4
//! [Event "?"]    tags above a chess game, and its result after the moves: `*`, `1-0`
//! ```

/// Converts a line to one or several lines; returns `None` if the line needs no conversion.
pub(in crate::tour) fn convert_line(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = text.trim_ascii();
    let one = |text: Vec<u8>| Some(vec![text]);
    match text.first()? {
        b'`' | b'~' if text.starts_with(b"```") || text.starts_with(b"~~~") => one(Vec::new()),
        b'>' if text.get(1).is_none_or(|b| matches!(b, b' ' | b'>')) => {
            let inside = text[1..].trim_ascii();
            convert_line(inside).or_else(|| one(inside.to_vec()))
        }
        b'[' => convert_r_line(text).or_else(|| is_game_tag(text).then(Vec::new)).and_then(one),
        b'\\' => Some(convert_latex(text)),
        b'"' | b'\'' => convert_quoted_row(text).and_then(one),
        b if b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'&' | b'*') => {
            let is_row = |more: &[u8]| text.iter().all(|b| is_cell_byte(*b) || more.contains(b));
            if text.iter().all(|&b| is_cell_byte(b)) {
                None
            } else if text == b"*" {
                one(Vec::new())
            } else if text.contains(&b'&') && (text.contains(&b'\\') || is_row(b"&")) {
                Some(convert_latex(text))
            } else if text.contains(&b';') && text.len() > 1 && is_row(b";") {
                one(replace_by_commas(text.strip_suffix(b";").unwrap_or(text), b';'))
            } else {
                strip_game_result(text).and_then(one)
            }
        }
        _ if text.contains(&b'&') && text.ends_with(b"\\\\") => Some(convert_latex(text)),
        _ => strip_game_result(text).and_then(one),
    }
}

/// Returns true if a byte may occur in a row of numbers and removed squares.
const fn is_cell_byte(b: u8) -> bool {
    b.is_ascii_digit() || b.is_ascii_whitespace() || matches!(b, b'-' | b'.')
}

/// Converts a row with quotes around some or all cells.
fn convert_quoted_row(text: &[u8]) -> Option<Vec<u8>> {
    let cell = |field: &[u8]| {
        let field = field.trim_ascii();
        let inside = match field {
            [first @ (b'"' | b'\''), inside @ .., last] if first == last => inside.trim_ascii(),
            plain => plain,
        };
        let is_number = inside.iter().all(u8::is_ascii_digit) || matches!(inside, b"." | b"-");
        is_number.then(|| inside.to_vec())
    };
    let separates = |b: &u8| matches!(b, b',' | b';' | b'\t');
    let cells: Vec<Vec<u8>> = text.split(separates).map(cell).collect::<Option<_>>()?;
    (cells.len() > 1 && cells.iter().any(|cell| !cell.is_empty())).then(|| cells.join(&b','))
}

fn replace_by_commas(text: &[u8], separator: u8) -> Vec<u8> {
    text.iter().map(|&b| if b == separator { b',' } else { b }).collect()
}

/// Converts column numbers of R, `[,1] [,2]`, or a row after its number, `[1,] 5 3`.
fn convert_r_line(text: &[u8]) -> Option<Vec<u8>> {
    let number =
        |word: &[u8]| (!word.is_empty() && word.iter().all(u8::is_ascii_digit)).then(|| word.to_vec());
    if text.starts_with(b"[,") {
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let numbers = words.map(|word| number(word.strip_prefix(b"[,")?.strip_suffix(b"]")?));
        return Some(numbers.collect::<Option<Vec<_>>>()?.join(&b' '));
    }
    let end = text.windows(2).position(|pair| pair == b",]")?;
    Some([&number(&text[1..end])?, &b" "[..], &text[end + 2..]].concat())
}

/// Returns true if a line is a tag of a chess game: `[Event "Tour"]`.
fn is_game_tag(text: &[u8]) -> bool {
    let inside = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"\"]")).unwrap_or_default();
    let name = inside.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let quotes = inside.iter().filter(|&&b| b == b'"').count();
    name > 0 && quotes == 1 && inside[name..].trim_ascii_start().starts_with(b"\"")
}

/// Removes the result of a chess game after its moves.
fn strip_game_result(text: &[u8]) -> Option<Vec<u8>> {
    let at = text.iter().rposition(u8::is_ascii_whitespace)?;
    let is_result = matches!(&text[at + 1..], b"*" | b"1-0" | b"0-1" | b"1/2-1/2");
    (is_result && text[..at].iter().any(u8::is_ascii_alphabetic)).then(|| text[..at].to_vec())
}

/// Converts the rows on a line of LaTeX; lines between rows become rules.
fn convert_latex(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut rest = text;
    let mut row = Vec::new();
    while let Some((&b, behind)) = rest.split_first() {
        rest = behind;
        if b != b'\\' {
            row.push(if b == b'&' { b',' } else { b });
            continue;
        }
        let name = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (command, behind) = rest.split_at(name.max(1).min(rest.len()));
        rest = behind;
        if command == b"\\" {
            lines.push(std::mem::take(&mut row));
            rest = skip_groups(rest, b'[', b']');
        } else if command.ends_with(b"line") || command.ends_with(b"rule") {
            lines.push(std::mem::take(&mut row));
            lines.push(b"---".to_vec());
            rest = skip_groups(rest, b'{', b'}');
        } else if matches!(command, b"begin" | b"end" | b"left" | b"right" | b"centering" | b"[" | b"]") {
            rest = skip_groups(skip_groups(rest, b'[', b']'), b'{', b'}');
            rest = rest.strip_prefix(if command == b"left" { b"(" } else { b")" }).unwrap_or(rest);
        } else {
            // A line with any other command stays unchanged.
            return vec![text.to_vec()];
        }
    }
    lines.push(row);
    let is_row = |line: &Vec<u8>| line.iter().any(|b| !b.is_ascii_whitespace());
    lines.retain(is_row);
    if lines.is_empty() { vec![Vec::new()] } else { lines }
}

/// Skips groups in brackets at the start of a text.
fn skip_groups(mut text: &[u8], open: u8, close: u8) -> &[u8] {
    while text.first() == Some(&open) {
        match text.iter().position(|&b| b == close) {
            Some(end) => text = &text[end + 1..],
            None => return text,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convert_line_handles_other_programs() {
        for (text, lines) in [
            ("```text", &[""][..]),
            ("> 1 4 7", &["1 4 7"]),
            ("> 1;4;7", &["1,4,7"]),
            ("1;4;7;", &["1,4,7"]),
            ("\"1\",\"4\", \"\"", &["1,4,"]),
            ("'1';'4';.", &["1,4,."]),
            ("\"1\"\t\"4\"", &["1,4"]),
            ("[,1] [,2]", &["1 2"]),
            ("[2,]  9   4", &["2   9   4"]),
            ("1 & 4 & . \\\\", &["1 , 4 , . "]),
            ("1 & 4 \\\\ \\hline", &["1 , 4 ", "---"]),
            ("\\begin{tabular}{|c|c|}", &[""]),
            ("\\begin{pmatrix} 1 & 4 \\\\ 3 & 2 \\end{pmatrix}", &[" 1 , 4 ", " 3 , 2 "]),
            ("\\hline 1 & 4 \\\\[2pt]", &["---", " 1 , 4 "]),
            ("[Event \"A tour\"]", &[""]),
            ("1. Na1 2. Nb3 *", &["1. Na1 2. Nb3"]),
            ("a1 b3 1-0", &["a1 b3"]),
            ("*", &[""]),
            ("\\textbf{3} & 4", &["\\textbf{3} & 4"]),
        ] {
            let found = convert_line(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            let found: Vec<String> = found.into_iter().map(|line| String::from_utf8(line).unwrap()).collect();
            assert_eq!(found, lines, "{text}");
        }
        for text in [
            "1 4 7",
            "a1 b3",
            "[[1, 4],",
            "[1, 4],",
            "[\"a1\", \"b3\"]",
            "{\"a\":1}",
            "\"a1\",\"b3\"",
            "\"1,\"4\"",
            "\"1\"",
            "-",
            ". 1-0",
            "a1;b3",
            "",
            ">a1",
        ] {
            assert_eq!(convert_line(text.as_bytes()), None, "{text}");
        }
    }
}
