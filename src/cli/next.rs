//! `ktour next`: how many tours with a given beginning make each possible next move.

use clap::Args;
use ktour::board::{Board, MoveListError, Vertex, parse_move_sequences};
use ktour::control::Control;
use ktour::count::{CountError, NextMoves};
use ktour::index::share;
use ktour::tour::{Kind, TourSpec};
use num_bigint::BigUint;

use super::args::board::BoardArgs;
use super::args::heading;
use super::args::output_options::OutputFileArgs;
use super::args::restrictions::RestrictionArgs;
use super::args::tours::{KindArgs, ProgressArgs};
use super::error::CliError;
use super::malloc_tuning;
use super::process::Signals;
use super::quantities;
use super::run::execution::print_reason_for_zero;
use super::run::run_in_memory;
use crate::report::{Cell, Progress, Table, board_name};

const EXAMPLES: &str = "\
Examples:
  ktour next 6x6 --begin a1-b3-c5
  ktour next 6x6 --begin c3 --kind closed
  ktour next 8x8 --begin a1-b3-c5 --json -

The numbers are of directed tours that visit the squares of --begin in this order, and the next square after them. They \
add up to the number of tours with this beginning. Each is a count of its own.";

/// Count the tours that each next move leaves
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct NextArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Give the first squares of the tours, in order: a1-b3-c5
    #[arg(long, help_heading = heading::TOURS, value_name = "SQUARES")]
    begin: String,

    #[command(flatten)]
    restrictions: RestrictionArgs,

    #[command(flatten)]
    files: OutputFileArgs,

    #[command(flatten)]
    progress: ProgressArgs,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "SIZE", value_parser = quantities::parse_memory_size, hide_short_help = true)]
    memory: Option<u64>,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, help_heading = heading::LONG_RUNS, hide_short_help = true)]
    force: bool,
}

impl NextArgs {
    /// Counts the tours and prints the numbers.
    pub fn run(&self) -> Result<(), CliError> {
        let board = self.restrictions.restrict(self.board.to_board()?)?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        let beginning = parse_beginning(&board, &self.begin)?;
        let files = self.files.open()?;
        let name = format!("{} {}, next", board.title(), kind.name());
        let control = Control::new().with_allocator_hook(malloc_tuning::run_allocator_command);
        let progress = Progress::start(self.progress.mode(), name, control);
        let signals = Signals::catch(progress.control().cancel_flag())?;
        let (memory, control) = (self.memory, progress.control());
        let subject = format!("a count of {} {} by their next move", board.title(), kind.name());
        let estimate = match NextMoves::estimate(&board, kind, &beginning, memory, control) {
            Err(CountError::Beginning(error)) => return Err(CliError::usage(format!("--begin: {error}"))),
            estimate => estimate,
        };
        let counted = run_in_memory(&subject, self.force, &signals, estimate, || {
            NextMoves::count(&board, kind, &beginning, memory, control)
        });
        drop(progress);
        let counted = counted?;
        let total = counted.total();
        print_reason_for_zero(&TourSpec::all(board.clone(), kind), &total);
        let rows = next_table(&board, kind, &self.begin, &counted, &total);
        let to_json = || {
            let fields = [
                ("board", board_name(&board).into()),
                ("board_text", board.to_string().into()),
                ("kind", kind.name().into()),
                ("begin", beginning.iter().map(|&v| board.name(v)).collect()),
                ("total", (&total).into()),
            ];
            rows.to_json(fields, "next")
        };
        let to_text = || {
            let mut printed = rows.clone().with_heading("count", "tours");
            printed.push(["total".into(), (&total).into(), Cell::Empty]);
            printed.to_text()
        };
        files.report(|| &rows, to_json, to_text)
    }
}

/// Returns the squares that `--begin` names.
fn parse_beginning(board: &Board, text: &str) -> Result<Vec<Vertex>, CliError> {
    let vertex = |name: &str| {
        board.vertex(name).map_err(|error| {
            CliError::usage(format!("--begin {text}: {error}; give squares such as a1-b3-c5"))
        })
    };
    // A single square is no move, and its name may contain a hyphen.
    if let Ok(v) = board.vertex(text.trim()) {
        return Ok(vec![v]);
    }
    match parse_move_sequences(board, text) {
        Ok(sequences) => match <[Vec<Vertex>; 1]>::try_from(sequences) {
            Ok([squares]) => Ok(squares),
            Err(_) => Err(CliError::usage(format!(
                "--begin {text}: a tour has one beginning; give one sequence of squares such as a1-b3-c5"
            ))),
        },
        Err(MoveListError::NotAMove(_)) => vertex(text.trim()).map(|v| vec![v]),
        Err(error) => Err(CliError::usage(format!("--begin {text}: {error}; give squares such as a1-b3-c5"))),
    }
}

/// Returns the table of the next squares, with the board, the kind and the beginning in common.
///
/// ```text
/// next  tours   share
/// c2      152  50.0 %
/// b3      152  50.0 %
/// ```
fn next_table(board: &Board, kind: Kind, begin: &str, counted: &NextMoves, total: &BigUint) -> Table {
    let mut table = Table::new(["next", "count", "share"]).with_common([
        ("board", board_name(board).into()),
        ("board_text", board.to_string().into()),
        ("kind", kind.name().into()),
        ("begin", begin.into()),
    ]);
    for (square, tours) in &counted.squares {
        table.push([board.name(*square).into(), tours.into(), Cell::Share(share(tours, total))]);
    }
    table
}
