//! Every command that a page shows with a `$` is run, and prints what stands below it.
//!
//! ```text
//! page -> blocks of ```console -> $ command (goes on after \), lines below it -> bash, in a folder of the page
//! ```
//!
//! A line `...` stands for any lines, a command with nothing below it for whatever it prints. All has to end well.
//! What takes long, or needs what a machine may not have, is in blocks of ```sh, which are not run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command, and what is shown of its output.
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut is_in, mut goes_on) = (false, false);
    for (line, text) in (1..).zip(page.lines()) {
        if text.starts_with("```") {
            is_in = !is_in && text == "```console";
            goes_on = false;
        } else if is_in {
            if let (true, Some(step)) = (goes_on, steps.last_mut()) {
                step.command = format!("{}\n{text}", step.command);
            } else if let Some(command) = text.strip_prefix("$ ") {
                steps.push(Step { line, command: command.to_owned(), shown: Vec::new() });
            } else {
                let step = steps.last_mut().expect("a block begins with a command");
                step.shown.push(text.to_owned());
                continue;
            }
            goes_on = text.ends_with('\\');
        }
    }
    steps
}

/// Whether lines are those that are shown, with any lines for `...`.
fn are_shown(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| are_shown(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line == first) && are_shown(rest, &lines[1..])
        }
    }
}

fn run(page: &str) {
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
            shown.is_empty() || are_shown(&shown, &lines),
            "{page}, line {line}: {command}\nshown:\n{}\nprinted:\n{out}",
            shown.join("\n")
        );
    }
}

macro_rules! pages {
    ($($name:ident $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $name() {
                run($page);
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
fn no_page_is_left_out_and_no_link_leads_nowhere() {
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
fn lines_left_out_are_any_lines() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(are_shown(&shown("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(are_shown(&shown("...\nd"), &["d"]) && !are_shown(&shown("a\n..."), &["b"]));
    assert!(!are_shown(&shown("a"), &["a", "b"]));
    let page = "```console\n$ one \\\n  more\nout\n$ two\n```\n```sh\n$ none\n```\n";
    let found: Vec<_> = steps(page).into_iter().map(|step| (step.command, step.shown)).collect();
    assert_eq!(found, [("one \\\n  more".into(), vec!["out".into()]), ("two".into(), Vec::<String>::new())]);
}
