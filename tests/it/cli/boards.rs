//! Command-line options for wrapped boards, boxes, pieces, drawn boards and graph files.

use std::fs;

use super::{Refusals, answer, bare, ktour, refusals, texts};
use crate::snapshot::Transcript;

/// Returns the JSON report of `check` on a text.
fn checked(text: &str) -> serde_json::Value {
    serde_json::from_str(&reading("check - --json -", text)).unwrap()
}

/// Returns the standard output of a successful command with `text` on standard input.
fn reading(arguments: &str, text: &str) -> String {
    let output = ktour(arguments).write_stdin(text).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments}: {err}");
    out
}

#[test]
fn a_list_of_any_board_is_read_back() {
    for options in [
        "3x4 --wrap cols",
        "3x4 --wrap mobius --piece wazir",
        "2x5 --wrap torus --remove a1",
        "4x4 --piece king --remove b2-c3",
        "2x2x2 --piece wazir",
        "3x4 --leaper 1,2 --leaper 0,1 --remove a1-b1",
    ] {
        for format in ["squares", "grid", "csv", "ndjson"] {
            let listed = answer(&format!("list {options} --format {format} --limit 3"));
            let seen = checked(&listed);
            assert_eq!(seen["summary"]["tours"], 3, "{options} {format}:\n{listed}{seen}");
        }
    }
}

#[test]
fn what_is_taken_off_any_board_is_told() {
    let mut reports = Transcript::default();
    for (options, board, removed) in [
        ("4x4 --wrap torus --remove a1", ["4x4", "torus"], "a1"),
        ("2x2x3 --piece wazir --remove c1.1,c1.2", ["2x2x3", "wazir"], "c1.1 c1.2"),
        ("3x3 --piece king --remove b2", ["3x3", "king"], "b2"),
    ] {
        let tour = answer(&format!("list {options} --limit 1"));
        let found = checked(&tour);
        let [title] = found["summary"]["boards"].as_object().unwrap().keys().collect::<Vec<_>>()[..] else {
            panic!("{options}: {found}")
        };
        assert!(board.iter().chain([&removed]).all(|part| title.contains(part)), "{options}: {title}");
        reports.add(&format!("list {options} --limit 1 | check -"), &reading("check -", &tour));
        let rows = super::rows(&answer(&format!("count {options} --kind paths --csv -")));
        assert_eq!(rows[0]["removed"], removed, "{options}");
        let record: serde_json::Value =
            serde_json::from_str(&answer(&format!("count {options} --kind paths --json -"))).unwrap();
        let names: Vec<&str> =
            record["removed"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
        assert_eq!(names.join(" "), removed, "{options}");
    }
    reports.assert("boards_removed_squares");
    let graph =
        format!("count --graph {}/examples/petersen.txt --kind paths --json -", env!("CARGO_MANIFEST_DIR"));
    let record: serde_json::Value = serde_json::from_str(&answer(&graph)).unwrap();
    assert!(record["leaper"].is_null(), "{record}");
}

#[test]
fn a_graph_is_listed_by_its_names_and_drawn_by_its_edges() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("square.txt");
    fs::write(&path, "york leeds\nleeds hull\nhull bath\nbath york\n").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(bare(&format!("list --graph {path} --kind closed")), "york leeds hull bath\n");
    let tour = answer(&format!("list --graph {path} --kind closed"));
    let mut lines = Refusals::hiding(dir.path());
    lines.run_with_input("draw - --format box", &tour, 1, &["4 vertices", "SVG", "PNG"]);
    let picture = reading("draw -", &tour);
    assert!(picture.contains(">york</text>") && picture.matches("<circle").count() == 4, "{picture}");
    let sheet = reading("draw -", &answer(&format!("list --graph {path} --kind paths")));
    assert!(sheet.matches("<circle").count() == 3 * 4 && sheet.contains(">4</text>"), "{sheet}");
    assert_eq!(checked(&tour)["summary"]["kinds"], serde_json::json!({ "closed": 1 }));
    lines.run(&format!("list 6x6 --graph {path}"), 2, &["--graph"]);
    lines.assert("boards_graph");
}

#[test]
fn petersens_graph_comes_in_three_forms() {
    let expected = "kind    undirected  directed\nclosed           0         0\nopen           120       240\npaths          120       240\n";
    for form in ["txt", "col", "g6"] {
        let path = format!("{}/examples/petersen.{form}", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(answer(&format!("count --graph {path}")), expected, "{form}");
        assert_eq!(answer(&format!("count --graph {path} --kind closed")), "0\n", "{form}");
        assert_eq!(answer(&format!("count --graph {path} --kind paths --distinct")), "1\n", "{form}");
    }
}

#[test]
fn every_command_takes_every_board() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("petersen.txt");
    let edges: String =
        (0..5).map(|i| format!("o{i} o{}\no{i} i{i}\ni{i} i{}\n", (i + 1) % 5, (i + 2) % 5)).collect();
    fs::write(&path, edges).unwrap();
    let petersen = format!("--graph {}", path.display());
    assert_eq!(answer(&format!("count {petersen} --kind closed")), "0\n");
    assert_eq!(answer(&format!("count {petersen} --kind paths --engine frontier")), "120\n");
    assert_eq!(answer(&format!("count {petersen} --kind paths --distinct")), "1\n");
    assert_eq!(answer(&format!("count {petersen} --start o0 --end i4 --kind paths")), "4\n");
    assert_eq!(answer("count 4x4 --piece king --kind closed"), "2830\n");
    assert_eq!(answer("count 6x6 --piece wazir --kind closed"), "1072\n");
    assert_eq!(answer("count 4x5 --piece wazir --wrap torus --kind closed"), "2930\n");
    let rows = answer("count 4x3..6 --piece wazir --wrap torus --kind closed --csv -");
    let numbers: Vec<String> = super::rows(&rows).iter().map(|row| row["undirected"].clone()).collect();
    assert_eq!(numbers, ["126", "1344", "2930", "28060"]);
    for board in [petersen.as_str(), "6x6 --wrap klein", "3x3x4", "12x12 --piece king", "4x6 --wrap cols"] {
        let found = checked(&answer(&format!("find {board}")));
        assert_eq!((&found["summary"]["tours"], &found["fault"]), (&1.into(), &serde_json::Value::Null));
        let estimate: serde_json::Value =
            serde_json::from_str(&answer(&format!("estimate {board} --progress none --json -"))).unwrap();
        assert!(estimate["cheaper"].is_string(), "{board}: {estimate}");
    }
    let cross = dir.path().join("cross.txt");
    fs::write(&cross, "#..#\n....\n....\n#..#\n").unwrap();
    let cross = cross.display();
    let holes = answer("count 4x4 --remove a1,d1,a4,d4 --kind closed");
    assert_eq!(answer(&format!("count --shape {cross} --kind closed")), holes);
}

#[test]
fn what_is_read_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring");
    let text = "a b\nb c\nc a\n";
    fs::write(&path, text).unwrap();
    let ring = path.display();
    let mut lines = Refusals::hiding(dir.path());
    for arguments in [
        format!("count --graph {ring} --csv {ring}"),
        format!("count --graph {ring} --json {ring}"),
        format!("count --graph {ring} --record {ring}"),
        format!("list --graph {ring} --output {ring}"),
        format!("find --graph {ring} --output {ring}"),
        format!("check {ring} --output {ring}"),
        format!("check {ring} --json {ring}"),
        format!("draw {ring} --output {ring}"),
    ] {
        lines.run(&arguments, 2, &[path.to_str().unwrap()]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{arguments}");
    }
    lines.assert("boards_same_file");
}

#[test]
fn a_long_box_is_swept_along_whichever_side_it_is_long() {
    let counts = ["60x2x2", "2x60x2", "2x2x60"]
        .map(|board| answer(&format!("count {board} --piece wazir --kind closed --engine frontier")));
    assert!(counts[0].len() > 20 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn moves_over_a_seam_are_drawn_as_stubs() {
    let tour = answer("list 3x4 --wrap cols --kind closed --limit 1");
    let picture = reading("draw -", &tour);
    let line = picture.lines().find(|line| line.starts_with("<path stroke")).unwrap();
    assert!(line.matches('M').count() > 1, "{line}");
}

#[test]
fn what_is_no_board_is_refused_with_its_option() {
    refusals(
        "boards_bad_options",
        &[
            ("draw - --output tour.jpg", 2, &["tour.jpg", ".png"]),
            ("list 2x2x2 --wrap cols", 2, &["--wrap"]),
            ("list 4x4 --wrap sphere", 2, &["--wrap", "sphere"]),
            ("list 4x4 --piece night", 2, &["--piece", "night"]),
            ("list 4x4 --remove a1-", 2, &["--remove", "a1-"]),
            ("list --shape /nowhere", 1, &["--shape", "/nowhere"]),
            ("list --graph /nowhere", 1, &["--graph", "/nowhere"]),
            ("list 4x4 --piece king --moves 1,0", 2, &["--moves"]),
            ("check - --wrap cols", 2, &["--wrap", "--board"]),
            ("list", 2, &["BOARD"]),
        ],
    );
}

#[test]
fn layers_are_told_apart_in_grids_and_boxes() {
    let box_of = "--piece wazir --remove a1.2";
    let grid = answer(&format!("find 2x2x3 {box_of} --format grid"));
    let rows: Vec<&str> = grid.lines().skip(1).collect();
    assert!(rows.iter().all(|row| row.split_whitespace().nth(3) == Some("-")), "{grid}");
    assert_eq!(rows.concat().matches('.').count(), 1, "{grid}");
    let check = ktour("check -").write_stdin(grid.clone()).output().unwrap();
    assert!(check.status.success(), "{check:?}");
    let drawn = ktour("draw - --format box").write_stdin(grid).output().unwrap();
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    let header = drawn.lines().next().unwrap();
    assert_eq!(header, "# ktour board=2x2x3 piece=0,1 remove=a1.2 kind=paths");
    // The line above the grids has the number of each layer.
    let titles = drawn.lines().nth(1).unwrap();
    let numbers: Vec<&str> = titles.split_whitespace().filter(|word| word.parse::<u32>().is_ok()).collect();
    assert!(titles.starts_with('#') && numbers == ["1", "2"], "{drawn}");
    let mut titles_only = Transcript::default();
    titles_only.add("find 2x2x3 --piece wazir --remove a1.2 | draw - --format box", titles);
    titles_only.assert("boards_layer_titles");
}

#[test]
fn a_record_tells_how_edges_are_joined() {
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&answer(&format!("count {arguments} --json -"))).unwrap()
    };
    assert_eq!(json("3x4 --wrap klein")["wrap"], "klein");
    assert!(json("3x4").get("wrap").is_none());
}
