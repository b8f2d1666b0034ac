//! The rows of a range, and where they go: standard output and records at once, files every few seconds under their
//! own names, so that they stand whatever comes after them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::asked::RangeRun;
use super::kept::Kept;
use super::source::Told;
use crate::cli::failure::Failure;
use crate::cli::files::{all, print};
use crate::cli::places::refuse_same;
use crate::cli::wanted::append;
use crate::report::{BoardRow, Columns, Output, SeriesReport, bfile, growth_plot, png, tell};
use ktour::batch::Record;
use ktour::tour::Letters;

/// Time between two versions of a file.
const PUBLISH_EVERY: Duration = Duration::from_secs(2);

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
pub enum End {
    Done,
    /// By a signal.
    Stopped,
    Failed(Failure),
    /// A line was not begun.
    Refused(Failure),
}

/// Fields on a line.
fn line(columns: &mut Option<Columns>, fields: &[String]) -> String {
    match columns {
        Some(columns) => columns.line(fields),
        None => fields.join(" ") + "\n",
    }
}

/// The rows so far, and where they go.
pub struct Rows {
    pub report: SeriesReport,
    csv: Option<Sink>,
    json: Option<Sink>,
    bfile: Option<Sink>,
    plot: Option<Sink>,
    /// How many rows there will be.
    boards: usize,
    /// Every so-manieth length is in the b-file.
    stride: u16,
    /// Whether the plot is in pixels.
    is_png: bool,
    record: Option<PathBuf>,
    /// Fields of rows, where a line above them says what they are.
    columns: Option<Columns>,
    /// Whether standard output holds CSV or JSON.
    quiet: bool,
    /// Whether a line above the rows says what they are.
    has_head: bool,
    /// Whether the job was told.
    is_told: bool,
    directed: bool,
    published: Instant,
    began: Instant,
}

impl Rows {
    pub fn open(run: &RangeRun) -> Result<Self, Failure> {
        let named = [("--bfile", run.files.bfile.as_deref()), ("--plot", run.files.plot.as_deref())];
        let others = run.wanted.files.named();
        let record = ("--record", run.wanted.record.as_deref());
        let checkpoint = ("--checkpoint", run.checkpoint.as_deref());
        refuse_same(&[named[0], named[1], others[0], others[1], record, checkpoint])?;
        let is_stdout = |path: Option<&Path>| path == Some(Path::new("-"));
        let on_stdout = named.iter().chain(&others).filter(|(_, path)| is_stdout(*path));
        let on_stdout: Vec<&str> = on_stdout.map(|(option, _)| *option).collect();
        if let [one, other, ..] = on_stdout[..] {
            return Err(Failure::usage(format!(
                "{one} - and {other} - both want standard output: give one of them a file"
            )));
        }
        let files = run.wanted.open(None)?;
        let (csv, json) = files.into_parts();
        let open = |path: Option<&Path>| path.map(Output::create).transpose();
        let (bfile, plot) = (open(named[0].1)?, open(named[1].1)?);
        Ok(Self {
            has_head: on_stdout.is_empty() && run.has_head(),
            columns: run.has_head().then(|| Columns::new(run.widths())),
            boards: run.boards.boards().count(),
            stride: run.files.stride.max(1),
            is_png: named[1].1.and_then(Path::extension).is_some_and(|ending| ending == "png"),
            is_told: false,
            report: run.report.clone(),
            csv: csv.map(Sink::of),
            json: json.map(Sink::of),
            bfile: bfile.map(Sink::of),
            plot: plot.map(Sink::of),
            record: run.wanted.record.clone(),
            quiet: !on_stdout.is_empty(),
            directed: run.wanted.directed,
            published: Instant::now(),
            began: Instant::now(),
        })
    }

    /// Tells the job, once.
    pub fn tell_job(&mut self, run: &RangeRun) {
        if !std::mem::replace(&mut self.is_told, true) {
            tell(format_args!("job {}", run.what()));
        }
    }

    /// Tells a row, everywhere: what cannot be written somewhere must not cost it elsewhere.
    pub fn add(&mut self, row: BoardRow, record: Option<&Record>) -> Result<(), Failure> {
        let mut text = String::new();
        if std::mem::take(&mut self.has_head) {
            text += &line(&mut self.columns, &self.report.head(self.directed));
        }
        if !self.quiet {
            text += &line(&mut self.columns, &row.fields(self.directed));
        }
        let mut done = vec![if text.is_empty() { Ok(()) } else { print(text) }];
        let is_first = self.report.rows.is_empty();
        if let Some(csv) = &mut self.csv {
            let mut text = Vec::new();
            let written = self.report.write_csv(std::slice::from_ref(&row), &mut text);
            written.expect("memory takes what is written");
            let head = text.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            done.push(csv.stream(if is_first { &text } else { &text[head..] }));
        }
        if let Some(out) = &mut self.bfile {
            let head = is_first.then_some("");
            let lines = bfile(&self.report, std::slice::from_ref(&row), self.stride, head, self.directed);
            done.push(lines.map_err(Failure::failed).and_then(|lines| out.stream(lines.as_bytes())));
        }
        if let (Some(path), Some(record)) = (&self.record, record) {
            done.push(append(path, &record.line()));
        }
        self.report.rows.push(row);
        if self.published.elapsed() > PUBLISH_EVERY {
            done.push(self.publish());
        }
        all(done)
    }

    /// Tells the recurrence: after the rows, or where standard output holds something else, beside them.
    pub fn add_recurrence(&mut self, told: Told) -> Result<(), Failure> {
        self.report.recurrence = Some(told.json);
        if !self.quiet {
            return print(told.text);
        }
        told.text.lines().for_each(|line| tell(format_args!("recurrence: {line}")));
        Ok(())
    }

    /// The growth as a picture, by the ending of the file.
    fn picture(&self) -> Result<Vec<u8>, Failure> {
        let svg = |letters| growth_plot(&self.report, self.directed, letters);
        match self.is_png {
            true => png(&svg(Letters::Strokes)).map_err(|error| Failure::failed(format!("--plot: {error}"))),
            false => Ok(svg(Letters::Text).into_bytes()),
        }
    }

    /// Whether every board has its row.
    pub fn is_whole(&self, run: &RangeRun) -> bool {
        self.report.rows.len() == run.boards.boards().count()
    }

    /// Writes the files anew, once there is a row: those of a run before are not replaced by empty ones.
    fn publish(&mut self) -> Result<(), Failure> {
        let report = &self.report;
        if report.rows.is_empty() {
            return Ok(());
        }
        let mut done = Vec::new();
        if let Some(csv) = &self.csv {
            done.push(csv.replace(|out| report.write_csv(&report.rows, out)));
        }
        if let Some(json) = &self.json {
            done.push(json.replace(|out| out.write_all(report.json().as_bytes())));
        }
        if let Some(out) = &self.bfile {
            // A file that looks like another's whole one says that it is not.
            let last = report.rows.last().filter(|_| report.rows.len() < self.boards);
            let so_far = last.map_or_else(String::new, |row| format!("; up to {} so far", row.board));
            let text = bfile(report, &report.rows, self.stride, Some(&so_far), self.directed);
            let written = |text: String| out.replace(|out| out.write_all(text.as_bytes()));
            done.push(text.map_err(Failure::failed).and_then(written));
        }
        if let Some(out) = &self.plot {
            done.push(self.picture().and_then(|picture| out.replace(|out| out.write_all(&picture))));
        }
        self.published = Instant::now();
        all(done)
    }

    /// Completes the files, whatever has come, and says how the run ended. A failure is told with what stands.
    pub fn end(mut self, run: &RangeRun, end: End, kept: Option<Kept>) -> Result<(), Failure> {
        self.report.complete = matches!(end, End::Done);
        let goes_on = kept.as_ref().map(Kept::how);
        // What cannot be saved costs no rows.
        let saved = kept.map_or(Ok(()), Kept::end);
        let mut written = vec![self.publish()];
        if let Some(json) = &mut self.json {
            written.push(json.stream(self.report.json().as_bytes()));
        }
        if self.plot.is_some() {
            let picture = self.picture();
            let stream = |picture: Vec<u8>| self.plot.iter_mut().try_for_each(|plot| plot.stream(&picture));
            written.push(picture.and_then(stream));
        }
        // How it ended comes first, then what could not be written.
        let ended = self.ended(run, end, goes_on, saved);
        all(std::iter::once(ended).chain(written))
    }

    /// How the run ended.
    fn ended(
        &self,
        run: &RangeRun,
        end: End,
        goes_on: Option<String>,
        saved: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (found, all) = (self.report.rows.len(), run.boards.boards().count());
        let Some(rest) = run.boards.boards().nth(found).filter(|_| !self.report.complete) else {
            // All rows stand, and what was made of them failed.
            if let End::Failed(failure) | End::Refused(failure) = end {
                return Err(failure);
            }
            let seconds = self.began.elapsed().as_secs_f64();
            tell(format_args!("done {} rows={found} seconds={seconds:.3}", run.what()));
            return saved;
        };
        let rest = run.boards.rest(&rest);
        let stand = match found {
            0 => "before the first board was done".to_owned(),
            1 => format!("after 1 of {all} boards, which stands"),
            _ => format!("after {found} of {all} boards, which stand"),
        };
        let goes_on = goes_on.filter(|_| saved.is_ok());
        let how = goes_on.unwrap_or_else(|| format!("the rest is {rest}"));
        match end {
            // The reader of standard output has gone: nothing to say.
            End::Failed(failure) if failure.status() == 0 => Err(failure),
            End::Failed(failure) | End::Refused(failure) => {
                Err(Failure::with_status(format!("{failure}; {stand}; {how}"), failure.status()))
            }
            End::Done | End::Stopped => {
                tell(format_args!("stopped {stand}; {how}"));
                saved
            }
        }
    }
}
