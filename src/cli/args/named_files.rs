//! The files that the options of a command name. They are compared before the command starts, so that no output
//! replaces an input, and no two options read standard input.
//!
//! The files are found by the names of the values in the clap definition: `FILE` is a file, and so is a list
//! of moves `@FILE`. Commands need no list of their own, in which an option could be missing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};

use super::output_options::check_outputs;
use crate::cli::error::CliError;
use crate::cli::mpi::mpi_ranks;

/// Options whose file is read. Every other file may be written.
const INPUTS: [&str; 7] = ["file", "files", "shape", "graph", "clues", "moves_file", "table"];

/// Name of the value of an option whose value is a file.
const FILE: &str = "FILE";

/// Name of the value of an option whose value is a list of moves, or a file with moves behind a sign `@`.
const MOVES: &str = "MOVES";

/// A file with the option that names it.
struct NamedFile {
    /// The option, such as `--csv`, or the name of the argument.
    option: String,
    path: PathBuf,
    is_input: bool,
}

/// Returns an error if the options of a command name the same file, of which one option writes it, or if two of
/// them read standard input. `checkpoint` replaces the file of `--checkpoint` in a run that `ktour resume` resumes.
///
/// # Errors
/// Exit status 2. The message names both options.
pub fn check_named_files(
    program: &Command,
    matches: &ArgMatches,
    checkpoint: Option<&Path>,
) -> Result<(), CliError> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let Some(command) = program.find_subcommand(name) else { return Ok(()) };
    let files = command.get_arguments().flat_map(|option| files_of(option, matches));
    let (inputs, mut outputs): (Vec<NamedFile>, Vec<NamedFile>) = files.partition(|file| file.is_input);
    for output in outputs.iter_mut().filter(|output| output.option == "--checkpoint") {
        let path = checkpoint.unwrap_or(&output.path);
        output.path = mpi_ranks().map_or_else(|| path.to_owned(), |ranks| ranks.rank_file(path));
    }
    let stdin: Vec<&str> =
        inputs.iter().filter(|file| is_stdin(&file.path)).map(|file| file.option.as_str()).collect();
    check_stdin_readers(&stdin)?;
    check_outputs(&to_options(&inputs), &to_options(&outputs))
}

fn to_options(files: &[NamedFile]) -> Vec<(&str, Option<&Path>)> {
    files.iter().map(|file| (file.option.as_str(), Some(file.path.as_path()))).collect()
}

/// Returns an error if several options read standard input. An argument that accepts several files refuses
/// standard input by itself.
pub fn check_stdin_readers(options: &[&str]) -> Result<(), CliError> {
    match options {
        [first, second, ..] if first != second || first.starts_with('-') => Err(CliError::usage(format!(
            "{first} and {second} both read standard input; give one of them a file"
        ))),
        _ => Ok(()),
    }
}

/// Returns the files that an option names.
fn files_of(option: &Arg, matches: &ArgMatches) -> Vec<NamedFile> {
    let id = option.get_id().as_str();
    let value_name =
        option.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let name = option.get_long().map_or_else(|| value_name.to_owned(), |long| format!("--{long}"));
    let values = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
    let file = |path: &OsStr, is_input| NamedFile { option: name.clone(), path: path.into(), is_input };
    if value_name == FILE {
        let is_input = INPUTS.contains(&id);
        let files: Vec<NamedFile> = values.map(|path| file(path, is_input)).collect();
        // A file of tours is standard input by default.
        if files.is_empty() && option.is_positional() {
            return vec![file(OsStr::new("-"), is_input)];
        }
        return files;
    }
    if value_name != MOVES {
        return Vec::new();
    }
    let lists = values.filter_map(OsStr::to_str);
    lists.filter_map(|list| list.strip_prefix('@')).map(|path| file(OsStr::new(path), true)).collect()
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::error::ErrorKind;

    use super::*;
    use crate::cli::clap_command;

    /// Returns the arguments of a command without which it rejects other options.
    fn required_arguments(command: &str, option: &Arg) -> &'static [&'static str] {
        let replaces_board = matches!(option.get_id().as_str(), "shape" | "graph");
        match command {
            "series" => &["3x4..5", "--kind=closed"],
            "merge" | "resume" => &["other"],
            "unrank" if !replaces_board => &["3x4", "0"],
            "next" if replaces_board => &["--begin=a1"],
            "next" => &["3x4", "--begin=a1"],
            "count" | "list" | "find" | "sample" | "stats" | "estimate" if !replaces_board => &["3x4"],
            _ => &[],
        }
    }

    /// Returns the arguments by which an option names the file `path`. `None` if the option has no file.
    fn file_arguments(option: &Arg, path: &str) -> Option<String> {
        let name = option.get_value_names()?.first()?.as_str();
        let value = match name {
            FILE => path.to_owned(),
            // `--at MOVES` is a number of moves.
            MOVES if option.get_id() != "at" => format!("@{path}"),
            _ => return None,
        };
        Some(option.get_long().map_or_else(|| value.clone(), |long| format!("--{long}={value}")))
    }

    fn check(arguments: &[&str]) -> Result<(), CliError> {
        let mut program = clap_command();
        let matches = program.try_get_matches_from_mut(arguments).map_err(CliError::failed)?;
        check_named_files(&program, &matches, None)
    }

    #[test]
    fn no_output_replaces_the_file_of_any_other_option() {
        let dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let (path, link) = (path_of("input"), path_of("link"));
        fs::write(&path, "").unwrap();
        fs::hard_link(&path, &link).unwrap();
        let mut program = clap_command();
        program.build();
        let mut checked = Vec::new();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            let with_file: Vec<&Arg> =
                command.get_arguments().filter(|option| file_arguments(option, "").is_some()).collect();
            for input in &with_file {
                for output in
                    with_file.iter().filter(|output| !is_input(output) && output.get_id() != input.get_id())
                {
                    let arguments =
                        [file_arguments(input, &path).unwrap(), file_arguments(output, &link).unwrap()];
                    let mut line = vec!["ktour", name];
                    line.extend(required_arguments(name, input));
                    line.extend(arguments.iter().map(String::as_str));
                    let parsed = clap_command().try_get_matches_from(&line);
                    if parsed.is_err_and(|error| error.kind() == ErrorKind::ArgumentConflict) {
                        continue;
                    }
                    let refusal = check(&line).unwrap_err();
                    assert_eq!(refusal.status(), 2, "{line:?}: {refusal}");
                    assert!(refusal.to_string().contains("name the same file"), "{line:?}: {refusal}");
                    checked.push(format!("{name} {}", input.get_id()));
                }
            }
        }
        for input in
            ["verify table", "count clues", "list require", "next forbid", "check file", "stats moves_file"]
        {
            assert!(checked.iter().any(|checked| checked == input), "{input} is not in {checked:?}");
        }
    }

    fn is_input(option: &Arg) -> bool {
        INPUTS.contains(&option.get_id().as_str())
            || option.get_value_names().is_some_and(|names| names[0] == MOVES)
    }

    #[test]
    fn one_option_reads_standard_input() {
        for (line, both) in [
            ("check - --graph -", "FILE and --graph"),
            ("check --shape -", "FILE and --shape"),
            ("rank --require @-", "FILE and --require"),
            ("count --shape - --clues -", "--shape and --clues"),
            ("list 5x5 --require @- --forbid @-", "--require and --forbid"),
            ("list 5x5 --require @- --require @-", "--require and --require"),
        ] {
            let words: Vec<&str> = ["ktour"].into_iter().chain(line.split(' ')).collect();
            let refusal = check(&words).unwrap_err();
            assert_eq!(refusal.status(), 2);
            assert!(
                refusal.to_string().starts_with(&format!("{both} both read standard input")),
                "{refusal}"
            );
        }
        for line in [
            "count --shape - --squares @-",
            "check - --csv -",
            "count --graph - --json -",
            "list 5x5 --require @a --forbid @a",
        ] {
            let words: Vec<&str> = ["ktour"].into_iter().chain(line.split(' ')).collect();
            check(&words).unwrap();
        }
    }
}
