//! The options of `ktour count`, by which `ktour series` counts too.

use clap::Args;
use ktour::count::Engine;
use ktour::count::symmetric::NamedSymmetry;

use super::board::{BoardOptions, BoardsArg, DRAWING_OPTIONS};
use super::checkpoint_options::CheckpointOptions;
use super::output_options::OutputOptions;
use super::run_options::{RunOptions, SpillArgs};
use super::tours::{EndsArgs, KindArgs, ShardArgs, SplitArgs};
use super::{heading, with_explanation};
use crate::cli::modular_counts::ModularArgs;
use crate::cli::numbered::{self, NumberedArgs};
use crate::cli::symmetric_counts::symmetry_parser;

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                          closed, open and all paths
  ktour count 6x6 --kind closed            9862
  ktour count 5x5 --kind paths --directed  1728
  ktour count 6x6 --per-start --csv -      a row for each start square
  ktour count 5x5 --start a1 --end e5      directed tours from a1 to e5
  ktour count 5x5 --per-ends               a row for each pair of ends
  ktour count 5x2..60 --kind closed        a series of boards, in one sweep
  ktour count 6x6 --kind closed --distinct 1245, up to symmetry
  ktour count 6x6 --kind closed --classes  a table by symmetry class
  ktour count 8x8 --symmetry rot180        tours with half-turn symmetry
  ktour count 5x8 --leaper 1,4             the giraffe
  ktour count 5x5 --remove c3              a board with a hole
  ktour count 6x6 --piece king             other pieces: wazir, camel, ..
  ktour count 6x6 --wrap torus             edges joined
  ktour count 2x4x4                        a box
  ktour count --graph petersen.txt         any graph
  ktour count --graph c.g6 --all-graphs    a row for each graph of a file

A re-entrant path (its ends are a move apart) is not an open tour; `paths` includes both. Most published \"open\" \
counts are counts of paths.";

const SHARD_HELP: &str =
    "Parts are independent: each follows from the job alone. `ktour merge` adds them up.";

/// Options that apply neither to tours with numbered squares nor to pairs of ends.
const PLAIN_OPTIONS: [&str; 14] = [
    "all_graphs",
    "distinct",
    "symmetry",
    "classes",
    "per_start",
    "split_depth",
    "double_check",
    "modulus",
    "residues",
    "record",
    "shard",
    "checkpoint",
    "spill",
    "mpi",
];

/// Count tours exactly.
#[derive(Debug, Default, Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_args(|option| numbered::excluding(option, &PLAIN_OPTIONS)),
    mut_args(|option| numbered::excluding(option, &["directed", "engine", "memory"])),
    mut_arg("shard", |shard| with_explanation(shard, SHARD_HELP).conflicts_with("residues")),
)]
pub struct CountArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box, or a range such as 5x2..60
    #[arg(value_name = "BOARD", required_unless_present_any = ["shape", "graph"], conflicts_with_all = DRAWING_OPTIONS)]
    pub board: Option<BoardsArg>,

    #[command(flatten)]
    pub board_options: BoardOptions,

    /// Count every graph of a graph6 or sparse6 file, and print a row for each
    #[arg(long, requires = "graph", hide_short_help = true, conflicts_with_all = ["board", "distinct", "symmetry", "classes", "start", "end", "per_start", "shard", "double_check", "checkpoint", "record", "modulus", "residues"])]
    pub all_graphs: bool,

    #[command(flatten)]
    pub kind: KindArgs,

    /// Keep one tour of each class up to symmetry
    ///
    /// With --start or --end, only the symmetries that fix these squares are used.
    #[arg(long, aliases = ["unique", "up-to-symmetry"])]
    pub distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    ///
    /// A symmetry of the plain board. On a wrapped board its centre and axes are those of the plain board.
    #[arg(
        long,
        value_parser = symmetry_parser(),
        value_name = "WHICH",
        hide_short_help = true,
        conflicts_with_all = ["double_check", "spill", "mpi"]
    )]
    pub symmetry: Option<NamedSymmetry>,

    /// Print a row for each pair of ends, up to symmetry; for paths and open tours
    ///
    /// A row has the pair with the lowest squares, the number of pairs that the symmetries of the board map to
    /// it, the number of tours with these ends, and the product. Takes one count for each row.
    #[arg(long, help_heading = heading::TOURS, hide_short_help = true, conflicts_with_all = PLAIN_OPTIONS, conflicts_with_all = ["start", "end", "place", "clues"])]
    pub per_ends: bool,

    /// Print a table of all symmetry classes
    ///
    /// Where symmetries have no names, as on a torus or in a graph, C3 are tours with exactly 3 symmetries
    /// that keep the direction, and D3 tours with 3 more that reverse it.
    #[arg(long, hide_short_help = true)]
    pub classes: bool,

    #[command(flatten)]
    pub ends: EndsArgs,

    #[command(flatten)]
    pub numbered: NumberedArgs,

    /// Choose the engine
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto", help_heading = heading::METHOD, hide_short_help = true)]
    pub engine: Engine,

    #[command(flatten)]
    pub split: SplitArgs,

    /// Count a second time by another method, and compare
    ///
    /// Uses the cheapest other engine if by estimate it takes at most 5 seconds and 4 times the time of the first count.
    /// Otherwise counts on the transposed board with another split depth, or sweeps in another order. Counts
    /// that differ are not reported.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["shard", "modulus", "residues"])]
    pub double_check: bool,

    #[command(flatten)]
    pub residues: ModularArgs,

    #[command(flatten)]
    pub output: OutputOptions,

    #[command(flatten)]
    pub shard_args: ShardArgs,

    #[command(flatten)]
    pub checkpoint: CheckpointOptions,

    #[command(flatten)]
    pub run_options: RunOptions,

    #[command(flatten)]
    pub spill_folder: SpillArgs,
}
