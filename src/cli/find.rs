//! `ktour find`: finds one or several tours on boards of any size, by construction, search or a
//! heuristic rule.
//!
//! The table of rules serves the parser, the help and the completions.

use std::collections::HashSet;
use std::io::Write;
use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ktour::board::{Board, Leaper, LeaperBoard, Rectangle, Square, Vertex};
use ktour::control::Control;
use ktour::count::CountError;
use ktour::count::job_spec::{JobSpec, Task};
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, iter_tours};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::heuristic::{
    FIRST_RANDOM_ATTEMPT, FindMethod, FindOutcome, FindRequest, MAX_FIND_SQUARES, MAX_SEARCH_VERTICES, Rule,
    Step, find_under,
};
use ktour::search::backtrack::parse_steps;
use ktour::search::bitboard_graph::MAX_SQUARES as SEARCHED;
use ktour::text_format::format_count;
use ktour::tour::{Kind, Tour, TourSpec};

use super::args::board::BoardArgs;
use super::args::output_options::{OutputFileArgs, combine_results};
use super::args::tours::{EndsArgs, KindArgs, MovesArgs, ProgressArgs, TourOutputArgs};
use super::args::{heading, number};
use super::error::CliError;
use super::numbered::{self, NumberedArgs};
use super::process::{EndAtSignal, STOPPED, Signals};
use super::symmetric_counts::{check_symmetries_known, other_kinds_hint, symmetry_parser};
use crate::report::{Cell, NamedCells, Output, Spinner, Table, board_name, squares_cell};

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed --format grid       a closed tour of the chessboard
  ktour find 2000x2000 --closed | ktour check -
  ktour find 8x8 --rule warnsdorff --seed 7   Warnsdorff's rule
  ktour find 30x40 --start a1 --end m30
  ktour find 6 --closed --limit 12 --distinct | ktour draw - --output s.svg
  ktour find 10 --kind closed --symmetry rot90  a symmetric tour

Each attempt by a rule is one walk; attempts differ by start square and random choices. The rule auto finds a \
knight's tour on any full rectangle that has one, or reports that no tour exists; it also has constructions for kings, \
wazirs and wrapped boards. For boards with holes, other leapers and graphs it searches and may give up; it reports why \
no tour exists if colours, degrees, cut vertices or crowded squares show it. Exit status 1: no tour exists, or no tour \
was found.";

/// Options that do not apply to tours with numbered squares.
const NUMBERED_EXCLUDES: [&str; 9] =
    ["distinct", "symmetry", "moves", "rule", "seed", "attempts", "backtracks", "csv", "json"];

/// Find a tour quickly, on a board of any size.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, mut_args(|option| numbered::excluding(option, &NUMBERED_EXCLUDES)))]
pub struct FindArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    ///
    /// No two of the N tours of --limit are images of each other.
    #[arg(long, aliases = ["unique", "up-to-symmetry"], hide_short_help = true)]
    distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    ///
    /// For boards of up to 128 squares. The search is complete and takes no --rule.
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
    ///
    /// Each tour has the next seed; without --distinct a tour may be repeated.
    #[arg(
        long,
        short = 'n',
        aliases = ["max", "number"],
        value_name = "N",
        default_value_t = 1,
        value_parser = number::<u64>(0..)
    )]
    limit: u64,

    /// Choose auto or a rule such as warnsdorff
    #[arg(
        long,
        alias = "algorithm",
        value_parser = rule_parser(),
        value_name = "NAME",
        default_value = "auto",
        help_heading = heading::METHOD
    )]
    rule: Rule,

    #[command(flatten)]
    moves: MovesArgs,

    /// Set the seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u64>(0..))]
    seed: u64,

    /// Give up after N walks by the rule, or N steps of the search
    #[arg(
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 1000,
        value_parser = number::<u64>(0..)
    )]
    attempts: u64,

    /// Allow each walk by a rule to take back N moves. Default: 100
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<u64>(0..))]
    backtracks: Option<u64>,

    #[command(flatten)]
    tour_output: TourOutputArgs,

    #[command(flatten)]
    files: OutputFileArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

/// A function that receives a found tour, its seed, and the method that found it.
type TourCallback<'a> = dyn FnMut(&Tour, u64, Option<&FindMethod>) -> Result<(), CliError> + 'a;

/// Number of moves that a walk by a rule may take back without `--backtracks`.
const DEFAULT_BACKTRACKS: u64 = 100;

/// Maximum number of found tours in a row that repeat earlier ones. Then the search for another
/// tour ends.
const MAX_REPEATS: u32 = 1000;

impl FindArgs {
    /// Finds the requested tours and writes them to the outputs.
    pub fn run(&self) -> Result<(), CliError> {
        let board = self.ends.restrictions.restrict(self.board.to_board()?)?;
        if self.numbered.is_any_given() {
            return self.find_numbered(board);
        }
        let request = self.to_find_request(&board)?;
        self.check_options(&board)?;
        let is_stdout = self.tour_output.is_stdout();
        let files = self.files.open()?;
        // If a report goes to standard output, tours are not printed.
        let is_listed = !(is_stdout && files.has_stdout());
        self.tour_output.check_printed(is_listed)?;
        let mut out = if is_listed { Some(Output::create(&self.tour_output.output)?) } else { None };
        let writer = self.tour_output.writer(&board)?;
        let (kind, control) = (self.tour_kind(), Control::new());
        // Signals are caught only to remove incomplete files.
        let is_stdout_only = is_stdout && !self.files.has_any();
        let signals = (!is_stdout_only).then(|| Signals::catch(control.cancel_flag())).transpose()?;
        let notice = || STOPPED.to_owned();
        let _ending = is_stdout_only.then(|| EndAtSignal::start(notice)).transpose()?;
        let name = format!("find {} {}", board.title(), kind.name());
        let waiting = Spinner::start(self.progress.mode(), name, self.limit);
        let rule = self.symmetry.map_or(self.rule.to_string(), |_| "auto".into());
        let keys = ["board", "board_text", "kind", "rule", "seed", "by", "attempt", "seconds", "squares"];
        let mut rows = Table::new(keys).with_common([
            ("board", board_name(&board).into()),
            ("board_text", board.to_string().into()),
            ("rule", rule.as_str().into()),
        ]);
        let (mut text, mut first, began) = (writer.header(kind).into_bytes(), true, Instant::now());
        let mut count = 0u64;
        let mut on_tour = |tour: &Tour, seed: u64, means: Option<&FindMethod>| {
            if self.files.has_any() {
                rows.push(tour_cells(tour, seed, means, began.elapsed().as_secs_f64()));
            }
            let Some(to) = &mut out else { return Ok(()) };
            if !std::mem::take(&mut first) {
                text.extend_from_slice(writer.separator().as_bytes());
            }
            writer.write(&mut text, tour.kind(), tour.vertices());
            let written = waiting.add_result(|| to.write_all(&text));
            text.clear();
            count += 1;
            let failed = written.map_err(|error| CliError::write_error(&to.name(), error));
            // A file with a part of a tour is never completed under its final name.
            match failed.inspect_err(|_| out = None) {
                // CSV and JSON get all tours although nobody reads the printed ones.
                Err(failure) if failure.is_closed_pipe() && self.files.has_any() => Ok(()),
                written => written,
            }
        };
        let ended = match self.symmetry {
            Some(named) => self.find_symmetric(&board, named, &control, &mut on_tour),
            None => self.find_by_seeds(&request, &control, &mut on_tour),
        };
        drop(waiting);
        let reason = match ended {
            Ok(true) => None,
            Ok(false) => {
                drop((out, files));
                let stop = |signals: Signals| {
                    signals.stop(format_args!(
                        "stopped after {}; no file is written, as it would be incomplete; use a smaller --limit N for \
                         fewer tours",
                        format_count(count, "tour")
                    ))
                };
                return Err(signals.map_or(CliError::silent(1), stop));
            }
            Err(failure) => Some(failure),
        };
        // A closed pipe is no reason for the report.
        let reason_text = reason.as_ref().filter(|reason| !reason.is_closed_pipe());
        let to_json = || {
            let fields = NamedCells(vec![
                ("board", board_name(&board).into()),
                ("board_text", board.to_string().into()),
                ("kind", kind.name().into()),
                ("rule", rule.into()),
                ("complete", reason_text.is_none().into()),
                ("reason", reason_text.map(ToString::to_string).into()),
                ("seconds", Cell::Seconds(began.elapsed().as_secs_f64())),
            ]);
            rows.to_json(fields.without_empty().0, "tours")
        };
        let written = files.write(|| &rows, to_json);
        // The tours found so far are written even if the search failed.
        let mut out = out.filter(|_| reason.is_none() || count > 0);
        // Without tours the header is left, as of a list.
        if let Some(to) = out.as_mut().filter(|_| count == 0) {
            to.write_all(&text).map_err(|error| CliError::write_error(&to.name(), error))?;
        }
        let written_tours = out.map_or(Ok(()), |out| Ok(out.finish()?));
        combine_results([reason.map_or(Ok(()), Err), written, written_tours])
    }

    /// Returns the kind of the tours to find.
    fn tour_kind(&self) -> Kind {
        self.kind.kind().unwrap_or(Kind::Paths)
    }

    /// Returns an error for options that a search for symmetric tours does not support.
    fn check_options(&self, board: &Board) -> Result<(), CliError> {
        if self.distinct {
            check_symmetries_known(board, "--distinct")?;
        }
        let Some(named) = self.symmetry else { return Ok(()) };
        JobSpec::new(Task::Find).with_kind(Some(self.tour_kind())).with_symmetry(Some(named)).validate()?;
        SymmetricContext::for_lists(board, self.tour_kind())?;
        if board.len() > SEARCHED {
            return Err(CliError::usage(format!(
                "--symmetry: {}, a search for symmetric tours takes at most {SEARCHED}; use a smaller BOARD or graph",
                board.size_clause()
            )));
        }
        Ok(())
    }

    /// Finds the requested tours, with one seed after another, and passes each to `each`. Returns
    /// false if the control was cancelled first.
    fn find_by_seeds(
        &self,
        request: &FindRequest,
        control: &Control,
        each: &mut TourCallback<'_>,
    ) -> Result<bool, CliError> {
        let (mut seen, mut left, mut repeats) = (HashSet::new(), self.limit, 0);
        for number in 0.. {
            if left == 0 {
                break;
            }
            let Some((tour, means)) = nth_tour(request, number, control)? else { return Ok(false) };
            if self.distinct && !seen.insert((tour.kind(), tour.canonical_form())) {
                repeats += 1;
                if repeats == MAX_REPEATS {
                    return Err(CliError::failed(format!(
                        "found {} and no other with {} seeds; use --rule warnsdorff for others, or ktour list --distinct \
                         for all tours of a small board",
                        format_count(seen.len(), "distinct tour"),
                        number + 1
                    )));
                }
                continue;
            }
            (repeats, left) = (0, left - 1);
            each(&tour, self.seed.wrapping_add(number), Some(&means))?;
        }
        Ok(true)
    }

    /// Finds the requested number of tours with the symmetry `named`, and passes each to `each`.
    /// Returns false if the control was cancelled first.
    fn find_symmetric(
        &self,
        board: &Board,
        named: NamedSymmetry,
        control: &Control,
        each: &mut TourCallback<'_>,
    ) -> Result<bool, CliError> {
        let setting = SymmetricContext::for_lists(board, self.tour_kind())?;
        let list_options = SymmetricListOptions { symmetry: named, distinct: self.distinct, directed: false };
        let (mut found, name) = (0, named.name());
        for tour in iter_tours(&setting, list_options, control)
            .take(usize::try_from(self.limit).unwrap_or(usize::MAX))
        {
            match tour {
                Ok(tour) => each(&tour, 0, None)?,
                Err(CountError::Stopped(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
            found += 1;
        }
        if found < self.limit {
            let (rectangle, tours) = (board.title(), self.tour_kind().plural());
            return Err(CliError::failed(match found {
                0 => format!(
                    "no tour exists: {rectangle} has no {tours} with the symmetry {name}{}",
                    other_kinds_hint(board, self.tour_kind(), named)
                ),
                _ => format!("{rectangle} has only {found} {tours} with the symmetry {name}; reduce --limit"),
            }));
        }
        Ok(true)
    }

    /// Writes the first tours with the given numbers.
    fn find_numbered(&self, board: Board) -> Result<(), CliError> {
        let title = board.title();
        let numbered = self.numbered.to_numbered(&self.ends.to_tours(board, self.tour_kind())?)?;
        match numbered::list(&numbered, self.limit, true, &self.tour_output)? {
            0 if self.limit > 0 => {
                let kind = self.tour_kind().plural();
                Err(CliError::failed(format!("no tour exists: {title} has no {kind} with these numbers")))
            }
            _ => Ok(()),
        }
    }

    /// Checks the options of a search without symmetry, and returns its request.
    fn to_find_request(&self, board: &Board) -> Result<FindRequest, CliError> {
        let kind = self.tour_kind();
        if self.backtracks.is_some() && self.rule.is_auto() {
            return Err(CliError::usage(
                "--backtracks needs a rule; add --rule warnsdorff, or omit --backtracks",
            ));
        }
        let (start, end, moves) = match board.leaper_board() {
            Some(rectangle) => self.rectangle_goals(rectangle)?,
            None => self.graph_goals(board)?,
        };
        Ok(FindRequest {
            rule: self.rule,
            step_order: moves,
            seed: self.seed,
            attempts: self.attempts,
            max_backtracks: self.backtracks.unwrap_or(DEFAULT_BACKTRACKS),
            ..FindRequest::new(TourSpec::new(board.clone(), kind, start, end)?)
        })
    }

    /// Returns the end squares and the order of moves for a plain board with one leaper.
    fn rectangle_goals(&self, rectangle: &LeaperBoard) -> Result<SearchGoals, CliError> {
        let (board, leaper) = (rectangle.rectangle(), rectangle.leaper());
        if board.len() > MAX_FIND_SQUARES {
            return Err(CliError::usage(format!(
                "{board} has {} squares; use a BOARD of at most {MAX_FIND_SQUARES}, such as 16384x16384",
                board.len()
            )));
        }
        let start = parse_square(board, "--start", self.ends.start.as_deref())?;
        let end = parse_square(board, "--end", self.ends.end.as_deref())?;
        let moves = self.moves.moves.as_deref().map(|text| parse_move_order(text, leaper)).transpose()?;
        if moves.is_some() && self.rule.is_auto() {
            return Err(CliError::usage("--moves needs a rule; add --rule warnsdorff-first"));
        }
        Ok((start, end, moves))
    }

    /// Returns the end vertices for any other board or a graph. Rejects rules and orders of moves,
    /// which apply to plain boards only.
    fn graph_goals(&self, board: &Board) -> Result<SearchGoals, CliError> {
        if board.len() > MAX_SEARCH_VERTICES {
            return Err(CliError::usage(format!(
                "{}, but only plain boards may have more than {MAX_SEARCH_VERTICES}; use a smaller BOARD or graph",
                board.size_clause()
            )));
        }
        let plain = "plain boards with a single leaper";
        if !self.rule.is_auto() {
            return Err(CliError::usage(format!("--rule {} is for {plain}; omit it", self.rule)));
        }
        if self.moves.moves.is_some() {
            return Err(CliError::usage(format!("--moves is for {plain}; omit it")));
        }
        let (start, end) = self.ends.resolve(board)?;
        Ok((start, end, None))
    }
}

/// First vertex, last vertex and order of moves of the tours to find, each if given.
type SearchGoals = (Option<Vertex>, Option<Vertex>, Option<Vec<Step>>);

fn parse_square(board: &Rectangle, flag: &str, name: Option<&str>) -> Result<Option<Vertex>, CliError> {
    let Some(name) = name else { return Ok(None) };
    let square: Square = name.parse().map_err(|error| CliError::usage(format!("{flag}: {error}")))?;
    if let Some(v) = board.index(square) {
        return Ok(Some(v));
    }
    let why = if board.is_inside(square) { "is removed from" } else { "is not on" };
    Err(CliError::usage(format!("{flag}: {square} {why} the {board} board")))
}

/// Parses `--moves`, which must contain each step of the leaper exactly once.
fn parse_move_order(text: &str, leaper: Leaper) -> Result<Vec<Step>, CliError> {
    let steps = parse_steps(text, leaper).map_err(|error| CliError::usage(format!("--moves: {error}")))?;
    Ok(steps.into_iter().map(|(right, up)| (-up, right)).collect())
}

/// Returns the row of a tour from its seed, the method `means` that found it, and the seconds since the search
/// began.
fn tour_cells(tour: &Tour, seed: u64, means: Option<&FindMethod>, seconds: f64) -> [Cell; 6] {
    let (by, attempt) = match means {
        Some(FindMethod::Rule { rule, attempt }) => (rule.to_string(), Some(*attempt)),
        Some(FindMethod::NarrowBoard) => ("strip".to_owned(), None),
        Some(FindMethod::Comb) => ("comb".to_owned(), None),
        Some(FindMethod::Blocks) => ("blocks".to_owned(), None),
        _ => ("search".to_owned(), None),
    };
    [
        tour.kind().name().into(),
        seed.into(),
        by.into(),
        attempt.into(),
        Cell::Seconds(seconds),
        squares_cell(tour),
    ]
}

/// Returns the tour with the given number, counted from 0, and the method that found it. Tour 0
/// uses the seed of the request; later tours use the next seeds, and skip the attempts that do not
/// depend on the seed. `None` if the control was cancelled first.
///
/// # Errors
/// No tour exists, or the search gave up.
pub fn nth_tour(
    request: &FindRequest,
    number: u64,
    control: &Control,
) -> Result<Option<(Tour, FindMethod)>, CliError> {
    let skip = if number > 0 { FIRST_RANDOM_ATTEMPT } else { request.skip_attempts };
    let seed = request.seed.wrapping_add(number);
    let (outcome, rule) =
        (find_under(&FindRequest { seed, skip_attempts: skip, ..request.clone() }, control), request.rule);
    let failed = |message| Err(CliError::failed(message));
    match outcome {
        FindOutcome::Found { tour, method: by } => Ok(Some((tour, by))),
        FindOutcome::Stopped => Ok(None),
        FindOutcome::Impossible(reason) => failed(format!("no tour exists: {reason}")),
        FindOutcome::GaveUp { attempts: 0 } if request.attempts > 0 => failed(format!(
            "no construction of such a tour is known, and {} squares are too many for a search (maximum \
             {MAX_SEARCH_VERTICES}); use a smaller BOARD or graph",
            request.tours.board().len()
        )),
        FindOutcome::GaveUp { attempts } if rule.is_auto() => failed(format!(
            "the search gave up after {}, but a tour may exist; try more --attempts or \
            another --seed",
            format_count(attempts, "attempt")
        )),
        FindOutcome::GaveUp { attempts } => failed(format!(
            "gave up after {} by rule {rule}, but a tour may exist; try --rule auto, more --attempts or more \
             --backtracks",
            format_count(attempts, "attempt")
        )),
    }
}

/// Returns the parser of the names of rules.
pub fn rule_parser() -> impl TypedValueParser<Value = Rule> {
    let value = |rule: Rule| PossibleValue::new(rule.name).aliases(rule.alias).help(rule.description);
    PossibleValuesParser::new(Rule::ALL.map(value))
        .map(|name| name.parse().expect("the parser accepts only names of rules"))
}
