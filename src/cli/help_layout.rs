//! The layout of all help texts: headings in one order, the width, and completion hints of values.
//!
//! Headings belong to option names, so that an option has one heading in every command. `-h` is one screen
//! without headings and without rare options; `--help` has all options and examples.

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command};

/// Headings of options in the order of the help, each with the names of its options.
pub const HEADINGS: [(&str, &[&str]); 7] = [
    (
        "Board and piece",
        &[
            "board",
            "boards",
            "piece",
            "leaper",
            "wrap",
            "remove",
            "shape",
            "squares",
            "holes",
            "graph",
            "all-graphs",
            "coordinates",
            "mixed",
        ],
    ),
    (
        "Tours",
        &[
            "kind",
            "closed",
            "open",
            "directed",
            "distinct",
            "symmetry",
            "classes",
            "start",
            "end",
            "per-start",
            "limit",
            "recurrence",
            "from",
            "number",
        ],
    ),
    (
        "Method",
        &[
            "engine",
            "rule",
            "seed",
            "attempts",
            "backtracks",
            "moves",
            "split-depth",
            "double-check",
            "probes",
            "wide",
            "within",
            "order",
            "table",
            "max-squares",
            "partial",
            "modulus",
            "residues",
            "bound",
            "index",
            "plan",
            "histogram",
            "moves-file",
            "samples",
            "at",
            "pairs",
            "without-index",
        ],
    ),
    ("Picture", &["palette", "color", "columns", "cell", "width", "numbers", "animate", "heat"]),
    (
        "Output",
        &[
            "format",
            "bare",
            "number-from",
            "canonical",
            "output",
            "csv",
            "json",
            "bfile",
            "bfile-step",
            "plot",
            "record",
            "progress",
            "verbose",
        ],
    ),
    ("Long runs", &["shard", "checkpoint", "checkpoint-every", "memory", "spill", "mpi", "force"]),
    ("General", &["threads", "help", "version"]),
];

/// Heading of options that are not listed in [`HEADINGS`].
const OTHER_HEADING: &str = "Other options";

/// Position of the options that all commands share: after all other options.
const LAST_DISPLAY_ORDER: usize = 998;

/// Maximum width of the help in columns.
const MAX_COLUMNS: usize = 100;

/// Width of the help in columns if the width of the terminal is unknown.
const DEFAULT_COLUMNS: usize = 80;

/// Returns `program` with the layout of its help and with completion hints. `is_short` selects the
/// help of `-h`.
pub fn with_layout(program: Command, is_short: bool) -> Command {
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let program = program.disable_help_flag(true).arg(
        Arg::new("help")
            .short('h')
            .long("help")
            .action(ArgAction::Help)
            .global(true)
            .display_order(LAST_DISPLAY_ORDER)
            .help("Print help; --help has all options and examples"),
    );
    let program = program.mut_arg("threads", |threads| threads.display_order(LAST_DISPLAY_ORDER - 1));
    let program = with_headings(program.term_width(help_columns()));
    names.into_iter().fold(program, |program, name| {
        program.mut_subcommand(name.clone(), |command| {
            // A series consists of rectangles, so it has no drawn boards and no graphs.
            let command = match name.as_str() {
                "series" => {
                    let hidden = ["shape", "squares", "holes", "graph"];
                    hidden.iter().fold(command, |c, id| c.mut_arg(id, |arg| arg.hide(true)))
                }
                _ => command,
            };
            let command = with_headings(command);
            if is_short { with_short_layout(command) } else { command }
        })
    })
}

/// Returns the width of the help in columns: that of the terminal, but at most [`MAX_COLUMNS`] for
/// readability.
fn help_columns() -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).filter(|&width| width > 0).unwrap_or(DEFAULT_COLUMNS).min(MAX_COLUMNS)
}

/// Puts each option of a command under its heading. clap prints headings in the order of their
/// first options, and moves an option that is changed to the end.
fn with_headings(mut command: Command) -> Command {
    let options: Vec<(String, usize)> = command
        .get_arguments()
        .filter(|option| !option.is_positional())
        .map(|option| (option.get_id().to_string(), heading_index(option.get_long().unwrap_or_default())))
        .collect();
    for position in 0..=HEADINGS.len() {
        let heading = HEADINGS.get(position).map_or(OTHER_HEADING, |(heading, _)| heading);
        for (id, _) in options.iter().filter(|(_, own)| *own == position) {
            command = command.mut_arg(id, |option| option.help_heading(heading));
        }
    }
    command.mut_args(with_value_hint)
}

fn heading_index(long: &str) -> usize {
    HEADINGS.iter().position(|(_, longs)| longs.contains(&long)).unwrap_or(HEADINGS.len())
}

/// Lays out the short help of a command on one screen, without headings.
fn with_short_layout(command: Command) -> Command {
    let positionals = if command.get_positionals().next().is_some() { "{positionals}\n" } else { "" };
    let template =
        format!("{{about}}\n{{usage-heading}} {{usage}}\n\n{positionals}{{options}}{{after-help}}");
    command.help_template(template).mut_args(|option| match option.get_long() {
        // The list of rules is long; completions and `--help` have it.
        Some("rule") => option.hide_possible_values(true),
        _ => option,
    })
}

/// Adds the completion hint of an option's value: a file, a folder, or nothing.
fn with_value_hint(option: Arg) -> Arg {
    let name = option.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
    let hint = match name.as_deref() {
        Some("FILE") => ValueHint::FilePath,
        Some("DIR") => ValueHint::DirPath,
        _ => ValueHint::Other,
    };
    if option.get_action().takes_values() { option.value_hint(hint) } else { option }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::clap_command;
    use super::*;

    /// The form of an option: value names, first line of its help, possible values.
    type OptionForm = (String, String, Vec<String>);

    fn option_form(option: &Arg) -> OptionForm {
        let value = option.get_value_names().into_iter().flatten().map(|name| name.to_string()).collect();
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let possible = option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        (value, help, possible)
    }

    /// Options that differ between commands for a reason: a picture has its own formats, man pages go into a
    /// folder, index numbers are no tours, and commands without symmetry classes explain why.
    const DIFFERING_OPTIONS: [(&str, &str); 7] = [
        ("draw", "format"),
        ("man", "output"),
        ("rank", "bare"),
        ("rank", "distinct"),
        ("series", "modulus"),
        ("stats", "distinct"),
        ("unrank", "distinct"),
    ];

    #[test]
    fn options_are_equal_in_all_commands() {
        let mut seen: BTreeMap<String, (String, OptionForm)> = BTreeMap::new();
        let mut faults = Vec::new();
        for command in clap_command(false).get_subcommands() {
            let name = command.get_name();
            for option in command.get_arguments().filter(|option| !option.is_positional()) {
                let Some(long) = option.get_long() else { continue };
                if heading_index(long) == HEADINGS.len() {
                    faults.push(format!("--{long} of {name} has no heading"));
                }
                if DIFFERING_OPTIONS.contains(&(name, long)) {
                    continue;
                }
                match seen.get(long) {
                    Some((other, found)) if *found != option_form(option) => {
                        faults.push(format!("--{long}: {name} {:?}, {other} {found:?}", option_form(option)));
                    }
                    Some(_) => {}
                    None => {
                        seen.insert(long.to_owned(), (name.to_owned(), option_form(option)));
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn common_options_are_in_all_tour_commands() {
        let program = clap_command(false);
        let with = |long: &str| -> Vec<&str> {
            let has =
                |command: &&Command| command.get_arguments().any(|option| option.get_long() == Some(long));
            program.get_subcommands().filter(has).map(Command::get_name).collect()
        };
        for name in ["count", "list", "find", "check", "draw", "estimate", "sample", "unrank", "stats"] {
            assert!(with("kind").contains(&name), "{name} --kind");
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
}
