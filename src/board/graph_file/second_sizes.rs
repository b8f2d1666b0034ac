//! Rejects a list of several graphs, each below its own sizes.

use std::collections::HashSet;

use super::edge_table::{EdgeTable, Row};
use super::error::GraphFileError;

/// Rejects several graphs, each below its own sizes, with or without their number in the first line.
///
/// # Errors
/// The sizes of the second graph.
pub(super) fn check_second_sizes(table: &EdgeTable<'_>) -> Result<(), GraphFileError> {
    let rows = &table.rows;
    let second = find_second_sizes(table, rows).or_else(|| find_second_sizes(table, &rows[1..]));
    match second {
        Some(row) => Err(table.error(
            row,
            "may be the sizes of a second graph, or an edge; write one graph a file, or one a line in graph6",
        )),
        None => Ok(()),
    }
}

/// Returns the sizes of the second graph if the rows are several graphs, each below its own sizes.
fn find_second_sizes(table: &EdgeTable<'_>, rows: &[Row]) -> Option<Row> {
    let (mut at, mut second) = (0, None);
    while let Some(&head) = rows.get(at) {
        let numbers: Vec<u64> =
            head.indices().map(|index| table.number(index)).collect::<Option<Vec<_>>>()?;
        let below = &rows[at + 1..];
        let len = match numbers[..] {
            [_, edges] => usize::try_from(edges).ok()?,
            _ => below.iter().take_while(|row| row.pair().is_some()).count(),
        };
        let edges = below.get(..len).filter(|edges| edges.iter().all(|row| row.pair().is_some()))?;
        let names: HashSet<u32> = edges.iter().flat_map(|row| row.indices()).collect();
        let (least, last, known) = names
            .iter()
            .filter_map(|&index| table.number(index))
            .fold((u64::MAX, 0, 0), |(least, last, known), number| {
                (least.min(number), last.max(number), known + 1)
            });
        let are_numbers = known == names.len() && least < 2 && last - least + 1 == known as u64;
        // A graph has all its vertices in its edges.
        if names.is_empty() || names.len() as u64 != numbers[0] || known > 0 && !are_numbers {
            return None;
        }
        second = second.or((at > 0).then_some(head));
        at += 1 + len;
    }
    second
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::board::BoardKind;

    #[test]
    fn second_graphs_are_rejected() {
        for (text, line) in [
            ("3 3\n1 2\n2 3\n3 1\n3 3\n1 2\n2 3\n3 1\n", 5),
            ("3 3\n1 2\n2 3\n3 1\n4 4\n1 2\n2 3\n3 4\n4 1\n", 5),
            ("4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n\n4 5\n0 1\n1 2\n2 3\n3 0\n1 3\n", 8),
            ("2\n3 3\n1 2\n2 3\n3 1\n4 4\n1 2\n2 3\n3 4\n4 1\n", 6),
            ("3\n1 2\n2 3\n3 1\n4\n1 2\n2 3\n3 4\n4 1\n", 5),
            ("3 3\na b\nb c\nc a\n2 1\nd e\n", 5),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(
                error.starts_with(&format!("line {line}: ")) && error.contains("second"),
                "{text:?}: {error}"
            );
        }
        // Each edge occurs once.
        let file = parse("3 1\n1 2\n4 1\n2 3\n").unwrap();
        assert_eq!((file.graph.vertex_count(), file.graph.graph().edge_count()), (4, 4));
    }
}
