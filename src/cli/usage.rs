//! A command line that clap does not take, in one line that leads to the right option.
//!
//! clap suggests what is spelt alike, which for `count --closed` is `--classes`. Before
//! that comes what is meant: an option of another name, or one of another command.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What is typed elsewhere, or was meant by analogy, an option or a word that the command takes then, and how it is
/// written here.
const MEANT: [(&str, &str, &str); 63] = [
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
    ("--number", "words", "the numbers behind BOARD"),
    ("--from", "words", "the numbers behind BOARD"),
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
    ("--undirected", "directed", "nothing: undirected tours are counted unless --directed is there"),
    ("--unique", "distinct", "--distinct"),
    ("--up-to-symmetry", "distinct", "--distinct"),
    ("--max", "limit", "--limit N"),
    ("--algorithm", "engine", "--engine NAME"),
    ("--algorithm", "rule", "--rule RULE"),
    ("--svg", "rule", "it to a picture: ktour find 8x8 | ktour draw - --output tour.svg"),
    ("--png", "rule", "it to a picture: ktour find 8x8 | ktour draw - --output tour.png"),
];

/// Commands by other names.
const CALLED: [(&str, &str); 14] = [
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

/// The line, of an error that `program` made of `arguments`.
pub fn line(error: &clap::Error, program: &Command, arguments: &[String]) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let command = arguments.iter().skip(1).find_map(|word| program.find_subcommand(word));
    match (error.kind(), context(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(option)) if option.starts_with('-') => {
            let similar = context(ContextKind::SuggestedArg);
            if let Some(line) = negative(option, arguments, command) {
                return line;
            }
            // Options stand behind the command.
            let place =
                |wanted: &str| arguments.iter().position(|word| word.split('=').next() == Some(wanted));
            let behind = |name: &str| place(option).is_none_or(|option| Some(option) > place(name));
            let command = command.filter(|command| behind(command.get_name()));
            unknown(option, command, similar, program)
        }
        (ErrorKind::UnknownArgument, Some(word)) => {
            let line = one_line(&error.to_string());
            match (two_sides(word, arguments), command) {
                (Some(board), _) => format!("{line}: a board is one word, write {board}"),
                (None, Some(command)) => {
                    let name = command.get_name();
                    match command.get_positionals().last().and_then(|last| last.get_value_names()) {
                        Some([value, ..]) => format!("{line}: ktour {name} takes one {value}"),
                        _ => format!("{line}: ktour {name} --help tells what it takes"),
                    }
                }
                (None, None) => line,
            }
        }
        (ErrorKind::InvalidSubcommand, typed) => {
            let typed = typed.or_else(|| context(ContextKind::InvalidSubcommand)).unwrap_or_default();
            let line = without_tips(&error.to_string());
            if let Some((_, name)) = CALLED.iter().find(|(called, _)| *called == typed) {
                return format!("{}: it is called {name}", one_line(&line));
            }
            let names = program.get_subcommands().map(Command::get_name);
            let alike = names.filter(|name| !typed.is_empty() && is_alike(typed, name));
            match alike.min_by_key(|name| strsim::damerau_levenshtein(typed, name)) {
                Some(name) => format!("{}: did you mean {name}?", one_line(&line)),
                None => format!("{}: ktour --help has them all", one_line(&line)),
            }
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let name = command.map_or_else(String::new, |command| format!(" {}", command.get_name()));
            format!("{}; ktour{name} --help has examples", one_line(&error.to_string()))
        }
        (ErrorKind::ArgumentConflict, _) => {
            let line = one_line(&error.to_string());
            let remedy = if line.ends_with("multiple times") { "give it once" } else { "leave one out" };
            format!("{line}: {remedy}")
        }
        _ => {
            // Of values only what is spelt alike is worth a tip.
            let typed = context(ContextKind::InvalidValue);
            let similar = context(ContextKind::SuggestedValue);
            let text = error.to_string();
            match typed.zip(similar) {
                Some((typed, similar)) if !is_alike(typed, similar) => one_line(&without_tips(&text)),
                _ => in_words(&one_line(&text)),
            }
        }
    }
}

/// What clap and the standard library say of a value, for people.
fn in_words(line: &str) -> String {
    for (said, meant) in [
        ("number too large to fit in target type", "it is too large"),
        ("invalid digit found in string", "write a whole number from 0 on"),
    ] {
        if let Some(line) = line.strip_suffix(said) {
            return format!("{line}{meant}");
        }
    }
    if let Some(what) = line.strip_suffix(" but none was supplied").filter(|what| what.ends_with(" <FILE>'"))
    {
        let or = if what.contains("--checkpoint") || what.contains("--record") {
            ""
        } else {
            ", or - for standard output"
        };
        return format!("{what}: name a file{or}");
    }
    let range = line.rsplit_once(": ").and_then(|(what, range)| {
        let (low, high) = range.split_once(" is not in ")?.1.split_once("..")?;
        let high = match high.strip_prefix('=') {
            Some(high) => high.parse::<u128>().ok()?,
            None => high.parse::<u128>().ok()? - 1,
        };
        let most = if high >= u128::from(u64::MAX) - 1 { "on".to_owned() } else { format!("to {high}") };
        Some(format!("{what}: write a number from {low} {most}"))
    });
    range.unwrap_or_else(|| line.to_owned())
}

/// An option that was given a negative number, which clap takes for an option that is not known.
fn negative(option: &str, arguments: &[String], command: Option<&Command>) -> Option<String> {
    let is_number =
        option.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let place = arguments.iter().position(|word| is_number && word.starts_with(option))?;
    let word = &arguments[place];
    let takes_values = |before: &&String| {
        let long = before.strip_prefix("--").unwrap_or_default();
        let mut options = command.iter().flat_map(|command| command.get_arguments());
        // The one of the program itself is in all commands.
        long == "threads"
            || options.any(|option| option.get_long() == Some(long) && option.get_action().takes_values())
    };
    Some(match arguments[..place].last().filter(takes_values) {
        Some(before) => format!("{before} {word}: it takes nothing below 0"),
        None => format!("{word} is no option, and nothing here is below 0"),
    })
}

/// The board of two sides that were typed as two words, one of which is not expected: `6 7`.
fn two_sides(word: &str, arguments: &[String]) -> Option<String> {
    let is_side = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let mut pairs = arguments.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let (rows, cols) = pairs.find(|&(rows, cols)| is_side(rows) && cols == word && is_side(cols))?;
    Some(format!("{rows}x{cols}"))
}

/// Whether one word may have been meant by the other: a slip or two, or a part of it. clap's own measure finds
/// `--output` like `--count`, and `mono` like `foo`.
pub(super) fn is_alike(typed: &str, known: &str) -> bool {
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

fn has(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(long))
}

/// `--OPTION` is not an option of the command: what may have been meant.
fn unknown(option: &str, command: Option<&Command>, similar: Option<&str>, program: &Command) -> String {
    let Some(command) = command else {
        // Its own option for the version is not among those that were defined.
        let own = program.get_arguments().filter_map(clap::Arg::get_long).chain(["version"]);
        let mut own = own.map(|long| format!("--{long}"));
        if let Some(meant) = own.find(|long| is_alike(option, long)) {
            return format!("unknown option {option}: did you mean {meant}?");
        }
        return format!("unknown option {option}: the command comes first, as in ktour count 6x6");
    };
    let name = command.get_name();
    let takes = |what: &str| {
        what == "threads" || has(command, what) || command.get_positionals().any(|word| word.get_id() == what)
    };
    let meant = MEANT.iter().find(|(typed, what, _)| *typed == option && takes(what));
    if let Some((_, _, write)) = meant {
        return format!("{name} has no option {option}: write {write}");
    }
    let long = option.strip_prefix("--").unwrap_or_default();
    let others: Vec<&str> = program
        .get_subcommands()
        .filter(|other| !long.is_empty() && has(other, long))
        .map(Command::get_name)
        .collect();
    if let Some((last, rest)) = others.split_last() {
        let of =
            if rest.is_empty() { format!("ktour {last}") } else { format!("{} and {last}", rest.join(", ")) };
        return format!("{name} has no option {option}, which is one of {of}; see ktour {name} --help");
    }
    match similar.filter(|similar| is_alike(option, similar)) {
        Some(similar) => format!("{name} has no option {option}: did you mean {similar}?"),
        None => format!("{name} has no option {option}: ktour {name} --help has them all"),
    }
}

/// A message of several lines as one, without clap's own prefix and its advice to see the help.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    // clap would have every unknown option passed as a value.
    let useless =
        |line: &str| line.is_empty() || line.starts_with("For more") || line.starts_with("tip: to pass");
    let mut text = String::new();
    for line in lines.filter(|line| !useless(line)) {
        match line.strip_prefix("tip: ") {
            Some(tip) => text.push_str(&format!(": {tip}")),
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
    fn words_are_alike_after_a_slip() {
        let alike =
            [("--coulor", "--color"), ("cuont", "count"), ("json", "ndjson"), ("--treads", "--threads")];
        assert!(alike.iter().all(|(typed, known)| is_alike(typed, known)));
        let unlike = [("--count", "--output"), ("foo", "mono"), ("--closed", "--classes"), ("x", "svg")];
        assert!(!unlike.iter().any(|(typed, known)| is_alike(typed, known)));
    }

    #[test]
    fn values_are_refused_in_words() {
        let said =
            |value: &str, why: &str| in_words(&format!("invalid value '{value}' for '--n <N>': {why}"));
        assert!(said("0", "0 is not in 1..18446744073709551615").ends_with(": write a number from 1 on"));
        assert!(said("0", "0 is not in 1..=65535").ends_with(": write a number from 1 to 65535"));
        assert!(said("x", "invalid digit found in string").ends_with(": write a whole number from 0 on"));
        assert!(said("6x", "`6x` is not a board").ends_with(": `6x` is not a board"));
        let typed = ["ktour", "find", "6x6", "--seed", "-1"].map(str::to_owned);
        let value = clap::Arg::new("seed").long("seed").action(clap::ArgAction::Set);
        let flag = clap::Arg::new("open").long("open").action(clap::ArgAction::SetTrue);
        let command = Command::new("find").args([value, flag]);
        let negative = |option: &str, typed: &[String]| negative(option, typed, Some(&command));
        assert_eq!(negative("-1", &typed).unwrap(), "--seed -1: it takes nothing below 0");
        let typed = ["ktour", "find", "6x6", "--open", "-1"].map(str::to_owned);
        assert_eq!(negative("-1", &typed).unwrap(), "-1 is no option, and nothing here is below 0");
        let typed = ["ktour", "count", "-3x4"].map(str::to_owned);
        assert_eq!(negative("-3", &typed).unwrap(), "-3x4 is no option, and nothing here is below 0");
        assert_eq!(negative("-v", &typed), None);
    }

    #[test]
    fn clap_messages_become_one_line() {
        let message = "error: invalid value '6x' for '<BOARD>': `6x` is not a board\n\nFor more information, try '--help'.\n";
        assert_eq!(one_line(message), "invalid value '6x' for '<BOARD>': `6x` is not a board");
        let message = "error: the argument '--a' cannot be used with:\n  --b\n  --c\n\nUsage: ktour\n";
        assert_eq!(one_line(message), "the argument '--a' cannot be used with: --b --c");
        let message = "error: unexpected argument '-1' found\n\n  tip: to pass '-1' as a value, use '-- -1'\n\nUsage: ktour\n";
        assert_eq!(one_line(message), "unexpected argument '-1' found");
        let message = "error: invalid value 'opn'\n\n  tip: a similar value exists: 'open'\n";
        assert_eq!(one_line(message), "invalid value 'opn': a similar value exists: 'open'");
    }
}
