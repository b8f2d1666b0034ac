//! The command line: parses and checks the arguments, runs the commands by the library, and returns
//! the exit status.
//!
//! Each subcommand has a file with its arguments as typed (a clap struct) and the code that turns
//! them into a request. One clap definition feeds the parser, the help, the completions and the man
//! page.
//!
//! Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint, 128 + N ended by signal N. A
//! closed pipe counts as success. An error is one line on standard error.

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
mod list;
mod list_size;
mod malloc_tuning;
mod man;
mod merge;
mod modular_counts;
mod mpi;
mod next;
mod numbered;
mod per_ends;
mod process;
pub(crate) mod quantities;
mod rank;
mod refusal;
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

use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::report::{Output, Verbosity, set_verbosity};
use args::choices::with_exclusions;
use args::named_files::check_named_files;
use args::tours::with_default_kind;
use args::{heading, number};
use error::CliError;
use ktour::count::job_spec::Task;
pub use malloc_tuning::use_single_heap;

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                      closed, open and all paths
  ktour find 8x8 --closed | ktour draw -
  ktour list 6x6 --kind closed --distinct --format grid
  ktour count --help                   all options of a command, with examples

Squares are a1, b2, ...: files from the left, ranks from the bottom. The answer goes to standard output, everything \
else to standard error.

Exit status: 0 done, 1 failed, 2 usage, 75 stopped early with a valid checkpoint, 128 + N \
ended by signal N, as 130 after Ctrl-C.";

/// Count, list and analyse the knight's tours of a board, exactly and in parallel.
#[derive(Debug, Parser)]
#[command(
    name = "ktour",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KTOUR_COMMIT"), ")"),
    long_version = long_version(),
    bin_name = "ktour",
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true,
    max_term_width = 100,
    subcommand_value_name = "COMMAND",
    after_long_help = EXAMPLES
)]
struct Cli {
    /// Use N worker threads. Default: all cores
    #[arg(
        long,
        short = 'j',
        alias = "jobs",
        global = true,
        allow_negative_numbers = true,
        value_name = "N",
        value_parser = number::<u16>(1..=1024),
        help_heading = heading::GENERAL
    )]
    threads: Option<u16>,

    /// Print nothing but errors and warnings on standard error
    #[arg(long, short, global = true, help_heading = heading::GENERAL)]
    quiet: bool,

    /// Print help; --help has all options and examples
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = heading::GENERAL)]
    help: Option<bool>,

    /// Print the version; --version adds the processor features
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = heading::GENERAL)]
    version: Option<bool>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count tours exactly
    Count(args::count_options::CountArgs),
    /// Count a series of boards, and find its recurrence
    Series(Box<series::command::SeriesArgs>),
    /// List tours
    #[command(alias = "enumerate")]
    List(list::ListArgs),
    /// Find a tour quickly, on a board of any size
    #[command(alias = "solve")]
    Find(find::FindArgs),
    /// Read tours, validate and classify them
    #[command(alias = "validate")]
    Check(check::CheckArgs),
    /// Draw tours uniformly at random
    #[command(alias = "random")]
    Sample(sample::SampleArgs),
    /// Print the tours with given numbers
    #[command(alias = "nth")]
    Unrank(unrank::UnrankArgs),
    /// Print the numbers of given tours
    Rank(rank::RankArgs),
    /// Compute exact statistics of all tours
    Stats(stats::StatsArgs),
    /// Count the tours that each next move leaves
    Next(next::NextArgs),
    /// Draw pictures of tours: SVG, PNG, contact sheets, terminal
    #[command(alias = "show")]
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
        let mut program = clap_command();
        let matches = program.try_get_matches_from_mut(command_line());
        let parsed = matches.and_then(|matches| {
            let cli = Cli::from_arg_matches(&matches)?;
            set_verbosity(verbosity(&cli, &matches)?);
            Ok((cli, matches))
        });
        match parsed {
            Ok((cli, matches)) => {
                check_named_files(&program, &matches, None)?;
                run_command(cli)
            }
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

/// Returns the words of the command line. `ktour help --help` becomes `ktour help`, as clap would read `--help` as the
/// name of a command.
fn command_line() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.retain(|word| word != "-h" && word != "--help");
    }
    words
}

/// Returns the clap definition, from which help, completions and man pages are made.
fn clap_command() -> clap::Command {
    let program = Cli::command();
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    program
        .mut_args(with_value_hint)
        .mut_subcommand("man", |man| {
            man.mut_arg("command", |name| name.value_parser(PossibleValuesParser::new(names)))
        })
        .mut_subcommands(|command| match task(command.get_name()) {
            Some(task) => with_exclusions(command, task),
            None => command,
        })
        .mut_subcommands(|command| with_default_kind(command.mut_args(with_value_hint)))
}

/// Returns the task of a command whose options exclude each other by the rules of the library.
fn task(command: &str) -> Option<Task> {
    match command {
        "count" | "series" | "estimate" => Some(Task::Count),
        "list" => Some(Task::List),
        "sample" => Some(Task::Sample),
        "find" => Some(Task::Find),
        _ => None,
    }
}

/// Names of values that are words of a list, in upper or lower case.
const CASELESS_VALUES: [&str; 5] = ["KIND", "ENGINE", "FORMAT", "HOW", "ORDER"];

/// Adds what the name of an argument's value implies: FILE and DIR are completed by the shell, and other values
/// of options may be negative numbers, which their parsers reject.
fn with_value_hint(option: Arg) -> Arg {
    let name = option.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
    if option.is_positional() {
        let is_file = name.as_deref() == Some("FILE");
        return if is_file { option.value_hint(ValueHint::FilePath) } else { option };
    }
    if !option.get_action().takes_values() {
        return option;
    }
    let option = option.ignore_case(name.as_deref().is_some_and(|name| CASELESS_VALUES.contains(&name)));
    match name.as_deref() {
        Some("FILE") => option.value_hint(ValueHint::FilePath),
        Some("DIR") => option.value_hint(ValueHint::DirPath),
        _ => option.value_hint(ValueHint::Other).allow_negative_numbers(true),
    }
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

/// Returns what standard error shows, by `--quiet` and the option `--verbose` of some commands.
///
/// # Errors
/// Both options are given. Clap does not find this conflict itself if `--quiet` precedes the command.
fn verbosity(cli: &Cli, matches: &ArgMatches) -> Result<Verbosity, clap::Error> {
    let command = matches.subcommand().map(|(_, matches)| matches);
    let is_verbose =
        command.and_then(|matches| matches.try_get_one::<bool>("verbose").ok().flatten().copied());
    match (cli.quiet, is_verbose) {
        (true, Some(true)) => {
            let mut conflict = clap::Error::new(ErrorKind::ArgumentConflict);
            conflict.insert(ContextKind::InvalidArg, ContextValue::String("--verbose".to_owned()));
            conflict.insert(ContextKind::PriorArg, ContextValue::String("--quiet".to_owned()));
            Err(conflict)
        }
        (true, _) => Ok(Verbosity::Quiet),
        (false, Some(true)) => Ok(Verbosity::Verbose),
        _ => Ok(Verbosity::Normal),
    }
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
    // The pool is built before any work, because rayon panics if it cannot build its default pool later.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|error| CliError::ThreadPool { threads, error })?;
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
        Command::Next(args) => args.run(),
        Command::Draw(args) => args.run(),
        Command::Estimate(args) => args.run(),
        Command::Merge(args) => args.run(),
        Command::Resume(args) => resume(args),
        Command::Selftest(args) => args.run(),
        Command::Verify(args) => args.run(),
        Command::Completions(args) => args.run(clap_command()),
        Command::Man(args) => args.run(clap_command()),
    }
}

/// Resumes a run from its checkpoint: parses the saved command line again, and replaces its run options.
fn resume(resumed: resume::ResumeArgs) -> Result<(), CliError> {
    let (checkpoint, arguments) = resumed.load()?;
    let run_options = resumed.run_options;
    let words = std::iter::once("ktour").chain(arguments.iter().map(String::as_str));
    let mut program = clap_command();
    let matches = program.try_get_matches_from_mut(words);
    if let Ok(matches) = &matches {
        check_named_files(&program, matches, Some(&resumed.file))?;
    }
    match matches.and_then(|matches| Cli::from_arg_matches(&matches)).map(|cli| cli.command) {
        Ok(Command::Count(args)) => args.with_checkpoint(checkpoint, run_options).run(),
        Ok(Command::Series(args)) => args.with_checkpoint(checkpoint, run_options).run(),
        _ => Err(CliError::failed(format!(
            "{} was saved by another version of ktour; resume it with that version",
            resumed.file.display()
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
        Err(error) => Err(CliError::write_error("standard output", error)),
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            print()?;
            Err(CliError::silent(2))
        }
        _ => {
            let arguments: Vec<_> = std::env::args_os().skip(1).collect();
            Err(CliError::usage(clap_errors::error_line(error, &clap_command(), &arguments)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The form of an option: heading, value names, first line of its help, possible values.
    type OptionForm = (String, String, String, Vec<String>);

    fn option_form(option: &Arg) -> OptionForm {
        let heading = option.get_help_heading().unwrap_or_default().to_owned();
        let value = option.get_value_names().into_iter().flatten().map(|name| name.to_string()).collect();
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let possible = option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        (heading, value, help, possible)
    }

    /// Options that differ between commands for a reason: check prints no tours of classes, a picture has its own
    /// formats, man pages go into a folder, index numbers are no tours, and a series has one modulus and rows.
    const DIFFERING_OPTIONS: [(&str, &str); 6] = [
        ("check", "distinct"),
        ("draw", "format"),
        ("man", "output"),
        ("rank", "bare"),
        ("series", "modulus"),
        ("series", "wide"),
    ];

    #[test]
    fn options_are_equal_in_all_commands() {
        let mut program = clap_command();
        program.build();
        let mut seen: BTreeMap<String, (String, OptionForm)> = BTreeMap::new();
        let mut faults = Vec::new();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            for option in command.get_arguments().filter(|option| !option.is_positional()) {
                let Some(long) = option.get_long() else { continue };
                let form = option_form(option);
                if form.0.is_empty() || form.2.is_empty() {
                    faults.push(format!("--{long} of {name} has no heading or no help"));
                }
                if DIFFERING_OPTIONS.contains(&(name, long)) {
                    continue;
                }
                match seen.get(long) {
                    Some((other, found)) if *found != form => {
                        faults.push(format!("--{long}: {name} {form:?}, {other} {found:?}"));
                    }
                    Some(_) => {}
                    None => {
                        seen.insert(long.to_owned(), (name.to_owned(), form));
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn common_options_are_in_all_tour_commands() {
        let program = clap_command();
        let with = |long: &str| -> Vec<&str> {
            let has = |command: &&clap::Command| {
                command.get_arguments().any(|option| option.get_long() == Some(long))
            };
            program.get_subcommands().filter(has).map(clap::Command::get_name).collect()
        };
        for name in
            ["count", "list", "find", "check", "draw", "estimate", "sample", "unrank", "stats", "verify"]
        {
            assert!(with("kind").contains(&name), "{name} --kind");
            assert!(with("closed").contains(&name), "{name} --closed");
            assert!(with("paths").contains(&name), "{name} --paths");
        }
        for name in ["count", "list", "find", "resume"] {
            assert!(with("progress").contains(&name), "{name} --progress");
        }
        for name in ["count", "find", "merge", "verify", "check"] {
            assert!(with("json").contains(&name), "{name} --json");
        }
        for name in ["list", "find", "check", "draw"] {
            assert!(with("output").contains(&name), "{name} --output");
        }
    }

    /// An option that is hidden in `--help` would only be there to be refused.
    #[test]
    fn no_option_is_hidden() {
        for command in clap_command().get_subcommands() {
            let hidden = command.get_arguments().find(|option| option.is_hide_set());
            assert!(hidden.is_none(), "{}: {hidden:?}", command.get_name());
        }
    }

    #[test]
    fn hidden_aliases_are_other_names_of_options_and_commands() {
        for (typed, named) in [
            ("list 5x5 -n 3", "list 5x5 --limit 3"),
            ("list 5x5 --max 3", "list 5x5 --limit 3"),
            ("enumerate 5x5 --unique", "list 5x5 --distinct"),
            ("count 5x5 --up-to-symmetry -j 2", "count 5x5 --distinct --threads 2"),
            ("count 5x5 --jobs 2", "count 5x5 --threads 2"),
            ("random 5x5 --count 3", "sample 5x5 --number 3"),
            ("solve 5x5 --algorithm w2", "find 5x5 --rule w2"),
            ("show t.txt --colors mono", "draw t.txt --palette mono"),
            ("nth 5x5 3", "unrank 5x5 3"),
            ("validate t.txt", "check t.txt"),
        ] {
            let parse = |line: &str| {
                let words = std::iter::once("ktour").chain(line.split(' '));
                format!("{:?}", Cli::from_arg_matches(&clap_command().try_get_matches_from(words).unwrap()))
            };
            assert_eq!(parse(typed), parse(named), "{typed}");
        }
    }
}
