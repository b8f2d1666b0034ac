//! The report of `ktour find` for programs, [`FindReport`], is a JSON object or CSV rows.

use std::io;

use serde::Serialize;

use crate::report::Output;
use ktour::board::Board;
use ktour::heuristic::FindMethod;
use ktour::tour::{Kind, Tour};

/// A tour and how it was found.
#[derive(Debug, Serialize)]
pub struct FoundTourRow {
    kind: String,
    seed: u64,
    by: String,
    attempt: Option<u64>,
    seconds: f64,
    squares: String,
}

/// All tours found, and the reason why there are no more.
#[derive(Debug, Serialize)]
pub struct FindReport {
    schema: u32,
    board: String,
    arena: String,
    kind: &'static str,
    rule: String,
    /// True if all requested tours were found.
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    seconds: f64,
    tours: Vec<FoundTourRow>,
}

/// A CSV row.
#[derive(Serialize)]
struct CsvRow<'a> {
    board: &'a str,
    kind: &'a str,
    rule: &'a str,
    seed: u64,
    by: &'a str,
    attempt: Option<u64>,
    seconds: f64,
    squares: &'a str,
    arena: &'a str,
}

impl FoundTourRow {
    /// Returns the report of a tour: its method, its seed, and the seconds since the search began.
    pub fn new(tour: &Tour, seed: u64, means: Option<&FindMethod>, seconds: f64) -> Self {
        let (by, attempt) = match means {
            Some(FindMethod::Rule { rule, attempt }) => (rule.to_string(), Some(*attempt)),
            Some(FindMethod::NarrowBoard) => ("strip".to_owned(), None),
            Some(FindMethod::Comb) => ("comb".to_owned(), None),
            Some(FindMethod::Blocks) => ("blocks".to_owned(), None),
            _ => ("search".to_owned(), None),
        };
        let names: Vec<String> = tour.names().collect();
        Self { kind: tour.kind().name().to_owned(), seed, by, attempt, seconds, squares: names.join(" ") }
    }
}

impl FindReport {
    /// Returns a report without tours.
    pub fn new(board: &Board, kind: Kind, rule: String) -> Self {
        Self {
            schema: 1,
            board: board.title(),
            arena: board.to_string(),
            kind: kind.name(),
            rule,
            complete: false,
            reason: None,
            seconds: 0.0,
            tours: Vec::new(),
        }
    }

    /// Adds a tour.
    pub fn add(&mut self, found: FoundTourRow) {
        self.tours.push(found);
    }

    /// Completes the report, with a reason if fewer tours were found than requested.
    pub fn finish(&mut self, reason: Option<String>, seconds: f64) {
        self.complete = reason.is_none();
        self.reason = reason;
        self.seconds = seconds;
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers can be serialised") + "\n"
    }

    /// Writes the report as CSV, a row for each tour.
    pub fn write_csv(&self, out: &mut Output) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        let header = ["board", "kind", "rule", "seed", "by", "attempt", "seconds", "squares", "arena"];
        writer.write_record(header)?;
        for found in &self.tours {
            let FoundTourRow { kind, seed, by, attempt, seconds, squares } = found;
            let (board, rule, arena) = (&self.board, &self.rule, &self.arena);
            let (seed, attempt, seconds) = (*seed, *attempt, *seconds);
            writer.serialize(CsvRow { board, kind, rule, seed, by, attempt, seconds, squares, arena })?;
        }
        writer.flush()
    }
}
