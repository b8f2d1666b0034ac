//! Output of the rows of a series. Each row is written to standard output and records as soon as it
//! is known; files are rewritten every few seconds, so that they are valid whenever the run ends. If the
//! reader of standard output closes it, the files are still completed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::context::{SeriesRun, SeriesSession};
use super::recurrence_report::RecurrenceReport;
use crate::cli::args::output_options::{
    append_record, check_distinct_files, combine_results, is_stdout, print_to_stdout, write_and_finish,
};
use crate::cli::error::CliError;
use crate::report::{
    BoardRow, ColumnWidths, Output, SeriesReport, format_bfile, growth_plot, print_job_line, print_notice,
    print_warning, render_png,
};
use ktour::batch::Record;
use ktour::board::Rectangle;
use ktour::tour::TextRendering;

/// Minimum time between two versions of a rewritten file.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(2);

/// The format in which an output has the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowFormat {
    Csv,
    Json,
    Bfile,
    Plot,
}

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

    const fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Writes `text` to standard output or a device. Does nothing for a file, which is rewritten as
    /// a whole.
    fn stream(&self, text: &[u8]) -> Result<(), CliError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Stdout => print_to_stdout(text),
            Self::Device(out, path) => {
                let written = out.get_ref().write_all(text);
                written.map_err(|error| CliError::write_error(&path.display().to_string(), error))
            }
        }
    }

    /// Rewrites the file. Does nothing for standard output and devices, which get each row.
    fn replace(&self, text: &[u8]) -> Result<(), CliError> {
        let Self::File(path) = self else { return Ok(()) };
        write_and_finish(Output::create(path)?, text)
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
pub struct RowWriter<'a> {
    run: &'a SeriesRun,
    pub report: SeriesReport,
    sinks: Vec<(RowFormat, RowSink)>,
    /// The boards after the next one, in order.
    later_boards: Box<dyn Iterator<Item = Rectangle> + Send>,
    /// Column widths of the printed table, if it has a header.
    columns: Option<ColumnWidths>,
    /// Name of the last board if its row could not be written to every output.
    unwritten_board: Option<String>,
    /// True if the header of the table has not been printed yet.
    has_header: bool,
    /// True if the job line has been printed.
    is_job_printed: bool,
    last_publish: Instant,
    start_time: Instant,
}

impl<'a> RowWriter<'a> {
    pub fn open(run: &'a SeriesRun) -> Result<Self, CliError> {
        let output = &run.args.output;
        let [bfile, plot] = [("--bfile", run.files.bfile.as_deref()), ("--plot", run.files.plot.as_deref())];
        let [csv, json] = output.files.options();
        let record = ("--record", output.record.as_deref());
        let checkpoint = run.args.checkpoint.file();
        let checkpoint = ("--checkpoint", checkpoint.as_deref());
        check_distinct_files(&[bfile, plot, csv, json, record, checkpoint])?;
        let on_stdout = [bfile, plot, csv, json].into_iter().filter(|(_, path)| is_stdout(*path));
        let on_stdout: Vec<&str> = on_stdout.map(|(option, _)| option).collect();
        if let [one, other, ..] = on_stdout[..] {
            return Err(CliError::usage(format!(
                "{one} - and {other} - both write to standard output; give one of them a file"
            )));
        }
        let (csv, json) = output.open(None)?.into_parts();
        let open = |(_, path): (_, Option<&Path>)| path.map(Output::create).transpose();
        let (bfile, plot) = (open(bfile)?, open(plot)?);
        let outputs = [
            (RowFormat::Csv, csv),
            (RowFormat::Json, json),
            (RowFormat::Bfile, bfile),
            (RowFormat::Plot, plot),
        ];
        let sink = |(format, output): (_, Option<Output>)| Some((format, RowSink::from_output(output?)));
        let mut boards = run.job.boards.boards();
        let next_board = boards.next().map(|board| board.to_string());
        Ok(Self {
            run,
            report: SeriesReport { next_board, ..run.report.clone() },
            sinks: outputs.into_iter().filter_map(sink).collect(),
            later_boards: Box::new(boards),
            columns: run.has_header().then(|| ColumnWidths::new(run.column_widths())),
            unwritten_board: None,
            has_header: on_stdout.is_empty() && run.has_header(),
            is_job_printed: false,
            last_publish: Instant::now(),
            start_time: Instant::now(),
        })
    }

    /// Prints the job line of the series, unless it has been printed before.
    pub fn print_job(&mut self) {
        if !std::mem::replace(&mut self.is_job_printed, true) {
            print_job_line(format_args!("job {}", self.run.job_line()));
        }
    }

    const fn is_directed(&self) -> bool {
        self.run.args.output.directed
    }

    /// Writes a finished row to all outputs. If one output cannot be written, the row still goes to
    /// the others.
    pub fn write_row(&mut self, row: BoardRow, record: Option<&Record>) -> Result<(), CliError> {
        let is_directed = self.is_directed();
        let mut text = String::new();
        if std::mem::take(&mut self.has_header) {
            text += &format_line(&mut self.columns, &self.report.header(is_directed));
        }
        if !self.is_stdout_taken() {
            text += &format_line(&mut self.columns, &row.printed_fields(is_directed));
        }
        let mut done = vec![if text.is_empty() { Ok(()) } else { print_to_stdout(text) }];
        let is_first = self.report.rows.is_empty();
        for (format, sink) in &self.sinks {
            // The others need all rows.
            if matches!(format, RowFormat::Csv | RowFormat::Bfile) {
                let text = self.format_rows(*format, std::slice::from_ref(&row), is_first);
                done.push(text.and_then(|text| sink.stream(&text)));
            }
        }
        if let (Some(path), Some(record)) = (&self.run.args.output.record, record) {
            done.push(append_record(path, &record.to_line()));
        }
        let has_files = self.has_files();
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

    /// Returns true if standard output holds CSV, JSON or another file format instead of the printed rows.
    fn is_stdout_taken(&self) -> bool {
        self.sinks.iter().any(|(_, sink)| matches!(sink, RowSink::Stdout))
    }

    /// Returns true if rows go to a file.
    fn has_files(&self) -> bool {
        self.run.args.output.record.is_some() || self.sinks.iter().any(|(_, sink)| sink.is_file())
    }

    /// Returns rows as an output has them. `is_first` is true if they are the first ones. JSON and plots have all
    /// finished rows.
    fn format_rows(&self, format: RowFormat, rows: &[BoardRow], is_first: bool) -> Result<Vec<u8>, CliError> {
        let is_directed = self.is_directed();
        match format {
            RowFormat::Csv => {
                let table = match self.run.files.has_wide_rows {
                    true => self.report.wide_csv_rows(rows, is_directed),
                    false => self.report.csv_rows(rows),
                };
                let mut text = Vec::new();
                let written =
                    if is_first { table.write_csv(&mut text) } else { table.write_csv_rows(&mut text) };
                written.expect("writing to memory cannot fail");
                Ok(text)
            }
            RowFormat::Json => Ok(self.report.to_json().into_bytes()),
            RowFormat::Bfile => {
                let step = self.run.files.bfile_step.max(1);
                Ok(format_bfile(&self.report, rows, step, is_first, is_directed)?.into_bytes())
            }
            RowFormat::Plot => self.render_plot(),
        }
    }

    /// Returns what an output gets after the rows. An incomplete CSV file, which looks like a complete one otherwise, ends
    /// with the missing board.
    fn format_end(&self, format: RowFormat) -> Result<Vec<u8>, CliError> {
        match format {
            RowFormat::Csv if !self.report.rows.is_empty() => {
                let is_wide = self.run.files.has_wide_rows;
                let (mut text, rows) =
                    (Vec::new(), self.report.missing_csv_rows(is_wide, self.is_directed()));
                rows.write_csv_rows(&mut text).expect("writing to memory cannot fail");
                Ok(text)
            }
            RowFormat::Csv | RowFormat::Bfile => Ok(Vec::new()),
            RowFormat::Json | RowFormat::Plot => self.format_rows(format, &self.report.rows, true),
        }
    }

    /// Prints the recurrence after the rows, or on standard error if standard output holds a file
    /// format.
    pub fn write_recurrence(&mut self, recurrence: RecurrenceReport) -> Result<(), CliError> {
        self.report.recurrence = Some(recurrence.fields);
        if !self.is_stdout_taken() {
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
        let svg = |letters| growth_plot(&self.report, self.is_directed(), letters);
        let ending = self.run.files.plot.as_deref().and_then(Path::extension);
        match ending.is_some_and(|ending| ending == "png") {
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
        let rows = &self.report.rows;
        if rows.is_empty() {
            return Ok(());
        }
        let files = self.sinks.iter().filter(|(_, sink)| sink.is_file());
        let written = files.map(|(format, sink)| {
            let mut text = self.format_rows(*format, rows, true)?;
            if *format == RowFormat::Csv {
                text.extend(self.format_end(*format)?);
            }
            sink.replace(&text)
        });
        let written: Vec<_> = written.collect();
        self.last_publish = Instant::now();
        combine_results(written)
    }

    /// Completes the files and reports how the run ended. For a failure, also reports the completed
    /// boards.
    pub fn finish(mut self, end: RunEnd, session: Option<SeriesSession>) -> Result<(), CliError> {
        self.report.complete = matches!(end, RunEnd::Done);
        let resume_hint = session.as_ref().map(SeriesSession::resume_hint);
        // A failed save must not lose rows.
        let saved = session.map_or(Ok(()), SeriesSession::finish);
        let mut written = vec![self.publish()];
        for (format, sink) in self.sinks.iter().filter(|(_, sink)| !sink.is_file()) {
            written.push(self.format_end(*format).and_then(|text| sink.stream(&text)));
        }
        // The end of the run is reported first, then the files that could not be written.
        let is_failure =
            |result: &Result<(), CliError>| matches!(result, Err(error) if !error.is_closed_pipe());
        let is_written = !written.iter().any(is_failure);
        let ended = self.report_end(end, resume_hint, saved, is_written);
        combine_results(std::iter::once(ended).chain(written))
    }

    /// Reports how the run ended, and the boards without a row. The line `done` is omitted unless all outputs
    /// are written.
    fn report_end(
        &self,
        end: RunEnd,
        resume_hint: Option<String>,
        saved: Result<(), CliError>,
        is_written: bool,
    ) -> Result<(), CliError> {
        let run = self.run;
        let (row_count, board_count) = (self.report.rows.len(), run.job.boards.boards().count());
        let Some(next_board) = run.job.boards.boards().nth(row_count).filter(|_| !self.report.complete)
        else {
            // All rows are complete; a later step, such as the recurrence, failed.
            if let RunEnd::Failed(failure) | RunEnd::Refused(failure) = end {
                return Err(failure);
            }
            let seconds = self.start_time.elapsed().as_secs_f64();
            if is_written {
                print_job_line(format_args!("done {} rows={row_count} seconds={seconds:.3}", run.job_line()));
            }
            return saved;
        };
        let remaining_boards = run.job.boards.remaining_text(&next_board);
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
