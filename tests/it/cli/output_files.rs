//! Output to closed pipes, full disks, missing folders and existing files.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{COUNTED_PREFIX, DONE_PREFIX, ERROR_PREFIX, Refusals, error_of_command, ktour, unexpected_lines};
use crate::snapshot::Transcript;
use crate::tour_files::{assert_contains_all, mask_numbers};

/// Reads `lines` lines of standard output, then closes the pipe. Returns the exit status and standard error.
fn close_output_after(arguments: &str, lines: usize) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..lines {
        let mut line = String::new();
        assert!(out.read_line(&mut line).unwrap() > 0);
    }
    drop(out);
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    (child.wait().unwrap().code(), err)
}

#[test]
fn closed_pipe_ends_silently_with_success() {
    for (arguments, lines) in [
        ("list 6x6", 1),
        ("list 6x6", 0),
        ("list 8x8", 3),
        ("list 8x8 --format grid --threads 3", 1),
        ("list 8x8 --format ndjson --kind closed", 1),
        ("count 6x6", 0),
        ("count 6x6 --per-start --csv -", 0),
        ("count 6x6 --json -", 0),
        ("find 6x6 --csv -", 1),
        ("find 6x6 --csv - --limit 5000", 1),
        ("find 6x6 --json -", 0),
        ("series 4x2..400", 1),
        ("series 4x2..400 --csv -", 1),
        ("series 2..4x3..9 --json -", 0),
        ("selftest --max-squares 20", 1),
        ("estimate 5x5", 0),
        ("completions bash", 1),
        ("man", 1),
        ("--help", 0),
        ("list --help", 0),
        ("--version", 0),
    ] {
        let (status, err) = close_output_after(arguments, lines);
        assert_eq!((status, unexpected_lines(&err)), (Some(0), vec![]), "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_error() {
    let mut found = BTreeSet::new();
    for arguments in [
        "count 5x5",
        "count 5x5 --csv -",
        "count 5x5 --json -",
        "list 5x5",
        "list 6x6",
        "estimate 5x5",
        "man",
        "--help",
        "list -h",
        "--version",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_ktour"))
            .args(arguments.split_whitespace())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        let err = String::from_utf8(output.stderr).unwrap();
        let [line] = unexpected_lines(&err)[..] else { panic!("{err}") };
        assert!(line.starts_with(ERROR_PREFIX), "{line}");
        assert_contains_all(line, &["standard output", NO_SPACE]);
        found.insert(line.to_owned());
    }
    let [line] = &found.into_iter().collect::<Vec<_>>()[..] else {
        panic!("all commands print the same error line")
    };
    let mut transcript = Transcript::default();
    transcript.add("any command > /dev/full", line);
    transcript.assert_snapshot("errors_full_standard_output");
    // A row that is not written is not complete.
    for arguments in ["series 4x2..40", "series 4x2..40 --csv -", "series 2..4x3..5"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut series = Command::new(env!("CARGO_BIN_EXE_ktour"));
        series.args(arguments.split_whitespace());
        let output = series.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let [line] = unexpected_lines(&err)[..] else { panic!("{err}") };
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert_contains_all(
            line,
            &["standard output", NO_SPACE, "stopped after 1 of", "not in every output"],
        );
        assert!(!line.contains("complete"), "{line}");
    }
    // Only a run whose outputs are complete is done.
    for arguments in ["--json /dev/full", "--record /dev/full", "--symmetry rot180 --csv /dev/full"] {
        let err = error_of_run(&format!("count 5x6 --kind closed {arguments}"));
        assert!(err.contains(COUNTED_PREFIX) && !err.contains(DONE_PREFIX), "{arguments}: {err}");
    }
    let err = error_of_run("series 5x5..6 --kind closed --json /dev/full");
    assert!(!err.contains(DONE_PREFIX), "{err}");
    let mut refusals = Refusals::default();
    refusals.run("list 6x6 --output /dev/full", 1, &["/dev/full", NO_SPACE]);
    refusals.assert_snapshot("errors_full_disk");
}

/// Returns standard error of a run that fails.
#[cfg(target_os = "linux")]
fn error_of_run(arguments: &str) -> String {
    let output = ktour(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

/// The message of the system for a full disk.
#[cfg(target_os = "linux")]
const NO_SPACE: &str = "No space left on device";

#[cfg(target_os = "linux")]
#[test]
fn failed_output_does_not_suppress_other_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let [json, record] = ["x.json", "records"].map(|name| dir.path().join(name));
    let (j, r) = (json.display(), record.display());
    let output =
        ktour(&format!("count 6x6 --kind closed --csv /dev/full --json {j} --record {r}")).output().unwrap();
    let (out, err) = super::stdout_and_stderr(&output);
    assert_eq!((out.as_str(), output.status.code()), ("9862\n", Some(1)), "{err}");
    let last = err.lines().last().unwrap();
    assert!(err.contains(COUNTED_PREFIX) && err.contains(" closed=9862 "), "{err}");
    assert!(!err.contains(DONE_PREFIX) && last.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(last, &["/dev/full", NO_SPACE]);
    let mut transcript = Transcript::default();
    transcript.add("a count with --csv /dev/full", last);
    for file in [json, record] {
        assert!(fs::read_to_string(file).unwrap().contains("9862"));
    }
    // A range keeps the finished row, and stops.
    let rows = dir.path().join("rows.json");
    let range = format!("count 5x5..7 --kind closed --csv /dev/full --json {}", rows.display());
    let (out, err) = super::stdout_and_stderr(&ktour(&range).output().unwrap());
    assert_eq!(out, "5x5 0\n", "{err}");
    let last = err.lines().last().unwrap();
    assert!(last.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(last, &["/dev/full", "1 of 3", "5x6..7"]);
    transcript.add("a range with --csv /dev/full", last);
    transcript.assert_snapshot("errors_full_csv");
    assert!(fs::read_to_string(rows).unwrap().contains("5x5"), "{err}");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut symmetric = Command::new(env!("CARGO_BIN_EXE_ktour"));
    symmetric.args("count 6x6 --kind closed --symmetry rot180".split_whitespace());
    let output = symmetric.stdout(full).stderr(Stdio::piped()).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && err.contains(&format!("{COUNTED_PREFIX}symmetry=rot180")), "{err}");
}

/// The test ends early if the file system has no unnamed temporary files.
#[cfg(target_os = "linux")]
#[test]
fn interrupted_command_leaves_no_output_file() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().unwrap();
    let files =
        || fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect::<Vec<_>>();
    let mut list = Command::new(env!("CARGO_BIN_EXE_ktour"));
    list.args(["list", "7x7", "--output", "tours.txt"]).current_dir(dir.path());
    let mut list = list.spawn().unwrap();
    // The program holds an unnamed file open in the folder, or a named one where unnamed files are not
    // supported.
    let descriptors = format!("/proc/{}/fd", list.id());
    let has_open_file = || {
        let mut open_files =
            fs::read_dir(&descriptors).unwrap().filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        open_files.any(|file| file.starts_with(dir.path()))
    };
    while !has_open_file() {
        assert!(list.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let has_name = !files().is_empty();
    list.kill().unwrap();
    assert_eq!(list.wait().unwrap().signal(), Some(9));
    if has_name {
        return;
    }
    assert!(files().is_empty(), "{:?}", files());
    // `ulimit -f 32` limits files to 32 KiB.
    let line = format!("ulimit -f 32; exec {} list 6x6 --output tours.txt", env!("CARGO_BIN_EXE_ktour"));
    let output = Command::new("bash").args(["-c", &line]).current_dir(dir.path()).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((err.lines().count(), output.status.code()), (1, Some(1)), "{err}");
    assert!(err.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(&err, &["tours.txt", "File too large"]);
    assert!(files().is_empty(), "{:?}", files());
}

#[test]
fn record_option_rejects_other_files() {
    let dir = tempfile::tempdir().unwrap();
    let path_of = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path_of("tours"), "a1 b3\n").unwrap();
    let mut refusals = Refusals::with_hidden_folder(dir.path());
    refusals.run(&format!("count 5x5 --record {}", path_of("tours")), 2, &["--record", &path_of("tours")]);
    assert_eq!(fs::read_to_string(path_of("tours")).unwrap(), "a1 b3\n");
    for shard in 0..2 {
        super::successful_output(&format!(
            "count 5x5 --shard {shard}/2 --json {}",
            path_of(&shard.to_string())
        ));
    }
    let shards = format!("{} {}", path_of("0"), path_of("1"));
    for option in ["--json", "--csv", "--record"] {
        refusals.run(&format!("merge {shards} {option} {}", path_of("1")), 2, &["FILE", option]);
    }
    let merged = super::stdout_and_stderr(&ktour(&format!("merge {shards}")).output().unwrap());
    assert!(merged.0.contains("1728"), "{merged:?}");
    let joined = [path_of("0"), path_of("1")].map(|file| fs::read_to_string(file).unwrap()).concat();
    fs::write(path_of("both"), joined).unwrap();
    refusals.run(&format!("merge {}", path_of("both")), 1, &[&path_of("both"), "several results"]);
    let mut without_name = ktour("count 5x5");
    without_name.args(["--checkpoint", ""]);
    refusals.run_command(&mut without_name, "count 5x5 --checkpoint ''", 2, &["--checkpoint <FILE>"]);
    refusals.assert_snapshot("errors_files_of_other_content");
}

#[test]
fn refused_run_leaves_the_file_of_records_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (new, old) = (dir.path().join("new"), dir.path().join("old"));
    super::successful_output(&format!("count 5x5 --record {}", old.display()));
    let records = fs::read_to_string(&old).unwrap();
    for command in [
        "count 7x7 --engine frontier --memory 4M",
        "series 7x7..9 --kind paths --memory 4M",
        "count 5x5 --start z9",
    ] {
        for path in [&new, &old] {
            let output = ktour(command).arg("--record").arg(path).output().unwrap();
            assert!(!output.status.success(), "{command}");
        }
        assert!(!new.exists() && fs::read_to_string(&old).unwrap() == records, "{command}");
    }
    // The file to which a link leads is new.
    #[cfg(unix)]
    {
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&new, &link).unwrap();
        ktour("count 7x7 --engine frontier --memory 4M --record").arg(&link).output().unwrap();
        assert!(!new.exists() && link.is_symlink());
        super::successful_output(&format!("count 5x5 --record {}", link.display()));
        assert!(new.exists() && link.is_symlink());
    }
}

/// Runs ktour with a file name as the last argument. It must fail with an error that names the file.
fn assert_cannot_write(arguments: &str, path: &Path) {
    let (status, line) = error_of_command(ktour(arguments).arg(path), arguments);
    assert_eq!(status, 1, "{line}");
    assert_contains_all(&line, &[path.to_str().unwrap()]);
    assert!(!line.contains(".ktour-"), "{line}");
}

#[test]
fn unwritable_output_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in ["count 5x5 --csv", "count 5x5 --json", "list 5x5 --output"] {
        assert_cannot_write(arguments, &folder.path().join("no/such/folder.txt"));
        assert_cannot_write(arguments, folder.path());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn rejected_run_keeps_existing_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old");
    fs::write(&path, "old\n").unwrap();
    for arguments in [
        "count 5x5 --start z9 --csv",
        "count 200x200 --json",
        "list 5x5 --moves 1,2 --output",
        "list 5x5 --kind closed --end a1 --output",
        "count 5x5 --json /no/such/folder/x --csv",
    ] {
        let (status, _) = error_of_command(ktour(arguments).arg(&path), arguments);
        assert_ne!(status, 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n", "{arguments}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{arguments}");
    }
    assert!(ktour("list 5x5 --limit 1 --bare --output").arg(&path).output().unwrap().status.success());
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn output_behind_symlink_is_written_to_its_target() {
    // For root, /dev/stdout can be a symlink in a writable folder.
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, "old\n").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(ktour("list 5x5 --limit 1 --output").arg(&link).output().unwrap().status.success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(fs::read_to_string(&target).unwrap(), "old\n");
}

#[test]
fn output_file_equals_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tours");
    for format in ["squares", "grid", "csv", "ndjson"] {
        let arguments = format!("list 5x5 --format {format}");
        let output = ktour(&arguments).arg("--output").arg(&path).output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty());
        assert_eq!(fs::read_to_string(&path).unwrap(), super::successful_output(&arguments), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn closed_standard_error_is_ignored() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(["count", "1x1", "--kind", "paths"])
        .stdout(Stdio::piped())
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"1\n".as_slice()));
}

#[test]
fn two_outputs_to_one_file_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    fs::write(&old, "old\n").unwrap();
    fs::hard_link(&old, folder.path().join("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("new", folder.path().join("soft")).unwrap();
    let mut refusals = Refusals::default();
    for arguments in [
        "--json ./new --csv new",
        "--json new --checkpoint new",
        "--json new --record new",
        "--json old --record hard",
        "--csv soft --json new",
        "--csv new --checkpoint soft",
        "--json run.previous --checkpoint run",
    ] {
        for count in ["count 20x20 --kind closed", "count 6x6 --symmetry rot180"] {
            let options: Vec<&str> = arguments.split(' ').filter(|word| word.starts_with("--")).collect();
            let arguments = format!("{count} {arguments}");
            refusals.run_command(ktour(&arguments).current_dir(folder.path()), &arguments, 2, &options);
        }
    }
    refusals.assert_snapshot("errors_outputs_in_one_file");
    assert_eq!(fs::read_to_string(old).unwrap(), "old\n");
    assert!(!folder.path().join("new").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn closed_standard_output_is_error() {
    let mut found = BTreeSet::new();
    for arguments in
        ["count 5x5", "list 5x5", "find 5x5", "man", "--help", "count --help", "--version", "estimate 5x5"]
    {
        let output = Command::new("sh")
            .args(["-c", &format!("exec {} {arguments} >&-", env!("CARGO_BIN_EXE_ktour"))])
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {err}");
        let [line] = unexpected_lines(&err)[..] else { panic!("{arguments}: {err}") };
        assert!(line.starts_with(ERROR_PREFIX), "{arguments}: {line}");
        assert_contains_all(line, &["standard output"]);
        found.insert(line.to_owned());
    }
    let [line] = &found.into_iter().collect::<Vec<_>>()[..] else {
        panic!("all commands print the same error line")
    };
    let mut transcript = Transcript::default();
    transcript.add("any command >&-", line);
    transcript.assert_snapshot("errors_closed_standard_output");
}

#[test]
fn json_of_closed_tours_has_no_path_sums() {
    let closed: serde_json::Value =
        serde_json::from_str(&super::successful_output("count 5x6 --kind closed --json -")).unwrap();
    assert_eq!(closed["counts"]["closed"]["directed"], "16");
    assert!(
        closed["sums"].get("directed").is_none() && closed["sums"].get("re_entrant").is_none(),
        "{closed}"
    );
    let all: serde_json::Value =
        serde_json::from_str(&super::successful_output("count 5x6 --json -")).unwrap();
    assert_eq!(all["sums"]["directed"].as_array().unwrap().len(), 9);
}

#[test]
fn find_prints_json_report() {
    let found: serde_json::Value =
        serde_json::from_str(&super::successful_output("find 5x6 --kind closed --json -")).unwrap();
    assert_eq!((&found["schema"], &found["complete"]), (&1.into(), &true.into()));
    assert_eq!(
        (&found["board"], &found["board_text"]),
        (&"5x6".into(), &"board=5x6 piece=1,2 remove=-".into())
    );
    assert_eq!(found["tours"][0]["squares"].as_array().unwrap().len(), 30);
    let output = ktour("find 4x4 --json -").output().unwrap();
    let no_tour: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &no_tour["complete"]), (Some(1), &false.into()));
    let mut transcript = Transcript::default();
    transcript.add("the reason in the JSON of find 4x4", no_tour["reason"].as_str().unwrap());
    transcript.assert_snapshot("find_json_reason");
    assert_eq!(no_tour["tours"], serde_json::json!([]), "{no_tour}");
    let rows = super::csv_rows(&super::successful_output("find 5x5 --rule w+ --limit 3 --distinct --csv -"));
    let squares: BTreeSet<&String> = rows.iter().map(|row| &row["squares"]).collect();
    assert_eq!((rows.len(), squares.len(), rows[0]["rule"].as_str()), (3, 3, "w+"));
    let with_symmetry = super::successful_output("find 10 --kind closed --symmetry rot90 --bare");
    assert_eq!(
        with_symmetry,
        super::successful_output("list 10 --kind closed --symmetry rot90 --limit 1 --bare")
    );
    assert_eq!(
        super::successful_output("find 8x8 --closed"),
        super::successful_output("find 8x8 --kind closed")
    );
}

/// Runs ktour until it catches the signal and `file` exists, then sends the signal. Returns the exit status
/// and standard error.
#[cfg(unix)]
pub fn run_and_signal(
    arguments: &str,
    folder: &Path,
    (number, name): (i32, &str),
    file: Option<&str>,
) -> (std::process::ExitStatus, String) {
    use crate::process::{wait_until_caught, with_default_signals};

    let mut command = Command::new(env!("CARGO_BIN_EXE_ktour"));
    command.args(arguments.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = with_default_signals(&mut command).spawn().unwrap();
    wait_until_caught(&mut child, number);
    while file.is_some_and(|file| !folder.join(file).exists()) {
        assert!(child.try_wait().unwrap().is_none(), "the program ended before it created {file:?}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    crate::long_runs::send_signal(&child, name);
    let output = child.wait_with_output().unwrap();
    (output.status, String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn interrupted_comparison_prints_what_it_compared() {
    use std::os::unix::process::ExitStatusExt;

    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        ("verify --within 60s", &["stopped after", "number", "reproduced", "mismatches"][..]),
        ("selftest --max-squares 60000", &["stopped after", "board"]),
    ] {
        let (status, err) = run_and_signal(arguments, folder.path(), (libc::SIGINT, "INT"), None);
        assert_eq!(status.signal(), Some(libc::SIGINT), "{arguments}: {err}");
        assert_contains_all(err.lines().last().unwrap_or_default(), words);
    }
}

#[cfg(unix)]
#[test]
fn hangup_saves_checkpoint_and_interrupted_list_prints_note() {
    use std::os::unix::process::ExitStatusExt;

    let folder = tempfile::tempdir().unwrap();
    let count = "count 7x7 --kind paths --engine multipath --checkpoint run --checkpoint-every 0.02";
    let (status, err) = run_and_signal(count, folder.path(), (libc::SIGHUP, "HUP"), Some("run"));
    assert!(status.code() == Some(75) && err.contains("ktour resume run"), "{status:?} {err}");
    let (status, err) =
        run_and_signal("list 7x7 --force --output tours", folder.path(), (libc::SIGTERM, "TERM"), None);
    assert!(status.signal() == Some(libc::SIGTERM) && err.contains("tours"), "{status:?} {err}");
    assert_contains_all(err.lines().last().unwrap(), &["tours", "--limit"]);
    assert!(!folder.path().join("tours").exists());
    let mut transcript = Transcript::default();
    transcript.add("list 7x7 --force --output tours", &mask_numbers(err.lines().last().unwrap()));
    transcript.assert_snapshot("notices_stopped_list");
}
