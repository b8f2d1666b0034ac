//! The tour index in commands that number tours: its options and errors, the output of numbered
//! tours as text, CSV and JSON, and the header line of files of numbers.
//!
//! The options are `--index`, `--plan` and `--memory`. The header line names the tours and the plan
//! to which the numbers refer. The plan is the order in which tours are numbered.
//!
//! ```text
//! # numbers of paths to e5 of board=5x5 piece=1,2 remove=-, plan b1ee975b13651126: 0 to 303
//!              |      |         |                                |                 range of numbers
//!              kind   ends      board                            order
//! ```
//!
//! `rank` and `unrank` write this line, and check it when they read each other's output: numbers of
//! other tours, or of another plan, are rejected.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use ktour::batch::IndexJob;
use ktour::board::Board;
use ktour::budget::Remedy;
use ktour::control::Control;
use ktour::frontier;
use ktour::frontier::IndexLayersError;
use ktour::index::{Index, IndexError, IndexResources};
use ktour::text_format::describe_io_error;
use ktour::tour::{Kind, TourKind, TourSpec, TourWriter};

use super::args::heading;
use super::args::output_options::OutputFiles;
use super::args::tours::{ProgressArgs, TourOutputArgs};
use super::error::CliError;
use super::process::Signals;
use super::run::admission::{index_refusal, print_index_estimate};
use super::{malloc_tuning, quantities};
use crate::report::{Cell, NamedCells, Output, Progress, StreamedTable, new_tour_rows, tour_set_fields};

/// Number of bytes of text that are collected before they are written.
const OUTPUT_BUFFER_BYTES: usize = 1 << 16;

/// Options of the index of all tours: folder, plan and memory.
#[derive(Clone, Debug, Args)]
pub struct IndexArgs {
    /// Use this index folder. Default: an index in memory
    ///
    /// The first command builds the index, later commands reuse it. If building was interrupted, the next
    /// command that names the folder resumes it.
    #[arg(long, help_heading = heading::METHOD, value_name = "DIR")]
    pub index: Option<PathBuf>,

    /// Accept only the numbering with this plan
    ///
    /// The plan identifies the order of the numbers; every output names it. Another version of ktour may use
    /// another plan for the same board.
    #[arg(long, help_heading = heading::METHOD, value_name = "NAME", hide_short_help = true)]
    pub plan: Option<String>,

    #[command(flatten)]
    progress: ProgressArgs,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, help_heading = heading::LONG_RUNS, value_name = "SIZE", value_parser = quantities::parse_memory_size, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, help_heading = heading::LONG_RUNS, hide_short_help = true)]
    force: bool,
}

impl IndexArgs {
    /// Starts the progress display of a job. `name` is its title.
    pub fn progress(&self, name: String) -> Progress {
        Progress::start(
            self.progress.mode(),
            name,
            Control::new().with_allocator_hook(malloc_tuning::run_allocator_command),
        )
    }

    /// Returns the memory limit for work on the index, without a place to spill to.
    pub fn memory_budget(&self) -> IndexResources<'static> {
        IndexResources { memory: self.memory, store: None }
    }

    /// Returns the job of the index of the tours `numbered`, without statistics.
    pub fn job<'a>(&'a self, numbered: &'a TourSpec) -> IndexJob<'a> {
        IndexJob {
            tours: numbered,
            folder: self.index.as_deref(),
            memory: self.memory,
            needs_statistics: false,
            is_forced: self.force,
        }
    }

    /// Builds or opens the index of the tours `numbered`. Catches signals from now on.
    ///
    /// # Errors
    /// The index has another plan than `--plan`, does not fit, or cannot be read or written.
    pub fn open(&self, numbered: &TourSpec, control: &Control) -> Result<(Index, Signals), CliError> {
        self.open_with(numbered, control, false)
    }

    /// Builds or opens the index like [`open`](Self::open). If `needs_statistics`, the admission
    /// check includes the memory that exact statistics need.
    pub fn open_with(
        &self,
        numbered: &TourSpec,
        control: &Control,
        needs_statistics: bool,
    ) -> Result<(Index, Signals), CliError> {
        let signals = Signals::catch(control.cancel_flag())?;
        let job = IndexJob { needs_statistics, ..self.job(numbered) };
        let index = job.open(control, &|estimate| print_index_estimate(&job, estimate));
        let index = match index {
            Err(IndexError::Stopped(_)) => return Err(self.stop_build(control, &signals)),
            Err(IndexError::Layers(IndexLayersError::Refused(mut refusal))) => {
                // A plan is the order of an index.
                let is_possible =
                    |remedy: &Remedy| self.plan.is_none() || !matches!(remedy, Remedy::WithoutIndex { .. });
                refusal.remedies.retain(is_possible);
                return Err(index_refusal(&job, &refusal));
            }
            index => index.map_err(|error| self.error_for(error))?,
        };
        match &self.plan {
            Some(plan) if *plan != index.numbering() => Err(plan_mismatch("--plan", plan, &index)),
            _ => Ok((index, signals)),
        }
    }

    /// Returns the error for an index whose building was interrupted. Ends the process by the
    /// signal, unless a folder holds part of the index.
    fn stop_build(&self, control: &Control, signals: &Signals) -> CliError {
        let step = control.progress().sweep.map(|sweep| (sweep.steps_done, sweep.steps));
        match &self.index {
            // The folder holds a part that can be resumed.
            Some(dir) if dir.join("index.json").exists() => {
                let step =
                    step.map_or(String::new(), |(step, steps)| format!(" after layer {step} of {steps}"));
                CliError::stopped(format!(
                    "stopped{step}, the index in {} is incomplete; run the command again to resume it",
                    dir.display()
                ))
            }
            Some(_) => signals.stop("stopped before the first layer of the index"),
            None => signals.stop("stopped, the index in memory is lost; add --index DIR to keep it"),
        }
    }

    /// Converts the error of an operation on a finished index. If a signal stopped the operation,
    /// ends the process.
    pub fn stop_or_error(&self, error: IndexError, signals: &Signals) -> CliError {
        match error {
            IndexError::Stopped(_) => {
                let index =
                    self.index.as_ref().map(|dir| format!("; the index in {} is complete", dir.display()));
                signals.stop(format_args!("stopped before the end{}", index.unwrap_or_default()))
            }
            error => self.error_for(error),
        }
    }

    /// Converts an index error to a failure with a remedy.
    pub fn error_for(&self, error: IndexError) -> CliError {
        match error {
            IndexError::Layers(IndexLayersError::Sweep(error @ frontier::Error::Memory { .. })) => {
                let what = if self.index.is_some() {
                    "raise --memory"
                } else {
                    "raise --memory, or add --index DIR"
                };
                CliError::failed(format!("{error}; {what}, or use a smaller BOARD or graph"))
            }
            IndexError::Layers(error @ IndexLayersError::Memory { .. }) => {
                let counting = match self.index.is_some() {
                    true => "replace --index by --without-index",
                    false => "add --without-index",
                };
                CliError::failed(format!("{error}; raise --memory, or {counting}"))
            }
            IndexError::Layers(
                error @ (IndexLayersError::Width { .. } | IndexLayersError::TooManySquares { .. }),
            ) => CliError::usage(format!("{error}; use a smaller BOARD or graph")),
            IndexError::Layers(
                error @ (IndexLayersError::ForeignFolder { .. } | IndexLayersError::OtherTours { .. }),
            ) => CliError::failed(format!("--index: {error}; choose another folder")),
            IndexError::Layers(error @ IndexLayersError::Locked(_)) => {
                CliError::failed(format!("--index: {error}, or choose another folder"))
            }
            IndexError::Layers(error @ IndexLayersError::Damaged { .. }) => {
                CliError::failed(format!("{error}; remove the folder to build the index again"))
            }
            IndexError::Layers(IndexLayersError::File { path, source })
                if source.kind() == ErrorKind::PermissionDenied =>
            {
                let path = path.display();
                CliError::failed(format!(
                    "--index: {path}: {}; choose a folder that you may read and write",
                    describe_io_error(&source)
                ))
            }
            IndexError::Layers(error @ IndexLayersError::File { .. }) => CliError::failed(format!(
                "--index: {error}; choose a writable folder on a disk with free space"
            )),
            IndexError::OutOfRange { .. } => CliError::failed(error.to_string()),
            IndexError::OpenTours => {
                CliError::usage(format!("{error}; use --kind paths, or ktour sample --kind open"))
            }
            IndexError::OpenWithFixedEnds => CliError::usage(format!("{error}; omit --start and --end")),
            IndexError::OpenWithRestrictions => CliError::usage(format!("{error}; use --kind paths")),
            error => CliError::failed(error.to_string()),
        }
    }
}

/// Starts the rows of CSV and JSON for tours by number, with the columns `keys`. In JSON they are the
/// list `list`, after the fields of the tours and of `options`. Without an index there are no rows, and no fields of tours.
pub fn start_rows(
    files: OutputFiles,
    index: Option<&Index>,
    keys: [&'static str; 2],
    options: impl IntoIterator<Item = (&'static str, Cell)>,
    list: &str,
) -> Result<StreamedTable, CliError> {
    let plan = [("plan", index.map_or(Cell::Empty, |index| Cell::from(index.numbering())))];
    let table = new_tour_rows(keys, index.map(Index::numbered_tours)).with_common(plan.clone());
    let head = match index {
        Some(index) => tour_set_fields(index.numbered_tours(), index.total()).with(plan),
        None => NamedCells::of_result([]),
    };
    let head = head.with(options);
    Ok(StreamedTable::start(table, files.into_parts(), &head, list)?)
}

/// A writer of numbered tours, with a buffer.
pub struct NumberedTourWriter {
    out: Output,
    writer: TourWriter,
    buffer: Vec<u8>,
    is_first: bool,
    write_error: Option<std::io::Error>,
}

impl NumberedTourWriter {
    /// Opens the output for the tours `numbered`, and prepares the header, which names board and
    /// kind.
    pub fn open(written: &TourOutputArgs, numbered: &TourSpec) -> Result<Self, CliError> {
        let writer = written.writer(numbered.board())?;
        let out = Output::create(&written.output)?;
        let buffer = writer.header(numbered.kind()).into_bytes();
        Ok(Self { out, writer, buffer, is_first: true, write_error: None })
    }

    /// Adds the line with the plan to the header, if the format has comment lines.
    pub fn write_plan(&mut self, index: &Index) {
        if self.buffer.starts_with(b"#") {
            self.buffer.extend_from_slice(header_line(index).as_bytes());
        }
    }

    /// Writes one tour to the buffer, and the buffer to the output when it is full.
    pub fn write_tour(&mut self, kind: TourKind, vertices: &[u32]) -> ControlFlow<()> {
        if !std::mem::take(&mut self.is_first) {
            self.buffer.extend_from_slice(self.writer.separator().as_bytes());
        }
        self.writer.write(&mut self.buffer, kind, vertices);
        if self.buffer.len() < OUTPUT_BUFFER_BYTES { ControlFlow::Continue(()) } else { self.flush() }
    }

    /// Writes the buffered text to the output.
    pub fn flush(&mut self) -> ControlFlow<()> {
        let written = self.out.write_hiding_bars(&self.buffer);
        self.buffer.clear();
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.write_error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Completes the output.
    pub fn complete(mut self) -> Result<(), CliError> {
        if self.write_error.is_none() {
            let _ = self.flush();
        }
        match self.write_error {
            Some(error) => Err(CliError::write_error(&self.out.name(), error)),
            None => Ok(self.out.finish()?),
        }
    }

    /// Completes the output. `result` is the result of the operation that wrote the tours; if it is
    /// an error, removes an incomplete file.
    pub fn finish(
        self,
        result: Result<(), IndexError>,
        args: &IndexArgs,
        signals: &Signals,
    ) -> Result<(), CliError> {
        match result {
            Err(IndexError::Stopped(_)) if self.write_error.is_none() && !self.out.is_stdout() => {
                let name = self.out.name();
                drop(self.out);
                Err(signals
                    .stop(format_args!("stopped; {name} is not written because it would be incomplete")))
            }
            Err(error) if self.write_error.is_none() => Err(args.stop_or_error(error, signals)),
            _ => self.complete(),
        }
    }
}

/// Beginning of the header line of a file of numbers.
const HEADER_PREFIX: &str = "# numbers of ";
/// Text between the tours and their plan in a header line.
const PLAN_SEPARATOR: &str = ", plan ";

/// Returns the header line of a file of numbers of this index.
pub fn header_line(index: &Index) -> String {
    format!("{HEADER_PREFIX}{}\n", index.title())
}

/// Returns the tours and the plan that a header line names, or `None` for another line.
pub fn parse_header(line: &str) -> Option<&str> {
    let (tours, _) = line.strip_prefix(HEADER_PREFIX)?.rsplit_once(": ")?;
    tours.contains(PLAN_SEPARATOR).then_some(tours)
}

/// Parses the set of tours that a header line names. `None` if they belong to another board than `board`,
/// restrictions apart, or the text is not understood.
pub fn parse_tours(header: &str, board: &Board) -> Option<TourSpec> {
    let (tours, _) = header.rsplit_once(PLAN_SEPARATOR)?;
    // The text form of a board has no word `of`.
    let (words, stated) = tours.rsplit_once(" of ")?;
    let stated: Board = stated.parse().ok()?;
    if board.unrestricted() != stated.unrestricted() {
        return None;
    }
    // The board of the caller may have parts that are computed already.
    let board = if stated == *board { board } else { &stated };
    let kinds =
        [("directed closed tours", Kind::Closed), ("closed tours", Kind::Closed), ("paths", Kind::Paths)];
    let (ends, kind) =
        kinds.iter().find_map(|(words_of, kind)| Some((words.strip_prefix(words_of)?, *kind)))?;
    let vertex = |name: &str| board.vertex(name).ok();
    let numbered = |start, end| TourSpec::new(board.clone(), kind, start, end).ok();
    if ends.is_empty() {
        return numbered(None, None);
    }
    if let Some(name) = ends.strip_prefix(" to ") {
        return numbered(None, Some(vertex(name)?));
    }
    let names = ends.strip_prefix(" from ")?;
    if let Some(start) = vertex(names) {
        return numbered(Some(start), None);
    }
    // Vertex names may contain the word `to`.
    names.match_indices(" to ").find_map(|(at, word)| {
        let (start, end) = (vertex(&names[..at])?, vertex(&names[at + word.len()..])?);
        numbered(Some(start), Some(end))
    })
}

/// Checks that numbers read from `source` belong to the tours and the plan of the index. `header`
/// is the text that [`parse_header`] has returned for the numbers.
///
/// # Errors
/// The tours or the plan differ; the message names the options to change.
pub fn check_header(source: &str, header: &str, index: &Index) -> Result<(), CliError> {
    let index_line = header_line(index);
    let own = parse_header(&index_line).unwrap_or_default();
    if own == header {
        return Ok(());
    }
    let tours_of = |text: &str| {
        text.rsplit_once(PLAN_SEPARATOR).map_or_else(|| text.to_owned(), |(tours, _)| tours.to_owned())
    };
    let (theirs, ours) = (tours_of(header), tours_of(own));
    if theirs == ours {
        let plan = header.rsplit_once(PLAN_SEPARATOR).map_or(header, |(_, plan)| plan);
        return Err(plan_mismatch(source, plan, index));
    }
    let numbered = index.numbered_tours();
    let advice = match parse_tours(header, numbered.board()) {
        Some(theirs) => options_to_change(&theirs, numbered),
        None => "the BOARD, --kind, --start and --end of the numbers".to_owned(),
    };
    Err(CliError::failed(format!("{source}: the numbers are of {theirs}, not of {ours}; use {advice}")))
}

/// Returns the options to change in a command with the tours `ours`, so that it uses the tours
/// `theirs`.
fn options_to_change(theirs: &TourSpec, ours: &TourSpec) -> String {
    let mut changes = Vec::new();
    if theirs.kind() != ours.kind() {
        changes.push(format!("--kind {}", theirs.kind().name()));
    }
    for (option, theirs_end, own) in
        [("--start", theirs.start(), ours.start()), ("--end", theirs.end(), ours.end())]
    {
        match theirs_end {
            _ if theirs_end == own => {}
            Some(v) => changes.push(format!("{option} {}", theirs.board().name(v))),
            None => changes.push(format!("no {option}")),
        }
    }
    changes.join(" and ")
}

/// Checks that `plan`, which a column or key of `source` states, is that of the index.
///
/// # Errors
/// The plans differ, so that the numbers of the source are of other tours or in another order.
pub fn check_plan(source: &str, plan: &str, index: &Index) -> Result<(), CliError> {
    let numbering = index.numbering();
    // A reader of JSON may take a plan for a number.
    if plan.trim_start_matches('0') == numbering.trim_start_matches('0') {
        return Ok(());
    }
    Err(CliError::failed(format!(
        "{source}: its tours have numbers of plan {plan}, the index has plan {numbering}; use the --kind, --start, --end, \
         --require and --forbid of the file, or an --index DIR of that plan"
    )))
}

/// Returns the error for numbers of another plan than that of the index.
pub fn plan_mismatch(source: &str, plan: &str, index: &Index) -> CliError {
    CliError::failed(format!(
        "{source}: the numbers are of plan {plan}, the index has plan {}; use an --index DIR of that plan, or the \
         version of ktour that wrote the numbers",
        index.numbering()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::{CustomGraph, Graph};

    #[test]
    fn parse_tours_reads_header_line() {
        let ring = Graph::from_edges(4, (0..4).map(|v| (v, (v + 1) % 4)));
        let given = Board::new(CustomGraph::new(ring).with_names(["a", "b to c", "a to b", "c"]).unwrap());
        for board in ["5x5".parse().unwrap(), given] {
            let all =
                [(None, None), (Some(0), None), (None, Some(1)), (Some(0), Some(3)), (Some(2), Some(1))];
            for (start, end) in all {
                for kind in [Kind::Closed, Kind::Paths] {
                    let end = end.filter(|_| kind == Kind::Paths);
                    let numbered = TourSpec::new(board.clone(), kind, start, end).unwrap();
                    let line = format!("{HEADER_PREFIX}{}{PLAN_SEPARATOR}1f: 0 to 7", numbered.title());
                    assert_eq!(parse_tours(parse_header(&line).unwrap(), &board), Some(numbered), "{line}");
                }
            }
            assert_eq!(parse_tours("paths of board=3x4 piece=1,2 remove=-, plan 1f", &board), None);
            assert_eq!(parse_tours("rings of board=5x5 piece=1,2 remove=-, plan 1f", &board), None);
        }
        assert_eq!(parse_header("# numbers of cows"), None);
    }

    #[test]
    fn options_to_change_names_differences() {
        let ours = TourSpec::all("5x5".parse().unwrap(), Kind::Paths);
        let end = ours.clone().with_ends(None, Some(24)).unwrap();
        let start = ours.clone().with_ends(Some(24), None).unwrap();
        let closed = ours.with_kind(Kind::Closed).unwrap();
        assert_eq!(options_to_change(&end, &ours), "--end e5");
        assert_eq!(options_to_change(&end, &start), "no --start and --end e5");
        assert_eq!(options_to_change(&closed, &start), "--kind closed and no --start");
    }
}
