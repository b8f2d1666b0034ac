//! Results of `count --symmetry` as CSV and JSON.

use super::count_report::KindCounts;
use super::count_rows::new_count_rows;
use super::table::{Cell, NamedCells, Table, to_pretty_json};
use ktour::batch::{RunInfo, round_to_milliseconds};
use ktour::board::{Board, Layout};
use ktour::digest::digest_record;

/// The record of a finished count of symmetric tours. It has no shards to merge, so it lacks the job and the sums of a
/// [`Record`](ktour::batch::Record), and its numbers belong to one symmetry.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetryRecord {
    /// Numbers of tours, one entry for each kind.
    pub counts: Vec<KindCounts>,
    /// The name of the engine that counted the tours.
    pub engine: &'static str,
    /// Duration of the count in seconds.
    pub seconds: f64,
    /// The fields of the JSON object. The last one is the SHA-256 of the record as compact JSON, where this field is
    /// empty.
    fields: NamedCells,
}

/// The fields of the JSON object that all rows of CSV share.
const COMMON_COLUMNS: [&str; 10] = [
    "board",
    "leaper",
    "engine",
    "seconds",
    "removed",
    "complete",
    "threads",
    "version",
    "symmetry",
    "board_text",
];

impl SymmetryRecord {
    /// Creates the record of a count of the tours with `symmetry`.
    #[must_use]
    pub fn new(
        board: &Board,
        symmetry: &'static str,
        engine: &'static str,
        counts: Vec<KindCounts>,
        run: RunInfo,
    ) -> Self {
        let RunInfo { seconds, threads, started, finished } = run;
        let side =
            |side: fn(&Layout) -> u16| Cell::from(board.layout().map(|layout| u32::from(side(layout))));
        let numbers = |counts: &KindCounts| {
            let [_, numbers @ ..] = counts.cells();
            (counts.kind.name(), NamedCells(numbers.to_vec()).without_empty().into())
        };
        let fields = NamedCells::of_result([
            // Distinguishes this record from those of other counts.
            ("what", "symmetry".into()),
            ("complete", true.into()),
            ("board", board.title().into()),
            ("board_text", board.to_string().into()),
            ("rows", side(Layout::rows)),
            ("cols", side(Layout::cols)),
            ("removed", board.removed_names().into_iter().collect()),
            ("leaper", board.piece().map(|piece| piece.to_string()).into()),
            ("symmetry", symmetry.into()),
            ("engine", engine.into()),
            ("counts", NamedCells(counts.iter().map(numbers).collect()).into()),
            ("seconds", Cell::Seconds(seconds)),
            ("threads", threads.into()),
            ("started", started.into()),
            ("finished", finished.into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("commit", env!("KTOUR_COMMIT").into()),
        ]);
        let with_digest = |digest: String| fields.clone().with([("sha256", digest.into())]);
        let digest = digest_record(&with_digest(String::new()));
        Self { counts, engine, seconds: round_to_milliseconds(seconds), fields: with_digest(digest) }
    }

    /// Returns the counts as rows of CSV, one for each kind, with the same columns as for every other count.
    #[must_use]
    pub fn csv_rows(&self) -> Table {
        let common = self.fields.0.iter().filter(|(key, _)| COMMON_COLUMNS.contains(key));
        let mut table = new_count_rows(common.cloned());
        self.counts.iter().for_each(|counts| table.push_named(counts.cells()));
        table
    }

    /// Returns the record as JSON on one line, without a newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(&self.fields).expect("a record can be serialised")
    }

    /// Returns the record as indented JSON, with a newline at the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        to_pretty_json(&self.fields)
    }
}
