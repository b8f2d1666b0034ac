//! Tours with conditions: `--require`, `--forbid`, `--place`, `--clues` and `ktour next`.

use std::collections::BTreeSet;

use super::{Refusals, ktour, output_without_header, successful_output};

#[test]
fn required_and_forbidden_moves_select_tours_in_every_command() {
    let conditions = "--require c3-e4 --forbid e3-d1";
    let listed = output_without_header(&format!("list 5x6 --kind paths {conditions}"));
    let uses = |tour: &str, v: &str, w: &str| {
        tour.contains(&format!("{v} {w}")) || tour.contains(&format!("{w} {v}"))
    };
    let all = output_without_header("list 5x6 --kind paths");
    let expected: BTreeSet<&str> =
        all.lines().filter(|tour| uses(tour, "c3", "e4") && !uses(tour, "d1", "e3")).collect();
    assert_eq!(listed.lines().collect::<BTreeSet<_>>(), expected);
    let count = expected.len();
    for engine in ["backtrack", "multipath", "frontier"] {
        let arguments = format!("count 5x6 --kind paths {conditions} --engine {engine}");
        assert_eq!(successful_output(&arguments).trim(), count.to_string());
    }
    let numbered = output_without_header(&format!("unrank 5x6 --kind paths {conditions} 0-{}", count - 1));
    assert_eq!(numbered.lines().collect::<BTreeSet<_>>(), expected);
    let sampled =
        output_without_header(&format!("sample 5x6 --kind paths {conditions} --number 20 --seed 1"));
    assert!(sampled.lines().all(|tour| expected.contains(tour)) && sampled.lines().count() == 20);
    let found = output_without_header(&format!("find 5x6 --kind paths {conditions}"));
    assert!(uses(&found, "c3", "e4") && !uses(&found, "d1", "e3"), "{found}");
    // The numbers of a restricted index are read back.
    let tours = successful_output(&format!("unrank 5x6 --kind paths {conditions} 5,2"));
    let ranked = ktour("rank - --bare").write_stdin(tours).output().unwrap();
    assert_eq!(String::from_utf8(ranked.stdout).unwrap(), "5\n2\n");
    let csv = successful_output("count 5x6 --kind paths --require e4-c3 --forbid d1-e3 --csv -");
    assert!(csv.lines().nth(1).unwrap().ends_with(",c3-e4,d1-e3"), "{csv}");
}

#[test]
fn moves_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("moves");
    std::fs::write(&file, "a1-b3-c5 # a remark\n\n# another\nd4 f5\n").unwrap();
    let from_file = successful_output(&format!("count 6x6 --kind closed --require @{}", file.display()));
    assert_eq!(from_file, successful_output("count 6x6 --kind closed --require a1-b3-c5,d4-f5"));
    let piped =
        ktour("count 6x6 --kind closed --require @-").write_stdin("a1-b3-c5\nd4-f5").output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), from_file);
}

#[test]
fn next_counts_tours_by_next_square() {
    let rows = |arguments: &str| -> Vec<String> {
        let out = successful_output(&format!("{arguments} --csv -"));
        out.lines().skip(1).map(|row| row.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(rows("next 5x5 --begin a1"), ["c2 152", "b3 152"]);
    assert_eq!(rows("next 5x5 --begin a1 --forbid a1-c2"), ["c2 0", "b3 152"]);
    assert_eq!(rows("next 5x5 --begin a1-b3"), ["c1 8", "d2 8", "d4 6", "a5 122", "c5 8"]);
    let table = successful_output("next 5x5 --begin a1-b3");
    assert_eq!(table.lines().last(), Some("all     152"));
    // A long beginning leaves little to count on a board that cannot be counted itself.
    let tour = output_without_header("find 12x12 --seed 1");
    let beginning = tour.split_whitespace().take(140).collect::<Vec<_>>().join("-");
    let rows = rows(&format!("next 12x12 --begin {beginning}"));
    assert!(rows.iter().any(|row| !row.ends_with(" 0")), "{rows:?}");
}

#[test]
fn numbered_squares_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    let grid = folder.path().join("grid");
    std::fs::write(&grid, "# a remark\n1 . . 10\n. . . .\n. . . .\n").unwrap();
    let clues = format!("--clues {}", grid.display());
    let csv = successful_output(&format!("count 3x4 {clues} --csv -"));
    let rows: Vec<&str> = csv.lines().map(|row| row.split(",board=").next().unwrap()).collect();
    assert_eq!(
        rows[1..],
        ["closed,0", "open,2", "paths,2"].map(|row| rows
            .iter()
            .find(|own| own.starts_with(row))
            .copied()
            .unwrap_or("missing"))
    );
    assert_eq!(successful_output(&format!("count 3x4 --kind open {clues}")), "2\n");
    let piped = ktour("count 3x4 --clues - -q").write_stdin("1 . . 10\n. . . .\n. . . .\n").output().unwrap();
    let all_kinds = successful_output(&format!("count 3x4 {clues} -q"));
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), all_kinds);
    let both = output_without_header(&format!("list 3x4 {clues} --format grid --limit 2"));
    assert_eq!(both.matches('\n').count(), 7, "{both}");
    assert_eq!(
        output_without_header(&format!("list 3x4 {clues} --limit 1")),
        output_without_header("find 3x4 --place 1=a3,10=d3")
    );
    assert_eq!(successful_output("count 3x4 --kind paths --place 1=a3,10=d3,9=b2"), "1\n");
    assert_eq!(successful_output("count 3x4 --kind paths --place 10=d3 --start a3"), "2\n");
    assert_eq!(successful_output("count 8x8 --place 1=a1,20=c3 --kind paths"), "0\n", "by colours, at once");
    assert_eq!(successful_output("count 5x5 --kind paths --place 1=a1"), "304\n");
    assert_eq!(successful_output("count 6x6 --kind closed --place 7=c3"), "19724\n", "two directions");
}

#[test]
fn impossible_conditions_are_refused() {
    let mut refusals = Refusals::default();
    for (arguments, names) in [
        ("count 6x6 --require a1-a2", &["--require", "a1", "a2"][..]),
        ("count 6x6 --forbid a1", &["--forbid", "a1"]),
        ("count 6x6 --require a1-z9", &["--require", "z9"]),
        ("list 6x6 --require a1-b3 --forbid b3-a1", &["--forbid", "a1-b3"]),
        ("find 6x6 --require c3-a2,c3-b1,c3-d1", &["--require", "c3", "3"]),
        ("sample 6x6 --require a1-b3-d4-c2-a1", &["--require", "cycle"]),
        ("count 5x5..6 --require a1-b3", &["--require"]),
        ("count 6x6 --require a1-b3 --symmetry rot180", &["--symmetry", "--require"]),
        ("stats 5x6 --kind open --require a1-b3", &["required", "--kind paths"]),
        ("count 6x6 --kind open --forbid a1-b3 --modulus 1009", &["open", "forbidden"]),
        ("count 6x6 --require @missing", &["--require", "@missing"]),
        ("next 6x6 --begin a1-b3-a1", &["--begin", "a1"]),
        ("next 6x6 --begin a1-a2", &["--begin", "a1", "a2"]),
        ("next 6x6 --begin zz", &["--begin", "zz"]),
        ("next 6x6 --begin a1-b3,c3-d5", &["--begin"]),
        ("next 6x6 --begin a1-b3 --forbid a1-b3", &["--begin", "a1-b3"]),
        ("count 6x6 --place 1=a1,1=b3", &["--place", "1", "a1", "b3"]),
        ("count 6x6 --place 1=a1,2=a1", &["--place", "a1", "1", "2"]),
        ("count 6x6 --place 37=a1", &["--place", "37", "36"]),
        ("count 6x6 --place a1", &["--place", "a1", "="]),
        ("count 6x6 --place 1=a1 --distinct", &["--place", "--distinct"]),
        ("count 6x6 --place 1=a1 --engine frontier", &["--place", "--engine"]),
        ("count 6x6..7 --place 1=a1", &["--place"]),
        ("count 12x12 --place 1=a1", &["--place", "128"]),
        ("list 6x6 --place 1=a1 --shard 0/2", &["--place", "--shard"]),
    ] {
        let status = if arguments.contains("missing") { 1 } else { 2 };
        refusals.run(arguments, status, names);
    }
    for (grid, names) in [
        ("1 . .\n. . .\n", &["--clues", "2", "3"][..]),
        ("1 . . .\n. . .\n. . . .\n", &["--clues", "line 2", "3", "4"]),
        ("1 x . .\n. . . .\n. . . .\n", &["--clues", "line 1", "x"]),
        (". . . .\n. . . .\n. . . .\n", &["--clues"]),
        ("1 1 . .\n. . . .\n. . . .\n", &["--clues", "1", "a3", "b3"]),
    ] {
        let status = if grid.starts_with(". .") || grid.starts_with("1 1") { 2 } else { 1 };
        refusals.run_with_input("count 3x4 --clues -", grid, status, names);
    }
    refusals.run("find 5x5 --place 1=a1,2=a2", 1, &["no tour exists"]);
    refusals.assert_snapshot("errors_conditions");
}
