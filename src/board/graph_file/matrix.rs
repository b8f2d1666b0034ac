//! Parser of symmetric 0/1 matrices: n lines of n entries, separated by blanks or commas, or not at all.
//!
//! The vertices are numbers from 1. A first line with n alone is skipped.

use super::edge_set::{EdgeSet, GraphFile};
use super::error::{GraphFileError, MAX_VERTICES, excerpt};
use super::lines::{Line, Separator, SeparatorCheck};

/// Least number of rows of a matrix with separated entries. Two lines of two entries may be two edges.
const MIN_SEPARATED_ROWS: usize = 3;

fn entries<'a>(line: &Line<'a>) -> impl Iterator<Item = &'a str> {
    let is_separator = |c: char| c == ',' || c.is_whitespace();
    line.text.split(is_separator).filter(|entry| !entry.is_empty())
}

/// Returns the number of entries of a line if all are 0 or 1.
fn count_bits(line: &Line<'_>) -> Option<usize> {
    let is_row = line.text.bytes().all(|byte| matches!(byte, b'0' | b'1' | b',' | b' ' | b'\t'));
    if !is_row {
        return None;
    }
    if line.is_one_word() {
        return Some(line.text.len());
    }
    entries(line).all(|entry| entry.len() == 1).then(|| entries(line).count())
}

/// Returns the rows, without a first line that contains their number, if all are rows of 0 and 1.
fn matrix_rows<'a, 'b>(lines: &'b [Line<'a>]) -> Option<(&'b [Line<'a>], Option<usize>)> {
    if lines.len() > 1 && lines[0].text.parse() == Ok(lines.len() - 1) {
        let rows = &lines[1..];
        if count_bits(&rows[0]) == Some(rows.len()) && rows.len() > 1 {
            return Some((rows, Some(lines[0].number)));
        }
    }
    count_bits(&lines[0])?;
    Some((lines, None))
}

/// Parses a matrix, or returns `None` if the lines are not those of a matrix.
///
/// # Errors
/// The matrix is not square or not symmetric, or its two lines may be two edges.
pub(super) fn parse_matrix(lines: &[Line<'_>]) -> Option<Result<GraphFile, GraphFileError>> {
    let (rows, size_line) = matrix_rows(lines)?;
    let len = rows.len();
    let columns = count_bits(&rows[0])?;
    let is_separated = !rows[0].is_one_word();
    // Few rows of one or two entries are vertices and edges, unless they are one word each.
    let may_be_edges = is_separated && columns <= 2 || columns == 1;
    if rows.iter().any(|row| count_bits(row).is_none()) {
        let bad = rows.iter().find(|row| count_bits(row).is_none())?;
        // Other numbers, or names.
        if may_be_edges || !is_separated {
            return None;
        }
        return Some(Err(bad.quoted_error(format!(
            "is not a row of a 0/1 matrix as line {} is; write 0 and 1 only, as ktour reads unweighted graphs",
            rows[0].number
        ))));
    }
    if may_be_edges {
        let is_square = len == 2 && rows.iter().all(|row| count_bits(row) == Some(2));
        return is_square.then(|| {
            let [first, second] = [rows[0].text, rows[1].text].map(excerpt);
            Err(rows[0].error(format!(
                "`{first}` and `{second}` may be two edges or a 0/1 matrix; use other names than 0 and 1, or graph6"
            )))
        });
    }
    if len == 1 && !is_separated {
        return None;
    }
    Some(parse_rows(rows, size_line, is_separated))
}

fn parse_rows(
    rows: &[Line<'_>],
    size_line: Option<usize>,
    is_separated: bool,
) -> Result<GraphFile, GraphFileError> {
    let len = rows.len();
    let bad = rows.iter().find(|row| count_bits(row) != Some(len) || row.is_one_word() == is_separated);
    if let Some(bad) = bad {
        return Err(bad.quoted_error(format!(
            "has {} entries, and there are {len} rows of 0 and 1; write a square 0/1 matrix, or two names a line",
            count_bits(bad).unwrap_or_default()
        )));
    }
    debug_assert!(!is_separated || len >= MIN_SEPARATED_ROWS);
    if len > MAX_VERTICES {
        return Err(GraphFileError::too_many_vertices(rows[0].number, len));
    }
    let mut separator = SeparatorCheck::default();
    rows.iter().try_for_each(|row| separator.add(row, row.separator()))?;
    if let Some(row) = rows
        .iter()
        .find(|row| row.separator() == Separator::Comma && row.text.matches(',').count() != len - 1)
    {
        return Err(row
            .error(format!("`{}` has an empty entry next to a comma; delete the comma", excerpt(row.text))));
    }
    let matrix: Vec<Vec<bool>> = rows
        .iter()
        .map(|row| row.text.bytes().filter(u8::is_ascii_digit).map(|byte| byte == b'1').collect())
        .collect();
    let mut edges = Vec::new();
    for (v, row) in matrix.iter().enumerate() {
        for w in v..len {
            if row[w] != matrix[w][v] {
                let (v, w) = (v + 1, w + 1);
                return Err(rows[v - 1].error(format!(
                    "entry {w} of row {v} is not entry {v} of row {w}, as in a directed graph; write a symmetric 0/1 matrix"
                )));
            }
            if row[w] {
                edges.push((rows[v].number, v as u32, w as u32));
            }
        }
    }
    let notes = size_line.map(|line| format!("line {line} is read as the size of a matrix: {len} vertices"));
    Ok(EdgeSet { vertices: len, edges }.into_numbered_graph(notes.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn parse_reads_all_spellings() {
        let ring = parse("1 2\n2 3\n3 1\n").unwrap().graph;
        for text in [
            "011\n101\n110\n",
            "0 1 1\n1 0 1\n1 1 0\n",
            "0,1,1\n1,0,1\n1,1,0\n",
            "0, 1, 1\n1, 0, 1\n1, 1, 0\n",
            "0\t1\t1\r\n1\t0\t1\r\n1\t1\t0",
            "3\n0 1 1\n1 0 1\n1 1 0\n",
            "3\n011\n101\n110\n",
            "# K3\n011\n101\n110\n",
        ] {
            assert_eq!(
                parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}")).graph,
                ring,
                "{text:?}"
            );
        }
        assert_eq!(parse("01\n10\n").unwrap().graph, parse("1 2\n").unwrap().graph);
        assert_eq!(parse("111\n101\n110\n").unwrap().notes.len(), 1);
    }

    #[test]
    fn parse_rejects_other_matrices() {
        for (text, line) in [
            ("0 1\n1 0\n", 1),
            ("0,1\n1,0\n", 1),
            ("0 0\n0 0\n", 1),
            ("011\n001\n110\n", 1),
            ("0 1 1\n1 0 1\n", 1),
            ("0 1 1\n1 0 1\n1 1\n", 3),
            ("0 1 1\n1 0 2\n1 2 0\n", 2),
            ("0 2 3\n2 0 1\n3 1 0\n", 1),
            ("011\n101\n11\n", 3),
            ("0,1,1\n1 0 1\n1 1 0\n", 2),
            ("0,1,1,\n1,0,1,\n1,1,0,\n", 1),
            ("011\n1 0 1\n110\n", 2),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
    }
}
