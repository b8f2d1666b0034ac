//! `ktour check`: reads tours, validates and classifies them.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use crate::report::Output;
use ktour::board::{Arena, Board, Leaper, Square};
use ktour::tour::{Located, ReadError, ReadOptions, SymmetryClass, Tour, TourKind, TourReader};

const EXAMPLES: &str = "\
Examples:
  ktour check tours.txt                  valid, or the first fault with its line
  ktour list 5x5 | ktour check - --distinct
  ktour find 8x8 --closed --format grid | ktour check - --closed

Formats: squares on a line, number grids (numbers from 0 or 1, `.` where a square is removed, blank lines between
tours), CSV with the header kind,squares, and JSON lines. Squares and grids do not say whether a tour is closed:
one that could be closed is called re-entrant unless --closed is given.

Symmetry of closed tours: axial (a reflection), rot180 eulerian (a half turn that keeps the direction), rot180
bergholtian (one that reverses it), rot90 (a quarter turn). The canonical form is the least reading of the tour and
its images under the board's symmetries.";

/// The most squares of a tour whose canonical form is shown unasked.
const SHORT: usize = 400;

/// What is read, and what is known of it; shared with `draw`.
#[derive(Debug, Args)]
pub struct Source {
    /// Tours in any format: squares, grid, CSV, JSON lines; `-` reads standard input
    file: PathBuf,
    /// The board; without it the first tour tells
    #[arg(long, value_name = "BOARD")]
    board: Option<Board>,
    /// The piece, as its two steps
    #[arg(long, value_name = "A,B", default_value = "1,2")]
    leaper: Leaper,
    /// Squares taken off the board
    #[arg(long, value_name = "SQUARES", value_delimiter = ',', requires = "board")]
    remove: Vec<Square>,
    /// Let each tour have its own board
    #[arg(long, conflicts_with = "board")]
    mixed: bool,
}

impl Source {
    /// The file's name, for messages.
    pub fn name(&self) -> String {
        if self.file == Path::new("-") {
            "standard input".to_owned()
        } else {
            self.file.display().to_string()
        }
    }

    /// The tours.
    pub fn tours(&self) -> Result<TourReader<Box<dyn BufRead>>, Failure> {
        let board = match &self.board {
            Some(board) => Some(
                board
                    .clone()
                    .without(self.remove.iter().copied())
                    .map_err(|error| Failure::usage(format!("--remove: {error}")))?,
            ),
            None => None,
        };
        let arena = board.map(|board| Arena::board(board, self.leaper));
        let options = ReadOptions { arena, leaper: self.leaper, mixed: self.mixed };
        Ok(TourReader::new(self.open()?, options))
    }

    fn open(&self) -> Result<Box<dyn BufRead>, Failure> {
        if self.file == Path::new("-") {
            return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
        }
        let failed =
            |why: &dyn std::fmt::Display| Failure::failed(format!("cannot read {}: {why}", self.name()));
        let file = File::open(&self.file).map_err(|error| failed(&error))?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(failed(&"it is a folder"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// A fault, with the name of the file.
    pub fn fault(&self, error: &ReadError) -> Failure {
        Failure::failed(format!("{}, {error}", self.name()))
    }

    /// The failure of a file without tours.
    pub fn empty(&self) -> Failure {
        Failure::failed(format!("{}: there are no tours in it", self.name()))
    }
}

/// Read tours, validate and classify them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    source: Source,
    /// Every tour must be closed, whether or not it says so
    #[arg(long)]
    closed: bool,
    /// Count the tours that differ by more than symmetry; needs 16 bytes a tour
    #[arg(long)]
    distinct: bool,
    /// Print the canonical form of every tour, and nothing else
    #[arg(long, conflicts_with = "distinct")]
    canonical: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

/// What was seen of the tours.
#[derive(Default)]
struct Summary {
    tours: u64,
    kinds: BTreeMap<&'static str, u64>,
    classes: BTreeMap<SymmetryClass, u64>,
    forms: HashSet<u128>,
    boards: BTreeMap<String, u64>,
}

impl CheckArgs {
    /// Checks.
    pub fn run(&self) -> Result<(), Failure> {
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let failed = |error: io::Error| Failure::write(&name, &error);
        let mut summary = Summary::default();
        let mut only = None;
        for found in self.source.tours()? {
            let Located { mut tour, line, .. } = found.map_err(|error| self.source.fault(&error))?;
            if self.closed && tour.kind() != TourKind::Closed {
                tour = tour
                    .into_closed()
                    .map_err(|error| self.source.fault(&ReadError { line, fault: error.into() }))?;
            }
            if self.canonical {
                writeln!(out, "{}", line_of(&tour, &tour.canonical())).map_err(failed)?;
            }
            summary.add(&tour, !self.canonical, self.distinct);
            only = (summary.tours == 1).then_some(tour);
        }
        if summary.tours == 0 {
            return Err(self.source.empty());
        }
        if !self.canonical {
            out.write_all(summary.text(only.as_ref(), self.distinct).as_bytes()).map_err(failed)?;
        }
        Ok(out.finish()?)
    }
}

impl Summary {
    fn add(&mut self, tour: &Tour, classify: bool, distinct: bool) {
        self.tours += 1;
        if !classify {
            return;
        }
        *self.kinds.entry(tour.kind().name()).or_default() += 1;
        if let Some(class) = tour.symmetry_class() {
            *self.classes.entry(class).or_default() += 1;
        }
        *self.boards.entry(board_name(tour)).or_default() += 1;
        if distinct {
            self.forms.insert(fingerprint(tour));
        }
    }

    fn text(&self, only: Option<&Tour>, distinct: bool) -> String {
        let mut lines = vec![("tours".to_owned(), self.tours.to_string())];
        let counted = |name: &str, count: u64| {
            if self.tours == 1 { name.to_owned() } else { format!("{name} {count}") }
        };
        let list = |items: Vec<String>| items.join(", ");
        lines.push(("board".to_owned(), list(self.boards.iter().map(|(b, &c)| counted(b, c)).collect())));
        lines.push(("kind".to_owned(), list(self.kinds.iter().map(|(k, &c)| counted(k, c)).collect())));
        if let Some(tour) = only {
            let ends = [tour.vertices().first(), tour.vertices().last()];
            lines.push(("ends".to_owned(), line_of(tour, &ends.map(|end| *end.unwrap_or(&0)))));
        }
        let classes = self.classes.iter().map(|(class, &c)| counted(class.name(), c));
        if !self.classes.is_empty() {
            lines.push(("symmetry".to_owned(), list(classes.collect())));
        }
        if distinct {
            lines.push(("distinct".to_owned(), self.forms.len().to_string()));
        }
        if let Some(tour) = only {
            let form = if tour.vertices().len() <= SHORT {
                line_of(tour, &tour.canonical())
            } else {
                "(long; --canonical prints it)".to_owned()
            };
            lines.push(("canonical".to_owned(), form));
        }
        lines.into_iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect()
    }
}

fn board_name(tour: &Tour) -> String {
    let title = tour.arena().title();
    match tour.arena().rectangle().map_or(0, |rectangle| rectangle.board().removed().len()) {
        0 => title,
        removed => format!("{title} without {removed}"),
    }
}

fn line_of(tour: &Tour, vertices: &[u32]) -> String {
    let names: Vec<String> = vertices.iter().map(|&v| tour.arena().name(v)).collect();
    names.join(" ")
}

/// 128 bits that tell canonical forms apart, but for a chance of one in billions of billions.
fn fingerprint(tour: &Tour) -> u128 {
    let form = (tour.kind() == TourKind::Closed, tour.canonical());
    let arena = tour.arena().to_string();
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, &arena, &form).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
