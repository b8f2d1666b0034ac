//! Results as CSV: one number of tours a row.

use std::io::Write;

use serde::Serialize;

use ktour::batch::{ClassNumbers, Record};

/// The columns; the first eight keep their names and places in every version.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    pub(super) board: &'a str,
    pub(super) leaper: &'a str,
    pub(super) kind: &'a str,
    pub(super) start: &'a str,
    pub(super) undirected: &'a str,
    pub(super) directed: &'a str,
    pub(super) engine: &'a str,
    pub(super) seconds: String,
    pub(super) end: &'a str,
    pub(super) removed: String,
    pub(super) orbit: Option<usize>,
    pub(super) shards: String,
    pub(super) complete: bool,
    pub(super) nodes: Option<u64>,
    pub(super) visited: Option<u64>,
    pub(super) threads: usize,
    pub(super) version: &'a str,
    pub(super) distinct: &'a str,
    pub(super) class: &'a str,
    pub(super) symmetry: &'a str,
}

/// Writes a header and a row for each kind, or for each kind and start square if the record has those; with
/// classes of symmetry a row for each of them before that of all tours.
/// `undirected` is empty where a start or end is fixed, and for a part of a job.
///
/// # Errors
/// Writing failed.
pub fn write_csv(record: &Record, out: impl Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let fixed_start = record.start.as_deref().unwrap_or_default();
    let mut row = |kind: &str, start: &str, undirected: &str, directed: &str, orbit, (class, distinct)| {
        writer.serialize(Row {
            board: &record.board,
            leaper: &record.leaper,
            kind,
            start,
            undirected,
            directed,
            engine: &record.engine,
            seconds: format!("{:.3}", record.seconds),
            end: record.end.as_deref().unwrap_or_default(),
            removed: record.removed.join(" "),
            orbit,
            shards: record.shards.join(" "),
            complete: record.complete,
            nodes: Some(record.nodes),
            visited: Some(record.visited),
            threads: record.threads,
            version: &record.version,
            distinct,
            class,
            symmetry: "",
        })
    };
    for (kind, number) in &record.counts {
        for ClassNumbers { class, tours, distinct } in record.classes.get(kind).into_iter().flatten() {
            row(kind, fixed_start, tours, "", None, (class, distinct))?;
        }
        if record.per_start.is_empty() {
            let undirected = number.undirected.as_deref().unwrap_or_default();
            let distinct = record.distinct.get(kind).map_or("", String::as_str);
            row(kind, fixed_start, undirected, &number.directed, None, ("", distinct))?;
        }
        for start in &record.per_start {
            if let Some(directed) = start.directed.get(kind) {
                row(kind, &start.start, "", directed, Some(start.orbit), ("", ""))?;
            }
        }
    }
    writer.flush()
}
