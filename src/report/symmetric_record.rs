//! Results of `count --symmetry` as a table, CSV and JSON.

use std::io::Write;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::count_report::align_columns;
use super::csv::{CountCsv, RowCells, SharedCells};
use ktour::board::{Board, Layout};
use ktour::digest;

/// Numbers of symmetric tours of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SymmetryRow {
    /// The name of the kind, such as `closed`.
    #[serde(skip)]
    pub kind: &'static str,
    /// Number of undirected tours, in decimal digits.
    pub undirected: String,
    /// Number of directed tours, in decimal digits.
    pub directed: String,
    /// Number of tours up to the board's symmetries, if it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<String>,
}

/// The record of a finished count of symmetric tours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SymmetryRecord {
    schema: u32,
    /// Always `symmetry`. Distinguishes this record from those of other counts.
    what: &'static str,
    complete: bool,
    board: String,
    rows: Option<u16>,
    cols: Option<u16>,
    removed: Vec<String>,
    leaper: Option<String>,
    symmetry: &'static str,
    engine: &'static str,
    #[serde(serialize_with = "by_kind")]
    counts: Vec<SymmetryRow>,
    seconds: f64,
    threads: usize,
    started: String,
    finished: String,
    version: &'static str,
    commit: &'static str,
    /// SHA-256 of the record as compact JSON, where this field is empty.
    sha256: String,
}

/// Serialises the rows as an object with one field for each kind.
fn by_kind<S: Serializer>(rows: &[SymmetryRow], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(rows.iter().map(|row| (row.kind, row)))
}

impl SymmetryRecord {
    /// Creates the record of a count of the tours with `symmetry`. The last argument is the
    /// duration in seconds, the time when the count started, and the time when it finished.
    #[must_use]
    pub fn new(
        board: &Board,
        symmetry: &'static str,
        engine: &'static str,
        counts: Vec<SymmetryRow>,
        (seconds, started, finished): (f64, String, String),
    ) -> Self {
        let mut record = Self {
            schema: 1,
            what: "symmetry",
            complete: true,
            board: board.title(),
            rows: board.layout().map(Layout::rows),
            cols: board.layout().map(Layout::cols),
            removed: board.removed_names(),
            leaper: board.piece().map(|piece| piece.to_string()),
            symmetry,
            engine,
            counts,
            seconds: (seconds * 1000.0).round() / 1000.0,
            threads: rayon::current_num_threads(),
            started,
            finished,
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("KTOUR_COMMIT"),
            sha256: String::new(),
        };
        record.sha256 = digest::to_hex(Sha256::new_with_prefix(record.to_line()));
        record
    }

    /// Returns the counts, one row for each kind.
    #[must_use]
    pub fn rows(&self) -> &[SymmetryRow] {
        &self.counts
    }

    /// Returns the name of the engine that counted the tours.
    #[must_use]
    pub const fn engine(&self) -> &'static str {
        self.engine
    }

    /// Returns the duration of the count in seconds.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Writes a CSV header and one row for each kind of tour, with the same columns as for every other count.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_csv(&self, out: impl Write) -> std::io::Result<()> {
        let source = SharedCells {
            leaper: self.leaper.as_deref().unwrap_or_default(),
            engine: self.engine,
            seconds: self.seconds,
            removed: &self.removed,
            complete: self.complete,
            threads: self.threads,
            version: self.version,
            symmetry: self.symmetry,
            ..SharedCells::default()
        };
        let mut sheet = CountCsv::new(out, source);
        for SymmetryRow { kind, undirected, directed, distinct } in &self.counts {
            let distinct = distinct.as_deref().unwrap_or_default();
            sheet.write_row(&RowCells {
                board: &self.board,
                kind,
                undirected,
                directed,
                distinct,
                ..RowCells::default()
            })?;
        }
        sheet.finish()
    }

    /// Returns the record as JSON on one line, without a newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a record can be serialised")
    }

    /// Returns the record as indented JSON, with a newline at the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        serde_json::to_string_pretty(self).expect("a record can be serialised") + "\n"
    }
}

/// Returns a table with one row of counts for each kind. If `directed_only`, it has no column of
/// undirected tours.
#[must_use]
pub fn symmetry_table(rows: &[SymmetryRow], directed_only: bool) -> String {
    let distinct = rows.iter().any(|row| row.distinct.is_some());
    let mut head = vec!["kind"];
    head.extend((!directed_only).then_some("undirected"));
    head.extend((!distinct).then_some("directed"));
    head.extend(distinct.then_some("distinct"));
    let cells = |row: &SymmetryRow| {
        let mut cells = vec![row.kind.to_owned()];
        cells.extend((!directed_only).then(|| row.undirected.clone()));
        cells.extend((!distinct).then(|| row.directed.clone()));
        cells.extend(row.distinct.clone());
        cells
    };
    align_columns(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}
