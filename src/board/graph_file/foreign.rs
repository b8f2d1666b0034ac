//! Formats that ktour does not read. Each is recognised by its signature and rejected by its name.

use super::error::GraphFileError;
use super::lines::{Line, Lines};
use crate::board::graph6;

/// The remedy for a format of graphs.
const CONVERT: &str = "convert it to a list of edges (two names a line), DIMACS or graph6";

/// Signs that begin comments in other formats.
const COMMENT_SIGNS: [&str; 7] = ["//", "/*", "--", ";", "!", "*", "\\*"];

/// Rejects a text in another format.
///
/// # Errors
/// The name of the format and the line of its signature.
pub(super) fn check_foreign(text: &str, lines: &Lines<'_>) -> Result<(), GraphFileError> {
    if let Some(at) = text.find('\0') {
        let line = 1 + text[..at].matches('\n').count();
        return Err(GraphFileError::new(
            line,
            "the file is binary, as it has a zero byte; convert it to text",
        ));
    }
    let first_text = text.trim_start();
    let comment_format = [("%%MatrixMarket", "a MatrixMarket matrix"), ("%PDF", "a PDF document")];
    if let Some((_, name)) = comment_format.iter().find(|(signature, _)| first_text.starts_with(signature)) {
        return Err(foreign_error(1 + text[..text.len() - first_text.len()].matches('\n').count(), name));
    }
    let Some(first) = lines.contents.first() else { return Ok(()) };
    // The brackets `[` and `{` also begin graphs of 28 and 60 vertices in graph6.
    let is_graph6 = || lines.contents.iter().all(|line| graph6::decode(line.text).is_ok());
    if let Some(name) = recognise(first, &lines.contents).filter(|_| !is_graph6()) {
        return Err(foreign_error(first.number, name));
    }
    for line in &lines.contents {
        if line.text.as_bytes()[0].is_ascii_alphanumeric() {
            continue;
        }
        if line.text.starts_with("- ") {
            return Err(foreign_error(line.number, "a YAML list"));
        }
        let is_number =
            line.text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let sign = COMMENT_SIGNS.iter().find(|sign| line.text.starts_with(*sign));
        if let (Some(sign), false) = (sign, is_number) {
            return Err(line.quoted_error(format!(
                "begins with `{sign}`, the sign of comments or keywords of other formats; begin comments with `#`"
            )));
        }
    }
    Ok(())
}

fn foreign_error(line: usize, name: &str) -> GraphFileError {
    GraphFileError::new(line, format!("the file looks like {name}, which ktour does not read; {CONVERT}"))
}

/// Returns the name of the format of a file with the given first line with contents.
fn recognise(first: &Line<'_>, lines: &[Line<'_>]) -> Option<&'static str> {
    let lower = first.text.to_lowercase();
    let begins = |signature: &str| lower.starts_with(signature);
    let word = lower.split(|c: char| c.is_whitespace() || "{[(<:=".contains(c)).next().unwrap_or_default();
    let second = lines.get(1).map_or("", |line| line.text);
    let has_bracket = |bracket: char| lower.contains(bracket) || second.starts_with(bracket);
    let contains = |text: &str| lines.iter().take(20).any(|line| line.text.to_lowercase().contains(text));
    match lower.chars().next()? {
        '<' if contains("<graphml") => return Some("GraphML"),
        '<' if contains("<gexf") => return Some("GEXF"),
        '<' if contains("<html") || contains("<!doctype") => return Some("HTML"),
        '<' => return Some("XML"),
        '{' if contains("<->") || contains("\\[") || contains("->") => return Some("a Mathematica list"),
        '{' | '[' => return Some("JSON, or an array in brackets of a program"),
        '@' if ["@nodes", "@arcs", "@edges", "@graph"].iter().any(|key| begins(key)) => {
            return Some("a LEMON graph (LGF)");
        }
        '(' => return Some("a list of tuples in brackets"),
        '&' if first.is_one_word() => return Some("digraph6, a format for directed graphs"),
        ';' if first.is_one_word() && first.text.len() > 1 => return Some("incremental sparse6"),
        _ => {}
    }
    let by_start = [
        (">>planar_code", "planar_code"),
        (">>edge_code", "edge_code"),
        (">>digraph6", "digraph6, a format for directed graphs"),
        (">>writegraph", "writegraph"),
        ("*vertices", "a Pajek network"),
        ("*arcs", "a Pajek network"),
        ("*edges", "a Pajek network"),
        ("*network", "a Pajek network"),
        ("* graphbase graph", "GraphBase (.gb)"),
        ("*node", "a VNA file of NetDraw"),
        ("leda.graph", "a LEDA graph"),
        ("dl n", "a UCINET DL file"),
        ("dl,", "a UCINET DL file"),
        ("nodedef>", "GDF"),
        ("33d32945", "a SteinLib STP file"),
        ("---", "YAML"),
        ("ty  -", "RIS"),
        ("solver", "a log"),
    ];
    if let Some((_, name)) = by_start.iter().find(|(signature, _)| begins(signature)) {
        return Some(name);
    }
    match word {
        "dl" if contains("n=") || contains("n =") || contains("format") => Some("a UCINET DL file"),
        "graph" if begins("graph[") && contains("<->") => Some("program text of Mathematica"),
        "graph" if has_bracket('[') => Some("GML"),
        "creator" | "version" | "comment" if contains("graph") && contains("[") => Some("GML"),
        "graph" | "digraph" | "strict" if has_bracket('{') => Some("DOT (Graphviz)"),
        "digraph" | "strict" => Some("DOT (Graphviz)"),
        "graph" if has_bracket('(') => Some("program text of Sage, Python or Mathematica"),
        "edges" | "nodes" | "vertices" | "adj" | "adjacency" | "g"
            if has_bracket('[') || has_bracket('{') =>
        {
            Some("program text, or YAML")
        }
        "import" | "from" if contains("networkx") || contains("import ") => Some("a Python program"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_all};
    use super::graph6;
    use crate::board::{BoardKind, Graph};

    #[test]
    fn graph6_that_begins_with_a_bracket_is_read() {
        for len in [28, 60] {
            let ring = Graph::from_edges(len, (0..len).map(|v| (v, (v + 1) % len)));
            let text = graph6::encode(&ring);
            assert!(text.starts_with(['[', '{']), "{text}");
            for text in [format!("{text}\n"), format!("{text}\n{text}\n"), format!("# ring\n{text}")] {
                let graphs = parse_all(&text).unwrap();
                assert!(graphs.iter().all(|(_, file)| file.graph.graph() == ring), "{text}");
            }
        }
        // Of 8 vertices; but the lines after it are not graph6.
        assert!(parse("Graph[").is_ok() && parse("Graph[\nnode [\nid 0\n]\n]\n").is_err());
    }

    #[test]
    fn other_formats_are_rejected_by_name() {
        for (text, name) in [
            ("graph [\n  node [\n    id 0\n  ]\n]\n", "GML"),
            ("Creator \"x\"\ngraph\n[\n node\n [\n  id 0\n ]\n]\n", "GML"),
            ("graph\n[\n]\n", "GML"),
            ("<?xml version=\"1.0\"?>\n<graphml>\n</graphml>\n", "GraphML"),
            ("<gexf>\n", "GEXF"),
            ("<!DOCTYPE html>\n<html>\n", "HTML"),
            ("graph {\n1--2;\n}\n", "DOT"),
            ("graph G {\n  1 -- 2;\n}\n", "DOT"),
            ("graph\n{\n1--2\n}\n", "DOT"),
            ("digraph G {\n a -> b\n}\n", "DOT"),
            ("strict graph {\n}\n", "DOT"),
            ("[[0,1],[1,2],[2,0]]\n", "JSON"),
            ("{\"nodes\": []}\n", "JSON"),
            ("{1<->2, 2<->3}\n", "Mathematica"),
            ("Graph[{1<->2, 2<->3}]\n", "Mathematica"),
            ("(0, 1),\n(1, 2),\n(2, 0)\n", "tuples"),
            ("0:\n  - 1\n  - 2\n1:\n  - 2\n", "YAML"),
            ("- [1, 2]\n", "YAML"),
            ("*Vertices 3\n1 \"a\"\n*Edges\n1 2\n", "Pajek"),
            ("*Edges\n1 2\n", "Pajek"),
            ("* GraphBase graph (util_types IZZ,3V,6A)\n", "GraphBase"),
            ("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", "MatrixMarket"),
            ("LEDA.GRAPH\nvoid\n", "LEDA"),
            ("dl n=3\nformat = edgelist1\ndata:\n1 2\n", "UCINET"),
            ("DL N = 3\n", "UCINET"),
            (">>planar_code<<x", "planar_code"),
            (">>digraph6<<&B_\n", "digraph6"),
            ("&BO_\n", "digraph6"),
            (";Cg\n", "incremental"),
            ("@nodes\nlabel\n1\n", "LEMON"),
            ("nodedef>name\n", "GDF"),
            ("// ring\n1 2\n2 3\n3 1\n", "`//`"),
            ("-- ring\n1 2\n", "`--`"),
            ("1 2\n; x\n", "`;`"),
            ("1 2\0\n", "zero byte"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(name) && error.contains("; "), "{text:?}: {error}");
        }
    }

    #[test]
    fn vertices_may_be_named_like_keywords() {
        for text in ["graph a\na b\nb graph\n", "dl a\na b\n", "strict b\nb c\n", "creator a\na b\n"] {
            let is_accepted = parse(text).is_ok();
            assert_eq!(is_accepted, !text.starts_with("strict"), "{text:?}");
        }
    }
}
