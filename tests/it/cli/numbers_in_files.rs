//! The numbers that commands write to CSV and JSON agree with each other and with the printed ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Refusals, csv_rows, ktour, successful_output};

type Row = BTreeMap<String, String>;

/// Runs a command with `--csv` and `--json`. Returns what it prints, the rows of CSV, and the JSON object.
fn run_with_files(arguments: &str, folder: &Path) -> (String, Vec<Row>, Value) {
    let command = format!("{arguments} --csv rows.csv --json object.json");
    let output = ktour(&command).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let (csv, json) = (read("rows.csv"), read("object.json"));
    (String::from_utf8(output.stdout).unwrap(), csv_rows(&csv), serde_json::from_str(&json).unwrap())
}

/// Asserts that rows of CSV have the same values as the objects of a list, in each key of the list.
fn assert_same_rows(rows: &[Row], list: &Value) {
    let list = list.as_array().unwrap();
    assert_eq!(rows.len(), list.len());
    for (row, object) in rows.iter().zip(list) {
        for (key, value) in object.as_object().unwrap() {
            let text = match value {
                // CSV has all three decimals of seconds.
                Value::Number(number) if key.ends_with("seconds") => {
                    format!("{:.3}", number.as_f64().unwrap())
                }
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(names) => {
                    names.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>().join(" ")
                }
                value => value.to_string(),
            };
            assert_eq!(row[key], text, "{key}");
        }
    }
}

#[test]
fn rank_writes_number_and_line_of_each_tour() {
    let folder = tempfile::tempdir().unwrap();
    // More tours than are ranked or written at once.
    let tours = successful_output("list 5x5 --start a1 --limit 300");
    fs::write(folder.path().join("tours"), &tours).unwrap();
    let (printed, rows, json) = run_with_files("rank tours --start a1 --bare", folder.path());
    assert_same_rows(&rows, &json["tours"]);
    let numbers: Vec<&str> = rows.iter().map(|row| row["number"].as_str()).collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), numbers);
    let lines: Vec<String> = (2..302).map(|line: u32| line.to_string()).collect();
    assert_eq!(rows.iter().map(|row| &row["line"]).collect::<Vec<_>>(), lines.iter().collect::<Vec<_>>());
    let first = ["board_text", "kind", "start", "end"].map(|key| rows[0][key].as_str());
    assert_eq!(rows[0]["board"], "5x5");
    assert_eq!(first, ["board=5x5 piece=1,2 remove=-", "paths", "a1", ""]);
    assert_eq!(
        (json["total"].as_str(), json["plan"].as_str()),
        (Some("304"), Some(rows[0]["plan"].as_str()))
    );
    // A file on standard output replaces the numbers, unless they have a file of their own.
    let on_stdout = |more: &str| {
        let command = format!("rank tours --start a1 --csv - {more}");
        String::from_utf8(ktour(&command).current_dir(folder.path()).output().unwrap().stdout).unwrap()
    };
    assert_eq!(csv_rows(&on_stdout("")), rows);
    assert_eq!(csv_rows(&on_stdout("--output numbers --bare")), rows);
    assert_eq!(fs::read_to_string(folder.path().join("numbers")).unwrap(), printed);
}

#[test]
fn sample_writes_number_of_each_tour() {
    let folder = tempfile::tempdir().unwrap();
    for tours in ["6x6 --kind closed", "5x5 --start a1", "3x4", "6x6 --kind closed --distinct"] {
        let (printed, rows, json) =
            run_with_files(&format!("sample {tours} --number 5 --seed 3 --bare"), folder.path());
        assert_same_rows(&rows, &json["tours"]);
        assert_eq!((rows.len(), &json["samples"], &json["seed"]), (5, &5.into(), &3.into()), "{tours}");
        assert_eq!(json["distinct"], tours.ends_with("--distinct"));
        let squares: Vec<&str> = rows.iter().map(|row| row["squares"].as_str()).collect();
        assert_eq!(printed.lines().collect::<Vec<_>>(), squares, "{tours}");
        // The number leads back to the tour. Both directions of a path have one number.
        for row in &rows {
            let options = tours.replace(" --distinct", "");
            let (board, options) = options.split_once(' ').unwrap_or((&options, ""));
            let tour = successful_output(&format!("unrank {board} {} {options} --bare", row["number"]));
            let reversed: Vec<&str> = tour.split_whitespace().rev().collect();
            assert!(
                row["squares"] == tour.trim_end() || row["squares"] == reversed.join(" "),
                "{tours}: {row:?}"
            );
        }
    }
    let (printed, rows, json) = run_with_files("sample 4x5 --kind open --number 4 --bare", folder.path());
    assert_same_rows(&rows, &json["tours"]);
    assert!(rows.iter().all(|row| row["number"].is_empty()) && printed.lines().count() == 4, "{rows:?}");
    let (printed, rows, json) = run_with_files("sample 3x4 --number 0 --bare", folder.path());
    assert_eq!((printed.as_str(), rows.len(), &json["tours"]), ("", 0, &Value::Array(Vec::new())));
}

#[test]
fn files_are_complete_after_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tours"), successful_output("list 5x5")).unwrap();
    for (command, count) in [
        ("sample 6x6 --kind closed --number 3000 --seed 1", 3000),
        ("find 6x6 --limit 3000", 3000),
        ("check tours", 864),
        ("series 5x2..60 --kind closed", 59),
        ("series 2..5 --kind closed", 4),
        ("series 3x4..20 --kind closed --recurrence", 17),
    ] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ktour"))
            .args(command.split(' ').chain(["--csv", "rows.csv", "--json", "fields.json"]))
            .current_dir(folder.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{command}");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(csv_rows(&read("rows.csv")).len(), count, "{command}");
        let fields: Value = serde_json::from_str(&read("fields.json")).unwrap();
        assert_ne!(fields["complete"], Value::Bool(false), "{command}");
    }
}

#[test]
fn check_writes_row_of_each_tour() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tours"), successful_output("list 5x5 --limit 300")).unwrap();
    let (printed, rows, json) = run_with_files("check tours --distinct", folder.path());
    assert_same_rows(&rows, &json["tours"]);
    assert_eq!((rows.len(), json["summary"]["correct"].as_u64()), (300, Some(300)));
    assert!(printed.starts_with("tours      300\n"), "{printed}");
    let output = ktour("check tours --csv - --output text").current_dir(folder.path()).output().unwrap();
    assert_eq!(csv_rows(std::str::from_utf8(&output.stdout).unwrap()), rows);
    assert!(fs::read_to_string(folder.path().join("text")).unwrap().starts_with("tours      300\n"));
}

#[test]
fn estimate_writes_row_of_each_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let (_, rows, json) = run_with_files("estimate 6x6 --kind closed --bound --distinct", folder.path());
    let names: Vec<&str> = rows.iter().map(|row| row["estimate"].as_str()).collect();
    assert_eq!(names, ["search", "sweep", "index", "symmetric", "bound"]);
    let list: Vec<Value> = ["search", "index", "symmetric"].iter().map(|name| json[name].clone()).collect();
    assert_same_rows(&[0, 2, 3].map(|i: usize| rows[i].clone()), &list.into());
    assert_same_rows(&rows[1..2], &json["sweep"]["sweeps"]);
    assert_eq!(
        (json["bound"]["most"].as_str(), json["board"].as_str()),
        (Some(rows[4]["most"].as_str()), Some("6x6"))
    );
    assert!(rows.iter().all(|row| row["board"] == "6x6" && row["kind"] == "closed"), "{rows:?}");
    let (_, rows, json) = run_with_files("estimate 5x5 --per-start --engine frontier", folder.path());
    let (sums, sweeps) = rows.split_last().unwrap();
    assert_same_rows(sweeps, &json["sweep"]["sweeps"]);
    assert_eq!((sums["estimate"].as_str(), sweeps.len() > 1), ("sweeps", true));
    assert_eq!(sums["seconds"].parse().ok(), json["sweep"]["seconds"].as_f64());
}

#[test]
fn samples_and_graphs_have_the_same_rows_in_csv_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let (_, rows, json) = run_with_files("stats 5x6 --kind paths --samples 20 --at 3,9", folder.path());
    assert_same_rows(&rows, &json["measures"]);
    assert_eq!(rows.iter().filter(|row| !row["moves"].is_empty()).count(), 2);
    let graph = format!("{}/examples/petersen.g6", env!("CARGO_MANIFEST_DIR"));
    let (printed, rows, json) = run_with_files(&format!("count --graph {graph} --all-graphs"), folder.path());
    assert_same_rows(&rows, &json["graphs"]);
    let paths: Vec<&str> = printed.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!((rows[2]["undirected"].as_str(), rows[2]["kind"].as_str()), (paths[5], "paths"));
}

#[test]
fn files_with_one_name_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let tours = folder.path().join("tours");
    fs::write(&tours, successful_output("list 3x4")).unwrap();
    let tours = tours.display().to_string();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    for command in ["estimate 5x5", "sample 3x4", "rank FILE", "check FILE"] {
        let command = command.replace("FILE", &tours);
        let other = folder.path().join("other").display().to_string();
        refusals.run(&format!("{command} --csv - --json -"), 2, &["--csv", "--json"]);
        refusals.run(&format!("{command} --csv {other} --json {other}"), 2, &["--csv", "--json"]);
        if !command.starts_with("estimate") {
            refusals.run(&format!("{command} --csv {other} --output {other}"), 2, &["--csv", "--output"]);
        }
        if command.contains(&tours) {
            refusals.run(&format!("{command} --csv {tours}"), 2, &["--csv", "FILE"]);
        }
        refusals.run(&format!("{command} --csv {}/none/rows", folder.path().display()), 1, &["none"]);
    }
    refusals.run(&format!("check {tours} --canonical --csv -"), 2, &["--canonical", "--csv"]);
    refusals.assert_snapshot("errors_number_files");
    assert!(fs::read_to_string(&tours).unwrap().starts_with("# ktour"));
    assert!(!folder.path().join("other").exists());
}
