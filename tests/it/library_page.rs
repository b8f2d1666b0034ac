//! The page of the library in `src/lib.rs` names files and functions that exist.

use std::collections::BTreeSet;
use std::fs;

use super::guide::repository_root;

/// Returns the files of a line of the page such as `cli/mod.rs  main, run_command  parses the command line`, and the
/// names in them. `None` for a line of another form.
fn parse_line(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.strip_prefix("//!")?.split_whitespace();
    let file = words.next().filter(|word| word.ends_with(".rs"))?;
    let mut names = Vec::new();
    loop {
        let name = words.next()?;
        names.push(name.trim_end_matches(','));
        if !name.ends_with(',') {
            return Some((file, names));
        }
    }
}

#[test]
fn ways_name_existing_functions_in_few_files() {
    let source = repository_root().join("src");
    let page = fs::read_to_string(source.join("lib.rs")).unwrap();
    let mut lines = 0;
    for (file, names) in page.lines().filter_map(parse_line) {
        lines += 1;
        let text = fs::read_to_string(source.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        for name in names.iter().flat_map(|name| name.split("::")) {
            let is_defined = ["fn", "struct", "enum", "trait", "impl"].into_iter().any(|word| {
                text.match_indices(&format!("{word} {name}"))
                    .any(|(at, found)| !text[at + found.len()..].starts_with(|c: char| c.is_alphanumeric()))
            }) || text.contains(&format!("for {name}"));
            assert!(is_defined, "{file} has no {name}");
        }
    }
    assert!(lines > 40, "{lines}");
    let (_, count) = page.split_once("//! main.rs ").unwrap();
    let (count, _) = count.split_once("//! ```").unwrap();
    let count = format!("//! main.rs {count}");
    let files: BTreeSet<&str> = count.lines().filter_map(parse_line).map(|(file, _)| file).collect();
    assert_eq!(files.len(), 20, "the page says twenty: {files:?}");
}
