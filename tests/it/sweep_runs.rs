//! Sweeps as long runs: killed, interrupted, damaged, cut into shards, held to a ceiling.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use ktour::batch::{Checkpoint, CheckpointError};

use crate::batch::{Dice, Folder, WARNING_PREFIX, end, progress, signal};
use crate::check::{assert_names, without_numbers};
use crate::cli::{Refusals, refusals};
use crate::snapshot::Transcript;

/// A sweep of some tenths of a second.
const SHORT: &str = "count 7x8 --kind closed --engine frontier --checkpoint run";
const SHORT_NUMBER: &str = "34524432316\n";

/// One of some seconds.
const LONG: &str =
    "count 7x8 --kind paths --engine frontier --threads 2 --checkpoint run --checkpoint-every 0.05";
const LONG_NUMBER: &str = "20666425060328\n";

impl Folder {
    /// The stored parts of layers.
    fn parts(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("run.sweep")).into_iter().flatten().flatten();
        let mut parts: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        parts.sort();
        parts
    }
}

#[test]
fn a_sweep_killed_twenty_times_ends_with_the_same_number() {
    let mut dice = Dice(0xf00d);
    let folder = Folder::new();
    let (mut kills, mut within) = (0, 0);
    loop {
        let threads = 1 + dice.roll(3);
        let saved = folder.path("run").exists() || folder.path("run.previous").exists();
        let command = if saved && dice.roll(2) == 0 { "resume run" } else { SHORT };
        let every = if kills < 20 { "0.02" } else { "60" };
        let mut child = folder.start(&format!("{command} --checkpoint-every {every} --threads {threads}"));
        if kills < 20 {
            if dice.roll(3) > 0 {
                // Not before it has come further.
                let written = || fs::metadata(folder.path("run")).and_then(|file| file.modified()).ok();
                let before = written();
                while written() == before && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
            }
            sleep(Duration::from_millis(dice.roll(200)));
            child.kill().unwrap();
        }
        let ended = end(child);
        within += usize::from(progress(&ended.err).len() == 2);
        if ended.status.success() {
            assert_eq!(ended.out, SHORT_NUMBER);
            if kills >= 20 {
                break;
            }
            // Done too soon: once more from the beginning.
            for name in ["run", "run.previous"] {
                let _ = fs::remove_file(folder.path(name));
            }
        } else {
            kills += 1;
        }
    }
    assert!(within >= 5, "gone on within a sweep {within} times only");
    assert!(folder.parts().is_empty(), "nothing is left when all is done");
}

#[test]
fn a_sweep_that_is_told_to_stop_rests_and_goes_on() {
    let folder = Folder::new();
    let mut child = folder.start(LONG);
    folder.wait_for(&mut child, "run.sweep");
    signal(&child, "TERM");
    let stopped = end(child);
    assert_eq!(stopped.status.code(), Some(75), "{}", stopped.err);
    let last = stopped.err.lines().last().unwrap();
    assert_names(last, &["ktour resume run"]);
    let gone_on = folder.run("resume run --threads 1 --memory 250M --checkpoint-every 60");
    let [units, steps] = progress(&gone_on.err)[..] else { panic!("{}", gone_on.err) };
    assert!(units == (0, 1) && steps.0 < steps.1, "{}", gone_on.err);
    let mut transcript = Transcript::default();
    transcript.add("the last line of a sweep that a signal stops", &without_numbers(last));
    let notices = gone_on.err.lines().filter(|line| !progress(line).is_empty());
    let notices: Vec<String> = notices.map(without_numbers).collect();
    transcript.add("resume run", &notices.join("\n"));
    transcript.assert("notices_resumed_sweep");
    assert_eq!(gone_on.out, LONG_NUMBER, "{}", gone_on.err);
    assert!(folder.parts().is_empty());
}

/// A folder in which a sweep was killed when two generations had been saved.
fn killed() -> Folder {
    let folder = Folder::new();
    let mut child = folder.start_saved(LONG);
    while !fs::read_to_string(folder.path("run.previous")).unwrap_or_default().contains("\"number\"") {
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    end(child);
    folder
}

/// Another folder with the same files.
fn copy(folder: &Folder) -> Folder {
    let other = Folder::new();
    fs::create_dir(other.path("run.sweep")).unwrap();
    for name in ["run", "run.previous"] {
        fs::copy(folder.path(name), other.path(name)).unwrap();
    }
    for part in folder.parts() {
        fs::copy(&part, other.path("run.sweep").join(part.file_name().unwrap())).unwrap();
    }
    other
}

#[test]
fn damaged_layers_are_refused_or_the_generation_before_is_taken() {
    let folder = killed();
    let numbers = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        let numbers = text.split("\"number\":").skip(1);
        numbers.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect()).collect()
    };
    let name = |number: &str| format!("run.sweep/{:08x}.part", number.parse::<u64>().unwrap());
    let (newest, before) = (numbers("run"), numbers("run.previous"));
    let only = name(newest.iter().find(|number| !before.contains(number)).expect("a new part"));
    let mut transcript = Transcript::default();
    let mut falls_back = |folder: &Folder, case: &str| {
        let answer = folder.run("resume run");
        let warnings = answer.err.lines().filter(|line| line.starts_with(WARNING_PREFIX));
        let [warning] = warnings.collect::<Vec<_>>()[..] else { panic!("{case}: {}", answer.err) };
        assert_names(warning, &["run.sweep"]);
        transcript.add(case, &without_numbers(warning));
        assert_eq!(answer.out, LONG_NUMBER, "{case}: {}", answer.err);
    };
    let whole = fs::read(folder.path(&only)).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (case, damage) in [("half a part", &whole[..whole.len() / 2]), ("no part", &[]), ("a bit", &flipped)]
    {
        let folder = copy(&folder);
        fs::write(folder.path(&only), damage).unwrap();
        falls_back(&folder, case);
    }
    // Whole parts in each other's place are noticed as well.
    let swapped = copy(&folder);
    let bytes = |name: &String| fs::read(folder.path(name)).unwrap();
    let mut parts = before.iter().chain(&newest).map(|number| name(number));
    let other = parts.find(|name| bytes(name) != whole).unwrap();
    fs::write(swapped.path(&only), bytes(&other)).unwrap();
    falls_back(&swapped, "another part");
    folder.parts().iter().for_each(|part| fs::write(part, "damaged").unwrap());
    let line = folder.refusal("resume run");
    assert_names(&line, &["run"]);
    transcript.add("all parts", &without_numbers(&line));
    let loaded = Checkpoint::load(&folder.path("run"));
    assert!(matches!(loaded, Err(CheckpointError::Damaged { .. })), "{loaded:?}");
    transcript.assert("warnings_damaged_layers");
}

#[test]
fn sweeps_add_up_from_shards() {
    let folder = Folder::new();
    for shard in 0..4 {
        folder.answer(&format!(
            "count 6x8 --kind closed --engine frontier --shard {shard}/4 --json {shard}.json"
        ));
    }
    assert_eq!(folder.answer("merge 0.json 1.json 2.json 3.json"), "55488142\n");
    let mut refusals = Refusals::default();
    folder.refuse(&mut refusals, "merge 0.json 1.json 3.json", &["2/4", "--partial"]);
    folder.refuse(&mut refusals, "merge 0.json 1.json 2.json 3.json 1.json", &["1/4", "1.json"]);
    folder.answer("count 6x8 --kind closed --engine frontier --shard 0/5 --json other.json");
    folder.refuse(&mut refusals, "merge 0.json 1.json 2.json 3.json other.json", &["other.json"]);
    refusals.assert("errors_merged_sweeps");
}

#[test]
fn every_kind_is_cut_and_added_up() {
    let folder = Folder::new();
    for shard in 0..3 {
        folder.answer(&format!("count 5x6 --engine frontier --shard {shard}/3 --json {shard}.json"));
    }
    let merged = folder.answer("merge 0.json 1.json 2.json");
    assert_eq!(merged, folder.answer("count 5x6 --engine multipath"));
}

#[test]
#[cfg(target_os = "linux")]
fn the_ceiling_holds_and_the_rest_is_spilled() {
    let folder = Folder::new();
    let out = folder.answer(
        "count 7x8 --kind paths --engine frontier --memory 150M --spill rest --json a.json --threads 2",
    );
    assert_eq!(out, "20666425060328\n");
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("a.json")).unwrap()).unwrap();
    let peak = record["peak_kib"].as_u64().unwrap();
    assert!(peak < 150 << 10, "{peak} KiB");
    assert!(!folder.path("rest").exists(), "the folder was made for the run and goes with it");
}

#[test]
fn what_a_killed_run_spilled_is_swept_away() {
    let folder = Folder::new();
    let arguments = "count 7x8 --kind paths --engine frontier --memory 100M --spill rest";
    let mut child = folder.start(arguments);
    // Until a folder is locked its name begins with a dot; one that is killed then is left for a while.
    let is_locked = |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let entries = || {
        let entries = fs::read_dir(folder.path("rest")).into_iter().flatten().flatten();
        entries.filter(is_locked).count()
    };
    while entries() == 0 {
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    end(child);
    assert_eq!(entries(), 1);
    folder.answer("count 6x6 --kind closed --engine frontier --memory 300M --spill rest");
    assert_eq!(entries(), 0);
}

#[test]
fn spilling_needs_a_sweep() {
    refusals("errors_spill_without_sweep", &[("count 6x6 --engine multipath --spill rest", 2, &["--spill"])]);
}
