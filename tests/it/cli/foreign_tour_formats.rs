//! Tours as other programs print them and as people paste them. The reader accepts clear notations and
//! rejects ambiguous ones.

use ktour::tour::{ReadErrorKind, ReadOptions, TourErrorKind, TourReader};

use super::{ERROR_PREFIX, Refusals, ktour, stdout_and_stderr, successful_output};
use crate::snapshot::Transcript;
use crate::tour_files::{FaultPredicate, assert_contains_all, first_fault, is_tour_fault};

/// A tour of 3x4: its squares, and its grid.
const SQUARES: [&str; 12] = ["a3", "c2", "a1", "b3", "d2", "b1", "c3", "d1", "b2", "d3", "c1", "a2"];
const GRID: [[u32; 4]; 3] = [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]];

/// Returns the canonical forms of the tours of a text, or the error lines of `check`.
fn canonical_forms(options: &str, text: &str) -> Result<Vec<String>, String> {
    let output = ktour(&format!("check - --canonical {options}")).write_stdin(text).output().unwrap();
    let (out, err) = stdout_and_stderr(&output);
    if !output.status.success() {
        assert!(!err.is_empty() && err.lines().all(|line| line.starts_with(ERROR_PREFIX)), "{err}");
        return Err(err);
    }
    Ok(out.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

/// Asserts that `check` rejects a text with an error that contains all of `names`. Returns that error.
fn assert_rejected(text: &str, names: &[&str]) -> String {
    let error = canonical_forms("", text).map_or_else(|error| error, |found| panic!("{text}\n{found:?}"));
    assert_contains_all(&error, names);
    error
}

/// Texts that the reader rejects, each with its own kind of fault.
#[derive(Default)]
struct FaultCases(Transcript);

impl FaultCases {
    /// Adds a text that the library must reject with this kind of fault, and the program with an error that
    /// contains all of `names`.
    fn add(&mut self, text: &str, is_expected: FaultPredicate, names: &[&str]) {
        let fault = first_fault(text);
        assert!(is_expected(&fault.kind), "{text}\n{fault:?}");
        self.0.add(&format!("{text:?}"), &assert_rejected(text, names));
    }
}

/// Returns a line for each square. `write` gets the number of the square, from 0, and its name.
fn numbered_lines(write: impl Fn(usize, &str) -> String) -> Vec<String> {
    SQUARES.iter().enumerate().map(|(number, square)| write(number, square)).collect()
}

/// Returns the rows of the grid, with this separator between numbers.
fn grid_rows(separator: &str) -> [String; 3] {
    GRID.map(|row| row.map(|number| number.to_string()).join(separator))
}

/// Returns the canonical form of the tour.
fn expected_forms() -> Result<Vec<String>, String> {
    canonical_forms("", &grid_rows(" ").join("\n"))
}

/// Asserts that `check` reads the tour once and three times in a row, with and without a board.
fn assert_accepted(text: &str) {
    let expected = expected_forms();
    for options in ["", "--board 3x4"] {
        assert_eq!(canonical_forms(options, text), expected, "{text}");
    }
    let thrice = canonical_forms("", &[text; 3].join("\n\n")).map(|found| found.len());
    assert_eq!(thrice, Ok(3), "{text}");
}

#[test]
fn reader_sorts_tables_by_step() {
    let shuffled = |header: &str, mut rows: Vec<String>| {
        rows.sort_by_key(|row| row.bytes().rev().map(usize::from).sum::<usize>() * 7 % 11);
        format!("{header}\n{}\n", rows.join("\n"))
    };
    for text in [
        shuffled("step,square", numbered_lines(|number, square| format!("{},{square}", number + 1))),
        shuffled("square;Move;note", numbered_lines(|number, square| format!("{square};{number};n{number}"))),
        shuffled(
            "| # | square |\n|---|---|",
            numbered_lines(|number, square| format!("| {number} | {square} |")),
        ),
        shuffled(",square,step", numbered_lines(|number, square| format!("{},{square},{}", 0, number + 1))),
        format!(
            ",square,note\n{}\n,,\n",
            numbered_lines(|number, square| format!("{number},{square},")).join("\n")
        ),
        format!("\tsquare\n{}\n", numbered_lines(|number, square| format!("{number}\t{square}")).join("\n")),
        format!(
            "note\tsquare\tn\n{}\n",
            numbered_lines(|number, square| format!("\t{square}\t{number}")).join("\n")
        ),
        format!("n,vertex\n{}\n", numbered_lines(|number, square| format!("{number},{square}")).join("\n")),
    ] {
        assert_accepted(&text);
    }
    let table = |header: &str, write: &dyn Fn(usize, &str) -> String| {
        format!("{header}\n{}\n", numbered_lines(write).join("\n"))
    };
    let cases: [(String, FaultPredicate, &[&str]); 7] = [
        (
            table("step,square", &|number, square| format!("{},{square}", number % 7)),
            |fault| {
                is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::Incomplete { visited: 7, .. }))
            },
            &["7"],
        ),
        (
            table("step,square", &|number, square| format!("{},{square}", number / 2)),
            |fault| {
                is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::Incomplete { visited: 2, .. }))
            },
            &["2"],
        ),
        (
            table("step,square", &|number, square| format!("{},{square}", number * number)),
            |fault| matches!(fault, ReadErrorKind::StepNumbers(_)),
            &["2"],
        ),
        (
            table("step,square", &|number, square| format!("{number},{square},{square}")),
            |fault| matches!(fault, ReadErrorKind::TooManyFields { found: 3, columns: 2 }),
            &["line 2", "3", "2"],
        ),
        (
            table("index,square", &|number, square| format!("{},{square}", number ^ 1)),
            |fault| matches!(fault, ReadErrorKind::RowOrder { found: 0, above: 1 }),
            &["0", "1"],
        ),
        (
            "step,square\n1".to_owned(),
            |fault| matches!(fault, ReadErrorKind::RowWithoutSquare { .. }),
            &["line 2"],
        ),
        (
            table("step,square", &|number, _| format!("{number},")),
            |fault| matches!(fault, ReadErrorKind::RowWithoutSquare { column: 2, columns: 2 }),
            &["line 2", "2"],
        ),
    ];
    let mut faults = FaultCases::default();
    cases.into_iter().for_each(|(text, is_expected, names)| faults.add(&text, is_expected, names));
    faults.0.assert_snapshot("errors_pasted_tables");
}

#[test]
fn reader_checks_move_numbers() {
    for text in [
        numbered_lines(|number, square| format!("Move {}: {square}", number + 1)).join("\n"),
        numbered_lines(|number, square| format!("Step {number}: {square}")).join(", "),
        numbered_lines(|number, square| format!("{}. N{square}", number + 1)).join(" ") + " 1-0",
        numbered_lines(|number, square| format!("{}. Nx{square}", number + 1)).join(" ") + " *",
        format!(
            "[Event \"A tour\"]\n[Site \"?\"]\n\n{}",
            numbered_lines(|n, s| format!("{}. N{s}", n + 1)).join(" ")
        ),
        SQUARES.windows(2).map(|pair| pair.join("-")).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| format!("N{}", pair.join("-"))).collect::<Vec<_>>().join(", "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join("\n"),
    ] {
        assert_accepted(&text);
    }
    let cases: [(String, FaultPredicate, &[&str]); 5] = [
        (
            numbered_lines(|n, s| format!("{}. {s}", n ^ 1)).join(" "),
            |fault| matches!(fault, ReadErrorKind::MoveNumber { number: 0, square: 2 }),
            &["0", "2"],
        ),
        (
            numbered_lines(|n, s| format!("{}. {s}", if n == 6 { 70 } else { n })).join("\n"),
            |fault| matches!(fault, ReadErrorKind::MoveNumber { number: 70, square: 7 }),
            &["70", "7"],
        ),
        (
            numbered_lines(|n, s| format!("{} {s}", 12 - n)).join("\n"),
            |fault| matches!(fault, ReadErrorKind::MoveNumber { number: 11, square: 2 }),
            &["11", "2"],
        ),
        (
            "a1.1 b3.1 d2.1".to_owned(),
            |fault| matches!(fault, ReadErrorKind::BoxSquare(_)),
            &["`a1.1`", "--board"],
        ),
        ("<table><tr><td>1</td>".to_owned(), |fault| matches!(fault, ReadErrorKind::Html(_)), &["HTML"]),
    ];
    let mut faults = FaultCases::default();
    cases.into_iter().for_each(|(text, is_expected, names)| faults.add(&text, is_expected, names));
    faults.0.assert_snapshot("errors_pasted_numbers");
}

#[test]
fn reader_accepts_array_literals() {
    let (commas, squares) = (grid_rows(", "), SQUARES.join("\", \""));
    for text in [
        format!("A = [{}];", grid_rows(" ").join("; ")),
        format!("A = [{}];", grid_rows(", ").join(";\n     ")),
        format!("A = [ ...\n{} ];", grid_rows(" ").join("; ...\n")),
        format!("[{}]", grid_rows(" ").join("\n ")),
        format!("(({}))", commas.join("), (")),
        format!("t = (\n    ({}),\n)", commas.join("),\n    (")),
        format!("[[{}.]]", grid_rows(". ").join(".]\n [")),
        format!("{{\"{squares}\"}};"),
        format!("const char *tour[] = {{\"{squares}\"}};"),
        format!("tour = [\"{squares}\"]"),
        format!("m4 = [[{}]]", commas.join("], [")),
        format!("{{\"tour\": [\"{squares}\"]}}"),
        format!("{{\n \"tour\": [\n  \"{}\"\n ],\n \"closed\": false\n}}", SQUARES.join("\",\n  \"")),
        format!("{{\"rows\": 3, \"cols\": 4, \"board\": [[{}]]}}", commas.join("], [")),
        format!("int tour[3][4] = {{{{{}}}}};", commas.join("},\n {")),
        format!("array([[{}]])", commas.join("],\n       [ ")),
        format!("array([[ {}]])", commas.join("],\n       [ ")),
    ] {
        assert_accepted(&text);
    }
    // A closed tour may repeat its first square at its end.
    let closed = successful_output("find 5x6 --closed --bare");
    let names: Vec<&str> = closed.split_whitespace().collect();
    let array = format!("[\"{}\", \"{}\"]", names.join("\", \""), names[0]);
    assert_eq!(canonical_forms("", &array), canonical_forms("", &closed));
    assert_eq!(
        canonical_forms("", &format!("{{\"closed\": true, \"path\": {array}}}")),
        canonical_forms("", &closed)
    );
    let cases: [(String, FaultPredicate, &[&str]); 6] = [
        (
            format!("int board[5][24] = {{{{{}}}}};", commas.join("},{")),
            |fault| matches!(fault, ReadErrorKind::ArraySize { .. }),
            &["5 x 24", "3 x 4"],
        ),
        (
            format!("{{\"rows\": 4, \"board\": [[{}]]}}", commas.join("],[")),
            |fault| matches!(fault, ReadErrorKind::ArraySize { .. }),
            &["4 x 4", "3 x 4"],
        ),
        (
            format!("{{\"closed\": true, \"board\": [[{}]]}}", commas.join("],[")),
            |fault| is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::NotClosed { .. })),
            &["closed"],
        ),
        (
            format!("{{\"a\": [[{}]], \"b\": [[1, 2]]}}", commas.join("],[")),
            |fault| matches!(fault, ReadErrorKind::Json { .. }),
            &["\"a\"", "\"b\""],
        ),
        ("{\"tour\": \"a1 b3\"}".to_owned(), |fault| matches!(fault, ReadErrorKind::Json { .. }), &[]),
        (
            format!("[[{}]\n ...\n [1, 2]]", commas[0]),
            |fault| matches!(fault, ReadErrorKind::InvalidArray(_)),
            &["`...`"],
        ),
    ];
    let mut faults = FaultCases::default();
    cases.into_iter().for_each(|(text, is_expected, names)| faults.add(&text, is_expected, names));
    faults.0.assert_snapshot("errors_pasted_arrays");
}

#[test]
fn reader_uses_grid_labels() {
    let letters = "     a  b  c  d";
    let label_rows = |write: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        grid_rows(" ").iter().enumerate().map(|(row, text)| write(row, text)).collect()
    };
    let reverse_rows = |mut rows: Vec<String>| {
        rows.reverse();
        rows.join("\n")
    };
    let (bars, cells) = (grid_rows(" | "), grid_rows(","));
    let latex = grid_rows(" & ").join(" \\\\\n");
    for text in [
        format!("{letters}\n{}\n", label_rows(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        format!(
            "{letters}\n{}\n{letters}",
            label_rows(&|row, text| format!("{0} {text} {0}", 3 - row)).join("\n")
        ),
        format!(
            "{}\n  -----\n{letters}",
            label_rows(&|row, text| format!("{} | {text}", 3 - row)).join("\n")
        ),
        format!("{}\n{letters}", label_rows(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        label_rows(&|row, text| format!("{0} | {text} | {0}", 3 - row)).join("\n"),
        // Increasing ranks: the first row is the lowest.
        format!("{letters}\n{}\n", reverse_rows(label_rows(&|row, text| format!("{} {text}", 3 - row)))),
        format!("{}\n{letters}\n", reverse_rows(label_rows(&|row, text| format!("{} | {text}", 3 - row)))),
        // Row and column numbers in the styles of pandas, Markdown and R.
        format!("   0  1  2  3\n{}", label_rows(&|row, text| format!("{row}  {text}")).join("\n")),
        format!(",0,1,2,3\n0,{}\n1,{}\n2,{}\n", cells[0], cells[1], cells[2]),
        format!(
            "|   | 1 | 2 | 3 | 4 |\n|--|--|--|--|--|\n| 1 | {} |\n| 2 | {} |\n| 3 | {} |",
            bars[0], bars[1], bars[2]
        ),
        format!(
            "     [,1] [,2] [,3] [,4]\n{}",
            label_rows(&|row, text| format!("[{},] {text}", row + 1)).join("\n")
        ),
        format!("\\begin{{tabular}}{{cccc}}\n\\hline\n{latex} \\\\ \\hline\n\\end{{tabular}}"),
        latex,
        format!("```\n{}\n```", grid_rows(" ").join("\n")),
        grid_rows(" ").map(|row| format!("> {row}")).join("\n"),
    ] {
        assert_accepted(&text);
    }
    // Labels determine which row is the lowest.
    let draw_text = |text: &str| {
        let found = ktour("draw - --format box").write_stdin(text).output().unwrap();
        stdout_and_stderr(&found).0
    };
    let lowest =
        format!("{letters}\n1 {}\n2 {}\n3 {}\n", grid_rows(" ")[0], grid_rows(" ")[1], grid_rows(" ")[2]);
    let turned = format!("{}\n{}\n{}\n", grid_rows(" ")[2], grid_rows(" ")[1], grid_rows(" ")[0]);
    assert_eq!(draw_text(&lowest), draw_text(&turned));
    assert!(draw_text(&lowest).len() > 40 && draw_text(&lowest) != draw_text(&grid_rows(" ").join("\n")));
    let cases: [(String, FaultPredicate, &[&str]); 7] = [
        (
            format!(
                "{letters}\n{}",
                label_rows(&|row, text| format!("{} {text}", [3, 1, 2][row])).join("\n")
            ),
            |fault| matches!(fault, ReadErrorKind::RankLabels(_)),
            &["3", "2"],
        ),
        (
            format!("{letters}\n{}", label_rows(&|row, text| format!("{} {text}", 8 - row)).join("\n")),
            |fault| matches!(fault, ReadErrorKind::RankLabels(_)),
            &["8", "6"],
        ),
        (
            label_rows(&|row, text| format!("{} | {text}", row + 1)).join("\n"),
            |fault| matches!(fault, ReadErrorKind::AmbiguousRankLabels { first: 1, last: 3 }),
            &["1", "3"],
        ),
        (
            format!("{letters}\n{}", label_rows(&|row, text| format!("{} {text} {row}", 3 - row)).join("\n")),
            |fault| matches!(fault, ReadErrorKind::RankLabels(_)),
            &["3", "0"],
        ),
        (
            "1,4,7,10\n12,9,,5\n3,6,11,8\n".to_owned(),
            |fault| matches!(fault, ReadErrorKind::EmptyCell(square) if square == "c2"),
            &["line 2", "c2"],
        ),
        (
            "| 1 | 4 | 7 |\n+---+-g-+---+\n| 6 | 3 | 2 |\n".to_owned(),
            |fault| matches!(fault, ReadErrorKind::UnrecognisedLine(_)),
            &["line 2"],
        ),
        (
            "+---+-g-+---+\n| 1 | 4 | 7 |\n".to_owned(),
            |fault| matches!(fault, ReadErrorKind::UnrecognisedLine(_)),
            &["line 1", "`+---+-g-+---+`"],
        ),
    ];
    let mut faults = FaultCases::default();
    cases.into_iter().for_each(|(text, is_expected, names)| faults.add(&text, is_expected, names));
    faults.0.assert_snapshot("errors_labels_of_rows");
}

#[test]
fn reader_ignores_text_below_tours() {
    let (grid, squares) = (grid_rows(" ").join("\n"), SQUARES.join(" "));
    for below in ["Found in 0.3 seconds", "Total: 1", "</pre>", "Nodes: 12\nTotal: 1 tour\n"] {
        for tour in [&grid, &squares] {
            for separator in ["\n", "\n\n"] {
                let text = format!("{tour}{separator}{below}");
                assert_eq!(canonical_forms("", &text), expected_forms(), "{text}");
                assert_eq!(canonical_forms("--board 3x4", &text), expected_forms(), "{text}");
            }
        }
    }
    // Text below a tour is ignored only if it is not a faulty tour; without a tour above, all text must be a
    // tour.
    assert_rejected("Found in 0.3 seconds\n", &["line 1"]);
    let unseparated = SQUARES.concat();
    for faulty in [
        squares.replace("c2", "cc"),
        unseparated.replace("c2", "cc"),
        unseparated.replacen("a3", "az", 1),
        "x b3".to_owned(),
        "4 x".to_owned(),
        "seen b3".to_owned(),
        "3 6 ll 8".to_owned(),
    ] {
        for above in [format!("{squares}\n"), format!("{grid}\n\n")] {
            let line = above.lines().count() + 1;
            assert_rejected(&format!("{above}{faulty}"), &[&format!("line {line}:")]);
        }
    }
}

#[test]
fn reader_accepts_quotes_colours_and_no_separators() {
    assert_accepted(&SQUARES.concat());
    assert_accepted(&SQUARES.concat().to_uppercase());
    assert_accepted(&format!("{}\n{}", SQUARES[..5].concat(), SQUARES[5..].concat()));
    let quoted = |quote: char, separator: &str| {
        let cell = |number: u32| format!("{quote}{number}{quote}");
        GRID.map(|row| row.map(cell).join(separator)).join("\n")
    };
    assert_accepted(&quoted('"', ","));
    assert_accepted(&quoted('\'', "; "));
    let coloured = |number: u32| format!("\x1b[1;3{}m{number:>3}\x1b[0m", number % 8);
    assert_accepted(&GRID.map(|row| row.map(coloured).concat()).join("\n"));
    assert_rejected(&quoted('"', ",").replace("\"9\"", "\"9"), &["line 2"]);
    // Errors quote the text as it is written.
    let text = "\"1\" of 2: \"x\"";
    assert_rejected(text, &["`\"1\" of 2: \"x\"`"]);
    assert!(matches!(first_fault(text).kind, ReadErrorKind::UnrecognisedLine(_)));
}

#[test]
fn reader_separates_adjacent_grids() {
    let grid = grid_rows(" ").join("\n");
    let [one] = &expected_forms().unwrap()[..] else { panic!("expected one tour") };
    for options in ["", "--board 3x4"] {
        for text in [format!("{grid}\n{grid}"), format!("{grid}\n{grid}\n{grid}\n\n{grid}\nTotal: 4")] {
            let found = canonical_forms(options, &text).unwrap();
            assert_eq!(found.len(), text.matches("12 9").count(), "{text}");
            assert!(found.iter().all(|form| form == one), "{text}");
        }
    }
    // A wrong number in any row of two adjacent grids is a fault.
    for line in 0..6 {
        let text = format!("{grid}\n{grid}");
        let faulty: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(index, row)| {
                if index == line {
                    row.replacen(row.split(' ').next().unwrap(), "7", 1)
                } else {
                    row.to_owned()
                }
            })
            .collect();
        assert_rejected(&faulty.join("\n"), &["line "]);
    }
    assert_rejected(&format!("{grid}\n1 4 7 10"), &["line "]);
    assert_rejected("1 2\n3 4\n1 2", &["line "]);
}

#[test]
fn reader_rejects_pictures_and_other_pieces() {
    let picture = ktour("draw -").write_stdin(SQUARES.join(" ")).output().unwrap();
    let (svg, _) = stdout_and_stderr(&picture);
    assert!(svg.starts_with("<svg"));
    assert!(matches!(first_fault(&svg).kind, ReadErrorKind::ImageFile));
    let folder = tempfile::tempdir().unwrap();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    let mut check = |case: &str, arguments: &str, input: &str, status: i32, names: &[&str]| {
        refusals.run_command(ktour(arguments).write_stdin(input), case, status, names);
    };
    check("check - of a picture", "check -", &svg, 1, &["line 1"]);
    let tour = successful_output("find 5x6 --closed");
    let king = "check - --canonical --piece king";
    check("check - --piece king", king, &tour, 1, &["line 1", "piece", "knight", "king"]);
    let torus = "check - --canonical --wrap torus";
    check("check - --wrap torus", torus, &tour, 1, &["line 1", "wrap", "none", "torus"]);
    let kings = successful_output("find 4x4 --piece king --closed");
    assert_eq!(canonical_forms("--piece king", &kings), canonical_forms("", &kings));
    check("check - --piece king, no header", king, &SQUARES.join(" "), 2, &["--piece", "--board"]);
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let graph = format!("count --graph {}", empty.display());
    check("count --graph FILE", &graph, "", 1, &[empty.to_str().unwrap()]);
    refusals.assert_snapshot("errors_pictures_and_pieces");
    std::fs::write(&empty, "?\n").unwrap();
    assert!(ktour("count --graph").arg(&empty).output().unwrap().status.success());
}

/// Returns the number of tours and of notes of a text.
fn tour_and_note_counts(text: &str) -> (usize, usize) {
    let mut reader = TourReader::new(text.as_bytes(), ReadOptions::default());
    let tours =
        reader.by_ref().filter(|found| found.as_ref().map_err(|error| panic!("{text}\n{error}")).is_ok());
    (tours.count(), reader.notes().len())
}

#[test]
fn titles_footnotes_and_page_numbers_are_reported() {
    let (grid, squares) = (grid_rows(" ").join("\n"), SQUARES.join(" "));
    for tour in [&grid, &squares] {
        for above in [
            "Time: 0.02s",
            "N = 12",
            "n = 8",
            "Tour of 2021-05-04",
            "Board: 3x4",
            "Board size: 4 x 3",
            "3×4 Matrix{Int64}:",
            "A.",
            "(a)",
            "a)",
            "#4 7 1",
        ] {
            assert_eq!(tour_and_note_counts(&format!("{above}\n{tour}\n")), (1, 1), "{above}");
        }
        for below in ["[1] Euler, Berlin 1759", "(1) see Euler 1759", "\n13", "\n- 13 -", "Done in 3 ms"] {
            assert_eq!(tour_and_note_counts(&format!("{tour}\n{below}\n")), (1, 1), "{below}");
        }
    }
    for above in ["Start position: a1", "1.", "2)", "(3)", "A", "B"] {
        assert_eq!(tour_and_note_counts(&format!("{above}\n{grid}\n")), (1, 1), "{above}");
    }
    assert_eq!(tour_and_note_counts(&format!("{squares} 12\n")), (1, 1));
    for sizes in ["3 4", "3 × 4", "3 X 4", "4 x 3"] {
        assert_eq!(tour_and_note_counts(&format!("{sizes}\n{grid}\n")), (1, 0), "{sizes}");
    }
    let quoted = format!("[\"{}\"]", SQUARES.join("\", \""));
    let object =
        format!("{{\"path\": {quoted}, \"times\": [0.1, 0.1, 0.2, 0.1], \"degrees\": [2, 2, 3, 2]}}");
    assert_eq!(tour_and_note_counts(&object), (1, 1));
    assert_rejected(&format!("[{quoted}, []]"), &["empty"]);
}

#[test]
fn tours_of_program_output_are_read() {
    let rows = |columns: std::ops::Range<usize>| {
        GRID.map(|row| {
            row[columns.clone()]
                .iter()
                .map(|number| format!("{number}.000e+00"))
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    let places: Vec<(usize, usize)> = SQUARES
        .iter()
        .map(|name| (usize::from(b'3' - name.as_bytes()[1]), usize::from(name.as_bytes()[0] - b'a')))
        .collect();
    let counted = |write: &dyn Fn(usize, (usize, usize)) -> String| {
        places.iter().enumerate().map(|(number, &place)| write(number, place)).collect::<Vec<_>>().join("\n")
    };
    let moves = |write: &dyn Fn(&str, &str) -> String| {
        SQUARES.windows(2).map(|pair| write(pair[0], pair[1])).collect::<Vec<_>>()
    };
    let pair_moves =
        places.windows(2).map(|pair| format!("{:?} -> {:?}", pair[0], pair[1])).collect::<Vec<_>>();
    for text in [
        rows(0..4).join("\n"),
        counted(&|number, place| format!("{}. {place:?}", number + 1)),
        counted(&|number, place| format!("{}) {place:?}", number + 1)),
        counted(&|number, place| format!("{} - {place:?}", number + 1)),
        pair_moves.join("\n"),
        format!("[{}]", moves(&|from, to| format!("{{\"from\": \"{from}\", \"to\": \"{to}\"}}")).join(", ")),
        format!("[1] \"{}\"\n[7] \"{}\"\n", SQUARES[..6].join("\" \""), SQUARES[6..].join("\" \"")),
        format!(
            "Array\n(\n{})\n",
            numbered_lines(|number, square| format!("    [{number}] => {square}\n")).concat()
        ),
        format!("{}\r", grid_rows(" ").join("\r")),
        grid_rows(" & ").join(" \\\\[2pt]\n"),
        grid_rows(" ").join("\n").replace('1', "\u{ff11}"),
    ] {
        assert_eq!(canonical_forms("", &text), expected_forms(), "{text}");
    }
    // File letters go on behind z.
    let wide = successful_output("find 4x28 --format grid");
    let rows: String =
        wide.lines().filter(|line| !line.starts_with('#')).map(|row| format!("{row}\n")).collect();
    let letters = |count: u16| {
        (0..count)
            .map(|file| ktour::board::Square::new(file, 0).to_string().replace('1', ""))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(canonical_forms("", &format!("{}\n{rows}", letters(28))), canonical_forms("", &wide));
    assert_rejected(&format!("{}\n{rows}", letters(27)), &["27", "28"]);
}

#[test]
fn contradictions_around_tours_are_faults() {
    let (grid, squares) = (grid_rows(" ").join("\n"), SQUARES.join(" "));
    let quoted = format!("[\"{}\"]", SQUARES.join("\", \""));
    let is_size: FaultPredicate = |fault| matches!(fault, ReadErrorKind::StatedSize { .. });
    let is_labels: FaultPredicate = |fault| matches!(fault, ReadErrorKind::ColumnLabels { .. });
    let is_number: FaultPredicate = |fault| matches!(fault, ReadErrorKind::NotANumber(_));
    let is_count: FaultPredicate = |fault| matches!(fault, ReadErrorKind::MoveNumber { .. });
    let is_json: FaultPredicate = |fault| matches!(fault, ReadErrorKind::Json { .. });
    let is_array: FaultPredicate = |fault| matches!(fault, ReadErrorKind::ArraySize { .. });
    let cases: [(String, FaultPredicate, &[&str]); 13] = [
        (format!("8x8\n{squares}"), is_size, &["8x8", "3x4", "line 2", "line 1"]),
        (format!("Board: 8 x 8\n{grid}"), is_size, &["8x8", "3x4"]),
        (format!("a b c d e\n{grid}"), is_labels, &["5", "4"]),
        (format!("{grid}\na b c"), is_labels, &["3", "4"]),
        (format!("a b c d\n{grid}\na b c d e"), is_labels, &["5", "4"]),
        (grid.replace("12 9", "12 -9"), is_number, &["`-9`", "line 2"]),
        (format!("[[{}]]", grid_rows(",").join("],[")).replace("9", "-9"), is_number, &["`-9`"]),
        (format!("{squares} 99"), is_count, &["99"]),
        (format!("{{\"tour\": {quoted}, \"second\": {quoted}}}"), is_json, &["\"tour\"", "\"second\""]),
        (format!("{{\"squares\": {quoted}, \"tour2\": {quoted}}}"), is_json, &["\"tour2\""]),
        (format!("{{\"board\": \"8x8\", \"path\": {quoted}}}"), is_array, &["8 x 8", "3 x 4"]),
        (
            format!("{{\"type\": \"closed\", \"path\": {quoted}}}"),
            |fault| is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::NotClosed { .. })),
            &["closed"],
        ),
        (
            "1. a1\n2. a1\n3. a1".to_owned(),
            |fault| is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::Repeated { .. })),
            &["line 2", "a1"],
        ),
    ];
    let mut faults = FaultCases::default();
    cases.into_iter().for_each(|(text, is_expected, names)| faults.add(&text, is_expected, names));
    faults.0.assert_snapshot("errors_contradictions_around_tours");
}

#[test]
fn a_wrapped_tour_has_one_fault() {
    let tour = successful_output("find 12x12 --bare");
    let mut names: Vec<&str> = tour.split_whitespace().collect();
    let wrapped = |names: &[&str]| names.chunks(16).map(|line| line.join(" ") + "\n").collect::<String>();
    assert_eq!(tour_and_note_counts(&wrapped(&names)), (1, 0));
    names.swap(60, 62);
    let text = wrapped(&names);
    let found = TourReader::new(text.as_bytes(), ReadOptions::default());
    let faults: Vec<_> = found.map(|found| found.map(|_| ()).map_err(|error| error.line)).collect();
    assert_eq!(faults, [Err(4)]);
    // Numbers without squares are one fault, and read in linear time.
    let numbers = "1.\n".repeat(60_000);
    assert_eq!(TourReader::new(numbers.as_bytes(), ReadOptions::default()).count(), 1);
    // A number that is repeated is not a row of tours of one square.
    assert!(TourReader::new(&b"1 1 1 1"[..], ReadOptions::default()).all(|found| found.is_err()));
}
