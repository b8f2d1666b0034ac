//! The table of `ktour count --all-graphs`: a row for each graph of a file.

use std::io::{self, Write};

use ktour::tour::Kind;

use crate::report::{CountResult, align_columns};

/// The counts of the graphs of a file, in text and CSV.
#[derive(Debug)]
pub struct GraphTable {
    is_directed: bool,
    rows: Vec<GraphRow>,
}

/// The counts of one graph.
#[derive(Debug)]
struct GraphRow {
    line: usize,
    vertices: usize,
    edges: usize,
    /// Undirected and directed tours of each kind.
    counts: Vec<(Kind, [String; 2])>,
}

impl GraphTable {
    /// Creates a table without rows, with directed counts if `is_directed`.
    pub const fn new(is_directed: bool) -> Self {
        Self { is_directed, rows: Vec::new() }
    }

    /// Adds the result of the graph in a line of the file.
    pub fn push(&mut self, line: usize, result: &CountResult) {
        let counts = result.counts_by_kind().map(|(kind, undirected, directed)| {
            let undirected = undirected.map_or_else(String::new, ToString::to_string);
            (kind, [undirected, directed.to_string()])
        });
        self.rows.push(GraphRow {
            line,
            vertices: result.board.len(),
            edges: result.board.graph().edge_count(),
            counts: counts.collect(),
        });
    }

    /// Returns a table with a column for each kind.
    ///
    /// ```text
    /// line  vertices  edges  closed  open  paths
    /// 1           10     15       0   120    120
    /// ```
    pub fn to_text(&self) -> String {
        let kinds =
            self.rows.first().into_iter().flat_map(|row| row.counts.iter().map(|(kind, _)| kind.name()));
        let head: Vec<&str> = ["line", "vertices", "edges"].into_iter().chain(kinds).collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let sizes = [row.line, row.vertices, row.edges].map(|size| size.to_string());
                let counts =
                    row.counts.iter().map(|(_, counts)| counts[usize::from(self.is_directed)].clone());
                sizes.into_iter().chain(counts).collect()
            })
            .collect();
        align_columns(&head, &rows)
    }

    /// Writes a row for each graph and kind.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(["line", "vertices", "edges", "kind", "undirected", "directed"])?;
        for row in &self.rows {
            let sizes = [row.line, row.vertices, row.edges].map(|size| size.to_string());
            for (kind, [undirected, directed]) in &row.counts {
                let [line, vertices, edges] = &sizes;
                writer.write_record([line, vertices, edges, kind.name(), undirected, directed])?;
            }
        }
        writer.flush()
    }
}
