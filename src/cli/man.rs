//! Man pages, made from the help: one for the program, and one for each command.
//!
//! The text after the options of a command's help becomes two sections: the lines under `Examples:`
//! become EXAMPLES, the paragraphs after them become NOTES.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::args::output_options::print_to_stdout;
use super::error::CliError;
use super::help_layout::HEADINGS;
use crate::report::{Output, print_notice};

const EXAMPLES: &str = "\
Examples:
  ktour man | man -l -               the page of ktour
  ktour man count | man -l -         the page of a command
  ktour man --output ~/.local/share/man/man1";

const MANUAL_SECTION: &str = "1";

/// Exit statuses and their meanings.
const EXIT_STATUSES: [(&str, &str); 5] = [
    ("0", "Success, also if the reader closes the output early, as in | head."),
    ("1", "Failure: a file cannot be read or written, a number fails a check, or no tour was found."),
    ("2", "Invalid command line."),
    ("75", "Stopped by a signal with a valid checkpoint; ktour resume continues."),
    ("128+N", "Killed by signal N."),
];

/// Files that a run creates, each with a description.
const FILES: [(&str, &str); 6] = [
    ("FILE", "The checkpoint of --checkpoint FILE, protected by a digest."),
    ("FILE.previous", "The previous checkpoint, used if the newest is damaged."),
    ("FILE.lock", "Locked while a run writes the checkpoint. Empty; may be removed when no run is active."),
    ("FILE.sweep", "Folder with the layers of a sweep; part of the checkpoint."),
    ("FILE.5x17", "The checkpoint of the current board, if the boards of a series are counted one by one."),
    ("DIR/ktour-spill-*", "Data beyond --memory, in the folder of --spill; removed at the end of the run."),
];

/// Commands that write or read checkpoints.
const COMMANDS_WITH_CHECKPOINTS: [&str; 5] = ["ktour", "count", "series", "resume", "merge"];

/// Print or install the man pages
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// Print the page of this command. Default: the page of ktour
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Option<String>,

    /// Write all pages (ktour.1, ktour-count.1, ..) into a folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl ManArgs {
    /// Prints one page, or writes all pages.
    pub fn run(&self, mut program: Command) -> Result<(), CliError> {
        program.build();
        // The command `help` has no page.
        program = program.mut_subcommand("help", |help| help.hide(true));
        if let Some(folder) = &self.output {
            return write_all(&program, folder);
        }
        match &self.command {
            None => print_to_stdout(render_page(&program, &program)?),
            Some(name) => {
                let command = documented_commands(&program)
                    .find(|command| command.get_name() == name)
                    .ok_or_else(|| {
                        let names: Vec<&str> = documented_commands(&program).map(Command::get_name).collect();
                        CliError::usage(format!(
                            "there is no command {name}; choose one of {}",
                            names.join(", ")
                        ))
                    })?;
                print_to_stdout(render_page(&program, command)?)
            }
        }
    }
}

/// Returns the commands that have a man page.
fn documented_commands(program: &Command) -> impl Iterator<Item = &Command> {
    program.get_subcommands().filter(|command| command.get_name() != "help")
}

fn write_all(program: &Command, folder: &Path) -> Result<(), CliError> {
    let failed = |path: &Path, error| CliError::write_error(&path.display().to_string(), &error);
    if !folder.is_dir() {
        fs::create_dir(folder).map_err(|error| failed(folder, error))?;
    }
    let mut written = 0;
    for command in std::iter::once(program).chain(documented_commands(program)) {
        let path = folder.join(format!("{}.{MANUAL_SECTION}", page_name(program, command)));
        let mut out = Output::create(&path)?;
        out.write_all(&render_page(program, command)?).map_err(|error| failed(&path, error))?;
        out.finish()?;
        written += 1;
    }
    print_notice(format_args!("wrote {written} man pages to {}", folder.display()));
    Ok(())
}

fn page_name(program: &Command, command: &Command) -> String {
    if command.get_name() == program.get_name() {
        program.get_name().to_owned()
    } else {
        format!("{}-{}", program.get_name(), command.get_name())
    }
}

fn render_page(program: &Command, command: &Command) -> Result<Vec<u8>, CliError> {
    let failed = |error: std::io::Error| CliError::failed(format!("cannot make the man page: {error}"));
    let name = page_name(program, command);
    let version = program.get_version().unwrap_or_default().to_owned();
    let is_program = name == program.get_name();
    // The page also shows options that `-h` hides.
    let shown = command.clone().display_name(name.clone()).mut_args(|option| option.hide_short_help(false));
    let man = Man::new(shown)
        .title(name.to_uppercase())
        .section(MANUAL_SECTION)
        .date(env!("KTOUR_DATE"))
        .source(format!("ktour {version}"))
        .manual("ktour");
    let mut out = Vec::new();
    (|| {
        man.render_title(&mut out)?;
        man.render_name_section(&mut out)?;
        synopsis_section(command, is_program).to_writer(&mut out)?;
        man.render_description_section(&mut out)?;
        man.render_options_section(&mut out)?;
        if is_program {
            man.render_subcommands_section(&mut out)?;
        }
        closing_sections(program, command, &name).to_writer(&mut out)
    })()
    .map_err(failed)?;
    Ok(tidy_roff(&String::from_utf8_lossy(&out)).into_bytes())
}

/// Cleans up the roff text of a page: keeps one preamble, turns the headings of options into
/// subsections of OPTIONS, and drops line breaks next to vertical space.
fn tidy_roff(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_preamble = |line: &str| line.starts_with(".ie ") || line.starts_with(".el ");
    let mut tidy = String::new();
    let mut has_options = false;
    for (number, line) in lines.iter().enumerate() {
        let neighbours = [number.checked_sub(1), Some(number + 1)];
        let is_space = |line: &&str| line.is_empty() || *line == ".sp";
        let is_beside_space =
            neighbours.into_iter().flatten().any(|other| lines.get(other).is_some_and(is_space));
        if (number > 1 && is_preamble(line)) || (*line == ".br" && is_beside_space) {
            continue;
        }
        let heading = line.strip_prefix(".SH ").map(|heading| heading.trim_matches('"'));
        has_options |= heading == Some("OPTIONS");
        let heading_entry =
            HEADINGS.iter().find(|(own, _)| heading.is_some_and(|heading| own.to_uppercase() == heading));
        match heading_entry {
            Some((own, _)) => {
                if !has_options {
                    tidy.push_str(".SH OPTIONS\n");
                    has_options = true;
                }
                tidy.push_str(&format!(".SS \"{own}\"\n"));
            }
            None => {
                tidy.push_str(line);
                tidy.push('\n');
            }
        }
    }
    tidy
}

/// Returns the SYNOPSIS section of a page. It abbreviates all options as `[OPTIONS]`.
fn synopsis_section(command: &Command, is_program: bool) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    let mut usage = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned())];
    let rest = if is_program {
        " COMMAND [OPTIONS]".to_owned()
    } else {
        command.get_positionals().fold(" [OPTIONS]".to_owned(), |text, argument| {
            let names = argument.get_value_names().into_iter().flatten();
            let name = names.map(|name| name.to_string()).collect::<Vec<_>>().join(" ");
            let name = if name.is_empty() { argument.get_id().to_string().to_uppercase() } else { name };
            let dots =
                if argument.get_num_args().is_some_and(|count| count.max_values() > 1) { "..." } else { "" };
            if argument.is_required_set() {
                format!("{text} {name}{dots}")
            } else {
                format!("{text} [{name}{dots}]")
            }
        })
    };
    usage.push(roman(rest));
    roff.text(usage);
    roff
}

/// Returns the sections after the options: examples, notes, exit status, files, environment and see
/// also.
fn closing_sections(program: &Command, command: &Command, name: &str) -> Roff {
    let mut roff = Roff::new();
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let (examples, notes) = split_after_help(&after);
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line).to_owned())]);
        }
        roff.control("fi", []);
    }
    if !notes.is_empty() {
        roff.control("SH", ["NOTES"]);
        for (number, note) in notes.iter().enumerate() {
            if number > 0 {
                roff.control("PP", []);
            }
            roff.text([roman(note.split('\n').collect::<Vec<_>>().join(" "))]);
        }
    }
    push_definitions(&mut roff, "EXIT STATUS", &EXIT_STATUSES);
    if COMMANDS_WITH_CHECKPOINTS.contains(&command.get_name()) {
        push_definitions(&mut roff, "FILES", &FILES);
    }
    let cpu = [(
        "KTOUR_CPU",
        "avx2 disables the AVX-512 kernels; portable disables all kernels for specific processors.",
    )];
    push_definitions(&mut roff, "ENVIRONMENT", &cpu);
    roff.control("SH", ["SEE ALSO"]);
    let all = std::iter::once(program.get_name().to_owned()).chain(
        documented_commands(program).map(|other| format!("{}-{}", program.get_name(), other.get_name())),
    );
    let others: Vec<String> = all.filter(|other| other != name).collect();
    let last = others.len().saturating_sub(1);
    for (number, other) in others.into_iter().enumerate() {
        let comma = if number < last { "," } else { "" };
        roff.control("BR", [other.as_str(), &format!("({MANUAL_SECTION}){comma}")]);
    }
    roff
}

/// Splits the help text after the options into the lines under `Examples:` and the paragraphs after
/// them.
fn split_after_help(after: &str) -> (Vec<&str>, Vec<&str>) {
    let mut paragraphs = after.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()).peekable();
    let examples = match paragraphs.peek().and_then(|first| first.strip_prefix("Examples:\n")) {
        Some(lines) => {
            paragraphs.next();
            lines.lines().collect()
        }
        None => Vec::new(),
    };
    (examples, paragraphs.filter(|paragraph| !paragraph.starts_with("Exit status:")).collect())
}

fn push_definitions(roff: &mut Roff, heading: &str, items: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (item, meaning) in items {
        roff.control("TP", []);
        roff.text([bold((*item).to_owned())]);
        roff.text([roman((*meaning).to_owned())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_after_help_separates_examples_and_notes() {
        let (examples, notes) =
            split_after_help("Examples:\n  one\n  two\n\nFirst.\n\nSecond.\n\nExit status: 0 done.");
        assert_eq!((examples, notes), (vec!["  one", "  two"], vec!["First.", "Second."]));
        assert_eq!(split_after_help(""), (vec![], vec![]));
    }

    #[test]
    fn tidy_roff_makes_options_one_section() {
        let page = ".ie a\n.el b\n.TH x\n.ie a\n.el b\n.SH TOURS\n.br\n\n.br\nx\n.br\n.SH \"LONG RUNS\"\n.SH FILES\n";
        let tidy =
            ".ie a\n.el b\n.TH x\n.SH OPTIONS\n.SS \"Tours\"\n\nx\n.br\n.SS \"Long runs\"\n.SH FILES\n";
        assert_eq!(tidy_roff(page), tidy);
    }
}
