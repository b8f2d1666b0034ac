//! Decides whether the first line of a list of edges is an edge, a header or the sizes of the graph.
//!
//! - Sizes `n m`, or `n`, are skipped if n is the number of vertices and m the number of edges below, and the
//!   line cannot be an edge: it would join two new vertices, repeat an edge, or leave a gap in the numbers.
//! - A header is skipped or rejected (see `header`).
//! - A line that may be one as well as the other is rejected.

use std::collections::HashSet;

use super::edge_table::{EdgeTable, Row};
use super::error::GraphFileError;
use super::header::{check_header, is_size_word};
use super::second_sizes::check_second_sizes;
use super::vertex_name::is_number;

/// More words that begin lines in other formats.
const PART_WORDS: [&str; 9] =
    ["arc", "link", "point", "subgraph", "component", "network", "case", "testcase", "instance"];

/// The error of a word that is in one column only, next to names of vertices.
pub(super) const COLUMN_WORD: &str = "may be an edge, a title, a label or a declaration of a vertex, as its word is in one column only; if it is a vertex, swap the names of one of its edges, else delete such lines";

/// Words that end a list.
const END_WORDS: [&str; 3] = ["end", "eof", "stop"];

/// Rows at the start of a list that are not edges, and the remark on them.
#[derive(Debug, Default)]
pub(super) struct SkippedRows {
    pub number: usize,
    pub note: Option<String>,
    /// True if the rows name the columns of the edges.
    pub names_columns: bool,
}

/// Returns true if a word ends a list in other formats.
pub(super) fn is_end_word(word: &str) -> bool {
    word.len() < 5 && END_WORDS.contains(&word.to_lowercase().as_str())
}

/// What the rows below the first ones contain.
struct Below {
    /// How many rows have each name.
    uses: Vec<u32>,
    /// Number of different names, and of those that are numbers.
    names: usize,
    numbers: usize,
    /// Least and largest number.
    min: u64,
    max: u64,
    /// Number of rows with two names, and of different edges.
    pairs: usize,
    edges: usize,
}

impl Below {
    fn new(table: &EdgeTable<'_>, rows: &[Row]) -> Self {
        let uses = table.count_uses(rows);
        let mut below = Self { names: 0, numbers: 0, min: u64::MAX, max: 0, pairs: 0, edges: 0, uses };
        for index in (0..).zip(&below.uses).filter(|(_, uses)| **uses > 0).map(|(index, _)| index) {
            below.names += 1;
            if let Some(number) = table.number(index) {
                below.numbers += 1;
                (below.min, below.max) = (below.min.min(number), below.max.max(number));
            }
        }
        below.pairs = rows.iter().filter(|row| row.pair().is_some()).count();
        let mut edges: Vec<_> = rows
            .iter()
            .filter_map(|row| row.pair())
            .filter(|(v, w)| v != w)
            .map(|(v, w)| (v.min(w), v.max(w)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        below.edges = edges.len();
        below
    }

    fn has(&self, index: u32) -> bool {
        self.uses[index as usize] > 0
    }

    fn are_numbers(&self) -> bool {
        self.names > 0 && self.names == self.numbers
    }

    /// Returns true if the names are all numbers from 0 or 1 to the largest one.
    fn is_contiguous(&self) -> bool {
        self.are_numbers() && self.min < 2 && self.max - self.min + 1 == self.names as u64
    }

    fn has_edge_count(&self, number: u64) -> bool {
        number == self.pairs as u64 || number == self.edges as u64
    }
}

/// Decides how many rows at the start are not edges.
///
/// # Errors
/// The first line has two readings, or is a header that ktour does not know.
pub(super) fn find_skipped_rows(table: &EdgeTable<'_>) -> Result<SkippedRows, GraphFileError> {
    check_size_words(table)?;
    check_part_words(table)?;
    check_second_sizes(table)?;
    let rows = &table.rows;
    let lone = rows.iter().take_while(|row| row.lone().is_some()).count();
    let first_number =
        |row: Row| row.indices().map(|index| table.number(index)).collect::<Option<Vec<u64>>>();
    match (lone, first_number(rows[0])) {
        (0, Some(numbers)) => check_size_pair(table, rows, numbers[0], numbers[1]),
        (0, None) => Ok(check_header(table)?.map_or_else(SkippedRows::default, |note| SkippedRows {
            number: 1,
            note: Some(note),
            names_columns: true,
        })),
        (1 | 2, Some(_)) => {
            let skipped = check_lone_sizes(table, lone)?;
            // The number of graphs, then the sizes of the first one.
            match rows.get(lone).and_then(|row| first_number(*row)) {
                Some(numbers) if skipped.number == 0 && lone == 1 => {
                    let sizes = check_size_pair(table, &rows[1..], numbers[0], numbers[1])?;
                    if sizes.number > 0 { Err(ambiguous_sizes(table, rows[1])) } else { Ok(skipped) }
                }
                _ => Ok(skipped),
            }
        }
        (_, Some(_)) => Ok(check_size_of_names(table)),
        _ => Ok(SkippedRows::default()),
    }
}

/// Skips the number of vertices above their names, one a line.
fn check_size_of_names(table: &EdgeTable<'_>) -> SkippedRows {
    let words = table.names.iter().filter(|name| !is_number(name)).count();
    let row = table.rows[0];
    let is_count = row.lone().and_then(|index| table.number(index)) == Some(words as u64);
    match is_count && words + 1 == table.names.len() && table.count_uses(&table.rows[1..])[0] == 0 {
        true => sizes_note(row.line(), words, None),
        false => SkippedRows::default(),
    }
}

/// Rejects a word that is alone in the first line and that no other line has: it may be a title.
///
/// # Errors
/// The first line is such a word above edges.
pub(super) fn check_first_name(
    table: &EdgeTable<'_>,
    rows: &[Row],
    uses: &[u32],
) -> Result<(), GraphFileError> {
    let Some((first, rest)) = rows.split_first() else { return Ok(()) };
    let is_title = |index: u32| uses[index as usize] == 1 && !is_number(table.name(index));
    match first.lone().is_some_and(is_title) && rest.iter().any(|row| row.pair().is_some()) {
        true => Err(table.error(
            *first,
            "may be a title, or a vertex without edges; begin a title with `#`, or move the vertex to another line",
        )),
        false => Ok(()),
    }
}

/// Rejects sizes in the last line.
///
/// # Errors
/// The last line may be an edge or the sizes of the graph.
pub(super) fn check_last_sizes(
    table: &EdgeTable<'_>,
    rows: &[Row],
    uses: &[u32],
) -> Result<(), GraphFileError> {
    let [rest @ .., last] = rows else { return Ok(()) };
    // Most last lines are edges between names that other lines have.
    if rest.len() < 2 || last.indices().all(|index| uses[index as usize] > 1) {
        return Ok(());
    }
    let numbers: Option<Vec<u64>> = last.indices().map(|index| table.number(index)).collect();
    let Some(numbers) = numbers else { return Ok(()) };
    let below = Below::new(table, rest);
    if numbers[0] != below.names as u64 || !below.is_contiguous() {
        return Ok(());
    }
    match numbers[..] {
        [_, edges] if below.has_edge_count(edges) => Err(ambiguous_sizes(table, *last)),
        [n] => Err(GraphFileError::new(
            last.line(),
            format!(
                "`{n}` may be a vertex without edges or a size; delete a size, or move the vertex to another line"
            ),
        )),
        _ => Ok(()),
    }
}

/// Returns a note on the first line `0,1`, which may be the header of a table without names.
///
/// # Errors
/// No other line has the vertex 0.
pub(super) fn check_numbered_header(
    table: &EdgeTable<'_>,
    rows: &[Row],
) -> Result<Option<String>, GraphFileError> {
    let [first, rest @ ..] = rows else { return Ok(None) };
    let Some((v, w)) = first.pair().filter(|_| rest.len() > 1) else { return Ok(None) };
    let below = Below::new(table, rest);
    if !below.has(v) && below.is_contiguous() {
        return Err(GraphFileError::new(
            first.line(),
            "`0,1` may be an edge or the header of a table; delete the header, or move the edge to another line",
        ));
    }
    let is_repeated = rest.iter().any(|row| row.joins(v, w));
    Ok((!is_repeated).then(|| format!("line {}, `0,1`, is read as an edge, not as a header", first.line())))
}

/// Rejects words such as `vertices` next to a number or alone, if only one line has the word.
fn check_size_words(table: &EdgeTable<'_>) -> Result<(), GraphFileError> {
    let words: Vec<u32> =
        (0..).zip(&table.names).filter(|(_, name)| is_size_word(name)).map(|(index, _)| index).collect();
    if words.is_empty() {
        return Ok(());
    }
    let uses = table.count_uses(&table.rows);
    for row in &table.rows {
        let Some(word) = row.indices().find(|index| words.contains(index) && uses[*index as usize] == 1)
        else {
            continue;
        };
        if row.indices().all(|index| index == word || words.contains(&index) || is_number(table.name(index)))
        {
            return Err(table.error(*row, "looks like a header or a size, not like an edge; delete the line"));
        }
    }
    Ok(())
}

/// Rejects words such as `vertex` that begin several lines and are nowhere else.
fn check_part_words(table: &EdgeTable<'_>) -> Result<(), GraphFileError> {
    let is_part_word = |name: &str| is_size_word(name) || PART_WORDS.contains(&name.to_lowercase().as_str());
    let mut words: HashSet<u32> =
        (0..).zip(&table.names).filter(|(_, name)| is_part_word(name)).map(|(index, _)| index).collect();
    if words.is_empty() {
        return Ok(());
    }
    for row in &table.rows {
        let other = row.pair().map_or(row.lone(), |(_, second)| Some(second));
        other.map(|index| words.remove(&index));
    }
    let uses = table.count_uses(&table.rows);
    let begins = |row: &&Row| row.pair().is_some_and(|(v, _)| words.contains(&v) && uses[v as usize] > 1);
    match table.rows.iter().find(begins) {
        Some(row) => Err(table.error(*row, COLUMN_WORD)),
        None => Ok(()),
    }
}

fn sizes_note(line: usize, vertices: usize, edges: Option<u64>) -> SkippedRows {
    let edges = edges.map(|edges| format!(", {edges} edges")).unwrap_or_default();
    let note = Some(format!("line {line} is read as sizes: {vertices} vertices{edges}"));
    SkippedRows { number: 1, note, names_columns: false }
}

/// Returns the error of a line that may be an edge or the sizes of the graph.
fn ambiguous_sizes(table: &EdgeTable<'_>, row: Row) -> GraphFileError {
    table.error(
        row,
        "may be an edge or the numbers of vertices and edges; delete sizes or write them as `p edge` in DIMACS, or move the edge to another line",
    )
}

/// Decides on a first row with two numbers.
fn check_size_pair(
    table: &EdgeTable<'_>,
    rows: &[Row],
    n: u64,
    m: u64,
) -> Result<SkippedRows, GraphFileError> {
    let (row, rest) = (rows[0], &rows[1..]);
    let (v, w) = row.pair().expect("the row has two numbers");
    if rest.is_empty() {
        // `5 0` may be a graph of five vertices without edges.
        return if m == 0 && n > 0 { Err(ambiguous_sizes(table, row)) } else { Ok(SkippedRows::default()) };
    }
    // No sizes have fewer vertices than two names below need.
    if n == 0 || n == 1 && m != 0 && table.names.len() > 3 {
        return Ok(SkippedRows::default());
    }
    let below = Below::new(table, rest);
    let vertices = below.names as u64;
    let is_repeated = || v != w && rest.iter().any(|row| row.joins(v, w));
    let skipped = || Ok(sizes_note(row.line(), below.names, Some(m)));
    if !below.are_numbers() {
        // Numbers above names.
        if below.has(v) || below.has(w) {
            return Ok(SkippedRows::default());
        }
        return if n == vertices && below.has_edge_count(m) {
            skipped()
        } else {
            Err(ambiguous_sizes(table, row))
        };
    }
    let is_new = !below.has(v) && !below.has(w);
    // True if the line as an edge leaves no gap between the numbers and joins the other edges.
    let is_plausible_edge = {
        let (min, max) = (below.min.min(n).min(m), below.max.max(n).max(m));
        let names = vertices + u64::from(!below.has(v)) + u64::from(!below.has(w) && v != w);
        v != w && !is_new && min < 2 && max - min + 1 == names
    };
    let is_in_range = below.max < n || below.min > 0 && below.max <= n;
    if below.has_edge_count(m) && n >= vertices {
        if n != vertices || !is_in_range {
            // Sizes with vertices that have no edges, or an edge between other vertices.
            return if is_in_range || is_new {
                Err(ambiguous_sizes(table, row))
            } else {
                Ok(SkippedRows::default())
            };
        }
        let is_same_graph = below.has(v) && below.has(w) && (v == w || is_repeated());
        return if is_plausible_edge && !is_same_graph {
            Err(ambiguous_sizes(table, row))
        } else {
            skipped()
        };
    }
    // Edges before vertices, or an edge of a vertex without other edges.
    let is_inside = below.has(v) && below.has(w);
    if m == vertices && n != m && v != w && !is_inside && below.has_edge_count(n) && below.is_contiguous() {
        return Err(ambiguous_sizes(table, row));
    }
    let is_odd = below.is_contiguous() && !is_plausible_edge && !is_repeated();
    let are_sizes_in_any_order = n == vertices || m == vertices && below.has_edge_count(n);
    let is_larger_than_all = is_new && v != w && n > below.max && m > below.max && n.abs_diff(m) != 1;
    if is_odd && (are_sizes_in_any_order && !(below.has(v) && below.has(w) && v != w) || is_larger_than_all) {
        return Err(ambiguous_sizes(table, row));
    }
    Ok(SkippedRows::default())
}

/// Decides on one or two numbers that are alone in the first lines.
fn check_lone_sizes(table: &EdgeTable<'_>, lone: usize) -> Result<SkippedRows, GraphFileError> {
    let (rows, rest) = table.rows.split_at(lone);
    let below = Below::new(table, rest);
    let numbers: Vec<u64> =
        rows.iter().flat_map(|row| row.indices()).filter_map(|index| table.number(index)).collect();
    let first = rows[0];
    if numbers.len() < lone {
        return Ok(SkippedRows::default());
    }
    let declared: HashSet<u32> = rows.iter().flat_map(|row| row.indices()).collect();
    let declares_all = (0..table.names.len() as u32).all(|index| declared.contains(&index));
    if declares_all {
        return Ok(SkippedRows::default());
    }
    let is_size = numbers[0] == below.names as u64;
    if lone == 2 && is_size && below.has_edge_count(numbers[1]) {
        return Ok(SkippedRows { number: 2, ..sizes_note(first.line(), below.names, Some(numbers[1])) });
    }
    let is_new = rows.iter().any(|row| row.indices().any(|index| !below.has(index)));
    if lone == 1 && is_size && (below.is_contiguous() || !below.are_numbers() && is_new) {
        return Ok(sizes_note(first.line(), below.names, None));
    }
    if is_new {
        return Err(table.error(
            first,
            "may be a vertex without edges or a size; delete a size, or move the vertex to the end of the file",
        ));
    }
    Ok(SkippedRows::default())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::parse;
    use crate::board::BoardKind;

    /// Returns the numbers of vertices, edges and notes.
    pub(in crate::board::graph_file) fn sizes(text: &str) -> Result<(usize, usize, usize), String> {
        let file = parse(text).map_err(|error| error.to_string())?;
        Ok((file.graph.vertex_count(), file.graph.graph().edge_count(), file.notes.len()))
    }

    #[test]
    fn sizes_are_skipped_with_a_note() {
        for (text, expected) in [
            ("4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n", (4, 5)),
            ("4 6\n1 2\n2 3\n3 4\n4 1\n1 3\n2 4\n", (4, 6)),
            ("4 4\n1 2\n2 3\n3 4\n4 1\n", (4, 4)),
            ("3 3\n0 1\n1 2\n2 0\n", (3, 3)),
            ("3 3\na b\nb c\nc a\n", (3, 3)),
            ("3\n1 2\n2 3\n3 1\n", (3, 3)),
            ("3\n0 1\n1 2\n2 0\n", (3, 3)),
            ("3\n3\n0 1\n1 2\n2 0\n", (3, 3)),
            ("4\n5\n0 1\n1 2\n2 3\n3 0\n0 2\n", (4, 5)),
            ("4,5\n0,1\n1,2\n2,3\n3,0\n0,2\n", (4, 5)),
        ] {
            assert_eq!(sizes(text), Ok((expected.0, expected.1, 1)), "{text:?}");
        }
    }

    #[test]
    fn edges_in_the_first_line_are_edges() {
        for (text, expected) in [
            ("1 2\n2 3\n3 1\n", (3, 3)),
            ("0 1\n1 2\n2 0\n", (3, 3)),
            ("2 1\n1 3\n3 2\n", (3, 3)),
            ("1 3\n1 2\n2 3\n3 4\n4 1\n", (4, 5)),
            ("1 0\n0 2\n2 1\n", (3, 3)),
            ("4 1\n1 2\n2 3\n3 4\n2 4\n", (4, 5)),
            ("6 1\n1 2\n2 3\n3 4\n4 5\n5 6\n", (6, 6)),
            ("10 20\n20 30\n30 10\n", (3, 3)),
            ("1 2\n", (2, 1)),
        ] {
            assert_eq!(sizes(text), Ok((expected.0, expected.1, 0)), "{text:?}");
        }
    }

    #[test]
    fn lines_with_two_readings_are_rejected() {
        for text in [
            "4 3\n1 2\n2 3\n1 4\n",
            "3 2\n0 1\n1 2\n",
            "6 7\n1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n1 4\n",
            "5 4\n1 2\n2 3\n3 4\n4 1\n",
            "5 0\n",
            "4 9\n0 1\n1 2\n2 3\n3 0\n0 2\n",
            "5 4\n0 1\n1 2\n2 3\n3 0\n0 2\n",
            "5\n1 2\n2 3\n3 1\n",
            // Edges before vertices.
            "5 4\n1 2\n2 3\n3 4\n4 1\n1 3\n",
            "6 5\n0 1\n1 2\n2 3\n3 4\n4 0\n0 2\n",
            "7 9\na b\nb c\nc a\n",
            "vertices 3\n1 2\n2 3\n3 1\n",
            "3 vertices\na b\nb c\nc a\n",
            "edges\n1 2\n2 3\n3 1\n",
            "n 3\n1 2\n2 3\n3 1\n",
            "n=3\n1 2\n2 3\n3 1\n",
            "Nodes: 3\n1 2\n2 3\n3 1\n",
            "id name\n1 2\n2 3\n3 1\n",
            "u v\nc d\nd e\ne c\n",
            "from to\n",
            "town1 town2\nyork leeds\nleeds hull\nhull york\n",
            "origin destination\na b\nb c\nc a\n",
            "Graph K3\na b\nb c\nc a\n",
            "Graph 1\n1 2\n2 3\n3 1\n",
            "node a\nnode b\nnode c\na b\nb c\nc a\n",
            "K5\na b\nb c\nc a\n",
            "Petersen\na\nb\nc\na b\nb c\nc a\n",
            "K5\nfrom to\n1 2\n2 3\n3 1\n",
            "Component 1\na b\nb c\nc a\nComponent 2\nd e\n",
        ] {
            let error = sizes(text).expect_err(text);
            assert!(error.starts_with("line 1: ") || text.starts_with("Nodes"), "{text:?}: {error}");
        }
    }
}
