//! Labels of vertices in a list of edges, which are two names in a line as edges are.

use std::collections::HashSet;

use super::edge_table::{EdgeTable, Row};
use super::error::GraphFileError;
use super::first_line::COLUMN_WORD;
use super::vertex_name::is_number;

/// Rejects labels, titles and declarations, which are in lines of two names as edges are:
///
/// - words that occur once, each next to a number, in a file of edges between numbers;
/// - words in one column only, next to different numbers: `1 red`, or `v 1`, `v 2`;
/// - a number next to each word of a file of words: `a 5`;
/// - `v a` for all vertices, above or below the edges;
/// - one word behind each vertex, above the edges: `a red`, `b red`, `c red`.
///
/// # Errors
/// The first of these lines.
pub(super) fn check_labels(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    check_words_next_to_numbers(table, rows, uses)?;
    check_declared_vertices(table, rows, uses)?;
    check_same_label(table, rows, uses)
}

/// Rejects words and numbers that are next to names of the other kind.
fn check_words_next_to_numbers(
    table: &EdgeTable<'_>,
    rows: &[Row],
    uses: &[u32],
) -> Result<(), GraphFileError> {
    let is_word = |index: u32| !is_number(table.name(index));
    let Some(labels) = find_labels(rows, is_word) else { return check_number_labels(table, rows, uses) };
    let is_used_once = |row: &Row| row.indices().all(|index| !is_word(index) || uses[index as usize] == 1);
    if labels.is_block && labels.rows.iter().all(is_used_once) {
        return Err(table.error(
            labels.rows[0],
            "may be a label or a size, as its word occurs once and the edges are between numbers; delete labels, or rename vertices to numbers",
        ));
    }
    match labels.is_column && labels.are_different {
        true => Err(table.error(labels.rows[0], COLUMN_WORD)),
        false => Ok(()),
    }
}

/// Rejects a number next to each word of a file of words.
fn check_number_labels(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    let Some(labels) = find_labels(rows, |index| is_number(table.name(index))) else { return Ok(()) };
    let is_labelled = |name: &str| !is_number(name);
    let words = (0..).zip(&table.names).filter(|&(index, name)| uses[index] > 0 && is_labelled(name)).count();
    match labels.is_column && labels.are_different && labels.is_block && labels.rows.len() == words {
        true => Err(table.error(labels.rows[0], COLUMN_WORD)),
        false => Ok(()),
    }
}

/// Rows of two or more labels, each next to another name.
struct Labels {
    rows: Vec<Row>,
    /// All labels are in the same column.
    is_column: bool,
    /// No name has two labels.
    are_different: bool,
    /// The rows are the first or the last ones.
    is_block: bool,
}

/// Returns the rows with labels, unless a label is alone or next to another label, or no row is without one.
fn find_labels(rows: &[Row], is_label: impl Fn(u32) -> bool) -> Option<Labels> {
    let has_label = |row: &Row| row.indices().any(&is_label);
    let labelled: Vec<Row> = rows.iter().filter(|row| has_label(row)).copied().collect();
    if labelled.len() < 2 || labelled.len() == rows.len() {
        return None;
    }
    let pairs: Vec<(u32, u32)> = labelled
        .iter()
        .map(|row| row.pair().filter(|&(v, w)| is_label(v) != is_label(w)))
        .collect::<Option<_>>()?;
    let is_first = is_label(pairs[0].0);
    let named: HashSet<u32> = pairs.iter().map(|&(v, w)| if is_label(v) { w } else { v }).collect();
    Some(Labels {
        is_column: pairs.iter().all(|&(v, _)| is_label(v) == is_first),
        are_different: named.len() == pairs.len(),
        is_block: are_at_an_end(rows, labelled.len(), has_label),
        rows: labelled,
    })
}

/// Returns true if the first or the last `number` rows all satisfy a condition.
fn are_at_an_end(rows: &[Row], number: usize, is_one: impl Fn(&Row) -> bool) -> bool {
    rows[..number].iter().all(&is_one) || rows[rows.len() - number..].iter().all(&is_one)
}

/// Rejects lines such as `v a` for all vertices, above or below the edges between words.
fn check_declared_vertices(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    let letter = |name: &str| match name.as_bytes() {
        [letter] => Some(letter.to_ascii_lowercase()),
        _ => None,
    };
    let vertices = uses.iter().filter(|&&uses| uses > 0).count();
    let begins = |row: &Row, index: u32| row.pair().is_some_and(|(v, _)| v == index);
    for index in (0..).zip(&table.names).filter(|(_, name)| matches!(letter(name), Some(b'v' | b'n'))) {
        let (index, sign) = (index.0, letter(index.1).unwrap_or_default());
        let number = uses[index as usize] as usize;
        if number < 2 || number + 1 != vertices || number >= rows.len() {
            continue;
        }
        // The letters of a graph are often successive.
        let is_next = |name: &&str| letter(name).is_some_and(|other| other.abs_diff(sign) == 1);
        if !table.names.iter().any(is_next) && are_at_an_end(rows, number, |row| begins(row, index)) {
            let row = rows.iter().find(|row| begins(row, index)).expect("a block has rows");
            return Err(table.error(*row, COLUMN_WORD));
        }
    }
    Ok(())
}

/// Rejects lines such as `a red`, `b red`, `c red` for all vertices, above the edges, unless all names are alike.
fn check_same_label(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    let Some((_, label)) = rows.first().and_then(|row| row.pair()) else { return Ok(()) };
    let number = uses[label as usize] as usize;
    let vertices = uses.iter().filter(|&&uses| uses > 0).count();
    if is_number(table.name(label)) || number < 3 || number + 1 != vertices || number >= rows.len() {
        return Ok(());
    }
    let labelled: HashSet<u32> = rows[..number]
        .iter()
        .filter_map(|row| row.pair())
        .filter_map(|(v, w)| (w == label && v != label).then_some(v))
        .collect();
    // `b a`, `c a`, `d a` or `v2 v1`, `v3 v1`, `v4 v1` are edges of a vertex that is named as the others are.
    let stem = |index: u32| table.name(index).trim_end_matches(|c: char| c.is_ascii_digit());
    let is_letter = |index: u32| table.name(index).chars().nth(1).is_none();
    let is_alike = |v: u32| match is_letter(label) {
        true => is_letter(v),
        false => stem(v) == stem(label) && stem(v) != table.name(v),
    };
    match labelled.len() == number && !labelled.iter().all(|&v| is_alike(v)) {
        true => Err(table.error(rows[0], COLUMN_WORD)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::board::BoardKind;

    #[test]
    fn same_label_of_all_vertices_is_rejected() {
        for text in [
            "a red\nb red\nc red\na b\nb c\nc a\n",
            "york town\nleeds town\nhull town\nyork leeds\nleeds hull\n",
            "v1 hub\nv2 hub\nv3 hub\nv1 v2\nv2 v3\n",
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.line == 1 && error.to_string().contains("label"), "{text:?}: {error}");
        }
        for (text, edges) in [
            ("hub a\nhub b\nhub c\na b\nb c\nc a\n", 6),
            ("hub a\nb hub\nc hub\na b\nb c\nc a\n", 6),
            ("b a\nc a\nd a\nc b\nd b\nd c\n", 6),
            ("v2 v1\nv3 v1\nv4 v1\nv3 v2\n", 4),
            ("a hub\nb hub\nc hub\n", 3),
            ("a hub\nb hub\na b\n", 3),
            ("1 4\n2 4\n3 4\n1 2\n2 3\n", 5),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(file.graph.graph().edge_count(), edges, "{text:?}");
        }
    }

    #[test]
    fn names_of_columns_leave_no_labels() {
        for text in [
            "from,to\nhub,1\nhub,2\nhub,3\n1,2\n2,3\n3,1\n",
            "source target\n1 hub\n2 hub\n3 hub\n1 2\n2 3\n3 1\n",
            "from,to\na,hub\nb,hub\nc,hub\na,b\nb,c\nc,a\n",
            "from,to\nv,a\nv,b\nv,c\na,b\nb,c\nc,a\n",
        ] {
            let edges = parse(text).map(|file| (file.graph.vertex_count(), file.graph.graph().edge_count()));
            assert_eq!(edges, Ok((4, 6)), "{text:?}");
        }
    }
}
