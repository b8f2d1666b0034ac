//! Errors of clap as one line: what is wrong with which argument, and a remedy.
//!
//! The remedy is clap's own suggestion, the possible values, or the usage of the command. A parser of
//! values puts the remedy into its message.

use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use ktour::tour::Kind;

/// Maximum number of possible values that an error lists although one of them is similar to the typed
/// value.
const MAX_LISTED_VALUES: usize = 8;

/// Options of no command, with the way to what they mean.
const OPTION_HINTS: [(&str, &str); 15] = [
    ("--cyclic", "add --kind closed"),
    ("--cycles", "add --kind closed"),
    ("--paths", "add --kind paths"),
    ("--path", "add --kind paths"),
    ("--through", "add --require MOVES, such as --require c3-e4"),
    ("--avoid", "add --forbid MOVES, such as --forbid c3-e4"),
    ("--hole", "add --remove SQUARES"),
    ("--colour", "add --color"),
    ("--move", "add --require MOVES, such as --require c3-e4; ktour stats counts the tours of each move"),
    ("--random", "ktour sample draws random tours"),
    ("--silent", "add --quiet"),
    ("--torus", "add --wrap torus"),
    ("--cylinder", "add --wrap cols or --wrap rows"),
    ("--undirected", "counts and lists are undirected without --directed"),
    ("--without", "add --remove SQUARES"),
];

/// Commands with the argument BOARD.
const BOARD_COMMANDS: &[&str] = &[
    "ktour count",
    "ktour list",
    "ktour find",
    "ktour sample",
    "ktour unrank",
    "ktour stats",
    "ktour next",
    "ktour estimate",
    "ktour verify",
];

/// Options that a command does not have, with the option of the command that does the same.
const COMMAND_HINTS: [(&[&str], &str, &str); 9] = [
    (&["ktour list"], "--count", "write --limit N; see ktour list --help"),
    (&["ktour list"], "--head", "write --limit N; see ktour list --help"),
    (&["ktour find"], "--count", "write --limit N; see ktour find --help"),
    (&["ktour find"], "--head", "write --limit N; see ktour find --help"),
    (&["ktour list", "ktour unrank"], "--csv", "write --format csv, and --output FILE for a file"),
    (&["ktour list", "ktour unrank"], "--json", "write --format ndjson, and --output FILE for a file"),
    (&["ktour check", "ktour rank"], "--format", "write --csv - or --json -"),
    (&["ktour draw"], "--no-lines", "write --format box, which draws numbers without lines"),
    (BOARD_COMMANDS, "--board", "BOARD is an argument without an option, such as 6x8"),
];

/// Commands that count all kinds of tours unless `--kind` is given.
const ALL_KINDS_COMMANDS: [&str; 2] = ["count", "series"];

/// Names that are no command, with the words that do what they name.
const COMMAND_NAMES: [(&str, &str); 4] = [
    ("plot", "did you mean ktour draw?"),
    ("print", "did you mean ktour draw?"),
    ("test", "did you mean ktour selftest?"),
    ("version", "write ktour --version"),
];

/// Returns the line that describes an error of clap. `program` has the commands with their options, and `words`
/// are the typed words after the name of the program.
pub fn error_line(error: &clap::Error, program: &clap::Command, words: &[String]) -> String {
    let argument = texts(error, ContextKind::InvalidArg).join(", ");
    let value = texts(error, ContextKind::InvalidValue).concat();
    match error.kind() {
        ErrorKind::UnknownArgument if is_negative_value(&argument) => {
            // clap reports the first letter alone, as an option.
            let word = words.iter().find(|word| word.starts_with(&argument)).unwrap_or(&argument);
            format!("unexpected argument '{word}'; no value of ktour is negative; {}", help_hint(error))
        }
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let hint = OPTION_HINTS.iter().find(|(option, _)| *option == argument);
            if let Some((_, hint)) = hint {
                return format!("unknown option '{argument}'; {hint}; {}", help_hint(error));
            }
            let command = command_path(error);
            let is_of_command = |(commands, option, _): &&(&[&str], &str, &str)| {
                *option == argument && commands.contains(&command.as_str())
            };
            if let Some((.., hint)) = COMMAND_HINTS.iter().find(is_of_command) {
                return format!("unknown option '{argument}'; {hint}");
            }
            // clap reports the first letter of `-kind` alone.
            let long = words.iter().find(|word| word.len() > 2 && word.starts_with(&argument));
            if let Some(word) = long.filter(|word| !word.starts_with("--")) {
                return format!("unknown option '{word}'; did you mean -{word}? {}", help_hint(error));
            }
            let others = || other_commands(program, &argument);
            let tip = match command_path(error).as_str() {
                "ktour" => suggested_option(error).or_else(others),
                _ => others().or_else(|| suggested_option(error)),
            };
            let tip = tip.map_or_else(String::new, |tip| format!("{tip} "));
            format!("unknown option '{argument}'; {tip}{}", help_hint(error))
        }
        ErrorKind::UnknownArgument => {
            let remedy = hint_for_words(words).unwrap_or_else(|| format!("usage: {}", usage(error)));
            format!("unexpected argument '{argument}'; {remedy}")
        }
        ErrorKind::InvalidSubcommand => {
            let typed = texts(error, ContextKind::InvalidSubcommand).concat();
            // For `ktour help`, clap suggests no command.
            let counted = || {
                let command = match words.split_first()? {
                    (kind, rest) if is_kind(kind) => {
                        format!("{} --kind {}", rest.join(" "), kind.to_lowercase())
                    }
                    (board, rest) if is_board(board) => match rest.split_first() {
                        Some((kind, rest)) if is_kind(kind) => {
                            [&[board.clone(), "--kind".to_owned(), kind.to_lowercase()], rest]
                                .concat()
                                .join(" ")
                        }
                        _ => words.join(" "),
                    },
                    _ => return None,
                };
                Some(format!("to count tours, write ktour count {command}"))
            };
            let named =
                COMMAND_NAMES.iter().find(|(name, _)| *name == typed).map(|&(_, hint)| hint.to_owned());
            let remedy = counted()
                .or(named)
                .or_else(|| did_you_mean(error, ContextKind::SuggestedSubcommand))
                .or_else(|| {
                    let error = program.clone().try_get_matches_from(["ktour", &typed]).err()?;
                    did_you_mean(&error, ContextKind::SuggestedSubcommand)
                });
            format!(
                "there is no command '{typed}'; {}",
                remedy.unwrap_or_else(|| "see ktour --help".to_owned())
            )
        }
        ErrorKind::MissingRequiredArgument if let Some(cause) = requiring_option(program, words) => {
            let missing = texts(error, ContextKind::InvalidArg);
            let missing: Vec<String> = missing.iter().map(|argument| first_alternative(argument)).collect();
            let missing = missing.join(" and ");
            format!("{cause} needs {missing}; add {missing}, or omit {cause}")
        }
        // For several arguments, clap's usage may name some that exclude each other.
        ErrorKind::MissingRequiredArgument if argument.contains([',', '|']) => {
            let verb = if argument.contains(',') { "are" } else { "is" };
            format!("{argument} {verb} missing; {}", help_hint(error))
        }
        ErrorKind::MissingRequiredArgument => {
            format!("{argument} is missing; usage: {}", usage(error))
        }
        ErrorKind::ArgumentConflict => {
            let others = texts(error, ContextKind::PriorArg);
            if others == [argument.as_str()] {
                format!("'{argument}' is given twice; give it once")
            } else {
                format!("'{argument}' cannot be used with '{}'; omit one of them", others.join("', '"))
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            let values = possible_values(error).or_else(|| accepted_values(program, &argument));
            format!("'{argument}' has no value; {}", values.unwrap_or_else(|| help_hint(error)))
        }
        ErrorKind::InvalidValue => {
            let counts_all = words.iter().any(|word| ALL_KINDS_COMMANDS.contains(&word.as_str()));
            let is_all_kinds = counts_all && argument.starts_with("--kind ") && value == "all";
            let omitted = if is_all_kinds { "; omit --kind for all of them" } else { "" };
            format!(
                "invalid value '{value}' for '{argument}'; {}{omitted}",
                possible_values(error).unwrap_or_else(|| help_hint(error))
            )
        }
        ErrorKind::ValueValidation => {
            format!("invalid value '{value}' for '{argument}': {}", source_text(error))
        }
        ErrorKind::InvalidUtf8 => {
            let word = words.iter().find(|word| word.contains(char::REPLACEMENT_CHARACTER));
            format!("argument '{}' is not UTF-8; write it in UTF-8", word.map_or("", String::as_str))
        }
        kind if argument.is_empty() => format!("{kind}; {}", help_hint(error)),
        kind => format!("'{argument}': {kind}; {}", help_hint(error)),
    }
}

/// Returns the typed option because of which a required argument is missing: the option without which another error
/// or none occurs.
fn requiring_option(program: &clap::Command, words: &[String]) -> Option<String> {
    let is_missing = |words: &[&String]| {
        let words = std::iter::once("ktour").chain(words.iter().map(|word| word.as_str()));
        let parsed = program.clone().try_get_matches_from(words);
        parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument)
    };
    let options = (0..words.len()).filter(|&at| words[at].starts_with("--") && words[at].len() > 2);
    let mut causes = options.filter(|&at| {
        // With its value, if the next word is one.
        let has_value =
            !words[at].contains('=') && words.get(at + 1).is_some_and(|word| !word.starts_with("--"));
        [Some(0), Some(1).filter(|_| has_value)].into_iter().flatten().any(|values| {
            let others = (0..words.len()).filter(|&other| other < at || other > at + values);
            let others: Vec<&String> = others.map(|other| &words[other]).collect();
            let words = std::iter::once("ktour").chain(others.iter().map(|word| word.as_str()));
            // A value of an option that is left out is no argument of the command.
            let is_known = program.clone().try_get_matches_from(words).err().is_none_or(|error| {
                !matches!(
                    error.kind(),
                    ErrorKind::UnknownArgument | ErrorKind::InvalidValue | ErrorKind::ValueValidation
                )
            });
            is_known && !is_missing(&others)
        })
    });
    let cause = causes.next()?;
    Some(words[cause].split('=').next().unwrap_or_default().to_owned())
}

/// Returns a missing argument as it is written, of a group the first argument: `--kind <KIND>` of
/// `<--kind <KIND>|--closed>`.
fn first_alternative(argument: &str) -> String {
    let first = argument.trim_start_matches('<').split(['|', '>']).next().unwrap_or_default();
    if first.contains('<') { format!("{first}>") } else { first.to_owned() }
}

/// Returns true for the values `-1`, `-1s` and `-8G`, which clap takes for options.
fn is_negative_value(argument: &str) -> bool {
    argument.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true if a word is a kind of tours.
fn is_kind(word: &str) -> bool {
    Kind::from_str(word, true).is_ok()
}

/// Returns true if a word is a board or a range of boards.
fn is_board(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a remedy for words that are no arguments: a kind of tours, or a board of several words.
fn hint_for_words(words: &[String]) -> Option<String> {
    if let Some(word) = words.iter().find(|word| !word.starts_with('-') && word.contains('=')) {
        return Some(format!("write --{word}"));
    }
    let kind = words.iter().skip(1).find(|word| is_kind(word));
    let has_kind_option = words.iter().any(|word| word.starts_with("--kind"));
    if let (Some(kind), false) = (kind, has_kind_option) {
        return Some(format!("write --kind {} after the board", kind.to_lowercase()));
    }
    let is_side = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_part = |word: &&String| is_side(word) || matches!(word.as_str(), "x" | "X" | "×");
    let parts: Vec<&str> = words.iter().skip(1).take_while(is_part).map(String::as_str).collect();
    let sides: Vec<&str> = parts.iter().copied().filter(|part| is_side(part)).collect();
    (parts.len() > 1).then(|| format!("a board is one word: {}", sides.join("x")))
}

/// Returns the texts of one kind of context.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Returns the usage of the command that was parsed, such as `ktour count [OPTIONS] [BOARD]`.
fn usage(error: &clap::Error) -> String {
    let usage = texts(error, ContextKind::Usage).concat();
    usage.trim_start_matches("Usage:").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the command that was parsed: `ktour`, or for example `ktour count`.
fn command_path(error: &clap::Error) -> String {
    let usage = usage(error);
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    usage.split(' ').take_while(is_name).collect::<Vec<_>>().join(" ")
}

fn help_hint(error: &clap::Error) -> String {
    format!("see {} --help", command_path(error))
}

fn did_you_mean(error: &clap::Error, kind: ContextKind) -> Option<String> {
    let similar = texts(error, kind);
    (!similar.is_empty()).then(|| format!("did you mean {}?", similar.join(" or ")))
}

/// Returns a sentence that names the commands with exactly this option, if there are any.
fn other_commands(program: &clap::Command, option: &str) -> Option<String> {
    let is_option = |argument: &clap::Arg| match option.strip_prefix("--") {
        Some(name) => argument.get_long() == Some(name),
        None => {
            argument.get_short().is_some_and(|letter| option.strip_prefix('-') == Some(&letter.to_string()))
        }
    };
    let has_option = |command: &&clap::Command| {
        command
            .get_arguments()
            .any(|argument| is_option(argument) && !argument.is_global_set() && !argument.is_hide_set())
    };
    let commands: Vec<&str> =
        program.get_subcommands().filter(has_option).map(clap::Command::get_name).collect();
    (!commands.is_empty()).then(|| format!("it is an option of {};", commands.join(", ")))
}

/// Returns clap's suggestion for an unknown option: a similar option, or the command that has it.
fn suggested_option(error: &clap::Error) -> Option<String> {
    did_you_mean(error, ContextKind::SuggestedArg).or_else(|| {
        // Within a command, clap only suggests to pass the option as a value.
        let is_before_command = command_path(error) == "ktour";
        texts(error, ContextKind::Suggested).pop().filter(|_| is_before_command).map(|tip| format!("{tip};"))
    })
}

/// Returns the possible values of an option. If they are many, returns a similar one.
fn possible_values(error: &clap::Error) -> Option<String> {
    let values = texts(error, ContextKind::ValidValue);
    let similar =
        did_you_mean(error, ContextKind::SuggestedValue).filter(|_| values.len() > MAX_LISTED_VALUES);
    let list = (!values.is_empty()).then(|| format!("possible values: {}", values.join(", ")));
    similar.or(list)
}

/// Returns the values that an option takes, as a remedy: from the error of its parser, otherwise from
/// its help. An error without a value does not name its command, but an option is the same in all
/// commands.
fn accepted_values(program: &clap::Command, argument: &str) -> Option<String> {
    let (option, value_name) = argument.split_once(' ')?;
    let is_option = |argument: &&clap::Arg| argument.get_long() == option.strip_prefix("--");
    let mut commands = std::iter::once(program).chain(program.get_subcommands());
    let (command, found) =
        commands.find_map(|command| Some((command, command.get_arguments().find(is_option)?)))?;
    let names =
        ["ktour", command.get_name()].into_iter().take(if std::ptr::eq(command, program) { 1 } else { 2 });
    let words = names.map(str::to_owned).chain([format!("{option}=")]);
    let error = program.clone().try_get_matches_from(words).err();
    let reason = error.map(|error| source_text(&error)).unwrap_or_default();
    if let Some((_, remedy)) = reason.rsplit_once("; ") {
        return Some(remedy.to_owned());
    }
    let help = found.get_help()?.to_string();
    let (first, rest) = help.split_at_checked(1)?;
    Some(format!("add {}: {}{rest}", value_name.trim_matches(['<', '>']), first.to_lowercase()))
}

/// Returns the message of a parser of values.
fn source_text(error: &clap::Error) -> String {
    std::error::Error::source(error).map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command};

    use super::*;

    #[test]
    fn first_alternative_is_an_argument() {
        for (argument, first) in [
            ("--recurrence", "--recurrence"),
            ("--kind <KIND>", "--kind <KIND>"),
            ("<--kind <KIND>|--closed>", "--kind <KIND>"),
            ("<BOARD|--graph <FILE>>", "BOARD"),
        ] {
            assert_eq!(first_alternative(argument), first);
        }
    }

    #[test]
    fn error_line_names_the_argument_and_a_remedy() {
        let value = |name: &'static str| Arg::new(name).long(name).value_name("X");
        let count = Command::new("count")
            .arg(value("kind").value_parser(["open", "closed"]))
            .arg(value("json").value_name("FILE").help("Write JSON to a file"))
            .arg(value("within").value_parser(|text: &str| match text.strip_suffix('s') {
                Some(seconds) if !seconds.starts_with('-') => Ok(seconds.to_owned()),
                _ => Err("not a duration; write seconds, such as 60s".to_owned()),
            }))
            .arg(value("rule").value_parser(["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "longest"]))
            .arg(value("bits").num_args(2))
            .arg(value("index").requires("kind"))
            .arg(value("from").require_equals(true))
            .arg(Arg::new("flag").long("flag").action(ArgAction::SetTrue).conflicts_with("kind"))
            .arg(Arg::new("board").value_name("BOARD").required(true).value_parser(
                |text: &str| match text {
                    "x" => Err("not a board; write 6x8".to_owned()),
                    text => Ok(text.to_owned()),
                },
            ));
        let draw = Command::new("draw").arg(value("width").short('w'));
        let program = Command::new("ktour").bin_name("ktour").subcommand(count).subcommand(draw);
        let line_of = |typed: &str| {
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            let all = std::iter::once("ktour").chain(typed.split(' '));
            error_line(&program.clone().try_get_matches_from(all).unwrap_err(), &program, &words)
        };
        for (typed, line) in [
            ("count x", "invalid value 'x' for '<BOARD>': not a board; write 6x8"),
            ("count", "<BOARD> is missing; usage: ktour count <BOARD>"),
            ("count 5 --index x", "--index needs --kind <X>; add --kind <X>, or omit --index"),
            ("count --index=x 5", "--index needs --kind <X>; add --kind <X>, or omit --index"),
            ("count 5 6", "unexpected argument '6'; a board is one word: 5x6"),
            ("count 6 x 6", "unexpected argument 'x'; a board is one word: 6x6"),
            ("count 5 open", "unexpected argument 'open'; write --kind open after the board"),
            ("count x open", "unexpected argument 'open'; write --kind open after the board"),
            ("count 5 --cyclic", "unknown option '--cyclic'; add --kind closed; see ktour count --help"),
            (
                "5x6 --kind open",
                "there is no command '5x6'; to count tours, write ktour count 5x6 --kind open",
            ),
            (
                "5x6 Open -q",
                "there is no command '5x6'; to count tours, write ktour count 5x6 --kind open -q",
            ),
            ("count 5 kind=open", "unexpected argument 'kind=open'; write --kind=open"),
            ("count 5 -kind open", "unknown option '-kind'; did you mean --kind? see ktour count --help"),
            ("open 5x6", "there is no command 'open'; to count tours, write ktour count 5x6 --kind open"),
            (
                "count 5 --within -1s",
                "unexpected argument '-1s'; no value of ktour is negative; see ktour count --help",
            ),
            ("count 5 --knid open", "unknown option '--knid'; did you mean --kind? see ktour count --help"),
            ("count 5 --zzz", "unknown option '--zzz'; see ktour count --help"),
            ("count 5 --width", "unknown option '--width'; it is an option of draw; see ktour count --help"),
            ("count 5 -w", "unknown option '-w'; it is an option of draw; see ktour count --help"),
            (
                "count 5 --board 5",
                "unknown option '--board'; BOARD is an argument without an option, such as 6x8",
            ),
            (
                "draw --no-lines",
                "unknown option '--no-lines'; write --format box, which draws numbers without lines",
            ),
            (
                "count 5 --kind all",
                "invalid value 'all' for '--kind <X>'; possible values: open, closed; omit --kind for all of them",
            ),
            ("--kind open count", "unknown option '--kind'; 'count --kind' exists; see ktour --help"),
            ("cuont", "there is no command 'cuont'; did you mean count?"),
            ("zzz", "there is no command 'zzz'; see ktour --help"),
            ("count 5 --kind opn", "invalid value 'opn' for '--kind <X>'; possible values: open, closed"),
            ("count 5 --rule longst", "invalid value 'longst' for '--rule <X>'; did you mean longest?"),
            ("help cuont", "there is no command 'cuont'; did you mean count?"),
            ("help zzz", "there is no command 'zzz'; see ktour --help"),
            ("count 5 --kind", "'--kind <X>' has no value; possible values: open, closed"),
            ("count 5 --json", "'--json <FILE>' has no value; add FILE: write JSON to a file"),
            ("count 5 --within", "'--within <X>' has no value; write seconds, such as 60s"),
            ("count 5 --flag --kind open", "'--flag' cannot be used with '--kind <X>'; omit one of them"),
            ("count 5 --flag --flag", "'--flag' is given twice; give it once"),
        ] {
            assert_eq!(line_of(typed), line, "{typed}");
        }
        for typed in ["count 5 --from 3", "count 5 --bits 1", "count 5 --flag=3"] {
            let line = line_of(typed);
            assert!(line.starts_with("'--") && line.ends_with("; see ktour count --help"), "{line}");
        }
    }
}
