//! Results as aligned text.

use std::fmt::Write;

use num_bigint::BigUint;

use ktour::batch::Record;

/// A row for each kind that was counted, with undirected and directed numbers; with directed ones alone if
/// a start or end is fixed, for a part of a job, or if `directed_only`.
///
/// ```text
/// kind    undirected  directed
/// closed        9862     19724
/// ```
#[must_use]
pub fn table(record: &Record, directed_only: bool) -> String {
    let directed_only = directed_only || record.counts.values().any(|number| number.undirected.is_none());
    if !record.distinct.is_empty() {
        return distinct_table(record, directed_only);
    }
    let rows: Vec<Vec<String>> = record
        .counts
        .iter()
        .map(|(kind, number)| {
            let undirected = number.undirected.clone().filter(|_| !directed_only);
            [Some(kind.clone()), undirected, Some(number.directed.clone())].into_iter().flatten().collect()
        })
        .collect();
    let head: &[&str] =
        if directed_only { &["kind", "directed"] } else { &["kind", "undirected", "directed"] };
    align(head, &rows)
}

/// The same with distinct tours in place of directed ones, which are told apart by symmetry only.
fn distinct_table(record: &Record, directed_only: bool) -> String {
    let rows: Vec<Vec<String>> = record
        .counts
        .iter()
        .map(|(kind, number)| {
            let all = number.undirected.as_ref().filter(|_| !directed_only).unwrap_or(&number.directed);
            vec![kind.clone(), all.clone(), record.distinct.get(kind).cloned().unwrap_or_default()]
        })
        .collect();
    align(&["kind", if directed_only { "directed" } else { "undirected" }, "distinct"], &rows)
}

/// For each kind a table of its classes of symmetry.
///
/// ```text
/// closed           tours  distinct
/// asymmetric        9784      1223
/// rot180 eulerian     68        17
/// rot90               10         5
/// total             9862      1245
/// ```
#[must_use]
pub fn classes_tables(record: &Record) -> String {
    let tables = record.classes.iter().map(|(kind, classes)| {
        let mut rows: Vec<Vec<String>> = classes
            .iter()
            .map(|row| vec![row.class.clone(), row.tours.clone(), row.distinct.clone()])
            .collect();
        let all = record.counts.get(kind).and_then(|number| number.undirected.clone());
        let distinct = record.distinct.get(kind).cloned();
        rows.push(vec!["total".to_owned(), all.unwrap_or_default(), distinct.unwrap_or_default()]);
        align(&[kind, "tours", "distinct"], &rows)
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// A row for each start square, with directed numbers, and their sum at the end.
#[must_use]
pub fn per_start_table(record: &Record) -> String {
    let kinds: Vec<&String> = record.counts.keys().collect();
    let number =
        |start: &ktour::batch::Start, kind: &String| start.directed.get(kind).cloned().unwrap_or_default();
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(record.per_start.len() + 1);
    for start in &record.per_start {
        let mut row = vec![start.start.clone(), start.orbit.to_string()];
        row.extend(kinds.iter().map(|kind| number(start, kind)));
        rows.push(row);
    }
    let mut sums = vec!["sum".to_owned(), String::new()];
    for kind in &kinds {
        let numbers = record.per_start.iter().filter_map(|start| number(start, kind).parse::<BigUint>().ok());
        sums.push(numbers.sum::<BigUint>().to_string());
    }
    rows.push(sums);
    let mut head = vec!["start", "orbit"];
    head.extend(kinds.iter().map(|kind| kind.as_str()));
    align(&head, &rows)
}

/// First column to the left, numbers to the right.
pub(super) fn align(head: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..head.len())
        .map(|i| rows.iter().map(|row| row[i].len()).chain([head[i].len()]).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut row = String::new();
        for (i, cell) in cells.enumerate() {
            let width = widths[i];
            let _ = if i == 0 { write!(row, "{cell:<width$}") } else { write!(row, "  {cell:>width$}") };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["closed".to_owned(), "9862".to_owned()], vec!["sum".to_owned(), String::new()]];
        assert_eq!(align(&["kind", "n"], &rows), "kind       n\nclosed  9862\nsum\n");
    }
}
