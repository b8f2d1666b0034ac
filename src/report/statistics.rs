//! Reports of statistics, histograms and samples of tours, as tables, CSV and JSON.
//!
//! # Statistics
//!
//! Statistics of all tours are tables with one row for each orbit of moves, CSV and JSON with all
//! moves, and heat maps. Every output names the tours that it describes.
//!
//! # Histograms
//!
//! A histogram counts tours by their number of moves of one class. It is printed as a table with
//! bars and examples, as CSV or as JSON.
//!
//! # Samples
//!
//! Measures of a random sample of tours are printed as a table or as JSON.

use std::io;
use std::io::Write;

use ktour::board::{Board, Vertex};
use ktour::index::{Histogram, Measure, MovePairs, Statistics, share};
use ktour::text_format::format_count;
use ktour::tour::{
    DrawError, HeatMap, Kind, TerminalError, TerminalPicture, TextRendering, Tour, TourSpec,
    terminal_heat_map, write_heat_map,
};
use num_bigint::BigUint;
use serde_json::json;

use super::count_report::{align_columns, group_digits, wrap_words};

/// Length, in blocks, of the bar for a share of 1.
const BAR_BLOCKS: usize = 20;

/// A row of a table: the name of a representative of an orbit, the size of the orbit, and the
/// number of tours through the representative.
type OrbitRow = (String, usize, BigUint);

/// Returns a bar of block characters for a share from 0 to 1, with a resolution of an eighth of a
/// block.
pub(super) fn share_bar(share: f64) -> String {
    let eighths = (share * (BAR_BLOCKS * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// Formats a share in per cent with three decimals, or with two significant digits if it would be rounded to
/// 0.
pub(super) fn format_percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.0005 { format!("{percent:.1e} %") } else { format!("{percent:.3} %") }
}

/// Formats a share for CSV with nine decimals, or with nine significant digits if it is below
/// 10^-6.
pub(super) fn format_decimal(share: f64) -> String {
    if share > 0.0 && share < 1e-6 { format!("{share:.8e}") } else { format!("{share:.9}") }
}

/// Returns the name of a move, such as `a1-b3`.
fn move_name(board: &Board, (v, w): (u32, u32)) -> String {
    format!("{}-{}", board.name(v), board.name(w))
}

/// Describes a set of tours in words, such as `6x6 closed from a1`.
#[must_use]
pub fn describe_tours(numbered: &TourSpec) -> String {
    let board = numbered.board();
    let fixed =
        |word: &str, v: Option<Vertex>| v.map_or(String::new(), |v| format!(" {word} {}", board.name(v)));
    let (start, end) = (fixed("from", numbered.start()), fixed("to", numbered.end()));
    format!("{} {}{start}{end}", board.title(), numbered.kind().name())
}

/// Returns the title of a table: the tours, their number, and the plan `order` by which they are
/// numbered, if there is one.
fn table_title(numbered: &TourSpec, total: &BigUint, order: Option<&str>) -> String {
    let plan = order.map_or(String::new(), |order| format!(", plan {order}"));
    format!("{}: {}{plan}\n\n", describe_tours(numbered), format_count(total, "tour"))
}

/// Returns one row for each orbit of the items `all` under the board's symmetries. `image` maps an
/// item under one symmetry, and `name` returns the name of an item.
fn group_by_orbit<T: Ord + Copy>(
    all: &[(T, BigUint)],
    numbered: &TourSpec,
    image: impl Fn(T, &[u32]) -> T,
    name: impl Fn(T) -> String,
) -> Vec<OrbitRow> {
    let group = numbered.symmetries();
    let (mut rows, mut is_seen): (Vec<OrbitRow>, _) = (Vec::new(), std::collections::BTreeSet::new());
    for (one, number) in all.iter().filter(|(one, _)| !is_seen.contains(one)).cloned().collect::<Vec<_>>() {
        if is_seen.contains(&one) {
            continue;
        }
        let images = group.elements().iter().map(|element| image(one, &element.image));
        let images: std::collections::BTreeSet<T> = images.collect();
        rows.push((name(one), images.len(), number));
        is_seen.extend(images);
    }
    rows
}

/// Returns the table of moves, followed by the table of end squares. Each has one row for each
/// orbit, the most frequent orbit first. `order` is the plan by which the tours are numbered.
#[must_use]
pub fn statistics_table(statistics: &Statistics, order: Option<&str>) -> String {
    let (numbered, board) = (&statistics.numbered_tours, statistics.numbered_tours.board());
    let image = |(v, w): (u32, u32), image: &[u32]| {
        let (a, b) = (image[v as usize], image[w as usize]);
        (a.min(b), a.max(b))
    };
    let moves = group_by_orbit(&statistics.moves, numbered, image, |edge| move_name(board, edge));
    let mut text =
        table_title(numbered, &statistics.total, order) + &orbit_table(&statistics.total, "move", moves);
    if !statistics.ends.is_empty() {
        let ends: Vec<(u32, BigUint)> = (0..).zip(statistics.ends.iter().cloned()).collect();
        let ends = group_by_orbit(&ends, numbered, |v, image| image[v as usize], |v| board.name(v));
        text.push('\n');
        text.push_str(&orbit_table(&statistics.total, "end", ends));
    }
    text
}

/// Returns the table of pairs of consecutive moves. It has one row for each orbit of pairs, the
/// most frequent orbit first.
#[must_use]
pub fn pairs_table(move_pairs: &MovePairs) -> String {
    let board = move_pairs.numbered_tours.board();
    let image = |[a, v, b]: [u32; 3], image: &[u32]| {
        let (a, b) = (image[a as usize], image[b as usize]);
        [a.min(b), image[v as usize], a.max(b)]
    };
    let rows = group_by_orbit(&move_pairs.pairs, &move_pairs.numbered_tours, image, |pair| {
        pair.map(|v| board.name(v)).join("-")
    });
    table_title(&move_pairs.numbered_tours, &move_pairs.total, None)
        + &orbit_table(&move_pairs.total, "pair", rows)
}

fn orbit_table(total: &BigUint, what: &str, mut rows: Vec<OrbitRow>) -> String {
    rows.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
    let most = rows.first().map_or(1.0, |row| share(&row.2, total)).max(f64::MIN_POSITIVE);
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, alike, number)| {
            let share = share(number, total);
            vec![name.clone(), alike.to_string(), number.to_string(), format_percent(share)]
        })
        .collect();
    let (all, sum) = rows
        .iter()
        .fold((0, BigUint::ZERO), |(all, sum), (_, alike, number)| (all + alike, sum + number * *alike));
    lines.push(vec!["total".to_owned(), all.to_string(), sum.to_string(), String::new()]);
    let text = align_columns(&[what, "alike", "tours", "share"], &lines);
    // Bars are relative to the greatest share.
    let bars =
        std::iter::once(String::new()).chain(rows.iter().map(|row| share_bar(share(&row.2, total) / most)));
    append_bars(&text, bars.chain([String::new()]))
}

/// Appends a bar to each line of `text`.
pub(super) fn append_bars(text: &str, bars: impl Iterator<Item = String>) -> String {
    text.lines().zip(bars).map(|(line, bar)| format!("{line}  {bar}").trim_end().to_owned() + "\n").collect()
}

/// A CSV writer that adds to every row the columns that describe the set of tours.
pub(super) struct StatisticsCsv<'a, W: Write> {
    pub(super) writer: csv::Writer<W>,
    numbered: &'a TourSpec,
}

impl<'a, W: Write> StatisticsCsv<'a, W> {
    pub(super) fn new(out: W, numbered: &'a TourSpec, head: &[&str]) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(out);
        rows.write_record(head.iter().chain(&["board", "kind", "start", "end"]))?;
        Ok(Self { writer: rows, numbered })
    }

    pub(super) fn write_row(&mut self, cells: &[&str]) -> io::Result<()> {
        let (board, kind) = (self.numbered.board(), self.numbered.kind());
        let fixed = |v: Option<Vertex>| v.map_or(String::new(), |v| board.name(v));
        let (start, end) = (fixed(self.numbered.start()), fixed(self.numbered.end()));
        let own = [board.to_string(), kind.name().to_owned(), start, end];
        Ok(self.writer.write_record(cells.iter().copied().chain(own.iter().map(String::as_str)))?)
    }
}

/// Writes CSV with a row for every move and every end square, and a row with the total.
///
/// # Errors
/// Writing failed.
pub fn write_statistics_csv(out: &mut impl Write, statistics: &Statistics) -> io::Result<()> {
    let board = statistics.numbered_tours.board();
    let mut sheet =
        StatisticsCsv::new(out, &statistics.numbered_tours, &["what", "from", "to", "tours", "share"])?;
    for ((v, w), number) in &statistics.moves {
        let share = format_decimal(statistics.share(number));
        sheet.write_row(&["move", &board.name(*v), &board.name(*w), &number.to_string(), &share])?;
    }
    for (v, number) in (0..).zip(&statistics.ends) {
        let share = format_decimal(statistics.share(number));
        sheet.write_row(&[
            end_role(&statistics.numbered_tours, v),
            &board.name(v),
            "",
            &number.to_string(),
            &share,
        ])?;
    }
    sheet.write_row(&["total", "", "", &statistics.total.to_string(), ""])?;
    sheet.writer.flush()
}

/// Returns the role of the end square `v` in the tours: `start` or `end`. If no end is fixed, a
/// tour has no direction, and both ends are called `end`.
fn end_role(numbered: &TourSpec, v: u32) -> &'static str {
    let is_start = match (numbered.start(), numbered.end()) {
        (Some(start), _) => start == v && numbered.board().len() > 1,
        (None, Some(end)) => end != v,
        (None, None) => false,
    };
    if is_start { "start" } else { "end" }
}

/// Writes CSV with a row for every pair of consecutive moves, and a row with the total.
///
/// # Errors
/// Writing failed.
pub fn write_pairs_csv(out: &mut impl Write, move_pairs: &MovePairs) -> io::Result<()> {
    let board = move_pairs.numbered_tours.board();
    let mut sheet =
        StatisticsCsv::new(out, &move_pairs.numbered_tours, &["from", "over", "to", "tours", "share"])?;
    for (pair, number) in &move_pairs.pairs {
        let [a, v, b] = pair.map(|v| board.name(v));
        let share = format_decimal(share(number, &move_pairs.total));
        sheet.write_row(&[&a, &v, &b, &number.to_string(), &share])?;
    }
    sheet.write_row(&["total", "", "", &move_pairs.total.to_string(), ""])?;
    sheet.writer.flush()
}

/// Returns the fields that every JSON object of statistics has.
pub(super) fn json_header(
    numbered: &TourSpec,
    total: &BigUint,
) -> serde_json::Map<String, serde_json::Value> {
    let fixed = |v: Option<u32>| v.map(|v| numbered.board().name(v));
    let value = json!({
        "schema": 1,
        "board": numbered.board().to_string(),
        "kind": numbered.kind().name(),
        "start": fixed(numbered.start()),
        "end": fixed(numbered.end()),
        "tours": total.to_string(),
    });
    value.as_object().cloned().unwrap_or_default()
}

pub(super) fn json_line(object: serde_json::Map<String, serde_json::Value>) -> String {
    serde_json::Value::Object(object).to_string() + "\n"
}

/// Returns the numbers of tours with each pair of consecutive moves as a JSON object on one line.
#[must_use]
pub fn pairs_json(move_pairs: &MovePairs) -> String {
    let board = move_pairs.numbered_tours.board();
    let pair = |(pair, number): &([u32; 3], BigUint)| {
        let [a, v, b] = pair.map(|v| board.name(v));
        json!({"from": a, "over": v, "to": b, "tours": number.to_string(), "share": share(number, &move_pairs.total)})
    };
    let mut object = json_header(&move_pairs.numbered_tours, &move_pairs.total);
    object.insert("pairs".to_owned(), move_pairs.pairs.iter().map(pair).collect());
    json_line(object)
}

/// Returns the numbers of tours with each move and each end square as a JSON object on one line.
#[must_use]
pub fn statistics_json(statistics: &Statistics, order: Option<&str>) -> String {
    let board = statistics.numbered_tours.board();
    let move_of = |((v, w), number): &((u32, u32), BigUint)| json!({"from": board.name(*v), "to": board.name(*w), "tours": number.to_string(), "share": statistics.share(number)});
    let end_of = |(v, number): (u32, &BigUint)| json!({"vertex": board.name(v), "tours": number.to_string(), "share": statistics.share(number)});
    let mut object = json_header(&statistics.numbered_tours, &statistics.total);
    object.insert("plan".to_owned(), json!(order));
    object.insert("moves".to_owned(), statistics.moves.iter().map(move_of).collect());
    object.insert("ends".to_owned(), (0..).zip(&statistics.ends).map(end_of).collect());
    json_line(object)
}

/// Returns the heat map of moves and end squares as an SVG document.
///
/// # Errors
/// The board has no drawing layout.
pub fn heat_map_svg(statistics: &Statistics, letters: TextRendering) -> Result<String, DrawError> {
    let mut text = String::new();
    draw_heat_map(statistics, letters, |heat| write_heat_map(&mut text, heat))?;
    Ok(text)
}

/// Returns the heat map of moves and end squares for a terminal of `width` columns.
///
/// # Errors
/// The board has no drawing layout, or is too wide.
pub fn heat_map_picture(
    statistics: &Statistics,
    width: usize,
    colour: bool,
) -> Result<TerminalPicture, TerminalError> {
    draw_heat_map(statistics, TextRendering::SvgText, |heat| terminal_heat_map(heat, width, colour))
}

fn draw_heat_map<T>(statistics: &Statistics, letters: TextRendering, draw: impl FnOnce(&HeatMap) -> T) -> T {
    let moves: Vec<(u32, u32, f64)> =
        statistics.moves.iter().map(|((v, w), number)| (*v, *w, statistics.share(number))).collect();
    let ends: Vec<f64> = statistics.ends.iter().map(|number| statistics.share(number)).collect();
    let ends = (statistics.numbered_tours.kind() != Kind::Closed).then_some(ends.as_slice());
    let title = format!(
        "{}: {}",
        describe_tours(&statistics.numbered_tours),
        format_count(group_digits(&statistics.total), "tour")
    );
    draw(&HeatMap {
        board: statistics.numbered_tours.board(),
        title: &title,
        move_shares: &moves,
        end_shares: ends,
        text_rendering: letters,
    })
}

/// An example of a tour with extremely few or many moves of a class: `fewest` or `most`, the number
/// of moves, and the tour.
pub type HistogramExample = (&'static str, u32, Tour);

/// Returns the names of the squares of a tour in the order of the moves, separated by spaces.
fn tour_squares(tour: &Tour) -> String {
    tour.vertices().iter().map(|&v| tour.board().name(v)).collect::<Vec<_>>().join(" ")
}

/// Returns a table with one row for each number of moves of the class, a row with the total, and
/// the examples. Examples are wrapped to `columns` columns, if given.
#[must_use]
pub fn histogram_table(
    histogram: &Histogram,
    class: &str,
    examples: &[HistogramExample],
    columns: Option<usize>,
) -> String {
    let all = share(&histogram.total, &histogram.total).max(f64::MIN_POSITIVE);
    let relative_share = |number| share(number, &histogram.total) / all;
    let mut lines: Vec<Vec<String>> = histogram
        .tours
        .iter()
        .map(|(moves, number)| {
            vec![moves.to_string(), number.to_string(), format_percent(relative_share(number))]
        })
        .collect();
    lines.push(vec!["total".to_owned(), histogram.total.to_string(), String::new()]);
    let text = align_columns(&["moves", "tours", "share"], &lines);
    let most = histogram.tours.values().map(relative_share).fold(f64::MIN_POSITIVE, f64::max);
    let bars = std::iter::once(String::new())
        .chain(histogram.tours.values().map(|number| share_bar(relative_share(number) / most)));
    let bars = bars.chain([String::new()]);
    let title = format!(
        "{}: {} by their moves of a class, {class}\n\n",
        describe_tours(&histogram.numbered_tours),
        format_count(&histogram.total, "tour")
    );
    let examples = examples.iter().map(|(name, moves, tour)| {
        format!("\n{name}, {moves}:\n{}\n", wrap_words(&tour_squares(tour), columns.unwrap_or(usize::MAX)))
    });
    title + &append_bars(&text, bars) + &examples.collect::<String>()
}

/// Writes a histogram as CSV, with a row for each number of moves of the class, and a row with the
/// total.
///
/// # Errors
/// Writing failed.
pub fn write_histogram_csv(out: &mut impl Write, histogram: &Histogram, class: &str) -> io::Result<()> {
    let mut sheet =
        StatisticsCsv::new(out, &histogram.numbered_tours, &["moves", "tours", "share", "class"])?;
    for (moves, number) in &histogram.tours {
        let share = format_decimal(share(number, &histogram.total));
        sheet.write_row(&[&moves.to_string(), &number.to_string(), &share, class])?;
    }
    sheet.write_row(&["total", &histogram.total.to_string(), "", class])?;
    sheet.writer.flush()
}

/// Returns a histogram with its examples as a JSON object on one line.
#[must_use]
pub fn histogram_json(histogram: &Histogram, class: &str, examples: &[HistogramExample]) -> String {
    let row = |(moves, number): (&u32, &BigUint)| json!({"moves": moves, "tours": number.to_string()});
    let mut object = json_header(&histogram.numbered_tours, &histogram.total);
    object.insert("class".to_owned(), json!(class));
    object.insert("histogram".to_owned(), histogram.tours.iter().map(row).collect());
    let example = |(name, moves, tour): &HistogramExample| json!({"which": name, "moves": moves, "squares": tour_squares(tour)});
    object.insert("examples".to_owned(), examples.iter().map(example).collect());
    json_line(object)
}

/// Description of a random sample of tours: where it was drawn from, its size and its seed.
#[derive(Clone, Copy)]
pub struct SampleInfo<'a> {
    /// The set of tours from which the sample was drawn.
    pub numbered: &'a TourSpec,
    /// Number of tours in this set. For open tours, the number of all paths.
    pub total: &'a BigUint,
    /// The name of the plan, that is, of the order in which the tours are numbered.
    pub order: &'a str,
    /// Number of tours in the sample.
    pub samples: u64,
    /// The seed of the random numbers of the sample.
    pub seed: u64,
}

/// Returns a table with one row for each measure of the sampled tours.
#[must_use]
pub fn measures_table(sample: SampleInfo, found: &[Measure]) -> String {
    let all = sample.numbered.board().len().saturating_sub(1);
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
    let drawn_from = format_count(total, if numbered.kind() == Kind::Open { "path" } else { "tour" });
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

/// Returns the measures of the sampled tours as a JSON object on one line.
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
        json!(if sample.numbered.kind() == Kind::Open { "paths" } else { "tours" }),
    );
    object.insert("plan".to_owned(), json!(sample.order));
    object.insert("samples".to_owned(), json!(sample.samples));
    object.insert("seed".to_owned(), json!(sample.seed));
    object.insert("measures".to_owned(), found.iter().map(row).collect());
    json_line(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_bar_is_proportional() {
        assert_eq!(
            (share_bar(0.0), share_bar(0.05), share_bar(0.5)),
            (String::new(), "█".to_owned(), "█".repeat(10))
        );
        assert_eq!(share_bar(1.0 / 32.0), "▋");
    }

    #[test]
    fn small_shares_are_not_rounded_to_zero() {
        assert_eq!([1.0, 0.021_091, 0.0].map(format_percent), ["100.000 %", "2.109 %", "0.000 %"]);
        assert_eq!(format_percent(8.0 / 13_267_364_410_532.0), "6.0e-11 %");
        assert_eq!([1.0, 0.25, 0.0].map(format_decimal), ["1.000000000", "0.250000000", "0.000000000"]);
        assert_eq!(format_decimal(8.0 / 13_267_364_410_532.0), "6.02983362e-13");
    }
}
