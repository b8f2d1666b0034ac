//! Published numbers, recomputed: lines, CSV, JSON, time and exit status.

use std::fs;

use serde_json::Value;

use crate::cli::{answer, failure, ktour, rows};

/// A table of one's own; two of its numbers are right, one is wrong, one would take a minute.
const TABLE: &str = "\
rows,cols,prefix,kind,direction,start,count,source
6,6,,closed,undirected,,9862,somebody
5,5,,paths,directed,a1,304,\"somebody, elsewhere\"
5,6,,closed,undirected,,9,a slip
8,8,,paths,undirected,,9795914085489952,too long for now
";

fn folder_with(table: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    fs::write(&path, table).unwrap();
    let name = path.display().to_string();
    (folder, name)
}

#[test]
fn published_counts_are_reproduced() {
    let text = answer("verify --within 10s");
    let lines: Vec<&str> = text.lines().collect();
    let (last, numbers) = lines.split_last().unwrap();
    let (reproduced, rest) = last.split_once(' ').unwrap();
    let reproduced: usize = reproduced.parse().unwrap();
    // Some hundreds, but for a machine that others use.
    assert!(reproduced > 10 && reproduced == numbers.len(), "{last}");
    assert!(rest.starts_with("published numbers reproduced, 0 mismatches, "), "{last}");
    assert!(rest.ends_with(" not tried within 10 s"), "{last}");
    for line in numbers {
        // ok 6x6 closed: published 9862, computed 9862 (0.01 s) [source]
        let (name, rest) = line.strip_prefix("ok ").unwrap().split_once(": published ").unwrap();
        let (published, rest) = rest.split_once(", computed ").unwrap();
        let (computed, rest) = rest.split_once(" (").unwrap();
        let (seconds, source) = rest.split_once(" s) [").unwrap();
        assert_eq!(published, computed, "{line}");
        assert!(seconds.parse::<f64>().unwrap() >= 0.0 && source.ends_with(']'), "{line}");
        assert!(name.contains('x') && !published.is_empty(), "{line}");
    }
}

#[test]
fn a_mismatch_is_told_and_fails() {
    let (folder, table) = folder_with(TABLE);
    let csv = folder.path().join("out.csv");
    let json = folder.path().join("out.json");
    let command =
        format!("verify --table {table} --within 2s --csv {} --json {}", csv.display(), json.display());
    let output = ktour(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(err, "ktour: error: 1 published numbers were not reproduced\n");
    let out = String::from_utf8(output.stdout).unwrap();
    for (start, end) in [
        ("ok 6x6 closed: published 9862, computed 9862 (", " s) [somebody]"),
        ("ok 5x5 paths directed from a1: published 304, computed 304 (", " s) [somebody, elsewhere]"),
        ("MISMATCH 5x6 closed: published 9, computed 8 (", " s) [a slip]"),
    ] {
        assert!(out.lines().any(|line| line.starts_with(start) && line.ends_with(end)), "{start}{out}");
    }
    assert_eq!(
        out.lines().last(),
        Some("2 published numbers reproduced, 1 mismatches, 1 not tried within 2 s"),
        "{out}"
    );

    let mut found: Vec<[String; 5]> = rows(&fs::read_to_string(csv).unwrap())
        .into_iter()
        .map(|row| ["status", "number", "published", "computed", "source"].map(|name| row[name].clone()))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            ["MISMATCH", "5x6 closed", "9", "8", "a slip"],
            ["ok", "5x5 paths directed from a1", "304", "304", "somebody, elsewhere"],
            ["ok", "6x6 closed", "9862", "9862", "somebody"],
        ]
    );
    let document: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let counts = ["schema", "reproduced", "mismatches", "not_tried"].map(|name| document[name].as_u64());
    assert_eq!(counts, [1, 2, 1, 1].map(Some));
    assert_eq!(document["numbers"].as_array().unwrap().len(), 3);
}

#[test]
fn what_there_is_no_time_for_is_counted() {
    let (_folder, table) = folder_with(TABLE);
    let output = ktour(&format!("verify --table {table} --within 0")).output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(out, "0 published numbers reproduced, 0 mismatches, 4 not tried within 0 s\n");
    let why = "no number was recomputed within 0 s: raise --within, such as --within 1m";
    assert_eq!((output.status.code(), err), (Some(1), format!("ktour: error: {why}\n")));
    let output = ktour("verify --within 0 --csv /dev/null --json -").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["not_tried"].as_u64().unwrap() > 600, "standard output holds the JSON alone");
}

#[test]
fn a_table_that_is_not_well_formed_is_refused() {
    for (from, to, what) in [
        ("5,6,,closed", "5,6,,shut", "line 4: `shut` is no kind"),
        ("5,6,,closed", "0,6,,closed", "line 4: "),
        (",9,a slip", ",nine,a slip", "line 4: `nine` is no number"),
        ("directed,a1", "undirected,a1", "line 3: direction `undirected`"),
        ("directed,a1", "directed,z9", "line 3: square z9 is not on the board"),
        (",9,a slip", "", "line 4: it has 6 fields, not 8"),
        ("5,6,,closed", "5,x,,closed", "line 4: column cols: "),
        ("rows,cols", "files,ranks", "line 1: it has to name the columns: rows,cols,prefix,"),
    ] {
        let (_folder, table) = folder_with(&TABLE.replacen(from, to, 1));
        let (status, line) = failure(&format!("verify --table {table}"));
        assert_eq!(status, 1);
        assert!(line.starts_with("--table: ") && line.contains(what), "{line}");
    }
    for (nothing, what) in [
        ("", "it has to name the columns"),
        ("hello\n", "it has to name the columns"),
        ("\0\0\0", "it has to name the columns"),
        ("rows,cols,prefix,kind,direction,start,count,source\n", "there is no number in it"),
    ] {
        let (_folder, table) = folder_with(nothing);
        let (status, line) = failure(&format!("verify --table {table}"));
        assert!(status == 1 && line.contains(what), "{nothing:?}: {line}");
    }
    assert!(failure("verify --table no/such/table").1.contains("no/such/table"));
    #[cfg(unix)]
    for endless in ["/dev/zero", "/dev/urandom"] {
        let (status, line) = failure(&format!("verify --table {endless}"));
        assert!(status == 1 && line.starts_with("--table: /dev/"), "{line}");
    }
    for bad in ["verify --within soon", "verify --csv - --json -"] {
        assert_eq!(failure(bad).0, 2, "{bad}");
    }
}
