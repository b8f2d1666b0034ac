//! `ktour verify`: recomputes published counts and compares.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use clap::Args;
use num_bigint::BigUint;
use rayon::prelude::*;
use serde::Serialize;

use super::failure::Failure;
use super::files::{FileArgs, print};
use super::heap;
use super::places::refuse_same;
use super::time;
use crate::report::{Output, tell};
use ktour::batch::read_bounded;
use ktour::board::Arena;
use ktour::control::Control;
use ktour::count::published::{Group, grouped, groups, parse};
use ktour::count::symmetric::Named;
use ktour::count::symmetric::published::{Published, What, published};
use ktour::count::{CountError, Engine, Request, cost, count};
use ktour::recurrence::{Polynomial, published as families};
use ktour::search::workers::Stopped;
use ktour::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour verify                 as many numbers as a minute allows
  ktour verify --within 1h     more
  ktour verify --csv -         a row for each published number
  ktour verify --table own.csv your own numbers

The columns of a table are rows,cols,prefix,kind,direction,start,count,source, or
arena,kind,direction,count,source with arena in the text form of job lines. Boards are counted in \
order of estimated cost. Prints a line for each number: published, computed, seconds, source.";

/// Recompute published counts and compare
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Stop after this time: seconds, or a number with s, m, h, d
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time::parse)]
    within: Duration,

    /// Compare with the numbers of a CSV file. Default: the table in the program
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    #[command(flatten)]
    files: FileArgs,
}

/// The comparison of one number.
#[derive(Debug, Serialize)]
struct Line {
    status: &'static str,
    number: String,
    published: String,
    computed: String,
    engine: &'static str,
    seconds: f64,
    source: String,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    reproduced: usize,
    mismatches: usize,
    not_tried: usize,
    seconds: f64,
    numbers: &'a [Line],
}

impl VerifyArgs {
    /// Recomputes the numbers and compares them; fails on any mismatch.
    pub fn run(self) -> Result<(), Failure> {
        let (groups, symmetric, families) = match &self.table {
            Some(path) => (own(path)?, Vec::new(), Vec::new()),
            None => (groups(), published(), families::published()),
        };
        refuse_same(&self.files.named())?;
        let files = self.files.open()?;
        let quiet = files.is_quiet();

        let began = Instant::now();
        let mut lines: Vec<Line> = Vec::new();
        let mut not_tried = 0;
        let mut totals = Totals::new();
        for (seconds, task) in by_cost(groups, symmetric, families) {
            let left = || self.within.saturating_sub(began.elapsed());
            // The estimate may be off by a factor of a few; the deadline decides.
            let is_long = |seconds: f64| left().is_zero() || seconds > 4.0 * left().as_secs_f64();
            if is_long(seconds) && (left().is_zero() || is_long(task.search_seconds())) {
                not_tried += task.numbers();
                continue;
            }
            let Some(found) = compare(&task, left(), &mut totals)? else {
                not_tried += task.numbers();
                continue;
            };
            if !quiet {
                print(found.iter().map(Line::text).collect::<String>())?;
            }
            lines.extend(found);
        }
        let mismatches = lines.iter().filter(|line| line.status != "ok").count();
        let reproduced = lines.len() - mismatches;
        let seconds = began.elapsed().as_secs_f64();
        let document = Document { schema: 1, reproduced, mismatches, not_tried, seconds, numbers: &lines };
        let written = files.write(|out| write_csv(&lines, out), || document.json());
        let within = self.within.as_secs_f64();
        let summary = format!(
            "{reproduced} published numbers reproduced, {mismatches} mismatches, {not_tried} not tried within {within} s",
        );
        if quiet {
            tell(format_args!("{summary}"));
        } else {
            print(format!("{summary}\n"))?;
        }
        written?;
        if mismatches > 0 {
            return Err(Failure::failed(format!(
                "{mismatches} published numbers were not reproduced; see the \
                lines with MISMATCH"
            )));
        }
        if lines.is_empty() {
            return Err(Failure::failed(format!(
                "no number was recomputed within {within} s; raise --within, such as --within 1m"
            )));
        }
        Ok(())
    }
}

/// Returns true if bytes are the start of a text file. The last character may be cut off.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none())
}

/// Reads the groups of a user's table.
fn own(path: &Path) -> Result<Vec<Group>, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::failed(format!("--table: {}: {why}", path.display()));
    let bytes = read_bounded(path, is_text).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&"not a text file"))?;
    let numbers = parse(&text).map_err(|error| failed(&error))?;
    if numbers.is_empty() {
        return Err(failed(&"the table has a header but no numbers; add rows"));
    }
    Ok(grouped(numbers))
}

/// Published numbers that are recomputed together.
enum Task {
    /// Counts of all tours of one board.
    All(Group),
    /// A count of symmetric or distinct tours.
    Symmetric(Box<Published>),
    /// Facts about all boards of a width: generating function and growth.
    Family(Box<families::Published>),
}

impl Task {
    fn numbers(&self) -> usize {
        match self {
            Self::All(group) => group.numbers.len(),
            Self::Symmetric(_) => 1,
            Self::Family(family) => family.numbers(),
        }
    }
}

/// Totals computed so far, by board, piece and kind.
type Totals = Vec<(Arena, Kind, BigUint)>;

/// Returns all tasks with the estimated seconds of their sweeps, cheapest first; tasks without a possible
/// sweep come last.
fn by_cost(
    groups: Vec<Group>,
    symmetric: Vec<Published>,
    families: Vec<families::Published>,
) -> Vec<(f64, Task)> {
    let tasks = groups.into_par_iter().map(Task::All);
    let tasks = tasks.chain(symmetric.into_par_iter().map(|number| Task::Symmetric(Box::new(number))));
    let tasks = tasks.chain(families.into_par_iter().map(|family| Task::Family(Box::new(family))));
    let mut tasks: Vec<(f64, Task)> = tasks.map(|task| (task.seconds(), task)).collect();
    tasks.sort_by(|a, b| a.0.total_cmp(&b.0));
    tasks
}

impl Task {
    /// Returns the request for the total that the task needs, if any.
    fn total(&self) -> Option<Request> {
        match self {
            Self::All(group) => Some(group.request.clone()),
            Self::Symmetric(number) => number.what.needs_total().then(|| total_of(number)),
            Self::Family(_) => None,
        }
    }

    /// Returns the seconds of the task apart from the total.
    fn symmetric_seconds(&self) -> f64 {
        match self {
            Self::All(_) => 0.0,
            // Each takes a moment.
            Self::Family(_) => 0.1,
            Self::Symmetric(number) => symmetric_seconds(number),
        }
    }

    /// Returns the estimated seconds if the total is counted by a sweep. Immediate.
    fn seconds(&self) -> f64 {
        let total = self.total().map_or(0.0, |total| cost::sweep_seconds(&total).unwrap_or(f64::INFINITY));
        total / rayon::current_num_threads() as f64 + self.symmetric_seconds()
    }

    /// Returns the estimated seconds if the total is counted by a search, or infinity if unknown. Takes a
    /// moment.
    fn search_seconds(&self) -> f64 {
        let total = self.total().map_or(0.0, |total| cost::search_seconds(&total).unwrap_or(f64::INFINITY));
        total / rayon::current_num_threads() as f64 + self.symmetric_seconds()
    }
}

/// Returns a rough estimate of the seconds to count symmetric tours: a sweep of half a board is nearly as
/// wide as the board. Measured: half turns of 8x8 take 0.2 s, of 8x10 3 s, of 9x10 60 s if they keep the
/// direction and 1 s if they reverse it; quarter turns of 10x10 take 0.1 s.
fn symmetric_seconds(number: &Published) -> f64 {
    let (narrower, share) = match number.what {
        What::With(Named::Rot90) | What::WithDistinct(Named::Rot90) => (3.0, 1.0),
        What::With(Named::Axial | Named::Bergholtian) => (0.0, 0.05),
        _ => (0.0, 1.0),
    };
    let width = f64::from(number.board.rows().min(number.board.cols())) - narrower;
    0.02 * share * number.board.len() as f64 * 8f64.powf((width - 8.0).max(-2.0))
}

/// Returns the request for the total of a symmetric number's board and kind.
fn total_of(number: &Published) -> Request {
    Request { kind: Some(number.kind), ..Request::new((number.board.clone(), number.leaper)) }
}

/// Recomputes the numbers of a task. `None` if the time `left` was too short.
fn compare(task: &Task, left: Duration, totals: &mut Totals) -> Result<Option<Vec<Line>>, Failure> {
    let began = Instant::now();
    let control = Control::new().with_allocator(heap::grant);
    let (over, is_over) = channel::<()>();
    let watch = control.clone();
    let watcher = std::thread::spawn(move || {
        if is_over.recv_timeout(left) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            watch.cancel();
        }
    });
    let computed = recompute(task, &control, totals);
    drop(over);
    let _ = watcher.join();
    let computed = match computed {
        Err(CountError::Stopped(_)) => return Ok(None),
        Err(error) if error.is_out_of_reach() => {
            tell(format_args!("not tried: {error}"));
            return Ok(None);
        }
        computed => computed?,
    };
    let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let line = |(name, published, computed, engine, source): Compared| Line {
        status: if computed.as_ref() == Some(&published) { "ok" } else { "MISMATCH" },
        number: name,
        published,
        computed: computed.unwrap_or_else(|| "-".to_owned()),
        engine: engine.name(),
        seconds,
        source,
    };
    Ok(Some(computed.into_iter().map(line).collect()))
}

/// Name, published number, computed number, engine, source.
type Compared = (String, String, Option<String>, Engine, String);

fn recompute(task: &Task, control: &Control, totals: &mut Totals) -> Result<Vec<Compared>, CountError> {
    match task {
        Task::All(group) => {
            let answer = count(&group.request, control)?;
            let arena = &group.request.arena;
            for kind in Kind::ALL {
                let total = answer.counts.get(kind).map(|total| (arena.clone(), kind, total.clone()));
                totals.extend(total);
            }
            let line = |number: &ktour::count::published::Published| {
                let computed = number.computed(&answer).map(|count| count.to_string());
                (number.name(), number.count.to_string(), computed, answer.engine, number.source.clone())
            };
            Ok(group.numbers.iter().map(line).collect())
        }
        Task::Family(family) => {
            let written =
                |numerator: &Polynomial, denominator: &Polynomial| format!("({numerator}) / ({denominator})");
            let computed = family.compute(control);
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped));
            }
            let mut compared = Vec::new();
            let mut compare = |what: &str, published: String, computed: Option<String>| {
                let name = format!("{} {what}", family.name());
                compared.push((name, published, computed, Engine::Frontier, family.source.clone()));
            };
            if let Some((numerator, denominator)) = &family.function {
                let published = written(numerator, denominator);
                // Different fractions may be equal as functions.
                let found = computed.as_ref().map(|found| match family.is(found) {
                    true => published.clone(),
                    false => written(&found.numerator, &found.denominator),
                });
                compare("generating function", published, found);
            }
            if let Some(published) = &family.growth {
                let growth = computed.as_ref().and_then(|found| family.growth_of(found));
                compare("growth", published.clone(), growth);
            }
            Ok(compared)
        }
        Task::Symmetric(number) => {
            let arena = Arena::board(number.board.clone(), number.leaper);
            let known = totals.iter().find(|(known, kind, _)| (known, kind) == (&arena, &number.kind));
            let total = || match known {
                Some((.., total)) => Ok(total.clone()),
                None => {
                    let answer = count(&total_of(number), control)?;
                    Ok(answer.counts.get(number.kind).cloned().unwrap_or_default())
                }
            };
            let computed = number.compute(Engine::Auto, control, total)?;
            let source = number.source.clone();
            let computed = Some(computed.to_string());
            Ok(vec![(number.name(), number.count.to_string(), computed, Engine::Auto, source)])
        }
    }
}

impl Line {
    fn text(&self) -> String {
        let Self { status, number, published, computed, seconds, source, .. } = self;
        format!("{status} {number}: published {published}, computed {computed} ({seconds:.2} s) [{source}]\n")
    }
}

impl Document<'_> {
    fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers can be written") + "\n"
    }
}

fn write_csv(lines: &[Line], out: &mut Output) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for line in lines {
        writer.serialize(line)?;
    }
    writer.flush()
}
