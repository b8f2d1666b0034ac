//! Sweeps as long runs: killed, interrupted, damaged, divided into shards, and limited in memory.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use ktour::batch::{Checkpoint, CheckpointError, RunState};

use super::cli::{Refusals, assert_refusals};
use super::long_runs::{Folder, WARNING_PREFIX, XorShift, progress_in_notices, send_signal, wait_for_exit};
use super::snapshot::Transcript;
use super::tour_files::{assert_contains_all, mask_numbers};

/// A sweep of some tenths of a second.
const SHORT_JOB: &str = "count 7x8 --kind closed --engine frontier --checkpoint run";
const SHORT_NUMBER: &str = "34524432316\n";

/// A sweep of some seconds.
const LONG_JOB: &str =
    "count 7x8 --kind paths --engine frontier --threads 2 --checkpoint run --checkpoint-every 0.05";
const LONG_NUMBER: &str = "20666425060328\n";

impl Folder {
    /// Returns the sorted paths of the stored layer files.
    fn stored_layer_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("run.sweep")).into_iter().flatten().flatten();
        let mut parts: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        parts.sort();
        parts
    }
}

#[test]
fn sweep_killed_20_times_resumes_to_known_number() {
    let mut random = XorShift(0xf00d);
    let folder = Folder::new();
    let (mut kills, mut resumed_sweeps) = (0, 0);
    loop {
        let threads = 1 + random.below(3);
        let is_saved = folder.path("run").exists() || folder.path("run.previous").exists();
        let command = if is_saved && random.below(2) == 0 { "resume run" } else { SHORT_JOB };
        let every = if kills < 20 { "0.02" } else { "60" };
        let mut child =
            folder.start_program(&format!("{command} --checkpoint-every {every} --threads {threads}"));
        if kills < 20 {
            if random.below(3) > 0 {
                // Waits until the run has saved a new checkpoint.
                let written = || fs::metadata(folder.path("run")).and_then(|file| file.modified()).ok();
                let before = written();
                while written() == before && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
            }
            sleep(Duration::from_millis(random.below(200)));
            child.kill().unwrap();
        }
        let ended = wait_for_exit(child);
        resumed_sweeps += usize::from(progress_in_notices(&ended.err).len() == 2);
        if ended.status.success() {
            assert_eq!(ended.out, SHORT_NUMBER);
            if kills >= 20 {
                break;
            }
            // The run finished before the kill: starts again from the beginning.
            for name in ["run", "run.previous"] {
                let _ = fs::remove_file(folder.path(name));
            }
        } else {
            kills += 1;
        }
    }
    assert!(resumed_sweeps >= 5, "resumed within a sweep only {resumed_sweeps} times");
    assert!(folder.stored_layer_files().is_empty(), "a finished sweep deletes its layer files");
}

#[test]
fn signalled_sweep_saves_and_resumes() {
    let folder = Folder::new();
    let mut child = folder.start_program(LONG_JOB);
    folder.wait_for_file(&mut child, "run.sweep");
    send_signal(&child, "TERM");
    let stopped = wait_for_exit(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    let last_line = stopped.err.lines().last().unwrap();
    assert_contains_all(last_line, &["ktour resume run"]);
    let resumed = folder.run_program("resume run --threads 1 --memory 250M --checkpoint-every 60");
    let [units, steps] = progress_in_notices(&resumed.err)[..] else { panic!("{}", resumed.err) };
    assert!(units == (0, 1) && steps.0 < steps.1, "{}", resumed.err);
    let mut transcript = Transcript::default();
    transcript.add("the last line of a sweep that a signal stops", &mask_numbers(last_line));
    let notices = resumed.err.lines().filter(|line| !progress_in_notices(line).is_empty());
    let notices: Vec<String> = notices.map(mask_numbers).collect();
    transcript.add("resume run", &notices.join("\n"));
    transcript.assert_snapshot("notices_resumed_sweep");
    assert_eq!(resumed.out, LONG_NUMBER, "{}", resumed.err);
    assert!(folder.stored_layer_files().is_empty());
}

/// Returns a folder with the files of a sweep that was killed after two generations were saved.
fn folder_with_killed_sweep() -> Folder {
    let folder = Folder::new();
    let mut child = folder.start_with_two_generations(LONG_JOB);
    while !fs::read_to_string(folder.path("run.previous")).unwrap_or_default().contains("\"number\"") {
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    wait_for_exit(child);
    folder
}

/// Copies the checkpoint and the layer files to a new folder.
fn copy_folder(folder: &Folder) -> Folder {
    let other = Folder::new();
    fs::create_dir(other.path("run.sweep")).unwrap();
    for name in ["run", "run.previous"] {
        fs::copy(folder.path(name), other.path(name)).unwrap();
    }
    for part in folder.stored_layer_files() {
        fs::copy(&part, other.path("run.sweep").join(part.file_name().unwrap())).unwrap();
    }
    other
}

#[test]
fn damaged_layer_is_rejected_or_previous_generation_is_used() {
    let folder = folder_with_killed_sweep();
    let numbers = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        let numbers = text.split("\"number\":").skip(1);
        numbers.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect()).collect()
    };
    let name = |number: &str| format!("run.sweep/{:08x}.part", number.parse::<u64>().unwrap());
    let (newest, before) = (numbers("run"), numbers("run.previous"));
    let new_part = name(
        newest
            .iter()
            .find(|number| !before.contains(number))
            .expect("the newest checkpoint has a new layer file"),
    );
    let mut transcript = Transcript::default();
    let mut assert_falls_back = |folder: &Folder, case: &str| {
        let answer = folder.run_program("resume run");
        let warnings = answer.err.lines().filter(|line| line.starts_with(WARNING_PREFIX));
        let [warning] = warnings.collect::<Vec<_>>()[..] else { panic!("{case}: {}", answer.err) };
        assert_contains_all(warning, &["run.sweep"]);
        transcript.add(case, &mask_numbers(warning));
        assert_eq!(answer.out, LONG_NUMBER, "{case}: {}", answer.err);
    };
    let whole = fs::read(folder.path(&new_part)).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (case, damage) in [("half a part", &whole[..whole.len() / 2]), ("no part", &[]), ("a bit", &flipped)]
    {
        let folder = copy_folder(&folder);
        fs::write(folder.path(&new_part), damage).unwrap();
        assert_falls_back(&folder, case);
    }
    // An intact layer file in the place of another one is detected as well.
    let swapped = copy_folder(&folder);
    let bytes = |name: &String| fs::read(folder.path(name)).unwrap();
    let mut parts = before.iter().chain(&newest).map(|number| name(number));
    let other = parts.find(|name| bytes(name) != whole).unwrap();
    fs::write(swapped.path(&new_part), bytes(&other)).unwrap();
    assert_falls_back(&swapped, "another part");
    folder.stored_layer_files().iter().for_each(|part| fs::write(part, "damaged").unwrap());
    let line = folder.error_line("resume run");
    assert_contains_all(&line, &["run"]);
    transcript.add("all parts", &mask_numbers(&line));
    let loaded = Checkpoint::<RunState>::load(&folder.path("run"));
    assert!(matches!(loaded, Err(CheckpointError::Damaged { .. })), "{loaded:?}");
    transcript.assert_snapshot("warnings_damaged_layers");
}

#[test]
fn merge_adds_sweep_shards() {
    let folder = Folder::new();
    for shard in 0..4 {
        folder.successful_output(&format!(
            "count 6x8 --kind closed --engine frontier --shard {shard}/4 --json {shard}.json"
        ));
    }
    assert_eq!(folder.successful_output("merge 0.json 1.json 2.json 3.json"), "55488142\n");
    let mut refusals = Refusals::default();
    folder.add_refusal(&mut refusals, "merge 0.json 1.json 3.json", &["2/4", "--partial"]);
    folder.add_refusal(&mut refusals, "merge 0.json 1.json 2.json 3.json 1.json", &["1/4", "1.json"]);
    folder.successful_output("count 6x8 --kind closed --engine frontier --shard 0/5 --json other.json");
    folder.add_refusal(&mut refusals, "merge 0.json 1.json 2.json 3.json other.json", &["other.json"]);
    for shard in 0..2 {
        folder.successful_output(&format!(
            "count 5x5 --kind paths --engine frontier --shard {shard}/2 --json paths{shard}.json"
        ));
    }
    folder.add_refusal(&mut refusals, "merge paths0.json paths1.json --per-start", &["--per-start"]);
    refusals.assert_snapshot("errors_merged_sweeps");
}

#[test]
fn merge_adds_sweep_shards_of_every_kind() {
    let folder = Folder::new();
    for shard in 0..3 {
        folder
            .successful_output(&format!("count 5x6 --engine frontier --shard {shard}/3 --json {shard}.json"));
    }
    let merged = folder.successful_output("merge 0.json 1.json 2.json");
    assert_eq!(merged, folder.successful_output("count 5x6 --engine multipath"));
}

#[test]
#[cfg(target_os = "linux")]
fn memory_limit_spills_layers() {
    let folder = Folder::new();
    let out = folder.successful_output(
        "count 7x8 --kind paths --engine frontier --memory 150M --spill rest --json a.json --threads 2",
    );
    assert_eq!(out, "20666425060328\n");
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("a.json")).unwrap()).unwrap();
    let peak = record["peak_kib"].as_u64().unwrap();
    assert!(peak < 150 << 10, "{peak} KiB");
    assert!(!folder.path("rest").exists(), "the run deletes the folder that it created");
}

#[test]
fn spilled_files_of_killed_run_are_deleted() {
    let folder = Folder::new();
    let arguments = "count 7x8 --kind paths --engine frontier --memory 100M --spill rest";
    let mut child = folder.start_program(arguments);
    // The name of a folder begins with a dot until the folder is locked. If a run is killed before that, its
    // folder stays for a while.
    let is_locked = |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let entries = || {
        let entries = fs::read_dir(folder.path("rest")).into_iter().flatten().flatten();
        entries.filter(is_locked).count()
    };
    while entries() == 0 {
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    wait_for_exit(child);
    assert_eq!(entries(), 1);
    folder.successful_output("count 6x6 --kind closed --engine frontier --memory 300M --spill rest");
    assert_eq!(entries(), 0);
}

#[test]
fn spill_option_rejects_searches() {
    assert_refusals(
        "errors_spill_without_sweep",
        &[("count 6x6 --engine multipath --spill rest", 2, &["--spill"])],
    );
}
