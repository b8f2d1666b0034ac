//! The command line: what the user typed, checked and handed to the library.
//!
//! Each subcommand has a file with its arguments as typed (a clap struct) and the
//! code that turns them into a request. One clap definition feeds the parser, the
//! help, the completions and the man page.
//!
//! Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint.
//! A closed pipe is success. An error is one line on standard error.

mod arena;
mod check;
mod common;
mod complete;
mod count;
mod double;
mod draw;
mod estimate;
mod estimated;
mod failure;
mod files;
mod find;
mod foretold;
mod found;
mod heap;
mod help;
mod hinted;
mod how;
mod human;
mod index;
mod joined;
mod length;
mod list;
mod lock;
mod look;
mod man;
mod merge;
mod moves_file;
mod named;
mod places;
mod probed;
mod range;
mod rank;
mod ranks;
mod remedies;
mod residues;
mod resume;
mod room;
mod rules;
mod run;
mod sample;
mod selftest;
mod series;
mod signals;
mod size;
mod source;
mod stats;
mod swept;
mod symmetry;
mod time;
mod unrank;
mod up_to_symmetry;
mod usage;
mod verify;
mod wanted;
mod written;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::report::Output;
use failure::Failure;
pub use room::{OneLine, with_room};

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                      closed, open and all paths
  ktour find 8x8 --closed | ktour draw -
  ktour list 6x6 --kind closed --distinct --format grid
  ktour count --help                   all options of a command, and examples

Squares are a1, b2, ...: files from the left, ranks from the bottom. Standard output holds the answer, standard \
error everything else.

Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint.";

/// Short help fits a screen of 24 lines.
const TEMPLATE: &str = "\
{about}
{usage-heading} {usage}
{subcommands}

{options}";

/// Counts and lists every knight's tour of a board, exactly, in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "ktour",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KTOUR_COMMIT"), ")"),
    long_version = long_version(),
    arg_required_else_help = true,
    help_template = TEMPLATE,
    after_long_help = EXAMPLES
)]
struct Cli {
    /// Worker threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Exact numbers of tours
    Count(count::CountArgs),
    /// Numbers of a family of boards, and the recurrence behind them
    Series(Box<series::SeriesArgs>),
    /// The tours themselves
    List(list::ListArgs),
    /// One tour quickly, on a board of any size
    Find(find::FindArgs),
    /// Read tours, validate and classify them
    Check(check::CheckArgs),
    /// Tours drawn uniformly from all
    Sample(sample::SampleArgs),
    /// The tours of these numbers
    Unrank(unrank::UnrankArgs),
    /// The numbers of these tours
    Rank(rank::RankArgs),
    /// Exact statistics of all tours
    Stats(stats::StatsArgs),
    /// Pictures of tours: SVG, contact sheets, terminal
    Draw(draw::DrawArgs),
    /// How large the search and the sweep would be, before running them
    Estimate(estimate::EstimateArgs),
    /// Add up shards
    Merge(merge::MergeArgs),
    /// Go on with an interrupted run
    Resume(resume::ResumeArgs),
    /// The engines against each other on small boards
    Selftest(selftest::SelftestArgs),
    /// Recompute published counts and compare
    Verify(verify::VerifyArgs),
    /// Shell completions, on standard output
    Completions(complete::CompletionsArgs),
    /// The man pages, on standard output or into a folder
    Man(man::ManArgs),
}

/// Parses the command line, runs it, and turns the outcome into an exit status.
#[must_use]
pub fn main() -> ExitCode {
    signals::begin();
    let ended = ranks::connect().and_then(|()| {
        let is_short = std::env::args_os().any(|argument| argument == "-h");
        // Whatever the file is called, the examples call it so.
        let program = command(is_short).bin_name("ktour");
        let parsed = program.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
        match parsed {
            Ok(cli) => run(cli),
            Err(error) => refused(&error),
        }
    });
    let is_together = ranks::leave();
    let status = match ended {
        // mpirun ends all ranks when one ends badly: that is for the one that has something to say.
        Err(failure) if ranks::is_first() || !is_together => failure.report(),
        _ => ExitCode::SUCCESS,
    };
    if !is_together {
        // The others wait for what will not come.
        ranks::abort();
    }
    status
}

/// The command line, of which help, completions and man pages are made.
fn command(is_short: bool) -> clap::Command {
    help::dressed(Cli::command(), is_short)
}

/// Version, commit, and the processor's features that the kernels use.
fn long_version() -> &'static str {
    static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| {
        let features = ktour::cpu::features();
        let features = if features.is_empty() { "none".to_owned() } else { features.join(" ") };
        format!("{} ({})\nprocessor features: {features}", env!("CARGO_PKG_VERSION"), env!("KTOUR_COMMIT"))
    })
}

fn run(cli: Cli) -> Result<(), Failure> {
    if let Some(cpu) = ktour::cpu::unknown() {
        return Err(Failure::usage(format!(
            "the environment variable KTOUR_CPU is {}: set it to portable or avx2, or unset it",
            cpu.display()
        )));
    }
    let threads = cli.threads.map(usize::from).or_else(|| ranks::ranks().map(ranks::Ranks::threads));
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::failed(format!("cannot start {threads} threads: {error}")))?;
    }
    match cli.command {
        Command::Count(args) => args.run(),
        Command::Series(args) => args.run(),
        Command::List(args) => args.run(),
        Command::Find(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Sample(args) => args.run(),
        Command::Unrank(args) => args.run(),
        Command::Rank(args) => args.run(),
        Command::Stats(args) => args.run(),
        Command::Draw(args) => args.run(),
        Command::Estimate(args) => args.run(),
        Command::Merge(args) => args.run(),
        Command::Resume(args) => match args.family()? {
            Some((file, how, asked)) => again(file, how, asked),
            None => args.run(),
        },
        Command::Selftest(args) => args.run(),
        Command::Verify(args) => args.run(),
        Command::Completions(args) => args.run(command(false)),
        Command::Man(args) => args.run(command(false)),
    }
}

/// Goes on with a range: its command is read again, and how it is run may change.
fn again(file: PathBuf, how: how::RunArgs, asked: Vec<String>) -> Result<(), Failure> {
    let words = std::iter::once("ktour").chain(asked.iter().map(String::as_str));
    let parsed = command(false).try_get_matches_from(words);
    match parsed.and_then(|matches| Cli::from_arg_matches(&matches)).map(|cli| cli.command) {
        Ok(Command::Count(args)) => args.again(file, how, asked).run(),
        Ok(Command::Series(args)) => args.again(file, how, asked).run(),
        _ => Err(Failure::failed(format!("{} has a command of another version of ktour", file.display()))),
    }
}

/// Help and version are answers; anything else is one line and exit status 2.
fn refused(error: &clap::Error) -> Result<(), Failure> {
    let print = || match error.print() {
        _ if !ranks::is_first() => Ok(()),
        Ok(()) if error.use_stderr() => Ok(()),
        Ok(()) => Ok(Output::check_stdout()?),
        Err(error) => Err(Failure::write("standard output", &error)),
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            print()?;
            Err(Failure::silent(2))
        }
        _ => {
            let arguments: Vec<String> =
                std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            Err(Failure::usage(usage::line(error, &command(false), &arguments)))
        }
    }
}
