//! The counts of `ktour count --all-graphs`: a row for each graph of a file.

use crate::report::{Cell, CountResult, KindCounts, Table};

/// The counts of the graphs of a file.
#[derive(Debug)]
pub struct GraphCounts {
    is_directed: bool,
    /// The printed table, with a row for each graph and a column for each kind.
    printed: Option<Table>,
    /// The rows of CSV and JSON, one for each graph and kind.
    rows: Table,
}

impl GraphCounts {
    /// Creates a report without rows, with directed counts if `is_directed`.
    pub fn new(is_directed: bool) -> Self {
        let rows = Table::new(["line", "vertices", "edges", "kind", "undirected", "directed"]);
        Self { is_directed, printed: None, rows }
    }

    /// Adds the result of the graph in a line of the file.
    pub fn push(&mut self, line: usize, result: &CountResult) {
        let sizes = || [line, result.board.len(), result.board.graph().edge_count()].map(Cell::from);
        let counts = result.counts_by_kind();
        let kinds = || counts.iter().map(|counts| counts.kind.name());
        let printed = self
            .printed
            .get_or_insert_with(|| Table::new(["line", "vertices", "edges"].into_iter().chain(kinds())));
        let numbers = counts.iter().map(|counts| counts.printed(self.is_directed).into());
        printed.push(sizes().into_iter().chain(numbers));
        for KindCounts { kind, undirected, directed, .. } in counts {
            self.rows.push(sizes().into_iter().chain([
                kind.name().into(),
                undirected.into(),
                directed.into(),
            ]));
        }
    }

    /// Returns the printed table.
    ///
    /// ```text
    /// line  vertices  edges  closed  open  paths
    /// 1           10     15       0   120    120
    /// ```
    pub fn to_text(&self) -> String {
        self.printed.as_ref().map_or_else(String::new, Table::to_text)
    }

    /// Returns the rows of CSV.
    pub const fn csv_rows(&self) -> &Table {
        &self.rows
    }

    /// Returns the counts as indented JSON, with a newline at the end.
    pub fn to_json(&self) -> String {
        self.rows.to_json([], "graphs")
    }
}
