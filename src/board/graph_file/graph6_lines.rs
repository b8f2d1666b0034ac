//! Files whose lines are single words: graphs in graph6 or sparse6, 0/1 matrices and vertices without edges.

use super::edge_set::{EdgeSet, GraphFile};
use super::error::{GraphFileError, excerpt};
use super::lines::Line;
use super::vertex_name::{check_name, is_number, split_at_sign};
use crate::board::graph6::Graph6Error;
use crate::board::{CustomGraph, Graph, sparse6};

/// Maximum length in bytes of a word that an error message treats as a vertex name and not as a damaged
/// graph.
const MAX_SUGGESTED_NAME_BYTES: usize = 40;

/// Returns true if the file has a header of graph6 or sparse6, or single words only.
pub(super) fn has_single_words(lines: &[Line<'_>]) -> bool {
    lines[0].text.starts_with(">>") || lines.iter().all(Line::is_one_word)
}

/// Parses a file of single words, and returns each graph with its line number.
///
/// # Errors
/// The first line that is not a graph; a separator that ktour does not read; words without edges.
pub(super) fn parse_words(lines: &[Line<'_>]) -> Result<Vec<(usize, GraphFile)>, GraphFileError> {
    let mut lines = lines.to_vec();
    let header = [">>graph6<<", ">>sparse6<<"].into_iter().find(|header| lines[0].text.starts_with(header));
    if let Some(header) = header {
        lines[0].text = lines[0].text[header.len()..].trim_start();
        if lines[0].text.is_empty() {
            let first = lines.remove(0);
            if lines.is_empty() {
                return Err(first
                    .error(format!("there is no graph after the header `{header}`; copy the whole file")));
            }
        }
        return decode_all(&lines, Some(header));
    }
    if lines[0].text.starts_with(">>") {
        let what = format!(
            "`{}` is a header of a format that ktour does not read; use graph6, sparse6 or two names a line",
            excerpt(lines[0].text)
        );
        return Err(lines[0].error(what));
    }
    if lines.len() == 1 || lines.iter().all(|line| sparse6::decode(line.text).is_ok()) {
        return decode_all(&lines, None);
    }
    let numbers: Option<Vec<usize>> = lines
        .iter()
        .map(|line| line.text.parse().ok().filter(|number: &usize| number.to_string() == line.text))
        .collect();
    if let Some(numbers) = numbers {
        if numbers[0] < 2 && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
            let names: Vec<&str> = lines.iter().map(|line| line.text).collect();
            let set = EdgeSet { vertices: names.len(), edges: Vec::new() };
            return Ok(vec![(lines[0].number, set.into_named_graph(&names, Vec::new()))]);
        }
        return Err(lines[0].error("the file has one number a line and no edges; write two names a line"));
    }
    let sign_of = |line: &Line<'_>| split_at_sign(line.text).map(|(_, sign, _)| sign);
    if let Some(sign) =
        sign_of(&lines[0]).filter(|sign| lines.iter().all(|line| sign_of(line) == Some(*sign)))
    {
        let (before, _, after) = split_at_sign(lines[0].text).expect("the first line has the sign");
        let what = if lines[0].text.contains('>') { "; an arrow means a directed graph" } else { "" };
        return Err(lines[0].quoted_error(format!(
            "has `{sign}` between two names{what}; separate the names of an edge by a blank: `{} {}`",
            excerpt(before),
            excerpt(after)
        )));
    }
    let (bad, what) = lines
        .iter()
        .find_map(|line| Some((line, sparse6::decode(line.text).err()?)))
        .expect("one line is not graph6");
    let decoded = lines.iter().filter(|line| sparse6::decode(line.text).is_ok()).count();
    if decoded > 0 && bad.text.starts_with(['&', ';']) {
        return decode_all(std::slice::from_ref(bad), None);
    }
    Err(bad.error(if decoded > 0 {
        format!("{what}; or write two names a line, if this is a list of edges")
    } else {
        match check_name(lines[0].text) {
            Err(what) => return Err(lines[0].error(what)),
            Ok(()) => format!(
                "`{}` and all other lines are single words, so that there are no edges; write two names a line for an edge",
                excerpt(bad.text)
            ),
        }
    }))
}

fn decode_all(lines: &[Line<'_>], header: Option<&str>) -> Result<Vec<(usize, GraphFile)>, GraphFileError> {
    let decode = |line: &Line<'_>| {
        if line.text.starts_with(">>") {
            return Err(line.error("there is a second header; keep one header at the start of the file"));
        }
        if line.text.starts_with('&') || line.text.starts_with(';') {
            let name = if line.text.starts_with('&') {
                "digraph6, a format for directed graphs"
            } else {
                "incremental sparse6"
            };
            return Err(
                line.quoted_error(format!("looks like {name}, which ktour does not read; use graph6"))
            );
        }
        decode_line(line, header.is_none() && lines.len() == 1)
    };
    let graph_file = |graph: Graph| GraphFile::with_structure_notes(CustomGraph::new(graph), Vec::new());
    lines.iter().map(|line| Ok((line.number, graph_file(decode(line)?)))).collect()
}

fn decode_line(line: &Line<'_>, suggests_name: bool) -> Result<Graph, GraphFileError> {
    sparse6::decode(line.text).map_err(|error: Graph6Error| {
        let name = line.text;
        let is_name = suggests_name
            && name.len() <= MAX_SUGGESTED_NAME_BYTES
            && check_name(name).is_ok()
            && (is_number(name) || split_at_sign(name).is_none());
        let list = if is_name {
            format!("; for a graph of one vertex write `{0} {0}`", excerpt(name))
        } else {
            String::new()
        };
        line.error(format!("{error}{list}"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_all};
    use crate::board::BoardKind;

    #[test]
    fn parse_rejects_several_graphs_and_parse_all_reads_them() {
        for text in
            ["DqK\nDhC\n", ">>graph6<<DqK\nDhC\n", ">>graph6<<\nDqK\n\nDhC\n", "# two\r\nDqK\r\n:Fa@x^"]
        {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("2 graphs"), "{error}");
            assert_eq!(parse_all(text).unwrap().len(), 2, "{text:?}");
        }
        let graphs = parse_all("# x\n@\n\nDqK\n").unwrap();
        let found: Vec<_> = graphs.iter().map(|(line, file)| (*line, file.graph.vertex_count())).collect();
        assert_eq!(found, [(2, 1), (4, 5)]);
        assert_eq!(parse_all("1 2\n").unwrap().len(), 1);
    }

    #[test]
    fn single_words_without_edges_are_rejected() {
        for (text, word) in [
            ("a;b\nb;c\nc;a\n", "`a b`"),
            ("a-b\nb-c\nc-a\n", "`a b`"),
            ("a|b\nb|c\nc|a\n", "`a b`"),
            ("1=2\n2=3\n", "`1 2`"),
            ("1->2\n2->3\n", "directed"),
            ("1--2\n2--3\n", "`1 2`"),
            ("1:2\n2:3\n", "`1 2`"),
            ("hull\nyork\n", "no edges"),
            ("3\n1\n2\n", "no edges"),
            ("DqK\nDq\n", "graph6"),
            ("D~\n", "graph6"),
            (">>graph6<<D~\n", "graph6"),
            ("DqK\n&BO_\n", "digraph6"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(word), "{text:?}: {error}");
        }
        assert_eq!(parse("0\n1\n2\n").unwrap().notes.len(), 1);
    }
}
