//! Parser of TSPLIB files of the type HCP: keywords, then the section of edges.
//!
//! ```text
//! NAME : prism                 or NAME: prism
//! TYPE : HCP
//! DIMENSION : 6
//! EDGE_DATA_FORMAT : EDGE_LIST     or ADJ_LIST: each line `v w .. -1`
//! EDGE_DATA_SECTION
//! 1 2
//! -1
//! EOF
//! ```

use super::adjacency::NeighbourLists;
use super::dimacs::parse_vertex;
use super::edge_set::{EdgeSet, GraphFile};
use super::error::{GraphFileError, MAX_VERTICES, excerpt};
use super::lines::Line;

/// Keywords that a TSPLIB file may begin with.
const KEYWORDS: [&str; 6] = ["NAME", "TYPE", "COMMENT", "DIMENSION", "EDGE_DATA_FORMAT", "EDGE_DATA_SECTION"];

/// Splits `KEY : value`.
fn split_keyword<'a>(line: &Line<'a>) -> (&'a str, Option<&'a str>) {
    match line.text.split_once(':') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (line.text, None),
    }
}

/// Returns true if the file begins with a keyword of TSPLIB and has a second one that only TSPLIB has.
pub(super) fn is_tsplib(lines: &[Line<'_>]) -> bool {
    let is_keyword = |line: &Line<'_>| {
        let (key, value) = split_keyword(line);
        KEYWORDS.contains(&key) && (value.is_some() || key.ends_with("SECTION"))
    };
    let is_sure = |line: &Line<'_>| {
        let (key, value) = split_keyword(line);
        key.ends_with("_SECTION")
            || value.is_some() && ["DIMENSION", "TYPE", "EDGE_DATA_FORMAT"].contains(&key)
    };
    is_keyword(&lines[0]) && lines.iter().any(is_sure)
}

/// How the section lists the edges.
#[derive(Clone, Copy)]
enum DataFormat {
    EdgeList,
    AdjList,
}

/// Parses a TSPLIB file.
///
/// # Errors
/// The first line that is not valid; another type than HCP; a section that has no end.
pub(super) fn parse_hcp(lines: &[Line<'_>]) -> Result<GraphFile, GraphFileError> {
    let (mut is_hcp, mut vertices, mut format) = (false, None, None);
    for (at, line) in lines.iter().enumerate() {
        let (key, value) = split_keyword(line);
        match (key, value) {
            ("NAME" | "COMMENT", Some(_)) => {}
            ("TYPE", Some("HCP")) => is_hcp = true,
            ("TYPE", Some(other)) => {
                return Err(line.error(format!(
                    "the file is a TSPLIB file of the type {}, which ktour does not read; use the type HCP or a list of edges",
                    excerpt(other)
                )));
            }
            ("DIMENSION", Some(value)) => {
                let number: usize = value.parse().map_err(|_| {
                    line.error(format!("`{}` is not a number; write `DIMENSION : VERTICES`", excerpt(value)))
                })?;
                if number > MAX_VERTICES {
                    return Err(GraphFileError::too_many_vertices(line.number, number));
                }
                if vertices.replace(number).is_some() {
                    return Err(line.error("there is a second DIMENSION in the TSPLIB file; keep one"));
                }
            }
            ("EDGE_DATA_FORMAT", Some(_)) if format.is_some() => {
                return Err(line.error("there is a second EDGE_DATA_FORMAT in the TSPLIB file; keep one"));
            }
            ("EDGE_DATA_FORMAT", Some("EDGE_LIST")) => format = Some(DataFormat::EdgeList),
            ("EDGE_DATA_FORMAT", Some("ADJ_LIST")) => format = Some(DataFormat::AdjList),
            ("EDGE_DATA_SECTION", None | Some("")) => {
                let missing = |key: &str, value: &str| {
                    line.error(format!(
                        "the TSPLIB file has no {key} before its edges; add `{key} : {value}`"
                    ))
                };
                if !is_hcp {
                    return Err(missing("TYPE", "HCP"));
                }
                let vertices = vertices.ok_or_else(|| missing("DIMENSION", "VERTICES"))?;
                let format = format.ok_or_else(|| missing("EDGE_DATA_FORMAT", "EDGE_LIST"))?;
                return parse_section(line, &lines[at + 1..], vertices, format);
            }
            _ => {
                return Err(line.quoted_error(
                    "is not a line of a TSPLIB file of the type HCP that ktour reads; delete it, or use a list of edges",
                ));
            }
        }
    }
    Err(lines[lines.len() - 1].error("the TSPLIB file has no EDGE_DATA_SECTION; copy the whole file"))
}

/// Parses the lines after `EDGE_DATA_SECTION`.
fn parse_section(
    head: &Line<'_>,
    lines: &[Line<'_>],
    vertices: usize,
    format: DataFormat,
) -> Result<GraphFile, GraphFileError> {
    let mut set = EdgeSet { vertices, edges: Vec::new() };
    let mut lists = NeighbourLists::default();
    let mut is_open = true;
    for line in lines {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        match words.as_slice() {
            ["EOF"] => {
                if line.number != lines[lines.len() - 1].number {
                    return Err(line.error("there are lines after EOF; delete them"));
                }
                is_open = false;
            }
            ["-1"] if is_open => is_open = false,
            _ if !is_open => {
                return Err(
                    line.quoted_error("follows the end of the edges, which ktour does not read; delete it")
                );
            }
            [v, w] if matches!(format, DataFormat::EdgeList) => {
                set.edges.push((
                    line.number,
                    parse_vertex(line, v, vertices)?,
                    parse_vertex(line, w, vertices)?,
                ));
            }
            [v, neighbours @ .., "-1"] if matches!(format, DataFormat::AdjList) => {
                let v = parse_vertex(line, v, vertices)?;
                lists.begin(line, v)?;
                for w in neighbours {
                    lists.push(line, v, parse_vertex(line, w, vertices)?)?;
                }
            }
            _ => {
                return Err(line.error(match format {
                    DataFormat::EdgeList => format!(
                        "`{}` is not an edge of an EDGE_LIST; write two numbers a line",
                        excerpt(line.text)
                    ),
                    DataFormat::AdjList => format!(
                        "`{}` is not a line of an ADJ_LIST; write a vertex, its neighbours and -1",
                        excerpt(line.text)
                    ),
                }));
            }
        }
    }
    if is_open {
        let last = lines.last().unwrap_or(head);
        return Err(last.error("the edges of the TSPLIB file have no end `-1` or `EOF`; copy the whole file"));
    }
    let mut notes = Vec::new();
    if matches!(format, DataFormat::AdjList) {
        set.edges = lists.into_edges(|v| (v + 1).to_string(), &mut notes)?;
    }
    Ok(set.into_numbered_graph(notes))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::board::BoardKind;

    const HEAD: &str = "NAME : x\nTYPE : HCP\nDIMENSION : 3\n";

    #[test]
    fn parse_reads_both_spellings_and_formats() {
        let ring = parse("1 2\n2 3\n3 1\n").unwrap();
        for text in [
            format!("{HEAD}EDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 3\n3 1\n-1\nEOF\n"),
            format!(
                "{}EDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n 1 2\n2  3\n3 1\n-1\n",
                HEAD.replace(" :", ":")
            ),
            format!(
                "{HEAD}EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 3 -1\n2 1 3 -1\n3 2 1 -1\n-1\nEOF\n"
            ),
            format!(
                "{HEAD}COMMENT : a: b # c\nEDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 3 -1\n2 3 -1\n-1\n"
            ),
        ] {
            assert_eq!(
                parse(&text).unwrap_or_else(|error| panic!("{text}: {error}")).graph,
                ring.graph,
                "{text}"
            );
        }
        assert_eq!(ring.graph.vertex_count(), 3);
    }

    #[test]
    fn parse_rejects_other_types_and_broken_sections() {
        let section = |lines: &str| format!("{HEAD}EDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n{lines}");
        for (text, line) in [
            ("NAME: x\nTYPE: TSP\nDIMENSION: 3\n".to_owned(), 2),
            (section("1 2\n4 1\n-1\n"), 7),
            (section("0 1\n-1\n"), 6),
            (section("1 2\n2 3\n"), 7),
            (section("1 2 3\n-1\n"), 6),
            (section("1 2\n-1\nFIXED_EDGES_SECTION\n1 2\n-1\n"), 8),
            (format!("{HEAD}EDGE_DATA_SECTION\n1 2\n-1\n"), 4),
            (HEAD.to_owned(), 3),
            (format!("{HEAD}NODE_COORD_SECTION\n"), 4),
            (format!("{HEAD}EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 -1\n2 1 3 -1\n-1\n"), 7),
        ] {
            assert_eq!(parse(&text).expect_err(&text).line, line, "{text}");
        }
    }
}
