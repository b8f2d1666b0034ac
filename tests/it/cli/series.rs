//! Ranges of boards: one row for each board, engines, recurrences, output files, and resuming after a stop.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use ktour::batch::{Checkpoint, CheckpointFile, SeriesState};
use ktour::board::Wrap;
use ktour::series::{BoardRange, SeriesRules};
use ktour::tour::Kind;
use serde_json::Value;

use super::{
    ERROR_PREFIX, JOB_PREFIX, Refusals, assert_refusals, csv_rows, ktour, stdout_and_stderr,
    successful_output, unexpected_lines,
};
use crate::long_runs::{WARNING_PREFIX, progress_in_notices};
use crate::oracle::Oracle;
use crate::snapshot::Transcript;
use crate::tour_files::{assert_contains_all, mask_numbers};

/// Returns the rows of the output, with single spaces between fields.
fn output_rows(arguments: &str) -> Vec<String> {
    let single = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    successful_output(arguments).lines().map(single).collect()
}

#[test]
fn series_by_one_sweep_equals_board_by_board() {
    let swept = output_rows("count 5x3..8 --kind paths");
    assert_eq!(swept, ["5x3 0", "5x4 82", "5x5 864", "5x6 18784", "5x7 622868", "5x8 18061054"]);
    assert_eq!(output_rows("count 5x3..8 --kind paths --engine multipath"), swept);
    assert_eq!(output_rows("count 3..8x5 --kind paths").len(), 6);
    assert_eq!(
        output_rows("count 5x5..6"),
        ["board closed open paths", "5x5 0 864 864", "5x6 8 18544 18784"]
    );
    let aligned = successful_output("count 5x6..8");
    assert!(aligned.lines().all(|line| line.len() == aligned.find('\n').unwrap()), "{aligned}");
    assert_eq!(
        output_rows("count 7x5..6 --kind closed"),
        ["7x5 0", "7x6 1067638"],
        "one sweep for each board"
    );
}

#[test]
fn series_counts_big_numbers() {
    let rows = output_rows("count 3x997..1000 --kind closed");
    assert_eq!(rows[0], "3x997 0");
    assert!(rows[3].len() > 480, "{}", rows[3]);
    let number = successful_output("count 3x1000 --kind closed");
    assert_eq!(rows[3], format!("3x1000 {}", number.trim()));
}

#[test]
fn ranges_accept_options_of_single_boards() {
    let distinct = ["6x5 3", "6x6 1245"];
    assert_eq!(output_rows("count 6x5..6 --kind closed --distinct"), distinct);
    assert_eq!(output_rows("count 6x5..6 --kind closed --distinct --engine multipath"), distinct);
    assert_eq!(
        output_rows("count 6x5..6 --kind closed --symmetry rot90"),
        ["board closed", "6x5 0", "6x6 10"]
    );
    assert_eq!(output_rows("count 5x5..6 --kind paths --start a1"), ["5x5 304", "5x6 4542"]);
    assert_eq!(output_rows("count 5x5..6 --kind paths --remove a1"), ["5x5 4292", "5x6 40770"]);
    assert_eq!(output_rows("count 5x5..6 --kind paths --directed"), ["5x5 1728", "5x6 37568"]);
    let output = ktour("count 5x5..6 --kind closed --double-check").output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert_eq!(out, "5x5 0\n5x6 8\n", "{err}");
    let checks = unexpected_lines(&err);
    assert_eq!(checks.len(), 4, "each second count prints its start and its end: {err}");
    let mut transcript = Transcript::default();
    transcript.add("count 5x5..6 --kind closed --double-check", &mask_seconds(&checks.join("\n")));
    transcript.assert_snapshot("notices_double_check_of_range");
}

/// Truncates lines to 60 characters. Other tests assert the polynomials in them.
fn truncate_long_lines(text: &str) -> String {
    text.lines().map(|line| line.chars().take(60).collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// Replaces seconds by a placeholder: `0.12 s`, `seconds=0.12`.
fn mask_seconds(text: &str) -> String {
    let mask = |word: &str| match word.split_once("seconds=") {
        Some((before, _)) => format!("{before}seconds=SECONDS"),
        None => match word.trim_start_matches('(').parse::<f64>() {
            Ok(_) if word.contains('.') => "SECONDS".to_owned(),
            _ => word.to_owned(),
        },
    };
    let line = |line: &str| line.split(' ').map(mask).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn ranges_reject_unsupported_options() {
    assert_refusals(
        "errors_ranges",
        &[
            ("count 5x9..3 --kind closed", 2, &["`9..3`", "3..9"]),
            ("count 5x3.. --kind closed", 2, &["FIRST..LAST"]),
            ("series 3x3x2..5", 2, &["3x3x2..5"]),
            ("series 6x8", 2, &["6x8", "5..7x5..7", "1..8"]),
            ("list 5x3..6", 2, &["count", "series", "estimate"]),
            ("series 5..6x5..6 --kind closed --bfile b", 2, &["--bfile"]),
            ("series 5x5..6 --bfile b", 2, &["--kind"]),
            ("series 5x5..6 --kind closed --bfile - --csv -", 2, &["--bfile", "--csv"]),
            ("count 5x3..6 --classes", 2, &["--classes"]),
            ("count 5x3..6 --per-start", 2, &["--per-start"]),
            ("count 5x3..6 --shard 0/2", 2, &["--shard"]),
            ("count 3x4..6 --kind paths --start e1", 2, &["e1"]),
            ("count 3x4..6 --kind paths --remove e1", 2, &["e1"]),
        ],
    );
}

#[test]
fn csv_json_and_records_have_every_row() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for (options, engine) in [("", "frontier"), ("--engine multipath", "multipath")] {
        std::fs::remove_file(path("r")).ok();
        let out = Command::new(env!("CARGO_BIN_EXE_ktour"))
            .current_dir(dir.path())
            .args("count 5x4..6 --kind closed --csv c.csv --json j.json --record r".split(' '))
            .args(options.split_whitespace())
            .output()
            .unwrap();
        assert_eq!(stdout_and_stderr(&out).0, "5x4 0\n5x5 0\n5x6 8\n");
        let csv = std::fs::read_to_string(path("c.csv")).unwrap();
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.contains(&format!("5x6,\"1,2\",closed,,8,16,{engine},")), "{csv}");
        let json: Value = serde_json::from_slice(&std::fs::read(path("j.json")).unwrap()).unwrap();
        assert_eq!((&json["complete"], &json["series"][2]["undirected"]), (&true.into(), &"8".into()));
        let records = std::fs::read_to_string(path("r")).unwrap();
        assert_eq!(records.lines().count(), 3);
        for line in records.lines() {
            let record = ktour::batch::Record::parse(line).unwrap();
            assert!(record.complete && record.engine == engine);
        }
    }
}

#[test]
fn range_may_vary_rows_columns_or_both() {
    assert_eq!(output_rows("series 5..6x5..6 --kind closed"), ["5x5 0", "5x6 8", "6x5 8", "6x6 9862"]);
    assert_eq!(output_rows("series 1..6 --kind closed").last().unwrap(), "6x6 9862");
    assert_eq!(output_rows("series 5x3..4 --kind paths --directed"), ["5x3 0", "5x4 164"]);
    // With the edges across the strip joined, one sweep counts all boards; with the edges along it joined,
    // each board takes its own sweep.
    let swept = successful_output("series 4x2..5 --wrap rows --kind paths --csv -");
    assert!(
        csv_rows(&swept).iter().all(|row| row["wrap"] == "rows")
            && swept.contains("4x5,\"1,2\",paths,,10720,21440,frontier"),
        "{swept}"
    );
    assert_eq!(output_rows("series 2..5x4 --wrap cols --kind paths").last().unwrap(), "5x4 10720");
    assert_eq!(
        output_rows("series 5x3..4 --wrap cols"),
        ["board closed open paths", "5x3 6568 248016 346536", "5x4 96 8800 10720"]
    );
    assert_eq!(output_rows("series 3x2..4 --piece king --kind closed"), ["3x2 4", "3x3 16", "3x4 120"]);
}

#[test]
fn bfile_has_index_and_number_per_line() {
    let dir = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .current_dir(dir.path())
        .args("series 3x8..12 --kind closed --bfile b.txt --plot p.svg".split(' '))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", stdout_and_stderr(&out).1);
    let read = |name| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let lines: Vec<String> = read("b.txt").lines().map(str::to_owned).collect();
    let mut transcript = Transcript::default();
    let mut check_header = |line: &str, names: &[&str]| {
        assert!(line.starts_with("# "), "{line}");
        assert_contains_all(line, &[&["closed", "knight", env!("CARGO_PKG_VERSION")], names].concat());
        transcript.add("the head of a b-file", &line.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    };
    check_header(&lines[0], &["3x8..12"]);
    assert_eq!(lines[1..], ["8 0", "9 0", "10 16", "11 0", "12 176"]);
    let plot = read("p.svg");
    let zeros = plot.split(['<', '>']).find(|text| text.contains("3 of 5"));
    let zeros = zeros.expect("the plot has a caption with the number of zeros").to_owned();
    assert!(
        plot.ends_with("</svg>\n") && plot.contains(">10<") && plot.matches("<circle").count() == 2,
        "{plot}"
    );
    // OEIS numbers 3 x 2n boards by n.
    let even = successful_output("series 3x8..14 --kind closed --bfile - --bfile-step 2");
    let (first, numbers) = even.split_once('\n').unwrap();
    check_header(first, &["3x8..14", "2nd"]);
    assert_eq!(numbers, "4 0\n5 16\n6 176\n7 1536\n");
    transcript.add("the caption of a plot", &zeros);
    transcript.assert_snapshot("series_files");
    assert_refusals(
        "errors_series_files",
        &[
            ("series 3x4..8 --kind closed --bfile - --bfile-step 9", 2, &["--bfile-step 9", "3x4..8"]),
            ("series 3x8..12 --kind closed --plot p.pdf", 2, &["--plot p.pdf", ".svg", ".png"]),
        ],
    );
    let png = dir.path().join("p.png");
    successful_output(&format!("series 3x8..12 --plot {}", png.display()));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(
        successful_output("series 4..5x6 --kind closed --bfile -").lines().skip(1).collect::<Vec<_>>(),
        ["4 0", "5 8"]
    );
}

/// Runs ktour, reads `rows` rows, and sends SIGINT. Returns the exit status, all rows and standard error.
#[cfg(target_os = "linux")]
fn signal_after_rows(
    arguments: &str,
    dir: &std::path::Path,
    rows: usize,
) -> (std::process::ExitStatus, Vec<String>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .current_dir(dir)
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut received: Vec<String> = out.by_ref().take(rows).map(Result::unwrap).collect();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    received.extend(out.map(Result::unwrap));
    let output = child.wait_with_output().unwrap();
    (output.status, received, String::from_utf8(output.stderr).unwrap())
}

/// Returns the progress that the warning about incomplete files states.
#[cfg(target_os = "linux")]
fn progress_in_warning(line: &str) -> Vec<(u64, u64)> {
    let stopped = line.strip_prefix(WARNING_PREFIX).unwrap_or_else(|| panic!("{line}"));
    progress_in_notices(stopped)
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_series_keeps_rows_and_reports_remaining_boards() {
    use std::os::unix::process::ExitStatusExt;

    let dir = tempfile::tempdir().unwrap();
    let command = "count 7x7..90 --kind closed --json j --csv c";
    let (status, rows, err) = signal_after_rows(command, dir.path(), 3);
    assert_eq!(status.signal(), Some(2), "{err}");
    assert!(rows.len() >= 3 && rows[1] == "7x8 34524432316", "{rows:?}");
    let last = err.lines().last().unwrap();
    assert_eq!(progress_in_warning(last), [(rows.len() as u64, 84)], "{err}");
    assert_contains_all(last, &[&format!("7x{}..90", 7 + rows.len())]);
    let mut transcript = Transcript::default();
    transcript.add("the last line of a range that a signal stops", &mask_numbers(last));
    transcript.assert_snapshot("notices_stopped_range");
    let json: Value = serde_json::from_slice(&std::fs::read(dir.path().join("j")).unwrap()).unwrap();
    assert_eq!(json["complete"], false);
    assert_eq!(json["series"].as_array().unwrap().len(), rows.len());
    // The file ends with the next board, without counts.
    let csv = csv_rows(&std::fs::read_to_string(dir.path().join("c")).unwrap());
    let (next, finished) = csv.split_last().unwrap();
    assert_eq!(finished.len(), rows.len());
    assert!(finished.iter().all(|row| row["complete"] == "true"));
    assert_eq!(
        ["board", "undirected", "directed", "complete"].map(|name| next[name].clone()),
        [&format!("7x{}", 7 + rows.len()), "", "", "false"]
    );
    let dir = tempfile::tempdir().unwrap();
    let command = "series 7x7..90 --kind closed --plot p.svg --csv - --wide --quiet";
    let (_, rows, err) = signal_after_rows(command, dir.path(), 4);
    let (next, finished) = rows.split_last().unwrap();
    let boards: Vec<&str> = finished[1..].iter().map(|row| row.split(',').next().unwrap()).collect();
    assert!(next.starts_with("7x") && next.ends_with(','), "{rows:?}");
    assert_eq!(progress_in_warning(&err), [(boards.len() as u64, 84)], "{err}");
    let plot = std::fs::read_to_string(dir.path().join("p.svg")).unwrap();
    assert!(plot.contains(&format!(", up to {} so far</title>", boards.last().unwrap())), "{plot}");
}

/// Returns the sorted file names of a folder.
#[cfg(target_os = "linux")]
fn sorted_file_names(dir: &std::path::Path) -> Vec<String> {
    let names =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn range_resumes_from_one_checkpoint() {
    let run = |dir: &std::path::Path, arguments: &str| {
        let words = arguments.split(' ');
        let output = Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", stdout_and_stderr(&output).1);
        stdout_and_stderr(&output)
    };
    let rows = "6x4 0\n6x5 8\n6x6 9862\n6x7 1067638\n6x8 55488142\n";
    // Board by board, and in one sweep.
    for engine in ["--engine multipath", "--engine frontier"] {
        let dir = tempfile::tempdir().unwrap();
        let command =
            format!("series 6x4..8 --kind closed {engine} --csv t.csv --bfile b.txt --checkpoint run");
        let (status, printed, err) = signal_after_rows(&command, dir.path(), 4);
        let bfile = || std::fs::read_to_string(dir.path().join("b.txt")).unwrap();
        if status.code() == Some(75) {
            // The b-file has the finished rows, and its header names the last board.
            assert_eq!(bfile().lines().count(), 1 + printed.len(), "{printed:?}");
            let last_board = format!("6x{} ", 3 + printed.len());
            assert!(
                printed.len() == 5 || bfile().lines().next().unwrap().contains(&last_board),
                "{}",
                bfile()
            );
            let last = err.lines().last().unwrap();
            assert_eq!(progress_in_warning(last), [(printed.len() as u64, 5)], "{err}");
            assert_contains_all(last, &["ktour resume run"]);
            let (out, err) = run(dir.path(), "resume run");
            assert!(
                out == rows && progress_in_notices(&err).first().is_some_and(|boards| boards.1 == 5),
                "{out}{err}"
            );
        } else {
            assert!(status.success() && printed.len() == 5, "{err}");
        }
        // A repeated run reads all rows from the checkpoint.
        let (out, err) = run(dir.path(), &command);
        assert_eq!(out, rows, "{err}");
        assert_eq!(progress_in_notices(&err), [(5, 5)], "{err}");
        assert_eq!(err.lines().filter(|line| line.starts_with(JOB_PREFIX)).count(), 1, "{err}");
        assert_eq!(sorted_file_names(dir.path()), ["b.txt", "run", "run.previous", "t.csv"]);
        let (header, numbers) = bfile().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(header.ends_with(concat!("ktour ", env!("CARGO_PKG_VERSION"))), "{header}");
        assert_eq!(numbers, rows.replace("6x", ""));
        assert_eq!(std::fs::read_to_string(dir.path().join("t.csv")).unwrap().lines().count(), 6);
        let other =
            ktour(&format!("series 6x4..9 --kind closed --checkpoint {}", dir.path().join("run").display()));
        let line = stdout_and_stderr(&{ other }.output().unwrap()).1;
        assert!(line.starts_with(ERROR_PREFIX), "{line}");
        assert_contains_all(&line, &[dir.path().join("run").to_str().unwrap(), "boards=6x4..8 "]);
    }
}

#[test]
fn shard_count_is_labelled() {
    assert_eq!(
        successful_output("count 5x5 --kind paths --shard 0/4").lines().next(),
        Some("shard 0/4  directed")
    );
}

#[test]
fn recurrence_is_independent_of_first_board() {
    // The recurrence must not depend on the rows of the range, with a transfer matrix and without.
    let recurrence_of = |arguments: &str| {
        let found = recurrence_json(arguments);
        (found["order"].clone(), found["coefficients"].clone())
    };
    let whole = recurrence_of("series 2x1..24 --kind paths --piece wazir --recurrence");
    assert_eq!(whole.0, 3);
    for range in ["2x10..30", "2x3..8", "2x20..50"] {
        assert_eq!(
            recurrence_of(&format!("series {range} --kind paths --piece wazir --recurrence")),
            whole,
            "{range}"
        );
    }
    assert_eq!(recurrence_of("series 2x8..24 --kind open --piece wazir --recurrence").0, 3);
    // A strip one square wide: every state leads back to the same square.
    let (order, rule) = recurrence_of("series 1x9..40 --kind paths --piece 0,1+0,2 --recurrence");
    assert_eq!(
        recurrence_of("series 1x1..40 --kind paths --piece 0,1+0,2 --recurrence"),
        (order.clone(), rule)
    );
    assert_ne!(order, 1);
}

/// Returns the recurrence in the JSON of a command.
fn recurrence_json(arguments: &str) -> Value {
    let output = ktour(&format!("{arguments} --json -")).output().unwrap();
    assert!(output.status.success(), "{arguments}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["recurrence"].clone()
}

#[test]
fn residues_of_range_match_exact_numbers() {
    for (range, options) in [
        ("5x2..9", "--kind closed"),
        ("5x2..7", "--kind open"),
        ("5x3..6", ""),
        ("2..5x4", "--wrap cols --piece wazir"),
        ("3..5x3..5", "--kind paths"),
        // Board by board.
        ("5x4..6", "--kind open --remove a1"),
        ("5x4..6", "--kind paths --start a1"),
        ("3x4..6", "--wrap cols"),
    ] {
        // Only `count` accepts end squares for ranges.
        let rows = |more: &str| {
            let words = format!("count {range} {options} {more}");
            output_rows(&words.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let exact = rows("");
        for modulus in [97u64, 65536, 4_294_967_291] {
            let residue = |row: &String| -> String {
                let (board, numbers) = row.split_once(' ').unwrap();
                let residue = |number: &str| (number.parse::<u64>().unwrap() % modulus).to_string();
                format!("{board} {}", numbers.split(' ').map(residue).collect::<Vec<_>>().join(" "))
            };
            let found = rows(&format!("--modulus {modulus}"));
            let (header, found) = found.split_first().unwrap();
            assert!(header.starts_with("board ") && header.ends_with(&format!("-mod-{modulus}")), "{header}");
            let exact: Vec<String> =
                exact.iter().filter(|row| !row.starts_with("board")).map(residue).collect();
            assert_eq!(found, exact, "{range} {options} modulo {modulus}");
        }
    }
}

#[test]
fn modulus_is_named_in_all_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        let output =
            Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", stdout_and_stderr(&output).1);
        stdout_and_stderr(&output)
    };
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    // One sweep for the first range, one sweep for each board of the second.
    for range in ["6x5..7", "7x6..6"] {
        let (out, err) =
            run(&format!("series {range} --kind closed --modulus 1000 --csv c --json j --record r"));
        assert!(out.starts_with("board  closed-mod-1000\n"), "{out}");
        let job = err.lines().find(|line| line.starts_with(JOB_PREFIX));
        assert!(job.is_some_and(|job| job.ends_with("kind=closed modulus=1000")), "{err}");
        let csv = read("c");
        assert!(
            csv_rows(&csv).iter().all(|row| row["modulus"] == "1000" && row["complete"] == "true"),
            "{csv}"
        );
        let json: Value = serde_json::from_str(&read("j")).unwrap();
        assert_eq!((&json["modulus"], &json["complete"]), (&1000.into(), &true.into()));
        let last = json["series"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["undirected"], &last["directed"]), (&"638".into(), &"276".into()));
        for line in read("r").lines() {
            let record = ktour::batch::Record::parse(line).unwrap();
            assert!(record.modulus == Some(1000) && record.complete && record.job.contains(" modulus=1000 "));
        }
        assert_eq!(read("r").lines().count(), csv.lines().count() - 1);
        std::fs::remove_file(dir.path().join("r")).unwrap();
    }
    // The checkpoint belongs to this modulus.
    let (first, _) = run("series 6x4..8 --kind closed --modulus 1000 --checkpoint run");
    let (resumed, err) = run("resume run");
    assert!(first == resumed && progress_in_notices(&err).first() == Some(&(5, 5)), "{err}");
    let path = dir.path().join("run");
    let path = path.to_str().unwrap();
    let mut refusals = Refusals::with_hidden_folder(dir.path());
    let other = format!("series 6x4..8 --kind closed --modulus 1001 --checkpoint {path}");
    refusals.run(&other, 1, &[path, "boards=6x4..8 ", " modulus=1000"]);
    refusals.assert_snapshot("errors_checkpoint_of_other_range");
}

#[test]
fn modular_series_rejects_options_for_exact_numbers() {
    let mut refusals = Refusals::default();
    for option in
        ["--bfile b", "--plot p.svg", "--recurrence", "--distinct", "--symmetry rot180", "--directed"]
    {
        let name = option.split(' ').next().unwrap();
        refusals.run(&format!("series 5x2..8 --kind closed --modulus 7 {option}"), 2, &[name]);
    }
    for (option, name) in
        [("--double-check", "--double-check"), ("--modulus 11", "moduli"), ("--residues", "--residues")]
    {
        refusals.run(&format!("count 5x2..8 --kind closed --modulus 7 {option}"), 2, &[name]);
    }
    refusals.assert_snapshot("errors_residues_of_range");
}

/// The first of these boards is counted by a search, the last by a sweep.
#[test]
fn argument_errors_of_a_range_precede_the_job_line() {
    for (arguments, option) in [
        ("series 7x2..8 --kind paths --spill .", "--spill"),
        ("count 5x5..6 --split-depth 3 --engine frontier", "--split-depth"),
        ("count 6x6..7 --kind closed --checkpoint-every 5s --spill .", "--checkpoint-every"),
    ] {
        let output = ktour(arguments).output().unwrap();
        let (out, err) = stdout_and_stderr(&output);
        assert!(output.status.code() == Some(2) && out.is_empty(), "{arguments}: {out}{err}");
        assert!(err.starts_with(ERROR_PREFIX) && err.contains(option), "{arguments}: {err}");
        assert_eq!(err.lines().count(), 1, "{arguments}: {err}");
    }
}

#[test]
fn range_reports_board_that_cannot_be_counted() {
    // 12x12 has more squares than a search accepts.
    let output = ktour("count 11..12 --kind closed --engine multipath").output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert!(!output.status.success() && out == "11x11 0\n", "{out}");
    // A notice with the reason, then the error, which does not repeat the reason.
    let lines: Vec<&str> =
        err.lines().filter(|line| line.contains("144") || line.contains("12x12")).collect();
    let [notice, error] = lines[..] else { panic!("{err}") };
    assert!(notice.contains("144") && !error.contains("144"), "{err}");
    assert!(!notice.starts_with(ERROR_PREFIX) && error.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(notice, &["ktour: 12x12 will be rejected"]);
    let mut transcript = Transcript::default();
    transcript.add("count 11..12 --kind closed --engine multipath", &format!("{notice}\n{error}"));
    transcript.assert_snapshot("notices_refused_board_of_range");
}

#[test]
fn series_of_symmetric_counts_is_refused_before_its_first_count() {
    let run = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        stdout_and_stderr(&output)
    };
    // The last board has no symmetric tours, and needs nothing.
    let (out, err) = run("series 7x9..11 --kind closed --symmetry rot180 --memory 5M");
    assert_eq!(out.split_whitespace().collect::<Vec<_>>(), ["board", "closed", "7x9", "0"], "{err}");
    assert_contains_all(&err, &["7x10..11 will be rejected: 7x10 rot180 closed", "1 of 3 boards"]);
    let (out, err) = run("series 7x10..12 --kind closed --symmetry rot180 --memory 5M");
    assert!(out.is_empty() && err.starts_with(ERROR_PREFIX) && err.lines().count() == 1, "{out}{err}");
    assert_contains_all(&err, &["7x10 rot180 closed", "--memory", "--force"]);
}

#[cfg(target_os = "linux")]
#[test]
fn modular_series_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let command = "series 6x4..90 --kind closed --modulus 65521";
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        let output =
            Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", stdout_and_stderr(&output).1);
        stdout_and_stderr(&output).0
    };
    let (status, printed, err) = signal_after_rows(&format!("{command} --checkpoint run"), dir.path(), 4);
    if status.code() == Some(75) {
        assert_contains_all(err.lines().last().unwrap(), &["ktour resume run"]);
        let out = run("resume run");
        assert!(out.starts_with(&printed.join("\n")), "{out}");
        assert_eq!(out, run(command));
    } else {
        assert!(status.success() && printed.len() == 88, "{err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn series_from_residues_resumes_and_detects_wrong_residue() {
    let dir = tempfile::tempdir().unwrap();
    let command = "count 5x4..40 --kind closed --residues=32";
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        stdout_and_stderr(
            &Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap(),
        )
    };
    let (status, printed, err) = signal_after_rows(&format!("{command} --checkpoint run"), dir.path(), 4);
    if status.code() != Some(75) {
        assert!(status.success() && printed.len() == 37, "{err}");
        return;
    }
    assert_contains_all(err.lines().last().unwrap(), &["ktour resume run"]);
    let mut checkpoint = Checkpoint::<SeriesState>::load(&dir.path().join("run")).unwrap().checkpoint;
    let (out, err) = run("resume run");
    assert!(out.starts_with(&printed.join("\n")), "{out}");
    assert_eq!(out, run("count 5x4..40 --kind closed").0, "{err}");
    // Change the residue of the last board.
    let swept = checkpoint.state.swept.as_mut().unwrap();
    swept.suspended = None;
    let first = swept.numbers.first_mut().filter(|numbers| numbers.len() == 40);
    let last = first.expect("the checkpoint has a finished sweep of 40 numbers").last_mut().unwrap();
    *last = (&*last + 1u32) % 4_294_967_291u32;
    CheckpointFile::lock(&dir.path().join("wrong")).unwrap().save(&checkpoint).unwrap();
    let (out, err) = run("resume wrong");
    assert!(!out.contains("5x40 "), "{out}");
    let error = err.lines().last().unwrap();
    assert!(error.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(error, &["5x40:", "36 of 37", "ktour resume wrong"]);
}

#[test]
fn wrong_term_in_checkpoint_is_detected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows");
    let mut transcript = Transcript::default();
    // The transfer matrix computes the correct number; rows alone fit no recurrence.
    for (range, changed_board, is_proved, terms) in [
        ("3x4..24 --kind closed", "3x14", true, None),
        ("2x4..40 --kind paths --piece wazir --remove a1", "2x14", false, Some(37)),
    ] {
        let command = format!("series {range} --checkpoint {}", path.display());
        let with_recurrence = format!("{command} --recurrence");
        let correct = recurrence_json(&with_recurrence);
        assert_eq!((&correct["found"], &correct["proved"]), (&true.into(), &is_proved.into()), "{correct}");
        assert!(terms.is_none_or(|terms| correct["terms"] == terms), "{correct}");
        // Change a number in one of the stored rows.
        let mut checkpoint = Checkpoint::<SeriesState>::load(&path).unwrap().checkpoint;
        let row = checkpoint.state.rows.iter_mut().find(|row| row["board"] == changed_board).unwrap();
        let number = &mut row["numbers"][0]["undirected"][0];
        *number = (number.as_u64().unwrap() + 8).into();
        CheckpointFile::lock(&path).unwrap().save(&checkpoint).unwrap();
        let output = ktour(&with_recurrence).output().unwrap();
        let (out, err) = stdout_and_stderr(&output);
        assert!(!out.contains("a(n) = ") && !out.contains("a(2m) = "), "{out}");
        if is_proved {
            let error = err.lines().last().unwrap();
            assert!(!output.status.success() && error.starts_with(ERROR_PREFIX), "{err}");
            assert_contains_all(error, &["3x14", "1544", "1536"]);
            transcript.add("a term that the transfer matrix contradicts", error);
        } else {
            let reported = recurrence_json(&with_recurrence);
            assert_eq!(
                (&reported["found"], &reported["none_up_to_order"]),
                (&false.into(), &12.into()),
                "{reported}"
            );
            let reported = out.lines().find(|line| !line.starts_with(char::is_numeric)).unwrap();
            transcript.add("a term with which no recurrence fits", reported);
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(dir.path().join("rows.previous")).ok();
    }
    transcript.assert_snapshot("errors_wrong_terms");
}

#[test]
fn zero_terms_do_not_determine_order() {
    let output = ktour("series 5x1..7 --kind closed --recurrence --order 1").output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert!(err.lines().any(|line| line.contains("102")), "{err}");
    let found = recurrence_json("series 5x1..7 --kind closed --recurrence --order 1");
    assert_eq!(
        ["stride", "none_up_to_order", "none_that_holds_after"].map(|name| found[name].as_u64().unwrap()),
        [2, 1, 34]
    );
    // The matrix gives more terms than the rows, enough for all digits.
    assert_eq!((&found["found"], &found["growth"]), (&false.into(), &"18.1203095605329".into()), "{found}");
    assert_contains_all(&out, &[" 1 ", "2nd", " 17 ", " 51 ", "18.1203095605329"]);
    let mut transcript = Transcript::default();
    transcript.add("series 5x1..7 --kind closed --recurrence --order 1", &out);
    transcript.add("the same, standard error", &mask_seconds(&err));
    transcript.assert_snapshot("series_without_recurrence");
}

#[test]
fn order_option_uses_same_stride_as_output() {
    let mut transcript = Transcript::default();
    let mut find_order = |arguments: &str, order: u32| {
        let command = format!("series {arguments} --recurrence --order {order}");
        let text = stdout_and_stderr(&ktour(&command).output().unwrap()).0;
        let first = text.lines().find(|line| !line.starts_with(char::is_numeric)).unwrap();
        transcript.add(&command, first);
        let found = recurrence_json(&command);
        let order = if found["found"] == true { &found["order"] } else { &found["none_up_to_order"] };
        (found["found"] == true, order.as_u64().unwrap(), found["stride"].as_u64().unwrap())
    };
    let strip = "3x4..8 --kind closed";
    assert_eq!(find_order(strip, 21), (true, 21, 2));
    assert_eq!(find_order(strip, 20), (false, 20, 2));
    let rows = "2x4..20 --kind paths --piece wazir --remove a1";
    assert_eq!(find_order(rows, 2), (true, 2, 1));
    assert_eq!(find_order(rows, 1), (false, 1, 1));
    transcript.assert_snapshot("series_orders");
}

#[test]
fn open_tours_recurrence_combines_two_matrices() {
    let output = ktour("series 3x1..40 --kind open --recurrence").output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    let found = recurrence_json("series 3x1..40 --kind open --recurrence");
    assert_eq!(
        (&found["proved"], &found["growth"]),
        (&true.into(), &"3.45059211175020".into()),
        "{out}{err}"
    );
    assert_contains_all(&out, &["3.45059211175020"]);
    // The numbers of states of both matrices.
    for states in ["301", "67 "] {
        assert!(err.lines().any(|line| line.contains(states)), "{states}: {err}");
    }
    let mut transcript = Transcript::default();
    transcript.add("standard error", &mask_seconds(&err));
    let (_, rows) = out.split_once("3x40 ").unwrap();
    transcript.add("standard output below the rows", &truncate_long_lines(rows.split_once('\n').unwrap().1));
    transcript.assert_snapshot("series_recurrence_of_open_tours");
}

#[test]
fn polynomial_factors_are_normalised() {
    let text =
        stdout_and_stderr(&ktour("series 3x3..12 --wrap rows --kind closed --recurrence").output().unwrap())
            .0;
    // Lines such as `numerator factors (1 - x) * (1 - 2*x)`.
    let factors: Vec<&str> = text.lines().filter(|line| line.contains(" * (")).collect();
    assert!(!factors.is_empty(), "{text}");
    assert!(factors.iter().all(|line| !line.contains("(-") && !line.contains("-1 *")), "{factors:?}");
}

#[test]
fn recurrence_without_matrix_gives_reason() {
    let mut transcript = Transcript::default();
    let mut reasons = BTreeSet::new();
    for arguments in [
        "series 3x4..12 --kind closed --distinct --recurrence",
        "series 3x4..12 --kind closed --symmetry rot180 --recurrence",
        "series 3x4..7 --wrap cols --kind closed --recurrence",
    ] {
        let err = stdout_and_stderr(&ktour(arguments).output().unwrap()).1;
        let notice = *unexpected_lines(&err).first().unwrap_or_else(|| panic!("{arguments}: {err}"));
        transcript.add(arguments, notice);
        reasons.insert(notice.to_owned());
        // With the states of a matrix, the recurrence would be proved.
        let found = recurrence_json(arguments);
        assert!(found["proved"] != true && found["states"].is_null(), "{arguments}: {found}");
    }
    assert_eq!(reasons.len(), 3, "each command prints a different reason");
    transcript.assert_snapshot("notices_no_transfer_matrix");
}

/// Returns the numbers of tours of a small board and of their symmetry classes, by exhaustive search.
fn count_by_exhaustive_search(board: &ktour::board::Board, kind: Kind) -> (usize, usize) {
    let neighbours = |v: usize| board.graph().neighbours(v).iter().map(|&w| w as usize).collect();
    let oracle = Oracle { neighbours: (0..board.len()).map(neighbours).collect() };
    let (mut tours, mut classes) = (BTreeSet::new(), BTreeSet::new());
    for start in 0..board.len() {
        oracle.for_each_path_from(start, &mut |path| {
            let mut edges: Vec<[usize; 2]> = path.windows(2).map(|edge| [edge[0], edge[1]]).collect();
            match kind {
                Kind::Closed
                    if path.len() > 2 && oracle.neighbours[start].contains(&path[path.len() - 1]) =>
                {
                    edges.push([path[path.len() - 1], start]);
                }
                Kind::Closed => return,
                Kind::Paths | Kind::Open => {}
            }
            let image = |element: &ktour::board::Element| {
                let map = |v: usize| element.image[v] as usize;
                let mut edges: Vec<[usize; 2]> = edges.iter().map(|&[v, w]| [map(v), map(w)]).collect();
                edges.iter_mut().for_each(|edge| edge.sort_unstable());
                edges.sort_unstable();
                edges
            };
            let images = board.symmetries();
            let images: Vec<_> = images.elements().iter().map(image).collect();
            classes.insert(images.iter().min().unwrap().clone());
            edges.iter_mut().for_each(|edge| edge.sort_unstable());
            edges.sort_unstable();
            tours.insert(edges);
        });
    }
    (tours.len(), classes.len())
}

#[test]
fn series_match_exhaustive_search_for_wraps_and_pieces() {
    for (range, options) in [
        ("3x2..5", ""),
        ("3..5x4", ""),
        ("3x2..4", "--piece king"),
        ("2x1..5", "--piece king"),
        ("3x1..5", "--piece wazir"),
        ("4x2..4", "--piece camel"),
        ("1..4x3", "--wrap cols"),
        ("3x2..4", "--wrap rows"),
        ("3x2..4", "--wrap cols --piece wazir"),
        ("3x3..4", "--wrap torus --piece wazir"),
        ("3x2..4", "--wrap mobius"),
        ("3x3..4", "--wrap klein --piece wazir"),
        ("2..3x2..4", "--wrap projective --piece wazir"),
    ] {
        let option = |name: &str| options.split(' ').skip_while(|word| *word != name).nth(1);
        let rules = SeriesRules {
            wrap: option("--wrap").map_or(Wrap::None, |wrap| wrap.parse().unwrap()),
            piece: option("--piece").unwrap_or("knight").parse().unwrap(),
        };
        for kind in [Kind::Closed, Kind::Paths] {
            let command = format!("series {range} {options} --kind {}", kind.name());
            let expected: Vec<(usize, usize)> = range
                .parse::<BoardRange>()
                .unwrap()
                .boards()
                .map(|board| count_by_exhaustive_search(&rules.to_board(board), kind))
                .collect();
            let numbers = |lines: Vec<String>| -> Vec<usize> {
                let last = |line: &String| line.rsplit(' ').next().unwrap().parse().unwrap();
                lines.iter().filter(|line| !line.starts_with("board")).map(last).collect()
            };
            let tours: Vec<usize> = expected.iter().map(|counts| counts.0).collect();
            let classes: Vec<usize> = expected.iter().map(|counts| counts.1).collect();
            assert_eq!(numbers(output_rows(&command)), tours, "{command}");
            let command = format!("{command} --distinct");
            assert_eq!(numbers(output_rows(&command)), classes, "{command}");
        }
    }
}

#[test]
fn distinct_series_matches_published_numbers() {
    // OEIS A169769, 3 x 10 to 3 x 36.
    let published = "6 0 44 0 396 0 3868 0 37070 0 362192 0 3516314 0 34237842 0 333077332 0 3241403380 0 31542464952 0 \
                     306944118820 0 2986962829456 0 29066627247828";
    let rows = output_rows("series 3x10..36 --kind closed --distinct");
    let numbers: Vec<&str> = rows.iter().map(|row| row.split(' ').nth(1).unwrap()).collect();
    assert_eq!(numbers.join(" "), published);
}

#[test]
fn one_square_has_no_symmetric_path() {
    let output_of = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    };
    // A half turn moves nothing on 1x1, so it is not a symmetry: the only path is asymmetric.
    assert_eq!(output_of("count 1x1 --symmetry rot180 --kind paths"), "0\n");
    let rows = output_of("series 1x1..2 --symmetry rot180 --kind paths");
    assert_eq!(rows.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1x1", "0"]);
    let rows = output_of("count 1..2 --symmetry rot180 --kind paths");
    assert_eq!(rows.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1x1", "0"]);
    let found = output_of("list 1x1 --symmetry rot180");
    assert!(found.lines().all(|line| line.starts_with('#')), "{found}");
    let classes = output_of("count 1x1 --classes --kind paths");
    let row = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(classes.lines().any(|line| row(line) == ["asymmetric", "1", "1"]), "{classes}");
    assert!(!classes.contains("rot180"), "{classes}");
}
