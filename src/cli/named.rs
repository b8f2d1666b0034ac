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

use super::failure::Failure;
use ktour::board::Arena;
use ktour::index::{Index, Numbered};
use ktour::tour::Kind;

/// Start of the line.
const BEGINS: &str = "# numbers of ";
/// Text between the tours and their plan.
const PLAN: &str = ", plan ";

/// Returns the header line of an index.
pub fn remark(index: &Index) -> String {
    format!("{BEGINS}{}\n", index.title())
}

/// Returns the tours and the plan that a header line names, or `None` for another line.
pub fn named(line: &str) -> Option<&str> {
    let (tours, _) = line.strip_prefix(BEGINS)?.rsplit_once(": ")?;
    tours.contains(PLAN).then_some(tours)
}

/// Parses the tours that a header names. `None` if they belong to another board, or the text is not
/// understood.
pub fn tours(named: &str, arena: &Arena) -> Option<Numbered> {
    let (tours, _) = named.rsplit_once(PLAN)?;
    let words = tours.strip_suffix(&format!(" of {arena}"))?;
    let kinds =
        [("directed closed tours", Kind::Closed), ("closed tours", Kind::Closed), ("paths", Kind::Paths)];
    let (ends, kind) =
        kinds.iter().find_map(|(words_of, kind)| Some((words.strip_prefix(words_of)?, *kind)))?;
    let vertex = |name: &str| arena.vertex(name).ok();
    let numbered = |start, end| Some(Numbered { arena: arena.clone(), kind, start, end });
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
pub fn check(whence: &str, said: &str, index: &Index) -> Result<(), Failure> {
    let own = remark(index);
    let own = named(&own).unwrap_or_default();
    if own == said {
        return Ok(());
    }
    let of =
        |text: &str| text.rsplit_once(PLAN).map_or_else(|| text.to_owned(), |(tours, _)| tours.to_owned());
    let (theirs, ours) = (of(said), of(own));
    if theirs == ours {
        let plan = said.rsplit_once(PLAN).map_or(said, |(_, plan)| plan);
        return Err(other_plan(whence, plan, index));
    }
    let numbered = index.numbered();
    let advice = match tours(said, &numbered.arena) {
        Some(theirs) => options(&theirs, numbered),
        None => "the BOARD, --kind, --start and --end of the numbers".to_owned(),
    };
    Err(Failure::failed(format!("{whence}: the numbers are of {theirs}, not of {ours}; use {advice}")))
}

/// Returns the options to change, so that `ours` becomes `theirs`.
fn options(theirs: &Numbered, ours: &Numbered) -> String {
    let mut all = Vec::new();
    if theirs.kind != ours.kind {
        all.push(format!("--kind {}", theirs.kind.name()));
    }
    for (option, theirs_end, own) in [("--start", theirs.start, ours.start), ("--end", theirs.end, ours.end)]
    {
        match theirs_end {
            _ if theirs_end == own => {}
            Some(v) => all.push(format!("{option} {}", theirs.arena.name(v))),
            None => all.push(format!("no {option}")),
        }
    }
    all.join(" and ")
}

/// Returns the failure for numbers of another plan.
pub fn other_plan(whence: &str, plan: &str, index: &Index) -> Failure {
    Failure::failed(format!(
        "{whence}: the numbers are of plan {plan}, the index has plan {}; use an --index DIR of that plan, or the \
         version of ktour that wrote the numbers",
        index.order()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::{Given, Graph};

    #[test]
    fn what_numbers_are_of_is_read_from_what_is_written() {
        let ring = Graph::from_edges(4, (0..4).map(|v| (v, (v + 1) % 4)));
        let given = Arena::new(Given::new(ring).named(["a", "b to c", "a to b", "c"]).unwrap());
        for arena in ["5x5".parse().unwrap(), given] {
            let all =
                [(None, None), (Some(0), None), (None, Some(1)), (Some(0), Some(3)), (Some(2), Some(1))];
            for (start, end) in all {
                for kind in [Kind::Closed, Kind::Paths] {
                    let end = end.filter(|_| kind == Kind::Paths);
                    let numbered = Numbered { arena: arena.clone(), kind, start, end };
                    let line = format!("{BEGINS}{}{PLAN}1f: 0 to 7", numbered.title().unwrap());
                    assert_eq!(tours(named(&line).unwrap(), &arena), Some(numbered), "{line}");
                }
            }
            assert_eq!(tours("paths of board=3x4 piece=1,2 remove=-, plan 1f", &arena), None);
            assert_eq!(tours("rings of board=5x5 piece=1,2 remove=-, plan 1f", &arena), None);
        }
        assert_eq!(named("# numbers of cows"), None);
    }

    #[test]
    fn options_that_differ_are_named() {
        let ours = Numbered::new("5x5".parse().unwrap(), Kind::Paths);
        let end = Numbered { end: Some(24), ..ours.clone() };
        let start = Numbered { start: Some(24), ..ours.clone() };
        let closed = Numbered { kind: Kind::Closed, ..ours.clone() };
        assert_eq!(options(&end, &ours), "--end e5");
        assert_eq!(options(&end, &start), "no --start and --end e5");
        assert_eq!(options(&closed, &start), "--kind closed and no --start");
    }
}
