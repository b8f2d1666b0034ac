//! The memory limits that refusals of indexes and statistics recommend: they suffice at the first try.

use super::{error_of, ktour};

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

#[test]
fn recommended_memory_suffices_at_the_first_try() {
    for (command, limit) in [
        ("sample 6x8 --seed 1", "20M"),
        ("sample 7x7 --seed 1", "12M"),
        ("stats 6x7", "5M"),
        ("stats 6x8", "15M"),
        ("stats 6x8", "40M"),
        ("stats 7x7", "60M"),
        ("stats 7x8", "60M"),
        ("stats 7x8 --kind closed", "30M"),
        ("stats 6x8 --without-index", "15M"),
        ("stats 6x8 --without-index", "30M"),
    ] {
        let command = format!("{command} --threads 2");
        let (status, line) = error_of(&format!("{command} --memory {limit}"));
        assert_eq!(status, 1, "{line}");
        let recommended = limit_after(&line, "raise --memory to");
        assert_fits(&command, recommended.unwrap_or_else(|| panic!("{command}: {line}")));
        if let Some(without_index) = limit_after(&line, "--without-index --memory") {
            let is_quick = !command.contains("7x8 ");
            assert!(line.contains("which takes longer"), "{line}");
            if is_quick {
                assert_fits(&format!("{command} --without-index"), without_index);
            }
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
