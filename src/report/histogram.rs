//! A histogram counts tours by their number of moves of one class. It is printed as a table with bars and
//! examples, as CSV or as JSON.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde_json::json;

use super::statistics::{Sheet, bar, decimal, described, line_of, object, percent, with_bars};
use super::text::{align, wrapped};
use ktour::index::{Histogram, share};
use ktour::tour::Tour;
use ktour::words::counted;

/// An example of a tour with the greatest or the least number of moves: which of the two, the number of
/// moves, the tour.
pub type Example = (&'static str, u32, Tour);

/// Returns the squares of a tour in order.
fn squares(tour: &Tour) -> String {
    tour.vertices().iter().map(|&v| tour.arena().name(v)).collect::<Vec<_>>().join(" ")
}

/// Returns a table with a row for each number of moves and a total, followed by the examples. Examples are
/// wrapped to `columns` columns, if given.
#[must_use]
pub fn histogram_table(
    found: &Histogram,
    class: &str,
    examples: &[Example],
    columns: Option<usize>,
) -> String {
    let all = share(&found.total, &found.total).max(f64::MIN_POSITIVE);
    let of = |number| share(number, &found.total) / all;
    let mut lines: Vec<Vec<String>> = found
        .tours
        .iter()
        .map(|(moves, number)| vec![moves.to_string(), number.to_string(), percent(of(number))])
        .collect();
    lines.push(vec!["total".to_owned(), found.total.to_string(), String::new()]);
    let text = align(&["moves", "tours", "share"], &lines);
    let most = found.tours.values().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let bars =
        std::iter::once(String::new()).chain(found.tours.values().map(|number| bar(of(number) / most)));
    let bars = bars.chain([String::new()]);
    let title = format!(
        "{}: {} by their moves of a class, {class}\n\n",
        described(&found.numbered),
        counted(&found.total, "tour")
    );
    let examples = examples.iter().map(|(name, moves, tour)| {
        format!("\n{name}, {moves}:\n{}\n", wrapped(&squares(tour), columns.unwrap_or(usize::MAX)))
    });
    title + &with_bars(&text, bars) + &examples.collect::<String>()
}

/// Writes the rows of the histogram as CSV.
///
/// # Errors
/// Writing failed.
pub fn write_histogram_csv(out: &mut impl Write, found: &Histogram, class: &str) -> io::Result<()> {
    let mut sheet = Sheet::new(out, &found.numbered, &["moves", "tours", "share", "class"])?;
    for (moves, number) in &found.tours {
        let share = decimal(share(number, &found.total));
        sheet.row(&[&moves.to_string(), &number.to_string(), &share, class])?;
    }
    sheet.row(&["total", &found.total.to_string(), "", class])?;
    sheet.rows.flush()
}

/// Returns the histogram and the examples as a JSON object on one line.
#[must_use]
pub fn histogram_json(found: &Histogram, class: &str, examples: &[Example]) -> String {
    let row = |(moves, number): (&u32, &BigUint)| json!({"moves": moves, "tours": number.to_string()});
    let mut object = object(&found.numbered, &found.total);
    object.insert("class".to_owned(), json!(class));
    object.insert("histogram".to_owned(), found.tours.iter().map(row).collect());
    let example =
        |(name, moves, tour): &Example| json!({"which": name, "moves": moves, "squares": squares(tour)});
    object.insert("examples".to_owned(), examples.iter().map(example).collect());
    line_of(object)
}
