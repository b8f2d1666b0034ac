//! `ktour check`: reads tours, validates and classifies them.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ktour::board::{Board, Leaper, Square};
use ktour::tour::{Located, ReadOptions, SymmetryClass, Tour, TourKind, TourReader};

use super::sink::{Sink, Usage};

/// The most squares of a tour whose canonical form is shown unasked.
const SHORT: usize = 400;

/// What is read, and what is known of it; shared with `draw`.
#[derive(Args, Debug)]
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
    /// A reader of the tours.
    ///
    /// # Errors
    /// If the file cannot be opened, or the board not be.
    pub fn open(&self) -> Result<TourReader<Box<dyn BufRead>>> {
        let board = match &self.board {
            Some(board) => Some(board.clone().without(self.remove.iter().copied()).map_err(Usage::of)?),
            None => None,
        };
        let options = ReadOptions { board, leaper: self.leaper, mixed: self.mixed };
        let input: Box<dyn BufRead> = if self.file == Path::new("-") {
            Box::new(BufReader::with_capacity(1 << 16, io::stdin()))
        } else {
            let file = File::open(&self.file).with_context(|| format!("cannot read {}", self.name()))?;
            if file.metadata().is_ok_and(|data| data.is_dir()) {
                bail!("cannot read {}: it is a folder", self.name());
            }
            Box::new(BufReader::with_capacity(1 << 16, file))
        };
        Ok(TourReader::new(input, options))
    }

    /// The file's name, for messages.
    pub fn name(&self) -> String {
        if self.file == Path::new("-") { "standard input".to_owned() } else { self.file.display().to_string() }
    }

    /// The tours, every fault with the file's name.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn tours(&self) -> Result<impl Iterator<Item = Result<Located>> + use<>> {
        let name = self.name();
        Ok(self.open()?.map(move |found| found.map_err(|error| anyhow::anyhow!("{name}, {error}"))))
    }
}

/// Read tours, validate and classify them
#[derive(Args, Debug)]
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
    /// Write to a file, which appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
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

/// Runs the command.
///
/// # Errors
/// The first fault of the file, or an output that fails.
pub fn run(args: &CheckArgs) -> Result<ExitCode> {
    let mut sink = Sink::new(args.output.as_deref())?;
    let mut summary = Summary::default();
    let mut only = None;
    for found in args.source.tours()? {
        let Located { mut tour, line, .. } = found?;
        if args.closed && tour.kind() != TourKind::Closed {
            let again = Tour::new_closed(tour.board().clone(), tour.leaper(), tour.squares().to_vec());
            tour = again.map_err(|error| anyhow::anyhow!("{}, line {line}: {error}", args.source.name()))?;
        }
        if args.canonical {
            sink.write(format!("{}\n", line_of(&tour.canonical())).as_bytes())?;
        } else {
            summary.add(&tour, args.distinct);
        }
        only = (summary.tours <= 1).then_some(tour);
    }
    if summary.tours == 0 && !args.canonical {
        bail!("{}: no tours in it", args.source.name());
    }
    if !args.canonical {
        sink.write(summary.text(only.as_ref(), args.distinct).as_bytes())?;
    }
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Summary {
    fn add(&mut self, tour: &Tour, distinct: bool) {
        self.tours += 1;
        *self.kinds.entry(tour.kind().name()).or_default() += 1;
        *self.classes.entry(tour.symmetry_class()).or_default() += 1;
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
            let ends = [tour.squares().first(), tour.squares().last()];
            lines.push(("ends".to_owned(), line_of(&ends.map(|end| *end.unwrap_or(&Square::new(0, 0))))));
        }
        let classes = self.classes.iter().map(|(class, &c)| counted(class.name(), c));
        lines.push(("symmetry".to_owned(), list(classes.collect())));
        if distinct {
            lines.push(("distinct".to_owned(), self.forms.len().to_string()));
        }
        if let Some(tour) = only {
            let form = if tour.squares().len() <= SHORT {
                line_of(&tour.canonical())
            } else {
                "(long; --canonical prints it)".to_owned()
            };
            lines.push(("canonical".to_owned(), form));
        }
        lines.into_iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect()
    }
}

fn board_name(tour: &Tour) -> String {
    let removed = tour.board().removed().len();
    if removed == 0 { tour.board().to_string() } else { format!("{} without {removed}", tour.board()) }
}

fn line_of(squares: &[Square]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    names.join(" ")
}

/// 128 bits that tell canonical forms apart, but for a chance of one in billions of billions.
fn fingerprint(tour: &Tour) -> u128 {
    let form = (tour.kind() == TourKind::Closed, tour.canonical());
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, tour.board(), &form).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
