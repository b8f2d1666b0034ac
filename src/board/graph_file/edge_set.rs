//! [`GraphFile`], the contents of a graph file, and [`EdgeSet`], the edges from which a parser makes it.

use crate::board::board_kind::BoardKind;
use crate::board::{CustomGraph, Graph};
use crate::text_format::{escape_unprintable, format_count};

/// Maximum number of vertices, or of parts, that a note lists.
const MAX_LISTED: usize = 4;

/// A graph that was read from a file, and remarks on what the parser did with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFile {
    /// The graph, with the names of its vertices.
    pub graph: CustomGraph,
    /// One sentence each, lower case, without a full stop: skipped lines, ignored loops, repeated edges,
    /// vertices without edges and the parts of a graph that is not connected.
    pub notes: Vec<String>,
}

/// Edges between numbered vertices, each with the line that contains it.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeSet {
    /// Number of vertices.
    pub vertices: usize,
    /// Line number and ends of each edge. Loops and repetitions are allowed.
    pub edges: Vec<(usize, u32, u32)>,
}

impl EdgeSet {
    /// Returns the graph without names, loops and repetitions, and pushes notes on the latter.
    fn to_graph(&self, notes: &mut Vec<String>) -> Graph {
        let mut loops = self.edges.iter().filter(|(_, v, w)| v == w);
        if let Some((line, ..)) = loops.next() {
            let number = 1 + loops.count();
            notes.push(format!(
                "{} of a vertex to itself {} ignored, first in line {line}",
                format_count(number, "edge"),
                if number == 1 { "is" } else { "are" }
            ));
        }
        let joining = || self.edges.iter().filter(|(_, v, w)| v != w);
        let graph = Graph::from_edges(self.vertices, joining().map(|&(_, v, w)| (v as usize, w as usize)));
        let repeated = joining().count() - graph.edge_count();
        if repeated > 0 {
            let mut sorted: Vec<_> = joining().map(|&(line, v, w)| (v.min(w), v.max(w), line)).collect();
            sorted.sort_unstable();
            let first = sorted.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
            let first = first.map(|pair| pair[1].2).min().expect("an edge is repeated");
            notes.push(format!(
                "edges given more than once count once: {}, first in line {first}",
                format_count(repeated, "repetition")
            ));
        }
        graph
    }

    /// Returns the graph with vertices named 1, 2, .. and all notes, after those of the parser.
    pub fn into_numbered_graph(self, mut notes: Vec<String>) -> GraphFile {
        let graph = CustomGraph::new(self.to_graph(&mut notes));
        GraphFile::with_structure_notes(graph, notes)
    }

    /// Returns the graph with the given names and all notes, after those of the parser. Vertices are sorted
    /// by number if all names are numbers.
    pub fn into_named_graph(mut self, names: &[&str], mut notes: Vec<String>) -> GraphFile {
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        let values: Option<Vec<u64>> = names.iter().map(|name| name.parse().ok()).collect();
        if let Some(values) = values {
            order.sort_by_key(|&v| values[v as usize]);
        }
        let mut position = vec![0; names.len()];
        (0..).zip(&order).for_each(|(at, &v)| position[v as usize] = at);
        for (_, v, w) in &mut self.edges {
            (*v, *w) = (position[*v as usize], position[*w as usize]);
        }
        let graph = CustomGraph::new(self.to_graph(&mut notes));
        let graph = graph
            .with_names(order.iter().map(|&v| names[v as usize]))
            .expect("the parser has one name for each vertex");
        GraphFile::with_structure_notes(graph, notes)
    }
}

impl GraphFile {
    /// Adds notes on vertices without edges and on the parts of the graph.
    pub(super) fn with_structure_notes(graph: CustomGraph, mut notes: Vec<String>) -> Self {
        notes.extend(Self::structure_notes(&graph));
        Self { graph, notes }
    }

    /// Returns notes on vertices without edges and on the parts of a graph that is not connected.
    #[must_use]
    pub fn structure_notes(custom_graph: &CustomGraph) -> Vec<String> {
        let (graph, mut notes) = (custom_graph.graph(), Vec::new());
        let parts = component_sizes(&graph);
        if parts.len() < 2 {
            return notes;
        }
        let isolated = parts.iter().rev().take_while(|&&size| size == 1).count();
        if isolated > 0 {
            let names = (0..graph.len()).filter(|&v| graph.neighbours(v).is_empty());
            let names: Vec<String> =
                names.take(MAX_LISTED).map(|v| escape_unprintable(&custom_graph.name(v as u32))).collect();
            let (have, it) = if isolated == 1 { ("has", "it") } else { ("have", "them") };
            notes.push(format!(
                "{} {have} no edge, so that no move reaches {it}: {}{}",
                format_count(isolated, "vertex"),
                names.join(", "),
                if isolated > MAX_LISTED { ", .." } else { "" }
            ));
        }
        if isolated < parts.len() - 1 {
            let sizes: Vec<String> = parts.iter().take(MAX_LISTED).map(ToString::to_string).collect();
            notes.push(format!(
                "the graph is not connected and has no tour; it has {} parts, with {}{} vertices",
                parts.len(),
                sizes.join(", "),
                if parts.len() > MAX_LISTED { ", .." } else { "" }
            ));
        }
        notes
    }
}

/// Returns the numbers of vertices of the connected components, largest first. Cost O(vertices + edges).
fn component_sizes(graph: &Graph) -> Vec<usize> {
    let mut visited = vec![false; graph.len()];
    let mut sizes = Vec::new();
    let mut stack = Vec::new();
    for start in 0..graph.len() {
        if std::mem::replace(&mut visited[start], true) {
            continue;
        }
        stack.push(start);
        let mut size = 0;
        while let Some(v) = stack.pop() {
            size += 1;
            for &w in graph.neighbours(v) {
                if !std::mem::replace(&mut visited[w as usize], true) {
                    stack.push(w as usize);
                }
            }
        }
        sizes.push(size);
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(vertices: usize, edges: &[(u32, u32)]) -> Vec<String> {
        let edges = (1..).zip(edges).map(|(line, &(v, w))| (line, v, w)).collect();
        EdgeSet { vertices, edges }.into_numbered_graph(Vec::new()).notes
    }

    fn assert_note(notes: &[String], words: &[&str]) {
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(words.iter().all(|word| notes[0].contains(word)), "{notes:?}");
    }

    #[test]
    fn notes_report_loops_repetitions_and_parts() {
        assert!(
            notes(3, &[(0, 1), (1, 2)]).is_empty() && notes(1, &[]).is_empty() && notes(0, &[]).is_empty()
        );
        assert_note(&notes(2, &[(0, 1), (1, 1), (0, 0)]), &["2 edges", "line 2"]);
        assert_note(&notes(2, &[(0, 1), (1, 0), (0, 1)]), &["2 repetitions", "line 2"]);
        assert_note(&notes(4, &[(0, 1)]), &["2 vertices", ": 3, 4"]);
        assert_note(&notes(6, &[(0, 1), (1, 2), (3, 4), (4, 5)]), &["2 parts", "3, 3"]);
        assert_note(&notes(7, &[]), &["7 vertices", ".."]);
    }
}
