//! Parser of DIMACS files of undirected graphs: `p edge VERTICES EDGES`, then a line `e V W` for each edge.
//!
//! The number of edges may count repeated edges once or each time. Arcs (`a V W`) are accepted if each of
//! them occurs in both directions.

use std::collections::HashSet;

use super::edge_set::{EdgeSet, GraphFile};
use super::error::{GraphFileError, MAX_VERTICES, excerpt};
use super::lines::Line;

/// Names of the kind of problem that mean an undirected graph.
const GRAPH_PROBLEMS: [&str; 4] = ["edge", "edges", "col", "graph"];

/// Other kinds of problems, with what they are.
const OTHER_PROBLEMS: [(&str, &str); 11] = [
    ("sp", "a shortest path problem, a directed graph with weights"),
    ("max", "a flow problem, a directed graph"),
    ("min", "a flow problem, a directed graph"),
    ("asn", "an assignment problem"),
    ("mat", "a matching problem with weights"),
    ("cnf", "a formula"),
    ("wcnf", "a formula"),
    ("tw", "a PACE graph"),
    ("td", "a PACE graph"),
    ("ds", "a PACE graph"),
    ("cep", "a PACE graph"),
];

/// Returns true if the file has a line `p` of DIMACS. A line of a list of edges never has three words.
pub(super) fn is_dimacs(lines: &[Line<'_>]) -> bool {
    let is_problem = |line: &Line<'_>| {
        let mut words = line.text.split_whitespace();
        words.next() == Some("p") && words.clone().count() > 1 && words.all(|word| !word.contains(','))
    };
    ["p", "c", "e", "a", "n"].contains(&lines[0].first_word()) && lines.iter().any(is_problem)
}

/// Parses a DIMACS file.
///
/// # Errors
/// The first line that is not valid, or the line `p` if the number of edges differs.
pub(super) fn parse_dimacs(lines: &[Line<'_>]) -> Result<GraphFile, GraphFileError> {
    let mut sizes: Option<(usize, usize, usize)> = None;
    let mut set = EdgeSet::default();
    let mut arcs: Vec<(usize, u32, u32)> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        match (words.as_slice(), sizes) {
            (["c", ..], _) => {}
            (["p", problem, vertices, count], None) if GRAPH_PROBLEMS.contains(problem) => {
                let (vertices, count) = (parse_size(line, vertices)?, parse_size(line, count)?);
                if vertices > MAX_VERTICES {
                    return Err(GraphFileError::too_many_vertices(line.number, vertices));
                }
                sizes = Some((line.number, vertices, count));
            }
            (["p", problem, ..], None) => {
                return Err(match OTHER_PROBLEMS.iter().find(|(name, _)| name == problem) {
                    Some((_, what)) => line.error(format!(
                        "`p {problem}` begins {what}, which ktour does not read; write `p edge VERTICES EDGES` and `e V W` for an undirected graph"
                    )),
                    None => {
                        line.quoted_error("is not a valid line `p`; write `p edge VERTICES EDGES`")
                    }
                });
            }
            (["p"], None) => {
                return Err(line.error("the line `p` is not valid; write `p edge VERTICES EDGES`"));
            }
            (["p", ..], Some(_)) => {
                return Err(line.error("there is a second line `p`; keep one graph in the file"));
            }
            (["e" | "a", _, _, _, ..], Some(_)) => {
                return Err(
                    line.quoted_error("has more than two vertices, or a weight; write `e V W` for an edge")
                );
            }
            ([sign @ ("e" | "a"), from, to], Some((_, vertices, _))) => {
                let ends = (parse_vertex(line, from, vertices)?, parse_vertex(line, to, vertices)?);
                let list = if *sign == "a" { &mut arcs } else { &mut set.edges };
                list.push((line.number, ends.0, ends.1));
            }
            (["e" | "a", ..], None) => {
                return Err(
                    line.error("there is an edge before the line `p`; begin with `p edge VERTICES EDGES`")
                );
            }
            _ => {
                return Err(line.quoted_error(
                    "is not a line of a DIMACS file of an unweighted graph; begin each line with c, p or e",
                ));
            }
        }
    }
    let (line, vertices, count) =
        sizes.ok_or_else(|| lines[0].error("there is no line `p`; begin with `p edge VERTICES EDGES`"))?;
    let mut notes = Vec::new();
    set.vertices = vertices;
    let written = set.edges.len() + arcs.len();
    if !arcs.is_empty() {
        add_arcs(&mut set, &arcs, &mut notes)?;
    }
    if written != count && count_different(&set.edges) != count {
        let what =
            format!("the line `p` promises {count} edges, but there are {written}; correct the number");
        return Err(GraphFileError::new(line, what));
    }
    Ok(set.into_numbered_graph(notes))
}

/// Adds arcs that occur in both directions as edges.
///
/// # Errors
/// The line of the first arc without its reversal.
fn add_arcs(
    set: &mut EdgeSet,
    arcs: &[(usize, u32, u32)],
    notes: &mut Vec<String>,
) -> Result<(), GraphFileError> {
    let directed: HashSet<(u32, u32)> = arcs.iter().map(|&(_, v, w)| (v, w)).collect();
    if let Some(&(line, v, w)) = arcs.iter().find(|&&(_, v, w)| !directed.contains(&(w, v))) {
        let (v, w) = (v + 1, w + 1);
        return Err(GraphFileError::new(
            line,
            format!(
                "`a {v} {w}` is an arc and there is no `a {w} {v}`, so that the graph is directed; write `e {v} {w}` for an edge"
            ),
        ));
    }
    let mut seen = HashSet::new();
    set.edges.extend(arcs.iter().filter(|&&(_, v, w)| seen.insert((v.min(w), v.max(w)))));
    notes.push("each arc has its reversal, and both are one edge of an undirected graph".to_owned());
    Ok(())
}

fn count_different(edges: &[(usize, u32, u32)]) -> usize {
    edges.iter().map(|&(_, v, w)| (v.min(w), v.max(w))).collect::<HashSet<_>>().len()
}

fn parse_size(line: &Line<'_>, text: &str) -> Result<usize, GraphFileError> {
    text.parse().map_err(|_| {
        line.error(format!("`{}` is not a number; write `p edge VERTICES EDGES`", excerpt(text)))
    })
}

/// Parses a vertex number from 1 and returns it from 0.
pub(super) fn parse_vertex(line: &Line<'_>, text: &str, vertices: usize) -> Result<u32, GraphFileError> {
    let number = text
        .parse::<usize>()
        .ok()
        .filter(|number| (1..=vertices).contains(number) && !text.starts_with(['0', '+']));
    number.map(|number| number as u32 - 1).ok_or_else(|| {
        line.error(format!("`{}` is not a vertex; vertices are the numbers 1 to {vertices}", excerpt(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{GraphFile, parse};
    use crate::board::BoardKind;

    fn edge_count(file: &GraphFile) -> usize {
        file.graph.graph().edge_count()
    }

    #[test]
    fn parse_reads_edges_and_symmetric_arcs() {
        let plain = parse("c a ring\np edge 3 3\ne 1 2\ne 2 3\ne 3 1\n").unwrap();
        assert_eq!((edge_count(&plain), plain.notes.len()), (3, 0));
        let both = parse("p col 3 4\na 1 2\na 2 1\na 2 3\na 3 2\n").unwrap();
        assert_eq!((edge_count(&both), both.notes.len()), (2, 1));
        let twice = parse("p edge 2 1\ne 1 2\ne 2 1\n").unwrap();
        assert_eq!((edge_count(&twice), twice.notes.len()), (1, 1));
        assert_eq!(parse("p edge 0 0\n").unwrap().graph.vertex_count(), 0);
    }

    #[test]
    fn parse_rejects_other_problems_and_broken_lines() {
        for (text, line, word) in [
            ("p sp 3 3\na 1 2 5\n", 1, "directed"),
            ("p tw 3 2\n1 2\n2 3\n", 1, "PACE"),
            ("p cnf 3 2\n1 2 0\n", 1, "formula"),
            ("p edge 3 3\na 1 2\na 2 3\na 1 3\n", 2, "directed"),
            ("c x\np edge 3\n", 2, "p edge"),
            ("p edge 3 1\ne 1 4\n", 2, "`4`"),
            ("p edge 3 1\ne 0 1\n", 2, "`0`"),
            ("p edge 3 1\n\ne 1 2\nf 1 2\n", 4, "f 1 2"),
            ("c x\ne 1 2\np edge 3 1\n", 2, "before"),
            ("p edge 3 2\ne 1 2\n", 1, "2 edges"),
            ("p edge 3 1\np edge 3 1\n", 2, "second"),
            ("p edge 9999999 0\n", 1, "9999999"),
            ("p edge 3 2\ne 1 2\ne 1 2 3 4\n", 3, "two vertices"),
            ("p edge 2 1\ne 1 2\nn 1 5\n", 3, "n 1 5"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.to_string().contains(word), "{text:?}: {error}");
        }
    }
}
