//! `ktour selftest`: the engines against each other.
//!
//! On every board of the list, both engines count all kinds, at two split depths,
//! and the lister lists; all must agree, and every count has passed the theorems.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use clap::Args;

use super::failure::Failure;
use super::heap;
use crate::report::Output;
use ktour::board::{Arena, Board, Leaper};
use ktour::control::Control;
use ktour::count::{Counts, Engine, Request, count};
use ktour::search::list::{ListOptions, list};
use ktour::search::problem::Problem;
use ktour::tour::{Kind, TourFormat, TourWriter};

/// Boards with removed squares and leapers on which the engines are compared, smallest first.
const BOARDS: [(&str, &str, &str); 22] = [
    ("1x1", "", "1,2"),
    ("3x3", "", "1,2"),
    ("3x3", "b2", "1,2"),
    ("3x4", "", "1,2"),
    ("4x4", "a1", "1,2"),
    ("4x4", "", "0,1"),
    ("4x5", "", "1,2"),
    ("4x6", "", "1,2"),
    ("5x5", "", "1,2"),
    ("5x5", "", "0,1"),
    ("5x5", "c3", "1,2"),
    ("3x8", "", "1,2"),
    ("3x10", "", "1,2"),
    ("4x7", "d2", "1,2"),
    ("5x6", "", "1,2"),
    ("5x6", "a1,f5", "1,2"),
    ("6x6", "a1,b1,e6,f6", "1,2"),
    ("4x8", "", "1,2"),
    ("5x5", "", "1,1"),
    ("6x6", "", "2,3"),
    ("6x6", "", "0,1"),
    ("6x6", "", "1,2"),
];

const EXAMPLES: &str = "\
Examples:
  ktour selftest                     all boards of the list
  ktour selftest --max-squares 25    the small ones

All engines count all kinds, at several split depths, and the lister lists: all must agree.";

/// The engines against each other on small boards.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SelftestArgs {
    /// Leave out boards of more squares than this
    #[arg(long, value_name = "N", default_value_t = 36)]
    max_squares: usize,
}

impl SelftestArgs {
    /// Runs all comparisons; fails on the first board whose numbers differ.
    pub fn run(&self) -> Result<(), Failure> {
        let mut out = Output::stdout();
        let mut agreed = 0;
        for (board, removed, leaper) in BOARDS {
            let squares = removed.split(',').filter(|name| !name.is_empty());
            let squares = squares.map(|name| name.parse().expect("the list names squares"));
            let board: Board = board
                .parse::<Board>()
                .expect("the list names boards")
                .without(squares)
                .expect("the list removes squares of the board");
            let leaper: Leaper = leaper.parse().expect("the list names leapers");
            if board.len() > self.max_squares {
                continue;
            }
            let began = Instant::now();
            let counts = compare(&board, leaper)?;
            let holes = if removed.is_empty() { String::new() } else { format!(" without {removed}") };
            let piece = if leaper == Leaper::KNIGHT { String::new() } else { format!(" leaper {leaper}") };
            let number = |kind| counts.get(kind).map_or_else(String::new, ToString::to_string);
            writeln!(
                out,
                "ok {board}{holes}{piece}: {} closed, {} open, {} paths ({:.2} s)",
                number(Kind::Closed),
                number(Kind::Open),
                number(Kind::Paths),
                began.elapsed().as_secs_f64()
            )
            .and_then(|()| out.flush())
            .map_err(|error| Failure::write("standard output", &error))?;
            agreed += 1;
        }
        writeln!(out, "{agreed} boards, all engines agree")
            .map_err(|error| Failure::write("standard output", &error))?;
        Ok(out.finish()?)
    }
}

/// Counts a board in every way; all must be the same.
fn compare(board: &Board, leaper: Leaper) -> Result<Counts, Failure> {
    let mut first: Option<Counts> = None;
    for engine in [Engine::Multipath, Engine::Backtrack, Engine::Frontier] {
        for split_depth in [None, Some(3)] {
            let request = Request { engine, split_depth, ..Request::new((board.clone(), leaper)) };
            let counts = count(&request, &Control::new().with_allocator(heap::grant))?.counts;
            match &first {
                None => first = Some(counts),
                Some(expected) if *expected == counts => {}
                Some(expected) => {
                    return Err(Failure::failed(format!(
                        "{board}, leaper {leaper}: {} counts {counts:?}, the first engine {expected:?}",
                        engine.name()
                    )));
                }
            }
        }
    }
    let counts = first.expect("there are engines");
    for kind in Kind::ALL {
        let listed = listed(board, leaper, kind)?;
        if counts.get(kind).is_none_or(|count| *count != listed.into()) {
            return Err(Failure::failed(format!(
                "{board}, leaper {leaper}: {listed} {} listed, {counts:?} counted",
                kind.name()
            )));
        }
    }
    Ok(counts)
}

fn listed(board: &Board, leaper: Leaper, kind: Kind) -> Result<u64, Failure> {
    let arena = Arena::board(board.clone(), leaper);
    let problem = Problem::new(&arena, kind, None, None)?;
    let writer = TourWriter::new(&arena, TourFormat::Squares, 1).expect("a board has names");
    let mut tours = 0;
    list(problem, ListOptions::default(), &writer, &Control::new(), &mut |chunk| {
        tours += chunk.ends.len() as u64;
        ControlFlow::Continue(())
    })
    .map_err(|error| Failure::failed(error.to_string()))?;
    Ok(tours)
}
