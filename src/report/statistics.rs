//! Statistics of all tours: a table of what is alike, CSV and JSON of everything, a heat map.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde_json::json;

use super::text::align;
use ktour::board::Arena;
use ktour::index::{Histogram, Measure, Numbered, Statistics, share};
use ktour::tour::{DrawError, Heat, Kind, Letters, write_heat};

/// Blocks of a bar for a share of one.
const BAR: usize = 20;

/// A row of the table: what it is of, how many are alike, tours.
type Row = (String, usize, BigUint);

/// Shares as a bar of eighths of blocks.
fn bar(share: f64) -> String {
    let eighths = (share * (BAR * 8) as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// The name of a move.
fn name(arena: &Arena, (v, w): (u32, u32)) -> String {
    format!("{}-{}", arena.name(v), arena.name(w))
}

/// The table: moves that the symmetries make alike are one row, the most used first; then the ends.
#[must_use]
pub fn statistics_table(found: &Statistics) -> String {
    let (arena, group) = (&found.numbered.arena, found.numbered.symmetries());
    let mut moves: Vec<Row> = Vec::new();
    let mut is_seen = std::collections::BTreeSet::new();
    for (edge, number) in &found.moves {
        if is_seen.contains(edge) {
            continue;
        }
        let images = group.elements().iter().map(|element| {
            let (a, b) = (element.image[edge.0 as usize], element.image[edge.1 as usize]);
            (a.min(b), a.max(b))
        });
        let images: std::collections::BTreeSet<_> = images.collect();
        moves.push((name(arena, *edge), images.len(), number.clone()));
        is_seen.extend(images);
    }
    let mut text = table(found, "move", moves);
    if !found.ends.is_empty() {
        let of = |orbit: Vec<u32>| (arena.name(orbit[0]), orbit.len(), found.ends[orbit[0] as usize].clone());
        let ends: Vec<Row> = group.orbits().into_iter().map(of).collect();
        text.push('\n');
        text.push_str(&table(found, "end", ends));
    }
    text
}

fn table(found: &Statistics, what: &str, mut rows: Vec<Row>) -> String {
    rows.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
    let most = rows.first().map_or(1.0, |row| found.share(&row.2)).max(f64::MIN_POSITIVE);
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, alike, number)| {
            let share = found.share(number);
            vec![name.clone(), alike.to_string(), number.to_string(), format!("{:.3} %", 100.0 * share)]
        })
        .collect();
    let text = align(&[what, "alike", "tours", "share"], &lines);
    // Bars stand behind the columns, relative to the greatest share.
    let bars = std::iter::once(String::new()).chain(rows.iter().map(|row| bar(found.share(&row.2) / most)));
    text.lines().zip(bars).map(|(line, bar)| format!("{line}  {bar}").trim_end().to_owned() + "\n").collect()
}

/// Every move and every end, a row each.
///
/// # Errors
/// What the output says.
pub fn write_statistics_csv(out: &mut impl Write, found: &Statistics) -> io::Result<()> {
    let arena = &found.numbered.arena;
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(["what", "from", "to", "tours", "share"])?;
    for ((v, w), number) in &found.moves {
        let share = format!("{:.9}", found.share(number));
        rows.write_record(["move", &arena.name(*v), &arena.name(*w), &number.to_string(), &share])?;
    }
    for (v, number) in (0..).zip(&found.ends) {
        let share = format!("{:.9}", found.share(number));
        rows.write_record(["end", &arena.name(v), "", &number.to_string(), &share])?;
    }
    rows.flush()
}

/// The same as an object.
#[must_use]
pub fn statistics_json(found: &Statistics, order: &str) -> String {
    let arena = &found.numbered.arena;
    let move_of = |((v, w), number): &((u32, u32), BigUint)| json!({"from": arena.name(*v), "to": arena.name(*w), "tours": number.to_string(), "share": found.share(number)});
    let end_of = |(v, number): (u32, &BigUint)| json!({"vertex": arena.name(v), "tours": number.to_string(), "share": found.share(number)});
    let fixed = |v: Option<u32>| v.map(|v| arena.name(v));
    let value = json!({
        "schema": 1,
        "arena": arena.to_string(),
        "kind": found.numbered.kind.name(),
        "start": fixed(found.numbered.start),
        "end": fixed(found.numbered.end),
        "plan": order,
        "tours": found.total.to_string(),
        "moves": found.moves.iter().map(move_of).collect::<Vec<_>>(),
        "ends": (0..).zip(&found.ends).map(end_of).collect::<Vec<_>>(),
    });
    value.to_string() + "\n"
}

/// The heat map, as SVG.
///
/// # Errors
/// The arena lies nowhere.
pub fn heat_map(found: &Statistics, letters: Letters) -> Result<String, DrawError> {
    let moves: Vec<(u32, u32, f64)> =
        found.moves.iter().map(|((v, w), number)| (*v, *w, found.share(number))).collect();
    let ends: Vec<f64> = found.ends.iter().map(|number| found.share(number)).collect();
    let ends = (found.numbered.kind != Kind::Closed).then_some(ends.as_slice());
    let mut text = String::new();
    write_heat(&mut text, &Heat { arena: &found.numbered.arena, moves: &moves, ends, letters })?;
    Ok(text)
}

/// Tours by how many moves they have, a row each, and all of them at the end.
#[must_use]
pub fn histogram_table(found: &Histogram) -> String {
    let all = share(&found.total, &found.total).max(f64::MIN_POSITIVE);
    let of = |number| share(number, &found.total) / all;
    let mut lines: Vec<Vec<String>> = found
        .tours
        .iter()
        .map(|(moves, number)| {
            vec![moves.to_string(), number.to_string(), format!("{:.3} %", 100.0 * of(number))]
        })
        .collect();
    lines.push(vec!["total".to_owned(), found.total.to_string(), String::new()]);
    let text = align(&["moves", "tours", "share"], &lines);
    let most = found.tours.values().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let bars =
        std::iter::once(String::new()).chain(found.tours.values().map(|number| bar(of(number) / most)));
    let bars = bars.chain([String::new()]);
    text.lines().zip(bars).map(|(line, bar)| format!("{line}  {bar}").trim_end().to_owned() + "\n").collect()
}

/// The same rows as CSV.
///
/// # Errors
/// What the output says.
pub fn write_histogram_csv(out: &mut impl Write, found: &Histogram) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(["moves", "tours", "share"])?;
    for (moves, number) in &found.tours {
        let share = format!("{:.9}", share(number, &found.total));
        rows.write_record([moves.to_string(), number.to_string(), share])?;
    }
    rows.flush()
}

/// The same as an object.
#[must_use]
pub fn histogram_json(found: &Histogram) -> String {
    let fixed = |v: Option<u32>| v.map(|v| found.numbered.arena.name(v));
    let row = |(moves, number): (&u32, &BigUint)| json!({"moves": moves, "tours": number.to_string()});
    let value = json!({
        "schema": 1,
        "arena": found.numbered.arena.to_string(),
        "kind": found.numbered.kind.name(),
        "start": fixed(found.numbered.start),
        "end": fixed(found.numbered.end),
        "tours": found.total.to_string(),
        "histogram": found.tours.iter().map(row).collect::<Vec<_>>(),
    });
    value.to_string() + "\n"
}

/// Measures of a sample, a row each.
#[must_use]
pub fn measures_table(found: &[Measure]) -> String {
    let row = |measure: &Measure| {
        let Measure { name, mean, error, deviation, range: (least, most), .. } = measure;
        vec![
            (*name).to_owned(),
            format!("{mean:.4}"),
            format!("{error:.4}"),
            format!("{deviation:.3}"),
            format!("{least:.2}"),
            format!("{most:.2}"),
        ]
    };
    align(
        &["of a tour", "mean", "error", "deviation", "least", "most"],
        &found.iter().map(row).collect::<Vec<_>>(),
    )
}

/// The same as an object.
#[must_use]
pub fn measures_json(numbered: &Numbered, samples: u64, seed: u64, found: &[Measure]) -> String {
    let row = |measure: &Measure| {
        let Measure { name, mean, error, deviation, range: (least, most), .. } = measure;
        json!({"name": name, "mean": mean, "error": error, "deviation": deviation, "least": least, "most": most})
    };
    let value = json!({
        "schema": 1,
        "arena": numbered.arena.to_string(),
        "kind": numbered.kind.name(),
        "samples": samples,
        "seed": seed,
        "measures": found.iter().map(row).collect::<Vec<_>>(),
    });
    value.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_shares() {
        assert_eq!((bar(0.0), bar(0.05), bar(0.5)), (String::new(), "█".to_owned(), "█".repeat(10)));
        assert_eq!(bar(1.0 / 32.0), "▋");
    }
}
