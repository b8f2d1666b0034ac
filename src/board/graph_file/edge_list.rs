//! Parser of lists of edges: two names a line, and vertices without edges alone in their lines.
//!
//! Lines that other formats would read as something else are rejected: ends of lists, a single line of names
//! between numbers, lists of neighbours without colons, and nodes before a line `#` (TGF).

use std::collections::HashSet;

use super::adjacency::joined_list_error;
use super::edge_set::{EdgeSet, GraphFile};
use super::edge_table::{EdgeTable, Row};
use super::error::{GraphFileError, excerpt};
use super::first_line::{
    check_first_name, check_last_sizes, check_numbered_header, find_skipped_rows, is_end_word,
};
use super::labels::check_labels;
use super::lines::Lines;
use super::vertex_name::{check_accents, check_final_signs, check_spellings, is_number, split_at_sign};
use crate::board::sparse6;
use crate::text_format::format_count;

/// Parses a list of edges.
///
/// # Errors
/// The first line that is not an edge or a vertex, or that has two readings.
pub(super) fn parse_edge_list(lines: &Lines<'_>) -> Result<GraphFile, GraphFileError> {
    if let Some(number) = lines.lone_hash {
        return Err(GraphFileError::new(
            number,
            "`#` alone ends the nodes of a TGF file, which ktour does not read; delete the nodes, or the empty comment",
        ));
    }
    let table = EdgeTable::parse(&lines.contents)?;
    let skipped = find_skipped_rows(&table)?;
    let rows = &table.rows[skipped.number..];
    let uses = table.count_uses(rows);
    let used: Vec<u32> = (0..table.names.len() as u32).filter(|&index| uses[index as usize] > 0).collect();
    let names: Vec<&str> = used.iter().map(|&index| table.name(index)).collect();
    check_spellings(&names)
        .and_then(|()| check_accents(&names))
        .and_then(|()| check_final_signs(&names))
        .map_err(|what| GraphFileError::new(rows[0].line(), what))?;
    check_odd_lines(&table, rows, &names, &uses)?;
    check_first_name(&table, rows, &uses)?;
    check_joined_lists(&table, rows, &uses)?;
    // The names of the columns leave no other reading than edges.
    if !skipped.names_columns {
        check_labels(&table, rows, &uses)?;
    }
    check_last_sizes(&table, rows, &uses)?;
    check_graph6_column(&table, rows, &uses)?;
    check_neighbour_lists(&table, rows)?;
    if skipped.number == 0 {
        check_neighbour_lists(&table, &rows[1..])?;
    }
    let mut notes: Vec<String> = skipped.note.into_iter().collect();
    if skipped.number == 0 && lines.contents[0].text == "0,1" {
        notes.extend(check_numbered_header(&table, rows)?);
    }
    notes.extend(note_on_titles(&table, rows, &uses));
    notes.extend(check_lone_names(&table, rows, &uses)?);
    let mut position = vec![0; table.names.len()];
    (0..).zip(&used).for_each(|(at, &index)| position[index as usize] = at);
    let edges = rows.iter().filter_map(|row| {
        let (v, w) = row.pair()?;
        Some((row.line(), position[v as usize], position[w as usize]))
    });
    Ok(EdgeSet { vertices: names.len(), edges: edges.collect() }.into_named_graph(&names, notes))
}

/// Rejects ends of lists, and a line of names in a file of numbers.
fn check_odd_lines(
    table: &EdgeTable<'_>,
    rows: &[Row],
    names: &[&str],
    uses: &[u32],
) -> Result<(), GraphFileError> {
    let Some(&last) = rows.last() else { return Ok(()) };
    let is_unused = |index: u32| uses[index as usize] == 1;
    let is_end_name =
        |index: u32| is_unused(index) && (is_end_word(table.name(index)) || table.name(index) == "0");
    let is_end = rows.len() > 1 && last.indices().all(is_end_name);
    if is_end && names.iter().all(|name| *name == "0" || !name.starts_with('0')) {
        return Err(table.error(
            last,
            "may end the list, or be a vertex; delete an end, or move the vertex to another line",
        ));
    }
    let words = names.iter().filter(|name| !is_number(name)).count();
    if rows.len() > 2 && (1..=2).contains(&words) {
        let has_word = |row: &&Row| row.indices().any(|index| !is_number(table.name(index)));
        let mut odd = rows.iter().filter(has_word);
        if let (Some(row), None) = (odd.next(), odd.next()) {
            return Err(table.error(
                *row,
                "is the only line with other names than numbers; delete it, or begin it with `#` as a comment",
            ));
        }
    }
    check_several_edges_a_line(table, rows, names, uses)
}

/// Rejects edges such as `1:2 4` if they may be lists of neighbours without the blank behind the colon: the word before
/// the colon is a name, or the second name is such a word of another line. A name of several edges is a vertex.
fn check_joined_lists(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    let join = |row: &Row| {
        let (v, w) = row.pair().filter(|&(v, _)| uses[v as usize] == 1)?;
        let (vertex, neighbour) = table.name(v).split_once(':')?;
        let is_plain = ![neighbour, table.name(w)].iter().any(|name| name.contains(':'));
        is_plain.then_some((*row, vertex, table.name(w)))
    };
    let joined: Vec<(Row, &str, &str)> = rows.iter().filter_map(join).collect();
    if joined.is_empty() {
        return Ok(());
    }
    let names: HashSet<&str> = table.names.iter().copied().collect();
    let vertices: HashSet<&str> = joined.iter().map(|&(_, vertex, _)| vertex).collect();
    match joined.iter().find(|(_, vertex, second)| names.contains(vertex) || vertices.contains(second)) {
        Some((row, ..)) => Err(table.error(*row, joined_list_error(&table.shown(*row)))),
        None => Ok(()),
    }
}

/// Rejects a list whose first column is graphs in graph6.
fn check_graph6_column(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Result<(), GraphFileError> {
    let is_graph = |index: u32| sparse6::decode(table.name(index)).is_ok_and(|graph| graph.len() > 2);
    let has_column = |row: &Row| row.pair().is_some_and(|(v, w)| is_graph(v) && !is_graph(w));
    // One graph a line, and a line of text.
    let is_line = |row: &Row| row.lone().is_some_and(|index| uses[index as usize] == 1 && is_graph(index));
    // A single line with signs may also be a damaged graph.
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_damaged = |row: &Row| {
        row.pair().is_some() && !row.indices().all(|index| table.name(index).chars().all(is_plain))
    };
    let is_suspect = rows.iter().all(has_column)
        || rows.first().is_some_and(is_line)
        || matches!(rows, [row] if is_damaged(row));
    match rows.first().filter(|_| is_suspect) {
        Some(row) => Err(table.error(
            *row,
            "may be part of a list of edges, or a graph in graph6; delete other text than the graphs, or rename the vertices",
        )),
        None => Ok(()),
    }
}

/// Returns a note on a first or last line whose two names no other line has: it may be a title.
fn note_on_titles(table: &EdgeTable<'_>, rows: &[Row], uses: &[u32]) -> Option<String> {
    let (first, last) = (rows.first()?, rows.last()?);
    let is_alone = |row: &&Row| {
        row.pair().is_some_and(|(v, w)| v != w)
            && row.indices().all(|index| uses[index as usize] == 1)
            && row.indices().any(|index| !is_number(table.name(index)))
    };
    let row = [first, last].into_iter().find(is_alone).filter(|_| rows.len() > 2)?;
    Some(format!(
        "line {}, `{}`, is read as an edge between two names that no other line has; begin a title with `#`",
        row.line(),
        table.shown(*row)
    ))
}

/// Rejects names such as `1-2` if each occurs once, as they may be edges.
fn check_several_edges_a_line(
    table: &EdgeTable<'_>,
    rows: &[Row],
    names: &[&str],
    uses: &[u32],
) -> Result<(), GraphFileError> {
    if names.len() < 2 || rows.iter().any(|row| row.indices().any(|index| uses[index as usize] > 1)) {
        return Ok(());
    }
    let sign = |name: &str| split_at_sign(name).map(|(_, sign, _)| sign);
    match sign(names[0]) {
        Some(found) if names.iter().all(|name| sign(name) == Some(found)) => Err(table.error(
            rows[0],
            format!(
                "has names that may be edges because of their `{found}`; write one edge a line, two names separated by a blank"
            ),
        )),
        _ => Ok(()),
    }
}

/// Rejects rows that may be lists of neighbours, line i those of vertex i, unless both readings are one graph.
fn check_neighbour_lists(table: &EdgeTable<'_>, rows: &[Row]) -> Result<(), GraphFileError> {
    // Each vertex has one row and occurs in another one; the first row may have added two names.
    let is_possible = rows.len() <= table.names.len() && table.names.len() <= rows.len() + 2;
    if !is_possible {
        return Ok(());
    }
    let len = rows.len() as u64;
    let number = |index: u32| table.number(index).filter(|&number| number <= len);
    let lists: Option<Vec<Vec<u64>>> = rows.iter().map(|row| row.indices().map(number).collect()).collect();
    let (Some(lists), true) = (lists, len > 1) else { return Ok(()) };
    for base in [0, 1] {
        let list = |v: u64| v.checked_sub(base).and_then(|at| lists.get(at as usize));
        let is_mutual = |(v, neighbours): (u64, &Vec<u64>)| {
            neighbours.iter().all(|&w| w != v && list(w).is_some_and(|back| back.contains(&v)))
                && (neighbours.len() < 2 || neighbours[0] != neighbours[1])
        };
        if !(base..).zip(&lists).all(is_mutual) {
            continue;
        }
        let sorted = |pairs: Vec<(u64, u64)>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(v, w)| (v.min(w), v.max(w))).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        };
        let as_lists = (base..).zip(&lists).flat_map(|(v, list)| list.iter().map(move |&w| (v, w))).collect();
        let as_edges = lists.iter().filter(|list| list.len() == 2).map(|list| (list[0], list[1])).collect();
        if sorted(as_lists) != sorted(as_edges) {
            return Err(table.error(
                rows[0],
                format!(
                    "may be an edge, or the neighbours of vertex {base} as in an adjacency list; write `{base}: {}` for neighbours, and each edge once",
                    table.shown(rows[0])
                ),
            ));
        }
    }
    Ok(())
}

/// Returns a note on names that are alone in a line although they occur in edges, unless lines at one end of
/// the file list all vertices.
///
/// # Errors
/// The last line has one name of an edge and may be incomplete, or a name may be an edge because of its sign.
fn check_lone_names(
    table: &EdgeTable<'_>,
    rows: &[Row],
    uses: &[u32],
) -> Result<Option<String>, GraphFileError> {
    let lone: Vec<&Row> = rows.iter().filter(|row| row.lone().is_some()).collect();
    let Some(last) = rows.last() else { return Ok(None) };
    if lone.is_empty() {
        return Ok(None);
    }
    let is_name = |text: &str| table.names.contains(&text);
    for row in &lone {
        let index = row.lone().expect("the row has one name");
        // Only few names have such a sign.
        if let Some((before, sign, after)) = split_at_sign(table.name(index))
            && uses[index as usize] == 1
            && (is_name(before) || is_name(after))
        {
            return Err(table.error(
                **row,
                format!("may be an edge because of its `{sign}`; separate its names as in the other lines"),
            ));
        }
    }
    let vertices = uses.iter().filter(|&&uses| uses > 0).count();
    let is_declaration = |lone: usize| {
        let mut declared = vec![false; table.names.len()];
        let mut rows: Box<dyn Iterator<Item = &Row>> =
            if rows[0].lone().is_some() { Box::new(rows.iter()) } else { Box::new(rows.iter().rev()) };
        let block = rows.by_ref().map_while(|row| row.lone());
        let new = block.filter(|&index| !std::mem::replace(&mut declared[index as usize], true)).count();
        new == vertices && new == lone
    };
    if is_declaration(lone.len()) {
        return Ok(None);
    }
    let mut in_edges = lone.iter().filter(|row| row.lone().is_some_and(|index| uses[index as usize] > 1));
    let Some(first) = in_edges.next() else { return Ok(None) };
    if last.lone().is_some_and(|index| uses[index as usize] > 1) {
        return Err(table.error(*last, "at the end has one name; complete the edge, or delete the line"));
    }
    let number = 1 + in_edges.count();
    if number > 1 && 3 * number >= rows.len() {
        return Err(table.error(
            **first,
            format!(
                "is one of {number} lines with one name between the edges; write two names for each edge, and vertices without edges at the end"
            ),
        ));
    }
    Ok(Some(format!(
        "{} {} one name, which is read as a vertex, not as an edge: first line {}, `{}`",
        format_count(number, "line"),
        if number == 1 { "has" } else { "have" },
        first.line(),
        excerpt(&table.shown(**first))
    )))
}

#[cfg(test)]
mod tests {
    use super::super::{GraphFile, parse};
    use crate::board::{Board, BoardKind};

    fn names(text: &str) -> Vec<String> {
        let board = Board::new(parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}")).graph);
        (0..board.len() as u32).map(|v| board.name(v)).collect()
    }

    fn edge_count(file: &GraphFile) -> usize {
        file.graph.graph().edge_count()
    }

    #[test]
    fn parse_keeps_vertex_names_in_order() {
        assert_eq!(names("york leeds   # a road\nhull\nleeds hull"), ["york", "leeds", "hull"]);
        assert_eq!(names("10 9\n9 2"), ["2", "9", "10"]);
        assert_eq!(edge_count(&parse("1 1").unwrap()), 0);
        // Vertices of a list may have names that DIMACS lines begin with.
        assert_eq!(names("c d\ne c"), ["c", "d", "e"]);
        assert_eq!(names("p q\nq a\na p"), ["p", "q", "a"]);
        assert_eq!(names("c p\np\ne p"), ["c", "p", "e"]);
        assert_eq!(names("a a"), ["a"]);
        assert_eq!(names("C# D\nD E\nE C#\n"), ["C#", "D", "E"]);
        assert_eq!(names("v(1) v(2)\nv(2) v(3)\nv(3) v(1)\n").len(), 3);
        assert_eq!(names("\u{feff}% a triangle\na b\nb c\nc a\n"), ["a", "b", "c"]);
        assert_eq!(names("a\u{a0}b\nb\u{a0}c\n"), ["a", "b", "c"]);
        assert_eq!(names("01 02\n02 10\n10 01\n"), ["01", "02", "10"]);
    }

    #[test]
    fn names_in_one_column_are_vertices_if_they_are_no_labels() {
        for (text, vertices, edges) in [
            ("a b\na c\na d\nb c\nb d\nc d\n", 4, 6),
            ("v w\nv x\nv y\nw x\nx y\n", 4, 5),
            ("n e\nn w\ne s\ns w\n", 4, 4),
            ("hub 1\nhub 2\n3 hub\n1 2\n2 3\n", 4, 5),
            ("1 s\n1 t\n2 s\n2 t\n1 2\n", 4, 5),
            ("hub 1\nhub 2\nhub 3\n", 4, 3),
            ("a 1\nb 1\na b\nb c\nc a\n", 4, 5),
            ("Mr. Dr.\nDr. Prof.\nProf. Mr.\n", 3, 3),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!((file.graph.vertex_count(), edge_count(&file)), (vertices, edges), "{text:?}");
        }
    }

    #[test]
    fn lone_names_are_vertices() {
        for (text, vertices, notes) in [
            ("1\n2\n3\n1 2\n2 3\n", 3, 0),
            ("1 2\n2 3\n1\n2\n3\n", 3, 0),
            ("1 2\n2 3\n4\n", 4, 1),
            ("a b\nb\nb c\n", 3, 1),
            ("a b\nK5\nb c\n", 4, 1),
            ("a\na b\nb c\n", 3, 1),
            ("a\nb\nc\nK5\na b\nb c\n", 4, 1),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(
                (file.graph.vertex_count(), file.notes.len()),
                (vertices, notes),
                "{text:?}: {:?}",
                file.notes
            );
        }
    }

    #[test]
    fn parse_rejects_lines_of_other_formats() {
        for (text, line) in [
            ("1 2\n2 3\n3 1\n0 0\n", 4),
            ("1 2\n2 3\n3 1\n0\n", 4),
            ("1 2\n2 3\n3 1\n-1\n", 4),
            ("1 2\n2 3\n3 1\n-1 -1\n", 4),
            ("1 2\n2 3\n3 1\nEOF\n", 4),
            ("a b\nb c\nc a\nend\n", 4),
            ("1 2\n2 3\nx y\n3 1\n", 3),
            ("1 2\n2 3\n3\n", 3),
            ("2 3\n1 4\n1 4\n2 3\n", 1),
            ("4 4\n2 4\n1 3\n2 4\n1 3\n", 2),
            ("1 a\n2 b\n#\n1 2\n", 3),
            ("1 2\n02 3\n", 1),
            ("1-2 2-3\n3-4 4-1\n", 1),
            ("1 2\n2-3\n3 1\n", 2),
            // Labels, sizes at the end or in the second line, a header of pandas, a second column.
            ("1 Paris\n2 Rome\n3 Oslo\n\n1 2\n2 3\n3 1\n", 1),
            ("1 2\n2 3\n3 1\n1 a\n2 b\n", 4),
            ("1 2\n2 3\n3 4\n4 1\n1 3\n4 5\n", 6),
            ("1 2\n2 3\n3 1\n3 4\n4 5\n1 4\n2 4\n5 7\n", 8),
            ("0 1\n1 2\n2 3\n3 0\n4\n", 5),
            ("1\n3 3\n1 2\n2 3\n3 1\n", 2),
            ("0,1\n1,2\n2,3\n3,1\n", 1),
            ("Bw 1\n", 1),
            ("DqK\nC~\nsee below\n", 1),
            ("a b\na\nb\nb c\nc a\n", 2),
            ("\u{e9} b\nb c\nc e\u{301}\n", 1),
            ("\u{2126} b\nb c\nc \u{3a9}\n", 1),
            ("a\u{323}\u{301} b\nb c\nc a\u{301}\u{323}\n", 1),
            // Declarations, titles, labels, and full stops.
            ("v 1\nv 2\nv 3\n1 2\n2 3\n3 1\n", 1),
            ("1 2\n2 3\n3 1\nV 1\nV 2\nV 3\n", 4),
            ("n 1\n1 2\n2 3\nn 3\n3 1\n", 1),
            ("edge 1\n1 2\nedge 2\n2 3\nedge 3\n3 1\n", 1),
            ("Graph 1\n1 2\n2 3\n3 1\nGraph 2\n1 2\n2 3\n3 4\n4 1\n", 1),
            ("G 1\n1 2\n2 3\n3 1\nG 2\n1 2\n2 3\n3 4\n4 1\n", 1),
            ("v a\nv b\nv c\na b\nb c\nc a\n", 1),
            ("1 2\n2 3\n3 1\n1 red\n2 blue\n3 red\n", 4),
            ("1 red\n2 red\n3 red\n1 2\n2 3\n3 1\n", 1),
            ("a b\nb c\nc a\na 5\nb 5\nc 5\n", 4),
            ("type undirected\na b\nb c\nc a\n", 1),
            ("a b.\nb c.\nc a.\n", 1),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
        // Every edge of networkx ends with its attributes.
        assert_eq!(edge_count(&parse("0 1 {}\n1 2 {}\n2 0 {}\n").unwrap()), 3);
        for (text, vertices, word) in [
            ("0,1\n1,2\n2,3\n3,0\n", 4, "header"),
            ("3\na\nb\nc\na b\nb c\nc a\n", 3, "sizes"),
            ("a b\nb c\nc a\nThe end\n", 5, "title"),
        ] {
            let file = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(file.graph.vertex_count(), vertices, "{text:?}");
            assert!(file.notes.iter().any(|note| note.contains(word)), "{text:?}: {:?}", file.notes);
        }
        // Both readings are the same graph.
        assert_eq!(edge_count(&parse("2 3\n1 3\n1 2\n").unwrap()), 3);
    }
}
