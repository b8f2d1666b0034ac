//! Boards whose edges are joined, boxes, pieces, drawn boards and graph files on the command line.

use std::fs;

use super::{answer, bare, ktour, texts};

/// What a command prints when it reads some text.
fn reading(arguments: &str, text: &str) -> String {
    let output = ktour(arguments).write_stdin(text).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments}: {err}");
    out
}

/// The one line with which a command fails that reads some text.
fn refusing(arguments: &str, text: &str) -> String {
    let output = ktour(arguments).write_stdin(text).output().unwrap();
    let (_, err) = texts(&output);
    assert!(!output.status.success() && err.lines().count() == 1, "{arguments}: {err}");
    err
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
            let seen = reading("check -", &listed);
            assert!(seen.contains("tours      3\n"), "{options} {format}:\n{listed}{seen}");
        }
    }
}

#[test]
fn what_is_taken_off_any_board_is_told() {
    for (options, board, removed) in [
        ("4x4 --wrap torus --remove a1", "4x4 torus without a1", "a1"),
        ("2x2x3 --piece wazir --remove c1.1,c1.2", "2x2x3 without c1.1 c1.2 (wazir)", "c1.1 c1.2"),
        ("3x3 --piece king --remove b2", "3x3 without b2 (king)", "b2"),
    ] {
        let seen = reading("check -", &answer(&format!("list {options} --limit 1")));
        assert!(seen.contains(&format!("board      {board}\n")), "{options}: {seen}");
        let rows = super::rows(&answer(&format!("count {options} --kind paths --csv -")));
        assert_eq!(rows[0]["removed"], removed, "{options}");
        let record: serde_json::Value =
            serde_json::from_str(&answer(&format!("count {options} --kind paths --json -"))).unwrap();
        let names: Vec<&str> =
            record["removed"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
        assert_eq!(names.join(" "), removed, "{options}");
    }
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
    assert!(refusing("draw - --format box", &tour).contains("has no layout"));
    let picture = reading("draw -", &tour);
    assert!(picture.contains(">york</text>") && picture.matches("<circle").count() == 4, "{picture}");
    let sheet = reading("draw -", &answer(&format!("list --graph {path} --kind paths")));
    assert!(sheet.matches("<circle").count() == 3 * 4 && sheet.contains(">4</text>"), "{sheet}");
    assert!(reading("check -", &tour).contains("closed"));
    assert!(refusing(&format!("list 6x6 --graph {path}"), "").contains("--graph"));
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
        let found = answer(&format!("find {board}"));
        assert!(reading("check -", &found).contains("valid") || reading("check -", &found).contains("tours"));
        assert!(answer(&format!("estimate {board} --progress none")).contains("cheaper"), "{board}");
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
        assert!(refusing(&arguments, "").contains("name the same file"), "{arguments}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{arguments}");
    }
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
    for (arguments, says) in [
        ("draw - --output tour.jpg", ".png"),
        ("list 2x2x2 --wrap cols", "--wrap"),
        ("list 4x4 --wrap sphere", "--wrap"),
        ("list 4x4 --piece night", "--piece"),
        ("list 4x4 --remove a1-", "--remove"),
        ("list --shape /nowhere", "--shape"),
        ("list --graph /nowhere", "--graph"),
        ("list 4x4 --piece king --moves 1,0", "--moves"),
        ("check - --wrap cols", "--board"),
        ("list", "BOARD"),
    ] {
        let error = refusing(arguments, "");
        assert!(error.contains(says), "{arguments}: {error}");
    }
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
    let (header, table) = drawn.split_once('\n').unwrap();
    assert_eq!(header, "# ktour board=2x2x3 piece=0,1 remove=a1.2 kind=paths");
    assert!(table.starts_with("#  layer 1             layer 2\n"), "{drawn}");
}

#[test]
fn a_record_tells_how_edges_are_joined() {
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&answer(&format!("count {arguments} --json -"))).unwrap()
    };
    assert_eq!(json("3x4 --wrap klein")["wrap"], "klein");
    assert!(json("3x4").get("wrap").is_none());
}
