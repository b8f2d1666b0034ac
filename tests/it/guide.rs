//! Every command of a block in a page is run, and prints what stands below it.
//!
//! ```text
//! ```console           $ command (goes on after \\), lines below it    in bash, in a folder of the page
//! ```sh small A=B ..   a command a line, whatever it prints            the same, with B in the place of A
//! ```sh REASON         what no test can do: see REASONS                not run
//! | `ktour ..` | ..     a command of a table                            whatever it prints
//! <!-- small A=B .. --> above a table                                   the same, with B in the place of A
//! ```
//!
//! A line `...` stands for any lines; a command with nothing below it prints nothing. All has to end well. So commands
//! that take long are run as they stand, but for smaller boards.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a block is not run.
const SKIP_REASONS: &[&str] = &["builds", "cluster"];

/// A command, and what is shown of its output, if it is shown.
struct Step {
    line: usize,
    command: String,
    shown: Option<Vec<String>>,
}

/// What is done with a block.
enum Block {
    /// Commands with what they print.
    Console,
    /// Commands alone, with words in the place of others.
    Small(Vec<(String, String)>),
    /// Nothing.
    Other,
}

impl Block {
    /// By the words after its fence.
    fn from_fence_info(words: &str) -> Self {
        let mut words = words.split(' ');
        match (words.next(), words.next()) {
            (Some("console"), None) => Self::Console,
            (Some("sh"), Some("small")) => Self::Small(parse_replacements(words)),
            (Some("sh"), reason) => {
                let is_known = reason.is_some_and(|reason| SKIP_REASONS.contains(&reason));
                assert!(
                    is_known,
                    "a block of sh is `small`, or says why it is not run: one of {SKIP_REASONS:?}"
                );
                Self::Other
            }
            (Some("bash" | "shell"), _) => panic!("commands stand in blocks of console or sh"),
            _ => Self::Other,
        }
    }
}

/// Words such as 8x8=5x6.
fn parse_replacements<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let pair = |pair: &str| pair.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
    words.map(|word| pair(word).expect("A=B, A as it stands in the block")).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut block, mut goes_on) = (None, false);
    let smaller = |text: String, (a, b): &(String, String)| {
        assert!(page.contains(a.as_str()), "there is no {a}");
        text.replace(a.as_str(), b)
    };
    let mut of_table: Vec<(String, String)> = Vec::new();
    for (line, text) in (1..).zip(page.lines()) {
        if block.is_none() && text.starts_with('|') {
            let commands = text.split('`').skip(1).step_by(2).filter(|span| span.starts_with("ktour "));
            let small = |span: &str| of_table.iter().fold(span.to_owned(), smaller);
            steps.extend(commands.map(|span| Step { line, command: small(span), shown: None }));
            continue;
        }
        if let Some(words) = text.strip_prefix("<!-- small ").and_then(|rest| rest.strip_suffix(" -->")) {
            of_table = parse_replacements(words.split(' '));
        } else if !text.is_empty() {
            of_table.clear();
        }
        if let Some(words) = text.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(Block::from_fence_info(words)) };
            goes_on = false;
            continue;
        }
        match (&block, steps.last_mut()) {
            (Some(Block::Console | Block::Small(_)), Some(step)) if goes_on => {
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
                let command = pairs.iter().fold(text.to_owned(), smaller);
                steps.push(Step { line, command, shown: None });
            }
            (Some(Block::Other) | None, _) => continue,
        }
        goes_on = text.ends_with('\\');
    }
    assert!(block.is_none(), "the last block has no end");
    steps
}

/// Whether lines are those that are shown, with any lines for `...`.
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

fn run_page(page: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).unwrap();
    for file in ["petersen.txt", "petersen.col", "petersen.g6"] {
        std::fs::copy(root().join("examples").join(file), examples.join(file)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_ktour"));
    let mut places = vec![program.parent().unwrap().to_owned()];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(places).unwrap();
    for Step { line, command, shown } in steps(&text) {
        let mut bash = Command::new("bash");
        bash.args(["-o", "pipefail", "-c", &command]).current_dir(folder.path()).env("PATH", &path);
        let output = bash.output().unwrap();
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
    the_readme_is_what_happens "README.md",
    boards_are_what_happens "docs/boards.md",
    confirming_is_what_happens "docs/confirming.md",
    counting_is_what_happens "docs/counting.md",
    engines_are_what_happens "docs/engines.md",
    listing_is_what_happens "docs/listing.md",
    long_runs_are_what_happens "docs/long-runs.md",
    numbers_are_what_happens "docs/numbers.md",
    series_are_what_happens "docs/series.md",
    statistics_are_what_happens "docs/statistics.md",
    symmetry_is_what_happens "docs/symmetry.md",
}

#[test]
fn every_page_is_tested_and_all_links_exist() {
    let pages: Vec<PathBuf> =
        std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for page in pages.iter().cloned().chain([root().join("README.md"), root().join("python/README.md")]) {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap();
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        if name != "python/README.md" {
            let commands = steps(&text).len();
            assert!(commands == 0 || PAGES.contains(&name), "{name} has commands that are not run");
        }
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            // A crate by itself has no results, no scripts and no Python.
            let is_left_out = !root().join("results").exists() && !link.ends_with(".md");
            let is_far = link.is_empty() || link.contains("://") || is_left_out;
            assert!(is_far || page.parent().unwrap().join(link).exists(), "{name}: there is no {link}");
        }
    }
    let listed = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    for page in PAGES.iter().filter_map(|page| page.strip_prefix("docs/")) {
        assert!(listed.contains(page), "docs/README.md does not lead to {page}");
    }
}

#[test]
fn ellipsis_matches_any_lines() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches_shown_lines(&shown("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches_shown_lines(&shown("...\nd"), &["d"]) && !matches_shown_lines(&shown("a\n..."), &["b"]));
    assert!(!matches_shown_lines(&shown("a"), &["a", "b"]));
    let page = "```console\n$ one \\\n  more\nout\n$ two\n```\n```sh cluster\nnone\n```\n```sh small 8x8=5x6 9=7\ncount 8x8 --number 9\n```\n";
    let found: Vec<_> = steps(page).into_iter().map(|step| (step.command, step.shown)).collect();
    let expected = [
        ("one \\\n  more".to_owned(), Some(vec!["out".to_owned()])),
        ("two".to_owned(), Some(Vec::new())),
        ("count 5x6 --number 7".to_owned(), None),
    ];
    assert_eq!(found, expected);
    let page = "<!-- small 8x8=5x6 -->\n\n| `ktour count 8x8`, `find` | `ktour list` |\n\nThat was it.\n\n| `ktour count 8x8` |\n";
    let found: Vec<String> = steps(page).into_iter().map(|step| step.command).collect();
    assert_eq!(found, ["ktour count 5x6", "ktour list", "ktour count 8x8"]);
}

#[test]
#[should_panic(expected = "says why it is not run")]
fn block_with_unknown_skip_reason_panics() {
    steps("```sh\nktour count 8x8\n```\n");
}
