//! Counts that are checked by a second one.

use std::fs;

use ktour::batch::Record;
use sha2::{Digest, Sha256};

use crate::cli::{answer, failure, ktour};

/// Standard output and error of a run in a folder, and whether it succeeded.
fn run(folder: &tempfile::TempDir, arguments: &str) -> (bool, String, String) {
    let output = ktour(arguments).current_dir(folder.path()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_second_count_by_other_means_agrees_and_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    for (options, how) in [
        ("6x6 --engine multipath", "engine frontier"),
        ("6x6 --engine backtrack --kind paths", "engine frontier"),
        ("5x6 --engine frontier --per-start", "engine multipath"),
        ("5x5 --start a1 --end e5", "engine "),
        ("7x8 --kind closed --engine frontier", "sweep line by line, nothing folded"),
    ] {
        let (ok, out, err) = run(&folder, &format!("count {options} --double-check --json record.json"));
        assert!(ok, "{options}: {err}");
        assert_eq!(out, answer(&format!("count {options}")), "{options}");
        let told: Vec<&str> = err.lines().filter(|line| line.starts_with("ktour: double check: ")).collect();
        let [first, last] = told[..] else { panic!("{options}: {err}") };
        assert!(first.starts_with(&format!("ktour: double check: {how}")), "{options}: {err}");
        assert!(first.contains(" (first: engine "), "{options}: {err}");
        assert!(last.starts_with("ktour: double check: equal, "), "{options}: {err}");
        let record = Record::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let check = record.double_check.clone().unwrap();
        assert!(check.equal && check.how.starts_with(how), "{check:?}");
        for (kind, number) in &record.counts {
            let expected = number.undirected.as_ref().unwrap_or(&number.directed);
            assert_eq!(&check.counts[kind], expected, "{options} {kind}");
        }
    }
    let (_, _, err) = run(&folder, "count 5x5 --json record.json");
    assert!(!err.contains("double"), "{err}");
    assert!(!fs::read_to_string(&path).unwrap().contains("double_check"));
}

#[test]
fn parts_have_no_second_count() {
    let (status, line) = failure("count 6x6 --shard 0/2 --double-check");
    assert_eq!(status, 2, "{line}");
    assert!(line.contains("--double-check"), "{line}");
}

/// A finished run that is gone on with is checked again, for the checkpoint knows that this was wanted; sums
/// that were changed, with a digest that fits them, are found out.
#[test]
fn a_difference_is_one_line_and_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let command = "count 5x6 --kind closed --engine multipath --double-check --checkpoint run --csv out.csv";
    let (ok, out, err) = run(&folder, command);
    assert!(ok && out == "8\n", "{err}");
    let (ok, out, err) = run(&folder, "resume run");
    assert!(ok && out == "8\n" && err.contains("double check: equal"), "{err}");

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
    assert_eq!(
        err.lines().last().unwrap(),
        "ktour: error: double check by engine frontier differs: 16 closed, then 8; no number is reported"
    );
}
