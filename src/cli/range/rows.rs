//! Output of the rows of a series. Standard output and records get each row at once; files are rewritten
//! every few seconds, so that they are valid whenever the run ends.

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

/// A destination of rows.
enum Sink {
    /// A file, rewritten every few seconds.
    File(PathBuf),
    /// A device or pipe, written row by row.
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

    /// Writes text to a destination that is written row by row.
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

    /// Rewrites a file.
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
    /// Stopped by a signal.
    Stopped,
    Failed(Failure),
    /// A line was refused by the admission check.
    Refused(Failure),
}

/// Formats fields as a line, aligned if there are columns.
fn line(columns: &mut Option<Columns>, fields: &[String]) -> String {
    match columns {
        Some(columns) => columns.line(fields),
        None => fields.join(" ") + "\n",
    }
}

/// The rows so far, and their destinations.
pub struct Rows {
    pub report: SeriesReport,
    csv: Option<Sink>,
    json: Option<Sink>,
    bfile: Option<Sink>,
    plot: Option<Sink>,
    /// Number of rows of the whole series.
    boards: usize,
    /// The b-file includes the boards whose side is a multiple of this number.
    stride: u16,
    /// Whether the plot is a PNG.
    is_png: bool,
    record: Option<PathBuf>,
    /// Column widths, if the rows have a header line.
    columns: Option<Columns>,
    /// Whether standard output holds CSV or JSON.
    quiet: bool,
    /// Whether the header line is still to be printed.
    has_head: bool,
    /// Whether the job line was printed.
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
                "{one} - and {other} - both write to standard output; give one of them a file"
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

    /// Prints the job line, unless it was printed before.
    pub fn tell_job(&mut self, run: &RangeRun) {
        if !std::mem::replace(&mut self.is_told, true) {
            tell(format_args!("job {}", run.what()));
        }
    }

    /// Adds a row to all outputs. If one output cannot be written, the row still goes to the others.
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
            written.expect("writing to memory cannot fail");
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

    /// Prints the recurrence after the rows, or on standard error if standard output holds CSV or JSON.
    pub fn add_recurrence(&mut self, told: Told) -> Result<(), Failure> {
        self.report.recurrence = Some(told.json);
        if !self.quiet {
            return print(told.text);
        }
        told.text.lines().for_each(|line| tell(format_args!("recurrence: {line}")));
        Ok(())
    }

    /// Returns the plot of the growth as SVG or PNG.
    fn picture(&self) -> Result<Vec<u8>, Failure> {
        let svg = |letters| growth_plot(&self.report, self.directed, letters);
        match self.is_png {
            true => png(&svg(Letters::Strokes)).map_err(|error| Failure::failed(format!("--plot: {error}"))),
            false => Ok(svg(Letters::Text).into_bytes()),
        }
    }

    /// Returns true if every board has a row.
    pub fn is_whole(&self, run: &RangeRun) -> bool {
        self.report.rows.len() == run.boards.boards().count()
    }

    /// Rewrites the files. A run without rows leaves the files of an earlier run unchanged.
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
            // An incomplete b-file must say so, as it looks like a complete one.
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

    /// Completes the files and reports how the run ended. A failure also names the completed boards.
    pub fn end(mut self, run: &RangeRun, end: End, kept: Option<Kept>) -> Result<(), Failure> {
        self.report.complete = matches!(end, End::Done);
        let goes_on = kept.as_ref().map(Kept::how);
        // A failed save must not lose rows.
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
        // The end of the run is reported first, then the files that could not be written.
        let ended = self.ended(run, end, goes_on, saved);
        all(std::iter::once(ended).chain(written))
    }

    /// Reports how the run ended.
    fn ended(
        &self,
        run: &RangeRun,
        end: End,
        goes_on: Option<String>,
        saved: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (found, all) = (self.report.rows.len(), run.boards.boards().count());
        let Some(rest) = run.boards.boards().nth(found).filter(|_| !self.report.complete) else {
            // All rows are complete; a later step, such as the recurrence, failed.
            if let End::Failed(failure) | End::Refused(failure) = end {
                return Err(failure);
            }
            let seconds = self.began.elapsed().as_secs_f64();
            tell(format_args!("done {} rows={found} seconds={seconds:.3}", run.what()));
            return saved;
        };
        let rest = run.boards.rest(&rest);
        let stand = match found {
            0 => "before the first board was complete".to_owned(),
            1 => format!("after 1 of {all} boards, whose row is complete"),
            _ => format!("after {found} of {all} boards, whose rows are complete"),
        };
        let goes_on = goes_on.filter(|_| saved.is_ok());
        let how = goes_on.unwrap_or_else(|| format!("not counted: {rest}"));
        match end {
            // The reader of standard output has closed it: nothing to report.
            End::Failed(failure) if failure.status() == 0 => Err(failure),
            End::Failed(failure) | End::Refused(failure) => {
                Err(Failure::with_status(format!("{failure}; stopped {stand}; {how}"), failure.status()))
            }
            End::Done | End::Stopped => {
                tell(format_args!("stopped {stand}; {how}"));
                saved
            }
        }
    }
}
