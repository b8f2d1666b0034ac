//! The numbers of `ktour estimate`, as the fields of a JSON object and as rows of CSV.
//!
//! An estimate, such as that of a sweep, is a list of named cells. It is an object in JSON and a row
//! in CSV, whose columns are the names that any estimate has.

use serde::Serialize;

use crate::report::{Cell, NamedCells, Table};

/// The columns of CSV.
const COLUMNS: &str = "board kind threads estimate boards runs sweeps units steps slots peak_weights weights nodes \
    nodes_error tours_mean tours_error tours_low tours_high most bits method narrow_moduli moduli wide_moduli bytes memory_bytes least_bytes folder_memory_bytes ceiling_bytes \
    disk_bytes written_bytes saved_bytes seconds statistics_memory_bytes statistics_seconds exact refused \
    board_text";

/// The estimates for a request.
#[derive(Default, Serialize)]
pub struct EstimateFields {
    pub schema: u32,
    pub board: String,
    pub board_text: String,
    pub kind: &'static str,
    pub threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<NamedCells>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<NamedCells>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<NamedCells>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<NamedCells>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residues: Option<NamedCells>,
    /// The name of the engine that a count would choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheaper: Option<&'static str>,
    /// All boards of a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_all: Option<NamedCells>,
    /// Free bytes in the spill folder, if there is one. The inner value is empty if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room_bytes: Option<Option<u64>>,
}

/// The sweeps of a count, and their totals.
#[derive(Serialize)]
pub struct SweepFields {
    pub sweeps: Vec<NamedCells>,
    #[serde(flatten)]
    pub total: NamedCells,
}

impl EstimateFields {
    /// Returns the estimates as rows of CSV: one for each estimate and for each sweep. If a count takes
    /// several sweeps, a row `sweeps` has their totals.
    pub fn csv_rows(&self) -> Table {
        let common = [
            ("board", self.board.as_str().into()),
            ("kind", self.kind.into()),
            ("threads", self.threads.into()),
            ("board_text", self.board_text.as_str().into()),
        ];
        let mut table = Table::new(COLUMNS.split(' ')).with_common(common);
        let Self { search, sweep, index, symmetric, bound, residues, in_all, .. } = self;
        let sweeps = sweep.iter().flat_map(|job| job.sweeps.iter().map(|sweep| ("sweep", sweep)));
        let totals = sweep.iter().filter(|job| job.sweeps.len() > 1).map(|job| ("sweeps", &job.total));
        let estimates = search.iter().map(|search| ("search", search)).chain(sweeps).chain(totals);
        let others = [
            ("index", index.as_ref()),
            ("symmetric", symmetric.as_ref()),
            ("bound", bound.as_ref()),
            ("residues", residues.as_ref()),
            ("in_all", in_all.as_ref()),
        ];
        let others = others.into_iter().filter_map(|(name, cells)| Some((name, cells?)));
        for (name, NamedCells(cells)) in estimates.chain(others) {
            let name = ("estimate", Cell::from(name));
            table.push_named([name].into_iter().chain(cells.iter().cloned()));
        }
        table
    }
}
