//! The JSON object of a series of boards, with its rows.

use serde::Serialize;

use super::series_report::{BoardRow, RowCounts, SeriesReport};
use super::table::{NamedCells, to_pretty_json};
use ktour::batch::round_to_milliseconds;

/// The JSON object of a series.
#[derive(Serialize)]
struct SeriesFields<'a> {
    schema: u32,
    complete: bool,
    boards: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    removed: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    wrap: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    symmetry: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    modulus: Option<u32>,
    series: Vec<RowFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recurrence: Option<&'a NamedCells>,
}

/// The JSON object of one board and kind of a series.
#[derive(Serialize)]
struct RowFields<'a> {
    board: &'a str,
    leaper: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    start: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    end: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    undirected: Option<String>,
    directed: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modulus: Option<u32>,
    engine: &'a str,
    seconds: f64,
    board_text: &'a str,
}

impl SeriesReport {
    /// Returns the report as an indented JSON object, with a newline at the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_pretty_json(&SeriesFields::new(self))
    }
}

impl<'a> SeriesFields<'a> {
    fn new(report: &'a SeriesReport) -> Self {
        let row = |row: &'a BoardRow, numbers: &'a RowCounts| RowFields {
            board: &row.board,
            leaper: &report.leaper,
            kind: numbers.kind.name(),
            start: &report.ends[0],
            end: &report.ends[1],
            undirected: numbers.undirected.as_ref().map(ToString::to_string),
            directed: numbers.directed.to_string(),
            distinct: numbers.distinct.as_ref().map(ToString::to_string),
            modulus: report.modulus,
            engine: &row.engine,
            seconds: round_to_milliseconds(row.seconds),
            board_text: &row.board_text,
        };
        let rows =
            report.rows.iter().flat_map(|one| one.numbers.iter().map(move |numbers| row(one, numbers)));
        Self {
            schema: 1,
            complete: report.complete,
            boards: &report.boards,
            removed: &report.removed,
            wrap: report.wrap,
            symmetry: report.symmetry,
            modulus: report.modulus,
            series: rows.collect(),
            recurrence: report.recurrence.as_ref(),
        }
    }
}
