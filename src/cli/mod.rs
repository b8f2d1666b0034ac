//! The command line: parses and checks the arguments, runs the commands by the library, and returns
//! the exit status.
//!
//! Each subcommand has a file with its arguments as typed (a clap struct) and the code that turns
//! them into a request. One clap definition feeds the parser, the help, the completions and the man
//! page.
//!
//! Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint. A closed pipe
//! counts as success. An error is one line on standard error.

mod all_graphs;
mod args;
mod check;
mod clap_errors;
mod completions;
mod count;
mod distinct_counts;
mod draw;
mod error;
mod estimate;
mod estimate_fields;
pub(crate) mod estimate_report;
mod find;
mod help_layout;
mod list;
mod malloc_tuning;
mod man;
mod merge;
mod modular_counts;
mod mpi;
mod process;
pub(crate) mod quantities;
mod rank;
mod resume;
mod run;
mod sample;
mod selftest;
mod series;
mod stats;
mod symmetric_counts;
mod tour_index;
mod unrank;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::report::Output;
use error::CliError;
pub use process::{OomReportingAllocator, run_on_big_stack};

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                      closed, open and all paths
  ktour find 8x8 --closed | ktour draw -
  ktour list 6x6 --kind closed --distinct --format grid
  ktour count --help                   all options of a command, with examples

Squares are a1, b2, ...: files from the left, ranks from the bottom. The answer goes to standard output, everything \
else to standard error.

Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint.";

/// Template for the short help of the program, which then fits on a screen of 24 lines.
const HELP_TEMPLATE: &str = "\
{about}
{usage-heading} {usage}
{subcommands}

{options}";

/// Count, list and analyse the knight's tours of a board, exactly and in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "ktour",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KTOUR_COMMIT"), ")"),
    long_version = long_version(),
    arg_required_else_help = true,
    help_template = HELP_TEMPLATE,
    after_long_help = EXAMPLES
)]
struct Cli {
    /// Use N worker threads. Default: all cores
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count tours exactly
    Count(count::CountArgs),
    /// Count a series of boards, and find its recurrence
    Series(Box<series::command::SeriesArgs>),
    /// List tours
    List(list::ListArgs),
    /// Find a tour quickly, on a board of any size
    Find(find::FindArgs),
    /// Read tours, validate and classify them
    Check(check::CheckArgs),
    /// Draw tours uniformly at random
    Sample(sample::SampleArgs),
    /// Print the tours with given numbers
    Unrank(unrank::UnrankArgs),
    /// Print the numbers of given tours
    Rank(rank::RankArgs),
    /// Compute exact statistics of all tours
    Stats(stats::StatsArgs),
    /// Draw pictures of tours: SVG, PNG, contact sheets, terminal
    Draw(draw::DrawArgs),
    /// Estimate time and memory of a count before running it
    Estimate(estimate::EstimateArgs),
    /// Add up shards, or join residues
    Merge(merge::MergeArgs),
    /// Resume an interrupted run
    Resume(resume::ResumeArgs),
    /// Compare the engines with each other on small boards
    Selftest(selftest::SelftestArgs),
    /// Recompute published counts and compare
    Verify(verify::VerifyArgs),
    /// Print a shell completion script
    Completions(completions::CompletionsArgs),
    /// Print or install the man pages
    Man(man::ManArgs),
}

/// Parses the command line, runs the command, and returns the exit status.
#[must_use]
pub fn main() -> ExitCode {
    process::ignore_file_size_signal();
    let ended = mpi::connect().and_then(|()| {
        let is_short = std::env::args_os().any(|argument| argument == "-h");
        // The examples call the program `ktour`, so its usage line does too, whatever the file is called.
        let program = clap_command(is_short).bin_name("ktour");
        let parsed = program.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
        match parsed {
            Ok(cli) => run_command(cli),
            Err(error) => print_parse_error(&error),
        }
    });
    let is_synchronised = mpi::disconnect();
    let status = match ended {
        // mpirun kills all ranks when one of them fails, so only the rank that prints the error may exit with
        // a failure.
        Err(failure) if mpi::is_first_rank() || !is_synchronised => failure.print(),
        _ => ExitCode::SUCCESS,
    };
    if !is_synchronised {
        // Without this the other ranks would wait forever for a message from this one.
        mpi::abort();
    }
    status
}

/// Returns the clap definition, from which help, completions and man pages are made. `is_short`
/// selects the layout of `-h`.
fn clap_command(is_short: bool) -> clap::Command {
    help_layout::with_layout(Cli::command(), is_short)
}

/// Returns the text of `--version`: the version, the commit, and the processor features that are
/// used.
fn long_version() -> &'static str {
    static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| {
        let features = ktour::cpu_features::kernel_features();
        let features = if features.is_empty() { "none".to_owned() } else { features.join(" ") };
        format!("{} ({})\nprocessor features: {features}", env!("CARGO_PKG_VERSION"), env!("KTOUR_COMMIT"))
    })
}

fn run_command(cli: Cli) -> Result<(), CliError> {
    if let Some(cpu) = ktour::cpu_features::unknown_setting() {
        return Err(CliError::usage(format!(
            "the environment variable KTOUR_CPU is {}; set it to portable or avx2, or unset it",
            cpu.display()
        )));
    }
    let threads =
        cli.threads.map(usize::from).or_else(|| mpi::mpi_ranks().map(mpi::MpiRanks::default_threads));
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|error| {
            CliError::failed(format!("cannot start {threads} threads: {error}; reduce --threads"))
        })?;
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
        Command::Resume(args) => match args.load_series()? {
            Some((file, how, asked)) => resume_series(file, how, asked),
            None => args.run(),
        },
        Command::Selftest(args) => args.run(),
        Command::Verify(args) => args.run(),
        Command::Completions(args) => args.run(clap_command(false)),
        Command::Man(args) => args.run(clap_command(false)),
    }
}

/// Resumes a series from the checkpoint `file`: parses the saved command line again, and replaces
/// its run options.
fn resume_series(
    file: PathBuf,
    run_options: args::run_options::RunOptions,
    typed_options: Vec<String>,
) -> Result<(), CliError> {
    let words = std::iter::once("ktour").chain(typed_options.iter().map(String::as_str));
    let parsed = clap_command(false).try_get_matches_from(words);
    match parsed.and_then(|matches| Cli::from_arg_matches(&matches)).map(|cli| cli.command) {
        Ok(Command::Count(args)) => args.into_resumed(file, run_options, typed_options).run(),
        Ok(Command::Series(args)) => args.into_resumed(file, run_options, typed_options).run(),
        _ => Err(CliError::failed(format!(
            "{} was saved by another version of ktour; resume it with that version",
            file.display()
        ))),
    }
}

/// Prints the help or the version if clap reports a request for it. Converts every other error of
/// clap to one line with exit status 2.
fn print_parse_error(error: &clap::Error) -> Result<(), CliError> {
    let print = || match error.print() {
        _ if !mpi::is_first_rank() => Ok(()),
        Ok(()) if error.use_stderr() => Ok(()),
        Ok(()) => Ok(Output::check_stdout()?),
        Err(error) => Err(CliError::write_error("standard output", &error)),
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            print()?;
            Err(CliError::silent(2))
        }
        _ => {
            let arguments: Vec<String> =
                std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            Err(CliError::usage(clap_errors::error_line(error, &clap_command(false), &arguments)))
        }
    }
}
