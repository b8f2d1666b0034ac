//! `ktour list`: prints all tours, and the estimated size of a long list while it is written.

use std::io;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use clap::Args;
use ktour::board::Board;
use ktour::control::{Control, ProgressSnapshot};
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::symmetric_tours::SymmetricListOptions;
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, symmetric};
use ktour::search::backtrack::StepOrder;
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::search::list::{ListError, ListOptions, list};
use ktour::search::problem::{Problem, ProblemError};
use ktour::search::tour_batch::TextBatch;
use ktour::search::unit_runner::Stopped;
use ktour::text_format::format_count;
use ktour::tour::{Kind, TourWriter};

use super::args::board::BoardArgs;
use super::args::tours::{EndsArgs, KindArgs, MovesArgs, ProgressArgs, ShardArgs, SplitArgs, TourOutputArgs};
use super::args::{heading, number, with_explanation};
use super::error::CliError;
use super::list_size::{ListCounters, ListSizeEstimator, check_list_size};
use super::numbered::{self, NumberedArgs};
use super::process::{EndAtSignal, Signals};
use super::run::execution::print_obstacle;
use super::symmetric_counts::{check_symmetries_known, note_impossible, symmetry_parser};
use crate::report::{Output, Progress, ProgressMode, terminal_columns};

const EXAMPLES: &str = "\
Examples:
  ktour list 5x5                              all 864 paths, one a line
  ktour list 6x6 --kind closed --distinct     one closed tour of each class
  ktour list 6x6 --kind closed --symmetry rot90 --format grid
  ktour list 6x6 --shard 3/64                 one of 64 shards of the list
  ktour list 8x8 --start a8 --limit 1 --format grid \\
      --moves \"2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1\"
                                              the first by plain backtracking

A path is listed once, from its lower end; a closed tour once, from its lowest square; --directed lists both \
directions. With --start or --end, tours are directed. The order of the list depends only on board, kind and \
options; with --moves it is the order of plain backtracking that tries the steps (down,right) as given. A header \
line, or a field, states board, piece and kind for check and draw; --bare omits it. To list tours from the middle, \
use ktour unrank.

A list into a file is refused if by estimate it does not fit the disk, or takes more than a year.";

const SHARD_HELP: &str =
    "Together the M shards contain each tour once. Within a shard, tours keep the order of the whole list.";

/// Options that do not apply to tours with numbered squares.
const NUMBERED_EXCLUDES: [&str; 6] = ["directed", "distinct", "symmetry", "moves", "split_depth", "shard"];

/// List tours
#[derive(Debug, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_args(|option| numbered::excluding(option, &NUMBERED_EXCLUDES)),
    mut_arg("shard", |shard| with_explanation(shard, SHARD_HELP)),
)]
pub struct ListArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Use both directions of every tour
    #[arg(long)]
    directed: bool,

    /// Keep one tour of each class up to symmetry
    ///
    /// With --start or --end, only the symmetries that fix these squares are used.
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    #[arg(
        long,
        value_parser = symmetry_parser(),
        value_name = "WHICH",
        hide_short_help = true
    )]
    symmetry: Option<NamedSymmetry>,

    #[command(flatten)]
    ends: EndsArgs,

    #[command(flatten)]
    numbered: NumberedArgs,

    /// Stop after N tours
    #[arg(long, short = 'n', aliases = ["max", "number"], value_name = "N", value_parser = number::<u64>(0..))]
    limit: Option<u64>,

    #[command(flatten)]
    moves: MovesArgs,

    #[command(flatten)]
    split: SplitArgs,

    #[command(flatten)]
    tour_output: TourOutputArgs,

    #[command(flatten)]
    shard_args: ShardArgs,

    #[command(flatten)]
    progress: ProgressArgs,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, help_heading = heading::LONG_RUNS, hide_short_help = true)]
    force: bool,
}

impl ListArgs {
    /// Writes the list of tours.
    pub fn run(&self) -> Result<(), CliError> {
        let board = self.ends.restrictions.restrict(self.board.to_board()?)?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        if self.numbered.is_any_given() {
            let numbered = self.numbered.to_numbered(&self.ends.to_tours(board, kind)?)?;
            return numbered::list(&numbered, self.limit.unwrap_or(u64::MAX), false, &self.tour_output)
                .map(|_| ());
        }
        self.check_options(&board, kind)?;
        let problem = Problem::new(&self.ends.to_tours(board.clone(), kind)?)?;
        let options = ListOptions {
            directed: self.directed,
            distinct: self.distinct,
            step_order: self.move_order(&board)?,
            split_depth: self.split.split_depth,
            shard: (!self.shard_args.shard.is_whole())
                .then(|| (self.shard_args.shard.index(), self.shard_args.shard.count())),
        };
        let writer = self.tour_output.writer(&board)?;
        let mut list_output = ListOutput {
            out: Output::create(&self.tour_output.output)?,
            header: Some(writer.header(kind)),
            separator: writer.separator(),
            remaining: self.limit.unwrap_or(u64::MAX),
            counters: Arc::default(),
            error: None,
        };
        let mut result = Ok(());
        let mut signals = None;
        if self.limit != Some(0) {
            let what = format!("{} {}", board.title(), kind.name());
            // Lists of symmetric tours are short.
            let start_estimator = || {
                let name = format!("list {what}");
                ListSizeEstimator::start(
                    name,
                    &problem,
                    &options,
                    self.limit,
                    Arc::clone(&list_output.counters),
                )
            };
            if self.symmetry.is_none() && !self.force {
                let path = &self.tour_output.output;
                check_list_size(&format!("list {what}"), path, &problem, &options, self.limit, &writer)?;
            }
            let _length = self.symmetry.is_none().then(start_estimator);
            // On a terminal the printed tours already show the progress.
            let mode = match self.progress.mode() {
                ProgressMode::Auto if self.tour_output.is_stdout() && terminal_columns().is_some() => {
                    ProgressMode::None
                }
                mode => mode,
            };
            let (written, limit) = (Arc::clone(&list_output.counters), self.limit);
            let adjust = move |reading: &mut ProgressSnapshot| written.adjust_reading(limit, reading);
            let progress = Progress::start_adjusted(mode, what, Control::new(), Box::new(adjust));
            if !self.tour_output.is_stdout() {
                // An incomplete file must be removed.
                signals = Some(Signals::catch(progress.control().cancel_flag())?);
            }
            let counters = Arc::clone(&list_output.counters);
            let notice = move || format!("stopped after {}", format_count(counters.tours(), "tour"));
            let _ending = if signals.is_none() { Some(EndAtSignal::start(notice)?) } else { None };
            result =
                self.list_tours(&mut list_output, &board, problem, options, &writer, progress.control())?;
        }
        let name = list_output.out.name();
        let failed = |error: io::Error| CliError::write_error(&name, error);
        if let Some(error) = list_output.error.take() {
            return Err(failed(error));
        }
        if let (true, Err(_), Some(signals)) = (list_output.remaining > 0, &result, &signals) {
            drop(list_output.out);
            let listed = self.limit.unwrap_or(u64::MAX) - list_output.remaining;
            return Err(signals.stop(format_args!(
                "stopped after {}; {name} is not written because it would be incomplete; use --limit N, or \
                 print to standard output",
                format_count(listed, "tour")
            )));
        }
        if list_output.remaining > 0 {
            result.map_err(|error| CliError::failed(error.to_string()))?;
        }
        if let Some(header) = list_output.header.take() {
            if self.limit != Some(0) && self.symmetry.is_none() && self.shard_args.shard.is_whole() {
                print_obstacle(&self.ends.to_tours(board, kind)?, "tour");
            }
            list_output.out.write_all(header.as_bytes()).map_err(failed)?;
        }
        Ok(list_output.out.finish()?)
    }

    /// Returns an error for options and boards that a list does not support.
    fn check_options(&self, board: &Board, kind: Kind) -> Result<(), CliError> {
        if board.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(board.size_clause()).into());
        }
        self.ends
            .add_choices(JobSpec::new(Task::List))
            .with_kind(Some(kind))
            .with_symmetry(self.symmetry)
            .with(Choice::Distinct, self.distinct)
            .validate()?;
        if self.distinct {
            check_symmetries_known(board, "--distinct")?;
        }
        if self.symmetry.is_some() {
            SymmetricContext::for_lists(board, kind)?;
        }
        Ok(())
    }

    /// Returns the order of moves that `--moves` gives, if it is given.
    fn move_order(&self, board: &Board) -> Result<Option<StepOrder>, CliError> {
        let Some(text) = &self.moves.moves else { return Ok(None) };
        let rectangle = board.unrestricted().leaper_board().ok_or_else(|| {
            CliError::usage("--moves requires one leaper and a board without --wrap; omit --moves")
        })?;
        let steps = StepOrder::parse(text, rectangle.rectangle(), rectangle.leaper());
        Ok(Some(steps.map_err(|error| CliError::usage(format!("--moves: {error}")))?))
    }

    /// Writes tours in order until the limit is reached or the control is cancelled. The inner
    /// result is an error if the search was stopped before its end.
    fn list_tours(
        &self,
        list_output: &mut ListOutput,
        board: &Board,
        problem: Problem,
        options: ListOptions,
        writer: &TourWriter,
        control: &Control,
    ) -> Result<Result<(), Stopped>, CliError> {
        let kind = problem.kind();
        let mut sink = |chunk: &TextBatch| list_output.write_batch(chunk);
        let Some(named) = self.symmetry else {
            return match list(problem, options, writer, control, &mut sink) {
                Err(ListError::Problem(error)) => Err(error.into()),
                Err(ListError::Stopped(stopped)) => Ok(Err(stopped)),
                Err(error) => Err(CliError::failed(error.to_string())),
                Ok(_) => Ok(Ok(())),
            };
        };
        let list_request =
            SymmetricListOptions { symmetry: named, distinct: self.distinct, directed: self.directed };
        let setting = SymmetricContext::for_lists(board, kind)?;
        if !setting.is_possible(named) {
            note_impossible(board, Some(kind), named);
        }
        match symmetric::symmetric_tours::list_tours(&setting, list_request, writer, control, &mut sink) {
            Err(CountError::Stopped(stopped)) => Ok(Err(stopped)),
            listed => Ok(listed.map(|_| Ok(()))?),
        }
    }
}

/// The output of a list, with the number of tours that may still be written.
struct ListOutput {
    out: Output,
    /// Header of the list. It is written before the first tour, or at the end of a list without
    /// tours, but not if the list fails before.
    header: Option<String>,
    separator: &'static str,
    /// Number of tours that may still be written.
    remaining: u64,
    counters: Arc<ListCounters>,
    error: Option<io::Error>,
}

impl ListOutput {
    fn write_batch(&mut self, chunk: &TextBatch) -> ControlFlow<()> {
        let above = self.header.take().unwrap_or_else(|| self.separator.to_owned());
        let (bytes, tours) = first_tours(chunk, self.remaining);
        self.remaining -= tours;
        self.counters.add(tours, bytes.len() + above.len());
        self.error =
            self.out.write_all(above.as_bytes()).and_then(|()| self.out.write_hiding_bars(bytes)).err();
        if self.remaining > 0 && self.error.is_none() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Returns the text of the first `left` tours of a batch, and the number of tours in it. If the
/// batch has fewer, returns all of them.
fn first_tours(chunk: &TextBatch, left: u64) -> (&[u8], u64) {
    let all = chunk.tour_ends.len() as u64;
    if all <= left {
        return (&chunk.bytes, all);
    }
    // `left` is below the length of a vector.
    let end = if left == 0 { 0 } else { chunk.tour_ends[left as usize - 1] };
    (&chunk.bytes[..end], left)
}
