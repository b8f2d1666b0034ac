//! Counts as rows of CSV, with one row for each count.

use num_bigint::BigUint;

use super::count_report::CountResult;
use super::table::{Cell, Table};
use ktour::batch::Record;
use ktour::board::Wrap;
use ktour::tour::Kind;

/// The columns of a CSV row. The first eight keep their names and positions in every version.
const COUNT_COLUMNS: &str = "board leaper kind start undirected directed engine seconds end removed orbit shards \
    complete nodes visited threads version distinct class symmetry wrap modulus required forbidden \
    board_text";

/// Returns a table for the counts of a command, without rows. `common` has the cells that all rows
/// share. A column is empty if neither they nor the row have its cell.
pub(super) fn new_count_rows<'a>(common: impl IntoIterator<Item = (&'a str, Cell)>) -> Table {
    Table::new(COUNT_COLUMNS.split(' ')).with_common(common)
}

/// Returns the name of a wrapping, such as `torus`. Empty if no edges are joined.
#[must_use]
pub const fn wrap_name(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::None => "",
        wrap => wrap.name(),
    }
}

/// Returns a count as rows of CSV: one for each kind, or for each kind and start square if counts by
/// start were requested. `record` is its record. If symmetry classes were counted, a row for each class precedes the row of
/// all tours. The column `undirected` is empty if a start or end is fixed, and for a shard of a job.
#[must_use]
pub fn count_rows(result: &CountResult, record: &Record) -> Table {
    let wrap = wrap_name(result.board().wrap());
    let mut table = new_count_rows([
        ("board", record.board.as_str().into()),
        ("leaper", record.leaper.as_deref().into()),
        ("engine", record.engine.as_str().into()),
        ("seconds", Cell::Seconds(record.seconds)),
        ("end", record.end.as_deref().into()),
        ("removed", record.removed.join(" ").into()),
        ("shards", record.shards.join(" ").into()),
        ("complete", record.complete.into()),
        ("nodes", record.nodes.into()),
        ("visited", record.visited.into()),
        ("threads", record.threads.into()),
        ("version", record.version.as_str().into()),
        ("wrap", wrap.into()),
        ("modulus", record.modulus.into()),
        ("required", record.required.join(" ").into()),
        ("forbidden", record.forbidden.join(" ").into()),
        ("board_text", record.board_text.as_str().into()),
    ]);
    let fixed = || ("start", Cell::from(record.start.as_deref()));
    let of_kind = |kind: Kind| ("kind", Cell::from(kind.name()));
    for counts in result.counts_by_kind() {
        let kind = counts.kind;
        for (class, numbers) in result.distinct_counts.classes(kind).into_iter().flat_map(|table| &table.rows)
        {
            table.push_named([
                of_kind(kind),
                fixed(),
                ("undirected", (&numbers.tours).into()),
                ("class", class.name().into()),
                ("distinct", (&numbers.classes).into()),
            ]);
        }
        if result.start_counts().is_empty() {
            table.push_named(counts.cells().into_iter().chain([fixed()]));
        }
        for start in result.start_counts() {
            let directed: Option<&BigUint> = start.counts.get(kind);
            if directed.is_some() {
                table.push_named([
                    of_kind(kind),
                    ("start", result.board().name(start.vertex).into()),
                    ("directed", directed.into()),
                    ("orbit", start.orbit_size.into()),
                ]);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_eight_columns_are_stable() {
        let mut table = new_count_rows([
            ("leaper", "1,2".into()),
            ("engine", "frontier".into()),
            ("seconds", Cell::Seconds(0.5)),
        ]);
        let undirected = ("undirected", BigUint::from(9862u32).into());
        table.push_named([("board", "6x6".into()), ("kind", "closed".into()), undirected]);
        let mut out = Vec::new();
        table.write_csv(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (head, row) = text.split_once('\n').unwrap();
        assert!(head.starts_with("board,leaper,kind,start,undirected,directed,engine,seconds,"), "{head}");
        assert!(row.starts_with("6x6,\"1,2\",closed,,9862,,frontier,0.500,"), "{row}");
    }
}
