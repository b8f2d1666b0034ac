//! `ktour check`: reads tours, validates and classifies them.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::{Serialize, Serializer};

use super::args::heading;
use super::args::output_options::{OutputFileArgs, OutputFiles, combine_results, is_stdout};
use super::args::tours::{LastHeader, MixedArgs, TourInput, check_text_ending};
use super::error::CliError;
use crate::report::{Cell, NamedCells, Output, StreamedTable, Table, board_name};
use ktour::board::{Board, Piece};
use ktour::text_format::format_count;
use ktour::tour::{LocatedTour, ReadError, SymmetryClass, Tour, TourFormat, TourKind};

/// Largest number of faults that are printed.
const MAX_PRINTED_FAULTS: usize = 20;

const EXAMPLES: &str = "\
Examples:
  ktour check tours.txt                  valid, or the line of the first error
  ktour list 5x5 | ktour check - --distinct
  ktour find 8x8 --closed --format grid | ktour check - --kind closed
  ktour check tours.txt --json -         a JSON object per tour

Formats: squares on one line or several (a1 b3 c5, a1-b3-c5, a1b3c5, Na1 Nb3, 1. a1 2. b3); moves such as a1-b3 and \
b3-c5; number grids (numbers from 0 or 1, `.` for a removed square), also with ranks and files, as tables or in frames; \
arrays and maps of JSON, Python, numpy, C and other languages; tables of LaTeX, pandas and R; tables with a row for each \
square or move; coordinates (row,column or x,y, from 0 or 1); CSV and JSON lines. The guide has a table of all forms. The \
numbers and squares decide: a reading is accepted if its result is a tour. A plain list of numbers is read if --board or \
the file gives the board: it holds the move number of each square, row by row from the top. Squares in the order of visits \
must be written by name. An empty cell is a removed square only if the board is known. Files written by ktour name the \
board, the piece and the kind of tours; other tours are closed if their ends are a move apart, unless --kind says \
otherwise. Text is skipped only if it is prose; a note names its lines. All tours are checked: a wrong one does not hide \
the others. A file or a pipe without tours is an error.

Symmetry of closed tours: axial (a reflection), rot180 eulerian (a half turn that keeps the direction), \
rot180 bergholtian (a half turn that reverses the direction), rot90 (a quarter turn), several (more than one of these). \
Where symmetries have no names, as on a torus, C4 is a tour with 4 symmetries that keep the direction, and D4 a tour \
with 4 more that reverse it. The canonical form is the smallest of the square lists of the tour and its images \
under the board's symmetries. Numbered from its first square, a tour is semi-magic if all rows have one sum and all \
columns have one sum, and magic if the board is square and both main diagonals have that sum, too.";

/// Maximum number of squares of a tour whose canonical form is printed without `--canonical`.
const MAX_CANONICAL_SQUARES: usize = 400;

/// Read tours, validate and classify them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    input: TourInput,
    #[command(flatten)]
    boards: MixedArgs,
    /// Count the classes of the tours up to symmetry
    ///
    /// Needs 16 bytes of memory per tour.
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    distinct: bool,
    /// Print only the canonical form of every tour
    #[arg(long, help_heading = heading::OUTPUT, conflicts_with_all = ["distinct", "csv", "json"])]
    canonical: bool,
    #[command(flatten)]
    files: OutputFileArgs,
    /// Write to FILE instead of standard output
    #[arg(long, short, help_heading = heading::OUTPUT, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

/// Totals over all tours of the input.
#[derive(Default, Serialize)]
struct Summary {
    /// Number of correct tours.
    correct: u64,
    boards: BTreeMap<String, u64>,
    kinds: BTreeMap<&'static str, u64>,
    #[serde(rename = "symmetries", serialize_with = "by_class_name")]
    classes: BTreeMap<SymmetryClass, u64>,
    magic: BTreeMap<&'static str, u64>,
    /// The canonical forms, if distinct tours are counted.
    #[serde(rename = "distinct")]
    forms: Option<CanonicalForms>,
    skipped_lines: u64,
}

fn by_class_name<S: Serializer>(classes: &BTreeMap<SymmetryClass, u64>, to: S) -> Result<S::Ok, S::Error> {
    let by_name: BTreeMap<_, u64> = classes.iter().map(|(class, &count)| (class.name(), count)).collect();
    by_name.serialize(to)
}

impl CheckArgs {
    /// Checks the tours of the input and prints the summary.
    pub fn run(&self) -> Result<(), CliError> {
        let output = Some(self.output.as_path());
        check_text_ending(&self.output)?;
        let files = self.files.open()?;
        // With CSV or JSON on standard output there is no text, unless the text goes to a file.
        let text = !(files.has_stdout() && is_stdout(output));
        let mut rows = start_rows(files)?;
        let mut out = if text { Some(Output::create(&self.output)?) } else { None };
        let forms = self.distinct.then(CanonicalForms::default);
        let mut summary = Summary { forms, ..Summary::default() };
        let found = self.read(&mut summary, &mut out, rows.as_mut())?;
        let written_rows = rows.map_or(Ok(()), |rows| Ok(rows.finish(&TailFields::new(&summary, &found))?));
        if !found.faults.is_empty() {
            return combine_results([written_rows, Err(self.faults_error(&found, summary.correct))]);
        }
        let only = found.only;
        let is_empty = summary.correct == 0 && !found.has_list_header;
        if is_empty && !self.input.is_stdin() {
            return Err(self.input.no_tours_error());
        }
        let write_text = || -> Result<(), CliError> {
            let Some(mut out) = out else { return Ok(()) };
            if !self.canonical {
                let text = summary.to_text(only.as_ref());
                out.write_all(text.as_bytes()).map_err(|error| CliError::write_error(&out.name(), error))?;
            }
            Ok(out.finish()?)
        };
        combine_results([
            written_rows,
            write_text(),
            if is_empty { Err(self.input.no_tours_error()) } else { Ok(()) },
        ])
    }

    /// Reads all tours and collects their faults.
    fn read(
        &self,
        summary: &mut Summary,
        out: &mut Option<Output>,
        mut rows: Option<&mut StreamedTable>,
    ) -> Result<ReadOutcome, CliError> {
        let (mut outcome, mut above) = (ReadOutcome::default(), LastHeader::default());
        let mut tours = self.input.open_reader(self.boards.mixed)?;
        for found in tours.by_ref() {
            let located = match found {
                Ok(located) => located,
                Err(error) => {
                    outcome.fault_count += 1;
                    outcome.is_stopped = !error.is_of_tour();
                    if outcome.faults.len() < MAX_PRINTED_FAULTS {
                        outcome.faults.push(error);
                    }
                    continue;
                }
            };
            let tour = &located.tour;
            if let (true, Some(out)) = (self.canonical, out.as_mut()) {
                // A header precedes the first tour, and each tour of another board or kind than the tour
                // above.
                let header = above.header(tour, TourFormat::Squares)?;
                let form = format!("{header}{}\n", join_names(tour, &tour.canonical_form()));
                out.write_all(form.as_bytes()).map_err(|error| CliError::write_error(&out.name(), error))?;
            }
            let seen = TourProperties::new(tour, !self.canonical);
            if let Some(rows) = &mut rows {
                rows.push(tour_cells(&located, &seen))?;
            }
            summary.add(&located.tour, &seen);
            outcome.only = (summary.correct == 1).then_some(located.tour);
        }
        summary.skipped_lines = tours.skipped_lines();
        outcome.has_list_header = tours.has_list_header();
        // Text alone is an error.
        if summary.correct > 0 {
            self.input.print_notes(&tours.notes());
        }
        Ok(outcome)
    }

    /// Prints all faults but the last, and returns the error of the command.
    fn faults_error(&self, found: &ReadOutcome, correct: u64) -> CliError {
        let wrong = found.fault_count;
        let total = format!("checked {}, {wrong} wrong", format_count(correct + wrong, "tour"));
        let lines: Vec<CliError> =
            found.faults.iter().map(|fault| self.input.read_error(fault, true)).collect();
        if let [line] = lines.as_slice() {
            return if correct == 0 {
                CliError::failed(line.to_string())
            } else {
                CliError::failed(format!("{line}; {total}"))
            };
        }
        for line in &lines {
            line.print_as_notice();
        }
        let more = wrong - lines.len() as u64;
        let more = if more > 0 { format!("; {more} faults are not shown") } else { String::new() };
        CliError::failed(format!("{}: {total}{more}", self.input.name()))
    }
}

/// Result of reading a file.
#[derive(Default)]
struct ReadOutcome {
    /// The tour, if there is only one.
    only: Option<Tour>,
    /// The first faults, and the number of all.
    faults: Vec<ReadError>,
    fault_count: u64,
    /// True if the last fault ended the reading.
    is_stopped: bool,
    /// True if the file has a header line of ktour, so that it may be a list without tours.
    has_list_header: bool,
}

/// The properties of a tour that are reported.
#[derive(Default)]
struct TourProperties {
    class: Option<SymmetryClass>,
    magic: Option<&'static str>,
}

impl TourProperties {
    fn new(tour: &Tour, is_shown: bool) -> Self {
        if !is_shown {
            return Self::default();
        }
        Self { class: tour.symmetry_class(), magic: tour.line_sums().map(|sums| sums.name()) }
    }
}

/// The fields of the JSON object after the list of tours.
#[derive(Serialize)]
struct TailFields<'a> {
    summary: &'a Summary,
    fault: Option<FaultFields>,
    faults: Vec<FaultFields>,
    complete: bool,
}

#[derive(Clone, Serialize)]
struct FaultFields {
    line: u64,
    fault: String,
}

impl<'a> TailFields<'a> {
    fn new(summary: &'a Summary, found: &ReadOutcome) -> Self {
        let fault = |error: &ReadError| FaultFields { line: error.line, fault: error.kind.to_string() };
        let faults: Vec<FaultFields> = found.faults.iter().map(fault).collect();
        let complete = faults.is_empty() && !found.is_stopped;
        Self { summary, fault: faults.first().cloned(), faults, complete }
    }
}

/// Starts the rows of CSV and JSON, one for each tour, if a file is given for them.
fn start_rows(files: OutputFiles) -> Result<Option<StreamedTable>, CliError> {
    let outputs = files.into_parts();
    if matches!(outputs, (None, None)) {
        return Ok(None);
    }
    let keys = ["line", "kind", "board", "board_text", "start", "end", "symmetry", "magic", "canonical"];
    Ok(Some(StreamedTable::start(Table::new(keys), outputs, &NamedCells::of_result([]), "tours")?))
}

/// Returns the row of a tour.
fn tour_cells(located: &LocatedTour, seen: &TourProperties) -> [Cell; 9] {
    let tour = &located.tour;
    let name = |v: Option<&u32>| Cell::from(v.map(|&v| tour.board().name(v)));
    let canonical =
        (tour.vertices().len() <= MAX_CANONICAL_SQUARES).then(|| join_names(tour, &tour.canonical_form()));
    [
        located.line.into(),
        tour.kind().name().into(),
        board_name(tour.board()).into(),
        tour.board().to_string().into(),
        name(tour.vertices().first()),
        name(tour.vertices().last()),
        seen.class.map(SymmetryClass::name).into(),
        seen.magic.into(),
        canonical.into(),
    ]
}

impl Summary {
    fn add(&mut self, tour: &Tour, seen: &TourProperties) {
        self.correct += 1;
        *self.kinds.entry(tour.kind().name()).or_default() += 1;
        if let Some(class) = seen.class {
            *self.classes.entry(class).or_default() += 1;
        }
        if let Some(magic) = seen.magic {
            *self.magic.entry(magic).or_default() += 1;
        }
        *self.boards.entry(describe_board(tour)).or_default() += 1;
        if let Some(forms) = &mut self.forms {
            forms.insert(tour);
        }
    }

    fn to_text(&self, only: Option<&Tour>) -> String {
        if self.correct == 0 {
            return format!("{:<10} 0\n", "tours");
        }
        let mut lines = vec![("tours", self.correct.to_string())];
        let counted = |name: &str, count: u64| {
            if self.correct == 1 { name.to_owned() } else { format!("{name} {count}") }
        };
        let list = |items: Vec<String>| items.join(", ");
        // A single board is shown without its count, which could be mistaken for a part of its name.
        let board = |(board, &count): (&String, &u64)| match self.boards.len() {
            1 => board.clone(),
            _ => format!("{board}: {count}"),
        };
        lines.push(("board", list(self.boards.iter().map(board).collect())));
        lines.push(("kind", list(self.kinds.iter().map(|(k, &c)| counted(k, c)).collect())));
        if let Some(tour) = only {
            let ends = [tour.vertices().first(), tour.vertices().last()];
            lines.push(("ends", join_names(tour, &ends.map(|end| *end.unwrap_or(&0)))));
        }
        let classes = self.classes.iter().map(|(class, &c)| counted(&class.name(), c));
        if !self.classes.is_empty() {
            lines.push(("symmetry", list(classes.collect())));
        }
        if let Some(sums) = only.and_then(Tour::line_sums) {
            let both = if sums.rows == sums.cols {
                format!("rows and columns {}", sums.rows)
            } else {
                format!("rows {}, columns {}", sums.rows, sums.cols)
            };
            lines.push(("magic", format!("{} ({both})", sums.name())));
        } else if !self.magic.is_empty() {
            lines.push(("magic", list(self.magic.iter().map(|(m, &c)| counted(m, c)).collect())));
        }
        if let Some(forms) = &self.forms {
            lines.push(("distinct", forms.hashes.len().to_string()));
        }
        if let Some(tour) = only {
            let form = if tour.vertices().len() <= MAX_CANONICAL_SQUARES {
                join_names(tour, &tour.canonical_form())
            } else {
                "(long; --canonical prints it)".to_owned()
            };
            lines.push(("canonical", form));
        }
        lines.into_iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect()
    }
}

fn describe_board(tour: &Tour) -> String {
    let board = tour.board();
    let mut name = board.title();
    let removed = board.removed_names();
    match removed.as_slice() {
        [] => {}
        [..] if removed.len() <= 4 => name += &format!(" without {}", removed.join(" ")),
        _ => name += &format!(" without {} squares", removed.len()),
    }
    match board.piece() {
        Some(piece) if piece != Piece::default() => match (board.leaper_board(), piece.name()) {
            (Some(rectangle), _) => name += &format!(" (leaper {})", rectangle.leaper()),
            (None, Some(piece)) => name += &format!(" ({piece})"),
            (None, None) => name += &format!(" (piece {piece})"),
        },
        _ => {}
    }
    name
}

fn join_names(tour: &Tour, vertices: &[u32]) -> String {
    let names: Vec<String> = vertices.iter().map(|&v| tour.board().name(v)).collect();
    names.join(" ")
}

/// 128-bit hashes of the canonical forms of the tours so far. Two different forms share a hash with
/// a probability of less than one in 10^18.
#[derive(Default)]
struct CanonicalForms {
    hashes: HashSet<u128>,
    /// The last board, and the hash of its text form, which may be long.
    last_board: Option<(Board, u64)>,
}

impl CanonicalForms {
    fn insert(&mut self, tour: &Tour) {
        let board = tour.board();
        let known = self.last_board.as_ref().filter(|(known, _)| known == board).map(|&(_, bits)| bits);
        let salt = known.unwrap_or_else(|| hash_of(&board.to_string()));
        if known.is_none() {
            self.last_board = Some((board.clone(), salt));
        }
        let form = (tour.kind() == TourKind::Closed, tour.canonical_form());
        let half = |part: u64| u128::from(hash_of(&(part, salt, &form)));
        self.hashes.insert(half(1) << 64 | half(2));
    }
}

/// Serialises the number of different forms.
impl Serialize for CanonicalForms {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.hashes.len() as u64)
    }
}

fn hash_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
