//! The command `ktour series`: its options.

use std::path::{Path, PathBuf};

use clap::Args;

use super::SeriesFiles;
use crate::cli::args::board::{BoardOptions, SquareOptions};
use crate::cli::args::checkpoint_options::CheckpointOptions;
use crate::cli::args::count_options::CountArgs;
use crate::cli::args::output_options::{OutputFileArgs, OutputOptions};
use crate::cli::args::run_options::{RunOptions, SpillArgs};
use crate::cli::args::tours::KindArgs;
use crate::cli::args::{heading, number};
use crate::cli::error::CliError;
use crate::cli::modular_counts::{ModularArgs, parse_modulus};
use crate::cli::symmetric_counts::symmetry_parser;
use ktour::count::Engine;
use ktour::count::symmetric::NamedSymmetry;
use ktour::frontier::ResidueRing;
use ktour::series::BoardRange;

const EXAMPLES: &str = "\
Examples:
  ktour series 5x2..60 --kind closed           5x2 to 5x60 in one sweep
  ktour series 1..8 --kind paths --directed    squares
  ktour series 5..7x5..7 --csv t.csv --wide    both sides vary
  ktour series 5x2..400 --kind closed --bfile b.txt --bfile-step 2
  ktour series 3x4..60 --kind closed --recurrence   with generating function
  ktour series 2..60x4 --wrap cols --piece king --kind closed
  ktour series 3x4..60 --kind closed --distinct --plot growth.png
  ktour series 7x1..60 --kind closed --checkpoint rows.ckpt
  ktour series 8x1..30 --kind closed --modulus 65521   residues only

A side that varies is FIRST..LAST. If shorter boards begin longer ones, one sweep counts all of them; other boards \
are counted one by one. The index of a b-file is the side that varies. Files are replaced every few seconds, and \
show that boards are missing until the last one is counted; Ctrl-C keeps them.";

/// Count a series of boards, and find its recurrence
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SeriesArgs {
    /// Boards with a range as a side, such as 5x2..60 or 2..60x5; two ranges, 5..7x5..7; or squares, 1..8
    #[arg(value_name = "BOARDS")]
    boards: BoardRange,

    #[command(flatten)]
    square_options: SquareOptions,

    #[command(flatten)]
    kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    #[arg(long, value_parser = symmetry_parser(), value_name = "WHICH", hide_short_help = true, conflicts_with = "spill")]
    symmetry: Option<NamedSymmetry>,

    /// Use both directions of every tour
    #[arg(long)]
    directed: bool,

    /// Choose the engine
    #[arg(long, help_heading = heading::METHOD, value_enum, value_name = "ENGINE", default_value = "auto", hide_short_help = true)]
    engine: Engine,

    /// Count modulo M only, 2 to 4294967295: often takes half of the memory or less, and numbers do not grow
    #[arg(
        long, help_heading = heading::METHOD,
        value_name = "M",
        value_parser = parse_modulus,
        conflicts_with_all = ["bfile", "plot", "recurrence"],
        hide_short_help = true
    )]
    modulus: Option<ResidueRing>,

    /// Find the shortest linear recurrence and its growth
    ///
    /// Finds the recurrence modulo a prime, lifts it to integers, and verifies it exactly on at least as many
    /// further terms as its order. Terms beyond BOARDS come from the transfer matrix of the strip; if it has
    /// few enough states, they prove the recurrence.
    #[arg(long, help_heading = heading::METHOD, requires = "kinds")]
    recurrence: bool,

    /// Search for recurrences up to order D
    ///
    /// If only every second board has tours, the order is that of the subsequence of nonzero terms.
    #[arg(long, help_heading = heading::METHOD, value_name = "D", default_value_t = 2000, value_parser = number::<u32>(1..=100_000), requires = "recurrence", hide_short_help = true)]
    order: u32,

    #[command(flatten)]
    files: OutputFileArgs,

    /// Write one row a board to the CSV file: the board, and a column for each kind
    #[arg(long, help_heading = heading::OUTPUT, requires = "csv", hide_short_help = true)]
    wide: bool,

    /// Write an OEIS b-file; - is standard output
    ///
    /// Each line has the side that varies (for squares, their side) and a number. A b-file has one number for
    /// each board, so --kind is required.
    #[arg(long, value_name = "FILE", requires = "kinds")]
    bfile: Option<PathBuf>,

    /// Include only boards whose side is a multiple of K, indexed by side/K: 2 for 5 x 2n
    #[arg(long, value_name = "K", value_parser = number::<u16>(1..=1000), requires = "bfile", hide_short_help = true)]
    bfile_step: Option<u16>,

    /// Draw the growth of the numbers: .svg, .png, or -
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Append the result as a line to a file of records
    #[arg(long, help_heading = heading::OUTPUT, value_name = "FILE", hide_short_help = true)]
    record: Option<PathBuf>,

    #[command(flatten)]
    checkpoint: CheckpointOptions,

    #[command(flatten)]
    run_options: RunOptions,

    #[command(flatten)]
    spill_folder: SpillArgs,
}

impl SeriesArgs {
    /// Returns the command with another checkpoint and other run options.
    pub fn with_checkpoint(self, checkpoint: CheckpointOptions, run_options: RunOptions) -> Self {
        Self { checkpoint, run_options, spill_folder: SpillArgs::default(), ..self }
    }

    /// Checks the options, counts the boards of the series, and reports the counts.
    pub fn run(mut self) -> Result<(), CliError> {
        self.run_options = self.run_options.with_spill(std::mem::take(&mut self.spill_folder));
        if self.bfile.is_some() && self.boards.index_function().is_none() {
            return Err(CliError::usage(format!(
                "--bfile: {} varies two sides, but a b-file has one index; vary one side",
                self.boards
            )));
        }
        if let (Some(step), Some(index)) = (self.bfile_step, self.boards.index_function())
            && !self.boards.boards().any(|board| index(&board) % step == 0)
        {
            return Err(CliError::usage(format!(
                "--bfile-step {step}: no side of {} is a multiple of {step}, so the file would be empty; use another step, \
                 or longer boards",
                self.boards
            )));
        }
        let is_drawn = |path: &Path| {
            path == Path::new("-")
                || path.extension().is_some_and(|ending| ending == "svg" || ending == "png")
        };
        if let Some(plot) = self.plot.as_deref().filter(|path| !is_drawn(path)) {
            return Err(CliError::usage(format!(
                "--plot {}: pictures are .svg or .png; change the ending",
                plot.display()
            )));
        }
        if self.recurrence && !matches!(self.boards, BoardRange::Line(_)) {
            return Err(CliError::usage(format!(
                "--recurrence: {} is not a range of one side; write a range such as 5x2..60",
                self.boards
            )));
        }
        let count = CountArgs {
            board_options: BoardOptions { square_options: self.square_options, ..BoardOptions::default() },
            kind: self.kind,
            distinct: self.distinct,
            symmetry: self.symmetry,
            output: OutputOptions {
                directed: self.directed,
                files: self.files,
                record: self.record,
                ..OutputOptions::default()
            },
            engine: self.engine,
            checkpoint: self.checkpoint,
            residues: ModularArgs::from_modulus(self.modulus),
            run_options: self.run_options,
            ..CountArgs::default()
        };
        count.count_series(
            self.boards,
            SeriesFiles {
                bfile: self.bfile,
                bfile_step: self.bfile_step.unwrap_or(1),
                plot: self.plot,
                has_wide_rows: self.wide,
                recurrence: self.recurrence,
                max_order: self.order as usize,
            },
        )
    }
}
