//! Statistics of all tours: a table of what is alike, CSV and JSON of everything, a heat map. Each says what it is of.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde_json::json;

use super::text::{align, grouped};
use ktour::board::Arena;
use ktour::index::{Numbered, Pairs, Statistics, share};
use ktour::tour::{DrawError, Heat, Kind, Letters, Picture, TerminalError, heat_on_terminal, write_heat};
use ktour::words::counted;

/// Blocks of a bar for a share of one.
const BAR: usize = 20;

/// A row of the table: what it is of, how many are alike, tours.
type Row = (String, usize, BigUint);

/// Shares as a bar of eighths of blocks.
pub(super) fn bar(share: f64) -> String {
    let eighths = (share * (BAR * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// A share in per cent, to three places; one that these do not show, to two figures.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.0005 { format!("{percent:.1e} %") } else { format!("{percent:.3} %") }
}

/// A share for programs, to nine places, or as many figures.
pub(super) fn decimal(share: f64) -> String {
    if share > 0.0 && share < 1e-6 { format!("{share:.8e}") } else { format!("{share:.9}") }
}

/// The name of a move.
fn name(arena: &Arena, (v, w): (u32, u32)) -> String {
    format!("{}-{}", arena.name(v), arena.name(w))
}

/// What numbers are of, in words: `6x6 closed from a1`.
#[must_use]
pub fn described(numbered: &Numbered) -> String {
    let Numbered { arena, kind, start, end } = numbered;
    let fixed =
        |word: &str, v: &Option<u32>| v.map_or(String::new(), |v| format!(" {word} {}", arena.name(v)));
    format!("{} {}{}{}", arena.title(), kind.name(), fixed("from", start), fixed("to", end))
}

/// The line above a table: of which tours it is, how many there are, and in which order they are numbered.
fn headline(numbered: &Numbered, total: &BigUint, order: Option<&str>) -> String {
    let plan = order.map_or(String::new(), |order| format!(", plan {order}"));
    format!("{}: {}{plan}\n\n", described(numbered), counted(total, "tour"))
}

/// One row for all that the symmetries make alike.
fn alike<T: Ord + Copy>(
    all: &[(T, BigUint)],
    numbered: &Numbered,
    image: impl Fn(T, &[u32]) -> T,
    name: impl Fn(T) -> String,
) -> Vec<Row> {
    let group = numbered.symmetries();
    let (mut rows, mut is_seen): (Vec<Row>, _) = (Vec::new(), std::collections::BTreeSet::new());
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

/// The table: moves that the symmetries make alike are one row, the most used first; then the ends.
#[must_use]
pub fn statistics_table(found: &Statistics, order: Option<&str>) -> String {
    let (numbered, arena) = (&found.numbered, &found.numbered.arena);
    let image = |(v, w): (u32, u32), image: &[u32]| {
        let (a, b) = (image[v as usize], image[w as usize]);
        (a.min(b), a.max(b))
    };
    let moves = alike(&found.moves, numbered, image, |edge| name(arena, edge));
    let mut text = headline(numbered, &found.total, order) + &rows_table(&found.total, "move", moves);
    if !found.ends.is_empty() {
        let ends: Vec<(u32, BigUint)> = (0..).zip(found.ends.iter().cloned()).collect();
        let ends = alike(&ends, numbered, |v, image| image[v as usize], |v| arena.name(v));
        text.push('\n');
        text.push_str(&rows_table(&found.total, "end", ends));
    }
    text
}

/// The same of pairs of consecutive moves.
#[must_use]
pub fn pairs_table(found: &Pairs) -> String {
    let arena = &found.numbered.arena;
    let image = |[a, v, b]: [u32; 3], image: &[u32]| {
        let (a, b) = (image[a as usize], image[b as usize]);
        [a.min(b), image[v as usize], a.max(b)]
    };
    let rows = alike(&found.pairs, &found.numbered, image, |pair| pair.map(|v| arena.name(v)).join("-"));
    headline(&found.numbered, &found.total, None) + &rows_table(&found.total, "pair", rows)
}

fn rows_table(total: &BigUint, what: &str, mut rows: Vec<Row>) -> String {
    rows.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
    let most = rows.first().map_or(1.0, |row| share(&row.2, total)).max(f64::MIN_POSITIVE);
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, alike, number)| {
            let share = share(number, total);
            vec![name.clone(), alike.to_string(), number.to_string(), percent(share)]
        })
        .collect();
    let (all, sum) = rows
        .iter()
        .fold((0, BigUint::ZERO), |(all, sum), (_, alike, number)| (all + alike, sum + number * *alike));
    lines.push(vec!["total".to_owned(), all.to_string(), sum.to_string(), String::new()]);
    let text = align(&[what, "alike", "tours", "share"], &lines);
    // Bars stand behind the columns, relative to the greatest share.
    let bars = std::iter::once(String::new()).chain(rows.iter().map(|row| bar(share(&row.2, total) / most)));
    with_bars(&text, bars.chain([String::new()]))
}

/// Lines, each with its bar behind it.
pub(super) fn with_bars(text: &str, bars: impl Iterator<Item = String>) -> String {
    text.lines().zip(bars).map(|(line, bar)| format!("{line}  {bar}").trim_end().to_owned() + "\n").collect()
}

/// Rows of CSV that say what they are of.
pub(super) struct Sheet<'a, W: Write> {
    pub(super) rows: csv::Writer<W>,
    numbered: &'a Numbered,
}

impl<'a, W: Write> Sheet<'a, W> {
    pub(super) fn new(out: W, numbered: &'a Numbered, head: &[&str]) -> io::Result<Self> {
        let mut rows = csv::Writer::from_writer(out);
        rows.write_record(head.iter().chain(&["arena", "kind", "start", "end"]))?;
        Ok(Self { rows, numbered })
    }

    pub(super) fn row(&mut self, cells: &[&str]) -> io::Result<()> {
        let Numbered { arena, kind, start, end } = self.numbered;
        let fixed = |v: Option<u32>| v.map_or(String::new(), |v| arena.name(v));
        let own = [arena.to_string(), kind.name().to_owned(), fixed(*start), fixed(*end)];
        Ok(self.rows.write_record(cells.iter().copied().chain(own.iter().map(String::as_str)))?)
    }
}

/// Every move and every end, a row each.
///
/// # Errors
/// What the output says.
pub fn write_statistics_csv(out: &mut impl Write, found: &Statistics) -> io::Result<()> {
    let arena = &found.numbered.arena;
    let mut sheet = Sheet::new(out, &found.numbered, &["what", "from", "to", "tours", "share"])?;
    for ((v, w), number) in &found.moves {
        let share = decimal(found.share(number));
        sheet.row(&["move", &arena.name(*v), &arena.name(*w), &number.to_string(), &share])?;
    }
    for (v, number) in (0..).zip(&found.ends) {
        let share = decimal(found.share(number));
        sheet.row(&[end_of(&found.numbered, v), &arena.name(v), "", &number.to_string(), &share])?;
    }
    sheet.row(&["total", "", "", &found.total.to_string(), ""])?;
    sheet.rows.flush()
}

/// What a square is to tours whose direction is told: those from a square begin there and end elsewhere.
fn end_of(numbered: &Numbered, v: u32) -> &'static str {
    let is_start = match (numbered.start, numbered.end) {
        (Some(start), _) => start == v && numbered.arena.len() > 1,
        (None, Some(end)) => end != v,
        (None, None) => false,
    };
    if is_start { "start" } else { "end" }
}

/// Every pair of consecutive moves, a row each.
///
/// # Errors
/// What the output says.
pub fn write_pairs_csv(out: &mut impl Write, found: &Pairs) -> io::Result<()> {
    let arena = &found.numbered.arena;
    let mut sheet = Sheet::new(out, &found.numbered, &["from", "over", "to", "tours", "share"])?;
    for (pair, number) in &found.pairs {
        let [a, v, b] = pair.map(|v| arena.name(v));
        let share = decimal(share(number, &found.total));
        sheet.row(&[&a, &v, &b, &number.to_string(), &share])?;
    }
    sheet.row(&["total", "", "", &found.total.to_string(), ""])?;
    sheet.rows.flush()
}

/// What all that is told as JSON says of itself.
pub(super) fn object(numbered: &Numbered, total: &BigUint) -> serde_json::Map<String, serde_json::Value> {
    let fixed = |v: Option<u32>| v.map(|v| numbered.arena.name(v));
    let value = json!({
        "schema": 1,
        "arena": numbered.arena.to_string(),
        "kind": numbered.kind.name(),
        "start": fixed(numbered.start),
        "end": fixed(numbered.end),
        "tours": total.to_string(),
    });
    value.as_object().cloned().unwrap_or_default()
}

pub(super) fn line_of(object: serde_json::Map<String, serde_json::Value>) -> String {
    serde_json::Value::Object(object).to_string() + "\n"
}

/// Pairs of consecutive moves as an object.
#[must_use]
pub fn pairs_json(found: &Pairs) -> String {
    let arena = &found.numbered.arena;
    let pair = |(pair, number): &([u32; 3], BigUint)| {
        let [a, v, b] = pair.map(|v| arena.name(v));
        json!({"from": a, "over": v, "to": b, "tours": number.to_string(), "share": share(number, &found.total)})
    };
    let mut object = object(&found.numbered, &found.total);
    object.insert("pairs".to_owned(), found.pairs.iter().map(pair).collect());
    line_of(object)
}

/// The same as an object.
#[must_use]
pub fn statistics_json(found: &Statistics, order: Option<&str>) -> String {
    let arena = &found.numbered.arena;
    let move_of = |((v, w), number): &((u32, u32), BigUint)| json!({"from": arena.name(*v), "to": arena.name(*w), "tours": number.to_string(), "share": found.share(number)});
    let end_of = |(v, number): (u32, &BigUint)| json!({"vertex": arena.name(v), "tours": number.to_string(), "share": found.share(number)});
    let mut object = object(&found.numbered, &found.total);
    object.insert("plan".to_owned(), json!(order));
    object.insert("moves".to_owned(), found.moves.iter().map(move_of).collect());
    object.insert("ends".to_owned(), (0..).zip(&found.ends).map(end_of).collect());
    line_of(object)
}

/// The heat map, as SVG.
///
/// # Errors
/// The arena lies nowhere.
pub fn heat_map(found: &Statistics, letters: Letters) -> Result<String, DrawError> {
    let mut text = String::new();
    with_heat(found, letters, |heat| write_heat(&mut text, heat))?;
    Ok(text)
}

/// The heat map for a terminal of so many columns.
///
/// # Errors
/// The arena lies nowhere, or is too wide.
pub fn heat_picture(found: &Statistics, width: usize, colour: bool) -> Result<Picture, TerminalError> {
    with_heat(found, Letters::Text, |heat| heat_on_terminal(heat, width, colour))
}

fn with_heat<T>(found: &Statistics, letters: Letters, draw: impl FnOnce(&Heat) -> T) -> T {
    let moves: Vec<(u32, u32, f64)> =
        found.moves.iter().map(|((v, w), number)| (*v, *w, found.share(number))).collect();
    let ends: Vec<f64> = found.ends.iter().map(|number| found.share(number)).collect();
    let ends = (found.numbered.kind != Kind::Closed).then_some(ends.as_slice());
    let title = format!("{}: {}", described(&found.numbered), counted(grouped(&found.total), "tour"));
    draw(&Heat { arena: &found.numbered.arena, title: &title, moves: &moves, ends, letters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_shares() {
        assert_eq!((bar(0.0), bar(0.05), bar(0.5)), (String::new(), "█".to_owned(), "█".repeat(10)));
        assert_eq!(bar(1.0 / 32.0), "▋");
    }

    #[test]
    fn no_share_of_some_is_nothing() {
        assert_eq!([1.0, 0.021_091, 0.0].map(percent), ["100.000 %", "2.109 %", "0.000 %"]);
        assert_eq!(percent(8.0 / 13_267_364_410_532.0), "6.0e-11 %");
        assert_eq!([1.0, 0.25, 0.0].map(decimal), ["1.000000000", "0.250000000", "0.000000000"]);
        assert_eq!(decimal(8.0 / 13_267_364_410_532.0), "6.02983362e-13");
    }
}
