//! Results as CSV: one number of tours a row.

use std::io::Write;

use num_bigint::BigUint;
use serde::Serialize;

use super::Report;
use crate::count::directed;
use crate::tour::Kind;

/// The columns; the first eight keep their names and places in every version.
#[derive(Serialize)]
struct Row {
    board: String,
    leaper: String,
    kind: &'static str,
    start: String,
    undirected: String,
    directed: String,
    engine: &'static str,
    seconds: String,
    end: String,
    removed: String,
    orbit: Option<usize>,
    units: usize,
    split_depth: String,
    nodes: u64,
    visited: u64,
    threads: usize,
    version: &'static str,
}

/// The split depths of a run's searches, as `27` or `8+36`.
fn depths(depths: &[u32]) -> String {
    let texts: Vec<String> = depths.iter().map(ToString::to_string).collect();
    texts.join("+")
}

/// Writes a header and a row for each kind, or for each kind and start square if the report wants those.
/// `undirected` is empty where a start or end is fixed.
///
/// # Errors
/// Writing failed.
pub fn write_csv(report: &Report<'_>, out: impl Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let (request, answer) = (report.request, report.answer);
    let row = |kind: Kind, start: String, undirected: Option<&BigUint>, directed: &BigUint, orbit| Row {
        board: request.board.to_string(),
        leaper: request.leaper.to_string(),
        kind: kind.name(),
        start,
        undirected: undirected.map_or_else(String::new, ToString::to_string),
        directed: directed.to_string(),
        engine: answer.engine.name(),
        seconds: format!("{:.3}", report.seconds),
        end: request.end.map_or_else(String::new, |square| square.to_string()),
        removed: report.removed(),
        orbit,
        units: answer.units,
        split_depth: depths(&answer.split_depths),
        nodes: answer.nodes,
        visited: answer.visited,
        threads: report.threads,
        version: env!("CARGO_PKG_VERSION"),
    };
    for kind in [Kind::Closed, Kind::Open, Kind::Paths] {
        let Some(count) = answer.counts.get(kind) else { continue };
        if answer.fixed {
            let start = request.start.map_or_else(String::new, |square| square.to_string());
            writer.serialize(row(kind, start, None, count, None))?;
        } else if report.per_start {
            for start in &answer.per_start {
                if let Some(count) = start.counts.get(kind) {
                    let square = start.square.to_string();
                    writer.serialize(row(kind, square, None, count, Some(start.orbit)))?;
                }
            }
        } else {
            let directed = directed(count, &request.board);
            writer.serialize(row(kind, String::new(), Some(count), &directed, None))?;
        }
    }
    writer.flush()
}
