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

use std::collections::BTreeSet;

use ktour::board::{Board, Vertex};
use ktour::index::{Histogram, Measure, MovePairs, Statistics, share};
use ktour::text_format::{format_count, wrap_lines};
use ktour::tour::{
    DrawError, HeatMap, Kind, TerminalError, TerminalPicture, TextRendering, Tour, TourSpec,
    terminal_heat_map, write_heat_map,
};
use num_bigint::BigUint;

use super::count_report::group_digits;
use super::table::{Cell, NamedCells, Table, to_json_line};

/// Length, in blocks, of the bar for a share of 1.
const BAR_BLOCKS: usize = 20;

/// A row of a table: the name of a representative of an orbit, the size of the orbit, and the
/// number of tours through the representative.
type OrbitRow = (String, usize, BigUint);

/// Shortest useful length, in blocks, of the bar for a share of 1. A narrower screen shows no bars.
const MIN_BAR_BLOCKS: usize = 4;

/// Returns a bar of block characters for a share from 0 to 1, whose length is `blocks` for 1, with a resolution
/// of an eighth of a block.
fn share_bar(share: f64, blocks: usize) -> String {
    let eighths = (share * (blocks * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// Returns the text of a table with bars for a screen of `columns` columns, if given. `to_table` returns the table
/// with bars of the given number of blocks, or without bars for `None`.
fn fit_bars(columns: Option<usize>, to_table: impl Fn(Option<usize>) -> Table) -> String {
    let text = to_table(Some(BAR_BLOCKS)).to_text();
    let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let excess = width.saturating_sub(columns.unwrap_or(usize::MAX));
    if excess == 0 {
        return text;
    }
    let blocks = BAR_BLOCKS.saturating_sub(excess);
    to_table((blocks >= MIN_BAR_BLOCKS).then_some(blocks)).to_text()
}

/// Returns the cell of a bar of `blocks` blocks.
fn bar_cell(share: f64, blocks: Option<usize>) -> Cell {
    blocks.map_or(Cell::Empty, |blocks| share_bar(share, blocks).into())
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
    let (mut rows, mut is_seen) = (Vec::new(), BTreeSet::new());
    for (one, number) in all {
        if !is_seen.contains(one) {
            let orbit = group.orbit_of(|vertices| image(*one, vertices));
            rows.push((name(*one), orbit.len(), number.clone()));
            is_seen.extend(orbit);
        }
    }
    rows
}

/// Returns the table of moves, followed by the table of end squares. Each has one row for each
/// orbit, the most frequent orbit first. `order` is the plan by which the tours are numbered. The bars fit a screen
/// of `columns` columns, if given.
#[must_use]
pub fn statistics_table(statistics: &Statistics, order: Option<&str>, columns: Option<usize>) -> String {
    let (numbered, board) = (&statistics.numbered_tours, statistics.numbered_tours.board());
    let image = |(v, w): (u32, u32), image: &[u32]| {
        let (a, b) = (image[v as usize], image[w as usize]);
        (a.min(b), a.max(b))
    };
    let moves = group_by_orbit(&statistics.moves, numbered, image, |edge| board.move_name(edge));
    let mut text = table_title(numbered, &statistics.total, order)
        + &orbit_table(&statistics.total, "move", moves, columns);
    if !statistics.ends.is_empty() {
        let ends: Vec<(u32, BigUint)> = (0..).zip(statistics.ends.iter().cloned()).collect();
        let ends = group_by_orbit(&ends, numbered, |v, image| image[v as usize], |v| board.name(v));
        text.push('\n');
        text.push_str(&orbit_table(&statistics.total, "end", ends, columns));
    }
    text
}

/// Returns the table of pairs of consecutive moves. It has one row for each orbit of pairs, the
/// most frequent orbit first. The bars fit a screen of `columns` columns, if given.
#[must_use]
pub fn pairs_table(move_pairs: &MovePairs, columns: Option<usize>) -> String {
    let board = move_pairs.numbered_tours.board();
    let image = |[a, v, b]: [u32; 3], image: &[u32]| {
        let (a, b) = (image[a as usize], image[b as usize]);
        [a.min(b), image[v as usize], a.max(b)]
    };
    let rows = group_by_orbit(&move_pairs.pairs, &move_pairs.numbered_tours, image, |pair| {
        pair.map(|v| board.name(v)).join("-")
    });
    table_title(&move_pairs.numbered_tours, &move_pairs.total, None)
        + &orbit_table(&move_pairs.total, "pair", rows, columns)
}

fn orbit_table(
    total: &BigUint,
    what: &'static str,
    mut rows: Vec<OrbitRow>,
    columns: Option<usize>,
) -> String {
    rows.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
    let most = rows.first().map_or(1.0, |row| share(&row.2, total)).max(f64::MIN_POSITIVE);
    fit_bars(columns, |blocks| {
        // Bars are relative to the greatest share.
        let mut table = Table::new([what, "orbit", "tours", "share"]).with_left_column("");
        let mut all = 0;
        for (name, orbit_size, number) in &rows {
            let share = share(number, total);
            all += orbit_size;
            table.push([
                name.as_str().into(),
                (*orbit_size).into(),
                number.into(),
                Cell::Share(share),
                bar_cell(share / most, blocks),
            ]);
        }
        // A tour has many moves and two ends, so the numbers above add up to more than all tours.
        table.push(["total".into(), all.into(), total.into(), Cell::Empty, Cell::Empty]);
        table
    })
}

/// The columns that describe a set of tours.
const TOUR_SET_COLUMNS: [&str; 5] = ["board", "board_text", "kind", "start", "end"];

/// Returns a table without rows, whose rows of CSV also describe the set of tours. `None` for a table that stays without
/// rows.
#[must_use]
pub fn new_tour_rows(keys: impl IntoIterator<Item = &'static str>, numbered: Option<&TourSpec>) -> Table {
    let cells = numbered.map_or([const { Cell::Empty }; 5], tour_cells);
    Table::new(keys).with_common(TOUR_SET_COLUMNS.into_iter().zip(cells))
}

/// Returns the cells that describe a set of tours, in the order of [`TOUR_SET_COLUMNS`].
fn tour_cells(numbered: &TourSpec) -> [Cell; 5] {
    let board = numbered.board();
    let fixed = |v: Option<Vertex>| Cell::from(v.map(|v| board.name(v)));
    [
        board_name(board).into(),
        board.to_string().into(),
        numbered.kind().name().into(),
        fixed(numbered.start()),
        fixed(numbered.end()),
    ]
}

/// Returns the fields that every JSON object of numbered tours has: of a set of tours, of which there are `total`.
#[must_use]
pub fn tour_set_fields(numbered: &TourSpec, total: &BigUint) -> NamedCells {
    NamedCells::of_result(TOUR_SET_COLUMNS.into_iter().zip(tour_cells(numbered)))
        .with([("total", total.into())])
}

/// Returns rows of CSV, one for every move and every end square, and a row with the total.
#[must_use]
pub fn statistics_rows(statistics: &Statistics) -> Table {
    let numbered = &statistics.numbered_tours;
    let name = |v: u32| Cell::from(numbered.board().name(v));
    let mut table = new_tour_rows(["what", "from", "to", "count", "share"], Some(numbered));
    let share = |number| Cell::Share(statistics.share(number));
    for ((v, w), number) in &statistics.moves {
        table.push(["move".into(), name(*v), name(*w), number.into(), share(number)]);
    }
    for (v, number) in (0..).zip(&statistics.ends) {
        table.push([end_role(numbered, v).into(), name(v), Cell::Empty, number.into(), share(number)]);
    }
    table.push_named([("what", "total".into()), ("count", (&statistics.total).into())]);
    table
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

/// Returns the numbers of tours with each pair of consecutive moves as rows.
fn pair_rows(move_pairs: &MovePairs) -> Table {
    let board = move_pairs.numbered_tours.board();
    let mut table = new_tour_rows(["from", "over", "to", "count", "share"], Some(&move_pairs.numbered_tours));
    for (pair, number) in &move_pairs.pairs {
        let [a, v, b] = pair.map(|v| board.name(v).into());
        table.push([a, v, b, number.into(), Cell::Share(share(number, &move_pairs.total))]);
    }
    table
}

/// Returns rows of CSV, one for every pair of consecutive moves, and a row with the total.
#[must_use]
pub fn pairs_rows(move_pairs: &MovePairs) -> Table {
    let mut table = pair_rows(move_pairs);
    table.push_named([("from", "total".into()), ("count", (&move_pairs.total).into())]);
    table
}

/// Returns the numbers of tours with each pair of consecutive moves as a JSON object on one line.
#[must_use]
pub fn pairs_json(move_pairs: &MovePairs) -> String {
    let tours = tour_set_fields(&move_pairs.numbered_tours, &move_pairs.total);
    to_json_line(&tours.with([("pairs", pair_rows(move_pairs).into())]))
}

/// Returns the numbers of tours with each move and each end square as a JSON object on one line.
#[must_use]
pub fn statistics_json(statistics: &Statistics, order: Option<&str>) -> String {
    let name = |v: u32| Cell::from(statistics.numbered_tours.board().name(v));
    let share = |number| Cell::Share(statistics.share(number));
    let mut moves = Table::new(["from", "to", "count", "share"]);
    for ((v, w), number) in &statistics.moves {
        moves.push([name(*v), name(*w), number.into(), share(number)]);
    }
    let mut ends = Table::new(["from", "count", "share"]);
    for (v, number) in (0..).zip(&statistics.ends) {
        ends.push([name(v), number.into(), share(number)]);
    }
    let tours = tour_set_fields(&statistics.numbered_tours, &statistics.total);
    to_json_line(&tours.with([("plan", order.into()), ("moves", moves.into()), ("ends", ends.into())]))
}

/// Returns the heat map of moves and end squares as an SVG document.
///
/// # Errors
/// The board has no drawing layout.
pub fn heat_map_svg(statistics: &Statistics, letters: TextRendering) -> Result<String, DrawError> {
    let mut text = String::new();
    let total = group_digits(&statistics.total);
    draw_heat_map(statistics, &total, letters, |heat| write_heat_map(&mut text, heat))?;
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
    // The table on the terminal has the same digits.
    let total = statistics.total.to_string();
    draw_heat_map(statistics, &total, TextRendering::SvgText, |heat| terminal_heat_map(heat, width, colour))
}

/// Draws the heat map with the number of all tours in its title.
fn draw_heat_map<T>(
    statistics: &Statistics,
    total: &str,
    letters: TextRendering,
    draw: impl FnOnce(&HeatMap) -> T,
) -> T {
    let moves: Vec<(u32, u32, f64)> =
        statistics.moves.iter().map(|((v, w), number)| (*v, *w, statistics.share(number))).collect();
    let ends: Vec<f64> = statistics.ends.iter().map(|number| statistics.share(number)).collect();
    let ends = (statistics.numbered_tours.kind() != Kind::Closed).then_some(ends.as_slice());
    let title = format!("{}: {}", describe_tours(&statistics.numbered_tours), format_count(total, "tour"));
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

/// Returns the names of the squares of a tour in the order of the moves: a list in JSON, separated by blanks in CSV.
#[must_use]
pub fn squares_cell(tour: &Tour) -> Cell {
    Cell::List(tour.names().map(Cell::from).collect())
}

/// Returns the name of a board in CSV and JSON: the sides of a rectangle, or the title of another board.
#[must_use]
pub fn board_name(board: &Board) -> String {
    board.unrestricted().title()
}

/// Returns a table with one row for each number of moves of the class, a row with the total, and
/// the examples. Bars and examples fit a screen of `columns` columns, if given.
#[must_use]
pub fn histogram_table(
    histogram: &Histogram,
    class: &str,
    examples: &[HistogramExample],
    columns: Option<usize>,
) -> String {
    let all = share(&histogram.total, &histogram.total).max(f64::MIN_POSITIVE);
    let relative_share = |number| share(number, &histogram.total) / all;
    let most = histogram.tours.values().map(relative_share).fold(f64::MIN_POSITIVE, f64::max);
    let table = fit_bars(columns, |blocks| {
        let mut table = Table::new(["moves", "tours", "share"]).with_left_column("");
        for (moves, number) in &histogram.tours {
            let share = relative_share(number);
            table.push([(*moves).into(), number.into(), Cell::Share(share), bar_cell(share / most, blocks)]);
        }
        table.push(["total".into(), (&histogram.total).into(), Cell::Empty, Cell::Empty]);
        table
    });
    let title = format!(
        "{}: {} by their moves of a class, {class}\n\n",
        describe_tours(&histogram.numbered_tours),
        format_count(&histogram.total, "tour")
    );
    let examples = examples.iter().map(|(name, moves, tour)| {
        let squares = wrap_lines(&squares_cell(tour).to_text(), columns.unwrap_or(usize::MAX)).join("\n");
        format!("\n{name}, {moves}:\n{squares}\n")
    });
    title + &table + &examples.collect::<String>()
}

/// Returns a histogram as rows of CSV, one for each number of moves of the class, and a row with the
/// total.
#[must_use]
pub fn histogram_rows(histogram: &Histogram, class: &str) -> Table {
    let mut table = new_tour_rows(["moves", "count", "share", "class"], Some(&histogram.numbered_tours))
        .with_common([("class", class.into())]);
    for (moves, number) in &histogram.tours {
        table.push([(*moves).into(), number.into(), Cell::Share(share(number, &histogram.total))]);
    }
    table.push(["total".into(), (&histogram.total).into(), Cell::Empty]);
    table
}

/// Returns a histogram with its examples as a JSON object on one line.
#[must_use]
pub fn histogram_json(histogram: &Histogram, class: &str, examples: &[HistogramExample]) -> String {
    let mut rows = Table::new(["moves", "count"]);
    for (moves, number) in &histogram.tours {
        rows.push([(*moves).into(), number.into()]);
    }
    let mut example_rows = Table::new(["which", "moves", "squares"]);
    for (name, moves, tour) in examples {
        example_rows.push([(*name).into(), (*moves).into(), squares_cell(tour)]);
    }
    let tours = tour_set_fields(&histogram.numbered_tours, &histogram.total);
    to_json_line(&tours.with([
        ("class", class.into()),
        ("histogram", rows.into()),
        ("examples", example_rows.into()),
    ]))
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
    let mut table = Table::new(["of a tour", "mean", "error", "deviation", "least", "most"]);
    for measure in found {
        let moves = measure.after_moves.map(|moves| format!(" after {moves} of {all} moves"));
        let name = format!("{}{}", measure.name, moves.unwrap_or_default());
        table.push([Cell::from(name)].into_iter().chain(measured_values(measure)));
    }
    let SampleInfo { numbered, total, order, samples, seed } = sample;
    let drawn_from = format_count(total, if numbered.kind() == Kind::Open { "path" } else { "tour" });
    let title = format!(
        "{}: {samples} tours drawn from {drawn_from}, seed {seed}, plan {order}\n\n",
        describe_tours(numbered)
    );
    title + &table.to_text()
}

/// Returns the mean of a measure, its standard error, the standard deviation, and the range of values.
fn measured_values(measure: &Measure) -> [Cell; 5] {
    let Measure { mean, standard_error, standard_deviation, range: (least, most), .. } = *measure;
    let values = [(mean, 4), (standard_error, 4), (standard_deviation, 3), (least, 2), (most, 2)];
    values.map(|(value, decimals)| Cell::Number(value, decimals))
}

/// Returns the measures of the sampled tours as rows of CSV.
#[must_use]
pub fn measures_rows(sample: SampleInfo, found: &[Measure]) -> Table {
    let keys = ["name", "moves", "mean", "error", "deviation", "least", "most"];
    let mut table = new_tour_rows(keys, Some(sample.numbered));
    for measure in found {
        let name = [measure.name.into(), measure.after_moves.into()];
        table.push(name.into_iter().chain(measured_values(measure)));
    }
    table
}

/// Returns the measures of the sampled tours as a JSON object on one line.
#[must_use]
pub fn measures_json(sample: SampleInfo, found: &[Measure]) -> String {
    let SampleInfo { numbered, total, order, samples, seed } = sample;
    to_json_line(&tour_set_fields(numbered, total).with([
        ("drawn_from", if numbered.kind() == Kind::Open { "paths" } else { "tours" }.into()),
        ("plan", order.into()),
        ("samples", samples.into()),
        ("seed", seed.into()),
        ("measures", measures_rows(sample, found).into()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fit_the_screen() {
        let rows =
            || vec![("a1-b3".to_owned(), 4, BigUint::from(7u32)), ("b1-c3".to_owned(), 4, 3u32.into())];
        let width = |columns| {
            let text = orbit_table(&BigUint::from(40u32), "move", rows(), columns);
            assert_eq!(text.lines().count(), 4, "{text}");
            text.lines().map(|line| line.chars().count()).max().unwrap()
        };
        let full = width(None);
        assert_eq!(width(Some(full)), full);
        assert_eq!(width(Some(full - 5)), full - 5);
        assert!(width(Some(full - 19)) < full - 19, "the bars are left out");
    }

    #[test]
    fn share_bar_is_proportional() {
        assert_eq!(
            (share_bar(0.0, 20), share_bar(0.05, 20), share_bar(0.5, 20)),
            (String::new(), "█".to_owned(), "█".repeat(10))
        );
        assert_eq!(share_bar(1.0 / 32.0, 20), "▋");
    }
}
