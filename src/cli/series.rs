//! `ktour series`: the numbers of a family of boards.

use std::path::{Path, PathBuf};

use clap::Args;

use super::arena::GroundArgs;
use super::common::{EndsArgs, EngineArg, KindArgs, SplitArgs};
use super::count::{CountArgs, parse_checkpoint};
use super::failure::Failure;
use super::files::FileArgs;
use super::how::RunArgs;
use super::range::RangeFiles;
use super::residues::{ResidueArgs, modulus};
use super::symmetry::parser;
use super::wanted::Wanted;
use ktour::batch::Shard;
use ktour::count::symmetric::Named;
use ktour::frontier::Lane;
use ktour::series::Boards;

const EXAMPLES: &str = "\
Examples:
  ktour series 5x2..60 --kind closed           5x2 to 5x60, all from one sweep
  ktour series 1..8 --kind paths --directed    squares
  ktour series 5..7x5..7 --csv table.csv       both sides
  ktour series 5x2..400 --kind closed --bfile b.txt --bfile-step 2
  ktour series 3x4..60 --kind closed --recurrence   and the generating function
  ktour series 2..60x4 --wrap cols --piece king --kind closed
  ktour series 3x4..60 --kind closed --distinct --plot growth.png
  ktour series 7x1..60 --kind closed --checkpoint rows.ckpt
  ktour series 8x1..30 --kind closed --modulus 65521   residues alone

A side that runs is FIRST..LAST. Where shorter boards are the beginning of longer ones, one sweep passes them all; \
other boards are counted one by one. A b-file has the side that runs as its index.";

/// Numbers of a family of boards, and the recurrence behind them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SeriesArgs {
    /// A side that runs, such as 5x2..60 or 2..60x5; both, 5..7x5..7; or squares, 1..8
    #[arg(value_name = "BOARDS", conflicts_with_all = ["shape", "graph"])]
    boards: Boards,

    #[command(flatten)]
    ground: GroundArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Tours up to the board's symmetries, one of each class
    #[arg(long, conflicts_with = "directed")]
    distinct: bool,

    /// Only tours that this leaves unchanged, whatever else does
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true)]
    symmetry: Option<Named>,

    /// Both directions of every tour
    #[arg(long)]
    directed: bool,

    /// The numbers modulo M alone, 2 to 4294967295: in half of the memory or less, and weights do not grow
    #[arg(
        long,
        value_name = "M",
        value_parser = modulus,
        conflicts_with_all = ["distinct", "symmetry", "directed", "bfile", "plot", "recurrence"],
        hide_short_help = true
    )]
    modulus: Option<Lane>,

    #[command(flatten)]
    files: FileArgs,

    /// Write a b-file as the OEIS has them, - for standard output
    ///
    /// The side that runs, or that of the square, and the number on a line each. It takes one number a board, so
    /// --kind says which.
    #[arg(long, value_name = "FILE", requires = "kind")]
    bfile: Option<PathBuf>,

    /// Only boards whose side is a multiple of K, by that multiple: 2 for 5 x 2n
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=1000), requires = "bfile", hide_short_help = true)]
    bfile_step: Option<u16>,

    /// Draw the growth of the numbers: .svg, .png, or - for SVG on standard output
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// The least linear recurrence of the numbers, its generating function and growth
    ///
    /// Found modulo a prime, lifted to integers, and verified exactly on at least as many further terms as its order. Terms
    /// beyond BOARDS are made by the transfer matrix of the strip; its states prove the recurrence where they
    /// are few enough.
    #[arg(long, requires = "kind")]
    recurrence: bool,

    /// Look for recurrences up to this order
    ///
    /// Counted as the one that is told: where only every second board has tours, of the sequence of these.
    #[arg(long, value_name = "D", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "recurrence", hide_short_help = true)]
    order: u32,

    /// Add the result as a line to a file of records
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    record: Option<PathBuf>,

    /// How to count
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto", hide_short_help = true)]
    engine: EngineArg,

    /// Save progress there; `ktour resume FILE` goes on
    ///
    /// Saved are all rows, and what had begun: the sweep of a line in its middle, with its layers in the folder
    /// FILE.sweep, or where boards are counted one by one the last of them, in FILE.5x17 until it is done.
    #[arg(long, value_name = "FILE", value_parser = parse_checkpoint)]
    checkpoint: Option<PathBuf>,

    #[command(flatten)]
    how: RunArgs,

    /// The command that had been saved, if this goes on with it.
    #[arg(skip)]
    asked: Option<Vec<String>>,
}

impl SeriesArgs {
    /// The same command, gone on with.
    pub fn again(self, file: PathBuf, how: RunArgs, asked: Vec<String>) -> Self {
        Self { checkpoint: Some(file), how, asked: Some(asked), ..self }
    }

    /// Counts and reports.
    pub fn run(self) -> Result<(), Failure> {
        if self.bfile.is_some() && self.boards.index().is_none() {
            return Err(Failure::usage(format!(
                "--bfile: {} has two sides that run, and a b-file one index: let one side run",
                self.boards
            )));
        }
        if let (Some(step), Some(index)) = (self.bfile_step, self.boards.index())
            && !self.boards.boards().any(|board| index(&board) % step == 0)
        {
            return Err(Failure::usage(format!(
                "--bfile-step {step}: no side of {} is a multiple of {step}, so that the file would be empty: take another \
                 step, or longer boards",
                self.boards
            )));
        }
        let is_drawn = |path: &Path| {
            path == Path::new("-")
                || path.extension().is_some_and(|ending| ending == "svg" || ending == "png")
        };
        if let Some(plot) = self.plot.as_deref().filter(|path| !is_drawn(path)) {
            return Err(Failure::usage(format!(
                "--plot {}: pictures are .svg or .png: change the ending",
                plot.display()
            )));
        }
        if self.recurrence && !matches!(self.boards, Boards::Line(_)) {
            return Err(Failure::usage(format!(
                "--recurrence: {} is no line of boards: let one side run, as in 5x2..60",
                self.boards
            )));
        }
        let count = CountArgs {
            board: None,
            ground: self.ground,
            kind: self.kind,
            distinct: self.distinct,
            symmetry: self.symmetry,
            classes: false,
            ends: EndsArgs::default(),
            wanted: Wanted {
                directed: self.directed,
                files: self.files,
                record: self.record,
                ..Wanted::default()
            },
            engine: self.engine,
            split: SplitArgs::default(),
            shard: Shard::WHOLE,
            double_check: false,
            checkpoint: self.checkpoint,
            residues: ResidueArgs::of(self.modulus),
            how: self.how,
            asked: self.asked,
        };
        count.range(
            self.boards,
            RangeFiles {
                bfile: self.bfile,
                stride: self.bfile_step.unwrap_or(1),
                plot: self.plot,
                recurrence: self.recurrence,
                order: self.order as usize,
            },
        )
    }
}
