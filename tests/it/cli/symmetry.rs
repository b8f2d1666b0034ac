//! Counts and lists of tours up to symmetry, and of symmetric tours.

use std::collections::BTreeSet;

use ktour::batch::{Record, RecordError};
use ktour::board::Symmetry;
use ktour::tour::{SymmetryClass, Tour};

#[cfg(unix)]
use super::output_files::run_and_signal;
use super::{
    DONE_PREFIX, JOB_PREFIX, NOTE_PREFIX, Refusals, assert_refusals, csv_rows, output_without_header,
    successful_output,
};
use crate::snapshot::Transcript;
use crate::tour_files::assert_contains_all;

/// Lists tours of the knight on a rectangle, and asserts that all are different.
fn listed_tours(arguments: &str, rectangle: &str, closed: bool) -> Vec<Tour> {
    let board = rectangle.parse().unwrap();
    let text = output_without_header(arguments);
    let different: BTreeSet<&str> = text.lines().collect();
    assert_eq!(different.len(), text.lines().count(), "{arguments}");
    let tour = |line: &str| {
        let tour = Tour::from_names(&board, line.split(' ')).unwrap();
        if closed { tour.into_closed().unwrap() } else { tour }
    };
    text.lines().map(tour).collect()
}

#[test]
fn classes_of_6x6_match_known_numbers() {
    let table = "closed              tours  distinct
asymmetric           9784      1223
axial                   0         0
diagonal                0         0
rot180 eulerian        68        17
rot180 bergholtian      0         0
rot90                  10         5
total                9862      1245
";
    for engine in ["auto", "multipath", "frontier", "backtrack"] {
        assert_eq!(successful_output(&format!("count 6x6 --kind closed --classes --engine {engine}")), table);
        assert_eq!(
            successful_output(&format!("count 6x6 --kind closed --distinct --engine {engine}")),
            "1245\n"
        );
    }
    let all = "kind    undirected  distinct
closed        9862      1245
open       2963928    370491
paths      3318960    414870
";
    assert_eq!(successful_output("count 6x6 --distinct"), all);
    assert_eq!(successful_output("count 5x5 --kind paths --distinct"), "112\n");
}

#[test]
fn distinct_count_equals_list_length() {
    for arguments in [
        "5x5 --kind paths",
        "5x5 --kind open",
        "3x10 --kind closed",
        "5x6 --kind closed",
        "3x7 --kind paths",
        "3x8 --kind open",
        "3x3 --remove b2 --kind closed",
        "3x3 --remove b2 --kind paths",
        "4x4 --remove a1,d4 --leaper 0,1 --kind closed",
        "5x5 --kind paths --start a1",
        "5x5 --kind paths --start c3",
        "5x5 --kind open --start a1 --end e5",
    ] {
        let listed = output_without_header(&format!("list {arguments} --distinct")).lines().count();
        assert_eq!(
            successful_output(&format!("count {arguments} --distinct")),
            format!("{listed}\n"),
            "{arguments}"
        );
    }
}

#[test]
fn symmetric_count_equals_list_length() {
    for (board, kind, symmetry, tours, classes) in [
        ("6x6", "closed", "rot180", 78, 22),
        ("6x6", "closed", "rot90", 10, 5),
        ("6x6", "closed", "eulerian", 78, 22),
        ("5x5", "paths", "rot180", 32, 8),
        ("3x10", "closed", "axial", 4, 2),
        ("3x10", "closed", "bergholtian", 4, 2),
        ("5x6", "closed", "axial", 4, 2),
        ("5x8", "closed", "bergholtian", 22, 11),
        ("3x14", "closed", "eulerian", 16, 8),
    ] {
        let arguments = format!("{board} --kind {kind} --symmetry {symmetry}");
        for engine in ["auto", "multipath", "frontier"] {
            let count = successful_output(&format!("count {arguments} --engine {engine}"));
            assert_eq!(count, format!("{tours}\n"), "{arguments}");
            let count = successful_output(&format!("count {arguments} --distinct --engine {engine}"));
            assert_eq!(count, format!("{classes}\n"), "{arguments}");
        }
        let closed = kind == "closed";
        let all = listed_tours(&format!("list {arguments}"), board, closed);
        assert_eq!(all.len(), tours, "{arguments}");
        let has = |tour: &Tour| {
            tour.named_symmetries().iter().any(|fixed| match symmetry {
                "rot180" => fixed.symmetry == Symmetry::Rotate180,
                "rot90" => fixed.symmetry == Symmetry::Rotate90,
                "eulerian" => fixed.symmetry == Symmetry::Rotate180 && !fixed.reverses_direction,
                "bergholtian" => fixed.symmetry == Symmetry::Rotate180 && fixed.reverses_direction,
                _ => matches!(fixed.symmetry, Symmetry::FlipHorizontal | Symmetry::FlipVertical),
            })
        };
        assert!(all.iter().all(has), "{arguments}");
        let distinct = listed_tours(&format!("list {arguments} --distinct"), board, closed);
        assert_eq!(distinct.len(), classes, "{arguments}");
        assert!(distinct.iter().all(|tour| tour.canonical_form() == tour.vertices()), "{arguments}");
        let directed = output_without_header(&format!("list {arguments} --directed"));
        assert_eq!(directed.lines().count(), 2 * tours, "{arguments}");
        assert_eq!(successful_output(&format!("count {arguments} --directed")), format!("{}\n", 2 * tours));
    }
}

#[test]
fn half_turn_of_single_row_is_reflection() {
    for symmetry in ["axial", "rot180"] {
        for board in ["1x5", "1x9", "9x1", "1x10"] {
            let arguments = format!("{board} --leaper 0,1 --symmetry {symmetry} --kind paths");
            assert_eq!(successful_output(&format!("count {arguments}")), "1\n", "{arguments}");
            assert_eq!(successful_output(&format!("count {arguments} --distinct")), "1\n", "{arguments}");
            assert_eq!(output_without_header(&format!("list {arguments}")).lines().count(), 1, "{arguments}");
        }
    }
}

#[test]
fn impossible_symmetry_prints_note() {
    let mut transcript = Transcript::default();
    for arguments in [
        "count 6x6 --kind closed --symmetry axial",
        "count 6x6 --kind paths --symmetry rot180 --engine frontier",
        "count 6x8 --symmetry rot90",
        "list 6x6 --kind closed --symmetry diagonal",
        "count 6x8 --kind closed --symmetry rot90",
        "count 5x5 --kind closed --symmetry axial",
    ] {
        let output = super::ktour(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let notes: Vec<&str> = err.lines().filter(|line| line.starts_with(NOTE_PREFIX)).collect();
        assert!(output.status.success() && notes.len() == 1, "{err}");
        transcript.add(arguments, notes[0]);
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.lines().all(|line| line.split(' ').all(|word| word != "1")), "{out}");
    }
    transcript.assert_snapshot("notes_impossible_symmetry");
}

#[test]
fn done_line_of_symmetric_count_has_engine_and_numbers() {
    for (engine, engine_used) in [("frontier", "frontier"), ("multipath", "multipath"), ("auto", "multipath")]
    {
        let arguments = format!("count 6x6 --kind closed --symmetry rot180 --distinct --engine {engine}");
        let output = super::ktour(&arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let end = format!(
            "{DONE_PREFIX}symmetry=rot180 engine={engine_used} closed=78 distinct-closed=22 seconds="
        );
        assert!(err.contains(&end), "{err}");
        let job =
            format!("{JOB_PREFIX}board=6x6 piece=1,2 remove=- kind=closed symmetry=rot180 engine={engine}\n");
        assert!(err.starts_with(&job), "{err}");
    }
    let csv = csv_rows(&successful_output("count 6x6 --kind closed --symmetry rot180 --csv -"));
    assert_eq!(csv[0]["engine"], "multipath");
}

#[test]
fn symmetry_option_rejects_options_without_effect() {
    assert_refusals(
        "errors_options_with_symmetry",
        &[
            ("count 6x6 --symmetry rot180 --spill .", 2, &["--spill"]),
            ("series 6x6..8 --kind closed --symmetry rot180 --spill .", 2, &["--spill"]),
            ("count 6x6 --symmetry rot180 --checkpoint-every 5s", 2, &["--checkpoint-every"]),
            ("count 6x6 --symmetry rot180 --shard 0/2", 2, &["--shard"]),
        ],
    );
    let mut refusals = Refusals::with_masked_measurements();
    let count = "count 8x10 --kind closed --symmetry rot180 --engine frontier --memory 1M";
    assert!(!refusals.run(count, 1, &["--memory"]).contains("--spill"));
    refusals.assert_snapshot("errors_memory_with_symmetry");
}

#[test]
fn double_check_repeats_symmetric_part() {
    let mut transcript = Transcript::default();
    for (arguments, second, first) in [
        ("6x6 --kind closed --distinct", "frontier", "multipath"),
        ("6x6 --kind closed --classes --engine frontier", "multipath", "frontier"),
        ("5x5 --distinct --engine multipath", "frontier", "multipath"),
    ] {
        let output = super::ktour(&format!("count {arguments} --double-check --json -")).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let checks = err.lines().filter(|line| line.contains("symmetric"));
        let checks: Vec<&str> = checks.collect();
        assert!(!checks.is_empty(), "{arguments}: {err}");
        for check in checks {
            assert_contains_all(check, &[first, second]);
            transcript.add(arguments, check);
        }
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["double_check"]["symmetric"], true, "{arguments}");
    }
    transcript.assert_snapshot("notices_double_check_of_symmetric");
}

#[test]
fn symmetric_list_is_complete() {
    // Symmetric paths of 5x5 among all paths, and the tours of a ring that has every symmetry.
    let select_symmetric = |all: Vec<Tour>| -> BTreeSet<Vec<_>> {
        let symmetric =
            all.into_iter().filter(|tour| tour.symmetry_class() != Some(SymmetryClass::Asymmetric));
        symmetric.map(Tour::into_vertices).collect()
    };
    let all = select_symmetric(listed_tours("list 5x5", "5x5", false));
    let symmetric = listed_tours("list 5x5 --symmetry rot180", "5x5", false);
    assert_eq!(all, symmetric.into_iter().map(Tour::into_vertices).collect());
    for symmetry in ["rot180", "rot90", "axial", "diagonal"] {
        let ring =
            output_without_header(&format!("list 3x3 --remove b2 --kind closed --symmetry {symmetry}"));
        assert_eq!(ring, "a1 c2 a3 b1 c3 a2 c1 b3\n");
    }
    let table = successful_output("count 3x3 --remove b2 --kind closed --classes");
    assert!(table.contains("\nseveral                 1         1\n"), "{table}");
}

#[test]
fn symmetric_list_is_independent_of_threads() {
    let one = output_without_header("list 6x6 --kind closed --symmetry rot180 --threads 1");
    assert_eq!(one, output_without_header("list 6x6 --kind closed --symmetry rot180 --threads 3"));
    let first: Vec<&str> = one.lines().take(3).collect();
    let limited = output_without_header("list 6x6 --kind closed --symmetry rot180 --limit 3");
    assert_eq!(limited.lines().collect::<Vec<_>>(), first);
}

#[test]
fn json_and_csv_have_numbers_up_to_symmetry() {
    let csv = csv_rows(&successful_output("count 6x6 --kind closed --classes --csv -"));
    let row = csv.iter().find(|row| row["class"] == "rot90").unwrap();
    assert_eq!((row["undirected"].as_str(), row["distinct"].as_str()), ("10", "5"));
    let total = csv.iter().find(|row| row["class"].is_empty()).unwrap();
    assert_eq!((total["undirected"].as_str(), total["distinct"].as_str()), ("9862", "1245"));
    let csv = csv_rows(&successful_output("count 8x8 --kind closed --symmetry rot180 --distinct --csv -"));
    assert_eq!((csv[0]["undirected"].as_str(), csv[0]["distinct"].as_str()), ("2432932", "608233"));
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("count 6x6 --symmetry rot180 --distinct --json -")).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["counts"]["closed"]["distinct"], "22");
    assert_eq!(json["what"], "symmetry");
    assert_eq!(json["sha256"].as_str().unwrap().len(), 64);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("symmetric.json");
    std::fs::write(&file, json.to_string()).unwrap();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    let file = file.to_str().unwrap();
    refusals.run(&format!("merge {file}"), 1, &[file, "symmetric tours"]);
    refusals.assert_snapshot("errors_merge_symmetric");
    assert!(matches!(Record::parse(&json.to_string()), Err(RecordError::Symmetric)));
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("count 6x6 --distinct --json -")).unwrap();
    assert_eq!(json["distinct"]["closed"], "1245");
}

#[test]
#[cfg(unix)]
fn stopped_symmetric_count_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.ckpt");
    let file = file.to_str().unwrap();
    // The count takes seconds.
    let count =
        "count 9x10 --kind closed --symmetry rot180 --engine frontier --threads 1 --checkpoint run.ckpt";
    let arguments = format!("{count} --checkpoint-every 0.02");
    let term = (libc::SIGTERM, "TERM");
    let (status, error) = run_and_signal(&arguments, folder.path(), term, Some("run.ckpt"));
    assert_eq!(status.code(), Some(75), "{error}");
    assert!(error.contains("resume with: ktour resume run.ckpt"), "{error}");
    // Another job does not overwrite it.
    let other =
        super::ktour(&count.replace("rot180", "eulerian")).current_dir(folder.path()).output().unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8(other.stderr).unwrap().contains("belongs to another job"));
    let resumed = super::ktour(&format!("resume {file}")).output().unwrap();
    let error = String::from_utf8(resumed.stderr).unwrap();
    assert!(error.contains("resuming after"), "{error}");
    assert_eq!(String::from_utf8(resumed.stdout).unwrap(), "68779206448\n", "{error}");
    assert!(!folder.path().join("run.ckpt.sweep").exists(), "the layers are removed at the end");
}

#[test]
fn resumed_run_counts_up_to_symmetry() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.ckpt");
    let file = file.to_str().unwrap();
    let first = successful_output(&format!("count 6x6 --kind closed --distinct --checkpoint {file}"));
    assert_eq!(first, "1245\n");
    let (status, text) = {
        let output = super::ktour(&format!("resume {file}")).output().unwrap();
        (output.status, String::from_utf8(output.stdout).unwrap())
    };
    assert!(status.success());
    assert_eq!(text, "1245\n");
}
