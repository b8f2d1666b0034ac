//! `ktour sample`: draws tours uniformly at random.

use std::ops::ControlFlow;

use clap::Args;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::args::board::BoardArgs;
use super::args::output_options::check_distinct_files;
use super::args::tours::{EndsArgs, KindArgs, TourOutputArgs};
use super::error::CliError;
use super::process::Signals;
use super::symmetric_counts::check_symmetries_known;
use super::tour_index::{IndexArgs, NumberedTourWriter};
use ktour::tour::Kind;

const EXAMPLES: &str = "\
Examples:
  ktour sample 6x6 --kind closed --number 3 --format grid
  ktour sample 8x8 --kind closed --index chess --number 100000 --output t.txt
  ktour sample 6 --kind closed --distinct --number 9 | ktour draw -
  ktour sample 5x9 --piece zebra+wazir --start a1

All tours are equally likely, and drawn independently, so a tour may be drawn twice. The command first builds the \
index of all tours, which takes about twice as long as counting them; with --index DIR it is built once. The same seed \
gives the same tours, for any number of threads. With --distinct, all classes of tours under the board's symmetries \
are equally likely.";

/// Draw tours uniformly at random
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SampleArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    ///
    /// Every class is equally likely, whatever its size.
    #[arg(long)]
    distinct: bool,

    #[command(flatten)]
    ends: EndsArgs,

    /// Draw N tours
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: u64,

    /// Set the seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    tour_output: TourOutputArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl SampleArgs {
    /// Draws the tours and writes them.
    pub fn run(&self) -> Result<(), CliError> {
        let [shape, graph] = self.board.inputs();
        check_distinct_files(&[shape, graph, ("--output", Some(self.tour_output.output.as_path()))])?;
        let board = self.board.to_board()?;
        let kind = self.kind.kind.map_or(Kind::Paths, Kind::from);
        let numbered = self.ends.to_tours(board, kind)?;
        if self.distinct {
            check_symmetries_known(numbered.board(), "--distinct")?;
            if kind == Kind::Closed && numbered.start().is_some() {
                return Err(CliError::usage(
                    "--distinct closed tours have no start; leave out --start, or use --kind paths or open",
                ));
            }
        }
        let progress = self.index.progress(format!("{} {}", numbered.board().title(), kind.name()));
        let control = progress.control();
        let mut writer = NumberedTourWriter::open(&self.tour_output, &numbered)?;
        if self.number == 0 {
            return writer.finish(Ok(()), &self.index, &Signals::catch(control.cancel_flag())?);
        }
        let (index, signals) = self.index.open(&numbered, control)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let drawn =
            index.sample_many(self.number, self.distinct, &mut rng, control, &mut |kind, vertices| {
                writer.write_tour(kind, vertices)?;
                ControlFlow::Continue(())
            });
        drop(progress);
        writer.finish(drawn, &self.index, &signals)
    }
}
