//! Results of a series of boards: a row for each.

use std::io::Write;

use num_bigint::BigUint;
use serde_json::json;

use super::csv::Row;
use ktour::board::{Board, Leaper};
use ktour::count::{Engine, Series, directed};
use ktour::tour::Kind;

/// Undirected numbers of one kind, and the seconds that all of them took.
#[derive(Clone, Copy, Debug)]
pub struct SeriesReport<'a> {
    /// The boards.
    pub series: Series,
    /// The piece.
    pub leaper: Leaper,
    /// The kind of tours.
    pub kind: Kind,
    /// The numbers.
    pub counts: &'a [(Board, BigUint)],
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl SeriesReport<'_> {
    /// The columns of [`write_csv`](super::write_csv); those that a sweep cannot tell board by board are empty.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv(&self, out: impl Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        let leaper = self.leaper.to_string();
        for (board, count) in self.counts {
            writer.serialize(Row {
                board: &board.to_string(),
                leaper: &leaper,
                kind: self.kind.name(),
                start: "",
                undirected: &count.to_string(),
                directed: &directed(count, board.len()).to_string(),
                engine: Engine::Frontier.name(),
                seconds: format!("{:.3}", self.seconds),
                end: "",
                removed: String::new(),
                orbit: None,
                shards: String::new(),
                complete: true,
                nodes: None,
                visited: None,
                threads: rayon::current_num_threads(),
                version: env!("CARGO_PKG_VERSION"),
                distinct: "",
                class: "",
                symmetry: "",
            })?;
        }
        writer.flush()
    }

    /// One object, indented, with a newline at its end.
    #[must_use]
    pub fn json(&self) -> String {
        let seconds = (self.seconds * 1000.0).round() / 1000.0;
        let row = |(board, count): &(Board, BigUint)| {
            json!({
                "board": board.to_string(),
                "leaper": self.leaper.to_string(),
                "kind": self.kind.name(),
                "undirected": count.to_string(),
                "directed": directed(count, board.len()).to_string(),
                "engine": Engine::Frontier.name(),
                "seconds": seconds,
            })
        };
        let rows: Vec<serde_json::Value> = self.counts.iter().map(row).collect();
        let document =
            json!({ "schema": 1, "complete": true, "boards": self.series.to_string(), "series": rows });
        format!("{document:#}\n")
    }

    /// A line for each board.
    #[must_use]
    pub fn text(&self, both_directions: bool) -> String {
        let line = |(board, count): &(Board, BigUint)| {
            let number = if both_directions { directed(count, board.len()) } else { count.clone() };
            format!("{board} {number}\n")
        };
        self.counts.iter().map(line).collect()
    }
}
