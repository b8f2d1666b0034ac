//! The program as its users meet it: what it prints, where, and how it ends.

mod boards;
mod count;
mod errors;
mod forecasts;
mod help;
mod index;
mod limits;
mod list;
mod output;
mod paste;
mod pasted;
mod residues;
mod resources;
mod series;
mod symmetry;

use assert_cmd::Command;

pub fn ktour(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktour"));
    command.args(arguments.split_whitespace());
    command
}

/// Standard error without the lines with which a count says what the job is and how it ended, and an estimate what it
/// looks at for longer than two seconds.
pub fn complaints(err: &str) -> Vec<&str> {
    let expected = |line: &&str| {
        ["ktour: job ", "ktour: done ", "ktour: estimate ", "ktour: note: a closed tour has no end"]
            .iter()
            .any(|said| line.starts_with(said))
    };
    err.lines().filter(|line| !expected(line)).collect()
}

/// Standard output of a run that succeeds and has nothing to complain of.
pub fn answer(arguments: &str) -> String {
    let output = ktour(arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments}: {err}");
    assert!(complaints(&err).is_empty(), "{arguments}: {err}");
    out
}

/// The tours of a list alone, without what says what they are tours of.
pub fn bare(arguments: &str) -> String {
    answer(&format!("{arguments} --bare"))
}

/// The exit status and the one line of a run that fails and prints no answer.
pub fn failure(arguments: &str) -> (i32, String) {
    failure_of(&mut ktour(arguments), arguments)
}

pub fn failure_of(command: &mut Command, what: &str) -> (i32, String) {
    let output = command.output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(out, "", "{what}: no answer");
    let [line] = complaints(&err)[..] else { panic!("{what}: one line, not {err:?}") };
    let line = line.strip_prefix("ktour: error: ").unwrap_or_else(|| panic!("{what}: {err}"));
    (output.status.code().unwrap(), line.to_owned())
}

fn texts(output: &std::process::Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Rows of CSV by column name.
pub fn rows(csv: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes()).deserialize().map(Result::unwrap).collect()
}
