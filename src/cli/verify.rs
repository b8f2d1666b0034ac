//! `ktour verify`: recomputes published counts and compares the numbers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use num_bigint::BigUint;
use rayon::prelude::*;

use super::args::board::{BoardOptions, SquareOptions, parse_single_board, read_text};
use super::args::heading;
use super::args::output_options::{OutputFileArgs, print_to_stdout};
use super::args::tours::KindArgs;
use super::error::CliError;
use super::process::EndAtSignal;
use super::selftest::board_label;
use super::{malloc_tuning, quantities};
use crate::report::{Cell, Table, print_notice};
use ktour::board::{Board, BoardSides, Rectangle};
use ktour::control::Control;
use ktour::count::oeis_terms::{BoardFamily, find_line_without_term, is_b_file, parse_b_file};
use ktour::count::published_counts::{
    PublishedCount, PublishedJob, PublishedSymmetricCount, Quantity, group_by_job, parse_table,
    published_counts, published_symmetric_counts,
};
use ktour::count::symmetric::NamedSymmetry;
use ktour::count::{CountError, Engine, Request, count, engine_cost};
use ktour::recurrence::{Polynomial, published as families};
use ktour::search::unit_runner::Stopped;
use ktour::text_format::{escape_control, format_count};
use ktour::threads::BackgroundThread;
use ktour::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour verify                 as many numbers as a minute allows
  ktour verify --within 1h     more
  ktour verify 8x8             the numbers of this board
  ktour verify 5x5 --piece king
  ktour verify --csv -         a row for each published number
  ktour verify --table own.csv your own numbers
  ktour verify --table b001230.txt --boards 2nx2n --kind closed

The columns of a table are rows,cols,prefix,kind,direction,start,count,source, or
board,kind,direction,count,source with board in the text form of job lines; start,end may follow \
direction. Boards are counted in order of estimated cost. A table may also be a b-file of the OEIS, of the boards that --boards gives. Each number has a \
line with the published and the computed value, seconds and source. If a number differs because it was counted by another \
convention, such as directed tours, the line names the convention.";

/// Recompute published counts and compare
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Recompute only the numbers of this board: ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box
    #[arg(value_name = "BOARD", value_parser = parse_single_board)]
    board: Option<BoardSides>,

    #[command(flatten)]
    square_options: SquareOptions,

    #[command(flatten)]
    kind: KindArgs,

    /// Use both directions of every tour
    ///
    /// For a b-file of directed tours.
    #[arg(long, help_heading = heading::TOURS, requires = "boards")]
    directed: bool,

    /// Stop after this time: seconds, or a number with s, m, h, d
    #[arg(long, help_heading = heading::METHOD, value_name = "TIME", default_value = "60s", value_parser = quantities::parse_duration)]
    within: Duration,

    /// Compare with the numbers of a CSV file, - for standard input. Default: the tables in the program
    #[arg(long, help_heading = heading::METHOD, value_name = "FILE")]
    table: Option<PathBuf>,

    /// Set the boards of a b-file for --table, with n for the index: nxn, 2nx2n, 3x2n
    #[arg(long, help_heading = heading::METHOD, value_name = "BOARDS", requires = "table")]
    boards: Option<BoardFamily>,

    #[command(flatten)]
    files: OutputFileArgs,
}

/// The comparison of one published number with the computed one.
#[derive(Debug)]
struct Comparison {
    number: String,
    published: String,
    /// The computed number, if there is one.
    computed: Option<String>,
    engine: String,
    seconds: f64,
    source: String,
    /// Convention under which the published number is right; empty if it is that of the table, or none.
    convention: String,
}

impl VerifyArgs {
    /// Recomputes the numbers and compares them. Returns an error if any of them differ.
    pub fn run(self) -> Result<(), CliError> {
        let (mut numbers, mut symmetric, mut families) = match &self.table {
            Some(path) => (self.read_table(path)?, Vec::new(), Vec::new()),
            None => (published_counts(), published_symmetric_counts(), families::published_recurrences()),
        };
        let boards = self.selected_boards()?;
        if let Some(boards) = &boards {
            numbers.retain(|number| boards.contains(&number.board));
            symmetric.retain(|number| boards.contains(total_request_of(number).board()));
            families.clear();
        }
        if let Some(kind) = self.kind.kind() {
            numbers.retain(|number| number.kind == kind);
            symmetric.retain(|number| number.kind == kind);
            families.retain(|family| family.kind == kind);
        }
        if numbers.is_empty() && symmetric.is_empty() && families.is_empty() {
            let board = boards.map(|boards| board_label(&boards[0]));
            let selected: Vec<String> =
                board.into_iter().chain(self.kind.kind().map(|kind| kind.name().to_owned())).collect();
            return Err(CliError::failed(format!(
                "the tables have no number of {}; use ktour count for its tours, or --table FILE for numbers of yours",
                selected.join(" ")
            )));
        }
        let groups = group_by_job(numbers);
        let files = self.files.open()?;
        let quiet = files.has_stdout();

        let began = Instant::now();
        let compared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let counters = Arc::clone(&compared);
        let _ending = EndAtSignal::start(move || {
            let [reproduced, mismatches] = [0, 1].map(|i: usize| counters[i].load(Ordering::SeqCst));
            let numbers = format_count(reproduced + mismatches, "number");
            format!("stopped after {numbers}: {}", summary_text(reproduced, mismatches))
        })?;
        let mut lines: Vec<Comparison> = Vec::new();
        let mut not_tried = 0;
        let mut totals = Totals::new();
        for (seconds, task) in sort_by_cost(groups, symmetric, families) {
            let left = || self.within.saturating_sub(began.elapsed());
            // The estimate may be off by a factor of a few; the deadline decides.
            let is_long = |seconds: f64| left().is_zero() || seconds > 4.0 * left().as_secs_f64();
            if is_long(seconds) && (left().is_zero() || is_long(task.search_seconds())) {
                not_tried += task.number_count();
                continue;
            }
            let Some(comparisons) = compare_task(&task, left(), &mut totals)? else {
                not_tried += task.number_count();
                continue;
            };
            if !quiet {
                print_to_stdout(comparisons.iter().map(Comparison::text).collect::<String>())?;
            }
            for line in &comparisons {
                compared[usize::from(!line.is_right())].fetch_add(1, Ordering::SeqCst);
            }
            lines.extend(comparisons);
        }
        let mismatches = lines.iter().filter(|line| !line.is_right()).count();
        let reproduced = lines.len() - mismatches;
        let seconds = began.elapsed().as_secs_f64();
        let rows = comparison_rows(&lines);
        let fields = [
            ("reproduced", reproduced.into()),
            ("mismatches", mismatches.into()),
            ("not_tried", not_tried.into()),
            ("seconds", Cell::Seconds(seconds)),
        ];
        let written = files.write(|| &rows, || rows.to_json(fields, "numbers"));
        let within = self.within.as_secs_f64();
        let summary =
            format!("{}, {not_tried} not tried within {within} s", summary_text(reproduced, mismatches));
        if quiet {
            print_notice(format_args!("{summary}"));
        } else {
            print_to_stdout(format!("{summary}\n"))?;
        }
        written?;
        if mismatches > 0 {
            let verb = if mismatches == 1 { "was" } else { "were" };
            return Err(CliError::failed(format!(
                "{} {verb} not reproduced; see the lines with MISMATCH",
                format_count(mismatches, "published number")
            )));
        }
        if lines.is_empty() {
            return Err(CliError::failed(format!(
                "no number was recomputed within {within} s; raise --within, such as --within 1m"
            )));
        }
        Ok(())
    }
}

impl VerifyArgs {
    /// Returns the board whose numbers are recomputed, and the same board lying on its side. `None` for all boards.
    fn selected_boards(&self) -> Result<Option<Vec<Board>>, CliError> {
        let options = BoardOptions { square_options: self.square_options.clone(), ..BoardOptions::default() };
        let Some(sides) = &self.board else {
            let is_given = options.has_piece() || self.square_options.wrap.is_some();
            return match is_given || !self.square_options.remove.is_empty() {
                true => Err(CliError::usage(
                    "--piece, --leaper, --wrap and --remove complete a board; add BOARD, such as 6x8",
                )),
                false => Ok(None),
            };
        };
        let mut boards = vec![options.to_board(Some(sides))?];
        if let BoardSides::Rectangle(rectangle) = sides
            && self.square_options.wrap.is_none()
            && self.square_options.remove.is_empty()
        {
            let turned = Rectangle::new(rectangle.cols(), rectangle.rows()).expect("both sides are valid");
            boards.push(options.to_board(Some(&BoardSides::Rectangle(turned)))?);
        }
        Ok(Some(boards))
    }

    /// Reads the numbers of a user's table or b-file.
    fn read_table(&self, path: &Path) -> Result<Vec<PublishedCount>, CliError> {
        let failed =
            |why: &dyn std::fmt::Display| CliError::failed(format!("--table: {}: {why}", path.display()));
        let text = read_text(path).map_err(|error| CliError::read_error("--table", path, &error))?;
        let text = text.as_str();
        let numbers = match (is_b_file(text), &self.boards, self.kind.kind()) {
            (true, Some(family), Some(kind)) => {
                let (numbers, skipped) =
                    parse_b_file(text, family, kind, self.directed).map_err(|error| failed(&error))?;
                if skipped > 0 {
                    print_notice(format_args!(
                        "note: --table: terms without a board are not compared: {skipped}"
                    ));
                }
                numbers
            }
            (true, ..) => {
                return Err(failed(
                    &"a b-file does not say what it counts; add --boards and --kind, such as --boards nxn --kind closed",
                ));
            }
            (false, Some(_), _) => {
                let fault = find_line_without_term(text).map_or_else(
                    || "it has no terms; add lines such as `3 9862`".to_owned(),
                    |(line, text)| {
                        format!(
                            "line {line}: `{}` is not an index and a term, as in a b-file; write them with a blank between, or omit --boards",
                            escape_control(&text.chars().take(24).collect::<String>())
                        )
                    },
                );
                return Err(failed(&fault));
            }
            (false, None, _) => parse_table(text).map_err(|error| failed(&error))?,
        };
        if numbers.is_empty() {
            return Err(failed(&"the table has a header but no numbers; add rows"));
        }
        Ok(numbers)
    }
}

/// Returns the text for numbers that were compared.
fn summary_text(reproduced: usize, mismatches: usize) -> String {
    let plural = if mismatches == 1 { "mismatch" } else { "mismatches" };
    format!("{} reproduced, {mismatches} {plural}", format_count(reproduced, "published number"))
}

/// A task: published numbers that are recomputed together.
enum Task {
    /// Numbers of all tours of one board.
    AllTours(PublishedJob),
    /// The number of tours with a symmetry, or up to symmetry.
    Symmetric(Box<PublishedSymmetricCount>),
    /// The generating function and the growth of the counts on all boards of one width.
    Series(Box<families::PublishedRecurrence>),
}

impl Task {
    fn number_count(&self) -> usize {
        match self {
            Self::AllTours(group) => group.counts.len(),
            Self::Symmetric(_) => 1,
            Self::Series(family) => family.fact_count(),
        }
    }
}

/// Numbers of all tours that have been computed so far, by board, piece and kind, with the engine that counted them.
type Totals = Vec<(Board, Kind, BigUint, Engine)>;

/// Returns all tasks, each with the estimated time in seconds if it uses sweeps. The cheapest task
/// comes first; tasks that no sweep can do come last.
fn sort_by_cost(
    groups: Vec<PublishedJob>,
    symmetric: Vec<PublishedSymmetricCount>,
    families: Vec<families::PublishedRecurrence>,
) -> Vec<(f64, Task)> {
    let tasks = groups.into_par_iter().map(Task::AllTours);
    let tasks = tasks.chain(symmetric.into_par_iter().map(|number| Task::Symmetric(Box::new(number))));
    let tasks = tasks.chain(families.into_par_iter().map(|family| Task::Series(Box::new(family))));
    let mut tasks: Vec<(f64, Task)> = tasks.map(|task| (task.sweep_seconds(), task)).collect();
    tasks.sort_by(|a, b| a.0.total_cmp(&b.0));
    tasks
}

impl Task {
    /// Returns the request to count all tours, if the task needs this number.
    fn total_request(&self) -> Option<Request> {
        match self {
            Self::AllTours(group) => Some(group.request.clone()),
            Self::Symmetric(number) => number.quantity.needs_total().then(|| total_request_of(number)),
            Self::Series(_) => None,
        }
    }

    /// Returns the estimated time of the task in seconds, without the count of all tours.
    fn symmetric_seconds(&self) -> f64 {
        match self {
            Self::AllTours(_) => 0.0,
            // Each takes a moment.
            Self::Series(_) => 0.1,
            Self::Symmetric(number) => symmetric_seconds(number),
        }
    }

    /// Returns the estimated time in seconds if a sweep counts all tours. The estimate takes no
    /// time itself.
    fn sweep_seconds(&self) -> f64 {
        let total = self
            .total_request()
            .map_or(0.0, |total| engine_cost::sweep_seconds(&total).unwrap_or(f64::INFINITY));
        total / rayon::current_num_threads() as f64 + self.symmetric_seconds()
    }

    /// Returns the estimated time in seconds if a search counts all tours; infinite if unknown. The
    /// estimate takes a moment.
    fn search_seconds(&self) -> f64 {
        let seconds = |total| engine_cost::search_seconds(&total, &Control::new()).ok().flatten();
        let total = self.total_request().map_or(0.0, |total| seconds(total).unwrap_or(f64::INFINITY));
        total / rayon::current_num_threads() as f64 + self.symmetric_seconds()
    }
}

/// Returns a rough estimate of the time to count symmetric tours, in seconds. A sweep of half a
/// board is nearly as wide as a sweep of the board. Measured: half turns of 8x8 take 0.2 s, of 8x10
/// 3 s, of 9x10 60 s if they keep the direction and 1 s if they reverse it; quarter turns of 10x10
/// take 0.1 s.
fn symmetric_seconds(number: &PublishedSymmetricCount) -> f64 {
    let (narrower, share) = match number.quantity {
        Quantity::WithSymmetry(NamedSymmetry::Rot90)
        | Quantity::ClassesWithSymmetry(NamedSymmetry::Rot90) => (3.0, 1.0),
        Quantity::WithSymmetry(NamedSymmetry::Axial | NamedSymmetry::Bergholtian) => (0.0, 0.05),
        _ => (0.0, 1.0),
    };
    let width = f64::from(number.rectangle.rows().min(number.rectangle.cols())) - narrower;
    0.02 * share * number.rectangle.len() as f64 * 8f64.powf((width - 8.0).max(-2.0))
}

/// Returns the request to count all tours of the board and kind of a symmetric count.
fn total_request_of(number: &PublishedSymmetricCount) -> Request {
    Request::of_kind((number.rectangle.clone(), number.leaper), number.kind)
}

/// Recomputes the numbers of a task and compares them with the published ones. `None` if the time
/// `left` was too short, or memory was.
fn compare_task(
    task: &Task,
    left: Duration,
    totals: &mut Totals,
) -> Result<Option<Vec<Comparison>>, CliError> {
    let began = Instant::now();
    let control = Control::new().with_allocator_hook(malloc_tuning::run_allocator_command);
    let watch = control.clone();
    let watcher = BackgroundThread::start("timeout", move |signal| {
        if signal.wait(left) {
            watch.cancel();
        }
    });
    let computed = recompute(task, &control, totals);
    drop(watcher);
    let computed = match computed {
        Err(CountError::Stopped(_)) => return Ok(None),
        Err(error) if error.is_resource_limit() => {
            print_notice(format_args!("not tried: {error}"));
            return Ok(None);
        }
        computed => computed?,
    };
    let seconds = began.elapsed().as_secs_f64();
    Ok(Some(computed.into_iter().map(|comparison| Comparison { seconds, ..comparison }).collect()))
}

/// Recomputes the numbers of a task. The comparisons have no time yet.
fn recompute(task: &Task, control: &Control, totals: &mut Totals) -> Result<Vec<Comparison>, CountError> {
    match task {
        Task::AllTours(group) => {
            let answer = count(&group.request, control)?;
            let board = group.request.board();
            for kind in Kind::ALL {
                // The numbers of tours with a fixed end are no totals.
                let total = answer.counts.get(kind).filter(|_| !answer.is_directed);
                let total = total.map(|total| (board.clone(), kind, total.clone(), answer.engine));
                totals.extend(total);
            }
            let line = |number: &PublishedCount| {
                let computed = number.value_in(&answer);
                let is_right = computed.as_ref() == Some(&number.count);
                // Without time for the other counts, the mismatch has no explanation.
                let convention =
                    if is_right { None } else { number.other_convention(control).ok().flatten() };
                Comparison {
                    number: number.title(),
                    published: number.count.to_string(),
                    computed: computed.map(|count| count.to_string()),
                    engine: answer.engine.name().to_owned(),
                    seconds: 0.0,
                    source: number.source.clone(),
                    convention: convention.unwrap_or_default(),
                }
            };
            Ok(group.counts.iter().map(line).collect())
        }
        Task::Series(family) => {
            let written =
                |numerator: &Polynomial, denominator: &Polynomial| format!("({numerator}) / ({denominator})");
            let computed = family.find_recurrence(control);
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped));
            }
            let mut compared = Vec::new();
            let mut compare = |what: &str, published: String, computed: Option<String>| {
                compared.push(Comparison {
                    number: format!("{} {what}", family.description()),
                    published,
                    computed,
                    engine: Engine::Frontier.name().to_owned(),
                    seconds: 0.0,
                    source: family.source.clone(),
                    convention: String::new(),
                });
            };
            if let Some((numerator, denominator)) = &family.function {
                let published = written(numerator, denominator);
                // Different fractions may be equal as functions.
                let found = computed.as_ref().map(|recurrence| match family.matches(recurrence) {
                    true => published.clone(),
                    false => written(&recurrence.numerator, &recurrence.denominator),
                });
                compare("generating function", published, found);
            }
            if let Some(published) = &family.growth_rate {
                let growth = computed.as_ref().and_then(|recurrence| family.rounded_growth_rate(recurrence));
                compare("growth", published.clone(), growth);
            }
            Ok(compared)
        }
        Task::Symmetric(number) => {
            let board = Board::from_leaper(number.rectangle.clone(), number.leaper);
            let known = totals.iter().find(|(known, kind, ..)| (known, kind) == (&board, &number.kind));
            let mut total_engine = None;
            let total = || {
                let (total, engine) = match known {
                    Some((.., total, engine)) => (total.clone(), *engine),
                    None => {
                        let answer = count(&total_request_of(number), control)?;
                        (answer.counts.get(number.kind).cloned().unwrap_or_default(), answer.engine)
                    }
                };
                total_engine = Some(engine.name());
                Ok(total)
            };
            let (computed, engines) = number.compute(Engine::Auto, control, total)?;
            Ok(vec![Comparison {
                number: number.title(),
                published: number.count.to_string(),
                computed: Some(computed.to_string()),
                engine: join_engine_names(engines, total_engine),
                seconds: 0.0,
                source: number.source.clone(),
                convention: String::new(),
            }])
        }
    }
}

/// Returns the names of the engines that counted the symmetric tours, and all tours if `total` is given, without
/// repetition.
fn join_engine_names(symmetric: &str, total: Option<&str>) -> String {
    let mut names: Vec<&str> = symmetric.split('+').chain(total).collect();
    names.retain(|name| *name != "none" || total.is_none());
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.dedup();
    names.join("+")
}

impl Comparison {
    fn is_right(&self) -> bool {
        self.computed.as_ref() == Some(&self.published)
    }

    fn status(&self) -> &'static str {
        if self.is_right() { "ok" } else { "MISMATCH" }
    }

    fn computed_text(&self) -> &str {
        self.computed.as_deref().unwrap_or("-")
    }

    fn text(&self) -> String {
        let Self { number, published, seconds, source, convention, .. } = self;
        let (status, computed) = (self.status(), self.computed_text());
        let convention = match convention.as_str() {
            "" => String::new(),
            convention => format!("; {published} is the number of {convention}"),
        };
        format!(
            "{status} {number}: published {published}, computed {computed}{convention} ({seconds:.2} s) [{source}]\n"
        )
    }
}

/// Returns the comparisons as rows of CSV and JSON.
fn comparison_rows(comparisons: &[Comparison]) -> Table {
    let keys = ["status", "number", "published", "computed", "engine", "seconds", "source", "convention"];
    let mut table = Table::new(keys);
    for comparison in comparisons {
        table.push([
            comparison.status().into(),
            comparison.number.as_str().into(),
            comparison.published.as_str().into(),
            comparison.computed_text().into(),
            comparison.engine.as_str().into(),
            Cell::Seconds(comparison.seconds),
            comparison.source.as_str().into(),
            comparison.convention.as_str().into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_engine_names_omits_repetitions() {
        for (symmetric, total, joined) in [
            ("none", None, "none"),
            ("none", Some("frontier"), "frontier"),
            ("frontier", Some("multipath"), "multipath+frontier"),
            ("multipath+frontier", Some("frontier"), "multipath+frontier"),
        ] {
            assert_eq!(join_engine_names(symmetric, total), joined);
        }
    }
}
