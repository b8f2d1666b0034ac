//! Errors of clap as one line: what is wrong with which argument, and a remedy.
//!
//! The parts of a line are values of clap: the kind of error, the argument, its value and suggestions. The remedy is
//! a hint from a table, a suggestion of clap, the command that has the option, or the help. A parser of values puts
//! the remedy into its message.

use std::ffi::{OsStr, OsString};

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error, Id, ValueEnum};
use ktour::board::BoardSides;
use ktour::tour::Kind;

/// Maximum number of possible values that an error lists although one of them is similar to the typed
/// value.
const MAX_LISTED_VALUES: usize = 8;

const LIMIT_HINT: &str = "write --limit N";

/// Names that the command line does not have, and what to write instead. A hint that is not for all commands
/// lists its commands. A hint to add an option is not given if the command lacks the option.
const HINTS: [(&str, &[&str], &str); 26] = [
    ("--avoid", &[], "add --forbid MOVES, such as --forbid c3-e4"),
    ("--board", &[], "BOARD is an argument without an option, such as 6x8"),
    ("--colour", &[], "add --color"),
    ("--count", &["find"], LIMIT_HINT),
    ("--count", &["list"], "write ktour count to count tours, or --limit N to list N of them"),
    ("--csv", &["list", "unrank"], "write --format csv, and --output FILE for a file"),
    ("--cycles", &[], "add --kind closed"),
    ("--cyclic", &[], "add --kind closed"),
    ("--cylinder", &[], "add --wrap cols or --wrap rows"),
    ("--format", &["check", "rank"], "write --csv - or --json -"),
    ("--head", &["list", "find"], LIMIT_HINT),
    ("--hole", &[], "add --remove SQUARES"),
    ("--json", &["list", "unrank"], "write --format ndjson, and --output FILE for a file"),
    ("--mixed", &["rank"], "an index is of one board, so rank the tours of each board separately"),
    (
        "--move",
        &[],
        "add --require MOVES, such as --require c3-e4; ktour stats counts the tours of each move",
    ),
    ("--no-lines", &["draw"], "write --format box, which draws numbers without lines"),
    ("--path", &[], "add --kind paths"),
    ("--random", &[], "ktour sample draws random tours"),
    ("--silent", &[], "add --quiet"),
    ("--through", &[], "add --require MOVES, such as --require c3-e4"),
    ("--torus", &[], "add --wrap torus"),
    ("--undirected", &[], "counts and lists are undirected without --directed"),
    ("--without", &[], "add --remove SQUARES"),
    ("plot", &["ktour"], "write ktour draw"),
    ("test", &["ktour"], "write ktour selftest"),
    ("version", &["ktour"], "write ktour --version"),
];

/// Options that need another option, which replaces the board. Clap reports only that they exclude a board.
const OPTIONS_WITHOUT_BOARD: [(&str, &str); 3] = [
    ("--squares <SIGNS>", "--shape <FILE>"),
    ("--holes <SIGNS>", "--shape <FILE>"),
    ("--all-graphs", "--graph <FILE>"),
];

/// Returns the line that describes an error of clap. `program` has the commands with their options, and
/// `arguments` are those of the command line, without the name of the program.
pub fn error_line(error: &Error, program: &Command, arguments: &[OsString]) -> String {
    let mut built = program.clone();
    built.build();
    let command = find_command(&built, arguments);
    let help = || format!("see {} --help", command.get_bin_name().unwrap_or_else(|| command.get_name()));
    let argument = texts(error, ContextKind::InvalidArg).join(" and ");
    let value = texts(error, ContextKind::InvalidValue).concat();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let owners = || commands_with_option(&built, &argument);
            let remedy = find_hint(&built, command, &argument)
                .or_else(|| hint_for_word(&argument, arguments))
                .or_else(|| owners().map(|commands| format!("it is an option of {commands}")))
                .or_else(|| did_you_mean(error, ContextKind::SuggestedArg));
            format!("unexpected argument '{argument}'; {}", remedy.unwrap_or_else(help))
        }
        ErrorKind::InvalidSubcommand => {
            let name = texts(error, ContextKind::InvalidSubcommand).concat();
            let board = name.parse::<BoardSides>().ok();
            // Of two names after `help`, the second one is no command of the first one.
            if built.find_subcommand(&name).is_some() {
                return format!("help takes one command; write ktour help {name}");
            }
            let remedy = find_hint(&built, command, &name)
                .or_else(|| board.map(|_| format!("to count tours, write ktour count {name}")))
                .or_else(|| abbreviated_command(&built, &name))
                .or_else(|| did_you_mean(error, ContextKind::SuggestedSubcommand));
            format!("there is no command '{name}'; {}", remedy.unwrap_or_else(help))
        }
        ErrorKind::MissingRequiredArgument => {
            let names = texts(error, ContextKind::InvalidArg);
            let them = if names.len() > 1 { "them" } else { "it" };
            let missing = names.iter().map(|name| first_of_group(name)).collect::<Vec<_>>().join(" and ");
            match find_requiring_option(program, command.get_name(), arguments) {
                Some(option) => format!("{option} needs {missing}; add {them}, or omit {option}"),
                None => format!("missing {missing}; {}", help()),
            }
        }
        ErrorKind::MissingSubcommand => format!("missing COMMAND; {}", help()),
        ErrorKind::ArgumentConflict => {
            let others = texts(error, ContextKind::PriorArg);
            let is_prior = |option: &str| others.iter().any(|other| other == option);
            let without_board =
                OPTIONS_WITHOUT_BOARD.iter().find(|(option, needed)| is_prior(option) && !is_prior(needed));
            if others == [argument.as_str()] {
                format!("'{argument}' is given twice; give it once")
            } else if let Some((option, needed)) = without_board
                && argument.contains("BOARD")
            {
                format!("'{option}' needs {needed} instead of '{argument}'; replace it, or omit the option")
            } else {
                format!("'{argument}' cannot be used with '{}'; omit one of them", others.join("', '"))
            }
        }
        ErrorKind::InvalidValue => {
            let fault = if value.is_empty() {
                format!("'{argument}' has no value")
            } else {
                format!("invalid value '{value}' for '{argument}'")
            };
            format!("{fault}; {}", possible_values(error).unwrap_or_else(help))
        }
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            format!("invalid value '{value}' for '{argument}': {reason}")
        }
        kind if argument.is_empty() => format!("{kind}; {}", help()),
        kind => format!("'{argument}': {kind}; {}", help()),
    }
}

/// Returns the command of a command line, or the program if the line has no command.
fn find_command<'a>(program: &'a Command, arguments: &[OsString]) -> &'a Command {
    let matches = program.clone().ignore_errors(true).try_get_matches_from(with_name(arguments));
    let name = matches.ok().and_then(|matches| matches.subcommand_name().map(str::to_owned));
    name.and_then(|name| program.find_subcommand(name)).unwrap_or(program)
}

/// Returns the words of a command line, with the name of the program.
fn with_name(arguments: &[OsString]) -> impl Iterator<Item = &OsStr> {
    std::iter::once(OsStr::new("ktour")).chain(arguments.iter().map(OsString::as_os_str))
}

/// Returns the typed option because of which a required argument is missing: the option that requires it.
fn find_requiring_option(program: &Command, name: &str, arguments: &[OsString]) -> Option<String> {
    let is_cause = |option: &&Arg| {
        let program = program.clone().mut_subcommand(name, |command| {
            command.mut_arg(option.get_id(), |option| option.requires(Resettable::<Id>::Reset))
        });
        let error = program.try_get_matches_from(with_name(arguments)).err();
        error.is_none_or(|error| error.kind() != ErrorKind::MissingRequiredArgument)
    };
    let option = program.find_subcommand(name)?.get_arguments().find(is_cause)?;
    Some(format!("--{}", option.get_long()?))
}

/// Returns the first option of a group that is written as `<--kind <KIND>|--closed>`, or another name as it is.
fn first_of_group(name: &str) -> &str {
    let group = name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
    group.filter(|group| group.starts_with("--")).and_then(|group| group.split('|').next()).unwrap_or(name)
}

/// Returns the hint for a name that the command does not have. If it is an option that the command does not have
/// either, returns the commands that have it.
fn find_hint(program: &Command, command: &Command, name: &str) -> Option<String> {
    let is_for = |commands: &[&str]| commands.is_empty() || commands.contains(&command.get_name());
    let (.., hint) = HINTS.iter().find(|(hinted, commands, _)| *hinted == name && is_for(commands))?;
    match hint.strip_prefix("add ").and_then(|rest| rest.split(' ').next()) {
        Some(option) if !command.get_arguments().any(|other| is_option(other, option)) => {
            commands_with_option(program, option)
                .map(|commands| format!("{option} is an option of {commands}"))
        }
        _ => Some((*hint).to_owned()),
    }
}

/// Returns the question for the only command that `name` abbreviates: its first letter, and some of the others in
/// their order. Clap compares names by letters in similar places.
fn abbreviated_command(program: &Command, name: &str) -> Option<String> {
    let is_abbreviated = |command: &&str| {
        let mut letters = command.chars();
        let has_letters = name.chars().all(|letter| letters.any(|other| other == letter));
        has_letters && name.chars().next() == command.chars().next()
    };
    let mut commands = program.get_subcommands().map(Command::get_name).filter(is_abbreviated);
    let command = commands.next()?;
    commands.next().is_none().then(|| format!("did you mean {command}?"))
}

/// Returns the remedy for a word that is not an argument: a kind of tours, or a side of a board.
fn hint_for_word(word: &str, arguments: &[OsString]) -> Option<String> {
    if let Ok(kind) = Kind::from_str(word, true) {
        return Some(format!("write --kind {}", kind.name()));
    }
    let side = |word: &OsString| word.to_str()?.parse::<u16>().ok();
    let [_, rows, cols, ..] = arguments else { return None };
    Some(format!("a board is one word: {}x{}", side(rows)?, side(cols)?))
}

/// Returns true if an option has this name, such as `--limit` or `-n`.
fn is_option(option: &Arg, name: &str) -> bool {
    let long = option.get_long().map(|long| format!("--{long}"));
    let short = option.get_short().map(|short| format!("-{short}"));
    [long, short].into_iter().flatten().any(|other| other == name)
}

/// Returns the names of the commands with exactly this option, if there are any.
fn commands_with_option(program: &Command, name: &str) -> Option<String> {
    let is_own = |option: &Arg| !option.is_global_set() && is_option(option, name);
    let commands = program.get_subcommands().filter(|command| command.get_arguments().any(is_own));
    let commands: Vec<&str> = commands.map(Command::get_name).collect();
    (!commands.is_empty()).then(|| commands.join(", "))
}

/// Returns the texts of one kind of context.
fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

fn did_you_mean(error: &Error, kind: ContextKind) -> Option<String> {
    let similar = texts(error, kind);
    (!similar.is_empty()).then(|| format!("did you mean {}?", similar.join(" or ")))
}

/// Returns the possible values of an option. If they are many, returns a similar one.
fn possible_values(error: &Error) -> Option<String> {
    let values = texts(error, ContextKind::ValidValue);
    let similar =
        did_you_mean(error, ContextKind::SuggestedValue).filter(|_| values.len() > MAX_LISTED_VALUES);
    let list = (!values.is_empty()).then(|| format!("possible values: {}", values.join(", ")));
    similar.or(list)
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;

    #[test]
    fn error_line_names_the_argument_and_a_remedy() {
        let value = |name: &'static str| Arg::new(name).long(name).value_name("X");
        let count = Command::new("count")
            .arg(value("kind").value_parser(["open", "closed"]))
            .arg(value("json").value_name("FILE"))
            .arg(value("rule").value_parser(["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "longest"]))
            .arg(value("bits").num_args(2))
            .arg(value("index").requires("kind"))
            .arg(Arg::new("flag").long("flag").action(ArgAction::SetTrue).conflicts_with("kind"))
            .arg(Arg::new("board").value_name("BOARD").required(true).value_parser(
                |text: &str| match text {
                    "x" => Err("not a board; write 6x8".to_owned()),
                    text => Ok(text.to_owned()),
                },
            ));
        let draw = Command::new("draw").arg(value("width").short('w'));
        let program = Command::new("ktour").bin_name("ktour").subcommand(count).subcommand(draw);
        for (typed, line) in [
            ("count x", "invalid value 'x' for '<BOARD>': not a board; write 6x8"),
            ("count", "missing <BOARD>; see ktour count --help"),
            ("count 5 --index x", "--index needs --kind <X>; add it, or omit --index"),
            ("count --index=x 5 --json f", "--index needs --kind <X>; add it, or omit --index"),
            ("count 5 6", "unexpected argument '6'; a board is one word: 5x6"),
            ("count 6 y", "unexpected argument 'y'; see ktour count --help"),
            ("count 5 Open", "unexpected argument 'Open'; write --kind open"),
            ("draw --cyclic", "unexpected argument '--cyclic'; --kind is an option of count"),
            ("draw --colour", "unexpected argument '--colour'; see ktour draw --help"),
            ("count 5 --cyclic", "unexpected argument '--cyclic'; add --kind closed"),
            ("count 5 --knid open", "unexpected argument '--knid'; did you mean --kind?"),
            ("count 5 --zzz", "unexpected argument '--zzz'; see ktour count --help"),
            ("count 5 --width", "unexpected argument '--width'; it is an option of draw"),
            ("count 5 -w", "unexpected argument '-w'; it is an option of draw"),
            ("count 5 --no-lines", "unexpected argument '--no-lines'; see ktour count --help"),
            (
                "draw --no-lines",
                "unexpected argument '--no-lines'; write --format box, which draws numbers without lines",
            ),
            ("--kind open count", "unexpected argument '--kind'; it is an option of count"),
            ("5x6 --kind open", "there is no command '5x6'; to count tours, write ktour count 5x6"),
            ("cuont", "there is no command 'cuont'; did you mean count?"),
            ("plot", "there is no command 'plot'; write ktour draw"),
            ("cnt", "there is no command 'cnt'; did you mean count?"),
            ("help count draw", "help takes one command; write ktour help draw"),
            ("zzz", "there is no command 'zzz'; see ktour --help"),
            ("help zzz", "there is no command 'zzz'; see ktour --help"),
            ("count 5 --kind opn", "invalid value 'opn' for '--kind <X>'; possible values: open, closed"),
            ("count 5 --rule longst", "invalid value 'longst' for '--rule <X>'; did you mean longest?"),
            ("count 5 --kind", "'--kind <X>' has no value; possible values: open, closed"),
            ("count 5 --json", "'--json <FILE>' has no value; see ktour count --help"),
            ("count 5 --flag --kind open", "'--flag' cannot be used with '--kind <X>'; omit one of them"),
            ("count 5 --flag --flag", "'--flag' is given twice; give it once"),
        ] {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let error = program.clone().try_get_matches_from(with_name(&words)).unwrap_err();
            assert_eq!(error_line(&error, &program, &words), line, "{typed}");
        }
    }
}
