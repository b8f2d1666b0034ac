//! `ktour count 5x2..60`: a range of boards, a row for each as soon as it is known.
//!
//! ```text
//! one sweep along the boards, or board by board -> rows -> standard output, CSV, JSON, records
//! ```
//!
//! Rows stand whatever comes after them: files have them every few seconds under their own names, and when the run
//! ends early all that there are, with `"complete": false`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::arena::BoardArg;
use super::failure::Failure;
use super::files::print;
use super::how::RunArgs;
use super::run::outlook_of_range;
use super::signals::Signals;
use super::wanted::{Wanted, append};
use crate::report::{BoardRow, Output, RowNumbers, SeriesReport, tell};
use ktour::batch::{Job, Reckoning, Record, Run, Shard, now};
use ktour::board::{Arena, Board, Leaper};
use ktour::count::{CountError, Engine, Request, Series, SeriesRow, Work, directed};
use ktour::tour::Kind;

/// Time between two versions of a file.
const PUBLISH_EVERY: Duration = Duration::from_secs(2);

/// One board, or a range of columns or rows.
#[derive(Clone, Debug)]
pub enum Boards {
    /// A board.
    One(BoardArg),
    /// Boards of one width.
    Series(Series),
}

impl FromStr for Boards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("..") {
            text.parse().map(Self::Series).map_err(|error: ktour::count::SeriesError| error.to_string())
        } else {
            text.parse().map(Self::One).map_err(|error: ktour::board::BoardError| error.to_string())
        }
    }
}

/// A range of boards that is counted.
pub struct SeriesRun {
    pub series: Series,
    pub leaper: Leaper,
    pub kind: Option<Kind>,
    pub wanted: Wanted,
    pub how: RunArgs,
    /// Whether the same command goes on where it was stopped.
    pub is_saved: bool,
    /// What the report tells of all boards, still without rows.
    pub report: SeriesReport,
}

impl SeriesRun {
    /// Counts all boards in one sweep.
    pub fn in_one_sweep(self) -> Result<(), Failure> {
        let Self { series, leaper, kind, .. } = self;
        let mut rows = Rows::open(&self)?;
        let progress = self.how.progress_beside(format!("{series} {}", name(kind)));
        let control = progress.control();
        let signals = Signals::catch(control.flag())?;
        let planned = match series.plan(leaper, kind, self.how.memory, control) {
            Ok(planned) => {
                outlook_of_range(&format!("{series} {}", name(kind)), &planned.forecast(), self.how.force)?;
                Ok(planned)
            }
            // Nothing has begun.
            Err(error) if error.is_out_of_reach() => return Err(error.into()),
            Err(error) => Err(error),
        };
        tell(format_args!("job boards={series} leaper={leaper} kind={} engine=frontier", name(kind)));
        let (began, started) = (Instant::now(), now());
        let mut failed = None;
        let mut tell_row = |row: SeriesRow| {
            // Rows have no gaps, and the first failure is the one that is told.
            if failed.is_some() {
                return;
            }
            let seconds = began.elapsed().as_secs_f64();
            let told = self
                .record(&row, seconds, &started)
                .and_then(|record| rows.add(row_of(&row, seconds), record.as_ref()));
            if let Err(failure) = told {
                failed = Some(failure);
                control.cancel();
            }
        };
        let swept = planned.and_then(|planned| planned.sweep(control, &mut tell_row));
        drop(progress);
        match (failed, swept) {
            (Some(failure), _) => rows.end(&self, End::Failed(failure)),
            (None, Err(CountError::Stopped(_))) => {
                rows.end(&self, End::Stopped)?;
                Err(signals.die())
            }
            (None, Err(error)) => rows.end(&self, End::Failed(error.into())),
            (None, Ok(())) => rows.end(&self, End::Done),
        }
    }

    /// Counts board by board.
    pub fn one_by_one(
        self,
        mut count: impl FnMut(Board, &Arc<AtomicBool>) -> Result<(BoardRow, Option<Record>), Failure>,
    ) -> Result<(), Failure> {
        let mut rows = Rows::open(&self)?;
        let stop = Arc::new(AtomicBool::new(false));
        let signals = Signals::catch(&stop)?;
        for board in self.series.boards() {
            let counted = count(board, &stop).and_then(|(row, record)| rows.add(row, record.as_ref()));
            match counted {
                _ if stop.load(Ordering::Relaxed) => {
                    let is_whole = rows.is_whole(&self);
                    rows.end(&self, if is_whole { End::Done } else { End::Stopped })?;
                    if is_whole {
                        return Ok(());
                    }
                    return Err(if self.is_saved { Failure::saved() } else { signals.die() });
                }
                Ok(()) => {}
                Err(failure) => return rows.end(&self, End::Failed(failure)),
            }
        }
        rows.end(&self, End::Done)
    }

    /// The record of a board that was passed, if one is wanted: that of its own sweep.
    fn record(&self, row: &SeriesRow, seconds: f64, started: &str) -> Result<Option<Record>, Failure> {
        if self.wanted.record.is_none() {
            return Ok(None);
        }
        let arena = Arena::board(row.board.clone(), self.leaper);
        let work = Work::new(&Request { kind: self.kind, engine: Engine::Frontier, ..Request::new(arena) })?;
        let (shards, sums) = ([Shard::WHOLE], row.sums(work.question()));
        let numbers = Reckoning::of(work.question(), &shards, &sums)?;
        let threads = rayon::current_num_threads();
        let run = Run { seconds, threads, started: started.to_owned(), finished: now() };
        Ok(Some(Record::new(&Job::new(&work, Shard::WHOLE), &shards, &sums, &numbers, false, &run)))
    }
}

const fn name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}

fn row_of(row: &SeriesRow, seconds: f64) -> BoardRow {
    let numbers = Kind::ALL.into_iter().filter_map(|kind| {
        let undirected = row.counts.get(kind)?.clone();
        let directed = directed(&undirected, row.board.len());
        Some(RowNumbers { kind, undirected: Some(undirected), directed, distinct: None })
    });
    let (board, engine) = (row.board.to_string(), Engine::Frontier.name().to_owned());
    BoardRow { board, engine, numbers: numbers.collect(), seconds }
}

/// Where a file of rows goes.
enum Sink {
    /// Written anew every few seconds, under its own name.
    File(PathBuf),
    /// Written to as rows come.
    Device(BufWriter<File>, PathBuf),
    Stdout,
}

impl Sink {
    fn of(output: Output) -> Self {
        match output {
            Output::Stdout(_) => Self::Stdout,
            Output::File(_, path) => Self::File(path),
            Output::Device(out, path) => Self::Device(out, path),
        }
    }

    /// Adds text to what is written as rows come.
    fn stream(&mut self, text: &[u8]) -> Result<(), Failure> {
        match self {
            Self::File(_) => Ok(()),
            Self::Stdout => print(text),
            Self::Device(out, path) => out
                .write_all(text)
                .and_then(|()| out.flush())
                .map_err(|error| Failure::write(&path.display().to_string(), &error)),
        }
    }

    /// Writes a file anew.
    fn replace(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), Failure> {
        let Self::File(path) = self else { return Ok(()) };
        let mut out = Output::create(path)?;
        write(&mut out).map_err(|error| Failure::write(&out.name(), &error))?;
        Ok(out.finish()?)
    }
}

/// How a run ends.
enum End {
    Done,
    /// By a signal.
    Stopped,
    Failed(Failure),
}

/// The rows so far, and where they go.
struct Rows {
    report: SeriesReport,
    csv: Option<Sink>,
    json: Option<Sink>,
    record: Option<PathBuf>,
    /// Whether standard output holds CSV or JSON.
    quiet: bool,
    /// Whether a line above the rows says what they are.
    has_head: bool,
    directed: bool,
    published: Instant,
    began: Instant,
}

impl Rows {
    fn open(run: &SeriesRun) -> Result<Self, Failure> {
        let files = run.wanted.open(None)?;
        let quiet = files.is_quiet();
        let (csv, json) = files.into_parts();
        Ok(Self {
            has_head: !quiet && run.kind.is_none() && run.report.symmetry.is_empty(),
            report: run.report.clone(),
            csv: csv.map(Sink::of),
            json: json.map(Sink::of),
            record: run.wanted.record.clone(),
            quiet,
            directed: run.wanted.directed,
            published: Instant::now(),
            began: Instant::now(),
        })
    }

    /// Tells a row.
    fn add(&mut self, row: BoardRow, record: Option<&Record>) -> Result<(), Failure> {
        if std::mem::take(&mut self.has_head) {
            print("board closed open paths\n")?;
        }
        if !self.quiet {
            print(row.text(self.directed))?;
        }
        if let Some(csv) = &mut self.csv {
            let mut text = Vec::new();
            let written = self.report.write_csv(std::slice::from_ref(&row), &mut text);
            written.expect("memory takes what is written");
            let head = text.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            csv.stream(if self.report.rows.is_empty() { &text } else { &text[head..] })?;
        }
        if let (Some(path), Some(record)) = (&self.record, record) {
            append(path, &record.line())?;
        }
        self.report.rows.push(row);
        if self.published.elapsed() > PUBLISH_EVERY { self.publish() } else { Ok(()) }
    }

    /// Whether every board has its row.
    fn is_whole(&self, run: &SeriesRun) -> bool {
        self.report.rows.len() == run.series.boards().count()
    }

    /// Writes the files anew, once there is a row: those of a run before are not replaced by empty ones.
    fn publish(&mut self) -> Result<(), Failure> {
        let report = &self.report;
        if report.rows.is_empty() {
            return Ok(());
        }
        if let Some(csv) = &self.csv {
            csv.replace(|out| report.write_csv(&report.rows, out))?;
        }
        if let Some(json) = &self.json {
            json.replace(|out| out.write_all(report.json().as_bytes()))?;
        }
        self.published = Instant::now();
        Ok(())
    }

    /// Completes the files, whatever has come, and says how the run ended. A failure is told with what stands.
    fn end(mut self, run: &SeriesRun, end: End) -> Result<(), Failure> {
        self.report.complete = matches!(end, End::Done);
        self.publish()?;
        if let Some(json) = &mut self.json {
            json.stream(self.report.json().as_bytes())?;
        }
        let (found, all) = (self.report.rows.len(), run.series.boards().count());
        let Some(rest) = run.series.boards().nth(found).filter(|_| !self.report.complete) else {
            let seconds = self.began.elapsed().as_secs_f64();
            let kind = name(run.kind);
            tell(format_args!("done boards={} kind={kind} rows={found} seconds={seconds:.3}", run.series));
            return Ok(());
        };
        let rest = run.series.from_board(&rest);
        let stand = match found {
            0 => "before the first board was done".to_owned(),
            1 => format!("after 1 of {all} boards, which stands"),
            _ => format!("after {found} of {all} boards, which stand"),
        };
        let how =
            if run.is_saved { "the same command goes on".to_owned() } else { format!("the rest is {rest}") };
        match end {
            // The reader of standard output has gone: nothing to say.
            End::Failed(failure) if failure.status() == 0 => Err(failure),
            End::Failed(failure) => {
                Err(Failure::with_status(format!("{failure}; {stand}; {how}"), failure.status()))
            }
            End::Done | End::Stopped => {
                tell(format_args!("stopped {stand}; {how}"));
                Ok(())
            }
        }
    }
}
