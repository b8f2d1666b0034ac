//! `ktour list`: every tour once, in every format, in a reproducible order.

use std::collections::BTreeSet;

use ktour::tour::{Tour, TourKind};

use super::{
    assert_refusals, first_error_line, ktour, mask_measurements, output_without_header, successful_output,
};
use crate::snapshot::Transcript;

/// Returns the lines of a list. Asserts that each is a tour, and that all are different.
fn checked_tours(arguments: &str, rectangle: &str, closed: bool) -> Vec<String> {
    let board = rectangle.parse().unwrap();
    let text = output_without_header(arguments);
    for line in text.lines() {
        let tour = Tour::from_names(&board, line.split(' ')).unwrap();
        assert!(!closed || tour.kind() == TourKind::ReEntrant, "{line}");
    }
    let different: BTreeSet<&str> = text.lines().collect();
    assert_eq!(different.len(), text.lines().count(), "{arguments}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn list_of_5x5_has_known_sizes() {
    let undirected = checked_tours("list 5x5", "5x5", false);
    assert_eq!(undirected.len(), 864);
    let directed = checked_tours("list 5x5 --directed", "5x5", false);
    assert_eq!(directed.len(), 1728);
    let distinct = checked_tours("list 5x5 --distinct", "5x5", false);
    assert_eq!(distinct.len(), 112);
    let undirected: BTreeSet<String> = undirected.into_iter().collect();
    assert!(undirected.is_subset(&directed.into_iter().collect()));
    assert!(distinct.iter().all(|tour| undirected.contains(tour)));
}

#[test]
fn closed_tours_start_at_lowest_square() {
    let tours = checked_tours("list 5x6 --kind closed", "5x6", true);
    assert_eq!(tours.len(), 8);
    assert!(tours.iter().all(|tour| tour.starts_with("a1 ")));
    let directed = output_without_header("list 5x6 --kind closed --directed");
    assert_eq!(directed.lines().count(), 16);
    assert!(tours.iter().all(|tour| directed.lines().any(|line| line == tour)));
    assert!(
        output_without_header("list 5x6 --kind closed --start c3")
            .lines()
            .all(|tour| tour.starts_with("c3 "))
    );
}

#[test]
fn moves_option_reproduces_textbook_programs() {
    // Backtracking without a rule, steps in a fixed order, from the top left corner.
    let first = "--moves 2,1_1,2_-1,2_-2,1_-2,-1_-1,-2_1,-2_2,-1 --number-from 0";
    assert_eq!(
        list_grid_8x8(first),
        " 0 59 38 33 30 17  8 63\n\
         37 34 31 60  9 62 29 16\n\
         58  1 36 39 32 27 18  7\n\
         35 48 41 26 61 10 15 28\n\
         42 57  2 49 40 23  6 19\n\
         47 50 45 54 25 20 11 14\n\
         56 43 52  3 22 13 24  5\n\
         51 46 55 44 53  4 21 12\n"
    );
    let second = "--moves -2,1_-1,2_1,2_2,1_2,-1_1,-2_-1,-2_-2,-1 --number-from 1";
    let grid = list_grid_8x8(second);
    assert!(grid.starts_with(" 1 38 55 34  3 36 19 22\n"), "{grid}");
}

/// Returns the first grid of `list 8x8` with these options. In a value, `_` stands for a space.
fn list_grid_8x8(options: &str) -> String {
    let mut command = super::ktour("list 8x8 --start a8 --limit 1 --format grid --bare");
    command.args(options.split(' ').map(|word| word.replace('_', " ")));
    let output = command.output().unwrap();
    assert!(output.status.success());
    let grid = String::from_utf8(output.stdout).unwrap();
    let mut numbers: Vec<u32> = grid.split_whitespace().map(|number| number.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) && numbers.len() == 64, "{grid}");
    grid
}

#[test]
fn list_writes_all_formats() {
    assert_eq!(output_without_header("list 3x3 --remove b2 --kind closed"), "a1 c2 a3 b1 c3 a2 c1 b3\n");
    assert_eq!(
        output_without_header("list 3x3 --remove b2 --kind closed --format grid"),
        "3 8 5\n6 . 2\n1 4 7\n"
    );
    assert_eq!(
        output_without_header("list 3x3 --remove b2 --kind closed --format grid --number-from 0"),
        "2 7 4\n5 . 1\n0 3 6\n"
    );
    assert_eq!(
        output_without_header("list 3x3 --remove b2 --kind closed --format csv"),
        "kind,squares\nclosed,a1 c2 a3 b1 c3 a2 c1 b3\n"
    );
    assert_eq!(
        output_without_header("list 3x3 --remove b2 --kind closed --format ndjson"),
        "{\"kind\":\"closed\",\"squares\":[\"a1\",\"c2\",\"a3\",\"b1\",\"c3\",\"a2\",\"c1\",\"b3\"]}\n"
    );
    assert_eq!(
        output_without_header("list 5x5 --kind closed --format csv"),
        "kind,squares\n",
        "a list without tours has the CSV header"
    );
    let board = "board=3x3 piece=1,2 remove=b2";
    let list_with_header =
        |format: &str| successful_output(&format!("list 3x3 --remove b2 --kind closed --format {format}"));
    let header = format!("# ktour {board} kind=closed\n");
    assert_eq!(list_with_header("squares"), format!("{header}a1 c2 a3 b1 c3 a2 c1 b3\n"));
    assert_eq!(list_with_header("grid"), format!("{header}3 8 5\n6 . 2\n1 4 7\n"));
    assert_eq!(
        list_with_header("csv"),
        format!("kind,squares,board\nclosed,a1 c2 a3 b1 c3 a2 c1 b3,\"{board}\"\n")
    );
    assert!(list_with_header("ndjson").ends_with(&format!("\"b3\"],\"board\":\"{board}\"}}\n")));
    assert_eq!(output_without_header("list 5x5 --kind closed"), "");
}

#[test]
fn all_formats_have_same_tours() {
    let lines = output_without_header("list 5x6 --start c3");
    let squares: Vec<&str> = lines.lines().collect();
    let csv = output_without_header("list 5x6 --start c3 --format csv");
    let csv: Vec<&str> = csv.lines().skip(1).collect();
    let json = output_without_header("list 5x6 --start c3 --format ndjson");
    let grids = output_without_header("list 5x6 --start c3 --format grid");
    let grids: Vec<&str> = grids.split("\n\n").collect();
    assert!(squares.len() > 10);
    assert_eq!((csv.len(), json.lines().count(), grids.len()), (squares.len(), squares.len(), squares.len()));
    for (((line, csv), json), grid) in squares.iter().zip(csv).zip(json.lines()).zip(grids) {
        let (kind, tour) = csv.split_once(',').unwrap();
        assert_eq!(tour, *line);
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["kind"], kind);
        let names: Vec<&str> =
            json["squares"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
        assert_eq!(names.join(" "), *line);
        let rows: Vec<Vec<usize>> = grid
            .lines()
            .map(|row| row.split_whitespace().map(|number| number.parse().unwrap()).collect())
            .collect();
        for (i, name) in names.iter().enumerate() {
            let file = usize::from(name.as_bytes()[0] - b'a');
            let rank = usize::from(name.as_bytes()[1] - b'1');
            assert_eq!(rows[4 - rank][file], i + 1);
        }
        let ends = (names[0], names[names.len() - 1]);
        assert_eq!(kind == "re-entrant", ["a2", "a4", "b1", "b5", "d1", "d5", "e2", "e4"].contains(&ends.1));
    }
}

#[test]
fn limit_option_truncates_list() {
    for format in ["squares", "csv", "ndjson", "grid"] {
        let all = output_without_header(&format!("list 5x5 --format {format}"));
        for limit in [0, 1, 2, 500, 864, 9999] {
            let limited =
                output_without_header(&format!("list 5x5 --format {format} --limit {limit} --threads 2"));
            assert!(all.starts_with(&limited), "{format} {limit}");
            let tours = match format {
                "grid" => limited.lines().filter(|line| !line.is_empty()).count() / 5,
                "csv" => limited.lines().count() - 1,
                _ => limited.lines().count(),
            };
            assert_eq!(tours, limit.min(864), "{format} {limit}");
        }
    }
    assert_eq!(
        output_without_header("list 8x8 --limit 3 --threads 1"),
        output_without_header("list 8x8 --limit 3 --threads 4")
    );
}

#[test]
fn list_length_equals_count() {
    for board in
        ["5x5", "3x8", "4x5 --remove a1,c2", "4x4 --leaper 0,1", "3x3 --remove b2", "1x1", "1x2 --leaper 0,1"]
    {
        for kind in ["closed", "open", "paths"] {
            for ends in ["", "--start a1", "--end b1", "--start b1 --end a1", "--directed"] {
                if (kind == "closed" || board == "1x1" || board.contains("a1")) && ends.contains("--end")
                    || board.contains("a1") && ends.contains("a1")
                {
                    continue;
                }
                let options = format!("{board} --kind {kind} {ends}");
                let output = super::ktour(&format!("count {options}")).output().unwrap();
                let count: usize = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
                assert_eq!(
                    output_without_header(&format!("list {options}")).lines().count(),
                    count,
                    "{options}"
                );
            }
        }
    }
    assert_eq!(
        output_without_header("list 5x5").lines().count(),
        864,
        "without --kind, the list has all paths"
    );
}

#[test]
fn list_order_is_independent_of_threads() {
    let one = output_without_header("list 5x5 --threads 1");
    for threads in [2, 3, 7] {
        assert_eq!(output_without_header(&format!("list 5x5 --threads {threads}")), one);
    }
}

#[test]
fn re_entrant_path_in_box_format_stays_path() {
    let path = successful_output("unrank 5x6 7896");
    let output_for_input = |command: &str, text: &str| {
        let output = ktour(command).write_stdin(text.to_owned()).output().unwrap();
        assert!(output.status.success(), "{command}");
        String::from_utf8(output.stdout).unwrap()
    };
    let drawn = output_for_input("draw - --format box", &path);
    let checked: serde_json::Value =
        serde_json::from_str(&output_for_input("check - --json -", &drawn)).unwrap();
    assert_eq!(checked["summary"]["kinds"], serde_json::json!({ "re-entrant": 1 }), "{drawn}");
    assert_eq!(
        output_for_input("rank - --bare", &drawn),
        output_for_input("rank - --bare", &path),
        "{drawn}"
    );
}

#[test]
fn long_list_prints_estimated_length() {
    let line = first_error_line("list 8x8 --kind closed --threads 1");
    let estimate = line.strip_prefix("ktour: list 8x8 closed: ").unwrap_or_else(|| panic!("{line}"));
    let tours = estimate.strip_prefix("probably ").and_then(|rest| rest.split_once(" tours")).unwrap().0;
    let (low, high) = tours.split_once(" to ").unwrap_or((tours, tours));
    let [low, high] = [low, high].map(|number| number.parse::<f64>().unwrap());
    // The number of undirected tours is 13,267,364,410,532.
    assert!((2e12..1.5e13).contains(&low) && (1e13..9e13).contains(&high), "{line}");
    assert!(line.contains("--limit N"), "{line}");
    let mut lines = Transcript::default();
    lines.add("list 8x8 --kind closed", &mask_measurements(&line.replace(tours, "NUMBER to NUMBER")));
    lines.assert_snapshot("list_length_note");
}

#[test]
fn shards_partition_list() {
    for options in [
        "5x5",
        "5x6 --kind closed --distinct",
        "5x5 --directed --start a1",
        "5x5 --moves 2,1_1,2_-1,2_-2,1_-2,-1_-1,-2_1,-2_2,-1",
    ] {
        let list = |more: &str| {
            let mut command = super::ktour("list --bare");
            command.args(format!("{options} {more}").split_whitespace().map(|word| word.replace('_', " ")));
            let output = command.output().unwrap();
            assert!(output.status.success(), "{options} {more}");
            String::from_utf8(output.stdout).unwrap()
        };
        let whole = list("");
        let all: Vec<&str> = whole.lines().collect();
        let mut found = Vec::new();
        for shard in 0..3 {
            let tours = list(&format!("--shard {shard}/3"));
            let positions: Vec<usize> =
                tours.lines().map(|tour| all.iter().position(|other| *other == tour).unwrap()).collect();
            assert!(positions.is_sorted(), "{options} {shard}");
            found.extend(positions);
        }
        found.sort_unstable();
        assert!(found.into_iter().eq(0..all.len()), "{options}");
    }
    assert_refusals(
        "list_shards",
        &[
            ("list 6x6 --kind closed --symmetry rot180 --shard 0/2", 2, &["--symmetry", "--shard"]),
            ("list 5x5 --shard 2/2", 2, &["--shard", "2/2", "0 <= R < M"]),
        ],
    );
}
