//! The command `ktour verify`: its lines, CSV, JSON, time limit and exit status.

use std::fs;

use serde_json::Value;

use super::cli::{ERROR_PREFIX, Refusals, csv_rows, ktour, stdout_and_stderr, successful_output};
use super::snapshot::Transcript;
use super::tour_files::assert_contains_all;

/// A table of published numbers: two are right, one is wrong, and one takes a minute to compute.
const TABLE: &str = "\
rows,cols,prefix,kind,direction,start,count,source
6,6,,closed,undirected,,9862,somebody
5,5,,paths,directed,a1,304,\"somebody, elsewhere\"
5,6,,closed,undirected,,9,a slip
8,8,,paths,undirected,,9795914085489952,too long for now
";

/// Writes a table to a file in a new folder. Returns the folder and the path of the file.
fn create_folder_with_table(table: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.csv");
    fs::write(&path, table).unwrap();
    let name = path.display().to_string();
    (folder, name)
}

#[test]
fn verify_reproduces_published_numbers() {
    let text = successful_output("verify --within 3s");
    let lines: Vec<&str> = text.lines().collect();
    let (last, numbers) = lines.split_last().unwrap();
    // The last line has the numbers reproduced, mismatches, not tried, and seconds.
    let [reproduced, 0, _, 3] = parse_numbers(last)[..] else { panic!("{last}") };
    // An idle machine reproduces hundreds; a busy machine may reproduce few.
    assert!(reproduced > 10 && reproduced == numbers.len(), "{last}");
    for line in numbers {
        // ok 6x6 closed: published 9862, computed 9862 (0.01 s) [source]
        let (name, rest) = line.strip_prefix("ok ").unwrap().split_once(": ").unwrap();
        let (both, rest) = rest.split_once(" (").unwrap();
        let (seconds, source) = rest.split_once(" s) [").unwrap();
        let [published, computed] = number_words(both)[..] else { panic!("{line}") };
        assert_eq!(published, computed, "{line}");
        assert!(seconds.parse::<f64>().unwrap() >= 0.0 && source.ends_with(']'), "{line}");
        assert!(name.contains('x') || name.starts_with("graph of "), "{line}");
    }
}

#[test]
fn verify_of_board_selects_its_numbers() {
    for (arguments, names, least) in [
        ("6x6", &["6x6"][..], 30),
        ("10x3", &["3x10", "10x3"], 10),
        ("5x5 --piece king", &["5x5 king"], 2),
        ("5x5 --kind open", &["5x5 open"], 1),
        ("6x6 --kind closed", &["6x6 closed"], 5),
        ("4x5 --wrap torus --piece wazir", &["4x5 torus wazir"], 1),
    ] {
        let text = successful_output(&format!("verify {arguments}"));
        let mut lines: Vec<&str> = text.lines().collect();
        let last = lines.pop().unwrap();
        assert!(lines.len() >= least && parse_numbers(last)[1..3] == [0, 0], "{arguments}: {text}");
        let is_of_board = |line: &&str| {
            names.iter().any(|name| line.strip_prefix("ok ").is_some_and(|rest| rest.starts_with(name)))
        };
        assert!(lines.iter().all(is_of_board), "{arguments}: {text}");
    }
    let rows = csv_rows(&stdout_and_stderr(&ktour("verify 6x6 --csv -").output().unwrap()).0);
    assert!(
        rows.iter().all(|row| row["engine"].split('+').all(|name| name == "multipath" || name == "frontier"))
    );
    let mut refusals = Refusals::default();
    refusals.run("verify 9x17", 1, &["9x17", "--table"]);
    refusals.run("verify 4x5 --wrap torus --piece wazir --kind open", 1, &["open", "--table"]);
    refusals.run("verify 5x5 --remove c3", 1, &["5x5 without c3", "--table"]);
    refusals.run("verify 5x5 --piece zebra", 1, &["5x5 zebra", "--table"]);
    refusals.run("verify --piece king", 2, &["--piece", "BOARD"]);
    refusals.assert_snapshot("verify_of_board");
}

/// Returns all numbers of a line as text.
fn number_words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

/// Parses all numbers of a line.
fn parse_numbers(line: &str) -> Vec<usize> {
    number_words(line).into_iter().map(|digits| digits.parse().unwrap()).collect()
}

#[test]
fn verify_reports_mismatch_and_fails() {
    let (folder, table) = create_folder_with_table(TABLE);
    let csv = folder.path().join("out.csv");
    let json = folder.path().join("out.json");
    let command =
        format!("verify --table {table} --within 2s --csv {} --json {}", csv.display(), json.display());
    let output = ktour(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.starts_with(ERROR_PREFIX) && err.lines().count() == 1, "{err}");
    assert_eq!(parse_numbers(&err), [1], "{err}");
    let mut transcript = Transcript::default();
    transcript.add("standard error", &err);
    let out = String::from_utf8(output.stdout).unwrap();
    for (start, numbers, end) in [
        ("ok 6x6 closed: ", ["9862", "9862"], " s) [somebody]"),
        ("ok 5x5 paths directed from a1: ", ["304", "304"], " s) [somebody, elsewhere]"),
        ("MISMATCH 5x6 closed: ", ["9", "8"], " s) [a slip]"),
    ] {
        let line = out.lines().find(|line| line.starts_with(start) && line.ends_with(end));
        let line = line.unwrap_or_else(|| panic!("{start}{out}"));
        let (numbers_part, _) = line[start.len()..].split_once(" (").unwrap();
        assert_eq!(number_words(numbers_part), numbers, "{line}");
        transcript.add("a line", &format!("{start}{numbers_part} (SECONDS{end}"));
    }
    let last = out.lines().last().unwrap();
    assert_eq!(parse_numbers(last), [2, 1, 1, 2], "{out}");
    transcript.add("the last line", last);
    transcript.assert_snapshot("verify_mismatch");

    let mut found: Vec<[String; 5]> = csv_rows(&fs::read_to_string(csv).unwrap())
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
fn verify_counts_numbers_not_tried() {
    let (_folder, table) = create_folder_with_table(TABLE);
    let output = ktour(&format!("verify --table {table} --within 0")).output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((out.lines().count(), parse_numbers(&out)), (1, vec![0, 0, 4, 0]), "{out}");
    assert_eq!((output.status.code(), err.lines().count()), (Some(1), 1), "{err}");
    assert!(err.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(&err, &["--within", "0 s"]);
    let mut transcript = Transcript::default();
    transcript.add("standard output", &out);
    transcript.add("standard error", &err);
    transcript.assert_snapshot("verify_without_time");
    let output = ktour("verify --within 0 --csv /dev/null --json -").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["not_tried"].as_u64().unwrap() > 600, "standard output contains only the JSON");
}

#[test]
fn verify_reads_table_from_standard_input() {
    let (_folder, table) = create_folder_with_table(TABLE);
    let numbers = |arguments: &str| {
        let output = ktour(arguments).write_stdin(TABLE).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "the table has a wrong number");
        let rows = csv_rows(&stdout_and_stderr(&output).0);
        rows.into_iter().map(|row| row["number"].clone()).collect::<Vec<String>>()
    };
    let read = numbers("verify --table - --kind closed --csv -");
    assert_eq!(read, numbers(&format!("verify --table {table} --kind closed --csv -")));
    assert_eq!(read.len(), 2);
}

#[test]
fn verify_rejects_malformed_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut refusals = Refusals::default();
    let mut verify = |table: &str, case: &str, names: &[&str]| {
        fs::write(folder.path().join("own.csv"), table).unwrap();
        let names = [&["--table"], names].concat();
        let mut command = ktour("verify --table own.csv");
        refusals.run_command(command.current_dir(folder.path()), case, 1, &names);
    };
    const COLUMNS: &str = "rows,cols,prefix,kind,direction,start,count,source";
    for (from, to, names) in [
        ("5,6,,closed", "5,6,,shut", &["line 4", "`shut`"][..]),
        ("5,6,,closed", "0,6,,closed", &["line 4"]),
        (",9,a slip", ",nine,a slip", &["line 4", "`nine`"]),
        ("directed,a1", "undirected,a1", &["line 3", "`undirected`"]),
        ("directed,a1", "directed,z9", &["line 3", "z9"]),
        (",9,a slip", "", &["line 4", "6", "8"]),
        ("5,6,,closed", "5,x,,closed", &["line 4", "cols"]),
        ("rows,cols", "files,ranks", &["line 1", COLUMNS]),
    ] {
        verify(&TABLE.replacen(from, to, 1), &format!("{to} for {from}"), names);
    }
    for (empty_table, names) in [
        ("", &[COLUMNS][..]),
        ("hello\n", &[COLUMNS]),
        ("\0\0\0", &["not text"]),
        (&format!("{COLUMNS}\n"), &[]),
    ] {
        verify(empty_table, &format!("{empty_table:?}"), names);
    }
    refusals.run("verify --table no/such/table", 1, &["no/such/table"]);
    #[cfg(unix)]
    for endless in ["/dev/zero", "/dev/urandom"] {
        refusals.run(&format!("verify --table {endless}"), 1, &["--table", endless]);
    }
    refusals.run("verify --within soon", 2, &["--within", "soon"]);
    refusals.run("verify --csv - --json -", 2, &["--csv", "--json"]);
    refusals.assert_snapshot("errors_published_tables");
}
