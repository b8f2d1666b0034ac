//! Runs every command in the blocks and tables of the guide, and compares its output with the lines below it.
//!
//! ```text
//! ```console           `$ command` (continues after \), output below    run by bash, one folder for a page
//! ```sh small A=B ..   one command per line, output ignored             run with B in place of A
//! ```sh REASON         commands that a test cannot run                  not run; see SKIP_REASONS
//! | `ktour ..` | ..    commands in a table, output ignored              run
//! <!-- small A=B .. --> above a table                                   run with B in place of A
//! ```
//!
//! A line `...` matches any number of lines. A command without lines below it prints nothing. Every command
//! must succeed. Commands that take long are run on smaller boards.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Reasons for not running a block.
const SKIP_REASONS: &[&str] = &["builds", "cluster"];

/// A command, with the output that the page shows. `None` if the page shows no output.
struct Step {
    line: usize,
    command: String,
    shown: Option<Vec<String>>,
}

/// The type of a block, which says how to run it.
enum Block {
    /// Commands with their output.
    Console,
    /// Commands without output, with the words to replace and their replacements.
    Small(Vec<(String, String)>),
    /// A block that is not run.
    Other,
}

impl Block {
    /// Returns the type of the block that begins with these words after its fence.
    fn from_fence_info(words: &str) -> Self {
        let mut words = words.split(' ');
        match (words.next(), words.next()) {
            (Some("console"), None) => Self::Console,
            (Some("sh"), Some("small")) => Self::Small(parse_replacements(words)),
            (Some("sh"), reason) => {
                let is_known = reason.is_some_and(|reason| SKIP_REASONS.contains(&reason));
                assert!(
                    is_known,
                    "a block of sh needs `small`, or a reason for not running it: one of {SKIP_REASONS:?}"
                );
                Self::Other
            }
            (Some("bash" | "shell"), _) => panic!("a block of commands must be marked console or sh"),
            _ => Self::Other,
        }
    }
}

/// Parses words such as `8x8=5x6`.
fn parse_replacements<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let pair = |pair: &str| pair.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
    words.map(|word| pair(word).expect("a replacement must have the form A=B")).collect()
}

pub fn repository_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn parse_steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut block, mut is_continued) = (None, false);
    let replace_words = |text: String, (a, b): &(String, String)| {
        assert!(page.contains(a.as_str()), "the page does not contain {a}");
        text.replace(a.as_str(), b)
    };
    let mut table_replacements: Vec<(String, String)> = Vec::new();
    for (line, text) in (1..).zip(page.lines()) {
        if block.is_none() && text.starts_with('|') {
            let commands = text.split('`').skip(1).step_by(2).filter(|span| span.starts_with("ktour "));
            let shorten = |span: &str| table_replacements.iter().fold(span.to_owned(), replace_words);
            steps.extend(commands.map(|span| Step { line, command: shorten(span), shown: None }));
            continue;
        }
        if let Some(words) = text.strip_prefix("<!-- small ").and_then(|rest| rest.strip_suffix(" -->")) {
            table_replacements = parse_replacements(words.split(' '));
        } else if !text.is_empty() {
            table_replacements.clear();
        }
        if let Some(words) = text.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(Block::from_fence_info(words)) };
            is_continued = false;
            continue;
        }
        match (&block, steps.last_mut()) {
            (Some(Block::Console | Block::Small(_)), Some(step)) if is_continued => {
                step.command = format!("{}\n{text}", step.command);
            }
            (Some(Block::Console), last) => {
                if let Some(command) = text.strip_prefix("$ ") {
                    steps.push(Step { line, command: command.to_owned(), shown: Some(Vec::new()) });
                } else {
                    let step = last.expect("a block begins with a command");
                    step.shown.get_or_insert_default().push(text.to_owned());
                    continue;
                }
            }
            (Some(Block::Small(pairs)), _) => {
                let command = pairs.iter().fold(text.to_owned(), replace_words);
                steps.push(Step { line, command, shown: None });
            }
            (Some(Block::Other) | None, _) => continue,
        }
        is_continued = text.ends_with('\\');
    }
    assert!(block.is_none(), "the last block is not closed");
    steps
}

/// Returns true if the lines match the shown lines, where `...` matches any number of lines.
fn matches_shown_lines(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| matches_shown_lines(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line == first) && matches_shown_lines(rest, &lines[1..])
        }
    }
}

/// Runs a command line by bash in a folder, where `ktour` is the program under test.
pub fn run_bash(command: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_ktour"));
    let mut program_dirs = vec![program.parent().unwrap().to_owned()];
    program_dirs.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(program_dirs).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-o", "pipefail", "-c", command]).current_dir(folder).env("PATH", &path).output().unwrap()
}

fn run_page(page: &str) {
    let text = std::fs::read_to_string(repository_root().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).unwrap();
    for file in ["petersen.txt", "petersen.col", "petersen.g6"] {
        std::fs::copy(repository_root().join("examples").join(file), examples.join(file)).unwrap();
    }
    for Step { line, command, shown } in parse_steps(&text) {
        let output = run_bash(&command, folder.path());
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{page}, line {line}: {command}: {err}");
        let lines: Vec<&str> = out.lines().collect();
        assert!(
            shown.as_ref().is_none_or(|shown| matches_shown_lines(shown, &lines)),
            "{page}, line {line}: {command}\nshown:\n{}\nprinted:\n{out}",
            shown.unwrap_or_default().join("\n")
        );
    }
}

macro_rules! pages {
    ($($name:ident $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $name() {
                run_page($page);
            }
        )*
    };
}

pages! {
    readme_commands_print_shown_output "README.md",
    boards_page_commands_print_shown_output "docs/boards.md",
    confirming_page_commands_print_shown_output "docs/confirming.md",
    counting_page_commands_print_shown_output "docs/counting.md",
    engines_page_commands_print_shown_output "docs/engines.md",
    listing_page_commands_print_shown_output "docs/listing.md",
    long_runs_page_commands_print_shown_output "docs/long-runs.md",
    numbers_page_commands_print_shown_output "docs/numbers.md",
    output_page_commands_print_shown_output "docs/output.md",
    series_page_commands_print_shown_output "docs/series.md",
    restrictions_page_commands_print_shown_output "docs/restrictions.md",
    statistics_page_commands_print_shown_output "docs/statistics.md",
    symmetry_page_commands_print_shown_output "docs/symmetry.md",
    web_page_commands_print_shown_output "docs/web.md",
}

#[test]
fn every_page_is_tested_and_all_links_exist() {
    let pages: Vec<PathBuf> = std::fs::read_dir(repository_root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for page in pages
        .iter()
        .cloned()
        .chain([repository_root().join("README.md"), repository_root().join("python/README.md")])
    {
        let name = page.strip_prefix(repository_root()).unwrap().to_str().unwrap();
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        if name != "python/README.md" {
            let commands = parse_steps(&text).len();
            assert!(commands == 0 || PAGES.contains(&name), "{name} has commands that are not run");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            // The published crate does not contain results, scripts or the Python module.
            let is_unpublished = !repository_root().join("results").exists() && !link.ends_with(".md");
            let is_skipped = link.is_empty() || link.contains("://") || is_unpublished;
            assert!(
                is_skipped || page.parent().unwrap().join(link).exists(),
                "{name}: {link} does not exist"
            );
        }
    }
    let listed = std::fs::read_to_string(repository_root().join("docs/README.md")).unwrap();
    for page in PAGES.iter().filter_map(|page| page.strip_prefix("docs/")) {
        assert!(listed.contains(page), "docs/README.md has no link to {page}");
    }
}

#[test]
fn ellipsis_matches_any_lines() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches_shown_lines(&shown("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches_shown_lines(&shown("...\nd"), &["d"]) && !matches_shown_lines(&shown("a\n..."), &["b"]));
    assert!(!matches_shown_lines(&shown("a"), &["a", "b"]));
    let page = "```console\n$ one \\\n  more\nout\n$ two\n```\n```sh cluster\nnone\n```\n```sh small 8x8=5x6 9=7\ncount 8x8 --number 9\n```\n";
    let found: Vec<_> = parse_steps(page).into_iter().map(|step| (step.command, step.shown)).collect();
    let expected = [
        ("one \\\n  more".to_owned(), Some(vec!["out".to_owned()])),
        ("two".to_owned(), Some(Vec::new())),
        ("count 5x6 --number 7".to_owned(), None),
    ];
    assert_eq!(found, expected);
    let page = "<!-- small 8x8=5x6 -->\n\n| `ktour count 8x8`, `find` | `ktour list` |\n\nThat was it.\n\n| `ktour count 8x8` |\n";
    let found: Vec<String> = parse_steps(page).into_iter().map(|step| step.command).collect();
    assert_eq!(found, ["ktour count 5x6", "ktour list", "ktour count 8x8"]);
}

#[test]
#[should_panic(expected = "a reason for not running it")]
fn block_with_unknown_skip_reason_panics() {
    parse_steps("```sh\nktour count 8x8\n```\n");
}
