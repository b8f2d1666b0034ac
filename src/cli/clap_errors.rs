//! Errors of clap, rewritten as one line that leads to the right option.
//!
//! clap suggests the option with the most similar spelling, which for `count --closed` is
//! `--classes`. Tables of synonyms, and options of other commands, take precedence here.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Options of other programs or of other commands: the option as typed, an option or argument that
/// the current command must have, and the text to write instead.
const OPTION_SYNONYMS: [(&str, &str, &str); 63] = [
    ("--closed", "kind", "--kind closed"),
    ("--close", "kind", "--kind closed"),
    ("--cycles", "kind", "--kind closed"),
    ("-k", "kind", "--kind closed, open or paths"),
    ("--open", "kind", "--kind open"),
    ("--paths", "kind", "--kind paths"),
    ("--tours", "kind", "--kind"),
    ("--type", "kind", "--kind"),
    ("--piece", "leaper", "--leaper A,B"),
    ("--knight", "leaper", "--leaper 1,2, which is the default"),
    ("--holes", "remove", "--remove SQUARES"),
    ("--hole", "remove", "--remove SQUARES"),
    ("--exclude", "remove", "--remove SQUARES"),
    ("--without", "remove", "--remove SQUARES"),
    ("--torus", "wrap", "--wrap torus"),
    ("--cylinder", "wrap", "--wrap cylinder"),
    ("--board", "wrap", "BOARD without --board"),
    ("--jobs", "threads", "--threads N"),
    ("--cpus", "threads", "--threads N"),
    ("--cores", "threads", "--threads N"),
    ("-j", "threads", "--threads N"),
    ("-t", "threads", "--threads N"),
    ("--ram", "memory", "--memory SIZE"),
    ("--mem", "memory", "--memory SIZE"),
    ("-o", "output", "--output FILE"),
    ("--out", "output", "--output FILE"),
    ("--file", "output", "--output FILE"),
    ("--output", "csv", "--csv FILE or --json FILE"),
    ("--format", "csv", "--csv FILE or --json FILE, - for standard output"),
    ("--format", "json", "--json FILE, - for standard output"),
    ("--csv", "bare", "--format csv"),
    ("--json", "bare", "--format ndjson"),
    ("--quiet", "progress", "--progress none"),
    ("--silent", "progress", "--progress none"),
    ("-q", "progress", "--progress none"),
    ("-n", "limit", "--limit N"),
    ("--number", "limit", "--limit N"),
    ("--number", "words", "the numbers after BOARD"),
    ("--from", "words", "the numbers after BOARD"),
    ("-n", "number", "--number N"),
    ("--limit", "number", "--number N"),
    ("--count", "number", "--number N"),
    ("--size", "number", "--number N"),
    ("--samples", "number", "--number N"),
    ("--skip", "from", "--from K"),
    ("-s", "seed", "--seed N"),
    ("-f", "format", "--format FORMAT"),
    ("--symmetric", "symmetry", "--symmetry WHICH"),
    ("--warnsdorff", "rule", "--rule warnsdorff"),
    ("--png", "animate", "--output FILE.png"),
    ("--svg", "animate", "--output FILE.svg"),
    ("--box", "animate", "--format box"),
    ("--size", "animate", "--cell PIXELS"),
    ("--colors", "palette", "--palette NAME"),
    ("--colours", "palette", "--palette NAME"),
    ("--undirected", "directed", "nothing, undirected is the default"),
    ("--unique", "distinct", "--distinct"),
    ("--up-to-symmetry", "distinct", "--distinct"),
    ("--max", "limit", "--limit N"),
    ("--algorithm", "engine", "--engine NAME"),
    ("--algorithm", "rule", "--rule RULE"),
    ("--svg", "rule", "a picture by ktour draw: ktour find 8x8 | ktour draw - --output tour.svg"),
    ("--png", "rule", "a picture by ktour draw: ktour find 8x8 | ktour draw - --output tour.png"),
];

/// Names for commands in other programs, each with the name of the command here.
const COMMAND_SYNONYMS: [(&str, &str); 14] = [
    ("nth", "unrank"),
    ("kth", "unrank"),
    ("random", "sample"),
    ("validate", "check"),
    ("classify", "check"),
    ("show", "draw"),
    ("view", "draw"),
    ("render", "draw"),
    ("plot", "draw"),
    ("enumerate", "list"),
    ("solve", "find"),
    ("generate", "find"),
    ("continue", "resume"),
    ("forecast", "estimate"),
];

/// Returns the line that describes the error which clap reports for `arguments`.
pub fn error_line(error: &clap::Error, program: &Command, arguments: &[String]) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let command = arguments.iter().skip(1).find_map(|word| program.find_subcommand(word));
    match (error.kind(), context(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(option)) if option.starts_with('-') => {
            let similar = context(ContextKind::SuggestedArg);
            if let Some(line) = negative_value_line(option, arguments, command) {
                return line;
            }
            // Only options after the command belong to it.
            let place = |option_name: &str| {
                arguments.iter().position(|word| word.split('=').next() == Some(option_name))
            };
            let behind = |name: &str| place(option).is_none_or(|option| Some(option) > place(name));
            let command = command.filter(|command| behind(command.get_name()));
            unknown_option_line(option, command, similar, program)
        }
        (ErrorKind::UnknownArgument, Some(word)) => {
            let line = join_lines(&error.to_string());
            match (board_of_two_words(word, arguments), command) {
                (Some(board), _) => format!("{line}; write the board as one word, {board}"),
                (None, Some(command)) => {
                    let name = command.get_name();
                    match command.get_positionals().last().and_then(|last| last.get_value_names()) {
                        Some([value, ..]) => format!("{line}; ktour {name} takes one {value}"),
                        _ => format!("{line}; see ktour {name} --help"),
                    }
                }
                (None, None) => line,
            }
        }
        (ErrorKind::InvalidSubcommand, typed) => {
            let typed = typed.or_else(|| context(ContextKind::InvalidSubcommand)).unwrap_or_default();
            let line = without_tips(&error.to_string());
            if let Some((_, name)) = COMMAND_SYNONYMS.iter().find(|(called, _)| *called == typed) {
                return format!("{}; use {name}", join_lines(&line));
            }
            let names = program.get_subcommands().map(Command::get_name);
            let alike = names.filter(|name| !typed.is_empty() && is_similar(typed, name));
            match alike.min_by_key(|name| strsim::damerau_levenshtein(typed, name)) {
                Some(name) => format!("{}; did you mean {name}?", join_lines(&line)),
                None => format!("{}; see ktour --help", join_lines(&line)),
            }
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let name = command.map_or_else(String::new, |command| format!(" {}", command.get_name()));
            format!("{}; see ktour{name} --help for examples", join_lines(&error.to_string()))
        }
        (ErrorKind::ArgumentConflict, _) => {
            let line = join_lines(&error.to_string());
            let remedy =
                if line.ends_with("multiple times") { "give it once" } else { "leave out one of them" };
            format!("{line}; {remedy}")
        }
        _ => {
            // A similar value is suggested only if the spelling is close.
            let typed = context(ContextKind::InvalidValue);
            let similar = context(ContextKind::SuggestedValue);
            let text = error.to_string();
            match typed.zip(similar) {
                Some((typed, similar)) if !is_similar(typed, similar) => join_lines(&without_tips(&text)),
                _ => simplify_value_error(&join_lines(&text)),
            }
        }
    }
}

/// Replaces the words of clap and of the standard library about a wrong value by simpler ones.
fn simplify_value_error(line: &str) -> String {
    for (original, replacement) in [
        ("number too large to fit in target type", "it is too large"),
        ("invalid digit found in string", "write a whole number from 0"),
    ] {
        if let Some(line) = line.strip_suffix(original) {
            return format!("{line}{replacement}");
        }
    }
    if let Some(what) = line.strip_suffix(" but none was supplied").filter(|what| what.ends_with(" <FILE>'"))
    {
        let or = if what.contains("--checkpoint") || what.contains("--record") {
            ""
        } else {
            ", or - for standard output"
        };
        return format!("{what}; name a file{or}");
    }
    let range = line.rsplit_once(": ").and_then(|(what, range)| {
        let (low, high) = range.split_once(" is not in ")?.1.split_once("..")?;
        let high = match high.strip_prefix('=') {
            Some(high) => high.parse::<u128>().ok()?,
            None => high.parse::<u128>().ok()? - 1,
        };
        let upper =
            if high >= u128::from(u64::MAX) - 1 { "upwards".to_owned() } else { format!("to {high}") };
        Some(format!("{what}: write a number from {low} {upper}"))
    });
    range.unwrap_or_else(|| line.to_owned())
}

/// Returns the error line for a negative number, which clap reports as an unknown option.
fn negative_value_line(option: &str, arguments: &[String], command: Option<&Command>) -> Option<String> {
    let is_number =
        option.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let position = arguments.iter().position(|word| is_number && word.starts_with(option))?;
    let word = &arguments[position];
    let takes_values = |before: &&String| {
        let long = before.strip_prefix("--").unwrap_or_default();
        let mut options = command.iter().flat_map(|command| command.get_arguments());
        // `--threads` belongs to the program and is accepted by all commands.
        long == "threads"
            || options.any(|option| option.get_long() == Some(long) && option.get_action().takes_values())
    };
    Some(match arguments[..position].last().filter(takes_values) {
        Some(before) => format!("{before} {word}: the value must not be negative; write a number from 0"),
        None => format!("{word} is not an option; numbers must not be negative"),
    })
}

/// Returns the board whose two sides were typed as two words, such as `6 7`. `word` is the second
/// of them.
fn board_of_two_words(word: &str, arguments: &[String]) -> Option<String> {
    let is_side = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let mut pairs = arguments.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let (rows, cols) = pairs.find(|&(rows, cols)| is_side(rows) && cols == word && is_side(cols))?;
    Some(format!("{rows}x{cols}"))
}

/// Returns true if the user may have meant `known` by `typed`: one contains the other, or they
/// differ by at most one to three edits, depending on the length. clap's own measure suggests
/// `--count` for `--output`, and `foo` for `mono`.
pub(super) fn is_similar(typed: &str, known: &str) -> bool {
    let (typed, known) = (typed.trim_start_matches('-'), known.trim_start_matches('-'));
    let is_part = typed.len() >= 3 && known.contains(typed) || known.len() >= 3 && typed.contains(known);
    is_part || strsim::damerau_levenshtein(typed, known) <= (typed.len() / 3).clamp(1, 3)
}

fn without_tips(message: &str) -> String {
    message
        .lines()
        .filter(|line| !line.trim_start().starts_with("tip:"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn has_option(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(long))
}

/// Returns the error line for an option that the command does not have. It names the option that
/// the user may have meant.
fn unknown_option_line(
    option: &str,
    command: Option<&Command>,
    similar: Option<&str>,
    program: &Command,
) -> String {
    let Some(command) = command else {
        // clap adds `--version` without listing it.
        let program_options = program.get_arguments().filter_map(clap::Arg::get_long).chain(["version"]);
        let mut own = program_options.map(|long| format!("--{long}"));
        if let Some(suggestion) = own.find(|long| is_similar(option, long)) {
            return format!("unknown option {option}; did you mean {suggestion}?");
        }
        return format!("unknown option {option}; write the command first, as in ktour count 6x6");
    };
    let name = command.get_name();
    let takes = |what: &str| {
        what == "threads"
            || has_option(command, what)
            || command.get_positionals().any(|word| word.get_id() == what)
    };
    let suggestion = OPTION_SYNONYMS.iter().find(|(typed, what, _)| *typed == option && takes(what));
    if let Some((_, _, write)) = suggestion {
        return format!("{name} has no option {option}; write {write}");
    }
    let long = option.strip_prefix("--").unwrap_or_default();
    let others: Vec<&str> = program
        .get_subcommands()
        .filter(|other| !long.is_empty() && has_option(other, long))
        .map(Command::get_name)
        .collect();
    if let Some((last, rest)) = others.split_last() {
        let commands =
            if rest.is_empty() { format!("ktour {last}") } else { format!("{} and {last}", rest.join(", ")) };
        return format!("{name} has no option {option}, it belongs to {commands}; see ktour {name} --help");
    }
    match similar.filter(|similar| is_similar(option, similar)) {
        Some(similar) => format!("{name} has no option {option}; did you mean {similar}?"),
        None => format!("{name} has no option {option}; see ktour {name} --help"),
    }
}

/// Joins the lines of a message into one, without clap's prefix and without its advice to see the
/// help.
fn join_lines(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    // clap suggests passing any unknown option as a value.
    let useless =
        |line: &str| line.is_empty() || line.starts_with("For more") || line.starts_with("tip: to pass");
    let mut text = String::new();
    for line in lines.filter(|line| !useless(line)) {
        match line.strip_prefix("tip: ") {
            Some(tip) => text.push_str(&format!("; {tip}")),
            None if text.is_empty() => text.push_str(line),
            None => text.push_str(&format!(" {line}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_similar_allows_typos() {
        let alike =
            [("--coulor", "--color"), ("cuont", "count"), ("json", "ndjson"), ("--treads", "--threads")];
        assert!(alike.iter().all(|(typed, known)| is_similar(typed, known)));
        let dissimilar = [("--count", "--output"), ("foo", "mono"), ("--closed", "--classes"), ("x", "svg")];
        assert!(!dissimilar.iter().any(|(typed, known)| is_similar(typed, known)));
    }

    #[test]
    fn value_errors_are_simplified() {
        let simplified = |value: &str, why: &str| {
            simplify_value_error(&format!("invalid value '{value}' for '--n <N>': {why}"))
        };
        let unbounded = simplified("0", "0 is not in 1..18446744073709551615");
        assert!(unbounded.contains("from 1 ") && !unbounded.contains("18446744073709551615"), "{unbounded}");
        assert!(simplified("0", "0 is not in 1..=65535").ends_with("1 to 65535"));
        assert!(simplified("x", "invalid digit found in string").ends_with("whole number from 0"));
        assert!(simplified("6x", "`6x` is not a board").ends_with(": `6x` is not a board"));
        let typed = ["ktour", "find", "6x6", "--seed", "-1"].map(str::to_owned);
        let value = clap::Arg::new("seed").long("seed").action(clap::ArgAction::Set);
        let flag = clap::Arg::new("open").long("open").action(clap::ArgAction::SetTrue);
        let command = Command::new("find").args([value, flag]);
        let negative = |option: &str, typed: &[String]| negative_value_line(option, typed, Some(&command));
        assert!(negative("-1", &typed).unwrap().starts_with("--seed -1: "));
        let typed = ["ktour", "find", "6x6", "--open", "-1"].map(str::to_owned);
        assert!(negative("-1", &typed).unwrap().starts_with("-1 is not an option"));
        let typed = ["ktour", "count", "-3x4"].map(str::to_owned);
        assert!(negative("-3", &typed).unwrap().starts_with("-3x4 is not an option"));
        assert_eq!(negative("-v", &typed), None);
    }

    #[test]
    fn join_lines_drops_usage_and_tips() {
        let message = "error: invalid value '6x' for '<BOARD>': `6x` is not a board\n\nFor more information, try '--help'.\n";
        assert_eq!(join_lines(message), "invalid value '6x' for '<BOARD>': `6x` is not a board");
        let message = "error: the argument '--a' cannot be used with:\n  --b\n  --c\n\nUsage: ktour\n";
        assert_eq!(join_lines(message), "the argument '--a' cannot be used with: --b --c");
        let message = "error: unexpected argument '-1' found\n\n  tip: to pass '-1' as a value, use '-- -1'\n\nUsage: ktour\n";
        assert_eq!(join_lines(message), "unexpected argument '-1' found");
        let message = "error: invalid value 'opn'\n\n  tip: a similar value exists: 'open'\n";
        assert_eq!(join_lines(message), "invalid value 'opn'; a similar value exists: 'open'");
    }
}
