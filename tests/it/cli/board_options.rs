//! Command-line options for wrapped boards, boxes, pieces, drawn boards and graph files.

use std::fs;

use super::{Refusals, assert_refusals, ktour, output_without_header, stdout_and_stderr, successful_output};
use crate::snapshot::Transcript;

/// Returns the JSON report of `check` on a text.
fn check_json(text: &str) -> serde_json::Value {
    serde_json::from_str(&output_for_input("check - --json -", text)).unwrap()
}

/// Returns the standard output of a successful command with `text` on standard input.
fn output_for_input(arguments: &str, text: &str) -> String {
    let output = ktour(arguments).write_stdin(text).output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    assert!(output.status.success(), "{arguments}: {err}");
    out
}

#[test]
fn check_reads_lists_of_all_boards() {
    for options in [
        "3x4 --wrap cols",
        "3x4 --wrap mobius --piece wazir",
        "2x5 --wrap torus --remove a1",
        "4x4 --piece king --remove b2-c3",
        "2x2x2 --piece wazir",
        "3x4 --leaper 1,2 --leaper 0,1 --remove a1-b1",
    ] {
        for format in ["squares", "grid", "csv", "ndjson"] {
            let listed = successful_output(&format!("list {options} --format {format} --limit 3"));
            let report = check_json(&listed);
            assert_eq!(report["summary"]["correct"], 3, "{options} {format}:\n{listed}{report}");
        }
    }
}

#[test]
fn removed_squares_are_reported() {
    let mut reports = Transcript::default();
    for (options, board, removed) in [
        ("4x4 --wrap torus --remove a1", ["4x4", "torus"], "a1"),
        ("2x2x3 --piece wazir --remove c1.1,c1.2", ["2x2x3", "wazir"], "c1.1 c1.2"),
        ("3x3 --piece king --remove b2", ["3x3", "king"], "b2"),
    ] {
        let tour = successful_output(&format!("list {options} --limit 1"));
        let found = check_json(&tour);
        let [title] = found["summary"]["boards"].as_object().unwrap().keys().collect::<Vec<_>>()[..] else {
            panic!("{options}: {found}")
        };
        assert!(board.iter().chain([&removed]).all(|part| title.contains(part)), "{options}: {title}");
        reports.add(&format!("list {options} --limit 1 | check -"), &output_for_input("check -", &tour));
        let rows = super::csv_rows(&successful_output(&format!("count {options} --kind paths --csv -")));
        assert_eq!(rows[0]["removed"], removed, "{options}");
        let record: serde_json::Value =
            serde_json::from_str(&successful_output(&format!("count {options} --kind paths --json -")))
                .unwrap();
        let names: Vec<&str> =
            record["removed"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
        assert_eq!(names.join(" "), removed, "{options}");
    }
    reports.assert_snapshot("boards_removed_squares");
    let graph =
        format!("count --graph {}/examples/petersen.txt --kind paths --json -", env!("CARGO_MANIFEST_DIR"));
    let record: serde_json::Value = serde_json::from_str(&successful_output(&graph)).unwrap();
    assert!(record["leaper"].is_null(), "{record}");
}

#[test]
fn list_and_draw_use_vertex_names_of_graph() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("square.txt");
    fs::write(&path, "york leeds\nleeds hull\nhull bath\nbath york\n").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(
        output_without_header(&format!("list --graph {path} --kind closed")),
        "york leeds hull bath\n"
    );
    let tour = successful_output(&format!("list --graph {path} --kind closed"));
    let mut refusals = Refusals::with_hidden_folder(dir.path());
    refusals.run_with_input("draw - --format box", &tour, 1, &["4 vertices", "SVG", "PNG"]);
    let picture = output_for_input("draw -", &tour);
    assert!(picture.contains(">york</text>") && picture.matches("<circle").count() == 4, "{picture}");
    let sheet = output_for_input("draw -", &successful_output(&format!("list --graph {path} --kind paths")));
    assert!(sheet.matches("<circle").count() == 3 * 4 && sheet.contains(">4</text>"), "{sheet}");
    assert_eq!(check_json(&tour)["summary"]["kinds"], serde_json::json!({ "closed": 1 }));
    refusals.run(&format!("list 6x6 --graph {path}"), 2, &["--graph"]);
    refusals.assert_snapshot("boards_graph");
}

#[test]
fn count_reads_graph_in_three_formats() {
    let expected = "kind    undirected  directed\nclosed           0         0\nopen           120       240\npaths          120       240\n";
    for extension in ["txt", "col", "g6"] {
        let path = format!("{}/examples/petersen.{extension}", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(successful_output(&format!("count --graph {path}")), expected, "{extension}");
        assert_eq!(successful_output(&format!("count --graph {path} --kind closed")), "0\n", "{extension}");
        assert_eq!(
            successful_output(&format!("count --graph {path} --kind paths --distinct")),
            "1\n",
            "{extension}"
        );
    }
}

#[test]
fn commands_accept_all_boards() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("petersen.txt");
    let edges: String =
        (0..5).map(|i| format!("o{i} o{}\no{i} i{i}\ni{i} i{}\n", (i + 1) % 5, (i + 2) % 5)).collect();
    fs::write(&path, edges).unwrap();
    let petersen = format!("--graph {}", path.display());
    assert_eq!(successful_output(&format!("count {petersen} --kind closed")), "0\n");
    assert_eq!(successful_output(&format!("count {petersen} --kind paths --engine frontier")), "120\n");
    assert_eq!(successful_output(&format!("count {petersen} --kind paths --distinct")), "1\n");
    assert_eq!(successful_output(&format!("count {petersen} --start o0 --end i4 --kind paths")), "4\n");
    assert_eq!(successful_output("count 4x4 --piece king --kind closed"), "2830\n");
    assert_eq!(successful_output("count 6x6 --piece wazir --kind closed"), "1072\n");
    assert_eq!(successful_output("count 4x5 --piece wazir --wrap torus --kind closed"), "2930\n");
    let rows = successful_output("count 4x3..6 --piece wazir --wrap torus --kind closed --csv -");
    let numbers: Vec<String> = super::csv_rows(&rows).iter().map(|row| row["undirected"].clone()).collect();
    assert_eq!(numbers, ["126", "1344", "2930", "28060"]);
    for board in [petersen.as_str(), "4x5 --wrap klein", "2x3x4", "12x12 --piece king", "4x6 --wrap cols"] {
        let found = check_json(&successful_output(&format!("find {board}")));
        assert_eq!((&found["summary"]["correct"], &found["fault"]), (&1.into(), &serde_json::Value::Null));
        let estimate: serde_json::Value =
            serde_json::from_str(&successful_output(&format!("estimate {board} --progress none --json -")))
                .unwrap();
        assert!(estimate["cheaper"].is_string(), "{board}: {estimate}");
    }
    let cross = dir.path().join("cross.txt");
    fs::write(&cross, "#..#\n....\n....\n#..#\n").unwrap();
    let cross = cross.display();
    let holes = successful_output("count 4x4 --remove a1,d1,a4,d4 --kind closed");
    assert_eq!(successful_output(&format!("count --shape {cross} --kind closed")), holes);
}

#[test]
fn outputs_do_not_overwrite_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring");
    let text = "a b\nb c\nc a\n";
    fs::write(&path, text).unwrap();
    let ring = path.display();
    let mut refusals = Refusals::with_hidden_folder(dir.path());
    for arguments in [
        format!("count --graph {ring} --csv {ring}"),
        format!("count --graph {ring} --json {ring}"),
        format!("count --graph {ring} --record {ring}"),
        format!("list --graph {ring} --output {ring}"),
        format!("find --graph {ring} --output {ring}"),
        format!("check {ring} --output {ring}"),
        format!("check {ring} --json {ring}"),
        format!("draw {ring} --output {ring}"),
        format!("verify --table {ring} --csv {ring}"),
        format!("count 3x4 --clues {ring} --csv {ring}"),
        format!("find 3x4 --clues {ring} -o {ring}"),
        format!("list 3x4 --clues {ring} -o {ring}"),
        format!("list 5x5 --require @{ring} -o {ring}"),
        format!("count 5x5 --forbid @{ring} --csv {ring}"),
        format!("next 5x6 --begin a1 --require @{ring} --json {ring}"),
        format!("stats 5x5 --moves-file {ring} --csv {ring}"),
        format!("rank {ring} --output {ring}"),
        format!("merge {ring} --record {ring}"),
    ] {
        refusals.run(&arguments, 2, &[path.to_str().unwrap()]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{arguments}");
    }
    refusals.assert_snapshot("boards_same_file");
}

#[test]
fn long_boxes_are_swept_along_longest_side() {
    let counts = ["60x2x2", "2x60x2", "2x2x60"].map(|board| {
        successful_output(&format!("count {board} --piece wazir --kind closed --engine frontier"))
    });
    assert!(counts[0].len() > 20 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn draw_splits_moves_across_wrapped_edges() {
    let tour = successful_output("list 3x4 --wrap cols --kind closed --limit 1");
    let picture = output_for_input("draw -", &tour);
    let line = picture.lines().find(|line| line.starts_with("<path stroke")).unwrap();
    assert!(line.matches('M').count() > 1, "{line}");
}

#[test]
fn invalid_board_options_are_rejected() {
    assert_refusals(
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
fn grids_of_boxes_separate_layers() {
    let box_options = "--piece wazir --remove a1.2";
    let grid = successful_output(&format!("find 2x2x3 {box_options} --format grid"));
    let rows: Vec<&str> = grid.lines().skip(1).collect();
    assert!(rows.iter().all(|row| row.split_whitespace().nth(3) == Some("-")), "{grid}");
    assert_eq!(rows.concat().matches('.').count(), 1, "{grid}");
    let check = ktour("check -").write_stdin(grid.clone()).output().unwrap();
    assert!(check.status.success(), "{check:?}");
    let drawn = ktour("draw - --format box").write_stdin(grid).output().unwrap();
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    let header = drawn.lines().next().unwrap();
    assert_eq!(header, "# ktour board=2x2x3 piece=0,1 remove=a1.2 kind=paths");
    // The line above the grids names each layer by its number.
    let titles = drawn.lines().nth(1).unwrap();
    let numbers: Vec<&str> = titles.split_whitespace().filter(|word| word.parse::<u32>().is_ok()).collect();
    assert!(titles.starts_with('#') && numbers == ["1", "2"], "{drawn}");
    let mut transcript = Transcript::default();
    transcript.add("find 2x2x3 --piece wazir --remove a1.2 | draw - --format box", titles);
    transcript.assert_snapshot("boards_layer_titles");
}

#[test]
fn json_record_has_wrap() {
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&successful_output(&format!("count {arguments} --json -"))).unwrap()
    };
    assert_eq!(json("3x4 --wrap klein")["wrap"], "klein");
    assert!(json("3x4").get("wrap").is_none());
}
