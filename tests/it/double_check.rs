//! The option `--double-check`, which counts a second time by another method.

use std::fs;

use ktour::batch::Record;
use sha2::{Digest, Sha256};

use super::cli::{ERROR_PREFIX, assert_refusals, ktour, successful_output, unexpected_lines};
use super::long_runs::progress_in_notices;
use super::snapshot::Transcript;
use super::tour_files::{assert_contains_all, mask_numbers};

/// Runs the program in a folder. Returns whether it succeeded, its standard output and its standard error.
fn run_in_folder(folder: &tempfile::TempDir, arguments: &str) -> (bool, String, String) {
    let output = ktour(arguments).current_dir(folder.path()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn double_check_agrees_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let mut transcript = Transcript::default();
    // The engines of both counts. Empty if the options leave the choice to the program.
    for (options, first, second) in [
        ("6x6 --engine multipath", "multipath", "frontier"),
        ("6x6 --engine backtrack --kind paths", "backtrack", "frontier"),
        ("5x6 --engine frontier --per-start", "frontier", "multipath"),
        ("5x5 --start a1 --end e5", "", ""),
        // The second count is another sweep by the same engine.
        ("7x8 --kind closed --engine frontier", "frontier", ""),
    ] {
        let (ok, out, err) =
            run_in_folder(&folder, &format!("count {options} --double-check --json record.json"));
        assert!(ok, "{options}: {err}");
        assert_eq!(out, successful_output(&format!("count {options}")), "{options}");
        // The only other lines of standard error, except for the job line and the done line, report the start
        // and the end of the second count.
        let [start_notice, end_notice] = unexpected_lines(&err)[..] else { panic!("{options}: {err}") };
        assert_contains_all(start_notice, &[first, second, "engine"]);
        let record = Record::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(first.is_empty() || record.engine == first, "{options}: {}", record.engine);
        let check = record.double_check.clone().unwrap();
        assert!(check.equal && check.how.contains(second), "{check:?}");
        assert!(start_notice.contains(&check.how), "{options}: {start_notice}");
        transcript.add(options, &format!("{start_notice}\n{}", mask_numbers(end_notice)));
        for (kind, number) in &record.counts {
            let expected = number.undirected.as_ref().unwrap_or(&number.directed);
            assert_eq!(&check.counts[kind], expected, "{options} {kind}");
        }
    }
    transcript.assert_snapshot("notices_double_check");
    let (_, _, err) = run_in_folder(&folder, "count 5x5 --json record.json");
    assert!(unexpected_lines(&err).is_empty(), "{err}");
    assert!(!fs::read_to_string(&path).unwrap().contains("double_check"));
}

/// This count fits into 22 MiB, and its second count does not.
const SHORT_OF_MEMORY: &str = "count 6x8 --kind paths --engine frontier --double-check --threads 2";
const NUMBER: &str = "24964893804\n";

#[test]
fn count_is_refused_if_the_second_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let run = |limit: &str| {
        let options = "--json dc.json --csv dc.csv";
        run_in_folder(&folder, &format!("{SHORT_OF_MEMORY} {options} --memory {limit}"))
    };
    let recommended = ["4M", "22M"].map(|limit| {
        let (ok, out, err) = run(limit);
        assert!(!ok && out.is_empty() && err.starts_with(ERROR_PREFIX), "{limit}: {out}{err}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{limit}");
        let (_, rest) = err.split_once("raise --memory to ").unwrap_or_else(|| panic!("{err}"));
        rest.split(';').next().unwrap().to_owned()
    });
    assert_eq!(recommended[0], recommended[1]);
    let (ok, out, err) = run(&recommended[0]);
    assert!(ok && out == NUMBER, "{out}{err}");
    assert!(fs::read_to_string(folder.path().join("dc.json")).unwrap().contains("double_check"));
}

#[test]
fn count_that_is_not_double_checked_is_not_reported() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--force --memory 22M --checkpoint run --json dc.json";
    let (ok, out, err) = run_in_folder(&folder, &format!("{SHORT_OF_MEMORY} {options}"));
    assert!(!ok && out.is_empty() && !folder.path().join("dc.json").exists(), "{out}{err}");
    assert_contains_all(err.lines().last().unwrap(), &["not double-checked", "ktour resume run"]);
    let (ok, out, err) = run_in_folder(&folder, "resume run --memory 200M --threads 2");
    assert!(ok && out == NUMBER, "{out}{err}");
    assert!(fs::read_to_string(folder.path().join("dc.json")).unwrap().contains("double_check"));
}

#[test]
fn double_check_rejects_shards() {
    let row = ("count 6x6 --shard 0/2 --double-check", 2, &["--double-check", "--shard"][..]);
    assert_refusals("errors_double_check_of_shard", &[row]);
}

/// Resumes a finished run: its checkpoint stores the option `--double-check`, so the second count is
/// repeated. If the sums were changed, with a digest that matches them, the second count detects the
/// difference.
#[test]
fn double_check_difference_is_error_without_number() {
    let folder = tempfile::tempdir().unwrap();
    let command = "count 5x6 --kind closed --engine multipath --double-check --checkpoint run --csv out.csv";
    let (ok, out, err) = run_in_folder(&folder, command);
    assert!(ok && out == "8\n", "{err}");
    let (ok, out, err) = run_in_folder(&folder, "resume run");
    assert!(ok && out == "8\n", "{err}");
    // As in the first run, two notices report the start and the end of the second count.
    let notices = unexpected_lines(&err).into_iter().filter(|line| progress_in_notices(line).is_empty());
    assert_eq!(notices.count(), 2, "{err}");

    let path = folder.path().join("run");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.splitn(5, '\n').collect();
    let [head, job, saved, _, body] = lines[..] else { panic!("{text}") };
    let body = body.replace(r#""closed":"8""#, r#""closed":"16""#);
    let digest: String = Sha256::digest(format!("{head}\n{job}\n{saved}\n{body}\n"))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    fs::write(&path, format!("{head}\n{job}\n{saved}\nsha256 {digest}\n{body}")).unwrap();
    fs::remove_file(folder.path().join("out.csv")).unwrap();
    let output = ktour("resume run").current_dir(folder.path()).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(output.stdout.is_empty() && !folder.path().join("out.csv").exists());
    let error = err.lines().last().unwrap();
    assert!(error.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(error, &["frontier", "16 closed", "8"]);
    let mut transcript = Transcript::default();
    transcript.add("a count of 16 where there are 8", error);
    transcript.assert_snapshot("errors_double_check_differs");
}
