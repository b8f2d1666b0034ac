//! `ktour count`: known numbers, tables, CSV and JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    DONE_PREFIX, JOB_PREFIX, NOTE_PREFIX, Refusals, csv_rows, ktour, mask_measurements,
    output_without_header, stdout_and_stderr, successful_output, unexpected_lines,
};
use crate::snapshot::Transcript;

#[test]
fn count_prints_table_of_all_kinds() {
    assert_eq!(
        successful_output("count 6x6"),
        "kind    undirected  directed\n\
         closed        9862     19724\n\
         open       2963928   5927856\n\
         paths      3318960   6637920\n"
    );
    assert_eq!(successful_output("count 6"), successful_output("count 6x6"), "N means NxN");
    assert_eq!(
        successful_output("count 5x5"),
        "kind    undirected  directed\n\
         closed           0         0\n\
         open           864      1728\n\
         paths          864      1728\n"
    );
    assert_eq!(
        successful_output("count 5x5 --directed"),
        "kind    directed\nclosed         0\nopen        1728\npaths       1728\n"
    );
}

#[test]
fn count_prints_job_and_done_lines() {
    let output =
        ktour("count 5x6 --kind closed --remove a1,f5 --engine multipath --split-depth 3").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let [job, done] = err.lines().collect::<Vec<_>>()[..] else { panic!("{err}") };
    assert!(job.starts_with(JOB_PREFIX), "{job}");
    assert!(job.contains(" board=5x6 piece=1,2 remove=a1,f5 kind=closed "), "{job}");
    assert!(job.contains(" engine=multipath split-depth=3 "), "{job}");
    let closed = String::from_utf8(output.stdout).unwrap();
    assert!(done.starts_with(DONE_PREFIX) && done.contains(&format!(" closed={} ", closed.trim())), "{done}");
}

#[test]
fn kind_option_prints_single_number() {
    for (arguments, number) in [
        ("6x6 --kind closed", "9862"),
        ("6x6 --kind closed --directed", "19724"),
        ("6x6 --kind open", "2963928"),
        ("6x6 --kind paths --directed", "6637920"),
        ("5x5 --kind paths", "864"),
        ("5x5 --kind paths --directed", "1728"),
        ("5x5 --kind closed", "0"),
        ("5x6 --kind closed", "8"),
        ("3x10 --kind closed", "16"),
        ("4x8 --kind closed", "0"),
        ("6x7 --kind closed", "1067638"),
        ("6x8 --kind closed", "55488142"),
    ] {
        assert_eq!(successful_output(&format!("count {arguments}")), format!("{number}\n"), "{arguments}");
    }
}

#[test]
fn count_is_independent_of_engine_threads_and_split_depth() {
    let expected = successful_output("count 5x6");
    for options in [
        "--engine backtrack",
        "--engine multipath",
        "--engine auto",
        "--engine frontier",
        "--threads 1",
        "--threads 3",
        "--split-depth 0",
        "--split-depth 9",
        "--engine backtrack --split-depth 5 --threads 2",
        "--progress none",
        "--progress plain",
        "--leaper 2,1",
    ] {
        assert_eq!(successful_output(&format!("count 5x6 {options}")), expected, "{options}");
    }
    assert_eq!(successful_output("--threads 2 count 5x6"), expected, "a global option may come first");
}

#[test]
fn start_and_end_count_directed_tours() {
    assert_eq!(
        successful_output("count 5x5 --start a1"),
        "kind    directed\nclosed         0\nopen         304\npaths        304\n"
    );
    assert_eq!(successful_output("count 5x5 --start c3 --kind paths"), "64\n");
    assert_eq!(successful_output("count 5x5 --end c3 --kind paths"), "64\n");
    assert_eq!(successful_output("count 5x5 --start b1 --kind paths"), "0\n");
    assert_eq!(successful_output("count 6x6 --start a1 --kind closed"), "19724\n");
    assert_eq!(successful_output("count 6x6 --start F6 --kind paths"), "524486\n");
    // The squares that have the same colour as a1: paths from a1 end on these squares only.
    let ends: u64 = ["a5", "c3", "e1", "e5", "c1", "a3", "e3", "c5", "b2", "b4", "d2", "d4"]
        .map(|end| {
            successful_output(&format!("count 5x5 --start a1 --end {end} --kind paths"))
                .trim()
                .parse::<u64>()
                .unwrap()
        })
        .iter()
        .sum();
    assert_eq!(ends, 304);
}

#[test]
fn leaper_and_remove_count_known_numbers() {
    assert_eq!(successful_output("count 4x4 --leaper 0,1 --kind closed"), "6\n");
    assert_eq!(successful_output("count 3x3 --remove b2 --kind closed"), "1\n");
    assert_eq!(successful_output("count 3x3 --remove b2 --kind paths"), "8\n");
    assert_eq!(
        successful_output("count 4x4 --remove a1 --kind open"),
        successful_output("count 4x4 --remove d4 --kind open")
    );
    assert_eq!(
        successful_output("count 4x4 --remove a1,a1 --kind paths"),
        successful_output("count 4x4 --remove a1 --kind paths")
    );
    assert_eq!(successful_output("count 1x128 --leaper 0,1 --kind paths"), "1\n");
}

#[test]
fn count_of_one_square_is_one_path_with_note() {
    let output = ktour("count 1x1").output().unwrap();
    assert!(output.status.success());
    let text = "kind    undirected  directed\nclosed           0         0\nopen             1         1\npaths            1         1\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
    let err = String::from_utf8(output.stderr).unwrap();
    let [note] = unexpected_lines(&err)[..] else { panic!("{err}") };
    assert!(note.starts_with(NOTE_PREFIX) && note.contains("A165134") && note.contains("A308131"), "{note}");
    let mut notes = Transcript::default();
    notes.add("count 1x1", note);
    notes.assert_snapshot("count_one_square_note");
    assert_eq!(successful_output("count 1x1 --kind closed"), "0\n", "the note concerns only paths");
    assert_eq!(successful_output("count 1x1 --kind closed --directed"), "0\n");
    assert_eq!(output_without_header("list 1x1"), "a1\n");
    assert_eq!(output_without_header("list 1x1 --directed"), "a1\n");
    assert_eq!(output_without_header("list 1x1 --distinct"), "a1\n");
    assert_eq!(output_without_header("list 1x1 --kind open"), "a1\n");
    assert_eq!(output_without_header("list 1x1 --kind closed"), "");
    assert_eq!(
        successful_output("count 1x2 --leaper 0,1"),
        "kind    undirected  directed\nclosed           0         0\nopen             1         2\npaths            1         2\n"
    );
}

#[test]
fn csv_starts_with_documented_columns() {
    let csv = successful_output("count 5x6 --engine multipath --csv -");
    assert!(csv.starts_with("board,leaper,kind,start,undirected,directed,engine,seconds"), "{csv}");
    let rows = csv_rows(&csv);
    let numbers: Vec<[&str; 5]> = rows
        .iter()
        .map(|row| ["board", "leaper", "kind", "undirected", "directed"].map(|column| row[column].as_str()))
        .collect();
    assert_eq!(
        numbers,
        [
            ["5x6", "1,2", "closed", "8", "16"],
            ["5x6", "1,2", "open", "18544", "37088"],
            ["5x6", "1,2", "paths", "18784", "37568"],
        ]
    );
    assert!(rows.iter().all(|row| row["engine"] == "multipath" && row["start"].is_empty()));
    assert!(rows.iter().all(|row| row["seconds"].parse::<f64>().unwrap() >= 0.0));
}

#[test]
fn per_start_rows_sum_to_totals_and_agree_within_orbits() {
    for board in ["6x6", "5x6", "5x5", "4x5 --remove c2", "4x4 --leaper 0,1"] {
        let totals: BTreeMap<String, u64> = csv_rows(&successful_output(&format!("count {board} --csv -")))
            .iter()
            .map(|row| (row["kind"].clone(), row["directed"].parse().unwrap()))
            .collect();
        let starts = csv_rows(&successful_output(&format!("count {board} --per-start --csv -")));
        for kind in ["open", "paths"] {
            let rows_of_kind = || starts.iter().filter(|row| row["kind"] == kind);
            let sum: u64 = rows_of_kind().map(|row| row["directed"].parse::<u64>().unwrap()).sum();
            assert_eq!(sum, totals[kind], "{board} {kind}");
            for row in rows_of_kind() {
                let equal_rows = rows_of_kind().filter(|other| other["directed"] == row["directed"]).count();
                assert!(equal_rows >= row["orbit"].parse().unwrap(), "{board} {kind} from {}", row["start"]);
            }
        }
        // Every closed tour contains every square, in both directions.
        let closed = starts.iter().filter(|row| row["kind"] == "closed");
        assert!(closed.clone().count() > 0);
        assert!(closed.into_iter().all(|row| row["directed"] == totals["closed"].to_string()), "{board}");
    }
}

#[test]
fn per_start_rows_of_6x6_respect_symmetries() {
    let starts = csv_rows(&successful_output("count 6x6 --per-start --kind paths --csv -"));
    let paths: BTreeMap<&str, &str> =
        starts.iter().map(|row| (row["start"].as_str(), row["directed"].as_str())).collect();
    assert_eq!(paths.len(), 36);
    for (start, count) in &paths {
        let file = u32::from(start.as_bytes()[0] - b'a');
        let rank = u32::from(start.as_bytes()[1] - b'1');
        for (file, rank) in [(5 - file, rank), (file, 5 - rank), (rank, file), (5 - rank, 5 - file)] {
            let image = format!("{}{}", char::from(b'a' + file as u8), rank + 1);
            assert_eq!(paths[image.as_str()], *count, "{start} and {image}");
        }
    }
    assert_eq!((paths["a1"], paths["c3"]), ("524486", "52662"));
}

#[test]
fn per_start_table_ends_with_sum() {
    let table = successful_output("count 5x5 --per-start --kind paths");
    let lines: Vec<&str> = table.lines().collect();
    let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>();
    assert_eq!((lines.len(), words(0).len(), words(0)[2]), (27, 3, "paths"));
    assert_eq!((words(1), words(26)[1..].to_vec()), (vec!["a1", "4", "304"], vec!["1728"]));
    let mut tables = Transcript::default();
    tables.add("count 5x5 --per-start --kind paths", &table);
    tables.assert_snapshot("count_table_by_start");
}

#[test]
fn json_has_all_fields_and_decimal_strings() {
    let json: Value =
        serde_json::from_str(&successful_output("count 6x6 --engine multipath --json -")).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["complete"], true);
    assert_eq!((&json["board"], &json["rows"], &json["cols"]), (&"6x6".into(), &6.into(), &6.into()));
    assert_eq!((&json["leaper"], &json["engine"]), (&"1,2".into(), &"multipath".into()));
    for (kind, undirected, directed) in
        [("closed", "9862", "19724"), ("open", "2963928", "5927856"), ("paths", "3318960", "6637920")]
    {
        assert_eq!(json["counts"][kind]["undirected"], undirected);
        assert_eq!(json["counts"][kind]["directed"], directed);
    }
    assert!(json.get("per_start").is_none());

    let json: Value =
        serde_json::from_str(&successful_output("count 5x5 --per-start --json - --remove c3")).unwrap();
    assert_eq!(json["removed"], serde_json::json!(["c3"]));
    assert_eq!(json["per_start"].as_array().unwrap().len(), 24);
    assert!(json["per_start"][0]["paths"].is_string());

    let json: Value =
        serde_json::from_str(&successful_output("count 5x5 --start a1 --end c3 --json -")).unwrap();
    assert_eq!((&json["start"], &json["end"]), (&"a1".into(), &"c3".into()));
    assert!(json["counts"]["paths"].get("undirected").is_none(), "counts with fixed ends are directed");
}

#[test]
fn csv_and_json_files_do_not_change_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let output = ktour("count 5x5 --csv")
        .arg(path("counts.csv"))
        .arg("--json")
        .arg(path("counts.json"))
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), successful_output("count 5x5"));
    assert_eq!(csv_rows(&std::fs::read_to_string(path("counts.csv")).unwrap()).len(), 3);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path("counts.json")).unwrap()).unwrap();
    assert_eq!(json["counts"]["paths"]["directed"], "1728");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "the folder contains only the two files"
    );
}

#[test]
fn selftest_passes() {
    let text = successful_output("selftest --max-squares 25");
    let five = text.lines().find(|line| line.starts_with("ok 5x5: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(["0 closed", "864 open", "864 paths"].iter().all(|count| five.contains(count)), "{five}");
    let (last, lines) = text.trim_end().rsplit_once('\n').map(|(lines, last)| (last, lines.lines())).unwrap();
    assert!(lines.clone().all(|line| line.starts_with("ok ")), "{text}");
    let checked: usize = last.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    assert_eq!(checked, lines.count(), "{last}");
    let mut reports = Transcript::default();
    reports.add("selftest --max-squares 25", &mask_measurements(&text));
    reports.assert_snapshot("count_selftest");
    let csv = successful_output("selftest --max-squares 9 --csv - --quiet");
    assert!(csv.starts_with("board,closed,open,paths,seconds,board_text\n1x1,0,1,1,"), "{csv}");
    assert!(csv.contains("\n3x3 without b2,1,0,8,"), "{csv}");
}

#[test]
fn estimate_is_reproducible_by_seed() {
    let tours = |arguments: &str| {
        let report: Value =
            serde_json::from_str(&successful_output(&format!("{arguments} --json -"))).unwrap();
        report["search"]["tours_mean"].as_f64().unwrap()
    };
    let one = tours("estimate 6x6 --probes 200 --seed 7");
    assert_eq!(one.to_bits(), tours("estimate 6x6 --probes 200 --seed 7 --threads 1").to_bits());
    assert!((one / 3_318_960.0 - 1.0).abs() < 0.5, "{one}");
}

/// Returns the notes that a count prints.
fn notes_of_count(arguments: &str) -> Vec<String> {
    let (_, err) = stdout_and_stderr(&ktour(arguments).output().unwrap());
    err.lines().filter_map(|line| line.strip_prefix(NOTE_PREFIX)).map(str::to_owned).collect()
}

#[test]
fn count_of_zero_has_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("star");
    std::fs::write(&graph, "a b\nb c\nb d\n").unwrap();
    for (arguments, reason) in [
        ("count 5x5 --kind closed", "Schwenk"),
        ("count 4x4 --kind paths", "4x4 has no knight's tour"),
        ("count 5x5 --start b1 --kind paths", "b1, which has the rarer colour"),
        ("count 4x4 --wrap torus --remove a1,c1 --kind closed", "8 squares have the colour of b1"),
        ("count 3x3x3 --piece wazir --kind closed", "14 squares have the colour of a1.1"),
        (&format!("count --graph {}", graph.display()), "d has too few neighbours"),
    ] {
        let notes = notes_of_count(arguments);
        let [note] = &notes[..] else { panic!("{arguments}: {notes:?}") };
        assert!(note.starts_with("no tour exists: ") && note.contains(reason), "{arguments}: {note}");
    }
    // Only the closed tours are impossible.
    let [note] = &notes_of_count("count 5x5")[..] else { panic!("one note") };
    assert!(note.starts_with("no closed tour exists: ") && note.contains("Schwenk"), "{note}");
    for arguments in
        ["count 6x6", "count 6x6 --kind closed", "count 5x5 --kind closed --engine frontier --modulus 7"]
    {
        assert_eq!(notes_of_count(arguments), [""; 0], "{arguments}");
    }
}

#[test]
fn count_of_open_tours_names_published_count_of_paths() {
    let [note] = &notes_of_count("count 6x6 --kind open")[..] else { panic!("one note") };
    assert!(note.contains("6x6 has 3318960 paths") && note.contains("--kind paths"), "{note}");
    // Without closed tours both numbers are equal; other requests have no published number.
    for arguments in [
        "count 5x5 --kind open",
        "count 6x6 --kind paths",
        "count 6x6 --kind open --start a1",
        "count 6x6 --kind open --remove a1,b1",
        "count 6x6 --kind open --distinct",
    ] {
        assert_eq!(notes_of_count(arguments), [""; 0], "{arguments}");
    }
}

#[test]
fn portable_kernels_match_default_kernels() {
    for engine in ["frontier", "multipath", "backtrack"] {
        let arguments = format!("count 5x6 --engine {engine}");
        let portable = ktour(&arguments).env("KTOUR_CPU", "portable").output().unwrap();
        assert_eq!(stdout_and_stderr(&portable).0, successful_output(&arguments), "{engine}");
    }
    let mut refusals = Refusals::default();
    refusals.run_command(
        ktour("count 5x6").env("KTOUR_CPU", "portible"),
        "KTOUR_CPU=portible ktour count 5x6",
        2,
        &["KTOUR_CPU", "portible", "portable", "avx2"],
    );
    refusals.assert_snapshot("count_unknown_cpu");
}

#[test]
fn every_count_of_zero_tours_names_the_reason() {
    for (arguments, reason) in [
        ("count 5x5 --kind closed", "Schwenk"),
        ("stats 5x5 --kind closed", "Schwenk"),
        ("stats 5x5 --kind closed --without-index", "Schwenk"),
        ("stats 5x5 --kind closed --pairs", "Schwenk"),
        ("stats 5x5 --kind closed --histogram steep", "Schwenk"),
        ("stats 4x4 --kind open", "4x4 has no knight's tour"),
        ("count 4x4 --kind open --per-ends", "4x4 has no knight's tour"),
        ("count 3x3 --per-ends", "3x3 has no knight's tour"),
        ("next 4x4 --begin a1", "4x4 has no knight's tour"),
    ] {
        let output = super::ktour(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let notes = err.lines().filter(|line| line.starts_with("ktour: note: no tour exists: "));
        let notes: Vec<&str> = notes.collect();
        assert!(
            output.status.success() && notes.len() == 1 && notes[0].contains(reason),
            "{arguments}: {err}"
        );
    }
}
