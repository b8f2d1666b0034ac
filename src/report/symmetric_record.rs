//! Results of `count --symmetry` as a table, CSV and JSON.

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::count_rows::new_count_rows;
use super::table::{Cell, Table, to_pretty_json};
use ktour::batch::round_to_milliseconds;
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
    board_text: String,
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
            board_text: board.to_string(),
            rows: board.layout().map(Layout::rows),
            cols: board.layout().map(Layout::cols),
            removed: board.removed_names(),
            leaper: board.piece().map(|piece| piece.to_string()),
            symmetry,
            engine,
            counts,
            seconds: round_to_milliseconds(seconds),
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

    /// Returns the counts as rows of CSV, one for each kind, with the same columns as for every other count.
    #[must_use]
    pub fn csv_rows(&self) -> Table {
        let mut table = new_count_rows([
            ("board", self.board.as_str().into()),
            ("leaper", self.leaper.as_deref().into()),
            ("engine", self.engine.into()),
            ("seconds", Cell::Seconds(self.seconds)),
            ("removed", self.removed.join(" ").into()),
            ("complete", self.complete.into()),
            ("threads", self.threads.into()),
            ("version", self.version.into()),
            ("symmetry", self.symmetry.into()),
            ("board_text", self.board_text.as_str().into()),
        ]);
        for SymmetryRow { kind, undirected, directed, distinct } in &self.counts {
            table.push_named([
                ("kind", (*kind).into()),
                ("undirected", undirected.as_str().into()),
                ("directed", directed.as_str().into()),
                ("distinct", distinct.as_deref().into()),
            ]);
        }
        table
    }

    /// Returns the record as JSON on one line, without a newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a record can be serialised")
    }

    /// Returns the record as indented JSON, with a newline at the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        to_pretty_json(self)
    }
}

/// Returns a table with one row of counts for each kind. If `directed_only`, it has no column of
/// undirected tours.
#[must_use]
pub fn symmetry_table(rows: &[SymmetryRow], directed_only: bool) -> String {
    let distinct = rows.iter().any(|row| row.distinct.is_some());
    let headings =
        [(true, "kind"), (!directed_only, "undirected"), (!distinct, "directed"), (distinct, "distinct")];
    let shown = |(is_shown, heading): (bool, &'static str)| is_shown.then_some(heading);
    let mut table = Table::new(headings.into_iter().filter_map(shown));
    for SymmetryRow { kind, undirected, directed, distinct: up_to } in rows {
        let cells =
            [(*kind).into(), undirected.as_str().into(), directed.as_str().into(), up_to.as_deref().into()];
        table.push(
            headings.into_iter().zip(cells).filter_map(|((is_shown, _), cell)| is_shown.then_some(cell)),
        );
    }
    table.to_text()
}
