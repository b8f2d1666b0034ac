//! Results of a series of boards: a row for each, as it is found.

use std::io::Write;

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::csv::{Cells, Sheet, Source};
use super::result::CountResult;
use ktour::tour::Kind;

/// Numbers of tours of one kind on a board.
#[derive(Clone, Debug)]
pub struct RowNumbers {
    /// The kind.
    pub kind: Kind,
    /// Each tour once; not known where a start or end is fixed.
    pub undirected: Option<BigUint>,
    /// Each direction once.
    pub directed: BigUint,
    /// Up to symmetry, if that was asked for.
    pub distinct: Option<BigUint>,
}

/// A board of a series.
#[derive(Clone, Debug)]
pub struct BoardRow {
    /// The board.
    pub board: String,
    /// The engine that counted it.
    pub engine: String,
    /// A number for each kind.
    pub numbers: Vec<RowNumbers>,
    /// Seconds since the series, or this board, was begun.
    pub seconds: f64,
}

impl BoardRow {
    /// The row of a board that was counted by itself.
    #[must_use]
    pub fn of(result: &CountResult) -> Self {
        let numbers = result.kinds().map(|(kind, undirected, directed)| RowNumbers {
            kind,
            undirected: undirected.cloned(),
            directed,
            distinct: result.up_to.distinct(kind).cloned(),
        });
        Self {
            board: result.record.board.clone(),
            engine: result.record.engine.clone(),
            numbers: numbers.collect(),
            seconds: result.record.seconds,
        }
    }

    /// The board and its numbers on a line: distinct ones, if there are any.
    #[must_use]
    pub fn text(&self, both_directions: bool) -> String {
        let mut line = self.board.clone();
        for numbers in &self.numbers {
            let undirected = numbers.undirected.as_ref().filter(|_| !both_directions);
            let number = numbers.distinct.as_ref().or(undirected).unwrap_or(&numbers.directed);
            line.push_str(&format!(" {number}"));
        }
        line.push('\n');
        line
    }
}

/// The rows of a series, as many as there are.
#[derive(Clone, Debug)]
pub struct SeriesReport {
    /// The range of boards.
    pub boards: String,
    /// The piece.
    pub leaper: String,
    /// Fixed start and end, or nothing.
    pub ends: [String; 2],
    /// Squares taken off every board.
    pub removed: Vec<String>,
    /// The symmetry of the tours, or nothing.
    pub symmetry: &'static str,
    /// The rows so far.
    pub rows: Vec<BoardRow>,
    /// Whether they are all.
    pub complete: bool,
}

impl SeriesReport {
    /// The columns of [`write_csv`](super::write_csv); those that a series cannot tell board by board are empty.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv(&self, rows: &[BoardRow], out: impl Write) -> std::io::Result<()> {
        let source = Source {
            leaper: &self.leaper,
            end: &self.ends[1],
            removed: &self.removed,
            symmetry: self.symmetry,
            complete: true,
            threads: rayon::current_num_threads(),
            version: env!("CARGO_PKG_VERSION"),
            ..Source::default()
        };
        let text = |number: Option<&BigUint>| number.map_or_else(String::new, ToString::to_string);
        let mut sheet = Sheet::new(out, source);
        for row in rows {
            (sheet.source.engine, sheet.source.seconds) = (&row.engine, row.seconds);
            for numbers in &row.numbers {
                sheet.row(&Cells {
                    board: &row.board,
                    kind: numbers.kind.name(),
                    start: &self.ends[0],
                    undirected: &text(numbers.undirected.as_ref()),
                    directed: &numbers.directed.to_string(),
                    distinct: &text(numbers.distinct.as_ref()),
                    ..Cells::default()
                })?;
            }
        }
        sheet.finish()
    }

    /// One object, indented, with a newline at its end.
    #[must_use]
    pub fn json(&self) -> String {
        let row = |row: &BoardRow, numbers: &RowNumbers| {
            let mut object = json!({
                "board": row.board,
                "leaper": self.leaper,
                "kind": numbers.kind.name(),
                "directed": numbers.directed.to_string(),
                "engine": row.engine,
                "seconds": (row.seconds * 1000.0).round() / 1000.0,
            });
            let [start, end] = self.ends.each_ref().map(|end| (!end.is_empty()).then(|| end.clone()));
            let text = |number: &Option<BigUint>| number.as_ref().map(ToString::to_string);
            let (undirected, distinct) = (text(&numbers.undirected), text(&numbers.distinct));
            for (name, value) in
                [("undirected", undirected), ("distinct", distinct), ("start", start), ("end", end)]
            {
                value.into_iter().for_each(|value| object[name] = value.into());
            }
            object
        };
        let rows = self.rows.iter().flat_map(|one| one.numbers.iter().map(|numbers| row(one, numbers)));
        let mut document = json!({
            "schema": 1,
            "complete": self.complete,
            "boards": self.boards,
            "series": rows.collect::<Vec<Value>>(),
        });
        if !self.removed.is_empty() {
            document["removed"] = self.removed.clone().into();
        }
        if !self.symmetry.is_empty() {
            document["symmetry"] = self.symmetry.into();
        }
        format!("{document:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> BoardRow {
        let numbers = |kind, undirected: u32, distinct: Option<u32>| RowNumbers {
            kind,
            undirected: Some(undirected.into()),
            directed: (2 * undirected).into(),
            distinct: distinct.map(Into::into),
        };
        let numbers = vec![numbers(Kind::Closed, 8, Some(3)), numbers(Kind::Paths, 18784, None)];
        BoardRow { board: "5x6".into(), engine: "frontier".into(), numbers, seconds: 0.25 }
    }

    #[test]
    fn a_row_tells_what_was_asked_for() {
        assert_eq!(row().text(false), "5x6 3 18784\n");
        assert_eq!(row().text(true), "5x6 3 37568\n");
    }

    #[test]
    fn a_report_says_whether_it_is_complete() {
        let report = SeriesReport {
            boards: "5x6..7".into(),
            leaper: "1,2".into(),
            ends: [String::new(), String::new()],
            removed: Vec::new(),
            symmetry: "",
            rows: vec![row()],
            complete: false,
        };
        let document: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&document["complete"], &document["series"][0]["distinct"]), (&false.into(), &"3".into()));
        assert!(document["series"][1].get("start").is_none());
        let mut csv = Vec::new();
        report.write_csv(&report.rows, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.lines().nth(1).unwrap().starts_with("5x6,\"1,2\",closed,,8,16,frontier,0.250,"), "{csv}");
    }
}
