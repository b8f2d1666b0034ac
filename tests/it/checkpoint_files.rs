//! Checkpoint files: which files are rejected, how `resume` finds the command, and which files remain.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::thread::sleep;
use std::time::Duration;

use super::cli::{Refusals, ktour};
use super::long_runs::{Folder, progress_in_notices, send_signal, wait_for_exit};
use super::process::wait_until_caught;
use super::tour_files::assert_contains_all;

/// A search of minutes that saves its state often.
const LONG_SEARCH: &str =
    "count 7x8 --kind closed --engine multipath --threads 2 --checkpoint run --checkpoint-every 0.02";

impl Folder {
    /// Returns the sorted names of the files of the folder.
    fn file_names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn files_of_other_types_are_named_and_unchanged() {
    let folder = Folder::new();
    let record = folder.successful_output("count 3x4 --json -");
    let mut refusals = Refusals::default();
    for (name, content) in [
        ("notes.txt", "The knight moves\nktour checkpoint 5\n".as_bytes()),
        ("table.csv", b"board,count\n5x6,8\n"),
        ("board.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("record.json", record.as_bytes()),
        ("empty", b""),
    ] {
        fs::write(folder.path(name), content).unwrap();
        for command in ["resume", "count 5x5 --checkpoint", "series 3x4..6 --checkpoint"] {
            let expected = [name, "not a checkpoint of ktour", "name another file"];
            let line = folder.add_refusal(&mut refusals, &format!("{command} {name}"), &expected);
            assert!(!line.contains("damaged") && !line.contains("delete"), "{line}");
            assert_eq!(fs::read(folder.path(name)).unwrap(), content, "{command} {name}");
        }
        assert_eq!(folder.file_names(), [name], "only the file itself remains");
        fs::remove_file(folder.path(name)).unwrap();
    }
    refusals.assert_snapshot("errors_not_checkpoints");
}

#[test]
fn checkpoints_of_older_versions_are_named_and_unchanged() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    for header in ["ktour checkpoint 3", "ktour checkpoint 1"] {
        let content = format!("{header}\njob board=5x5\nsaved 2026-01-31T23:59:59Z\nsha256 0\n{{}}\n");
        for name in ["run", "run.previous"] {
            fs::write(folder.path(name), &content).unwrap();
        }
        for command in ["resume run", "count 5x5 --checkpoint run", "series 3x4..6 --checkpoint run"] {
            folder.add_refusal(&mut refusals, command, &["run", "an older version of ktour", header]);
        }
        folder.add_refusal(&mut refusals, "merge run", &["run", "an older version of ktour", header]);
        assert_eq!(folder.file_names(), ["run", "run.previous"]);
        assert_eq!(fs::read_to_string(folder.path("run")).unwrap(), content);
    }
    refusals.assert_snapshot("errors_older_checkpoints");
}

#[test]
fn count_and_series_reject_checkpoints_of_each_other() {
    let folder = Folder::new();
    folder.successful_output("count 5x6 --kind closed --checkpoint count");
    folder.successful_output("series 3x4..6 --kind closed --checkpoint series");
    let mut refusals = Refusals::default();
    folder.add_refusal(&mut refusals, "count 5x6 --checkpoint series", &["series", "boards=3x4..6 "]);
    folder.add_refusal(&mut refusals, "series 3x4..6 --checkpoint count", &["count", "board=5x6 "]);
    folder.add_refusal(&mut refusals, "merge series", &["series"]);
    refusals.assert_snapshot("errors_checkpoints_of_other_kind");
    // `resume` chooses the command by the file.
    assert_eq!(folder.successful_output("resume count"), "8\n");
    assert_eq!(folder.successful_output("resume series"), "3x4 0\n3x5 0\n3x6 0\n");
}

#[test]
fn lock_file_is_removed_unless_run_is_killed() {
    let folder = Folder::new();
    let mut child = folder.start_program(LONG_SEARCH);
    folder.wait_for_file(&mut child, "run.previous");
    assert!(folder.path("run.lock").exists());
    send_signal(&child, "TERM");
    assert_eq!(wait_for_exit(child).status.code(), Some(75));
    assert!(!folder.path("run.lock").exists(), "a stopped run removes it");
    folder.error_line("count 5x5 --checkpoint run");
    folder.error_line("resume missing");
    assert!(!folder.path("run.lock").exists() && !folder.path("missing.lock").exists(), "a failed run, too");
    let before = fs::read(folder.path("run")).unwrap();
    let child = folder.start_program("resume run --checkpoint-every 0.02");
    while fs::read(folder.path("run")).is_ok_and(|content| content == before) {
        sleep(Duration::from_millis(1));
    }
    send_signal(&child, "KILL");
    assert_eq!(wait_for_exit(child).status.signal(), Some(9));
    assert!(folder.path("run.lock").exists());
    let mut child = folder.start_program("resume run --checkpoint-every 0.02");
    wait_until_caught(&mut child, libc::SIGTERM);
    send_signal(&child, "TERM");
    let stopped = wait_for_exit(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    assert!(!folder.path("run.lock").exists(), "the lock file of a killed run locks nothing");
}

#[test]
fn resume_repeats_command_with_several_moduli() {
    let folder = Folder::new();
    let command = "count 6x6 --kind closed --modulus 65521,65519 --record records --checkpoint run";
    let residues = "9862 modulo 65521\n9862 modulo 65519\n";
    assert_eq!(folder.successful_output(command), residues);
    let files = ["records", "run.65519", "run.65519.previous", "run.65521", "run.65521.previous"];
    assert_eq!(folder.file_names(), files);
    // Any of the files leads to the whole command, and so does the name after `--checkpoint`.
    for (removed, file) in [("run.65521", "run.65519"), ("run.65519", "run.65521"), ("run.65519", "run")] {
        let _ = fs::remove_file(folder.path(&format!("{removed}.previous")));
        fs::remove_file(folder.path(removed)).unwrap();
        let resumed = folder.run_program(&format!("resume {file}"));
        assert_eq!(resumed.out, residues, "{file}: {}", resumed.err);
        assert_eq!(progress_in_notices(&resumed.err), [(1, 1)], "{file}: {}", resumed.err);
    }
    assert_eq!(fs::read_to_string(folder.path("records")).unwrap().lines().count(), 8);
    fs::rename(folder.path("run.65519"), folder.path("other")).unwrap();
    assert_contains_all(&folder.error_line("resume other"), &["other", "must end in .65519"]);
}

#[test]
fn interrupted_residues_name_command_that_resumes() {
    let folder = Folder::new();
    let command = "count 7x8 --kind closed --residues --checkpoint run --checkpoint-every 0.05 --threads 1";
    let mut child = folder.start_program(command);
    folder.wait_for_file(&mut child, "run.65521");
    send_signal(&child, "TERM");
    let stopped = wait_for_exit(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    let resume_command = stopped.err.lines().last().unwrap().rsplit_once("ktour ").unwrap().1.to_owned();
    assert_eq!(resume_command, "resume run", "{}", stopped.err);
    assert_eq!(folder.successful_output(&resume_command), "34524432316\n");
}

#[test]
fn resumed_board_of_series_resumes_series() {
    let folder = Folder::new();
    let command = "series 6x4..7 --kind closed --engine backtrack --checkpoint run --checkpoint-every 0.02";
    let mut child = folder.start_program(command);
    folder.wait_for_file(&mut child, "run.6x7");
    child.kill().unwrap();
    wait_for_exit(child);
    let rows = "6x4 0\n6x5 8\n6x6 9862\n6x7 1067638\n";
    assert_eq!(folder.successful_output("resume run.6x7"), rows);
    assert_eq!(folder.file_names(), ["run", "run.previous"]);
}

#[test]
fn series_that_cannot_resume_keeps_its_checkpoint() {
    let folder = Folder::new();
    let series = "series 7x7..8 --kind paths --threads 1 --checkpoint run --checkpoint-every 0.05";
    let mut child = folder.start_program(series);
    folder.wait_for_file(&mut child, "run.sweep");
    send_signal(&child, "TERM");
    let stopped = wait_for_exit(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    // The tables of the sweep alone need more memory.
    let refused = folder.run_program("resume run --memory 12M");
    assert_eq!(refused.status.code(), Some(1), "{}", refused.err);
    assert!(folder.file_names().contains(&"run".to_owned()));
    assert_eq!(folder.successful_output("resume run"), "7x7 82787609160\n7x8 20666425060328\n");
}

#[test]
fn graph_count_resumes_without_its_file() {
    let folder = Folder::new();
    let edges = "1 2\n2 3\n3 4\n4 1\n1 3\n";
    for source in ["-", "graph.txt"] {
        fs::write(folder.path("graph.txt"), edges).unwrap();
        let mut command = ktour(&format!("count --graph {source} --kind paths --checkpoint run"));
        let output = command.current_dir(folder.path("")).write_stdin(edges).output().unwrap();
        assert_eq!(output.stdout, b"6\n", "{source}");
        fs::remove_file(folder.path("graph.txt")).unwrap();
        assert_eq!(folder.successful_output("resume run"), "6\n", "{source}");
    }
}
