//! Tours with conditions: `--require`, `--forbid`, `--place`, `--clues` and `ktour next`.

use std::collections::BTreeSet;

use super::{Refusals, csv_rows, ktour, output_without_header, successful_output};

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
    let row = &csv_rows(&csv)[0];
    assert_eq!((row["required"].as_str(), row["forbidden"].as_str()), ("c3-e4", "d1-e3"), "{csv}");
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
    assert_eq!(table.lines().last(), Some("total    152"));
    // A long beginning leaves little to count on a board that cannot be counted itself.
    let tour = output_without_header("find 12x12 --seed 1");
    let beginning = tour.split_whitespace().take(140).collect::<Vec<_>>().join("-");
    let rows = rows(&format!("next 12x12 --begin {beginning}"));
    assert!(rows.iter().any(|row| !row.ends_with(" 0")), "{rows:?}");
}

#[test]
fn counts_by_pairs_of_ends_add_up_to_the_count() {
    let products = |arguments: &str| -> u64 {
        let out = successful_output(&format!("{arguments} --per-ends --csv -"));
        out.lines().skip(1).map(|row| row.split(',').nth(4).unwrap().parse::<u64>().unwrap()).sum()
    };
    for arguments in [
        "count 5x5 --kind paths",
        "count 5x5 --kind open --directed",
        "count 5x6 --kind open --require a1-b3-c5 --forbid e4-f2",
        "count 4x5 --kind paths --remove a1,c3 --engine frontier",
        "count 3x4 --kind paths --wrap torus --engine multipath",
    ] {
        assert_eq!(products(arguments).to_string(), successful_output(arguments).trim(), "{arguments}");
    }
    let csv = successful_output("count 3x4 --per-ends --csv -");
    let rows: Vec<&str> = csv.lines().skip(1).map(|row| row.split(",3x4,").next().unwrap()).collect();
    assert_eq!(rows.len(), 22, "all orbits, also those without tours: {csv}");
    let with_tours: Vec<&&str> = rows.iter().filter(|row| !row.ends_with(",0")).collect();
    assert_eq!(with_tours, [&"a1,a2,4,1,4", &"a1,d3,2,1,2", &"a2,d2,1,2,2"]);
    let table = successful_output("count 3x4 --per-ends");
    assert_eq!(table.lines().last().unwrap().split_whitespace().collect::<Vec<_>>(), ["total", "66", "8"]);
    let json = successful_output("count 3x4 --per-ends --directed --json -");
    assert!(json.contains("\"total\": \"16\"") && json.contains("\"directed\": true"), "{json}");
    let out = ktour("count 3x4 --per-ends --kind closed").output().unwrap();
    let message = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.code() == Some(2) && message.contains("--per-ends") && out.stdout.is_empty(),
        "{message}"
    );
    for excluded in ["--start a1", "--distinct", "--place 1=a1", "--shard 0/2"] {
        let out = ktour(&format!("count 3x4 --per-ends {excluded}")).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{excluded}");
    }
    assert_eq!(ktour("count 3x3..5 --per-ends").output().unwrap().status.code(), Some(2));
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

/// Puzzles of 8x8 with eight numbers and one solution each: the kind, the numbers, and the solution.
/// `examples/number_puzzles.rs` found them.
const EIGHT_NUMBER_PUZZLES: [(&str, &str, &str); 3] = [
    (
        "closed",
        "1=g5,11=g1,15=h8,23=f4,31=e5,36=f5,38=c4,50=h7",
        "g5 e4 c5 a4 b2 d1 c3 a2 c1 e2 g1 f3 h4 g6 h8 f7 h6 g4 h2 f1 e3 d5 f4 g2 e1 d3 b4 a6 b8 d7 e5 c6 \
         a7 b5 d4 f5 d6 c4 d2 b1 a3 c2 a1 b3 a5 b7 d8 e6 f8 h7 f6 g8 e7 c8 b6 a8 c7 e8 g7 h5 g3 h1 f2 h3",
    ),
    (
        "closed",
        "5=h4,15=b6,19=g1,23=e3,25=c3,33=a7,46=d1,53=f4",
        "c1 d3 e1 g2 h4 g6 h8 f7 d8 b7 d6 b5 c7 a8 b6 c4 e5 f3 g1 e2 d4 f5 e3 d5 c3 b1 a3 c2 a1 b3 a5 c6 \
         a7 c8 e7 g8 h6 g4 h2 f1 d2 e4 g3 h1 f2 d1 b2 a4 c5 e6 g5 h3 f4 h5 g7 e8 f6 h7 f8 d7 b8 a6 b4 a2",
    ),
    (
        "paths",
        "1=h6,5=f8,14=h1,19=c7,20=e6,22=g2,34=e8,38=c2",
        "h6 f7 h8 g6 f8 h7 g5 h3 g1 f3 e1 d3 f2 h1 g3 e4 c5 a6 c7 e6 f4 g2 h4 f5 d4 b5 a7 c8 e7 g8 f6 h5 \
         g7 e8 d6 c4 a3 c2 a1 b3 a5 b7 d8 c6 b8 d7 e5 g4 h2 f1 d2 b1 c3 e2 c1 a2 b4 d5 e3 d1 b2 a4 b6 a8",
    ),
];

#[test]
fn puzzles_of_8x8_with_eight_numbers_have_one_solution() {
    for (kind, numbers, solution) in EIGHT_NUMBER_PUZZLES {
        assert_eq!(numbers.split(',').count(), 8);
        let arguments = format!("8x8 --kind {kind} --place {numbers}");
        assert_eq!(successful_output(&format!("count {arguments}")), "1\n", "{arguments}");
        let found = output_without_header(&format!("list {arguments} --limit 2"));
        assert_eq!(found.trim(), solution, "{arguments}");
        // Without one of the numbers there are more solutions.
        let (fewer, _) = numbers.rsplit_once(',').unwrap();
        let found = output_without_header(&format!("list 8x8 --kind {kind} --place {fewer} --limit 2"));
        assert_eq!(found.lines().count(), 2, "{fewer}");
    }
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
