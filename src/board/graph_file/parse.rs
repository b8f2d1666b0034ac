//! [`parse()`] and [`parse_all`]: recognise the format of a graph file and call its parser.

use super::adjacency::{find_lists, parse_neighbour_lists};
use super::dimacs::{is_dimacs, parse_dimacs};
use super::edge_list::parse_edge_list;
use super::edge_set::{EdgeSet, GraphFile};
use super::error::GraphFileError;
use super::foreign::check_foreign;
use super::graph6_lines::{has_single_words, parse_words};
use super::hcp::{is_tsplib, parse_hcp};
use super::lines::split_lines;
use super::matrix::parse_matrix;

/// Parses a file with one graph. Cost O(length of the text).
///
/// # Errors
/// The file is in another format, has two readings, has several graphs, or has a line that is not valid.
pub fn parse(text: &str) -> Result<GraphFile, GraphFileError> {
    let mut graphs = parse_all(text)?;
    if graphs.len() > 1 {
        let what =
            format!("the file has {} graphs in graph6 or sparse6; keep one of the lines", graphs.len());
        return Err(GraphFileError::new(graphs[0].0, what));
    }
    Ok(graphs.swap_remove(0).1)
}

/// Parses a file of one or more graphs, and returns each with its line number. Only graph6 and sparse6 files
/// have more than one. Cost O(length of the text).
///
/// # Errors
/// The file is in another format, has two readings, or has a line that is not valid.
pub fn parse_all(text: &str) -> Result<Vec<(usize, GraphFile)>, GraphFileError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = split_lines(text);
    check_foreign(text, &lines)?;
    let contents = &lines.contents;
    let Some(first) = contents.first() else {
        let note = lines.first_comment.map(|(line, _)| {
            format!("the file has only comments, the first in line {line}, and no vertices")
        });
        let empty = EdgeSet::default().into_numbered_graph(note.into_iter().collect());
        return Ok(vec![(1, empty)]);
    };
    let file = if is_dimacs(contents) {
        parse_dimacs(contents)?
    } else if is_tsplib(contents) {
        parse_hcp(contents)?
    } else if let Some(split) = find_lists(contents)? {
        parse_neighbour_lists(contents, split)?
    } else if let Some(matrix) = parse_matrix(contents) {
        matrix?
    } else if has_single_words(contents) {
        return parse_words(contents);
    } else {
        parse_edge_list(&lines)?
    };
    Ok(vec![(first.number, file)])
}
