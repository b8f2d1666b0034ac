//! Decides whether the first line of a list of edges names its columns.
//!
//! A header of known column names, such as `from,to`, is skipped if no other line has these names. Other names that no
//! other line has may be a header or an edge, and are rejected.

use super::edge_table::{EdgeTable, Row};
use super::error::GraphFileError;
use super::vertex_name::is_number;

/// Words that come with a size.
const SIZE_WORDS: [&str; 24] = [
    "vertices",
    "vertex",
    "nodes",
    "node",
    "edges",
    "edge",
    "arcs",
    "links",
    "order",
    "size",
    "nvertices",
    "nedges",
    "nnodes",
    "num_vertices",
    "num_nodes",
    "num_edges",
    "numvertices",
    "numedges",
    "numnodes",
    "|v|",
    "|e|",
    "dimension",
    "graph",
    "points",
];

/// Pairs of column names.
const HEADERS: [(&str, &str); 22] = [
    ("from", "to"),
    ("source", "target"),
    ("source", "destination"),
    ("source", "dest"),
    ("src", "dst"),
    ("src", "dest"),
    ("src", "tgt"),
    ("start", "end"),
    ("begin", "end"),
    ("tail", "head"),
    ("head", "tail"),
    ("left", "right"),
    ("first", "second"),
    ("in", "out"),
    ("parent", "child"),
    ("node", "neighbour"),
    ("node", "neighbor"),
    ("vertex", "neighbour"),
    ("vertex", "neighbor"),
    ("fromnodeid", "tonodeid"),
    ("from_node", "to_node"),
    ("from_id", "to_id"),
];

/// Pairs of column names that vertices may have as well, so that all vertices must be numbers.
const WEAK_HEADERS: [(&str, &str); 7] =
    [("u", "v"), ("v", "w"), ("x", "y"), ("a", "b"), ("i", "j"), ("s", "t"), ("p", "q")];

/// Other words that name a column of a table of vertices or edges.
const COLUMN_NAMES: [&str; 8] = ["n", "m", "id", "ids", "name", "names", "label", "labels"];

/// Returns true if a word names a size or a part of a graph.
pub(super) fn is_size_word(word: &str) -> bool {
    let word = word.to_lowercase();
    SIZE_WORDS.contains(&word.as_str())
}

/// Decides on a first line with two names that are not both numbers. Returns a note if it is a header.
///
/// # Errors
/// The line may be a header or an edge.
pub(super) fn check_header(table: &EdgeTable<'_>) -> Result<Option<String>, GraphFileError> {
    let row = table.rows[0];
    let (v, w) = row.pair().expect("the row has two names");
    let words = [v, w].map(|index| table.name(index).to_lowercase());
    let rest = &table.rows[1..];
    let uses = table.count_uses(rest);
    let is_used = |index: u32| uses[index as usize] > 0;
    let is_listed = |list: &[(&str, &str)]| list.iter().any(|&(a, b)| words[0] == a && words[1] == b);
    let is_strong = is_listed(&HEADERS) || has_column_stem(&words);
    let are_column_words = || words.iter().all(|word| is_size_word(word) || COLUMN_NAMES.contains(&&**word));
    if is_used(v) || is_used(w) || v == w {
        return match find_repeated_row(rest, v, w) {
            Some(repeated) => Err(table.error(
                repeated,
                format!(
                    "repeats line {}, and may be a header or an edge, as no other lines have these names; delete the \
                     headers, or begin them with `#`; write an edge once, below another line",
                    row.line()
                ),
            )),
            None => Ok(None),
        };
    }
    let mut names = (0..).zip(&table.names).filter(|(index, _)| is_used(*index));
    let has_numbers = !rest.is_empty() && names.all(|(_, name)| is_number(name));
    let skipped = || Ok(Some(format!("line {} is skipped as a header: {}", row.line(), table.shown(row))));
    let reject = || {
        Err(table.error(
            row,
            "may be a header or an edge, as no other line has these names; delete the header, or begin it with `#`",
        ))
    };
    match (is_strong, is_listed(&WEAK_HEADERS)) {
        (true, _) if rest.is_empty() => reject(),
        (true, _) => skipped(),
        (_, true) if has_numbers => skipped(),
        // As an edge, the line would be a component without other edges, so that no tour is lost.
        _ if rest.len() > 1 || !rest.is_empty() && are_column_words() => reject(),
        _ => Ok(None),
    }
}

/// Returns the first of the rows that repeat the pair of names of the first row, if all other rows are edges between other
/// names: the file may be several tables, each with its header, or have a repeated edge apart from the others.
fn find_repeated_row(rest: &[Row], v: u32, w: u32) -> Option<Row> {
    let is_header = |row: &&Row| row.pair() == Some((v, w));
    let is_other = |row: &Row| row.indices().all(|index| index != v && index != w);
    let repeated = rest.iter().find(is_header)?;
    let are_tables = rest.iter().any(is_other) && rest.iter().all(|row| is_header(&row) || is_other(row));
    (v != w && are_tables).then_some(*repeated)
}

/// Returns true for names such as `node1` and `node2`, or `vertex_a` and `vertex_b`.
fn has_column_stem(words: &[String; 2]) -> bool {
    const STEMS: [&str; 9] = ["node", "vertex", "id", "from", "to", "source", "target", "end", "point"];
    let stem = |word: &str, ends: &[char]| {
        let stem = word.strip_suffix(ends)?;
        Some(stem.trim_end_matches(['_', '-', '.']).to_owned())
    };
    let is_pair = |first: &[char], second: &[char]| {
        let stems = (stem(&words[0], first), stem(&words[1], second));
        matches!(stems, (Some(a), Some(b)) if a == b && STEMS.contains(&a.as_str()))
    };
    is_pair(&['1'], &['2']) || is_pair(&['a'], &['b']) || is_pair(&['0'], &['1']) || is_pair(&['u'], &['v'])
}

#[cfg(test)]
mod tests {
    use super::super::first_line::tests::sizes;
    use super::super::parse;

    #[test]
    fn headers_are_skipped_with_a_note() {
        for text in [
            "from\tto\nA\tB\nB\tC\nC\tA\n",
            "\"id1\",\"id2\"\n\"7\",\"8\"\n\"8\",\"9\"\n\"9\",\"7\"\n",
            "Source,Target\n1,2\n2,3\n3,1\n",
            "u v\n1 2\n2 3\n3 1\n",
            "node_1,node_2\na,b\nb,c\nc,a\n",
        ] {
            assert_eq!(sizes(text), Ok((3, 3, 1)), "{text:?}");
        }
        assert_eq!(sizes("from to\nto x\nx from\n"), Ok((3, 3, 0)));
        assert_eq!(sizes("u v\nv w\nw u\n"), Ok((3, 3, 0)));
    }

    #[test]
    fn unknown_and_repeated_headers_are_rejected() {
        for (text, line) in [
            ("n,names\na,b\n", 1),
            ("m,edges\na,b\n", 1),
            ("n, names, m, edges\n1,2\n2,3\n3,1\n", 1),
            ("names,edges\na,b\nb,c\n", 1),
            ("from,to\na,b\nb,c\nfrom,to\nd,e\n", 4),
            ("u,v\n1,2\n2,3\nu,v\n4,5\n", 4),
            ("city,town\na,b\nb,c\ncity,town\nd,e\n", 4),
            ("a b\nc d\nd e\ne c\na b\n", 5),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
        let error = parse("a b\nc d\nd e\ne c\na b\n").unwrap_err().to_string();
        assert!(error.contains("repeats line 1, and may be a header or an edge"), "{error}");
        assert_eq!(
            sizes("c d\nd e\ne c\na b\n").map(|found| found.1),
            Ok(4),
            "the edge once, below another line"
        );
        assert_eq!(sizes("a b\nc d\n").map(|found| found.1), Ok(2));
        assert_eq!(sizes("n m\n").map(|found| found.1), Ok(1));
        assert_eq!(sizes("a b\nb a\nc d\nd c\n").map(|found| found.1), Ok(2));
        assert_eq!(sizes("u v\nu v\nv w\n").map(|found| found.1), Ok(2));
    }
}
