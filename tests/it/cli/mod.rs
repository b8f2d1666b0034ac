//! Tests of the command-line program: output, files, exit status.

mod board_options;
mod conditions;
mod count;
mod estimates;
mod foreign_tour_formats;
mod help;
mod invalid_arguments;
mod list;
mod memory_advice;
mod memory_use;
mod numbers_in_files;
mod option_errors;
mod output_files;
mod residues;
mod resource_limits;
mod series;
mod symmetry;
mod terminal;
mod tour_input;
mod tours_by_number;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;

use crate::snapshot::Transcript;

/// Prefix of an error line.
pub const ERROR_PREFIX: &str = "ktour: error: ";

/// Prefix of a note.
pub const NOTE_PREFIX: &str = "ktour: note: ";

/// Prefix of the line that describes the job of a count or search before it starts.
pub const JOB_PREFIX: &str = "ktour: job ";

/// Prefix of the last line of a count or search.
pub const DONE_PREFIX: &str = "ktour: done ";

/// Prefix of the line with the numbers of a count whose outputs could not all be written.
pub const COUNTED_PREFIX: &str = "ktour: counted ";

/// Prefix of the line with the job of an estimate, printed after two seconds.
const ESTIMATE_PREFIX: &str = "ktour: estimate ";

/// Prefix of the note that a closed tour has no end square.
const CLOSED_END_NOTE: &str = "ktour: note: a closed tour has no end";

/// Prefix of the note why all counts are 0.
pub const NO_TOUR_NOTE: &str = "ktour: note: no tour exists: ";

/// Prefix of the note why the count of closed tours is 0 and others are not.
const NO_CLOSED_TOUR_NOTE: &str = "ktour: note: no closed tour exists: ";

/// Prefix of the note with the seed that `sample` has drawn.
const FRESH_SEED_NOTE: &str = "ktour: --seed ";

/// Prefix of the note with the number of paths, for counts of open tours.
const OPEN_TOURS_NOTE: &str = "ktour: note: most sources call all paths open";

/// Prefixes of the lines on standard error that are neither warnings nor errors.
const EXPECTED_LINES: [&str; 9] = [
    JOB_PREFIX,
    DONE_PREFIX,
    COUNTED_PREFIX,
    ESTIMATE_PREFIX,
    CLOSED_END_NOTE,
    NO_TOUR_NOTE,
    NO_CLOSED_TOUR_NOTE,
    OPEN_TOURS_NOTE,
    FRESH_SEED_NOTE,
];

/// Returns the command `ktour` with these arguments, which contain no spaces.
pub fn ktour(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktour"));
    command.args(arguments.split_whitespace());
    command
}

/// Returns the lines of standard error that have no prefix of `EXPECTED_LINES`.
pub fn unexpected_lines(err: &str) -> Vec<&str> {
    let is_expected = |line: &&str| EXPECTED_LINES.iter().any(|prefix| line.starts_with(prefix));
    err.lines().filter(|line| !is_expected(line)).collect()
}

/// Returns the standard output of a run that must succeed without warnings.
pub fn successful_output(arguments: &str) -> String {
    let output = ktour(arguments).output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert!(output.status.success(), "{arguments}: {err}");
    assert!(unexpected_lines(&err).is_empty(), "{arguments}: {err}");
    out
}

/// Returns the tours of a list without the header.
pub fn output_without_header(arguments: &str) -> String {
    successful_output(&format!("{arguments} --bare"))
}

/// Starts ktour with arguments that are separated by single blanks, stops it after its first line on standard error,
/// and returns that line.
pub fn first_error_line(arguments: &str) -> String {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(arguments.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

/// Runs ktour, asserts that it prints one error line and nothing on standard output, and returns its exit
/// status and that line.
pub fn error_of(arguments: &str) -> (i32, String) {
    error_of_command(&mut ktour(arguments), arguments)
}

/// Like [`error_of`], for any command. Panics show `case`.
pub fn error_of_command(command: &mut Command, case: &str) -> (i32, String) {
    let output = command.output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert_eq!(out, "", "{case}: standard output must be empty");
    let [line] = unexpected_lines(&err)[..] else { panic!("{case}: expected one error line: {err:?}") };
    let line = line.strip_prefix(ERROR_PREFIX).unwrap_or_else(|| panic!("{case}: {err}"));
    (output.status.code().unwrap(), line.to_owned())
}

/// Collects runs that must fail. Each run is checked by exit status and by the names in its error line; one
/// snapshot at the end holds the whole lines.
#[derive(Default)]
pub struct Refusals {
    transcript: Transcript,
    placeholders: Vec<(String, &'static str)>,
    hides_measurements: bool,
}

impl Refusals {
    /// Replaces a temporary folder by `DIR` in the snapshot.
    pub fn with_hidden_folder(folder: &Path) -> Self {
        Self { placeholders: vec![(folder.to_str().unwrap().to_owned(), "DIR")], ..Self::default() }
    }

    /// Replaces times, sizes and numbers of threads in the snapshot, for lines that depend on the machine.
    pub fn with_masked_measurements() -> Self {
        Self { hides_measurements: true, ..Self::default() }
    }

    /// Runs ktour with these arguments. It must fail with this status and an error line that contains all of
    /// `names`. Returns that line.
    #[track_caller]
    pub fn run(&mut self, arguments: &str, status: i32, names: &[&str]) -> String {
        self.run_command(&mut ktour(arguments), arguments, status, names)
    }

    /// Like [`run`](Self::run), with this text on standard input.
    #[track_caller]
    pub fn run_with_input(&mut self, arguments: &str, input: &str, status: i32, names: &[&str]) -> String {
        self.run_command(ktour(arguments).write_stdin(input), arguments, status, names)
    }

    /// Like [`run`](Self::run), for any command. `case` is its title in the snapshot.
    #[track_caller]
    pub fn run_command(&mut self, command: &mut Command, case: &str, status: i32, names: &[&str]) -> String {
        let (found, line) = error_of_command(command, case);
        assert_eq!(found, status, "{case}: {line}");
        for name in names {
            assert!(line.contains(name), "{case}: `{name}` is not in: {line}");
        }
        self.add(case, &line);
        line
    }

    /// Replaces a value by a placeholder in all following cases.
    pub fn replace_by_placeholder(&mut self, value: &str, placeholder: &'static str) {
        self.placeholders.push((value.to_owned(), placeholder));
    }

    /// Adds the output of a successful run to the snapshot.
    pub fn add(&mut self, case: &str, text: &str) {
        let text = if self.hides_measurements { mask_measurements(text) } else { text.to_owned() };
        self.transcript.add(&self.with_placeholders(case), &self.with_placeholders(&text));
    }

    /// Compares all lines with the snapshot `name`.
    #[track_caller]
    pub fn assert_snapshot(&self, name: &str) {
        self.transcript.assert_snapshot(name);
    }

    fn with_placeholders(&self, text: &str) -> String {
        self.placeholders.iter().fold(text.to_owned(), |text, (value, name)| text.replace(value, name))
    }
}

/// Checks rows of arguments, exit status and names in the error line, and compares all error lines with the
/// snapshot `name`.
#[track_caller]
pub fn assert_refusals(name: &str, rows: &[(&str, i32, &[&str])]) {
    let mut refusals = Refusals::default();
    for (arguments, status, names) in rows {
        refusals.run(arguments, *status, names);
    }
    refusals.assert_snapshot(name);
}

/// Replaces each time, size, speed and number of threads by a placeholder: `3 days` by `TIME`, `1.50 GiB` by
/// `SIZE`, `2.5e7 nodes/s` by `SPEED`, `2 threads` by `THREADS`.
pub fn mask_measurements(text: &str) -> String {
    const TIMES: [&str; 9] = ["ms", "s", "seconds", "minutes", "hours", "days", "weeks", "months", "years"];
    const SIZES: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let placeholder = |unit: &str| {
        let is_one_of =
            |units: &[&str]| units.iter().any(|name| *name == unit || name.strip_suffix('s') == Some(unit));
        if unit.is_empty() {
            None
        } else if unit == "nodes/s" {
            Some("SPEED")
        } else if is_one_of(&TIMES) {
            Some("TIME")
        } else if is_one_of(&SIZES) {
            Some("SIZE")
        } else {
            is_one_of(&["threads"]).then_some("THREADS")
        }
    };
    let mask_line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let (mut masked, mut i) = (Vec::new(), 0);
        while i < words.len() {
            let number = words[i].trim_start_matches('(');
            let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
            // A number such as `3.0 billion years` has its unit in the third word.
            let unit = if words.get(i + 1).is_some_and(|word| word.ends_with("illion") || *word == "thousand")
            {
                2
            } else {
                1
            };
            let next = words.get(i + unit).copied().unwrap_or("");
            let name = next.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
            match placeholder(name).filter(|_| is_number) {
                Some(mask) => {
                    let (before, after) = (&words[i][..words[i].len() - number.len()], &next[name.len()..]);
                    masked.push(format!("{before}{mask}{after}"));
                    i += unit + 1;
                }
                // A size as the value of an option, such as in `raise --memory to 57M, or`.
                None if words[..i].ends_with(&["--memory", "to"]) => {
                    let size = words[i].trim_end_matches([',', ';']);
                    masked.push(format!("SIZE{}", &words[i][size.len()..]));
                    i += 1;
                }
                None => {
                    masked.push(words[i].to_owned());
                    i += 1;
                }
            }
        }
        masked.join(" ")
    };
    text.lines().map(mask_line).collect::<Vec<_>>().join("\n")
}

#[test]
fn mask_measurements_replaces_times_and_sizes() {
    assert_eq!(
        mask_measurements(
            "5x5 takes 3.0 billion years on 1 thread (2.5 GiB): 8 bytes, 3 steps, 12 ms;\nat 2.5e7 nodes/s (0.25 s)\n\
             raise --memory to 57M, or --memory 5 more"
        ),
        "5x5 takes TIME on THREADS (SIZE): SIZE, 3 steps, TIME;\nat SPEED (TIME)\n\
         raise --memory to SIZE, or --memory 5 more"
    );
}

/// Returns the section `name` of an estimate: its line, and the indented lines below it.
pub fn estimate_section(estimate: &str, name: &str) -> String {
    let is_first = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    let mut lines = estimate.lines().skip_while(|line| !is_first(line));
    let first = lines.next().unwrap_or_else(|| panic!("{name}: {estimate}"));
    let below = lines.take_while(|line| line.starts_with(' '));
    [first].into_iter().chain(below).collect::<Vec<_>>().join("\n")
}

/// Returns standard output and standard error as text.
pub fn stdout_and_stderr(output: &std::process::Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Parses CSV into rows by column name.
pub fn csv_rows(csv: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes()).deserialize().map(Result::unwrap).collect()
}
