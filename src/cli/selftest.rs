//! `ktour selftest`: compares the engines with each other.
//!
//! On every board of the list, all engines count the tours of all kinds at two split depths, and
//! `list` lists the tours. All numbers must agree, those of distinct tours included. Every count is
//! also checked by theorems.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Args;

use super::args::output_options::{OutputFileArgs, print_to_stdout};
use super::args::{heading, number};
use super::error::CliError;
use super::malloc_tuning;
use super::process::EndAtSignal;
use crate::report::{Cell, Table, print_notice};
use ktour::board::{Board, Piece};
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, SymmetricContext};
use ktour::count::{Counts, Engine, Request, count};
use ktour::search::list::{ListOptions, list};
use ktour::search::problem::Problem;
use ktour::text_format::format_count;
use ktour::tour::{Kind, TourFormat, TourSpec, TourWriter};

/// Boards on which the engines are compared: rectangles with one leaper, the smallest first; then
/// wrapped boards, compound pieces, boxes and graphs.
const BOARDS: [&str; 36] = [
    "board=1x1 piece=1,2 remove=-",
    "board=3x3 piece=1,2 remove=-",
    "board=3x3 piece=1,2 remove=b2",
    "board=3x4 piece=1,2 remove=-",
    "board=4x4 piece=1,2 remove=a1",
    "board=4x4 piece=0,1 remove=-",
    "board=4x5 piece=1,2 remove=-",
    "board=4x6 piece=1,2 remove=-",
    "board=5x5 piece=1,2 remove=-",
    "board=5x5 piece=0,1 remove=-",
    "board=5x5 piece=1,2 remove=c3",
    "board=3x8 piece=1,2 remove=-",
    "board=3x10 piece=1,2 remove=-",
    "board=4x7 piece=1,2 remove=d2",
    "board=5x6 piece=1,2 remove=-",
    "board=5x6 piece=1,2 remove=a1,f5",
    "board=6x6 piece=1,2 remove=a1,b1,e6,f6",
    "board=4x8 piece=1,2 remove=-",
    "board=5x5 piece=1,1 remove=-",
    "board=6x6 piece=2,3 remove=-",
    "board=6x6 piece=0,1 remove=-",
    "board=6x6 piece=1,2 remove=-",
    "board=3x5 wrap=cols piece=1,2 remove=-",
    "board=5x3 wrap=rows piece=1,2 remove=-",
    "board=3x4 wrap=torus piece=1,2 remove=-",
    "board=4x4 wrap=torus piece=0,1 remove=-",
    "board=3x5 wrap=mobius piece=1,2 remove=b2",
    "board=4x3 wrap=klein piece=0,1 remove=-",
    "board=3x4 wrap=projective piece=1,2 remove=-",
    "board=3x4 piece=0,1+1,1 remove=-",
    "board=4x4 piece=0,1+1,2 remove=b2,b3",
    "board=2x3x4 piece=1,2 remove=-",
    "board=2x2x4 piece=0,1 remove=-",
    "graph=IheA@GUAo",
    "graph=F~~~w",
    "graph=DqK names=a,b,c,d,e",
];

const EXAMPLES: &str = "\
Examples:
  ktour selftest                     all boards of the list
  ktour selftest --max-squares 25    small boards only
  ktour selftest --csv numbers.csv   the numbers as a table, too

All engines count all kinds at several split depths, and `list` lists them. All numbers must agree, distinct tours \
included. The list has boards with holes, other pieces and joined edges, boxes, and graphs.";

/// Compare the engines with each other on small boards
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SelftestArgs {
    /// Skip boards of more than N squares
    #[arg(long, help_heading = heading::METHOD, value_name = "N", default_value_t = 36, value_parser = number::<u16>(1..))]
    max_squares: u16,

    #[command(flatten)]
    files: OutputFileArgs,
}

impl SelftestArgs {
    /// Compares the engines on each board. Returns an error for the first board on which two
    /// numbers differ.
    pub fn run(&self) -> Result<(), CliError> {
        let files = self.files.open()?;
        let quiet = files.has_stdout();
        let print = |line: String| match quiet {
            true => Ok(()),
            false => print_to_stdout(line),
        };
        let began = Instant::now();
        let agreed = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&agreed);
        let _ending = EndAtSignal::start(move || {
            let boards = counter.load(Ordering::SeqCst);
            format!("stopped after {}, on which all engines agree", format_count(boards, "board"))
        })?;
        let mut table = Table::new(["board", "closed", "open", "paths", "seconds", "board_text"]);
        for text in BOARDS {
            let board: Board = text.parse().expect("the list has valid boards");
            if board.len() > usize::from(self.max_squares) {
                continue;
            }
            let began = Instant::now();
            let counts = compare_engines(&board)?;
            let (label, seconds) = (board_label(&board), began.elapsed().as_secs_f64());
            let [closed, open, paths] = [Kind::Closed, Kind::Open, Kind::Paths]
                .map(|kind| counts.get(kind).expect("the request has all kinds"));
            print(format!("ok {label}: {closed} closed, {open} open, {paths} paths ({seconds:.2} s)\n"))?;
            table.push([
                label.into(),
                closed.into(),
                open.into(),
                paths.into(),
                Cell::Seconds(seconds),
                text.into(),
            ]);
            agreed.fetch_add(1, Ordering::SeqCst);
        }
        let agreed = table.row_count();
        let summary = format!("{agreed} boards and graphs, all engines agree");
        print(format!("{summary}\n"))?;
        if quiet {
            print_notice(format_args!("{summary}"));
        }
        let fields = [("agreed", agreed.into()), ("seconds", Cell::Seconds(began.elapsed().as_secs_f64()))];
        files.write(|| &table, || table.to_json(fields, "boards"))
    }
}

/// Returns the name of a board for the report.
pub fn board_label(board: &Board) -> String {
    let removed = board.removed_names();
    let holes = if removed.is_empty() { String::new() } else { format!(" without {}", removed.join(",")) };
    let piece = match board.piece() {
        Some(piece) if piece != Piece::default() => match piece.name() {
            Some(name) => format!(" {name}"),
            None => format!(" leaper {piece}"),
        },
        _ => String::new(),
    };
    format!("{}{holes}{piece}", board.title())
}

/// Counts the tours of a board with every engine and by a list, and compares the numbers.
///
/// # Errors
/// Two numbers differ, or a count fails.
fn compare_engines(board: &Board) -> Result<Counts, CliError> {
    let mut first: Option<Counts> = None;
    let control = || Control::new().with_allocator_hook(malloc_tuning::run_allocator_command);
    for engine in [Engine::Multipath, Engine::Backtrack, Engine::Frontier] {
        for split_depth in [None, Some(3)] {
            let request = Request { engine, split_depth, ..Request::new(board.clone()) };
            let counts = count(&request, &control())?.counts;
            match &first {
                None => first = Some(counts),
                Some(expected) if *expected == counts => {}
                Some(expected) => {
                    return Err(CliError::failed(format!(
                        "{}: engine {} counts {counts:?}, engine multipath {expected:?}; please report this",
                        board_label(board),
                        engine.name()
                    )));
                }
            }
        }
    }
    let counts = first.expect("there are engines");
    for kind in Kind::ALL {
        let Some(total) = counts.get(kind) else { continue };
        let (listed, distinct_listed) = (count_listed(board, kind, false)?, count_listed(board, kind, true)?);
        let control = control();
        let context = SymmetricContext::new(TourSpec::all(board.clone(), kind), Engine::Auto, None)?;
        let distinct = ClassCounter::new(&context, &control).count_distinct(total)?;
        if *total != listed.into() || distinct != distinct_listed.into() {
            return Err(CliError::failed(format!(
                "{}: {listed} {} listed, {total} counted; {distinct_listed} distinct listed, {distinct} \
                counted; please report this",
                board_label(board),
                kind.name()
            )));
        }
    }
    Ok(counts)
}

fn count_listed(board: &Board, kind: Kind, distinct: bool) -> Result<u64, CliError> {
    let problem = Problem::new(&TourSpec::all(board.clone(), kind))?;
    let writer = TourWriter::new(board, TourFormat::Squares, 1).expect("a board has names");
    let options = ListOptions { distinct, ..ListOptions::default() };
    let mut tours = 0;
    list(problem, options, &writer, &Control::new(), &mut |chunk| {
        tours += chunk.tour_ends.len() as u64;
        ControlFlow::Continue(())
    })
    .map_err(CliError::failed)?;
    Ok(tours)
}
