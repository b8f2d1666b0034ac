//! Results as aligned text.

use std::fmt::Write;

use num_bigint::BigUint;

use super::Report;
use crate::count::directed;
use crate::tour::Kind;

const KINDS: [Kind; 3] = [Kind::Closed, Kind::Open, Kind::Paths];

/// A row for each kind that was counted, with undirected and directed numbers; with directed ones alone if
/// a start or end is fixed or `directed_only`.
///
/// ```text
/// kind    undirected  directed
/// closed        9862     19724
/// ```
#[must_use]
pub fn table(report: &Report<'_>, directed_only: bool) -> String {
    let answer = report.answer;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for kind in KINDS {
        let Some(count) = answer.counts.get(kind) else { continue };
        let mut row = vec![kind.name().to_owned()];
        if answer.fixed {
            row.push(count.to_string());
        } else {
            if !directed_only {
                row.push(count.to_string());
            }
            row.push(directed(count, &report.request.board).to_string());
        }
        rows.push(row);
    }
    let head: &[&str] = if answer.fixed || directed_only {
        &["kind", "directed"]
    } else {
        &["kind", "undirected", "directed"]
    };
    align(head, &rows)
}

/// A row for each start square, with directed numbers, and their sum at the end.
#[must_use]
pub fn per_start_table(report: &Report<'_>) -> String {
    let starts = &report.answer.per_start;
    let kinds: Vec<Kind> =
        KINDS.into_iter().filter(|&kind| report.answer.counts.get(kind).is_some()).collect();
    let number = |count: Option<&BigUint>| count.map_or_else(String::new, ToString::to_string);
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(starts.len() + 1);
    for start in starts {
        let mut row = vec![start.square.to_string(), start.orbit.to_string()];
        row.extend(kinds.iter().map(|&kind| number(start.counts.get(kind))));
        rows.push(row);
    }
    let mut sums = vec!["sum".to_owned(), String::new()];
    for &kind in &kinds {
        let sum: BigUint = starts.iter().filter_map(|start| start.counts.get(kind)).sum();
        sums.push(sum.to_string());
    }
    rows.push(sums);
    let mut head = vec!["start", "orbit"];
    head.extend(kinds.iter().map(|kind| kind.name()));
    align(&head, &rows)
}

/// First column to the left, numbers to the right.
fn align(head: &[&str], rows: &[Vec<String>]) -> String {
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
