//! Tours as other programs print them and people paste them: what is read, and what is refused rather than guessed.

use ktour::tour::{Fault, Wrong};

use super::{ERROR_PREFIX, Refusals, answer, ktour, texts};
use crate::check::{Is, assert_names, fault, is_no_tour};
use crate::snapshot::Transcript;

/// A tour of 3x4: its squares, and its grid.
const SQUARES: [&str; 12] = ["a3", "c2", "a1", "b3", "d2", "b1", "c3", "d1", "b2", "d3", "c1", "a2"];
const GRID: [[u32; 4]; 3] = [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]];

/// The canonical forms of the tours of a text, or the line with which it is refused.
fn forms(options: &str, text: &str) -> Result<Vec<String>, String> {
    let output = ktour(&format!("check - --canonical {options}")).write_stdin(text).output().unwrap();
    let (out, err) = texts(&output);
    if !output.status.success() {
        assert!(err.lines().count() == 1 && err.starts_with(ERROR_PREFIX), "{err}");
        return Err(err);
    }
    Ok(out.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

/// Asserts that a text is refused with an error that contains all of `names`, and returns that error.
fn refused(text: &str, names: &[&str]) -> String {
    let error = forms("", text).map_or_else(|error| error, |found| panic!("{text}\n{found:?}"));
    assert_names(&error, names);
    error
}

/// Texts that are refused, each for a reason of its own kind.
#[derive(Default)]
struct Faults(Transcript);

impl Faults {
    /// Adds a text that the library refuses with this kind of fault, and the program with an error that contains all of
    /// `names`.
    fn add(&mut self, text: &str, is: Is, names: &[&str]) {
        let found = fault(text);
        assert!(is(&found.fault), "{text}\n{found:?}");
        self.0.add(&format!("{text:?}"), &refused(text, names));
    }
}

/// A line for each square, with its number from 0.
fn lines(write: impl Fn(usize, &str) -> String) -> Vec<String> {
    SQUARES.iter().enumerate().map(|(number, square)| write(number, square)).collect()
}

/// The rows of the grid.
fn rows(apart: &str) -> [String; 3] {
    GRID.map(|row| row.map(|number| number.to_string()).join(apart))
}

fn expected() -> Result<Vec<String>, String> {
    forms("", &rows(" ").join("\n"))
}

/// The tour alone and three times, with and without a board.
fn is_read(text: &str) {
    let expected = expected();
    for options in ["", "--board 3x4"] {
        assert_eq!(forms(options, text), expected, "{text}");
    }
    let thrice = forms("", &[text; 3].join("\n\n")).map(|found| found.len());
    assert_eq!(thrice, Ok(3), "{text}");
}

#[test]
fn tables_are_read_in_the_order_of_their_steps() {
    let shuffled = |head: &str, mut rows: Vec<String>| {
        rows.sort_by_key(|row| row.bytes().rev().map(usize::from).sum::<usize>() * 7 % 11);
        format!("{head}\n{}\n", rows.join("\n"))
    };
    for text in [
        shuffled("step,square", lines(|number, square| format!("{},{square}", number + 1))),
        shuffled("square;Move;note", lines(|number, square| format!("{square};{number};n{number}"))),
        shuffled("| # | square |\n|---|---|", lines(|number, square| format!("| {number} | {square} |"))),
        shuffled(",square,step", lines(|number, square| format!("{},{square},{}", 0, number + 1))),
        format!(",square,note\n{}\n,,\n", lines(|number, square| format!("{number},{square},")).join("\n")),
        format!("\tsquare\n{}\n", lines(|number, square| format!("{number}\t{square}")).join("\n")),
        format!("note\tsquare\tn\n{}\n", lines(|number, square| format!("\t{square}\t{number}")).join("\n")),
        format!("n,vertex\n{}\n", lines(|number, square| format!("{number},{square}")).join("\n")),
    ] {
        is_read(&text);
    }
    let table =
        |head: &str, write: &dyn Fn(usize, &str) -> String| format!("{head}\n{}\n", lines(write).join("\n"));
    let cases: [(String, Is, &[&str]); 7] = [
        (
            table("step,square", &|number, square| format!("{},{square}", number % 7)),
            |fault| is_no_tour(fault, |wrong| matches!(wrong, Wrong::Incomplete { found: 7, .. })),
            &["7"],
        ),
        (
            table("step,square", &|number, square| format!("{},{square}", number / 2)),
            |fault| is_no_tour(fault, |wrong| matches!(wrong, Wrong::Incomplete { found: 2, .. })),
            &["2"],
        ),
        (
            table("step,square", &|number, square| format!("{},{square}", number * number)),
            |fault| matches!(fault, Fault::Steps(_)),
            &["2"],
        ),
        (
            table("step,square", &|number, square| format!("{number},{square},{square}")),
            |fault| matches!(fault, Fault::Fields { found: 3, columns: 2 }),
            &["line 2", "3", "2"],
        ),
        (
            table("index,square", &|number, square| format!("{},{square}", number ^ 1)),
            |fault| matches!(fault, Fault::Index { found: 0, above: 1 }),
            &["0", "1"],
        ),
        ("step,square\n1".to_owned(), |fault| matches!(fault, Fault::NoSquare { .. }), &["line 2"]),
        (
            table("step,square", &|number, _| format!("{number},")),
            |fault| matches!(fault, Fault::NoSquare { column: 2, columns: 2 }),
            &["line 2", "2"],
        ),
    ];
    let mut faults = Faults::default();
    cases.into_iter().for_each(|(text, is, names)| faults.add(&text, is, names));
    faults.0.assert("errors_pasted_tables");
}

#[test]
fn numbers_before_squares_must_count_them() {
    for text in [
        lines(|number, square| format!("Move {}: {square}", number + 1)).join("\n"),
        lines(|number, square| format!("Step {number}: {square}")).join(", "),
        lines(|number, square| format!("{}. N{square}", number + 1)).join(" ") + " 1-0",
        lines(|number, square| format!("{}. Nx{square}", number + 1)).join(" ") + " *",
        format!("[Event \"A tour\"]\n[Site \"?\"]\n\n{}", lines(|n, s| format!("{}. N{s}", n + 1)).join(" ")),
        SQUARES.windows(2).map(|pair| pair.join("-")).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| format!("N{}", pair.join("-"))).collect::<Vec<_>>().join(", "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join("\n"),
    ] {
        is_read(&text);
    }
    let cases: [(String, Is, &[&str]); 5] = [
        (
            lines(|n, s| format!("{}. {s}", n ^ 1)).join(" "),
            |fault| matches!(fault, Fault::Count { number: 0, square: 2 }),
            &["0", "2"],
        ),
        (
            lines(|n, s| format!("{}. {s}", if n == 6 { 70 } else { n })).join("\n"),
            |fault| matches!(fault, Fault::Count { number: 70, square: 7 }),
            &["70", "7"],
        ),
        (
            lines(|n, s| format!("{} {s}", 12 - n)).join("\n"),
            |fault| matches!(fault, Fault::Count { number: 11, square: 2 }),
            &["11", "2"],
        ),
        ("a1.1 b3.1 d2.1".to_owned(), |fault| matches!(fault, Fault::Cube(_)), &["`a1.1`", "--board"]),
        ("<table><tr><td>1</td>".to_owned(), |fault| matches!(fault, Fault::Html(_)), &["HTML"]),
    ];
    let mut faults = Faults::default();
    cases.into_iter().for_each(|(text, is, names)| faults.add(&text, is, names));
    faults.0.assert("errors_pasted_numbers");
}

#[test]
fn arrays_are_read_as_other_programs_write_them() {
    let (commas, squares) = (rows(", "), SQUARES.join("\", \""));
    for text in [
        format!("A = [{}];", rows(" ").join("; ")),
        format!("A = [{}];", rows(", ").join(";\n     ")),
        format!("A = [ ...\n{} ];", rows(" ").join("; ...\n")),
        format!("[{}]", rows(" ").join("\n ")),
        format!("(({}))", commas.join("), (")),
        format!("t = (\n    ({}),\n)", commas.join("),\n    (")),
        format!("[[{}.]]", rows(". ").join(".]\n [")),
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
        is_read(&text);
    }
    // A closed tour may end where it began.
    let closed = answer("find 5x6 --closed --bare");
    let names: Vec<&str> = closed.split_whitespace().collect();
    let array = format!("[\"{}\", \"{}\"]", names.join("\", \""), names[0]);
    assert_eq!(forms("", &array), forms("", &closed));
    assert_eq!(forms("", &format!("{{\"closed\": true, \"path\": {array}}}")), forms("", &closed));
    let cases: [(String, Is, &[&str]); 6] = [
        (
            format!("int board[5][24] = {{{{{}}}}};", commas.join("},{")),
            |fault| matches!(fault, Fault::Declared { .. }),
            &["5 x 24", "3 x 4"],
        ),
        (
            format!("{{\"rows\": 4, \"board\": [[{}]]}}", commas.join("],[")),
            |fault| matches!(fault, Fault::Declared { .. }),
            &["4 x 4", "3 x 4"],
        ),
        (
            format!("{{\"closed\": true, \"board\": [[{}]]}}", commas.join("],[")),
            |fault| is_no_tour(fault, |wrong| matches!(wrong, Wrong::NotClosed { .. })),
            &["closed"],
        ),
        (
            format!("{{\"a\": [[{}]], \"b\": [[1, 2]]}}", commas.join("],[")),
            |fault| matches!(fault, Fault::Json(_)),
            &["\"a\"", "\"b\""],
        ),
        ("{\"tour\": \"a1 b3\"}".to_owned(), |fault| matches!(fault, Fault::Json(_)), &[]),
        (format!("[[{}]\n ...\n [1, 2]]", commas[0]), |fault| matches!(fault, Fault::Array(_)), &["`...`"]),
    ];
    let mut faults = Faults::default();
    cases.into_iter().for_each(|(text, is, names)| faults.add(&text, is, names));
    faults.0.assert("errors_pasted_arrays");
}

#[test]
fn what_stands_beside_a_grid_tells_its_rows() {
    let letters = "     a  b  c  d";
    let labelled = |write: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        rows(" ").iter().enumerate().map(|(row, text)| write(row, text)).collect()
    };
    let up = |mut rows: Vec<String>| {
        rows.reverse();
        rows.join("\n")
    };
    let (bars, cells) = (rows(" | "), rows(","));
    let latex = rows(" & ").join(" \\\\\n");
    for text in [
        format!("{letters}\n{}\n", labelled(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        format!(
            "{letters}\n{}\n{letters}",
            labelled(&|row, text| format!("{0} {text} {0}", 3 - row)).join("\n")
        ),
        format!("{}\n  -----\n{letters}", labelled(&|row, text| format!("{} | {text}", 3 - row)).join("\n")),
        format!("{}\n{letters}", labelled(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        labelled(&|row, text| format!("{0} | {text} | {0}", 3 - row)).join("\n"),
        // Ranks that grow: the first row is the lowest.
        format!("{letters}\n{}\n", up(labelled(&|row, text| format!("{} {text}", 3 - row)))),
        format!("{}\n{letters}\n", up(labelled(&|row, text| format!("{} | {text}", 3 - row)))),
        // Numbers of rows and columns, as pandas, Markdown and R have them.
        format!("   0  1  2  3\n{}", labelled(&|row, text| format!("{row}  {text}")).join("\n")),
        format!(",0,1,2,3\n0,{}\n1,{}\n2,{}\n", cells[0], cells[1], cells[2]),
        format!(
            "|   | 1 | 2 | 3 | 4 |\n|--|--|--|--|--|\n| 1 | {} |\n| 2 | {} |\n| 3 | {} |",
            bars[0], bars[1], bars[2]
        ),
        format!(
            "     [,1] [,2] [,3] [,4]\n{}",
            labelled(&|row, text| format!("[{},] {text}", row + 1)).join("\n")
        ),
        format!("\\begin{{tabular}}{{cccc}}\n\\hline\n{latex} \\\\ \\hline\n\\end{{tabular}}"),
        latex,
        format!("```\n{}\n```", rows(" ").join("\n")),
        rows(" ").map(|row| format!("> {row}")).join("\n"),
    ] {
        is_read(&text);
    }
    // The lowest row is the one that the ranks tell.
    let grid = |text: &str| {
        let found = ktour("draw - --format box").write_stdin(text).output().unwrap();
        texts(&found).0
    };
    let lowest = format!("{letters}\n1 {}\n2 {}\n3 {}\n", rows(" ")[0], rows(" ")[1], rows(" ")[2]);
    let turned = format!("{}\n{}\n{}\n", rows(" ")[2], rows(" ")[1], rows(" ")[0]);
    assert_eq!(grid(&lowest), grid(&turned));
    assert!(grid(&lowest).len() > 40 && grid(&lowest) != grid(&rows(" ").join("\n")));
    let cases: [(String, Is, &[&str]); 7] = [
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text}", [3, 1, 2][row])).join("\n")),
            |fault| matches!(fault, Fault::Ranks(_)),
            &["3", "2"],
        ),
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text}", 8 - row)).join("\n")),
            |fault| matches!(fault, Fault::Ranks(_)),
            &["8", "6"],
        ),
        (
            labelled(&|row, text| format!("{} | {text}", row + 1)).join("\n"),
            |fault| matches!(fault, Fault::RanksOrRows { first: 1, last: 3 }),
            &["1", "3"],
        ),
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text} {row}", 3 - row)).join("\n")),
            |fault| matches!(fault, Fault::Ranks(_)),
            &["3", "0"],
        ),
        (
            "1,4,7,10\n12,9,,5\n3,6,11,8\n".to_owned(),
            |fault| matches!(fault, Fault::Empty(square) if square == "c2"),
            &["line 2", "c2"],
        ),
        (
            "| 1 | 4 | 7 |\n+---+-g-+---+\n| 6 | 3 | 2 |\n".to_owned(),
            |fault| matches!(fault, Fault::Number(_)),
            &["line 2"],
        ),
        (
            "+---+-g-+---+\n| 1 | 4 | 7 |\n".to_owned(),
            |fault| matches!(fault, Fault::Unknown(_)),
            &["line 1", "`+---+-g-+---+`"],
        ),
    ];
    let mut faults = Faults::default();
    cases.into_iter().for_each(|(text, is, names)| faults.add(&text, is, names));
    faults.0.assert("errors_labels_of_rows");
}

#[test]
fn what_programs_print_below_their_tours_is_passed_over() {
    let (grid, squares) = (rows(" ").join("\n"), SQUARES.join(" "));
    for below in ["Found in 0.3 seconds", "Total: 1", "</pre>", "Nodes: 12\nTotal: 1 tour\n"] {
        for tour in [&grid, &squares] {
            for apart in ["\n", "\n\n"] {
                let text = format!("{tour}{apart}{below}");
                assert_eq!(forms("", &text), expected(), "{text}");
                assert_eq!(forms("--board 3x4", &text), expected(), "{text}");
            }
        }
    }
    // A tour with a fault is none of it, and without a tour there is nothing below.
    refused("Found in 0.3 seconds\n", &["line 1"]);
    let together = SQUARES.concat();
    for wrong in [
        squares.replace("c2", "cc"),
        together.replace("c2", "cc"),
        together.replacen("a3", "az", 1),
        "x b3".to_owned(),
        "4 x".to_owned(),
        "seen b3".to_owned(),
        "3 6 ll 8".to_owned(),
    ] {
        for above in [format!("{squares}\n"), format!("{grid}\n\n")] {
            let line = above.lines().count() + 1;
            refused(&format!("{above}{wrong}"), &[&format!("line {line}:")]);
        }
    }
}

#[test]
fn quotes_colours_and_nothing_between_squares_are_read() {
    is_read(&SQUARES.concat());
    is_read(&SQUARES.concat().to_uppercase());
    is_read(&format!("{}\n{}", SQUARES[..5].concat(), SQUARES[5..].concat()));
    let quoted = |quote: char, apart: &str| {
        let cell = |number: u32| format!("{quote}{number}{quote}");
        GRID.map(|row| row.map(cell).join(apart)).join("\n")
    };
    is_read(&quoted('"', ","));
    is_read(&quoted('\'', "; "));
    let coloured = |number: u32| format!("\x1b[1;3{}m{number:>3}\x1b[0m", number % 8);
    is_read(&GRID.map(|row| row.map(coloured).concat()).join("\n"));
    refused(&quoted('"', ",").replace("\"9\"", "\"9"), &["line 2"]);
    // What is told is told as it is written.
    let text = "\"1\" of 2: \"x\"";
    refused(text, &["`\"1\" of 2: \"x\"`"]);
    assert!(matches!(fault(text).fault, Fault::Unknown(_)));
}

#[test]
fn grids_stand_one_below_the_other_without_a_blank_line() {
    let grid = rows(" ").join("\n");
    let [one] = &expected().unwrap()[..] else { panic!("there is one tour") };
    for options in ["", "--board 3x4"] {
        for text in [format!("{grid}\n{grid}"), format!("{grid}\n{grid}\n{grid}\n\n{grid}\nTotal: 4")] {
            let found = forms(options, &text).unwrap();
            assert_eq!(found.len(), text.matches("12 9").count(), "{text}");
            assert!(found.iter().all(|form| form == one), "{text}");
        }
    }
    // One number is wrong: no tour, wherever it is.
    for line in 0..6 {
        let text = format!("{grid}\n{grid}");
        let wrong: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(at, row)| {
                if at == line { row.replacen(row.split(' ').next().unwrap(), "7", 1) } else { row.to_owned() }
            })
            .collect();
        refused(&wrong.join("\n"), &["line "]);
    }
    refused(&format!("{grid}\n1 4 7 10"), &["line "]);
    refused("1 2\n3 4\n1 2", &["line "]);
}

#[test]
fn pictures_and_pieces_of_other_files_are_told() {
    let picture = ktour("draw -").write_stdin(SQUARES.join(" ")).output().unwrap();
    let (svg, _) = texts(&picture);
    assert!(svg.starts_with("<svg"));
    assert!(matches!(fault(&svg).fault, Fault::Picture));
    let folder = tempfile::tempdir().unwrap();
    let mut refusals = Refusals::hiding(folder.path());
    let mut check = |case: &str, arguments: &str, input: &str, status: i32, names: &[&str]| {
        refusals.run_command(ktour(arguments).write_stdin(input), case, status, names);
    };
    check("check - of a picture", "check -", &svg, 1, &["line 1"]);
    let tour = answer("find 5x6 --closed");
    let king = "check - --canonical --piece king";
    check("check - --piece king", king, &tour, 1, &["line 1", "piece", "knight", "king"]);
    let torus = "check - --canonical --wrap torus";
    check("check - --wrap torus", torus, &tour, 1, &["line 1", "wrap", "none", "torus"]);
    let kings = answer("find 4x4 --piece king --closed");
    assert_eq!(forms("--piece king", &kings), forms("", &kings));
    check("check - --piece king, no header", king, &SQUARES.join(" "), 2, &["--piece", "--board"]);
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let graph = format!("count --graph {}", empty.display());
    check("count --graph FILE", &graph, "", 1, &[empty.to_str().unwrap()]);
    refusals.assert("errors_pictures_and_pieces");
    std::fs::write(&empty, "?\n").unwrap();
    assert!(ktour("count --graph").arg(&empty).output().unwrap().status.success());
}
