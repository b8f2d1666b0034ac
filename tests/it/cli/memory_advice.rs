//! The memory limits that refusals recommend: they suffice at the first try.

use super::{error_of, first_error_line, ktour};

/// Returns the limit after `words` in an error line, such as `58M` after `raise --memory to`.
fn limit_after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(words)?;
    rest.trim_start().split([',', ';', ' ']).next()
}

/// Asserts that a command succeeds under the memory limit `limit`.
fn assert_fits(command: &str, limit: &str) {
    let arguments = format!("{command} --memory {limit}");
    let output = ktour(&arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Asserts that each command is refused under its memory limit, and succeeds under the limits that the refusal recommends:
/// also without an index, if `counts_without_index` is true of the command.
fn assert_recommended_limits_suffice(commands: &[(&str, &str)], counts_without_index: impl Fn(&str) -> bool) {
    for (command, limit) in commands {
        let command = format!("{command} --threads 2");
        let (status, line) = error_of(&format!("{command} --memory {limit}"));
        assert_eq!(status, 1, "{line}");
        let recommended = limit_after(&line, "raise --memory to");
        assert_fits(&command, recommended.unwrap_or_else(|| panic!("{command}: {line}")));
        if let Some(without_index) = limit_after(&line, "--without-index --memory") {
            assert!(line.contains("which takes longer"), "{line}");
            if counts_without_index(&command) {
                assert_fits(&format!("{command} --without-index"), without_index);
            }
        }
    }
}

#[test]
fn recommended_memory_suffices_at_the_first_try() {
    let commands = [
        ("sample 6x8 --seed 1", "20M"),
        ("sample 7x7 --seed 1", "12M"),
        ("stats 6x7", "5M"),
        ("stats 6x8", "40M"),
        ("stats 7x8 --kind closed", "30M"),
        ("stats 6x7 --without-index", "8M"),
    ];
    assert_recommended_limits_suffice(&commands, |command| command.starts_with("stats 6x7"));
}

#[test]
#[ignore = "takes some minutes"]
fn recommended_memory_of_long_statistics_suffices() {
    let commands = [
        ("stats 6x8", "15M"),
        ("stats 6x8", "40M"),
        ("stats 6x8 --without-index", "15M"),
        ("stats 6x8 --without-index", "30M"),
        ("stats 7x7", "60M"),
        ("stats 7x8 --kind closed", "30M"),
        ("stats 7x8", "60M"),
    ];
    assert_recommended_limits_suffice(&commands, |command| !command.starts_with("stats 7x8 --threads"));
}

#[test]
fn known_zero_needs_no_memory() {
    for engine in ["auto", "backtrack", "multipath", "frontier"] {
        for board in ["5x5 --kind closed", "9x9 --kind closed --distinct", "6x6 --remove a1 --kind closed"] {
            let output = ktour(&format!("count {board} --engine {engine} --memory 1M")).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0", "{board} {engine}");
        }
    }
}

#[test]
fn counting_is_recommended_only_where_it_fits() {
    let (_, line) = error_of("stats 6x8 --memory 15M --threads 2");
    assert!(line.contains("--without-index --memory "), "{line}");
    let (_, line) = error_of("stats 6x8 --memory 50M --threads 2");
    assert!(line.contains("add --without-index, which takes longer"), "{line}");
}

/// Asserts that a command is refused under the memory limit `limit` in megabytes, that the refusal names the
/// same need and the same limit, and that the command succeeds under the recommended limit.
fn assert_recommended_limit_suffices(command: &str, limit: &str) {
    let command = format!("{command} --threads 2");
    let (status, line) = error_of(&format!("{command} --memory {limit}"));
    assert_eq!(status, 1, "{line}");
    let number = |text: &str| text.trim_end_matches('M').parse::<f64>().unwrap();
    let recommended = limit_after(&line, "raise --memory to").unwrap_or_else(|| panic!("{command}: {line}"));
    let needed = number(limit_after(&line, "needs about").unwrap());
    assert!((needed..needed + 1.0).contains(&number(recommended)), "{line}");
    assert_fits(&command, recommended);
}

#[test]
fn recommended_memory_of_several_counts_is_that_of_the_greatest() {
    for (command, limit) in [
        ("next 6x8 --begin a1", "10M"),
        ("next 6x8 --begin a1-b3 --closed", "10M"),
        ("count 5x6 --per-ends", "8M"),
        ("count 5x7 --per-ends --engine frontier", "10M"),
    ] {
        assert_recommended_limit_suffices(command, limit);
    }
    let (_, line) = error_of("count 7x7 --per-ends --memory 12M --threads 2");
    assert!(line.contains("a count of 7x7 paths by their ends") && !line.contains("--spill"), "{line}");
}

#[test]
fn recommended_memory_of_a_series_suffices() {
    for (command, limit) in
        [("series 6x6..14 --kind paths", "20M"), ("count 6x6..14 --kind paths --residues", "16M")]
    {
        assert_recommended_limit_suffices(command, limit);
    }
}

#[test]
fn recommended_memory_of_wrapped_boards_suffices() {
    for (command, limit) in [
        ("sample 5x6 --wrap torus --closed --seed 1", "20M"),
        ("stats 4x8 --wrap torus --closed --without-index", "8M"),
    ] {
        assert_recommended_limit_suffices(command, limit);
    }
}

#[test]
fn remedies_can_be_combined_with_the_options() {
    // Under this limit the sweeps of residues and of shards fit, and the whole sweep does not.
    let command = "count 6x10 --kind open --engine frontier --memory 22M --threads 2";
    for (option, has_residues, has_shards) in [
        ("", true, true),
        ("--shard 2/3", false, false),
        ("--double-check", false, false),
        ("--distinct", false, false),
    ] {
        let (status, line) = error_of(&format!("{command} {option}"));
        assert!(status == 1 && line.contains("raise --memory to"), "{option}: {line}");
        assert_eq!(line.contains("--residues"), has_residues, "{option}: {line}");
        assert_eq!(line.contains("--shard R/"), has_shards, "{option}: {line}");
    }
    // A plan is the order of an index.
    let (_, line) = error_of("stats 6x8 --memory 50M --threads 2 --plan p0");
    assert!(line.contains("raise --memory to") && !line.contains("--without-index"), "{line}");
}

/// A log shows no progress in the first half minute.
#[test]
fn counts_in_memory_are_announced_in_a_log() {
    for (command, announcement) in [
        ("next 8x8 --begin a1-b3 --kind closed", "a count of 8x8 closed by their next move: about "),
        ("series 8x8..9 --kind closed", "8x8..9 closed: about "),
    ] {
        let line = first_error_line(&format!("{command} --threads 2"));
        assert!(line.starts_with(&format!("ktour: {announcement}")), "{line}");
    }
}

#[test]
fn histograms_and_pairs_are_checked_before_the_start() {
    for (command, limit) in [("stats 6x7 --histogram steep", "10M"), ("stats 5x7 --pairs", "10M")] {
        assert_recommended_limit_suffices(command, limit);
    }
}

#[test]
fn refused_statistics_of_a_folder_name_one_limit() {
    let dir = tempfile::tempdir().unwrap();
    let line = |limit: &str| {
        let command =
            format!("stats 7x7 --index {} --threads 2 --memory {limit}", dir.path().join("index").display());
        error_of(&command).1
    };
    let first = line("10M");
    assert!(!first.contains("--without-index"), "{first}");
    let recommended = limit_after(&first, "raise --memory to").unwrap();
    for limit in ["48M", "60M"] {
        assert_eq!(limit_after(&line(limit), "raise --memory to"), Some(recommended));
    }
    let folder = dir.path().join("index");
    assert_fits(&format!("stats 7x7 --index {} --threads 2", folder.display()), recommended);
}
