//! Parser of graph files: lists of edges, DIMACS, graph6 and sparse6. The format is recognised by the
//! contents.
//!
//! ```text
//! a b            edges, two names a line, separated by spaces, tabs or a comma;
//! c              a name alone is a vertex; `#` begins a comment, a line that begins with `%` is one
//!
//! c a comment    DIMACS: vertices are numbers from 1
//! p edge 3 2
//! e 1 2
//!
//! DqK            graph6, one graph: the only word of a file is read as one
//! :Fa@x^         sparse6, one graph
//! ```
//!
//! Duplicate edges count once, loops are ignored, and an empty file is a graph without vertices. The vertices
//! of a list of edges are in numerical order if all names are numbers, otherwise in the order of their first
//! occurrence.

use std::collections::{BTreeSet, HashMap};

use super::{CustomGraph, Graph, sparse6};
use crate::text_format::escape_unprintable;

/// Maximum number of vertices in a file.
const MAX_VERTICES: usize = 1 << 20;

/// Maximum length in bytes of a word that an error message treats as a vertex name and not as a damaged
/// graph.
const MAX_SUGGESTED_NAME_BYTES: usize = 40;

/// An error in a graph file, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct GraphFileError {
    /// Line number, from 1.
    pub line: usize,
    message: String,
}

impl GraphFileError {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, message: what.into() }
    }
}

/// Parses a graph and the names of its vertices. Cost O(length of the text).
///
/// # Errors
/// The number of the first line that is not valid, or of the line that contradicts the rest of the file.
pub fn parse(text: &str) -> Result<CustomGraph, GraphFileError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = || (1..).zip(text.lines().map(str::trim_end)).filter(|(_, line)| !line.trim().is_empty());
    let Some((first, line)) = lines().find(|(_, line)| !line.starts_with('#')) else {
        return Ok(CustomGraph::new(Graph::from_edges(0, [])));
    };
    // Vertices of a list of edges may be called p and c too, but a line of such a list never has three words.
    let begins =
        |line: &str, words: &[&str]| line.split_whitespace().next().is_some_and(|word| words.contains(&word));
    let has_sizes = |line: &str| begins(line, &["p"]) && line.split_whitespace().count() > 2;
    if begins(line, &["p", "c"]) && lines().any(|(_, line)| has_sizes(line)) {
        return parse_dimacs(lines());
    }
    let is_one_word = !line.contains([' ', '\t', ',']);
    let is_the_only_one = lines().filter(|(_, line)| !line.starts_with('#')).count() == 1;
    let has_header = line.starts_with(">>graph6<<") || line.starts_with(">>sparse6<<");
    if has_header || is_one_word && (is_the_only_one || are_all_graph6(lines())) {
        return parse_single_graph6(first, line.trim(), is_the_only_one);
    }
    parse_edge_list(lines())
}

/// Returns the first 60 characters of a text with control characters escaped, for error messages.
fn excerpt(text: &str) -> String {
    escape_unprintable(&text.trim().chars().take(60).collect::<String>())
}

/// Returns true if every line is a graph of at least two vertices in graph6 or sparse6, so that the file is
/// not a list of vertices.
fn are_all_graph6<'a>(mut lines: impl Iterator<Item = (usize, &'a str)>) -> bool {
    lines.all(|(_, line)| sparse6::decode(line).is_ok_and(|graph| graph.len() > 1))
}

fn parse_single_graph6(
    number: usize,
    line: &str,
    is_the_only_one: bool,
) -> Result<CustomGraph, GraphFileError> {
    if !is_the_only_one {
        let what = "the file has several graphs in graph6 or sparse6; keep one of the lines";
        return Err(GraphFileError::new(number, what));
    }
    let graph = sparse6::decode(line).map_err(|error| {
        let list = match line {
            // Text that looks like another format, not like a vertex name.
            _ if line.starts_with(['>', ':', '{', '[', '<', '"'])
                || line.len() > MAX_SUGGESTED_NAME_BYTES =>
            {
                String::new()
            }
            name => format!("; for a graph of one vertex write `{0} {0}`", excerpt(name)),
        };
        GraphFileError::new(number, format!("{error}{list}"))
    })?;
    Ok(CustomGraph::new(graph))
}

fn parse_dimacs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<CustomGraph, GraphFileError> {
    let mut sizes: Option<(usize, usize, usize)> = None;
    let mut edges = Vec::new();
    for (number, line) in lines {
        let wrong = |what: String| GraphFileError::new(number, what);
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), sizes) {
            (["c", ..], _) => {}
            (["p", _, vertices, count], None) => {
                let size = |text: &str| {
                    text.parse::<usize>().map_err(|_| {
                        wrong(format!("`{}` is not a number; write `p edge VERTICES EDGES`", excerpt(text)))
                    })
                };
                let vertices = size(vertices)?;
                if vertices > MAX_VERTICES {
                    return Err(wrong(format!(
                        "{vertices} vertices are more than the maximum of {MAX_VERTICES}; use a smaller graph"
                    )));
                }
                sizes = Some((number, vertices, size(count)?));
            }
            (["p", ..], None) => {
                return Err(wrong("the line `p` is not valid; write `p edge VERTICES EDGES`".to_owned()));
            }
            (["p", ..], Some(_)) => {
                return Err(wrong("there is a second line `p`; keep one graph in the file".to_owned()));
            }
            (["e" | "a", _, _, _, ..], Some(_)) => {
                return Err(wrong(format!(
                    "`{}` has more than two vertices; write `e V W` for an edge",
                    excerpt(line)
                )));
            }
            (["e" | "a", from, to], Some((_, vertices, _))) => {
                let vertex = |text: &str| {
                    let number = text.parse::<usize>().ok().filter(|number| (1..=vertices).contains(number));
                    number.ok_or_else(|| {
                        wrong(format!(
                            "`{}` is not a vertex; vertices are the numbers 1 to {vertices}",
                            excerpt(text)
                        ))
                    })
                };
                edges.push((vertex(from)? - 1, vertex(to)? - 1));
            }
            (["e" | "a", ..], None) => {
                return Err(wrong(
                    "there is an edge before the line `p`; begin with `p edge VERTICES EDGES`".to_owned(),
                ));
            }
            _ => {
                return Err(wrong(format!(
                    "`{}` is not a line of a DIMACS file; begin each line with c, p or e",
                    excerpt(line)
                )));
            }
        }
    }
    let (line, vertices, count) = sizes.expect("the caller has found a line `p`");
    let different: BTreeSet<(usize, usize)> = edges.iter().map(|&(v, w)| (v.min(w), v.max(w))).collect();
    if edges.len() != count && different.len() != count {
        let what =
            format!("the line `p` promises {count} edges, but there are {}; correct the number", edges.len());
        return Err(GraphFileError::new(line, what));
    }
    Ok(CustomGraph::new(Graph::from_edges(vertices, different.into_iter().filter(|(v, w)| v != w))))
}

fn parse_edge_list<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<CustomGraph, GraphFileError> {
    let mut names: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut edges = Vec::new();
    for (number, line) in lines {
        let line = line.split('#').next().filter(|line| !line.starts_with('%')).unwrap_or_default();
        let mut vertices = Vec::new();
        for name in line.split([' ', '\t', ',']).filter(|name| !name.is_empty()) {
            let next_vertex = names.len();
            let vertex = *numbers.entry(name).or_insert(next_vertex);
            if vertex == next_vertex {
                names.push(name);
            }
            vertices.push(vertex);
        }
        if names.len() > MAX_VERTICES {
            return Err(GraphFileError::new(
                number,
                format!("there are more than {MAX_VERTICES} vertices, the maximum; use a smaller graph"),
            ));
        }
        match vertices[..] {
            [] | [_] => {}
            [v, w] => edges.push((v, w)),
            _ => {
                let what =
                    format!("`{}` has {} names; write two names for an edge", excerpt(line), vertices.len());
                return Err(GraphFileError::new(number, what));
            }
        }
    }
    // Numerical order, if all names are numbers.
    let mut order: Vec<usize> = (0..names.len()).collect();
    let values: Option<Vec<u64>> = names.iter().map(|name| name.parse().ok()).collect();
    if let Some(values) = values {
        order.sort_by_key(|&v| values[v]);
    }
    let mut position = vec![0; names.len()];
    order.iter().enumerate().for_each(|(at, &v)| position[v] = at);
    let edges = edges.into_iter().filter(|(v, w)| v != w).map(|(v, w)| (position[v], position[w]));
    let graph = CustomGraph::new(Graph::from_edges(names.len(), edges));
    Ok(graph.with_names(order.iter().map(|&v| names[v])).expect("names are different and not empty"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn parse_board(text: &str) -> Board {
        Board::new(parse(text).unwrap())
    }

    fn names(board: &Board) -> Vec<String> {
        (0..board.len() as u32).map(|v| board.name(v)).collect()
    }

    #[test]
    fn error_suggests_one_vertex_only_for_names() {
        let why = |text: &str| parse(text).unwrap_err().to_string();
        assert!(why("centre\n").contains("`centre centre`"));
        assert!(!why("{\"a\":1}\n").contains("one vertex"), "{}", why("{\"a\":1}\n"));
        assert!(!why(&"x!".repeat(30)).contains("one vertex"));
    }

    #[test]
    fn parse_skips_bom_and_comments_and_rejects_long_edges() {
        let triangle = parse_board("\u{feff}% a triangle\na b\nb c\nc a\n");
        assert_eq!((triangle.len(), triangle.name(0)), (3, "a".to_owned()));
        let error = parse("p edge 3 2\ne 1 2\ne 1 2 3 4\n").unwrap_err().to_string();
        assert!(error.starts_with("line 3: `e 1 2 3 4`") && error.contains("two vertices"), "{error}");
    }

    #[test]
    fn formats_agree_on_one_graph() {
        let list = parse_board("# a ring\n1 2\n2 3\n3,4\n4\t5\n5 1\n1 5\n3 3\n");
        let dimacs = parse_board("c a ring\np edge 5 5\ne 1 2\ne 2 3\ne 3 4\ne 4 5\ne 5 1\n");
        let graph6 = parse_board(&format!("{}\n", crate::board::graph6::encode(list.graph())));
        assert_eq!((&list, &dimacs), (&dimacs, &graph6));
        assert_eq!(parse_board(">>graph6<<DqK").len(), 5);
    }

    #[test]
    fn parse_keeps_vertex_names_in_order() {
        let named = parse_board("york leeds   # a road\nhull\nleeds,hull");
        assert_eq!(names(&named), ["york", "leeds", "hull"]);
        assert_eq!(named.graph().edge_count(), 2);
        assert_eq!(names(&parse_board("10 9\n9 2")), ["2", "9", "10"]);
        assert_eq!(parse_board("p edge 0 0").len(), 0);
        assert_eq!(parse_board("1 1").graph().edge_count(), 0);
        // Vertices of a list may have names that DIMACS lines begin with.
        assert_eq!(names(&parse_board("c d\ne c")), ["c", "d", "e"]);
        assert_eq!(names(&parse_board("p q\nq a\na p")), ["p", "q", "a"]);
        assert_eq!(names(&parse_board("c p\np\ne p")), ["c", "p", "e"]);
        // A file of one word is read as graph6, here a truncated one.
        let cut = parse("a\n").unwrap_err().to_string();
        assert!(cut.starts_with("line 1: ") && cut.contains("`a a`"), "{cut}");
        assert_eq!(names(&parse_board("a a")), ["a"]);
    }

    #[test]
    fn parse_accepts_empty_graphs() {
        for text in ["", "\n", "# nothing\n\n", "p edge 0 0\n", "c x\np edge 0 0\n", "?\n", ":?\n"] {
            let none = parse_board(text);
            assert_eq!((none.len(), none.to_string().as_str()), (0, "graph=?"), "{text:?}");
            assert_eq!(none.to_string().parse::<Board>(), Ok(none));
        }
    }

    #[test]
    fn parse_rejects_broken_files_with_line_number() {
        for (text, line) in [
            ("a b\nb c d\n", 2),
            ("c x\np edge 3\n", 2),
            ("p edge 3 1\ne 1 4\n", 2),
            ("p edge 3 1\n\ne 1 2\nf 1 2\n", 4),
            ("c x\ne 1 2\np edge 3 1\n", 2),
            ("p edge 3 2\ne 1 2\n", 1),
            ("p edge 3 1\np edge 3 1\n", 2),
            ("p edge 9999999 0\n", 1),
            ("D~", 1),
            ("DqK\nDhC\n", 1),
        ] {
            assert_eq!(parse(text).map(|_| ()).map_err(|error| error.line), Err(line), "{text:?}");
        }
    }
}
