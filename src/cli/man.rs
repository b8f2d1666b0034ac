//! `ktour man`: the man pages, generated from the clap definition.
//!
//! clap_mangen writes the description and the options of a command. Sections that clap does not know follow:
//! examples, which are the text after the options of `--help`, exit status, files, environment and other pages.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::args::heading;
use super::args::output_options::print_to_stdout;
use super::error::CliError;
use crate::report::{Output, print_notice};
use ktour::batch::parent_folder;

const EXAMPLES: &str = "\
Examples:
  ktour man | man -l -               the page of ktour
  ktour man count | man -l -         the page of a command
  mkdir -p ~/.local/share/man; ktour man --output ~/.local/share/man/man1";

const MANUAL_SECTION: &str = "1";

/// Exit statuses and their meanings.
const EXIT_STATUSES: [(&str, &str); 5] = [
    ("0", "Success, also if the reader closes the output early, as in | head."),
    ("1", "Failure: a file cannot be read or written, a number fails a check, or no tour was found."),
    ("2", "Invalid command line, or a board that the command does not accept."),
    ("75", "Stopped by a signal with a valid checkpoint; ktour resume continues."),
    ("128+N", "Killed by signal N."),
];

/// Files that a run creates, each with a description.
const FILES: [(&str, &str); 7] = [
    ("FILE", "The checkpoint of --checkpoint FILE, protected by a digest."),
    ("FILE.previous", "The previous checkpoint, used if the newest is damaged."),
    (
        "FILE.lock",
        "Locked while a run uses the checkpoint. Empty; removed at the end, but not if the run is killed.",
    ),
    ("FILE.sweep", "Folder with the layers of a sweep; part of the checkpoint."),
    ("FILE.5x17", "The checkpoint of the current board, if the boards of a series are counted one by one."),
    ("FILE.65521", "The checkpoint of the count modulo 65521, if a command counts modulo several numbers."),
    ("DIR/ktour-spill-*", "Data beyond --memory, in the folder of --spill; removed at the end of the run."),
];

/// Environment variables, each with the options whose commands use it, or none if all commands do, and its effect.
const ENVIRONMENT: [(&str, &[&str], &str); 9] = [
    ("CLICOLOR", &[], "0 prints --help without bold and underlined text."),
    (
        "CLICOLOR_FORCE",
        &[],
        "If it is not empty, --help has bold and underlined text even without a terminal.",
    ),
    ("COLUMNS", &[], "The width of terminal pictures without --width, and of --help without a terminal."),
    (
        "KTOUR_CPU",
        &[],
        "avx2 disables the AVX-512 kernels; portable disables all kernels for specific processors.",
    ),
    (
        "NO_COLOR",
        &["color"],
        "If it is not empty, pictures on a terminal have no colours without --color always.",
    ),
    ("RAYON_NUM_THREADS", &["threads", "engine"], "The number of threads without --threads."),
    ("RUST_BACKTRACE", &[], "1 prints the calls that led to an internal error."),
    (
        "TERM",
        &["color", "progress"],
        "On the terminal dumb, pictures have no colours without --color always, and progress is shown in lines.",
    ),
    (
        "TMPDIR",
        &["spill", "checkpoint-every"],
        "The folder for data beyond --memory, unless another option names one. Default: /tmp",
    ),
];

/// Commands that write checkpoints.
const COMMANDS_WITH_CHECKPOINTS: [&str; 4] = ["ktour", "count", "series", "resume"];

/// Print or install the man pages
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// Print the page of this command. Default: the page of ktour
    #[arg(value_name = "COMMAND", conflicts_with = "output", hide_possible_values = true)]
    command: Option<String>,

    /// Write all pages (ktour.1, ktour-count.1, ..) into a folder
    #[arg(long, short, value_name = "DIR", help_heading = heading::OUTPUT)]
    output: Option<PathBuf>,
}

impl ManArgs {
    /// Prints one page, or writes all pages.
    pub fn run(&self, program: Command) -> Result<(), CliError> {
        // The command `help` has no page.
        let mut program = program.disable_help_subcommand(true);
        program.build();
        if let Some(folder) = &self.output {
            return write_all(&program, folder);
        }
        let command = self.command.as_ref().and_then(|name| program.find_subcommand(name));
        let mut page = Vec::new();
        render_page(&program, command.unwrap_or(&program), &mut page)
            .map_err(|error| CliError::failed(format!("cannot make the man page: {error}")))?;
        if io::stdout().is_terminal() {
            let page = command.map_or_else(String::new, |command| format!(" {}", command.get_name()));
            return Err(CliError::usage(format!(
                "a man page is source text for man; write ktour man{page} | man -l -"
            )));
        }
        print_to_stdout(page)
    }
}

/// Returns the program and its commands, which all have a page.
fn documented_commands(program: &Command) -> impl Iterator<Item = &Command> {
    std::iter::once(program).chain(program.get_subcommands())
}

fn write_all(program: &Command, folder: &Path) -> Result<(), CliError> {
    let failed = |path: &Path, error| CliError::write_error(&path.display().to_string(), error);
    if !folder.is_dir() {
        if folder.exists() {
            return Err(CliError::failed(format!(
                "--output {}: it is a file; name a folder",
                folder.display()
            )));
        }
        // As for other outputs, a missing folder above it is a typing error.
        let parent = parent_folder(folder);
        if !parent.exists() {
            return Err(CliError::failed(format!(
                "cannot write {}: there is no folder {}; create it first",
                folder.display(),
                parent.display()
            )));
        }
        std::fs::create_dir(folder).map_err(|error| failed(folder, error))?;
    }
    for command in documented_commands(program) {
        let path = folder.join(format!("{}.{MANUAL_SECTION}", page_name(command)));
        let mut out = Output::create(&path)?;
        render_page(program, command, &mut out).map_err(|error| failed(&path, error))?;
        out.finish()?;
    }
    let count = documented_commands(program).count();
    print_notice(format_args!("wrote {count} man pages to {}", folder.display()));
    Ok(())
}

/// Returns the name of a page, such as `ktour-count`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn render_page(program: &Command, command: &Command, out: &mut dyn Write) -> io::Result<()> {
    // clap_mangen omits the help of an option that has one line and is not in the short help.
    let command = &command.clone().mut_args(|option| option.hide_short_help(false));
    let man = Man::new(command.clone())
        .title(page_name(command).to_uppercase())
        .section(MANUAL_SECTION)
        .date(env!("KTOUR_DATE"))
        .source(format!("ktour {}", program.get_version().unwrap_or_default()))
        .manual("ktour");
    man.render_title(out)?;
    man.render_name_section(out)?;
    synopsis(command).to_writer(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    closing_sections(program, command).to_writer(out)
}

/// Returns the synopsis with the arguments that a command line needs. clap_mangen would list all options, without
/// their values.
fn synopsis(command: &Command) -> Roff {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let needed =
        command.get_arguments().filter(|argument| argument.is_positional() || argument.is_required_set());
    let needed: String = needed.map(|argument| format!(" {argument}")).collect();
    let subcommand = if command.has_subcommands() { " <COMMAND>" } else { "" };
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text([bold(name), roman(format!(" [OPTIONS]{needed}{subcommand}"))]);
    roff
}

/// Returns the sections after the options: examples with notes, exit status, files, environment and see also.
fn closing_sections(program: &Command, command: &Command) -> Roff {
    let mut roff = Roff::new();
    // Without adjustment and hyphenation, the columns of the examples stay aligned.
    roff.control("SH", ["EXAMPLES"]).control("ad", ["l"]).control("nh", []);
    let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    // The first line is the heading.
    for line in examples.lines().skip(1) {
        roff.text([roman(line)]);
    }
    let has_checkpoints = COMMANDS_WITH_CHECKPOINTS.contains(&command.get_name());
    let statuses = EXIT_STATUSES.into_iter().filter(|(status, _)| has_checkpoints || *status != "75");
    push_definitions(&mut roff, "EXIT STATUS", &statuses.collect::<Vec<_>>());
    if has_checkpoints {
        push_definitions(&mut roff, "FILES", &FILES);
    }
    let has_option = |long: &str| command.get_arguments().any(|option| option.get_long() == Some(long));
    let is_used = |options: &[&str]| {
        options.is_empty() || command.has_subcommands() || options.iter().any(|option| has_option(option))
    };
    let variables = ENVIRONMENT.into_iter().filter(|(_, options, _)| is_used(options));
    let variables: Vec<_> = variables.map(|(name, _, effect)| (name, effect)).collect();
    push_definitions(&mut roff, "ENVIRONMENT", &variables);
    roff.control("SH", ["SEE ALSO"]);
    let others = documented_commands(program).map(page_name).filter(|name| *name != page_name(command));
    let others: Vec<&str> = others.collect();
    for (number, other) in others.iter().enumerate() {
        let comma = if number + 1 < others.len() { "," } else { "" };
        roff.control("BR", [*other, &format!("({MANUAL_SECTION}){comma}")]);
    }
    roff
}

fn push_definitions(roff: &mut Roff, heading: &str, items: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (item, meaning) in items {
        roff.control("TP", []);
        roff.text([bold((*item).to_owned())]);
        roff.text([roman((*meaning).to_owned())]);
    }
}
