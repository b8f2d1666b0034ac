//! A histogram counts tours by their number of moves of one class. It is printed as a table with bars and
//! examples, as CSV or as JSON.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde_json::json;

use super::statistics::{
    StatisticsCsv, append_bars, describe_tours, format_decimal, format_percent, json_header, json_line,
    share_bar,
};
use super::text::{align_columns, wrap_words};
use ktour::index::{Histogram, share};
use ktour::tour::Tour;
use ktour::words::format_count;

/// An example of a tour with the greatest or the least number of moves: which of the two, the number of
/// moves, the tour.
pub type HistogramExample = (&'static str, u32, Tour);

/// Returns the squares of a tour in order.
fn tour_squares(tour: &Tour) -> String {
    tour.vertices().iter().map(|&v| tour.board().name(v)).collect::<Vec<_>>().join(" ")
}

/// Returns a table with a row for each number of moves and a total, followed by the examples. Examples are
/// wrapped to `columns` columns, if given.
#[must_use]
pub fn histogram_table(
    found: &Histogram,
    class: &str,
    examples: &[HistogramExample],
    columns: Option<usize>,
) -> String {
    let all = share(&found.total, &found.total).max(f64::MIN_POSITIVE);
    let relative_share = |number| share(number, &found.total) / all;
    let mut lines: Vec<Vec<String>> = found
        .tours
        .iter()
        .map(|(moves, number)| {
            vec![moves.to_string(), number.to_string(), format_percent(relative_share(number))]
        })
        .collect();
    lines.push(vec!["total".to_owned(), found.total.to_string(), String::new()]);
    let text = align_columns(&["moves", "tours", "share"], &lines);
    let most = found.tours.values().map(relative_share).fold(f64::MIN_POSITIVE, f64::max);
    let bars = std::iter::once(String::new())
        .chain(found.tours.values().map(|number| share_bar(relative_share(number) / most)));
    let bars = bars.chain([String::new()]);
    let title = format!(
        "{}: {} by their moves of a class, {class}\n\n",
        describe_tours(&found.tour_set),
        format_count(&found.total, "tour")
    );
    let examples = examples.iter().map(|(name, moves, tour)| {
        format!("\n{name}, {moves}:\n{}\n", wrap_words(&tour_squares(tour), columns.unwrap_or(usize::MAX)))
    });
    title + &append_bars(&text, bars) + &examples.collect::<String>()
}

/// Writes the rows of the histogram as CSV.
///
/// # Errors
/// Writing failed.
pub fn write_histogram_csv(out: &mut impl Write, found: &Histogram, class: &str) -> io::Result<()> {
    let mut sheet = StatisticsCsv::new(out, &found.tour_set, &["moves", "tours", "share", "class"])?;
    for (moves, number) in &found.tours {
        let share = format_decimal(share(number, &found.total));
        sheet.write_row(&[&moves.to_string(), &number.to_string(), &share, class])?;
    }
    sheet.write_row(&["total", &found.total.to_string(), "", class])?;
    sheet.writer.flush()
}

/// Returns the histogram and the examples as a JSON object on one line.
#[must_use]
pub fn histogram_json(found: &Histogram, class: &str, examples: &[HistogramExample]) -> String {
    let row = |(moves, number): (&u32, &BigUint)| json!({"moves": moves, "tours": number.to_string()});
    let mut object = json_header(&found.tour_set, &found.total);
    object.insert("class".to_owned(), json!(class));
    object.insert("histogram".to_owned(), found.tours.iter().map(row).collect());
    let example = |(name, moves, tour): &HistogramExample| json!({"which": name, "moves": moves, "squares": tour_squares(tour)});
    object.insert("examples".to_owned(), examples.iter().map(example).collect());
    json_line(object)
}
