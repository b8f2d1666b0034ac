//! The header line of tour numbers: it names the tours and the plan that the numbers refer to.
//!
//! ```text
//! # numbers of paths to e5 of board=5x5 piece=1,2 remove=-, plan b1ee975b13651126: 0 to 303
//!              |      |         |                                |                 range of numbers
//!              kind   ends      board                            order
//! ```
//!
//! `rank` and `unrank` write this line and check it when they read each other's output: numbers of other
//! tours, or of another plan, are rejected.

use super::failure::CliError;
use ktour::board::Board;
use ktour::index::{Index, TourSet};
use ktour::tour::Kind;

/// Start of the line.
const HEADER_PREFIX: &str = "# numbers of ";
/// Text between the tours and their plan.
const PLAN_SEPARATOR: &str = ", plan ";

/// Returns the header line of an index.
pub fn header_line(index: &Index) -> String {
    format!("{HEADER_PREFIX}{}\n", index.title())
}

/// Returns the tours and the plan that a header line names, or `None` for another line.
pub fn parse_header(line: &str) -> Option<&str> {
    let (tours, _) = line.strip_prefix(HEADER_PREFIX)?.rsplit_once(": ")?;
    tours.contains(PLAN_SEPARATOR).then_some(tours)
}

/// Parses the tours that a header names. `None` if they belong to another board, or the text is not
/// understood.
pub fn parse_tours(header: &str, board: &Board) -> Option<TourSet> {
    let (tours, _) = header.rsplit_once(PLAN_SEPARATOR)?;
    let words = tours.strip_suffix(&format!(" of {board}"))?;
    let kinds =
        [("directed closed tours", Kind::Closed), ("closed tours", Kind::Closed), ("paths", Kind::Paths)];
    let (ends, kind) =
        kinds.iter().find_map(|(words_of, kind)| Some((words.strip_prefix(words_of)?, *kind)))?;
    let vertex = |name: &str| board.vertex(name).ok();
    let numbered = |start, end| Some(TourSet { board: board.clone(), kind, start, end });
    if ends.is_empty() {
        return numbered(None, None);
    }
    if let Some(name) = ends.strip_prefix(" to ") {
        return numbered(None, Some(vertex(name)?));
    }
    let names = ends.strip_prefix(" from ")?;
    if let Some(start) = vertex(names) {
        return numbered(Some(start), None);
    }
    // Vertex names may contain the word `to`.
    names.match_indices(" to ").find_map(|(at, word)| {
        let (start, end) = (vertex(&names[..at])?, vertex(&names[at + word.len()..])?);
        numbered(Some(start), Some(end))
    })
}

/// Checks that numbers read from `source` belong to the tours and the plan of the index. `header` is the text
/// returned by [`parse_header`].
///
/// # Errors
/// The tours or the plan differ; the message names the options to change.
pub fn check_header(source: &str, header: &str, index: &Index) -> Result<(), CliError> {
    let index_line = header_line(index);
    let own = parse_header(&index_line).unwrap_or_default();
    if own == header {
        return Ok(());
    }
    let tours_of = |text: &str| {
        text.rsplit_once(PLAN_SEPARATOR).map_or_else(|| text.to_owned(), |(tours, _)| tours.to_owned())
    };
    let (theirs, ours) = (tours_of(header), tours_of(own));
    if theirs == ours {
        let plan = header.rsplit_once(PLAN_SEPARATOR).map_or(header, |(_, plan)| plan);
        return Err(plan_mismatch(source, plan, index));
    }
    let numbered = index.tour_set();
    let advice = match parse_tours(header, &numbered.board) {
        Some(theirs) => options_to_change(&theirs, numbered),
        None => "the BOARD, --kind, --start and --end of the numbers".to_owned(),
    };
    Err(CliError::failed(format!("{source}: the numbers are of {theirs}, not of {ours}; use {advice}")))
}

/// Returns the options to change, so that `ours` becomes `theirs`.
fn options_to_change(theirs: &TourSet, ours: &TourSet) -> String {
    let mut changes = Vec::new();
    if theirs.kind != ours.kind {
        changes.push(format!("--kind {}", theirs.kind.name()));
    }
    for (option, theirs_end, own) in [("--start", theirs.start, ours.start), ("--end", theirs.end, ours.end)]
    {
        match theirs_end {
            _ if theirs_end == own => {}
            Some(v) => changes.push(format!("{option} {}", theirs.board.name(v))),
            None => changes.push(format!("no {option}")),
        }
    }
    changes.join(" and ")
}

/// Returns the failure for numbers of another plan.
pub fn plan_mismatch(source: &str, plan: &str, index: &Index) -> CliError {
    CliError::failed(format!(
        "{source}: the numbers are of plan {plan}, the index has plan {}; use an --index DIR of that plan, or the \
         version of ktour that wrote the numbers",
        index.numbering()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::{CustomGraph, Graph};

    #[test]
    fn parse_tours_reads_header_line() {
        let ring = Graph::from_edges(4, (0..4).map(|v| (v, (v + 1) % 4)));
        let given = Board::new(CustomGraph::new(ring).with_names(["a", "b to c", "a to b", "c"]).unwrap());
        for board in ["5x5".parse().unwrap(), given] {
            let all =
                [(None, None), (Some(0), None), (None, Some(1)), (Some(0), Some(3)), (Some(2), Some(1))];
            for (start, end) in all {
                for kind in [Kind::Closed, Kind::Paths] {
                    let end = end.filter(|_| kind == Kind::Paths);
                    let numbered = TourSet { board: board.clone(), kind, start, end };
                    let line =
                        format!("{HEADER_PREFIX}{}{PLAN_SEPARATOR}1f: 0 to 7", numbered.title().unwrap());
                    assert_eq!(parse_tours(parse_header(&line).unwrap(), &board), Some(numbered), "{line}");
                }
            }
            assert_eq!(parse_tours("paths of board=3x4 piece=1,2 remove=-, plan 1f", &board), None);
            assert_eq!(parse_tours("rings of board=5x5 piece=1,2 remove=-, plan 1f", &board), None);
        }
        assert_eq!(parse_header("# numbers of cows"), None);
    }

    #[test]
    fn options_to_change_names_differences() {
        let ours = TourSet::new("5x5".parse().unwrap(), Kind::Paths);
        let end = TourSet { end: Some(24), ..ours.clone() };
        let start = TourSet { start: Some(24), ..ours.clone() };
        let closed = TourSet { kind: Kind::Closed, ..ours.clone() };
        assert_eq!(options_to_change(&end, &ours), "--end e5");
        assert_eq!(options_to_change(&end, &start), "no --start and --end e5");
        assert_eq!(options_to_change(&closed, &start), "--kind closed and no --start");
    }
}
