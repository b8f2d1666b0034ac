//! Results of a series of boards: a row for each.

use std::io::Write;

use num_bigint::BigUint;
use serde_json::json;

use super::csv::{Cells, Sheet, Source};
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
        let leaper = self.leaper.to_string();
        let source = Source {
            leaper: &leaper,
            engine: Engine::Frontier.name(),
            seconds: self.seconds,
            complete: true,
            threads: rayon::current_num_threads(),
            version: env!("CARGO_PKG_VERSION"),
            ..Source::default()
        };
        let mut sheet = Sheet::new(out, source);
        for (board, count) in self.counts {
            let (board, count, both) =
                (board.to_string(), count.to_string(), directed(count, board.len()).to_string());
            let kind = self.kind.name();
            sheet.row(&Cells {
                board: &board,
                kind,
                undirected: &count,
                directed: &both,
                ..Cells::default()
            })?;
        }
        sheet.finish()
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
