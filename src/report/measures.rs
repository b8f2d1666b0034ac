//! Measures of a random sample of tours are printed as a table or as JSON.

use num_bigint::BigUint;
use serde_json::json;

use super::statistics::{described, line_of, object};
use super::text::align;
use ktour::index::{Measure, Numbered};
use ktour::tour::Kind;
use ktour::words::counted;

/// The tours from which a sample was drawn, and the size of the sample.
#[derive(Clone, Copy)]
pub struct Sampled<'a> {
    /// The tours.
    pub numbered: &'a Numbered,
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
pub fn measures_table(of: Sampled, found: &[Measure]) -> String {
    let all = of.numbered.arena.len().saturating_sub(1);
    let row = |measure: &Measure| {
        let Measure { name, moves, mean, error, deviation, range: (least, most), .. } = measure;
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
    let Sampled { numbered, total, order, samples, seed } = of;
    let drawn_from = counted(total, if numbered.kind == Kind::Open { "path" } else { "tour" });
    let title = format!(
        "{}: {samples} tours drawn from {drawn_from}, seed {seed}, plan {order}\n\n",
        described(numbered)
    );
    title
        + &align(
            &["of a tour", "mean", "error", "deviation", "least", "most"],
            &found.iter().map(row).collect::<Vec<_>>(),
        )
}

/// Returns the measures as a JSON object on one line.
#[must_use]
pub fn measures_json(of: Sampled, found: &[Measure]) -> String {
    let row = |measure: &Measure| {
        let Measure { name, moves, mean, error, deviation, range: (least, most), .. } = measure;
        json!({"name": name, "moves": moves, "mean": mean, "error": error, "deviation": deviation, "least": least, "most": most})
    };
    let mut object = object(of.numbered, of.total);
    object.insert(
        "drawn_from".to_owned(),
        json!(if of.numbered.kind == Kind::Open { "paths" } else { "tours" }),
    );
    object.insert("plan".to_owned(), json!(of.order));
    object.insert("samples".to_owned(), json!(of.samples));
    object.insert("seed".to_owned(), json!(of.seed));
    object.insert("measures".to_owned(), found.iter().map(row).collect());
    line_of(object)
}
