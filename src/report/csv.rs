//! Counts as CSV, with one row for each count.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde::Serialize;

use super::count_report::CountResult;
use ktour::board::Wrap;

/// The columns of a CSV row. The first eight keep their names and positions in every version.
#[derive(Serialize)]
struct CsvRow<'a> {
    board: &'a str,
    leaper: &'a str,
    kind: &'a str,
    start: &'a str,
    undirected: &'a str,
    directed: &'a str,
    engine: &'a str,
    seconds: String,
    end: &'a str,
    removed: String,
    orbit: Option<usize>,
    shards: String,
    complete: bool,
    nodes: Option<u64>,
    visited: Option<u64>,
    threads: usize,
    version: &'a str,
    distinct: &'a str,
    class: &'a str,
    symmetry: &'a str,
    wrap: &'a str,
    modulus: Option<u32>,
}

/// The values that all rows of a result share. Texts and options that are not known stay empty.
#[derive(Default)]
pub(super) struct SharedCells<'a> {
    pub leaper: &'a str,
    pub engine: &'a str,
    pub seconds: f64,
    pub end: &'a str,
    pub removed: &'a [String],
    pub shards: &'a [String],
    pub complete: bool,
    pub nodes: Option<u64>,
    pub visited: Option<u64>,
    pub threads: usize,
    pub version: &'a str,
    pub symmetry: &'a str,
    pub wrap: &'a str,
    pub modulus: Option<u32>,
}

/// The values that belong to one row only.
#[derive(Default)]
pub(super) struct RowCells<'a> {
    pub board: &'a str,
    pub kind: &'a str,
    pub start: &'a str,
    pub undirected: &'a str,
    pub directed: &'a str,
    pub orbit: Option<usize>,
    pub class: &'a str,
    pub distinct: &'a str,
}

/// A CSV writer for counts. It writes the header before the first row.
pub(super) struct CountCsv<'a, W: Write> {
    writer: csv::Writer<W>,
    /// The values that the next rows share.
    pub shared: SharedCells<'a>,
}

impl<'a, W: Write> CountCsv<'a, W> {
    pub fn new(out: W, source: SharedCells<'a>) -> Self {
        Self { writer: csv::Writer::from_writer(out), shared: source }
    }

    pub fn write_row(&mut self, cells: &RowCells) -> io::Result<()> {
        let source = &self.shared;
        self.writer.serialize(CsvRow {
            board: cells.board,
            leaper: source.leaper,
            kind: cells.kind,
            start: cells.start,
            undirected: cells.undirected,
            directed: cells.directed,
            engine: source.engine,
            seconds: format!("{:.3}", source.seconds),
            end: source.end,
            removed: source.removed.join(" "),
            orbit: cells.orbit,
            shards: source.shards.join(" "),
            complete: source.complete,
            nodes: source.nodes,
            visited: source.visited,
            threads: source.threads,
            version: source.version,
            distinct: cells.distinct,
            class: cells.class,
            symmetry: source.symmetry,
            wrap: source.wrap,
            modulus: source.modulus,
        })?;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the name of a wrapping, such as `torus`. Empty if no edges are joined.
#[must_use]
pub const fn wrap_name(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::None => "",
        wrap => wrap.name(),
    }
}

/// Writes a count as CSV: a header, and one row for each kind, or for each kind and start square if
/// counts by start were requested. If symmetry classes were counted, a row for each class precedes
/// the row of all tours. The column `undirected` is empty if a start or end is fixed, and for a
/// part of a job.
///
/// # Errors
/// Writing failed.
pub fn write_count_csv(result: &CountResult, out: impl Write) -> io::Result<()> {
    let record = &result.record;
    let source = SharedCells {
        leaper: record.leaper.as_deref().unwrap_or_default(),
        engine: &record.engine,
        seconds: record.seconds,
        end: record.end.as_deref().unwrap_or_default(),
        removed: &record.removed,
        shards: &record.shards,
        complete: record.complete,
        nodes: Some(record.nodes),
        visited: Some(record.visited),
        threads: record.threads,
        version: &record.version,
        symmetry: "",
        modulus: record.modulus,
        wrap: result.board.wrapped_board().map_or("", |surface| wrap_name(surface.wrap())),
    };
    let mut sheet = CountCsv::new(out, source);
    let text = |number: Option<&BigUint>| number.map_or_else(String::new, ToString::to_string);
    let fixed = record.start.as_deref().unwrap_or_default();
    for (kind, undirected, directed) in result.counts_by_kind() {
        let bare =
            || RowCells { board: &record.board, kind: kind.name(), start: fixed, ..RowCells::default() };
        for (class, numbers) in result.distinct_counts.classes(kind).into_iter().flat_map(|table| &table.rows)
        {
            let (tours, classes) = (numbers.tours.to_string(), numbers.classes.to_string());
            let class = class.name();
            sheet.write_row(&RowCells { undirected: &tours, class: &class, distinct: &classes, ..bare() })?;
        }
        if result.start_counts().is_empty() {
            let (undirected, distinct) = (text(undirected), text(result.distinct_counts.distinct(kind)));
            let directed = &directed.to_string();
            sheet.write_row(&RowCells {
                undirected: &undirected,
                directed,
                distinct: &distinct,
                ..bare()
            })?;
        }
        for start in result.start_counts() {
            if let Some(directed) = start.counts.get(kind) {
                let (name, directed) = (result.board.name(start.vertex), directed.to_string());
                sheet.write_row(&RowCells {
                    start: &name,
                    directed: &directed,
                    orbit: Some(start.orbit_size),
                    ..bare()
                })?;
            }
        }
    }
    sheet.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_eight_columns_are_stable() {
        let mut out = Vec::new();
        let source =
            SharedCells { leaper: "1,2", engine: "frontier", seconds: 0.5, ..SharedCells::default() };
        let mut sheet = CountCsv::new(&mut out, source);
        sheet
            .write_row(&RowCells { board: "6x6", kind: "closed", undirected: "9862", ..RowCells::default() })
            .unwrap();
        sheet.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        let (head, row) = text.split_once('\n').unwrap();
        assert!(head.starts_with("board,leaper,kind,start,undirected,directed,engine,seconds,"), "{head}");
        assert!(row.starts_with("6x6,\"1,2\",closed,,9862,,frontier,0.500,"), "{row}");
    }
}
