//! Help, version, completions and man pages.

#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use super::{assert_refusals, ktour, successful_output};
use crate::snapshot::Transcript;

/// Names of all commands.
const ALL_COMMANDS: [&str; 18] = [
    "count",
    "series",
    "list",
    "find",
    "sample",
    "unrank",
    "rank",
    "stats",
    "next",
    "check",
    "draw",
    "estimate",
    "merge",
    "resume",
    "selftest",
    "verify",
    "completions",
    "man",
];

const COMMON_COMMANDS: [&str; 4] = ["count", "list", "estimate", "selftest"];

/// The largest number of lines of a short help: a line for each common option, and for each group of options
/// a heading and an empty line.
const MAX_SHORT_HELP_LINES: usize = 36;

#[test]
fn short_help_fits_a_screen() {
    for command in ALL_COMMANDS.into_iter().chain([""]) {
        let output = ktour(&format!("{command} -h")).env("COLUMNS", "80").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(
            help.lines().count() <= MAX_SHORT_HELP_LINES && widest <= 80,
            "{command}: {widest} columns\n{help}"
        );
    }
}

/// Returns the standard output of a command on a terminal with this number of columns.
fn help_at(arguments: &str, columns: &str) -> String {
    let output = ktour(arguments).env("COLUMNS", columns).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn short_help_matches_snapshot() {
    let mut texts = Transcript::default();
    for command in ALL_COMMANDS.into_iter().chain([""]) {
        let arguments = format!("{command} -h");
        texts.add(arguments.trim(), &help_at(&arguments, "80"));
    }
    texts.assert_snapshot("help_short");
}

#[test]
fn long_help_matches_snapshots() {
    for command in ALL_COMMANDS.into_iter().chain([""]) {
        let arguments = format!("{command} --help");
        let mut text = Transcript::default();
        text.add(arguments.trim(), &help_at(&arguments, "100"));
        text.assert_snapshot(&format!("help_long_{}", if command.is_empty() { "ktour" } else { command }));
    }
}

#[test]
fn examples_of_long_help_work() {
    for command in COMMON_COMMANDS.iter().filter(|&&command| command != "selftest") {
        assert!(successful_output(&format!("{command} --help")).contains("Examples:\n  ktour"), "{command}");
    }
    // The quick examples of `count`.
    let help = successful_output("count --help");
    for (example, result) in
        [("count 6x6 --kind closed", "9862"), ("count 5x5 --kind paths --directed", "1728")]
    {
        let line = help.lines().find(|line| line.contains(example)).unwrap();
        assert!(line.ends_with(result));
        assert_eq!(successful_output(example), format!("{result}\n"));
    }
}

#[test]
fn mixed_is_an_option_of_commands_for_several_boards() {
    for (command, is_listed) in [("check", true), ("draw", true), ("rank", false)] {
        assert_eq!(successful_output(&format!("{command} -h")).contains("--mixed"), is_listed, "{command}");
    }
}

/// Returns the text of an option in the long help of a command, in one line.
fn long_help_of(command: &str, option: &str) -> String {
    let help = help_at(&format!("{command} --help"), "100");
    let lines = help.lines().skip_while(|line| !line.trim_start().starts_with(&format!("--{option}")));
    let text = lines.skip(1).take_while(|line| line.is_empty() || line.starts_with("          "));
    text.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[test]
fn long_help_of_an_option_is_about_its_command() {
    for command in ["list", "find", "sample", "unrank", "stats", "next", "estimate"] {
        let help = long_help_of(command, "kind");
        assert!(help.starts_with("Choose the kind of tours  Default: paths.  Possible"), "{command}: {help}");
    }
    for (command, option, part, others) in [
        ("count", "kind", "Default: all three kinds.", &["file", "estimate"][..]),
        ("series", "kind", "Default: all three kinds.", &["file", "estimate"]),
        ("check", "kind", "Default: the kind that the file states", &["paths;", "series"]),
        ("draw", "kind", "Default: the kind that the file states", &["paths;", "series"]),
        ("rank", "kind", "Default: the kind that the file states", &["paths;", "series"]),
        ("verify", "kind", "A b-file needs a kind", &["series"]),
        ("check", "distinct", "Count the classes", &["Keep"]),
        ("estimate", "modulus", "up to 256 a weight takes one byte", &["checkpoint", "resume", "merge"]),
        ("estimate", "residues", "a proved bound", &["checkpoint", "resume"]),
        ("estimate", "wide", "dry run", &["CSV"]),
        ("series", "wide", "CSV", &["dry run"]),
    ] {
        let help = long_help_of(command, option);
        assert!(help.contains(part), "{command} --{option}: {help}");
        assert!(others.iter().all(|other| !help.contains(other)), "{command} --{option}: {help}");
    }
}

#[test]
fn help_of_help_is_help() {
    for (arguments, same) in [("help -h", "help"), ("help --help", "help"), ("help count -h", "help count")] {
        assert_eq!(successful_output(arguments), successful_output(same), "{arguments}");
    }
}

#[test]
fn version_has_commit() {
    let version = successful_output("--version");
    assert!(version.starts_with(concat!("ktour ", env!("CARGO_PKG_VERSION"), " (")), "{version}");
}

#[test]
fn completions_have_all_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = successful_output(&format!("completions {shell}"));
        assert!(COMMON_COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
        assert!(
            ["squirrel-cull", "multipath", "bergholtian", "ndjson"].iter().all(|v| script.contains(v)),
            "{shell}"
        );
    }
}

/// Returns the completions that bash proposes for the last word, by the function that the script registers. The
/// words are separated by blanks, and `=` is a word.
#[cfg(unix)]
fn bash_completions(words: &str, folder: &Path) -> Vec<String> {
    let count = words.split(' ').count();
    let script = format!(
        "source <({ktour} completions bash); COMP_WORDS=({words}); [[ '{words}' == *' ' ]] && COMP_WORDS+=('')
         COMP_CWORD={last}; registered=$(complete -p ktour); registered=${{registered#*-F }}
         ${{registered%% *}} ktour \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        ktour = env!("CARGO_BIN_EXE_ktour"),
        last = count - 1,
    );
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn bash_parses_completion_script() {
    let script = successful_output("completions bash");
    let output = assert_cmd::Command::new("bash").args(["-n", "-u"]).write_stdin(script).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(unix)]
#[test]
fn bash_completes_option_values() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.ckpt"), "").unwrap();
    for (words, expected) in [
        ("ktour cou", &["count"][..]),
        ("ktour find 8x8 --rule po", &["pohl", "pohl-3", "pohl-4", "pohl-5", "pohl-6"]),
        ("ktour count 8x8 --kind ", &["closed", "open", "paths"]),
        ("ktour count 8x8 --engine f", &["frontier"]),
        ("ktour list 8x8 --format n", &["ndjson"]),
        ("ktour count 8x8 --symmetry ax", &["axial"]),
        ("ktour count 8x8 --progress p", &["plain"]),
        ("ktour count 8x8 --checkpoint r", &["run.ckpt"]),
        ("ktour completions zs", &["zsh"]),
        ("ktour man se", &["series", "selftest"]),
        ("ktour draw --pal", &["--palette"]),
        ("ktour draw a.txt --output r", &["run.ckpt"]),
        ("ktour draw a.txt --color n", &["never"]),
        ("ktour count 8x8 --kind = c", &["closed"]),
        ("ktour count 8x8 --piece = kin", &["king"]),
        ("ktour count 8x8 --csv = r", &["run.ckpt"]),
        // Without proposals, bash itself proposes files.
        ("ktour check ", &[""]),
        ("ktour draw ", &[""]),
        ("ktour rank ", &[""]),
        ("ktour merge a.json ", &[""]),
        ("ktour -q resume ", &[""]),
        ("ktour resume --f", &["--force"]),
    ] {
        assert_eq!(bash_completions(words, folder.path()), expected, "{words}");
    }
    // The shell itself completes folders, and arguments that are only a file.
    assert!(successful_output("completions bash").contains("-o bashdefault -o default"));
    assert!(
        successful_output("completions bash").contains("-o plusdirs")
            && successful_output("completions zsh").contains("_files -/")
    );
    // The value of --remove is a list of squares, so bash must not propose files.
    let squares = bash_completions("ktour count 8x8 --remove r", folder.path());
    assert!(!squares.contains(&"run.ckpt".to_owned()), "{squares:?}");
}

#[test]
fn man_pages_cover_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let output = ktour("man --output").arg(&pages).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = ktour("man --output").arg(&file).output().unwrap();
    assert!(
        !refused.status.success() && String::from_utf8(refused.stderr).unwrap().contains("name a folder")
    );
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    for command in ALL_COMMANDS {
        let text = page(&format!("ktour-{command}.1"));
        for part in [
            ".SH NAME",
            ".SH SYNOPSIS",
            ".SH GENERAL",
            ".SH EXAMPLES",
            ".SH \"EXIT STATUS\"",
            ".SH \"SEE ALSO\"",
        ] {
            assert!(text.contains(part), "{command}: {part}");
        }
        // The page has all options of the help.
        let help = help_at(&format!("{command} --help"), "100");
        for line in help.lines().filter(|line| line.starts_with("      --")) {
            let option = line.trim_start().split([' ', '[']).next().unwrap().replace('-', "\\-");
            assert!(text.contains(&format!("\\fB{option}\\fR")), "{command}: {option}");
        }
        // The pages listed under SEE ALSO exist.
        for other in text.lines().filter_map(|line| line.strip_prefix(".BR ")) {
            assert!(
                pages.join(format!("{}.1", other.split(' ').next().unwrap())).exists(),
                "{command}: {other}"
            );
        }
        assert_eq!(successful_output(&format!("man {command}")), text);
    }
    // The page contains the descriptions of the options.
    let help = help_at("count -h", "100");
    let option = help.lines().find(|line| line.trim_start().starts_with("--kind ")).unwrap();
    let description = option.split("  ").last().unwrap().split(" [").next().unwrap().trim();
    assert!(description.len() > 5 && page("ktour-count.1").contains(description), "{description}");
    assert!(page("ktour-count.1").contains(".SH FILES"));
    let main = successful_output("man");
    assert_eq!(main, page("ktour.1"));
    assert!(
        main.starts_with(".ie") && main.contains(".TH KTOUR 1 ") && main.contains("ktour\\-estimate(1)"),
        "{main}"
    );
    assert_refusals(
        "help_unknown_page",
        &[("man counts", 2, &["counts", "count?"]), ("man x", 2, &["'x'", "count, series, list, find"])],
    );
}

#[test]
fn man_pages_describe_every_argument() {
    for command in ALL_COMMANDS.into_iter().chain([""]) {
        let page = successful_output(format!("man {command}").trim());
        let lines: Vec<&str> = page.lines().collect();
        // An item is a line `.TP`, its name, and its description.
        let items = lines.windows(3).filter(|lines| lines[0] == ".TP");
        let bare = items.filter(|lines| lines[2].is_empty() || lines[2].starts_with('.'));
        let bare: Vec<&str> = bare.map(|lines| lines[1]).collect();
        assert!(bare.is_empty(), "{command}: {bare:?}");
    }
}

#[test]
fn man_pages_have_files_and_variables_of_their_command() {
    for (command, parts, others) in [
        ("", &[".SH FILES", "KTOUR_CPU", "NO_COLOR", "COLUMNS", "TERM", "TMPDIR", "75"][..], &[][..]),
        ("count", &[".SH FILES", "KTOUR_CPU", "RAYON_NUM_THREADS", "TERM", "TMPDIR", "75"], &["NO_COLOR"]),
        ("resume", &[".SH FILES", "TERM", "TMPDIR"], &["NO_COLOR"]),
        ("draw", &["KTOUR_CPU", "NO_COLOR", "COLUMNS", "TERM"], &[".SH FILES", "TMPDIR"]),
        ("sample", &["KTOUR_CPU", "TERM"], &[".SH FILES", "NO_COLOR", "TMPDIR"]),
        (
            "merge",
            &["KTOUR_CPU", "CLICOLOR", "RUST_BACKTRACE", "or a board that the command does not accept"],
            &[".SH FILES", "TERM"],
        ),
    ] {
        let page = successful_output(format!("man {command}").trim());
        let sections =
            &page[page.find(".SH \"EXIT STATUS\"").unwrap()..page.find(".SH \"SEE ALSO\"").unwrap()];
        for part in parts {
            assert!(sections.contains(part), "{command}: {part}");
        }
        for part in others {
            assert!(!sections.contains(part), "{command}: {part}");
        }
    }
}

#[test]
fn man_creates_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| ktour("man -o").arg(folder.path().join(name)).output().unwrap();
    assert!(write("man1").status.success() && folder.path().join("man1/ktour.1").exists());
    let refused = write("man/man1");
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && error.contains("there is no folder"), "{error}");
    assert!(!folder.path().join("man").exists());
}

/// Headings of the long help in their order, positional arguments first.
const HEADINGS: [&str; 9] = [
    "Arguments:",
    "Board and piece:",
    "Tours:",
    "Method:",
    "Picture:",
    "Output:",
    "Long runs:",
    "General:",
    "Examples:",
];

#[test]
fn long_help_has_consistent_headings_and_width() {
    for command in ALL_COMMANDS {
        for columns in ["80", "100", "200"] {
            let output = ktour(&format!("{command} --help")).env("COLUMNS", columns).output().unwrap();
            let help = String::from_utf8(output.stdout).unwrap();
            let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
            let mut positions = help.lines().filter(is_heading).map(|line| {
                HEADINGS
                    .iter()
                    .position(|heading| *heading == line)
                    .unwrap_or_else(|| panic!("{command}: {line}"))
            });
            assert!(positions.clone().is_sorted(), "{command}: {help}");
            assert_eq!(
                positions.next_back(),
                Some(HEADINGS.len() - 1),
                "{command}: the last heading is Examples"
            );
            let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.parse::<usize>().unwrap().min(100), "{command} at {columns}: {widest}");
            // Examples fit into 80 columns, because they are not wrapped.
            for example in help.lines().skip_while(|line| *line != "Examples:").skip(1) {
                assert!(example.len() <= 80 || !example.starts_with("  "), "{command}: {example}");
            }
        }
    }
}

#[test]
fn help_uses_program_name_for_renamed_file() {
    let dir = tempfile::tempdir().unwrap();
    let renamed = dir.path().join("other");
    std::fs::copy(env!("CARGO_BIN_EXE_ktour"), &renamed).unwrap();
    for arguments in [&["-h"][..], &["count", "-h"]] {
        let output = std::process::Command::new(&renamed).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Usage: ktour ") && !text.contains("other ["), "{text}");
    }
}
