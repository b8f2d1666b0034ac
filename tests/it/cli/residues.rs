//! Counts modulo a number, and exact counts from residues.

use std::fs;

use ktour::batch::{Record, RecordError};

use super::{DONE_PREFIX, ERROR_PREFIX, JOB_PREFIX, Refusals, ktour, mask_measurements};
use crate::long_runs::{Folder, progress_in_notices, send_signal, wait_for_exit};
use crate::snapshot::Transcript;
use crate::tour_files::{assert_contains_all, mask_numbers};

#[test]
fn modulus_option_prints_modulus() {
    let folder = Folder::new();
    assert_eq!(folder.successful_output("count 6x6 --kind closed --modulus 1000"), "862 modulo 1000\n");
    assert_eq!(
        folder.successful_output("count 6x6 --modulus 1000"),
        "kind    modulo 1000\nclosed          862\nopen            928\npaths           960\n"
    );
    assert_eq!(folder.successful_output("count 5x5 --kind paths --start a1 --modulus 100"), "4 modulo 100\n");
    assert_eq!(
        folder.successful_output("count 6x6 --kind closed --modulus 6,7,6"),
        "4 modulo 6\n6 modulo 7\n",
        "a repeated modulus is counted once"
    );
    let record: serde_json::Value = {
        folder.successful_output("count 6x6 --kind closed --modulus 1000 --json a.json");
        serde_json::from_slice(&fs::read(folder.path("a.json")).unwrap()).unwrap()
    };
    assert_eq!((&record["modulus"], &record["complete"]), (&1000.into(), &true.into()));
    assert!(record["job"].as_str().unwrap().contains(" modulus=1000 "), "{record}");
}

#[test]
fn merge_computes_number_from_residues() {
    let folder = Folder::new();
    folder.successful_output("count 7x8 --kind closed --modulus 65521,65519,65497 --record run.jsonl");
    assert_eq!(folder.successful_output("merge run.jsonl"), "34524432316\n");
    let lines: Vec<String> =
        fs::read_to_string(folder.path("run.jsonl")).unwrap().lines().map(str::to_owned).collect();
    fs::write(folder.path("few.jsonl"), lines[..2].join("\n")).unwrap();
    let mut refusals = Refusals::default();
    folder.add_refusal(&mut refusals, "merge few.jsonl", &["31", "37"]);
    // A valid record of a different count.
    folder.successful_output("count 7x8 --kind paths --modulus 65519 --record other.jsonl");
    let names = ["few.jsonl", "other.jsonl", "kind=closed", "kind=paths"];
    folder.add_refusal(&mut refusals, "merge few.jsonl other.jsonl", &names);
    // A changed residue, so that the digest is wrong.
    let wrong = lines[1].replace("\"closed\":\"", "\"closed\":\"1");
    fs::write(folder.path("wrong.jsonl"), [&lines[0], &wrong, &lines[2]].map(String::as_str).join("\n"))
        .unwrap();
    folder.add_refusal(&mut refusals, "merge wrong.jsonl", &["wrong.jsonl", "line 2"]);
    assert!(matches!(Record::parse(&wrong), Err(RecordError::Digest)));
    // Shards of a count and residues are different numbers.
    folder.successful_output("count 7x8 --kind closed --engine frontier --shard 1/2 --json half.json");
    for files in ["run.jsonl half.json", "half.json run.jsonl"] {
        let names = ["mixed", "half.json", "run.jsonl", "65521", "0/2"];
        folder.add_refusal(&mut refusals, &format!("merge {files}"), &names);
    }
    // Shards of different moduli do not form one sum.
    folder.add_refusal(&mut refusals, "merge --partial few.jsonl", &["modulus="]);
    refusals.assert_snapshot("errors_merged_residues");
}

#[cfg(unix)]
#[test]
fn stopped_residues_name_the_command_that_resumes_all() {
    let folder = Folder::new();
    let command = "count 8x8 --kind paths --modulus 65521,65519 --checkpoint run";
    let mut child = folder.start_program(command);
    folder.wait_for_file(&mut child, "run.65521");
    send_signal(&child, "INT");
    let stopped = wait_for_exit(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    assert!(stopped.err.trim_end().ends_with("ktour resume run"), "{}", stopped.err);
}

#[test]
fn merge_of_exact_count_and_residues_needs_no_bound() {
    let folder = Folder::new();
    folder.successful_output("count 7x8 --kind closed --engine frontier --json exact.json");
    folder.successful_output("count 7x8 --kind closed --modulus 65521,7 --record run.jsonl");
    // These residues alone do not determine the count.
    let merged = folder.run_program("merge exact.json run.jsonl");
    assert_eq!(merged.out, "34524432316\n");
    let [notice] = merged.err.lines().collect::<Vec<_>>()[..] else { panic!("{}", merged.err) };
    assert_contains_all(notice, &["2"]);
    let mut transcript = Transcript::default();
    transcript.add("merge exact.json run.jsonl", notice.split_once("seconds=").unwrap().0);
    folder.successful_output("count 6x8 --kind closed --modulus 65521 --record other.jsonl");
    let line = folder.error_line("merge exact.json other.jsonl");
    assert_contains_all(&line, &["exact.json", "board=7x8", "other.jsonl", "board=6x8"]);
    transcript.add("merge exact.json other.jsonl", &line);
    transcript.assert_snapshot("merge_count_and_residues");
}

#[test]
fn merge_adds_residue_shards_before_combining() {
    let folder = Folder::new();
    for modulus in ["65521", "65519"] {
        for shard in 0..2 {
            let command = format!("count 6x6 --kind closed --modulus {modulus} --shard {shard}/2");
            folder.successful_output(&format!("{command} --json {modulus}-{shard}.json"));
        }
    }
    let all = "65521-0.json 65519-1.json 65521-1.json 65519-0.json";
    assert_eq!(folder.successful_output(&format!("merge {all}")), "9862\n");
    assert_eq!(folder.successful_output("merge --partial 65521-0.json 65521-1.json"), "9862 modulo 65521\n");
    let line = folder.error_line("merge 65521-0.json 65519-1.json 65519-0.json");
    assert_contains_all(&line, &["1/2", "--partial"]);
}

#[test]
fn residues_option_resumes_from_checkpoint() {
    let folder = Folder::new();
    let table = "kind    undirected  directed\nclosed        9862     19724\n\
                 open       2963928   5927856\npaths      3318960   6637920\n";
    for option in ["--residues", "--residues=8"] {
        assert_eq!(folder.successful_output(&format!("count 6x6 {option}")), table);
    }
    let too_few = folder.error_line("count 5x200 --kind closed --residues=8");
    assert_contains_all(&too_few, &["8 bits", "more bits"]);
    let command = "count 7x8 --kind closed --residues=32 --checkpoint run --record run.jsonl";
    assert_eq!(folder.successful_output(command), "34524432316\n");
    assert!(folder.path("run.4294967291").exists());
    let resumed = folder.run_program(command);
    assert_eq!(resumed.out, "34524432316\n");
    let progress = progress_in_notices(&resumed.err);
    assert!(!progress.is_empty() && progress.iter().all(|&units| units == (1, 1)), "{}", resumed.err);
    assert_eq!(
        folder.successful_output("count 5x6 --kind paths --start a1 --residues"),
        folder.successful_output("count 5x6 --kind paths --start a1")
    );
}

#[test]
fn residues_option_accepts_ranges() {
    let folder = Folder::new();
    let exact = folder.successful_output("count 5x2..40 --kind closed");
    let found = folder.run_program("count 5x2..40 --kind closed --residues --record rows.jsonl");
    assert_eq!(found.out, exact);
    let mut transcript = Transcript::default();
    let notices: Vec<&str> = notice_lines(&found.err).filter(|line| line.contains("11")).collect();
    assert_eq!(notices.len(), 1, "{}", found.err);
    transcript.add("count 5x2..40 --kind closed --residues", notices[0]);
    // The records are of exact counts.
    let records = std::fs::read_to_string(folder.path("rows.jsonl")).unwrap();
    assert!(records.lines().count() == 39 && !records.contains("modulus"), "{records}");
    let all = folder.successful_output("count 4..6x5 --residues=8 --directed");
    assert_eq!(all, folder.successful_output("count 4..6x5 --directed"));
    // This range takes one sweep for each board.
    let command = "count 2..4x1..4 --residues --checkpoint run --record run.jsonl --json -";
    let rows = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["series"].clone();
    let numbers = |rows: serde_json::Value| -> Vec<String> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| format!("{} {} {}", row["board"], row["kind"], row["undirected"])).collect()
    };
    let all = numbers(rows(&folder.successful_output(command)));
    assert_eq!(all, numbers(rows(&folder.successful_output("count 2..4x1..4 --json -"))));
    assert_eq!(std::fs::read_to_string(folder.path("run.jsonl")).unwrap().lines().count(), 12);
    let estimate = folder.successful_output("estimate 5x2..20 --kind closed --residues");
    let by_board: Vec<&str> = estimate.lines().filter(|line| line.contains("5x20")).collect();
    assert!(!by_board.is_empty() && estimate.lines().any(|line| line.starts_with("residues ")), "{estimate}");
    transcript.add("estimate 5x2..20 --kind closed --residues", &mask_measurements(&estimate));
    // The program reports a board that needs too much memory at the start, then counts the boards before it.
    let limited =
        folder.run_program("count 3x2..8 --wrap torus --kind closed --residues --memory 13M --threads 2");
    assert_eq!(
        (limited.status.code(), limited.out.lines().last()),
        (Some(1), Some("3x6 259338240")),
        "{}",
        limited.err
    );
    // A notice at the start, and an error at the end.
    let notice = notice_lines(&limited.err)
        .find(|line| line.contains("3x7..8"))
        .unwrap_or_else(|| panic!("{}", limited.err));
    transcript.add("a board that needs too much memory", &mask_numbers(notice));
    let error = limited.err.lines().last().unwrap();
    assert!(error.starts_with(ERROR_PREFIX), "{}", limited.err);
    assert_contains_all(error, &["5 of 7", "3x7..8"]);
    transcript.add("the end of its range", &mask_numbers(error));
    transcript.assert_snapshot("notices_residues_of_range");
}

/// Returns the lines of standard error except job lines, done lines and errors.
fn notice_lines(err: &str) -> impl Iterator<Item = &str> {
    let prefixes = [JOB_PREFIX, DONE_PREFIX, ERROR_PREFIX];
    err.lines().filter(move |line| !prefixes.iter().any(|prefix| line.starts_with(prefix)))
}

#[test]
fn modulus_and_residues_reject_searches() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    for (arguments, status, names) in [
        ("count 6x6 --modulus 1", 2, &["--modulus", "2"][..]),
        ("count 6x6 --modulus 4294967296", 2, &["--modulus", "4294967295"]),
        ("count 6x6 --modulus 7 --distinct", 2, &["--distinct"]),
        ("count 6x6 --modulus 7 --residues", 2, &["--residues"]),
        ("count 6x6 --residues=12", 2, &["--residues"]),
        ("count 6x6 --modulus 7 --engine multipath", 2, &["frontier"]),
        ("count 6x6 --modulus 7,11 --json a.json", 2, &["--record"]),
        ("count 6x6 --modulus 7 --directed", 2, &["--directed"]),
        ("count 6x6 --modulus 7 --double-check", 2, &["--double-check"]),
        ("count 6x6 --residues --double-check", 2, &["--double-check"]),
        ("count 6x6 --residues --shard 0/2", 2, &["--shard"]),
        ("count 5x2..6 --modulus 7,11", 2, &["moduli"]),
        ("count 4x1..4 --residues --symmetry rot180", 2, &["--symmetry", "--residues"]),
        ("estimate 5x2..6 --modulus 7,11", 2, &["moduli"]),
        ("estimate 6x6 --residues --symmetry rot180", 2, &["--symmetry"]),
        ("estimate 6x6 --modulus 7 --symmetry rot180", 2, &["--symmetry"]),
    ] {
        let mut command = ktour(arguments);
        refusals.run_command(command.current_dir(folder.path("")), arguments, status, names);
    }
    refusals.assert_snapshot("errors_residues");
}

#[test]
fn estimate_bound_prints_sufficient_moduli() {
    let folder = Folder::new();
    let text = folder.successful_output("estimate 7x8 --kind closed --engine frontier --bound");
    assert_contains_all(&text, &["(37 bits)", "65521,65519,65497,65479"]);
    let bound = text.lines().filter(|line| line.contains("(37 bits)") || line.contains("65521"));
    let mut transcript = Transcript::default();
    transcript.add("estimate --bound", &mask_measurements(&bound.collect::<Vec<_>>().join("\n")));
    transcript.assert_snapshot("estimate_bound");
    let method = |memory: &str| {
        let estimate = format!("estimate 6x8 --kind closed --engine frontier --bound --memory {memory}");
        let text = folder.successful_output(&estimate);
        let json = folder.successful_output(&format!("{estimate} --json -"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (text.contains("by a sweep over degrees"), json["bound"]["method"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        [method("1G"), method("1M")],
        [(true, "two-factors".to_owned()), (false, "degrees".to_owned())]
    );
}

#[test]
fn stop_before_first_residue_is_reported() {
    let folder = Folder::new();
    // The bound of this board takes long enough for a signal before the first residue.
    let interrupt = |command: &str| {
        let mut child = folder.start_program(command);
        crate::process::wait_until_caught(&mut child, libc::SIGINT);
        crate::long_runs::send_signal(&child, "INT");
        crate::long_runs::wait_for_exit(child)
    };
    // The signal may come between two handlers, neither of which may lose it.
    for _ in 0..20 {
        let unsaved = interrupt("count 9x10 --kind closed --residues");
        assert!(unsaved.status.code().is_none() && !unsaved.err.contains(ERROR_PREFIX), "{}", unsaved.err);
    }
    let saved = interrupt("count 9x10 --kind closed --residues --checkpoint run");
    assert_eq!(saved.status.code(), Some(75), "{}", saved.err);
    let last = saved.err.lines().last().unwrap();
    assert!(!last.starts_with(ERROR_PREFIX) && !last.starts_with(DONE_PREFIX), "{}", saved.err);
    let mut transcript = Transcript::default();
    transcript.add("stopped before the first residue", last);
    transcript.assert_snapshot("notices_stopped_residues");
}
