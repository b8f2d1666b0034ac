//! Help, version, completions and man page.

use super::{answer, ktour};

const COMMANDS: [&str; 4] = ["count", "list", "estimate", "selftest"];

#[test]
fn short_help_fits_a_screen() {
    let commands =
        ["", "count", "list", "find", "check", "draw", "estimate", "merge", "resume", "selftest", "verify"];
    for command in commands {
        let output = ktour(&format!("{command} -h")).env("COLUMNS", "80").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(help.lines().count() <= 24 && widest <= 80, "{command}: {widest} columns\n{help}");
    }
}

#[test]
fn long_help_has_examples_that_work() {
    for command in COMMANDS.iter().filter(|&&command| command != "selftest") {
        assert!(answer(&format!("{command} --help")).contains("Examples:\n  ktour"), "{command}");
    }
    // Those of count that are quick.
    let help = answer("count --help");
    for (example, result) in
        [("count 6x6 --kind closed", "9862"), ("count 5x5 --kind paths --directed", "1728")]
    {
        let line = help.lines().find(|line| line.contains(example)).unwrap();
        assert!(line.ends_with(result));
        assert_eq!(answer(example), format!("{result}\n"));
    }
}

#[test]
fn the_version_names_a_commit() {
    let version = answer("--version");
    assert!(version.starts_with(concat!("ktour ", env!("CARGO_PKG_VERSION"), " (")), "{version}");
}

#[test]
fn completions_and_man_page_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = answer(&format!("completions {shell}"));
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    let page = answer("man");
    assert!(page.contains(".TH ktour 1") && page.contains("estimate"), "{page}");
}
