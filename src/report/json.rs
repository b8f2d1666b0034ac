//! Results as JSON: one object, counts as decimal strings because they outgrow every number type.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;

use super::Report;
use crate::count::directed;
use crate::tour::Kind;

#[derive(Serialize)]
struct Document {
    schema: u32,
    complete: bool,
    board: String,
    rows: u16,
    cols: u16,
    removed: Vec<String>,
    leaper: String,
    start: Option<String>,
    end: Option<String>,
    engine: &'static str,
    counts: BTreeMap<&'static str, Number>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    per_start: Vec<Start>,
    units: usize,
    split_depths: Vec<u32>,
    nodes: u64,
    visited: u64,
    threads: usize,
    seconds: f64,
    version: &'static str,
}

#[derive(Serialize)]
struct Number {
    #[serde(skip_serializing_if = "Option::is_none")]
    undirected: Option<String>,
    directed: String,
}

#[derive(Serialize)]
struct Start {
    start: String,
    orbit: usize,
    #[serde(flatten)]
    directed: BTreeMap<&'static str, String>,
}

/// Writes one object and a newline.
///
/// # Errors
/// Writing failed.
pub fn write_json(report: &Report<'_>, mut out: impl Write) -> std::io::Result<()> {
    let (request, answer) = (report.request, report.answer);
    let kinds = [Kind::Closed, Kind::Open, Kind::Paths];
    let counts = kinds.into_iter().filter_map(|kind| {
        let count = answer.counts.get(kind)?;
        let number = if answer.fixed {
            Number { undirected: None, directed: count.to_string() }
        } else {
            let directed = directed(count, &request.board).to_string();
            Number { undirected: Some(count.to_string()), directed }
        };
        Some((kind.name(), number))
    });
    let starts = if report.per_start { answer.per_start.as_slice() } else { &[] };
    let per_start = starts.iter().map(|start| Start {
        start: start.square.to_string(),
        orbit: start.orbit,
        directed: kinds
            .into_iter()
            .filter_map(|kind| Some((kind.name(), start.counts.get(kind)?.to_string())))
            .collect(),
    });
    let document = Document {
        schema: 1,
        complete: true,
        board: request.board.to_string(),
        rows: request.board.rows(),
        cols: request.board.cols(),
        removed: request.board.removed().iter().map(ToString::to_string).collect(),
        leaper: request.leaper.to_string(),
        start: request.start.map(|square| square.to_string()),
        end: request.end.map(|square| square.to_string()),
        engine: answer.engine.name(),
        counts: counts.collect(),
        per_start: per_start.collect(),
        units: answer.units,
        split_depths: answer.split_depths.clone(),
        nodes: answer.nodes,
        visited: answer.visited,
        threads: report.threads,
        seconds: report.seconds,
        version: env!("CARGO_PKG_VERSION"),
    };
    serde_json::to_writer_pretty(&mut out, &document)?;
    out.write_all(b"\n")
}
