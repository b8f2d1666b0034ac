//! `ktour verify`: recompute published counts and compare.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use super::failure::Failure;
use super::files::{FileArgs, print};
use super::time;
use crate::count::published::{Group, grouped, groups, parse};
use crate::count::{CountError, cost, count};
use crate::report::{Output, tell};
use crate::search::meter::Meter;

const EXAMPLES: &str = "\
Examples:
  ktour verify                 what a minute allows
  ktour verify --within 1h     more
  ktour verify --csv -         a row for each published number
  ktour verify --table own.csv numbers of your own: rows,cols,prefix,kind,direction,start,count,source

Boards are taken in order of estimated cost. A line for each number: published, computed, seconds, source.";

/// Seconds of a sweep that are not worth an estimate of the search.
const SHORT: f64 = 0.1;

/// Recompute published counts and compare.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Stop when this time is over: seconds, or with s, m, h, d
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time::parse)]
    within: Duration,

    /// Numbers to compare with, as CSV [default: those that come with the program]
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
    /// Recomputes and compares; fails on any mismatch.
    pub fn run(self) -> Result<(), Failure> {
        let groups = match &self.table {
            Some(path) => own(path)?,
            None => groups(),
        };
        let files = self.files.open()?;
        let quiet = files.is_quiet();

        let began = Instant::now();
        let mut lines: Vec<Line> = Vec::new();
        let mut not_tried = 0;
        for (seconds, group) in by_cost(groups) {
            let left = self.within.saturating_sub(began.elapsed());
            // An estimate may be off by a factor of a few; the deadline decides.
            if left.is_zero() || seconds > 4.0 * left.as_secs_f64() {
                not_tried += group.numbers.len();
                continue;
            }
            let Some(found) = compare(&group, left)? else {
                not_tried += group.numbers.len();
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
        files.write(|out| write_csv(&lines, out), || document.json())?;
        let summary = format!(
            "{reproduced} published numbers reproduced, {mismatches} mismatches, {not_tried} not tried within {:.0} s",
            self.within.as_secs_f64()
        );
        if quiet {
            tell(format_args!("{summary}"));
        } else {
            print(format!("{summary}\n"))?;
        }
        if mismatches > 0 {
            return Err(Failure::failed(format!("{mismatches} published numbers were not reproduced")));
        }
        Ok(())
    }
}

/// The groups of a table of one's own.
fn own(path: &Path) -> Result<Vec<Group>, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::failed(format!("--table: {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    Ok(grouped(parse(&text).map_err(|error| failed(&error))?))
}

/// All groups with their estimated seconds, cheapest first; those that no engine can do come last.
fn by_cost(groups: Vec<Group>) -> Vec<(f64, Group)> {
    let threads = rayon::current_num_threads() as f64;
    let mut groups: Vec<(f64, Group)> = groups
        .into_par_iter()
        .map(|group| {
            // Engines as `auto` chooses them. Estimating a search takes longer than a short sweep.
            let sweep = cost::sweep_seconds(&group.request).unwrap_or(f64::INFINITY);
            let search = if sweep < SHORT { None } else { cost::search_seconds(&group.request) };
            (sweep.min(search.unwrap_or(f64::INFINITY)) / threads, group)
        })
        .collect();
    groups.sort_by(|a, b| a.0.total_cmp(&b.0));
    groups
}

/// Recomputes a group. `None` if the time was over first.
fn compare(group: &Group, left: Duration) -> Result<Option<Vec<Line>>, Failure> {
    let began = Instant::now();
    let meter = Arc::new(Meter::default());
    let (over, is_over) = channel::<()>();
    let watch = Arc::clone(&meter);
    let watcher = std::thread::spawn(move || {
        if is_over.recv_timeout(left) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            watch.stop();
        }
    });
    let answer = count(&group.request, &meter);
    drop(over);
    let _ = watcher.join();
    let answer = match answer {
        Err(CountError::Stopped(_)) => return Ok(None),
        answer => answer?,
    };
    let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let line = |number: &crate::count::published::Published| {
        let computed = number.computed(&answer);
        Line {
            status: if computed.as_ref() == Some(&number.count) { "ok" } else { "MISMATCH" },
            number: number.name(),
            published: number.count.to_string(),
            computed: computed.map_or_else(|| "-".to_owned(), |count| count.to_string()),
            engine: answer.engine.name(),
            seconds,
            source: number.source.clone(),
        }
    };
    Ok(Some(group.numbers.iter().map(line).collect()))
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
