//! Measures of a random sample of tours are printed as a table or as JSON.

use num_bigint::BigUint;
use serde_json::json;

use super::statistics::{describe_tours, json_header, json_line};
use super::text::align_columns;
use ktour::index::{Measure, TourSet};
use ktour::tour::Kind;
use ktour::words::format_count;

/// The tours from which a sample was drawn, and the size of the sample.
#[derive(Clone, Copy)]
pub struct SampleInfo<'a> {
    /// The tours.
    pub numbered: &'a TourSet,
    /// Number of tours from which the sample was drawn. For open tours this is the number of paths.
    pub total: &'a BigUint,
    /// The name of the plan that numbers the tours.
    pub order: &'a str,
    /// Number of tours in the sample.
    pub samples: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Returns a table with a row for each measure.
#[must_use]
pub fn measures_table(sample: SampleInfo, found: &[Measure]) -> String {
    let all = sample.numbered.board.len().saturating_sub(1);
    let row = |measure: &Measure| {
        let Measure {
            name,
            after_moves: moves,
            mean,
            standard_error: error,
            standard_deviation: deviation,
            range: (least, most),
            ..
        } = measure;
        let moves = moves.map(|moves| format!(" after {moves} of {all} moves"));
        vec![
            format!("{name}{}", moves.unwrap_or_default()),
            format!("{mean:.4}"),
            format!("{error:.4}"),
            format!("{deviation:.3}"),
            format!("{least:.2}"),
            format!("{most:.2}"),
        ]
    };
    let SampleInfo { numbered, total, order, samples, seed } = sample;
    let drawn_from = format_count(total, if numbered.kind == Kind::Open { "path" } else { "tour" });
    let title = format!(
        "{}: {samples} tours drawn from {drawn_from}, seed {seed}, plan {order}\n\n",
        describe_tours(numbered)
    );
    title
        + &align_columns(
            &["of a tour", "mean", "error", "deviation", "least", "most"],
            &found.iter().map(row).collect::<Vec<_>>(),
        )
}

/// Returns the measures as a JSON object on one line.
#[must_use]
pub fn measures_json(sample: SampleInfo, found: &[Measure]) -> String {
    let row = |measure: &Measure| {
        let Measure {
            name,
            after_moves: moves,
            mean,
            standard_error: error,
            standard_deviation: deviation,
            range: (least, most),
            ..
        } = measure;
        json!({"name": name, "moves": moves, "mean": mean, "error": error, "deviation": deviation, "least": least, "most": most})
    };
    let mut object = json_header(sample.numbered, sample.total);
    object.insert(
        "drawn_from".to_owned(),
        json!(if sample.numbered.kind == Kind::Open { "paths" } else { "tours" }),
    );
    object.insert("plan".to_owned(), json!(sample.order));
    object.insert("samples".to_owned(), json!(sample.samples));
    object.insert("seed".to_owned(), json!(sample.seed));
    object.insert("measures".to_owned(), found.iter().map(row).collect());
    json_line(object)
}
