//! Output of the rows of a series. Each row is written to standard output and records as soon as it
//! is known; files are rewritten every few seconds, so that they are valid whenever the run ends. If the
//! reader of standard output closes it, the files are still completed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::context::{SeriesRun, SeriesSession};
use super::recurrence_report::RecurrenceReport;
use crate::cli::args::output_options::{
    append_record, check_distinct_files, combine_results, print_to_stdout,
};
use crate::cli::error::CliError;
use crate::report::{
    BoardRow, ColumnWidths, Output, SeriesReport, Table, format_bfile, growth_plot, print_job_line,
    print_notice, print_warning, render_png,
};
use ktour::batch::Record;
use ktour::board::Rectangle;
use ktour::tour::TextRendering;

/// Minimum time between two versions of a rewritten file.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(2);

/// A destination of the rows of a series.
enum RowSink {
    /// A file, which is rewritten every few seconds.
    File(PathBuf),
    /// A device or pipe, to which each row is written as soon as it is known.
    Device(BufWriter<File>, PathBuf),
    Stdout,
}

impl RowSink {
    fn from_output(output: Output) -> Self {
        match output {
            Output::Stdout(_) => Self::Stdout,
            Output::File(_, path) => Self::File(path),
            Output::Device(out, path) => Self::Device(out, path),
        }
    }

    /// Writes `text` to standard output or a device. Does nothing for a file, which is rewritten as
    /// a whole.
    fn stream(&mut self, text: &[u8]) -> Result<(), CliError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Stdout => print_to_stdout(text),
            Self::Device(out, path) => out
                .write_all(text)
                .and_then(|()| out.flush())
                .map_err(|error| CliError::write_error(&path.display().to_string(), error)),
        }
    }

    /// Rewrites the file by `write`. Does nothing for standard output and devices, which get each
    /// row.
    fn replace(&self, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), CliError> {
        let Self::File(path) = self else { return Ok(()) };
        let mut out = Output::create(path)?;
        write(&mut out).map_err(|error| CliError::write_error(&out.name(), error))?;
        Ok(out.finish()?)
    }
}

/// The way in which a run ends.
pub enum RunEnd {
    Done,
    /// A signal has stopped the run.
    Stopped,
    Failed(CliError),
    /// The admission check has refused a line, a set of boards that one sweep counts, or a board.
    Refused(CliError),
}

/// Joins fields to a line. They are aligned to `columns`, if given.
fn format_line(columns: &mut Option<ColumnWidths>, fields: &[String]) -> String {
    match columns {
        Some(columns) => columns.format_line(fields),
        None => fields.join(" ") + "\n",
    }
}

/// The finished rows of a series, and the destinations to which they are written.
pub struct RowWriter {
    pub report: SeriesReport,
    csv: Option<RowSink>,
    json: Option<RowSink>,
    bfile: Option<RowSink>,
    plot: Option<RowSink>,
    /// The boards after the next one, in order.
    later_boards: Box<dyn Iterator<Item = Rectangle> + Send>,
    /// Step of the b-file: it includes only boards whose varying side is a multiple of this number.
    bfile_step: u16,
    /// True if the plot is a PNG picture, false if it is SVG.
    is_png: bool,
    record: Option<PathBuf>,
    /// Column widths of the printed table, if it has a header.
    columns: Option<ColumnWidths>,
    /// True if standard output holds CSV, JSON or another file format instead of the printed rows.
    is_stdout_taken: bool,
    /// True if the CSV file has one row for each board.
    has_wide_rows: bool,
    /// Name of the last board if its row could not be written to every output.
    unwritten_board: Option<String>,
    /// True if the header of the table has not been printed yet.
    has_header: bool,
    /// True if the job line has been printed.
    is_job_printed: bool,
    directed: bool,
    last_publish: Instant,
    start_time: Instant,
}

impl RowWriter {
    pub fn open(run: &SeriesRun) -> Result<Self, CliError> {
        let named = [("--bfile", run.files.bfile.as_deref()), ("--plot", run.files.plot.as_deref())];
        let others = run.output.files.options();
        let record = ("--record", run.output.record.as_deref());
        let checkpoint = run.checkpoint.file();
        let checkpoint = ("--checkpoint", checkpoint.as_deref());
        check_distinct_files(&[named[0], named[1], others[0], others[1], record, checkpoint])?;
        let is_stdout = |path: Option<&Path>| path == Some(Path::new("-"));
        let on_stdout = named.iter().chain(&others).filter(|(_, path)| is_stdout(*path));
        let on_stdout: Vec<&str> = on_stdout.map(|(option, _)| *option).collect();
        if let [one, other, ..] = on_stdout[..] {
            return Err(CliError::usage(format!(
                "{one} - and {other} - both write to standard output; give one of them a file"
            )));
        }
        let files = run.output.open(None)?;
        let (csv, json) = files.into_parts();
        let open = |path: Option<&Path>| path.map(Output::create).transpose();
        let (bfile, plot) = (open(named[0].1)?, open(named[1].1)?);
        let mut boards = run.boards.boards();
        let next_board = boards.next().map(|board| board.to_string());
        Ok(Self {
            has_header: on_stdout.is_empty() && run.has_header(),
            columns: run.has_header().then(|| ColumnWidths::new(run.column_widths())),
            later_boards: Box::new(boards),
            bfile_step: run.files.bfile_step.max(1),
            is_png: named[1].1.and_then(Path::extension).is_some_and(|ending| ending == "png"),
            unwritten_board: None,
            is_job_printed: false,
            report: SeriesReport { next_board, ..run.report.clone() },
            csv: csv.map(RowSink::from_output),
            json: json.map(RowSink::from_output),
            bfile: bfile.map(RowSink::from_output),
            plot: plot.map(RowSink::from_output),
            record: run.output.record.clone(),
            is_stdout_taken: !on_stdout.is_empty(),
            has_wide_rows: run.files.has_wide_rows,
            directed: run.output.directed,
            last_publish: Instant::now(),
            start_time: Instant::now(),
        })
    }

    /// Prints the job line of the series, unless it has been printed before.
    pub fn print_job(&mut self, run: &SeriesRun) {
        if !std::mem::replace(&mut self.is_job_printed, true) {
            print_job_line(format_args!("job {}", run.job_line()));
        }
    }

    /// Writes a finished row to all outputs. If one output cannot be written, the row still goes to
    /// the others.
    pub fn write_row(&mut self, row: BoardRow, record: Option<&Record>) -> Result<(), CliError> {
        let mut text = String::new();
        if std::mem::take(&mut self.has_header) {
            text += &format_line(&mut self.columns, &self.report.header(self.directed));
        }
        if !self.is_stdout_taken {
            text += &format_line(&mut self.columns, &row.printed_fields(self.directed));
        }
        let mut done = vec![if text.is_empty() { Ok(()) } else { print_to_stdout(text) }];
        let has_files = self.has_files();
        let is_first = self.report.rows.is_empty();
        let rows = self.csv_rows(std::slice::from_ref(&row));
        if let Some(csv) = &mut self.csv {
            let mut text = Vec::new();
            let written = if is_first { rows.write_csv(&mut text) } else { rows.write_csv_rows(&mut text) };
            written.expect("writing to memory cannot fail");
            done.push(csv.stream(&text));
        }
        if let Some(out) = &mut self.bfile {
            let rows = std::slice::from_ref(&row);
            let lines = format_bfile(&self.report, rows, self.bfile_step, is_first, self.directed);
            done.push(lines.map_err(CliError::from).and_then(|lines| out.stream(lines.as_bytes())));
        }
        if let (Some(path), Some(record)) = (&self.record, record) {
            done.push(append_record(path, &record.to_line()));
        }
        // The files get all rows although nobody reads the printed ones.
        done.retain(|written| !(has_files && written.as_ref().is_err_and(CliError::is_closed_pipe)));
        self.unwritten_board = done.iter().any(Result::is_err).then(|| row.board.clone());
        self.report.rows.push(row);
        self.report.next_board = self.later_boards.next().map(|board| board.to_string());
        if self.last_publish.elapsed() > PUBLISH_INTERVAL {
            done.push(self.publish());
        }
        combine_results(done)
    }

    /// Returns true if rows go to a file.
    fn has_files(&self) -> bool {
        let sinks = [&self.csv, &self.json, &self.bfile, &self.plot];
        self.record.is_some() || sinks.into_iter().flatten().any(|sink| matches!(sink, RowSink::File(_)))
    }

    /// Returns rows as the CSV file has them.
    fn csv_rows(&self, rows: &[BoardRow]) -> Table {
        match self.has_wide_rows {
            true => self.report.wide_csv_rows(rows, self.directed),
            false => self.report.csv_rows(rows),
        }
    }

    /// Returns the rows that end an incomplete CSV file, which looks like a complete one otherwise.
    fn missing_rows(&self) -> Table {
        self.report.missing_csv_rows(self.has_wide_rows, self.directed)
    }

    /// Prints the recurrence after the rows, or on standard error if standard output holds a file
    /// format.
    pub fn write_recurrence(&mut self, recurrence: RecurrenceReport) -> Result<(), CliError> {
        self.report.recurrence = Some(recurrence.fields);
        if !self.is_stdout_taken {
            return match print_to_stdout(recurrence.text) {
                Err(failure) if failure.is_closed_pipe() && self.has_files() => Ok(()),
                printed => printed,
            };
        }
        recurrence.text.lines().for_each(|line| print_notice(format_args!("recurrence: {line}")));
        Ok(())
    }

    /// Returns the plot of the growth of the counts as SVG or PNG.
    fn render_plot(&self) -> Result<Vec<u8>, CliError> {
        let svg = |letters| growth_plot(&self.report, self.directed, letters);
        match self.is_png {
            true => render_png(&svg(TextRendering::Strokes))
                .map_err(|error| CliError::failed(format!("--plot: {error}"))),
            false => Ok(svg(TextRendering::SvgText).into_bytes()),
        }
    }

    /// Returns true if every board of the series has a row.
    pub const fn is_complete(&self) -> bool {
        self.report.next_board.is_none()
    }

    /// Rewrites all files with the finished rows. If there is no row, leaves the files of an
    /// earlier run unchanged.
    fn publish(&mut self) -> Result<(), CliError> {
        let report = &self.report;
        if report.rows.is_empty() {
            return Ok(());
        }
        let mut done = Vec::new();
        if let Some(csv) = &self.csv {
            done.push(csv.replace(|out| {
                self.csv_rows(&report.rows).write_csv(&mut *out)?;
                self.missing_rows().write_csv_rows(out)
            }));
        }
        if let Some(json) = &self.json {
            done.push(json.replace(|out| out.write_all(report.to_json().as_bytes())));
        }
        if let Some(out) = &self.bfile {
            let text = format_bfile(report, &report.rows, self.bfile_step, true, self.directed);
            let written = |text: String| out.replace(|out| out.write_all(text.as_bytes()));
            done.push(text.map_err(CliError::from).and_then(written));
        }
        if let Some(out) = &self.plot {
            done.push(self.render_plot().and_then(|picture| out.replace(|out| out.write_all(&picture))));
        }
        self.last_publish = Instant::now();
        combine_results(done)
    }

    /// Completes the files and reports how the run ended. For a failure, also reports the completed
    /// boards.
    pub fn finish(
        mut self,
        run: &SeriesRun,
        end: RunEnd,
        session: Option<SeriesSession>,
    ) -> Result<(), CliError> {
        self.report.complete = matches!(end, RunEnd::Done);
        let resume_hint = session.as_ref().map(SeriesSession::resume_hint);
        // A failed save must not lose rows.
        let saved = session.map_or(Ok(()), SeriesSession::finish);
        let mut written = vec![self.publish()];
        let missing = self.missing_rows();
        if let Some(csv) = self.csv.as_mut().filter(|_| !self.report.rows.is_empty()) {
            let mut text = Vec::new();
            missing.write_csv_rows(&mut text).expect("writing to memory cannot fail");
            written.push(csv.stream(&text));
        }
        if let Some(json) = &mut self.json {
            written.push(json.stream(self.report.to_json().as_bytes()));
        }
        if self.plot.is_some() {
            let picture = self.render_plot();
            let stream = |picture: Vec<u8>| self.plot.iter_mut().try_for_each(|plot| plot.stream(&picture));
            written.push(picture.and_then(stream));
        }
        // The end of the run is reported first, then the files that could not be written.
        let ended = self.report_end(run, end, resume_hint, saved);
        combine_results(std::iter::once(ended).chain(written))
    }

    /// Reports how the run ended, and the boards without a row.
    fn report_end(
        &self,
        run: &SeriesRun,
        end: RunEnd,
        resume_hint: Option<String>,
        saved: Result<(), CliError>,
    ) -> Result<(), CliError> {
        let (row_count, board_count) = (self.report.rows.len(), run.boards.boards().count());
        let Some(next_board) = run.boards.boards().nth(row_count).filter(|_| !self.report.complete) else {
            // All rows are complete; a later step, such as the recurrence, failed.
            if let RunEnd::Failed(failure) | RunEnd::Refused(failure) = end {
                return Err(failure);
            }
            let seconds = self.start_time.elapsed().as_secs_f64();
            print_job_line(format_args!("done {} rows={row_count} seconds={seconds:.3}", run.job_line()));
            return saved;
        };
        let remaining_boards = run.boards.remaining_text(&next_board);
        let progress = match row_count {
            0 => "before the first board was complete".to_owned(),
            _ if let Some(board) = &self.unwritten_board => {
                format!(
                    "after {row_count} of {board_count} boards, the row of {board} is not in every output"
                )
            }
            1 => format!("after 1 of {board_count} boards, whose row is complete"),
            _ => format!("after {row_count} of {board_count} boards, whose rows are complete"),
        };
        let is_stopped = matches!(end, RunEnd::Done | RunEnd::Stopped);
        let advice =
            if is_stopped && resume_hint.is_none() { "; add --checkpoint FILE to save progress" } else { "" };
        let shown_hint = resume_hint.filter(|_| saved.is_ok());
        let hint = shown_hint.unwrap_or_else(|| format!("not counted: {remaining_boards}{advice}"));
        match end {
            // The reader of standard output has closed it: nothing to report.
            RunEnd::Failed(failure) if failure.is_closed_pipe() => Err(failure),
            RunEnd::Failed(failure) | RunEnd::Refused(failure) => {
                Err(failure.with_suffix(format!("; stopped {progress}; {hint}")))
            }
            RunEnd::Done | RunEnd::Stopped => {
                let line = format_args!("stopped {progress}; {hint}");
                // Files without the other boards may be mistaken for complete ones.
                if self.has_files() && row_count > 0 {
                    print_warning(line)
                } else {
                    print_notice(line)
                }
                saved
            }
        }
    }
}
