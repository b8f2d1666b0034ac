//! Pasted tours and boxes in every format, read by `check`, `draw` and `rank`.

use ktour::tour::{ReadErrorKind, TourErrorKind};

use super::{ktour, stdout_and_stderr, successful_output};
use crate::snapshot::Transcript;
use crate::tour_files::{assert_contains_all, first_fault, first_fault_on_board, has_value, is_tour_fault};

/// Returns the standard output of a command for a text, or its error line.
fn output_or_error_for_input(arguments: &str, text: &str) -> Result<String, String> {
    let output = ktour(arguments).write_stdin(text).output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    if output.status.success() { Ok(out) } else { Err(err) }
}

/// Returns the canonical forms of the tours of a text.
fn canonical_forms(options: &str, text: &str) -> Vec<String> {
    let out = output_or_error_for_input(&format!("check - --canonical {options}"), text);
    let out = out.unwrap_or_else(|error| panic!("{error}{text}"));
    out.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// Splits the number grid of a box into its layers; leaves out the header.
fn split_layers(grid: &str) -> Vec<String> {
    let rows = grid.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" - ").map(str::trim).collect()).collect();
    let number = rows[0].len();
    (0..number).map(|layer| rows.iter().map(|row| row[layer].to_owned() + "\n").collect()).collect()
}

#[test]
fn commands_read_boxes_in_all_formats() {
    for (board, removal) in
        [("2x2x3 --piece wazir", "--remove a1.1"), ("2x2x3 --piece wazir", ""), ("2x3x3 --piece 1,2+0,1", "")]
    {
        let arguments = format!("{board} {removal}");
        for source in [
            format!("list {arguments} --limit 3"),
            format!("find {arguments} --limit 2 --seed 5"),
            format!("sample {arguments} --number 2 --seed 1"),
            format!("unrank {arguments} 0 3"),
        ] {
            let output_in = |format: &str| successful_output(&format!("{source} --format {format}"));
            let lines = output_in("ndjson");
            let (expected, drawn) = (
                canonical_forms("", &lines),
                output_or_error_for_input("draw - --format box", &lines).unwrap(),
            );
            let numbers = output_or_error_for_input("rank -", &lines).unwrap();
            assert!(!expected.is_empty() && numbers.lines().count() == 1 + expected.len());
            for text in [output_in("squares"), output_in("grid"), output_in("csv"), drawn.clone()] {
                assert_eq!(canonical_forms("", &text), expected, "{source}\n{text}");
                assert_eq!(
                    canonical_forms(&format!("--board {}", arguments), &text),
                    expected,
                    "{source}\n{text}"
                );
                assert_eq!(
                    output_or_error_for_input("rank -", &text).as_ref(),
                    Ok(&numbers),
                    "{source}\n{text}"
                );
                assert_eq!(
                    output_or_error_for_input("draw - --format box", &text).as_ref(),
                    Ok(&drawn),
                    "{source}\n{text}"
                );
                assert!(output_or_error_for_input("draw - --format svg", &text).unwrap().starts_with("<svg"));
            }
            let narrow = output_or_error_for_input("draw - --format box --width 20", &lines).unwrap();
            assert_eq!(canonical_forms("", &narrow), expected, "{narrow}");
        }
    }
}

#[test]
fn reader_accepts_box_layers_in_any_layout() {
    let grid = successful_output("find 3x4x4 --format grid");
    let (header, bare) = grid.split_once('\n').unwrap();
    let (expected, layers) = (canonical_forms("--kind paths", &grid), split_layers(&grid));
    let add_titles = |title: fn(usize) -> String, separator: &str| -> String {
        layers.iter().enumerate().map(|(i, layer)| title(i + 1) + layer + separator).collect()
    };
    let separate_by_commas = |text: &str| {
        let row = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(",") + "\n";
        text.lines().map(row).collect::<String>()
    };
    let add_bars = |layer: &String| {
        layer
            .lines()
            .map(|row| format!("| {} |\n", row.split_whitespace().collect::<Vec<_>>().join(" | ")))
            .collect::<String>()
    };
    let to_array = |layer: &String| format!("[[{}]]", separate_by_commas(layer).trim().replace('\n', "], ["));
    let arrays: Vec<String> = layers.iter().map(to_array).collect();
    let no_title = |_| String::new();
    for text in [
        layers.join("\n"),
        layers.concat(),
        add_titles(|i| format!("Layer {i}:\n"), "\n"),
        add_titles(|i| format!("layer {i}\n"), ""),
        add_titles(|i| format!("# layer {i}\n\n"), "\n\n"),
        add_titles(no_title, "a b c d\n\n"),
        add_titles(no_title, "----\n"),
        separate_by_commas(&layers.join("\n")),
        layers.iter().map(add_bars).collect::<Vec<_>>().join("\n"),
        layers
            .iter()
            .map(add_bars)
            .map(|layer| format!("| a | b | c | d |\n|---|---|---|---|\n{layer}\n"))
            .collect(),
        bare.replace(" - ", " . "),
        separate_by_commas(bare).replace(",-,", ",,"),
        add_bars(&bare.to_owned()).replace("| - |", "|  |"),
        arrays.join("\n"),
        format!("[{}]", arrays.join(",\n ")),
        output_or_error_for_input("draw - --format box", &grid)
            .unwrap()
            .split_once('\n')
            .unwrap()
            .1
            .to_owned(),
        output_or_error_for_input("draw - --format box --width 40", &grid)
            .unwrap()
            .split_once('\n')
            .unwrap()
            .1
            .to_owned(),
    ] {
        for (options, text) in
            [("--board 3x4x4", text.clone()), ("", format!("{header}\n{text}")), ("", text.clone())]
        {
            // Without a header or option, the reader cannot know that these columns are removed squares.
            if options.is_empty() && text.contains(" . ") && !text.starts_with('#') {
                continue;
            }
            assert_eq!(
                canonical_forms(&format!("--kind paths {options}"), &text),
                expected,
                "{options}\n{text}"
            );
            let twice = format!("{text}\n\n{text}");
            if options.is_empty() == text.starts_with('#') {
                assert_eq!(
                    canonical_forms(&format!("--kind paths {options}"), &twice).len(),
                    2,
                    "{options}\n{twice}"
                );
            }
        }
    }
    assert_eq!(
        canonical_forms("--board 3x4x4 --kind paths", &bare.replace(" - ", " ")),
        expected,
        "layers without a separator"
    );
}

#[test]
fn reader_reports_missing_or_wrong_layers() {
    let grid = successful_output("find 3x4x4 --format grid");
    let (header, _) = grid.split_once('\n').unwrap();
    let layers = split_layers(&grid);
    let two_layers = layers[..2].join("\n");
    let error = |options: &str, text: &str| {
        output_or_error_for_input(&format!("check - {options}"), text).unwrap_err()
    };
    const BOX: &str = "board=3x4x4 piece=1,2 remove=-";
    let mut transcript = Transcript::default();
    let lines = [error("--board 3x4x4", &two_layers), error("", &format!("{header}\n{two_layers}"))];
    for (line, number) in lines.iter().zip(["line 1", "line 2"]) {
        assert_contains_all(line, &[number, "2", "3", "3x4x4"]);
        transcript.add("2 of 3 layers", line);
    }
    let missing = first_fault_on_board(BOX, &two_layers);
    assert!(matches!(missing.kind, ReadErrorKind::MissingLayers { found: 2, layers: 3, .. }), "{missing:?}");
    // Without a header or option for a box, the text is a board with a number that is too large.
    for text in [two_layers.clone(), format!("{two_layers}\n1 2\n3 4\n")] {
        let line = error("", &text);
        assert_contains_all(&line, &["16"]);
        assert!(
            matches!(first_fault(&text).kind, ReadErrorKind::NumberTooLarge { squares: 16, .. }),
            "{line}"
        );
        transcript.add("without a word of a box", &line);
    }
    let repeated = format!("{two_layers}\n{}", layers[0]);
    let line = error("", &repeated);
    assert_contains_all(&line, &["a4.3", "a4.1"]);
    assert!(matches!(first_fault(&repeated).kind, ReadErrorKind::RepeatedNumber { .. }), "{line}");
    transcript.add("a layer twice", &line);
    assert!(
        output_or_error_for_input("check -", "1\n4\n7\n10\n12\n9\n2\n5\n3\n6\n11\n8\n").is_err(),
        "a single column is not a box"
    );
    let faulty = layers.join("\n").replacen("48", "47", 1);
    let line = error("--board 3x4x4", &faulty);
    assert_contains_all(&line, &["47", "a3.1"]);
    let repeated_number = first_fault_on_board(BOX, &faulty);
    assert!(
        matches!(repeated_number.kind, ReadErrorKind::RepeatedNumber { number: 47, .. }),
        "{repeated_number:?}"
    );
    transcript.add("a number twice", &line);
    transcript.assert_snapshot("errors_layers");
}

#[test]
fn reader_accepts_one_square_per_line() {
    let names = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2";
    let squares: Vec<&str> = names.split(' ').collect();
    let expected = canonical_forms("", names);
    let write_squares = |line: &dyn Fn(usize, &str) -> String| -> String {
        squares.iter().enumerate().map(|(i, square)| line(i + 1, square) + "\n").collect()
    };
    let write_pairs = |line: &dyn Fn(usize, &str, &str) -> String| -> String {
        squares.chunks(2).enumerate().map(|(i, pair)| line(i + 1, pair[0], pair[1]) + "\n").collect()
    };
    let write_moves = |line: &dyn Fn(usize, &str, &str) -> String| -> String {
        squares.windows(2).enumerate().map(|(i, pair)| line(i + 1, pair[0], pair[1]) + "\n").collect()
    };
    let texts = [
        write_squares(&|_, square| square.to_owned()),
        write_squares(&|i, square| format!("{i}. {square}")),
        write_squares(&|i, square| format!("{i} {square}")),
        write_squares(&|i, square| format!("{i},{square}")),
        write_squares(&|i, square| format!("{i}) N{square}")),
        write_pairs(&|_, a, b| format!("{a} {b}")),
        write_pairs(&|i, a, b| format!("{i}. {a} {b}")),
        write_moves(&|_, a, b| format!("{a}-{b}")),
        write_moves(&|i, a, b| format!("{i}. {a} {b}")),
        squares.chunks(5).map(|row| row.join(" ") + "\n").collect(),
    ];
    for text in &texts {
        for options in ["", "--board 3x4"] {
            assert_eq!(canonical_forms(options, text), expected, "{options}\n{text}");
            let twice = [expected.clone(), expected.clone()].concat();
            assert_eq!(canonical_forms(options, &format!("{text}\n{text}")), twice, "{options}\n{text}");
        }
        assert_eq!(
            canonical_forms("--board 3x4", &text.repeat(2)).len(),
            2,
            "no blank line between tours\n{text}"
        );
    }
    // Moves that lead back to the first square make a closed tour.
    let found = successful_output("find 6x6 --closed --bare");
    let closed: Vec<&str> = found.split_whitespace().collect();
    let moves_back = closed
        .iter()
        .zip(closed.iter().cycle().skip(1))
        .map(|(a, b)| format!("{a} {b}\n"))
        .collect::<String>();
    for options in ["", "--board 6x6", "--board 6x6 --kind closed"] {
        assert_eq!(canonical_forms(options, &moves_back), canonical_forms("", &found), "{options}");
    }
    // Vertices of a wrapped board, one per line; tours on separate lines remain separate.
    let torus = successful_output("list 3x3 --wrap torus --limit 2");
    let (header, tours) = torus.split_once('\n').unwrap();
    let one_per_line = tours.replace('\n', "\n\n").replace(' ', "\n");
    assert_eq!(canonical_forms("", &format!("{header}\n{one_per_line}")), canonical_forms("", &torus));
    let text = format!("{names}\na3 c2 a1 b3\na3 c2 a1\n");
    let error = output_or_error_for_input("check -", &text).unwrap_err();
    assert_contains_all(&error, &["line 2", "4", "12"]);
    let incomplete = |reason: &TourErrorKind| matches!(reason, TourErrorKind::Incomplete { visited: 4, .. });
    assert!(is_tour_fault(&first_fault(&text).kind, incomplete), "{error}");
}

#[test]
fn reader_ignores_array_declarations() {
    let rows = "{{1,4,7,10},{12,9,2,5},{3,6,11,8}}";
    let expected = canonical_forms("", "1 4 7 10\n12 9 2 5\n3 6 11 8\n");
    for text in [
        format!("{rows};"),
        format!("{rows}\n;\n"),
        format!("{}\n,\n", rows.replace("},", "},\n ")),
        format!("int tour[3][4] = {};\n", rows.replace("},", "},\n ")),
        format!("tour = {}\n", rows.replace('{', "[").replace('}', "]")),
    ] {
        assert_eq!(canonical_forms("", &text), expected, "{text}");
    }
}

#[test]
fn reader_accepts_flat_numbers_on_known_board() {
    let list = "1 4 7 10 12 9 2 5 3 6 11 8";
    let expected = canonical_forms("", "1 4 7 10\n12 9 2 5\n3 6 11 8\n");
    let texts = [
        list.to_owned(),
        format!("[{}]", list.replace(' ', ", ")),
        list.replace(' ', "\n"),
        list.replace(' ', ","),
    ];
    let mut transcript = Transcript::default();
    for text in texts {
        assert_eq!(canonical_forms("--board 3x4", &text), expected, "{text}");
        assert_eq!(
            canonical_forms("", &format!("# ktour board=3x4 piece=1,2 remove=- kind=open\n{text}")),
            expected,
            "{text}"
        );
        let error = output_or_error_for_input("check -", &text).unwrap_err();
        assert_contains_all(&error, &["12", "--board"]);
        assert!(
            matches!(first_fault(&text).kind, ReadErrorKind::NumberListWithoutBoard { numbers: 12 }),
            "{error}"
        );
        transcript.add(&format!("{text:?}"), &error);
    }
    assert_eq!(canonical_forms("--board 3x4 --wrap cols --kind paths", list).len(), 1);
    // A list of the square visited at each step, instead of the step of each square.
    let visits = "1 7 9 2 8 10 3 5 11 4 6 12";
    let error = output_or_error_for_input("check - --board 3x4", visits).unwrap_err();
    assert_contains_all(&error, &["12", "3x4"]);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        matches!(first_fault_on_board("3x4", visits).kind, ReadErrorKind::NumberList { numbers: 12, .. }),
        "{error}"
    );
    transcript.add(&format!("--board 3x4, {visits:?}"), &error);
    transcript.assert_snapshot("errors_lists_of_numbers");
    assert_eq!(
        canonical_forms("--piece wazir", "1 2 3 4"),
        ["a1 b1 c1 d1"],
        "one row of numbers is a board of one row"
    );
}

#[test]
fn reader_ignores_titles_above_tours() {
    let torus = successful_output("list 3x3 --wrap torus --limit 1");
    let (header, tours) = torus.split_once('\n').unwrap();
    let titled = format!("{header}\nA tour of the torus:\n{tours}");
    assert_eq!(canonical_forms("", &titled), canonical_forms("", &torus));
    assert_eq!(output_or_error_for_input("rank -", &titled), output_or_error_for_input("rank -", &torus));
    assert_eq!(canonical_forms("--board 3x3 --wrap torus", &titled), canonical_forms("", &torus));
    // A tour with one wrong name is a fault, not a title.
    let faulty = format!("{header}\n{}", tours.replacen("a1", "a9", 1));
    assert!(output_or_error_for_input("check -", &faulty).unwrap_err().contains("a9"));
}

#[test]
fn stats_distinguish_start_and_end_squares() {
    let labels = |arguments: &str| -> Vec<String> {
        let text = successful_output(&format!("stats 3x4 {arguments} --csv -"));
        let rows = text.lines().filter(|row| row.starts_with("start,") || row.starts_with("end,"));
        rows.map(|row| row.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert!(labels("").iter().all(|label| label.starts_with("end ")));
    let from = labels("--start a1");
    assert!(from[0] == "start a1" && from[1..].iter().all(|label| label.starts_with("end ")), "{from:?}");
    let to = labels("--end a1");
    assert!(to[0] == "end a1" && to[1..].iter().all(|label| label.starts_with("start ")), "{to:?}");
    let one = successful_output("stats 1x1");
    assert_contains_all(one.lines().next().unwrap(), &["1x1", "paths", "1 "]);
    let mut transcript = Transcript::default();
    transcript.add("stats 1x1", &one);
    transcript.assert_snapshot("stats_of_one_square");
}

#[test]
fn reader_reports_line_of_faults_in_pasted_text() {
    let error = |options: &str, text: &str| {
        output_or_error_for_input(&format!("check - {options}"), text).unwrap_err()
    };
    let complete = "3 6\n2 7\n\n4 5\n1 8\n";
    assert_eq!(canonical_forms("--piece wazir", complete).len(), 1);
    let mut transcript = Transcript::default();
    // A row below a complete box is a fault.
    for (row, name) in [("9\n", "1"), ("9 9 9\n", "3"), ("9 x\n", "`9 x`")] {
        let error = error("--piece wazir", &format!("{complete}{row}"));
        assert_contains_all(&error, &["line 6:", name]);
        transcript.add(&format!("{:?}", format!("{complete}{row}")), &error);
    }
    let arrays = error("--piece wazir", "[[3,6],[2,7]]\n[[4,5],[1,8],\n[9]]\n");
    assert_contains_all(&arrays, &["line 3:", "1"]);
    transcript.add("an array below a box", &arrays);
    // These are two boards, not a box with two layers.
    let good = "1 4 7 10\n12 9 2 5\n3 6 11 8\n";
    let faulty = good.replace("10", "15");
    for below in [good, "1 4 7 10\n12 9 2\n", "[[1,4,7,10],[12,9,2,5],[3,6,11,8]]\n"] {
        let text = format!("{faulty}\n{below}");
        let error = error("", &text);
        assert_contains_all(&error, &["line 1:", "15", "d3", "12"]);
        let found = first_fault(&text);
        assert!(
            matches!(found.kind, ReadErrorKind::NumberTooLarge { number: 15, squares: 12, .. }),
            "{found:?}"
        );
        transcript.add(&format!("{text:?}"), &error);
    }
    let twice = error("--piece wazir", "3 6\n2 7\n\n4 5\n1 7\n");
    assert_contains_all(&twice, &["line 5:", "7", "b1.2", "b1.1"]);
    transcript.add("a number in two layers", &twice);
    // Empty columns on both sides, as spreadsheets write them.
    let wide: String = good.lines().map(|row| format!(",,{},,,\n", row.replace(' ', ","))).collect();
    assert_eq!(canonical_forms("", &wide), canonical_forms("", good));

    let tour = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2";
    for options in ["", "--board 3x4"] {
        let error_after =
            |from: &str, to: &str| error(options, &tour.replacen(from, to, 1).replace(' ', "\n"));
        for (from, to, names) in [
            (" c3 d1", " c3 a1 b3 d1", &["line 8:", "8", "a1"][..]),
            (" c2 a1", " c2 a3", &["line 3:", "3", "a3"]),
            (" c3 d1", " d1 c3", &["line 7:", "6", "b1", "d1"]),
        ] {
            let line = error_after(from, to);
            assert_contains_all(&line, names);
            transcript.add(&format!("check - {options},{to} for{from}"), &line);
        }
    }
    transcript.assert_snapshot("errors_pasted_lines");
    // A column that ends with its first square is closed, unless the next tour begins there.
    let found = successful_output("find 6x6 --closed --bare");
    let closed = found.trim().replace(' ', "\n");
    let first = found.split(' ').next().unwrap();
    let squares: Vec<&str> = found.trim().split(' ').collect();
    let pairs: String = squares.chunks(5).map(|row| row.join(" ") + "\n").collect();
    for options in ["", "--board 6x6"] {
        for repeated in [
            format!("{closed}\n{first}\n"),
            format!("{closed}\n{first}\n\n"),
            format!("{} {first}\n", pairs.trim()),
        ] {
            assert_eq!(
                canonical_forms(options, &repeated),
                canonical_forms("", &found),
                "{options}\n{repeated}"
            );
        }
        assert_eq!(canonical_forms(options, &format!("{closed}\n{closed}\n")).len(), 2, "{options}");
    }
}

#[test]
fn reader_accepts_square_notations_on_all_boards() {
    for arguments in
        ["5x5 --wrap torus", "4x4 --wrap cols --piece king", "3x4x2", "2x2x3 --piece wazir", "5x6"]
    {
        let found = successful_output(&format!("find {arguments} --seed 3 --format squares"));
        let (header, line) = found.trim_end().split_once('\n').unwrap();
        let expected = canonical_forms("", &found);
        let names: Vec<&str> = line.split(' ').collect();
        let write_all = |write: &dyn Fn(usize, &str) -> String, separator: &str| {
            let all: Vec<String> = (1..).zip(&names).map(|(number, name)| write(number, name)).collect();
            all.join(separator)
        };
        for text in [
            write_all(&|_, name| name.to_owned(), "-"),
            write_all(&|_, name| name.to_owned(), " -> "),
            write_all(&|_, name| format!("N{name}"), " "),
            write_all(&|number, name| format!("{number}. {name}"), " "),
            write_all(&|number, name| format!("{number}.N{name}"), " "),
            write_all(&|number, name| format!("{number}) {name}"), ", "),
            write_all(&|number, name| format!("{number} {name}"), "\n"),
            write_all(&|number, name| format!("{number}, {name}"), "\n"),
            write_all(&|_, name| format!("\"{name}\","), "\n"),
            format!("[{}]", write_all(&|_, name| format!("'{name}'"), ", ")),
            format!("step,square,note\n{}", write_all(&|number, name| format!("{number},{name},"), "\n")),
            format!("Square;n\n{}", write_all(&|number, name| format!("{name};{number}"), "\n")),
            format!(
                "\"n\"\t\"square\"\n{}",
                write_all(&|number, name| format!("{number}\t\"{name}\""), "\n")
            ),
        ] {
            assert_eq!(canonical_forms("", &format!("{header}\n{text}\n")), expected, "{arguments}\n{text}");
            assert_eq!(
                canonical_forms(&format!("--board {arguments} --kind paths"), &text),
                expected,
                "{arguments}\n{text}"
            );
        }
        let faulty =
            write_all(&|number, name| if number == 3 { "Nz9x".to_owned() } else { format!("N{name}") }, " ");
        let error = output_or_error_for_input("check -", &format!("{header}\n{faulty}")).unwrap_err();
        assert_contains_all(&error, &["line 2:", "`Nz9x`"]);
    }
}

#[test]
fn reader_accepts_printed_arrays_and_tables() {
    let rows = ["1 4 7 10", "12 9 2 5", "3 6 11 8"];
    let rows_with = |separator: &str| rows.map(|row| row.replace(' ', separator));
    let arrays = rows_with(", ").join("],\n       [");
    let expected = canonical_forms("", &rows.join("\n"));
    assert_eq!(expected.len(), 1);
    for text in [
        format!("array([[{arrays}]])"),
        format!("array([[{arrays}]], dtype=int32)"),
        format!("tour = np.array([[{arrays}]], dtype=np.uint8)"),
        format!("array([[{arrays}]],\n      dtype='<u2')"),
        format!("[{}]", rows.map(|row| format!("({})", row.replace(' ', ", "))).join(", ")),
        format!("numpy.array([[{arrays}]])\n\n"),
        rows_with(";").join("\n"),
        rows_with("; ").join(";\n") + ";",
    ] {
        assert_eq!(canonical_forms("", &text), expected, "{text}");
    }
    // Pairs that are the coordinates of no tour.
    for (text, line) in [
        ("[(0, 0), (1, 2), (2, 0)]", 1),
        ("[[(0,0),(1,2)]]", 1),
        ("(0,0),(1,2),(2,0)", 1),
        ("n,row,col,comment\n1,0,0,", 2),
    ] {
        for options in ["", "--board 3x4"] {
            let error = output_or_error_for_input(&format!("check - {options}"), text).unwrap_err();
            assert_contains_all(&error, &[&format!("line {line}:")]);
        }
        for found in [first_fault(text), first_fault_on_board("3x4", text)] {
            let is_coordinates = matches!(found.kind, ReadErrorKind::Coordinates(_));
            assert!(found.line == line && is_coordinates, "{text} {found:?}");
        }
    }
    let text = "step,square\n1,a1\n2,\n";
    assert_contains_all(&output_or_error_for_input("check -", text).unwrap_err(), &["line 3:", "2"]);
    assert!(matches!(first_fault(text).kind, ReadErrorKind::RowWithoutSquare { column: 2, columns: 2 }));
    // A title is not the header of a table.
    assert_eq!(canonical_forms("", &format!("square, 3x4\n{}", rows_with(",").join("\n"))), expected);
    assert!(
        output_or_error_for_input("check -", "array([[1, 4], [3, 2]]) + 1").unwrap_err().contains("line 1: ")
    );
}

#[test]
fn reader_accepts_any_vertex_names() {
    let folder = tempfile::tempdir().unwrap();
    let graph = |name: &str, edges: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, edges).unwrap();
        format!("--graph {}", path.display())
    };
    let (letters, numbers) =
        (graph("letters", "a b\nb c\nc d-e\nd-e a\n"), graph("numbers", "1 2\n2 3\n3 4\n4 1\n"));
    let check =
        |graph: &str, text: &str| output_or_error_for_input(&format!("check - --kind paths {graph}"), text);
    for text in ["a b c d-e", "a-b-c d-e", "a -> b -> c -> d-e", "1 a b c d-e"] {
        assert!(has_value(&check(&letters, text).unwrap(), "re-entrant"), "{text}");
    }
    for text in ["1 2 3 4", "1-2-3-4"] {
        assert!(has_value(&check(&numbers, text).unwrap(), "re-entrant"), "{text}");
    }
    // A number may be a vertex name, so it is not skipped as a move number.
    for (graph, text, faulty) in
        [(&letters, "a b c d-f", "d-f"), (&letters, "a b c d-e 5)", "5)"), (&numbers, "1 2 3 4 9)", "9)")]
    {
        let error = check(graph, text).unwrap_err();
        assert!(error.contains("line 1: ") && error.contains(faulty), "{text}: {error}");
    }
}

#[test]
fn reader_rejects_faulty_tours_that_look_like_titles() {
    let good = "d2-b1-a3-c2-a1-b3-c1-a2-c3-d1-b2-d3";
    let grid = " 3  6  9 12\n 8 11  4  1\n 5  2  7 10";
    let expected = canonical_forms("", good);
    for faulty in [
        good.replace("c2", "cc"),
        good.replace("d1-b2-d3", "d1b2d"),
        good.replace('-', "").replace("c2", "cc"),
        good.replace('-', "").replacen("d2", "dz", 1),
        good.replace('-', ">").replace("c2", "cc"),
        good.split('-').map(|name| format!("({name})")).collect::<String>().replace("c2", "cc"),
    ] {
        for below in [good, grid] {
            let error = output_or_error_for_input("check -", &format!("{faulty}\n{below}\n")).unwrap_err();
            assert!(error.contains("line 1: "), "{faulty}: {error}");
        }
    }
    for separator in ["_", "/", ".", "; ", " | "] {
        assert_eq!(canonical_forms("", &good.replace('-', separator)), expected, "{separator}");
    }
    for title in ["A tour from d2 to d3", "Tour 1 of 30:", "3x4, by Euler (1759)"] {
        assert_eq!(canonical_forms("", &format!("{title}\n{good}\n")), expected, "{title}");
    }
    // Rows with blank lines between them form one grid.
    let spaced = grid.replace('\n', "\n\n");
    for (options, text) in [
        ("", &spaced),
        ("--board 3x4", &spaced),
        ("--board 3x4", &format!("{spaced}\n\n{grid}")),
        ("", &grid.replacen('\n', "\n\n", 1)),
    ] {
        let found = canonical_forms(options, text);
        assert!(!found.is_empty() && found.iter().all(|form| *form == expected[0]), "{text}");
        assert_eq!(found.len(), 1 + usize::from(text.len() > 60), "{text}");
    }
    for empty in ["|", "  2| ", "|   |   |", ". .\n. .\n"] {
        let error = output_or_error_for_input("check -", empty).unwrap_err();
        assert_contains_all(&error, &["line 1:"]);
        assert!(matches!(first_fault(empty).kind, ReadErrorKind::EmptyGrid), "{empty}: {error}");
    }
    // Columns other than the squares may contain quotes; bars may separate columns.
    let write_rows = |write: fn(&str) -> String| good.split('-').map(write).collect::<String>();
    for text in [
        format!("note,square\n{}", write_rows(|name| format!("\"x, a1\",{name}\n"))),
        format!("| move | square |\n|---|---|\n{}", write_rows(|name| format!("| 1 | {name} |\n"))),
    ] {
        assert_eq!(canonical_forms("", &text), expected, "{text}");
    }
    // Many programs repeat the first square of a closed tour at its end.
    let closed = successful_output("find 5x6 --closed --seed 2 --bare");
    let first = closed.split(' ').next().unwrap();
    let closing = format!("{} {first}", closed.trim()).replace(' ', "-");
    assert_eq!(canonical_forms("", &closing), canonical_forms("--kind closed", &closed));
    assert!(has_value(&output_or_error_for_input("check - --kind closed", &closing).unwrap(), "closed"));
    let error = output_or_error_for_input("check -", &closing.replacen('-', "-a1-", 2)).unwrap_err();
    assert!(error.contains("line 1: "), "{error}");
}

#[test]
fn csv_and_json_of_find_and_sample_name_board_and_kind() {
    let read = |command: &str, text: &str| {
        let output = ktour(command).write_stdin(text.to_owned()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for arguments in [
        "find 6x6",
        "find 6x6 --kind closed",
        "find 4x5 --piece king --limit 2",
        "find 4x5 --wrap torus --kind closed",
        "sample 5x5 --piece wazir --seed 1 --number 3",
        "sample 5x6 --kind closed --seed 1",
        "sample 5x6 --seed 2 --number 5",
    ] {
        let (csv, list) = (format!("{arguments} --csv -"), format!("{arguments} --format csv"));
        let json = format!("{arguments} --json -");
        for command in ["rank - --bare", "check -"] {
            let (from_json, notes) = read(command, &successful_output(&json));
            let (from_list, _) = read(command, &successful_output(&list));
            assert_eq!((from_json, notes.as_str()), (from_list, ""), "{json} | {command}");
        }
        for command in ["rank - --bare", "check - --csv -"] {
            let (from_csv, notes) = read(command, &successful_output(&csv));
            let (from_list, _) = read(command, &successful_output(&list));
            assert_eq!(from_csv, from_list, "{csv} | {command}");
            assert_eq!(notes, "", "{csv} | {command}");
            assert!(!from_csv.is_empty(), "{csv} | {command}");
        }
    }
}

#[test]
fn one_tour_of_json_is_read() {
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("find 6x6 --closed --json -")).unwrap();
    assert_eq!(
        (&json["board"], &json["board_text"]),
        (&"6x6".into(), &"board=6x6 piece=1,2 remove=-".into())
    );
    let output = ktour("check -").write_stdin(json["tours"][0].to_string()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("6x6") && text.contains("closed"), "{text}");
}

/// Returns what `check -` prints for `text`, or its error.
fn check_text(text: &str, more: &str) -> Result<String, String> {
    let output = ktour(&format!("check - {more}")).write_stdin(text.to_owned()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    if output.status.success() { Ok(out) } else { Err(err) }
}

#[test]
fn result_on_one_line_is_read() {
    for arguments in
        ["find 6x6", "sample 5x5 --piece king --seed 3 --number 2", "find 6x6 --closed --limit 2"]
    {
        let text = successful_output(&format!("{arguments} --json -"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(check_text(&json.to_string(), ""), check_text(&text, ""), "{arguments}");
    }
}

#[test]
fn result_of_graph_is_read() {
    for edges in ["a b\nb c\nc d\nd a\na c\n", "0 1\n1 2\n2 3\n3 0\n"] {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), edges).unwrap();
        let graph = format!("--graph {}", file.path().display());
        let text = successful_output(&format!("find {graph} --limit 2 --json -"));
        for more in ["", graph.as_str()] {
            let checked = check_text(&text, more).unwrap();
            assert!(checked.contains('2'), "{checked}");
        }
    }
}

#[test]
fn results_of_different_sets_in_one_list_are_refused() {
    let [plain, torus] = ["4x5", "4x5 --wrap torus"]
        .map(|board| successful_output(&format!("find {board} --json -")).trim_end().to_owned());
    let both = format!("[{plain},\n{torus}]");
    assert!(check_text(&both, "").unwrap_err().contains("different boards or kinds"));
    assert!(check_text(&format!("[{plain},\n{plain}]"), "").is_ok());
}

/// Asserts that `check` refuses the output of a command as a result without tours.
#[track_caller]
fn assert_is_result_without_tours(command: &str, text: &str) {
    let error = check_text(text, "").unwrap_err();
    let is_named =
        error.contains("is a result without the squares of tours") && error.contains("; give tours");
    assert!(error.lines().count() == 1 && is_named, "{command}: {error}");
}

#[test]
fn results_without_tours_are_refused_by_name() {
    for command in [
        "stats 5x6",
        "stats 5x6 --closed --pairs",
        "stats 5x6 --closed --histogram steep",
        "next 5x5 --begin a1",
        "count 5x5 --per-ends",
        "count 5x5 --kind paths",
    ] {
        let text = successful_output(&format!("{command} --json -"));
        assert_is_result_without_tours(command, &text);
    }
    // The tours of these results have no squares, and may look like moves from the start to the end.
    let tours = successful_output("list 5x5 --limit 2");
    for command in ["check", "rank"] {
        for format in ["--csv", "--json"] {
            let command = format!("{command} {format} -");
            let output = ktour(&command).write_stdin(tours.clone()).output().unwrap();
            assert_is_result_without_tours(&command, &String::from_utf8(output.stdout).unwrap());
        }
    }
    for command in ["stats 5x5 --csv -", "count 5x5 --csv -", "count 5x5 --per-ends --csv -"] {
        assert_is_result_without_tours(command, &successful_output(command));
    }
}

#[test]
fn rank_refuses_numbers_of_other_tours() {
    for arguments in ["sample 5x5 --start a1 --seed 3", "sample 5x5 --require a1-b3 --seed 3"] {
        for format in ["--csv -", "--json -"] {
            let text = successful_output(&format!("{arguments} {format}"));
            let output = ktour("rank -").write_stdin(text).output().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && error.contains("numbers of plan"), "{error}");
        }
    }
}

#[test]
fn sample_without_tours_prints_no_half_result() {
    let output = ktour("sample 4x4 --json -").output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
}
